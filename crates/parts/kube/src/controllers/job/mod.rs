//! Jobs: pods that run to completion, with a total and a parallelism.
//!
//! Source: `kubernetes/kubernetes: pkg/controller/job/{job_controller,utils,backoff_utils,indexed_job_utils}.go`,
//! `pkg/controller/ttlafterfinished` (1.29); match for completions, back-off, deadline, suspension and indexes. A succeeded or failed
//! pod stays counted after its deletion, unless another pod ends the same way in the same instant; pod failure policies and limits by
//! index are stored, without effect.

mod indexes;
#[cfg(test)]
pub(crate) mod tables;

use super::pods::{self, BURST, source};
use crate::{
    cluster::Cluster,
    kinds::KindId,
    object::Object,
    records::queue::{Timer, Work},
    records::store::Store,
    records::workloads::{PodTally, Workloads},
    request::{DeleteOptions, Propagation, Written},
    spec::{
        Spec,
        pod::{PodOwn, Restart},
        workload::{INDEX, JobSpec, PodTemplate},
    },
    status::{Cond, JobStatus, Status, Tri},
};
use indexes::Indexes;
use planarium_ground::Cx;
use planarium_protocol::Text;
use std::sync::Arc;

const BACKOFF_MS: u64 = 10_000;
const BACKOFF_MOST_MS: u64 = 600_000;

/// True if a Job is over: it is complete or has failed.
pub(crate) fn is_finished(status: &JobStatus) -> bool {
    status.conditions.iter().any(|one| matches!(one.kind, "Complete" | "Failed") && one.status == Tri::True)
}

pub(crate) fn sync(cluster: &mut Cluster, cx: &mut Cx, job: &Arc<Object>) {
    let (Spec::Job(spec), Status::Job(before)) = (&job.spec, &job.status) else { return };
    let (spec, before, now) = (spec.clone(), before.clone(), cx.now());
    if is_finished(&before) {
        return expire(cluster, cx, job, &spec, &before);
    }
    pods::adopt(cluster, cx, job, &spec.selector);
    let workload = cluster.workloads.get(job.no).cloned().unwrap_or_default();
    let completions = spec.completions.filter(|_| spec.indexed);
    let indexes =
        completions.map(|completions| Indexes::of(&cluster.api.store, job, &before.completed, completions));
    let succeeded = match &indexes {
        Some(indexes) => u32::try_from(indexes.done.len()).unwrap_or(u32::MAX),
        None => workload.succeeded.max(before.succeeded),
    };
    let mut status = JobStatus {
        active: workload.active,
        succeeded,
        failed: workload.failed.max(before.failed),
        completed: indexes.as_ref().map(Indexes::text).unwrap_or_default(),
        ..(*before).clone()
    };
    if !spec.suspended {
        // The time of a resumed Job restarts.
        let start = status.start.filter(|_| !is_suspended(&before));
        status.start = Some(start.unwrap_or(now));
    }
    let start = status.start.filter(|_| !spec.suspended);
    let deadline =
        start.zip(spec.deadline_s).map(|(start, seconds)| start.saturating_add(u64::from(seconds) * 1000));
    let late = deadline.is_some_and(|deadline| deadline <= now);
    if let Some((reason, message)) = failure(&spec, status.failed, workload.restarts, late) {
        let active: Vec<Arc<Object>> = active_pods(&cluster.api.store, &cluster.workloads, job);
        for pod in &active {
            pods::unmake(cluster, cx, job, pod);
        }
        status.failed = status.failed.saturating_add(status.active);
        status.active = 0;
        Cond::new("Failed", Tri::True, reason, message, now).put(&mut status.conditions);
        cluster.reports.record(cx, job, true, reason, message, source(KindId::JOB));
    } else {
        note_failures(cluster, cx, job, &before, &status);
        if !job.is_being_deleted() {
            status.active = manage(cluster, cx, job, &spec, &status, indexes.as_ref());
            note_suspension(cluster, cx, job, &spec, &mut status);
        }
        if is_complete(&spec, succeeded, status.active) && !spec.suspended {
            status.completion = Some(now);
            Cond::new("Complete", Tri::True, "", "", now).put(&mut status.conditions);
            cluster.reports.record(cx, job, false, "Completed", "Job completed", source(KindId::JOB));
        }
    }
    let finished = is_finished(&status);
    cluster.look_again(cx, job.no, deadline.filter(|_| !finished));
    if status == *before {
        return;
    }
    let Some(job) = cluster.api.store.object(job.no).cloned() else { return };
    let job = cluster.put_status(cx, &job, Status::Job(Arc::new(status)));
    if finished {
        cluster.queue.ask(cx, Work::Sync(job.no));
    }
}

