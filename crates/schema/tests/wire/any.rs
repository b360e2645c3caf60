//! Any value of each wire type, for properties.

use chrono::{DateTime, Utc};
use proptest::prelude::*;
use serde_json::{Value, json};
use tipstaff_schema::verbs::Tier;
use tipstaff_schema::*;
use uuid::Uuid;

/// Short text, often with characters that need care.
pub(crate) fn text() -> impl Strategy<Value = String> {
    prop_oneof![
        "[a-c]{0,3}",
        "[\\x00-\\x7f]{0,6}",
        "\\PC{0,4}",
        "[\u{d7ff}\u{e000}\u{fb33}😀é]{0,3}"
    ]
}

pub(crate) fn maybe() -> impl Strategy<Value = Option<String>> {
    prop::option::of(text())
}

pub(crate) fn texts() -> impl Strategy<Value = Vec<String>> {
    prop::collection::vec(text(), 0..3)
}

/// Any value as the strict reader gives it: what is whole is an integer.
pub(crate) fn any_json() -> impl Strategy<Value = Value> {
    let fraction = any::<f64>().prop_filter("whole", |it| it.is_finite() && it.fract() != 0.0);
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<u64>().prop_map(Value::from),
        fraction.prop_map(Value::from),
        text().prop_map(Value::from),
    ];
    leaf.prop_recursive(4, 24, 5, |inner| {
        let members = prop::collection::vec((text(), inner.clone()), 0..5);
        prop_oneof![
            prop::collection::vec(inner, 0..5).prop_map(Value::from),
            members.prop_map(|members| Value::Object(members.into_iter().collect())),
        ]
    })
}

pub(crate) fn time() -> impl Strategy<Value = DateTime<Utc>> {
    (-62_135_596_800_i64..253_402_300_800, 0u32..1_000_000_000)
        .prop_map(|(seconds, nanos)| DateTime::from_timestamp(seconds, nanos).unwrap())
}

pub(crate) fn verb() -> impl Strategy<Value = Verb> {
    ("[a-z]{1,4}", "\\PC{1,3}").prop_map(|(namespace, action)| Verb { namespace, action })
}

pub(crate) fn object() -> impl Strategy<Value = Object> {
    (text(), any_json()).prop_map(|(kind, value)| Object { kind, value })
}

pub(crate) fn provenance() -> impl Strategy<Value = Provenance> {
    prop_oneof![
        (text(), maybe(), time()).prop_map(|(raw_input, ui_origin, ts)| Provenance::User {
            raw_input,
            ui_origin,
            ts
        }),
        (text(), text(), maybe(), time()).prop_map(|(model, call_id, raw_input, ts)| {
            Provenance::Llm {
                model,
                call_id,
                raw_input,
                ts,
            }
        }),
        (text(), maybe(), time()).prop_map(|(trigger, raw_input, ts)| Provenance::Reflex {
            trigger,
            raw_input,
            ts
        }),
    ]
}

pub(crate) fn constraint() -> impl Strategy<Value = Constraint> {
    prop_oneof![
        text().prop_map(|path| Constraint::PathExists { path }),
        (text(), any::<u16>()).prop_map(|(host, port)| Constraint::NetReachable { host, port }),
        text().prop_map(|name| Constraint::EnvSet { name }),
        Just(Constraint::UserPresent),
        (text(), any_json()).prop_map(|(name, args)| Constraint::Custom { name, args }),
    ]
}

prop_compose! {
    pub(crate) fn token()(
        (id, parent_id) in (any::<u128>(), prop::option::of(any::<u128>())),
        (verb, object, provenance, namespace) in (verb(), object(), provenance(), text()),
        modifiers in prop::collection::btree_map(text(), any_json(), 0..3),
        required_capabilities in texts(),
        confidence in prop::option::of(0.0f32..=1.0),
        constraints in prop::collection::vec(constraint(), 0..3),
    ) -> IntentToken {
        IntentToken {
            id: Uuid::from_u128(id),
            parent_id: parent_id.map(Uuid::from_u128),
            modifiers,
            required_capabilities,
            confidence,
            constraints,
            ..IntentToken::new(verb, object, provenance, namespace)
        }
    }
}

pub(crate) fn source() -> impl Strategy<Value = ToolSource> {
    prop_oneof![
        text().prop_map(|server| ToolSource::McpServer { server }),
        text().prop_map(|id| ToolSource::NativeBackend {
            backend: BackendId::new(id)
        }),
        Just(ToolSource::Terminal),
    ]
}

