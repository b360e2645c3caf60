//! What one rule shows by itself, in its world.

use std::collections::{HashMap, HashSet};

use tipstaff_command::{Allowance, Ceiling};
use tipstaff_resource::Pattern;
use tipstaff_schema::{AgentId, Effect, ResourceKind};

use super::finding;
use super::unknown::{near, unknown_agent, unknown_capability};
use crate::error::escape;
use crate::finding::{Finding, FindingKind, Severity};
use crate::reference;
use crate::rule::{Capability, Rule};
use crate::target::Target;
use crate::world::{World, WorldAgent, WorldCapability};

/// What there is, arranged for being asked about many rules.
pub(super) struct Known<'a> {
    world: &'a World,
    agents: HashSet<&'a str>,
    /// The tools that each capability means, once it was asked for.
    covered: HashMap<&'a str, Vec<&'a WorldCapability>>,
}

impl<'a> Known<'a> {
    pub(super) fn of(world: &'a World) -> Self {
        Self {
            world,
            agents: world.agents.iter().map(|agent| agent.id.as_str()).collect(),
            covered: HashMap::new(),
        }
    }

    fn covered(&mut self, rule: &'a Rule) -> &[&'a WorldCapability] {
        let tools = &self.world.capabilities;
        self.covered
            .entry(rule.capability.as_str())
            .or_insert_with(|| {
                let means = |tool: &&WorldCapability| {
                    !tool.sample && rule.capability.matches(&tool.name, &tool.tool_id)
                };
                tools.iter().filter(means).collect()
            })
    }
}

pub(super) fn one_rule<'a>(rule: &'a Rule, known: &mut Known<'a>) -> Vec<Finding> {
    let world = known.world;
    let stranger = rule
        .agent
        .as_ref()
        .is_some_and(|agent| !known.agents.contains(agent.as_str()));
    let covered = known.covered(rule);
    let mut findings = Vec::new();
    findings.extend(expired(rule, world));
    if stranger {
        findings.extend(unknown_agent(rule, world));
    }
    if covered.is_empty() {
        findings.extend(unknown_capability(rule, world));
    } else if complete(rule, world) {
        findings.extend(closed_schema(rule, covered));
        findings.extend(other_action(rule, covered));
        findings.extend(other_kind(rule, covered));
    }
    findings.extend(no_separator(rule));
    findings.extend(hole(rule, covered));
    findings
}

/// A relative pattern, and an agent without a root to put before it: refused when compiled.
pub(crate) fn needs_root(rule: &Rule, world: &World) -> Vec<Finding> {
    let target = match &rule.target {
        Some(Target::Resource(pattern)) => Some(("target", pattern)),
        Some(Target::Command(_)) | None => None,
    };
    let patterns = target
        .into_iter()
        .chain(rule.cwd().map(|cwd| ("cwd", cwd)))
        .chain(ceiling_paths(rule).map(|path| ("effects", path)));
    let relative: Vec<_> = patterns
        .filter(|(_, pattern)| pattern.needs_root())
        .collect();
    if relative.is_empty() {
        return Vec::new();
    }
    let rootless: Vec<&str> = world
        .agents
        .iter()
        .filter(|agent| agent.root.is_none() && applies_to(rule, agent, world))
        .map(|agent| agent.id.as_str())
        .collect();
    let relative = relative.into_iter().filter(|_| !rootless.is_empty());
    relative
        .map(|(field, pattern)| {
            let message = format!("`{pattern}` is relative to an agent's root, and `{}` has none", rootless.join("`, `"));
            let fix = "give the agent a `root`, or write the pattern absolute, or name an agent that has one".to_owned();
            finding(FindingKind::NeedsRoot, Severity::Error, &[rule], field, message, fix)
        })
        .collect()
}

/// The paths that the ceiling of the rule names.
fn ceiling_paths(rule: &Rule) -> impl Iterator<Item = &Pattern> {
    let table = match rule.ceiling() {
        Some(Ceiling::Table(table)) => Some(table),
        Some(Ceiling::ReadOnly | Ceiling::Any) | None => None,
    };
    table
        .into_iter()
        .flat_map(|table| [&table.reads, &table.writes, &table.deletes])
        .flat_map(|allowance| match allowance {
            Allowance::These(patterns) => patterns.as_slice(),
            Allowance::None | Allowance::Any => &[],
        })
}

/// Whether a rule can apply to an agent: by its own name, or by that of one that starts it.
fn applies_to(rule: &Rule, agent: &WorldAgent, world: &World) -> bool {
    let mut parents: Vec<&AgentId> = Vec::new();
    let mut next = agent.parent.as_ref();
    while let Some(parent) = next.filter(|parent| !parents.contains(parent)) {
        parents.push(parent);
        let known = world.agents.iter().find(|agent| agent.id == *parent);
        next = known.and_then(|agent| agent.parent.as_ref());
    }
    let parents: Vec<AgentId> = parents.into_iter().cloned().collect();
    reference::agent_holds(rule, &agent.id, &parents)
}

fn expired(rule: &Rule, world: &World) -> Option<Finding> {
    let (until, now) = (rule.until()?, world.now?);
    (now > until).then(|| {
        let message = format!(
            "rule `{}` ended at {until} and decides nothing any more",
            rule.id
        );
        finding(
            FindingKind::Expired,
            Severity::Warning,
            &[rule],
            "until",
            message,
            "remove it, or set another `until`".to_owned(),
        )
    })
}

/// Whether the world lists every tool that the rule can mean.
fn complete(rule: &Rule, world: &World) -> bool {
    matches!(rule.capability, Capability::Exact(_))
        || world.servers.iter().all(|server| server.listed)
}

