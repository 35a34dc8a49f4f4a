//! Skopos deployment plans.
//!
//! *Knows*: one real system: plan files, models and environments, the engine that runs plans, simulated plugins that keep
//! containers on the shared machines, plan generation, commands and wire shapes.
//! *Must not know*: any other system, Mesos, HTTP transport, the page.
//!
//! | Word here | Word of the real system |
//! |---|---|
//! | application | application, project: a model with its environments and its plan |
//! | phase | top-level step: group or component |
//! | step | step of a chain inside a group, component or loop |
//! | chain | chain |
//! | exit | the way out of a step, `on_pass` or `on_fail` |
//! | hold | pause at an exit |
//! | gate | `manual-gate` |
//! | instance | instance: a container, here a process on a shared machine |

mod application;
mod blueprint;
mod calls;
pub mod codes;
mod command_line;
mod commands;
mod console;
mod daemon;
mod definition;
mod flow;
mod instances;
mod machines;
mod plan;
mod plugins;
mod run;
mod statuses;
mod templates;
mod views;
mod wire;

pub use daemon::Daemon;
pub use definition::{Loaded, load};
pub use statuses::STATUSES;

/// The word by which this dialect is known.
pub const DIALECT: &str = "skopos";

#[cfg(test)]
mod tests;
