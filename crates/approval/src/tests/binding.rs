//! The request digest: the same facts, the same digest; one byte of difference, another.

use std::collections::BTreeMap;

use proptest::prelude::*;
use serde_json::Value;
use tipstaff_schema::Placement;

use super::*;

/// Everything that a binding borrows.
#[derive(Debug, Clone, PartialEq)]
struct Facts {
    agent: String,
    tool_id: String,
    pin: String,
    action: String,
    resources: Vec<String>,
    access: Access,
    program: Option<String>,
    files: BTreeMap<String, String>,
    placement: Option<String>,
    cwd: Option<String>,
    env: BTreeMap<String, String>,
    timeout: Duration,
    params: Value,
}

impl Facts {
    fn of() -> Self {
        Self {
            agent: "coder".into(),
            tool_id: "spawn".into(),
            pin: "pin".into(),
            action: "command".into(),
            resources: vec!["/p/a".into()],
            access: Access::Write,
            program: Some("/usr/bin/make".into()),
            files: [("/usr/bin/make".into(), "1".into())].into(),
            placement: Some("local".into()),
            cwd: Some("/p".into()),
            env: BTreeMap::new(),
            timeout: Duration::from_secs(60),
            params: json!({"mode": "spawn", "body": "make test"}),
        }
    }

    fn digest_as(&self, version: u32) -> Digest {
        let parse = |value: &String| {
            Resource::parse(ResourceKind::Path, value, self.access, &Base::default()).unwrap()
        };
        let resources: Vec<Resource> = self.resources.iter().map(parse).collect();
        let placement = self
            .placement
            .as_ref()
            .map(|name| Placement::new(name).unwrap());
        let agent = AgentId::new(&self.agent).unwrap();
        let binding = Binding {
            agent: &agent,
            tool_id: &self.tool_id,
            pin: &digest(&self.pin),
            action: &self.action,
            resources: &resources,
            program: self.program.as_deref(),
            files: &self.files,
            placement: placement.as_ref(),
            cwd: self.cwd.as_deref(),
            env: &self.env,
            timeout: self.timeout,
            params: &self.params,
        };
        binding.digest_as(version).unwrap()
    }

    fn digest(&self) -> Digest {
        self.digest_as(Binding::VERSION)
    }
}

#[track_caller]
fn differs(change: impl Fn(&mut Facts)) {
    let mut facts = Facts::of();
    change(&mut facts);
    assert_ne!(facts.digest(), Facts::of().digest());
}

#[test]
fn c073_each_variant_of_an_approved_call_is_another_request() {
    differs(|f| drop(f.env.insert("LD_PRELOAD".into(), "/tmp/x.so".into())));
    differs(|f| f.timeout = Duration::from_secs(86_400));
    differs(|f| f.placement = Some("prod".into()));
    differs(|f| f.cwd = Some("/q".into()));
    differs(|f| f.params = json!({"mode": "call", "body": "make test"}));
    differs(|f| f.params = json!({"mode": "spawn", "body": "make test", "record": false}));
}

#[test]
fn the_same_file_name_that_resolves_to_another_program_is_another_request() {
    differs(|f| drop(f.files.insert("/usr/bin/make".into(), "2".into())));
    differs(|f| drop(f.files.insert("/p/Makefile".into(), "1".into())));
    differs(|f| f.program = Some("/tmp/make".into()));
    differs(|f| f.program = None);
}

#[test]
fn absent_and_empty_are_not_the_same() {
    differs(|f| f.cwd = None);
    differs(|f| f.cwd = Some(String::new()));
    differs(|f| f.placement = None);
    differs(|f| f.params = Value::Null);
    let (mut none, mut empty) = (Facts::of(), Facts::of());
    (none.cwd, empty.cwd) = (None, Some(String::new()));
    assert_ne!(none.digest(), empty.digest());
}

#[test]
fn key_order_and_spelling_of_json_change_nothing() {
    let read = |text: &str| {
        Facts {
            params: serde_json::from_str(text).unwrap(),
            ..Facts::of()
        }
        .digest()
    };
    assert_eq!(
        read(r#"{"a":1,"b":"\u00e9"}"#),
        read(r#"{"b": "é", "a": 1}"#)
    );
}

/// Changes one character of a text into another one.
fn nudge(text: &mut String, place: usize) {
    let mut chars: Vec<char> = text.chars().collect();
    match chars.len() {
        0 => chars.push('x'),
        len => {
            let c = &mut chars[place % len];
            *c = if *c == 'x' { 'y' } else { 'x' };
        }
    }
    *text = chars.into_iter().collect();
}

fn text() -> impl Strategy<Value = String> {
    "[a-z]{1,6}"
}

prop_compose! {
    fn facts()(
        agent in text(), tool_id in "\\PC{0,8}", pin in text(), action in "\\PC{0,8}",
        resources in prop::collection::vec("/[a-z]{1,6}", 1..4),
        program in prop::option::of("\\PC{0,8}"), placement in prop::option::of(text()), cwd in prop::option::of("\\PC{0,8}"),
        env in prop::collection::btree_map("[A-Z]{1,4}", "\\PC{0,8}", 0..3), files in prop::collection::btree_map("/[a-z]{1,4}", "\\PC{0,8}", 0..3),
        seconds in 1u64..100_000, nanos in 0u32..1_000_000_000, value in "\\PC{0,8}",
    ) -> Facts {
        let params = json!({"path": value, "n": [1, {"deep": true}]});
        let timeout = Duration::new(seconds, nanos);
        Facts { agent, tool_id, pin, action, resources, access: Access::Write, program, files, placement, cwd, env, timeout, params }
    }
}

proptest! {
    #[test]
    fn a_change_of_one_character_in_any_field_changes_the_digest(before in facts(), field in 0usize..14, place in 0usize..64) {
        let mut after = before.clone();
        match field {
            0 => nudge(&mut after.agent, place),
            1 => nudge(&mut after.tool_id, place),
            2 => nudge(&mut after.pin, place),
            3 => nudge(&mut after.action, place),
            4 => after.resources[0].push('x'),
            5 => after.access = Access::Read,
            6 => nudge(after.program.get_or_insert_default(), place),
            7 => nudge(after.placement.get_or_insert_default(), place),
            8 => nudge(after.cwd.get_or_insert_default(), place),
            9 => nudge(after.env.entry("PATH".into()).or_default(), place),
            10 => after.timeout += Duration::from_nanos(1),
            11 => after.params["path"] = json!(format!("{}x", before.params["path"].as_str().unwrap())),
            12 => nudge(after.files.entry("/a".into()).or_default(), place),
            _ => after.resources.push("/x".into()),
        }
        prop_assert_ne!(&before, &after);
        prop_assert_ne!(before.digest(), after.digest());
        prop_assert_ne!(before.digest(), before.digest_as(Binding::VERSION + 1));
        prop_assert_eq!(before.digest(), before.clone().digest());
    }
}
