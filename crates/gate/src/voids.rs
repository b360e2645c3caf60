//! What befalls the answers that were given for a tool whose definition changed: they no longer count.
//!
//! The voids stand in the append that puts the tool into quarantine, so that no moment lies between
//! the two, and again in the one that lifts it: another gate may have asked meanwhile.

use tipstaff_approval::events::Voided;
use tipstaff_journal::{Draft, Stream, StreamKind, kinds};

use crate::gate::Inner;

/// The definition is not the one that people saw.
pub(crate) const CHANGED: &str = "the tool's definition changed after it was asked";
/// What was asked before the acceptance is asked again.
pub(crate) const ACCEPTED_ANEW: &str = "the tool was accepted anew after it was asked";

/// Steps that end approvals, each after the version that it follows.
#[derive(Debug, Default)]
pub(crate) struct Voids {
    pub(crate) expected: Vec<(Stream, u64)>,
    pub(crate) drafts: Vec<Draft>,
}

impl Inner {
    /// Ends every question and every unused approval about the tool, those of other gates over the
    /// journal too.
    pub(crate) async fn voids(&self, tool_id: &str, why: &str, actor: &str) -> Voids {
        self.after_conflict().await;
        let now = self.now();
        let data = Voided {
            reason: why.to_owned(),
        }
        .data();
        let mut voids = Voids::default();
        let state = self.state();
        for request in state.approvals.live_of(tool_id, now) {
            let stream = Stream::of(StreamKind::Approval, request.id);
            let (id, kind) = (self.ids.fresh(now), kinds::APPROVAL_VOIDED);
            let mut draft = Draft::new(id, now, stream.clone(), kind, actor, data.clone());
            draft.correlation = request.correlation;
            voids.expected.push((stream, request.version));
            voids.drafts.push(draft);
        }
        voids
    }
}
