//! Plans as written: strategies, phases and custom steps.

use super::At;
use planarium_protocol::Text;
use std::sync::Arc;

/// Strategies over the phases of a plan.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum PlanStrategy {
    /// One phase after the other.
    #[default]
    Serial,
    /// All phases at once.
    Parallel,
}

impl PlanStrategy {
    /// The reported name.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Serial => "serial",
            Self::Parallel => "parallel",
        }
    }
}

/// Strategies over the steps of a phase, as written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum PhaseStrategy {
    /// One step after the other.
    #[default]
    Serial,
    /// All steps at once (with custom steps: in order per pod instance).
    Parallel,
    /// `canary` or `serial-canary`.
    SerialCanary,
    /// `parallel-canary`.
    ParallelCanary,
}

impl PhaseStrategy {
    /// Returns whether the first steps wait for an operator.
    pub fn is_canary(self) -> bool {
        matches!(self, Self::SerialCanary | Self::ParallelCanary)
    }

    /// Returns whether steps may run side by side.
    pub fn is_parallel(self) -> bool {
        matches!(self, Self::Parallel | Self::ParallelCanary)
    }
}

/// One plan.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlanSpec {
    /// Name.
    pub name: Text,
    /// Strategy over the phases.
    pub strategy: PlanStrategy,
    /// Phases in the order written.
    pub phases: Vec<Arc<PhaseSpec>>,
    /// Its position.
    pub at: At,
}

/// One phase.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PhaseSpec {
    /// Name.
    pub name: Text,
    /// Strategy over the steps.
    pub strategy: PhaseStrategy,
    /// Pod type it works on.
    pub pod: Text,
    /// Custom steps; empty means one step per pod instance with all its tasks.
    pub steps: Vec<StepEntry>,
    /// Its position.
    pub at: At,
    /// Position of the pod type.
    pub pod_at: At,
}

/// Instances whose steps an entry describes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StepKey {
    /// Every pod instance without its own entry.
    Default,
    /// The pod instance with this index.
    Index(u32),
}

/// One item of `steps`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StepEntry {
    /// Which pod instances.
    pub key: StepKey,
    /// One step per list, in order; empty gives the instance no step.
    pub steps: Vec<StepTasks>,
    /// Its position.
    pub at: At,
}

/// The tasks of one custom step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StepTasks {
    /// Task names in the order written.
    pub tasks: Arc<[Text]>,
    /// Position of the list.
    pub at: At,
}
