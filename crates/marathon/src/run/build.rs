//! Tasks as the master gets them.
//!
//! *Knows*: ids, environment, ports, checks and resources of tasks. *Must not know*: why they are launched.
//!
//! **Source**: `marathon: mesosphere/mesos/TaskBuilder.scala, TaskGroupBuilder.scala, EnvironmentHelper.scala`. Match for what
//! the cluster can see.

use super::instance::{Condition, Instance, Task};
use super::matching::Match;
use crate::dates::Calendar;
use crate::definition::RunSpec;
use crate::definition::peek::Peek;
use crate::definition::spec::{Amounts, HealthDef, HostPorts, TaskDef};
use crate::definition::write::Dates;
use planarium_fleet::{CheckSpec, HealthSpec, Labels, Program};
use planarium_kernel::{Milli, SimTime, SortedMap};
use planarium_mesos::api::{ExecutorInfo, Offer, Operation, Resource, Resources, TaskInfo, Value};
use planarium_protocol::Text;
use std::sync::Arc;

/// What surrounds a launch.
pub(super) struct Setting<'a> {
    pub(super) offer: &'a Arc<Offer>,
    pub(super) calendar: &'a Calendar,
    /// The top-level group enforces its role.
    pub(super) enforce: bool,
    pub(super) framework: &'a Text,
    pub(super) now: SimTime,
}

/// A launch.
pub(super) struct Launch {
    pub(super) operation: Operation,
    pub(super) taken: Resources,
    pub(super) tasks: Vec<Task>,
}

/// Describes the tasks of an instance.
pub(super) fn launch(
    instance: &Instance,
    matched: &Match,
    volumes: Vec<Resource>,
    setting: &Setting<'_>,
) -> Launch {
    let mut taken: Resources = matched.resources.iter().cloned().collect();
    for volume in &volumes {
        taken.add(volume.clone());
    }
    let mut tasks = Vec::new();
    let mut ports = matched.ports.iter().copied();
    for def in &instance.spec.def.tasks {
        let own: Vec<Option<u32>> = ports.by_ref().take(def.ports).collect();
        tasks.push(task_of(instance, def, own, setting));
    }
    let operation = if instance.spec.is_app() {
        let infos = instance.spec.def.tasks.iter().zip(&tasks);
        let infos = infos.map(|(def, task)| info(instance, def, task, taken.clone(), setting));
        Operation::Launch(infos.collect())
    } else {
        group(instance, matched, volumes, &tasks, setting)
    };
    Launch { operation, taken, tasks }
}

fn task_of(instance: &Instance, def: &TaskDef, ports: Vec<Option<u32>>, setting: &Setting<'_>) -> Task {
    let last = instance.tasks.iter().find(|task| task.container == def.name);
    let attempt = last.map_or(1, |task| task.attempt.saturating_add(1));
    let container = if def.name.is_empty() { "_app" } else { &def.name };
    Task {
        id: format!("{}.{container}.{attempt}", instance.id).into(),
        container: def.name.clone(),
        attempt,
        condition: Condition::Provisioned,
        staged: setting.now,
        started: None,
        ports: ports.into(),
        status: None,
    }
}

/// A pod's executor with its tasks: ports and volumes are the executor's.
fn group(
    instance: &Instance,
    matched: &Match,
    volumes: Vec<Resource>,
    tasks: &[Task],
    setting: &Setting<'_>,
) -> Operation {
    let def = &instance.spec.def;
    let mut pool = matched.resources.clone();
    let mut infos = Vec::new();
    for (task_def, task) in def.tasks.iter().zip(tasks) {
        let resources = take(&mut pool, task_def.needs);
        infos.push(info(instance, task_def, task, resources, setting));
    }
    let mut resources: Resources = pool.into_iter().collect();
    for volume in volumes {
        resources.add(volume);
    }
    let id = match instance.id.rsplit_once(".instance-") {
        Some((safe, uuid)) => format!("instance-{safe}.{uuid}").into(),
        None => instance.id.clone(),
    };
    Operation::LaunchGroup { executor: ExecutorInfo { id, resources }, tasks: infos }
}

