//! Apps with the data about their instances.
//!
//! **Source**: `marathon: core/appinfo/impl/AppInfoBaseData.scala, core/appinfo/TaskCounts.scala, TaskStatsByVersion.scala,
//! api/v2/InfoEmbedResolver.scala`. Match.

use super::apps::unknown_app;
use super::labels::Selector;
use super::reader::Reader;
use super::route::Query;
use super::{Answer, Done};
use crate::definition::peek::Peek;
use crate::definition::write::{self, Dates};
use crate::definition::{Refused, RunSpec, into_map};
use crate::deployments::jobs::progress::ReadinessResult;
use crate::id::PathId;
use crate::instances::instance::Instance;
use planarium_kernel::{SimTime, sorted};
use planarium_mesos::api::TaskState;
use planarium_protocol::json;
use serde_json::{Map, Value};
use std::sync::Arc;

/// Embedded parts of apps.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Embed {
    pub(super) tasks: bool,
    pub(super) counts: bool,
    pub(super) deployments: bool,
    pub(super) readiness: bool,
    pub(super) failure: bool,
    pub(super) stats: bool,
}

impl Embed {
    /// Reads the words; each may have one of the prefixes.
    pub(super) fn of<'w>(words: impl Iterator<Item = &'w str>, prefixes: &[&str]) -> Self {
        let mut embed = Self::default();
        for word in words {
            let Some(word) = prefixes.iter().find_map(|prefix| word.strip_prefix(prefix)) else { continue };
            match word {
                "tasks" => (embed.tasks, embed.deployments) = (true, true),
                "failures" => (embed.tasks, embed.failure, embed.deployments) = (true, true, true),
                "counts" => embed.counts = true,
                "deployments" => embed.deployments = true,
                "readiness" => embed.readiness = true,
                "lastTaskFailure" => embed.failure = true,
                "taskStats" => embed.stats = true,
                _ => {}
            }
        }
        embed
    }
}

const OF_APPS: [&str; 3] = ["apps.", "app.", ""];

/// Counts of tasks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct TaskCounts {
    pub(crate) staged: u32,
    pub(crate) running: u32,
    pub(crate) healthy: u32,
    pub(crate) unhealthy: u32,
}

