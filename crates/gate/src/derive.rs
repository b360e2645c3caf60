//! From validated arguments to the resources that a call acts on, by the profile's rules.
//!
//! The canonical spelling is written back into the arguments, so that what is judged, shown,
//! digested and sent is one and the same text.

use serde_json::Value;
use tipstaff_resource::{Base, Resource};
use tipstaff_schema::{Access, CallAccess, Profile, ResourceKind, ResourceRule};

use crate::{Refusal, Stage};

/// What a call acts on.
#[derive(Debug)]
pub(crate) struct Derived {
    /// In the order of the rules, then of the elements.
    pub(crate) resources: Vec<Resource>,
    /// The arguments with canonical spellings.
    pub(crate) params: Value,
    /// A value that was sent raw differs from its canonical spelling: such a call is never allowed unasked.
    pub(crate) raw_differs: bool,
}

/// Derives all resources of a call.
pub(crate) fn derive(
    profile: &Profile,
    params: &Value,
    base: &Base<'_>,
) -> Result<Derived, Refusal> {
    let mut derived = Derived {
        resources: Vec::new(),
        params: params.clone(),
        raw_differs: false,
    };
    for rule in &profile.resources {
        let Some(selected) = derived.params.pointer_mut(&rule.from) else {
            if rule.optional {
                continue;
            }
            let why = format!(
                "the argument at `{}` names what the call acts on and is missing",
                rule.from
            );
            return Err(Refusal::new(Stage::Resource, why));
        };
        let mut one = |value: &mut Value| -> Result<(), Refusal> {
            let resource = read(rule, profile, value, base)?;
            if value.as_str() != Some(resource.value()) {
                if profile.keep_raw_resources {
                    derived.raw_differs = true;
                } else {
                    *value = Value::String(resource.value().to_owned());
                }
            }
            derived.resources.push(resource);
            Ok(())
        };
        match selected {
            Value::Array(elements) => elements.iter_mut().try_for_each(one)?,
            Value::Null if rule.optional => {}
            Value::Null
            | Value::Bool(_)
            | Value::Number(_)
            | Value::String(_)
            | Value::Object(_) => one(selected)?,
        }
    }
    Ok(derived)
}

fn read(
    rule: &ResourceRule,
    profile: &Profile,
    value: &Value,
    base: &Base<'_>,
) -> Result<Resource, Refusal> {
    let refuse = |why: String| {
        Refusal::new(
            Stage::Resource,
            format!("the argument at `{}`: {why}", rule.from),
        )
    };
    let Some(text) = value.as_str() else {
        return Err(refuse(
            "it must be text, since it names what the call acts on".to_owned(),
        ));
    };
    let access = rule.access.unwrap_or(match (rule.kind, profile.access) {
        (ResourceKind::Host | ResourceKind::Domain, _) => Access::Connect,
        (_, CallAccess::Read) => Access::Read,
        (_, CallAccess::Write) => Access::Write,
    });
    Resource::parse(rule.kind, text, access, base).map_err(|error| refuse(error.to_string()))
}
