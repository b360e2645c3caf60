//! Conditions, approval terms and times of a rule.

use std::time::Duration;

use chrono::{DateTime, Utc};
use tipstaff_condition::Conditions;
use tipstaff_condition::wire::ConditionWire;
use tipstaff_schema::Role;

use super::Bad;
use crate::error::escape;
use crate::terms::Terms;
use crate::wire::TermsWire;

pub(super) fn read_when(wires: Vec<ConditionWire>, bad: &mut Bad<'_>) -> Conditions {
    match Conditions::from_wire(wires) {
        Ok(conditions) => conditions,
        Err(errors) => {
            for (index, error) in errors {
                let field =
                    index.map_or_else(|| "when".to_owned(), |index| format!("when.{index}"));
                bad.add(
                    Some(&field),
                    error.to_string(),
                    "correct the condition, or remove it",
                );
            }
            Conditions::default()
        }
    }
}

pub(super) fn read_terms(wire: &TermsWire, bad: &mut Bad<'_>) -> Terms {
    let mut time = |text: Option<&String>, field: &str| {
        let duration = text.and_then(|text| duration(text));
        if let (Some(text), None) = (text, duration) {
            let problem = format!("`{}` is no duration", escape(text));
            bad.add(
                Some(field),
                problem,
                "write a whole number with `s`, `m`, `h` or `d`, such as `10m`",
            );
        }
        duration
    };
    let (expire, use_within) = (
        time(wire.expire.as_ref(), "approval.expire"),
        time(wire.use_within.as_ref(), "approval.use_within"),
    );
    let mut audience = Vec::new();
    for role in &wire.audience {
        match Role::new(role.as_str()) {
            Ok(role) => audience.push(role),
            Err(error) => bad.add(
                Some("approval.audience"),
                error.to_string(),
                "write roles, such as `[approver]`",
            ),
        }
    }
    let quorum = wire
        .quorum
        .and_then(|quorum| u32::try_from(quorum).ok())
        .filter(|quorum| (1..=100).contains(quorum));
    if let (Some(written), None) = (wire.quorum, quorum) {
        bad.add(
            Some("approval.quorum"),
            format!("`{written}` people cannot be a quorum"),
            "write a whole number from 1 to 100",
        );
    }
    Terms {
        expire,
        use_within,
        audience,
        quorum,
        four_eyes: wire.four_eyes,
    }
}

/// A positive whole number of seconds, minutes, hours or days, at most a year.
fn duration(text: &str) -> Option<Duration> {
    let digits = text.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let factor = match text.strip_prefix(digits)? {
        "s" => 1,
        "m" => 60,
        "h" => 3600,
        "d" => 86_400,
        _ => return None,
    };
    let seconds = digits
        .parse::<u64>()
        .ok()
        .filter(|_| digits.bytes().all(|b| b.is_ascii_digit()))?
        .checked_mul(factor)?;
    (1..=366 * 86_400)
        .contains(&seconds)
        .then(|| Duration::from_secs(seconds))
}

pub(super) fn read_time(text: &str, field: &str, bad: &mut Bad<'_>) -> Option<DateTime<Utc>> {
    match DateTime::parse_from_rfc3339(text) {
        Ok(at) => Some(at.with_timezone(&Utc)),
        Err(_) => {
            let problem = format!("`{}` is no RFC 3339 time with its offset", escape(text));
            bad.add(
                Some(field),
                problem,
                "write a time such as `2026-12-01T09:00:00+01:00`",
            );
            None
        }
    }
}
