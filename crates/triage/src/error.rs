//! What can be wrong with triage rules and calendars when they are loaded.
//!
//! Loading reports every fault, so each error carries its own place.

use tipstaff_condition::ConditionError;
use tipstaff_schema::NameError;

use crate::{DeadlineError, SummaryError};

/// A triage rule that cannot be loaded. `rule` is its name, escaped, or its place in the list.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TriageError {
    /// The name breaks its rule.
    #[error(
        "triage rule {rule}: a name has 1 to 80 characters, none of them `/` or a control character"
    )]
    Name {
        /// The rule.
        rule: String,
    },
    /// Another rule has the same name.
    #[error("triage rule {rule}: the name is taken by an earlier rule")]
    Duplicate {
        /// The rule.
        rule: String,
    },
    /// There is no condition, so that it would fire on every answer.
    #[error("triage rule {rule}: `when` needs at least one condition")]
    NoCondition {
        /// The rule.
        rule: String,
    },
    /// A condition, or the set of them, is refused.
    #[error("triage rule {rule}: {place} cannot be used")]
    Condition {
        /// The rule.
        rule: String,
        /// `condition 2`, or `the set of conditions`.
        place: String,
        /// Why.
        source: ConditionError,
    },
    /// `each` is for policies.
    #[error("triage rule {rule}: condition {index} says `each`, which only policies may")]
    Each {
        /// The rule.
        rule: String,
        /// Which condition, from 1.
        index: usize,
    },
    /// A role, tool pattern or agent is no such name.
    #[error("triage rule {rule}: `{field}` holds a bad name")]
    BadName {
        /// The rule.
        rule: String,
        /// The field.
        field: &'static str,
        /// Why.
        source: NameError,
    },
    /// The summary cannot be filled.
    #[error("triage rule {rule}: the summary cannot be used")]
    Summary {
        /// The rule.
        rule: String,
        /// Why.
        source: SummaryError,
    },
    /// The deadline is none.
    #[error("triage rule {rule}: the deadline cannot be used")]
    Deadline {
        /// The rule.
        rule: String,
        /// Why.
        source: DeadlineError,
    },
    /// `on_expiry` and `escalate_to` do not fit.
    #[error("triage rule {rule}: `on_expiry: escalate` and `escalate_to` need each other")]
    Escalation {
        /// The rule.
        rule: String,
    },
}

/// A calendar that cannot be loaded.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum CalendarError {
    /// No such time zone.
    #[error("`{text}` is no IANA time zone, such as `Europe/Berlin`")]
    Timezone {
        /// The offending text, escaped.
        text: String,
    },
    /// No holidays are built in for it.
    #[error(
        "no holidays are built in for `{text}`; built in are {known}, others go under `holidays`"
    )]
    Country {
        /// The offending text, escaped.
        text: String,
        /// The countries that are.
        known: String,
    },
    /// A key of the week is no day.
    #[error("working_week: `{text}` is no day (`mon`) or run of days (`mon-fri`)")]
    Day {
        /// The offending text, escaped.
        text: String,
    },
    /// A day is there twice.
    #[error("working_week: `{day}` is given twice")]
    DayTwice {
        /// The day.
        day: String,
    },
    /// Hours of a day are none.
    #[error(
        "working_week: `{text}` are no hours such as `09:00-17:00`, the end after the start and at most 24:00"
    )]
    Hours {
        /// The offending text, escaped.
        text: String,
    },
    /// Hours of a day overlap.
    #[error("working_week: the hours of `{day}` overlap")]
    Overlap {
        /// The day.
        day: String,
    },
    /// No day has hours, so that nothing would ever be due.
    #[error("working_week has no hours at all: nothing would ever be due; give at least one day")]
    EmptyWeek,
    /// A date is none.
    #[error("{place}: `{text}` is no date such as {example}")]
    Date {
        /// Where: `holidays 3`, `closures 1`.
        place: String,
        /// The offending text, escaped.
        text: String,
        /// What would be one.
        example: &'static str,
    },
    /// A rule for a holiday names no day.
    #[error("holidays {index}: {problem}")]
    Holiday {
        /// Which, from 1.
        index: usize,
        /// What is wrong and what would be right.
        problem: &'static str,
    },
    /// A file of holidays that nobody has read.
    #[error("holidays_from: `{file}` was not read, so its holidays would be missing")]
    NotRead {
        /// The file, escaped.
        file: String,
    },
    /// A closure ends before it begins.
    #[error("closures {index}: it ends before it begins")]
    Closure {
        /// Which, from 1.
        index: usize,
    },
}

/// Text from outside, for an error: escaped and short.
pub(crate) fn shown(text: &str) -> String {
    text.chars().take(80).flat_map(char::escape_debug).collect()
}
