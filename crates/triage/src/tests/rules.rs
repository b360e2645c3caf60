//! Rules: what is refused when they are loaded, and what they make of an answer.

use proptest::prelude::*;

use super::*;
use crate::events::KeptAnswer;

#[track_caller]
fn refused(rules: Vec<TriageRuleWire>, want: &[&str]) {
    let errors = TriageSet::new(rules, &berlin(json!([]))).unwrap_err();
    let found: Vec<String> = errors.iter().map(ToString::to_string).collect();
    assert_eq!(found, want);
}

#[test]
fn a_rule_that_matches_opens_a_task_beside_the_answer() {
    let answer = json!({ "deadline_status": "BREACH", "asset": "T-17" });
    let opened = judge(&set(vec![rule(|_| {})]), &answer);
    let [task] = opened.as_slice() else {
        panic!("{opened:?}")
    };
    assert_eq!(task.kind, "agent.triage/breach");
    assert_eq!(task.summary, "deadline missed for T-17");
    assert_eq!(task.due_at, at("2026-11-12T16:00Z"));
    assert_eq!(task.priority, Priority::High);
    assert_eq!(
        task.answer,
        KeptAnswer::Whole {
            value: answer.into()
        }
    );
    assert_eq!(task.calendar, berlin(json!([])).digest());
}

#[test]
fn every_condition_is_required_and_every_rule_stands_alone() {
    let two = |r: &mut Value| {
        r["when"] = json!([{ "path": "/deadline_status", "equals": "BREACH" }, { "path": "/days_left", "at_most": 0 }]);
    };
    let other = |r: &mut Value| {
        r["name"] = json!("any");
        r["when"] = json!([{ "path": "/deadline_status", "exists": true }]);
    };
    let set = set(vec![rule(two), rule(other)]);
    let kinds = |answer: Value| {
        judge(&set, &answer)
            .into_iter()
            .map(|task| task.kind)
            .collect::<Vec<_>>()
    };
    assert_eq!(
        kinds(json!({ "deadline_status": "BREACH", "days_left": 0 })),
        ["agent.triage/breach", "agent.triage/any"]
    );
    assert_eq!(
        kinds(json!({ "deadline_status": "BREACH" })),
        ["agent.triage/any"]
    );
    assert_eq!(
        kinds(json!({ "deadline_status": null })),
        ["agent.triage/any"]
    );
    assert!(kinds(json!({})).is_empty());
    assert!(kinds(json!("BREACH")).is_empty());
}

#[test]
fn a_rule_is_about_the_tools_and_agents_that_it_names() {
    let opens = |applies_to: Value| {
        let set = set(vec![rule(|r| r["applies_to"] = applies_to.clone())]);
        !judge(&set, &json!({ "deadline_status": "BREACH" })).is_empty()
    };
    assert!(opens(json!(["grid:*"])));
    assert!(opens(json!(["files:*", "mcp:grid:status"])));
    assert!(!opens(json!(["files:*"])));
    assert!(opens(json!({ "agents": ["coder"] })));
    assert!(!opens(json!({ "tools": ["grid:*"], "agents": ["other"] })));
}

#[test]
fn the_same_answer_of_the_same_call_opens_the_same_task() {
    let set = set(vec![rule(|_| {}), rule(|r| r["name"] = json!("other"))]);
    let answer = json!({ "deadline_status": "BREACH" });
    let ids =
        |opened: Vec<events::Opened>| opened.into_iter().map(|task| task.task).collect::<Vec<_>>();
    let first = ids(judge(&set, &answer));
    assert_eq!(first, ids(judge(&set, &answer)));
    assert_ne!(first[0], first[1]);
    assert_ne!(
        task_id(Uuid::from_u128(1), "breach"),
        task_id(Uuid::from_u128(2), "breach")
    );
}

