//! The intent token: what a caller wants, under which conditions, and who asked.
//!
//! Deserialising alone does not check a token's rules; [`IntentToken::from_json`] and
//! [`IntentToken::validate`] do, and every entry path goes through one of them. Who is calling is
//! never read from a token: it comes from the session.

use std::collections::BTreeMap;

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use uuid::Uuid;

use crate::float::{self, is_unset};
use crate::one_form;
use crate::{IntentError, parse_strict, size, spelling};

one_form!(IntentToken, Verb, Object, Provenance, Constraint);

/// The version of the envelope that this crate reads and writes.
pub const SCHEMA: &str = "intent-token/1";

/// The largest token that [`IntentToken::from_json`] reads, in bytes.
pub const MAX_TOKEN_BYTES: usize = 1024 * 1024;

/// What a caller wants: a verb on an object. Unknown keys are ignored when read.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(
    feature = "schemars",
    derive(schemars::JsonSchema),
    schemars(!remote)
)]
#[serde(remote = "Self")]
pub struct IntentToken {
    /// The envelope's version, `intent-token/1`.
    #[cfg_attr(feature = "schemars", schemars(extend("const" = SCHEMA)))]
    pub schema: String,
    /// The token's own id; a call's correlation.
    #[serde(deserialize_with = "spelling::id")]
    pub id: Uuid,
    /// The token that led to this one; a call's causation.
    #[serde(
        default,
        skip_serializing_if = "Option::is_none",
        deserialize_with = "spelling::maybe_id"
    )]
    pub parent_id: Option<Uuid>,
    /// What to do.
    pub verb: Verb,
    /// On what.
    pub object: Object,
    /// Further parameters by name.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub modifiers: BTreeMap<String, Value>,
    /// Tags that the tool must have.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub required_capabilities: Vec<String>,
    /// Where the wish comes from.
    pub provenance: Provenance,
    /// How sure the classifier is, 0 to 1; not written when not finite.
    #[serde(
        default,
        skip_serializing_if = "is_unset",
        serialize_with = "float::option"
    )]
    #[cfg_attr(feature = "schemars", schemars(range(min = 0.0, max = 1.0)))]
    pub confidence: Option<f32>,
    /// What must hold just before the call.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub constraints: Vec<Constraint>,
    /// The caller's own name space; journaled, never judged.
    pub namespace: String,
}

impl IntentToken {
    /// A token of the current version with a fresh id and nothing optional set.
    #[must_use]
    #[expect(
        clippy::disallowed_methods,
        reason = "the one place of the core that draws an id"
    )]
    pub fn new(verb: Verb, object: Object, provenance: Provenance, namespace: String) -> Self {
        Self {
            schema: SCHEMA.to_owned(),
            id: Uuid::new_v4(),
            parent_id: None,
            verb,
            object,
            modifiers: BTreeMap::new(),
            required_capabilities: Vec::new(),
            provenance,
            confidence: None,
            constraints: Vec::new(),
            namespace,
        }
    }

    /// Reads and checks a token of at most [`MAX_TOKEN_BYTES`].
    ///
    /// # Errors
    /// As [`IntentToken::from_json_within`].
    pub fn from_json(text: &[u8]) -> Result<Self, IntentError> {
        Self::from_json_within(text, MAX_TOKEN_BYTES)
    }

    /// Reads and checks a token of at most `max_bytes`. The text goes through the strict reader,
    /// so what is judged is what the sender wrote.
    ///
    /// # Errors
    /// [`IntentError::Schema`] when the text is over the limit, has another version or breaks a
    /// rule of [`IntentToken::validate`]; [`IntentError::Serde`] when it is no token.
    pub fn from_json_within(text: &[u8], max_bytes: usize) -> Result<Self, IntentError> {
        if text.len() > max_bytes {
            return Err(too_large(Some(text.len()), max_bytes));
        }
        let value = parse_strict(text).map_err(<serde_json::Error as serde::de::Error>::custom)?;
        if let Some(Value::String(version)) = value.get("schema") {
            check_version(version)?;
        }
        // As written: the nearest `f32` of a number above 1 may be 1.
        check_confidence(value.get("confidence").and_then(Value::as_f64))?;
        let token: Self = serde_json::from_value(value)?;
        token.check_form()?;
        Ok(token)
    }

    /// Checks what the types cannot: version, verb parts, confidence, nesting, and that the token
    /// has at most [`MAX_TOKEN_BYTES`] when it is written.
    ///
    /// # Errors
    /// [`IntentError::Schema`] naming the rule that is broken.
    pub fn validate(&self) -> Result<(), IntentError> {
        self.validate_within(MAX_TOKEN_BYTES)
    }

    /// The same with another limit.
    ///
    /// # Errors
    /// As [`IntentToken::validate`].
    pub fn validate_within(&self, max_bytes: usize) -> Result<(), IntentError> {
        self.check_form()?;
        if size::fits(self, max_bytes) {
            Ok(())
        } else {
            Err(too_large(None, max_bytes))
        }
    }

    fn check_form(&self) -> Result<(), IntentError> {
        check_version(&self.schema)?;
        if self.verb.namespace.is_empty() || self.verb.action.is_empty() {
            return refuse("the verb needs both a namespace and an action");
        }
        check_confidence(self.confidence.map(f64::from))?;
        // A token holds the object's value and each modifier two levels down, a custom
        // constraint's arguments three.
        let args = self
            .constraints
            .iter()
            .filter_map(Constraint::args)
            .map(|args| (args, 3));
        let values = self
            .modifiers
            .values()
            .chain([&self.object.value])
            .map(|value| (value, 2));
        if values
            .chain(args)
            .any(|(value, above)| !crate::strict::fits(value, above))
        {
            return refuse("the token is nested deeper than 64 levels");
        }
        Ok(())
    }

    /// The free text that the token was made from, when known; for search only.
    #[must_use]
    pub fn surface_text(&self) -> Option<&str> {
        match &self.provenance {
            Provenance::User { raw_input, .. } => Some(raw_input),
            Provenance::Llm { raw_input, .. } | Provenance::Reflex { raw_input, .. } => {
                raw_input.as_deref()
            }
        }
    }
}

