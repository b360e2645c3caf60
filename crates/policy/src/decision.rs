//! The outcome of policy for one request, and why.
//!
//! Making one allocates nothing: the rule is shared, and the reason is rendered only when asked for.

use std::sync::Arc;
use std::time::Duration;

use tipstaff_schema::{Digest, Effect};

use crate::rule::Rule;
use crate::terms::Terms;

/// The outcome of policy for one request. The gate carries it on and marks what it adds itself.
#[derive(Debug, Clone)]
pub struct Decision {
    /// Allow, ask or deny.
    pub effect: Effect,
    /// The rule that decided; `None` for locked and default.
    pub policy_id: Option<Arc<str>>,
    /// The grant that answered an ask; set by the gate.
    pub grant_id: Option<Arc<str>>,
    /// The deciding rule's specificity; 0 without one.
    pub specificity: u32,
    /// Whether the capability is locked.
    pub locked: bool,
    /// How many rules matched.
    pub considered: usize,
    /// Whether the caller made an allow an ask; set by the gate.
    pub tightened: bool,
    /// Whether a guard decided.
    pub guard: bool,
    /// The digest of the rules that decided.
    pub policy_digest: Option<Digest>,
    /// What decided.
    pub source: DecidedBy,
    pub(crate) rule: Option<Arc<Rule>>,
}

/// What decided.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum DecidedBy {
    /// The profile says locked.
    Locked,
    /// A guard.
    Guard,
    /// The most specific matching rule.
    Rule,
    /// No rule matched: the profile's default.
    Default,
}

impl Decision {
    /// The reason in words. Rendered anew at each call.
    #[must_use]
    pub fn reason(&self) -> String {
        match (self.source, &self.rule) {
            (DecidedBy::Locked, _) => "capability is locked to DENY by design".to_owned(),
            (DecidedBy::Guard | DecidedBy::Rule, Some(rule)) => rule.reason_line(),
            (DecidedBy::Guard | DecidedBy::Rule | DecidedBy::Default, _) => {
                "no matching policy; capability default".to_owned()
            }
        }
    }

    /// The rule that decided.
    #[must_use]
    pub fn rule(&self) -> Option<&Arc<Rule>> {
        self.rule.as_ref()
    }

    /// Whether no grant and no remembered rule may answer this ask, only a person.
    #[must_use]
    pub fn fresh(&self) -> bool {
        self.rule.as_ref().is_some_and(|rule| rule.fresh())
    }

    /// The approval terms of the deciding rule, where it sets any.
    #[must_use]
    pub fn terms(&self) -> Option<&Terms> {
        self.rule.as_ref().and_then(|rule| rule.terms())
    }

    /// How long the deciding rule lets a request for approval wait, where it says so.
    #[must_use]
    pub fn expire(&self) -> Option<Duration> {
        self.terms().and_then(|terms| terms.expire)
    }
}
