//! Ending pods: hooks, signals, grace periods, and the last word.
//!
//! Source: `kubernetes/kubernetes: pkg/kubelet/kuberuntime/kuberuntime_container.go` (`killContainer`), match in order; how
//! long a container takes to end is drawn, up to the grace period, which scripts run by a shell use up.

use super::{Kubelet, Stopping};
use crate::{
    object::{Object, ObjectNo},
    records::queue::Timer,
    status::State,
};
use planarium_ground::ProcessId;
use std::sync::Arc;

impl Kubelet<'_> {
    /// Stops a pod: hooks first, then its containers are told to end.
    pub(super) fn stop_pod(&mut self, pod: &Arc<Object>) {
        let no = pod.no;
        let Some(deletion) = pod.deletion else { return };
        let Some(run) = self.cluster.runs.get(no) else { return };
        if let Some(stopping) = run.stopping {
            if deletion.at < stopping.until {
                self.cluster.runs.change(no, |run| {
                    run.stopping = Some(Stopping { until: deletion.at, ..stopping });
                });
                if stopping.told {
                    self.tell_containers(no);
                }
            }
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
        let now = self.cx.now();
        let until = deletion.at.max(now);
        self.cluster.runs.change(no, |run| {
            run.stopping = Some(Stopping { until, told: false });
            run.cells.iter_mut().for_each(|cell| cell.timer = None);
        });
        self.cluster.runs.wanting.remove(&no);
        let Some(run) = self.cluster.runs.get(no) else { return };
        let spec = run.spec.clone();
        let running: Vec<usize> =
            run.cells.iter().enumerate().filter(|(_, cell)| cell.pid.is_some()).map(|(at, _)| at).collect();
        let mut hook_ms = 0;
        for at in &running {
            let Some(container) = spec.containers.get(*at) else { continue };
            hook_ms = hook_ms.max(container.pre_stop_ms);
            self.cluster.reports.record(
                self.cx,
                pod,
                false,
                "Killing",
                &format!("Stopping container {}", container.name),
                "kubelet",
            );
        }
        let hook_ms = hook_ms.min(until.since(now));
        if hook_ms > 0 {
            self.cluster.queue.arm_in(self.cx, hook_ms, Timer::Stop(no));
        } else {
            self.tell_containers(no);
        }
        self.settle(no);
    }

    /// A preStop hook is done.
    pub(crate) fn stop_containers(&mut self, no: ObjectNo) {
        self.tell_containers(no);
        self.settle(no);
    }

    /// Tells all containers of a pod to end.
    pub(super) fn tell_containers(&mut self, no: ObjectNo) {
        let Some(run) = self.cluster.runs.get(no) else { return };
        let now = self.cx.now();
        let grace_ms = match run.stopping {
            Some(stopping) => stopping.until.since(now),
            None => u64::from(run.spec.grace_s) * 1000,
        };
        let processes: Vec<(u16, ProcessId)> =
            (0..).zip(&run.cells).filter_map(|(at, cell)| Some((at, cell.pid?))).collect();
        self.cluster.runs.change(no, |run| {
            if let Some(stopping) = &mut run.stopping {
                stopping.told = true;
            }
        });
        for (at, pid) in processes {
            let hung = self.fleet.process(pid).is_some_and(|facts| facts.hung);
            let ms = if hung { grace_ms.max(1) } else { self.stop_ms(no, at, grace_ms) };
            self.fleet.kill(self.cx, pid, ms);
        }
        // What has not come up yet does not come up any more.
        self.cluster.runs.change(no, |run| {
            for cell in run.cells.iter_mut().filter(|cell| cell.pid.is_none()) {
                if let State::Waiting { .. } = cell.status.state {
                    cell.timer = None;
                }
            }
        });
    }
}
