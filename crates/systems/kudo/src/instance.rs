//! An `Instance` as the controller and the webhook read and write it.
//!
//! **Source**: `kudobuilder/kudo: pkg/apis/kudo/v1beta1/instance_types.go`, `instance_types_helpers.go`. Match.

use std::any::Any;
use std::sync::Arc;

use planarium_kernel::{SortedMap, SortedSet};
use planarium_kube::{KeptStatus, Object};
use planarium_protocol::Text;
use planarium_protocol::json;
use serde_json::{Map, Value};

use crate::status::Status;
use crate::version::Version;

/// The finalizer that keeps an instance until its cleanup is complete.
pub const FINALIZER: &str = "kudo.dev.instance.cleanup";

/// An instance.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Instance {
    /// Its name.
    pub name: Text,
    /// Its namespace.
    pub namespace: Text,
    /// Its uid.
    pub uid: Text,
    /// Version of the object that this was read from.
    pub resource_version: u64,
    /// It is being deleted.
    pub deleting: bool,
    /// `metadata.finalizers`.
    pub finalizers: Vec<Text>,
    /// It belongs to another instance.
    pub child: bool,
    /// `spec.operatorVersion` as written: any difference is an upgrade.
    pub version_reference: Value,
    /// `spec.operatorVersion.name`.
    pub version: Text,
    /// `spec.operatorVersion.namespace`; empty for the instance's own.
    pub version_namespace: Text,
    /// `spec.parameters`.
    pub parameters: SortedMap<Text, Text>,
    /// `spec.planExecution`.
    pub execution: Execution,
    /// `status.planStatus`; what copies have in common they share.
    pub plans: SortedMap<Text, Arc<PlanStatus>>,
    /// `status.conditions`.
    pub conditions: Vec<Condition>,
    /// Version of the operator version whose plans the statuses are known to cover; 0 for none.
    covered: u64,
    /// Set if no two phases of a plan of that version have the same name.
    distinct: bool,
}

/// Status of an instance, converted when read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Report {
    plans: SortedMap<Text, Arc<PlanStatus>>,
    conditions: Vec<Condition>,
}

/// The plan that is scheduled or runs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Execution {
    /// Its name; empty for none.
    pub plan: Text,
    /// The uid of this run.
    pub uid: Text,
    /// Its status; `None` if it was never written.
    pub status: Option<Status>,
}

/// Progress of a plan.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PlanStatus {
    /// Its name.
    pub name: Text,
    /// Its status.
    pub status: Status,
    /// Error of the plan itself.
    pub message: Text,
    /// When it was last looked at; empty for never.
    pub updated: Text,
    /// The uid of the run that this is about.
    pub uid: Text,
    /// Its phases.
    pub phases: Vec<Arc<PhaseStatus>>,
}

/// Progress of a phase.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PhaseStatus {
    /// Its name.
    pub name: Text,
    /// Its status.
    pub status: Status,
    /// Error of the phase itself.
    pub message: Text,
    /// Its steps.
    pub steps: Vec<StepStatus>,
}

/// Progress of a step.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StepStatus {
    /// Its name.
    pub name: Text,
    /// Its status.
    pub status: Status,
    /// The error.
    pub message: Text,
}

/// A condition of an instance; there is one, `Ready`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Condition {
    /// `type`.
    pub kind: Text,
    /// `status`.
    pub status: Text,
    /// `reason`.
    pub reason: Text,
    /// `message`.
    pub message: Text,
    /// `lastTransitionTime`.
    pub since: Text,
}

/// Why an instance is ready or not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Readiness {
    /// A plan that changes what runs is under way.
    PlanInProgress,
    /// Everything is well.
    ResourcesReady,
    /// Something is not well.
    ResourceNotReady,
    /// A plan has failed fatally.
    PlanInFatalError,
}

impl Readiness {
    const fn words(self) -> (&'static str, &'static str) {
        match self {
            Self::PlanInProgress => ("Unknown", "PlanInProgress"),
            Self::ResourcesReady => ("True", "ResourcesReady"),
            Self::ResourceNotReady => ("False", "ResourceNotReady"),
            Self::PlanInFatalError => ("Unknown", "PlanInFatalError"),
        }
    }
}

impl PlanStatus {
    /// Sets a status and forgets the message when it is another one.
    pub fn set(&mut self, status: Status) {
        if self.status != status {
            self.status = status;
            self.message = Text::default();
        }
    }

