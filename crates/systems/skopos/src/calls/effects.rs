//! Effects of a call at its end.
//!
//! *Knows*: what each effect does to instances, balancers and the register. *Must not know*: how long calls take.
//!
//! **Source**: Skopos plugin operation details name the operations on whole services (`inst_deploy_all_async` and the like);
//! what they do to single instances is ours.

use crate::instances::{ComponentId, Containers, Group, InstanceState, Instances, Slot};
use crate::plugins::{JOIN_MS, Op};
use crate::run::{Effect, LogKind};
use planarium_kernel::SimTime;
use planarium_protocol::Text;

/// The outcome of a call.
pub(crate) struct Outcome {
    /// A log record with the output of a script or plugin.
    pub(crate) said: Option<LogKind>,
    /// Why it failed.
    pub(crate) result: Result<(), Text>,
}

/// Carries an effect out.
pub(crate) fn apply(containers: &mut Containers<'_, '_>, effect: &Effect) -> Outcome {
    let said = match effect {
        Effect::Signal { component, signal } => Some(signalled(containers, component, signal)),
        Effect::Say(text) => Some(LogKind::Output(text.clone())),
        Effect::Exit { name, code: 0, stderr: Some(text) } => {
            Some(LogKind::Output(format!("{name}: {text}").into()))
        }
        _ => None,
    };
    Outcome { said, result: change(containers, effect) }
}

/// Whom a signal reached. A component without instances is nothing to fail for: it may come later in the plan, as in the
/// vendor's sample application.
fn signalled(containers: &Containers<'_, '_>, component: &Text, signal: &Text) -> LogKind {
    let known = containers.blueprint.component_id(component);
    if known.and_then(|known| containers.instances.any_running(known)).is_some() {
        return LogKind::Output(format!("sent {signal} to {component}").into());
    }
    LogKind::CallWarn(format!("no instance of {component} runs: {signal} reached nobody").into())
}

fn change(containers: &mut Containers<'_, '_>, effect: &Effect) -> Result<(), Text> {
    let now = containers.io.cx.now();
    match effect {
        Effect::Nothing | Effect::Signal { .. } | Effect::Say(_) | Effect::Exit { code: 0, .. } => {}
        Effect::Fail(message) => return Err(message.clone()),
        Effect::Leave { slot, image, message } => {
            containers.create(*slot, image.clone(), InstanceState::Stopped);
            return Err(message.clone());
        }
        Effect::Image(image) if containers.blueprint.image_exists(image) => {}
        Effect::Image(image) => return Err(format!("there is no image {image}").into()),
        Effect::Create { slot, image } => {
            containers.create(*slot, image.clone(), InstanceState::Running);
        }
        Effect::Destroy(slot) => containers.destroy(*slot),
        Effect::Stop(slot) => containers.stop(*slot),
        Effect::Start(slot) => {
            if let Some(instance) = containers.instances.get_mut(*slot) {
                instance.run_from(now);
            }
        }
        Effect::Attach(slot, name) => {
            let instance = containers.instances.get_mut(*slot).ok_or("the instance is gone")?;
            if !instance.is_behind(name) {
                instance.balancers.push((name.clone(), Some(now)));
            }
        }
        Effect::Detach(slot, name) => {
            if let Some(instance) = containers.instances.get_mut(*slot) {
                instance.balancers.retain(|(own, _)| own != name);
            }
        }
        Effect::Register { slot, joined } => {
            if *joined && !has_joined(containers.instances, *slot, now) {
                return Err("the instance has not joined yet".into());
            }
            set_hidden(containers.instances, *slot, false);
        }
        Effect::Unregister(slot) => set_hidden(containers.instances, *slot, true),
        Effect::InInstance(slot) => return runs_well(containers.instances, *slot),
        Effect::All { component, op, only } => return change_all(containers, *component, *op, *only),
        Effect::Exit { name, code, stderr } => {
            return Err(match stderr {
                Some(text) => format!("{name} exited with code {code}: {text}").into(),
                None => format!("{name} exited with code {code}").into(),
            });
        }
    }
    Ok(())
}

/// Returns whether an instance has joined the register.
fn has_joined(instances: &Instances, slot: Slot, now: SimTime) -> bool {
    instances.get(slot).is_some_and(|instance| {
        instance.state == InstanceState::Running
            && (instance.settled || now.since(instance.running_since) >= JOIN_MS)
    })
}

fn set_hidden(instances: &mut Instances, slot: Slot, hidden: bool) {
    if let Some(instance) = instances.get_mut(slot) {
        instance.hidden = hidden;
    }
}

/// Checks that a command can run in an instance.
fn runs_well(instances: &Instances, slot: Slot) -> Result<(), Text> {
    match instances.get(slot) {
        None => Err("the instance is gone".into()),
        Some(instance) if instance.state != InstanceState::Running => {
            Err(format!("{} is {}", instance.id, instance.state.word()).into())
        }
        Some(instance) if instance.unhealthy => Err(format!("{} is unhealthy", instance.id).into()),
        Some(_) => Ok(()),
    }
}

/// Carries out an operation on all instances of a component, for plugins whose platform knows services. The platform
/// continues after such a call: its new instances are up later, which `inst_wait_all_updated` waits for. Once that passes,
/// the old instances are stopped; they stay until they are destroyed, so that a rollback finds them.
fn change_all(
    containers: &mut Containers<'_, '_>,
    component: ComponentId,
    op: Op,
    only: Option<Group>,
) -> Result<(), Text> {
    match op {
        Op::DeployAll | Op::ScaleAll => {
            let replicas = containers.blueprint.replicas(component);
            for index in 0..replicas {
                let slot = Slot { component, group: Group::New, index };
                if containers.instances.get(slot).is_none() {
                    containers.order(slot)?;
                }
            }
            if op == Op::ScaleAll {
                destroy_from(containers, component, Group::New, replicas);
            }
        }
        Op::RollbackAll => {
            let old = containers.instances.slots(component, Group::Old, 0);
            if old.is_empty() {
                let name = containers.blueprint.component_name(component);
                return Err(format!("there is no old instance of {name} to go back to").into());
            }
            destroy_from(containers, component, Group::New, 0);
            for slot in old {
                containers.revive(slot);
            }
        }
        _ => {
            for group in [Group::Old, Group::New] {
                if only.is_none_or(|only| only == group) {
                    destroy_from(containers, component, group, 0);
                }
            }
        }
    }
    Ok(())
}

fn destroy_from(containers: &mut Containers<'_, '_>, component: ComponentId, group: Group, from: u64) {
    for slot in containers.instances.slots(component, group, from) {
        containers.destroy(slot);
    }
}
