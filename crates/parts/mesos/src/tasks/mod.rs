//! Tasks: the master's data about each, and its statuses.
//!
//! | part | module |
//! |---|---|
//! | records: tasks, updates on their way, tasks by id | `record`, `ids`, `status_id`; all of them: `store` |
//! | the agent starts the process of a task | `start` |
//! | what a process reports | `process` |
//! | from the agent to the master; what got lost is sent again | `update`, `retry` |
//! | from the master to the framework; a task ends | `status` |
//! | frameworks that acknowledge explicitly | `acknowledge` |
//! | KILL, SHUTDOWN, `max_completion_time` | `kill`, `completion` |
//! | RECONCILE | `reconcile` |
//! | processes that are told to end with their agent or framework | `shutdown` |
//! | tasks that run although the master no longer lists them | `untracked` |
//! | the user says what happens | `manual` |
//! | tasks as a front end shows them | `view` |
//!
//! These rules know tasks and the cluster only. If the end of a task may finish a drain, they return
//! [`MayBeDrained`], which `maintenance::cluster::drains` checks.

pub(crate) mod acknowledge;
pub(crate) mod completion;
mod ids;
pub(crate) mod kill;
pub(crate) mod manual;
pub(crate) mod process;
pub(crate) mod reconcile;
mod record;
pub(crate) mod retry;
pub(crate) mod shutdown;
pub(crate) mod start;
pub(crate) mod status;
mod status_id;
mod store;
pub(crate) mod untracked;
pub(crate) mod update;
pub(crate) mod view;

pub(crate) use ids::TaskIds;
pub use record::DEFAULT_KILL_GRACE_MS;
pub(crate) use record::{
    Acknowledgement, CompletedTask, MayBeDrained, StatusRecord, Task, TaskNo, UntrackedTask, Update,
};
pub(crate) use retry::next_retry_ms;
pub(crate) use status_id::status_id;
pub(crate) use store::Tasks;
pub use view::ProbeFacts;
