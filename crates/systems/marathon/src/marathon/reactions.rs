//! Reactions to a change of an instance, in their order.
//!
//! **Source**: `marathon: core/CoreGuiceModule.scala (taskStatusUpdateSteps), core/task/update/impl/steps`. Match.

use crate::deployments::jobs::JobEvent;
use crate::events::Happening;
use crate::instances::instance::Condition;
use crate::instances::tracker::{Change, Tracked};
use crate::marathon::Marathon;
use crate::port::Port;

impl Marathon {
    /// Everything that follows from a change of an instance.
    pub(crate) fn react(&mut self, port: &mut Port<'_>, change: &Change) {
        let no = change.key.spec;
        self.records.touch(no);
        self.probes.hear(&mut self.records, port, change);
        self.agent_checks(port, change);
        self.records.limit_rate(port.cx, change);
        self.records.note_failure(port.cx, change);
        if let Some(task) = &change.task {
            let instance = change.now.clone();
            self.records.publish(port.cx, Happening::Status { instance, task: task.clone() });
        }
        if change.told {
            self.records.publish(port.cx, Happening::Changed { instance: change.now.clone() });
            let changed = Tracked { key: change.key, instance: &change.now };
            self.kills.hear(&mut self.records, port, changed);
            if change.now.condition == Condition::Running && change.now.healthy != Some(false) {
                self.tokens.give_back(&self.records.setup, port.now());
            }
            self.deploying(port).job_hears(no, &JobEvent::Changed(change));
        }
        let was_healthy = change.before.and_then(|before| before.healthy);
        if was_healthy != change.now.healthy {
            self.health_changed(port, change.key, &change.now, change.now.version(), change.now.healthy);
        }
        self.deploying(port).job_hears(no, &JobEvent::Gone(change));
        self.records.rescaling_hears(port.cx, no, &change.now, change.deleted);
        self.records.weigh(no);
        if is_worth_scaling(change.seen)
            && change.before.is_none_or(|before| !is_worth_scaling(before.condition))
        {
            self.records.rescale(port.cx, no);
        }
    }
}

/// It has ended or is given up: counts are looked at.
fn is_worth_scaling(condition: Condition) -> bool {
    condition.is_terminal() || condition == Condition::UnreachableInactive
}
