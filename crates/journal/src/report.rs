//! What a verification found: every break with its place and kind, and what is proven of the end.

use crate::{Head, Stream};

/// The result of a verification.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Report {
    /// How many events were read.
    pub events: u64,
    /// The highest event's place and the hash it claims; `None` when there was no event.
    pub head: Option<Head>,
    /// The damage in the order it was found, at most [`Report::MAX_BREAKS`].
    pub breaks: Vec<Break>,
    /// How many more breaks there are.
    pub more_breaks: u64,
    /// A last line that was cut off while it was written; not counted as damage.
    pub tear: Option<Tear>,
    /// What is known of the end.
    pub end: EndProof,
}

impl Report {
    /// How many breaks are listed; further ones are counted.
    pub const MAX_BREAKS: usize = 1000;

    /// Whether no damage was found. It says nothing of the end: see [`Report::end`].
    #[must_use]
    pub fn is_intact(&self) -> bool {
        self.breaks.is_empty()
    }
}

/// One break of the chain.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Break {
    /// The event's `seq`; for a line that is no event, that of the last event before it.
    pub seq: u64,
    /// What is wrong.
    pub damage: Damage,
}

/// The kinds of damage.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Damage {
    /// The content does not have the hash that it claims.
    #[error("edited: its content does not have the hash that it claims")]
    Edited,
    /// The line says what the event's hash says, but with other blanks, escapes or order of keys.
    #[error("respelled: it means the same, but no journal writes it like this")]
    Respelled,
    /// The event has another hash than the event after it says.
    #[error("edited: the event after it was chained to another one")]
    Replaced,
    /// Events are missing, from this one on.
    #[error("missing: events {from} to {to} are not there")]
    Missing {
        /// The first that is missing.
        from: u64,
        /// The last that is missing.
        to: u64,
    },
    /// A second event with the same `seq`.
    #[error("inserted: there is more than one event with this number")]
    Inserted,
    /// It stands after an event with a higher `seq`.
    #[error("reordered: it stands after an event with a higher number")]
    Reordered,
    /// Its version does not follow the one before it in its stream.
    #[error("its version {found} in stream `{}` should be {expected}", stream.to_string().escape_default())]
    Version {
        /// The stream.
        stream: Stream,
        /// The version that would follow.
        expected: u64,
        /// The version it has.
        found: u64,
    },
    /// The first event does not open the journal, or a later one opens it again.
    #[error("it is no right opening: {why}")]
    Opening {
        /// What is wrong with it.
        why: &'static str,
    },
    /// The envelope has a version that this verifier does not know, so nothing in it can be relied on.
    #[error("it has the envelope version {v}, which this verifier does not know")]
    UnknownVersion {
        /// The version.
        v: u32,
    },
    /// A line of an export, or an entry of a store, that is no event.
    #[error("line {line} is no event: {why}")]
    Unreadable {
        /// The line, from 1; in a store the entry's `seq`.
        line: u64,
        /// What is wrong with it.
        why: String,
    },
    /// The export ends before the trusted head.
    #[error("truncated: it ends before event {trusted}, which the trusted head names")]
    Truncated {
        /// The trusted head's `seq`.
        trusted: u64,
    },
    /// The store ends before the trusted head: an older copy was put in its place.
    #[error("rolled back: it ends before event {trusted}, which the trusted head names")]
    RolledBack {
        /// The trusted head's `seq`.
        trusted: u64,
    },
    /// At the trusted head's place stands another event: the journal was rewritten.
    #[error("forked: another event than the trusted head's stands in this place")]
    Forked,
}

/// A last line without a line end that is no event: the mark of a crash while writing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Tear {
    /// The line, from 1.
    pub line: u64,
    /// Its length in bytes.
    pub bytes: u64,
}

/// What is known of the end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum EndProof {
    /// The last event is the trusted head: nothing is missing at the end.
    Proven,
    /// The trusted head was met at this `seq`, and more follows. Up to there all is proven, but
    /// later events may be missing.
    ProvenUpTo(u64),
    /// There is no trusted head, or it was not met: the end may be missing, or all may have been
    /// rewritten.
    NotProven,
}

impl std::fmt::Display for Report {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        for Break { seq, damage } in &self.breaks {
            writeln!(f, "event {seq}: {damage}")?;
        }
        if self.more_breaks > 0 {
            writeln!(f, "and {} more", self.more_breaks)?;
        }
        if let Some(Tear { line, bytes }) = self.tear {
            writeln!(
                f,
                "line {line} ({bytes} bytes) was torn off while it was written, and is set aside"
            )?;
        }
        match self.head {
            Some(Head { seq, hash }) => writeln!(f, "{} events, head {seq} {hash}", self.events)?,
            None => writeln!(f, "no events")?,
        }
        match self.end {
            EndProof::Proven => write!(f, "the end is proven by the trusted head"),
            EndProof::ProvenUpTo(seq) => {
                write!(f, "proven up to event {seq}; cannot prove the end after it")
            }
            EndProof::NotProven => write!(
                f,
                "cannot prove the end: compare with a head that is kept elsewhere"
            ),
        }
    }
}
