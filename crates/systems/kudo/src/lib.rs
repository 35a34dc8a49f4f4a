//! KUDO: operator packages, their instances and the plans that run on them, over the simulated Kubernetes cluster.
//!
//! *Knows*: packages and their verifiers, instances and their admission, the engine, the controller, the words of `kubectl kudo`.
//! *Must not know*: other systems, and how the cluster runs Kubernetes objects, which is the task of `planarium-kube`.
//!
//! The objects of the API are the state: `Operator`, `OperatorVersion` and `Instance` are custom resources of the cluster, read and
//! written like all others. In addition, this crate stores the next reconcile of each instance, and the rendered templates of a
//! run.
//!
//! | KUDO | Planarium |
//! |---|---|
//! | operator package | definition of a service |
//! | instance | service |
//! | plan, phase, step | plan, phase, step |
//! | task | the work that a step does (what a pod runs is a *process* here) |
//! | strategy | strategy: only `serial` makes anything wait |
//! | `NEVER_RUN` to `FATAL_ERROR` | statuses; they are stored as the real controller stores them, and not rolled up |

pub mod admission;
pub mod codes;
pub mod console;
pub mod controller;
mod daemon;
pub mod definition;
pub mod engine;
pub mod form;
pub mod instance;
pub mod package;
pub mod pods;
mod smaller;
pub mod status;
mod statuses;
pub mod verify;
pub mod version;
pub mod view;
mod why;

/// The word for KUDO in inputs, scenarios and views.
pub const WORD: &str = "kudo";

pub use codes::CODES;
pub use daemon::Daemon;
pub use planarium_ground::Cx;
pub use statuses::STATUSES;
