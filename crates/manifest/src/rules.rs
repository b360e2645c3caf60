//! Rules from `policies`, `policies_from` and `commands`, in this order, each with its place.

use std::path::Path;

use tipstaff_policy::wire::{CommandRuleWire, RuleWire};
use tipstaff_policy::{Finding, Severity};

use crate::document::{self, Node};
use crate::problem::{Place, Problem, Related};
use crate::section;
use crate::sources::Sources;

/// So many of the other rules of a finding are shown.
const SHOWN: usize = 3;

/// The rules as they were read, and where each stands.
#[derive(Debug, Clone, Default)]
pub(crate) struct Rules {
    pub(crate) wires: Vec<RuleWire>,
    nodes: Vec<(String, Node)>,
}

impl Rules {
    /// Reads all rules of a manifest; what cannot be read goes to `problems`.
    pub(crate) fn gather(
        file: &str,
        root: &Node,
        base: &Path,
        sources: &mut Sources,
        problems: &mut Vec<Problem>,
    ) -> Self {
        let mut rules = Self::default();
        if let Some(list) = root.child("policies") {
            rules.add::<RuleWire>(file, "policies", list, std::convert::identity, problems);
        }
        for included in root
            .child("policies_from")
            .map(Node::items)
            .unwrap_or_default()
        {
            let Some(path) = included.to_json().as_str().map(|path| base.join(path)) else {
                problems.push(Problem::new(
                    file,
                    included.place,
                    "`policies_from` is a list of files",
                ));
                continue;
            };
            match sources.read(&path) {
                Ok((name, text)) => match document::read(&name, &text) {
                    Ok(node) => rules.add::<RuleWire>(
                        &name,
                        "policies_from",
                        &node,
                        std::convert::identity,
                        problems,
                    ),
                    Err(problem) => problems.push(problem),
                },
                Err(problem) => {
                    let message = format!("`{}`: {}", problem.file, problem.message);
                    problems.push(Problem::new(file, included.place, message));
                }
            }
        }
        if let Some(list) = root.child("commands") {
            rules.add::<CommandRuleWire>(file, "commands", list, |rule| rule.0, problems);
        }
        rules
    }

    fn add<T: serde::de::DeserializeOwned>(
        &mut self,
        file: &str,
        what: &str,
        list: &Node,
        into: fn(T) -> RuleWire,
        problems: &mut Vec<Problem>,
    ) {
        if !matches!(list.data, document::Data::List(_)) {
            problems.push(
                Problem::new(file, list.place, format!("`{what}` is a list of rules"))
                    .fix("begin each rule with `- `"),
            );
            return;
        }
        for node in list.items() {
            match section::read::<T>(file, node) {
                Ok(rule) => {
                    self.wires.push(into(rule));
                    self.nodes.push((file.to_owned(), node.clone()));
                }
                Err(problem) => problems.push(problem),
            }
        }
    }

    /// Where the rules stand, without what they say.
    pub(crate) fn places(self) -> Self {
        Self {
            wires: Vec::new(),
            nodes: self.nodes,
        }
    }

    /// A finding about rules, at the place of the first of them.
    pub(crate) fn locate(&self, file: &str, finding: &Finding) -> Problem {
        let found = finding
            .indexes
            .first()
            .and_then(|index| self.nodes.get(*index));
        let (file, place) = match found {
            Some((file, node)) => {
                let path: Vec<&str> = finding
                    .field
                    .iter()
                    .flat_map(|field| field.split(['.', '/']))
                    .collect();
                (file.as_str(), node.place_of(path))
            }
            None => (file, Place::START),
        };
        let rules = finding
            .rules
            .iter()
            .map(|id| format!("`{id}`"))
            .collect::<Vec<_>>()
            .join(", ");
        let message = match finding.rules.as_slice() {
            [] => finding.message.clone(),
            _ => format!("rule {rules}: {}", finding.message),
        };
        let mut problem = Problem::new(file, place, message)
            .fix(finding.fix.clone())
            .severity(finding.severity);
        problem.witness.clone_from(&finding.witness);
        let others = finding
            .indexes
            .iter()
            .zip(&finding.rules)
            .skip(1)
            .take(SHOWN);
        problem.related = others
            .filter_map(|(index, id)| {
                let (file, node) = self.nodes.get(*index)?;
                let field = finding.field.as_deref().unwrap_or("id");
                let place = node.place_of([field]);
                Some(Related::new(file, place, format!("rule `{id}`")))
            })
            .collect();
        problem
    }
}

/// Splits findings into what stops the load and what is only said.
pub(crate) fn split(found: Vec<Problem>, problems: &mut Vec<Problem>, warnings: &mut Vec<Problem>) {
    for problem in found {
        if problem.severity == Severity::Error {
            problems.push(problem);
        } else {
            warnings.push(problem);
        }
    }
}
