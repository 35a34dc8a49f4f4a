//! Records of tasks, and their indexes.
//!
//! *Knows*: one record per task instance that was ever prepared, with its reservations and last status. *Must not
//! know*: plans, offers.
//!
//! *Invariant*: `by_id` and `by_name` name exactly the stored tasks; a stub has the empty id. *Cost*: a pod is found
//! by the number in its key; every look-up by id or name is logarithmic; only the documented iterators walk all tasks.
//!
//! **Source**: `dcos-commons: …/state/StateStore.java, …/offer/taskdata/TaskLabelWriter.java`.

mod audit;
mod pod_key;
mod pod_tasks;
mod record;
#[cfg(test)]
mod tests;
mod update;
mod weight;

pub(crate) use pod_key::PodKey;
pub(crate) use pod_tasks::PodTasks;
pub(crate) use record::{
    Disk, Heard, Held, HeldKind, Launched, Location, Override, OverrideProgress, OverrideTarget, Params,
    StoredStatus, TaskRecord, is_terminal,
};
pub(crate) use update::{StatusChange, TakenStatus};

use crate::placement::StoredTaskFacts;
use planarium_kernel::{Digestible, Finder, Index, Map, SortedSet, Table, Weight, cow::bytes_of};
use planarium_protocol::Text;
use std::collections::BTreeMap;
use std::sync::Arc;

/// All records.
#[derive(Clone, Debug, Default, Digestible, Weight)]
#[digest(by_name.len(), each tasks())]
#[weight(
    pods, flat keys, flat heard, by_name, by_id, by_host,
    own self.facts.as_ref().map_or(0, |facts| 2 * bytes_of::<StoredTaskFacts>(facts.list.len())),
)]
pub(crate) struct TaskStore {
    /// Every pod instance that was ever asked for, by number.
    pods: Table<Slot, 8>,
    /// Their keys in order.
    keys: Map<PodKey, ()>,
    /// The last key that was handed out: mostly the one after it is asked for next.
    handed: u32,
    /// Number of pod instances with tasks.
    live: u32,
    /// Events that the last statuses go back to; see [`Heard`].
    heard: Table<u64>,
    /// Rows of them that no task has any more.
    unheard: Vec<u32>,
    /// Pods by instance names of their tasks.
    by_name: Finder,
    /// Pods by ids of their tasks.
    by_id: Finder,
    /// Pods with tasks stored with each hostname.
    by_host: Index<Arc<SortedSet<u32>>>,
    /// Facts for placement rules, once a rule has asked for them.
    facts: Option<PlacementFacts>,
    /// A task was paused at some time.
    paused: bool,
}

/// One pod instance.
#[derive(Clone, Debug, Weight)]
#[weight(tasks)]
struct Slot {
    key: PodKey,
    /// `None` without stored tasks. Shared with copies of the store and with views until a task of the pod changes.
    tasks: Option<Arc<PodTasks>>,
    /// Counts changes of its tasks.
    changes: u64,
}

/// Place of a stored task; good until one is stored or forgotten.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Place {
    pod: u32,
    task: u32,
}

/// Placement facts of all tasks, kept up to date.
#[derive(Clone, Debug, Default)]
struct PlacementFacts {
    list: Vec<StoredTaskFacts>,
    places: BTreeMap<Text, u32>,
}

impl PlacementFacts {
    fn put(&mut self, facts: StoredTaskFacts) {
        match self.places.get(&facts.name).copied() {
            Some(at) => {
                if let Some(old) = self.list.get_mut(at as usize) {
                    *old = facts;
                }
            }
            None => {
                let place = u32::try_from(self.list.len()).unwrap_or(u32::MAX);
                self.places.insert(facts.name.clone(), place);
                self.list.push(facts);
            }
        }
    }
}

/// Facts of a stored task for placement rules.
fn facts_of(task: &TaskRecord) -> StoredTaskFacts {
    StoredTaskFacts {
        name: task.name.clone(),
        pod: task.pod.pod.clone(),
        index: task.pod.index,
        hostname: task.at.hostname.clone(),
        agent: task.at.agent_id.clone(),
        attributes: task.at.attributes.to_vec(),
        region: task.at.region.clone(),
        zone: task.at.zone.clone(),
    }
}

/// Tells if a task's reservations are kept for it.
fn counts(task: &TaskRecord) -> bool {
    let out = Override { target: OverrideTarget::Decommissioned, progress: OverrideProgress::InProgress };
    !task.permanently_failed && task.goal != out
}

