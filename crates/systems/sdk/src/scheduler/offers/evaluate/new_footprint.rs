//! Fits a pod instance without a footprint.
//!
//! *Knows*: the order of stages, and that the first launch reserves for, and stores, all tasks of the pod. *Must not
//! know*: plans, steps, ids.
//!
//! **Source**: `dcos-commons: …/offer/evaluate/OfferEvaluator.java` (new pipeline),
//! `VolumeEvaluationStage.java`, `ResourceEvaluationStage.java`. Match; tasks in alphabetical order.

use super::check_text::{Amount, Available, Need, Whose, Words};
use super::footprint::{ExecutorUse, Footprint, Part, SetParts, SetUse, scalar, volume};
use super::outcome::Check;
use super::pool::Pool;
use super::ports;
use super::{Ask, Overhead};
use crate::scheduler::state::Disk;
use crate::spec::{ResourceSet, TaskSpec, VolumeKind, VolumeSpec};
use planarium_kernel::Milli;
use std::sync::Arc;

/// Checks every stage and collects what would be reserved.
pub(crate) fn fit(ask: &Ask<'_>, pool: &mut Pool<'_>, checks: &mut Vec<Check>) -> Footprint {
    let mut footprint = Footprint::new(ExecutorUse::New);
    checks.push(Check::pass("executor", "a new executor"));
    ask.place(checks);
    for spec in &ask.pod().volumes {
        let part = take_volume(ask, pool, spec, checks);
        footprint.executor_parts.extend(part);
    }
    let mut used = ports::Used::of_pod(ask.pod());
    let mut overhead = true;
    let tasks = by_name(ask.pod().tasks.iter().cloned());
    footprint.sets.reserve_exact(tasks.len());
    for task in tasks {
        if std::mem::take(&mut overhead) {
            executor_overhead(ask, pool, checks, &mut footprint.executor_parts);
        }
        let same_set = |other: &SetUse| other.task.resource_set.id == task.resource_set.id;
        let parts = match footprint.sets.iter().position(same_set) {
            Some(first) => SetParts::Of(first),
            None => SetParts::Own(take_set(ask, pool, &task.resource_set, &mut used, checks)),
        };
        let launch = ask.launches(&task.name);
        footprint.sets.push(SetUse { task, launch, parts });
    }
    footprint
}

/// Tasks in alphabetical order.
pub(super) fn by_name(tasks: impl Iterator<Item = Arc<TaskSpec>>) -> Vec<Arc<TaskSpec>> {
    let mut tasks: Vec<Arc<TaskSpec>> = tasks.collect();
    // They are mostly written in that order already.
    if !tasks.is_sorted_by(|a, b| a.name <= b.name) {
        planarium_kernel::sorted::sort_by(&mut tasks, |a, b| a.name.cmp(&b.name));
    }
    tasks
}

/// The executor's own needs.
fn executor_overhead(ask: &Ask<'_>, pool: &mut Pool<'_>, checks: &mut Vec<Check>, parts: &mut Vec<Part>) {
    for (name, value) in overhead(ask.overhead) {
        if let Some(part) = take_scalar(ask, pool, name, value, &Whose::Executor, checks) {
            parts.push(part);
        }
    }
}

/// The scalars an executor needs for itself.
pub(super) fn overhead(overhead: Overhead) -> impl Iterator<Item = (&'static str, Milli)> {
    let Overhead { cpus, mem, disk } = overhead;
    [("cpus", cpus), ("mem", mem), ("disk", disk)].into_iter().filter(|(_, value)| value.is_positive())
}

/// One scalar, new.
pub(super) fn take_scalar(
    ask: &Ask<'_>,
    pool: &mut Pool<'_>,
    name: &'static str,
    value: Milli,
    whose: &Whose,
    checks: &mut Vec<Check>,
) -> Option<Part> {
    let need = Need { whose: whose.clone(), name, value };
    match pool.take(ask.source_role(), name, value) {
        Ok(()) => {
            checks.push(Check::pass(name, Words::Gets(need)));
            Some(Part::reserve(scalar(name, value)))
        }
        Err(short) => {
            let left = Available::of(short.free, ask.source_role());
            checks.push(Check::short(name, Words::Lacks(need, left), short.missing));
            None
        }
    }
}

/// Names the role that is drawn on when it is not the usual one.
fn from(role: &str) -> String {
    if role == "*" { String::new() } else { format!(" for role {role}") }
}

/// One volume, new.
pub(super) fn take_volume(
    ask: &Ask<'_>,
    pool: &mut Pool<'_>,
    spec: &VolumeSpec,
    checks: &mut Vec<Check>,
) -> Option<Part> {
    let role = ask.source_role();
    let kind = match spec.kind {
        VolumeKind::Root => {
            if let Err(short) = pool.take(role, "disk", spec.size) {
                let (amount, left) = (Amount("disk", spec.size), Available::of(short.free, role));
                let text = format!("volume {} needs {amount}, {left}", spec.path);
                checks.push(Check::short("disk", text, short.missing));
                return None;
            }
            volume(&spec.path, spec.size, Disk::Root)
        }
        VolumeKind::Mount => {
            let Some(disk) = pool.take_mount(role, spec.size, &spec.profiles) else {
                let profiles = if spec.profiles.is_empty() {
                    String::new()
                } else {
                    format!(" with profile {}", spec.profiles.join(" or "))
                };
                let text = format!(
                    "volume {} needs a free {} disk of {} MiB{profiles}{}",
                    spec.path,
                    spec.kind.as_str(),
                    spec.size,
                    from(role)
                );
                checks.push(Check::fail("volume", text));
                return None;
            };
            volume(&spec.path, disk.size, Disk::Mount { root: disk.root, profile: disk.profile })
        }
    };
    let requirement = if matches!(spec.kind, VolumeKind::Root) { "disk" } else { "volume" };
    checks.push(Check::pass(requirement, Words::Volume { path: spec.path.clone(), size: spec.size }));
    Some(Part::reserve(kind))
}

/// One resource set, new: static ports, dynamic ports, scalars, volumes.
fn take_set(
    ask: &Ask<'_>,
    pool: &mut Pool<'_>,
    set: &ResourceSet,
    used: &mut ports::Used,
    checks: &mut Vec<Check>,
) -> Vec<Part> {
    let mut parts = Vec::new();
    let owner = set_owner(set);
    let (fixed, dynamic): (Vec<_>, Vec<_>) = set.ports.iter().partition(|port| port.port != 0);
    for port in fixed.into_iter().chain(dynamic) {
        parts.extend(ports::take(ask, pool, port, used, checks));
    }
    for (name, value) in scalars(set) {
        if let Some(part) = take_scalar(ask, pool, name, value, &owner, checks) {
            parts.push(part);
        }
    }
    for spec in &set.volumes {
        parts.extend(take_volume(ask, pool, spec, checks));
    }
    parts
}

/// The scalars of a resource set.
pub(super) fn scalars(set: &ResourceSet) -> impl Iterator<Item = (&'static str, Milli)> {
    [("cpus", set.cpus), ("gpus", set.gpus), ("mem", set.mem)]
        .into_iter()
        .filter_map(|(name, value)| Some((name, value?)))
        .filter(|(_, value)| value.is_positive())
}

/// Owner of a set's needs, in words.
pub(super) fn set_owner(set: &ResourceSet) -> Whose {
    Whose::Set(set.id.clone())
}
