//! Ids of elements.
//!
//! *Knows*: numbers. *Must not know*: names or anything else about elements.
//!
//! *Invariant*: phase and step ids are given in order of creation within one tree, never reused, and stay valid while
//! their element is in the tree, whatever is added or removed around it.

planarium_kernel::id_types! {
    /// A plan of a coordinator; chosen by the owner of the plans.
    pub PlanId;
    /// One phase of a plan tree.
    pub PhaseId;
    /// One step of a plan tree.
    pub StepId;
}

/// Any node of one plan tree.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Element {
    /// The plan itself.
    Plan,
    /// One of its phases.
    Phase(PhaseId),
    /// One of its steps.
    Step(StepId),
}

impl From<PhaseId> for Element {
    fn from(phase: PhaseId) -> Self {
        Self::Phase(phase)
    }
}

impl From<StepId> for Element {
    fn from(step: StepId) -> Self {
        Self::Step(step)
    }
}
