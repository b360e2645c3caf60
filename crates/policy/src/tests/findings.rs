//! What is reported when rules are loaded.

use serde_json::{Value, json};
use tipstaff_schema::Profile;

use super::{Call, compiled_in, errors, findings, of_kind, time, wires, world};
use crate::wire::RuleWire;
use crate::{FindingKind, PolicySet, Severity, World, WorldCapability, WorldServer};

#[test]
fn c101_a_form_that_can_exist_nowhere_is_an_error() {
    for (capability, word) in [
        ("mcp__db__drop_database", "not a valid form"),
        ("mcp__*", "not a valid form"),
        ("db.drop-database", "not a valid form"),
        ("db:drop_database", "did you mean `db:drop-database`"),
        ("dbx:drop", "no server `dbx`"),
        ("mcp:db:gone", "no tool"),
    ] {
        let found = findings(
            json!([{"capability": capability, "effect": "deny", "guard": true}]),
            &world(),
        );
        let found = errors(&found);
        assert_eq!(found.len(), 1, "{capability}");
        assert!(found[0].to_string().contains(word), "{}", found[0]);
    }
    for capability in [
        "db:drop-database",
        "mcp:db:drop-database",
        "db:*",
        "*",
        "spawn",
        "web:anything",
        "web:@resource",
        "*:read",
    ] {
        let found = findings(
            json!([{"capability": capability, "effect": "deny", "guard": true}]),
            &world(),
        );
        assert!(errors(&found).is_empty(), "{capability}");
    }
    let note = findings(
        json!([{"capability": "web:anything", "effect": "allow"}]),
        &world(),
    );
    assert_eq!(
        of_kind(&note, FindingKind::UnknownName)[0].severity,
        Severity::Note
    );
}

#[test]
fn c130_a_star_behind_a_letter_is_warned_of_in_an_allow() {
    let warned = |rule: Value| {
        !of_kind(
            &findings(json!([rule]), &World::default()),
            FindingKind::NoSeparator,
        )
        .is_empty()
    };
    assert!(warned(json!({"capability": "mail*", "effect": "allow"})));
    assert!(warned(
        json!({"target": {"service": "prod*"}, "effect": "allow"})
    ));
    assert!(warned(
        json!({"capability": "spawn", "target": {"command": ["git*"]}, "effect": "allow"})
    ));
    assert!(!warned(json!({"capability": "mail:*", "effect": "allow"})));
    assert!(!warned(
        json!({"capability": "files:read_*", "target": "/srv/data/**", "effect": "allow"})
    ));
    assert!(!warned(json!({"target": "**/.env*", "effect": "deny"})));
}

#[test]
fn c059_an_allow_that_loses_every_tie_is_named_with_the_ways_out() {
    let rules = json!([
        {"id": "closed", "target": "**/.env.*", "effect": "deny"},
        {"id": "open", "target": "**/.env.example", "effect": "allow"},
    ]);
    let (set, found) = compiled_in(rules, &world());
    let tie = of_kind(&found, FindingKind::NeverWinsTie)[0];
    assert_eq!(tie.rules, ["open", "closed"]);
    assert!(
        tie.fix.contains("agent") && tie.fix.contains("action"),
        "{}",
        tie.fix
    );
    let effect = |path: &str| Call::to("f:r").path(path).decide(&set).effect.as_str();
    assert_eq!(
        [
            effect("/a/.env.example"),
            effect("/a/.envrc"),
            effect("/a/.env.local")
        ],
        ["deny", "ask", "deny"]
    );
    let refused = PolicySet::compile(
        wires(&json!([{"id": "a", "target": "**/.env.!(example)", "effect": "deny"}])),
        &World::default(),
    );
    assert!(refused.is_err());
}

#[test]
fn an_agent_that_there_is_not_is_an_error() {
    let found = findings(json!([{"agent": "codr", "effect": "allow"}]), &world());
    assert!(
        errors(&found)[0]
            .to_string()
            .contains("did you mean `coder`")
    );
}

#[test]
fn conditions_are_held_against_the_closed_schema() {
    let found = findings(
        json!([{"capability": "db:read_file", "when": [{"path": "/pth", "exists": true}], "effect": "allow"}]),
        &world(),
    );
    let error = errors(&found)[0];
    assert_eq!(error.field.as_deref(), Some("when.0"));
    assert!(error.message.contains("additionalProperties") && error.message.contains("never fire"));
    let several = findings(
        json!([{"capability": "db:*", "when": [{"path": "/pth", "exists": true}], "effect": "allow"}]),
        &world(),
    );
    assert!(errors(&several).is_empty());
}

