//! What every bench shares: reading data, timing, and telling the result with its machine.
#![expect(
    clippy::disallowed_methods,
    reason = "a measurement reads the clock, and its data from files"
)]

pub mod clock;
pub mod data;
pub mod dice;
pub mod machine;
#[cfg(feature = "policy")]
pub mod policy;
pub mod report;
