//! The compiled rules: immutable, shared by all who decide, replaced as a whole.

use std::cmp::Ordering;
use std::sync::Arc;

use tipstaff_schema::{CanonError, Digest, Domain, Effect};

use crate::analyse;
use crate::build::{Pool, RuleContext, canonical};
use crate::decision::Decision;
use crate::engine::{Ids, Index, Scope};
use crate::explain::Dimension;
use crate::finding::{Finding, FindingKind, Severity};
use crate::reference;
use crate::request::{Request, Subject};
use crate::rule::Rule;
use crate::target::Target;
use crate::wire::RuleWire;
use crate::world::World;

/// A compiled set of rules. `decide` never fails and never panics: whatever could go wrong was
/// refused when the set was compiled.
#[derive(Debug, Clone)]
pub struct PolicySet {
    rules: Vec<Arc<Rule>>,
    ids: Ids,
    digest: Digest,
    index: Index,
    /// Of the denies with a resource target: those that a call without a resource escapes.
    holes: Index,
}

/// So few rules are asked one after another: no index is faster.
const FEW: usize = 12;

/// What is left to ask of a rule that the index found; what costs most comes last.
const ASKED: [Dimension; 7] = [
    Dimension::Action,
    Dimension::Until,
    Dimension::Placement,
    Dimension::Target,
    Dimension::Hours,
    Dimension::Cwd,
    Dimension::When,
];

/// The rule that wins so far. Rules come in any order, so the place in the file decides what is
/// otherwise equal.
#[derive(Default)]
struct Winner<'a> {
    best: Option<&'a Arc<Rule>>,
    place: usize,
    considered: usize,
}

impl<'a> Winner<'a> {
    fn offer(&mut self, rule: &'a Arc<Rule>, place: usize, count: usize) {
        self.considered += count;
        let weight = |rule: &Rule| (rule.guard, rule.specificity, rule.effect);
        let wins = match self.best.map(|best| weight(rule).cmp(&weight(best))) {
            None | Some(Ordering::Greater) => true,
            Some(Ordering::Equal) => place < self.place,
            Some(Ordering::Less) => false,
        };
        if wins {
            (self.best, self.place) = (Some(rule), place);
        }
    }
}

impl PolicySet {
    /// Checks and compiles the rules, in file order, and reports what is known about them. A finding
    /// of [`Severity::Error`] beside the set (such as an outranked deny) does not stop a library
    /// user; the manifest refuses such a file.
    ///
    /// # Errors
    /// Every rule that cannot be read or can never hold, all at once; nothing is ever dropped.
    pub fn compile(
        rules: Vec<RuleWire>,
        world: &World,
    ) -> Result<(Self, Vec<Finding>), Vec<Finding>> {
        let context = RuleContext {
            timezone: world.timezone,
            capabilities: &world.capabilities,
        };
        let mut pool = Pool::default();
        let (mut checked, mut bad) = (Vec::with_capacity(rules.len()), Vec::new());
        for (index, wire) in rules.into_iter().enumerate() {
            match Rule::read(wire, index, &context, &mut pool) {
                Ok(rule) => checked.push(Arc::new(rule)),
                Err(errors) => bad.extend(errors.into_iter().map(Finding::from)),
            }
        }
        drop(pool);
        bad.extend(equal_ids(&checked));
        bad.extend(
            checked
                .iter()
                .flat_map(|rule| analyse::needs_root(rule, world)),
        );
        if !bad.is_empty() {
            return Err(bad);
        }
        let set = Self::of_rules(checked).map_err(|finding| vec![*finding])?;
        let findings = analyse::at_load(&set, world);
        Ok((set, findings))
    }

    /// A set of checked rules, in this order. Nothing is found out about them, and of two equal ids
    /// the first counts.
    ///
    /// # Errors
    /// A finding where the rules have no digest, since a value in a condition has no canonical form.
    pub(crate) fn of_rules(rules: Vec<Arc<Rule>>) -> Result<Self, Box<Finding>> {
        Ok(Self {
            digest: digest_of(&rules)?,
            index: Index::new(&rules, Scope::Targets, |_| true),
            holes: Index::new(&rules, Scope::WithoutTargets, has_hole),
            ids: Ids::of(&rules),
            rules,
        })
    }

    /// A set without rules: the profile's default decides all.
    ///
    /// # Errors
    /// Never, in practice; see [`PolicySet::compile`].
    pub fn empty() -> Result<Self, Vec<Finding>> {
        Self::compile(Vec::new(), &World::default()).map(|(set, _)| set)
    }

    /// Decides one request. Total.
    #[must_use]
    pub fn decide(&self, request: &Request<'_>) -> Decision {
        if self.rules.len() > FEW {
            return self.decide_by_index(request);
        }
        Decision {
            policy_digest: Some(self.digest),
            ..reference::decide(&self.rules, request)
        }
    }

