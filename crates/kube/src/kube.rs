//! The cluster: its API server, its controllers, its nodes.
//!
//! *Knows*: which object there is and what is to be done next. The rules are in the modules beside this one.

use crate::{
    error::{ApiError, Reason},
    kinds::{KindId, KindInfo},
    object::{Object, ObjectNo, ObjectRef},
    request::{Applied, Change, DeleteOptions, Part, Patch, Webhook, Written},
    selector::Selector,
    view::{ContainerFacts, DrainOptions, NodeFacts, Occurrence},
    why::Why,
};
use planarium_fleet::{Cx, Fleet, FleetEvent, MachineId};
use planarium_kernel::{Digest, SimTime};
use planarium_protocol::Text;
use serde_json::Value;
use std::sync::Arc;

/// The whole Kubernetes cluster. A copy costs pointers; what copies have in common they share.
///
/// Verbs of the API server ([`Kube::create`] and the others) change objects at once and nothing else: controllers,
/// scheduler and kubelets act in [`Kube::fire`], at the same instant but afterwards. What a verb answers is therefore the
/// object before anybody has acted on it, as with the real API server.
#[derive(Clone, Debug)]
pub struct Kube {
    seed: u64,
}

impl Kube {
    /// A cluster without nodes, with the namespaces that every cluster has. `epoch_ms` is the calendar time of genesis.
    /// *Units*: milliseconds since 1970.
    pub fn new(seed: u64, epoch_ms: u64) -> Self {
        let _ = epoch_ms;
        Self { seed }
    }

    // ---- kinds ---------------------------------------------------------------------------------

    /// The kind of this `apiVersion` and `kind`, if the cluster serves it (its CRD is established, for a custom one).
    pub fn find_kind(&self, _api_version: &str, _kind: &str) -> Option<KindId> {
        None
    }

    /// The kind of this group and plural (or singular, or short name).
    pub fn find_plural(&self, _group: &str, _plural: &str) -> Option<KindId> {
        None
    }

    /// How a kind is called.
    pub fn kind_info(&self, _kind: KindId) -> Option<&Arc<KindInfo>> {
        None
    }

    // ---- reading -------------------------------------------------------------------------------

    /// The object, if there is one.
    pub fn get(&self, _object: ObjectRef<'_>) -> Option<&Arc<Object>> {
        None
    }

    /// The object. *Errors*: 404 with the real message (`deployments.apps "web" not found`).
    pub fn read(&self, object: ObjectRef<'_>) -> Result<&Arc<Object>, ApiError> {
        self.get(object).ok_or_else(|| ApiError::new(Reason::NotFound, "not found"))
    }

    /// The object of this number, if it is still there.
    pub fn object(&self, _no: ObjectNo) -> Option<&Arc<Object>> {
        None
    }

    /// The object of this uid, if it is still there.
    pub fn by_uid(&self, _uid: &str) -> Option<&Arc<Object>> {
        None
    }

    /// Objects of a kind, in one namespace or (without one) in all. *Order*: namespace, name.
    pub fn list(&self, _kind: KindId, _namespace: Option<&str>, _labels: &Selector) -> Vec<Arc<Object>> {
        Vec::new()
    }

    /// Objects that name this one as an owner. *Order*: creation.
    pub fn dependants(&self, _owner: &Object) -> Vec<Arc<Object>> {
        Vec::new()
    }

    /// The version of the latest change.
    pub fn resource_version(&self) -> u64 {
        0
    }

    /// What has changed since a version, oldest first. *Errors*: 410 when that is too long ago.
    pub fn changes_since(&self, _resource_version: u64) -> Result<Vec<Change>, ApiError> {
        Ok(Vec::new())
    }

    // ---- writing -------------------------------------------------------------------------------

    /// Creates an object from `apiVersion`, `kind`, `metadata` and the rest. The namespace is that of its metadata, or
    /// `default` where its kind has one and none is given.
    ///
    /// *Errors*: unknown kind or namespace (404), name taken (409), invalid fields (422), denied by a webhook.
    pub fn create(&mut self, cx: &mut Cx, value: Value) -> Written {
        let _ = (cx, value);
        Err(ApiError::new(Reason::InternalError, "not there yet"))
    }

    /// Replaces an object; with `metadata.resourceVersion`, only if it is still that one. Its status stays where it is a
    /// subresource. *Errors*: 404, 409, 422, denied by a webhook.
    pub fn update(&mut self, cx: &mut Cx, value: Value) -> Written {
        let _ = (cx, value);
        Err(ApiError::new(Reason::InternalError, "not there yet"))
    }

    /// Replaces the status of an object and leaves the rest. *Errors*: as [`Kube::update`].
    pub fn update_status(&mut self, cx: &mut Cx, value: Value) -> Written {
        let _ = (cx, value);
        Err(ApiError::new(Reason::InternalError, "not there yet"))
    }

    /// Patches an object or a part of it. *Errors*: as [`Kube::update`], and 400/415 for the patch itself.
    pub fn patch(&mut self, cx: &mut Cx, object: ObjectRef<'_>, part: Part, patch: &Patch) -> Written {
        let _ = (cx, object, part, patch);
        Err(ApiError::new(Reason::InternalError, "not there yet"))
    }

