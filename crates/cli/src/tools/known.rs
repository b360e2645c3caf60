//! All that is known of one tool: by the journal, and by the gate that lists it, if one runs.

use std::path::Path;

use serde_json::Value;
use tipstaff_host::control::{Client, ControlReply, ControlRequest, ToolView};
use tipstaff_registry::{
    DefinitionDiff, PinState, Pins, ProfilePatch, ServerIdentity, findings_of, tier_of,
};
use tipstaff_schema::sanitization::sanitize_for_display;
use tipstaff_schema::verbs::Tier;
use tipstaff_schema::{Digest, HintsAsSaid};

use crate::approvals;
use crate::exit::{FAILED, Failure, USAGE};
use crate::{host, state};

/// What is offered as a tool now, as far as is known.
pub(super) struct OfferedNow {
    pub(super) pin: Digest,
    /// None where the journal holds only the digest, and no gate runs.
    pub(super) definition: Option<Value>,
    pub(super) server: Option<ServerIdentity>,
}

/// One tool.
pub(super) struct Known {
    pub(super) tool_id: String,
    pub(super) pins: Pins,
    /// The running gate that lists it, and what it says of it.
    pub(super) live: Option<(Client, ToolView)>,
}

impl Known {
    /// Finds a tool by its id, its name, or its own name on a server where only one has it.
    pub(super) async fn find(state: &Path, name: &str) -> Result<Self, Failure> {
        let has_journal = host::journal_file(state, None).exists();
        let pins = match has_journal {
            true => state::fold(state).await?.pins,
            false => Pins::default(),
        };
        let tool_id = resolve(&pins, name)?;
        let mut live = None;
        for mut client in approvals::gates(state).await? {
            let request = ControlRequest::Tool {
                tool_id: tool_id.clone(),
            };
            if let ControlReply::Tool { tool } = approvals::ask(&mut client, &request).await? {
                live = Some((client, *tool));
                break;
            }
        }
        let known = Self {
            tool_id,
            pins,
            live,
        };
        if known.live.is_none() && known.pinned().is_none() && known.offered().is_none() {
            let shown = sanitize_for_display(name);
            let message = format!(
                "no server has listed a tool `{shown}` with this state folder; see `tipstaff tools`"
            );
            return Err(Failure::new(FAILED, message));
        }
        Ok(known)
    }

    pub(super) fn pinned(&self) -> Option<&PinState> {
        self.pins.get(&self.tool_id)
    }

    pub(super) fn pinned_server(&self) -> Option<&ServerIdentity> {
        let digest = self.pinned()?.server_digest?;
        self.pins.server(&digest)
    }

    /// By the gate that lists it, else as the journal last saw it.
    pub(super) fn offered(&self) -> Option<OfferedNow> {
        let server = |digest: Option<Digest>| self.pins.server(&digest?).cloned();
        if let Some((_, tool)) = &self.live {
            return Some(OfferedNow {
                pin: tool.pin,
                definition: Some(tool.definition.clone()),
                server: server(tool.server_digest),
            });
        }
        let offered = self.pins.offered(&self.tool_id)?;
        Some(OfferedNow {
            pin: offered.pin,
            definition: offered.raw.as_deref().cloned(),
            server: server(offered.server_digest),
        })
    }

    /// `accepted`, `pinned`, `unreviewed`, `quarantined` or `refused`.
    pub(super) fn standing(&self) -> &str {
        match &self.live {
            Some((_, tool)) if tool.standing != "callable" => &tool.standing,
            Some(_) | None => standing(&self.pins, &self.tool_id),
        }
    }

    /// What differs between the pinned definition and the one on offer; none without both.
    pub(super) fn diff(&self) -> Option<DefinitionDiff> {
        let (pinned, offered) = (self.pinned()?, self.offered()?);
        let now = offered.definition?;
        Some(match (self.pinned_server(), &offered.server) {
            (Some(was_of), Some(now_of)) => {
                DefinitionDiff::with_servers((&pinned.raw, was_of), (&now, now_of))
            }
            (None, _) | (_, None) => DefinitionDiff::of(&pinned.raw, &now),
        })
    }

    /// What governs it: by the gate that lists it, else as it was accepted, without the manifest.
    pub(super) fn profile(&self) -> (ProfilePatch, Tier) {
        if let Some((_, tool)) = &self.live {
            return (tool.profile.clone(), tool.tier);
        }
        let offered = self.offered().and_then(|offered| offered.definition);
        let raw = offered.or_else(|| self.pinned().map(|pin| Value::clone(&pin.raw)));
        let annotations = raw.as_ref().and_then(|raw| raw.get("annotations"));
        let hints = HintsAsSaid::from_mcp(annotations.unwrap_or(&Value::Null));
        let own = self.tool_id.rsplit(':').next().unwrap_or_default();
        let accepted = self.pinned().and_then(|pin| pin.profile.clone());
        let profile = accepted
            .unwrap_or_default()
            .finish(&format!("mcp.{own}"), &hints);
        (ProfilePatch::from(&profile), tier_of(&profile))
    }

    /// What a reviewer should notice in what is on offer.
    pub(super) fn findings(&self) -> Vec<String> {
        if let Some((_, tool)) = &self.live {
            return tool.findings.clone();
        }
        let offered = self.offered().and_then(|offered| offered.definition);
        let found = offered.iter().flat_map(findings_of);
        found.map(|finding| finding.why).collect()
    }
}

/// How a tool stands by the journal.
pub(super) fn standing(pins: &Pins, tool_id: &str) -> &'static str {
    match (pins.quarantined_by(tool_id), pins.get(tool_id)) {
        (Some(_), _) => "quarantined",
        (None, Some(pin)) if pin.accepted_by.is_some() => "accepted",
        (None, Some(_)) => "pinned",
        (None, None) => "unreviewed",
    }
}

fn resolve(pins: &Pins, name: &str) -> Result<String, Failure> {
    if name.starts_with("mcp:") {
        return Ok(name.to_owned());
    }
    if name.contains(':') {
        return Ok(format!("mcp:{name}"));
    }
    let pinned = pins.iter().map(|(id, _)| id);
    let ids = pinned.chain(pins.unreviewed());
    let alike: Vec<&str> = ids
        .filter(|id| id.splitn(3, ':').nth(2) == Some(name))
        .collect();
    match alike.as_slice() {
        [] => Ok(name.to_owned()), // A tool of ours, or none.
        [one] => Ok((*one).to_owned()),
        several => {
            let names: Vec<String> = several.iter().map(|id| sanitize_for_display(id)).collect();
            let message = format!(
                "several servers have a tool of this name: say which, {}",
                names.join(" or ")
            );
            Err(Failure::new(USAGE, message))
        }
    }
}
