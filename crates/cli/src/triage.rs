//! `tipstaff triage test`: which rules match an answer, and on which conditions the others fail.

use std::path::Path;

use chrono::{DateTime, SecondsFormat, Utc};
use serde_json::{Value, json};
use tipstaff_gate::Clock;
use tipstaff_host::SystemClock;
use tipstaff_manifest::{TriageFile, read_triage};
use tipstaff_schema::sanitization::sanitize_for_display;
use tipstaff_schema::{Role, parse_strict};
use tipstaff_triage::{Calendar as _, TriageRule, judgeable};

use crate::args::{TriageArgs, TriageCommand, TriageTestArgs};
use crate::exit::{self, Code, FAILED, Failure, USAGE};
use crate::{input, out};

pub(crate) fn run(args: &TriageArgs, json: bool) -> Result<Code, Failure> {
    match &args.command {
        TriageCommand::Test(args) => test(args, json),
    }
}

/// What one rule made of the answer.
struct Tried<'a> {
    rule: &'a TriageRule,
    /// Why it does not match; empty where it does.
    why_not: Vec<String>,
    /// The due date of its task, or why there is none.
    due: Result<DateTime<Utc>, String>,
    /// What the schema shows to be impossible.
    never: Vec<String>,
}

impl Tried<'_> {
    fn matches(&self) -> bool {
        self.why_not.is_empty()
    }
}

fn test(args: &TriageTestArgs, json: bool) -> Result<Code, Failure> {
    let file =
        read_triage(&args.rules).map_err(|rejected| Failure::new(USAGE, rejected.render()))?;
    let text = read(&args.answer)?;
    let schema = args.schema.as_deref().map(schema).transpose()?;
    let Some(answer) = judgeable(None, std::str::from_utf8(&text).ok()) else {
        let why = parse_strict(&text).err().map(|error| exit::chain(&error));
        let why = why.unwrap_or_default();
        if json {
            out::json(&json!({ "judged": false, "why": why }));
        } else {
            out::line(&format!(
                "not judged: the answer is no JSON as a whole: {why}"
            ));
        }
        return Ok(FAILED);
    };
    let at = args.at.unwrap_or_else(|| SystemClock.now());
    let tried: Vec<Tried<'_>> = file
        .rules
        .rules()
        .iter()
        .map(|rule| attempt(rule, &file, args, &answer, schema.as_ref(), at))
        .collect();
    let matched = tried.iter().filter(|tried| tried.matches()).count();
    if json {
        let rules: Vec<Value> = tried.iter().map(|tried| view(tried, &answer)).collect();
        out::json(&json!({ "judged": true, "matched": matched, "rules": rules }));
    } else {
        tried.iter().for_each(|tried| print(tried, &file, &answer));
        out::line(&format!("{matched} of {} rules match", tried.len()));
    }
    let good = matched > 0 && tried.iter().all(|tried| tried.never.is_empty());
    Ok(if good { exit::OK } else { FAILED })
}

fn attempt<'a>(
    rule: &'a TriageRule,
    file: &TriageFile,
    args: &TriageTestArgs,
    answer: &Value,
    schema: Option<&Value>,
    at: DateTime<Utc>,
) -> Tried<'a> {
    let mut why_not = Vec::new();
    if args
        .tool
        .as_ref()
        .is_some_and(|tool| !rule.concerns_tool(tool, tool))
    {
        why_not.push("it is not about this tool".to_owned());
    }
    let other = |agent| !rule.agents.is_empty() && !rule.agents.contains(agent);
    if args.agent.as_ref().is_some_and(other) {
        why_not.push("it is not about this agent".to_owned());
    }
    let failed = rule.when.iter().filter_map(|one| one.why_not(answer));
    why_not.extend(failed);
    let found = schema.map(|schema| rule.check_against(schema));
    let never = found.into_iter().flatten();
    let due = file.calendar.resolve(at, &rule.deadline);
    Tried {
        rule,
        why_not,
        due: due.map_err(|error| exit::chain(&error)),
        never: never.map(|found| found.message).collect(),
    }
}

fn view(tried: &Tried<'_>, answer: &Value) -> Value {
    let rule = tried.rule;
    let mut view = json!({
        "name": rule.name,
        "matches": tried.matches(),
        "why_not": tried.why_not,
        "never": tried.never,
    });
    if let (true, Some(fields)) = (tried.matches(), view.as_object_mut()) {
        fields.insert("summary".to_owned(), json!(rule.summary(answer)));
        fields.insert("audience".to_owned(), json!(rule.audience));
        fields.insert("priority".to_owned(), json!(rule.priority));
        match &tried.due {
            Ok(due) => fields.insert("due_at".to_owned(), json!(due)),
            Err(why) => fields.insert("no_due_date".to_owned(), json!(why)),
        };
    }
    view
}

fn print(tried: &Tried<'_>, file: &TriageFile, answer: &Value) {
    let rule = tried.rule;
    let name = sanitize_for_display(&rule.name);
    if tried.matches() {
        out::line(&format!("{name}: matches"));
        out::line(&format!("  opens: {}", rule.summary(answer)));
        let roles: Vec<&str> = rule.audience.iter().map(Role::as_str).collect();
        let roles = if roles.is_empty() {
            "anyone".to_owned()
        } else {
            roles.join(", ")
        };
        let priority = json!(rule.priority);
        let priority = priority.as_str().unwrap_or_default();
        out::line(&format!("  for {roles}, priority {priority}"));
        match &tried.due {
            Ok(due) => out::line(&format!(
                "  due {}  ({})",
                due.to_rfc3339_opts(SecondsFormat::AutoSi, true),
                file.calendar.on_the_wall(*due)
            )),
            Err(why) => out::line(&format!("  but it has no due date: {why}")),
        }
    } else {
        out::line(&format!("{name}: does not match"));
        for why in &tried.why_not {
            out::line(&format!("  {}", sanitize_for_display(why)));
        }
    }
    for never in &tried.never {
        out::line(&format!(
            "  never under this schema: {}",
            sanitize_for_display(never)
        ));
    }
}

fn read(file: &Path) -> Result<Vec<u8>, Failure> {
    if file == Path::new("-") {
        return input::whole();
    }
    std::fs::read(file).map_err(|error| {
        let name = file.display().to_string();
        Failure::new(
            exit::ENVIRONMENT,
            format!("`{}`: {error}", sanitize_for_display(&name)),
        )
    })
}

fn schema(file: &Path) -> Result<Value, Failure> {
    parse_strict(&read(file)?).map_err(|error| {
        let why = exit::chain(&error);
        Failure::new(USAGE, format!("the schema is no strict JSON: {why}"))
    })
}
