//! One application: its definition, the run of its plan, its instances.
//!
//! *Knows*: what belongs together, and the order in which decisions are made and carried out. *Must not know*: any rule of
//! plans ([`crate::flow`]), calls ([`crate::calls`]) or machines ([`crate::instances`]).

mod audit;
mod leaf_steps;
mod loading;
mod news;

use crate::blueprint::Blueprint;
use crate::commands::{Command, refusal};
use crate::definition::Prepared;
use crate::flow::{self, Move};
use crate::instances::{Containers, Hosts, Instances};
use crate::machines::Io;
use crate::plan::ChainId;
use crate::run::{HoldReason, LogKind, Mode, Run, Shown};
use crate::views::ViewCache;
use planarium_ground::Cx;
use planarium_kernel::{Digestible, SimTime, Weight};
use planarium_protocol::Refusal;
use planarium_protocol::refusal::RefusalCode;

/// An application.
#[derive(Clone, Debug, Digestible, Weight)]
#[digest(
    blueprint.name(), prepared.text, run.mode.word(), run.pause_requested, run.step_mode,
    run.interactive, leaving, run.executions, each run.stack, each run.steps, run.log.len(),
    run.work.next_due().map_or(0, SimTime::ms), each instances.iter(),
)]
#[weight(own 512, run.plan, flat run.steps, run.log, run.trace, run.loops, instances)]
pub(crate) struct App {
    pub(crate) blueprint: Blueprint,
    pub(crate) prepared: Prepared,
    pub(crate) run: Run,
    pub(crate) instances: Instances,
    pub(crate) hosts: Hosts,
    /// Grows with every change that can be seen.
    pub(crate) touched: u64,
    /// It is taken down and forgotten afterwards.
    pub(crate) leaving: bool,
    /// The last instant at which it was touched.
    seen: SimTime,
    pub(crate) cache: ViewCache,
}

impl App {
    /// Something that can be seen has changed.
    fn touch(&mut self, cx: &Cx) {
        // Always increases: views may change between two events.
        self.touched = (self.touched + 1).max(cx.next_seq() - 1);
        self.seen = cx.now();
    }

    /// The last instant at which anything happened here.
    pub(crate) fn seen_at(&self) -> SimTime {
        self.seen
    }

    /// The instances with the machines that they are on.
    fn containers<'a, 'io>(&'a mut self, io: &'a mut Io<'io>) -> Containers<'a, 'io> {
        Containers {
            blueprint: &self.blueprint,
            names: &self.run.names,
            instances: &mut self.instances,
            hosts: &mut self.hosts,
            io,
        }
    }

    /// Makes moves and begins what they lead to, until something has to happen first.
    fn drive(&mut self, io: &mut Io<'_>, first: Move) {
        let mut next = first;
        while let Some(step) = flow::go(&mut self.run, io.cx, &self.blueprint, &self.instances, next) {
            match self.begin_work(io, step) {
                Some(passed) => next = Move::Complete(step, passed),
                None => break,
            }
        }
        self.touch(io.cx);
    }

    /// Handles the timer that is due.
    pub(crate) fn fire(&mut self, io: &mut Io<'_>) {
        let Some(cause) = self.run.work.pop_due(io.cx.now()) else { return };
        io.cx.set_cause(cause);
        self.work_is_due(io);
    }

    // ---- commands ----------------------------------------------------------------------------------

    /// Carries a command out.
    ///
    /// *Errors*: it is not accepted now; nothing has changed.
    pub(crate) fn command(&mut self, io: &mut Io<'_>, command: &Command) -> Result<(), Refusal> {
        if let Some(why) = refusal(&self.run, command) {
            return Err(Refusal::new(RefusalCode::Conflict, why));
        }
        self.run.names.commanded(io.cx, command.word());
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
            Command::Abandon => {
                self.cut_off(io);
                flow::abandon(&mut self.run, io.cx);
            }
            Command::Reset => self.reset(io)?,
        }
        self.touch(io.cx);
        Ok(())
    }

    fn start(&mut self, io: &mut Io<'_>, paused: bool) {
        let run = &mut self.run;
        run.started = Some(io.cx.now());
        run.log(io.cx, None, LogKind::PlanStart);
        run.set_mode(io.cx, Mode::Running);
        let first = flow::begin(run);
        if paused && first == Move::Enter {
            flow::hold(run, io.cx, None, HoldReason::Operator);
            if let Some(first) = run.plan.at(ChainId::ROOT, 0) {
                run.show(io.cx, first, Shown::Paused);
            }
            return;
        }
        self.drive(io, first);
    }

    fn resume(&mut self, io: &mut Io<'_>) {
        let Some(hold) = self.run.hold.take() else { return };
        self.run.log(io.cx, None, LogKind::Resume);
        self.run.set_mode(io.cx, Mode::Running);
        let next = hold.at.map_or(Move::Enter, |(step, passed)| Move::Leave(step, passed));
        self.drive(io, next);
    }

    fn answer(&mut self, io: &mut Io<'_>, passed: bool) {
        let Some(leaf) = self.run.work.end() else { return };
        self.run.log(io.cx, Some(leaf.step), LogKind::GateAnswer(passed));
        self.run.set_mode(io.cx, Mode::Running);
        self.drive(io, Move::Complete(leaf.step, passed));
    }
}
