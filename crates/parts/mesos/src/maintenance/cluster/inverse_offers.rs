//! Inverse offers: ask frameworks to leave agents that will be unavailable.
//!
//! *Knows*: when another framework may have to be asked. *Must not know*: who was asked and what was answered, which
//! [`crate::maintenance::InverseOffers`] keeps.
//!
//! *Cost*: a run asks only about agents that have changed since the last run ([`crate::maintenance::InverseCandidates`]): offers were
//! made there, the unavailability was set, a filter expired, a framework came.
//!
//! Source: `apache/mesos: src/master/allocator/mesos/hierarchical.cpp` (generateInverseOffers),
//! `src/master/master.cpp` (inverseOffer, accept, decline). Match; agents are visited in order of registration.

use crate::{
    api::{AgentId, FrameworkId, InverseOffer, OfferId, SchedulerEvent},
    cluster::{Cluster, Timer},
    frameworks::Framework,
    maintenance::{InverseFilterId, InverseOffer as Asked, Maintenance, Response},
    offers::{Offers, recency},
};
use planarium_ground::Cx;
use planarium_kernel::{Cause, Class};
use planarium_kernel::{SortedMap, SortedSet};
use planarium_protocol::{EventBody, Text};
use std::sync::Arc;

/// Does the same for every agent on which a framework has anything.
pub(crate) fn want_inverse_offers_of(
    maintenance: &mut Maintenance,
    cluster: &mut Cluster,
    framework: FrameworkId,
    cause: Cause,
) {
    if maintenance.machines.schedule().is_none_or(|schedule| schedule.windows.is_empty()) {
        return;
    }
    let uses =
        |allocated: &SortedMap<(FrameworkId, Text), _>| allocated.keys().any(|(of, _)| *of == framework);
    let agents: Vec<AgentId> =
        cluster.allocator.agents().filter(|(_, slot)| uses(&slot.allocated)).map(|(id, _)| id).collect();
    for agent in agents {
        maintenance.want_inverse_offers(agent, cause);
    }
}

/// Asks the frameworks that have anything offered or in use on an agent that will be unavailable: the second half of an
/// allocation run. One message per framework.
pub(crate) fn send_inverse_offers(
    offers: &mut Offers,
    maintenance: &mut Maintenance,
    cluster: &mut Cluster,
    cx: &mut Cx,
    only: Option<&[AgentId]>,
) {
    let mut by_framework: SortedMap<FrameworkId, (Cause, Vec<Arc<InverseOffer>>)> = SortedMap::new();
    for (id, cause) in maintenance.candidates.take(only) {
        let Some(unavailability) = maintenance.machines.unavailability(id) else { continue };
        // An agent that is not connected is looked at again when it is.
        if !cluster.agents.get(id).is_some_and(crate::agents::Agent::is_active) {
            continue;
        }
        let users: SortedSet<FrameworkId> = cluster.allocator.slot(id).map_or_else(SortedSet::new, |slot| {
            let users = slot.allocated.keys().map(|(framework, _)| *framework);
            users.filter(|f| cluster.frameworks.get(*f).is_some_and(Framework::is_connected)).collect()
        });
        if users.is_empty() {
            continue;
        }
        let inverse = Arc::make_mut(&mut maintenance.inverse);
        let grants = inverse.grant(id, unavailability, users);
        if cluster.agents.drains.is_deactivated(id) {
            continue;
        }
        for grant in grants {
            let number = OfferId(offers.next.next());
            let asked = Arc::make_mut(&mut maintenance.inverse).record(number, grant);
            let Some(offer) = shown(cluster, &asked) else { continue };
            offers.limit_life(&mut cluster.timers, cx, number);
            let (last, offers) = by_framework.entry(grant.framework).or_insert((cause, Vec::new()));
            *last = std::cmp::max_by_key(*last, cause, recency);
            offers.push(Arc::new(offer));
        }
    }
    for (framework, (cause, offers)) in by_framework {
        let agents: Vec<Text> = offers.iter().map(|offer| offer.hostname.clone()).collect();
        let body = EventBody::InverseOffered { framework: cluster.frameworks.name(framework), agents };
        cx.scoped(cause, |cx| {
            cx.following(body, |cx| {
                for offer in &offers {
                    cluster.agents.touch(cx, offer.agent);
                }
                cluster.frameworks.send(cx, framework, SchedulerEvent::InverseOffers(offers));
            });
        });
    }
}

/// The inverse offer as its framework gets it.
fn shown(cluster: &Cluster, asked: &Asked) -> Option<InverseOffer> {
    let agent = cluster.agents.get(asked.grant.agent)?;
    Some(InverseOffer {
        id: asked.id,
        name: format!("{}-O{}", cluster.ids.uuid, asked.id.0).into(),
        framework: asked.grant.framework,
        agent: asked.grant.agent,
        agent_id: agent.name.clone(),
        hostname: agent.hostname.clone(),
        ip: agent.ip.clone(),
        port: agent.port,
        unavailability: asked.grant.unavailability,
    })
}

