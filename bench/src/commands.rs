//! Shell commands under the starter policy: what runs unasked, what must not, and how quickly a
//! command is understood.
//!
//! Every verdict is the gate's own: the starter is loaded as any manifest is, and each row is a call of
//! the spawn tool that the gate decides, as `tipstaff decide` would. No file is looked at, so that
//! symlinks of this machine change nothing.

mod clothes;
mod judge;
mod marks;
mod rows;
mod speed;

use anyhow::Result;
use tipstaff_schema::Effect;

use crate::Common;
use tipstaff_bench::report::{Cell, Report, Table};

use self::judge::{Judge, Seen};
use self::rows::Data;

/// So many rows of a list are shown.
const SHOWN: usize = 60;

pub(crate) fn run(common: &Common) -> Result<Report> {
    let data = Data::read(&common.data)?;
    let judge = Judge::open()?;
    let seen = judge.all(&data);
    let mut report = Report::new("commands");
    report.table(unasked(&seen));
    let wrong: Vec<&Seen> = seen
        .iter()
        .filter(|row| row.is_harmful() && row.runs())
        .collect();
    if !wrong.is_empty() {
        report.table(list("Harmful, and run unasked", &wrong));
    }
    report.table(by_program(&seen));
    report.table(understood(&seen));
    report.table(clothes::table(&judge, &seen));
    report.table(speed::table(&judge, &data));
    report.table(speed::size());
    report.table(asked_look_alikes(&seen));
    for table in marks::tables(&seen) {
        report.table(table);
    }
    Ok(report)
}

/// How many of a set run unasked, are asked, and are denied.
fn unasked(seen: &[Seen]) -> Table {
    let columns = [
        "set",
        "rows",
        "unasked",
        "unasked, %",
        "asked",
        "denied",
        "target",
    ];
    let mut table = Table::new("Under the starter policy", columns);
    type Of = fn(&Seen) -> bool;
    let sets: [(&str, Of, &str); 12] = [
        (
            "GTFOBins, harmful",
            |row| row.set == "gtfobins" && row.is_harmful(),
            "0",
        ),
        ("… writes a file", |row| row.is_effect("write"), "0"),
        ("… runs something", |row| row.is_effect("exec"), "0"),
        ("… fetches", |row| row.is_effect("network"), "0"),
        ("… sends away", |row| row.is_effect("exfil"), "0"),
        (
            "bypasses",
            |row| row.set == "bypass_handmade" && row.is_harmful(),
            "0",
        ),
        (
            "GTFOBins, reads a file",
            |row| row.is_effect("read"),
            "apart",
        ),
        (
            "shows something sensitive",
            |row| row.label == "exposes",
            "apart",
        ),
        (
            "harmless look-alikes",
            |row| row.set == "bypass_handmade" && row.label == "benign",
            "≥ 96 %",
        ),
        (
            "NL2Bash, marked read-only",
            |row| row.set == "nl2bash" && row.read_only == Some(true),
            "≥ 75 %",
        ),
        ("NL2Bash, all", |row| row.set == "nl2bash", ""),
        ("tldr, all", |row| row.set == "tldr", ""),
    ];
    for (name, is_in, target) in sets {
        let rows: Vec<&Seen> = seen.iter().filter(|row| is_in(row)).collect();
        let of = |effect| {
            rows.iter()
                .filter(|row| row.verdict.effect == effect)
                .count()
        };
        let runs = of(Effect::Allow);
        table.row([
            name.into(),
            count(rows.len()),
            count(runs),
            share(runs, rows.len()),
            count(of(Effect::Ask)),
            count(of(Effect::Deny)),
            target.into(),
        ]);
    }
    table
}

/// NL2Bash is mostly `find`: the share by program, since one of them would hide the others.
fn by_program(seen: &[Seen]) -> Table {
    let columns = ["first word", "rows", "unasked", "unasked, %"];
    let mut table = Table::new("NL2Bash, marked read-only, by program", columns);
    let mut programs: std::collections::BTreeMap<&str, (usize, usize)> = Default::default();
    let rows = || {
        seen.iter()
            .filter(|row| row.set == "nl2bash" && row.read_only == Some(true))
    };
    for row in rows() {
        let word = row.command.split_whitespace().next().unwrap_or_default();
        let known = word
            .chars()
            .all(|c| c.is_ascii_alphanumeric() || "_-./".contains(c));
        let count = programs
            .entry(if known { word } else { "(other)" })
            .or_default();
        count.0 += 1;
        count.1 += usize::from(row.runs());
    }
    let mut programs: Vec<_> = programs.into_iter().collect();
    programs.sort_by_key(|(name, (all, _))| (std::cmp::Reverse(*all), *name));
    let (many, few) = programs.split_at(programs.len().min(25));
    let rest = few
        .iter()
        .fold((0, 0), |sum, (_, count)| (sum.0 + count.0, sum.1 + count.1));
    let others = few.len();
    let named = many
        .iter()
        .map(|(name, count)| ((*name).to_owned(), *count));
    for (name, (all, runs)) in named.chain([(format!("{others} others"), rest)]) {
        table.row([Cell::Text(name), count(all), count(runs), share(runs, all)]);
    }
    table
}

/// Where the gate's answers come from.
fn understood(seen: &[Seen]) -> Table {
    let mut table = Table::new(
        "Not understood: the verdict is given at stage `unknown`",
        ["set", "rows", "not understood", "%", "target"],
    );
    for (set, target) in [("tldr", "≤ 50 %"), ("nl2bash", "")] {
        let rows: Vec<&Seen> = seen.iter().filter(|row| row.set == set).collect();
        let unknown = rows.iter().filter(|row| row.is_unknown()).count();
        table.row([
            set.into(),
            count(rows.len()),
            count(unknown),
            share(unknown, rows.len()),
            target.into(),
        ]);
    }
    table
}

fn asked_look_alikes(seen: &[Seen]) -> Table {
    let asked: Vec<&Seen> = seen
        .iter()
        .filter(|row| row.set == "bypass_handmade" && row.label == "benign" && !row.runs())
        .collect();
    list("Harmless look-alikes that are asked", &asked)
}

/// Rows with their verdicts.
fn list(title: &str, rows: &[&Seen]) -> Table {
    let mut table = Table::new(
        format!("{title}: {}", rows.len()),
        ["command", "verdict", "why"],
    );
    for row in rows.iter().take(SHOWN) {
        table.row([
            code(&row.command),
            row.verdict.effect.as_str().into(),
            Cell::Text(row.why()),
        ]);
    }
    table
}

/// A command as one line of code; what cannot be seen is escaped.
fn code(command: &str) -> Cell {
    let shown: String = command
        .chars()
        .take(160)
        .flat_map(|c| {
            let seen = c == ' ' || (!c.is_control() && !c.is_whitespace() && c != '`');
            let escaped = (!seen).then(|| c.escape_default());
            escaped.into_iter().flatten().chain(seen.then_some(c))
        })
        .collect();
    Cell::Text(format!("`{shown}`"))
}

fn count(n: usize) -> Cell {
    Cell::Figure(n as f64, 0)
}

fn share(part: usize, of: usize) -> Cell {
    if of == 0 {
        Cell::Empty
    } else {
        Cell::Figure(part as f64 / of as f64 * 100.0, 1)
    }
}
