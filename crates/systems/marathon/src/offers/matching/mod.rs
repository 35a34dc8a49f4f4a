//! Matches an offer with a spec, and returns the resources that a task would take.
//!
//! *Knows*: one offer and one spec. *Must not know*: queues, tokens, back-off; who is launched.
//!
//! **Source**: `marathon: mesosphere/mesos/ResourceMatcher.scala, RunSpecOfferMatcher.scala, NoOfferMatchReason.scala`. Match.

pub(crate) mod constraints;
pub(crate) mod disks;
pub(crate) mod ports;
pub(crate) mod reservation;

use crate::definition::RunSpec;
use crate::definition::peek::Peek;
use crate::definition::spec::ConstraintField;
use crate::instances::instance::Instance;
use crate::settings::Settings;
use planarium_kernel::{Milli, SimTime};
use planarium_mesos::api::{Offer, Resource, Resources};
use planarium_protocol::Text;
use std::sync::Arc;

/// Why an offer was not used, in the order in which it counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Reject {
    Role,
    Constraint,
    NoReservation,
    Maintenance,
    Cpus,
    Mem,
    Disk,
    Gpus,
    Ports,
    ScarceGpus,
}

impl Reject {
    /// All of them, in order.
    pub(crate) const ALL: [Self; 10] = [
        Self::Role,
        Self::Constraint,
        Self::NoReservation,
        Self::Maintenance,
        Self::Cpus,
        Self::Mem,
        Self::Disk,
        Self::Gpus,
        Self::Ports,
        Self::ScarceGpus,
    ];

    /// As answers write it.
    pub(crate) const fn as_str(self) -> &'static str {
        match self {
            Self::Role => "UnfulfilledRole",
            Self::Constraint => "UnfulfilledConstraint",
            Self::NoReservation => "NoCorrespondingReservationFound",
            Self::Maintenance => "AgentMaintenance",
            Self::Cpus => "InsufficientCpus",
            Self::Mem => "InsufficientMemory",
            Self::Disk => "InsufficientDisk",
            Self::Gpus => "InsufficientGpus",
            Self::Ports => "InsufficientPorts",
            Self::ScarceGpus => "DeclinedScarceResources",
        }
    }
}

/// Which resources of an offer may be used.
#[derive(Clone, Debug)]
pub(crate) struct Selector<'a> {
    /// Roles that they may be reserved for.
    pub(crate) roles: Vec<&'a str>,
    /// Reserved for this instance of this framework; reserved for no instance without.
    pub(crate) labels: Option<(&'a str, &'a str)>,
}

impl Selector<'_> {
    /// Returns whether a resource may be used.
    pub(crate) fn takes(&self, resource: &Resource) -> bool {
        let marked = match self.labels {
            Some((framework, instance)) => reservation::is_for(resource, framework, instance),
            None => !reservation::is_marked(resource),
        };
        resource.persistence().is_none() && self.roles.contains(&resource.role()) && marked
    }
}

/// Key of random choices.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Luck {
    /// The seed of the world.
    pub(crate) seed: u64,
    /// Who draws: an attempt of an instance.
    pub(crate) entity: u64,
}

/// Context of a match.
pub(crate) struct Around<'a> {
    pub(crate) settings: &'a Settings,
    /// Flags of the process count from there.
    pub(crate) epoch_ms: u64,
    pub(crate) now: SimTime,
    /// The master's own region.
    pub(crate) region: Option<&'a Text>,
    /// Placed instances, asked for where the spec has constraints.
    pub(crate) placed: &'a dyn Fn() -> Vec<Arc<Instance>>,
    /// An existing volume there makes up for GPUs that are not requested.
    pub(crate) has_volume: bool,
    /// Key of random choices.
    pub(crate) luck: Luck,
}

/// Resources that a task would take of an offer.
#[derive(Clone, Debug, Default)]
pub(crate) struct Match {
    /// Scalars and ports.
    pub(crate) resources: Vec<Resource>,
    /// Ports by place in the definition.
    pub(crate) ports: Vec<Option<u32>>,
    /// Disk for volumes, by place in the definition; not among `resources`.
    pub(crate) volumes: Vec<(usize, Resource)>,
}

/// Why an offer does not suit.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Mismatch {
    /// In the order in which they were found; perhaps none is named.
    pub(crate) reasons: Vec<Reject>,
    /// The first constraint that does not hold.
    pub(crate) constraint: Option<u32>,
    /// Only the region is wrong, which has no name of its own.
    pub(crate) region: bool,
}

impl Mismatch {
    /// The reason that counts.
    pub(crate) fn first(&self) -> Option<Reject> {
        self.reasons.iter().copied().min()
    }
}

