//! What patterns, ceilings, places and plans mean. Case numbers are those of the case list.

#[cfg(feature = "parse")]
mod clothes;
#[cfg(feature = "parse")]
mod code;
#[cfg(feature = "parse")]
mod computed;
mod covers;
#[cfg(feature = "parse")]
mod effects;
#[cfg(feature = "parse")]
mod plans;
#[cfg(feature = "parse")]
mod props;
#[cfg(feature = "parse")]
mod shapes;
#[cfg(feature = "parse")]
mod table;
#[cfg(feature = "parse")]
mod unknowns;

use crate::{
    Ceiling, CommandEffect, CommandPattern, EffectKind, Extent, Reading, SimpleCommand, Word,
    is_place_that_executes,
};

pub(crate) fn pattern(words: &str) -> CommandPattern {
    let words = words.split(' ').map(str::to_owned).collect();
    CommandPattern::parse(words).unwrap_or_else(|error| panic!("{error}"))
}

fn command(words: &str) -> SimpleCommand {
    SimpleCommand {
        words: words.split(' ').map(Word::literal).collect(),
        ..SimpleCommand::default()
    }
}

#[track_caller]
fn check(reading: Reading, text: &str, yes: &[&str], no: &[&str]) {
    for words in yes {
        assert!(
            pattern(text).matches(&command(words), reading),
            "{text} means {words}"
        );
    }
    for words in no {
        assert!(
            !pattern(text).matches(&command(words), reading),
            "{text} does not mean {words}"
        );
    }
}

#[test]
fn an_allow_matches_words_in_order_and_no_flags() {
    let allow = Reading::Allow;
    check(
        allow,
        "git status **",
        &["git status", "git status a b"],
        &["git status -s", "git", "git log"],
    );
    check(
        allow,
        "git status **flags",
        &["git status -s a"],
        &["git stash"],
    );
    check(
        allow,
        "cat *",
        &["cat a"],
        &["cat", "cat -n", "cat a b", "cat -"],
    );
    check(
        allow,
        "python *.py",
        &["python src/a.py"],
        &["python -c.py", "python a.sh"],
    );
    check(
        allow,
        "git {log,diff} -p",
        &["git log -p"],
        &["git show -p"],
    );
    check(allow, "**", &["rm x"], &["rm -rf x"]);
}

#[test]
fn an_allow_matches_no_word_that_the_shell_changes() {
    let mut expanded = command("cat a");
    expanded.words[1].shape = crate::WordShape::Expanded;
    assert!(!pattern("cat *").matches(&expanded, Reading::Allow));
    assert!(pattern("cat *").matches(&expanded, Reading::Strict));
    expanded.words[1].shape = crate::WordShape::Glob;
    assert!(pattern("cat **").matches(&expanded, Reading::Allow));
    assert!(!pattern("cat a").matches(&expanded, Reading::Allow));
}

#[test]
fn c014_a_deny_reads_flags_as_a_set() {
    let yes = [
        "rm -rf /data",
        "rm -fr /data",
        "rm -rfv /data",
        "rm --recursive --force /data",
        "rm -r -f /data",
        "rm /data -R -f",
        "RM -rf x",
    ];
    check(
        Reading::Strict,
        "rm -rf **",
        &yes,
        &["rm -r /data", "rm /data", "ls -rf"],
    );
    check(
        Reading::Strict,
        "git push --force **",
        &["git push origin -f", "git push --force=x"],
        &["git push origin"],
    );
    check(
        Reading::Strict,
        "terraform apply -auto-approve",
        &["terraform apply -auto-approve"],
        &["terraform apply"],
    );
    check(Reading::Allow, "rm -rf **", &["rm -rf x"], &["rm -fr x"]);
}

#[test]
fn a_deny_matches_every_word() {
    check(
        Reading::Strict,
        "git push **",
        &["git push", "git push -n x"],
        &["git pull"],
    );
    check(
        Reading::Strict,
        "** *.env* **",
        &["head -3 .env", "cat a.env b"],
        &["cat a"],
    );
    check(
        Reading::Strict,
        "foo *",
        &["foo -x", "foo a", "foo -x a"],
        &["foo", "foo a b"],
    );
}

#[test]
fn c022_nothing_to_check_is_matched_by_nothing() {
    assert!(!pattern("**").matches(&SimpleCommand::default(), Reading::Allow));
    assert!(!pattern("**").matches(&SimpleCommand::default(), Reading::Strict));
    check(
        Reading::Strict,
        "**",
        &["git log --", "grep -- x a.txt", "cat -"],
        &[],
    );
    check(
        Reading::Allow,
        "**",
        &[],
        &["git log --", "grep -- x a.txt", "cat -"],
    );
}

#[test]
fn a_pattern_that_cannot_be_read_says_why() {
    let bad = |words: &[&str], want: &str| {
        let error = CommandPattern::parse(words.iter().map(|word| (*word).to_owned()).collect())
            .expect_err("refused");
        assert!(error.to_string().contains(want), "{error}");
    };
    bad(&[], "without words");
    bad(&["a", ""], "word 1");
    bad(&["a["], "never closed");
    bad(&["a", "**b"], "stands alone");
    bad(&["a"; 33], "32");
}

