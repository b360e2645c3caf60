//! Parameters of calls checked by the schemas of real servers, beside the plain validator; and that
//! every single change of a captured definition moves its pin and is told by the diff.

mod changes;
mod instances;

use std::hint::black_box;
use std::time::Duration;

use anyhow::{Context as _, Result, ensure};
use serde::Deserialize;
use serde_json::Value;
use tipstaff_registry::{
    Catalog, PinMode, Pins, ServerIdentity, Standing, ToolChange, UnknownParams, Validator,
};
use tipstaff_schema::ServerName;

use crate::Common;
use tipstaff_bench::clock::{Times, once};
use tipstaff_bench::data;
use tipstaff_bench::report::{Cell, Report, Table};

/// How often each call is checked, so that p99 rests on thousands.
const ROUNDS: usize = 20;
/// Most faults that ours tells; the plain one is asked for as many.
const MAX_ERRORS: usize = 20;

/// One captured server.
#[derive(Debug, Deserialize)]
pub(crate) struct Capture {
    server: String,
    initialize: Value,
    tools: Vec<Value>,
}

impl Capture {
    /// The server as a gate would know it.
    fn identity(&self) -> ServerIdentity {
        let instructions = self.initialize.get("instructions").and_then(Value::as_str);
        ServerIdentity {
            command: Some(self.server.clone()),
            instructions: instructions.map(str::to_owned),
            ..ServerIdentity::default()
        }
    }
}

fn captures(common: &Common, folder: &str) -> Result<Vec<Capture>> {
    let read = |name: &String| {
        let file = format!("{folder}/{name}");
        let text = data::text(&common.data, &file)?;
        serde_json::from_str(&text).with_context(|| format!("`{file}` is no capture"))
    };
    let names = data::names(&common.data, folder)?;
    names
        .iter()
        .filter(|name| name.ends_with(".json"))
        .map(read)
        .collect()
}

/// One tool's parameters: ours and the plain validator, and what both took to compile.
struct Compiled {
    ours: Validator,
    plain: jsonschema::Validator,
    our_time: Duration,
    plain_time: Duration,
}

fn compile(schema: &Value) -> Result<Compiled> {
    let plain = || {
        jsonschema::options()
            .should_validate_formats(false)
            .build(schema)
    };
    drop((plain(), Validator::compile(schema, UnknownParams::Refuse))); // Warm.
    let (ours, our_time) = once(|| Validator::compile(schema, UnknownParams::Refuse));
    let (plain, plain_time) = once(plain);
    Ok(Compiled {
        ours: ours?,
        plain: plain.context("the plain validator refuses the schema")?,
        our_time,
        plain_time,
    })
}

/// Measures and checks.
///
/// # Errors
/// The data is not there, or a check failed: a tool was refused, a change was not seen.
pub(crate) fn run(common: &Common) -> Result<Report> {
    let servers = captures(common, "mcp-tools")?;
    let mut report = Report::new("validate");
    report.table(offered(&servers)?);
    report.table(changes::table(
        &servers,
        &captures(common, "mcp-tools-drift")?,
    )?);
    let schemas: Vec<&Value> = servers
        .iter()
        .flat_map(|server| &server.tools)
        .map(|tool| tool.get("inputSchema").unwrap_or(&Value::Null))
        .collect();
    let compiled = schemas
        .iter()
        .map(|schema| compile(schema))
        .collect::<Result<Vec<_>>>()?;
    let calls = calls(&schemas, &compiled)?;
    let checked = timed(&compiled, &calls);
    report.table(checked.0);
    report.table(compiling(&compiled, checked.1));
    report.note(format!(
        "{} schemas; {} of the calls are valid and {} are not: a required key is missing, a value has \
         another type, or a key is not declared.",
        schemas.len(),
        calls.valid.len() / ROUNDS,
        calls.invalid.len() / ROUNDS,
    ));
    Ok(report)
}

/// Every captured listing, offered as a server's first one.
fn offered(servers: &[Capture]) -> Result<Table> {
    let mut table = Table::new(
        "Captured listings, offered",
        ["server", "tools", "callable", "refused", "with findings"],
    );
    let mut sums = [0_usize; 4];
    for server in servers {
        let catalog = Catalog::default();
        let name = ServerName::new(server.server.as_str())?;
        let listing = catalog.offer(
            &name,
            &server.identity(),
            &server.tools,
            &Pins::default(),
            PinMode::FirstUse,
        );
        let refused = listing
            .changes
            .iter()
            .filter(|change| matches!(change, ToolChange::Refused { .. }))
            .count();
        let snapshot = catalog.snapshot();
        let callable = snapshot
            .iter()
            .filter(|entry| entry.standing == Standing::Callable)
            .count();
        let noted = snapshot
            .iter()
            .filter(|entry| !entry.findings().is_empty())
            .count();
        let counts = [server.tools.len(), callable, refused, noted];
        ensure!(
            callable == server.tools.len() && refused == 0,
            "of the tools of `{name}`, {refused} are refused and {callable} of {} callable: {:?}",
            server.tools.len(),
            listing
                .changes
                .iter()
                .filter(|change| matches!(change, ToolChange::Refused { .. }))
                .collect::<Vec<_>>(),
        );
        for (sum, count) in sums.iter_mut().zip(counts) {
            *sum += count;
        }
        table.row(cells(&server.server, counts));
    }
    table.row(cells("all", sums));
    Ok(table)
}

