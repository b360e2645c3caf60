//! Shell commands: one that a rule allows, and the same with another behind it.

use serde_json::json;
use tipstaff_gate::{Call, Outcome};
use tipstaff_schema::sanitization::sanitize_for_display;

use super::Tour;
use super::calls::{answer, unexpected};
use super::ground::NOTES;
use super::stop::{Stop, check};
use super::voice::{Who, Word};

fn command(text: &str) -> Call {
    Call::new("spawn", json!({ "input": text }))
}

impl Tour<'_> {
    pub(super) async fn command_allowed(&mut self) -> Result<(), Stop> {
        self.voice
            .begin("command_allowed", "A command that a rule allows")?;
        self.voice.say(Who::Agent, "spawns `!cat notes.txt`")?;
        let (outcome, trail) = self.stage.send(command("!cat notes.txt")).await?;
        trail.decided("allow", Some("cat-own-files"))?;
        trail.ran(1)?;
        let text = answer(&outcome)?;
        check(text.contains(NOTES.trim_end()), || {
            format!("it printed `{}`", sanitize_for_display(text))
        })?;
        self.voice.decide(
            Word::Allow,
            "rule `cat-own-files`; all that it does is read inside the agent's root",
        )?;
        self.voice.say(Who::Result, NOTES.trim_end())?;
        self.voice
            .done(&json!({ "decision": "allow", "rule": "cat-own-files" }))
    }

    pub(super) async fn appended_command_asked(&mut self) -> Result<(), Stop> {
        self.voice.begin(
            "appended_command_asked",
            "The same with `; touch x` behind it",
        )?;
        self.voice
            .say(Who::Agent, "spawns `!cat notes.txt; touch x`")?;
        let (outcome, trail) = self.stage.send(command("!cat notes.txt; touch x")).await?;
        let decided = trail.decided("ask", None)?;
        trail.ran(0)?;
        check(matches!(outcome, Outcome::Pending { .. }), || {
            unexpected(&outcome)
        })?;
        let part = decided.part.unwrap_or_default();
        check(part.contains("touch x"), || {
            format!("it was asked because of `{}`", sanitize_for_display(part))
        })?;
        // Nobody answers: the question is dropped and stays open.
        drop(self.stage.question().await?);
        let there = self.stage.ground.files().join("x").exists();
        check(!there, || {
            "`x` is there although nobody approved".to_owned()
        })?;
        let part = sanitize_for_display(part);
        self.voice.decide(
            Word::Ask,
            &format!(
                "no rule covers the part `{part}`; one allowed part opens nothing for another"
            ),
        )?;
        self.voice.say(
            Who::Result,
            "nobody approves it, so nothing ran: there is no `x`",
        )?;
        self.voice
            .done(&json!({ "decision": "ask", "part": part, "ran": false }))
    }
}
