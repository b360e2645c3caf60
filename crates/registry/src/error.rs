//! What can fail here: reading profiles, compiling a schema, adding a tool.
//!
//! A call whose parameters do not fit is no error of ours but an answer: see [`crate::ParamError`].

use tipstaff_schema::{CanonError, Digest};

/// An entry of the profile book that cannot hold.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ProfileError {
    /// Risk critical, set or derived, with a default of allow.
    #[error(
        "profile {index} (`{pattern}`): risk critical cannot default to allow: {why}; set `default_effect: ask`, or say what makes it milder"
    )]
    CriticalAllow {
        /// Place of the entry, from 0.
        index: usize,
        /// Its pattern.
        pattern: String,
        /// Where the risk comes from.
        why: &'static str,
    },
    /// Undeclared parameters are passed on, with a default of allow.
    #[error(
        "profile {index} (`{pattern}`): `unknown_params: allow` cannot default to allow: set `default_effect: ask`"
    )]
    OpenAllow {
        /// Place of the entry, from 0.
        index: usize,
        /// Its pattern.
        pattern: String,
    },
    /// A `from` that is no JSON pointer.
    #[error(
        "profile {index} (`{pattern}`): `{pointer}` is no JSON pointer: write `/name`, with `~0` for `~` and `~1` for `/`"
    )]
    Pointer {
        /// Place of the entry, from 0.
        index: usize,
        /// Its pattern.
        pattern: String,
        /// The offending text.
        pointer: String,
    },
    /// A field whose value is out of range.
    #[error("profile {index} (`{pattern}`): `{field}` {rule}")]
    Value {
        /// Place of the entry, from 0.
        index: usize,
        /// Its pattern.
        pattern: String,
        /// The field.
        field: String,
        /// What it must be.
        rule: &'static str,
    },
}

/// A schema that cannot be used; the tool that brings it is refused, no other.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SchemaError {
    /// A reference to something outside the document; nothing is ever fetched.
    #[error(
        "schema refers to `{reference}`, which is not in the document: only references inside it are followed"
    )]
    Outside {
        /// The reference as written, cleaned.
        reference: String,
    },
    /// An id inside the document that would change what references mean.
    #[error(
        "schema holds `{reference}`, whose meaning depends on an `$id` inside the document: use `#/$defs/…` without `$id`"
    )]
    Scope {
        /// The id or the reference as written, cleaned.
        reference: String,
    },
    /// A value that JSON Schema does not allow there.
    #[error("schema at `{pointer}`: `{found}` is not valid here: {wanted}")]
    Invalid {
        /// Where in the schema.
        pointer: String,
        /// What stands there, cut and cleaned.
        found: String,
        /// What would be valid.
        wanted: String,
    },
    /// A reference that comes back to itself without going deeper into the value, or a chain of
    /// references that is too long to follow.
    #[error("schema refers to itself without end")]
    Endless,
    /// Over a bound on size or nesting.
    #[error("schema is too large: {what} is over {limit}")]
    TooLarge {
        /// What was counted.
        what: &'static str,
        /// The bound.
        limit: usize,
    },
}

/// A tool that cannot be added, accepted or changed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CatalogError {
    /// Another tool has this id or name.
    #[error("tool `{tool_id}` conflicts with `{other}`: {why}")]
    Conflict {
        /// The new one.
        tool_id: String,
        /// The one that is there.
        other: String,
        /// In what they clash.
        why: &'static str,
    },
    /// No such tool.
    #[error("there is no tool `{tool_id}`")]
    Unknown {
        /// The id asked for.
        tool_id: String,
    },
    /// The definition changed since it was looked at.
    #[error(
        "tool `{tool_id}` changed since it was reviewed: its definition is now {offered}, not {reviewed}; look again"
    )]
    Changed {
        /// The tool.
        tool_id: String,
        /// The digest that was reviewed.
        reviewed: Digest,
        /// The digest on offer.
        offered: Digest,
    },
    /// A tool that can never be called, whoever accepts it.
    #[error("tool `{tool_id}` cannot be accepted: {why}")]
    Refused {
        /// The tool.
        tool_id: String,
        /// Why it is refused.
        why: String,
    },
    /// Its schema cannot be used.
    #[error("the schema of tool `{tool_id}` cannot be used")]
    Schema {
        /// The tool.
        tool_id: String,
        /// What was wrong.
        source: SchemaError,
    },
    /// Its definition has no canonical form.
    #[error("the definition of tool `{tool_id}` has no canonical form")]
    Canonical {
        /// The tool.
        tool_id: String,
        /// What was wrong.
        source: CanonError,
    },
}
