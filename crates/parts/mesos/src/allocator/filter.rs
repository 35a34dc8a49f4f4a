//! Decline filters: resources that are not offered to a framework again for some time.
//!
//! The filters of one refusal expire together, by one timer. Each is kept with its agent; a batch records the agents
//! of one refusal's filters, and how many are left.
//!
//! *Invariant*: a batch exists while one of its filters does, and counts them.
//!
//! Source: `apache/mesos: src/master/allocator/mesos/hierarchical.cpp` (recoverResources, expire). Match: a filter
//! blocks resources that it contains; it lasts at least one allocation interval.

use super::{Allocator, Slot};
use crate::api::{AgentId, FrameworkId, Resources, resources::is_text};
use planarium_kernel::{Cause, Map, SortedMap, TimerId, Weight, cow::bytes_of, id_types};
use planarium_protocol::Text;
use std::sync::Arc;

/// Time between two batch runs. Source: `src/master/constants.hpp`.
pub const ALLOCATION_INTERVAL_MS: u64 = 1_000;
/// `refuse_seconds` when a framework does not say.
pub const DEFAULT_REFUSE_MS: u64 = 5_000;
/// Longest `refuse_seconds`.
pub const MAX_REFUSE_MS: u64 = 365 * 24 * 3_600_000;

id_types! {
    /// Number of a batch: the filters made by one refusal. Never reused.
    pub(crate) FilterGroupId;
}

/// A framework's refusal of an agent's resources under a role.
#[derive(Clone, Debug)]
pub(super) struct Filter {
    pub(super) framework: FrameworkId,
    pub(super) role: Text,
    pub(super) refused: Resources,
    pub(super) group: FilterGroupId,
}

/// The filters of one refusal.
#[derive(Clone, Debug, Weight)]
#[weight(new bytes_of::<AgentId>(self.agents.len()))]
struct FilterGroup {
    framework: FrameworkId,
    /// The agent of each.
    agents: Arc<[AgentId]>,
    /// Number of its filters that are left.
    left: u32,
    /// The timer that ends them, if anything waits for it.
    timer: Option<TimerId>,
}

/// All batches of filters.
#[derive(Clone, Debug, Default, Weight)]
#[weight(all)]
pub(crate) struct FilterGroups {
    all: Map<FilterGroupId, FilterGroup>,
    next: u32,
    /// Timers of batches whose filters were removed early.
    unused_timers: Vec<TimerId>,
}

/// Returns the lifetime of a refusal; none when it makes no filter.
pub(crate) fn life_ms(refuse_ms: Option<u64>) -> Option<u64> {
    match refuse_ms.unwrap_or(DEFAULT_REFUSE_MS) {
        0 => None,
        ms => Some(ms.clamp(ALLOCATION_INTERVAL_MS, MAX_REFUSE_MS)),
    }
}

impl Slot {
    /// Returns whether a filter contains the candidate.
    pub(super) fn blocks(&self, framework: FrameworkId, role: &Text, candidate: &Resources) -> bool {
        self.filters.iter().any(|filter| {
            filter.framework == framework && is_text(&filter.role, role) && filter.refused.contains(candidate)
        })
    }
}

impl FilterGroups {
    /// The batch that the next refusal makes.
    pub(super) const fn next(&self) -> FilterGroupId {
        FilterGroupId(self.next)
    }

    /// Records the filters of a refusal, each by its agent; nothing where there are none.
    pub(super) fn note(&mut self, framework: FrameworkId, agents: &[AgentId]) -> Option<FilterGroupId> {
        if agents.is_empty() {
            return None;
        }
        let id = self.next();
        self.next = self.next.saturating_add(1);
        let left = u32::try_from(agents.len()).unwrap_or(u32::MAX);
        self.all.insert(id, FilterGroup { framework, agents: agents.into(), left, timer: None });
        Some(id)
    }

    /// Notes that filters of a batch were removed early.
    pub(super) fn lose(&mut self, id: FilterGroupId, count: u32) {
        let Some(group) = self.all.get_mut(&id) else { return };
        group.left = group.left.saturating_sub(count);
        if group.left == 0 {
            self.unused_timers.extend(group.timer);
            self.all.remove(&id);
        }
    }

