//! Canonical JSON with its digest, the strict reader, and the cleaning of untrusted text.
//!
//! The inputs are made here: calls of the shape that file, shell and web tools take, none of them
//! equal to another, and texts as servers send them, honest and hostile.

use std::hint::black_box;

use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};
use tipstaff_schema::sanitization::{
    render_tool_output_for_prompt, sanitize, sanitize_for_display,
};
use tipstaff_schema::{Digest, Domain, canonical, legacy, parse_strict};

use crate::quiet::Quiet;
use tipstaff_bench::report::{Cell, Report, Table};

/// How often all rows of a table are timed in turn.
const TURNS: usize = 4;

/// What a row measures.
type Work<'a, I> = (&'static str, Box<dyn FnMut(&I) + 'a>);

/// The whole bench.
pub(crate) fn run() -> Report {
    let mut report = Report::new("canon");
    report.table(digests());
    report.table(reading());
    report.table(cleaning());
    report.note(
        "Ours keeps all digits of 64-bit integers; both peers write them as doubles, so that \
         9007199254740993 and 9007199254740992 become one text, and `serde_json` alone neither \
         sorts keys once some crate switches on `preserve_order` nor writes numbers as the RFC does. \
         The digest's share is the row `SHA-256 alone`: a processor without SHA instructions takes \
         some five times as long for it.",
    );
    report
}

/// A call's parameters of about so many bytes; no two indexes give the same.
fn params(bytes: usize, index: usize) -> Value {
    let mut value = json!({
        "path": format!("/srv/data/projects/{index}/notes.md"),
        "mode": 420, "append": index.is_multiple_of(2), "line": index * 7919,
    });
    let mut step = 0;
    while value.to_string().len() < bytes {
        let (key, more) = match step % 5 {
            0 => (
                "content",
                json!(format!(
                    "line {step}: the \"quick\" fox\n\tjumps over {index}"
                )),
            ),
            1 => (
                "edits",
                json!([{ "oldText": "let a = 1;", "newText": "let b = 2;", "dryRun": false }]),
            ),
            2 => (
                "headers",
                json!({ "accept": "application/json", "x-request-id": index * 31 + step }),
            ),
            3 => ("threshold", json!(0.25 + (index % 97) as f64 / 128.0)),
            _ => (
                "tags",
                json!([
                    "größe",
                    "naïve",
                    "ci",
                    null,
                    true,
                    18_446_744_073_709_551_615_u64
                ]),
            ),
        };
        value[format!("{key}{step}")] = more;
        step += 1;
    }
    value
}

fn inputs(bytes: usize) -> Vec<Value> {
    let count = if bytes > 4096 { 8 } else { 64 };
    (0..count).map(|index| params(bytes, index)).collect()
}

const SIZES: [(&str, usize); 3] = [("100 B", 60), ("1 KiB", 960), ("16 KiB", 16_200)];

fn digests() -> Table {
    let columns = [
        "",
        "100 B, µs",
        "1 KiB, µs",
        "p99, µs",
        "16 KiB, µs",
        "1 KiB, times ours",
    ];
    let mut table = Table::new("From a value to its digest, mean", columns);
    let sets: Vec<Vec<Value>> = SIZES.iter().map(|(_, bytes)| inputs(*bytes)).collect();
    let work: [Work<'_, Value>; 9] = [
        (
            "ours: canonical text and digest",
            Box::new(|value| drop(black_box(Digest::of(Domain::Params, value)))),
        ),
        (
            "serde_json_canonicalizer, then SHA-256",
            Box::new(|value| {
                let text = serde_json_canonicalizer::to_vec(value).unwrap_or_default();
                black_box(Sha256::digest(text));
            }),
        ),
        (
            "serde_jcs, then SHA-256",
            Box::new(|value| {
                let text = serde_jcs::to_vec(value).unwrap_or_default();
                black_box(Sha256::digest(text));
            }),
        ),
        (
            "serde_json::to_vec, then SHA-256 (not canonical)",
            Box::new(|value| {
                let text = serde_json::to_vec(value).unwrap_or_default();
                black_box(Sha256::digest(text));
            }),
        ),
        (
            "ours: canonical text alone",
            Box::new(|value| drop(black_box(canonical(value)))),
        ),
        (
            "serde_json_canonicalizer alone",
            Box::new(|value| drop(black_box(serde_json_canonicalizer::to_vec(value)))),
        ),
        (
            "serde_jcs alone",
            Box::new(|value| drop(black_box(serde_jcs::to_vec(value)))),
        ),
        (
            "serde_json::to_vec alone",
            Box::new(|value| drop(black_box(serde_json::to_vec(value)))),
        ),
        (
            "ours: the older system's hash (`compat`)",
            Box::new(|value| {
                drop(black_box(legacy::noema_hash(
                    "m1",
                    "file.write",
                    "/tmp/x",
                    value,
                )))
            }),
        ),
    ];
    let mut ours = None;
    for (name, times) in measure(&sets, work) {
        row(&mut table, &mut ours, name, &times);
    }
    let texts: Vec<Vec<Vec<u8>>> = sets
        .iter()
        .map(|set| {
            set.iter()
                .map(|value| value.to_string().into_bytes())
                .collect()
        })
        .collect();
    let hash = |set: &Vec<Vec<u8>>| {
        Quiet::of(set, |text| {
            black_box(Sha256::digest(text));
        })
    };
    let times: Vec<Quiet> = texts.iter().map(hash).collect();
    row(&mut table, &mut ours, "SHA-256 alone", &times);
    table
}

