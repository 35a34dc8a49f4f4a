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

#![expect(
    clippy::bool_to_int_with_if,
    clippy::collapsible_if,
    clippy::explicit_iter_loop,
    clippy::format_push_string,
    clippy::match_same_arms,
    clippy::nonminimal_bool,
    clippy::op_ref,
    clippy::option_option,
    clippy::redundant_closure_for_method_calls,
    clippy::semicolon_if_nothing_returned,
    clippy::trivially_copy_pass_by_ref,
    clippy::unnecessary_wraps,
    clippy::unused_self,
    dead_code,
    unreachable_pub,
    unused_imports,
    reason = "the process that calls all this, and its place in the world, are still to come"
)]

mod api;
mod codes;
mod dates;
mod decode;
mod definition;
mod deploy;
mod group;
mod id;
mod run;
mod schema;
mod settings;
mod shown;
mod view;

pub use codes::CODES;
pub use decode::{Loaded, load};
pub use id::PathId;

#[cfg(test)]
mod tests;
