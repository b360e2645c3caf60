//! The JSON Schema of a rule and of a decision.
//!
//! Written by hand, since a rule is read by hand. It says what can be said of a rule's form: keys,
//! types, aliases, what goes with which effect. What patterns, zones and names may be is said by the
//! reader alone, so that the schema never refuses a rule that is read.

use serde_json::{Map, Value, json};

/// Each document's name in `snake_case` with its schema, by name.
#[must_use]
pub fn wire_schemas() -> Vec<(&'static str, Value)> {
    vec![("policy_decision", decision()), ("policy_rule", rule())]
}

const DRAFT: &str = "https://json-schema.org/draft/2020-12/schema";

/// A text that is not blank.
fn text(about: &str) -> Value {
    json!({ "description": about, "type": "string", "pattern": "\\S" })
}

fn flag(about: &str) -> Value {
    json!({ "description": about, "type": "boolean" })
}

fn texts(about: &str) -> Value {
    json!({
        "description": about,
        "anyOf": [{ "type": "string" }, { "type": "array", "items": { "type": "string" } }],
    })
}

/// At most one of a field and its alias.
fn not_both(one: &str, other: &str) -> Value {
    json!({ "not": { "required": [one, other] } })
}

/// What is set only beside one effect.
fn only_with(field: &str, set: &Value, effect: &str) -> Value {
    json!({
        "if": { "required": [field], "properties": { field: set } },
        "then": { "properties": { "effect": { "const": effect } } },
    })
}

fn properties(parts: &[Value]) -> Map<String, Value> {
    let maps = parts.iter().filter_map(Value::as_object);
    maps.flatten()
        .map(|(key, value)| (key.clone(), value.clone()))
        .collect()
}

/// The schema of a rule as it is written.
fn rule() -> Value {
    let who = json!({
        "id": { "description": "Unique over the whole manifest; shown in reasons.", "type": "string",
            "pattern": "^\\S+$", "maxLength": 128 },
        "agent": text("The exact agent; absent means every agent."),
        "mind_id": text("An alias of `agent`."),
        "capability": text("A tool's name or id, or a pattern over names; absent or `*` means every tool."),
        "action": text("The exact action label; absent or `*` means any."),
        "action_kind": text("An alias of `action`."),
        "target": { "$ref": "#/$defs/target" },
        "target_pattern": { "$ref": "#/$defs/target" },
    });
    let when = json!({
        "hours": { "$ref": "#/$defs/hours" },
        "hours_from": { "$ref": "#/$defs/clock" },
        "hours_to": { "$ref": "#/$defs/clock" },
        "when": { "description": "Conditions over the parameters; all are required.",
            "type": "array", "minItems": 1, "items": { "$ref": "#/$defs/condition" } },
        "until": text("RFC 3339; after it the rule is gone."),
        "cwd": text("A path pattern for a command's working folder."),
        "placement": text("The placement of a command."),
    });
    let what = json!({
        "effect": { "enum": ["allow", "ask", "deny"] },
        "guard": flag("Judged before everything; cannot be outranked. Only with deny."),
        "overridable": flag("A more specific rule may lift it. Only with deny."),
        "fresh": flag("Only a person answers. Only with ask."),
        "approval": { "$ref": "#/$defs/approval" },
        "inherit": flag("An allow that also holds for agents that its agent starts."),
        "effects": { "$ref": "#/$defs/effects" },
    });
    let about = json!({
        "reason": text("Why, for people."),
        "created_by": text("Who wrote it."),
        "created_at": text("RFC 3339."),
        "updated_at": text("RFC 3339."),
    });
    json!({
        "$schema": DRAFT,
        "title": "policy_rule",
        "description": "One line of policy: dimensions and an effect.",
        "type": "object",
        "properties": properties(&[who, when, what, about]),
        "required": ["id", "effect"],
        "additionalProperties": false,
        "allOf": exclusions(),
        "$defs": definitions(),
    })
}

fn exclusions() -> Vec<Value> {
    let (yes, any) = (json!({ "const": true }), json!(true));
    vec![
        not_both("agent", "mind_id"),
        not_both("target", "target_pattern"),
        not_both("action", "action_kind"),
        not_both("hours", "hours_from"),
        not_both("hours", "hours_to"),
        json!({ "dependentRequired": { "hours_from": ["hours_to"], "hours_to": ["hours_from"] } }),
        only_with("guard", &yes, "deny"),
        only_with("overridable", &yes, "deny"),
        only_with("fresh", &yes, "ask"),
        only_with("approval", &any, "ask"),
        only_with("effects", &any, "allow"),
        json!({
            "if": { "required": ["guard"], "properties": { "guard": yes } },
            "then": { "not": { "required": ["until"] },
                "properties": { "overridable": { "const": false } } },
        }),
    ]
}

