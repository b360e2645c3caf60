//! The guide to triage, told as it stands: its files, its commands, their output.

use std::io::{BufRead as _, BufReader, Write as _};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};

use serde_json::{Value, json};

use crate::support::PATIENCE;
use crate::support::tipstaff::{Ran, Tipstaff};

const GUIDE: &str = include_str!("../../../docs/guides/triage.md");
/// The id that the guide writes for a task that has another one here.
const ID: &str = "5d1c2a9e7b30";

/// A server in plain shell with one tool, which answers with what stands in a file.
pub(crate) const SERVER: &str = r#"
while read -r line; do
  id=$(printf '%s' "$line" | sed -n 's/.*"id":\([^,}]*\).*/\1/p')
  [ -n "$id" ] || continue
  case "$line" in
    *'"method":"initialize"'*)
      printf '{"jsonrpc":"2.0","id":%s,"result":{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"grid","version":"1"}}}\n' "$id" ;;
    *'"method":"tools/list"'*)
      printf '{"jsonrpc":"2.0","id":%s,"result":%s}\n' "$id" "$(cat tools.json)" ;;
    *'"method":"tools/call"'*)
      answer=$(tr -d '\n' < answer.json)
      printf '{"jsonrpc":"2.0","id":%s,"result":{"content":[{"type":"text","text":"see the data"}],"structuredContent":%s}}\n' "$id" "$answer" ;;
    *) printf '{"jsonrpc":"2.0","id":%s,"error":{"code":-32601,"message":"no such method"}}\n' "$id" ;;
  esac
done
"#;

pub(crate) fn tools() -> String {
    json!({ "tools": [{
        "name": "outage_report", "description": "The state of an asset and of its outage report.",
        "inputSchema": { "type": "object", "properties": { "asset": { "type": "string" } } },
        "outputSchema": { "type": "object", "properties": { "asset": { "type": "string" }, "report": { "type": "object" } } },
    }] })
    .to_string()
}

/// The blocks of the guide that begin with this language: what stands behind it, and the text.
fn blocks(language: &str) -> Vec<(String, String)> {
    let mut found = Vec::new();
    let mut rest = GUIDE;
    while let Some((_, begun)) = rest.split_once("```") {
        let (head, after) = begun.split_once('\n').unwrap();
        let (text, end) = after.split_once("\n```").unwrap();
        if let Some(name) = head.strip_prefix(language) {
            found.push((name.trim().to_owned(), text.to_owned()));
        }
        rest = end;
    }
    found
}

/// The folder of the guide, with all its files.
fn folder() -> Tipstaff {
    let tipstaff = Tipstaff::new();
    for (name, text) in ["yaml", "ics", "json"].into_iter().flat_map(blocks) {
        tipstaff.write(&name, &text);
    }
    tipstaff.write("grid.sh", SERVER);
    tipstaff.write("tools.json", &tools());
    tipstaff
}

/// Words of a command line, single and double quotes taken off.
fn words(line: &str) -> Vec<String> {
    let (mut words, mut word, mut quote) = (Vec::new(), String::new(), None);
    for c in line.chars() {
        match (quote, c) {
            (None, '\'' | '"') => quote = Some(c),
            (Some(open), _) if open == c => quote = None,
            (None, ' ') => words.push(std::mem::take(&mut word)),
            (_, c) => word.push(c),
        }
    }
    words.push(word);
    words
}

/// Whether a line is as the guide has it; `…` is anything, and runs of blanks are one.
fn fits(line: &str, guide: &str) -> bool {
    let plain = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    match guide.split_once('…') {
        Some((begin, end)) => {
            let (line, begin, end) = (plain(line), plain(begin), plain(end));
            line.starts_with(&begin) && line.ends_with(&end)
        }
        None => plain(line) == plain(guide),
    }
}

/// Runs the commands of a block, and compares what they print.
#[track_caller]
fn told(tipstaff: &Tipstaff, block: &str, id: &str) {
    for step in block.split("$ ").skip(1) {
        let (command, output) = step.split_once('\n').unwrap();
        let command = command.replace(ID, id);
        let words = words(command.strip_prefix("tipstaff ").unwrap());
        let state = tipstaff.state();
        let mut args: Vec<&str> = words.iter().map(String::as_str).collect();
        if args[0] == "tasks" {
            args.splice(1..1, ["--state", &state]);
        }
        let ran = tipstaff.run(&args);
        let lines: Vec<&str> = ran.stdout.lines().collect();
        let want: Vec<String> = output.lines().map(|line| line.replace(ID, id)).collect();
        assert_eq!(lines.len(), want.len(), "{command}: {ran:?}");
        for (line, want) in lines.iter().zip(&want) {
            assert!(
                fits(line, want),
                "{command}:\n{line}\nis not\n{want}\n{ran:?}"
            );
        }
    }
}

