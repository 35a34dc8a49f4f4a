//! The environment, labels and program of a launched task.
//!
//! *Knows*: which variables every task gets and in which order they override each other.
//! *Must not know*: offers beyond where the task goes.
//!
//! **Source**: `dcos-commons: …/offer/evaluate/PodInfoBuilder.java, …/offer/taskdata/EnvUtils.java`. Match.

use crate::config_file;
use crate::scheduler::configs::task_env::TaskEnv;
use crate::scheduler::requirement::Requirement;
use crate::scheduler::state::{Held, HeldKind, Location, OverrideTarget};
use crate::spec::{Goal, ReadinessCheck, ServiceSpec, TaskSpec};
use planarium_ground::{CheckSpec, HealthSpec, Program};
use planarium_kernel::SortedMap;
use planarium_protocol::Text;
use planarium_protocol::view::ConfigFileView;
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::{Arc, LazyLock};

/// Command of a paused task.
const PAUSE_COMMAND: &str = "echo This task is PAUSED, sleeping ... && ./bootstrap --resolve=false && \
                             while true; do sleep 3600; done";

/// Value of the variable that has a task's own name.
static TRUE: LazyLock<Text> = LazyLock::new(|| "true".into());

/// The labels that every task gets beside its own.
static LABELS: LazyLock<[Text; 7]> = LazyLock::new(|| {
    [
        "index",
        "offer_attributes",
        "offer_hostname",
        "offer_region",
        "offer_zone",
        "target_configuration",
        "task_type",
    ]
    .map(Text::from)
});

/// Everything the environment of one launch depends on.
pub(crate) struct Launching<'a> {
    /// The service.
    pub(crate) spec: &'a ServiceSpec,
    /// Requirement that is launched.
    pub(crate) requirement: &'a Requirement,
    /// The task.
    pub(crate) task: &'a Arc<TaskSpec>,
    /// Its instance name.
    pub(crate) name: &'a Text,
    /// Place of the launch.
    pub(crate) at: &'a Location,
    /// Its reservations.
    pub(crate) held: &'a [Held],
    /// Parameters of the plan.
    pub(crate) params: &'a BTreeMap<String, String>,
    /// An operator's wish in place of the goal.
    pub(crate) wanted: OverrideTarget,
    /// Pause command of the scheduler's environment (`PAUSE_OVERRIDE_CMD`).
    pub(crate) pause_command: Option<&'a str>,
}

/// The check of a paused task, replacing its own: it never passes.
///
/// **Source**: `dcos-commons: …/offer/evaluate/PodInfoBuilder.java (getReadinessCheck)`. Match.
pub(crate) fn paused_check() -> ReadinessCheck {
    ReadinessCheck { cmd: "exit 1".into(), interval_s: 5, delay_s: 0, timeout_s: 5 }
}

/// A readiness check as a process is checked with it.
fn check(check: &ReadinessCheck) -> CheckSpec {
    CheckSpec {
        command: check.cmd.clone(),
        delay_ms: ms(check.delay_s),
        interval_ms: ms(check.interval_s),
        timeout_ms: ms(check.timeout_s),
    }
}

fn ms(seconds: u64) -> u64 {
    seconds.saturating_mul(1000)
}

impl Launching<'_> {
    /// The part that it shares with other launches.
    fn task_env(&self) -> Cow<'_, TaskEnv> {
        let pod = &self.requirement.pod;
        match pod.envs.iter().find(|base| base.is_for(self.spec, self.task)) {
            Some(base) => Cow::Borrowed(base),
            None => Cow::Owned(TaskEnv::of(self.spec, &pod.spec, self.task)),
        }
    }

    /// The environment, later entries over earlier ones.
    pub(crate) fn env(&self) -> SortedMap<Text, Text> {
        let Self { requirement, task, at, .. } = self;
        let base = self.task_env();
        let mut env = base.env.clone();
        let index = requirement.key.index.to_string();
        for (key, value) in [("POD_INSTANCE_INDEX", index.into()), ("TASK_NAME", self.name.clone())] {
            if let Some(place) = env.get_mut(key) {
                *place = value;
            }
        }
        env.insert(self.name.clone(), TRUE.clone());
        for (key, value) in [("REGION", &at.region), ("ZONE", &at.zone)] {
            if let Some(value) = value {
                env.insert(key.into(), value.clone());
            }
        }
        env.extend(base.configs.iter().cloned());
        for held in self.held {
            let HeldKind::Port { name, port } = &held.kind else { continue };
            let spec = task.resource_set.ports.iter().find(|port| port.name == *name);
            if let Some(key) = spec.and_then(|spec| spec.env_key.clone()) {
                env.insert(key, port.to_string().into());
            }
        }
        env.extend(base.secrets.iter().cloned());
        env.extend(self.params.iter().map(|(key, value)| (key.as_str().into(), value.as_str().into())));
        env
    }

    /// Returns its config files as rendered in the sandbox.
    pub(crate) fn files(&self) -> Arc<[ConfigFileView]> {
        let configs = &self.task.configs;
        if configs.is_empty() {
            return Arc::default();
        }
        let env = self.process_env();
        configs.iter().map(|config| config_file::view(config, &env)).collect()
    }

    /// Returns the text of one config file; `None` if the file or its template does not exist.
    pub(crate) fn file_text(&self, config: &str) -> Option<String> {
        let config = self.task.configs.iter().find(|one| *one.name == *config)?;
        config_file::text(config, &self.process_env())
    }

    /// Returns the environment with the agent's additions.
    fn process_env(&self) -> SortedMap<Text, Text> {
        config_file::process_env(self.env(), &self.at.ip)
    }

    /// Labels of the task.
    pub(crate) fn labels(&self, config: &Text) -> SortedMap<Text, Text> {
        let Self { requirement, task, at, .. } = self;
        let mut attributes = String::new();
        for (n, (name, value)) in at.attributes.iter().enumerate() {
            let between = if n == 0 { "" } else { ";" };
            attributes.extend([between, name, ":", value]);
        }
        let [index, offer_attributes, offer_hostname, region, zone, target_configuration, task_type] =
            &*LABELS;
        let mut labels = SortedMap::with_capacity(LABELS.len() + task.labels.len());
        labels.extend(task.labels.iter().cloned());
        // In the order of their names, so that each is mostly appended.
        labels.insert(index.clone(), requirement.key.index.to_string().into());
        let attributes = if attributes.is_empty() { Text::default() } else { attributes.into() };
        labels.insert(offer_attributes.clone(), attributes);
        labels.insert(offer_hostname.clone(), at.hostname.clone());
        for (key, value) in [(region, &at.region), (zone, &at.zone)] {
            if let Some(value) = value {
                labels.insert(key.clone(), value.clone());
            }
        }
        labels.insert(target_configuration.clone(), config.clone());
        labels.insert(task_type.clone(), requirement.key.pod.clone());
        labels
    }

    /// Program of the process.
    pub(crate) fn program(&self) -> Program {
        let task = self.task;
        let image = self.requirement.pod.spec.image.clone();
        if self.wanted == OverrideTarget::Paused {
            let command = self.pause_command.unwrap_or(PAUSE_COMMAND).into();
            let readiness = Some(check(&paused_check()));
            return Program { command, image, readiness, ..Program::default() };
        }
        Program {
            lives: task.goal == Goal::Running,
            goalless: false,
            command: task.cmd.clone(),
            code: None,
            image,
            readiness: task.readiness_check.as_ref().map(check),
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
