//! Handles results of checks.
//!
//! *Knows*: that a result may notify listeners, kill an instance, and change its health for deployments. *Must not
//! know*: the effect of a result, which [`Checks`](crate::health::Checks) decides.
//!
//! **Source**: `marathon: core/health/impl/HealthCheckActor.scala, MarathonHealthCheckManager.scala`. Match.

use crate::apps::Failure;
use crate::causes::event_of;
use crate::definition::spec::Stamp;
use crate::deployments::jobs::JobEvent;
use crate::events::Happening;
use crate::health::{CheckResult, LastFailure, Overall, Report};
use crate::instances::instance::{Condition, Instance};
use crate::instances::tracker::{Change, Key, SpecNo, Tracked};
use crate::marathon::Marathon;
use crate::port::Port;
use std::sync::Arc;

impl Marathon {
    /// Passes results of the agent's checks to the checks of the version.
    pub(crate) fn agent_checks(&mut self, port: &mut Port<'_>, change: &Change) {
        let instance = &change.now;
        if change.deleted || !instance.condition.is_active() {
            // The last status of a task repeats its previous health: the end is not a success.
            return;
        }
        let version = instance.version();
        let healthy = instance.tasks.iter().filter_map(|task| task.status.as_ref()?.healthy);
        let healthy: Vec<bool> = healthy.collect();
        let of = Tracked { key: change.key, instance };
        for healthy in healthy {
            let result = if healthy { CheckResult::Healthy } else { CheckResult::Unhealthy("".into()) };
            for (at, _) in instance.spec.def.health.iter().enumerate().filter(|(_, check)| check.by_agent) {
                self.health_result(port, of, version, at, &result);
            }
        }
    }

    /// Restores the last results of the agents' checks of an app's instances. Checks are not reported, only instances.
    ///
    /// **Source**: `marathon: core/health/impl/MarathonHealthCheckManager.scala (addAllFor)`. Match.
    pub(crate) fn take_health_over(&mut self, port: &mut Port<'_>, no: SpecNo) {
        let (now, event) = (port.cx.now(), event_of(port.cx.cause()));
        for instance in self.records.instances_of(no).iter().filter(|one| one.condition == Condition::Running)
        {
            let (key, version) = (Key { spec: no, no: instance.no }, instance.version());
            for healthy in instance.tasks.iter().filter_map(|task| task.status.as_ref()?.healthy) {
                let result = if healthy { CheckResult::Healthy } else { CheckResult::Unhealthy("".into()) };
                for (check, _) in (0..).zip(&instance.spec.def.health).filter(|(_, check)| check.by_agent) {
                    let checks = self.records.run_mut(no).and_then(|run| run.checks.get_mut(&version));
                    let Some(checks) = checks else { continue };
                    let report = Report { check, result: &result, at: now, event };
                    let outcome = Arc::make_mut(checks).result(key.no, instance, report);
                    if let Some(Overall { healthy }) = outcome.overall {
                        self.records.touch(no);
                        self.health_changed(port, key, instance, version, healthy);
                    }
                }
            }
        }
    }

    /// A check has a result.
    pub(crate) fn health_result(
        &mut self,
        port: &mut Port<'_>,
        of: Tracked<'_>,
        version: Stamp,
        at: usize,
        result: &CheckResult,
    ) {
        let Tracked { key, instance } = of;
        let (now, event) = (port.cx.now(), event_of(port.cx.cause()));
        let Some(checks) = self.records.run_mut(key.spec).and_then(|run| run.checks.get_mut(&version)) else {
            return;
        };
        let report = Report { check: u32::try_from(at).unwrap_or(u32::MAX), result, at: now, event };
        let outcome = Arc::make_mut(checks).result(key.no, instance, report);
        let checks = checks.clone();
        let id = checks.spec.id.clone();
        if outcome.failed
            && let Some(check) = checks.check(at)
        {
            let (instance, check) = (instance.id.clone(), check.json.clone());
            self.records.publish(port.cx, Happening::CheckFailed { id: id.clone(), instance, check });
        }
        if let Some(failure) = outcome.kill.filter(|_| instance.condition != Condition::Unreachable) {
            self.kill_unhealthy(port, of, version, failure);
        }
        if outcome.flipped
            && let Some(health) = checks.seen(key.no, at, now)
        {
            self.records.say_health(port.cx, of, health.is_alive(), at);
            self.records.publish(port.cx, Happening::Alive { id, version, health: Arc::new(health) });
        }
        if let Some(Overall { healthy }) = outcome.overall {
            self.records.touch(key.spec);
            self.health_changed(port, key, instance, version, healthy);
        }
    }

    fn kill_unhealthy(&mut self, port: &mut Port<'_>, of: Tracked<'_>, version: Stamp, last: LastFailure) {
        let Tracked { key, instance } = of;
        let LastFailure { at, cause: reason } = last;
        let what =
            Happening::UnhealthyKill { instance: instance.clone(), version, reason: reason.clone(), at };
        self.records.publish(port.cx, what);
        let text = "a health check has failed too often";
        let cause = self.records.say_instance(port.cx, "instance-unhealthy", of, text);
        if let Some(task) = instance.task() {
            let failure = Failure {
                at,
                task: task.id.clone(),
                host: instance
                    .agent
                    .as_ref()
                    .map_or_else(|| "unknown".into(), |agent| agent.hostname.clone()),
                agent_id: instance.agent.as_ref().map(|agent| agent.agent_id.clone()),
                state: "TASK_KILLED",
                message: format!("Task was killed since health check failed. Reason: {reason}").into(),
                version,
                event: event_of(cause),
            };
            if let Some(run) = self.records.run_mut(key.spec) {
                run.failure = Some(Arc::new(failure));
            }
        }
        port.scoped(cause, |port| {
            self.kills.kill_instances(&mut self.records, port, &[(key, instance.clone())]);
        });
    }

    /// Health of an instance as its agent sees it, or as all checks together do.
    pub(crate) fn health_changed(
        &mut self,
        port: &mut Port<'_>,
        key: Key,
        instance: &Arc<Instance>,
        version: u64,
        healthy: Option<bool>,
    ) {
        let (id, spec) = (instance.id.clone(), instance.spec_id().clone());
        self.records.publish(port.cx, Happening::HealthChanged { instance: id, spec, version, healthy });
        self.deploying(port).job_hears(key.spec, &JobEvent::Health { no: key.no, version, healthy });
    }
}
