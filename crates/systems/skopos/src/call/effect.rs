//! What a call brings about when its time is over.
//!
//! *Knows*: instances, balancers, the register. *Must not know*: how long calls take.

use crate::app::App;
use crate::engine::Io;
use crate::instance::{ComponentId, Group, Instance, InstanceState, Slot};
use crate::plan::StepId;
use crate::plugin::Op;
use planarium_ground::{MachineId, ProcessId};
use planarium_protocol::Text;

/// What a call brings about.
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
    /// The instance is gone.
    Destroy(Slot),
    /// The instance is stopped.
    Stop(Slot),
    /// The instance runs again, without a machine.
    Start(Slot),
    /// It is behind a balancer.
    Attach(Slot, Text),
    /// It is no longer behind a balancer.
    Detach(Slot, Text),
    /// It is registered; `joined`: only when it has joined.
    Register { slot: Slot, joined: bool },
    /// It is no longer registered.
    Unregister(Slot),
    /// It passes when the instance runs.
    InInstance(Slot),
    /// Something is done to all instances of a component, or to those of a group.
    All { component: ComponentId, op: Op, only: Option<Group> },
    /// A signal reaches a component's instances.
    Signal { component: Text, signal: Text },
    /// A message is left.
    Say(Text),
    /// A script exits.
    Exit { name: Text, code: i32, stderr: Option<Text> },
}

impl App {
    /// Carries an effect out.
    ///
    /// *Errors*: why the call failed.
    pub(super) fn apply(&mut self, io: &mut Io<'_>, step: StepId, effect: &Effect) -> Result<(), Text> {
        let now = io.cx.now();
        match effect {
            Effect::Nothing => Ok(()),
            Effect::Fail(message) => Err(message.clone()),
            Effect::Leave { slot, image, message } => {
                let id = self.instances.fresh_id(&format!(
                    "{}-n{}",
                    self.component_name(slot.component),
                    slot.index
                ));
                let instance = self.new_instance(io, *slot, id, image.clone(), InstanceState::Stopped);
                self.created(io, *slot, &instance);
                self.instances.put(*slot, instance);
                Err(message.clone())
            }
            Effect::Image(image) => {
                if self.image_exists(image) {
                    Ok(())
                } else {
                    Err(format!("there is no image {image}").into())
                }
            }
            Effect::Create { slot, image } => {
                let id = self.instances.fresh_id(&format!(
                    "{}-n{}",
                    self.component_name(slot.component),
                    slot.index
                ));
                let instance = self.new_instance(io, *slot, id, image.clone(), InstanceState::Running);
                self.created(io, *slot, &instance);
                self.instances.put(*slot, instance);
                Ok(())
            }
            Effect::Destroy(slot) => {
                if let Some(gone) = self.instances.take(*slot) {
                    if let Some(process) = gone.process {
                        io.machines.vanish(process);
                    }
                    self.destroyed(io, *slot, &gone);
                }
                Ok(())
            }
            Effect::Stop(slot) => {
                self.stopped(io, *slot);
                Ok(())
            }
            Effect::Start(slot) => {
                if let Some(instance) = self.instances.get_mut(*slot) {
                    instance.state = InstanceState::Running;
                    instance.running_since = now;
                    instance.ready = false;
                    instance.settled = false;
                }
                Ok(())
            }
            Effect::Attach(slot, name) => {
                let instance = self.instances.get_mut(*slot).ok_or("the instance is gone")?;
                if !instance.balancers.iter().any(|(own, _)| own == name) {
                    instance.balancers.push((name.clone(), Some(now)));
                }
                Ok(())
            }
            Effect::Detach(slot, name) => {
                if let Some(instance) = self.instances.get_mut(*slot) {
                    instance.balancers.retain(|(own, _)| own != name);
                }
                Ok(())
            }
            Effect::Register { slot, joined } => {
                let has_joined = self.instances.get(*slot).is_some_and(|instance| {
                    instance.state == InstanceState::Running
                        && (instance.settled || now.since(instance.running_since) >= crate::plugin::JOIN_MS)
                });
                if *joined && !has_joined {
                    return Err("the instance has not joined yet".into());
                }
                if let Some(instance) = self.instances.get_mut(*slot) {
                    instance.hidden = false;
                }
                Ok(())
            }
            Effect::Unregister(slot) => {
                if let Some(instance) = self.instances.get_mut(*slot) {
                    instance.hidden = true;
                }
                Ok(())
            }
            Effect::InInstance(slot) => match self.instances.get(*slot) {
                None => Err("the instance is gone".into()),
                Some(instance) if instance.state != InstanceState::Running => {
                    Err(format!("{} is {}", instance.id, instance.state.word()).into())
                }
                Some(instance) if instance.unhealthy => Err(format!("{} is unhealthy", instance.id).into()),
                Some(_) => Ok(()),
            },
            Effect::All { component, op, only } => self.apply_to_all(io, *component, *op, *only),
            Effect::Signal { component, signal } => {
                self.output(io, step, format!("sent {signal} to {component}").into());
                Ok(())
            }
            Effect::Say(text) => {
                self.output(io, step, text.clone());
                Ok(())
            }
            Effect::Exit { name, code: 0, stderr } => {
                if let Some(text) = stderr {
                    self.output(io, step, format!("{name}: {text}").into());
                }
                Ok(())
            }
            Effect::Exit { name, code, stderr } => Err(match stderr {
                Some(text) => format!("{name} exited with code {code}: {text}").into(),
                None => format!("{name} exited with code {code}").into(),
            }),
        }
    }

    /// An instance that has just been created.
    pub(super) fn new_instance(
        &self,
        io: &Io<'_>,
        slot: Slot,
        id: Text,
        image: Text,
        state: InstanceState,
    ) -> Instance {
        let now = io.cx.now();
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

    /// An instance with its process.
    pub(super) fn on_machine(instance: Instance, machine: MachineId, process: ProcessId) -> Instance {
        Instance { machine: Some(machine), process: Some(process), ..instance }
    }

    /// An instance was stopped, or has ended by itself.
    pub(super) fn stopped(&mut self, io: &mut Io<'_>, slot: Slot) {
        let process = self.instances.get(slot).and_then(|instance| instance.process);
        if let Some(process) = process {
            io.machines.vanish(process);
            self.instances.set_process(slot, None);
        }
        if let Some(instance) = self.instances.get_mut(slot) {
            instance.state = InstanceState::Stopped;
            instance.ready = false;
        }
    }
}
