//! JSON shapes: what the master shows, tells and reads, in the forms of the v0 and the v1 API.
//!
//! *Knows*: keys, numbers and enum words of both forms. *Must not know*: HTTP; how anything is decided.
//!
//! | part | module |
//! |---|---|
//! | reading fields of a message from JSON | `read` |
//! | resources, read and written | `resource` |
//! | framework descriptions, read and written | `framework` |
//! | `/state`, `/slaves`, `/frameworks` | `state`, `agent` |
//! | `/tasks`, tasks and their statuses wherever they occur | `task`, `status` |
//! | `/state-summary`, `/roles` | `summary` |
//! | `/metrics/snapshot` | `metrics` |
//! | reads and events of the v1 operator API | `operator`, `operator_event` |
//! | scheduler events | `event` |
//! | scheduler calls | `call`, `launch` |
//!
//! Source: `apache/mesos: src/common/http.cpp`, `src/master/http.cpp`, `src/master/readonly_handler.cpp`,
//! `src/internal/evolve.cpp`, `include/mesos/v1/**/*.proto`. Match in shape for what exists here.

pub(crate) mod agent;
pub(crate) mod call;
pub(crate) mod common;
pub(crate) mod event;
pub(crate) mod framework;
pub(crate) mod launch;
pub(crate) mod metrics;
pub(crate) mod operation;
pub(crate) mod operator;
pub(crate) mod operator_event;
pub(crate) mod query;
pub(crate) mod read;
pub(crate) mod reads;
pub(crate) mod resource;
pub(crate) mod sandbox;
pub(crate) mod state;
pub(crate) mod status;
pub(crate) mod summary;
pub(crate) mod task;

pub use call::{From, SchedulerCall, scheduler_call};
pub(crate) use common::decimal;
pub use common::{Calendar, HEARTBEAT_S};
pub use event::{error_event, heartbeat};
pub use framework::{Subscription, framework_info};
pub use query::{Answer, MesosQuery, TasksQuery, is_operator_read, operator_question};
