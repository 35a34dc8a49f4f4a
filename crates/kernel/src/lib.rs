//! The base of every other crate: virtual time, the event queue, keyed randomness,
//! fixed-point numbers, digests, weights, causes, tables that copies share, small sorted tables, the civil calendar,
//! decimal and base64 text, the recorder of events and the journal types.
//!
//! *Knows*: integers, order and bytes.
//! *Must not know*: any domain word. No plan, machine, task or system occurs here, and nothing
//! here reads a clock, a file, the environment or entropy.

pub mod base64;
pub mod cause;
pub mod civil;
pub mod cow;
pub mod digest;
pub mod draw;
pub mod fingerprint;
pub mod float;
pub mod id;
pub mod journal;
pub mod limits;
pub mod milli;
pub mod queue;
pub mod recorder;
pub mod rope;
pub mod sorted;
pub mod time;
pub mod weight;

pub use cause::Cause;
pub use cow::{Finder, IdMap, Index, List, Map, Table};
pub use digest::{Digest, Digestible};
pub use journal::Entry;
pub use limits::Limits;
pub use milli::{Milli, ParseMilliError};
pub use planarium_derive::{Digestible, Read, Weight};
pub use queue::{Class, EventQueue, TimerId};
pub use recorder::{Recorded, Recorder};
pub use rope::{Rope, Stretch};
pub use sorted::{SortedMap, SortedSet};
pub use time::SimTime;
pub use weight::{Flat, Weight};
