//! What an approver is given about one call, as data. How it is laid out for people is `show`'s job.
//!
//! This is a public wire format with spellings of its own (`PascalCase`), so the types here are the
//! wire types. Values are already redacted where the operator said so; nothing here is cut.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use tipstaff_resource::Resource;
use tipstaff_schema::{AgentId, CallAccess, Digest, Domain, Placement, Reach, Risk};

use crate::EventDataError;
use tipstaff_schema::one_form;

one_form!(Durability, ExecutionCategory, ApprovalCategory, Preview);

/// How far effects reach, as previews spell it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(from = "String")]
pub enum SideEffectLevel {
    /// Nothing outside the answer.
    None,
    /// State on this machine.
    LocalState,
    /// Other processes.
    Process,
    /// Beyond this machine; anything unknown counts as this.
    External,
}

impl From<Reach> for SideEffectLevel {
    fn from(reach: Reach) -> Self {
        match reach {
            Reach::None => Self::None,
            Reach::LocalState => Self::LocalState,
            Reach::Process => Self::Process,
            Reach::External => Self::External,
        }
    }
}

impl From<Option<Reach>> for SideEffectLevel {
    /// `None` (not known) counts as external.
    fn from(reach: Option<Reach>) -> Self {
        reach.map_or(Self::External, Self::from)
    }
}

impl From<String> for SideEffectLevel {
    /// An unknown word counts as external.
    fn from(word: String) -> Self {
        match word.as_str() {
            "None" => Self::None,
            "LocalState" => Self::LocalState,
            "Process" => Self::Process,
            _ => Self::External,
        }
    }
}

/// Whether a call of this level changes anything at all.
#[must_use]
pub const fn is_consequential(level: SideEffectLevel) -> bool {
    match level {
        SideEffectLevel::None => false,
        SideEffectLevel::LocalState | SideEffectLevel::Process | SideEffectLevel::External => true,
    }
}

/// How long effects last.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(remote = "Self")]
pub enum Durability {
    /// Gone when the call ends.
    Ephemeral,
    /// They stay.
    Persistent,
    /// They stay, and doing it twice is doing it once.
    ReplaySafe,
}

/// How a call runs beside others.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(remote = "Self")]
pub enum ExecutionCategory {
    /// Reads only; any number at once.
    ReadOnlyParallel,
    /// Changes local state, alone.
    ExclusiveLocalMutation,
    /// Changes lasting state, alone.
    ExclusivePersistentMutation,
    /// Goes on after the call.
    BackgroundJob,
    /// Hands work to another agent.
    Delegation,
}

/// The kind of question that this is for people.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(remote = "Self")]
pub enum ApprovalCategory {
    /// No kind of its own.
    Default,
    /// Something only reads.
    ReadOnly,
    /// Files.
    Filesystem,
    /// A process starts.
    Process,
    /// Something goes on in the background.
    Background,
    /// Another agent is given work.
    Delegation,
}

/// One of the process powers that a preview lists (on the wire under `capabilities`).
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[non_exhaustive]
pub enum Power {
    /// Reads only.
    ReadOnly,
    /// Reads files.
    FilesystemRead,
    /// Writes files.
    FilesystemWrite,
    /// Starts a process.
    ProcessExec,
    /// Leaves a process running.
    BackgroundExec,
    /// Changes tasks.
    TaskMutation,
    /// Coordinates a team of agents.
    TeamCoordination,
    /// Hands work to another agent.
    Delegation,
    /// Compacts a context.
    ContextCompaction,
    /// Loads a skill.
    SkillLoad,
    /// One that this list does not know.
    Custom(String),
}

/// What the approver gets about one call.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(remote = "Self", deny_unknown_fields)]
pub struct Preview {
    /// The tool's id.
    pub tool_id: String,
    /// Who calls.
    pub agent: AgentId,
    /// The working folder; `None` where there is none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub working_directory: Option<String>,
    /// The powers that it uses.
    #[serde(rename = "capabilities")]
    pub powers: Vec<Power>,
    /// How far effects reach.
    pub side_effect_level: SideEffectLevel,
    /// How long effects last.
    pub durability: Durability,
    /// How it runs beside others.
    pub execution_category: ExecutionCategory,
    /// The kind of question.
    pub approval_category: ApprovalCategory,
    /// What came in, before it was parsed.
    pub raw_input: Value,
    /// The parsed call.
    pub structured_input: Value,
    /// The text of each simple command of the plan, in order; empty where there is no plan.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub commands: Vec<String>,
    /// The files whose content is part of what is approved.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub bound: Vec<String>,
    /// What it acts on.
    pub resources: Vec<Resource>,
    /// Where it runs; `None` where the tool knows no placements.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub placement: Option<Placement>,
    /// How much a wrong call can hurt.
    pub risk: Risk,
    /// Read or write.
    pub access: CallAccess,
    /// One sentence for people, by whoever prepared the call.
    pub summary: String,
    /// Rules that would have allowed it, narrowest first, as YAML.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub suggested: Vec<String>,
    /// The request digest.
    pub digest: Digest,
}

impl Preview {
    /// The digest of the preview itself: what was handed to the approver's channel.
    ///
    /// # Errors
    /// [`EventDataError::Write`] when a value in it has no canonical form.
    pub fn shown_digest(&self) -> Result<Digest, EventDataError> {
        shown_digest(self)
    }
}

/// The digest of whatever a channel is handed.
pub(crate) fn shown_digest(shown: &impl Serialize) -> Result<Digest, EventDataError> {
    let failed = |source| EventDataError::Write {
        what: "preview".to_owned(),
        source,
    };
    let document = serde_json::to_value(shown).map_err(|e| failed(Box::new(e)))?;
    Digest::of(Domain::Preview, &document).map_err(|e| failed(Box::new(e)))
}
