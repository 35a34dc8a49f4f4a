//! The machines, the layers over them, and the reports between all parts.
//!
//! *Knows*: which part receives which report of a machine or process. *Must not know*: services; how parts react.
//!
//! *Order*: a report about a process goes to the part that started it. A report about machines goes to the layers at once, in
//! the order of [`crate::layers`], and into the systems' queue for their turn.

use crate::layers::Layers;
use planarium_ground::{Absence, Cx, Fleet, FleetEvent, FleetEventKind, MachineId, Place, there_already};
use planarium_kernel::{Cause, Digest, SimTime, Weight};
use planarium_part::{Done, Flags, Ground, MachineChange, Number, SYSTEMS};
use planarium_protocol::input::{AddAgent, Fault, ProcessBehaviour, Target, TaskStatusInput};
use planarium_protocol::view::{ClusterView, FaultView};
use planarium_protocol::why::MachineWhy;
use planarium_protocol::{EventBody, Input, Refusal, json};
use serde_json::Value;
use std::collections::VecDeque;
use std::sync::Arc;

/// A report of the machines for one system or all of them.
#[derive(Clone, Debug)]
pub(crate) struct News {
    /// The daemon that owns the process; `None` for a report about a machine.
    pub(crate) daemon: Option<Number>,
    /// The report.
    pub(crate) event: FleetEvent,
}

/// Machines and layers. Clones share each until it changes.
#[derive(Clone, Weight)]
#[weight(fleet, layers)]
pub(crate) struct Parts {
    pub(crate) fleet: Arc<Fleet>,
    pub(crate) layers: Layers,
    flags: Flags,
    /// Daemons that a fault has ended.
    restarts: Vec<(Cause, Target)>,
    /// Reports not yet delivered to systems.
    news: VecDeque<News>,
    /// Number of the last event at which machines were added or removed.
    changed: u64,
}

/// The parts, lent to a daemon for one call according to its declaration.
pub(crate) struct Lend<'a> {
    pub(crate) parts: &'a mut Parts,
    /// The daemon.
    pub(crate) number: Number,
    /// The present instant.
    pub(crate) now: SimTime,
}

impl Lend<'_> {
    /// The layers, and the machines as this daemon sees them.
    #[allow(dead_code, reason = "a build may have no layers")]
    pub(crate) fn split(&mut self) -> (&mut Layers, Ground<'_>) {
        let Parts { fleet, layers, flags, .. } = &mut *self.parts;
        (layers, Ground { fleet, now: self.now, epoch_ms: flags.epoch_ms, number: self.number })
    }

    /// The machines, which exist from the beginning.
    #[allow(dead_code, reason = "a build may lack systems that need only this")]
    pub(crate) fn ground(&mut self) -> Ground<'_> {
        let epoch_ms = self.parts.flags.epoch_ms;
        Ground { fleet: &mut self.parts.fleet, now: self.now, epoch_ms, number: self.number }
    }
}

impl Parts {
    /// No machines yet.
    pub(crate) fn new(flags: Flags) -> Self {
        let mut fleet = Fleet::new(flags.seed);
        fleet.set_sharing(flags.sharing);
        Self {
            fleet: Arc::new(fleet),
            layers: Layers::default(),
            flags,
            restarts: Vec::new(),
            news: VecDeque::new(),
            changed: 0,
        }
    }

    /// The layers, and the machines as one of them sees them.
    pub(crate) fn split(&mut self, now: SimTime) -> (&mut Layers, Ground<'_>) {
        let Self { fleet, layers, flags, .. } = self;
        (layers, Ground { fleet, now, epoch_ms: flags.epoch_ms, number: Number(0) })
    }

    fn fleet_mut(&mut self) -> &mut Fleet {
        Arc::make_mut(&mut self.fleet)
    }

    /// Starts the layers of these words that have not started.
    pub(crate) fn begin(&mut self, cx: &mut Cx, words: &[&str]) {
        for word in words {
            let flags = self.flags;
            let (layers, mut ground) = self.split(cx.now());
            layers.begin(word, cx, &mut ground, &flags);
            self.drain(cx);
        }
    }

    // ---- reports -----------------------------------------------------------------------------

    /// Delivers the reports of the machines.
    pub(crate) fn drain(&mut self, cx: &mut Cx) {
        while let Some(event) = self.next_report(cx) {
            cx.set_cause(event.cause);
            if let Some(number) = event.owner.and_then(|owner| owner.0.checked_sub(SYSTEMS)) {
                self.news.push_back(News { daemon: Some(Number(number)), event });
                continue;
            }
            let about_machines = matches!(
                event.kind,
                FleetEventKind::MachineLost { .. } | FleetEventKind::MachineReturned { .. }
            );
            if about_machines {
                self.news.push_back(News { daemon: None, event: event.clone() });
            }
            if let FleetEventKind::SchedulerRestart { target } = event.kind {
                self.restarts.push((event.cause, *target));
                continue;
            }
            let (layers, mut ground) = self.split(cx.now());
            layers.hear(cx, &mut ground, &event);
            if matches!(event.kind, FleetEventKind::MasterFailover) {
                // Schedulers end when they lose their master, and are started again.
                self.restarts.push((event.cause, Target::default()));
            }
        }
    }

