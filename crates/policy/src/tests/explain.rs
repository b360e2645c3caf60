//! Why a rule was used, and why another was not.

use serde_json::json;
use tipstaff_schema::Effect;

use super::{Call, compiled};
use crate::Dimension;

#[test]
fn an_explanation_names_what_matched_in_order_and_what_failed_on_one_dimension() {
    let set = compiled(json!([
        {"id": "wide", "effect": "ask"},
        {"id": "narrow", "capability": "f:*", "target": "/srv/**", "effect": "allow"},
        {"id": "other-agent", "agent": "ops", "effect": "deny"},
        {"id": "two-off", "agent": "ops", "capability": "x:*", "effect": "deny"},
        {"id": "small", "when": [{"path": "/n", "at_most": 5}], "effect": "deny"},
    ]));
    let call = Call::to("f:r").path("/srv/a").with(json!({"n": 7}));
    let explanation = set.explain(&call.request());
    assert_eq!(explanation.decision.effect, Effect::Allow);
    assert_eq!(
        explanation
            .matched
            .iter()
            .map(|m| m.id.as_str())
            .collect::<Vec<_>>(),
        ["narrow", "wide"]
    );
    assert_eq!(
        explanation.matched[0].weights,
        [(Dimension::Capability, 4), (Dimension::Target, 2)]
    );
    let near: Vec<(&str, Dimension)> = explanation
        .near
        .iter()
        .map(|n| (n.id.as_str(), n.failed))
        .collect();
    assert_eq!(
        near,
        [
            ("other-agent", Dimension::Agent),
            ("small", Dimension::When)
        ]
    );
    let text = explanation.to_text();
    assert!(
        text.contains("decides: allow narrow (6 = capability 4 + target 2)"),
        "{text}"
    );
    assert!(
        text.contains(
            "not used: deny other-agent, which would decide, for its agent: wants agent `ops`, the call is by `coder`"
        ),
        "{text}"
    );
    assert_eq!(explanation.to_json()["matched"][0]["id"], json!("narrow"));
}

/// The one line that says why the rule `r` was not used.
fn why(rule: serde_json::Value, call: &Call) -> String {
    let mut rule = rule;
    rule["id"] = json!("r");
    let explanation = compiled(json!([rule])).explain(&call.request());
    explanation
        .near
        .first()
        .map(|near| near.why.clone())
        .unwrap_or_default()
}

#[test]
fn a_target_that_misses_says_where_the_two_part() {
    let rule = |target: &str| json!({"target": {"path": target}, "effect": "allow"});
    let call = Call::to("f:r").path("/srv/data/x.txt");
    let says = |target: &str, want: &str| {
        let why = why(rule(target), &call);
        assert!(why.contains(want), "{why}");
    };
    says("/srv/etc/**", "they part at `etc`");
    says(
        "/srv/data",
        "it lies below, and `data` means no more than itself",
    );
    says("/srv/data/x.txt/y", "it ends where `y` should follow");
    says("/srv/DATA/**", "only upper and lower case differ");
    says("./**", "below the agent's root `/srv/repo`");
    let other_kind = why(
        json!({"target": {"host": "x.example"}, "effect": "deny"}),
        &call,
    );
    assert!(
        other_kind.contains("wants the host `x.example`, and this part acts on the path"),
        "{other_kind}"
    );
    let nothing = why(rule("/srv/**"), &Call::to("f:r"));
    assert!(nothing.contains("no resource is known"), "{nothing}");
}

#[test]
fn c071_a_url_that_misses_says_whether_scheme_host_or_port() {
    let rule = json!({"target": {"url": "https://good.example/**"}, "effect": "allow"});
    let says = |url: &str, want: &str| {
        let why = why(
            rule.clone(),
            &Call::to("web:get").on(tipstaff_schema::ResourceKind::Url, url),
        );
        assert!(why.contains(want), "{why}");
    };
    says("http://good.example/a", "the scheme is `http`");
    says("https://evil.test/a", "the host is `evil.test`");
    says("https://good.example:8443/a", "the port is `8443`");
}

