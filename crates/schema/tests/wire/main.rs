//! The wire of this crate, judged from outside: golden vectors by type and by schema, what every
//! type writes and reads back, and whether types and schemas agree on broken documents too.
//!
//! A vector is a promise: what is valid here was written by some program, and stays valid. The
//! two judges must agree, or the schema that we publish says something else than what we read.
#![expect(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "test binary"
)]
#![expect(clippy::disallowed_methods, reason = "the vectors are files")]

mod agreement;
mod any;
mod judges;
mod round_trip;
mod vectors;
