//! What the master has to do after a call, in order.

use super::{MachineId, Mode, Unavailability};
use crate::api::AgentId;

/// One thing to do. The order in which a call answers them is the order of the real master.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Effect {
    /// A machine changed its mode; only to be told.
    Mode {
        /// As it was first spelled.
        machine: MachineId,
        /// Before.
        from: Mode,
        /// Now.
        to: Mode,
    },
    /// Rescind every offer of the agent (without a filter) and every inverse offer, hand the allocator the
    /// new unavailability, forget filters and answers for inverse offers ([`super::InverseOffers::refresh`]),
    /// ask for an event run over the agent.
    Refresh {
        /// Which agent.
        agent: AgentId,
        /// From now on.
        unavailability: Option<Unavailability>,
    },
    /// Order the agent to shut down; it may not hear it.
    ShutDown {
        /// Which agent.
        agent: AgentId,
    },
    /// Take the agent out of the books: its tasks are LOST for everyone, then offers and inverse offers are
    /// rescinded, then frameworks are told FAILURE. It is detached from its machine already.
    Remove {
        /// Which agent.
        agent: AgentId,
    },
}
