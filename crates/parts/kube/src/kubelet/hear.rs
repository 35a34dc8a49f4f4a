//! What the fleet says of containers and machines.

use super::command::{Course, course, fails};
use crate::{
    kube::Kube,
    object::ObjectNo,
    queue::Timer,
    status::{Ended, State},
};
use planarium_ground::{Absence, Cx, ExitReason, Fleet, FleetEvent, FleetEventKind, ProcessId};
use planarium_kernel::{Class, SimTime};
use planarium_protocol::Text;

/// The exit code of a container that was killed, and of one that ended when it was told to.
const KILLED: i32 = 137;
const TERMINATED: i32 = 143;

impl Kube {
    /// Hears news of the fleet; those of other layers' processes are passed over.
    pub fn on_fleet(&mut self, cx: &mut Cx, fleet: &mut Fleet, event: &FleetEvent) {
        cx.set_cause(event.cause);
        match &event.kind {
            FleetEventKind::MachineLost { machine, how } => self.node_lost(cx, *machine, *how),
            FleetEventKind::MachineReturned { machine, .. } => self.node_back(cx, *machine),
            FleetEventKind::HoldingsChanged { machine, by } => {
                if *by != super::KUBELETS {
                    self.others_changed(cx, fleet, *machine);
                }
            }
            kind => {
                let Some((no, _)) = pid_of(kind).and_then(|pid| self.by_process.get(&pid)).copied() else {
                    return;
                };
                if self.acts(no) == Some(Absence::AgentRestart) {
                    let node = self.run(no).map(|run| run.node);
                    if let Some(node) = node {
                        self.node_mut(node, |node| node.held.push(kind.clone()));
                    }
                    return;
                }
                self.heard(cx, fleet, kind);
            }
        }
    }

    /// A kubelet hears of one of its containers.
    pub(crate) fn heard(&mut self, cx: &mut Cx, fleet: &mut Fleet, kind: &FleetEventKind) {
        let Some((pid, (no, at))) = pid_of(kind).and_then(|pid| Some((pid, *self.by_process.get(&pid)?)))
        else {
            return;
        };
        let current = self.run(no).and_then(|run| run.cells.get(usize::from(at))).and_then(|cell| cell.pid);
        if current != Some(pid) {
            self.by_process.remove(&pid);
            return;
        }
        match kind {
            FleetEventKind::Running { .. } => self.container_runs(cx, no, at, pid),
            FleetEventKind::Check { exit_code, .. } => {
                self.readiness_says(cx, no, at, pid, *exit_code == Some(0));
            }
            FleetEventKind::Health { healthy: false, .. } => self.liveness_fails(cx, no, at),
            FleetEventKind::Exited { code, reason, message, .. } => match reason {
                ExitReason::ImageMissing => {
                    self.process_gone(no, at, pid);
                    self.pull_failed(cx, no, at, message, Class::OneShot);
                }
                ExitReason::MachineFull => {
                    self.container_ended(cx, fleet, no, at, 128, "ContainerCannotRun", message);
                }
                ExitReason::Oom => self.container_ended(cx, fleet, no, at, KILLED, "OOMKilled", ""),
                ExitReason::Exit => {
                    let reason = if *code == 0 { "Completed" } else { "Error" };
                    self.container_ended(cx, fleet, no, at, *code, reason, "");
                }
            },
            FleetEventKind::Killed { unhealthy, during_launch, .. } => {
                let ignores = self.ignores_term(no, at);
                let code = if ignores || *during_launch { KILLED } else { TERMINATED };
                if *unhealthy {
                    self.told_killed(cx, no, at);
                }
                self.container_ended(cx, fleet, no, at, code, "Error", "");
            }
            _ => {}
        }
    }

    fn container_name(&self, no: ObjectNo, at: u16) -> Text {
        let container = self.run(no).and_then(|run| run.spec.containers.get(usize::from(at)));
        container.map(|one| one.name.clone()).unwrap_or_default()
    }

