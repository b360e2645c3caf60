//! When things fall due.

use super::*;

#[track_caller]
fn due(calendar: &BusinessCalendar, kind: &str, n: u64, from: &str, want: &str) {
    let due = calendar.resolve(at(from), &DeadlineSpec::of("d", kind, n));
    assert_eq!(due, Ok(at(want)), "{kind} {n} from {from}");
}

#[track_caller]
fn due_today(calendar: &BusinessCalendar, from: &str, want: &str) {
    let spec = DeadlineSpec {
        params: Default::default(),
        ..DeadlineSpec::of("d", "end-of-day", 1)
    };
    assert_eq!(
        calendar.resolve(at(from), &spec),
        Ok(at(want)),
        "end-of-day from {from}"
    );
}

#[test]
fn minutes_and_hours_run_on_whatever_the_clock_says() {
    let berlin = berlin(json!([]));
    due(
        &berlin,
        "minutes",
        90,
        "2026-11-14T22:59Z",
        "2026-11-15T00:29Z",
    );
    due(
        &berlin,
        "hours",
        24,
        "2026-03-28T12:00Z",
        "2026-03-29T12:00Z",
    );
}

#[test]
fn days_keep_the_time_of_the_wall_clock() {
    let berlin = berlin(json!([]));
    due(&berlin, "days", 1, "2026-03-28T12:00Z", "2026-03-29T11:00Z");
    due(
        &berlin,
        "days",
        365,
        "2027-03-01T12:00Z",
        "2028-02-29T12:00Z",
    );
    // The second ten past two of a night is not due before the first ten to three.
    due(&berlin, "days", 1, "2026-10-25T00:50Z", "2026-10-26T01:50Z");
    due(&berlin, "days", 1, "2026-10-25T01:10Z", "2026-10-26T02:00Z");
    // 02:30 on the day on which the clock jumps from two to three is the jump.
    due(&berlin, "days", 1, "2026-03-28T01:30Z", "2026-03-29T01:00Z");
}

#[test]
fn working_days_count_from_the_day_after_and_end_at_the_close_of_business() {
    let berlin = berlin(json!([]));
    for from in [
        "2026-11-09T05:00Z",
        "2026-11-09T14:00Z",
        "2026-11-09T22:00Z",
    ] {
        due(&berlin, "working-days", 1, from, "2026-11-10T16:00Z");
        due(&berlin, "working-days", 5, from, "2026-11-16T16:00Z");
    }
    // On a Saturday and on a Sunday alike.
    due(
        &berlin,
        "working-days",
        1,
        "2026-11-14T12:00Z",
        "2026-11-16T16:00Z",
    );
    due(
        &berlin,
        "working-days",
        1,
        "2026-11-15T12:00Z",
        "2026-11-16T16:00Z",
    );
    due(
        &berlin,
        "working-days",
        1,
        "2026-12-31T12:00Z",
        "2027-01-01T16:00Z",
    );
    due(
        &berlin,
        "working-days",
        1,
        "2028-02-28T12:00Z",
        "2028-02-29T16:00Z",
    );
}

#[test]
fn c151_a_start_on_a_holiday_counts_like_a_start_on_a_weekend() {
    let berlin = berlin(json!(["2026-11-11"]));
    for from in ["2026-11-10T14:00Z", "2026-11-11T14:00Z"] {
        due(&berlin, "working-days", 1, from, "2026-11-12T16:00Z");
        due(&berlin, "working-days", 2, from, "2026-11-13T16:00Z");
    }
}

