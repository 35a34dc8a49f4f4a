//! Converts decimal text to floats and back, for formats that need floats. The engine's own amounts are whole numbers. These
//! functions do without the tables of the standard library, which would add much to the size of the WebAssembly module.

/// Whole floats are exact up to here.
const EXACT: u64 = 1 << 53;
/// Powers of ten are exact floats up to this one.
const EXACT_POWER: i32 = 22;

fn power(exponent: i32) -> f64 {
    (0..exponent).fold(1.0, |power, _| power * 10.0)
}

/// Returns the float of a decimal number such as `-12.5` or `3e8`: the nearest one for up to fifteen digits, and one of the
/// nearest otherwise. Returns nothing for words such as `inf`.
pub fn parse(text: &str) -> Option<f64> {
    let (negative, rest) = match text.as_bytes() {
        [b'-', rest @ ..] => (true, rest),
        [b'+', rest @ ..] | rest => (false, rest),
    };
    let at = rest.iter().position(|byte| matches!(byte, b'e' | b'E'));
    let (number, mut exponent) = match at {
        None => (rest, 0),
        Some(at) => (rest.get(..at)?, whole(rest.get(at + 1..)?)?),
    };
    let (mut mantissa, mut digits, mut behind_point) = (0_u64, 0_u32, false);
    for byte in number {
        match byte {
            b'.' if !behind_point => behind_point = true,
            b'0'..=b'9' => {
                digits += 1;
                let more = mantissa.checked_mul(10).and_then(|tens| tens.checked_add(u64::from(byte - b'0')));
                match more {
                    Some(more) => {
                        mantissa = more;
                        exponent -= i32::from(behind_point);
                    }
                    // A digit this far back does not change the float.
                    None => exponent += i32::from(!behind_point),
                }
            }
            _ => return None,
        }
    }
    if digits == 0 {
        return None;
    }
    while mantissa > EXACT && mantissa.is_multiple_of(10) {
        mantissa /= 10;
        exponent += 1;
    }
    #[expect(clippy::cast_precision_loss, reason = "exact up to 53 bits, and near enough beyond")]
    let mut value = mantissa as f64;
    let mut left = exponent.clamp(-400, 400);
    while left != 0 && value != 0.0 {
        let step = left.clamp(-EXACT_POWER, EXACT_POWER);
        value = if step < 0 { value / power(-step) } else { value * power(step) };
        left -= step;
    }
    Some(if negative { -value } else { value })
}

/// Returns the exponent of a number, limited to what floats can have.
fn whole(text: &[u8]) -> Option<i32> {
    let (negative, digits) = match text {
        [b'-', digits @ ..] => (true, digits),
        [b'+', digits @ ..] | digits => (false, digits),
    };
    if digits.is_empty() || !digits.iter().all(u8::is_ascii_digit) {
        return None;
    }
    let value = digits
        .iter()
        .fold(0_i32, |value, digit| (value.saturating_mul(10) + i32::from(digit - b'0')).min(100_000));
    Some(if negative { -value } else { value })
}

/// Returns a float in thousandths, rounded half away from zero by its shortest decimal text, or nothing if that number does
/// not fit.
pub fn thousandths(value: f64) -> Option<i64> {
    #[expect(clippy::cast_precision_loss, reason = "a power of two")]
    let exact = EXACT as f64;
    let size = value.abs();
    if !size.is_finite() {
        return None;
    }
    // The shortest text of a float has the fewest decimals that still name it.
    let short = (0..=EXACT_POWER).map(|decimals| (decimals, (size * power(decimals)).round())).find(
        |(decimals, scaled)| {
            #[expect(clippy::float_cmp, reason = "the question is whether it is the same float")]
            let is_same = scaled / power(*decimals) == size;
            *scaled <= exact && is_same
        },
    );
    let rounded = match short {
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "a whole number of 53 bits"
        )]
        Some((decimals, scaled)) => {
            let (scaled, mut rounded) = (scaled as u64, 0);
            let unit = 10_u64.pow(decimals.unsigned_abs().saturating_sub(3).min(19));
            rounded += scaled / unit + u64::from(scaled % unit >= unit.div_ceil(2) && unit > 1);
            let missing = 10_u64.pow(3_u32.saturating_sub(decimals.unsigned_abs()));
            i64::try_from(rounded.checked_mul(missing)?).ok()?
        }
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "whole, and cut where it is too much"
        )]
        None if size > exact => i64::try_from((size as u64).checked_mul(1000)?).ok()?,
        #[expect(clippy::cast_possible_truncation, reason = "far below 64 bits")]
        None => (size * 1000.0).round() as i64,
    };
    Some(if value < 0.0 { -rounded } else { rounded })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Milli, draw::mix64};

    #[test]
    fn reads_what_the_standard_library_reads() {
        for text in [
            "0",
            "-0",
            "1",
            "+1.5",
            ".5",
            "5.",
            "0.1",
            "0.30000000000000004",
            "123456789.987654321",
            "1e5",
            "1E-7",
            "2.5e+3",
            "9007199254740993",
            "00012.50",
            "1e22",
            "123e-20",
            "17976931348623157e292",
            "0e999999999999",
        ] {
            let there: f64 = text.parse().unwrap();
            let here = parse(text).unwrap();
            assert!((here - there).abs() <= there.abs() * 1e-15, "{text}: {here} instead of {there}");
        }
        for n in 0..20_000_u64 {
            let word = mix64(n);
            let text = format!("{}.{:03}", word % 1_000_000_000, word >> 40 & 0x3ff);
            assert_eq!(parse(&text).map(f64::to_bits), text.parse().ok().map(f64::to_bits), "{text}");
        }
        for text in ["", "-", ".", "e5", "1e", "1e+", "1.2.3", "inf", "NaN", "0x10", "1 ", "1_000", "--1"] {
            assert_eq!(parse(text), None, "{text}");
        }
        assert_eq!(parse("1e400"), Some(f64::INFINITY));
        assert_eq!(parse("1e-400"), Some(0.0));
    }

    #[test]
    fn rounds_as_the_shortest_text_does() {
        let check = |value: f64| {
            let by_text = Milli::parse(&value.to_string()).ok().map(|milli| milli.0);
            assert_eq!(thousandths(value), by_text, "{value}");
        };
        for value in [
            0.0,
            -0.0,
            0.5,
            0.0005,
            0.0015,
            1.0005,
            2.0005,
            1.000_499_99,
            0.1,
            0.3,
            0.1 + 0.2,
            1.0 / 3.0,
            1e-9,
            5e-324,
            4.35,
            1e15,
            9_007_199_254_740_993.0,
            9.1e15,
            9.22e15,
            9.223_372_036_854_775e15,
            9.3e15,
            1e300,
            -1.0005,
            -2.5,
            123_456.789_5,
        ] {
            check(value);
        }
        for n in 0..20_000_u64 {
            let word = mix64(n);
            #[expect(clippy::cast_precision_loss, reason = "any float will do")]
            let whole = (word % 100_000_000) as f64;
            check(whole / 10_000.0);
            check(-whole / 100_000.0);
            check(whole / 3.0);
        }
    }
}
