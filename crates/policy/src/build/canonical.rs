//! The canonical wire form of a checked rule, over which the policy digest is taken.
//!
//! Rendered when it is asked for, as a value or, for the digest, as text at once: kept beside every
//! rule it was most of what a set weighed.

use std::time::Duration;

use chrono::{DateTime, SecondsFormat, Utc};
use serde_json::{Map, Value, json};
use tipstaff_resource::Pattern;
use tipstaff_schema::{AgentId, CanonError, Placement, ResourceKind, canonical, canonical_string};

use crate::hours::{Hours, written};
use crate::rule::{Capability, Rule};
use crate::target::Target;
use crate::terms::Terms;

/// The rule without aliases and defaults, times and zone resolved. Its digest says whether rules changed.
pub(crate) fn value(rule: &Rule) -> Value {
    let mut map = Map::new();
    let mut put =
        |key: &str, value: Option<Value>| map.extend(value.map(|value| (key.to_owned(), value)));
    let flag = |set: bool| set.then_some(Value::Bool(true));
    let time = |at: DateTime<Utc>| json!(written_time(at));
    put("id", Some(json!(*rule.id)));
    put("agent", rule.agent.as_ref().map(|agent| json!(agent)));
    put(
        "capability",
        (rule.capability != Capability::Any).then(|| json!(rule.capability.as_str())),
    );
    put(
        "target",
        rule.target.as_ref().map(|target| match target {
            Target::Resource(pattern) => json!({ kind_name(pattern.kind()): pattern.as_str() }),
            Target::Command(pattern) => json!({ "command": pattern.words() }),
        }),
    );
    put("action", rule.action().map(|action| json!(action)));
    put("hours", rule.hours().map(window));
    put("when", (!rule.when().is_empty()).then(|| conditions(rule)));
    put("effect", Some(json!(rule.effect)));
    put("guard", flag(rule.guard));
    put("overridable", flag(rule.overridable));
    put("fresh", flag(rule.fresh));
    put("approval", rule.terms().map(canonical_terms));
    put("until", rule.until().map(time));
    put("inherit", flag(rule.inherit));
    put("effects", rule.ceiling().map(|ceiling| json!(ceiling)));
    put("cwd", rule.cwd().map(|cwd| json!(cwd.to_string())));
    put(
        "placement",
        rule.placement().map(|placement| json!(placement)),
    );
    put("reason", rule.reason.as_ref().map(|reason| json!(reason)));
    if let Some(record) = rule.record() {
        put("created_by", record.created_by.as_ref().map(|by| json!(by)));
        put("created_at", record.created_at.map(time));
        put("updated_at", record.updated_at.map(time));
    }
    Value::Object(map)
}

/// Appends the canonical text of [`value`], written without making the value: keys in their order.
///
/// # Errors
/// [`CanonError`] where a condition holds what has no canonical form.
pub(crate) fn append(rule: &Rule, out: &mut String) -> Result<(), CanonError> {
    let mut out = Members { out, next: '{' };
    out.string("action", rule.action());
    out.string("agent", rule.agent().map(AgentId::as_str));
    out.value("approval", rule.terms().map(canonical_terms))?;
    let capability = Some(&rule.capability).filter(|capability| **capability != Capability::Any);
    out.string("capability", capability.map(Capability::as_str));
    let record = rule.record();
    let time = |at: Option<DateTime<Utc>>| at.map(written_time);
    let created_at = record.and_then(|record| time(record.created_at));
    out.string("created_at", created_at.as_deref());
    out.string(
        "created_by",
        record.and_then(|record| record.created_by.as_deref()),
    );
    out.string("cwd", rule.cwd().map(Pattern::as_str));
    out.string("effect", Some(rule.effect.as_str()));
    out.value("effects", rule.ceiling().map(|ceiling| json!(ceiling)))?;
    out.flag("fresh", rule.fresh);
    out.flag("guard", rule.guard);
    out.value("hours", rule.hours().map(window))?;
    out.string("id", Some(&*rule.id));
    out.flag("inherit", rule.inherit);
    out.flag("overridable", rule.overridable);
    out.string("placement", rule.placement().map(Placement::as_str));
    out.string("reason", rule.reason.as_deref());
    match &rule.target {
        None => {}
        Some(Target::Resource(pattern)) => {
            out.key("target");
            let mut target = Members {
                out: &mut *out.out,
                next: '{',
            };
            target.string(kind_name(pattern.kind()), Some(pattern.as_str()));
            target.end();
        }
        Some(Target::Command(pattern)) => {
            out.value("target", Some(json!({ "command": pattern.words() })))?;
        }
    }
    out.string("until", time(rule.until()).as_deref());
    let updated_at = record.and_then(|record| time(record.updated_at));
    out.string("updated_at", updated_at.as_deref());
    out.value("when", (!rule.when().is_empty()).then(|| conditions(rule)))?;
    out.end();
    Ok(())
}

/// The members of an object, one behind the other; at least one.
struct Members<'a> {
    out: &'a mut String,
    /// What stands before the next one.
    next: char,
}

impl Members<'_> {
    /// A key of ours: nothing in it needs an escape.
    fn key(&mut self, key: &str) {
        self.out.push(self.next);
        self.next = ',';
        self.out.push('"');
        self.out.push_str(key);
        self.out.push_str("\":");
    }

    fn end(self) {
        self.out.push('}');
    }

    fn string(&mut self, key: &str, text: Option<&str>) {
        if let Some(text) = text {
            self.key(key);
            canonical_string(self.out, text);
        }
    }

    fn flag(&mut self, key: &str, set: bool) {
        if set {
            self.key(key);
            self.out.push_str("true");
        }
    }

    fn value(&mut self, key: &str, value: Option<Value>) -> Result<(), CanonError> {
        if let Some(value) = value {
            self.key(key);
            self.out.push_str(&canonical(&value)?);
        }
        Ok(())
    }
}

fn written_time(at: DateTime<Utc>) -> String {
    at.to_rfc3339_opts(SecondsFormat::AutoSi, true)
}

fn window(hours: &Hours) -> Value {
    json!({ "from": written(hours.from), "to": written(hours.to), "tz": hours.zone.name(), "days": hours.day_names() })
}

fn conditions(rule: &Rule) -> Value {
    let conditions = rule.when().iter();
    conditions
        .map(tipstaff_condition::Condition::to_wire)
        .collect()
}

const fn kind_name(kind: ResourceKind) -> &'static str {
    match kind {
        ResourceKind::Path => "path",
        ResourceKind::Url => "url",
        ResourceKind::Host => "host",
        ResourceKind::Domain => "domain",
        ResourceKind::Service => "service",
        ResourceKind::Repository => "repository",
        ResourceKind::Command => "command",
        ResourceKind::None => "none",
    }
}

fn canonical_terms(terms: &Terms) -> Value {
    let seconds =
        |duration: Option<Duration>| duration.map(|duration| format!("{}s", duration.as_secs()));
    let mut value = json!({
        "expire": seconds(terms.expire), "use_within": seconds(terms.use_within), "quorum": terms.quorum,
        "four_eyes": terms.four_eyes, "audience": terms.audience,
    });
    if let Value::Object(map) = &mut value {
        map.retain(|_, value| {
            !value.is_null() && value.as_array().is_none_or(|list| !list.is_empty())
        });
    }
    value
}
