//! I5: the index decides as the scan does, on random sets of rules and requests.
//!
//! 40,000 requests in a usual run; `cargo xtask differential`, which is part of `ci`, runs ten million,
//! from a seed that turns with the commit. The seed is printed, and a failure prints the seed of its
//! set; that one alone runs again with
//! `TIPSTAFF_SEED=<seed> TIPSTAFF_CASES=1 cargo test -p tipstaff-policy --all-features --lib i5_`.
#![expect(
    clippy::disallowed_methods,
    clippy::print_stdout,
    reason = "how many cases to run is said from outside, and told"
)]

use std::sync::Arc;

use serde_json::{Value, json};
use tipstaff_schema::{Effect, Placement, Profile, ResourceKind};

use super::dice::Dice;
use super::{Call, agent};
use crate::wire::RuleWire;
use crate::{DecidedBy, Decision, Dimension, PolicySet, Rule, RuleContext, Target, reference};

const AGENTS: &[&str] = &["coder", "ops", "child", "Coder"];
const TOOLS: &[&str] = &["f:r", "f:read", "f:write", "g:read", "spawn", "F:r"];
const CAPABILITIES: &[&str] = &[
    "f:r", "f:read", "f:*", "*:read", "*:r*", "f:?", "?:r", "*e*d", "g:read", "mcp:f:r", "mcp:g:*",
    "spawn", "*", "*w*", "f:r*d", "spaw?",
];
const PATTERNS: &[&str] = &[
    "/srv/repo/**",
    "/srv/repo/src/main.rs",
    "/srv/repo/src",
    "/srv/repo/*.rs",
    "/srv/repo/src/*.rs",
    "**/.env*",
    "**/.env",
    "**/*.rs",
    "**/src/**",
    "**/s*c/**",
    "src/**",
    "src/main.rs",
    "./src/*.rs",
    "*.rs",
    "/srv/**/main.rs",
    "**",
    "/**",
    "/srv/Repo/**",
    "/SRV/repo/src/main.rs",
    "/srv/*/src/**",
    "/srv/repo/{src,lib}/**",
    "/srv/repo/[a-s]*/main.rs",
    "/srv/repo/src/main.??",
    "/srv/repo/src/",
    "/a",
    "/ab",
    "**/*a*n*",
    "**/a*",
    "/srv/repo/src/ma*",
    "/é/**",
    "/srv/repo/src/main.rs/**",
    "**/*main*users*",
    "/srv/**/src/*n.rs",
    "**/part/**",
    "/d/d/d/d/d/d/d/d/d/d/d/d/d/d/d/d/d/d/d/d/d/d/d/d/d/d/d/d/**",
    "/d/d/d/d/d/d/d/d/d/d/d/d/d/d/d/d/d/d/d/d/d/d/d/d/d/d/d/d/part/x",
];
const OTHER: &[(&str, &str)] = &[
    ("url", "https://api.example.com/v1/**"),
    ("url", "https://*.example.com/"),
    ("url", "*://*/v1/*"),
    ("url", "https://api.example.com/v1/users?id=*"),
    ("url", "http://10.0.0.1:*/"),
    ("url", "https://[2001:db8::1]/"),
    ("host", "*.example.com"),
    ("host", "api.example.com"),
    ("host", "*"),
    ("host", "10.0.0.0/8"),
    ("host", "10.0.0.1"),
    ("host", "2001:db8::1"),
    ("domain", "example.com"),
    ("domain", "*.com"),
    ("host", "api-*.example.com"),
    ("service", "billing/**"),
    ("service", "billing/eu"),
    ("service", "b*"),
    ("repository", "acme/*"),
    ("none", "any thing"),
    ("none", "*"),
];
const COMMANDS: &[&[&str]] = &[
    &["git", "status", "**"],
    &["git", "**"],
    &["git", "push", "-f"],
    &["rm", "-rf", "**"],
    &["*", "--version"],
    &["**"],
    &["cargo", "test", "**flags"],
    &["git", "st*"],
    &["GIT", "push", "**"],
    &["ls"],
    &["ls", "*"],
    &["g?t", "push", "**"],
];
const VALUES: &[(ResourceKind, &str)] = &[
    (ResourceKind::Path, "/srv/repo/src/main.rs"),
    (ResourceKind::Path, "/srv/repo/SRC/Main.rs"),
    (ResourceKind::Path, "/srv/repo/src"),
    (ResourceKind::Path, "/SRV/Repo/src/main.rs"),
    (ResourceKind::Path, "/srv/repo/.env"),
    (ResourceKind::Path, "/srv/repo/.Env.local"),
    (ResourceKind::Path, "/srv/repo"),
    (ResourceKind::Path, "/"),
    (ResourceKind::Path, "/a"),
    (ResourceKind::Path, "/A"),
    (ResourceKind::Path, "/ab/src/src/x.rs"),
    (ResourceKind::Path, "/é/x"),
    (ResourceKind::Path, "/srv/repo/lib/main.rs"),
    (ResourceKind::Path, "/srv/other/src/main.rs"),
    (ResourceKind::Path, "/aa/banana/nan"),
    (ResourceKind::Path, "/part/domain-of-users/part"),
    (
        ResourceKind::Path,
        "/d/d/d/d/d/d/d/d/d/d/d/d/d/d/d/d/d/d/d/d/d/d/d/d/d/d/d/d/part/x",
    ),
    (ResourceKind::Url, "https://api.example.com/v1/users"),
    (ResourceKind::Url, "https://api.example.com/v1/users?id=3"),
    (ResourceKind::Url, "http://10.0.0.1:8080/v1/x"),
    (ResourceKind::Url, "https://[2001:db8::1]/"),
    (ResourceKind::Url, "https://EXAMPLE.com/V1/x"),
    (ResourceKind::Host, "api.example.com"),
    (ResourceKind::Host, "10.0.0.1"),
    (ResourceKind::Host, "10.2.3.4"),
    (ResourceKind::Host, "2001:db8::1"),
    (ResourceKind::Domain, "example.com"),
    (ResourceKind::Service, "billing/eu"),
    (ResourceKind::Service, "Billing/eu"),
    (ResourceKind::Repository, "acme/tool"),
    (ResourceKind::None, "any thing"),
];
const LINES: &[&[&str]] = &[
    &["git", "status"],
    &["git", "status", "-s"],
    &["Git", "push", "-f", "origin"],
    &["git", "push", "origin", "--force"],
    &["rm", "-fr", "/x"],
    &["rm", "-r", "-f"],
    &["cargo", "test", "--release"],
    &["cargo", "--version"],
    &["ls"],
    &["ls", "-l", "x"],
    &["-x", "git", "push"],
    &[],
    &[
        "git", "git", "git", "git", "git", "git", "git", "git", "git", "git", "git", "git", "git",
        "git", "git", "git", "git", "git", "git", "git", "git", "git", "git", "git", "git", "git",
        "git", "git", "git", "git", "git", "git", "git", "push",
    ],
];
const TIMES: &[&str] = &[
    "2026-01-05T12:00:00Z",
    "2026-01-05T07:59:59Z",
    "2026-01-05T08:00:00Z",
    "2026-01-05T18:00:00Z",
    "2026-01-10T12:00:00Z",
    "2026-03-29T01:30:00Z",
    "2026-10-25T01:30:00Z",
];
const PLACES: &[&str] = &["local", "box"];

