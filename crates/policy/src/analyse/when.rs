//! A moment at which two rules both hold.

use chrono::{DateTime, Days, NaiveDate, NaiveTime, Utc};

use crate::hours::HourReading;
use crate::rule::Rule;

/// How many days are searched: a year holds every pairing of weekday and clock change that recurs.
const HORIZON: u64 = 371;

/// A moment at which both rules hold, not before `now`; `None` where there is none within a year.
/// Exact within that year: where two windows meet, one of them has just begun.
pub(super) fn common_moment(
    a: &Rule,
    b: &Rule,
    now: Option<DateTime<Utc>>,
) -> Option<DateTime<Utc>> {
    let end = [a.until(), b.until()].into_iter().flatten().min();
    let first = now
        .or_else(|| end?.checked_sub_days(Days::new(HORIZON)))
        .unwrap_or_else(working_day);
    let holds = |at: &DateTime<Utc>| {
        let inside = |rule: &Rule| {
            rule.hours()
                .is_none_or(|h| h.hold(*at, HourReading::of(rule.effect)))
        };
        *at >= first && end.is_none_or(|end| *at <= end) && inside(a) && inside(b)
    };
    let windows = [a.hours(), b.hours()];
    let begins = (0..HORIZON)
        .filter_map(|day| first.date_naive().checked_add_days(Days::new(day)))
        .flat_map(|day| {
            windows
                .into_iter()
                .flatten()
                .filter_map(move |hours| Some(hours.bounds(day)?.0))
        });
    std::iter::once(first).chain(end).chain(begins).find(holds)
}

/// Noon on a Monday: what an example shows where nothing asks for another time.
fn working_day() -> DateTime<Utc> {
    let noon = NaiveTime::from_hms_opt(12, 0, 0).unwrap_or_default();
    NaiveDate::from_ymd_opt(2026, 1, 5)
        .unwrap_or_default()
        .and_time(noon)
        .and_utc()
}
