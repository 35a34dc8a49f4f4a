//! Tracks which new instances are healthy and ready.
//!
//! *Knows*: when an instance is healthy and ready, by the checks of its app. *Must not know*: the consequences.
//!
//! | health checks | readiness checks | healthy when | ready when |
//! |---|---|---|---|
//! | no | no | it runs | it runs |
//! | no | yes | it runs | first good answer |
//! | yes | no | all checks alive | the same |
//! | yes | yes | all checks alive | first good answer |
//!
//! **Source**: `marathon: core/deployment/impl/ReadinessBehavior.scala`. Match.

use super::JobEvent;
use crate::definition::RunSpec;
use crate::definition::spec::ReadinessDef;
use crate::health::status_line;
use crate::instances::instance::{Condition, Instance, InstanceNo};
use crate::instances::tracker::Key;
use planarium_kernel::{SortedMap, SortedSet};
use planarium_protocol::Text;
use std::sync::Arc;

/// New instances of a job.
#[derive(Clone, Debug, Default)]
pub(crate) struct Progress {
    pub(crate) healthy: SortedSet<InstanceNo>,
    pub(crate) ready: SortedSet<InstanceNo>,
    /// Readiness checks under way, by instance: the task that is asked.
    checking: SortedMap<Key, Text>,
}

/// Results of an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Heard {
    /// It was about something else.
    Nothing,
    /// It was understood.
    Understood,
    /// This instance may be healthy and ready now.
    Advanced(InstanceNo),
}

/// Returns the JSON of a readiness check's answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ReadinessResult {
    pub(crate) name: Text,
    pub(crate) task: Text,
    pub(crate) ready: bool,
    pub(crate) status: i32,
    pub(crate) body: Text,
    /// The answer is shown.
    pub(crate) keeps: bool,
}

/// Changes to readiness checks.
#[derive(Clone, Debug)]
pub(crate) enum Asking {
    /// An instance is asked from now on.
    Begins(Key, Arc<Instance>),
    /// An instance has answered. A ready one is not checked again.
    Answered(Key, ReadinessResult),
}

impl Progress {
    /// Returns whether exactly this many are healthy and ready.
    pub(crate) fn is(&self, count: u32) -> bool {
        let count = count as usize;
        self.healthy.len() == count && self.ready.len() == count
    }

    /// Returns whether an instance is both.
    pub(crate) fn is_done(&self, no: InstanceNo) -> bool {
        self.healthy.contains(&no) && self.ready.contains(&no)
    }

    /// An instance has ended.
    pub(crate) fn ended(&mut self, no: InstanceNo) {
        self.healthy.remove(&no);
        self.ready.remove(&no);
    }

    /// Instances that are asked whether they are ready.
    pub(crate) fn checking(&self) -> impl Iterator<Item = Key> + '_ {
        self.checking.keys().copied()
    }

    /// Asks an instance whether it is ready, unless its task is asked already.
    fn ask(&mut self, key: Key, instance: &Arc<Instance>) -> Option<Asking> {
        let task = instance.task().filter(|task| task.condition == Condition::Running)?;
        if self.checking.get(&key) == Some(&task.id) {
            return None;
        }
        self.checking.insert(key, task.id.clone());
        Some(Asking::Begins(key, instance.clone()))
    }

    /// Handles an event that may concern health or readiness.
    pub(crate) fn hear(&mut self, spec: &RunSpec, news: &JobEvent<'_>) -> (Heard, Option<Asking>) {
        let version = spec.version.version;
        if let JobEvent::Changed(change) = news
            && change.now.condition != Condition::Running
        {
            // Its check has ended; when it runs again, even with the same task, it is checked again.
            self.checking.remove(&change.key);
        }
        match news {
            JobEvent::Changed(change)
                if change.now.condition == Condition::Running && change.now.version() == version =>
            {
                let (no, key) = (change.key.no, change.key);
                match (spec.has_health(), &spec.def.readiness) {
                    (false, None) => {
                        self.healthy.insert(no);
                        self.ready.insert(no);
                        (Heard::Advanced(no), None)
                    }
                    (false, Some(_)) => {
                        self.healthy.insert(no);
                        (Heard::Understood, self.ask(key, &change.now))
                    }
                    (true, Some(_)) => (Heard::Understood, self.ask(key, &change.now)),
                    (true, None) => (Heard::Nothing, None),
                }
            }
            JobEvent::Health { no, version: of, healthy: Some(true) }
                if *of == version && spec.has_health() && !self.healthy.contains(no) =>
            {
                self.healthy.insert(*no);
                if spec.def.readiness.is_none() {
                    self.ready.insert(*no);
                }
                (Heard::Advanced(*no), None)
            }
            JobEvent::Readiness { key, instance, exit_code } => {
                let nothing = (Heard::Nothing, None);
                let Some(check) = &spec.def.readiness else { return nothing };
                let Some(task) = instance.task().filter(|task| self.checking.get(key) == Some(&task.id))
                else {
                    return nothing;
                };
                let result = readiness_result(check, *exit_code, &task.id);
                let heard = if result.ready {
                    self.ready.insert(key.no);
                    Heard::Advanced(key.no)
                } else {
                    Heard::Understood
                };
                (heard, Some(Asking::Answered(*key, result)))
            }
            JobEvent::Changed(_) | JobEvent::Gone(_) | JobEvent::Health { .. } => (Heard::Nothing, None),
        }
    }

    /// A new instance that was there before the job.
    pub(crate) fn look_at(
        &mut self,
        spec: &RunSpec,
        key: Key,
        instance: &Arc<Instance>,
        known_healthy: bool,
    ) -> Option<Asking> {
        if !spec.has_health() || known_healthy {
            self.healthy.insert(key.no);
        }
        if spec.def.readiness.is_some() {
            return self.ask(key, instance);
        }
        self.ready.insert(key.no);
        None
    }
}

/// Maps an exit code of a simulated check: 0 is the first HTTP code that counts as ready, numbers from 100 on are HTTP
/// codes, others are a server error; `None` is a timeout.
fn readiness_result(check: &ReadinessDef, exit_code: Option<i32>, task: &Text) -> ReadinessResult {
    let good = check.codes.first().copied().and_then(|code| i32::try_from(code).ok()).unwrap_or(200);
    let (status, body) = match exit_code {
        Some(0) => (good, String::new()),
        Some(code @ 100..=599) => (code, status_line(code)),
        Some(_) => (503, status_line(503)),
        None => (504, format!("Marathon could not query {}: Timeout", check.path)),
    };
    let ready = exit_code.is_some() && check.codes.contains(&i64::from(status));
    ReadinessResult {
        name: check.name.clone(),
        task: task.clone(),
        ready,
        status,
        body: body.into(),
        keeps: check.keeps,
    }
}
