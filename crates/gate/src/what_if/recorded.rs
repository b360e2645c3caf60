//! One call as the journal tells of it: what came in, what was decided and what that rested on.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::Value;
use tipstaff_journal::{Event, kinds};
use tipstaff_schema::sanitization::sanitize_for_display;
use tipstaff_schema::{AgentId, Digest, Effect, Placement};
use uuid::Uuid;

use super::judgeable::NotJudgeable;
use crate::facts::Facts;
use crate::{Call, Session};

/// The events of one call that judging it again needs.
#[derive(Debug, Default)]
pub(super) struct Recorded {
    id: Option<Uuid>,
    received: Option<Value>,
    /// The arguments that a token was made into.
    routed: Option<Value>,
    /// The last decision: a call that waited for people is judged once more when they answered.
    decided: Option<Value>,
    refused: Option<Value>,
}

/// What was decided then.
#[derive(Debug)]
pub(super) struct Then {
    pub(super) effect: Effect,
    pub(super) stage: String,
    pub(super) rule: Option<String>,
    pub(super) reason: String,
    pub(super) policy: Option<Digest>,
}

impl Recorded {
    /// Takes in one event; whether nothing more is decided of the call after it.
    pub(super) fn take(&mut self, event: &Event) -> bool {
        self.id = self.id.or_else(|| event.stream.id().parse().ok());
        let part = if event.kind == kinds::CALL_RECEIVED {
            &mut self.received
        } else if event.kind == kinds::CALL_ROUTED {
            &mut self.routed
        } else if event.kind == kinds::POLICY_DECIDED {
            &mut self.decided
        } else if event.kind == kinds::CALL_REFUSED {
            self.refused = Some(event.data.clone());
            return true;
        } else {
            return event.kind == kinds::WARRANT_ISSUED;
        };
        *part = Some(event.data.clone());
        false
    }

    fn text(&self, key: &str) -> Option<&str> {
        self.received.as_ref()?.get(key)?.as_str()
    }

    pub(super) fn id(&self) -> Uuid {
        self.id.unwrap_or_default()
    }

    /// The tool's name; where it was not decided on, what the caller wrote.
    pub(super) fn tool(&self) -> String {
        let facts = self.decided.as_ref().and_then(|data| data.get("facts"));
        let named = facts.and_then(|facts| facts.get("tool")?.as_str());
        sanitize_for_display(named.or_else(|| self.text("tool")).unwrap_or_default())
    }

    pub(super) fn agent(&self) -> String {
        sanitize_for_display(self.text("agent").unwrap_or_default())
    }

    /// Where a call ended that policy never saw.
    pub(super) fn stopped_at(&self) -> String {
        let refused = self.refused.as_ref();
        let text = |key: &str| refused.and_then(|data| data.get(key)?.as_str());
        let at = text("stage").or_else(|| text("outcome"));
        sanitize_for_display(at.unwrap_or("unfinished"))
    }

    /// What was decided; none where policy never saw the call.
    pub(super) fn then(&self) -> Result<Option<Then>, NotJudgeable> {
        let Some(decided) = &self.decided else {
            return Ok(None);
        };
        let text = |key: &str| decided.get(key).and_then(Value::as_str);
        let unreadable = NotJudgeable::Unreadable {
            what: "the decision",
        };
        let effect = decided.get("effect").ok_or(unreadable.clone())?;
        Ok(Some(Then {
            effect: <Effect as Deserialize>::deserialize(effect).map_err(|_| unreadable)?,
            stage: text("stage").unwrap_or_default().to_owned(),
            rule: text("policy_id").map(str::to_owned),
            reason: sanitize_for_display(text("reason").unwrap_or_default()),
            policy: decided
                .pointer("/facts/policy")
                .and_then(|digest| digest.as_str()?.parse().ok()),
        }))
    }

    /// What the decision rested on.
    pub(super) fn facts(&self) -> Result<Facts, NotJudgeable> {
        let data = self.decided.as_ref().and_then(|data| data.get("facts"));
        let data = data.ok_or(NotJudgeable::Old)?;
        <Facts as Deserialize>::deserialize(data).map_err(|_| NotJudgeable::Unreadable {
            what: "the facts of the decision",
        })
    }

    /// Who called and with what, as far as judging asks. Of variables only the names were kept, and
    /// only those count.
    pub(super) fn presented(&self, facts: &Facts) -> Result<(Session, Call), NotJudgeable> {
        let unreadable = |what| NotJudgeable::Unreadable { what };
        let received = self.received.as_ref().ok_or(unreadable("the call"))?;
        let agent = self.text("agent").and_then(|id| AgentId::new(id).ok());
        let mut session = Session::launched(agent.ok_or(unreadable("the agent"))?);
        session.parents.clone_from(&facts.parents);
        let params = match &self.routed {
            Some(routed) => routed.get("params").ok_or(NotJudgeable::Old)?,
            None => received.get("params").ok_or(unreadable("the arguments"))?,
        };
        let mut call = Call::new(facts.tool_id.clone(), params.clone());
        call.cwd = self.text("cwd").map(str::to_owned);
        let placement = self.text("placement").map(Placement::new).transpose();
        call.placement = placement.map_err(|_| unreadable("the placement"))?;
        let env = received.get("env").and_then(Value::as_array);
        let names = env.into_iter().flatten().filter_map(Value::as_str);
        call.env = names
            .map(|name| (name.to_owned(), String::new()))
            .collect::<BTreeMap<_, _>>();
        let wish = received.get("require_approval").and_then(Value::as_bool);
        call.require_approval = wish.unwrap_or_default();
        Ok((session, call))
    }
}
