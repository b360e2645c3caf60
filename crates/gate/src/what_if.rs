//! What-if: recorded calls, judged again under another policy by the gate's own code.
//!
//! Executes nothing, asks nobody, touches no file and no server: when a call was judged, whose it
//! was and where its paths led is taken from the journal. What the journal does not hold whole is
//! not judgeable, and said so; nothing is guessed.

mod candidate;
mod judgeable;
mod recorded;
mod report;

use std::collections::{BTreeMap, HashMap};
use std::fmt;
use std::sync::Arc;

use tipstaff_journal::{Event, Filter, Journal, ReadJournalError, Stream, StreamKind};
use tipstaff_schema::Effect;
use tipstaff_schema::sanitization::sanitize_for_display;

pub use self::candidate::Candidate;
pub use self::judgeable::NotJudgeable;
pub use self::report::{Change, Example, NotJudged, Report, RuleUse, Tally};

use self::candidate::Judged;
use self::recorded::{Recorded, Then};
use crate::Stage;

/// How many events are read at once.
const PAGE: usize = 1000;

/// Judges every recorded call of a journal again.
///
/// # Errors
/// [`ReadJournalError`] when the journal cannot be read.
pub async fn what_if(
    journal: &dyn Journal,
    candidate: &Candidate,
) -> Result<Report, ReadJournalError> {
    let mut what_if = WhatIf::new(candidate);
    let mut from = 1;
    loop {
        let calls = Filter::streams([StreamKind::Call]);
        let page = journal.scan(from, PAGE, &calls).await?;
        let Some(last) = page.last() else {
            return Ok(what_if.finish());
        };
        from = last.seq.saturating_add(1);
        page.iter().for_each(|event| what_if.take(event));
    }
}

/// The same event by event, for a journal that is read as a file.
///
/// Remembers the calls that have not ended, and sums; never the journal.
pub struct WhatIf<'a> {
    candidate: &'a Candidate,
    open: BTreeMap<Stream, Recorded>,
    /// Where each rule stands in the report.
    places: HashMap<String, usize>,
    report: Report,
}

impl fmt::Debug for WhatIf<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("WhatIf")
            .field("open", &self.open.len())
            .finish_non_exhaustive()
    }
}

impl<'a> WhatIf<'a> {
    /// Begins with no event seen.
    #[must_use]
    pub fn new(candidate: &'a Candidate) -> Self {
        let report = Report::new(candidate.policy());
        let ids = report.rules.iter().map(|rule| rule.id.clone());
        Self {
            candidate,
            open: BTreeMap::new(),
            places: ids.enumerate().map(|(place, id)| (id, place)).collect(),
            report,
        }
    }

    /// Takes in the next event, in the order of the journal. Events of other things are passed over.
    pub fn take(&mut self, event: &Event) {
        if event.stream.kind() != StreamKind::Call {
            return;
        }
        let mut call = self.open.remove(&event.stream).unwrap_or_default();
        if call.take(event) {
            self.end(&call);
        } else {
            self.open.insert(event.stream.clone(), call);
        }
    }

    /// What came of it; calls that have not ended are judged as they stand.
    #[must_use]
    pub fn finish(mut self) -> Report {
        for call in std::mem::take(&mut self.open).into_values() {
            self.end(&call);
        }
        self.report.sort();
        self.report
    }

    fn end(&mut self, call: &Recorded) {
        let then = match call.then() {
            Ok(Some(then)) => then,
            Ok(None) => return self.report.never_reached(call.stopped_at()),
            Err(why) => return self.report.not_judged(call.tool(), &why),
        };
        // No policy lifts it, and whose ground it was is nothing that a policy says.
        if then.stage == Stage::OwnGround.as_str() && then.effect == Effect::Deny {
            return self.report.stays(then.effect);
        }
        match self.candidate.judge(call) {
            Ok(judged) => self.compare(call, &then, judged),
            Err(why) => self.report.not_judged(call.tool(), &why),
        }
    }

    fn compare(&mut self, call: &Recorded, then: &Then, judged: Judged) {
        let Judged {
            at,
            verdict,
            mut matched,
            what,
            assumed,
        } = judged;
        // The policy that decided then had no other names than those that were recorded.
        if then.policy != Some(self.candidate.policy().digest()) {
            self.report.assumed(assumed);
        }
        if let Some(place) = verdict
            .policy_id
            .as_ref()
            .and_then(|id| self.places.get(id))
        {
            self.report.decided(*place);
        }
        // A rule that stops something below a folder decides without matching the folder itself.
        matched.extend(verdict.policy_id.as_deref().map(Arc::from));
        for place in matched.iter().filter_map(|id| self.places.get(&**id)) {
            self.report.matched(*place);
        }
        self.report.judged(call.tool(), then, &verdict, || Example {
            call: call.id(),
            at,
            agent: call.agent(),
            what,
            then: then.reason.clone(),
            now: sanitize_for_display(&verdict.reason),
        });
    }
}

/// The verdict on every call, in the order in which they came; none where policy was not reached.
#[cfg(test)]
pub(crate) fn verdicts(
    events: &[Event],
    candidate: &Candidate,
) -> Vec<Option<Result<crate::Verdict, NotJudgeable>>> {
    let mut calls: Vec<(Stream, Recorded)> = Vec::new();
    for event in events {
        if event.stream.kind() != StreamKind::Call {
            continue;
        }
        let known = calls.iter().position(|(stream, _)| *stream == event.stream);
        let place = known.unwrap_or_else(|| {
            calls.push((event.stream.clone(), Recorded::default()));
            calls.len() - 1
        });
        if let Some((_, call)) = calls.get_mut(place) {
            call.take(event);
        }
    }
    let judge = |call: &Recorded| match call.then() {
        Ok(None) => None,
        Ok(Some(_)) => Some(candidate.judge(call).map(|judged| judged.verdict)),
        Err(why) => Some(Err(why)),
    };
    calls.iter().map(|(_, call)| judge(call)).collect()
}
