//! Operations on all instances of a component at once, for plugins whose platform knows services.
//!
//! *Knows*: which instances a service is to have. *Must not know*: how a call is put together, plans.
//!
//! The platform goes on by itself after such a call: what it starts is up later, which `inst_wait_all_updated` waits for. Once
//! that passes, the old instances are stopped; they stay until they are destroyed, so that a rollback finds them.
//!
//! **Source**: Skopos plugin operation details name the operations (`inst_deploy_all_async` and the like); what they do to
//! single instances is ours.

use super::Progress;
use crate::app::App;
use crate::engine::Io;
use crate::instance::{ComponentId, Group, Instance, InstanceState, Slot};
use crate::machines::{Place, place};
use crate::plugin::Op;
use planarium_ground::{Absence, Fleet};
use planarium_kernel::SimTime;
use planarium_protocol::Text;

/// From the order until a container of a service runs. *Units*: milliseconds.
const START_MS: u64 = 3_000;

impl App {
    /// Carries an operation out on all instances of a component.
    ///
    /// *Errors*: why it failed.
    pub(super) fn apply_to_all(
        &mut self,
        io: &mut Io<'_>,
        component: ComponentId,
        op: Op,
        only: Option<Group>,
    ) -> Result<(), Text> {
        match op {
            Op::DeployAll | Op::ScaleAll => {
                let replicas = self.replicas(component);
                for index in 0..replicas {
                    let slot = Slot { component, group: Group::New, index };
                    if self.instances.get(slot).is_none() {
                        self.order(io, slot)?;
                    }
                }
                if op == Op::ScaleAll {
                    for slot in self.slots(component, Group::New, replicas) {
                        self.destroy(io, slot);
                    }
                }
                Ok(())
            }
            Op::RollbackAll => {
                let old = self.slots(component, Group::Old, 0);
                if old.is_empty() {
                    let name = self.component_name(component);
                    return Err(format!("there is no old instance of {name} to go back to").into());
                }
                for slot in self.slots(component, Group::New, 0) {
                    self.destroy(io, slot);
                }
                for slot in old {
                    self.revive(io, slot);
                }
                Ok(())
            }
            _ => {
                for group in [Group::Old, Group::New] {
                    if only.is_none_or(|only| only == group) {
                        for slot in self.slots(component, group, 0) {
                            self.destroy(io, slot);
                        }
                    }
                }
                Ok(())
            }
        }
    }

    fn slots(&self, component: ComponentId, group: Group, from: u64) -> Vec<Slot> {
        self.instances.group(component, group, from).map(|(slot, _)| slot).collect()
    }

    /// Has a new instance started; it runs at once where there are no machines.
    fn order(&mut self, io: &mut Io<'_>, slot: Slot) -> Result<(), Text> {
        let component: Text = self.component_name(slot.component).into();
        let image = self.target_image(slot.component);
        let image = image.ok_or_else(|| Text::from(format!("the component {component} has no image")))?;
        if !self.image_exists(&image) {
            return Err(format!("there is no image {image}").into());
        }
        let spot = place(io.machines.fleet(), |machine| self.instances.on(machine));
        if matches!(spot, Place::NoneUp) {
            return Err("no machine is up".into());
        }
        let id = self.instances.fresh_id(&format!("{component}-n{}", slot.index));
        let mut instance = self.new_instance(io, slot, id.clone(), image.clone(), InstanceState::Running);
        if let Place::On(machine) = spot {
            let process = self.launch(io, machine, slot, &id, &image, START_MS);
            self.remember(io, machine);
            instance =
                Instance { state: InstanceState::Stopped, ..Self::on_machine(instance, machine, process) };
        }
        self.created(io, slot, &instance);
        self.instances.put(slot, instance);
        Ok(())
    }

    fn destroy(&mut self, io: &mut Io<'_>, slot: Slot) {
        let Some(gone) = self.instances.take(slot) else { return };
        if let Some(process) = gone.process {
            io.machines.vanish(process);
        }
        self.destroyed(io, slot, &gone);
    }

    /// Has an instance started again that was stopped.
    fn revive(&mut self, io: &mut Io<'_>, slot: Slot) {
        let now = io.cx.now();
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
        let fleet = io.machines.fleet();
        if fleet.machine(machine).is_some() && fleet.absence(machine).is_none() {
            let process = self.launch(io, machine, slot, &id, &image, START_MS);
            self.instances.set_process(slot, Some(process));
        }
    }

    /// The service has replaced its old instances.
    pub(super) fn retire(&mut self, io: &mut Io<'_>, component: ComponentId) {
        for slot in self.slots(component, Group::Old, 0) {
            if self.instances.get(slot).is_some_and(|one| one.state == InstanceState::Running) {
                self.stopped(io, slot);
            }
        }
    }

    /// How far the new instances of a component have come.
    pub(super) fn progress_of_all(&self, now: SimTime, fleet: &Fleet, component: ComponentId) -> Progress {
        let mut all = Progress::There;
        for index in 0..self.replicas(component) {
            let slot = Slot { component, group: Group::New, index };
            let Some(instance) = self.instances.get(slot) else {
                let name = self.component_name(component);
                return Progress::Never(format!("there is no new instance {index} of {name}").into());
            };
            let id = &instance.id;
            let starting = instance.state == InstanceState::Stopped && instance.process.is_some();
            if instance.unhealthy {
                return Progress::Never(format!("{id} is unhealthy").into());
            }
            if instance.state != InstanceState::Running && !starting {
                return Progress::Never(format!("{id} is {}", instance.state.word()).into());
            }
            let away = instance.machine.and_then(|machine| fleet.absence(machine));
            let up = if instance.settled {
                SimTime::ZERO
            } else {
                instance.running_since.saturating_add(self.warm_up_ms())
            };
            let own = if starting {
                Progress::After("every new instance runs")
            } else if away == Some(Absence::Partitioned) {
                Progress::After("its machine can be reached again")
            } else if now < up {
                Progress::At(up)
            } else if instance.process.is_some() && !instance.ready {
                Progress::After("its readiness check passes")
            } else {
                Progress::There
            };
            all = match (all, own) {
                (Progress::After(what), _) | (_, Progress::After(what)) => Progress::After(what),
                (Progress::At(one), Progress::At(other)) => Progress::At(one.max(other)),
                (Progress::At(at), _) | (_, Progress::At(at)) => Progress::At(at),
                (done, _) => done,
            };
        }
        all
    }
}
