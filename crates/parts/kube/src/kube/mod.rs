//! The cluster from outside: its API server, its controllers, its nodes.
//!
//! *Knows*: who is to act next. The rules are in the modules below it: verbs in [`crate::api`], consequences of changes in
//! [`crate::cluster`], deeds in [`crate::controllers`], [`crate::scheduler`], [`crate::kubelet`] and [`crate::nodes`].

mod check;
mod reading;

pub use reading::Tried;

use crate::{
    Api,
    cluster::Cluster,
    controllers,
    error::ApiError,
    kinds::{KindId, KindInfo},
    kubelet::{self, Kubelet},
    nodes,
    object::{Object, ObjectNo, ObjectRef, OwnerReference},
    records::queue::{Due, Timer, Work},
    request::{Applied, Change, DeleteOptions, Part, Patch, Webhook, Written},
    scheduler,
    schema::Mismatch,
    selector::Selector,
    status::KeptStatus,
    view::{DrainOptions, Occurrence},
};
use planarium_ground::{Absence, Cx, Fleet, FleetEvent, FleetEventKind, MachineId};
use planarium_kernel::{Digestible, SimTime, Weight};
use planarium_protocol::{Refusal, Text, input::TaskStatusInput, why::Unblock};
use serde_json::Value;
use std::sync::Arc;

/// The whole Kubernetes cluster. Copies share unchanged parts.
///
/// Verbs of the API server ([`Kube::create`] and the others) only change objects: controllers, scheduler and kubelets act
/// in [`Kube::fire`], at the same instant but afterwards. So a verb returns the object before any of them has acted on
/// it, as with the real API server.
#[derive(Clone, Debug, Digestible, Weight)]
#[digest(cluster)]
#[weight(cluster)]
pub struct Kube {
    pub(crate) cluster: Cluster,
}

impl Kube {
    /// A cluster without nodes, with the namespaces that every cluster has. `epoch_ms` is the calendar time of genesis.
    /// *Units*: milliseconds since 1970.
    pub fn new(seed: u64, epoch_ms: u64) -> Self {
        Self { cluster: Cluster::new(seed, epoch_ms) }
    }

    // ---- reading -------------------------------------------------------------------------------

    /// The API server, to be read.
    pub const fn api(&self) -> &Api {
        &self.cluster.api
    }

    /// The kind of this `apiVersion` and `kind`, if the cluster serves it (its CRD is established, for a custom one).
    pub fn find_kind(&self, api_version: &str, kind: &str) -> Option<KindId> {
        self.api().find_kind(api_version, kind)
    }

    /// The kind of this group and plural (or singular, or short name).
    pub fn find_plural(&self, group: &str, plural: &str) -> Option<KindId> {
        self.api().find_plural(group, plural)
    }

    /// The names of a kind.
    pub fn kind_info(&self, kind: KindId) -> Option<&Arc<KindInfo>> {
        self.api().kind_info(kind)
    }

    /// The object, if there is one.
    pub fn get(&self, object: ObjectRef<'_>) -> Option<&Arc<Object>> {
        self.api().get(object)
    }

    /// The object. *Errors*: 404 with the real message (`deployments.apps "web" not found`).
    pub fn read(&self, object: ObjectRef<'_>) -> Result<&Arc<Object>, ApiError> {
        self.api().read(object)
    }

    /// The object of this number, if it is still there.
    pub fn object(&self, no: ObjectNo) -> Option<&Arc<Object>> {
        self.api().store.object(no)
    }

    /// The object of this uid, if it is still there.
    pub fn by_uid(&self, uid: &str) -> Option<&Arc<Object>> {
        self.api().store.by_uid(uid)
    }

    /// The object that a reference to an owner names, if it is still there.
    pub fn owner(&self, owner: &OwnerReference) -> Option<&Arc<Object>> {
        self.api().store.owner(owner)
    }

    /// Objects of a kind, in one namespace or (without one) in all. *Order*: namespace, name.
    pub fn list(&self, kind: KindId, namespace: Option<&str>, labels: &Selector) -> Vec<Arc<Object>> {
        self.api().list(kind, namespace, labels)
    }

    /// Objects that name this one as an owner. *Order*: creation.
    pub fn dependants(&self, owner: &Object) -> Vec<Arc<Object>> {
        self.api().store.dependants(owner.no).cloned().collect()
    }

    /// The version of the latest change.
    pub fn resource_version(&self) -> u64 {
        self.api().resource_version()
    }

    /// Changes since a version, oldest first. *Errors*: 410 when that is too long ago.
    pub fn changes_since(&self, resource_version: u64) -> Result<impl Iterator<Item = &Change>, ApiError> {
        self.api().changes_since(resource_version)
    }

