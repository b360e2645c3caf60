//! Conditions of denies that a call passes by: which are seen through `$ref`, `allOf` and defaults, and
//! which look like it and are none.
#![expect(
    clippy::needless_pass_by_value,
    reason = "schemas and conditions are written where they are used"
)]

use serde_json::{Value, json};

use super::analysis::analysed;
use super::of_kind;
use super::small_world::{self, matching, replay};
use crate::{Finding, FindingKind};

/// What is found of a guard with these conditions on a tool with this schema; the call of each finding
/// is one that the guard does not match.
#[track_caller]
fn found(schema: Value, when: Value) -> Option<Finding> {
    let mut world = small_world::world();
    world.capabilities[0].input_schema = Some(schema);
    let rules =
        json!([{"id": "g", "capability": "f:r", "when": when, "effect": "deny", "guard": true}]);
    let (set, analysis) = analysed(rules, &world);
    let found = of_kind(&analysis.findings, FindingKind::FailsOpen);
    let found = found.first().copied().cloned()?;
    let call = found.witness.clone().unwrap();
    let met = matching(&set, &replay(&call, &world));
    assert_eq!(met, Vec::<String>::new(), "{call}");
    Some(found)
}

/// A tool with a path and a field `n`.
fn with_n(n: Value, required: Value) -> Value {
    json!({"type": "object", "properties": {"path": {"type": "string"}, "n": n}, "required": required})
}

#[track_caller]
fn opens(schema: Value, when: Value, why: &str) -> Value {
    let shown = format!("{schema} {when}");
    let found = found(schema, when).unwrap_or_else(|| panic!("not found: {shown}"));
    assert!(found.message.contains(why), "{}", found.message);
    found.witness.unwrap()["params"].clone()
}

#[track_caller]
fn holds(schema: Value, when: Value) {
    let shown = format!("{schema} {when}");
    assert_eq!(found(schema, when), None, "{shown}");
}

fn at_least(path: &str, n: i64) -> Value {
    json!([{"path": path, "at_least": n}])
}

const FILLED: &str = "the server fills it in";
const UNTYPED: &str = "may have any type";
const LIST: &str = "list of any length";

#[test]
fn a_default_counts_only_where_the_rule_means_it() {
    let n = |default: i64| {
        with_n(
            json!({"type": "integer", "default": default}),
            json!(["path"]),
        )
    };
    let params = opens(n(9), at_least("/n", 5), FILLED);
    assert_eq!(params.get("n"), None);
    // What the server fills in is harmless, so leaving it out is no way around.
    holds(n(1), at_least("/n", 5));
    // Another condition of the rule takes the default out.
    holds(
        n(9),
        json!([{"path": "/n", "at_least": 5}, {"path": "/n", "at_most": 8}]),
    );
    holds(
        with_n(
            json!({"type": "integer", "default": 9}),
            json!(["path", "n"]),
        ),
        at_least("/n", 5),
    );
}

#[test]
fn a_default_is_seen_through_references_and_all_of() {
    let when = || json!([{"path": "/n", "equals": true}]);
    let defs = |schema: Value, default: bool| {
        let mut schema = schema;
        schema["$defs"] = json!({"flag": {"type": "boolean", "default": default}});
        schema
    };
    let by_ref = || with_n(json!({"$ref": "#/$defs/flag"}), json!(["path"]));
    opens(defs(by_ref(), true), when(), FILLED);
    holds(defs(by_ref(), false), when());
    let beside = with_n(
        json!({"allOf": [{"$ref": "#/$defs/flag"}], "default": true}),
        json!(["path"]),
    );
    opens(defs(beside, false), when(), FILLED);
    // The whole schema may be put together as well.
    let put_together = json!({"allOf": [
        {"type": "object", "properties": {"path": {"type": "string"}}, "required": ["path"]},
        {"$ref": "#/$defs/more"}],
        "$defs": {"more": {"properties": {"n": {"type": "boolean", "default": true}}}}});
    opens(put_together.clone(), when(), FILLED);
    let mut required = put_together;
    required["$defs"]["more"]["required"] = json!(["n"]);
    holds(required, when());
    // An old draft reads no `type` beside a reference, people still read a default there.
    let mut old = defs(
        with_n(
            json!({"$ref": "#/$defs/flag", "default": true}),
            json!(["path"]),
        ),
        false,
    );
    old["$schema"] = json!("http://json-schema.org/draft-07/schema#");
    opens(old, when(), FILLED);
}

#[test]
fn a_default_of_what_holds_the_field_counts_too() {
    let opts = |opts: Value, required: Value| json!({"type": "object", "properties": {"path": {"type": "string"}, "opts": opts}, "required": required});
    let force = || json!([{"path": "/opts/force", "equals": true}]);
    let field = json!({"type": "object", "properties": {"force": {"type": "boolean"}}, "required": ["force"]});
    let mut with_default = field.clone();
    with_default["default"] = json!({"force": true});
    let params = opens(opts(with_default.clone(), json!(["path"])), force(), FILLED);
    assert_eq!(params.get("opts"), None);
    holds(opts(with_default, json!(["path", "opts"])), force());
    holds(opts(field, json!(["path"])), force());
    // A field that is required inside what may be left out has no default of its own that counts.
    let inside = json!({"type": "object", "properties": {"force": {"type": "boolean", "default": true}}, "required": ["force"]});
    holds(opts(inside, json!(["path"])), force());
}

