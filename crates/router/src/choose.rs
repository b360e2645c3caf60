//! The decision over an index: the same as that of `reference`, without looking at every tool.
//!
//! A token meets the tools of its own verb, of a server's tool of that name, and in classic mode
//! those of its namespace and those that share a tag; of these, one set of tags at a time, and no
//! further than a higher score can still be had. Nothing is allocated for a candidate.

use tipstaff_schema::{IntentError, IntentToken, ToolRoute};

use crate::index::{Facts, RouteIndex, Scope, Slots, Tag};
use crate::reference::{OpenBreakers, RouteMode, Verdict, lacking, outcome};
use crate::score::{self, MCP};

impl RouteIndex {
    /// Finds the tool for a token.
    ///
    /// # Errors
    /// In [`RouteMode::Strict`] as [`crate::resolve_sync`]; in [`RouteMode::Classic`] none.
    pub fn resolve(
        &self,
        mode: RouteMode,
        token: &IntentToken,
        open: &OpenBreakers,
    ) -> Result<ToolRoute, IntentError> {
        outcome(self.judge(mode, token, open), token, &[])
    }

    pub(crate) fn judge<'a>(
        &'a self,
        mode: RouteMode,
        token: &'a IntentToken,
        open: &OpenBreakers,
    ) -> Verdict<'a> {
        let wanted = Wanted::of(self, token);
        let verb = &token.verb;
        let is_mcp = verb.namespace == MCP;
        let relation = |scope: Option<&'a Scope>, score, exact| {
            scope.map(|scope| Relation {
                scope,
                score,
                exact,
            })
        };
        let namespace = self.namespaces.get(verb.namespace.as_str());
        let of_verb = namespace.and_then(|all| all.verbs.get(verb.action.as_str()));
        let exact = relation(of_verb, if is_mcp { 2.5 } else { 2.0 }, Exact::Yes);
        let same_name = (!is_mcp).then(|| self.verb(MCP, &verb.action)).flatten();
        let fallback = relation(same_name, 0.5, Exact::No);
        match mode {
            RouteMode::Strict => self.strict(
                &Search {
                    index: self,
                    wanted,
                    relations: [exact, fallback, None, None],
                },
                token,
                open,
            ),
            RouteMode::Classic => {
                let kin = relation(namespace.map(|namespace| &namespace.all), 1.0, Exact::No);
                let others = relation(Some(&self.everything), 0.0, Exact::No);
                let search = Search {
                    index: self,
                    wanted,
                    relations: [exact, kin, fallback, others],
                };
                let found = search.best(Need::Some, |rank| self.is_closed(rank, open));
                found.map_or(Verdict::Nothing, |best| {
                    search.settle(best, Need::Some, |rank| self.is_closed(rank, open))
                })
            }
        }
    }

    fn strict<'a>(
        &'a self,
        search: &Search<'a>,
        token: &'a IntentToken,
        open: &OpenBreakers,
    ) -> Verdict<'a> {
        let closed = |rank| self.is_closed(rank, open);
        if let Some(best) = search.best(Need::All, closed) {
            return search.settle(best, Need::All, closed);
        }
        let first = |need| {
            let best: Option<Best> = search.best(need, |_| true);
            best.and_then(|best| self.entry(best.rank))
        };
        if let Some(resting) = first(Need::All).filter(|_| !open.is_empty()) {
            return Verdict::Resting(resting);
        }
        let closest = first(Need::Some);
        closest
            .and_then(|entry| lacking(token, entry).next())
            .map_or(Verdict::Nothing, Verdict::Missing)
    }

    fn is_closed(&self, rank: u32, open: &OpenBreakers) -> bool {
        open.is_empty()
            || self
                .entry(rank)
                .is_none_or(|entry| !open.contains(&entry.descriptor.tool_id))
    }
}

/// The required capabilities of a token, as the index numbers them.
struct Wanted {
    // INVARIANT: sorted, each tag once.
    tags: Vec<Tag>,
    /// How many more there are that no tool has.
    unknown: usize,
}

impl Wanted {
    fn of(index: &RouteIndex, token: &IntentToken) -> Self {
        let (mut tags, mut unknown) = (Vec::new(), Vec::new());
        for wanted in &token.required_capabilities {
            match index.tags.get(wanted.as_str()) {
                Some(tag) => tags.push(*tag),
                None => unknown.push(wanted),
            }
        }
        tags.sort_unstable();
        tags.dedup();
        unknown.sort_unstable();
        unknown.dedup();
        let unknown = unknown.len();
        Self { tags, unknown }
    }

    fn count(&self) -> usize {
        self.tags.len() + self.unknown
    }

    /// How many of them a set has; the set is sorted.
    fn common(&self, set: &[Tag]) -> usize {
        let mut set = set.iter().peekable();
        let has = |tag: &&Tag| {
            while set.next_if(|there| there < tag).is_some() {}
            set.next_if_eq(tag).is_some()
        };
        self.tags.iter().filter(has).count()
    }
}

/// How many of the required capabilities a candidate must have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Need {
    All,
    Some,
}

