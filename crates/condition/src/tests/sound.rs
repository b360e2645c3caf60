//! `check_against` held against a real validator: a schema that a document satisfies never refuses a
//! condition that holds on that document.
//!
//! Documents are drawn, a schema is grown around each so that many of them are valid, and conditions
//! are read off the document so that they hold. 1,500 cases in a usual run; `TIPSTAFF_CASES=300000`
//! is the long form. A failure prints the seed of its case; `TIPSTAFF_SEED=<seed> TIPSTAFF_CASES=1`
//! runs that one again.
#![expect(
    clippy::disallowed_methods,
    reason = "how many cases, and which, is said in the environment"
)]

use serde_json::{Map, Value, json};

use super::condition;
use crate::Conditions;

/// A small generator of its own, so that one number replays a case.
struct Draw(u64);

impl Draw {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }

    fn below(&mut self, bound: usize) -> usize {
        usize::try_from(self.next() % u64::try_from(bound).unwrap()).unwrap()
    }

    fn one_in(&mut self, n: usize) -> bool {
        self.below(n) == 0
    }

    fn pick<'a, T>(&mut self, items: &'a [T]) -> &'a T {
        &items[self.below(items.len())]
    }
}

const KEYS: [&str; 6] = ["a", "b", "x-a", "0", "1", "a/b"];

fn number(draw: &mut Draw) -> Value {
    let numbers = [
        json!(0),
        json!(-0.0),
        json!(1),
        json!(1.0),
        json!(-3),
        json!(2.5),
        json!(9_007_199_254_740_992_u64),
        json!(9_007_199_254_740_993_u64),
        json!(i64::MIN),
        json!(u64::MAX),
        json!(1e10),
        json!(1e-7),
    ];
    draw.pick(&numbers).clone()
}

fn leaf(draw: &mut Draw) -> Value {
    match draw.below(4) {
        0 => Value::Null,
        1 => json!(draw.one_in(2)),
        2 => json!(*draw.pick(&["", "x", "y", "1"])),
        _ => number(draw),
    }
}

fn value(draw: &mut Draw, depth: usize) -> Value {
    match draw.below(if depth == 0 { 1 } else { 3 }) {
        0 => leaf(draw),
        1 => Value::Array((0..draw.below(3)).map(|_| value(draw, depth - 1)).collect()),
        _ => object(draw, depth),
    }
}

fn object(draw: &mut Draw, depth: usize) -> Value {
    let mut map = Map::new();
    for _ in 0..draw.below(4) {
        let key = *draw.pick(&KEYS);
        map.insert(key.to_owned(), value(draw, depth.saturating_sub(1)));
    }
    Value::Object(map)
}

fn type_of(draw: &mut Draw, value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(n) if n.as_f64().unwrap().fract() == 0.0 && draw.one_in(2) => "integer",
        Value::Number(_) => "number",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    }
}

/// What a schema is grown with: the shared definitions, and how deep it may get.
struct Garden {
    definitions: Map<String, Value>,
    depth: usize,
}

/// A schema that the value often satisfies.
fn around(draw: &mut Draw, garden: &mut Garden, value: &Value) -> Value {
    garden.depth += 1;
    let mut map = Map::new();
    for _ in 0..=draw.below(2) {
        keyword(draw, garden, value, &mut map);
    }
    garden.depth -= 1;
    if map.is_empty() {
        return json!(!draw.one_in(6));
    }
    Value::Object(map)
}

/// One schema that may say something else altogether.
fn another(draw: &mut Draw, garden: &mut Garden) -> Value {
    let other = value(draw, 1);
    if garden.depth > 4 {
        return json!({ "type": type_of(draw, &other) });
    }
    around(draw, garden, &other)
}

