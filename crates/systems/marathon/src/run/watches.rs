//! Checks from here: which processes are asked, and what becomes of the answers.
//!
//! *Knows*: when checks of an app begin and end, which process is which instance. *Must not know*: what a check makes of a
//! result; that is [`super::health`]'s.
//!
//! **Source**: `marathon: core/health/impl/MarathonHealthCheckManager.scala, HealthCheckActor.scala,
//! core/readiness/impl/ReadinessCheckExecutorImpl.scala`. Match; all tasks of one version are asked at the ticks of its checks.

use super::bus::Happening;
use super::health::{CheckResult, Checks, Overall, result_of};
use super::instance::{Condition, Instance};
use super::spec_run::Failure;
use super::tracker::{Change, Key, SpecNo};
use super::{Marathon, changes::event_of, work};
use crate::definition::RunSpec;
use crate::definition::spec::{ReadinessDef, Stamp};
use planarium_ground::{CheckKind, FleetEvent, FleetEventKind, Owner, ProcessId, Watch};
use planarium_kernel::SimTime;
use planarium_mesos::Cluster;
use planarium_part::Cx;
use planarium_protocol::Text;
use std::sync::Arc;

/// Owners of the world's processes begin here.
const OWNERS: u32 = 16;
/// Number of the readiness check; those of health checks are their places.
const READINESS: u32 = 1000;

impl Marathon {
    fn owner(&self) -> Owner {
        Owner(OWNERS.saturating_add(self.number.0))
    }

    /// Begins the health checks of a version, unless they are under way.
    pub(super) fn add_checks(&mut self, cx: &mut Cx, cluster: &mut Cluster, no: SpecNo, spec: &Arc<RunSpec>) {
        let version = spec.version.version;
        if !spec.is_app() || spec.def.health.is_empty() {
            return;
        }
        let Some(run) = self.run_mut(no).filter(|run| !run.checks.contains_key(&version)) else { return };
        run.checks.insert(version, Arc::new(Checks::new(spec.clone(), cx.now())));
        for check in &spec.def.health {
            let (id, check) = (spec.id.clone(), check.json.clone());
            self.publish(cx, Happening::CheckAdded { id, version, check });
        }
        let running: Vec<(Key, Arc<Instance>)> = self
            .tracker
            .of_spec(no)
            .filter(|(_, instance)| instance.version() == version && instance.condition == Condition::Running)
            .map(|(key, instance)| (key, instance.clone()))
            .collect();
        for (key, instance) in running {
            self.watch_health(cx, cluster, key, &instance);
        }
    }

    /// Ends all health checks of an app.
    pub(super) fn remove_checks(&mut self, cx: &mut Cx, cluster: &mut Cluster, no: SpecNo) {
        let Some(run) = self.run_mut(no) else { return };
        let (id, all) = (run.id.clone(), std::mem::take(&mut run.checks));
        for checks in all.values() {
            for _ in &checks.spec.def.health {
                self.publish(cx, Happening::CheckRemoved { id: id.clone() });
            }
        }
        if all.is_empty() {
            return;
        }
        for instance in self.instances_of(no) {
            self.stop_watching(cluster, Key { spec: no, no: instance.no }, &instance);
        }
    }

    /// Ends the checks of versions that no instance has any more.
    pub(super) fn drop_old_checks(&mut self, no: SpecNo) {
        let Some(run) = self.run(no).filter(|run| run.checks.len() > 1) else { return };
        let current = self.root.spec(&run.id).map(|spec| spec.version.version);
        let mut used: Vec<Stamp> = self.tracker.of_spec(no).map(|(_, instance)| instance.version()).collect();
        used.extend(current);
        if let Some(run) = self.run_mut(no) {
            run.checks.retain(|version, _| used.contains(version));
        }
    }

    /// The process of an instance's task.
    fn process_of(&self, cluster: &Cluster, instance: &Instance) -> Option<ProcessId> {
        cluster.probe(self.framework, &instance.task()?.id)?.process
    }

    /// Begins to ask an instance that runs.
    fn watch_health(&mut self, cx: &mut Cx, cluster: &mut Cluster, key: Key, instance: &Instance) {
        let Some(checks) = self.run(key.spec).and_then(|run| run.checks.get(&instance.version())).cloned()
        else {
            return;
        };
        if checks.spec.def.health.iter().all(|check| check.by_agent) {
            return;
        }
        let Some(pid) = self.process_of(cluster, instance) else { return };
        self.note_asked(key, pid);
        let owner = self.owner();
        for (at, check) in checks.spec.def.health.iter().enumerate().filter(|(_, check)| !check.by_agent) {
            let watch = Watch {
                owner,
                number: u32::try_from(at).unwrap_or(u32::MAX),
                kind: CheckKind::Health,
                command: check.asks.clone(),
                first: checks.tick_after(check, cx.now()),
                interval_ms: check.interval_ms,
                timeout_ms: check.timeout_ms,
                counted: check.max_failures > 0,
            };
            cluster.fleet_mut().watch(cx, pid, watch);
        }
    }