fn rule(dice: &mut Dice) -> Value {
    let effect = dice.of(&["allow", "allow", "ask", "ask", "deny", "deny", "guard"]);
    let mut rule = json!({"id": "x", "effect": if effect == "guard" { "deny" } else { effect }});
    let mut put = |key: &str, value: Value| rule[key] = value;
    if effect == "guard" {
        put("guard", json!(true));
    }
    if dice.one_in(3) {
        put("agent", json!(dice.of(AGENTS)));
    }
    if dice.one_in(3) {
        put("action", json!(dice.of(&["call", "other", "command"])));
    }
    if dice.one_in(8) {
        put(
            "hours",
            dice.of_ref(&[
                json!({"from": 8, "to": 18}),
                json!({"from": 22, "to": 8, "tz": "Europe/Berlin"}),
                json!({"from": "02:00", "to": "03:00", "tz": "Europe/Berlin", "days": ["sun"]}),
            ]),
        );
    }
    if dice.one_in(8) {
        put(
            "when",
            dice.of_ref(&[
                json!([{"path": "/n", "at_most": 1}]),
                json!([{"path": "/n", "exists": true}]),
            ]),
        );
    }
    if effect != "guard" && dice.one_in(8) {
        put(
            "until",
            json!(dice.of(&["2026-01-05T12:00:00Z", "2026-02-01T00:00:00Z"])),
        );
    }
    if effect == "allow" && dice.one_in(2) {
        put("inherit", json!(true));
    }
    match dice.roll(10) {
        0 | 1 => put("capability", json!(dice.of(CAPABILITIES))),
        2..=5 => {
            put("capability", json!(dice.of(CAPABILITIES)));
            put("target", json!({"path": dice.of(PATTERNS)}));
        }
        6 => {
            let (kind, pattern) = dice.of(OTHER);
            put("capability", json!(dice.of(CAPABILITIES)));
            put("target", json!({kind: pattern}));
        }
        7 | 8 => {
            put("capability", json!("spawn"));
            put("target", json!({"command": dice.of(COMMANDS)}));
            put("action", json!("command"));
            if dice.one_in(3) {
                put("cwd", json!(dice.of(&["/srv/**", "src/**", "/Srv/repo"])));
            }
            if dice.one_in(3) {
                put("placement", json!(dice.of(PLACES)));
            }
        }
        _ => {}
    }
    rule
}

