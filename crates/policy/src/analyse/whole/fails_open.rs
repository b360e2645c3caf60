//! Conditions of denies and guards that a call can leave unmet while it does the same: a field that the
//! server fills in, a value that may have any type, one place in a list that has more.

use serde_json::{Value, json};
use tipstaff_condition::Condition;
use tipstaff_schema::Effect;

use super::Whole;
use crate::analyse::finding;
use crate::analyse::region::{Found, Seen};
use crate::finding::{Finding, FindingKind, Severity};
use crate::reference::matches;
use crate::rule::Rule;

pub(super) fn all(whole: &mut Whole<'_>) -> Vec<Finding> {
    let mut findings = Vec::new();
    for rule in whole.set.rules() {
        if rule.effect == Effect::Deny && !rule.when.is_empty() && !whole.dead.contains(&rule.index)
        {
            findings.extend(of_rule(whole, rule));
        }
    }
    whole.region.only = None;
    findings
}

fn of_rule<'a>(whole: &mut Whole<'a>, rule: &'a Rule) -> Option<Finding> {
    let world = whole.region.world;
    for tool in world
        .capabilities
        .iter()
        .filter(|tool| !tool.sample && !tool.profile.locked)
    {
        let Some(schema) = tool.input_schema.as_ref() else {
            continue;
        };
        if !rule.capability.matches(&tool.name, &tool.tool_id) {
            continue;
        }
        for (index, condition) in rule.when.iter().enumerate() {
            let Some((why, way)) = open(condition, schema) else {
                continue;
            };
            whole.region.only = Some(tool.name.clone());
            let found = whole.region.find(&[rule], &mut |_| Seen::Yes);
            whole.region.only = None;
            let Found::Call(mut call) = found else {
                continue;
            };
            way.apply(&mut call.params, condition.pointer());
            if matches(rule, &call.request()) {
                continue;
            }
            let what = if rule.guard { "guard" } else { "deny" };
            let message = format!(
                "{what} `{}` fails open for `{}`: `{}` {why}, so this call passes it by",
                rule.id,
                tool.name,
                condition.pointer()
            );
            let fix = "write the deny without the condition and allow what is meant, or make the field required and typed in the tool's schema".to_owned();
            let field = format!("when.{index}");
            let mut found = finding(
                FindingKind::FailsOpen,
                Severity::Error,
                &[rule],
                &field,
                message,
                fix,
            );
            found.witness = Some(call.line());
            return Some(found);
        }
    }
    None
}

/// How a call passes a condition by.
enum Way {
    /// It leaves the field out, and the server fills it in.
    LeftOut,
    /// It writes the value in another type.
    OtherType,
    /// It has one more element in front.
    InFront(String),
}

impl Way {
    fn apply(&self, params: &mut Value, pointer: &str) {
        match self {
            Self::LeftOut => {
                let (parent, last) = pointer.rsplit_once('/').unwrap_or(("", ""));
                if let Some(Value::Object(map)) = params.pointer_mut(parent) {
                    map.remove(&last.replace("~1", "/").replace("~0", "~"));
                }
            }
            Self::OtherType => {
                if let Some(place) = params.pointer_mut(pointer) {
                    *place = match &*place {
                        Value::String(text) => json!([text]),
                        Value::Null
                        | Value::Bool(_)
                        | Value::Number(_)
                        | Value::Array(_)
                        | Value::Object(_) => json!(place.to_string()),
                    };
                }
            }
            Self::InFront(list) => {
                let Some(place) = params.pointer_mut(list) else {
                    return;
                };
                // A pointer reads an index as a name where no list was asked for.
                let items: Vec<Value> = match &*place {
                    Value::Array(items) => items.clone(),
                    Value::Object(map) => map.values().cloned().collect(),
                    Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => return,
                };
                *place = std::iter::once(json!("other")).chain(items).collect();
            }
        }
    }
}

/// Why a call can pass the condition by, as the tool's schema has it.
fn open(condition: &Condition, schema: &Value) -> Option<(&'static str, Way)> {
    let wire = condition.to_wire();
    let absent = wire.get("exists") == Some(&json!(false));
    if absent {
        return None;
    }
    let (mut place, mut at) = (schema, String::new());
    let mut optional = false;
    for step in condition.pointer().split('/').skip(1) {
        if step.parse::<usize>().is_ok() && is_open_list(place) {
            return Some(("is one place in a list of any length", Way::InFront(at)));
        }
        let required = place.get("required").and_then(Value::as_array);
        let name = step.replace("~1", "/").replace("~0", "~");
        optional |= !required.is_some_and(|names| names.contains(&json!(name)));
        // What is not plain is not judged.
        place = place.get("properties")?.get(&name)?;
        at = format!("{at}/{step}");
    }
    if optional && place.get("default").is_some() {
        return Some(("is optional and the server fills it in", Way::LeftOut));
    }
    let says = [
        "type", "enum", "const", "$ref", "anyOf", "oneOf", "allOf", "not", "if",
    ];
    let typed = says.iter().any(|key| place.get(key).is_some());
    let by_value = wire.get("exists").is_none();
    (place.is_object() && !typed && by_value).then_some(("may have any type", Way::OtherType))
}

fn is_open_list(schema: &Value) -> bool {
    schema.get("type") == Some(&json!("array"))
        && schema.get("maxItems").is_none()
        && schema.get("prefixItems").is_none()
}
