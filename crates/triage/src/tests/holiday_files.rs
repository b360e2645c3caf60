//! Holidays from files: iCalendar and lists of dates, and what is refused in them.

use proptest::prelude::*;

use super::*;
use crate::wire::HolidayWire;

fn days(text: &str) -> Result<Vec<String>, Vec<String>> {
    let shown = |holiday: HolidayWire| match holiday {
        HolidayWire::Date(date) => date,
        HolidayWire::Yearly(_) | HolidayWire::Easter(_) | HolidayWire::Nth(_) => panic!("no date"),
    };
    holidays_in(text)
        .map(|days| days.into_iter().map(shown).collect())
        .map_err(|errors| errors.iter().map(ToString::to_string).collect())
}

fn event(lines: &str) -> String {
    format!(
        "BEGIN:VCALENDAR\r\nVERSION:2.0\r\nBEGIN:VEVENT\r\n{}\r\nEND:VEVENT\r\nEND:VCALENDAR\r\n",
        lines.replace('\n', "\r\n")
    )
}

#[track_caller]
fn event_is(lines: &str, want: &[&str]) {
    assert_eq!(
        days(&event(lines)).as_deref().map_err(Clone::clone),
        Ok(want
            .iter()
            .map(|d| (*d).to_owned())
            .collect::<Vec<_>>()
            .as_slice()),
        "{lines}"
    );
}

#[track_caller]
fn event_is_refused(lines: &str, want: &str) {
    assert_eq!(days(&event(lines)), Err(vec![want.to_owned()]), "{lines}");
}

#[test]
fn an_event_of_whole_days_is_a_holiday_and_its_end_is_not() {
    event_is("DTSTART;VALUE=DATE:20261224", &["2026-12-24"]);
    event_is(
        "DTSTART;VALUE=DATE:20261224\nDTEND;VALUE=DATE:20261226",
        &["2026-12-24", "2026-12-25"],
    );
    event_is(
        "DTSTART;VALUE=DATE:20261224\nDURATION:P3D",
        &["2026-12-24", "2026-12-25", "2026-12-26"],
    );
    event_is(
        "DTSTART:20261224T000000\nDTEND:20261225T000000",
        &["2026-12-24"],
    );
    event_is(
        "SUMMARY:a: b\n  c\nDTSTART;VALUE=DA\n TE:20261224\nBEGIN:VALARM\nDTSTART:nonsense\nEND:VALARM",
        &["2026-12-24"],
    );
}

#[test]
fn an_event_that_repeats_each_year_does_so_from_its_first_day_to_its_last() {
    event_is(
        "DTSTART;VALUE=DATE:20261224\nRRULE:FREQ=YEARLY;COUNT=2",
        &["2026-12-24", "2027-12-24"],
    );
    event_is(
        "DTSTART;VALUE=DATE:20240229\nRRULE:FREQ=YEARLY;UNTIL=20330101",
        &["2024-02-29", "2028-02-29", "2032-02-29"],
    );
    event_is(
        "DTSTART;VALUE=DATE:20261126\nRRULE:FREQ=YEARLY;BYMONTH=11;BYDAY=4TH;UNTIL=20281231T000000Z",
        &["2026-11-26", "2027-11-25", "2028-11-23"],
    );
    event_is(
        "DTSTART;VALUE=DATE:20260525\nRRULE:FREQ=YEARLY;BYMONTH=5;BYDAY=-1MO;COUNT=2\nEXDATE;VALUE=DATE:20270531",
        &["2026-05-25"],
    );
    event_is(
        "DTSTART;VALUE=DATE:20260101\nRRULE:FREQ=YEARLY;INTERVAL=5;COUNT=2",
        &["2026-01-01", "2031-01-01"],
    );
    let forever = days(&event("DTSTART;VALUE=DATE:20261224\nRRULE:FREQ=YEARLY")).unwrap();
    assert_eq!(
        (forever.len(), forever.last().unwrap().as_str()),
        (174, "2199-12-24")
    );
}

#[test]
fn what_may_or_may_not_close_a_business_is_refused_with_its_line() {
    event_is_refused(
        "DTSTART:20261224T090000Z",
        "line 4: `20261224T090000Z` has a time of day; a holiday is a whole day: `DTSTART;VALUE=DATE:20261224`",
    );
    event_is_refused(
        "DTSTART;TZID=Europe/Berlin:20261224T000000",
        "line 4: `20261224T000000` has a time of day; a holiday is a whole day: `DTSTART;VALUE=DATE:20261224`",
    );
    event_is_refused(
        "DTSTART;VALUE=DATE:20261224\nRRULE:FREQ=WEEKLY",
        "line 5: `FREQ=WEEKLY` in RRULE is not read; known are FREQ=YEARLY with INTERVAL, COUNT, UNTIL, BYMONTH, BYMONTHDAY, BYDAY",
    );
    event_is_refused(
        "DTSTART;VALUE=DATE:20261224\nRRULE:FREQ=YEARLY;BYDAY=4TH",
        "line 5: BYDAY in RRULE needs BYMONTH beside it, and no BYMONTHDAY",
    );
    event_is_refused(
        "DTSTART;VALUE=DATE:20261224\nRDATE;VALUE=DATE:20261231",
        "line 5: `RDATE` is not read; write an event of its own",
    );
    event_is_refused(
        "DTSTART;VALUE=DATE:20261324",
        "line 4: `20261324` is no date such as `20261224`",
    );
    event_is_refused("SUMMARY:nothing", "line 3: the event has no DTSTART");
    event_is_refused(
        "DTSTART;VALUE=DATE:20261224\nDTEND;VALUE=DATE:20261223",
        "line 3: the event ends before it begins",
    );
    event_is_refused("STATUS:CANCELLED", "it names no holiday at all");
    assert_eq!(
        days("BEGIN:VCALENDAR\nBEGIN:VEVENT\n"),
        Err(vec![
            "it ends in the middle: an `END:` is missing".to_owned()
        ])
    );
}

#[test]
fn a_list_has_a_date_a_line_and_every_other_line_is_told() {
    let list = "# ours\n2026-12-24 Christmas Eve\n\n2026-12-31\n2026-12-24\n";
    assert_eq!(
        days(list),
        Ok(vec!["2026-12-24".to_owned(), "2026-12-31".to_owned()])
    );
    let bad = "2026-02-30\n24.12.2026\n1969-12-31\n";
    let errors = [
        "line 1: `2026-02-30` is no date such as `2026-12-24`",
        "line 2: `24.12.2026` is no date such as `2026-12-24`",
        "line 3: the year must be 1970 to 2199",
    ];
    assert_eq!(days(bad), Err(errors.map(str::to_owned).to_vec()));
    assert_eq!(
        days("# none\n"),
        Err(vec!["it names no holiday at all".to_owned()])
    );
}

#[test]
fn a_calendar_whose_files_nobody_read_is_refused() {
    let errors = calendar(json!({ "holidays_from": ["bank.ics"] })).unwrap_err();
    assert_eq!(
        errors[0].to_string(),
        "holidays_from: `bank.ics` was not read, so its holidays would be missing"
    );
}

proptest! {
    #[test]
    fn no_text_breaks_the_reader_of_files(text in "(?s).{0,60}", lines in "(DTSTART|DTEND|RRULE|EXDATE|DURATION|BEGIN|END)[:;=A-Z0-9\\-]{0,30}\n?") {
        let _ = holidays_in(&text);
        let _ = holidays_in(&event(&lines));
        let _ = holidays_in(&event(&format!("DTSTART;VALUE=DATE:20261224\n{lines}")));
    }
}