#[test]
fn an_action_or_a_kind_that_no_tool_has_is_an_error() {
    let found = findings(
        json!([{"capability": "db:read_file", "action": "cal", "effect": "allow"}]),
        &world(),
    );
    assert!(
        errors(&found)[0]
            .to_string()
            .contains("did you mean `call`")
    );
    let found = findings(
        json!([{"capability": "db:read_file", "target": {"host": "a.example"}, "effect": "allow"}]),
        &world(),
    );
    assert_eq!(errors(&found)[0].kind, FindingKind::NeverMatches);
}

#[test]
fn tools_without_a_resource_rule_are_named_to_a_deny_with_a_target() {
    let found = findings(
        json!([{"target": "**/.env*", "effect": "deny", "guard": true}]),
        &world(),
    );
    let hole = of_kind(&found, FindingKind::Hole)[0];
    assert!(hole.message.contains("db:drop-database") && !hole.message.contains("db:read_file"));
    assert_eq!(hole.severity, Severity::Note);
}

#[test]
fn an_expired_rule_is_a_warning() {
    let world = World {
        now: Some(time("2026-01-05T12:00:00Z")),
        ..World::default()
    };
    let found = findings(
        json!([{"until": "2026-01-05T11:59:59Z", "effect": "allow"}]),
        &world,
    );
    assert_eq!(
        of_kind(&found, FindingKind::Expired)[0].severity,
        Severity::Warning
    );
    assert!(
        findings(
            json!([{"until": "2026-01-05T12:00:00Z", "effect": "allow"}]),
            &world
        )
        .is_empty()
    );
}

#[test]
fn a_relative_pattern_needs_an_agent_with_a_root() {
    let mut world = world();
    world.agents[1].root = None;
    let compile = |rule: Value| PolicySet::compile(wires(&json!([rule])), &world);
    let refused = compile(json!({"id": "a", "target": "./src/**", "effect": "allow"}))
        .map(|_| ())
        .unwrap_err();
    assert_eq!(refused[0].kind, FindingKind::NeedsRoot);
    assert!(refused[0].message.contains("`helper`"));
    assert!(
        compile(json!({"id": "a", "agent": "coder", "target": "./src/**", "effect": "allow"}))
            .is_ok()
    );
    assert!(compile(json!({"id": "a", "target": "/srv/**", "effect": "allow"})).is_ok());
    // What stops `coder` also stops those that it starts; an allow only when it says so.
    for (rule, want) in [
        (json!({"effect": "deny", "guard": true}), false),
        (json!({"effect": "ask"}), false),
        (json!({"effect": "allow", "inherit": true}), false),
        (json!({"effect": "allow"}), true),
    ] {
        let mut rule = rule;
        rule["id"] = json!("a");
        rule["agent"] = json!("coder");
        rule["target"] = json!("./src/**");
        assert_eq!(compile(rule.clone()).is_ok(), want, "{rule}");
    }
    for (effects, want) in [
        (json!({"reads": ["/srv/**"]}), true),
        (json!({"reads": ["src/**"]}), false),
        (json!({"writes": ["/srv/a", "./b"]}), false),
        (json!("read-only"), true),
    ] {
        let rule = json!({"id": "a", "capability": "spawn", "target": {"command": ["ls"]}, "effect": "allow",
            "effects": effects});
        assert_eq!(compile(rule.clone()).is_ok(), want, "{rule}");
    }
}

#[test]
fn c067_a_deny_on_the_ipv4_loopback_without_its_ipv6_twin_is_told() {
    let loopback = |rules: Value| {
        let found = findings(rules, &World::default());
        of_kind(&found, FindingKind::Hole)
            .iter()
            .filter(|finding| finding.message.contains("loopback"))
            .map(|finding| (finding.severity, finding.rules.clone()))
            .collect::<Vec<_>>()
    };
    let v4 = json!({"id": "v4", "target": {"host": "127.0.0.0/8"}, "effect": "deny"});
    let v6 = json!({"id": "v6", "target": {"host": "::1"}, "effect": "deny", "guard": true});
    let told = [(Severity::Warning, vec!["v4".to_owned()])];
    assert_eq!(loopback(json!([v4])), told);
    assert_eq!(loopback(json!([v4, v6])), []);
    let mut other = v6;
    other["agent"] = json!("coder");
    assert_eq!(loopback(json!([v4, other])), told);
    let every = json!({"id": "all", "target": {"host": "*"}, "effect": "deny"});
    assert_eq!(loopback(json!([every])), []);
}

