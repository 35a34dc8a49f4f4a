//! Validation of operations and tasks. The first fault found decides.
//!
//! Source: `apache/mesos: src/master/validation.cpp` (operation, task, executor). Match for what exists here.

use super::accepted::AcceptedOffers;
use crate::{
    agents::Agent,
    api::{
        Capability, ExecutorInfo, ReservationKind, Resource, Resources, TaskInfo,
        validity::{amount, stack},
    },
};
use planarium_kernel::Milli;
use planarium_protocol::Text;

/// Faults are texts: their wording is not part of the real master's contract.
pub(crate) type Finding = Result<(), String>;

fn bad(text: impl Into<String>) -> Finding {
    Err(text.into())
}

fn allocation(resource: &Resource, accepted: &AcceptedOffers) -> Finding {
    match &resource.allocation_role {
        Some(role) if *role != accepted.role => {
            bad(format!("{} is allocated to {role}, the offer to {}", resource.name, accepted.role))
        }
        _ => Ok(()),
    }
}

pub(super) fn reserve(accepted: &AcceptedOffers, resource: &Resource) -> Finding {
    amount(resource)?;
    allocation(resource, accepted)?;
    stack(resource)?;
    let Some(top) = resource.reservation().filter(|top| top.kind == ReservationKind::Dynamic) else {
        return bad(format!("{} is not dynamically reserved", resource.name));
    };
    if resource.persistence().is_some() {
        return bad("a persistent volume cannot be reserved");
    }
    if top.role != accepted.role || !accepted.info.roles.contains(&top.role) {
        return bad(format!("reserved for {}, allocated to {}", top.role, accepted.role));
    }
    if accepted.info.principal.is_some() && top.principal != accepted.info.principal {
        return bad("the reservation's principal is not the framework's");
    }
    if resource.reservations.len() > 1 && !accepted.info.can(Capability::ReservationRefinement) {
        return bad("the framework does not know refined reservations");
    }
    Ok(())
}

pub(super) fn unreserve(accepted: &AcceptedOffers, resource: &Resource) -> Finding {
    amount(resource)?;
    allocation(resource, accepted)?;
    if !resource.is_dynamically_reserved() {
        return bad(format!("{} is not dynamically reserved", resource.name));
    }
    if resource.persistence().is_some() {
        return bad("a persistent volume must be destroyed first");
    }
    Ok(())
}

/// `known` are the agent's resources, for the uniqueness of the volume's id.
pub(super) fn create(accepted: &AcceptedOffers, known: &Resources, volume: &Resource) -> Finding {
    amount(volume)?;
    allocation(volume, accepted)?;
    let Some(persistence) = volume.persistence().filter(|_| &*volume.name == "disk") else {
        return bad("not a persistent volume");
    };
    if volume.reservations.is_empty() {
        return bad("a persistent volume needs reserved disk");
    }
    if persistence.id.is_empty() || persistence.id.contains('/') || persistence.container_path.is_empty() {
        return bad("a persistent volume needs an id and a container path");
    }
    if accepted.info.principal.is_some() && persistence.principal != accepted.info.principal {
        return bad("the volume's principal is not the framework's");
    }
    let clash = |other: &Resource| {
        other.role() == volume.role() && other.persistence().is_some_and(|theirs| theirs.id == persistence.id)
    };
    if known.iter().any(clash) {
        return bad(format!("persistence id {} is in use", persistence.id));
    }
    Ok(())
}

pub(super) fn destroy(accepted: &AcceptedOffers, volume: &Resource) -> Finding {
    allocation(volume, accepted)?;
    if volume.persistence().is_none() {
        return bad("not a persistent volume");
    }
    Ok(())
}

/// Validates a volume to resize.
fn resizable(accepted: &AcceptedOffers, volume: &Resource) -> Finding {
    amount(volume)?;
    allocation(volume, accepted)?;
    if volume.persistence().is_none() {
        return bad("not a persistent volume");
    }
    if volume.is_mount() {
        return bad("a volume on a MOUNT disk takes all of it");
    }
    Ok(())
}

pub(super) fn grow(accepted: &AcceptedOffers, volume: &Resource, addition: &Resource) -> Finding {
    resizable(accepted, volume)?;
    amount(addition)?;
    if !addition.amount().is_positive() {
        return bad("a volume is made larger by more than nothing");
    }
    allocation(addition, accepted)?;
    if !volume.without_volume().unallocated().is_alike(&addition.unallocated()) {
        return bad(format!("{addition} is not of the kind that the volume is made of"));
    }
    missing(&accepted.remaining, volume)?;
    missing(&accepted.remaining, addition)
}

