//! Draws the child of a random strategy that the next cycle works on.
//!
//! *Knows*: when a draw is due. *Must not know*: how one is made; that is the plan crate's.
//!
//! The real scheduler draws with every query and so in every cycle. Here a draw is kept from one cycle to the next, so
//! that looking changes nothing, and cycles go on until every child has had its turn since the last change.

use super::Plans;
use crate::scheduler::Cx;
use crate::scheduler::state::TaskStore;
use crate::scheduler::timers::Timers;
use planarium_plan::Element;

impl Plans {
    /// Draws for the next cycle, which is needed while there are children not drawn yet.
    pub(crate) fn draw_random_children(&mut self, cx: &mut Cx, tasks: &TaskStore, timers: &mut Timers) {
        for id in self.ids() {
            let Some(plan) = self.get_mut(id).filter(|plan| plan.is_random) else { continue };
            if plan.is_complete() || plan.tree.is_interrupted(Element::Plan) {
                continue;
            }
            let fresh = plan.tree.redraw();
            self.report(cx, id, tasks);
            self.touch(cx, id);
            if fresh {
                timers.need_cycle(cx);
            }
        }
    }
}
