//! The days that an iCalendar file (RFC 5545) names: events of whole days, once or each year.
//!
//! A small and strict reader. Time zones, alarms, to-dos and texts are passed over; an event with a time of
//! day, or a rule of repetition that is not yearly, is an error, since whether it closes a business
//! cannot be told.

use chrono::{Datelike, NaiveDate, Weekday};

use crate::error::shown;
use crate::holiday::YEARS;
use crate::holiday_file::{HolidayFileError, MAX_DATES};

/// The most days of one event.
const LONGEST: i64 = 366;

/// Whether a text is meant as iCalendar.
pub(crate) fn is_calendar(text: &str) -> bool {
    let head = text.trim_start().get(..15);
    head.is_some_and(|head| head.eq_ignore_ascii_case("BEGIN:VCALENDAR"))
}

/// One content line: its number, name, parameters and value.
struct Line<'a> {
    number: usize,
    name: String,
    params: &'a str,
    value: &'a str,
}

/// An event as far as it was read.
#[derive(Default)]
struct Event {
    begun: usize,
    start: Option<NaiveDate>,
    end: Option<NaiveDate>,
    days: Option<i64>,
    rule: Option<(usize, String)>,
    left_out: Vec<NaiveDate>,
    cancelled: bool,
    /// One of its lines was refused; nothing more is said of it.
    spoiled: bool,
}

/// All dates, in the order of the file.
pub(crate) fn dates(text: &str) -> Result<Vec<NaiveDate>, Vec<HolidayFileError>> {
    let (mut dates, mut errors) = (Vec::new(), Vec::new());
    let mut open: Vec<String> = Vec::new();
    let mut event: Option<Event> = None;
    for (number, line) in unfolded(text) {
        let Some(line) = content(number, &line) else {
            errors.push(HolidayFileError::at(number, "it is no line `NAME:value`"));
            continue;
        };
        let read = match line.name.as_str() {
            "BEGIN" => {
                let what = line.value.to_ascii_uppercase();
                if what == "VEVENT" {
                    event = Some(Event {
                        begun: number,
                        ..Event::default()
                    });
                }
                open.push(what);
                Ok(())
            }
            "END" => close(&mut open, &mut event, &line, &mut dates),
            _ if open.last().is_some_and(|what| what == "VEVENT") => match &mut event {
                Some(event) => event.take(&line).inspect_err(|_| event.spoiled = true),
                None => Ok(()),
            },
            _ => Ok(()),
        };
        errors.extend(read.err());
        if errors.len() == 20 || dates.len() > MAX_DATES {
            break;
        }
    }
    if errors.is_empty() && !open.is_empty() && dates.len() <= MAX_DATES {
        errors.push(HolidayFileError::File {
            problem: "it ends in the middle: an `END:` is missing",
        });
    }
    if errors.is_empty() {
        Ok(dates)
    } else {
        Err(errors)
    }
}

fn close(
    open: &mut Vec<String>,
    event: &mut Option<Event>,
    line: &Line<'_>,
    dates: &mut Vec<NaiveDate>,
) -> Result<(), HolidayFileError> {
    let what = line.value.to_ascii_uppercase();
    if open.pop().as_deref() != Some(what.as_str()) {
        let problem = format!("`END:{}` closes nothing that is open", shown(line.value));
        return Err(HolidayFileError::at(line.number, problem));
    }
    if what == "VEVENT"
        && let Some(event) = event.take()
    {
        dates.extend(event.dates()?);
    }
    Ok(())
}

/// The lines with their continuations (a line that begins with a blank goes on the one before it).
fn unfolded(text: &str) -> Vec<(usize, String)> {
    let mut lines: Vec<(usize, String)> = Vec::new();
    for (at, line) in text.lines().enumerate() {
        match (line.strip_prefix([' ', '\t']), lines.last_mut()) {
            (Some(rest), Some((_, before))) => before.push_str(rest),
            _ if line.trim().is_empty() => {}
            _ => lines.push((at + 1, line.to_owned())),
        }
    }
    lines
}

fn content(number: usize, line: &str) -> Option<Line<'_>> {
    // The first colon outside of quotes ends name and parameters.
    let mut quoted = false;
    let colon = line.char_indices().find_map(|(at, c)| {
        quoted ^= c == '"';
        (c == ':' && !quoted).then_some(at)
    })?;
    let (head, value) = line.split_at_checked(colon)?;
    let (name, params) = head.split_once(';').unwrap_or((head, ""));
    Some(Line {
        number,
        name: name.trim().to_ascii_uppercase(),
        params,
        value: value.strip_prefix(':')?.trim(),
    })
}

