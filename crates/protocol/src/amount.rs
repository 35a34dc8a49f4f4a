//! Resource amounts as people write them: a number or a decimal text.

use crate::json::read::Misread;
use crate::json::{Read, Value};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};
use std::fmt;

/// A resource amount in thousandths (`cpus` in millicores, `mem` and `disk` in thousandths of a MiB).
///
/// Read from a JSON number (`0.5`) or a decimal text (`"0.5"`); written as a JSON number.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Amount(pub i64);

impl Amount {
    /// The amount in thousandths.
    pub fn thousandths(self) -> i64 {
        self.0
    }

    /// A whole amount.
    pub fn whole(n: i64) -> Self {
        Self(n.saturating_mul(1000))
    }
}

impl fmt::Display for Amount {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sign = if self.0 < 0 { "-" } else { "" };
        let abs = self.0.unsigned_abs();
        let (whole, part) = (abs / 1000, abs % 1000);
        if part == 0 {
            write!(f, "{sign}{whole}")
        } else {
            let text = format!("{part:03}");
            write!(f, "{sign}{whole}.{}", text.trim_end_matches('0'))
        }
    }
}

impl Serialize for Amount {
    fn serialize<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        if self.0 % 1000 == 0 {
            s.serialize_i64(self.0 / 1000)
        } else {
            #[expect(
                clippy::cast_precision_loss,
                reason = "three decimals of a bounded amount, at the boundary only"
            )]
            let value = self.0 as f64 / 1000.0;
            s.serialize_f64(value)
        }
    }
}

struct AmountVisitor;

impl de::Visitor<'_> for AmountVisitor {
    type Value = Amount;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an amount such as 2, 0.5 or \"0.5\"")
    }

    fn visit_i64<E: de::Error>(self, v: i64) -> Result<Amount, E> {
        v.checked_mul(1000).map(Amount).ok_or_else(|| E::custom("amount too large"))
    }

    fn visit_u64<E: de::Error>(self, v: u64) -> Result<Amount, E> {
        i64::try_from(v)
            .ok()
            .and_then(|v| v.checked_mul(1000))
            .map(Amount)
            .ok_or_else(|| E::custom("amount too large"))
    }

    fn visit_f64<E: de::Error>(self, v: f64) -> Result<Amount, E> {
        let scaled = (v * 1000.0).round();
        if scaled.is_finite() && scaled.abs() < 9.0e15 {
            #[expect(clippy::cast_possible_truncation, reason = "checked range just above")]
            let thousandths = scaled as i64;
            Ok(Amount(thousandths))
        } else {
            Err(E::custom("amount too large"))
        }
    }

    fn visit_str<E: de::Error>(self, v: &str) -> Result<Amount, E> {
        planarium_kernel::float::parse(v.trim())
            .ok_or_else(|| E::custom(format!("`{v}` is not an amount")))
            .and_then(|v| self.visit_f64(v))
    }
}

impl<'de> Deserialize<'de> for Amount {
    fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        d.deserialize_any(AmountVisitor)
    }
}

impl Read for Amount {
    fn read(value: Value) -> Result<Self, Misread> {
        Self::deserialize(value).map_err(|_| Misread("amount"))
    }
}
