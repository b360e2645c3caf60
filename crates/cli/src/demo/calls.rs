//! Steps with one call each: an allowed read, a path that is denied, a wish that no tool fulfils.

use serde_json::json;
use tipstaff_gate::{Call, Clock, Outcome};
use tipstaff_host::SystemClock;
use tipstaff_journal::kinds;
use tipstaff_schema::sanitization::sanitize_for_display;
use tipstaff_schema::{IntentToken, Object, Provenance, Verb};

use super::Tour;
use super::ground::NOTES;
use super::stop::{Stop, check};
use super::voice::{Who, Word};

impl Tour<'_> {
    pub(super) async fn read(&mut self) -> Result<(), Stop> {
        self.voice.begin("read", "An allowed read")?;
        self.voice.say(
            Who::Agent,
            "sends an intent token: fs.read_file, path `notes.txt`",
        )?;
        let (outcome, trail) = self
            .stage
            .send(token("fs", "read_file", "path", "notes.txt"))
            .await?;
        let routed = trail.routed();
        check(routed == Some("mcp:desk:read_file"), || {
            format!("it was routed to {routed:?}")
        })?;
        trail.decided("allow", Some("read-own-files"))?;
        trail.ran(1)?;
        let text = answer(&outcome)?;
        check(text == NOTES, || {
            format!(
                "the answer is not the file: `{}`",
                sanitize_for_display(text)
            )
        })?;
        self.voice.decide(
            Word::Allow,
            "routed to `desk:read_file`; rule `read-own-files`, on one warrant",
        )?;
        self.voice
            .say(Who::Result, &sanitize_for_display(text.trim_end()))?;
        self.voice.done(
            &json!({ "decision": "allow", "rule": "read-own-files", "tool": "desk:read_file" }),
        )
    }

    pub(super) async fn denied_path(&mut self) -> Result<(), Stop> {
        self.voice.begin("denied_path", "A denied path")?;
        self.voice
            .say(Who::Agent, "calls desk:read_file on `drafts/../.env`")?;
        let (outcome, trail) = self
            .stage
            .send(Call::new(
                "desk:read_file",
                json!({ "path": "drafts/../.env" }),
            ))
            .await?;
        let decided = trail.decided("deny", Some("secrets"))?;
        trail.ran(0)?;
        check(matches!(outcome, Outcome::Denied { .. }), || {
            unexpected(&outcome)
        })?;
        self.voice.decide(
            Word::Deny,
            "guard `secrets` outranks every rule, however the path is spelled",
        )?;
        self.voice.say(Who::Result, decided.reason)?;
        self.voice
            .done(&json!({ "decision": "deny", "rule": decided.rule, "reason": decided.reason }))
    }

    pub(super) async fn unroutable(&mut self) -> Result<(), Stop> {
        self.voice
            .begin("unroutable", "A wish that no tool fulfils")?;
        self.voice.say(
            Who::Agent,
            "sends an intent token: payments.transfer, account `DE00`",
        )?;
        let (outcome, trail) = self
            .stage
            .send(token("payments", "transfer", "account", "DE00"))
            .await?;
        trail.ran(0)?;
        check(trail.count(&kinds::POLICY_DECIDED) == 0, || {
            "policy was asked about no tool".to_owned()
        })?;
        let Outcome::Unroutable { ask } = &outcome else {
            return Err(Stop::Wrong(unexpected(&outcome)));
        };
        self.voice
            .decide(Word::Refused, "no tool does that, and no yes can run it")?;
        self.voice.say(Who::Result, &sanitize_for_display(ask))?;
        self.voice
            .done(&json!({ "outcome": outcome.as_str(), "ask": ask }))
    }
}

/// A token as a model would send it.
pub(super) fn token(namespace: &str, action: &str, kind: &str, value: &str) -> IntentToken {
    let provenance = Provenance::Llm {
        model: "script".to_owned(),
        call_id: "tour".to_owned(),
        raw_input: None,
        ts: SystemClock.now(),
    };
    let object = Object {
        kind: kind.to_owned(),
        value: json!(value),
    };
    IntentToken::new(
        Verb::new(namespace, action),
        object,
        provenance,
        "demo".to_owned(),
    )
}

/// The text of an answer that must be there.
pub(super) fn answer(outcome: &Outcome) -> Result<&str, Stop> {
    if let Outcome::Completed { result, .. } = outcome
        && !result.is_error
    {
        return Ok(result.output.as_deref().unwrap_or_default());
    }
    Err(Stop::Wrong(unexpected(outcome)))
}

/// The outcome that should not be, for people.
pub(super) fn unexpected(outcome: &Outcome) -> String {
    format!("it was {}: {}", outcome.as_str(), outcome.for_model())
}
