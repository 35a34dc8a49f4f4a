//! The kill service: instances to kill, in portions, with retries.
//!
//! **Source**: `marathon: core/task/termination/impl/KillServiceActor.scala, KillAction.scala`. Match.

use crate::instances::instance::{Condition, Goal, Instance};
use crate::instances::tracker::{Key, Tracked};
use crate::port::Port;
use crate::records::Records;
use crate::timers::Job;
use planarium_kernel::{Cause, Class, Map, SimTime, SortedMap};
use planarium_mesos::api::Call;
use planarium_protocol::Text;
use std::sync::Arc;

/// A kill, asked for or under way.
#[derive(Clone, Debug)]
pub(crate) struct ToKill {
    pub(crate) key: Option<Key>,
    pub(crate) tasks: Arc<[Text]>,
    /// The instance at the time of the kill request.
    known: Option<Arc<Instance>>,
    pub(crate) attempts: u32,
    pub(crate) issued: SimTime,
    pub(crate) cause: Cause,
}

/// All kills, by id of the instance.
#[derive(Clone, Default)]
pub(crate) struct Kills {
    waiting: Map<Text, Arc<ToKill>>,
    in_flight: SortedMap<Text, Arc<ToKill>>,
}

impl Kills {
    /// A kill under way.
    pub(crate) fn in_flight(&self, instance: &str) -> Option<&Arc<ToKill>> {
        self.in_flight.get(instance)
    }

    /// Returns whether a kill waits until others are done.
    pub(crate) fn is_waiting(&self, instance: &str) -> bool {
        self.waiting.contains_key(instance)
    }

    /// Returns the number of active and of waiting kills.
    pub(crate) fn counts(&self) -> (usize, usize) {
        (self.in_flight.len(), self.waiting.len())
    }

    /// Takes the first waiting one.
    fn next(&mut self) -> Option<(Text, Arc<ToKill>)> {
        let id = self.waiting.keys().next()?.clone();
        let kill = self.waiting.remove(&id)?;
        Some((id, kill))
    }

    pub(crate) fn weight(&self) -> u64 {
        128 * (self.waiting.len() + self.in_flight.len()) as u64
    }

    /// Kills the tasks of an instance. It may be wanted again afterwards.
    pub(crate) fn kill_instances(
        &mut self,
        records: &mut Records,
        port: &mut Port<'_>,
        instances: &[(Key, Arc<Instance>)],
    ) {
        for (key, instance) in instances {
            if self.in_flight.contains_key(&instance.id) {
                continue;
            }
            let tasks = instance.tasks.iter().filter(|task| !task.condition.is_terminal());
            let tasks: Arc<[Text]> = tasks.map(|task| task.id.clone()).collect();
            if tasks.is_empty() {
                continue;
            }
            let kill = ToKill {
                key: Some(*key),
                tasks,
                known: Some(instance.clone()),
                attempts: 0,
                issued: SimTime::ZERO,
                cause: port.cx.cause(),
            };
            self.waiting.insert(instance.id.clone(), Arc::new(kill));
        }
        self.work_off(records, port);
    }

    /// Kills a task that should not be there.
    pub(crate) fn kill_unknown(
        &mut self,
        records: &mut Records,
        port: &mut Port<'_>,
        instance: Text,
        task: Text,
    ) {
        if self.in_flight.contains_key(&instance) {
            return;
        }
        let (tasks, cause) = (Arc::from([task]), port.cx.cause());
        let kill = ToKill { key: None, tasks, known: None, attempts: 0, issued: SimTime::ZERO, cause };
        self.waiting.insert(instance, Arc::new(kill));
        self.work_off(records, port);
    }

    /// An instance changed: it has ended, or is to end.
    pub(crate) fn hear(&mut self, records: &mut Records, port: &mut Port<'_>, changed: Tracked<'_>) {
        let Tracked { key, instance } = changed;
        if instance.condition.is_considered_terminal() {
            self.done(records, port, &instance.id);
        } else if instance.goal.is_terminal() && !self.waiting.contains_key(&instance.id) {
            self.kill_instances(records, port, &[(key, instance.clone())]);
        }
    }

