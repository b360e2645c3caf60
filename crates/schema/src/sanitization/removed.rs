//! What a cleaning took out, counted by sort: what a reader is told of a text that hides something.
//!
//! Counts, not places: where in a tool's text something hides is told by the registry's findings.

/// The sorts of characters that cleaning removes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Hidden {
    /// Controls outside sequences, all but newline and tab.
    Control,
    /// What belongs to a terminal's sequences, their payload included.
    Sequence,
    /// Marks that change the direction of text.
    Direction,
    /// Characters without width: spaces, joiners that join nothing, the byte order mark.
    ZeroWidth,
    /// Variation selectors in runs, or on what has no variants.
    Selector,
    /// Tags: an invisible copy of ASCII.
    Tag,
    /// Other characters that show nothing: anchors, fillers, soft hyphens.
    Format,
    /// Private-use characters: what they show is nobody's agreement.
    PrivateUse,
    /// Code points to which Unicode has given no character.
    Unassigned,
}

impl Hidden {
    /// Every sort, in their order.
    pub const ALL: [Self; 9] = [
        Self::Control,
        Self::Sequence,
        Self::Direction,
        Self::ZeroWidth,
        Self::Selector,
        Self::Tag,
        Self::Format,
        Self::PrivateUse,
        Self::Unassigned,
    ];

    /// Its name, such as `zero_width`.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Control => "control",
            Self::Sequence => "sequence",
            Self::Direction => "direction",
            Self::ZeroWidth => "zero_width",
            Self::Selector => "selector",
            Self::Tag => "tag",
            Self::Format => "format",
            Self::PrivateUse => "private_use",
            Self::Unassigned => "unassigned",
        }
    }
}

/// How many characters of each sort were removed.
// INVARIANT: one number for each of `Hidden::ALL`, in their order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Removed([usize; Hidden::ALL.len()]);

impl Removed {
    /// The number of one sort.
    #[must_use]
    pub fn count(&self, sort: Hidden) -> usize {
        self.0.get(sort as usize).copied().unwrap_or_default()
    }

    /// The number of all.
    #[must_use]
    pub fn total(&self) -> usize {
        self.0.iter().sum()
    }

    pub(super) fn add(&mut self, sort: Hidden) {
        if let Some(count) = self.0.get_mut(sort as usize) {
            *count += 1;
        }
    }

    /// Takes one back that was kept after all.
    pub(super) fn keep(&mut self, sort: Hidden) {
        if let Some(count) = self.0.get_mut(sort as usize) {
            *count = count.saturating_sub(1);
        }
    }
}