/// Tells if a reservation is a task's or its executor's.
fn holds(task: &TaskRecord, resource_id: &str) -> bool {
    task.held.iter().chain(task.executor.iter()).any(|held| *held.id == *resource_id)
}

impl TaskStore {
    /// Makes sure that [`TaskStore::placement_facts`] knows all tasks from now on.
    pub(crate) fn keep_placement_facts(&mut self) {
        if self.facts.is_none() {
            let mut facts = PlacementFacts::default();
            self.tasks().for_each(|task| facts.put(facts_of(task)));
            self.facts = Some(facts);
        }
    }

    /// Placement facts of all tasks; none unless they are kept.
    pub(crate) fn placement_facts(&self) -> &[StoredTaskFacts] {
        self.facts.as_ref().map_or(&[], |facts| &facts.list)
    }

    /// Placement facts of the tasks stored with a hostname.
    pub(crate) fn placement_facts_on_host(&self, hostname: &str) -> Vec<StoredTaskFacts> {
        let mut facts: Vec<StoredTaskFacts> = self.on_host(hostname).map(facts_of).collect();
        planarium_kernel::sorted::sort_by_key(&mut facts, |facts| facts.name.clone());
        facts
    }

    /// The key of a pod instance.
    pub(crate) fn key(&mut self, pod: &Text, index: u32) -> PodKey {
        let next = self.pods.get(self.handed as usize + 1).map(|slot| &slot.key);
        let next = next.filter(|key| key.index == index && key.pod == *pod).cloned();
        if let Some(key) = next.or_else(|| self.known(pod, index)) {
            self.handed = key.number();
            return key;
        }
        let number = u32::try_from(self.pods.len()).unwrap_or(u32::MAX);
        let key = PodKey::numbered(pod, index, number);
        self.handed = number;
        self.keys.insert(key.clone(), ());
        self.pods.push(Slot { key: key.clone(), tasks: None, changes: 0 });
        key
    }

    /// The key of a pod instance that was asked for before.
    fn known(&self, pod: &Text, index: u32) -> Option<PodKey> {
        let probe = PodKey::probe(pod, index);
        let (key, ()) = self.keys.range(&probe..=&probe).next()?;
        Some(key.clone())
    }

    fn slot(&self, key: &PodKey) -> Option<&Slot> {
        let slot = self.pods.get(key.number() as usize).filter(|slot| slot.key == *key);
        // A key from another store has another number.
        slot.or_else(|| self.pods.get(self.known(&key.pod, key.index)?.number() as usize))
    }

    /// The tasks of a pod of that number, to change.
    fn tasks_mut(&mut self, number: u32) -> Option<&mut PodTasks> {
        let slot = self.pods.get_mut(number as usize)?;
        slot.changes += 1;
        slot.tasks.as_mut().map(Arc::make_mut)
    }

    /// The tasks of a pod instance.
    pub(crate) fn pod(&self, key: &PodKey) -> Option<&PodTasks> {
        self.slot(key)?.tasks.as_deref()
    }

    /// Number of changes of a pod instance's tasks.
    pub(crate) fn changes(&self, key: &PodKey) -> u64 {
        self.slot(key).map_or(0, |slot| slot.changes)
    }

    /// All pod instances in order. The tasks of a pod are the same `Arc` while none of them changes.
    pub(crate) fn pods(&self) -> impl Iterator<Item = (&PodKey, &Arc<PodTasks>)> {
        self.keys.keys().filter_map(|key| Some((key, self.pods.get(key.number() as usize)?.tasks.as_ref()?)))
    }

    /// Number of pod instances with tasks.
    pub(crate) fn pod_count(&self) -> u32 {
        self.live
    }

    /// All tasks in order. *Cost*: walks everything.
    pub(crate) fn tasks(&self) -> impl Iterator<Item = &TaskRecord> {
        self.pods().flat_map(|(_, tasks)| tasks.values())
    }

    /// All tasks with their places. *Cost*: walks everything.
    pub(crate) fn places(&self) -> impl Iterator<Item = (Place, &TaskRecord)> {
        self.pods().flat_map(|(key, tasks)| {
            let place = |(task, record)| (Place { pod: key.number(), task }, record);
            (0..).zip(tasks.values()).map(place)
        })
    }

    /// The records as the next process finds them. Each process notes for itself since when a task has been failing.
    pub(crate) fn of_next_process(&self) -> Self {
        let mut next = self.clone();
        let watched: Vec<Place> =
            self.places().filter(|(_, task)| task.watched_since.is_some()).map(|(place, _)| place).collect();
        for place in watched {
            next.change(place, |task| task.watched_since = None);
        }
        next
    }