/// `tipstaff serve` with somebody at its standard input.
pub(crate) struct Served {
    child: Child,
    stdin: Option<ChildStdin>,
    answers: Receiver<Value>,
}

impl Served {
    pub(crate) fn start(tipstaff: &Tipstaff) -> Self {
        let line = tipstaff.command_line(&["serve", "-c", "tipstaff.yaml"]);
        let mut command = Command::new(&line[0]);
        command
            .args(&line[1..])
            .current_dir(tipstaff.path(""))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null());
        for (name, value) in tipstaff.environment() {
            command.env(name, value);
        }
        let mut child = command.spawn().unwrap();
        let lines = BufReader::new(child.stdout.take().unwrap()).lines();
        let (send, answers) = channel();
        std::thread::spawn(move || {
            for line in lines.map_while(Result::ok) {
                let _test_is_over = send.send(serde_json::from_str(&line).unwrap());
            }
        });
        let stdin = child.stdin.take();
        let mut served = Self {
            child,
            stdin,
            answers,
        };
        let hello = json!({ "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": { "name": "story", "version": "1" } });
        served.ask(1, "initialize", &hello);
        served.say(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }));
        // A client lists before it calls, and the answer comes when the server has been listed.
        let listed = served.ask(0, "tools/list", &json!({}));
        let tools = listed["result"]["tools"].as_array().unwrap();
        assert_eq!(tools.len(), 1, "{listed}");
        served
    }

    fn say(&mut self, message: &Value) {
        writeln!(self.stdin.as_mut().unwrap(), "{message}").unwrap();
    }

    #[track_caller]
    fn ask(&mut self, id: u64, method: &str, params: &Value) -> Value {
        self.say(&json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }));
        loop {
            let answer = self.answers.recv_timeout(PATIENCE).unwrap();
            if answer["id"] == json!(id) && answer.get("method").is_none() {
                return answer;
            }
        }
    }

    #[track_caller]
    pub(crate) fn call(&mut self, id: u64) -> Value {
        let call = json!({ "name": "outage_report", "arguments": { "asset": "T-117" } });
        self.ask(id, "tools/call", &call)["result"].clone()
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        drop(self.stdin.take());
        drop(self.child.kill());
        drop(self.child.wait());
    }
}

pub(crate) fn list(tipstaff: &Tipstaff, more: &[&str]) -> Vec<Value> {
    let mut args = vec!["list", "--json"];
    args.extend(more);
    let ran = tipstaff.on_state("tasks", &args);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    ran.json_lines()[0]["tasks"].as_array().unwrap().clone()
}

pub(crate) fn short(task: &Value) -> String {
    let id = task["id"]
        .as_str()
        .unwrap()
        .strip_prefix("sha256:")
        .unwrap();
    id.chars().take(12).collect()
}

#[test]
fn the_guide_is_true_from_yaml_to_worklist() {
    let tipstaff = folder();
    let consoles = blocks("console");
    assert_eq!(consoles.len(), 4);
    for (_, block) in &consoles[..3] {
        told(&tipstaff, block, ID);
    }
    let mut served = Served::start(&tipstaff);
    let result = served.call(2);
    assert_eq!(result["structuredContent"]["asset"], "T-117", "{result}");
    let tasks = list(&tipstaff, &[]);
    assert_eq!(tasks.len(), 1, "one call, one rule: {tasks:?}");
    told(&tipstaff, &consoles[3].1, &short(&tasks[0]));
    let shown = tipstaff
        .on_state("tasks", &["show", &short(&tasks[0]), "--json"])
        .json_lines();
    let what: Vec<&str> = shown[0]["history"]
        .as_array()
        .unwrap()
        .iter()
        .map(|past| past["what"].as_str().unwrap())
        .collect();
    assert_eq!(what, ["task.opened", "task.claimed", "task.completed"]);
    assert_eq!(shown[0]["result"], json!({ "sent": true }));
    let kinds: Vec<Value> = tipstaff
        .journal()
        .iter()
        .map(|event| event["kind"].clone())
        .collect();
    let succeeded = kinds
        .iter()
        .position(|kind| kind == "execution.succeeded")
        .unwrap();
    assert_eq!(
        kinds[succeeded + 1],
        "task.opened",
        "in the append of the outcome"
    );
}

fn refused(ran: &Ran, why: &str) {
    assert_eq!(ran.code, Some(3), "{ran:?}");
    assert!(ran.stdout.contains(why), "{ran:?}");
}

