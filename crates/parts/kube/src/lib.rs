//! The simulated Kubernetes cluster: API objects, the controllers behind them, scheduler and nodes.
//!
//! *Knows*: objects and how they are written, what built-in controllers make of them, where pods run.
//! *Must not know*: who uses the cluster. Custom resources are plain data here; their controllers live in crates above,
//! look at [`Kube::changes_since`] and write through the same verbs as everybody.
//!
//! [`Kube`] is the only thing that others talk to. A usual life:
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
//! Object facts ([`Object::deployment`], [`Object::pod`], ...) are what a health check needs; [`Kube::why`] says why
//! something is not ready; [`wire`] answers real clients.

mod api;
mod check;
mod clock;
mod control;
mod drain;
mod workload;

pub mod error;
pub mod facts;
pub mod kinds;
mod kube;
mod kubelet;
mod log;
mod merge;
mod node;
mod notice;
mod object;
mod pairs;
mod part;
mod quantity;
mod queue;
mod request;
mod say;
mod scheduler;
mod schema;
pub mod selector;
mod spec;
mod status;
mod store;
mod tree;
mod validate;
mod view;
mod watcher;
mod why;
pub mod wire;

pub use error::{ApiError, FieldCause, Reason};
pub use facts::{
    Condition, CrdFacts, DaemonSetFacts, DeploymentFacts, JobFacts, PodFacts, ReplicaSetFacts, ServiceFacts,
    StatefulSetFacts,
};
pub use kinds::{Column, KindId, KindInfo};
pub use kube::Kube;
pub use kubelet::KUBELETS;
pub use object::{Deletion, Object, ObjectNo, ObjectRef, OwnerReference, Pairs};
pub use part::{Alone, Cluster, Kubernetes, Watcher};
pub use planarium_ground::Cx;
pub use request::{
    Applied, Change, ChangeKind, DeleteOptions, Outcome, Part, Patch, Propagation, Review, Scope, Verdict,
    Webhook, Written,
};
pub use schema::Mismatch;
pub use selector::Selector;
pub use status::KeptStatus;
pub use view::{About, Amounts, ContainerFacts, DrainFacts, DrainOptions, NodeFacts, Occurrence, TaskFacts};
pub use why::{Why, WhyKind};
