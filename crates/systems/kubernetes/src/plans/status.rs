//! The status of a workload and of its phases, derived from its object.
//!
//! *Cost*: the number of phases, however many pods there are.

use planarium_kube::{KindId, Object};
use planarium_protocol::Text;
use planarium_protocol::view::Progress;
use serde_json::Value;

use super::member::{Member, Part};
use super::words::pod_word;

/// Statuses and counts of a member.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct MemberStatus {
    /// The status; empty before the first sync.
    pub(crate) status: &'static str,
    /// Number of up-to-date pods, and of requested ones.
    pub(crate) progress: Progress,
    /// Its phases, in their order.
    pub(crate) phases: Vec<PhaseStatus>,
}

/// A phase.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct PhaseStatus {
    /// Name.
    pub(crate) name: Text,
    /// Status.
    pub(crate) status: &'static str,
    /// Number of up-to-date pods, and of requested ones.
    pub(crate) progress: Progress,
}

impl MemberStatus {
    /// Reads them off a member.
    pub(crate) fn of(member: &Member) -> Self {
        let Some(object) = &member.object else {
            let status = match (&member.refused, member.kind) {
                (Some(_), _) => "NotApplied",
                (None, Some(_)) => "Deleted",
                (None, None) => "Pending",
            };
            return Self { status, ..Self::default() };
        };
        let status = if member.refused.is_some() { "NotApplied" } else { status(member, object) };
        let progress = progress(object, status);
        let one = |name: &str| vec![PhaseStatus { name: name.into(), status, progress }];
        let phases = match object.kind {
            KindId::DEPLOYMENT => revisions(member, status, progress),
            KindId::CRON_JOB => runs(member),
            KindId::DAEMON_SET => one("nodes"),
            KindId::POD => one("containers"),
            KindId::STATEFUL_SET | KindId::JOB | KindId::REPLICA_SET => one("pods"),
            _ => Vec::new(),
        };
        Self { status, progress, phases }
    }

    /// The status of a phase.
    pub(crate) fn phase(&self, name: &str) -> Option<&PhaseStatus> {
        self.phases.iter().find(|phase| *phase.name == *name)
    }
}

/// The word of an object.
fn status(member: &Member, object: &Object) -> &'static str {
    if object.is_being_deleted() {
        return "Terminating";
    }
    match object.kind {
        KindId::DEPLOYMENT => deployment(object),
        KindId::STATEFUL_SET => stateful_set(object),
        KindId::DAEMON_SET => daemon_set(object),
        KindId::REPLICA_SET => replica_set(object),
        KindId::JOB => job(object),
        KindId::CRON_JOB => cron_job(member, object),
        KindId::POD => match pod_word(object) {
            "Ready" | "Completed" => "Complete",
            "Pending" => "Pending",
            "Error" | "OOMKilled" | "Evicted" | "DeadlineExceeded" => match object.pod() {
                Some(facts) if *facts.phase == *"Failed" => "Failed",
                _ => "Progressing",
            },
            _ => "Progressing",
        },
        _ => super::objects::word(object),
    }
}

fn flag(object: &Object, key: &str) -> bool {
    object.content().get("spec").and_then(|spec| spec.get(key)).and_then(Value::as_bool).unwrap_or(false)
}

/// The order of the rules is that of `kubectl rollout status`, with the pause before progress.
fn deployment(object: &Object) -> &'static str {
    let Some(facts) = object.deployment() else { return "Pending" };
    if facts.observed_generation < facts.generation {
        return "Pending";
    }
    if facts.progressing.as_ref().is_some_and(|one| *one.reason == *"ProgressDeadlineExceeded") {
        return "ProgressDeadlineExceeded";
    }
    let wanted = facts.spec_replicas;
    if facts.updated_replicas >= wanted
        && facts.replicas <= facts.updated_replicas
        && facts.available_replicas >= facts.updated_replicas
    {
        return "Complete";
    }
    if flag(object, "paused") {
        return "Paused";
    }
    let failing = object.condition("ReplicaFailure").is_some_and(|one| *one.status == *"True");
    if failing { "ReplicaFailure" } else { "Progressing" }
}

fn stateful_set(object: &Object) -> &'static str {
    let Some(facts) = object.stateful_set() else { return "Pending" };
    if facts.observed_generation < facts.generation {
        return "Pending";
    }
    let wanted = facts.spec_replicas;
    let fresh = wanted.saturating_sub(facts.partition.unwrap_or(0));
    let updated = facts.current_revision == facts.update_revision || facts.updated_replicas >= fresh;
    match (facts.ready_replicas >= wanted && facts.replicas <= wanted, updated) {
        (true, true) => "Complete",
        (true, false) if *facts.update_strategy == *"OnDelete" => "OnDelete",
        _ => "Progressing",
    }
}

