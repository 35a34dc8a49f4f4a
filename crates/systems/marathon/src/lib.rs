//! Marathon: long-running apps on Mesos, changed by deployments.
//!
//! *Knows*: one real system: its definitions, groups, deployment plans and their execution, its API, console words and explanations.
//! *Must not know*: any other system, sockets, files, the page.
//!
//! | Word here | Word of the real system |
//! |---|---|
//! | Spec | `RunSpec`: an app or a pod (that system's own word, kept in this crate) |
//! | Instance | `Instance`: one slot of a spec, which lives through several tasks |
//! | Plan / phase / step of a view | deployment / step / action |
//! | Step (in this crate) | `DeploymentStep`: actions that are carried out at once |
//! | Stamp | `Timestamp` of a version |

mod api;
mod apps;
mod causes;
mod codes;
mod console;
mod daemon;
mod dates;
mod decode;
mod definition;
mod deployments;
mod events;
mod explain;
mod flags;
mod groups;
mod health;
mod id;
mod instances;
mod kills;
mod launch_queue;
mod marathon;
mod offers;
mod port;
mod records;
mod reports;
mod schema;
mod settings;
mod setup;
mod shown;
mod statuses;
mod timers;
mod view;

pub use codes::CODES;
pub use daemon::Daemon;
pub use decode::{Loaded, load};
pub use id::PathId;

#[cfg(test)]
mod tests;
