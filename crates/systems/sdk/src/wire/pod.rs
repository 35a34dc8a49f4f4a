//! Pods: names, statuses, task infos.
//!
//! **Source**: `dcos-commons: …/http/queries/PodQueries.java`. Match; infos contain the simulated fields.

use super::not_found;
use crate::scheduler::configs::Configs;
use crate::scheduler::offers::evaluate::environment::{self, Launching};
use crate::scheduler::offers::evaluate::{build, reservation_role};
use crate::scheduler::requirement::Requirement;
use crate::scheduler::state::{Held, PodKey, PodTasks, TaskRecord, TaskStore};
use crate::spec::{HealthCheck, PodSpec, ReadinessCheck, TaskSpec};
use planarium_kernel::SortedMap;
use planarium_mesos::api::{DiskSource, ReservationKind, Resource, Value as Amount};
use planarium_protocol::json;
use planarium_protocol::refusal::RefusalCode;
use planarium_protocol::{Refusal, Text};
use serde_json::{Map, Value};

/// The records that answers about pods are made from.
#[derive(Clone, Copy)]
pub(crate) struct Pods<'a> {
    pub(crate) tasks: &'a TaskStore,
    pub(crate) configs: &'a Configs,
    pub(crate) framework: Option<&'a Text>,
    /// The service's name on its reservations.
    pub(crate) namespace: Option<&'a Text>,
    pub(crate) epoch_ms: u64,
}

impl<'a> Pods<'a> {
    /// Names of all pod instances, sorted as text.
    pub(super) fn names(self) -> Value {
        let mut names: Vec<String> = self.tasks.pods().map(|(key, _)| key.name().to_string()).collect();
        planarium_kernel::sorted::sort(&mut names);
        names.into()
    }

    /// By pod type and index; no `pods` key if nothing is stored.
    pub(super) fn statuses(self) -> Value {
        let mut types: Vec<(String, Vec<Value>)> = Vec::new();
        for (key, tasks) in self.tasks.pods() {
            let instance = instance_status(key, tasks);
            match types.last_mut() {
                Some((name, instances)) if **name == *key.pod => instances.push(instance),
                _ => types.push((key.pod.to_string(), vec![instance])),
            }
        }
        let mut body = Map::new();
        body.insert("service".to_owned(), Value::from(&*self.configs.target.spec.name));
        if !types.is_empty() {
            let pods =
                types.into_iter().map(|(name, instances)| json!({"name": name, "instances": instances}));
            body.insert("pods".to_owned(), pods.collect());
        }
        body.into()
    }

    /// The status of one pod instance.
    pub(super) fn status(self, pod: &str) -> Result<Value, Refusal> {
        let (key, tasks) = self.stored_pod(pod)?;
        Ok(instance_status(&key, tasks))
    }

    /// The tasks of one pod instance as the master knows them.
    pub(super) fn info_of_pod(self, pod: &str) -> Result<Value, Refusal> {
        let (_, tasks) = self.stored_pod(pod)?;
        Ok(tasks.values().map(|task| self.task_info(task)).collect())
    }

    fn stored_pod(self, pod: &str) -> Result<(PodKey, &'a PodTasks), Refusal> {
        let key = self.tasks.pod_named(pod);
        key.and_then(|key| self.tasks.pod(&key).map(|tasks| (key.clone(), tasks)))
            .ok_or_else(|| not_found("Pod", pod))
    }

    fn task_info(self, task: &TaskRecord) -> Value {
        let pod = self.configs.versions.get(&task.config).and_then(|config| config.pods.get(&task.pod.pod));
        let pod = pod.map(|pod| &*pod.spec);
        let mut body = Map::new();
        body.insert("info".to_owned(), self.info(task, pod));
        body.insert("status".to_owned(), task_status(task, self.epoch_ms).into());
        body.into()
    }

