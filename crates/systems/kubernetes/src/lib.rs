//! Plain Kubernetes workloads: what `kubectl apply` takes, over the simulated cluster.
//!
//! *Knows*: how objects are read from files and applied, how a rollout is shown as a plan, and the words of `kubectl`.
//! *Must not know*: other systems, and how objects come to life: that is `planarium-kube`'s.
//!
//! The objects of the API are the state. A service is what one `kubectl apply` was given; what is kept beside the objects is which of
//! them belong to which service, and what was told of them last.
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
pub mod definition;
mod plans;
mod process;
mod rollout;
mod statuses;
mod why;

/// The word for Kubernetes in inputs, scenarios and views.
pub const WORD: &str = "kubernetes";

/// The annotation in which `kubectl apply` keeps what it applied.
pub const LAST_APPLIED: &str = "kubectl.kubernetes.io/last-applied-configuration";

pub use codes::CODES;
pub use process::Process;
pub use statuses::STATUSES;
