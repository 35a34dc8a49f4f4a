//! Strategies: which children of one parent may run.
//!
//! *Knows*: which children are complete. *Must not know*: any other status, holds or assets; [`crate::group`] decides
//! whether a permitted child is eligible.
//!
//! A gate says for each child whether its siblings permit it (*open*) and is notified whenever a child becomes
//! complete or incomplete. One module per strategy.

pub(crate) mod canary;
pub(crate) mod dependency;
pub(crate) mod random;
pub(crate) mod serial;

use crate::spec::StrategySpec;
use dependency::Dependency;
use random::Random;
use serial::Serial;

/// State of the strategy of one parent, canaries apart.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Gate {
    /// Every child is open.
    Parallel,
    /// Open are the first child not complete, and children that were complete from the start.
    Serial(Serial),
    /// Open are children all of whose prerequisites are complete.
    Dependency(Dependency),
    /// Open is the one child that was drawn.
    Random(Random),
}

impl Gate {
    /// A gate over children, given which are complete. A serial gate is still to be frozen.
    pub(crate) fn new(strategy: &StrategySpec, complete: &[bool]) -> Self {
        match strategy.base() {
            StrategySpec::Parallel => Self::Parallel,
            StrategySpec::Dependency(edges) => Self::Dependency(Dependency::new(edges, complete)),
            StrategySpec::Random { key } => Self::Random(Random::new(*key, complete.len())),
            // `base` never answers a canary.
            StrategySpec::Serial | StrategySpec::Canary { .. } => Self::Serial(Serial::new(complete.len())),
        }
    }

    /// Returns whether the siblings permit this child.
    pub(crate) fn is_open(&self, child: usize) -> bool {
        match self {
            Self::Parallel => true,
            Self::Serial(serial) => serial.is_open(child),
            Self::Dependency(dependency) => dependency.is_open(child),
            Self::Random(random) => random.pick() == Some(child),
        }
    }
}
