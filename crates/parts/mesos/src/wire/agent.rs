//! Agents as JSON, in both forms.
//!
//! Source: `apache/mesos: src/common/http.cpp` (summarize, full), `src/internal/evolve.cpp`. Match.

use super::{
    common::{Calendar, VERSION, agent_pid, domain, id},
    resource::{Form, list, ranges_json, sums},
};
use crate::{
    agents::{Agent, AgentState, Agents},
    api::{AgentId, FrameworkId, Offer, Resources, Value},
    maintenance::DrainInfo,
    records::Records,
};
use planarium_kernel::SortedMap;
use planarium_protocol::Text;
use planarium_protocol::json;
use serde_json::{Map, Value as Json};

const CAPABILITIES: [&str; 8] = [
    "MULTI_ROLE",
    "HIERARCHICAL_ROLE",
    "RESERVATION_REFINEMENT",
    "RESOURCE_PROVIDER",
    "RESIZE_VOLUME",
    "AGENT_OPERATION_FEEDBACK",
    "AGENT_DRAINING",
    "TASK_RESOURCE_LIMITS",
];

/// An agent with the allocation of its resources.
pub(super) struct AgentRow<'a> {
    pub(super) id: AgentId,
    pub(super) agent: &'a Agent,
    pub(super) total: Resources,
    pub(super) active: bool,
    deactivated: bool,
    drain: Option<&'a DrainInfo>,
    /// By framework, with the role.
    used: SortedMap<FrameworkId, Resources>,
    offered: Resources,
}

/// Agents that have not come back since the master failed over, as v0 shows them.
pub(super) fn recovered_agents(agents: &Agents) -> Json {
    recovered(agents, &|agent| {
        json!({
            "id": agent.name,
            "hostname": agent.hostname,
            "port": agent.port,
            "attributes": attributes_v0(&agent.attributes),
        })
    })
}

/// The same as v1 shows them.
pub(super) fn recovered_v1(agents: &Agents) -> Json {
    recovered(
        agents,
        &|agent| json!({ "id": id(&agent.name), "hostname": agent.hostname, "port": agent.port }),
    )
}

fn recovered(agents: &Agents, shown: &dyn Fn(&Agent) -> Json) -> Json {
    let all = agents.rows.iter().filter(|agent| agent.state == AgentState::Recovered);
    all.map(|agent| shown(agent)).collect()
}

/// Registered agents in order of registration.
pub(super) fn agent_rows(records: &Records) -> Vec<AgentRow<'_>> {
    let mut offers: SortedMap<AgentId, Vec<&Offer>> = SortedMap::new();
    for offer in records.offers.outstanding.values() {
        offers.entry(offer.agent).or_default().push(offer);
    }
    let all = records.cluster.agents.rows.iter().enumerate().map(|(row, agent)| (AgentId::at(row), agent));
    all.filter(|(_, agent)| agent.state == AgentState::Registered)
        .map(|(id, agent)| {
            let mut used: SortedMap<FrameworkId, Resources> = SortedMap::new();
            for ((framework, role), resources) in records.tasks.allocated_on(&records.cluster.agents, id) {
                used.entry(framework).or_default().add_all(&resources.allocated(&role));
            }
            let offers = offers.get(&id).into_iter().flatten();
            let offered = offers.flat_map(|offer| offer.resources.allocated(&offer.role)).collect();
            let total =
                records.cluster.allocator.slot(id).map(crate::allocator::Slot::total).unwrap_or_default();
            let deactivated = records.cluster.agents.drains.is_deactivated(id);
            AgentRow {
                id,
                agent,
                total,
                active: agent.is_active() && !deactivated,
                deactivated,
                drain: records.cluster.agents.drains.info(id),
                used,
                offered,
            }
        })
        .collect()
}

