//! What a calendar may say, and which days are holidays.

use chrono::{Datelike, NaiveDate};
use proptest::prelude::*;

use super::*;

#[track_caller]
fn refused(wire: Value, want: &[&str]) {
    let errors: Vec<String> = calendar(wire)
        .unwrap_err()
        .iter()
        .map(ToString::to_string)
        .collect();
    assert_eq!(errors, want);
}

fn week(week: Value) -> Value {
    json!({ "working_week": week })
}

#[test]
fn c154_a_week_without_hours_is_refused() {
    let empty =
        "working_week has no hours at all: nothing would ever be due; give at least one day";
    refused(week(json!({})), &[empty]);
    refused(week(json!({ "mon-fri": [] })), &[empty]);
}

#[test]
fn a_week_is_read_day_by_day_and_every_fault_is_named() {
    refused(
        week(json!({ "mon-fri": ["9-17"], "monday": ["09:00-17:00"] })),
        &[
            "working_week: `9-17` are no hours such as `09:00-17:00`, the end after the start and at most 24:00",
            "working_week: `monday` is no day (`mon`) or run of days (`mon-fri`)",
        ],
    );
    refused(
        week(json!({ "mon": ["17:00-09:00"] })),
        &[
            "working_week: `17:00-09:00` are no hours such as `09:00-17:00`, the end after the start and at most 24:00",
        ],
    );
    refused(
        week(json!({ "mon": ["09:00-12:00"], "mon-tue": ["09:00-12:00"] })),
        &["working_week: `mon` is given twice"],
    );
    refused(
        week(json!({ "mon": ["09:00-12:00", "11:00-13:00"] })),
        &["working_week: the hours of `mon` overlap"],
    );
    assert!(calendar(week(json!({ "fri-mon": ["00:00-24:00"] }))).is_ok());
    assert!(calendar(week(json!({ "mon": ["00:00-24:01"] }))).is_err());
}

#[test]
fn zone_country_holidays_and_closures_are_checked_together() {
    refused(
        json!({
            "timezone": "Europe/Berln",
            "country": "XX",
            "holidays": ["2026-02-30", { "yearly": "13-01" }, { "easter": 200 }, { "nth": 6, "weekday": "mon", "month": 1 }],
            "closures": [{ "from": "2026-02-02", "to": "2026-02-01" }, { "from": "x", "to": "2026-1-1" }],
        }),
        &[
            "`Europe/Berln` is no IANA time zone, such as `Europe/Berlin`",
            "no holidays are built in for `XX`; built in are `DE`, `FR`, `GB`, `US`, others go under `holidays`",
            "holidays 1: `2026-02-30` is no date such as `2026-12-24`",
            "holidays 2: `13-01` is no date such as `12-24`",
            "holidays 3: `easter` counts days from Easter Sunday, at most 183 either way",
            "holidays 4: `nth` must be 1 to 5, or -1 for the last",
            "closures 1: it ends before it begins",
            "closures 2: `x` is no date such as `2026-12-24`",
            "closures 2: `2026-1-1` is no date such as `2026-12-24`",
        ],
    );
}

#[test]
fn unknown_keys_are_refused() {
    for wire in [
        json!({ "time_zone": "UTC" }),
        json!({ "holidays": [{ "yearly": "12-24", "nth": 1 }] }),
        json!({ "holidays": [{ "every": "12-24" }] }),
        json!({ "closures": [{ "from": "2026-01-01", "to": "2026-01-02", "why": "x" }] }),
    ] {
        assert!(
            serde_json::from_value::<CalendarWire>(wire.clone()).is_err(),
            "{wire}"
        );
    }
}

#[track_caller]
fn holidays_of(wire: Value, year: i32, want: &[&str]) {
    let calendar = calendar(wire).unwrap();
    let days = NaiveDate::from_ymd_opt(year, 1, 1)
        .unwrap()
        .iter_days()
        .take_while(|day| day.year() == year);
    let found: Vec<String> = days
        .filter(|day| calendar.is_holiday(*day))
        .map(|day| day.format("%m-%d").to_string())
        .collect();
    assert_eq!(found, want, "{year}");
}

#[test]
fn the_holidays_of_each_country_are_those_of_a_published_table() {
    let table = include_str!("holidays.txt")
        .lines()
        .filter(|line| !line.starts_with('#'));
    let mut years = 0;
    for line in table {
        let mut words = line.split(' ');
        let (country, year) = (
            words.next().unwrap(),
            words.next().unwrap().parse().unwrap(),
        );
        holidays_of(
            json!({ "country": country }),
            year,
            &words.collect::<Vec<_>>(),
        );
        years += 1;
    }
    assert_eq!(years, 4 * 16);
}

