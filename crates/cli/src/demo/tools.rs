//! A server that turns: a description that changes after it was pinned, and text that attacks its reader.

use serde_json::{Value, json};
use tipstaff_gate::{Call, Lookup, Outcome, Stage as At};
use tipstaff_journal::kinds;
use tipstaff_registry::Standing;
use tipstaff_schema::Effect;
use tipstaff_schema::sanitization::{
    is_clean, render_tool_description_for_prompt, render_tool_output_for_prompt,
    sanitize_for_display,
};

use super::Tour;
use super::calls::{answer, unexpected};
use super::server::{INJECTED, PAGE};
use super::stage::SERVER;
use super::stop::{Stop, check};
use super::voice::{Who, Word};

const WRITE: &str = "desk:write_file";
const FETCH: &str = "desk:fetch_page";

/// What of a page a model is given at most.
const MAX_PAGE: usize = 4096;

/// Hidden, or able to move what is shown: zero width, turned around, escape, tags.
const HIDDEN: [char; 5] = ['\u{200b}', '\u{202e}', '\u{1b}', '\u{e0041}', '\u{e0042}'];

impl Tour<'_> {
    pub(super) async fn quarantine(&mut self) -> Result<(), Stop> {
        self.voice
            .begin("quarantine", "A description changes under our feet")?;
        let call = Call::new(WRITE, json!({ "path": "drafts/a.txt", "text": "hello" }));
        let before = self
            .stage
            .gate
            .decide(&self.stage.session, &call, Lookup::Strict);
        check(before.effect == Effect::Allow, || {
            format!("before the change it was not allowed: {}", before.reason)
        })?;
        self.voice.say(
            Who::Server,
            "gives `write_file`, so far allowed by `write-drafts`, another description",
        )?;
        std::fs::write(self.stage.ground.changed(), "").map_err(Stop::broken)?;
        self.stage
            .until_tool(WRITE, |standing| {
                matches!(standing, Standing::Quarantined { .. })
            })
            .await?;
        let told = self.stage.trail().await?;
        check(told.count(&kinds::TOOL_QUARANTINED) == 1, || {
            "the journal does not tell of it".to_owned()
        })?;
        self.voice.say(
            Who::Agent,
            "calls desk:write_file on `drafts/a.txt`, as it might have before",
        )?;
        let (outcome, trail) = self.stage.send(call).await?;
        trail.ran(0)?;
        let Outcome::Refused {
            why,
            stage: At::Lookup,
            ..
        } = &outcome
        else {
            return Err(Stop::Wrong(unexpected(&outcome)));
        };
        let there = self.stage.ground.files().join("drafts/a.txt").exists();
        check(!there, || "the draft was written all the same".to_owned())?;
        let why = sanitize_for_display(why);
        self.voice.decide(Word::Refused, &why)?;
        self.voice.say(
            Who::Result,
            "no draft; a person looks at the new definition before it runs again",
        )?;
        self.voice
            .done(&json!({ "outcome": outcome.as_str(), "why": why }))
    }

    pub(super) async fn fence(&mut self) -> Result<(), Stop> {
        self.voice.begin("fence", "Text that attacks its reader")?;
        let catalog = self.stage.gate.catalog();
        let entry = catalog
            .by_name(WRITE)
            .ok_or_else(|| Stop::wrong("the tool is gone"))?;
        let raw = entry
            .raw
            .get("description")
            .and_then(Value::as_str)
            .unwrap_or_default();
        check(raw == INJECTED, || {
            "the description did not arrive as it was sent".to_owned()
        })?;
        self.voice.say(
            Who::Attacker,
            "put orders, fake fences, an escape and hidden letters into that description",
        )?;
        let description = render_tool_description_for_prompt(WRITE, raw, SERVER);
        fenced(&description)?;
        let findings = entry
            .findings()
            .into_iter()
            .map(|f| sanitize_for_display(&f.why));
        let findings: Vec<String> = findings.collect();
        check(!findings.is_empty(), || {
            "nothing in it looked wrong".to_owned()
        })?;
        self.voice.say(
            Who::Tipstaff,
            "gives it to people and models inside a fence that it cannot end:",
        )?;
        self.voice.show(&description)?;
        for finding in &findings {
            self.voice
                .say(Who::Tipstaff, &format!("warns of {finding}"))?;
        }
        self.voice.say(
            Who::Agent,
            "fetches https://example.org/hours (rule `read-example`); the page attacks too:",
        )?;
        let page = Call::new(FETCH, json!({ "url": "https://example.org/hours" }));
        let (outcome, trail) = self.stage.send(page).await?;
        trail.decided("allow", Some("read-example"))?;
        trail.ran(1)?;
        let text = answer(&outcome)?;
        check(text == PAGE, || {
            "the page did not arrive as it was sent".to_owned()
        })?;
        let page = render_tool_output_for_prompt(FETCH, text, SERVER, MAX_PAGE);
        fenced(&page)?;
        self.voice.show(&page)?;
        self.voice
            .done(&json!({ "description": description, "page": page, "findings": findings, "fence_lines": 2 }))
    }
}

/// Exactly two fence lines, the second and the last, and nothing hidden in between.
fn fenced(rendered: &str) -> Result<(), Stop> {
    let lines: Vec<&str> = rendered.lines().collect();
    let fence = lines.last().copied().unwrap_or_default();
    let fences = lines.iter().filter(|line| **line == fence).count();
    check(
        fence.starts_with("~~~") && fences == 2 && lines.get(1) == Some(&fence),
        || format!("{fences} fence lines, where two belong"),
    )?;
    // A longer run of tildes would end it just as well.
    let run = |line: &str| line.chars().take_while(|c| *c == '~').count();
    let escapes = lines
        .iter()
        .filter(|line| **line != fence)
        .any(|line| run(line) >= run(fence));
    check(!escapes, || "the text ends its fence".to_owned())?;
    check(is_clean(rendered) && !rendered.contains(HIDDEN), || {
        "hidden characters are left in it".to_owned()
    })
}
