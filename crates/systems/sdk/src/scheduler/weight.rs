//! What a scheduler takes that an earlier copy of it does not share.
//!
//! *Knows*: which parts copies share. *Must not know*: what the estimate is for.

use super::Scheduler;
use super::evaluate::outcome::{Check, Outcome};
use super::history::Evaluation;
use super::plan::{Look, Plan, StepData, StepTask};
use super::pod_tasks::PodTasks;
use super::record::{Held, TaskRecord};
use planarium_kernel::cow::{behind, bytes_of};
use planarium_protocol::Text;
use std::cell::Cell;
use std::sync::Arc;

/// Texts of a stored task.
const TASK_TEXTS: u64 = 512;
/// A row of an ordered map of texts.
const ROW: u64 = 64;

impl Scheduler {
    /// Bytes that this scheduler holds and `before` does not, by estimate. *Cost*: by the number of chunks.
    pub fn beyond(&self, before: Option<&Self>) -> u64 {
        let plans = self.plans.iter().enumerate();
        let rows = self.delayed.len()
            + self.failing.len()
            + self.givers.len()
            + self.withheld.len()
            + self.history.agents.len()
            + self.reconciling.missing.len();
        bytes_of::<Self>(1)
            + plans.map(|(at, plan)| plan.beyond(before.and_then(|before| before.plans.get(at)))).sum::<u64>()
            + self.store.beyond(before.map(|before| &before.store))
            + self.waiting.beyond(before.map(|before| &before.waiting))
            + self.timers.bytes()
            + bytes_of::<usize>(self.offers.len())
            + bytes_of::<Evaluation>(self.history.last.len())
            + ROW * rows as u64
    }
}

impl Plan {
    fn beyond(&self, before: Option<&Self>) -> u64 {
        // Steps looked at together share one look: it counts with the first of them.
        let counted: Cell<Option<*const Look>> = Cell::new(None);
        let step = |step: &StepData, old: Option<&StepData>| {
            let look = step.look.as_ref().map_or(0, |look| {
                if counted.replace(Some(Arc::as_ptr(look))) == Some(Arc::as_ptr(look)) {
                    return 0;
                }
                let old = old.and_then(|old| old.look.as_ref());
                behind(look, old, |look| look.beyond(old.map(|old| &**old)))
            });
            look + bytes_of::<StepTask>(step.tasks.len())
        };
        bytes_of::<Self>(1)
            + self.tree.bytes()
            + self.steps.beyond(before.map(|before| &before.steps), step)
            + self.phases.beyond(before.map(|before| &before.phases), |_, _| ROW)
    }
}

impl Look {
    fn beyond(&self, before: Option<&Self>) -> u64 {
        let mut old = before.into_iter().flat_map(|before| before.outcomes.iter()).peekable();
        let outcome = |(agent, outcome): (&Text, &Arc<Outcome>)| {
            while old.next_if(|(other, _)| *other < agent).is_some() {}
            let old = old.next_if(|(other, _)| *other == agent).map(|(_, old)| old);
            ROW + behind(outcome, old, |outcome| bytes_of::<Check>(outcome.checks.len()) + ROW)
        };
        self.outcomes.iter().map(outcome).sum()
    }
}

/// What the tasks of a pod take.
pub(super) fn pod(tasks: &Arc<PodTasks>, before: Option<&Arc<PodTasks>>) -> u64 {
    behind(tasks, before, |tasks| {
        let task = |(at, task): (usize, &TaskRecord)| {
            let old = before.and_then(|before| {
                before.nth(at).filter(|old| old.name == task.name).or_else(|| before.get(&task.name))
            });
            let launched = behind(&task.launched, old.map(|old| &old.launched), |launched| {
                TASK_TEXTS + bytes_of::<Held>(launched.held.len() + launched.executor.len())
            });
            bytes_of::<TaskRecord>(1) + launched
        };
        tasks.values().enumerate().map(task).sum()
    })
}
