//! What every simulated system is given, and what it has to be.
//!
//! *Knows*: the cluster that all systems share ([`Cluster`]), the contract between a system and the world
//! ([`System`], [`Definition`], [`Dialect`]), HTTP without a transport ([`http`]).
//! *Must not know*: any system.
//!
//! A *system* is one of the real ones: its own crate with a type that implements [`System`]. A value of that type is one
//! *process* of it: the SDK's scheduler of one service or of several on one framework, Marathon with all its apps, the KUDO
//! manager with all its instances. The world keeps processes, gives each the news that concerns it, and never looks inside.

mod cluster;
pub mod console;
mod definition;
pub mod http;
mod system;

pub use cluster::{Cluster, Flags, KUBELETS, News};
pub use definition::{Definition, Files};
pub use http::{Request, Response, Wire};
pub use planarium_ground::{Cx, Owner};
pub use planarium_mesos::api::FrameworkId;
pub use system::{Dialect, Loading, Number, StreamNews, System, outcome, reply_as_recorded};
