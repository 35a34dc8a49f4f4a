//! Jobs: pods that run to their end, so many of them, so many at a time.
//!
//! Source: `kubernetes/kubernetes: pkg/controller/job/{job_controller,utils}.go`, `pkg/controller/ttlafterfinished`; match but
//! for the back-off after a failed pod: the first one is replaced at once, the next ones after 10 s, 20 s, 40 s and so on up
//! to 6 minutes, counted from the failure.

use super::pods::{self, BURST, source};
use crate::{
    cluster::Cluster,
    kinds::KindId,
    object::Object,
    records::queue::{Timer, Work},
    records::store::Store,
    records::workloads::{PodTally, Workload, Workloads},
    request::{DeleteOptions, Propagation},
    spec::{
        Spec,
        pod::{PodOwn, Restart},
        workload::JobSpec,
    },
    status::{Cond, JobStatus, Status, Tri},
};
use planarium_ground::Cx;
use std::sync::Arc;

const BACKOFF_MS: u64 = 10_000;
const BACKOFF_MOST_MS: u64 = 360_000;

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
    let mut status = JobStatus {
        active: workload.active,
        succeeded: workload.succeeded,
        failed: workload.failed,
        ..(*before).clone()
    };
    let start = *status.start.get_or_insert(now);
    let deadline = spec.deadline_s.map(|seconds| start.saturating_add(u64::from(seconds) * 1000));
    let new_failure = workload.failed > before.failed;
    let late = deadline.is_some_and(|deadline| deadline <= now);
    if let Some((reason, message)) = failure(&spec, &workload, new_failure, late) {
        let active: Vec<Arc<Object>> = active_pods(&cluster.api.store, &cluster.workloads, job);
        for pod in &active {
            pods::unmake(cluster, cx, job, pod);
        }
        status.failed = status.failed.saturating_add(status.active);
        status.active = 0;
        Cond::new("Failed", Tri::True, reason, message, now).put(&mut status.conditions);
        cluster.reports.record(cx, job, true, reason, message, source(KindId::JOB));
    } else {
        if new_failure {
            cluster.workloads.change(job.no, |workload| {
                workload.hold = Some(now.saturating_add(backoff_ms(workload.failures)));
                workload.failures = workload.failures.saturating_add(1);
            });
        }
        if workload.succeeded > before.succeeded {
            cluster.workloads.change(job.no, |workload| workload.failures = 0);
        }
        if !job.is_being_deleted() {
            status.active = manage(cluster, cx, job, &spec, workload.active, workload.succeeded);
        }
        if is_complete(&spec, workload.succeeded, status.active) {
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

fn active_pods(store: &Store, workloads: &Workloads, job: &Object) -> Vec<Arc<Object>> {
    let active = |pod: &&Arc<Object>| workloads.pods.get(&pod.no).is_some_and(PodTally::is_active);
    store.pods_of(job.no).filter(active).cloned().collect()
}

/// Makes and deletes pods; returns how many are active then.
fn manage(
    cluster: &mut Cluster,
    cx: &mut Cx,
    job: &Arc<Object>,
    spec: &JobSpec,
    active: u32,
    succeeded: u32,
) -> u32 {
    if active > spec.parallelism {
        for pod in pods::spare(
            &cluster.api.store,
            &cluster.workloads,
            job.no,
            (active - spec.parallelism).min(BURST),
        ) {
            pods::unmake(cluster, cx, job, &pod);
        }
        return cluster.workloads.get(job.no).map_or(0, |workload| workload.active);
    }
    let wanted = wanted(spec, active, succeeded);
    if wanted <= active {
        return active;
    }
    let hold =
        cluster.workloads.get(job.no).and_then(|workload| workload.hold).filter(|hold| *hold > cx.now());
    if let Some(hold) = hold {
        cluster.queue.arm_in(cx, hold.since(cx.now()), Timer::Work(Work::Sync(job.no)));
        return active;
    }
    for _ in 0..(wanted - active).min(BURST) {
        let labels = spec.template.labels.clone();
        if pods::make(cluster, cx, job, &spec.template, None, PodOwn::default(), labels).is_err() {
            break;
        }
    }
    if wanted - active > BURST {
        cluster.queue.ask(cx, Work::Sync(job.no));
    }
    cluster.workloads.get(job.no).map_or(0, |workload| workload.active)
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
    // What its pods come to is still told.
    let workload = cluster.workloads.get(job.no).cloned().unwrap_or_default();
    let has_failed = status.conditions.iter().any(|one| one.kind == "Failed");
    if !has_failed && status.active != workload.active {
        let status = JobStatus { active: workload.active, ..status.clone() };
        cluster.put_status(cx, job, Status::Job(Arc::new(status)));
    }
    cluster.look_again(cx, job.no, due);
}

/// Reason and message for which a Job fails, if it does.
fn failure(
    spec: &JobSpec,
    workload: &Workload,
    new_failure: bool,
    late: bool,
) -> Option<(&'static str, &'static str)> {
    let exceeds =
        new_failure && workload.active != spec.parallelism && workload.failures + 1 > spec.backoff_limit;
    if exceeds || is_past_limit(spec, workload.restarts) {
        Some(("BackoffLimitExceeded", "Job has reached the specified backoff limit"))
    } else {
        late.then_some(("DeadlineExceeded", "Job was active longer than specified deadline"))
    }
}

/// The time from a failure to the next pod, after so many failures before it. *Units*: milliseconds.
fn backoff_ms(failures: u32) -> u64 {
    match failures.checked_sub(1) {
        None => 0,
        Some(times) => (BACKOFF_MS << times.min(20)).min(BACKOFF_MOST_MS),
    }
}

/// Number of pods that are to be active.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn backoff_doubles_from_the_second_failure_on() {
        let expected =
            [(0, 0), (1, 10_000), (2, 20_000), (3, 40_000), (6, 320_000), (7, 360_000), (99, 360_000)];
        for (failures, ms) in expected {
            assert_eq!(backoff_ms(failures), ms, "after {failures} failures");
        }
    }
}
