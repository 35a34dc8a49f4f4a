//! Operations as v1 JSON.
//!
//! Source: `apache/mesos: include/mesos/v1/mesos.proto` (Offer.Operation, Operation), `src/master/readonly_handler.cpp`
//! (getOperations). Match: the operations whose outcome has not been acknowledged yet.

use super::{
    common::id,
    resource::{Form, one},
};
use crate::{
    api::{Operation, OperationState, Resource},
    cluster::Cluster,
    offers::{Operations, TrackedOperation, operations},
    tasks::status_id,
    wire::{common, event},
};
use planarium_kernel::base64::Base64;
use planarium_protocol::json;
use serde_json::{Map, Value};

/// All operations that the master knows of.
pub(super) fn operations_v1(operations: &Operations, cluster: &Cluster) -> Value {
    let all = operations.iter().map(|(number, tracked)| operation_v1(cluster, *number, tracked));
    common::filled(vec![("operations", all.collect())])
}

fn operation_v1(cluster: &Cluster, number: u32, tracked: &TrackedOperation) -> Value {
    let state = if tracked.delivered { OperationState::Finished } else { OperationState::Pending };
    let status = |number| {
        event::operation_status_v1(
            cluster,
            tracked.framework,
            &operations::status_of(&cluster.agents, tracked, state, number),
        )
    };
    let mut info = info(&tracked.operation);
    info.insert("id".to_owned(), id(&tracked.id));
    let uuid = status_id(cluster.ids.seed, &format!("operation {}", tracked.id), u64::from(number));
    let mut map = Map::new();
    map.insert("framework_id".to_owned(), id(cluster.frameworks.wire_id(tracked.framework)));
    if let Some(agent) = cluster.agents.get(tracked.agent) {
        map.insert("agent_id".to_owned(), id(&agent.name));
    }
    map.insert("info".to_owned(), Value::Object(info));
    map.insert("latest_status".to_owned(), status(tracked.delivered.then_some(number)));
    if tracked.delivered {
        map.insert("statuses".to_owned(), json!([status(Some(number))]));
    }
    map.insert("uuid".to_owned(), json!({ "value": Base64::Padded.encode(&uuid) }));
    Value::Object(map)
}

/// The description of an operation. Launches have no id, so they never occur.
fn info(operation: &Operation) -> Map<String, Value> {
    let list =
        |all: &[Resource]| all.iter().map(|resource| one(resource, Form::Refined, true)).collect::<Vec<_>>();
    let single = |resource: &Resource| one(resource, Form::Refined, true);
    let (kind, part) = match operation {
        Operation::Reserve(all) => ("RESERVE", json!({ "resources": list(all) })),
        Operation::Unreserve(all) => ("UNRESERVE", json!({ "resources": list(all) })),
        Operation::Create(all) => ("CREATE", json!({ "volumes": list(all) })),
        Operation::Destroy(all) => ("DESTROY", json!({ "volumes": list(all) })),
        Operation::Grow { volume, addition } => {
            ("GROW_VOLUME", json!({ "volume": single(volume), "addition": single(addition) }))
        }
        Operation::Shrink { volume, by } => {
            ("SHRINK_VOLUME", json!({ "volume": single(volume), "subtract": { "value": by } }))
        }
        Operation::Invalid { kind, .. } | Operation::Impossible { kind, .. } => (*kind, json!({})),
        Operation::Launch(_) => ("LAUNCH", json!({})),
        Operation::LaunchGroup { .. } => ("LAUNCH_GROUP", json!({})),
        Operation::Named { operation, .. } => return info(operation),
    };
    let mut map = Map::new();
    map.insert("type".to_owned(), json!(kind));
    map.insert(kind.to_ascii_lowercase(), part);
    map
}
