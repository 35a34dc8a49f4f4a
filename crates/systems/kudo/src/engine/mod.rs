//! The engine: one pass of a plan.
//!
//! *Knows*: tasks, steps, phases and plans, and how objects are rendered, written and checked. *Must not know*: when
//! passes happen, and why a plan was started.

mod apply;
mod child;
mod delete;
pub mod enhance;
pub mod health;
pub mod manifest;
pub mod pass;
mod pipe;
pub mod readiness;
pub mod render;
mod task;

use planarium_kernel::{Map, Weight};
use planarium_kube::{Kube, Object, ObjectNo};
use planarium_protocol::Text;
use planarium_source::template::OffsetMap;
use serde_json::Value;
use std::sync::Arc;

use crate::Cx;
use crate::package::model::Task;
use crate::version::Version;
use health::Health;

/// Annotation of the configuration that KUDO applied last.
pub const LAST_APPLIED: &str = "kudo.dev/last-applied-configuration";

/// The run that a task belongs to.
#[derive(Clone, Debug)]
pub struct Meta {
    /// Namespace of the instance.
    pub namespace: Text,
    /// Name of the instance.
    pub instance: Text,
    /// Uid of the instance.
    pub instance_uid: Text,
    /// Name of the plan.
    pub plan: Text,
    /// Uid of the run.
    pub uid: Text,
}

/// Why a task is not done.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Failure {
    /// The plan is aborted.
    Fatal {
        /// The whole text, as the step shows it.
        message: String,
        /// The reason of the event about it.
        event: &'static str,
    },
    /// The step shows it, and the task is tried again.
    Transient(String),
}

/// A task's result: done or not, or its failure.
pub type Outcome = Result<bool, Failure>;

/// An object of a task, ready to apply.
#[derive(Clone, Debug)]
pub struct Prepared {
    /// The object, with everything that KUDO adds.
    pub value: Arc<Value>,
    /// Its kind, if the cluster serves it.
    pub kind: Option<planarium_kube::KindId>,
    /// Its namespace; empty for kinds that have none.
    pub namespace: Text,
    /// Its name.
    pub name: Text,
}

impl Prepared {
    /// `Kind/name`.
    pub fn path(&self) -> Text {
        let kind = self.value.get("kind").and_then(Value::as_str).unwrap_or_default();
        format!("{kind}/{}", self.name).into()
    }

    /// Returns whether [`Prepared::path`] is this.
    pub fn is(&self, path: &str) -> bool {
        let kind = self.value.get("kind").and_then(Value::as_str).unwrap_or_default();
        path.split_once('/').is_some_and(|(own, name)| own == kind && *name == *self.name)
    }
}

/// Result of rendering a task.
#[derive(Clone, Debug, Default)]
pub struct Rendered {
    /// Texts by template, in the order of the task, with the way back to the template.
    pub texts: Vec<(Text, Arc<str>, OffsetMap)>,
    /// Objects in the order of the texts.
    pub objects: Vec<Prepared>,
    /// Objects that the dependencies' hash was made of, each at the version it had.
    dependencies: Vec<(Text, Text, Text, u64)>,
}

/// A task's place: its phase, its step, its name.
pub type Place = (Text, Text, Text);

/// Memory of a run from pass to pass, so that nothing is rendered twice.
#[derive(Clone, Debug, Default)]
pub struct Memory {
    /// The run and the version that this is about.
    key: (Text, u64),
    /// Results of rendering, by task.
    pub rendered: Map<Place, Arc<Rendered>>,
    /// The first unhealthy object of a task, as `Kind/name`, and its message.
    pub unhealthy: Map<Place, (Text, String)>,
    /// Objects that were found healthy, at the version they had.
    healthy: Map<ObjectNo, u64>,
    /// Configuration applied last and the version after it, by object: applying it again changes nothing.
    settled: Map<ObjectNo, (u64, Arc<Value>)>,
    /// Tasks about which something else is shown since [`Memory::take_news`].
    news: Vec<Place>,
    /// True if the last pass only applied objects and checked their health, without an error.
    plain: bool,
}

impl Memory {
    /// Records what a task waits for, if anything: the object as `Kind/name`, and its message.
    fn waits(&mut self, place: Place, wait: Option<(Text, String)>) {
        if self.unhealthy.get(&place) == wait.as_ref() {
            return;
        }
        match wait {
            Some(wait) => self.unhealthy.insert(place.clone(), wait),
            None => self.unhealthy.remove(&place),
        };
        self.news.push(place);
    }

