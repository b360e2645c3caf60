//! Parameters on which some conditions hold and others do not.
//!
//! Every value that the conditions on one path can tell apart is tried: those that they name, numbers
//! beside and between their bounds, another text, and nothing at all.

use serde_json::{Value, json};
use tipstaff_condition::{Condition, Conditions};

use super::Avoid;
use crate::rule::Rule;

/// What was found.
pub(super) enum Params {
    Found(Value),
    Never,
    NotDecided,
}

/// So many combinations of values are tried.
const MOST: usize = 4_000;

pub(super) fn params(all: &[&Rule], avoid: &[Avoid<'_>], schema: Option<&Value>) -> Params {
    let failing: Vec<&Condition> = avoid
        .iter()
        .filter_map(|way| match way {
            Avoid::Condition(rule, n) => rule.when().iter().nth(*n),
            Avoid::Dimension(..) | Avoid::Profile(_) => None,
        })
        .collect();
    let holding: Vec<&Condition> = all.iter().flat_map(|rule| rule.when().iter()).collect();
    if holding.is_empty() && failing.is_empty() {
        return Params::Found(json!({}));
    }
    let Ok(joint) = Conditions::new(holding.iter().map(|c| (*c).clone()).collect()) else {
        return Params::Never;
    };
    let Some(base) = joint.witness() else {
        return Params::NotDecided;
    };
    let fits = |params: &Value| joint.all_hold(params) && !failing.iter().any(|c| c.holds(params));
    if fits(&base) {
        return Params::Found(base);
    }
    let mut paths: Vec<&str> = failing.iter().map(|c| c.pointer()).collect();
    paths.sort_unstable();
    paths.dedup();
    let mut tried = vec![base];
    for path in &paths {
        let values = values(path, &holding, &failing, schema);
        tried = tried
            .iter()
            .flat_map(|params| {
                values
                    .iter()
                    .map(|value| with(params, path, value.as_ref()))
            })
            .take(MOST + 1)
            .collect();
    }
    match tried.iter().find(|params| fits(params)) {
        Some(params) => Params::Found(params.clone()),
        None if tried.len() <= MOST && plain(&holding, &failing) => Params::Never,
        None => Params::NotDecided,
    }
}

/// Whether no condition looks into what another looks at, so that each path stands alone.
fn plain(holding: &[&Condition], failing: &[&Condition]) -> bool {
    let all: Vec<&Condition> = holding.iter().chain(failing).copied().collect();
    all.iter().all(|one| {
        let inside = |other: &&Condition| {
            other.pointer() != one.pointer()
                && other
                    .pointer()
                    .strip_prefix(one.pointer())
                    .is_some_and(|rest| rest.starts_with('/'))
        };
        let index = |step: &str| step.parse::<usize>().is_ok();
        !one.each() && !one.pointer().split('/').any(index) && !all.iter().any(inside)
    })
}

/// The values that the conditions on one path can tell apart; `None` is no value.
fn values(
    path: &str,
    holding: &[&Condition],
    failing: &[&Condition],
    schema: Option<&Value>,
) -> Vec<Option<Value>> {
    let mut named: Vec<Value> = Vec::new();
    for condition in holding
        .iter()
        .chain(failing)
        .filter(|c| c.pointer() == path)
    {
        let wire = condition.to_wire();
        for key in ["equals", "at_least", "at_most"] {
            named.extend(wire.get(key).cloned());
        }
        named.extend(
            wire.get("in")
                .and_then(Value::as_array)
                .into_iter()
                .flatten()
                .cloned(),
        );
    }
    let mut numbers: Vec<f64> = named.iter().filter_map(Value::as_f64).collect();
    numbers.sort_by(f64::total_cmp);
    numbers.dedup();
    let whole = |n: f64| n.fract() == 0.0 && n.abs() < 9e15;
    let number = |n: f64| if whole(n) { json!(n as i64) } else { json!(n) };
    let beside = numbers.iter().flat_map(|n| [n - 1.0, n + 1.0]).map(number);
    let between = numbers.windows(2).filter_map(|pair| match pair {
        [low, high] => Some(number(f64::midpoint(*low, *high))),
        _ => None,
    });
    let mut values: Vec<Option<Value>> = named
        .clone()
        .into_iter()
        .chain(beside)
        .chain(between)
        .map(Some)
        .collect();
    let mut other = "other".to_owned();
    while named.contains(&json!(other)) {
        other.push('x');
    }
    values.extend([Some(json!(other)), Some(json!(0)), None, Some(Value::Null)]);
    let wanted = type_at(path, schema);
    values.sort_by_key(|value| !value.as_ref().is_some_and(|value| is_of(value, wanted)));
    values
}

fn type_at<'s>(path: &str, schema: Option<&'s Value>) -> Option<&'s str> {
    let steps = path.split('/').skip(1);
    let place = steps.fold(schema, |place, step| place?.get("properties")?.get(step));
    place?.get("type")?.as_str()
}

fn is_of(value: &Value, wanted: Option<&str>) -> bool {
    match wanted {
        Some("integer") => value.is_i64() || value.is_u64(),
        Some("number") => value.is_number(),
        Some("string") => value.is_string(),
        Some("boolean") => value.is_boolean(),
        Some("array") => value.is_array(),
        Some("object") => value.is_object(),
        Some(_) | None => true,
    }
}

/// The parameters with this value, or none, at the path.
fn with(params: &Value, path: &str, value: Option<&Value>) -> Value {
    let mut changed = params.clone();
    let Some((parent, last)) = path.rsplit_once('/') else {
        return changed;
    };
    let last = last.replace("~1", "/").replace("~0", "~");
    let mut place = &mut changed;
    for step in parent.split('/').skip(1) {
        let step = step.replace("~1", "/").replace("~0", "~");
        if !place.is_object() {
            return params.clone();
        }
        let Value::Object(map) = place else {
            return params.clone();
        };
        place = map.entry(step).or_insert_with(|| json!({}));
    }
    if let Value::Object(map) = place {
        match value {
            Some(value) => drop(map.insert(last, value.clone())),
            None => drop(map.remove(&last)),
        }
    }
    changed
}
