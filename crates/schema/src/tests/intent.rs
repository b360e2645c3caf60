//! The intent token: what is read, what is written, what is refused.

use chrono::{DateTime, Utc};
use proptest::prelude::*;
use serde_json::{Value, json};
use uuid::Uuid;

use super::{json, text};
use crate::{Constraint, IntentError, IntentToken, Object, Provenance, SCHEMA, Verb, canonical};

fn token() -> IntentToken {
    let object = Object {
        kind: "path".into(),
        value: Value::Null,
    };
    let provenance = Provenance::User {
        raw_input: String::new(),
        ui_origin: None,
        ts: DateTime::UNIX_EPOCH,
    };
    IntentToken::new(Verb::new("fs", "read"), object, provenance, "home".into())
}

fn written(token: &IntentToken) -> Value {
    serde_json::to_value(token).unwrap()
}

fn read(value: &Value) -> Result<IntentToken, IntentError> {
    IntentToken::from_json(value.to_string().as_bytes())
}

#[test]
fn a_new_token_has_the_version_and_a_fresh_id() {
    let (one, other) = (token(), token());
    assert_eq!(one.schema, SCHEMA);
    assert_eq!(one.id.get_version_num(), 4);
    assert_ne!(one.id, other.id);
    assert_eq!(one.verb.dotted(), "fs.read");
}

#[test]
fn what_is_not_set_is_not_written() {
    let token = IntentToken {
        id: Uuid::nil(),
        confidence: Some(f32::NAN),
        ..token()
    };
    let want = json!({
        "schema": "intent-token/1",
        "id": "00000000-0000-0000-0000-000000000000",
        "verb": {"namespace": "fs", "action": "read"},
        "object": {"kind": "path", "value": null},
        "provenance": {"source": "user", "raw_input": "", "ts": "1970-01-01T00:00:00Z"},
        "namespace": "home",
    });
    assert_eq!(written(&token), want);
}

#[test]
fn confidence_is_the_same_number_in_text_and_value() {
    let token = IntentToken {
        confidence: Some(0.9),
        ..token()
    };
    assert_eq!(written(&token)["confidence"], json!(0.9));
    assert!(
        serde_json::to_string(&token)
            .unwrap()
            .contains("\"confidence\":0.9,")
    );
    assert_eq!(read(&written(&token)).unwrap(), token);
}

#[track_caller]
fn refuses(change: fn(&mut Value), want: &str) {
    let mut value = written(&token());
    change(&mut value);
    let error = read(&value).unwrap_err().to_string();
    assert!(error.starts_with(want), "{error}");
}

