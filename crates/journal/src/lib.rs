//! The journal: events, their chain, and the verifier.
#![doc = include_str!("../README.md")]
//!
//! Pure: ids, times and storage are the caller's. Signed checkpoints, redaction and keys are not
//! here yet.

pub mod conformance;
pub mod kinds;

mod cap;
mod error;
mod event;
mod export;
mod gaps;
mod journal;
mod kind;
mod line;
mod memory;
mod report;
mod seal;
mod stream;
mod subscribe;
mod verify;
mod wire;

pub use cap::{MAX_DATA_BYTES, cap_value};
pub use error::{AppendError, DraftError, LineError, ReadJournalError, StorageFault};
pub use event::{Draft, EVENT_VERSION, Event, Head, OpenedBy};
pub use export::verify_export;
pub use journal::{Appended, Filter, Journal, verify_journal};
pub use kind::{Kind, KindError};
pub use line::{from_line, to_line};
pub use memory::MemoryJournal;
pub use report::{Break, Damage, EndProof, Report, Tear};
pub use seal::{CheckedDraft, Sealed, check_drafts, check_expected, opening, seal};
pub use stream::{Stream, StreamError, StreamKind};
pub use subscribe::{Bell, Feed, Subscription};
pub use verify::{Verifier, verify};

#[cfg(test)]
mod tests;
