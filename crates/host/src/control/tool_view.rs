//! One tool as a running gate holds it, for those who review it.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use tipstaff_registry::{ProfilePatch, Standing, ToolEntry, tier_of};
use tipstaff_schema::Digest;
use tipstaff_schema::verbs::Tier;

/// One tool, as it is offered and governed now. Its definition is untrusted.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ToolView {
    /// The tool's id.
    pub tool_id: String,
    /// What rules call it.
    pub name: String,
    /// `callable`, `unreviewed`, `quarantined` or `refused`.
    pub standing: String,
    /// What is wrong, where something is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
    /// The digest of the definition on offer.
    pub pin: Digest,
    /// The definition on offer, as received.
    pub definition: Value,
    /// The digest of its server's identity and instructions; none for tools of ours.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub server_digest: Option<Digest>,
    /// All that governs it.
    pub profile: ProfilePatch,
    /// How strict its effect is to be taken.
    pub tier: Tier,
    /// What a reviewer should notice, a line each.
    pub findings: Vec<String>,
}

impl ToolView {
    /// The view of an entry of the catalog.
    #[must_use]
    pub fn of(entry: &ToolEntry) -> Self {
        let (standing, why) = match &entry.standing {
            Standing::Callable => ("callable", None),
            Standing::Unreviewed => ("unreviewed", None),
            Standing::Quarantined { why, .. } => ("quarantined", Some(why.clone())),
            Standing::Refused { why } => ("refused", Some(why.clone())),
        };
        Self {
            tool_id: entry.tool_id().to_owned(),
            name: entry.name.clone(),
            standing: standing.to_owned(),
            why,
            pin: entry.pin,
            definition: Value::clone(&entry.raw),
            server_digest: entry.server_digest,
            profile: ProfilePatch::from(&entry.profile),
            tier: tier_of(&entry.profile),
            findings: entry
                .findings()
                .into_iter()
                .map(|found| found.why)
                .collect(),
        }
    }
}
