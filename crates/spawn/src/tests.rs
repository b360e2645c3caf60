//! Tests of the spawn tool: reading, preparing, and running real programs.
#![expect(
    clippy::wildcard_enum_match_arm,
    clippy::field_reassign_with_default,
    clippy::string_slice,
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "tests: any other outcome fails, settings are non-exhaustive for others, and what was not tested is said"
)]

mod bench;
mod binding;
mod confined;
mod differential;
mod elsewhere;
mod kept;
mod parse;
mod preparing;
mod running;
mod scripts;
mod stopping;
mod suggesting;
