//! Decline filters: what a framework does not want to be offered again for a while.
//!
//! Source: `apache/mesos: src/master/allocator/mesos/hierarchical.cpp` (recoverResources, expire). Match: a filter
//! blocks what it contains; its life is at least one allocation interval.

use super::Allocator;
use crate::{
    api::{AgentId, FrameworkId, Resources},
    weight::resources,
};
use planarium_kernel::SortedMap;
use planarium_kernel::{
    Map, TimerId,
    cow::{behind, bytes_of},
    id_types,
};
use planarium_protocol::Text;
use std::sync::Arc;

/// Time between two batch runs. Source: `src/master/constants.hpp`.
pub const ALLOCATION_INTERVAL_MS: u64 = 1_000;
/// Refusal when a framework says nothing.
pub const DEFAULT_REFUSE_MS: u64 = 5_000;
/// Longest refusal.
pub const MAX_REFUSE_MS: u64 = 365 * 24 * 3_600_000;

id_types! {
    /// A filter. Never reused.
    pub(crate) FilterId;
}

#[derive(Clone, Debug)]
struct Filter {
    id: FilterId,
    role: Text,
    refused: Resources,
    /// What ends it, when nothing waits for that.
    timer: Option<TimerId>,
}

/// All filters, by framework and agent.
#[derive(Clone, Debug, Default)]
pub(crate) struct Filters {
    all: Map<(FrameworkId, AgentId), Arc<Vec<Filter>>>,
    next: u32,
    /// Timers of filters that went before their time.
    idle: Vec<TimerId>,
}

/// How long a refusal holds; none when it makes no filter at all.
pub(crate) fn life_ms(refuse_ms: Option<u64>) -> Option<u64> {
    match refuse_ms.unwrap_or(DEFAULT_REFUSE_MS) {
        0 => None,
        ms => Some(ms.clamp(ALLOCATION_INTERVAL_MS, MAX_REFUSE_MS)),
    }
}

impl Filters {
    pub(crate) fn install(
        &mut self,
        framework: FrameworkId,
        role: &Text,
        agent: AgentId,
        refused: Resources,
    ) -> FilterId {
        let id = FilterId(self.next);
        self.next = self.next.saturating_add(1);
        let filter = Filter { id, role: role.clone(), refused, timer: None };
        self.all.upsert((framework, agent), Arc::default, |filters| Arc::make_mut(filters).push(filter));
        id
    }

    /// Whether some filter contains the candidate.
    pub(crate) fn blocks(
        &self,
        framework: FrameworkId,
        role: &str,
        agent: AgentId,
        candidate: &Resources,
    ) -> bool {
        self.all
            .get(&(framework, agent))
            .is_some_and(|filters| filters.iter().any(|f| &*f.role == role && f.refused.contains(candidate)))
    }

    /// Takes a filter out; false when it is gone already.
    pub(crate) fn expire(&mut self, framework: FrameworkId, agent: AgentId, id: FilterId) -> bool {
        let Some(filters) = self.all.get_mut(&(framework, agent)).map(Arc::make_mut) else { return false };
        let before = filters.len();
        filters.retain(|filter| filter.id != id);
        let expired = filters.len() < before;
        if filters.is_empty() {
            self.all.remove(&(framework, agent));
        }
        expired
    }

    /// Drops a framework's filters, of the roles that `which` says yes to; answers the agents concerned.
    pub(crate) fn clear(&mut self, framework: FrameworkId, which: impl Fn(&str) -> bool) -> Vec<AgentId> {
        let range = (framework, AgentId(0))..=(framework, AgentId(u32::MAX));
        let has = |filters: &[Filter]| filters.iter().any(|filter| which(&filter.role));
        let found = self.all.range(range).filter(|(_, filters)| has(filters));
        let concerned: Vec<AgentId> = found.map(|((_, agent), _)| *agent).collect();
        for agent in &concerned {
            if let Some(filters) = self.all.get_mut(&(framework, *agent)) {
                let gone = filters.iter().filter(|filter| which(&filter.role));
                self.idle.extend(gone.filter_map(|filter| filter.timer));
                Arc::make_mut(filters).retain(|filter| !which(&filter.role));
            }
        }
        if !concerned.is_empty() {
            self.all.retain(|_, filters| !filters.is_empty());
        }
        concerned
    }

    /// Drops all filters on an agent.
    pub(crate) fn forget_agent(&mut self, agent: AgentId) {
        let gone =
            self.all.iter().filter(|((_, on), _)| *on == agent).flat_map(|(_, filters)| filters.iter());
        self.idle.extend(gone.filter_map(|filter| filter.timer));
        self.all.retain(|(_, on), _| *on != agent);
    }

    /// How many there are, by role.
    pub(crate) fn by_role(&self) -> SortedMap<Text, u64> {
        let mut counts = SortedMap::new();
        for filter in self.all.values().flat_map(|filters| filters.iter()) {
            *counts.entry(filter.role.clone()).or_default() += 1;
        }
        counts
    }

    /// Bytes that these hold and those before do not, by estimate.
    pub(crate) fn beyond(&self, before: Option<&Self>) -> u64 {
        self.all.beyond(before.map(|before| &before.all), |filters, old| {
            let refused = |filter: &Filter| resources(&filter.refused, None);
            behind(filters, old, |filters| {
                bytes_of::<Filter>(filters.len()) + filters.iter().map(refused).sum::<u64>()
            })
        })
    }

    /// How many there are.
    pub(crate) fn len(&self) -> usize {
        self.all.values().map(|filters| filters.len()).sum()
    }
}

impl Allocator {
    /// Remembers what will end a filter.
    pub(crate) fn time_filter(
        &mut self,
        framework: FrameworkId,
        agent: AgentId,
        id: FilterId,
        timer: TimerId,
    ) {
        let filters = self.filters.all.get_mut(&(framework, agent)).map(Arc::make_mut);
        if let Some(filter) = filters.and_then(|filters| filters.iter_mut().find(|filter| filter.id == id)) {
            filter.timer = Some(timer);
        }
    }

    /// Takes the timers of filters that went before their time: a framework that revives at every turn would
    /// leave thousands behind.
    pub(crate) fn take_idle_timers(&mut self) -> Vec<TimerId> {
        std::mem::take(&mut self.filters.idle)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lives() {
        for (refuse_ms, expected) in [
            (None, Some(5_000)),
            (Some(0), None),
            (Some(1), Some(1_000)),
            (Some(1_000), Some(1_000)),
            (Some(3_600_000), Some(3_600_000)),
            (Some(u64::MAX), Some(MAX_REFUSE_MS)),
        ] {
            assert_eq!(life_ms(refuse_ms), expected, "{refuse_ms:?}");
        }
    }
}