#[test]
fn without_a_gate_the_list_is_worked_on_in_the_state_folder() {
    let tipstaff = folder();
    let mut served = Served::start(&tipstaff);
    for id in 2..5 {
        served.call(id);
    }
    drop(served);
    let ids: Vec<String> = list(&tipstaff, &[]).iter().map(short).collect();
    assert_eq!(ids.len(), 3);
    let on = |args: &[&str]| tipstaff.on_state("tasks", args);
    let claimed = on(&["claim", &ids[0], &ids[1]]);
    assert_eq!(claimed.code, Some(0), "{claimed:?}");
    assert_eq!(
        on(&["claim", &ids[0]]).code,
        Some(0),
        "the holder again is fine"
    );
    assert_eq!(on(&["release", &ids[1]]).code, Some(0));
    refused(
        &on(&["skip", &ids[1], "--reason", "twice"]),
        "claim it first",
    );
    assert_eq!(on(&["skip", &ids[0], "--reason", "twice"]).code, Some(0));
    let all = |status: &str| list(&tipstaff, &["--status", status]).len();
    assert_eq!((all("ready"), all("claimed"), all("skipped")), (2, 0, 1));
    assert_eq!(
        list(
            &tipstaff,
            &["--kind", "report-overdue", "--role", "regulatory-affairs"]
        )
        .len(),
        2
    );
    assert_eq!(list(&tipstaff, &["--text", "nowhere"]).len(), 0);
    assert_eq!(
        list(&tipstaff, &["--limit", "1", "--after", &ids[1]]).len(),
        1
    );
    let reopen = on(&["reopen", &ids[0], "--reason", "not twice"]);
    assert_eq!(reopen.code, Some(5), "{reopen:?}");
    assert_eq!(on(&["claim", &ids[0], "--as", "ana"]).code, Some(2));
    assert_eq!(on(&["claim", "abc"]).code, Some(2));
    assert_eq!(on(&["show", "0000000000000000"]).code, Some(1));
    // A gate again: it knows the calendar of new deadlines.
    let _served = Served::start(&tipstaff);
    let reopened = on(&["reopen", &ids[0], "--reason", "not twice"]);
    assert_eq!(reopened.code, Some(0), "{reopened:?}");
    assert_eq!(all("ready"), 3);
    refused(&on(&["delegate", &ids[0], "--to", "ana"]), "role");
}

#[test]
fn a_plain_text_is_not_judged_and_rules_say_why_they_do_not_match() {
    let tipstaff = folder();
    tipstaff.write("text.txt", "all is well");
    let ran = tipstaff.run(&[
        "triage",
        "test",
        "--rules",
        "tipstaff.yaml",
        "--answer",
        "text.txt",
        "--json",
    ]);
    assert_eq!(
        (ran.code, &ran.json_lines()[0]["judged"]),
        (Some(1), &json!(false))
    );
    let tested = |tool: &str| {
        let args = [
            "triage",
            "test",
            "--rules",
            "tipstaff.yaml",
            "--answer",
            "answer.json",
            "--tool",
            tool,
            "--json",
        ];
        let ran = tipstaff.run(&args);
        (ran.code, ran.json_lines().remove(0))
    };
    let (code, told) = tested("grid:outage_report");
    assert_eq!((code, &told["matched"]), (Some(0), &json!(1)));
    assert_eq!(
        told["rules"][1]["why_not"],
        json!(["/report/days_left at least 1: it is 0"])
    );
    let (code, told) = tested("files:read");
    assert_eq!((code, &told["matched"]), (Some(1), &json!(0)));
}

#[test]
fn a_deadline_is_told_for_people_and_programs_and_a_bad_one_names_its_fault() {
    let tipstaff = folder();
    let deadline = |spec: &str| {
        let args = [
            "deadline",
            "--calendar",
            "tipstaff.yaml",
            "--from",
            "2026-12-23T14:00:00Z",
            "--spec",
            spec,
        ];
        let ran = tipstaff.run(&args);
        (ran.code, ran.stderr)
    };
    let (code, why) = deadline(r#"{"kind": "working-days", "params": {"n": 0}}"#);
    assert!(
        code == Some(2) && why.contains("needs `n`, a whole number from 1 to 520"),
        "{why}"
    );
    let args = [
        "--from",
        "2026-12-23T14:00:00Z",
        "--spec",
        r#"{"kind": "end-of-day"}"#,
        "--json",
    ];
    let told = tipstaff.run(&[&["deadline", "--calendar", "tipstaff.yaml"], &args[..]].concat());
    assert_eq!(
        told.json_lines()[0]["due_at"],
        json!("2026-12-23T16:00:00Z"),
        "{told:?}"
    );
    let (code, why) = deadline("tomorrow");
    assert!(code == Some(2) && why.contains("--spec"), "{why}");
    let whole = tipstaff.run(&["deadline", "--calendar", "gone.yaml", "--spec", "{}"]);
    assert_eq!(whole.code, Some(2), "{whole:?}");
}
