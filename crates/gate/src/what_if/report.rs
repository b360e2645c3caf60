//! What a candidate would have changed, summed up for people and as JSON.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use chrono::{DateTime, Utc};
use serde_json::{Value, json};
use tipstaff_policy::PolicySet;
use tipstaff_schema::sanitization::sanitize_for_display;
use tipstaff_schema::{Digest, Effect};
use uuid::Uuid;

use super::judgeable::NotJudgeable;
use super::recorded::Then;
use crate::{Stage, Verdict};

/// How many calls of one group are shown.
const EXAMPLES: usize = 3;

/// How many names of denies are listed that were taken as they are written.
const ASSUMED: usize = 20;

/// What a candidate would have changed.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Report {
    /// The digest of the candidate's rules.
    pub policy_digest: Digest,
    /// The calls that were judged again.
    pub judged: u64,
    /// How those were decided then.
    pub then: Tally,
    /// How the candidate decides them.
    pub now: Tally,
    /// Calls that are decided otherwise; wider ones first, then the larger groups.
    pub changes: Vec<Change>,
    /// Calls with the same outcome by another rule or at another stage.
    pub by_another_rule: u64,
    /// Calls that could not be judged again.
    pub not_judged: Vec<NotJudged>,
    /// Calls that policy never saw, by the stage at which they ended.
    pub never_reached: BTreeMap<String, u64>,
    /// How the candidate's rules were used, in file order.
    pub rules: Vec<RuleUse>,
    /// Names of the candidate's denies of which nothing was recorded: taken as they are written. At
    /// most twenty.
    pub assumed_names: BTreeSet<String>,
}

/// How many calls came to which outcome.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Tally {
    /// Allowed.
    pub allow: u64,
    /// Asked.
    pub ask: u64,
    /// Denied.
    pub deny: u64,
}

/// Calls of one tool that one rule decides otherwise.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Change {
    /// What was decided then.
    pub from: Effect,
    /// What the candidate decides.
    pub to: Effect,
    /// The candidate's rule that decides; none where no rule does.
    pub rule: Option<String>,
    /// Where the candidate decides.
    pub stage: Stage,
    /// The rule that decided then; none where no rule did.
    pub was: Option<String>,
    /// The tool.
    pub tool: String,
    /// How many calls.
    pub calls: u64,
    /// The first few of them.
    pub examples: Vec<Example>,
}

/// One call, for people. All texts are fit to be shown on one line.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Example {
    /// The call's id in the journal.
    pub call: Uuid,
    /// When it was judged.
    pub at: DateTime<Utc>,
    /// Who called.
    pub agent: String,
    /// What it does.
    pub what: String,
    /// Why it was decided as it was.
    pub then: String,
    /// Why the candidate decides as it does.
    pub now: String,
}

/// Calls of one tool that could not be judged again.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct NotJudged {
    /// The tool.
    pub tool: String,
    /// Why.
    pub why: NotJudgeable,
    /// How many calls.
    pub calls: u64,
}

/// How one rule was used.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct RuleUse {
    /// The rule.
    pub id: String,
    /// Its effect.
    pub effect: Effect,
    /// In how many calls it matched, or stopped something below a folder.
    pub matched: u64,
    /// How many calls it decided.
    pub decided: u64,
}

impl Tally {
    fn count(&mut self, effect: Effect) {
        let count = match effect {
            Effect::Allow => &mut self.allow,
            Effect::Ask => &mut self.ask,
            Effect::Deny => &mut self.deny,
        };
        *count += 1;
    }

    fn json(self) -> Value {
        json!({ "allow": self.allow, "ask": self.ask, "deny": self.deny })
    }
}

impl Change {
    /// Whether the candidate is less strict.
    #[must_use]
    pub fn widens(&self) -> bool {
        self.to < self.from
    }

    fn is_like(&self, other: &Self) -> bool {
        (self.from, self.to, self.stage) == (other.from, other.to, other.stage)
            && (&self.rule, &self.was, &self.tool) == (&other.rule, &other.was, &other.tool)
    }
}

impl Report {
    pub(super) fn new(policy: &PolicySet) -> Self {
        let unused = |rule: &Arc<tipstaff_policy::Rule>| RuleUse {
            id: rule.id().to_string(),
            effect: rule.effect(),
            matched: 0,
            decided: 0,
        };
        Self {
            policy_digest: policy.digest(),
            judged: 0,
            then: Tally::default(),
            now: Tally::default(),
            changes: Vec::new(),
            by_another_rule: 0,
            not_judged: Vec::new(),
            never_reached: BTreeMap::new(),
            rules: policy.rules().iter().map(unused).collect(),
            assumed_names: BTreeSet::new(),
        }
    }

    /// How many calls are decided otherwise.
    #[must_use]
    pub fn changed(&self) -> u64 {
        self.changes.iter().map(|change| change.calls).sum()
    }

