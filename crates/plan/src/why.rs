//! Why an element is not finished, as far as the tree can tell.
//!
//! *Knows*: strategies, holds, canary gates, errors. *Must not know*: offers, delays, checks; the layer
//! above adds those to [`Reason::Running`], [`Reason::Delayed`] and [`Reason::Candidate`].

use crate::{
    coordinator::Holder,
    ids::{Element, PhaseId, StepId},
    status::Status,
    tree::PlanTree,
};

/// One reason, most immediate first in a list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Reason {
    /// This element or one it waits in carries errors.
    Errored {
        /// Which.
        element: Element,
    },
    /// Its status is the roll-up's last resort: a mixture with a DELAYED step that no rule names.
    Unnamed {
        /// The element showing it.
        element: Element,
    },
    /// Work is in progress; it waits for something outside the tree.
    Running,
    /// A step waits after a failure; until when is known outside the tree.
    Delayed,
    /// An operator holds this element or one it is in.
    Interrupted {
        /// Which.
        held: Element,
    },
    /// A canary waits for the operator.
    CanaryGate {
        /// Number of proceeds needed before this element may run.
        proceeds_left: u32,
    },
    /// Siblings come first.
    NotItsTurn {
        /// The unfinished siblings it waits for.
        waiting_for: Vec<Element>,
    },
    /// Another plan's step works on the same asset.
    DirtyAsset {
        /// Which.
        held_by: Holder,
    },
    /// Its strategies permit it to run.
    Candidate,
    /// It waits for the children that may run or are running.
    Children {
        /// Which, in order.
        waiting_for: Vec<Element>,
    },
}

impl PlanTree {
    /// Returns why an element is not complete; empty exactly if it is complete, or not in the tree. `held_by` is the
    /// holder that the last coordination found for a withheld step.
    pub fn why(&self, element: Element, held_by: Option<Holder>) -> Vec<Reason> {
        if !self.contains(element) || self.status(element).is_complete() {
            return Vec::new();
        }
        match element {
            Element::Plan => self.why_plan(),
            Element::Phase(phase) => self.why_phase(phase),
            Element::Step(step) => self.why_step(step, held_by),
        }
    }

    fn why_plan(&self) -> Vec<Reason> {
        let mut reasons = self.why_error(Element::Plan);
        if self.is_interrupted(Element::Plan) {
            reasons.push(Reason::Interrupted { held: Element::Plan });
        }
        let unfinished = |phase: &PhaseId| !self.status(Element::Phase(*phase)).is_complete();
        let candidates: Vec<Element> = if self.interrupted {
            self.phases().filter(unfinished).map(Element::Phase).collect()
        } else {
            self.candidate_phases().map(Element::Phase).collect()
        };
        if !candidates.is_empty() {
            reasons.push(Reason::Children { waiting_for: candidates });
        } else if reasons.is_empty() {
            // Every open phase is held or in error; the first unfinished one says which.
            let waiting_for = self.phases().filter(unfinished).take(1).map(Element::Phase).collect();
            reasons.push(Reason::Children { waiting_for });
        }
        reasons
    }

    fn why_phase(&self, phase: PhaseId) -> Vec<Reason> {
        let mut reasons = self.why_error(Element::Phase(phase));
        reasons.extend(self.why_held_phase(phase));
        reasons.extend(self.why_turn_of_phase(phase));
        let candidates: Vec<Element> = self.phase_candidates(phase).map(Element::Step).collect();
        if !candidates.is_empty() {
            reasons.push(Reason::Children { waiting_for: candidates });
        } else if reasons.is_empty() {
            let unfinished = self.steps(phase).filter(|step| !self.status((*step).into()).is_complete());
            reasons.push(Reason::Children { waiting_for: unfinished.take(1).map(Element::Step).collect() });
        }
        reasons
    }

