//! Which new instances are healthy and ready.
//!
//! *Knows*: what makes an instance healthy and ready, by the checks that its app has. *Must not know*: what is done then.
//!
//! | health checks | readiness checks | healthy when | ready when |
//! |---|---|---|---|
//! | no | no | it runs | it runs |
//! | no | yes | it runs | first good answer |
//! | yes | no | all checks alive | the same |
//! | yes | yes | all checks alive | first good answer |
//!
//! **Source**: `marathon: core/deployment/impl/ReadinessBehavior.scala`. Match.

use super::super::health::status_line;
use super::super::instance::{Condition, Instance};
use super::super::tracker::Key;
use super::super::{Marathon, deployments::ReadinessResult};
use super::News;
use crate::definition::RunSpec;
use crate::definition::spec::ReadinessDef;
use crate::deploy::plan::InstanceNo;
use planarium_kernel::{SortedMap, SortedSet};
use planarium_mesos::Cluster;
use planarium_part::Cx;
use planarium_protocol::Text;

/// New instances of a job.
#[derive(Clone, Debug, Default)]
pub(crate) struct Progress {
    pub(crate) healthy: SortedSet<InstanceNo>,
    pub(crate) ready: SortedSet<InstanceNo>,
    /// Readiness checks under way, by instance: the task that is asked.
    checking: SortedMap<Key, Text>,
}

/// What came of news.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Heard {
    /// It was about something else.
    Nothing,
    /// It was understood.
    Understood,
    /// This instance may be healthy and ready now.
    Advanced(InstanceNo),
}

impl Progress {
    /// Exactly so many are healthy and ready.
    pub(crate) fn is(&self, count: usize) -> bool {
        self.healthy.len() == count && self.ready.len() == count
    }

    /// Whether an instance is both.
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

    fn check(
        &mut self,
        marathon: &mut Marathon,
        cx: &mut Cx,
        cluster: &mut Cluster,
        (key, instance): (Key, &Instance),
        check: &ReadinessDef,
    ) {
        let Some(task) = instance.task().filter(|task| task.condition == Condition::Running) else { return };
        if self.checking.get(&key) != Some(&task.id) {
            self.checking.insert(key, task.id.clone());
            marathon.watch_readiness(cx, cluster, key, instance, check);
        }
    }

    /// News that may concern health or readiness.
    pub(crate) fn hear(
        &mut self,
        marathon: &mut Marathon,
        cx: &mut Cx,
        cluster: &mut Cluster,
        (spec, deployment): (&RunSpec, u32),
        news: &News<'_>,
    ) -> Heard {
        let version = spec.version.version;
        if let News::Changed(change) = news
            && change.now.condition != Condition::Running
        {
            // Nobody asks it any more; when it runs again, even by the same task, it is asked anew.
            self.checking.remove(&change.key);
        }
        match news {
            News::Changed(change)
                if change.now.condition == Condition::Running && change.now.version() == version =>
            {
                let (no, key) = (change.key.no, change.key);
                match (spec.has_health(), &spec.def.readiness) {
                    (false, None) => {
                        self.healthy.insert(no);
                        self.ready.insert(no);
                        Heard::Advanced(no)
                    }
                    (false, Some(check)) => {
                        self.healthy.insert(no);
                        self.check(marathon, cx, cluster, (key, &change.now), check);
                        Heard::Understood
                    }
                    (true, Some(check)) => {
                        self.check(marathon, cx, cluster, (key, &change.now), check);
                        Heard::Understood
                    }
                    (true, None) => Heard::Nothing,
                }
            }
            News::Health { no, version: of, healthy: Some(true) }
                if *of == version && spec.has_health() && !self.healthy.contains(no) =>
            {
                self.healthy.insert(*no);
                if spec.def.readiness.is_none() {
                    self.ready.insert(*no);
                }
                Heard::Advanced(*no)
            }
            News::Readiness { key, instance, exit_code } => {
                let Some(check) = &spec.def.readiness else { return Heard::Nothing };
                let Some(task) = instance.task().filter(|task| self.checking.get(key) == Some(&task.id))
                else {
                    return Heard::Nothing;
                };
                let result = readiness_result(check, *exit_code, &task.id);
                let is_ready = result.ready;
                marathon.note_readiness(cx, deployment, result);
                if !is_ready {
                    return Heard::Understood;
                }
                self.ready.insert(key.no);
                marathon.unwatch_readiness(cluster, *key);
                Heard::Advanced(key.no)
            }
            News::Changed(_) | News::Gone(_) | News::Health { .. } => Heard::Nothing,
        }
    }

    /// A new instance that was there before the job.
    pub(crate) fn look_at(
        &mut self,
        marathon: &mut Marathon,
        cx: &mut Cx,
        cluster: &mut Cluster,
        (key, instance): (Key, &Instance),
        spec: &RunSpec,
    ) {
        if !spec.has_health() || marathon.is_known_healthy(key, instance) {
            self.healthy.insert(key.no);
        }
        match &spec.def.readiness {
            Some(check) => self.check(marathon, cx, cluster, (key, instance), check),
            None => _ = self.ready.insert(key.no),
        }
    }
}

/// What an exit code of a simulated check means: 0 is the first code that counts as ready, numbers from 100 on are codes of HTTP,
/// others are an error of the server; none is no answer in time.
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