impl AgentRow<'_> {
    fn all_used(&self) -> Resources {
        self.used.values().flatten().cloned().collect()
    }

    /// Frameworks that use anything here.
    pub(super) fn frameworks(&self) -> impl Iterator<Item = FrameworkId> + '_ {
        self.used.keys().copied()
    }

    /// The v0 form.
    pub(super) fn v0(&self, calendar: Calendar) -> Map<String, Json> {
        let agent = self.agent;
        let mut map = Map::new();
        let mut put = |key: &str, value: Json| {
            map.insert(key.to_owned(), value);
        };
        put("id", json!(agent.name));
        put("hostname", json!(agent.hostname));
        put("port", json!(agent.port));
        put("attributes", attributes_v0(&agent.attributes));
        if let Some(domain) = domain(agent.region.as_ref(), agent.zone.as_ref()) {
            put("domain", domain);
        }
        put("pid", json!(agent_pid(&agent.ip, agent.port)));
        put("registered_time", calendar.seconds(agent.joined));
        if let Some(at) = agent.returned {
            put("reregistered_time", calendar.seconds(at));
        }
        put("resources", sums(&self.total));
        put("used_resources", sums(&self.all_used()));
        put("offered_resources", sums(&self.offered));
        put("reserved_resources", by_role(&self.total, sums));
        put("unreserved_resources", sums(&self.total.unreserved()));
        put("active", json!(self.active));
        put("deactivated", json!(self.deactivated));
        put("version", json!(VERSION));
        put("capabilities", json!(CAPABILITIES));
        if let Some(drain) = self.drain {
            put("drain_info", drain.to_json());
            put("estimated_drain_start_time_seconds", calendar.seconds(drain.since));
        }
        map
    }

    /// The v0 form with every resource in full.
    pub(super) fn v0_full(&self, calendar: Calendar) -> Json {
        let mut map = self.v0(calendar);
        let full = |resources: &Resources| list(resources, Form::Both, true);
        map.insert("reserved_resources_full".to_owned(), by_role(&self.total, full));
        map.insert("unreserved_resources_full".to_owned(), full(&self.total.unreserved()));
        map.insert("used_resources_full".to_owned(), full(&self.all_used()));
        map.insert("offered_resources_full".to_owned(), full(&self.offered));
        Json::Object(map)
    }

    /// The v1 form.
    pub(super) fn v1(&self, calendar: Calendar) -> Json {
        let agent = self.agent;
        let mut info = Map::new();
        info.insert("id".to_owned(), id(&agent.name));
        info.insert("hostname".to_owned(), json!(agent.hostname));
        info.insert("port".to_owned(), json!(agent.port));
        // The agent's resources before any operation.
        let plain: Resources = self.total.iter().map(undone).collect();
        info.insert("resources".to_owned(), list(&plain, Form::Refined, false));
        if !agent.attributes.is_empty() {
            info.insert("attributes".to_owned(), attributes_v1(&agent.attributes));
        }
        if let Some(domain) = domain(agent.region.as_ref(), agent.zone.as_ref()) {
            info.insert("domain".to_owned(), domain);
        }
        let mut map = Map::new();
        let mut put = |key: &str, value: Json| {
            map.insert(key.to_owned(), value);
        };
        put("agent_info", Json::Object(info));
        put("active", json!(self.active));
        put("deactivated", json!(self.deactivated));
        put("version", json!(VERSION));
        put("pid", json!(agent_pid(&agent.ip, agent.port)));
        put("registered_time", calendar.nanoseconds(agent.joined));
        if let Some(at) = agent.returned {
            put("reregistered_time", calendar.nanoseconds(at));
        }
        put("total_resources", list(&self.total, Form::Refined, false));
        for (key, resources) in
            [("allocated_resources", self.all_used()), ("offered_resources", self.offered.clone())]
        {
            if !resources.is_empty() {
                put(key, list(&resources, Form::Refined, true));
            }
        }
        put("capabilities", CAPABILITIES.iter().map(|word| json!({ "type": word })).collect());
        if let Some(drain) = self.drain {
            put("drain_info", drain.to_json());
            put("estimated_drain_start_time", calendar.nanoseconds(drain.since));
        }
        Json::Object(map)
    }
}

/// Returns a resource as it was before operations converted it.
fn undone(resource: &crate::api::Resource) -> crate::api::Resource {
    let mut plain =
        if resource.persistence().is_some() { resource.without_volume() } else { resource.clone() };
    while plain.is_dynamically_reserved() {
        plain = plain.popped();
    }
    plain
}

fn by_role(resources: &Resources, shown: impl Fn(&Resources) -> Json) -> Json {
    let mut roles: SortedMap<&str, Resources> = SortedMap::new();
    for resource in resources.iter().filter(|resource| !resource.reservations.is_empty()) {
        roles.entry(resource.role()).or_default().add(resource.clone());
    }
    Json::Object(roles.into_iter().map(|(role, resources)| (role.to_owned(), shown(&resources))).collect())
}

fn attributes_v0(attributes: &[(Text, Text)]) -> Json {
    let value = |text: &Text| match Value::parse(text) {
        Ok(Value::Scalar(amount)) => json!(amount),
        _ => json!(text),
    };
    Json::Object(attributes.iter().map(|(name, text)| (name.to_string(), value(text))).collect())
}

pub(super) fn attributes_v1(attributes: &[(Text, Text)]) -> Json {
    let one = |(name, text): &(Text, Text)| match Value::parse(text) {
        Ok(Value::Scalar(amount)) => json!({ "name": name, "type": "SCALAR", "scalar": { "value": amount } }),
        Ok(Value::Ranges(ranges)) => {
            json!({ "name": name, "type": "RANGES", "ranges": ranges_json(&ranges) })
        }
        Ok(Value::Set(items)) => json!({ "name": name, "type": "SET", "set": { "item": items } }),
        Err(_) => json!({ "name": name, "type": "TEXT", "text": { "value": text } }),
    };
    attributes.iter().map(one).collect()
}
