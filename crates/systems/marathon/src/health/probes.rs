//! Checks made by Marathon itself: the checked processes, and when checks begin and end.
//!
//! *Knows*: when checks of an app begin and end, which process belongs to which instance. *Must not know*: the effect of a
//! result, which [`crate::health`] decides.
//!
//! **Source**: `marathon: core/health/impl/MarathonHealthCheckManager.scala, HealthCheckActor.scala,
//! core/readiness/impl/ReadinessCheckExecutorImpl.scala`. Match; all tasks of one version are checked at the ticks of its
//! checks.

use crate::definition::RunSpec;
use crate::definition::spec::{ReadinessDef, Stamp};
use crate::events::Happening;
use crate::health::Checks;
use crate::instances::instance::{Condition, Instance};
use crate::instances::tracker::{Change, Key, SpecNo};
use crate::port::Port;
use crate::records::Records;
use crate::setup::Setup;
use planarium_ground::{CheckKind, Owner, ProcessId, Watch};
use planarium_kernel::{Map, Weight};
use std::sync::Arc;

/// Owners of the world's processes begin here.
const OWNERS: u32 = 16;
/// Number of the readiness check; those of health checks are their places.
pub(crate) const READINESS: u32 = 1000;

/// Processes that are checked from here.
///
/// *Invariant*: each map is the other way round of the other.
#[derive(Clone, Default, Weight)]
#[weight(flat watched, flat asked)]
pub(crate) struct Probes {
    watched: Map<ProcessId, Key>,
    asked: Map<Key, ProcessId>,
}

impl Probes {
    /// The instance that a process is checked for.
    pub(crate) fn instance_of(&self, process: ProcessId) -> Option<Key> {
        self.watched.get(&process).copied()
    }

    /// Returns the number of checked processes.
    pub(crate) fn len(&self) -> usize {
        self.watched.len()
    }

    /// Lists broken invariants in words.
    pub(crate) fn check(&self) -> Vec<String> {
        let wrong = self.watched.iter().filter(|(pid, key)| self.asked.get(*key) != Some(*pid));
        wrong.map(|(pid, _)| format!("process {} is watched for nobody", pid.0)).collect()
    }

    fn owner(setup: &Setup) -> Owner {
        Owner(OWNERS.saturating_add(setup.number.0))
    }

    /// Begins the health checks of a version, unless they are under way.
    pub(crate) fn add_checks(
        &mut self,
        records: &mut Records,
        port: &mut Port<'_>,
        no: SpecNo,
        spec: &Arc<RunSpec>,
    ) {
        let version = spec.version.version;
        if !spec.is_app() || spec.def.health.is_empty() {
            return;
        }
        let Some(run) = records.run_mut(no).filter(|run| !run.checks.contains_key(&version)) else { return };
        run.checks.insert(version, Arc::new(Checks::new(spec.clone(), port.cx.now())));
        for check in &spec.def.health {
            let (id, check) = (spec.id.clone(), check.json.clone());
            records.publish(port.cx, Happening::CheckAdded { id, version, check });
        }
        let running: Vec<(Key, Arc<Instance>)> = records
            .instances
            .of_spec(no)
            .filter(|(_, instance)| instance.version() == version && instance.condition == Condition::Running)
            .map(|(key, instance)| (key, instance.clone()))
            .collect();
        for (key, instance) in running {
            self.watch_health(records, port, key, &instance);
        }
    }

    /// Ends all health checks of an app.
    pub(crate) fn remove_checks(&mut self, records: &mut Records, port: &mut Port<'_>, no: SpecNo) {
        let Some(run) = records.run_mut(no) else { return };
        let (id, all) = (run.id.clone(), std::mem::take(&mut run.checks));
        for checks in all.values() {
            for _ in &checks.spec.def.health {
                records.publish(port.cx, Happening::CheckRemoved { id: id.clone() });
            }
        }
        if all.is_empty() {
            return;
        }
        for instance in records.instances_of(no) {
            self.stop_watching(records, port, Key { spec: no, no: instance.no }, &instance);
        }
    }

