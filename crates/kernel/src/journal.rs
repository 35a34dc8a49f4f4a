//! The journal: inputs in order, each with the digest of the state it led to.
//!
//! *Knows*: order and digests. *Must not know*: what an input says.
//!
//! State is the replay of a journal; replay stops at the first entry whose digest differs.

use serde::{Deserialize, Serialize};

/// One journaled input.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Entry<I> {
    /// Number of the input, from 1, without gaps.
    pub seq: u64,
    /// Instant at which it was applied. *Units*: milliseconds since genesis.
    pub at_ms: u64,
    /// Set when it was applied in the middle of that instant: right after the event with this number,
    /// before the rest of the instant's work. Absent: after all work due by then.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub after_event: Option<u64>,
    /// Steps of that instant which came after that event and reported nothing.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub after_quiet: u32,
    /// What was put in.
    pub input: I,
    /// Digest of the state after the step, when known; sixteen hexadecimal digits when serialised.
    #[serde(default, skip_serializing_if = "Option::is_none", with = "hex_digest")]
    pub digest: Option<u64>,
}

/// Inputs in the order they were applied.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Journal<I> {
    /// The entries, oldest first.
    pub entries: Vec<Entry<I>>,
}

impl<I> Default for Journal<I> {
    fn default() -> Self {
        Self { entries: Vec::new() }
    }
}

impl<I> Journal<I> {
    /// An empty journal.
    pub const fn new() -> Self {
        Self { entries: Vec::new() }
    }

    /// Appends an input and answers its number.
    pub fn push(&mut self, at_ms: u64, input: I) -> u64 {
        let seq = self.last_seq() + 1;
        self.entries.push(Entry { seq, at_ms, after_event: None, after_quiet: 0, input, digest: None });
        seq
    }

    /// Number of the last input; 0 when there is none.
    pub fn last_seq(&self) -> u64 {
        self.entries.last().map_or(0, |entry| entry.seq)
    }

    /// Notes the digest of the state after the last input.
    pub fn seal(&mut self, digest: u64) {
        if let Some(entry) = self.entries.last_mut() {
            entry.digest = Some(digest);
        }
    }

    /// Drops every entry after number `seq`.
    pub fn truncate(&mut self, seq: u64) {
        self.entries.retain(|entry| entry.seq <= seq);
    }
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "the signature serde calls")]
fn is_zero(count: &u32) -> bool {
    *count == 0
}

/// Digests as text: a reader in JavaScript would lose the low bits of a 64-bit number.
mod hex_digest {
    use serde::{Deserialize, Deserializer, Serializer, de::Error};

    use crate::digest::{hex, parse_hex};

    #[expect(clippy::ref_option, reason = "the signature serde calls")]
    pub(super) fn serialize<S: Serializer>(digest: &Option<u64>, serializer: S) -> Result<S::Ok, S::Error> {
        match digest {
            Some(digest) => serializer.serialize_str(&hex(*digest)),
            None => serializer.serialize_none(),
        }
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<u64>, D::Error> {
        let text = Option::<String>::deserialize(deserializer)?;
        text.map(|text| parse_hex(&text).ok_or_else(|| D::Error::custom("not sixteen hexadecimal digits")))
            .transpose()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_entries_and_seals_the_last() {
        let mut journal = Journal::new();
        assert_eq!((journal.last_seq(), journal.push(0, 'a'), journal.push(5, 'b')), (0, 1, 2));
        journal.seal(9);
        assert_eq!(journal.entries.iter().map(|e| e.digest).collect::<Vec<_>>(), [None, Some(9)]);
        journal.truncate(1);
        assert_eq!((journal.last_seq(), journal.push(6, 'c')), (1, 2));
    }

    #[test]
    fn round_trips_with_a_readable_digest() {
        let mut journal = Journal::new();
        journal.push(3, "go".to_owned());
        journal.seal(0xFEDC_BA98_7654_3210);
        journal.push(4, "on".to_owned());
        let text = serde_json::to_string(&journal).expect("plain data");
        assert_eq!(
            text,
            r#"{"entries":[{"seq":1,"at_ms":3,"input":"go","digest":"fedcba9876543210"},{"seq":2,"at_ms":4,"input":"on"}]}"#
        );
        assert_eq!(serde_json::from_str::<Journal<String>>(&text).expect("own output"), journal);
        assert!(serde_json::from_str::<Journal<String>>(&text.replace("fedc", "fedg")).is_err());
    }
}
