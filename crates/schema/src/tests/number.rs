//! Numbers: written as ECMAScript does, read only if they are held as they stand.

use proptest::prelude::*;
use serde_json::{Number, Value, json};

use crate::{StrictJsonError, canonical, parse_strict};

#[track_caller]
fn check(bits: u64, want: &str) {
    let number = Number::from_f64(f64::from_bits(bits)).unwrap();
    assert_eq!(canonical(&number.into()).unwrap(), want);
}

#[test]
fn rfc_8785_appendix_b() {
    check(0x0000_0000_0000_0000, "0");
    check(0x8000_0000_0000_0000, "0");
    check(0x0000_0000_0000_0001, "5e-324");
    check(0x8000_0000_0000_0001, "-5e-324");
    check(0x7fef_ffff_ffff_ffff, "1.7976931348623157e+308");
    check(0xffef_ffff_ffff_ffff, "-1.7976931348623157e+308");
    check(0x4340_0000_0000_0000, "9007199254740992");
    check(0xc340_0000_0000_0000, "-9007199254740992");
    check(0x4430_0000_0000_0000, "295147905179352830000");
    check(0x44b5_2d02_c7e1_4af5, "9.999999999999997e+22");
    check(0x44b5_2d02_c7e1_4af6, "1e+23");
    check(0x44b5_2d02_c7e1_4af7, "1.0000000000000001e+23");
    check(0x444b_1ae4_d6e2_ef4e, "999999999999999700000");
    check(0x444b_1ae4_d6e2_ef4f, "999999999999999900000");
    check(0x444b_1ae4_d6e2_ef50, "1e+21");
    check(0x3eb0_c6f7_a0b5_ed8c, "9.999999999999997e-7");
    check(0x3eb0_c6f7_a0b5_ed8d, "0.000001");
    check(0x41b3_de43_5555_5553, "333333333.3333332");
    check(0x41b3_de43_5555_5554, "333333333.33333325");
    check(0x41b3_de43_5555_5555, "333333333.3333333");
    check(0x41b3_de43_5555_5556, "333333333.3333334");
    check(0x41b3_de43_5555_5557, "333333333.33333343");
    check(0xbecb_f647_612f_3696, "-0.0000033333333333333333");
    check(0x4314_3ff3_c1cb_0959, "1424953923781206.2");
}

#[test]
fn rfc_8785_appendix_b_has_no_text_for_what_is_no_number() {
    // NaN and the infinities: JSON has no such number, and neither has a value.
    for bits in [
        0x7fff_ffff_ffff_ffff,
        0x7ff0_0000_0000_0000,
        0xfff0_0000_0000_0000,
    ] {
        assert_eq!(Number::from_f64(f64::from_bits(bits)), None);
    }
}

#[test]
fn rfc_8785_appendix_b_reads_back_bit_by_bit() {
    for (bits, text) in [
        (0x0000_0000_0000_0001_u64, "5e-324"),
        (0xffef_ffff_ffff_ffff, "-1.7976931348623157e+308"),
        (0x3eb0_c6f7_a0b5_ed8d, "0.000001"),
        (0xbecb_f647_612f_3696, "-0.0000033333333333333333"),
        (0x4314_3ff3_c1cb_0959, "1424953923781206.2"),
    ] {
        assert_eq!(text.parse::<f64>().unwrap().to_bits(), bits, "{text}");
    }
}

#[track_caller]
fn reads(text: &str, want: Value) {
    assert_eq!(parse_strict(text.as_bytes()), Ok(want), "{text}");
}

#[track_caller]
fn refuses(text: &str) {
    let error = parse_strict(text.as_bytes()).unwrap_err();
    assert!(
        matches!(error, StrictJsonError::NotExact { at: 0, .. }),
        "{text}: {error}"
    );
}

#[track_caller]
fn out_of_range(text: &str) {
    let error = parse_strict(text.as_bytes()).unwrap_err();
    assert!(
        matches!(error, StrictJsonError::OutOfRange { at: 0, .. }),
        "{text}: {error}"
    );
}

#[test]
fn c145_a_whole_number_is_an_integer_in_any_spelling() {
    reads("1.0", json!(1));
    reads("1e2", json!(100));
    reads("1.5e1", json!(15));
    reads("10e-1", json!(1));
    reads("-0.0", json!(0));
    reads("1.50", json!(1.5));
    reads("18446744073709551615.0", json!(u64::MAX));
    reads("-9223372036854775808e0", json!(i64::MIN));
}

#[test]
fn c145_2_to_the_64_is_an_integer_that_we_cannot_hold() {
    // A schema's `integer` would take it; what we cannot hold as it stands is refused before that,
    // with the way out.
    refuses("18446744073709551616");
    let error = parse_strict(b"18446744073709551616").unwrap_err();
    assert!(
        error
            .to_string()
            .ends_with("cannot be held exactly; send it as a string")
    );
    reads("18446744073709551615", json!(u64::MAX));
}

