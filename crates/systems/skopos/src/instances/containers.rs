//! Starts, stops and destroys instances, in one place: on the machines, in the records and as events.
//!
//! *Knows*: how an instance becomes a process and what it leaves behind. *Must not know*: plans, calls, the requester.
//!
//! *Order*: the process first, then the event, then the record, as readers of the records expect it.

use super::{ComponentId, FreeSlots, Group, Hosts, Instance, InstanceState, Instances, Slot};
use crate::blueprint::Blueprint;
use crate::definition::env::Planted;
use crate::machines::{Io, Place, place};
use crate::run::{Launch, Names};
use planarium_ground::{CheckSpec, Labels, MachineId, ProcessId, ProcessSpec, Program};
use planarium_kernel::SimTime;
use planarium_protocol::Text;

/// From the order until a container of a service runs. *Units*: milliseconds.
const START_MS: u64 = 3_000;
/// The pace of readiness checks. *Units*: milliseconds.
const CHECK_MS: u64 = 1_000;

/// The instances of an application with the machines that they are on.
pub(crate) struct Containers<'a, 'io> {
    pub(crate) blueprint: &'a Blueprint,
    pub(crate) names: &'a Names,
    pub(crate) instances: &'a mut Instances,
    pub(crate) hosts: &'a mut Hosts,
    pub(crate) io: &'a mut Io<'io>,
}

/// A process to start for an instance.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Launching {
    pub(crate) slot: Slot,
    pub(crate) machine: MachineId,
    pub(crate) image: Text,
    /// It is a new instance.
    pub(crate) new: bool,
    /// *Units*: milliseconds.
    pub(crate) ms: u64,
    /// It never gets healthy.
    pub(crate) unhealthy: bool,
}

impl Containers<'_, '_> {
    // ---- processes ---------------------------------------------------------------------------------

    /// Starts the process of an instance.
    fn launch(
        &mut self,
        machine: MachineId,
        slot: Slot,
        id: &Text,
        image: &Text,
        start_ms: u64,
    ) -> ProcessId {
        let host = self.hosts.name(self.io.machines.fleet(), machine);
        let labels = Labels::new([
            ("agent", host),
            ("pod", id.clone()),
            ("pod-type", self.blueprint.component_name(slot.component).into()),
            ("service", self.blueprint.name().clone()),
            ("task", id.clone()),
            ("task-id", id.clone()),
        ]);
        let readiness = CheckSpec {
            command: "".into(),
            delay_ms: self.blueprint.warm_up_ms(),
            interval_ms: CHECK_MS,
            timeout_ms: CHECK_MS,
        };
        let program =
            Program { image: Some(image.clone()), readiness: Some(readiness), ..Program::default() };
        let spec = ProcessSpec {
            owner: planarium_ground::Owner(0),
            name: id.clone(),
            machine,
            labels,
            program,
            grace_ms: 0,
        };
        self.io.machines.launch(self.io.cx, spec, start_ms)
    }

    /// Has the process of an instance end within this time. *Units*: milliseconds.
    pub(crate) fn end_process(&mut self, slot: Slot, ms: u64) {
        let Some(process) = self.instances.get(slot).and_then(|instance| instance.process) else { return };
        if ms > 0 {
            self.io.machines.kill(self.io.cx, process, ms);
        }
    }

    /// Starts the process of an instance that a call waits for.
    pub(crate) fn begin_launch(&mut self, launching: Launching) -> Launch {
        let Launching { slot, machine, image, new, ms, unhealthy } = launching;
        let component = self.blueprint.component_name(slot.component);
        let id = match self.instances.get(slot).filter(|_| !new) {
            Some(instance) => instance.id.clone(),
            None => self.instances.fresh_id(&format!("{component}-n{}", slot.index)),
        };
        let process = self.launch(machine, slot, &id, &image, ms);
        if new {
            self.hosts.remember(self.io.machines.fleet(), machine);
        }
        let host = self.hosts.name(self.io.machines.fleet(), machine);
        Launch { process, machine, host, slot, new: new.then_some((image, id)), unhealthy }
    }

    /// A process that a call waited for runs.
    pub(crate) fn launched(&mut self, launch: Launch) {
        let now = self.io.cx.now();
        if let Some((image, id)) = launch.new {
            let mut instance = self.fresh(launch.slot, id, image, InstanceState::Running);
            instance.machine = Some(launch.machine);
            instance.process = Some(launch.process);
            self.put(launch.slot, instance);
        } else {
            self.instances.set_process(launch.slot, Some(launch.process));
            if let Some(instance) = self.instances.get_mut(launch.slot) {
                instance.run_from(now);
            }
        }
        if let Some(instance) = self.instances.get_mut(launch.slot).filter(|_| launch.unhealthy) {
            instance.unhealthy = true;
        }
    }