/// Counts failures since the last success; the next pod waits the longer, the more there are.
fn note_failures(cluster: &mut Cluster, cx: &Cx, job: &Object, before: &JobStatus, status: &JobStatus) {
    if status.succeeded > before.succeeded {
        cluster.workloads.change(job.no, |workload| (workload.failures, workload.hold) = (0, None));
    }
    let more = status.failed.saturating_sub(before.failed);
    if more > 0 {
        let now = cx.now();
        cluster.workloads.change(job.no, |workload| {
            workload.failures = workload.failures.saturating_add(more);
            workload.hold = Some(now.saturating_add(backoff_ms(workload.failures)));
        });
    }
}

/// True if a Job's status says that it is suspended.
fn is_suspended(status: &JobStatus) -> bool {
    status.conditions.iter().any(|one| one.kind == "Suspended" && one.status == Tri::True)
}

/// Reports that a Job is suspended or resumed.
fn note_suspension(
    cluster: &mut Cluster,
    cx: &mut Cx,
    job: &Arc<Object>,
    spec: &JobSpec,
    status: &mut JobStatus,
) {
    let now = cx.now();
    let was = status.conditions.iter().find(|one| one.kind == "Suspended").map(|one| one.status);
    let (tri, reason, message, event) = match (spec.suspended, was) {
        (true, Some(Tri::True)) | (false, None | Some(Tri::False | Tri::Unknown)) => return,
        (true, _) => (Tri::True, "JobSuspended", "Job suspended", "Suspended"),
        (false, Some(Tri::True)) => (Tri::False, "JobResumed", "Job resumed", "Resumed"),
    };
    Cond::new("Suspended", tri, reason, message, now).put(&mut status.conditions);
    cluster.reports.record(cx, job, false, event, message, source(KindId::JOB));
}

fn active_pods(store: &Store, workloads: &Workloads, job: &Object) -> Vec<Arc<Object>> {
    let active = |pod: &&Arc<Object>| workloads.pods.get(&pod.no).is_some_and(PodTally::is_active);
    store.pods_of(job.no).filter(active).cloned().collect()
}

/// Creates and deletes pods; returns the number of active ones.
fn manage(
    cluster: &mut Cluster,
    cx: &mut Cx,
    job: &Arc<Object>,
    spec: &JobSpec,
    status: &JobStatus,
    indexes: Option<&Indexes>,
) -> u32 {
    let active = status.active;
    if let Some(completions) = spec.completions.filter(|_| spec.indexed) {
        let surplus =
            indexes::surplus(&active_pods(&cluster.api.store, &cluster.workloads, job), completions);
        if !surplus.is_empty() {
            // One sync either deletes or creates pods.
            for pod in &surplus {
                pods::unmake(cluster, cx, job, pod);
            }
            cluster.queue.ask(cx, Work::Sync(job.no));
            return cluster.workloads.get(job.no).map_or(0, |workload| workload.active);
        }
    }
    let most = if spec.suspended { 0 } else { wanted(spec, active, status.succeeded) };
    if active > most {
        for pod in pods::spare(cluster, job.no, (active - most).min(BURST)) {
            pods::unmake(cluster, cx, job, &pod);
        }
        return cluster.workloads.get(job.no).map_or(0, |workload| workload.active);
    }
    let wanted = most;
    if wanted <= active {
        return active;
    }
    let hold =
        cluster.workloads.get(job.no).and_then(|workload| workload.hold).filter(|hold| *hold > cx.now());
    if let Some(hold) = hold {
        cluster.queue.arm_in(cx, hold.since(cx.now()), Timer::Work(Work::Sync(job.no)));
        return active;
    }
    let missing = (wanted - active).min(BURST);
    let open = indexes.map(|indexes| indexes.open(spec.completions.unwrap_or(0), missing));
    for place in 0..missing {
        let index = open.as_ref().map(|open| open.get(place as usize));
        let made = match index {
            None => {
                let labels = spec.template.labels.clone();
                pods::make(cluster, cx, job, &spec.template, None, PodOwn::default(), labels)
            }
            Some(Some(index)) => make_indexed(cluster, cx, job, spec, *index),
            Some(None) => break,
        };
        if made.is_err() {
            break;
        }
    }
    if wanted - active > BURST {
        cluster.queue.ask(cx, Work::Sync(job.no));
    }
    cluster.workloads.get(job.no).map_or(0, |workload| workload.active)
}

