//! The order of precedence, in one place: own ground, then policy part by part (locked, guards,
//! rules, default), then what tightens.
//!
//! Pure: files were probed before, time is passed in. A call with several resources, and a command
//! with several parts, is judged part by part: the strictest verdict is the call's.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, PoisonError};

use chrono::{DateTime, Utc};
use serde_json::Value;
use tipstaff_command::{CommandEffect, CommandPlan, is_place_that_executes};
use tipstaff_policy::{DecidedBy, Decision, PolicySet, Request, Rule, Subject, reference};
use tipstaff_registry::ToolEntry;
use tipstaff_resource::{Base, Resource};
use tipstaff_schema::sanitization::sanitize_for_display;
use tipstaff_schema::{Access, AgentId, Effect, Placement, ResourceKind};

use crate::explain::Trace;
use crate::own_ground::OwnGround;
use crate::probe::OtherNames;
use crate::{Program, Session, Stage, Verdict};

mod command;
mod effect;

pub(crate) use effect::describe;

/// Everything that judging one call rests on.
#[derive(Debug)]
pub(crate) struct Case<'a> {
    pub(crate) policy: &'a PolicySet,
    pub(crate) own: &'a OwnGround,
    pub(crate) session: &'a Session,
    pub(crate) root: Option<&'a str>,
    pub(crate) entry: &'a ToolEntry,
    pub(crate) action: &'a str,
    pub(crate) params: &'a Value,
    /// As derived.
    pub(crate) resources: &'a [Resource],
    /// Where symlinks lead; empty when nothing was probed.
    pub(crate) resolved: &'a [Resource],
    pub(crate) plan: Option<&'a CommandPlan>,
    /// The plan's effects on the files to which symlinks lead; empty when nothing was probed.
    pub(crate) moved: &'a [CommandEffect],
    /// By which other names denies know what the call acts on; empty when nothing was probed.
    pub(crate) names: &'a OtherNames,
    /// The programs it starts that its agent may change; empty when nothing was looked up.
    pub(crate) changeable: &'a [Program],
    pub(crate) cwd: Option<&'a str>,
    pub(crate) placement: Option<&'a Placement>,
    /// The caller's additions to the environment.
    pub(crate) env: &'a BTreeMap<String, String>,
    pub(crate) raw_differs: bool,
    pub(crate) require_approval: bool,
    pub(crate) at: DateTime<Utc>,
    /// Who looks on.
    pub(crate) watch: Watch<'a>,
    /// Rules that are only tried: as if they stood behind those of the policy.
    pub(crate) more: &'a [Arc<Rule>],
}

impl<'a> Case<'a> {
    fn request(&self, action: &'a str, subject: Subject<'a>) -> Request<'a> {
        Request {
            agent: &self.session.agent,
            parents: self.parents(),
            root: self.root,
            capability: &self.entry.name,
            tool_id: &self.entry.descriptor.tool_id,
            profile: &self.entry.profile,
            action,
            subject,
            params: self.params,
            cwd: self.cwd,
            placement: self.placement,
            at: self.at,
        }
    }

    fn parents(&self) -> &'a [AgentId] {
        &self.session.parents
    }

    /// What policy says of one request.
    fn ask(&self, request: &Request<'_>) -> Decision {
        match self.watch {
            Watch::Nobody => {}
            Watch::Explain(trace) => trace.borrow_mut().ask(self.policy, request),
            Watch::Count(matched) => matched.note(self.policy, request),
        }
        let decision = self.policy.decide(request);
        if self.more.is_empty() {
            return decision;
        }
        let decided = decision.rule().into_iter();
        let rules: Vec<Arc<Rule>> = decided.chain(self.more).cloned().collect();
        reference::decide(&rules, request)
    }

    /// Keeps the verdict on one part.
    fn saw(&self, verdict: &Verdict) {
        if let Watch::Explain(trace) = self.watch {
            trace.borrow_mut().see(verdict);
        }
    }

    /// Judges one request and says at which stage it was decided.
    fn decide(&self, action: &'a str, subject: Subject<'a>, part: Option<String>) -> Verdict {
        let decision = self.ask(&self.request(action, subject));
        let stage = stage_of(decision.source);
        Verdict::of(decision, stage, part)
    }
}

