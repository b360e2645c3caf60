//! All tools there are, for many readers and few writers.
//!
//! Readers load one snapshot and hold no lock; writers build the next one and swap it in, again if
//! another was faster. Journals nothing: it says what changed, and the gate tells the journal.

use std::collections::HashMap;
use std::sync::Arc;

use arc_swap::ArcSwap;
use async_trait::async_trait;
use serde_json::Value;
use tipstaff_schema::{
    Digest, IntentError, Profile, ServerName, Snapshot, ToolDescriptor, ToolRegistry,
};

use crate::capability::CapabilityRegistry;
use crate::change::Listing;
use crate::entry::{Standing, ToolEntry};
use crate::error::CatalogError;
use crate::native::{self, NativeTool};
use crate::offer::{Offer, PinMode};
use crate::pin::ServerIdentity;
use crate::pins::Pins;
use crate::profile::ProfileBook;
use crate::raw_tool;
use crate::shadow::skeleton_of;
use crate::show;
use crate::snapshot::CatalogSnapshot;
use crate::wire::ProfilePatch;

/// The catalog. Share it as an `Arc`.
#[derive(Debug, Default)]
pub struct Catalog {
    current: ArcSwap<CatalogSnapshot>,
}

type Entries = Vec<Arc<ToolEntry>>;

/// What to do with an id that is there with another definition.
#[derive(Clone, Copy)]
enum Taken {
    Refuse,
    Replace,
}

impl Catalog {
    /// An empty catalog whose tools get their profiles from the book.
    #[must_use]
    pub fn new(book: ProfileBook) -> Self {
        Self {
            current: ArcSwap::from_pointee(CatalogSnapshot::new(book)),
        }
    }

    /// A catalog that begins with the capabilities of code.
    ///
    /// # Errors
    /// As [`Catalog::add_native`], for the first that cannot be added.
    pub fn with_capabilities(
        book: ProfileBook,
        capabilities: &CapabilityRegistry,
    ) -> Result<Self, CatalogError> {
        let mut entries = Entries::new();
        let mut names: HashMap<String, Arc<ToolEntry>> = HashMap::new();
        for capability in capabilities.iter() {
            let entry = Arc::new(native::entry_of(capability.clone())?);
            if let Some(other) = names.insert(skeleton_of(&entry.name), Arc::clone(&entry)) {
                return Err(CatalogError::Conflict {
                    tool_id: show::name(entry.tool_id()),
                    other: show::name(other.tool_id()),
                    why: "one name passes for the other",
                });
            }
            entries.push(entry);
        }
        let first = CatalogSnapshot::new(book).next(entries);
        Ok(Self {
            current: ArcSwap::from_pointee(first),
        })
    }

    /// The tools at this moment: one atomic load, no lock, nothing cloned.
    #[must_use]
    pub fn snapshot(&self) -> Arc<CatalogSnapshot> {
        self.current.load_full()
    }

    /// Adds a tool of ours. The same definition again changes nothing.
    ///
    /// # Errors
    /// [`CatalogError::Conflict`] when the id is there with another definition, or its name passes
    /// for another's; [`CatalogError::Refused`] for an id that servers use; [`CatalogError::Schema`]
    /// when its schema cannot be used.
    pub fn add_native(&self, tool: NativeTool) -> Result<(), CatalogError> {
        self.put(tool, Taken::Refuse)
    }

    /// Puts a tool of ours in place of the one that has its id, in one step: no reader finds neither.
    /// Adds it where there is none.
    ///
    /// # Errors
    /// As [`Catalog::add_native`], but for another definition under the same id.
    pub fn replace_native(&self, tool: NativeTool) -> Result<(), CatalogError> {
        self.put(tool, Taken::Replace)
    }

    fn put(&self, tool: NativeTool, taken: Taken) -> Result<(), CatalogError> {
        let new = Arc::new(native::entry_of(tool)?);
        let skeleton = skeleton_of(&new.name);
        self.edit(|now| {
            let conflict = |other: &ToolEntry, why| {
                Err(CatalogError::Conflict {
                    tool_id: show::name(new.tool_id()),
                    other: show::name(other.tool_id()),
                    why,
                })
            };
            if let Some(there) = now.by_id(new.tool_id()) {
                if there.pin == new.pin && there.profile == new.profile {
                    return Ok((None, ()));
                }
                return match taken {
                    Taken::Refuse => conflict(there, "the same id with another definition"),
                    Taken::Replace => Ok((Some(with(now, Arc::clone(&new))), ())),
                };
            }
            if let Some(other) = now.passing_for(&skeleton).next() {
                return conflict(other, "one name passes for the other");
            }
            Ok((Some(with(now, Arc::clone(&new))), ()))
        })
    }

