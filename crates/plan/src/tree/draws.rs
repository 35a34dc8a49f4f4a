//! Draws of random strategies.
//!
//! *Knows*: which parents draw. *Must not know*: when a draw is due; that is decided above.

use crate::{group::Group, spec::StrategySpec, tree::PlanTree};

impl PlanTree {
    /// Returns whether the plan or one of its phases has the random strategy.
    pub fn has_random_strategy(&self) -> bool {
        let random = |strategy: &StrategySpec| matches!(strategy.base(), StrategySpec::Random { .. });
        random(&self.head.strategy)
            || self.order.iter().filter_map(|id| self.phase(*id)).any(|phase| random(&phase.spec.strategy))
    }

    /// Every random strategy draws again: another child may run. True when one drew a child that it had not drawn since
    /// anything last changed there. *Cost*: O(children) of the parents that draw.
    pub fn redraw(&mut self) -> bool {
        let mut fresh = false;
        for id in self.order.clone() {
            if self.phase(id).is_none_or(|phase| phase.group.random().is_none()) {
                continue;
            }
            if let Some(phase) = self.phases.get_mut(id) {
                fresh |= phase.group.redraw();
                self.settle_phase(id);
            }
        }
        fresh |= self.group.redraw();
        self.settle_plan();
        fresh
    }

    /// Returns the number of draws of a group, for digests.
    pub(super) fn draws(group: &Group) -> u64 {
        group.random().map_or(0, crate::strategy::random::Random::draws)
    }
}
