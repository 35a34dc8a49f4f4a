//! Candidates: the steps that the strategies permit to run now.
//!
//! *Knows*: the plan's and the phases' candidate sets. *Must not know*: which assets are dirty; the
//! coordinator filters by those.
//!
//! *Order*: phases in order, steps in order within each. **Source**: `…/scheduler/plan/` plan managers
//! and `PlanUtils.java`: DELAYED steps are dropped when a plan's candidates are collected, though they
//! count as candidates in a roll-up. Match; where upstream's order is a hash order we use declaration
//! order.

use crate::{
    group::Child,
    ids::{Element, PhaseId, StepId},
    status::Status,
    tree::{PhaseRow, PlanTree},
};

impl PlanTree {
    /// Candidate steps of the plan, DELAYED ones dropped. *Cost*: by their number.
    pub fn candidates(&self) -> impl Iterator<Item = StepId> {
        self.candidate_phases()
            .filter_map(|phase| self.phase(phase))
            .flat_map(|phase| phase.candidates().filter(|child| child.1 != Status::Delayed))
            .map(|(step, _)| step)
    }

    /// Appends [`PlanTree::candidates`] to a buffer that is kept between polls.
    pub fn collect_candidates(&self, into: &mut Vec<StepId>) {
        for phase in self.candidate_phases().filter_map(|phase| self.phase(phase)) {
            let group = &phase.group;
            if group.tally().candidates(Status::Delayed) == 0 && !phase.canary_open() {
                let first = phase.first as usize;
                group.candidates().for_each(|position| into.push(StepId::at(first + position)));
            } else {
                let candidates = phase.candidates().filter(|(_, status)| *status != Status::Delayed);
                into.extend(candidates.map(|(step, _)| step));
            }
        }
    }

    /// Phases that the plan's strategy permits to run; none while the plan is interrupted.
    pub fn candidate_phases(&self) -> impl Iterator<Item = PhaseId> {
        let positions = (!self.interrupted).then(|| self.group.candidates());
        positions.into_iter().flatten().filter_map(|place| self.order.get(place).copied())
    }

    /// Returns the steps that a phase's strategy permits to run, independent of the plan, including DELAYED ones.
    pub fn phase_candidates(&self, phase: PhaseId) -> impl Iterator<Item = StepId> {
        self.phase(phase).into_iter().flat_map(PhaseRow::candidates).map(|(step, _)| step)
    }

    /// Returns whether the strategies permit this step to run now; a DELAYED step is not.
    pub fn is_candidate(&self, step: StepId) -> bool {
        let Some(phase) = self.phase_of(step) else { return false };
        let Some(row) = self.phase(phase) else { return false };
        let position = row.position_of(step);
        let Some(child) = row.group.child(position) else { return false };
        let permitted = if row.canary_open() {
            row.canary.steps().any(|held| held as usize == position)
        } else {
            !row.interrupted && row.group.is_open(position)
        };
        child.is_eligible()
            && child.status() != Status::Delayed
            && permitted
            && self.is_candidate_phase(phase)
    }

    /// Returns whether the plan's strategy permits this phase to run now.
    pub fn is_candidate_phase(&self, phase: PhaseId) -> bool {
        let Some(place) = self.position(Element::Phase(phase)) else { return false };
        let eligible = self.group.child(place).is_some_and(Child::is_eligible);
        !self.interrupted && eligible && self.group.is_open(place)
    }
}

impl PhaseRow {
    /// Returns the steps that its strategy permits to run, with their statuses.
    fn candidates(&self) -> impl Iterator<Item = (StepId, Status)> {
        let in_canary = self.canary_open();
        let released = in_canary.then(|| self.canary.steps().map(|position| position as usize));
        let plain = (!in_canary && !self.interrupted).then(|| self.group.candidates());
        let positions = released.into_iter().flatten().chain(plain.into_iter().flatten());
        positions.filter_map(move |position| {
            let child = self.group.child(position).filter(|child| child.is_eligible())?;
            Some((StepId::at(self.first as usize + position), child.status()))
        })
    }
}
