//! The user decides what happens: exactly one offer round.

use crate::{
    allocator::{Allocator, Grant, Rules},
    api::{AgentId, FrameworkId},
    cluster::Cluster,
    maintenance::{Maintenance, cluster::inverse_offers},
    offers::{Offers, exchange},
};
use planarium_ground::Cx;
use planarium_protocol::{Refusal, input::OfferRound, refusal::RefusalCode};

/// Tells if a round over all machines, or over the one of this hostname, would offer a framework something.
pub(crate) fn would_reach(cluster: &Cluster, framework: FrameworkId, hostname: Option<&str>) -> bool {
    let is_asked = |id: &AgentId| {
        let agent = cluster.agents.get(*id);
        hostname.is_none_or(|name| agent.is_some_and(|agent| &*agent.hostname == name))
    };
    let order: Vec<AgentId> = cluster.agents.hosts.agents().filter(is_asked).collect();
    grants_of_round(&mut cluster.allocator.clone(), &order).iter().any(|grant| grant.framework == framework)
}

/// Lets the allocator offer the free resources of these machines, first with filters, then without.
fn grants_of_round(allocator: &mut Allocator, order: &[AgentId]) -> Vec<Grant> {
    let mut grants = Vec::new();
    for unfiltered in [false, true] {
        let rules = Rules { withheld: None, unfiltered };
        grants.extend(allocator.run_in_order(order, rules));
    }
    grants
}

/// Runs exactly one round over these machines, in this order (all machines in order of joining if none is named).
/// Makes withheld offers, too, and ignores filters if every framework has declined. Returns the number of offers.
///
/// *Errors*: an unknown machine.
pub(crate) fn offer_round(
    offers: &mut Offers,
    maintenance: &mut Maintenance,
    cluster: &mut Cluster,
    cx: &mut Cx,
    round: &OfferRound,
) -> Result<u32, Refusal> {
    let mut order: Vec<AgentId> = Vec::new();
    if round.agents.is_empty() {
        order.extend(cluster.agents.hosts.agents());
    }
    for name in &round.agents {
        let named = cluster.agents.hosts.agents().find(|id| {
            cluster
                .agents
                .get(*id)
                .is_some_and(|agent| &*agent.hostname == name.as_str() || &*agent.name == name.as_str())
        });
        match named {
            Some(id) if !order.contains(&id) => order.push(id),
            Some(_) => {}
            None => return Err(Refusal::new(RefusalCode::NotFound, format!("no agent {name}"))),
        }
    }
    let mut grants = grants_of_round(&mut cluster.allocator, &order);
    // One message with the offers in the order named.
    planarium_kernel::sorted::sort_by_key(&mut grants, |grant| {
        order.iter().position(|id| *id == grant.agent)
    });
    for grant in &mut grants {
        grant.cause = cx.cause();
    }
    let made = u32::try_from(grants.len()).unwrap_or(u32::MAX);
    exchange::make_offers(offers, maintenance, cluster, cx, grants);
    inverse_offers::send_inverse_offers(offers, maintenance, cluster, cx, Some(&order));
    Ok(made)
}
