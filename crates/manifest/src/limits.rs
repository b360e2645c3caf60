//! The section `limits`: breakers, loops, rates and how many calls at once.
//!
//! What is not written keeps its default; `off` switches a limit off. Numbers that would refuse every
//! call, or could fill the memory, are refused here.

use std::num::NonZeroU32;
use std::time::Duration;

use serde::Deserialize;
use serde::de::DeserializeOwned;
use tipstaff_gate::{BreakerLimit, CallLimits, Rate, RepeatLimit, Setting, ToolLimits};
use tipstaff_schema::{NamePattern, ServerName};

use crate::document::{Data, Node};
use crate::load::Loader;
use crate::problem::{Place, Problem, near};
use crate::section;
use tipstaff_schema::one_form_read;

one_form_read!(BreakerWire, RepeatsWire, RateWire, ConcurrentWire);

/// Each repeated call is remembered with its time.
const MOST_REPEATS: u32 = 10_000;
const MOST: u32 = 1_000_000;

#[derive(Debug, Default, Deserialize)]
#[serde(remote = "Self", default, deny_unknown_fields)]
struct BreakerWire {
    failures: Option<u32>,
    cool_down: Option<String>,
    probe: Option<String>,
}

#[derive(Debug, Deserialize)]
#[serde(remote = "Self", deny_unknown_fields)]
struct RepeatsWire {
    calls: u32,
    within: String,
}

#[derive(Debug, Deserialize)]
#[serde(remote = "Self", deny_unknown_fields)]
struct RateWire {
    calls: u32,
    within: String,
    burst: Option<u32>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(remote = "Self", default, deny_unknown_fields)]
struct ConcurrentWire {
    agent: Option<u32>,
    server: Option<u32>,
    held: Option<u32>,
}

