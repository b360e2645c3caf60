//! Accepting a tool without a call that asks for it: how a quarantine is lifted.
//!
//! Like the answer to a review, it names the digest that was looked at, and the journal knows of it
//! before the catalog does.

use std::sync::Arc;

use tipstaff_approval::ReviewAnswer;
use tipstaff_journal::AppendError;
use tipstaff_registry::{
    CatalogError, ProfilePatch, Standing, ToolEntry, ToolEvent, accepted_event,
};
use tipstaff_schema::{Digest, Person};

use crate::gate::Gate;
use crate::review::profile_of;
use crate::voids::{ACCEPTED_ANEW, Voids};

/// The roles of which one is needed.
const MAY_ACCEPT: [&str; 2] = ["approver", "operator"];
/// Two people can be equally fast; after this many tries the journal is called busy.
const MAX_TRIES: usize = 16;

/// Why a tool was not accepted. Nothing changed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum AcceptToolError {
    /// This person may not.
    #[error("`{person}` may not accept tools: that needs the role `approver` or `operator`")]
    Role {
        /// Who.
        person: String,
    },
    /// The tool is not there, changed since it was looked at, or can never be called.
    #[error(transparent)]
    Tool(#[from] CatalogError),
    /// It could not be written.
    #[error("the acceptance could not be written to the journal")]
    Journal(#[source] AppendError),
    /// It could not be put into an event.
    #[error("the acceptance of `{tool_id}` has no form that the journal takes")]
    Data {
        /// The tool.
        tool_id: String,
    },
}

impl Gate {
    /// Accepts a tool as it is offered now: pins it, lifts its quarantine, and says so in the journal.
    /// `pin` is the digest that the person was shown. Without a `review` the tool keeps what was
    /// decided of it when it was last accepted. What was accepted already stays as it is.
    ///
    /// The person must come from an authenticated session, never from a body.
    ///
    /// # Errors
    /// [`AcceptToolError`], in the order of its variants.
    pub async fn accept_tool(
        &self,
        tool_id: &str,
        pin: &Digest,
        review: Option<ReviewAnswer>,
        person: &Person,
    ) -> Result<Arc<ToolEntry>, AcceptToolError> {
        let roles = self.0.people.roles(person);
        if !roles.iter().any(|role| MAY_ACCEPT.contains(&role.as_str())) {
            let person = person.to_string();
            return Err(AcceptToolError::Role { person });
        }
        // From here to the catalog's acceptance no listing comes between.
        let _pinning = self.0.pinning.lock().await;
        let mut tries = 0;
        let profile = loop {
            let known = self.known(tool_id, pin);
            let profile = review.map(profile_of).or_else(|| known.profile.clone());
            let entry = self.0.catalog.can_accept(tool_id, pin, profile.as_ref())?;
            if known.accepted && review.is_none() {
                if self.is_callable(tool_id) {
                    return Ok(entry);
                }
                break profile; // Accepted at another gate over this journal.
            }
            let data = || AcceptToolError::Data {
                tool_id: tool_id.to_owned(),
            };
            let by = person.to_string();
            let event = accepted_event(&entry, profile.clone(), &by).ok_or_else(data)?;
            let ToolEvent { stream, kind, data } = event;
            let actor = format!("person:{person}");
            let Voids {
                mut expected,
                mut drafts,
            } = self.0.voids(tool_id, ACCEPTED_ANEW, &actor).await;
            expected.push((stream.clone(), known.version));
            drafts.push(self.0.draft(stream, kind, &actor, data));
            match self.0.append(&expected, drafts).await {
                Ok(_) => break profile,
                Err(AppendError::Conflict { .. }) if tries < MAX_TRIES => {
                    tries += 1;
                    self.0.after_conflict().await;
                }
                Err(error) => return Err(AcceptToolError::Journal(error)),
            }
        };
        let accepted = self.0.catalog.accept(tool_id, pin, profile.as_ref());
        self.0
            .listed
            .send_modify(|count| *count = count.wrapping_add(1));
        Ok(accepted?)
    }

    fn is_callable(&self, tool_id: &str) -> bool {
        let snapshot = self.0.catalog.snapshot();
        let entry = snapshot.by_id(tool_id);
        entry.is_some_and(|entry| entry.standing == Standing::Callable)
    }

    fn known(&self, tool_id: &str, pin: &Digest) -> Known {
        let state = self.0.state();
        let pinned = state.pins.get(tool_id);
        let quarantined = state.pins.quarantined_by(tool_id).is_some();
        Known {
            version: state.pins.version(tool_id),
            accepted: !quarantined && pinned.is_some_and(|pinned| pinned.pin == *pin),
            profile: pinned.and_then(|pinned| pinned.profile.clone()),
        }
    }
}

/// What the journal says of a tool.
struct Known {
    version: u64,
    /// This very definition is pinned and not in quarantine.
    accepted: bool,
    profile: Option<ProfilePatch>,
}