    fn info(self, task: &TaskRecord, pod: Option<&PodSpec>) -> Value {
        let spec = pod.and_then(|pod| pod.task(&task.task));
        let resources = |held: &[Held]| -> Vec<Value> {
            // Ports of a container's own network are not reserved and no resources.
            let reserved = held.iter().filter(|held| !held.id.is_empty());
            reserved.map(|held| resource_json(&self.mesos_resource(held, pod))).collect()
        };
        let env = self.env_of(task);
        let variables: Vec<Value> =
            env.iter().map(|(name, value)| json!({"name": &**name, "value": &**value})).collect();
        let mut info = json!({
            "name": &*task.name,
            "taskId": {"value": &*task.id},
            "slaveId": {"value": &*task.at.agent_id},
            "resources": resources(&task.held),
            "executor": {
                "type": "DEFAULT",
                "executorId": {"value": &*task.executor_id},
                "name": &*task.pod.pod,
                "resources": resources(&task.executor),
            },
            "command": {"value": &*task.command, "environment": {"variables": variables}},
            "labels": {"labels": labels(task, spec.map(|spec| &**spec))},
        });
        let Some(map) = info.as_object_mut() else { return info };
        let paused = task.paused.then(environment::paused_check);
        if let Some(check) = paused.as_ref().or_else(|| spec?.readiness_check.as_ref()) {
            map.insert("check".to_owned(), readiness_json(check));
        }
        if let Some(check) = spec.and_then(|spec| spec.health_check.as_ref()).filter(|_| !task.paused) {
            map.insert("healthCheck".to_owned(), health_json(check));
        }
        if let Some(spec) = spec {
            let nanos = spec.kill_grace_s.saturating_mul(1_000_000_000);
            map.insert("killPolicy".to_owned(), json!({"gracePeriod": {"nanoseconds": nanos}}));
        }
        info
    }

    /// The environment a task was launched with.
    #[expect(clippy::redundant_closure_for_method_calls, reason = "the method alone is not general enough")]
    pub(crate) fn env_of(self, task: &TaskRecord) -> SortedMap<Text, Text> {
        self.launching(task, |launching| launching.env()).unwrap_or_default()
    }

    /// The text of a config file in a launched task's sandbox.
    pub(super) fn config_file(self, task: &str, config: &str) -> Result<Value, Refusal> {
        let record = self.tasks.named(task).filter(|task| !task.id.is_empty());
        let record = record.ok_or_else(|| not_found("Task", task))?;
        let file = record.files.iter().find(|file| *file.name == *config);
        let file = file.ok_or_else(|| not_found("Config", config))?;
        let text = self.launching(record, |launching| launching.file_text(config)).flatten();
        text.map(Value::from).ok_or_else(|| {
            let problem = file.problem.as_deref().unwrap_or("not rendered");
            Refusal::new(RefusalCode::NotFound, format!("{} is {problem}", file.dest))
        })
    }

