//! The written forms of profiles and of the own parameter table, as manifests and events hold them.
//!
//! Strict: an unknown key is refused, so that a typo never leaves a tool more open than its
//! operator believes. Values that only make sense together are judged by [`crate::ProfileBook`].

use std::collections::BTreeMap;
use std::time::Duration;

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use tipstaff_schema::one_form;
use tipstaff_schema::{
    CallAccess, Effect, Estimate, OutputTrust, Profile, Reach, ResourceRule, Risk,
};

one_form!(ProfilePatch, UnknownParams, Canonical, ParamSpec, ParamKind);

/// What an operator says about the tools that a pattern names; absent fields are left as they are.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(
    feature = "schemars",
    derive(schemars::JsonSchema),
    schemars(!remote, transform = crate::schemas::one_resource)
)]
#[serde(remote = "Self", default, deny_unknown_fields)]
pub struct ProfilePatch {
    /// How far effects reach.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reach: Option<Reach>,
    /// Whether what it does can be undone.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reversible: Option<bool>,
    /// Read or write.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub access: Option<CallAccess>,
    /// How much a wrong call can hurt; derived from the others where it is absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub risk: Option<Risk>,
    /// The action label that rules may name; absent means the verb's dotted form.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub action: Option<String>,
    /// How resources are derived; one may be written without the list, as `resource`.
    #[serde(
        alias = "resource",
        deserialize_with = "one_or_many",
        skip_serializing_if = "Option::is_none"
    )]
    #[cfg_attr(feature = "schemars", schemars(with = "OneOrMany"))]
    pub resources: Option<Vec<ResourceRule>>,
    /// What holds when no rule matches.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub default_effect: Option<Effect>,
    /// Locked means deny, always.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub locked: Option<bool>,
    /// Side effects, as text for people.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub side_effects: Option<String>,
    /// Whether the same call may be sent again.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub idempotent: Option<bool>,
    /// The time limit of one call, written with its unit: `60s`.
    #[serde(
        deserialize_with = "read_timeout",
        serialize_with = "write_timeout",
        skip_serializing_if = "Option::is_none"
    )]
    #[cfg_attr(
        feature = "schemars",
        schemars(with = "String", extend("pattern" = r"^0*[1-9][0-9]{0,7}(ms|s|m|h)$"))
    )]
    pub timeout: Option<Duration>,
    /// Expected cost.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub estimate: Option<Estimate>,
    /// Trust in its answers.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub output_trust: Option<OutputTrust>,
    /// Own parameter table, in place of the tool's own schema.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub params: Option<ParamTable>,
    /// What happens to keys that the schema does not declare.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unknown_params: Option<UnknownParams>,
    /// Whether resources are sent in their canonical spelling.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub canonical: Option<Canonical>,
}

/// All that a profile says, as it would be written; parameter tables are no part of a profile.
impl From<&Profile> for ProfilePatch {
    fn from(profile: &Profile) -> Self {
        Self {
            reach: Some(profile.reach),
            reversible: Some(profile.reversible),
            access: Some(profile.access),
            risk: Some(profile.risk),
            action: Some(profile.action.clone()),
            resources: Some(profile.resources.clone()),
            default_effect: Some(profile.default_effect),
            locked: Some(profile.locked),
            side_effects: Some(profile.side_effects.clone()),
            idempotent: Some(profile.idempotent),
            timeout: Some(profile.timeout),
            estimate: Some(profile.estimate),
            output_trust: Some(profile.output_trust),
            params: None,
            unknown_params: Some(if profile.allow_unknown_params {
                UnknownParams::Allow
            } else {
                UnknownParams::Refuse
            }),
            canonical: Some(if profile.keep_raw_resources {
                Canonical::Keep
            } else {
                Canonical::Write
            }),
        }
    }
}

/// What happens to parameters that a schema does not declare.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(
    feature = "schemars",
    derive(schemars::JsonSchema),
    schemars(!remote)
)]
#[serde(remote = "Self", rename_all = "snake_case")]
pub enum UnknownParams {
    /// The call is refused.
    #[default]
    Refuse,
    /// They are passed on; such a tool never defaults to allow.
    Allow,
}

/// In which spelling resources reach the server.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(
    feature = "schemars",
    derive(schemars::JsonSchema),
    schemars(!remote)
)]
#[serde(remote = "Self", rename_all = "snake_case")]
pub enum Canonical {
    /// The canonical spelling is written back into the parameters.
    #[default]
    Write,
    /// The server gets the raw one; then only exact patterns allow.
    Keep,
}

