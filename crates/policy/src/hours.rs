//! Windows of time: from one clock time to another, on some days, in one zone.
//!
//! A window belongs to the day on which it begins. When clocks change, an allow holds exactly while
//! the wall clock shows a time inside; an ask or deny holds for the longer reading, so that what
//! forbids never shrinks.

use std::fmt;

use chrono::{
    DateTime, Datelike, Days, LocalResult, NaiveDate, NaiveDateTime, NaiveTime, TimeDelta,
    TimeZone, Timelike, Utc, Weekday,
};
use chrono_tz::Tz;
use tipstaff_schema::Effect;

/// Minutes in a day.
pub(crate) const DAY: u16 = 1440;

/// How a window is read when clocks change.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum HourReading {
    /// While the wall clock shows a time inside: a skipped hour never holds, a repeated one twice.
    WallClock,
    /// From the earliest reading of its beginning to its latest end, and never for less than its written length.
    Longer,
}

impl HourReading {
    /// The reading for rules of this effect.
    #[must_use]
    pub const fn of(effect: Effect) -> Self {
        match effect {
            Effect::Allow => Self::WallClock,
            Effect::Ask | Effect::Deny => Self::Longer,
        }
    }
}

/// A checked window.
// INVARIANT: `from < DAY`, `to <= DAY`, `from != to`, at least one day.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hours {
    pub(crate) from: u16,
    pub(crate) to: u16,
    /// Monday first.
    pub(crate) days: [bool; 7],
    pub(crate) zone: Tz,
}

impl Hours {
    /// The zone of its clock times.
    #[must_use]
    pub fn zone(&self) -> Tz {
        self.zone
    }

    /// Whether the window holds at this moment.
    #[must_use]
    pub fn hold(&self, at: DateTime<Utc>, reading: HourReading) -> bool {
        let local = at.with_timezone(&self.zone).naive_local();
        self.shown_inside(local)
            || (reading == HourReading::Longer && self.longer(at, local.date()))
    }

    /// Whether a wall clock that shows this time shows one inside.
    fn shown_inside(&self, local: NaiveDateTime) -> bool {
        let minute = minute_of(local.time());
        let today = self.on(local.date());
        let yesterday = || local.date().pred_opt().is_some_and(|day| self.on(day));
        if self.from < self.to {
            today && self.from <= minute && minute < self.to
        } else {
            (today && self.from <= minute) || (minute < self.to && yesterday())
        }
    }

    fn on(&self, day: NaiveDate) -> bool {
        let index = usize::try_from(day.weekday().num_days_from_monday()).unwrap_or_default();
        self.days.get(index).copied().unwrap_or(false)
    }

    /// Written length in minutes.
    fn length(&self) -> u16 {
        if self.from < self.to {
            self.to - self.from
        } else {
            DAY - self.from + self.to
        }
    }

    /// Whether a window that began on this day or one of the two before still holds in the longer reading.
    fn longer(&self, at: DateTime<Utc>, today: NaiveDate) -> bool {
        (0..3)
            .filter_map(|back| today.checked_sub_days(Days::new(back)))
            .filter(|day| self.on(*day))
            .any(|day| {
                let Some((start, end)) = self.bounds(day) else {
                    return false;
                };
                start <= at && at < end
            })
    }

    /// The longer reading of the window that begins on this day.
    pub(crate) fn bounds(&self, day: NaiveDate) -> Option<(DateTime<Utc>, DateTime<Utc>)> {
        let begins = clock(day, self.from)?;
        let length = TimeDelta::minutes(i64::from(self.length()));
        let start = earliest(self.zone, begins)?;
        let end = latest(self.zone, begins.checked_add_signed(length)?)?;
        Some((start, end.max(start.checked_add_signed(length)?)))
    }
}

fn minute_of(time: NaiveTime) -> u16 {
    u16::try_from(time.hour() * 60 + time.minute()).unwrap_or(0)
}

fn clock(day: NaiveDate, minute: u16) -> Option<NaiveDateTime> {
    day.and_hms_opt(0, 0, 0)?
        .checked_add_signed(TimeDelta::minutes(i64::from(minute)))
}

