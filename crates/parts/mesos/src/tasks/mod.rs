//! Tasks: what the master knows of each, and what is said about them.
//!
//! | part | module |
//! |---|---|
//! | records: tasks, updates on their way, tasks by id | `record`, `ids`, `status_id`, `retry` |
//! | what a process reports | `process` |
//! | from the agent to the master to the framework | `update` |
//! | frameworks that acknowledge explicitly | `acknowledge` |
//! | KILL and SHUTDOWN | `kill` |
//! | RECONCILE | `reconcile` |
//! | the user says what happens | `manual` |
//! | tasks as a front end shows them | `view` |

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
