//! Invariants of a cluster.

use super::Kube;
use crate::{
    amounts::Amounts,
    object::{Object, ObjectNo},
    records::ranks::Ranks,
    records::selections::Picked,
    records::workloads::{Slots, Workload},
    spec::Spec,
    status::Status,
};
use planarium_ground::Fleet;
use planarium_kernel::{SimTime, SortedMap, SortedSet};
use std::sync::Arc;

impl Kube {
    /// Says in words which invariants do not hold. *Cost*: walks everything; for debug builds and property tests.
    pub fn check(&self, fleet: &Fleet) -> Vec<String> {
        let mut broken = self.cluster.api.store.check();
        self.check_pods(&mut broken);
        self.check_workloads(&mut broken);
        self.check_selections(&mut broken);
        self.check_nodes(&mut broken);
        crate::nodes::holdings::check(&self.cluster.nodes, fleet, &mut broken);
        self.check_runs(fleet, &mut broken);
        broken
    }

    fn pods(&self) -> impl Iterator<Item = &Arc<Object>> {
        self.cluster.api.store.objects.values().filter(|object| matches!(object.spec, Spec::Pod(..)))
    }

    fn check_pods(&self, broken: &mut Vec<String>) {
        let mut count = 0;
        for pod in self.pods() {
            count += 1;
            let Some(tally) = self.cluster.workloads.pods.get(&pod.no) else {
                broken.push(format!("pod {} is not counted", pod.name));
                continue;
            };
            let Some(mut again) = self.cluster.tally_of(pod, None, None, SimTime::MAX) else { continue };
            if tally.available && !again.available {
                broken.push(format!("pod {} is counted as available and is not", pod.name));
            }
            again.available = tally.available;
            if *tally != again {
                broken.push(format!("pod {} counts as {tally:?}, recomputed {again:?}", pod.name));
            }
        }
        if count != self.cluster.workloads.pods.len() {
            broken.push("something is counted that is no pod".to_owned());
        }
    }

    fn check_workloads(&self, broken: &mut Vec<String>) {
        let mut again: SortedMap<ObjectNo, Workload> = SortedMap::new();
        for (no, workload) in &self.cluster.workloads.all {
            let slots = workload.slots.as_ref().map(|slots| {
                let mut empty = Slots { revision: slots.revision, ..Slots::default() };
                empty.want(slots.wanted.clone());
                Box::new(empty)
            });
            again.insert(*no, Workload { slots, ..Workload::default() });
        }
        for (no, tally) in self.cluster.workloads.pods.iter() {
            if let Some(workload) = tally.workload.and_then(|workload| again.get_mut(&workload)) {
                workload.join(*no, tally);
            }
        }
        for (no, workload) in &self.cluster.workloads.all {
            let Some(mut again) = again.remove(no) else { continue };
            (again.min_ready_ms, again.adopt, again.failures) =
                (workload.min_ready_ms, workload.adopt, workload.failures);
            (again.hold, again.timer, again.refusals) = (workload.hold, workload.timer, workload.refusals);
            let pods = || self.cluster.workloads.active_pods(&self.cluster.api.store, *no);
            again.ranks = workload.ranks.as_ref().map(|_| Box::new(Ranks::of(pods())));
            if again != **workload {
                let name =
                    self.cluster.api.store.object(*no).map(|object| object.name.clone()).unwrap_or_default();
                broken.push(format!("pods of {name} come to {workload:?}, recomputed {again:?}"));
            }
        }
    }

