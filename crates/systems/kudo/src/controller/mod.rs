//! The controller: when it reconciles an instance, and how.
//!
//! *Knows*: changes of objects, the instances concerned, and the order of one reconcile. *Must not know*: what tasks do.
//!
//! A reconcile is due immediately when an instance, an object that it owns or its operator's version changes; one second later
//! while a plan is running; with growing delays after an error. No-op reconciles are cheap.
//!
//! **Source**: `kudobuilder/kudo: pkg/controller/instance/instance_controller.go`, `resolver_incluster.go`. Matched, except that a
//! plan's time is not rewritten while nothing else about it changes.

mod dependencies;
mod known;

use std::sync::Arc;

use crate::Cx;
use crate::admission::fresh_uid;
use crate::codes::API_VERSION;
use crate::engine::{Meta, Work, pass, readiness, render};
use crate::instance::{Instance, PhaseStatus, PlanStatus, Readiness};
use crate::package::params;
use crate::pods::INSTANCE_LABEL;
use crate::status::Status;
use crate::version::{Version, read_again};
use known::Due;
pub use known::{Known, Mark};
use planarium_kernel::{Map, SimTime, SortedMap, Weight};
use planarium_kube::{ChangeKind, KindId, Kube, Object, ObjectRef, Selector};
use planarium_protocol::event::ElementPath;
use planarium_protocol::{EventBody, Text};
use serde_json::Value;

/// Namespace and name.
pub type Key = (Text, Text);

/// Interval between two reconciles of an instance with a running plan. *Units*: milliseconds.
const TICK_MS: u64 = 1000;

/// The first delay after an error; it doubles with every further one. *Units*: milliseconds.
const FIRST_RETRY_MS: u64 = 1000;

/// The longest delay after errors. *Units*: milliseconds.
const LONGEST_RETRY_MS: u64 = 1_000_000;

/// Average time of one write by the controller's client. *Units*: milliseconds.
///
/// **Source**: `kubernetes-sigs/controller-runtime: pkg/client/config/config.go` (20 requests in a second, 30 at once).
/// Simplified: reads and writes that change nothing are free.
const WRITE_MS: u64 = 50;

/// Writes that the client sends at once before it waits.
const WRITES_AT_ONCE: u64 = 30;

/// The controller's books. A copy costs pointers.
#[derive(Clone, Debug, Default, Weight)]
#[weight(instances, versions)]
pub struct Controller {
    seen: u64,
    /// The revision given last.
    revision: u64,
    instances: SortedMap<Key, Known>,
    versions: SortedMap<Key, Arc<Version>>,
    client: Client,
}

/// Rate-limited client of the cluster.
///
/// Two steps that apply one template at the same time overwrite its object in turns, and each write triggers a reconcile: this
/// client limits their pace.
#[derive(Clone, Copy, Debug, Default)]
struct Client {
    /// When everything that was sent has had its time.
    paid: SimTime,
}

impl Client {
    /// Writes have been sent.
    fn send(&mut self, now: SimTime, writes: u64) {
        self.paid = self.paid.max(now).saturating_add(WRITE_MS.saturating_mul(writes));
    }

    /// When the next write may be sent.
    fn free_at(self) -> SimTime {
        SimTime(self.paid.ms().saturating_sub(WRITE_MS * WRITES_AT_ONCE))
    }
}

/// Why a reconcile ended early.
enum Trouble {
    /// Tried again after a delay.
    Retry(String),
    /// Not tried again.
    Stop,
}

impl Controller {
    /// Every instance, by namespace and name.
    pub fn instances(&self) -> impl Iterator<Item = (&Key, &Known)> {
        self.instances.iter()
    }

    /// An instance.
    pub fn get(&self, namespace: &str, name: &str) -> Option<&Known> {
        self.instances.get(&(Text::from(namespace), Text::from(name)))
    }

    /// An instance by its key.
    pub fn at(&self, key: &Key) -> Option<&Known> {
        self.instances.get(key)
    }