fn definitions() -> Value {
    json!({
        "target": target(), "clock": clock(), "hours": hours(), "condition": condition(),
        "approval": approval(), "effects": effects(),
    })
}

fn target() -> Value {
    let words = json!({ "type": "array", "minItems": 1, "items": { "type": "string" } });
    json!({
        "description": "A pattern for the resource, or one behind the name of its kind.",
        "anyOf": [
            { "type": "string", "minLength": 1 },
            {
                "type": "object", "minProperties": 1, "maxProperties": 1,
                "properties": { "command": words },
                "additionalProperties": { "type": "string" },
            },
        ],
    })
}

fn clock() -> Value {
    json!({
        "description": "A whole hour, or `HH:MM`.",
        "anyOf": [{ "type": "integer", "minimum": 0, "maximum": 24 }, { "type": "string" }],
    })
}

fn hours() -> Value {
    let clock = json!({ "$ref": "#/$defs/clock" });
    json!({
        "description": "`from <= h < to`; wraps over midnight where `from` is after `to`.",
        "type": "object",
        "properties": {
            "from": clock, "hours_from": clock, "to": clock, "hours_to": clock,
            "tz": text("An IANA zone."),
            "days": texts("Names or ranges of days, such as `mon-fri`."),
        },
        "additionalProperties": false,
        "allOf": [
            { "oneOf": [{ "required": ["from"] }, { "required": ["hours_from"] }] },
            { "oneOf": [{ "required": ["to"] }, { "required": ["hours_to"] }] },
        ],
    })
}

fn approval() -> Value {
    let duration = json!({ "type": "string", "pattern": "^[0-9]+[smhd]$" });
    json!({
        "description": "Terms of the approvals that an ask needs.",
        "type": "object",
        "properties": {
            "expire": duration, "use_within": duration,
            "audience": texts("The roles that may answer."),
            "quorum": { "type": "integer", "minimum": 1, "maximum": 100 },
            "four_eyes": { "type": "boolean" },
        },
        "additionalProperties": false,
    })
}

fn effects() -> Value {
    let allowance = json!({
        "anyOf": [{ "enum": ["none", "any"] }, { "type": "array", "items": { "type": "string" } },
            { "type": "null" }],
    });
    json!({
        "description": "The ceiling of an allow for a command.",
        "anyOf": [
            { "enum": ["read-only", "any"] },
            {
                "type": "object",
                "properties": {
                    "reads": allowance, "writes": allowance, "deletes": allowance,
                    "connects": allowance, "executes": allowance, "sets": allowance,
                    "escalates": { "enum": ["none", "any", null] },
                },
                "additionalProperties": false,
            },
        ],
    })
}

fn condition() -> Value {
    let operators = ["equals", "in", "at_least", "at_most", "exists"];
    let one = operators.map(|key| json!({ "required": [key] }));
    json!({
        "description": "A pointer and exactly one operator.",
        "type": "object",
        "properties": {
            "path": { "description": "RFC 6901 pointer.", "type": "string", "pattern": "^/" },
            "equals": true,
            "in": { "type": "array", "minItems": 1 },
            "at_least": { "type": "number" },
            "at_most": { "type": "number" },
            "exists": { "type": "boolean" },
            "each": flag("The pointer selects an array and every element must hold."),
        },
        "required": ["path"],
        "additionalProperties": false,
        "oneOf": one,
        "not": { "required": ["each", "exists"],
            "properties": { "each": { "const": true }, "exists": { "const": false } } },
    })
}

/// The schema of a decision as it is sent.
fn decision() -> Value {
    let count = json!({ "type": "integer", "minimum": 0 });
    json!({
        "$schema": DRAFT,
        "title": "policy_decision",
        "description": "The outcome of policy for one call or one part of it.",
        "type": "object",
        "properties": {
            "effect": { "enum": ["allow", "ask", "deny"] },
            "policy_id": { "description": "The rule that decided.", "type": "string" },
            "grant_id": { "description": "The grant that answered.", "type": "string" },
            "specificity": { "type": "integer", "minimum": 0, "maximum": u32::MAX },
            "reason": { "type": "string" },
            "locked": { "type": "boolean" },
            "considered": count,
            "tightened": flag("Whether the caller made an allow an ask."),
            "guard": flag("Whether a guard decided."),
            "policy_digest": { "type": "string", "pattern": "^sha256:[0-9a-f]{64}$" },
        },
        "required": ["effect", "specificity", "reason", "locked", "considered"],
        "additionalProperties": false,
    })
}