#[test]
fn two_holidays_on_one_day_are_one() {
    let twice = json!({ "country": "GB", "holidays": ["2021-12-25", { "yearly": "12-25", "substitute": "next" }] });
    let once = calendar(json!({ "country": "GB" })).unwrap();
    assert_eq!(calendar(twice).unwrap().digest(), once.digest());
    // Ascension falls on Labour Day.
    let of_2008 = [
        "01-01", "03-21", "03-24", "05-01", "05-12", "10-03", "12-25", "12-26",
    ];
    holidays_of(json!({ "country": "DE" }), 2008, &of_2008);
}

#[test]
fn easter_is_where_the_tables_have_it() {
    let sundays = [
        "2020-04-12",
        "2021-04-04",
        "2022-04-17",
        "2023-04-09",
        "2024-03-31",
        "2025-04-20",
        "2026-04-05",
        "2027-03-28",
        "2028-04-16",
        "2029-04-01",
        "2030-04-21",
        "2031-04-13",
        "2032-03-28",
        "2033-04-17",
        "2034-04-09",
        "2035-03-25",
        "2038-04-25",
        "2076-04-19",
    ];
    let calendar = berlin(json!([{ "easter": 0 }]));
    for sunday in sundays {
        assert!(calendar.is_holiday(sunday.parse().unwrap()), "{sunday}");
    }
}

#[test]
fn rules_make_the_dates_that_they_name() {
    let of = |holiday: Value| json!({ "holidays": [holiday] });
    holidays_of(
        of(json!({ "nth": 4, "weekday": "thu", "month": 11 })),
        2026,
        &["11-26"],
    );
    holidays_of(
        of(json!({ "nth": -1, "weekday": "mon", "month": 5 })),
        2026,
        &["05-25"],
    );
    holidays_of(
        of(json!({ "nth": 5, "weekday": "mon", "month": 2 })),
        2026,
        &[],
    );
    holidays_of(of(json!({ "yearly": "02-29" })), 2026, &[]);
    holidays_of(of(json!({ "yearly": "02-29" })), 2028, &["02-29"]);
}

#[test]
fn a_holiday_on_a_weekend_moves_only_where_the_rule_says_so() {
    let christmas = |substitute: &str| {
        let day = |day: &str| json!({ "yearly": day, "substitute": substitute });
        json!({ "holidays": [day("12-25"), day("12-26")] })
    };
    // 2021: Saturday and Sunday. 2022: Sunday and Monday.
    holidays_of(
        christmas("next"),
        2021,
        &["12-25", "12-26", "12-27", "12-28"],
    );
    holidays_of(christmas("next"), 2022, &["12-25", "12-26", "12-27"]);
    holidays_of(
        json!({ "holidays": [{ "yearly": "12-25" }] }),
        2021,
        &["12-25"],
    );
    // New Year 2022 is a Saturday: its Friday lies in the old year.
    let new_year = || json!({ "holidays": [{ "yearly": "01-01", "substitute": "nearest" }] });
    holidays_of(new_year(), 2021, &["01-01", "12-31"]);
    holidays_of(new_year(), 2023, &["01-01", "01-02"]);
}

#[test]
fn the_digest_names_the_instants_and_not_the_spelling() {
    let digest = |wire: Value| calendar(wire).unwrap().digest();
    let plain = digest(json!({}));
    assert_eq!(
        plain,
        digest(week(json!({ "mon-fri": ["09:00-12:00", "12:00-17:00"] })))
    );
    assert_ne!(plain, digest(week(json!({ "mon-fri": ["09:00-17:01"] }))));
    assert_ne!(plain, digest(json!({ "timezone": "UTC" })));
    assert_ne!(plain, digest(json!({ "holidays": ["2026-12-24"] })));
    assert_ne!(
        plain,
        digest(json!({ "closures": [{ "from": "2026-01-01", "to": "2026-01-01" }] }))
    );
}

proptest! {
    #[test]
    fn no_text_breaks_the_reader(text in "\\PC{0,16}|[0-9a-z:-]{0,12}") {
        let wire = json!({
            "timezone": text, "country": text, "working_week": { text.clone(): [text.clone()] },
            "holidays": [text, { "yearly": text }], "closures": [{ "from": text, "to": text }],
        });
        let _ = calendar(wire);
    }
}
