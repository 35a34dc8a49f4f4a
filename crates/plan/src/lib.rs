//! Plan, phase and step trees: strategies, candidates, roll-up, holds, the coordinator.
//!
//! *Knows*: the three-level tree of work, which steps its strategies permit to run, how a parent's status follows
//! from its children, and how plans share assets. *Must not know*: clusters, tasks, offers, definitions, wire
//! formats, time. Other crates decide when a step moves to its next state; this crate is told and returns the
//! consequences.
//!
//! All derived values (statuses, candidates, working steps) are updated incrementally along the changed path, so a
//! change costs the same in a tree of ten steps and of a hundred thousand, and [`PlanTree::check`] compares them with
//! a recomputation.
//!
//! ```
//! use planarium_plan::{Element, PhaseSpec, PlanSpec, PlanTree, Status, StepSpec, StepState, StrategySpec};
//!
//! let steps = ["hello-0:[server]", "hello-1:[server]"].map(StepSpec::new);
//! let phase = PhaseSpec::new("hello", StrategySpec::Serial, steps);
//! let mut plan = PlanTree::new(&PlanSpec::new("deploy", StrategySpec::Serial, [phase]));
//!
//! let first = plan.candidates().next().expect("a fresh plan has a candidate");
//! plan.set_step_state(first, StepState::Complete);
//! assert_eq!(plan.status(Element::Plan), Status::InProgress);
//! assert_eq!(plan.drain_changes().len(), 3);
//! ```

pub mod admit;
pub mod asset;
mod bits;
pub mod check;
pub mod coordinator;
mod group;
pub mod ids;
pub mod rollup;
pub mod spec;
pub mod status;
mod strategy;
pub mod tree;
pub mod why;

pub use admit::{Op, Refusal};
pub use asset::Asset;
pub use check::Discrepancy;
pub use coordinator::{Holder, Outcome, Round, Withheld, coordinate};
pub use ids::{Element, PhaseId, PlanId, StepId};
pub use rollup::{Clause, Rollup, RollupInputs};
pub use spec::{Edge, PhaseSpec, PlanSpec, StepSpec, StrategySpec};
pub use status::{Status, StatusSet, StepState, Tally};
pub use tree::{Change, PlanTree};
pub use why::Reason;