#[test]
fn c142_large_integers_are_exact_or_refused() {
    reads("9007199254740993", json!(9_007_199_254_740_993_u64));
    reads("9007199254740993.0", json!(9_007_199_254_740_993_u64));
    reads("9.007199254740993e15", json!(9_007_199_254_740_993_u64));
    refuses("18446744073709551617");
    refuses("-9223372036854775809");
    refuses("1e23");
    refuses("1e300");
}

#[test]
fn c142_beyond_64_bits_value_and_canonical_text_must_agree() {
    reads("1e20", json!(1e20));
    reads("1e22", json!(1e22));
    refuses("18446744073709551616"); // Held exactly; canonical text would be …552000.
    refuses("18446744073709552000"); // That text is not what would be held.
}

#[test]
fn c143_beyond_the_largest_float_is_out_of_range() {
    out_of_range("1e400");
    out_of_range("-1e400");
    out_of_range("1e99999999999999999999");
}

#[test]
fn c143_tiny_numbers_and_minus_zero_are_zero() {
    reads("1e-400", json!(0));
    reads("-0", json!(0));
    reads("0e99999999999999999999", json!(0));
    reads("1e-99999999999999999999", json!(0));
}

#[test]
fn decimals_round_to_the_nearest_float() {
    reads("0.1", json!(0.1));
    reads("0.30000000000000004", json!(0.300_000_000_000_000_04));
    reads("9007199254740993.5", json!(9_007_199_254_740_994_u64));
    reads(
        "1152921504606846976.5",
        json!(1_152_921_504_606_846_976_u64),
    );
    refuses("18446744073709551616.5");
}

/// A decimal number as (sign, digits without zeros at the ends, power of ten).
fn normal(text: &str) -> (bool, String, i64) {
    let (mantissa, power) = text.split_once('e').unwrap_or((text, "0"));
    let (negative, mantissa) = (mantissa.starts_with('-'), mantissa.trim_start_matches('-'));
    let (whole, part) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let all = format!("{whole}{part}");
    let kept = all.trim_end_matches('0');
    let power = power.parse::<i64>().unwrap() - part.len() as i64 + (all.len() - kept.len()) as i64;
    match kept.trim_start_matches('0') {
        "" => (false, String::new(), 0),
        digits => (negative, digits.to_owned(), power),
    }
}

/// Floats of every size, most of them near the borders of plain decimals (1e-7 and 1e21).
fn floats() -> impl Strategy<Value = f64> {
    let near = (-9i32..24, 1u64..10_000_000_000)
        .prop_map(|(power, digits)| format!("{digits}e{power}").parse::<f64>().unwrap());
    prop_oneof![any::<u64>().prop_map(f64::from_bits), near]
        .prop_filter("JSON has no such number", |float| float.is_finite())
}

proptest! {
    #[test]
    fn plain_decimals_are_written_as_by_the_general_way(float in floats()) {
        prop_assume!(float != 0.0);
        let mut general = String::new();
        crate::number::write_shortest(&mut general, float).unwrap();
        prop_assert_eq!(canonical(&json!(float)).unwrap(), general.as_str());
        // Plain from 1e-6 to below 1e21, as ECMAScript has it; an exponent outside.
        let plain = (1e-6..1e21).contains(&float.abs());
        prop_assert_eq!(!general.contains('e'), plain);
        prop_assert!(!general.ends_with(".0") && !general.starts_with('.'));
    }

    #[test]
    fn a_float_reads_back_from_its_canonical_text(bits: u64) {
        let float = f64::from_bits(bits);
        prop_assume!(float.is_finite());
        let text = canonical(&json!(float)).unwrap();
        prop_assert_eq!(text.parse::<f64>().unwrap(), float);
    }

    #[test]
    fn what_is_held_of_a_whole_number_is_what_was_written(
        text in "-?(0|[1-9][0-9]{0,24})(\\.0{1,3})?(e[0-9]|e1[0-9])?",
    ) {
        if let Ok(value) = parse_strict(text.as_bytes()) {
            prop_assert_eq!(normal(&canonical(&value).unwrap()), normal(&text));
        }
    }

    #[test]
    fn a_number_is_read_as_its_nearest_float(
        text in "-?(0|[1-9][0-9]{0,14})\\.[0-9]{1,24}(e-?[0-9]{1,2})?",
    ) {
        if let Ok(value) = parse_strict(text.as_bytes()) {
            prop_assert_eq!(value.as_f64().unwrap(), text.parse::<f64>().unwrap());
        }
    }

    #[test]
    fn every_integer_of_64_bits_is_read_exactly(signed: i64, unsigned: u64) {
        prop_assert_eq!(parse_strict(signed.to_string().as_bytes()).unwrap(), json!(signed));
        prop_assert_eq!(parse_strict(format!("{unsigned}.0").as_bytes()).unwrap(), json!(unsigned));
    }
}