    /// Revisions from now on are at least this one.
    pub fn reach(&mut self, revision: u64) {
        self.revision = self.revision.max(revision);
    }

    fn next_revision(&mut self) -> u64 {
        self.revision = self.revision.saturating_add(1);
        self.revision
    }

    /// Something beside the controller's own knowledge changes what an instance shows.
    pub fn touch(&mut self, key: &Key) {
        let revision = self.next_revision();
        if let Some(known) = self.instances.get_mut(key) {
            known.touch_all(revision);
        }
    }

    /// Handles all changes since the last call.
    pub fn hear(&mut self, now: SimTime, kube: &Kube) {
        if kube.resource_version() == self.seen {
            return;
        }
        match kube.changes_since(self.seen) {
            Ok(changes) => {
                for change in changes {
                    for known in self.instances.values_mut() {
                        known.stir(change.kind, &change.object);
                    }
                    self.hear_of_pod(change.kind, &change.object, change.before.as_ref());
                    self.hear_of(now, change.kind, &change.object);
                }
            }
            Err(_) => self.look_at_everything(now, kube),
        }
        self.seen = kube.resource_version();
    }

    /// Log truncated: relist.
    fn look_at_everything(&mut self, now: SimTime, kube: &Kube) {
        let list = |kind: &str| {
            let kind = kube.find_kind(API_VERSION, kind);
            kind.map(|kind| kube.list(kind, None, &Selector::EVERYTHING)).unwrap_or_default()
        };
        let there = list("Instance");
        self.instances.retain(|key, _| there.iter().any(|it| it.namespace == key.0 && it.name == key.1));
        for object in list("OperatorVersion").iter().chain(&there) {
            self.hear_of(now, ChangeKind::Modified, object);
        }
        for known in self.instances.values_mut() {
            known.pods = Map::new();
            known.stirred = None;
        }
        for pod in &kube.list(KindId::POD, None, &Selector::EVERYTHING) {
            self.hear_of_pod(ChangeKind::Modified, pod, None);
        }
    }

    fn hear_of(&mut self, now: SimTime, kind: ChangeKind, object: &Arc<Object>) {
        let key = (object.namespace.clone(), object.name.clone());
        let info = object.info();
        match (&*info.group, &*info.kind) {
            ("kudo.dev", "Instance") => {
                if kind == ChangeKind::Deleted {
                    self.instances.remove(&key);
                } else {
                    let written = self.instances.get_mut(&key).and_then(|known| known.written.take());
                    let written = written.filter(|it| it.resource_version == object.resource_version);
                    let instance = written.unwrap_or_else(|| Arc::new(Instance::read(object)));
                    let place = (instance.version_namespace().clone(), instance.version.clone());
                    let version = self.versions.get(&place).cloned();
                    let revision = self.next_revision();
                    match self.instances.get_mut(&key) {
                        Some(known) => {
                            known.take(now, instance, revision);
                            known.version = version.or_else(|| known.version.take());
                        }
                        None => {
                            let known = Known {
                                instance,
                                version,
                                memory: Arc::default(),
                                pods: Map::new(),
                                trouble: Text::default(),
                                marks: Map::new(),
                                base: revision,
                                revision,
                                due: None,
                                failures: 0,
                                quiet_at: None,
                                stirred: None,
                                written: None,
                            };
                            self.instances.insert(key.clone(), known);
                        }
                    }
                    self.look(now, &key);
                }
                // Parents are notified of their children.
                for owner in object.owners.iter().filter(|owner| &*owner.kind == "Instance") {
                    self.look(now, &(object.namespace.clone(), owner.name.clone()));
                }
            }
            ("kudo.dev", "OperatorVersion") => {
                if kind == ChangeKind::Deleted {
                    self.versions.remove(&key);
                } else {
                    let version = read_again(self.versions.get(&key), object);
                    self.versions.insert(key.clone(), version);
                }
                let version = self.versions.get(&key).cloned();
                let revision = self.next_revision();
                for known in self.instances.values_mut() {
                    if *known.instance.version_namespace() == key.0 && known.instance.version == key.1 {
                        // A deleted version is still shown until another one replaces it.
                        known.version = version.clone().or_else(|| known.version.take());
                        known.touch_all(revision);
                        wake(known, now);
                    }
                }
            }
            ("apps", "Deployment" | "StatefulSet") | ("batch", "Job") | ("", "Service" | "Pod") => {
                let pipe = object.annotations.get("kudo.dev/pipepod").is_some();
                if kind == ChangeKind::Deleted && pipe {
                    return;
                }
                if let Some(owner) = object.controller().filter(|owner| &*owner.kind == "Instance") {
                    self.look(now, &(object.namespace.clone(), owner.name.clone()));
                }
            }
            _ => {}
        }
    }