    /// Asks an instance nothing any more.
    fn stop_watching(&mut self, cluster: &mut Cluster, key: Key, instance: &Instance) {
        let Some(pid) = self.asked.remove(&key) else { return };
        self.watched.remove(&pid);
        let (owner, count) = (self.owner(), instance.spec.def.health.len());
        let fleet = cluster.fleet_mut();
        for number in 0..count {
            fleet.unwatch(pid, owner, u32::try_from(number).unwrap_or(u32::MAX));
        }
        fleet.unwatch(pid, owner, READINESS);
    }

    fn note_asked(&mut self, key: Key, pid: ProcessId) {
        if let Some(old) = self.asked.insert(key, pid) {
            self.watched.remove(&old);
        }
        self.watched.insert(pid, key);
    }

    /// Begins to ask whether an instance is ready.
    pub(super) fn watch_readiness(
        &mut self,
        cx: &mut Cx,
        cluster: &mut Cluster,
        key: Key,
        instance: &Instance,
        check: &ReadinessDef,
    ) {
        let Some(pid) = self.process_of(cluster, instance) else { return };
        self.note_asked(key, pid);
        let watch = Watch {
            owner: self.owner(),
            number: READINESS,
            kind: CheckKind::Readiness,
            command: check.path.clone(),
            first: cx.now(),
            interval_ms: check.interval_ms,
            timeout_ms: check.timeout_ms,
            counted: true,
        };
        cluster.fleet_mut().watch(cx, pid, watch);
    }

    /// Asks no more whether an instance is ready.
    pub(super) fn unwatch_readiness(&mut self, cluster: &mut Cluster, key: Key) {
        let Some(pid) = self.asked.get(&key).copied() else { return };
        let owner = self.owner();
        cluster.fleet_mut().unwatch(pid, owner, READINESS);
    }

    /// What a change of an instance means for its checks.
    pub(super) fn health_hears(&mut self, cx: &mut Cx, cluster: &mut Cluster, change: &Change) {
        let (key, now) = (change.key, cx.now());
        let (instance, no) = (&change.now, key.no);
        let runs = instance.condition == Condition::Running && !change.deleted;
        let ran = change.before.is_some_and(|before| before.condition == Condition::Running);
        if !runs {
            self.stop_watching(cluster, key, instance);
        }
        let Some(run) = self.run(key.spec).filter(|run| !run.checks.is_empty()) else { return };
        let versions: Vec<Stamp> = run.checks.keys().copied().collect();
        let active = instance.condition.is_active() && !change.deleted;
        let strict = self.settings.strict_health;
        if let Some(run) = self.run_mut(key.spec) {
            for version in &versions {
                let Some(checks) = run.checks.get_mut(version) else { continue };
                if change.deleted || (!active && !strict) {
                    Arc::make_mut(checks).forget(no);
                } else if !active {
                    Arc::make_mut(checks).instance_ended(no, now);
                } else if runs && !ran {
                    Arc::make_mut(checks).instance_runs(no, now);
                }
            }
        }
        if runs && !ran {
            self.watch_health(cx, cluster, key, instance);
        }
        self.agent_checks(cx, cluster, change);
    }

    /// What the agent's checks say goes to the checks of the version.
    fn agent_checks(&mut self, cx: &mut Cx, cluster: &mut Cluster, change: &Change) {
        let instance = &change.now;
        if change.deleted || !instance.condition.is_active() {
            // The last status of a task repeats what was known of it: that it has ended is no success.
            return;
        }
        let version = instance.version();
        let healthy = instance.tasks.iter().filter_map(|task| task.status.as_ref()?.healthy);
        let healthy: Vec<bool> = healthy.collect();
        for healthy in healthy {
            let result = if healthy { CheckResult::Healthy } else { CheckResult::Unhealthy("".into()) };
            for (at, _) in instance.spec.def.health.iter().enumerate().filter(|(_, check)| check.by_agent) {
                self.health_result(cx, cluster, change.key, instance, version, (at, &result));
            }
        }
    }

