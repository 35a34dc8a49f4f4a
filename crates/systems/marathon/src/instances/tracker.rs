//! All instances, and the immediate consequences of each change.
//!
//! *Knows*: instances by spec, which of them wait for an offer, counts by spec, and unprocessed changes. *Must not know*: who
//! reacts, and how.
//!
//! *Invariant*: `waiting` contains exactly the instances that wait for an offer, `waiting_specs` their specs; the counts match
//! the instances.
//!
//! **Source**: `marathon: core/task/tracker/impl/InstanceTrackerActor.scala, core/instance/update/InstanceUpdater.scala,
//! InstanceUpdateOpResolver.scala`. Match.

use crate::definition::RunSpec;
use crate::id::PathId;
use crate::instances::instance::InstanceNo;
use crate::instances::instance::{Condition, Goal, Instance, Reservation, ReservationState, Task};
use planarium_kernel::cow::{Index, Table};
use planarium_kernel::{Cause, Digestible, Map, SimTime, SortedSet, Weight, draw::Uuid};
use planarium_mesos::api::{AgentInfo, TaskStatus};
use planarium_protocol::Text;
use std::collections::VecDeque;
use std::sync::Arc;

/// An id that instances were made of, in order of first use. Never reused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Digestible)]
#[digest(0)]
pub(crate) struct SpecNo(pub(crate) u32);

/// An instance: its spec, then in order of creation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Key {
    pub(crate) spec: SpecNo,
    pub(crate) no: InstanceNo,
}

/// An instance with its key.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Tracked<'a> {
    pub(crate) key: Key,
    pub(crate) instance: &'a Arc<Instance>,
}

/// An instance before a change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Before {
    pub(crate) condition: Condition,
    pub(crate) goal: Goal,
    pub(crate) healthy: Option<bool>,
}

/// A change of an instance, for other parts.
#[derive(Clone, Debug)]
pub(crate) struct Change {
    pub(crate) key: Key,
    /// `None` if it is new, or counts as new for other parts.
    pub(crate) before: Option<Before>,
    pub(crate) now: Arc<Instance>,
    /// It is not tracked any more.
    pub(crate) deleted: bool,
    /// The task whose status changed.
    pub(crate) task: Option<Text>,
    /// Condition or goal differ.
    pub(crate) told: bool,
    /// The condition as back-off and scaling see it.
    pub(crate) seen: Condition,
    pub(crate) cause: Cause,
}

/// Counts of one spec.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Counts {
    /// All.
    pub(crate) all: u32,
    /// Wanted, and not given up as unreachable: used for scaling.
    pub(crate) wanted: u32,
    /// Active or waiting for an offer.
    pub(crate) present: u32,
    /// Waiting for an offer.
    pub(crate) waiting: u32,
    /// Waiting for an offer, or launched and not heard of since.
    pub(crate) queued: u32,
}

impl Counts {
    /// Returns the counts of one instance.
    pub(crate) fn of(instance: &Instance) -> Self {
        let waiting = instance.is_scheduled();
        Self {
            all: 1,
            wanted: u32::from(counts_as_running(instance)),
            present: u32::from(waiting || instance.condition.is_active()),
            waiting: u32::from(waiting),
            queued: u32::from(waiting || instance.is_provisioned()),
        }
    }

    pub(crate) fn add(&mut self, other: Self) {
        self.all += other.all;
        self.wanted += other.wanted;
        self.present += other.present;
        self.waiting += other.waiting;
        self.queued += other.queued;
    }

    fn take(&mut self, other: Self) {
        self.all = self.all.saturating_sub(other.all);
        self.wanted = self.wanted.saturating_sub(other.wanted);
        self.present = self.present.saturating_sub(other.present);
        self.waiting = self.waiting.saturating_sub(other.waiting);
        self.queued = self.queued.saturating_sub(other.queued);
    }
}

