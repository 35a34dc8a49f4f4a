//! Types that a scalar may be read as.
//!
//! The rules follow what a Java reader built on Jackson does with YAML, because that is what the real
//! systems use: the reader of a field decides the type, a quoted number is a number where one is
//! asked for, an empty text is nothing.
//!
//! **Source**: `FasterXML/jackson-dataformat-yaml` 2.6 `YAMLParser` (plain scalars) and
//! `FasterXML/jackson-databind` 2.6 standard deserialisers (coercions); matched for the forms listed. More is
//! taken than there: hexadecimal numbers.

use crate::yaml::node::{Kind, Node, Scalar, Style};

/// A scalar read as something.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Coerced<T> {
    /// Nothing was written: `null`, `~` or an empty text.
    Null,
    /// The text has this type.
    Value(T),
    /// The text has another type.
    Wrong,
}

impl<T> Coerced<T> {
    /// The value, if there is one.
    pub fn value(self) -> Option<T> {
        match self {
            Self::Value(value) => Some(value),
            Self::Null | Self::Wrong => None,
        }
    }
}

impl Node {
    /// True for `null`, `~` and a plain empty scalar.
    pub fn is_null(&self) -> bool {
        match &self.kind {
            Kind::Scalar(scalar) => {
                let plain = scalar.style == Style::Plain && !self.is_forced_text();
                let empty = matches!(&*scalar.text, "" | "~" | "null" | "Null" | "NULL");
                plain && empty
            }
            Kind::Sequence(_) | Kind::Mapping(_) => false,
        }
    }

    /// Any scalar's text, `null` being its text as well.
    pub fn as_str(&self) -> Option<&str> {
        self.as_scalar().map(|scalar| &*scalar.text)
    }

    /// A whole number, quoted or not; see [`Node::int`].
    pub fn as_i64(&self) -> Option<i64> {
        self.int().value()
    }

    /// A boolean; see [`Node::boolean`].
    pub fn as_bool(&self) -> Option<bool> {
        self.boolean().value()
    }

    /// A decimal number in thousandths; see [`Node::thousandths`].
    pub fn as_thousandths(&self) -> Option<i64> {
        self.thousandths().value()
    }

    /// A whole number: an optional sign and digits (underscores between them when plain), hexadecimal
    /// after `0x`. A plain number with a fraction loses it, a quoted one is wrong.
    pub fn int(&self) -> Coerced<i64> {
        self.coerce(|scalar| {
            let text = scalar.text.trim();
            let plain = scalar.style == Style::Plain;
            parse_int(text, plain).or_else(|| if plain { truncated(text) } else { None })
        })
    }

    /// `true` or `false`, in small, capital or all capital letters. When plain also `yes`, `no`, `on`, `off`,
    /// `y` and `n` in any letters, as YAML 1.1 reads them, and whole numbers, of which only 0 is false.
    pub fn boolean(&self) -> Coerced<bool> {
        self.coerce(|scalar| match scalar.text.trim() {
            "true" | "True" | "TRUE" => Some(true),
            "false" | "False" | "FALSE" => Some(false),
            text if scalar.style == Style::Plain => match text.to_ascii_lowercase().as_str() {
                "yes" | "on" | "y" => Some(true),
                "no" | "off" | "n" => Some(false),
                _ => parse_int(text, true).map(|number| number != 0),
            },
            _ => None,
        })
    }

    /// A decimal number in thousandths, rounded half away from zero.
    pub fn thousandths(&self) -> Coerced<i64> {
        self.coerce(|scalar| decimal_to_thousandths(scalar.text.trim()))
    }

    /// True when a tag says that the scalar is text.
    pub(super) fn is_forced_text(&self) -> bool {
        self.tag.as_deref() == Some("tag:yaml.org,2002:str")
    }

