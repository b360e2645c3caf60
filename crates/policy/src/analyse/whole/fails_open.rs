//! Conditions of denies and guards that a call can leave unmet while it does the same: a field that the
//! server fills in, a value that may have any type, one place in a list that has more.
//!
//! A default counts only where the rule would mean it: a field that is left out and then filled in with
//! something harmless is no way around. A field of which the schema says nothing at all is not judged.

use serde_json::{Value, json};
use tipstaff_condition::Condition;
use tipstaff_schema::Effect;

use super::Whole;
use super::place::Schema;
use crate::analyse::call::Call;
use crate::analyse::finding;
use crate::analyse::region::{Found, Seen};
use crate::finding::{Finding, FindingKind, Severity};
use crate::reference::matches;
use crate::rule::Rule;
use crate::world::{World, WorldCapability};

pub(super) fn all(whole: &mut Whole<'_>) -> Vec<Finding> {
    let mut findings = Vec::new();
    for rule in whole.set.rules() {
        if rule.effect == Effect::Deny
            && !rule.when().is_empty()
            && !whole.dead.contains(&rule.index())
        {
            findings.extend(of_rule(whole, rule));
        }
    }
    whole.region.only = None;
    findings
}

/// A tool and a condition that its schema leaves open.
struct Open<'a> {
    tool: &'a WorldCapability,
    index: usize,
    condition: &'a Condition,
    way: Way,
}

/// All that the schemas leave open of a rule.
fn open<'a>(rule: &'a Rule, world: &'a World) -> Vec<Open<'a>> {
    let mut all = Vec::new();
    let tools = world.capabilities.iter().filter(|tool| {
        !tool.sample && !tool.profile.locked && rule.capability.matches(&tool.name, &tool.tool_id)
    });
    for tool in tools {
        let Some(schema) = tool.input_schema.as_ref() else {
            continue;
        };
        let conditions = rule.when().iter().enumerate();
        for (index, condition) in conditions.filter(|(_, c)| !is_resource(c.pointer(), tool)) {
            let ways = ways_by(condition, schema).into_iter();
            all.extend(ways.map(|way| Open {
                tool,
                index,
                condition,
                way,
            }));
        }
    }
    all
}

/// One finding for a rule, about the first tool and condition; other tools that are as open are counted.
fn of_rule<'a>(whole: &mut Whole<'a>, rule: &'a Rule) -> Option<Finding> {
    let all = open(rule, whole.region.world);
    let mut undecided = false;
    for (place, open) in all.iter().enumerate() {
        whole.region.only = Some(open.tool.name.clone());
        let found = whole.region.find(&[rule], &mut |_| Seen::Yes);
        whole.region.only = None;
        match found {
            Found::Call(call) => {
                if let Some(call) = open.way.past(rule, &call, open.condition) {
                    let after = all.get(place + 1..).unwrap_or_default();
                    return Some(fails_open(rule, open, after, &call));
                }
            }
            Found::Nowhere => {}
            Found::NotDecided => undecided = true,
        }
    }
    let undecided = usize::from(undecided);
    whole.analysis.undecided(FindingKind::FailsOpen, undecided);
    None
}

fn fails_open(rule: &Rule, open: &Open<'_>, after: &[Open<'_>], call: &Call) -> Finding {
    let mut others: Vec<&str> = after.iter().map(|open| open.tool.name.as_str()).collect();
    others.retain(|name| *name != open.tool.name);
    others.dedup();
    let more = match others.len() {
        0 => String::new(),
        count => format!("; the schemas of {count} more tools leave it as open"),
    };
    let what = if rule.guard { "guard" } else { "deny" };
    let message = format!(
        "{what} `{}` fails open for `{}`: `{}` {}, so this call passes it by{more}",
        rule.id,
        open.tool.name,
        open.condition.pointer(),
        open.way.why()
    );
    let fix = "write the deny without the condition and allow what is meant, or make the field required and typed in the tool's schema".to_owned();
    let field = format!("when.{}", open.index);
    let (kind, severity) = (FindingKind::FailsOpen, Severity::Error);
    let mut found = finding(kind, severity, &[rule], &field, message, fix);
    found.witness = Some(call.line());
    found
}

