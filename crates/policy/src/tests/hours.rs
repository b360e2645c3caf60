//! Windows: zones, days, midnight, changes of the clock; and a minute-by-minute model.

use chrono::{Datelike, NaiveDate, TimeDelta, TimeZone, Timelike, Utc, Weekday};
use chrono_tz::Tz;
use proptest::prelude::*;
use serde_json::{Value, json};
use tipstaff_schema::Effect;

use super::{Call, compiled, time};
use crate::{HourReading, Hours};

fn window(hours: impl Into<Value>) -> Hours {
    let hours: Value = hours.into();
    compiled(json!([{"effect": "allow", "hours": hours}])).rules()[0]
        .hours()
        .unwrap()
        .clone()
}

#[track_caller]
fn check(hours: Value, at: &str, wall_clock: bool, longer: bool) {
    let window = window(hours);
    let held =
        [HourReading::WallClock, HourReading::Longer].map(|reading| window.hold(time(at), reading));
    assert_eq!(held, [wall_clock, longer], "{window} at {at}");
}

#[track_caller]
fn both(hours: Value, at: &str, want: bool) {
    check(hours, at, want, want);
}

#[test]
fn c131_a_zone_follows_summer_and_winter() {
    let hours = json!({"from": "08:00", "to": "18:00", "tz": "Europe/Berlin", "days": ["mon-fri"]});
    both(hours.clone(), "2026-07-01T06:30:00Z", true);
    both(hours.clone(), "2026-01-07T06:30:00Z", false);
    both(hours.clone(), "2026-01-07T07:00:00Z", true);
    both(hours.clone(), "2026-01-07T16:59:59Z", true);
    both(hours.clone(), "2026-01-07T17:00:00Z", false);
    both(hours, "2026-01-10T12:00:00Z", false);
}

#[test]
fn c133_skipped_and_doubled_hours() {
    let hours = |from: &str, to: &str| json!({"from": from, "to": to, "tz": "America/New_York"});
    for minute in 0..240 {
        let at = time("2026-03-08T05:00:00Z") + TimeDelta::minutes(minute);
        assert!(!window(hours("02:00", "03:00")).hold(at, HourReading::WallClock));
    }
    check(hours("01:30", "02:30"), "2026-03-08T06:59:00Z", true, true);
    check(hours("01:30", "02:30"), "2026-03-08T07:00:00Z", false, true);
    check(
        hours("01:30", "02:30"),
        "2026-03-08T07:30:00Z",
        false,
        false,
    );
    both(hours("01:00", "02:00"), "2026-11-01T05:30:00Z", true);
    both(hours("01:00", "02:00"), "2026-11-01T06:30:00Z", true);
    both(hours("01:00", "02:00"), "2026-11-01T07:00:00Z", false);
    // What forbids does not shrink: the skipped hour is forbidden for an hour after the jump.
    check(
        hours("02:00", "03:00"),
        "2026-03-08T06:59:00Z",
        false,
        false,
    );
    check(hours("02:00", "03:00"), "2026-03-08T07:00:00Z", false, true);
    check(hours("02:00", "03:00"), "2026-03-08T07:59:00Z", false, true);
    check(
        hours("02:00", "03:00"),
        "2026-03-08T08:00:00Z",
        false,
        false,
    );
    check(hours("00:30", "01:30"), "2026-11-01T05:45:00Z", false, true);
    check(hours("00:30", "01:30"), "2026-11-01T06:15:00Z", true, true);
    check(hours("22:00", "06:00"), "2026-03-08T10:30:00Z", false, true);
}

#[test]
fn a_deny_window_takes_the_longer_reading() {
    let effect = |effect: &str, want: Effect| {
        let hours = json!({"from": 2, "to": 3, "tz": "America/New_York"});
        let call = Call::to("f:r").at("2026-03-08T07:30:00Z");
        super::check(json!([{"effect": effect, "hours": hours}]), call, want);
    };
    effect("deny", Effect::Deny);
    let unmatched = Effect::Ask;
    effect("allow", unmatched);
}

