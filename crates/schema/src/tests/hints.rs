//! A server's hints: only what was said, in MCP's own words.

use serde_json::{Value, json};

use crate::{HintsAsSaid, ToolAnnotations};

#[track_caller]
fn check(annotations: &Value, want: HintsAsSaid) {
    assert_eq!(HintsAsSaid::from_mcp(annotations), want);
}

#[test]
fn c103_only_an_exact_boolean_under_the_wire_name_counts() {
    let silent = HintsAsSaid::default();
    let read_only = HintsAsSaid {
        read_only: Some(true),
        ..silent
    };
    check(&json!({"readOnlyHint": true}), read_only);
    check(
        &json!({"readOnlyHint": false}),
        HintsAsSaid {
            read_only: Some(false),
            ..silent
        },
    );
    check(&json!({"read_only_hint": true}), silent);
    check(&json!({"readOnlyHint": "true"}), silent);
    check(&json!({"readOnlyHint": 1}), silent);
    check(&json!({"readOnlyHint": null}), silent);
    check(&json!({"ReadOnlyHint": true}), silent);
    let both = HintsAsSaid {
        destructive: Some(true),
        ..read_only
    };
    check(
        &json!({"readOnlyHint": true, "destructiveHint": true}),
        both,
    );
    check(&json!({}), silent);
    check(&json!(null), silent);
    check(&json!([true]), silent);
}

#[test]
fn every_hint_is_read() {
    let all = json!({"readOnlyHint": true, "destructiveHint": false, "idempotentHint": true, "openWorldHint": false});
    let want = HintsAsSaid {
        read_only: Some(true),
        destructive: Some(false),
        idempotent: Some(true),
        open_world: Some(false),
    };
    check(&all, want);
}

#[test]
fn c103_silence_counts_as_mcp_says() {
    let annotations = ToolAnnotations::from(HintsAsSaid::default());
    let want = ToolAnnotations {
        destructive_hint: true,
        ..ToolAnnotations::default()
    };
    assert_eq!(annotations, want);
}