    /// Keeps the pods of instances, for what they show.
    fn hear_of_pod(&mut self, kind: ChangeKind, pod: &Arc<Object>, before: Option<&Arc<Object>>) {
        if pod.kind != KindId::POD {
            return;
        }
        let owner = |pod: &Object| Some((pod.namespace.clone(), pod.labels.get(INSTANCE_LABEL)?.clone()));
        let (now, then) = (owner(pod), before.and_then(|before| owner(before)));
        let revision = self.next_revision();
        if then != now
            && let Some(known) = then.and_then(|then| self.instances.get_mut(&then))
        {
            known.take_pod(pod, true, revision);
        }
        if let Some(known) = now.and_then(|now| self.instances.get_mut(&now)) {
            known.take_pod(pod, kind == ChangeKind::Deleted, revision);
        }
    }

    fn look(&mut self, now: SimTime, key: &Key) {
        if let Some(known) = self.instances.get_mut(key) {
            wake(known, now);
        }
    }

    /// Reconciles everything, as after a restart of the controller.
    pub fn restart(&mut self, now: SimTime) {
        let revision = self.next_revision();
        for known in self.instances.values_mut() {
            known.memory = Arc::default();
            known.quiet_at = None;
            known.stirred = None;
            known.failures = 0;
            known.touch_all(revision);
            wake(known, now);
        }
    }

    /// Returns when the next reconcile is due.
    pub fn next_due(&self) -> Option<SimTime> {
        let due = self.instances.values().filter_map(|known| Some(known.due?.at)).min()?;
        Some(due.max(self.client.free_at()))
    }

    /// Returns the number of reconciles due because of a change.
    pub fn one_shots(&self) -> usize {
        self.instances.values().filter(|known| known.due.is_some_and(|due| !due.tick)).count()
    }

    /// Returns whether the next periodic reconcile may change something.
    pub fn restless(&self, kube: &Kube) -> bool {
        let due = self.instances.values().filter(|known| known.due.is_some_and(|due| due.tick));
        due.into_iter().any(|known| known.quiet_at != Some(kube.resource_version()) && known.failures == 0)
    }

    /// Runs one due reconcile.
    pub fn fire(&mut self, cx: &mut Cx, kube: &mut Kube, epoch_ms: u64) {
        let now = cx.now();
        let due = self.instances.iter().filter_map(|(key, known)| Some((known.due?.at, key)));
        let Some((at, key)) = due.min().map(|(at, key)| (at, key.clone())) else { return };
        if at.max(self.client.free_at()) > now {
            return;
        }
        let Some(known) = self.instances.get_mut(&key) else { return };
        let tick = known.due.take().is_some_and(|due| due.tick);
        if tick && known.quiet_at == Some(kube.resource_version()) {
            arm_tick(known, now);
            note_look(known, kube, &key, epoch_ms.saturating_add(now.ms()));
            return;
        }
        let before = kube.resource_version();
        if self.seen == before && known.goes_on(kube) {
            let revision = self.next_revision();
            if let Some(known) = self.instances.get_mut(&key) {
                known.take_news(revision);
                known.quiet_at = Some(before);
                arm_tick(known, now);
                note_look(known, kube, &key, epoch_ms.saturating_add(now.ms()));
            }
            return;
        }
        let outcome = self.reconcile(cx, kube, &key, epoch_ms);
        let after = kube.resource_version();
        self.client.send(now, after.saturating_sub(before));
        let revision = self.next_revision();
        let Some(known) = self.instances.get_mut(&key) else { return };
        known.quiet_at = (before == after).then_some(after);
        let calm = before == after && matches!(outcome, Ok(true)) && known.memory.is_plain();
        known.stirred = calm.then(Vec::new);
        let trouble = match &outcome {
            Ok(_) => Text::default(),
            Err(Trouble::Stop) => known.trouble.clone(),
            Err(Trouble::Retry(problem)) => problem.as_str().into(),
        };
        if known.trouble != trouble {
            known.trouble = trouble;
            known.touch_all(revision);
        }
        match outcome {
            Ok(again) => {
                known.failures = 0;
                if again {
                    arm_tick(known, now);
                }
            }
            Err(Trouble::Stop) => known.failures = 0,
            Err(Trouble::Retry(_)) => {
                let delay = FIRST_RETRY_MS.saturating_mul(1 << known.failures.min(20)).min(LONGEST_RETRY_MS);
                known.failures = known.failures.saturating_add(1);
                known.due = Some(Due { at: now.saturating_add(delay), tick: true });
            }
        }
    }