fn keyword(draw: &mut Draw, garden: &mut Garden, value: &Value, map: &mut Map<String, Value>) {
    let mut put = |key: &str, value: Value| {
        map.insert(key.to_owned(), value);
    };
    if garden.depth > 5 {
        return put("type", json!(type_of(draw, value)));
    }
    match draw.below(13) {
        0 => put("type", json!(type_of(draw, value))),
        1 => {
            let other = leaf(draw);
            let types = [type_of(draw, &other), type_of(draw, value)];
            let types = if types[0] == types[1] {
                &types[1..]
            } else {
                &types[..]
            };
            put("type", json!(types));
        }
        2 => put("const", value.clone()),
        3 => put("enum", json!([leaf(draw), value])),
        4 => {
            let keys = ["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"];
            let near = if value.is_number() && draw.one_in(2) {
                value.clone()
            } else {
                number(draw)
            };
            put(draw.pick::<&str>(&keys), near);
        }
        5 => {
            let both = [around(draw, garden, value), around(draw, garden, value)];
            put("allOf", json!(both));
        }
        6 | 7 => {
            let mut branches = vec![another(draw, garden), around(draw, garden, value)];
            let turn = draw.below(2);
            branches.rotate_left(turn);
            put(draw.pick::<&str>(&["anyOf", "oneOf"]), json!(branches));
        }
        8 => {
            let target = around(draw, garden, value);
            let name = format!("d{}", garden.definitions.len());
            put("$ref", json!(format!("#/$defs/{name}")));
            garden.definitions.insert(name, target);
        }
        9 => put("not", another(draw, garden)),
        10 => {
            put("if", another(draw, garden));
            put("then", around(draw, garden, value));
            put("else", around(draw, garden, value));
        }
        _ => match value {
            Value::Object(members) => members_of(draw, garden, members, map),
            Value::Array(items) => items_of(draw, garden, items, map),
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {
                put("title", json!("x"));
            }
        },
    }
}

fn members_of(
    draw: &mut Draw,
    garden: &mut Garden,
    members: &Map<String, Value>,
    map: &mut Map<String, Value>,
) {
    let (mut properties, mut patterns) = (Map::new(), Map::new());
    for (key, member) in members {
        let schema = around(draw, garden, member);
        match draw.below(4) {
            0 => {}
            1 => {
                let pattern = draw.pick(&["^x-", "a$", "^a$", "^[a-z]$", "b", "^.", "0|1"]);
                patterns.insert((*pattern).to_owned(), schema);
            }
            _ => {
                properties.insert(key.clone(), schema);
            }
        }
    }
    if draw.one_in(2) {
        let required: Vec<&String> = members.keys().filter(|_| draw.one_in(2)).collect();
        map.insert("required".to_owned(), json!(required));
    }
    for (key, schemas) in [("properties", properties), ("patternProperties", patterns)] {
        if !schemas.is_empty() || draw.one_in(3) {
            map.insert(key.to_owned(), Value::Object(schemas));
        }
    }
    match draw.below(5) {
        0 => map.insert("additionalProperties".to_owned(), json!(false)),
        1 => map.insert("unevaluatedProperties".to_owned(), json!(false)),
        2 => map.insert("additionalProperties".to_owned(), another(draw, garden)),
        _ => None,
    };
}

fn items_of(draw: &mut Draw, garden: &mut Garden, items: &[Value], map: &mut Map<String, Value>) {
    let first = draw.below(items.len() + 1);
    let listed: Vec<Value> = items[..first]
        .iter()
        .map(|item| around(draw, garden, item))
        .collect();
    let rest = match items.get(first) {
        Some(item) => around(draw, garden, item),
        None => json!(!draw.one_in(2)),
    };
    let (of_listed, of_rest) = *draw.pick(&[
        ("prefixItems", "items"),
        ("items", "additionalItems"),
        ("prefixItems", "unevaluatedItems"),
    ]);
    if !listed.is_empty() {
        map.insert(of_listed.to_owned(), Value::Array(listed));
    }
    if draw.one_in(2) {
        map.entry(of_rest).or_insert(rest);
    }
    if draw.one_in(4) {
        map.insert("maxItems".to_owned(), json!(items.len()));
    }
}

