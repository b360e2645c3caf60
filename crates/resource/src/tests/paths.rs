//! Paths: folding, patterns, overlap and inclusion.

use tipstaff_schema::ResourceKind::Path;

use super::{means, pattern, refused, value};
use crate::CaseRule::{self, Exact, Fold};
use crate::{Base, Resource};

#[track_caller]
fn folds(raw: &str, want: Option<&str>) {
    assert_eq!(value(Path, raw).as_deref(), want, "{raw:?}");
}

#[track_caller]
fn check(text: &str, yes: &[&str], no: &[&str]) {
    for raw in yes {
        assert!(means(Path, text, Path, raw, Exact), "{text} means {raw}");
        assert!(
            means(Path, text, Path, raw, Fold),
            "{text} means {raw} without case"
        );
    }
    for raw in no {
        assert!(
            !means(Path, text, Path, raw, Exact),
            "{text} does not mean {raw}"
        );
    }
}

#[test]
fn a_path_is_absolute_and_folded() {
    folds("a/./b//c/", Some("/w/a/b/c"));
    folds("/a/../b", Some("/b"));
    folds("/", Some("/"));
    folds("..", Some("/"));
    folds("../..", None);
    folds("/..", None);
    folds("", None);
    folds("~/x", None);
    folds("~root/x", None);
    folds("/x/file~", Some("/x/file~"));
    folds("/a\0b", None);
    folds("/a\nb", None);
    folds("/a /b", None);
    folds(" /a", None);
}

#[test]
fn a_relative_path_needs_a_base() {
    let fold = |base: Base<'_>| Resource::fold_path("x", &base).ok();
    assert_eq!(fold(Base::default()), None);
    assert_eq!(
        fold(Base {
            cwd: Some("/c"),
            root: Some("/r")
        })
        .as_deref(),
        Some("/c/x")
    );
    assert_eq!(
        fold(Base {
            cwd: Some("c"),
            root: Some("/r")
        }),
        None
    );
}

#[test]
fn only_canonical_resources_are_read_back() {
    let read = |value: &str| {
        serde_json::from_str::<Resource>(&format!(
            r#"{{"kind":"path","value":"{value}","access":"read"}}"#
        ))
        .is_ok()
    };
    assert!(read("/a/b"));
    assert!(!read("/a/../b"));
    assert!(!read("a"));
}

#[test]
fn c046_a_hidden_file_pattern_is_no_extension_pattern() {
    check(
        "**/.*",
        &[".env", "a/.env"],
        &["notes.md", "a/notes.md", "a/.git/config"],
    );
    check("**/.*/**", &["a/.git/config", "a/.git"], &["a/notes.md"]);
}

#[test]
fn c047_wildcards_match_dot_names_in_every_effect() {
    check(
        "docs/**",
        &["docs/a.md", "docs/.secret", "docs/.x/b.md"],
        &[],
    );
    check(
        "**",
        &["docs/a.md", "docs/.secret", "docs/.x/b.md", "/"],
        &[],
    );
    check("docs/*", &["docs/.secret"], &["docs/.x/b.md"]);
}

#[test]
fn c049_double_star_needs_a_separator() {
    check(
        "app/**/x.toml",
        &["app/x.toml", "app/a/b/x.toml"],
        &["app.test/x.toml", "application/x.toml"],
    );
}

#[test]
fn c052_brackets_and_braces_are_whole_or_refused() {
    check("{,x}a", &["a", "xa"], &["xxa"]);
    check("[^a]", &["b"], &["a"]);
    check("[!a-c]", &["d"], &["b"]);
    check("git{log,diff}*", &["gitdiff", "gitlog2"], &["git"]);
    refused(Path, "a[b", "never closed");
    refused(Path, "{a,b", "never closed");
    refused(Path, "a}", "no `{`");
    refused(Path, "[]", "empty class");
    refused(Path, "[z-a]", "backwards");
    refused(Path, "[[:alpha:]]", "[:");
    refused(Path, "a\\", "ends with");
    refused(Path, &"{a".repeat(9), "8 deep");
}

#[test]
fn c053_a_folder_is_no_prefix_of_text() {
    let no = ["/home/me/p2/a", "/home/me/p_secret/a", "/home/me/p/../q"];
    check("/home/me/p/**", &["/home/me/p/a", "/home/me/p"], &no);
    check("/home/me/p/", &["/home/me/p/a", "/home/me/p"], &no);
}

#[test]
fn c055_parent_steps_are_folded_before_matching() {
    let yes = ["repo/a/../b", "repo/%2e%2e/x", "repo/..%2fx"];
    check(
        "repo/**",
        &yes,
        &["repo/../../etc/passwd", "repo/a/../../x"],
    );
}

#[test]
fn c056_deny_folds_case_and_allow_is_exact() {
    let hits = |text, raw, case| means(Path, text, Path, raw, case);
    assert!(hits("**/.git/**", "/home/me/p/.GIT/hooks/x", Fold));
    assert!(hits("**/.env", "/home/me/p/.Env", Fold));
    assert!(!hits("**/.env", "/home/me/p/.Env", Exact));
    assert!(!hits("**/.git/**", "/home/me/p/.gitignore", Fold));
    assert!(
        hits("[!a]", "a", Fold),
        "a folded class holds whatever either case does"
    );
    assert!(hits("docs/x", "/W/Docs/X", Fold));
}

#[test]
fn c058_a_blank_at_an_end_is_refused_and_a_slash_covers_the_folder() {
    refused(Path, "secrets/** ", "blank");
    refused(Path, "/a /b", "ever match");
    check("secrets/", &["secrets/a", "secrets"], &["secrets2"]);
}

