//! What can go wrong with a journal, one enum per thing that can fail.

use uuid::Uuid;

use crate::Stream;

type Cause = Box<dyn std::error::Error + Send + Sync>;

/// Why a journal cannot be written or read just now.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum StorageFault {
    /// No room is left; works again when there is.
    #[error("the disk is full")]
    Full,
    /// The file or the journal was opened for reading only.
    #[error("it is read-only")]
    ReadOnly,
    /// Another process held the lock for longer than we wait.
    #[error("another process holds the lock")]
    Locked,
    /// What is stored does not make sense.
    #[error("it is corrupt")]
    Corrupt,
    /// A commit or a sync failed: what is on disk is unknown until the journal is opened again.
    #[error("a commit failed, it must be opened again")]
    Stopped,
    /// The journal was closed.
    #[error("it is closed")]
    Closed,
    /// Another error of input or output.
    #[error("input or output failed")]
    Io,
}

/// Why nothing was appended. In every case nothing of the append is in the journal, but for
/// [`Unavailable`](Self::Unavailable) with [`StorageFault::Stopped`], where only reopening tells.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum AppendError {
    /// A stream is not at the version that the caller expected.
    #[error("stream `{}` is at version {actual}, not {expected}", stream.to_string().escape_debug())]
    Conflict {
        /// The stream.
        stream: Stream,
        /// The version that the caller expected; 0 means an empty stream.
        expected: u64,
        /// The version it has.
        actual: u64,
    },
    /// A draft breaks a rule.
    #[error("draft {index} cannot be appended")]
    Invalid {
        /// Which of the drafts, from 0.
        index: usize,
        /// The rule it breaks.
        source: DraftError,
    },
    /// The journal cannot be written now.
    #[error("the journal cannot be written: {fault}")]
    Unavailable {
        /// The kind of fault.
        fault: StorageFault,
        /// What the storage said.
        source: Option<Cause>,
    },
}

/// The rule that a draft breaks.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum DraftError {
    /// An event with this id is already in the journal, or twice in the append.
    #[error("event id {id} is already in the journal")]
    DuplicateId {
        /// The id.
        id: Uuid,
    },
    /// The actor's length.
    #[error("the actor has {bytes} bytes: 1 to 256 are allowed")]
    Actor {
        /// Its length.
        bytes: usize,
    },
    /// The year does not have four digits.
    #[error("the time is outside the years 0 to 9999")]
    Time,
    /// The data is too large; cap its values first (`cap_value`).
    #[error(
        "the data has {bytes} bytes as canonical JSON: at most {max} are allowed, cap its values"
    )]
    TooLarge {
        /// Its length.
        bytes: usize,
        /// The cap.
        max: usize,
    },
    /// The data is nested too deeply to be read back.
    #[error("the data is nested more than {max} deep")]
    TooDeep {
        /// The cap.
        max: usize,
    },
    /// The data has no canonical form.
    #[error("the data has no canonical form: {why}")]
    NotCanonical {
        /// What the canonical writer said.
        why: String,
    },
    /// Only the journal itself writes `journal.opened`.
    #[error("`journal.opened` is written by the journal itself")]
    Reserved,
}

/// Why a journal could not be read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ReadJournalError {
    /// The storage cannot be read now.
    #[error("the journal cannot be read: {fault}")]
    Unavailable {
        /// The kind of fault.
        fault: StorageFault,
        /// What the storage said.
        source: Option<Cause>,
    },
    /// A stored event is no event, or does not agree with its index.
    #[error("event {seq} in the store is damaged: {why}")]
    Damaged {
        /// The place.
        seq: u64,
        /// What is wrong.
        why: String,
    },
}

/// Why a line of an export is no event.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LineError {
    /// Not JSON.
    #[error("the line is no JSON")]
    Json {
        /// What the reader said.
        source: Cause,
    },
    /// JSON, but no event: a field is missing, unknown or of the wrong form.
    #[error("the line is no event")]
    Event {
        /// Which field, and why.
        source: Cause,
    },
}
