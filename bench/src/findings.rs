//! `findings`: how many poisoned texts the registry's findings tell of, and how many honest ones.
//!
//! Rules were written looking at the texts of one half of the sources; the other half is told apart.
//! Which half a source is in follows from its name alone.

use std::collections::BTreeMap;
use std::time::Duration;

use anyhow::Result;
use serde::Deserialize;
use sha2::{Digest as _, Sha256};
use tipstaff_registry::{FindingKind, findings};

use crate::Common;
use tipstaff_bench::clock::{Times, once};
use tipstaff_bench::data;
use tipstaff_bench::report::{Cell, Report, Table};

#[derive(Debug, Deserialize)]
struct Row {
    text: String,
    source: String,
    channel: String,
    kind: Option<String>,
    label: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Half {
    Development,
    HeldOut,
}

impl Row {
    /// What is in one half or the other as a whole: the project that a text comes from; of the
    /// synthetic ones, which share a project, each template.
    fn unit(&self) -> &str {
        match &self.kind {
            Some(kind) if self.source.starts_with("synthetic") => kind,
            Some(_) | None => self.source.split('/').next().unwrap_or(&self.source),
        }
    }

    fn half(&self) -> Half {
        if Sha256::digest(self.unit().as_bytes())[0] % 2 == 0 {
            Half::Development
        } else {
            Half::HeldOut
        }
    }

    fn is_attack(&self) -> bool {
        self.label == "attack"
    }
}

/// How many of how many.
#[derive(Debug, Clone, Copy, Default)]
struct Count {
    told: usize,
    all: usize,
}

impl Count {
    fn add(&mut self, told: bool) {
        self.told += usize::from(told);
        self.all += 1;
    }

    fn cells(self, digits: usize) -> [Cell; 3] {
        let Self { told, all } = self;
        if all == 0 {
            return [Cell::Empty, Cell::Empty, Cell::Empty];
        }
        let (low, high) = self.wilson();
        [
            Cell::Text(format!("{told} of {all}")),
            Cell::Figure(told as f64 / all as f64 * 100.0, digits),
            Cell::Text(format!(
                "{:.digits$} – {:.digits$}",
                low * 100.0,
                high * 100.0
            )),
        ]
    }