/// Scaling counts it: it is wanted and not given up.
pub(crate) fn counts_as_running(instance: &Instance) -> bool {
    instance.goal == Goal::Running && instance.condition != Condition::UnreachableInactive
}

/// A task that an offer was accepted for.
pub(crate) struct Provision {
    pub(crate) spec: Arc<RunSpec>,
    pub(crate) agent: Arc<AgentInfo>,
    pub(crate) tasks: Vec<Task>,
}

/// An instance that waits for an offer: its spec, its role, and how old its wish is, newest first.
type Wishing = (SpecNo, Text, u64);

fn wishing_of(spec: SpecNo, instance: &Instance) -> Option<Wishing> {
    instance.is_scheduled().then(|| (spec, instance.role.clone(), u64::MAX - instance.wish))
}

/// Timeouts. *Units*: milliseconds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Patience {
    /// From accepting an offer to the first word of the task.
    pub(crate) confirm_ms: u64,
    /// From accepting an offer to running.
    pub(crate) launch_ms: u64,
}

/// All instances.
#[derive(Clone, Default, Weight)]
#[weight(all, flat ids, flat waiting, flat waiting_specs, flat wishing, flat counts)]
pub(crate) struct Tracker {
    next: InstanceNo,
    /// The last instant that an id was made from. *Units*: 100 ns since 1582.
    ticks: u64,
    all: Map<Key, Arc<Instance>>,
    ids: Index<Key>,
    waiting: Map<Key, ()>,
    /// Their specs.
    waiting_specs: Map<SpecNo, ()>,
    /// The same by spec and role, the newest wish first.
    wishing: Map<Wishing, ()>,
    /// Roles that instances had.
    roles: SortedSet<Text>,
    /// Instances whose reservations must be released.
    unreserving: Map<Key, ()>,
    /// Instances that have not come up, by when that is too long.
    overdue: Map<(SimTime, Key), ()>,
    /// Instances that do not answer, by when others take their place.
    giving_up: Map<(SimTime, Key), ()>,
    /// Instances that others have taken the place of, by when they are forgotten.
    lost: Map<(SimTime, Key), ()>,
    /// By number.
    counts: Table<Counts>,
    /// Number of times that an instance came to want offers.
    wishes: u64,
    /// Number of changes of an instance.
    revisions: u64,
    /// The demand for offers has changed since the last check.
    wish_changed: bool,
    patience: Patience,
    changes: VecDeque<Change>,
}

impl Tracker {
    // ---- questions ---------------------------------------------------------------------------

    /// An instance.
    pub(crate) fn get(&self, key: Key) -> Option<&Arc<Instance>> {
        self.all.get(&key)
    }

    /// The instance of this id.
    pub(crate) fn find(&self, id: &str) -> Option<(Key, &Arc<Instance>)> {
        let key = *self.ids.get(id)?;
        Some((key, self.all.get(&key)?))
    }

    /// The instance that a task is or was one of: the part of its id before the last two dots.
    pub(crate) fn of_task(&self, task_id: &str) -> Option<(Key, &Arc<Instance>)> {
        self.find(instance_part(task_id))
    }

    /// Instances of a spec in order of creation.
    pub(crate) fn of_spec(&self, spec: SpecNo) -> impl Iterator<Item = (Key, &Arc<Instance>)> {
        self.all.range(spec_range(spec)).map(|(key, instance)| (*key, instance))
    }

    /// Instances of a spec that wait for an offer, in order of creation.
    pub(crate) fn waiting_of(&self, spec: SpecNo) -> impl Iterator<Item = (Key, &Arc<Instance>)> {
        self.waiting.range(spec_range(spec)).filter_map(|(key, ())| Some((*key, self.all.get(key)?)))
    }

    /// Specs of which instances wait for an offer.
    pub(crate) fn waiting_specs(&self) -> impl Iterator<Item = SpecNo> {
        self.waiting_specs.keys().copied()
    }