/// Whether what the tool acts on is read from there: a call without it is refused, or judged otherwise.
fn is_resource(pointer: &str, tool: &WorldCapability) -> bool {
    let within = |outer: &str, inner: &str| {
        inner
            .strip_prefix(outer)
            .is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    };
    let mut rules = tool.profile.resources.iter();
    rules.any(|rule| within(pointer, &rule.from) || within(&rule.from, pointer))
}

/// How a call passes a condition by.
enum Way {
    /// It leaves out what stands at the pointer, and the server fills in the value.
    LeftOut(String, Value),
    /// It writes what stands at the pointer in another type.
    OtherType(String),
    /// It has one of these as one more element in front.
    InFront(String, Vec<Value>),
}

impl Way {
    const fn why(&self) -> &'static str {
        match self {
            Self::LeftOut(..) => "is optional and the server fills it in",
            Self::OtherType(_) => "may have any type",
            Self::InFront(..) => "is one place in a list of any length",
        }
    }

    /// A call like this one that the rule does not see, though it says the same to the server.
    fn past(&self, rule: &Rule, call: &Call, condition: &Condition) -> Option<Call> {
        let changed = |params: Value| {
            let mut call = call.clone();
            call.params = params;
            call
        };
        let passes =
            |call: &Call| !matches(rule, &call.request()) && !condition.holds(&call.params);
        match self {
            Self::LeftOut(pointer, default) => {
                let mut filled = call.params.clone();
                *filled.pointer_mut(pointer)? = default.clone();
                if !matches(rule, &changed(filled).request()) {
                    return None; // What the server fills in is not what the rule means.
                }
                let mut left = call.params.clone();
                let (parent, last) = pointer.rsplit_once('/')?;
                left.pointer_mut(parent)?
                    .as_object_mut()?
                    .remove(&name(last));
                Some(changed(left)).filter(passes)
            }
            Self::OtherType(pointer) => {
                let mut params = call.params.clone();
                let place = params.pointer_mut(pointer)?;
                *place = match &*place {
                    Value::String(text) => json!([text]),
                    Value::Null
                    | Value::Bool(_)
                    | Value::Number(_)
                    | Value::Array(_)
                    | Value::Object(_) => json!(place.to_string()),
                };
                Some(changed(params)).filter(passes)
            }
            Self::InFront(list, samples) => samples.iter().find_map(|sample| {
                let mut params = call.params.clone();
                let place = params.pointer_mut(list)?;
                // A pointer reads an index as a name where no list was asked for.
                let items: Vec<Value> = match &*place {
                    Value::Array(items) => items.clone(),
                    Value::Object(map) => map.values().cloned().collect(),
                    Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {
                        return None;
                    }
                };
                *place = std::iter::once(sample.clone()).chain(items).collect();
                Some(changed(params)).filter(passes)
            }),
        }
    }
}

/// A step of a pointer as the name of a field.
fn name(step: &str) -> String {
    step.replace("~1", "/").replace("~0", "~")
}

/// The ways past a condition that the tool's schema leaves open.
fn ways_by(condition: &Condition, schema: &Value) -> Vec<Way> {
    let wire = condition.to_wire();
    if wire.get("exists") == Some(&json!(false)) {
        return Vec::new();
    }
    let mut ways = Vec::new();
    let (mut place, mut at) = (Schema::new(schema).whole(), String::new());
    for step in condition.pointer().split('/').skip(1) {
        let items = step.parse::<usize>().ok().and_then(|_| place.open_list());
        if let Some(items) = items {
            ways.push(Way::InFront(at, items.samples()));
            return ways;
        }
        let name = name(step);
        let Some(field) = place.field(&name) else {
            return ways; // What is not plain is not judged.
        };
        at = format!("{at}/{step}");
        if let Some(default) = field.default().filter(|_| place.is_optional(&name)) {
            ways.push(Way::LeftOut(at.clone(), default.clone()));
        }
        place = field;
    }
    if wire.get("exists").is_some() {
        return ways;
    }
    // Under `each` every element has to hold, so one that does not is enough.
    let element = || {
        let items = place.open_list().filter(|_| condition.each());
        items.is_some_and(|items| items.is_untyped())
    };
    if place.is_untyped() {
        ways.push(Way::OtherType(at));
    } else if element() {
        ways.push(Way::OtherType(format!("{at}/0")));
    }
    ways
}
