//! The operator's profile book: patches by name pattern, later ones refining earlier ones.
//!
//! A server's hints come in at one point only, where a risk is derived, and can only raise it.
//! Whether a pattern names a tool that exists is not asked here: tools come and go.

use std::time::Duration;

use tipstaff_schema::{
    CallAccess, Effect, Estimate, HintsAsSaid, NamePattern, OutputTrust, Profile, Reach,
    ResourceRule, Risk,
};

use crate::error::ProfileError;
use crate::wire::{Canonical, ParamTable, ProfilePatch, UnknownParams};

/// The profiles of the manifest's `tools` section, checked.
#[derive(Debug, Clone, Default)]
pub struct ProfileBook {
    // INVARIANT: each entry passed `check_fields`, and no default of allow meets risk critical or
    // open parameters when its own pattern is looked up.
    entries: Vec<(NamePattern, ProfilePatch)>,
}

impl ProfileBook {
    /// Checks all entries.
    ///
    /// # Errors
    /// Every [`ProfileError`] of every entry, in order.
    pub fn new(entries: Vec<(NamePattern, ProfilePatch)>) -> Result<Self, Vec<ProfileError>> {
        let book = Self { entries };
        let mut errors = Vec::new();
        for (index, (pattern, patch)) in book.entries.iter().enumerate() {
            check_fields(index, pattern, patch, &mut errors);
            // The pattern's own text stands for the names it covers; what hints or narrower entries
            // bring later is caught by `finish`.
            let merged = book.patch(pattern.as_str(), None);
            if patch.default_effect == Some(Effect::Allow)
                || merged.default_effect == Some(Effect::Allow)
            {
                check_allow(index, pattern, &merged, &mut errors);
            }
        }
        if errors.is_empty() {
            Ok(book)
        } else {
            Err(errors)
        }
    }

    /// All that the book says of one name, refined over what was accepted with its pin.
    ///
    /// `accepted` comes first, so that the manifest, which everybody can read, has the last word.
    #[must_use]
    pub fn patch(&self, name: &str, accepted: Option<&ProfilePatch>) -> ProfilePatch {
        let mut merged = accepted.cloned().unwrap_or_default();
        for (_, patch) in self
            .entries
            .iter()
            .filter(|(pattern, _)| pattern.matches(name))
        {
            refine(&mut merged, patch);
        }
        merged
    }

    /// The profile of one tool; a name that no entry covers gets the defaults.
    #[must_use]
    pub fn resolve(&self, name: &str, action: &str, hints: &HintsAsSaid) -> Profile {
        self.patch(name, None).finish(action, hints)
    }

    /// Whether any entry covers the name.
    #[must_use]
    pub fn covers(&self, name: &str) -> bool {
        self.entries
            .iter()
            .any(|(pattern, _)| pattern.matches(name))
    }

    /// The entries, in order.
    #[must_use]
    pub fn entries(&self) -> &[(NamePattern, ProfilePatch)] {
        &self.entries
    }
}

impl ProfilePatch {
    /// The patch with every default filled in, and the risk derived where none was set.
    ///
    /// A default of allow becomes ask where the risk is critical or undeclared parameters are
    /// passed on: a hint, or a broad entry, must not open what the operator did not look at.
    #[must_use]
    pub fn finish(&self, action: &str, hints: &HintsAsSaid) -> Profile {
        let reach = self.reach.unwrap_or(Reach::External);
        let reversible = self.reversible.unwrap_or(false);
        let access = self.access.unwrap_or(CallAccess::Write);
        let risk = self
            .risk
            .unwrap_or_else(|| derive_risk(reach, reversible, access, hints));
        let allow_unknown_params = self.unknown_params == Some(UnknownParams::Allow);
        let mildest = if risk == Risk::Critical || allow_unknown_params {
            Effect::Ask
        } else {
            Effect::Allow
        };
        Profile {
            reach,
            reversible,
            access,
            risk,
            action: self.action.clone().unwrap_or_else(|| action.to_owned()),
            resources: self.resources.clone().unwrap_or_default(),
            default_effect: self.default_effect.unwrap_or(Effect::Ask).max(mildest),
            locked: self.locked.unwrap_or(false),
            side_effects: self.side_effects.clone().unwrap_or_default(),
            idempotent: self.idempotent.unwrap_or(false),
            timeout: self.timeout.unwrap_or(Duration::from_secs(60)),
            estimate: self.estimate.unwrap_or_default(),
            output_trust: self.output_trust.unwrap_or(OutputTrust::Tool),
            allow_unknown_params,
            keep_raw_resources: self.canonical == Some(Canonical::Keep),
        }
    }
}

