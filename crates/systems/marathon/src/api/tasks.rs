//! Tasks: showing and killing them.
//!
//! **Source**: `marathon: api/v2/AppTasksResource.scala, TasksResource.scala, api/TaskKiller.scala, raml/TaskConversion.scala`.
//! Match.

use super::apps::unknown_app;
use super::caller::Caller;
use super::reader::Reader;
use super::route::Query;
use super::show::unknown_group;
use super::{Answer, Done};
use crate::definition::Refused;
use crate::definition::RunSpec;
use crate::definition::write::Dates;
use crate::deployments::plan::ToKill;
use crate::deployments::planning::RootChange;
use crate::events::spec_of_task;
use crate::groups::Marks;
use crate::health::Health;
use crate::id::PathId;
use crate::instances::instance::InstanceNo;
use crate::instances::instance::{Condition, Goal, Instance, Task};
use crate::instances::network;
use crate::instances::tracker::{Key, SpecNo, Tracked};
use planarium_kernel::{SimTime, SortedMap};
use planarium_protocol::json;
use serde_json::{Map, Value};
use std::sync::Arc;

/// Instances to kill, by spec.
type Chosen = SortedMap<PathId, Vec<(Key, Arc<Instance>)>>;

impl Reader<'_> {
    /// Returns an instance's health results by the checks of its version.
    pub(crate) fn health_of(&self, instance: &Instance, now: SimTime) -> Vec<Health> {
        let Some(no) = self.records.known_number(instance.spec_id()) else { return Vec::new() };
        let Some(checks) = self.records.run(no).and_then(|run| run.checks.get(&instance.version())) else {
            return Vec::new();
        };
        (0..checks.spec.def.health.len()).filter_map(|at| checks.seen(instance.no, at, now)).collect()
    }

    fn health_json(&self, health: &Health) -> Value {
        let mut all = Map::new();
        let mut put = |key: &str, value: Value| _ = all.insert(key.to_owned(), value);
        put("alive", health.is_alive().into());
        put("consecutiveFailures", health.failures.into());
        let at = |at: Option<SimTime>| at.map(|at| Value::String(self.records.setup.calendar.at(at)));
        for (key, value) in [
            ("firstSuccess", at(health.first_success)),
            ("lastFailure", at(health.last_failure)),
            ("lastSuccess", at(health.last_success)),
            ("lastFailureCause", health.cause.as_deref().map(Value::from)),
        ] {
            if let Some(value) = value {
                put(key, value);
            }
        }
        put("instanceId", (&*health.instance).into());
        Value::Object(all)
    }

    /// A task; none of an instance that never had a machine.
    pub(super) fn task_json(
        &self,
        instance: &Instance,
        task: &Task,
        service_ports: &[u32],
        now: SimTime,
    ) -> Option<Value> {
        let agent = instance.agent.as_ref()?;
        let mut all = Map::new();
        let mut put = |key: &str, value: Value| _ = all.insert(key.to_owned(), value);
        put("appId", instance.spec_id().as_str().into());
        let health: Vec<Value> =
            self.health_of(instance, now).iter().map(|one| self.health_json(one)).collect();
        put("healthCheckResults", Value::Array(health));
        let active = task.condition.is_active();
        if let Some(code) = task.status.as_ref().and_then(|status| status.check?.exit_code)
            && !self.records.setup.settings.client_compat
        {
            put("checkResult", json!({"command": {"exitCode": code}}));
        }
        put("host", (&*agent.hostname).into());
        put("id", (&*task.id).into());
        put("ipAddresses", network::addresses(instance));
        put("ports", if active { network::host_ports(task) } else { json!([]) });
        put("servicePorts", Value::Array(service_ports.iter().map(|port| (*port).into()).collect()));
        put("slaveId", (&*agent.agent_id).into());
        put("state", task.condition.mesos().into());
        if active {
            put("stagedAt", self.records.setup.calendar.at(task.staged).into());
            if let Some(started) = task.started {
                put("startedAt", self.records.setup.calendar.at(started).into());
            }
            put("version", self.records.setup.calendar.date(instance.version()).into());
        }
        put("localVolumes", Value::Array(local_volumes(instance)));
        for (key, value) in [("region", &agent.region), ("zone", &agent.zone)] {
            if let Some(value) = value {
                put(key, (&**value).into());
            }
        }
        put("role", (&*instance.role).into());
        Some(Value::Object(all))
    }

    fn tasks_of(&self, no: SpecNo, ports: &[u32], now: SimTime) -> Vec<Value> {
        let mut all = Vec::new();
        for (_, instance) in self.records.instances.of_spec(no) {
            all.extend(instance.tasks.iter().filter_map(|task| self.task_json(instance, task, ports, now)));
        }
        all
    }

    pub(super) fn app_tasks(&self, now: SimTime, id: &str) -> Done {
        let mut tasks = Vec::new();
        if let Some(group) = id.strip_suffix("/*") {
            let group = PathId::absolute(group);
            self.records.definitions.root.group(&group).ok_or_else(|| unknown_group(&group))?;
            for app in self.records.definitions.root.specs_within(&group).filter(|spec| spec.is_app()) {
                tasks.extend(
                    self.records
                        .known_number(&app.id)
                        .map(|no| self.tasks_of(no, &[], now))
                        .unwrap_or_default(),
                );
            }
        } else {
            let id = PathId::absolute(id);
            self.records.definitions.root.app(&id).ok_or_else(|| unknown_app(&id))?;
            tasks = self.records.known_number(&id).map(|no| self.tasks_of(no, &[], now)).unwrap_or_default();
        }
        Ok(Answer::json(json!({"tasks": tasks})))
    }

    pub(super) fn list_tasks(&self, now: SimTime, query: &Query) -> Answer {
        let states: Vec<Condition> = query
            .all("status")
            .chain(query.all("status[]"))
            .filter_map(|state| match state.to_lowercase().as_str() {
                "running" => Some(Condition::Running),
                "staging" => Some(Condition::Staging),
                _ => None,
            })
            .collect();
        let mut tasks = Vec::new();
        for (_, instance) in self.records.instances.iter() {
            let Some(app) = self.records.definitions.root.app(instance.spec_id()) else { continue };
            if states.is_empty() || states.contains(&instance.condition) {
                let ports = &app.def.service_ports;
                tasks.extend(
                    instance.tasks.iter().filter_map(|task| self.task_json(instance, task, ports, now)),
                );
            }
        }
        Answer::json(json!({"tasks": tasks}))
    }
}

