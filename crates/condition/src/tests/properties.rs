//! What holds for all conditions: witnesses, overlap, and that no satisfiable condition is refused.

use proptest::prelude::*;
use serde_json::{Value, json};

use super::condition;
use crate::{Condition, Conditions, select};

fn value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        (-3_i64..4).prop_map(Value::from),
        (-3_i64..4).prop_map(|n| Value::from(n as f64 / 2.0)),
        "[ab]{0,2}".prop_map(Value::from),
    ];
    leaf.prop_recursive(3, 12, 3, |inner| {
        prop_oneof![
            proptest::collection::vec(inner.clone(), 0..3).prop_map(Value::from),
            proptest::collection::btree_map("[ab01]", inner, 0..3)
                .prop_map(|map| Value::Object(map.into_iter().collect())),
        ]
    })
}

fn wire() -> impl Strategy<Value = Value> {
    let op = prop_oneof![
        value().prop_map(|v| ("equals", v)),
        proptest::collection::vec(value(), 1..3).prop_map(|v| ("in", Value::from(v))),
        (-3_i64..4).prop_map(|n| ("at_least", Value::from(n))),
        (-3_i64..4).prop_map(|n| ("at_most", Value::from(n))),
        any::<bool>().prop_map(|b| ("exists", Value::from(b))),
    ];
    (
        proptest::collection::vec("[ab01]", 1..3),
        op,
        proptest::bool::weighted(0.2),
    )
        .prop_map(|(steps, (key, value), each)| {
            let path: String = steps.iter().flat_map(|step| ["/", step]).collect();
            let mut wire = json!({"path": path, key: value});
            if each && !(key == "exists" && wire["exists"] == json!(false)) {
                wire["each"] = json!(true);
            }
            wire
        })
}

/// A schema of plain keywords whose validity the test can judge by itself.
fn schema() -> impl Strategy<Value = Value> {
    let types = prop_oneof![
        Just("string"),
        Just("integer"),
        Just("number"),
        Just("array"),
        Just("object"),
        Just("null"),
        Just("boolean")
    ];
    let leaf = prop_oneof![
        Just(json!(true)),
        types.prop_map(|t| json!({"type": t})),
        (-2_i64..3).prop_map(|n| json!({"minimum": n})),
        (-2_i64..3).prop_map(|n| json!({"exclusiveMaximum": n})),
        proptest::collection::vec(value(), 1..3).prop_map(|v| json!({"enum": v})),
        value().prop_map(|v| json!({"const": v})),
    ];
    leaf.prop_recursive(3, 12, 3, |inner| {
        let properties = proptest::collection::btree_map("[ab01]", inner.clone(), 0..3);
        prop_oneof![
            (properties, any::<bool>(), any::<bool>()).prop_map(|(p, open, required)| {
                let keys: Vec<&String> = p.keys().collect();
                if required {
                    json!({"type": "object", "properties": p, "required": keys})
                } else {
                    json!({"properties": p, "additionalProperties": open})
                }
            }),
            (inner.clone(), inner.clone())
                .prop_map(|(a, b)| json!({"prefixItems": [a], "items": b})),
            (inner.clone(), inner.clone()).prop_map(|(a, b)| json!({"anyOf": [a, b]})),
            (inner.clone(), inner).prop_map(|(a, b)| json!({"allOf": [a, b]})),
        ]
    })
}