    /// How many calls could not be judged again.
    #[must_use]
    pub fn not_judgeable(&self) -> u64 {
        self.not_judged.iter().map(|group| group.calls).sum()
    }

    /// The rules that matched no call.
    pub fn never_hit(&self) -> impl Iterator<Item = &RuleUse> {
        self.rules.iter().filter(|rule| rule.matched == 0)
    }

    pub(super) fn never_reached(&mut self, stage: String) {
        *self.never_reached.entry(stage).or_default() += 1;
    }

    pub(super) fn not_judged(&mut self, tool: String, why: &NotJudgeable) {
        let same = |group: &&mut NotJudged| group.tool == tool && group.why == *why;
        match self.not_judged.iter_mut().find(same) {
            Some(group) => group.calls += 1,
            None => self.not_judged.push(NotJudged {
                tool,
                why: why.clone(),
                calls: 1,
            }),
        }
    }

    pub(super) fn stays(&mut self, effect: Effect) {
        self.judged += 1;
        self.then.count(effect);
        self.now.count(effect);
    }

    pub(super) fn decided(&mut self, place: usize) {
        if let Some(rule) = self.rules.get_mut(place) {
            rule.decided += 1;
        }
    }

    pub(super) fn matched(&mut self, place: usize) {
        if let Some(rule) = self.rules.get_mut(place) {
            rule.matched += 1;
        }
    }

    pub(super) fn judged(
        &mut self,
        tool: String,
        then: &Then,
        now: &Verdict,
        example: impl FnOnce() -> Example,
    ) {
        self.judged += 1;
        self.then.count(then.effect);
        self.now.count(now.effect);
        if then.effect == now.effect {
            let same = then.rule == now.policy_id && then.stage == now.stage.as_str();
            self.by_another_rule += u64::from(!same);
            return;
        }
        let change = Change {
            from: then.effect,
            to: now.effect,
            rule: now.policy_id.clone(),
            stage: now.stage,
            was: then.rule.as_deref().map(sanitize_for_display),
            tool,
            calls: 0,
            examples: Vec::new(),
        };
        let found = self.changes.iter().position(|group| group.is_like(&change));
        let place = found.unwrap_or_else(|| {
            self.changes.push(change);
            self.changes.len() - 1
        });
        if let Some(group) = self.changes.get_mut(place) {
            group.calls += 1;
            if group.examples.len() < EXAMPLES {
                group.examples.push(example());
            }
        }
    }

    pub(super) fn assumed(&mut self, names: BTreeSet<String>) {
        let room = ASSUMED.saturating_sub(self.assumed_names.len());
        let names = names.into_iter().map(|name| sanitize_for_display(&name));
        self.assumed_names.extend(names.take(room));
    }

    pub(super) fn sort(&mut self) {
        self.changes.sort_by(|a, b| {
            let key = |c: &Change| (!c.widens(), std::cmp::Reverse(c.calls));
            key(a)
                .cmp(&key(b))
                .then_with(|| (&a.tool, &a.rule).cmp(&(&b.tool, &b.rule)))
        });
        self.not_judged
            .sort_by_key(|group| (std::cmp::Reverse(group.calls), group.tool.clone()));
    }

    /// The report as JSON.
    #[must_use]
    pub fn to_json(&self) -> Value {
        let example = |example: &Example| {
            json!({
                "call": example.call, "at": example.at, "agent": example.agent,
                "what": example.what, "then": example.then, "now": example.now,
            })
        };
        let changes = self.changes.iter().map(|change| {
            json!({
                "from": change.from, "to": change.to, "widens": change.widens(),
                "rule": change.rule, "stage": change.stage.as_str(), "was": change.was,
                "tool": change.tool, "calls": change.calls,
                "examples": change.examples.iter().map(example).collect::<Vec<_>>(),
            })
        });
        let not_judged = self.not_judged.iter().map(|group| {
            json!({ "tool": group.tool, "why": group.why.to_string(), "calls": group.calls })
        });
        let rules = self.rules.iter().map(|rule| {
            json!({
                "id": rule.id, "effect": rule.effect, "matched": rule.matched, "decided": rule.decided,
            })
        });
        json!({
            "policy_digest": self.policy_digest,
            "judged": self.judged,
            "then": self.then.json(),
            "now": self.now.json(),
            "changed": self.changed(),
            "changes": changes.collect::<Vec<_>>(),
            "by_another_rule": self.by_another_rule,
            "not_judgeable": self.not_judgeable(),
            "not_judged": not_judged.collect::<Vec<_>>(),
            "never_reached": self.never_reached,
            "rules": rules.collect::<Vec<_>>(),
            "never_hit": self.never_hit().map(|rule| &rule.id).collect::<Vec<_>>(),
            "assumed_names": self.assumed_names,
        })
    }
}
