//! States of each step and each loop.
//!
//! *Knows*: entries, results, iterations. *Must not know*: when steps are entered.

use super::Shown;
use crate::plan::StepId;
use planarium_kernel::{Digestible, SimTime, Table, Weight};
use planarium_protocol::Text;

/// State of a step.
#[derive(Clone, Debug, Digestible)]
#[digest(shown.word(), entries)]
pub(crate) struct StepRun {
    pub(crate) shown: Shown,
    /// Number of times it was entered.
    pub(crate) entries: u32,
    /// Number of entries in the present activation of its chain.
    pub(crate) visits: u32,
    pub(crate) activation: u64,
    /// The latest result.
    pub(crate) result: Option<bool>,
    /// Number of times its exits were taken: pass, fail.
    pub(crate) taken: [u32; 2],
    /// Since when it shows its status.
    pub(crate) since: SimTime,
    /// Number of the event that reported it.
    pub(crate) event: u64,
    /// Why it failed last.
    pub(crate) note: Option<Text>,
    /// Its last call with names replaced, where there were any.
    pub(crate) called: Option<Text>,
}

impl StepRun {
    pub(crate) const fn new() -> Self {
        Self {
            shown: Shown::Pending,
            entries: 0,
            visits: 0,
            activation: 0,
            result: None,
            taken: [0, 0],
            since: SimTime::ZERO,
            event: 0,
            note: None,
            called: None,
        }
    }
}

impl StepRun {
    /// Counts a visit in this activation of its chain; returns the number of visits.
    pub(crate) fn visit(&mut self, activation: u64) -> u32 {
        self.visits = if self.activation == activation { self.visits.saturating_add(1) } else { 1 };
        self.activation = activation;
        self.visits
    }

    /// Counts an entry and clears the messages of the previous one; returns whether there was one.
    pub(crate) fn enter(&mut self) -> bool {
        self.entries = self.entries.saturating_add(1);
        self.note = None;
        self.called = None;
        self.entries > 1
    }

    /// Counts that an exit was taken.
    pub(crate) fn take_exit(&mut self, passed: bool) {
        let [pass, fail] = &mut self.taken;
        let taken = if passed { pass } else { fail };
        *taken = taken.saturating_add(1);
    }
}

/// The latest run of a loop.
#[derive(Clone, Debug, Default, Weight)]
#[weight(iterations)]
pub(crate) struct LoopRun {
    /// Planned number of iterations.
    pub(crate) planned: u64,
    pub(crate) iterations: Table<Iteration, 16>,
}

/// An iteration of a loop.
#[derive(Clone, Debug, Weight)]
#[weight(own self.cells.len() as u64)]
pub(crate) struct Iteration {
    /// The slot.
    pub(crate) index: u64,
    pub(crate) result: Option<bool>,
    /// Shown states of the chain's steps for it.
    pub(crate) cells: Vec<Shown>,
}

/// An ended step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Trace {
    pub(crate) at: SimTime,
    pub(crate) step: StepId,
    pub(crate) index: Option<u64>,
    pub(crate) passed: bool,
}