/// The risk of a tool whose operator set none; the worst on doubt.
fn derive_risk(reach: Reach, reversible: bool, access: CallAccess, hints: &HintsAsSaid) -> Risk {
    if hints.destructive == Some(true) || (access == CallAccess::Write && !reversible) {
        return Risk::Critical;
    }
    match reach {
        Reach::None => Risk::Low,
        Reach::LocalState => Risk::Medium,
        Reach::Process | Reach::External => Risk::High,
    }
}

fn refine(merged: &mut ProfilePatch, later: &ProfilePatch) {
    macro_rules! take {
        ($($field:ident)*) => {
            // Naming every field makes a new one stop here until it is merged too.
            let ProfilePatch { $($field),* } = later;
            $(if $field.is_some() { merged.$field.clone_from($field); })*
        };
    }
    take!(reach reversible access risk action resources default_effect locked side_effects idempotent timeout
        estimate output_trust params unknown_params canonical);
}

fn check_fields(
    index: usize,
    pattern: &NamePattern,
    patch: &ProfilePatch,
    errors: &mut Vec<ProfileError>,
) {
    let mut value = |field: String, rule| {
        errors.push(ProfileError::Value {
            index,
            pattern: pattern.to_string(),
            field,
            rule,
        });
    };
    if patch.action.as_ref().is_some_and(|action| {
        action.is_empty() || action.len() > 128 || action.contains(char::is_control)
    }) {
        value(
            "action".to_owned(),
            "must have 1 to 128 bytes without control characters",
        );
    }
    if patch
        .estimate
        .as_ref()
        .is_some_and(|cost: &Estimate| !is_cost(cost.wall_seconds) || !is_cost(cost.money))
    {
        value("estimate".to_owned(), "must hold numbers from 0");
    }
    for (key, spec) in patch.params.iter().flat_map(|ParamTable(table)| table) {
        if spec.max_len.is_some() && !spec.kind.is_text() {
            value(
                format!("params.{}.max_len", crate::show::name(key)),
                "is for texts only: string, url, path",
            );
        }
    }
    let rules = patch.resources.iter().flatten();
    for ResourceRule { from, .. } in rules.filter(|rule| !is_pointer(&rule.from)) {
        errors.push(ProfileError::Pointer {
            index,
            pattern: pattern.to_string(),
            pointer: crate::show::name(from),
        });
    }
}

fn is_cost(number: f64) -> bool {
    number.is_finite() && number >= 0.0
}

/// RFC 6901: empty, or `/` first, and `~` only before `0` or `1`.
fn is_pointer(text: &str) -> bool {
    let tildes_escape = text
        .split('~')
        .skip(1)
        .all(|after| after.starts_with(['0', '1']));
    (text.is_empty() || text.starts_with('/')) && tildes_escape
}

fn check_allow(
    index: usize,
    pattern: &NamePattern,
    merged: &ProfilePatch,
    errors: &mut Vec<ProfileError>,
) {
    if merged.default_effect != Some(Effect::Allow) {
        return;
    }
    let pattern = || pattern.to_string();
    if merged.unknown_params == Some(UnknownParams::Allow) {
        errors.push(ProfileError::OpenAllow {
            index,
            pattern: pattern(),
        });
    }
    if merged.finish("", &HintsAsSaid::default()).risk == Risk::Critical {
        let why = if merged.risk.is_some() {
            "it is set so"
        } else {
            "a write that is not `reversible: true` is critical unless `risk` is set"
        };
        errors.push(ProfileError::CriticalAllow {
            index,
            pattern: pattern(),
            why,
        });
    }
}
