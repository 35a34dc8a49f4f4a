//! A kubelet's sync of a pod: admits, reconciles, fails or drops it.

use super::{Cell, Kubelet, Run, Stage};
use crate::{
    object::{Object, ObjectNo},
    records::nodes::Nodes,
    records::queue::Timer,
    spec::{Spec, pod::PodSpec},
    status::{Ip, State, Status},
};
use std::sync::Arc;

impl Kubelet<'_> {
    /// Reconciles a pod with its spec.
    pub(crate) fn sync(&mut self, no: ObjectNo) {
        let Some(pod) = self.cluster.api.store.object(no).cloned() else { return self.drop_run(no) };
        let (Spec::Pod(spec, own), Status::Pod(status)) = (&pod.spec, &pod.status) else { return };
        let Some(number) = self.cluster.nodes.number_of(&own.node) else { return };
        if !self.cluster.nodes.is_heard(number) {
            return;
        }
        if !self.cluster.runs.all.contains_key(&no) {
            if pod.is_being_deleted() {
                return self.pod_gone(&pod);
            }
            if status.phase.is_terminal() {
                return;
            }
            self.take_on(no, number, spec.clone());
            if let Some((reason, message)) = has_no_room(&self.cluster.nodes, number, no, spec) {
                return self.fail_pod(no, reason, &message);
            }
        }
        let Some(run) = self.cluster.runs.get(no) else { return };
        if pod.is_being_deleted() {
            return self.stop_pod(&pod);
        }
        if !Arc::ptr_eq(&run.spec, spec) {
            self.take_spec(&pod, spec.clone());
        }
        self.resume_lost(no);
        self.go_on(no);
    }

    /// A kubelet takes a pod on.
    fn take_on(&mut self, no: ObjectNo, node: u32, spec: Arc<PodSpec>) {
        let reason = if spec.inits > 0 { "PodInitializing" } else { "ContainerCreating" };
        let cells = (0..spec.containers.len()).map(|_| Cell::new(reason)).collect();
        let deadline = spec.deadline_s.map(|seconds| {
            self.cluster.queue.arm_in(self.cx, u64::from(seconds) * 1000, Timer::Deadline(no))
        });
        let run = Run {
            node,
            spec,
            ip: Ip(0),
            start: self.cx.now(),
            stage: Stage::Volumes,
            cells,
            stopping: None,
            failure: None,
            missing: None,
            deadline,
        };
        self.cluster.runs.all.insert(no, Arc::new(run));
        self.cluster.nodes.held_changes.note(no, node);
    }

    /// Restarts containers of a running pod whose images have changed.
    fn take_spec(&mut self, pod: &Arc<Object>, spec: Arc<PodSpec>) {
        let no = pod.no;
        let Some(old) = self.cluster.runs.change(no, |run| std::mem::replace(&mut run.spec, spec.clone()))
        else {
            return;
        };
        for (at, (before, after)) in old.containers.iter().zip(&spec.containers).enumerate() {
            let at = u16::try_from(at).unwrap_or(u16::MAX);
            if before.image == after.image {
                continue;
            }
            let pid = self.cluster.runs.cell(no, at).and_then(|cell| cell.pid);
            if let Some(pid) = pid {
                let message = format!("Container {} definition changed, will be restarted", after.name);
                self.cluster.reports.record(self.cx, pod, false, "Killing", &message, "kubelet");
                self.fleet.kill(self.cx, pid, 1);
            }
        }
    }

    /// After a reboot: containers that ran are found ended.
    pub(super) fn resume_lost(&mut self, no: ObjectNo) {
        let lost: Vec<u16> = self
            .cluster
            .runs
            .get(no)
            .map(|run| (0..).zip(&run.cells).filter(|(_, cell)| cell.lost).map(|(at, _)| at).collect())
            .unwrap_or_default();
        for at in lost {
            let begun = self.cluster.runs.change_cell(no, at, |cell| {
                cell.lost = false;
                matches!(cell.status.state, State::Running { .. })
            });
            if begun == Some(true) {
                self.container_ended(no, at, 255, "Error", "");
            } else {
                // It was not running yet: start it again.
                self.cluster.runs.change_cell(no, at, |cell| cell.wait("ContainerCreating", ""));
            }
        }
    }

    /// A pod has been active for as long as it may.
    pub(crate) fn deadline_passed(&mut self, no: ObjectNo) {
        let Some(run) = self.cluster.runs.get(no) else { return };
        if run.stopping.is_some() || run.failure.is_some() {
            return;
        }
        let message = "Pod was active on the node longer than the specified deadline";
        self.fail_pod(no, "DeadlineExceeded", message);
    }

    /// A pod fails as a whole: all of its containers end.
    pub(crate) fn fail_pod(&mut self, no: ObjectNo, reason: &'static str, message: &str) {
        self.cluster.runs.change(no, |run| run.failure = Some((reason, message.into())));
        if let Some(pod) = self.cluster.api.store.object(no).cloned() {
            self.cluster.reports.record(self.cx, &pod, false, reason, message, "kubelet");
        }
        self.tell_containers(no);
        self.settle(no);
    }

    /// Ends the containers of a deleted pod without grace.
    pub(super) fn drop_run(&mut self, no: ObjectNo) {
        let Some(run) = self.cluster.runs.get(no) else { return };
        // The kubelet of a silent node learns of it when it is back.
        if self.cluster.nodes.is_heard(run.node) {
            self.cluster.runs.end(&mut self.cluster.queue, self.fleet, no);
        }
    }
}

/// Tells whether a node has too little of something for all pods that are bound to it, this one the last.
fn has_no_room(nodes: &Nodes, number: u32, pod: ObjectNo, spec: &PodSpec) -> Option<(&'static str, String)> {
    let node = nodes.get(number)?;
    let is_taken = |(port, protocol): &(i64, planarium_protocol::Text)| {
        let by_pod = |(used, by, no): &(i64, planarium_protocol::Text, ObjectNo)| {
            used == port && by == protocol && *no < pod
        };
        node.ports.iter().any(by_pod) || node.is_port_taken(*port)
    };
    if spec.host_ports.iter().any(is_taken) {
        return Some(("NodePorts", "Pod was rejected: Predicate NodePorts failed".to_owned()));
    }
    let (all, used, own) = (node.allocatable, node.requested.plus(node.others.amounts), spec.requests);
    let rows = [
        ("OutOfpods", "pods", all.pods, used.pods, own.pods),
        ("OutOfcpu", "cpu", all.cpu_milli, used.cpu_milli, own.cpu_milli),
        ("OutOfmemory", "memory", all.memory, used.memory, own.memory),
    ];
    let (reason, word, all, used, own) =
        rows.into_iter().find(|(_, _, all, used, own)| *own > 0 && used > all)?;
    let used = used - own;
    let message = format!(
        "Pod Node didn't have enough resource: {word}, requested: {own}, used: {used}, capacity: {all}"
    );
    Some((reason, message))
}