pub(super) fn shrink(accepted: &AcceptedOffers, volume: &Resource, by: Milli) -> Finding {
    resizable(accepted, volume)?;
    if !by.is_positive() || by >= volume.amount() {
        return bad("a volume is made smaller by less than what it has");
    }
    missing(&accepted.remaining, volume)
}

fn missing(remaining: &Resources, wanted: &Resource) -> Finding {
    if remaining.contains_one(&wanted.unallocated()) { Ok(()) } else { Err(not_there(remaining, wanted)) }
}

/// The message about something that is not there.
pub(super) fn not_there(remaining: &Resources, wanted: &Resource) -> String {
    format!("{} is not in what is left of the offer: {remaining}", wanted.unallocated())
}

/// Needs of a valid task.
#[derive(Clone, Debug)]
pub(super) struct TaskNeeds {
    /// For itself, without an allocation.
    pub(super) own: Resources,
    /// For its executor, when that is new.
    pub(super) executor: Option<Resources>,
}

/// Validates a task, its executor, and that enough is left for both: removes their needs from `left`. After a fault
/// `left` is unchanged.
pub(super) fn task(
    accepted: &AcceptedOffers,
    remaining: &mut Resources,
    agent: &Agent,
    task: &TaskInfo,
    executor: Option<&ExecutorInfo>,
    id_in_use: bool,
) -> Result<TaskNeeds, String> {
    task_id(&task.task_id)?;
    if let Some(flaw) = &task.flaw {
        return Err(flaw.to_string());
    }
    if id_in_use {
        return Err(format!("task id {} is in use", task.task_id));
    }
    if task.agent_id.as_ref().is_some_and(|id| *id != accepted.agent_name) {
        return Err("the task names another agent than the offer".to_owned());
    }
    if task.resources.is_empty() {
        return Err("the task uses no resources".to_owned());
    }
    let all = task.resources.iter().chain(executor.into_iter().flat_map(|executor| &executor.resources));
    let mut volumes: Vec<(&str, &Text)> = Vec::new();
    for resource in all {
        amount(resource)?;
        allocation(resource, accepted)?;
        if let Some(persistence) = resource.persistence() {
            let key = (resource.role(), &persistence.id);
            if volumes.contains(&key) {
                return Err(format!("persistence id {} occurs twice", persistence.id));
            }
            volumes.push(key);
        }
    }
    let mut needs = TaskNeeds { own: task.resources.unallocated(), executor: None };
    if let Some(executor) = executor {
        if executor.id.is_empty() {
            return Err("the executor has no id".to_owned());
        }
        match agent.executors.get(&(accepted.framework, executor.id.clone())) {
            Some(known) if !is_same(&known.info.resources, &executor.resources) => {
                return Err(format!("executor {} runs with other resources", executor.id));
            }
            Some(_) => {}
            None => needs.executor = Some(executor.resources.unallocated()),
        }
    }
    // Check both together: they may ask for the same ports.
    let mut needed = needs.own.clone();
    needs.executor.iter().for_each(|own| needed.add_all(own));
    if remaining.subtract_all(&needed) {
        Ok(needs)
    } else {
        Err(format!("the task needs {needed}, the offer has {remaining} left"))
    }
}

/// Returns whether the resources are equal, regardless of the role they are allocated to.
fn is_same(known: &Resources, asked: &Resources) -> bool {
    let is_alike = |(known, asked): (&Resource, &Resource)| {
        known.value == asked.value
            && known.reservations == asked.reservations
            && known.name == asked.name
            && known.disk == asked.disk
    };
    // Frameworks usually name them in the same order again.
    known.len() == asked.len() && known.iter().zip(asked).all(is_alike) || *known == asked.unallocated()
}

fn task_id(id: &str) -> Finding {
    if id.is_empty() || id.len() > 255 {
        return bad("a task id has 1 to 255 characters");
    }
    if matches!(id, "." | "..") || id.contains(|c: char| matches!(c, '/' | '\\') || c.is_control()) {
        return bad(format!("`{id}` is not a task id"));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn task_ids() {
        for (id, expected) in [
            ("a__b__1", true),
            ("", false),
            (".", false),
            ("..", false),
            ("a/b", false),
            ("a\\b", false),
            ("a\n", false),
        ] {
            assert_eq!(task_id(id).is_ok(), expected, "{id}");
        }
        assert!(task_id(&"x".repeat(255)).is_ok() && task_id(&"x".repeat(256)).is_err());
    }
}