    fn next_report(&mut self, cx: &mut Cx) -> Option<FleetEvent> {
        let (layers, mut ground) = self.split(cx.now());
        layers.settle(cx, &mut ground);
        // Clones of a world share the machines: do not unshare them if there is nothing to take.
        if self.fleet.is_silent() { None } else { self.fleet_mut().next_event() }
    }

    /// Takes the oldest report not yet delivered to systems.
    pub(crate) fn next_news(&mut self) -> Option<News> {
        self.news.pop_front()
    }

    /// Takes the daemons that a fault has ended since the last call, with the cause.
    pub(crate) fn take_restarts(&mut self) -> Vec<(Cause, Target)> {
        std::mem::take(&mut self.restarts)
    }

    // ---- time --------------------------------------------------------------------------------

    /// When the machines' next timer is due. *Units*: milliseconds.
    pub(crate) fn fleet_due(&self) -> Option<u64> {
        self.fleet.next_due().map(SimTime::ms)
    }

    /// Returns the number of processes on all machines.
    pub(crate) fn processes(&self) -> usize {
        self.fleet.process_count()
    }

    pub(crate) fn one_shots(&self) -> usize {
        self.fleet.one_shots() + self.layers.one_shots()
    }

    pub(crate) fn restless(&self) -> bool {
        self.fleet.restless() || self.layers.restless()
    }

    /// Fires one due timer of the machines.
    pub(crate) fn fire_fleet(&mut self, cx: &mut Cx) {
        self.fleet_mut().fire(cx);
        self.drain(cx);
    }

    /// Fires one due timer of a layer.
    pub(crate) fn fire_layer(&mut self, number: u8, cx: &mut Cx) {
        let (layers, mut ground) = self.split(cx.now());
        layers.fire(number, cx, &mut ground);
        self.drain(cx);
    }

    // ---- inputs ------------------------------------------------------------------------------

    /// Adds machines and registers them with the layers.
    pub(crate) fn add_machines(&mut self, cx: &mut Cx, add: &AddAgent) -> Done {
        let before = cx.pending().len();
        let (layers, mut ground) = self.split(cx.now());
        layers.machines_changed(cx, &mut ground, &MachineChange::Asked(add))?;
        let mut all: Vec<MachineId> = Vec::new();
        for place in ground.fleet().places(add)? {
            match place {
                Place::New(hostname, ip) => {
                    let machine = ground.fleet_mut().join(cx, add, hostname, ip);
                    all.push(machine);
                    layers.machines_changed(cx, &mut ground, &MachineChange::Joined(machine, add))?;
                }
                Place::Again(machine) => {
                    if !layers.machines_changed(cx, &mut ground, &MachineChange::Again(machine, add))? {
                        let hostname = ground.fleet().machine(machine).map(|spec| spec.hostname.clone());
                        return Err(there_already(&hostname.unwrap_or_default()));
                    }
                }
            }
        }
        layers.machines_changed(cx, &mut ground, &MachineChange::AllJoined(&all))?;
        self.drain(cx);
        self.changed = cx.next_seq() - 1;
        let mut rows: Vec<Value> = Vec::new();
        for fact in cx.pending().iter().skip(before) {
            match &fact.body {
                EventBody::AgentRegistered { agent, agent_id } => {
                    rows.push(json!({ "hostname": agent, "agent_id": agent_id }));
                }
                EventBody::MachineAdded { agent } if !self.layers.list_machines() => {
                    rows.push(json!({ "hostname": agent }));
                }
                _ => {}
            }
        }
        Ok(json!({ "agents": rows }))
    }

    /// Removes machines permanently.
    pub(crate) fn remove_machines(&mut self, cx: &mut Cx, which: &str) -> Done {
        let meant = self.fleet.machines_meant(which)?;
        for machine in &meant {
            let (layers, mut ground) = self.split(cx.now());
            layers.machines_changed(cx, &mut ground, &MachineChange::Leaving(*machine))?;
            ground.fleet_mut().remove_machine(cx, *machine);
        }
        self.drain(cx);
        for machine in &meant {
            // Systems see it as a machine that is lost and never comes back.
            let kind = FleetEventKind::MachineLost { machine: *machine, how: Absence::Lost };
            let event = FleetEvent { cause: cx.cause(), owner: None, kind };
            self.news.push_back(News { daemon: None, event });
        }
        for machine in &meant {
            let (layers, mut ground) = self.split(cx.now());
            layers.machines_changed(cx, &mut ground, &MachineChange::Left(*machine))?;
        }
        self.drain(cx);
        self.changed = cx.next_seq() - 1;
        Ok(json!({ "agent": which }))
    }

