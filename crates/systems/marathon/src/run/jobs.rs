//! What repeats: the jobs of the process and when each of them next has something to do.
//!
//! A job that would find nothing to do is not woken; one that would is woken at its own tick, counted from the start of the
//! process.
//!
//! **Source**: `marathon: MarathonSchedulerService.scala, core/task/jobs/impl/OverdueInstancesActor.scala,
//! ExpungeOverdueLostTasksActor.scala, MarathonSchedulerActor.scala`. Match; the periodic reconciliation asks only about
//! tasks of which the master knows something else than what it said last: other answers change nothing.

use super::instance::{Condition, Goal, Instance};
use super::tracker::{Key, SpecNo};
use super::{Armed, Marathon};
use planarium_kernel::{Cause, Class, SimTime};
use planarium_mesos::Cluster;
use planarium_mesos::api::{Call, ReconcileTask};
use planarium_part::Cx;
use std::sync::Arc;

/// The jobs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Job {
    /// Counts of instances against definitions.
    Scale,
    /// What the master knows of tasks.
    Reconcile,
    /// Launches and reservations that take too long.
    Overdue,
    /// Instances that do not answer for too long.
    Expunge,
    /// Kills without an answer.
    KillRetry,
    /// Roles whose wish for offers has changed too soon after the last change.
    Revive,
    /// Roles that asked for offers a while ago.
    ReviveAgain,
    /// Offers that were turned down for want of launch tokens have come again.
    Resent,
    /// A launch delay ends.
    Backoff(SpecNo),
    /// A start phase looks whether instances have gone.
    Sync(SpecNo),
    /// The process gives up the lead.
    Abdicate,
}

/// From the answer that the lead is given up until it is.
///
/// **Source**: `marathon: api/v2/LeaderResource.scala`. Match.
const ABDICATION_MS: u64 = 500;
const OVERDUE_MS: (u64, u64) = (30_000, 5_000);

/// The first tick from an instant on, of ticks that begin `first` after `born` and come every `every`.
pub(super) fn tick_from(at: SimTime, born: SimTime, (first, every): (u64, u64)) -> SimTime {
    let first = born.saturating_add(first);
    first.saturating_add(at.since(first).div_ceil(every.max(1)).saturating_mul(every.max(1)))
}

impl Marathon {
    pub(super) fn is_armed(&self, job: Job) -> bool {
        self.armed.contains_key(&job)
    }

    pub(super) fn disarm(&mut self, job: Job) {
        if let Some(timer) = self.armed.remove(&job) {
            self.timers.cancel(timer);
        }
    }

    /// Wakes a job at an instant, and not at another one.
    pub(super) fn arm_job(&mut self, job: Job, at: SimTime, class: Class, cause: Cause) {
        self.disarm(job);
        let timer = self.timers.push(at, class, Armed { job, cause });
        self.armed.insert(job, timer);
    }

    fn arm_unless_armed(&mut self, job: Job, wanted: Option<(SimTime, Class)>, cause: Cause) {
        let now = self.due.get(&job).copied();
        if now == wanted && (now.is_none() || self.is_armed(job)) {
            return;
        }
        match wanted {
            Some((at, class)) => {
                self.due.insert(job, (at, class));
                self.arm_job(job, at, class, cause);
            }
            None => {
                self.due.remove(&job);
                self.disarm(job);
            }
        }
    }

    /// Wakes those jobs that have something to do.
    pub(super) fn rearm(&mut self, cx: &Cx) {
        let (now, cause, born) = (cx.now(), cx.cause(), self.born);
        let later = now.saturating_add(1);
        let settings = self.settings.clone();
        let scale = (!self.unbalanced.is_empty())
            .then(|| (tick_from(later, born, settings.scale_ms), Class::OneShot));
        self.arm_unless_armed(Job::Scale, scale, cause);
        let overdue = self.tracker.first_overdue();
        let overdue = overdue.map(|at| (tick_from(at.max(later), born, OVERDUE_MS), Class::OneShot));
        self.arm_unless_armed(Job::Overdue, overdue, cause);
        let expunge = self.tracker.first_to_expunge();
        let expunge = expunge.map(|at| (tick_from(at.max(later), born, settings.expunge_ms), Class::OneShot));
        self.arm_unless_armed(Job::Expunge, expunge, cause);
        let inactive = self.tracker.first_to_give_up();
        let reconcile = if !self.orphans.is_empty() {
            Some((tick_from(later, born, settings.reconcile_ms), Class::OneShot))
        } else if let Some(at) = inactive {
            Some((tick_from(at.max(later), born, settings.reconcile_ms), Class::OneShot))
        } else {
            self.in_doubt.then(|| (tick_from(later, born, settings.reconcile_ms), Class::Periodic))
        };
        self.arm_unless_armed(Job::Reconcile, reconcile, cause);
    }

    /// Gives up the lead in a moment.
    pub(crate) fn abdicate(&mut self, cx: &Cx) {
        if !self.is_armed(Job::Abdicate) {
            let at = cx.now().saturating_add(ABDICATION_MS);
            self.arm_job(Job::Abdicate, at, Class::OneShot, cx.cause());
        }
    }

