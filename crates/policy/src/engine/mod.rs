//! The index: which rules may match a request, without asking all of them.
//!
//! A rule stands under one key, its agent and its capability; a request asks the few keys that its
//! agent, its parents, its tool's name and id, and the patterns over names that match it make. Under a
//! key the target finds it (`shelf`). Everything found is then asked exactly as the reference asks it,
//! so the index can only leave out what does not match, never let in what does not.

mod buckets;
mod entry;
mod ids;
mod key;
mod names;
mod seed;
mod shelf;
mod shown;

use std::sync::Arc;

use tipstaff_resource::{Literal, Place};
use tipstaff_schema::{AgentId, Effect, NamePattern};

pub(crate) use ids::Ids;

use buckets::{Buckets, Pair, Stand};
use entry::{Entry, Need, short};
use key::{NAME, keys_of, keys_of_name};
use names::{ANY, Names};
use seed::Seed;
use shelf::{Long, arrange, walk};
use shown::{Shown, What};

use crate::request::Request;
use crate::rule::{Capability, Rule};

/// Rules by agent, capability and target.
#[derive(Debug, Clone)]
pub(crate) struct Index {
    seed: Seed,
    agents: Names,
    /// Names and ids of tools.
    tools: Names,
    /// Patterns over names. Their numbers go on where those of `tools` end.
    patterns: Vec<NamePattern>,
    pattern_entries: Vec<Entry>,
    pattern_shelf: Option<Long>,
    met: Met,
    buckets: Buckets,
    entries: Vec<Entry>,
    long: Vec<Long>,
}

/// So many pairs of an agent and a tool are looked up together; few requests have more.
const TOGETHER: usize = 8;

/// The patterns that match each of the names; where those are too many, none are noted.
#[derive(Debug, Clone, Default)]
struct Met {
    /// Where the patterns of each name begin, by its number less one, and where the last ends.
    begins: Box<[u32]>,
    patterns: Box<[u32]>,
}

/// So many patterns for each name are noted, taken over all names.
const MET: usize = 8;

impl Met {
    fn of(&self, name: u32) -> Option<&[u32]> {
        let at = place(name).checked_sub(1)?;
        let (begin, end) = (self.begins.get(at)?, self.begins.get(at + 1)?);
        self.patterns.get(place(*begin)..place(*end))
    }
}

/// What of the rules an index is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Scope {
    /// Requests as they are.
    Targets,
    /// Requests whose resource is not known: neither targets nor actions are asked.
    WithoutTargets,
}

/// How a rule was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Through {
    /// It names the agent, or none.
    Agent,
    /// It names an agent that started this one.
    Parent,
}

impl Through {
    /// Whether the rule holds for an agent that it reaches in this way.
    pub(crate) fn reaches(self, rule: &Rule) -> bool {
        match self {
            Self::Agent => true,
            Self::Parent => rule.effect != Effect::Allow || rule.inherit,
        }
    }
}

impl Index {
    /// Indexes those of the rules that `picked` names.
    pub(crate) fn new(rules: &[Arc<Rule>], scope: Scope, picked: impl Fn(&Rule) -> bool) -> Self {
        let seed = Seed::new();
        let chosen = || rules.iter().filter(|rule| picked(rule));
        let agents = Names::new(
            chosen().filter_map(|rule| rule.agent().map(AgentId::as_str)),
            &seed,
        );
        let tools = Names::new(
            chosen().filter_map(|rule| match &rule.capability {
                Capability::Exact(name) => Some(&**name),
                Capability::Any | Capability::Pattern(_) => None,
            }),
            &seed,
        );
        let mut patterns: Vec<NamePattern> = chosen()
            .filter_map(|rule| match &rule.capability {
                Capability::Pattern(pattern) => Some(pattern.clone()),
                Capability::Any | Capability::Exact(_) => None,
            })
            .collect();
        patterns.sort_unstable();
        patterns.dedup();
        let literals: Vec<Vec<Literal>> = patterns.iter().map(name_literals).collect();
        let mut pattern_entries: Vec<Entry> = (0_u32..)
            .take(patterns.len())
            .map(Entry::of_number)
            .collect();
        let pattern_shelf = arrange(&mut pattern_entries, 0, &seed, |entry| {
            let literals = literals.get(place(entry.number));
            keys_of_name(literals.map_or(&[][..], Vec::as_slice), &seed)
        });
        let mut index = Self {
            agents,
            tools,
            patterns,
            pattern_entries,
            pattern_shelf,
            met: Met::default(),
            buckets: Buckets::new(&[]),
            entries: Vec::new(),
            long: Vec::new(),
            seed,
        };
        index.met = index.meet();
        index.fill(rules, scope, picked);
        index
    }

