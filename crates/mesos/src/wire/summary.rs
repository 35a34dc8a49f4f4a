//! `/state-summary` and `/roles`.
//!
//! Source: `apache/mesos: src/master/readonly_handler.cpp` (stateSummary, roles). Match, with weights of 1 and without quota.

use super::{Calendar, framework::capability_words, resource::sums, task::TaskRows};
use crate::{
    Master,
    api::{AgentId, FrameworkId, Resources, TaskState},
};
use planarium_protocol::Text;
use serde_json::{Map, Value, json};
use std::collections::{BTreeMap, BTreeSet};

/// States that are counted.
const COUNTED: [TaskState; 10] = [
    TaskState::Staging,
    TaskState::Starting,
    TaskState::Running,
    TaskState::Killing,
    TaskState::Finished,
    TaskState::Killed,
    TaskState::Failed,
    TaskState::Lost,
    TaskState::Error,
    TaskState::Unreachable,
];

/// Tasks by state.
#[derive(Default)]
struct Counts(BTreeMap<TaskState, u64>);

impl Counts {
    fn add(&mut self, state: TaskState) {
        *self.0.entry(state).or_default() += 1;
    }

    fn put(&self, map: &mut Map<String, Value>) {
        for state in COUNTED {
            map.insert(state.as_str().to_owned(), json!(self.0.get(&state).copied().unwrap_or(0)));
        }
    }
}

impl Master {
    pub(super) fn state_summary(&self, calendar: Calendar) -> Value {
        let tasks = self.task_rows();
        let mut by_agent: BTreeMap<AgentId, (Counts, BTreeSet<FrameworkId>)> = BTreeMap::new();
        for (row, of) in tasks.iter().enumerate() {
            for task in of.all() {
                let (counts, frameworks) = by_agent.entry(task.agent).or_default();
                counts.add(task.state);
                frameworks.insert(FrameworkId::at(row));
            }
        }
        let agents = self.agent_rows().into_iter().map(|agent| {
            let mut map = agent.v0(calendar);
            let (counts, mut frameworks) = by_agent.remove(&agent.id).unwrap_or_default();
            frameworks.extend(agent.frameworks());
            counts.put(&mut map);
            let ids: Vec<&str> = frameworks.into_iter().map(|id| self.framework_wire_id(id)).collect();
            map.insert("framework_ids".to_owned(), json!(ids));
            Value::Object(map)
        });
        let agents: Vec<Value> = agents.collect();
        let registered = self.frameworks.iter().zip(&tasks).enumerate();
        let frameworks = registered
            .filter(|(_, (framework, _))| framework.is_registered())
            .map(|(row, (_, tasks))| self.framework_summary(FrameworkId::at(row), tasks));
        json!({
            "hostname": "localhost",
            "slaves": agents,
            "frameworks": frameworks.collect::<Vec<_>>(),
        })
    }

    fn framework_summary(&self, id: FrameworkId, tasks: &TaskRows<'_>) -> Value {
        let Some(framework) = self.framework(id) else { return Value::Null };
        let (used, offered) = self.shares(id);
        let mut both = used.clone();
        both.add_all(&offered);
        let mut counts = Counts::default();
        let mut agents: BTreeSet<&Text> = BTreeSet::new();
        for task in tasks.all() {
            counts.add(task.state);
            agents.extend(self.agent(task.agent).map(|agent| &agent.name));
        }
        let mut map = Map::new();
        let mut put = |key: &str, value: Value| {
            map.insert(key.to_owned(), value);
        };
        put("id", json!(framework.name));
        put("name", json!(framework.info.name));
        put("used_resources", sums(&used));
        put("offered_resources", sums(&offered));
        put("resources", sums(&both));
        put("capabilities", json!(capability_words(&framework.info)));
        put("hostname", json!(""));
        put("webui_url", json!(""));
        put("active", json!(framework.is_connected()));
        put("connected", json!(framework.is_connected()));
        put("recovered", json!(false));
        counts.put(&mut map);
        map.insert("slave_ids".to_owned(), json!(agents));
        Value::Object(map)
    }

    pub(super) fn roles_v0(&self) -> Value {
        let roles: Vec<Value> = self.role_names().into_iter().map(|role| self.role_v0(&role)).collect();
        json!({ "roles": roles })
    }

    /// Roles that somebody subscribed with, holds something under, or has something reserved for.
    pub(super) fn role_names(&self) -> BTreeSet<Text> {
        let mut names: BTreeSet<Text> = BTreeSet::new();
        for framework in self.frameworks.iter().filter(|framework| framework.is_registered()) {
            names.extend(framework.info.roles.iter().cloned());
        }
        for (_, slot) in self.allocator.agents() {
            let reserved = slot.total.iter().filter(|resource| !resource.reservations.is_empty());
            names.extend(reserved.map(|resource| resource.role().into()));
            names.extend(slot.held.keys().map(|(_, role)| role.clone()));
        }
        names
    }

    pub(super) fn role_v0(&self, role: &Text) -> Value {
        let (mut held, mut reserved) = (Resources::new(), Resources::new());
        for (_, slot) in self.allocator.agents() {
            for ((_, of), resources) in &slot.held {
                if of == role {
                    held.add_all(resources);
                }
            }
            reserved.add_all(&slot.total.reserved_for(role));
        }
        let of_role = self.offers.values().filter(|offer| offer.role == *role);
        let offered: Resources = of_role.flat_map(|offer| offer.resources.unallocated()).collect();
        let allocated = held.minus(&offered);
        let subscribed = self.frameworks.iter().filter(|f| f.is_registered() && f.info.roles.contains(role));
        let ids: Vec<&Text> = subscribed.map(|framework| &framework.name).collect();
        let consumed: Map<String, Value> =
            allocated.quantities().into_iter().map(|(name, sum)| (name.to_string(), json!(sum))).collect();
        json!({
            "name": role,
            "weight": 1.0,
            "quota": { "role": role, "guarantee": {}, "limit": {}, "consumed": consumed },
            "resources": sums(&held),
            "allocated": sums(&allocated),
            "offered": sums(&offered),
            "reserved": sums(&reserved),
            "frameworks": ids,
        })
    }
}