#[test]
fn a_plain_target_takes_the_single_kind_of_the_tools_that_it_covers() {
    let mut world = world();
    let tool = |name: &str, kinds: &[&str]| WorldCapability {
        name: name.to_owned(),
        tool_id: format!("mcp:{name}"),
        profile: Profile {
            resources: kinds
                .iter()
                .map(|kind| serde_json::from_value(json!({"kind": kind, "from": "/x"})).unwrap())
                .collect(),
            ..Profile::unknown("call")
        },
        input_schema: None,
        known: true,
        sample: false,
    };
    world.capabilities = vec![
        tool("db:read", &["path", "path"]),
        tool("db:ping", &["host"]),
        tool("db:move", &["path", "url"]),
        tool("db:none", &[]),
    ];
    let kind_of = |capability: &str, target: &str| {
        let rule = json!({"id": "a", "capability": capability, "target": target, "effect": "ask"});
        PolicySet::compile(wires(&json!([rule])), &world).map(|(set, _)| {
            let Some(crate::Target::Resource(pattern)) = set.rules()[0].target() else {
                panic!("no pattern")
            };
            pattern.kind()
        })
    };
    use tipstaff_schema::ResourceKind::{Host, Path, Url};
    for (capability, target, want) in [
        ("db:read", "docs/**", Path),
        ("db:r*", "*.md", Path),
        ("mcp:db:read", "secrets/", Path),
        ("db:ping", "*.good.example", Host),
        // What shows its kind needs no tool.
        ("db:ping", "https://good.example/", Url),
        ("*", "/docs/**", Path),
    ] {
        assert_eq!(
            kind_of(capability, target).unwrap(),
            want,
            "{capability} {target}"
        );
    }
    for (capability, why) in [
        ("*", "act on several: path, url, host"),
        ("db:move", "act on several: path, url"),
        ("db:none", "no tool that the rule covers"),
        ("web:unknown", "no tool that the rule covers"),
    ] {
        let refused = kind_of(capability, "docs/**").unwrap_err();
        assert!(refused[0].message.contains(why), "{}", refused[0].message);
        assert!(
            refused[0].fix.contains("{host: \"docs/**\"}"),
            "{}",
            refused[0].fix
        );
    }
}

/// The world of that page's example: a listed server `files`, and commands.
fn files_world() -> World {
    let files = |name: &str, resource: bool| WorldCapability {
        name: format!("files:{name}"),
        tool_id: format!("mcp:files:{name}"),
        profile: Profile {
            resources: resource
                .then(|| serde_json::from_value(json!({"kind": "path", "from": "/path"})).unwrap())
                .into_iter()
                .collect(),
            ..Profile::unknown("call")
        },
        input_schema: None,
        known: true,
        sample: false,
    };
    let mut world = World {
        agents: world().agents,
        ..World::default()
    };
    world.servers = vec![WorldServer {
        name: "files".to_owned().try_into().unwrap(),
        listed: true,
    }];
    world.capabilities = vec![
        files("read_text_file", true),
        files("write_file", true),
        WorldCapability {
            name: "spawn".to_owned(),
            tool_id: "spawn".to_owned(),
            ..files("x", false)
        },
    ];
    world
}

#[test]
fn the_example_of_the_manifest_page_has_no_error_and_no_warning() {
    let world = files_world();
    let mut rules = wires(&json!([
        {"id": "read-data", "capability": "files:read_*", "target": "/srv/data/**", "effect": "allow"},
        {"id": "secrets", "guard": true, "target": "**/.env*", "effect": "deny", "reason": "secrets stay where they are"},
        {"id": "write-by-day", "agent": "coder", "capability": "files:write_file", "effect": "allow",
            "hours": {"from": "08:00", "to": "18:00", "days": ["mon-fri"]}, "when": [{"path": "/content", "exists": true}]},
    ]));
    rules.extend([
        json!({"id": "git-read", "command": ["git", "{status,diff,log,show}", "**flags"], "effect": "allow"}),
        json!({"id": "no-push", "command": ["git", "push", "**flags"], "effect": "deny"}),
    ].map(RuleWire::from_command));
    let (set, found) = PolicySet::compile(rules, &world).unwrap();
    assert!(found.is_empty(), "{found:#?}");
    let effect = |words: &[&str]| Call::command(words).decide(&set).effect.as_str();
    assert_eq!(
        [
            effect(&["git", "status"]),
            effect(&["git", "push"]),
            effect(&["git", "add"])
        ],
        ["allow", "deny", "ask"]
    );
    let read = |path: &str| {
        Call::to("files:read_text_file")
            .path(path)
            .decide(&set)
            .effect
            .as_str()
    };
    assert_eq!(
        [
            read("/srv/data/a.txt"),
            read("/srv/data/.env"),
            read("/etc/passwd")
        ],
        ["allow", "deny", "ask"]
    );
}
