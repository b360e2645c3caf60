//! Letting a call start: repeats, rates, what runs already, and the tool's breaker, all or none.
//!
//! Decided in one step just before the warrant, so that a call that is refused has used up nothing:
//! no approval, no place in any bucket, no count. Only limits are judged here; nothing that policy
//! denied comes this far. In memory only: a gate that starts has seen no call.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tipstaff_registry::ToolEntry;
use tipstaff_schema::sanitization::sanitize_for_display;
use tipstaff_schema::{AgentId, Digest, IntentError};

use crate::breaker::{self, Edge, Event};
use crate::breakers::Breakers;
use crate::bucket::Bucket;
use crate::gate::ExecutorKey;
use crate::limits::{BreakerLimit, CallLimits, OfTool, Rate};
use crate::repeats::{Repeats, Same};
use crate::steady::{Millis, Steady};
use crate::{Refusal, Stage};

/// Buckets that are kept before the full ones, which say nothing, are forgotten.
const BUCKETS: usize = 1024;

/// The limits of a gate and what they have counted.
#[derive(Debug)]
pub(crate) struct Throttle {
    limits: CallLimits,
    steady: Arc<Steady>,
    pub(crate) breakers: Arc<Breakers>,
    // Never held across an await. The locks of breakers and clock are taken under it, never the reverse.
    counts: Mutex<Counts>,
}

#[derive(Debug, Default)]
struct Counts {
    repeats: Repeats,
    buckets: BTreeMap<BucketKey, (Bucket, Rate)>,
    running_of: BTreeMap<AgentId, u32>,
    running_on: BTreeMap<ExecutorKey, u32>,
    held: BTreeMap<AgentId, u32>,
}

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
enum BucketKey {
    Agent(AgentId),
    Tool(String),
    AgentAndTool(AgentId, String),
}

/// A call that wants to start. `agent` is the one that the operator knows: what an agent starts
/// counts as its own, however it names itself.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Wish<'a> {
    pub(crate) agent: &'a AgentId,
    pub(crate) entry: &'a Arc<ToolEntry>,
    pub(crate) params: Digest,
    /// Whether failures of what runs it are counted.
    pub(crate) breaks: Breaks,
}

/// Whether a tool has a breaker at all.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Breaks {
    /// Its failures tell of one thing that may be down.
    Yes,
    /// Each call starts something of its own.
    No,
}

impl Throttle {
    pub(crate) fn new(limits: CallLimits, steady: Steady) -> Self {
        let steady = Arc::new(steady);
        Self {
            limits,
            breakers: Arc::new(Breakers::new(Arc::clone(&steady))),
            steady,
            counts: Mutex::new(Counts::default()),
        }
    }

    fn counts(&self) -> MutexGuard<'_, Counts> {
        self.counts.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Lets a call of this agent into the gate, where it may wait for people.
    pub(crate) fn hold(self: &Arc<Self>, agent: &AgentId) -> Result<Held, Refusal> {
        let most = self.limits.concurrent.held.get();
        let mut counts = self.counts();
        if running(&counts.held, agent) >= most {
            return Err(full(&format!(
                "{most} calls of `{agent}` are being handled or wait for people"
            )));
        }
        add(&mut counts.held, agent);
        Ok(Held {
            throttle: Arc::clone(self),
            agent: agent.clone(),
        })
    }

    /// Whether the call could start now. Counts nothing: asked before people are.
    pub(crate) fn look(&self, wish: &Wish<'_>) -> Result<(), Refusal> {
        let of = self.limits.of(&wish.entry.name);
        let now = self.steady.now();
        self.room(&self.counts(), wish, &of, now)?;
        match self
            .breaker_of(wish, &of)
            .and_then(|_| self.breakers.rests(wish.entry.tool_id()))
        {
            Some(wait) => Err(resting(&wish.entry.name, wait)),
            None => Ok(()),
        }
    }

