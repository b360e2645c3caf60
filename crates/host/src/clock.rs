//! The real clock and real ids.

use std::time::Duration;

use chrono::{DateTime, Utc};
use tipstaff_gate::{Clock, Ids};
use uuid::{NoContext, Timestamp, Uuid};

/// The machine's clock.
#[derive(Debug, Clone, Copy, Default)]
pub struct SystemClock;

/// A sleep is cut into pieces, so that a clock that is set forward ends it soon.
const PIECE: Duration = Duration::from_secs(30);

#[async_trait::async_trait]
impl Clock for SystemClock {
    fn now(&self) -> DateTime<Utc> {
        Utc::now()
    }

    async fn sleep_until(&self, at: DateTime<Utc>) {
        while let Ok(left) = (at - Utc::now()).to_std() {
            if left.is_zero() {
                return;
            }
            tokio::time::sleep(left.min(PIECE)).await;
        }
    }
}

/// UUIDs of version 7: the time, and randomness of the operating system.
#[derive(Debug, Clone, Copy, Default)]
pub struct RandomIds;

impl Ids for RandomIds {
    fn fresh(&self, now: DateTime<Utc>) -> Uuid {
        let seconds = u64::try_from(now.timestamp()).unwrap_or_default();
        Uuid::new_v7(Timestamp::from_unix(
            NoContext,
            seconds,
            now.timestamp_subsec_nanos(),
        ))
    }
}