    /// Creates the object or merges it three ways: last applied (kept in `annotation`), live, and this one. Fields that
    /// were applied earlier and are not there any more are removed; fields that others set stay. Built-in kinds merge
    /// lists by their keys (strategic), custom ones replace them. The annotation is written anew.
    ///
    /// *Cost*: next to nothing when the same `Arc` is applied again to an object whose spec has not changed.
    /// *Errors*: as [`Kube::create`] and [`Kube::patch`].
    pub fn apply(&mut self, cx: &mut Cx, value: &Arc<Value>, annotation: &str) -> Result<Applied, ApiError> {
        let _ = (cx, value, annotation);
        Err(ApiError::new(Reason::InternalError, "not there yet"))
    }

    /// Deletes an object. It goes at once unless finalizers, a pod's grace period or (foreground) dependants hold it; the
    /// answer is the object with its `deletionTimestamp`, or as it last was. *Errors*: 404, 409.
    pub fn delete(&mut self, cx: &mut Cx, object: ObjectRef<'_>, options: &DeleteOptions) -> Written {
        let _ = (cx, object, options);
        Err(ApiError::new(Reason::InternalError, "not there yet"))
    }

    /// Evicts a pod as far as disruption budgets allow. *Errors*: 404; 429 when a budget does not allow it.
    pub fn evict(&mut self, cx: &mut Cx, namespace: &str, name: &str, options: &DeleteOptions) -> Written {
        let _ = (cx, namespace, name, options);
        Err(ApiError::new(Reason::InternalError, "not there yet"))
    }

    /// Has a webhook asked about changes from now on.
    pub fn add_webhook(&mut self, webhook: Webhook) {
        let _ = webhook;
    }

    /// Reports something about an object, as controllers do: an Event of the API and an event of the world.
    pub fn record(
        &mut self,
        cx: &mut Cx,
        about: &Object,
        warning: bool,
        reason: &str,
        message: &str,
        source: &str,
    ) {
        let _ = (cx, about, warning, reason, message, source);
    }

    // ---- time ----------------------------------------------------------------------------------

    /// When something is due: now, while controllers have work.
    pub fn next_due(&self) -> Option<SimTime> {
        None
    }

    /// How much is pending that would change something.
    pub fn one_shots(&self) -> usize {
        0
    }

    /// Whether the next periodic work would change something: a CronJob's next run.
    pub fn restless(&self) -> bool {
        false
    }

    /// Does one piece of work that is due.
    pub fn fire(&mut self, cx: &mut Cx, fleet: &mut Fleet) {
        let _ = (cx, fleet, self.seed);
    }

    /// Hears news of the fleet; those of other layers' processes are passed over.
    pub fn on_fleet(&mut self, cx: &mut Cx, fleet: &mut Fleet, event: &FleetEvent) {
        let _ = (cx, fleet, event);
    }

    // ---- nodes ---------------------------------------------------------------------------------

    /// Makes a machine a node, under its hostname; a machine that is one already stays as it is.
    pub fn add_node(&mut self, cx: &mut Cx, fleet: &Fleet, machine: MachineId) {
        let _ = (cx, fleet, machine);
    }

    /// Takes the node of a machine that was removed for good: its Node object goes, and its pods with it.
    pub fn remove_node(&mut self, cx: &mut Cx, fleet: &mut Fleet, machine: MachineId) {
        let _ = (cx, fleet, machine);
    }

    /// Keeps new pods off a node. *Errors*: 404.
    pub fn cordon(&mut self, cx: &mut Cx, node: &str) -> Written {
        let _ = (cx, node);
        Err(ApiError::new(Reason::InternalError, "not there yet"))
    }

    /// Lets pods come to a node again; ends a drain. *Errors*: 404.
    pub fn uncordon(&mut self, cx: &mut Cx, node: &str) -> Written {
        let _ = (cx, node);
        Err(ApiError::new(Reason::InternalError, "not there yet"))
    }

    /// Cordons a node and evicts its pods, those of DaemonSets apart, as disruption budgets allow; asks again every 5 s.
    /// *Errors*: 404.
    pub fn drain(&mut self, cx: &mut Cx, node: &str, options: DrainOptions) -> Written {
        let _ = (cx, node, options);
        Err(ApiError::new(Reason::InternalError, "not there yet"))
    }

    // ---- views ---------------------------------------------------------------------------------

    /// All nodes. *Order*: joining.
    pub fn nodes(&self) -> Vec<NodeFacts> {
        Vec::new()
    }

    /// Containers of a pod, init containers first.
    pub fn containers(&self, _pod: &Object) -> Vec<ContainerFacts> {
        Vec::new()
    }

    /// Why an object is not ready; nothing when it is.
    pub fn why(&self, _fleet: &Fleet, _object: &Object) -> Vec<Why> {
        Vec::new()
    }

    /// What was reported about an object, oldest first.
    pub fn occurrences(&self, _object: ObjectRef<'_>) -> Vec<Occurrence> {
        Vec::new()
    }

    /// Which pod label gives fault targets their `service`; without it, the name of the workload.
    pub fn set_service_label(&mut self, label: Text) {
        let _ = label;
    }

    // ---- upkeep --------------------------------------------------------------------------------

    /// Writes the canonical state.
    pub fn digest(&self, digest: &mut Digest) {
        digest.write_u64(self.seed);
    }

    /// What does not hold, in words. *Cost*: walks everything; for debug builds and property tests.
    pub fn check(&self, _fleet: &Fleet) -> Vec<String> {
        Vec::new()
    }

    /// Bytes that this cluster holds and `before` does not, by estimate.
    pub fn beyond(&self, _before: Option<&Self>) -> u64 {
        0
    }
}
