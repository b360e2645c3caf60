//! The manifest's own tests: a call, and what must be decided of it.

use serde::Serialize;
use tipstaff_gate::{Gate, Lookup, Verdict};
use tipstaff_schema::Effect;

use crate::calls::CallLine;
use crate::problem::{Place, Problem};

/// One test.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct PolicyTest {
    /// The call.
    pub call: CallLine,
    /// What must be decided.
    pub expect: Effect,
    /// The rule that must decide; none means any.
    pub by: Option<String>,
    /// Where the test stands.
    pub place: Place,
    /// In which file.
    pub file: String,
}

/// A test that came out otherwise.
#[derive(Debug, Clone, Serialize)]
#[non_exhaustive]
pub struct TestFailure {
    /// The problem, at the test's place.
    pub problem: Problem,
    /// What was decided.
    pub verdict: Verdict,
}

impl PolicyTest {
    /// Judges the call; none means that the test holds.
    #[must_use]
    pub fn run(&self, gate: &Gate) -> Option<TestFailure> {
        let at = self.call.at;
        let (session, call) = self.call.clone().into_call();
        let verdict = match at {
            Some(at) => gate.decide_at(&session, &call, Lookup::Lenient, at),
            None => gate.decide(&session, &call, Lookup::Lenient),
        };
        let by_holds = self.by.is_none() || self.by == verdict.policy_id;
        if verdict.effect == self.expect && by_holds {
            return None;
        }
        let by = verdict
            .policy_id
            .as_ref()
            .map(|id| format!(" by `{id}`"))
            .unwrap_or_default();
        let wanted = self
            .by
            .as_ref()
            .map(|id| format!(" by `{id}`"))
            .unwrap_or_default();
        let message = format!(
            "the test expects {}{wanted}, but the call is decided {}{by} at {}: {}",
            self.expect,
            verdict.effect,
            verdict.stage.as_str(),
            verdict.reason
        );
        let problem = Problem::new(&self.file, self.place, message);
        Some(TestFailure { problem, verdict })
    }
}
