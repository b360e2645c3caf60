//! `triage`: which of many rules match one answer, by the index and by the scan that it must equal;
//! and the first page of a long worklist.

use anyhow::{Context as _, Result, ensure};
use chrono::{DateTime, TimeDelta, Utc};
use serde_json::{Value, json};
use tipstaff_journal::{Event, Stream, StreamKind};
use tipstaff_schema::{AgentId, Digest, Domain, Role};
use tipstaff_triage::events::{KeptAnswer, Opened};
use tipstaff_triage::{
    AnswerFacts, BusinessCalendar, Calendar as _, DeadlineSpec, OnExpiry, Priority, TaskEvent,
    TaskQuery, TaskStatus, Tasks, TriageSet, task_id,
};
use uuid::Uuid;

use tipstaff_bench::clock::{Times, once};
use tipstaff_bench::report::{Cell, Report, Table};

const SIZES: [usize; 4] = [10, 100, 1_000, 10_000];
/// How many answers are judged; they differ in their values.
const ANSWERS: usize = 64;
const TASKS: usize = 100_000;
const ROWS: usize = 100;

pub(crate) fn run() -> Result<Report> {
    let calendar = BusinessCalendar::usual();
    let mut rules = Table::new(
        "Judging one answer of 10 KiB, in microseconds (mean)",
        [
            "rules",
            "workload",
            "candidates",
            "match",
            "index",
            "p99",
            "scan",
            "scan ÷ index",
            "with tasks made",
            "index made in ms",
        ],
    );
    for size in SIZES {
        for workload in [Workload::Mixed, Workload::OnePointer, Workload::Thresholds] {
            rules.row(measure(size, workload, &calendar)?);
        }
    }
    for workload in [Workload::All, Workload::AllTwice] {
        rules.row(measure(10_000, workload, &calendar)?);
    }
    let mut report = Report::new("triage");
    report.table(rules);
    report.table(worklist(&calendar)?);
    report.note(format!(
        "Every answer's matches by the index were compared with the scan's, and were the same. The worklist: {TASKS} open tasks of 100 rules and 50 roles, pages of {ROWS} rows."
    ));
    Ok(report)
}

/// What the rules look at.
#[derive(Debug, Clone, Copy)]
enum Workload {
    /// One to three conditions of all kinds over some 300 pointers.
    Mixed,
    /// Each rule waits for another value at the same pointer.
    OnePointer,
    /// Each rule has another bound on the same number: of ten thousand nine in ten hold, of a hundred none.
    Thresholds,
    /// Every rule matches.
    All,
    /// Every rule matches, by two conditions.
    AllTwice,
}

impl Workload {
    const fn name(self) -> &'static str {
        match self {
            Self::Mixed => "mixed conditions",
            Self::OnePointer => "one pointer, a value each",
            Self::Thresholds => "one number, a bound each",
            Self::All => "every rule matches",
            Self::AllTwice => "the same by two conditions",
        }
    }

    fn when(self, dice: &mut Dice, n: usize) -> Value {
        match self {
            Self::Mixed => (0..=dice.roll(3)).map(|_| condition(dice)).collect(),
            Self::OnePointer => {
                json!([{ "path": "/report/asset/id", "equals": format!("T-{n}") }])
            }
            Self::Thresholds => json!([{ "path": "/report/days_left", "at_most": n as i64 - 990 }]),
            Self::All => json!([{ "path": "/report/status", "exists": true }]),
            Self::AllTwice => json!([
                { "path": "/report/status", "exists": true },
                { "path": "/report/days_left", "at_least": 0 },
            ]),
        }
    }
}

fn condition(dice: &mut Dice) -> Value {
    let station = format!("/report/stations/{}", dice.roll(40));
    match dice.roll(6) {
        0 => {
            json!({ "path": format!("{station}/state"), "equals": STATES[dice.roll(STATES.len())] })
        }
        1 => {
            json!({ "path": format!("{station}/operator"), "equals": format!("team-{}", dice.roll(200)) })
        }
        2 => json!({ "path": format!("{station}/load"), "at_least": 90 + dice.roll(20) }),
        3 => {
            json!({ "path": format!("{station}/tags/{}", dice.roll(4)), "in": [format!("tag-{}", dice.roll(60)), "none"] })
        }
        4 => json!({ "path": "/report/asset/id", "equals": format!("T-{}", dice.roll(10_000)) }),
        _ => json!({ "path": format!("{station}/alarm"), "exists": true }),
    }
}

const STATES: [&str; 5] = ["ok", "late", "BREACH", "closed", "unknown"];