#[track_caller]
fn meet(one: (&str, Reading), two: (&str, Reading), want: Option<&str>) {
    let found = pattern(one.0).overlap(one.1, &pattern(two.0), two.1);
    assert_eq!(
        found.map(|words| words.join(" ")).as_deref(),
        want,
        "{} and {}",
        one.0,
        two.0
    );
}

#[test]
fn overlap_finds_a_common_command() {
    use Reading::{Allow, Strict};
    meet(("git **", Allow), ("git push **", Strict), Some("git push"));
    meet(("git status **", Allow), ("git push **", Strict), None);
    meet(("rm **", Allow), ("rm -rf **", Strict), None);
    meet(("rm **flags", Allow), ("rm -rf **", Strict), Some("rm -rf"));
    meet(("rm -f *", Allow), ("rm -rf **", Strict), None);
    meet(("rm -fr *", Allow), ("rm -rf **", Strict), Some("rm -fr a"));
    meet(("cat *.py", Allow), ("cat src*", Allow), Some("cat src.py"));
    meet(("cat * *", Allow), ("cat *", Allow), None);
    meet(
        ("** --force", Strict),
        ("git push **flags", Allow),
        Some("git push --force"),
    );
}

fn effect(kind: EffectKind, value: Option<&str>, extent: Extent) -> CommandEffect {
    CommandEffect {
        kind,
        value: value.map(str::to_owned),
        extent,
        command: 0,
        written: None,
    }
}

#[track_caller]
fn under(ceiling: &str, kind: EffectKind, value: Option<&str>, extent: Extent, want: bool) {
    let read: Ceiling = serde_json::from_str(ceiling).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(
        read.covers(&effect(kind, value, extent), Some("/w")),
        want,
        "{ceiling} {value:?}"
    );
    let again = serde_json::to_string(&read).expect("written");
    assert_eq!(serde_json::from_str::<Ceiling>(&again).expect("read"), read);
}

#[test]
fn the_ceiling_covers_what_it_names() {
    use EffectKind::{Any, Connects, Deletes, Reads, Writes};
    use Extent::{One, Tree};
    let table = r#"{"reads": ["./**"], "writes": ["./target/**"], "connects": ["*.example"]}"#;
    under(r#""read-only""#, Reads, Some("/w/a"), One, true);
    under(r#""read-only""#, Reads, Some("/w"), Tree, true);
    under(r#""read-only""#, Reads, Some("/wx"), One, false);
    under(r#""read-only""#, Reads, None, One, false);
    under(r#""read-only""#, Writes, Some("/w/a"), One, false);
    under(r#""any""#, Any, None, One, true);
    under(table, Writes, Some("/w/target/x"), One, true);
    under(table, Writes, Some("/w/target"), Tree, true);
    under(table, Writes, Some("/w"), Tree, false);
    under(table, Writes, Some("/w/src"), One, false);
    under(table, Connects, Some("a.example"), One, true);
    under(table, Connects, None, One, false);
    under(table, Deletes, Some("/w/a"), One, false);
    under(table, Any, None, One, false);
    under(r#"{"reads": "any"}"#, Reads, None, One, true);
}

#[test]
fn a_ceiling_that_cannot_be_read_is_refused() {
    for text in [
        r#""all""#,
        r#"{"read": "any"}"#,
        r#"{"reads": "some"}"#,
        r#"{"reads": ["a["]}"#,
        r#"{"escalates": ["x"]}"#,
        "1",
    ] {
        assert!(serde_json::from_str::<Ceiling>(text).is_err(), "{text}");
    }
}

#[test]
fn an_effect_on_a_tree_is_a_pattern() {
    let tree = effect(EffectKind::Reads, Some("/w/a*{b"), Extent::Tree)
        .tree()
        .expect("a pattern");
    assert_eq!(tree.to_string(), "/w/a\\*\\{b/**");
    assert_eq!(
        effect(EffectKind::Reads, Some("/"), Extent::Tree)
            .tree()
            .expect("a pattern")
            .to_string(),
        "/**"
    );
    assert!(
        effect(EffectKind::Reads, Some("/w"), Extent::One)
            .tree()
            .is_none()
    );
}

#[test]
fn places_that_execute_are_known_by_name() {
    for path in [
        "/w/.git/config",
        "/w/.git/hooks/pre-commit",
        "/w/.envrc",
        "/home/x/.bashrc",
        "/w/Makefile",
        "/w/sub/package.json",
        "/w/.GIT/Config",
    ] {
        assert!(is_place_that_executes(path), "{path}");
    }
    for path in [
        "/w/src/main.rs",
        "/w/.gitignore",
        "/w/git/config",
        "relative",
    ] {
        assert!(!is_place_that_executes(path), "{path}");
    }
}

#[test]
fn every_line_of_the_list_of_places_is_a_pattern() {
    let lines = include_str!("../data/places.txt")
        .lines()
        .filter(|line| !line.is_empty() && !line.starts_with('#'));
    for line in lines {
        let pattern = tipstaff_resource::Pattern::parse(line, tipstaff_schema::ResourceKind::Path)
            .unwrap_or_else(|error| panic!("{error}"));
        assert!(!pattern.needs_root(), "{line}");
    }
}
