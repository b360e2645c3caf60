//! Confining a command to what its plan says that it does, by the kernel's Landlock module.
//!
//! The second lock behind the first: rules decided on the plan, and this holds the command to it even
//! where the table of programs was wrong. Names are no secret, so folders may be listed; programs,
//! libraries and settings of the system may be read and run. A command of which the plan does not
//! know everything may read all and connect, but writes only below the agent's root and in the folder
//! for temporary files.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use tipstaff_command::{CommandPlan, EffectKind, Extent};
use tokio::process::Command;

use crate::executor::WarrantedCommand;
use crate::group::Group;

/// Folders of the system: what every program needs to start.
const SYSTEM: [&str; 9] = [
    "/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/etc", "/proc",
];

/// Devices that change nothing.
const DEVICES: [&str; 6] = [
    "/dev/null",
    "/dev/zero",
    "/dev/full",
    "/dev/random",
    "/dev/urandom",
    "/dev/tty",
];

/// What a command may reach.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Confined {
    /// Files and folders whose content may be read and run.
    pub(crate) reads: BTreeSet<PathBuf>,
    /// Folders below which files may be made, changed and removed.
    pub(crate) writes: BTreeSet<PathBuf>,
    /// Whether connections over TCP are open to it.
    pub(crate) network: Network,
}

/// Whether a command may use TCP.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Network {
    /// Not at all.
    #[default]
    Shut,
    /// To anywhere: the kernel knows ports, not hosts.
    Open,
}

impl Confined {
    /// What the command may reach.
    pub(crate) fn of(command: &WarrantedCommand, path: &[String]) -> Self {
        let program = command.program().map(|program| program.real.as_str());
        Self::by_plan(command.plan(), program, path, command.root())
    }

    /// What a plan says, with what its program needs to start.
    pub(crate) fn by_plan(
        plan: Option<&CommandPlan>,
        program: Option<&str>,
        path: &[String],
        root: Option<&str>,
    ) -> Self {
        let mut confined = match plan {
            Some(plan) if is_known(plan) => Self::by_effects(plan),
            Some(_) | None => Self::unknown(plan, root),
        };
        let system = SYSTEM.into_iter().chain(DEVICES).chain(program);
        let system = system.chain(path.iter().map(String::as_str));
        confined.reads.extend(system.map(PathBuf::from));
        confined
    }

    /// Exactly the effects.
    fn by_effects(plan: &CommandPlan) -> Self {
        let mut confined = Self::default();
        for effect in &plan.effects {
            let path = effect
                .value
                .as_deref()
                .filter(|value| value.starts_with('/'));
            match (effect.kind, path) {
                (EffectKind::Reads, Some(path)) => {
                    confined.reads.insert(PathBuf::from(path));
                }
                (EffectKind::Writes | EffectKind::Deletes, Some(path)) => {
                    let path = Path::new(path);
                    confined.reads.insert(path.to_owned());
                    let folder = match effect.extent {
                        Extent::Tree if effect.kind == EffectKind::Writes && path.is_dir() => path,
                        // A name is made in its folder, and removed from it.
                        Extent::One | Extent::Tree => existing(path.parent().unwrap_or(path)),
                    };
                    // All of the machine is never open, only since one name stands at its root.
                    if folder.parent().is_some() {
                        confined.writes.insert(folder.to_owned());
                    }
                }
                (EffectKind::Connects, _) => confined.network = Network::Open,
                (
                    EffectKind::Reads
                    | EffectKind::Writes
                    | EffectKind::Deletes
                    | EffectKind::Executes
                    | EffectKind::SetsEnv
                    | EffectKind::Escalates
                    | EffectKind::Any,
                    _,
                ) => {}
            }
        }
        // What it makes itself before it reads it: known only by the folder.
        let made = confined.reads.iter().filter(|path| !path.exists());
        let made = made.map(|path| existing(path).to_owned());
        let made: Vec<PathBuf> = made
            .filter(|folder| confined.writes.contains(folder))
            .collect();
        confined.reads.extend(made);
        confined
    }

    /// Everything but writing: that only where the agent works, and where the plan says so.
    fn unknown(plan: Option<&CommandPlan>, root: Option<&str>) -> Self {
        let mut confined = plan.map(Self::by_effects).unwrap_or_default();
        confined.reads.insert(PathBuf::from("/"));
        confined.writes.extend(root.map(PathBuf::from));
        confined.writes.insert(std::env::temp_dir());
        confined.network = Network::Open;
        confined
    }
}

/// Whether the plan names all that the command does.
fn is_known(plan: &CommandPlan) -> bool {
    let named = |kind: EffectKind, path: bool| match kind {
        EffectKind::Reads | EffectKind::Writes | EffectKind::Deletes => path,
        EffectKind::Connects | EffectKind::SetsEnv => true,
        EffectKind::Executes | EffectKind::Escalates | EffectKind::Any => false,
    };
    plan.unknowns.is_empty()
        && plan.effects.iter().all(|effect| {
            let path = effect
                .value
                .as_ref()
                .is_some_and(|value| value.starts_with('/'));
            named(effect.kind, path)
        })
}

