//! The life of a process: its next transition, when that is due, and its effect.
//!
//! *Order*: a process's next transition is always recomputed from the current behaviour, names and faults, so that a
//! fault leaves nothing behind when it ends.

use crate::{
    Armed, Cx, Fleet, Timer,
    event::{CheckKind, ExitReason, FleetEvent, FleetEventKind},
    fault::Faults,
    probe::arm_probe,
    process::{Exit, Fate, Kill, Process, ProcessState, Step, Trigger, step},
    spec::ProcessId,
    watch::arm_watches,
};
use planarium_kernel::{Cause, Class, EventQueue, SimTime};
use planarium_protocol::{Text, input::FaultKind};
use std::sync::Arc;

/// Returns the next transition of a process and when it is due.
pub(crate) fn fate(faults: &Faults, process: &Process) -> Option<(SimTime, Fate)> {
    if process.is_manual() {
        return None;
    }
    if process.state == ProcessState::Killing {
        return process.kill.as_ref().map(|kill| (kill.until, Fate::GraceOver));
    }
    let hit = |kind: FaultKind| {
        faults
            .iter()
            .filter(move |(_, fault)| fault.kind() == kind)
            .filter(|(_, fault)| fault.hits(&process.spec.labels, process.luck, 0))
    };
    let resumed = process.resumed.map(|at| at.saturating_add(process.luck.resume_ms())).unwrap_or_default();
    match process.state {
        ProcessState::Launching => {
            Some((process.launched.saturating_add(process.start_ms() / 4), Fate::Begin))
        }
        ProcessState::Starting => {
            let slower: u64 = hit(FaultKind::SlowStart)
                .map(|(_, fault)| fault.spec.delay_ms.unwrap_or_else(|| process.luck.slow_ms()))
                .fold(0, u64::saturating_add);
            let start_ms = process.start_ms().saturating_add(slower);
            let due = process.launched.saturating_add(start_ms);
            let failed = |(number, reason, message): (u32, ExitReason, Text)| {
                (due, Fate::Exit(Exit { code: 1, reason, message, fault: Some(number) }))
            };
            let missing = hit(FaultKind::ImageMissing).next().map(|(number, fault)| {
                (*number, ExitReason::ImageMissing, fault.message_or("Failed to fetch the image"))
            });
            let full = hit(FaultKind::AgentFull).next().map(|(number, fault)| {
                (*number, ExitReason::MachineFull, fault.message_or("No space left on device"))
            });
            if let Some(failure) = missing.or(full) {
                return Some(failed(failure));
            }
            (!process.hung).then_some((due.max(resumed), Fate::Up))
        }
        ProcessState::Running if process.hung => None,
        ProcessState::Running => {
            let natural = process
                .natural_exit()
                .map(|(ms, exit)| (process.running_since.saturating_add(ms).max(resumed), Fate::Exit(exit)));
            let ends = [FaultKind::CrashLoop, FaultKind::TaskFail, FaultKind::TaskOom, FaultKind::TaskKill];
            let by_fault = ends.into_iter().flat_map(hit).filter_map(|(number, fault)| {
                let from = process.running_since.max(fault.since);
                Some((from.saturating_add(process.luck.crash_ms()).max(resumed), fault.fate(*number)?))
            });
            // Earliest first; at the same instant the process's own end, then the older fault.
            natural.into_iter().chain(by_fault).min_by_key(|(at, _)| *at)
        }
        ProcessState::Killing => None,
    }
}

/// Returns the report about a process that continues with this trigger.
fn told(pid: ProcessId, process: &Process, trigger: Trigger) -> FleetEventKind {
    match trigger {
        Trigger::Begin => FleetEventKind::Started { pid },
        Trigger::Up => FleetEventKind::Running { pid },
        Trigger::Kill | Trigger::GraceOver | Trigger::Exit => {
            let kill = process.kill.as_ref();
            FleetEventKind::Killed {
                pid,
                unhealthy: kill.is_some_and(|kill| kill.unhealthy),
                during_launch: process.state == ProcessState::Launching,
                message: kill.map_or_else(
                    || "Command terminated with signal Killed".into(),
                    |kill| kill.message.clone(),
                ),
            }
        }
    }
}

/// Arms the next transition of a process and its probes.
fn rearm(
    faults: &Faults,
    timers: &mut EventQueue<Armed>,
    process: &mut Process,
    pid: ProcessId,
    now: SimTime,
) {
    // Same as `refresh_hang` when nothing can hold processes.
    if faults.is_empty() && process.hung && process.may_hang() {
        (process.hung, process.resumed) = (false, Some(now));
    }
    let fate = fate(faults, process);
    let cause = match &fate {
        Some((_, Fate::KilledBy(number, _) | Fate::Exit(Exit { fault: Some(number), .. }))) => {
            faults.get(number).map_or(process.cause, |fault| Cause::Event(fault.event))
        }
        _ => process.cause,
    };
    if let Some(timer) = process.life {
        timers.cancel(timer);
    }
    process.life = fate.map(|(at, fate)| {
        timers.push(at.max(now), Class::OneShot, Armed { cause, timer: Timer::Life(pid, fate) })
    });
    for kind in [CheckKind::Readiness, CheckKind::Health] {
        arm_probe(faults, timers, process, pid, kind, now);
    }
    arm_watches(faults, timers, process, pid, now);
}

