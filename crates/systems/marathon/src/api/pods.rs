//! Pods: several containers launched together.
//!
//! **Source**: `marathon: api/v2/PodsResource.scala, raml/PodStatusConversion.scala`. Match for what the simulator has;
//! fields of a container's status that only a real agent knows are left out.

use super::apps::put;
use super::caller::Caller;
use super::reader::Reader;
use super::route::Query;
use super::tasks::local_volumes;
use super::{Answer, DEPLOYMENT, Done};
use crate::definition::peek::Peek;
use crate::definition::posted::PostedSpec;
use crate::definition::write::{self, Dates};
use crate::definition::{Refused, RunSpec};
use crate::events::Happening;
use crate::id::PathId;
use crate::instances::instance::{Condition, Instance, Task};
use crate::instances::tracker::Key;
use planarium_kernel::SimTime;
use planarium_protocol::json;
use serde_json::{Map, Value};
use std::sync::Arc;

/// No pod has that id.
fn unknown_pod(id: &PathId) -> Refused {
    Refused::NotFound(format!("Pod '{id}' does not exist"))
}

impl Reader<'_> {
    fn pod(&self, id: &PathId) -> Result<&Arc<RunSpec>, Refused> {
        self.records.definitions.root.pod(id).ok_or_else(|| unknown_pod(id))
    }

    /// The pod that a posted body describes.
    pub(crate) fn posted_pod(&self, pod: &PostedSpec, force: bool) -> Result<RunSpec, Refused> {
        pod.check_shape()?;
        pod.spec(&self.records.setup.settings, &self.roles_of(pod.id(), force))
    }

    pub(super) fn list_pods(&self) -> Answer {
        let pods = self.records.definitions.root.specs.values().filter(|spec| !spec.is_app());
        Answer::json(pods.map(|pod| write::spec(pod, &self.records.setup.calendar)).collect())
    }

    pub(super) fn show_pod(&self, id: &str) -> Done {
        let id = PathId::absolute(id);
        // The real one wraps a message into a message here.
        let unknown = || Refused::NotFound(format!("{{\"message\": \"pod with {id} does not exist\"}}"));
        Ok(Answer::json(write::spec(
            self.records.definitions.root.pod(&id).ok_or_else(unknown)?,
            &self.records.setup.calendar,
        )))
    }

    pub(super) fn pod_versions(&self, id: &str) -> Done {
        let id = PathId::absolute(id);
        self.pod(&id)?;
        let versions = self.records.definitions.versions_of(&id);
        Ok(Answer::json(
            versions
                .iter()
                .map(|pod| Value::from(self.records.setup.calendar.date(pod.version.version)))
                .collect(),
        ))
    }

    pub(super) fn pod_version(&self, id: &str, version: &str) -> Done {
        let id = PathId::absolute(id);
        let stamp = self.stamp(version)?;
        let pod = self
            .records
            .definitions
            .version_of(&id, stamp)
            .filter(|spec| !spec.is_app())
            .ok_or_else(|| unknown_pod(&id))?;
        Ok(Answer::json(write::spec(&pod, &self.records.setup.calendar)))
    }

    pub(super) fn pod_status(&self, now: SimTime, id: &str) -> Done {
        Ok(Answer::json(self.pod_status_json(self.pod(&PathId::absolute(id))?, now)))
    }

    pub(super) fn pods_status(&self, now: SimTime) -> Answer {
        let pods = self.records.definitions.root.specs.values().filter(|spec| !spec.is_app());
        Answer::json(pods.map(|pod| self.pod_status_json(pod, now)).collect())
    }

    /// A pod with its instances.
    pub(super) fn pod_status_json(&self, pod: &RunSpec, now: SimTime) -> Value {
        let instances =
            self.records.known_number(&pod.id).map(|no| self.records.instances_of(no)).unwrap_or_default();
        let placed =
            instances.iter().filter(|instance| !(instance.is_scheduled() && instance.agent.is_none()));
        let shown: Vec<(&str, SimTime, Value)> = placed.map(|instance| self.pod_instance(instance)).collect();
        let stable = shown.iter().filter(|(state, ..)| *state == "STABLE").count();
        let state = if self.records.definitions.root.pod(&pod.id).is_none() {
            "TERMINAL"
        } else if stable >= pod.instances as usize {
            "STABLE"
        } else {
            "DEGRADED"
        };
        let since = shown.iter().map(|(_, since, _)| *since).max().unwrap_or(now);
        json!({
            "id": pod.id.as_str(),
            "spec": write::spec(pod, &self.records.setup.calendar),
            "status": state,
            "statusSince": self.records.setup.calendar.at(since),
            "instances": shown.into_iter().map(|(_, _, json)| json).collect::<Vec<_>>(),
            "terminationHistory": [],
            "lastUpdated": self.records.setup.calendar.at(now),
            "lastChanged": self.records.setup.calendar.at(since),
        })
    }

    fn pod_instance(&self, instance: &Instance) -> (&'static str, SimTime, Value) {
        let state = instance_state(instance);
        let since = self.records.setup.calendar.at(instance.since);
        let mut all = Map::new();
        let mut put = |key: &str, value: Value| _ = all.insert(key.to_owned(), value);
        put("id", (&*instance.id).into());
        put("status", state.into());
        put("statusSince", (&*since).into());
        put("conditions", json!([]));
        if let Some(agent) = &instance.agent {
            put("agentId", (&*agent.agent_id).into());
            put("agentHostname", (&*agent.hostname).into());
            for (key, value) in [("agentRegion", &agent.region), ("agentZone", &agent.zone)] {
                if let Some(value) = value {
                    put(key, (&**value).into());
                }
            }
        }
        let needs = instance.spec.def.needs;
        let number = |milli: planarium_kernel::Milli| {
            crate::schema::plain(planarium_kernel::float::parse(&milli.to_string()).unwrap_or_default())
        };
        put(
            "resources",
            json!({"cpus": number(needs.cpus), "mem": number(needs.mem), "disk": number(needs.disk),
            "gpus": needs.gpus.whole()}),
        );
        put("networks", json!([]));
        let containers: Vec<Value> =
            instance.tasks.iter().map(|task| self.container(instance, task)).collect();
        put("containers", Value::Array(containers));
        let version = self.records.setup.calendar.date(instance.version());
        put("specReference", format!("/v2/pods{}::versions/{version}", instance.spec_id()).into());
        put("localVolumes", Value::Array(local_volumes(instance)));
        put("lastUpdated", (&*since).into());
        put("lastChanged", since.into());
        put("role", (&*instance.role).into());
        (state, instance.since, Value::Object(all))
    }

    fn container(&self, instance: &Instance, task: &Task) -> Value {
        let since = self.records.setup.calendar.at(task.started.unwrap_or(task.staged));
        let healthy = task.status.as_ref().and_then(|status| status.healthy);
        let mut json = json!({
            "name": task.container,
            "status": task.condition.mesos(),
            "statusSince": since,
            "containerId": task.id,
            "endpoints": Self::endpoints(instance, task),
            "lastUpdated": since,
            "lastChanged": since,
        });
        if let (Some(all), Some(healthy)) = (json.as_object_mut(), healthy) {
            let value = if healthy { "true" } else { "false" };
            let condition =
                json!({"name": "HEALTHY", "value": value, "lastUpdated": since, "lastChanged": since});
            all.insert("conditions".to_owned(), json!([condition]));
        }
        json
    }

    fn endpoints(instance: &Instance, task: &Task) -> Vec<Value> {
        let containers = instance.spec.def.json.items("containers");
        let Some(container) = containers.iter().find(|container| *container.word("name") == *task.container)
        else {
            return Vec::new();
        };
        let ports = task.ports.iter().copied().chain(std::iter::repeat(None));
        let endpoint = |(endpoint, port): (&Value, Option<u32>)| {
            let mut json = json!({"name": endpoint.word("name")});
            if let (Some(all), Some(port)) = (json.as_object_mut(), port) {
                all.insert("allocatedHostPort".to_owned(), port.into());
            }
            json
        };
        container.items("endpoints").iter().zip(ports).map(endpoint).collect()
    }

    fn named_instances(&self, id: &PathId, ids: &[&str]) -> Vec<(Key, Arc<Instance>)> {
        let found = ids.iter().filter_map(|id| self.records.instances.find(id));
        found.filter(|(_, one)| one.spec_id() == id).map(|(key, instance)| (key, instance.clone())).collect()
    }

    fn instance_json(&self, instance: &Instance) -> Value {
        let agent = instance.agent.as_ref();
        json!({
            "instanceId": {"idString": instance.id},
            "agentInfo": {
                "host": agent.map_or("", |agent| &agent.hostname),
                "agentId": agent.map(|agent| &agent.agent_id),
                "attributes": [],
            },
            "runSpecVersion": self.records.setup.calendar.date(instance.version()),
            "state": {
                "condition": instance.condition.as_str(),
                "since": self.records.setup.calendar.at(instance.since),
                "goal": instance.goal.as_str(),
            },
            "tasksMap": instance.tasks.iter().map(|task| (task.id.to_string(), json!({
                "taskId": task.id, "condition": task.condition.as_str(), "stagedAt": self.records.setup.calendar.at(task.staged),
            }))).collect::<Map<String, Value>>(),
        })
    }
}

