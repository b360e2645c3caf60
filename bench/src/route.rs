//! `route`: how long it takes to find the tool for a token, by the index, by the scan that it must
//! equal, and by the design that clones every descriptor first.

use std::sync::Arc;

use anyhow::{Result, ensure};
use serde_json::{Map, Value, json};
use tipstaff_router::{OpenBreakers, RouteIndex, RouteMode, Score, reference};
use tipstaff_schema::verbs::{Tier, VERBS};
use tipstaff_schema::{
    IntentError, IntentToken, Object, Provenance, Snapshot, SnapshotEntry, ToolDescriptor,
    ToolRoute, Verb,
};

use tipstaff_bench::clock::{Times, once};
use tipstaff_bench::dice::Dice;
use tipstaff_bench::report::{Cell, Report, Table};

const SIZES: &[usize] = &[10, 100, 1_000, 10_000, 100_000];
const TOKENS: usize = 1_000;
/// How many tools the slow designs look at in all; fewer tokens over more tools.
const SCANNED: usize = 2_000_000;
const CLONED: usize = 20_000;

pub(crate) fn run() -> Result<Report> {
    let mut table = Table::new(
        format!("Routing a token, in microseconds ({TOKENS} tokens of four kinds)"),
        [
            "tools",
            "index: mean",
            "p99",
            "index, classic: mean",
            "scan: mean",
            "clone and scan: mean",
            "scan ÷ index",
            "clone ÷ index",
            "index made in ms",
        ],
    );
    for size in SIZES {
        table.row(measure(*size)?);
    }
    let mut report = Report::new("route");
    report.table(table);
    report.note(
        "Every route of the scan was compared with the index's in both modes, and was the same.",
    );
    Ok(report)
}

fn measure(size: usize) -> Result<Vec<Cell>> {
    let mut dice = Dice::new(7);
    let tools = Arc::new(catalog(&mut dice, size));
    let tokens: Vec<IntentToken> = (0..TOKENS).map(|_| token(&mut dice, &tools)).collect();
    let none = OpenBreakers::new();
    let (index, made) = once(|| RouteIndex::new(Arc::clone(&tools)));
    let few = |all: usize| {
        tokens
            .get(..(all / size).clamp(1, TOKENS))
            .unwrap_or(&tokens)
    };
    for token in few(SCANNED) {
        for mode in [RouteMode::Strict, RouteMode::Classic] {
            let (one, other) = (
                index.resolve(mode, token, &none),
                reference::resolve(mode, &tools, token, &none),
            );
            ensure!(said(&one) == said(&other), "{one:?} is not {other:?}");
        }
    }
    let by_index = |mode| {
        Times::of(&tokens, |token| {
            std::hint::black_box(&index.resolve(mode, token, &none));
        })
    };
    let (strict, classic) = (by_index(RouteMode::Strict), by_index(RouteMode::Classic));
    let scan = Times::of(few(SCANNED), |token| {
        std::hint::black_box(&reference::resolve(RouteMode::Strict, &tools, token, &none));
    });
    let (clones, cloning) = (few(CLONED), |token: &IntentToken| {
        std::hint::black_box(clone_and_scan(&tools, token));
    });
    let ((), cloned) = once(|| clones.iter().for_each(cloning));
    let cloned = cloned.as_secs_f64() * 1e6 / clones.len() as f64;
    let mean = strict.mean_us();
    Ok(vec![
        Cell::Figure(size as f64, 0),
        Cell::Figure(mean, 3),
        Cell::Figure(strict.quantile_us(0.99), 3),
        Cell::Figure(classic.mean_us(), 3),
        Cell::Figure(scan.mean_us(), 1),
        Cell::Figure(cloned, 0),
        Cell::Figure(scan.mean_us() / mean, 0),
        Cell::Figure(cloned / mean, 0),
        Cell::Figure(made.as_secs_f64() * 1e3, 1),
    ])
}

fn said(route: &Result<ToolRoute, IntentError>) -> String {
    match route {
        Ok(route) => format!("{route:?}"),
        Err(error) => error.to_string(),
    }
}