/// A validator for exactly the keywords of `schema`.
fn valid(schema: &Value, v: &Value) -> bool {
    let Some(map) = schema.as_object() else {
        return schema == &json!(true);
    };
    let number = |limit: &Value| (v.as_f64(), limit.as_f64());
    map.iter().all(|(key, arg)| match key.as_str() {
        "type" => match arg.as_str().unwrap() {
            "string" => v.is_string(),
            "integer" => v.as_f64().is_some_and(|f| f.fract() == 0.0),
            "number" => v.is_number(),
            "array" => v.is_array(),
            "object" => v.is_object(),
            "null" => v.is_null(),
            _ => v.is_boolean(),
        },
        "minimum" => {
            matches!(number(arg), (None, _)) || matches!(number(arg), (Some(v), Some(l)) if v >= l)
        }
        "exclusiveMaximum" => {
            matches!(number(arg), (None, _)) || matches!(number(arg), (Some(v), Some(l)) if v < l)
        }
        "enum" => arg
            .as_array()
            .unwrap()
            .iter()
            .any(|e| crate::number::equal(e, v)),
        "const" => crate::number::equal(arg, v),
        "required" => v.as_object().is_none_or(|o| {
            arg.as_array()
                .unwrap()
                .iter()
                .all(|k| o.contains_key(k.as_str().unwrap()))
        }),
        "properties" => v.as_object().is_none_or(|o| {
            o.iter()
                .all(|(k, v)| arg.get(k).is_none_or(|s| valid(s, v)))
        }),
        "additionalProperties" => {
            arg == &json!(true)
                || v.as_object()
                    .is_none_or(|o| o.keys().all(|k| schema["properties"].get(k).is_some()))
        }
        "prefixItems" => v
            .as_array()
            .is_none_or(|a| a.first().is_none_or(|v| valid(&arg[0], v))),
        "items" => v
            .as_array()
            .is_none_or(|a| a.iter().skip(1).all(|v| valid(arg, v))),
        "anyOf" => arg.as_array().unwrap().iter().any(|s| valid(s, v)),
        _ => arg.as_array().unwrap().iter().all(|s| valid(s, v)),
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn a_witness_satisfies_all_and_none_means_that_nothing_does(wires in proptest::collection::vec(wire(), 1..4), documents in proptest::collection::vec(value(), 20)) {
        let conditions: Vec<Condition> = wires.into_iter().map(condition).collect();
        match Conditions::new(conditions.clone()) {
            Ok(set) => {
                let witness = set.witness().unwrap();
                prop_assert!(set.all_hold(&witness), "{witness}");
            }
            Err(_) => {
                for document in documents.iter().filter(|d| d.is_object()) {
                    prop_assert!(!conditions.iter().all(|c| c.holds(document)));
                }
            }
        }
    }

    #[test]
    fn sets_overlap_exactly_where_a_common_witness_exists(a in wire(), b in wire()) {
        let (a, b) = (Conditions::new(vec![condition(a)]).unwrap(), Conditions::new(vec![condition(b)]).unwrap());
        match a.joint_witness(&b) {
            Some(witness) => prop_assert!(a.all_hold(&witness) && b.all_hold(&witness) && a.overlap(&b) == Some(true)),
            None => prop_assert_eq!(a.overlap(&b), Some(false)),
        }
        if a.covers(&b) {
            prop_assert!(a.all_hold(&b.witness().unwrap()));
        }
    }

    #[test]
    fn a_condition_reads_back_from_its_wire_form(wire in wire()) {
        let first = condition(wire);
        prop_assert_eq!(condition(first.to_wire()), first);
    }

    #[test]
    fn holding_and_having_a_reason_not_to_exclude_each_other(wire in wire(), document in value()) {
        let condition = condition(wire);
        prop_assert_eq!(condition.holds(&document), condition.why_not(&document).is_none());
    }

    #[test]
    fn a_schema_never_refuses_a_condition_that_a_valid_document_satisfies(wire in wire(), schema in schema(), document in value()) {
        let set = Conditions::new(vec![condition(wire)]).unwrap();
        let documents = [document, set.witness().unwrap()];
        for document in documents.iter().filter(|d| d.is_object()) {
            if valid(&schema, document) && set.all_hold(document) {
                prop_assert_eq!(set.check_against(&schema), vec![]);
            }
        }
    }

    #[test]
    fn no_pointer_panics(pointer in "[/~01a-]{0,8}", document in value()) {
        let ours = select(&document, &pointer);
        if ours.is_some() {
            prop_assert_eq!(ours, document.pointer(&pointer));
        }
    }
}
