//! Computed arguments: which are understood, and which stay unknown.

use super::plans::{finds, unknown};
use crate::UnknownKind::{Arithmetic, Environment, Expansion, Foreign, Glob, Program, Syntax};

#[test]
fn a_program_that_only_prints_or_names_may_be_given_anything() {
    for text in [
        "echo $x",
        "echo \"$@\" *",
        "ls -l $dir *",
        "basename \"$1\"",
        "nohup ls $x",
        "printf '%s\\n' $x",
        "for i in a b; do echo \"$i\"; done",
        "/bin/echo $x",
        "echo ${x%.c} ${#x} ${a[@]} ${x:-y}",
        "find . -exec ls -l {} +",
        "find . | xargs -n1 basename",
        "cd $x && ls",
    ] {
        unknown(text, &[]);
    }
    unknown("printf $x a", &[Expansion]);
    unknown("printf \"$x\"", &[Expansion]);
    unknown("find . | xargs cat", &[Expansion]);
    unknown("$echo a", &[Program, Expansion]);
}

#[test]
fn what_a_value_would_run_is_never_understood() {
    for text in [
        "echo ${x@P}",
        "echo ${!x}",
        "echo ${a[$i]}",
        "echo ${x:$n}",
        "echo $\"a\"",
        "for i in ${x@P}; do ls; done",
        "case ${a[$i]} in x) ls;; esac",
        "ls <<< ${x@P}",
        "y=${x@P} ls",
        "y=${x@P}; ls",
        "ls \"${x:-${y@P}}\"",
    ] {
        unknown(text, &[Expansion]);
    }
    unknown("echo $((x))", &[Arithmetic]);
    unknown("ls <<E\n${x@P}\nE", &[Expansion]);
}

#[test]
fn elsewhere_only_a_text_that_can_be_no_flag_is_understood() {
    unknown("find . -name \"$x\" -mtime \"$n\"", &[]);
    unknown("find ~/src -name '*.c'", &[]);
    unknown("find . -name *.php", &[]);
    unknown("sort -t \"$x\" a", &[]);
    unknown("find * -name a", &[Glob]);
    unknown("find . -name *", &[Glob]);
    unknown("find . $(cat a)", &[Expansion]);
    unknown("find . \"$1\"", &[Expansion]);
    unknown("find $@", &[Expansion]);
    unknown("cat \"./$x\"", &[Expansion]);
    unknown("cat ~/x", &[Expansion]);
    unknown("sort -k \"$x\" $y", &[Expansion]);
    unknown("awk \"$x\" a", &[Expansion, Foreign]);
    unknown("sed -n \"${n}p\" a", &[Expansion, Foreign]);
}

#[test]
fn a_variable_that_the_text_sets_may_be_a_flag() {
    unknown("find $dir -name a", &[]);
    unknown("find \"$dir\" -user ${USER}", &[]);
    for text in [
        "dir=-delete; find . $dir",
        "f() { find . $dir; }; dir=-delete; f",
        "read dir; find . $dir",
        "read \"d\"ir; find . $dir",
        "for dir in -delete; do find . $dir; done",
        "read $x; find . $dir",
        "dir=-delete bash -c 'find . $dir'",
        "env dir=-delete bash -c 'find . $dir'",
        "export dir=-delete; find . $dir",
        ": ${dir:=-delete}; find . $dir",
        "for i in ${dir=-delete}; do find . $dir; done",
        "local dir=-delete; find . $dir",
        ": -delete; find . $_",
        "read <<< -delete; find . $REPLY",
        "find . $BASH_EXECUTION_STRING # -delete",
        "find . $LANG",
        "printf -v dir %s -delete; find . $dir",
        "bash -c 'find . $0' -delete",
    ] {
        assert!(
            super::plans::plan(text)
                .unknowns
                .iter()
                .any(|one| one.kind == Expansion),
            "{text}"
        );
    }
    unknown("printf a; find $dir", &[]);
}

#[test]
fn a_loop_cannot_set_what_changes_what_runs() {
    unknown("for PATH in /tmp; do ls; done", &[Environment]);
    unknown("read PATH; ls", &[Environment]);
    unknown("unset LD_PRELOAD", &[Environment]);
    unknown("for i in a; do ls; done", &[]);
}

#[test]
fn an_assignment_to_a_variable_of_the_shell_is_no_command() {
    finds("x=$(date)", &["date"]);
    finds("X=$(date)", &["date"]);
    finds("x=1; ls", &["ls"]);
    finds("X=1; ls", &["", "ls"]);
    finds("https_proxy=x; ls", &["", "ls"]);
    finds("while true; do X=$(date); done", &["true", "date", ""]);
    finds("x=1", &[""]);
    finds("x=1 > f; ls", &["", "ls"]);
    unknown("PATH=$(pwd)", &[Environment]);
    unknown("a=(1 2); ls", &[Syntax]);
}

#[test]
fn find_starts_what_stands_up_to_the_end_of_its_command() {
    // A `+` ends it only behind `{}`.
    finds(
        "find . -exec sort + -o f {} \\;",
        &["find . -exec sort + -o f {} ;", "sort + -o f /w/*"],
    );
    finds(
        "find a b -exec cat {} +",
        &["find a b -exec cat {} +", "cat /w/a/* /w/b/*"],
    );
    unknown("find . -exec {} \\;", &[Program]);
    unknown("find . -exec sh -c 'echo {}' \\;", &[Foreign]);
    unknown("find . -exec sh {} \\;", &[Foreign]);
}
