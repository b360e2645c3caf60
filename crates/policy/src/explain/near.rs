//! Why one dimension of a rule does not match, in words: what the rule wants there, what the request
//! has, and where the two part.

use chrono::{DateTime, SecondsFormat, Utc};
use chrono_tz::Tz;
use tipstaff_command::CommandPattern;
use tipstaff_resource::{CaseRule, Pattern, Resource};
use tipstaff_schema::{Effect, ResourceKind};

use super::Dimension;
use crate::error::escape;
use crate::hours::Hours;
use crate::request::{Request, Subject};
use crate::rule::Rule;
use crate::target::{Target, case_of, reading_of};

/// How far a rule that fails on this dimension is from matching: another moment is nearer than
/// another tool.
pub(super) const fn distance(dimension: Dimension) -> u8 {
    match dimension {
        Dimension::When => 0,
        Dimension::Until | Dimension::Hours => 1,
        Dimension::Cwd | Dimension::Placement => 2,
        Dimension::Target => 3,
        Dimension::Action => 4,
        Dimension::Agent => 5,
        Dimension::Capability => 6,
    }
}

pub(super) fn why(rule: &Rule, request: &Request<'_>, failed: Dimension) -> String {
    match failed {
        Dimension::Agent => agent(rule, request),
        Dimension::Capability => format!(
            "wants `{}`, the call is to `{}`",
            rule.capability.as_str(),
            escape(request.capability)
        ),
        Dimension::Target => target(rule, request),
        Dimension::Action => format!(
            "wants action `{}`, the call has `{}`",
            rule.action().unwrap_or("*"),
            escape(request.action)
        ),
        Dimension::Hours => rule
            .hours()
            .map_or_else(String::new, |hours| outside(hours, request.at)),
        Dimension::When => {
            let mut missed = rule
                .when()
                .iter()
                .filter_map(|condition| condition.why_not(request.params));
            let first = missed.next().unwrap_or_default();
            match missed.count() {
                0 => first,
                more => format!("{first}; and {more} more conditions"),
            }
        }
        Dimension::Until => rule.until().map_or_else(String::new, |until| {
            format!(
                "ended at {}, the call is at {}",
                utc(until),
                utc(request.at)
            )
        }),
        Dimension::Cwd => folder(rule, request),
        Dimension::Placement => format!(
            "wants to run on `{}`, the call runs on `{}`",
            rule.placement().map_or("", |placement| placement.as_str()),
            request
                .placement
                .map_or("local", |placement| placement.as_str())
        ),
    }
}

fn agent(rule: &Rule, request: &Request<'_>) -> String {
    let Some(agent) = &rule.agent else {
        return String::new();
    };
    let caller = request.agent;
    if request.parents.contains(agent) {
        return format!(
            "is for `{agent}`, which started `{caller}`; an allow holds for those only with `inherit: true`"
        );
    }
    format!("wants agent `{agent}`, the call is by `{caller}`")
}

/// A moment, always with its zone.
fn utc(at: DateTime<Utc>) -> String {
    at.to_rfc3339_opts(SecondsFormat::AutoSi, true)
}

/// The window, and the moment on the same clock and in UTC: one without the other misleads.
fn outside(hours: &Hours, at: DateTime<Utc>) -> String {
    let zone: Tz = hours.zone();
    let local = at.with_timezone(&zone).format("%a %Y-%m-%d %H:%M:%S");
    if zone == Tz::UTC {
        format!("holds {hours}, the call is at {local} UTC")
    } else {
        format!("holds {hours}, the call is at {local} {zone} ({})", utc(at))
    }
}

fn folder(rule: &Rule, request: &Request<'_>) -> String {
    let own = match request.subject {
        Subject::Command(command) => command.cwd.as_deref(),
        Subject::None | Subject::Resource(_) => None,
    };
    let wanted = rule.cwd().map(ToString::to_string).unwrap_or_default();
    match own.or(request.cwd) {
        Some(cwd) => format!(
            "wants the folder `{wanted}`{}, the command runs in `{}`",
            hung(rule.cwd(), request),
            escape(cwd)
        ),
        None => {
            format!("wants the folder `{wanted}`, and in which one the command runs is not known")
        }
    }
}

/// What a relative pattern hangs on.
fn hung(pattern: Option<&Pattern>, request: &Request<'_>) -> String {
    match (pattern.is_some_and(Pattern::needs_root), request.root) {
        (true, Some(root)) => format!(" below the agent's root `{}`", escape(root)),
        (true, None) => " below the agent's root, and it has none".to_owned(),
        (false, _) => String::new(),
    }
}

fn target(rule: &Rule, request: &Request<'_>) -> String {
    let Some(target) = &rule.target else {
        return match request.subject {
            Subject::Command(_) => {
                "has no command pattern, and only one with a command pattern allows a command"
                    .to_owned()
            }
            Subject::None | Subject::Resource(_) => {
                "has no target, and what the server gets as written is allowed only by an exact one"
                    .to_owned()
            }
        };
    };
    match (target, request.subject) {
        (Target::Resource(pattern), Subject::Resource(resource)) => {
            resource_apart(rule, pattern, resource, request)
        }
        (Target::Command(pattern), Subject::Command(command)) => {
            let words: Vec<&str> = command
                .words
                .iter()
                .map(|word| word.text.as_str())
                .collect();
            command_apart(rule.effect, pattern, &words)
        }
        (Target::Resource(pattern), Subject::Command(_)) => {
            format!("wants the target `{pattern}`, and this part is a command")
        }
        (Target::Command(pattern), Subject::Resource(_) | Subject::None) => {
            format!("wants the command `{pattern}`, and this part is none")
        }
        (Target::Resource(pattern), Subject::None) => {
            format!("wants the target `{pattern}`, and of this call no resource is known")
        }
    }
}