/// The own parameter table: key to what it holds.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
#[serde(transparent)]
pub struct ParamTable(pub BTreeMap<String, ParamSpec>);

/// One parameter of the own table.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(
    feature = "schemars",
    derive(schemars::JsonSchema),
    schemars(!remote)
)]
#[serde(remote = "Self", deny_unknown_fields)]
pub struct ParamSpec {
    /// What the value is.
    #[serde(rename = "type")]
    pub kind: ParamKind,
    /// Whether a call must give it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub required: bool,
    /// The longest text, in bytes; for texts only.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_len: Option<u64>,
    /// What it is for, as text for models and people.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub description: String,
}

/// The types that the own table knows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(
    feature = "schemars",
    derive(schemars::JsonSchema),
    schemars(!remote)
)]
#[serde(remote = "Self", rename_all = "snake_case")]
pub enum ParamKind {
    /// Any text.
    String,
    /// A whole number; `3.0` is one, `3.9` is an error.
    Int,
    /// True or false.
    Bool,
    /// An absolute URL.
    Url,
    /// A path of a file or folder.
    Path,
}

#[derive(Deserialize)]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
#[serde(
    untagged,
    expecting = "a resource rule `{kind, from, access?, optional?, on?}`, or a list of them"
)]
enum OneOrMany {
    Many(Vec<ResourceRule>),
    One(ResourceRule),
}

fn one_or_many<'de, D: Deserializer<'de>>(input: D) -> Result<Option<Vec<ResourceRule>>, D::Error> {
    Ok(Some(match OneOrMany::deserialize(input)? {
        OneOrMany::Many(rules) => rules,
        OneOrMany::One(rule) => vec![rule],
    }))
}

/// Reads `60s`. Its own visitor, so that a bare number gets a hint and not a type name.
struct TimeoutVisitor;

impl serde::de::Visitor<'_> for TimeoutVisitor {
    type Value = Duration;

    fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("a time with its unit, such as `60s` (ms, s, m, h)")
    }

    fn visit_u64<E: serde::de::Error>(self, number: u64) -> Result<Duration, E> {
        Err(E::custom(format!(
            "timeout `{number}` has no unit: write `{number}s`"
        )))
    }

    fn visit_i64<E: serde::de::Error>(self, number: i64) -> Result<Duration, E> {
        Err(E::custom(format!(
            "timeout `{number}` has no unit: write `60s`"
        )))
    }

    fn visit_f64<E: serde::de::Error>(self, number: f64) -> Result<Duration, E> {
        Err(E::custom(format!(
            "timeout `{number}` has no unit: write `60s`, or `1500ms` for parts of a second"
        )))
    }

    fn visit_str<E: serde::de::Error>(self, text: &str) -> Result<Duration, E> {
        parse_timeout(text).ok_or_else(|| {
            let shown: String = text
                .chars()
                .take(40)
                .flat_map(char::escape_default)
                .collect();
            E::custom(format!(
                "timeout `{shown}` is no time from 1ms to 24h: write `60s` (ms, s, m, h)"
            ))
        })
    }
}

fn read_timeout<'de, D: Deserializer<'de>>(input: D) -> Result<Option<Duration>, D::Error> {
    input.deserialize_any(TimeoutVisitor).map(Some)
}

#[expect(clippy::ref_option, reason = "the form that serde calls")]
fn write_timeout<S: Serializer>(timeout: &Option<Duration>, out: S) -> Result<S::Ok, S::Error> {
    match timeout {
        Some(time) if time.subsec_nanos() == 0 => {
            out.collect_str(&format_args!("{}s", time.as_secs()))
        }
        Some(time) => out.collect_str(&format_args!("{}ms", time.as_millis())),
        None => out.serialize_none(),
    }
}

const LONGEST_TIMEOUT: Duration = Duration::from_secs(24 * 60 * 60);

fn parse_timeout(text: &str) -> Option<Duration> {
    let digits = text.find(|c: char| !c.is_ascii_digit())?;
    let (number, unit) = text.split_at(digits);
    let number: u64 = number.parse().ok()?;
    let millis = match unit {
        "ms" => 1,
        "s" => 1_000,
        "m" => 60_000,
        "h" => 3_600_000,
        _ => return None,
    };
    let time = Duration::from_millis(number.checked_mul(millis)?);
    (!time.is_zero() && time <= LONGEST_TIMEOUT).then_some(time)
}
