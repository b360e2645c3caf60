//! The window of a rule.

use std::collections::BTreeSet;

use super::{Bad, RuleContext};
use crate::error::escape;
use crate::hours::{DAY, Hours, day, minute, written, zone};
use crate::wire::{ClockWire, HoursWire};

pub(super) fn read_hours(
    wire: &HoursWire,
    context: &RuleContext<'_>,
    bad: &mut Bad<'_>,
) -> Option<Hours> {
    let before = bad.errors.len();
    let bound = |wire: Option<&ClockWire>, field: &str, most: u16, bad: &mut Bad<'_>| match wire {
        None => {
            let unread = bad
                .errors
                .iter()
                .any(|e| e.field.as_deref().is_some_and(|f| f.ends_with(field)));
            if !unread {
                bad.add(
                    Some(&format!("hours.{field}")),
                    format!("the window has no `{field}`"),
                    "write both `from` and `to`",
                );
            }
            0
        }
        Some(wire) => read_clock(wire, field, most, bad),
    };
    let from = bound(wire.from.as_ref(), "from", DAY - 1, bad);
    let to = bound(wire.to.as_ref(), "to", DAY, bad);
    if bad.errors.len() == before && from == to {
        let fix = "for the whole day write `from: 0, to: 24`, or leave `hours` out";
        bad.add(
            Some("hours"),
            format!(
                "the window is empty: from {} to {}, so the rule would never fire",
                written(from),
                written(to)
            ),
            fix,
        );
    }
    let zone = match wire.tz.as_deref().map(zone) {
        None => context.timezone,
        Some(Ok(zone)) => zone,
        Some(Err(fix)) => {
            let name = escape(wire.tz.as_deref().unwrap_or_default());
            bad.add(
                Some("hours.tz"),
                format!("`{name}` is no zone that follows a place's clocks"),
                &fix,
            );
            context.timezone
        }
    };
    let days = wire
        .days
        .as_ref()
        .map_or([true; 7], |names| read_days(names, bad));
    (bad.errors.len() == before).then_some(Hours {
        from,
        to,
        days,
        zone,
    })
}

pub(super) fn read_clock(wire: &ClockWire, field: &str, most: u16, bad: &mut Bad<'_>) -> u16 {
    let read = match wire {
        ClockWire::Hour(hour) => u16::try_from(*hour)
            .ok()
            .and_then(|hour| hour.checked_mul(60)),
        ClockWire::Text(text) => minute(text),
    };
    if let Some(minute) = read.filter(|minute| *minute <= most) {
        return minute;
    }
    let shown = match wire {
        ClockWire::Hour(hour) => hour.to_string(),
        ClockWire::Text(text) => escape(text),
    };
    let end = if field == "to" { "24" } else { "23" };
    let fix = format!("write a whole hour from 0 to {end}, or `\"HH:MM\"`");
    bad.add(
        Some(&format!("hours.{field}")),
        format!("`{shown}` is no clock time for `{field}`"),
        &fix,
    );
    0
}

pub(super) fn read_days(names: &[String], bad: &mut Bad<'_>) -> [bool; 7] {
    let mut set = BTreeSet::new();
    for name in names {
        let (first, last) = name.split_once('-').unwrap_or((name, name));
        match (day(first.trim()), day(last.trim())) {
            (Some(first), Some(last)) => {
                set.extend((0..7).filter(|d| (d + 7 - first) % 7 <= (last + 7 - first) % 7));
            }
            _ => bad.add(
                Some("hours.days"),
                format!("`{}` is no day", escape(name)),
                "write names or ranges, such as `[mon-fri, sun]`",
            ),
        }
    }
    if names.is_empty() {
        bad.add(
            Some("hours.days"),
            "the list of days is empty, so the rule would never fire",
            "leave `days` out for every day",
        );
    }
    std::array::from_fn(|day| set.contains(&day))
}
