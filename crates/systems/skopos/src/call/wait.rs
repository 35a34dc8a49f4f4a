//! Calls that wait for something about an instance, and news of processes and machines.
//!
//! *Knows*: when an instance is up, in service or registered. *Must not know*: plans.

use super::{Await, Awaited, Launch, Leaf, Work};
use crate::app::App;
use crate::engine::{Io, Move};
use crate::instance::{InstanceState, Slot};
use crate::plan::StepId;
use planarium_ground::{Absence, FleetEventKind, MachineId, ProcessId};
use planarium_kernel::{Class, SimTime};
use planarium_protocol::Text;

/// How far what is waited for has come.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Progress {
    /// It is there.
    There,
    /// It will never come.
    Never(Text),
    /// It comes at this instant, unless something happens.
    At(SimTime),
    /// It comes when something happens: what.
    After(&'static str),
}

impl App {
    pub(super) fn begin_wait(&mut self, io: &mut Io<'_>, id: StepId, waiting: Await) -> Move {
        let work = Work::Await(Box::new(waiting));
        self.run.leaf = Some(Leaf { step: id, since: io.cx.now(), timer: None, until: None, work });
        match self.look(io) {
            Some(result) => {
                self.run.leaf = None;
                let passed = result.is_ok();
                if let Err(why) = result {
                    self.note(id, why);
                }
                Move::Complete(id, passed)
            }
            None => Move::Rest,
        }
    }

    /// Looks again whether what the leaf waits for has come.
    pub(crate) fn look_again(&mut self, io: &mut Io<'_>) {
        let Some(step) = self.run.leaf.as_ref().map(|leaf| leaf.step) else { return };
        if let Some(result) = self.look(io) {
            self.finish_leaf(io, step, result);
        }
    }

    /// The result of what the leaf waits for; none when it is still to come, for which a timer is armed.
    fn look(&mut self, io: &mut Io<'_>) -> Option<Result<(), Text>> {
        let leaf = self.run.leaf.as_ref()?;
        let Work::Await(waiting) = &leaf.work else { return None };
        let (now, deadline, slot, unhealthy) =
            (io.cx.now(), waiting.deadline, waiting.slot, waiting.unhealthy);
        let progress = self.progress(io, waiting);
        let next = match progress {
            Progress::There => {
                if waiting.what == Awaited::All {
                    self.retire(io, slot.component);
                    return Some(Ok(()));
                }
                if let Some(instance) = self.instances.get_mut(slot).filter(|_| unhealthy) {
                    instance.unhealthy = true;
                }
                return Some(Ok(()));
            }
            Progress::Never(why) => return Some(Err(why)),
            Progress::At(at) => at.min(deadline),
            Progress::After(_) => deadline,
        };
        if now >= deadline {
            let since = leaf.since;
            let seconds = now.since(since) / 1000;
            return Some(Err(format!("{} timed out after {seconds} s", waiting.words()).into()));
        }
        let cause = io.cx.cause();
        let leaf = self.run.leaf.as_mut()?;
        if let Some(timer) = leaf.timer.take() {
            self.timers.cancel(timer);
        }
        leaf.timer = Some(self.timers.push(next, Class::OneShot, cause));
        leaf.until = Some(next);
        None
    }

    /// How far what is waited for has come.
    pub(crate) fn progress(&self, io: &Io<'_>, waiting: &Await) -> Progress {
        self.progress_at(io.cx.now(), io.machines.fleet(), waiting)
    }

