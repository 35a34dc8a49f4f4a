//! The simulated Mesos cluster: master, agents, allocator.
//!
//! *Knows*: offers, reservations, volumes, task states, filters, partitions.
//! *Must not know*: what frameworks do with offers; their plans, pods and services.
//!
//! [`Master`] is the only thing that others talk to. Calls and fleet events go in; [`api::Message`]s for
//! frameworks come out of its outbox. Messages take no virtual time.
//! Source: `apache/mesos`, file named in each module.
//!
//! | room | holds |
//! |---|---|
//! | [`api`], [`wire`] | shapes: what is said, and its JSON |
//! | `allocator` | who is offered what |
//! | `cluster` | frameworks, agents, allocator and timers: what every room works with |
//! | `frameworks`, `agents`, `tasks`, `offers`, [`maintenance`], [`operator`] | a record each (`store`), and the rules over it |
//! | `records` | all records |
//! | `master` | passes on what happens to the rules |
//!
//! A rule is a function that takes the records it needs; tasks know the cluster, offers know the cluster, and only
//! rules that touch every record take all of them. Calls go one way, in this order: recovery, statuses of tasks,
//! offers, operations, inverse offers, an agent's removal, drains, registration and return, the operator's calls, the
//! master.

mod actions;
mod agents;
mod allocator;
pub mod api;
mod check;
mod cluster;
mod counters;
mod frameworks;
pub mod maintenance;
mod master;
mod offers;
pub mod operator;
mod part;
mod records;
mod tasks;
pub mod wire;

pub use agents::{MAX_PING_TIMEOUTS, PING_TIMEOUT_MS};
pub use allocator::filter::{ALLOCATION_INTERVAL_MS, DEFAULT_REFUSE_MS, MAX_REFUSE_MS};
pub use master::Master;
pub use part::{Alone, Cluster, Framework, Mesos, News, OutsideView};
pub use planarium_ground::Cx;
pub use planarium_part::STATUSES;
pub use tasks::{DEFAULT_KILL_GRACE_MS, ProbeFacts};

/// Starts the processes of tasks.
pub const OWNER: planarium_ground::Owner = planarium_ground::Owner(0);
