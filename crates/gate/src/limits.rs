//! How much calls may do: when a breaker opens, what counts as a loop, how fast and how many at once.
//!
//! Plain settings, for all tools and by pattern for some. A limit only ever refuses: none makes any
//! verdict milder. Every number is checked where it enters, so that none can be zero.

use std::num::NonZeroU32;
use std::time::Duration;

use tipstaff_schema::NamePattern;

use crate::steady::Millis;

/// The longest period of any limit; a longer one counts as this.
const LONGEST: Duration = Duration::from_secs(366 * 86_400);

/// When a tool that keeps failing is left alone, and when it is tried again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BreakerLimit {
    /// So many failures in a row open it.
    pub failures: NonZeroU32,
    /// How long it stays open; up to a quarter is added, so that many breakers do not end together.
    pub cool_down: Duration,
    /// How long the one call that tries it again may take; the tool's own time limit, if shorter.
    pub probe: Duration,
}

impl BreakerLimit {
    pub(crate) fn probe_millis(&self) -> Millis {
        millis(self.probe)
    }

    /// The cool-down with its jitter: none at 0, a quarter at 255.
    pub(crate) fn rest_millis(&self, jitter: u8) -> Millis {
        let rest = millis(self.cool_down);
        rest + rest * u64::from(jitter) / (4 * 255)
    }
}

/// How often an agent may make the very same call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RepeatLimit {
    /// So often within the window; once more is a loop.
    pub calls: NonZeroU32,
    /// The window; it slides.
    pub within: Duration,
}

impl RepeatLimit {
    pub(crate) fn window_millis(&self) -> Millis {
        millis(self.within)
    }
}

/// How fast calls may come: a bucket that holds `burst` and is filled with `calls` in each `within`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rate {
    /// So many calls.
    pub calls: NonZeroU32,
    /// In each such period.
    pub within: Duration,
    /// So many at once after a rest.
    pub burst: NonZeroU32,
}

impl Rate {
    pub(crate) fn cost(&self) -> u64 {
        millis(self.within)
    }

    pub(crate) fn capacity(&self) -> u64 {
        self.cost().saturating_mul(u64::from(self.burst.get()))
    }
}

/// The rates that hold for a call; all that are set must have room for it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct Rates {
    /// All calls of one agent.
    pub agent: Option<Rate>,
    /// All calls of one tool, whoever makes them.
    pub tool: Option<Rate>,
    /// The calls of one tool by one agent.
    pub agent_and_tool: Option<Rate>,
}

/// How many calls may be on their way at once. What is above is refused at once, never queued.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Concurrent {
    /// Running calls of one agent.
    pub agent: NonZeroU32,
    /// Running calls of one server or backend.
    pub server: NonZeroU32,
    /// Calls of one agent that are inside the gate at all: those that wait for a person, too.
    pub held: NonZeroU32,
}

/// A limit that a tool's pattern sets.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Setting<T> {
    /// There is none.
    Off,
    /// This one.
    To(T),
}

impl<T> Setting<T> {
    fn into_option(self) -> Option<T> {
        match self {
            Self::Off => None,
            Self::To(limit) => Some(limit),
        }
    }
}

/// What a pattern changes for its tools; `None` leaves it as it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct ToolLimits {
    /// The breaker.
    pub breaker: Option<Setting<BreakerLimit>>,
    /// What counts as a loop; off for a tool that is polled.
    pub repeats: Option<Setting<RepeatLimit>>,
    /// The rate of one tool, whoever calls.
    pub tool_rate: Option<Setting<Rate>>,
    /// The rate of one tool for each agent.
    pub agent_and_tool_rate: Option<Setting<Rate>>,
}

/// All limits of a gate.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct CallLimits {
    /// When a failing tool is left alone; none never.
    pub breaker: Option<BreakerLimit>,
    /// What counts as a loop; none nothing.
    pub repeats: Option<RepeatLimit>,
    /// How fast calls may come; none unless set.
    pub rates: Rates,
    /// How many at once.
    pub concurrent: Concurrent,
    /// Changes for the tools whose name matches; later ones refine earlier ones.
    pub tools: Vec<(NamePattern, ToolLimits)>,
}

/// A breaker of 5 failures and 30 s, the same call 30 times in 5 minutes, no rate, and 64 calls at
/// once of each agent and server, with 256 of each agent inside.
impl Default for CallLimits {
    fn default() -> Self {
        const FAILURES: NonZeroU32 = NonZeroU32::MIN.saturating_add(4);
        const REPEATS: NonZeroU32 = NonZeroU32::MIN.saturating_add(29);
        const RUNNING: NonZeroU32 = NonZeroU32::MIN.saturating_add(63);
        const HELD: NonZeroU32 = NonZeroU32::MIN.saturating_add(255);
        Self {
            breaker: Some(BreakerLimit {
                failures: FAILURES,
                cool_down: Duration::from_secs(30),
                probe: Duration::from_secs(30),
            }),
            repeats: Some(RepeatLimit {
                calls: REPEATS,
                within: Duration::from_secs(300),
            }),
            rates: Rates::default(),
            concurrent: Concurrent {
                agent: RUNNING,
                server: RUNNING,
                held: HELD,
            },
            tools: Vec::new(),
        }
    }
}

/// The limits of one tool.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct OfTool {
    pub(crate) breaker: Option<BreakerLimit>,
    pub(crate) repeats: Option<RepeatLimit>,
    pub(crate) rates: Rates,
}

impl CallLimits {
    /// What holds for the tool of this name.
    pub(crate) fn of(&self, name: &str) -> OfTool {
        let mut of = OfTool {
            breaker: self.breaker,
            repeats: self.repeats,
            rates: self.rates,
        };
        for (_, set) in self.tools.iter().filter(|(named, _)| named.matches(name)) {
            refine(&mut of.breaker, set.breaker);
            refine(&mut of.repeats, set.repeats);
            refine(&mut of.rates.tool, set.tool_rate);
            refine(&mut of.rates.agent_and_tool, set.agent_and_tool_rate);
        }
        of
    }
}

fn refine<T>(limit: &mut Option<T>, set: Option<Setting<T>>) {
    if let Some(set) = set {
        *limit = set.into_option();
    }
}

/// At least one millisecond, at most the longest period.
fn millis(duration: Duration) -> Millis {
    let bounded = duration.clamp(Duration::from_millis(1), LONGEST);
    Millis::try_from(bounded.as_millis()).unwrap_or(Millis::MAX)
}
