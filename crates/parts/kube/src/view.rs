//! Nodes and pods as others may see them.

use crate::{
    amounts::Amounts,
    object::{Object, ObjectNo, ObjectRef},
    spec::{Spec, container::Container},
    status::{ContainerStatus, State, Status},
};
use planarium_ground::{MachineId, ProcessId};
use planarium_kernel::{SimTime, Weight};
use planarium_protocol::Text;

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
    /// Amounts available for pods.
    pub allocatable: Amounts,
    /// Sum of its pods' requests.
    pub requested: Amounts,
    /// Its pods, in order of binding.
    pub pods: Vec<ObjectNo>,
    /// Progress of a drain, if one was asked for.
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
    /// True if all pods to evict have ended.
    pub done: bool,
}

/// A container of a pod.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ContainerFacts {
    /// Its name.
    pub name: Text,
    /// True if it is an init container.
    pub init: bool,
    /// Its image.
    pub image: Text,
    /// `waiting`, `running` or `terminated`.
    pub state: &'static str,
    /// `CrashLoopBackOff`, `Completed`, `Error`, ...; empty while it runs.
    pub reason: Text,
    /// True if it is ready.
    pub ready: bool,
    /// Number of times that it was started again.
    pub restarts: u32,
    /// Its process, while there is one.
    pub process: Option<ProcessId>,
}

/// A container that runs on a node, as a task of its machine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TaskFacts {
    /// `POD-CONTAINER`, as fault targets name it.
    pub name: Text,
    /// `NAMESPACE/POD/CONTAINER/RESTARTS`, likewise.
    pub id: Text,
    /// Its pod's name.
    pub pod: Text,
    /// The service that fault targets name, see [`crate::Kube::set_service`].
    pub service: Text,
    /// Since when it runs.
    pub since: SimTime,
    /// Tells whether its readiness probe has passed; none without one.
    pub ready: Option<bool>,
    /// True if its pod is terminating.
    pub leaving: bool,
    /// Its process; `None` if that has ended and the kubelet could not report it yet.
    pub process: Option<ProcessId>,
}

/// Options of a drain.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DrainOptions {
    /// Instead of the pods' own grace periods. *Units*: seconds.
    pub grace_s: Option<u32>,
    /// Delete pods instead of evicting them, past disruption budgets.
    pub disable_eviction: bool,
}

/// Something that was reported about an object: an Event of the API.
#[derive(Clone, Debug, PartialEq, Eq, Weight)]
#[weight(own 64 + self.message.len() as u64)]
pub struct Occurrence {
    /// Kind, namespace, name and uid of the object concerned.
    pub about: (Text, Text, Text, Text),
    /// `Warning` (true) or `Normal`.
    pub warning: bool,
    /// One word: `FailedScheduling`.
    pub reason: Text,
    /// For people.
    pub message: Text,
    /// The reporting component: `kubelet`.
    pub source: Text,
    /// Number of times.
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

impl Object {
    /// Containers of a pod, init containers first, as its status has them; none of anything else.
    pub fn containers(&self) -> Vec<ContainerFacts> {
        let (Spec::Pod(spec, _), Status::Pod(status)) = (&self.spec, &self.status) else { return Vec::new() };
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
                init: at < usize::from(spec.inits),
                image: container.image.clone(),
                state,
                reason: reason.into(),
                ready: own.ready,
                restarts: own.restarts,
                process: None,
            }
        };
        spec.containers.iter().enumerate().map(facts).collect()
    }

    /// Name and id of a container of this pod for fault targets. `restarts` counts how often it was started again.
    pub fn task_names(&self, container: &str, restarts: u32) -> (Text, Text) {
        let name = format!("{}-{container}", self.name);
        let id = format!("{}/{}/{container}/{restarts}", self.namespace, self.name);
        (name.into(), id.into())
    }
}
