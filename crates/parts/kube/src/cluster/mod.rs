//! The records of a cluster, and the only way to change its objects.
//!
//! *Knows*: the content of each record, and which of them follow from objects. *Must not know*: decisions of controllers,
//! scheduler and kubelets; they are above and read and write through this module.
//!
//! Every write goes through [`Cluster::write`]: a verb of the [`Api`] changes objects and records it in the log. Then the
//! log is read from the last position on, and each change is [followed](Cluster::follow) in order: counts and nodes' totals
//! are updated, and the controllers concerned are queued. None of them acts before its turn.

mod bootstrap;
mod counting;
mod effects;
mod nodes;
mod selecting;
pub(crate) mod taints;
pub(crate) mod usage;
mod waiting;

use crate::{
    api::{Api, Parts},
    object::{Object, ObjectNo, ObjectRef},
    records::{
        autoscalers::Autoscalers,
        evictions::Evictions,
        nodes::Nodes,
        queue::{Queue, Timer, Work},
        reports::Reports,
        runs::Runs,
        scheduling::Scheduler,
        selections::Selections,
        workloads::Workloads,
    },
    request::{DeleteOptions, Written},
    status::Status,
    view::Occurrence,
};
use planarium_ground::Cx;
use planarium_kernel::{Digestible, Map, SimTime, Weight};
use planarium_protocol::{Text, json::Value};
use std::sync::Arc;

/// The records of a cluster.
#[derive(Clone, Debug, Digestible, Weight)]
#[digest(
    api.seed, api.store.version, api.store.objects.len(), each api.store.objects.values(), all runs.all,
    all nodes.all, each evictions.iter(), scheduler.waiting.len(), queue.len(),
    queue.next_due().map_or(u64::MAX, SimTime::ms),
)]
#[weight(
    api.store.objects, api.store.history, runs.all, flat workloads.pods, workloads.all, reports,
    flat runs.by_process, own 1_024 * self.nodes.all.len() as u64, queue,
)]
pub(crate) struct Cluster {
    /// Kinds and objects.
    pub(crate) api: Api,
    /// Counts of pods for their workloads.
    pub(crate) workloads: Workloads,
    /// Services and budgets, and the pods that they pick.
    pub(crate) selections: Selections,
    /// Machines as nodes, with their books.
    pub(crate) nodes: Nodes,
    /// Pods that wait for a node.
    pub(crate) scheduler: Scheduler,
    /// Pods that kubelets have taken on.
    pub(crate) runs: Runs,
    /// Memories of autoscalers.
    pub(crate) autoscalers: Autoscalers,
    /// Evictions that budgets refused.
    pub(crate) evictions: Evictions,
    /// Work and timers.
    pub(crate) queue: Queue,
    /// The Events of the API.
    pub(crate) reports: Reports,
    /// The pod label that gives fault targets their `service`; empty where the name of the workload does.
    pub(crate) service_label: Text,
    /// Services that workloads were given to.
    pub(crate) services: Map<ObjectNo, Text>,
    /// The version up to which changes have been followed.
    followed: u64,
}

impl Cluster {
    /// Records without anything in them.
    fn empty(seed: u64, epoch_ms: u64) -> Self {
        Self {
            api: Api::new(seed, epoch_ms),
            workloads: Workloads::default(),
            selections: Selections::default(),
            nodes: Nodes::default(),
            scheduler: Scheduler::default(),
            runs: Runs::default(),
            autoscalers: Autoscalers::default(),
            evictions: Evictions::default(),
            queue: Queue::default(),
            reports: Reports::default(),
            service_label: "".into(),
            services: Map::default(),
            followed: 0,
        }
    }

    /// Carries out a verb and handles the consequences of its changes.
    pub(crate) fn write<R>(&mut self, cx: &mut Cx, verb: impl FnOnce(&mut Api, SimTime) -> R) -> R {
        let result = verb(&mut self.api, cx.now());
        while let Some(change) = self.api.store.change_after(self.followed).cloned() {
            self.followed = change.resource_version;
            self.follow(cx, &change);
        }
        result
    }

