//! Digests: SHA-256 over canonical bytes, always under the name of what they stand for.
//!
//! The name (`tipstaff/<what>/1` and a NUL) comes first, so that the digest of a request can
//! never be shown as that of a rule. A value without canonical form is an error, never a digest.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use serde_json::Value;
use sha2::{Digest as _, Sha256};

use crate::{CanonError, canonical};

/// What a digest stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Domain {
    /// A call as judged, with all that binds it.
    Request,
    /// The parameters of a call.
    Params,
    /// A tool's definition: a pin.
    Tool,
    /// A set of rules.
    Policy,
    /// One rule.
    Rule,
    /// An event of the journal.
    Event,
    /// A tool's answer.
    Answer,
    /// What an approver was shown.
    Preview,
    /// A task.
    Task,
    /// A calendar.
    Calendar,
    /// A manifest.
    Manifest,
    /// A journal.
    Journal,
}

impl Domain {
    /// Every one.
    pub const ALL: [Self; 12] = [
        Self::Request,
        Self::Params,
        Self::Tool,
        Self::Policy,
        Self::Rule,
        Self::Event,
        Self::Answer,
        Self::Preview,
        Self::Task,
        Self::Calendar,
        Self::Manifest,
        Self::Journal,
    ];

    /// The name on the wire, such as `request`.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Request => "request",
            Self::Params => "params",
            Self::Tool => "tool",
            Self::Policy => "policy",
            Self::Rule => "rule",
            Self::Event => "event",
            Self::Answer => "answer",
            Self::Preview => "preview",
            Self::Task => "task",
            Self::Calendar => "calendar",
            Self::Manifest => "manifest",
            Self::Journal => "journal",
        }
    }
}

/// A text that names no domain.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
#[error("`{text}` is no domain of digests")]
pub struct DomainError {
    /// The text, escaped and cut.
    pub text: String,
}

impl FromStr for Domain {
    type Err = DomainError;

    fn from_str(text: &str) -> Result<Self, DomainError> {
        let named = Self::ALL.into_iter().find(|domain| domain.as_str() == text);
        named.ok_or_else(|| DomainError {
            text: crate::names::shown(text),
        })
    }
}

/// A SHA-256 under a domain; as text `sha256:` and 64 lower-case hexadecimal digits.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Digest([u8; 32]);

impl Digest {
    /// The digest of a value.
    ///
    /// # Errors
    /// [`CanonError`] when the value has no canonical form.
    pub fn of(domain: Domain, value: &Value) -> Result<Self, CanonError> {
        canonical(value).map(|text| Self::of_canonical(domain, text.as_bytes()))
    }

    /// The digest of bytes that the caller knows to be canonical.
    #[must_use]
    pub fn of_canonical(domain: Domain, canonical: &[u8]) -> Self {
        Self(begun(domain).chain_update(canonical).finalize().into())
    }

    /// The digest of canonical bytes that come in pieces.
    #[must_use]
    pub fn of_pieces(domain: Domain, pieces: impl IntoIterator<Item = impl AsRef<[u8]>>) -> Self {
        let add = |hash: Sha256, piece| hash.chain_update(piece);
        Self(
            pieces
                .into_iter()
                .fold(begun(domain), add)
                .finalize()
                .into(),
        )
    }

    /// The bytes.
    #[must_use]
    pub const fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }
}

fn begun(domain: Domain) -> Sha256 {
    Sha256::new()
        .chain_update("tipstaff/")
        .chain_update(domain.as_str())
        .chain_update("/1\0")
}

impl fmt::Display for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut text = String::with_capacity(PREFIX.len() + 64);
        text.push_str(PREFIX);
        let digit = |half: u8| char::from_digit(u32::from(half), 16).unwrap_or('0');
        text.extend(
            self.0
                .iter()
                .flat_map(|byte| [digit(byte >> 4), digit(byte & 0xF)]),
        );
        f.write_str(&text)
    }
}

impl fmt::Debug for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Digest({self})")
    }
}

const PREFIX: &str = "sha256:";

/// A text that is no digest.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
#[error("`{text}` is no digest: `sha256:` and 64 of `0-9`, `a-f`")]
pub struct DigestError {
    /// The text, escaped and cut.
    pub text: String,
}

impl FromStr for Digest {
    type Err = DigestError;

    fn from_str(text: &str) -> Result<Self, DigestError> {
        let refused = || DigestError {
            text: crate::names::shown(text),
        };
        let hex = text.strip_prefix(PREFIX).ok_or_else(refused)?;
        if hex.len() != 64 || !hex.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f')) {
            return Err(refused());
        }
        let mut bytes = [0; 32];
        for (byte, pair) in bytes.iter_mut().zip(hex.as_bytes().chunks(2)) {
            let pair = std::str::from_utf8(pair).map_err(|_| refused())?;
            *byte = u8::from_str_radix(pair, 16).map_err(|_| refused())?;
        }
        Ok(Self(bytes))
    }
}

impl TryFrom<String> for Digest {
    type Error = DigestError;
    fn try_from(text: String) -> Result<Self, DigestError> {
        text.parse()
    }
}

impl From<Digest> for String {
    fn from(digest: Digest) -> Self {
        digest.to_string()
    }
}

#[cfg(feature = "schemars")]
impl schemars::JsonSchema for Digest {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Digest".into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({
            "type": "string",
            "pattern": "^sha256:[0-9a-f]{64}$",
            "description": "A SHA-256 under a domain.",
        })
    }
}