#[test]
fn c134_a_window_over_midnight_belongs_to_the_day_on_which_it_begins() {
    let hours = json!({"from": 22, "to": 6, "days": ["mon-fri"], "tz": "UTC"});
    both(hours.clone(), "2026-01-09T23:00:00Z", true);
    both(hours.clone(), "2026-01-10T01:00:00Z", true);
    both(hours.clone(), "2026-01-10T22:30:00Z", false);
    both(hours.clone(), "2026-01-12T01:00:00Z", false);
    both(hours.clone(), "2026-01-11T23:00:00Z", false);
    both(hours.clone(), "2026-01-09T22:00:00Z", true);
    both(hours.clone(), "2026-01-10T05:59:59Z", true);
    both(hours, "2026-01-10T06:00:00Z", false);
}

#[test]
fn days_are_names_or_ranges_that_may_wrap() {
    let days = |days: Value| {
        window(json!({"from": 0, "to": 24, "days": days}))
            .day_names()
            .join(",")
    };
    assert_eq!(days(json!(["mon-fri"])), "mon,tue,wed,thu,fri");
    assert_eq!(days(json!(["fri-mon"])), "mon,fri,sat,sun");
    assert_eq!(days(json!(["Monday", "SUN"])), "mon,sun");
    assert_eq!(days(json!("sat")), "sat");
    assert_eq!(days(json!(["mon-sun"])), "mon,tue,wed,thu,fri,sat,sun");
}

#[test]
fn integers_and_clock_texts_mean_the_same() {
    assert_eq!(
        window(json!({"from": 8, "to": 24})),
        window(json!({"from": "08:00", "to": "24:00"}))
    );
    assert_eq!(
        window(json!({"from": "8:05", "to": 9})).to_string(),
        "08:05 to 09:00 UTC"
    );
}

#[test]
fn a_day_that_a_zone_skipped_does_no_harm() {
    let hours = json!({"from": 8, "to": 9, "tz": "Pacific/Apia"});
    check(hours.clone(), "2011-12-30T18:30:00Z", true, true);
    check(hours, "2011-12-30T09:59:00Z", false, false);
}

/// Whether the wall clock shows a time inside, minute by minute from the written window.
fn model(window: &(u16, u16, Vec<usize>), zone: Tz, at: chrono::DateTime<Utc>) -> bool {
    let local = at.with_timezone(&zone);
    let shown = (local.num_days_from_ce(), local.hour() * 60 + local.minute());
    let (from, to, days) = (u32::from(window.0), u32::from(window.1), &window.2);
    let length = if from < to {
        to - from
    } else {
        1440 - from + to
    };
    (0..2).any(|back| {
        let day = NaiveDate::from_num_days_from_ce_opt(shown.0 - back).unwrap();
        let minutes_since = u32::try_from(back).unwrap() * 1440 + shown.1;
        let named =
            days.contains(&usize::try_from(day.weekday().days_since(Weekday::Mon)).unwrap());
        named && (from..from + length).contains(&minutes_since)
    })
}

