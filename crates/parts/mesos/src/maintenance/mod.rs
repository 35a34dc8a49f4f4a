//! Maintenance primitives: the operator's schedule, machine modes, inverse offers, draining.
//!
//! *Knows*: which machine is in which mode, what the operator posted, which agents are on which
//! machine, which frameworks were asked to leave an agent and what they answered, which agents are drained.
//! *Must not know*: offers, tasks, resources, frameworks beyond their ids, clocks. Time comes in as an
//! argument; what has to happen in the cluster goes out as [`Effect`]s and [`DrainEffect`]s that the master
//! carries out in order.
//!
//! | part | module |
//! |---|---|
//! | names of machines and when two mean the same | `id` |
//! | windows and the schedule | `window`, `schedule` |
//! | reading request bodies | [`decode`] |
//! | why a call is refused | `refused` |
//! | validation that needs no state | `validate` |
//! | machines, modes, agents on them | `registry` |
//! | the three calls that change modes | `post`, `down`, `up` |
//! | what the operator can read | `status` |
//! | inverse offers, answers, filters | `inverse` |
//! | agents drained, deactivated, marked gone | `drain` |
//! | all of these records in one | `store` |
//! | what all this does to the cluster | `cluster` |
//! | oddities kept on purpose, by name | [`quirk`] |
//!
//! **Atomic.** Every call first validates, then asks for permission, then changes state. A refused call changes
//! nothing; the one exception is [`Drains::reactivate`] for an agent that is away.
//!
//! **Never automatic.** The begin or end of a window changes no mode; nothing here compares an unavailability with
//! the present.
//!
//! Source: `apache/mesos: src/master/maintenance.cpp`, `src/master/http.cpp`, `src/master/master.cpp`,
//! `docs/maintenance.md`; where the page and the code differ, the code. Match, except where a module says so.

pub(crate) mod cluster;
pub mod decode;
mod down;
mod drain;
mod effect;
mod id;
mod inverse;
mod inverse_candidates;
mod post;
pub mod quirk;
mod refused;
mod registry;
mod schedule;
mod status;
mod store;
mod up;
mod validate;
mod window;

#[cfg(test)]
mod tests;

pub use crate::api::{Response, Unavailability};
pub use drain::{
    DrainConfig, DrainEffect, DrainEnd, DrainInfo, DrainState, Drains, MarkGone, Standing,
    grace_while_draining, may_mark_gone, state_while_draining,
};
pub use effect::Effect;
pub use id::{MachineId, MachineKey};
pub use inverse::{Answered, InverseFilterId, InverseGrant, InverseOffer, InverseOffers};
pub(crate) use inverse_candidates::InverseCandidates;
pub use refused::Refused;
pub use registry::{Machine, MachineInfo, MachineIsDown, MachineRegistry, Mode};
pub use schedule::Schedule;
pub use status::{ClusterStatus, DrainingMachine, InverseOfferStatus};
pub(crate) use store::Maintenance;
pub use window::Window;

/// Permits everything: the operator of a cluster without access rules.
pub fn everyone(_: &MachineId) -> bool {
    true
}
