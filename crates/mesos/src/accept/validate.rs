//! What makes an operation or a task invalid. First finding wins.
//!
//! Source: `apache/mesos: src/master/validation.cpp` (operation, task, executor). Match for what exists here.

use super::Ground;
use crate::{
    agent::Agent,
    api::{Capability, ExecutorInfo, ReservationKind, Resource, Resources, TaskInfo, Value},
};
use planarium_kernel::Milli;
use planarium_protocol::Text;

/// Findings are texts: the real master's own words are not part of any contract.
pub(crate) type Finding = Result<(), String>;

fn bad(text: impl Into<String>) -> Finding {
    Err(text.into())
}

/// One resource by itself.
pub(crate) fn amount(resource: &Resource) -> Finding {
    if resource.name.is_empty() {
        return bad("a resource has no name");
    }
    match &resource.value {
        Value::Scalar(amount) if amount.0 < 0 => bad(format!("{} is negative", resource.name)),
        Value::Scalar(amount) if &*resource.name == "gpus" && amount.0 % 1000 != 0 => {
            bad("gpus are whole numbers")
        }
        _ if resource.value.is_empty() => bad(format!("{} is nothing", resource.name)),
        _ => Ok(()),
    }
}

fn allocation(resource: &Resource, ground: &Ground) -> Finding {
    match &resource.allocation_role {
        Some(role) if *role != ground.role => {
            bad(format!("{} is allocated to {role}, the offer to {}", resource.name, ground.role))
        }
        _ => Ok(()),
    }
}

/// Each layer of a reservation stack must be a strict sub-role of the one below, and dynamic.
pub(crate) fn stack(resource: &Resource) -> Finding {
    for pair in resource.reservations.windows(2) {
        let [below, above] = pair else { continue };
        let refines = above.role.strip_prefix(&*below.role).is_some_and(|rest| rest.starts_with('/'));
        if !refines {
            return bad(format!("{} does not refine {}", above.role, below.role));
        }
        if above.kind == ReservationKind::Static {
            return bad("only the lowest reservation may be static");
        }
    }
    if resource.reservations.iter().any(|layer| &*layer.role == "*" || !is_role(&layer.role)) {
        return bad("resources are reserved for an invalid role");
    }
    Ok(())
}

/// Longest name of a role; it bounds how deep a tree of roles is. *Units*: bytes.
const MAX_ROLE: usize = 1_024;

/// Whether a role's name is one.
pub(crate) fn is_role(role: &str) -> bool {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_');
    let is_plain = !role.is_empty() && !role.starts_with('-') && role.bytes().all(plain);
    // Most are one plain word.
    is_plain && role.len() <= MAX_ROLE
        || role == "*"
        || role.len() <= MAX_ROLE
            && role.split('/').all(|part| {
                !part.is_empty()
                    && !matches!(part, "." | ".." | "*")
                    && !part.starts_with('-')
                    && !part.contains(|c: char| c.is_whitespace() || c == '\u{8}')
            })
}

pub(super) fn reserve(ground: &Ground, resource: &Resource) -> Finding {
    amount(resource)?;
    allocation(resource, ground)?;
    stack(resource)?;
    let Some(top) = resource.reservation().filter(|top| top.kind == ReservationKind::Dynamic) else {
        return bad(format!("{} is not dynamically reserved", resource.name));
    };
    if resource.persistence().is_some() {
        return bad("a persistent volume cannot be reserved");
    }
    if top.role != ground.role || !ground.info.roles.contains(&top.role) {
        return bad(format!("reserved for {}, allocated to {}", top.role, ground.role));
    }
    if ground.info.principal.is_some() && top.principal != ground.info.principal {
        return bad("the reservation's principal is not the framework's");
    }
    if resource.reservations.len() > 1 && !ground.info.can(Capability::ReservationRefinement) {
        return bad("the framework does not know refined reservations");
    }
    Ok(())
}

pub(super) fn unreserve(ground: &Ground, resource: &Resource) -> Finding {
    amount(resource)?;
    allocation(resource, ground)?;
    if !resource.is_dynamically_reserved() {
        return bad(format!("{} is not dynamically reserved", resource.name));
    }
    if resource.persistence().is_some() {
        return bad("a persistent volume must be destroyed first");
    }
    Ok(())
}