    /// Reconciles one instance; returns whether to do so again later.
    fn reconcile(&mut self, cx: &mut Cx, kube: &mut Kube, key: &Key, epoch_ms: u64) -> Result<bool, Trouble> {
        let kind = kube.find_kind(API_VERSION, "Instance");
        let object = kind.and_then(|kind| kube.get(ObjectRef::new(kind, &key.0, &key.1))).cloned();
        let Some(object) = object else { return Ok(false) };
        let old = match self.instances.get(key) {
            Some(known) if known.instance.resource_version == object.resource_version => {
                Arc::clone(&known.instance)
            }
            _ => Arc::new(Instance::read(&object)),
        };
        let mut instance = Instance::clone(&old);
        let version = self.version_of(kube, &instance);
        let Some(version) = version else {
            let message = format!(
                "InstanceController: Error getting operatorVersion {} for instance {}/{}: operatorversions.kudo.dev {:?} not found",
                instance.version, key.0, key.1, &*instance.version
            );
            self.tell_once(cx, kube, key, &object, "InvalidOperatorVersion", &message);
            return Err(Trouble::Retry(message));
        };
        if let Some(known) = self.instances.get_mut(key) {
            known.version = Some(Arc::clone(&version));
        }
        let now_ms = epoch_ms.saturating_add(cx.now().ms());
        let now = instant(now_ms);

        schedule_cleanup(kube, &mut instance, &version);
        if instance.execution.plan.is_empty() {
            let written = idle(cx, kube, &object, &old, instance, &now)?;
            self.keep(key, written);
            return Ok(false);
        }
        let (plan_name, uid) = (instance.execution.plan.clone(), instance.execution.uid.clone());
        if matches!(&*plan_name, "deploy" | "upgrade" | "update") {
            instance.set_readiness(Readiness::PlanInProgress, "", &now);
        }
        instance.cover(&version);
        let Some(mut status) = instance.plans.get(&plan_name).map(|plan| PlanStatus::clone(plan)) else {
            let message = format!("failed to find planStatus for plan '{plan_name}'");
            self.tell_once(cx, kube, key, &object, "InvalidPlan", &message);
            return Err(Trouble::Retry(message));
        };
        if status.uid != uid {
            reset(&mut status, &uid);
            instance.update(status.clone(), &now);
            let message = format!("Execution of plan {plan_name} started");
            kube.record(cx, &object, false, "PlanStarted", &message, SOURCE);
        }
        if !instance.child
            && let Err(problem) = self.dependencies(kube, &version)
        {
            let message = format!("Error during execution: fatal error: {problem}");
            status.set_with(Status::FatalError, &message);
            instance.update(status, &now);
            let written = write(cx, kube, &object, &old, instance)?;
            self.keep(key, written);
            kube.record(cx, &object, true, "CircularDependency", &message, SOURCE);
            return Err(Trouble::Stop);
        }
        let prepared = prepare(&instance, &version, &plan_name);
        let (texts, pipes) = match prepared {
            Ok(prepared) => prepared,
            Err((event, problem)) => {
                let written = write(cx, kube, &object, &old, instance)?;
                self.keep(key, written);
                self.tell_once(cx, kube, key, &object, event, &problem);
                return Err(Trouble::Retry(problem));
            }
        };
        let Some(plan) = version.plan(&plan_name) else { return Ok(false) };
        let was_terminal = status.status.is_terminal();
        let meta = Meta {
            namespace: key.0.clone(),
            instance: key.1.clone(),
            instance_uid: instance.uid.clone(),
            plan: plan_name.clone(),
            uid: uid.clone(),
        };
        let memory = self.instances.get_mut(key).map(|known| std::mem::take(&mut known.memory));
        let mut memory = memory.unwrap_or_default();
        let aborted = {
            let memory = Arc::make_mut(&mut memory);
            memory.for_run(&uid, version.resource_version);
            let mut work = Work {
                kube,
                cx,
                epoch_ms,
                meta: &meta,
                version: &version,
                params: &texts,
                pipes: &pipes,
                memory: &mut *memory,
            };
            pass::execute(&mut work, plan, &mut status, instance.has_distinct_phases())
        };
        let revision = self.next_revision();
        if let Some(known) = self.instances.get_mut(key) {
            known.memory = memory;
            known.take_news(revision);
        }
        let ended = status.status;
        if was_terminal {
            // A failed cleanup stays.
            return Ok(false);
        }
        instance.update(status, &now);
        let written = write(cx, kube, &object, &old, instance)?;
        self.keep(key, written);
        if let Some((event, message)) = aborted {
            kube.record(cx, &object, true, event, &message, SOURCE);
            return Err(Trouble::Stop);
        }
        if ended.is_terminal() {
            let message = format!("Execution of plan {plan_name} finished with status {}", ended.word());
            kube.record(cx, &object, false, "PlanFinished", &message, SOURCE);
            return Ok(false);
        }
        Ok(true)
    }