#[test]
fn c152_holidays_at_the_ends_and_on_a_weekend() {
    let berlin = berlin(json!(["2026-12-25", "2026-12-26", "2027-01-01"]));
    due(
        &berlin,
        "working-days",
        3,
        "2026-12-23T12:00Z",
        "2026-12-29T16:00Z",
    );
    due(
        &berlin,
        "working-days",
        5,
        "2026-12-24T12:00Z",
        "2027-01-04T16:00Z",
    );
    due(
        &berlin,
        "working-days",
        1,
        "2026-12-26T12:00Z",
        "2026-12-28T16:00Z",
    );
    let only = super::berlin(json!(["2026-12-23"]));
    due(
        &only,
        "working-days",
        1,
        "2026-12-23T12:00Z",
        "2026-12-24T16:00Z",
    );
}

#[test]
fn c154_one_working_day_a_week_is_enough() {
    let tuesdays = calendar(json!({ "working_week": { "tue": ["09:00-17:00"] } })).unwrap();
    due(
        &tuesdays,
        "working-days",
        2,
        "2026-11-11T12:00Z",
        "2026-11-24T16:00Z",
    );
    due(
        &tuesdays,
        "working-days",
        520,
        "2026-11-11T12:00Z",
        "2036-10-28T16:00Z",
    );
}

#[test]
fn c154_a_closure_longer_than_a_year_ends_the_search_with_an_error() {
    let closed = json!({ "closures": [{ "from": "2026-01-01", "to": "2027-02-05" }] });
    let closed = calendar(closed).unwrap();
    for kind in ["working-days", "working-hours"] {
        let due = closed.resolve(at("2026-01-01T12:00Z"), &DeadlineSpec::of("d", kind, 1));
        assert!(
            matches!(due, Err(DeadlineError::OutOfRange { .. })),
            "{kind}"
        );
    }
    // A year of it is bridged.
    due(
        &closed,
        "working-days",
        1,
        "2026-03-01T12:00Z",
        "2027-02-08T16:00Z",
    );
}

#[track_caller]
fn bad(kind: &str, params: Value, want: &str) {
    let Value::Object(params) = params else {
        panic!("no object")
    };
    let spec = DeadlineSpec {
        name: "d".into(),
        kind: kind.into(),
        params,
    };
    assert_eq!(
        berlin(json!([])).check(&spec).unwrap_err().to_string(),
        want
    );
    assert_eq!(
        berlin(json!([]))
            .resolve(at("2026-11-09T12:00Z"), &spec)
            .unwrap_err()
            .to_string(),
        want
    );
}

#[test]
fn c154_n_is_a_whole_number_from_one_to_a_bound() {
    let needs = "the deadline `working-days` needs `n`, a whole number from 1 to 520, not";
    for n in ["0", "-2", "1000000000", "1.5", "\"3\"", "null"] {
        let n: Value = serde_json::from_str(n).unwrap();
        bad(
            "working-days",
            json!({ "n": n }),
            &format!("{needs} `{}`", n.to_string().replace('"', "\\\"")),
        );
    }
    bad("working-days", json!({}), &format!("{needs} nothing"));
}

#[test]
fn kinds_and_parameters_that_are_not_known_are_refused_by_name() {
    bad(
        "working-days",
        json!({ "n": 1, "m": 1 }),
        "the deadline `working-days` takes only `n`, not `m`",
    );
    bad(
        "end-of-day",
        json!({ "n": 1 }),
        "the deadline `end-of-day` takes no parameters, not `n`",
    );
    bad(
        "fortnights",
        json!({ "n": 1 }),
        "`fortnights` is no kind of deadline; known are `minutes`, `hours`, `days`, `working-days`, `working-hours`, `end-of-day`",
    );
}

#[test]
fn c155_the_zone_says_which_day_it_is() {
    // Half past midnight on Saturday in Berlin, still Friday in UTC.
    let late = "2026-07-03T22:30Z";
    due(
        &berlin(json!([])),
        "working-days",
        1,
        late,
        "2026-07-06T15:00Z",
    );
    let with_saturday = json!({ "working_week": { "mon-sat": ["09:00-17:00"] } });
    due(
        &calendar(with_saturday).unwrap(),
        "working-days",
        1,
        late,
        "2026-07-06T15:00Z",
    );
}

