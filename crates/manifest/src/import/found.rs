//! What a reader of one format hands on: rules in their order of precedence, and what it could not read.

use tipstaff_schema::Effect;

use super::LeftOut;

/// The rules of a source, the one that decides first at the front.
#[derive(Debug, Default)]
pub(super) struct Reading {
    pub(super) rules: Vec<Found>,
    pub(super) left_out: Vec<LeftOut>,
}

/// One rule.
#[derive(Debug, Clone)]
pub(super) struct Found {
    pub(super) at: String,
    pub(super) text: String,
    pub(super) effect: Effect,
    pub(super) what: What,
    /// How the translation says less (allow) or more (ask, deny).
    pub(super) notes: Vec<String>,
}

/// What a rule is about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum What {
    /// Commands that one of these patterns means.
    Commands(Vec<Vec<String>>),
    /// Every command.
    AllCommands,
    /// Files that one of these patterns means.
    Paths(Use, Vec<String>),
    /// Every file.
    AllPaths(Use),
    /// Hosts or URLs, each with its kind.
    Sites(Vec<(&'static str, String)>),
    /// Every host.
    AllSites,
    /// Tools of MCP servers.
    Tools(Vec<String>),
    /// Everything there is.
    All,
    /// It was not understood: nothing is known but the class, `None` for any.
    NotUnderstood(Option<Class>, String),
}

/// What is done with a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Use {
    Read,
    Edit,
}

/// Rules of different classes never concern the same call of the source.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Class {
    Commands,
    Paths(Use),
    Sites,
    Tools,
    /// A tool of the source that ours has not.
    Elsewhere,
}

impl What {
    /// Its class; `None` for all of them.
    pub(super) fn class(&self) -> Option<Class> {
        match self {
            Self::Commands(_) | Self::AllCommands => Some(Class::Commands),
            Self::Paths(used, _) | Self::AllPaths(used) => Some(Class::Paths(*used)),
            Self::Sites(_) | Self::AllSites => Some(Class::Sites),
            Self::Tools(_) => Some(Class::Tools),
            Self::All => None,
            Self::NotUnderstood(class, _) => *class,
        }
    }

    /// Whether it means everything of its class.
    pub(super) fn is_broad(&self) -> bool {
        match self {
            Self::AllCommands | Self::AllPaths(_) | Self::AllSites | Self::All => true,
            Self::Tools(names) => names.iter().any(|name| name == "*:*"),
            Self::Commands(_) | Self::Paths(..) | Self::Sites(_) | Self::NotUnderstood(..) => false,
        }
    }

    /// Whether it means everything that the other means.
    pub(super) fn covers(&self, other: &Self) -> bool {
        self.is_broad() && self.meets(other)
    }

    /// Whether the two are of one class.
    pub(super) fn meets(&self, other: &Self) -> bool {
        match (self.class(), other.class()) {
            (None, _) => true,
            (Some(_), None) => !self.is_broad(),
            (Some(one), Some(two)) => one == two,
        }
    }
}

impl Found {
    pub(super) fn new(
        at: impl Into<String>,
        text: impl Into<String>,
        effect: Effect,
        what: What,
    ) -> Self {
        Self {
            at: at.into(),
            text: text.into(),
            effect,
            what,
            notes: Vec::new(),
        }
    }

    pub(super) fn note(mut self, note: Option<&str>) -> Self {
        self.notes.extend(note.map(str::to_owned));
        self
    }
}

impl Reading {
    /// Something that is no rule of ours and hides none.
    pub(super) fn leave(
        &mut self,
        at: impl Into<String>,
        text: impl Into<String>,
        effect: Option<Effect>,
        why: impl Into<String>,
    ) {
        self.left_out.push(LeftOut {
            at: at.into(),
            text: text.into(),
            effect,
            why: why.into(),
            decides: true,
        });
    }
}
