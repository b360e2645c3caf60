//! JSON numbers: written as ECMAScript does, read only when they are held as they stand.
//!
//! Whether a number can be held is decided on its text: once it is an `f64`, 9007199254740993.0
//! and 9007199254740992 are the same. A whole number becomes an integer whatever its spelling
//! (`1.0`, `1e2`, `-0`), so that text, value and canonical text say the same.

use std::fmt::Write;

use serde_json::Number;

use crate::CanonError;

/// Writes a number: integers with all digits, floats as ECMAScript's `Number::toString`.
pub(crate) fn write(out: &mut String, number: &Number) -> Result<(), CanonError> {
    let done = if let Some(number) = number.as_u64() {
        out.write_str(itoa::Buffer::new().format(number))
    } else if let Some(number) = number.as_i64() {
        out.write_str(itoa::Buffer::new().format(number))
    } else {
        // A linked crate may make `serde_json` hold integers of any size: those are no floats.
        match number.as_f64().filter(|_| number.is_f64()) {
            Some(float) if float.is_finite() => write_float(out, float),
            Some(_) | None => Err(std::fmt::Error),
        }
    };
    done.map_err(|_| CanonError::Number {
        text: crate::names::shown(&number.to_string()),
    })
}

fn write_float(out: &mut String, float: f64) -> std::fmt::Result {
    if float == 0.0 {
        return out.write_char('0'); // ECMAScript has no text for minus zero.
    }
    let mut buffer = zmij::Buffer::new();
    let text = buffer.format_finite(float);
    // Without an exponent both write the same, but for `.0` behind a whole number.
    if !text.contains('e') {
        return out.write_str(text.strip_suffix(".0").unwrap_or(text));
    }
    write_decimal(out, &Decimal::read(text))
}

/// The general way, that of all floats but zero.
#[cfg(test)]
pub(crate) fn write_shortest(out: &mut String, float: f64) -> std::fmt::Result {
    write_decimal(out, &Decimal::shortest(float))
}

/// Writes a number other than zero as ECMAScript's `Number::toString` does.
fn write_decimal(out: &mut String, shortest: &Decimal) -> std::fmt::Result {
    if shortest.negative {
        out.push('-');
    }
    let digits = shortest.digits.as_str();
    let count = i64::try_from(digits.len()).unwrap_or(i64::MAX);
    // The value is 0.digits times ten to the power of `point`.
    let point = count.saturating_add(shortest.exponent);
    let (head, tail) = digits.split_at_checked(1).unwrap_or((digits, ""));
    match point {
        1..=21 if point >= count => {
            out.push_str(digits);
            zeros(out, point - count);
        }
        1..=21 => {
            let at = usize::try_from(point).unwrap_or_default();
            let (whole, part) = digits.split_at_checked(at).unwrap_or((digits, ""));
            write!(out, "{whole}.{part}")?;
        }
        -5..=0 => {
            out.push_str("0.");
            zeros(out, -point);
            out.push_str(digits);
        }
        _ if tail.is_empty() => write!(out, "{head}e{:+}", point - 1)?,
        _ => write!(out, "{head}.{tail}e{:+}", point - 1)?,
    }
    Ok(())
}

fn zeros(out: &mut String, count: i64) {
    (0..count).for_each(|_| out.push('0'));
}

/// Why a number cannot be held.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Unheld {
    /// It is beyond the largest `f64`.
    Overflow,
    /// It is whole, and no 64-bit number equals it.
    NotExact,
}

/// Reads a number whose text follows JSON's grammar.
pub(crate) fn read(text: &str) -> Result<Number, Unheld> {
    if let Ok(number) = text.parse::<u64>() {
        return Ok(number.into());
    }
    if let Ok(number) = text.parse::<i64>() {
        return Ok(number.into());
    }
    let float: f64 = text.parse().map_err(|_| Unheld::Overflow)?;
    if !float.is_finite() {
        return Err(Unheld::Overflow);
    }
    let number = if float.fract() == 0.0 {
        whole(text, float)
    } else {
        Number::from_f64(float)
    };
    number.ok_or(Unheld::NotExact)
}

/// The number of a text whose nearest float is whole; none if it cannot be held.
fn whole(text: &str, float: f64) -> Option<Number> {
    let written = Decimal::read(text);
    if written.exponent >= 0 && written.integer().is_some() {
        return written.integer();
    }
    let exact = Decimal::exact(float)?;
    if written.exponent >= 0 && written != exact {
        return None;
    }
    // Beyond 64 bits the canonical text has the shortest digits: these must say the same.
    let canonical = || (exact == Decimal::shortest(float)).then(|| Number::from_f64(float))?;
    exact.integer().or_else(canonical)
}

/// A decimal number: digits times ten to the power of the exponent.
// INVARIANT: no zero at either end of `digits`; zero has no digits, no sign and exponent 0.
#[derive(Debug, PartialEq, Eq)]
struct Decimal {
    negative: bool,
    digits: String,
    exponent: i64,
}

impl Decimal {
    /// Reads `-d.de±d` in any of its shapes. An exponent beyond `i64` saturates; such a number
    /// overflows or rounds to zero all the same.
    fn read(text: &str) -> Self {
        let (negative, text) = text
            .strip_prefix('-')
            .map_or((false, text), |rest| (true, rest));
        let (mantissa, power) = text.split_once(['e', 'E']).unwrap_or((text, "0"));
        let (whole, part) = mantissa.split_once('.').unwrap_or((mantissa, ""));
        let limit = if power.starts_with('-') {
            i64::MIN / 2
        } else {
            i64::MAX / 2
        };
        let power: i64 = power
            .parse()
            .unwrap_or(limit)
            .clamp(i64::MIN / 2, i64::MAX / 2);
        let all = format!("{whole}{part}");
        let kept = all.trim_end_matches('0');
        let length = |text: &str| i64::try_from(text.len()).unwrap_or(i64::MAX / 4);
        let exponent = power - length(part) + length(&all) - length(kept);
        let digits = kept.trim_start_matches('0').to_owned();
        if digits.is_empty() {
            return Self {
                negative: false,
                digits,
                exponent: 0,
            };
        }
        Self {
            negative,
            digits,
            exponent,
        }
    }

    /// The fewest digits that read back as this float; of several, the nearest; of two as near,
    /// the even one. (`std` takes the upper one, ECMAScript does not.)
    fn shortest(float: f64) -> Self {
        Self::read(zmij::Buffer::new().format_finite(float))
    }

    /// All digits of a whole float, if it is below 2^127; the largest whole float whose shortest
    /// digits are exact is far below that.
    fn exact(float: f64) -> Option<Self> {
        (float.abs() < 2f64.powi(127)).then(|| Self::read(&format!("{float:.0}")))
    }

    /// The number as an integer, if it is whole and fits 64 bits.
    fn integer(&self) -> Option<Number> {
        let power = u32::try_from(self.exponent).ok()?;
        let digits: u64 = if self.digits.is_empty() {
            0
        } else {
            self.digits.parse().ok()?
        };
        let size = digits.checked_mul(10u64.checked_pow(power)?)?;
        if self.negative {
            0i64.checked_sub_unsigned(size).map(Into::into)
        } else {
            Some(size.into())
        }
    }
}