    /// Puts a whole listing of one server in place of its last one, and says what changed.
    ///
    /// The caller journals every change that has an event, and applies it to the pins, before it
    /// answers anything; should that fail, [`Catalog::withdraw`] takes the server's tools away again.
    pub fn offer(
        &self,
        server: &ServerName,
        identity: &ServerIdentity,
        raw: &[Value],
        pins: &Pins,
        mode: PinMode,
    ) -> Listing {
        loop {
            let now = self.current.load_full();
            let judged = Offer {
                server,
                identity,
                raw,
                pins,
                mode,
                now: &now,
            }
            .judge();
            let others = now
                .iter()
                .filter(|entry| entry.server.as_ref() != Some(server))
                .cloned();
            let mut next = now.next(
                others
                    .chain(judged.entries.into_iter().map(Arc::new))
                    .collect(),
            );
            next.listed.extend(judged.listed);
            if Arc::ptr_eq(&self.current.compare_and_swap(&now, Arc::new(next)), &now) {
                return Listing {
                    changes: judged.changes,
                };
            }
        }
    }

    /// Takes all tools of a server away: it is gone, its list is no longer true, or the journal does
    /// not hold what it listed. Pins stay; what only this catalog knew of its listings does not.
    pub fn withdraw(&self, server: &ServerName) {
        let left = |now: &CatalogSnapshot| {
            now.iter()
                .filter(|entry| entry.server.as_ref() != Some(server))
                .cloned()
                .collect()
        };
        loop {
            let now = self.current.load_full();
            let mut next = now.next(left(&now));
            next.listed.retain(|(of, _)| of != server);
            if Arc::ptr_eq(&self.current.compare_and_swap(&now, Arc::new(next)), &now) {
                return;
            }
        }
    }

    /// The tool as it would be after [`Catalog::accept`]; changes nothing.
    ///
    /// # Errors
    /// As [`Catalog::accept`].
    pub fn can_accept(
        &self,
        tool_id: &str,
        pin: &Digest,
        profile: Option<&ProfilePatch>,
    ) -> Result<Arc<ToolEntry>, CatalogError> {
        acceptable(&self.current.load(), tool_id, pin, profile).map(Arc::new)
    }

    /// Makes a tool callable as it is now: `pin` is the digest that was looked at, `profile` what
    /// was decided of it. Lifts a quarantine. The caller journals `tool.accepted` first.
    ///
    /// # Errors
    /// [`CatalogError::Unknown`]; [`CatalogError::Changed`] when its definition is another by now;
    /// [`CatalogError::Refused`] when it can never be called.
    pub fn accept(
        &self,
        tool_id: &str,
        pin: &Digest,
        profile: Option<&ProfilePatch>,
    ) -> Result<Arc<ToolEntry>, CatalogError> {
        self.edit(|now| {
            let entry = Arc::new(acceptable(now, tool_id, pin, profile)?);
            Ok((Some(with(now, Arc::clone(&entry))), entry))
        })
    }

    /// Puts a tool in quarantine for a reason of the caller's. Only ever makes things stricter.
    ///
    /// # Errors
    /// [`CatalogError::Unknown`].
    pub fn quarantine(&self, tool_id: &str, why: &str) -> Result<(), CatalogError> {
        self.edit(|now| {
            let there = found(now, tool_id)?;
            let standing = match &there.standing {
                Standing::Callable => Standing::Quarantined {
                    why: why.to_owned(),
                    pinned: Some(there.pin),
                },
                Standing::Unreviewed => Standing::Quarantined {
                    why: why.to_owned(),
                    pinned: None,
                },
                Standing::Quarantined { .. } | Standing::Refused { .. } => return Ok((None, ())),
            };
            let entry = ToolEntry {
                standing,
                ..ToolEntry::clone(there)
            };
            Ok((Some(with(now, Arc::new(entry))), ()))
        })
    }

    /// Takes another profile book, as after a reload: the profiles of all tools of servers are
    /// worked out anew. Tools of ours keep theirs.
    pub fn set_book(&self, book: ProfileBook) {
        let book = Arc::new(book);
        loop {
            let now = self.current.load_full();
            let resolved = now.iter().map(|there| {
                let mut entry = ToolEntry::clone(there);
                resolve(&mut entry, &book);
                Arc::new(entry)
            });
            let mut next = now.next(resolved.collect());
            next.book = Arc::clone(&book);
            if Arc::ptr_eq(&self.current.compare_and_swap(&now, Arc::new(next)), &now) {
                return;
            }
        }
    }

    /// Swaps in the next snapshot; begins again if another writer was faster. `None` changes nothing.
    fn edit<T>(
        &self,
        change: impl Fn(&CatalogSnapshot) -> Result<(Option<Entries>, T), CatalogError>,
    ) -> Result<T, CatalogError> {
        loop {
            let now = self.current.load_full();
            let (entries, told) = change(&now)?;
            let Some(entries) = entries else {
                return Ok(told);
            };
            let next = Arc::new(now.next(entries));
            if Arc::ptr_eq(&self.current.compare_and_swap(&now, next), &now) {
                return Ok(told);
            }
        }
    }
}

