//! One mail: asked, approved, sent once; then the same approval tried again, and for another address.

use serde_json::json;
use tipstaff_gate::{Call, Outcome, Stage as At, Ticket};
use tipstaff_journal::kinds;

use super::Tour;
use super::approver::Question;
use super::calls::unexpected;
use super::stop::{Stop, check};
use super::trail::Trail;
use super::voice::{Who, Word};

const TO: &str = "bob@example.org";
const TEXT: &str = "The report is done.";

/// The mail and the address that the approver must see.
fn mail(to: &str, text: &str) -> Call {
    Call::new("desk:send_mail", json!({ "to": to, "text": text }))
}

/// A question and the ticket that the agent holds for it.
pub(super) struct Asked {
    ticket: Ticket,
    question: Question,
}

impl Tour<'_> {
    pub(super) async fn ask(&mut self) -> Result<Asked, Stop> {
        self.voice.begin("ask", "A write is asked")?;
        self.voice.say(
            Who::Agent,
            &format!("calls desk:send_mail to {TO}: `{TEXT}`"),
        )?;
        let asked = self.put(mail(TO, TEXT)).await?;
        self.voice.decide(
            Word::Ask,
            "rule `mail-is-asked`; nothing is sent, and the agent holds a ticket",
        )?;
        let details = json!({ "decision": "ask", "rule": "mail-is-asked", "approval": asked.ticket.approval_id });
        self.voice.done(&details)?;
        Ok(asked)
    }

    pub(super) async fn approve(&mut self, asked: Asked) -> Result<Ticket, Stop> {
        self.voice.begin("approve", "A person says yes")?;
        let Asked { ticket, question } = asked;
        let minutes = question.request.use_within_seconds / 60;
        let shown = question.request.show();
        for needed in [TO, TEXT, &ticket.digest.to_string()] {
            check(shown.contains(needed), || {
                format!("the approver does not see `{needed}`")
            })?;
        }
        self.voice
            .say(Who::Ana, "sees exactly this call, and says yes:")?;
        self.voice.show(&shown)?;
        self.stage.approve(question).await?;
        self.voice.say(
            Who::Tipstaff,
            &format!("keeps her yes for this digest only: for one use within {minutes} min, by this agent"),
        )?;
        self.voice
            .done(&json!({ "by": super::stage::PERSON, "digest": ticket.digest }))?;
        Ok(ticket)
    }

    pub(super) async fn run_once(&mut self, ticket: &Ticket) -> Result<(), Stop> {
        self.voice.begin("run", "It runs, once")?;
        self.voice
            .say(Who::Agent, "presents the same call with its ticket")?;
        let (outcome, trail) = self.stage.present(ticket, mail(TO, TEXT)).await?;
        trail.ran(1)?;
        check(trail.count(&kinds::APPROVAL_USED) == 1, || {
            "the approval was not spent".to_owned()
        })?;
        check(matches!(outcome, Outcome::Completed { .. }), || {
            unexpected(&outcome)
        })?;
        self.mails(1)?;
        let sent = self.stage.ground.mails();
        check(
            sent.iter()
                .all(|mail| mail.contains(TO) && mail.contains(TEXT)),
            || "another mail was sent than the one that was approved".to_owned(),
        )?;
        self.voice.say(
            Who::Tipstaff,
            "spends the yes and issues one warrant, in one write; the server may run",
        )?;
        self.voice.say(Who::Result, "1 mail in the outbox")?;
        self.voice
            .done(&json!({ "outcome": outcome.as_str(), "warrants": 1, "outbox": 1 }))
    }

    pub(super) async fn reuse_refused(&mut self, ticket: &Ticket) -> Result<(), Stop> {
        self.voice
            .begin("reuse_refused", "The same approval again")?;
        self.voice.say(Who::Agent, "presents it once more")?;
        let (outcome, trail) = self.stage.present(ticket, mail(TO, TEXT)).await?;
        let why = self.refused(&outcome, &trail, 1)?;
        self.voice.decide(Word::Refused, &why)?;
        self.voice.say(Who::Result, "still 1 mail in the outbox")?;
        self.voice
            .done(&json!({ "outcome": outcome.as_str(), "why": why, "outbox": 1 }))
    }

    pub(super) async fn changed_argument(&mut self) -> Result<(), Stop> {
        self.voice.begin("changed_argument", "A changed argument")?;
        self.voice.say(
            Who::Agent,
            "asks to send `See you at 5.` to bob; ana says yes; then it presents mallory's address",
        )?;
        let Asked { ticket, question } = self.put(mail(TO, "See you at 5.")).await?;
        self.stage.approve(question).await?;
        let (outcome, trail) = self
            .stage
            .present(&ticket, mail("mallory@example.net", "See you at 5."))
            .await?;
        let why = self.refused(&outcome, &trail, 1)?;
        check(self.stage.is_approved(ticket.approval_id), || {
            "the approval did not outlive the attempt".to_owned()
        })?;
        self.voice.decide(
            Word::Refused,
            "the approval was given for another call: its digest differs",
        )?;
        self.voice.say(
            Who::Result,
            "still 1 mail in the outbox, and her yes is unspent",
        )?;
        self.voice
            .done(&json!({ "outcome": outcome.as_str(), "why": why, "outbox": 1 }))
    }

    /// Sends a mail that must be asked, and takes the question from the approver's desk.
    async fn put(&mut self, call: Call) -> Result<Asked, Stop> {
        let before = self.stage.ground.mails().len();
        let (outcome, trail) = self.stage.send(call).await?;
        trail.decided("ask", Some("mail-is-asked"))?;
        trail.ran(0)?;
        let Outcome::Pending { ticket } = outcome else {
            return Err(Stop::Wrong(unexpected(&outcome)));
        };
        self.mails(before)?;
        let question = self.stage.question().await?;
        let same =
            question.request.id == ticket.approval_id && question.request.digest == ticket.digest;
        check(same, || {
            "the approver was asked about another call".to_owned()
        })?;
        Ok(Asked { ticket, question })
    }

    /// Refused because of the approval, and nothing ran.
    fn refused(&self, outcome: &Outcome, trail: &Trail, mails: usize) -> Result<String, Stop> {
        trail.ran(0)?;
        self.mails(mails)?;
        let Outcome::Refused {
            why,
            stage: At::Approval,
            ..
        } = outcome
        else {
            return Err(Stop::Wrong(unexpected(outcome)));
        };
        Ok(why.clone())
    }

    fn mails(&self, want: usize) -> Result<(), Stop> {
        let found = self.stage.ground.mails().len();
        check(found == want, || {
            format!("the outbox holds {found} mails, not {want}")
        })
    }
}