    // ---- single instances --------------------------------------------------------------------------

    /// An instance that has just been created, on no machine.
    fn fresh(&self, slot: Slot, id: Text, image: Text, state: InstanceState) -> Instance {
        let now = self.io.cx.now();
        Instance {
            id,
            ip: self.instances.address(slot),
            image,
            state,
            created: now,
            running_since: now,
            balancers: Vec::new(),
            settled: false,
            hidden: false,
            unhealthy: false,
            ready: false,
            machine: None,
            process: None,
        }
    }

    /// Creates an instance without a machine.
    pub(crate) fn create(&mut self, slot: Slot, image: Text, state: InstanceState) {
        let component = self.blueprint.component_name(slot.component);
        let id = self.instances.fresh_id(&format!("{component}-n{}", slot.index));
        let instance = self.fresh(slot, id, image, state);
        self.put(slot, instance);
    }

    fn put(&mut self, slot: Slot, instance: Instance) {
        self.report("instance-created", slot, &instance);
        self.instances.put(slot, instance);
    }

    /// Destroys an instance.
    pub(crate) fn destroy(&mut self, slot: Slot) {
        let Some(gone) = self.instances.take(slot) else { return };
        if let Some(process) = gone.process {
            self.io.machines.vanish(process);
        }
        self.report("instance-destroyed", slot, &gone);
    }

    /// Stops an instance.
    pub(crate) fn stop(&mut self, slot: Slot) {
        if let Some(process) = self.instances.get(slot).and_then(|instance| instance.process) {
            self.io.machines.vanish(process);
            self.instances.set_process(slot, None);
        }
        if let Some(instance) = self.instances.get_mut(slot) {
            instance.fall(InstanceState::Stopped);
        }
    }

    fn report(&mut self, what: &'static str, slot: Slot, instance: &Instance) {
        let fleet = self.io.machines.fleet();
        let host = instance.machine.map(|machine| self.hosts.name(fleet, machine));
        let component = self.blueprint.component_name(slot.component);
        self.names.instance(self.io.cx, what, component, instance, host);
    }

    /// Tells that an instance fell without anybody asking for it.
    fn report_end(&mut self, slot: Slot, what: &'static str, why: &str) {
        let Some(instance) = self.instances.get(slot) else { return };
        let component = self.blueprint.component_name(slot.component);
        self.names.instance(self.io.cx, what, component, instance, Some(why.into()));
    }

    // ---- services ----------------------------------------------------------------------------------

    /// Starts a new instance of a service; without machines it runs immediately.
    ///
    /// *Errors*: why it cannot be started.
    pub(crate) fn order(&mut self, slot: Slot) -> Result<(), Text> {
        let component: Text = self.blueprint.component_name(slot.component).into();
        let image = self.blueprint.target_image(slot.component);
        let image = image.ok_or_else(|| Text::from(format!("the component {component} has no image")))?;
        if !self.blueprint.image_exists(&image) {
            return Err(format!("there is no image {image}").into());
        }
        let spot = place(self.io.machines.fleet(), |machine| self.instances.on(machine));
        if matches!(spot, Place::NoneUp) {
            return Err("no machine is up".into());
        }
        let id = self.instances.fresh_id(&format!("{component}-n{}", slot.index));
        let mut instance = self.fresh(slot, id.clone(), image.clone(), InstanceState::Running);
        if let Place::On(machine) = spot {
            instance.process = Some(self.launch(machine, slot, &id, &image, START_MS));
            instance.machine = Some(machine);
            instance.state = InstanceState::Stopped;
            self.hosts.remember(self.io.machines.fleet(), machine);
        }
        self.put(slot, instance);
        Ok(())
    }

    /// Has an instance of a service started again that was stopped.
    pub(crate) fn revive(&mut self, slot: Slot) {
        let now = self.io.cx.now();
        let Some(one) = self.instances.get(slot).filter(|one| one.state == InstanceState::Stopped) else {
            return;
        };
        let (id, image, machine) = (one.id.clone(), one.image.clone(), one.machine);
        if one.process.is_some() {
            return;
        }
        let Some(machine) = machine else {
            if let Some(instance) = self.instances.get_mut(slot) {
                instance.state = InstanceState::Running;
                instance.running_since = now;
                instance.settled = false;
            }
            return;
        };
        let fleet = self.io.machines.fleet();
        if fleet.machine(machine).is_some() && fleet.absence(machine).is_none() {
            let process = self.launch(machine, slot, &id, &image, START_MS);
            self.instances.set_process(slot, Some(process));
        }
    }