/// Takes amounts out of resources.
fn take(pool: &mut [Resource], needs: Amounts) -> Resources {
    let mut taken = Resources::new();
    for (name, amount) in
        [("cpus", needs.cpus), ("mem", needs.mem), ("disk", needs.disk), ("gpus", needs.gpus)]
    {
        let mut left = amount;
        for resource in pool.iter_mut().filter(|resource| &*resource.name == name) {
            let part = left.min(resource.amount());
            if part.is_positive() {
                taken.add(resource.with_scalar(part));
                resource.value = Value::Scalar(resource.amount().saturating_sub(part));
                left = left.saturating_sub(part);
            }
        }
    }
    taken
}

fn info(
    instance: &Instance,
    def: &TaskDef,
    task: &Task,
    resources: Resources,
    setting: &Setting<'_>,
) -> TaskInfo {
    let spec = &instance.spec;
    let name: Text = if spec.is_app() { spec.id.hostname().into() } else { def.name.clone() };
    let labels = spec.def.json.object("labels");
    let text = |(key, value): (&String, &serde_json::Value)| {
        (key.as_str().into(), value.as_str().unwrap_or_default().into())
    };
    TaskInfo {
        name,
        task_id: task.id.clone(),
        agent_id: Some(setting.offer.agent_id.clone()),
        executor: None,
        resources,
        labels: labels.into_iter().flatten().map(text).collect(),
        env: env(instance, def, task, setting),
        program: Program {
            goalless: true,
            lives: true,
            command: def.command.clone(),
            image: def.image.clone(),
            readiness: None,
            health: def.health.as_ref().map(health_of),
        },
        process_labels: Labels::new([
            ("pod", instance.id.clone()),
            ("pod-type", spec.id.text().clone()),
            ("service", setting.framework.clone()),
        ]),
        kill_grace_ms: def.grace_ms,
        max_completion_ms: None,
        flaw: None,
        details: None,
    }
}

/// The agent's own check.
fn health_of(check: &HealthDef) -> HealthSpec {
    HealthSpec {
        check: CheckSpec {
            command: check.asks.clone(),
            delay_ms: check.delay_ms,
            interval_ms: check.interval_ms,
            timeout_ms: check.timeout_ms,
        },
        grace_ms: check.grace_ms,
        // The executor ends a task at the first failure when none is allowed.
        max_failures: check.max_failures.max(1),
    }
}

type Env = SortedMap<Text, Text>;

/// The environment of a task: what all tasks of its definition have, with what is its own put in.
fn env(instance: &Instance, def: &TaskDef, task: &Task, setting: &Setting<'_>) -> Env {
    let spec = &instance.spec;
    let own = own_env(spec);
    let mut all = def.env.get_or_init(|| common_env(spec, def)).clone();
    let mut put = |key: &str, value: Text| {
        if own.is_some_and(|own| own.get(key).is_some_and(serde_json::Value::is_string)) {
            return;
        }
        match all.get_mut(key) {
            Some(place) => *place = value,
            None => _ = all.insert(key.into(), value),
        }
    };
    put(TASK_ID, task.id.clone());
    put(APP_ID, spec.id.text().clone());
    put(APP_VERSION, setting.calendar.date(spec.version.version).into());
    put(ENFORCE_ROLE, if setting.enforce { "TRUE" } else { "FALSE" }.into());
    put(HOST, setting.offer.hostname.clone());
    ports_env(spec, task, &mut put);
    all
}

const TASK_ID: &str = "MESOS_TASK_ID";
const APP_ID: &str = "MARATHON_APP_ID";
const APP_VERSION: &str = "MARATHON_APP_VERSION";
const ENFORCE_ROLE: &str = "MARATHON_APP_ENFORCE_GROUP_ROLE";
const HOST: &str = "HOST";

/// The variables that a definition sets itself: they come before all others.
fn own_env(spec: &RunSpec) -> Option<&serde_json::Map<String, serde_json::Value>> {
    let json = &spec.def.json;
    json.object("env").or_else(|| json.object("environment")).filter(|own| !own.is_empty())
}

