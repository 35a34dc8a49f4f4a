//! The work of plans: whether offers are wanted, and for which items.
//!
//! **Source**: `dcos-commons: …/scheduler/DefaultScheduler.java (client status)`. Match.

use super::{Plan, PlanKind, Plans};
use crate::scheduler::offers::WorkSet;
use crate::scheduler::requirement::Recovery;
use planarium_plan::{Element, Holder, Status};

/// Occupation of the scheduler.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ClientStatus {
    /// Nothing to do: no offers wanted.
    Idle,
    /// Reserving.
    Footprint,
    /// Launching.
    Launching,
}

impl Plans {
    /// The first row that holds.
    pub(crate) fn client_status(&self) -> ClientStatus {
        let status = |plan: &Plan| plan.tree.status(Element::Plan);
        if self.iter().all(|plan| matches!(status(plan), Status::Complete | Status::Delayed)) {
            return ClientStatus::Idle;
        }
        let deploying = self.of_kind(PlanKind::Deploy).is_some_and(|plan| !plan.is_complete());
        if deploying || self.has_permanent_recovery() {
            return ClientStatus::Footprint;
        }
        let at_work = self.iter().any(|plan| {
            matches!(
                status(plan),
                Status::Pending | Status::InProgress | Status::Prepared | Status::Starting | Status::Started
            )
        });
        if at_work { ClientStatus::Launching } else { ClientStatus::Idle }
    }

    fn has_permanent_recovery(&self) -> bool {
        let mut recovery = self.iter().filter(|plan| plan.kind == PlanKind::Recovery && !plan.is_complete());
        recovery.any(|plan| {
            plan.tree.all_steps().any(|step| {
                !plan.tree.status(Element::Step(step)).is_complete()
                    && plan.requirement(step).is_some_and(|r| r.recovery == Recovery::Permanent)
            })
        })
    }

    /// Candidates and running steps, by what they need.
    pub(crate) fn work_set(&self, candidates: &[Holder]) -> WorkSet {
        let mut work = WorkSet::with_room(candidates.len());
        let candidates = candidates.iter().filter_map(|holder| self.step(*holder)?.work);
        candidates.for_each(|key| work.insert(key));
        for plan in self.iter() {
            let running = plan.tree.working().filter_map(|step| plan.step(step)?.work);
            running.for_each(|key| work.insert(key));
        }
        work
    }
}
