//! One API object.
//!
//! *Knows*: metadata as typed fields, everything else as plain data next to the typed reading that controllers use.
//! *Must not know*: what controllers do with it.
//!
//! *Invariant*: an object in a [`crate::Kube`] never changes; a change replaces it. The holder of an `Arc<Object>`
//! keeps its version.

pub use crate::labels::Pairs;
use crate::{
    calendar::Epoch,
    kinds::{KindId, KindInfo, autoscaling},
    spec::{Spec, pod::PodOwn},
    status::{self, Status},
    tree::{Tree, as_object, object_at, put_new},
};
use planarium_kernel::{Digestible, SimTime, Weight, cow::behind, id::Id};
use planarium_protocol::{
    Text,
    json::{self, Map, Value},
};
use std::{borrow::Cow, sync::Arc};

/// Number of an object. Never reused. *Order*: creation; what exists from the beginning is numbered from the end.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Digestible)]
#[digest(0)]
pub struct ObjectNo(pub(crate) u32);

impl Id for ObjectNo {
    fn number(self) -> usize {
        self.0 as usize
    }
}

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

/// An object that another one belongs to.
#[derive(Clone, Debug)]
pub struct OwnerReference {
    /// `apps/v1`.
    pub api_version: Text,
    /// `ReplicaSet`.
    pub kind: Text,
    /// Its name.
    pub name: Text,
    /// Its uid; the only thing that garbage collection goes by.
    pub uid: Text,
    /// True if it is the one owner that manages the object.
    pub controller: bool,
    /// True if its foreground deletion waits for this object.
    pub block_owner_deletion: bool,
    /// Its number, where the cluster itself made the reference: the object is found by it at once.
    pub(crate) no: Option<ObjectNo>,
}

/// A uid tells as much as a number does.
impl PartialEq for OwnerReference {
    fn eq(&self, other: &Self) -> bool {
        self.uid == other.uid
            && self.name == other.name
            && self.kind == other.kind
            && self.api_version == other.api_version
            && self.controller == other.controller
            && self.block_owner_deletion == other.block_owner_deletion
    }
}

impl Eq for OwnerReference {}

impl OwnerReference {
    /// The owner as the managing one.
    pub(crate) fn controlling(owner: &Object) -> Self {
        Self {
            api_version: owner.info.preferred(),
            kind: owner.info.kind.clone(),
            name: owner.name.clone(),
            uid: owner.uid.clone(),
            controller: true,
            block_owner_deletion: true,
            no: Some(owner.no),
        }
    }

    pub(crate) fn read(value: &Value) -> Self {
        Self {
            api_version: value.text("apiVersion").into(),
            kind: value.text("kind").into(),
            name: value.text("name").into(),
            uid: value.text("uid").into(),
            controller: value.flag("controller"),
            block_owner_deletion: value.flag("blockOwnerDeletion"),
            no: None,
        }
    }

    pub(crate) fn to_value(&self) -> Value {
        let mut fields = Map::new();
        for (key, text) in [
            ("apiVersion", &self.api_version),
            ("kind", &self.kind),
            ("name", &self.name),
            ("uid", &self.uid),
        ] {
            json::put(&mut fields, key, text.as_ref().into());
        }
        for (key, truth) in
            [("controller", self.controller), ("blockOwnerDeletion", self.block_owner_deletion)]
        {
            if truth {
                json::put(&mut fields, key, true.into());
            }
        }
        Value::Object(fields)
    }
}

/// A deletion under way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Deletion {
    /// `metadata.deletionTimestamp`: when the grace period is over.
    pub at: SimTime,
    /// `metadata.deletionGracePeriodSeconds`.
    pub grace_s: u32,
}

/// The fields that a manager owns, with their values.
#[derive(Clone, Debug)]
pub(crate) struct Managed {
    pub(crate) manager: Text,
    pub(crate) value: Arc<Value>,
    /// True for server-side apply: the value is the object as last applied.
    pub(crate) applied: bool,
    pub(crate) api_version: Text,
    pub(crate) at: SimTime,
}

