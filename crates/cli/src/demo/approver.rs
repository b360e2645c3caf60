//! The person of the tour. Each question comes to the script, which shows it and says what she answers.

use tipstaff_approval::{Answer, ApprovalRequest};
use tipstaff_gate::{Approver, Vote};
use tipstaff_schema::Person;
use tokio::sync::{mpsc, oneshot};

/// A question on her desk. Dropped, it stays open.
pub(super) struct Question {
    /// What she is shown.
    pub(super) request: ApprovalRequest,
    answer: oneshot::Sender<Answer>,
}

impl Question {
    /// Answers; nobody listens any more where the question has ended.
    pub(super) fn answer(self, answer: Answer) {
        drop(self.answer.send(answer));
    }
}

/// The way to her.
#[derive(Debug)]
pub(super) struct Desk {
    person: Person,
    questions: mpsc::UnboundedSender<Question>,
}

impl Desk {
    /// The way, and the questions that come on it.
    pub(super) fn of(person: Person) -> (Self, mpsc::UnboundedReceiver<Question>) {
        let (questions, asked) = mpsc::unbounded_channel();
        (Self { person, questions }, asked)
    }
}

#[async_trait::async_trait]
impl Approver for Desk {
    async fn ask(&self, request: &ApprovalRequest) -> Option<Vote> {
        let (answer, answered) = oneshot::channel();
        self.questions
            .send(Question {
                request: request.clone(),
                answer,
            })
            .ok()?;
        let answer = answered.await.ok()?;
        Some(Vote {
            person: self.person.clone(),
            digest: request.digest,
            answer,
        })
    }
}