    /// An instance has ended: others may be killed.
    pub(crate) fn done(&mut self, records: &mut Records, port: &mut Port<'_>, instance: &str) {
        let was = self.waiting.remove(instance).is_some();
        if self.in_flight.remove(instance).is_some() || was {
            self.work_off(records, port);
        }
    }

    fn work_off(&mut self, records: &mut Records, port: &mut Port<'_>) {
        let chunk = usize::try_from(records.setup.settings.kill_chunk).unwrap_or(usize::MAX);
        let room = chunk.saturating_sub(self.in_flight.len());
        for _ in 0..room {
            let Some((id, kill)) = self.next() else { break };
            self.carry_out(records, port, id, &kill);
        }
        if self.in_flight.is_empty() {
            records.timers.disarm(Job::KillRetry);
        } else if !records.timers.is_armed(Job::KillRetry) {
            let at = port.cx.now().saturating_add(records.setup.settings.kill_retry_ms);
            records.timers.arm(Job::KillRetry, at, Class::Periodic, port.cx.cause());
        }
    }

    fn carry_out(&mut self, records: &mut Records, port: &mut Port<'_>, id: Text, kill: &Arc<ToKill>) {
        match action(kill.known.as_deref()) {
            Action::Nothing => {}
            Action::Decommission => {
                if let Some(key) = kill.key {
                    records.set_goal(
                        port.cx,
                        key,
                        Goal::Decommissioned,
                        "its task cannot be killed where it is",
                    );
                }
            }
            Action::Ask => {
                let attempts = self.in_flight.get(&id).map_or(1, |kill| kill.attempts.saturating_add(1));
                let issued = port.cx.now();
                let under_way = ToKill { attempts, issued, ..ToKill::clone(kill) };
                self.in_flight.insert(id, Arc::new(under_way));
                let cause = port.cx.cause();
                port.cx.set_cause(kill.cause);
                for task in kill.tasks.iter() {
                    let call = Call::Kill { task_id: task.clone(), agent_id: None, grace_ms: None };
                    port.call(records.setup.framework, call);
                }
                port.cx.set_cause(cause);
            }
        }
    }

    /// Repeats kills without an effect.
    pub(crate) fn retry(&mut self, records: &mut Records, port: &mut Port<'_>) {
        let (now, after) = (port.cx.now(), records.setup.settings.kill_retry_ms);
        let due = self.in_flight.iter().filter(|(_, kill)| kill.issued.saturating_add(after) <= now);
        let due: Vec<(Text, Arc<ToKill>)> = due.map(|(id, kill)| (id.clone(), kill.clone())).collect();
        for (id, kill) in due {
            self.carry_out(records, port, id, &kill);
        }
        if !self.in_flight.is_empty() {
            let at = now.saturating_add(after);
            records.timers.arm(Job::KillRetry, at, Class::Periodic, port.cx.cause());
        }
    }

    /// Lists broken invariants in words.
    pub(crate) fn check(&self, records: &Records) -> Vec<String> {
        let most = usize::try_from(records.setup.settings.kill_chunk).unwrap_or(usize::MAX);
        let mut found = Vec::new();
        if self.in_flight.len() > most {
            found.push(format!("{} kills are under way, {most} may be", self.in_flight.len()));
        }
        if self.in_flight.is_empty() && records.timers.is_armed(Job::KillRetry) {
            found.push("kills are to be repeated, and there is none".to_owned());
        }
        found
    }
}

enum Action {
    Nothing,
    Ask,
    Decommission,
}

/// Returns the action on an instance: an unreachable one is expunged, unless a reservation waits for it.
fn action(known: Option<&Instance>) -> Action {
    let Some(instance) = known else { return Action::Ask };
    let is_lost = instance.condition.is_lost() || instance.condition == Condition::UnreachableInactive;
    if !is_lost || instance.goal != Goal::Running {
        Action::Ask
    } else if instance.reservation.is_some() {
        Action::Nothing
    } else {
        Action::Decommission
    }
}
