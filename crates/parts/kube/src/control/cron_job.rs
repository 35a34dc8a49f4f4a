//! CronJobs: Jobs by the clock.
//!
//! Source: `kubernetes/kubernetes: pkg/controller/cronjob/{cronjob_controller,utils}.go`; match but for the poll every 10 s:
//! a run begins at its minute.

use super::pods::source;
use crate::{
    kinds::KindId,
    kube::Kube,
    object::{Object, ObjectNo},
    queue::Timer,
    request::{DeleteOptions, Propagation},
    spec::{
        Spec,
        cron::{Concurrency, CronJobSpec},
    },
    status::{CronStatus, Status},
};
use planarium_ground::Cx;
use planarium_kernel::{Cause, Class, SimTime};
use planarium_protocol::{Text, json};
use std::sync::Arc;

/// So many missed runs are too many.
const MISSED: usize = 100;

impl Kube {
    pub(crate) fn sync_cron_job(&mut self, cx: &mut Cx, cron: &Arc<Object>) {
        let (Spec::CronJob(spec), Status::Cron(status)) = (&cron.spec, &cron.status) else { return };
        let (spec, before) = (spec.clone(), status.clone());
        let mut status = CronStatus::clone(&before);
        self.note_finished(cx, cron, &mut status);
        self.drop_jobs(cx, cron, &spec);
        if !cron.is_being_deleted() && !spec.suspend {
            self.start_due(cx, cron, &spec, &mut status);
        }
        if status != *before
            && let Some(cron) = self.store.object(cron.no).cloned()
        {
            self.put_status(cx, &cron, Status::Cron(Arc::new(status)));
        }
        self.await_run(cx, cron, &spec);
    }

    /// A CronJob's time has come.
    pub(crate) fn cron_due(&mut self, cx: &mut Cx, no: ObjectNo) {
        self.workload_mut(no, |workload| workload.timer = None);
        self.queue.periodic = self.queue.periodic.saturating_sub(1);
        if let Some(cron) = self.store.object(no).cloned() {
            self.sync_cron_job(cx, &cron);
        }
    }

    /// Arms the next run.
    fn await_run(&mut self, cx: &Cx, cron: &Object, spec: &CronJobSpec) {
        let there = self.store.object(cron.no).is_some_and(|cron| !cron.is_being_deleted());
        let next = spec.schedule.as_ref().filter(|_| there && !spec.suspend);
        let next = next.and_then(|schedule| schedule.next_after(self.epoch.seconds(cx.now())));
        let due = next.map(|seconds| self.epoch.instant(seconds)).filter(|due| *due > cx.now());
        let armed = self.workload(cron.no).and_then(|workload| workload.timer);
        if armed.map(|(_, at)| at) == due {
            return;
        }
        if let Some((timer, _)) = armed {
            self.queue.disarm(Some(timer));
            self.queue.periodic = self.queue.periodic.saturating_sub(1);
        }
        let timer = due.map(|due| {
            self.queue.periodic += 1;
            (self.queue.arm(due, Class::Periodic, Cause::Genesis, Timer::Cron(cron.no)), due)
        });
        self.workload_mut(cron.no, |workload| workload.timer = timer);
    }

    fn jobs_of(&self, cron: &Object) -> Vec<Arc<Object>> {
        self.store.dependants(cron.no).filter(|job| job.kind == KindId::JOB).cloned().collect()
    }