    /// What the agents' checks said last of the instances of an app is known again. Nobody is told of a check, only of instances.
    ///
    /// **Source**: `marathon: core/health/impl/MarathonHealthCheckManager.scala (addAllFor)`. Match.
    pub(super) fn take_health_over(&mut self, cx: &mut Cx, cluster: &mut Cluster, no: SpecNo) {
        let (now, event) = (cx.now(), event_of(cx.cause()));
        for instance in self.instances_of(no).iter().filter(|one| one.condition == Condition::Running) {
            let (key, version) = (Key { spec: no, no: instance.no }, instance.version());
            for healthy in instance.tasks.iter().filter_map(|task| task.status.as_ref()?.healthy) {
                let result = if healthy { CheckResult::Healthy } else { CheckResult::Unhealthy("".into()) };
                for (at, _) in instance.spec.def.health.iter().enumerate().filter(|(_, check)| check.by_agent)
                {
                    let checks = self.run_mut(no).and_then(|run| run.checks.get_mut(&version));
                    let Some(checks) = checks else { continue };
                    let outcome = Arc::make_mut(checks).result((key.no, at), instance, &result, (now, event));
                    if let Some(Overall { healthy }) = outcome.overall {
                        self.touch(no);
                        self.health_changed(cx, cluster, key, instance, version, healthy);
                    }
                }
            }
        }
    }

    /// A check has a result.
    fn health_result(
        &mut self,
        cx: &mut Cx,
        cluster: &mut Cluster,
        key: Key,
        instance: &Arc<Instance>,
        version: Stamp,
        (at, result): (usize, &CheckResult),
    ) {
        let (now, event) = (cx.now(), event_of(cx.cause()));
        let Some(checks) = self.run_mut(key.spec).and_then(|run| run.checks.get_mut(&version)) else {
            return;
        };
        let outcome = Arc::make_mut(checks).result((key.no, at), instance, result, (now, event));
        let checks = checks.clone();
        let id = checks.spec.id.clone();
        if outcome.failed
            && let Some(check) = checks.check(at)
        {
            let (instance, check) = (instance.id.clone(), check.json.clone());
            self.publish(cx, Happening::CheckFailed { id: id.clone(), instance, check });
        }
        if let Some(failure) = outcome.kill.filter(|_| instance.condition != Condition::Unreachable) {
            self.kill_unhealthy(cx, cluster, (key, instance), version, failure);
        }
        if outcome.flipped
            && let Some(health) = checks.seen(key.no, at, now)
        {
            self.say_health(cx, (key.spec, instance), health.is_alive(), at);
            self.publish(cx, Happening::Alive { id, version, health: Arc::new(health) });
        }
        if let Some(Overall { healthy }) = outcome.overall {
            self.touch(key.spec);
            self.health_changed(cx, cluster, key, instance, version, healthy);
        }
    }

    fn kill_unhealthy(
        &mut self,
        cx: &mut Cx,
        cluster: &mut Cluster,
        (key, instance): (Key, &Arc<Instance>),
        version: Stamp,
        (at, reason): (SimTime, Text),
    ) {
        let what =
            Happening::UnhealthyKill { instance: instance.clone(), version, reason: reason.clone(), at };
        self.publish(cx, what);
        let text = "a health check has failed too often";
        let cause = self.say_instance(cx, "instance-unhealthy", (key.spec, instance), text);
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
            if let Some(run) = self.run_mut(key.spec) {
                run.failure = Some(Arc::new(failure));
            }
        }
        cx.scoped(cause, |cx| self.kill_instances(cx, cluster, &[(key, instance.clone())]));
    }

    /// News of a process that is checked from here.
    pub(crate) fn on_fleet(&mut self, cx: &mut Cx, cluster: &mut Cluster, event: &FleetEvent) {
        let FleetEventKind::Watched { pid, number, exit_code } = event.kind else { return };
        cx.set_cause(event.cause);
        let Some(key) = self.watched.get(&pid).copied() else { return };
        let Some(instance) = self.tracker.get(key).cloned() else { return };
        if number == READINESS {
            self.job_hears(
                cx,
                cluster,
                key.spec,
                &work::News::Readiness { key, instance: &instance, exit_code },
            );
        } else if let Ok(at) = usize::try_from(number)
            && let Some(check) = instance.spec.def.health.get(at)
        {
            let result = result_of(check, exit_code);
            self.health_result(cx, cluster, key, &instance, instance.version(), (at, &result));
        }
        self.settle(cx, cluster);
    }
}