    /// Tells if nothing is stored.
    pub(crate) fn is_empty(&self) -> bool {
        self.live == 0
    }

    /// The pod instance of that name, e.g. `hello-0`.
    pub(crate) fn pod_named(&self, name: &str) -> Option<PodKey> {
        // Names like `a-0` are unambiguous: the index is what follows the last hyphen.
        let (pod, index) = name.rsplit_once('-')?;
        let key = self.known(&pod.into(), index.parse().ok()?)?;
        (*key.name() == *name && self.pod(&key).is_some()).then_some(key)
    }

    /// A task of a pod instance by its name within the pod.
    pub(crate) fn task(&self, key: &PodKey, task: &str) -> Option<&TaskRecord> {
        self.pod(key)?.of(task)
    }

    /// The pod of a number, as long as it has tasks.
    fn numbered(&self, number: u32) -> Option<(&PodKey, &Arc<PodTasks>)> {
        let slot = self.pods.get(number as usize)?;
        Some((&slot.key, slot.tasks.as_ref()?))
    }

    /// The place of the task of that instance name.
    fn place_of(&self, name: &str) -> Option<Place> {
        self.by_name.find(name).find_map(|pod| Some(Place { pod, task: self.numbered(pod)?.1.place(name)? }))
    }

    /// The place of the task that has this id now.
    pub(crate) fn place_of_id(&self, id: &str) -> Option<Place> {
        self.by_id.find(id).find_map(|pod| {
            let tasks = self.numbered(pod)?.1;
            // Mostly it is the same shared text as in the record, so nothing has to be compared.
            let same = tasks.values().position(|task| std::ptr::eq(&raw const *task.id, id));
            let task = same.or_else(|| tasks.values().position(|task| *task.id == *id))?;
            Some(Place { pod, task: u32::try_from(task).ok()? })
        })
    }

    /// The task at a place.
    pub(crate) fn at(&self, place: Place) -> Option<&TaskRecord> {
        self.numbered(place.pod)?.1.nth(place.task)
    }

    /// Changes the task at a place.
    pub(crate) fn change<R>(&mut self, place: Place, change: impl FnOnce(&mut TaskRecord) -> R) -> Option<R> {
        let record = self.tasks_mut(place.pod)?.nth_mut(place.task)?;
        let answer = change(record);
        let paused = record.goal.target == OverrideTarget::Paused;
        self.paused |= paused;
        Some(answer)
    }

    /// The pod instance of a task by instance name.
    fn pod_of(&self, name: &str) -> Option<&PodKey> {
        self.numbered(self.place_of(name)?.pod).map(|(key, _)| key)
    }

    /// A task by instance name.
    pub(crate) fn named(&self, name: &str) -> Option<&TaskRecord> {
        self.at(self.place_of(name)?)
    }

    /// The task that has this id now.
    pub(crate) fn by_id(&self, id: &str) -> Option<&TaskRecord> {
        self.at(self.place_of_id(id)?)
    }

    /// Changes the task of that instance name.
    pub(crate) fn update<R>(&mut self, name: &str, change: impl FnOnce(&mut TaskRecord) -> R) -> Option<R> {
        self.change(self.place_of(name)?, change)
    }

    /// The event that a stored task's last status goes back to.
    pub(crate) fn event_of(&self, task: &TaskRecord) -> Option<u64> {
        task.status.as_ref()?;
        self.heard.get(task.heard.0? as usize).copied()
    }

    /// Notes the event that a task's last status goes back to.
    fn hear(&mut self, task: Heard, event: u64) {
        if let Some(heard) = task.0.and_then(|row| self.heard.get_mut(row as usize)) {
            *heard = event;
        }
    }

    /// A row for the events of a new task.
    fn hearing(&mut self) -> Heard {
        let row = self.unheard.pop().or_else(|| {
            let row = u32::try_from(self.heard.len()).ok()?;
            self.heard.push(0);
            Some(row)
        });
        Heard(row)
    }

