//! What values and patterns mean, one line per case. Case numbers are those of the case list.

mod chains;
mod exact;
mod hosts;
mod paths;
mod props;
mod search;
mod sizes;
mod urls;

use tipstaff_schema::{Access, ResourceKind};

use crate::{Base, CaseRule, Pattern, Resource};

pub(crate) const BASE: Base<'_> = Base {
    cwd: None,
    root: Some("/w"),
};

#[track_caller]
pub(crate) fn value(kind: ResourceKind, raw: &str) -> Option<String> {
    Resource::parse(kind, raw, Access::Read, &BASE)
        .ok()
        .map(|resource| resource.value().to_owned())
}

#[track_caller]
pub(crate) fn pattern(kind: ResourceKind, text: &str) -> Pattern {
    Pattern::parse(text, kind).unwrap_or_else(|error| panic!("{error}"))
}

/// Whether a pattern means a raw value; a refused value is meant by nothing.
#[track_caller]
pub(crate) fn means(
    kind: ResourceKind,
    text: &str,
    of: ResourceKind,
    raw: &str,
    case: CaseRule,
) -> bool {
    let resource = Resource::parse(of, raw, Access::Read, &BASE);
    let pattern = pattern(kind, text);
    resource.is_ok_and(|resource| pattern.matches(&resource, Some("/w"), case))
}

#[track_caller]
pub(crate) fn refused(kind: ResourceKind, text: &str, want: &str) {
    let error = Pattern::parse(text, kind).expect_err("refused");
    assert!(error.to_string().contains(want), "{error}");
}