impl Caller<'_, '_> {
    /// Kills instances, which are launched again, or wipes them with their reservations. Returns the killed ones.
    fn kill(&mut self, found: &[(Key, Arc<Instance>)], wipe: bool) {
        if wipe {
            for (key, instance) in found {
                let cause = self.marathon.records.say_instance(
                    self.port.cx,
                    "instance-wiped",
                    Tracked { key: *key, instance },
                    "it is wiped, as asked for",
                );
                self.marathon.records.instances.set_goal(
                    *key,
                    Goal::Decommissioned,
                    self.port.cx.now(),
                    cause,
                );
                self.marathon.records.instances.force_expunge(*key, cause);
            }
        } else {
            let active: Vec<(Key, Arc<Instance>)> =
                found.iter().filter(|(_, instance)| instance.condition.is_active()).cloned().collect();
            for (key, instance) in &active {
                self.marathon.records.say_instance(
                    self.port.cx,
                    "instance-killed",
                    Tracked { key: *key, instance },
                    "it is killed, as asked for",
                );
            }
            self.marathon.kills.kill_instances(&mut self.marathon.records, self.port, &active);
        }
        self.marathon.settle(self.port);
    }

    /// Kills instances and reduces the number of instances accordingly.
    fn kill_and_scale(&mut self, chosen: Chosen, force: bool) -> Done {
        if let Some(id) = chosen.keys().find(|id| {
            self.marathon
                .records
                .known_number(id)
                .is_none_or(|no| self.marathon.records.instances.counts(no).all == 0)
        }) {
            return Err(Refused::NotFound(format!("Path '{id}' does not exist")));
        }
        let mut kill = ToKill::new();
        let mut counts: Vec<(PathId, u32)> = Vec::new();
        for (id, instances) in &chosen {
            let numbers: Vec<InstanceNo> = instances.iter().map(|(key, _)| key.no).collect();
            kill.insert(id.clone(), numbers.into());
            let counted = |(_, instance): &&(Key, Arc<Instance>)| {
                instance.condition.is_active() && instance.condition != Condition::Killing
            };
            let count = instances.iter().filter(counted).count();
            counts.push((id.clone(), u32::try_from(count).unwrap_or(u32::MAX)));
        }
        let version = self.marathon.records.definitions.new_stamp(self.port.cx.now());
        let settings = self.marathon.records.setup.settings.clone();
        let change = RootChange {
            group: PathId::root(),
            version,
            force,
            marks: Marks::new(),
            kill,
            change: &mut |root| {
                for (id, count) in &counts {
                    if let Some(app) = root.app(id).cloned() {
                        let instances = app.instances.saturating_sub(*count);
                        root.put(Arc::new(RunSpec { instances, ..RunSpec::clone(&app) }), &settings);
                    }
                }
                Ok(())
            },
        };
        let accepted = self.marathon.change_root(self.port, change)?;
        Ok(self.deployed(&accepted))
    }

