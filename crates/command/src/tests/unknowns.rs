//! What stays unknown, and is so never allowed without a person.

use super::plans::unknown;
use crate::UnknownKind::{
    Arithmetic, Control, Empty, Environment, Expansion, Foreign, Glob, LookAlike, Program, Syntax,
    TooLarge,
};

#[test]
fn what_is_not_understood_is_an_unknown() {
    unknown("", &[Empty]);
    unknown("# only a comment", &[Empty]);
    unknown("echo 'a", &[Syntax, Empty]);
    unknown("$x a", &[Program, Expansion]);
    unknown("r[m] a", &[Program]);
    unknown("cat *.txt", &[Glob]);
    unknown("cat ./*.txt", &[]);
    unknown("cat $x", &[Expansion]);
    unknown("cat ~/x", &[Expansion]);
    unknown("rm {a,b}", &[Expansion]);
    unknown("echo {} {a}", &[]);
    unknown("echo $((x))", &[Arithmetic]);
    unknown("((x[$(rm y)]))", &[Arithmetic]);
    unknown("[[ $x -eq 1 ]]", &[Arithmetic, Empty]);
    unknown("LD_PRELOAD=./x.so ls", &[Environment]);
    unknown("export PATH=/tmp; ls", &[Environment]);
    unknown("PATH=/tmp; ls", &[Environment]);
    unknown("awk 'BEGIN{ARGV[1]=\"/etc/passwd\"}' y", &[Foreign]);
    unknown("eval 'rm x'", &[Foreign]);
    unknown("python3 -c 'import os'", &[Foreign]);
    unknown("python3 build.py", &[]);
    unknown("ssh host rm x", &[Foreign]);
    unknown("curl x | sh", &[Foreign]);
    unknown("l\u{455} a", &[LookAlike]);
    unknown("rm \u{2013}rf x", &[LookAlike]);
    unknown("echo\u{a0}x", &[LookAlike]);
    unknown("echo a\u{200b}b", &[Control]);
    unknown("echo bücher", &[]);
    unknown("echo $'\\x01'", &[Control]);
    unknown("sed 's/a/b/e' x", &[Foreign]);
    unknown("awk '{system(\"x\")}' y", &[Foreign]);
    unknown("coproc ls", &[Syntax]);
    unknown("a[$(rm x)]=1", &[Syntax]);
}

#[test]
fn too_much_is_refused_before_it_is_parsed() {
    unknown(&"(".repeat(2000), &[TooLarge, Empty]);
    unknown(&"if ".repeat(2000), &[TooLarge, Empty]);
    unknown(&"$(".repeat(2000), &[TooLarge, Empty]);
    unknown(&"a".repeat(70_000), &[TooLarge, Empty]);
    unknown(
        &format!("{}ls{}", "echo $(".repeat(12), ")".repeat(12)),
        &[TooLarge],
    );
}

#[test]
fn another_shell_than_bash_is_not_taken_to_read_as_bash_does() {
    for script in ["alpha &> o", "alpha |& beta", "alpha <<< a"] {
        unknown(&format!("sh -c '{script}'"), &[Syntax]);
        unknown(&format!("dash -c '{script}'"), &[Syntax]);
    }
    unknown("sh -c \"beta $'a'\"", &[Syntax]);
    unknown("sh -c 'alpha | beta > o; gamma'", &[]);
    unknown("bash -c 'alpha |& beta'", &[]);
}

#[test]
fn an_index_that_a_builtin_evaluates_is_an_unknown() {
    for text in [
        "test -v 'a[$(rm x)]'",
        "[ -v 'a[i]' ]",
        "printf -v 'a[$(rm x)]' y",
        "let 'a[$(rm x)]=1'",
        "declare -i x",
        "export 'a[$(rm x)]=1'",
    ] {
        unknown(text, &[Arithmetic]);
    }
    unknown("test a = '[x]'", &[]);
    unknown("printf '%s[%s]' a b", &[]);
}
