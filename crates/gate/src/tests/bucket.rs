//! The token bucket against a count of what was let through.

use std::num::NonZeroU32;
use std::time::Duration;

use proptest::prelude::*;

use super::bench::start;
use crate::Rate;
use crate::bucket::Bucket;
use crate::steady::advance;

fn rate(calls: u32, millis: u64, burst: u32) -> Rate {
    Rate {
        calls: NonZeroU32::new(calls).unwrap(),
        within: Duration::from_millis(millis),
        burst: NonZeroU32::new(burst).unwrap(),
    }
}

#[test]
fn a_full_bucket_holds_the_burst_and_says_when_the_next_call_can_go() {
    let rate = rate(3, 1000, 2);
    let bucket = Bucket::full(&rate, 0).take(&rate, 0).unwrap();
    let bucket = bucket.take(&rate, 0).unwrap();
    // A call is there after a third of a second, rounded up and not a millisecond earlier.
    assert_eq!(bucket.take(&rate, 0), Err(334));
    assert_eq!(bucket.take(&rate, 333), Err(1));
    assert!(bucket.take(&rate, 334).is_ok());
    assert!(!bucket.is_full(&rate, 666) && bucket.is_full(&rate, 667));
}

#[test]
fn nothing_drifts_over_a_day_of_calls_a_third_of_a_second_apart() {
    let rate = rate(3, 1000, 2);
    let (mut bucket, mut went, mut last) = (Bucket::full(&rate, 0), 0_u64, 0);
    for millis in (0..86_400_000).step_by(37) {
        last = millis;
        if let Ok(left) = bucket.take(&rate, millis) {
            (bucket, went) = (left, went + 1);
        }
    }
    assert_eq!(
        went,
        (2 * 1000 + 3 * last) / 1000,
        "the burst and what time brought, to the call"
    );
}

proptest! {
    #[test]
    fn in_no_span_more_goes_than_burst_and_rate_allow(
        calls in 1_u32..50, millis in 1_u64..5_000, burst in 1_u32..20,
        waits in prop::collection::vec(0_u64..400, 1..120),
    ) {
        let rate = rate(calls, millis, burst);
        let (mut bucket, mut now, mut went) = (Bucket::full(&rate, 0), 0, Vec::new());
        for wait in waits {
            now += wait;
            match bucket.take(&rate, now) {
                Ok(left) => {
                    bucket = left;
                    went.push(now);
                }
                Err(again) => {
                    // What it says is the very first moment.
                    prop_assert!(again > 0);
                    prop_assert!(bucket.take(&rate, now + again).is_ok());
                    prop_assert!(bucket.take(&rate, now + again - 1).is_err());
                }
            }
        }
        for (first, from) in went.iter().enumerate() {
            for (last, to) in went.iter().enumerate().skip(first) {
                let most = u64::from(burst) * millis + (to - from) * u64::from(calls);
                prop_assert!((last - first + 1) as u64 * millis <= most);
            }
        }
    }

    #[test]
    fn time_that_goes_back_brings_nothing(steps in prop::collection::vec(-5_000_i64..5_000, 1..60)) {
        let (mut wall, mut last, mut forward) = (start(), advance(None, start()), 0_u64);
        for step in steps {
            wall += chrono::TimeDelta::milliseconds(step);
            forward += u64::try_from(step).unwrap_or(0);
            last = advance(Some(last), wall);
            prop_assert_eq!(last.at, forward);
        }
        let rate = rate(1, 1000, 1);
        let empty = Bucket::full(&rate, 5_000).take(&rate, 5_000).unwrap();
        prop_assert_eq!(empty.take(&rate, 0), Err(1000));
        prop_assert_eq!(empty.refilled(&rate, 0), empty);
    }
}