/// The nearest folder that exists.
fn existing(path: &Path) -> &Path {
    path.ancestors()
        .find(|above| above.is_dir())
        .unwrap_or(Path::new("/"))
}

/// What the running kernel has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kernel {
    /// Landlock, with everything that we ask of it.
    Confines,
    /// None, or one that is too old.
    TooOld,
}

/// What is said where a command would have to run unconfined.
pub(crate) const TOO_OLD: &str = "`sandbox: landlock` is set, and this system has no Landlock, or an older one than that of Linux 6.7: run on a newer kernel, or write `sandbox: off`";

#[cfg(not(target_os = "linux"))]
mod kernel {
    //! Elsewhere nothing can be confined, so nothing starts.

    use super::{Command, Confined, Group, Kernel, TOO_OLD};

    impl Kernel {
        /// What this system has.
        pub(crate) fn running() -> Self {
            Self::TooOld
        }
    }

    impl Confined {
        /// Refuses.
        pub(crate) fn start(self, _: Command) -> Result<Group, String> {
            Err(TOO_OLD.to_owned())
        }
    }
}

#[cfg(target_os = "linux")]
mod kernel {
    //! A thread of its own takes the restriction on itself and starts the command, which inherits it.

    use std::path::Path;

    use landlock::{
        ABI, Access, AccessFs, AccessNet, BitFlags, CompatLevel, Compatible, PathBeneath, PathFd,
        Ruleset, RulesetAttr, RulesetCreated, RulesetCreatedAttr, RulesetError, Scope,
    };

    use super::{Command, Confined, DEVICES, Group, Kernel, Network};

    /// The oldest that knows connections, truncation and moves between folders (Linux 6.7).
    const NEEDED: ABI = ABI::V4;

    impl Kernel {
        /// What this system has.
        pub(crate) fn running() -> Self {
            let tried = needed(Network::Shut).and_then(Ruleset::create);
            if tried.is_ok() {
                Self::Confines
            } else {
                Self::TooOld
            }
        }
    }

    impl Confined {
        /// Starts the command inside the confinement, or not at all.
        pub(crate) fn start(self, mut command: Command) -> Result<Group, String> {
            let runtime = tokio::runtime::Handle::current();
            let confined = std::thread::spawn(move || {
                let _inside = runtime.enter();
                self.enter()
                    .map_err(|error| format!("it cannot be confined: {error}"))?;
                Group::start(&mut command).map_err(|error| error.to_string())
            });
            confined
                .join()
                .unwrap_or_else(|_| Err("it cannot be confined".to_owned()))
        }

        /// Restricts this thread, and what it starts, for good.
        fn enter(&self) -> Result<(), RulesetError> {
            let mut rules = needed(self.network)?
                .set_compatibility(CompatLevel::BestEffort)
                .handle_access(AccessFs::IoctlDev)?
                .scope(Scope::from_all(ABI::V6))?
                .create()?;
            let reads = AccessFs::ReadFile | AccessFs::Execute | AccessFs::ReadDir;
            rules = add(rules, Path::new("/"), AccessFs::ReadDir.into())?;
            for path in &self.reads {
                rules = add(rules, path, reads)?;
            }
            for path in DEVICES {
                rules = add(rules, Path::new(path), reads | AccessFs::WriteFile)?;
            }
            for path in &self.writes {
                rules = add(rules, path, writes() | AccessFs::ReadDir)?;
            }
            rules.restrict_self().map(|_| ())
        }
    }

    /// What must be had, or nothing starts.
    fn needed(network: Network) -> Result<Ruleset, RulesetError> {
        let rules = Ruleset::default()
            .set_compatibility(CompatLevel::HardRequirement)
            .handle_access(AccessFs::from_all(NEEDED))?;
        match network {
            Network::Shut => rules.handle_access(AccessNet::from_all(NEEDED)),
            Network::Open => Ok(rules),
        }
    }

    /// All ways of writing that are no devices.
    fn writes() -> BitFlags<AccessFs> {
        AccessFs::WriteFile
            | AccessFs::Truncate
            | AccessFs::MakeReg
            | AccessFs::MakeDir
            | AccessFs::MakeSym
            | AccessFs::MakeFifo
            | AccessFs::MakeSock
            | AccessFs::RemoveFile
            | AccessFs::RemoveDir
            | AccessFs::Refer
    }

    /// Adds a rule for what is there; what is not needs none.
    fn add(
        rules: RulesetCreated,
        path: &Path,
        access: BitFlags<AccessFs>,
    ) -> Result<RulesetCreated, RulesetError> {
        let Ok(opened) = PathFd::new(path) else {
            return Ok(rules);
        };
        let access = if path.is_dir() {
            access
        } else {
            access & AccessFs::from_file(NEEDED)
        };
        rules.add_rule(PathBeneath::new(opened, access))
    }
}
