//! Ending pods: hooks, signals, grace periods, and the last word.
//!
//! Source: `kubernetes/kubernetes: pkg/kubelet/kuberuntime/kuberuntime_container.go` (`killContainer`), match in order; how
//! long a container takes to end is drawn, up to the grace period, which scripts run by a shell use up.

use crate::{
    kube::Kube,
    object::{Deletion, Object, ObjectNo},
    queue::Timer,
    status::State,
};
use planarium_ground::{Cx, Fleet, ProcessId};
use std::sync::Arc;

impl Kube {
    /// A pod is to go: hooks first, then its containers are told to end.
    pub(super) fn stop_pod(&mut self, cx: &mut Cx, fleet: &mut Fleet, pod: &Arc<Object>) {
        let no = pod.no;
        let Some(deletion) = pod.deletion else { return };
        let Some(run) = self.run(no) else { return };
        if let Some(stopping) = run.stopping {
            if deletion.at < stopping.until {
                self.run_mut(no, |run| {
                    run.stopping = Some(super::Stopping { until: deletion.at, ..stopping });
                });
                if stopping.told {
                    self.tell_containers(cx, fleet, no);
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
            self.queue.disarm(Some(timer));
        }
        let now = cx.now();
        let until = deletion.at.max(now);
        self.run_mut(no, |run| {
            run.stopping = Some(super::Stopping { until, told: false });
            run.cells.iter_mut().for_each(|cell| cell.timer = None);
        });
        self.wanting.remove(&no);
        let Some(run) = self.run(no) else { return };
        let spec = run.spec.clone();
        let running: Vec<usize> =
            run.cells.iter().enumerate().filter(|(_, cell)| cell.pid.is_some()).map(|(at, _)| at).collect();
        let mut hook_ms = 0;
        for at in &running {
            let Some(container) = spec.containers.get(*at) else { continue };
            hook_ms = hook_ms.max(container.pre_stop_ms);
            self.record(
                cx,
                pod,
                false,
                "Killing",
                &format!("Stopping container {}", container.name),
                "kubelet",
            );
        }
        let hook_ms = hook_ms.min(until.since(now));
        if hook_ms > 0 {
            self.arm(cx, hook_ms, Timer::Stop(no));
        } else {
            self.tell_containers(cx, fleet, no);
        }
        self.settle(cx, no);
    }

    /// A preStop hook is done.
    pub(crate) fn stop_containers(&mut self, cx: &mut Cx, fleet: &mut Fleet, no: ObjectNo) {
        self.tell_containers(cx, fleet, no);
        self.settle(cx, no);
    }

    /// Tells all containers of a pod to end.
    pub(super) fn tell_containers(&mut self, cx: &mut Cx, fleet: &mut Fleet, no: ObjectNo) {
        let Some(run) = self.run(no) else { return };
        let now = cx.now();
        let grace_ms = match run.stopping {
            Some(stopping) => stopping.until.since(now),
            None => u64::from(run.spec.grace_s) * 1000,
        };
        let processes: Vec<(u16, ProcessId)> =
            (0..).zip(&run.cells).filter_map(|(at, cell)| Some((at, cell.pid?))).collect();
        self.run_mut(no, |run| {
            if let Some(stopping) = &mut run.stopping {
                stopping.told = true;
            }
        });
        for (at, pid) in processes {
            let hung = fleet.process(pid).is_some_and(|facts| facts.hung);
            let ms = if hung { grace_ms.max(1) } else { self.stop_ms(no, at, grace_ms) };
            fleet.kill(cx, pid, ms);
        }
        // What has not come up yet does not come up any more.
        self.run_mut(no, |run| {
            for cell in run.cells.iter_mut().filter(|cell| cell.pid.is_none()) {
                if let State::Waiting { .. } = cell.status.state {
                    cell.timer = None;
                }
            }
        });
    }

    /// All containers of a deleted pod have ended: it goes.
    pub(super) fn pod_gone(&mut self, cx: &mut Cx, pod: &Arc<Object>) {
        self.runs.remove(&pod.no);
        self.wanting.remove(&pod.no);
        if pod.finalizers.is_empty() {
            return self.take(cx, pod.no);
        }
        // Somebody else's finalizers still hold the object.
        if let Some(deletion) = pod.deletion.filter(|deletion| deletion.grace_s > 0) {
            let deletion = Some(Deletion { grace_s: 0, ..deletion });
            self.put(cx, Object { deletion, ..Object::clone(pod) });
        }
    }

    /// A pod's object is no more: its containers are ended without grace.
    pub(super) fn drop_run(&mut self, fleet: &mut Fleet, no: ObjectNo) {
        let Some(run) = self.run(no) else { return };
        if !self.is_heard(run.node) {
            // The kubelet learns of it when it is back.
            return;
        }
        self.end_run(fleet, no);
    }

    /// What a kubelet knows of a pod, and its containers, go without a word.
    pub(crate) fn end_run(&mut self, fleet: &mut Fleet, no: ObjectNo) {
        let Some(run) = self.run(no) else { return };
        let timers: Vec<_> = run
            .cells
            .iter()
            .filter_map(|cell| cell.timer)
            .map(|(timer, _)| timer)
            .chain(run.deadline)
            .collect();
        for timer in timers {
            self.queue.disarm(Some(timer));
        }
        self.forget_processes(fleet, no);
        self.wanting.remove(&no);
        self.runs.remove(&no);
    }
}