    /// Sets a status with its message.
    pub fn set_with(&mut self, status: Status, message: &str) {
        self.status = status;
        self.message = Text::from(message);
    }
}

impl PhaseStatus {
    /// Sets a status and forgets the message.
    pub fn set(&mut self, status: Status) {
        self.status = status;
        self.message = Text::default();
    }

    /// Sets a status with its message.
    pub fn set_with(&mut self, status: Status, message: &str) {
        self.status = status;
        self.message = Text::from(message);
    }
}

impl StepStatus {
    /// Sets a status and forgets the message.
    pub fn set(&mut self, status: Status) {
        self.status = status;
        self.message = Text::default();
    }

    /// Sets a status with its message.
    pub fn set_with(&mut self, status: Status, message: &str) {
        self.status = status;
        self.message = Text::from(message);
    }
}

fn text_at(value: Option<&Value>, key: &str) -> Text {
    value.and_then(|value| value.get(key)).and_then(Value::as_str).unwrap_or_default().into()
}

fn items<'v>(value: Option<&'v Value>, key: &str) -> impl Iterator<Item = &'v Value> {
    value.and_then(|value| value.get(key)).and_then(Value::as_array).into_iter().flatten()
}

fn status_at(value: &Value) -> Status {
    value.get("status").and_then(Value::as_str).and_then(Status::parse).unwrap_or_default()
}

impl Instance {
    /// Reads an object of the cluster.
    pub fn read(object: &Object) -> Self {
        let status = object.status();
        let mut instance = Self {
            name: object.name.clone(),
            namespace: object.namespace.clone(),
            uid: object.uid.clone(),
            resource_version: object.resource_version,
            deleting: object.is_being_deleted(),
            finalizers: object.finalizers.iter().cloned().collect(),
            child: object.owners.iter().any(|owner| &*owner.kind == "Instance"),
            ..Self::default()
        };
        instance.read_parts(object.content().get("spec"), status.as_ref());
        instance
    }

    /// Reads a whole value, as admission sees it.
    pub fn of_value(value: &Value) -> Self {
        let metadata = value.get("metadata");
        let mut instance = Self {
            name: text_at(metadata, "name"),
            namespace: text_at(metadata, "namespace"),
            uid: text_at(metadata, "uid"),
            deleting: metadata
                .and_then(|metadata| metadata.get("deletionTimestamp"))
                .is_some_and(|at| !at.is_null()),
            finalizers: items(metadata, "finalizers").filter_map(Value::as_str).map(Text::from).collect(),
            child: items(metadata, "ownerReferences")
                .any(|owner| owner.get("kind").and_then(Value::as_str) == Some("Instance")),
            ..Self::default()
        };
        instance.read_parts(value.get("spec"), value.get("status"));
        instance
    }

    fn read_parts(&mut self, spec: Option<&Value>, status: Option<&Value>) {
        let reference = spec.and_then(|spec| spec.get("operatorVersion"));
        self.version_reference = reference.cloned().unwrap_or_else(|| json!({}));
        self.version = text_at(reference, "name");
        self.version_namespace = text_at(reference, "namespace");
        let parameters = spec.and_then(|spec| spec.get("parameters")).and_then(Value::as_object);
        self.parameters = parameters
            .into_iter()
            .flatten()
            .map(|(key, value)| (Text::from(key.as_str()), Text::from(value.as_str().unwrap_or_default())))
            .collect();
        let execution = spec.and_then(|spec| spec.get("planExecution"));
        self.execution = Execution {
            plan: text_at(execution, "planName"),
            uid: text_at(execution, "uid"),
            status: execution.and_then(|it| it.get("status")).and_then(Value::as_str).and_then(Status::parse),
        };
        let plans = status.and_then(|status| status.get("planStatus")).and_then(Value::as_object);
        self.plans = plans
            .into_iter()
            .flatten()
            .map(|(key, value)| (Text::from(key.as_str()), Arc::new(plan(value))))
            .collect();
        self.conditions = items(status, "conditions")
            .map(|condition| Condition {
                kind: text_at(Some(condition), "type"),
                status: text_at(Some(condition), "status"),
                reason: text_at(Some(condition), "reason"),
                message: text_at(Some(condition), "message"),
                since: text_at(Some(condition), "lastTransitionTime"),
            })
            .collect();
    }

    /// The namespace of its operator version.
    pub fn version_namespace(&self) -> &Text {
        if self.version_namespace.is_empty() { &self.namespace } else { &self.version_namespace }
    }

