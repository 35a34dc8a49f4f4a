//! What others may see of nodes and pods.

use crate::{
    kube::Kube,
    node::Node,
    object::{Object, ObjectNo, ObjectRef},
    spec::{Spec, container::Container},
    status::{ContainerStatus, State, Status},
};
use planarium_fleet::{MachineId, ProcessId};
use planarium_kernel::SimTime;
use planarium_protocol::Text;
use std::sync::Arc;

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

impl Kube {
    /// All nodes. *Order*: joining.
    pub fn nodes(&self) -> Vec<NodeFacts> {
        let facts = |node: &Arc<Node>| NodeFacts {
            name: node.name.clone(),
            machine: node.machine,
            ready: node.ready.as_str().into(),
            cordoned: node.unschedulable,
            taints: node.taints.iter().map(|taint| taint.text().into()).collect(),
            allocatable: node.allocatable,
            requested: node.requested,
            pods: node.pods.iter().copied().collect(),
            drain: node.drain.as_ref().map(|drain| drain.facts.clone()),
        };
        self.nodes.iter().filter(|node| node.object.is_some()).map(facts).collect()
    }

    /// Containers of a pod, init containers first.
    pub fn containers(&self, pod: &Object) -> Vec<ContainerFacts> {
        let (Spec::Pod(spec, _), Status::Pod(status)) = (&pod.spec, &pod.status) else { return Vec::new() };
        let run = self.run(pod.no);
        let waiting = ContainerStatus::waiting("");
        let facts = |(at, container): (usize, &Container)| {
            let own = status.containers.get(at).unwrap_or(&waiting);
            let (state, reason) = match &own.state {
                State::Waiting { reason, .. } => ("waiting", *reason),
                State::Running { .. } => ("running", ""),
                State::Terminated(ended) => ("terminated", ended.reason),
            };
            ContainerFacts {
                name: container.name.clone(),
                init: at < spec.inits,
                image: container.image.clone(),
                state,
                reason: reason.into(),
                ready: own.ready,
                restarts: own.restarts,
                process: run.and_then(|run| run.cells.get(at)).and_then(|cell| cell.pid),
            }
        };
        spec.containers.iter().enumerate().map(facts).collect()
    }
}
