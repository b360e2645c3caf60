//! The pin: one digest over everything that a tool's definition can bring into a model's view.
//!
//! Over the raw entry as received, never over our own types: a key that we do not know yet can
//! carry an attack too. The order of keys changes nothing; every other difference does.

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use tipstaff_schema::one_form;
use tipstaff_schema::{CanonError, Digest, Domain};

one_form!(ServerIdentity);

/// Most bytes of a server's instructions that the journal keeps.
const MAX_INSTRUCTIONS: usize = 64 << 10;

/// What makes a server the one that was looked at. Values of environment variables stay out: they
/// are secrets, and change without changing the server.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(
    feature = "schemars",
    derive(schemars::JsonSchema),
    schemars(!remote)
)]
#[serde(remote = "Self", default, deny_unknown_fields)]
pub struct ServerIdentity {
    /// The program of a stdio server.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub command: Option<String>,
    /// Its arguments, secrets as references.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub args: Vec<String>,
    /// The folder it is started in.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cwd: Option<String>,
    /// The names of the variables it is given; their order does not count.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub env_names: Vec<String>,
    /// The address of an HTTP server.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
    /// The instructions that it sends to models.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub instructions: Option<String>,
}

impl ServerIdentity {
    fn to_value(&self) -> Value {
        let mut env_names: Vec<&str> = self.env_names.iter().map(String::as_str).collect();
        env_names.sort_unstable();
        env_names.dedup();
        json!({
            "command": self.command, "args": self.args, "cwd": self.cwd, "env_names": env_names, "url": self.url,
        })
    }

    /// The digest of all of it, the instructions too: by it events name what offered a tool.
    ///
    /// # Errors
    /// [`CanonError`] when a text has no canonical form.
    pub fn whole_digest(&self) -> Result<Digest, CanonError> {
        let whole = json!({ "server": self.to_value(), "instructions": self.instructions });
        Digest::of(Domain::Tool, &whole)
    }

    /// As it is compared: what is not there has no key.
    pub(crate) fn shown(&self) -> Value {
        serde_json::to_value(self).unwrap_or_default()
    }

    /// As the journal keeps it: instructions that would not fit an event are cut. Digests are over
    /// the whole ones, so that a change behind the cut is noticed all the same.
    pub(crate) fn for_journal(&self) -> Self {
        let mut kept = self.clone();
        if let Some(text) = &mut kept.instructions
            && text.len() > MAX_INSTRUCTIONS
        {
            text.truncate(text.floor_char_boundary(MAX_INSTRUCTIONS));
            text.push('…');
        }
        kept
    }

    /// The digest of what the operator configured: all but the instructions, which the server says.
    ///
    /// # Errors
    /// [`CanonError`] when a text has no canonical form.
    pub fn digest(&self) -> Result<Digest, CanonError> {
        Digest::of(Domain::Tool, &json!({ "server": self.to_value() }))
    }
}

/// The pin of a tool of a server: `raw` is its `tools/list` entry as received.
///
/// # Errors
/// [`CanonError`] when the entry has no canonical form, such as a number that is not held exactly.
pub fn pin(tool_id: &str, raw: &Value, identity: &ServerIdentity) -> Result<Digest, CanonError> {
    let whole = json!({
        "tool_id": tool_id,
        "raw": raw,
        "server": identity.to_value(),
        "instructions": identity.instructions,
    });
    Digest::of(Domain::Tool, &whole)
}

/// The digest of a `tools/list` entry by itself: the same on every machine that was listed the same,
/// whatever the server is called there and however it is started. No pin: that covers more.
///
/// # Errors
/// As [`pin`].
pub fn entry_digest(raw: &Value) -> Result<Digest, CanonError> {
    Digest::of(Domain::Tool, &json!({ "entry": raw }))
}

/// The pin of a tool of ours: its descriptor, as the wire writes it, has no server behind it.
pub(crate) fn native_pin(tool_id: &str, descriptor: &Value) -> Result<Digest, CanonError> {
    Digest::of(
        Domain::Tool,
        &json!({ "tool_id": tool_id, "descriptor": descriptor }),
    )
}
