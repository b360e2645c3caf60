//! A signal that a call is no longer wanted. Cheap to clone; a child hears its parent, not the reverse.

use tokio_util::sync::CancellationToken;

/// Tells an executor, or a waiting call, to stop.
#[derive(Debug, Clone, Default)]
pub struct Cancel(CancellationToken);

impl Cancel {
    /// A signal that nobody has given yet.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Gives the signal; the second time does nothing.
    pub fn cancel(&self) {
        self.0.cancel();
    }

    /// Whether the signal was given.
    #[must_use]
    pub fn is_cancelled(&self) -> bool {
        self.0.is_cancelled()
    }

    /// Waits for the signal; returns at once when it was given before.
    pub async fn cancelled(&self) {
        self.0.cancelled().await;
    }

    /// A signal of its own that is also given with this one.
    #[must_use]
    pub fn child(&self) -> Self {
        Self(self.0.child_token())
    }
}
