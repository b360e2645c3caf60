//! Streams: the threads of events that belong together and are numbered on their own.
//!
//! One stream per call, approval, grant, remembered rule, task, tool, policy, session, agent and
//! idempotency key, and one for the journal itself. A stream's version is what optimistic
//! concurrency stands on.

use serde::{Deserialize, Serialize};
use uuid::Uuid;

macro_rules! stream_kinds {
    ($($(#[$doc:meta])* $name:ident = $text:literal,)*) => {
        /// What a stream is about.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum StreamKind { $($(#[$doc])* $name,)* }

        impl StreamKind {
            /// Every kind of stream.
            pub const ALL: &[Self] = &[$(Self::$name),*];

            /// The text before the `/`.
            #[must_use]
            pub const fn as_str(self) -> &'static str {
                match self { $(Self::$name => $text,)* }
            }
        }
    };
}

stream_kinds! {
    /// One call.
    Call = "call",
    /// One approval request.
    Approval = "approval",
    /// One grant.
    Grant = "grant",
    /// One remembered rule.
    Remembered = "remembered",
    /// One task.
    Task = "task",
    /// One tool, by its tool id.
    Tool = "tool",
    /// One policy.
    Policy = "policy",
    /// One session.
    Session = "session",
    /// One agent.
    Agent = "agent",
    /// One idempotency key.
    Idempotency = "idempotency",
    /// The journal itself.
    Journal = "journal",
}

/// One stream; as text `call/<id>`.
// INVARIANT: the id is 1 to 1,024 bytes without control characters.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Stream {
    kind: StreamKind,
    id: String,
}

/// A text that names no stream.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum StreamError {
    /// The text before the `/` is no kind of stream, or there is no `/`.
    #[error("`{text}` is no stream: it must be `<kind>/<id>` with a known kind")]
    Kind {
        /// The offending text, cut and escaped.
        text: String,
    },
    /// The id is empty, longer than 1,024 bytes, or holds a control character.
    #[error("`{text}` is no stream id: 1 to 1024 bytes without control characters")]
    Id {
        /// The offending text, cut and escaped.
        text: String,
    },
}

fn shown(text: &str) -> String {
    text.chars()
        .take(80)
        .flat_map(char::escape_default)
        .collect()
}

impl Stream {
    /// The stream of this kind with this id.
    ///
    /// # Errors
    /// [`StreamError::Id`] when the id is empty, over 1,024 bytes or holds a control character.
    pub fn new(kind: StreamKind, id: impl Into<String>) -> Result<Self, StreamError> {
        let id = id.into();
        if id.is_empty() || id.len() > 1024 || id.chars().any(char::is_control) {
            return Err(StreamError::Id { text: shown(&id) });
        }
        Ok(Self { kind, id })
    }

    /// The stream of this kind whose id is this UUID; cannot fail.
    #[must_use]
    pub fn of(kind: StreamKind, id: Uuid) -> Self {
        Self {
            kind,
            id: id.to_string(),
        }
    }

    /// What the stream is about.
    #[must_use]
    pub fn kind(&self) -> StreamKind {
        self.kind
    }

    /// The id: the text after the first `/`.
    #[must_use]
    pub fn id(&self) -> &str {
        &self.id
    }

    /// The id as a UUID; `None` where it is another text (a tool id, an agent).
    #[must_use]
    pub fn uuid(&self) -> Option<Uuid> {
        Uuid::try_parse(&self.id).ok()
    }
}

impl std::fmt::Display for Stream {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}/{}", self.kind.as_str(), self.id)
    }
}

impl std::str::FromStr for Stream {
    type Err = StreamError;
    fn from_str(text: &str) -> Result<Self, StreamError> {
        let found = text.split_once('/');
        let kind =
            found.and_then(|(kind, _)| StreamKind::ALL.iter().find(|known| known.as_str() == kind));
        match (found, kind) {
            (Some((_, id)), Some(kind)) => Self::new(*kind, id),
            _ => Err(StreamError::Kind { text: shown(text) }),
        }
    }
}

impl TryFrom<String> for Stream {
    type Error = StreamError;
    fn try_from(text: String) -> Result<Self, StreamError> {
        text.parse()
    }
}

impl From<Stream> for String {
    fn from(stream: Stream) -> Self {
        stream.to_string()
    }
}