/// The longer reading by brute force: from the first minute at which the clock shows the beginning or
/// later, to the last at which it still shows a time before the end, and at least as long as written.
fn longer_model(window: &(u16, u16, Vec<usize>), zone: Tz, at: chrono::DateTime<Utc>) -> bool {
    let (from, to, days) = (window.0, window.1, &window.2);
    let length = TimeDelta::minutes(i64::from(if from < to {
        to - from
    } else {
        1440 - from + to
    }));
    let shown = |at: chrono::DateTime<Utc>| at.with_timezone(&zone).naive_local();
    (0..3).any(|back| {
        let day = shown(at).date() - chrono::Days::new(back);
        if !days.contains(&usize::try_from(day.weekday().days_since(Weekday::Mon)).unwrap()) {
            return false;
        }
        let begins = day.and_hms_opt(0, 0, 0).unwrap() + TimeDelta::minutes(i64::from(from));
        let ends = begins + length;
        let middle = Utc.from_utc_datetime(&begins);
        let minutes = || (-15 * 60..40 * 60).map(|minute| middle + TimeDelta::minutes(minute));
        let start = minutes().find(|at| shown(*at) >= begins).unwrap();
        let last = minutes().rfind(|at| shown(*at) < ends).unwrap();
        let end = (last + TimeDelta::minutes(1)).max(start + length);
        start <= at && at < end
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    /// Around the changes of the clock: half an hour in Lord Howe, an hour elsewhere, none in Kathmandu
    /// and Kolkata, whose offsets are no whole hours.
    #[test]
    fn the_longer_reading_agrees_with_brute_force(from in 0_u16..48, to in 1_u16..=48, days in proptest::sample::subsequence(vec![0_usize, 1, 2, 3, 4, 5, 6], 1..=7), place in 0_usize..7, minute in -1500_i64..1500) {
        let (from, to) = (from * 30, to * 30);
        prop_assume!(from != to);
        let (zone, change) = [
            (Tz::Australia__Lord_Howe, "2026-04-04T15:00:00Z"), (Tz::Australia__Lord_Howe, "2026-10-03T15:30:00Z"),
            (Tz::Europe__Berlin, "2026-03-29T01:00:00Z"), (Tz::Europe__Berlin, "2026-10-25T01:00:00Z"),
            (Tz::America__New_York, "2026-03-08T07:00:00Z"), (Tz::Asia__Kathmandu, "2026-03-29T01:00:00Z"), (Tz::Asia__Kolkata, "2026-10-25T01:00:00Z"),
        ][place];
        let on = std::array::from_fn(|day| days.contains(&day));
        let hours = Hours { from, to, days: on, zone };
        let at = time(change) + TimeDelta::minutes(minute);
        let held = hours.hold(at, HourReading::Longer);
        prop_assert_eq!(held, longer_model(&(from, to, days), zone, at), "{} at {}", hours, at);
    }
}

proptest! {
    #[test]
    fn hours_agree_with_a_minute_by_minute_model(from in 0_u16..1440, to in 1_u16..=1440, days in proptest::sample::subsequence(vec![0_usize, 1, 2, 3, 4, 5, 6], 1..=7), zone in prop_oneof![Just(Tz::UTC), Just(Tz::Europe__Berlin), Just(Tz::America__New_York), Just(Tz::Australia__Lord_Howe), Just(Tz::Asia__Kathmandu)], start in 0_i64..(366 * 1440), step in 1_i64..97) {
        prop_assume!(from != to);
        let on = std::array::from_fn(|day| days.contains(&day));
        let hours = Hours { from, to, days: on, zone };
        let written = (from, to, days);
        let first = Utc.with_ymd_and_hms(2026, 1, 1, 0, 0, 0).unwrap() + TimeDelta::minutes(start);
        for minute in 0..60 {
            let at = first + TimeDelta::minutes(minute * step);
            let wall = hours.hold(at, HourReading::WallClock);
            prop_assert_eq!(wall, model(&written, zone, at), "{} at {}", hours, at);
            prop_assert!(!wall || hours.hold(at, HourReading::Longer));
        }
    }

    #[test]
    fn the_longer_reading_never_lasts_less_than_written(from in 0_u16..1440, to in 1_u16..=1440, day in 0_u64..366) {
        prop_assume!(from != to);
        let hours = Hours { from, to, days: [true; 7], zone: Tz::America__New_York };
        let day = NaiveDate::from_ymd_opt(2026, 1, 1).unwrap() + chrono::Days::new(day);
        let (start, end) = hours.bounds(day).unwrap();
        let written = if from < to { to - from } else { 1440 - from + to };
        prop_assert!(end - start >= TimeDelta::minutes(i64::from(written)));
        prop_assert!(hours.hold(start, HourReading::Longer) && hours.hold(end - TimeDelta::seconds(1), HourReading::Longer));
    }
}
