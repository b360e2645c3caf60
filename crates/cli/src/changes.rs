//! What a manifest changes against an older one, for people.

use tipstaff_policy::{Change, PolicyDiff};
use tipstaff_schema::sanitization::sanitize_for_display;

/// The changes in lines, widening ones first.
pub(crate) fn lines(diff: &PolicyDiff) -> Vec<String> {
    let mut lines = Vec::new();
    let ids = [
        ("new", &diff.added),
        ("gone", &diff.removed),
        ("edited", &diff.edited),
    ];
    for (what, ids) in ids.iter().filter(|(_, ids)| !ids.is_empty()) {
        lines.push(format!("rules {what}: {}", ids.join(", ")));
    }
    for tool in &diff.tools {
        let was = or_none(&tool.old);
        let (name, is) = (sanitize_for_display(&tool.name), or_none(&tool.new));
        let (direction, fact) = (tool.direction.as_str(), tool.fact.as_str());
        lines.push(format!("{direction}: {fact} of `{name}`: {was} to {is}"));
    }
    lines.extend(diff.changes.iter().flat_map(change));
    if diff.left_out > 0 {
        lines.push(format!("and {} more changes", diff.left_out));
    }
    if diff.not_decided > 0 {
        lines.push(format!(
            "not decided: {} pairs of rules or profiles, where a change may be missing above",
            diff.not_decided
        ));
    }
    let nothing = lines.is_empty();
    let sum = if nothing {
        "no change of any decision"
    } else if diff.widens() {
        "more may happen than before"
    } else {
        "nothing more may happen than before"
    };
    lines.push(format!("against the older manifest: {sum}"));
    lines
}

fn or_none(text: &str) -> &str {
    if text.is_empty() { "nothing" } else { text }
}

fn change(change: &Change) -> [String; 2] {
    let call = sanitize_for_display(&change.witness.to_string());
    [
        sanitize_for_display(&change.to_string()),
        format!("  for example the call {call}"),
    ]
}
