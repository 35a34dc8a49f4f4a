//! The specification that a tree is built from.
//!
//! *Knows*: names, strategies, initial states, assets. *Must not know*: how the definition that asked
//! for the tree was written.

use std::sync::Arc;

use crate::{asset::Asset, rollup::Rollup, status::StepState};

/// A plan to build.
#[derive(Debug, Clone)]
pub struct PlanSpec {
    /// Its name.
    pub name: Arc<str>,
    /// Strategy over its phases. A canary here is read as the strategy inside it.
    pub strategy: StrategySpec,
    /// Its phases in order, shared with every tree built from them.
    pub phases: Vec<Arc<PhaseSpec>>,
    /// Errors of the plan itself.
    pub errors: Vec<Arc<str>>,
    /// Roll-up rule of its status and those of its phases.
    pub rollup: Rollup,
}

impl PlanSpec {
    /// A plan without errors under the standard roll-up.
    pub fn new(
        name: impl Into<Arc<str>>,
        strategy: StrategySpec,
        phases: impl IntoIterator<Item = impl Into<Arc<PhaseSpec>>>,
    ) -> Self {
        Self {
            name: name.into(),
            strategy,
            phases: phases.into_iter().map(Into::into).collect(),
            errors: Vec::new(),
            rollup: Rollup::STANDARD,
        }
    }
}

/// A phase to build.
#[derive(Debug, Clone)]
pub struct PhaseSpec {
    /// Its name; need not be unique.
    pub name: Arc<str>,
    /// Strategy over its steps.
    pub strategy: StrategySpec,
    /// Its steps in order.
    pub steps: Vec<StepSpec>,
}

impl PhaseSpec {
    /// A phase.
    pub fn new(
        name: impl Into<Arc<str>>,
        strategy: StrategySpec,
        steps: impl IntoIterator<Item = StepSpec>,
    ) -> Self {
        Self { name: name.into(), strategy, steps: steps.into_iter().collect() }
    }
}

/// A step to build.
#[derive(Debug, Clone)]
pub struct StepSpec {
    /// Its name; need not be unique.
    pub name: Arc<str>,
    /// The asset it works on; a step without an asset never conflicts.
    pub asset: Option<Asset>,
    /// The initial state; a step with an error starts in [`StepState::Error`] instead.
    pub initial: StepState,
    /// Why it cannot be done.
    pub error: Option<Arc<str>>,
}

impl StepSpec {
    /// A pending step without asset.
    pub fn new(name: impl Into<Arc<str>>) -> Self {
        Self { name: name.into(), asset: None, initial: StepState::Pending, error: None }
    }

    /// The same step working on `asset`.
    pub fn on(mut self, asset: Asset) -> Self {
        self.asset = Some(asset);
        self
    }

    /// The same step born in `state`.
    pub fn born(mut self, state: StepState) -> Self {
        self.initial = state;
        self
    }

    /// The same step born with an error.
    pub fn failing(mut self, error: impl Into<Arc<str>>) -> Self {
        self.error = Some(error.into());
        self.born(StepState::Error)
    }
}

/// Default number of proceeds of a canary.
///
/// **Source**: `…/plan/strategy/CanaryStrategy.java`. Match.
pub const DEFAULT_PROCEEDS: u32 = 2;

/// Rule by which a parent picks which children may run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum StrategySpec {
    /// One after the other.
    Serial,
    /// All at once.
    Parallel,
    /// Each child after the children it depends on; positions outside the parent are ignored, and
    /// members of a cycle never run.
    Dependency(Arc<[Edge]>),
    /// One eligible child at a time, by lot.
    Random {
        /// Key of the draws; another key draws another order.
        key: u64,
    },
    /// Some children one by one as the operator proceeds, then the rest by the inner strategy.
    Canary {
        /// The strategy after the canary period.
        inner: Box<StrategySpec>,
        /// Number of children held, which is the number of proceeds needed.
        proceeds: u32,
    },
}

/// One dependency between two children of the same parent, by position from 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Edge {
    /// The child that waits.
    pub child: u32,
    /// The child that must be complete first.
    pub parent: u32,
}

impl StrategySpec {
    /// A dependency strategy.
    pub fn dependency(edges: impl IntoIterator<Item = Edge>) -> Self {
        Self::Dependency(edges.into_iter().collect())
    }

    /// A canary with the default number of proceeds.
    pub fn canary(inner: Self) -> Self {
        Self::Canary { inner: Box::new(inner), proceeds: DEFAULT_PROCEEDS }
    }

    /// The strategy under any canaries.
    pub fn base(&self) -> &Self {
        let mut strategy = self;
        while let Self::Canary { inner, .. } = strategy {
            strategy = inner;
        }
        strategy
    }

    /// Returns the number of proceeds for the canary; `None` without a canary.
    pub const fn proceeds(&self) -> Option<u32> {
        match self {
            Self::Canary { proceeds, .. } => Some(*proceeds),
            _ => None,
        }
    }

    /// The name reported to people and programs: `serial`, `parallel`, `dependency`, `random`, and with
    /// `-canary` appended.
    pub fn name(&self) -> &'static str {
        let (base, canary) = match self.base() {
            Self::Serial => ("serial", "serial-canary"),
            Self::Parallel => ("parallel", "parallel-canary"),
            Self::Random { .. } => ("random", "random-canary"),
            Self::Dependency(_) | Self::Canary { .. } => ("dependency", "dependency-canary"),
        };
        if matches!(self, Self::Canary { .. }) { canary } else { base }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reported_names() {
        let dependency = || StrategySpec::dependency([Edge { child: 1, parent: 0 }]);
        for (strategy, name) in [
            (StrategySpec::Serial, "serial"),
            (StrategySpec::Parallel, "parallel"),
            (dependency(), "dependency"),
            (StrategySpec::Random { key: 1 }, "random"),
            (StrategySpec::canary(StrategySpec::Serial), "serial-canary"),
            (StrategySpec::canary(StrategySpec::Parallel), "parallel-canary"),
            (StrategySpec::canary(dependency()), "dependency-canary"),
            (StrategySpec::canary(StrategySpec::Random { key: 1 }), "random-canary"),
        ] {
            assert_eq!(strategy.name(), name);
        }
    }
}