    /// Returns whether there is anything for [`Memory::take_news`].
    pub fn has_news(&self) -> bool {
        !self.news.is_empty()
    }

    /// Returns whether the last pass only applied objects and checked their health, without an error.
    pub fn is_plain(&self) -> bool {
        self.plain
    }

    /// Returns whether the run has applied an object.
    pub fn has_applied(&self, no: ObjectNo) -> bool {
        self.settled.contains_key(&no)
    }

    /// Returns whether a task waits for an object that the run has applied, and would keep waiting: it is still unhealthy, and only the
    /// cluster has written to it.
    pub fn waits_on(&self, object: &Object) -> bool {
        let waited_for = || {
            let is_it = |(path, _): &(Text, String)| {
                path.split_once('/')
                    .is_some_and(|(kind, name)| *kind == *object.info().kind && *name == *object.name)
            };
            self.unhealthy.values().any(is_it)
        };
        self.settled.get(&object.no).is_some_and(|(_, value)| object.is_as_applied(value))
            && matches!(health::of(object), Health::Unhealthy(_) | Health::Unclear(_))
            && waited_for()
    }

    /// Updates the message of an object that tasks wait for.
    pub fn note(&mut self, object: &Object) {
        if let Some((version, _)) = self.settled.get_mut(&object.no) {
            *version = object.resource_version;
        }
        let path = Text::from(format!("{}/{}", object.info().kind, object.name));
        let message = health::of(object).message().unwrap_or_default().to_owned();
        let places: Vec<Place> = self
            .unhealthy
            .iter()
            .filter(|(_, (known, _))| *known == path)
            .map(|(place, _)| place.clone())
            .collect();
        for place in places {
            self.waits(place, Some((path.clone(), message.clone())));
        }
    }

    /// Takes the tasks about which something else is shown since the last time.
    pub fn take_news(&mut self) -> Vec<Place> {
        std::mem::take(&mut self.news)
    }

    /// Forgets everything when another run begins or the operator's version has changed.
    pub fn for_run(&mut self, uid: &Text, version: u64) {
        if self.key.0 != *uid || self.key.1 != version {
            let news = self.rendered.keys().chain(self.unhealthy.keys()).cloned().collect();
            *self = Self { key: (uid.clone(), version), news, ..Self::default() };
        }
    }
}

impl Weight for Memory {
    /// Estimates its size. *Units*: bytes.
    fn beyond(&self, _: Option<&Self>) -> u64 {
        let count = |bytes: usize| u64::try_from(bytes).unwrap_or(u64::MAX);
        let rendered = self.rendered.values().map(|rendered| {
            let texts: usize = rendered.texts.iter().map(|(_, text, _)| text.len()).sum();
            // An object takes a few times its text.
            count(texts).saturating_mul(4)
        });
        rendered.sum::<u64>()
            + 128 * count(self.healthy.len() + self.settled.len() + self.unhealthy.len() + 1)
    }
}

/// Context of tasks.
pub struct Work<'w, 'r> {
    /// The cluster.
    pub kube: &'w mut Kube,
    /// The recorder.
    pub cx: &'w mut Cx,
    /// Calendar time of genesis. *Units*: milliseconds since 1970.
    pub epoch_ms: u64,
    /// The run.
    pub meta: &'r Meta,
    /// The operator's version.
    pub version: &'r Version,
    /// Texts of parameters, by name: the instance's or the default.
    pub params: &'r [(Text, Option<Text>)],
    /// Names of objects made by the plan's pipes, by key.
    pub pipes: &'r [(Text, Text)],
    /// Memory of the run.
    pub memory: &'w mut Memory,
}

/// A task at its place in a plan.
#[derive(Clone, Copy)]
pub struct At<'t> {
    /// Name of its phase.
    pub phase: &'t str,
    /// Name of its step.
    pub step: &'t str,
    /// The task.
    pub task: &'t Task,
}

impl At<'_> {
    /// The place as a key.
    pub fn place(&self) -> Place {
        (Text::from(self.phase), Text::from(self.step), Text::from(self.task.name.value.as_str()))
    }

    /// `plan.phase.step.task`.
    fn path(&self, plan: &str) -> String {
        format!("{plan}.{}.{}.{}", self.phase, self.step, self.task.name.value)
    }
}

impl Meta {
    /// A failure that aborts the plan.
    fn fatal(&self, at: &At<'_>, cause: &str, event: &'static str) -> Failure {
        let path = at.path(&self.plan);
        let message = format!(
            "Error during execution: fatal error: {}/{} failed in {path}: {cause}",
            self.namespace, self.instance
        );
        Failure::Fatal { message, event }
    }
}
