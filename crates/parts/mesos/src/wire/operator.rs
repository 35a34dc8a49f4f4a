//! Reads of the v1 operator API.
//!
//! Source: `apache/mesos: include/mesos/v1/master/master.proto`, `src/master/http.cpp`. Match for these types.

use super::{
    common::{Calendar, MASTER_IP, MASTER_PORT, VERSION, domain, version},
    framework,
    resource::{Form, list},
    task::{TaskRow, TaskRows},
};
use crate::{Master, agents::AgentState, api::FrameworkId};
use planarium_kernel::SimTime;
use planarium_protocol::json;
use serde_json::{Map, Value};

/// `{"type":TYPE,"type in small letters":PAYLOAD}`.
fn reply(kind: &str, payload: Value) -> Value {
    let mut map = Map::new();
    map.insert("type".to_owned(), json!(kind));
    map.insert(kind.to_ascii_lowercase(), payload);
    Value::Object(map)
}

/// Leaves out empty lists, as messages do.
pub(super) fn filled(lists: Vec<(&str, Vec<Value>)>) -> Value {
    let full = lists.into_iter().filter(|(_, list)| !list.is_empty());
    Value::Object(full.map(|(key, list)| (key.to_owned(), list.into())).collect())
}

impl Master {
    /// The master itself, as frameworks see it too.
    pub(super) fn master_info(&self) -> Value {
        let mut map = Map::new();
        map.insert("id".to_owned(), json!(self.uuid));
        map.insert("ip".to_owned(), json!(16_777_343));
        map.insert("port".to_owned(), json!(MASTER_PORT));
        map.insert("pid".to_owned(), json!(format!("master@{MASTER_IP}:{MASTER_PORT}")));
        map.insert("hostname".to_owned(), json!("localhost"));
        map.insert("version".to_owned(), json!(VERSION));
        map.insert(
            "address".to_owned(),
            json!({ "hostname": "localhost", "ip": MASTER_IP, "port": MASTER_PORT }),
        );
        if let Some(domain) = domain(self.region.as_ref(), None) {
            map.insert("domain".to_owned(), domain);
        }
        Value::Object(map)
    }

    /// Answers a read; none for other types.
    pub(super) fn operator_read(&self, calendar: Calendar, kind: &str) -> Option<Value> {
        let payload = match kind {
            "GET_HEALTH" => json!({ "healthy": true }),
            "GET_VERSION" => json!({ "version_info": version() }),
            "GET_FLAGS" => {
                let Value::Object(flags) = self.flags() else { return None };
                let flags = flags.into_iter().map(|(name, value)| json!({ "name": name, "value": value }));
                json!({ "flags": flags.collect::<Vec<_>>() })
            }
            "GET_METRICS" => {
                let Value::Object(metrics) = self.metrics(calendar) else { return None };
                let metrics =
                    metrics.into_iter().map(|(name, value)| json!({ "name": name, "value": value }));
                json!({ "metrics": metrics.collect::<Vec<_>>() })
            }
            "GET_MASTER" => json!({
                "master_info": self.master_info(),
                "start_time": calendar.seconds(SimTime::ZERO),
                "elected_time": calendar.seconds(SimTime::ZERO),
            }),
            "GET_MAINTENANCE_SCHEDULE" => json!({ "schedule": self.maintenance_schedule() }),
            "GET_MAINTENANCE_STATUS" => json!({ "status": self.maintenance_status(calendar.epoch_ms) }),
            "GET_AGENTS" => self.agents_v1(calendar),
            "GET_TASKS" => self.tasks_v1(calendar),
            "GET_FRAMEWORKS" => self.frameworks_v1(calendar),
            "GET_EXECUTORS" => self.executors_v1(),
            "GET_ROLES" => {
                let roles = self.role_names().into_iter().map(|role| self.role_v1(&role));
                filled(vec![("roles", roles.collect())])
            }
            "GET_WEIGHTS" => match self.weights_json() {
                none if none.is_empty() => return Some(json!({ "type": kind })),
                weights => json!({ "weight_infos": weights }),
            },
            "GET_QUOTA" => json!({ "status": self.quota_json() }),
            "GET_STATE" => self.get_state(calendar),
            "GET_OPERATIONS" => self.operations_v1(),
            "GET_LOGGING_LEVEL" => json!({ "level": self.logging_level(calendar.now) }),
            _ => return None,
        };
        Some(reply(kind, payload))
    }

    /// GET_STATE.
    pub(super) fn get_state(&self, calendar: Calendar) -> Value {
        json!({
            "get_tasks": self.tasks_v1(calendar),
            "get_executors": self.executors_v1(),
            "get_frameworks": self.frameworks_v1(calendar),
            "get_agents": self.agents_v1(calendar),
        })
    }

    fn agents_v1(&self, calendar: Calendar) -> Value {
        json!({
            "agents": self.agent_rows().iter().map(|row| row.v1(calendar)).collect::<Vec<_>>(),
            "recovered_agents": self.recovered_v1(),
        })
    }

    fn tasks_v1(&self, calendar: Calendar) -> Value {
        let rows = self.task_rows();
        let shown = |which: &dyn for<'r> Fn(&'r TaskRows<'_>) -> &'r [TaskRow<'r>]| -> Vec<Value> {
            rows.iter().flat_map(which).map(|row| self.task_v1(calendar, row)).collect()
        };
        json!({
            "pending_tasks": [],
            "tasks": shown(&|of| &of.live),
            "unreachable_tasks": shown(&|of| &of.unreachable),
            "completed_tasks": shown(&|of| &of.completed),
            "orphan_tasks": [],
        })
    }

    fn frameworks_v1(&self, calendar: Calendar) -> Value {
        let (mut registered, mut completed) = (Vec::new(), Vec::new());
        for (row, framework) in self.frameworks.iter().enumerate() {
            if !framework.is_listed() {
                continue;
            }
            let (used, offered) = self.resources_of_framework(FrameworkId::at(row));
            let mut map = Map::new();
            let mut put = |key: &str, value: Value| {
                map.insert(key.to_owned(), value);
            };
            put("framework_info", framework::v1(&framework.info, &framework.name));
            put("active", json!(framework.is_connected()));
            put("connected", json!(framework.is_connected()));
            put("recovered", json!(framework.recovered));
            put("registered_time", calendar.nanoseconds(framework.registered));
            if let Some(at) = framework.reregistered {
                put("reregistered_time", calendar.nanoseconds(at));
            }
            if let Some(at) = framework.unregistered {
                put("unregistered_time", calendar.nanoseconds(at));
            }
            for (key, resources) in [("allocated_resources", used), ("offered_resources", offered)] {
                if !resources.is_empty() {
                    put(key, list(&resources, Form::Refined, false));
                }
            }
            if framework.is_registered() { &mut registered } else { &mut completed }.push(Value::Object(map));
        }
        filled(vec![("frameworks", registered), ("completed_frameworks", completed)])
    }

    fn executors_v1(&self) -> Value {
        let mut executors = Vec::new();
        for agent in self.agents.iter().filter(|agent| agent.state == AgentState::Registered) {
            for ((framework, id), executor) in agent.executors.iter() {
                executors.push(json!({
                    "agent_id": super::common::id(&agent.name),
                    "executor_info": {
                        "executor_id": super::common::id(id),
                        "framework_id": super::common::id(self.framework_wire_id(*framework)),
                        "resources": list(&executor.info.resources.allocated(&executor.role), Form::Refined, true),
                    },
                }));
            }
        }
        filled(vec![("executors", executors)])
    }
}
