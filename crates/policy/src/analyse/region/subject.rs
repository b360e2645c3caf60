//! What a call acts on: its kind, its action, the value, and where that stands in the parameters.

use serde_json::{Value, json};
use tipstaff_resource::{Base, CaseRule, Pattern, Resource, Search};
use tipstaff_schema::{Access, Effect, Placement, ResourceKind, ResourceRule};

use super::find::Asked;
use super::{Found, Region, failing, who};
use crate::analyse::call::{Caller, Part};
use crate::analyse::capability::Tool;
use crate::analyse::pair::{access_word, program_for, put, quoted};
use crate::explain::Dimension;
use crate::rule::Rule;
use crate::target::{Target, case_of};

/// So many places are looked at for one value.
const MOST: usize = 4_000;

/// What kind of part of a call is looked for.
#[derive(Debug, Clone)]
pub(super) enum Kind {
    /// Nothing that was derived. The flag says that the tool usually derives something.
    Nothing(String, Far),
    /// A resource of this rule, with this action.
    Resource(ResourceRule, String),
    /// A simple command.
    Command,
}

/// Whether a call of this kind can be made by plain means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Far {
    No,
    Yes,
}

impl Kind {
    pub(super) fn is_far(&self) -> bool {
        matches!(self, Self::Nothing(_, Far::Yes))
    }
}

/// The answer: all that hangs on what the call acts on.
pub(super) struct Place {
    pub(super) part: Part,
    pub(super) action: String,
    pub(super) params: Value,
    pub(super) cwd: Option<String>,
    pub(super) placement: Option<Placement>,
}

/// The kinds of subject that a call of this tool may have, as far as the rules' actions leave them.
pub(super) fn subjects(asked: &Asked<'_, '_>, tool: &Tool) -> Vec<Kind> {
    let failing: Vec<&str> = failing(asked.avoid, Dimension::Action)
        .filter_map(|rule| rule.action())
        .collect();
    let allowed = |action: &str| who::allowed(action, asked.all, &failing);
    let kinds = if tool.is_spawn() {
        of_spawn()
    } else {
        let Some(action) = who::actions(tool, asked.all, asked.avoid).pop() else {
            return Vec::new();
        };
        of_tool(asked, tool, &action)
    };
    let of = |kind: &Kind| match kind {
        Kind::Nothing(action, _) | Kind::Resource(_, action) => allowed(action),
        Kind::Command => allowed("command"),
    };
    let aims = |kind: &Kind| asked.all.iter().all(|rule| can_aim(rule, kind));
    // An allow without a target fails on its target only for commands, and for what is passed on raw.
    let open = super::failing(asked.avoid, Dimension::Target).any(|rule| rule.target.is_none());
    let fails = |kind: &Kind| match kind {
        Kind::Command => true,
        Kind::Resource(..) => tool.profile.keep_raw_resources,
        Kind::Nothing(..) => false,
    };
    kinds
        .into_iter()
        .filter(|kind| of(kind) && aims(kind) && (!open || fails(kind)))
        .collect()
}

/// Whether the target of a rule can match a part of this kind.
fn can_aim(rule: &Rule, kind: &Kind) -> bool {
    match (&rule.target, kind) {
        (None, Kind::Command) => rule.effect != Effect::Allow,
        (None, Kind::Nothing(..) | Kind::Resource(..))
        | (Some(Target::Command(_)), Kind::Command) => true,
        (Some(Target::Resource(pattern)), Kind::Resource(of, _)) => pattern.judges(of.kind),
        (Some(Target::Resource(_)), Kind::Nothing(..) | Kind::Command)
        | (Some(Target::Command(_)), Kind::Nothing(..) | Kind::Resource(..)) => false,
    }
}

fn plain_rule(kind: ResourceKind, access: Option<Access>) -> ResourceRule {
    ResourceRule {
        kind,
        from: "/target".to_owned(),
        access,
        optional: false,
        on: None,
    }
}

fn of_spawn() -> Vec<Kind> {
    let path = [Access::Read, Access::Write, Access::Delete, Access::Execute]
        .map(|access| (ResourceKind::Path, access));
    let effects = path
        .into_iter()
        .chain([(ResourceKind::Host, Access::Connect)]);
    let effects = effects.map(|(kind, access)| {
        Kind::Resource(
            plain_rule(kind, Some(access)),
            access_word(access).to_owned(),
        )
    });
    std::iter::once(Kind::Command)
        .chain(effects)
        .chain([
            Kind::Nothing("agent".to_owned(), Far::No),
            Kind::Nothing("command".to_owned(), Far::Yes),
        ])
        .collect()
}

