//! The verifier: streams over events and finds every break of the chain.
//!
//! It trusts nothing but the head that the caller kept elsewhere. Without one it cannot know that
//! the end is there, nor that the whole was not rewritten, and the report says so. It needs no
//! store and keeps one number per stream.

use std::collections::HashMap;

use tipstaff_schema::Digest;

use crate::gaps::Gaps;
use crate::line::ascii;
use crate::seal::{render, root};
use crate::{
    Break, Damage, EVENT_VERSION, EndProof, Event, Head, Report, Stream, StreamKind, Tear, kinds,
};

/// Verifies events one by one.
#[derive(Debug)]
pub struct Verifier {
    source: Source,
    trusted: Option<Head>,
    trusted_met: bool,
    events: u64,
    last: Option<Last>,
    gaps: Gaps,
    versions: HashMap<Stream, u64>,
    /// An event was missing or doubled, so that versions may jump.
    disturbed: bool,
    breaks: Vec<Break>,
    more_breaks: u64,
    tear: Option<Tear>,
}

#[derive(Debug, Clone, Copy)]
enum Source {
    Export,
    Store,
}

/// The highest place so far, and the hashes of the events that claim it: more than one when one was inserted.
#[derive(Debug)]
struct Last {
    seq: u64,
    hash: Digest,
    others: Vec<Digest>,
}

impl Verifier {
    /// Verifies an export: what ends too early was truncated.
    #[must_use]
    pub fn of_export(trusted: Option<Head>) -> Self {
        Self::new(Source::Export, trusted)
    }

    /// Verifies a live store: what ends too early was rolled back to an older copy.
    #[must_use]
    pub fn of_store(trusted: Option<Head>) -> Self {
        Self::new(Source::Store, trusted)
    }

    fn new(source: Source, trusted: Option<Head>) -> Self {
        Self {
            source,
            trusted,
            trusted_met: false,
            events: 0,
            last: None,
            gaps: Gaps::default(),
            versions: HashMap::new(),
            disturbed: false,
            breaks: Vec::new(),
            more_breaks: 0,
            tear: None,
        }
    }

    fn found(&mut self, seq: u64, damage: Damage) {
        if self.breaks.len() < Report::MAX_BREAKS {
            self.breaks.push(Break { seq, damage });
        } else {
            self.more_breaks += 1;
        }
    }

    /// Checks the next event.
    pub fn push(&mut self, event: &Event) {
        self.check(event, render(event).map(|(_, hash)| hash));
    }

    /// Checks the next event and the line that it was read from.
    pub(crate) fn push_line(&mut self, event: &Event, line: &str) {
        let (text, hash) = render(event).unzip();
        if text.is_none_or(|text| ascii(text) != line) {
            self.found(event.seq, Damage::Respelled);
        }
        self.check(event, hash);
    }

    fn check(&mut self, event: &Event, hash: Option<Digest>) {
        self.events += 1;
        if hash != Some(event.hash) {
            self.found(event.seq, Damage::Edited);
        }
        self.check_content(event);
        self.check_place(event);
        if self.trusted.is_some_and(|head| head.seq == event.seq) {
            if self.trusted.is_some_and(|head| head.hash == event.hash) {
                self.trusted_met = true;
            } else {
                self.found(event.seq, Damage::Forked);
            }
        }
    }

    /// Notes a line or an entry that is no event.
    pub(crate) fn push_unreadable(&mut self, line: u64, why: String) {
        self.disturbed = true;
        self.found(
            self.last.as_ref().map_or(0, |last| last.seq),
            Damage::Unreadable { line, why },
        );
    }

    pub(crate) fn set_tear(&mut self, tear: Tear) {
        self.tear = Some(tear);
    }

    fn check_content(&mut self, event: &Event) {
        if event.v != EVENT_VERSION {
            self.found(event.seq, Damage::UnknownVersion { v: event.v });
        }
        if event.seq == 1 {
            if let Err(why) = right_opening(event) {
                self.found(1, Damage::Opening { why });
            }
        } else if event.kind == kinds::JOURNAL_OPENED {
            self.found(
                event.seq,
                Damage::Opening {
                    why: "the journal was opened before",
                },
            );
        }
    }