    /// Lets the call start, and counts it.
    pub(crate) fn admit(self: &Arc<Self>, wish: &Wish<'_>) -> Result<Pass, Refusal> {
        let of = self.limits.of(&wish.entry.name);
        let now = self.steady.now();
        let server = ExecutorKey::of(&wish.entry.descriptor.source);
        let mut counts = self.counts();
        self.room(&counts, wish, &of, now)?;
        let breaker = match self.breaker_of(wish, &of) {
            Some(limit) => {
                let entered = self.breakers.enter(wish.entry.tool_id(), &limit);
                let pass = entered.map_err(|wait| resting(&wish.entry.name, wait))?;
                Some((pass, limit))
            }
            None => None,
        };
        if let Some(limit) = &of.repeats {
            counts.repeats.count(&same(wish), limit, now);
        }
        for (key, rate) in buckets(wish, &of) {
            counts.draw(key, rate, now);
        }
        add(&mut counts.running_of, wish.agent);
        if let Some(server) = &server {
            add(&mut counts.running_on, server);
        }
        Ok(Pass {
            throttle: Arc::clone(self),
            agent: wish.agent.clone(),
            server,
            entry: Arc::clone(wish.entry),
            breaker,
        })
    }

    fn breaker_of(&self, wish: &Wish<'_>, of: &OfTool) -> Option<BreakerLimit> {
        match wish.breaks {
            Breaks::Yes => of.breaker,
            Breaks::No => None,
        }
    }

    /// Whether every limit but the breaker has room for the call.
    fn room(
        &self,
        counts: &Counts,
        wish: &Wish<'_>,
        of: &OfTool,
        now: Millis,
    ) -> Result<(), Refusal> {
        if let Some(limit) = &of.repeats {
            counts.repeats.check(&same(wish), limit, now).map_err(|repeated| {
                let (times, again) = (repeated.times, seconds(repeated.again_in));
                let within = seconds(limit.window_millis());
                limited(format!(
                    "this very call was made {times} times within {within}, which looks like a loop; change it, or wait {again}"
                ))
            })?;
        }
        for (key, rate) in buckets(wish, of) {
            let bucket = counts.bucket(&key, &rate, now);
            bucket.take(&rate, now).map_err(|wait| {
                let (calls, within) = (rate.calls, seconds(rate.cost()));
                limited(format!(
                    "{} may be called {calls} times in {within}; try again in {}",
                    key.of_what(),
                    seconds(wait)
                ))
            })?;
        }
        let most = self.limits.concurrent;
        if running(&counts.running_of, wish.agent) >= most.agent.get() {
            return Err(full(&format!(
                "{} calls of `{}` are running",
                most.agent, wish.agent
            )));
        }
        let server = ExecutorKey::of(&wish.entry.descriptor.source);
        if server.is_some_and(|server| running(&counts.running_on, &server) >= most.server.get()) {
            let name = &wish.entry.name;
            return Err(full(&format!(
                "{} calls are running where `{name}` runs",
                most.server
            )));
        }
        Ok(())
    }
}

impl Counts {
    fn bucket(&self, key: &BucketKey, rate: &Rate, now: Millis) -> Bucket {
        let kept = self.buckets.get(key).map(|(bucket, _)| *bucket);
        kept.unwrap_or_else(|| Bucket::full(rate, now))
    }

    fn draw(&mut self, key: BucketKey, rate: Rate, now: Millis) {
        if self.buckets.len() >= BUCKETS && !self.buckets.contains_key(&key) {
            self.buckets
                .retain(|_, (bucket, rate)| !bucket.is_full(rate, now));
        }
        if let Ok(bucket) = self.bucket(&key, &rate, now).take(&rate, now) {
            self.buckets.insert(key, (bucket, rate));
        }
    }
}

impl BucketKey {
    fn of_what(&self) -> String {
        match self {
            Self::Agent(agent) => format!("all tools together by `{agent}`"),
            Self::Tool(tool) => format!("`{tool}`"),
            Self::AgentAndTool(agent, tool) => format!("`{tool}` by `{agent}`"),
        }
    }
}

/// A place inside the gate; dropping it gives the place back.
#[derive(Debug)]
pub(crate) struct Held {
    throttle: Arc<Throttle>,
    agent: AgentId,
}

impl Drop for Held {
    fn drop(&mut self) {
        remove(&mut self.throttle.counts().held, &self.agent);
    }
}

