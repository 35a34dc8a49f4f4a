//! Who reacts to a change of an instance, and in which order.
//!
//! **Source**: `marathon: core/CoreGuiceModule.scala (taskStatusUpdateSteps), core/task/update/impl/steps`. Match.

use super::bus::Happening;
use super::instance::{Condition, Goal, Instance};
use super::spec_run::Failure;
use super::tracker::{Change, Key};
use super::{Marathon, work};
use planarium_kernel::Cause;
use planarium_mesos::Cluster;
use planarium_mesos::api::{Reason, TaskState};
use planarium_part::Cx;
use std::sync::Arc;

impl Marathon {
    /// Something else is wanted of an instance, for a reason.
    pub(crate) fn set_goal(&mut self, cx: &mut Cx, key: Key, goal: Goal, text: &str) {
        let Some(instance) = self.tracker.get(key).cloned() else { return };
        if instance.goal == goal {
            return;
        }
        let what = if goal == Goal::Decommissioned { "instance-decommissioned" } else { "instance-stopped" };
        let cause = self.say_instance(cx, what, (key.spec, &instance), text);
        self.tracker.set_goal(key, goal, cx.now(), cause);
    }

    /// Everything that follows from a change of an instance.
    pub(super) fn react(&mut self, cx: &mut Cx, cluster: &mut Cluster, change: &Change) {
        let no = change.key.spec;
        self.touch(no);
        self.health_hears(cx, cluster, change);
        self.limit_rate(cx, change);
        self.note_failure(cx, change);
        if let Some(task) = &change.task {
            let instance = change.now.clone();
            self.publish(cx, Happening::Status { instance, task: task.clone() });
        }
        if change.told {
            self.publish(cx, Happening::Changed { instance: change.now.clone() });
            self.kills_hear(cx, cluster, (change.key, &change.now));
            if change.now.condition == Condition::Running && change.now.healthy != Some(false) {
                self.add_token(cx);
            }
            self.job_hears(cx, cluster, no, &work::News::Changed(change));
        }
        let was_healthy = change.before.and_then(|before| before.healthy);
        if was_healthy != change.now.healthy {
            self.health_changed(
                cx,
                cluster,
                change.key,
                &change.now,
                change.now.version(),
                change.now.healthy,
            );
        }
        self.job_hears(cx, cluster, no, &work::News::Gone(change));
        self.rescaling_hears(cx, no, &change.now, change.deleted);
        self.weigh(no);
        if is_worth_scaling(change.seen)
            && change.before.is_none_or(|before| !is_worth_scaling(before.condition))
        {
            self.rescale(cx, cluster, no);
        }
    }

    /// Health of an instance as its agent sees it, or as all checks together do.
    pub(super) fn health_changed(
        &mut self,
        cx: &mut Cx,
        cluster: &mut Cluster,
        key: Key,
        instance: &Arc<Instance>,
        version: u64,
        healthy: Option<bool>,
    ) {
        let (id, spec) = (instance.id.clone(), instance.spec_id().clone());
        self.publish(cx, Happening::HealthChanged { instance: id, spec, version, healthy });
        self.job_hears(cx, cluster, key.spec, &work::News::Health { no: key.no, version, healthy });
    }

    /// Failures delay further launches.
    ///
    /// **Source**: `marathon: core/task/update/impl/steps/NotifyRateLimiterStepImpl.scala`. Match.
    fn limit_rate(&mut self, cx: &mut Cx, change: &Change) {
        let (no, spec, now) = (change.key.spec, &change.now.spec, cx.now());
        let changed = change.before.is_none_or(|before| before.condition != change.seen);
        if is_drained(&change.now) {
            self.reset_delay(cx, no, spec);
        } else if changed && delays(change.seen) {
            let tick = self.sweep_tick(now);
            let Some(run) = self.run_mut(no) else { return };
            run.backoff.sweep(tick);
            let delay = run.backoff.failed(spec, now);
            let event = self.say_backoff(cx, &change.now, &delay);
            if let Some(run) = self.run_mut(no) {
                run.backoff.told(spec, event);
            }
            self.watch_delay(no, Cause::Event(event), now);
        } else if changed && advances(change.seen) {
            if self.run(no).is_none_or(|run| run.backoff.is_empty()) {
                return;
            }
            let tick = self.sweep_tick(now);
            let Some(run) = self.run_mut(no) else { return };
            run.backoff.sweep(tick);
            run.backoff.advance(spec, now);
            self.watch_delay(no, cx.cause(), now);
        }
    }

    /// Remembers the last failure of a task.
    ///
    /// **Source**: `marathon: core/history/impl/HistoryActor.scala, state/TaskFailure.scala`. Match.
    fn note_failure(&mut self, cx: &Cx, change: &Change) {
        let Some(id) = &change.task else { return };
        let Some(task) = change.now.tasks.iter().find(|task| task.id == *id) else { return };
        let Some(status) = &task.status else { return };
        let failed = matches!(
            status.state,
            TaskState::Failed
                | TaskState::Error
                | TaskState::Lost
                | TaskState::Dropped
                | TaskState::Gone
                | TaskState::GoneByOperator
                | TaskState::Unknown
        );
        if !failed {
            return;
        }
        let failure = Failure {
            at: cx.now(),
            task: id.clone(),
            host: change.now.agent.as_ref().map_or_else(|| "unknown".into(), |agent| agent.hostname.clone()),
            agent_id: status.agent_id.clone(),
            state: status.state.as_str(),
            message: status.message.clone(),
            version: change.now.version(),
            event: event_of(cx.cause()),
        };
        if let Some(run) = self.run_mut(change.key.spec) {
            run.failure = Some(Arc::new(failure));
        }
    }
}

/// The event that a cause is, if it is one.
pub(super) fn event_of(cause: Cause) -> u64 {
    match cause {
        Cause::Event(event) => event,
        _ => 0,
    }
}

/// It has ended or is given up: counts are looked at.
fn is_worth_scaling(condition: Condition) -> bool {
    condition.is_terminal() || condition == Condition::UnreachableInactive
}

fn delays(condition: Condition) -> bool {
    matches!(
        condition,
        Condition::Dropped | Condition::Error | Condition::Failed | Condition::Gone | Condition::Finished
    )
}

fn advances(condition: Condition) -> bool {
    matches!(
        condition,
        Condition::Staging | Condition::Starting | Condition::Running | Condition::Provisioned
    )
}

/// Its agent is being drained, which is nobody's failure.
fn is_drained(instance: &Instance) -> bool {
    instance.tasks.iter().filter_map(|task| task.status.as_ref()).any(|status| {
        status.reason == Some(Reason::AgentDraining)
            && matches!(status.state, TaskState::Killed | TaskState::GoneByOperator)
    })
}