/// A report over forty stations, some 10 KiB of JSON.
fn answer(dice: &mut Dice) -> Value {
    let station = |dice: &mut Dice, n: usize| {
        let mut station = json!({
            "name": format!("Umspannwerk {n}"),
            "state": STATES[dice.roll(3)],
            "operator": format!("team-{}", dice.roll(200)),
            "load": dice.roll(100),
            "tags": (0..dice.roll(5)).map(|_| format!("tag-{}", dice.roll(60))).collect::<Vec<_>>(),
            "readings": (0..8).map(|_| dice.roll(100_000)).collect::<Vec<_>>(),
            "remark": "measured by the usual method; see the protocol of the month",
        });
        if dice.roll(20) == 0 {
            station["alarm"] = json!(true);
        }
        station
    };
    let stations: Vec<Value> = (0..40).map(|n| station(dice, n)).collect();
    json!({ "report": {
        "status": "BREACH",
        "days_left": dice.roll(20),
        "asset": { "id": format!("T-{}", dice.roll(10_000)) },
        "stations": stations,
    } })
}

fn rules(dice: &mut Dice, size: usize, workload: Workload) -> Result<Value> {
    let mut rules = Vec::with_capacity(size);
    // Conditions that contradict each other are refused when they are loaded; such a draw is drawn anew.
    while rules.len() < size {
        let n = rules.len();
        let rule = json!({
            "name": format!("rule {n}"),
            "when": workload.when(dice, n),
            "audience": ["grid"],
            "summary": "look at {/report/asset/id}",
            "deadline": { "name": "d", "kind": "working-days", "params": { "n": 1 + n % 5 } },
        });
        let one = serde_json::from_value(json!([rule])).context("a rule")?;
        if TriageSet::new(one, &BusinessCalendar::usual()).is_ok() {
            rules.push(rule);
        }
    }
    Ok(Value::Array(rules))
}

fn measure(size: usize, workload: Workload, calendar: &BusinessCalendar) -> Result<Vec<Cell>> {
    let mut dice = Dice(11);
    let wires = serde_json::from_value(rules(&mut dice, size, workload)?)?;
    let (set, made) = once(|| TriageSet::new(wires, calendar));
    let set = set.map_err(|errors| anyhow::anyhow!("{errors:?}"))?;
    let answers: Vec<Value> = (0..ANSWERS).map(|_| answer(&mut dice)).collect();
    let bytes: usize = answers.iter().map(|answer| answer.to_string().len()).sum();
    ensure!(
        (9_000..12_000).contains(&(bytes / ANSWERS)),
        "answers have {} bytes",
        bytes / ANSWERS
    );
    let agent = AgentId::new("grid-agent")?;
    let facts: Vec<AnswerFacts<'_>> = answers.iter().map(|answer| facts(&agent, answer)).collect();
    let (mut matched, mut candidates) = (0, 0);
    for facts in &facts {
        let by_index: Vec<&str> = set.matching(facts).map(|rule| rule.name.as_str()).collect();
        let by_scan: Vec<&str> = set
            .matching_by_scan(facts)
            .map(|rule| rule.name.as_str())
            .collect();
        ensure!(by_index == by_scan, "{by_index:?} is not {by_scan:?}");
        matched += by_index.len();
        candidates += set.candidates(facts.answer);
    }
    let index = Times::of(&facts, |facts| {
        std::hint::black_box(set.matching(facts).count());
    });
    let scan = Times::of(&facts, |facts| {
        std::hint::black_box(set.matching_by_scan(facts).count());
    });
    // Ten thousand tasks an answer take their time: a few answers say as much.
    let few = facts.get(..4).unwrap_or(&facts);
    let tasks = Times::of(few, |facts| {
        std::hint::black_box(set.judge(facts, calendar));
    });
    let each = |count: usize| Cell::Figure(count as f64 / ANSWERS as f64, 1);
    Ok(vec![
        Cell::Figure(size as f64, 0),
        workload.name().into(),
        each(candidates),
        each(matched),
        Cell::Figure(index.mean_us(), 1),
        Cell::Figure(index.quantile_us(0.99), 1),
        Cell::Figure(scan.mean_us(), 1),
        Cell::Figure(scan.mean_us() / index.mean_us(), 0),
        Cell::Figure(tasks.mean_us(), 1),
        Cell::Figure(made.as_secs_f64() * 1e3, 1),
    ])
}

fn facts<'a>(agent: &'a AgentId, answer: &'a Value) -> AnswerFacts<'a> {
    AnswerFacts {
        call_id: Uuid::from_u128(1),
        correlation: None,
        tool_name: "grid:report",
        tool_id: "mcp:grid:report",
        agent,
        answer,
        at: start(),
    }
}

fn start() -> DateTime<Utc> {
    DateTime::from_timestamp(1_790_000_000, 0).unwrap_or_default()
}

/// What narrows a page.
type Narrow<'a> = &'a dyn Fn(&mut TaskQuery);

