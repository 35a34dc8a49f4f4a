//! Commands of an operator to a run.
//!
//! *Knows*: when each command is accepted. *Must not know*: its transport and its effect.
//!
//! | Command | Accepted when |
//! |---|---|
//! | start | ready |
//! | pause | running, gate-wait |
//! | resume | paused, error-wait; running or gate-wait when a pause is asked for, which it takes back |
//! | step | ready, paused, error-wait |
//! | gate | gate-wait |
//! | abandon | any state that is not final |
//! | reset | not running |
//!
//! **Source**: Skopos Deployment Plan Reference ("pausing the plan execution will not pause the delay"; manual gates);
//! `opsani/servo-skopos: adjust` (abandon). The state after an abandoned plan is ours: no cleanup is run.

use crate::run::{Mode, Run};

/// A command to the engine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Command {
    /// Begin; `paused` holds it before the first step.
    Start {
        /// Hold it before the first step.
        paused: bool,
        /// Whether failed steps hold it; none leaves the setting.
        interactive: Option<bool>,
    },
    /// Hold it at the next exit.
    Pause,
    /// Go on.
    Resume,
    /// Carry out one leaf and hold.
    Step,
    /// Answer the open gate.
    Gate {
        /// The gate to answer; the open one if `None`.
        step: Option<String>,
        /// The verdict.
        passed: bool,
    },
    /// Give it up.
    Abandon,
    /// Clear the run and read the running instances again.
    Reset,
}

impl Command {
    /// The word of the command.
    pub(crate) const fn word(&self) -> &'static str {
        match self {
            Self::Start { .. } => "start",
            Self::Pause => "pause",
            Self::Resume => "resume",
            Self::Step => "step",
            Self::Gate { passed: true, .. } => "gate-pass",
            Self::Gate { passed: false, .. } => "gate-fail",
            Self::Abandon => "abandon",
            Self::Reset => "reset",
        }
    }
}

/// Why a command is refused now, in plain words; none when it is accepted.
pub(crate) fn refusal(run: &Run, command: &Command) -> Option<String> {
    let mode = run.mode;
    let done = || match mode {
        Mode::NotReady => "there is no plan: nothing is to be done".to_owned(),
        Mode::Completed | Mode::Failed => format!("the plan is {}: reset it first", mode.word()),
        _ => format!("the plan is {}", mode.word()),
    };
    match command {
        Command::Start { .. } => match mode {
            Mode::Ready => None,
            Mode::NotReady | Mode::Completed | Mode::Failed => Some(done()),
            _ => Some(format!("the plan has been started: it is {}", mode.word())),
        },
        Command::Pause => match mode {
            Mode::Running | Mode::GateWait if run.pause_requested => {
                Some("a pause has been asked for: it comes at the next exit".to_owned())
            }
            Mode::Running | Mode::GateWait => None,
            Mode::Paused | Mode::ErrorWait => Some("the plan is paused already".to_owned()),
            Mode::Ready => Some("the plan has not been started".to_owned()),
            Mode::NotReady | Mode::Completed | Mode::Failed => Some(done()),
        },
        Command::Resume => match mode {
            Mode::Paused | Mode::ErrorWait => None,
            Mode::Running | Mode::GateWait if run.pause_requested => None,
            Mode::Running => Some("the plan is running".to_owned()),
            Mode::GateWait => Some("a gate waits for an answer: pass or fail it".to_owned()),
            Mode::Ready => Some("the plan has not been started".to_owned()),
            Mode::NotReady | Mode::Completed | Mode::Failed => Some(done()),
        },
        Command::Step => match mode {
            Mode::Ready | Mode::Paused | Mode::ErrorWait => None,
            Mode::Running => Some("a step is being carried out: pause first".to_owned()),
            Mode::GateWait => Some("a gate waits for an answer: pass or fail it".to_owned()),
            Mode::NotReady | Mode::Completed | Mode::Failed => Some(done()),
        },
        Command::Gate { step, .. } => {
            let open = run.open_gate();
            match (open, step) {
                (None, _) => Some("no gate is open".to_owned()),
                (Some(open), Some(step)) if *open != **step => {
                    Some(format!("the open gate is {open}, not {step}"))
                }
                (Some(_), _) => None,
            }
        }
        Command::Abandon => mode.is_final().then(done),
        Command::Reset => {
            (mode == Mode::Running).then(|| "the plan is running: pause or abandon it first".to_owned())
        }
    }
}
