//! What every wire type writes: it reads back as the same, and has the keys of its table and no
//! others.

use std::collections::BTreeSet;

use proptest::prelude::*;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use tipstaff_schema::*;

use crate::any::*;

/// The keys of a JSON object: those that are always there, and those that are there only with
/// something in them.
type Keys = (&'static [&'static str], &'static [&'static str]);

/// Written as text, as a value and as canonical text, it reads back as the same; what is read is
/// written the same way again.
fn survives<T: Serialize + DeserializeOwned + PartialEq>(it: &T) -> Result<(), TestCaseError> {
    let value = json!(it);
    let texts = [
        serde_json::to_string(it).unwrap(),
        canonical(&value).unwrap(),
    ];
    for text in texts {
        let strict = parse_strict(text.as_bytes()).unwrap();
        prop_assert!(serde_json::from_str::<T>(&text).unwrap() == *it, "{}", text);
        let read = serde_json::from_value::<T>(strict).unwrap();
        prop_assert!(read == *it, "{}", text);
        prop_assert_eq!(&json!(read), &value);
    }
    Ok(())
}

fn has_keys(value: &Value, (always, filled): Keys) -> Result<(), TestCaseError> {
    let members = value.as_object().unwrap();
    for key in always {
        prop_assert!(members.contains_key(*key), "{} lacks {}", value, key);
    }
    for (key, member) in members
        .iter()
        .filter(|(key, _)| !always.contains(&key.as_str()))
    {
        prop_assert!(filled.contains(&key.as_str()), "{} has {}", value, key);
        let empty = [json!(null), json!([]), json!({}), json!(false)].contains(member);
        prop_assert!(!empty, "{} has an empty {}", value, key);
    }
    Ok(())
}

fn token_keys() -> Keys {
    (
        &["schema", "id", "verb", "object", "provenance", "namespace"],
        &[
            "parent_id",
            "modifiers",
            "required_capabilities",
            "confidence",
            "constraints",
        ],
    )
}

fn provenance_keys(it: &Provenance) -> Keys {
    match it {
        Provenance::User { .. } => (&["source", "raw_input", "ts"], &["ui_origin"]),
        Provenance::Llm { .. } => (&["source", "model", "call_id", "ts"], &["raw_input"]),
        Provenance::Reflex { .. } => (&["source", "trigger", "ts"], &["raw_input"]),
    }
}

fn constraint_keys(it: &Constraint) -> Keys {
    match it {
        Constraint::PathExists { .. } => (&["op", "path"], &[]),
        Constraint::NetReachable { .. } => (&["op", "host", "port"], &[]),
        Constraint::EnvSet { .. } => (&["op", "name"], &[]),
        Constraint::UserPresent => (&["op"], &[]),
        Constraint::Custom { .. } => (&["op", "name", "args"], &[]),
    }
}

fn source_keys(it: &ToolSource) -> Keys {
    match it {
        ToolSource::McpServer { .. } => (&["kind", "server"], &[]),
        ToolSource::NativeBackend { .. } => (&["kind", "backend"], &[]),
        ToolSource::Terminal => (&["kind"], &[]),
    }
}

fn route_keys(it: &ToolRoute) -> Keys {
    match it {
        ToolRoute::Mcp { .. } => (&["kind", "server", "tool"], &["tool_id"]),
        ToolRoute::NativeBackend { .. } => (&["kind", "backend"], &["tool_id"]),
        ToolRoute::Terminal { .. } => (&["kind"], &["session_hint", "tool_id"]),
        ToolRoute::HumanConfirm { .. } => (&["kind", "ask"], &[]),
    }
}

const ANNOTATIONS: Keys = (
    &["read_only_hint", "destructive_hint", "idempotent_hint"],
    &[],
);
const USAGE: Keys = (
    &[],
    &[
        "when_to_use",
        "when_not_to",
        "preconditions",
        "cost",
        "example",
        "tier",
    ],
);
const TOOL: Keys = (
    &[
        "tool_id",
        "source",
        "verb",
        "description",
        "input_schema",
        "annotations",
    ],
    &[
        "output_schema",
        "capabilities",
        "usage",
        "embedding",
        "title",
        "mcp_name",
    ],
);

/// Every value of a plain word type is written as a word of its own and reads back.
fn words<T: Serialize + DeserializeOwned + PartialEq>(all: &[T]) -> Result<(), TestCaseError> {
    let written: BTreeSet<_> = all
        .iter()
        .map(|it| json!(it).as_str().unwrap().to_owned())
        .collect();
    prop_assert_eq!(written.len(), all.len());
    all.iter().try_for_each(survives)
}