pub(crate) fn route() -> impl Strategy<Value = ToolRoute> {
    prop_oneof![
        (text(), text(), maybe()).prop_map(|(server, tool, tool_id)| ToolRoute::Mcp {
            server,
            tool,
            tool_id
        }),
        (text(), maybe()).prop_map(|(id, tool_id)| ToolRoute::NativeBackend {
            backend: BackendId::new(id),
            tool_id
        }),
        (maybe(), maybe()).prop_map(|(session_hint, tool_id)| ToolRoute::Terminal {
            session_hint,
            tool_id
        }),
        text().prop_map(|ask| ToolRoute::HumanConfirm { ask }),
    ]
}

prop_compose! {
    pub(crate) fn usage()(
        (when_to_use, when_not_to, preconditions) in (maybe(), maybe(), texts()),
        (cost, example, tier) in (maybe(), maybe(), maybe()),
    ) -> ToolUsage {
        ToolUsage { when_to_use, when_not_to, preconditions, cost, example, tier }
    }
}

prop_compose! {
    pub(crate) fn annotations()(
        read_only_hint: bool, destructive_hint: bool, idempotent_hint: bool,
    ) -> ToolAnnotations {
        ToolAnnotations { read_only_hint, destructive_hint, idempotent_hint }
    }
}

/// Numbers as embeddings and scores have them. A whole number beyond 2^64 is refused by the strict
/// reader, whoever wrote it; minus zero is zero in JSON.
pub(crate) fn numbers() -> impl Strategy<Value = Vec<f32>> {
    let number = any::<f32>().prop_filter("too large", |it| it.abs() < 1e15);
    prop::collection::vec(number.prop_map(|it| it + 0.0), 1..4)
}

prop_compose! {
    pub(crate) fn tool()(
        (tool_id, source, verb, description) in (text(), source(), verb(), text()),
        (input_schema, output_schema) in (any_json(), prop::option::of(any_json())),
        (capabilities, annotations, usage) in (texts(), annotations(), usage()),
        embedding in prop::option::of(numbers()),
        (title, mcp_name) in (maybe(), maybe()),
    ) -> ToolDescriptor {
        ToolDescriptor {
            tool_id, source, verb, description, input_schema,
            // `null` says the same as no schema; the other empty ones no tool has.
            output_schema: output_schema
                .filter(|it| ![json!(null), json!([]), json!({}), json!(false)].contains(it)),
            capabilities, annotations, usage, embedding, title, mcp_name,
        }
    }
}

prop_compose! {
    pub(crate) fn resource_rule()(
        kind in prop::sample::select(KINDS), from in text(),
        access in prop::option::of(prop::sample::select(ACCESSES)),
        optional: bool,
        on in prop::option::of(prop::sample::select(PLACES)),
    ) -> ResourceRule {
        ResourceRule { kind, from, access, optional, on }
    }
}

prop_compose! {
    pub(crate) fn estimate()(
        wall_seconds in 0.0f64..1e9, network_operations: u64, money in 0.0f64..1e9, llm_tokens: u64,
    ) -> Estimate {
        Estimate { wall_seconds, network_operations, money, llm_tokens }
    }
}

pub(crate) const ACCESSES: &[Access] = &[
    Access::Read,
    Access::Write,
    Access::Delete,
    Access::Execute,
    Access::Connect,
];
pub(crate) const CALL_ACCESSES: &[CallAccess] = &[CallAccess::Read, CallAccess::Write];
pub(crate) const EFFECTS: &[Effect] = &[Effect::Allow, Effect::Ask, Effect::Deny];
pub(crate) const TRUSTS: &[OutputTrust] =
    &[OutputTrust::Operator, OutputTrust::Tool, OutputTrust::Low];
pub(crate) const REACHES: &[Reach] = &[
    Reach::None,
    Reach::LocalState,
    Reach::Process,
    Reach::External,
];
pub(crate) const KINDS: &[ResourceKind] = &[
    ResourceKind::Path,
    ResourceKind::Url,
    ResourceKind::Host,
    ResourceKind::Domain,
    ResourceKind::Service,
    ResourceKind::Repository,
    ResourceKind::Command,
    ResourceKind::None,
];
pub(crate) const PLACES: &[ResourcePlace] = &[ResourcePlace::Local, ResourcePlace::Remote];
pub(crate) const RISKS: &[Risk] = &[Risk::Low, Risk::Medium, Risk::High, Risk::Critical];
pub(crate) const TIERS: &[Tier] = &[
    Tier::Read,
    Tier::Write,
    Tier::Execute,
    Tier::External,
    Tier::Destructive,
];