    /// Checks `seq`, `prev` and `version`: what the event says of its place.
    fn check_place(&mut self, event: &Event) {
        let Event {
            seq, prev, hash, ..
        } = *event;
        let last_seq = self.last.as_ref().map_or(0, |last| last.seq);
        if seq > last_seq {
            self.follow(seq, prev, hash);
            self.check_version(event);
        } else if let Some(late) = self.gaps.fill(seq, prev, hash) {
            self.found(seq, Damage::Reordered);
            if late.before_differs {
                self.found(seq - 1, Damage::Replaced);
            }
            if late.after_differs {
                self.found(seq, Damage::Replaced);
            }
        } else {
            self.disturbed = true;
            self.found(seq, Damage::Inserted);
            if let Some(last) = self.last.as_mut().filter(|last| last.seq == seq) {
                last.others.push(hash);
            }
        }
    }

    /// The event has the highest `seq` so far.
    fn follow(&mut self, seq: u64, prev: Digest, hash: Digest) {
        let before = self.last.replace(Last {
            seq,
            hash,
            others: Vec::new(),
        });
        let before_seq = before.as_ref().map_or(0, |last| last.seq);
        if seq - before_seq > 1 {
            self.disturbed = true;
            self.gaps
                .open(before_seq + 1, seq - 1, before.map(|last| last.hash), prev);
        } else if before.is_some_and(|last| last.hash != prev && !last.others.contains(&prev)) {
            self.found(before_seq, Damage::Replaced);
        }
    }

    fn check_version(&mut self, event: &Event) {
        let expected = self
            .versions
            .get(&event.stream)
            .map_or(1, |version| version.saturating_add(1));
        if event.version != expected && !(self.disturbed && event.version > expected) {
            let (stream, found) = (event.stream.clone(), event.version);
            self.found(
                event.seq,
                Damage::Version {
                    stream,
                    expected,
                    found,
                },
            );
        }
        self.versions.insert(event.stream.clone(), event.version);
    }

    /// Looks at what is missing, and reports.
    #[must_use]
    pub fn finish(mut self) -> Report {
        for (from, to) in std::mem::take(&mut self.gaps).missing() {
            self.found(from, Damage::Missing { from, to });
        }
        let last = self.last.as_ref().map_or(0, |last| last.seq);
        if let Some(Head { seq: trusted, .. }) = self.trusted.filter(|head| head.seq > last) {
            let damage = match self.source {
                Source::Export => Damage::Truncated { trusted },
                Source::Store => Damage::RolledBack { trusted },
            };
            self.found(last, damage);
        }
        let end = match self.trusted {
            Some(head) if self.trusted_met && head.seq == last => EndProof::Proven,
            Some(head) if self.trusted_met => EndProof::ProvenUpTo(head.seq),
            Some(_) | None => EndProof::NotProven,
        };
        Report {
            events: self.events,
            head: self.last.map(|last| Head {
                seq: last.seq,
                hash: last.hash,
            }),
            breaks: self.breaks,
            more_breaks: self.more_breaks,
            tear: self.tear,
            end,
        }
    }
}

/// What the first event must be.
fn right_opening(event: &Event) -> Result<(), &'static str> {
    let id = event.data.get("id").and_then(serde_json::Value::as_str);
    if event.kind != kinds::JOURNAL_OPENED {
        Err("the first event is not `journal.opened`")
    } else if event.stream.kind() != StreamKind::Journal || Some(event.stream.id()) != id {
        Err("its stream is not that of the journal it opens")
    } else if root(&event.data) != Some(event.prev) {
        Err("its `prev` is not the digest of the journal's id and time")
    } else {
        Ok(())
    }
}

/// Verifies events in the order they come, as those of an export.
pub fn verify<'a>(events: impl IntoIterator<Item = &'a Event>, trusted: Option<&Head>) -> Report {
    let mut verifier = Verifier::of_export(trusted.copied());
    events.into_iter().for_each(|event| verifier.push(event));
    verifier.finish()
}
