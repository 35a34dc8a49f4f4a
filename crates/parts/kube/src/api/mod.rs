//! The API server: verbs, the form of stored objects, refusals.
//!
//! *Knows*: verbs, defaults, validation, admission, patches. *Must not know*: controllers, nodes, timers. A verb changes
//! objects in the [`Store`], whose log records the changes, and calls nothing else; [`crate::cluster`] derives the
//! consequences from that log.

mod admission;
mod apply;
mod create;
mod defaults;
mod delete;
mod draft;
mod managers;
mod merge;
mod patch;
mod service;
mod update;
pub(crate) mod validate;

pub(crate) use admission::{
    DEFAULT_CLASS, SYSTEM, bounds_for, gives_back, mount_token, quota_status, requests_of_limits,
};
pub(crate) use create::{Parts, invalid};
pub(crate) use delete::{FOREGROUND, ORPHAN};
pub(crate) use draft::Draft;
pub(crate) use managers::shown as managers_of;
pub(crate) use patch::scale_of;

use crate::{
    calendar::Epoch,
    error::{ApiError, Reason},
    kinds::{KindId, KindInfo, Kinds},
    object::{Object, ObjectNo, ObjectRef},
    records::store::Store,
    request::{Change, Webhook},
    selector::Selector,
    status::Status,
};
use planarium_kernel::id::Counter;
use std::sync::Arc;

/// The API server: kinds, objects, and admission of changes.
///
/// Readable by all; a [`Webhook`] sees nothing else. Only the cluster writes to it.
#[derive(Clone, Debug)]
pub struct Api {
    pub(crate) seed: u64,
    pub(crate) epoch: Epoch,
    pub(crate) kinds: Arc<Kinds>,
    pub(crate) store: Store,
    webhooks: Arc<Vec<Webhook>>,
    next_cluster_ip: Counter,
    next_node_port: Counter,
}

impl Api {
    /// A server without objects. *Units* of `epoch_ms`: milliseconds since 1970.
    pub(crate) fn new(seed: u64, epoch_ms: u64) -> Self {
        Self {
            seed,
            epoch: Epoch(epoch_ms),
            kinds: Arc::default(),
            store: Store::default(),
            webhooks: Arc::default(),
            next_cluster_ip: Counter::new(),
            next_node_port: Counter::new(),
        }
    }

    /// The kind of this `apiVersion` and `kind`, if the cluster serves it (its CRD is established, for a custom one).
    pub fn find_kind(&self, api_version: &str, kind: &str) -> Option<KindId> {
        self.kinds.find(api_version, kind)
    }

    /// The kind of this group and plural (or singular, or short name).
    pub fn find_plural(&self, group: &str, plural: &str) -> Option<KindId> {
        self.kinds.find_plural(group, plural)
    }

    /// The names of a kind.
    pub fn kind_info(&self, kind: KindId) -> Option<&Arc<KindInfo>> {
        self.kinds.info(kind)
    }

    /// The object, if there is one.
    pub fn get(&self, object: ObjectRef<'_>) -> Option<&Arc<Object>> {
        self.store.get(object)
    }

    /// The object. *Errors*: 404 with the real message (`deployments.apps "web" not found`).
    pub fn read(&self, object: ObjectRef<'_>) -> Result<&Arc<Object>, ApiError> {
        self.get(object).ok_or_else(|| self.not_found(object.kind, object.name))
    }

    /// Objects of a kind, in one namespace or (without one) in all. *Order*: namespace, name.
    pub fn list(&self, kind: KindId, namespace: Option<&str>, labels: &Selector) -> Vec<Arc<Object>> {
        let all = self.store.of_kind(kind, namespace);
        all.filter(|object| labels.matches(&object.labels)).cloned().collect()
    }

    /// The version of the latest change.
    pub fn resource_version(&self) -> u64 {
        self.store.version
    }

    /// Changes since a version, oldest first. *Errors*: 410 when that is too long ago.
    pub fn changes_since(&self, resource_version: u64) -> Result<impl Iterator<Item = &Change>, ApiError> {
        self.store.changes_since(resource_version)
    }

    /// Has a webhook asked about changes from now on.
    pub(crate) fn add_webhook(&mut self, webhook: Webhook) {
        Arc::make_mut(&mut self.webhooks).push(webhook);
    }

    /// Puts an object in its place.
    pub(crate) fn put(&mut self, object: Object) -> Arc<Object> {
        self.store.put(object)
    }

    /// Gives an object another status.
    pub(crate) fn put_status(&mut self, object: &Arc<Object>, status: Status) -> Arc<Object> {
        self.put(Object { status, ..Object::clone(object) })
    }

    /// Removes an object.
    pub(crate) fn take(&mut self, no: ObjectNo) {
        self.store.take(no);
    }

    /// The error for a missing object.
    pub(crate) fn not_found(&self, kind: KindId, name: &str) -> ApiError {
        let Some(info) = self.kinds.info(kind) else {
            return ApiError::new(Reason::NotFound, "the server could not find the requested resource");
        };
        let message = format!("{} {name:?} not found", info.qualified_plural());
        ApiError::new(Reason::NotFound, message).about(&info.group, &info.plural, name)
    }
}
