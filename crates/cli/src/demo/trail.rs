//! What one step left in the journal: the proof of what was decided and of what ran.

use serde_json::Value;
use tipstaff_journal::{Event, Filter, Journal, Kind, kinds};

use super::stop::{Stop, check};

/// The tour writes far fewer events than this.
const MANY: usize = 10_000;

pub(super) struct Trail(Vec<Event>);

/// A decision of policy as it was written down.
pub(super) struct Decided<'a> {
    pub(super) effect: &'a str,
    pub(super) rule: Option<&'a str>,
    pub(super) reason: &'a str,
    /// The part of the call that decided.
    pub(super) part: Option<&'a str>,
}

impl Trail {
    pub(super) async fn since(journal: &dyn Journal, seen: u64) -> Result<Self, Stop> {
        journal
            .scan(seen + 1, MANY, &Filter::all())
            .await
            .map(Self)
            .map_err(Stop::broken)
    }

    pub(super) fn events(&self) -> &[Event] {
        &self.0
    }

    pub(super) fn last(&self) -> Option<u64> {
        self.0.last().map(|event| event.seq)
    }

    pub(super) fn count(&self, kind: &Kind) -> usize {
        self.0.iter().filter(|event| event.kind == *kind).count()
    }

    /// The tool that a token was routed to.
    pub(super) fn routed(&self) -> Option<&str> {
        let routed = self.0.iter().find(|event| event.kind == kinds::CALL_ROUTED);
        routed
            .and_then(|event| event.data.get("tool_id"))
            .and_then(Value::as_str)
    }

    /// The decision, which must have this effect by this rule.
    pub(super) fn decided(&self, effect: &str, rule: Option<&str>) -> Result<Decided<'_>, Stop> {
        let event = self
            .0
            .iter()
            .rfind(|event| event.kind == kinds::POLICY_DECIDED);
        let event = event.ok_or_else(|| Stop::wrong("policy was not asked"))?;
        let text = |key: &str| event.data.get(key).and_then(Value::as_str);
        let decided = Decided {
            effect: text("effect").unwrap_or_default(),
            rule: text("policy_id"),
            reason: text("reason").unwrap_or_default(),
            part: text("part"),
        };
        check(decided.effect == effect && decided.rule == rule, || {
            format!(
                "policy said {} by {:?}: {}",
                decided.effect, decided.rule, decided.reason
            )
        })?;
        Ok(decided)
    }

    /// As many executions as said, each on a warrant of its own and with an outcome.
    pub(super) fn ran(&self, times: usize) -> Result<(), Stop> {
        let (warrants, ended) = (
            self.count(&kinds::WARRANT_ISSUED),
            self.count(&kinds::EXECUTION_SUCCEEDED),
        );
        check(warrants == times && ended == times, || {
            format!("{warrants} warrants and {ended} successful executions, where {times} belong")
        })
    }
}