    /// The first field of an object whose value has a type that its kind cannot take.
    pub fn mismatch(&self, kind: KindId, value: &Value) -> Option<Mismatch> {
        self.api().mismatch(kind, value)
    }

    /// Returns reports about an object, oldest first; also about a deleted one, while they are kept.
    pub fn occurrences(&self, object: ObjectRef<'_>) -> Vec<Occurrence> {
        self.cluster.occurrences(object)
    }

    /// An instant as the API writes it: `2021-04-09T12:30:00Z`.
    pub fn time_text(&self, at: SimTime) -> String {
        self.api().epoch.text(at)
    }

    /// True if a task of this name or id is a container of this cluster.
    pub fn knows_task(&self, fleet: &Fleet, task: &str) -> bool {
        kubelet::knows_task(&self.cluster.runs, fleet, task)
    }

    // ---- setting up ----------------------------------------------------------------------------

    /// Has a webhook asked about changes from now on.
    pub fn add_webhook(&mut self, webhook: Webhook) {
        self.cluster.api.add_webhook(webhook);
    }

    /// Which pod label gives fault targets their `service`; without it, the name of the workload.
    pub fn set_service_label(&mut self, label: Text) {
        self.cluster.service_label = label;
    }

    /// Gives the pods of a workload to a service that fault targets name.
    pub fn set_service(&mut self, workload: &Object, service: Text) {
        self.cluster.services.insert(workload.no, service);
    }

    // ---- verbs ---------------------------------------------------------------------------------

    /// Creates an object from `apiVersion`, `kind`, `metadata` and the rest. The namespace is that of its metadata, or
    /// `default` where its kind has one and none is given.
    ///
    /// *Errors*: unknown kind or namespace (404), name taken (409), invalid fields (422), denied by a webhook.
    pub fn create(&mut self, cx: &mut Cx, value: Value) -> Written {
        self.cluster.create(cx, value)
    }

    /// Replaces an object; with `metadata.resourceVersion`, only if that is still its version. Keeps its status if that
    /// is a subresource. *Errors*: 404, 409, 422, denied by a webhook.
    pub fn update(&mut self, cx: &mut Cx, value: Value) -> Written {
        self.cluster.write(cx, |api, _| api.update(value))
    }

    /// Replaces the status of an object and leaves the rest. Statuses that controllers of the cluster keep are not changed by
    /// anybody else. *Errors*: as [`Kube::update`].
    pub fn update_status(&mut self, cx: &mut Cx, value: Value) -> Written {
        self.cluster.write(cx, |api, now| api.update_status(now, value))
    }

    /// Replaces the status of a custom object, if it still has the given version, by one that its controller keeps.
    /// *Errors*: as [`Kube::update`].
    pub fn keep_status(
        &mut self,
        cx: &mut Cx,
        object: ObjectRef<'_>,
        resource_version: u64,
        status: Arc<dyn KeptStatus>,
    ) -> Written {
        self.cluster.write(cx, |api, _| api.keep_status(object, resource_version, status))
    }

    /// Replaces the status of a custom resource by one with new check times only, like [`Kube::keep_status`], but without a new version and
    /// without notifying watchers: so a controller that checks each second lets the world become idle.
    pub fn refresh_status(
        &mut self,
        object: ObjectRef<'_>,
        resource_version: u64,
        status: Arc<dyn KeptStatus>,
    ) {
        self.cluster.api.refresh_status(object, resource_version, status);
    }

    /// Patches an object or a subresource. *Errors*: as [`Kube::update`], and 400/415 for the patch itself.
    pub fn patch(&mut self, cx: &mut Cx, object: ObjectRef<'_>, part: Part, patch: &Patch) -> Written {
        self.cluster.write(cx, |api, now| api.patch(now, object, part, patch))
    }

    /// Creates the object or merges it three ways: last applied (kept in `annotation`), live, and this one. Removes
    /// fields that were applied before and are now missing; keeps fields that others set. Built-in kinds merge lists by
    /// key (strategic), custom ones replace them. Rewrites the annotation.
    ///
    /// *Cost*: very small if the same `Arc` is applied again to an object whose spec has not changed. *Errors*: as
    /// [`Kube::create`] and [`Kube::patch`].
    pub fn apply(&mut self, cx: &mut Cx, value: &Arc<Value>, annotation: &str) -> Result<Applied, ApiError> {
        self.cluster.write(cx, |api, now| api.apply(now, value, annotation))
    }

