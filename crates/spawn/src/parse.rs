//! From `input` to mode, placement and body. Prefixes count only at the very beginning.

use serde_json::Value;
use tipstaff_schema::Placement;

use crate::ParseSpawnError;

/// The tool's one field.
pub const INPUT_FIELD: &str = "input";

/// The placement of a command without `@`.
pub const LOCAL_TARGET: &str = Placement::LOCAL;

/// The most bytes of one input.
pub(crate) const MAX_INPUT_BYTES: usize = 64 * 1024;

/// What a call asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Mode {
    /// Run a command.
    Command,
    /// Hand a task to a subagent.
    Agent,
}

impl Mode {
    /// The wire spelling: `command` or `agent`.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Command => "command",
            Self::Agent => "agent",
        }
    }
}

/// A parsed call.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct ParsedSpawn {
    /// Command or task.
    pub mode: Mode,
    /// The placement that was named; none means where the host runs.
    pub target: Option<Placement>,
    /// The command or the task, trimmed, the escape spent. Never empty.
    pub body: String,
}

/// Whether a text can name a placement.
#[must_use]
pub fn is_target_name(text: &str) -> bool {
    !text.is_empty()
        && text
            .chars()
            .all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '-')
}

/// Parses the arguments of a call.
///
/// # Errors
/// [`ParseSpawnError`] when there is no command or task in it; the message teaches the form.
pub fn parse_spawn(arguments: &Value) -> Result<ParsedSpawn, ParseSpawnError> {
    let members = arguments.as_object().ok_or(ParseSpawnError::NotAnObject)?;
    let input = members
        .get(INPUT_FIELD)
        .and_then(Value::as_str)
        .ok_or(ParseSpawnError::NoInput)?;
    if input.len() > MAX_INPUT_BYTES {
        return Err(ParseSpawnError::TooLong { bytes: input.len() });
    }
    if let Some(control) = input
        .chars()
        .find(|c| c.is_control() && *c != '\n' && *c != '\t')
    {
        return Err(ParseSpawnError::Control {
            escaped: control.escape_default().to_string(),
        });
    }
    let text = input.trim();
    let task = |body: &str| match body.trim() {
        "" => Err(ParseSpawnError::EmptyTask),
        body => Ok(ParsedSpawn {
            mode: Mode::Agent,
            target: None,
            body: body.to_owned(),
        }),
    };
    let Some(behind) = text.strip_prefix('!') else {
        return task(text);
    };
    if behind.starts_with('!') {
        return task(behind); // The escape: one `!` is spent, the task keeps the other.
    }
    match behind.strip_prefix('@') {
        Some(placed) => elsewhere(placed),
        None => command(behind, None),
    }
}

fn command(body: &str, target: Option<Placement>) -> Result<ParsedSpawn, ParseSpawnError> {
    match (body.trim(), target) {
        ("", None) => Err(ParseSpawnError::EmptyCommand),
        ("", Some(target)) => Err(ParseSpawnError::TargetWithoutCommand {
            target: target.to_string(),
        }),
        (body, target) => Ok(ParsedSpawn {
            mode: Mode::Command,
            target,
            body: body.to_owned(),
        }),
    }
}

fn elsewhere(placed: &str) -> Result<ParsedSpawn, ParseSpawnError> {
    let (name, body) = placed
        .split_once(char::is_whitespace)
        .unwrap_or((placed, ""));
    if name.is_empty() {
        return Err(ParseSpawnError::NoTarget);
    }
    let bad = || ParseSpawnError::TargetName {
        escaped: name
            .chars()
            .take(80)
            .flat_map(char::escape_default)
            .collect(),
    };
    if !is_target_name(name) {
        return Err(bad());
    }
    if name == LOCAL_TARGET {
        return Err(ParseSpawnError::Local);
    }
    command(body, Some(Placement::new(name).map_err(|_| bad())?))
}
