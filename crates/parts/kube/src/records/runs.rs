//! Pods as their kubelets know them.
//!
//! *Knows*: the progress of each container, and its process. *Must not know*: what a kubelet does next.

use crate::{
    object::ObjectNo,
    records::queue::Queue,
    spec::pod::PodSpec,
    status::{ContainerStatus, Ended, Ip, State},
};
use planarium_ground::{Fleet, ProcessId};
use planarium_kernel::{Digestible, IdMap, Map, SimTime, TimerId, Weight, id::Counter};
use planarium_protocol::Text;
use std::sync::Arc;

/// Progress of a pod's start.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stage {
    /// Its volumes are not all there.
    Volumes,
    /// This init container is next, or runs.
    Init(u16),
    /// All others have been started.
    Main,
}

/// A container that is started again and again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Backoff {
    pub(crate) ms: u64,
    pub(crate) updated: SimTime,
}

/// Failures of a probe in a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Failures {
    /// `readiness`, `startup` or `liveness`.
    pub(crate) probe: &'static str,
    pub(crate) count: u32,
    /// Instant of the first one.
    pub(crate) since: SimTime,
}

impl Failures {
    /// One failure more, at an instant; the first one where none came before.
    pub(crate) fn more(before: Option<Self>, probe: &'static str, now: SimTime) -> Self {
        let known = before.filter(|before| before.probe == probe);
        let (count, since) = known.map_or((0, now), |before| (before.count, before.since));
        Self { probe, count: count.saturating_add(1), since }
    }
}

/// One container as its kubelet knows it.
#[derive(Clone, Debug, Digestible)]
#[digest(pid.map_or(u32::MAX, |pid| pid.0), status.restarts)]
pub(crate) struct Cell {
    pub(crate) status: ContainerStatus,
    pub(crate) pid: Option<ProcessId>,
    pub(crate) backoff: Option<Backoff>,
    pub(crate) pull_backoff: Option<Backoff>,
    /// The timer that brings its next turn, and when.
    pub(crate) timer: Option<(TimerId, SimTime)>,
    /// Readiness results in a row, good ones and bad ones.
    pub(crate) good: u32,
    pub(crate) bad: u32,
    /// Failures of its readiness probe in a row, and of its startup or liveness probe.
    pub(crate) unready: Option<Failures>,
    pub(crate) unhealthy: Option<Failures>,
    /// Failures for which it was killed last.
    pub(crate) killed_for: Option<Failures>,
    /// It was running when its machine was lost.
    pub(crate) lost: bool,
    /// True if it has been started at least once.
    pub(crate) begun: bool,
}

/// A deletion that the kubelet has begun.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Stopping {
    pub(crate) until: SimTime,
    /// Containers were told to end.
    pub(crate) told: bool,
}

/// A pod as its kubelet knows it.
#[derive(Clone, Debug, Digestible, Weight)]
#[digest(each cells)]
#[weight(own 256 * self.cells.len() as u64)]
pub(crate) struct Run {
    pub(crate) node: u32,
    pub(crate) spec: Arc<PodSpec>,
    pub(crate) ip: Ip,
    pub(crate) start: SimTime,
    pub(crate) stage: Stage,
    pub(crate) cells: Vec<Cell>,
    pub(crate) stopping: Option<Stopping>,
    /// Why the whole pod has failed, if it has: reason and message.
    pub(crate) failure: Option<(&'static str, Text)>,
    /// The missing source of its volumes, so that it is reported once.
    pub(crate) missing: Option<Text>,
    pub(crate) deadline: Option<TimerId>,
}

impl Cell {
    /// A container that has not been started.
    pub(crate) fn new(reason: &'static str) -> Self {
        Self {
            status: ContainerStatus::waiting(reason),
            pid: None,
            backoff: None,
            pull_backoff: None,
            timer: None,
            good: 0,
            bad: 0,
            unready: None,
            unhealthy: None,
            killed_for: None,
            lost: false,
            begun: false,
        }
    }

    /// Makes it wait, for a reason.
    pub(crate) fn wait(&mut self, reason: &'static str, message: impl Into<Text>) {
        if let State::Terminated(ended) = &self.status.state {
            self.status.last = Some(ended.clone());
        }
        self.status.state = State::Waiting { reason, message: message.into() };
        self.status.ready = false;
        self.status.started = false;
    }

