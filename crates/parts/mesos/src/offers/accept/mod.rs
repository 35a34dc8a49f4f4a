//! ACCEPT: offers validated, operations carried out in order on a running remainder, the rest given back.
//!
//! Source: `apache/mesos: src/master/master.cpp` (accept, _accept), `src/master/validation.cpp` (offer). Match,
//! except for agents that leave between the call and its processing, which cannot happen when messages take no
//! time.

mod accepted;
pub(crate) mod convert;
pub(crate) mod launch;
mod validate;

use crate::{
    allocator::{Return, filter::life_ms},
    api::{FrameworkId, OfferId, Operation, Reason, Resources, TaskInfo, TaskState},
    cluster::{Cluster, recovery},
    frameworks::Frameworks,
    offers::{Offers, TrackedOperation, exchange, operations},
    records::Records,
    tasks::status,
};
use accepted::{AcceptedOffers, never_launched};
use planarium_ground::{Cx, Fleet};
use planarium_kernel::Class;
use planarium_protocol::{EventBody, Text};
use std::sync::Arc;

/// Carries out an ACCEPT.
pub(crate) fn accept(
    records: &mut Records,
    cx: &mut Cx,
    fleet: &mut Fleet,
    framework: FrameworkId,
    ids: &[OfferId],
    operations: Vec<Operation>,
    refuse_ms: Option<u64>,
) {
    let mut accepted = match validate_offers(&records.offers, &records.cluster.frameworks, framework, ids) {
        Ok(accepted) => accepted,
        Err(why) => {
            return refuse_accept(
                &mut records.offers,
                &mut records.cluster,
                cx,
                framework,
                ids,
                &operations,
                why,
            );
        }
    };
    for id in ids {
        records.offers.outstanding.remove(id);
    }
    records.cluster.counters.offers(framework).accepted += ids.len() as u64;
    let (invalid, valid): (Vec<_>, Vec<_>) = operations.into_iter().partition(is_invalid);
    for operation in invalid.into_iter().chain(valid) {
        carry_out_operation(records, cx, fleet, &mut accepted, operation, None);
    }
    accepted.remaining.add_all(&accepted.resized);
    // Converted resources are recovered without a filter, the unused rest as declined.
    let (converted, declined) = if accepted.is_part_of_offer() {
        (Resources::new(), accepted.remaining.clone())
    } else {
        let converted = accepted.remaining.minus(&accepted.offered);
        let declined = accepted.remaining.minus(&converted);
        (converted, declined)
    };
    let (role, agent) = (&accepted.role, accepted.agent);
    let cluster = &mut records.cluster;
    for (resources, filter_ms) in [(&converted, None), (&declined, life_ms(refuse_ms))] {
        let rest = Return::Rest { role, agent, resources };
        recovery::recover(cluster, cx, framework, rest, filter_ms, Class::OneShot);
    }
    cluster.agents.touch(cx, agent);
}

/// Carries out one operation; `id` is set if the framework wants to be told the outcome.
fn carry_out_operation(
    records: &mut Records,
    cx: &mut Cx,
    fleet: &mut Fleet,
    accepted: &mut AcceptedOffers,
    operation: Operation,
    id: Option<Text>,
) {
    let kind = kind_of(&operation);
    let tracked = id.as_ref().map(|id| (id.clone(), Arc::new(operation.clone())));
    let done = match operation {
        Operation::Launch(tasks) => {
            for task in tasks {
                launch::launch_one(&mut records.tasks, &mut records.cluster, cx, fleet, accepted, task);
            }
            return;
        }
        Operation::LaunchGroup { executor, tasks } => {
            return launch::launch_group(
                &mut records.tasks,
                &mut records.cluster,
                cx,
                fleet,
                accepted,
                &executor,
                tasks,
            );
        }
        Operation::Named { id, operation } => {
            return carry_out_operation(records, cx, fleet, accepted, *operation, Some(id));
        }
        Operation::Reserve(resources) => {
            convert::reserve(&mut records.cluster.allocator, cx, accepted, &resources)
        }
        Operation::Unreserve(resources) => {
            convert::unreserve(&mut records.cluster.allocator, cx, accepted, &resources)
        }
        Operation::Create(volumes) => convert::create(&mut records.cluster.allocator, cx, accepted, &volumes),
        Operation::Destroy(volumes) => {
            convert::destroy(&mut records.cluster.allocator, cx, accepted, &volumes)
        }
        Operation::Grow { volume, addition } => {
            convert::grow(&mut records.cluster.allocator, cx, accepted, &volume, &addition)
        }
        Operation::Shrink { volume, by } => {
            convert::shrink(&mut records.cluster.allocator, cx, accepted, &volume, by)
        }
        Operation::Invalid { tasks, reason, .. } if !tasks.is_empty() => {
            return launch::refuse_tasks(
                &mut records.cluster,
                cx,
                &accepted.agent_name,
                accepted.framework,
                kind,
                &tasks,
                &reason,
            );
        }
        Operation::Invalid { reason, .. } => Err(reason.to_string()),
        Operation::Impossible { flaw, .. } => Err(flaw.to_owned()),
    };
    match (done, tracked) {
        (Ok(converted), Some(tracked)) => {
            let (id, operation) = tracked;
            let tracked = TrackedOperation {
                framework: accepted.framework,
                id,
                operation,
                agent: accepted.agent,
                converted,
                cause: cx.cause(),
                delivered: false,
                retry_ms: 0,
                retry: None,
            };
            operations::track_operation(&mut records.operations, &mut records.cluster, cx, tracked);
        }
        (Ok(_), None) => {}
        (Err(reason), _) => {
            let body = EventBody::OperationDropped {
                framework: accepted.info.name.clone(),
                agent: accepted.hostname.clone(),
                operation: kind.into(),
                reason: reason.as_str().into(),
            };
            cx.following(body, |cx| {
                if let Some(id) = id {
                    operations::refuse_operation(
                        &mut records.cluster.frameworks,
                        cx,
                        accepted.framework,
                        id,
                        &reason,
                    );
                }
            });
        }
    }
}

