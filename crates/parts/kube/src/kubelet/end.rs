//! Ended containers: restarts them immediately, later, or not at all.
//!
//! Source: `kubernetes/kubernetes: pkg/kubelet/kuberuntime/kuberuntime_manager.go` (`doBackOff`), `client-go:
//! util/flowcontrol/backoff.go`, match: the first restart is immediate, the next ones after 10 s, 20 s, 40 s and so on up to
//! 5 minutes; after 10 minutes without one the delay is reset.

use super::{Backoff, Kubelet, Stage};
use crate::{
    object::{Deletion, Object, ObjectNo},
    records::queue::Timer,
    spec::pod::Restart,
    status::{Ended, State},
};
use planarium_kernel::{Class, SimTime};
use std::sync::Arc;

const BACKOFF_MS: u64 = 10_000;
pub(super) const BACKOFF_MOST_MS: u64 = 300_000;

impl Kubelet<'_> {
    /// A container has ended.
    pub(super) fn container_ended(
        &mut self,
        no: ObjectNo,
        at: u16,
        code: i32,
        reason: &'static str,
        message: &str,
    ) {
        let now = self.cx.now();
        let pid = self.cluster.runs.cell(no, at).and_then(|cell| cell.pid);
        if let Some(pid) = pid {
            self.cluster.runs.process_gone(no, at, pid);
        }
        self.cluster.runs.change_cell(no, at, |cell| {
            let started = match cell.status.state {
                State::Running { since } => since,
                _ => now,
            };
            cell.status.state = State::Terminated(ended(code, reason, message, started, now));
            cell.status.ready = false;
            cell.status.started = false;
            cell.begun = true;
        });
        let Some(run) = self.cluster.runs.get(no) else { return };
        if run.stopping.is_some() || run.failure.is_some() {
            return self.settle(no);
        }
        let (restart, is_init) = (run.spec.restart, at < run.spec.inits);
        let again = match (is_init, restart) {
            (_, Restart::Never) => false,
            (false, Restart::Always) => true,
            (true, _) | (false, Restart::OnFailure) => code != 0,
        };
        if again {
            self.start_again(no, at);
        } else if is_init && code == 0 {
            let next = at + 1;
            self.cluster.runs.change(no, |run| {
                run.stage = if next < run.spec.inits { Stage::Init(next) } else { Stage::Main };
            });
            return self.go_on(no);
        }
        self.settle(no);
    }

    /// A container is started again, at once or after its back-off.
    fn start_again(&mut self, no: ObjectNo, at: u16) {
        let now = self.cx.now();
        let Some(pod) = self.cluster.api.store.object(no).cloned() else { return };
        let name = self
            .cluster
            .runs
            .get(no)
            .and_then(|run| run.spec.containers.get(usize::from(at)))
            .map(|one| one.name.clone());
        let name = name.unwrap_or_default();
        let delay = self.cluster.runs.change_cell(no, at, |cell| {
            let kept = cell.backoff.filter(|backoff| now.since(backoff.updated) <= 2 * BACKOFF_MOST_MS);
            match kept {
                None => {
                    cell.backoff = Some(Backoff { ms: BACKOFF_MS, updated: now });
                    0
                }
                Some(backoff) => {
                    let seconds = backoff.ms / 1000;
                    let span = match (seconds / 60, seconds % 60) {
                        (0, seconds) => format!("{seconds}s"),
                        (minutes, seconds) => format!("{minutes}m{seconds}s"),
                    };
                    let message = format!(
                        "back-off {span} restarting failed container={name} pod={}_{}({})",
                        pod.name, pod.namespace, pod.uid
                    );
                    cell.wait("CrashLoopBackOff", message);
                    backoff.ms
                }
            }
        });
        match delay {
            None => {}
            Some(0) => self.start_container(no, at),
            Some(delay) => {
                self.cluster.reports.record(
                    self.cx,
                    &pod,
                    true,
                    "BackOff",
                    "Back-off restarting failed container",
                    "kubelet",
                );
                self.arm_cell(no, at, delay, Timer::Restart(no, at), Class::OneShot);
            }
        }
    }

    /// Reports a pod, and drops it if it is finished.
    pub(super) fn settle(&mut self, no: ObjectNo) {
        let Some(run) = self.cluster.runs.get(no) else { return };
        let alive = run.cells.iter().any(|cell| cell.pid.is_some());
        if run.stopping.is_some() && !alive {
            self.report_pod(no);
            if let Some(pod) = self.cluster.api.store.object(no).cloned()
                && self.cluster.nodes.is_heard(self.cluster.runs.get(no).map_or(u32::MAX, |run| run.node))
            {
                self.pod_gone(&pod);
            }
            return;
        }
        self.report_pod(no);
        self.let_go(no);
    }

    /// Drops a finished pod from its kubelet.
    fn let_go(&mut self, no: ObjectNo) {
        let Some(run) = self.cluster.runs.get(no) else { return };
        let over = match self.cluster.api.store.object(no).map(|pod| &pod.status) {
            Some(crate::status::Status::Pod(status)) => status.phase.is_terminal(),
            _ => false,
        };
        if !over || run.cells.iter().any(|cell| cell.pid.is_some()) {
            return;
        }
        let timers: Vec<_> = run
            .cells
            .iter()
            .filter_map(|cell| cell.timer)
            .map(|(timer, _)| timer)
            .chain(run.deadline)
            .collect();
        for timer in timers {
            self.cluster.queue.disarm(Some(timer));
        }
        self.cluster.runs.all.remove(&no);
    }

    /// All containers of a deleted pod have ended: it goes.
    pub(super) fn pod_gone(&mut self, pod: &Arc<Object>) {
        self.cluster.runs.all.remove(&pod.no);
        self.cluster.runs.wanting.remove(&pod.no);
        if pod.finalizers.is_empty() {
            return self.cluster.take(self.cx, pod.no);
        }
        // Other finalizers still hold the object.
        if let Some(deletion) = pod.deletion.filter(|deletion| deletion.grace_s > 0) {
            let deletion = Some(Deletion { grace_s: 0, ..deletion });
            self.cluster.put(self.cx, Object { deletion, ..Object::clone(pod) });
        }
    }
}

/// A container that has ended.
fn ended(code: i32, reason: &'static str, message: &str, started: SimTime, finished: SimTime) -> Ended {
    Ended { code, reason, message: message.into(), started, finished }
}
