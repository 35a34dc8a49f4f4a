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

use super::plan::Params;
use crate::placement::StoredTaskFacts;
use planarium_kernel::{Digest, Milli, SimTime};
use planarium_protocol::Text;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// A pod instance: type and index. *Order*: by type, then by number.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct PodKey {
    /// Pod type.
    pub(crate) pod: Text,
    /// Index.
    pub(crate) index: u32,
}

impl PodKey {
    /// A key.
    pub(crate) fn new(pod: &Text, index: u32) -> Self {
        Self { pod: pod.clone(), index }
    }

    /// `<pod type>-<index>`.
    pub(crate) fn name(&self) -> Text {
        format!("{}-{}", self.pod, self.index).into()
    }

    /// `<pod type>-<index>-<task>`.
    pub(crate) fn task(&self, task: &str) -> Text {
        format!("{}-{}-{task}", self.pod, self.index).into()
    }
}

/// A task state as Mesos words it, with what the scheduler derives from it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Stored {
    /// `TASK_...`.
    pub(crate) state: &'static str,
    /// `REASON_...` or empty.
    pub(crate) reason: Text,
    /// Message or empty.
    pub(crate) message: Text,
    /// Health, when checked.
    pub(crate) healthy: Option<bool>,
    /// The status carries information about a check.
    pub(crate) checked: bool,
    /// Exit code of the readiness check, when there is a result.
    pub(crate) readiness_exit: Option<i32>,
    /// Results of the readiness check seen so far.
    pub(crate) readiness_seen: u32,
    /// When it came.
    pub(crate) at: SimTime,
    /// The event it goes back to.
    pub(crate) event: u64,
}

impl Stored {
    /// Whether no further state follows.
    ///
    /// **Source**: `dcos-commons: …/offer/TaskUtils.java` (terminal states of the SDK).
    pub(crate) fn is_terminal(&self) -> bool {
        is_terminal(self.state)
    }

    /// Running with its readiness check satisfied, or without one.
    ///
    /// A status without any information about a check counts as satisfied.
    pub(crate) fn is_ready(&self) -> bool {
        !self.checked || self.readiness_exit == Some(0)
    }

    /// Whether a goal-RUNNING task in this state must be brought back.
    pub(crate) fn needs_recovery(&self) -> bool {
        matches!(
            self.state,
            "TASK_DROPPED"
                | "TASK_ERROR"
                | "TASK_FAILED"
                | "TASK_FINISHED"
                | "TASK_GONE"
                | "TASK_GONE_BY_OPERATOR"
                | "TASK_KILLED"
                | "TASK_LOST"
                | "TASK_UNREACHABLE"
        )
    }
}

/// Whether no further state follows a state.
pub(crate) fn is_terminal(state: &str) -> bool {
    matches!(
        state,
        "TASK_FINISHED"
            | "TASK_FAILED"
            | "TASK_KILLED"
            | "TASK_ERROR"
            | "TASK_LOST"
            | "TASK_DROPPED"
            | "TASK_GONE"
            | "TASK_GONE_BY_OPERATOR"
    )
}

/// What an operator wants instead of the goal.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum OverrideTarget {
    /// Nothing.
    #[default]
    None,
    /// Paused for debugging.
    Paused,
    /// Leaving with its pod.
    Decommissioned,
}

/// How far an override is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum OverrideProgress {
    /// Asked for.
    Pending,
    /// The task is on its way.
    InProgress,
    /// Reached.
    #[default]
    Complete,
}

/// Override of a task's goal.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Override {
    /// What is wanted.
    pub(crate) target: OverrideTarget,
    /// How far it is.
    pub(crate) progress: OverrideProgress,
}

impl Override {
    /// Neither wanted nor under way.
    pub(crate) fn is_inactive(self) -> bool {
        self == Self::default()
    }

    /// The word that replaces the task's state in `pod status`.
    pub(crate) fn word(self) -> Option<&'static str> {
        if self.is_inactive() {
            return None;
        }
        Some(match (self.target, self.progress) {
            (OverrideTarget::Paused, OverrideProgress::Complete) => "PAUSED",
            (OverrideTarget::Paused, _) => "PAUSING",
            (OverrideTarget::Decommissioned, OverrideProgress::Complete) => "DECOMMISSIONED",
            (OverrideTarget::Decommissioned, _) => "DECOMMISSIONING",
            (OverrideTarget::None, _) => "STARTING",
        })
    }
}

