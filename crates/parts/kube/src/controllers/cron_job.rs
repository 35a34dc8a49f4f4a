//! CronJobs: Jobs by the clock.
//!
//! Source: `kubernetes/kubernetes: pkg/controller/cronjob/{cronjob_controller,utils}.go`; match but for the poll every 10 s:
//! a run begins at its minute.

use super::pods::source;
use crate::{
    cluster::Cluster,
    kinds::KindId,
    object::{Object, ObjectNo},
    records::queue::Timer,
    records::store::Store,
    request::{DeleteOptions, Propagation},
    spec::{
        Spec,
        cron::{Concurrency, CronJobSpec, Schedule},
    },
    status::{CronStatus, Status},
};
use planarium_ground::Cx;
use planarium_kernel::{Cause, Class};
use planarium_protocol::{Text, json};
use std::sync::Arc;

/// From this number of missed runs on, the controller gives up.
const MISSED: u32 = 100;

pub(crate) fn sync(cluster: &mut Cluster, cx: &mut Cx, cron: &Arc<Object>) {
    let (Spec::CronJob(spec), Status::Cron(status)) = (&cron.spec, &cron.status) else { return };
    let (spec, before) = (spec.clone(), status.clone());
    let mut status = CronStatus::clone(&before);
    note_finished(cluster, cx, cron, &mut status);
    drop_jobs(cluster, cx, cron, &spec);
    if !cron.is_being_deleted() && !spec.suspend {
        start_due(cluster, cx, cron, &spec, &mut status);
    }
    if status != *before
        && let Some(cron) = cluster.api.store.object(cron.no).cloned()
    {
        cluster.put_status(cx, &cron, Status::Cron(Arc::new(status)));
    }
    await_run(cluster, cx, cron, &spec);
}

/// A CronJob's time has come.
pub(crate) fn due(cluster: &mut Cluster, cx: &mut Cx, no: ObjectNo) {
    cluster.workloads.change(no, |workload| workload.timer = None);
    cluster.queue.periodic = cluster.queue.periodic.saturating_sub(1);
    if let Some(cron) = cluster.api.store.object(no).cloned() {
        sync(cluster, cx, &cron);
    }
}

/// Arms the next run.
fn await_run(cluster: &mut Cluster, cx: &Cx, cron: &Object, spec: &CronJobSpec) {
    let there = cluster.api.store.object(cron.no).is_some_and(|cron| !cron.is_being_deleted());
    let next = spec.schedule.as_ref().filter(|_| there && !spec.suspend);
    let next = next.and_then(|schedule| schedule.next_after(cluster.api.epoch.seconds(cx.now())));
    let due = next.map(|seconds| cluster.api.epoch.instant(seconds)).filter(|due| *due > cx.now());
    let armed = cluster.workloads.get(cron.no).and_then(|workload| workload.timer);
    if armed.map(|(_, at)| at) == due {
        return;
    }
    if let Some((timer, _)) = armed {
        cluster.queue.disarm(Some(timer));
        cluster.queue.periodic = cluster.queue.periodic.saturating_sub(1);
    }
    let timer = due.map(|due| {
        cluster.queue.periodic += 1;
        (cluster.queue.arm(due, Class::Periodic, Cause::Genesis, Timer::Cron(cron.no)), due)
    });
    cluster.workloads.change(cron.no, |workload| workload.timer = timer);
}

fn jobs_of(store: &Store, cron: &Object) -> Vec<Arc<Object>> {
    store.dependants(cron.no).filter(|job| job.kind == KindId::JOB).cloned().collect()
}

/// Removes finished and deleted Jobs from the active ones.
fn note_finished(cluster: &mut Cluster, cx: &mut Cx, cron: &Arc<Object>, status: &mut CronStatus) {
    let mut over = Vec::new();
    status.active.retain(|(_, uid)| {
        let job = cluster.api.store.by_uid(uid);
        let finished = job.and_then(|job| match &job.status {
            Status::Job(status) => {
                status.conditions.iter().find(|one| matches!(one.kind, "Complete" | "Failed"))
            }
            _ => None,
        });
        if let (Some(job), Some(cond)) = (job, finished) {
            over.push(format!("Saw completed job: {}, status: {}", job.name, cond.kind));
        }
        job.is_some() && finished.is_none()
    });
    for message in over {
        cluster.reports.record(cx, cron, false, "SawCompletedJob", &message, source(KindId::CRON_JOB));
    }
}

/// Deletes the oldest finished Jobs beyond those that are kept.
fn drop_jobs(cluster: &mut Cluster, cx: &mut Cx, cron: &Arc<Object>, spec: &CronJobSpec) {
    for (kind, kept) in [("Complete", spec.successes_kept), ("Failed", spec.failures_kept)] {
        let is = |job: &Arc<Object>| match &job.status {
            Status::Job(status) => status.conditions.iter().any(|one| one.kind == kind),
            _ => false,
        };
        let all: Vec<Arc<Object>> = jobs_of(&cluster.api.store, cron)
            .into_iter()
            .filter(|job| is(job) && !job.is_being_deleted())
            .collect();
        let surplus = all.len().saturating_sub(kept as usize);
        for job in all.iter().take(surplus) {
            delete_job(cluster, cx, cron, job);
        }
    }
}

fn delete_job(cluster: &mut Cluster, cx: &mut Cx, cron: &Arc<Object>, job: &Arc<Object>) {
    let propagation = Propagation::Background;
    cluster.delete(cx, job, &DeleteOptions { propagation, ..DeleteOptions::default() });
    let message = format!("Deleted job {}", job.name);
    cluster.reports.record(cx, cron, false, "SuccessfulDelete", &message, source(KindId::CRON_JOB));
}

