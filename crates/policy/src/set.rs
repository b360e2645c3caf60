//! The compiled rules: immutable, shared by all who decide, replaced as a whole.

use std::collections::HashMap;
use std::sync::Arc;

use serde_json::{Value, json};
use tipstaff_schema::{Digest, Domain, Effect};

use crate::analyse;
use crate::build::RuleContext;
use crate::decision::Decision;
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
    by_id: HashMap<Arc<str>, usize>,
    literal_denies: Vec<usize>,
    digest: Digest,
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
        let (mut checked, mut bad) = (Vec::new(), Vec::new());
        for (index, wire) in rules.into_iter().enumerate() {
            match Rule::try_from_wire(wire, index, &context) {
                Ok(rule) => checked.push(Arc::new(rule)),
                Err(errors) => bad.extend(errors.into_iter().map(Finding::from)),
            }
        }
        let by_id = index_ids(&checked, &mut bad);
        bad.extend(
            checked
                .iter()
                .flat_map(|rule| analyse::needs_root(rule, world)),
        );
        let digest = match digest_of(&checked) {
            Ok(digest) if bad.is_empty() => digest,
            Ok(_) => return Err(bad),
            Err(finding) => {
                bad.push(*finding);
                return Err(bad);
            }
        };
        let literal_denies = checked
            .iter()
            .enumerate()
            .filter(|(_, rule)| rule.effect == Effect::Deny && has_literal_lead(rule))
            .map(|(index, _)| index)
            .collect();
        let set = Self {
            literal_denies,
            rules: checked,
            by_id,
            digest,
        };
        let findings = analyse::at_load(&set, world);
        Ok((set, findings))
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
        let mut decision = reference::decide(&self.rules, request);
        decision.policy_digest = Some(self.digest);
        decision
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

    /// The denies and guards whose path pattern begins with literal folders or names: a probe of
    /// symlinks may know what they name under another name.
    pub fn literal_denies(&self) -> impl Iterator<Item = &Arc<Rule>> {
        self.literal_denies
            .iter()
            .filter_map(|index| self.rules.get(*index))
    }

    /// The rule with this id.
    #[must_use]
    pub fn rule(&self, id: &str) -> Option<&Arc<Rule>> {
        self.by_id.get(id).and_then(|index| self.rules.get(*index))
    }

    /// The first deny or guard with a resource target that could concern this call, if its resource
    /// were known. Where there is one and no resource was derived, the call is at best ask.
    #[must_use]
    pub fn hole(&self, request: &Request<'_>) -> Option<&Arc<Rule>> {
        let request = Request {
            subject: Subject::None,
            ..*request
        };
        self.rules.iter().find(|rule| {
            rule.effect == Effect::Deny
                && matches!(rule.target, Some(Target::Resource(_)))
                && Dimension::ALL
                    .into_iter()
                    .filter(|d| !matches!(d, Dimension::Target | Dimension::Cwd))
                    .all(|d| reference::holds(rule, &request, d))
        })
    }
}

fn has_literal_lead(rule: &Rule) -> bool {
    match &rule.target {
        // Any root will do: what hangs on one begins with it.
        Some(Target::Resource(pattern)) => pattern.literal_lead(Some("/root")).is_some(),
        Some(Target::Command(_)) | None => false,
    }
}

fn index_ids(rules: &[Arc<Rule>], bad: &mut Vec<Finding>) -> HashMap<Arc<str>, usize> {
    let mut by_id: HashMap<Arc<str>, usize> = HashMap::new();
    for (place, rule) in rules.iter().enumerate() {
        if let Some(first) = by_id.get(&rule.id).and_then(|first| rules.get(*first)) {
            bad.push(Finding {
                kind: FindingKind::DuplicateId,
                severity: Severity::Error,
                rules: vec![rule.id.to_string(), first.id.to_string()],
                indexes: vec![rule.index, first.index],
                place: Some(format!("rule {}, id", rule.index + 1)),
                field: Some("id".to_owned()),
                message: format!(
                    "rules {} and {} both have the id `{}`",
                    first.index + 1,
                    rule.index + 1,
                    rule.id
                ),
                fix: "give one of them another id".to_owned(),
                witness: None,
            });
            continue;
        }
        by_id.insert(Arc::clone(&rule.id), place);
    }
    by_id
}

fn digest_of(rules: &[Arc<Rule>]) -> Result<Digest, Box<Finding>> {
    let canonical: Vec<Value> = rules.iter().map(|rule| rule.canonical.clone()).collect();
    Digest::of(Domain::Policy, &json!({ "rules": canonical })).map_err(|error| {
        Box::new(Finding {
            kind: FindingKind::BadRule,
            severity: Severity::Error,
            rules: Vec::new(),
            indexes: Vec::new(),
            place: None,
            field: None,
            message: format!("the rules have no canonical form: {error}"),
            fix: "write numbers without exponents and texts without broken characters".to_owned(),
            witness: None,
        })
    })
}