/// Whether a relation is that of the very verb.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Exact {
    Yes,
    No,
}

/// Tools that share the part of the score that comes from the verb.
///
/// A tool may stand in several, as one of the exact verb also does in its namespace. Only the
/// highest is its own; the others are at least half a point lower, so they never win and never tie
/// with a winner.
#[derive(Clone, Copy)]
struct Relation<'a> {
    scope: &'a Scope,
    score: f32,
    exact: Exact,
}

/// The best candidate so far.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Best {
    total: f32,
    exact: Exact,
    rank: u32,
}

impl Best {
    fn beats(&self, other: &Self) -> bool {
        let by_score = other.total.total_cmp(&self.total);
        by_score
            .then(self.exact.cmp(&other.exact))
            .then(self.rank.cmp(&other.rank))
            .is_lt()
    }
}

struct Search<'a> {
    index: &'a RouteIndex,
    wanted: Wanted,
    /// Those with the higher scores first.
    relations: [Option<Relation<'a>>; 4],
}

impl<'a> Search<'a> {
    fn relations(&self) -> impl Iterator<Item = &Relation<'a>> {
        self.relations.iter().flatten()
    }

    /// The first candidate by score, exact verb, tier and id.
    fn best(&self, need: Need, passes: impl Fn(u32) -> bool) -> Option<Best> {
        let mut best: Option<Best> = None;
        for relation in self.relations() {
            let floor = best.map_or(f32::MIN_POSITIVE, |best| best.total);
            self.each(relation, need, floor, |slots, total| {
                let found = slots.first(&passes).map(|rank| Best {
                    total,
                    exact: relation.exact,
                    rank,
                });
                if let Some(found) = found
                    && best.is_none_or(|best| found.beats(&best))
                {
                    best = Some(found);
                }
                best.map_or(f32::MIN_POSITIVE, |best| best.total)
            });
        }
        best
    }

    /// The best one, unless another server's tool is like it in all but the id.
    fn settle(&self, best: Best, need: Need, passes: impl Fn(u32) -> bool) -> Verdict<'a> {
        let Some(first) = self.index.entry(best.rank) else {
            return Verdict::Nothing;
        };
        let of_server = self
            .index
            .facts(best.rank)
            .filter(|facts| facts.server.is_some());
        let rival = of_server.and_then(|facts| self.rival(best, facts, need, passes));
        match rival.and_then(|rank| self.index.entry(rank)) {
            Some(rival) => Verdict::Tie(first, rival),
            None => Verdict::Tool(first),
        }
    }

    fn rival(
        &self,
        best: Best,
        facts: Facts,
        need: Need,
        passes: impl Fn(u32) -> bool,
    ) -> Option<u32> {
        let mut rival: Option<u32> = None;
        let alike = self.relations().filter(|one| one.exact == best.exact);
        for relation in alike {
            self.each(relation, need, best.total, |slots, total| {
                if total.total_cmp(&best.total).is_eq() {
                    let found = slots.first_of_another(self.index, facts, &passes);
                    rival = rival.into_iter().chain(found).min();
                }
                best.total
            });
        }
        rival
    }

    /// Shows the candidates of a relation, a set of tags at a time, to `see`, which answers with the
    /// lowest total that is still of interest; those certainly below it are left out.
    fn each(
        &self,
        relation: &Relation<'_>,
        need: Need,
        floor: f32,
        mut see: impl FnMut(&Slots, f32) -> f32,
    ) {
        let Relation { scope, score, .. } = *relation;
        let wanted = self.wanted.count();
        let mut floor = floor;
        if score >= floor && (need == Need::Some || wanted == 0) {
            floor = see(&scope.all, score);
        }
        if wanted == 0 || score + score::tags(1, 1) < floor {
            return;
        }
        match need {
            Need::All if self.wanted.unknown > 0 => {}
            Need::All => {
                let lists = self.wanted.tags.iter().map(|tag| scope.holding(*tag));
                let shortest = lists.min_by_key(|list| list.len()).unwrap_or_default();
                self.walk(relation, shortest, wanted, floor, &mut see);
            }
            Need::Some => {
                for tag in &self.wanted.tags {
                    floor = self.walk(relation, scope.holding(*tag), 1, floor, &mut see);
                }
            }
        }
    }

    /// Shows the groups of a list with at least so many of the wanted tags.
    fn walk(
        &self,
        relation: &Relation<'_>,
        list: &[u32],
        at_least: usize,
        mut floor: f32,
        see: &mut impl FnMut(&Slots, f32) -> f32,
    ) -> f32 {
        let wanted = self.wanted.count();
        for group in list.iter().filter_map(|place| relation.scope.group(*place)) {
            let size = group.tags.len();
            // More tags than wanted only ever lower the share, and the list goes up in them.
            if size >= wanted && relation.score + score::tags(wanted, size) < floor {
                break;
            }
            let common = self.wanted.common(&group.tags);
            let total = relation.score + score::tags(common, wanted + size - common);
            if common >= at_least && total >= floor {
                floor = see(&group.slots, total);
            }
        }
        floor
    }
}
