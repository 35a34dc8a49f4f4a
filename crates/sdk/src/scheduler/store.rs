//! What the scheduler remembers of its tasks: the real system's state store.
//!
//! *Knows*: one record per task instance that was ever prepared, with its reservations and last status.
//! *Must not know*: plans, offers.
//!
//! *Invariant*: `by_id` and `by_name` name exactly the stored tasks; a stub has the empty id.
//! *Cost*: every look-up by id, name or pod is logarithmic; nothing here walks all tasks except the
//! iterators that say so.
//!
//! **Source**: `dcos-commons: …/state/StateStore.java, …/offer/taskdata/TaskLabelWriter.java`.

pub(crate) use super::record::{
    Disk, Held, HeldKind, Location, Override, OverrideProgress, OverrideTarget, PodKey, Stored, TaskRecord,
    is_terminal,
};

pub(crate) use super::pod_tasks::PodTasks;

use crate::placement::StoredTaskFacts;
use planarium_kernel::SortedSet;
use planarium_kernel::cow::{behind, bytes_of};
use planarium_kernel::{Digest, Finder, Index, Map, Table};
use planarium_protocol::Text;
use std::collections::BTreeMap;
use std::sync::Arc;

/// All records.
#[derive(Clone, Debug, Default)]
pub(crate) struct Store {
    /// Shared until a task of the pod changes: with copies of the store, and with what was shown of it.
    pods: Map<PodKey, Arc<PodTasks>>,
    /// Every pod instance that ever had a task, by the number that the finders know it by.
    keys: Table<PodKey>,
    numbers: Map<PodKey, u32>,
    /// Pods by instance names of their tasks.
    by_name: Finder,
    /// Pods by ids of their tasks.
    by_id: Finder,
    /// Which pod instance a reservation was made for; entries outlive their use and are checked on reading.
    owners: Finder,
    /// Pods with tasks stored with each hostname.
    by_host: Index<Arc<SortedSet<u32>>>,
    /// What placement rules look at, once a rule has asked for it.
    facts: Option<Facts>,
    /// A task was paused at some time.
    paused: bool,
}

/// Placement facts of all tasks, kept up to date.
#[derive(Clone, Debug, Default)]
struct Facts {
    list: Vec<StoredTaskFacts>,
    places: BTreeMap<Text, usize>,
}

impl Facts {
    fn put(&mut self, facts: StoredTaskFacts) {
        match self.places.get(&facts.name).copied() {
            Some(at) => {
                if let Some(old) = self.list.get_mut(at) {
                    *old = facts;
                }
            }
            None => {
                self.places.insert(facts.name.clone(), self.list.len());
                self.list.push(facts);
            }
        }
    }
}

/// What placement rules look at in a stored task.
fn facts_of(task: &TaskRecord) -> StoredTaskFacts {
    StoredTaskFacts {
        name: task.name.clone(),
        pod: task.pod.pod.clone(),
        index: task.pod.index,
        hostname: task.at.hostname.clone(),
        attributes: task.at.attributes.to_vec(),
        region: task.at.region.clone(),
        zone: task.at.zone.clone(),
    }
}

impl Store {
    /// Makes sure that [`Store::facts`] knows all tasks from now on.
    pub(crate) fn keep_facts(&mut self) {
        if self.facts.is_none() {
            let mut facts = Facts::default();
            self.tasks().for_each(|task| facts.put(facts_of(task)));
            self.facts = Some(facts);
        }
    }

    /// Placement facts of all tasks; none unless they are kept.
    pub(crate) fn facts(&self) -> &[StoredTaskFacts] {
        self.facts.as_ref().map_or(&[], |facts| &facts.list)
    }

    /// Placement facts of the tasks stored with a hostname.
    pub(crate) fn facts_on_host(&self, hostname: &str) -> Vec<StoredTaskFacts> {
        let mut facts: Vec<StoredTaskFacts> = self.on_host(hostname).map(facts_of).collect();
        planarium_kernel::sorted::sort_by_key(&mut facts, |facts| facts.name.clone());
        facts
    }