impl Loader {
    /// The section `limits`.
    pub(crate) fn limits<'a>(
        &mut self,
        servers: impl Iterator<Item = &'a ServerName>,
    ) -> CallLimits {
        let mut limits = CallLimits::default();
        let Some(node) = self.root.child("limits").cloned() else {
            return limits;
        };
        let known = ["breaker", "repeats", "rate", "concurrent", "tools"];
        if !self.keys(&node, "limits", &known) {
            return limits;
        }
        let breaker = self.breaker(node.child("breaker"), limits.breaker);
        set(&mut limits.breaker, breaker);
        let repeats = self.repeats(node.child("repeats"));
        set(&mut limits.repeats, repeats);
        if let Some(rates) = node.child("rate")
            && self.keys(rates, "rate", &["agent", "tool", "agent_and_tool"])
        {
            let (agent, tool) = (self.rate(rates, "agent"), self.rate(rates, "tool"));
            let both = self.rate(rates, "agent_and_tool");
            set(&mut limits.rates.agent, agent);
            set(&mut limits.rates.tool, tool);
            set(&mut limits.rates.agent_and_tool, both);
        }
        if let Some(node) = node.child("concurrent") {
            self.concurrent(node, &mut limits);
        }
        let servers: Vec<&str> = servers.map(ServerName::as_str).collect();
        for (key, node) in node.child("tools").map(Node::entries).unwrap_or_default() {
            match NamePattern::new(key.text.clone()) {
                Ok(pattern) => {
                    self.fits_a_server(&key.text, key.place, &servers);
                    let set = self.of_tool(node, limits.breaker);
                    limits.tools.push((pattern, set));
                }
                Err(error) => drop(self.say(key.place, error.to_string())),
            }
        }
        limits
    }

    fn of_tool(&mut self, node: &Node, usual: Option<BreakerLimit>) -> ToolLimits {
        let mut set = ToolLimits::default();
        if !self.keys(node, "limits of a tool", &["breaker", "repeats", "rate"]) {
            return set;
        }
        set.breaker = self.breaker(node.child("breaker"), usual);
        set.repeats = self.repeats(node.child("repeats"));
        if let Some(rates) = node.child("rate")
            && self.keys(rates, "rate of a tool", &["tool", "agent_and_tool"])
        {
            set.tool_rate = self.rate(rates, "tool");
            set.agent_and_tool_rate = self.rate(rates, "agent_and_tool");
        }
        set
    }

    fn breaker(
        &mut self,
        node: Option<&Node>,
        usual: Option<BreakerLimit>,
    ) -> Option<Setting<BreakerLimit>> {
        let node = node?;
        let usual = usual.or(CallLimits::default().breaker)?;
        let wire = match self.off_or::<BreakerWire>(node)? {
            Setting::Off => return Some(Setting::Off),
            Setting::To(wire) => wire,
        };
        let failures = match wire.failures {
            Some(count) => self.count(node, "failures", count, MOST)?,
            None => usual.failures,
        };
        Some(Setting::To(BreakerLimit {
            failures,
            cool_down: self.span_or(node, "cool_down", wire.cool_down, usual.cool_down)?,
            probe: self.span_or(node, "probe", wire.probe, usual.probe)?,
        }))
    }

    fn repeats(&mut self, node: Option<&Node>) -> Option<Setting<RepeatLimit>> {
        let node = node?;
        let wire = match self.off_or::<RepeatsWire>(node)? {
            Setting::Off => return Some(Setting::Off),
            Setting::To(wire) => wire,
        };
        let calls = self.count(node, "calls", wire.calls, MOST_REPEATS)?;
        let within = self.span(node, "within", &wire.within)?;
        Some(Setting::To(RepeatLimit { calls, within }))
    }

    fn rate(&mut self, rates: &Node, name: &str) -> Option<Setting<Rate>> {
        let node = rates.child(name)?;
        let wire = match self.off_or::<RateWire>(node)? {
            Setting::Off => return Some(Setting::Off),
            Setting::To(wire) => wire,
        };
        let calls = self.count(node, "calls", wire.calls, MOST)?;
        let within = self.span(node, "within", &wire.within)?;
        let burst = match wire.burst {
            Some(burst) => self.count(node, "burst", burst, MOST)?,
            None => calls,
        };
        Some(Setting::To(Rate {
            calls,
            within,
            burst,
        }))
    }

    fn concurrent(&mut self, node: &Node, limits: &mut CallLimits) {
        let wire = match section::read::<ConcurrentWire>(&self.file, node) {
            Ok(wire) => wire,
            Err(problem) => return self.problems.push(problem),
        };
        let most = &mut limits.concurrent;
        for (name, written, limit) in [
            ("agent", wire.agent, &mut most.agent),
            ("server", wire.server, &mut most.server),
            ("held", wire.held, &mut most.held),
        ] {
            if let Some(count) = written.and_then(|count| self.count(node, name, count, MOST)) {
                *limit = count;
            }
        }
    }

    /// A limit that may be written as `off`.
    fn off_or<T: DeserializeOwned>(&mut self, node: &Node) -> Option<Setting<T>> {
        if node.to_json() == "off" {
            return Some(Setting::Off);
        }
        if !matches!(node.data, Data::Map(_)) {
            self.say(node.place, "a limit is a map, or `off`").fix =
                Some("write one such as `{ calls: 60, within: 1m }`".to_owned());
            return None;
        }
        match section::read(&self.file, node) {
            Ok(wire) => Some(Setting::To(wire)),
            Err(problem) => {
                self.problems.push(problem);
                None
            }
        }
    }

    /// Whether the node is a map of these keys; what else it holds is told.
    fn keys(&mut self, node: &Node, what: &str, known: &[&str]) -> bool {
        if !matches!(node.data, Data::Map(_) | Data::Null) {
            let message = format!("`{what}` is a map");
            self.say(node.place, message).fix = Some(format!("known here: {}", known.join(", ")));
            return false;
        }
        let mut fits = true;
        for (key, _) in node.entries() {
            if !known.contains(&key.text.as_str()) {
                fits = false;
                let fix = near(&key.text, known.iter().copied()).map_or_else(
                    || format!("known here: {}", known.join(", ")),
                    |name| format!("did you mean `{name}`?"),
                );
                self.say(key.place, format!("unknown field `{}`", key.text))
                    .fix = Some(fix);
            }
        }
        fits
    }

    fn count(&mut self, node: &Node, name: &str, count: u32, most: u32) -> Option<NonZeroU32> {
        let checked = NonZeroU32::new(count).filter(|count| count.get() <= most);
        if checked.is_none() {
            let message = match count {
                0 => format!("`{name}: 0` would refuse every call"),
                _ => format!("`{name}` is more than {most}"),
            };
            self.say(node.place_of([name]), message).fix = Some(format!(
                "write a number from 1 to {most}; to stop a tool altogether, lock or deny it"
            ));
        }
        checked
    }

    fn span_or(
        &mut self,
        node: &Node,
        name: &str,
        text: Option<String>,
        usual: Duration,
    ) -> Option<Duration> {
        match text {
            Some(text) => self.span(node, name, &text),
            None => Some(usual),
        }
    }

    fn span(&mut self, node: &Node, name: &str, text: &str) -> Option<Duration> {
        let read = duration(text);
        if read.is_none() {
            let message = format!("`{name}` is no duration between 1s and 366d");
            self.say(node.place_of([name]), message).fix =
                Some("write one such as `10m`".to_owned());
        }
        read
    }

    /// Warns of a pattern that can match no tool of any server here.
    fn fits_a_server(&mut self, text: &str, place: Place, servers: &[&str]) {
        if text == "spawn" || text.starts_with(['*', '?']) {
            return;
        }
        let (message, fix) = match text.split_once(':') {
            Some((server, _)) if server.contains(['*', '?']) || servers.contains(&server) => return,
            Some((server, _)) => {
                let meant = near(server, servers.iter().copied());
                let fix = meant.map(|name| format!("did you mean `{name}`?"));
                (
                    format!("there is no server `{server}`, so this limit holds for no tool"),
                    fix,
                )
            }
            None if text.contains(['*', '?']) => return,
            None => (
                format!("`{text}` is no tool's name, so this limit holds for no tool"),
                Some("name a tool as `server:tool`".to_owned()),
            ),
        };
        let mut problem =
            Problem::new(&self.file, place, message).severity(tipstaff_policy::Severity::Warning);
        problem.fix = fix;
        self.warnings.push(problem);
    }
}

/// A duration such as `10m`, between a second and a year.
pub(crate) fn duration(text: &str) -> Option<Duration> {
    let unit = match text.chars().last()? {
        's' => 1,
        'm' => 60,
        'h' => 3600,
        'd' => 86_400,
        _ => return None,
    };
    let count: u64 = text.get(..text.len() - 1)?.parse().ok()?;
    let seconds = count.checked_mul(unit)?;
    (1..=31_622_400)
        .contains(&seconds)
        .then(|| Duration::from_secs(seconds))
}

fn set<T>(limit: &mut Option<T>, written: Option<Setting<T>>) {
    match written {
        Some(Setting::To(to)) => *limit = Some(to),
        Some(Setting::Off) => *limit = None,
        None => {}
    }
}
