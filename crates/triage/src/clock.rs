//! From wall clocks to instants, where the clock jumps.
//!
//! A wall time that a zone skips is the instant of the jump. One that it has twice is, for an opening,
//! the first of the two and, for a closing, the second: business goes on through both.

use chrono::{
    DateTime, MappedLocalTime, NaiveDate, NaiveDateTime, TimeDelta, TimeZone, Timelike, Utc,
};
use chrono_tz::Tz;

/// No jump is longer than two days, in minutes (the largest so far, Samoa's in 2011, was one day).
const LONGEST_JUMP: i64 = 2 * 24 * 60;

/// The first instant at which the wall clock shows this time.
pub(crate) fn first(zone: Tz, local: NaiveDateTime) -> Option<DateTime<Utc>> {
    match zone.from_local_datetime(&local) {
        MappedLocalTime::Single(at) | MappedLocalTime::Ambiguous(at, _) => Some(at.to_utc()),
        MappedLocalTime::None => after_jump(zone, local),
    }
}

/// The last instant at which the wall clock shows this time.
pub(crate) fn last(zone: Tz, local: NaiveDateTime) -> Option<DateTime<Utc>> {
    match zone.from_local_datetime(&local) {
        MappedLocalTime::Single(at) | MappedLocalTime::Ambiguous(_, at) => Some(at.to_utc()),
        MappedLocalTime::None => after_jump(zone, local),
    }
}

fn after_jump(zone: Tz, local: NaiveDateTime) -> Option<DateTime<Utc>> {
    minutes_after(local)
        .find_map(|local| zone.from_local_datetime(&local).earliest())
        .map(|at| at.to_utc())
}

/// What the wall clock shows at an instant. While it goes through an hour for the second time, this
/// is the end of that hour: otherwise a later instant would show an earlier time.
pub(crate) fn wall(zone: Tz, at: DateTime<Utc>) -> NaiveDateTime {
    let shown = at.with_timezone(&zone).naive_local();
    match zone.from_local_datetime(&shown) {
        MappedLocalTime::Ambiguous(first, second)
            if first.to_utc() < at && second.to_utc() <= at =>
        {
            let once = |local: &NaiveDateTime| zone.from_local_datetime(local).single().is_some();
            minutes_after(shown).find(once).unwrap_or(shown)
        }
        MappedLocalTime::Single(_) | MappedLocalTime::Ambiguous(..) | MappedLocalTime::None => {
            shown
        }
    }
}

/// The full minutes after a wall time.
fn minutes_after(local: NaiveDateTime) -> impl Iterator<Item = NaiveDateTime> {
    let full = local
        .with_second(0)
        .and_then(|local| local.with_nanosecond(0))
        .unwrap_or(local);
    (1..=LONGEST_JUMP).filter_map(move |n| full.checked_add_signed(TimeDelta::minutes(n)))
}

/// A wall time given as minutes after midnight; 24:00 is the next midnight.
pub(crate) fn at_minute(date: NaiveDate, minute: u32) -> Option<NaiveDateTime> {
    date.and_hms_opt(0, 0, 0)?
        .checked_add_signed(TimeDelta::minutes(i64::from(minute)))
}