    /// Deletes an object. It goes at once unless finalizers, a pod's grace period or (foreground) dependants hold it; the
    /// answer is the object with its `deletionTimestamp`, or as it last was. *Errors*: 404, 409.
    pub fn delete(&mut self, cx: &mut Cx, object: ObjectRef<'_>, options: &DeleteOptions) -> Written {
        self.cluster.write(cx, |api, now| api.delete(now, object, options))
    }

    /// Evicts a pod as far as disruption budgets allow. *Errors*: 404; 429 when a budget does not allow it.
    pub fn evict(&mut self, cx: &mut Cx, namespace: &str, name: &str, options: &DeleteOptions) -> Written {
        controllers::budget::evict(&mut self.cluster, cx, namespace, name, options)
    }

    /// Records that a budget refused the eviction of a pod; the refused call changed nothing else.
    pub fn note_refused_eviction(&mut self, cx: &Cx, namespace: &str, name: &str) {
        let pod = ObjectRef::new(KindId::POD, namespace, name);
        if let Some(pod) = self.cluster.api.get(pod).cloned() {
            controllers::budget::note_refused(&mut self.cluster, cx, &pod);
        }
    }

    /// Reports something about an object, as controllers do: an Event of the API and an event of the world.
    pub fn record(
        &mut self,
        cx: &mut Cx,
        about: &Object,
        warning: bool,
        reason: &'static str,
        message: &str,
        source: &'static str,
    ) {
        self.cluster.reports.record(cx, about, warning, reason, message, source);
    }

    // ---- nodes ---------------------------------------------------------------------------------

    /// Makes a machine a node, under its hostname. Nothing happens for a machine that is one already, or whose name another
    /// node has: it takes that one's place when that one is removed. Pods that a former node of this name left go at once.
    pub fn add_node(&mut self, cx: &mut Cx, fleet: &Fleet, machine: MachineId) {
        nodes::joining::add_node(&mut self.cluster, cx, fleet, machine);
    }

    /// Removes the node of a permanently removed machine: deletes its Node object and its pods.
    pub fn remove_node(&mut self, cx: &mut Cx, fleet: &mut Fleet, machine: MachineId) {
        nodes::joining::remove_node(&mut self.cluster, cx, fleet, machine);
    }

    /// Keeps new pods off a node. *Errors*: 404.
    pub fn cordon(&mut self, cx: &mut Cx, node: &str) -> Written {
        nodes::cordon::cordon(&mut self.cluster, cx, node)
    }

    /// Makes a node schedulable again; ends a drain. *Errors*: 404.
    pub fn uncordon(&mut self, cx: &mut Cx, node: &str) -> Written {
        nodes::cordon::uncordon(&mut self.cluster, cx, node)
    }

    /// Cordons a node and evicts its pods, those of DaemonSets apart, as disruption budgets allow; asks again every 5 s.
    /// *Errors*: 404.
    pub fn drain(&mut self, cx: &mut Cx, node: &str, options: DrainOptions) -> Written {
        nodes::drain::drain(&mut self.cluster, cx, node, options)
    }

    /// Sets one status by hand: `TASK_STARTING`, `TASK_RUNNING` (with `readiness_exit` and `healthy`), `TASK_FINISHED`,
    /// `TASK_FAILED`, `TASK_KILLED`. The task is `POD-CONTAINER`, the container's name alone if it is the only one, or
    /// `NAMESPACE/POD/CONTAINER/RESTART`. The process follows.
    ///
    /// *Errors*: no matching container with a process, several of them, a state without a meaning here.
    pub fn task_status(
        &mut self,
        cx: &mut Cx,
        fleet: &mut Fleet,
        said: &TaskStatusInput,
    ) -> Result<(), Refusal> {
        Kubelet { cluster: &mut self.cluster, cx, fleet }.task_status(said)
    }

    /// Why the node of a machine takes no pods, or only some: reasons in words.
    pub fn why_node(&self, machine: MachineId) -> Vec<String> {
        crate::why::machines::why(&self.cluster, machine)
    }

    /// What would let the pods of a machine's node go that budgets hold there.
    pub fn ways_to_drain(&self, machine: MachineId) -> Vec<Unblock> {
        crate::why::machines::ways(&self.cluster, machine)
    }

    /// When it is noticed that a machine is silent; none where its node is heard of, or that was noticed.
    pub fn notices_at(&self, machine: MachineId) -> Option<SimTime> {
        crate::why::machines::notices_at(&self.cluster, machine)
    }

