//! The calendar of a business: its zone, its hours, its holidays, and what falls due when.
//!
//! Pure: the same instant and deadline give the same due date. All searches are bounded, so that a
//! calendar that is closed for good gives an error and never a loop.

use std::collections::BTreeSet;

use chrono::{DateTime, Datelike, NaiveDate, TimeDelta, Utc};
use chrono_tz::Tz;
use serde_json::json;
use tipstaff_schema::{Digest, Domain};

use crate::clock::{at_minute, first, last, wall};
use crate::error::shown;
use crate::holiday::{Dated, Holiday, YEARS, date, dates};
use crate::week::Week;
use crate::wire::CalendarWire;
use crate::{Calendar, CalendarError, DeadlineError, DeadlineSpec, country};

/// After so many days without a working one the search ends.
const LONGEST_CLOSURE: i64 = 366;

/// The kinds of deadline, and the largest `n` of each (about a year, two of working time).
const KINDS: [(&str, Unit, u64); 6] = [
    ("minutes", Unit::Minutes, 527_040),
    ("hours", Unit::Hours, 8_784),
    ("days", Unit::Days, 366),
    ("working-days", Unit::WorkingDays, 520),
    ("working-hours", Unit::WorkingHours, 4_160),
    ("end-of-day", Unit::EndOfDay, 0),
];

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Unit {
    Minutes,
    Hours,
    Days,
    WorkingDays,
    WorkingHours,
    EndOfDay,
}

/// The calendar of a business.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BusinessCalendar {
    zone: Tz,
    week: Week,
    holidays: BTreeSet<NaiveDate>,
    closures: Vec<(NaiveDate, NaiveDate)>,
    digest: Digest,
}

impl BusinessCalendar {
    /// Checks a calendar; `timezone` is the file's own, for one that names none.
    ///
    /// # Errors
    /// Every fault that was found, each with its place.
    pub fn try_from_wire(wire: &CalendarWire, timezone: &str) -> Result<Self, Vec<CalendarError>> {
        let mut errors = Vec::new();
        let text = wire.timezone.as_deref().unwrap_or(timezone);
        let zone = text
            .parse::<Tz>()
            .map_err(|_| CalendarError::Timezone { text: shown(text) });
        let zone = zone.map_err(|e| errors.push(e)).unwrap_or(Tz::UTC);
        let week = wire
            .working_week
            .as_ref()
            .map_or_else(|| Ok(Week::usual()), Week::read);
        let week = week
            .map_err(|e| errors.extend(e))
            .unwrap_or_else(|()| Week::usual());
        let mut rules = Vec::new();
        if let Some(code) = &wire.country {
            match country::holidays(code) {
                Some(built_in) => rules.extend_from_slice(built_in),
                None => errors.push(CalendarError::Country {
                    text: shown(code),
                    known: country::KNOWN.to_owned(),
                }),
            }
        }
        for (i, holiday) in wire.holidays.iter().enumerate() {
            match Holiday::read(i + 1, holiday) {
                Ok(rule) => rules.push(Dated::always(rule)),
                Err(error) => errors.push(error),
            }
        }
        // Left unread, they would be holidays on which people are taken to work.
        errors.extend(wire.holidays_from.iter().map(|file| {
            let file = shown(file);
            CalendarError::NotRead { file }
        }));
        let closures = closures(wire)
            .map_err(|e| errors.extend(e))
            .unwrap_or_default();
        if !errors.is_empty() {
            return Err(errors);
        }
        Ok(Self::new(zone, week, dates(&rules), closures))
    }

    /// Monday to Friday from nine to five, in UTC, without holidays: for those who have none of their own.
    #[must_use]
    pub fn usual() -> Self {
        Self::new(Tz::UTC, Week::usual(), BTreeSet::new(), Vec::new())
    }

    fn new(
        zone: Tz,
        week: Week,
        holidays: BTreeSet<NaiveDate>,
        closures: Vec<(NaiveDate, NaiveDate)>,
    ) -> Self {
        // A list, not an object, so that no feature of another crate can change its order.
        let facts = json!([
            zone.name(),
            chrono_tz::IANA_TZDB_VERSION,
            week.days(),
            holidays,
            closures
        ]);
        let digest = Digest::of_canonical(Domain::Calendar, facts.to_string().as_bytes());
        Self {
            zone,
            week,
            holidays,
            closures,
            digest,
        }
    }

    /// An instant as clocks of the business show it: `Mon 2026-12-28 17:00 Europe/Berlin`.
    #[must_use]
    pub fn on_the_wall(&self, at: DateTime<Utc>) -> String {
        let local = at.with_timezone(&self.zone);
        format!("{} {}", local.format("%a %Y-%m-%d %H:%M"), self.zone.name())
    }

    /// Whether business is open at an instant; not any more at the moment of closing.
    #[must_use]
    pub fn is_open(&self, at: DateTime<Utc>) -> bool {
        let hours = self.hours(at.with_timezone(&self.zone).date_naive());
        hours
            .iter()
            .any(|(open, close)| (*open..*close).contains(&at))
    }

    #[cfg(test)]
    pub(crate) fn is_holiday(&self, date: NaiveDate) -> bool {
        self.holidays.contains(&date)
    }

    /// The business hours of a date as instants, oldest first; none when it is no working day.
    fn hours(&self, date: NaiveDate) -> Vec<(DateTime<Utc>, DateTime<Utc>)> {
        let closed = |(from, to): &(NaiveDate, NaiveDate)| (*from..=*to).contains(&date);
        if self.holidays.contains(&date) || self.closures.iter().any(closed) {
            return Vec::new();
        }
        let instants = self
            .week
            .hours(date.weekday())
            .iter()
            .filter_map(|(from, to)| {
                let open = first(self.zone, at_minute(date, *from)?)?;
                let close = last(self.zone, at_minute(date, *to)?)?;
                (open < close).then_some((open, close)) // Empty where the clock jumps over all of it.
            });
        instants.collect()
    }

