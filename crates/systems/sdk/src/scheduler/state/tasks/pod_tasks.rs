//! The stored tasks of one pod instance.
//!
//! *Knows*: records in order of their names. *Must not know*: how records are created.
//!
//! A pod has few tasks: an exactly sized sorted list takes a fifth of a tree node's memory, and there is one list for
//! every pod instance.

use super::record::TaskRecord;
use crate::spec::PodSpec;
use planarium_protocol::Text;
use std::borrow::Cow;

/// The tasks of one pod instance, by instance name.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct PodTasks(Vec<TaskRecord>);

impl PodTasks {
    /// The place of the task of that instance name.
    pub(super) fn place(&self, name: &str) -> Option<u32> {
        u32::try_from(self.position(name).ok()?).ok()
    }

    fn position(&self, name: &str) -> Result<usize, usize> {
        self.0.binary_search_by(|task| (*task.name).cmp(name))
    }

    /// The task of that instance name.
    pub(crate) fn get(&self, name: &str) -> Option<&TaskRecord> {
        self.0.get(self.position(name).ok()?)
    }

    /// The task of that name within the pod.
    pub(crate) fn of(&self, task: &str) -> Option<&TaskRecord> {
        self.0.iter().find(|record| *record.task == *task)
    }

    /// The task at a place.
    pub(super) fn nth(&self, place: u32) -> Option<&TaskRecord> {
        self.0.get(place as usize)
    }

    /// The same, to change; its name must stay.
    pub(super) fn nth_mut(&mut self, place: u32) -> Option<&mut TaskRecord> {
        self.0.get_mut(place as usize)
    }

    /// Stores a record; returns the replaced one with the same name.
    pub(crate) fn put(&mut self, record: TaskRecord) -> Option<TaskRecord> {
        match self.position(&record.name) {
            Ok(at) => self.0.get_mut(at).map(|place| std::mem::replace(place, record)),
            Err(at) => {
                self.0.reserve_exact(1);
                self.0.insert(at, record);
                None
            }
        }
    }

    /// Forgets a task; answers it.
    pub(crate) fn remove(&mut self, name: &str) -> Option<TaskRecord> {
        let at = self.position(name).ok()?;
        Some(self.0.remove(at))
    }

    /// Those that a version of the pod defines. Others that were stored once no longer matter to it.
    pub(crate) fn known_to(&self, pod: &PodSpec) -> Cow<'_, Self> {
        let known = |task: &&TaskRecord| pod.task(&task.task).is_some();
        if self.0.iter().all(|task| known(&task)) {
            return Cow::Borrowed(self);
        }
        Cow::Owned(Self(self.0.iter().filter(known).cloned().collect()))
    }

    /// Tells if there is none.
    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Instance names in order.
    pub(crate) fn keys(&self) -> impl Iterator<Item = &Text> {
        self.0.iter().map(|task| &task.name)
    }

    /// All tasks in order of their names.
    pub(crate) fn values(&self) -> std::slice::Iter<'_, TaskRecord> {
        self.0.iter()
    }

    /// The same, to change; names must stay.
    pub(crate) fn values_mut(&mut self) -> std::slice::IterMut<'_, TaskRecord> {
        self.0.iter_mut()
    }
}