fn worklist(calendar: &BusinessCalendar) -> Result<Table> {
    let mut dice = Dice(5);
    let events = (0..TASKS)
        .map(|n| event(&mut dice, n, calendar))
        .collect::<Result<Vec<Event>>>()?;
    let mut tasks = Tasks::new();
    let (folded, took) = once(|| events.iter().try_for_each(|event| tasks.apply(event)));
    folded?;
    let mut table = Table::new(
        "A worklist of 100,000 open tasks, in milliseconds",
        ["what", "rows", "mean", "p99"],
    );
    let fold_ms = took.as_secs_f64() * 1e3;
    let row = |what: &str, rows: usize, mean: f64, p99: Cell| {
        vec![
            what.into(),
            Cell::Figure(rows as f64, 0),
            Cell::Figure(mean, 3),
            p99,
        ]
    };
    let everything = |_: &mut TaskQuery| {};
    let role = Role::new("role-7")?;
    let far = tasks.page(&TaskQuery {
        limit: TASKS / 2,
        ..TaskQuery::default()
    });
    let far = far.last().map(|task| task.id);
    let whole = tasks.page(&TaskQuery {
        limit: TASKS,
        ..TaskQuery::default()
    });
    let last = whole.last().map(|task| task.summary.clone());
    let queries: [(&str, Narrow<'_>); 11] = [
        ("the first page", &everything),
        ("the page in the middle", &|query| query.cursor = far),
        ("the first page of one role in 50", &|query| {
            query.roles = Some(vec![role.clone()])
        }),
        ("the first page of one rule in 100", &|query| {
            query.kind = Some("agent.triage/rule-7".to_owned())
        }),
        ("the first page of what is overdue (one in 10)", &|query| {
            query.overdue_at = Some(start())
        }),
        ("the first page of what is claimed (none)", &|query| {
            query.statuses = vec![TaskStatus::Claimed]
        }),
        ("the first page of one role and one rule", &|query| {
            query.roles = Some(vec![role.clone()]);
            query.kind = Some("agent.triage/rule-7".to_owned());
        }),
        (
            "the first page of a text that one in a hundred has",
            &|query| query.text = Some("T-77".to_owned()),
        ),
        (
            "the first page of a text that only the last one has",
            &|query| query.text = last.clone(),
        ),
        ("a text that nobody has", &|query| {
            query.text = Some("nowhere".to_owned())
        }),
        ("a long text that nobody has", &|query| {
            query.text = Some("deadline missed for T-100000 and for all others".to_owned())
        }),
    ];
    for (what, change) in queries {
        let mut query = TaskQuery {
            limit: ROWS,
            ..TaskQuery::default()
        };
        change(&mut query);
        let found = tasks.page(&query).len();
        let times = Times::of(&[(); 20], |()| {
            std::hint::black_box(tasks.page(&query).len());
        });
        let p99 = Cell::Figure(times.quantile_us(0.99) / 1e3, 3);
        table.row(row(what, found, times.mean_us() / 1e3, p99));
    }
    let of_role = [role.clone()];
    let counted: [(&str, Option<&[Role]>); 2] = [
        ("counts by state and of what is overdue", None),
        ("the same of one role in 50", Some(&of_role)),
    ];
    for (what, roles) in counted {
        let counts = tasks.counts(roles, start());
        let times = Times::of(&[(); 20], |()| {
            std::hint::black_box(tasks.counts(roles, start()));
        });
        let p99 = Cell::Figure(times.quantile_us(0.99) / 1e3, 3);
        table.row(row(what, counts.ready, times.mean_us() / 1e3, p99));
    }
    table.row(row(
        "folding all of it from events, once",
        TASKS,
        fold_ms,
        Cell::Empty,
    ));
    Ok(table)
}

fn event(dice: &mut Dice, n: usize, calendar: &BusinessCalendar) -> Result<Event> {
    let rule = format!("rule-{}", dice.roll(100));
    let call = Uuid::from_u128(n as u128 + 1);
    let task = task_id(call, &rule);
    let minutes = dice.roll(100_000) as i64 - 10_000;
    let priorities = [
        Priority::Low,
        Priority::Normal,
        Priority::High,
        Priority::Urgent,
    ];
    let opened = TaskEvent::Opened(Box::new(Opened {
        task,
        kind: format!("agent.triage/{rule}"),
        call,
        tool: "grid:report".to_owned(),
        agent: AgentId::new("grid-agent")?,
        summary: format!("deadline missed for T-{n}"),
        answer: KeptAnswer::Whole {
            value: json!({ "status": "BREACH", "asset": format!("T-{n}"), "days_left": 0 }).into(),
        },
        audience: vec![Role::new(format!("role-{}", dice.roll(50)))?],
        excluded: Vec::new(),
        priority: priorities[dice.roll(priorities.len())],
        deadline: DeadlineSpec::of("d", "working-days", 2),
        due_at: start() + TimeDelta::minutes(minutes),
        calendar: calendar.digest(),
        on_expiry: OnExpiry::Deny,
        escalate_to: Vec::new(),
        note_required: false,
        observed: false,
    }));
    let none = Digest::of_canonical(Domain::Event, b"none");
    Ok(Event {
        v: 1,
        seq: n as u64 + 1,
        id: Uuid::from_u128(1 << 100 | n as u128),
        ts: start() - TimeDelta::minutes(20_000),
        stream: Stream::new(StreamKind::Task, task.to_string())?,
        version: 1,
        kind: opened.kind(),
        correlation: None,
        causation: None,
        actor: "bench".to_owned(),
        data: opened.data()?,
        prev: none,
        hash: none,
    })
}

/// SplitMix64: the same rules, answers and tasks in every run.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) % sides as u64) as usize
    }
}