/// Kinds of disk under a volume.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Disk {
    /// Part of the ROOT disk.
    Root,
    /// A whole mounted disk.
    Mount {
        /// Where it is mounted.
        root: Text,
        /// Its profile.
        profile: Option<Text>,
    },
}

/// What is reserved.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum HeldKind {
    /// cpus, mem, disk, gpus.
    Scalar {
        /// Which.
        name: Text,
        /// How much.
        amount: Milli,
    },
    /// One port.
    Port {
        /// Name of the port in the definition.
        name: Text,
        /// Number.
        port: u32,
    },
    /// A persistent volume.
    Volume {
        /// Path in the container.
        path: Text,
        /// Size of the disk it takes.
        size: Milli,
        /// The disk.
        disk: Disk,
        /// Persistence id.
        persistence: Text,
    },
}

/// One reservation of a pod instance.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Held {
    /// Its `resource_id` label.
    pub(crate) id: Text,
    /// What is reserved.
    pub(crate) kind: HeldKind,
}

/// Where a task was launched, as the offer said it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Location {
    /// Agent id.
    pub(crate) agent_id: Text,
    /// Hostname.
    pub(crate) hostname: Text,
    /// Address.
    pub(crate) ip: Text,
    /// Attributes.
    pub(crate) attributes: Arc<[(Text, Text)]>,
    /// Region.
    pub(crate) region: Option<Text>,
    /// Zone.
    pub(crate) zone: Option<Text>,
}

/// One task instance.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct TaskRecord {
    /// Instance name.
    pub(crate) name: Text,
    /// Name within the pod.
    pub(crate) task: Text,
    /// Pod instance.
    pub(crate) pod: PodKey,
    /// Task id; empty for a stub.
    pub(crate) id: Text,
    /// Executor id.
    pub(crate) executor_id: Text,
    /// Id of the configuration it was launched with.
    pub(crate) config: Text,
    /// Id of its resource set.
    pub(crate) set: Text,
    /// Where it was launched.
    pub(crate) at: Arc<Location>,
    /// Its reservations.
    pub(crate) held: Arc<[Held]>,
    /// Reservations of the pod's executor (volumes of the pod included).
    pub(crate) executor: Arc<[Held]>,
    /// Parameters of the plan that launched it.
    pub(crate) params: Params,
    /// Command line it was launched with.
    pub(crate) command: Text,
    /// Flagged as lost for good.
    pub(crate) permanently_failed: bool,
    /// Since when recovery has known this task id, when there is a replacement policy.
    pub(crate) watched_since: Option<SimTime>,
    /// Last status.
    pub(crate) status: Option<Stored>,
    /// Override of the goal.
    pub(crate) goal: Override,
    /// An address was reported for it (`<task>:task-status` property).
    pub(crate) addressed: bool,
}

impl TaskRecord {
    /// Whether a process of it may still be alive.
    pub(crate) fn is_alive(&self) -> bool {
        !self.id.is_empty() && self.status.as_ref().is_some_and(|status| !status.is_terminal())
    }

    /// Whether it occupies its pod's executor.
    pub(crate) fn is_active(&self) -> bool {
        self.status.as_ref().is_some_and(|s| {
            matches!(s.state, "TASK_STAGING" | "TASK_STARTING" | "TASK_RUNNING") && !self.id.is_empty()
        })
    }
}

/// The tasks of one pod instance by instance name.
pub(crate) type PodTasks = BTreeMap<Text, TaskRecord>;

