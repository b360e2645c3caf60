//! What an engine has to do to stand in the table.

use anyhow::Result;

use super::core::{Asked, Plain};

/// An engine that can say the common core.
pub trait Peer: Sized {
    /// Its name in the table.
    const NAME: &'static str;
    /// What of our rules it cannot say by itself; empty for ours.
    const LEFT_OUT: &'static str;
    /// The rules as its users write them.
    type Written;
    /// A request in its own form.
    type Request;

    /// Writes the rules down; not timed.
    fn write(rules: &[Plain]) -> Self::Written;

    /// Makes them ready to decide: what is called set-up.
    ///
    /// # Errors
    /// It does not take the rules.
    fn build(written: Self::Written) -> Result<Self>;

    /// Writes a request down; not timed.
    ///
    /// # Errors
    /// It does not take it.
    fn request(asked: &Asked) -> Result<Self::Request>;

    /// Decides: whether the request is allowed.
    fn allows(&mut self, request: &Self::Request) -> bool;
}
