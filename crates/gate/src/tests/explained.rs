//! Why a call is decided as it is, and what rules over scripts and nested commands come to.

use chrono::TimeDelta;
use serde_json::{Value, json};
use tipstaff_schema::Effect;

use super::bench::*;
use super::commands::{Judge, guard, judge, judge_with, rule};
use crate::*;

fn explain(judge: &Judge, text: &str) -> CallExplanation {
    let call = Call::new("spawn", json!({ "input": text }));
    let session = Session::launched(agent());
    judge.gate.explain(&session, &call, Lookup::Lenient)
}

#[tokio::test]
async fn an_explanation_says_what_the_decision_says() {
    let rules = json!([
        rule("allow", &["git", "**flags"]),
        rule("deny", &["git", "push", "**flags"]),
        rule("allow", &["cat", "**"]),
        guard("**/.env"),
    ]);
    let judge = judge_with(&rules, "/srv/repo", &["/srv/own"]).await;
    for text in [
        "git status",
        "git status && git push",
        "cat .env",
        "cat a; cat .env",
        "cat /srv/own/x",
        "rm -r x",
        "$x",
        "",
    ] {
        let (said, decided) = (explain(&judge, text), judge.decide(text));
        let of = |verdict: &Verdict| serde_json::to_value(verdict).unwrap();
        assert_eq!(of(&said.verdict), of(&decided), "`{text}`");
        let strictest = said.parts.iter().map(|part| part.effect).max();
        assert!(
            strictest.is_none_or(|effect| effect == decided.effect),
            "`{text}`: {said:?}"
        );
    }
}

#[tokio::test]
async fn the_part_that_decided_is_shown_with_its_rules() {
    let rules = json!([rule("allow", &["cat", "**"]), guard("**/.env")]);
    let judge = judge_with(&rules, "/srv/repo", &["/srv/own"]).await;
    let text = explain(&judge, "cat a; cat conf/.env").to_text();
    for line in [
        "deny at guard for `reads /srv/repo/conf/.env`",
        "command: cat conf/.env",
        "  it reads /srv/repo/conf/.env",
        "policy on path /srv/repo/conf/.env, action `read`:",
        "    decides: deny guard (2 = target 2, guard)",
    ] {
        assert!(text.contains(line), "{line}: {text}");
    }
    let own = explain(&judge, "cat /srv/own/x");
    assert_eq!(own.verdict.stage, Stage::OwnGround);
    assert!(
        own.to_text().contains("deny at own-ground"),
        "{}",
        own.to_text()
    );
    let said: Value = own.to_json();
    assert_eq!(said["commands"], json!(["cat /srv/own/x"]));
}

#[tokio::test]
async fn a_call_that_is_refused_before_policy_says_where() {
    let judge = judge(json!([])).await;
    let call = Call::new("files:nothing here", json!({}));
    let said = judge
        .gate
        .explain(&Session::launched(agent()), &call, Lookup::Strict);
    assert_eq!((said.verdict.stage, said.policy.len()), (Stage::Lookup, 0));
}

#[tokio::test]
async fn c037_a_rule_for_a_script_by_its_relative_name_is_not_one_for_its_path() {
    let rules = json!([rule("allow", &[".tools/check", "**"])]);
    let judge = judge_with(&rules, "/home/me/p", &[]).await;
    judge.check(".tools/check", Effect::Allow);
    judge.check("/home/me/p/.tools/check", Effect::Ask);
    judge.check("./.tools/check", Effect::Ask);
}

#[tokio::test]
async fn c038_a_rule_for_scratch_scripts_ends_at_its_time_and_at_its_folder() {
    let mut scripts = rule("allow", &["python3", "work/*.py"]);
    scripts["cwd"] = json!("/home/me/p");
    scripts["until"] = json!((start() + TimeDelta::hours(1)).to_rfc3339());
    let judge = judge_with(&json!([scripts]), "/home/me/p", &[]).await;
    let decide = |input: &str, cwd: &str, after: TimeDelta| {
        let mut call = Call::new("spawn", json!({ "input": input }));
        call.cwd = Some(cwd.to_owned());
        let session = Session::launched(agent());
        judge
            .gate
            .decide_at(&session, &call, Lookup::Lenient, start() + after)
            .effect
    };
    let (now, later) = (
        TimeDelta::zero(),
        TimeDelta::hours(1) + TimeDelta::seconds(1),
    );
    for n in 1..=12 {
        assert_eq!(
            decide(&format!("python3 work/s{n}.py"), "/home/me/p", now),
            Effect::Allow
        );
    }
    assert_eq!(
        decide("python3 work/s1.py", "/home/me/p", later),
        Effect::Ask
    );
    assert_eq!(decide("python3 work/s1.py", "/home/me/q", now), Effect::Ask);
    assert_eq!(
        decide("python3 other/s1.py", "/home/me/p", now),
        Effect::Ask
    );
}

#[tokio::test]
async fn c040_a_nested_command_that_a_rule_covers_is_no_reason_to_refuse() {
    let judge = judge(json!([
        rule("allow", &["echo", "**"]),
        rule("allow", &["date", "**"])
    ]))
    .await;
    let verdict = judge.decide("echo \"today: $(date +%F)\"");
    assert_ne!(verdict.effect, Effect::Deny, "{verdict:?}");
    judge.never_allowed(&["echo \"today: $(touch canary)\""]);
}