/// Matches the rest of an offer with a spec. `reserve` also looks for disk for its volumes.
pub(crate) fn match_offer(
    offer: &Offer,
    left: &Resources,
    spec: &RunSpec,
    selector: &Selector<'_>,
    reserve: bool,
    around: &Around<'_>,
) -> Result<Match, Mismatch> {
    let def = &spec.def;
    let mut found = Match::default();
    let mut wrong = Mismatch::default();
    let mut usable: Vec<&Resource> = Vec::with_capacity(left.len());
    usable.extend(left.iter().filter(|resource| selector.takes(resource)));
    for (name, amount, reject) in [
        ("cpus", def.needs.cpus, Reject::Cpus),
        ("mem", def.needs.mem, Reject::Mem),
        ("gpus", def.needs.gpus, Reject::Gpus),
    ] {
        if amount.is_positive() && !consume(&usable, name, amount, &mut found.resources) {
            wrong.reasons.push(reject);
        }
    }
    if !disks::consume(&usable, spec, reserve, &mut found) {
        wrong.reasons.push(Reject::Disk);
    }
    if usable.is_empty() {
        wrong.reasons.push(Reject::Role);
    }
    wrong.region = !suits_region(offer, spec, around);
    if !def.constraints.is_empty() {
        let placed = (around.placed)();
        let kept: Vec<&Instance> = placed
            .iter()
            .map(|instance| &**instance)
            .filter(|instance| instance.version() >= spec.version.changed)
            .collect();
        let mut all = def.constraints.iter();
        let broken = all.position(|constraint| !constraints::holds(constraint, offer, &kept));
        wrong.constraint = broken.and_then(|at| u32::try_from(at).ok());
        if wrong.constraint.is_some() {
            wrong.reasons.push(Reject::Constraint);
        }
    }
    if around.settings.maintenance && !is_available(offer, around) {
        wrong.reasons.extend([Reject::Constraint, Reject::Maintenance]);
    }
    if wastes_gpus(left, spec, around) {
        wrong.reasons.push(Reject::ScarceGpus);
    }
    if !wrong.reasons.is_empty() || wrong.region {
        return Err(wrong);
    }
    match ports::choose(&def.ports, &usable, around.luck, &mut found.resources) {
        Some(ports) => Ok(Match { ports, ..found }),
        None => Err(Mismatch { reasons: vec![Reject::Ports], ..Mismatch::default() }),
    }
}

/// Takes an amount of a scalar, from one resource after the other.
fn consume(usable: &[&Resource], name: &str, amount: Milli, into: &mut Vec<Resource>) -> bool {
    let mut left = amount;
    let before = into.len();
    for resource in usable.iter().filter(|resource| *resource.name == *name) {
        let part = left.min(resource.amount());
        if part.is_positive() {
            into.push(resource.with_scalar(part));
            left = left.saturating_sub(part);
        }
        if !left.is_positive() {
            return true;
        }
    }
    into.truncate(before);
    false
}

/// Agents in other regions are used only by specs with a constraint on regions or zones.
fn suits_region(offer: &Offer, spec: &RunSpec, around: &Around<'_>) -> bool {
    let asks = spec
        .def
        .constraints
        .iter()
        .any(|constraint| matches!(constraint.field, ConstraintField::Region | ConstraintField::Zone));
    asks || offer.region.is_none() || offer.region.as_ref() == around.region
}

/// Returns whether the agent's machine is not about to go away, or away.
///
/// **Source**: `marathon: mesosphere/mesos/Availability.scala`. Match.
fn is_available(offer: &Offer, around: &Around<'_>) -> bool {
    let Some(window) = offer.unavailability else { return true };
    let now = i128::from(around.epoch_ms.saturating_add(around.now.ms())) * 1_000_000;
    let start = i128::from(window.start_ns);
    let draining = i128::from(around.settings.draining_ms) * 1_000_000;
    if now <= start - draining {
        return true;
    }
    window.duration_ns.is_some_and(|length| now > start + i128::from(length))
}

/// Returns whether agents with GPUs are kept for others.
fn wastes_gpus(left: &Resources, spec: &RunSpec, around: &Around<'_>) -> bool {
    let has_gpus = |resource: &Resource| &*resource.name == "gpus" && resource.amount().is_positive();
    if !spec.def.needs.gpus.is_zero() || around.has_volume || !left.iter().any(has_gpus) {
        return false;
    }
    let own = spec.def.json.object("labels").map(|labels| labels.word("GPU_SCHEDULING_BEHAVIOR"));
    match own {
        Some("restricted") => true,
        Some("unrestricted") => false,
        _ => around.settings.gpus_kept,
    }
}
