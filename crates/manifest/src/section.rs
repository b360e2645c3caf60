//! From a part of the document to a typed value, with the place of whatever does not fit.

use serde::de::DeserializeOwned;

use crate::document::Node;
use crate::problem::{Place, Problem, near};

/// Reads a node as a type.
pub(crate) fn read<T: DeserializeOwned>(file: &str, node: &Node) -> Result<T, Problem> {
    serde_path_to_error::deserialize(node.to_json()).map_err(|error| {
        let path: Vec<String> = error.path().iter().map(segment).collect();
        let message = error.inner().to_string();
        locate(file, node, &path, &message)
    })
}

fn segment(segment: &serde_path_to_error::Segment) -> String {
    match segment {
        serde_path_to_error::Segment::Seq { index } => index.to_string(),
        serde_path_to_error::Segment::Map { key } => key.clone(),
        serde_path_to_error::Segment::Enum { variant } => variant.clone(),
        serde_path_to_error::Segment::Unknown => String::new(),
    }
}

fn locate(file: &str, node: &Node, path: &[String], message: &str) -> Problem {
    let names: Vec<&str> = path.iter().map(String::as_str).collect();
    let (unknown, known) = unknown_field(message);
    let mut place = node.place_of(names.iter().copied());
    if let Some(field) = unknown {
        place = key_below(node, &names, field).unwrap_or(place);
        let fix = near(field, known.iter().copied()).map(|name| format!("did you mean `{name}`?"));
        let fix = fix
            .or_else(|| (!known.is_empty()).then(|| format!("known here: {}", known.join(", "))));
        let mut problem = Problem::new(file, place, format!("unknown field `{field}`"));
        problem.fix = fix;
        return problem;
    }
    let (message, fix) = plain(message, &known);
    let mut problem = Problem::new(file, place, message);
    let durations = [
        "expire",
        "use_within",
        "timeout",
        "cool_down",
        "probe",
        "within",
    ];
    let duration = names.last().is_some_and(|name| durations.contains(name));
    problem.fix = fix.or_else(|| duration.then(|| "write one such as `10m`".to_owned()));
    problem
}

/// What serde says, without its words for types, and what to do.
fn plain(message: &str, known: &[&str]) -> (String, Option<String>) {
    let message = message.lines().next().unwrap_or_default();
    if let Some(given) = message
        .strip_prefix("unknown variant `")
        .and_then(|rest| rest.split('`').next())
    {
        let fix = near(given, known.iter().copied()).map(|name| format!("did you mean `{name}`?"));
        let fix = fix
            .or_else(|| (!known.is_empty()).then(|| format!("write one of {}", known.join(", "))));
        return (format!("unknown value `{given}`"), fix);
    }
    if let Some((found, wanted)) = message
        .strip_prefix("invalid type: ")
        .and_then(|rest| rest.split_once(", expected "))
    {
        let found = found
            .replace("string \"", "the text \"")
            .replace("integer ", "the number ");
        let found = found
            .replace("floating point ", "the number ")
            .replace("boolean ", "the value ");
        let found = found
            .replace("sequence", "a list")
            .replace("null", "nothing");
        let wanted = match wanted {
            "a string" => "a text",
            "a sequence" => "a list",
            other if other.starts_with("struct ") => "a map",
            other => other,
        };
        return (format!("{wanted} belongs here, not {found}"), None);
    }
    (message.to_owned(), None)
}

/// Where the key stands: serde names the map, or the key itself, as the last step of the path.
fn key_below(node: &Node, path: &[&str], field: &str) -> Option<Place> {
    let at = |path: &[&str]| {
        path.iter()
            .try_fold(node, |node, name| node.child(name))?
            .key_place(field)
    };
    at(path).or_else(|| at(path.get(..path.len().checked_sub(1)?)?))
}

/// The unknown field that serde complains of, and the names that it knows.
fn unknown_field(message: &str) -> (Option<&str>, Vec<&str>) {
    let field = message
        .strip_prefix("unknown field `")
        .and_then(|rest| rest.split('`').next());
    let known = message
        .split_once("expected ")
        .map(|(_, rest)| rest.split('`').skip(1).step_by(2).collect());
    (field, known.unwrap_or_default())
}
