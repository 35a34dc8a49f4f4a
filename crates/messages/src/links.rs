//! Links to a run, and what may be wrong with one.

use planarium_protocol::Text;
use serde::{Deserialize, Serialize};

/// A link to the moment shown, and what it leads to.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Link {
    /// The address.
    pub address: Text,
    /// The moment. *Units*: virtual milliseconds.
    pub at_ms: u64,
    /// Digest of all that happened up to then.
    pub digest: Text,
}

/// A link that could not be read.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct BrokenLink {
    /// The raw text.
    pub raw: Text,
    /// Why.
    pub reason: Text,
}

/// A run that may have come out differently than it was recorded.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Differing {
    /// Its first difference, as a sentence without an end.
    pub text: Text,
    /// The journal as it was recorded.
    pub recorded: Text,
}
