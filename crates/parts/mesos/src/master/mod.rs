//! The master: it owns all records, and passes on what happens.
//!
//! Timers that are due, reports of the fleet and calls come in here and go to the room that has the rule: `agents`,
//! `tasks`, `frameworks`, `offers`, `maintenance`, `operator`. A rule is a function that takes the [`Records`] it needs.
//!
//! | part | module |
//! |---|---|
//! | timers that are due, reports of the fleet, messages | `time` |
//! | machines and their agents | `agents` |
//! | frameworks and their calls | `frameworks` |
//! | the operator, the user who plays the cluster | `operator` |
//! | questions, digest, checks | `reads` |

mod agents;
mod frameworks;
mod operator;
mod reads;
mod time;

use crate::records::Records;
use planarium_kernel::{Digestible, Weight};

/// The leading master with all its records.
#[derive(Clone, Debug, Digestible, Weight)]
#[digest(records)]
#[weight(records)]
pub struct Master {
    pub(crate) records: Records,
}

impl Master {
    /// A master of an empty cluster. Its first batch run comes one interval after genesis.
    pub fn new(seed: u64) -> Self {
        Self { records: Records::new(seed) }
    }
}