/// What all tasks of a definition have, with empty places for what every task has and each its own.
fn common_env(spec: &RunSpec, def: &TaskDef) -> Env {
    let mut all = Env::new();
    let mut put = |key: &str, value: Text| _ = all.insert(key.into(), value);
    let amount = |amount: Milli| -> Text {
        let text = amount.to_string();
        if text.contains('.') { text.into() } else { format!("{text}.0").into() }
    };
    let later = Text::default();
    for key in [TASK_ID, APP_ID, APP_VERSION, ENFORCE_ROLE, HOST] {
        put(key, later.clone());
    }
    if spec.is_app() && !matches!(spec.def.ports, HostPorts::Mapped(_)) && def.ports > 0 {
        // Each of these has a number, whichever it is.
        let declared = spec.def.json.items("portDefinitions");
        for at in 0..def.ports {
            put(&format!("PORT{at}"), later.clone());
            let number = declared.get(at).and_then(|one| one.whole("port")).filter(|number| *number != 0);
            if let Some(number) = number {
                put(&format!("PORT_{number}"), later.clone());
            }
            if let Some(name) = declared.get(at).and_then(|one| one.text("name")) {
                put(&format!("PORT_{}", name.to_uppercase()), later.clone());
            }
        }
        put("PORT", later.clone());
        put("PORTS", later);
    }
    if let Some(image) = &def.image {
        put("MARATHON_APP_DOCKER_IMAGE", image.clone());
    }
    put("MARATHON_APP_RESOURCE_CPUS", amount(def.needs.cpus));
    put("MARATHON_APP_RESOURCE_MEM", amount(def.needs.mem));
    put("MARATHON_APP_RESOURCE_DISK", amount(def.needs.disk));
    put("MARATHON_APP_RESOURCE_GPUS", def.needs.gpus.whole().to_string().into());
    if !spec.is_app() {
        put("MARATHON_CONTAINER_ID", def.name.clone());
    }
    labels_env(spec, &mut put);
    for (key, value) in own_env(spec).into_iter().flatten() {
        if let Some(value) = value.as_str() {
            put(key, value.into());
        }
    }
    all
}

/// Longest value that labels are passed on with.
const LONGEST: usize = 512;

fn labels_env(spec: &RunSpec, put: &mut dyn FnMut(&str, Text)) {
    let labels = spec.def.json.object("labels");
    let mut names = Vec::new();
    for (key, value) in labels.into_iter().flatten() {
        let Some(value) = value.as_str().filter(|value| value.len() < LONGEST) else { continue };
        if key.len() >= LONGEST - "MARATHON_APP_LABEL_".len() {
            continue;
        }
        let mut name = String::new();
        for c in key.chars() {
            let plain = c.is_ascii_alphanumeric() || c == '_';
            match (plain, name.ends_with('_')) {
                (true, _) => name.push(c.to_ascii_uppercase()),
                (false, true) => {}
                (false, false) => name.push('_'),
            }
        }
        put(&format!("MARATHON_APP_LABEL_{name}"), value.into());
        names.push(name);
    }
    put("MARATHON_APP_LABELS", names.join(" ").into());
}

/// `PORT`, `PORT0`, `PORT_8080`, `PORT_WEB`, `PORTS`.
fn ports_env(spec: &RunSpec, task: &Task, put: &mut dyn FnMut(&str, Text)) {
    if task.ports.is_empty() || !spec.is_app() {
        return;
    }
    let json = &spec.def.json;
    let mapped =
        json.object("container").map(|container| container.items("portMappings")).unwrap_or_default();
    let (declared, key) =
        if mapped.is_empty() { (json.items("portDefinitions"), "port") } else { (mapped, "containerPort") };
    let mut all = Vec::new();
    for (at, port) in task.ports.iter().enumerate() {
        let declared = declared.get(at);
        let number = declared.and_then(|one| one.whole(key)).filter(|number| *number != 0);
        let Some(effective) = port.map(i64::from).or(number) else { continue };
        let text: Text = effective.to_string().into();
        put(&format!("PORT{at}"), text.clone());
        put(&format!("PORT_{}", number.unwrap_or(effective)), text.clone());
        if let Some(name) = declared.and_then(|one| one.text("name")) {
            put(&format!("PORT_{}", name.to_uppercase()), text.clone());
        }
        if port.is_some() {
            all.push(text);
        }
    }
    if let Some(first) = all.first() {
        put("PORT", first.clone());
    }
    put("PORTS", all.join(",").into());
}
