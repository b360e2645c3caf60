//! Business hours by weekday, read from keys such as `mon` or `mon-fri`.

use std::collections::BTreeMap;

use chrono::Weekday;

use crate::CalendarError;
use crate::error::shown;

/// Hours of one day: from and to, in minutes after midnight.
pub(crate) type Hours = (u32, u32);

/// Business hours by weekday.
// INVARIANT: at least one day has hours; those of a day are sorted, do not touch, and are not empty.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Week([Vec<Hours>; 7]);

const DAYS: [(&str, Weekday); 7] = [
    ("mon", Weekday::Mon),
    ("tue", Weekday::Tue),
    ("wed", Weekday::Wed),
    ("thu", Weekday::Thu),
    ("fri", Weekday::Fri),
    ("sat", Weekday::Sat),
    ("sun", Weekday::Sun),
];

pub(crate) fn day(text: &str) -> Option<Weekday> {
    DAYS.iter()
        .find(|(name, _)| *name == text)
        .map(|(_, day)| *day)
}

fn name(day: Weekday) -> String {
    DAYS.iter()
        .filter(|(_, known)| *known == day)
        .map(|(name, _)| (*name).to_owned())
        .collect()
}

fn index(day: Weekday) -> usize {
    day.num_days_from_monday() as usize
}

impl Week {
    /// The hours of a day, none where nobody works.
    pub(crate) fn hours(&self, day: Weekday) -> &[Hours] {
        self.0
            .get(index(day))
            .map(Vec::as_slice)
            .unwrap_or_default()
    }

    pub(crate) fn days(&self) -> &[Vec<Hours>; 7] {
        &self.0
    }

    /// Monday to Friday from nine to five.
    pub(crate) fn usual() -> Self {
        let day = || vec![(9 * 60, 17 * 60)];
        Self([day(), day(), day(), day(), day(), Vec::new(), Vec::new()])
    }

    pub(crate) fn read(wire: &BTreeMap<String, Vec<String>>) -> Result<Self, Vec<CalendarError>> {
        let (mut week, mut errors): ([Option<Vec<Hours>>; 7], _) = (Default::default(), Vec::new());
        for (key, texts) in wire {
            let Some(days) = days(key) else {
                errors.push(CalendarError::Day { text: shown(key) });
                continue;
            };
            let mut all = Vec::new();
            for text in texts {
                match hours(text) {
                    Some(hours) => all.push(hours),
                    None => errors.push(CalendarError::Hours { text: shown(text) }),
                }
            }
            let Some(merged) = merged(all) else {
                errors.push(CalendarError::Overlap { day: shown(key) });
                continue;
            };
            for day in days {
                match week.get_mut(index(day)) {
                    Some(slot @ None) => *slot = Some(merged.clone()),
                    Some(Some(_)) | None => errors.push(CalendarError::DayTwice { day: name(day) }),
                }
            }
        }
        let week = Self(week.map(Option::unwrap_or_default));
        if errors.is_empty() && week.0.iter().all(Vec::is_empty) {
            errors.push(CalendarError::EmptyWeek);
        }
        if errors.is_empty() {
            Ok(week)
        } else {
            Err(errors)
        }
    }
}

/// The days of a key; a run may pass the end of the week (`fri-mon`).
fn days(key: &str) -> Option<Vec<Weekday>> {
    let Some((from, to)) = key.split_once('-') else {
        return day(key).map(|day| vec![day]);
    };
    let (from, to) = (day(from)?, day(to)?);
    let mut run = vec![from];
    let mut next = from;
    while next != to {
        next = next.succ();
        run.push(next);
    }
    Some(run)
}

fn hours(text: &str) -> Option<Hours> {
    let (from, to) = text.split_once('-')?;
    let (from, to) = (minute(from.trim())?, minute(to.trim())?);
    (from < to).then_some((from, to))
}

/// `09:30` as minutes after midnight; `24:00` is the last.
fn minute(text: &str) -> Option<u32> {
    let (hour, minute) = text.split_once(':')?;
    let two_digits = |text: &str| text.len() == 2 && text.bytes().all(|b| b.is_ascii_digit());
    if !two_digits(hour) || !two_digits(minute) {
        return None;
    }
    let (hour, minute) = (hour.parse::<u32>().ok()?, minute.parse::<u32>().ok()?);
    (minute < 60 && hour * 60 + minute <= 24 * 60).then_some(hour * 60 + minute)
}

/// Sorted, with hours that touch made one; `None` where some overlap.
fn merged(mut all: Vec<Hours>) -> Option<Vec<Hours>> {
    all.sort_unstable();
    let mut merged: Vec<Hours> = Vec::new();
    for (from, to) in all {
        match merged.last_mut() {
            Some((_, end)) if from < *end => return None,
            Some((_, end)) if from == *end => *end = to,
            Some(_) | None => merged.push((from, to)),
        }
    }
    Some(merged)
}