    /// Agents on which a framework has filters, or had some together with others that it still has; some twice.
    fn agents_of(&self, framework: FrameworkId) -> Vec<AgentId> {
        let own = self.all.values().filter(|group| group.framework == framework);
        own.flat_map(|group| group.agents.iter().copied()).collect()
    }
}

impl Allocator {
    /// The filters of a batch expire.
    pub(crate) fn expire(&mut self, id: FilterGroupId, cause: Cause) {
        let Some(group) = self.filter_groups.all.remove(&id) else { return };
        for agent in group.agents.iter().copied() {
            // A filter that is no longer on its agent changes nothing.
            if self.slot(agent).is_some_and(|slot| slot.filters.iter().any(|filter| filter.group == id))
                && let Some(slot) = self.slot_mut(agent)
            {
                slot.filters.retain(|filter| filter.group != id);
                if slot.active {
                    self.dirty.insert(agent, cause);
                }
            }
        }
    }

    /// Drops a framework's filters under the roles that `which` accepts; returns the agents concerned.
    pub(super) fn clear_filters(
        &mut self,
        framework: FrameworkId,
        which: impl Fn(&str) -> bool,
    ) -> Vec<AgentId> {
        let goes = |filter: &Filter| filter.framework == framework && which(&filter.role);
        let mut concerned = self.filter_groups.agents_of(framework);
        let mut gone: Vec<FilterGroupId> = Vec::new();
        concerned.retain(|agent| {
            let has = |slot: &Slot| slot.filters.iter().any(goes);
            if !self.slot(*agent).is_some_and(has) {
                return false;
            }
            let Some(slot) = self.slot_mut(*agent) else { return false };
            gone.extend(slot.filters.extract_if(.., |filter| goes(filter)).map(|filter| filter.group));
            true
        });
        self.lose_filters(&gone);
        concerned
    }

    /// Filters of these batches were removed early, as often as a batch is named.
    pub(super) fn lose_filters(&mut self, gone: &[FilterGroupId]) {
        for of_one in gone.chunk_by(|a, b| a == b) {
            if let Some(id) = of_one.first() {
                self.filter_groups.lose(*id, u32::try_from(of_one.len()).unwrap_or(u32::MAX));
            }
        }
    }

    /// Records the timer that ends the filters of a batch.
    pub(crate) fn set_filter_timer(&mut self, id: FilterGroupId, timer: TimerId) {
        if let Some(group) = self.filter_groups.all.get_mut(&id) {
            group.timer = Some(timer);
        }
    }

    /// Takes the timers of filters that were removed early: a framework that revives again and again would leave many
    /// behind.
    pub(crate) fn take_unused_timers(&mut self) -> Vec<TimerId> {
        std::mem::take(&mut self.filter_groups.unused_timers)
    }

    /// Active filters by role.
    pub(crate) fn filters_by_role(&self) -> SortedMap<Text, u64> {
        let mut counts = SortedMap::new();
        for filter in self.agents().flat_map(|(_, slot)| &slot.filters) {
            *counts.entry(filter.role.clone()).or_default() += 1;
        }
        counts
    }

    pub(crate) fn filter_count(&self) -> usize {
        self.agents().map(|(_, slot)| slot.filters.len()).sum()
    }

    /// Broken invariants about batches, in words.
    pub(super) fn check_filters(&self, broken: &mut Vec<String>) {
        let mut counts: SortedMap<FilterGroupId, u32> = SortedMap::new();
        for (agent, slot) in self.agents() {
            for filter in &slot.filters {
                *counts.entry(filter.group).or_default() += 1;
                let group = self.filter_groups.all.get(&filter.group);
                let is_its = |group: &FilterGroup| {
                    group.framework == filter.framework && group.agents.contains(&agent)
                };
                if !group.is_some_and(is_its) {
                    broken.push(format!("agent {}: a filter is not in its batch", agent.0));
                }
            }
        }
        let noted: SortedMap<FilterGroupId, u32> =
            self.filter_groups.all.iter().map(|(id, group)| (*id, group.left)).collect();
        if noted != counts {
            broken.push(format!("filters by batch {noted:?}, recounted {counts:?}"));
        }
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
