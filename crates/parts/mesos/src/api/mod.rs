//! The plain types that a scheduler framework and the master exchange.
//!
//! *Knows*: the shapes of Mesos. *Must not know*: the master's state.
//! Source: `apache/mesos: include/mesos/v1/mesos.proto`, `include/mesos/v1/scheduler/scheduler.proto`.

pub mod call;
pub mod framework;
pub mod offer;
pub mod operation;
pub mod ranges;
pub mod resource;
pub mod resources;
pub mod stack;
pub mod task;
pub mod text;
pub(crate) mod validity;

pub use call::{
    Call, ExecutorInfo, Message, Operation, ReconcileTask, Request, SchedulerEvent, TaskDetails, TaskInfo,
};
pub use framework::{Capability, FrameworkId, FrameworkInfo};
pub use offer::{AgentId, AgentInfo, InverseOffer, Offer, OfferId, Response, Unavailability};
pub use operation::{OperationState, OperationStatus, ReconcileOperation};
pub use ranges::Ranges;
pub use resource::{DiskInfo, DiskSource, Persistence, Resource, ResourceKind, Value};
pub use resources::Resources;
pub use stack::{Reservation, ReservationKind, Stack};
pub use task::{CheckStatus, Reason, Source, TaskState, TaskStatus};
pub use text::ParseResourcesError;
