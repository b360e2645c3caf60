//! What the checks must find and must leave alone, each on the smallest input.
//!
//! Running cargo is not tried here: `cargo xtask ci` does that every time.

mod controls;
mod layers;
mod tidy;
mod wire;