#[test]
fn a_field_of_any_type_is_seen_however_it_is_written() {
    let when = || at_least("/n", 5);
    let both = || json!(["path", "n"]);
    for n in [
        json!({}),
        json!(true),
        json!({"description": "how many"}),
        json!({"allOf": [{"title": "n"}, true]}),
        json!({"anyOf": [{"type": "integer"}, {}]}),
    ] {
        opens(with_n(n, both()), when(), UNTYPED);
    }
    let mut by_ref = with_n(json!({"$ref": "#/$defs/any"}), both());
    by_ref["$defs"] = json!({"any": {"title": "anything"}});
    opens(by_ref.clone(), when(), UNTYPED);
    by_ref["$defs"]["any"] = json!({"allOf": [{"title": "n"}, {"type": "integer"}]});
    holds(by_ref, when());
    for n in [
        json!({"type": "integer"}),
        json!({"enum": [1, 9]}),
        json!({"anyOf": [{"type": "integer"}, {"type": "null"}]}),
        json!({"not": {"type": "string"}}),
        // What was not read is not judged.
        json!({"$ref": "https://example.com/n.json"}),
        json!({"$ref": "#/$defs/nowhere"}),
        json!({"$ref": "#/properties/n"}),
    ] {
        holds(with_n(n, both()), when());
    }
    // Under `each` one element of another type is enough.
    let each = json!([{"path": "/n", "at_least": 5, "each": true}]);
    let list = |items: Value| with_n(json!({"type": "array", "items": items}), both());
    opens(list(json!({})), each.clone(), UNTYPED);
    holds(list(json!({"type": "integer"})), each);
}

#[test]
fn one_place_in_a_list_is_open_where_more_can_stand_before_it() {
    let first = || json!([{"path": "/n/0", "equals": "x"}]);
    let both = || json!(["path", "n"]);
    let strings = || json!({"type": "array", "items": {"type": "string"}});
    let params = opens(with_n(strings(), both()), first(), LIST);
    assert_eq!(params["n"], json!(["other", "x"]));
    let mut by_ref = with_n(json!({"$ref": "#/$defs/list"}), both());
    by_ref["$defs"] = json!({"list": {"allOf": [strings(), {"minItems": 1}]}});
    opens(by_ref, first(), LIST);
    let numbers = with_n(
        json!({"type": "array", "items": {"type": "integer", "minimum": 3}}),
        both(),
    );
    let params = opens(numbers, json!([{"path": "/n/0", "at_least": 5}]), LIST);
    assert_eq!(params["n"][0], json!(3));
    for closed in [
        json!({"allOf": [strings(), {"maxItems": 1}]}),
        json!({"type": "array", "prefixItems": [{"type": "string"}], "items": false}),
        json!({"type": ["array", "object"], "items": {"type": "string"}}),
    ] {
        holds(with_n(closed, both()), first());
    }
}

#[test]
fn what_a_tool_acts_on_cannot_be_left_out() {
    // The path is the resource: a call without it is refused before any rule.
    let schema =
        json!({"type": "object", "properties": {"path": {"type": "string", "default": "/a"}}});
    holds(schema, json!([{"path": "/path", "equals": "/a"}]));
}

#[test]
fn branches_that_may_require_a_field_are_not_guessed_at() {
    let mut schema = with_n(json!({"type": "integer", "default": 9}), json!(["path"]));
    schema["anyOf"] = json!([{"required": ["n"]}, {"required": ["m"]}]);
    holds(schema, at_least("/n", 5));
}

#[test]
fn other_tools_that_are_as_open_are_counted() {
    let mut world = small_world::world();
    for tool in &mut world.capabilities {
        tool.input_schema = Some(with_n(json!({"type": "integer", "default": 9}), json!([])));
    }
    let rules = json!([{"id": "g", "capability": "f:*", "when": at_least("/n", 5), "effect": "deny", "guard": true}]);
    let (_, analysis) = analysed(rules, &world);
    let found = of_kind(&analysis.findings, FindingKind::FailsOpen);
    assert_eq!(found.len(), 1);
    // Of four tools one is locked.
    assert!(
        found[0].message.ends_with("2 more tools leave it as open"),
        "{}",
        found[0].message
    );
}

#[test]
fn a_search_that_is_cut_short_is_counted() {
    let mut world = small_world::world();
    world.capabilities[0].input_schema = Some(with_n(
        json!({"type": "integer", "default": 9}),
        json!(["path"]),
    ));
    let rules = json!([{"id": "g", "capability": "f:r", "when": at_least("/n", 5), "effect": "deny", "guard": true}]);
    let set = super::compiled_in(rules, &world).0;
    let none = crate::Budget {
        steps: 0,
        shown: 100,
    };
    let analysis = set.analyse(&world, &none);
    assert_eq!(analysis.not_decided.get(&FindingKind::FailsOpen), Some(&1));
}
