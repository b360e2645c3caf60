//! Approvals: previews, digests of requests, and the life of a question to people.
#![doc = include_str!("../README.md")]
//!
//! Pure: time, ids and people are passed in. Knows nothing of channels; asking people is the gate's
//! job, so that every rule here can be tested without a queue.

mod answer;
mod ask;
mod binding;
mod display;
pub mod events;
mod find;
mod fold;
mod preview;
mod request;
mod show;
mod state;
mod wire;

#[cfg(test)]
mod tests;

pub use answer::{Answer, AnswerRefusal, ReviewAnswer, Voter};
pub use ask::{Ask, AskRefusal, COOL_DOWN, Limits, Terms};
pub use binding::Binding;
pub use events::{ApprovalEvent, EventDataError};
pub use find::{Found, UseRefusal};
pub use fold::{ApplyError, Approvals};
pub use preview::{
    ApprovalCategory, Durability, ExecutionCategory, Power, Preview, SideEffectLevel,
    is_consequential,
};
pub use request::{ApprovalRequest, RuleRef, Subject, ToolReview, Vote};
pub use show::{Line, Notice};
pub use state::{ApprovalState, Step, StepRefusal, step};