fn refuse(why: &str) -> Result<(), IntentError> {
    Err(IntentError::Schema(why.to_owned()))
}

fn too_large(size: Option<usize>, max_bytes: usize) -> IntentError {
    let size = size.map_or_else(|| "more".to_owned(), |size| size.to_string());
    IntentError::Schema(format!(
        "the token has {size} bytes, allowed are {max_bytes}"
    ))
}

fn check_confidence(confidence: Option<f64>) -> Result<(), IntentError> {
    if confidence.is_some_and(|sure| !(0.0..=1.0).contains(&sure)) {
        return refuse("the confidence must be a number from 0 to 1");
    }
    Ok(())
}

fn check_version(version: &str) -> Result<(), IntentError> {
    if version == SCHEMA {
        return Ok(());
    }
    let version = crate::names::shown(version);
    Err(IntentError::Schema(format!(
        "the token says `{version}`, known is `{SCHEMA}`"
    )))
}

/// What to do: an action within a namespace.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(
    feature = "schemars",
    derive(schemars::JsonSchema),
    schemars(!remote)
)]
#[serde(remote = "Self")]
pub struct Verb {
    /// The namespace, such as `fs`.
    #[serde(deserialize_with = "spelling::verb_part")]
    #[cfg_attr(feature = "schemars", schemars(length(min = 1)))]
    pub namespace: String,
    /// The action in it, such as `read`.
    #[serde(deserialize_with = "spelling::verb_part")]
    #[cfg_attr(feature = "schemars", schemars(length(min = 1)))]
    pub action: String,
}

impl Verb {
    /// A verb of these parts. Empty ones are refused where a token is read or validated.
    #[must_use]
    pub fn new(namespace: impl Into<String>, action: impl Into<String>) -> Self {
        Self {
            namespace: namespace.into(),
            action: action.into(),
        }
    }

    /// Both parts with a dot between, such as `fs.read`.
    #[must_use]
    pub fn dotted(&self) -> String {
        format!("{}.{}", self.namespace, self.action)
    }
}

/// On what: a kind and any value; `null` is a value, absence is none.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(
    feature = "schemars",
    derive(schemars::JsonSchema),
    schemars(!remote)
)]
#[serde(remote = "Self")]
pub struct Object {
    /// What the value is, such as `path`.
    pub kind: String,
    /// The value.
    pub value: Value,
}

/// Where a wish comes from. `user` is believed from an authenticated host only.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(
    feature = "schemars",
    derive(schemars::JsonSchema),
    schemars(!remote)
)]
#[serde(remote = "Self", tag = "source", rename_all = "snake_case")]
pub enum Provenance {
    /// A person said it.
    User {
        /// What the person wrote or said.
        raw_input: String,
        /// The surface it came through, such as `cli`.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        ui_origin: Option<String>,
        /// When.
        #[serde(deserialize_with = "spelling::time")]
        ts: DateTime<Utc>,
    },
    /// A model asked for it.
    Llm {
        /// The model's name.
        model: String,
        /// The id of the call that asked.
        call_id: String,
        /// The text that led to it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        raw_input: Option<String>,
        /// When.
        #[serde(deserialize_with = "spelling::time")]
        ts: DateTime<Utc>,
    },
    /// A standing order fired.
    Reflex {
        /// What fired it.
        trigger: String,
        /// The text that led to it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        raw_input: Option<String>,
        /// When.
        #[serde(deserialize_with = "spelling::time")]
        ts: DateTime<Utc>,
    },
}

/// A condition that is checked last, just before the warrant.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(
    feature = "schemars",
    derive(schemars::JsonSchema),
    schemars(!remote)
)]
#[serde(remote = "Self", tag = "op", rename_all = "snake_case")]
pub enum Constraint {
    /// The path exists.
    PathExists {
        /// The path.
        path: String,
    },
    /// The host accepts connections on the port.
    NetReachable {
        /// The host's name or address.
        host: String,
        /// The port.
        port: u16,
    },
    /// The environment variable is set.
    EnvSet {
        /// The variable's name.
        name: String,
    },
    /// A person is there to answer.
    UserPresent,
    /// A condition that the host defines.
    Custom {
        /// Its name.
        name: String,
        /// Its arguments.
        args: Value,
    },
}

impl Constraint {
    fn args(&self) -> Option<&Value> {
        match self {
            Self::Custom { args, .. } => Some(args),
            Self::PathExists { .. }
            | Self::NetReachable { .. }
            | Self::EnvSet { .. }
            | Self::UserPresent => None,
        }
    }
}
