//! The state store: records that outlive a scheduler process.
//!
//! *Knows*: records of tasks, files of clients, the framework id, whether a deployment was completed once.
//! *Must not know*: plans, offers, configurations beyond their ids.
//!
//! **Source**: `dcos-commons: …/state/StateStore.java, FrameworkStore.java`.

mod files;
mod tasks;

pub use files::FILE_BYTES;
pub(crate) use files::Files;
pub(crate) use tasks::{
    Disk, Heard, Held, HeldKind, Launched, Location, Override, OverrideProgress, OverrideTarget, Params,
    Place, PodKey, PodTasks, StatusChange, StoredStatus, TakenStatus, TaskRecord, TaskStore, is_terminal,
};

use planarium_protocol::Text;

/// Records that a scheduler process hands to the next one.
#[derive(Clone, Debug, Default)]
pub(crate) struct StateStore {
    /// Records of tasks.
    pub(crate) tasks: TaskStore,
    /// Files that clients keep here.
    pub(crate) files: Files,
    /// Framework id that the master gave.
    pub(crate) framework: Option<Text>,
    /// The deploy plan has been seen complete once in this installation.
    pub(crate) completed_once: bool,
}

impl StateStore {
    /// The store as the next process finds it.
    pub(crate) fn of_next_process(&self) -> Self {
        Self { tasks: self.tasks.of_next_process(), ..self.clone() }
    }

    /// Forgets everything but the framework id: the framework is over.
    pub(crate) fn wipe(&mut self) {
        self.tasks = TaskStore::default();
        self.files = Files::default();
        self.completed_once = false;
    }
}