/// One API object at one resource version.
#[derive(Clone, Debug, Digestible)]
#[digest(no, resource_version, name, is_being_deleted(), status)]
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
    /// `metadata.generation`: counts changes of the spec; 0 for kinds that do not count them.
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
    pub(crate) generate_name: Option<Text>,
    pub(crate) info: Arc<KindInfo>,
    pub(crate) epoch: Epoch,
    /// Everything but `apiVersion`, `kind`, `metadata` and `status`; see [`Object::content`].
    pub(crate) content: Arc<Value>,
    /// `spec.replicas` of scalable kinds; the content may have an outdated value.
    pub(crate) replicas: u32,
    pub(crate) spec: Spec,
    pub(crate) status: Status,
    /// Of each field manager, most recent last.
    pub(crate) managed: Option<Arc<Vec<Managed>>>,
    /// The object as last applied three ways.
    pub(crate) applied: Option<Arc<Value>>,
    /// True if no other client has written it since it was applied.
    pub(crate) pristine: bool,
}

/// Estimated bytes of an object without its shared parts.
pub(crate) const OBJECT: u64 = 256;
/// Estimated bytes of a content that is not shared.
const CONTENT: u64 = 2_048;

impl Weight for Object {
    fn beyond(&self, before: Option<&Self>) -> u64 {
        let own = matches!(&self.spec, Spec::Pod(_, own) if own.of_template);
        let content = behind(&self.content, before.map(|before| &before.content), |_| CONTENT);
        let status = match (&self.status, before.map(|before| &before.status)) {
            (Status::Pod(now), Some(Status::Pod(old))) if Arc::ptr_eq(now, old) => 0,
            (Status::Pod(now), _) => 256 + 128 * (now.containers.len() + now.conditions.len()) as u64,
            _ => 256,
        };
        OBJECT
            + if own { 0 } else { content }
            + status
            + self.labels.beyond(before.map(|before| &before.labels))
            + self.annotations.beyond(before.map(|before| &before.annotations))
    }
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

    /// Returns whether applying this three ways would change nothing: it equals the last applied object, and no other client
    /// has written since.
    pub fn is_as_applied(&self, value: &Arc<Value>) -> bool {
        self.pristine && self.applied.as_ref().is_some_and(|last| Arc::ptr_eq(last, value))
    }

    /// True if `metadata.deletionTimestamp` is set.
    pub fn is_being_deleted(&self) -> bool {
        self.deletion.is_some()
    }

    /// Returns the whole object as the API shows it, in its preferred version. *Cost*: builds a new value.
    pub fn to_value(&self) -> Value {
        self.value_as(&self.info.preferred())
    }

    /// The whole object under one of its API versions.
    pub(crate) fn value_as(&self, api_version: &str) -> Value {
        let mut fields = self.fields_as(api_version);
        status::put(self, &mut fields);
        if self.kind == KindId::HORIZONTAL_POD_AUTOSCALER && api_version == "autoscaling/v1" {
            autoscaling::to_v1(&mut fields);
        }
        Value::Object(fields)
    }

    /// The object as a client may change it, under one of its API versions: a status of a built-in kind that is a subresource is
    /// left out.
    pub(crate) fn open_value_as(&self, api_version: &str) -> Value {
        let is_closed = self.info.has_status && !self.info.custom;
        if is_closed && self.kind != KindId::HORIZONTAL_POD_AUTOSCALER {
            return Value::Object(self.fields_as(api_version));
        }
        self.value_as(api_version)
    }

    /// Everything but the status.
    fn fields_as(&self, api_version: &str) -> Map<String, Value> {
        let mut fields = Map::new();
        json::put(&mut fields, "apiVersion", api_version.into());
        json::put(&mut fields, "kind", self.info.kind.as_ref().into());
        json::put(&mut fields, "metadata", self.metadata());
        if let Value::Object(content) = self.full_content().into_owned() {
            for (key, value) in content {
                fields.insert(key, value);
            }
        }
        fields
    }