    fn meet(&self) -> Met {
        if self.patterns.is_empty() {
            return Met::default();
        }
        let (mut begins, mut patterns) = (vec![0], Vec::new());
        for name in self.tools.texts() {
            self.patterns_of(name, |pattern| patterns.push(pattern));
            begins.extend(u32::try_from(patterns.len()));
            if patterns.len() > MET * place(self.tools.count()) {
                return Met::default();
            }
        }
        Met {
            begins: begins.into(),
            patterns: patterns.into(),
        }
    }

    fn fill(&mut self, rules: &[Arc<Rule>], scope: Scope, picked: impl Fn(&Rule) -> bool) {
        let mut keyed: Vec<(u32, u32, u32)> = (0_u32..)
            .zip(rules)
            .filter(|(_, rule)| picked(rule))
            .map(|(number, rule)| (self.agent_of(rule), self.tool_of(rule), number))
            .collect();
        keyed.sort_unstable();
        self.entries = Vec::with_capacity(keyed.len());
        let groups = keyed.chunk_by(|one, two| (one.0, one.1) == (two.0, two.1));
        let mut buckets = Vec::with_capacity(groups.clone().count());
        for group in groups {
            let start = self.entries.len();
            for (_, _, number) in group {
                let rule = rules.get(place(*number));
                self.entries.extend(rule.map(|rule| {
                    match scope {
                        Scope::Targets => Entry::free(*number, rule)
                            .unwrap_or_else(|| Entry::of(*number, rule, &self.seed)),
                        Scope::WithoutTargets => Entry::of_number(*number),
                    }
                }));
            }
            let shelf = self.entries.get_mut(start..).unwrap_or_default();
            let long = arrange(shelf, start, &self.seed, |entry| {
                let rule = rules.get(place(entry.number));
                let chosen =
                    rule.filter(|_| scope == Scope::Targets && entry.need == Need::Nothing);
                chosen.map_or_else(Vec::new, |rule| keys_of(rule, &self.seed))
            });
            let number = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
            let stand = match long {
                None => Stand::Short {
                    start: number(start),
                    count: number(group.len()),
                },
                Some(long) => {
                    self.long.push(long);
                    Stand::Long(number(self.long.len() - 1))
                }
            };
            let pair = |(agent, tool, _): &(u32, u32, u32)| Pair::new(*agent, *tool, &self.seed);
            buckets.extend(group.first().map(|first| (pair(first), stand)));
        }
        self.long.shrink_to_fit();
        self.buckets = Buckets::new(&buckets);
    }

    fn agent_of(&self, rule: &Rule) -> u32 {
        let named = rule.agent.as_ref();
        named
            .and_then(|agent| self.agents.number(agent.as_str(), &self.seed))
            .unwrap_or(ANY)
    }

    fn tool_of(&self, rule: &Rule) -> u32 {
        match &rule.capability {
            Capability::Any => ANY,
            Capability::Exact(name) => self.tools.number(name, &self.seed).unwrap_or(ANY),
            Capability::Pattern(pattern) => {
                let found = self.patterns.binary_search(pattern).unwrap_or(0);
                self.pattern_number(u32::try_from(found).unwrap_or(0))
            }
        }
    }

    fn pattern_number(&self, pattern: u32) -> u32 {
        self.tools.count() + 1 + pattern
    }

