//! What the tests put a gate together from.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use chrono::{DateTime, TimeDelta, Utc};
use serde_json::{Value, json};
use tipstaff_approval::{Answer, ApprovalRequest};
use tipstaff_journal::{Filter, Journal, MemoryJournal, verify_journal};
use tipstaff_policy::{PolicySet, World};
use tipstaff_registry::NativeTool;
use tipstaff_schema::{
    AgentId, BackendId, CallAccess, Effect, Person, Profile, Reach, ResourceKind, ResourceRule,
    Risk, Role, ServerName, ToolAnnotations, ToolDescriptor, ToolSource, ToolUsage, Verb,
};
use tipstaff_triage::{BusinessCalendar, TriageSet};
use uuid::Uuid;

use super::faults::{Faults, Faulty};
use crate::*;

/// A clock that a test moves.
#[derive(Debug)]
pub(super) struct HandClock(Mutex<DateTime<Utc>>, tokio::sync::watch::Sender<()>);

impl HandClock {
    pub(super) fn at(now: DateTime<Utc>) -> Self {
        Self(Mutex::new(now), tokio::sync::watch::Sender::new(()))
    }

    pub(super) fn forward(&self, by: TimeDelta) {
        *self.0.lock().unwrap() += by;
        self.1.send_replace(());
    }
}

#[async_trait::async_trait]
impl Clock for HandClock {
    fn now(&self) -> DateTime<Utc> {
        *self.0.lock().unwrap()
    }

    async fn sleep_until(&self, at: DateTime<Utc>) {
        let mut moved = self.1.subscribe();
        while self.now() < at {
            moved.changed().await.unwrap();
        }
    }
}

#[derive(Debug, Default)]
pub(super) struct CountingIds(pub(super) AtomicUsize);

impl Ids for CountingIds {
    fn fresh(&self, _: DateTime<Utc>) -> Uuid {
        Uuid::from_u128(
            0x0190_0000_0000_7000_8000_0000_0000_0000
                + 1
                + self.0.fetch_add(1, Ordering::SeqCst) as u128,
        )
    }
}

/// Answers every question in one way, or leaves it to the test.
#[derive(Debug)]
pub(super) struct Scripted(pub(super) Option<Answer>);

#[async_trait::async_trait]
impl Approver for Scripted {
    async fn ask(&self, request: &ApprovalRequest) -> Option<Vote> {
        let answer = self.0.clone()?;
        Some(Vote {
            person: person("ana"),
            digest: request.digest,
            answer,
        })
    }
}