/// Checks the offers, in the order of the real master.
fn validate_offers(
    offers: &Offers,
    frameworks: &Frameworks,
    framework: FrameworkId,
    ids: &[OfferId],
) -> Result<AcceptedOffers, &'static str> {
    if ids.is_empty() {
        return Err("No offers specified");
    }
    if ids.iter().enumerate().any(|(n, id)| ids.iter().take(n).any(|before| before == id)) {
        return Err("Duplicate offer in offer list");
    }
    let mut accepted = Vec::with_capacity(ids.len());
    for id in ids {
        accepted.push(offers.outstanding.get(id).ok_or("Offer is no longer valid")?);
    }
    let first = accepted.first().ok_or("No offers specified")?;
    if accepted.iter().any(|offer| offer.framework != framework) {
        return Err("Offer belongs to another framework");
    }
    if accepted.iter().any(|offer| offer.role != first.role) {
        return Err("Aggregated offers must have the same allocation role");
    }
    if accepted.iter().any(|offer| offer.agent != first.agent) {
        return Err("Aggregated offers must belong to one single agent");
    }
    let info =
        frameworks.get(framework).map(|framework| framework.info.clone()).ok_or("Unknown framework")?;
    let mut offered = Resources::new();
    for offer in &accepted {
        offered.add_all(&offer.resources);
    }
    Ok(AcceptedOffers {
        framework,
        info,
        agent: first.agent,
        agent_name: first.agent_id.clone(),
        hostname: first.hostname.clone(),
        role: first.role.clone(),
        remaining: offered.clone(),
        offered,
        resized: Resources::new(),
        is_converted: false,
    })
}

/// Discards the offers of an ACCEPT that is invalid; its tasks are never launched.
fn refuse_accept(
    offers: &mut Offers,
    cluster: &mut Cluster,
    cx: &mut Cx,
    framework: FrameworkId,
    ids: &[OfferId],
    operations: &[Operation],
    why: &str,
) {
    let own: Vec<OfferId> = ids
        .iter()
        .filter(|id| offers.outstanding.get(id).is_some_and(|o| o.framework == framework))
        .copied()
        .collect();
    let agent_id = own.first().and_then(|id| offers.outstanding.get(id)).map(|offer| offer.agent_id.clone());
    for id in own {
        exchange::take_offer_back(offers, cluster, cx, id, None);
    }
    let state = cluster.frameworks.lost_or(framework, TaskState::Dropped);
    let message: Text = format!("Task launched with invalid offers: {why}").into();
    for task in operations.iter().flat_map(tasks_of) {
        let agent_id = task.agent_id.clone().or_else(|| agent_id.clone());
        let status = never_launched(cx, task, agent_id, state, Reason::InvalidOffers, message.clone());
        cluster.counters.end(state);
        status::send_update(&mut cluster.frameworks, cx, framework, status);
    }
    for operation in operations {
        if let Operation::Named { id, .. } = operation {
            let message = format!("Operation attempted with invalid offers: {why}");
            operations::refuse_operation(&mut cluster.frameworks, cx, framework, id.clone(), &message);
        }
    }
}

/// Returns whether an operation is found invalid before any is carried out.
fn is_invalid(operation: &Operation) -> bool {
    match operation {
        Operation::Invalid { .. } => true,
        Operation::Named { operation, .. } => is_invalid(operation),
        _ => false,
    }
}

/// The operation's type on the wire.
const fn kind_of(operation: &Operation) -> &'static str {
    match operation {
        Operation::Reserve(_) => "RESERVE",
        Operation::Unreserve(_) => "UNRESERVE",
        Operation::Create(_) => "CREATE",
        Operation::Destroy(_) => "DESTROY",
        Operation::Grow { .. } => "GROW_VOLUME",
        Operation::Shrink { .. } => "SHRINK_VOLUME",
        Operation::Invalid { kind, .. } | Operation::Impossible { kind, .. } => kind,
        Operation::Launch(_) => "LAUNCH",
        Operation::LaunchGroup { .. } => "LAUNCH_GROUP",
        Operation::Named { .. } => "",
    }
}

fn tasks_of(operation: &Operation) -> &[TaskInfo] {
    match operation {
        Operation::Launch(tasks)
        | Operation::LaunchGroup { tasks, .. }
        | Operation::Invalid { tasks, .. } => tasks,
        Operation::Reserve(_)
        | Operation::Unreserve(_)
        | Operation::Create(_)
        | Operation::Destroy(_)
        | Operation::Grow { .. }
        | Operation::Shrink { .. }
        | Operation::Impossible { .. }
        | Operation::Named { .. } => &[],
    }
}
