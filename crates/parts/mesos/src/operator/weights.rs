//! Weights of roles.
//!
//! Source: `apache/mesos: src/master/weights_handler.cpp`. Match, with weights of three decimals; that offers stay when
//! a weight changes is a named quirk.

use super::call::{OperatorCall, beyond};
use crate::{
    allocator::Allocator,
    api::{OfferId, validity::is_role},
    cluster::Cluster,
    maintenance::quirk,
    offers::{Offers, exchange},
    wire::{
        decimal,
        read::{Message, Read, bad, messages},
    },
};
use planarium_ground::Cx;
use planarium_kernel::Milli;
use planarium_protocol::json;
use planarium_protocol::{EventBody, Refusal, Text};
use serde_json::Value;

/// Largest number of roles with a weight.
const MAX_WEIGHTS: usize = 10_000;

/// Reads a list of weights, the body of the v0 endpoint.
pub(super) fn read_list(body: &Value) -> Read<OperatorCall> {
    if !body.is_array() {
        return Err(bad("Failed to parse update weights request: JSON array expected"));
    }
    read_all(&messages(body, "weights")?)
}

/// Reads `update_weights`.
pub(super) fn read(part: &Message<'_>) -> Read<OperatorCall> {
    read_all(&part.messages("weight_infos")?)
}

fn read_all(all: &[Message<'_>]) -> Read<OperatorCall> {
    let one = |info: &Message<'_>| {
        let role = info.text("role")?.unwrap_or_default();
        Ok((role.trim().into(), info.amount("weight")?))
    };
    all.iter().map(one).collect::<Read<_>>().map(OperatorCall::UpdateWeights)
}

/// Sets weights; all or none.
pub(super) fn update_weights(
    offers: &mut Offers,
    cluster: &mut Cluster,
    cx: &mut Cx,
    weights: &[(Text, Milli)],
) -> Result<(), Refusal> {
    for (role, weight) in weights {
        if !is_role(role) {
            return Err(bad(format!("Failed to validate weights: invalid role '{role}'")));
        }
        if !weight.is_positive() {
            return Err(bad(format!(
                "Failed to validate weights: invalid weight '{weight}' for role '{role}': weights must be positive"
            )));
        }
    }
    let fresh = weights.iter().filter(|(role, _)| !cluster.allocator.weights().contains_key(role));
    if fresh.count().saturating_add(cluster.allocator.weights().len()) > MAX_WEIGHTS {
        return Err(beyond(format!("at most {MAX_WEIGHTS} roles have a weight of their own")));
    }
    let said: Vec<String> = weights.iter().map(|(role, weight)| format!("{role} {weight}")).collect();
    if said.is_empty() {
        return Ok(());
    }
    let facts = weights.iter().map(|(role, weight)| (role.clone(), weight.to_string().into())).collect();
    let text = format!("weights: {}", said.join(", ")).into();
    cx.following(EventBody::Shares { what: "weights".into(), facts, text }, |cx| {
        cluster.allocator.set_weights(weights, cx.cause());
        if !quirk::WEIGHTS_RESCIND_NOTHING {
            for offer in offers.outstanding.values().map(|offer| offer.id).collect::<Vec<OfferId>>() {
                exchange::rescind(offers, cluster, cx, offer);
            }
        }
    });
    Ok(())
}

/// Weights that were set.
pub(crate) fn weights_json(allocator: &Allocator) -> Vec<Value> {
    let one = |(role, weight): (&Text, &Milli)| json!({ "role": role, "weight": decimal(weight.0) });
    allocator.weights().iter().map(one).collect()
}
