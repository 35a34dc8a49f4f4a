//! Frameworks subscribe, disconnect and are removed.
//!
//! Source: `apache/mesos: src/master/master.cpp` (subscribe, disconnect, removeFramework, suppress, revive). Match.

use super::record::Presence;
use crate::{
    api::{FrameworkId, FrameworkInfo, Reason, SchedulerEvent, TaskState, TaskStatus},
    cluster::{Cluster, Timer},
    maintenance::{Maintenance, cluster::inverse_offers},
    offers::{Offers, Requested, exchange, operations, run},
    records::Records,
    tasks::{shutdown, status},
    wire::operator_event,
};
use planarium_ground::{Cx, Fleet};
use planarium_kernel::Class;
use planarium_protocol::{EventBody, Text};
use std::sync::Arc;

/// Subscribes a framework and makes offers at once.
pub(crate) fn subscribe(
    offers: &mut Offers,
    maintenance: &mut Maintenance,
    cluster: &mut Cluster,
    cx: &mut Cx,
    fleet: &Fleet,
    info: FrameworkInfo,
) -> FrameworkId {
    // Among this many names one is free, whatever ids frameworks have brought.
    let count = cluster.frameworks.rows.len();
    let mut names = (count..=count * 2).map(|number| Text::from(format!("{}-{number:04}", cluster.ids.uuid)));
    let name = names.find(|name| !cluster.frameworks.has(name)).unwrap_or_default();
    let id = cluster.frameworks.add(info, name, cx);
    operator_event::framework_added(cluster, cx, id);
    activate_framework(offers, maintenance, cluster, cx, fleet, id);
    id
}

/// Subscribes a framework that has its id from another master, under that id.
///
/// *Errors*: one of this id was removed, or the id is malformed.
pub(crate) fn subscribe_as(
    offers: &mut Offers,
    maintenance: &mut Maintenance,
    cluster: &mut Cluster,
    cx: &mut Cx,
    fleet: &Fleet,
    info: FrameworkInfo,
    wire: &Text,
) -> Result<FrameworkId, String> {
    if cluster.frameworks.has(wire) {
        return Err("Framework has been removed".to_owned());
    }
    id_error(wire).map_or(Ok(()), Err)?;
    let id = cluster.frameworks.add(info, wire.clone(), cx);
    if let Some(framework) = cluster.frameworks.get_mut(id) {
        framework.reregistered = Some(cx.now());
    }
    operator_event::framework_updated(cluster, cx, id);
    activate_framework(offers, maintenance, cluster, cx, fleet, id);
    Ok(id)
}

/// Subscribes a framework again under its id, with its new description. False when it was removed meanwhile.
pub(crate) fn resubscribe(
    offers: &mut Offers,
    maintenance: &mut Maintenance,
    cluster: &mut Cluster,
    cx: &mut Cx,
    fleet: &Fleet,
    id: FrameworkId,
    info: FrameworkInfo,
) -> bool {
    disconnect_framework(offers, maintenance, cluster, cx, id);
    let Some(framework) = cluster.frameworks.get_mut(id).filter(|framework| framework.is_registered()) else {
        return false;
    };
    framework.presence = Presence::Connected;
    framework.recovered = false;
    framework.reregistered = Some(cx.now());
    framework.info = Arc::new(info);
    let failover = framework.failover.take();
    cluster.timers.disarm(failover);
    operator_event::framework_updated(cluster, cx, id);
    activate_framework(offers, maintenance, cluster, cx, fleet, id);
    true
}

fn activate_framework(
    offers: &mut Offers,
    maintenance: &mut Maintenance,
    cluster: &mut Cluster,
    cx: &mut Cx,
    fleet: &Fleet,
    id: FrameworkId,
) {
    let Some(framework) = cluster.frameworks.get(id) else { return };
    let (framework_id, info) = (framework.name.clone(), framework.info.clone());
    let region = cluster.agents.region.clone();
    cx.following(EventBody::FrameworkSubscribed { framework: info.name.clone() }, |cx| {
        cluster.frameworks.send(cx, id, SchedulerEvent::Subscribed { framework_id, region });
        cluster.allocator.activate(id, &info, cx.cause());
        inverse_offers::want_inverse_offers_of(maintenance, cluster, id, cx.cause());
        offers.requested = Requested::All;
        run::run_requested(offers, maintenance, cluster, cx, fleet);
    });
}