    /// True if it has ended and is not started again.
    pub(crate) fn ended(&self) -> Option<&Ended> {
        match &self.status.state {
            State::Terminated(ended) if self.timer.is_none() => Some(ended),
            _ => None,
        }
    }
}

impl Run {
    /// Disarms all its timers.
    pub(crate) fn disarm(&self, queue: &mut Queue) {
        for timer in
            self.cells.iter().filter_map(|cell| cell.timer).map(|(timer, _)| timer).chain(self.deadline)
        {
            queue.disarm(Some(timer));
        }
    }
}

/// Pods that kubelets have taken on.
#[derive(Clone, Debug, Default)]
pub(crate) struct Runs {
    pub(crate) all: IdMap<ObjectNo, Arc<Run>>,
    /// Pod and container of each process.
    pub(crate) by_process: IdMap<ProcessId, (ObjectNo, u16)>,
    /// Pods that wait for a ConfigMap, Secret or claim.
    pub(crate) wanting: Map<ObjectNo, ()>,
    pub(crate) next_ip: Counter,
}

impl Runs {
    /// The pod as its kubelet knows it.
    pub(crate) fn get(&self, no: ObjectNo) -> Option<&Run> {
        self.all.get(&no).map(|run| &**run)
    }

    /// Changes a kubelet's data about a pod.
    pub(crate) fn change<R>(&mut self, no: ObjectNo, change: impl FnOnce(&mut Run) -> R) -> Option<R> {
        self.all.get_mut(&no).map(|run| change(Arc::make_mut(run)))
    }

    /// One container of a pod.
    pub(crate) fn cell(&self, no: ObjectNo, at: u16) -> Option<&Cell> {
        self.get(no)?.cells.get(usize::from(at))
    }

    /// Changes one container of a pod.
    pub(crate) fn change_cell<R>(
        &mut self,
        no: ObjectNo,
        at: u16,
        change: impl FnOnce(&mut Cell) -> R,
    ) -> Option<R> {
        self.all.get_mut(&no).and_then(|run| Arc::make_mut(run).cells.get_mut(usize::from(at)).map(change))
    }

    /// Records that a container's process has ended.
    pub(crate) fn process_gone(&mut self, no: ObjectNo, at: u16, pid: ProcessId) {
        self.by_process.remove(&pid);
        self.change_cell(no, at, |cell| cell.pid = None);
    }

    /// Removes the processes of a pod without reports: its machine was removed.
    pub(crate) fn forget_processes(&mut self, fleet: &mut Fleet, no: ObjectNo) {
        let pids: Vec<ProcessId> = self
            .get(no)
            .map(|run| run.cells.iter().filter_map(|cell| cell.pid).collect())
            .unwrap_or_default();
        for pid in pids {
            self.by_process.remove(&pid);
            fleet.vanish(pid);
        }
        self.change(no, |run| run.cells.iter_mut().for_each(|cell| cell.pid = None));
    }

    /// A machine is lost with everything on it.
    pub(crate) fn lose_machine(&mut self, queue: &mut Queue, number: u32) {
        let pods: Vec<ObjectNo> =
            self.all.iter().filter(|(_, run)| run.node == number).map(|(no, _)| *no).collect();
        for no in pods {
            let cells = self.get(no).map_or(0, |run| run.cells.len());
            for at in 0..u16::try_from(cells).unwrap_or(u16::MAX) {
                let (pid, timer) = self
                    .change_cell(no, at, |cell| {
                        cell.lost |= cell.pid.is_some() || matches!(cell.status.state, State::Running { .. });
                        (cell.pid.take(), cell.timer.take())
                    })
                    .unwrap_or_default();
                if let Some(pid) = pid {
                    self.by_process.remove(&pid);
                }
                queue.disarm(timer.map(|(timer, _)| timer));
            }
        }
    }

    /// Ends a pod's containers, and forgets the pod, without a word.
    pub(crate) fn end(&mut self, queue: &mut Queue, fleet: &mut Fleet, no: ObjectNo) {
        let Some(run) = self.get(no) else { return };
        run.disarm(queue);
        self.forget_processes(fleet, no);
        self.wanting.remove(&no);
        self.all.remove(&no);
    }

    /// Lets containers that wait for a ConfigMap or Secret check for it again.
    pub(crate) fn retry_config(&mut self, no: ObjectNo) {
        let waiting: Vec<u16> = self.get(no).map(waiting_for_config).unwrap_or_default();
        for at in waiting {
            self.change_cell(no, at, |cell| cell.wait("ContainerCreating", ""));
        }
    }
}

/// Containers that wait for a ConfigMap or Secret.
fn waiting_for_config(run: &Run) -> Vec<u16> {
    let waits = |cell: &Cell| {
        matches!(cell.status.state, State::Waiting { reason: "CreateContainerConfigError", .. })
            && cell.pid.is_none()
    };
    (0..).zip(&run.cells).filter(|(_, cell)| waits(cell)).map(|(at, _)| at).collect()
}
