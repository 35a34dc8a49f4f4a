//! The plain types that a scheduler framework and the master exchange.
//!
//! *Knows*: the shapes of Mesos. *Must not know*: the master's state.
//! Source: `apache/mesos: include/mesos/v1/mesos.proto`, `include/mesos/v1/scheduler/scheduler.proto`.

pub mod call;
pub mod framework;
pub mod offer;
pub mod ranges;
pub mod resource;
pub mod resources;
pub mod task;
pub mod text;

pub use call::{Call, ExecutorInfo, Message, Operation, ReconcileTask, SchedulerEvent, TaskInfo};
pub use framework::{Capability, FrameworkId, FrameworkInfo};
pub use offer::{AgentId, InverseOffer, Offer, OfferId, Unavailability};
pub use ranges::Ranges;
pub use resource::{
    DiskInfo, DiskSource, Persistence, Reservation, ReservationKind, Resource, ResourceKind, Value,
};
pub use resources::Resources;
pub use task::{CheckStatus, Reason, Source, TaskState, TaskStatus};
pub use text::ParseResourcesError;
