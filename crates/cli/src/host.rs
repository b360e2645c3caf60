//! Opening a gate on this machine: journal, locks, control socket, real clock and files.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use tipstaff_gate::{Clock, Gate, GateBuilder, Ids, OwnGround};
use tipstaff_host::control::{ControlServer, Inbox};
use tipstaff_host::{
    Directory, FileProbe, HostConstraints, InstanceLock, LockedInstances, RandomIds, SystemClock,
};
use tipstaff_journal::OpenedBy;
use tipstaff_store::SqliteJournal;

use crate::exit::Failure;

/// The journal's file in a state folder.
pub(crate) const JOURNAL: &str = "journal.db";

/// A gate that runs on this machine, and what must live as long as it does.
pub(crate) struct Host {
    pub(crate) gate: Gate,
    /// Nothing was known when it was opened: all pins begin anew.
    pub(crate) fresh: bool,
    _control: ControlServer,
    _lock: InstanceLock,
}

impl Host {
    /// Opens a gate over the journal of a state folder.
    pub(crate) async fn open(
        state: &Path,
        journal: Option<&Path>,
        builder: GateBuilder,
        people: Directory,
        own: OwnGround,
    ) -> Result<Self, Failure> {
        let failed = |error: &(dyn std::error::Error + 'static)| Failure::environment(error);
        let file = journal_file(state, journal);
        let fresh = !file.exists();
        let journal = open_journal(&file)?;
        let instance = RandomIds.fresh(SystemClock.now());
        let lock = InstanceLock::take(state, instance).map_err(|error| failed(&error))?;
        let gate = builder
            .journal(Arc::new(journal))
            .clock(Arc::new(SystemClock))
            .ids(Arc::new(RandomIds))
            .probe(Arc::new(FileProbe))
            .constraints(Arc::new(
                HostConstraints::new().presence(Arc::new(people.clone())),
            ))
            .instances(Arc::new(LockedInstances::of(state)))
            .instance(lock.name())
            .people(Arc::new(people.clone()))
            .approver(Arc::new(Inbox))
            .own(own)
            .open()
            .await
            .map_err(|error| failed(&error))?;
        let control = ControlServer::listen(state, gate.clone(), Arc::new(people))
            .map_err(|error| failed(&error))?;
        Ok(Self {
            gate,
            fresh,
            _control: control,
            _lock: lock,
        })
    }
}

/// The journal's file: as the manifest says, relative to the state folder, else the usual one.
pub(crate) fn journal_file(state: &Path, named: Option<&Path>) -> PathBuf {
    state.join(named.unwrap_or(Path::new(JOURNAL)))
}

pub(crate) fn open_journal(file: &Path) -> Result<SqliteJournal, Failure> {
    let now = SystemClock.now();
    let by = OpenedBy {
        journal_id: RandomIds.fresh(now),
        at: now,
        event_id: RandomIds.fresh(now),
        actor: "tipstaff".to_owned(),
    };
    SqliteJournal::open(file, &by).map_err(|error| Failure::environment(&error))
}