/// Takes in the answer of a framework. Inverse offers that are not outstanding are skipped.
pub(crate) fn answer_inverse_offers(
    maintenance: &mut Maintenance,
    cluster: &mut Cluster,
    cx: &mut Cx,
    by: FrameworkId,
    ids: &[OfferId],
    response: Response,
    refuse_ms: Option<u64>,
) {
    // The answer counts as that of the framework that the inverse offer was made to.
    let mut answered: SortedMap<FrameworkId, Vec<AgentId>> = SortedMap::new();
    let mut filters = Vec::new();
    for id in ids {
        if maintenance.inverse.get(*id).is_none() {
            continue;
        }
        let inverse = Arc::make_mut(&mut maintenance.inverse);
        let Some(answer) = inverse.answer(cx.now(), *id, by, response, refuse_ms) else { continue };
        let grant = answer.offer.grant;
        answered.entry(grant.framework).or_default().push(grant.agent);
        filters.push((grant, answer.filter));
    }
    for (framework, agents) in answered {
        let body = EventBody::InverseAnswered {
            framework: cluster.frameworks.name(framework),
            agents: agents.iter().map(|agent| cluster.agents.hostname(*agent)).collect(),
            accepted: response == Response::Accept,
        };
        cx.following(body, |cx| {
            for (grant, filter) in filters.iter().filter(|(grant, _)| grant.framework == framework) {
                match filter {
                    Some((filter, at)) => {
                        let timer = Timer::InverseFilter(grant.agent, framework, *filter);
                        cluster.timers.arm(*at, Class::Periodic, cx.cause(), timer);
                    }
                    None => maintenance.want_inverse_offers(grant.agent, cx.cause()),
                }
                cluster.agents.touch(cx, grant.agent);
            }
        });
    }
}

/// Ends a filter against inverse offers.
pub(crate) fn expire_inverse_filter(
    maintenance: &mut Maintenance,
    agent: AgentId,
    framework: FrameworkId,
    filter: InverseFilterId,
    cause: Cause,
) {
    if Arc::make_mut(&mut maintenance.inverse).expire(agent, framework, filter) {
        maintenance.want_inverse_offers(agent, cause);
    }
}

/// Rescinds the agent's inverse offers; answers and filters stay.
pub(crate) fn rescind_inverse_offers(
    maintenance: &mut Maintenance,
    cluster: &mut Cluster,
    cx: &mut Cx,
    agent: AgentId,
) {
    if maintenance.machines.unavailability(agent).is_some() {
        let asked = Arc::make_mut(&mut maintenance.inverse).rescind_agent(agent);
        send_inverse_rescinds(cluster, cx, &asked);
    }
}

/// Rescinds the agent's inverse offers and forgets filters and answers.
pub(crate) fn reset_inverse_offers(
    maintenance: &mut Maintenance,
    cluster: &mut Cluster,
    cx: &mut Cx,
    agent: AgentId,
) {
    let asked = Arc::make_mut(&mut maintenance.inverse).refresh(agent);
    send_inverse_rescinds(cluster, cx, &asked);
    // The forgotten answers were shown, too.
    cluster.agents.touch(cx, agent);
}

/// Tells frameworks that inverse offers are rescinded.
pub(crate) fn send_inverse_rescinds(cluster: &mut Cluster, cx: &mut Cx, asked: &[Asked]) {
    for Asked { id, grant } in asked {
        let (framework, agent) =
            (cluster.frameworks.name(grant.framework), cluster.agents.hostname(grant.agent));
        cx.following(EventBody::InverseRescinded { framework, agent }, |cx| {
            cluster.frameworks.send(cx, grant.framework, SchedulerEvent::RescindInverseOffer(*id));
            cluster.agents.touch(cx, grant.agent);
        });
    }
}

/// Drops the inverse offers of a framework that disconnected or was removed, without rescinding them.
pub(crate) fn drop_inverse_offers_of(
    maintenance: &mut Maintenance,
    cluster: &mut Cluster,
    cx: &Cx,
    framework: FrameworkId,
) {
    for agent in Arc::make_mut(&mut maintenance.inverse).framework_gone(framework) {
        cluster.agents.touch(cx, agent);
    }
}

/// Lets a framework that revived, or sent a new description, be asked again at once.
pub(crate) fn clear_inverse_filters(
    maintenance: &mut Maintenance,
    cluster: &mut Cluster,
    cx: &Cx,
    framework: FrameworkId,
) {
    Arc::make_mut(&mut maintenance.inverse).clear_filters(framework);
    want_inverse_offers_of(maintenance, cluster, framework, cx.cause());
}