#[derive(Debug)]
pub(super) struct Roles(pub(super) BTreeMap<String, Vec<&'static str>>);

impl People for Roles {
    fn roles(&self, person: &Person) -> Vec<Role> {
        let roles = self.0.get(person.as_str()).into_iter().flatten();
        roles.map(|role| Role::new(*role).unwrap()).collect()
    }
}

/// Runs anything, counts, and keeps what it was given.
#[derive(Debug, Default)]
pub(super) struct Counter {
    pub(super) runs: AtomicUsize,
    pub(super) seen: Mutex<Vec<(Value, tipstaff_schema::Digest)>>,
    pub(super) answer: Mutex<Option<Result<ExecOutput, ExecError>>>,
    /// While set, executions wait for it.
    pub(super) hold: Option<Arc<tokio::sync::Notify>>,
}

#[async_trait::async_trait]
impl Executor for Counter {
    fn prepare(&self, call: &ValidCall<'_>) -> Result<Prepared, Refusal> {
        Ok(Prepared::plain(call.params.clone()))
    }

    async fn execute(&self, warrant: Warrant, cancel: Cancel) -> Result<ExecOutput, ExecError> {
        self.runs.fetch_add(1, Ordering::SeqCst);
        self.seen
            .lock()
            .unwrap()
            .push((warrant.params().clone(), warrant.params_digest()));
        if let Some(hold) = &self.hold {
            tokio::select! {
                () = hold.notified() => {}
                () = cancel.cancelled() => return Err(ExecError::Uncertain { why: "cancelled".to_owned() }),
            }
        }
        self.answer
            .lock()
            .unwrap()
            .clone()
            .unwrap_or_else(|| Ok(ExecOutput::text("done", "done")))
    }
}

/// Where paths lead, as the test says.
#[derive(Debug, Default)]
pub(super) struct Links(
    pub(super) Mutex<BTreeMap<String, String>>,
    /// A link that appears once its path was looked at.
    pub(super) Mutex<Option<(String, String)>>,
);

impl PathProbe for Links {
    fn resolve(&self, path: &str) -> Result<String, String> {
        let mut known = self.0.lock().unwrap();
        let below = |from: &str| {
            path.strip_prefix(from)
                .filter(|r| r.is_empty() || r.starts_with('/'))
        };
        let links = known
            .iter()
            .filter_map(|(from, to)| Some((from.len(), to, below(from)?)));
        let found = links
            .max_by_key(|(len, ..)| *len)
            .map(|(_, to, rest)| format!("{to}{rest}"));
        let next = self.1.lock().unwrap().take_if(|(from, _)| from == path);
        known.extend(next);
        Ok(found.unwrap_or_else(|| path.to_owned()))
    }
}

pub(super) struct Bench {
    pub(super) gate: Gate,
    pub(super) clock: Arc<HandClock>,
    pub(super) tool: Arc<Counter>,
    pub(super) links: Arc<Links>,
    pub(super) journal: Arc<MemoryJournal>,
    pub(super) session: Session,
}

/// What a test may set.
#[derive(Default)]
pub(super) struct Setup {
    pub(super) rules: Value,
    pub(super) approver: Option<Scripted>,
    pub(super) mode: Mode,
    pub(super) tool: Counter,
    pub(super) journal: Option<Arc<MemoryJournal>>,
    pub(super) faults: Option<Arc<Faults>>,
    pub(super) own: Vec<&'static str>,
    pub(super) ids_from: usize,
    pub(super) triage: Value,
    /// The calendar has no working day for years.
    pub(super) closed: bool,
    pub(super) limits: CallLimits,
    pub(super) constraints: Option<Arc<dyn ConstraintChecker>>,
}

pub(super) fn start() -> DateTime<Utc> {
    "2026-03-02T10:00:00Z".parse().unwrap()
}

pub(super) fn person(name: &str) -> Person {
    Person::new(name).unwrap()
}

pub(super) fn agent() -> AgentId {
    AgentId::new("coder").unwrap()
}

pub(super) fn policy(rules: &Value) -> PolicySet {
    let rules = if rules.is_null() {
        Vec::new()
    } else {
        serde_json::from_value(rules.clone()).unwrap()
    };
    PolicySet::compile(rules, &World::default()).unwrap().0
}

fn descriptor(id: &str) -> ToolDescriptor {
    ToolDescriptor {
        tool_id: id.to_owned(),
        source: ToolSource::NativeBackend {
            backend: BackendId::new("box"),
        },
        verb: Verb::new("box", id.trim_start_matches("box_")),
        description: String::new(),
        input_schema: json!({
            "type": "object",
            "properties": { "path": { "type": "string" }, "n": {} },
        }),
        output_schema: None,
        capabilities: Vec::new(),
        annotations: ToolAnnotations::default(),
        usage: ToolUsage::default(),
        embedding: None,
        title: None,
        mcp_name: None,
    }
}

/// `box_read` and `box_write` act on the path at `/path`; `box_free` on nothing; `box_shut` is locked.
pub(super) fn tools() -> Vec<NativeTool> {
    let tool = |id: &str, access, edit: &dyn Fn(&mut Profile)| {
        let mut profile = Profile::unknown(id);
        profile.access = access;
        profile.risk = Risk::Low;
        profile.reach = Reach::LocalState;
        profile.resources = vec![ResourceRule {
            kind: ResourceKind::Path,
            from: "/path".to_owned(),
            access: None,
            optional: false,
            on: None,
        }];
        edit(&mut profile);
        let descriptor = descriptor(id);
        NativeTool {
            descriptor,
            profile,
        }
    };
    vec![
        tool("box_read", CallAccess::Read, &|_| {}),
        tool("box_write", CallAccess::Write, &|_| {}),
        tool("box_free", CallAccess::Write, &|profile| {
            profile.resources.clear();
            profile.default_effect = Effect::Allow;
        }),
        tool("box_gate", CallAccess::Write, &|profile| {
            profile.resources[0].kind = ResourceKind::None;
            profile.default_effect = Effect::Allow;
        }),
        tool("box_keep", CallAccess::Read, &|profile| {
            profile.keep_raw_resources = true;
            profile.default_effect = Effect::Allow;
        }),
        tool("box_many", CallAccess::Read, &|profile| {
            profile.resources[0].from = "/n".to_owned();
        }),
        tool("box_away", CallAccess::Read, &|profile| {
            profile.resources[0].on = Some(tipstaff_schema::ResourcePlace::Remote);
        }),
        tool("box_shut", CallAccess::Read, &|profile| {
            profile.locked = true;
        }),
        tool("box_slow", CallAccess::Read, &|profile| {
            profile.resources.clear();
            profile.default_effect = Effect::Allow;
            profile.timeout = Duration::from_secs(1);
        }),
    ]
}

fn people() -> Roles {
    let people = [
        ("ana", vec!["approver"]),
        ("bob", vec!["approver"]),
        ("eve", vec![]),
    ];
    Roles(people.map(|(name, roles)| (name.to_owned(), roles)).into())
}

fn triage(rules: Value, closed: bool) -> (TriageSet, Arc<BusinessCalendar>) {
    let mut calendar = json!({ "working_week": { "mon-fri": ["09:00-17:00"] } });
    if closed {
        calendar["closures"] = json!([{ "from": "2026-01-01", "to": "2029-01-01" }]);
    }
    let calendar = serde_json::from_value(calendar).unwrap();
    let calendar = Arc::new(BusinessCalendar::try_from_wire(&calendar, "UTC").unwrap());
    let rules = serde_json::from_value(rules).unwrap();
    (TriageSet::new(rules, &*calendar).unwrap(), calendar)
}

impl Bench {
    pub(super) async fn new(setup: Setup) -> Self {
        Self::after(TimeDelta::zero(), setup).await
    }

    /// The same, opened so much later.
    pub(super) async fn after(later: TimeDelta, setup: Setup) -> Self {
        let clock = Arc::new(HandClock::at(start() + later));
        let journal = setup
            .journal
            .unwrap_or_else(|| Arc::new(MemoryJournal::new(Uuid::from_u128(7), start())));
        let tool = Arc::new(setup.tool);
        let links = Arc::new(Links::default());
        let facts = AgentFacts {
            root: Some("/srv/repo".to_owned()),
            owner: Some(person("ana")),
        };
        let mut builder = Gate::builder()
            .journal(match setup.faults {
                Some(faults) => Arc::new(Faulty(Arc::clone(&journal), faults)),
                None => Arc::<MemoryJournal>::clone(&journal),
            })
            .clock(Arc::<HandClock>::clone(&clock))
            .ids(Arc::new(CountingIds(AtomicUsize::new(setup.ids_from))))
            .agents([(agent(), facts)].into_iter().collect())
            .policy(policy(&setup.rules))
            .people(Arc::new(people()))
            .probe(Arc::<Links>::clone(&links))
            .own(OwnGround::new(setup.own.into_iter().map(str::to_owned)))
            .mode(setup.mode)
            .call_limits(setup.limits)
            .executor(
                ExecutorKey::Native(BackendId::new("box")),
                Arc::<Counter>::clone(&tool),
            );
        builder = builder.executor(
            ExecutorKey::Server(ServerName::new("files").unwrap()),
            Arc::<Counter>::clone(&tool),
        );
        for native in tools() {
            builder = builder.native(native);
        }
        if let Some(approver) = setup.approver {
            builder = builder.approver(Arc::new(approver));
        }
        if let Some(constraints) = setup.constraints {
            builder = builder.constraints(constraints);
        }
        if !setup.triage.is_null() {
            let (rules, calendar) = triage(setup.triage, setup.closed);
            builder = builder.triage(rules, calendar);
        }
        let gate = builder.open().await.unwrap();
        Self {
            gate,
            clock,
            tool,
            links,
            journal,
            session: Session::launched(agent()),
        }
    }

    pub(super) async fn submit(&self, call: Call) -> Outcome {
        self.gate.submit(&self.session, call, &Cancel::new()).await
    }

    pub(super) async fn ticket(&self, call: Call) -> Ticket {
        let outcome = self.gate.start(&self.session, call, &Cancel::new()).await;
        let Outcome::Pending { ticket } = outcome else {
            panic!("not pending: {outcome:?}")
        };
        ticket
    }

    pub(super) async fn approve(&self, ticket: &Ticket) {
        self.gate
            .answer(
                ticket.approval_id,
                ticket.digest,
                Answer::Approve,
                &person("ana"),
            )
            .await
            .unwrap();
    }

    pub(super) fn runs(&self) -> usize {
        self.tool.runs.load(Ordering::SeqCst)
    }

    /// The kinds of all events after the opening, in order; the chain is verified on the way.
    pub(super) async fn kinds(&self) -> Vec<String> {
        let report = verify_journal(&*self.journal, None).await.unwrap();
        assert!(report.breaks.is_empty(), "{report:?}");
        let events = self.journal.scan(2, 10_000, &Filter::all()).await.unwrap();
        events
            .iter()
            .map(|event| event.kind.as_str().to_owned())
            .collect()
    }
}

pub(super) fn read(path: &str) -> Call {
    Call::new("box_read", json!({ "path": path }))
}

pub(super) fn write(path: &str) -> Call {
    Call::new("box_write", json!({ "path": path }))
}

/// The outcome in a few words: its name, and the stage of a refusal.
pub(super) fn short(outcome: &Outcome) -> String {
    if let Outcome::Refused { stage, .. } = outcome {
        format!("refused at {}", stage.as_str())
    } else {
        outcome.as_str().to_owned()
    }
}
