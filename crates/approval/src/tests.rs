//! Rules of approvals, one test each, and the helpers that they share.

mod answers;
mod binding;
mod fold;
mod histories;
mod reading;
mod showing;
mod states;

use std::time::Duration;

use chrono::{DateTime, TimeDelta, Utc};
use serde_json::json;
use tipstaff_journal::{Event, Stream, StreamKind};
use tipstaff_resource::{Base, Resource};
use tipstaff_schema::{
    Access, AgentId, CallAccess, Digest, Domain, Person, ResourceKind, Risk, Role,
};
use uuid::Uuid;

use crate::events::{Answered, Expired, Used, Voided, Withdrawn};
use crate::*;

/// So many seconds after the first question.
fn at(seconds: i64) -> DateTime<Utc> {
    DateTime::from_timestamp(1_790_000_000, 0).unwrap() + TimeDelta::seconds(seconds)
}

const MINUTE: i64 = 60;

fn digest(of: &str) -> Digest {
    Digest::of_canonical(Domain::Request, of.as_bytes())
}

fn agent() -> AgentId {
    AgentId::new("coder").unwrap()
}

fn person(name: &str) -> Person {
    Person::new(name).unwrap()
}

fn role(name: &str) -> Role {
    Role::new(name).unwrap()
}

fn deny() -> Answer {
    Answer::Deny {
        reason: "not today".into(),
    }
}

fn resource(value: &str) -> Resource {
    Resource::parse(ResourceKind::Path, value, Access::Write, &Base::default()).unwrap()
}

fn preview() -> Preview {
    Preview {
        tool_id: "mcp:files:write_file".into(),
        agent: agent(),
        working_directory: Some("/srv/repo".into()),
        powers: vec![Power::FilesystemWrite],
        side_effect_level: SideEffectLevel::LocalState,
        durability: Durability::Persistent,
        execution_category: ExecutionCategory::ExclusivePersistentMutation,
        approval_category: ApprovalCategory::Filesystem,
        raw_input: json!({"path": "/srv/repo/a"}),
        bound: Vec::new(),
        structured_input: json!({"path": "/srv/repo/a"}),
        commands: Vec::new(),
        resources: vec![resource("/srv/repo/a")],
        placement: None,
        risk: Risk::Medium,
        access: CallAccess::Write,
        summary: "write a file".into(),
        suggested: Vec::new(),
        digest: digest("R"),
    }
}

fn ask(of: &str) -> Ask {
    Ask {
        agent: agent(),
        owner: Some(person("ana")),
        session: "s1".into(),
        digest: digest(of),
        subject: Subject::Call {
            preview: Box::new(preview()),
        },
        reason_asked: "no rule allows it".into(),
        policy: Some(digest("policy")),
        rule: None,
    }
}

fn review(answer: ReviewAnswer) -> Answer {
    Answer::Review(answer)
}

fn tool_ask(of: &str) -> Ask {
    let definition = json!({"name": "read", "description": "reads a file"});
    let tool = ToolReview {
        tool_id: "mcp:files:read".into(),
        definition,
        findings: vec!["says *must*".into()],
    };
    Ask {
        subject: Subject::Tool {
            review: Box::new(tool),
        },
        ..ask(of)
    }
}

/// A fold, and the events that made it.
#[derive(Default)]
struct Desk {
    approvals: Approvals,
    events: Vec<Event>,
}

impl Desk {
    /// Asks for `of` on the usual terms, at 0 seconds; gives the id.
    fn asked(&mut self, of: &str) -> Uuid {
        self.asks(ask(of), &Terms::default(), 0)
    }

    fn asks(&mut self, ask: Ask, terms: &Terms, seconds: i64) -> Uuid {
        let requested = self
            .approvals
            .open(ask, terms, Limits::default(), at(seconds))
            .unwrap();
        let id = Uuid::from_u128(self.events.len() as u128 + 1);
        self.write(id, &ApprovalEvent::Requested(Box::new(requested)), seconds)
            .unwrap();
        id
    }

    /// The event as a journal would number it.
    fn event(&self, id: Uuid, event: &ApprovalEvent, seconds: i64) -> Event {
        Event {
            v: 1,
            seq: self.events.len() as u64 + 1,
            id: Uuid::from_u128(1_000_000 + self.events.len() as u128),
            ts: at(seconds),
            stream: Stream::of(StreamKind::Approval, id),
            version: self.approvals.get(id).map_or(0, |request| request.version) + 1,
            kind: event.kind(),
            correlation: None,
            causation: None,
            actor: "test".into(),
            data: event.data().unwrap(),
            prev: digest("prev"),
            hash: digest("hash"),
        }
    }

    fn write(&mut self, id: Uuid, event: &ApprovalEvent, seconds: i64) -> Result<(), ApplyError> {
        let event = self.event(id, event, seconds);
        self.approvals.apply(&event)?;
        self.events.push(event);
        Ok(())
    }

    /// Somebody with the role `approver` answers; the events are written.
    fn answer(
        &mut self,
        id: Uuid,
        of: &str,
        answer: &Answer,
        who: &str,
        seconds: i64,
    ) -> Result<(), AnswerRefusal> {
        self.answer_as(id, of, answer, who, &[role("approver")], seconds)
    }

    fn answer_as(
        &mut self,
        id: Uuid,
        of: &str,
        answer: &Answer,
        who: &str,
        roles: &[Role],
        seconds: i64,
    ) -> Result<(), AnswerRefusal> {
        let person = person(who);
        let voter = Voter {
            person: &person,
            roles,
        };
        for event in self
            .approvals
            .answer(id, &digest(of), answer, &voter, at(seconds))?
        {
            self.write(id, &event, seconds).unwrap();
        }
        Ok(())
    }

    fn used(&mut self, id: Uuid, of: &str, session: &str, seconds: i64) -> Result<(), ApplyError> {
        let call = Uuid::from_u128(7);
        self.write(
            id,
            &ApprovalEvent::Used(Used {
                call,
                digest: digest(of),
                session: session.into(),
            }),
            seconds,
        )
    }

    fn voided(&mut self, id: Uuid, seconds: i64) -> Result<(), ApplyError> {
        self.write(
            id,
            &ApprovalEvent::Voided(Voided {
                reason: "the pin changed".into(),
            }),
            seconds,
        )
    }

    fn withdrawn(&mut self, id: Uuid, seconds: i64) -> Result<(), ApplyError> {
        self.write(
            id,
            &ApprovalEvent::Withdrawn(Withdrawn {
                reason: "cancelled".into(),
            }),
            seconds,
        )
    }

    fn state(&self, id: Uuid, seconds: i64) -> &'static str {
        self.approvals
            .get(id)
            .unwrap()
            .state_at(at(seconds))
            .as_str()
    }

    fn find(&self, of: &str, seconds: i64) -> &'static str {
        self.find_in("s1", of, seconds)
    }

    fn find_in(&self, session: &str, of: &str, seconds: i64) -> &'static str {
        match self
            .approvals
            .find(session, &agent(), &digest(of), at(seconds))
        {
            Found::Usable(_) => "usable",
            Found::Pending(_) => "pending",
            Found::Refused { .. } => "refused",
            Found::Nothing => "nothing",
        }
    }
}

fn terms(quorum: u32, audience: &[&str]) -> Terms {
    Terms {
        quorum,
        audience: audience.iter().map(|name| role(name)).collect(),
        ..Terms::default()
    }
}
