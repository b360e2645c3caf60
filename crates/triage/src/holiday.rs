//! Holidays as rules, and the dates that they make.
//!
//! All dates of the years that a calendar covers are computed once, so that a substitute day that
//! falls into the next or the previous year needs no special case.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::RangeInclusive;

use chrono::{Datelike, NaiveDate, TimeDelta, Weekday};

use crate::CalendarError;
use crate::error::shown;
use crate::week;
use crate::wire::{HolidayWire, Substitute};

/// The years that calendars cover. Outside of them nothing is due.
pub(crate) const YEARS: RangeInclusive<i32> = 1970..=2199;

/// One rule.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Holiday {
    /// One date.
    Date(NaiveDate),
    /// Month and day, each year; the 29th of February in leap years only.
    Yearly(u32, u32, Option<Substitute>),
    /// Days after Easter Sunday.
    Easter(i64),
    /// The nth weekday of a month, -1 for the last; none in a month that has no fifth.
    Nth(i8, Weekday, u32),
}

impl Holiday {
    /// Checks the rule at this place (from 1) in the list.
    pub(crate) fn read(index: usize, wire: &HolidayWire) -> Result<Self, CalendarError> {
        let bad = |problem| CalendarError::Holiday { index, problem };
        match wire {
            HolidayWire::Date(text) => match date("holidays", index, text)? {
                date if YEARS.contains(&date.year()) => Ok(Self::Date(date)),
                _ => Err(bad("the year must be 1970 to 2199")),
            },
            HolidayWire::Yearly(rule) => {
                // A leap year, so that the 29th of February is a day.
                let error = || date_error("holidays", index, &rule.yearly, "`12-24`");
                let day = date("holidays", index, &format!("2000-{}", rule.yearly))
                    .map_err(|_| error())?;
                Ok(Self::Yearly(day.month(), day.day(), rule.substitute))
            }
            HolidayWire::Easter(rule) if rule.easter.abs() <= 183 => Ok(Self::Easter(rule.easter)),
            HolidayWire::Easter(_) => Err(bad(
                "`easter` counts days from Easter Sunday, at most 183 either way",
            )),
            HolidayWire::Nth(rule) => {
                let weekday =
                    week::day(&rule.weekday).ok_or(bad("`weekday` must be one of mon to sun"))?;
                if !(1..=12).contains(&rule.month) {
                    return Err(bad("`month` must be 1 to 12"));
                }
                if !(1..=5).contains(&rule.nth) && rule.nth != -1 {
                    return Err(bad("`nth` must be 1 to 5, or -1 for the last"));
                }
                Ok(Self::Nth(rule.nth, weekday, rule.month))
            }
        }
    }

    fn in_year(self, year: i32) -> Option<NaiveDate> {
        match self {
            Self::Date(date) => (date.year() == year).then_some(date),
            Self::Yearly(month, day, _) => NaiveDate::from_ymd_opt(year, month, day),
            Self::Easter(days) => easter(year)?.checked_add_signed(TimeDelta::days(days)),
            Self::Nth(-1, weekday, month) => (1..=5)
                .rev()
                .find_map(|n| NaiveDate::from_weekday_of_month_opt(year, month, weekday, n)),
            Self::Nth(n, weekday, month) => {
                NaiveDate::from_weekday_of_month_opt(year, month, weekday, u8::try_from(n).ok()?)
            }
        }
    }

    const fn substitute(self) -> Option<Substitute> {
        match self {
            Self::Yearly(_, _, substitute) => substitute,
            Self::Date(_) | Self::Easter(_) | Self::Nth(..) => None,
        }
    }
}

/// A rule and the years, first to last, in which it holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Dated(Holiday, i32, i32);

impl Dated {
    /// In every year.
    pub(crate) const fn always(rule: Holiday) -> Self {
        Self(rule, i32::MIN, i32::MAX)
    }

