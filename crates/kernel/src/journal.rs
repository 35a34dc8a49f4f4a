//! An entry of a journal: an input, its instant, and the digest of the state after it.
//!
//! *Knows*: order and digests. *Must not know*: the contents of an input.

use serde::{Deserialize, Serialize};

/// One journaled input.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Entry<I> {
    /// Number of the input, from 1, without gaps.
    pub seq: u64,
    /// Instant at which it was applied. *Units*: milliseconds since genesis.
    pub at_ms: u64,
    /// Set if it was applied within that instant: right after the event with this number,
    /// before the rest of the instant's work. Absent: after all work due by then.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub after_event: Option<u64>,
    /// Number of steps of that instant after that event that reported nothing.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub after_quiet: u32,
    /// The input.
    pub input: I,
    /// Digest of the state after the step, when known; sixteen hexadecimal digits when serialised.
    #[serde(default, skip_serializing_if = "Option::is_none", with = "hex_digest")]
    pub digest: Option<u64>,
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
    fn round_trips_with_a_readable_digest() {
        let entry = Entry {
            seq: 1,
            at_ms: 3,
            after_event: None,
            after_quiet: 0,
            input: "go".to_owned(),
            digest: Some(0xFEDC_BA98_7654_3210),
        };
        let text = serde_json::to_string(&entry).expect("plain data");
        assert_eq!(text, r#"{"seq":1,"at_ms":3,"input":"go","digest":"fedcba9876543210"}"#);
        assert_eq!(serde_json::from_str::<Entry<String>>(&text).expect("own output"), entry);
        assert!(serde_json::from_str::<Entry<String>>(&text.replace("fedc", "fedg")).is_err());
    }
}
