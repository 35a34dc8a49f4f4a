//! Probes: readiness and health checks of running processes.
//!
//! A probe whose next result is known and would change nothing is *parked*: it costs nothing and reports nothing
//! until a fault or a rule concerns its process; then it resumes its schedule.
//!
//! Source: `apache/mesos: src/checks/checker_process.cpp`, `health_checker.cpp` (grace, consecutive failures,
//! reporting). Differ: checks take no time unless the process hangs; then they time out.

use crate::{
    Armed, Cx, Fleet, Timer,
    convention::exit_code,
    event::{CheckKind, FleetEventKind},
    fault::Faults,
    process::{ProbeState, Process, ProcessState, Seen},
    spec::{CheckSpec, ProcessId},
};
use planarium_kernel::{Class, EventQueue, SimTime};
use planarium_protocol::{EventBody, input::FaultKind};
use std::sync::Arc;

/// Minimum interval of checks, whatever the definition says.
pub const MIN_INTERVAL_MS: u64 = 1_000;
/// The exit code shown for a check that timed out.
pub const TIMEOUT_EXIT_CODE: i32 = 124;

impl Process {
    fn check_spec(&self, kind: CheckKind) -> Option<&CheckSpec> {
        match kind {
            CheckKind::Readiness => self.spec.program.readiness.as_ref(),
            CheckKind::Health => self.spec.program.health.as_ref().map(|health| &health.check),
        }
    }

    pub(crate) fn probe(&self, kind: CheckKind) -> &ProbeState {
        match kind {
            CheckKind::Readiness => &self.readiness,
            CheckKind::Health => &self.health,
        }
    }

    fn probe_mut(&mut self, kind: CheckKind) -> &mut ProbeState {
        match kind {
            CheckKind::Readiness => &mut self.readiness,
            CheckKind::Health => &mut self.health,
        }
    }

    fn list(&self, kind: CheckKind) -> &[i32] {
        match kind {
            CheckKind::Readiness => &self.behaviour.readiness,
            CheckKind::Health => &self.behaviour.health,
        }
    }
}

/// A predicted result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Forecast {
    /// The exit code; `None` for a timeout.
    pub(crate) result: Option<i32>,
    /// The fault that brings it.
    pub(crate) fault: Option<u32>,
    /// It comes from the behaviour's list.
    pub(crate) listed: bool,
    /// Later results will differ without any input.
    pub(crate) passing: bool,
}

fn forecast(faults: &Faults, process: &Process, kind: CheckKind, at: SimTime) -> Forecast {
    let command = process.check_spec(kind).map_or("", |check| &check.command);
    forecast_of(faults, process, Asked { kind, probe: process.probe(kind), command }, at)
}

/// The inputs of a check's prediction.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Asked<'a> {
    /// Its kind.
    pub(crate) kind: CheckKind,
    /// Its results so far.
    pub(crate) probe: &'a ProbeState,
    /// The command that it runs.
    pub(crate) command: &'a str,
}

/// Predicts the result of a check of a kind, from its past results and its settings.
pub(crate) fn forecast_of(faults: &Faults, process: &Process, asked: Asked<'_>, at: SimTime) -> Forecast {
    let Asked { kind, probe, command } = asked;
    let certain = |result| Forecast { result, fault: None, listed: false, passing: false };
    if process.hung {
        return certain(None);
    }
    let fault_kind = match kind {
        CheckKind::Readiness => FaultKind::ReadinessFail,
        CheckKind::Health => FaultKind::HealthFail,
    };
    let meant = faults.iter().filter(|(_, f)| {
        f.kind() == fault_kind && process.spec.labels.matches(&f.spec.target) && f.left != Some(0)
    });
    let mut uncertain = false;
    for (number, fault) in meant {
        uncertain |= fault.left.is_some() || fault.per_mille() < 1000;
        if fault.hits(&process.spec.labels, process.luck, u64::from(probe.attempts)) {
            let result = Some(fault.exit_code());
            return Forecast { result, fault: Some(*number), listed: false, passing: uncertain };
        }
    }
    let list = process.list(kind);
    if let Some(last) = list.last() {
        let code = list.get(probe.listed as usize).unwrap_or(last);
        let rest = list.get(probe.listed as usize..).unwrap_or_default();
        let passing = uncertain || rest.iter().any(|later| later != code);
        return Forecast { result: Some(*code), fault: None, listed: true, passing };
    }
    if kind == CheckKind::Readiness
        && let Some(ms) = process.behaviour.ready_after_ms
        && at < process.running_since.saturating_add(ms)
    {
        return Forecast { result: Some(1), fault: None, listed: false, passing: true };
    }
    let code = exit_code(command).unwrap_or(0);
    Forecast { passing: uncertain, ..certain(Some(code)) }
}

