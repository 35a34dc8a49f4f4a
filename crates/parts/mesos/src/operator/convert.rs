//! Reservations and volumes made and removed by an operator.
//!
//! Rescinds offers for an operation: outstanding offers that contribute are rescinded one by one, in the order in which they
//! were made, until enough is free; others stay. With a `source`, reserved resources are reserved for another role.
//!
//! Source: `apache/mesos: src/master/http.cpp` (reserve, unreserve, createVolumes, destroyVolumes, _operation),
//! `src/master/validation.cpp` (operation::validate). Match; where the agent has too little even with all offers
//! rescinded, none is.

use super::call::{Conversion, Convert};
use crate::{
    agents::{AgentState, Agents},
    allocator::filter::DEFAULT_REFUSE_MS,
    api::{AgentId, Resource, Resources, Stack, validity::amount},
    cluster::Cluster,
    offers::{Offers, exchange},
    wire::{query::refusal, read::bad},
};
use planarium_ground::Cx;
use planarium_kernel::Milli;
use planarium_protocol::{EventBody, Refusal, Text, refusal::RefusalCode};

/// The name of operators in events.
const OPERATOR: &str = "operator";

/// RESERVE_RESOURCES, UNRESERVE_RESOURCES, CREATE_VOLUMES, DESTROY_VOLUMES.
pub(super) fn convert_for_operator(
    offers: &mut Offers,
    cluster: &mut Cluster,
    cx: &mut Cx,
    call: &Convert,
) -> Result<(), Refusal> {
    let Convert { kind, agent_id, resources, source } = call;
    let kind = *kind;
    let id = registered_agent(&cluster.agents, agent_id)?;
    let total = cluster.allocator.slot(id).map(crate::allocator::Slot::total).unwrap_or_default();
    for (n, resource) in resources.iter().enumerate() {
        check_conversion(kind, &total, resource)?;
        let same =
            |other: &Resource| other.persistence().is_some() && other.persistence() == resource.persistence();
        if resources.iter().take(n).any(same) {
            return Err(bad("A persistence id occurs twice"));
        }
    }
    let from: Resources = match source.as_slice() {
        [] => resources.iter().map(|resource| kind.from(resource)).collect(),
        source => {
            check_source(source, resources)?;
            source.iter().cloned().collect()
        }
    };
    let to: Resources = resources.iter().map(|resource| kind.to(resource)).collect();
    free_up(offers, cluster, cx, id, &from)?;
    if !cluster.allocator.convert_free(id, &from, &to, cx.cause()) {
        return Err(too_little(&from));
    }
    tell_conversion(&cluster.agents, cx, kind, id, resources);
    cluster.agents.touch(cx, id);
    Ok(())
}

/// Checks one resource of a call, independent of what is free.
fn check_conversion(kind: Conversion, total: &Resources, resource: &Resource) -> Result<(), Refusal> {
    amount(resource).map_err(bad)?;
    if resource.allocation_role.is_some() {
        return Err(bad("'allocation_info' must not be set"));
    }
    match kind {
        Conversion::Reserve | Conversion::Unreserve => {
            if !resource.is_dynamically_reserved() {
                return Err(bad(format!("{resource} is not dynamically reserved")));
            }
            if resource.persistence().is_some() {
                return Err(bad("A persistent volume cannot be reserved or unreserved"));
            }
        }
        Conversion::Create | Conversion::Destroy => {
            let Some(volume) = resource.persistence() else {
                return Err(bad(format!("{resource} is not a persistent volume")));
            };
            if resource.reservations.is_empty() {
                return Err(bad("A persistent volume needs reserved disk"));
            }
            if volume.id.is_empty() || volume.id.contains('/') || volume.container_path.is_empty() {
                return Err(bad("A persistent volume needs an id and a container path"));
            }
            let known = |other: &Resource| {
                other.role() == resource.role() && other.persistence().is_some_and(|v| v.id == volume.id)
            };
            if kind == Conversion::Create && total.iter().any(known) {
                return Err(bad(format!("Persistence id '{}' is in use", volume.id)));
            }
            if kind == Conversion::Destroy && !total.contains_one(resource) {
                return Err(bad("Persistent volume does not exist"));
            }
        }
    }
    Ok(())
}

/// Rescinds offers until these resources are free. Nothing happens when they cannot be.
fn free_up(
    offers: &mut Offers,
    cluster: &mut Cluster,
    cx: &mut Cx,
    id: AgentId,
    wanted: &Resources,
) -> Result<(), Refusal> {
    let mut free = cluster.allocator.slot(id).map(|slot| slot.free.clone()).unwrap_or_default();
    let mut rescinded = Vec::new();
    for offer in offers.outstanding.values().filter(|offer| offer.agent == id) {
        if free.contains(wanted) {
            break;
        }
        let allocated = &offer.resources;
        let short = wanted.minus(&free);
        if short.minus(allocated) != short {
            free.add_all(allocated);
            rescinded.push(offer.id);
        }
    }
    if !free.contains(wanted) {
        return Err(too_little(wanted));
    }
    for offer in rescinded {
        exchange::rescind_for(offers, cluster, cx, offer, Some(DEFAULT_REFUSE_MS));
    }
    Ok(())
}

