//! External checks: another part queries a process and receives the results.
//!
//! *Knows*: when each check begins, its result, and when results stop changing. *Must not know*: what the owner
//! concludes. A check whose next result is known and would change nothing is parked, like a probe.

use crate::{
    Armed, Cx, Fleet, SaidChecks, Timer,
    event::{Absence, FleetEventKind},
    fault::Faults,
    probe::{Asked, Forecast, MIN_INTERVAL_MS, TIMEOUT_EXIT_CODE, forecast_of},
    process::{ProbeState, Process, ProcessState, Seen, Watch, Watching},
    spec::{MachineId, Owner, ProcessId},
};
use planarium_kernel::{Class, EventQueue, SimTime};
use planarium_protocol::EventBody;
use std::sync::Arc;

impl Watching {
    /// Returns the first check from an instant on.
    fn next_from(&self, now: SimTime) -> SimTime {
        let interval = self.watch.interval_ms.max(MIN_INTERVAL_MS);
        let at = self.probe.next.unwrap_or(self.watch.first);
        at.saturating_add(now.since(at).div_ceil(interval).saturating_mul(interval))
    }
}

fn forecast(faults: &Faults, process: &Process, watching: &Watching, at: SimTime) -> Forecast {
    if process.cut_off {
        return Forecast { result: None, fault: None, listed: false, passing: false };
    }
    if let Some(code) = process.said_of(watching.watch.kind) {
        return Forecast { result: Some(code), fault: None, listed: false, passing: false };
    }
    let Watching { watch, probe } = watching;
    forecast_of(faults, process, Asked { kind: watch.kind, probe, command: &watch.command }, at)
}

/// Arms, parks or disarms the next check of each watch.
pub(crate) fn arm_watches(
    faults: &Faults,
    timers: &mut EventQueue<Armed>,
    process: &mut Process,
    pid: ProcessId,
    now: SimTime,
) {
    if process.watches.is_empty() {
        return;
    }
    let mut watches = std::mem::take(&mut process.watches);
    for watching in &mut watches {
        arm(faults, timers, process, watching, pid, now);
    }
    process.watches = watches;
}

fn arm(
    faults: &Faults,
    timers: &mut EventQueue<Armed>,
    process: &Process,
    watching: &mut Watching,
    pid: ProcessId,
    now: SimTime,
) {
    if let Some(timer) = watching.probe.timer.take() {
        timers.cancel(timer);
    }
    watching.probe.waiting = false;
    let silent = process.is_manual() && process.said_of(watching.watch.kind).is_none();
    if process.state != ProcessState::Running || silent {
        return;
    }
    let at = watching.next_from(now);
    watching.probe.next = Some(at);
    let forecast = forecast(faults, process, watching, at);
    let changes = watching.probe.last != Some(Seen(forecast.result)) || forecast.passing;
    if changes || forecast.result != Some(0) {
        let class = if changes || watching.watch.counted { Class::OneShot } else { Class::Periodic };
        let timer = Timer::Watch(pid, watching.watch.owner, watching.watch.number);
        watching.probe.timer = Some(timers.push(at, class, Armed { cause: process.cause, timer }));
    }
}

impl Fleet {
    /// Begins an external check of a process; replaces a check with the same number.
    pub fn watch(&mut self, cx: &mut Cx, pid: ProcessId, watch: Watch) {
        self.unwatch(pid, watch.owner, watch.number);
        let cut_off = self.processes.get(&pid).is_some_and(|process| self.is_cut_off(process.spec.machine));
        let Self { processes, faults, timers, .. } = self;
        let Some(process) = processes.get_mut(&pid).map(Arc::make_mut) else { return };
        process.cut_off = cut_off;
        let mut watching = Watching { watch, probe: ProbeState::default() };
        arm(faults, timers, process, &mut watching, pid, cx.now());
        let (owner, number) = (watching.watch.owner, watching.watch.number);
        let waiting = process.said_before(watching.watch.kind);
        process.watches.push(watching);
        if let Some(exit_code) = waiting {
            self.notify_watcher(cx, pid, owner, number, exit_code);
        }
    }

    /// Ends a check from outside.
    pub fn unwatch(&mut self, pid: ProcessId, owner: Owner, number: u32) {
        let Self { processes, timers, .. } = self;
        let Some(process) = processes.get_mut(&pid) else { return };
        let is_it = |watching: &Watching| watching.watch.owner == owner && watching.watch.number == number;
        let Some(at) = process.watches.iter().position(is_it) else { return };
        let watching = Arc::make_mut(process).watches.remove(at);
        if let Some(timer) = watching.probe.timer {
            timers.cancel(timer);
        }
    }

    /// Predicts the result of a process's check now: its exit code, or `None` if nothing would answer.
    pub fn would_answer(
        &self,
        pid: ProcessId,
        owner: Owner,
        number: u32,
        now: SimTime,
    ) -> Option<Option<i32>> {
        let process = self.processes.get(&pid)?;
        let is_it = |watching: &&Watching| watching.watch.owner == owner && watching.watch.number == number;
        let watching = process.watches.iter().find(is_it)?;
        Some(forecast(&self.faults, process, watching, now).result)
    }