pub(crate) fn cells<const N: usize>(name: &str, counts: [usize; N]) -> Vec<Cell> {
    let figure = |count: usize| Cell::Figure(count as f64, 0);
    std::iter::once(Cell::from(name))
        .chain(counts.map(figure))
        .collect()
}

/// Calls by the place of their schema.
struct Calls {
    valid: Vec<(usize, Value)>,
    invalid: Vec<(usize, Value)>,
}

fn calls(schemas: &[&Value], compiled: &[Compiled]) -> Result<Calls> {
    let (mut valid, mut invalid) = (Vec::new(), Vec::new());
    for (index, (schema, compiled)) in schemas.iter().zip(compiled).enumerate() {
        let Some(call) = instances::valid(schema).filter(|call| compiled.plain.is_valid(call))
        else {
            continue;
        };
        if let Err(errors) = compiled.ours.check(&call) {
            anyhow::bail!("ours refuses what the plain validator lets pass: {errors:?} of {call}");
        }
        for wrong in instances::invalid(schema, &call) {
            ensure!(
                compiled.ours.check(&wrong).is_err(),
                "ours lets {wrong} pass by {schema}"
            );
            invalid.push((index, wrong));
        }
        valid.push((index, call));
    }
    ensure!(
        valid.len() * 10 >= schemas.len() * 9,
        "only {} of {} schemas have a generated call",
        valid.len(),
        schemas.len()
    );
    Ok(Calls {
        valid: repeated(valid),
        invalid: repeated(invalid),
    })
}

fn repeated<T: Clone>(list: Vec<T>) -> Vec<T> {
    let count = list.len() * ROUNDS;
    list.into_iter().cycle().take(count).collect()
}

/// The timings, and the mean of ours on valid calls in µs.
fn timed(compiled: &[Compiled], calls: &Calls) -> (Table, f64) {
    let of = |index: usize| &compiled[index];
    let ours = |(index, call): &(usize, Value)| drop(black_box(of(*index).ours.check(call)));
    let plain = |(index, call): &(usize, Value)| {
        black_box(of(*index).plain.is_valid(call));
    };
    let told = |(index, call): &(usize, Value)| {
        let errors = of(*index).plain.iter_errors(call).take(MAX_ERRORS);
        drop(black_box(
            errors.map(|error| error.to_string()).collect::<Vec<_>>(),
        ));
    };
    let mut table = Table::new(
        "One check of one call, µs",
        ["calls", "validator", "mean", "p50", "p99"],
    );
    let mut row = |calls: &str, validator: &str, times: &Times| {
        let figure = |value: f64| Cell::Figure(value, 2);
        table.row([
            Cell::from(calls),
            Cell::from(validator),
            figure(times.mean_us()),
            figure(times.quantile_us(0.5)),
            figure(times.quantile_us(0.99)),
        ]);
    };
    let first = Times::of(&calls.valid, ours);
    row("valid", "ours: bounds, undeclared keys, schema", &first);
    row(
        "valid",
        "plain jsonschema, yes or no",
        &Times::of(&calls.valid, plain),
    );
    row(
        "invalid",
        "ours: every fault, placed and cleaned",
        &Times::of(&calls.invalid, ours),
    );
    row(
        "invalid",
        "plain jsonschema, yes or no",
        &Times::of(&calls.invalid, plain),
    );
    row(
        "invalid",
        "plain jsonschema, every fault as text",
        &Times::of(&calls.invalid, told),
    );
    (table, first.mean_us())
}

fn compiling(compiled: &[Compiled], check_us: f64) -> Table {
    let mut table = Table::new(
        "Compiling one schema, once, when its tool is listed, µs",
        ["validator", "mean", "longest", "in checks of a valid call"],
    );
    let mut row = |name: &str, times: Vec<Duration>| {
        let micros = |time: &Duration| time.as_secs_f64() * 1e6;
        let mean = times.iter().map(micros).sum::<f64>() / times.len().max(1) as f64;
        let longest = times.iter().map(micros).fold(0.0, f64::max);
        table.row([
            Cell::from(name),
            Cell::Figure(mean, 0),
            Cell::Figure(longest, 0),
            Cell::Figure(mean / check_us, 0),
        ]);
    };
    row("ours", compiled.iter().map(|one| one.our_time).collect());
    row(
        "plain jsonschema",
        compiled.iter().map(|one| one.plain_time).collect(),
    );
    table
}
