//! Causes of events.
//!
//! *Knows*: sequence numbers. *Must not know*: the contents of an input or event.

use serde::{Deserialize, Serialize};

use crate::digest::{Digest, Digestible};

/// The cause of an event: an input or an earlier event.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Cause {
    /// The world's starting parameters.
    #[default]
    Genesis,
    /// The journaled input with this sequence number.
    Input(u64),
    /// The earlier event with this sequence number.
    Event(u64),
}

impl Digestible for Cause {
    fn digest(&self, digest: &mut Digest) {
        let (tag, seq) = match *self {
            Self::Genesis => (0, 0),
            Self::Input(seq) => (1, seq),
            Self::Event(seq) => (2, seq),
        };
        digest.write_u64(tag);
        digest.write_u64(seq);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn has_a_small_json_shape() {
        for (cause, json) in [
            (Cause::Genesis, r#""genesis""#),
            (Cause::Input(3), r#"{"input":3}"#),
            (Cause::Event(9), r#"{"event":9}"#),
        ] {
            assert_eq!(serde_json::to_string(&cause).expect("plain data"), json);
            assert_eq!(serde_json::from_str::<Cause>(json).expect("own output"), cause);
        }
    }
}
