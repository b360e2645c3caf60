//! Which gates over one store are running: each holds a lock on a file of its own.
//!
//! The kernel lets the lock go when the process ends, however it ends; a process id could be reused.

use std::fs::File;
use std::io;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use rustix::fs::{FlockOperation, flock};
use tipstaff_gate::Instances;
use uuid::Uuid;

/// A lock that cannot be made.
#[derive(Debug, thiserror::Error)]
#[error("the lock `{}` cannot be made", path.display())]
#[non_exhaustive]
pub struct InstanceError {
    /// The file.
    pub path: PathBuf,
    /// Why not.
    pub source: io::Error,
}

/// Says for as long as it lives that this gate is running. The file is removed with it.
#[derive(Debug)]
pub struct InstanceLock {
    name: String,
    path: PathBuf,
    _file: File,
}

impl InstanceLock {
    /// Takes the lock of a gate in this state folder.
    ///
    /// # Errors
    /// [`InstanceError`] when the file cannot be made or locked.
    pub fn take(state: &Path, id: Uuid) -> Result<Self, InstanceError> {
        let name = id.to_string();
        let path = lock_path(state, &name);
        let at = |source| InstanceError {
            path: path.clone(),
            source,
        };
        let file = File::options()
            .create_new(true)
            .write(true)
            .mode(0o600)
            .open(&path)
            .map_err(at)?;
        flock(&file, FlockOperation::NonBlockingLockExclusive).map_err(|errno| at(errno.into()))?;
        Ok(Self {
            name,
            path,
            _file: file,
        })
    }

    /// The gate's name, for `GateBuilder::instance`.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }
}

impl Drop for InstanceLock {
    fn drop(&mut self) {
        // Left behind it would only be an unlocked file: nobody takes that for a running gate.
        drop(std::fs::remove_file(&self.path));
    }
}

/// The gates of one state folder, as their locks say.
#[derive(Debug, Clone)]
pub struct LockedInstances {
    state: PathBuf,
}

impl LockedInstances {
    /// The gates of this state folder.
    #[must_use]
    pub fn of(state: &Path) -> Self {
        Self {
            state: state.to_owned(),
        }
    }
}

impl Instances for LockedInstances {
    fn is_alive(&self, instance: &str) -> bool {
        let known = Uuid::try_parse(instance).is_ok();
        let file = known.then(|| File::open(lock_path(&self.state, instance)));
        match file {
            Some(Ok(file)) => flock(&file, FlockOperation::NonBlockingLockShared).is_err(),
            Some(Err(_)) | None => false,
        }
    }
}

fn lock_path(state: &Path, name: &str) -> PathBuf {
    state.join(format!("gate-{name}.lock"))
}
