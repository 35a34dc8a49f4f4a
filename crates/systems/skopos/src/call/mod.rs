//! Leaves: what takes time, and calls of plugins and scripts.
//!
//! *Knows*: how a call is put together, what is found out before it, how long it takes, what ends it.
//! *Must not know*: chains and exits.
//!
//! Found before the call, at no cost of time: names without a value, plugins, actions and scripts that do not exist, an
//! instance operation without component or instance. Every other failure takes the usual time of the call.

mod bind;
mod effect;
mod fault;
mod start;
mod wait;
mod whole;

pub(crate) use bind::Bound;
pub(crate) use effect::Effect;
pub(crate) use wait::Progress;

use crate::app::App;
use crate::engine::{Io, LogKind, Mode};
use crate::instance::Slot;
use crate::plan::{Action, Plan, Step, StepId};
use planarium_ground::{MachineId, ProcessId};
use planarium_kernel::{Class, SimTime, TimerId};
use planarium_protocol::Text;

use crate::engine::Move;

/// A leaf that is being worked on.
#[derive(Clone, Debug)]
pub(crate) struct Leaf {
    pub(crate) step: StepId,
    pub(crate) since: SimTime,
    pub(crate) timer: Option<TimerId>,
    /// When it ends, or is given up.
    pub(crate) until: Option<SimTime>,
    pub(crate) work: Work,
}

/// What a leaf waits for.
#[derive(Clone, Debug)]
pub(crate) enum Work {
    /// Time.
    Delay,
    /// A verdict.
    Gate,
    /// The end of a call whose end is known.
    Timed(Box<Timed>),
    /// A process that is on its way up.
    Launch(Box<Launch>),
    /// Something about an instance.
    Await(Box<Await>),
}

/// A call that takes a known time.
#[derive(Clone, Debug)]
pub(crate) struct Timed {
    pub(crate) effect: Effect,
    /// The instance never gets healthy.
    pub(crate) unhealthy: Option<Slot>,
}

/// A process that is on its way up.
#[derive(Clone, Debug)]
pub(crate) struct Launch {
    pub(crate) process: ProcessId,
    pub(crate) machine: MachineId,
    pub(crate) host: Text,
    pub(crate) slot: Slot,
    /// The image of a new instance with its id; none for one that is started again.
    pub(crate) new: Option<(Text, Text)>,
    pub(crate) unhealthy: bool,
}

/// Something about an instance that a call waits for.
#[derive(Clone, Debug)]
pub(crate) struct Await {
    pub(crate) slot: Slot,
    pub(crate) instance: Text,
    pub(crate) what: Awaited,
    /// From running or attaching until it is there. *Units*: milliseconds.
    pub(crate) warm_up_ms: u64,
    pub(crate) deadline: SimTime,
    pub(crate) unhealthy: bool,
}

/// What is waited for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Awaited {
    /// It runs and is ready.
    Up,
    /// It is in service behind a balancer.
    Service(Text),
    /// It has joined the register.
    Join,
    /// All new instances of the component are up.
    All,
}

impl App {
    /// An action step is entered.
    pub(crate) fn begin_action(
        &mut self,
        io: &mut Io<'_>,
        plan: &Plan,
        id: StepId,
        step: &Step,
        action: &Action,
    ) -> Move {
        match self.bind(plan, step, action) {
            Ok(bound) => {
                if let Some(own) = self.run.steps.get_mut(id.index()) {
                    own.called.clone_from(&bound.line);
                }
                self.start_call(io, plan, id, &bound)
            }
            Err(why) => {
                self.note(id, why);
                Move::Complete(id, false)
            }
        }
    }

    /// Remembers why a step failed.
    pub(crate) fn note(&mut self, id: StepId, why: impl Into<Text>) {
        if let Some(own) = self.run.steps.get_mut(id.index()) {
            own.note = Some(why.into());
        }
    }

    /// A delay is entered.
    pub(crate) fn begin_delay(&mut self, io: &mut Io<'_>, id: StepId, ms: u64) -> Move {
        self.work_until(io, id, ms, Work::Delay)
    }

    /// A gate is entered.
    pub(crate) fn begin_gate(&mut self, io: &mut Io<'_>, id: StepId) -> Move {
        let leaf = Leaf { step: id, since: io.cx.now(), timer: None, until: None, work: Work::Gate };
        self.run.leaf = Some(leaf);
        self.set_mode(io, Mode::GateWait);
        Move::Rest
    }

    /// Something that ends by itself.
    pub(super) fn work_until(&mut self, io: &mut Io<'_>, id: StepId, ms: u64, work: Work) -> Move {
        let now = io.cx.now();
        let until = now.saturating_add(ms);
        let timer = self.timers.push(until, Class::OneShot, io.cx.cause());
        self.run.leaf = Some(Leaf { step: id, since: now, timer: Some(timer), until: Some(until), work });
        Move::Rest
    }

    /// The timer of the leaf is due.
    pub(crate) fn leaf_due(&mut self, io: &mut Io<'_>) {
        let Some(leaf) = self.run.leaf.take() else { return };
        match leaf.work {
            Work::Delay => self.drive(io, Move::Complete(leaf.step, true)),
            Work::Gate | Work::Launch(_) => self.run.leaf = Some(Leaf { timer: None, ..leaf }),
            Work::Timed(timed) => {
                let result = self.apply(io, leaf.step, &timed.effect);
                if result.is_ok()
                    && let Some(instance) = timed.unhealthy.and_then(|slot| self.instances.get_mut(slot))
                {
                    instance.unhealthy = true;
                }
                self.finish_leaf(io, leaf.step, result);
            }
            Work::Await(_) => {
                self.run.leaf = Some(Leaf { timer: None, ..leaf });
                self.look_again(io);
            }
        }
    }

    /// A call has come to its end.
    pub(super) fn finish_leaf(&mut self, io: &mut Io<'_>, step: StepId, result: Result<(), Text>) {
        if let Some(timer) = self.run.leaf.take().and_then(|leaf| leaf.timer) {
            self.timers.cancel(timer);
        }
        let passed = result.is_ok();
        if let Err(why) = result {
            self.note(step, why);
        }
        self.drive(io, Move::Complete(step, passed));
    }

    /// The leaf is cut off: nothing of it takes effect.
    pub(crate) fn cut_off(&mut self, io: &mut Io<'_>) {
        let Some(leaf) = &mut self.run.leaf else { return };
        if let Some(timer) = leaf.timer.take() {
            self.timers.cancel(timer);
        }
        if let Work::Launch(launch) = &leaf.work {
            io.machines.vanish(launch.process);
        }
    }

    /// What a script or a plugin said is logged.
    pub(super) fn output(&mut self, io: &mut Io<'_>, step: StepId, text: Text) {
        self.log(io, Some(step), LogKind::Output(text));
    }
}