#[test]
fn all_faults_of_all_rules_are_reported_at_once() {
    let broken = |r: &mut Value| {
        *r = json!({
            "name": "a/b",
            "when": [],
            "audience": ["no role"],
            "applies_to": ["a tool"],
            "summary": "{/open",
            "deadline": { "name": "d", "kind": "someday" },
            "on_expiry": "escalate",
        });
    };
    refused(
        vec![
            rule(broken),
            rule(|_| {}),
            rule(|r| r["deadline"]["params"] = json!({ "n": 0 })),
        ],
        &[
            "triage rule 1 `a/b`: a name has 1 to 80 characters, none of them `/` or a control character",
            "triage rule 1 `a/b`: `when` needs at least one condition",
            "triage rule 1 `a/b`: `audience` holds a bad name",
            "triage rule 1 `a/b`: `applies_to` holds a bad name",
            "triage rule 1 `a/b`: `on_expiry: escalate` and `escalate_to` need each other",
            "triage rule 1 `a/b`: the deadline cannot be used",
            "triage rule 1 `a/b`: the summary cannot be used",
            "triage rule 3 `breach`: the name is taken by an earlier rule",
            "triage rule 3 `breach`: the deadline cannot be used",
        ],
    );
}

#[test]
fn conditions_that_never_hold_or_say_each_are_refused() {
    refused(
        vec![rule(|r| {
            r["when"] = json!([{ "path": "status", "exists": true }]);
        })],
        &["triage rule 1 `breach`: condition 1 cannot be used"],
    );
    let crossing = json!([{ "path": "/n", "at_least": 2 }, { "path": "/n", "at_most": 1 }]);
    refused(
        vec![rule(|r| r["when"] = crossing.clone())],
        &["triage rule 1 `breach`: the set of conditions cannot be used"],
    );
    let each = json!([{ "path": "/n", "at_least": 2, "each": true }]);
    refused(
        vec![rule(|r| r["when"] = each.clone())],
        &["triage rule 1 `breach`: condition 1 says `each`, which only policies may"],
    );
}

#[test]
fn a_name_has_one_to_eighty_characters_none_of_which_breaks_a_line_or_a_kind() {
    let named = |name: &str| rule(|r| r["name"] = json!(name)).validate(&berlin(json!([])));
    for good in ["a", "Ü b: c", &"ü".repeat(80)] {
        assert!(named(good).is_ok(), "{good}");
    }
    for bad in ["", "a/b", "a\nb", "\u{7f}", &"a".repeat(81)] {
        let errors = named(bad).unwrap_err();
        assert!(matches!(errors[..], [TriageError::Name { .. }]), "{bad:?}");
    }
}

#[test]
fn what_a_rule_does_not_say_has_a_default_and_is_left_out() {
    let wire = json!({
        "name": "x", "when": [{ "path": "/a", "exists": true }], "summary": "s",
        "deadline": { "name": "d", "kind": "end-of-day" },
    });
    let set = set(vec![serde_json::from_value(wire.clone()).unwrap()]);
    let [rule] = set.rules() else { panic!("one") };
    assert_eq!(
        (rule.priority, rule.on_expiry),
        (Priority::Normal, OnExpiry::Deny)
    );
    assert!(rule.audience.is_empty() && !rule.note_required);
    let mut whole = wire;
    whole["audience"] = json!([]);
    whole["priority"] = json!("normal");
    assert_eq!(rule.to_wire(), whole);
}

#[test]
fn nothing_goes_ahead_because_nobody_came() {
    for on_expiry in ["proceed", "allow", "approve", ""] {
        let wire = json!({
            "name": "x", "when": [{ "path": "/a", "exists": true }], "summary": "s",
            "deadline": { "name": "d", "kind": "end-of-day" }, "on_expiry": on_expiry,
        });
        assert!(
            serde_json::from_value::<TriageRuleWire>(wire).is_err(),
            "{on_expiry}"
        );
    }
}

#[test]
fn unknown_keys_of_a_rule_are_refused() {
    for (place, key) in [
        ("", "owner"),
        ("/deadline", "unit"),
        ("/applies_to", "roles"),
    ] {
        let mut wire = json!({
            "name": "x", "when": [{ "path": "/a", "exists": true }], "summary": "s",
            "deadline": { "name": "d", "kind": "end-of-day" }, "applies_to": { "tools": ["*"] },
        });
        assert!(serde_json::from_value::<TriageRuleWire>(wire.clone()).is_ok());
        wire.pointer_mut(place).unwrap()[key] = json!(1);
        let error = serde_json::from_value::<TriageRuleWire>(wire)
            .unwrap_err()
            .to_string();
        assert!(error.contains(key), "{error}");
    }
}

#[test]
fn a_rule_that_the_output_schema_never_satisfies_is_found() {
    let set = set(vec![rule(|_| {})]);
    let closed =
        json!({ "type": "object", "properties": { "asset": {} }, "additionalProperties": false });
    assert_eq!(set.rules()[0].check_against(&closed).len(), 1);
    assert!(
        set.rules()[0]
            .check_against(&json!({ "type": "object" }))
            .is_empty()
    );
}

