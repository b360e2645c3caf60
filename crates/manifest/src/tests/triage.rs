//! `triage` and `calendar` in a manifest: files of holidays, output schemas, and what is said of rules.

use std::path::Path;

use tipstaff_policy::Severity;

use crate::{Manifest, read_calendar, read_triage};

const RULE: &str = "  - { name: late, when: [{ path: /status, equals: BREACH }], summary: late, applies_to: [\"g:*\"],
      deadline: { name: d, kind: working-days, params: { n: 1 } }";

struct Folder(tempfile::TempDir);

impl Folder {
    fn new(files: &[(&str, &str)]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        for (name, text) in files {
            std::fs::write(folder.path().join(name), text).unwrap();
        }
        Self(folder)
    }

    fn path(&self, name: &str) -> std::path::PathBuf {
        self.0.path().join(name)
    }
}

fn manifest(folder: &Folder, more: &str, audience: &str) -> Result<Manifest, String> {
    let text = format!(
        "version: 1\nservers: {{ g: {{ command: x, tools_from: tools.json }} }}\ntriage:\n{RULE}{more}{audience} }}\n"
    );
    Manifest::from_text(&folder.path("tipstaff.yaml"), &text)
        .map_err(|rejected| rejected.problems.to_string())
}

fn notes(manifest: &Manifest) -> Vec<&str> {
    let notes = manifest
        .warnings
        .iter()
        .filter(|p| p.severity == Severity::Note);
    notes.map(|problem| problem.message.as_str()).collect()
}

const TEAM: &str = ", audience: [grid]";

fn tool(name: &str, schema: &str) -> String {
    format!(r#"{{ "name": "{name}", "inputSchema": {{ "type": "object" }}{schema} }}"#)
}

const WITH: &str = r#", "outputSchema": { "type": "object", "properties": { "status": { "enum": ["OK", "BREACH"] } } }"#;
const NEVER: &str =
    r#", "outputSchema": { "type": "object", "properties": { "status": { "enum": ["OK"] } } }"#;

fn with_tools(tools: &[String]) -> Folder {
    Folder::new(&[("tools.json", &format!("[{}]", tools.join(",")))])
}

#[test]
fn a_rule_errs_only_where_every_output_schema_refuses_it() {
    let fits = with_tools(&[tool("a", NEVER), tool("b", WITH)]);
    assert_eq!(notes(&manifest(&fits, "", TEAM).unwrap()), [""; 0]);
    let never = manifest(&with_tools(&[tool("a", NEVER)]), "", TEAM).unwrap_err();
    assert!(
        never.contains("triage rule `late` would never fire"),
        "{never}"
    );
}

#[test]
fn a_rule_without_an_output_schema_is_said_to_be_unchecked_or_refused() {
    let bare = with_tools(&[tool("a", NEVER), tool("b", "")]);
    let said = "triage rule `late` is unchecked: `g:b` has no output schema";
    assert_eq!(notes(&manifest(&bare, "", TEAM).unwrap()), [said]);
    let refused = manifest(&bare, ", require_output_schema: true", TEAM).unwrap_err();
    assert!(refused.contains(said), "{refused}");
    let none = manifest(&with_tools(&[]), ", require_output_schema: true", TEAM).unwrap_err();
    assert!(none.contains("none of its tools is captured"), "{none}");
}

#[test]
fn a_rule_without_an_audience_is_reported() {
    let fits = with_tools(&[tool("b", WITH)]);
    let said = "triage rule `late` names no `audience`: anyone sees its tasks";
    assert_eq!(notes(&manifest(&fits, "", "").unwrap()), [said]);
}

fn due(path: &Path) -> String {
    use tipstaff_triage::{Calendar as _, DeadlineSpec};
    let calendar = read_calendar(path).unwrap_or_else(|e| panic!("{}", e.problems));
    let from = "2026-12-23T12:00:00Z".parse().unwrap();
    calendar
        .resolve(from, &DeadlineSpec::of("d", "working-days", 1))
        .unwrap()
        .to_rfc3339()
}

#[test]
fn holidays_come_from_files_beside_the_calendar() {
    let ics = "BEGIN:VCALENDAR\nBEGIN:VEVENT\nDTSTART;VALUE=DATE:20261225\nRRULE:FREQ=YEARLY\nEND:VEVENT\nEND:VCALENDAR\n";
    let folder = Folder::new(&[
        ("bank.ics", ics),
        ("ours.txt", "2026-12-24 Christmas Eve\n"),
        (
            "calendar.yaml",
            "timezone: Europe/Berlin\nholidays_from: [bank.ics, ours.txt]\n",
        ),
        (
            "tipstaff.yaml",
            "version: 1\ntimezone: Europe/Berlin\ncalendar: { holidays_from: [ours.txt] }\n",
        ),
        ("bad.yaml", "holidays_from: [gone.ics, calendar.yaml]\n"),
    ]);
    assert_eq!(
        due(&folder.path("calendar.yaml")),
        "2026-12-28T16:00:00+00:00"
    );
    assert_eq!(
        due(&folder.path("tipstaff.yaml")),
        "2026-12-25T16:00:00+00:00"
    );
    let whole = Manifest::load(&folder.path("tipstaff.yaml")).unwrap();
    assert!(
        whole
            .sources
            .paths()
            .iter()
            .any(|path| path.ends_with("ours.txt"))
    );
    let bad = read_calendar(&folder.path("bad.yaml"))
        .unwrap_err()
        .problems
        .to_string();
    assert!(bad.contains(":1:17:") && bad.contains("gone.ics"), "{bad}");
    assert!(
        bad.contains(":1:27:") && bad.contains("`timezone:` is no date such as `2026-12-24`"),
        "{bad}"
    );
}

#[test]
fn rules_are_read_from_a_list_or_from_a_manifest_of_which_nothing_else_counts() {
    let list = format!(
        "{} }}\n",
        RULE.replace("  - ", "- ").replace("\n      ", "\n  ")
    );
    let whole = format!(
        "version: 1\nservers: {{ g: {{ command: x, tools_from: gone.json }} }}\ntriage:\n{RULE} }}\n"
    );
    let folder = Folder::new(&[("list.yaml", &list), ("tipstaff.yaml", &whole)]);
    for name in ["list.yaml", "tipstaff.yaml"] {
        let read = read_triage(&folder.path(name)).unwrap_or_else(|e| panic!("{}", e.problems));
        assert_eq!(read.rules.rules().len(), 1, "{name}");
    }
    assert!(read_triage(&folder.path("gone.yaml")).is_err());
}
