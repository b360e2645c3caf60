//! What a rule says of the thing that a call acts on.

use tipstaff_command::{CommandPattern, Reading};
use tipstaff_resource::{CaseRule, Pattern, Resource};
use tipstaff_schema::Effect;

use crate::request::{Request, Subject};

/// The target of a rule.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Target {
    /// A pattern over resources of one kind.
    Resource(Pattern),
    /// A pattern over the words of a command.
    Command(CommandPattern),
}

/// How a rule of this effect compares paths: an allow exactly, all others without case.
pub(crate) const fn case_of(effect: Effect) -> CaseRule {
    match effect {
        Effect::Allow => CaseRule::Exact,
        Effect::Ask | Effect::Deny => CaseRule::Fold,
    }
}

/// How a rule of this effect reads command patterns.
pub(crate) const fn reading_of(effect: Effect) -> Reading {
    match effect {
        Effect::Allow => Reading::Allow,
        Effect::Ask | Effect::Deny => Reading::Strict,
    }
}

impl Target {
    /// Whether the pattern names this resource and no other.
    fn names(&self, resource: &Resource) -> bool {
        match self {
            Self::Resource(pattern) => pattern.names(resource),
            Self::Command(_) => false,
        }
    }

    fn matches(&self, request: &Request<'_>, effect: Effect) -> bool {
        match (self, request.subject) {
            (Self::Resource(pattern), Subject::Resource(resource)) => {
                pattern.judges(resource.kind())
                    && pattern.matches(resource, request.root, case_of(effect))
            }
            (Self::Command(pattern), Subject::Command(command)) => {
                pattern.matches(command, reading_of(effect))
            }
            (Self::Resource(_), Subject::None | Subject::Command(_))
            | (Self::Command(_), Subject::None | Subject::Resource(_)) => false,
        }
    }
}

/// Whether a rule's target, set or not, matches what the request acts on.
pub(crate) fn target_matches(
    target: Option<&Target>,
    request: &Request<'_>,
    effect: Effect,
) -> bool {
    let set = target.is_none_or(|target| target.matches(request, effect));
    let permitted = effect != Effect::Allow
        || match request.subject {
            Subject::None => true,
            // A server that needs the raw spelling is allowed only by exact patterns.
            Subject::Resource(resource) => {
                !request.profile.keep_raw_resources
                    || target.is_some_and(|target| target.names(resource))
            }
            // Only a command pattern allows a command.
            Subject::Command(_) => target.is_some(),
        };
    set && permitted
}

impl std::fmt::Display for Target {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Resource(pattern) => pattern.fmt(f),
            Self::Command(pattern) => pattern.fmt(f),
        }
    }
}
