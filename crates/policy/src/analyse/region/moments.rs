//! Moments at which some rules hold and others do not.
//!
//! Where such a stretch of time begins, a window begins or ends, a clock is put forward or back, or a
//! rule runs out: only those moments need be looked at.

use chrono::{DateTime, Days, LocalResult, NaiveDate, NaiveTime, Offset, TimeDelta, TimeZone, Utc};
use chrono_tz::Tz;

use crate::hours::{HourReading, Hours};
use crate::rule::Rule;

/// A year holds every pairing of weekday and clock change that recurs.
const YEAR: u64 = 371;

/// A moment at which the windows and ends of `all` hold, the windows of `closed` do not and the rules
/// of `ended` are over; not before `now`.
pub(super) fn moment(
    all: &[&Rule],
    closed: &[&Rule],
    ended: &[&Rule],
    now: Option<DateTime<Utc>>,
) -> Option<DateTime<Utc>> {
    let end = all.iter().filter_map(|rule| rule.until()).min();
    let over = ended.iter().filter_map(|rule| rule.until()).max();
    let first = now
        .or_else(|| end?.checked_sub_days(Days::new(YEAR)))
        .unwrap_or_else(working_day);
    let first = match over {
        // `until` itself still holds.
        Some(over) if over >= first => over + TimeDelta::seconds(1),
        Some(_) | None => first,
    };
    let inside = |rule: &&&Rule, at: DateTime<Utc>| {
        let hold = |hours: &Hours| hours.hold(at, HourReading::of(rule.effect));
        rule.hours().is_none_or(hold)
    };
    let fits = |at: &DateTime<Utc>| {
        *at >= first
            && end.is_none_or(|end| *at <= end)
            && all.iter().all(|rule| inside(&rule, *at))
            && !closed.iter().any(|rule| inside(&rule, *at))
    };
    if let Some(at) = std::iter::once(first).chain(end).find(fits) {
        return Some(at);
    }
    let windows: Vec<&Hours> = all
        .iter()
        .chain(closed)
        .filter_map(|rule| rule.hours())
        .collect();
    edges(&windows, first.date_naive()).find(fits)
}

/// Whether the windows are the same every week of the year, their clocks never being changed.
fn steady(windows: &[&Hours], first: NaiveDate) -> bool {
    windows.iter().all(|hours| {
        let offset = |day: u64| {
            let at = first
                .checked_add_days(Days::new(day))?
                .and_time(NaiveTime::MIN);
            Some(
                hours
                    .zone
                    .offset_from_utc_datetime(&at)
                    .fix()
                    .local_minus_utc(),
            )
        };
        (0..YEAR).step_by(7).all(|day| offset(day) == offset(0))
    })
}

/// Every moment of a year at which a window may begin or end.
fn edges<'a>(
    windows: &'a [&'a Hours],
    first: NaiveDate,
) -> impl Iterator<Item = DateTime<Utc>> + 'a {
    let days = if steady(windows, first) { 9 } else { YEAR };
    (0..days)
        .filter_map(move |day| first.pred_opt()?.checked_add_days(Days::new(day)))
        .flat_map(move |day| windows.iter().flat_map(move |hours| edges_of(hours, day)))
}

fn edges_of(hours: &Hours, day: NaiveDate) -> Vec<DateTime<Utc>> {
    let longer = hours.bounds(day).map(|(start, end)| [start, end]);
    let mut edges: Vec<DateTime<Utc>> = longer.into_iter().flatten().collect();
    for minute in [hours.from, hours.to] {
        let local = day.and_time(NaiveTime::MIN) + TimeDelta::minutes(i64::from(minute));
        match hours.zone.from_local_datetime(&local) {
            LocalResult::Single(at) => edges.push(at.with_timezone(&Utc)),
            LocalResult::Ambiguous(one, two) => {
                edges.extend([one.with_timezone(&Utc), two.with_timezone(&Utc)]);
            }
            LocalResult::None => {}
        }
    }
    edges.extend(change_of(hours.zone, day));
    edges
}

/// The moment of the day at which the clocks of the zone are changed.
fn change_of(zone: Tz, day: NaiveDate) -> Option<DateTime<Utc>> {
    let offset = |at: DateTime<Utc>| {
        zone.offset_from_utc_datetime(&at.naive_utc())
            .fix()
            .local_minus_utc()
    };
    let mut before = day.and_time(NaiveTime::MIN).and_utc();
    let mut after = before + TimeDelta::days(1);
    if offset(before) == offset(after) {
        return None;
    }
    while after - before > TimeDelta::seconds(1) {
        let middle = before + (after - before) / 2;
        if offset(middle) == offset(before) {
            before = middle;
        } else {
            after = middle;
        }
    }
    Some(after)
}

/// Noon on a Monday: what an example shows where nothing asks for another time.
fn working_day() -> DateTime<Utc> {
    let noon = NaiveTime::from_hms_opt(12, 0, 0).unwrap_or_default();
    NaiveDate::from_ymd_opt(2026, 1, 5)
        .unwrap_or_default()
        .and_time(noon)
        .and_utc()
}
