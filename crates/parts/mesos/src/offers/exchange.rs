//! Offers: made, declined, rescinded.

use crate::{
    allocator::{Grant, filter::life_ms},
    api::{FrameworkId, Offer, OfferId, SchedulerEvent},
    cluster::{Cluster, recovery},
    maintenance::Maintenance,
    offers::{Offers, recency},
};
use planarium_ground::{Cx, Fleet};
use planarium_kernel::Cause;
use planarium_kernel::SortedMap;
use planarium_protocol::{EventBody, Text};
use std::sync::Arc;

/// Makes offers from the allocator's grants, one message per framework.
pub(crate) fn make_offers(
    offers: &mut Offers,
    maintenance: &mut Maintenance,
    cluster: &mut Cluster,
    cx: &mut Cx,
    grants: Vec<Grant>,
) {
    let mut by_framework: SortedMap<FrameworkId, Vec<Grant>> = SortedMap::new();
    match grants.first().map(|first| first.framework) {
        None => return,
        Some(only) if grants.iter().all(|grant| grant.framework == only) => {
            by_framework.insert(only, grants);
        }
        Some(_) => {
            for grant in grants {
                by_framework.entry(grant.framework).or_default().push(grant);
            }
        }
    }
    for (framework, grants) in by_framework {
        let mut agents: Vec<Text> = Vec::with_capacity(grants.len());
        let mut made = Vec::with_capacity(grants.len());
        // The latest change is what caused the message.
        let mut cause = Cause::default();
        for grant in grants {
            maintenance.want_inverse_offers(grant.agent, grant.cause);
            if recency(&grant.cause) >= recency(&cause) {
                cause = grant.cause;
            }
            if let Some(offer) = make_offer(offers, maintenance, cluster, grant) {
                agents.push(offer.hostname.clone());
                made.push(offer);
            }
        }
        offers.outstanding.insert_all(&made);
        let body = EventBody::Offered { framework: cluster.frameworks.name(framework), agents };
        cx.scoped(cause, |cx| {
            cx.following(body, |cx| {
                if offers.timeout_ms.is_some() {
                    for offer in &made {
                        offers.limit_life(&mut cluster.timers, cx, offer.id);
                    }
                }
                cluster.counters.offers(framework).sent += made.len() as u64;
                cluster.frameworks.send(cx, framework, SchedulerEvent::Offers(made));
            });
        });
    }
}

/// Builds an offer from a grant; it is not outstanding yet. *Cost*: most agents are offered again unchanged, and an
/// offer without other references is sent again under another number.
fn make_offer(
    offers: &mut Offers,
    maintenance: &mut Maintenance,
    cluster: &mut Cluster,
    grant: Grant,
) -> Option<Arc<Offer>> {
    let agent = cluster.agents.rows.get(grant.agent.index())?;
    let id = OfferId(offers.next.next());
    if let Some(mut spare) = grant.spare
        && let Some(offer) = Arc::get_mut(&mut spare)
    {
        (offer.id, offer.framework, offer.agent) = (id, grant.framework, grant.agent);
        offer.unavailability = maintenance.machines.unavailability(grant.agent);
        share_or_replace(&mut offer.master, &cluster.ids.uuid);
        share_or_replace(&mut offer.role, &grant.role);
        share_or_replace(&mut offer.info, &agent.info);
        if !offer.resources.is_same(&grant.resources) {
            offer.resources = grant.resources;
        }
        if !agent.executors.is_all_of(grant.framework, &offer.executor_ids) {
            offer.executor_ids = agent.executors.of(grant.framework);
        }
        return Some(spare);
    }
    Some(Arc::new(Offer {
        id,
        master: cluster.ids.uuid.clone(),
        framework: grant.framework,
        agent: grant.agent,
        info: agent.info.clone(),
        resources: grant.resources,
        role: grant.role,
        executor_ids: agent.executors.of(grant.framework),
        unavailability: maintenance.machines.unavailability(grant.agent),
    }))
}

/// DECLINE. Ids that are not outstanding, or belong to another framework, are skipped.
pub(crate) fn decline(
    offers: &mut Offers,
    cluster: &mut Cluster,
    cx: &mut Cx,
    framework: FrameworkId,
    ids: &[OfferId],
    refuse_ms: Option<u64>,
) {
    let (mut own, mut agents) = (Vec::with_capacity(ids.len()), Vec::with_capacity(ids.len()));
    let mut others = Vec::new();
    offers.outstanding.remove_all(ids, |id, gone| match gone {
        Some(offer) if offer.framework == framework => {
            agents.push(offer.hostname.clone());
            own.push(offer);
        }
        Some(other) => others.push(other),
        // An id that is named twice is declined once.
        None => {
            let again = own.iter().find(|offer: &&Arc<Offer>| offer.id == id);
            agents.extend(again.map(|offer| offer.hostname.clone()));
        }
    });
    offers.outstanding.insert_all(&others);
    if own.is_empty() {
        return;
    }
    cluster.counters.offers(framework).declined += agents.len() as u64;
    let filter_ms = life_ms(refuse_ms);
    let body = EventBody::Declined {
        framework: cluster.frameworks.name(framework),
        agents,
        refuse_ms: filter_ms.unwrap_or(0),
    };
    cx.following(body, |cx| recovery::recover_offers(cluster, cx, framework, own, filter_ms));
}

/// Removes an offer and recovers its resources, with a filter if the framework refused them.
pub(crate) fn take_offer_back(
    offers: &mut Offers,
    cluster: &mut Cluster,
    cx: &Cx,
    id: OfferId,
    filter_ms: Option<u64>,
) {
    if let Some(offer) = offers.outstanding.remove(&id) {
        recovery::recover_offers(cluster, cx, offer.framework, vec![offer], filter_ms);
    }
}

/// Rescinds an offer.
pub(crate) fn rescind(offers: &mut Offers, cluster: &mut Cluster, cx: &mut Cx, id: OfferId) {
    rescind_for(offers, cluster, cx, id, None);
}

/// Rescinds an offer, with a filter on what comes back.
pub(crate) fn rescind_for(
    offers: &mut Offers,
    cluster: &mut Cluster,
    cx: &mut Cx,
    id: OfferId,
    filter_ms: Option<u64>,
) {
    let Some(offer) = offers.outstanding.get(&id).cloned() else { return };
    cluster.counters.offers(offer.framework).rescinded += 1;
    let framework = cluster.frameworks.name(offer.framework);
    cx.following(EventBody::Rescinded { framework, agent: offer.hostname.clone() }, |cx| {
        take_offer_back(offers, cluster, cx, id, filter_ms);
        cluster.frameworks.send(cx, offer.framework, SchedulerEvent::Rescind(id));
    });
}

/// Rescinds offers that are withheld from now on: a framework that has not used one yet must not.
pub(crate) fn rescind_withheld(offers: &mut Offers, cluster: &mut Cluster, cx: &mut Cx, fleet: &Fleet) {
    let withheld: Vec<OfferId> = offers
        .outstanding
        .values()
        .filter(|offer| {
            let framework = cluster.frameworks.name(offer.framework);
            let agent = cluster.agents.rows.get(offer.agent.index());
            agent.is_some_and(|agent| fleet.offers_withheld(&framework, &agent.hostname, &agent.name))
        })
        .map(|offer| offer.id)
        .collect();
    for id in withheld {
        rescind(offers, cluster, cx, id);
    }
}

/// Replaces the value, if it differs.
fn share_or_replace<T: ?Sized>(kept: &mut Arc<T>, other: &Arc<T>) {
    if !Arc::ptr_eq(kept, other) {
        kept.clone_from(other);
    }
}
