//! The wire form of an answer, as it comes from a control socket or a page and as events keep it.
//!
//! The person who answers is not in it: they come from the authenticated session.

use serde::{Deserialize, Serialize};

use crate::{Answer, ReviewAnswer};
use tipstaff_schema::one_form;

one_form!(AnswerWire);

#[derive(Serialize, Deserialize)]
#[serde(
    remote = "Self",
    tag = "type",
    rename_all = "snake_case",
    deny_unknown_fields
)]
pub(crate) enum AnswerWire {
    Approve {},
    Deny { reason: String },
    Review { review: ReviewAnswer },
}

impl From<AnswerWire> for Answer {
    fn from(wire: AnswerWire) -> Self {
        match wire {
            AnswerWire::Approve {} => Self::Approve,
            AnswerWire::Deny { reason } => Self::Deny { reason },
            AnswerWire::Review { review } => Self::Review(review),
        }
    }
}

impl From<Answer> for AnswerWire {
    fn from(answer: Answer) -> Self {
        match answer {
            Answer::Approve => Self::Approve {},
            Answer::Deny { reason } => Self::Deny { reason },
            Answer::Review(review) => Self::Review { review },
        }
    }
}
