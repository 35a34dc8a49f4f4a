//! The contracts of the parts of a world, and the access they are given.
//!
//! *Knows*: the contract of everything that owns state and timers ([`Part`]), of a cluster manager under the systems
//! ([`Layer`]) and of a system ([`System`], [`Definition`], [`Dialect`]); the machines as a part accesses them
//! ([`Ground`]); HTTP without a transport ([`http`]) and its tables of paths ([`routes`]); processes under manual control ([`manual`]). *Must not know*: any
//! part.
//!
//! A *system* is one of the real ones: its own crate with a type that implements [`System`]. A value of that type is one
//! *daemon* of it: the SDK's scheduler of one service or of several on one framework, Marathon with all its apps, the KUDO
//! manager with all its instances. The world keeps daemons, passes each the events that concern it, and never looks
//! inside. A *process* is a program that runs on a machine for a task or a container.

pub mod console;
mod definition;
mod ground;
pub mod http;
pub mod manual;
mod part;
pub mod routes;
mod statuses;
mod system;

pub use definition::{Definition, Files};
pub use ground::{Ground, SYSTEMS};
pub use http::{Request, Response, Wire};
pub use part::{Delivery, Done, Flags, Layer, MachineChange, Part};
pub use planarium_ground::{Cx, Owner};
pub use statuses::STATUSES;
pub use system::{Daemons, Dialect, Loading, Number, StreamNews, System, outcome, reply_as_recorded};