/// A tool as it is once it was accepted.
fn acceptable(
    now: &CatalogSnapshot,
    tool_id: &str,
    pin: &Digest,
    profile: Option<&ProfilePatch>,
) -> Result<ToolEntry, CatalogError> {
    let there = found(now, tool_id)?;
    if there.pin != *pin {
        return Err(CatalogError::Changed {
            tool_id: show::name(tool_id),
            reviewed: *pin,
            offered: there.pin,
        });
    }
    let mut entry = ToolEntry {
        accepted: profile.cloned(),
        ..ToolEntry::clone(there)
    };
    resolve(&mut entry, &now.book);
    match (&entry.standing, &entry.validator) {
        (Standing::Refused { why }, _) | (_, Err(why)) => {
            return Err(CatalogError::Refused {
                tool_id: show::name(tool_id),
                why: why.clone(),
            });
        }
        (Standing::Callable | Standing::Unreviewed | Standing::Quarantined { .. }, Ok(_)) => {}
    }
    entry.standing = Standing::Callable;
    Ok(entry)
}

fn found<'a>(now: &'a CatalogSnapshot, tool_id: &str) -> Result<&'a Arc<ToolEntry>, CatalogError> {
    now.by_id(tool_id).ok_or_else(|| CatalogError::Unknown {
        tool_id: show::name(tool_id),
    })
}

/// All tools, this one in place of the one that has its id.
fn with(now: &CatalogSnapshot, entry: Arc<ToolEntry>) -> Entries {
    let mut entries = without(now, entry.tool_id());
    entries.push(entry);
    entries
}

fn without(now: &CatalogSnapshot, tool_id: &str) -> Entries {
    now.iter()
        .filter(|other| other.tool_id() != tool_id)
        .cloned()
        .collect()
}

/// Works out profile and validator of a server's tool; one that can no longer be checked is refused
/// by its validator, whatever its standing.
fn resolve(entry: &mut ToolEntry, book: &ProfileBook) {
    if entry.server.is_some() {
        let patch = book.patch(&entry.name, entry.accepted.as_ref());
        entry.profile = patch.finish(&entry.descriptor.verb.dotted(), &entry.hints);
        entry.validator = raw_tool::validator_of(&entry.raw, &patch);
    }
}

fn as_intent_error(error: &CatalogError) -> IntentError {
    match error {
        CatalogError::Conflict { .. }
        | CatalogError::Changed { .. }
        | CatalogError::Refused { .. } => IntentError::Conflict(error.to_string()),
        CatalogError::Unknown { tool_id } => IntentError::UnknownTool(tool_id.clone()),
        CatalogError::Schema { source, .. } => IntentError::Schema(format!("{error}: {source}")),
        CatalogError::Canonical { source, .. } => IntentError::Schema(format!("{error}: {source}")),
    }
}

/// The wire's view: tools of ours come and go by it, with the profile of an unknown tool; tools of
/// servers come by their listing only, since nothing else can pin them.
#[async_trait]
impl ToolRegistry for Catalog {
    async fn register(&self, tool: ToolDescriptor) -> Result<(), IntentError> {
        if let Some(there) = self.snapshot().by_id(&tool.tool_id) {
            // Compared by definition: who registered it first may have given it a better profile.
            let same = *there.descriptor == tool;
            return if same {
                Ok(())
            } else {
                Err(crate::memory::conflict(&there.descriptor, &tool))
            };
        }
        let profile = Profile::unknown(tool.verb.dotted());
        self.add_native(NativeTool {
            descriptor: tool,
            profile,
        })
        .map_err(|error| as_intent_error(&error))
    }

    async fn replace(&self, tool: ToolDescriptor) -> Result<(), IntentError> {
        let mut profile = Profile::unknown(tool.verb.dotted());
        if let Some(there) = self.snapshot().by_id(&tool.tool_id) {
            if there.descriptor.verb == tool.verb {
                profile = there.profile.clone();
            }
            profile.locked |= there.profile.locked;
        }
        self.replace_native(NativeTool {
            descriptor: tool,
            profile,
        })
        .map_err(|error| as_intent_error(&error))
    }

    async fn deregister(&self, tool_id: &str) -> Result<(), IntentError> {
        self.edit(|now| {
            found(now, tool_id)?;
            Ok((Some(without(now, tool_id)), ()))
        })
        .map_err(|error| as_intent_error(&error))
    }

    async fn list(&self) -> Vec<ToolDescriptor> {
        self.current
            .load()
            .iter()
            .map(|entry| ToolDescriptor::clone(&entry.descriptor))
            .collect()
    }

    async fn get(&self, tool_id: &str) -> Option<ToolDescriptor> {
        self.current
            .load()
            .by_id(tool_id)
            .map(|entry| ToolDescriptor::clone(&entry.descriptor))
    }

    fn snapshot(&self) -> Arc<Snapshot> {
        self.current.load().wire()
    }
}