    /// Shows every rule that may match the request, each once, by its place among all rules; where
    /// several match or fail together, the strongest and how many they are. Agent and capability
    /// hold; the rest must be asked.
    pub(crate) fn candidates(
        &self,
        request: &Request<'_>,
        mut show: impl FnMut(usize, usize, Through),
    ) {
        if self.entries.is_empty() {
            return;
        }
        let action = short(request.action, &self.seed);
        let shown = Shown::new(What::of(request.subject), action, &self.seed);
        let own = self.agents.number(request.agent.as_str(), &self.seed);
        let (mut pairs, mut through) = ([None; TOGETHER], [Through::Agent; TOGETHER]);
        let mut count = 0;
        let mut look_up = |pairs: &mut [Option<Pair>; TOGETHER], through: &[Through]| {
            self.buckets.find(pairs, |at, stand| {
                if let Some(through) = through.get(at) {
                    self.show(stand, &shown, |number, count| show(number, count, *through));
                }
            });
            *pairs = [None; TOGETHER];
        };
        self.tools_of(request, |tool| {
            let mut ask = |agent: u32, by: Through| {
                if count == TOGETHER {
                    look_up(&mut pairs, &through);
                    count = 0;
                }
                if let (Some(pair), Some(through)) = (pairs.get_mut(count), through.get_mut(count))
                {
                    (*pair, *through) = (Some(Pair::new(agent, tool, &self.seed)), by);
                }
                count += 1;
            };
            ask(ANY, Through::Agent);
            if let Some(own) = own {
                ask(own, Through::Agent);
            }
            for (place, parent) in request.parents.iter().enumerate() {
                let before = request.parents.iter().take(place);
                if !before.chain([request.agent]).any(|one| one == parent)
                    && let Some(parent) = self.agents.number(parent.as_str(), &self.seed)
                {
                    ask(parent, Through::Parent);
                }
            }
        });
        look_up(&mut pairs, &through);
    }

    /// The numbers under which rules for this tool stand, each once.
    fn tools_of(&self, request: &Request<'_>, mut each: impl FnMut(u32)) {
        each(ANY);
        let name = self.tools.number(request.capability, &self.seed);
        name.into_iter().for_each(&mut each);
        if request.tool_id != request.capability {
            let id = self.tools.number(request.tool_id, &self.seed);
            id.into_iter().for_each(&mut each);
        }
        match name.and_then(|name| self.met.of(name)) {
            Some(patterns) => patterns.iter().copied().for_each(each),
            None => self.patterns_of(request.capability, each),
        }
    }

    /// The numbers of the patterns that match a name.
    fn patterns_of(&self, name: &str, mut each: impl FnMut(u32)) {
        if self.patterns.is_empty() {
            return;
        }
        let shown = Shown::new(What::Text(name), 0, &self.seed).separated_by(NAME);
        let ask = |entry: &Entry, _: usize| {
            let pattern = self.patterns.get(place(entry.number));
            if pattern.is_some_and(|pattern| pattern.matches(name)) {
                each(self.pattern_number(entry.number));
            }
        };
        match &self.pattern_shelf {
            Some(long) => long.search(&self.pattern_entries, &shown, &self.seed, ask),
            None => walk(&self.pattern_entries, &shown, ask),
        }
    }

    /// Shows what may match of the entries that stand there.
    fn show(&self, stand: Stand, shown: &Shown<'_>, mut show: impl FnMut(usize, usize)) {
        let show = |entry: &Entry, count| show(place(entry.number), count);
        match stand {
            Stand::Short { start, count } => {
                let entries = self.entries.get(place(start)..place(start) + place(count));
                walk(entries.unwrap_or_default(), shown, show);
            }
            Stand::Long(number) => {
                if let Some(long) = self.long.get(place(number)) {
                    long.search(&self.entries, shown, &self.seed, show);
                }
            }
        }
    }
}

/// What stands literally in every name that a pattern means.
fn name_literals(pattern: &NamePattern) -> Vec<Literal> {
    let text = pattern.as_str();
    let mut at = 0;
    let mut literals = Vec::new();
    for run in text.split(['*', '?']) {
        let (begin, end) = (at, at + run.len());
        at = end + 1;
        let place = match (begin, end == text.len()) {
            (0, _) => Place::Start,
            (_, true) => Place::End,
            (_, false) => Place::Inside,
        };
        literals.extend(Literal::of(run, place));
    }
    literals
}

fn place(number: u32) -> usize {
    usize::try_from(number).unwrap_or(usize::MAX)
}
