//! Framework descriptions.

use planarium_kernel::{Milli, SortedMap, id_types};
use planarium_protocol::Text;

id_types! {
    /// Number of a framework. Never reused.
    pub FrameworkId;
}

/// Capabilities of a framework.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Capability {
    /// Accepts resources that may be revoked.
    RevocableResources,
    /// Knows the state TASK_KILLING.
    TaskKillingState,
    /// Accepts agents with GPUs.
    GpuResources,
    /// Shares persistent volumes among tasks.
    SharedResources,
    /// PARTITION_AWARE: knows the precise states that are TASK_LOST for others.
    PartitionAware,
    /// Subscribes with several roles.
    MultiRole,
    /// Understands refined reservations.
    ReservationRefinement,
    /// Accepts agents in other regions.
    RegionAware,
}

/// A framework's description, as it subscribes with it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FrameworkInfo {
    /// Name.
    pub name: Text,
    /// User that its tasks run as.
    pub user: Text,
    /// Roles it subscribes with.
    pub roles: Vec<Text>,
    /// Those of its roles that are suppressed: it wants no offers for them.
    pub suppressed_roles: Vec<Text>,
    /// Principal.
    pub principal: Option<Text>,
    /// Its capabilities.
    pub capabilities: Vec<Capability>,
    /// Set if its tasks outlive an agent process.
    pub checkpoint: bool,
    /// Time for which it may be away before it is removed.
    pub failover_ms: u64,
    /// `offer_filters` by role: amounts by kind, one set of which an offer must hold in full; an empty list admits any
    /// offer. For roles that are not named the master's `min_allocatable_resources` holds.
    pub min_allocatable: SortedMap<Text, Vec<SortedMap<Text, Milli>>>,
}

impl FrameworkInfo {
    /// Returns whether it has this capability.
    pub fn can(&self, capability: Capability) -> bool {
        self.capabilities.contains(&capability)
    }
}
