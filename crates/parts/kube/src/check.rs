//! Digest, invariants and weight of a cluster.

use crate::{
    kube::Kube,
    object::{Object, ObjectNo},
    spec::Spec,
    status::Status,
    view::Amounts,
    watcher::Book,
    workload::{Slots, Workload},
};
use planarium_ground::Fleet;
use planarium_kernel::{Digest, SimTime, SortedMap, SortedSet, cow::behind};
use std::sync::Arc;

/// What an object takes beside what it shares with others. *Units*: bytes.
const OBJECT: u64 = 256;
/// A content of its own, by estimate. *Units*: bytes.
const CONTENT: u64 = 2_048;

impl Kube {
    /// Writes the canonical state.
    pub fn digest(&self, digest: &mut Digest) {
        digest.write_u64(self.seed);
        digest.write_u64(self.store.version);
        digest.write_u64(self.store.objects.len() as u64);
        for object in self.store.objects.values() {
            digest.write_u32(object.no.0);
            digest.write_u64(object.resource_version);
            digest.write_str(&object.name);
            digest.write_bool(object.is_being_deleted());
            if let Status::Pod(status) = &object.status {
                digest.write_str(status.phase.as_str());
                digest.write_u32(status.ip.0);
                digest.write_bool(status.ready_since().is_some());
            }
        }
        digest.write_u64(self.runs.len() as u64);
        for (no, run) in &self.runs {
            digest.write_u32(no.0);
            for cell in &run.cells {
                digest.write_u32(cell.pid.map_or(u32::MAX, |pid| pid.0));
                digest.write_u32(cell.status.restarts);
            }
        }
        digest.write_u64(self.nodes.len() as u64);
        for node in &self.nodes {
            digest.write_str(node.ready.as_str());
            digest.write_u32(node.absences);
            digest.write_u64(node.pods.len() as u64);
        }
        digest.write_u64(self.scheduler.waiting.len() as u64);
        digest.write_u64(self.queue.len() as u64);
        digest.write_u64(self.queue.next_due().map_or(u64::MAX, SimTime::ms));
    }

    /// What does not hold, in words. *Cost*: walks everything; for debug builds and property tests.
    pub fn check(&self, fleet: &Fleet) -> Vec<String> {
        let mut broken = self.store.check();
        self.check_marks(&mut broken);
        self.check_workloads(&mut broken);
        self.check_watchers(&mut broken);
        self.check_nodes(&mut broken);
        self.check_holdings(fleet, &mut broken);
        self.check_runs(fleet, &mut broken);
        broken
    }

    fn pods(&self) -> impl Iterator<Item = &Arc<Object>> {
        self.store.objects.values().filter(|object| matches!(object.spec, Spec::Pod(..)))
    }

    fn check_marks(&self, broken: &mut Vec<String>) {
        let mut count = 0;
        for pod in self.pods() {
            count += 1;
            let Some(mark) = self.marks.get(&pod.no) else {
                broken.push(format!("pod {} is not counted", pod.name));
                continue;
            };
            let Some(mut again) = self.mark_of(pod, None, None, SimTime::MAX) else { continue };
            if mark.available && !again.available {
                broken.push(format!("pod {} is counted as available and is not", pod.name));
            }
            again.available = mark.available;
            if *mark != again {
                broken.push(format!("pod {} counts as {mark:?}, recomputed {again:?}", pod.name));
            }
        }
        if count != self.marks.len() {
            broken.push("something is counted that is no pod".to_owned());
        }
    }

    fn check_workloads(&self, broken: &mut Vec<String>) {
        let mut again: SortedMap<ObjectNo, Workload> = SortedMap::new();
        for (no, workload) in &self.workloads {
            let slots = workload.slots.as_ref().map(|slots| {
                let mut empty = Slots { revision: slots.revision, ..Slots::default() };
                empty.want(slots.wanted.clone());
                Box::new(empty)
            });
            again.insert(*no, Workload { slots, ..Workload::default() });
        }
        for (no, mark) in &self.marks {
            if let Some(workload) = mark.workload.and_then(|workload| again.get_mut(&workload)) {
                workload.join(*no, mark);
            }
        }
        for (no, workload) in &self.workloads {
            let Some(mut again) = again.remove(no) else { continue };
            (again.min_ready_ms, again.adopt, again.failures) =
                (workload.min_ready_ms, workload.adopt, workload.failures);
            (again.hold, again.timer) = (workload.hold, workload.timer);
            if again != **workload {
                let name = self.store.object(*no).map(|object| object.name.clone()).unwrap_or_default();
                broken.push(format!("pods of {name} come to {workload:?}, recomputed {again:?}"));
            }
        }
    }