    /// The tasks of a pod instance.
    pub(crate) fn pod(&self, key: &PodKey) -> Option<&PodTasks> {
        self.pods.get(key).map(|tasks| &**tasks)
    }

    /// The same, to change.
    fn pod_mut(&mut self, key: &PodKey) -> Option<&mut PodTasks> {
        self.pods.get_mut(key).map(Arc::make_mut)
    }

    /// All pod instances in order. The tasks of a pod are the same `Arc` as long as none of them changes.
    pub(crate) fn pods(&self) -> impl ExactSizeIterator<Item = (&PodKey, &Arc<PodTasks>)> {
        self.pods.iter()
    }

    /// All tasks in order. *Cost*: walks everything.
    pub(crate) fn tasks(&self) -> impl Iterator<Item = &TaskRecord> {
        self.pods.values().flat_map(|tasks| tasks.values())
    }

    /// Whether nothing is stored.
    pub(crate) fn is_empty(&self) -> bool {
        self.pods.is_empty()
    }

    /// The pod instance of that name, e.g. `hello-0`.
    pub(crate) fn pod_named(&self, name: &str) -> Option<PodKey> {
        // Names like `a-0` are unambiguous: the index is what follows the last hyphen.
        let (pod, index) = name.rsplit_once('-')?;
        let index: u32 = index.parse().ok()?;
        let key = PodKey { pod: pod.into(), index };
        (*key.name() == *name && self.pods.contains_key(&key)).then_some(key)
    }

    /// A task of a pod instance by its name within the pod.
    pub(crate) fn task(&self, key: &PodKey, task: &str) -> Option<&TaskRecord> {
        self.pods.get(key)?.get(&key.task(task))
    }

    /// The pod of a number, as long as it has tasks.
    fn numbered(&self, number: u32) -> Option<(&PodKey, &Arc<PodTasks>)> {
        let key = self.keys.get(number as usize)?;
        Some((key, self.pods.get(key)?))
    }

    /// The number of a pod instance, given when it has none yet.
    fn number(&mut self, key: &PodKey) -> u32 {
        if let Some(number) = self.numbers.get(key) {
            return *number;
        }
        let number = u32::try_from(self.keys.len()).unwrap_or(u32::MAX);
        self.keys.push(key.clone());
        self.numbers.insert(key.clone(), number);
        number
    }

    /// The pod instance of a task by instance name.
    fn pod_of(&self, name: &str) -> Option<&PodKey> {
        let mut pods = self.by_name.find(name).filter_map(|number| self.numbered(number));
        pods.find(|(_, tasks)| tasks.get(name).is_some()).map(|(key, _)| key)
    }

    /// A task by instance name.
    pub(crate) fn named(&self, name: &str) -> Option<&TaskRecord> {
        self.by_name.find(name).find_map(|number| self.numbered(number)?.1.get(name))
    }

    /// The task that has this id now.
    pub(crate) fn by_id(&self, id: &str) -> Option<&TaskRecord> {
        let of = |tasks: &'_ Arc<PodTasks>| tasks.values().position(|task| *task.id == *id);
        self.by_id.find(id).find_map(|number| {
            let (_, tasks) = self.numbered(number)?;
            tasks.values().nth(of(tasks)?)
        })
    }

    /// Changes the task of that instance name.
    pub(crate) fn update<R>(&mut self, name: &str, change: impl FnOnce(&mut TaskRecord) -> R) -> Option<R> {
        let key = self.pod_of(name)?.clone();
        let record = Arc::make_mut(self.pods.get_mut(&key)?).get_mut(name)?;
        let answer = change(record);
        self.paused |= record.goal.target == OverrideTarget::Paused;
        Some(answer)
    }