impl Event {
    fn take(&mut self, line: &Line<'_>) -> Result<(), HolidayFileError> {
        match line.name.as_str() {
            "DTSTART" => self.start = Some(day(line, line.value)?),
            "DTEND" => self.end = Some(day(line, line.value)?),
            "DURATION" => self.days = Some(duration(line)?),
            "RRULE" => self.rule = Some((line.number, line.value.to_ascii_uppercase())),
            "EXDATE" => {
                for value in line.value.split(',') {
                    self.left_out.push(day(line, value)?);
                }
            }
            "STATUS" => self.cancelled = line.value.eq_ignore_ascii_case("CANCELLED"),
            "RDATE" | "EXRULE" => {
                let problem = format!("`{}` is not read; write an event of its own", line.name);
                return Err(HolidayFileError::at(line.number, problem));
            }
            _ => {}
        }
        Ok(())
    }

    fn dates(self) -> Result<Vec<NaiveDate>, HolidayFileError> {
        let bad = |problem: &str| HolidayFileError::at(self.begun, problem);
        if self.cancelled || self.spoiled {
            return Ok(Vec::new());
        }
        let start = self.start.ok_or(bad("the event has no DTSTART"))?;
        let days = match (self.end, self.days) {
            (Some(end), _) => end.signed_duration_since(start).num_days().max(1),
            (None, Some(days)) => days,
            (None, None) => 1,
        };
        if self.end.is_some_and(|end| end < start) {
            return Err(bad("the event ends before it begins"));
        }
        if days > LONGEST {
            return Err(bad("the event is longer than 366 days"));
        }
        let firsts = match &self.rule {
            Some((line, rule)) => yearly(*line, rule, start)?,
            None => vec![start],
        };
        let firsts = firsts
            .into_iter()
            .filter(|first| !self.left_out.contains(first));
        let all =
            firsts.flat_map(|first| first.iter_days().take(usize::try_from(days).unwrap_or(1)));
        let all: Vec<NaiveDate> = all.filter(|day| YEARS.contains(&day.year())).collect();
        if all.is_empty() && self.left_out.is_empty() {
            return Err(bad("the event lies outside the years 1970 to 2199"));
        }
        Ok(all)
    }
}

/// `20261224`; a midnight without a zone, `20261224T000000`, is the same day.
fn day(line: &Line<'_>, value: &str) -> Result<NaiveDate, HolidayFileError> {
    let bad = |problem: String| HolidayFileError::at(line.number, problem);
    let (date, time) = value.trim().split_once('T').unwrap_or((value.trim(), ""));
    let at = |from: usize, to: usize| date.get(from..to)?.parse::<u32>().ok();
    let read = (date.len() == 8 && date.bytes().all(|b| b.is_ascii_digit()))
        .then(|| NaiveDate::from_ymd_opt(i32::try_from(at(0, 4)?).ok()?, at(4, 6)?, at(6, 8)?))
        .flatten();
    let read =
        read.ok_or_else(|| bad(format!("`{}` is no date such as `20261224`", shown(value))))?;
    if !(time.is_empty() || time == "000000" && !line.params.to_ascii_uppercase().contains("TZID"))
    {
        return Err(bad(format!(
            "`{}` has a time of day; a holiday is a whole day: `{};VALUE=DATE:{date}`",
            shown(value),
            line.name
        )));
    }
    Ok(read)
}

/// `P1D` or `P2W` as days.
fn duration(line: &Line<'_>) -> Result<i64, HolidayFileError> {
    let text = line.value.to_ascii_uppercase();
    let count = |unit: char| {
        text.strip_prefix('P')?
            .strip_suffix(unit)?
            .parse::<i64>()
            .ok()
    };
    let days = count('D').or_else(|| count('W').and_then(|weeks| weeks.checked_mul(7)));
    days.filter(|days| (1..=LONGEST).contains(days))
        .ok_or_else(|| {
            let problem = format!("`{}` is no length in days such as `P1D`", shown(line.value));
            HolidayFileError::at(line.number, problem)
        })
}