    pub(super) fn kill_app_tasks(&mut self, id: &str, query: &Query) -> Done {
        let id = PathId::absolute(id);
        let host = query.get("host").map(str::to_owned);
        let fits = |instance: &Instance| {
            let own = instance.agent.as_ref().map(|agent| &*agent.hostname);
            host.as_deref().is_none_or(|host| host == "*" || own == Some(host))
        };
        self.kill_of_app(&id, query, &fits, None)
    }

    pub(super) fn kill_app_task(&mut self, id: &str, task: &str, query: &Query) -> Done {
        let id = PathId::absolute(id);
        let (wanted, _) = spec_of_task(task);
        let fits = |instance: &Instance| *instance.id == *wanted || *instance.id == *task;
        self.kill_of_app(&id, query, &fits, Some(task))
    }

    fn kill_of_app(
        &mut self,
        id: &PathId,
        query: &Query,
        fits: &dyn Fn(&Instance) -> bool,
        task: Option<&str>,
    ) -> Done {
        let (scale, wipe) = both(query)?;
        let no = self.marathon.records.known_number(id);
        let all = no.into_iter().flat_map(|no| self.marathon.records.instances.of_spec(no));
        let found: Vec<(Key, Arc<Instance>)> = all
            .filter(|(_, instance)| fits(instance))
            .map(|(key, instance)| (key, instance.clone()))
            .collect();
        if scale {
            let active = found.into_iter().filter(|(_, instance)| instance.condition.is_active());
            let chosen = [(id.clone(), active.collect())].into_iter().collect();
            return self.kill_and_scale(chosen, query.flag("force", false));
        }
        self.marathon.records.definitions.root.spec(id).ok_or_else(|| unknown_app(id))?;
        if let Some(task) = task
            && found.is_empty()
        {
            return Err(Refused::NotFound(format!("Task '{task}' does not exist")));
        }
        let now = self.port.cx.now();
        let shown: Vec<Value> = found
            .iter()
            .filter_map(|(_, instance)| self.reader().task_json(instance, instance.task()?, &[], now))
            .collect();
        self.kill(&found, wipe);
        Ok(Answer::json(match task {
            Some(_) => json!({"task": shown.into_iter().next()}),
            None => json!({"tasks": shown}),
        }))
    }

