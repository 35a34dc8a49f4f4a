//! Links to a run, and possible problems with one.

use planarium_protocol::Text;
use planarium_protocol::json::Read;
use serde::Serialize;

/// A link to the moment shown, and the moment's data.
#[derive(Clone, Debug, PartialEq, Serialize, Read)]
pub struct Link {
    /// The address.
    pub address: Text,
    /// The moment. *Units*: virtual milliseconds.
    pub at_ms: u64,
    /// Digest of the run up to that moment.
    pub digest: Text,
}

/// A link that could not be read.
#[derive(Clone, Debug, PartialEq, Serialize, Read)]
pub struct BrokenLink {
    /// The raw text.
    pub raw: Text,
    /// Why.
    pub reason: Text,
}

/// A run that may differ from its recording.
#[derive(Clone, Debug, PartialEq, Serialize, Read)]
pub struct Differing {
    /// The first difference, as a sentence without its full stop.
    pub text: Text,
    /// The recorded journal.
    pub recorded: Text,
}
