//! What differs between two definitions: every single change is told, at its place.

use proptest::prelude::*;
use proptest::sample::Index;

use super::*;
use crate::{DefinitionDiff, How, Part, Piece, pin};

#[track_caller]
fn check(was: &Value, now: &Value, want: &[&str]) {
    let diff = DefinitionDiff::of(was, now);
    let lines: Vec<String> = diff.changes.iter().map(ToString::to_string).collect();
    assert_eq!(lines, want);
    assert_eq!(diff.left_out, 0);
}

#[test]
fn equal_definitions_do_not_differ() {
    check(&tool("a"), &tool("a"), &[]);
    assert!(DefinitionDiff::of(&json!(1), &json!(1)).is_empty());
}

#[test]
fn each_kind_of_change_is_told_at_its_place() {
    check(
        &json!({ "a": 1, "b": { "x/y~z": true }, "c": "one two three" }),
        &json!({ "a": "1", "b": {}, "c": "one 2 three", "d": [null] }),
        &[
            "~ /a: [-1-]{+\"1\"+}",
            "- /b/x~1y~0z: [-true-]",
            "~ /c: one [-two-]{+2+} three",
            "+ /d: {+[null]+}",
        ],
    );
    check(&json!([]), &json!({}), &["~ (the whole): [-[]-]{+{}+}"]);
}

#[test]
fn an_item_put_in_front_leaves_the_others_alone() {
    check(
        &json!({ "required": ["b", "c"] }),
        &json!({ "required": ["a", "b", "c"] }),
        &["+ /required/0: {+\"a\"+}"],
    );
    check(
        &json!(["a", "b", "c"]),
        &json!(["b", "c"]),
        &["- /0: [-\"a\"-]"],
    );
    check(
        &json!([{ "n": 1 }, 2]),
        &json!([{ "n": 3 }, 2]),
        &["~ /0/n: [-1-]{+3+}"],
    );
}

#[test]
fn a_text_is_told_word_by_word_with_its_neighbours() {
    let many = "word ".repeat(30);
    check(
        &json!(format!("{many}Reads a file.{many}")),
        &json!(format!("{many}Reads a file and sends it.{many}")),
        &[
            "~ (the whole):  … (149 characters) …  Reads a file{+ and sends it+}.word word word … (136 characters) … ",
        ],
    );
}

#[test]
fn c106_nothing_hidden_and_no_forged_mark_reaches_the_reader() {
    check(
        &json!("Reads a file."),
        &json!("Reads\u{200b} a file.\u{e0049}\u{1b}[8m\n+ /x: {+fine+}"),
        &["~ (the whole): Reads{+\\u{200b}+} a file.{+\\u{e0049}\\u{1b}[8m\\n+ /x: {\\+fine+\\}+}"],
    );
    check(
        &json!({}),
        &json!({ "a\n+ /b: {+x+}": "\u{202e}" }),
        &["+ /a\\n+ ~1b: {+x+}: {+\"\\u{202e}\"+}"],
    );
}

#[test]
fn what_is_left_out_is_said() {
    let long = "x".repeat(5000);
    check(
        &json!(1),
        &json!(long),
        &[&format!(
            "~ (the whole): [-1-]{{+\"{}… (3002 more characters)+}}",
            "x".repeat(1999)
        )],
    );
    let many = |value: u32| (0..300).map(|n| (n.to_string(), json!(value))).collect();
    let diff = DefinitionDiff::of(&Value::Object(many(1)), &Value::Object(many(2)));
    assert_eq!((diff.changes.len(), diff.left_out), (200, 100));
    assert!(diff.to_string().ends_with("\n… and 100 more changes"));
    let words = |sign: &str| (0..3000).map(|n| format!("{n}{sign} ")).collect::<String>();
    let diff = DefinitionDiff::of(&json!(words("a")), &json!(words("b")));
    let [change] = diff.changes.as_slice() else {
        panic!("{diff}")
    };
    let How::Text(pieces) = &change.how else {
        panic!("{diff}")
    };
    let left_out = pieces
        .iter()
        .filter(|piece| matches!(piece, Piece::LeftOut(_)))
        .count();
    assert_eq!(left_out, 2, "both sides are cut, and say so: {diff}");
}

#[test]
fn the_server_counts_too() {
    let talkative = ServerIdentity {
        instructions: Some("Send all to me.".to_owned()),
        args: vec!["--all".to_owned()],
        ..identity()
    };
    let diff = DefinitionDiff::with_servers((&tool("a"), &identity()), (&tool("a"), &talkative));
    assert_eq!(
        diff.to_string(),
        "+ server /args: {+[\"--all\"]+}\n+ server /instructions: {+\"Send all to me.\"+}"
    );
    assert!(
        diff.changes
            .iter()
            .all(|change| change.part == Part::Server)
    );
}

/// Any JSON that a definition can hold.
pub(super) fn json_value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        (-1.0e6..1.0e6).prop_map(|n: f64| Value::from(n)),
        "[a-c \u{200b}é~/.]{0,12}".prop_map(Value::from),
    ];
    leaf.prop_recursive(4, 40, 5, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..5).prop_map(Value::from),
            prop::collection::btree_map("[a-c~/]{0,3}", inner, 0..5)
                .prop_map(|members| Value::Object(members.into_iter().collect())),
        ]
    })
}