#[test]
fn c155_a_deadline_over_the_change_of_clocks_keeps_its_time_on_the_wall() {
    let berlin = berlin(json!([]));
    due(
        &berlin,
        "working-days",
        1,
        "2026-03-27T12:00Z",
        "2026-03-30T15:00Z",
    );
    due(
        &berlin,
        "working-days",
        1,
        "2026-05-29T12:00Z",
        "2026-06-01T15:00Z",
    );
}

#[test]
fn working_hours_count_only_while_it_is_open() {
    let berlin = berlin(json!(["2026-11-11"]));
    due(
        &berlin,
        "working-hours",
        2,
        "2026-11-09T09:00Z",
        "2026-11-09T11:00Z",
    );
    due(
        &berlin,
        "working-hours",
        8,
        "2026-11-09T05:00Z",
        "2026-11-09T16:00Z",
    );
    due(
        &berlin,
        "working-hours",
        9,
        "2026-11-09T05:00Z",
        "2026-11-10T09:00Z",
    );
    due(
        &berlin,
        "working-hours",
        1,
        "2026-11-09T16:00Z",
        "2026-11-10T09:00Z",
    );
    due(
        &berlin,
        "working-hours",
        2,
        "2026-11-10T15:00Z",
        "2026-11-12T09:00Z",
    );
    let lunch =
        calendar(json!({ "working_week": { "mon-fri": ["13:00-17:00", "08:00-12:00"] } })).unwrap();
    due(
        &lunch,
        "working-hours",
        5,
        "2026-11-09T06:00Z",
        "2026-11-09T13:00Z",
    );
    due(
        &lunch,
        "working-hours",
        1,
        "2026-11-09T11:30Z",
        "2026-11-09T13:00Z",
    );
}

#[test]
fn working_hours_are_hours_also_when_the_clock_jumps() {
    let always = calendar(json!({ "working_week": { "mon-sun": ["00:00-24:00"] } })).unwrap();
    due(
        &always,
        "working-hours",
        24,
        "2026-03-28T23:00Z",
        "2026-03-29T23:00Z",
    );
    due(
        &always,
        "working-hours",
        24,
        "2026-10-24T22:00Z",
        "2026-10-25T22:00Z",
    );
    // It opens within the hour that does not exist, and closes within the one that exists twice.
    let night = calendar(json!({ "working_week": { "sun": ["02:30-04:00"] } })).unwrap();
    due(
        &night,
        "working-hours",
        1,
        "2026-03-29T00:00Z",
        "2026-03-29T02:00Z",
    );
    let twice = calendar(json!({ "working_week": { "sun": ["01:00-02:30"] } })).unwrap();
    due(
        &twice,
        "working-hours",
        2,
        "2026-10-24T22:00Z",
        "2026-10-25T01:00Z",
    );
}

#[test]
fn a_day_that_a_zone_skips_is_no_working_day() {
    let wire =
        json!({ "timezone": "Pacific/Apia", "working_week": { "mon-fri": ["09:00-17:00"] } });
    let apia = calendar(wire).unwrap();
    // Friday 2011-12-30 did not exist; the working day after Thursday the 29th is Monday.
    due(
        &apia,
        "working-days",
        1,
        "2011-12-29T20:00Z",
        "2012-01-02T03:00Z",
    );
}

#[test]
fn the_end_of_the_day_is_that_of_the_next_working_day_once_it_is_over() {
    let berlin = berlin(json!([]));
    due_today(&berlin, "2026-11-09T05:00Z", "2026-11-09T16:00Z");
    due_today(&berlin, "2026-11-09T15:59Z", "2026-11-09T16:00Z");
    due_today(&berlin, "2026-11-09T16:00Z", "2026-11-10T16:00Z");
    due_today(&berlin, "2026-11-14T12:00Z", "2026-11-16T16:00Z");
}
