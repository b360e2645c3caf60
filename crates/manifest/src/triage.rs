//! The sections `triage` and `calendar`, of a manifest or of files of their own, and what captured
//! output schemas say about the rules.

use std::collections::BTreeMap;
use std::path::Path;

use chrono_tz::Tz;
use serde_json::Value;
use tipstaff_policy::Severity;
use tipstaff_schema::ServerName;
use tipstaff_triage::wire::{CalendarWire, TriageRuleWire};
use tipstaff_triage::{BusinessCalendar, TriageRule, TriageSet, holidays_in};

use crate::document::{self, Data, Key, Node};
use crate::load::{Loader, Rejected, chain};
use crate::manifest::Server;
use crate::problem::{Place, Problem, Problems};
use crate::section;
use crate::sources::Sources;

/// Triage rules that were read, and the calendar of their deadlines.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct TriageFile {
    /// The rules.
    pub rules: TriageSet,
    /// Their calendar.
    pub calendar: BusinessCalendar,
}

/// Reads the triage rules of a file: a list of rules, or a manifest, of which only `timezone`,
/// `calendar` and `triage` are looked at.
///
/// # Errors
/// [`Rejected`] with every problem that was found.
pub fn read_triage(path: &Path) -> Result<TriageFile, Box<Rejected>> {
    part(path, |root| match root.data {
        Data::List(_) => wrapped("triage", root),
        Data::Null | Data::Bool(_) | Data::Number(_) | Data::Text(_) | Data::Map(_) => root,
    })
}

/// Reads the calendar of a file: its own, or a manifest, of which only `timezone` and `calendar` are
/// looked at.
///
/// # Errors
/// [`Rejected`] with every problem that was found.
pub fn read_calendar(path: &Path) -> Result<BusinessCalendar, Box<Rejected>> {
    let read = part(path, |mut root| {
        if root.child("version").is_none() && root.child("calendar").is_none() {
            return wrapped("calendar", root);
        }
        if let Data::Map(entries) = &mut root.data {
            entries.retain(|(key, _)| key.text != "triage");
        }
        root
    });
    read.map(|read| read.calendar)
}

/// A document with this one section.
fn wrapped(section: &str, node: Node) -> Node {
    let key = Key {
        text: section.to_owned(),
        place: node.place,
    };
    Node::map(node.place, vec![(key, node)])
}

fn part(path: &Path, shape: impl FnOnce(Node) -> Node) -> Result<TriageFile, Box<Rejected>> {
    let mut sources = Sources::default();
    let root = sources
        .read(path)
        .and_then(|(file, text)| Ok((document::read(&file, &text)?, file)));
    let (root, file) = match root {
        Ok(read) => read,
        Err(problem) => {
            let problems = Problems(vec![problem]);
            return Err(Box::new(Rejected { problems, sources }));
        }
    };
    let mut loader = Loader {
        file,
        root: shape(root),
        base: path.parent().map(Path::to_owned).unwrap_or_default(),
        sources,
        problems: Vec::new(),
        warnings: Vec::new(),
    };
    let timezone = loader.timezone();
    let read = loader.triage(timezone, &BTreeMap::new());
    match read {
        Some((rules, calendar)) if loader.problems.is_empty() => Ok(TriageFile { rules, calendar }),
        _ => {
            let problems = Problems(loader.problems);
            let sources = loader.sources;
            Err(Box::new(Rejected { problems, sources }))
        }
    }
}

impl Loader {
    pub(crate) fn triage(
        &mut self,
        timezone: Tz,
        servers: &BTreeMap<ServerName, Server>,
    ) -> Option<(TriageSet, BusinessCalendar)> {
        let calendar = self.calendar(timezone)?;
        let (mut wires, mut places) = (Vec::new(), Vec::new());
        for node in self
            .root
            .child("triage")
            .map(Node::items)
            .unwrap_or_default()
        {
            match section::read::<TriageRuleWire>(&self.file, node) {
                Ok(wire) => {
                    places.push((wire.name.clone(), node.place));
                    wires.push(wire);
                }
                Err(problem) => self.problems.push(problem),
            }
        }
        match TriageSet::new(wires, &calendar) {
            Ok(set) => {
                for (rule, (_, place)) in set.rules().iter().zip(&places) {
                    self.look_at(rule, *place, servers);
                }
                Some((set, calendar))
            }
            Err(errors) => {
                for error in errors {
                    let message = chain(&error);
                    let named = places
                        .iter()
                        .find(|(name, _)| message.contains(&format!("`{name}`")));
                    let place =
                        named.map_or_else(|| self.root.place_of(["triage"]), |(_, place)| *place);
                    self.say(place, message);
                }
                None
            }
        }
    }

