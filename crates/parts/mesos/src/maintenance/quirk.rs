//! Oddities of the real master that are kept on purpose, each under a name.
//!
//! A reader who wonders why something behaves as it does finds the reason here. Source: `apache/mesos`, file
//! named with each.

/// `{"hostname":"m"}` and `{"hostname":"m","ip":""}` are two machines, although an empty field counts as
/// missing when an id is validated. `src/common/type_utils.cpp`, `include/mesos/type_utils.hpp`.
pub const UNSET_DIFFERS_FROM_EMPTY: bool = true;

/// A single value is taken where a list is expected, and a list inside a list is flattened.
/// `3rdparty/stout/include/stout/protobuf.hpp`.
pub const SINGLE_VALUE_IS_A_LIST: bool = true;

/// A schedule POST refreshes the agents of *every* machine the master knows, also of machines that were UP
/// and stay UP, and also when nothing changed. `src/master/http.cpp` (updateMaintenanceSchedule).
pub const POST_REFRESHES_EVERY_KNOWN_MACHINE: bool = true;

/// The status shows a machine in its first spelling, the schedule in its last. `src/master/http.cpp`.
pub const STATUS_SHOWS_FIRST_SPELLING: bool = true;

/// An answer to an inverse offer counts for the framework that received it, whoever sends it. `src/master/master.cpp`
/// (acceptInverseOffers, declineInverseOffers).
pub const ANSWER_COUNTS_FOR_THE_ADDRESSEE: bool = true;

/// Reactivating an agent that is not registered clears its flags and is answered with 409 all the same.
/// `src/master/http.cpp` (reactivateAgent).
pub const REACTIVATE_WHILE_AWAY_IS_A_CONFLICT: bool = true;

/// While an agent is drained in order to be marked gone, KILLING is also reported as GONE_BY_OPERATOR.
/// `src/slave/slave.cpp`.
pub const KILLING_IS_TOLD_AS_GONE: bool = true;

/// Quotas are set on top-level roles, and what roles below them hold counts for them; yet an offer to a role below
/// is not cut down to the quota of the role above. `src/master/allocator/mesos/hierarchical.cpp`.
pub const NESTED_ROLES_HAVE_NO_QUOTA: bool = true;

/// Subscribed operators get AGENT_REMOVED for agents that are removed, and not for those that become unreachable or
/// gone. `src/master/master.cpp` (_removeSlave, __removeSlave).
pub const ONLY_REMOVED_AGENTS_ARE_TOLD: bool = true;

/// Setting a weight rescinds no offers; free resources follow the new weight from the next batch run on.
pub const WEIGHTS_RESCIND_NOTHING: bool = true;