    /// `metadata` as the API shows it.
    pub fn metadata(&self) -> Value {
        let mut fields = Map::new();
        json::put(&mut fields, "name", self.name.as_ref().into());
        if let Some(generate_name) = &self.generate_name {
            json::put(&mut fields, "generateName", generate_name.as_ref().into());
        }
        if !self.namespace.is_empty() {
            json::put(&mut fields, "namespace", self.namespace.as_ref().into());
        }
        json::put(&mut fields, "uid", self.uid.as_ref().into());
        json::put(&mut fields, "resourceVersion", self.resource_version.to_string().into());
        if self.generation > 0 {
            json::put(&mut fields, "generation", self.generation.into());
        }
        json::put(&mut fields, "creationTimestamp", self.epoch.text(self.created).into());
        if let Some(deletion) = &self.deletion {
            json::put(&mut fields, "deletionTimestamp", self.epoch.text(deletion.at).into());
            json::put(&mut fields, "deletionGracePeriodSeconds", deletion.grace_s.into());
        }
        for (key, pairs) in [("labels", &self.labels), ("annotations", &self.annotations)] {
            if !pairs.is_empty() {
                json::put(&mut fields, key, pairs.to_value());
            }
        }
        if !self.owners.is_empty() {
            let owners = self.owners.iter().map(OwnerReference::to_value).collect();
            json::put(&mut fields, "ownerReferences", Value::Array(owners));
        }
        if !self.finalizers.is_empty() {
            let finalizers = self.finalizers.iter().map(|one| one.as_ref().into()).collect();
            json::put(&mut fields, "finalizers", Value::Array(finalizers));
        }
        if let Some(managed) = crate::api::managers_of(self, self.epoch) {
            json::put(&mut fields, "managedFields", managed);
        }
        Value::Object(fields)
    }

    /// Returns everything but `apiVersion`, `kind`, `metadata` and `status` (`spec`, `data`, `rules`, ...), as stored. Pods
    /// made by controllers share their template here, and a scaled workload may still show its old size;
    /// [`Object::to_value`] adds each object's own parts.
    pub fn content(&self) -> &Value {
        &self.content
    }

    /// Returns the content with the object's own parts.
    pub(crate) fn full_content(&self) -> Cow<'_, Value> {
        match &self.spec {
            Spec::Pod(_, own) => {
                if **own == PodOwn::default() {
                    return Cow::Borrowed(&*self.content);
                }
                let mut content = Value::clone(&self.content);
                if let Some(spec) = as_object(&mut content).and_then(|content| object_at(content, "spec")) {
                    put_own(own, spec);
                }
                Cow::Owned(content)
            }
            _ if self.info.has_scale
                && self.content.at(&["spec", "replicas"]).as_i64() != Some(i64::from(self.replicas)) =>
            {
                let mut content = Value::clone(&self.content);
                if let Some(spec) = as_object(&mut content).and_then(|content| object_at(content, "spec")) {
                    json::put(spec, "replicas", self.replicas.into());
                }
                Cow::Owned(content)
            }
            _ => Cow::Borrowed(&*self.content),
        }
    }

    /// The `status`; nothing where there is none.
    pub fn status(&self) -> Option<Value> {
        let mut fields = Map::new();
        status::put(self, &mut fields);
        fields.shift_remove("status")
    }

    /// Names of the claims that a pod mounts.
    pub(crate) fn claims(&self) -> impl Iterator<Item = &Text> {
        let (shared, own) = match &self.spec {
            Spec::Pod(spec, own) => (spec.volumes.as_slice(), own.claims.as_slice()),
            _ => (&[][..], &[][..]),
        };
        let shared = shared.iter().filter_map(|(volume, source)| match source {
            crate::spec::pod::Source::Claim(name) if own.iter().all(|(mine, _)| mine != volume) => Some(name),
            _ => None,
        });
        shared.chain(own.iter().map(|(_, claim)| claim))
    }

    /// True if it is a pod that is over.
    pub(crate) fn is_over(&self) -> bool {
        matches!(&self.status, Status::Pod(status) if status.phase.is_terminal())
    }

    /// True if it is a claim that is bound to a volume.
    pub(crate) fn is_bound_claim(&self) -> bool {
        matches!(&self.status, Status::Plain(status) if status.text("phase") == "Bound")
    }

    /// True if it is a CRD whose kind is served.
    pub(crate) fn is_established(&self) -> bool {
        let Status::Plain(status) = &self.status else { return false };
        let is = |one: &Value| one.text("type") == "Established" && one.text("status") == "True";
        status.items("conditions").iter().any(is)
    }

    /// `kind/name`, as commands write it.
    pub fn path(&self) -> Text {
        self.path_before(&[]).into()
    }

    /// The path and some more text.
    pub(crate) fn path_before(&self, rest: &[&str]) -> String {
        let group = &self.info.group;
        let dot = if group.is_empty() { "" } else { "." };
        let path = [&*self.info.singular, dot, group, "/", &self.name];
        let length = path.iter().chain(rest).map(|part| part.len()).sum();
        let mut text = String::with_capacity(length);
        path.iter().chain(rest).for_each(|part| text.push_str(part));
        text
    }
}