/// Makes the pod of a number.
fn make_indexed(
    cluster: &mut Cluster,
    cx: &mut Cx,
    job: &Arc<Object>,
    spec: &JobSpec,
    index: u32,
) -> Written {
    let number = index.to_string();
    let template = PodTemplate {
        annotations: spec.template.annotations.with(INDEX, number.as_str()),
        ..PodTemplate::clone(&spec.template)
    };
    let labels = spec.template.labels.with(INDEX, number.as_str());
    let hostname: Text = format!("{}-{index}", job.name).into();
    let own = PodOwn { hostname: Some(hostname), ..PodOwn::default() };
    let prefix = indexes::name_prefix(&job.name, index).into();
    pods::make(cluster, cx, job, &template, Some(prefix), own, labels)
}

/// A finished Job goes after its time to live.
fn expire(cluster: &mut Cluster, cx: &mut Cx, job: &Arc<Object>, spec: &JobSpec, status: &JobStatus) {
    let finished =
        status.conditions.iter().find(|one| matches!(one.kind, "Complete" | "Failed")).map(|one| one.since);
    let due = finished.zip(spec.ttl_s).map(|(at, seconds)| at.saturating_add(u64::from(seconds) * 1000));
    if due.is_some_and(|due| due <= cx.now()) {
        if !job.is_being_deleted() {
            let propagation = Propagation::Foreground;
            cluster.delete(cx, job, &DeleteOptions { propagation, ..DeleteOptions::default() });
        }
        return;
    }
    // The results of its pods are still counted.
    let workload = cluster.workloads.get(job.no).cloned().unwrap_or_default();
    let has_failed = status.conditions.iter().any(|one| one.kind == "Failed");
    if !has_failed && status.active != workload.active {
        let status = JobStatus { active: workload.active, ..status.clone() };
        cluster.put_status(cx, job, Status::Job(Arc::new(status)));
    }
    cluster.look_again(cx, job.no, due);
}

/// Reason and message for which a Job fails, if it does.
fn failure(spec: &JobSpec, failed: u32, restarts: u32, late: bool) -> Option<(&'static str, &'static str)> {
    if failed > spec.backoff_limit || is_past_limit(spec, restarts) {
        Some(("BackoffLimitExceeded", "Job has reached the specified backoff limit"))
    } else {
        late.then_some(("DeadlineExceeded", "Job was active longer than specified deadline"))
    }
}

/// The time from the last failure to the next pod, after this number of failures in a row. *Units*: milliseconds.
fn backoff_ms(failures: u32) -> u64 {
    backoff_between(failures, BACKOFF_MS, BACKOFF_MOST_MS)
}

/// The same from a first delay up to a greatest one.
fn backoff_between(failures: u32, first_ms: u64, most_ms: u64) -> u64 {
    match failures.checked_sub(1) {
        None => 0,
        Some(times) => (first_ms << times.min(20)).min(most_ms),
    }
}

/// Returns the number of pods that should be active.
fn wanted(spec: &JobSpec, active: u32, succeeded: u32) -> u32 {
    match spec.completions {
        None if succeeded > 0 => active,
        None => spec.parallelism,
        Some(completions) => completions.saturating_sub(succeeded).min(spec.parallelism),
    }
}

/// True if a Job is done.
fn is_complete(spec: &JobSpec, succeeded: u32, active: u32) -> bool {
    match spec.completions {
        None => succeeded > 0 && active == 0,
        Some(wanted) => succeeded >= wanted,
    }
}

/// True if containers that are started again in place have failed too often.
fn is_past_limit(spec: &JobSpec, restarts: u32) -> bool {
    spec.template.spec.restart == Restart::OnFailure
        && if spec.backoff_limit == 0 { restarts > 0 } else { restarts >= spec.backoff_limit }
}