#[test]
fn another_version_is_refused_naming_both() {
    let want = "schema mismatch: the token says `intent-token/2`, known is `intent-token/1`";
    refuses(|token| token["schema"] = json!("intent-token/2"), want);
    assert!(matches!(
        IntentToken::from_json(br#"{"schema":"intent-token/2"}"#),
        Err(IntentError::Schema(why)) if why.contains("intent-token/1")
    ));
}

#[test]
fn a_broken_rule_is_refused() {
    let parts = "the verb needs both a namespace and an action";
    refuses(|token| token["verb"]["action"] = json!(""), parts);
    refuses(|token| token["verb"]["namespace"] = json!(""), parts);
    let sure = "schema mismatch: the confidence must be";
    refuses(|token| token["confidence"] = json!(1.01), sure);
    refuses(|token| token["confidence"] = json!(-0.1), sure);
    refuses(
        |token| token["object"] = json!({"kind": "path"}),
        "missing field `value`",
    );
    refuses(
        |token| token["verb"] = json!("fs.read"),
        "invalid type: string",
    );
    refuses(
        |token| token["constraints"] = json!([{"op": "net_reachable", "host": "h", "port": 65536}]),
        "invalid value",
    );
    refuses(
        |token| token["constraints"] = json!([{"op": "moon_full"}]),
        "unknown variant",
    );
    refuses(
        |token| token["provenance"]["ts"] = json!("yesterday"),
        "input contains invalid",
    );
}

#[test]
fn validate_judges_tokens_made_in_code() {
    assert!(token().validate().is_ok());
    let refused = |token: IntentToken| matches!(token.validate(), Err(IntentError::Schema(_)));
    assert!(refused(IntentToken {
        schema: "intent-token/0".into(),
        ..token()
    }));
    assert!(refused(IntentToken {
        verb: Verb::new("fs", ""),
        ..token()
    }));
    assert!(refused(IntentToken {
        confidence: Some(f32::NAN),
        ..token()
    }));
    assert!(refused(IntentToken {
        confidence: Some(f32::INFINITY),
        ..token()
    }));
}

#[test]
fn nesting_is_counted_from_the_token_alike_in_text_and_in_code() {
    let nest = |levels| (0..levels).fold(json!(1), |inner, _| json!([inner]));
    let object = |value| IntentToken {
        object: Object {
            kind: "k".into(),
            value,
        },
        ..token()
    };
    let custom = |args| IntentToken {
        constraints: vec![Constraint::Custom {
            name: "n".into(),
            args,
        }],
        ..token()
    };
    let modifier = |value| IntentToken {
        modifiers: [("m".into(), value)].into(),
        ..token()
    };
    for (token, fits) in [
        (object(nest(62)), true),
        (object(nest(63)), false),
        (modifier(nest(62)), true),
        (modifier(nest(63)), false),
        (custom(nest(61)), true),
        (custom(nest(62)), false),
    ] {
        assert_eq!(token.validate().is_ok(), fits);
        assert_eq!(read(&written(&token)).is_ok(), fits);
    }
}

#[test]
fn a_token_has_a_size() {
    let text = written(&token()).to_string();
    assert!(IntentToken::from_json_within(text.as_bytes(), text.len()).is_ok());
    let error = IntentToken::from_json_within(text.as_bytes(), 10).unwrap_err();
    assert!(error.to_string().contains("allowed are 10"));
    let padded = format!("{text}{}", " ".repeat(1024 * 1024));
    assert!(matches!(
        IntentToken::from_json(padded.as_bytes()),
        Err(IntentError::Schema(_))
    ));
}

#[test]
fn c086_equal_keys_in_a_token_are_refused() {
    let text = written(&token())
        .to_string()
        .replacen('{', "{\"schema\":\"intent-token/1\",", 1);
    assert!(matches!(
        IntentToken::from_json(text.as_bytes()),
        Err(IntentError::Serde(_))
    ));
}

#[test]
fn unknown_keys_are_ignored() {
    let mut value = written(&token());
    value["mood"] = json!("good");
    assert!(read(&value).is_ok());
}

#[test]
fn errors_have_the_spellings_of_the_wire() {
    let said = |error: IntentError| error.to_string();
    assert_eq!(
        said(IntentError::UnknownVerb("a".into(), "b".into())),
        "unknown verb: a.b"
    );
    assert_eq!(
        said(IntentError::MissingCapability("x".into())),
        "missing capability: x"
    );
    assert_eq!(
        said(IntentError::ConstraintFailed("x".into())),
        "constraint failed: x"
    );
    assert_eq!(said(IntentError::Schema("x".into())), "schema mismatch: x");
    assert_eq!(
        said(IntentError::UnknownTool("x".into())),
        "unknown tool: x"
    );
    assert_eq!(said(IntentError::Conflict("x".into())), "conflict: x");
    assert_eq!(
        said(IntentError::Unavailable("x".into())),
        "tool unavailable: x"
    );
}

fn provenance() -> impl Strategy<Value = Provenance> {
    let ts = (0i64..4_102_444_800, 0u32..1_000_000_000)
        .prop_map(|(seconds, nanos)| DateTime::<Utc>::from_timestamp(seconds, nanos).unwrap());
    (0..3, text(), text(), prop::option::of(text()), ts).prop_map(
        |(which, one, other, raw_input, ts)| match which {
            0 => Provenance::User {
                raw_input: one,
                ui_origin: raw_input,
                ts,
            },
            1 => Provenance::Llm {
                model: one,
                call_id: other,
                raw_input,
                ts,
            },
            _ => Provenance::Reflex {
                trigger: one,
                raw_input,
                ts,
            },
        },
    )
}

fn constraint() -> impl Strategy<Value = Constraint> {
    (0..5, text(), any::<u16>(), json()).prop_map(|(which, text, port, args)| match which {
        0 => Constraint::PathExists { path: text },
        1 => Constraint::NetReachable { host: text, port },
        2 => Constraint::EnvSet { name: text },
        3 => Constraint::UserPresent,
        _ => Constraint::Custom { name: text, args },
    })
}

prop_compose! {
    fn tokens()(
        (id, parent_id) in (any::<u128>(), prop::option::of(any::<u128>())),
        (namespace, action) in ("[a-z]{1,4}", "\\PC{1,3}"),
        (kind, value, provenance, home) in (text(), json(), provenance(), text()),
        modifiers in prop::collection::btree_map(text(), json(), 0..3),
        required_capabilities in prop::collection::vec(text(), 0..3),
        confidence in prop::option::of(0.0f32..=1.0),
        constraints in prop::collection::vec(constraint(), 0..3),
    ) -> IntentToken {
        IntentToken {
            id: Uuid::from_u128(id),
            parent_id: parent_id.map(Uuid::from_u128),
            modifiers,
            required_capabilities,
            confidence,
            constraints,
            ..IntentToken::new(Verb { namespace, action }, Object { kind, value }, provenance, home)
        }
    }
}

proptest! {
    #[test]
    fn a_token_survives_the_wire(token in tokens()) {
        let text = serde_json::to_vec(&token).unwrap();
        prop_assert_eq!(&IntentToken::from_json(&text).unwrap(), &token);
        let canonical = canonical(&written(&token)).unwrap();
        prop_assert_eq!(IntentToken::from_json(canonical.as_bytes()).unwrap(), token);
    }
}