macro_rules! round_trips {
    ($($wire:literal $test:ident($it:pat_param in $strategy:expr) $body:block)+) => {
        proptest! {
            $(
                #[test]
                fn $test($it in $strategy) $body
            )+
        }

        #[test]
        fn every_wire_type_has_its_round_trip() {
            let tried: BTreeSet<&str> = [$($wire),+].into();
            let all: BTreeSet<&str> = wire_schemas().into_iter().map(|(name, _)| name).collect();
            assert_eq!(tried, all);
        }
    };
}

round_trips! {
    "access" access(_ in Just(())) { words(ACCESSES)?; }
    "agent_id" agent_id(it in "[A-Za-z0-9._/:@-]{1,128}") { survives(&AgentId::new(it).unwrap())?; }
    "backend_id" backend_id(it in text()) {
        prop_assert_eq!(json!(BackendId::new(it.clone())), json!(it));
        survives(&BackendId::new(it))?;
    }
    "call_access" call_access(_ in Just(())) { words(CALL_ACCESSES)?; }
    "constraint" a_constraint(it in constraint()) {
        survives(&it)?;
        has_keys(&json!(it), constraint_keys(&it))?;
    }
    "digest" digest(bytes in any::<[u8; 8]>()) {
        survives(&Digest::of_canonical(Domain::Answer, &bytes))?;
    }
    "effect" effect(_ in Just(())) { words(EFFECTS)?; }
    "estimate" an_estimate(it in estimate()) {
        survives(&it)?;
        let all = &["wall_seconds", "network_operations", "money", "llm_tokens"];
        has_keys(&json!(it), (all, &[]))?;
    }
    "intent_token" intent_token(it in token()) {
        survives(&it)?;
        prop_assert!(it.validate().is_ok());
        let value = json!(it);
        prop_assert_eq!(&IntentToken::from_json(value.to_string().as_bytes()).unwrap(), &it);
        has_keys(&value, token_keys())?;
        has_keys(&value["provenance"], provenance_keys(&it.provenance))?;
        has_keys(&value["verb"], (&["namespace", "action"], &[]))?;
        has_keys(&value["object"], (&["kind", "value"], &[]))?;
    }
    "name_pattern" name_pattern(it in "[^\\s\\x00-\\x1F\\x7F-\\u{9F}]{1,60}") {
        survives(&NamePattern::new(it).unwrap())?;
    }
    "object" an_object(it in object()) {
        survives(&it)?;
        has_keys(&json!(it), (&["kind", "value"], &[]))?;
    }
    "output_trust" output_trust(_ in Just(())) { words(TRUSTS)?; }
    "person" person(it in "[A-Za-z0-9._@:-]{1,128}") { survives(&Person::new(it).unwrap())?; }
    "placement" placement(it in "[A-Za-z0-9_-]{1,64}") { survives(&Placement::new(it).unwrap())?; }
    "provenance" a_provenance(it in provenance()) {
        survives(&it)?;
        has_keys(&json!(it), provenance_keys(&it))?;
    }
    "reach" reach(_ in Just(())) { words(REACHES)?; }
    "resource_kind" resource_kind(_ in Just(())) { words(KINDS)?; }
    "resource_place" resource_place(_ in Just(())) { words(PLACES)?; }
    "resource_rule" a_resource_rule(it in resource_rule()) {
        survives(&it)?;
        has_keys(&json!(it), (&["kind", "from"], &["access", "optional", "on"]))?;
    }
    "risk" risk(_ in Just(())) { words(RISKS)?; }
    "role" role(it in "[A-Za-z0-9._-]{1,64}") { survives(&Role::new(it).unwrap())?; }
    "scored_tool" scored_tool((tool, scores) in (tool(), numbers())) {
        let it = ScoredTool { tool, score: scores[0] };
        survives(&it)?;
        has_keys(&json!(it), (&["tool", "score"], &[]))?;
    }
    "server_name" server_name(it in "[a-z0-9-]{1,32}") { survives(&ServerName::new(it).unwrap())?; }
    "tier" tier(_ in Just(())) { words(TIERS)?; }
    "tool_annotations" tool_annotations(it in annotations()) {
        survives(&it)?;
        has_keys(&json!(it), ANNOTATIONS)?;
    }
    "tool_descriptor" tool_descriptor(it in tool()) {
        survives(&it)?;
        let value = json!(it);
        has_keys(&value, TOOL)?;
        has_keys(&value["annotations"], ANNOTATIONS)?;
        prop_assert_eq!(value.get("usage").is_none(), it.usage.is_empty());
    }
    "tool_route" tool_route(it in route()) {
        survives(&it)?;
        has_keys(&json!(it), route_keys(&it))?;
    }
    "tool_source" tool_source(it in source()) {
        survives(&it)?;
        has_keys(&json!(it), source_keys(&it))?;
    }
    "tool_usage" tool_usage(it in usage()) {
        survives(&it)?;
        has_keys(&json!(it), USAGE)?;
    }
    "verb" a_verb(it in verb()) {
        survives(&it)?;
        has_keys(&json!(it), (&["namespace", "action"], &[]))?;
    }
}
