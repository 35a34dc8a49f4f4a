//! Fitting a pod instance into the footprint it has: relaunch in place, recovery in place, update.
//!
//! *Knows*: how reservations are matched, grown, shrunk, added and given back.
//! *Must not know*: plans, steps, ids.
//!
//! Reservations are matched by resource id: ports by number (a dynamic port by its name, so that it
//! keeps its number), volumes by container path, everything else by resource name.
//!
//! **Source**: `dcos-commons: …/offer/evaluate/OfferEvaluator.java` (existing pipeline),
//! `TaskResourceMapper.java`, `ExecutorResourceMapper.java`, `ResourceEvaluationStage.java`. Match.

use super::footprint::{Change, ExecutorUse, Footprint, Part, SetUse, scalar};
use super::new_footprint::{from, scalars, set_owner, take_scalar, take_volume};
use super::outcome::{Check, amount};
use super::pool::{Offered, Pool};
use super::{Ask, Overhead, ports};
use crate::scheduler::store::{Held, HeldKind, PodTasks, TaskRecord};
use crate::spec::{PortSpec, ResourceSet, VolumeSpec};
use planarium_kernel::Milli;
use planarium_protocol::Text;
use std::borrow::Cow;
use std::cmp::Ordering;

/// Checks every stage and collects what would be kept and changed.
pub(crate) fn fit(
    ask: &Ask<'_>,
    stored: &PodTasks,
    pool: &mut Pool<'_>,
    checks: &mut Vec<Check>,
) -> Footprint {
    let running = stored.values().find(|task| task.is_active() && !task.executor_id.is_empty());
    let mut footprint = Footprint::new(match running {
        Some(task) => ExecutorUse::Running(task.executor_id.clone()),
        None => ExecutorUse::New,
    });
    match running {
        Some(task) if pool.executors().contains(&task.executor_id) => {
            checks.push(Check::pass("executor", format!("its executor runs there for {}", task.name)));
        }
        Some(task) => {
            let text = format!("{} runs under an executor on {}", task.name, task.at.hostname);
            checks.push(Check::fail("executor", text));
        }
        None => checks.push(Check::pass("executor", "a new executor")),
    }
    if ask.is_permanent() {
        ask.place(checks);
    }
    let executor_held =
        stored.values().find(|task| !task.executor.is_empty()).map(|task| task.executor.clone());
    let executor_held = executor_held.unwrap_or_default();
    if running.is_some() {
        // In use by the running executor: neither offered nor needed again.
        let kept = executor_held.iter().map(|held| keep(held, ask.source_role()));
        footprint.executor_parts.extend(kept);
    } else {
        fit_executor(ask, &executor_held, pool, checks, &mut footprint);
    }
    let mut used = ports::Used::of_pod(ask.pod());
    let mut tasks: Vec<_> = ask.pod().tasks.iter().filter(|task| ask.launches(&task.name)).collect();
    planarium_kernel::sorted::sort_by(&mut tasks, |a, b| a.name.cmp(&b.name));
    for task in tasks {
        let set = &task.resource_set;
        let record = holder(stored, &task.name, &set.id);
        let held: Vec<Held> = record.map(|record| record.held.to_vec()).unwrap_or_default();
        let parts = fit_set(ask, set, held, pool, &mut used, checks, &mut footprint.release);
        footprint.sets.push(SetUse { task: task.clone(), launch: true, parts });
    }
    footprint
}

/// The record whose reservations a task uses: its own, or that of a task sharing the resource set.
fn holder<'a>(stored: &'a PodTasks, task: &str, set: &str) -> Option<&'a TaskRecord> {
    stored
        .values()
        .find(|record| *record.task == *task && !record.held.is_empty())
        .or_else(|| stored.values().find(|record| *record.set == *set && !record.held.is_empty()))
}

fn keep(held: &Held, role: &str) -> Part {
    Part { id: Some(held.id.clone()), kind: held.kind.clone(), change: Change::Keep, role: role.into() }
}

fn fit_executor(
    ask: &Ask<'_>,
    held: &[Held],
    pool: &mut Pool<'_>,
    checks: &mut Vec<Check>,
    footprint: &mut Footprint,
) {
    let mut left = held.to_vec();
    for spec in &ask.pod().volumes {
        let part = fit_volume(ask, spec, &mut left, pool, checks);
        footprint.executor_parts.extend(part);
    }
    let Overhead { cpus, mem, disk } = ask.overhead;
    for (name, value) in [("cpus", cpus), ("mem", mem), ("disk", disk)] {
        if value.is_positive() {
            let part = fit_scalar(ask, name, value, "the executor", &mut left, pool, checks);
            footprint.executor_parts.extend(part);
        }
    }
    release(left, pool, &mut footprint.release);
}

fn fit_set(
    ask: &Ask<'_>,
    set: &ResourceSet,
    mut left: Vec<Held>,
    pool: &mut Pool<'_>,
    used: &mut ports::Used,
    checks: &mut Vec<Check>,
    releases: &mut Vec<Held>,
) -> Vec<Part> {
    let mut parts = Vec::new();
    let owner = set_owner(set);
    let (fixed, dynamic): (Vec<_>, Vec<_>) = set.ports.iter().partition(|port| port.port != 0);
    let mut missing = Vec::new();
    for port in fixed.into_iter().chain(dynamic) {
        match claim(&mut left, |kind| is_port(kind, port)) {
            Some(held) if ask.pod().uses_host_ports() => {
                parts.extend(from_offer(&held, pool, checks, ask).map(|_| keep(&held, ask.source_role())));
            }
            Some(held) => {
                let change = Change::Unreserved;
                parts.push(Part { id: None, kind: held.kind, change, role: ask.source_role().into() });
            }
            None => missing.push(port),
        }
    }
    // Given back first, so that a port that changed owner within the pod can be taken again.
    for port in missing {
        parts.extend(ports::take(ask, pool, port, used, checks));
    }
    for (name, value) in scalars(set) {
        parts.extend(fit_scalar(ask, name, value, &owner, &mut left, pool, checks));
    }
    for spec in &set.volumes {
        parts.extend(fit_volume(ask, spec, &mut left, pool, checks));
    }
    release(left, pool, releases);
    parts
}

