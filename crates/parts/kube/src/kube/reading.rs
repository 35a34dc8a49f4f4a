//! Read access to nodes and running containers.

use super::Kube;
use crate::{
    error::ApiError,
    object::Object,
    records::nodes::Node,
    request::Applied,
    spec::Spec,
    status::{State, Status},
    view::{ContainerFacts, NodeFacts, TaskFacts},
};
use planarium_ground::Cx;
use planarium_kernel::SimTime;
use serde_json::Value;
use std::sync::Arc;

/// The object before an apply that was only tried, and what came of it.
pub type Tried = Result<(Option<Arc<Object>>, Applied), ApiError>;

impl Kube {
    /// Applies objects one after the other on a copy of the cluster, as a dry run of the server does; nothing changes.
    pub fn try_apply(&self, now: SimTime, values: &[&Arc<Value>], annotation: &str) -> Vec<Tried> {
        let mut aside = self.clone();
        let mut cx = Cx::new(self.api().seed);
        cx.set_now(now);
        let one = |value: &&Arc<Value>| {
            let applied = aside.apply(&mut cx, value, annotation)?;
            // The copy has the new version already; the object itself has not.
            let before = self.get(applied.object.reference()).cloned();
            Ok((before, applied))
        };
        values.iter().map(one).collect()
    }

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
        self.cluster.nodes.all.iter().filter(|node| node.object.is_some()).map(facts).collect()
    }

    /// Containers of a pod with their processes, init containers first.
    pub fn containers(&self, pod: &Object) -> Vec<ContainerFacts> {
        let mut containers = pod.containers();
        let cells = self.cluster.runs.get(pod.no).into_iter().flat_map(|run| &run.cells);
        for (container, cell) in containers.iter_mut().zip(cells) {
            container.process = cell.pid;
        }
        containers
    }

    /// The containers that run on a node. *Order*: pods in order of binding.
    pub fn tasks_on(&self, node: &str) -> Vec<TaskFacts> {
        let pods = self.cluster.nodes.named(node).into_iter().flat_map(|node| node.pods.iter());
        pods.filter_map(|no| self.cluster.api.store.object(*no)).flat_map(|pod| self.tasks_of(pod)).collect()
    }

    fn tasks_of(&self, pod: &Object) -> Vec<TaskFacts> {
        let (Spec::Pod(spec, _), Status::Pod(status)) = (&pod.spec, &pod.status) else { return Vec::new() };
        let Some(run) = self.cluster.runs.get(pod.no) else { return Vec::new() };
        let own = spec.containers.iter().zip(&status.containers).zip(&run.cells);
        let running = own.filter_map(|((container, status), cell)| {
            let State::Running { since } = status.state else { return None };
            let (name, id) = pod.task_names(&container.name, status.restarts);
            Some(TaskFacts {
                name,
                id,
                pod: pod.name.clone(),
                service: self.cluster.service_of(pod),
                since,
                ready: container.readiness.as_ref().map(|_| status.ready),
                leaving: pod.is_being_deleted(),
                process: cell.pid,
            })
        });
        running.collect()
    }

    /// A number that grows whenever another container runs on a node, or one shows something else.
    pub fn changed_on(&self, node: &str) -> u64 {
        let Some(node) = self.cluster.nodes.named(node) else { return 0 };
        let pods = node.pods.iter().filter_map(|no| self.cluster.api.store.object(*no));
        let version = pods.map(|pod| pod.resource_version).max().unwrap_or(0).max(node.booked);
        // Of a node that was silent, the node itself is shown, too.
        let own = node.object.filter(|_| node.absences > 0).and_then(|no| self.cluster.api.store.object(no));
        version.max(own.map_or(0, |object| object.resource_version))
    }
}