    /// Applies check results set from outside: external checkers are notified immediately, later ones when they begin.
    pub(crate) fn notify_watchers(&mut self, cx: &mut Cx, pid: ProcessId, said: SaidChecks) {
        let Some(process) = self.process_mut(pid) else { return };
        let mut told = Vec::new();
        for Watching { watch, .. } in &process.watches {
            told.extend(said.of(watch.kind).map(|code| (watch.owner, watch.number, watch.kind, code)));
        }
        for (owner, number, kind, exit_code) in told {
            if let Some(process) = self.process_mut(pid) {
                _ = process.said_before(kind);
            }
            self.notify_watcher(cx, pid, owner, number, exit_code);
        }
    }

    /// Notifies one checker of a result set from outside, unless it cannot reach the process.
    fn notify_watcher(&mut self, cx: &mut Cx, pid: ProcessId, owner: Owner, number: u32, exit_code: i32) {
        let Some(process) = self.process_mut(pid).filter(|process| !process.cut_off) else { return };
        let (task, task_id) = process.spec.named();
        let is_it =
            |watching: &&mut Watching| watching.watch.owner == owner && watching.watch.number == number;
        let Some(watching) = process.watches.iter_mut().find(is_it) else { return };
        watching.probe.attempts = watching.probe.attempts.saturating_add(1);
        watching.probe.last = Some(Seen(Some(exit_code)));
        let (kind, attempt) = (watching.watch.kind, watching.probe.attempts);
        let body = EventBody::Check { task, task_id, check: kind.as_str().into(), exit_code, attempt };
        cx.following(body, |cx| {
            self.report_to(cx, owner, FleetEventKind::Watched { pid, number, exit_code: Some(exit_code) });
        });
        self.refresh(cx, pid);
    }

    fn is_cut_off(&self, machine: MachineId) -> bool {
        self.absence(machine) == Some(Absence::Partitioned)
    }

    /// Updates checks of processes on a machine that was disconnected or reconnected.
    pub(crate) fn refresh_watches(&mut self, cx: &Cx, machine: MachineId) {
        let cut_off = self.is_cut_off(machine);
        let Some(all) = self.machine_ref(machine).map(|machine| machine.processes.clone()) else { return };
        let Self { processes, faults, timers, .. } = self;
        for pid in all {
            let Some(process) = processes.get_mut(&pid).filter(|process| !process.watches.is_empty()) else {
                continue;
            };
            let process = Arc::make_mut(process);
            process.cut_off = cut_off;
            arm_watches(faults, timers, process, pid, cx.now());
        }
    }

    /// Starts a check, or ends one that timed out.
    pub(crate) fn watch_due(&mut self, cx: &mut Cx, pid: ProcessId, owner: Owner, number: u32) {
        let now = cx.now();
        let Self { processes, faults, timers, .. } = self;
        let Some(process) = processes.get_mut(&pid).map(Arc::make_mut) else { return };
        let is_it = |watching: &Watching| watching.watch.owner == owner && watching.watch.number == number;
        let Some(at) = process.watches.iter().position(is_it) else { return };
        let mut watching = process.watches.remove(at);
        watching.probe.timer = None;
        let timed_out = watching.probe.waiting;
        let mut seen = forecast(faults, process, &watching, now);
        let interval = watching.watch.interval_ms.max(MIN_INTERVAL_MS);
        if seen.result.is_none() && !timed_out {
            // Nothing answers; the timeout reveals that.
            let timer = Timer::Watch(pid, owner, number);
            let armed = Armed { cause: process.cause, timer };
            let ends = now.saturating_add(watching.watch.timeout_ms.clamp(1, interval));
            watching.probe.timer = Some(timers.push(ends, Class::OneShot, armed));
            watching.probe.waiting = true;
            watching.probe.next = Some(now.saturating_add(interval));
            process.watches.insert(at, watching);
            return;
        }
        if timed_out {
            seen = Forecast { result: None, fault: None, listed: false, passing: false };
        } else {
            watching.probe.next = Some(now.saturating_add(interval));
        }
        watching.probe.waiting = false;
        watching.probe.attempts = watching.probe.attempts.saturating_add(1);
        watching.probe.listed = watching.probe.listed.saturating_add(u32::from(seen.listed));
        watching.probe.last = Some(Seen(seen.result));
        let (kind, attempt) = (watching.watch.kind, watching.probe.attempts);
        let (task, task_id) = process.spec.named();
        arm(faults, timers, process, &mut watching, pid, now);
        process.watches.insert(at, watching);
        if let Some(fault) = seen.fault {
            self.count_failed_check(cx, pid, fault);
        }
        let exit_code = seen.result.unwrap_or(TIMEOUT_EXIT_CODE);
        let body = EventBody::Check { task, task_id, check: kind.as_str().into(), exit_code, attempt };
        cx.following(body, |cx| {
            self.report_to(cx, owner, FleetEventKind::Watched { pid, number, exit_code: seen.result });
        });
    }
}