/// What a rule of repetition says of each year.
#[derive(Default)]
struct Rule {
    interval: Option<i32>,
    count: Option<usize>,
    until: Option<NaiveDate>,
    month: Option<u32>,
    day: Option<u32>,
    weekday: Option<(i8, Weekday)>,
}

/// The first days of all repetitions: each year from the first on, until the calendar's last year.
fn yearly(line: usize, rule: &str, start: NaiveDate) -> Result<Vec<NaiveDate>, HolidayFileError> {
    let rule = Rule::read(line, rule)?;
    let (month, day) = (
        rule.month.unwrap_or(start.month()),
        rule.day.unwrap_or(start.day()),
    );
    let step = usize::try_from(rule.interval.unwrap_or(1)).unwrap_or(1);
    let years = (start.year()..=*YEARS.end()).step_by(step);
    let days = years.filter_map(|year| match rule.weekday {
        Some((-1, weekday)) => (1..=5)
            .rev()
            .find_map(|n| NaiveDate::from_weekday_of_month_opt(year, month, weekday, n)),
        Some((n, weekday)) => {
            NaiveDate::from_weekday_of_month_opt(year, month, weekday, u8::try_from(n).ok()?)
        }
        None => NaiveDate::from_ymd_opt(year, month, day),
    });
    let from_start = days.filter(|day| *day >= start);
    let until = from_start.take_while(|day| rule.until.is_none_or(|until| *day <= until));
    Ok(until.take(rule.count.unwrap_or(usize::MAX)).collect())
}

impl Rule {
    fn read(line: usize, text: &str) -> Result<Self, HolidayFileError> {
        let (mut rule, mut is_yearly) = (Self::default(), false);
        for part in text.split(';').filter(|part| !part.is_empty()) {
            let bad = || {
                let problem = format!(
                    "`{}` in RRULE is not read; known are FREQ=YEARLY with INTERVAL, COUNT, UNTIL, BYMONTH, BYMONTHDAY, BYDAY",
                    shown(part)
                );
                HolidayFileError::at(line, problem)
            };
            let (key, value) = part.split_once('=').ok_or_else(bad)?;
            match key {
                "FREQ" if value == "YEARLY" => is_yearly = true,
                "INTERVAL" => rule.interval = Some(number(value, 1..=200).ok_or_else(bad)?),
                "COUNT" => rule.count = Some(number(value, 1..=100_000).ok_or_else(bad)?),
                "UNTIL" => rule.until = Some(until(value).ok_or_else(bad)?),
                "BYMONTH" => rule.month = Some(number(value, 1..=12).ok_or_else(bad)?),
                "BYMONTHDAY" => rule.day = Some(number(value, 1..=31).ok_or_else(bad)?),
                "BYDAY" => rule.weekday = Some(nth_weekday(value).ok_or_else(bad)?),
                "WKST" => {}
                _ => return Err(bad()),
            }
        }
        let whole_month = rule
            .weekday
            .is_none_or(|_| rule.month.is_some() && rule.day.is_none());
        if is_yearly && whole_month {
            return Ok(rule);
        }
        let problem = if is_yearly {
            "BYDAY in RRULE needs BYMONTH beside it, and no BYMONTHDAY"
        } else {
            "only events that repeat with FREQ=YEARLY are read"
        };
        Err(HolidayFileError::at(line, problem))
    }
}

fn number<N: std::str::FromStr + PartialOrd>(
    text: &str,
    within: std::ops::RangeInclusive<N>,
) -> Option<N> {
    text.parse().ok().filter(|n| within.contains(n))
}

/// `20301224` or `20301224T235959Z`; the day counts.
fn until(text: &str) -> Option<NaiveDate> {
    let date = text.split_once('T').map_or(text, |(date, _)| date);
    NaiveDate::parse_from_str(date, "%Y%m%d").ok()
}

/// `4TH`, `1MO`, `-1MO`.
fn nth_weekday(text: &str) -> Option<(i8, Weekday)> {
    let (n, day) = text.split_at_checked(text.len().checked_sub(2)?)?;
    let weekday = match day {
        "MO" => Weekday::Mon,
        "TU" => Weekday::Tue,
        "WE" => Weekday::Wed,
        "TH" => Weekday::Thu,
        "FR" => Weekday::Fri,
        "SA" => Weekday::Sat,
        "SU" => Weekday::Sun,
        _ => return None,
    };
    let n = n.parse().ok().filter(|n| (1..=5).contains(n) || *n == -1)?;
    Some((n, weekday))
}
