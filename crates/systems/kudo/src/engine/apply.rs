//! Applying objects.
//!
//! **Source**: `kudobuilder/kudo: pkg/engine/task/task_apply.go`. Match.

use std::sync::Arc;

use planarium_kube::{Object, ObjectRef};
use serde_json::Value;

use super::health::{self, Health};
use super::{At, Failure, LAST_APPLIED, Outcome, Prepared, Work};

impl Work<'_, '_> {
    /// Applies the objects of a task and asks whether they are healthy.
    pub(super) fn apply(&mut self, at: &At<'_>) -> Outcome {
        let rendered = self.rendered(at, false)?;
        let applied = self.apply_all(at, &rendered.objects)?;
        self.judge(at, &applied)
    }

    /// Creates or merges objects, in order; returns the cluster's answers.
    pub(super) fn apply_all(
        &mut self,
        at: &At<'_>,
        objects: &[Prepared],
    ) -> Result<Vec<Arc<Object>>, Failure> {
        let mut applied = Vec::with_capacity(objects.len());
        for object in objects {
            let reference = object.kind.map(|kind| ObjectRef::new(kind, &object.namespace, &object.name));
            let live = reference.and_then(|reference| self.kube.get(reference));
            if let Some(live) = live
                && let Some((version, value)) = self.memory.settled.get(&live.no)
                && *version == live.resource_version
                && Arc::ptr_eq(value, &object.value)
            {
                applied.push(Arc::clone(live));
                continue;
            }
            let exists = live.is_some();
            if live.is_some_and(|live| {
                live.annotations.get(LAST_APPLIED).is_none() && !live.annotations.is_empty()
            }) {
                let problem = "failed to get original configuration LastAppliedConfigAnnotation is not set";
                return Err(self.meta.fatal(at, problem, "TaskRenderingError"));
            }
            match self.kube.apply(self.cx, &object.value, LAST_APPLIED) {
                Ok(done) => {
                    let settled = (done.object.resource_version, Arc::clone(&object.value));
                    self.memory.settled.insert(done.object.no, settled);
                    applied.push(done.object);
                }
                Err(error) if exists => {
                    let shown = shown_kind(&object.value);
                    return Err(Failure::Transient(format!(
                        "failed to patch a {shown} {}/{}: failed to execute patch: {}",
                        object.namespace, object.name, error.message
                    )));
                }
                Err(error) => return Err(Failure::Transient(error.message)),
            }
        }
        Ok(applied)
    }

    /// Checks the health of all objects; stops at the first unhealthy one.
    fn judge(&mut self, at: &At<'_>, objects: &[Arc<Object>]) -> Outcome {
        let place = at.place();
        for object in objects {
            if self.memory.healthy.get(&object.no) == Some(&object.resource_version) {
                continue;
            }
            match health::of(object) {
                Health::Healthy => {
                    self.memory.healthy.insert(object.no, object.resource_version);
                }
                Health::Failed(message) => {
                    let problem = format!(
                        "object {}/{} is NOT healthy: fatal error: HealthUtil: {message}",
                        object.namespace, object.name
                    );
                    return Err(self.meta.fatal(at, &problem, "FailedTerminalStateError"));
                }
                Health::Unhealthy(message) | Health::Unclear(message) => {
                    let path = format!("{}/{}", object.info().kind, object.name);
                    self.memory.waits(place, Some((path.into(), message)));
                    return Ok(false);
                }
            }
        }
        self.memory.waits(place, None);
        Ok(true)
    }
}

/// `apps/v1, Kind=Deployment`.
fn shown_kind(value: &Value) -> String {
    let text = |key: &str| value.get(key).and_then(Value::as_str).unwrap_or_default();
    let api_version = text("apiVersion");
    let shown = if api_version.contains('/') { api_version.to_owned() } else { format!("/{api_version}") };
    format!("{shown}, Kind={}", text("kind"))
}