    /// Creates an object as a client would.
    pub(crate) fn create(&mut self, cx: &mut Cx, value: Value) -> Written {
        self.write(cx, |api, now| api.create(now, value))
    }

    /// Creates an object that a controller makes from valid parts. *Errors*: the namespace is being deleted, the name is
    /// taken.
    pub(crate) fn create_owned(&mut self, cx: &mut Cx, owner: Option<&Object>, parts: Parts) -> Written {
        self.write(cx, |api, now| api.create_owned(now, owner, parts))
    }

    /// Puts an object in its place.
    pub(crate) fn put(&mut self, cx: &mut Cx, object: Object) -> Arc<Object> {
        self.write(cx, |api, _| api.put(object))
    }

    /// Gives an object another status.
    pub(crate) fn put_status(&mut self, cx: &mut Cx, object: &Arc<Object>, status: Status) -> Arc<Object> {
        self.write(cx, |api, _| api.put_status(object, status))
    }

    /// Deletes an object that is there; returns it with its `deletionTimestamp`, or as it last was.
    pub(crate) fn delete(
        &mut self,
        cx: &mut Cx,
        object: &Arc<Object>,
        options: &DeleteOptions,
    ) -> Arc<Object> {
        self.write(cx, |api, now| api.delete_object(now, object, options))
    }

    /// Takes a finalizer off an object, which may then go.
    pub(crate) fn drop_finalizer(&mut self, cx: &mut Cx, object: &Arc<Object>, finalizer: &str) {
        self.write(cx, |api, _| api.drop_finalizer(object, finalizer));
    }

    /// Removes an object.
    pub(crate) fn take(&mut self, cx: &mut Cx, no: ObjectNo) {
        self.write(cx, |api, _| api.take(no));
    }

    /// Schedules the next sync of an object's controller, replacing an earlier schedule.
    pub(crate) fn look_again(&mut self, cx: &Cx, no: ObjectNo, due: Option<SimTime>) {
        let armed = self.workloads.get(no).and_then(|workload| workload.timer);
        if armed.map(|(_, at)| at) == due {
            return;
        }
        self.queue.disarm(armed.map(|(timer, _)| timer));
        let timer =
            due.map(|due| (self.queue.arm_in(cx, due.since(cx.now()), Timer::Work(Work::Sync(no))), due));
        self.workloads.change(no, |workload| workload.timer = timer);
    }

    /// Returns reports about an object, oldest first; also about a deleted one, while they are kept.
    pub(crate) fn occurrences(&self, object: ObjectRef<'_>) -> Vec<Occurrence> {
        if let Some(object) = self.api.get(object) {
            return self.reports.of(object.no);
        }
        let kind = self.api.kind_info(object.kind).map(|info| info.kind.clone()).unwrap_or_default();
        self.reports.of_name(&kind, object.namespace, object.name)
    }

    /// The workload that a pod belongs to in the end, by number and name: a Deployment rather than its ReplicaSet.
    fn workload_of(&self, pod: &Object) -> (ObjectNo, Text) {
        let mut found = (pod.no, pod.name.clone());
        let mut owner = self.api.store.controller_of(pod);
        for _ in 0..4 {
            let Some(object) = owner.filter(|object| !object.info().custom) else { break };
            found = (object.no, object.name.clone());
            owner = self.api.store.controller_of(object);
        }
        found
    }

    /// The service that fault targets name for a pod: by its label, else by its workload.
    pub(crate) fn service_of(&self, pod: &Object) -> Text {
        match self.service_label_of(pod) {
            Some(label) => label.clone(),
            None => self.workload_and_service_of(pod).1,
        }
    }

    /// The name of the workload that a pod belongs to in the end, and the service that fault targets name for the pod.
    pub(crate) fn workload_and_service_of(&self, pod: &Object) -> (Text, Text) {
        let (no, name) = self.workload_of(pod);
        let service = self.service_label_of(pod).or_else(|| self.services.get(&no)).unwrap_or(&name).clone();
        (name, service)
    }

    /// The service that a pod's label names.
    fn service_label_of<'a>(&self, pod: &'a Object) -> Option<&'a Text> {
        pod.labels.get(&self.service_label).filter(|_| !self.service_label.is_empty())
    }
}