    /// Stores a record in place of what had its name.
    pub(crate) fn put(&mut self, record: TaskRecord) {
        self.paused |= record.goal.target == OverrideTarget::Paused;
        let number = self.number(&record.pod);
        for held in record.held.iter().chain(record.executor.iter()) {
            self.owners.insert(&held.id, number);
        }
        self.by_name.insert(&record.name, number);
        if !record.id.is_empty() {
            self.by_id.insert(&record.id, number);
        }
        if let Some(facts) = &mut self.facts {
            facts.put(facts_of(&record));
        }
        let pod = record.pod.clone();
        let (id, host) = (record.id.clone(), record.at.hostname.clone());
        if let Some(old) = self.pods.upsert(pod, Arc::default, |tasks| Arc::make_mut(tasks).put(record)) {
            if old.id != id {
                self.by_id.remove(&old.id, number);
            }
            if old.at.hostname != host {
                self.leave_host(number, &old);
            }
        }
        let there = self.by_host.get(&host).is_some_and(|pods| pods.contains(&number));
        if !there {
            self.by_host.upsert(host, Arc::default, |pods| Arc::make_mut(pods).insert(number));
        }
    }

    /// A task of a pod is no longer where it was; others of the pod may be.
    fn leave_host(&mut self, number: u32, old: &TaskRecord) {
        let host = &old.at.hostname;
        let stays =
            |(_, tasks): (&PodKey, &Arc<PodTasks>)| tasks.values().any(|task| task.at.hostname == *host);
        if self.numbered(number).is_some_and(stays) {
            return;
        }
        if let Some(pods) = self.by_host.get_mut(host).map(Arc::make_mut) {
            pods.remove(&number);
            if pods.is_empty() {
                self.by_host.remove(host);
            }
        }
    }

    /// The tasks stored with a hostname.
    fn on_host(&self, hostname: &str) -> impl Iterator<Item = &TaskRecord> {
        self.by_host
            .get(hostname)
            .into_iter()
            .flat_map(|pods| pods.iter())
            .filter_map(|number| self.numbered(*number))
            .flat_map(|(_, tasks)| tasks.values())
            .filter(move |task| *task.at.hostname == *hostname)
    }

    /// Whether a task may be paused. When not, nothing needs to be looked up to know that a pod is not.
    pub(crate) fn may_be_paused(&self) -> bool {
        self.paused
    }

    /// Whether a reservation still belongs to a task that counts: one that is neither flagged as lost
    /// for good nor on its way out with its pod.
    pub(crate) fn expects(&self, resource_id: &str) -> bool {
        let pods = self.owners.find(resource_id).filter_map(|number| self.numbered(number));
        pods.flat_map(|(_, tasks)| tasks.values()).any(|task| {
            !task.permanently_failed
                && task.goal
                    != (Override {
                        target: OverrideTarget::Decommissioned,
                        progress: OverrideProgress::InProgress,
                    })
                && task.held.iter().chain(task.executor.iter()).any(|held| *held.id == *resource_id)
        })
    }

    /// A reservation is gone from the cluster.
    pub(crate) fn released(&mut self, resource_id: &str) {
        if !self.expects(resource_id) {
            let owners: Vec<u32> = self.owners.find(resource_id).collect();
            for number in owners {
                self.owners.remove(resource_id, number);
            }
        }
    }

    /// Forgets a task.
    pub(crate) fn remove(&mut self, name: &str) {
        let Some(key) = self.pod_of(name).cloned() else { return };
        let number = self.number(&key);
        self.by_name.remove(name, number);
        let Some(tasks) = self.pod_mut(&key) else { return };
        let old = tasks.remove(name);
        if tasks.is_empty() {
            self.pods.remove(&key);
        }
        let Some(old) = old else { return };
        self.by_id.remove(&old.id, number);
        self.leave_host(number, &old);
        // Places in the list of facts would shift: it is made anew when a rule asks next.
        self.facts = None;
    }

