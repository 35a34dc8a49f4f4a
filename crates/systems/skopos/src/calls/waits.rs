//! Progress of waiting calls.
//!
//! *Knows*: when an instance is up, in service or registered. *Must not know*: plans, events.

use crate::blueprint::Blueprint;
use crate::instances::{ComponentId, Group, Instance, InstanceState, Instances, Slot};
use crate::run::{Await, Awaited};
use planarium_ground::{Absence, Fleet};
use planarium_kernel::SimTime;
use planarium_protocol::Text;

/// Progress of a wait.
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

/// Results of looking at a waiting call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Look {
    /// It is over, and why it failed.
    Over(Result<(), Text>),
    /// It is looked at again at this instant.
    Again(SimTime),
}

/// Decides about a call that has waited since an instant.
pub(crate) fn look(progress: Progress, waiting: &Await, since: SimTime, now: SimTime) -> Look {
    let next = match progress {
        Progress::There => return Look::Over(Ok(())),
        Progress::Never(why) => return Look::Over(Err(why)),
        Progress::At(at) => at.min(waiting.deadline),
        Progress::After(_) => waiting.deadline,
    };
    if now >= waiting.deadline {
        let seconds = now.since(since) / 1000;
        return Look::Over(Err(format!("{} timed out after {seconds} s", waiting.words()).into()));
    }
    Look::Again(next)
}

/// Returns the progress of a wait at an instant.
pub(crate) fn progress(
    blueprint: &Blueprint,
    instances: &Instances,
    fleet: &Fleet,
    now: SimTime,
    waiting: &Await,
) -> Progress {
    if waiting.what == Awaited::All {
        return progress_of_all(blueprint, instances, fleet, now, waiting.slot.component);
    }
    let Some(instance) = instances.get(waiting.slot).filter(|own| own.id == waiting.instance) else {
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
        at = at.max(instance.running_since.saturating_add(blueprint.warm_up_ms()));
    }
    if now < at {
        return Progress::At(at);
    }
    if instance.ready || !checked { Progress::There } else { Progress::After("its readiness check passes") }
}

/// Returns the progress of a component's new instances.
fn progress_of_all(
    blueprint: &Blueprint,
    instances: &Instances,
    fleet: &Fleet,
    now: SimTime,
    component: ComponentId,
) -> Progress {
    let mut all = Progress::There;
    for index in 0..blueprint.replicas(component) {
        let Some(instance) = instances.get(Slot { component, group: Group::New, index }) else {
            let name = blueprint.component_name(component);
            return Progress::Never(format!("there is no new instance {index} of {name}").into());
        };
        let own = match progress_of_one(blueprint, instance, fleet, now) {
            Progress::Never(why) => return Progress::Never(why),
            own => own,
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

/// Returns the progress of a service's new instance.
fn progress_of_one(blueprint: &Blueprint, instance: &Instance, fleet: &Fleet, now: SimTime) -> Progress {
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
        instance.running_since.saturating_add(blueprint.warm_up_ms())
    };
    if starting {
        Progress::After("every new instance runs")
    } else if away == Some(Absence::Partitioned) {
        Progress::After("its machine can be reached again")
    } else if now < up {
        Progress::At(up)
    } else if instance.process.is_some() && !instance.ready {
        Progress::After("its readiness check passes")
    } else {
        Progress::There
    }
}
