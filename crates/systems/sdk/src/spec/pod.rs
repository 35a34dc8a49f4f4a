//! Pods: co-located tasks with what they share.

use super::{At, ResourceSet, TaskSpec, VolumeSpec};
use crate::placement::Placement;
use planarium_protocol::Text;
use std::sync::Arc;

/// One pod type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PodSpec {
    /// Pod type.
    pub name: Text,
    /// Number of instances.
    pub count: u32,
    /// Tasks in the order written.
    pub tasks: Vec<Arc<TaskSpec>>,
    /// The resource sets that tasks use, in order of first use (implicit ones included).
    pub resource_sets: Vec<Arc<ResourceSet>>,
    /// Placement as written and as understood.
    pub placement: Option<Arc<Placement>>,
    /// Container image.
    pub image: Option<Text>,
    /// Networks to join.
    pub networks: Vec<NetworkSpec>,
    /// Process limits.
    pub rlimits: Vec<Rlimit>,
    /// Artifacts fetched before the tasks start.
    pub uris: Vec<Text>,
    /// Volumes of the executor, shared by all tasks (`volume` and `volumes` together).
    pub volumes: Vec<VolumeSpec>,
    /// Directories of the machine.
    pub host_volumes: Vec<HostVolume>,
    /// Volumes of a storage driver; they take no resources of an offer.
    pub external_volumes: Vec<ExternalVolume>,
    /// Secrets for all tasks.
    pub secrets: Vec<SecretSpec>,
    /// Static role of the pod's resources; `*` if unset.
    pub pre_reserved_role: Text,
    /// User (the service's user).
    pub user: Text,
    /// One process tree for all tasks.
    pub share_pid_namespace: bool,
    /// Fewer instances, or none, are permitted later.
    pub allow_decommission: bool,
    /// No seccomp filter.
    pub seccomp_unconfined: bool,
    /// Seccomp profile.
    pub seccomp_profile_name: Option<Text>,
    /// Inter-process communication namespace.
    pub ipc_mode: Option<IpcMode>,
    /// Size of `/dev/shm`. *Units*: MiB.
    pub shm_size_mib: Option<u64>,
    /// Its position.
    pub at: At,
}

impl PodSpec {
    /// The task of that name.
    pub fn task(&self, name: &str) -> Option<&Arc<TaskSpec>> {
        self.tasks.iter().find(|task| &*task.name == name)
    }

    /// The resource set a task uses.
    pub fn resource_set(&self, id: &str) -> Option<&Arc<ResourceSet>> {
        self.resource_sets.iter().find(|set| &*set.id == id)
    }

    /// Instance name, `<pod type>-<index>`.
    pub fn instance(&self, index: u32) -> String {
        format!("{}-{index}", self.name)
    }

    /// Returns whether the pod uses ports of the machine: without a network, or with one that maps ports.
    pub fn uses_host_ports(&self) -> bool {
        self.networks.is_empty() || self.networks.iter().any(NetworkSpec::maps_ports)
    }
}

/// A network that a pod joins.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NetworkSpec {
    /// Network name.
    pub name: Text,
    /// Host and container ports in pairs, those of the pod's tasks included on a mapping network.
    pub port_mappings: Vec<PortMapping>,
    /// Labels in the order written.
    pub labels: Vec<(Text, Text)>,
}

impl NetworkSpec {
    /// Returns whether ports of the machine are mapped to ports of the container.
    ///
    /// **Source**: `dcos-commons: …/dcos/DcosConstants.java`; only `mesos-bridge` does. Match.
    pub fn maps_ports(&self) -> bool {
        &*self.name == "mesos-bridge"
    }
}

/// One mapped port.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PortMapping {
    /// On the machine.
    pub host: u32,
    /// In the container.
    pub container: u32,
}

/// A process limit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rlimit {
    /// `RLIMIT_...`.
    pub name: Text,
    /// Soft and hard limit; -1 is unlimited; absent means unlimited too.
    pub values: Option<(i64, i64)>,
}

/// Modes of a volume.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum VolumeMode {
    /// Read and write.
    Rw,
    /// Read only.
    Ro,
}

/// A directory of the machine seen by the tasks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HostVolume {
    /// Key in the definition.
    pub name: Text,
    /// Absolute path on the machine.
    pub host_path: Text,
    /// Relative path in the container.
    pub container_path: Text,
    /// Mode, when given.
    pub mode: Option<VolumeMode>,
}

/// A volume of a storage driver.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExternalVolume {
    /// Key in the definition.
    pub name: Text,
    /// Mode, when given.
    pub mode: Option<VolumeMode>,
    /// Path in the container.
    pub container_path: Text,
    /// Driver.
    pub driver_name: Text,
    /// Driver options in the order written.
    pub driver_options: Vec<(Text, Text)>,
    /// Name of the volume, when given.
    pub volume_name: Option<Text>,
}

/// A secret of the secret store.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SecretSpec {
    /// Key in the definition.
    pub name: Text,
    /// Path in the secret store.
    pub secret: Text,
    /// Environment variable that carries it.
    pub env_key: Option<Text>,
    /// File that carries it.
    pub file: Option<Text>,
}

/// Inter-process communication namespace.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IpcMode {
    /// Private to the task.
    Private,
    /// The pod's (tasks only).
    ShareParent,
}