    fn check_selections(&self, broken: &mut Vec<String>) {
        for pod in self.pods() {
            let picks = |selection: &&Arc<Object>| match &selection.spec {
                Spec::Service(spec) => {
                    spec.selector.as_ref().is_some_and(|selector| selector.matches(&pod.labels))
                }
                Spec::Budget(spec) => spec.selector.matches(&pod.labels),
                _ => false,
            };
            let mut expected: Vec<ObjectNo> = Vec::new();
            for selection in self
                .cluster
                .api
                .store
                .objects
                .values()
                .filter(|selection| selection.namespace == pod.namespace)
            {
                if picks(&selection) {
                    expected.push(selection.no);
                }
            }
            if self.cluster.workloads.pods.get(&pod.no).is_some_and(|tally| *tally.selected_by != expected) {
                broken.push(format!("pod {} is not told to those that pick it", pod.name));
            }
        }
        for (no, selection) in &self.cluster.selections.all {
            if let Picked::Budget(counted) = &selection.picked {
                let healthy = counted.pods.values().filter(|(healthy, _)| *healthy).count();
                if u32::try_from(healthy) != Ok(counted.healthy) {
                    let name = self
                        .cluster
                        .api
                        .store
                        .object(*no)
                        .map(|object| object.name.clone())
                        .unwrap_or_default();
                    broken.push(format!(
                        "budget {name} counts {} healthy pods, recomputed {healthy}",
                        counted.healthy
                    ));
                }
            }
        }
    }

    fn check_nodes(&self, broken: &mut Vec<String>) {
        let (counted, present) = (self.cluster.nodes.count_present(), self.cluster.nodes.present().count());
        if counted != present {
            broken.push(format!("{counted} nodes count as present, recomputed {present}"));
        }
        for (number, node) in self.cluster.nodes.all.iter().enumerate() {
            if !self.cluster.nodes.rooms.is_of(number, node) {
                broken.push(format!("the room of node {} is not that of the node", node.name));
            }
        }
        for node in &self.cluster.nodes.all {
            if self.cluster.nodes.named(&node.name).is_none_or(|named| named.machine != node.machine) {
                continue;
            }
            let mut requested = Amounts::NONE;
            let mut pods = SortedSet::new();
            for pod in self.pods() {
                let (Spec::Pod(spec, own), Status::Pod(status)) = (&pod.spec, &pod.status) else { continue };
                if own.node == node.name && !status.phase.is_terminal() {
                    requested = requested.plus(spec.requests);
                    pods.insert(pod.no);
                }
            }
            if requested != node.requested || pods != node.pods {
                broken.push(format!(
                    "books of node {}: {:?}, recomputed {requested:?}",
                    node.name, node.requested
                ));
            }
            let free = node.allocatable.minus(node.requested);
            let over = free.cpu_milli < 0 || free.memory < 0 || free.pods < 0;
            if over && node.absence.is_none() && node.object.is_some() {
                broken.push(format!(
                    "node {} is over-allocated: {:?} of {:?}",
                    node.name, node.requested, node.allocatable
                ));
            }
        }
    }

    fn check_runs(&self, fleet: &Fleet, broken: &mut Vec<String>) {
        let mut processes = 0;
        for (no, run) in self.cluster.runs.all.iter() {
            let name = self.cluster.api.store.object(*no).map(|pod| pod.name.clone());
            if name.is_none() && self.cluster.nodes.is_heard(run.node) {
                broken.push(format!("a kubelet runs a pod that is no more: {no:?}"));
            }
            let name = name.unwrap_or_default();
            for (at, cell) in (0..).zip(&run.cells) {
                let Some(pid) = cell.pid else { continue };
                processes += 1;
                if self.cluster.runs.by_process.get(&pid) != Some(&(*no, at)) {
                    broken.push(format!("container {at} of {name}: its process does not know it"));
                }
                let hears = self.cluster.nodes.get(run.node).and_then(|node| node.absence)
                    != Some(planarium_ground::Absence::AgentRestart);
                if hears && fleet.process_state(pid).is_none() {
                    broken.push(format!("container {at} of {name}: its process has ended unheard"));
                }
            }
        }
        if processes != self.cluster.runs.by_process.len() {
            broken.push(format!(
                "{} processes are known, containers have {processes}",
                self.cluster.runs.by_process.len()
            ));
        }
    }
}
