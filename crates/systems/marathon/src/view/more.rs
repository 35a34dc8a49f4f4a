//! Marathon's own view in addition to plans and instances: counts of every app, the course of rolling restarts.
//!
//! *Knows*: the shape, which belongs to this crate. *Must not know*: how it is drawn.
//!
//! ```text
//! {"apps": {"/shop/db": {"wanted", "old", "new", "healthy", "running", "waiting", "delayUntil", "version"}},
//!  "deployments": {"deployment-1": {"id", "step", "steps", "stage", "since", "over",
//!      "restarts": {"/shop/db": {"wanted", "minHealthy", "maxCapacity", "curve": [[ms, old, new, healthy]]}}}}}
//! ```

use super::Shown;
use crate::definition::write::Dates;
use crate::deployments::jobs::Work;
use crate::deployments::jobs::replacing::Replacing;
use crate::deployments::{Deployment, Stage};
use crate::instances::instance::{Condition, Goal};
use crate::instances::tracker::SpecNo;
use crate::shown;
use planarium_protocol::json;
use serde_json::{Map, Value};

/// Counts of an app.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct AppCounts {
    /// Live instances of other versions than the present one.
    pub(crate) old: u32,
    /// Live instances of the present version.
    pub(crate) new: u32,
    /// Those of all that count as healthy.
    pub(crate) healthy: u32,
    pub(crate) running: u32,
    pub(crate) waiting: u32,
}

impl Shown<'_> {
    /// Counts of an app or pod.
    pub(crate) fn app_counts(&self, no: SpecNo) -> AppCounts {
        let mut counts = AppCounts::default();
        let changed = self
            .records
            .run(no)
            .and_then(|run| self.records.definitions.root.spec(&run.id))
            .map(|spec| spec.version.changed);
        for (key, instance) in self.records.instances.of_spec(no) {
            if instance.is_scheduled() {
                counts.waiting += 1;
            }
            if !instance.condition.is_active() {
                continue;
            }
            if changed.is_some_and(|changed| instance.version() >= changed) {
                counts.new += 1;
            } else {
                counts.old += 1;
            }
            if instance.condition == Condition::Running {
                counts.running += 1;
                let healthy =
                    instance.goal == Goal::Running && self.records.is_considered_healthy(key, instance);
                counts.healthy += u32::from(healthy);
            }
        }
        counts
    }

    pub(super) fn more(&self) -> Value {
        let mut apps = Map::new();
        for (no, run) in self.records.apps.iter().filter(|(_, run)| !run.shown.is_empty()) {
            let counts = self.app_counts(no);
            let spec = self.records.definitions.root.spec(&run.id);
            let mut app = json!({
                "wanted": spec.map_or(0, |spec| spec.instances),
                "old": counts.old,
                "new": counts.new,
                "healthy": counts.healthy,
                "running": counts.running,
                "waiting": counts.waiting,
            });
            if let Some(all) = app.as_object_mut()
                && let Some(spec) = spec
            {
                all.insert(
                    "version".to_owned(),
                    self.records.setup.calendar.date(spec.version.version).into(),
                );
                if let Some(delay) = run.backoff.get(spec) {
                    all.insert("delayUntil".to_owned(), delay.until().ms().into());
                }
            }
            apps.insert(run.id.to_string(), app);
        }
        let mut deployments = Map::new();
        for deployment in self.deployments.iter() {
            deployments.insert(shown::deployment_name(deployment.no), self.more_of(deployment));
        }
        json!({"apps": Value::Object(apps), "deployments": Value::Object(deployments)})
    }

    fn more_of(&self, deployment: &Deployment) -> Value {
        let mut restarts = Map::new();
        let mut restart = |no: SpecNo, replacing: &Replacing| {
            let Some(run) = self.records.run(no) else { return };
            let wanted = deployment.plan.target.spec(&run.id).map_or(0, |spec| spec.instances);
            let curve: Vec<Value> = replacing
                .curve
                .iter()
                .map(|sample| json!([sample.at.ms(), sample.old, sample.new, sample.healthy]))
                .collect();
            let shape = json!({
                "wanted": wanted,
                "minHealthy": replacing.ignition.min_healthy,
                "maxCapacity": replacing.ignition.max_capacity,
                "curve": curve,
            });
            restarts.insert(run.id.to_string(), shape);
        };
        for (no, replacing) in &deployment.curves {
            restart(*no, replacing);
        }
        for no in deployment.open.iter().filter(|_| deployment.is_running()) {
            let job = self.records.run(*no).and_then(|run| run.job.as_ref());
            if let Some(Work::Replacing(replacing)) = job.map(|job| &job.work) {
                restart(*no, replacing);
            }
        }
        let stage = match deployment.stage {
            Stage::Scheduled => shown::SCHEDULED,
            Stage::Deploying => shown::DEPLOYING,
            Stage::Finished => shown::FINISHED,
            Stage::Canceled => shown::CANCELED,
        };
        json!({
            "id": deployment.plan.id,
            "version": self.records.setup.calendar.date(deployment.plan.version),
            "stage": stage,
            "step": deployment.step,
            "steps": deployment.plan.steps.len(),
            "since": deployment.since.ms(),
            "over": deployment.over.map(planarium_kernel::SimTime::ms),
            "restarts": Value::Object(restarts),
        })
    }
}
