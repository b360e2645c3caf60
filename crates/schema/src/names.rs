//! Checked names: agents, people, roles, placements, servers, and patterns over tool names.
//!
//! Each is its own type, checked once where it enters, so that an unchecked name cannot exist.
//! Display is the plain text: none of these can hold a control character or a blank.

use serde::{Deserialize, Serialize};

/// A name that breaks the rule of its kind.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
#[error("`{text}` is no {kind}: {rule}")]
pub struct NameError {
    /// What the text should have been: `agent`, `server name`, ….
    pub kind: &'static str,
    /// The offending text, cut to 80 characters, with escapes for what cannot be seen.
    pub text: String,
    /// The rule that it breaks.
    pub rule: &'static str,
}

fn check(
    kind: &'static str,
    rule: &'static str,
    text: &str,
    max: usize,
    ok: fn(char) -> bool,
) -> Result<(), NameError> {
    if !text.is_empty() && text.len() <= max && text.chars().all(ok) {
        return Ok(());
    }
    Err(NameError {
        kind,
        text: shown(text),
        rule,
    })
}

/// An offending text for an error: cut to 80 characters, with escapes for what cannot be seen.
pub(crate) fn shown(text: &str) -> String {
    text.chars()
        .take(80)
        .flat_map(char::escape_default)
        .collect()
}

macro_rules! name {
    (
        $(#[$doc:meta])*
        $name:ident, $kind:literal, $max:literal, $rule:literal, $pattern:literal, $ok:expr
    ) => {
        $(#[$doc])*
        // INVARIANT: not empty, not too long, every character allowed; `check` is the only door.
        #[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
        #[cfg_attr(
            feature = "schemars",
            derive(schemars::JsonSchema),
            schemars(extend("pattern" = $pattern, "maxLength" = $max))
        )]
        #[serde(try_from = "String", into = "String")]
        pub struct $name(String);

        impl $name {
            /// Checks the text.
            ///
            /// # Errors
            /// [`NameError`] with the rule, when the text is empty, too long or holds another
            /// character.
            pub fn new(text: impl Into<String>) -> Result<Self, NameError> {
                let text = text.into();
                check($kind, $rule, &text, $max, $ok)?;
                Ok(Self(text))
            }

            /// The text.
            #[must_use]
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl TryFrom<String> for $name {
            type Error = NameError;
            fn try_from(text: String) -> Result<Self, NameError> {
                Self::new(text)
            }
        }

        impl From<$name> for String {
            fn from(name: $name) -> Self {
                name.0
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(&self.0)
            }
        }
    };
}

name!(
    /// Who is calling (the principal), such as `coder`. It comes from the transport, never from
    /// a body.
    AgentId, "agent", 128, "1 to 128 of letters, digits and `._-/:@`",
    "^[A-Za-z0-9._/:@-]+$",
    |c| c.is_ascii_alphanumeric() || "._-/:@".contains(c)
);
name!(
    /// A person who answers approvals or works tasks, such as `ana`.
    Person, "person", 128, "1 to 128 of letters, digits and `._-@:`",
    "^[A-Za-z0-9._@:-]+$",
    |c| c.is_ascii_alphanumeric() || "._-@:".contains(c)
);
name!(
    /// A role of people, such as `approver` (ours: `approver`, `supervisor`, `operator`).
    Role, "role", 64, "1 to 64 of letters, digits and `._-`",
    "^[A-Za-z0-9._-]+$",
    |c| c.is_ascii_alphanumeric() || "._-".contains(c)
);
name!(
    /// The name of a mounted server, such as `files`.
    ServerName, "server name", 32, "1 to 32 of `a-z`, `0-9` and `-`",
    "^[a-z0-9-]+$",
    |c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-'
);
name!(
    /// Where a command runs: `local`, or a named executor (the spawn tool's `@target`).
    Placement, "placement", 64, "1 to 64 of letters, digits, `_` and `-`",
    "^[A-Za-z0-9_-]+$",
    |c| c.is_ascii_alphanumeric() || "_-".contains(c)
);

impl Placement {
    /// The machine that the gate itself runs on.
    pub const LOCAL: &'static str = "local";

    /// The machine that the gate itself runs on.
    #[must_use]
    pub fn local() -> Self {
        Self(Self::LOCAL.to_owned())
    }

    /// Whether this is the gate's own machine.
    #[must_use]
    pub fn is_local(&self) -> bool {
        self.0 == Self::LOCAL
    }
}

/// A pattern over tool names: `*` stands for any run of characters, `?` for exactly one, every
/// other character for itself; case-sensitive. `*` alone matches every name.
// INVARIANT: not empty and free of control characters and blanks at its ends.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(
    feature = "schemars",
    derive(schemars::JsonSchema),
    schemars(extend("pattern" = r"^[^\s\x00-\x1F\x7F-\x9F]+$", "maxLength" = 256))
)]
#[serde(try_from = "String", into = "String")]
pub struct NamePattern(String);

impl NamePattern {
    /// Checks the pattern.
    ///
    /// # Errors
    /// [`NameError`] when it is empty, over 256 bytes, or holds a blank or control character.
    pub fn new(text: impl Into<String>) -> Result<Self, NameError> {
        let text = text.into();
        let rule = "1 to 256 bytes without blanks or control characters";
        check("name pattern", rule, &text, 256, |c| {
            !c.is_whitespace() && !c.is_control()
        })?;
        Ok(Self(text))
    }

    /// The pattern as written.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Whether it matches every name (`*`).
    #[must_use]
    pub fn is_any(&self) -> bool {
        self.0.chars().all(|c| c == '*')
    }

    /// Whether it holds no wildcard and so names exactly one tool.
    #[must_use]
    pub fn is_exact(&self) -> bool {
        !self.0.contains(['*', '?'])
    }

    /// Whether the whole name matches. Takes the leftmost place for each piece between stars, so
    /// the work is at most the name's length times the pattern's.
    #[must_use]
    pub fn matches(&self, name: &str) -> bool {
        let Some((head, rest)) = self.0.split_once('*') else {
            return after(name, &self.0) == Some("");
        };
        let (middle, tail) = rest.rsplit_once('*').unwrap_or(("", rest));
        let mut name = after(name, head);
        for piece in middle.split('*') {
            name = name.and_then(|name| ends(name).find_map(|end| after(end, piece)));
        }
        name.is_some_and(|name| ends(name).any(|end| after(end, tail) == Some("")))
    }
}

/// What is left of the name after a piece without stars, if it begins with that piece.
fn after<'a>(name: &'a str, piece: &str) -> Option<&'a str> {
    let mut rest = name.chars();
    let fits = |want| rest.next().is_some_and(|c| want == '?' || want == c);
    piece.chars().all(fits).then_some(rest.as_str())
}

/// The text, then the text without its first character, and so on to the empty one.
fn ends(text: &str) -> impl Iterator<Item = &str> {
    std::iter::successors(Some(text), |text| {
        let mut rest = text.chars();
        rest.next().map(|_| rest.as_str())
    })
}

impl TryFrom<String> for NamePattern {
    type Error = NameError;
    fn try_from(text: String) -> Result<Self, NameError> {
        Self::new(text)
    }
}

impl From<NamePattern> for String {
    fn from(pattern: NamePattern) -> Self {
        pattern.0
    }
}

impl std::fmt::Display for NamePattern {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}