    fn calendar(&mut self, timezone: Tz) -> Option<BusinessCalendar> {
        let mut wire = self.section::<CalendarWire>("calendar").unwrap_or_default();
        for (at, name) in std::mem::take(&mut wire.holidays_from)
            .into_iter()
            .enumerate()
        {
            let at = at.to_string();
            let place = self
                .root
                .place_of(["calendar", "holidays_from", at.as_str()]);
            match self.sources.read(&self.base.join(&name)) {
                Ok((file, text)) => match holidays_in(&text) {
                    Ok(days) => wire.holidays.extend(days),
                    Err(errors) => {
                        for error in errors {
                            self.say(place, format!("`{file}`: {}", chain(&error)));
                        }
                    }
                },
                Err(problem) => {
                    let message = format!("`{}`: {}", problem.file, problem.message);
                    self.say(place, message);
                }
            }
        }
        match BusinessCalendar::try_from_wire(&wire, timezone.name()) {
            Ok(calendar) => Some(calendar),
            Err(errors) => {
                let place = self.root.place_of(["calendar"]);
                for error in errors {
                    self.say(place, chain(&error));
                }
                None
            }
        }
    }

    /// What is worth knowing of a rule that loads: who sees its tasks, and what the captured output
    /// schemas of its tools say. It errs only where every schema refuses the rule.
    fn look_at(&mut self, rule: &TriageRule, place: Place, servers: &BTreeMap<ServerName, Server>) {
        let name = &rule.name;
        if rule.audience.is_empty() {
            let message =
                format!("triage rule `{name}` names no `audience`: anyone sees its tasks");
            self.note(place, message, "name the roles that are to work on them");
        }
        let tools = covered(rule, servers);
        let schemas: Vec<&Value> = tools.iter().filter_map(|(_, schema)| *schema).collect();
        let bare: Vec<&str> = tools
            .iter()
            .filter(|(_, schema)| schema.is_none())
            .map(|(tool, _)| tool.as_str())
            .collect();
        if !schemas.is_empty() && bare.is_empty() {
            let refusals: Vec<_> = schemas
                .iter()
                .map(|schema| rule.check_against(schema))
                .collect();
            if refusals.iter().all(|found| !found.is_empty()) {
                let why = refusals
                    .iter()
                    .flatten()
                    .next()
                    .map(|found| found.message.clone());
                let why = why.unwrap_or_default();
                let message = format!("triage rule `{name}` would never fire: {why}");
                self.say(place, message).fix =
                    Some("look at the output schema of its tools".to_owned());
            }
            return;
        }
        let unchecked = match bare.first() {
            Some(tool) => format!("`{tool}` has no output schema"),
            None => "none of its tools is captured".to_owned(),
        };
        let message = format!("triage rule `{name}` is unchecked: {unchecked}");
        if rule.require_output_schema {
            self.say(place, message).fix =
                Some("capture the tools with their output schemas (`tools_from`), or leave out `require_output_schema`".to_owned());
        } else {
            let fix = "whether it can ever fire is seen with `tipstaff triage test`";
            self.note(place, message, fix);
        }
    }

    fn note(&mut self, place: Place, message: String, fix: &str) {
        let problem = Problem::new(&self.file, place, message).fix(fix);
        self.warnings.push(problem.severity(Severity::Note));
    }
}

/// The captured tools that a rule is about, with their output schemas.
fn covered<'a>(
    rule: &TriageRule,
    servers: &'a BTreeMap<ServerName, Server>,
) -> Vec<(String, Option<&'a Value>)> {
    let captured = servers.iter().filter_map(|(name, server)| {
        let tools = &server.captured.as_ref()?.tools;
        Some(tools.iter().map(move |tool| (name, tool)))
    });
    let named = captured.flatten().filter_map(|(server, tool)| {
        let name = tool.get("name").and_then(Value::as_str)?;
        let (name, id) = (format!("{server}:{name}"), format!("mcp:{server}:{name}"));
        rule.concerns_tool(&name, &id)
            .then(|| (name, tool.get("outputSchema")))
    });
    named.collect()
}
