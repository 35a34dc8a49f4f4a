//! What an operator does with a run.
//!
//! *Knows*: when each command is accepted and what it does. *Must not know*: how it comes in.
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
//! `opsani/servo-skopos: adjust` (abandon). What an abandoned plan leaves behind is ours: no cleanup is run.

use super::run::{Io, Move};
use super::{HoldReason, LogKind, Mode, Reason, Shown};
use crate::app::App;
use crate::plan::Class;
use planarium_protocol::Refusal;
use planarium_protocol::refusal::RefusalCode;

/// A command to the engine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Command {
    /// Begin; `paused` holds it before the first step.
    Start {
        /// Hold it before the first step.
        paused: bool,
        /// Whether failed steps hold it; none leaves that as it is.
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
        /// The gate that is meant; none means whichever is open.
        step: Option<String>,
        /// The verdict.
        passed: bool,
    },
    /// Give it up.
    Abandon,
    /// Forget the run and look at what runs again.
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

fn conflict(text: String) -> Refusal {
    Refusal::new(RefusalCode::Conflict, text)
}

impl App {
    /// Why a command is refused now, in plain words; none when it is accepted.
    pub(crate) fn refusal(&self, command: &Command) -> Option<String> {
        let mode = self.run.mode;
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
                Mode::Running | Mode::GateWait if self.run.pause_requested => {
                    Some("a pause has been asked for: it comes at the next exit".to_owned())
                }
                Mode::Running | Mode::GateWait => None,
                Mode::Paused | Mode::ErrorWait => Some("the plan is paused already".to_owned()),
                Mode::Ready => Some("the plan has not been started".to_owned()),
                Mode::NotReady | Mode::Completed | Mode::Failed => Some(done()),
            },
            Command::Resume => match mode {
                Mode::Paused | Mode::ErrorWait => None,
                Mode::Running | Mode::GateWait if self.run.pause_requested => None,
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
                let open = self.open_gate();
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

    /// The id of the gate that waits for an answer.
    pub(crate) fn open_gate(&self) -> Option<&str> {
        let leaf = self.run.leaf.as_ref()?;
        let step = self.plan.step(leaf.step)?;
        matches!(step.class, Class::Gate { .. }).then_some(&*step.id)
    }

    /// Carries a command out.
    ///
    /// *Errors*: it is not accepted now; nothing has changed.
    pub(crate) fn command(&mut self, io: &mut Io<'_>, command: &Command) -> Result<(), Refusal> {
        if let Some(why) = self.refusal(command) {
            return Err(conflict(why));
        }
        self.told(io, command.word());
        match command {
            Command::Start { paused, interactive } => {
                if let Some(interactive) = interactive {
                    self.run.interactive = *interactive;
                }
                self.start(io, *paused);
            }
            Command::Pause => self.run.pause_requested = true,
            Command::Resume if self.run.pause_requested => self.run.pause_requested = false,
            Command::Resume => self.resume(io),
            Command::Step => {
                self.run.step_mode = true;
                if self.run.mode == Mode::Ready { self.start(io, false) } else { self.resume(io) }
            }
            Command::Gate { passed, .. } => self.answer(io, *passed),
            Command::Abandon => self.abandon(io),
            Command::Reset => self.reset(io)?,
        }
        self.touch(io.cx);
        Ok(())
    }

    fn start(&mut self, io: &mut Io<'_>, paused: bool) {
        self.run.started = Some(io.cx.now());
        self.log(io, None, LogKind::PlanStart);
        self.set_mode(io, Mode::Running);
        let plan = self.plan.clone();
        let first = self.begin(&plan);
        if paused && first == Move::Enter {
            self.hold(io, None, HoldReason::Operator);
            if let Some(first) = plan.at(crate::plan::ChainId::ROOT, 0) {
                self.show(io, first, Shown::Paused);
            }
            return;
        }
        self.drive(io, first);
    }

    fn resume(&mut self, io: &mut Io<'_>) {
        let Some(hold) = self.run.hold.take() else { return };
        self.log(io, None, LogKind::Resume);
        self.set_mode(io, Mode::Running);
        let next = hold.at.map_or(Move::Enter, |(step, passed)| Move::Leave(step, passed));
        self.drive(io, next);
    }

    fn answer(&mut self, io: &mut Io<'_>, passed: bool) {
        let Some(leaf) = self.run.leaf.take() else { return };
        self.log(io, Some(leaf.step), LogKind::GateAnswer(passed));
        self.set_mode(io, Mode::Running);
        self.drive(io, Move::Complete(leaf.step, passed));
    }

    fn abandon(&mut self, io: &mut Io<'_>) {
        let plan = self.plan.clone();
        self.cut_off(io);
        self.run.reason = Some(Reason::Abandoned);
        self.log(io, None, LogKind::PlanAbandon);
        self.fail_open(io, &plan);
        self.run.leaf = None;
        self.end_plan(io, &plan, false);
    }
}
