//! Handles the fleet's reports about containers.

use super::{
    Kubelet,
    command::{Course, course, fails},
};
use crate::{
    object::ObjectNo,
    records::{queue::Timer, runs::Failures},
    status::State,
};
use planarium_ground::{Absence, ExitReason, FleetEventKind, ProcessId};
use planarium_kernel::Class;
use planarium_protocol::Text;

/// Exit code of a container that was killed, and of one that ended when asked to.
const KILLED: i32 = 137;
const TERMINATED: i32 = 143;

impl Kubelet<'_> {
    /// Returns the pod of the container that a report is about.
    pub(crate) fn pod_of(&self, kind: &FleetEventKind) -> Option<ObjectNo> {
        self.cluster.runs.by_process.get(&pid_of(kind)?).map(|(no, _)| *no)
    }

    /// Keeps a report for a kubelet that is away.
    pub(crate) fn hold(&mut self, no: ObjectNo, kind: &FleetEventKind) {
        if let Some(node) = self.cluster.runs.get(no).map(|run| run.node) {
            self.cluster.nodes.change(node, |node| node.held.push(kind.clone()));
        }
    }

    /// Handles a report about one of a kubelet's containers.
    pub(crate) fn hear(&mut self, kind: &FleetEventKind) {
        let Some((pid, (no, at))) =
            pid_of(kind).and_then(|pid| Some((pid, *self.cluster.runs.by_process.get(&pid)?)))
        else {
            return;
        };
        let current = self.cluster.runs.cell(no, at).and_then(|cell| cell.pid);
        if current != Some(pid) {
            self.cluster.runs.by_process.remove(&pid);
            return;
        }
        match kind {
            FleetEventKind::Running { .. } => self.container_runs(no, at, pid),
            FleetEventKind::Check { exit_code, .. } => {
                self.readiness_says(no, at, pid, *exit_code == Some(0));
            }
            FleetEventKind::Health { healthy: false, .. } => self.liveness_fails(no, at),
            FleetEventKind::Health { .. } => {
                self.cluster.runs.change_cell(no, at, |cell| {
                    (cell.unhealthy, cell.killed_for) = (None, None);
                });
            }
            FleetEventKind::Exited { code, reason, message, .. } => match reason {
                ExitReason::ImageMissing => {
                    self.cluster.runs.process_gone(no, at, pid);
                    self.pull_failed(no, at, message, Class::OneShot);
                }
                ExitReason::MachineFull => {
                    self.container_ended(no, at, 128, "ContainerCannotRun", message);
                }
                ExitReason::Oom => self.container_ended(no, at, KILLED, "OOMKilled", ""),
                ExitReason::Exit => {
                    let reason = if *code == 0 { "Completed" } else { "Error" };
                    self.container_ended(no, at, *code, reason, "");
                }
            },
            FleetEventKind::Killed { unhealthy, during_launch, .. } => {
                let ignores = self.ignores_term(no, at);
                let code = if ignores || *during_launch { KILLED } else { TERMINATED };
                if *unhealthy {
                    self.told_killed(no, at);
                }
                self.container_ended(no, at, code, "Error", "");
            }
            _ => {}
        }
    }

    fn container_name(&self, no: ObjectNo, at: u16) -> Text {
        let container = self.cluster.runs.get(no).and_then(|run| run.spec.containers.get(usize::from(at)));
        container.map(|one| one.name.clone()).unwrap_or_default()
    }

    fn container_runs(&mut self, no: ObjectNo, at: u16, pid: ProcessId) {
        let Some(run) = self.cluster.runs.get(no) else { return };
        let spec = run.spec.clone();
        let Some(container) = spec.containers.get(usize::from(at)) else { return };
        let is_init = at < spec.inits;
        let stuck = container.startup.as_ref().is_some_and(|probe| fails(&probe.command));
        let ready = !is_init && container.readiness.is_none() && !stuck;
        let now = self.cx.now();
        self.cluster.runs.change_cell(no, at, |cell| {
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
            self.cluster.queue.arm_in(self.cx, ms, Timer::Over(no, at, pid));
        }
        if let Some(pod) = self.cluster.api.store.object(no).cloned() {
            let name = &container.name;
            self.cluster.reports.record(
                self.cx,
                &pod,
                false,
                "Created",
                &format!("Created container {name}"),
                "kubelet",
            );
            self.cluster.reports.record(
                self.cx,
                &pod,
                false,
                "Started",
                &format!("Started container {name}"),
                "kubelet",
            );
        }
        self.report_pod(no);
    }

    /// A command has done its time, unless something holds it.
    pub(crate) fn command_over(&mut self, no: ObjectNo, at: u16, pid: ProcessId) {
        let Some(run) = self.cluster.runs.get(no) else { return };
        let spec = run.spec.clone();
        let current = run.cells.get(usize::from(at)).and_then(|cell| cell.pid);
        if current != Some(pid) {
            return;
        }
        let held = self.fleet.process(pid).is_some_and(|facts| facts.hung || facts.manual);
        if held || self.acts(no) == Some(Absence::AgentRestart) {
            // Check it again; a held command continues from its position.
            self.cluster.queue.arm_in(self.cx, 1_000, Timer::Over(no, at, pid));
            return;
        }
        let course =
            spec.containers.get(usize::from(at)).map(|container| course(&spec, usize::from(at), container));
        let Some(Course::Timed(_, code)) = course else { return };
        self.fleet.vanish(pid);
        let reason = if code == 0 { "Completed" } else { "Error" };
        self.container_ended(no, at, code, reason, "");
    }

    /// A readiness probe has given a result.
    fn readiness_says(&mut self, no: ObjectNo, at: u16, pid: ProcessId, good: bool) {
        let Some(run) = self.cluster.runs.get(no) else { return };
        let probe =
            run.spec.containers.get(usize::from(at)).and_then(|container| container.readiness.clone());
        let Some(probe) = probe else { return };
        let stopping = run.stopping.is_some();
        let now = self.cx.now();
        let outcome = self.cluster.runs.change_cell(no, at, |cell| {
            if good {
                cell.good = cell.good.saturating_add(1);
                cell.bad = 0;
                cell.unready = None;
                if cell.good >= probe.successes {
                    cell.status.ready = true;
                }
            } else {
                cell.bad = cell.bad.saturating_add(1);
                cell.good = 0;
                cell.unready = Some(Failures::more(cell.unready, "readiness", now));
                if cell.bad >= probe.failures {
                    cell.status.ready = false;
                }
            }
            (cell.good, cell.status.ready)
        });
        let Some((count, _)) = outcome else { return };
        if good && count < probe.successes {
            // The self.fleet tells of the first good result only.
            let missing = u64::from(probe.successes - count);
            self.cluster.queue.arm_in(self.cx, missing * probe.period_ms, Timer::Passed(no, at, pid));
        }
        if !good
            && !stopping
            && let Some(pod) = self.cluster.api.store.object(no).cloned()
        {
            let message = format!("Readiness probe failed: {}", probe.command);
            self.cluster.reports.record(self.cx, &pod, true, "Unhealthy", &message, "kubelet");
        }
        self.report_pod(no);
    }

    /// A readiness probe has passed as often as it has to, unless it has failed meanwhile.
    pub(crate) fn probe_passed(&mut self, no: ObjectNo, at: u16, pid: ProcessId) {
        let good = self.fleet.process(pid).and_then(|facts| facts.readiness_last) == Some(0);
        let changed = self.cluster.runs.change_cell(no, at, |cell| {
            let right = cell.pid == Some(pid) && cell.good > 0 && good;
            if right {
                cell.status.ready = true;
            }
            right
        });
        if changed == Some(true) {
            self.report_pod(no);
        }
    }

    fn liveness_fails(&mut self, no: ObjectNo, at: u16) {
        let Some(run) = self.cluster.runs.get(no) else { return };
        let Some(container) = run.spec.containers.get(usize::from(at)) else { return };
        let startup = container.startup.as_ref().filter(|probe| fails(&probe.command));
        let (word, probe) = match (startup, &container.liveness) {
            (Some(probe), _) => ("Startup", probe),
            (None, Some(probe)) => ("Liveness", probe),
            (None, None) => return,
        };
        let message = format!("{word} probe failed: {}", probe.command);
        let (kind, now) = (if startup.is_some() { "startup" } else { "liveness" }, self.cx.now());
        self.cluster.runs.change_cell(no, at, |cell| {
            cell.unhealthy = Some(Failures::more(cell.unhealthy, kind, now));
        });
        if let Some(pod) = self.cluster.api.store.object(no).cloned() {
            self.cluster.reports.record(self.cx, &pod, true, "Unhealthy", &message, "kubelet");
        }
    }

    fn told_killed(&mut self, no: ObjectNo, at: u16) {
        self.cluster.runs.change_cell(no, at, |cell| cell.killed_for = cell.unhealthy);
        let name = self.container_name(no, at);
        if let Some(pod) = self.cluster.api.store.object(no).cloned() {
            let message = format!("Container {name} failed liveness probe, will be restarted");
            self.cluster.reports.record(self.cx, &pod, false, "Killing", &message, "kubelet");
        }
    }
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
