//! Agents and the machines they run on.
//!
//! | part | module |
//! |---|---|
//! | records: agents, machines, permits to remove agents | `record`, `hosts`, `removal_limit`; all of them: `store` |
//! | an agent registers, a machine joins or leaves | `registration` |
//! | an agent is let in on its machine, or turned away; it is started again | `admission`, `restart` |
//! | pings, disconnection, return; what waited is delivered | `liveness`, `catch_up` |
//! | an agent is removed, marked gone, marked unreachable | `removal`, `permits` |
//! | the registry forgets agents that have been away for weeks | `registry_gc` |
//! | the ledger of machines: what agents' tasks hold, what others hold | `holdings` |
//! | another master takes over | `failover` |
//! | machines as a front end shows them | `view`, `view_cache` |

pub(crate) mod admission;
pub(crate) mod catch_up;
pub(crate) mod failover;
pub(crate) mod holdings;
mod hosts;
pub(crate) mod liveness;
pub(crate) mod permits;
mod record;
pub(crate) mod registration;
pub(crate) mod registry_gc;
pub(crate) mod removal;
pub(crate) mod removal_limit;
pub(crate) mod restart;
mod store;
pub(crate) mod view;
mod view_cache;

pub(crate) use hosts::{Host, Hosts};
pub use liveness::{MAX_PING_TIMEOUTS, PING_TIMEOUT_MS};
pub(crate) use record::{
    AGENT_PORT, Agent, AgentState, Executor, Executors, GONE, Removal, RemovalReason, gone_event,
};
pub(crate) use removal_limit::RemovalLimit;
pub(crate) use store::Agents;
