//! Commands on this machine: the program that was judged, by its words or through a bare bash.

use std::path::PathBuf;
use std::sync::Arc;

use tipstaff_gate::{Cancel, ExecError, ExecOutput, Program};
use tipstaff_schema::Placement;

use crate::executor::{CommandExecutor, WarrantedCommand};
use crate::run::{self, Start};
use crate::sandbox::{Confined, Kernel, TOO_OLD};
use crate::{Sandbox, SpawnSettings};

/// Runs commands where the gate runs.
#[derive(Debug, Clone)]
pub struct LocalExecutor {
    settings: Arc<SpawnSettings>,
    pub(crate) kernel: Kernel,
}

impl LocalExecutor {
    /// With the settings of the spawn tool.
    #[must_use]
    pub fn new(settings: Arc<SpawnSettings>) -> Self {
        Self {
            settings,
            kernel: Kernel::running(),
        }
    }

    fn confined(&self, command: &WarrantedCommand) -> Result<Option<Confined>, ExecError> {
        match (self.settings.sandbox, self.kernel) {
            (Sandbox::Off, _) => Ok(None),
            (Sandbox::Landlock, Kernel::TooOld) => Err(never(TOO_OLD)),
            (Sandbox::Landlock, Kernel::Confines) => {
                Ok(Some(Confined::of(command, &self.settings.path)))
            }
        }
    }
}

#[async_trait::async_trait]
impl CommandExecutor for LocalExecutor {
    fn serves(&self, placement: &Placement) -> bool {
        placement.is_local()
    }

    async fn run(
        &self,
        command: WarrantedCommand,
        cancel: Cancel,
    ) -> Result<ExecOutput, ExecError> {
        if !self.serves(&command.placement()) {
            return Err(never("this executor serves only its own machine"));
        }
        if self.settings.no_shell {
            return Err(never("commands are shut off here"));
        }
        let folder = command
            .cwd()
            .ok_or_else(|| never("the command has no folder"))?;
        let program = command.program().ok_or_else(|| {
            never("no program was looked up: the gate has no probe that looks at files")
        })?;
        let start = start(program, command.argv(), command.text(), folder);
        let confined = self.confined(&command)?;
        let tell = |piece: &str| command.progress(piece);
        let call = run::Call {
            settings: &self.settings,
            env: command.env(),
            deadline: command.deadline(),
            cancel: &cancel,
            tell: &tell,
        };
        run::run(start, confined, &call).await
    }
}

/// The program with its arguments: the words as they are, or bash with the whole text.
pub(crate) fn start(
    program: &Program,
    argv: Option<Vec<String>>,
    text: &str,
    folder: &str,
) -> Start {
    let arguments = match argv {
        Some(words) => words.into_iter().skip(1).collect(),
        None => ["--noprofile", "--norc", "-c", text]
            .map(str::to_owned)
            .to_vec(),
    };
    Start {
        program: PathBuf::from(&program.real),
        name: program.path.clone(),
        arguments,
        folder: PathBuf::from(folder),
    }
}

fn never(why: &str) -> ExecError {
    ExecError::NeverSent {
        why: why.to_owned(),
    }
}
