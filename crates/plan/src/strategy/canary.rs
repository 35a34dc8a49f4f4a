//! Canary: some steps one by one as the operator proceeds, then the rest by the inner strategy.
//!
//! *Knows*: which steps of the phase it holds. *Must not know*: whether they are interrupted or complete; the tree
//! passes both.
//!
//! **Source**: `…/plan/strategy/CanaryStrategy.java`. Match: the held steps are the first pending ones in list order
//! at construction; only the interrupt flag counts; never re-armed.

/// The steps a canary holds, by position, in list order. *Invariant*: fixed at construction.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Canary {
    held: Vec<u32>,
}

/// Facts about one step that a canary needs.
#[derive(Debug, Clone, Copy)]
pub(crate) struct CanaryStep {
    pub(crate) interrupted: bool,
    pub(crate) complete: bool,
}

impl Canary {
    /// Picks up to `proceeds` steps, given which are pending.
    pub(crate) fn arm(proceeds: u32, pending: impl Iterator<Item = bool>) -> Self {
        let held = pending.zip(0..).filter(|(pending, _)| *pending).map(|(_, position)| position);
        Self { held: held.take(proceeds as usize).collect() }
    }

    /// Positions of the canary steps.
    pub(crate) fn steps(&self) -> impl Iterator<Item = u32> {
        self.held.iter().copied()
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.held.is_empty()
    }

    pub(crate) fn holds(&self, position: u32) -> bool {
        self.held.contains(&position)
    }

    /// Returns whether the canary period lasts: some canary step is still interrupted.
    pub(crate) fn is_open(&self, step: impl Fn(u32) -> CanaryStep) -> bool {
        self.steps().any(|position| step(position).interrupted)
    }

    /// Returns whether the canary itself makes its phase count as interrupted: the period lasts and no
    /// released canary step is unfinished.
    pub(crate) fn interrupts(&self, step: impl Fn(u32) -> CanaryStep) -> bool {
        let steps = || self.steps().map(&step);
        steps().any(|step| step.interrupted) && steps().all(|step| step.interrupted || step.complete)
    }

    /// The canary step that the next proceed releases.
    pub(crate) fn next(&self, step: impl Fn(u32) -> CanaryStep) -> Option<u32> {
        self.steps().find(|position| step(*position).interrupted)
    }

    /// Returns the number of proceeds until `position` runs, or, for a step outside the canary, until the canary
    /// period ends.
    pub(crate) fn proceeds_left(&self, position: u32, step: impl Fn(u32) -> CanaryStep) -> u32 {
        let mut left = 0;
        for held in self.steps() {
            left += u32::from(step(held).interrupted);
            if held == position {
                break;
            }
        }
        left
    }
}
