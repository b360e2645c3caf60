//! What is known about rules before they decide anything.

use std::fmt;

use serde::Serialize;
use serde_json::Value;

use crate::error::RuleError;

/// One thing that an author of rules should know.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Finding {
    /// What kind of thing.
    pub kind: FindingKind,
    /// How bad it is.
    pub severity: Severity,
    /// The ids of the rules concerned, the one to change first.
    pub rules: Vec<String>,
    /// The same rules as indexes over the rules as they were given.
    pub indexes: Vec<usize>,
    /// Where in the first rule, such as `rule 3, hours.from`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub place: Option<String>,
    /// The field of the first rule, such as `hours.from`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub field: Option<String>,
    /// What is so, in one sentence without a full stop.
    pub message: String,
    /// What to do about it.
    pub fix: String,
    /// A call that shows it, as `decide --calls` takes it; the engine has confirmed it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub witness: Option<Value>,
}

/// How bad a finding is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// Worth knowing.
    Note,
    /// Probably not what was meant.
    Warning,
    /// A manifest with it is refused.
    Error,
}

/// The kinds of finding.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum FindingKind {
    /// The rule cannot be read.
    BadRule,
    /// Two rules have one id.
    DuplicateId,
    /// The rule matches no call there can be.
    NeverMatches,
    /// The rule names something that is not known.
    UnknownName,
    /// The rule is past its `until`.
    Expired,
    /// A relative pattern, and an agent without a root.
    NeedsRoot,
    /// A deny that a more specific allow or ask lifts.
    OutrankedDeny,
    /// An allow or ask that always loses a tie.
    NeverWinsTie,
    /// A rule that never decides, since others stand before it wherever it matches.
    Shadowed,
    /// A rule without which every call is decided the same.
    Redundant,
    /// Two rules of one weight and different effects that meet.
    Conflict,
    /// An allow over a dangerous tool, or over everything that a tool acts on.
    BroadAllow,
    /// A condition of a deny or guard that a call may leave unmet.
    FailsOpen,
    /// A wildcard directly behind a letter or digit.
    NoSeparator,
    /// A deny or guard with a target, and tools whose resources are not known.
    Hole,
    /// It was not decided whether something is wrong.
    NotDecided,
}

impl FindingKind {
    /// The spelling in JSON and in text, such as `outranked-deny`.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::BadRule => "bad-rule",
            Self::DuplicateId => "duplicate-id",
            Self::NeverMatches => "never-matches",
            Self::UnknownName => "unknown-name",
            Self::Expired => "expired",
            Self::NeedsRoot => "needs-root",
            Self::OutrankedDeny => "outranked-deny",
            Self::NeverWinsTie => "never-wins-tie",
            Self::Shadowed => "shadowed",
            Self::Redundant => "redundant",
            Self::Conflict => "conflict",
            Self::BroadAllow => "broad-allow",
            Self::FailsOpen => "fails-open",
            Self::NoSeparator => "no-separator",
            Self::Hole => "hole",
            Self::NotDecided => "not-decided",
        }
    }
}

impl fmt::Display for FindingKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl fmt::Display for Severity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Note => "note",
            Self::Warning => "warning",
            Self::Error => "error",
        })
    }
}

/// The finding for a call line and a fix: `error outranked-deny (a, b): …; …`.
impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let rules = self.rules.join(", ");
        write!(
            f,
            "{} {} ({rules}): {}; {}",
            self.severity, self.kind, self.message, self.fix
        )?;
        match &self.witness {
            Some(call) => write!(f, "; for example {call}"),
            None => Ok(()),
        }
    }
}

impl From<RuleError> for Finding {
    fn from(error: RuleError) -> Self {
        let place = match &error.field {
            Some(field) => format!("rule {}, {field}", error.index + 1),
            None => format!("rule {}", error.index + 1),
        };
        Self {
            kind: FindingKind::BadRule,
            severity: Severity::Error,
            rules: error.id.into_iter().collect(),
            indexes: vec![error.index],
            place: Some(place),
            field: error.field,
            message: error.problem,
            fix: error.fix,
            witness: None,
        }
    }
}
