//! Plain Kubernetes workloads: what `kubectl apply` takes, over the simulated cluster.
//!
//! *Knows*: how objects are read from files and applied, how a rollout is shown as a plan, and the words of `kubectl`.
//! *Must not know*: other systems, and how the cluster runs objects, which is the task of `planarium-kube`.
//!
//! The objects of the API are the state. A service is the content of one `kubectl apply`. In addition to the objects, this crate
//! stores which of them belong to which service, and their last report.
//!
//! | Kubernetes | Planarium |
//! |---|---|
//! | the files of one `kubectl apply` | definition of a service |
//! | workload: Deployment, StatefulSet, DaemonSet, Job, CronJob, ReplicaSet, Pod | plan |
//! | ReplicaSet of a Deployment (a revision), Job of a CronJob (a run) | phase |
//! | pod | step |
//! | container | task |
//! | condition, reason, phase | status: the word is the API's own |
//! | rollout pause, resume, restart, undo | interrupt, continue, restart, stop |

pub mod codes;
pub mod console;
mod daemon;
pub mod definition;
mod plans;
mod rollout;
mod statuses;
mod why;

/// The word for Kubernetes in inputs, scenarios and views.
pub const WORD: &str = "kubernetes";

/// The annotation in which `kubectl apply` stores the applied object.
pub const LAST_APPLIED: &str = "kubectl.kubernetes.io/last-applied-configuration";

pub use codes::CODES;
pub use daemon::Daemon;
pub use statuses::STATUSES;