#[test]
fn a_command_that_misses_says_which_word() {
    let rule = |words: serde_json::Value| json!({"capability": "spawn", "target": {"command": words}, "effect": "allow"});
    let says = |words: serde_json::Value, command: &[&str], want: &str| {
        let why = why(rule(words), &Call::command(command));
        assert!(why.contains(want), "{why}");
    };
    says(
        json!(["git", "status", "**"]),
        &["git", "push"],
        "`push` is not `status`",
    );
    says(
        json!(["git", "status"]),
        &["git"],
        "it ends where `status` should follow",
    );
    says(
        json!(["git", "log", "**"]),
        &["git", "log", "--all"],
        "a flag is written out, or `**flags` takes it",
    );
    let bare = why(
        json!({"capability": "spawn", "effect": "allow"}),
        &Call::command(&["git"]),
    );
    assert!(bare.contains("has no command pattern"), "{bare}");
}

#[test]
fn c136_times_are_said_on_both_clocks() {
    let call = Call::to("f:r").at("2026-07-01T18:30:00Z");
    let hours = why(
        json!({"hours": {"from": 8, "to": 18, "tz": "Europe/Berlin"}, "effect": "allow"}),
        &call,
    );
    assert_eq!(
        hours,
        "holds 08:00 to 18:00 Europe/Berlin, the call is at Wed 2026-07-01 20:30:00 Europe/Berlin (2026-07-01T18:30:00Z)"
    );
    let until = why(
        json!({"until": "2026-07-01T20:00:00+02:00", "effect": "allow"}),
        &call,
    );
    assert_eq!(
        until,
        "ended at 2026-07-01T18:00:00Z, the call is at 2026-07-01T18:30:00Z"
    );
}

#[test]
fn an_allow_that_does_not_hold_for_a_started_agent_says_so() {
    let call = Call::to("f:r").by("child", &["coder"]);
    let why = why(json!({"agent": "coder", "effect": "allow"}), &call);
    assert_eq!(
        why,
        "is for `coder`, which started `child`; an allow holds for those only with `inherit: true`"
    );
}

#[test]
fn what_loses_says_to_what_and_why() {
    let set = compiled(json!([
        {"id": "first", "capability": "f:r", "effect": "deny"},
        {"id": "second", "capability": "f:*", "effect": "deny"},
        {"id": "tie", "capability": "f:r", "effect": "allow"},
        {"id": "wide", "effect": "ask"},
        {"id": "g", "effect": "deny", "guard": true},
    ]));
    let explanation = set.explain(&Call::to("f:r").request());
    let beaten: Vec<(&str, Option<&str>)> = explanation
        .matched
        .iter()
        .map(|m| (m.id.as_str(), m.beaten.as_deref()))
        .collect();
    let guard = Some("a guard is judged before everything");
    assert_eq!(
        beaten,
        [
            ("g", None),
            ("first", guard),
            ("second", guard),
            ("tie", guard),
            ("wide", guard)
        ]
    );
    let set = compiled(json!([
        {"id": "first", "capability": "f:r", "effect": "deny"},
        {"id": "second", "capability": "f:*", "effect": "deny"},
        {"id": "tie", "capability": "f:r", "effect": "allow"},
        {"id": "wide", "effect": "ask"},
    ]));
    let explanation = set.explain(&Call::to("f:r").request());
    let beaten: Vec<Option<&str>> = explanation
        .matched
        .iter()
        .map(|m| m.beaten.as_deref())
        .collect();
    assert_eq!(
        beaten,
        [
            None,
            Some("both weigh and say the same, and it stands earlier in the file"),
            Some("both weigh 4, and on a tie the stricter wins"),
            Some("it is more specific (4 over 0)"),
        ]
    );
}

#[test]
fn a_thousand_near_rules_are_ten_lines_and_a_count() {
    let rules = (0..1000).map(|n| json!({"agent": format!("agent-{n}"), "effect": "allow"}));
    let set = compiled(
        rules
            .chain([json!({"when": [{"path": "/n", "equals": 1}], "effect": "ask"})])
            .collect(),
    );
    let explanation = set.explain(&Call::to("f:r").request());
    assert_eq!(
        (explanation.near.len(), explanation.near_left_out),
        (crate::NEAR_SHOWN, 991)
    );
    assert_eq!(explanation.near[0].failed, Dimension::When);
    assert_eq!(explanation.to_text().lines().count(), 12);
    assert!(
        explanation
            .to_text()
            .ends_with("and 991 more rules that failed on one dimension only")
    );
}