/// `known` are the agent's resources, for the uniqueness of the volume's id.
pub(super) fn create(ground: &Ground, known: &Resources, volume: &Resource) -> Finding {
    amount(volume)?;
    allocation(volume, ground)?;
    let Some(persistence) = volume.persistence().filter(|_| &*volume.name == "disk") else {
        return bad("not a persistent volume");
    };
    if volume.reservations.is_empty() {
        return bad("a persistent volume needs reserved disk");
    }
    if persistence.id.is_empty() || persistence.id.contains('/') || persistence.container_path.is_empty() {
        return bad("a persistent volume needs an id and a container path");
    }
    if ground.info.principal.is_some() && persistence.principal != ground.info.principal {
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

pub(super) fn destroy(ground: &Ground, volume: &Resource) -> Finding {
    allocation(volume, ground)?;
    if volume.persistence().is_none() {
        return bad("not a persistent volume");
    }
    Ok(())
}

/// A volume that can be given another size.
fn resizable(ground: &Ground, volume: &Resource) -> Finding {
    amount(volume)?;
    allocation(volume, ground)?;
    if volume.persistence().is_none() {
        return bad("not a persistent volume");
    }
    if volume.is_mount() {
        return bad("a volume on a MOUNT disk takes all of it");
    }
    Ok(())
}

pub(super) fn grow(ground: &Ground, volume: &Resource, addition: &Resource) -> Finding {
    resizable(ground, volume)?;
    amount(addition)?;
    allocation(addition, ground)?;
    if !volume.without_volume().unallocated().is_alike(&addition.unallocated()) {
        return bad(format!("{addition} is not of the kind that the volume is made of"));
    }
    missing(&ground.left, volume)?;
    missing(&ground.left, addition)
}

pub(super) fn shrink(ground: &Ground, volume: &Resource, by: Milli) -> Finding {
    resizable(ground, volume)?;
    if !by.is_positive() || by >= volume.amount() {
        return bad("a volume is made smaller by less than what it has");
    }
    missing(&ground.left, volume)
}

fn missing(left: &Resources, wanted: &Resource) -> Finding {
    if left.contains_one(&wanted.unallocated()) { Ok(()) } else { Err(not_there(left, wanted)) }
}

/// What is said of something that is not there.
pub(super) fn not_there(left: &Resources, wanted: &Resource) -> String {
    format!("{} is not in what is left of the offer: {left}", wanted.unallocated())
}

/// What a valid task takes.
#[derive(Clone, Debug)]
pub(super) struct Fit {
    /// For itself, given to nobody in particular.
    pub(super) own: Resources,
    /// For its executor, when that is new.
    pub(super) executor: Option<Resources>,
}

/// A task by itself, its executor, and whether what is left is enough for both: what they need is taken out of it. After
/// a finding it is as it was.
pub(super) fn task(
    ground: &Ground,
    left: &mut Resources,
    agent: &Agent,
    task: &TaskInfo,
    executor: Option<&ExecutorInfo>,
    id_in_use: bool,
) -> Result<Fit, String> {
    task_id(&task.task_id)?;
    if let Some(flaw) = &task.flaw {
        return Err(flaw.to_string());
    }
    if id_in_use {
        return Err(format!("task id {} is in use", task.task_id));
    }
    if task.agent_id.as_ref().is_some_and(|id| *id != ground.agent_name) {
        return Err("the task names another agent than the offer".to_owned());
    }
    if task.resources.is_empty() {
        return Err("the task uses no resources".to_owned());
    }
    let all = task.resources.iter().chain(executor.into_iter().flat_map(|executor| &executor.resources));
    let mut volumes: Vec<(&str, &Text)> = Vec::new();
    for resource in all {
        amount(resource)?;
        allocation(resource, ground)?;
        if let Some(persistence) = resource.persistence() {
            let key = (resource.role(), &persistence.id);
            if volumes.contains(&key) {
                return Err(format!("persistence id {} occurs twice", persistence.id));
            }
            volumes.push(key);
        }
    }
    let mut fit = Fit { own: task.resources.unallocated(), executor: None };
    if let Some(executor) = executor {
        if executor.id.is_empty() {
            return Err("the executor has no id".to_owned());
        }
        match agent.executors.get(&(ground.framework, executor.id.clone())) {
            Some(known) if !is_same(&known.info.resources, &executor.resources) => {
                return Err(format!("executor {} runs with other resources", executor.id));
            }
            Some(_) => {}
            None => fit.executor = Some(executor.resources.unallocated()),
        }
    }
    // Both as one: they may want the same ports.
    let mut needed = fit.own.clone();
    fit.executor.iter().for_each(|own| needed.add_all(own));
    if left.subtract_all(&needed) {
        Ok(fit)
    } else {
        Err(format!("the task needs {needed}, the offer has {left} left"))
    }
}

/// Whether resources are these, to whomever those asked for are given.
fn is_same(known: &Resources, asked: &Resources) -> bool {
    let is_alike = |(known, asked): (&Resource, &Resource)| {
        known.value == asked.value
            && known.reservations == asked.reservations
            && known.name == asked.name
            && known.disk == asked.disk
    };
    // As a rule a framework names them in the same order again.
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
    fn roles() {
        for (role, expected) in [
            ("*", true),
            ("hello-role", true),
            ("hello_2", true),
            ("slave_public/hello-role", true),
            ("a/b/c", true),
            ("", false),
            ("/a", false),
            ("a/", false),
            ("a//b", false),
            ("a/..", false),
            ("a/*", false),
            ("-a", false),
            ("a b", false),
        ] {
            assert_eq!(is_role(role), expected, "{role}");
        }
    }

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
