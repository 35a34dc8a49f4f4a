//! Tasks as sent to the master.
//!
//! *Knows*: ids, names, labels, ports, checks and resources of tasks. *Must not know*: why they are launched.
//!
//! **Source**: `marathon: mesosphere/mesos/TaskBuilder.scala, TaskGroupBuilder.scala`. Match for everything visible to the
//! cluster.

use crate::definition::peek::Peek;
use crate::definition::spec::{Amounts, HealthDef, TaskDef};
use crate::instances::instance::{Condition, Instance, Task};
use crate::offers::matching::Match;
use planarium_ground::{CheckSpec, HealthSpec, Labels, Program};
use planarium_kernel::{SimTime, SortedMap};
use planarium_mesos::api::{ExecutorInfo, Offer, Operation, Resource, Resources, TaskInfo, Value};
use planarium_protocol::Text;
use std::sync::Arc;

/// Context of a launch.
pub(crate) struct Setting<'a> {
    pub(crate) offer: &'a Arc<Offer>,
    pub(crate) framework: &'a Text,
    pub(crate) now: SimTime,
}

/// A launch.
pub(crate) struct Launch {
    pub(crate) operation: Operation,
    pub(crate) taken: Resources,
    pub(crate) tasks: Vec<Task>,
}

/// Describes the tasks of an instance.
pub(crate) fn launch(
    instance: &Instance,
    matched: Match,
    volumes: Vec<Resource>,
    setting: &Setting<'_>,
) -> Launch {
    let defs = &instance.spec.def.tasks;
    let mut tasks = Vec::with_capacity(defs.len());
    let mut ports = matched.ports.as_slice();
    for def in defs {
        let (own, others) = ports.split_at((def.ports as usize).min(ports.len()));
        ports = others;
        tasks.push(task_of(instance, def, own, setting));
    }
    if instance.spec.is_app() {
        let taken: Resources = matched.resources.into_iter().chain(volumes).collect();
        let infos = defs.iter().zip(&tasks);
        let infos = infos.map(|(def, task)| info(instance, def, task, taken.clone(), setting));
        return Launch { operation: Operation::Launch(infos.collect()), taken, tasks };
    }
    let taken = matched.resources.iter().chain(&volumes).cloned().collect();
    Launch { operation: group(instance, matched.resources, volumes, &tasks, setting), taken, tasks }
}

fn task_of(instance: &Instance, def: &TaskDef, ports: &[Option<u32>], setting: &Setting<'_>) -> Task {
    let last = instance.tasks.iter().find(|task| task.container == def.name);
    let attempt = last.map_or(1, |task| task.attempt.saturating_add(1));
    let container = if def.name.is_empty() { "_app" } else { &def.name };
    let id = match attempt {
        1 => [&*instance.id, ".", container, ".1"].concat(),
        _ => [&*instance.id, ".", container, ".", &attempt.to_string()].concat(),
    };
    Task {
        id: id.into(),
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
    mut pool: Vec<Resource>,
    volumes: Vec<Resource>,
    tasks: &[Task],
    setting: &Setting<'_>,
) -> Operation {
    let def = &instance.spec.def;
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
    let (name, labels) = def.described.get_or_init(|| {
        let name: Text = if spec.is_app() { spec.id.hostname().into() } else { def.name.clone() };
        let labels = spec.def.json.object("labels");
        let text = |(key, value): (&String, &serde_json::Value)| {
            (key.as_str().into(), value.as_str().unwrap_or_default().into())
        };
        (name, labels.into_iter().flatten().map(text).collect())
    });
    TaskInfo {
        name: name.clone(),
        task_id: task.id.clone(),
        agent_id: Some(setting.offer.agent_id.clone()),
        executor: None,
        resources,
        labels: labels.clone(),
        // Not visible: it concerns only the agent, which runs nothing here.
        env: SortedMap::new(),
        program: Program {
            goalless: true,
            lives: true,
            command: def.command.clone(),
            code: None,
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