    /// The same at an instant.
    pub(crate) fn progress_at(
        &self,
        now: SimTime,
        fleet: &planarium_ground::Fleet,
        waiting: &Await,
    ) -> Progress {
        if waiting.what == Awaited::All {
            return self.progress_of_all(now, fleet, waiting.slot.component);
        }
        let Some(instance) = self.instances.get(waiting.slot).filter(|own| own.id == waiting.instance) else {
            return Progress::Never(format!("{} is gone", waiting.instance).into());
        };
        if instance.state != InstanceState::Running {
            return Progress::Never(format!("{} is {}", instance.id, instance.state.word()).into());
        }
        let partitioned =
            instance.machine.is_some_and(|machine| fleet.absence(machine) == Some(Absence::Partitioned));
        if partitioned {
            return Progress::After("its machine can be reached again");
        }
        let since = match &waiting.what {
            Awaited::Join | Awaited::Up if instance.settled => None,
            Awaited::Join | Awaited::Up => Some(instance.running_since),
            Awaited::All => None,
            Awaited::Service(name) => match instance.balancers.iter().find(|(own, _)| own == name) {
                Some((_, since)) => *since,
                None => {
                    return Progress::Never(format!("{} is not attached to {name}", instance.id).into());
                }
            },
        };
        let mut at = since.map(|since| since.saturating_add(waiting.warm_up_ms)).unwrap_or_default();
        if waiting.what == Awaited::Join {
            return if now >= at { Progress::There } else { Progress::At(at) };
        }
        if instance.unhealthy {
            return Progress::Never(format!("{} is unhealthy", instance.id).into());
        }
        let checked = instance.process.is_some();
        if !checked && !instance.settled && waiting.what != Awaited::Up {
            at = at.max(instance.running_since.saturating_add(self.warm_up_ms()));
        }
        if now < at {
            return Progress::At(at);
        }
        if instance.ready || !checked {
            Progress::There
        } else {
            Progress::After("its readiness check passes")
        }
    }

    /// News of a process of this application.
    pub(crate) fn on_process(&mut self, io: &mut Io<'_>, kind: &FleetEventKind) {
        match kind {
            FleetEventKind::Running { pid } => self.process_up(io, *pid),
            FleetEventKind::Check { pid, exit_code, .. } => {
                let Some(slot) = self.instances.of_process(*pid) else { return };
                if let Some(instance) = self.instances.get_mut(slot) {
                    instance.ready = *exit_code == Some(0);
                }
                self.touch(io.cx);
                self.look_again(io);
            }
            FleetEventKind::Exited { pid, message, .. } | FleetEventKind::Killed { pid, message, .. } => {
                self.process_over(io, *pid, message);
            }
            FleetEventKind::Started { .. }
            | FleetEventKind::Health { .. }
            | FleetEventKind::Watched { .. }
            | FleetEventKind::MachineLost { .. }
            | FleetEventKind::MachineReturned { .. }
            | FleetEventKind::OffersChanged
            | FleetEventKind::HoldingsChanged { .. }
            | FleetEventKind::MasterFailover
            | FleetEventKind::SchedulerRestart { .. } => {}
        }
    }

    fn launching(&self, process: ProcessId) -> Option<(StepId, Launch)> {
        let leaf = self.run.leaf.as_ref()?;
        match &leaf.work {
            Work::Launch(launch) if launch.process == process => Some((leaf.step, (**launch).clone())),
            _ => None,
        }
    }

    fn process_up(&mut self, io: &mut Io<'_>, process: ProcessId) {
        let now = io.cx.now();
        let Some((step, launch)) = self.launching(process) else {
            // One of a service that the platform started by itself.
            let slot = self.instances.of_process(process);
            let ordered = slot.and_then(|slot| self.instances.get_mut(slot));
            if let Some(instance) = ordered.filter(|one| one.state == InstanceState::Stopped) {
                instance.state = InstanceState::Running;
                instance.running_since = now;
                instance.ready = false;
                instance.settled = false;
                self.touch(io.cx);
                self.look_again(io);
            }
            return;
        };
        if let Some((image, id)) = launch.new {
            let instance = self.new_instance(io, launch.slot, id, image, InstanceState::Running);
            let instance = Self::on_machine(instance, launch.machine, process);
            self.created(io, launch.slot, &instance);
            self.instances.put(launch.slot, instance);
        } else {
            self.instances.set_process(launch.slot, Some(process));
            if let Some(instance) = self.instances.get_mut(launch.slot) {
                instance.state = InstanceState::Running;
                instance.running_since = now;
                instance.ready = false;
                instance.settled = false;
            }
        }
        if let Some(instance) = self.instances.get_mut(launch.slot).filter(|_| launch.unhealthy) {
            instance.unhealthy = true;
        }
        self.finish_leaf(io, step, Ok(()));
    }

