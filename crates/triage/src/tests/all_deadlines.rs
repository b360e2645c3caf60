//! What holds for every calendar, deadline and start.

use std::sync::LazyLock;

use proptest::prelude::*;

use super::*;

/// Instants of 2026 to 2028, half of them near a change of clocks in Berlin.
fn instants() -> impl Strategy<Value = DateTime<Utc>> {
    let any = at("2026-01-01T00:00Z").timestamp()..at("2028-12-31T00:00Z").timestamp();
    let jump = at("2026-10-25T01:00Z").timestamp();
    let back = at("2027-03-28T01:00Z").timestamp();
    prop_oneof![
        any,
        (jump - 90_000)..(jump + 9_000),
        (back - 90_000)..(back + 9_000)
    ]
    .prop_map(|seconds| DateTime::from_timestamp(seconds, 0).unwrap())
}

fn kinds() -> impl Strategy<Value = &'static str> {
    prop::sample::select(vec![
        "minutes",
        "hours",
        "days",
        "working-days",
        "working-hours",
    ])
}

/// Zones and weeks in all pairs; made once, since a calendar computes its holidays for 230 years.
static CALENDARS: LazyLock<Vec<BusinessCalendar>> = LazyLock::new(|| {
    let zones = [
        "Europe/Berlin",
        "America/New_York",
        "Australia/Lord_Howe",
        "Asia/Kathmandu",
        "UTC",
    ];
    let weeks = [
        json!({ "mon-fri": ["09:00-17:00"] }),
        json!({ "mon-sun": ["00:00-24:00"] }),
        json!({ "tue": ["08:00-12:00", "13:00-15:30"], "sun": ["01:30-02:30"] }),
        json!({ "sat-sun": ["00:30-03:00"] }),
    ];
    let closures = json!([{ "from": "2026-12-20", "to": "2027-01-10" }]);
    let pairs = zones
        .iter()
        .flat_map(|zone| weeks.iter().map(move |week| (zone, week)));
    let wires = pairs.map(|(zone, week)| {
        json!({ "timezone": zone, "country": "DE", "working_week": week, "closures": closures })
    });
    wires.map(|wire| calendar(wire).unwrap()).collect()
});

fn any_calendar() -> impl Strategy<Value = &'static BusinessCalendar> {
    (0..CALENDARS.len()).prop_map(|n| &CALENDARS[n])
}

proptest! {
    #[test]
    fn more_takes_longer_and_later_is_due_later(
        calendar in any_calendar(), kind in kinds(), n in 1u64..60, from in instants(), pause in 0i64..200_000,
    ) {
        let due = |from, n| calendar.resolve(from, &DeadlineSpec::of("d", kind, n)).unwrap();
        prop_assert!(due(from, n) > from || kind == "days", "in the future");
        prop_assert!(due(from, n) < due(from, n + 1), "n");
        let later = from + chrono::TimeDelta::seconds(pause);
        prop_assert!(due(from, n) <= due(later, n), "from {} and {later}: {} and {}", from, due(from, n), due(later, n));
    }

    #[test]
    fn nothing_is_due_in_closed_time(
        calendar in any_calendar(), kind in prop::sample::select(vec!["working-days", "working-hours"]), n in 1u64..60, from in instants(),
    ) {
        let due = calendar.resolve(from, &DeadlineSpec::of("d", kind, n)).unwrap();
        // The business is open in the moment before.
        prop_assert!(calendar.is_open(due - chrono::TimeDelta::nanoseconds(1)), "{due}");
        if kind == "working-days" {
            prop_assert!(!calendar.is_open(due) || calendar.is_open(due + chrono::TimeDelta::nanoseconds(1)));
        }
    }

    #[test]
    fn whatever_is_asked_there_is_an_answer(kind in kinds(), n in any::<u64>(), seconds in any::<i32>()) {
        let from = DateTime::from_timestamp(i64::from(seconds) * 10, 0).unwrap();
        let _ = berlin(json!([])).resolve(from, &DeadlineSpec::of("d", kind, n));
    }
}
