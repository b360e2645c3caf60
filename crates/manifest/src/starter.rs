//! Starter policies: whole manifests that come with the crate, with their tests inside.
//!
//! They are data files, `data/starters/NAME.yaml`, written for a person to read and change.

/// A starter policy.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Starter {
    /// Its name.
    pub name: &'static str,
    /// What it is for, in one sentence.
    pub purpose: &'static str,
    /// The manifest.
    pub text: &'static str,
}

impl Starter {
    /// All of them.
    pub const ALL: &[Self] = &[Self {
        name: "commands",
        purpose: "an agent that works in one repository: commands that only read run unasked",
        text: include_str!("../data/starters/commands.yaml"),
    }];

    /// The one of this name.
    #[must_use]
    pub fn named(name: &str) -> Option<&'static Self> {
        Self::ALL.iter().find(|starter| starter.name == name)
    }
}
