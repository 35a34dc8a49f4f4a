//! Resource sets: the footprint that one or several tasks share.

use super::At;
use planarium_kernel::Milli;
use planarium_protocol::Text;

/// Resources reserved for the tasks that name the set. Only one of these tasks can run at a time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ResourceSet {
    /// Id; `<task>-resource-set` for a task's own.
    pub id: Text,
    /// CPUs.
    pub cpus: Option<Milli>,
    /// GPUs.
    pub gpus: Option<Milli>,
    /// Memory. *Units*: MiB in thousandths.
    pub mem: Option<Milli>,
    /// Upper bounds beyond the request.
    pub limits: ResourceLimits,
    /// Ports in the order written.
    pub ports: Vec<PortSpec>,
    /// Volumes in the order written.
    pub volumes: Vec<VolumeSpec>,
    /// Its position.
    pub at: At,
}

/// Upper bounds of use.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ResourceLimits {
    /// CPUs.
    pub cpus: Option<Limit>,
    /// Memory. *Units*: MiB in thousandths.
    pub mem: Option<Limit>,
}

/// One bound.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Limit {
    /// A number.
    Amount(Milli),
    /// `unlimited`.
    Unlimited,
}

/// A port.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PortSpec {
    /// Name.
    pub name: Text,
    /// Number; 0 is chosen at launch.
    pub port: u32,
    /// Environment variable that receives the number.
    pub env_key: Option<Text>,
    /// Listed among the endpoints.
    pub advertise: bool,
    /// Virtual address.
    pub vip: Option<VipSpec>,
    /// Ranges for a dynamic port; empty is anywhere.
    pub ranges: Vec<PortRange>,
    /// Its position.
    pub at: At,
}

/// A virtual address.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VipSpec {
    /// Name before the service's virtual host; the port's own name unless given.
    pub prefix: Text,
    /// Port of the virtual address.
    pub port: u32,
}

/// A range of port numbers, both ends included.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PortRange {
    /// First.
    pub begin: u32,
    /// Last.
    pub end: u32,
}

/// Kinds of disk a volume can live on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum VolumeKind {
    /// A part of the machine's ROOT disk.
    Root,
    /// A whole mounted disk.
    Mount,
}

impl VolumeKind {
    /// The word in definitions.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Root => "ROOT",
            Self::Mount => "MOUNT",
        }
    }
}

/// A persistent volume.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VolumeSpec {
    /// Path in the container.
    pub path: Text,
    /// Kind of disk.
    pub kind: VolumeKind,
    /// Size. *Units*: MiB in thousandths.
    pub size: Milli,
    /// Disk profiles it accepts (MOUNT only).
    pub profiles: Vec<Text>,
    /// Its position.
    pub at: At,
}