/// Permission of the limits for one call to run; dropping it gives its places back. A probe that is
/// dropped without a word lets the next call try.
#[derive(Debug)]
pub(crate) struct Pass {
    throttle: Arc<Throttle>,
    agent: AgentId,
    server: Option<ExecutorKey>,
    entry: Arc<ToolEntry>,
    breaker: Option<(breaker::Pass, BreakerLimit)>,
}

/// What the end of a call says of what runs it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Health {
    /// It answered.
    Good,
    /// It could not be reached, did not answer in time, or says that it is broken.
    Bad,
    /// Nothing.
    Unknown,
}

impl Pass {
    /// The most time that the call may take, where it is the one that tries a tool again.
    pub(crate) fn probe_limit(&self) -> Option<std::time::Duration> {
        match &self.breaker {
            Some((breaker::Pass::Probe(_), limit)) => Some(limit.probe),
            Some((breaker::Pass::Usual, _)) | None => None,
        }
    }

    /// Tells the breaker how the call ended; gives the change that this made. The second time
    /// nothing is told.
    pub(crate) fn report(&mut self, health: Health, jitter: u8) -> Option<Edge> {
        let (pass, limit) = self.breaker.take()?;
        let event = match health {
            Health::Good => Event::Succeeded { pass },
            Health::Bad => Event::Failed { pass, jitter },
            Health::Unknown => Event::Undecided { pass },
        };
        let edge = self
            .throttle
            .breakers
            .ended(self.entry.tool_id(), event, &limit)?;
        let tool = sanitize_for_display(&self.entry.name);
        tracing::warn!(%tool, breaker = edge.as_str(), "a breaker changed");
        Some(edge)
    }
}

impl Drop for Pass {
    fn drop(&mut self) {
        self.report(Health::Unknown, 0);
        let mut counts = self.throttle.counts();
        remove(&mut counts.running_of, &self.agent);
        if let Some(server) = &self.server {
            remove(&mut counts.running_on, server);
        }
    }
}

fn same<'a>(wish: &Wish<'a>) -> Same<'a> {
    Same {
        agent: wish.agent,
        tool_id: wish.entry.tool_id(),
        params: wish.params,
    }
}

/// The buckets that the call draws from.
fn buckets(wish: &Wish<'_>, of: &OfTool) -> impl Iterator<Item = (BucketKey, Rate)> {
    let tool = || wish.entry.tool_id().to_owned();
    let agent = || wish.agent.clone();
    let all = of.rates.agent.map(|rate| (BucketKey::Agent(agent()), rate));
    let tools = of.rates.tool.map(|rate| (BucketKey::Tool(tool()), rate));
    let both = of.rates.agent_and_tool;
    let both = both.map(|rate| (BucketKey::AgentAndTool(agent(), tool()), rate));
    [all, tools, both].into_iter().flatten()
}

fn limited(why: String) -> Refusal {
    Refusal::retry(Stage::Limit, why)
}

fn full(why: &str) -> Refusal {
    limited(format!(
        "{why}, which is the most; try again when one has ended"
    ))
}

fn resting(name: &str, wait: Millis) -> Refusal {
    let why = format!(
        "`{name}` failed several times in a row and rests; it is tried again in {}",
        seconds(wait)
    );
    Refusal::retry(Stage::Breaker, IntentError::Unavailable(why).to_string())
}

/// A time as people read it, never shorter than it is.
fn seconds(millis: Millis) -> String {
    match millis.div_ceil(1000) {
        seconds if seconds >= 120 => format!("{} min", seconds.div_ceil(60)),
        seconds => format!("{seconds} s"),
    }
}

fn running<K: Ord>(counts: &BTreeMap<K, u32>, key: &K) -> u32 {
    counts.get(key).copied().unwrap_or(0)
}

fn add<K: Ord + Clone>(counts: &mut BTreeMap<K, u32>, key: &K) {
    if let Some(count) = counts.get_mut(key) {
        *count = count.saturating_add(1);
    } else {
        counts.insert(key.clone(), 1);
    }
}

fn remove<K: Ord>(counts: &mut BTreeMap<K, u32>, key: &K) {
    if let Some(count) = counts.get_mut(key) {
        *count = count.saturating_sub(1);
        if *count == 0 {
            counts.remove(key);
        }
    }
}
