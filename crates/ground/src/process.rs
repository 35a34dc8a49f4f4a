//! One process and its table of transitions by state.
//!
//! *Knows*: states, triggers, past reports. *Must not know*: timers; the fleet arms them.

use crate::{
    SaidChecks,
    convention::{Hints, hints},
    event::{CheckKind, ExitReason},
    latency::Luck,
    shell::{PlainEnd, plain_end},
    spec::{Owner, ProcessSpec},
};
use planarium_kernel::{Cause, Digestible, SimTime, TimerId, Weight};
use planarium_protocol::{Text, input::Behaviour};
use std::sync::Arc;

/// An external check.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Watch {
    /// Owner to notify.
    pub owner: Owner,
    /// Distinguishes an owner's checks of one process.
    pub number: u32,
    /// Selects the faults and behaviours that apply.
    pub kind: CheckKind,
    /// The command; the module `convention` says which outcomes a command can request.
    pub command: Text,
    /// Instant of the first check; later ones keep the interval, whether the process runs or not.
    pub first: SimTime,
    /// From one check to the next.
    pub interval_ms: u64,
    /// Timeout after which a check counts as failed.
    pub timeout_ms: u64,
    /// Repeated failures have a consequence, so the world is not idle while they occur.
    pub counted: bool,
}

/// A check under way.
#[derive(Clone, Debug, Digestible)]
#[digest(probe.attempts)]
pub(crate) struct Watching {
    pub(crate) watch: Watch,
    pub(crate) probe: ProbeState,
}

/// States of a process. A process that has ended is removed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum ProcessState {
    /// On its way to the machine.
    Launching,
    /// The machine has taken it on.
    Starting,
    /// It runs.
    Running,
    /// It was asked to end.
    Killing,
}

impl ProcessState {
    /// A word for people.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Launching => "launching",
            Self::Starting => "starting",
            Self::Running => "running",
            Self::Killing => "killing",
        }
    }
}

/// Triggers of a process's transitions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Trigger {
    /// The machine takes it on.
    Begin,
    /// It is up.
    Up,
    /// It ends on its own, or a fault ends it.
    Exit,
    /// It is asked to end.
    Kill,
    /// Its grace time is over.
    GraceOver,
}

/// Results of a transition.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Step {
    /// It continues in another state.
    To(ProcessState),
    /// It has exited.
    Exited,
    /// It was ended from outside.
    Killed,
    /// The grace time may only become shorter.
    Shorten,
    /// Nothing, and why.
    Ignore(&'static str),
}

/// The table: every pair of state and trigger.
pub(crate) const fn step(state: ProcessState, trigger: Trigger) -> Step {
    use ProcessState::{Killing, Launching, Running, Starting};
    use Trigger::{Begin, Exit, GraceOver, Kill, Up};
    match (state, trigger) {
        (Launching, Begin) => Step::To(Starting),
        (Launching | Starting, Up) => Step::To(Running),
        (Launching | Starting | Running, Exit) => Step::Exited,
        (Starting | Running, Kill) => Step::To(Killing),
        (Killing, Kill) => Step::Shorten,
        (Launching, Kill) | (Killing, GraceOver) => Step::Killed,
        (Starting, Begin) => Step::Ignore("already starting"),
        (Running, Begin | Up) => Step::Ignore("already running"),
        (Killing, Begin | Up) => Step::Ignore("being ended"),
        (Killing, Exit) => Step::Ignore("the kill is what counts"),
        (Launching | Starting | Running, GraceOver) => Step::Ignore("nobody asked it to end"),
    }
}

/// End of a process on its own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Exit {
    pub(crate) code: i32,
    pub(crate) reason: ExitReason,
    pub(crate) message: Text,
    /// The fault that brings it.
    pub(crate) fault: Option<u32>,
}

/// Outcomes of a process's life timer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Fate {
    Begin,
    Up,
    Exit(Exit),
    /// A fault ends it from outside.
    KilledBy(u32, Text),
    GraceOver,
}

/// Results that one probe has seen.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct ProbeState {
    pub(crate) timer: Option<TimerId>,
    /// When the next check begins, or would begin if the probe were not parked.
    pub(crate) next: Option<SimTime>,
    /// The check under way hangs.
    pub(crate) waiting: bool,
    pub(crate) attempts: u32,
    /// Number of results taken from the behaviour's list.
    pub(crate) listed: u32,
    pub(crate) last: Option<Seen>,
}

/// A result: an exit code, or `None` after a timeout.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Seen(pub(crate) Option<i32>);

/// Estimated bytes for the texts and labels of a process, including its name among launches.
const TEXTS: u64 = 512;

/// A process.
#[derive(Clone, Debug, Digestible, Weight)]
#[digest(
    spec.name, state.as_str(), launched, running_since, hung, readiness.attempts, health.attempts,
    each watches,
)]
#[weight(new TEXTS, flat spec)]
pub(crate) struct Process {
    pub(crate) spec: Arc<ProcessSpec>,
    pub(crate) luck: Luck,
    pub(crate) hints: Hints,
    pub(crate) behaviour: Arc<Behaviour>,
    /// Time from launch to running without delays, if the launching part sets it.
    pub(crate) usual_start_ms: Option<u64>,
    pub(crate) state: ProcessState,
    pub(crate) cause: Cause,
    pub(crate) launched: SimTime,
    pub(crate) running_since: SimTime,
    /// Instant at which its last hang ended.
    pub(crate) resumed: Option<SimTime>,
    pub(crate) hung: bool,
    pub(crate) life: Option<TimerId>,
    /// When it was asked to end, and its deadline.
    pub(crate) kill: Option<Kill>,
    pub(crate) readiness: ProbeState,
    pub(crate) health: ProbeState,
    pub(crate) healthy: Option<bool>,
    pub(crate) health_failures: u32,
    /// Checks from outside.
    pub(crate) watches: Vec<Watching>,
    /// Its machine is disconnected.
    pub(crate) cut_off: bool,
    /// Check results last set from outside; for a process that is not manual, those not yet reported.
    pub(crate) said: SaidChecks,
}