    /// Injects a fault.
    pub(crate) fn inject(&mut self, cx: &mut Cx, fault: &Fault) -> Done {
        let id = self.fleet_mut().inject(cx, fault)?;
        self.drain(cx);
        Ok(json!({ "id": id }))
    }

    /// Ends a fault.
    pub(crate) fn clear_fault(&mut self, cx: &mut Cx, id: &str) -> Done {
        self.fleet_mut().clear(cx, id)?;
        self.drain(cx);
        Ok(json!({ "id": id }))
    }

    /// Changes the behaviour of matching processes.
    pub(crate) fn set_behaviour(&mut self, cx: &mut Cx, rule: &ProcessBehaviour) -> Value {
        self.fleet_mut().set_behaviour(cx, rule);
        self.drain(cx);
        json!({})
    }

    /// Carries out an input by its layer; starts the layers that the input needs.
    pub(crate) fn perform(&mut self, cx: &mut Cx, input: &Input) -> Option<Done> {
        let wanted = self.layers.wanted(input);
        self.begin(cx, &wanted);
        let (layers, mut ground) = self.split(cx.now());
        let done = layers.perform(cx, &mut ground, input);
        self.drain(cx);
        done
    }

    /// Reports a refused input to the layers.
    pub(crate) fn note_refusal(&mut self, cx: &mut Cx, input: &Input, refusal: &Refusal) {
        self.layers.note_refusal(cx, input, refusal);
    }

    /// Sets the status of a process that a system started itself, and reports it to the system.
    ///
    /// *Errors*: no matching process; a word that is not a task state.
    pub(crate) fn task_status(&mut self, cx: &mut Cx, said: &TaskStatusInput) -> Done {
        let (_, mut ground) = self.split(cx.now());
        let reports = planarium_part::manual::set_state(cx, &mut ground, said)?;
        self.news.extend(reports.into_iter().map(|(number, event)| News { daemon: Some(number), event }));
        self.drain(cx);
        Ok(json!({ "task": said.task, "state": said.state }))
    }

    // ---- views -------------------------------------------------------------------------------

    /// The machines as all parts see them.
    pub(crate) fn view(&self, now: SimTime) -> Arc<ClusterView> {
        let mut parts = self.clone();
        let (layers, ground) = parts.split(now);
        let statuses = planarium_part::STATUSES;
        let mut cluster = ClusterView { revision: 0, machines: Vec::new(), statuses, windows: Vec::new() };
        if !layers.list_machines() {
            let ids = ground.fleet().machine_ids();
            cluster.machines.extend(ids.filter_map(|id| ground.fleet().machine_view(id)).map(Arc::new));
        }
        let added = layers.show(&ground, &mut cluster);
        let added = added.saturating_add(ground.fleet().show_processes(&mut cluster.machines));
        let newest = cluster.machines.iter().map(|machine| machine.revision).max().unwrap_or(0);
        // Use a sum: any of them may change while another is ahead.
        cluster.revision = newest.saturating_add(self.changed).saturating_add(added);
        Arc::new(cluster)
    }

    /// Explains the state of a machine.
    pub(crate) fn why_machine(&self, now: SimTime, which: &str) -> Option<MachineWhy> {
        let mut parts = self.clone();
        let (layers, ground) = parts.split(now);
        let mut why = ground.fleet().why_machine(which);
        layers.explain_machine(&ground, which, &mut why);
        let mut why = why?;
        ground.fleet().explain_holdings(&mut why);
        Some(why)
    }

    /// Faults in force.
    pub(crate) fn faults(&self) -> Vec<FaultView> {
        self.fleet.faults()
    }

    /// Drops the views that layers keep for reuse.
    pub(crate) fn drop_views(&mut self) {
        self.layers.drop_views();
    }

    // ---- upkeep ------------------------------------------------------------------------------

    /// Lists broken invariants in words.
    pub(crate) fn check(&self) -> Vec<String> {
        let mut found = self.fleet.check();
        found.extend(self.layers.check(&self.fleet));
        found
    }

    /// Digests of each part's state, with its name.
    pub(crate) fn digests(&self) -> Vec<(&'static str, u64)> {
        let mut all = vec![("machines", Digest::of(&self.fleet))];
        all.extend(self.layers.digests());
        all
    }

    /// Estimates the bytes of a full copy.
    pub(crate) fn weight(&self) -> u64 {
        self.fleet.weight() + self.layers.weight()
    }
}