    fn process_over(&mut self, io: &mut Io<'_>, process: ProcessId, message: &Text) {
        if let Some((step, launch)) = self.launching(process) {
            let what = launch.new.map_or_else(|| "the instance".into(), |(_, id)| id);
            self.finish_leaf(io, step, Err(format!("{what} did not start: {message}").into()));
            return;
        }
        let Some(slot) = self.instances.of_process(process) else { return };
        let asked = self.is_ending(slot);
        self.instances.set_process(slot, None);
        if let Some(instance) = self.instances.get_mut(slot) {
            instance.state = InstanceState::Stopped;
            instance.ready = false;
        }
        if !asked {
            self.fell(io, slot, "instance-exited", message);
        }
        self.touch(io.cx);
        self.look_again(io);
    }

    /// Whether the leaf is about to end the instance in a slot.
    fn is_ending(&self, slot: Slot) -> bool {
        use super::Effect;
        let work = self.run.leaf.as_ref().map(|leaf| &leaf.work);
        matches!(work, Some(Work::Timed(timed)) if matches!(timed.effect, Effect::Destroy(own) | Effect::Stop(own) if own == slot))
    }

    /// A machine is away or back.
    pub(crate) fn on_machine_news(&mut self, io: &mut Io<'_>, kind: &FleetEventKind) {
        match kind {
            FleetEventKind::MachineLost { machine, how: Absence::Lost } => self.machine_lost(io, *machine),
            FleetEventKind::MachineReturned { machine, how: Absence::Lost } => {
                self.machine_back(io, *machine);
            }
            FleetEventKind::MachineLost { .. } | FleetEventKind::MachineReturned { .. } => {
                self.look_again(io);
            }
            _ => {}
        }
    }

    fn machine_lost(&mut self, io: &mut Io<'_>, machine: MachineId) {
        let host = self.hostname(io, machine);
        for slot in self.slots_on(machine) {
            self.instances.set_process(slot, None);
            if let Some(instance) = self.instances.get_mut(slot) {
                instance.state = InstanceState::Lost;
                instance.ready = false;
            }
            self.fell(io, slot, "instance-lost", &host);
        }
        self.touch(io.cx);
        let launching = self.run.leaf.as_ref().and_then(|leaf| match &leaf.work {
            Work::Launch(launch) if launch.machine == machine => Some(leaf.step),
            _ => None,
        });
        match launching {
            Some(step) => self.finish_leaf(io, step, Err(format!("machine {host} was lost").into())),
            None => self.look_again(io),
        }
    }

    /// Containers on a machine that was gone are there again, stopped.
    fn machine_back(&mut self, io: &mut Io<'_>, machine: MachineId) {
        for slot in self.slots_on(machine) {
            if let Some(instance) =
                self.instances.get_mut(slot).filter(|instance| instance.state == InstanceState::Lost)
            {
                instance.state = InstanceState::Stopped;
            }
        }
        self.touch(io.cx);
        self.look_again(io);
    }

    fn slots_on(&self, machine: MachineId) -> Vec<Slot> {
        let on_it = self.instances.iter().filter(|(_, instance)| instance.machine == Some(machine));
        on_it.map(|(slot, _)| slot).collect()
    }
}

impl Await {
    /// What is waited for, in words.
    pub(crate) fn words(&self) -> String {
        match &self.what {
            Awaited::Up => format!("waiting until {} is up", self.instance),
            Awaited::Service(name) => format!("waiting until {} is in service at {name}", self.instance),
            Awaited::Join => format!("waiting until {} has joined", self.instance),
            Awaited::All => format!("waiting until all new instances of {} are up", self.instance),
        }
    }
}
