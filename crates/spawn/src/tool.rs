//! The tool as the gate's executor: prepares calls without touching anything, runs them on a warrant.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::{Value, json};
use tipstaff_approval::{ApprovalCategory, Durability, ExecutionCategory, Power, SideEffectLevel};
use tipstaff_command::ProgramTable;
use tipstaff_gate::{
    Cancel, ExecError, ExecOutput, Executor, Prepared, ProgramSearch, Refusal, Stage, ValidCall,
    Warrant,
};
use tipstaff_registry::Capability;
use tipstaff_schema::Placement;

use crate::depth::{DepthLedger, MAX_DEPTH};
use crate::parse::{LOCAL_TARGET, Mode, ParsedSpawn, parse_spawn};
use crate::{
    CommandExecutor, DelegateError, Delegated, LocalExecutor, SpawnError, SpawnSettings, Task,
    WarrantedCommand, describe,
};

/// For a command of more parts no rules are suggested: nobody reads so many.
const MAX_SUGGESTED: usize = 6;

/// The tool's name and id.
pub const SPAWN: &str = "spawn";

/// The spawn tool. Cheap to clone; clones share the ledger of depths.
#[derive(Debug, Clone)]
pub struct SpawnTool {
    settings: Arc<SpawnSettings>,
    // INVARIANT: sorted, unique, none of them `local`.
    targets: Vec<Placement>,
    /// What runs commands, this machine's first.
    executors: Vec<Arc<dyn CommandExecutor>>,
    ledger: DepthLedger,
}

impl SpawnTool {
    /// The tool without placements.
    ///
    /// # Errors
    /// [`SpawnError`] when the program path cannot be used.
    pub fn new(settings: SpawnSettings) -> Result<Self, SpawnError> {
        Self::with_targets(settings, [])
    }

    /// The tool with the placements that exist beside the gate's own machine.
    ///
    /// # Errors
    /// [`SpawnError`] when the program path cannot be used, or a placement is called `local`.
    pub fn with_targets(
        settings: SpawnSettings,
        targets: impl IntoIterator<Item = Placement>,
    ) -> Result<Self, SpawnError> {
        settings.check()?;
        let mut targets: Vec<Placement> = targets.into_iter().collect();
        targets.sort();
        targets.dedup();
        if targets.iter().any(Placement::is_local) {
            return Err(SpawnError::Local);
        }
        let settings = Arc::new(settings);
        let local = LocalExecutor::new(Arc::clone(&settings));
        Ok(Self {
            settings,
            targets,
            executors: vec![Arc::new(local)],
            ledger: DepthLedger::default(),
        })
    }

    /// The same tool with something that runs the commands of the placements that it serves. Of
    /// several that serve one, the first is asked; `local` is always this machine.
    #[must_use]
    pub fn with_executor(mut self, executor: Arc<dyn CommandExecutor>) -> Self {
        self.executors.push(executor);
        self
    }

    /// The same tool on another machine than this, as far as it knows.
    #[cfg(test)]
    pub(crate) fn on(mut self, local: LocalExecutor) -> Self {
        self.executors = vec![Arc::new(local)];
        self
    }

    /// Descriptor and profile, for the catalog.
    #[must_use]
    pub fn capability(&self) -> Capability {
        describe::capability(&self.targets, self.settings.timeout)
    }

    fn placement(&self, parsed: &ParsedSpawn, call: &ValidCall<'_>) -> Result<Placement, Refusal> {
        let placement = match (&parsed.target, call.placement) {
            (Some(named), Some(wanted)) if named != wanted => {
                let why = format!(
                    "the input names `{named}` and the call `{wanted}`: name one placement"
                );
                return Err(Refusal::new(Stage::Placement, why));
            }
            (Some(named), _) => named.clone(),
            (None, Some(wanted)) => wanted.clone(),
            (None, None) => Placement::local(),
        };
        if placement.is_local() || self.targets.contains(&placement) {
            return Ok(placement);
        }
        let known: Vec<&str> = self.targets.iter().map(Placement::as_str).collect();
        let why = match known.as_slice() {
            [] => format!(
                "there is no placement `{placement}`: none is registered, commands run where the host runs"
            ),
            known => format!(
                "there is no placement `{placement}`; registered: {}",
                known.join(", ")
            ),
        };
        Err(Refusal::new(Stage::Placement, why))
    }