/// The design of the system whose tokens these are: the registry hands out clones, and the best of
/// them is the route.
fn clone_and_scan(tools: &Snapshot, token: &IntentToken) -> Option<ToolDescriptor> {
    let all: Vec<ToolDescriptor> = tools
        .entries
        .iter()
        .map(|entry| ToolDescriptor::clone(&entry.descriptor))
        .collect();
    let scored = all
        .into_iter()
        .map(|tool| (Score::of(token, &tool).total(), tool))
        .filter(|(score, _)| *score > 0.0);
    let best = scored.max_by(|(a, _), (b, _)| a.total_cmp(b));
    best.map(|(_, tool)| tool)
}

fn tags(dice: &mut Dice) -> Vec<String> {
    (0..dice.roll(4))
        .map(|_| format!("tag-{}", dice.roll(20)))
        .collect()
}

/// Three of four tools are servers' (2,400 names over a server per 25 tools), the others ours with
/// the verbs of the table. One in fifty may not be called.
fn catalog(dice: &mut Dice, size: usize) -> Snapshot {
    let servers = size.div_ceil(25);
    let entries = (0..size).map(|n| {
        let ours = dice.roll(4) == 0;
        let (id, source, verb) = if ours {
            let verb = &VERBS[dice.roll(VERBS.len())];
            (
                format!("own-{n}"),
                json!({ "kind": "native_backend", "backend": format!("backend-{}", n % 7) }),
                Verb::new(verb.ns, verb.action),
            )
        } else {
            let server = format!("server-{}", dice.roll(servers));
            let name = format!("do_{}_{}", dice.roll(40), dice.roll(60));
            (
                format!("mcp:{server}:{name}_{n}"),
                json!({ "kind": "mcp_server", "server": server }),
                Verb::new("mcp", name),
            )
        };
        let tiers = [Tier::Read, Tier::Write, Tier::Execute, Tier::External];
        let tool = json!({
            "tool_id": id, "source": source, "verb": verb, "capabilities": tags(dice),
            "description": "Does what its name says, to what its parameters name.",
            "input_schema": schema(dice),
        });
        let descriptor: ToolDescriptor =
            serde_json::from_value(tool).expect("a descriptor of our own making");
        SnapshotEntry {
            descriptor: Arc::new(descriptor),
            callable: dice.roll(50) > 0,
            tier: tiers[dice.roll(tiers.len())],
        }
    });
    Snapshot {
        version: 1,
        entries: entries.collect(),
    }
}

/// A schema of 1 to 4 KiB.
fn schema(dice: &mut Dice) -> Value {
    let properties: Map<String, Value> = (0..8 + dice.roll(24))
        .map(|n| {
            let text = "What this parameter is for, at the length that such sentences have.";
            let value = json!({ "type": "string", "description": text, "title": "Parameter" });
            (format!("parameter_{n}"), value)
        })
        .collect();
    json!({ "type": "object", "properties": properties, "additionalProperties": false })
}

/// Of ten tokens six are answered by a tool with tags to spare, two ask for a name in a namespace of
/// their own, one for a tag that is missing, one for nothing that exists.
fn token(dice: &mut Dice, tools: &Snapshot) -> IntentToken {
    let like = &tools.entries[dice.roll(tools.entries.len())].descriptor;
    let kind = dice.roll(10);
    let verb = match kind {
        0..=6 => like.verb.clone(),
        7 | 8 => Verb::new("desk", like.verb.action.clone()),
        _ => Verb::new("desk", "never-heard-of"),
    };
    let mut wanted: Vec<String> = like
        .capabilities
        .iter()
        .filter(|_| dice.roll(2) == 0)
        .cloned()
        .collect();
    if kind == 6 {
        wanted.push("tag-that-nobody-has".to_owned());
    }
    let object = Object {
        kind: "none".to_owned(),
        value: Value::Null,
    };
    let provenance = Provenance::Reflex {
        trigger: "bench".to_owned(),
        raw_input: None,
        ts: chrono::DateTime::UNIX_EPOCH,
    };
    let mut token = IntentToken::new(verb, object, provenance, "bench".to_owned());
    token.required_capabilities = wanted;
    token
}