    fn check_watchers(&self, broken: &mut Vec<String>) {
        for pod in self.pods() {
            let picks = |watcher: &&Arc<Object>| match &watcher.spec {
                Spec::Service(spec) => {
                    spec.selector.as_ref().is_some_and(|selector| selector.matches(&pod.labels))
                }
                Spec::Budget(spec) => spec.selector.matches(&pod.labels),
                _ => false,
            };
            let mut expected: Vec<ObjectNo> = Vec::new();
            for watcher in self.store.objects.values().filter(|watcher| watcher.namespace == pod.namespace) {
                if picks(&watcher) {
                    expected.push(watcher.no);
                }
            }
            if self.marks.get(&pod.no).is_some_and(|mark| *mark.watchers != expected) {
                broken.push(format!("pod {} is not told to those that pick it", pod.name));
            }
        }
        for (no, watcher) in &self.watchers.all {
            if let Book::Budget(counted) = &watcher.book {
                let healthy = counted.pods.values().filter(|(healthy, _)| *healthy).count();
                if u32::try_from(healthy) != Ok(counted.healthy) {
                    let name = self.store.object(*no).map(|object| object.name.clone()).unwrap_or_default();
                    broken.push(format!(
                        "budget {name} counts {} healthy pods, recomputed {healthy}",
                        counted.healthy
                    ));
                }
            }
        }
    }

    fn check_nodes(&self, broken: &mut Vec<String>) {
        for node in &self.nodes {
            if self.node(&node.name).is_none_or(|named| named.machine != node.machine) {
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
        for (no, run) in &self.runs {
            let name = self.store.object(*no).map(|pod| pod.name.clone());
            if name.is_none() && self.is_heard(run.node) {
                broken.push(format!("a kubelet runs a pod that is no more: {no:?}"));
            }
            let name = name.unwrap_or_default();
            for (at, cell) in (0..).zip(&run.cells) {
                let Some(pid) = cell.pid else { continue };
                processes += 1;
                if self.by_process.get(&pid) != Some(&(*no, at)) {
                    broken.push(format!("container {at} of {name}: its process does not know it"));
                }
                let hears = self.acts(*no) != Some(planarium_ground::Absence::AgentRestart);
                if hears && fleet.process_state(pid).is_none() {
                    broken.push(format!("container {at} of {name}: its process has ended unheard"));
                }
            }
        }
        if processes != self.by_process.len() {
            broken
                .push(format!("{} processes are known, containers have {processes}", self.by_process.len()));
        }
    }

    /// Bytes that this cluster holds and `before` does not, by estimate.
    pub fn beyond(&self, before: Option<&Self>) -> u64 {
        let object = |now: &Arc<Object>, old: Option<&Arc<Object>>| {
            behind(now, old, |now| {
                let own = matches!(&now.spec, Spec::Pod(_, own) if own.of_template);
                let content =
                    if own { 0 } else { behind(&now.content, old.map(|old| &old.content), |_| CONTENT) };
                let status = match (&now.status, old.map(|old| &old.status)) {
                    (Status::Pod(now), Some(Status::Pod(old))) if Arc::ptr_eq(now, old) => 0,
                    (Status::Pod(now), _) => 256 + 128 * (now.containers.len() + now.conditions.len()) as u64,
                    _ => 256,
                };
                OBJECT
                    + content
                    + status
                    + now.labels.beyond(old.map(|old| &old.labels))
                    + now.annotations.beyond(old.map(|old| &old.annotations))
            })
        };
        let history = |now: &crate::request::Change, old: Option<&crate::request::Change>| {
            // Most versions that are kept share all but their status with the next one.
            if old.is_some() { 0 } else { OBJECT + behind(&now.object, None, |_| 512) }
        };
        self.store.objects.beyond(before.map(|before| &before.store.objects), object)
            + self.store.history.beyond(before.map(|before| &before.store.history), history)
            + self.runs.beyond(before.map(|before| &before.runs), |now, old| {
                behind(now, old, |now| 256 * now.cells.len() as u64)
            })
            + self.marks.beyond_flat(before.map(|before| &before.marks))
            + self
                .workloads
                .beyond(before.map(|before| &before.workloads), |now, old| behind(now, old, |_| 128))
            + self.log.beyond(before.map(|before| &before.log))
            + self.by_process.beyond_flat(before.map(|before| &before.by_process))
            + 1_024 * self.nodes.len() as u64
            + self.queue.bytes()
    }
}
