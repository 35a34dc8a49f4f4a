//! Inverse offers: frameworks that were asked to leave an agent, and their answers.
//!
//! An inverse offer asks for everything a framework has on an agent. It stays until it is answered or rescinded, or
//! its framework leaves. Answers only change the status that the operator reads.
//!
//! Two steps, as in the real system, where allocator and master keep separate records: [`InverseOffers::grant`]
//! decides whom to ask (the allocator's part), [`InverseOffers::record`] notes the inverse offer that was sent
//! (the master's). A grant that is never sent, to a framework that cannot receive it or for a deactivated
//! agent, stays marked until the agent is refreshed.
//!
//! *Order*: by agent, then by framework.
//! Source: `apache/mesos: src/master/allocator/mesos/hierarchical.cpp` (generateInverseOffers,
//! updateInverseOffer, updateUnavailability), `src/master/master.cpp` (inverse offers). Match.

use super::{MachineRegistry, Unavailability, quirk};
use crate::{
    DEFAULT_REFUSE_MS, MAX_REFUSE_MS,
    api::{AgentId, FrameworkId, OfferId, Response},
};
use planarium_kernel::SortedMap;
use planarium_kernel::{Digestible, SimTime, id::Counter, id_types};

id_types! {
    /// Number of a filter against inverse offers. Never reused.
    pub InverseFilterId;
}

type Pair = (AgentId, FrameworkId);

/// A framework to ask.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct InverseGrant {
    /// The agent that it is to leave.
    pub agent: AgentId,
    /// The framework.
    pub framework: FrameworkId,
    /// When the agent is expected to be unavailable.
    pub unavailability: Unavailability,
}

/// An outstanding inverse offer. Its id comes from the same counter as those of offers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct InverseOffer {
    /// Its number.
    pub id: OfferId,
    /// The framework, and what it is asked to return.
    pub grant: InverseGrant,
}

/// The result of an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Answered {
    /// The inverse offer that was answered.
    pub offer: InverseOffer,
    /// The answer came from another framework; it counts nevertheless.
    pub foreign: bool,
    /// The filter it made, and when that expires: a timer for [`InverseOffers::expire`].
    pub filter: Option<(InverseFilterId, SimTime)>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Digestible)]
#[digest(response.as_str(), at)]
struct Answer {
    response: Response,
    at: SimTime,
}

/// Everything known about inverse offers.
#[derive(Clone, Debug, Default, PartialEq, Eq, Digestible)]
#[digest(
    marked.len(), each marked.iter().map(|(of, id)| (of, id.map_or(u64::MAX, |id| id.0.into()))),
    filters.len(), each filters.iter().map(|(of, filters)| (of, filters.len())), all answers,
)]
pub struct InverseOffers {
    /// Frameworks that are not asked again now, with the inverse offer that was sent, if any.
    marked: SortedMap<Pair, Option<OfferId>>,
    outstanding: SortedMap<OfferId, InverseOffer>,
    filters: SortedMap<Pair, Vec<InverseFilterId>>,
    answers: SortedMap<Pair, Answer>,
    next_filter: Counter,
}

impl InverseOffers {
    /// No framework has been asked.
    pub fn new() -> Self {
        Self::default()
    }

    /// At the end of an allocation run: the frameworks to ask to leave an agent. `users` are the connected frameworks
    /// with anything offered or allocated there; suppression, roles and filters of offers do not count.
    pub fn grant(
        &mut self,
        agent: AgentId,
        unavailability: Unavailability,
        users: impl IntoIterator<Item = FrameworkId>,
    ) -> Vec<InverseGrant> {
        let mut grants = Vec::new();
        for framework in users {
            let pair = (agent, framework);
            if self.marked.contains_key(&pair) || self.filters.contains_key(&pair) {
                continue;
            }
            self.marked.insert(pair, None);
            grants.push(InverseGrant { agent, framework, unavailability });
        }
        grants
    }

    /// Records that a grant was sent as an inverse offer.
    pub fn record(&mut self, id: OfferId, grant: InverseGrant) -> InverseOffer {
        let offer = InverseOffer { id, grant };
        self.marked.insert((grant.agent, grant.framework), Some(id));
        self.outstanding.insert(id, offer);
        offer
    }

    /// A framework answers. None when the inverse offer is not outstanding: the answer is ignored.
    /// It counts as the answer of the framework that the inverse offer was made to.
    pub fn answer(
        &mut self,
        now: SimTime,
        id: OfferId,
        by: FrameworkId,
        response: Response,
        refuse_ms: Option<u64>,
    ) -> Option<Answered> {
        let foreign = self.outstanding.get(&id)?.grant.framework != by;
        if foreign && !quirk::ANSWER_COUNTS_FOR_THE_ADDRESSEE {
            return None;
        }
        let offer = self.withdraw(id)?;
        let pair = (offer.grant.agent, offer.grant.framework);
        self.answers.insert(pair, Answer { response, at: now });
        let filter = life_ms(refuse_ms).map(|life_ms| {
            let filter = InverseFilterId(self.next_filter.next());
            self.filters.entry(pair).or_default().push(filter);
            (filter, now.saturating_add(life_ms))
        });
        Some(Answered { offer, foreign, filter })
    }

