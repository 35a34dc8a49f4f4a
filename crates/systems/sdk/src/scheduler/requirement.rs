//! The requirement of a step: tasks of a pod instance, their version, and the reason to launch them.
//!
//! *Knows*: names of tasks, identity of work. *Must not know*: offers, statuses.
//!
//! **Source**: `dcos-commons: …/scheduler/plan/PodInstanceRequirement.java`.

use super::configs::PodType;
use super::state::PodKey;
use crate::spec::TaskSpec;
use planarium_kernel::Digest;
use planarium_protocol::Text;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Identity of one piece of work: step name, requirement, recovery type and parameters.
pub(crate) type WorkKey = u64;

/// Why a pod instance is launched.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Recovery {
    /// Requested by a plan.
    #[default]
    None,
    /// It failed and comes back in place.
    Transient,
    /// It is lost and replaced.
    Permanent,
}

impl Recovery {
    /// The real system's word.
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::None => "NONE",
            Self::Transient => "TRANSIENT",
            Self::Permanent => "PERMANENT",
        }
    }
}

/// The need of a step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Requirement {
    /// Pod instance.
    pub(crate) key: PodKey,
    /// Pod type in the version to launch.
    pub(crate) pod: Arc<PodType>,
    /// Names (within the pod) of the tasks to launch.
    pub(crate) tasks: Arc<[Text]>,
    /// Id of the configuration to launch with.
    pub(crate) config: Text,
    /// Why.
    pub(crate) recovery: Recovery,
    /// Instance names of the tasks to launch.
    names: Arc<[Text]>,
}

impl Requirement {
    /// Tasks of a pod instance in the version of a configuration, as a plan says.
    pub(crate) fn new(key: PodKey, pod: Arc<PodType>, tasks: Arc<[Text]>, config: Text) -> Self {
        let names = tasks.iter().map(|task| key.task(task)).collect();
        Self { key, pod, tasks, config, recovery: Recovery::None, names }
    }

    /// The same for another reason.
    pub(crate) fn recovering(&self, recovery: Recovery) -> Self {
        Self { recovery, ..self.clone() }
    }

    /// `<pod instance>:[<task>, <task>]`.
    pub(crate) fn name(&self) -> Text {
        format!("{}:[{}]", self.key.name(), self.tasks.join(", ")).into()
    }

    /// The tasks to launch.
    pub(crate) fn task_specs(&self) -> impl Iterator<Item = &Arc<TaskSpec>> {
        self.tasks.iter().filter_map(|name| self.pod.spec.task(name))
    }

    /// Tasks of a pod instance, in the order of the given instance names.
    pub(crate) fn named(
        key: PodKey,
        pod: Arc<PodType>,
        tasks: Arc<[Text]>,
        names: Arc<[Text]>,
        config: Text,
    ) -> Self {
        debug_assert!(tasks.iter().map(|task| key.task(task)).eq(names.iter().cloned()));
        Self { key, pod, tasks, config, recovery: Recovery::None, names }
    }

    /// The instance name of a task of the pod.
    pub(crate) fn name_of(&self, task: &str) -> Text {
        let at = self.tasks.iter().position(|mine| **mine == *task);
        at.and_then(|at| self.names.get(at)).map_or_else(|| self.key.task(task), Text::clone)
    }

    /// Instance names of the tasks to launch.
    pub(crate) fn task_names(&self) -> &[Text] {
        &self.names
    }

    /// Identity of this piece of work for telling new work from old.
    pub(crate) fn work_key(&self, step: &str, params: &BTreeMap<String, String>) -> WorkKey {
        let mut digest = Digest::new();
        digest.write_str(step);
        digest.write_str(&self.key.pod);
        digest.write_u32(self.key.index);
        self.tasks.iter().for_each(|task| digest.write_str(task));
        digest.write_str(&self.config);
        digest.write_str(self.recovery.as_str());
        for (key, value) in params {
            digest.write_str(key);
            digest.write_str(value);
        }
        digest.finish()
    }
}
