//! Keys of the manifest whose function this build does not have.
//!
//! Checking and judging read them; `serve` refuses to start on them, by name, so that nothing that
//! was asked for is silently left out.

use tipstaff_policy::Severity;

use crate::document::Node;
use crate::problem::Problem;

/// Sections that are only words so far.
const SECTIONS: [(&str, &str); 2] = [
    ("console", "the web console"),
    ("redact", "redaction by pointer"),
];

/// Every such key in the document, in the order of the file.
pub(crate) fn find(file: &str, root: &Node) -> Vec<Problem> {
    let mut found = Found {
        file,
        problems: Vec::new(),
    };
    for (section, what) in SECTIONS {
        found.say(root, section, section, what);
    }
    for (name, agent) in root.child("agents").map(Node::entries).unwrap_or_default() {
        let path = format!("agents.{}.token_file", name.text);
        found.say(agent, "token_file", &path, "the gateway over HTTP");
    }
    for (name, server) in root.child("servers").map(Node::entries).unwrap_or_default() {
        let path = format!("servers.{}.url", name.text);
        found.say(server, "url", &path, "reaching servers over HTTP");
    }
    found.values(root);
    found.problems.sort_by_key(|problem| problem.place);
    found.problems
}

struct Found<'a> {
    file: &'a str,
    problems: Vec<Problem>,
}

impl Found<'_> {
    fn say(&mut self, node: &Node, key: &str, path: &str, what: &str) {
        if let Some(place) = node.key_place(key) {
            let message =
                format!("`{path}`: {what} is not built yet, so `serve` refuses to start on it");
            let problem = Problem::new(self.file, place, message).severity(Severity::Warning);
            self.problems
                .push(problem.fix("leave the key out; nothing takes its place"));
        }
    }

    /// Keys of which only some values are missing.
    fn values(&mut self, root: &Node) {
        if let Some(store) = root.child("store") {
            self.say(
                store,
                "postgres",
                "store.postgres",
                "the journal in PostgreSQL",
            );
            self.say(
                store,
                "journal",
                "store.journal",
                "several journals in one store",
            );
        }
        let elsewhere = |spawn: &&Node| {
            let placements = spawn.child("placements");
            placements.is_some_and(|node| !node.entries().is_empty())
        };
        if let Some(spawn) = root.child("spawn").filter(elsewhere) {
            self.say(
                spawn,
                "placements",
                "spawn.placements",
                "running commands elsewhere",
            );
        }
        if let Some(approvals) = root.child("approvals") {
            self.say(
                approvals,
                "elicitation",
                "approvals.elicitation",
                "answering through the client",
            );
            if approvals
                .child("hold")
                .is_some_and(|node| node.to_json() == "elicit")
            {
                self.say(approvals, "hold", "approvals.hold", "`elicit`");
            }
        }
    }
}
