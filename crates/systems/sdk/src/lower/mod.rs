//! From written plans to the trees that run.
//!
//! *Knows*: which steps a phase gets, their names, order and dependencies; which plans a start shows.
//! *Must not know*: step states, offers, tasks in motion.
//!
//! **Source**: `dcos-commons: …/specification/PlanGenerator.java`, `…/scheduler/plan/DeploymentStepFactory.java`,
//! `…/scheduler/SchedulerBuilder.java` (choice between `deploy` and `update`). Match.

mod build;
#[cfg(test)]
mod tests;

pub use build::{Conflict, at_start, conflicts, plans, step_count};

use crate::spec::At;
use planarium_protocol::Text;
use std::ops::Range;
use std::sync::Arc;

/// Name of the plan that brings the service to its target.
pub const DEPLOY: &str = "deploy";
/// Name of the plan that takes the place of `deploy` once a deployment has been completed.
pub const UPDATE: &str = "update";

/// Rule by which children are picked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LoweredStrategy {
    /// One after the other.
    Serial,
    /// All at once.
    Parallel,
    /// Each after the steps named in [`LoweredStep::after`].
    Dependency,
    /// One at a time by lot; never written in a definition.
    Random,
}

impl LoweredStrategy {
    /// The reported name without a canary.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Serial => "serial",
            Self::Parallel => "parallel",
            Self::Dependency => "dependency",
            Self::Random => "random",
        }
    }
}

/// A plan ready to run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LoweredPlan {
    /// Name.
    pub name: Text,
    /// Strategy over the phases (never [`LoweredStrategy::Dependency`]).
    pub strategy: LoweredStrategy,
    /// Phases in order.
    pub phases: Vec<LoweredPhase>,
    /// Its position; the service's beginning for a generated plan.
    pub at: At,
    /// Not written in the definition.
    pub generated: bool,
}

/// A phase ready to run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LoweredPhase {
    /// Name.
    pub name: Text,
    /// Strategy over the steps, beneath a canary if there is one.
    pub strategy: LoweredStrategy,
    /// The first two incomplete steps wait for an operator.
    pub canary: bool,
    /// Steps in order.
    pub steps: Vec<LoweredStep>,
    /// Its position.
    pub at: At,
}

impl LoweredPhase {
    /// The strategy's reported name.
    pub fn strategy_name(&self) -> &'static str {
        match (self.strategy, self.canary) {
            (strategy, false) => strategy.as_str(),
            (LoweredStrategy::Serial, true) => "serial-canary",
            (LoweredStrategy::Parallel, true) => "parallel-canary",
            (LoweredStrategy::Dependency, true) => "dependency-canary",
            (LoweredStrategy::Random, true) => "random-canary",
        }
    }
}

/// A step ready to run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LoweredStep {
    /// Name: `<pod type>-<index>:[<task>, <task>]`, or the bare pod instance when it could not be built.
    pub name: Text,
    /// Pod type.
    pub pod: Text,
    /// Index of the pod instance.
    pub index: u32,
    /// Names (within the pod) of the tasks to launch.
    pub tasks: Arc<[Text]>,
    /// Steps of this phase, by position, that must be complete first ([`LoweredStrategy::Dependency`] only).
    pub after: Range<u32>,
    /// Its position.
    pub at: At,
    /// Why it could not be built: the step is in ERROR permanently.
    pub error: Option<Text>,
}
