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

use super::check_text::{Available, Need, Whose, Words};
use super::footprint::{Change, ExecutorUse, Footprint, Part, SetParts, SetUse, scalar};
use super::new_footprint::{by_name, overhead, scalars, set_owner, take_scalar, take_volume};
use super::outcome::Check;
use super::pool::Pool;
use super::{Ask, ports};
use crate::scheduler::state::{Held, HeldKind, PodTasks, TaskRecord};
use crate::spec::{PortSpec, ResourceSet, VolumeSpec};
use planarium_kernel::Milli;
use planarium_mesos::api::Resource;
use planarium_protocol::Text;
use std::cmp::Ordering;

/// State shared by the stages: the rest of the offer, and the findings.
struct Fitting<'a, 'b> {
    ask: &'a Ask<'a>,
    /// The pod's stored tasks.
    stored: &'a PodTasks,
    pool: &'b mut Pool<'a>,
    checks: &'b mut Vec<Check>,
    /// Room for the reservations that are not claimed yet.
    left: Vec<&'a Held>,
}

/// Checks every stage and collects what would be kept and changed.
pub(crate) fn fit<'a>(
    ask: &'a Ask<'a>,
    stored: &'a PodTasks,
    pool: &mut Pool<'a>,
    checks: &mut Vec<Check>,
) -> Footprint {
    let running = stored.values().find(|task| task.is_active() && !task.executor_id.is_empty());
    let mut footprint = Footprint::new(match running {
        Some(task) => ExecutorUse::Running(task.executor_id.clone()),
        None => ExecutorUse::New,
    });
    let executor_held = stored.values().map(|task| &*task.executor).find(|held| !held.is_empty());
    let executor_held = executor_held.unwrap_or_default();
    match running {
        Some(task) if pool.executors().contains(&task.executor_id) => {
            checks.push(Check::pass("executor", Words::Executor(task.name.clone())));
            // In use by the running executor: neither offered nor needed again.
            footprint.executor_parts.extend(executor_held.iter().map(|held| kept_part(held, None)));
        }
        Some(task) => {
            let (task, host) = (task.name.clone(), task.at.hostname.clone());
            checks.push(Check::fail("executor", Words::ExecutorElsewhere { task, host }));
        }
        None => checks.push(Check::pass("executor", "a new executor")),
    }
    if ask.is_permanent() {
        ask.place(checks);
    }
    let mut fitting = Fitting { ask, stored, pool, checks, left: Vec::new() };
    if running.is_none() {
        fitting.executor(executor_held, &mut footprint);
    }
    let mut used = ports::Used::of_pod(ask.pod());
    let tasks = &ask.pod().tasks;
    let launched = by_name(tasks.iter().filter(|task| ask.launches(&task.name)).cloned());
    footprint.sets.reserve_exact(launched.len());
    for task in launched {
        let set = &task.resource_set;
        let held = holder(stored, &task.name, &set.id).map_or(&[][..], |record| &*record.held);
        let parts = SetParts::Own(fitting.set(set, held, &mut used, &mut footprint.release));
        let (first, id) = (footprint.sets.len(), set.id.clone());
        footprint.sets.push(SetUse { task, launch: true, parts });
        // Other tasks that use the set are stored again with its changed reservations.
        let others = tasks.iter().filter(|other| other.resource_set.id == id && !ask.launches(&other.name));
        let stub = |other| SetUse { task: other, launch: false, parts: SetParts::Of(first) };
        footprint.sets.extend(others.cloned().map(stub));
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

fn kept_part(held: &Held, offered: Option<&Resource>) -> Part {
    let stack = offered.map(|resource| resource.reservations.clone());
    Part { id: Some(held.id.clone()), kind: held.kind.clone(), change: Change::Keep, stack }
}

impl<'a> Fitting<'a, '_> {
    fn executor(&mut self, held: &'a [Held], footprint: &mut Footprint) {
        let mut left = self.all(held);
        for spec in &self.ask.pod().volumes {
            footprint.executor_parts.extend(self.volume(spec, &mut left));
        }
        for (name, value) in overhead(self.ask.overhead) {
            if let Some(part) = self.scalar(name, value, &Whose::Executor, &mut left) {
                footprint.executor_parts.push(part);
            }
        }
        self.release(left, &mut footprint.release);
    }

    fn set(
        &mut self,
        set: &ResourceSet,
        held: &'a [Held],
        used: &mut ports::Used,
        releases: &mut Vec<Held>,
    ) -> Vec<Part> {
        let mut left = self.all(held);
        let mut parts = Vec::new();
        let owner = set_owner(set);
        let (fixed, dynamic): (Vec<_>, Vec<_>) = set.ports.iter().partition(|port| port.port != 0);
        let mut missing = Vec::new();
        for port in fixed.into_iter().chain(dynamic) {
            match claim(&mut left, |kind| is_port(kind, port)) {
                Some(held) if self.ask.pod().uses_host_ports() => {
                    parts.extend(self.offered(held).map(|offered| kept_part(held, Some(offered))));
                }
                Some(held) => {
                    let (kind, change) = (held.kind.clone(), Change::Unreserved);
                    parts.push(Part { id: None, kind, change, stack: None });
                }
                None => missing.push(port),
            }
        }
        // Given back first, so that a port that changed owner within the pod can be taken again.
        for port in missing {
            parts.extend(ports::take(self.ask, self.pool, port, used, self.checks));
        }
        for (name, value) in scalars(set) {
            if let Some(part) = self.scalar(name, value, &owner, &mut left) {
                parts.push(part);
            }
        }
        for spec in &set.volumes {
            parts.extend(self.volume(spec, &mut left));
        }
        self.release(left, releases);
        parts
    }

    fn scalar(
        &mut self,
        name: &'static str,
        value: Milli,
        whose: &Whose,
        left: &mut Vec<&Held>,
    ) -> Option<Part> {
        let is_it = |kind: &HeldKind| matches!(kind, HeldKind::Scalar { name: held, .. } if **held == *name);
        let Some(held) = claim(left, is_it) else {
            return take_scalar(self.ask, self.pool, name, value, whose, self.checks);
        };
        let resource = self.offered(held)?;
        let offered = resource.amount();
        let change = match offered.cmp(&value) {
            Ordering::Equal => Change::Keep,
            Ordering::Greater => Change::Shrink(offered.saturating_sub(value)),
            Ordering::Less => {
                let more = value.saturating_sub(offered);
                let role = self.ask.source_role();
                let need = Need { whose: whose.clone(), name, value: more };
                if let Err(short) = self.pool.take(role, name, more) {
                    let words = Words::LacksMore(need, Available::of(short.free, role));
                    self.checks.push(Check::short(name, words, short.missing));
                    return None;
                }
                self.checks.push(Check::pass(name, Words::GetsMore(need)));
                Change::Grow(more)
            }
        };
        let stack = Some(resource.reservations.clone());
        Some(Part { id: Some(held.id.clone()), kind: scalar(name, value), change, stack })
    }

    fn volume(&mut self, spec: &VolumeSpec, left: &mut Vec<&Held>) -> Option<Part> {
        let is_it = |kind: &HeldKind| matches!(kind, HeldKind::Volume { path, .. } if *path == spec.path);
        match claim(left, is_it) {
            Some(held) => self.offered(held).map(|offered| kept_part(held, Some(offered))),
            None => take_volume(self.ask, self.pool, spec, self.checks),
        }
    }

    /// Finds a reservation in the offer.
    fn offered(&mut self, held: &Held) -> Option<&'a Resource> {
        let found = self.pool.take_held(&held.id, &held.kind);
        if found.is_some() {
            self.checks.push(Check::pass("reservation", Words::Offered((&held.kind).into())));
            return found;
        }
        match home(self.stored) {
            // One check reports all of them.
            Some(home) if home != self.ask.hostname() => {
                let told = |check: &Check| !check.passed && check.requirement == "reservation";
                if !self.checks.iter().any(told) {
                    self.checks.push(Check::fail("reservation", Words::Elsewhere(home.clone())));
                }
            }
            _ => {
                let words = Words::NotOffered((&held.kind).into());
                self.checks.push(Check::fail("reservation", words));
            }
        }
        None
    }

    /// All reservations of a list, to be claimed one by one.
    fn all(&mut self, held: &'a [Held]) -> Vec<&'a Held> {
        let mut left = std::mem::take(&mut self.left);
        left.extend(held);
        left
    }

    /// Releases resources that are no longer needed, as far as the offer contains them.
    fn release(&mut self, mut left: Vec<&'a Held>, releases: &mut Vec<Held>) {
        for held in left.drain(..) {
            if let Some(offered) = self.pool.take_held(&held.id, &held.kind) {
                let kind = match &held.kind {
                    HeldKind::Scalar { name, .. } => {
                        HeldKind::Scalar { name: name.clone(), amount: offered.amount() }
                    }
                    kind => kind.clone(),
                };
                releases.push(Held { id: held.id.clone(), kind });
            }
        }
        self.left = left;
    }
}

fn is_port(kind: &HeldKind, spec: &PortSpec) -> bool {
    match kind {
        HeldKind::Port { name, port } if spec.port == 0 => *name == spec.name && *port != 0,
        HeldKind::Port { port, .. } => *port == spec.port,
        _ => false,
    }
}

fn claim<'h>(left: &mut Vec<&'h Held>, matches: impl Fn(&HeldKind) -> bool) -> Option<&'h Held> {
    let at = left.iter().position(|held| matches(&held.kind))?;
    Some(left.remove(at))
}

/// Tells if any stored task of the pod has a reservation.
pub(super) fn has_reservations(stored: &PodTasks) -> bool {
    stored.values().any(|task| task.held.iter().any(|held| !held.id.is_empty()))
}

/// The machine of the pod's reservations.
pub(crate) fn home(stored: &PodTasks) -> Option<&Text> {
    stored.values().find(|task| !task.held.is_empty()).map(|task| &task.at.hostname)
}
