//! The calls on which some rules match while what stands in their way does not: found, or shown
//! not to exist, or said to be not decided.
//!
//! One question serves all of the analysis. A rule is shadowed where no call is left that it decides;
//! two rules are in conflict where a call is left on which they are the two that count; two policies
//! differ where a call is left on which they do. What stands in the way is learned from candidates: the
//! caller looks at one and names the rule that decides it instead, and the search goes on in every way
//! in which that rule can fail to match. It ends, since every step leaves out more.

mod commands;
mod find;
mod moments;
mod names;
mod params;
mod subject;
mod who;

use std::collections::HashMap;

use tipstaff_resource::Search;

use super::call::{Call, Caller};
use crate::explain::Dimension;
use crate::rule::Rule;
use crate::world::World;

/// What a search came to.
#[derive(Debug)]
pub(crate) enum Found {
    /// This call, which the engine confirms.
    Call(Box<Call>),
    /// There is provably none.
    Nowhere,
    /// None was found, and it was not shown that there is none.
    NotDecided,
}

/// What the caller says of a candidate.
pub(crate) enum Seen<'a> {
    /// It is one.
    Yes,
    /// This rule, which matches it, stands in the way.
    Not(&'a Rule),
    /// None with this tool's profile is one.
    NotWithThisTool,
}

/// One way in which a rule that stands in the way fails to match.
#[derive(Debug, Clone)]
pub(super) enum Avoid<'a> {
    /// This dimension of it does not hold.
    Dimension(&'a Rule, Dimension),
    /// This condition of it does not hold.
    Condition(&'a Rule, usize),
    /// The tool has another profile than this one.
    Profile(Box<tipstaff_schema::Profile>),
}

impl Avoid<'_> {
    /// Whether the request still meets what it is to avoid.
    pub(super) fn is_met(&self, request: &crate::request::Request<'_>) -> bool {
        match self {
            Self::Dimension(rule, dimension) => crate::reference::holds(rule, request, *dimension),
            Self::Condition(rule, n) => rule
                .when()
                .iter()
                .nth(*n)
                .is_some_and(|condition| condition.holds(request.params)),
            Self::Profile(profile) => **profile == *request.profile,
        }
    }
}

/// What all searches of one analysis share: the world, answers that were given, and what may still be spent.
#[derive(Debug)]
pub(crate) struct Region<'w> {
    pub(super) world: &'w World,
    /// Only tools of this name are looked at.
    pub(crate) only: Option<String>,
    /// Every caller there is, where that is known.
    pub(super) callers: Vec<Caller>,
    values: HashMap<String, Search>,
    /// Steps that are left for all searches.
    pub(crate) left: u64,
    /// Steps that are kept for what comes after the searches at hand.
    kept: u64,
    /// Searches between which the others are shared, the next one among them.
    coming: u64,
    /// Steps that are left for the search at hand.
    turn: u64,
}

/// What one search may cost: so many steps, each of which tries one tool and agent.
const ONE_SEARCH: u64 = 3_000;

/// What a search gets however many there are; most need less.
const LEAST: u64 = 24;

/// So many rules in the way are gone around in one search.
const MOST_AVOIDED: usize = 12;

impl<'w> Region<'w> {
    pub(crate) fn new(world: &'w World, budget: u64) -> Self {
        Self {
            world,
            only: None,
            callers: who::known(world),
            values: HashMap::new(),
            left: budget,
            kept: 0,
            coming: 1,
            turn: 0,
        }
    }

    /// Says that so many searches are to come, and how many steps are to be left after them. Without
    /// it the first that are hard would take everything.
    pub(crate) fn share(&mut self, searches: usize, kept: u64) {
        self.coming = u64::try_from(searches).unwrap_or(u64::MAX).max(1);
        self.kept = kept;
    }

    /// Takes steps from the budget; `false` where nothing is left.
    pub(crate) fn spend(&mut self, steps: u64) -> bool {
        let had = self.left > self.kept && self.turn > 0;
        self.left = self.left.saturating_sub(steps);
        self.turn = self.turn.saturating_sub(steps);
        had
    }

    /// A call on which all of `all` match and of which `look` says yes.
    pub(crate) fn find<'a>(
        &mut self,
        all: &[&'a Rule],
        look: &mut dyn FnMut(&Call) -> Seen<'a>,
    ) -> Found {
        let free = self.left.saturating_sub(self.kept);
        self.turn = (free / self.coming).clamp(LEAST, ONE_SEARCH);
        let mut avoid = Vec::new();
        self.beyond(all, &mut avoid, look)
    }

    fn beyond<'a>(
        &mut self,
        all: &[&'a Rule],
        avoid: &mut Vec<Avoid<'a>>,
        look: &mut dyn FnMut(&Call) -> Seen<'a>,
    ) -> Found {
        let call = match self.candidate(all, avoid) {
            Found::Call(call) => call,
            nothing @ (Found::Nowhere | Found::NotDecided) => return nothing,
        };
        let ways: Vec<Avoid<'a>> = match look(&call) {
            Seen::Yes => return Found::Call(call),
            Seen::NotWithThisTool => vec![Avoid::Profile(Box::new(call.tool.profile.clone()))],
            Seen::Not(rule) => ways_around(rule),
        };
        if avoid.len() >= MOST_AVOIDED {
            return Found::NotDecided;
        }
        let mut open = false;
        for way in ways {
            avoid.push(way);
            let found = self.beyond(all, avoid, look);
            avoid.pop();
            match found {
                Found::Call(call) => return Found::Call(call),
                Found::Nowhere => {}
                Found::NotDecided => open = true,
            }
        }
        if open {
            Found::NotDecided
        } else {
            Found::Nowhere
        }
    }
}

/// Every way in which a rule can fail to match, the cheapest to look at first.
fn ways_around(rule: &Rule) -> Vec<Avoid<'_>> {
    let mut ways = Vec::new();
    for dimension in Dimension::ALL {
        match dimension {
            Dimension::When => {
                ways.extend((0..rule.when().iter().count()).map(|n| Avoid::Condition(rule, n)));
            }
            // An allow without a target does not match commands, nor what a server gets raw.
            Dimension::Target
                if rule.target.is_some() || rule.effect == tipstaff_schema::Effect::Allow =>
            {
                ways.push(Avoid::Dimension(rule, dimension));
            }
            Dimension::Target => {}
            Dimension::Agent
            | Dimension::Capability
            | Dimension::Action
            | Dimension::Hours
            | Dimension::Until
            | Dimension::Cwd
            | Dimension::Placement => {
                if dimension.is_set(rule) {
                    ways.push(Avoid::Dimension(rule, dimension));
                }
            }
        }
    }
    ways
}

/// The rules that are to fail on this dimension.
pub(super) fn failing<'a>(
    avoid: &[Avoid<'a>],
    wanted: Dimension,
) -> impl Iterator<Item = &'a Rule> {
    let rules: Vec<&'a Rule> = avoid
        .iter()
        .filter_map(|way| match way {
            Avoid::Dimension(rule, dimension) if *dimension == wanted => Some(*rule),
            Avoid::Dimension(..) | Avoid::Condition(..) | Avoid::Profile(_) => None,
        })
        .collect();
    rules.into_iter()
}