    /// Keeps a written instance until the controller is notified of it.
    fn keep(&mut self, key: &Key, written: Option<Arc<Instance>>) {
        if let Some(known) = self.instances.get_mut(key) {
            known.written = written;
        }
    }

    fn version_of(&mut self, kube: &Kube, instance: &Instance) -> Option<Arc<Version>> {
        let key = (instance.version_namespace().clone(), instance.version.clone());
        let kind = kube.find_kind(API_VERSION, "OperatorVersion")?;
        let object = kube.get(ObjectRef::new(kind, &key.0, &key.1))?;
        let version = read_again(self.versions.get(&key), object);
        self.versions.insert(key, Arc::clone(&version));
        Some(version)
    }

    /// Records a warning, unless it also stopped the last reconcile.
    fn tell_once(
        &self,
        cx: &mut Cx,
        kube: &mut Kube,
        key: &Key,
        object: &Object,
        reason: &'static str,
        message: &str,
    ) {
        if self.instances.get(key).is_none_or(|known| &*known.trouble != message) {
            kube.record(cx, object, true, reason, message, SOURCE);
        }
    }
}

/// Source of events about instances.
const SOURCE: &str = "instance-controller";

/// Writes the time of the last reconcile into a plan's status, if that reconcile changed nothing else.
///
/// **Source**: `kudobuilder/kudo: pkg/controller/instance/instance_controller.go`. Match in the values read; watchers are notified with
/// the next change.
fn note_look(known: &Known, kube: &mut Kube, key: &Key, now_ms: u64) {
    let running = known.instance.plans.get(&known.instance.execution.plan);
    let Some(plan) = running.filter(|plan| plan.status.is_running() && known.trouble.is_empty()) else {
        return;
    };
    let Some(kind) = kube.find_kind(API_VERSION, "Instance") else { return };
    let mut instance = Instance::clone(&known.instance);
    let plan = PlanStatus { updated: instant(now_ms).into(), ..PlanStatus::clone(plan) };
    instance.plans.insert(plan.name.clone(), Arc::new(plan));
    let reference = ObjectRef::new(kind, &key.0, &key.1);
    kube.refresh_status(reference, instance.resource_version, Arc::new(instance.report()));
}

