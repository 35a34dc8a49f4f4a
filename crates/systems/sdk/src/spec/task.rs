//! Tasks: one launched command each.

use super::{At, IpcMode, ResourceSet};
use planarium_kernel::SortedMap;
use planarium_protocol::Text;
use std::sync::Arc;

/// Goals of a task.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Goal {
    /// Keep running.
    Running,
    /// Exit with code 0, again after every change of the pod.
    Finish,
    /// Exit with code 0 once per installation.
    Once,
}

impl Goal {
    /// The word in definitions.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Running => "RUNNING",
            Self::Finish => "FINISH",
            Self::Once => "ONCE",
        }
    }
}

/// One task of a pod.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TaskSpec {
    /// Name within the pod.
    pub name: Text,
    /// Goal.
    pub goal: Goal,
    /// Command line.
    pub cmd: Text,
    /// Its failure takes the whole pod down.
    pub essential: bool,
    /// Environment of the definition with the routed values (`TASKCFG_*`) of the scheduler on top.
    pub env: SortedMap<Text, Text>,
    /// Labels in the order written.
    pub labels: Vec<(Text, Text)>,
    /// Files rendered into the sandbox.
    pub configs: Vec<ConfigFile>,
    /// Footprint; shared when several tasks name the same set.
    pub resource_set: Arc<ResourceSet>,
    /// Health check.
    pub health_check: Option<HealthCheck>,
    /// Readiness check.
    pub readiness_check: Option<ReadinessCheck>,
    /// Name in service discovery.
    pub discovery: Option<DiscoverySpec>,
    /// From the request to end until the kill. *Units*: seconds.
    pub kill_grace_s: u64,
    /// Certificates to provide.
    pub transport_encryption: Vec<TransportEncryption>,
    /// Inter-process communication namespace.
    pub ipc_mode: Option<IpcMode>,
    /// Size of `/dev/shm`. *Units*: MiB.
    pub shm_size_mib: Option<u64>,
    /// Its position.
    pub at: At,
}

/// A file rendered into the sandbox.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConfigFile {
    /// Name.
    pub name: Text,
    /// Path of the template.
    pub template: Text,
    /// Path in the sandbox.
    pub dest: Text,
    /// Text of the template; none when it is not among the files.
    pub content: Option<Text>,
}

/// A health check run by the agent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HealthCheck {
    /// Command line.
    pub cmd: Text,
    /// Between two checks. *Units*: seconds.
    pub interval_s: u64,
    /// Before the first. *Units*: seconds.
    pub delay_s: u64,
    /// Of one check. *Units*: seconds.
    pub timeout_s: u64,
    /// In which failures do not count. *Units*: seconds.
    pub grace_s: u64,
    /// Number of failures in a row after which the task is killed.
    pub max_failures: u32,
}

/// A readiness check run by the agent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReadinessCheck {
    /// Command line.
    pub cmd: Text,
    /// Between two checks. *Units*: seconds.
    pub interval_s: u64,
    /// Before the first. *Units*: seconds.
    pub delay_s: u64,
    /// Of one check. *Units*: seconds.
    pub timeout_s: u64,
}

/// Discovery information of a task.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DiscoverySpec {
    /// Name prefix, `<prefix>-<index>`.
    pub prefix: Option<Text>,
    /// Its visibility.
    pub visibility: Visibility,
}

/// Visibility of a discovery entry.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Visibility {
    /// The framework.
    Framework,
    /// The cluster.
    #[default]
    Cluster,
    /// Everyone.
    External,
}

impl Visibility {
    /// The word in definitions.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Framework => "FRAMEWORK",
            Self::Cluster => "CLUSTER",
            Self::External => "EXTERNAL",
        }
    }
}

/// A certificate to provide.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TransportEncryption {
    /// Name.
    pub name: Text,
    /// File format.
    pub kind: TransportEncryptionKind,
}

/// File formats of certificates.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TransportEncryptionKind {
    /// PEM files.
    Tls,
    /// Java key stores.
    Keystore,
}
