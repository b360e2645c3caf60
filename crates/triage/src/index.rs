//! Which rules can match an answer, without looking at the others.
//!
//! Each rule hangs on one of its conditions, the one that fewest rules share, in a tree of pointer
//! steps. One walk over what tree and answer have in common finds the rules whose condition may hold
//! there; a prefix that many pointers share is walked once. It may find too many, never too few: what
//! it finds is judged afterwards, but for the condition where that is known to hold.

use std::collections::BTreeMap;

use serde_json::{Number, Value};
use tipstaff_condition::{Condition, array_index, select};

use crate::TriageRule;

/// The tree over all rules. Rules are named by their place in the list.
#[derive(Debug, Clone, Default)]
pub(crate) struct RuleIndex {
    root: Node,
    /// Rules that hang on a value that is not there, by its pointer.
    absent: Vec<(String, Vec<Found>)>,
}

/// A rule that may match.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Found {
    /// Its place in the list.
    pub(crate) rule: usize,
    /// Its condition that is known to hold, by its place.
    pub(crate) known: Option<usize>,
}

/// A rule that hangs somewhere, by one of its conditions.
#[derive(Debug, Clone, Copy)]
struct Hook {
    rule: usize,
    condition: usize,
}

impl Hook {
    /// The condition is known to hold.
    const fn holds(self) -> Found {
        Found {
            rule: self.rule,
            known: Some(self.condition),
        }
    }

    /// The condition is still to be looked at.
    const fn may_hold(self) -> Found {
        Found {
            rule: self.rule,
            known: None,
        }
    }
}

#[derive(Debug, Clone, Default)]
struct Node {
    children: BTreeMap<String, Node>,
    /// Those of the children whose step is an index too.
    items: BTreeMap<usize, String>,
    here: Hooks,
}

/// The rules that hang on the value at one pointer.
#[derive(Debug, Clone, Default)]
struct Hooks {
    equal: BTreeMap<Key, Vec<Found>>,
    // INVARIANT: both sorted by bound.
    at_least: Vec<(f64, Hook)>,
    at_most: Vec<(f64, Hook)>,
    present: Vec<Found>,
}

/// Equal values have equal keys; the reverse need not hold.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
enum Key {
    Null,
    Bool(bool),
    Text(String),
    Number(u64),
    Array,
    Object,
}

impl Key {
    /// Whether equal keys are equal values too: not those of numbers, which are rounded, nor of what
    /// holds values itself.
    const fn is_exact(&self) -> bool {
        match self {
            Self::Null | Self::Bool(_) | Self::Text(_) => true,
            Self::Number(_) | Self::Array | Self::Object => false,
        }
    }

    fn of(value: &Value) -> Self {
        match value {
            Value::Null => Self::Null,
            Value::Bool(value) => Self::Bool(*value),
            Value::String(text) => Self::Text(text.clone()),
            Value::Number(number) => Self::Number(rounded(number).to_bits()),
            Value::Array(_) => Self::Array,
            Value::Object(_) => Self::Object,
        }
    }
}

/// The nearest `f64`, so that order is kept, though neighbours may fall together.
fn rounded(number: &Number) -> f64 {
    // Adding zero makes minus zero plain zero.
    number.as_f64().unwrap_or(f64::MAX) + 0.0
}

/// What one condition asks, as far as the tree can use it.
#[derive(Debug, Clone)]
enum Ask {
    Equal(Vec<Key>),
    AtLeast(f64),
    AtMost(f64),
    Present,
    Absent,
    /// Anything that needs a value.
    Other,
}

impl Ask {
    fn of(condition: &Condition) -> Self {
        let wire = condition.to_wire();
        let number = |key: &str| match wire.get(key) {
            Some(Value::Number(number)) => Some(rounded(number)),
            Some(_) | None => None,
        };
        if let Some(value) = wire.get("equals") {
            return Self::Equal(vec![Key::of(value)]);
        }
        if let Some(Value::Array(values)) = wire.get("in") {
            let mut keys: Vec<Key> = values.iter().map(Key::of).collect();
            keys.sort_unstable();
            keys.dedup();
            return Self::Equal(keys);
        }
        let at_least = number("at_least").map(Self::AtLeast);
        let bound = at_least.or_else(|| number("at_most").map(Self::AtMost));
        bound.unwrap_or(match wire.get("exists") {
            Some(Value::Bool(true)) => Self::Present,
            Some(Value::Bool(false)) => Self::Absent,
            Some(_) | None => Self::Other,
        })
    }

    /// Under which names it is counted: conditions of one name hold for the same answers, or nearly.
    fn names<'a>(&'a self, pointer: &'a str) -> Vec<(&'a str, u8, Option<&'a Key>)> {
        match self {
            Self::Equal(keys) => keys.iter().map(|key| (pointer, 0, Some(key))).collect(),
            Self::AtLeast(_) | Self::AtMost(_) => vec![(pointer, 1, None)],
            Self::Present | Self::Other => vec![(pointer, 2, None)],
            Self::Absent => vec![(pointer, 3, None)],
        }
    }
}