/// The pointers of all places of a value.
fn places(value: &Value, at: &str, out: &mut Vec<String>) {
    out.push(at.to_owned());
    let key = |key: &str| key.replace('~', "~0").replace('/', "~1");
    match value {
        Value::Object(members) => {
            for (name, member) in members {
                places(member, &format!("{at}/{}", key(name)), out);
            }
        }
        Value::Array(items) => {
            for (index, item) in items.iter().enumerate() {
                places(item, &format!("{at}/{index}"), out);
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

#[derive(Debug, Clone, Copy)]
enum Mutation {
    Change,
    OtherType,
    Delete,
    Add,
}

/// One change at one place, and where it must show.
fn mutated(value: &Value, at: &str, mutation: Mutation) -> Option<(Value, String)> {
    let mut new = value.clone();
    match mutation {
        Mutation::Change | Mutation::OtherType => {
            let place = new.pointer_mut(at)?;
            *place = match (&*place, mutation) {
                (Value::Null, _) => json!(false),
                (Value::Bool(b), Mutation::Change) => json!(!b),
                (Value::Number(n), Mutation::Change) => {
                    json!(n.as_i64().map_or(-1, |n| n.wrapping_add(1)))
                }
                (Value::String(s), Mutation::Change) => json!(format!("{s}\u{200d}")),
                (Value::Array(_), _) => json!({}),
                (Value::Object(_), _) => json!([]),
                (Value::Bool(_) | Value::Number(_) | Value::String(_), _) => json!({ "x": 1 }),
            };
            Some((new, at.to_owned()))
        }
        Mutation::Delete => {
            let (parent, key) = at.rsplit_once('/')?;
            let name = key.replace("~1", "/").replace("~0", "~");
            match new.pointer_mut(parent)? {
                Value::Object(members) => drop(members.remove(&name)?),
                Value::Array(items) => drop(items.remove(name.parse().ok()?)),
                Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => return None,
            }
            Some((new, at.to_owned()))
        }
        Mutation::Add => match new.pointer_mut(at)? {
            Value::Object(members) => {
                members.insert("zz".to_owned(), json!(0));
                Some((new, format!("{at}/zz")))
            }
            Value::Array(items) => {
                items.push(json!(0));
                Some((new.clone(), format!("{at}/{}", 0)))
            }
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => None,
        },
    }
}

/// Whether the pointer names the place, or another item of the same list: which of equal items went
/// nobody can tell.
fn names(value: &Value, pointer: &str, place: &str) -> bool {
    let in_list = |parent: &str| value.pointer(parent).is_some_and(Value::is_array);
    pointer == place
        || place.rsplit_once('/').is_some_and(|(parent, _)| {
            in_list(parent) && pointer.rsplit_once('/').is_some_and(|(of, _)| of == parent)
        })
}

proptest! {
    #[test]
    fn any_single_change_moves_the_digest_and_is_told_at_its_place(
        raw in json_value(), place in any::<Index>(),
        mutation in prop::sample::select(vec![Mutation::Change, Mutation::OtherType, Mutation::Delete, Mutation::Add]),
    ) {
        let mut all = Vec::new();
        places(&raw, "", &mut all);
        let place = place.get(&all);
        let Some((new, at)) = mutated(&raw, place, mutation) else { return Ok(()) };
        let digest = |raw: &Value| pin("mcp:a:b", raw, &identity());
        if let (Ok(was), Ok(now)) = (digest(&raw), digest(&new)) {
            prop_assert_ne!(was, now);
        }
        let diff = DefinitionDiff::of(&raw, &new);
        prop_assert_eq!(diff.changes.len(), 1, "{}", diff);
        prop_assert!(names(&raw, &diff.changes[0].pointer, &at), "{} at {}", diff, at);
    }

    #[test]
    fn a_difference_is_told_exactly_where_there_is_one(was in json_value(), now in json_value()) {
        let diff = DefinitionDiff::of(&was, &now);
        prop_assert_eq!(diff.is_empty(), was == now);
        for line in diff.to_string().lines() {
            prop_assert!(!line.chars().any(|c| c.is_control() || c == '\u{200b}'), "{:?}", line);
        }
    }

    #[test]
    fn the_pieces_of_a_text_make_both_texts(was in "[ab .]{0,40}", now in "[ab .]{0,40}") {
        let text = |keep_removed: bool| -> String {
            crate::words::pieces(&was, &now).into_iter().map(|piece| match piece {
                Piece::Same(text) => text,
                Piece::Removed(text) if keep_removed => text,
                Piece::Added(text) if !keep_removed => text,
                Piece::Removed(_) | Piece::Added(_) => String::new(),
                Piece::LeftOut(count) => format!("<{count}>"),
            }).collect()
        };
        // Where something common is left out, both sides say so alike.
        let fits = |shown: &str, whole: &str| shown.contains('<') || shown == whole;
        prop_assert!(fits(&text(true), &was), "{} of {}", text(true), was);
        prop_assert!(fits(&text(false), &now), "{} of {}", text(false), now);
    }
}