fn tell_conversion(agents: &Agents, cx: &mut Cx, kind: Conversion, id: AgentId, resources: &[Resource]) {
    let (framework, agent): (Text, Text) = (OPERATOR.into(), agents.hostname(id));
    let text = resources.iter().cloned().collect::<Resources>().text();
    if text.is_empty() {
        return;
    }
    match kind {
        Conversion::Reserve => {
            cx.emit(EventBody::Reserved { framework, agent, resources: text });
        }
        Conversion::Unreserve => {
            cx.emit(EventBody::Unreserved { framework, agent, resources: text });
        }
        Conversion::Create | Conversion::Destroy => {
            for volume in resources.iter().filter_map(Resource::persistence) {
                cx.emit(EventBody::Volume {
                    framework: framework.clone(),
                    agent: agent.clone(),
                    path: volume.container_path.clone(),
                    created: kind == Conversion::Create,
                });
            }
        }
    }
}

fn registered_agent(agents: &Agents, agent_id: &str) -> Result<AgentId, Refusal> {
    let known = agents.named(agent_id);
    let registered =
        known.filter(|id| agents.get(*id).is_some_and(|agent| agent.state == AgentState::Registered));
    registered.ok_or_else(|| bad("No agent found with specified ID"))
}

/// GROW_VOLUME.
pub(super) fn grow_for_operator(
    offers: &mut Offers,
    cluster: &mut Cluster,
    cx: &mut Cx,
    agent_id: &str,
    volume: &Resource,
    addition: &Resource,
) -> Result<(), Refusal> {
    let id = registered_agent(&cluster.agents, agent_id)?;
    check_resizable("GROW_VOLUME", volume)?;
    amount(addition).map_err(bad)?;
    if !addition.amount().is_positive() {
        return Err(bad("Invalid GROW_VOLUME operation: 'addition' must be greater than zero"));
    }
    if !volume.without_volume().is_alike(addition) {
        return Err(bad("Invalid GROW_VOLUME operation: 'volume' and 'addition' do not fit each other"));
    }
    let size = Milli(volume.amount().0.saturating_add(addition.amount().0));
    let from = [volume.clone(), addition.clone()].into_iter().collect();
    let to = [volume.with_scalar(size)].into_iter().collect();
    resize_for_operator(offers, cluster, cx, id, &Resize { volume, size, from, to })
}

/// SHRINK_VOLUME.
pub(super) fn shrink_for_operator(
    offers: &mut Offers,
    cluster: &mut Cluster,
    cx: &mut Cx,
    agent_id: &str,
    volume: &Resource,
    by: Milli,
) -> Result<(), Refusal> {
    let id = registered_agent(&cluster.agents, agent_id)?;
    check_resizable("SHRINK_VOLUME", volume)?;
    if !by.is_positive() || by >= volume.amount() {
        let text = "'subtract' must be greater than zero and smaller than the volume";
        return Err(bad(format!("Invalid SHRINK_VOLUME operation: {text}")));
    }
    let size = Milli(volume.amount().0.saturating_sub(by.0));
    let from = [volume.clone()].into_iter().collect();
    let to = [volume.with_scalar(size), volume.without_volume().with_scalar(by)].into_iter().collect();
    resize_for_operator(offers, cluster, cx, id, &Resize { volume, size, from, to })
}

/// A volume that gets another size.
struct Resize<'a> {
    volume: &'a Resource,
    /// Its size afterwards.
    size: Milli,
    /// The resources that the agent must have.
    from: Resources,
    /// The resources that it has afterwards.
    to: Resources,
}

fn resize_for_operator(
    offers: &mut Offers,
    cluster: &mut Cluster,
    cx: &mut Cx,
    id: AgentId,
    resize: &Resize<'_>,
) -> Result<(), Refusal> {
    let Resize { volume, size, from, to } = resize;
    free_up(offers, cluster, cx, id, from)?;
    if !cluster.allocator.convert_free(id, from, to, cx.cause()) {
        return Err(too_little(from));
    }
    if let Some(persistence) = volume.persistence() {
        cx.emit(EventBody::VolumeResized {
            framework: OPERATOR.into(),
            agent: cluster.agents.hostname(id),
            path: persistence.container_path.clone(),
            from: volume.amount().to_string().into(),
            to: size.to_string().into(),
        });
    }
    cluster.agents.touch(cx, id);
    Ok(())
}

fn check_resizable(kind: &str, volume: &Resource) -> Result<(), Refusal> {
    amount(volume).map_err(bad)?;
    if volume.allocation_role.is_some() {
        return Err(bad("'allocation_info' must not be set"));
    }
    if volume.persistence().is_none() {
        return Err(bad(format!("Invalid {kind} operation: {volume} is not a persistent volume")));
    }
    if volume.is_mount() {
        return Err(bad(format!("Invalid {kind} operation: a volume on a MOUNT disk has one size")));
    }
    Ok(())
}

fn too_little(wanted: &Resources) -> Refusal {
    refusal(
        RefusalCode::Conflict,
        409,
        format!("Invalid operation: the agent does not have {wanted} to spare"),
    )
}

/// A re-reservation keeps the amount and the kind.
fn check_source(source: &[Resource], resources: &[Resource]) -> Result<(), Refusal> {
    let plain = |resource: &Resource| Resource { reservations: Stack::default(), ..resource.clone() };
    let all = |list: &[Resource]| -> Resources { list.iter().map(plain).collect() };
    let alike = |list: &[Resource]| {
        list.windows(2).all(|pair| matches!(pair, [a, b] if a.reservations == b.reservations))
    };
    for resource in source {
        amount(resource).map_err(bad)?;
        if resource.allocation_role.is_some() || resource.persistence().is_some() {
            return Err(bad(format!("{resource} cannot be a 'source'")));
        }
    }
    if !alike(source) || !alike(resources) {
        return Err(bad("All of 'source', and all of 'resources', must be reserved in the same way"));
    }
    if all(source) != all(resources) {
        return Err(bad("'source' and 'resources' are not the same amounts"));
    }
    Ok(())
}
