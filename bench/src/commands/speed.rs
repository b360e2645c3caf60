//! How quickly a command is taken apart and decided, and how large the table of programs is.

use std::hint::black_box;

use serde_json::Value;
use tipstaff_command::{ProgramTable, plan};

use super::judge::Judge;
use super::rows::Data;
use super::{Cell, Table, count};
use tipstaff_bench::clock::Times;

const TABLE: &str = include_str!("../../../crates/command/data/programs.json");

pub(super) fn table(judge: &Judge, data: &Data) -> Table {
    let commands = data.of("tldr");
    let programs = ProgramTable::builtin();
    let planned = Times::of(&commands, |command| {
        black_box(plan(command, Some("/srv/repo"), programs));
    });
    let decided = Times::of(&commands, |command| {
        black_box(judge.decide(command));
    });
    let mut table = Table::new(
        "tldr, on one core",
        ["what", "commands/s", "mean, µs", "p99, µs", "target"],
    );
    for (name, times, target) in [
        ("taken apart: plan and effects", planned, "≥ 20,000/s"),
        ("decided: the gate's whole answer", decided, ""),
    ] {
        table.row([
            name.into(),
            Cell::Figure(1e6 / times.mean_us(), 0),
            Cell::Figure(times.mean_us(), 1),
            Cell::Figure(times.quantile_us(0.99), 1),
            target.into(),
        ]);
    }
    table
}

/// The size of the table of programs: what the figures above rest on.
pub(super) fn size() -> Table {
    let value: Value = serde_json::from_str(TABLE).unwrap_or_default();
    let of = |section: &str| {
        value
            .get(section)
            .and_then(Value::as_object)
            .map_or(0, |s| s.len())
    };
    let programs = value.get("programs").and_then(Value::as_object);
    let (mut subs, mut flags) = (0, 0);
    for program in programs.into_iter().flat_map(|programs| programs.values()) {
        add(program, &mut subs, &mut flags);
    }
    let mut table = Table::new("The table of programs", ["what", "how many"]);
    for (name, n) in [
        ("programs", of("programs")),
        ("subcommands", subs),
        ("flags", flags),
        ("wrappers", of("wrappers")),
        ("programs of another language or machine", of("foreign")),
        ("bytes", TABLE.len()),
    ] {
        table.row([name.into(), count(n)]);
    }
    table
}

fn add(program: &Value, subs: &mut usize, flags: &mut usize) {
    let words = |key: &str| {
        let text = program.get(key).and_then(Value::as_str);
        text.map_or(0, |text| text.split_whitespace().count())
    };
    let keys = |key: &str| {
        program
            .get(key)
            .and_then(Value::as_object)
            .map_or(0, |map| map.len())
    };
    *flags += words("flags") + words("attached") + keys("values") + keys("acts");
    for sub in program
        .get("sub")
        .and_then(Value::as_object)
        .into_iter()
        .flat_map(|sub| sub.values())
    {
        *subs += 1;
        add(sub, subs, flags);
    }
}