    /// Decides one request by the index, however few rules there are.
    pub(crate) fn decide_by_index(&self, request: &Request<'_>) -> Decision {
        if request.profile.locked {
            return Decision {
                policy_digest: Some(self.digest),
                ..reference::locked()
            };
        }
        let mut winner = Winner::default();
        self.index.candidates(request, |place, count, through| {
            if let Some(rule) = self.rules.get(place)
                && through.reaches(rule)
                && ASKED
                    .iter()
                    .all(|asked| reference::holds(rule, request, *asked))
            {
                winner.offer(rule, place, count);
            }
        });
        Decision {
            policy_digest: Some(self.digest),
            ..reference::decided(winner.best, winner.considered, request)
        }
    }

    /// The digest over the canonical rules, in order.
    #[must_use]
    pub fn digest(&self) -> Digest {
        self.digest
    }

    /// The rules, in file order.
    #[must_use]
    pub fn rules(&self) -> &[Arc<Rule>] {
        &self.rules
    }

    /// The denies and guards with a resource target whose agent, tool and conditions hold for this
    /// call, in file order, whatever its resource: a probe of symlinks may know what they name under
    /// another name.
    #[must_use]
    pub fn resource_denies(&self, request: &Request<'_>) -> Vec<&Arc<Rule>> {
        let mut places = Vec::new();
        self.holes.candidates(request, |place, _, through| {
            let holds = |rule: &Arc<Rule>| {
                through.reaches(rule) && reference::holds(rule, request, Dimension::When)
            };
            if self.rules.get(place).is_some_and(holds) {
                places.push(place);
            }
        });
        places.sort_unstable();
        let rules = places.into_iter();
        rules.filter_map(|place| self.rules.get(place)).collect()
    }

    /// The rule with this id.
    #[must_use]
    pub fn rule(&self, id: &str) -> Option<&Arc<Rule>> {
        self.rules.get(self.ids.find(id, &self.rules)?)
    }

    /// The first deny or guard with a resource target that could concern this call, if its resource
    /// were known. Where there is one and no resource was derived, the call is at best ask.
    #[must_use]
    pub fn hole(&self, request: &Request<'_>) -> Option<&Arc<Rule>> {
        let request = Request {
            subject: Subject::None,
            ..*request
        };
        let mut first = None;
        self.holes.candidates(&request, |place, _, through| {
            let earlier = first.is_none_or(|first| place < first);
            let holds = |rule: &Arc<Rule>| {
                through.reaches(rule)
                    && ASKED
                        .iter()
                        .filter(|d| !matches!(d, Dimension::Target | Dimension::Cwd))
                        .all(|d| reference::holds(rule, &request, *d))
            };
            if earlier && self.rules.get(place).is_some_and(holds) {
                first = Some(place);
            }
        });
        first.and_then(|first| self.rules.get(first))
    }
}

/// Whether a call whose resource is not known may escape the rule.
fn has_hole(rule: &Rule) -> bool {
    rule.effect == Effect::Deny && matches!(rule.target, Some(Target::Resource(_)))
}

/// Every id that an earlier rule has.
fn equal_ids(rules: &[Arc<Rule>]) -> Vec<Finding> {
    let ids = Ids::of(rules);
    let mut found = Vec::new();
    for (place, rule) in rules.iter().enumerate() {
        let earlier = ids.find(&rule.id, rules).filter(|first| *first != place);
        if let Some(first) = earlier.and_then(|first| rules.get(first)) {
            found.push(Finding {
                kind: FindingKind::DuplicateId,
                severity: Severity::Error,
                rules: vec![rule.id.to_string(), first.id.to_string()],
                indexes: vec![rule.index(), first.index()],
                place: Some(format!("rule {}, id", rule.index() + 1)),
                field: Some("id".to_owned()),
                message: format!(
                    "rules {} and {} both have the id `{}`",
                    first.index() + 1,
                    rule.index() + 1,
                    rule.id
                ),
                fix: "give one of them another id".to_owned(),
                witness: None,
            });
        }
    }
    found
}

/// The digest of `{"rules": [<canonical rule>, …]}`, without holding all of that text at once.
fn digest_of(rules: &[Arc<Rule>]) -> Result<Digest, Box<Finding>> {
    let mut refused = None;
    let many = |(number, rules): (usize, &[Arc<Rule>])| {
        let mut text = String::new();
        for (place, rule) in rules.iter().enumerate() {
            text.push_str(if (number, place) == (0, 0) { "" } else { "," });
            if let Err(error) = canonical::append(rule, &mut text) {
                refused = Some(error);
                return None;
            }
        }
        Some(text)
    };
    let rendered = rules.chunks(256).enumerate().map_while(many);
    let head = std::iter::once("{\"rules\":[".to_owned());
    let digest = Digest::of_pieces(
        Domain::Policy,
        head.chain(rendered).chain(["]}".to_owned()]),
    );
    refused.map_or(Ok(digest), |error: CanonError| {
        Err(Box::new(Finding {
            kind: FindingKind::BadRule,
            severity: Severity::Error,
            rules: Vec::new(),
            indexes: Vec::new(),
            place: None,
            field: None,
            message: format!("the rules have no canonical form: {error}"),
            fix: "write numbers without exponents and texts without broken characters".to_owned(),
            witness: None,
        }))
    })
}
