//! The traits through which the gate meets the world: clock, ids, files, approvers, people,
//! constraints, and which other gates are alive.
//!
//! What decides stays pure; these answer questions of fact. Each has a safe default that refuses,
//! probes nothing or knows nobody.

use chrono::{DateTime, Utc};
use tipstaff_approval::{Answer, ApprovalRequest};
use tipstaff_schema::{AgentId, Constraint, Digest, Domain, Person, Role};
use uuid::Uuid;

/// The digest of a file's bytes, as [`PathProbe::content`] gives it: a part of what is previewed,
/// which no preview itself can be, since those begin with `{`.
#[must_use]
pub fn content_digest(bytes: &[u8]) -> Digest {
    Digest::of_pieces(Domain::Preview, [b"file\0", bytes])
}

/// The time.
#[async_trait::async_trait]
pub trait Clock: std::fmt::Debug + Send + Sync {
    /// The instant at which the call is made.
    fn now(&self) -> DateTime<Utc>;
    /// Returns at or soon after the instant; at once when it has passed.
    async fn sleep_until(&self, at: DateTime<Utc>);
}

/// Fresh ids.
pub trait Ids: std::fmt::Debug + Send + Sync {
    /// A UUID of version 7 that was never given before.
    fn fresh(&self, now: DateTime<Utc>) -> Uuid;
}

/// Where a path leads on this machine, symlinks followed as the kernel does.
pub trait PathProbe: std::fmt::Debug + Send + Sync {
    /// The resolved path; for one whose last parts do not exist, the resolved folder and the rest.
    ///
    /// # Errors
    /// A sentence when it cannot be resolved, or a `..` stands behind a symlink; the call is refused.
    fn resolve(&self, path: &str) -> Result<String, String>;

    /// What a file is, symlinks followed; `None` where there is none, or where no file is looked at:
    /// then no program is found, and no command starts.
    fn file(&self, _path: &str) -> Option<FileFacts> {
        None
    }

    /// The digest of a file's content; `None` where there is no plain file, where it is too large, or
    /// where no file is looked at: then its content is not bound, and people are told so.
    fn content(&self, _path: &str) -> Option<Digest> {
        None
    }
}

/// What a file is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileFacts {
    /// Whether it is a program that may be started.
    pub runs: bool,
    /// Whether users other than its owner and groups may change it, or put another in its place.
    pub open: bool,
    /// Whether this process, and with it what it starts, may change it.
    pub ours: bool,
    /// Differs from what it was as soon as the file is changed or replaced.
    pub stamp: String,
}

/// Takes what a running call puts out while it runs.
pub trait ProgressSink: std::fmt::Debug + Send + Sync {
    /// One piece of output, at most some kilobytes. Untrusted text; must return at once.
    fn progress(&self, of: &ProgressOf<'_>, piece: &str);
}

/// Whose output it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct ProgressOf<'a> {
    /// The call.
    pub call: Uuid,
    /// What the call belongs to, as its caller named it; else the call itself.
    pub correlation: Uuid,
    /// Who calls.
    pub agent: &'a AgentId,
}

/// Drops all of it.
#[derive(Debug, Clone, Copy, Default)]
pub struct NoProgress;

impl ProgressSink for NoProgress {
    fn progress(&self, _: &ProgressOf<'_>, _: &str) {}
}

/// Looks at no file: every path leads to itself. For tests, and for gates whose tools are all remote.
#[derive(Debug, Clone, Copy, Default)]
pub struct NoProbe;

impl PathProbe for NoProbe {
    fn resolve(&self, path: &str) -> Result<String, String> {
        Ok(path.to_owned())
    }
}

/// A person's answer to a question that an approver was shown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Vote {
    /// Who answered.
    pub person: Person,
    /// The digest of what was shown.
    pub digest: Digest,
    /// The answer.
    pub answer: Answer,
}

/// A way to reach people.
#[async_trait::async_trait]
pub trait Approver: std::fmt::Debug + Send + Sync {
    /// Shows the question and waits for the answer. `None` means that this way has none to give;
    /// people may still answer through [`Gate::answer`](crate::Gate::answer).
    async fn ask(&self, request: &ApprovalRequest) -> Option<Vote>;
}

/// The roles that people have.
pub trait People: std::fmt::Debug + Send + Sync {
    /// The person's roles; none for a stranger.
    fn roles(&self, person: &Person) -> Vec<Role>;
}

/// Knows nobody.
#[derive(Debug, Clone, Copy, Default)]
pub struct Nobody;

impl People for Nobody {
    fn roles(&self, _: &Person) -> Vec<Role> {
        Vec::new()
    }
}

/// Checks a token's constraints just before the warrant.
#[async_trait::async_trait]
pub trait ConstraintChecker: std::fmt::Debug + Send + Sync {
    /// Whether it holds now.
    ///
    /// # Errors
    /// A sentence saying what does not hold, or that it cannot be told; both refuse the call.
    async fn check(&self, constraint: &Constraint) -> Result<(), String>;
}

/// Can check nothing, so every constraint fails.
#[derive(Debug, Clone, Copy, Default)]
pub struct NoConstraints;

#[async_trait::async_trait]
impl ConstraintChecker for NoConstraints {
    async fn check(&self, _: &Constraint) -> Result<(), String> {
        Err("this gate has no constraint checker".to_owned())
    }
}

/// Which gates over the same journal are running.
pub trait Instances: std::fmt::Debug + Send + Sync {
    /// Whether the gate of this name may still bring its executions to an end.
    fn is_alive(&self, instance: &str) -> bool;
}

/// For a journal that only this gate writes: no other is alive.
#[derive(Debug, Clone, Copy, Default)]
pub struct OnlyInstance;

impl Instances for OnlyInstance {
    fn is_alive(&self, _: &str) -> bool {
        false
    }
}
