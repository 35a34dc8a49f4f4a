//! Tasks by the ids that their frameworks gave them.
//!
//! *Knows*: that ids are unique per framework. *Must not know*: anything else about tasks.

use crate::{api::FrameworkId, tasks::TaskNo};
use planarium_kernel::{Index, SortedMap, Weight};
use planarium_protocol::Text;

/// A framework's id for a task.
type Id = (FrameworkId, Text);

/// Task numbers by framework and task id.
#[derive(Clone, Debug, Default, Weight)]
#[weight(flat 0)]
pub(crate) struct TaskIds(SortedMap<FrameworkId, Index<TaskNo>>);

impl TaskIds {
    /// No tasks.
    pub(crate) const fn new() -> Self {
        Self(SortedMap::new())
    }

    /// The task of that id.
    pub(crate) fn get(&self, key: &Id) -> Option<&TaskNo> {
        let (framework, id) = key;
        self.0.get(framework)?.get(id)
    }

    /// Returns whether the id is in use.
    pub(crate) fn contains_key(&self, id: &Id) -> bool {
        self.get(id).is_some()
    }

    /// Notes a task under its id.
    pub(crate) fn insert(&mut self, key: Id, no: TaskNo) {
        let (framework, id) = key;
        self.0.entry(framework).or_default().insert(id, no);
    }

    /// Forgets an id.
    pub(crate) fn remove(&mut self, key: &Id) {
        let (framework, id) = key;
        if let Some(ids) = self.0.get_mut(framework) {
            ids.remove(id);
            if ids.is_empty() {
                self.0.remove(framework);
            }
        }
    }

    /// Returns the number of tasks.
    pub(crate) fn len(&self) -> usize {
        self.0.values().map(Index::len).sum()
    }
}
