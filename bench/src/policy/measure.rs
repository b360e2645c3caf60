//! The tables: every engine on the common core, then ours on all that it can say.

use std::hint::black_box;
use std::time::Duration;

use anyhow::{Result, ensure};
use tipstaff_policy::{Decision, PolicySet, reference};

use super::casbin::Casbin;
use super::cedar::Cedar;
use super::core::{Asked, core_asked, core_rules};
use super::globs::Globs;
use super::memory::{self, Held};
use super::ours::{Ours, Scan, compile, wires};
use super::peer::Peer;
use super::rego::{Indexed, Listed};
use super::rich::{Mix, rich_calls, rich_rules};
use super::{REQUESTS, Sizes};
use crate::clock::{Times, once};
use crate::report::{Cell, Report, Table};

/// How many patterns the sets of patterns have at most.
pub(super) const PATTERNS: usize = 10_000;
/// An engine is asked as many requests as it answers in this time, but 10 at least.
const TIME: Duration = Duration::from_millis(800);
/// An engine whose set-up is to be expected to take longer is left out from there on.
const PATIENCE: Duration = Duration::from_secs(30);
/// How often ours is timed; the quietest counts.
const TURNS: usize = 5;

/// One engine at one number of rules.
struct Row {
    name: &'static str,
    left_out: &'static str,
    size: usize,
    built: Duration,
    asked: usize,
    times: Times,
}

/// Measures all of it.
///
/// # Errors
/// Two engines differ in a verdict, or one refuses its rules.
pub fn run(sizes: &Sizes) -> Result<Report> {
    let mut rows: Vec<Row> = Vec::new();
    for size in &sizes.rules {
        core(*size, &mut rows)?;
    }
    let held = memory::held(sizes)?;
    let mut report = Report::new("policy");
    core_tables(&mut report, sizes, &rows, &held);
    report.table(alone(sizes, &held)?);
    report.note(format!(
        "Verdicts: every engine's verdict on every request that it was asked was compared with ours, and ours with those of the scan (effect, rule, specificity, number of matching rules) on all {REQUESTS} requests of every set, before anything was timed; a difference ends the run. Slow engines are asked fewer requests, as the table says; one whose set-up can be expected to take more than {} s is not built (`-`).",
        PATIENCE.as_secs()
    ));
    report.note(
        "Every ratio belongs to the number of rules above it. Cedar judges every policy that it is handed, and leaves to its caller to hand over only those that can matter (slicing); nothing is sliced here.",
    );
    Ok(report)
}

fn core(size: usize, rows: &mut Vec<Row>) -> Result<()> {
    let rules = core_rules(size);
    let asked = core_asked(&rules, REQUESTS);
    let mut ours = Ours::build(Ours::write(&rules))?;
    let verdicts: Vec<bool> = asked
        .iter()
        .map(|asked| Ok(ours.allows(&Ours::request(asked)?)))
        .collect::<Result<_>>()?;
    let given = Given {
        size,
        rules: &rules,
        asked: &asked,
        verdicts: &verdicts,
    };
    rows.extend(one::<Ours>(&given, rows)?);
    rows.extend(one::<Scan>(&given, rows)?);
    rows.extend(one::<Globs>(&given, rows)?);
    rows.extend(one::<Cedar>(&given, rows)?);
    rows.extend(one::<Casbin>(&given, rows)?);
    rows.extend(one::<Listed>(&given, rows)?);
    rows.extend(one::<Indexed>(&given, rows)?);
    Ok(())
}

/// What every engine is given.
struct Given<'a> {
    size: usize,
    rules: &'a [super::core::Plain],
    asked: &'a [Asked],
    verdicts: &'a [bool],
}

/// One engine, unless its set-up would take too long by what it took with fewer rules.
fn one<P: Peer>(given: &Given<'_>, rows: &[Row]) -> Result<Option<Row>> {
    let last = rows.iter().rev().find(|row| row.name == P::NAME);
    let expected = last.map_or(0.0, |row| {
        row.built.as_secs_f64() * given.size as f64 / row.size as f64
    });
    if expected > PATIENCE.as_secs_f64() {
        return Ok(None);
    }
    let written = P::write(given.rules);
    let (engine, built) = once(|| P::build(written));
    let mut engine = engine?;
    let requests: Vec<P::Request> = given.asked.iter().map(P::request).collect::<Result<_>>()?;
    let mut count = 0;
    let mut spent = Duration::ZERO;
    for (request, verdict) in requests.iter().zip(given.verdicts) {
        let (allowed, took) = once(|| engine.allows(request));
        ensure!(
            allowed == *verdict,
            "{} says {allowed} where ours says {verdict}: {:?} by {} rules",
            P::NAME,
            given.asked.get(count),
            given.size
        );
        count += 1;
        spent += took;
        if spent > TIME && count >= 10 {
            break;
        }
    }
    let mut times = None;
    for _ in 0..if spent > TIME { 1 } else { TURNS } {
        let turn = Times::of(requests.get(..count).unwrap_or_default(), |request| {
            black_box(engine.allows(black_box(request)));
        });
        times = Some(match times.take() {
            None => turn,
            Some(other) => turn.or(other),
        });
    }
    Ok(times.map(|times| Row {
        name: P::NAME,
        left_out: P::LEFT_OUT,
        size: given.size,
        built,
        asked: count,
        times,
    }))
}

