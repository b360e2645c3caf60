//! The table of programs: what must never be harmless in it.

use super::plans::{does, plan};
use crate::EffectKind::{Any, Reads, SetsEnv, Writes};
use crate::{Extent, ProgramTable};

#[test]
fn the_table_is_read_whole() {
    let table: serde_json::Value =
        serde_json::from_str(include_str!("../../data/programs.json")).unwrap();
    let builtin = ProgramTable::builtin();
    assert_eq!(
        builtin.programs.len(),
        table["programs"].as_object().unwrap().len()
    );
    assert!(builtin.programs.len() > 200);
}

/// What does more than read, by a flag or operand of a program that is in the table.
const HARM: &[&str] = &[
    "sort --compress-program=sh x",
    "sort -T d x",
    "find . -fprintf f x",
    "tree -o f",
    "tree -R x",
    "file -C -m x",
    "date -s now",
    "date 1231",
    "hostname evil",
    "man -P sh ls",
    "man ls",
    "less +!sh x",
    "rg --pre=sh x",
    "rg -z x",
    "git diff --ext-diff",
    "git log --output=f",
    "git grep -O x",
    "git stash",
    "git branch new",
    "git tag v1",
    "git config a.b c",
    "git symbolic-ref HEAD x",
    "git show --textconv",
    "git remote add a b",
    "git worktree add x",
    "git notes add",
    "git reflog expire",
    "ip netns exec a sh",
    "ip link set a up",
    "ifconfig eth0 up",
    "route add x",
    "arp -d x",
    "mount a b",
    "ps e",
    "ps auxe",
    "ps axeww",
    "dmesg -C",
    "dmesg -H",
    "journalctl --vacuum-size=1",
    "journalctl -n --rotate",
    "journalctl",
    "systemctl stop x",
    "systemctl",
    "ss -K",
    "tar xf a",
    "tar -tf a --to-command=sh",
    "tar tf host:a",
    "unzip a",
    "gzip a",
    "xz a",
    "shuf -e a -o f",
    "iconv -o f x",
    "base64 -o f x",
    "history -s x",
    "kill 1",
    "printf -v x a",
    "jq -n env",
    "dpkg -i x",
    "dpkg -l",
    "apt install x",
    "apt changelog x",
    "rpm --eval x",
    "rpm -i x",
    "pacman -S x",
    "pip install x",
    "pip list --outdated",
    "getent hosts x",
    "getconf -v x",
    "diff -l a b",
    "pr -o",
    "split a",
    "bc x",
    "lsof -D",
    "openssl enc -in a -out b",
    "openssl x509 -engine x",
    "fd -x rm",
    "fd -l",
    "finger a@b",
    "last -d",
    "who --lookup",
    "top -W",
    "sum -c x",
    "md5sum -c x",
    "wc --files0-from=x",
    "du --files0-from=x",
    "tput -S",
    "loginctl user-status",
    "timedatectl list-timezones",
    "snap install x",
    "ps -auxe",
    "ps -e e",
    "ip link s a up",
    "pip list",
    "strings @f",
    "gem install x",
    "xargs -a f",
];

#[test]
fn a_flag_that_writes_runs_or_connects_is_no_harmless_one() {
    for text in HARM {
        let found = plan(text);
        assert!(
            found.effects.iter().any(|effect| effect.kind != Reads) || !found.unknowns.is_empty(),
            "{text}"
        );
    }
}

#[test]
fn a_flag_is_not_taken_for_the_value_of_another() {
    does(
        "sort -k -o a",
        &[
            (Any, None),
            (Any, Some("/w/-k")),
            (Any, Some("/w/-o")),
            (Any, Some("/w/a")),
        ],
    );
    does("tail -n -5 a", &[(Reads, Some("/w/a"))]);
}

#[test]
fn programs_do_what_their_manuals_say() {
    does("ps -ef", &[]);
    does("ps -eo pid,user --sort -size", &[]);
    does("uniq a b", &[(Reads, Some("/w/a")), (Writes, Some("/w/b"))]);
    does(
        "xxd -r a b",
        &[(Reads, Some("/w/a")), (Writes, Some("/w/b"))],
    );
    does(
        "grep -e x a b",
        &[(Reads, Some("/w/a")), (Reads, Some("/w/b"))],
    );
    does(
        "grep -f p a",
        &[(Reads, Some("/w/p")), (Reads, Some("/w/a"))],
    );
    does("sed -n -e p -e '$d' a", &[(Reads, Some("/w/a"))]);
    does("tar tzf a.tgz", &[(Reads, Some("/w/a.tgz"))]);
    does("zcat a.gz", &[(Reads, Some("/w/a.gz"))]);
    does("env", &[(Reads, Some("/proc/self/environ"))]);
    does("printenv HOME", &[(Reads, Some("/proc/self/environ"))]);
    assert_eq!(plan("diff -N a b").effects[0].extent, Extent::Tree);
    assert_eq!(plan("diff a b").effects[0].extent, Extent::One);
    does(
        "grep -d recurse x .",
        &[
            (Any, None),
            (Any, Some("/w/-d")),
            (Any, Some("/w/recurse")),
            (Any, Some("/w/x")),
            (Any, Some("/w")),
        ],
    );
    does("read -r line", &[]);
    does("read PAGER", &[(SetsEnv, Some("PAGER"))]);
    does("ps aux", &[]);
    does("systemctl --no-pager status x", &[]);
    does("find . -exec cat {} +", &[(Reads, Some("/w"))]);
    does(
        "git blame --contents=/etc/shadow f",
        &[
            (Reads, Some("/w")),
            (Reads, Some("/etc/shadow")),
            (Reads, Some("/w/f")),
        ],
    );
}