    /// Every working day from a date on, until the search ends.
    fn working_days(
        &self,
        from: NaiveDate,
    ) -> impl Iterator<Item = Vec<(DateTime<Utc>, DateTime<Utc>)>> {
        let mut closed = 0;
        let days = from
            .iter_days()
            .take_while(|date| YEARS.contains(&date.year()));
        let hours = days.map(|date| self.hours(date)).take_while(move |hours| {
            closed = if hours.is_empty() { closed + 1 } else { 0 };
            closed <= LONGEST_CLOSURE
        });
        hours.filter(|hours| !hours.is_empty())
    }

    fn due(&self, from: DateTime<Utc>, unit: Unit, n: u64) -> Option<DateTime<Utc>> {
        let n_signed = i64::try_from(n).ok()?;
        let today = from.with_timezone(&self.zone).date_naive();
        match unit {
            Unit::Minutes => from.checked_add_signed(TimeDelta::try_minutes(n_signed)?),
            Unit::Hours => from.checked_add_signed(TimeDelta::try_hours(n_signed)?),
            Unit::Days => first(
                self.zone,
                wall(self.zone, from).checked_add_signed(TimeDelta::try_days(n_signed)?)?,
            ),
            Unit::WorkingDays => {
                let nth = usize::try_from(n).ok()?.checked_sub(1)?;
                self.working_days(today.succ_opt()?)
                    .nth(nth)?
                    .last()
                    .map(|(_, close)| *close)
            }
            Unit::WorkingHours => {
                let mut left = TimeDelta::try_hours(n_signed)?;
                self.working_days(today)
                    .flatten()
                    .find_map(|(open, close)| {
                        let start = open.max(from);
                        let here = close.signed_duration_since(start).max(TimeDelta::zero());
                        if left <= here && here > TimeDelta::zero() {
                            return start.checked_add_signed(left);
                        }
                        left -= here;
                        None
                    })
            }
            Unit::EndOfDay => {
                let closes = self
                    .working_days(today)
                    .filter_map(|hours| hours.last().map(|(_, close)| *close));
                closes.into_iter().find(|close| from < *close)
            }
        }
    }
}

impl Calendar for BusinessCalendar {
    fn resolve(
        &self,
        from: DateTime<Utc>,
        spec: &DeadlineSpec,
    ) -> Result<DateTime<Utc>, DeadlineError> {
        let (unit, n) = read(spec)?;
        let out = |why| DeadlineError::OutOfRange {
            kind: spec.kind.clone(),
            why,
        };
        if !YEARS.contains(&from.year()) {
            return Err(out("it would open outside the years 1970 to 2199"));
        }
        let due = self.due(from, unit, n).ok_or(out(
            "no working day within 366 days, or beyond the year 2199",
        ))?;
        if YEARS.contains(&due.year()) {
            Ok(due)
        } else {
            Err(out("it would be due beyond the year 2199"))
        }
    }

    fn check(&self, spec: &DeadlineSpec) -> Result<(), DeadlineError> {
        read(spec).map(|_| ())
    }

    fn digest(&self) -> Digest {
        self.digest
    }
}

fn read(spec: &DeadlineSpec) -> Result<(Unit, u64), DeadlineError> {
    let known = || KINDS.map(|(name, _, _)| format!("`{name}`")).join(", ");
    let found = KINDS.iter().find(|(name, _, _)| *name == spec.kind);
    let (_, unit, most) = found.ok_or_else(|| DeadlineError::UnknownKind {
        kind: shown(&spec.kind),
        known: known(),
    })?;
    let bad = |problem: String| DeadlineError::BadParams {
        kind: spec.kind.clone(),
        problem,
    };
    let wants_n = *unit != Unit::EndOfDay;
    if let Some(key) = spec.params.keys().find(|key| !(wants_n && *key == "n")) {
        let wanted = if wants_n { "only `n`" } else { "no parameters" };
        return Err(bad(format!("takes {wanted}, not `{}`", shown(key))));
    }
    if !wants_n {
        return Ok((*unit, 0));
    }
    match spec.params.get("n").and_then(serde_json::Value::as_u64) {
        Some(n) if (1..=*most).contains(&n) => Ok((*unit, n)),
        Some(_) | None => {
            let given = spec.params.get("n").map_or_else(
                || "nothing".to_owned(),
                |n| format!("`{}`", shown(&n.to_string())),
            );
            Err(bad(format!(
                "needs `n`, a whole number from 1 to {most}, not {given}"
            )))
        }
    }
}

fn closures(wire: &CalendarWire) -> Result<Vec<(NaiveDate, NaiveDate)>, Vec<CalendarError>> {
    let (mut closures, mut errors) = (Vec::new(), Vec::new());
    for (i, closure) in wire.closures.iter().enumerate() {
        let index = i + 1;
        match (
            date("closures", index, &closure.from),
            date("closures", index, &closure.to),
        ) {
            (Ok(from), Ok(to)) if from <= to => closures.push((from, to)),
            (Ok(_), Ok(_)) => errors.push(CalendarError::Closure { index }),
            (from, to) => errors.extend([from.err(), to.err()].into_iter().flatten()),
        }
    }
    if errors.is_empty() {
        Ok(closures)
    } else {
        Err(errors)
    }
}
