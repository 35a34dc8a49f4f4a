//! Numbers with a fraction, as computed by the real system: IEEE doubles, in whole numbers.
//!
//! *Knows*: the value of a double, its products with whole numbers and doubles, rounded like IEEE. *Must not know*: the meaning
//! of a number.
//!
//! The real system computes shares and delays in doubles, and its results depend on their rounding: 100 instances with 0.15
//! more are 114. Nothing here is a float, so every machine gets the same result.

use std::cmp::Ordering;

/// Bits of a mantissa.
const BITS: u32 = 53;
/// The exponent of the smallest step of a double.
const LEAST: i32 = -1074;

/// A double, by its sign, mantissa and exponent.
///
/// *Invariant*: the value is the mantissa times two to the exponent; the mantissa has at most 53 bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Double {
    negative: bool,
    mantissa: u64,
    exponent: i32,
}

impl Double {
    /// Zero.
    pub(crate) const ZERO: Self = Self { negative: false, mantissa: 0, exponent: 0 };
    /// One.
    pub(crate) const ONE: Self = Self { negative: false, mantissa: 1, exponent: 0 };
    /// A half.
    pub(crate) const HALF: Self = Self { negative: false, mantissa: 1, exponent: -1 };

    /// Creates it from a number of a JSON text.
    pub(crate) fn of(number: f64) -> Self {
        let bits = number.to_bits();
        let (fraction, power) = (bits & ((1 << (BITS - 1)) - 1), bits >> (BITS - 1) & 0x7FF);
        let (mantissa, power) = if power == 0 { (fraction, 1) } else { (fraction | 1 << (BITS - 1), power) };
        let exponent = LEAST - 1 + i32::try_from(power).unwrap_or(0);
        Self { negative: bits >> 63 == 1, mantissa, exponent }.reduced()
    }

    /// A whole number, rounded to a double.
    pub(crate) fn whole(number: u64) -> Self {
        Self::rounded(false, u128::from(number), 0)
    }

    /// The same value with the smallest mantissa.
    fn reduced(self) -> Self {
        if self.mantissa == 0 {
            return Self { exponent: 0, ..self };
        }
        let zeros = self.mantissa.trailing_zeros();
        Self {
            mantissa: self.mantissa >> zeros,
            exponent: self.exponent.saturating_add(i32::try_from(zeros).unwrap_or(0)),
            ..self
        }
    }

    /// The nearest double; of two that are equally near, the even one.
    fn rounded(negative: bool, exact: u128, exponent: i32) -> Self {
        let bits = u128::BITS - exact.leading_zeros();
        let Some(surplus) = bits.checked_sub(BITS).filter(|surplus| *surplus > 0) else {
            return Self { negative, mantissa: u64::try_from(exact).unwrap_or(0), exponent }.reduced();
        };
        let (kept, rest) = (exact >> surplus, exact & ((1 << surplus) - 1));
        let up = match rest.cmp(&(1 << (surplus - 1))) {
            Ordering::Less => false,
            Ordering::Equal => kept & 1 == 1,
            Ordering::Greater => true,
        };
        let mantissa = u64::try_from(kept).unwrap_or(0).saturating_add(u64::from(up));
        let exponent = exponent.saturating_add(i32::try_from(surplus).unwrap_or(0));
        Self { negative, mantissa, exponent }.reduced()
    }

    /// The product.
    pub(crate) fn times(self, other: Self) -> Self {
        let exact = u128::from(self.mantissa) * u128::from(other.mantissa);
        Self::rounded(self.negative != other.negative, exact, self.exponent.saturating_add(other.exponent))
    }

    /// One more. Not for negative numbers.
    pub(crate) fn plus_one(self) -> Self {
        let mantissa = u128::from(self.mantissa);
        match u32::try_from(self.exponent) {
            Ok(shift) if shift <= 64 => Self::rounded(false, (mantissa << shift) + 1, 0),
            Ok(_) => self,
            Err(_) => match self.exponent.unsigned_abs() {
                shift if shift <= 120 => Self::rounded(false, mantissa + (1 << shift), self.exponent),
                _ => Self::ONE,
            },
        }
    }

