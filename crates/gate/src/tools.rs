//! The tools of mounted servers: taking in a listing, and who may see what.
//!
//! From the moment at which a server says that its tools changed, no call of that server is judged
//! on the old listing: it waits for the new one, within bounds.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::Value;
use tipstaff_journal::AppendError;
use tipstaff_policy::{Decision, Rule, Subject};
use tipstaff_registry::{Listing, PinMode, ServerIdentity, Standing, ToolChange, ToolEntry};
use tipstaff_schema::{Effect, ServerName};

use crate::gate::Gate;
use crate::ready::Ready;
use crate::voids::CHANGED;
use crate::{Refusal, Session, Stage};

/// Two gates can be equally fast; after this many tries the journal is called busy.
const MAX_TRIES: usize = 16;

/// How long a call waits for a server that is listing its tools anew.
const LISTING_WAIT: chrono::TimeDelta = chrono::TimeDelta::seconds(10);

impl Gate {
    /// Whether the tool is still what it was when the call was judged.
    pub(crate) fn still_listed(&self, ready: &Ready) -> bool {
        let snapshot = self.0.catalog.snapshot();
        let tool_id = ready.entry.tool_id();
        let now = snapshot.by_id(tool_id);
        now.is_some_and(|now| now.pin == ready.entry.pin && now.standing == ready.entry.standing)
            && !self.held(tool_id)
    }

    /// Whether the journal holds the tool in quarantine, be it that another gate put it there.
    pub(crate) fn held(&self, tool_id: &str) -> bool {
        self.0.state().pins.quarantined_by(tool_id).is_some()
    }

    /// Takes in the whole listing of a server: all pages, each entry as received. What changed is in
    /// the journal before any call of that server is judged again.
    ///
    /// # Errors
    /// [`AppendError`] when the changes cannot be written; calls of the server stay refused until a
    /// listing is taken in whole.
    pub async fn offer_tools(
        &self,
        server: &ServerName,
        identity: &ServerIdentity,
        entries: &[Value],
        mode: PinMode,
    ) -> Result<Listing, AppendError> {
        self.listing_changed(server);
        let _pinning = self.0.pinning.lock().await;
        let said = self.0.stale.borrow().get(server).copied();
        let actor = format!("server:{server}");
        let mut tries = 0;
        let listing = loop {
            let pins = self.0.state().pins.clone();
            let listing = self.0.catalog.offer(server, identity, entries, &pins, mode);
            let events = || listing.changes.iter().filter_map(|c| Some((c, c.event()?)));
            // Of two gates over one journal only one pins, lists first or quarantines; the other
            // looks again at what the first one wrote.
            let mut expected: Vec<_> = events()
                .filter(|(change, _)| change.is_first())
                .map(|(_, event)| (event.stream.clone(), pins.version(event.stream.id())))
                .collect();
            let mut drafts: Vec<_> = events()
                .map(|(_, event)| self.0.draft(event.stream, event.kind, &actor, event.data))
                .collect();
            for (change, _) in events() {
                if let ToolChange::Quarantined { tool_id, .. } = change {
                    let voids = self.0.voids(tool_id, CHANGED, &actor).await;
                    expected.extend(voids.expected);
                    drafts.extend(voids.drafts);
                }
            }
            if drafts.is_empty() {
                break listing;
            }
            match self.0.append(&expected, drafts).await {
                Ok(_) => break listing,
                Err(AppendError::Conflict { .. }) if tries < MAX_TRIES => {
                    tries += 1;
                    self.0.catalog.withdraw(server);
                    self.0.after_conflict().await;
                }
                Err(error) => {
                    self.0.catalog.withdraw(server);
                    return Err(error);
                }
            }
        };
        // A change that was announced meanwhile needs a listing of its own.
        self.0.stale.send_modify(|stale| {
            if stale.get(server).copied() == said {
                stale.remove(server);
            }
        });
        self.0
            .listed
            .send_modify(|count| *count = count.wrapping_add(1));
        Ok(listing)
    }

    /// Says that a server's listing is no longer what it was. Calls wait until it was offered anew.
    pub fn listing_changed(&self, server: &ServerName) {
        self.0.stale.send_modify(|stale| {
            let said = stale.entry(server.clone()).or_default();
            *said = said.wrapping_add(1);
        });
    }

    /// Waits until the listing of the tool's server is current.
    pub(crate) async fn settled(&self, tool: &str) -> Result<(), Refusal> {
        let name = tool.strip_prefix("mcp:").unwrap_or(tool);
        let Some((server, _)) = name.split_once(':') else {
            return Ok(());
        };
        let mut stale = self.0.stale.subscribe();
        if !is_stale(&stale.borrow_and_update(), server) {
            return Ok(());
        }
        let until = self.0.now() + LISTING_WAIT;
        tokio::select! {
            current = stale.wait_for(|stale| !is_stale(stale, server)) => {
                current.map(|_| ()).map_err(|_| Refusal::retry(Stage::Lookup, "the gate is closing"))
            }
            () = self.0.clock.sleep_until(until) => {
                Err(Refusal::retry(Stage::Lookup, "the server's tools changed and it has not listed them again"))
            }
        }
    }

    /// The tools that policy could allow or ask for this caller, by id; quarantined, refused and
    /// locked ones are not among them, unreviewed ones are.
    #[must_use]
    pub fn visible_tools(&self, session: &Session) -> Vec<Arc<ToolEntry>> {
        let policy = self.0.policy.load();
        let now = self.0.now();
        let snapshot = self.0.catalog.snapshot();
        let visible = snapshot.iter().filter(|entry| match &entry.standing {
            Standing::Quarantined { .. } | Standing::Refused { .. } => false,
            Standing::Callable | Standing::Unreviewed => {
                let request = tipstaff_policy::Request {
                    agent: &session.agent,
                    parents: &session.parents,
                    root: self.facts(session).and_then(|facts| facts.root.as_deref()),
                    capability: &entry.name,
                    tool_id: entry.tool_id(),
                    profile: &entry.profile,
                    action: &entry.profile.action,
                    subject: Subject::None,
                    params: &Value::Null,
                    cwd: None,
                    placement: None,
                    at: now,
                };
                !entry.profile.locked && !always_denied(&policy.decide(&request))
            }
        });
        visible.cloned().collect()
    }
}

fn is_stale(stale: &BTreeMap<ServerName, u64>, server: &str) -> bool {
    stale.keys().any(|name| name.as_str() == server)
}

/// Whether the deny holds whatever the arguments and the time are.
fn always_denied(decision: &Decision) -> bool {
    let lasting =
        |rule: &Rule| rule.hours().is_none() && rule.when().is_empty() && rule.until().is_none();
    decision.effect == Effect::Deny
        && decision
            .rule()
            .is_some_and(|rule| lasting(rule) && !rule.overridable())
}
