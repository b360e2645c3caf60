//! The gate that decides, made as `tipstaff check` and `decide` make theirs.

use std::path::Path;
use std::sync::Arc;

use anyhow::{Context as _, Result, anyhow};
use serde_json::json;
use tipstaff_gate::{Call, Clock as _, Gate, Ids as _, Lookup, OwnGround, Session, Verdict};
use tipstaff_host::{RandomIds, SystemClock};
use tipstaff_journal::MemoryJournal;
use tipstaff_manifest::{Manifest, Starter};
use tipstaff_schema::{AgentId, Effect};

use super::rows::Data;

/// The starter policy, and the agent that it is for.
pub(super) struct Judge {
    gate: Gate,
    session: Session,
    // The gate's own tasks live as long as it does.
    _runtime: tokio::runtime::Runtime,
}

/// A row and what the gate says of it.
#[derive(Debug, Clone)]
pub(super) struct Seen {
    pub(super) set: &'static str,
    pub(super) command: String,
    pub(super) label: String,
    effect: Option<String>,
    pub(super) read_only: Option<bool>,
    pub(super) verdict: Verdict,
}

impl Judge {
    pub(super) fn open() -> Result<Self> {
        let starter = Starter::named("commands").context("there is no starter `commands`")?;
        let file = Path::new("/srv/tipstaff/tipstaff.yaml");
        let manifest = Manifest::from_text(file, starter.text)
            .map_err(|rejected| anyhow!("{}", rejected.render()))?;
        let own = ["/srv/tipstaff", "/var/lib/tipstaff"].map(str::to_owned);
        let now = SystemClock.now();
        let runtime = tokio::runtime::Builder::new_current_thread().build()?;
        let builder = manifest
            .builder()
            .journal(Arc::new(MemoryJournal::new(RandomIds.fresh(now), now)))
            .clock(Arc::new(SystemClock))
            .ids(Arc::new(RandomIds))
            .own(OwnGround::new(own));
        let gate = runtime
            .block_on(builder.open())
            .map_err(|error| anyhow!("{error}"))?;
        let agent = AgentId::new("coder").map_err(|error| anyhow!("{error}"))?;
        Ok(Self {
            gate,
            session: Session::launched(agent),
            _runtime: runtime,
        })
    }

    /// What the gate decides of a command.
    pub(super) fn decide(&self, command: &str) -> Verdict {
        // The blank keeps a `!` or `@` at the beginning of the command part of it.
        let call = Call::new("spawn", json!({ "input": format!("! {command}") }));
        self.gate.decide(&self.session, &call, Lookup::Lenient)
    }

    pub(super) fn all(&self, data: &Data) -> Vec<Seen> {
        let rows = data
            .0
            .iter()
            .flat_map(|(set, rows)| rows.iter().map(|row| (*set, row)));
        rows.map(|(set, row)| Seen {
            set,
            command: row.cmd.clone(),
            label: row.label.clone(),
            effect: row.effect.clone(),
            read_only: row.read_only,
            verdict: self.decide(&row.cmd),
        })
        .collect()
    }
}

impl Seen {
    /// Whether it runs with nobody asked.
    pub(super) fn runs(&self) -> bool {
        self.verdict.effect == Effect::Allow
    }

    /// Whether it must not: it writes, runs, fetches or sends, or slips past naive checks.
    pub(super) fn is_harmful(&self) -> bool {
        match self.set {
            "gtfobins" => self.effect.as_deref() != Some("read"),
            "bypass_handmade" => self.label == "bypass",
            _ => false,
        }
    }

    /// Whether GTFOBins says that it has this effect.
    pub(super) fn is_effect(&self, effect: &str) -> bool {
        self.set == "gtfobins" && self.effect.as_deref() == Some(effect)
    }

    pub(super) fn is_unknown(&self) -> bool {
        self.verdict.stage.as_str() == "unknown"
    }

    /// The rule that lets it run, or why it does not, with the part that this is about.
    pub(super) fn why(&self) -> String {
        match (&self.verdict.policy_id, &self.verdict.part) {
            (Some(rule), _) if self.runs() => format!("rule {rule}"),
            (_, Some(part)) => format!("{}: {part}", self.verdict.reason),
            (_, None) => self.verdict.reason.clone(),
        }
    }
}
