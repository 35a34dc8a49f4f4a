//! The active leaf and its timer.
//!
//! *Knows*: what a leaf waits for. *Must not know*: what happens next.
//!
//! *Invariant*: at most one timer is armed, and it is the leaf's.

use crate::instances::{ComponentId, Group, Slot};
use crate::plan::StepId;
use crate::plugins::Op;
use planarium_ground::{MachineId, ProcessId};
use planarium_kernel::{Cause, Class, EventQueue, SimTime, TimerId};
use planarium_protocol::Text;

/// A leaf that is being worked on.
#[derive(Clone, Debug)]
pub(crate) struct Leaf {
    pub(crate) step: StepId,
    pub(crate) since: SimTime,
    timer: Option<TimerId>,
    /// When it ends, or is given up.
    pub(crate) until: Option<SimTime>,
    pub(crate) work: Work,
}

/// Work of a leaf.
#[derive(Clone, Debug)]
pub(crate) enum Work {
    /// Time.
    Delay,
    /// A verdict.
    Gate,
    /// The end of a call whose end is known.
    Timed(Box<Timed>),
    /// A process that is starting.
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

/// A process that is starting.
#[derive(Clone, Debug)]
pub(crate) struct Launch {
    pub(crate) process: ProcessId,
    pub(crate) machine: MachineId,
    pub(crate) host: Text,
    pub(crate) slot: Slot,
    /// The image of a new instance with its id; `None` for a restarted one.
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

/// Conditions that a leaf waits for.
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

impl Await {
    /// Words the condition.
    pub(crate) fn words(&self) -> String {
        match &self.what {
            Awaited::Up => format!("waiting until {} is up", self.instance),
            Awaited::Service(name) => format!("waiting until {} is in service at {name}", self.instance),
            Awaited::Join => format!("waiting until {} has joined", self.instance),
            Awaited::All => format!("waiting until all new instances of {} are up", self.instance),
        }
    }
}

/// Effects of a call at its end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Effect {
    /// Nothing.
    Nothing,
    /// It fails.
    Fail(Text),
    /// It fails and leaves a stopped instance behind.
    Leave { slot: Slot, image: Text, message: Text },
    /// It passes when the image exists.
    Image(Text),
    /// A new instance, without a machine.
    Create { slot: Slot, image: Text },
    /// Destroy the instance.
    Destroy(Slot),
    /// The instance is stopped.
    Stop(Slot),
    /// The instance runs again, without a machine.
    Start(Slot),
    /// It is behind a balancer.
    Attach(Slot, Text),
    /// Remove it from a balancer.
    Detach(Slot, Text),
    /// It is registered; `joined`: only when it has joined.
    Register { slot: Slot, joined: bool },
    /// Remove its registration.
    Unregister(Slot),
    /// It passes when the instance runs.
    InInstance(Slot),
    /// Something is done to all instances of a component, or to those of a group.
    All { component: ComponentId, op: Op, only: Option<Group> },
    /// A signal reaches a component's instances.
    Signal { component: Text, signal: Text },
    /// Write a message.
    Say(Text),
    /// A script exits.
    Exit { name: Text, code: i32, stderr: Option<Text> },
}

impl Effect {
    /// Returns whether it ends the instance in a slot.
    pub(crate) fn ends(&self, slot: Slot) -> bool {
        matches!(self, Self::Destroy(own) | Self::Stop(own) if *own == slot)
    }
}

/// The leaf with its timer.
#[derive(Clone, Debug)]
pub(crate) struct Underway {
    leaf: Option<Leaf>,
    /// Timers with their leaves.
    timers: EventQueue<Cause>,
}

impl Default for Underway {
    fn default() -> Self {
        Self { leaf: None, timers: EventQueue::new() }
    }
}

impl Underway {
    /// The leaf.
    pub(crate) fn leaf(&self) -> Option<&Leaf> {
        self.leaf.as_ref()
    }

    /// Begins something whose end is not known.
    pub(crate) fn begin(&mut self, step: StepId, now: SimTime, work: Work) {
        self.leaf = Some(Leaf { step, since: now, timer: None, until: None, work });
    }

    /// Begins work that ends on its own.
    pub(crate) fn begin_for(&mut self, step: StepId, now: SimTime, ms: u64, cause: Cause, work: Work) {
        self.begin(step, now, work);
        self.wake(now.saturating_add(ms), cause);
    }

    /// Has the leaf looked at again at an instant, and not earlier.
    pub(crate) fn wake(&mut self, at: SimTime, cause: Cause) {
        let Some(leaf) = &mut self.leaf else { return };
        if let Some(timer) = leaf.timer.take() {
            self.timers.cancel(timer);
        }
        leaf.timer = Some(self.timers.push(at, Class::OneShot, cause));
        leaf.until = Some(at);
    }

    /// Ends the leaf's work.
    pub(crate) fn end(&mut self) -> Option<Leaf> {
        let mut leaf = self.leaf.take()?;
        if let Some(timer) = leaf.timer.take() {
            self.timers.cancel(timer);
        }
        Some(leaf)
    }

    /// Disarms the leaf's timer; the leaf stays.
    pub(crate) fn disarm(&mut self) {
        if let Some(timer) = self.leaf.as_mut().and_then(|leaf| leaf.timer.take()) {
            self.timers.cancel(timer);
        }
    }

    /// When the timer is due.
    pub(crate) fn next_due(&self) -> Option<SimTime> {
        self.timers.next_due()
    }

    /// Returns the number of armed one-shot timers.
    pub(crate) fn one_shots(&self) -> usize {
        self.timers.one_shots()
    }

    /// Returns the cause of the due timer, which is disarmed.
    pub(crate) fn pop_due(&mut self, now: SimTime) -> Option<Cause> {
        let (_, _, cause) = self.timers.pop_due(now)?;
        if let Some(leaf) = &mut self.leaf {
            leaf.timer = None;
        }
        Some(cause)
    }

    /// The process that the leaf waits for, with its step.
    pub(crate) fn launching(&self, process: ProcessId) -> Option<(StepId, &Launch)> {
        let leaf = self.leaf.as_ref()?;
        match &leaf.work {
            Work::Launch(launch) if launch.process == process => Some((leaf.step, launch)),
            _ => None,
        }
    }

    /// Returns whether the leaf is about to end the instance in a slot.
    pub(crate) fn is_ending(&self, slot: Slot) -> bool {
        matches!(self.leaf.as_ref().map(|leaf| &leaf.work), Some(Work::Timed(timed)) if timed.effect.ends(slot))
    }

    /// Lists broken invariants in words.
    pub(crate) fn check(&self) -> Option<String> {
        let timer = self.leaf.as_ref().and_then(|leaf| leaf.timer);
        let armed = timer.is_some_and(|timer| self.timers.is_armed(timer));
        (self.timers.len() != usize::from(armed)).then(|| format!("{} timers are armed", self.timers.len()))
    }
}
