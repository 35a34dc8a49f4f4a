//! The internal service spec: a definition after rendering, reading and checking.
//!
//! *Knows*: every field of a service definition, typed, with its position. *Must not know*: YAML, templates,
//! diagnostics, offers or running plans.
//!
//! Equality ignores positions: two [`At`] are always equal, so two readings of the same definition from different
//! files are the same spec.
//!
//! **Source**: `dcos-commons: sdk/scheduler/src/main/java/com/mesosphere/sdk/specification`. Match; of the fields
//! that only a Java program can set, those reachable from the environment are included.

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

/// A position in the text. Positions are always equal, so they never make two specs differ.
#[derive(Clone, Debug, Eq)]
pub struct At(pub SourceRef);

impl At {
    /// A position in a file.
    pub fn new(file: Text, line: u32, column: u32) -> Self {
        Self(SourceRef { file, line, column })
    }

    /// Returns the position in the protocol's form.
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
    /// Domains of host names. No part of a target configuration.
    pub domains: Domains,
    /// Timed replacement of failed pods, if enabled in the environment.
    pub replacement_failure_policy: Option<ReplacementFailurePolicy>,
    /// Pod types in the order written.
    pub pods: Vec<Arc<PodSpec>>,
    /// Plans in the order written; empty when the definition has none.
    pub plans: Vec<Arc<PlanSpec>>,
    /// Start of the definition.
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

/// Domains of a service's host names, and the address of its scheduler.
///
/// **Source**: `dcos-commons: …/http/EndpointUtils.java`, `…/scheduler/SchedulerConfig.java`. Match.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Domains {
    /// Of addresses by task (`SERVICE_TLD`).
    pub autoip: Text,
    /// Of virtual addresses (`VIP_TLD`).
    pub vip: Text,
    /// Name of the Marathon that runs the scheduler (`MARATHON_NAME`).
    pub marathon: Text,
    /// Port of the scheduler (`PORT_API`).
    pub api_port: Text,
}

impl ServiceSpec {
    /// Host name that all tasks' names end in: without slashes, with dashes for dots.
    pub fn autoip_domain(&self) -> String {
        format!("{}.{}", self.bare_name().replace('.', "-"), self.domains.autoip)
    }

    /// Host name of a task or discovery name.
    pub fn autoip_host(&self, name: &str) -> String {
        format!("{}.{}", in_host(name), self.autoip_domain())
    }

    /// Host name that all virtual addresses end in.
    pub fn vip_domain(&self) -> String {
        format!("{}.{}", self.bare_name(), self.domains.vip)
    }

    /// Host name of a virtual address.
    pub fn vip_host(&self, prefix: &str) -> String {
        format!("{}.{}", prefix.replace('/', ""), self.vip_domain())
    }

    /// Host name of the scheduler: a task of the Marathon that runs it.
    pub fn scheduler_host(&self) -> String {
        let Domains { autoip, marathon, .. } = &self.domains;
        let marathon = marathon.replace('.', "-").replace('/', "");
        format!("{}.{marathon}.{autoip}", in_host(&self.name))
    }
}

/// A name as the first part of a host name: `/path/to/my.name` is `my-name-to-path`.
fn in_host(name: &str) -> String {
    let name = name.replace('.', "-");
    let parts: Vec<&str> = name.rsplit('/').filter(|part| !part.is_empty()).collect();
    parts.join("-")
}

/// When a pod that failed and did not recover counts as permanently lost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReplacementFailurePolicy {
    /// Time after which a failure is permanent. *Units*: seconds.
    pub permanent_failure_timeout_s: u64,
    /// Kept; the real scheduler never reads it. *Units*: seconds.
    pub min_replace_delay_s: u64,
}

#[cfg(test)]
mod tests {
    use crate::tests::spec;

    #[test]
    fn host_names() {
        let text =
            "name: /path/to/my.svc\npods: {a: {count: 1, tasks: {t: {goal: ONCE, cmd: x, cpus: 1}}}}\n";
        let usual = spec(text);
        assert_eq!(usual.autoip_host("a-0.x"), "a-0-x.pathtomy-svc.autoip.dcos.thisdcos.directory");
        assert_eq!(usual.vip_host("/v"), "v.pathtomy.svc.l4lb.thisdcos.directory");
        assert_eq!(usual.scheduler_host(), "my-svc-to-path.marathon.autoip.dcos.thisdcos.directory");
        assert_eq!(&*usual.domains.api_port, "15000");
        let other =
            spec(&format!("# env: SERVICE_TLD=s\n# env: VIP_TLD=v\n# env: MARATHON_NAME=mom\n{text}"));
        assert_eq!(other.autoip_host("a"), "a.pathtomy-svc.s");
        assert_eq!(other.vip_host("p"), "p.pathtomy.svc.v");
        assert_eq!(other.scheduler_host(), "my-svc-to-path.mom.s");
    }
}
