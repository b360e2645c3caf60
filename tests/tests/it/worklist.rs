//! People who prove who they are work a list through a running gate, several tasks at a time.

use std::path::PathBuf;

use argon2::{Algorithm, Argon2, Params, PasswordHasher as _, Version};
use serde_json::{Value, json};

use crate::support::tipstaff::{Ran, Tipstaff};
use crate::triage::{SERVER, Served, list, short, tools};

const MANIFEST: &str = r#"
version: 1
agents: { grid-agent: {} }
servers: { grid: { command: /bin/sh, args: [grid.sh], tools_from: tools.json } }
tools: { "grid:outage_report": { access: read, risk: low, reach: external } }
policies: [{ id: watch, capability: "grid:outage_report", effect: allow }]
triage:
  - name: overdue
    when: [{ path: /report/days_left, at_most: 0 }]
    audience: [grid]
    summary: "{/asset} is overdue"
    deadline: { name: d, kind: working-days, params: { n: 2 } }
    note_required: true
  - name: seen
    when: [{ path: /asset, exists: true }]
    audience: [office]
    summary: "{/asset} was looked at"
    deadline: { name: d, kind: days, params: { n: 1 } }
    priority: low
"#;

/// With little memory, so that the story is quick.
fn hashed(secret: &str) -> String {
    let params = Params::new(64, 1, 1, None).unwrap();
    let argon2 = Argon2::new(Algorithm::Argon2id, Version::V0x13, params);
    argon2
        .hash_password_with_salt(secret.as_bytes(), b"somesaltsomesalt")
        .unwrap()
        .to_string()
}

const PEOPLE: [(&str, &str); 4] = [
    ("ana", "grid"),
    ("bob", "grid"),
    ("sue", "supervisor"),
    ("eve", "office"),
];

/// An office with people and their passwords, each in a file of its own.
struct Office(Tipstaff);

impl Office {
    fn new() -> Self {
        let tipstaff = Tipstaff::new();
        let mut people = json!({});
        for (name, role) in PEOPLE {
            let secret = format!("{name} knows this only");
            people[name] = json!({ "roles": [role], "password_hash": hashed(&secret) });
            tipstaff.write(&format!("{name}.password"), &format!("{secret}\n"));
        }
        tipstaff.write("tipstaff.yaml", &format!("{MANIFEST}people: {people}\n"));
        tipstaff.write("grid.sh", SERVER);
        tipstaff.write("tools.json", &tools());
        let answer = json!({ "asset": "T-117", "report": { "days_left": 0 } });
        tipstaff.write("answer.json", &answer.to_string());
        Self(tipstaff)
    }

    fn password(&self, of: &str) -> PathBuf {
        self.0.path(&format!("{of}.password"))
    }

    /// A person does something with tasks, with their own password.
    fn work(&self, who: &str, verb: &str, ids: &[String], more: &[&str]) -> Ran {
        let mut args = vec![verb];
        args.extend(ids.iter().map(String::as_str));
        args.extend(["--as", who]);
        args.extend(more);
        self.0.with_password(&self.password(who), "tasks", &args)
    }

    fn ids(&self, more: &[&str]) -> Vec<String> {
        list(&self.0, more).iter().map(short).collect()
    }
}

#[track_caller]
fn all_done(ran: &Ran, count: usize, state: &str) {
    assert_eq!(ran.code, Some(0), "{ran:?}");
    let lines: Vec<&str> = ran.stdout.lines().collect();
    assert_eq!(lines.len(), count, "{ran:?}");
    assert!(lines.iter().all(|line| line.ends_with(state)), "{ran:?}");
}

#[track_caller]
fn refused(ran: &Ran, why: &str) {
    assert_eq!(ran.code, Some(3), "{ran:?}");
    let said = format!("{}{}", ran.stdout, ran.stderr);
    assert!(said.contains(why), "{ran:?}");
}

/// An office whose agent had three answers, each of which opened a task of two rules: the ids by rule.
fn with_tasks() -> (Office, Served, Vec<String>, Vec<String>) {
    let office = Office::new();
    let mut served = Served::start(&office.0);
    for id in 2..5 {
        served.call(id);
    }
    let overdue = office.ids(&["--kind", "overdue"]);
    let seen = office.ids(&["--kind", "seen"]);
    assert_eq!((overdue.len(), seen.len()), (3, 3));
    (office, served, overdue, seen)
}