    /// Takes reservations that were given back out of the records of tasks that leave with their pod, or
    /// of all tasks.
    pub(crate) fn forget_reservations(&mut self, ids: &SortedSet<Text>, all: bool) {
        let pods: SortedSet<PodKey> = ids
            .iter()
            .flat_map(|id| self.owners.find(id))
            .filter_map(|number| self.numbered(number))
            .map(|(key, _)| key.clone())
            .collect();
        for key in pods {
            let Some(tasks) = self.pod_mut(&key) else { continue };
            let leaving = |task: &TaskRecord| all || task.goal.target == OverrideTarget::Decommissioned;
            for task in tasks.values_mut().filter(|task| leaving(task)) {
                for held in [&mut task.held, &mut task.executor] {
                    if held.iter().any(|held| ids.contains(&held.id)) {
                        *held = held.iter().filter(|held| !ids.contains(&held.id)).cloned().collect();
                    }
                }
            }
        }
    }

    /// Flags every task of a pod instance as lost for good.
    pub(crate) fn flag_pod(&mut self, key: &PodKey) {
        for task in self.pod_mut(key).into_iter().flat_map(PodTasks::values_mut) {
            task.permanently_failed = true;
        }
    }

    /// Whether the pod instance has tasks and all of them are flagged.
    pub(crate) fn is_flagged(&self, key: &PodKey) -> bool {
        self.pods.get(key).is_some_and(|tasks| tasks.values().all(|task| task.permanently_failed))
    }

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
        self.pods.beyond(before.map(|before| &before.pods), super::weight::pod)
            + self.keys.beyond(before.map(|before| &before.keys), |_, _| 0)
            + self.numbers.beyond_flat(before.map(|before| &before.numbers))
            + self.by_name.beyond_flat(before.map(|before| &before.by_name))
            + self.by_id.beyond_flat(before.map(|before| &before.by_id))
            + self.owners.beyond_flat(before.map(|before| &before.owners))
            + self.by_host.beyond(before.map(|before| &before.by_host), |names, old| {
                behind(names, old, |names| bytes_of::<u32>(names.len()))
            })
            + facts
    }

    /// What is wrong with the indexes, if anything.
    pub(crate) fn check(&self) -> Vec<String> {
        let mut found = Vec::new();
        for (key, tasks) in &self.pods {
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
            || self.keys.len() != self.numbers.len()
        {
            found.push("the indexes of tasks have leftovers".to_owned());
        }
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scheduler::plan::Params;
    use planarium_kernel::Milli;

    fn record(pod: &str, index: u32, task: &str, id: &str) -> TaskRecord {
        let key = PodKey { pod: pod.into(), index };
        TaskRecord {
            name: key.task(task),
            task: task.into(),
            pod: key,
            id: id.into(),
            executor_id: "e".into(),
            config: "c".into(),
            set: "s".into(),
            at: Arc::default(),
            held: Arc::from([Held {
                id: format!("r-{pod}-{index}").into(),
                kind: HeldKind::Scalar { name: "cpus".into(), amount: Milli(100) },
            }]),
            executor: Arc::from([]),
            params: Params::default(),
            command: "".into(),
            permanently_failed: false,
            watched_since: None,
            status: None,
            goal: Override::default(),
            addressed: false,
            files: Arc::default(),
        }
    }

    #[test]
    fn indexes_follow_every_change() {
        let mut store = Store::default();
        store.put(record("a", 0, "t", ""));
        store.put(record("a-0", 1, "t", "x"));
        store.put(record("a", 0, "t", "1"));
        store.put(record("a", 0, "t", "2"));
        assert!(store.by_id("1").is_none());
        assert_eq!(store.by_id("2").map(|t| &*t.name), Some("a-0-t"));
        assert_eq!(store.named("a-0-1-t").map(|t| &*t.id), Some("x"));
        assert_eq!(store.pod_named("a-0-1").map(|k| (k.pod.to_string(), k.index)), Some(("a-0".into(), 1)));
        assert_eq!(store.pod_named("a-00"), None);
        assert!(store.check().is_empty());
    }

    #[test]
    fn a_reservation_of_a_flagged_pod_is_not_expected() {
        let mut store = Store::default();
        store.put(record("a", 0, "t", "1"));
        assert!(store.expects("r-a-0") && !store.expects("r-b-0"));
        store.flag_pod(&PodKey { pod: "a".into(), index: 0 });
        assert!(!store.expects("r-a-0"));
    }
}