    /// The whole part without its sign, and whether there is a fraction.
    fn split(self) -> (u64, bool) {
        match u32::try_from(self.exponent) {
            Ok(_) if self.mantissa == 0 => (0, false),
            Ok(shift) if shift <= self.mantissa.leading_zeros() => (self.mantissa << shift, false),
            Ok(_) => (u64::MAX, false),
            Err(_) => match self.exponent.unsigned_abs() {
                shift if shift < u64::BITS => {
                    (self.mantissa >> shift, self.mantissa & ((1 << shift) - 1) != 0)
                }
                _ => (0, self.mantissa != 0),
            },
        }
    }

    /// Returns the whole part; 0 for negative numbers, the maximum for larger ones.
    pub(crate) fn floor(self) -> u64 {
        if self.negative { 0 } else { self.split().0 }
    }

    /// The next whole number that is not smaller; 0 for negative numbers.
    pub(crate) fn ceil(self) -> u64 {
        let (whole, fraction) = self.split();
        if self.negative { 0 } else { whole.saturating_add(u64::from(fraction)) }
    }

    /// The next whole number that is not smaller, as a signed one of 32 bits; the nearest there is for what does not fit.
    pub(crate) fn ceil_i32(self) -> i32 {
        let (whole, _) = self.split();
        if self.negative {
            i32::try_from(whole).map_or(i32::MIN, |whole| -whole)
        } else {
            i32::try_from(self.ceil()).unwrap_or(i32::MAX)
        }
    }

    /// The nearest whole number; of two that are equally near, the even one. Not for negative numbers.
    pub(crate) fn nearest(self) -> u64 {
        let (twice, fraction) = self.times(Self { mantissa: 1, exponent: 1, negative: false }).split();
        let (whole, half) = (twice / 2, twice % 2 == 1);
        whole.saturating_add(u64::from(half && (fraction || whole % 2 == 1)))
    }

    /// Returns whether it is 0.
    pub(crate) fn is_zero(self) -> bool {
        self.mantissa == 0
    }

    /// The float, for texts that show it.
    pub(crate) fn shown(self) -> f64 {
        let sign = u64::from(self.negative) << 63;
        if self.mantissa == 0 {
            return f64::from_bits(sign);
        }
        // As many bits as possible, so that the exponent is the encoded one.
        let room = self.mantissa.leading_zeros().saturating_sub(u64::BITS - BITS);
        let room = room.min(u32::try_from(self.exponent.saturating_sub(LEAST)).unwrap_or(0));
        let (mantissa, exponent) = (self.mantissa << room, self.exponent - i32::try_from(room).unwrap_or(0));
        let power = if mantissa >> (BITS - 1) == 0 { 0 } else { exponent - LEAST + 1 };
        let power = u64::try_from(power).unwrap_or(0);
        f64::from_bits(sign | power << (BITS - 1) | mantissa & ((1 << (BITS - 1)) - 1))
    }
}

#[cfg(test)]
mod tests {
    use super::Double;

    const NUMBERS: [f64; 20] = [
        0.0,
        1.0,
        0.5,
        0.15,
        0.07,
        0.7,
        0.1,
        0.2,
        0.3,
        0.6,
        0.8,
        1.15,
        2.5,
        1.5,
        3.999_999_999_999_999_6,
        1e-9,
        1e17,
        1e300,
        5e-324,
        2.225e-308,
    ];

    #[test]
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        clippy::cast_precision_loss,
        reason = "held against floats"
    )]
    fn results_are_those_of_doubles() {
        for number in NUMBERS {
            let double = Double::of(number);
            assert_eq!(double.shown().to_bits(), number.to_bits(), "{number}");
            assert_eq!(Double::of(-number).shown().to_bits(), (-number).to_bits());
            assert_eq!(double.plus_one().shown().to_bits(), (1.0 + number).to_bits(), "1 + {number}");
            for count in [0_u64, 1, 2, 3, 7, 10, 100, 333, 4_000_000, u64::from(u32::MAX), 10_u64.pow(17) + 1]
            {
                let (exact, product) = (count as f64 * number, Double::whole(count).times(double));
                assert_eq!(product.floor(), exact as u64, "{count} * {number}");
                assert_eq!(product.ceil(), exact.ceil() as u64, "{count} * {number}");
                assert_eq!(product.ceil_i32(), exact.ceil() as i32, "{count} * {number}");
                let under = Double::whole(count).times(Double::of(-number));
                assert_eq!(under.ceil_i32(), (-exact).ceil() as i32, "{count} * -{number}");
                if exact < 1e15 {
                    assert_eq!(product.nearest().to_string(), format!("{exact:.0}"), "{count} * {number}");
                }
            }
        }
    }
}
