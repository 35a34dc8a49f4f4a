//! Frameworks: who asks for offers.

use planarium_kernel::{Milli, SortedMap, id_types};
use planarium_protocol::Text;

id_types! {
    /// A framework. Never reused.
    pub FrameworkId;
}

/// What a framework understands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Capability {
    /// Resources that may be taken back.
    RevocableResources,
    /// The state TASK_KILLING.
    TaskKillingState,
    /// Agents with GPUs.
    GpuResources,
    /// Volumes used by several tasks.
    SharedResources,
    /// The precise states instead of TASK_LOST.
    PartitionAware,
    /// Several roles.
    MultiRole,
    /// Reservations on reservations.
    ReservationRefinement,
    /// Agents in other regions.
    RegionAware,
}

/// A framework as it subscribes.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FrameworkInfo {
    /// Name.
    pub name: Text,
    /// User that runs its tasks.
    pub user: Text,
    /// Roles it subscribes with.
    pub roles: Vec<Text>,
    /// Roles it wants no offers for, of those.
    pub suppressed_roles: Vec<Text>,
    /// Principal.
    pub principal: Option<Text>,
    /// What it understands.
    pub capabilities: Vec<Capability>,
    /// Whether its tasks outlive an agent process.
    pub checkpoint: bool,
    /// How long it may be away before it is removed.
    pub failover_ms: u64,
    /// Per role: amounts by kind, all of one of which must be there for an offer to be worth making; with an empty list
    /// anything is. For roles that are not named the master decides.
    pub min_allocatable: SortedMap<Text, Vec<SortedMap<Text, Milli>>>,
}

impl FrameworkInfo {
    /// Whether it understands this.
    pub fn can(&self, capability: Capability) -> bool {
        self.capabilities.contains(&capability)
    }
}
