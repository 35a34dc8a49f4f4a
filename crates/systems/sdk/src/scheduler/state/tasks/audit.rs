//! The store's invariants.
//!
//! *Knows*: all its tables. *Must not know*: how they are filled.

use super::{OverrideTarget, TaskStore};
use planarium_kernel::SortedSet;
use std::sync::Arc;

impl TaskStore {
    /// Finds broken indexes.
    pub(crate) fn check(&self) -> Vec<String> {
        let mut found = Vec::new();
        for (key, tasks) in self.pods() {
            for task in tasks.values() {
                let name = &task.name;
                if task.pod != *key || self.pod_of(name) != Some(key) {
                    found.push(format!("task {name} is not where its name says"));
                }
                if !task.id.is_empty() && self.by_id(&task.id).is_none_or(|found| found.name != *name) {
                    found.push(format!("task id {} is not known by id", task.id));
                }
            }
        }
        if !self.paused && self.tasks().any(|task| task.goal.target == OverrideTarget::Paused) {
            found.push("a task is paused that no one knows of".to_owned());
        }
        let live = self.tasks().filter(|task| !task.id.is_empty()).count();
        let on_hosts = self.by_host.iter().map(|(host, _)| self.on_host(host).count()).sum::<usize>();
        let on_no_host =
            |pods: &Arc<SortedSet<u32>>| pods.iter().any(|number| self.numbered(*number).is_none());
        if live != self.by_id.len()
            || self.tasks().count() != self.by_name.len()
            || on_hosts != self.by_name.len()
            || self.by_host.values().any(on_no_host)
            || self.keys.len() != self.pods.len()
            || self.live as usize != self.pods().count()
            || self.pods.iter().enumerate().any(|(row, slot)| slot.key.number() as usize != row)
        {
            found.push("the indexes of tasks have leftovers".to_owned());
        }
        found
    }
}