impl Caller<'_, '_> {
    pub(crate) fn create_pod(&mut self, body: &PostedSpec, force: bool) -> Done {
        let pod = self.reader().posted_pod(body, false)?;
        let (id, settings) = (pod.id.clone(), self.marathon.records.setup.settings.clone());
        let accepted = self.simple_change(id.parent(), force, &mut |root| {
            if root.pod(&id).is_some() {
                return Err(Refused::Conflict(format!("A pod with id [{id}] already exists.")));
            }
            put(root, pod.clone(), &settings)
        })?;
        self.marathon
            .records
            .publish(self.port.cx, Happening::Pod { verb: "created", uri: "/v2/pods".into() });
        self.marathon.settle(self.port);
        let shown = self
            .marathon
            .records
            .definitions
            .root
            .pod(&id)
            .map_or(Value::Null, |pod| write::spec(pod, &self.marathon.records.setup.calendar));
        let answer = Answer::json(shown).with_status(201).with("Location", id.as_str());
        Ok(answer.with(DEPLOYMENT, &*accepted.id))
    }

    pub(crate) fn update_pod(&mut self, id: &str, body: &PostedSpec, force: bool) -> Done {
        let id = PathId::absolute(id);
        let pod = self.reader().posted_pod(body, force)?;
        if pod.id != id {
            let text = format!("'{id}' does not match definition's id ('{}')", body.json().word("id"));
            return Err(Refused::BadRequest(text));
        }
        let settings = self.marathon.records.setup.settings.clone();
        let accepted =
            self.simple_change(id.parent(), force, &mut |root| put(root, pod.clone(), &settings))?;
        self.marathon
            .records
            .publish(self.port.cx, Happening::Pod { verb: "updated", uri: format!("/v2/pods{id}").into() });
        self.marathon.settle(self.port);
        let shown = self
            .marathon
            .records
            .definitions
            .root
            .pod(&id)
            .map_or(Value::Null, |pod| write::spec(pod, &self.marathon.records.setup.calendar));
        Ok(Answer::json(shown).with(DEPLOYMENT, &*accepted.id))
    }