/// Who looks on while a call is judged. It changes nothing of what is decided.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Watch<'a> {
    /// Nobody: the call is to run, or only its verdict counts.
    Nobody,
    /// Somebody wants to know why.
    Explain(&'a RefCell<Trace>),
    /// Somebody counts the rules that matched.
    Count(&'a Matched),
}

/// The ids of the rules that matched a call or one of its parts.
#[derive(Debug, Default)]
pub(crate) struct Matched(Mutex<BTreeSet<Arc<str>>>);

impl Matched {
    fn note(&self, policy: &PolicySet, request: &Request<'_>) {
        let rules = policy.rules().iter();
        let matching = rules.filter(|rule| reference::matches(rule, request));
        let ids = matching.map(|rule| Arc::clone(rule.id()));
        let mut noted = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        noted.extend(ids);
    }

    /// All of them.
    pub(crate) fn into_ids(self) -> BTreeSet<Arc<str>> {
        self.0.into_inner().unwrap_or_else(PoisonError::into_inner)
    }
}

fn stage_of(source: DecidedBy) -> Stage {
    match source {
        DecidedBy::Locked => Stage::Locked,
        DecidedBy::Guard => Stage::Guard,
        DecidedBy::Rule => Stage::Policy,
        DecidedBy::Default => Stage::Default,
    }
}

/// Judges a call whose structure holds.
pub(crate) fn judge(case: &Case<'_>) -> Verdict {
    let own = case
        .resources
        .iter()
        .chain(case.resolved)
        .find_map(|r| Some((r, case.own.touches(r)?)));
    if let Some((resource, why)) = own {
        let mut verdict = Verdict::plain(Effect::Deny, Stage::OwnGround, why);
        verdict.part = Some(sanitize_for_display(resource.value()));
        return verdict;
    }
    let verdict = match case.plan {
        Some(plan) => command::judge(case, plan),
        None => judge_resources(case),
    };
    tighten(case, verdict)
}

fn judge_resources(case: &Case<'_>) -> Verdict {
    if case.resources.is_empty() {
        let verdict = case.decide(case.action, Subject::None, None);
        case.saw(&verdict);
        let hole = case
            .policy
            .hole(&case.request(case.action, Subject::None))
            .filter(|_| verdict.effect == Effect::Allow);
        return match hole {
            Some(rule) => {
                let why = format!(
                    "rule `{}` could concern this call, and the tool has no resource rule that tells",
                    rule.id()
                );
                verdict.stricter(Verdict::plain(Effect::Ask, Stage::Unknown, why))
            }
            None => verdict,
        };
    }
    let many = case.resources.len() + case.resolved.len() > 1;
    case.resources
        .iter()
        .chain(case.resolved)
        .map(|resource| {
            let part = many.then(|| sanitize_for_display(resource.value()));
            let verdict = case.decide(case.action, Subject::Resource(resource), part);
            match run_later(resource) {
                Some(runs) => verdict.stricter(case.decide(
                    "execute",
                    Subject::Resource(&runs),
                    Some(format!("executes {}", sanitize_for_display(runs.value()))),
                )),
                None => verdict,
            }
        })
        .chain(denied_by_name(case))
        .inspect(|verdict| case.saw(verdict))
        .reduce(Verdict::stricter)
        .unwrap_or_else(|| Verdict::plain(Effect::Deny, Stage::Resource, "nothing to judge"))
}

/// What denies and guards say of the same things by the names that they use.
fn denied_by_name<'a>(case: &'a Case<'a>) -> impl Iterator<Item = Verdict> {
    let verdicts = case.names.resources.iter().map(|resource| {
        let part = sanitize_for_display(resource.value());
        case.decide(case.action, Subject::Resource(resource), Some(part))
    });
    verdicts.filter(|verdict| verdict.effect == Effect::Deny)
}

/// To write where something will be run is to execute it too.
fn run_later(resource: &Resource) -> Option<Resource> {
    let writes = resource.kind() == ResourceKind::Path && resource.access() == Access::Write;
    let value = Some(resource.value()).filter(|value| writes && is_place_that_executes(value))?;
    Resource::parse(ResourceKind::Path, value, Access::Execute, &Base::default()).ok()
}

fn tighten(case: &Case<'_>, mut verdict: Verdict) -> Verdict {
    if verdict.effect == Effect::Allow && case.raw_differs {
        let why = "the server is sent another spelling than the one that was judged, which it may read otherwise";
        verdict = verdict.stricter(Verdict::plain(Effect::Ask, Stage::Unknown, why));
    }
    let raw = case.entry.profile.keep_raw_resources && !case.resources.is_empty();
    if verdict.effect == Effect::Allow && verdict.stage == Stage::Default && raw {
        let why =
            "the server is sent the raw spelling, so that only a rule with an exact pattern allows";
        verdict = verdict.stricter(Verdict::plain(Effect::Ask, Stage::Unknown, why));
    }
    let set = case.env.keys().find(|name| !command::is_neutral(name));
    if let (Effect::Allow, None, Some(name)) = (verdict.effect, case.plan, set) {
        let mut ask = Verdict::plain(
            Effect::Ask,
            Stage::Unknown,
            "the caller sets a variable that may change what runs",
        );
        ask.part = Some(sanitize_for_display(name));
        verdict = verdict.stricter(ask);
    }
    let below = case
        .resources
        .iter()
        .chain(case.resolved)
        .find(|r| reads_deep(r) && case.own.lies_below(r.value()));
    if let (Effect::Allow, Some(folder)) = (verdict.effect, below) {
        let mut ask = Verdict::plain(
            Effect::Ask,
            Stage::OwnGround,
            "tipstaff's own files lie below it",
        );
        ask.part = Some(sanitize_for_display(folder.value()));
        verdict = verdict.stricter(ask);
    }
    if verdict.effect == Effect::Allow && case.require_approval {
        verdict.effect = Effect::Ask;
        verdict.stage = Stage::Tighten;
        verdict.tightened = true;
        verdict.reason = format!("the caller asks for approval; else: {}", verdict.reason);
    }
    verdict
}

fn reads_deep(resource: &Resource) -> bool {
    resource.kind() == ResourceKind::Path && resource.access() != Access::Connect
}