#[test]
fn several_tasks_of_one_rule_are_worked_on_at_once_by_people_who_prove_who_they_are() {
    let (office, _served, overdue, seen) = with_tasks();
    let claimed = office.work("ana", "claim", &overdue, &[]);
    all_done(&claimed, 3, "claimed by ana");
    let held = "held by `ana`";
    refused(&office.work("bob", "claim", &overdue[..1], &[]), held);
    refused(&office.work("eve", "claim", &overdue[..1], &[]), "role");
    let noted = ["--note", "x"];
    refused(&office.work("bob", "complete", &overdue, &noted), held);
    let mixed = [overdue[0].clone(), seen[0].clone()];
    let ran = office.work("ana", "release", &mixed, &["--json"]);
    assert_eq!(ran.code, Some(3), "{ran:?}");
    let told = ran.json_lines().remove(0);
    assert_eq!(told["tasks"][0]["state"], "ready", "{told}");
    let why = told["tasks"][1]["why"].as_str().unwrap();
    assert!(why.contains("only tasks of one rule"), "{why}");
    let stats = office
        .0
        .on_state("tasks", &["stats", "--json", "--role", "grid"]);
    let counts = stats.json_lines().remove(0);
    assert_eq!(
        (&counts["ready"], &counts["claimed"]),
        (&json!(1), &json!(2)),
        "{counts}"
    );
}

#[test]
fn tasks_go_from_hand_to_hand_and_each_step_is_theirs_who_took_it() {
    let (office, _served, overdue, _) = with_tasks();
    office.work("ana", "claim", &overdue, &[]);
    let held = "held by `ana`";
    let to = |who| ["--to", who];
    refused(&office.work("bob", "delegate", &overdue, &to("bob")), held);
    refused(
        &office.work("sue", "delegate", &overdue, &to("eve")),
        "role",
    );
    let given = office.work("sue", "delegate", &overdue, &to("bob"));
    all_done(&given, 3, "claimed by bob");
    refused(
        &office.work("bob", "complete", &overdue, &[]),
        "only with a note",
    );
    let taken = office.work("ana", "take-over", &overdue[2..], &["--from", "bob"]);
    all_done(&taken, 1, "claimed by ana");
    let sent = ["--note", "sent", "--result", r#"{"sent":true}"#];
    let done = office.work("bob", "complete", &overdue, &sent);
    refused(&done, held);
    let completed = done.stdout.matches(": completed").count();
    assert_eq!(completed, 2, "the others are done: {done:?}");
    let skipped = office.work("ana", "skip", &overdue[2..], &["--reason", "twice"]);
    all_done(&skipped, 1, "skipped");
    let reason = ["--reason", "not sent after all"];
    refused(&office.work("bob", "reopen", &overdue, &reason), "role");
    all_done(&office.work("sue", "reopen", &overdue, &reason), 3, "ready");

    let events = office.0.journal();
    let by = |kind: &str| -> Vec<&Value> {
        let of_kind = events.iter().filter(|event| event["kind"] == kind);
        of_kind.map(|event| &event["actor"]).collect()
    };
    assert_eq!(by("task.completed"), ["person:bob", "person:bob"]);
    assert_eq!(by("task.reopened"), ["person:sue"; 3]);
    assert_eq!(by("task.delegated"), ["person:sue"; 3]);
    let whole = events.iter().map(Value::to_string).collect::<String>();
    let secret = whole.contains("knows this only");
    assert!(!secret, "no password is in the journal");
}

#[test]
fn nobody_works_on_tasks_under_a_name_that_they_cannot_prove() {
    let office = Office::new();
    let mut served = Served::start(&office.0);
    served.call(2);
    let ids = office.ids(&["--kind", "overdue"]);
    let claim = |who: &str, password: &str| {
        let file = office.password(password);
        let args = ["claim", &ids[0], "--as", who];
        office.0.with_password(&file, "tasks", &args)
    };
    let wrong = "the name or the password is wrong";
    refused(&claim("ana", "bob"), wrong);
    refused(&claim("nobody", "ana"), wrong);
    refused(&claim("local", "ana"), wrong);
    let unnamed = office.0.on_state("tasks", &["claim", &ids[0]]);
    refused(&unnamed, "say who you are");
    assert_eq!(list(&office.0, &["--status", "claimed"]).len(), 0);
    assert!(
        !office
            .0
            .journal()
            .iter()
            .any(|event| event["kind"] == "task.claimed")
    );
    all_done(&claim("ana", "ana"), 1, "claimed by ana");
}