    fn container_runs(&mut self, cx: &mut Cx, no: ObjectNo, at: u16, pid: ProcessId) {
        let Some(run) = self.run(no) else { return };
        let spec = run.spec.clone();
        let Some(container) = spec.containers.get(usize::from(at)) else { return };
        let is_init = usize::from(at) < spec.inits;
        let stuck = container.startup.as_ref().is_some_and(|probe| fails(&probe.command));
        let ready = !is_init && container.readiness.is_none() && !stuck;
        let now = cx.now();
        self.cell_mut(no, at, |cell| {
            if let State::Terminated(ended) = &cell.status.state {
                cell.status.last = Some(ended.clone());
            }
            if cell.begun {
                cell.status.restarts = cell.status.restarts.saturating_add(1);
            }
            cell.begun = true;
            cell.status.state = State::Running { since: now };
            cell.status.process = Some(pid.0);
            cell.status.pulled = true;
            cell.status.started = !stuck && !is_init;
            cell.status.ready = ready;
        });
        if let Course::Timed(ms, _) = course(&spec, usize::from(at), container) {
            self.arm(cx, ms, Timer::Over(no, at, pid));
        }
        if let Some(pod) = self.store.object(no).cloned() {
            let name = &container.name;
            self.record(cx, &pod, false, "Created", &format!("Created container {name}"), "kubelet");
            self.record(cx, &pod, false, "Started", &format!("Started container {name}"), "kubelet");
        }
        self.report_pod(cx, no);
    }

    /// A command has done its time, unless something holds it.
    pub(crate) fn command_over(
        &mut self,
        cx: &mut Cx,
        fleet: &mut Fleet,
        no: ObjectNo,
        at: u16,
        pid: ProcessId,
    ) {
        let Some(run) = self.run(no) else { return };
        let spec = run.spec.clone();
        let current = run.cells.get(usize::from(at)).and_then(|cell| cell.pid);
        if current != Some(pid) {
            return;
        }
        let held = fleet.process(pid).is_some_and(|facts| facts.hung || facts.manual);
        if held || self.acts(no) == Some(Absence::AgentRestart) {
            // It is looked at again; a held command goes on from where it was.
            self.arm(cx, 1_000, Timer::Over(no, at, pid));
            return;
        }
        let course =
            spec.containers.get(usize::from(at)).map(|container| course(&spec, usize::from(at), container));
        let Some(Course::Timed(_, code)) = course else { return };
        fleet.vanish(pid);
        let reason = if code == 0 { "Completed" } else { "Error" };
        self.container_ended(cx, fleet, no, at, code, reason, "");
    }

    /// A readiness probe has given a result.
    fn readiness_says(&mut self, cx: &mut Cx, no: ObjectNo, at: u16, pid: ProcessId, good: bool) {
        let Some(run) = self.run(no) else { return };
        let probe =
            run.spec.containers.get(usize::from(at)).and_then(|container| container.readiness.clone());
        let Some(probe) = probe else { return };
        let stopping = run.stopping.is_some();
        let outcome = self.cell_mut(no, at, |cell| {
            if good {
                cell.good = cell.good.saturating_add(1);
                cell.bad = 0;
                if cell.good >= probe.successes {
                    cell.status.ready = true;
                }
            } else {
                cell.bad = cell.bad.saturating_add(1);
                cell.good = 0;
                if cell.bad >= probe.failures {
                    cell.status.ready = false;
                }
            }
            (cell.good, cell.status.ready)
        });
        let Some((count, _)) = outcome else { return };
        if good && count < probe.successes {
            // The fleet tells of the first good result only.
            let missing = u64::from(probe.successes - count);
            self.arm(cx, missing * probe.period_ms, Timer::Passed(no, at, pid));
        }
        if !good
            && !stopping
            && let Some(pod) = self.store.object(no).cloned()
        {
            let message = format!("Readiness probe failed: {}", probe.command);
            self.record(cx, &pod, true, "Unhealthy", &message, "kubelet");
        }
        self.report_pod(cx, no);
    }

    /// A readiness probe has passed as often as it has to, unless it has failed meanwhile.
    pub(crate) fn probe_passed(&mut self, cx: &mut Cx, fleet: &Fleet, no: ObjectNo, at: u16, pid: ProcessId) {
        let good = fleet.process(pid).and_then(|facts| facts.readiness_last) == Some(0);
        let changed = self.cell_mut(no, at, |cell| {
            let right = cell.pid == Some(pid) && cell.good > 0 && good;
            if right {
                cell.status.ready = true;
            }
            right
        });
        if changed == Some(true) {
            self.report_pod(cx, no);
        }
    }