impl RuleIndex {
    pub(crate) fn of(rules: &[TriageRule]) -> Self {
        let asks: Vec<Vec<(&str, Ask)>> = rules
            .iter()
            .map(|rule| {
                rule.when
                    .iter()
                    .map(|c| (c.pointer(), Ask::of(c)))
                    .collect()
            })
            .collect();
        let mut shared: BTreeMap<(&str, u8, Option<&Key>), usize> = BTreeMap::new();
        for (pointer, ask) in asks.iter().flatten() {
            for name in ask.names(pointer) {
                *shared.entry(name).or_default() += 1;
            }
        }
        let mut index = Self::default();
        for (rule, asked) in asks.iter().enumerate() {
            let crowd = |(_, (pointer, ask)): &(usize, &(&str, Ask))| {
                let names = ask.names(pointer);
                let most = names.iter().filter_map(|name| shared.get(name)).max();
                // What asks for a value comes before what asks for any, and that before none at all.
                let kind = names.iter().map(|(_, kind, _)| *kind).max();
                (kind.is_some_and(|kind| kind > 1), most.copied(), kind)
            };
            let rarest = asked.iter().enumerate().min_by_key(crowd);
            if let Some((condition, (pointer, ask))) = rarest {
                index.hang(pointer, ask, Hook { rule, condition });
            }
        }
        index.root.sort();
        index
    }

    fn hang(&mut self, pointer: &str, ask: &Ask, hook: Hook) {
        if let Ask::Absent = ask {
            let found = hook.holds();
            match self.absent.iter_mut().find(|(known, _)| known == pointer) {
                Some((_, rules)) => rules.push(found),
                None => self.absent.push((pointer.to_owned(), vec![found])),
            }
            return;
        }
        let mut node = &mut self.root;
        for step in pointer.split('/').skip(1) {
            let step = step.replace("~1", "/").replace("~0", "~");
            if let Some(at) = array_index(&step) {
                node.items.insert(at, step.clone());
            }
            node = node.children.entry(step).or_default();
        }
        let here = &mut node.here;
        match ask {
            Ask::Equal(keys) => {
                for key in keys {
                    let exact = key.is_exact();
                    let found = if exact { hook.holds() } else { hook.may_hold() };
                    here.equal.entry(key.clone()).or_default().push(found);
                }
            }
            Ask::AtLeast(bound) => here.at_least.push((*bound, hook)),
            Ask::AtMost(bound) => here.at_most.push((*bound, hook)),
            Ask::Present => here.present.push(hook.holds()),
            Ask::Absent | Ask::Other => here.present.push(hook.may_hold()),
        }
    }

    /// The rules that may match, in the order of the list.
    pub(crate) fn candidates(&self, answer: &Value) -> Vec<Found> {
        let mut found = Vec::new();
        self.root.walk(answer, &mut found);
        for (pointer, rules) in &self.absent {
            if select(answer, pointer).is_none() {
                found.extend_from_slice(rules);
            }
        }
        // Each rule hangs in one place, which was visited once at most.
        found.sort_unstable_by_key(|found| found.rule);
        found
    }
}

impl Node {
    fn sort(&mut self) {
        self.here.at_least.sort_by(|a, b| a.0.total_cmp(&b.0));
        self.here.at_most.sort_by(|a, b| a.0.total_cmp(&b.0));
        self.children.values_mut().for_each(Self::sort);
    }

    /// No deeper than the longest pointer, which has a bound of its own.
    fn walk(&self, value: &Value, found: &mut Vec<Found>) {
        self.here.collect(value, found);
        match value {
            Value::Object(map) if map.len() < self.children.len() => {
                for (step, value) in map {
                    if let Some(child) = self.children.get(step) {
                        child.walk(value, found);
                    }
                }
            }
            Value::Object(map) => {
                for (step, child) in &self.children {
                    if let Some(value) = map.get(step) {
                        child.walk(value, found);
                    }
                }
            }
            Value::Array(items) => {
                for (at, step) in self.items.range(..items.len()) {
                    if let (Some(value), Some(child)) = (items.get(*at), self.children.get(step)) {
                        child.walk(value, found);
                    }
                }
            }
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
        }
    }
}

impl Hooks {
    fn collect(&self, value: &Value, found: &mut Vec<Found>) {
        found.extend_from_slice(&self.present);
        if !self.equal.is_empty()
            && let Some(rules) = self.equal.get(&Key::of(value))
        {
            found.extend_from_slice(rules);
        }
        if let Value::Number(number) = value {
            let number = rounded(number);
            let up_to = self.at_least.partition_point(|(bound, _)| *bound <= number);
            let from = self.at_most.partition_point(|(bound, _)| *bound < number);
            let held = self.at_least.iter().take(up_to);
            let held = held.chain(self.at_most.iter().skip(from));
            // What is apart after rounding was apart before; what falls together is to be looked at.
            let found_by = |(bound, hook): &(f64, Hook)| {
                let apart = bound.total_cmp(&number).is_ne();
                if apart { hook.holds() } else { hook.may_hold() }
            };
            found.extend(held.map(found_by));
        }
    }
}