/// Times each work on each set, all of them in turn and that several times over: what disturbs the
/// machine for a while does not fall on one row alone.
fn measure<'a, I>(
    sets: &[Vec<I>],
    work: impl IntoIterator<Item = Work<'a, I>>,
) -> Vec<(&'static str, Vec<Quiet>)> {
    let mut work: Vec<Work<'a, I>> = work.into_iter().collect();
    let mut all: Vec<(&'static str, Vec<Quiet>)> = Vec::new();
    for turn in 0..TURNS {
        for (index, (name, run)) in work.iter_mut().enumerate() {
            let times = sets.iter().map(|set| Quiet::of(set, &mut *run));
            match all.get_mut(index).filter(|_| turn > 0) {
                Some((_, before)) => {
                    let pairs = before.drain(..).zip(times);
                    *before = pairs.map(|(one, other)| one.or(other)).collect();
                }
                None => all.push((name, times.collect())),
            }
        }
    }
    all
}

/// A row of three sizes; the second, of 1 KiB, is compared with the table's first row.
fn row(table: &mut Table, ours: &mut Option<f64>, name: &str, times: &[Quiet]) {
    let [small, middle, large] = times else {
        return;
    };
    let first = *ours.get_or_insert(middle.mean_us());
    table.row([
        Cell::from(name),
        Cell::Figure(small.mean_us(), 2),
        Cell::Figure(middle.mean_us(), 2),
        Cell::Figure(middle.quantile_us(0.99), 2),
        Cell::Figure(large.mean_us(), 1),
        Cell::Figure(middle.mean_us() / first, 2),
    ]);
}

fn reading() -> Table {
    let columns = [
        "",
        "100 B, µs",
        "1 KiB, µs",
        "p99, µs",
        "16 KiB, µs",
        "1 KiB, times ours",
    ];
    let mut table = Table::new("From text to a value, mean", columns);
    let texts: Vec<Vec<Vec<u8>>> = SIZES
        .iter()
        .map(|(_, bytes)| {
            inputs(*bytes)
                .iter()
                .map(|value| value.to_string().into_bytes())
                .collect()
        })
        .collect();
    let work: [Work<'_, Vec<u8>>; 2] = [
        (
            "ours: the strict reader",
            Box::new(|text| drop(black_box(parse_strict(text)))),
        ),
        (
            "serde_json::from_slice (takes equal keys and inexact numbers)",
            Box::new(|text| drop(black_box(serde_json::from_slice::<Value>(text)))),
        ),
    ];
    let mut ours = None;
    for (name, times) in measure(&texts, work) {
        row(&mut table, &mut ours, name, &times);
    }
    table
}

/// Texts of 16 KiB: name and text.
fn texts() -> Vec<(&'static str, String)> {
    let long = |piece: &str| piece.repeat((16 << 10) / piece.len() + 1);
    vec![
        (
            "ASCII",
            long("Reads a file and gives its text.\n\tpath: where it lies; limit: how much.\n"),
        ),
        (
            "letters of many scripts",
            long("Größe naïve, 世界 хорошо, می\u{200c}خواهم 👍🏽 ❤\u{fe0f}.\n"),
        ),
        (
            "hostile",
            long(
                "\u{1b}[31mred\u{1b}[0m \u{1b}]8;;http://x.test\u{1b}\\link\u{7} a\u{200b}b \u{202e}cba\u{202c} \
                 \u{e0049}\u{e0047}\u{e004e} ❤\u{fe0f}\u{fe0f}\u{fe00} \u{feff}~~~~~~\u{90}q\n\u{e000}\u{378}x\u{85}",
            ),
        ),
    ]
}

fn cleaning() -> Table {
    let columns = [
        "16 KiB of",
        "cleaned, MB/s",
        "for a prompt, MB/s",
        "for a display, MB/s",
    ];
    let mut table = Table::new("Cleaning of untrusted text, input a second", columns);
    for (name, text) in texts() {
        let set = vec![text; 2];
        let speed = |run: &mut dyn FnMut(&String)| {
            let bytes = set.first().map_or(0, String::len) as f64;
            Cell::Figure(bytes / Quiet::of(&set, run).mean_us(), 0)
        };
        table.row([
            Cell::from(name),
            speed(&mut |text| drop(black_box(sanitize(text)))),
            speed(&mut |text| {
                drop(black_box(render_tool_output_for_prompt(
                    "files:read",
                    text,
                    "k7",
                    usize::MAX,
                )));
            }),
            speed(&mut |text| drop(black_box(sanitize_for_display(text)))),
        ]);
    }
    table
}
