//! The intent token: what is read, what is written, what is refused.

use chrono::DateTime;
use serde_json::{Value, json};
use uuid::Uuid;

use crate::{Constraint, IntentError, IntentToken, Object, Provenance, SCHEMA, Verb};

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
        "`yesterday` is no RFC 3339 time",
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
fn a_token_made_in_code_has_the_same_limit_to_the_byte() {
    let with = |text: String| IntentToken {
        object: Object {
            kind: "path".into(),
            value: text.into(),
        },
        ..token()
    };
    for text in ["plain".repeat(40), "\u{1}\"\\".repeat(40), "é".repeat(40)] {
        let token = with(text);
        let size = serde_json::to_vec(&token).unwrap().len();
        assert!(token.validate_within(size).is_ok());
        let error = token.validate_within(size - 1).unwrap_err();
        let want = format!(
            "schema mismatch: the token has more bytes, allowed are {}",
            size - 1
        );
        assert_eq!(error.to_string(), want);
    }
    let huge = with("x".repeat(crate::MAX_TOKEN_BYTES));
    assert!(matches!(huge.validate(), Err(IntentError::Schema(_))));
    assert!(
        with("x".repeat(crate::MAX_TOKEN_BYTES / 2))
            .validate()
            .is_ok()
    );
}

#[test]
fn a_confidence_is_judged_as_it_was_written() {
    // The nearest `f32` of each is 0 or 1.
    let sure = "schema mismatch: the confidence must be a number from 0 to 1";
    refuses(|token| token["confidence"] = json!(1.000_000_01), sure);
    refuses(|token| token["confidence"] = json!(-1e-50), sure);
}

#[test]
fn a_token_is_an_object_of_objects() {
    let form = "invalid type: sequence, expected ";
    refuses(|token| token["verb"] = json!(["fs", "read"]), form);
    refuses(|token| token["object"] = json!(["path", "/x"]), form);
    refuses(
        |token| token["provenance"] = json!(["reflex", "t", null, "2026-03-01T09:30:00Z"]),
        form,
    );
    refuses(
        |token| token["constraints"] = json!([["user_present"]]),
        form,
    );
    refuses(
        |token| *token = token.as_object().unwrap().values().cloned().collect(),
        form,
    );
}

#[test]
fn ids_and_times_have_one_spelling() {
    let id = "`6f9619ff8b864011b42d00c04fc964ff` is no UUID with hyphens";
    refuses(
        |token| token["id"] = json!("6f9619ff8b864011b42d00c04fc964ff"),
        id,
    );
    let time = "`2026-03-01 09:30:00Z` is no RFC 3339 time such as";
    refuses(
        |token| token["provenance"]["ts"] = json!("2026-03-01 09:30:00Z"),
        time,
    );
}

#[test]
fn a_future_version_is_refused_before_anything_else_is_looked_at() {
    for version in [
        "intent-token/2",
        "intent-token/10",
        "intent-token",
        "",
        "Intent-Token/1",
        "intent-token/1 ",
    ] {
        let text = json!({ "schema": version, "shape": "of tomorrow" }).to_string();
        let error = IntentToken::from_json(text.as_bytes()).unwrap_err();
        let want =
            format!("schema mismatch: the token says `{version}`, known is `intent-token/1`");
        assert_eq!(error.to_string(), want);
        let made = IntentToken {
            schema: version.into(),
            ..token()
        };
        assert_eq!(made.validate().unwrap_err().to_string(), want);
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
