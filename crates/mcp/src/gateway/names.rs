//! The names under which clients see tools, and the way back.
//!
//! Rules and approvals never use these: they name tools by what the operator called the server.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::Value;
use tipstaff_registry::ToolEntry;
use tipstaff_schema::{Digest, Domain};

/// Clients refuse longer names.
const MAX_CHARS: usize = 64;
/// How much of the digest stands at the end of a name that was cut.
const TAIL_CHARS: usize = 8;

/// How tools of servers are named towards clients.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum Naming {
    /// As the server names them: for one server.
    Plain,
    /// `server__tool`: for several.
    #[default]
    Prefixed,
}

/// The names of one moment.
#[derive(Debug, Default)]
pub(crate) struct Names {
    by_name: BTreeMap<String, String>,
    by_id: BTreeMap<String, String>,
}

impl Names {
    /// Names all tools of a catalog, hidden ones too, so that what is seen never moves a name.
    pub(crate) fn of<'a>(
        entries: impl IntoIterator<Item = &'a Arc<ToolEntry>>,
        naming: Naming,
    ) -> Self {
        let mut entries: Vec<&Arc<ToolEntry>> = entries.into_iter().collect();
        // Ours first: no server takes the name of a tool of ours.
        entries.sort_by_key(|entry| (entry.server.is_some(), entry.tool_id()));
        let mut names = Self::default();
        for entry in entries {
            let id = entry.tool_id();
            let mut name = wanted(entry, naming);
            if names.by_name.contains_key(&name) {
                name = with_tail(&name, id);
            }
            // Two that still collide were made to: the later one has no name and cannot be called.
            if names.by_name.contains_key(&name) {
                continue;
            }
            names.by_name.insert(name.clone(), id.to_owned());
            names.by_id.insert(id.to_owned(), name);
        }
        names
    }

    /// The id of the tool that a client calls so.
    pub(crate) fn id(&self, name: &str) -> Option<&str> {
        self.by_name.get(name).map(String::as_str)
    }

    /// What clients call the tool.
    pub(crate) fn name(&self, id: &str) -> Option<&str> {
        self.by_id.get(id).map(String::as_str)
    }
}

fn wanted(entry: &ToolEntry, naming: Naming) -> String {
    let Some(server) = &entry.server else {
        return entry.name.clone();
    };
    let own = entry
        .name
        .strip_prefix(server.as_str())
        .and_then(|rest| rest.strip_prefix(':'));
    let own = own.unwrap_or(&entry.name);
    match naming {
        Naming::Plain => own.to_owned(),
        Naming::Prefixed => {
            let name = format!("{server}__{own}");
            if name.chars().count() > MAX_CHARS {
                with_tail(&name, entry.tool_id())
            } else {
                name
            }
        }
    }
}

/// The head of the name and a few digits that tell the tool from every other.
fn with_tail(name: &str, id: &str) -> String {
    let head: String = name.chars().take(MAX_CHARS - TAIL_CHARS - 1).collect();
    let digest =
        Digest::of(Domain::Tool, &Value::String(id.to_owned())).map(|digest| digest.to_string());
    let digits: String = digest
        .iter()
        .flat_map(|text| text.chars().rev().take(TAIL_CHARS))
        .collect();
    format!("{head}-{}", digits.chars().rev().collect::<String>())
}
