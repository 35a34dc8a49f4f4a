//! Statuses of pods, as kubelets write them.
//!
//! Source: `kubernetes/kubernetes: pkg/kubelet/kubelet_pods.go` (`getPhase`, `generateAPIPodStatus`), `status/generate.go`,
//! match.

use super::{Cell, Kubelet, Run, Stage};
use crate::{
    object::ObjectNo,
    spec::pod::Restart,
    status::{Cond, Phase, PodStatus, State, Status, Tri},
};
use planarium_kernel::SimTime;
use planarium_protocol::Text;
use std::sync::Arc;

impl Kubelet<'_> {
    /// Writes a kubelet's data about a pod into the pod's status, if the node is not silent.
    pub(crate) fn report_pod(&mut self, no: ObjectNo) {
        let Some(run) = self.cluster.runs.all.get(&no).cloned() else { return };
        if !self.cluster.nodes.is_heard(run.node) {
            return;
        }
        let Some(pod) = self.cluster.api.store.object(no).cloned() else { return };
        let Status::Pod(before) = &pod.status else { return };
        let host = self.cluster.nodes.get(run.node).map(|node| node.address.clone()).unwrap_or_default();
        let status = status_of(&run, before, host, self.cx.now());
        if status != **before {
            self.cluster.put_status(self.cx, &pod, Status::Pod(Arc::new(status)));
        }
    }
}

/// A pod's phase.
fn phase(run: &Run) -> Phase {
    if run.failure.is_some() {
        return Phase::Failed;
    }
    let (init, main) = run.cells.split_at_checked(usize::from(run.spec.inits)).unwrap_or((&[], &run.cells));
    let over = |cell: &Cell| cell.ended().map(|ended| ended.code);
    if run.spec.restart == Restart::Never && init.iter().any(|cell| over(cell).is_some_and(|code| code != 0))
    {
        return Phase::Failed;
    }
    if run.stage != Stage::Main {
        return Phase::Pending;
    }
    let (mut waiting, mut running, mut stopped, mut succeeded) = (0, 0, 0, 0);
    for cell in main {
        match &cell.status.state {
            State::Running { .. } => running += 1,
            State::Terminated(ended) => {
                stopped += 1;
                succeeded += u32::from(ended.code == 0);
            }
            State::Waiting { .. } if cell.status.last.is_some() => stopped += 1,
            State::Waiting { .. } => waiting += 1,
        }
    }
    let restarting = main.iter().any(|cell| cell.pid.is_some() || cell.timer.is_some());
    match () {
        () if waiting > 0 => Phase::Pending,
        () if running > 0 => Phase::Running,
        () if restarting && run.stopping.is_none() => Phase::Running,
        () if run.spec.restart == Restart::Always && run.stopping.is_none() => Phase::Running,
        () if stopped == succeeded => Phase::Succeeded,
        () if run.spec.restart == Restart::Never || run.stopping.is_some() => Phase::Failed,
        () => Phase::Running,
    }
}

fn status_of(run: &Run, before: &PodStatus, host: Text, now: SimTime) -> PodStatus {
    let phase = phase(run);
    let (init, main) = run.cells.split_at_checked(usize::from(run.spec.inits)).unwrap_or((&[], &run.cells));
    let (init_names, main_names) =
        run.spec.containers.split_at_checked(usize::from(run.spec.inits)).unwrap_or((&[], &[]));
    // Room for all conditions that a kubelet sets, and for that of the scheduler.
    let mut conditions = Vec::with_capacity(before.conditions.len().max(4));
    conditions.extend_from_slice(&before.conditions);
    let mut put = |kind, good: bool, reason, message: &str| {
        let (reason, message) = if good { ("", "") } else { (reason, message) };
        Cond::set(&mut conditions, kind, Tri::of(good), reason, message, now);
    };
    let names = |cells: &[Cell], containers: &[crate::spec::container::Container], bad: fn(&Cell) -> bool| {
        let mut list = String::new();
        for (_, one) in cells.iter().zip(containers).filter(|(cell, _)| bad(cell)) {
            if !list.is_empty() {
                list.push(' ');
            }
            list.push_str(&one.name);
        }
        list
    };
    let is_pending = |cell: &Cell| cell.ended().is_none_or(|ended| ended.code != 0);
    let is_unready = |cell: &Cell| !cell.status.ready;
    let initialized = run.stage == Stage::Main || !init.iter().any(is_pending);
    if phase == Phase::Succeeded {
        put("Initialized", true, "PodCompleted", "");
        for kind in ["Ready", "ContainersReady"] {
            put(kind, false, "PodCompleted", "");
        }
    } else {
        let message = if initialized {
            String::new()
        } else {
            format!("containers with incomplete status: [{}]", names(init, init_names, is_pending))
        };
        put("Initialized", initialized, "ContainersNotInitialized", &message);
        let ready = initialized && !main.iter().any(is_unready);
        let message = if ready {
            String::new()
        } else {
            format!("containers with unready status: [{}]", names(main, main_names, is_unready))
        };
        let state = |gate: &Text| before.gates.iter().find(|one| one.kind == *gate).map(|one| one.status);
        let mut closed = Vec::new();
        for gate in run.spec.gates.iter().filter(|_| ready) {
            match state(gate) {
                Some(Tri::True) => {}
                Some(status) => closed.push(format!(
                    "the status of pod readiness gate {gate:?} is not \"True\", but {}",
                    status.as_str()
                )),
                None => closed
                    .push(format!("corresponding condition of pod readiness gate {gate:?} does not exist.")),
            }
        }
        if closed.is_empty() {
            put("Ready", ready, "ContainersNotReady", &message);
        } else {
            put("Ready", false, "ReadinessGatesNotReady", &closed.join(", "));
        }
        put("ContainersReady", ready, "ContainersNotReady", &message);
    }
    if !conditions.iter().any(|one| one.kind == "PodScheduled") {
        Cond::bare("PodScheduled", Tri::True, now).put(&mut conditions);
    }
    let (reason, message) = run.failure.clone().unwrap_or(("", Text::default()));
    PodStatus {
        phase,
        reason,
        message,
        ip: run.ip,
        host,
        start: Some(run.start),
        conditions,
        // A pod that fails as a whole says nothing of its containers any more.
        containers: match run.failure {
            Some(_) => Vec::new(),
            None => run.cells.iter().map(|cell| cell.status.clone()).collect(),
        },
        nominated: before.nominated.clone(),
        gates: before.gates.clone(),
    }
}
