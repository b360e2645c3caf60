//! The older hash: the vectors of the system that it comes from, and Go's way of writing JSON.

use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};

use crate::legacy::noema_hash;

#[track_caller]
fn check(capability: &str, target: &str, params: &Value, want: &str) {
    assert_eq!(noema_hash("m1", capability, target, params).unwrap(), want);
}

#[test]
fn the_vectors_of_the_older_system_hold() {
    check(
        "file.write",
        "/tmp/x",
        &json!({"path": "/tmp/x"}),
        "ea8daf1da8d934df8231c16b1de378e2",
    );
    check(
        "file.write",
        "/tmp/x",
        &json!({"path": "/tmp/x", "mode": 420}),
        "12446d61f97eb8ff6f179c3364edafd6",
    );
    check("noop", "", &Value::Null, "df6536012cd6798b5d339c2d36754008");
    check("noop", "", &json!({}), "30f3c80b50be15e221285db96c68ba06");
}

#[test]
fn text_is_escaped_as_go_does() {
    let text = r#"{"M":"\ufffd\ufffd","C":"\u003c\u003e\u0026","T":"\u2028\u0001\n\"","P":{"":[1.5,"é"],"ﬀ":0,"😀":true}}"#;
    let want: String = Sha256::digest(text)
        .iter()
        .take(16)
        .map(|byte| format!("{byte:02x}"))
        .collect();
    let params = json!({"😀": true, "ﬀ": 0, "": [1.5, "é"]});
    assert_eq!(
        noema_hash(b"\xff\xfe", "<>&", "\u{2028}\u{1}\n\"", &params).unwrap(),
        want
    );
}