    /// Handles one due timer.
    pub(crate) fn fire(&mut self, cx: &mut Cx, cluster: &mut Cluster) {
        let Some((_, _, armed)) = self.timers.pop_due(cx.now()) else { return };
        self.armed.remove(&armed.job);
        self.due.remove(&armed.job);
        cx.set_cause(armed.cause);
        match armed.job {
            Job::Scale => self.scale_all(cx, cluster),
            Job::Reconcile => self.reconcile(cx, cluster),
            Job::Overdue => self.end_overdue(cx, cluster),
            Job::Expunge => self.expunge_lost(cx),
            Job::KillRetry => self.retry_kills(cx, cluster),
            Job::Revive | Job::Resent => {}
            Job::ReviveAgain => self.revive_again(cx, cluster),
            Job::Backoff(spec) => self.delay_ended(cx, spec),
            Job::Sync(spec) => self.sync(cx, spec),
            Job::Abdicate => self.start_again(cx, cluster),
        }
        self.settle(cx, cluster);
    }

    /// Whether an instance with this id is expected by the present tree.
    pub(super) fn desired(&self, no: SpecNo) -> Option<u32> {
        Some(self.run(no)?.spec.as_ref()?.instances)
    }

    /// Looks anew whether a spec has as many instances as it should.
    pub(super) fn weigh(&mut self, no: SpecNo) {
        let wanted = self.tracker.counts(no).wanted;
        let desired = self.desired(no);
        let locked = self.run(no).is_some_and(|run| run.lock.is_some());
        let unbalanced = !locked && desired.is_some_and(|desired| desired != wanted);
        set(&mut self.unbalanced, no, unbalanced);
        set(&mut self.orphans, no, desired.is_none() && wanted > 0);
    }

    /// When counts of a spec that nobody works on and that are not right are looked at: at which instant, how many there
    /// should be, how many there are.
    pub(crate) fn next_look_at_counts(&self, no: SpecNo) -> Option<(SimTime, u32, u32)> {
        self.unbalanced.get(&no)?;
        let (at, _) = self.due.get(&Job::Scale)?;
        Some((*at, self.desired(no)?, self.tracker.counts(no).wanted))
    }

    fn scale_all(&mut self, cx: &mut Cx, cluster: &mut Cluster) {
        let all: Vec<SpecNo> = self.unbalanced.keys().copied().collect();
        for no in all {
            self.rescale(cx, cluster, no);
        }
    }

    /// Asks the master about tasks, and gives up instances of what is not there any more.
    fn reconcile(&mut self, cx: &mut Cx, cluster: &mut Cluster) {
        self.in_doubt = false;
        let orphans: Vec<SpecNo> = self.orphans.keys().copied().collect();
        for no in orphans {
            let keys: Vec<Key> = self.tracker.of_spec(no).map(|(key, _)| key).collect();
            for key in keys {
                self.set_goal(cx, key, Goal::Decommissioned, "nothing with its id is defined any more");
            }
        }
        let mut tasks = Vec::new();
        for (_, instance) in self.tracker.iter() {
            let doubtful =
                matches!(instance.condition, Condition::Unreachable | Condition::UnreachableInactive);
            for task in instance.tasks.iter().filter(|task| !task.condition.is_terminal()) {
                let Some(status) = &task.status else { continue };
                let known = || cluster.probe(self.framework, &task.id).map(|facts| facts.state);
                if doubtful || known() != Some(status.state.as_str()) {
                    let agent_id = instance.agent.as_ref().map(|agent| agent.agent_id.clone());
                    tasks.push(ReconcileTask { task_id: task.id.clone(), agent_id });
                }
            }
        }
        if !tasks.is_empty() {
            cluster.call(cx, self.framework, Call::Reconcile { tasks });
        }
    }

    /// Kills what does not come up, and forgets reservations that do not show up.
    fn end_overdue(&mut self, cx: &mut Cx, cluster: &mut Cluster) {
        for key in self.tracker.take_overdue(cx.now()) {
            let Some(instance) = self.tracker.get(key).cloned() else { continue };
            if super::tracker::reservation_deadline(&instance).is_some_and(|deadline| deadline <= cx.now()) {
                let cause = self.say_instance(
                    cx,
                    "reservation-timeout",
                    (key.spec, &instance),
                    "its reservation has not shown up in time",
                );
                self.tracker.time_out(key, cause);
            } else {
                self.kill_overdue(cx, cluster, (key, instance));
            }
        }
    }

    fn kill_overdue(&mut self, cx: &mut Cx, cluster: &mut Cluster, (key, instance): (Key, Arc<Instance>)) {
        let text = if instance.condition == Condition::Provisioned {
            "its launch has not been confirmed in time"
        } else {
            "its task has not started in time"
        };
        let cause = self.say_instance(cx, "instance-overdue", (key.spec, &instance), text);
        cx.scoped(cause, |cx| self.kill_instances(cx, cluster, &[(key, instance)]));
    }

    fn expunge_lost(&mut self, cx: &mut Cx) {
        for key in self.tracker.take_lost(cx.now()) {
            let Some(instance) = self.tracker.get(key).cloned() else { continue };
            let text = "it has not answered for so long that it is forgotten";
            let cause = self.say_instance(cx, "instance-expunged", (key.spec, &instance), text);
            self.tracker.force_expunge(key, cause);
        }
    }
}

/// Puts a key in or out.
pub(super) fn set(map: &mut planarium_kernel::Map<SpecNo, ()>, no: SpecNo, wanted: bool) {
    if wanted {
        if !map.contains_key(&no) {
            map.insert(no, ());
        }
    } else {
        map.remove(&no);
    }
}
