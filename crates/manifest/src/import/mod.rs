//! Permission rules of other agents, read into rules of ours.
//!
//! Nothing becomes more allowed than it was: an allow is carried over exactly or narrower, a deny or
//! ask exactly or wider, and what cannot be carried over is said, with its place and why. Knows no
//! files and no environment; the formats' facts and their sources stand in `docs/guides/import.md`.

mod claude;
mod codex;
mod command_text;
mod found;
mod gemini;
mod json;
mod literals;
mod opencode;
mod order;
mod path_text;
mod write;

use serde::Serialize;
use tipstaff_schema::{AgentId, Effect};

use found::Reading;
use json::Json;

/// Whose rules are read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Origin {
    /// The `permissions` of Claude Code's `settings.json`.
    Claude,
    /// A policy file of Gemini CLI, in TOML.
    Gemini,
    /// The `permission` or `permissions` of opencode's `opencode.json`.
    Opencode,
    /// A rules file of Codex.
    Codex,
}

impl Origin {
    /// The spelling on the command line.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Claude => "claude",
            Self::Gemini => "gemini",
            Self::Opencode => "opencode",
            Self::Codex => "codex",
        }
    }

    /// Whose file this is, by its name's end and, for JSON, by its keys; `None` where that does not say.
    #[must_use]
    pub fn guess(name: &str, text: &str) -> Option<Self> {
        let end = name.rsplit('.').next().unwrap_or_default();
        match end.to_ascii_lowercase().as_str() {
            "toml" => Some(Self::Gemini),
            "rules" | "codexpolicy" => Some(Self::Codex),
            "json" | "jsonc" => {
                let root = json::read(text).ok()?;
                match (root.member("permissions"), root.member("permission")) {
                    (Some(Json::List(_)), _) | (None, Some(_)) => Some(Self::Opencode),
                    (Some(_), None) => Some(Self::Claude),
                    (Some(_), Some(_)) | (None, None) => None,
                }
            }
            _ => None,
        }
    }
}

/// What the source leaves to its surroundings.
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct ImportOptions {
    /// The one agent that the rules are for; else every agent.
    pub agent: Option<AgentId>,
    /// The project's folder, put before relative paths; else they hang on each agent's root.
    pub root: Option<String>,
    /// What `~` means; without it a rule about it is left out.
    pub home: Option<String>,
    /// Names or patterns of our tools that do what the source's own reading of files does.
    pub read: Vec<String>,
    /// The same of its editing of files.
    pub edit: Vec<String>,
    /// The same of its fetching from the web.
    pub web: Vec<String>,
    /// What an allowed command may do.
    pub effects: CommandEffects,
}

/// The ceiling of imported allows for commands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum CommandEffects {
    /// Reads below the agent's root; what else the command would do is asked. Never more than the source.
    #[default]
    ReadOnly,
    /// Whatever the command does, also by redirection, which the sources ask about.
    Any,
}

/// What came of an import.
#[derive(Debug, Clone, Serialize)]
#[non_exhaustive]
pub struct Imported {
    /// The rules as a manifest.
    pub yaml: String,
    /// What was carried over, in the order of precedence of the source.
    pub carried: Vec<Carried>,
    /// What was not.
    pub left_out: Vec<LeftOut>,
}

impl Imported {
    /// How many rules of ours there are.
    #[must_use]
    pub fn rules(&self) -> usize {
        self.carried.iter().map(|carried| carried.rules.len()).sum()
    }

    /// Whether a deny or an ask of the source is not among the rules.
    #[must_use]
    pub fn lost_a_deny_or_ask(&self) -> bool {
        self.left_out
            .iter()
            .any(|left| left.decides && matches!(left.effect, Some(Effect::Deny | Effect::Ask)))
    }
}

/// One rule of the source that became rules of ours.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Carried {
    /// Where it stands: a JSON pointer, or `line 7`.
    pub at: String,
    /// As it was written. Untrusted: clean it to show it.
    pub text: String,
    /// Its effect.
    pub effect: Effect,
    /// The ids of our rules.
    pub rules: Vec<String>,
    /// How ours says something else: an allow says less, a deny or ask more. Empty: they say the same.
    pub notes: Vec<String>,
}

/// One thing in the source that did not become a rule.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct LeftOut {
    /// Where it stands.
    pub at: String,
    /// As it was written. Untrusted: clean it to show it.
    pub text: String,
    /// Its effect, where it is a rule.
    pub effect: Option<Effect>,
    /// Why.
    pub why: String,
    /// Whether it decides something in the source; not, where another comes before it and means all of it.
    pub decides: bool,
}

/// Why nothing was imported.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ImportError {
    /// The file is not of that form at all.
    #[error("it is no {what}: {why}")]
    Syntax {
        /// What it should be.
        what: &'static str,
        /// What is wrong, with its place.
        why: String,
    },
    /// There are no rules in it.
    #[error("there are no rules in it: {what} would stand there")]
    Nothing {
        /// What was looked for.
        what: &'static str,
    },
}

/// Reads the rules of another agent into rules of ours.
///
/// # Errors
/// [`ImportError`] where the text is not of that form, or has no rules. What is wrong with one rule is
/// said in [`Imported::left_out`].
pub fn import(
    text: &str,
    origin: Origin,
    options: &ImportOptions,
) -> Result<Imported, ImportError> {
    let reading: Reading = match origin {
        Origin::Claude => claude::read(text, options),
        Origin::Gemini => gemini::read(text, options),
        Origin::Opencode => opencode::read(text, options),
        Origin::Codex => codex::read(text, options),
    }?;
    Ok(write::imported(
        order::settle(reading, origin, options),
        options,
    ))
}
