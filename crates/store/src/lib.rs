//! Durable journals.
#![doc = include_str!("../README.md")]
//!
//! Knows events and files, nothing of approvals or policy: what the events mean is folded by the
//! crates that own them.

#[cfg(feature = "sqlite")]
mod sqlite;

#[cfg(feature = "sqlite")]
#[cfg_attr(docsrs, doc(cfg(feature = "sqlite")))]
pub use sqlite::{OpenJournalError, SqliteJournal};
pub use tipstaff_journal::OpenedBy;

#[cfg(test)]
mod tests;