fn of_tool(asked: &Asked<'_, '_>, tool: &Tool, action: &str) -> Vec<Kind> {
    let action = action.to_owned();
    let rules: Vec<ResourceRule> = if tool.real {
        tool.profile.resources.clone()
    } else {
        let avoided = failing(asked.avoid, Dimension::Target);
        let kinds =
            asked
                .all
                .iter()
                .copied()
                .chain(avoided)
                .filter_map(|rule| match &rule.target {
                    Some(Target::Resource(pattern)) => Some(pattern.kind()),
                    Some(Target::Command(_)) | None => None,
                });
        let mut kinds: Vec<ResourceKind> = kinds.chain([ResourceKind::Url]).collect();
        kinds.sort_unstable();
        kinds.dedup();
        kinds
            .into_iter()
            .map(|kind| plain_rule(kind, None))
            .collect()
    };
    let far = if tool.real && !rules.is_empty() && !rules.iter().all(|rule| rule.optional) {
        Far::Yes
    } else {
        Far::No
    };
    let nothing = Kind::Nothing(action.clone(), far);
    let resources = rules
        .into_iter()
        .map(|rule| Kind::Resource(rule, action.clone()));
    if tool.real {
        resources.chain([nothing]).collect()
    } else {
        std::iter::once(nothing).chain(resources).collect()
    }
}

impl Region<'_> {
    pub(super) fn place(
        &mut self,
        asked: &Asked<'_, '_>,
        caller: &Caller,
        tool: &Tool,
        kind: &Kind,
        params: Value,
    ) -> Result<Place, Found> {
        match kind {
            Kind::Nothing(action, _) => {
                let mut params = params;
                if tool.is_spawn() {
                    put(&mut params, "/input", "look around");
                }
                let (action, part) = (action.clone(), Part::Nothing);
                Ok(Place {
                    part,
                    action,
                    params,
                    cwd: None,
                    placement: None,
                })
            }
            Kind::Resource(rule, action) => {
                let (resource, params) = self.resource(asked, caller, tool, rule, params)?;
                let (action, part) = (action.clone(), Part::Resource(resource));
                Ok(Place {
                    part,
                    action,
                    params,
                    cwd: None,
                    placement: None,
                })
            }
            Kind::Command => self.command(asked, caller, params),
        }
    }

    /// A resource that the targets match, and the parameters from which it is derived.
    fn resource(
        &mut self,
        asked: &Asked<'_, '_>,
        caller: &Caller,
        tool: &Tool,
        rule: &ResourceRule,
        params: Value,
    ) -> Result<(Resource, Value), Found> {
        let root = caller.root.as_deref();
        let all = patterns(asked.all.iter().copied());
        let none = patterns(failing(asked.avoid, Dimension::Target));
        let access = rule.access.unwrap_or(Access::Read);
        let read = |value: &str| {
            let base = Base { cwd: None, root };
            Resource::parse(rule.kind, value, access, &base).ok()
        };
        let meant = |resource: &Resource| {
            let matches =
                |(pattern, case): &(&Pattern, CaseRule)| pattern.matches(resource, root, *case);
            all.iter().all(matches) && !none.iter().any(matches)
        };
        // A condition on the same field has its own idea of the value.
        let fixed = params
            .pointer(&rule.from)
            .and_then(Value::as_str)
            .map(str::to_owned);
        if let Some(resource) = fixed.as_deref().and_then(read).filter(meant) {
            return Ok((resource, params));
        }
        let value = match self.value(rule.kind, &all, &none, root) {
            Search::Found(value) => value,
            Search::Nowhere => return Err(Found::Nowhere),
            Search::NotDecided => return Err(Found::NotDecided),
        };
        let Some(resource) = read(&value) else {
            return Err(Found::NotDecided);
        };
        let raw_only = tool.profile.keep_raw_resources;
        let unnamed = |rule: &&&Rule| {
            rule.effect == Effect::Allow
                && !matches!(&rule.target, Some(Target::Resource(p)) if p.names(&resource))
        };
        if raw_only && asked.all.iter().any(|rule| unnamed(&rule)) {
            return Err(Found::Nowhere);
        }
        let mut params = params;
        if tool.is_spawn() {
            let line = format!("!{} {}", program_for(access), quoted(&value));
            put(&mut params, "/input", &line);
        } else if let Some(place) = params.pointer_mut(&rule.from) {
            *place = json!(value);
        } else {
            put(&mut params, &rule.from, &value);
        }
        Ok((resource, params))
    }

    /// A value that all of some patterns match and none of some others; answers are kept.
    pub(super) fn value(
        &mut self,
        kind: ResourceKind,
        all: &[(&Pattern, CaseRule)],
        none: &[(&Pattern, CaseRule)],
        root: Option<&str>,
    ) -> Search {
        let text = |list: &[(&Pattern, CaseRule)]| {
            let mut texts: Vec<String> = list
                .iter()
                .map(|(p, case)| format!("{:?} {p} {case:?}", p.kind()))
                .collect();
            texts.sort_unstable();
            texts.join("\n")
        };
        let asked = format!("{kind:?}\n{root:?}\n{}\n-\n{}", text(all), text(none));
        if let Some(known) = self.values.get(&asked) {
            return known.clone();
        }
        self.spend(5 * (1 + u64::try_from(all.len() + none.len()).unwrap_or(0)));
        let found = Pattern::search(kind, all, none, root, MOST);
        self.values.insert(asked, found.clone());
        found
    }
}

fn patterns<'a>(rules: impl Iterator<Item = &'a Rule>) -> Vec<(&'a Pattern, CaseRule)> {
    let pattern = |rule: &'a Rule| match &rule.target {
        Some(Target::Resource(pattern)) => Some((pattern, case_of(rule.effect))),
        Some(Target::Command(_)) | None => None,
    };
    rules.filter_map(pattern).collect()
}
