//! Reasons for a deployment's action on one app.
//!
//! *Knows*: what each kind of job waits for. *Must not know*: deployments as a whole.

use std::fmt::Write as _;

use super::{Explainer, count, reason};
use crate::deployments::Deployment;
use crate::deployments::jobs::progress::Progress;
use crate::deployments::jobs::replacing::Replacing;
use crate::deployments::jobs::{Job, Work};
use crate::instances::instance::Goal;
use crate::instances::instance::{Instance, InstanceNo};
use crate::instances::tracker::{Key, SpecNo};
use planarium_protocol::Text;
use planarium_protocol::why::{Reason, ReasonKind};

impl Explainer<'_> {
    /// An action: its own work, or the steps before it.
    pub(super) fn action(&mut self, deployment: &Deployment, at: usize, index: usize) -> Vec<Reason> {
        self.deployment_remedies(deployment);
        if let Some(not) = self.not_its_turn(deployment, at) {
            let action = deployment.plan.steps.get(at).and_then(|step| step.actions.get(index));
            if let Some(action) = action.filter(|_| deployment.is_running()) {
                self.force_remedy(&action.spec.id);
            }
            return vec![not];
        }
        let action = deployment.plan.steps.get(at).and_then(|step| step.actions.get(index));
        let no = action.and_then(|action| self.records.known_number(&action.spec.id));
        let job = no.and_then(|no| self.records.run(no)).and_then(|run| run.job.clone());
        match (no, job) {
            (Some(no), Some(job)) => self.job(no, deployment, &job),
            _ => Vec::new(),
        }
    }

    /// Explains the wait of an app's work.
    pub(super) fn job(&mut self, no: SpecNo, deployment: &Deployment, job: &Job) -> Vec<Reason> {
        match &job.work {
            Work::Ending(ending) => {
                let left: Vec<InstanceNo> = ending.left().collect();
                let mut reasons = self.killing(no, &left, "there are to be fewer of them");
                let stays = |one: &crate::instances::instance::Instance| {
                    one.goal == Goal::Running && (one.condition.is_active() || one.is_scheduled())
                };
                let present = self.records.instances.of_spec(no).filter(|(_, one)| stays(one)).count();
                let missing = (job.spec.instances as usize).saturating_sub(present);
                if missing > 0 {
                    let what = format!("{} to be started after that", count(missing, "instance"));
                    reasons.push(self.underway(&what));
                }
                reasons
            }
            Work::Stopping(stopping) => {
                let left: Vec<InstanceNo> = stopping.left().collect();
                self.killing(no, &left, "it is not defined any more")
            }
            Work::Starting(starting) => {
                let mut reasons = self.coming(no, deployment, job, &starting.progress);
                let (healthy, ready) = (starting.progress.healthy.len(), starting.progress.ready.len());
                if reasons.is_empty() {
                    reasons.push(overshot(starting.count as usize, healthy, ready));
                }
                reasons
            }
            Work::Replacing(replacing) => self.replacing(no, deployment, job, replacing),
        }
    }

    fn replacing(
        &mut self,
        no: SpecNo,
        deployment: &Deployment,
        job: &Job,
        replacing: &Replacing,
    ) -> Vec<Reason> {
        let mut reasons = self.coming(no, deployment, job, &replacing.progress);
        let ends = |no: &InstanceNo| !replacing.to_kill.contains(no);
        let dying: Vec<InstanceNo> = replacing.old.iter().copied().filter(ends).collect();
        reasons.extend(self.killing(no, &dying, "new ones take their place"));
        let staying = replacing.to_kill.len();
        let wanted = job.spec.instances as usize;
        let (most, started) = (replacing.ignition.max_capacity as usize, replacing.started as usize);
        let arrived = replacing.progress.healthy.len().min(replacing.progress.ready.len());
        let full = replacing.old.len() + started >= most;
        if started < wanted && staying > 0 && dying.is_empty() && arrived == started && full {
            let what = format!(
                "too few old instances counted as healthy when the restart began for any to be killed, and there is no room for new ones, \
                 as there may be {most} in all: the restart does not move by itself"
            );
            reasons.push(self.underway(&what));
        }
        reasons.extend(self.lost(no, job, replacing));
        if staying > 0 {
            let (least, most) = (replacing.ignition.min_healthy, replacing.ignition.max_capacity);
            let what = format!(
                "{} {} until as many new ones are healthy and ready: at least {least} have to be healthy, and there may be \
                 {most} in all",
                count(staying, "old instance"),
                if staying == 1 { "stays" } else { "stay" }
            );
            reasons.push(self.underway(&what));
        }
        if started < wanted && staying == 0 && dying.is_empty() {
            let what = format!(
                "{} {} not started: {} count as started, and there may be {} in all",
                count(wanted - started, "new instance"),
                if wanted - started == 1 { "is" } else { "are" },
                replacing.started,
                replacing.ignition.max_capacity
            );
            reasons.push(reason(what.clone(), None, ReasonKind::Quirk { text: what.into() }));
        }
        if reasons.is_empty() {
            let (healthy, ready) = (replacing.progress.healthy.len(), replacing.progress.ready.len());
            reasons.push(overshot(wanted, healthy, ready));
        }
        reasons
    }

    /// New instances that were forgotten with their machine and still count as started.
    fn lost(&mut self, no: SpecNo, job: &Job, replacing: &Replacing) -> Option<Reason> {
        let version = job.spec.version.version;
        let is_new = |one: &&Instance| one.version() == version && one.goal == Goal::Running;
        let there = self.records.instances.of_spec(no).filter(|(_, one)| is_new(&&***one)).count();
        let lost = (replacing.started as usize).saturating_sub(there);
        if lost == 0 {
            return None;
        }
        let known = self
            .records
            .events
            .of_forgotten(&job.spec.id, version, |id| self.records.instances.find(id).is_some());
        let names = known.iter().take(super::NAMED).map(|instance| {
            let host = instance.agent.as_ref().map_or("an unknown machine", |agent| &*agent.hostname);
            format!("{} on {host}", instance.id)
        });
        let names: Vec<String> = names.collect();
        let which = if names.is_empty() { String::new() } else { format!(" ({})", names.join(", ")) };
        let what = super::count(lost, "new instance");
        let (whose, them) = if lost == 1 {
            ("was lost with its machine", "it as started and starts no other in its place")
        } else {
            ("were lost with their machines", "them as started and starts no others in their place")
        };
        let text = format!(
            "{what} {whose} and forgotten{which}; the restart still counts {them}, so it does not move by itself: roll it back, or \
             change the app again by force"
        );
        Some(reason(text.clone(), None, ReasonKind::Quirk { text: text.into() }))
    }

    /// New instances that are on their way.
    fn coming(&mut self, no: SpecNo, deployment: &Deployment, job: &Job, progress: &Progress) -> Vec<Reason> {
        let version = job.spec.version.version;
        let mut reasons = self.waiting(no);
        let open: Vec<Key> = self
            .records
            .instances
            .of_spec(no)
            .filter(|(key, one)| {
                one.goal == Goal::Running
                    && one.version() == version
                    && !one.is_scheduled()
                    && !progress.is_done(key.no)
            })
            .map(|(key, _)| key)
            .collect();
        let rest = open.len().saturating_sub(super::NAMED);
        for key in open.into_iter().take(super::NAMED) {
            reasons.extend(self.instance(key, deployment, progress));
        }
        if rest > 0 {
            let what = format!("{rest} more are not healthy and ready yet");
            reasons.push(self.underway(&what));
        }
        reasons
    }

    /// Instances that are to end.
    pub(super) fn killing(&mut self, no: SpecNo, which: &[InstanceNo], why: &str) -> Vec<Reason> {
        let records = self.records;
        let mut tasks: Vec<Text> = Vec::new();
        let (mut notes, mut event) = (Vec::new(), None);
        for no in which.iter().map(|one| Key { spec: no, no: *one }) {
            let Some(instance) = records.instances.get(no) else { continue };
            tasks.push(instance.task().map_or_else(|| instance.id.clone(), |task| task.id.clone()));
            event = event.or(Some(instance.event));
            notes.extend(self.kill_note(instance));
        }
        if tasks.is_empty() {
            return Vec::new();
        }
        notes.truncate(super::NAMED);
        let plural = if tasks.len() == 1 { "has" } else { "have" };
        let mut text = format!("{} {plural} to end first: {why}", count(tasks.len(), "instance"));
        if !notes.is_empty() {
            let _ = write!(text, " ({})", notes.join("; "));
        }
        let mut reasons = vec![reason(text, event, ReasonKind::Killing { tasks, by: None })];
        let (under_way, waiting) = self.kills.counts();
        if waiting > 0 {
            let what = format!(
                "{} are under way, as many as there may be at once; {waiting} wait for these",
                count(under_way, "kill")
            );
            reasons.push(self.underway(&what));
        }
        reasons
    }
}

/// Only an exact count ends the work.
fn overshot(wanted: usize, healthy: usize, ready: usize) -> Reason {
    let text = format!(
        "It ends when exactly {wanted} new instances are healthy and ready; {healthy} are healthy and {ready} ready"
    );
    reason(text.clone(), None, ReasonKind::Quirk { text: text.into() })
}