/// Disconnects a framework whose scheduler is gone: recovers its offers without filters, and sends it nothing more.
pub(crate) fn disconnect_framework(
    offers: &mut Offers,
    maintenance: &mut Maintenance,
    cluster: &mut Cluster,
    cx: &mut Cx,
    id: FrameworkId,
) {
    let failover_ms = cluster.frameworks.get(id).map_or(0, |framework| framework.info.failover_ms);
    deactivate_framework(offers, maintenance, cluster, cx, id, failover_ms);
}

/// Does the same, with this much time to return.
pub(crate) fn deactivate_framework(
    offers: &mut Offers,
    maintenance: &mut Maintenance,
    cluster: &mut Cluster,
    cx: &mut Cx,
    id: FrameworkId,
    failover_ms: u64,
) {
    let Some(framework) = cluster.frameworks.get_mut(id).filter(|framework| framework.is_connected()) else {
        return;
    };
    framework.presence = Presence::Disconnected;
    let at = cx.now().saturating_add(failover_ms);
    for offer in offers.to_framework(id) {
        exchange::take_offer_back(offers, cluster, cx, offer, None);
    }
    cluster.allocator.deactivate(id);
    inverse_offers::drop_inverse_offers_of(maintenance, cluster, cx, id);
    let timer = cluster.timers.arm(at, Class::Periodic, cx.cause(), Timer::Failover(id));
    if let Some(framework) = cluster.frameworks.get_mut(id) {
        framework.failover = Some(timer);
    }
}

/// Removes a framework with everything it runs.
pub(crate) fn remove_framework(records: &mut Records, cx: &mut Cx, fleet: &mut Fleet, id: FrameworkId) {
    let Records { cluster, tasks, offers, operations, maintenance } = records;
    let Some(framework) = cluster.frameworks.get(id).filter(|framework| framework.is_registered()) else {
        return;
    };
    let body = EventBody::FrameworkRemoved { framework: framework.info.name.clone() };
    let message: Text = format!("Framework {} removed", framework.name).into();
    cx.following(body, |cx| {
        for offer in offers.to_framework(id) {
            exchange::take_offer_back(offers, cluster, cx, offer, None);
        }
        for no in tasks.of_framework(id) {
            // Recorded only: the framework is gone.
            let now = cx.now();
            let agent_id =
                tasks.get(no).and_then(|task| cluster.agents.get(task.agent)).map(|agent| agent.name.clone());
            let Some(task) = tasks.get_mut(no) else { continue };
            let status = TaskStatus {
                state: TaskState::Killed,
                reason: Some(Reason::FrameworkRemoved),
                message: message.clone(),
                healthy: None,
                check: None,
                ..task.status(agent_id.unwrap_or_default(), now)
            };
            let is_new = task.record_status(&status);
            let ended = task.freed.then_some(task.state);
            let state = ended.unwrap_or(TaskState::Killed);
            let (agent, process) = (task.agent, task.process.take());
            if ended.is_none() {
                cluster.counters.end(state);
            }
            shutdown::shut_down_process(tasks, cluster, cx, fleet, agent, process);
            operator_event::task_updated(tasks, cluster, cx, id, &status, state, is_new);
            status::end_task(tasks, cluster, cx, fleet, no, state);
        }
        operations::forget_operations_of(operations, cluster, id);
        cluster.allocator.remove_framework(id);
        inverse_offers::drop_inverse_offers_of(maintenance, cluster, cx, id);
        let Some(framework) = cluster.frameworks.get_mut(id) else { return };
        framework.presence = Presence::Removed;
        framework.unregistered = Some(cx.now());
        let failover = framework.failover.take();
        cluster.timers.disarm(failover);
        operator_event::framework_removed(cluster, cx, id);
    });
}

/// Longest id. *Units*: bytes.
const LONGEST_ID: usize = 255;

/// Returns the flaw of an id.
///
/// Source: `apache/mesos: src/common/validation.cpp` (validateID). Match.
fn id_error(id: &str) -> Option<String> {
    if id.is_empty() {
        Some("ID must not be empty".to_owned())
    } else if id.len() > LONGEST_ID {
        Some(format!("ID must not be greater than {LONGEST_ID} characters"))
    } else if matches!(id, "." | "..") {
        Some(format!("'{id}' is disallowed"))
    } else if id.bytes().any(|byte| byte.is_ascii_control() || matches!(byte, b'/' | b'\\')) {
        Some(format!("'{id}' contains invalid characters"))
    } else {
        None
    }
}
