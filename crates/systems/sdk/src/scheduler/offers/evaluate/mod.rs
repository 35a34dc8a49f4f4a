//! Evaluates an offer for a step: every requirement with its outcome, and the resulting operations.
//!
//! *Knows*: a pod's needs, its stored tasks, one offer. *Must not know*: plans, cycles, other offers.
//!
//! All stages are checked for every offer; a failing stage fails the offer. Nothing is drawn or stored until the
//! offer is used ([`build`]).
//!
//! **Source**: `dcos-commons: …/offer/evaluate/OfferEvaluator.java`. Match.

pub(crate) mod build;
pub(crate) mod check_text;
pub(crate) mod environment;
pub(crate) mod existing;
pub(crate) mod footprint;
pub(crate) mod new_footprint;
pub(crate) mod outcome;
pub(crate) mod pool;
pub(crate) mod ports;

use crate::placement::OfferFacts;
use crate::scheduler::requirement::{Recovery, Requirement};
use crate::scheduler::state::{PodTasks, TaskStore};
use crate::spec::PodSpec;
use check_text::Words;
use footprint::Footprint;
use outcome::{Check, Outcome};
use planarium_kernel::{Milli, SimTime};
use planarium_mesos::api::Offer;
use planarium_protocol::Text;
use pool::Pool;
use std::collections::BTreeMap;

/// Demand of an executor for itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Overhead {
    /// CPUs.
    pub(crate) cpus: Milli,
    /// Memory in MiB.
    pub(crate) mem: Milli,
    /// Disk in MiB.
    pub(crate) disk: Milli,
}

impl Overhead {
    /// From the scheduler's environment, or the real defaults.
    pub(crate) fn from_env(env: &BTreeMap<String, String>) -> Self {
        let read = |key: &str, default: Milli| {
            env.get(key).and_then(|text| Milli::parse(text).ok()).filter(|v| v.0 >= 0).unwrap_or(default)
        };
        Self {
            cpus: read("EXECUTOR_CPUS", Milli(100)),
            mem: read("EXECUTOR_MEM_MB", Milli::from_int(32)),
            disk: read("EXECUTOR_DISK_MB", Milli::from_int(256)),
        }
    }
}

/// One offer looked at for one requirement.
#[derive(Clone, Copy)]
pub(crate) struct Ask<'a> {
    /// Requirement to launch.
    pub(crate) requirement: &'a Requirement,
    /// The offer.
    pub(crate) offer: &'a Offer,
    /// All stored tasks.
    pub(crate) tasks: &'a TaskStore,
    /// Demand of an executor for itself.
    pub(crate) overhead: Overhead,
    /// The service's role.
    pub(crate) service_role: &'a Text,
    /// Region of the master.
    pub(crate) master_region: Option<&'a Text>,
}

impl<'a> Ask<'a> {
    /// The pod's definition.
    pub(crate) fn pod(&self) -> &'a PodSpec {
        &self.requirement.pod.spec
    }

    /// Returns whether a task of the pod will be launched.
    pub(crate) fn launches(&self, task: &str) -> bool {
        self.requirement.tasks.iter().any(|name| **name == *task)
    }

    /// Static role the resources are taken from, `*` usually.
    pub(crate) fn source_role(&self) -> &'a Text {
        &self.pod().pre_reserved_role
    }

    /// The role resources are reserved for.
    pub(crate) fn role(&self) -> Text {
        reservation_role(self.pod(), self.service_role)
    }

    /// Returns whether the pod is permanently lost and replaced.
    pub(crate) fn is_permanent(&self) -> bool {
        self.requirement.recovery == Recovery::Permanent
    }

    /// The stored tasks of the pod instance.
    pub(crate) fn stored(&self) -> Option<&'a PodTasks> {
        self.tasks.pod(&self.requirement.key)
    }

    /// Hostname of the offer.
    pub(crate) fn hostname(&self) -> &'a Text {
        &self.offer.hostname
    }

    /// Checks the placement rule.
    pub(crate) fn place(&self, checks: &mut Vec<Check>) {
        let rule = &self.requirement.pod.rule;
        let facts = OfferFacts {
            hostname: self.offer.hostname.clone(),
            agent: self.offer.agent_id.clone(),
            attributes: self.offer.attributes.clone(),
            region: self.offer.region.clone(),
            zone: self.offer.zone.clone(),
            master_region: self.master_region.cloned(),
        };
        let here;
        let tasks = if rule.counts_elsewhere() {
            self.tasks.placement_facts()
        } else if !rule.counts() {
            &[][..]
        } else {
            here = self.tasks.placement_facts_on_host(&self.offer.hostname);
            &here
        };
        let key = &self.requirement.key;
        let outcome = rule.evaluate(&facts, tasks, &key.pod, key.index);
        checks.push(Check {
            requirement: "placement",
            passed: outcome.passed,
            text: outcome.text.into(),
            short: Milli::ZERO,
        });
    }
}

/// The machine a pod's reservations tie it to, if they do.
pub(crate) fn home_of(requirement: &Requirement, tasks: &TaskStore) -> Option<Text> {
    let stored = tasks.pod(&requirement.key)?.known_to(&requirement.pod.spec);
    let lost = stored.values().all(|task| task.permanently_failed);
    let tied = requirement.recovery != Recovery::Permanent && !lost;
    existing::home(&stored).filter(|_| tied).cloned()
}

/// The role a pod's resources are reserved for: the service's, below the static role if there is one.
pub(crate) fn reservation_role(pod: &PodSpec, service_role: &Text) -> Text {
    if *pod.pre_reserved_role == *"*" {
        service_role.clone()
    } else {
        format!("{}/{service_role}", pod.pre_reserved_role).into()
    }
}

/// Evaluates one offer. Returns a footprint if every requirement is met. `checks` is a buffer: an outcome keeps an
/// exactly sized list.
pub(crate) fn evaluate(ask: &Ask<'_>, now: SimTime, checks: &mut Vec<Check>) -> (Outcome, Option<Footprint>) {
    checks.clear();
    let stored = ask.stored().map(|stored| stored.known_to(ask.pod()));
    let mut pool = Pool::of(ask.offer);
    let role = ask.role();
    if *ask.offer.role == *role {
        checks.push(Check::pass("role", Words::Role(role)));
    } else {
        let text = format!("the offer is for role {}, the pod reserves for {role}", ask.offer.role);
        checks.push(Check::fail("role", text));
    }
    let footprint = match stored.as_deref() {
        Some(stored) if !needs_new(ask, stored) => existing::fit(ask, stored, &mut pool, checks),
        _ => new_footprint::fit(ask, &mut pool, checks),
    };
    let passed = checks.iter().all(|check| check.passed);
    let mut kept = Vec::with_capacity(checks.len());
    kept.append(checks);
    let outcome = Outcome { agent: ask.offer.hostname.clone(), at: now, passed, checks: kept };
    (outcome, passed.then_some(footprint))
}

/// Returns whether a pod is placed anew: it is recovered as lost, all its tasks are flagged as lost, or it has no
/// reservations.
pub(crate) fn needs_new(ask: &Ask<'_>, stored: &PodTasks) -> bool {
    let flagged = stored.values().all(|task| task.permanently_failed);
    ask.is_permanent() || flagged || !existing::has_reservations(stored)
}