    /// Roles in which instances of a spec wait for an offer, each with the newest wish.
    pub(crate) fn newest_wishes(&self, spec: SpecNo) -> Vec<(Text, u64)> {
        let mut newest = Vec::new();
        let mut from: Wishing = (spec, Text::default(), 0);
        while let Some(((of, role, age), ())) = self.wishing.range(from..).next() {
            if *of != spec {
                break;
            }
            newest.push((role.clone(), u64::MAX - age));
            from = (spec, role.clone(), u64::MAX);
        }
        newest
    }

    /// Roles that instances had since this was made or forgotten.
    pub(crate) fn roles(&self) -> &SortedSet<Text> {
        &self.roles
    }

    /// Forgets the roles that no instance has any more.
    pub(crate) fn forget_roles(&mut self) {
        self.roles = self.all.values().map(|instance| instance.role.clone()).collect();
    }

    /// All instances.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (Key, &Arc<Instance>)> {
        self.all.iter().map(|(key, instance)| (*key, instance))
    }

    /// Counts of a spec.
    pub(crate) fn counts(&self, spec: SpecNo) -> Counts {
        self.counts.get(spec.0 as usize).copied().unwrap_or_default()
    }

    /// Specs with instances.
    pub(crate) fn specs(&self) -> impl Iterator<Item = (SpecNo, Counts)> {
        (0..).map(SpecNo).zip(self.counts.iter().copied()).filter(|(_, counts)| counts.all > 0)
    }

    /// Takes the oldest unprocessed change.
    pub(crate) fn next_change(&mut self) -> Option<Change> {
        self.changes.pop_front()
    }

    /// When the first instance has not come up for too long.
    pub(crate) fn first_overdue(&self) -> Option<SimTime> {
        self.overdue.keys().next().map(|(at, _)| *at)
    }

    /// When the first instance that does not answer is replaced.
    pub(crate) fn first_to_give_up(&self) -> Option<SimTime> {
        self.giving_up.keys().next().map(|(at, _)| *at)
    }

    /// When the first instance that does not answer is forgotten.
    pub(crate) fn first_to_expunge(&self) -> Option<SimTime> {
        self.lost.keys().next().map(|(at, _)| *at)
    }

    /// Takes those that have not come up in time.
    pub(crate) fn take_overdue(&mut self, now: SimTime) -> Vec<Key> {
        let due: Vec<(SimTime, Key)> =
            self.overdue.keys().take_while(|(at, _)| *at <= now).copied().collect();
        for key in &due {
            self.overdue.remove(key);
        }
        due.into_iter().map(|(_, key)| key).collect()
    }

    /// Returns instances that have been silent so long that they must be forgotten.
    pub(crate) fn take_lost(&self, now: SimTime) -> Vec<Key> {
        self.lost.keys().take_while(|(at, _)| *at <= now).map(|(_, key)| *key).collect()
    }

    /// Instances whose reservations must be released.
    pub(crate) fn unreserving(&self) -> impl Iterator<Item = &Arc<Instance>> {
        self.unreserving.keys().filter_map(|key| self.all.get(key))
    }

    /// Wishes for offers have changed for another reason than a change of an instance.
    pub(crate) fn note_wish_change(&mut self) {
        self.wish_changed = true;
    }

    /// Returns whether wishes for offers have changed since this was asked last.
    pub(crate) fn take_wish_change(&mut self) -> bool {
        std::mem::take(&mut self.wish_changed)
    }

    /// Number of times that an instance came to want offers.
    pub(crate) fn wishes(&self) -> u64 {
        self.wishes
    }

    /// None yet; how long things may take.
    pub(crate) fn new(patience: Patience) -> Self {
        Self { patience, ..Self::default() }
    }

    /// Others are patient for so long from now on.
    pub(crate) fn set_patience(&mut self, patience: Patience) {
        if self.patience == patience {
            return;
        }
        self.patience = patience;
        let due = |(key, instance): (&Key, &Arc<Instance>)| {
            Dates::of(instance, patience).overdue.map(|at| ((at, *key), ()))
        };
        self.overdue = self.all.iter().filter_map(due).collect();
    }

    // ---- changes -----------------------------------------------------------------------------

    /// An id for a further instance: a UUID of version 1, by the time of day and the node of ids.
    ///
    /// **Source**: `marathon: core/instance/Instance.scala (Id)`. Match.
    pub(crate) fn new_id(&mut self, id: &PathId, unix_ms: u64, node: u64) -> Text {
        // From 1582-10-15 to 1970-01-01.
        let now = unix_ms.saturating_mul(10_000).saturating_add(0x01B2_1DD2_1381_4000);
        self.ticks = now.max(self.ticks.saturating_add(1));
        let ticks = self.ticks;
        let (low, mid, high) = (ticks & 0xFFFF_FFFF, ticks >> 32 & 0xFFFF, ticks >> 48 & 0x0FFF);
        let uuid = Uuid::of(low << 32 | mid << 16 | 0x1000 | high, node & 0x3FFF_FFFF_FFFF_FFFF | 1 << 63);
        [&id.safe(), ".instance-", uuid.as_str()].concat().into()
    }

    /// A further instance that waits for an offer, with an id of [`Self::new_id`].
    pub(crate) fn schedule(
        &mut self,
        spec_no: SpecNo,
        spec: &Arc<RunSpec>,
        id: Text,
        now: SimTime,
        cause: Cause,
    ) -> Key {
        let no = self.next;
        self.next += 1;
        let key = Key { spec: spec_no, no };
        self.ids.insert(id.clone(), key);
        let instance = Instance::scheduled(no, id, spec, now, cause);
        self.put(key, instance, None, None, cause);
        key
    }

    /// Puts an instance into its place and notes the change.
    fn put(&mut self, key: Key, mut now: Instance, before: Option<Before>, task: Option<Text>, cause: Cause) {
        now.shown.take();
        now.event = crate::causes::event_of(cause);
        let told = before.is_none_or(|before| before.condition != now.condition || before.goal != now.goal);
        let wanted = self.all.get(&key).is_some_and(|old| old.wants_offers());
        if now.wants_offers() && !wanted {
            self.wishes += 1;
            now.wish = self.wishes;
        }
        self.wish_changed |= now.wants_offers() != wanted;
        self.revisions += 1;
        now.revision = self.revisions;
        let now = Arc::new(now);
        self.count(key, Some(&now));
        let seen = now.condition;
        self.changes.push_back(Change {
            key,
            before,
            now: now.clone(),
            deleted: false,
            task,
            told,
            seen,
            cause,
        });
        self.all.insert(key, now);
    }

    /// Forgets an instance and notes the change.
    fn expunge(&mut self, key: Key, mut now: Instance, before: Before, task: Option<Text>, cause: Cause) {
        self.wish_changed |= self.all.get(&key).is_some_and(|old| old.wants_offers());
        self.count(key, None);
        self.all.remove(&key);
        self.ids.remove(&now.id);
        now.shown.take();
        let told = before.condition != now.condition || before.goal != now.goal;
        let seen = now.condition;
        self.changes.push_back(Change {
            key,
            before: None,
            now: Arc::new(now),
            deleted: true,
            task,
            told,
            seen,
            cause,
        });
    }

    /// Brings counts up to date before an instance is put in or taken out.
    fn count(&mut self, key: Key, now: Option<&Instance>) {
        let old = self.all.get(&key);
        let before = old.map(|old| Dates::of(old, self.patience));
        let after = now.map(|now| Dates::of(now, self.patience));
        let (old_counts, new_counts) = (old.map(|old| Counts::of(old)), now.map(Counts::of));
        // Both wait for offers or neither does, mostly.
        let wish = match (old, now) {
            (Some(old), Some(now)) if old.is_scheduled() == now.is_scheduled() => {
                let same = !now.is_scheduled() || old.wish == now.wish && old.role == now.role;
                (!same).then(|| (wishing_of(key.spec, old), wishing_of(key.spec, now)))
            }
            _ => Some((
                old.and_then(|old| wishing_of(key.spec, old)),
                now.and_then(|now| wishing_of(key.spec, now)),
            )),
        };
        if before != after {
            let (before, after) = (before.unwrap_or_default(), after.unwrap_or_default());
            replace(&mut self.overdue, key, before.overdue, after.overdue);
            replace(&mut self.giving_up, key, before.giving_up, after.giving_up);
            replace(&mut self.lost, key, before.lost, after.lost);
            if before.unreserving && !after.unreserving {
                self.unreserving.remove(&key);
            } else if after.unreserving && !before.unreserving {
                self.unreserving.insert(key, ());
            }
        }
        if let Some((old, new)) = wish {
            if let Some(old) = old {
                self.wishing.remove(&old);
            }
            if let Some(new) = new {
                self.wishing.insert(new, ());
            }
        }
        if let Some(role) = now.map(|now| &now.role).filter(|role| !self.roles.contains(*role)) {
            self.roles.insert(role.clone());
        }
        let (old, new) = (old_counts, new_counts);
        let was_waiting = old.is_some_and(|old| old.waiting > 0);
        let is_waiting = new.is_some_and(|new| new.waiting > 0);
        if was_waiting && !is_waiting {
            self.waiting.remove(&key);
        } else if is_waiting && !was_waiting {
            self.waiting.insert(key, ());
        }
        if old == new {
            return;
        }
        while self.counts.len() <= key.spec.0 as usize {
            self.counts.push(Counts::default());
        }
        let Some(counts) = self.counts.get_mut(key.spec.0 as usize) else { return };
        let waited = counts.waiting > 0;
        counts.take(old.unwrap_or_default());
        counts.add(new.unwrap_or_default());
        let waits = counts.waiting > 0;
        if waits && !waited {
            self.waiting_specs.insert(key.spec, ());
        } else if waited && !waits {
            self.waiting_specs.remove(&key.spec);
        }
    }

    fn before(&self, key: Key) -> Option<(Instance, Before)> {
        let now = self.all.get(&key)?;
        let before = Before { condition: now.condition, goal: now.goal, healthy: now.healthy };
        Some((Instance::clone(now), before))
    }

    /// An offer was accepted for an instance.
    pub(crate) fn provision(&mut self, key: Key, provision: Provision, now: SimTime, cause: Cause) {
        let Some((mut instance, before)) = self.before(key) else { return };
        instance.provisioned(provision.spec, provision.agent, provision.tasks, now);
        // Reported independent of the previous state.
        self.put(key, instance, Some(before), None, cause);
        self.tell_last();
    }

    fn tell_last(&mut self) {
        if let Some(change) = self.changes.back_mut() {
            change.told = true;
        }
    }

    /// Resources were reserved for an instance.
    pub(crate) fn reserve(
        &mut self,
        key: Key,
        reservation: Reservation,
        agent: Arc<AgentInfo>,
        cause: Cause,
    ) {
        let Some((mut instance, _)) = self.before(key) else { return };
        instance.reservation = Some(reservation);
        instance.agent = Some(agent);
        self.put(key, instance, None, None, cause);
    }

    /// Marks an instance's reservation as used by a task.
    pub(crate) fn use_reservation(&mut self, key: Key) {
        let Some((mut instance, _)) = self.before(key) else { return };
        if let Some(reservation) = &mut instance.reservation {
            reservation.state = ReservationState::Launched;
        }
        self.count(key, Some(&instance));
        instance.shown.take();
        let instance = Arc::new(instance);
        if let Some(change) = self.changes.back_mut().filter(|change| change.key == key) {
            change.now = instance.clone();
        }
        self.all.insert(key, instance);
    }

    /// A stopped instance that kept its reservation is wanted again, in this version.
    pub(crate) fn reschedule(&mut self, key: Key, spec: &Arc<RunSpec>, now: SimTime, cause: Cause) {
        let Some((mut instance, before)) = self.before(key) else { return };
        instance.rescheduled(spec, now, cause);
        self.put(key, instance, Some(before), None, cause);
        self.tell_last();
    }

    /// Something else is wanted of an instance. False when there is none.
    pub(crate) fn set_goal(&mut self, key: Key, goal: Goal, now: SimTime, cause: Cause) -> bool {
        let Some((mut instance, before)) = self.before(key) else { return false };
        instance.goal = goal;
        instance.asked = now;
        if instance.is_spent() {
            self.expunge(key, instance, before, None, cause);
        } else if before.goal != goal {
            self.put(key, instance, Some(before), None, cause);
        }
        true
    }

    /// Forgets an instance in any state.
    pub(crate) fn force_expunge(&mut self, key: Key, cause: Cause) {
        let Some((mut instance, before)) = self.before(key) else { return };
        instance.condition = Condition::Killed;
        self.expunge(key, instance, before, None, cause);
    }

    /// Forgets an instance whose reservation never showed up.
    pub(crate) fn time_out(&mut self, key: Key, cause: Cause) {
        let Some(condition) = self.all.get(&key).map(|instance| instance.condition) else { return };
        self.force_expunge(key, cause);
        if let Some(change) = self.changes.back_mut() {
            change.seen = condition;
        }
    }

    /// Takes over a task's status from Mesos. Returns false when it changes nothing.
    pub(crate) fn update(&mut self, key: Key, status: &Arc<TaskStatus>, now: SimTime, cause: Cause) -> bool {
        let Some((mut instance, before)) = self.before(key) else { return false };
        let condition = Condition::of(status);
        let Some(task) = instance.tasks.iter_mut().find(|task| task.id == status.task_id) else {
            return false;
        };
        let first_silence =
            condition == Condition::Unreachable && before.condition != Condition::UnreachableInactive;
        let changed = task.update(condition, status, now);
        if !changed && !first_silence {
            return false;
        }
        let id = task.id.clone();
        let has_ended = task.condition.is_terminal();
        if has_ended && let Some(reservation) = &mut instance.reservation {
            reservation.state = ReservationState::Suspended;
        }
        instance.refresh(now);
        let old = self.all.get(&key);
        if old.is_some_and(|old| old.same_state(&instance)) {
            return false;
        }
        if instance.is_scheduled() && old.is_some_and(|old| !old.is_scheduled() && !old.is_provisioned()) {
            instance.queued = now;
            instance.cause = cause;
        }
        if instance.is_expired(now) || instance.is_spent() {
            self.expunge(key, instance, before, Some(id), cause);
        } else {
            if instance.abandons_reservation() {
                instance.agent = None;
                instance.reservation = None;
                instance.condition = Condition::Scheduled;
            }
            self.put(key, instance, Some(before), Some(id), cause);
        }
        true
    }

    // ---- upkeep ------------------------------------------------------------------------------

    /// Lists broken invariants in words.
    pub(crate) fn check(&self) -> Vec<String> {
        let mut found = Vec::new();
        let mut counts: Map<SpecNo, Counts> = Map::new();
        for (key, instance) in self.iter() {
            counts.upsert(key.spec, Counts::default, |counts| counts.add(Counts::of(instance)));
            if self.waiting.contains_key(&key) != instance.is_scheduled() {
                found.push(format!("{}: waiting for an offer is not as kept", instance.id));
            }
            if wishing_of(key.spec, instance).is_some_and(|wishing| !self.wishing.contains_key(&wishing)) {
                found.push(format!("{}: its wish for an offer is not as kept", instance.id));
            }
            let dates = Dates::of(instance, self.patience);
            if self.unreserving.contains_key(&key) != dates.unreserving
                || dates.lost.is_some_and(|at| !self.lost.contains_key(&(at, key)))
                || dates.giving_up.is_some_and(|at| !self.giving_up.contains_key(&(at, key)))
            {
                found.push(format!("{}: what is due is not as kept", instance.id));
            }
            if self.ids.get(&instance.id) != Some(&key) {
                found.push(format!("{}: not found by its id", instance.id));
            }
        }
        if self.wishing.len() != self.waiting.len() {
            found.push(format!("{} wishes of {} that wait", self.wishing.len(), self.waiting.len()));
        }
        if self.ids.len() != self.all.len() {
            found.push(format!("{} ids of {} instances", self.ids.len(), self.all.len()));
        }
        if counts.len() != self.specs().count() || counts.iter().any(|(spec, all)| self.counts(*spec) != *all)
        {
            found.push("counts of instances are not as kept".to_owned());
        }
        let waiting = self.specs().filter(|(_, counts)| counts.waiting > 0).map(|(spec, _)| spec);
        if !waiting.eq(self.waiting_specs()) {
            found.push("specs that wait for offers are not as kept".to_owned());
        }
        if !self.changes.is_empty() {
            found.push(format!("{} changes without reaction", self.changes.len()));
        }
        found
    }
}