/// Schedules a reconcile now, because something has changed.
fn wake(known: &mut Known, now: SimTime) {
    known.due = Some(Due { at: now, tick: false });
}

fn arm_tick(known: &mut Known, now: SimTime) {
    if known.due.is_none() {
        known.due = Some(Due { at: now.saturating_add(TICK_MS), tick: true });
    }
}

/// Starts the cleanup of a deleted instance, once, even if another plan is running.
fn schedule_cleanup(kube: &Kube, instance: &mut Instance, version: &Version) {
    let never_run = instance.plans.get("cleanup").is_none_or(|plan| plan.status == Status::NeverRun);
    if instance.deleting
        && version.plan("cleanup").is_some()
        && never_run
        && &*instance.execution.plan != "cleanup"
    {
        instance.execution.plan = "cleanup".into();
        instance.execution.uid = fresh_uid(kube.resource_version(), instance);
        instance.execution.status = Some(Status::NeverRun);
    }
}

fn reset(status: &mut PlanStatus, uid: &Text) {
    status.uid = uid.clone();
    status.status = Status::Pending;
    for phase in status.phases.iter_mut().map(Arc::make_mut) {
        phase.set(Status::Pending);
        for step in &mut phase.steps {
            step.set(Status::Pending);
        }
    }
}

/// No plan is scheduled: only the readiness may change.
fn idle(
    cx: &mut Cx,
    kube: &mut Kube,
    object: &Arc<Object>,
    old: &Instance,
    mut instance: Instance,
    now: &str,
) -> Result<Option<Arc<Instance>>, Trouble> {
    match readiness::of(kube, &instance.namespace, &instance.name) {
        Err(problem) => return Err(Trouble::Retry(problem)),
        Ok(None) => instance.set_readiness(Readiness::ResourcesReady, "", now),
        Ok(Some(message)) => instance.set_readiness(Readiness::ResourceNotReady, &message, now),
    }
    if instance.ready() == old.ready() {
        return Ok(None);
    }
    write(cx, kube, object, old, instance)
}

/// Texts of parameters, and what pipes make.
type PreparedRun = (Vec<(Text, Option<Text>)>, Vec<(Text, Text)>);

/// Prepares a run.
///
/// *Errors*: the reason and the message of an event. The plan stays and is retried without end.
fn prepare(
    instance: &Instance,
    version: &Version,
    plan_name: &str,
) -> Result<PreparedRun, (&'static str, String)> {
    let failed = |problem: String| format!("Error during execution: fatal error: {problem}");
    let Some(plan) = version.plan(plan_name) else {
        return Err(("InvalidPlan", failed(format!("could not find required plan: '{plan_name}'"))));
    };
    let mut texts = Vec::with_capacity(version.parameters.len());
    for parameter in &version.parameters {
        let name = parameter.name.value.as_str();
        let value = instance.parameters.get(name).or(parameter.default.as_ref()).cloned();
        params::unwrap(value.as_deref(), &parameter.kind)
            .map_err(|problem| ("InvalidParams", failed(format!("could not parse parameters: {problem}"))))?;
        texts.push((Text::from(name), value));
    }
    let pipes = render::pipes_of(&instance.name, plan, &version.tasks).map_err(|key| {
        ("InvalidPlan", failed(format!("could not make task pipes: duplicated pipe key {key}")))
    })?;
    Ok((texts, pipes))
}

