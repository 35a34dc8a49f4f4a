//! Pod instances that may need recovery, with their requirements.
//!
//! *Knows*: which pods have failed tasks, in order of their names; their cached requirements by task state. *Must not
//! know*: which pods are recovered, and what prevents it.
//!
//! A failed pod that another step works on is checked in every cycle. Its requirements follow from its tasks alone
//! unless launches are delayed, so they are computed once for each state.

use crate::scheduler::configs::Configs;
use crate::scheduler::plans::Mentioned;
use crate::scheduler::requirement::Requirement;
use crate::scheduler::state::{PodKey, TaskRecord, TaskStore};
use crate::spec::Goal;
use planarium_kernel::Map;
use planarium_plan::Asset;
use planarium_protocol::Text;
use std::sync::Arc;

/// Needs of a failed pod instance.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Needs {
    /// The count of changes of its tasks that it was found out at.
    pub(super) changes: u64,
    /// By the version that its failed tasks run.
    pub(super) requirements: Vec<(Requirement, Asset)>,
}

/// A pod instance.
#[derive(Clone, Debug)]
pub(super) struct FailedPod {
    /// Name of the resource or key.
    pub(super) key: PodKey,
    /// Its requirements, if computed.
    pub(super) needs: Option<Arc<Needs>>,
}

/// All of them, by name.
#[derive(Clone, Debug, Default)]
pub(crate) struct FailedPods {
    pods: Map<Text, FailedPod>,
    /// Marks of the pod instances among them, by number: most that are asked for are not.
    marks: Vec<bool>,
    /// The tasks that plans mention: only these are recovered.
    pub(crate) mentioned: Arc<Mentioned>,
}

impl FailedPods {
    /// Number of failed pods.
    pub(crate) fn len(&self) -> usize {
        self.pods.len()
    }

    /// There are none any more.
    pub(crate) fn clear(&mut self) {
        *self = Self { mentioned: self.mentioned.clone(), ..Self::default() };
    }

    /// Notes whether a pod instance has anything to recover.
    pub(crate) fn note_pod(&mut self, key: &PodKey, tasks: &TaskStore, configs: &Configs) {
        let failing =
            tasks.pod(key).is_some_and(|tasks| tasks.values().any(|task| self.may_recover(task, configs)));
        self.note(key, failing);
    }

    /// Tells if a task is a goal-RUNNING task of some plan that failed or is flagged as lost. A stub's status is that of
    /// a launch before.
    pub(super) fn may_recover(&self, task: &TaskRecord, configs: &Configs) -> bool {
        let Some(status) = task.own_status() else { return false };
        (status.needs_recovery() || task.permanently_failed)
            && configs.goal_of(task) == Some(Goal::Running)
            && self.mentioned.contains(task)
    }

    /// Records whether a pod instance has failed.
    fn note(&mut self, key: &PodKey, failing: bool) {
        let at = key.number() as usize;
        if !key.is_stored() || self.marks.get(at).copied().unwrap_or(false) == failing {
            return;
        }
        if self.marks.len() <= at {
            self.marks.resize(at + 1, false);
        }
        if let Some(mark) = self.marks.get_mut(at) {
            *mark = failing;
        }
        if failing {
            self.pods.insert(key.name(), FailedPod { key: key.clone(), needs: None });
        } else {
            self.pods.remove(key.name_text());
        }
    }

    /// Returns all failed pods, in order of their names.
    pub(super) fn all(&self) -> Vec<FailedPod> {
        self.pods.values().cloned().collect()
    }

    /// Stores the requirements of a pod instance, if it is still failed.
    pub(super) fn set_needs(&mut self, key: &PodKey, needs: &Arc<Needs>) {
        if let Some(pod) = self.pods.get_mut(key.name_text()) {
            pod.needs = Some(needs.clone());
        }
    }

    /// Finds marks that are not those of the pods.
    pub(crate) fn check(&self) -> Option<String> {
        let marked = |pod: &FailedPod| self.marks.get(pod.key.number() as usize) == Some(&true);
        let count = self.marks.iter().filter(|mark| **mark).count();
        let sound = count == self.pods.len() && self.pods.values().all(marked);
        (!sound).then(|| "the marks of failed pods are not those of the pods".to_owned())
    }
}