    /// Reads a task's launch.
    fn launching<R>(self, task: &TaskRecord, look: impl FnOnce(&Launching<'_>) -> R) -> Option<R> {
        let config = self.configs.versions.get(&task.config)?;
        let pod = config.pods.get(&task.pod.pod)?;
        let spec = pod.spec.task(&task.task)?;
        let tasks = std::iter::once(task.task.clone()).collect();
        let requirement = Requirement::new(task.pod.clone(), pod.clone(), tasks, task.config.clone());
        let launching = Launching {
            spec: &config.spec,
            requirement: &requirement,
            task: spec,
            name: &task.name,
            at: &task.at,
            held: &task.held,
            params: &task.params,
            wanted: task.goal.target,
            pause_command: None,
        };
        Some(look(&launching))
    }

    /// Returns a reservation in Mesos' form.
    fn mesos_resource(self, held: &Held, pod: Option<&PodSpec>) -> Resource {
        let spec = &self.configs.target.spec;
        let source = pod.map_or("*", |pod| &*pod.pre_reserved_role);
        let role = pod.map_or_else(|| spec.role.clone(), |pod| reservation_role(pod, &spec.role));
        let framework = self.framework.cloned().unwrap_or_default();
        let owner = build::Owner {
            source_role: source,
            role: &role,
            principal: &spec.principal,
            framework: &framework,
            namespace: self.namespace,
        };
        owner.resource(held)
    }
}

fn instance_status(key: &PodKey, tasks: &PodTasks) -> Value {
    let tasks: Vec<Value> = tasks
        .values()
        .map(|task| {
            let mut body = Map::new();
            body.insert("id".to_owned(), Value::from(&*task.id));
            body.insert("name".to_owned(), Value::from(&*task.name));
            if let Some(word) = task_word(task) {
                body.insert("status".to_owned(), Value::from(word));
            }
            body.into()
        })
        .collect();
    json!({"name": &*key.name(), "tasks": tasks})
}

/// The word `pod status` shows: an override's, else the Mesos state without its prefix.
pub(crate) fn task_word(task: &TaskRecord) -> Option<&'static str> {
    let status = task.own_status()?;
    Some(task.goal.word().unwrap_or_else(|| status.state.strip_prefix("TASK_").unwrap_or(status.state)))
}

/// The last status in the shape of the Mesos API.
pub(super) fn task_status(task: &TaskRecord, epoch_ms: u64) -> Option<Value> {
    let status = task.own_status()?;
    let seconds = epoch_ms.saturating_add(status.at.ms()) / 1000;
    let mut body = json!({
        "taskId": {"value": &*task.id},
        "state": status.state,
        "slaveId": {"value": &*task.at.agent_id},
        "executorId": {"value": &*task.executor_id},
        "timestamp": seconds,
    });
    let map = body.as_object_mut()?;
    for (key, value) in [("reason", &status.reason), ("message", &status.message)] {
        if !value.is_empty() {
            map.insert(key.to_owned(), Value::from(&**value));
        }
    }
    if let Some(healthy) = status.healthy {
        map.insert("healthy".to_owned(), healthy.into());
    }
    if status.checked {
        let command = match status.readiness_exit {
            Some(code) => json!({"exitCode": code}),
            None => json!({}),
        };
        map.insert("checkStatus".to_owned(), json!({"type": "COMMAND", "command": command}));
    }
    if is_from_agent(status.state) && !task.at.ip.is_empty() {
        let networks = json!([{"ipAddresses": [{"ipAddress": &*task.at.ip}]}]);
        map.insert("containerStatus".to_owned(), json!({"networkInfos": networks}));
    }
    Some(body)
}

/// Tells if the agent tells of a state, and with it where the task can be reached; of the others the master does.
fn is_from_agent(state: &str) -> bool {
    matches!(
        state,
        "TASK_STARTING" | "TASK_RUNNING" | "TASK_KILLING" | "TASK_KILLED" | "TASK_FINISHED" | "TASK_FAILED"
    )
}

fn labels(task: &TaskRecord, spec: Option<&TaskSpec>) -> Vec<Value> {
    let own = spec.into_iter().flat_map(|spec| &spec.labels);
    let mut labels: SortedMap<String, String> =
        own.map(|(key, value)| (key.to_string(), value.to_string())).collect();
    let attributes: Vec<String> =
        task.at.attributes.iter().map(|(name, value)| format!("{name}:{value}")).collect();
    let mut set = |key: &str, value: String| labels.insert(key.to_owned(), value);
    set("target_configuration", task.config.to_string());
    set("offer_hostname", task.at.hostname.to_string());
    set("offer_attributes", attributes.join(";"));
    set("task_type", task.pod.pod.to_string());
    set("index", task.pod.index.to_string());
    for (key, value) in [("offer_region", &task.at.region), ("offer_zone", &task.at.zone)] {
        if let Some(value) = value {
            set(key, value.to_string());
        }
    }
    if task.permanently_failed {
        set("permanently-failed", "true".to_owned());
    }
    labels.into_iter().map(|(key, value)| json!({"key": key, "value": value})).collect()
}