/// The first moment at which the clock shows this time or, where it skips it, a later one.
fn earliest(zone: Tz, local: NaiveDateTime) -> Option<DateTime<Utc>> {
    match zone.from_local_datetime(&local) {
        LocalResult::Single(at) | LocalResult::Ambiguous(at, _) => Some(at.with_timezone(&Utc)),
        LocalResult::None => {
            // The clock jumps over `local`: search for the jump in the day and an hour before.
            let (mut before, mut after) = (
                skipped(zone, local)? - TimeDelta::hours(25),
                skipped(zone, local)?,
            );
            while after - before > TimeDelta::minutes(1) {
                let middle = before + (after - before) / 2;
                let reached = middle.with_timezone(&zone).naive_local() >= local;
                if reached {
                    after = middle;
                } else {
                    before = middle;
                }
            }
            // Clocks jump on whole minutes.
            Some(
                after
                    - TimeDelta::seconds(i64::from(after.second()))
                    - TimeDelta::nanoseconds(i64::from(after.nanosecond())),
            )
        }
    }
}

/// The last moment at which the clock shows this time; where it skips it, as if it had not jumped yet.
fn latest(zone: Tz, local: NaiveDateTime) -> Option<DateTime<Utc>> {
    match zone.from_local_datetime(&local) {
        LocalResult::Single(at) | LocalResult::Ambiguous(_, at) => Some(at.with_timezone(&Utc)),
        LocalResult::None => skipped(zone, local),
    }
}

/// A skipped clock time, read with the offset before the jump.
fn skipped(zone: Tz, local: NaiveDateTime) -> Option<DateTime<Utc>> {
    let day_before = local.checked_sub_days(Days::new(2))?;
    let offset = match zone.from_local_datetime(&day_before) {
        LocalResult::Single(at) | LocalResult::Ambiguous(at, _) => at.naive_utc() - day_before,
        LocalResult::None => return None,
    };
    Some(Utc.from_utc_datetime(&local.checked_add_signed(offset)?))
}

/// The window in words: `08:00 to 18:00 mon-fri Europe/Berlin`.
impl fmt::Display for Hours {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} to {}", written(self.from), written(self.to))?;
        if self.days != [true; 7] {
            write!(f, " {}", self.day_names().join(","))?;
        }
        write!(f, " {}", self.zone)
    }
}

impl Hours {
    /// The names of its days, Monday first.
    pub(crate) fn day_names(&self) -> Vec<&'static str> {
        NAMES
            .iter()
            .zip(self.days)
            .filter(|(_, on)| *on)
            .map(|(name, _)| *name)
            .collect()
    }
}

pub(crate) fn written(minute: u16) -> String {
    format!("{:02}:{:02}", minute / 60, minute % 60)
}

const NAMES: [&str; 7] = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"];

/// The day that a name means: `mon`, `Monday`.
pub(crate) fn day(name: &str) -> Option<usize> {
    name.parse::<Weekday>()
        .ok()
        .and_then(|day| usize::try_from(day.num_days_from_monday()).ok())
}

/// A clock time as a minute of the day: `8`, `"08:00"`, and `24` or `"24:00"` for the day's end.
pub(crate) fn minute(text: &str) -> Option<u16> {
    let (hour, minute) = text.split_once(':')?;
    let digits = |part: &str| {
        (part.len() <= 2 && !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit()))
            .then(|| part.parse().ok())
    };
    let (hour, minute): (u16, u16) = (
        digits(hour)??,
        if minute.len() == 2 {
            digits(minute)??
        } else {
            return None;
        },
    );
    (minute < 60 && hour * 60 + minute <= DAY).then_some(hour * 60 + minute)
}

/// An IANA zone by its name. Bare offsets and abbreviations such as `CET` are refused: they do not
/// follow the clocks of any place.
pub(crate) fn zone(name: &str) -> Result<Tz, String> {
    let placed = name.contains('/') && (!name.starts_with("Etc/") || name == "Etc/UTC");
    match name.parse::<Tz>() {
        Ok(zone) if placed || name == "UTC" => return Ok(zone),
        Ok(_) | Err(_) => {}
    }
    let near = chrono_tz::TZ_VARIANTS
        .iter()
        .map(|zone| zone.name())
        .find(|known| known.eq_ignore_ascii_case(name) && known.contains('/'));
    Err(match near {
        Some(near) => format!("did you mean `{near}`?"),
        None => "write an IANA name such as `Europe/Berlin`, or `UTC`".to_owned(),
    })
}
