//! The part of a task's environment that all of its launches in one configuration share, prepared once.
//!
//! *Knows*: the part of a task's environment that is the same for every pod instance and machine.
//! *Must not know*: instances, offers, reservations.

use crate::config_file;
use crate::placement::Rule;
use crate::spec::{PodSpec, ServiceSpec, TaskSpec};
use planarium_kernel::SortedMap;
use planarium_protocol::Text;
use std::sync::Arc;

/// The part of a task's environment that is the same for every instance.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct TaskEnv {
    /// Name of the service.
    service: Text,
    /// The task.
    task: Arc<TaskSpec>,
    /// The definition's environment, overridden by the service's variables, with empty entries for the values of each
    /// instance.
    pub(crate) env: SortedMap<Text, Text>,
    /// Variables that say where config files go.
    pub(crate) configs: Vec<(Text, Text)>,
    /// Variables that carry secrets.
    pub(crate) secrets: Vec<(Text, Text)>,
}

impl TaskEnv {
    /// For a task of a service's pod.
    pub(crate) fn of(service: &ServiceSpec, pod: &PodSpec, task: &Arc<TaskSpec>) -> Self {
        let own = pod.placement.as_ref().map(|placement| &placement.rule);
        let mut env = task.env.clone();
        for (key, value) in [
            ("POD_INSTANCE_INDEX", Text::default()),
            ("FRAMEWORK_NAME", service.name.clone()),
            ("FRAMEWORK_HOST", service.autoip_domain().into()),
            ("FRAMEWORK_VIP_HOST", service.vip_domain().into()),
            ("SCHEDULER_API_HOSTNAME", service.scheduler_host().into()),
            ("SCHEDULER_API_PORT", service.domains.api_port.clone()),
            ("TASK_NAME", Text::default()),
            ("PLACEMENT_REFERENCED_REGION", own.is_some_and(Rule::references_region).to_string().into()),
            ("PLACEMENT_REFERENCED_ZONE", own.is_some_and(Rule::references_zone).to_string().into()),
        ] {
            env.insert(key.into(), value);
        }
        let config = |config: &crate::spec::ConfigFile| {
            let value = format!("config-templates/{},{}", config.name, config.dest);
            (config_file::template_variable(&config.name).into(), value.into())
        };
        let secret = |secret: &crate::spec::SecretSpec| {
            Some((secret.env_key.clone()?, format!("secret:{}", secret.secret).into()))
        };
        Self {
            service: service.name.clone(),
            task: task.clone(),
            env,
            configs: task.configs.iter().map(config).collect(),
            secrets: pod.secrets.iter().filter_map(secret).collect(),
        }
    }

    /// Tells if it was prepared for this service and this very task.
    pub(crate) fn is_for(&self, service: &ServiceSpec, task: &Arc<TaskSpec>) -> bool {
        self.service == service.name && Arc::ptr_eq(&self.task, task)
    }
}
