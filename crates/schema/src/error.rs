//! Why a token, a tool or a route was refused.
//!
//! The spellings are wire facts: other programs compare them. A caller must notice a new cause,
//! so the enum is open to exhaustive matching on purpose.

/// What can go wrong between a token and its tool.
#[derive(Debug, thiserror::Error)]
pub enum IntentError {
    /// No tool answers to this verb: namespace, action.
    #[error("unknown verb: {0}.{1}")]
    UnknownVerb(String, String),
    /// The token requires a capability that no candidate has.
    #[error("missing capability: {0}")]
    MissingCapability(String),
    /// A constraint of the token does not hold.
    #[error("constraint failed: {0}")]
    ConstraintFailed(String),
    /// The document has another version or breaks a rule of its form.
    #[error("schema mismatch: {0}")]
    Schema(String),
    /// No tool has this id.
    #[error("unknown tool: {0}")]
    UnknownTool(String),
    /// The text is no such document.
    #[error(transparent)]
    Serde(#[from] serde_json::Error),
    /// Two things claim the same name.
    #[error("conflict: {0}")]
    Conflict(String),
    /// The tool exists and cannot be called now.
    #[error("tool unavailable: {0}")]
    Unavailable(String),
}