fn readiness_json(check: &ReadinessCheck) -> Value {
    json!({
        "type": "COMMAND",
        "command": {"command": {"value": &*check.cmd}},
        "delaySeconds": check.delay_s,
        "intervalSeconds": check.interval_s,
        "timeoutSeconds": check.timeout_s,
    })
}

fn health_json(check: &HealthCheck) -> Value {
    json!({
        "type": "COMMAND",
        "command": {"value": &*check.cmd},
        "delaySeconds": check.delay_s,
        "intervalSeconds": check.interval_s,
        "timeoutSeconds": check.timeout_s,
        "consecutiveFailures": check.max_failures,
        "gracePeriodSeconds": check.grace_s,
    })
}

/// A scalar as the real one writes it, a whole one with its point, too.
#[expect(clippy::cast_precision_loss, reason = "three decimals of a bounded amount, at the boundary only")]
pub(super) fn number(value: planarium_kernel::Milli) -> Value {
    Value::from(value.thousandths() as f64 / 1000.0)
}

fn resource_json(resource: &Resource) -> Value {
    let mut body = json!({"name": &*resource.name});
    let Some(map) = body.as_object_mut() else { return body };
    match &resource.value {
        Amount::Scalar(amount) => {
            map.insert("type".to_owned(), "SCALAR".into());
            map.insert("scalar".to_owned(), json!({"value": number(*amount)}));
        }
        Amount::Ranges(ranges) => {
            let range: Vec<Value> =
                ranges.pairs().iter().map(|(begin, end)| json!({"begin": begin, "end": end})).collect();
            map.insert("type".to_owned(), "RANGES".into());
            map.insert("ranges".to_owned(), json!({"range": range}));
        }
        Amount::Set(items) => {
            let items: Vec<&str> = items.iter().map(|item| &**item).collect();
            map.insert("type".to_owned(), "SET".into());
            map.insert("set".to_owned(), json!({"item": items}));
        }
    }
    let reservations: Vec<Value> = resource
        .reservations
        .iter()
        .map(|reservation| {
            let labels: Vec<Value> = reservation
                .labels
                .iter()
                .map(|(key, value)| json!({"key": &**key, "value": &**value}))
                .collect();
            let kind = match reservation.kind {
                ReservationKind::Static => "STATIC",
                ReservationKind::Dynamic => "DYNAMIC",
            };
            json!({
                "type": kind,
                "role": &*reservation.role,
                "principal": reservation.principal.as_deref(),
                "labels": {"labels": labels},
            })
        })
        .collect();
    map.insert("reservations".to_owned(), reservations.into());
    if let Some(disk) = disk_json(resource) {
        map.insert("disk".to_owned(), disk);
    }
    body
}

fn disk_json(resource: &Resource) -> Option<Value> {
    let mut body = Map::new();
    if let Some(volume) = resource.persistence() {
        body.insert(
            "persistence".to_owned(),
            json!({"id": &*volume.id, "principal": volume.principal.as_deref()}),
        );
        body.insert("volume".to_owned(), json!({"containerPath": &*volume.container_path, "mode": "RW"}));
    }
    match resource.disk_source() {
        Some(DiskSource::Mount { root, profile }) => {
            let source = json!({"type": "MOUNT", "mount": {"root": &**root}, "profile": profile.as_deref()});
            body.insert("source".to_owned(), source);
        }
        Some(DiskSource::Path { root, profile }) => {
            let source = json!({"type": "PATH", "path": {"root": &**root}, "profile": profile.as_deref()});
            body.insert("source".to_owned(), source);
        }
        None => {}
    }
    (!body.is_empty()).then(|| body.into())
}
