//! The kinds of event that this version writes, one constant each.
//!
//! The texts are a promise to every reader of a journal: none is ever renamed or reused.

use crate::Kind;

macro_rules! kinds {
    ($($(#[$doc:meta])* $name:ident = $text:literal;)*) => {
        $($(#[$doc])* pub const $name: Kind = Kind::known($text);)*

        /// Every kind that this version writes.
        pub const ALL: &[Kind] = &[$($name),*];
    };
}

kinds! {
    /// The first event of every journal.
    JOURNAL_OPENED = "journal.opened";
    /// A signed tree head (not written yet).
    JOURNAL_CHECKPOINT = "journal.checkpoint";
    /// A new epoch of keys (not written yet).
    JOURNAL_KEY_ROTATED = "journal.key_rotated";
    /// A call arrived.
    CALL_RECEIVED = "call.received";
    /// An intent token was routed to a tool.
    CALL_ROUTED = "call.routed";
    /// A call was refused before or after it was judged.
    CALL_REFUSED = "call.refused";
    /// A policy took effect; holds its text.
    POLICY_LOADED = "policy.loaded";
    /// A call was judged.
    POLICY_DECIDED = "policy.decided";
    /// A person is asked.
    APPROVAL_REQUESTED = "approval.requested";
    /// One vote of a quorum.
    APPROVAL_VOTED = "approval.voted";
    /// The request has its answer.
    APPROVAL_ANSWERED = "approval.answered";
    /// The answer was spent on one warrant.
    APPROVAL_USED = "approval.used";
    /// Nobody answered, or nobody used the answer, in time.
    APPROVAL_EXPIRED = "approval.expired";
    /// The caller no longer wants it.
    APPROVAL_WITHDRAWN = "approval.withdrawn";
    /// The rules or the tool changed under it.
    APPROVAL_VOIDED = "approval.voided";
    /// A scoped permission was given.
    GRANT_ISSUED = "grant.issued";
    /// A grant answered an ask.
    GRANT_USED = "grant.used";
    /// A grant was taken back.
    GRANT_REVOKED = "grant.revoked";
    /// An answer was made into a narrow rule.
    REMEMBERED_MADE = "remembered.made";
    /// A remembered rule was dropped.
    REMEMBERED_FORGOTTEN = "remembered.forgotten";
    /// A remembered rule answered an ask.
    REMEMBERED_HIT = "remembered.hit";
    /// One execution may start.
    WARRANT_ISSUED = "warrant.issued";
    /// The tool answered.
    EXECUTION_SUCCEEDED = "execution.succeeded";
    /// The tool failed, or nothing ran.
    EXECUTION_FAILED = "execution.failed";
    /// Nobody knows whether it ran.
    EXECUTION_UNKNOWN = "execution.unknown";
    /// An answer matches rules whose tasks could not be opened.
    TRIAGE_FAILED = "triage.failed";
    /// A row appeared in the worklist.
    TASK_OPENED = "task.opened";
    /// Somebody took the task.
    TASK_CLAIMED = "task.claimed";
    /// The task went back.
    TASK_RELEASED = "task.released";
    /// The task was handed to another.
    TASK_DELEGATED = "task.delegated";
    /// Another took the task from its holder.
    TASK_TAKEN_OVER = "task.taken_over";
    /// The task is done.
    TASK_COMPLETED = "task.completed";
    /// The task was set aside for a reason.
    TASK_SKIPPED = "task.skipped";
    /// The deadline passed.
    TASK_EXPIRED = "task.expired";
    /// The task went up.
    TASK_ESCALATED = "task.escalated";
    /// A closed task is open again.
    TASK_REOPENED = "task.reopened";
    /// A tool was seen.
    TOOL_REGISTERED = "tool.registered";
    /// The definition that is accepted.
    TOOL_PINNED = "tool.pinned";
    /// The definition no longer equals its pin.
    TOOL_QUARANTINED = "tool.quarantined";
    /// A person accepted a definition.
    TOOL_ACCEPTED = "tool.accepted";
    /// A tool is no longer offered.
    TOOL_REMOVED = "tool.removed";
    /// An agent, a server or all were paused.
    AGENT_PAUSED = "agent.paused";
    /// The pause ended.
    AGENT_RESUMED = "agent.resumed";
    /// An agent connected.
    SESSION_OPENED = "session.opened";
    /// An agent left.
    SESSION_CLOSED = "session.closed";
}
