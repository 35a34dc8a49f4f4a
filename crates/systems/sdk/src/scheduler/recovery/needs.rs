//! Needs of a failed pod instance: the tasks to launch so that it comes back.
//!
//! *Knows*: stored tasks in the version they run, launch delays. *Must not know*: which phases there are.
//!
//! **Source**: `dcos-commons: …/scheduler/recovery/FailureUtils.java, …/offer/TaskUtils.java (getPodRequirements)`. Match.

use super::FailedPods;
use super::failed_pods::Needs;
use crate::scheduler::configs::Configs;
use crate::scheduler::delays::Backoff;
use crate::scheduler::plans::Assets;
use crate::scheduler::requirement::Requirement;
use crate::scheduler::state::{PodKey, StoredStatus, TaskRecord, TaskStore};
use crate::spec::{Goal, TaskSpec};
use planarium_kernel::{Cause, SimTime};
use planarium_protocol::Text;

/// The records that a pod's needs follow from.
#[derive(Clone, Copy)]
pub(super) struct Evidence<'a> {
    pub(super) tasks: &'a TaskStore,
    pub(super) configs: &'a Configs,
    pub(super) backoff: &'a Backoff,
    pub(super) failed: &'a FailedPods,
    pub(super) now: SimTime,
}

impl Evidence<'_> {
    /// Computes the requirements of a pod instance.
    pub(super) fn needs(self, key: &PodKey, assets: &mut Assets) -> Needs {
        let requirements = self.requirements(key, assets).into_iter();
        let requirements = requirements.map(|requirement| {
            let asset = assets.of(&requirement);
            (requirement, asset)
        });
        Needs { requirements: requirements.collect(), changes: self.tasks.changes(key) }
    }

    /// Requirements of a pod instance, by the versions its failed tasks run.
    fn requirements(self, key: &PodKey, assets: &Assets) -> Vec<Requirement> {
        let Some(tasks) = self.tasks.pod(key) else { return Vec::new() };
        let mut versions: Vec<Text> = Vec::new();
        for task in tasks.values().filter(|task| self.failed.may_recover(task, self.configs)) {
            if !versions.contains(&task.config) {
                versions.push(task.config.clone());
            }
        }
        versions.iter().filter_map(|config| self.requirement(key, config, assets)).collect()
    }

    fn requirement(self, key: &PodKey, config: &Text, assets: &Assets) -> Option<Requirement> {
        let pod = self.configs.versions.get(config)?.pods.get(&key.pod)?.clone();
        let tasks = self.tasks.pod(key)?;
        let is_failed =
            |task: &&TaskRecord| task.config == *config && self.failed.may_recover(task, self.configs);
        let failed: Vec<&TaskRecord> = tasks.values().filter(is_failed).collect();
        let delayed = |spec: &TaskSpec| {
            !self.backoff.is_empty() && self.backoff.running(&key.task(&spec.name), self.now).is_some()
        };
        let essential =
            failed.iter().any(|task| pod.spec.task(&task.task).is_some_and(|spec| spec.essential));
        if essential && pod.spec.tasks.iter().any(|spec| delayed(spec)) {
            return None;
        }
        let chosen: Vec<&TaskRecord> = pod
            .spec
            .tasks
            .iter()
            .filter(|spec| essential || (failed.iter().any(|task| task.task == spec.name) && !delayed(spec)))
            .filter(|spec| spec.goal == Goal::Running)
            .filter_map(|spec| tasks.of(&spec.name).filter(|task| task.own_status().is_some()))
            .collect();
        if chosen.is_empty() {
            return None;
        }
        let names = chosen.iter().map(|task| task.name.clone()).collect();
        let chosen = assets.list(chosen.iter().map(|task| &task.task));
        Some(Requirement::named(key.clone(), pod, chosen, names, config.clone()))
    }
}

/// Returns names of tasks that are permanently lost because an operator gave up their agent, and not flagged yet.
pub(super) fn gone_by_operator(key: &PodKey, tasks: &TaskStore) -> Vec<Text> {
    let tasks = tasks.pod(key).into_iter().flat_map(|tasks| tasks.values());
    tasks
        .filter(|task| !task.permanently_failed)
        .filter(|task| task.own_status().is_some_and(|s| s.state == "TASK_GONE_BY_OPERATOR"))
        .map(|task| task.name.clone())
        .collect()
}

/// The event of the failure that made a recovery necessary: the last one among its tasks.
pub(super) fn failure_cause(requirement: &Requirement, tasks: &TaskStore) -> Option<Cause> {
    let last = requirement
        .task_names()
        .iter()
        .filter_map(|name| tasks.named(name))
        .filter(|task| task.status.as_ref().is_some_and(StoredStatus::needs_recovery))
        .filter_map(|task| tasks.event_of(task))
        .max()?;
    (last > 0).then_some(Cause::Event(last))
}
