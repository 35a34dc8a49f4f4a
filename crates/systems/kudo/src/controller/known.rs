//! The controller's record of an instance, and when its elements changed.
//!
//! *Knows*: the last written instance, and revisions. *Must not know*: what triggers a reconcile.

use std::sync::Arc;

use planarium_kernel::{Flat, Map, SimTime, Weight, cow::bytes_of};
use planarium_kube::{ChangeKind, Kube, Object, ObjectNo};
use planarium_protocol::Text;
use planarium_protocol::view::PodView;

use crate::engine::Memory;
use crate::instance::Instance;
use crate::pods::Pod;
use crate::status::Status;
use crate::version::Version;

/// When an instance is looked at next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Due {
    pub(super) at: SimTime,
    /// Nothing has changed: it is looked at because some time has passed.
    pub(super) tick: bool,
}

/// Estimated bytes of a step's status.
const ROW: usize = 96;

/// Record of an instance.
#[derive(Clone, Debug)]
pub struct Known {
    /// The last written instance.
    pub instance: Arc<Instance>,
    /// The version of its operator that was there last.
    pub version: Option<Arc<Version>>,
    /// Memory of its run.
    pub memory: Arc<Memory>,
    /// Its pods, by name.
    pub(super) pods: Map<Text, Pod>,
    /// Why the last reconcile failed; empty if it succeeded.
    pub trouble: Text,
    /// When elements changed, by plan, phase and step; the latter are empty for plans and phases.
    pub(super) marks: Map<ElementKey, Mark>,
    /// Revision of data that all elements show.
    pub(super) base: u64,
    /// Revision of the whole view.
    pub revision: u64,
    pub(super) due: Option<Due>,
    /// Errors since the last successful reconcile.
    pub(super) failures: u32,
    /// The cluster's version after which a reconcile changed nothing.
    pub(super) quiet_at: Option<u64>,
    /// Objects of the run that changed since a reconcile without changes; `None` if everything must be checked.
    pub(super) stirred: Option<Vec<ObjectNo>>,
    /// The last written instance, until the controller is notified of it.
    pub(super) written: Option<Arc<Instance>>,
}

impl Weight for Known {
    fn beyond(&self, before: Option<&Self>) -> u64 {
        let changed = before
            .is_none_or(|old| old.revision != self.revision || !Arc::ptr_eq(&old.instance, &self.instance));
        let steps = self.instance.plans.values().flat_map(|plan| &plan.phases).map(|phase| phase.steps.len());
        bytes_of::<Self>(1)
            + if changed { bytes_of::<[u8; ROW]>(steps.sum()) } else { 0 }
            + self.memory.beyond(before.map(|old| &old.memory))
            + self.pods.beyond_flat(before.map(|old| &old.pods))
    }
}

/// Plan, phase and step.
pub(super) type ElementKey = (Text, Text, Text);

/// When an element changed last.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Mark {
    /// Since when it has its status.
    pub since: SimTime,
    /// Revision of its view.
    pub revision: u64,
}

impl Known {
    /// When an element changed last; phase and step are empty for plans, the step for phases.
    pub fn mark(&self, plan: &str, phase: &str, step: &str) -> Mark {
        let key = (Text::from(plan), Text::from(phase), Text::from(step));
        let mark = self.marks.get(&key).copied().unwrap_or_default();
        Mark { revision: mark.revision.max(self.base), ..mark }
    }

    /// An element shows something else, and so do those that it is part of.
    pub(super) fn touch(&mut self, element: ElementKey, since: Option<SimTime>, revision: u64) {
        let (plan, phase, step) = element;
        let mut change = |phase: Text, step: Text, since: Option<SimTime>| {
            self.marks.upsert((plan.clone(), phase, step), Mark::default, |mark| {
                mark.revision = revision;
                mark.since = since.unwrap_or(mark.since);
            });
        };
        change(phase.clone(), step, since);
        change(phase, Text::default(), None);
        change(Text::default(), Text::default(), None);
        self.revision = revision;
    }

    /// Steps about whose tasks something else is known show something else.
    pub(super) fn take_news(&mut self, revision: u64) {
        if !self.memory.has_news() {
            return;
        }
        let plan = self.instance.execution.plan.clone();
        for (phase, step, _) in Arc::make_mut(&mut self.memory).take_news() {
            self.touch((plan.clone(), phase, step), None, revision);
        }
    }

    /// All elements show something else.
    pub(super) fn touch_all(&mut self, revision: u64) {
        self.base = revision;
        self.revision = revision;
    }