/// Writes a pod's own parts into its spec.
fn put_own(own: &PodOwn, spec: &mut Map<String, Value>) {
    if !own.node.is_empty() {
        json::put(spec, "nodeName", own.node.as_ref().into());
    }
    if !own.of_template {
        return;
    }
    put_new(spec, "hostname", own.hostname.as_ref().map_or(Value::Null, |name| name.as_ref().into()));
    put_new(spec, "subdomain", own.subdomain.as_ref().map_or(Value::Null, |name| name.as_ref().into()));
    spec.retain(|_, value| !value.is_null());
    if !own.claims.is_empty() {
        let mut volumes = spec.get("volumes").and_then(Value::as_array).cloned().unwrap_or_default();
        volumes.retain(|volume| own.claims.iter().all(|(mine, _)| volume.text("name") != &**mine));
        volumes.extend(own.claims.iter().map(|(volume, claim)| {
            planarium_protocol::json!({ "name": volume, "persistentVolumeClaim": { "claimName": claim } })
        }));
        json::put(spec, "volumes", Value::Array(volumes));
    }
    if let Some(node) = &own.pinned {
        let term = planarium_protocol::json!({
            "nodeSelectorTerms": [{ "matchFields": [{ "key": "metadata.name", "operator": "In", "values": [node] }] }],
        });
        if let Some(affinity) =
            object_at(spec, "affinity").and_then(|affinity| object_at(affinity, "nodeAffinity"))
        {
            json::put(affinity, "requiredDuringSchedulingIgnoredDuringExecution", term);
        }
    }
    crate::api::requests_of_limits(spec);
    crate::spec::pod::admit_pod(spec, own.pinned.is_some(), &own.rank);
    if let Some(token) = &own.token {
        crate::api::mount_token(spec, token);
    }
}

/// Metadata as a client sends it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Meta {
    pub(crate) name: Option<Text>,
    pub(crate) generate_name: Option<Text>,
    pub(crate) namespace: Option<Text>,
    pub(crate) uid: Option<Text>,
    /// As received.
    pub(crate) resource_version: Option<Text>,
    pub(crate) labels: Pairs,
    pub(crate) annotations: Pairs,
    pub(crate) owners: Vec<OwnerReference>,
    pub(crate) finalizers: Vec<Text>,
}

impl Meta {
    pub(crate) fn read(metadata: &Value) -> Self {
        let word = |key| crate::tree::word(metadata, key);
        Self {
            name: word("name"),
            generate_name: word("generateName"),
            namespace: word("namespace"),
            uid: word("uid"),
            resource_version: word("resourceVersion"),
            labels: Pairs::of_value(metadata.key("labels")),
            annotations: Pairs::of_value(metadata.key("annotations")),
            owners: metadata.items("ownerReferences").iter().map(OwnerReference::read).collect(),
            finalizers: metadata.texts("finalizers"),
        }
    }
}