fn core_tables(report: &mut Report, sizes: &Sizes, rows: &[Row], held: &Held) {
    let mut names: Vec<(&str, &str)> = Vec::new();
    for row in rows {
        if !names.contains(&(row.name, row.left_out)) {
            names.push((row.name, row.left_out));
        }
    }
    let find =
        |name: &str, size: usize| rows.iter().find(|row| row.name == name && row.size == size);
    let columns = || {
        let sizes = sizes.rules.iter().map(|size| format!("{size} rules"));
        std::iter::once("engine".to_owned()).chain(sizes)
    };
    let mut table = |title: &str, cell: &dyn Fn(&str, usize) -> Cell| {
        let mut table = Table::new(title, columns());
        for (name, _) in &names {
            let cells = sizes.rules.iter().map(|size| cell(name, *size));
            table.row(std::iter::once(Cell::from(*name)).chain(cells));
        }
        report.table(table);
    };
    let of = |name: &str, size: usize, figure: &dyn Fn(&Row) -> Cell| {
        find(name, size).map_or(Cell::Empty, figure)
    };
    table("The common core, one decision: mean, µs", &|name, size| {
        of(name, size, &|row| micros(row.times.mean_us()))
    });
    table("The same: p99, µs", &|name, size| {
        of(name, size, &|row| micros(row.times.quantile_us(0.99)))
    });
    table("The same: mean, times ours", &|name, size| {
        let ours = find(Ours::NAME, size).map_or(f64::NAN, |row| row.times.mean_us());
        of(name, size, &|row| {
            Cell::Figure(
                row.times.mean_us() / ours,
                if name == Ours::NAME { 0 } else { 1 },
            )
        })
    });
    table("Set-up, ms", &|name, size| {
        of(name, size, &|row| {
            Cell::Figure(row.built.as_secs_f64() * 1e3, 1)
        })
    });
    table("Memory held, MiB", &|name, size| held_mib(held, name, size));
    table("Requests asked and compared", &|name, size| {
        of(name, size, &|row| Cell::Figure(row.asked as f64, 0))
    });
    let mut left_out = Table::new(
        "What the common core leaves out of an engine's way",
        ["engine", "of what ours can say, it cannot"],
    );
    for (name, text) in names.iter().filter(|(_, text)| !text.is_empty()) {
        left_out.row([Cell::from(*name), Cell::from(*text)]);
    }
    report.table(left_out);
}

fn micros(value: f64) -> Cell {
    Cell::Figure(value, if value < 10.0 { 3 } else { 0 })
}

fn held_mib(held: &Held, name: &str, size: usize) -> Cell {
    let bytes = held.get(name).and_then(|sizes| sizes.get(&size));
    bytes.map_or(Cell::Empty, |bytes| {
        Cell::Figure(*bytes as f64 / f64::from(1 << 20), 2)
    })
}

/// Ours, on every mix.
fn alone(sizes: &Sizes, held: &Held) -> Result<Table> {
    let mut table = Table::new(
        "Ours alone, by what the rules say: one decision in µs, and loading",
        [
            "rules say",
            "rules",
            "matching, mean",
            "mean",
            "p99",
            "with the reason in words: mean",
            "scan: mean",
            "scan ÷ ours",
            "load, ms",
            "held, MiB",
        ],
    );
    let patterns = sizes
        .rules
        .iter()
        .copied()
        .filter(|size| *size <= PATTERNS)
        .max();
    let sets = [Mix::Core, Mix::Rich]
        .into_iter()
        .flat_map(|mix| sizes.rules.iter().map(move |size| (mix, *size)))
        .chain(patterns.map(|size| (Mix::Globs, size)))
        .chain(patterns.map(|size| (Mix::Infix, size)));
    for (mix, size) in sets {
        table.row(set(mix, size, held)?);
    }
    Ok(table)
}

fn set(mix: Mix, size: usize, held: &Held) -> Result<Vec<Cell>> {
    let written = wires(rich_rules(mix, size));
    let (set, built) = once(|| compile(written));
    let set = set?;
    let calls = rich_calls(mix, size, REQUESTS)?;
    let (mut matching, mut spent, mut scanned) = (0, Duration::ZERO, 0);
    for call in &calls {
        let request = call.request();
        let (by_scan, took) = once(|| reference::decide(set.rules(), &request));
        let decision = set.decide(&request);
        ensure!(
            same(&by_scan, &decision),
            "the scan says {by_scan:?}, and {decision:?} is not that: {call:?}"
        );
        matching += decision.considered;
        if spent < TIME {
            spent += took;
            scanned += 1;
        }
    }
    let decide = |set: &PolicySet| {
        let turn = || {
            Times::of(&calls, |call| {
                black_box(set.decide(black_box(&call.request())));
            })
        };
        (1..TURNS).fold(turn(), |times, _| times.or(turn()))
    };
    let times = decide(&set);
    let told = Times::of(&calls, |call| {
        black_box(set.decide(black_box(&call.request())).reason());
    });
    let some = calls.get(..scanned).unwrap_or(&calls);
    let scan = Times::of(some, |call| {
        black_box(reference::decide(set.rules(), black_box(&call.request())));
    });
    let name = if mix == Mix::Core {
        Ours::NAME
    } else {
        mix.name()
    };
    Ok(vec![
        Cell::from(mix.name()),
        Cell::Figure(size as f64, 0),
        Cell::Figure(matching as f64 / calls.len().max(1) as f64, 1),
        Cell::Figure(times.mean_us(), 3),
        Cell::Figure(times.quantile_us(0.99), 3),
        Cell::Figure(told.mean_us(), 3),
        micros(scan.mean_us()),
        Cell::Figure(scan.mean_us() / times.mean_us(), 1),
        Cell::Figure(built.as_secs_f64() * 1e3, 1),
        held_mib(held, name, size),
    ])
}

fn same(one: &Decision, other: &Decision) -> bool {
    one.effect == other.effect
        && one.policy_id == other.policy_id
        && one.specificity == other.specificity
        && one.considered == other.considered
        && one.locked == other.locked
        && one.guard == other.guard
        && one.source == other.source
}
