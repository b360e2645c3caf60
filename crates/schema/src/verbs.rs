//! The verbs that ship, and how strict a verb is.
//!
//! The table is a hint for routing and display; policy judges capabilities, not verbs. A verb of
//! a server (`mcp.<tool>`) is not in it.

use serde::{Deserialize, Serialize};

use crate::IntentError;
use crate::one_form;

one_form!(Tier);

/// How much a verb can do, mild to strict.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(
    feature = "schemars",
    derive(schemars::JsonSchema),
    schemars(!remote)
)]
#[serde(remote = "Self", rename_all = "lowercase")]
pub enum Tier {
    /// Looks.
    Read,
    /// Changes own state.
    Write,
    /// Runs something.
    Execute,
    /// Reaches beyond this machine.
    External,
    /// Cannot be undone.
    Destructive,
}

impl Tier {
    /// The wire spelling, such as `read`.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::Write => "write",
            Self::Execute => "execute",
            Self::External => "external",
            Self::Destructive => "destructive",
        }
    }
}

impl std::fmt::Display for Tier {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.as_str())
    }
}

/// A verb that ships.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct VerbSpec {
    /// The namespace.
    pub ns: &'static str,
    /// The action.
    pub action: &'static str,
    /// How strict it is.
    pub tier_hint: Tier,
    /// What it does, for people.
    pub summary: &'static str,
}

const fn verb(
    ns: &'static str,
    action: &'static str,
    tier_hint: Tier,
    summary: &'static str,
) -> VerbSpec {
    VerbSpec {
        ns,
        action,
        tier_hint,
        summary,
    }
}

/// Every verb that ships, by namespace.
pub const VERBS: &[VerbSpec] = &[
    verb("memory", "store", Tier::Write, "keep a memory"),
    verb(
        "memory",
        "import",
        Tier::Write,
        "take in memories from outside",
    ),
    verb("memory", "export", Tier::Write, "write memories out"),
    verb("memory", "search", Tier::Read, "find memories"),
    verb(
        "memory",
        "delete",
        Tier::Destructive,
        "forget memories for good",
    ),
    verb("shell", "exec", Tier::Execute, "run a command"),
    verb("terminal", "open", Tier::Execute, "open a terminal"),
    verb("terminal", "close", Tier::Write, "close a terminal"),
    verb(
        "task",
        "decompose",
        Tier::Execute,
        "split a task into steps",
    ),
    verb(
        "agent",
        "delegate",
        Tier::Execute,
        "hand work to another agent",
    ),
    verb("fs", "read", Tier::Read, "read a file or folder"),
    verb("fs", "write", Tier::Write, "create or change a file"),
    verb("fs", "delete", Tier::Destructive, "delete a file or folder"),
    verb("net", "http", Tier::External, "send an HTTP request"),
    verb("net", "check", Tier::External, "see whether a host answers"),
    verb("net", "trace", Tier::External, "trace the way to a host"),
    verb("net", "cert", Tier::External, "fetch a host's certificate"),
    verb(
        "notify",
        "send",
        Tier::External,
        "send a message to a person",
    ),
    verb("schedule", "create", Tier::External, "plan a later run"),
    verb("schedule", "cancel", Tier::Write, "drop a planned run"),
    verb("mcp", "mount", Tier::External, "connect a server"),
    verb("mcp", "unmount", Tier::Write, "disconnect a server"),
    verb("approval", "respond", Tier::Write, "answer an approval"),
    verb("approval", "revoke", Tier::Write, "take back a permission"),
    verb("configure", "set", Tier::Write, "change a setting"),
    verb("audit", "query", Tier::Read, "read the journal"),
    verb(
        "audit",
        "prune",
        Tier::Destructive,
        "remove old entries of the journal",
    ),
    verb("security", "audit", Tier::Read, "look for weak spots"),
];

/// The verb of these exact parts, if it ships.
#[must_use]
pub fn lookup(ns: &str, action: &str) -> Option<&'static VerbSpec> {
    VERBS
        .iter()
        .find(|verb| verb.ns == ns && verb.action == action)
}

/// The verb of these exact parts; for whoever takes no other, such as a classifier's host that lets
/// only shipped verbs through. Routing does take others: a server's tools have verbs of their own.
///
/// # Errors
/// [`IntentError::UnknownVerb`] with both parts, escaped and cut, when no such verb ships.
pub fn require(ns: &str, action: &str) -> Result<&'static VerbSpec, IntentError> {
    let unknown = || {
        let [ns, action] = [ns, action].map(crate::names::shown);
        IntentError::UnknownVerb(ns, action)
    };
    lookup(ns, action).ok_or_else(unknown)
}

/// The namespaces of the table, sorted, each once.
#[must_use]
pub fn namespaces() -> Vec<&'static str> {
    let mut all: Vec<_> = VERBS.iter().map(|verb| verb.ns).collect();
    all.sort_unstable();
    all.dedup();
    all
}

/// Stems that end things; a word that holds one counts.
const ENDING: &[&str] = &[
    "delet",
    "drop",
    "destroy",
    "purg",
    "wipe",
    "wiping",
    "erase",
    "erasing",
    "truncat",
    "remov",
    "prun",
    "clear",
    "reset",
    "kill",
    "terminat",
    "uninstall",
    "shred",
    "nuke",
    "revok",
    "overwrit",
    "discard",
    "trash",
    "unlink",
    "evict",
    "expung",
    "obliterat",
    "force",
];
/// Short words that end things; too short to look for inside others.
const ENDING_WORDS: &[&str] = &["rm", "rmdir", "del", "zap", "dd", "mkfs", "flush", "forget"];

/// How strict a verb is: the table's word, and for any other verb the worst that its words allow,
/// never milder than [`Tier::External`]. A verb with letters outside ASCII allows anything.
#[must_use]
pub fn tier_of(ns: &str, action: &str) -> Tier {
    lookup(ns, action).map_or_else(|| worst_of(ns).max(worst_of(action)), |verb| verb.tier_hint)
}

fn worst_of(part: &str) -> Tier {
    let lower = part.to_ascii_lowercase();
    let ends = !part.is_ascii()
        || ENDING.iter().any(|stem| lower.contains(stem))
        || words(part).any(|word| ENDING_WORDS.contains(&word.as_str()));
    if ends {
        Tier::Destructive
    } else {
        Tier::External
    }
}

/// The words of a name in `snake_case`, `kebab-case` or `camelCase`, in lower case.
fn words(part: &str) -> impl Iterator<Item = String> {
    let mut spaced = String::with_capacity(part.len() + 4);
    let mut after_lower = false;
    for c in part.chars() {
        if c.is_ascii_uppercase() && after_lower {
            spaced.push(' ');
        }
        after_lower = c.is_ascii_lowercase() || c.is_ascii_digit();
        spaced.push(if c.is_ascii_alphanumeric() {
            c.to_ascii_lowercase()
        } else {
            ' '
        });
    }
    spaced
        .split_ascii_whitespace()
        .map(str::to_owned)
        .collect::<Vec<_>>()
        .into_iter()
}