/// A kill under way.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Kill {
    pub(crate) since: SimTime,
    pub(crate) until: SimTime,
    pub(crate) unhealthy: bool,
    pub(crate) message: Text,
}

impl Process {
    pub(crate) fn new(
        spec: ProcessSpec,
        luck: Luck,
        behaviour: Arc<Behaviour>,
        now: SimTime,
        cause: Cause,
    ) -> Self {
        let hints = hints(&spec.program);
        Self {
            spec: Arc::new(spec),
            luck,
            hints,
            behaviour,
            usual_start_ms: None,
            state: ProcessState::Launching,
            cause,
            launched: now,
            running_since: now,
            resumed: None,
            hung: false,
            life: None,
            kill: None,
            readiness: ProbeState::default(),
            health: ProbeState::default(),
            healthy: None,
            health_failures: 0,
            watches: Vec::new(),
            cut_off: false,
            said: SaidChecks::default(),
        }
    }

    /// Returns whether the process waits for manual control.
    pub(crate) fn is_manual(&self) -> bool {
        self.behaviour.manual == Some(true)
    }

    /// Returns a check result set from outside, if nothing else decides.
    pub(crate) fn said_of(&self, kind: CheckKind) -> Option<i32> {
        self.said.of(kind).filter(|_| self.is_manual())
    }

    /// Takes a check result set from outside, of a process that is not manual.
    pub(crate) fn said_before(&mut self, kind: CheckKind) -> Option<i32> {
        let said = self.said.of(kind).filter(|_| !self.is_manual())?;
        match kind {
            CheckKind::Readiness => self.said.readiness = None,
            CheckKind::Health => self.said.healthy = None,
        }
        Some(said)
    }

    /// Returns whether a hang can hold it now.
    pub(crate) fn may_hang(&self) -> bool {
        !self.is_manual() && self.state != ProcessState::Launching
    }

    /// Time from launch to running, before faults.
    pub(crate) fn start_ms(&self) -> u64 {
        match self.behaviour.start_ms {
            Some(ms) => ms,
            None => {
                let usual_ms = self.usual_start_ms.unwrap_or_else(|| self.luck.start_ms());
                if self.hints.slow { usual_ms.saturating_add(self.luck.slow_ms()) } else { usual_ms }
            }
        }
    }

    /// Returns the exit and the running time of a process that ends on its own, before faults.
    pub(crate) fn natural_exit(&self) -> Option<(u64, Exit)> {
        let Behaviour { exit_code, exit_after_ms, .. } = &*self.behaviour;
        let program = &self.spec.program;
        let plain = if program.goalless { plain_end(&program.command) } else { None };
        let (ms, code) = match (self.hints.bad, plain, program.code.or(self.hints.exit), program.lives) {
            (true, ..) => (self.luck.crash_ms(), 1),
            (false, Some(end), ..) if end.after_ms > 0 => (end.after_ms, end.code),
            (false, Some(PlainEnd { code, .. }), ..) | (false, None, Some(code), _) => {
                (self.luck.crash_ms(), code)
            }
            (false, None, None, false) => (self.luck.work_ms(), 0),
            (false, None, None, true) if exit_code.is_some() || exit_after_ms.is_some() => {
                (self.luck.work_ms(), 0)
            }
            (false, None, None, true) => return None,
        };
        let code = exit_code.unwrap_or(code);
        let message = if code == 0 { "Command exited with status 0".into() } else { exit_text(code) };
        Some((exit_after_ms.unwrap_or(ms), Exit { code, reason: ExitReason::Exit, message, fault: None }))
    }
}

/// Returns the status message of an exit code.
pub(crate) fn exit_text(code: i32) -> Text {
    format!("Command exited with status {code}").into()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The diagram, drawn from the table.
    #[test]
    fn transitions() {
        use ProcessState::{Killing, Launching, Running, Starting};
        use Trigger::{Begin, Exit, GraceOver, Kill, Up};
        let mut drawn = Vec::new();
        for state in [Launching, Starting, Running, Killing] {
            for trigger in [Begin, Up, Exit, Kill, GraceOver] {
                match step(state, trigger) {
                    Step::To(next) => {
                        drawn.push(format!("{} -{trigger:?}-> {}", state.as_str(), next.as_str()));
                    }
                    Step::Exited => drawn.push(format!("{} -{trigger:?}-> exited", state.as_str())),
                    Step::Killed => drawn.push(format!("{} -{trigger:?}-> killed", state.as_str())),
                    Step::Shorten => drawn.push(format!("{} -{trigger:?}-> shorter", state.as_str())),
                    Step::Ignore(why) => assert!(!why.is_empty()),
                }
            }
        }
        assert_eq!(
            drawn,
            [
                "launching -Begin-> starting",
                "launching -Up-> running",
                "launching -Exit-> exited",
                "launching -Kill-> killed",
                "starting -Up-> running",
                "starting -Exit-> exited",
                "starting -Kill-> killing",
                "running -Exit-> exited",
                "running -Kill-> killing",
                "killing -Kill-> shorter",
                "killing -GraceOver-> killed",
            ]
        );
    }
}
