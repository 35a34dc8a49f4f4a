//! `/state-summary` and `/roles`.
//!
//! Source: `apache/mesos: src/master/readonly_handler.cpp` (stateSummary, roles). Match; sums of a role hold those of
//! the roles below it.

use super::{
    common::{Calendar, decimal, id},
    framework::capability_words,
    resource::{Form, list, sums},
    task::TaskRows,
};
use crate::{
    allocator::roles::{ancestors, is_within},
    api::{AgentId, FrameworkId, Resource, Resources, TaskState},
    cluster::Cluster,
    frameworks::Frameworks,
    offers::Offers,
    operator::quota,
    records::Records,
    wire::{agent, state, task},
};
use planarium_kernel::{SortedMap, SortedSet};
use planarium_protocol::Text;
use planarium_protocol::json;
use serde_json::{Map, Value};

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
struct Counts(SortedMap<TaskState, u64>);

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

pub(super) fn state_summary(records: &Records, calendar: Calendar) -> Value {
    let tasks = task::task_rows(&records.tasks, &records.cluster.frameworks);
    let mut by_agent: SortedMap<AgentId, (Counts, SortedSet<FrameworkId>)> = SortedMap::new();
    for (row, of) in tasks.iter().enumerate() {
        for task in of.all() {
            let (counts, frameworks) = by_agent.entry(task.agent).or_default();
            counts.add(task.state);
            frameworks.insert(FrameworkId::at(row));
        }
    }
    let agents = agent::agent_rows(records).into_iter().map(|agent| {
        let mut map = agent.v0(calendar);
        let (counts, mut frameworks) = by_agent.remove(&agent.id).unwrap_or_default();
        frameworks.extend(agent.frameworks());
        counts.put(&mut map);
        let ids: Vec<&str> =
            frameworks.into_iter().map(|id| records.cluster.frameworks.wire_id(id)).collect();
        map.insert("framework_ids".to_owned(), json!(ids));
        Value::Object(map)
    });
    let agents: Vec<Value> = agents.collect();
    let registered = records.cluster.frameworks.rows.iter().zip(&tasks).enumerate();
    let frameworks = registered
        .filter(|(_, (framework, _))| framework.is_registered())
        .map(|(row, (_, tasks))| framework_summary(records, FrameworkId::at(row), tasks));
    json!({
        "hostname": "localhost",
        "slaves": agents,
        "frameworks": frameworks.collect::<Vec<_>>(),
    })
}

fn framework_summary(records: &Records, id: FrameworkId, tasks: &TaskRows<'_>) -> Value {
    let Some(framework) = records.cluster.frameworks.get(id) else { return Value::Null };
    let (used, offered) = state::resources_of_framework(records, id);
    let mut both = used.clone();
    both.add_all(&offered);
    let mut counts = Counts::default();
    let mut agents: SortedSet<&Text> = SortedSet::new();
    for task in tasks.all() {
        counts.add(task.state);
        agents.extend(records.cluster.agents.get(task.agent).map(|agent| &agent.name));
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
    put("recovered", json!(framework.recovered));
    counts.put(&mut map);
    map.insert("slave_ids".to_owned(), json!(agents));
    Value::Object(map)
}

pub(super) fn roles_v0(records: &Records) -> Value {
    let Records { cluster, offers, .. } = records;
    let roles: Vec<Value> =
        role_names(cluster).into_iter().map(|role| role_v0(offers, cluster, &role)).collect();
    json!({ "roles": roles })
}

/// Roles that a framework subscribed with or is allocated something under, that have a reservation, a weight or a
/// quota; and all roles above these.
pub(super) fn role_names(cluster: &Cluster) -> SortedSet<Text> {
    let mut names: SortedSet<Text> = SortedSet::new();
    for framework in cluster.frameworks.rows.iter().filter(|framework| framework.is_registered()) {
        names.extend(framework.info.roles.iter().cloned());
    }
    for (_, slot) in cluster.allocator.agents() {
        let total = slot.total();
        let reserved = total.iter().filter(|resource| !resource.reservations.is_empty());
        names.extend(reserved.map(|resource| resource.role().into()));
        names.extend(slot.allocated.keys().map(|(_, role)| role.clone()));
    }
    names.extend(cluster.allocator.weights().keys().cloned());
    names.extend(cluster.allocator.quotas().into_keys());
    let above: Vec<Text> = names.iter().flat_map(|role| ancestors(role)).map(Text::from).collect();
    names.extend(above);
    names
}

/// Returns the allocation of a role's subtree, and the part of it that is only offered.
fn allocated_within(offers: &Offers, cluster: &Cluster, role: &str) -> (Resources, Resources) {
    let mut allocated = Resources::new();
    for (_, slot) in cluster.allocator.agents() {
        for (_, under) in slot.allocated.iter().filter(|((_, of), _)| is_within(role, of)) {
            under.parts().for_each(|part| allocated.add_all(part));
        }
    }
    let offers = offers.outstanding.values().filter(|offer| is_within(role, &offer.role));
    (allocated, offers.flat_map(|offer| offer.resources.clone()).collect())
}

fn subscribed<'a>(frameworks: &'a Frameworks, role: &Text) -> impl Iterator<Item = &'a Text> {
    let subscribed = frameworks.rows.iter().filter(|f| f.is_registered() && f.info.roles.contains(role));
    subscribed.map(|framework| &framework.name)
}

fn role_v0(offers: &Offers, cluster: &Cluster, role: &Text) -> Value {
    let (allocated, offered) = allocated_within(offers, cluster, role);
    let is_reserved = |r: &Resource| !r.reservations.is_empty() && is_within(role, r.role());
    let mut reserved = Resources::new();
    for (_, slot) in cluster.allocator.agents() {
        reserved.add_all(&slot.total().filter(is_reserved));
    }
    json!({
        "name": role,
        "weight": decimal(cluster.allocator.weight(role).0),
        "quota": quota::role_quota(offers, cluster, role),
        "resources": sums(&allocated),
        "allocated": sums(&allocated.minus(&offered)),
        "offered": sums(&offered),
        "reserved": sums(&reserved),
        "frameworks": subscribed(&cluster.frameworks, role).collect::<Vec<_>>(),
    })
}

pub(super) fn role_v1(offers: &Offers, cluster: &Cluster, role: &Text) -> Value {
    let mut map = Map::new();
    map.insert("name".to_owned(), json!(role));
    map.insert("weight".to_owned(), decimal(cluster.allocator.weight(role).0));
    let frameworks: Vec<Value> = subscribed(&cluster.frameworks, role).map(|name| id(name)).collect();
    if !frameworks.is_empty() {
        map.insert("frameworks".to_owned(), frameworks.into());
    }
    let (allocated, _) = allocated_within(offers, cluster, role);
    if !allocated.is_empty() {
        map.insert("resources".to_owned(), list(&allocated, Form::Refined, false));
    }
    Value::Object(map)
}
