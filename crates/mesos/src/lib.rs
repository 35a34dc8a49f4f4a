//! The simulated Mesos cluster: master, agents, allocator.
//!
//! *Knows*: offers, reservations, volumes, task states, filters, partitions.
//! *Must not know*: what frameworks do with offers; their plans, pods and services.
//!
//! [`Master`] is the only thing that others talk to. Calls and fleet events go in; [`api::Message`]s for
//! frameworks come out of its outbox. Messages take no virtual time.
//! Source: `apache/mesos` by way of the rules that each module names.

mod accept;
mod acknowledge;
mod adrift;
mod agent;
mod allocator;
pub mod api;
mod cache;
mod check;
mod counters;
mod expiry;
mod failover;
mod framework;
mod hosts;
mod kill;
mod liveness;
mod maintain;
pub mod maintenance;
mod manual;
mod master;
mod oblivion;
mod offers;
mod operations;
pub mod operator;
mod outside;
mod outstanding;
mod reconcile;
mod registration;
mod removal;
mod removal_limit;
mod shutdown;
mod task;
mod task_ids;
mod update;
mod view;
mod weight;
pub mod wire;

pub use allocator::filter::{ALLOCATION_INTERVAL_MS, DEFAULT_REFUSE_MS, MAX_REFUSE_MS};
pub use kill::DEFAULT_KILL_GRACE_MS;
pub use liveness::{MAX_PING_TIMEOUTS, PING_TIMEOUT_MS};
pub use master::Master;
pub use planarium_fleet::Cx;

/// Starts the processes of tasks.
pub const OWNER: planarium_fleet::Owner = planarium_fleet::Owner(0);
pub use view::ProbeFacts;