    /// Stores a record, replacing one with the same name. The event is that of its launch; a stub keeps the one of the
    /// record that it replaces.
    pub(crate) fn put(&mut self, mut record: TaskRecord, event: u64) {
        self.paused |= record.goal.target == OverrideTarget::Paused;
        if self.pods.get(record.pod.number() as usize).is_none_or(|slot| slot.key != record.pod) {
            let key = self.key(&record.pod.pod.clone(), record.pod.index);
            Arc::make_mut(&mut record.launched).pod = key;
        }
        let number = record.pod.number();
        let replaced = self.numbered(number).and_then(|(_, tasks)| tasks.get(&record.name));
        record.heard = match replaced.map(|replaced| replaced.heard) {
            Some(heard) => heard,
            None => self.hearing(),
        };
        if !record.id.is_empty() {
            self.hear(record.heard, event);
        }
        let Some(slot) = self.pods.get_mut(number as usize) else { return };
        slot.changes += 1;
        self.live += u32::from(slot.tasks.is_none());
        let tasks = slot.tasks.get_or_insert_default();
        if tasks.get(&record.name).is_none() {
            self.by_name.insert(&record.name, number);
        }
        if !record.id.is_empty() {
            self.by_id.insert(&record.id, number);
        }
        if let Some(facts) = &mut self.facts {
            facts.put(facts_of(&record));
        }
        let (id, host) = (record.id.clone(), record.at.hostname.clone());
        if let Some(old) = Arc::make_mut(tasks).put(record) {
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

    /// Handles a task of a pod that has left its machine; others of the pod may still be there.
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

    /// Tells if a task may be paused. When not, nothing needs to be looked up to know that a pod is not.
    pub(crate) fn may_be_paused(&self) -> bool {
        self.paused
    }

    /// Returns whether a reservation on a machine still belongs to a counting task: one that is neither flagged as
    /// permanently lost nor leaving with its pod. A task's reservations are where it was launched.
    pub(crate) fn expects(&self, hostname: &str, resource_id: &str) -> bool {
        self.on_host(hostname).any(|task| counts(task) && holds(task, resource_id))
    }

    /// Forgets a task.
    pub(crate) fn remove(&mut self, name: &str) {
        let Some(Place { pod: number, .. }) = self.place_of(name) else { return };
        self.by_name.remove(name, number);
        let Some(tasks) = self.tasks_mut(number) else { return };
        let old = tasks.remove(name);
        if tasks.is_empty()
            && let Some(slot) = self.pods.get_mut(number as usize)
        {
            slot.tasks = None;
            self.live -= 1;
        }
        let Some(old) = old else { return };
        self.hear(old.heard, 0);
        self.unheard.extend(old.heard.0);
        self.by_id.remove(&old.id, number);
        self.leave_host(number, &old);
        // Indexes in the list of facts would shift, so it is rebuilt when a rule needs it.
        self.facts = None;
    }

    /// Takes reservations of a machine that were given back out of the records of tasks that leave with their pod, or
    /// of all tasks.
    pub(crate) fn forget_reservations(&mut self, hostname: &str, ids: &SortedSet<Text>, all: bool) {
        let leaving = |task: &TaskRecord| all || task.goal.target == OverrideTarget::Decommissioned;
        let concerned = |task: &TaskRecord| leaving(task) && ids.iter().any(|id| holds(task, id));
        let pods = self.by_host.get(hostname).cloned().unwrap_or_default();
        for number in pods.iter() {
            if !self.numbered(*number).is_some_and(|(_, tasks)| tasks.values().any(concerned)) {
                continue;
            }
            for task in self.tasks_mut(*number).into_iter().flat_map(PodTasks::values_mut) {
                if !leaving(task) {
                    continue;
                }
                if !ids.iter().any(|id| holds(task, id)) {
                    continue;
                }
                let launched = Arc::make_mut(&mut task.launched);
                for held in [&mut launched.held, &mut launched.executor] {
                    if held.iter().any(|held| ids.contains(&held.id)) {
                        *held = held.iter().filter(|held| !ids.contains(&held.id)).cloned().collect();
                    }
                }
            }
        }
    }

    /// Flags every task of a pod instance as permanently lost.
    pub(crate) fn flag_pod(&mut self, key: &PodKey) {
        let Some(slot) = self.slot(key) else { return };
        let number = slot.key.number();
        if slot.tasks.as_ref().is_none_or(|tasks| tasks.values().all(|task| task.permanently_failed)) {
            return;
        }
        for task in self.tasks_mut(number).into_iter().flat_map(PodTasks::values_mut) {
            task.permanently_failed = true;
        }
    }

    /// Returns whether the pod instance has tasks and all of them are flagged.
    pub(crate) fn is_flagged(&self, key: &PodKey) -> bool {
        self.pod(key).is_some_and(|tasks| tasks.values().all(|task| task.permanently_failed))
    }
}