    /// Returns the views of its pods. *Order*: name.
    pub fn pods(&self) -> Vec<Arc<PodView>> {
        self.pods.values().map(Pod::view).collect()
    }

    /// One of its pods is there, or is not any more.
    pub(super) fn take_pod(&mut self, pod: &Arc<Object>, gone: bool, revision: u64) {
        if gone {
            self.pods.remove(&pod.name);
        } else {
            self.pods.insert(pod.name.clone(), Pod::new(Arc::clone(pod), revision));
        }
        self.revision = revision;
    }

    /// Returns whether it has a pod of this name.
    pub fn has_pod(&self, name: &str) -> bool {
        self.pods.contains_key(name)
    }

    /// Records a change of an object in its namespace or without one. Remembers objects that the run has applied. If a reconcile may
    /// depend on the change in another way, everything must be checked.
    pub(super) fn stir(&mut self, kind: ChangeKind, object: &Object) {
        let Some(stirred) = &mut self.stirred else { return };
        let info = object.info();
        // Versions of operators may lie elsewhere.
        let elsewhere = !object.namespace.is_empty() && object.namespace != self.instance.namespace;
        if elsewhere && &*info.group != "kudo.dev" {
            return;
        }
        if kind == ChangeKind::Modified && self.memory.has_applied(object.no) {
            if !stirred.contains(&object.no) {
                stirred.push(object.no);
            }
            return;
        }
        let of_others = matches!(
            (&*info.group, &*info.kind),
            ("", "Pod" | "Node" | "PersistentVolumeClaim" | "PersistentVolume")
                | ("apps", "ReplicaSet" | "ControllerRevision")
        );
        if !of_others || self.memory.has_applied(object.no) {
            self.stirred = None;
        }
    }

    /// Returns whether another reconcile would end like the last one, which changed nothing, because all changed objects are as healthy as
    /// before. Updates the objects that tasks wait for.
    pub(super) fn goes_on(&mut self, kube: &Kube) -> bool {
        let Some(stirred) = &mut self.stirred else { return false };
        if stirred.is_empty() {
            return true;
        }
        let objects: Option<Vec<_>> = stirred.iter().map(|no| kube.object(*no)).collect();
        let Some(objects) = objects else { return false };
        if !objects.iter().all(|object| self.memory.waits_on(object)) {
            return false;
        }
        let memory = Arc::make_mut(&mut self.memory);
        for object in objects {
            memory.note(object);
        }
        stirred.clear();
        true
    }

    /// Returns the instant of the next reconcile.
    pub fn next_look(&self) -> Option<SimTime> {
        Some(self.due?.at)
    }

    /// Stores an instance as last written.
    pub(super) fn take(&mut self, now: SimTime, instance: Arc<Instance>, revision: u64) {
        let old = std::mem::replace(&mut self.instance, Arc::clone(&instance));
        self.revision = revision;
        if old.execution != instance.execution
            || old.deleting != instance.deleting
            || old.version != instance.version
        {
            // What can be done with plans, and what others wait for, is another matter now.
            self.touch_all(revision);
        }
        let none = Text::default;
        for plan in instance.plans.values() {
            let before = old.plans.get(&plan.name);
            if before.is_some_and(|before| Arc::ptr_eq(before, plan)) {
                continue;
            }
            for (at, phase) in plan.phases.iter().enumerate() {
                let before = before.and_then(|plan| plan.phases.get(at));
                if before.is_some_and(|before| Arc::ptr_eq(before, phase)) {
                    continue;
                }
                for (at, step) in phase.steps.iter().enumerate() {
                    let before = before.and_then(|phase| phase.steps.get(at));
                    let status = before.map(|step| step.status).unwrap_or_default();
                    if status != step.status || before.is_some_and(|before| before.message != step.message) {
                        let since = (status != step.status).then_some(now);
                        self.touch(
                            (plan.name.clone(), phase.name.clone(), step.name.clone()),
                            since,
                            revision,
                        );
                    }
                }
                let status = before.map(|phase| phase.status).unwrap_or_default();
                if status != phase.status || before.is_some_and(|before| before.message != phase.message) {
                    self.touch((plan.name.clone(), phase.name.clone(), none()), Some(now), revision);
                }
            }
            let status = before.map(|plan| plan.status).unwrap_or_default();
            if status != plan.status || before.is_some_and(|before| before.message != plan.message) {
                self.touch((plan.name.clone(), none(), none()), Some(now), revision);
            }
            if plan.status == Status::FatalError && status != plan.status {
                self.touch_all(revision);
            }
        }
    }
}