    /// Returns `spec` in the API's form.
    pub fn spec_value(&self) -> Value {
        let mut spec = Map::new();
        spec.insert("operatorVersion".to_owned(), self.version_reference.clone());
        if !self.parameters.is_empty() {
            let parameters =
                self.parameters.iter().map(|(key, value)| (key.to_string(), Value::from(&**value)));
            spec.insert("parameters".to_owned(), Value::Object(parameters.collect()));
        }
        spec.insert("planExecution".to_owned(), self.execution.to_value());
        Value::Object(spec)
    }

    /// Returns whether it is known that no two phases of a plan have the same name.
    pub fn has_distinct_phases(&self) -> bool {
        self.covered > 0 && self.distinct
    }

    /// Returns the report of its status.
    pub fn report(&self) -> Report {
        Report { plans: self.plans.clone(), conditions: self.conditions.clone() }
    }

    /// Its readiness condition.
    pub fn ready(&self) -> Option<&Condition> {
        self.conditions.iter().find(|condition| &*condition.kind == "Ready")
    }

    /// Sets the readiness; the time changes with the status only.
    pub fn set_readiness(&mut self, readiness: Readiness, message: &str, now: &str) {
        let (status, reason) = readiness.words();
        match self.conditions.iter_mut().find(|condition| &*condition.kind == "Ready") {
            Some(condition) => {
                if &*condition.status != status {
                    condition.since = now.into();
                }
                condition.status = status.into();
                condition.reason = reason.into();
                condition.message = message.into();
            }
            None => self.conditions.push(Condition {
                kind: "Ready".into(),
                status: status.into(),
                reason: reason.into(),
                message: message.into(),
                since: now.into(),
            }),
        }
    }

    /// The plan that runs, or that ran last; none when none ever ran.
    pub fn last_plan(&self) -> Option<&PlanStatus> {
        let plans = || self.plans.values().map(|plan| &**plan);
        if let Some(running) = plans().find(|plan| plan.status.is_running()) {
            return Some(running);
        }
        let mut last: Option<&PlanStatus> = None;
        for plan in plans().filter(|plan| plan.status != Status::NeverRun) {
            if last.is_none_or(|last| !last.updated.is_empty() && plan.updated > last.updated) {
                last = Some(plan);
            }
        }
        last
    }

    /// Makes the plan statuses match the version's plans, in order: missing plans were never run, removed phases and steps
    /// are dropped, plans stay.
    pub fn cover(&mut self, version: &Version) {
        if self.covered == version.resource_version && self.covered > 0 {
            return;
        }
        self.covered = version.resource_version;
        self.distinct = version.plans.iter().all(|plan| {
            let names: SortedSet<&str> = plan.phases.iter().map(|phase| phase.name.value.as_str()).collect();
            names.len() == plan.phases.len()
        });
        for plan in &version.plans {
            let name = Text::from(plan.name.value.as_str());
            let known = self.plans.get(&name);
            let covered = known.is_some_and(|status| {
                status.phases.len() == plan.phases.len()
                    && status.phases.iter().zip(&plan.phases).all(|(status, phase)| {
                        *status.name == *phase.name.value
                            && status.steps.len() == phase.steps.len()
                            && status
                                .steps
                                .iter()
                                .zip(&phase.steps)
                                .all(|(status, step)| *status.name == *step.name.value)
                    })
            });
            if covered {
                continue;
            }
            let mut status = known.map_or_else(
                || PlanStatus { name: name.clone(), ..PlanStatus::default() },
                |known| PlanStatus::clone(known),
            );
            let phases = plan.phases.iter().map(|phase| {
                let known = status.phases.iter().find(|status| *status.name == *phase.name.value);
                let steps = phase.steps.iter().map(|step| {
                    let known =
                        known.and_then(|known| known.steps.iter().find(|it| *it.name == *step.name.value));
                    known.cloned().unwrap_or_else(|| StepStatus {
                        name: Text::from(step.name.value.as_str()),
                        ..StepStatus::default()
                    })
                });
                Arc::new(PhaseStatus {
                    name: Text::from(phase.name.value.as_str()),
                    steps: steps.collect(),
                    status: known.map_or(Status::NeverRun, |known| known.status),
                    message: known.map(|known| known.message.clone()).unwrap_or_default(),
                })
            });
            status.phases = phases.collect();
            self.plans.insert(name, Arc::new(status));
        }
    }