    fn command(&self, parsed: &ParsedSpawn, call: &ValidCall<'_>) -> Result<Prepared, Refusal> {
        if self.settings.no_shell {
            return Err(Refusal::new(
                Stage::Prepare,
                "commands are shut off here (`no_shell`)",
            ));
        }
        let placement = self.placement(parsed, call)?;
        fixed_path(call.env)?;
        let cwd = folder(call)?;
        let plan = tipstaff_command::plan(&parsed.body, Some(&cwd), ProgramTable::builtin());
        let mut prepared = Prepared::plain(structured(parsed, Some(&cwd), Some(&placement)));
        prepared.powers = vec![Power::ProcessExec, Power::FilesystemWrite];
        prepared.execution = ExecutionCategory::ExclusiveLocalMutation;
        prepared.category = ApprovalCategory::Process;
        prepared.durability = Durability::Ephemeral;
        prepared.level = Some(SideEffectLevel::Process);
        prepared.action = Some(Mode::Command.as_str().to_owned());
        let parts = plan.commands.len();
        prepared.suggestions = (0..if parts <= MAX_SUGGESTED { parts } else { 0 })
            .map(|at| tipstaff_command::suggest(&plan, at, call.root, ProgramTable::builtin()))
            .collect();
        prepared.programs = placement
            .is_local()
            .then(|| search(&self.settings.path, &plan));
        prepared.placement = Some(placement);
        prepared.cwd = Some(cwd);
        prepared.plan = Some(plan);
        Ok(prepared)
    }

    fn task(&self, parsed: &ParsedSpawn, call: &ValidCall<'_>) -> Result<Prepared, Refusal> {
        if call
            .placement
            .is_some_and(|placement| !placement.is_local())
        {
            return Err(Refusal::new(
                Stage::Placement,
                "tasks have no placement; only commands do",
            ));
        }
        self.may_delegate(call.session)?;
        let mut prepared = Prepared::plain(structured(parsed, call.cwd, None));
        prepared.powers = vec![Power::Delegation];
        prepared.execution = ExecutionCategory::Delegation;
        prepared.category = ApprovalCategory::Delegation;
        prepared.level = Some(SideEffectLevel::LocalState);
        prepared.action = Some(Mode::Agent.as_str().to_owned());
        prepared.cwd = call.cwd.map(str::to_owned);
        Ok(prepared)
    }

    fn may_delegate(&self, session: &tipstaff_gate::Session) -> Result<(), Refusal> {
        if self.ledger.of(session) >= MAX_DEPTH {
            let why = "delegation is as deep as it may get: do this task here, yourself";
            return Err(Refusal::new(Stage::Depth, why));
        }
        if self.settings.delegate.is_none() {
            let why = "no subagents are available here: do this task yourself, or write `!` and a command";
            return Err(Refusal::new(Stage::Prepare, why));
        }
        Ok(())
    }

    async fn run_command(&self, warrant: Warrant, cancel: Cancel) -> Result<ExecOutput, ExecError> {
        let never = |why: &str| ExecError::NeverSent {
            why: why.to_owned(),
        };
        if self.settings.no_shell {
            return Err(never("commands are shut off here"));
        }
        fixed_path(warrant.env()).map_err(|refusal| never(&refusal.why))?;
        let command = WarrantedCommand::of(warrant)?;
        let placement = command.placement();
        let executor = self.executors.iter().find(|one| one.serves(&placement));
        match executor {
            Some(executor) => executor.run(command, cancel).await,
            None => Err(never(&format!(
                "nothing here runs commands on `{placement}`: this machine runs only its own"
            ))),
        }
    }

