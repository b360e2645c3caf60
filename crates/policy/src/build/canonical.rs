//! The canonical wire form of a checked rule, over which the policy digest is taken.

use std::time::Duration;

use chrono::{DateTime, SecondsFormat, Utc};
use serde_json::{Map, Value, json};

use crate::hours::written;
use crate::rule::{Capability, Rule};
use crate::target::Target;
use crate::terms::Terms;

/// The rule without aliases and defaults, times and zone resolved. Its digest says whether rules changed.
pub(super) fn canonical(
    rule: &Rule,
    created_by: Option<String>,
    stamps: [(&str, Option<DateTime<Utc>>); 2],
) -> Value {
    let mut map = Map::new();
    let mut put =
        |key: &str, value: Option<Value>| map.extend(value.map(|value| (key.to_owned(), value)));
    let flag = |set: bool| set.then_some(Value::Bool(true));
    let time = |at: DateTime<Utc>| json!(at.to_rfc3339_opts(SecondsFormat::AutoSi, true));
    put("id", Some(json!(*rule.id)));
    put("agent", rule.agent.as_ref().map(|agent| json!(agent)));
    put(
        "capability",
        (rule.capability != Capability::Any).then(|| json!(rule.capability.as_str())),
    );
    put(
        "target",
        rule.target.as_ref().map(|target| match target {
            Target::Resource(pattern) => {
                let kind = serde_json::to_value(pattern.kind()).unwrap_or_default();
                json!({ kind.as_str().unwrap_or_default(): pattern.to_string() })
            }
            Target::Command(pattern) => json!({ "command": pattern.words() }),
        }),
    );
    put("action", rule.action.as_ref().map(|action| json!(action)));
    put("hours", rule.hours.as_ref().map(|hours| {
        json!({ "from": written(hours.from), "to": written(hours.to), "tz": hours.zone.name(), "days": hours.day_names() })
    }));
    put(
        "when",
        (!rule.when.is_empty()).then(|| {
            rule.when
                .iter()
                .map(tipstaff_condition::Condition::to_wire)
                .collect()
        }),
    );
    put("effect", Some(json!(rule.effect)));
    put("guard", flag(rule.guard));
    put("overridable", flag(rule.overridable));
    put("fresh", flag(rule.fresh));
    put("approval", rule.terms.as_ref().map(canonical_terms));
    put("until", rule.until.map(time));
    put("inherit", flag(rule.inherit));
    put(
        "effects",
        rule.ceiling.as_ref().map(|ceiling| json!(ceiling)),
    );
    put("cwd", rule.cwd.as_ref().map(|cwd| json!(cwd.to_string())));
    put(
        "placement",
        rule.placement.as_ref().map(|placement| json!(placement)),
    );
    put("reason", rule.reason.as_ref().map(|reason| json!(reason)));
    put("created_by", created_by.map(Value::String));
    for (key, at) in stamps {
        put(key, at.map(time));
    }
    Value::Object(map)
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
