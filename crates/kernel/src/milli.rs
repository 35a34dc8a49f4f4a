//! Fixed-point numbers with three decimals.
//!
//! *Knows*: decimal text, rounding and saturating arithmetic on thousandths.
//! *Must not know*: what is being counted (processors, memory, shares).
//!
//! **Source**: `apache/mesos: src/common/values.cpp` computes scalars on three decimals, rounding
//! half away from zero. Match.

use std::fmt;

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

/// A number in thousandths. *Units*: 1000 is one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Milli(pub i64);

/// Reasons for which a text is not a [`Milli`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ParseMilliError {
    /// The text holds no digit at all.
    Empty,
    /// The text holds something that is not part of a decimal number.
    NotANumber,
    /// The number does not fit.
    OutOfRange,
}

impl fmt::Display for ParseMilliError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Empty => "no digits",
            Self::NotANumber => "not a decimal number",
            Self::OutOfRange => "number too large",
        })
    }
}

impl std::error::Error for ParseMilliError {}

impl Milli {
    /// Zero.
    pub const ZERO: Self = Self(0);
    /// One.
    pub const ONE: Self = Self(1000);

    /// A whole number, saturating.
    pub const fn from_int(whole: i64) -> Self {
        Self(whole.saturating_mul(1000))
    }

    /// A number given in thousandths.
    pub const fn from_thousandths(thousandths: i64) -> Self {
        Self(thousandths)
    }

    /// The number in thousandths.
    pub const fn thousandths(self) -> i64 {
        self.0
    }

    /// The whole part, rounded towards zero.
    pub const fn whole(self) -> i64 {
        self.0 / 1000
    }

    /// Returns whether the number is zero.
    pub const fn is_zero(self) -> bool {
        self.0 == 0
    }

    /// Returns whether the number is above zero.
    pub const fn is_positive(self) -> bool {
        self.0 > 0
    }

    /// Sum, saturating.
    pub const fn saturating_add(self, other: Self) -> Self {
        Self(self.0.saturating_add(other.0))
    }

    /// Difference, saturating.
    pub const fn saturating_sub(self, other: Self) -> Self {
        Self(self.0.saturating_sub(other.0))
    }

    /// Product with a whole number, saturating.
    pub const fn saturating_mul_int(self, factor: i64) -> Self {
        Self(self.0.saturating_mul(factor))
    }

    /// Sum, or nothing on overflow.
    pub const fn checked_add(self, other: Self) -> Option<Self> {
        match self.0.checked_add(other.0) {
            Some(sum) => Some(Self(sum)),
            None => None,
        }
    }

    /// Difference, or nothing on overflow.
    pub const fn checked_sub(self, other: Self) -> Option<Self> {
        match self.0.checked_sub(other.0) {
            Some(difference) => Some(Self(difference)),
            None => None,
        }
    }

    /// Reads decimal text such as `2`, `0.1`, `-.5` or `3.`; surrounding blanks are allowed.
    /// Further decimals round half away from zero.
    ///
    /// *Errors*: no digits, anything that is not a plain decimal, a number that does not fit.
    pub fn parse(text: &str) -> Result<Self, ParseMilliError> {
        let text = text.trim();
        let (negative, digits) = match text.strip_prefix('-') {
            Some(rest) => (true, rest),
            None => (false, text.strip_prefix('+').unwrap_or(text)),
        };
        let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
        if whole.is_empty() && fraction.is_empty() {
            return Err(if digits.is_empty() { ParseMilliError::Empty } else { ParseMilliError::NotANumber });
        }
        if !whole.bytes().chain(fraction.bytes()).all(|b| b.is_ascii_digit()) {
            return Err(ParseMilliError::NotANumber);
        }
        let mut decimals = fraction.bytes().map(|b| i64::from(b - b'0')).chain(std::iter::repeat(0));
        let mut thousandths: i64 = 0;
        let whole = whole.bytes().map(|b| i64::from(b - b'0'));
        for digit in whole.chain(decimals.by_ref().take(3)) {
            thousandths = thousandths
                .checked_mul(10)
                .and_then(|t| t.checked_add(digit))
                .ok_or(ParseMilliError::OutOfRange)?;
        }
        if decimals.next().unwrap_or(0) >= 5 {
            thousandths = thousandths.checked_add(1).ok_or(ParseMilliError::OutOfRange)?;
        }
        Ok(Self(if negative { -thousandths } else { thousandths }))
    }
}

impl fmt::Display for Milli {
    /// Without superfluous zeros: `2`, `0.1`, `-1.25`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (mut whole, mut fraction) = (self.0.unsigned_abs() / 1000, self.0.unsigned_abs() % 1000);
        // Written by hand from the last digit on, because amounts are often shown and compared as text.
        let mut text = [0; 24];
        let mut from = text.len();
        let mut put = |digit: u64| {
            from -= 1;
            if let Some(place) = text.get_mut(from) {
                *place = digit.to_le_bytes()[0];
            }
        };
        if fraction > 0 {
            let mut places = 3;
            while fraction % 10 == 0 {
                (fraction, places) = (fraction / 10, places - 1);
            }
            for _ in 0..places {
                put(u64::from(b'0') + fraction % 10);
                fraction /= 10;
            }
            put(u64::from(b'.'));
        }
        loop {
            put(u64::from(b'0') + whole % 10);
            whole /= 10;
            if whole == 0 {
                break;
            }
        }
        if self.0 < 0 {
            put(u64::from(b'-'));
        }
        f.pad(text.get(from..).and_then(|text| std::str::from_utf8(text).ok()).unwrap_or_default())
    }
}

