//! Agents and the machines they run on.
//!
//! | part | module |
//! |---|---|
//! | records: agents, machines, permits to remove agents | `record`, `hosts`, `removal_limit` |
//! | an agent registers, a machine joins or leaves | `registration` |
//! | pings, disconnection, return | `liveness` |
//! | an agent is removed, marked gone, marked unreachable | `removal`, `permits` |
//! | the registry forgets agents that have been away for weeks | `registry_gc` |
//! | tasks that run although the master no longer lists them | `untracked` |
//! | the ledger of machines: what agents' tasks hold, what others hold | `holdings` |
//! | processes that are told to end with their agent or framework | `shutdown` |
//! | another master takes over | `failover` |
//! | machines as a front end shows them | `view`, `view_cache` |

pub(crate) mod failover;
mod holdings;
mod hosts;
mod liveness;
mod permits;
mod record;
mod registration;
mod registry_gc;
mod removal;
mod removal_limit;
pub(crate) mod shutdown;
mod untracked;
mod view;
mod view_cache;

pub(crate) use hosts::{Host, Hosts};
pub use liveness::{MAX_PING_TIMEOUTS, PING_TIMEOUT_MS};
pub(crate) use record::{
    AGENT_PORT, Agent, AgentState, Executor, Executors, GONE, Removal, RemovalReason, gone_event,
};
pub(crate) use removal_limit::RemovalLimit;