    pub(crate) fn delete_pod(&mut self, id: &str, force: bool) -> Done {
        let id = PathId::absolute(id);
        self.reader().pod(&id)?;
        let accepted = self.simple_change(id.parent(), force, &mut |root| {
            root.remove(&id);
            Ok(())
        })?;
        self.marathon
            .records
            .publish(self.port.cx, Happening::Pod { verb: "deleted", uri: format!("/v2/pods{id}").into() });
        self.marathon.settle(self.port);
        Ok(Answer::empty(202).with("Location", &*accepted.id).with(DEPLOYMENT, &*accepted.id))
    }

    pub(super) fn kill_pod_instance(&mut self, id: &str, instance: &str, query: &Query) -> Done {
        let id = PathId::absolute(id);
        self.marathon
            .records
            .definitions
            .root
            .spec(&id)
            .ok_or_else(|| Refused::NotFound(format!("Path '{id}' does not exist")))?;
        let found = self.reader().named_instances(&id, &[instance]);
        let shown = found.first().map(|(_, instance)| self.reader().instance_json(instance));
        let shown = shown.ok_or_else(|| Refused::NotFound(format!("Task '{instance}' does not exist")))?;
        self.kill_found(&found, query.flag("wipe", false));
        Ok(Answer::json(shown))
    }

    pub(super) fn kill_pod_instances(&mut self, id: &str, body: &Value, query: &Query) -> Done {
        let id = PathId::absolute(id);
        let body = super::body_of(body)?;
        let Some(ids) = body.as_array() else {
            return Err(Refused::Faults(vec![crate::schema::Fault::at_root("error.expected.jsarray")]));
        };
        self.marathon
            .records
            .definitions
            .root
            .spec(&id)
            .ok_or_else(|| Refused::NotFound(format!("Path '{id}' does not exist")))?;
        let ids: Vec<&str> = ids.iter().filter_map(Value::as_str).collect();
        let found = self.reader().named_instances(&id, &ids);
        let shown: Vec<Value> =
            found.iter().map(|(_, instance)| self.reader().instance_json(instance)).collect();
        self.kill_found(&found, query.flag("wipe", false));
        Ok(Answer::json(Value::Array(shown)))
    }
}

/// Returns the state word of a pod's instance.
fn instance_state(instance: &Instance) -> &'static str {
    match instance.condition {
        Condition::Scheduled | Condition::Provisioned => "PENDING",
        Condition::Staging | Condition::Starting => "STAGING",
        Condition::Running if instance.healthy == Some(false) => "DEGRADED",
        Condition::Running if instance.spec.def.pod_health && instance.healthy.is_none() => "DEGRADED",
        Condition::Running => "STABLE",
        Condition::Error
        | Condition::Failed
        | Condition::Finished
        | Condition::Killed
        | Condition::Gone
        | Condition::Dropped
        | Condition::Unknown
        | Condition::Killing => "TERMINAL",
        Condition::Unreachable | Condition::UnreachableInactive => "DEGRADED",
    }
}
