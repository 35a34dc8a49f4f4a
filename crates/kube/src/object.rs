//! One API object.
//!
//! *Knows*: metadata as typed fields, everything else as plain data beside the typed reading that controllers use.
//! *Must not know*: what controllers do with it.
//!
//! *Invariant*: an object in a [`crate::Kube`] never changes; a change puts another one in its place. Whoever holds an
//! `Arc<Object>` sees it as it was.

use crate::kinds::{KindId, KindInfo};
use planarium_kernel::SimTime;
use planarium_protocol::Text;
use serde_json::Value;
use std::sync::Arc;

/// Number of an object. Never reused. *Order*: creation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ObjectNo(pub(crate) u32);

/// Names one object.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct ObjectRef<'a> {
    /// Its kind.
    pub kind: KindId,
    /// Its namespace; empty for kinds that have none.
    pub namespace: &'a str,
    /// Its name.
    pub name: &'a str,
}

impl<'a> ObjectRef<'a> {
    /// An object by kind, namespace and name.
    pub const fn new(kind: KindId, namespace: &'a str, name: &'a str) -> Self {
        Self { kind, namespace, name }
    }
}

/// Labels or annotations. *Order*: by key.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Pairs(pub(crate) Arc<Vec<(Text, Text)>>);

impl Pairs {
    /// The value of a key.
    pub fn get(&self, key: &str) -> Option<&Text> {
        let at = self.0.binary_search_by(|(mine, _)| (**mine).cmp(key)).ok()?;
        self.0.get(at).map(|(_, value)| value)
    }

    /// All pairs.
    pub fn iter(&self) -> impl Iterator<Item = (&Text, &Text)> {
        self.0.iter().map(|(key, value)| (key, value))
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

/// An object that another one belongs to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OwnerReference {
    /// `apps/v1`.
    pub api_version: Text,
    /// `ReplicaSet`.
    pub kind: Text,
    /// Its name.
    pub name: Text,
    /// Its uid; the only thing that garbage collection goes by.
    pub uid: Text,
    /// Whether it is the one owner that manages the object.
    pub controller: bool,
    /// Whether its foreground deletion waits for this object.
    pub block_owner_deletion: bool,
}

/// A deletion under way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Deletion {
    /// `metadata.deletionTimestamp`: when the grace period is over.
    pub at: SimTime,
    /// `metadata.deletionGracePeriodSeconds`.
    pub grace_s: u32,
}

/// One API object as it was at one resource version.
#[derive(Clone, Debug)]
pub struct Object {
    /// Its number.
    pub no: ObjectNo,
    /// Its kind.
    pub kind: KindId,
    /// `metadata.namespace`; empty for kinds that have none.
    pub namespace: Text,
    /// `metadata.name`.
    pub name: Text,
    /// `metadata.uid`.
    pub uid: Text,
    /// `metadata.resourceVersion`; counts all changes of all objects.
    pub resource_version: u64,
    /// `metadata.generation`: counts changes of the spec.
    pub generation: u64,
    /// `metadata.creationTimestamp`.
    pub created: SimTime,
    /// Set while the object is being deleted.
    pub deletion: Option<Deletion>,
    /// `metadata.labels`.
    pub labels: Pairs,
    /// `metadata.annotations`.
    pub annotations: Pairs,
    /// `metadata.ownerReferences`.
    pub owners: Arc<Vec<OwnerReference>>,
    /// `metadata.finalizers`.
    pub finalizers: Arc<Vec<Text>>,
    pub(crate) info: Arc<KindInfo>,
    pub(crate) content: Arc<Value>,
}

impl Object {
    /// The names of its kind.
    pub fn info(&self) -> &KindInfo {
        &self.info
    }

    /// Names it.
    pub fn reference(&self) -> ObjectRef<'_> {
        ObjectRef { kind: self.kind, namespace: &self.namespace, name: &self.name }
    }

    /// The owner that manages it.
    pub fn controller(&self) -> Option<&OwnerReference> {
        self.owners.iter().find(|owner| owner.controller)
    }

    /// Whether `metadata.deletionTimestamp` is set.
    pub fn is_being_deleted(&self) -> bool {
        self.deletion.is_some()
    }

    /// The whole object as the API shows it, in its preferred version. *Cost*: builds the value anew.
    pub fn to_value(&self) -> Value {
        Value::clone(&self.content)
    }

    /// Everything but `apiVersion`, `kind`, `metadata` and `status` (`spec`, `data`, `rules`, ...), as it is kept. Pods that
    /// controllers made share their template here; [`Object::to_value`] adds what is each pod's own (node, claims).
    pub fn content(&self) -> &Value {
        &self.content
    }

    /// The `status`; nothing where there is none.
    pub fn status(&self) -> Option<Value> {
        None
    }
}