fn call(dice: &mut Dice) -> Call {
    let root = dice.of(&[Some("/srv/repo"), Some("/Srv/Repo"), Some("/"), None]);
    let tool = dice.of(TOOLS);
    let mut call = Call {
        root: root.map(str::to_owned),
        action: dice.of(&["call", "other", "command"]).to_owned(),
        tool_id: dice.of(&["", "mcp:", "mcp:g:"]).to_owned() + tool,
        profile: Profile {
            locked: dice.one_in(40),
            keep_raw_resources: dice.one_in(4),
            default_effect: dice.of(&[Effect::Allow, Effect::Ask, Effect::Deny]),
            ..Profile::unknown("call")
        },
        params: dice.of_ref(&[json!({}), json!({"n": 1}), json!({"n": 2})]),
        placement: dice
            .of(&[None, Some("local"), Some("box")])
            .map(|place| Placement::new(place).unwrap()),
        cwd: dice
            .of(&[None, Some("/srv/repo"), Some("/srv/repo/src/x")])
            .map(str::to_owned),
        ..Call::to(tool)
    }
    .at(dice.of(TIMES));
    call.agent = agent(dice.of(AGENTS));
    call.parents = (0..dice.roll(4)).map(|_| agent(dice.of(AGENTS))).collect();
    match dice.roll(5) {
        0 => call,
        1 => {
            let words = dice.of(LINES);
            Call {
                command: Call::command(words).command,
                ..call
            }
        }
        _ => {
            let (kind, value) = dice.of(VALUES);
            call.on(kind, value)
        }
    }
}

/// What must be equal.
pub(super) type Outcome<'a> = (
    Effect,
    Option<&'a str>,
    u32,
    usize,
    bool,
    bool,
    DecidedBy,
    Option<*const Rule>,
);

pub(super) fn outcome(decision: &Decision) -> Outcome<'_> {
    (
        decision.effect,
        decision.policy_id.as_deref(),
        decision.specificity,
        decision.considered,
        decision.guard,
        decision.locked,
        decision.source,
        decision.rule().map(Arc::as_ptr),
    )
}