/// Arms the next check, or parks or disarms the probe.
pub(crate) fn arm_probe(
    faults: &Faults,
    timers: &mut EventQueue<Armed>,
    process: &mut Process,
    pid: ProcessId,
    kind: CheckKind,
    now: SimTime,
) {
    let Some(check) = process.check_spec(kind) else { return };
    let probe = process.probe(kind);
    let runs = process.state == ProcessState::Running && !process.is_manual();
    if probe.waiting && runs {
        return;
    }
    let mut armed = None;
    let mut next = probe.next;
    if runs {
        let interval = check.interval_ms.max(MIN_INTERVAL_MS);
        let mut at = probe.next.unwrap_or_else(|| process.running_since.saturating_add(check.delay_ms));
        if at < now {
            at = at.saturating_add(now.since(at).div_ceil(interval).saturating_mul(interval));
        }
        let forecast = forecast(faults, process, kind, at);
        let failing_health = kind == CheckKind::Health && forecast.result != Some(0);
        let changes = probe.last != Some(Seen(forecast.result)) || forecast.passing || failing_health;
        next = Some(at);
        if changes || forecast.result != Some(0) {
            let class = if changes { Class::OneShot } else { Class::Periodic };
            armed = Some((at, class, process.cause));
        }
    }
    if let Some(timer) = probe.timer {
        timers.cancel(timer);
    }
    let timer = armed
        .map(|(at, class, cause)| timers.push(at, class, Armed { cause, timer: Timer::Probe(pid, kind) }));
    let probe = process.probe_mut(kind);
    (probe.timer, probe.next, probe.waiting) = (timer, next, false);
}

impl Fleet {
    /// Starts a check, or ends one that hangs.
    pub(crate) fn probe_due(&mut self, cx: &mut Cx, pid: ProcessId, kind: CheckKind) {
        let now = cx.now();
        let Self { processes, faults, timers, .. } = self;
        let Some(process) = processes.get_mut(&pid).map(Arc::make_mut) else { return };
        process.probe_mut(kind).timer = None;
        let Some(check) = process.check_spec(kind) else { return };
        let (interval_ms, timeout_ms) = (check.interval_ms.max(MIN_INTERVAL_MS), check.timeout_ms);
        let timed_out = process.probe(kind).waiting;
        let forecast = forecast(faults, process, kind, now);
        if forecast.result.is_none() && !timed_out {
            // It hangs. Without a timeout it is never reported.
            let cause = process.cause;
            let ends = (timeout_ms > 0).then(|| now.saturating_add(timeout_ms));
            let told = kind == CheckKind::Readiness && process.probe(kind).last == Some(Seen(None));
            let class = if told { Class::Periodic } else { Class::OneShot };
            let probe = process.probe_mut(kind);
            let armed = || Armed { cause, timer: Timer::Probe(pid, kind) };
            probe.timer = ends.map(|at| timers.push(at, class, armed()));
            probe.waiting = probe.timer.is_some();
            probe.next = Some(now.saturating_add(interval_ms));
            return;
        }
        let forecast = if timed_out {
            Forecast { result: None, fault: None, listed: false, passing: false }
        } else {
            forecast
        };
        if let Some(number) = forecast.fault {
            self.count_failed_check(cx, pid, number);
        }
        let Some(process) = self.process_mut(pid) else { return };
        let ((task, task_id), owner) = (process.spec.named(), process.spec.owner);
        let probe = process.probe_mut(kind);
        probe.waiting = false;
        probe.attempts = probe.attempts.saturating_add(1);
        probe.listed = probe.listed.saturating_add(u32::from(forecast.listed));
        probe.last = Some(Seen(forecast.result));
        probe.next = Some(now.saturating_add(interval_ms));
        let attempt = probe.attempts;
        let exit_code = forecast.result.unwrap_or(TIMEOUT_EXIT_CODE);
        let body = EventBody::Check { task, task_id, check: kind.as_str().into(), exit_code, attempt };
        cx.following(body, |cx| match kind {
            CheckKind::Readiness => {
                self.report_to(cx, owner, FleetEventKind::Check { pid, exit_code: forecast.result, attempt });
            }
            CheckKind::Health => self.judge_health(cx, pid, forecast.result == Some(0)),
        });
        self.settle_exhausted(cx);
        let Self { processes, faults, timers, .. } = self;
        if let Some(process) = processes.get_mut(&pid).map(Arc::make_mut) {
            arm_probe(faults, timers, process, pid, kind, now);
        }
    }

    fn judge_health(&mut self, cx: &mut Cx, pid: ProcessId, healthy: bool) {
        let now = cx.now();
        let Some(process) = self.process_mut(pid) else { return };
        let spec = process.spec.clone();
        let Some(health) = &spec.program.health else { return };
        if healthy {
            process.health_failures = 0;
            if process.healthy.replace(true) != Some(true) {
                self.report_to(cx, spec.owner, FleetEventKind::Health { pid, healthy });
            }
            return;
        }
        let in_grace = now < process.running_since.saturating_add(health.grace_ms);
        if process.healthy.is_none() && in_grace {
            return;
        }
        process.healthy = Some(false);
        process.health_failures = process.health_failures.saturating_add(1);
        let too_often = process.health_failures >= health.max_failures.max(1);
        self.report_to(cx, spec.owner, FleetEventKind::Health { pid, healthy });
        if too_often {
            self.kill_because(cx, pid, spec.grace_ms, true);
        }
    }
}