    async fn run_task(
        &self,
        warrant: &Warrant,
        text: &str,
        cancel: &Cancel,
    ) -> Result<ExecOutput, ExecError> {
        let never = |why: String| ExecError::NeverSent { why };
        self.may_delegate(warrant.session())
            .map_err(|refusal| never(refusal.why))?;
        let Some(delegate) = &self.settings.delegate else {
            return Err(never("nobody takes tasks".to_owned()));
        };
        let child = delegate.child_of(&warrant.session().agent);
        let session = warrant.session().child(child.clone());
        let depth = self.ledger.enter(warrant.session(), child);
        let depth = depth.ok_or_else(|| never("delegation is as deep as it may get".to_owned()))?;
        let task = Task {
            text: text.to_owned(),
            session,
            depth: depth.depth(),
            deadline: warrant.deadline(),
            cancel: cancel.child(),
        };
        match delegate.run(task).await {
            Ok(Delegated::Answer(answer)) => Ok(ExecOutput::text("the subagent answered", answer)),
            Ok(Delegated::Empty) => Ok(ExecOutput::text("the subagent ended and said nothing", "")),
            Err(DelegateError::NotStarted { why }) => Err(never(why)),
            Err(DelegateError::Failed { why }) => Err(ExecError::Failed { why }),
        }
    }
}

#[async_trait::async_trait]
impl Executor for SpawnTool {
    /// Each call starts a program or a task of its own: that five of them failed says nothing of the
    /// sixth.
    fn has_breaker(&self) -> bool {
        false
    }

    fn prepare(&self, call: &ValidCall<'_>) -> Result<Prepared, Refusal> {
        let parsed = parse_spawn(call.params)
            .map_err(|error| Refusal::new(Stage::Prepare, error.to_string()))?;
        match parsed.mode {
            Mode::Command => self.command(&parsed, call),
            Mode::Agent => self.task(&parsed, call),
        }
    }

    async fn execute(&self, warrant: Warrant, cancel: Cancel) -> Result<ExecOutput, ExecError> {
        let parsed = parse_spawn(warrant.params()).map_err(|error| ExecError::NeverSent {
            why: error.to_string(),
        })?;
        match parsed.mode {
            Mode::Command => self.run_command(warrant, cancel).await,
            Mode::Agent => self.run_task(&warrant, &parsed.body, &cancel).await,
        }
    }
}

/// The folder in which a command runs: the caller's, on the agent's root where it is relative.
fn folder(call: &ValidCall<'_>) -> Result<String, Refusal> {
    let base = tipstaff_resource::Base {
        cwd: None,
        root: call.root,
    };
    let raw = call.cwd.or(call.root).ok_or_else(|| {
        Refusal::new(
            Stage::Prepare,
            "a command needs a folder: give `cwd`, or the agent a root",
        )
    })?;
    tipstaff_resource::Resource::fold_path(raw, &base).map_err(|error| {
        Refusal::new(
            Stage::Prepare,
            format!("the folder cannot be used: {error}"),
        )
    })
}

/// What is to be started for a plan, and what is said where it is missing.
fn search(folders: &[String], plan: &tipstaff_command::CommandPlan) -> ProgramSearch {
    let argv = plan.single_argv();
    let looked = folders.join(":");
    match argv.as_deref().and_then(<[String]>::first) {
        Some(name) => {
            let missing = format!(
                "there is no program `{}` (looked in {looked})",
                name.escape_debug()
            );
            ProgramSearch::new(folders.to_vec(), name, missing)
        }
        None => {
            let missing = format!(
                "shell syntax needs bash, and there is none; write one plain command (looked in {looked})"
            );
            ProgramSearch::new(folders.to_vec(), "bash", missing)
        }
    }
}

/// Refuses to move the program path. What other variables do is judged with the command.
fn fixed_path(env: &BTreeMap<String, String>) -> Result<(), Refusal> {
    if env.contains_key("PATH") {
        let why = "the call sets `PATH`: programs are looked up in a fixed list of folders, write the program's full path";
        return Err(Refusal::new(Stage::Prepare, why));
    }
    Ok(())
}

/// The call as people see it and remembered rules match it: exactly these four fields.
fn structured(parsed: &ParsedSpawn, cwd: Option<&str>, placement: Option<&Placement>) -> Value {
    let target = placement.map_or(LOCAL_TARGET, Placement::as_str);
    json!({ "mode": parsed.mode.as_str(), "body": parsed.body, "cwd": cwd, "target": target })
}