    /// From this year on.
    pub(crate) const fn since(year: i32, rule: Holiday) -> Self {
        Self(rule, year, i32::MAX)
    }

    /// Up to and with this year.
    pub(crate) const fn until(year: i32, rule: Holiday) -> Self {
        Self(rule, i32::MIN, year)
    }

    /// In one year only.
    pub(crate) const fn once(year: i32, rule: Holiday) -> Self {
        Self(rule, year, year)
    }

    fn in_year(self, year: i32) -> Option<NaiveDate> {
        let Self(rule, first, last) = self;
        (first..=last).contains(&year).then(|| rule.in_year(year))?
    }
}

/// All dates that the rules make. A day that is moved stays a holiday itself, and one that two rules
/// name moves once.
pub(crate) fn dates(rules: &[Dated]) -> BTreeSet<NaiveDate> {
    let mut moves: BTreeMap<NaiveDate, Option<Substitute>> = BTreeMap::new();
    for (year, rule) in YEARS.flat_map(|year| rules.iter().map(move |rule| (year, rule))) {
        if let Some(date) = rule.in_year(year) {
            let to = moves.entry(date).or_default();
            *to = to.or(rule.0.substitute());
        }
    }
    let mut dates: BTreeSet<NaiveDate> = moves.keys().copied().collect();
    for (date, to) in moves {
        dates.extend(to.and_then(|to| substitute(date, to, &dates)));
    }
    dates
}

fn substitute(date: NaiveDate, to: Substitute, taken: &BTreeSet<NaiveDate>) -> Option<NaiveDate> {
    if !is_weekend(date) {
        return None;
    }
    match to {
        Substitute::Next => date
            .iter_days()
            .take(31)
            .find(|day| !is_weekend(*day) && !taken.contains(day)),
        Substitute::Nearest if date.weekday() == Weekday::Sat => date.pred_opt(),
        Substitute::Nearest => date.succ_opt(),
    }
}

fn is_weekend(date: NaiveDate) -> bool {
    matches!(date.weekday(), Weekday::Sat | Weekday::Sun)
}

/// Easter Sunday of a year of the Gregorian calendar, by the method of Meeus, Jones and Butcher; the
/// letters are theirs.
fn easter(year: i32) -> Option<NaiveDate> {
    let (a, b, c) = (year % 19, year / 100, year % 100);
    let (d, e, i, k) = (b / 4, b % 4, c / 4, c % 4);
    let g = (b - (b + 8) / 25 + 1) / 3;
    let h = (19 * a + b - d - g + 15) % 30;
    let l = (32 + 2 * e + 2 * i - h - k) % 7;
    let m = (a + 11 * h + 22 * l) / 451;
    let days = h + l - 7 * m + 114;
    let (month, day) = (days / 31, days % 31 + 1);
    NaiveDate::from_ymd_opt(year, u32::try_from(month).ok()?, u32::try_from(day).ok()?)
}

/// A date of a file, at its place (from 1) in a list.
pub(crate) fn date(list: &str, index: usize, text: &str) -> Result<NaiveDate, CalendarError> {
    let parts: Vec<&str> = text.split('-').collect();
    let digits = |part: &str, n| part.len() == n && part.bytes().all(|b| b.is_ascii_digit());
    let read = match parts.as_slice() {
        [year, month, day] if digits(year, 4) && digits(month, 2) && digits(day, 2) => {
            let number = |part: &str| part.parse::<u32>().ok();
            number(month)
                .zip(number(day))
                .and_then(|(m, d)| NaiveDate::from_ymd_opt(year.parse().ok()?, m, d))
        }
        _ => None,
    };
    read.ok_or_else(|| date_error(list, index, text, "`2026-12-24`"))
}

fn date_error(list: &str, index: usize, text: &str, example: &'static str) -> CalendarError {
    CalendarError::Date {
        place: format!("{list} {index}"),
        text: shown(text),
        example,
    }
}
