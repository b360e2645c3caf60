//! A checked rule: every field has been read, nothing in it can fail when it is judged.

use std::sync::{Arc, LazyLock};

use chrono::{DateTime, Utc};
use serde_json::Value;
use tipstaff_command::Ceiling;
use tipstaff_condition::Conditions;
use tipstaff_resource::Pattern;
use tipstaff_schema::{AgentId, Effect, NamePattern, Placement};

use crate::build::canonical;
use crate::hours::Hours;
use crate::target::Target;
use crate::terms::Terms;

/// What a rule says of the tool.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Capability {
    /// Every tool.
    Any,
    /// One tool, by its name or its id.
    Exact(Arc<str>),
    /// A pattern over names.
    Pattern(NamePattern),
}

impl Capability {
    /// Whether it means the tool.
    #[must_use]
    pub fn matches(&self, name: &str, tool_id: &str) -> bool {
        match self {
            Self::Any => true,
            Self::Exact(text) => **text == *name || **text == *tool_id,
            Self::Pattern(pattern) => pattern.matches(name),
        }
    }

    /// The text as written; `*` for every tool.
    #[must_use]
    pub fn as_str(&self) -> &str {
        match self {
            Self::Any => "*",
            Self::Exact(text) => text,
            Self::Pattern(pattern) => pattern.as_str(),
        }
    }
}

/// A checked rule.
///
/// What most rules do not say stands apart, so that a rule takes two cache lines and what a set weighs
/// is mostly its patterns.
// INVARIANT: only `build` makes one; `specificity` is the sum of the table over the other fields;
// `more` is absent where it says nothing.
#[derive(Debug, Clone, PartialEq)]
pub struct Rule {
    pub(crate) index: u32,
    pub(crate) id: Arc<str>,
    pub(crate) agent: Option<Arc<AgentId>>,
    pub(crate) capability: Capability,
    pub(crate) target: Option<Target>,
    pub(crate) effect: Effect,
    pub(crate) guard: bool,
    pub(crate) overridable: bool,
    pub(crate) fresh: bool,
    pub(crate) inherit: bool,
    pub(crate) reason: Option<Box<str>>,
    pub(crate) specificity: u32,
    pub(crate) more: Option<Box<More>>,
}

/// What only some rules say.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct More {
    pub(crate) action: Option<Arc<str>>,
    pub(crate) hours: Option<Hours>,
    pub(crate) when: Conditions,
    pub(crate) terms: Option<Terms>,
    pub(crate) until: Option<DateTime<Utc>>,
    pub(crate) ceiling: Option<Ceiling>,
    pub(crate) cwd: Option<Pattern>,
    pub(crate) placement: Option<Placement>,
    pub(crate) record: Option<Record>,
}

/// Of a rule without conditions.
static NO_CONDITIONS: LazyLock<Conditions> = LazyLock::new(Conditions::default);

/// Who wrote a rule, and when.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Record {
    pub(crate) created_by: Option<String>,
    pub(crate) created_at: Option<DateTime<Utc>>,
    pub(crate) updated_at: Option<DateTime<Utc>>,
}

impl Rule {
    /// Its place among the rules as they were given, from 0.
    #[must_use]
    pub fn index(&self) -> usize {
        usize::try_from(self.index).unwrap_or(usize::MAX)
    }

    /// Its id.
    #[must_use]
    pub fn id(&self) -> &Arc<str> {
        &self.id
    }

    /// The one agent; `None` means every agent.
    #[must_use]
    pub fn agent(&self) -> Option<&AgentId> {
        self.agent.as_deref()
    }

    /// The tools.
    #[must_use]
    pub fn capability(&self) -> &Capability {
        &self.capability
    }

    /// What the call acts on; `None` means anything.
    #[must_use]
    pub fn target(&self) -> Option<&Target> {
        self.target.as_ref()
    }

    /// The action label; `None` means any.
    #[must_use]
    pub fn action(&self) -> Option<&str> {
        self.more.as_deref()?.action.as_deref()
    }

    /// The window; `None` means at any time.
    #[must_use]
    pub fn hours(&self) -> Option<&Hours> {
        self.more.as_deref()?.hours.as_ref()
    }

    /// The conditions over the parameters.
    #[must_use]
    pub fn when(&self) -> &Conditions {
        let more = self.more.as_deref();
        more.map_or(&NO_CONDITIONS, |more| &more.when)
    }

    /// Allow, ask or deny.
    #[must_use]
    pub fn effect(&self) -> Effect {
        self.effect
    }

    /// Whether it is judged before everything and cannot be outranked.
    #[must_use]
    pub fn guard(&self) -> bool {
        self.guard
    }

    /// Whether its author knows that a more specific rule lifts it.
    #[must_use]
    pub fn overridable(&self) -> bool {
        self.overridable
    }

    /// Whether only a person may answer its ask.
    #[must_use]
    pub fn fresh(&self) -> bool {
        self.fresh
    }

    /// What it says about its approvals.
    #[must_use]
    pub fn terms(&self) -> Option<&Terms> {
        self.more.as_deref()?.terms.as_ref()
    }

    /// The last moment at which it holds; `None` means for good.
    #[must_use]
    pub fn until(&self) -> Option<DateTime<Utc>> {
        self.more.as_deref()?.until
    }

    /// Whether an allow also holds for agents that its agent started.
    #[must_use]
    pub fn inherit(&self) -> bool {
        self.inherit
    }

    /// Which effects an allow for a command covers; `None` on all other rules.
    #[must_use]
    pub fn ceiling(&self) -> Option<&Ceiling> {
        self.more.as_deref()?.ceiling.as_ref()
    }

    /// The working folders in which a rule over commands holds; `None` means in any.
    #[must_use]
    pub fn cwd(&self) -> Option<&Pattern> {
        self.more.as_deref()?.cwd.as_ref()
    }

    /// Where a rule over commands holds; `None` means anywhere.
    #[must_use]
    pub fn placement(&self) -> Option<&Placement> {
        self.more.as_deref()?.placement.as_ref()
    }

    /// Who wrote it, and when, where that is said.
    pub(crate) fn record(&self) -> Option<&Record> {
        self.more.as_deref()?.record.as_ref()
    }

    /// The author's reason.
    #[must_use]
    pub fn reason(&self) -> Option<&str> {
        self.reason.as_deref()
    }

    /// The sum of the specificity table.
    #[must_use]
    pub fn specificity(&self) -> u32 {
        self.specificity
    }

    /// The rule in its canonical wire form: no aliases, defaults left out, zone and times resolved.
    #[must_use]
    pub fn to_wire(&self) -> Value {
        canonical::value(self)
    }

    /// `policy <id> (specificity N): …`, the reason of a decision that this rule makes.
    #[must_use]
    pub fn reason_line(&self) -> String {
        let head = format!("policy {} (specificity {})", self.id, self.specificity);
        match &self.reason {
            Some(reason) => format!("{head}: {reason}"),
            None => format!("{head}: {}", self.describe()),
        }
    }

    /// `agent rule allow on files:read_* target /srv/**`.
    #[must_use]
    pub fn describe(&self) -> String {
        let scope = if self.agent.is_some() {
            "agent"
        } else {
            "global"
        };
        let capability = self.capability.as_str();
        match &self.target {
            Some(target) => format!(
                "{scope} rule {} on {capability} target {target}",
                self.effect
            ),
            None => format!("{scope} rule {} on {capability} target *", self.effect),
        }
    }
}
