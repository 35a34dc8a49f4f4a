//! Events of the v1 operator API.
//!
//! Source: `apache/mesos: include/mesos/v1/master/master.proto` (Event), `src/common/protobuf_utils.cpp` (namespace
//! event), `src/master/master.cpp` (subscribers.send), `src/master/readonly_handler.cpp` (subscribe). Match; there is
//! no authorization, so every subscriber is told everything.

use super::{
    common::{Calendar, HEARTBEAT_S, id},
    framework,
};
use crate::{
    Master,
    agents::Removal,
    api::{AgentId, FrameworkId, Reason, TaskState, TaskStatus},
    frameworks::Framework,
    maintenance::quirk,
    operator::TimedEvent,
    tasks::{Task, TaskNo},
};
use planarium_ground::Cx;
use planarium_kernel::SimTime;
use planarium_protocol::json;
use serde_json::{Map, Value};

impl Master {
    /// An operator subscribes: events are kept from now on.
    pub fn listen(&mut self, epoch_ms: u64) {
        self.operator_events.listen(epoch_ms);
    }

    /// The events from this number on, and the number of the next one; none when they are not kept any more.
    pub fn operator_events(&self, since: u64) -> Option<(Vec<TimedEvent>, u64)> {
        self.operator_events.since(since)
    }

    /// The number of the next event; none when they are not kept.
    pub fn next_operator_event(&self) -> Option<u64> {
        self.operator_events.next_number()
    }

    /// SUBSCRIBED: the event that comes first, with the whole state.
    pub fn subscribed_event(&self, calendar: Calendar) -> Value {
        json!({
            "type": "SUBSCRIBED",
            "subscribed": {
                "get_state": self.get_state(calendar),
                "heartbeat_interval_seconds": f64::from(HEARTBEAT_S),
            },
        })
    }

    fn tell_operators(
        &mut self,
        cx: &Cx,
        make: impl FnOnce(&Self, Calendar) -> Option<(&'static str, Value)>,
    ) {
        let Some(epoch_ms) = self.operator_events.listening() else { return };
        let Some((kind, payload)) = make(self, Calendar { epoch_ms, now: cx.now() }) else { return };
        let mut map = Map::new();
        map.insert("type".to_owned(), json!(kind));
        map.insert(kind.to_ascii_lowercase(), payload);
        self.operator_events.push(cx.now(), Value::Object(map));
    }

    /// AGENT_ADDED: an agent registered, or came back, with these tasks.
    pub(crate) fn tell_agent_added(&mut self, cx: &Cx, agent: AgentId, tasks: &[TaskNo]) {
        if self.operator_events.listening().is_none() {
            return;
        }
        for no in tasks {
            self.tell_task_added(cx, *no);
        }
        self.tell_operators(cx, |master, calendar| {
            let row = master.agent_rows().into_iter().find(|row| row.id == agent)?;
            Some(("AGENT_ADDED", json!({ "agent": row.v1(calendar) })))
        });
    }

    /// AGENT_REMOVED.
    pub(crate) fn tell_agent_removed(&mut self, cx: &Cx, agent: AgentId, how: Removal) {
        if quirk::ONLY_REMOVED_AGENTS_ARE_TOLD && !matches!(how, Removal::Removed(_)) {
            return;
        }
        self.tell_operators(cx, |master, _| {
            Some(("AGENT_REMOVED", json!({ "agent_id": id(&master.agent(agent)?.name) })))
        });
    }

    /// TASK_ADDED: a task was launched, or its agent came back with it.
    pub(crate) fn tell_task_added(&mut self, cx: &Cx, no: TaskNo) {
        self.tell_operators(cx, |master, calendar| {
            let task = master.task(no)?;
            // What the agent reports counts if the master has another state.
            let state = if task.freed { task.state } else { task.agent_state };
            Some(("TASK_ADDED", json!({ "task": master.listed_task_v1(calendar, task, state) })))
        });
    }

    /// TASK_UPDATED: the master has received a status. Only the first one of a state is told, and every result of a
    /// check.
    pub(crate) fn tell_task_updated(
        &mut self,
        cx: &Cx,
        framework: FrameworkId,
        status: &TaskStatus,
        state: TaskState,
        is_new: bool,
    ) {
        let is_check = matches!(
            status.reason,
            Some(Reason::TaskCheckStatusUpdated | Reason::TaskHealthCheckStatusUpdated)
        );
        // A task that its agent comes back with is added instead.
        if !(is_new || is_check) || status.reason == Some(Reason::AgentReregistered) {
            return;
        }
        self.tell_operators(cx, |master, calendar| {
            let payload = json!({
                "framework_id": id(master.framework_wire_id(framework)),
                "status": master.status_v1(calendar, framework, status, None),
                "state": state.as_str(),
            });
            Some(("TASK_UPDATED", payload))
        });
    }

    /// FRAMEWORK_ADDED: a framework subscribed for the first time.
    pub(crate) fn tell_framework_added(&mut self, cx: &Cx, framework: FrameworkId) {
        self.tell_framework(cx, framework, "FRAMEWORK_ADDED");
    }

    /// FRAMEWORK_UPDATED: a framework subscribed again, or sent a new description.
    pub(crate) fn tell_framework_updated(&mut self, cx: &Cx, framework: FrameworkId) {
        self.tell_framework(cx, framework, "FRAMEWORK_UPDATED");
    }

    fn tell_framework(&mut self, cx: &Cx, framework: FrameworkId, kind: &'static str) {
        self.tell_operators(cx, |master, calendar| {
            let framework = master.framework(framework)?;
            Some((kind, json!({ "framework": framework_event(calendar, framework) })))
        });
    }

    /// FRAMEWORK_REMOVED.
    pub(crate) fn tell_framework_removed(&mut self, cx: &Cx, framework: FrameworkId) {
        self.tell_operators(cx, |master, _| {
            let framework = master.framework(framework)?;
            let info = framework::v1(&framework.info, &framework.name);
            Some(("FRAMEWORK_REMOVED", json!({ "framework_info": info })))
        });
    }

    fn listed_task_v1(&self, calendar: Calendar, task: &Task, state: TaskState) -> Value {
        self.task_v1(calendar, &super::task::row_of(task).in_state(state))
    }
}

/// A framework without its resources; instants that have not come are the epoch.
fn framework_event(calendar: Calendar, framework: &Framework) -> Value {
    let at = |at: Option<SimTime>| at.map_or(json!({ "nanoseconds": 0 }), |at| calendar.nanoseconds(at));
    json!({
        "framework_info": framework::v1(&framework.info, &framework.name),
        "active": framework.is_connected(),
        "connected": framework.is_connected(),
        "recovered": framework.recovered,
        "registered_time": calendar.nanoseconds(framework.registered),
        "reregistered_time": at(framework.reregistered),
        "unregistered_time": at(framework.unregistered),
    })
}
