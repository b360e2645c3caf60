//! Calls for findings of the load that say something of calls but come without one.

use tipstaff_command::CommandPattern;
use tipstaff_resource::Pattern;
use tipstaff_schema::NamePattern;

use super::Whole;
use crate::analyse::call::Call;
use crate::analyse::region::{Found, Seen};
use crate::finding::{Finding, FindingKind};
use crate::reference::matches;
use crate::rule::{Capability, Rule};
use crate::target::Target;

/// Adds a call to a hole or a missing separator, where one is found.
pub(super) fn add_witness(whole: &mut Whole<'_>, finding: &mut Finding) {
    let Some(rule) = finding
        .indexes
        .first()
        .and_then(|index| whole.set.rules().iter().find(|rule| rule.index() == *index))
    else {
        return;
    };
    let call = match finding.kind {
        FindingKind::Hole => escaping(whole, rule),
        FindingKind::NoSeparator => longer(whole, rule, finding.field.as_deref()),
        FindingKind::BadRule
        | FindingKind::DuplicateId
        | FindingKind::NeverMatches
        | FindingKind::UnknownName
        | FindingKind::Expired
        | FindingKind::NeedsRoot
        | FindingKind::OutrankedDeny
        | FindingKind::NeverWinsTie
        | FindingKind::Shadowed
        | FindingKind::Redundant
        | FindingKind::Conflict
        | FindingKind::BroadAllow
        | FindingKind::FailsOpen
        | FindingKind::NotDecided => None,
    };
    if let Some(call) = call {
        finding.witness = Some(call.line());
    }
}

/// A call to a tool of which no resource is derived, so that the rule does not see what it acts on.
fn escaping(whole: &mut Whole<'_>, rule: &Rule) -> Option<Call> {
    let wide = Rule {
        target: None,
        ..rule.clone()
    };
    let set = whole.set;
    let found = whole.region.find(&[&wide], &mut |call| {
        let request = call.request();
        let hole = set.hole(&request).is_some() && !matches(rule, &request);
        if hole && call.tool.profile.resources.is_empty() {
            Seen::Yes
        } else {
            Seen::NotWithThisTool
        }
    });
    taken(found)
}

/// A call that the pattern means only since there is no separator before its star.
fn longer(whole: &mut Whole<'_>, rule: &Rule, field: Option<&str>) -> Option<Call> {
    let grown = |text: &str| {
        let at = text
            .char_indices()
            .zip(text.chars().skip(1))
            .find(|((_, c), next)| c.is_alphanumeric() && *next == '*')?;
        let ((at, c), _) = at;
        let (head, tail) = text.split_at_checked(at + c.len_utf8())?;
        Some(format!("{head}x{tail}"))
    };
    let mut narrow = rule.clone();
    match (field, &rule.target) {
        (Some("capability"), _) => {
            let text = grown(rule.capability.as_str())?;
            narrow.capability = Capability::Pattern(NamePattern::new(text).ok()?);
        }
        (_, Some(Target::Resource(pattern))) => {
            let text = grown(pattern.as_str())?;
            narrow.target = Some(Target::Resource(
                Pattern::parse(&text, pattern.kind()).ok()?,
            ));
        }
        (_, Some(Target::Command(pattern))) => {
            let words = pattern
                .words()
                .iter()
                .map(|word| grown(word).unwrap_or_else(|| word.clone()));
            narrow.target = Some(Target::Command(
                CommandPattern::parse(words.collect()).ok()?,
            ));
        }
        (_, None) => return None,
    }
    taken(whole.region.find(&[rule, &narrow], &mut |_| Seen::Yes))
}

fn taken(found: Found) -> Option<Call> {
    match found {
        Found::Call(call) => Some(*call),
        Found::Nowhere | Found::NotDecided => None,
    }
}