/// All records.
#[derive(Clone, Debug, Default)]
pub(crate) struct Store {
    pods: BTreeMap<PodKey, PodTasks>,
    by_name: BTreeMap<Text, PodKey>,
    by_id: BTreeMap<Text, (PodKey, Text)>,
    /// Which pod instance a reservation was made for; entries outlive their use and are checked on reading.
    owners: BTreeMap<Text, PodKey>,
    /// Names of the tasks stored with each hostname.
    by_host: BTreeMap<Text, BTreeSet<Text>>,
    /// What placement rules look at, once a rule has asked for it.
    facts: Option<Facts>,
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
        self.on_host(hostname).map(facts_of).collect()
    }

    /// The tasks of a pod instance.
    pub(crate) fn pod(&self, key: &PodKey) -> Option<&PodTasks> {
        self.pods.get(key)
    }

    /// All pod instances in order.
    pub(crate) fn pods(&self) -> impl Iterator<Item = (&PodKey, &PodTasks)> {
        self.pods.iter()
    }

    /// All tasks in order. *Cost*: walks everything.
    pub(crate) fn tasks(&self) -> impl Iterator<Item = &TaskRecord> {
        self.pods.values().flat_map(BTreeMap::values)
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

    /// A task by instance name.
    pub(crate) fn named(&self, name: &str) -> Option<&TaskRecord> {
        self.pods.get(self.by_name.get(name)?)?.get(name)
    }

    /// The task that has this id now.
    pub(crate) fn by_id(&self, id: &str) -> Option<&TaskRecord> {
        let (key, name) = self.by_id.get(id)?;
        self.pods.get(key)?.get(name)
    }

    /// Changes the task of that instance name.
    pub(crate) fn update<R>(&mut self, name: &str, change: impl FnOnce(&mut TaskRecord) -> R) -> Option<R> {
        let record = self.pods.get_mut(self.by_name.get(name)?)?.get_mut(name)?;
        Some(change(record))
    }

    /// Stores a record in place of what had its name.
    pub(crate) fn put(&mut self, record: TaskRecord) {
        for held in record.held.iter().chain(record.executor.iter()) {
            self.owners.insert(held.id.clone(), record.pod.clone());
        }
        self.by_name.insert(record.name.clone(), record.pod.clone());
        if !record.id.is_empty() {
            self.by_id.insert(record.id.clone(), (record.pod.clone(), record.name.clone()));
        }
        if let Some(facts) = &mut self.facts {
            facts.put(facts_of(&record));
        }
        let (pod, name) = (record.pod.clone(), record.name.clone());
        let (id, host) = (record.id.clone(), record.at.hostname.clone());
        if let Some(old) = self.pods.entry(pod).or_default().insert(name.clone(), record) {
            if old.id != id {
                self.by_id.remove(&old.id);
            }
            self.leave_host(&old);
        }
        self.by_host.entry(host).or_default().insert(name);
    }

    fn leave_host(&mut self, old: &TaskRecord) {
        if let Some(names) = self.by_host.get_mut(&old.at.hostname) {
            names.remove(&old.name);
            if names.is_empty() {
                self.by_host.remove(&old.at.hostname);
            }
        }
    }

    /// The tasks stored with a hostname.
    fn on_host(&self, hostname: &str) -> impl Iterator<Item = &TaskRecord> {
        self.by_host.get(hostname).into_iter().flatten().filter_map(|name| self.named(name))
    }

    /// Whether a reservation still belongs to a task that counts: one that is neither flagged as lost
    /// for good nor on its way out with its pod.
    pub(crate) fn expects(&self, resource_id: &str) -> bool {
        let Some(tasks) = self.owners.get(resource_id).and_then(|key| self.pods.get(key)) else {
            return false;
        };
        tasks.values().any(|task| {
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
            self.owners.remove(resource_id);
        }
    }

    /// Flags every task of a pod instance as lost for good.
    pub(crate) fn flag_pod(&mut self, key: &PodKey) {
        for task in self.pods.get_mut(key).into_iter().flat_map(BTreeMap::values_mut) {
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

    /// What is wrong with the indexes, if anything.
    pub(crate) fn check(&self) -> Vec<String> {
        let mut found = Vec::new();
        for (key, tasks) in &self.pods {
            for (name, task) in tasks {
                if *name != task.name || task.pod != *key || self.by_name.get(name) != Some(key) {
                    found.push(format!("task {name} is not where its name says"));
                }
                if !task.id.is_empty() && self.by_id.get(&task.id).is_none_or(|(_, n)| n != name) {
                    found.push(format!("task id {} is not known by id", task.id));
                }
            }
        }
        let live = self.tasks().filter(|task| !task.id.is_empty()).count();
        let hosted: usize = self.by_host.values().map(BTreeSet::len).sum();
        if live != self.by_id.len()
            || self.tasks().count() != self.by_name.len()
            || hosted != self.by_name.len()
        {
            found.push("the indexes of tasks have leftovers".to_owned());
        }
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
