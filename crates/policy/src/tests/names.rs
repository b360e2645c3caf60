//! Where patterns over names meet, and which covers which.

use proptest::prelude::*;
use tipstaff_schema::NamePattern;

use crate::names::{Meet, covers, may_name_server_tool, meet, server_of};

#[test]
fn patterns_meet_where_a_name_matches_all() {
    assert_eq!(meet(&["a:*", "*:b"]), Meet::At("a:b".to_owned()));
    assert_eq!(meet(&["a:*", "b:*"]), Meet::Nowhere);
    assert_eq!(meet(&["a?", "ab*", "*b"]), Meet::At("ab".to_owned()));
    assert_eq!(meet(&["a", "b"]), Meet::Nowhere);
    let Meet::At(name) = meet(&["*a*b*", "*b*a*", "????"]) else {
        panic!("they meet")
    };
    assert!(
        name.len() == 4
            && ["*a*b*", "*b*a*"]
                .iter()
                .all(|p| NamePattern::new(*p).unwrap().matches(&name))
    );
}

#[test]
fn a_name_form_needs_a_server_and_a_tool() {
    for good in ["db:drop", "*", "db*", "d?:x", "d?x", "db:*", "?*"] {
        assert!(may_name_server_tool(good), "{good}");
    }
    for bad in [
        "mcp__db__drop",
        "mcp__*",
        "db.drop",
        "DB:x",
        ":x",
        "db:",
        "db",
        "Files*",
    ] {
        assert!(!may_name_server_tool(bad), "{bad}");
    }
    assert_eq!(server_of("db:dr*"), Some("db"));
    assert_eq!(server_of("d*:x"), None);
}

fn pattern() -> impl Strategy<Value = String> {
    "[ab*?]{1,6}"
}

proptest! {
    #[test]
    fn meet_is_exact(patterns in proptest::collection::vec(pattern(), 1..4), names in proptest::collection::vec("[abz]{0,6}", 30)) {
        let checked: Vec<NamePattern> = patterns.iter().map(|p| NamePattern::new(p.as_str()).unwrap()).collect();
        let all = |name: &str| checked.iter().all(|p| p.matches(name));
        match meet(&patterns.iter().map(String::as_str).collect::<Vec<_>>()) {
            Meet::At(name) => prop_assert!(all(&name), "{name}"),
            Meet::Nowhere => prop_assert!(!names.iter().any(|name| all(name))),
            Meet::NotDecided => {}
        }
    }

    #[test]
    fn covers_is_never_wrongly_true(outer in pattern(), inner in pattern(), names in proptest::collection::vec("[abz]{0,6}", 30)) {
        let (o, i) = (NamePattern::new(outer.as_str()).unwrap(), NamePattern::new(inner.as_str()).unwrap());
        if covers(&outer, &inner) {
            prop_assert!(names.iter().all(|name| !i.matches(name) || o.matches(name)));
        }
        if i.is_exact() {
            prop_assert_eq!(covers(&outer, &inner), o.matches(&inner));
        }
    }
}