    /// Writes a plan's status with the time, and updates the scheduled plan and the readiness.
    pub fn update(&mut self, mut plan: PlanStatus, now: &str) {
        plan.updated = now.into();
        self.execution.status = Some(plan.status);
        self.plans.insert(plan.name.clone(), Arc::new(plan));
        match self.execution.status {
            Some(Status::Complete) => self.set_readiness(Readiness::ResourcesReady, "", now),
            Some(Status::FatalError) => self.set_readiness(Readiness::PlanInFatalError, "", now),
            _ => {}
        }
    }

    /// Removes the cleanup's finalizer if the cleanup is complete, or if there is no such plan.
    pub fn try_remove_finalizer(&mut self) -> bool {
        let done = match self.plans.get("cleanup") {
            Some(plan) => plan.status.is_finished(),
            None => true,
        };
        let before = self.finalizers.len();
        if done {
            self.finalizers.retain(|finalizer| &**finalizer != FINALIZER);
        }
        self.finalizers.len() != before
    }
}

impl KeptStatus for Report {
    fn to_value(&self) -> Value {
        let mut status = Map::new();
        if !self.plans.is_empty() {
            let plans = self.plans.iter().map(|(key, plan)| (key.to_string(), plan.to_value()));
            status.insert("planStatus".to_owned(), Value::Object(plans.collect()));
        }
        if !self.conditions.is_empty() {
            let conditions = self.conditions.iter().map(|condition| {
                json!({
                    "lastTransitionTime": condition.since,
                    "message": condition.message,
                    "reason": condition.reason,
                    "status": condition.status,
                    "type": condition.kind,
                })
            });
            status.insert("conditions".to_owned(), conditions.collect());
        }
        Value::Object(status)
    }

    fn is_same(&self, other: &dyn KeptStatus) -> bool {
        let other: &dyn Any = other;
        other.downcast_ref::<Self>().is_some_and(|other| self == other)
    }
}

impl Execution {
    fn to_value(&self) -> Value {
        let mut fields = Map::new();
        let status = self.status.map_or("", Status::word);
        for (key, text) in [("planName", &*self.plan), ("status", status), ("uid", &*self.uid)] {
            if !text.is_empty() {
                fields.insert(key.to_owned(), text.into());
            }
        }
        Value::Object(fields)
    }
}

impl PlanStatus {
    fn to_value(&self) -> Value {
        let phases = self.phases.iter().map(|phase| {
            let steps = phase.steps.iter().map(|step| named(&step.name, step.status, &step.message));
            let steps: Vec<Value> = steps.map(Value::Object).collect();
            let mut fields = named(&phase.name, phase.status, &phase.message);
            if !steps.is_empty() {
                fields.insert("steps".to_owned(), Value::Array(steps));
            }
            Value::Object(fields)
        });
        let phases: Vec<Value> = phases.collect();
        let mut fields = named(&self.name, self.status, &self.message);
        if !self.updated.is_empty() {
            fields.insert("lastUpdatedTimestamp".to_owned(), Value::from(&*self.updated));
        }
        if !phases.is_empty() {
            fields.insert("phases".to_owned(), Value::Array(phases));
        }
        if !self.uid.is_empty() {
            fields.insert("uid".to_owned(), Value::from(&*self.uid));
        }
        Value::Object(fields)
    }
}

fn named(name: &str, status: Status, message: &str) -> Map<String, Value> {
    let mut fields = Map::new();
    for (key, text) in [("name", name), ("status", status.word()), ("message", message)] {
        if !text.is_empty() {
            fields.insert(key.to_owned(), text.into());
        }
    }
    fields
}

fn plan(value: &Value) -> PlanStatus {
    let phases = items(Some(value), "phases").map(|phase| {
        Arc::new(PhaseStatus {
            name: text_at(Some(phase), "name"),
            status: status_at(phase),
            message: text_at(Some(phase), "message"),
            steps: items(Some(phase), "steps")
                .map(|step| StepStatus {
                    name: text_at(Some(step), "name"),
                    status: status_at(step),
                    message: text_at(Some(step), "message"),
                })
                .collect(),
        })
    });
    PlanStatus {
        name: text_at(Some(value), "name"),
        status: status_at(value),
        message: text_at(Some(value), "message"),
        updated: text_at(Some(value), "lastUpdatedTimestamp"),
        uid: text_at(Some(value), "uid"),
        phases: phases.collect(),
    }
}