fn is_port(kind: &HeldKind, spec: &PortSpec) -> bool {
    match kind {
        HeldKind::Port { name, port } if spec.port == 0 => *name == spec.name && *port != 0,
        HeldKind::Port { port, .. } => *port == spec.port,
        _ => false,
    }
}

fn claim(left: &mut Vec<Held>, matches: impl Fn(&HeldKind) -> bool) -> Option<Held> {
    let at = left.iter().position(|held| matches(&held.kind))?;
    Some(left.remove(at))
}

/// Finds a reservation in the offer.
fn from_offer(held: &Held, pool: &mut Pool<'_>, checks: &mut Vec<Check>, ask: &Ask<'_>) -> Option<Offered> {
    let found = pool.take_held(&held.id, &held.kind);
    if found.is_some() {
        checks.push(Check::pass("reservation", offered_words(&held.kind)));
        return found;
    }
    match ask.home() {
        // Once says it for all of them.
        Some(home) if home != ask.hostname() => {
            if !checks.iter().any(|check| check.requirement == "reservation" && !check.passed) {
                checks.push(Check::fail("reservation", format!("its reservations are on {home}")));
            }
        }
        _ => {
            let what = words(&held.kind);
            checks.push(Check::fail("reservation", format!("its reserved {what} are not in the offer")));
        }
    }
    None
}

fn offered_words(kind: &HeldKind) -> Cow<'static, str> {
    match kind {
        HeldKind::Scalar { name, .. } if **name == *"cpus" => "its reserved cpus are offered".into(),
        HeldKind::Scalar { name, .. } if **name == *"mem" => "its reserved mem are offered".into(),
        HeldKind::Scalar { name, .. } if **name == *"disk" => "its reserved disk are offered".into(),
        kind => format!("its reserved {} are offered", words(kind)).into(),
    }
}

fn words(kind: &HeldKind) -> String {
    match kind {
        HeldKind::Scalar { name, .. } => name.to_string(),
        HeldKind::Port { port, .. } => format!("ports ({port})"),
        HeldKind::Volume { path, .. } => format!("disk contents ({path})"),
    }
}

fn fit_scalar(
    ask: &Ask<'_>,
    name: &'static str,
    value: Milli,
    whose: &str,
    left: &mut Vec<Held>,
    pool: &mut Pool<'_>,
    checks: &mut Vec<Check>,
) -> Option<Part> {
    let is_it = |kind: &HeldKind| matches!(kind, HeldKind::Scalar { name: held, .. } if **held == *name);
    let Some(held) = claim(left, is_it) else {
        return take_scalar(ask, pool, name, value, whose, checks);
    };
    let Some(Offered::Scalar { amount: offered, .. }) = from_offer(&held, pool, checks, ask) else {
        return None;
    };
    let role = ask.source_role();
    let change = match offered.cmp(&value) {
        Ordering::Equal => Change::Keep,
        Ordering::Greater => Change::Shrink(offered.saturating_sub(value)),
        Ordering::Less => {
            let more = value.saturating_sub(offered);
            let free = pool.free(role, name);
            if let Err(missing) = pool.take(role, name, more) {
                let text = format!(
                    "{whose} needs {} more, {free} left in the offer{}",
                    amount(name, more),
                    from(role)
                );
                checks.push(Check::short(name, text, missing));
                return None;
            }
            checks.push(Check::pass(name, format!("{whose} gets {} more", amount(name, more))));
            Change::Grow(more)
        }
    };
    Some(Part { id: Some(held.id), kind: scalar(name, value), change, role: role.into() })
}

fn fit_volume(
    ask: &Ask<'_>,
    spec: &VolumeSpec,
    left: &mut Vec<Held>,
    pool: &mut Pool<'_>,
    checks: &mut Vec<Check>,
) -> Option<Part> {
    let is_it = |kind: &HeldKind| matches!(kind, HeldKind::Volume { path, .. } if *path == spec.path);
    match claim(left, is_it) {
        Some(held) => from_offer(&held, pool, checks, ask).map(|_| keep(&held, ask.source_role())),
        None => take_volume(ask, pool, spec, checks),
    }
}

/// What is no longer needed is given back as far as the offer holds it.
fn release(left: Vec<Held>, pool: &mut Pool<'_>, releases: &mut Vec<Held>) {
    for held in left {
        if let Some(offered) = pool.take_held(&held.id, &held.kind) {
            let kind = match (held.kind, offered) {
                (HeldKind::Scalar { name, .. }, Offered::Scalar { amount, .. }) => {
                    HeldKind::Scalar { name, amount }
                }
                (kind, _) => kind,
            };
            releases.push(Held { id: held.id, kind });
        }
    }
}

/// Whether any stored task of the pod has a reservation.
pub(super) fn has_reservations(stored: &PodTasks) -> bool {
    stored.values().any(|task| task.held.iter().any(|held| !held.id.is_empty()))
}

/// Where the pod's reservations are.
pub(crate) fn home(stored: &PodTasks) -> Option<&Text> {
    stored.values().find(|task| !task.held.is_empty()).map(|task| &task.at.hostname)
}
