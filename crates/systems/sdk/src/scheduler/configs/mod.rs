//! Configurations: the target, and the versions that stored tasks were launched with.
//!
//! *Knows*: definitions under their ids, the effective placement of their pods, why a definition was refused.
//! *Must not know*: plans, offers.
//!
//! **Source**: `dcos-commons: …/state/ConfigStore.java`.

pub(crate) mod task_env;
mod update;

pub(crate) use update::{Predecessor, findings_against, region_awareness};

use super::state::TaskRecord;
use crate::placement::{self, Rule};
use crate::spec::{Goal, PodSpec, ServiceSpec, TaskSpec};
use planarium_kernel::SortedMap;
use planarium_protocol::Text;
use std::sync::Arc;
use task_env::TaskEnv;

/// The configurations of a service.
#[derive(Clone, Debug)]
pub(crate) struct Configs {
    /// The configuration that plans bring the service to.
    pub(crate) target: Arc<Config>,
    /// Configurations that the target or stored tasks refer to, by id.
    pub(crate) versions: SortedMap<Text, Arc<Config>>,
    /// Why the definition that the process was started with is not the target; empty when it is.
    pub(crate) refused: Arc<[Text]>,
}

impl Configs {
    /// Returns the configuration with an id; the target if it is unknown.
    pub(crate) fn version_or_target(&self, id: &Text) -> &Arc<Config> {
        self.versions.get(id).unwrap_or(&self.target)
    }

    /// The definition of a stored task in the version it was launched with.
    pub(crate) fn task_spec(&self, task: &TaskRecord) -> Option<&Arc<TaskSpec>> {
        self.versions.get(&task.config)?.pods.get(&task.pod.pod)?.spec.task(&task.task)
    }

    /// The goal of a stored task in the version it was launched with.
    pub(crate) fn goal_of(&self, task: &TaskRecord) -> Option<Goal> {
        self.task_spec(task).map(|spec| spec.goal)
    }

    /// Forgets everything but the target.
    pub(crate) fn keep_target_only(&mut self) {
        let target = self.target.id.clone();
        self.versions.retain(|id, _| *id == target);
    }
}

/// A pod type of one configuration.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct PodType {
    /// Its definition.
    pub(crate) spec: Arc<PodSpec>,
    /// The rule it is really placed by.
    pub(crate) rule: Rule,
    /// Environment that the launches of its tasks share.
    pub(crate) envs: Vec<TaskEnv>,
}

impl PodType {
    /// The same, with another command line for one task.
    pub(crate) fn with_command(&self, service: &ServiceSpec, task: &str, command: &Text) -> Self {
        let tasks = self.spec.tasks.iter().map(|old| {
            if *old.name != *task {
                return old.clone();
            }
            Arc::new(TaskSpec { cmd: command.clone(), ..(**old).clone() })
        });
        let spec = Arc::new(PodSpec { tasks: tasks.collect(), ..(*self.spec).clone() });
        let envs = spec.tasks.iter().map(|task| TaskEnv::of(service, &spec, task)).collect();
        Self { spec, rule: self.rule.clone(), envs }
    }
}

/// One configuration: a definition under an id.
#[derive(Clone, Debug)]
pub(crate) struct Config {
    /// Its id.
    pub(crate) id: Text,
    /// The definition.
    pub(crate) spec: Arc<ServiceSpec>,
    /// Pod types by name.
    pub(crate) pods: SortedMap<Text, Arc<PodType>>,
}

impl Config {
    /// Creates a configuration; `region_awareness` comes from the scheduler's environment.
    pub(crate) fn new(id: Text, spec: Arc<ServiceSpec>, region_awareness: bool) -> Self {
        let region = spec.region.as_deref();
        let pods = spec
            .pods
            .iter()
            .map(|pod| {
                let rule = placement::effective(pod.placement.as_deref(), region, region_awareness);
                let envs = pod.tasks.iter().map(|task| TaskEnv::of(&spec, pod, task)).collect();
                (pod.name.clone(), Arc::new(PodType { spec: pod.clone(), rule, envs }))
            })
            .collect();
        Self { id, spec, pods }
    }
}
