//! The store's digest, size and invariants.
//!
//! *Knows*: all its tables. *Must not know*: how they are filled.

use super::{OverrideTarget, Slot, TaskStore, weight};
use crate::placement::StoredTaskFacts;
use planarium_kernel::cow::{behind, bytes_of};
use planarium_kernel::{Digest, SortedSet};
use std::sync::Arc;

impl TaskStore {
    /// Writes all records into a digest.
    pub(crate) fn digest(&self, digest: &mut Digest) {
        digest.write_u64(self.by_name.len() as u64);
        for task in self.tasks() {
            digest.write_str(&task.name);
            digest.write_str(&task.id);
            digest.write_str(&task.config);
            digest.write_str(&task.at.agent_id);
            digest.write_bool(task.permanently_failed);
            digest.write_str(task.status.as_ref().map_or("", |status| status.state));
        }
    }

    /// Bytes that this store holds and `before` does not, by estimate.
    pub(crate) fn beyond(&self, before: Option<&Self>) -> u64 {
        let facts = self.facts.as_ref().map_or(0, |facts| bytes_of::<StoredTaskFacts>(facts.list.len()) * 2);
        let pod = |slot: &Slot, old: Option<&Slot>| {
            let old = old.and_then(|old| old.tasks.as_ref());
            slot.tasks.as_ref().map_or(0, |tasks| weight::pod(tasks, old))
        };
        self.pods.beyond(before.map(|before| &before.pods), pod)
            + self.keys.beyond_flat(before.map(|before| &before.keys))
            + self.by_name.beyond_flat(before.map(|before| &before.by_name))
            + self.by_id.beyond_flat(before.map(|before| &before.by_id))
            + self.by_host.beyond(before.map(|before| &before.by_host), |names, old| {
                behind(names, old, |names| bytes_of::<u32>(names.len()))
            })
            + facts
    }

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