/// Due instants of an instance that nothing else would trigger.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Dates {
    overdue: Option<SimTime>,
    giving_up: Option<SimTime>,
    lost: Option<SimTime>,
    unreserving: bool,
}

impl Dates {
    fn of(instance: &Instance, patience: Patience) -> Self {
        let mut dates = Self { unreserving: instance.is_to_unreserve(), ..Self::default() };
        dates.overdue = reservation_deadline(instance);
        for task in &instance.tasks {
            let wait = match task.condition {
                Condition::Provisioned => patience.confirm_ms,
                Condition::Staging | Condition::Starting => patience.launch_ms,
                _ => continue,
            };
            // Later than that, not at once.
            let at = task.staged.saturating_add(wait).saturating_add(1);
            dates.overdue = Some(dates.overdue.map_or(at, |other| other.min(at)));
        }
        let Some((inactive, expunge)) = instance.spec.def.unreachable else { return dates };
        let since = instance.tasks.iter().filter_map(Task::unreachable_since).min();
        match instance.condition {
            Condition::Unreachable => dates.giving_up = since.map(|at| at.saturating_add(inactive)),
            Condition::UnreachableInactive => dates.lost = since.map(|at| at.saturating_add(expunge)),
            _ => {}
        }
        dates
    }
}

/// Returns when an unconfirmed reservation is given up.
pub(crate) fn reservation_deadline(instance: &Instance) -> Option<SimTime> {
    match instance.reservation.as_ref()?.state {
        ReservationState::New(deadline)
            if instance.is_scheduled() || instance.goal == Goal::Decommissioned =>
        {
            Some(deadline)
        }
        _ => None,
    }
}

fn replace(map: &mut Map<(SimTime, Key), ()>, key: Key, old: Option<SimTime>, new: Option<SimTime>) {
    if old == new {
        return;
    }
    if let Some(at) = old {
        map.remove(&(at, key));
    }
    if let Some(at) = new {
        map.insert((at, key), ());
    }
}

/// All keys of a spec.
fn spec_range(spec: SpecNo) -> std::ops::RangeInclusive<Key> {
    Key { spec, no: 0 }..=Key { spec, no: InstanceNo::MAX }
}

/// The id of the instance in the id of a task: `<instance>.<container>.<attempt>`.
pub(crate) fn instance_part(task_id: &str) -> &str {
    let dot = |text: &[u8]| text.iter().rposition(|byte| *byte == b'.');
    let bytes = task_id.as_bytes();
    let last = dot(bytes).and_then(|last| dot(bytes.get(..last)?));
    last.and_then(|last| task_id.get(..last)).unwrap_or_default()
}