    /// Stops the old instances of a service that has replaced them.
    pub(crate) fn retire(&mut self, component: ComponentId) {
        for slot in self.instances.slots(component, Group::Old, 0) {
            if self.instances.get(slot).is_some_and(|one| one.state == InstanceState::Running) {
                self.stop(slot);
            }
        }
    }

    // ---- before the plan, and at the end -----------------------------------------------------------

    /// Puts an instance on the machines that runs when the application is loaded.
    pub(crate) fn plant(&mut self, planted: &Planted, free: &mut FreeSlots) {
        let Some(component) = self.blueprint.component_id(&planted.component) else { return };
        // Only what runs is new.
        let is_new = !planted.stopped && self.blueprint.new_image(component).as_ref() == Some(&planted.image);
        let group = if is_new { Group::New } else { Group::Old };
        let index = planted.index.unwrap_or_else(|| free.taken(component, group));
        let slot = free.take(Slot { component, group, index });
        let letter = if group == Group::New { 'n' } else { 'o' };
        let wanted = match &planted.id {
            Some(id) => id.to_string(),
            None => format!("{}-{letter}{}", planted.component, slot.index),
        };
        let id = self.instances.fresh_id(&wanted);
        let balancers = match &planted.balancers {
            Some(names) => names.clone(),
            None => self.blueprint.usual_balancers(&planted.component),
        };
        let mut instance = Instance {
            ip: planted.ip.clone().unwrap_or_else(|| self.instances.address(slot)),
            image: planted.image.clone(),
            state: if planted.stopped { InstanceState::Stopped } else { InstanceState::Running },
            created: self.io.cx.now(),
            running_since: SimTime::ZERO,
            balancers: balancers.into_iter().map(|name| (name, None)).collect(),
            settled: !planted.stopped,
            hidden: false,
            unhealthy: false,
            ready: !planted.stopped,
            machine: None,
            process: None,
            id,
        };
        if let Place::On(machine) = place(self.io.machines.fleet(), |machine| self.instances.on(machine)) {
            instance.machine = Some(machine);
            self.hosts.remember(self.io.machines.fleet(), machine);
            if !planted.stopped {
                let (own, image) = (instance.id.clone(), instance.image.clone());
                let process = self.launch(machine, slot, &own, &image, 0);
                self.io.machines.adopt(self.io.cx, process);
                instance.process = Some(process);
            }
        }
        self.instances.put(slot, instance);
    }

    /// Takes every process away without a word.
    pub(crate) fn vanish(&mut self) {
        let processes: Vec<ProcessId> = self.instances.iter().filter_map(|(_, one)| one.process).collect();
        for process in processes {
            self.io.machines.vanish(process);
        }
    }

    // ---- events --------------------------------------------------------------------------------------

    /// Records that an instance started by the platform runs; returns whether there is one.
    pub(crate) fn came_up(&mut self, process: ProcessId) -> bool {
        let now = self.io.cx.now();
        let slot = self.instances.of_process(process);
        let ordered = slot.and_then(|slot| self.instances.get_mut(slot));
        let ordered = ordered.filter(|one| one.state == InstanceState::Stopped);
        ordered.map(|instance| instance.run_from(now)).is_some()
    }

    /// The process of an instance has ended. `asked`: a call is ending it.
    pub(crate) fn ended(&mut self, slot: Slot, asked: bool, message: &Text) {
        self.instances.set_process(slot, None);
        if let Some(instance) = self.instances.get_mut(slot) {
            instance.fall(InstanceState::Stopped);
        }
        if !asked {
            self.report_end(slot, "instance-exited", message);
        }
    }

    /// Records that a machine is gone with everything on it; returns its name.
    pub(crate) fn lost(&mut self, machine: MachineId) -> Text {
        let host = self.hosts.name(self.io.machines.fleet(), machine);
        for slot in self.instances.slots_on(machine) {
            self.instances.set_process(slot, None);
            if let Some(instance) = self.instances.get_mut(slot) {
                instance.fall(InstanceState::Lost);
            }
            self.report_end(slot, "instance-lost", &host);
        }
        host
    }

    /// Records that containers on a returned machine exist again, stopped.
    pub(crate) fn returned(&mut self, machine: MachineId) {
        for slot in self.instances.slots_on(machine) {
            let lost = self.instances.get_mut(slot).filter(|instance| instance.state == InstanceState::Lost);
            if let Some(instance) = lost {
                instance.state = InstanceState::Stopped;
            }
        }
    }
}
