//! What a deadline says, and the trait of whoever turns it into an instant.
//!
//! The instant is recorded with the task and never computed again; the calendar's digest stands
//! beside it, so that one can see later by which rules it was computed.

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use tipstaff_schema::Digest;

use crate::wire::DeadlineWire;

/// A deadline as a rule states it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(from = "DeadlineWire", into = "DeadlineWire")]
pub struct DeadlineSpec {
    /// A name for people.
    pub name: String,
    /// The kind, such as `working-days`.
    pub kind: String,
    /// The parameters of the kind.
    pub params: Map<String, Value>,
}

impl DeadlineSpec {
    /// A deadline `n` of a kind away, such as 2 `working-days`.
    #[must_use]
    pub fn of(name: impl Into<String>, kind: impl Into<String>, n: u64) -> Self {
        let params = [("n".to_owned(), Value::from(n))].into_iter().collect();
        Self {
            name: name.into(),
            kind: kind.into(),
            params,
        }
    }
}

impl From<DeadlineWire> for DeadlineSpec {
    fn from(wire: DeadlineWire) -> Self {
        Self {
            name: wire.name,
            kind: wire.kind,
            params: wire.params,
        }
    }
}

impl From<DeadlineSpec> for DeadlineWire {
    fn from(spec: DeadlineSpec) -> Self {
        Self {
            name: spec.name,
            kind: spec.kind,
            params: spec.params,
        }
    }
}

/// Why a deadline is no instant.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum DeadlineError {
    /// The calendar does not know the kind.
    #[error("`{kind}` is no kind of deadline; known are {known}")]
    UnknownKind {
        /// The offending text, escaped.
        kind: String,
        /// The kinds that the calendar knows.
        known: String,
    },
    /// The parameters are not those of the kind.
    #[error("the deadline `{kind}` {problem}")]
    BadParams {
        /// The kind.
        kind: String,
        /// What is wrong and what would be right.
        problem: String,
    },
    /// There is no such instant within the bounds of the search.
    #[error("no due date for `{kind}`: {why}")]
    OutOfRange {
        /// The kind.
        kind: String,
        /// Where the search ended.
        why: &'static str,
    },
}

/// Turns deadlines into instants.
pub trait Calendar: std::fmt::Debug + Send + Sync {
    /// The instant at which something that opens at `from` is due.
    ///
    /// # Errors
    /// [`DeadlineError`]: the kind is not known, its parameters are wrong, or there is no such instant.
    fn resolve(
        &self,
        from: DateTime<Utc>,
        spec: &DeadlineSpec,
    ) -> Result<DateTime<Utc>, DeadlineError>;

    /// Whether kind and parameters are right, before there is anything to resolve.
    ///
    /// # Errors
    /// [`DeadlineError::UnknownKind`] or [`DeadlineError::BadParams`].
    fn check(&self, spec: &DeadlineSpec) -> Result<(), DeadlineError>;

    /// Identifies the rule set: the same digest, the same instants.
    fn digest(&self) -> Digest;
}

const _: Option<&dyn Calendar> = None; // Stops compiling if the trait can no longer be used as `dyn`.
