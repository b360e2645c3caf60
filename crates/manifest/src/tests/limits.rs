//! The section `limits`: what it sets, and every way of writing it wrong.

use std::num::NonZeroU32;
use std::time::Duration;

use tipstaff_gate::{BreakerLimit, CallLimits, Rate, RepeatLimit, Setting};

use super::bench::{load, problems, refused};

fn nz(n: u32) -> NonZeroU32 {
    NonZeroU32::new(n).unwrap()
}

fn seconds(n: u64) -> Duration {
    Duration::from_secs(n)
}

#[test]
fn what_is_not_written_keeps_its_default() {
    assert_eq!(load("version: 1\n").limits, CallLimits::default());
    assert_eq!(
        load("version: 1\nlimits: {}\n").limits,
        CallLimits::default()
    );
    let mut want = CallLimits::default();
    want.concurrent.server = nz(4);
    let got = load("version: 1\nlimits: { concurrent: { server: 4 } }\n");
    assert_eq!(got.limits, want);
    assert_eq!(got.unbuilt, []);
}

#[test]
fn every_limit_can_be_set_and_switched_off() {
    let limits = load(
        "version: 1\nservers: { jobs: { command: x } }\nlimits:\n  breaker: { failures: 2, cool_down: 1m }\n  \
         repeats: { calls: 10, within: 2m }\n  rate:\n    agent: { calls: 600, within: 1m, burst: 100 }\n    \
         tool: { calls: 5, within: 1s }\n  concurrent: { agent: 1, server: 2, held: 3 }\n  tools:\n    \
         \"jobs:status\": { repeats: off }\n    \"jobs:*\": { breaker: off, rate: { agent_and_tool: { calls: 1, within: 1h } } }\n    \
         \"*\": { breaker: { failures: 9 }, rate: { tool: off } }\n",
    )
    .limits;
    let breaker = BreakerLimit {
        failures: nz(2),
        cool_down: seconds(60),
        probe: seconds(30),
    };
    assert_eq!(limits.breaker, Some(breaker));
    let repeats = RepeatLimit {
        calls: nz(10),
        within: seconds(120),
    };
    assert_eq!(limits.repeats, Some(repeats));
    let rate = |calls, within, burst| Rate {
        calls: nz(calls),
        within: seconds(within),
        burst: nz(burst),
    };
    assert_eq!(limits.rates.agent, Some(rate(600, 60, 100)));
    assert_eq!(limits.rates.tool, Some(rate(5, 1, 5)));
    assert_eq!(limits.rates.agent_and_tool, None);
    assert_eq!(limits.concurrent.held, nz(3));
    let [status, jobs, all] = limits.tools.as_slice() else {
        panic!("{:?}", limits.tools)
    };
    assert_eq!(
        (status.0.as_str(), status.1.repeats),
        ("jobs:status", Some(Setting::Off))
    );
    assert_eq!(jobs.1.breaker, Some(Setting::Off));
    assert_eq!(
        jobs.1.agent_and_tool_rate,
        Some(Setting::To(rate(1, 3600, 1)))
    );
    let nine = BreakerLimit {
        failures: nz(9),
        ..breaker
    };
    assert_eq!(
        all.1.breaker,
        Some(Setting::To(nine)),
        "the rest is as for all tools"
    );
    assert_eq!((all.1.tool_rate, all.1.repeats), (Some(Setting::Off), None));
    let off = load("version: 1\nlimits: { breaker: off, repeats: off }\n").limits;
    assert_eq!((off.breaker, off.repeats), (None, None));
}

/// What is written in `limits: { … }`, where it is refused, and what is said.
const MISTAKES: &[(&str, &str, &[&str])] = &[
    (
        "braker: off",
        "2:11",
        &["`braker`", "did you mean `breaker`?"],
    ),
    (
        "breaker: { failure: 1 }",
        "2:22",
        &["`failure`", "did you mean `failures`?"],
    ),
    (
        "breaker: { failures: 0 }",
        "2:32",
        &["would refuse every call", "from 1 to"],
    ),
    (
        "breaker: { cool_down: 30 }",
        "2:33",
        &["a text belongs here", "such as `10m`"],
    ),
    (
        "breaker: { cool_down: 0s }",
        "2:33",
        &["`cool_down` is no duration"],
    ),
    ("breaker: on", "2:20", &["a map, or `off`"]),
    ("repeats: { calls: 3 }", "2:20", &["missing field `within`"]),
    (
        "repeats: { calls: 20000, within: 1m }",
        "2:29",
        &["more than 10000"],
    ),
    (
        "rate: { agent: { calls: 1, within: 1w } }",
        "2:46",
        &["`within` is no duration"],
    ),
    (
        "rate: { agent: { calls: 1, within: 1m, burst: 0 } }",
        "2:57",
        &["`burst: 0`"],
    ),
    ("rate: 5", "2:17", &["`rate` is a map"]),
    (
        "concurrent: { agents: 5 }",
        "2:25",
        &["`agents`", "did you mean `agent`?"],
    ),
    ("concurrent: { agent: -5 }", "2:32", &[]),
    ("tools: { \"a b\": {} }", "2:20", &["name pattern"]),
    (
        "tools: { \"a:b\": { rate: { agent: off } } }",
        "2:37",
        &["`agent`", "agent_and_tool"],
    ),
    (
        "tools: { \"a:b\": { concurrent: {} } }",
        "2:29",
        &["`concurrent`", "known here"],
    ),
];

#[test]
fn each_mistake_is_told_at_its_place() {
    for (text, place, says) in MISTAKES {
        refused(&format!("version: 1\nlimits: {{ {text} }}\n"), place, says);
    }
    let two = problems("version: 1\nlimits: { rate: { calls: 3, within: 1m } }\n");
    assert!(
        two.len() == 2 && two[0].contains("agent_and_tool"),
        "{two:?}"
    );
}

#[test]
fn a_limit_that_holds_for_no_tool_is_told() {
    let told = |pattern: &str| {
        let text = format!(
            "version: 1\nservers: {{ files: {{ command: x }} }}\nlimits: {{ tools: {{ \"{pattern}\": {{ repeats: off }} }} }}\n"
        );
        load(&text)
            .warnings
            .iter()
            .map(ToString::to_string)
            .collect::<Vec<_>>()
    };
    for fine in ["files:read", "files:*", "*:read", "*", "spawn", "f*:x"] {
        assert_eq!(told(fine), Vec::<String>::new(), "{fine}");
    }
    let near = told("file:read");
    assert!(
        near.len() == 1 && near[0].contains("no server `file`"),
        "{near:?}"
    );
    assert!(near[0].contains("did you mean `files`?"), "{near:?}");
    assert!(told("read")[0].contains("name a tool as `server:tool`"));
}

#[test]
fn the_example_of_the_guide_is_a_manifest_and_tells_the_defaults() {
    let guide = include_str!("../../../../docs/limits.md");
    let example = guide.split("```").nth(1).unwrap();
    let example = example.strip_prefix("yaml").unwrap();
    let text = format!(
        "version: 1\nservers: {{ jobs: {{ command: x }}, search: {{ command: y }} }}\n{example}"
    );
    let manifest = load(&text);
    assert_eq!(manifest.warnings, []);
    let (limits, usual) = (manifest.limits, CallLimits::default());
    assert_eq!(limits.breaker, usual.breaker);
    assert_eq!(limits.repeats, usual.repeats);
    assert_eq!(limits.concurrent, usual.concurrent);
    assert_eq!(limits.tools.len(), 2);
}
