//! Failures of instances: the delay of further launches, and the last failure that is remembered.

use crate::apps::Failure;
use crate::causes::event_of;
use crate::instances::instance::{Condition, Instance};
use crate::instances::tracker::Change;
use crate::records::Records;
use planarium_kernel::Cause;
use planarium_mesos::api::{Reason, TaskState};
use planarium_part::Cx;
use std::sync::Arc;

impl Records {
    /// Failures delay further launches.
    ///
    /// **Source**: `marathon: core/task/update/impl/steps/NotifyRateLimiterStepImpl.scala`. Match.
    pub(crate) fn limit_rate(&mut self, cx: &mut Cx, change: &Change) {
        let (no, spec, now) = (change.key.spec, &change.now.spec, cx.now());
        let changed = change.before.is_none_or(|before| before.condition != change.seen);
        if is_drained(&change.now) {
            self.reset_delay(cx, no, spec);
        } else if changed && delays(change.seen) {
            let tick = self.setup.sweep_tick(now);
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
            let tick = self.setup.sweep_tick(now);
            let Some(run) = self.run_mut(no) else { return };
            run.backoff.sweep(tick);
            run.backoff.advance(spec, now);
            self.watch_delay(no, cx.cause(), now);
        }
    }

    /// Remembers the last failure of a task.
    ///
    /// **Source**: `marathon: core/history/impl/HistoryActor.scala, state/TaskFailure.scala`. Match.
    pub(crate) fn note_failure(&mut self, cx: &Cx, change: &Change) {
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

/// Its agent is being drained, which is not a failure.
fn is_drained(instance: &Instance) -> bool {
    instance.tasks.iter().filter_map(|task| task.status.as_ref()).any(|status| {
        status.reason == Some(Reason::AgentDraining)
            && matches!(status.state, TaskState::Killed | TaskState::GoneByOperator)
    })
}
