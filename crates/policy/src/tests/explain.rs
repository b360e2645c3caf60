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
            "not used: deny other-agent, for its agent: wants agent `ops`, the call is by `coder`"
        ),
        "{text}"
    );
    assert_eq!(explanation.to_json()["matched"][0]["id"], json!("narrow"));
}
