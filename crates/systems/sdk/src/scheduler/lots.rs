//! Drawing lots after a cycle: which child of a random strategy the next cycle works on.
//!
//! *Knows*: when a draw is due. *Must not know*: how one is made; that is the plan crate's.
//!
//! The real scheduler draws with every query and so in every cycle. Here a draw stands from one cycle to the next, so
//! that looking changes nothing, and cycles go on until every child has had its turn since the last change.

use super::{Cx, Scheduler};
use planarium_plan::{Element, PlanId};

impl Scheduler {
    /// Random strategies draw for the next cycle, which is needed while there are children not drawn yet.
    pub(super) fn draw_lots(&mut self, cx: &mut Cx) {
        for at in 0..self.plans.len() {
            let Some(plan) = self.plans.get_mut(at).filter(|plan| plan.lots) else { continue };
            if plan.is_complete() || plan.tree.is_interrupted(Element::Plan) {
                continue;
            }
            let fresh = plan.tree.redraw();
            let id = PlanId::at(at);
            self.report(cx, id);
            self.touch(cx, id);
            if fresh {
                self.need_cycle(cx);
            }
        }
    }
}
