//! What a set costs in memory: nothing for a decision, and little for what is kept.
//!
//! One test, since the allocator that counts is one for the whole binary.
#![expect(clippy::unwrap_used, reason = "test binary")]

use std::alloc::System;

use cap::Cap;
use serde_json::{Value, json};
use tipstaff_command::{SimpleCommand, Word, WordShape};
use tipstaff_policy::wire::{RuleWire, TargetWire};
use tipstaff_policy::{PolicySet, Request, Subject, World};
use tipstaff_resource::{Base, Resource};
use tipstaff_schema::{Access, AgentId, Effect, Profile, ResourceKind};

#[global_allocator]
static MEMORY: Cap<System> = Cap::new(System, usize::MAX);

const MIB: usize = 1 << 20;

/// Compiles under a limit, beyond which the process would be ended, and says what the set keeps.
fn compiled(rules: Vec<RuleWire>) -> (PolicySet, usize) {
    let before = MEMORY.allocated();
    MEMORY.set_limit(before + 48 * MIB).unwrap();
    let (set, findings) = PolicySet::compile(rules, &World::default()).unwrap();
    MEMORY.set_limit(usize::MAX).unwrap();
    drop(findings);
    (set, MEMORY.allocated().saturating_sub(before))
}

fn rule(id: usize, effect: Effect, kind: &str, pattern: String) -> RuleWire {
    RuleWire {
        id: Some(format!("rule-{id}")),
        capability: Some("files:read".to_owned()),
        target: Some(TargetWire::Kind {
            kind: kind.to_owned(),
            pattern,
        }),
        effect: Some(effect),
        ..RuleWire::default()
    }
}

struct Asked {
    agent: AgentId,
    profile: Profile,
    params: Value,
}

impl Asked {
    fn request<'a>(&'a self, capability: &'a str, subject: Subject<'a>) -> Request<'a> {
        let command = matches!(subject, Subject::Command(_));
        Request {
            agent: &self.agent,
            parents: std::slice::from_ref(&self.agent),
            root: Some("/srv"),
            capability,
            tool_id: "mcp:files:read",
            profile: &self.profile,
            action: if command { "command" } else { "read" },
            subject,
            params: &self.params,
            cwd: None,
            placement: None,
            at: "2026-01-05T12:00:00Z".parse().unwrap(),
        }
    }
}

/// Decides, and fails where that took memory.
#[track_caller]
fn decides(set: &PolicySet, request: &Request<'_>, want: Option<(Effect, &str)>) {
    let before = MEMORY.total_allocated();
    let decision = set.decide(request);
    assert_eq!(
        MEMORY.total_allocated(),
        before,
        "a decision allocated, by {:?}",
        decision.policy_id
    );
    if let Some(want) = want {
        let by = decision.policy_id.as_deref().unwrap();
        assert_eq!((decision.effect, by), want);
    }
}

fn resource(kind: ResourceKind, value: &str) -> Resource {
    Resource::parse(kind, value, Access::Read, &Base::default()).unwrap()
}

fn command(words: &[&str]) -> SimpleCommand {
    let word = |text: &&str| Word {
        text: (*text).to_owned(),
        shape: WordShape::Literal,
    };
    SimpleCommand {
        words: words.iter().map(word).collect(),
        ..SimpleCommand::default()
    }
}

fn a_decision_allocates_nothing(asked: &Asked) {
    let mut rules = vec![
        json!({"id": "seen", "agent": "coder", "capability": "files:read*", "target": {"path": "/srv/**"}, "effect": "allow",
            "hours": {"from": 8, "to": 18, "tz": "Europe/Berlin", "days": ["mon-fri"]}, "when": [{"path": "/n", "at_most": 3}]}),
        json!({"id": "push", "capability": "spawn", "target": {"command": ["git", "push", "-f", "**"]}, "effect": "ask"}),
        json!({"id": "status", "agent": "coder", "capability": "spawn", "target": {"command": ["git", "status", "**flags"]}, "effect": "allow"}),
        json!({"id": "web", "capability": "web:get", "target": {"url": "https://*.example.com/v1/**"}, "effect": "allow"}),
    ];
    rules.extend((0..200).map(|n| {
        json!({"id": format!("p{n}"), "capability": "files:*", "target": {"path": format!("**/a{n}*b/**")},
            "effect": "deny", "overridable": true})
    }));
    let (set, _) = compiled(rules.into_iter().map(RuleWire::from_value).collect());
    let file = resource(ResourceKind::Path, "/srv/src/main.rs");
    let url = resource(ResourceKind::Url, "https://api.example.com/v1/x");
    let status = command(&["git", "status", "-s"]);
    let push = command(&["git", "push", "x", "--force"]);
    let asks = [
        (
            "files:read",
            Subject::Resource(&file),
            Effect::Allow,
            "seen",
        ),
        ("web:get", Subject::Resource(&url), Effect::Allow, "web"),
        ("spawn", Subject::Command(&status), Effect::Allow, "status"),
        ("spawn", Subject::Command(&push), Effect::Ask, "push"),
    ];
    for (capability, subject, effect, id) in asks {
        decides(
            &set,
            &asked.request(capability, subject),
            Some((effect, id)),
        );
    }
    let (few, _) = compiled(vec![rule(0, Effect::Allow, "path", "/srv/**".to_owned())]);
    let request = asked.request("files:read", Subject::Resource(&file));
    decides(&few, &request, Some((Effect::Allow, "rule-0")));
}

/// Shapes that make the memory of other engines grow with the square of their number.
fn ten_thousand_patterns_stay_small(asked: &Asked) {
    let letter = |n: usize| char::from(b'a' + u8::try_from(n % 26).unwrap());
    let each = |make: &dyn Fn(usize) -> RuleWire| (0..10_000).map(make).collect::<Vec<RuleWire>>();
    let shapes = [
        (
            "infix",
            each(&|n| rule(n, Effect::Deny, "service", format!("*a{n}*b*"))),
        ),
        (
            "letters",
            each(&|n| {
                let (a, b, c) = (letter(n), letter(n / 26), letter(n / 676));
                rule(n, Effect::Allow, "path", format!("**/*{a}*{b}*{c}*"))
            }),
        ),
        (
            "hostile",
            (0..300)
                .map(|n| {
                    let pattern = format!("/**/{}/*{n}", "*a".repeat(20));
                    rule(n, Effect::Ask, "path", pattern)
                })
                .collect(),
        ),
        (
            "equal",
            each(&|n| rule(n, Effect::Deny, "path", format!("**/same{}/**", n % 2))),
        ),
    ];
    let value = resource(ResourceKind::Path, "/srv/same1/aXbXc77");
    for (name, rules) in shapes {
        let (set, kept) = compiled(rules);
        assert!(kept < 24 * MIB, "{name}: {kept} bytes are kept");
        assert!(set.rules().len() >= 300);
        let request = asked.request("files:read", Subject::Resource(&value));
        decides(&set, &request, None);
    }
}

#[test]
fn ten_thousand_patterns_stay_small_and_a_decision_allocates_nothing() {
    let asked = Asked {
        agent: AgentId::new("coder").unwrap(),
        profile: Profile::unknown("read"),
        params: json!({"n": 1}),
    };
    a_decision_allocates_nothing(&asked);
    ten_thousand_patterns_stay_small(&asked);
}
