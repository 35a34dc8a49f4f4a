//! The environment, labels and program of a launched task.
//!
//! *Knows*: which variables every task gets and in which order they override each other.
//! *Must not know*: offers beyond where the task goes.
//!
//! **Source**: `dcos-commons: …/offer/evaluate/PodInfoBuilder.java, …/offer/taskdata/EnvUtils.java,
//! …/http/EndpointUtils.java`. Match.

use crate::config_file;
use crate::placement::Rule;
use crate::scheduler::requirement::Requirement;
use crate::scheduler::store::{Held, HeldKind, Location, OverrideTarget};
use crate::spec::{Goal, ServiceSpec, TaskSpec};
use planarium_fleet::{CheckSpec, HealthSpec, Program};
use planarium_kernel::SortedMap;
use planarium_protocol::Text;
use planarium_protocol::view::ConfigFileView;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Host suffix of addresses by task.
pub(crate) const AUTOIP: &str = "autoip.dcos.thisdcos.directory";
/// Host suffix of virtual addresses.
pub(crate) const L4LB: &str = "l4lb.thisdcos.directory";

/// What a paused task runs instead of its command.
const PAUSE_COMMAND: &str = "echo This task is PAUSED, sleeping ... && ./bootstrap --resolve=false && \
                             while true; do sleep 3600; done";

/// Host name of a task or discovery name.
pub(crate) fn autoip_host(spec: &ServiceSpec, name: &str) -> String {
    format!("{name}.{}.{AUTOIP}", spec.bare_name().replace('.', "-"))
}

/// Host name of a virtual address.
pub(crate) fn vip_host(spec: &ServiceSpec, prefix: &str) -> String {
    format!("{prefix}.{}.{L4LB}", spec.bare_name())
}

/// Everything the environment of one launch depends on.
pub(crate) struct Launching<'a> {
    /// The service.
    pub(crate) spec: &'a ServiceSpec,
    /// What is launched.
    pub(crate) requirement: &'a Requirement,
    /// The task.
    pub(crate) task: &'a TaskSpec,
    /// Where.
    pub(crate) at: &'a Location,
    /// Its reservations.
    pub(crate) held: &'a [Held],
    /// Parameters of the plan.
    pub(crate) params: &'a BTreeMap<String, String>,
    /// What an operator wants instead of the goal.
    pub(crate) wanted: OverrideTarget,
    /// Pause command of the scheduler's environment (`PAUSE_OVERRIDE_CMD`).
    pub(crate) pause_command: Option<&'a str>,
}

