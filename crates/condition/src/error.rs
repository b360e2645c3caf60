//! What can be wrong with a condition when it is loaded.
//!
//! Nothing here can happen when a condition is judged: that is total.

use std::fmt;

/// Why a condition, or a set of them, is refused when it is loaded.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ConditionError {
    /// The pointer selects the whole document.
    #[error(
        "the path is empty: name a field, such as `/size`; a condition on the whole document is not supported"
    )]
    EmptyPath,
    /// The pointer does not begin with a slash.
    #[error("path `{path}` is no RFC 6901 pointer: it begins with `/`; write `{fix}`")]
    NoSlash {
        /// The offending path.
        path: Shown,
        /// The path as it was probably meant.
        fix: Shown,
    },
    /// A tilde that is followed by neither 0 nor 1.
    #[error("path `{path}` is no RFC 6901 pointer: after `~` comes `0` (for `~`) or `1` (for `/`)")]
    BadEscape {
        /// The offending path.
        path: Shown,
    },
    /// An index with a leading zero; it selects no element of an array.
    #[error(
        "path `{path}`: index `{index}` has a leading zero, so it would never fire (RFC 6901); write it without"
    )]
    LeadingZero {
        /// The offending path.
        path: Shown,
        /// The offending step.
        index: Shown,
    },
    /// The pointer has more steps than JSON may be deep.
    #[error(
        "path `{path}` has more than {max} steps: no JSON is read that deep, so it would never fire"
    )]
    TooDeep {
        /// The offending path.
        path: Shown,
        /// The most steps there may be.
        max: usize,
    },
    /// No operator beside the path.
    #[error(
        "the condition on `{path}` has no operator: write one of `equals`, `in`, `at_least`, `at_most`, `exists`"
    )]
    NoOperator {
        /// The condition's path.
        path: Shown,
    },
    /// More than one operator beside the path.
    #[error(
        "the condition on `{path}` has {count} operators ({names}): write one condition for each"
    )]
    SeveralOperators {
        /// The condition's path.
        path: Shown,
        /// How many there are.
        count: usize,
        /// Their names, in backticks.
        names: String,
    },
    /// `in` with no values.
    #[error(
        "the condition on `{path}` has an empty `in`: no value is in it, so it would never fire"
    )]
    EmptyIn {
        /// The condition's path.
        path: Shown,
    },
    /// A bound that is no finite number.
    #[error("`{operator}` on `{path}` needs a finite number, not {found}")]
    NotFinite {
        /// The condition's path.
        path: Shown,
        /// `at_least` or `at_most`.
        operator: &'static str,
        /// What was there instead.
        found: String,
    },
    /// A number whose written form did not survive being read.
    #[error(
        "`{operator}` on `{path}`: number `{number}` is beyond 2^53 and was read as a float, so it is not exact; write a whole number below 2^64"
    )]
    NotExact {
        /// The condition's path.
        path: Shown,
        /// The operator that holds the number.
        operator: &'static str,
        /// The number as it was read.
        number: String,
    },
    /// `each` beside `exists: false`.
    #[error(
        "the condition on `{path}` has `each` beside `exists: false`: an element always exists, so it would never fire"
    )]
    EachAbsent {
        /// The condition's path.
        path: Shown,
    },
    /// A lower bound above an upper bound.
    #[error(
        "the bounds on `{path}` cross: at least {at_least} and at most {at_most}, so the rule would never fire"
    )]
    BoundsCross {
        /// The path of both.
        path: Shown,
        /// The lower bound.
        at_least: String,
        /// The upper bound.
        at_most: String,
    },
    /// No document exists on which all conditions hold.
    #[error("the conditions contradict each other ({conditions}): the rule would never fire")]
    Contradiction {
        /// The smallest contradicting part that was found, described.
        conditions: String,
    },
}

/// A text from a file as errors show it: escaped, and cut to 120 characters.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Shown(String);

impl Shown {
    pub(crate) fn new(text: &str) -> Self {
        let mut shown: String = text
            .chars()
            .take(120)
            .flat_map(char::escape_debug)
            .collect();
        if text.chars().nth(120).is_some() {
            shown.push('…');
        }
        Self(shown)
    }
}

impl fmt::Display for Shown {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}
