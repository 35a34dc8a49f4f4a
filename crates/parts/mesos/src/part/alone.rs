//! A Mesos cluster of its own, for previews and for tests of schedulers, without other parts on its machines.
//!
//! *Knows*: how a world drives Mesos. *Must not know*: other parts.

use super::{Cluster, Mesos, News};
use planarium_ground::{Cx, Fleet, FleetEvent, FleetEventKind, MachineId, Place, there_already};
use planarium_kernel::SimTime;
use planarium_part::{Delivery, Flags, Ground, Layer as _, MachineChange, Number, Part as _};
use planarium_protocol::Refusal;
use planarium_protocol::input::AddAgent;
use std::sync::Arc;

/// Machines with Mesos alone.
#[derive(Clone)]
pub struct Alone {
    fleet: Arc<Fleet>,
    mesos: Arc<Mesos>,
    epoch_ms: u64,
}

impl Alone {
    /// No machines yet.
    pub fn new(cx: &mut Cx, flags: &Flags) -> Self {
        let mut fleet = Arc::new(Fleet::new(flags.seed));
        let (now, epoch_ms) = (cx.now(), flags.epoch_ms);
        let mut ground = Ground { fleet: &mut fleet, now, epoch_ms, number: Number(0) };
        let mesos = Arc::new(Mesos::begin(cx, &mut ground, flags));
        Self { fleet, mesos, epoch_ms }
    }

    /// The cluster as the scheduler with number 0 reaches it.
    pub fn cluster(&mut self, now: SimTime) -> Cluster<'_> {
        let ground = Ground { fleet: &mut self.fleet, now, epoch_ms: self.epoch_ms, number: Number(0) };
        Cluster { ground, mesos: &mut self.mesos }
    }

    /// Machines join, each with an agent.
    ///
    /// *Errors*: as of the input.
    pub fn add_agent(&mut self, cx: &mut Cx, add: &AddAgent) -> Result<(), Refusal> {
        let Cluster { mut ground, mesos } = self.cluster(cx.now());
        let mesos = Arc::make_mut(mesos);
        mesos.machines_changed(cx, &mut ground, &MachineChange::Asked(add))?;
        let mut joined: Vec<MachineId> = Vec::new();
        for place in ground.fleet().places(add)? {
            match place {
                Place::New(hostname, ip) => {
                    let machine = ground.fleet_mut().join(cx, add, hostname, ip);
                    mesos.machines_changed(cx, &mut ground, &MachineChange::Joined(machine, add))?;
                    joined.push(machine);
                }
                Place::Again(machine) => {
                    if !mesos.machines_changed(cx, &mut ground, &MachineChange::Again(machine, add))? {
                        return Err(there_already(add.hostname.as_deref().unwrap_or_default()));
                    }
                }
            }
        }
        mesos.machines_changed(cx, &mut ground, &MachineChange::AllJoined(&joined))?;
        Ok(())
    }

    /// Does something with the machines.
    pub fn with_fleet<R>(&mut self, cx: &mut Cx, work: impl FnOnce(&mut Fleet, &mut Cx) -> R) -> R {
        work(Arc::make_mut(&mut self.fleet), cx)
    }

    /// When the next timer of machines or master is due.
    pub fn next_due(&self) -> Option<SimTime> {
        let master = self.mesos.next_due().map(|(at, _)| at);
        [self.fleet.next_due(), master].into_iter().flatten().min()
    }

    /// Handles one due timer, of machines before that of the master.
    pub fn fire(&mut self, cx: &mut Cx) {
        if self.fleet.next_due().is_some_and(|due| due <= cx.now()) {
            Arc::make_mut(&mut self.fleet).fire(cx);
        } else {
            let Cluster { mut ground, mesos } = self.cluster(cx.now());
            Arc::make_mut(mesos).fire(cx, &mut ground);
        }
    }

    /// Handles the machines' reports; returns the next one for the scheduler, or one that says that it ends.
    pub fn next_report(&mut self, cx: &mut Cx) -> Option<FleetEvent> {
        loop {
            let event = Arc::make_mut(&mut self.fleet).next_event()?;
            cx.set_cause(event.cause);
            if event.owner.is_some_and(|owner| owner != Mesos::OWNER) {
                return Some(event);
            }
            let Cluster { mut ground, mesos } = self.cluster(cx.now());
            let mesos = Arc::make_mut(mesos);
            mesos.hear(cx, &mut ground, &event);
            if matches!(event.kind, FleetEventKind::MasterFailover | FleetEventKind::SchedulerRestart { .. })
            {
                return Some(event);
            }
        }
    }

    /// Takes the oldest message for the scheduler.
    pub fn next_message(&mut self, cx: &mut Cx) -> Option<News> {
        let Cluster { mut ground, mesos } = self.cluster(cx.now());
        let mesos = Arc::make_mut(mesos);
        while mesos.has_messages() {
            mesos.begin_messages(cx, &mut ground);
            if let Delivery::To(_, news) = mesos.deliver_message(cx, &mut ground) {
                return Some(news);
            }
        }
        None
    }
}
