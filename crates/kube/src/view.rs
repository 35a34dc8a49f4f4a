//! What others may see of nodes and pods.

use crate::object::{ObjectNo, ObjectRef};
use planarium_fleet::{MachineId, ProcessId};
use planarium_kernel::SimTime;
use planarium_protocol::Text;

/// Amounts of what pods ask for. *Units*: thousandths of a CPU, bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Amounts {
    /// Thousandths of a CPU.
    pub cpu_milli: i64,
    /// Bytes of memory.
    pub memory: i64,
    /// Bytes of ephemeral storage.
    pub storage: i64,
    /// GPUs.
    pub gpus: i64,
    /// Pods.
    pub pods: i64,
}

/// A node.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NodeFacts {
    /// Its name, which is the machine's hostname.
    pub name: Text,
    /// The machine.
    pub machine: MachineId,
    /// Status of the condition `Ready`: `True`, `False`, `Unknown`.
    pub ready: Text,
    /// `spec.unschedulable`.
    pub cordoned: bool,
    /// Taints as `key=value:effect`.
    pub taints: Vec<Text>,
    /// What pods may ask for.
    pub allocatable: Amounts,
    /// What its pods ask for.
    pub requested: Amounts,
    /// Its pods, in order of binding.
    pub pods: Vec<ObjectNo>,
    /// How far a drain is, if one was asked for.
    pub drain: Option<DrainFacts>,
}

/// A drain under way or done.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DrainFacts {
    /// Since when.
    pub since: SimTime,
    /// Pods that still have to go.
    pub left: Vec<Text>,
    /// Pods that a disruption budget holds now.
    pub blocked: Vec<Text>,
    /// Whether all that have to go are gone.
    pub done: bool,
}

/// A container of a pod.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ContainerFacts {
    /// Its name.
    pub name: Text,
    /// Whether it is an init container.
    pub init: bool,
    /// Its image.
    pub image: Text,
    /// `waiting`, `running` or `terminated`.
    pub state: &'static str,
    /// `CrashLoopBackOff`, `Completed`, `Error`, ...; empty while it runs.
    pub reason: Text,
    /// Whether it is ready.
    pub ready: bool,
    /// How often it was started again.
    pub restarts: u32,
    /// Its process, while there is one.
    pub process: Option<ProcessId>,
}

/// How to drain.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DrainOptions {
    /// Instead of the pods' own grace periods. *Units*: seconds.
    pub grace_s: Option<u32>,
    /// Delete pods instead of evicting them, past disruption budgets.
    pub disable_eviction: bool,
}

/// Something that was reported about an object: an Event of the API.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Occurrence {
    /// Kind, namespace, name and uid of what it is about.
    pub about: (Text, Text, Text, Text),
    /// `Warning` (true) or `Normal`.
    pub warning: bool,
    /// One word: `FailedScheduling`.
    pub reason: Text,
    /// For people.
    pub message: Text,
    /// Who says so: `kubelet`.
    pub source: Text,
    /// How often.
    pub count: u32,
    /// When first.
    pub first: SimTime,
    /// When last.
    pub last: SimTime,
    /// Number of the last event behind it.
    pub event: u64,
}

/// Names an object for [`crate::Kube::why`] and [`crate::Kube::occurrences`].
pub type About<'a> = ObjectRef<'a>;