    fn liveness_fails(&mut self, cx: &mut Cx, no: ObjectNo, at: u16) {
        let Some(run) = self.run(no) else { return };
        let Some(container) = run.spec.containers.get(usize::from(at)) else { return };
        let startup = container.startup.as_ref().filter(|probe| fails(&probe.command));
        let (word, probe) = match (startup, &container.liveness) {
            (Some(probe), _) => ("Startup", probe),
            (None, Some(probe)) => ("Liveness", probe),
            (None, None) => return,
        };
        let message = format!("{word} probe failed: {}", probe.command);
        if let Some(pod) = self.store.object(no).cloned() {
            self.record(cx, &pod, true, "Unhealthy", &message, "kubelet");
        }
    }

    fn told_killed(&mut self, cx: &mut Cx, no: ObjectNo, at: u16) {
        let name = self.container_name(no, at);
        if let Some(pod) = self.store.object(no).cloned() {
            let message = format!("Container {name} failed liveness probe, will be restarted");
            self.record(cx, &pod, false, "Killing", &message, "kubelet");
        }
    }

    /// A container's process is no more.
    pub(super) fn process_gone(&mut self, no: ObjectNo, at: u16, pid: ProcessId) {
        self.by_process.remove(&pid);
        self.cell_mut(no, at, |cell| cell.pid = None);
    }

    /// The processes of a pod go without a word: its machine is gone for good.
    pub(crate) fn forget_processes(&mut self, fleet: &mut Fleet, no: ObjectNo) {
        let pids: Vec<ProcessId> = self
            .run(no)
            .map(|run| run.cells.iter().filter_map(|cell| cell.pid).collect())
            .unwrap_or_default();
        for pid in pids {
            self.by_process.remove(&pid);
            fleet.vanish(pid);
        }
        self.run_mut(no, |run| run.cells.iter_mut().for_each(|cell| cell.pid = None));
    }

    /// A machine is lost with everything on it.
    pub(crate) fn containers_lost(&mut self, number: u32) {
        let pods: Vec<ObjectNo> =
            self.runs.iter().filter(|(_, run)| run.node == number).map(|(no, _)| *no).collect();
        for no in pods {
            let cells = self.run(no).map_or(0, |run| run.cells.len());
            for at in 0..u16::try_from(cells).unwrap_or(u16::MAX) {
                let (pid, timer) = self
                    .cell_mut(no, at, |cell| {
                        cell.lost |= cell.pid.is_some() || matches!(cell.status.state, State::Running { .. });
                        (cell.pid.take(), cell.timer.take())
                    })
                    .unwrap_or_default();
                if let Some(pid) = pid {
                    self.by_process.remove(&pid);
                }
                self.queue.disarm(timer.map(|(timer, _)| timer));
            }
        }
    }

    /// After a reboot: containers that ran are found ended.
    pub(super) fn resume_lost(&mut self, cx: &mut Cx, fleet: &mut Fleet, no: ObjectNo) {
        let lost: Vec<u16> = self
            .run(no)
            .map(|run| (0..).zip(&run.cells).filter(|(_, cell)| cell.lost).map(|(at, _)| at).collect())
            .unwrap_or_default();
        for at in lost {
            let begun = self.cell_mut(no, at, |cell| {
                cell.lost = false;
                matches!(cell.status.state, State::Running { .. })
            });
            if begun == Some(true) {
                self.container_ended(cx, fleet, no, at, 255, "Error", "");
            } else {
                // It had not come up yet: it is started anew.
                self.cell_mut(no, at, |cell| cell.wait("ContainerCreating", ""));
            }
        }
    }
}

/// A container that has ended.
pub(super) fn ended(
    code: i32,
    reason: &'static str,
    message: &str,
    started: SimTime,
    finished: SimTime,
) -> Ended {
    Ended { code, reason, message: message.into(), started, finished }
}

/// Which process an event is about.
fn pid_of(kind: &FleetEventKind) -> Option<ProcessId> {
    match kind {
        FleetEventKind::Started { pid }
        | FleetEventKind::Running { pid }
        | FleetEventKind::Check { pid, .. }
        | FleetEventKind::Health { pid, .. }
        | FleetEventKind::Exited { pid, .. }
        | FleetEventKind::Killed { pid, .. } => Some(*pid),
        _ => None,
    }
}