impl Fleet {
    /// Recomputes the hangs, the next transition and the probes of a process.
    pub(crate) fn refresh(&mut self, cx: &mut Cx, pid: ProcessId) {
        if !self.faults.is_empty() {
            self.refresh_hang(cx, pid);
        }
        let Self { processes, faults, timers, .. } = self;
        if let Some(process) = processes.get_mut(&pid).map(Arc::make_mut) {
            rearm(faults, timers, process, pid, cx.now());
        }
    }

    /// Recomputes every process of a target.
    pub(crate) fn refresh_matching(&mut self, cx: &mut Cx, target: &planarium_protocol::input::Target) {
        let matching: Vec<ProcessId> = self
            .processes
            .iter()
            .filter(|(_, p)| p.spec.labels.matches(target))
            .map(|(pid, _)| *pid)
            .collect();
        for pid in matching {
            self.refresh(cx, pid);
        }
    }

    fn refresh_hang(&mut self, cx: &mut Cx, pid: ProcessId) {
        let Some(process) = self.processes.get(&pid) else { return };
        if !process.may_hang() {
            return;
        }
        let mut holder = None;
        for (number, fault) in self.faults.iter().filter(|(_, fault)| fault.kind() == FaultKind::Hang) {
            if fault.marked.contains(&pid) {
                holder = Some((*number, false));
                break;
            }
            if fault.hits(&process.spec.labels, process.luck, 0) {
                holder = holder.or(Some((*number, true)));
            }
        }
        let (was, now_hung) = (process.hung, holder.is_some());
        let (target, task_id) = process.spec.named();
        if let Some((number, true)) = holder {
            if let Some(fault) = self.faults.get_mut(&number) {
                Arc::make_mut(fault).marked.insert(pid);
            }
            cx.scoped(cx.cause(), |cx| self.struck(cx, number, target, task_id));
        }
        let now = cx.now();
        if was != now_hung
            && let Some(process) = self.process_mut(pid)
        {
            process.hung = now_hung;
            process.resumed = (!now_hung).then_some(now);
        }
    }

    /// Applies a transition of the table. The report follows from the transition, unless it is given.
    pub(crate) fn turn(
        &mut self,
        cx: &mut Cx,
        pid: ProcessId,
        trigger: Trigger,
        event: Option<FleetEventKind>,
    ) {
        let now = cx.now();
        let Self { processes, faults, timers, out, .. } = self;
        let Some(process) = processes.get_mut(&pid).map(Arc::make_mut) else { return };
        let owner = process.spec.owner;
        match step(process.state, trigger) {
            Step::To(next) => {
                let event = (next != ProcessState::Killing)
                    .then(|| event.unwrap_or_else(|| told(pid, process, trigger)));
                process.state = next;
                if next == ProcessState::Running {
                    process.running_since = now;
                }
                out.extend(event.map(|kind| FleetEvent { cause: cx.cause(), owner: Some(owner), kind }));
                if faults.is_empty() {
                    rearm(faults, timers, process, pid, now);
                } else {
                    self.refresh(cx, pid);
                }
            }
            Step::Exited | Step::Killed => {
                let event = event.unwrap_or_else(|| told(pid, process, trigger));
                self.vanish(pid);
                self.report_to(cx, owner, event);
            }
            Step::Shorten => self.refresh(cx, pid),
            Step::Ignore(_) => {}
        }
    }

    /// Asks a process to end within this time. A repeated request can only shorten the time, counted from the first
    /// one. A process that has not begun ends immediately.
    ///
    /// A process uses its whole grace time; without one it ends after a short seeded delay.
    pub fn kill(&mut self, cx: &mut Cx, pid: ProcessId, grace_ms: u64) {
        self.kill_because(cx, pid, grace_ms, false);
    }

    /// Ends a process that was asked to end under manual control, once it is no longer manual.
    pub(crate) fn resume_kill(&mut self, cx: &mut Cx, pid: ProcessId) {
        let Some(process) = self.processes.get(&pid) else { return };
        if !process.is_manual() && process.kill.is_some() && process.state != ProcessState::Killing {
            self.turn(cx, pid, Trigger::Kill, None);
            self.note_moved(pid);
        }
    }

    pub(crate) fn kill_because(&mut self, cx: &mut Cx, pid: ProcessId, grace_ms: u64, unhealthy: bool) {
        let (now, cause) = (cx.now(), cx.cause());
        if unhealthy {
            // No part above requested it, and the possible actions on the process change.
            self.touch(cx);
        }
        let Some(process) = self.process_mut(pid) else { return };
        let since = process.kill.as_ref().map_or(now, |kill| kill.since);
        let ms = if grace_ms == 0 { process.luck.kill_ms() } else { grace_ms };
        let until = since.saturating_add(ms);
        if let Some(kill) = &mut process.kill {
            kill.until = kill.until.min(until);
        } else {
            let message = if unhealthy {
                "Health check failed too often".into()
            } else {
                "Command terminated with signal Terminated".into()
            };
            process.kill = Some(Kill { since, until, unhealthy, message });
            process.cause = cause;
        }
        if process.is_manual() {
            if process.state != ProcessState::Launching {
                process.state = ProcessState::Killing;
            }
            return self.note_moved(pid);
        }
        self.turn(cx, pid, Trigger::Kill, None);
        self.note_moved(pid);
    }
}
