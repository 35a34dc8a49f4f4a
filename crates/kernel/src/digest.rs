//! The digest of canonical state: 64 bits, the same on every target.
//!
//! *Knows*: how values of a few plain kinds become words.
//! *Must not know*: what is digested. It guards against divergence, not against an adversary.
//!
//! Algorithm: each value is turned into 64-bit words, each word absorbed with the SplitMix64 step of
//! [`crate::draw::absorb`] into a state that starts at 0. An unsigned number is one word, a signed one
//! its two's complement, a boolean 0 or 1. Bytes are their length, then little-endian groups of eight,
//! the last padded with zeros; text is its UTF-8 bytes.
//!
//! | written | digest |
//! |---|---|
//! | nothing | `0000000000000000` |
//! | `u64` 0 | `e220a8397b1dcdaf` |
//! | `u64` 1, `i64` -1, `bool` true | `cff9be5df8ae0957` |
//! | text `hello, planets` | `10498785869db143` |

use std::fmt;
use std::sync::Arc;

use crate::{draw::absorb, milli::Milli, queue::EventQueue, time::SimTime};

/// A running digest.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Digest {
    state: u64,
}

impl Digest {
    /// An empty digest.
    pub const fn new() -> Self {
        Self { state: 0 }
    }

    /// Writes an unsigned number.
    pub const fn write_u64(&mut self, value: u64) {
        self.state = absorb(self.state, value);
    }

    /// Writes an unsigned number of 32 bits, as [`Digest::write_u64`] would.
    pub const fn write_u32(&mut self, value: u32) {
        self.write_u64(value as u64);
    }

    /// Writes a signed number.
    pub const fn write_i64(&mut self, value: i64) {
        self.write_u64(value.cast_unsigned());
    }

    /// Writes a truth value.
    pub const fn write_bool(&mut self, value: bool) {
        self.write_u64(value as u64);
    }

    /// Writes bytes with their length.
    pub fn write_bytes(&mut self, bytes: &[u8]) {
        let mut state = absorb(self.state, bytes.len() as u64);
        let (groups, rest) = bytes.as_chunks::<8>();
        for group in groups {
            state = absorb(state, u64::from_le_bytes(*group));
        }
        if !rest.is_empty() {
            // With at least eight bytes, the last eight are read as one word, and the bytes of earlier groups are shifted out.
            let last = bytes.last_chunk::<8>().map_or_else(
                || rest.iter().rev().fold(0, |word, byte| word << 8 | u64::from(*byte)),
                |last| u64::from_le_bytes(*last) >> (64 - 8 * rest.len()),
            );
            state = absorb(state, last);
        }
        self.state = state;
    }

    /// Writes text with its length.
    pub fn write_str(&mut self, text: &str) {
        self.write_bytes(text.as_bytes());
    }

    /// Writes a value.
    pub fn write(&mut self, value: &(impl Digestible + ?Sized)) {
        value.digest(self);
    }

    /// Returns the digest of one value.
    pub fn of(value: &(impl Digestible + ?Sized)) -> u64 {
        let mut digest = Self::new();
        digest.write(value);
        digest.finish()
    }

    /// The digest of everything written so far.
    pub const fn finish(&self) -> u64 {
        self.state
    }
}

impl fmt::Display for Digest {
    /// Sixteen hexadecimal digits.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:016x}", self.state)
    }
}

/// A value with a place in a digest. Derive it with a list of what enters: see [`macro@crate::Digestible`].
pub trait Digestible {
    /// Writes what a replay of the same inputs must reproduce.
    fn digest(&self, digest: &mut Digest);
}

/// Implements [`Digestible`] for types that [`Digest`] writes itself.
macro_rules! digestible {
    ($($type:ty: |$value:ident, $digest:ident| $write:expr;)+) => {$(
        impl Digestible for $type {
            fn digest(&self, $digest: &mut Digest) {
                let $value = self;
                $write;
            }
        }
    )+};
}

digestible! {
    u32: |value, digest| digest.write_u32(*value);
    u64: |value, digest| digest.write_u64(*value);
    usize: |value, digest| digest.write_u64(*value as u64);
    i64: |value, digest| digest.write_i64(*value);
    bool: |value, digest| digest.write_bool(*value);
    str: |value, digest| digest.write_str(value);
    String: |value, digest| digest.write_str(value);
    SimTime: |value, digest| digest.write_u64(value.ms());
    Milli: |value, digest| digest.write_i64(value.0);
}

impl<T: Digestible + ?Sized> Digestible for &T {
    fn digest(&self, digest: &mut Digest) {
        (**self).digest(digest);
    }
}

impl<T: Digestible + ?Sized> Digestible for Arc<T> {
    fn digest(&self, digest: &mut Digest) {
        (**self).digest(digest);
    }
}

impl<T: Digestible> Digestible for [T] {
    /// The number of items, then each of them.
    fn digest(&self, digest: &mut Digest) {
        digest.write_u64(self.len() as u64);
        for item in self {
            item.digest(digest);
        }
    }
}

impl<T: Digestible> Digestible for Vec<T> {
    fn digest(&self, digest: &mut Digest) {
        self.as_slice().digest(digest);
    }
}

impl<A: Digestible, B: Digestible> Digestible for (A, B) {
    fn digest(&self, digest: &mut Digest) {
        self.0.digest(digest);
        self.1.digest(digest);
    }
}

impl<T> Digestible for EventQueue<T> {
    /// The number of timers and when the first of them is due.
    fn digest(&self, digest: &mut Digest) {
        digest.write_u64(self.len() as u64);
        digest.write_u64(self.next_due().map_or(u64::MAX, SimTime::ms));
    }
}

/// A finished digest as people and journals see it: sixteen hexadecimal digits.
pub fn hex(digest: u64) -> String {
    format!("{digest:016x}")
}

/// Reads what [`hex`] wrote.
pub fn parse_hex(text: &str) -> Option<u64> {
    (text.len() == 16 && text.bytes().all(|b| b.is_ascii_hexdigit()))
        .then(|| u64::from_str_radix(text, 16).ok())
        .flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(write: impl FnOnce(&mut Digest)) -> String {
        let mut digest = Digest::new();
        write(&mut digest);
        digest.to_string()
    }

    #[test]
    fn vectors() {
        assert_eq!(of(|_| {}), "0000000000000000");
        assert_eq!(of(|d| d.write_u64(0)), "e220a8397b1dcdaf");
        let three = of(|d| {
            d.write_u64(1);
            d.write_i64(-1);
            d.write_bool(true);
        });
        assert_eq!(three, "cff9be5df8ae0957");
        assert_eq!(of(|d| d.write_str("hello, planets")), "10498785869db143");
    }

    #[test]
    fn boundaries_between_values_matter() {
        let two = |a: &str, b: &str| {
            of(|d| {
                d.write_str(a);
                d.write_str(b);
            })
        };
        assert_ne!(two("ab", "c"), two("a", "bc"));
        assert_ne!(of(|d| d.write_bytes(&[0])), of(|d| d.write_bytes(&[0, 0])));
        assert_ne!(of(|d| d.write_str("")), of(|_| {}));
    }

    #[test]
    fn hex_round_trips() {
        for value in [0, 1, u64::MAX, 0x0123_4567_89AB_CDEF] {
            assert_eq!(parse_hex(&hex(value)), Some(value));
        }
        for text in ["", "1", "+000000000000000", "00000000000000000", "000000000000000g"] {
            assert_eq!(parse_hex(text), None, "{text}");
        }
    }
}
