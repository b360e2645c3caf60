//! The one way of a call, from token to journaled outcome.
#![doc = include_str!("../README.md")]
//!
//! Does no I/O of its own: journal, clock, files, people and tools are reached through traits.

mod accept;
mod admission;
mod agents;
mod answer;
mod ask;
mod assume;
mod breaker;
mod breakers;
mod bucket;
mod builder;
mod call;
mod cancel;
mod derive;
mod edge;
mod executor;
mod explain;
mod facts;
mod finish;
mod gate;
mod judge;
mod judging;
mod keep;
mod limits;
mod outcome;
mod own_ground;
mod probe;
mod programs;
mod ready;
mod record;
mod recover;
mod repeats;
mod review;
mod run;
mod session;
mod start;
mod state;
mod steady;
mod suggest;
mod tend;
mod token;
mod tools;
mod verdict;
mod voids;
mod warrant;
mod way;
mod what_if;
mod work;
mod worklist;

#[cfg(test)]
mod tests;

pub use accept::AcceptToolError;
pub use agents::{AgentFacts, Agents};
pub use answer::AnswerError;
pub use breakers::Breakers;
pub use builder::{GateBuilder, OpenGateError};
pub use call::{Call, Submission};
pub use cancel::Cancel;
pub use edge::{
    Approver, Clock, ConstraintChecker, FileFacts, Ids, Instances, NoConstraints, NoProbe,
    NoProgress, Nobody, OnlyInstance, PathProbe, People, ProgressOf, ProgressSink, Vote,
    content_digest,
};
pub use executor::{ExecError, ExecOutput, Executor, Prepared, Refusal, ValidCall};
pub use explain::{CallExplanation, PartExplanation};
pub use gate::{ExecutorKey, Gate, Mode};
pub use limits::{
    BreakerLimit, CallLimits, Concurrent, Rate, Rates, RepeatLimit, Setting, ToolLimits,
};
pub use outcome::{Outcome, Stage, Ticket};
pub use own_ground::OwnGround;
pub use programs::{Program, ProgramSearch};
pub use ready::Lookup;
pub use review::profile_of;
pub use session::{Authentication, Context, Session};
pub use suggest::SuggestedRules;
pub use verdict::Verdict;
pub use warrant::Warrant;
pub use what_if::{
    Candidate, Change, Example, NotJudgeable, NotJudged, Report, RuleUse, Tally, WhatIf, what_if,
};
pub use work::{Work, WorkError};
pub use worklist::{APPROVAL_KIND, Row, RowId, worklist};