/// How many requests each set is asked.
const ASKED: u64 = 200;
/// How many sets are made of one pool of rules and calls.
const OF_ONE_POOL: u64 = 4_000;

/// Rules and calls to choose from: the same for the same number, so that a seed says all.
struct Pool {
    number: u64,
    rules: Vec<Arc<Rule>>,
    calls: Vec<Call>,
}

impl Pool {
    fn new(number: u64) -> Self {
        let mut dice = Dice(number);
        let rules = (0..2000).map(|index| {
            let mut rule = rule(&mut dice);
            rule["id"] = json!(format!("r{index}"));
            let context = RuleContext::default();
            Arc::new(Rule::try_from_wire(RuleWire::from_value(rule), index, &context).unwrap())
        });
        Self {
            number,
            rules: rules.collect(),
            calls: (0..3000).map(|_| call(&mut dice)).collect(),
        }
    }
}

fn run(seed: u64, Pool { rules, calls, .. }: &Pool) {
    let mut dice = Dice(seed);
    // Of a part of the rules only, so that many meet; some sets are large, so that shelves are long.
    let from = dice.roll(rules.len());
    let part = dice.of(&[rules.len(), 300, 40]);
    let most = dice.of(&[4, 12, 40, 150]);
    let count = dice.roll(most + 1);
    let chosen: Vec<Arc<Rule>> = (0..count)
        .map(|_| Arc::clone(&rules[(from + dice.roll(part)) % rules.len()]))
        .collect();
    let set = PolicySet::of_rules(chosen).unwrap();
    for _ in 0..ASKED {
        let call = &calls[dice.roll(calls.len())];
        let request = call.request();
        let (fast, slow) = (
            set.decide_by_index(&request),
            reference::decide(set.rules(), &request),
        );
        assert_eq!(
            outcome(&fast),
            outcome(&slow),
            "TIPSTAFF_SEED={seed} {call:?}"
        );
        let usual = set.decide(&request);
        assert_eq!(
            outcome(&usual),
            outcome(&slow),
            "TIPSTAFF_SEED={seed} {call:?}"
        );
        let hole = set
            .rules()
            .iter()
            .find(|rule| reference::is_hole(rule, &request));
        assert_eq!(
            set.hole(&request).map(Arc::as_ptr),
            hole.map(Arc::as_ptr),
            "TIPSTAFF_SEED={seed} {call:?}"
        );
        let denies = set.rules().iter().filter(|rule| {
            rule.effect == Effect::Deny
                && matches!(rule.target, Some(Target::Resource(_)))
                && [Dimension::Agent, Dimension::Capability, Dimension::When]
                    .into_iter()
                    .all(|dimension| reference::holds(rule, &request, dimension))
        });
        let found = set.resource_denies(&request).into_iter();
        assert!(
            found.map(Arc::as_ptr).eq(denies.map(Arc::as_ptr)),
            "TIPSTAFF_SEED={seed} {call:?}"
        );
    }
}

fn number(name: &str, otherwise: u64) -> u64 {
    let said = std::env::var(name).ok();
    said.map_or(otherwise, |text| text.parse().expect("a number"))
}

#[test]
fn i5_the_index_decides_as_the_scan_does() {
    let (cases, first) = (number("TIPSTAFF_CASES", 40_000), number("TIPSTAFF_SEED", 1));
    println!("policy: {cases} requests from TIPSTAFF_SEED={first}");
    let sets = cases.div_ceil(ASKED);
    let hands = std::thread::available_parallelism().map_or(1, |hands| hands.get() as u64);
    std::thread::scope(|scope| {
        for hand in 0..hands {
            let seeds = first + sets * hand / hands..first + sets * (hand + 1) / hands;
            scope.spawn(move || {
                let mut pool = Pool::new(seeds.start / OF_ONE_POOL);
                for seed in seeds {
                    if pool.number != seed / OF_ONE_POOL {
                        pool = Pool::new(seed / OF_ONE_POOL);
                    }
                    run(seed, &pool);
                }
            });
        }
    });
}
