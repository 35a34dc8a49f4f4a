//! Effects of a call on draining, in order.

use super::{MachineId, Mode, Unavailability};
use crate::api::AgentId;

/// One thing to do. A call returns them in the order in which the real master does them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Effect {
    /// A machine's mode has changed; for the event only.
    Mode {
        /// Its name as first spelled.
        machine: MachineId,
        /// Before.
        from: Mode,
        /// Now.
        to: Mode,
    },
    /// Rescind every offer of the agent (without a filter) and every inverse offer, give the allocator the new
    /// unavailability, forget filters and answers for inverse offers ([`super::InverseOffers::refresh`]), and
    /// request an event run over the agent.
    Refresh {
        /// The agent.
        agent: AgentId,
        /// Its unavailability from now on.
        unavailability: Option<Unavailability>,
    },
    /// Send the agent the order to shut down; it may not hear it.
    ShutDown {
        /// The agent.
        agent: AgentId,
    },
    /// Remove the agent: its tasks are LOST for every framework, then offers and inverse offers are
    /// rescinded, then frameworks are told FAILURE. It is detached from its machine already.
    Remove {
        /// The agent.
        agent: AgentId,
    },
}
