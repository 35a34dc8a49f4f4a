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
mod check;
pub mod codes;
mod commands;
mod console;
mod decode;
mod env;
mod files;
mod flow;
mod generate;
mod instances;
mod load;
mod machines;
mod model;
mod nearest;
mod plan;
mod plugin;
mod process;
mod run;
mod statuses;
mod substitute;
mod template;
mod vars;
mod views;
mod wire;
mod words;

pub use load::{Loaded, load};
pub use process::Process;
pub use statuses::STATUSES;

/// The word by which this dialect is known.
pub const DIALECT: &str = "skopos";

#[cfg(test)]
mod tests;