    fn coerce<T>(&self, read: impl FnOnce(&Scalar) -> Option<T>) -> Coerced<T> {
        match &self.kind {
            Kind::Scalar(scalar) if self.is_null() || scalar.text.trim().is_empty() => Coerced::Null,
            Kind::Scalar(scalar) => read(scalar).map_or(Coerced::Wrong, Coerced::Value),
            Kind::Sequence(_) | Kind::Mapping(_) => Coerced::Wrong,
        }
    }
}

impl Scalar {
    pub(super) fn describe_plain(&self) -> &'static str {
        match &*self.text {
            "true" | "True" | "TRUE" | "false" | "False" | "FALSE" => "a boolean",
            text if parse_int(text, true).is_some() || decimal_to_thousandths(text).is_some() => "a number",
            _ => "a text",
        }
    }
}

/// A decimal number in thousandths, rounded half away from zero; none when it is not a decimal number
/// or does not fit.
///
/// *Units*: `"0.1"` gives 100, `"-2"` gives -2000, `"1e-3"` gives 1.
pub fn decimal_to_thousandths(text: &str) -> Option<i64> {
    let (negative, unsigned) = match text.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, text.strip_prefix('+').unwrap_or(text)),
    };
    let (mantissa, exponent) = match unsigned.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => (mantissa, exponent.parse::<i32>().ok()?),
        None => (unsigned, 0),
    };
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let all_digits = |part: &str| part.bytes().all(|byte| byte.is_ascii_digit());
    if !all_digits(whole) || !all_digits(fraction) || (whole.is_empty() && fraction.is_empty()) {
        return None;
    }
    // The value is `digits * 10^scale`, in thousandths.
    let mut digits: i128 = 0;
    let mut scale = exponent.checked_add(3)?;
    for digit in whole.bytes() {
        digits = digits.checked_mul(10)?.checked_add(i128::from(digit.saturating_sub(b'0')))?;
    }
    for digit in fraction.bytes() {
        // Beyond this a fraction cannot change the rounding of anything that fits.
        if digits > i128::from(i64::MAX).checked_mul(1_000_000)? {
            break;
        }
        digits = digits.checked_mul(10)?.checked_add(i128::from(digit.saturating_sub(b'0')))?;
        scale = scale.checked_sub(1)?;
    }
    if digits == 0 {
        return Some(0);
    }
    let shift = scale.unsigned_abs();
    let value = if scale >= 0 {
        digits.checked_mul(10_i128.checked_pow(shift)?)?
    } else {
        match 10_i128.checked_pow(shift) {
            Some(unit) => digits.checked_add(unit.checked_div(2)?)?.checked_div(unit)?,
            None => 0,
        }
    };
    let value = i64::try_from(value).ok()?;
    if negative { value.checked_neg() } else { Some(value) }
}

/// A whole number as written.
pub(super) fn parse_int(text: &str, plain: bool) -> Option<i64> {
    let cleaned;
    let text = if plain && text.contains('_') && text.starts_with(|c: char| c.is_ascii_digit() || c == '-') {
        cleaned = text.replace('_', "");
        cleaned.as_str()
    } else {
        text
    };
    if let Some(digits) = text.strip_prefix("0x").or_else(|| text.strip_prefix("0X")) {
        let valid = plain && digits.bytes().all(|byte| byte.is_ascii_hexdigit());
        return valid.then(|| i64::from_str_radix(digits, 16).ok()).flatten();
    }
    let unsigned = text.strip_prefix(['-', '+']).unwrap_or(text);
    let all_digits = !unsigned.is_empty() && unsigned.bytes().all(|byte| byte.is_ascii_digit());
    all_digits.then(|| text.parse().ok()).flatten()
}

/// A plain decimal number without its fraction.
fn truncated(text: &str) -> Option<i64> {
    let (whole, fraction) = text.split_once('.')?;
    let fraction_is_digits = fraction.bytes().all(|byte| byte.is_ascii_digit());
    (fraction_is_digits && decimal_to_thousandths(text).is_some()).then(|| match whole {
        "" | "-" | "+" => Some(0),
        whole => parse_int(whole, true),
    })?
}
