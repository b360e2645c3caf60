//! Programs in other languages: which of them only select, compute and print.

use crate::code::{is_plain_awk, is_plain_jq, is_plain_sed};

#[track_caller]
fn check(is_plain: fn(&str) -> bool, plain: &[&str], not: &[&str]) {
    for code in plain {
        assert!(is_plain(code), "plain: {code}");
    }
    for code in not {
        assert!(!is_plain(code), "not plain: {code}");
    }
}

#[test]
fn a_sed_script_is_plain_when_it_only_selects_and_prints() {
    let plain = [
        "1,5p",
        "$p",
        "/a/d",
        "s/a/b/g",
        "s|a/b|c|",
        "5q",
        "$!N;P;D",
        "/a/,/b/{//!p}",
        "y/ab/cd/",
        ":a;N;$!ba;s/\\n/ /g",
        "1~2p",
        "s/[[:space:]]*$//;s/^x//",
        "\\,a,p",
        "2!d",
        "/x/a some text; w f",
        "n;d",
        "s/\\//x/2p",
        "0,/a/s//b/",
    ];
    let not = [
        "",
        "w f",
        "1w f",
        "s/a/b/w f",
        "s/a/b/e",
        "e",
        "1e touch p",
        "r /etc/shadow",
        "R f",
        "W f",
        "s/a/b/gw f",
        "/a/{p;w f\n}",
        "a x\nw f",
        "s/a\\/b/e",
        "s/[/]/x/",
        "s/[^/]*$/x/",
        "s/a/b",
        "y/a/b",
        "{w f\n}",
        "s/[/]/;w f",
        "M",
        "p w",
        "#n\nw f",
        "s/a\nw f/b/",
    ];
    check(is_plain_sed, &plain, &not);
}

#[test]
fn an_awk_program_is_plain_when_it_only_computes_and_prints() {
    let plain = [
        "{print $1}",
        "$3 > 5",
        "$3 > 5 {print $1}",
        "{print ($1 > 2)}",
        "/a|b/ && $1 > 2",
        "NR==1 {gsub(/\"/,\"\",$3);print $3}",
        "BEGIN{FS=\":\"} {s+=$1} END {print s/NR, s / 2}",
        "{ if ($1 ~ /x/ || $2 > 3) print; else printf \"%s|%d\\n\", $1, $2 }",
        "{for(i=1;i<=NF;i++) if (length($i) > max) max = length($i)}",
        "/[[:space:]|>]/ {n++}",
        "# a > comment\n{print}",
        "/inet addr/{print substr($2,6)}",
        "{print $(NF-1)/2}",
    ];
    let not = [
        "",
        "BEGIN{system(\"x\")}",
        "{print > \"f\"}",
        "{print $1 > $2}",
        "{print >> \"f\"}",
        "{print | \"sh\"}",
        "{printf(\"x\") > \"f\"}",
        "BEGIN{\"x\" | getline}",
        "{print (1)(2) > \"f\"}",
        "{print $1,\n$2 > \"f\"}",
        "@include \"x\"",
        "BEGIN{print ENVIRON[\"A\"]}",
        "if (x) /\"/; system(\"id\"); y = /\"/",
        "{print \"a\" \"b\" > \"f\"}",
        "{x++ / 2 > \"f\" /3}",
        "/[/]/ {print}",
        "{print a[1] > b[2]}",
        "BEGIN { f = \"sys\" \"tem\"; @f(\"id\") }",
        "{print \"a\n\"}",
        "{ print $0 |& \"sh\" }",
        "(",
        "{print)}",
        "/[[:alpha:]/]/ {print > \"f\"}",
    ];
    check(is_plain_awk, &plain, &not);
}

#[test]
fn a_jq_filter_is_plain_when_it_looks_only_at_its_input() {
    check(
        is_plain_jq,
        &[
            ".",
            ".a.env",
            ".[] | {a: .b}",
            "map(select(.env > 1))",
            ".environment",
            "\"x\\(.a)\"",
        ],
        &[
            "",
            "env",
            "$ENV.A",
            "env.A",
            "import \"x\" as x; .",
            "..env",
            "[.[] | env]",
            "include \"x\";",
        ],
    );
}
