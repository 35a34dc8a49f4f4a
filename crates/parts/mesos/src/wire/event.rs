//! Scheduler events as v1 JSON.
//!
//! Source: `apache/mesos: include/mesos/v1/scheduler/scheduler.proto`, `src/internal/evolve.cpp`. Match.

use super::{
    agent::attributes_v1,
    common::{Calendar, HEARTBEAT_S, domain, id},
    resource::{Form, list},
};
use crate::{
    api::{Capability, FrameworkId, InverseOffer, Offer, OperationStatus, SchedulerEvent, Unavailability},
    cluster::Cluster,
    tasks::{Tasks, status_id},
    wire::{common, status},
};
use planarium_kernel::base64::Base64;
use planarium_protocol::json;
use serde_json::{Map, Value};

/// HEARTBEAT.
pub fn heartbeat() -> Value {
    json!({ "type": "HEARTBEAT" })
}

/// ERROR: the subscription was refused.
pub fn error_event(message: &str) -> Value {
    json!({ "type": "ERROR", "error": { "message": message } })
}

/// An event for a framework. `nth` distinguishes the status from others of the same task.
pub(crate) fn event_json(
    tasks: &Tasks,
    cluster: &Cluster,
    calendar: Calendar,
    framework: FrameworkId,
    event: &SchedulerEvent,
    nth: u64,
) -> Value {
    let can = |capability| cluster.frameworks.get(framework).is_some_and(|f| f.can(capability));
    match event {
        SchedulerEvent::Subscribed { framework_id, .. } => json!({
            "type": "SUBSCRIBED",
            "subscribed": {
                "framework_id": id(framework_id),
                "heartbeat_interval_seconds": f64::from(HEARTBEAT_S),
                "master_info": common::master_info(cluster),
            },
        }),
        SchedulerEvent::Offers(offers) => {
            let form = if can(Capability::ReservationRefinement) { Form::Refined } else { Form::Old };
            let roles = can(Capability::MultiRole);
            let offers: Vec<Value> =
                offers.iter().map(|offer| offer_v1(cluster, offer, form, roles)).collect();
            json!({ "type": "OFFERS", "offers": { "offers": offers } })
        }
        SchedulerEvent::Rescind(offer) => json!({
            "type": "RESCIND",
            "rescind": { "offer_id": id(&format!("{}-O{}", cluster.ids.uuid, offer.0)) },
        }),
        SchedulerEvent::InverseOffers(offers) => {
            let offers: Vec<Value> = offers.iter().map(|offer| inverse_offer_v1(cluster, offer)).collect();
            json!({ "type": "INVERSE_OFFERS", "inverse_offers": { "inverse_offers": offers } })
        }
        SchedulerEvent::RescindInverseOffer(offer) => json!({
            "type": "RESCIND_INVERSE_OFFER",
            "rescind_inverse_offer": { "inverse_offer_id": id(&format!("{}-O{}", cluster.ids.uuid, offer.0)) },
        }),
        SchedulerEvent::Update(status) => json!({
            "type": "UPDATE",
            "update": { "status": status::status_v1(tasks, cluster, calendar, framework, status, Some(nth)) },
        }),
        SchedulerEvent::Operation(status) => json!({
            "type": "UPDATE_OPERATION_STATUS",
            "update_operation_status": { "status": operation_status_v1(cluster, framework, status) },
        }),
        SchedulerEvent::Failure { agent_id, .. } => json!({
            "type": "FAILURE",
            "failure": { "agent_id": id(agent_id) },
        }),
    }
}

fn offer_v1(cluster: &Cluster, offer: &Offer, form: Form, roles: bool) -> Value {
    let mut map = Map::new();
    let mut put = |key: &str, value: Value| {
        map.insert(key.to_owned(), value);
    };
    put("id", id(&offer.name()));
    put("framework_id", id(cluster.frameworks.wire_id(offer.framework)));
    put("agent_id", id(&offer.agent_id));
    put("hostname", json!(offer.hostname));
    put("url", agent_url(&offer.hostname, &offer.ip, offer.port));
    if let Some(domain) = domain(offer.region.as_ref(), offer.zone.as_ref()) {
        put("domain", domain);
    }
    put("resources", list(&offer.resources.allocated(&offer.role), form, roles));
    if !offer.attributes.is_empty() {
        put("attributes", attributes_v1(&offer.attributes));
    }
    if !offer.executor_ids.is_empty() {
        put("executor_ids", offer.executor_ids.iter().map(|executor| id(executor)).collect());
    }
    if roles {
        put("allocation_info", json!({ "role": offer.role }));
    }
    if let Some(away) = &offer.unavailability {
        put("unavailability", unavailability(away));
    }
    Value::Object(map)
}

/// Resources are always left out: the whole agent is asked for.
fn inverse_offer_v1(cluster: &Cluster, offer: &InverseOffer) -> Value {
    json!({
        "id": id(&offer.name),
        "url": agent_url(&offer.hostname, &offer.ip, offer.port),
        "framework_id": id(cluster.frameworks.wire_id(offer.framework)),
        "agent_id": id(&offer.agent_id),
        "unavailability": unavailability(&offer.unavailability),
    })
}

pub(super) fn operation_status_v1(
    cluster: &Cluster,
    framework: FrameworkId,
    status: &OperationStatus,
) -> Value {
    let can = |capability| cluster.frameworks.get(framework).is_some_and(|f| f.can(capability));
    let mut map = Map::new();
    let mut put = |key: &str, value: Value| {
        map.insert(key.to_owned(), value);
    };
    put("operation_id", id(&status.operation_id));
    if let Some(agent) = &status.agent_id {
        put("agent_id", id(agent));
    }
    put("state", json!(status.state.as_str()));
    if !status.message.is_empty() {
        put("message", json!(status.message));
    }
    if !status.converted.is_empty() {
        let form = if can(Capability::ReservationRefinement) { Form::Refined } else { Form::Old };
        put("converted_resources", list(&status.converted, form, true));
    }
    if let Some(number) = status.number {
        let uuid = status_id(cluster.ids.seed, &status.operation_id, u64::from(number));
        put("uuid", id(&Base64::Padded.encode(&uuid)));
    }
    Value::Object(map)
}

/// Returns the URL of an agent.
pub(crate) fn agent_url(hostname: &str, ip: &str, port: u16) -> Value {
    json!({
        "scheme": "http",
        "address": { "hostname": hostname, "ip": ip, "port": port },
        "path": "/slave(1)",
    })
}

fn unavailability(away: &Unavailability) -> Value {
    let mut map = Map::new();
    map.insert("start".to_owned(), json!({ "nanoseconds": away.start_ns }));
    if let Some(ns) = away.duration_ns {
        map.insert("duration".to_owned(), json!({ "nanoseconds": ns }));
    }
    Value::Object(map)
}