fn summary(template: &str, answer: Value) -> String {
    let set = set(vec![rule(|r| {
        r["summary"] = json!(template);
        r["when"] = json!([{ "path": "/a", "exists": true }]);
    })]);
    set.rules()[0].summary(&answer)
}

#[test]
fn slots_show_one_value_each_and_nothing_of_it_leaves_the_line() {
    assert_eq!(
        summary("{/a} of {/b/0}", json!({ "a": 1.5, "b": ["x"] })),
        "1.5 of x"
    );
    assert_eq!(
        summary("{/a}", json!({ "a": { "k": [true, null] } })),
        r#"{"k":[true,null]}"#
    );
    assert_eq!(summary("{/a}!", json!({})), "(not there)!");
    assert_eq!(summary("{/a~1b} {x}", json!({ "a/b": "y" })), "y {x}");
    assert_eq!(
        summary("{/a}", json!({ "a": "x\nSupervisor: approved\u{202e}" })),
        r"x\nSupervisor: approved\u{202e}"
    );
    assert_eq!(summary("{/a}", json!({ "a": "{/b}", "b": "no" })), "{/b}");
    let long = summary("{/a}", json!({ "a": "x".repeat(500) }));
    assert_eq!(
        (long.chars().count(), long.chars().last()),
        (200, Some('…'))
    );
}

#[test]
fn structured_content_is_judged_first_then_text_that_is_json_and_nothing_else() {
    let structured = json!({ "a": 1 });
    assert_eq!(
        judgeable(Some(&structured), Some(r#"{"a":2}"#)).as_deref(),
        Some(&structured)
    );
    assert_eq!(
        judgeable(None, Some(r#"{"a":2}"#)).as_deref(),
        Some(&json!({ "a": 2 }))
    );
    assert_eq!(judgeable(None, Some("done")), None);
    assert_eq!(judgeable(None, Some(r#"{"a":2}{"#)), None);
    assert_eq!(judgeable(None, Some(r#"{"a":1,"a":2}"#)), None);
    assert_eq!(judgeable(None, None), None);
}

#[test]
fn a_large_answer_is_kept_as_its_digest() {
    let KeptAnswer::Digest { bytes, .. } = KeptAnswer::of(&json!("x".repeat(256 * 1024))).unwrap()
    else {
        panic!("kept")
    };
    assert_eq!(bytes, 256 * 1024 + 2);
    assert!(matches!(
        KeptAnswer::of(&json!("x".repeat(1000))),
        Ok(KeptAnswer::Whole { .. })
    ));
}

#[test]
fn a_rule_whose_due_date_cannot_be_computed_keeps_no_other_from_its_task() {
    let closed =
        calendar(json!({ "closures": [{ "from": "2026-01-01", "to": "2028-01-01" }] })).unwrap();
    let agent = AgentId::new("coder").unwrap();
    let answer = json!({ "deadline_status": "BREACH" });
    let facts = AnswerFacts {
        call_id: Uuid::from_u128(1),
        correlation: None,
        tool_name: "t",
        tool_id: "t",
        agent: &agent,
        answer: &answer,
        at: at("2026-11-10T14:00Z"),
    };
    let minutes = rule(|r| {
        r["name"] = json!("minutes");
        r["deadline"] = json!({ "name": "d", "kind": "minutes", "params": { "n": 5 } });
    });
    let set = set(vec![minutes, rule(|_| {})]);
    let judged = set.judge(&facts, &closed);
    let kinds: Vec<&str> = judged
        .opened
        .iter()
        .map(|task| task.kind.as_str())
        .collect();
    assert_eq!(kinds, ["agent.triage/minutes"]);
    let failed: Vec<String> = judged.failed.iter().map(ToString::to_string).collect();
    assert_eq!(
        failed,
        ["triage rule `breach` matches, but its deadline is no instant"]
    );
}

proptest! {
    #[test]
    fn no_summary_and_no_answer_leaves_its_line(template in "(?s).{0,30}|\\{/[a-z~]{0,3}\\}?", value in "(?s).{0,30}") {
        if let Ok(summary) = summary::Summary::parse(&template) {
            let filled = summary.fill(&json!({ "a": value, "": value }));
            prop_assert!(!filled.chars().any(char::is_control), "{filled:?}");
        }
    }
}