impl std::str::FromStr for Milli {
    type Err = ParseMilliError;
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Self::parse(text)
    }
}

impl std::iter::Sum for Milli {
    /// Saturating sum.
    fn sum<I: Iterator<Item = Self>>(items: I) -> Self {
        items.fold(Self::ZERO, Self::saturating_add)
    }
}

impl Serialize for Milli {
    /// Writes a JSON number: whole numbers as integers, others as the nearest decimal. Only this boundary uses a float, read
    /// from the exact text.
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if self.0 % 1000 == 0 {
            serializer.serialize_i64(self.0 / 1000)
        } else {
            serializer.serialize_f64(crate::float::parse(&self.to_string()).unwrap_or_default())
        }
    }
}

impl<'de> Deserialize<'de> for Milli {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(MilliVisitor)
    }
}

struct MilliVisitor;

impl de::Visitor<'_> for MilliVisitor {
    type Value = Milli;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a number or its decimal text")
    }

    fn visit_i64<E: de::Error>(self, value: i64) -> Result<Milli, E> {
        value.checked_mul(1000).map(Milli).ok_or_else(|| E::custom(ParseMilliError::OutOfRange))
    }

    fn visit_u64<E: de::Error>(self, value: u64) -> Result<Milli, E> {
        let value = i64::try_from(value).map_err(|_| E::custom(ParseMilliError::OutOfRange))?;
        self.visit_i64(value)
    }

    fn visit_f64<E: de::Error>(self, value: f64) -> Result<Milli, E> {
        let error = || {
            E::custom(if value.is_finite() {
                ParseMilliError::OutOfRange
            } else {
                ParseMilliError::NotANumber
            })
        };
        crate::float::thousandths(value).map(Milli).ok_or_else(error)
    }

    fn visit_str<E: de::Error>(self, value: &str) -> Result<Milli, E> {
        Milli::parse(value).map_err(E::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parses_rounds_and_shows() {
        for (text, thousandths, shown) in [
            ("0.1", 100, "0.1"),
            ("2", 2000, "2"),
            ("2.", 2000, "2"),
            (".5", 500, "0.5"),
            ("-1.25", -1250, "-1.25"),
            ("+3.0005", 3001, "3.001"),
            ("0.0004999", 0, "0"),
            ("-0.0005", -1, "-0.001"),
            (" 1024 ", 1_024_000, "1024"),
            ("9.9995", 10_000, "10"),
            ("00001.010", 1010, "1.01"),
        ] {
            let value = Milli::parse(text).expect(text);
            assert_eq!((value.thousandths(), value.to_string().as_str()), (thousandths, shown), "{text}");
            assert_eq!(Milli::parse(&value.to_string()), Ok(value));
        }
    }

    #[test]
    fn rejects_junk() {
        use ParseMilliError::{Empty, NotANumber, OutOfRange};
        for (text, error) in [
            ("", Empty),
            ("  ", Empty),
            ("-", Empty),
            (".", NotANumber),
            ("1e3", NotANumber),
            ("1,5", NotANumber),
            ("1.2.3", NotANumber),
            ("--1", NotANumber),
            ("0x10", NotANumber),
            ("NaN", NotANumber),
            ("١", NotANumber),
            ("9223372036854775.808", OutOfRange),
            ("99999999999999999999999999", OutOfRange),
        ] {
            assert_eq!(Milli::parse(text), Err(error), "{text:?}");
        }
    }

    #[test]
    fn serialises_as_a_faithful_number() {
        for (thousandths, json) in
            [(2000, "2"), (100, "0.1"), (-1250, "-1.25"), (1_234_567_890_123, "1234567890.123")]
        {
            let value = Milli(thousandths);
            assert_eq!(serde_json::to_string(&value).expect("a number"), json);
            assert_eq!(serde_json::from_str::<Milli>(json).expect("own output"), value);
        }
        for (json, thousandths) in [("\"0.5\"", 500), ("0.0005", 1), ("1e2", 100_000), ("7.0", 7000)] {
            assert_eq!(serde_json::from_str::<Milli>(json).expect(json), Milli(thousandths));
        }
        for json in ["\"x\"", "null", "1e300", "18446744073709551615"] {
            assert!(serde_json::from_str::<Milli>(json).is_err(), "{json}");
        }
    }

    #[test]
    fn arithmetic_saturates_or_says_so() {
        let max = Milli(i64::MAX);
        assert_eq!(max.saturating_add(Milli::ONE), max);
        assert_eq!(max.checked_add(Milli::ONE), None);
        assert_eq!(Milli::ONE.checked_sub(Milli(1)), Some(Milli(999)));
        assert_eq!(Milli::from_int(i64::MAX), max);
        assert_eq!([Milli(1), Milli(2)].into_iter().sum::<Milli>(), Milli(3));
    }
}