    fn why_step(&self, step: StepId, held_by: Option<Holder>) -> Vec<Reason> {
        let Some(phase) = self.phase_of(step) else { return Vec::new() };
        let mut reasons = Vec::new();
        match self.status(Element::Step(step)) {
            Status::Error => reasons.push(Reason::Errored { element: Element::Step(step) }),
            // Nothing that holds its parents holds a step whose launch was accepted.
            Status::Starting | Status::Started | Status::InProgress => return vec![Reason::Running],
            Status::Prepared => reasons.push(Reason::Running),
            Status::Delayed => reasons.push(Reason::Delayed),
            Status::Waiting | Status::Pending | Status::Complete => {}
        }
        reasons.extend(self.why_held_step(phase, step));
        reasons.extend(self.why_error(Element::Phase(phase)));
        reasons.extend(self.why_turn_of_phase(phase));
        if let Some(held_by) = held_by {
            reasons.push(Reason::DirtyAsset { held_by });
        }
        if reasons.is_empty() {
            reasons.push(Reason::Candidate);
        }
        reasons
    }

    /// Returns the reasons that hold a step within its phase: canary, its own flag, the phase's flag, its siblings.
    fn why_held_step(&self, phase: PhaseId, step: StepId) -> Vec<Reason> {
        let Some(row) = self.phase(phase) else { return Vec::new() };
        let position = row.position_of(step);
        let place = u32::try_from(position).unwrap_or(u32::MAX);
        let interrupted = self.is_interrupted(Element::Step(step));
        let mut reasons = Vec::new();
        if row.canary_open() && (interrupted || !row.canary.holds(place)) {
            let proceeds_left = row.proceeds_left(place);
            reasons.push(Reason::CanaryGate { proceeds_left });
        } else if interrupted {
            reasons.push(Reason::Interrupted { held: Element::Step(step) });
        }
        if row.interrupted {
            reasons.push(Reason::Interrupted { held: Element::Phase(phase) });
        }
        if !row.canary_open() {
            let waiting_for: Vec<Element> =
                row.group.waits_for(position).into_iter().filter_map(|p| self.step_at(phase, p)).collect();
            if !waiting_for.is_empty() {
                reasons.push(Reason::NotItsTurn { waiting_for });
            }
        }
        reasons
    }

    fn step_at(&self, phase: PhaseId, position: usize) -> Option<Element> {
        self.phase(phase).map(|row| Element::Step(row.step_at(u32::try_from(position).unwrap_or(u32::MAX))))
    }

    /// The canary or hold of a phase itself.
    fn why_held_phase(&self, phase: PhaseId) -> Vec<Reason> {
        let Some(row) = self.phase(phase) else { return Vec::new() };
        let mut reasons = Vec::new();
        if row.canary_open() {
            reasons.push(Reason::CanaryGate { proceeds_left: self.proceeds_left(phase) });
        }
        if row.interrupted {
            reasons.push(Reason::Interrupted { held: Element::Phase(phase) });
        }
        reasons
    }

    /// Returns the reasons that keep a phase from its turn: earlier phases, or the plan's hold.
    fn why_turn_of_phase(&self, phase: PhaseId) -> Vec<Reason> {
        let mut reasons = Vec::new();
        if let Some(place) = self.position(Element::Phase(phase)) {
            let siblings = self.group.waits_for(place);
            let waiting_for: Vec<Element> =
                siblings.into_iter().filter_map(|p| self.order.get(p)).map(|p| Element::Phase(*p)).collect();
            if !waiting_for.is_empty() {
                reasons.push(Reason::NotItsTurn { waiting_for });
            }
        }
        if self.interrupted {
            reasons.push(Reason::Interrupted { held: Element::Plan });
        }
        reasons
    }

    /// Why the plan or a phase shows ERROR, if it does.
    fn why_error(&self, element: Element) -> Vec<Reason> {
        if self.status(element) != Status::Error {
            return Vec::new();
        }
        let has_error_child =
            |element| self.tally(element).is_some_and(|tally| tally.count(Status::Error) > 0);
        // A phase may show ERROR without any error below it, so only steps and texts count.
        let has_error = |phase: PhaseId| {
            has_error_child(Element::Phase(phase)) || self.phase(phase).is_some_and(|row| row.errors > 0)
        };
        let is_errored = match element {
            Element::Plan => self.errors().next().is_some() || self.phases().any(has_error),
            Element::Phase(phase) => has_error(phase),
            Element::Step(_) => false,
        };
        vec![if is_errored { Reason::Errored { element } } else { Reason::Unnamed { element } }]
    }
}
