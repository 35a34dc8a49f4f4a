//! The scheduler's size and invariants.
//!
//! *Knows*: every record with state. *Must not know*: the purpose of any record.

use super::Scheduler;
use planarium_plan::StepState;

impl Scheduler {
    /// Estimates the bytes of a full copy.
    pub fn weight(&self) -> u64 {
        let steps: usize = self.plans.iter().map(|plan| plan.tree.step_count()).sum();
        4096 + 512 * steps as u64 + 1024 * u64::from(self.state.tasks.pod_count())
    }

    /// Broken invariants, in words. *Cost*: walks everything.
    pub fn check(&self) -> Vec<String> {
        let mut found = self.state.tasks.check();
        found.extend(self.failed.check());
        for plan in self.plans.iter() {
            if let Err(discrepancy) = plan.tree.check() {
                found.push(format!("plan {}: {discrepancy:?}", plan.name()));
            }
            for step in plan.tree.all_steps() {
                let Some(data) = plan.step(step) else {
                    found.push(format!("plan {}: a step without data", plan.name()));
                    continue;
                };
                let state = plan.tree.step_state(step);
                if state == Some(StepState::Starting) && data.tasks.is_empty() {
                    found.push(format!("step {} is STARTING without a task", plan.step_name(step)));
                }
            }
        }
        for (id, holder) in self.plans.waiting.iter() {
            let known =
                self.plans.step(*holder).is_some_and(|data| data.tasks.iter().any(|task| task.id == *id));
            if !known {
                found.push(format!("task id {id} is waited for by a step that does not know it"));
            }
        }
        found
    }
}