fn daemon_set(object: &Object) -> &'static str {
    let Some(facts) = object.daemon_set() else { return "Pending" };
    if facts.observed_generation < facts.generation {
        return "Pending";
    }
    match (facts.available >= facts.desired, facts.updated >= facts.desired) {
        (true, true) => "Complete",
        (true, false) if *facts.update_strategy == *"OnDelete" => "OnDelete",
        _ => "Progressing",
    }
}

fn replica_set(object: &Object) -> &'static str {
    let Some(facts) = object.replica_set() else { return "Pending" };
    if facts.observed_generation < facts.generation {
        return "Pending";
    }
    if facts.available_replicas >= facts.spec_replicas && facts.replicas <= facts.spec_replicas {
        return "Complete";
    }
    let failing = object.condition("ReplicaFailure").is_some_and(|one| *one.status == *"True");
    if failing { "ReplicaFailure" } else { "Progressing" }
}

fn job(object: &Object) -> &'static str {
    let Some(facts) = object.job() else { return "Pending" };
    match () {
        () if facts.failure.is_some() => "Failed",
        () if facts.complete.is_some() => "Complete",
        () if flag(object, "suspend") => "Suspended",
        () if facts.active == 0 && facts.succeeded == 0 && facts.failed == 0 => "Pending",
        () => "Progressing",
    }
}

fn cron_job(member: &Member, object: &Object) -> &'static str {
    let is_open =
        |job: &Object| job.job().is_some_and(|facts| facts.complete.is_none() && facts.failure.is_none());
    if member.makers(KindId::JOB).any(|part| is_open(&part.object)) {
        return "Progressing";
    }
    if flag(object, "suspend") { "Suspended" } else { "Scheduled" }
}

/// Returns the up-to-date pods out of the requested ones.
fn progress(object: &Object, status: &str) -> Progress {
    let of = |done: u32, total: u32| Progress { done: done.min(total), total };
    if let Some(facts) = object.deployment() {
        let old = facts.replicas.saturating_sub(facts.updated_replicas);
        let fresh = facts.available_replicas.saturating_sub(old).min(facts.updated_replicas);
        let done = if status == "Complete" { facts.spec_replicas } else { fresh };
        return of(done, facts.spec_replicas);
    }
    if let Some(facts) = object.stateful_set() {
        let is_one = facts.current_revision == facts.update_revision;
        let kept = facts.partition.unwrap_or(0).min(facts.spec_replicas);
        let done = match (status, is_one) {
            ("Complete", _) => facts.spec_replicas,
            (_, true) => facts.ready_replicas,
            _ => facts.ready_replicas.min(facts.updated_replicas.saturating_add(kept)),
        };
        return of(done, facts.spec_replicas);
    }
    if let Some(facts) = object.daemon_set() {
        return of(facts.available.min(facts.updated), facts.desired);
    }
    if let Some(facts) = object.replica_set() {
        return of(facts.available_replicas, facts.spec_replicas);
    }
    if let Some(facts) = object.job() {
        let total = facts.completions.unwrap_or_else(|| facts.parallelism.max(1));
        return of(if status == "Complete" { total } else { facts.succeeded }, total);
    }
    if let Some(facts) = object.pod() {
        let done = if *facts.phase == *"Succeeded" { facts.containers } else { facts.ready_containers };
        return of(done, facts.containers);
    }
    Progress::default()
}

/// Revisions of a Deployment: the newest has the status of the whole.
fn revisions(member: &Member, status: &'static str, whole: Progress) -> Vec<PhaseStatus> {
    let mut sets: Vec<_> = member.makers(KindId::REPLICA_SET).collect();
    planarium_kernel::sorted::sort_by_key(&mut sets, |part| (part.revision, part.object.no));
    let newest = sets.len().saturating_sub(1);
    let phase = |(at, part): (usize, &Part)| {
        let set = &part.object;
        let replicas = set.replica_set().map_or(0, |facts| facts.replicas.max(facts.spec_replicas));
        let (status, progress) = if at == newest {
            // A change that the controller has not seen yet has no status.
            if status == "Pending" { (replica_set(set), progress(set, "")) } else { (status, whole) }
        } else if replicas == 0 {
            ("Superseded", Progress::default())
        } else {
            ("ScalingDown", Progress { done: 0, total: replicas })
        };
        PhaseStatus { name: part.phase.clone(), status, progress }
    };
    sets.iter().copied().enumerate().map(phase).collect()
}

/// Runs of a CronJob.
fn runs(member: &Member) -> Vec<PhaseStatus> {
    let phase = |job: &Object| {
        let status = if job.is_being_deleted() { "Terminating" } else { self::job(job) };
        PhaseStatus { name: job.name.clone(), status, progress: progress(job, status) }
    };
    member.makers(KindId::JOB).map(|part| phase(&part.object)).collect()
}