#[test]
fn c059_a_dot_env_pattern_means_what_it_says() {
    check(
        "**/.env",
        &["a/.env"],
        &[".env.example", ".envrc", ".env.local"],
    );
    check(
        "**/.env.*",
        &[".env.example", ".env.local"],
        &[".envrc", ".env"],
    );
    refused(Path, "**/.env.!(example)", "!(");
}

#[test]
fn c062_stream_suffixes_and_direction_marks() {
    folds("/w/key\u{202E}mep.txt", None);
    folds("/w/key.pem ", None);
    check(
        "**/*.pem",
        &["/w/key.pem"],
        &["/w/key.pem:hidden", "/w/key.pem::$DATA", "/w/key.pem."],
    );
}

#[test]
fn what_can_never_match_is_refused() {
    for text in ["/a/../b", "/a/./b", "/a//b", "./../x", "{/a,/b}"] {
        refused(Path, text, "ever match");
    }
    refused(Path, "", "empty");
    refused(Path, "~/x", "not expanded");
    refused(Path, "a\u{200b}b", "format character");
    refused(Path, "/[a/]", "separator");
}

#[test]
fn double_star_covers_folders_also_inside_braces() {
    check(
        "/{a/**,b}/c",
        &["/a/c", "/a/x/c", "/b/c"],
        &["/ac", "/b/x/c"],
    );
    check("/x{/**,.txt}", &["/x", "/x/y/z", "/x.txt"], &["/xy"]);
    check("/a/**/**/b", &["/a/b", "/a/c/d/b"], &["/ab"]);
    check("/a**z", &["/az", "/ab/cz"], &["/b/az"]);
    check("./**", &["/w", "/w/a/b"], &["/v", "/wx"]);
    check("/\\*", &["/*"], &["/a"]);
}

#[track_caller]
fn meet(one: &str, two: &str, want: Option<&str>) {
    let found = pattern(Path, one).overlap(Exact, &pattern(Path, two), Exact, Some("/w"));
    assert_eq!(found.as_deref(), want, "{one} and {two}");
}

#[test]
fn the_literal_lead_is_whole_parts() {
    for (text, want) in [
        ("/a/b", Some("/a/b")),
        ("/a/b/", Some("/a/b")),
        ("/a/b/**", Some("/a/b")),
        ("/a/b*", Some("/a")),
        ("/a/*/c", Some("/a")),
        ("/a/{b,c}", Some("/a")),
        ("/a/\\*", Some("/a/*")),
        ("/a*", None),
        ("**/a", None),
        ("src/*.rs", Some("/w/src")),
        (".", Some("/w")),
        ("*.rs", Some("/w")),
    ] {
        let lead = pattern(Path, text).literal_lead(Some("/w"));
        assert_eq!(lead.as_deref(), want, "{text}");
    }
    assert_eq!(pattern(Path, "src/a").literal_lead(None), None);
}

#[test]
fn a_path_made_absolute_is_not_folded() {
    let base = Base {
        cwd: Some("/c"),
        root: Some("/r"),
    };
    let whole = |raw| Resource::absolute_path(raw, &base).ok();
    assert_eq!(whole("l/../x").as_deref(), Some("/c/l/../x"));
    assert_eq!(whole("/l/../x").as_deref(), Some("/l/../x"));
    assert_eq!(whole("../../x"), None);
    assert_eq!(whole("~/x"), None);
}

#[test]
fn overlap_gives_a_shortest_witness() {
    meet("/a/*", "/*/b", Some("/a/b"));
    meet("/a/*", "/b/*", None);
    meet("**/.env", "src/**", Some("/w/src/.env"));
    meet("/x/**", "/x", Some("/x"));
    meet("/*.py", "/[!.]*", Some("/a.py"));
    meet("./*", "/w", None);
    meet("/a?", "/a.", Some("/a."));
    meet("/w/**/..*", "/w/*", Some("/w/..a"));
}

#[test]
fn overlap_folds_only_where_it_is_asked_to() {
    let (deny, allow) = (pattern(Path, "/A/*"), pattern(Path, "/a/b"));
    assert_eq!(deny.overlap(Exact, &allow, Exact, None), None);
    assert_eq!(
        deny.overlap(Fold, &allow, Exact, None).as_deref(),
        Some("/a/b")
    );
}

#[test]
fn relative_patterns_need_a_root_unless_both_hang_on_it() {
    let (one, two) = (pattern(Path, "src/**"), pattern(Path, "**/x"));
    assert_eq!(one.overlap(Exact, &two, Exact, None), None);
    assert_eq!(one.example(None), None);
    assert_eq!(one.example(Some("/w")).as_deref(), Some("/w/src"));
    assert_eq!(
        one.overlap(Exact, &pattern(Path, "src/*.rs"), Exact, None)
            .as_deref(),
        Some("/src/.rs")
    );
}

#[test]
fn covers_is_inclusion() {
    let covers = |one: &str, case: CaseRule, two: &str| {
        pattern(Path, one).covers(case, &pattern(Path, two), Exact, Some("/w"))
    };
    assert!(covers("**", Exact, "src/**/*.rs"));
    assert!(covers("/w/**", Exact, "./src"));
    assert!(covers("/a/*", Exact, "/a/{b,c}"));
    assert!(covers("/a/**", Exact, "/a/"));
    assert!(covers("/A/*", Fold, "/a/b"));
    assert!(
        covers("/{a,[!a]}*", Exact, "/*?"),
        "the union of two classes is all"
    );
    assert!(!covers("/A/*", Exact, "/a/b"));
    assert!(!covers("/a/*", Exact, "/a/**"));
    assert!(!covers("src/**", Exact, "**/x"));
}
