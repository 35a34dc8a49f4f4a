//! Offers: made, declined, rescinded.

use crate::offers::recency;
use crate::{
    Master,
    allocator::{Grant, Return, filter::life_ms},
    api::{AgentId, FrameworkId, Offer, OfferId, Resources, SchedulerEvent},
    master::Timer,
};
use planarium_ground::{Cx, Fleet};
use planarium_kernel::SortedMap;
use planarium_kernel::{Cause, Class};
use planarium_protocol::{EventBody, Text};
use std::sync::Arc;

/// Filters that last no longer than this after an ACCEPT keep the world from being idle: what was left over is
/// offered again soon.
const SHORT_FILTER_MS: u64 = 60_000;

impl Master {
    /// Makes offers of what the allocator granted, one message per framework.
    pub(crate) fn make_offers(&mut self, cx: &mut Cx, grants: Vec<Grant>) {
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
            let mut offers = Vec::with_capacity(grants.len());
            // The latest change is what caused the message.
            let mut cause = Cause::default();
            for grant in grants {
                self.want_inverse_offers(grant.agent, grant.cause);
                if recency(&grant.cause) >= recency(&cause) {
                    cause = grant.cause;
                }
                if let Some(offer) = self.make_offer(grant) {
                    agents.push(offer.hostname.clone());
                    offers.push(offer);
                }
            }
            self.offers.insert_all(&offers);
            let body = EventBody::Offered { framework: self.framework_name(framework), agents };
            cx.scoped(cause, |cx| {
                cx.following(body, |cx| {
                    if self.offer_timeout_ms.is_some() {
                        for offer in &offers {
                            self.start_offer_timeout(cx, offer.id);
                        }
                    }
                    self.counters.offers(framework).sent += offers.len() as u64;
                    self.send(cx, framework, SchedulerEvent::Offers(offers));
                });
            });
        }
    }

    /// Builds an offer of what was granted; it is not outstanding yet. *Cost*: most agents are offered again unchanged,
    /// and an offer that no one else refers to is sent again under another number.
    fn make_offer(&mut self, grant: Grant) -> Option<Arc<Offer>> {
        let agent = self.agents.get(grant.agent.index())?;
        let id = OfferId(self.next_offer.next());
        if let Some(mut spare) = grant.spare
            && let Some(offer) = Arc::get_mut(&mut spare)
        {
            (offer.id, offer.framework, offer.agent) = (id, grant.framework, grant.agent);
            offer.unavailability = self.machines.unavailability(grant.agent);
            share_or_replace(&mut offer.master, &self.uuid);
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
            master: self.uuid.clone(),
            framework: grant.framework,
            agent: grant.agent,
            info: agent.info.clone(),
            resources: grant.resources,
            role: grant.role,
            executor_ids: agent.executors.of(grant.framework),
            unavailability: self.machines.unavailability(grant.agent),
        }))
    }

    /// DECLINE. Ids that are not outstanding, or belong to another framework, are skipped.
    pub(crate) fn decline(
        &mut self,
        cx: &mut Cx,
        framework: FrameworkId,
        ids: &[OfferId],
        refuse_ms: Option<u64>,
    ) {
        let (mut own, mut agents) = (Vec::with_capacity(ids.len()), Vec::with_capacity(ids.len()));
        let mut others = Vec::new();
        self.offers.remove_all(ids, |id, gone| match gone {
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
        self.offers.insert_all(&others);
        if own.is_empty() {
            return;
        }
        self.counters.offers(framework).declined += agents.len() as u64;
        let filter_ms = life_ms(refuse_ms);
        let body = EventBody::Declined {
            framework: self.framework_name(framework),
            agents,
            refuse_ms: filter_ms.unwrap_or(0),
        };
        cx.following(body, |cx| self.recover_offers(cx, framework, own, filter_ms));
    }

    /// Removes an offer and recovers its resources, with a filter if the framework refused them.
    pub(crate) fn take_offer_back(&mut self, cx: &Cx, id: OfferId, filter_ms: Option<u64>) {
        if let Some(offer) = self.offers.remove(&id) {
            self.recover_offers(cx, offer.framework, vec![offer], filter_ms);
        }
    }

    /// Recovers what was offered to one framework.
    fn recover_offers(
        &mut self,
        cx: &Cx,
        framework: FrameworkId,
        offers: Vec<Arc<Offer>>,
        filter_ms: Option<u64>,
    ) {
        let mut returns = offers.into_iter().map(Return::Offer);
        self.recover_all(cx, framework, &mut returns, filter_ms, Class::Periodic);
    }

    /// Recovers resources and arms the timer of the filter that a refusal makes.
    #[expect(clippy::too_many_arguments, reason = "one place for what the allocator must know of a recovery")]
    pub(crate) fn recover_resources(
        &mut self,
        cx: &Cx,
        framework: FrameworkId,
        role: &Text,
        agent: AgentId,
        resources: &Resources,
        filter_ms: Option<u64>,
        class: Class,
    ) {
        let mut returns = std::iter::once(Return::Rest { role, agent, resources });
        self.recover_all(cx, framework, &mut returns, filter_ms, class);
    }

    /// The same for several: the filters of one refusal end together.
    fn recover_all(
        &mut self,
        cx: &Cx,
        framework: FrameworkId,
        returns: &mut dyn Iterator<Item = Return<'_>>,
        filter_ms: Option<u64>,
        class: Class,
    ) {
        let filters = self.allocator.recover(framework, returns, filter_ms.is_some(), cx.cause());
        if let Some((filters, life_ms)) = filters.zip(filter_ms) {
            let class = if life_ms <= SHORT_FILTER_MS { class } else { Class::Periodic };
            let at = cx.now().saturating_add(life_ms);
            let timer = self.arm(at, class, cx.cause(), Timer::Filters(filters));
            // If one of them keeps the world from being idle, all of them do.
            if class == Class::Periodic {
                self.allocator.set_filter_timer(filters, timer);
            }
        }
        for timer in self.allocator.take_unused_timers() {
            self.disarm(Some(timer));
        }
    }

    /// Rescinds an offer.
    pub(crate) fn rescind(&mut self, cx: &mut Cx, id: OfferId) {
        self.rescind_for(cx, id, None);
    }

    /// The same with a filter on what comes back.
    pub(crate) fn rescind_for(&mut self, cx: &mut Cx, id: OfferId, filter_ms: Option<u64>) {
        let Some(offer) = self.offers.get(&id).cloned() else { return };
        self.counters.offers(offer.framework).rescinded += 1;
        let framework = self.framework_name(offer.framework);
        cx.following(EventBody::Rescinded { framework, agent: offer.hostname.clone() }, |cx| {
            self.take_offer_back(cx, id, filter_ms);
            self.send(cx, offer.framework, SchedulerEvent::Rescind(id));
        });
    }

    /// Rescinds offers that are withheld from now on: a framework that has not used one yet must not.
    pub(crate) fn rescind_withheld(&mut self, cx: &mut Cx, fleet: &Fleet) {
        let withheld: Vec<OfferId> = self
            .offers
            .values()
            .filter(|offer| {
                let framework = self.framework_name(offer.framework);
                let agent = self.agents.get(offer.agent.index());
                agent.is_some_and(|agent| fleet.offers_withheld(&framework, &agent.hostname, &agent.name))
            })
            .map(|offer| offer.id)
            .collect();
        for id in withheld {
            self.rescind(cx, id);
        }
    }

    pub(crate) fn offers_of(&self, framework: FrameworkId) -> Vec<OfferId> {
        self.offers.values().filter(|offer| offer.framework == framework).map(|offer| offer.id).collect()
    }

    pub(crate) fn offers_on(&self, agent: AgentId) -> Vec<OfferId> {
        self.offers.values().filter(|offer| offer.agent == agent).map(|offer| offer.id).collect()
    }
}

/// Replaces the value, if it differs.
fn share_or_replace<T: ?Sized>(kept: &mut Arc<T>, other: &Arc<T>) {
    if !Arc::ptr_eq(kept, other) {
        kept.clone_from(other);
    }
}