    pub(super) fn kill_tasks(&mut self, body: &Value, query: &Query) -> Done {
        let (scale, wipe) = both(query)?;
        let body = super::body_of(body)?;
        let ids = ids_of(&body)?;
        let mut chosen: Chosen = SortedMap::new();
        for id in ids {
            let (instance, _) = spec_of_task(id);
            if !is_task_id(id) {
                return Err(Refused::BadRequest(format!(
                    "Invalid task id '{id}'. [taskId {id} no valid identifier]"
                )));
            }
            if let Some((key, instance)) = self.marathon.records.instances.find(&instance) {
                chosen.entry(instance.spec_id().clone()).or_default().push((key, instance.clone()));
            }
        }
        if scale {
            return self.kill_and_scale(chosen, query.flag("force", false));
        }
        let now = self.port.cx.now();
        let found: Vec<(Key, Arc<Instance>)> = chosen
            .into_iter()
            .filter(|(id, _)| self.marathon.records.definitions.root.app(id).is_some())
            .flat_map(|(_, all)| all)
            .collect();
        let mut shown = Vec::new();
        for (_, instance) in &found {
            shown.extend(
                instance.tasks.iter().filter_map(|task| self.reader().task_json(instance, task, &[], now)),
            );
        }
        self.kill(&found, wipe);
        Ok(Answer::json(json!({"tasks": shown})))
    }

    /// Kills instances of a pod.
    pub(super) fn kill_found(&mut self, found: &[(Key, Arc<Instance>)], wipe: bool) {
        self.kill(found, wipe);
    }
}

/// Returns the ids listed in a body. A missing list is reported at the root, with the body.
fn ids_of(body: &Value) -> Result<Vec<&str>, Refused> {
    let fault = |path: String, error: &'static str| crate::schema::Fault { path, error: error.into() };
    let Some(ids) = body.get("ids") else {
        let text = if body.is_object() {
            format!("'ids' is undefined on object: {body}")
        } else {
            format!("{body} is not an object")
        };
        return Err(Refused::Faults(vec![crate::schema::Fault::at_root(text)]));
    };
    let Some(ids) = ids.as_array() else {
        return Err(Refused::Faults(vec![crate::schema::Fault::at_root("error.expected.jsarray")]));
    };
    let others = ids.iter().enumerate().filter(|(_, id)| !id.is_string());
    let faults: Vec<_> = others.map(|(at, _)| fault(format!("({at})"), "error.expected.jsstring")).collect();
    if !faults.is_empty() {
        return Err(Refused::Faults(faults));
    }
    Ok(ids.iter().filter_map(Value::as_str).collect())
}

fn both(query: &Query) -> Result<(bool, bool), Refused> {
    let (scale, wipe) = (query.flag("scale", false), query.flag("wipe", false));
    if scale && wipe {
        return Err(Refused::BadRequest("You cannot use scale and wipe at the same time.".to_owned()));
    }
    Ok((scale, wipe))
}

/// Returns whether a text has the form of a task id, of any version.
fn is_task_id(text: &str) -> bool {
    let split = text.rsplit_once(['.', '_']);
    split.is_some_and(|(head, tail)| !head.is_empty() && !tail.is_empty())
}

/// Volumes of an instance.
pub(super) fn local_volumes(instance: &Instance) -> Vec<Value> {
    let volumes =
        instance.reservation.as_ref().map(|reservation| reservation.volumes.clone()).unwrap_or_default();
    let one = |volume: &crate::instances::instance::LocalVolume| {
        let uuid = volume.id.rsplit_once('#').map_or("", |(_, uuid)| uuid);
        json!({"runSpecId": instance.spec_id().as_str(), "containerPath": volume.path, "uuid": uuid,
            "persistenceId": volume.id})
    };
    volumes.iter().map(one).collect()
}
