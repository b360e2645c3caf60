//! Holidays from a file: iCalendar, or a plain list with a date a line.
//!
//! Only text is read here; opening the file is the caller's. What is not understood is an error: a
//! holiday that is passed over would make something due on it.

use chrono::Datelike;

use crate::error::shown;
use crate::holiday::{YEARS, date};
use crate::ics;
use crate::wire::HolidayWire;

/// The most bytes of a file of holidays.
const MAX_BYTES: usize = 4 * 1024 * 1024;
/// The most dates that one file makes.
pub(crate) const MAX_DATES: usize = 20_000;

/// A file of holidays that cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum HolidayFileError {
    /// A line that is none.
    #[error("line {line}: {problem}")]
    Line {
        /// Which, from 1.
        line: usize,
        /// What is wrong and what would be right.
        problem: String,
    },
    /// The whole of it.
    #[error("{problem}")]
    File {
        /// What is wrong and what would be right.
        problem: &'static str,
    },
}

impl HolidayFileError {
    pub(crate) fn at(line: usize, problem: impl Into<String>) -> Self {
        let problem = problem.into();
        Self::Line { line, problem }
    }
}

/// The holidays of a file, as single dates in their order, none twice. A text that begins with
/// `BEGIN:VCALENDAR` is iCalendar; any other has a date (`2026-12-24`) a line, with words after it
/// and lines that begin with `#` left to people.
///
/// # Errors
/// Every line that cannot be used, up to 20 of them; a file that is too large, or that names no day.
pub fn holidays_in(text: &str) -> Result<Vec<HolidayWire>, Vec<HolidayFileError>> {
    let whole = |problem| Err(vec![HolidayFileError::File { problem }]);
    if text.len() > MAX_BYTES {
        return whole("a file of holidays has at most 4 MiB");
    }
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mut dates = if ics::is_calendar(text) {
        ics::dates(text)?
    } else {
        list(text)?
    };
    if dates.is_empty() {
        return whole("it names no holiday at all");
    }
    if dates.len() > MAX_DATES {
        return whole("it makes more than 20000 dates");
    }
    dates.sort_unstable();
    dates.dedup();
    let wires = dates
        .into_iter()
        .map(|date| HolidayWire::Date(date.to_string()));
    Ok(wires.collect())
}

fn list(text: &str) -> Result<Vec<chrono::NaiveDate>, Vec<HolidayFileError>> {
    let (mut dates, mut errors) = (Vec::new(), Vec::new());
    for (at, line) in text.lines().enumerate() {
        let Some(word) = line
            .split([' ', '\t', ',', ';'])
            .find(|word| !word.is_empty())
        else {
            continue;
        };
        if word.starts_with('#') {
            continue;
        }
        match date("line", at + 1, word) {
            Ok(date) if YEARS.contains(&date.year()) => dates.push(date),
            Ok(_) => errors.push(HolidayFileError::at(
                at + 1,
                "the year must be 1970 to 2199",
            )),
            Err(_) => errors.push(HolidayFileError::at(
                at + 1,
                format!("`{}` is no date such as `2026-12-24`", shown(word)),
            )),
        }
        if errors.len() == 20 {
            break;
        }
    }
    if errors.is_empty() {
        Ok(dates)
    } else {
        Err(errors)
    }
}
