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
    /// Order the agent to shut down; it may not receive the order.
    ShutDown {
        /// The agent.
        agent: AgentId,
    },
    /// Remove the agent: its tasks become LOST for every framework, then offers and inverse offers are rescinded,
    /// then frameworks get FAILURE. It is already detached from its machine.
    Remove {
        /// The agent.
        agent: AgentId,
    },
}
