//! The DC/OS SDK service scheduler.
//!
//! *Knows*: one real system: its definition language, packages, plans, recovery, commands and wire shapes.
//! *Must not know*: any other system, HTTP, files, the page.
//!
//! | Word here | Word of the real system |
//! |---|---|
//! | Definition | `RawServiceSpec`, rendered `svc.yml` |
//! | Spec | `ServiceSpec` (that system's own word, kept in this crate) |
//! | Pod type / pod instance | `PodSpec` / `PodInstance` |
//! | Interrupt / proceed | interrupt / continue |

mod build_marks;
pub mod codes;
mod config_file;
pub mod console;
pub mod daemon;
mod decode;
pub mod explain;
mod java_template;
mod load;
pub mod lower;
pub mod multi;
mod package;
pub mod placement;
mod programs;
pub mod scheduler;
pub mod spec;
mod statuses;
pub mod target_changes;
mod unused_variables;
pub mod validate;
mod view;
pub mod wire;
pub mod without_effect;

/// The word for this system in inputs, scenarios and views.
pub const DIALECT: &str = "sdk";

pub use daemon::Daemon;
pub use explain::{ClusterFacts, MaintenanceFacts, NoFacts, ReadinessFacts};
pub use load::{Loaded, MissingVariable, load};
pub use programs::{Program, ServedFile};
pub use scheduler::{Cx, FILE_BYTES, POLL_MS, Request, Scheduler, UNINSTALL_FLAG};
pub use scheduler::{FRAMEWORK_REMOVED, OF_SEVERAL};
pub use statuses::STATUSES;
pub use wire::{DebugFilter, Metrics, SdkQuery};

#[cfg(test)]
mod tests;