/// More runs were missed than the controller checks.
struct TooMany;

/// The latest run after one instant that is due at another. *Units*: seconds since 1970. *Errors*: too many were missed.
fn latest_run(schedule: &Schedule, from_s: u64, now_s: u64) -> Result<Option<u64>, TooMany> {
    let (mut due, mut missed, mut at) = (None, 0, from_s);
    while let Some(next) = schedule.next_after(at).filter(|next| *next <= now_s) {
        (due, at) = (Some(next), next);
        missed += 1;
        if missed > MISSED {
            return Err(TooMany);
        }
    }
    Ok(due)
}

/// Starts the latest run that is due and has not been started.
fn start_due(
    cluster: &mut Cluster,
    cx: &mut Cx,
    cron: &Arc<Object>,
    spec: &CronJobSpec,
    status: &mut CronStatus,
) {
    let Some(schedule) = &spec.schedule else { return };
    let now_s = cluster.api.epoch.seconds(cx.now());
    let mut from = cluster.api.epoch.seconds(status.last.unwrap_or(cron.created));
    if let Some(deadline_s) = spec.deadline_s {
        from = from.max(now_s.saturating_sub(u64::from(deadline_s)));
    }
    let due = match latest_run(schedule, from, now_s) {
        Ok(due) => due,
        Err(TooMany) => {
            let message = "Cannot determine if job needs to be started: too many missed start time (> 100). Set or decrease \
                               .spec.startingDeadlineSeconds or check clock skew";
            cluster.reports.record(cx, cron, true, "FailedNeedsStart", message, source(KindId::CRON_JOB));
            return;
        }
    };
    let Some(due) = due else { return };
    if !status.active.is_empty() {
        match spec.concurrency {
            Concurrency::Allow => {}
            Concurrency::Forbid => {
                let message =
                    "Not starting job because prior execution is running and concurrency policy is Forbid";
                cluster.reports.record(
                    cx,
                    cron,
                    false,
                    "JobAlreadyActive",
                    message,
                    source(KindId::CRON_JOB),
                );
                return;
            }
            Concurrency::Replace => {
                for (_, uid) in std::mem::take(&mut status.active) {
                    if let Some(job) = cluster.api.store.by_uid(&uid).cloned() {
                        delete_job(cluster, cx, cron, &job);
                    }
                }
            }
        }
    }
    if let Some((name, uid)) = start_job(cluster, cx, cron, spec, due) {
        status.active.push((name, uid));
        status.last = Some(cluster.api.epoch.instant(due));
    }
}

fn start_job(
    cluster: &mut Cluster,
    cx: &mut Cx,
    cron: &Arc<Object>,
    spec: &CronJobSpec,
    due_s: u64,
) -> Option<(Text, Text)> {
    let value = json!({
        "apiVersion": "batch/v1", "kind": "Job",
        "metadata": {
            "name": format!("{}-{}", cron.name, due_s / 60), "namespace": cron.namespace,
            "labels": spec.labels.to_value(), "annotations": spec.annotations.to_value(),
            "ownerReferences": [crate::object::OwnerReference::controlling(cron).to_value()],
        },
        "spec": *spec.job,
    });
    match cluster.create(cx, value) {
        Ok(job) => {
            let message = format!("Created job {}", job.name);
            cluster.reports.record(cx, cron, false, "SuccessfulCreate", &message, source(KindId::CRON_JOB));
            Some((job.name.clone(), job.uid.clone()))
        }
        Err(error) => {
            let message = format!("Error creating job: {}", error.message);
            cluster.reports.record(cx, cron, true, "FailedCreate", &message, source(KindId::CRON_JOB));
            None
        }
    }
}

#[cfg(test)]
pub(crate) mod tables {
    use super::*;
    use crate::tables::Rows;

    /// The hour that runs are due at: 2016-05-19T10:00:00Z, and the next one.
    const T1: u64 = 1_463_652_000;
    const T2: u64 = T1 + 3_600;
    const DAY: u64 = 86_400;

    /// The first and the last instant checked, and the latest run that is due.
    pub(crate) fn rows(rows: &mut Rows) {
        let hourly = Schedule::parse("0 * * * ?").expect("a schedule");
        rows.source("pkg/controller/cronjob/utils_test.go: TestGetRecentUnmetScheduleTimes");
        for (row, from, now, expected) in [
            ("no known start times, and none needed yet", T1 - 600, T1 - 420, Some(None)),
            ("no known start times, and one needed", T1 - 600, T1 + 2, Some(Some(T1))),
            ("known last time, no start needed", T1, T1 + 120, Some(None)),
            ("known last time, a start needed", T1, T2 + 300, Some(Some(T2))),
            ("known last time, two starts needed", T1 - 3_600, T2 + 300, Some(Some(T2))),
            ("way ahead of the last start, no deadline", T1 - 3_600, T2 + 10 * DAY, None),
            (
                "way ahead, with a deadline of two hours",
                T2 + 10 * DAY - 7_200,
                T2 + 10 * DAY,
                Some(Some(T2 + 10 * DAY)),
            ),
        ] {
            rows.check(row, latest_run(&hourly, from, now).ok(), expected);
        }
    }

    #[test]
    fn the_latest_run_is_started_unless_too_many_were_missed() {
        let schedule = Schedule::parse("*/5 * * * *").expect("a schedule");
        for (now_s, due) in [(299, None), (300, Some(300)), (1_000, Some(900)), (30_000, Some(30_000))] {
            assert_eq!(latest_run(&schedule, 0, now_s).ok(), Some(due), "at {now_s}");
        }
        assert!(latest_run(&schedule, 0, 30_300).is_err(), "a hundred and one runs");
    }
}
