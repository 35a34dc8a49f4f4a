//! The launched tasks that a step waits for.
//!
//! *Knows*: a list shared by copies until one of them changes it. *Must not know*: what moves a step.

use planarium_plan::{Holder, StepState};
use planarium_protocol::Text;
use std::ops::Deref;
use std::sync::Arc;

/// A task that a step launched and waits for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct StepTask {
    /// Task id.
    pub(crate) id: Text,
    /// Name within the pod.
    pub(crate) task: Text,
    /// State of the task's part in the step.
    pub(crate) state: StepState,
    /// The step of another plan that ended it for the sake of its resource set.
    pub(crate) ended_by: Option<Holder>,
}

/// All of them, in order of launch.
#[derive(Clone, Debug, Default)]
pub(crate) struct StepTasks(Option<Arc<Vec<StepTask>>>);

impl Deref for StepTasks {
    type Target = [StepTask];

    fn deref(&self) -> &[StepTask] {
        self.0.as_ref().map_or(&[], |tasks| tasks)
    }
}

impl StepTasks {
    /// Adds one.
    pub(crate) fn push(&mut self, task: StepTask) {
        Arc::make_mut(self.0.get_or_insert_default()).push(task);
    }

    /// One, to change.
    pub(crate) fn get_mut(&mut self, at: usize) -> Option<&mut StepTask> {
        Arc::make_mut(self.0.as_mut()?).get_mut(at)
    }
}