    /// Jobs that are over, or gone, are active no more.
    fn note_finished(&mut self, cx: &mut Cx, cron: &Arc<Object>, status: &mut CronStatus) {
        let mut over = Vec::new();
        status.active.retain(|(_, uid)| {
            let job = self.store.by_uid(uid);
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
            self.record(cx, cron, false, "SawCompletedJob", &message, source(KindId::CRON_JOB));
        }
    }

    /// Deletes the oldest finished Jobs beyond those that are kept.
    fn drop_jobs(&mut self, cx: &mut Cx, cron: &Arc<Object>, spec: &CronJobSpec) {
        for (kind, kept) in [("Complete", spec.successes_kept), ("Failed", spec.failures_kept)] {
            let is = |job: &Arc<Object>| match &job.status {
                Status::Job(status) => status.conditions.iter().any(|one| one.kind == kind),
                _ => false,
            };
            let all: Vec<Arc<Object>> =
                self.jobs_of(cron).into_iter().filter(|job| is(job) && !job.is_being_deleted()).collect();
            let surplus = all.len().saturating_sub(kept as usize);
            for job in all.iter().take(surplus) {
                self.delete_job(cx, cron, job);
            }
        }
    }

    fn delete_job(&mut self, cx: &mut Cx, cron: &Arc<Object>, job: &Arc<Object>) {
        let propagation = Propagation::Background;
        self.delete_object(cx, job, &DeleteOptions { propagation, ..DeleteOptions::default() });
        let message = format!("Deleted job {}", job.name);
        self.record(cx, cron, false, "SuccessfulDelete", &message, source(KindId::CRON_JOB));
    }

    /// Starts the latest run that is due and has not been started.
    fn start_due(&mut self, cx: &mut Cx, cron: &Arc<Object>, spec: &CronJobSpec, status: &mut CronStatus) {
        let Some(schedule) = &spec.schedule else { return };
        let now_s = self.epoch.seconds(cx.now());
        let mut from = self.epoch.seconds(status.last.unwrap_or(cron.created));
        if let Some(deadline_s) = spec.deadline_s {
            from = from.max(now_s.saturating_sub(u64::from(deadline_s)));
        }
        let mut due = None;
        let mut missed = 0;
        let mut at = from;
        while let Some(next) = schedule.next_after(at).filter(|next| *next <= now_s) {
            (due, at) = (Some(next), next);
            missed += 1;
            if missed > MISSED {
                let message = "Cannot determine if job needs to be started: too many missed start time (> 100). Set or decrease \
                               .spec.startingDeadlineSeconds or check clock skew";
                self.record(cx, cron, true, "FailedNeedsStart", message, source(KindId::CRON_JOB));
                return;
            }
        }
        let Some(due) = due else { return };
        if !status.active.is_empty() {
            match spec.concurrency {
                Concurrency::Allow => {}
                Concurrency::Forbid => {
                    let message = "Not starting job because prior execution is running and concurrency policy is Forbid";
                    self.record(cx, cron, false, "JobAlreadyActive", message, source(KindId::CRON_JOB));
                    return;
                }
                Concurrency::Replace => {
                    for (_, uid) in std::mem::take(&mut status.active) {
                        if let Some(job) = self.store.by_uid(&uid).cloned() {
                            self.delete_job(cx, cron, &job);
                        }
                    }
                }
            }
        }
        if let Some((name, uid)) = self.start_job(cx, cron, spec, due) {
            status.active.push((name, uid));
            status.last = Some(self.epoch.instant(due));
        }
    }

    fn start_job(
        &mut self,
        cx: &mut Cx,
        cron: &Arc<Object>,
        spec: &CronJobSpec,
        due_s: u64,
    ) -> Option<(Text, Text)> {
        let value = json!({
            "apiVersion": "batch/v1", "kind": "Job",
            "metadata": {
                "name": format!("{}-{due_s}", cron.name), "namespace": cron.namespace,
                "labels": spec.labels.to_value(), "annotations": spec.annotations.to_value(),
                "ownerReferences": [crate::object::OwnerReference::controlling(cron).to_value()],
            },
            "spec": *spec.job,
        });
        match self.create(cx, value) {
            Ok(job) => {
                let message = format!("Created job {}", job.name);
                self.record(cx, cron, false, "SuccessfulCreate", &message, source(KindId::CRON_JOB));
                Some((job.name.clone(), job.uid.clone()))
            }
            Err(error) => {
                let message = format!("Error creating job: {}", error.message);
                self.record(cx, cron, true, "FailedCreate", &message, source(KindId::CRON_JOB));
                None
            }
        }
    }

    /// When a CronJob runs next; for those who ask why nothing happens.
    pub(crate) fn next_run(&self, cron: &Object) -> Option<SimTime> {
        self.workload(cron.no).and_then(|workload| workload.timer).map(|(_, at)| at)
    }
}