    /// A filter expires; false when it was cleared before.
    pub fn expire(&mut self, agent: AgentId, framework: FrameworkId, filter: InverseFilterId) -> bool {
        let Some(filters) = self.filters.get_mut(&(agent, framework)) else { return false };
        let before = filters.len();
        filters.retain(|id| *id != filter);
        let expired = filters.len() < before;
        if filters.is_empty() {
            self.filters.remove(&(agent, framework));
        }
        expired
    }

    /// Rescinds an inverse offer (offer timeout). The next run sends another one.
    pub fn withdraw(&mut self, id: OfferId) -> Option<InverseOffer> {
        let offer = self.outstanding.remove(&id)?;
        self.marked.remove(&(offer.grant.agent, offer.grant.framework));
        Some(offer)
    }

    /// The agent disconnected or was deactivated: returns what to rescind. Filters and answers stay.
    pub fn rescind_agent(&mut self, agent: AgentId) -> Vec<InverseOffer> {
        let ids: Vec<OfferId> = self.marked.range(all_on(agent)).filter_map(|(_, id)| *id).collect();
        ids.into_iter().filter_map(|id| self.withdraw(id)).collect()
    }

    /// Resets an agent whose unavailability was set again, or that was removed, marked gone or marked unreachable:
    /// returns the inverse offers to rescind and forgets everything else about it, including answers.
    pub fn refresh(&mut self, agent: AgentId) -> Vec<InverseOffer> {
        let rescinded = self.rescind_agent(agent);
        drop_agent(&mut self.marked, agent);
        drop_agent(&mut self.filters, agent);
        drop_agent(&mut self.answers, agent);
        rescinded
    }

    /// Drops the inverse offers and filters of a framework that disconnected or was removed, without rescinding;
    /// keeps its answers. Returns the agents it was asked to leave.
    pub fn framework_gone(&mut self, framework: FrameworkId) -> Vec<AgentId> {
        let mut agents = Vec::new();
        self.outstanding.retain(|_, offer| {
            let goes = offer.grant.framework == framework;
            agents.extend(goes.then_some(offer.grant.agent));
            !goes
        });
        self.marked.retain(|(_, of), _| *of != framework);
        self.clear_filters(framework);
        agents
    }

    /// Drops all filters of a framework that revived or sent a new description, whatever roles it named.
    pub fn clear_filters(&mut self, framework: FrameworkId) {
        self.filters.retain(|(_, of), _| *of != framework);
    }

    /// An outstanding inverse offer.
    pub fn get(&self, id: OfferId) -> Option<&InverseOffer> {
        self.outstanding.get(&id)
    }

    /// All outstanding inverse offers, in the order they were made.
    pub fn outstanding(&self) -> impl Iterator<Item = &InverseOffer> {
        self.outstanding.values()
    }

    /// Last answers about an agent: who, what, when.
    pub fn answers_on(&self, agent: AgentId) -> impl Iterator<Item = (FrameworkId, Response, SimTime)> {
        self.answers
            .range(all_on(agent))
            .map(|((_, framework), answer)| (*framework, answer.response, answer.at))
    }

    /// The frameworks that have an unanswered inverse offer for an agent.
    pub fn outstanding_on(&self, agent: AgentId) -> impl Iterator<Item = FrameworkId> {
        self.marked.range(all_on(agent)).filter(|(_, id)| id.is_some()).map(|((_, framework), _)| *framework)
    }

    /// Returns whether a framework is not asked again because of its last answer.
    #[cfg(test)]
    pub(super) fn is_filtered(&self, agent: AgentId, framework: FrameworkId) -> bool {
        self.filters.contains_key(&(agent, framework))
    }

    /// Broken invariants, in words. `is_active` says whether an agent is connected and not deactivated.
    pub fn check(&self, registry: &MachineRegistry, is_active: impl Fn(AgentId) -> bool) -> Vec<String> {
        let mut broken = Vec::new();
        for (id, InverseOffer { id: own, grant }) in &self.outstanding {
            let name = format!(
                "inverse offer {} of agent {} to framework {}",
                id.0, grant.agent.0, grant.framework.0
            );
            if own != id || self.marked.get(&(grant.agent, grant.framework)) != Some(&Some(*id)) {
                broken.push(format!("{name} is not marked"));
            }
            if registry.unavailability(grant.agent) != Some(grant.unavailability) {
                broken.push(format!("{name} does not say when the agent is away"));
            }
            if !is_active(grant.agent) {
                broken.push(format!("{name} is out although the agent is not active"));
            }
        }
        let sent = self.marked.values().flatten().count();
        if sent != self.outstanding.len() {
            broken.push(format!("{sent} marked as sent, {} outstanding", self.outstanding.len()));
        }
        broken
    }
}

/// Returns the lifetime of an answer's filter; none when it makes none. Not stretched to the allocation interval.
fn life_ms(refuse_ms: Option<u64>) -> Option<u64> {
    match refuse_ms.unwrap_or(DEFAULT_REFUSE_MS) {
        0 => None,
        ms => Some(ms.min(MAX_REFUSE_MS)),
    }
}

fn all_on(agent: AgentId) -> std::ops::RangeInclusive<Pair> {
    (agent, FrameworkId(0))..=(agent, FrameworkId(u32::MAX))
}

fn drop_agent<T>(map: &mut SortedMap<Pair, T>, agent: AgentId) {
    let keys: Vec<Pair> = map.range(all_on(agent)).map(|(pair, _)| *pair).collect();
    for key in keys {
        map.remove(&key);
    }
}
