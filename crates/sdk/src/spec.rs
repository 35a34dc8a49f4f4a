//! The internal service spec: what a definition means once rendered, read and checked.
//!
//! *Knows*: every field of a service definition, typed, with the place it was written.
//! *Must not know*: YAML, templates, diagnostics, offers or plans in motion.
//!
//! Equality compares meaning only: positions ([`At`]) are always equal to each other, so two readings of
//! the same definition from different files are the same spec.
//!
//! **Source**: `dcos-commons: sdk/scheduler/src/main/java/com/mesosphere/sdk/specification`. Match, with the
//! fields a Java program alone can set reduced to those that the environment can reach.

mod plan;
mod pod;
mod resources;
mod task;

pub use plan::{PhaseSpec, PhaseStrategy, PlanSpec, PlanStrategy, StepEntry, StepKey, StepTasks};
pub use pod::{
    ExternalVolume, HostVolume, IpcMode, NetworkSpec, PodSpec, PortMapping, Rlimit, SecretSpec, VolumeMode,
};
pub use resources::{
    Limit, PortRange, PortSpec, ResourceLimits, ResourceSet, VipSpec, VolumeKind, VolumeSpec,
};
pub use task::{
    ConfigFile, DiscoverySpec, Goal, HealthCheck, ReadinessCheck, TaskSpec, TransportEncryption,
    TransportEncryptionKind, Visibility,
};

use planarium_protocol::Text;
use planarium_protocol::view::SourceRef;
use std::sync::Arc;

/// Where something was written. Two of them are always equal, so positions never make two specs differ.
#[derive(Clone, Debug, Eq)]
pub struct At(pub SourceRef);

impl At {
    /// A position in a file.
    pub fn new(file: Text, line: u32, column: u32) -> Self {
        Self(SourceRef { file, line, column })
    }

    /// The place as the protocol has it.
    pub fn source(&self) -> SourceRef {
        self.0.clone()
    }
}

impl PartialEq for At {
    fn eq(&self, _other: &Self) -> bool {
        true
    }
}

/// One service, complete.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ServiceSpec {
    /// Service name, possibly with slashes (`/team/hello`).
    pub name: Text,
    /// Role the service's resources are reserved for.
    pub role: Text,
    /// Mesos principal.
    pub principal: Text,
    /// User of the service and of every pod.
    pub user: Text,
    /// ZooKeeper address.
    pub zookeeper: Text,
    /// Address of a web page, passed to the master.
    pub web_url: Option<Text>,
    /// `SERVICE_REGION` of the environment.
    pub region: Option<Text>,
    /// Timed replacement of failed pods, when the environment asks for it.
    pub replacement_failure_policy: Option<ReplacementFailurePolicy>,
    /// Pod types in the order written.
    pub pods: Vec<Arc<PodSpec>>,
    /// Plans in the order written; empty when the definition has none.
    pub plans: Vec<Arc<PlanSpec>>,
    /// Where the definition begins.
    pub at: At,
}

impl ServiceSpec {
    /// The pod type of that name.
    pub fn pod(&self, name: &str) -> Option<&Arc<PodSpec>> {
        self.pods.iter().find(|pod| &*pod.name == name)
    }

    /// The plan of that name as written.
    pub fn plan(&self, name: &str) -> Option<&Arc<PlanSpec>> {
        self.plans.iter().find(|plan| &*plan.name == name)
    }

    /// The name without leading and trailing slashes and inner slashes as dots: the head of task ids.
    pub fn id_prefix(&self) -> String {
        self.name.trim_matches('/').replace('/', ".")
    }

    /// The name without any slashes, as host names use it.
    pub fn bare_name(&self) -> String {
        self.name.replace('/', "")
    }
}

/// When a pod that failed and did not come back counts as lost for good.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReplacementFailurePolicy {
    /// How long a failure may last. *Units*: seconds.
    pub permanent_failure_timeout_s: u64,
    /// Kept; the real scheduler never reads it. *Units*: seconds.
    pub min_replace_delay_s: u64,
}
