//! A worklist to test with: the fold, and the events that made it.

use tipstaff_journal::{Event, Stream, StreamKind};

use super::*;
use crate::events::{KeptAnswer, Opened};

/// A fold, and the events that made it.
#[derive(Default)]
pub(super) struct Desk {
    pub(super) tasks: Tasks,
    pub(super) events: Vec<Event>,
}

pub(super) fn opened(n: u128) -> Opened {
    Opened {
        task: task_id(Uuid::from_u128(n), "breach"),
        kind: "agent.triage/breach".into(),
        call: Uuid::from_u128(n),
        tool: "grid:status".into(),
        agent: AgentId::new("coder").unwrap(),
        summary: format!("task {n}"),
        answer: KeptAnswer::None {},
        audience: vec![role("grid")],
        excluded: vec![person("eve")],
        priority: Priority::Normal,
        deadline: DeadlineSpec::of("d", "working-days", 2),
        due_at: at("2026-11-12T16:00Z"),
        calendar: berlin(json!([])).digest(),
        on_expiry: OnExpiry::Deny,
        escalate_to: vec![role("chief")],
        note_required: false,
        observed: false,
    }
}

pub(super) const NOW: &str = "2026-11-10T14:00Z";

impl Desk {
    pub(super) fn event(&self, id: Digest, event: &TaskEvent, when: &str) -> Event {
        let none = digest("none");
        Event {
            v: 1,
            seq: self.events.len() as u64 + 1,
            id: Uuid::from_u128(1_000_000 + self.events.len() as u128),
            ts: at(when),
            stream: Stream::new(StreamKind::Task, id.to_string()).unwrap(),
            version: self.tasks.get(&id).map_or(0, |task| task.version) + 1,
            kind: event.kind(),
            correlation: None,
            causation: None,
            actor: "test".into(),
            data: event.data().unwrap(),
            prev: none,
            hash: none,
        }
    }

    pub(super) fn write(
        &mut self,
        id: Digest,
        event: TaskEvent,
        when: &str,
    ) -> Result<(), ApplyError> {
        let event = self.event(id, &event, when);
        self.tasks.apply(&event)?;
        self.events.push(event);
        Ok(())
    }

    pub(super) fn open(&mut self, n: u128, change: impl Fn(&mut Opened)) -> Digest {
        let mut data = opened(n);
        change(&mut data);
        let id = data.task;
        self.write(id, TaskEvent::Opened(Box::new(data)), NOW)
            .unwrap();
        id
    }

    /// Somebody with these roles acts; the event is written.
    pub(super) fn act_as(
        &mut self,
        id: Digest,
        who: &str,
        roles: &[&str],
        action: Action<'_>,
    ) -> Result<bool, TaskRefusal> {
        let (person, roles): (_, Vec<Role>) =
            (person(who), roles.iter().map(|name| role(name)).collect());
        let worker = Worker {
            person: &person,
            roles: &roles,
        };
        let event = self.tasks.act(&id, action, &worker, at(NOW))?;
        let writes = event.is_some();
        event
            .into_iter()
            .for_each(|event| self.write(id, event, NOW).unwrap());
        Ok(writes)
    }

    pub(super) fn act(
        &mut self,
        id: Digest,
        who: &str,
        action: Action<'_>,
    ) -> Result<bool, TaskRefusal> {
        self.act_as(id, who, &["grid"], action)
    }

    pub(super) fn status(&self, id: Digest) -> TaskStatus {
        self.tasks.get(&id).unwrap().status()
    }

    pub(super) fn page(&self, query: &TaskQuery) -> Vec<&str> {
        self.tasks
            .page(query)
            .iter()
            .map(|task| task.summary.as_str())
            .collect()
    }

    pub(super) fn lapse(&mut self, when: &str) -> usize {
        let calendar = berlin(json!([]));
        let due: Vec<_> = self
            .tasks
            .fallen_due(at(when), &calendar)
            .map(|(task, event)| (task.id, event))
            .collect();
        let count = due.len();
        due.into_iter()
            .for_each(|(id, event)| self.write(id, event, when).unwrap());
        count
    }
}

pub(super) fn digest(of: &str) -> Digest {
    Digest::of_canonical(tipstaff_schema::Domain::Event, of.as_bytes())
}

pub(super) fn done(result: i32, note: &str) -> Action<'static> {
    Action::Complete {
        result: json!(result),
        note: note.into(),
    }
}
