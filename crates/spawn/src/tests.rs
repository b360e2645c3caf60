//! Tests of the spawn tool: reading, preparing, and running real programs.
#![expect(
    clippy::wildcard_enum_match_arm,
    clippy::field_reassign_with_default,
    clippy::string_slice,
    reason = "tests: any other outcome fails, and settings are non-exhaustive for others"
)]

mod bench;
mod kept;
mod parse;
mod preparing;
mod running;
mod stopping;