/// Writes the changes: first spec and metadata, which pass admission, then the status. Returns the stored instance,
/// unless another client has changed it.
fn write(
    cx: &mut Cx,
    kube: &mut Kube,
    object: &Arc<Object>,
    old: &Instance,
    mut instance: Instance,
) -> Result<Option<Arc<Instance>>, Trouble> {
    instance.try_remove_finalizer();
    let spec_changed = instance.execution != old.execution
        || instance.parameters != old.parameters
        || instance.finalizers != old.finalizers;
    let settled = same_but_time(&instance, old);
    if !spec_changed && settled {
        kube.refresh_status(object.reference(), object.resource_version, Arc::new(instance.report()));
        return Ok(None);
    }
    report(cx, old, &instance);
    let mut resource_version = object.resource_version;
    if spec_changed {
        let written =
            kube.update(cx, changed(object, &instance)).map_err(|error| Trouble::Retry(error.message))?;
        resource_version = written.resource_version;
    }
    match kube.keep_status(cx, object.reference(), resource_version, Arc::new(instance.report())) {
        Ok(_) if spec_changed => Ok(None),
        Ok(object) => {
            instance.resource_version = object.resource_version;
            Ok(Some(Arc::new(instance)))
        }
        Err(_) if instance.deleting && instance.finalizers.is_empty() => Ok(None),
        Err(error) => Err(Trouble::Retry(error.message)),
    }
}

/// The object with what an instance says beside its status.
fn changed(object: &Object, instance: &Instance) -> Value {
    let mut value = object.to_value();
    if let Some(fields) = value.as_object_mut() {
        fields.insert("spec".to_owned(), instance.spec_value());
        if let Some(metadata) = fields.get_mut("metadata").and_then(Value::as_object_mut) {
            if instance.finalizers.is_empty() {
                metadata.remove("finalizers");
            } else {
                let finalizers = instance.finalizers.iter().map(|it| Value::from(&**it)).collect();
                metadata.insert("finalizers".to_owned(), finalizers);
            }
        }
    }
    value
}

/// Returns whether two instances differ only in the times of plans' checks.
fn same_but_time(a: &Instance, b: &Instance) -> bool {
    a.conditions == b.conditions
        && a.plans.len() == b.plans.len()
        && a.plans.iter().zip(b.plans.iter()).all(|((key, plan), (other_key, other))| {
            key == other_key
                && (Arc::ptr_eq(plan, other)
                    || plan.status == other.status
                        && plan.message == other.message
                        && plan.uid == other.uid
                        && plan.phases == other.phases)
        })
}

/// Reports every status that shows another word.
fn report(cx: &mut Cx, old: &Instance, new: &Instance) {
    let distinct = old.has_distinct_phases() && new.has_distinct_phases();
    for plan in new.plans.values() {
        let before = old.plans.get(&plan.name);
        if before.is_some_and(|before| Arc::ptr_eq(before, plan)) {
            continue;
        }
        let mut tell = |phase: Option<&Text>, step: Option<&Text>, from: Option<Status>, to: Status| {
            let from = from.unwrap_or_default();
            if from != to {
                let path = ElementPath {
                    dialect: Text::from(crate::WORD),
                    service: new.name.clone(),
                    plan: plan.name.clone(),
                    phase: phase.cloned(),
                    step: step.cloned(),
                };
                cx.emit(EventBody::ElementStatus { path, from: from.text(), to: to.text() });
            }
        };
        for (at, phase) in plan.phases.iter().enumerate() {
            let known = before.and_then(|plan| {
                let same = |it: &&Arc<PhaseStatus>| it.name == phase.name;
                let here = plan.phases.get(at).filter(|it| distinct && same(it));
                here.or_else(|| plan.phases.iter().find(same))
            });
            if known.is_some_and(|known| Arc::ptr_eq(known, phase)) {
                continue;
            }
            for step in &phase.steps {
                let known = known.and_then(|phase| phase.steps.iter().find(|it| it.name == step.name));
                tell(Some(&phase.name), Some(&step.name), known.map(|step| step.status), step.status);
            }
            tell(Some(&phase.name), None, known.map(|phase| phase.status), phase.status);
        }
        tell(None, None, before.map(|plan| plan.status), plan.status);
    }
}

/// Returns an instant as Kubernetes writes it. *Units*: milliseconds since 1970.
fn instant(ms: u64) -> String {
    format!("{}Z", planarium_kernel::civil::date_time(ms / 1_000))
}