impl Launching<'_> {
    /// The environment, later entries over earlier ones.
    pub(crate) fn env(&self) -> SortedMap<Text, Text> {
        let Self { spec, requirement, task, at, .. } = self;
        let instance = requirement.key.task(&task.name);
        let mut env = task.env.clone();
        let mut set = |key: &str, value: String| {
            env.insert(key.into(), value.into());
        };
        let bare = spec.bare_name();
        set("POD_INSTANCE_INDEX", requirement.key.index.to_string());
        set("FRAMEWORK_NAME", spec.name.to_string());
        set("FRAMEWORK_HOST", format!("{}.{AUTOIP}", bare.replace('.', "-")));
        set("FRAMEWORK_VIP_HOST", format!("{bare}.{L4LB}"));
        set("SCHEDULER_API_HOSTNAME", format!("api.{bare}.marathon.{L4LB}"));
        set("SCHEDULER_API_PORT", "80".to_owned());
        set("TASK_NAME", instance.to_string());
        set(&instance, "true".to_owned());
        let own = requirement.pod.spec.placement.as_ref().map(|placement| &placement.rule);
        set("PLACEMENT_REFERENCED_REGION", own.is_some_and(Rule::references_region).to_string());
        set("PLACEMENT_REFERENCED_ZONE", own.is_some_and(Rule::references_zone).to_string());
        if let Some(region) = &at.region {
            set("REGION", region.to_string());
        }
        if let Some(zone) = &at.zone {
            set("ZONE", zone.to_string());
        }
        for config in &task.configs {
            set(
                &config_file::template_variable(&config.name),
                format!("config-templates/{},{}", config.name, config.dest),
            );
        }
        for held in self.held {
            let HeldKind::Port { name, port } = &held.kind else { continue };
            let key =
                task.resource_set.ports.iter().find(|p| p.name == *name).and_then(|p| p.env_key.clone());
            if let Some(key) = key {
                set(&key, port.to_string());
            }
        }
        for secret in &requirement.pod.spec.secrets {
            if let Some(key) = &secret.env_key {
                set(key, format!("secret:{}", secret.secret));
            }
        }
        for (key, value) in self.params {
            set(key, value.clone());
        }
        env
    }

    /// Its config files as they come to lie in the sandbox.
    pub(crate) fn files(&self) -> Arc<[ConfigFileView]> {
        let configs = &self.task.configs;
        if configs.is_empty() {
            return Arc::default();
        }
        let env = self.process_env();
        configs.iter().map(|config| config_file::view(config, &env)).collect()
    }

    /// The text of one config file; none when there is no such file, or its template is not at hand.
    pub(crate) fn file_text(&self, config: &str) -> Option<String> {
        let config = self.task.configs.iter().find(|one| *one.name == *config)?;
        config_file::text(config, &self.process_env())
    }

    /// The environment with what the agent adds.
    fn process_env(&self) -> SortedMap<Text, Text> {
        config_file::process_env(self.env(), &self.at.ip)
    }

    /// Labels of the task.
    pub(crate) fn labels(&self, config: &Text) -> SortedMap<Text, Text> {
        let Self { requirement, task, at, .. } = self;
        let attributes: Vec<String> =
            at.attributes.iter().map(|(name, value)| format!("{name}:{value}")).collect();
        let mut labels: SortedMap<Text, Text> = task.labels.iter().cloned().collect();
        labels.insert("target_configuration".into(), config.clone());
        labels.insert("offer_hostname".into(), at.hostname.clone());
        labels.insert("offer_attributes".into(), attributes.join(";").into());
        labels.insert("task_type".into(), requirement.key.pod.clone());
        labels.insert("index".into(), requirement.key.index.to_string().into());
        for (key, value) in [("offer_region", &at.region), ("offer_zone", &at.zone)] {
            if let Some(value) = value {
                labels.insert(key.into(), value.clone());
            }
        }
        labels
    }

    /// What the process runs.
    pub(crate) fn program(&self) -> Program {
        let task = self.task;
        let image = self.requirement.pod.spec.image.clone();
        if self.wanted == OverrideTarget::Paused {
            let command = self.pause_command.unwrap_or(PAUSE_COMMAND).into();
            let readiness =
                CheckSpec { command: "exit 1".into(), delay_ms: 0, interval_ms: 5_000, timeout_ms: 5_000 };
            return Program { lives: true, command, image, readiness: Some(readiness), health: None };
        }
        let ms = |seconds: u64| seconds.saturating_mul(1000);
        Program {
            lives: task.goal == Goal::Running,
            command: task.cmd.clone(),
            image,
            readiness: task.readiness_check.as_ref().map(|check| CheckSpec {
                command: check.cmd.clone(),
                delay_ms: ms(check.delay_s),
                interval_ms: ms(check.interval_s),
                timeout_ms: ms(check.timeout_s),
            }),
            health: task.health_check.as_ref().map(|check| HealthSpec {
                check: CheckSpec {
                    command: check.cmd.clone(),
                    delay_ms: ms(check.delay_s),
                    interval_ms: ms(check.interval_s),
                    timeout_ms: ms(check.timeout_s),
                },
                grace_ms: ms(check.grace_s),
                max_failures: check.max_failures,
            }),
        }
    }
}