    /// Handles a report of the fleet; ignores those about other layers' processes.
    pub fn on_fleet(&mut self, cx: &mut Cx, fleet: &mut Fleet, event: &FleetEvent) {
        cx.set_cause(event.cause);
        let cluster = &mut self.cluster;
        match &event.kind {
            FleetEventKind::MachineLost { machine, how } => {
                nodes::silence::node_lost(cluster, cx, *machine, *how);
            }
            FleetEventKind::MachineReturned { machine, .. } => {
                nodes::silence::node_back(cluster, cx, *machine);
            }
            FleetEventKind::HoldingsChanged { machine, by } => {
                if *by != kubelet::KUBELETS {
                    nodes::holdings::others_changed(cluster, cx, fleet, *machine);
                }
            }
            kind => {
                let mut kubelet = Kubelet { cluster, cx, fleet };
                let Some(no) = kubelet.pod_of(kind) else { return };
                if kubelet.acts(no) == Some(Absence::AgentRestart) {
                    kubelet.hold(no, kind);
                } else {
                    kubelet.hear(kind);
                }
            }
        }
    }

    // ---- the ledger of machines ----------------------------------------------------------------

    /// True if the ledger is behind.
    pub const fn has_held_changes(&self) -> bool {
        nodes::holdings::is_behind(&self.cluster.nodes)
    }

    /// Brings the ledger in line with what pods hold.
    pub fn settle_holdings(&mut self, cx: &Cx, fleet: &mut Fleet) {
        nodes::holdings::settle(&mut self.cluster, cx, fleet);
    }

    // ---- time ----------------------------------------------------------------------------------

    /// When something is due: now, while controllers have work.
    pub fn next_due(&self) -> Option<SimTime> {
        self.cluster.queue.next_due()
    }

    /// Number of pending things that would change something.
    pub fn one_shots(&self) -> usize {
        self.cluster.queue.one_shots()
    }

    /// True if the next periodic work would change something: a CronJob's next run.
    pub fn restless(&self) -> bool {
        self.cluster.queue.periodic > 0
    }

    /// Does one piece of work that is due.
    pub fn fire(&mut self, cx: &mut Cx, fleet: &mut Fleet) {
        match self.cluster.queue.pop(cx.now()) {
            None => {}
            Some(Due::Work(work, cause)) => {
                cx.set_cause(cause);
                self.work(cx, fleet, work);
            }
            Some(Due::Timer(timer, cause)) => {
                cx.set_cause(cause);
                self.timer(cx, fleet, timer);
            }
        }
    }

    fn work(&mut self, cx: &mut Cx, fleet: &mut Fleet, work: Work) {
        let cluster = &mut self.cluster;
        match work {
            Work::Sync(no) => controllers::sync(cluster, cx, no),
            Work::Schedule(no) => scheduler::schedule(cluster, cx, no),
            Work::Kubelet(no) => Kubelet { cluster, cx, fleet }.sync(no),
            Work::Collect(no) => controllers::garbage::collect(cluster, cx, no),
            Work::Retry => scheduler::retry(cluster, cx),
        }
    }

    fn timer(&mut self, cx: &mut Cx, fleet: &mut Fleet, timer: Timer) {
        let cluster = &mut self.cluster;
        match timer {
            Timer::Work(work) => cluster.queue.push(work, cx.now(), cx.cause()),
            Timer::Pulled(no, at) => Kubelet { cluster, cx, fleet }.image_pulled(no, at),
            Timer::Restart(no, at) => Kubelet { cluster, cx, fleet }.restart_container(no, at),
            Timer::Over(no, at, pid) => Kubelet { cluster, cx, fleet }.command_over(no, at, pid),
            Timer::Passed(no, at, pid) => Kubelet { cluster, cx, fleet }.probe_passed(no, at, pid),
            Timer::Stop(no) => Kubelet { cluster, cx, fleet }.stop_containers(no),
            Timer::Deadline(no) => Kubelet { cluster, cx, fleet }.deadline_passed(no),
            Timer::Available(no) => cluster.pod_available(cx, no),
            Timer::NodeGrace(node, absence) => nodes::silence::node_silent(cluster, cx, node, absence),
            Timer::NodeReturns(node, absence) => {
                nodes::silence::node_returns(cluster, cx, fleet, node, absence);
            }
            Timer::Evict(no) => nodes::taints::evict_tainted(cluster, cx, no),
            Timer::Autoscale(no) => controllers::autoscaler::due(cluster, cx, fleet, no),
            Timer::Drain(node) => nodes::drain::drain_on(cluster, cx, node),
            Timer::Provisioned(no) => controllers::storage::provisioned(cluster, cx, no),
            Timer::Balanced(no) => controllers::service::balanced(cluster, cx, no),
            Timer::Cron(no) => controllers::cron_job::due(cluster, cx, no),
        }
    }
}