    /// The process of an instance's task.
    fn process_of(setup: &Setup, port: &Port<'_>, instance: &Instance) -> Option<ProcessId> {
        let agent = instance.agent.as_ref()?;
        port.process_of(setup.framework, &instance.task()?.id, &agent.agent_id)
    }

    /// Begins to ask an instance that runs.
    fn watch_health(&mut self, records: &Records, port: &mut Port<'_>, key: Key, instance: &Instance) {
        let Some(checks) = records.run(key.spec).and_then(|run| run.checks.get(&instance.version())).cloned()
        else {
            return;
        };
        if checks.spec.def.health.iter().all(|check| check.by_agent) {
            return;
        }
        let Some(pid) = Self::process_of(&records.setup, port, instance) else { return };
        self.note_asked(key, pid);
        let owner = Self::owner(&records.setup);
        for (at, check) in checks.spec.def.health.iter().enumerate().filter(|(_, check)| !check.by_agent) {
            let watch = Watch {
                owner,
                number: u32::try_from(at).unwrap_or(u32::MAX),
                kind: CheckKind::Health,
                command: check.asks.clone(),
                first: checks.tick_after(check, port.cx.now()),
                interval_ms: check.interval_ms,
                timeout_ms: check.timeout_ms,
                counted: check.max_failures > 0,
            };
            port.watch(pid, watch);
        }
    }

    /// Asks an instance nothing any more.
    fn stop_watching(&mut self, records: &Records, port: &mut Port<'_>, key: Key, instance: &Instance) {
        let Some(pid) = self.asked.remove(&key) else { return };
        self.watched.remove(&pid);
        let count = u32::try_from(instance.spec.def.health.len()).unwrap_or(READINESS);
        port.unwatch(pid, Self::owner(&records.setup), (0..count).chain(std::iter::once(READINESS)));
    }

    fn note_asked(&mut self, key: Key, pid: ProcessId) {
        if let Some(old) = self.asked.insert(key, pid) {
            self.watched.remove(&old);
        }
        self.watched.insert(pid, key);
    }

    /// Begins to ask whether an instance is ready.
    pub(crate) fn watch_readiness(
        &mut self,
        records: &Records,
        port: &mut Port<'_>,
        key: Key,
        instance: &Instance,
        check: &ReadinessDef,
    ) {
        let Some(pid) = Self::process_of(&records.setup, port, instance) else { return };
        self.note_asked(key, pid);
        let watch = Watch {
            owner: Self::owner(&records.setup),
            number: READINESS,
            kind: CheckKind::Readiness,
            command: check.path.clone(),
            first: port.cx.now(),
            interval_ms: check.interval_ms,
            timeout_ms: check.timeout_ms,
            counted: true,
        };
        port.watch(pid, watch);
    }

    /// Ends an instance's readiness check.
    pub(crate) fn unwatch_readiness(&mut self, records: &Records, port: &mut Port<'_>, key: Key) {
        let Some(pid) = self.asked.get(&key).copied() else { return };
        let owner = Self::owner(&records.setup);
        port.unwatch(pid, owner, std::iter::once(READINESS));
    }

    /// Updates the checks after a change of an instance.
    pub(crate) fn hear(&mut self, records: &mut Records, port: &mut Port<'_>, change: &Change) {
        let (key, now) = (change.key, port.cx.now());
        let (instance, no) = (&change.now, key.no);
        let runs = instance.condition == Condition::Running && !change.deleted;
        let ran = change.before.is_some_and(|before| before.condition == Condition::Running);
        if !runs {
            self.stop_watching(records, port, key, instance);
        }
        let Some(run) = records.run(key.spec).filter(|run| !run.checks.is_empty()) else { return };
        let versions: Vec<Stamp> = run.checks.keys().copied().collect();
        let active = instance.condition.is_active() && !change.deleted;
        let strict = records.setup.settings.strict_health;
        if let Some(run) = records.run_mut(key.spec) {
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
            self.watch_health(records, port, key, instance);
        }
    }
}
