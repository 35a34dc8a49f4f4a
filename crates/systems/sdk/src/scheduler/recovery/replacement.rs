//! Timed replacement: a pod that has been failing for too long is given up as lost.
//!
//! *Knows*: since when a task has been failing, and the policy of the service. *Must not know*: how a pod is recovered.
//!
//! **Source**: `dcos-commons: …/scheduler/recovery/monitor/TimedFailureMonitor.java`. Match.

use super::FailedPods;
use crate::scheduler::Cx;
use crate::scheduler::configs::Configs;
use crate::scheduler::plans::Plans;
use crate::scheduler::state::{PodKey, TaskStore};
use crate::scheduler::timers::{TimerKind, Timers};
use planarium_kernel::SimTime;
use planarium_kernel::queue::Class;
use planarium_plan::{Element, PlanId};
use planarium_protocol::Text;

/// The records that the watch over failing tasks changes.
pub(super) struct Watch<'a> {
    pub(super) configs: &'a Configs,
    pub(super) tasks: &'a mut TaskStore,
    pub(super) failed: &'a mut FailedPods,
    pub(super) timers: &'a mut Timers,
}

impl Watch<'_> {
    /// With a replacement policy, the tasks of every incomplete recovery are watched as well, running or
    /// not.
    ///
    /// Quirk: a relaunched pod that stays STARTED for longer than the timeout is given up and replaced.
    pub(super) fn recovering(&mut self, cx: &Cx, plans: &Plans, id: PlanId) {
        if self.configs.target.spec.replacement_failure_policy.is_none() {
            return;
        }
        let Some(plan) = plans.get(id) else { return };
        let keys: Vec<PodKey> = plan
            .tree
            .all_steps()
            .filter(|step| !plan.tree.status(Element::Step(*step)).is_complete())
            .filter_map(|step| plan.requirement(step).map(|requirement| requirement.key.clone()))
            .collect();
        for key in keys {
            let names: Vec<Text> =
                self.tasks.pod(&key).into_iter().flat_map(|tasks| tasks.keys().cloned()).collect();
            for name in names {
                self.task(cx, &name);
            }
        }
    }

    /// Notes since when a task has been failing; flags its pod once that is too long.
    pub(super) fn task(&mut self, cx: &Cx, name: &str) {
        let Some(policy) = self.configs.target.spec.replacement_failure_policy else { return };
        let timeout = policy.permanent_failure_timeout_s.saturating_mul(1000);
        let now = cx.now();
        let since = self.tasks.update(name, |task| *task.watched_since.get_or_insert(now));
        let Some(since) = since else { return };
        if now > since.saturating_add(timeout) {
            if let Some(key) = self.tasks.named(name).map(|task| task.pod.clone()) {
                self.tasks.flag_pod(&key);
                self.failed.note_pod(&key, self.tasks, self.configs);
            }
        } else if since == now {
            let at: SimTime = since.saturating_add(timeout).saturating_add(1);
            self.timers.arm(cx, at, Class::OneShot, TimerKind::Replacement);
        }
    }
}
