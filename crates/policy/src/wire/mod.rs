//! The wire form of a rule and of a decision.
//!
//! A rule is read field by field, so that everything that is wrong with it is said at once: what
//! cannot be read is kept in `problems`, and `Rule::try_from_wire` refuses a rule that has any.

mod decision;
mod fields;
mod keys;
mod read;

use serde::{Deserialize, Deserializer};
use serde_json::Value;
use tipstaff_command::Ceiling;
use tipstaff_condition::wire::ConditionWire;
use tipstaff_schema::Effect;

pub use decision::DecisionWire;

/// A rule as it is written. Every field is optional here; the check says what is missing.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct RuleWire {
    /// The id, unique over the whole manifest.
    pub id: Option<String>,
    /// The exact agent; absent means every agent.
    pub agent: Option<String>,
    /// A name, an id, or a pattern over names; absent or `*` means every tool.
    pub capability: Option<String>,
    /// The target; absent means anything.
    pub target: Option<TargetWire>,
    /// The exact action label; absent or `*` means any.
    pub action: Option<String>,
    /// The window.
    pub hours: Option<HoursWire>,
    /// The conditions.
    pub when: Vec<ConditionWire>,
    /// Allow, ask or deny.
    pub effect: Option<Effect>,
    /// Whether it cannot be outranked; only with deny.
    pub guard: bool,
    /// Whether a more specific rule may lift it; only with deny.
    pub overridable: bool,
    /// Whether only a person may answer; only with ask.
    pub fresh: bool,
    /// Terms of its approvals; only with ask.
    pub approval: Option<TermsWire>,
    /// RFC 3339; after it the rule is gone.
    pub until: Option<String>,
    /// Whether an allow also holds for agents that its agent starts.
    pub inherit: bool,
    /// The ceiling of an allow for a command.
    pub effects: Option<Ceiling>,
    /// A path pattern for a command's working folder.
    pub cwd: Option<String>,
    /// The placement of a command.
    pub placement: Option<String>,
    /// Why, for people.
    pub reason: Option<String>,
    /// Who wrote it.
    pub created_by: Option<String>,
    /// RFC 3339.
    pub created_at: Option<String>,
    /// RFC 3339.
    pub updated_at: Option<String>,
    /// What could not be read.
    pub problems: Vec<Problem>,
}

/// Something in a rule that could not be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// The field, such as `hours.from`.
    pub field: Option<String>,
    /// What is wrong, without a full stop.
    pub problem: String,
    /// What to do.
    pub fix: String,
}

/// A target as it is written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TargetWire {
    /// A plain string, whose kind is told from its form; `*` means anything.
    Text(String),
    /// `{<kind>: <pattern>}`.
    Kind {
        /// The kind as written.
        kind: String,
        /// The pattern.
        pattern: String,
    },
    /// `{command: [<word>, …]}`.
    Command(Vec<String>),
}

/// A window as it is written.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct HoursWire {
    /// Where it begins.
    pub from: Option<ClockWire>,
    /// Where it ends, exclusive; before `from` means on the next day.
    pub to: Option<ClockWire>,
    /// IANA zone; absent means that of the manifest.
    pub tz: Option<String>,
    /// Names or ranges of days; `None` means every day.
    pub days: Option<Vec<String>>,
}

/// A clock time as it is written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ClockWire {
    /// A whole hour.
    Hour(i64),
    /// `HH:MM`.
    Text(String),
}

/// Terms of approval as they are written.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct TermsWire {
    /// Such as `10m`.
    pub expire: Option<String>,
    /// Such as `5m`.
    pub use_within: Option<String>,
    /// Roles.
    pub audience: Vec<String>,
    /// How many people.
    pub quorum: Option<i64>,
    /// Whether the owner is excluded.
    pub four_eyes: Option<bool>,
}

impl RuleWire {
    /// Reads a rule from JSON. Never fails: what is wrong is in `problems`.
    #[must_use]
    pub fn from_value(value: Value) -> Self {
        read::value(value, read::Form::Rule)
    }

    /// Reads the short form of a rule for commands: `command: [word, …]` in place of `capability`
    /// and `target`, which are then `spawn` and that pattern.
    #[must_use]
    pub fn from_command(value: Value) -> Self {
        read::value(value, read::Form::Command)
    }
}

impl<'de> Deserialize<'de> for RuleWire {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(read::Reader(read::Form::Rule))
    }
}

/// A rule for commands in the short form of the manifest's `commands:`.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct CommandRuleWire(pub RuleWire);

impl<'de> Deserialize<'de> for CommandRuleWire {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer
            .deserialize_any(read::Reader(read::Form::Command))
            .map(Self)
    }
}
