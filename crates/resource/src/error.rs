//! What can be wrong with a resource or a pattern, in words that say what to do.

use tipstaff_schema::ResourceKind;

/// A value that has no canonical form of its kind. The call that names it is refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ResourceError {
    /// The value breaks a rule of its kind.
    #[error("`{text}` is no {kind}: {why}", kind = kind_name(*kind))]
    Refused {
        /// The kind that was wanted.
        kind: ResourceKind,
        /// The value, cut and escaped.
        text: String,
        /// The rule that it breaks.
        why: &'static str,
    },
}

/// A pattern that cannot be read, or that could never match.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PatternError {
    /// The pattern breaks a rule of its kind.
    #[error("`{text}` is no pattern for a {kind}: {why}", kind = kind_name(*kind))]
    Refused {
        /// The kind that it was to be a pattern for.
        kind: ResourceKind,
        /// The pattern, cut and escaped.
        text: String,
        /// The rule that it breaks, and what to write.
        why: &'static str,
    },
}

/// The name of a kind as the wire writes it.
pub(crate) const fn kind_name(kind: ResourceKind) -> &'static str {
    match kind {
        ResourceKind::Path => "path",
        ResourceKind::Url => "url",
        ResourceKind::Host => "host",
        ResourceKind::Domain => "domain",
        ResourceKind::Service => "service",
        ResourceKind::Repository => "repository",
        ResourceKind::Command => "command",
        ResourceKind::None => "text",
    }
}

/// At most 80 characters, everything that cannot be seen escaped.
pub(crate) fn shown(text: &str) -> String {
    let cut = text.chars().take(80).flat_map(char::escape_default);
    let more = if text.chars().nth(80).is_some() {
        "…"
    } else {
        ""
    };
    cut.chain(more.chars()).collect()
}