fn resource_apart(
    rule: &Rule,
    pattern: &Pattern,
    resource: &Resource,
    request: &Request<'_>,
) -> String {
    let value = escape(resource.value());
    if !pattern.judges(resource.kind()) {
        return format!(
            "wants the {} `{pattern}`, and this part acts on the {} `{value}`",
            kind(pattern.kind()),
            kind(resource.kind())
        );
    }
    let case = case_of(rule.effect);
    if pattern.matches(resource, request.root, case) {
        return format!(
            "the target `{pattern}` fits `{value}`, and what the server gets as written is allowed only by an exact one"
        );
    }
    let hung = hung(Some(pattern), request);
    let said = format!("wants the target `{pattern}`{hung}, the call acts on `{value}`");
    if case == CaseRule::Exact && pattern.matches(resource, request.root, CaseRule::Fold) {
        return format!("{said}: only upper and lower case differ, and an allow is exact");
    }
    match first_apart(pattern, resource, request.root, case) {
        Some(where_apart) => format!("{said}: {where_apart}"),
        None => said,
    }
}

/// The first part of a path or URL at which pattern and value part.
fn first_apart(
    pattern: &Pattern,
    resource: &Resource,
    root: Option<&str>,
    case: CaseRule,
) -> Option<String> {
    if resource.kind() == ResourceKind::Url {
        return url_apart(pattern.as_str(), resource.value());
    }
    if resource.kind() != ResourceKind::Path || pattern.as_str().contains('{') {
        return None;
    }
    let parts: Vec<&str> = pattern.as_str().split('/').collect();
    for end in 1..parts.len() {
        let part = parts.get(end)?;
        if *part == "**" {
            return None;
        }
        let head = parts.get(..=end)?.join("/");
        let reaches = |text: String| {
            Pattern::parse(&text, ResourceKind::Path)
                .is_ok_and(|head| head.matches(resource, root, case))
        };
        if !reaches(format!("{head}/**")) {
            return Some(format!("they part at `{}`", escape(part)));
        }
        if end + 1 == parts.len() {
            return Some(format!(
                "it lies below, and `{}` means no more than itself",
                escape(part)
            ));
        }
        if reaches(head) {
            let next = parts.get(end + 1..)?.join("/");
            return Some(format!("it ends where `{}` should follow", escape(&next)));
        }
    }
    None
}

/// The first of scheme, host and port at which a URL pattern, as written, and a URL part.
fn url_apart(pattern: &str, value: &str) -> Option<String> {
    let (scheme, rest) = pattern.split_once("://").unwrap_or(("https", pattern));
    let (own_scheme, own_rest) = value.split_once("://")?;
    if !scheme.contains(['*', '{']) && !scheme.eq_ignore_ascii_case(own_scheme) {
        return Some(format!("the scheme is `{}`", escape(own_scheme)));
    }
    let authority = |text: &str| text.split(['/', '?']).next().unwrap_or_default().to_owned();
    let (wanted, own) = (authority(rest), authority(own_rest));
    let host = |text: &str| match text.rsplit_once(':') {
        Some((host, port)) if !port.contains(']') => (host.to_owned(), Some(port.to_owned())),
        Some(_) | None => (text.to_owned(), None),
    };
    let ((wanted_host, wanted_port), (own_host, own_port)) = (host(&wanted), host(&own));
    if !wanted_host.contains(['*', '{', '?']) && !wanted_host.eq_ignore_ascii_case(&own_host) {
        return Some(format!("the host is `{}`", escape(&own_host)));
    }
    if wanted_port.as_deref() != Some("*") && wanted_port != own_port {
        let port = own_port.map_or_else(
            || "the scheme's own".to_owned(),
            |port| format!("`{}`", escape(&port)),
        );
        return Some(format!("the port is {port}"));
    }
    None
}

/// The first word at which a command and a pattern part.
fn command_apart(effect: Effect, pattern: &CommandPattern, words: &[&str]) -> String {
    let said = format!(
        "wants the command `{pattern}`, this one is `{}`",
        escape(&words.join(" "))
    );
    for (at, wanted) in pattern.words().iter().enumerate() {
        if wanted.starts_with("**") {
            break;
        }
        match words.get(at) {
            None => return format!("{said}: it ends where `{}` should follow", escape(wanted)),
            Some(word) => {
                let one = CommandPattern::parse(vec![wanted.clone()]);
                let own = tipstaff_command::SimpleCommand {
                    words: vec![tipstaff_command::Word {
                        text: (*word).to_owned(),
                        shape: tipstaff_command::WordShape::Literal,
                    }],
                    ..tipstaff_command::SimpleCommand::default()
                };
                let flag =
                    effect != Effect::Allow && (word.starts_with('-') || wanted.starts_with('-'));
                if !flag && !one.is_ok_and(|one| one.matches(&own, reading_of(effect))) {
                    return format!("{said}: `{}` is not `{}`", escape(word), escape(wanted));
                }
            }
        }
    }
    if effect == Effect::Allow && words.iter().any(|word| word.starts_with('-')) {
        return format!("{said}: in an allow a flag is written out, or `**flags` takes it");
    }
    said
}

fn kind(kind: ResourceKind) -> &'static str {
    match kind {
        ResourceKind::Path => "path",
        ResourceKind::Url => "url",
        ResourceKind::Host => "host",
        ResourceKind::Domain => "domain",
        ResourceKind::Service => "service",
        ResourceKind::Repository => "repository",
        ResourceKind::Command => "command",
        ResourceKind::None => "value",
    }
}