/// Every place in the document, as steps.
fn places(value: &Value, at: &mut Vec<String>, found: &mut Vec<(String, Value)>) {
    let escape = |key: &str| key.replace('~', "~0").replace('/', "~1");
    if !at.is_empty() {
        let pointer: String = at.iter().map(|step| format!("/{}", escape(step))).collect();
        found.push((pointer, value.clone()));
    }
    let children: Vec<(String, &Value)> = match value {
        Value::Object(map) => map
            .iter()
            .map(|(key, inner)| (key.clone(), inner))
            .collect(),
        Value::Array(items) => items
            .iter()
            .enumerate()
            .map(|(i, v)| (i.to_string(), v))
            .collect(),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => Vec::new(),
    };
    for (step, inner) in children {
        at.push(step);
        places(inner, at, found);
        at.pop();
    }
}

/// A condition that holds on the document, as far as there is a place for one.
fn holding(draw: &mut Draw, document: &Value) -> Value {
    let mut found = Vec::new();
    places(document, &mut Vec::new(), &mut found);
    if found.is_empty() || draw.one_in(8) {
        return json!({ "path": format!("/{}", draw.pick(&["a", "b", "z", "a/0"])), "exists": false });
    }
    let (path, value) = draw.pick(&found).clone();
    let op = |draw: &mut Draw, value: &Value| match draw.below(4) {
        0 => ("exists", json!(true)),
        1 => ("in", json!([leaf(draw), value])),
        2 if value.is_number() => ("at_least", value.clone()),
        3 if value.is_number() => ("at_most", value.clone()),
        _ => ("equals", value.clone()),
    };
    match value
        .as_array()
        .filter(|items| !items.is_empty() && draw.one_in(2))
    {
        Some(items) => {
            let (key, value) = op(draw, &items[0]);
            json!({ "path": path, key: value, "each": true })
        }
        None => {
            let (key, value) = op(draw, &value);
            json!({ "path": path, key: value })
        }
    }
}

fn draft(draw: &mut Draw) -> Option<&'static str> {
    let drafts = [
        None,
        None,
        Some("https://json-schema.org/draft/2020-12/schema"),
        Some("https://json-schema.org/draft/2019-09/schema"),
        Some("http://json-schema.org/draft-07/schema#"),
        Some("http://json-schema.org/draft-06/schema#"),
        Some("http://json-schema.org/draft-04/schema#"),
    ];
    *draw.pick(&drafts)
}

/// What one case came to.
#[derive(PartialEq)]
enum Case {
    /// The schema cannot be used, or the document is not valid, or the condition does not hold.
    Nothing,
    Held,
}

fn case(seed: u64) -> Case {
    let mut draw = Draw(seed);
    let document = object(&mut draw, 3);
    let mut garden = Garden {
        definitions: Map::new(),
        depth: 0,
    };
    let mut schema = around(&mut draw, &mut garden, &document);
    if let Value::Object(map) = &mut schema {
        if let Some(draft) = draft(&mut draw) {
            map.insert("$schema".to_owned(), json!(draft));
        }
        if !garden.definitions.is_empty() {
            map.insert("$defs".to_owned(), Value::Object(garden.definitions));
        }
    }
    let wire = holding(&mut draw, &document);
    let Ok(validator) = jsonschema::validator_for(&schema) else {
        return Case::Nothing;
    };
    let Ok(set) = Conditions::new(vec![condition(wire)]) else {
        return Case::Nothing;
    };
    if !validator.is_valid(&document) || !set.all_hold(&document) {
        return Case::Nothing;
    }
    let refused = set.check_against(&schema);
    assert!(
        refused.is_empty(),
        "seed {seed}: refused although {document} is valid and satisfies it\n{schema}\n{refused:?}"
    );
    Case::Held
}

#[test]
fn no_schema_refuses_a_condition_that_a_valid_document_satisfies() {
    let number = |name: &str| {
        std::env::var(name)
            .ok()
            .and_then(|text| text.parse::<u64>().ok())
    };
    let first = number("TIPSTAFF_SEED").unwrap_or(0x7155_7aff);
    let cases = number("TIPSTAFF_CASES").unwrap_or(1500);
    let held = (0..cases)
        .filter(|n| case(first.wrapping_add(*n)) == Case::Held)
        .count();
    let enough = usize::try_from(cases / 5).unwrap();
    assert!(
        cases == 1 || held > enough,
        "only {held} of {cases} cases said anything"
    );
}
