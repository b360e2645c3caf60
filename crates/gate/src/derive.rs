//! From validated arguments to the resources that a call acts on, by the profile's rules.
//!
//! The canonical spelling is written back into the arguments, so that what is judged, shown,
//! digested and sent is one and the same text.

use serde_json::Value;
use tipstaff_resource::{Base, Resource};
use tipstaff_schema::{Access, CallAccess, Profile, ResourceKind, ResourcePlace, ResourceRule};

use crate::{Refusal, Stage};

/// What a call acts on.
#[derive(Debug)]
pub(crate) struct Derived {
    /// In the order of the rules, then of the elements.
    pub(crate) resources: Vec<Resource>,
    /// The paths among them, as they were written.
    pub(crate) paths: Vec<NamedPath>,
    /// The arguments with canonical spellings.
    pub(crate) params: Value,
    /// A value that is sent raw may be read differently than its canonical spelling: such a call is
    /// never allowed unasked.
    pub(crate) raw_differs: bool,
}

/// A path that an argument names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct NamedPath {
    /// As it was written: absolute, but nothing is folded.
    pub(crate) written: String,
    /// What it was read as.
    pub(crate) resource: Resource,
    /// Where the rule says that it lives.
    pub(crate) on: Option<ResourcePlace>,
}

/// Derives all resources of a call.
pub(crate) fn derive(
    profile: &Profile,
    params: &Value,
    base: &Base<'_>,
) -> Result<Derived, Refusal> {
    let mut derived = Derived {
        resources: Vec::new(),
        paths: Vec::new(),
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
            let (resource, path) = read(rule, profile, value, base)?;
            if profile.keep_raw_resources {
                let raw = value.as_str().unwrap_or_default();
                derived.raw_differs |= raw != resource.value() && !resource.is_plainly(raw);
            } else if value.as_str() != Some(resource.value()) {
                *value = Value::String(resource.value().to_owned());
            }
            derived.paths.extend(path);
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
) -> Result<(Resource, Option<NamedPath>), Refusal> {
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
    let resource = Resource::parse(rule.kind, text, access, base)
        .map_err(|error| refuse(error.to_string()))?;
    if rule.kind != ResourceKind::Path {
        return Ok((resource, None));
    }
    let written = Resource::absolute_path(text, base).map_err(|error| refuse(error.to_string()))?;
    let path = NamedPath {
        written,
        resource: resource.clone(),
        on: rule.on,
    };
    Ok((resource, Some(path)))
}
