//! The simulated Kubernetes cluster: API objects, the controllers behind them, scheduler and nodes.
//!
//! *Knows*: objects and their form, the built-in controllers, where pods run. *Must not know*: who uses the cluster.
//! Custom resources are plain data here; their controllers live in crates above, read [`Kube::changes_since`] and write
//! through the same verbs as all clients.
//!
//! [`Kube`] is the only entry point. Typical use:
//!
//! ```text
//! let mut kube = Kube::new(seed, epoch_ms);
//! kube.add_node(cx, fleet, machine);                          // every machine can be a node
//! kube.create(cx, crd)?;                                      // custom kinds, as anybody would
//! kube.add_webhook(Webhook { name, group, plural, review });  // admission: a pure function
//! let applied = kube.apply(cx, &object, ANNOTATION)?;         // the object before controllers act on it
//! while kube.next_due() == Some(now) { kube.fire(cx, fleet) } // the world does this
//! for change in kube.changes_since(seen)? { ... }             // a controller's trigger
//! ```
//!
//! Typed summaries ([`Object::deployment`], [`Object::pod`], ...) contain what a health check needs; [`Kube::why`]
//! explains why something is not ready; [`wire`] answers real clients.
//!
//! Modules, the lower ones first; calls and imports go down:
//!
//! | Room | What is in it |
//! |---|---|
//! | `object`, `kinds`, `schema`, `spec`, `status`, `labels`, `selector`, `amounts`, `calendar` | objects, typed and as plain data |
//! | `records` | store, workloads, selections, nodes, runs, scheduling, queue, reports: plain data with its own small invariants |
//! | `api` | verbs: they write objects and the log of their changes, and call nobody |
//! | `cluster` | all records, and the one way to write: a verb, then the consequences of the changes in the log, in its order |
//! | `controllers` | a folder or file for each kind: deployment, stateful set, job, storage, garbage collection, ... |
//! | `scheduler` | filter, score and bind; the decision is pure |
//! | `kubelet` | pods become processes: images, probes, restarts, the last word |
//! | `nodes` | machines join, are silent, come back, are drained; what others hold of them |
//! | `kube` | [`Kube`]: owns the records, fires what is due, passes on |
//! | `reviewer` | what the API server says of objects that are only written down |
//! | `description`, `missing`, `why`, `wire`, and [`Kube`]'s own look at nodes and containers | read only, but for the verbs that [`wire`] passes on |

mod amounts;
mod api;
mod calendar;
mod cluster;
mod controllers;
mod description;
mod labels;

pub mod error;
pub mod kinds;
mod kube;
mod kubelet;
mod missing;
mod nodes;
mod object;
mod part;
mod quantity;
mod records;
mod request;
mod reviewer;
mod scheduler;
mod schema;
pub mod selector;
mod spec;
mod status;
pub mod summaries;
#[cfg(test)]
mod tables;
mod tree;
mod view;
mod why;
pub mod wire;

pub use amounts::Amounts;
pub use api::Api;
pub use error::{ApiError, FieldCause, Reason};
pub use kinds::{Column, KindId, KindInfo};
pub use kube::{Kube, Tried};
pub use kubelet::KUBELETS;
pub use missing::Missing;
pub use object::{Deletion, Object, ObjectNo, ObjectRef, OwnerReference, Pairs};
pub use part::{Alone, Cluster, Kubernetes, ObjectsChanged, Watcher};
pub use planarium_ground::Cx;
pub use request::{
    Applied, Change, ChangeKind, DeleteOptions, Outcome, Part, Patch, Propagation, Review, Scope, Verdict,
    Webhook, Written,
};
pub use reviewer::{Reviewer, references, time_text};
pub use schema::{Mismatch, Unknown};
pub use selector::Selector;
pub use status::KeptStatus;
pub use summaries::{
    Condition, CrdFacts, DaemonSetFacts, DeploymentFacts, JobFacts, PodFacts, ReplicaSetFacts, ServiceFacts,
    StatefulSetFacts,
};
pub use view::{About, ContainerFacts, DrainFacts, DrainOptions, NodeFacts, Occurrence, TaskFacts};
pub use why::{Held, NodeMiss, Why, WhyKind};
