//! Every key and leaf of every captured definition, changed in every way: the pin must move, and the
//! diff must tell it at its place.

use anyhow::{Result, ensure};
use serde_json::{Value, json};
use tipstaff_registry::{DefinitionDiff, pin};

use super::{Capture, cells};
use tipstaff_bench::report::Table;

/// How a place is changed.
const WAYS: [&str; 4] = ["changed", "of another type", "deleted", "added to"];

/// Counts by way; fails at the first change that is not seen.
pub(super) fn table(servers: &[Capture], drifted: &[Capture]) -> Result<Table> {
    let mut table = Table::new(
        "Single changes of a captured definition: all seen by the pin and told by the diff",
        [
            "server", "tools", "places", WAYS[0], WAYS[1], WAYS[2], WAYS[3], "seen",
        ],
    );
    let mut sums = [0_usize; 7];
    for server in servers {
        let mut counts = [server.tools.len(), 0, 0, 0, 0, 0, 0];
        for tool in &server.tools {
            every_change(server, tool, &mut counts)?;
        }
        for (sum, count) in sums.iter_mut().zip(counts) {
            *sum += count;
        }
        table.row(cells(&server.server, counts));
    }
    table.row(cells("all", sums));
    for now in drifted {
        let name = now.server.split("-other").next().unwrap_or(&now.server);
        let was = servers
            .iter()
            .find(|server| server.server == name || now.server.starts_with(&server.server));
        let was =
            was.ok_or_else(|| anyhow::anyhow!("no capture to compare `{}` with", now.server))?;
        table.row(cells(&format!("{}, drifted", was.server), drift(was, now)?));
    }
    Ok(table)
}

/// Tools, changes told in all, and tools of which the pin moved.
fn drift(was: &Capture, now: &Capture) -> Result<[usize; 7]> {
    let identity = was.identity();
    let (mut told, mut seen) = (0, 0);
    for tool in &now.tools {
        let old = was
            .tools
            .iter()
            .find(|old| old.get("name") == tool.get("name"));
        let Some(old) = old else { continue };
        let moved = pin("mcp:a:b", old, &identity)? != pin("mcp:a:b", tool, &identity)?;
        let diff = DefinitionDiff::of(old, tool);
        ensure!(
            moved == (old != tool),
            "a drifted tool kept its pin: {tool}"
        );
        ensure!(
            diff.is_empty() != moved,
            "a drifted tool is not told: {tool}"
        );
        told += diff.changes.len() + diff.left_out;
        seen += usize::from(moved);
    }
    ensure!(
        seen > 0,
        "the drift of `{}` was not seen at all",
        now.server
    );
    Ok([now.tools.len(), told, 0, 0, 0, 0, seen])
}

fn every_change(server: &Capture, tool: &Value, counts: &mut [usize; 7]) -> Result<()> {
    let identity = server.identity();
    let id = format!("mcp:{}:x", server.server);
    let before = pin(&id, tool, &identity)?;
    let mut all = Vec::new();
    places(tool, String::new(), &mut all);
    counts[1] += all.len();
    for place in &all {
        for way in 0..WAYS.len() {
            let Some((changed, at)) = change(tool, place, way) else {
                continue;
            };
            counts[2 + way] += 1;
            let moved = pin(&id, &changed, &identity)? != before;
            ensure!(
                moved,
                "the pin of a tool of `{}` does not see `{place}` {}",
                server.server,
                WAYS[way]
            );
            let diff = DefinitionDiff::of(tool, &changed);
            let told = diff.left_out > 0
                || diff
                    .changes
                    .iter()
                    .any(|change| names(tool, &change.pointer, &at));
            ensure!(
                told,
                "the diff of a tool of `{}` does not tell `{at}` {}: {diff}",
                server.server,
                WAYS[way]
            );
            counts[6] += 1;
        }
    }
    Ok(())
}

/// Whether the pointer names the place, or another item of the same list: which of equal items went
/// nobody can tell.
fn names(tool: &Value, pointer: &str, at: &str) -> bool {
    let parent = |pointer: &str| {
        pointer
            .rsplit_once('/')
            .map(|(parent, _)| parent.to_owned())
    };
    let in_list =
        parent(at).is_some_and(|parent| tool.pointer(&parent).is_some_and(Value::is_array));
    pointer == at || (in_list && parent(pointer) == parent(at))
}

fn escaped(key: &str) -> String {
    key.replace('~', "~0").replace('/', "~1")
}

fn places(value: &Value, at: String, all: &mut Vec<String>) {
    match value {
        Value::Object(members) => {
            for (key, member) in members {
                places(member, format!("{at}/{}", escaped(key)), all);
            }
        }
        Value::Array(items) => {
            for (index, item) in items.iter().enumerate() {
                places(item, format!("{at}/{index}"), all);
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
    all.push(at);
}

/// The definition with one change, and where it lies; none where the place cannot be changed so.
fn change(tool: &Value, place: &str, way: usize) -> Option<(Value, String)> {
    let mut changed = tool.clone();
    let at = place.to_owned();
    match WAYS[way] {
        "changed" => {
            let value = changed.pointer_mut(place)?;
            *value = match &*value {
                Value::Bool(yes) => json!(!yes),
                Value::Number(number) => json!(number.as_i64().map_or(-7, |number| number ^ 1)),
                // An invisible character: what an attack would add.
                Value::String(text) => json!(format!("{text}\u{200b}")),
                Value::Null | Value::Array(_) | Value::Object(_) => return None,
            };
        }
        "of another type" => {
            let value = changed.pointer_mut(place)?;
            *value = if value.is_array() {
                json!({ "0": 1 })
            } else {
                json!([7])
            };
        }
        "deleted" => {
            let (parent, key) = place.rsplit_once('/')?;
            let key = key.replace("~1", "/").replace("~0", "~");
            match changed.pointer_mut(parent)? {
                Value::Object(members) => drop(members.remove(&key)?),
                Value::Array(items) => drop(items.remove(key.parse().ok()?)),
                Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => return None,
            }
        }
        _ => {
            let added = match changed.pointer_mut(place)? {
                Value::Object(members) => {
                    members.insert("x-new".to_owned(), json!(0));
                    "x-new".to_owned()
                }
                Value::Array(items) => {
                    items.push(json!({ "x-new": 0 }));
                    (items.len() - 1).to_string()
                }
                Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => return None,
            };
            return Some((changed, format!("{place}/{added}")));
        }
    }
    Some((changed, at))
}