/// Conditions that no tool's schema can satisfy. One tool that may satisfy them is enough.
fn closed_schema(rule: &Rule, covered: &[&WorldCapability]) -> Option<Finding> {
    let mut first = None;
    for tool in covered {
        let why = rule
            .when()
            .check_against(tool.input_schema.as_ref()?)
            .into_iter()
            .next()?;
        first.get_or_insert(why);
    }
    let why = first?;
    let field = format!("when.{}", why.index);
    let fix = "correct the path or the value; compare with the tool's input schema".to_owned();
    Some(finding(
        FindingKind::NeverMatches,
        Severity::Error,
        &[rule],
        &field,
        why.message,
        fix,
    ))
}

fn other_action(rule: &Rule, covered: &[&WorldCapability]) -> Option<Finding> {
    let action = rule.action()?;
    const SPAWN: [&str; 7] = [
        "command", "agent", "read", "write", "delete", "connect", "execute",
    ];
    let has = |tool: &&WorldCapability| {
        tool.profile.action == action || (tool.name == "spawn" && SPAWN.contains(&action))
    };
    (!covered.iter().any(has)).then(|| {
        let mut labels: Vec<&str> = covered
            .iter()
            .map(|tool| tool.profile.action.as_str())
            .collect();
        labels.sort_unstable();
        labels.dedup();
        let some: Vec<String> = labels
            .iter()
            .take(8)
            .map(|label| format!("`{label}`"))
            .collect();
        let rest = match labels.len().saturating_sub(8) {
            0 => String::new(),
            more => format!(" or {more} more"),
        };
        let message = format!(
            "no tool of the rule has the action `{}`, so it would never fire",
            escape(action)
        );
        let fix = near(
            action,
            &labels,
            &format!("use one of {}{rest}", some.join(", ")),
        );
        finding(
            FindingKind::NeverMatches,
            Severity::Error,
            &[rule],
            "action",
            message,
            fix,
        )
    })
}

/// A target of a kind that none of the tools acts on.
fn other_kind(rule: &Rule, covered: &[&WorldCapability]) -> Option<Finding> {
    let pattern = match &rule.target {
        Some(Target::Resource(pattern)) => pattern,
        Some(Target::Command(_)) | None => return None,
    };
    let yields = |tool: &&WorldCapability| {
        tool.name == "spawn"
            || tool
                .profile
                .resources
                .iter()
                .any(|r| pattern.judges(r.kind))
    };
    if covered.iter().any(yields)
        || (rule.effect == Effect::Deny
            && covered.iter().any(|tool| tool.profile.resources.is_empty()))
    {
        return None;
    }
    let derived = covered
        .iter()
        .any(|tool| !tool.profile.resources.is_empty());
    let severity = if derived {
        Severity::Error
    } else {
        Severity::Warning
    };
    let message = format!(
        "no tool of the rule acts on a resource that `{pattern}` judges, so it would never fire"
    );
    let fix = "give the tool a `resource` of that kind, or name another kind of target".to_owned();
    Some(finding(
        FindingKind::NeverMatches,
        severity,
        &[rule],
        "target",
        message,
        fix,
    ))
}

/// `git*` also covers `gitleaks`: in an allow, a star needs an edge before it.
fn no_separator(rule: &Rule) -> Vec<Finding> {
    if rule.effect != Effect::Allow {
        return Vec::new();
    }
    let (resource, command) = match &rule.target {
        Some(Target::Resource(pattern)) => (Some(pattern.as_str()), None),
        Some(Target::Command(pattern)) => (None, Some(pattern.words())),
        None => (None, None),
    };
    let words = command.into_iter().flatten().map(String::as_str);
    let targets = resource
        .into_iter()
        .chain(words)
        .map(|text| ("target", text));
    let texts = [("capability", rule.capability.as_str())]
        .into_iter()
        .chain(targets);
    texts
        .filter(|(_, text)| text.contains('*') && text.chars().zip(text.chars().skip(1)).any(|(before, star)| star == '*' && before.is_alphanumeric()))
        .map(|(field, text)| {
            let shown = escape(text);
            let message = format!("there is no separator before `*` in `{shown}`, so it also allows longer names");
            let fix = "put a separator before the star, such as `/`, `_`, `-` or `:`, or write the names out".to_owned();
            finding(FindingKind::NoSeparator, Severity::Warning, &[rule], field, message, fix)
        })
        .collect()
}

/// Tools that a deny with a target may concern, and whose resources nobody derives: each call to them asks.
fn hole(rule: &Rule, covered: &[&WorldCapability]) -> Option<Finding> {
    let pattern: &Pattern = match &rule.target {
        Some(Target::Resource(pattern)) if rule.effect == Effect::Deny => pattern,
        Some(Target::Resource(_) | Target::Command(_)) | None => return None,
    };
    let open = |tool: &&&WorldCapability| {
        tool.profile.resources.is_empty()
            && !tool.profile.locked
            && tool.name != "spawn"
            && rule
                .action()
                .as_ref()
                .is_none_or(|a| **a == *tool.profile.action)
    };
    let mut names: Vec<&str> = covered
        .iter()
        .filter(open)
        .map(|tool| tool.name.as_str())
        .collect();
    if names.is_empty() || pattern.kind() == ResourceKind::Command {
        return None;
    }
    let more = names.len().saturating_sub(5);
    names.truncate(5);
    let rest = if more > 0 {
        format!(" and {more} more")
    } else {
        String::new()
    };
    let message = format!(
        "`{}` may concern `{}`{rest}, which have no resource rule, so their calls are at best ask",
        rule.id,
        names.join("`, `")
    );
    let fix = "give them a `resource` in `tools`, or name the tools that the rule means".to_owned();
    Some(finding(
        FindingKind::Hole,
        Severity::Note,
        &[rule],
        "target",
        message,
        fix,
    ))
}