    /// Wilson's interval at 95 %.
    fn wilson(self) -> (f64, f64) {
        let (z, n) = (1.96_f64, self.all as f64);
        let p = self.told as f64 / n;
        let centre = (p + z * z / (2.0 * n)) / (1.0 + z * z / n);
        let half = z / (1.0 + z * z / n) * (p * (1.0 - p) / n + z * z / (4.0 * n * n)).sqrt();
        ((centre - half).max(0.0), (centre + half).min(1.0))
    }
}

pub(crate) fn run(common: &Common) -> Result<Report> {
    let (_, first) = once(|| std::hint::black_box(findings("a").len()));
    let mut rows: Vec<Row> = data::lines(&common.data, "injection/attack.jsonl")?;
    rows.extend(data::lines::<Row>(&common.data, "injection/benign.jsonl")?);
    let mut report = Report::new("findings");
    report.table(channels(&rows));
    report.table(families(&rows));
    report.table(constructed(&rows));
    report.table(speed(&rows, first));
    Ok(report)
}

fn name(half: Half) -> Cell {
    match half {
        Half::Development => "development",
        Half::HeldOut => "held out",
    }
    .into()
}

fn channels(rows: &[Row]) -> Table {
    let mut counts: BTreeMap<(String, Option<Half>), [Count; 4]> = BTreeMap::new();
    for row in rows {
        let found = findings(&row.text);
        let told = !found.is_empty();
        let seen = found.iter().any(|one| one.kind != FindingKind::Hidden);
        let is_asb = row.unit() == "ASB";
        for half in [Some(row.half()), None] {
            let [attack, other, unhidden, honest] =
                counts.entry((row.channel.clone(), half)).or_default();
            if row.is_attack() {
                attack.add(told);
                unhidden.add(seen);
                if !is_asb {
                    other.add(told);
                }
            } else {
                honest.add(told);
            }
        }
    }
    let mut table = Table::new(
        "Texts told of, by channel and half of the sources",
        [
            "channel",
            "half",
            "attacks",
            "%",
            "95 %",
            "without ASB",
            "%",
            "95 %",
            "hidden characters not looked for: %",
            "honest texts",
            "%",
            "95 %",
        ],
    );
    for ((channel, half), [attack, other, unhidden, honest]) in counts {
        let half = half.map_or(Cell::from("both"), name);
        let [_, without_hidden, _] = unhidden.cells(1);
        let cells = [Cell::Text(channel), half]
            .into_iter()
            .chain(attack.cells(1))
            .chain(other.cells(1))
            .chain([without_hidden])
            .chain(honest.cells(2));
        table.row(cells);
    }
    table
}

fn families(rows: &[Row]) -> Table {
    let mut counts: BTreeMap<(bool, Half, String, String, String), Count> = BTreeMap::new();
    for row in rows {
        let key = (
            !row.is_attack(),
            row.half(),
            row.channel.clone(),
            row.source.clone(),
            row.kind.clone().unwrap_or_default(),
        );
        let told = !findings(&row.text).is_empty();
        counts.entry(key).or_default().add(told);
    }
    let columns = [
        "texts", "half", "channel", "source", "kind", "told of", "%", "95 %",
    ];
    let mut table = Table::new("Texts told of, by family", columns);
    for ((honest, half, channel, source, kind), count) in counts {
        let label = if honest { "honest" } else { "attack" };
        let cells = [
            label.into(),
            name(half),
            Cell::Text(channel),
            Cell::Text(source),
            if kind.is_empty() {
                Cell::Empty
            } else {
                Cell::Text(kind)
            },
        ];
        table.row(cells.into_iter().chain(count.cells(1)));
    }
    table
}

/// What must be found wherever it stands: put into honest descriptions at three places.
fn constructed(rows: &[Row]) -> Table {
    const FAMILIES: &[(&str, &[&str])] = &[
        (
            "invisible",
            &["\u{200b}", "\u{feff}", "\u{2060}", "\u{ad}", "\u{180e}"],
        ),
        (
            "bidi",
            &["\u{202e}", "\u{202a}", "\u{2066}", "\u{2069}", "\u{200f}"],
        ),
        ("tags", &["\u{e0041}", "\u{e0001}", "\u{e007f}"]),
        (
            "markup",
            &[
                "<IMPORTANT>now</IMPORTANT>",
                "<system>",
                "<span style='display:none'>",
            ],
        ),
        (
            "role marks",
            &[
                "<|im_start|>",
                "[INST]",
                "<<SYS>>",
                "\nSystem: ",
                "\n\nAssistant: ",
            ],
        ),
        ("HTML comments", &["<!-- -->", "<!--x"]),
    ];
    let honest: Vec<&str> = rows
        .iter()
        .filter(|row| !row.is_attack() && row.channel == "tool_description")
        .map(|row| row.text.as_str())
        .filter(|text| findings(text).is_empty())
        .take(500)
        .collect();
    let mut table = Table::new(
        format!(
            "Families owned by construction, put into {} honest descriptions at three places",
            honest.len()
        ),
        ["family", "told of", "%", "95 %"],
    );
    for (family, marks) in FAMILIES {
        let mut count = Count::default();
        for (text, mark) in honest
            .iter()
            .flat_map(|text| marks.iter().map(move |mark| (text, mark)))
        {
            let middle = text.char_indices().nth(text.chars().count() / 2);
            for at in [0, middle.map_or(0, |(at, _)| at), text.len()] {
                let (head, tail) = text.split_at(at);
                count.add(!findings(&format!("{head}{mark}{tail}")).is_empty());
            }
        }
        table.row([Cell::from(*family)].into_iter().chain(count.cells(2)));
    }
    table
}

fn speed(rows: &[Row], first: Duration) -> Table {
    let descriptions: Vec<&Row> = rows
        .iter()
        .filter(|row| row.channel == "tool_description")
        .collect();
    let bytes: usize = descriptions.iter().map(|row| row.text.len()).sum();
    let times = Times::of(&descriptions, |row| {
        std::hint::black_box(&findings(&row.text));
    });
    let seconds = times.mean_us() * descriptions.len() as f64 / 1e6;
    let long = descriptions
        .iter()
        .cycle()
        .take(20 * descriptions.len())
        .map(|row| row.text.as_str());
    let long: String = long
        .take_while({
            let mut left = 1 << 20;
            move |text| {
                left -= i64::try_from(text.len()).unwrap_or(i64::MAX);
                left > 0
            }
        })
        .collect();
    let (_, whole) = once(|| std::hint::black_box(findings(&long).len()));
    let mut table = Table::new("Speed", ["texts", "MB/s", "µs a text: median", "p99"]);
    table.row([
        Cell::Text(format!("{} descriptions", descriptions.len())),
        Cell::Figure(bytes as f64 / 1e6 / seconds, 1),
        Cell::Figure(times.quantile_us(0.5), 1),
        Cell::Figure(times.quantile_us(0.99), 1),
    ]);
    table.row([
        "one text of 1 MiB".into(),
        Cell::Figure(long.len() as f64 / 1e6 / whole.as_secs_f64(), 1),
    ]);
    table.row([
        "the first of a process, with the table made".into(),
        Cell::Empty,
        Cell::Figure(first.as_secs_f64() * 1e6, 0),
    ]);
    table
}
