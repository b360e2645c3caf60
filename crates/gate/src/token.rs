//! From an intent token to the arguments of the tool that it was routed to.
//!
//! Nothing is guessed: an object that fits no argument, or fits two, is refused.

use serde_json::Value;
use tipstaff_schema::IntentToken;

/// A token's arguments: the members of its object, else the object under the key that fits; then the
/// modifiers. A key in both is refused.
pub(crate) fn arguments(token: &IntentToken, schema: &Value) -> Result<Value, String> {
    let mut arguments = match &token.object.value {
        Value::Object(members) => members.clone(),
        value @ (Value::Null
        | Value::Bool(_)
        | Value::Number(_)
        | Value::String(_)
        | Value::Array(_)) => {
            let declared = |key: &str| {
                schema
                    .pointer("/properties")
                    .and_then(|all| all.get(key))
                    .is_some()
            };
            let required = schema
                .get("required")
                .and_then(Value::as_array)
                .map(Vec::as_slice)
                .unwrap_or_default();
            let key = match required {
                _ if declared(&token.object.kind) => token.object.kind.clone(),
                [Value::String(only)] => only.clone(),
                _ => {
                    return Err(format!(
                        "the tool has no argument `{}` for the token's object",
                        token.object.kind
                    ));
                }
            };
            [(key, value.clone())].into_iter().collect()
        }
    };
    for (key, value) in &token.modifiers {
        if arguments.insert(key.clone(), value.clone()).is_some() {
            return Err(format!(
                "the argument `{key}` is both in the object and in the modifiers"
            ));
        }
    }
    Ok(Value::Object(arguments))
}