impl Reader<'_> {
    /// Counts of the tasks of instances.
    pub(crate) fn task_counts<'i>(
        &self,
        instances: impl Iterator<Item = &'i Arc<Instance>>,
        now: SimTime,
    ) -> TaskCounts {
        let mut counts = TaskCounts::default();
        for instance in instances.filter(|instance| !instance.is_scheduled()) {
            let Some(task) = instance.task() else { continue };
            match task.status.as_ref().map(|status| status.state) {
                None | Some(TaskState::Staging) => counts.staged += 1,
                Some(TaskState::Running) => counts.running += 1,
                Some(_) => {}
            }
            let health = self.health_of(instance, now);
            if !health.is_empty() {
                if health.iter().all(crate::health::Health::is_alive) {
                    counts.healthy += 1;
                } else {
                    counts.unhealthy += 1;
                }
            }
        }
        counts
    }

    /// Returns an app with its embedded data.
    pub(super) fn app_info(&self, app: &RunSpec, embed: Embed, now: SimTime) -> Value {
        let mut all = into_map(write::spec(app, &self.records.setup.calendar));
        let instances =
            self.records.known_number(&app.id).map(|no| self.records.instances_of(no)).unwrap_or_default();
        let mut put = |key: &str, value: Value| _ = all.insert(key.to_owned(), value);
        if embed.counts {
            let counts = self.task_counts(instances.iter(), now);
            put("tasksStaged", counts.staged.into());
            put("tasksRunning", counts.running.into());
            put("tasksHealthy", counts.healthy.into());
            put("tasksUnhealthy", counts.unhealthy.into());
        }
        if embed.deployments {
            let mine = self.deployments.running().filter(|one| one.plan.affected().contains(&app.id));
            put("deployments", Value::Array(mine.map(|one| json!({"id": one.plan.id})).collect()));
        }
        if embed.readiness {
            put("readinessCheckResults", Value::Array(self.readiness_of(&app.id)));
        }
        if embed.tasks {
            let tasks =
                instances.iter().filter_map(|instance| self.task_json(instance, instance.task()?, &[], now));
            put("tasks", Value::Array(tasks.collect()));
        }
        if embed.failure
            && let Some(failure) = self.records.run_of(&app.id).and_then(|run| run.failure.clone())
        {
            let mut json = json!({
                "appId": app.id.as_str(), "host": failure.host, "message": failure.message, "state": failure.state,
                "taskId": failure.task, "timestamp": self.records.setup.calendar.at(failure.at),
                "version": self.records.setup.calendar.date(failure.version),
            });
            if let (Some(all), Some(agent)) = (json.as_object_mut(), &failure.agent_id) {
                all.insert("slaveId".to_owned(), (&**agent).into());
            }
            put("lastTaskFailure", json);
        }
        if embed.stats {
            put("tasksStats", self.stats_by_version(app, &instances, now));
        }
        self.leave_out_unknown(&mut all);
        Value::Object(all)
    }

    /// Returns the definition of an app or pod.
    pub(super) fn definition_json(&self, spec: &RunSpec) -> Value {
        let mut all = into_map(write::spec(spec, &self.records.setup.calendar));
        self.leave_out_unknown(&mut all);
        Value::Object(all)
    }

    /// Leaves out fields of an app that the client of PyPI does not know, where that is asked for.
    fn leave_out_unknown(&self, app: &mut Map<String, Value>) {
        if self.records.setup.settings.client_compat {
            for key in ["check", "tty", "executorResources", "resourceLimits", "tasksStats"] {
                app.shift_remove(key);
            }
        }
    }

    /// Answers of readiness checks of an app in running deployments.
    fn readiness_of(&self, id: &PathId) -> Vec<Value> {
        let mut all = Vec::new();
        for deployment in self.deployments.running() {
            for result in deployment.readiness.values() {
                let of = self
                    .records
                    .instances
                    .of_task(&result.task)
                    .is_some_and(|(_, instance)| instance.spec_id() == id);
                if of {
                    all.push(readiness_json(result));
                }
            }
        }
        all
    }

    fn stats_by_version(&self, app: &RunSpec, instances: &[Arc<Instance>], now: SimTime) -> Value {
        let mut all = Map::new();
        let launched = |instance: &&Arc<Instance>| !instance.is_scheduled() && instance.task().is_some();
        let mut put = |name: &str, fits: &dyn Fn(&Instance) -> bool| {
            let mine: Vec<&Arc<Instance>> =
                instances.iter().filter(launched).filter(|instance| fits(instance)).collect();
            if mine.is_empty() {
                return;
            }
            let counts = self.task_counts(mine.iter().copied(), now);
            let mut stats = json!({"counts": {"staged": counts.staged, "running": counts.running,
                "healthy": counts.healthy, "unhealthy": counts.unhealthy}});
            let mut lives: Vec<u64> = mine
                .iter()
                .filter_map(|instance| instance.task()?.started)
                .map(|started| now.since(started))
                .collect();
            if let (Some(stats), false) = (stats.as_object_mut(), lives.is_empty()) {
                sorted::sort(&mut lives);
                let sum: u64 = lives.iter().sum();
                let count = lives.len() as u64;
                let middle = lives.len() / 2;
                let at = |at: usize| lives.get(at).copied().unwrap_or_default();
                let median = if lives.len() % 2 == 1 {
                    at(middle)
                } else {
                    at(middle.saturating_sub(1)).midpoint(at(middle))
                };
                let seconds = |ms: u64| crate::schema::plain(millis(ms));
                stats.insert(
                    "lifeTime".to_owned(),
                    json!({"averageSeconds": seconds(sum / count), "medianSeconds": seconds(median)}),
                );
            }
            all.insert(name.to_owned(), json!({"stats": stats}));
        };
        let info = app.version;
        put("startedAfterLastScaling", &|instance| instance.version() >= info.scaled);
        put("withLatestConfig", &|instance| instance.version() >= info.changed);
        put("withOutdatedConfig", &|instance| instance.version() < info.changed);
        put("totalSummary", &|_| true);
        Value::Object(all)
    }

    /// Apps of a group and of those below it.
    pub(super) fn apps_within(&self, group: &PathId, embed: Embed, now: SimTime) -> Vec<Value> {
        let apps = self.records.definitions.root.specs_within(group).filter(|spec| spec.is_app());
        apps.map(|app| self.app_info(app, embed, now)).collect()
    }

    pub(super) fn list_apps(&self, now: SimTime, query: &Query) -> Answer {
        let mut embed = Embed::of(query.all("embed"), &OF_APPS);
        (embed.counts, embed.deployments) = (true, true);
        let lower = |name: &str| query.get(name).map(str::to_lowercase);
        let (cmd, id) = (lower("cmd"), lower("id"));
        let selector = match query.get("label").map(Selector::of) {
            Some(Err(text)) => return Answer::json(json!({"message": text})).with_status(422),
            Some(Ok(selector)) => selector,
            None => Selector::default(),
        };
        let fits = |app: &&Arc<RunSpec>| {
            cmd.as_deref().is_none_or(|cmd| app.def.json.word("cmd").to_lowercase().contains(cmd))
                && (cmd.is_none() || app.def.json.contains_key("cmd"))
                && id.as_deref().is_none_or(|id| app.id.as_str().to_lowercase().contains(id))
                && selector.fits(app.def.json.object("labels"))
        };
        let apps = self.records.definitions.root.specs.values().filter(|spec| spec.is_app()).filter(fits);
        let apps: Vec<Value> = apps.map(|app| self.app_info(app, embed, now)).collect();
        Answer::json(json!({"apps": apps}))
    }

    pub(super) fn show_app(&self, now: SimTime, id: &str, query: &Query) -> Done {
        let mut embed = Embed::of(query.all("embed"), &OF_APPS);
        (embed.counts, embed.tasks, embed.failure, embed.deployments) = (true, true, true, true);
        if let Some(group) = id.strip_suffix("/*") {
            let group = PathId::absolute(group);
            self.records.definitions.root.group(&group).ok_or_else(|| unknown_group(&group))?;
            return Ok(Answer::json(json!({"*": self.apps_within(&group, embed, now)})));
        }
        let id = PathId::absolute(id);
        let app = self.records.definitions.root.app(&id).ok_or_else(|| unknown_app(&id))?;
        Ok(Answer::json(json!({"app": self.app_info(app, embed, now)})))
    }
}

/// No group has that id.
pub(super) fn unknown_group(id: &PathId) -> Refused {
    Refused::NotFound(format!("Group '{id}' does not exist"))
}

/// Returns the JSON of a readiness check's answer.
pub(super) fn readiness_json(result: &ReadinessResult) -> Value {
    let mut json = json!({"name": result.name, "taskId": result.task, "ready": result.ready});
    if let (Some(all), true) = (json.as_object_mut(), result.keeps) {
        let response = json!({"status": result.status, "contentType": "text/plain", "body": result.body});
        all.insert("lastResponse".to_owned(), response);
    }
    json
}

/// Seconds with their fraction.
#[expect(clippy::cast_precision_loss, reason = "lifetimes are far below where it would matter")]
fn millis(ms: u64) -> f64 {
    ms as f64 / 1000.0
}
