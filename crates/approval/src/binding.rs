//! What an approval is bound to: every fact that changes what will run.
//!
//! Of a command's files its programs and the scripts it names are part of it, the content of others
//! is not; previews of commands say so.
//! Neither are the caller's own deadline and idempotency key.

use std::collections::BTreeMap;
use std::time::Duration;

use serde_json::{Value, json};
use tipstaff_resource::Resource;
use tipstaff_schema::{AgentId, CanonError, Digest, Domain, Placement};

/// One exact request. Two that differ in a single byte have different digests.
#[derive(Debug, Clone, Copy)]
pub struct Binding<'a> {
    /// Who calls.
    pub agent: &'a AgentId,
    /// The tool's id.
    pub tool_id: &'a str,
    /// The pin of the tool's definition.
    pub pin: &'a Digest,
    /// The action label that policy judged.
    pub action: &'a str,
    /// What the call acts on, in the order in which it was derived.
    pub resources: &'a [Resource],
    /// The file that a command's program resolved to; `None` where no command runs.
    pub program: Option<&'a str>,
    /// The files that a command starts or may run as a script, each with what tells its content from
    /// another; empty where no command runs.
    pub files: &'a BTreeMap<String, String>,
    /// Where it runs; `None` where the tool knows no placements.
    pub placement: Option<&'a Placement>,
    /// The working folder; `None` where there is none.
    pub cwd: Option<&'a str>,
    /// What is added to the environment.
    pub env: &'a BTreeMap<String, String>,
    /// The profile's time limit.
    pub timeout: Duration,
    /// The parameters as they will be sent, canonical spellings written back.
    pub params: &'a Value,
}

impl Binding<'_> {
    /// The version of this list of fields. It is part of the digest.
    pub const VERSION: u32 = 1;

    /// The request digest.
    ///
    /// # Errors
    /// [`CanonError`] when a value has no canonical form; such a call cannot be approved.
    pub fn digest(&self) -> Result<Digest, CanonError> {
        self.digest_as(Self::VERSION)
    }

    pub(crate) fn digest_as(&self, version: u32) -> Result<Digest, CanonError> {
        let resources: Vec<Value> = self
            .resources
            .iter()
            .map(|r| json!({ "kind": r.kind(), "value": r.value(), "access": r.access() }))
            .collect();
        // Absent facts are written as null, so that absence and emptiness differ.
        let document = json!({
            "version": version,
            "agent": self.agent,
            "tool_id": self.tool_id,
            "pin": self.pin,
            "action": self.action,
            "resources": resources,
            "program": self.program,
            "files": self.files,
            "placement": self.placement,
            "cwd": self.cwd,
            "env": self.env,
            "timeout": [self.timeout.as_secs(), u64::from(self.timeout.subsec_nanos())],
            "params": self.params,
        });
        Digest::of(Domain::Request, &document)
    }
}
