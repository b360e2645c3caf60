//! Dice that fall alike in every run: what a bench makes up is the same everywhere.

/// SplitMix64.
#[derive(Debug, Clone)]
pub struct Dice(u64);

impl Dice {
    /// Dice that fall as this seed says.
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// A number below `sides`; `sides` is not 0.
    pub fn roll(&mut self, sides: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) % sides as u64) as usize
    }

    /// Whether something of this share, in percent, happens.
    pub fn percent(&mut self, share: usize) -> bool {
        self.roll(100) < share
    }
}
