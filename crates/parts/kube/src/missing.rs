//! Objects that pods and claims name and that nothing has made, with the call that makes each.
//!
//! *Knows*: which fields name objects, and what each object needs at least. *Must not know*: why nothing made it.

use crate::{
    api::Api,
    kinds::KindId,
    object::{Object, ObjectRef},
    spec::{Spec, pod::Source},
    tree::Tree,
};
use planarium_protocol::Text;
use planarium_protocol::input::HttpCall;
use planarium_protocol::json;
use serde_json::{Map, Value};

/// Size of a claim that is made for a pod.
const CLAIM_SIZE: &str = "1Gi";

/// Provisioner of a class that is made for a claim.
const PROVISIONER: &str = "kubernetes.io/simulated";

/// An object that another one names and that is not there, or lacks entries.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Missing {
    kind: KindId,
    /// Empty for a class.
    namespace: Text,
    name: Text,
    /// Entries that are asked for and not there.
    entries: Vec<Text>,
    /// The object is there, its entries are not.
    exists: bool,
}

impl Missing {
    /// ConfigMaps, Secrets and claims that a pod's volumes and the environments of its containers name.
    pub(crate) fn of_pod(api: &Api, pod: &Object) -> Vec<Self> {
        let Spec::Pod(spec, own) = &pod.spec else { return Vec::new() };
        let mut found: Vec<Self> = Vec::new();
        let mut want = |kind: KindId, name: &Text, entry: Option<&Text>| {
            let there = api.get(ObjectRef::new(kind, &pod.namespace, name));
            let lacks = match (there, entry) {
                (None, _) => true,
                (Some(object), Some(entry)) => {
                    ["data", "binaryData"].iter().all(|part| object.content().key(part).key(entry).is_null())
                }
                (Some(_), None) => false,
            };
            if !lacks {
                return;
            }
            let known = found.iter().position(|one| one.kind == kind && one.name == *name);
            let at = known.unwrap_or_else(|| {
                let (namespace, name) = (pod.namespace.clone(), name.clone());
                found.push(Self { kind, namespace, name, entries: Vec::new(), exists: there.is_some() });
                found.len() - 1
            });
            if let (Some(one), Some(entry)) = (found.get_mut(at), entry)
                && !one.entries.contains(entry)
            {
                one.entries.push(entry.clone());
            }
        };
        for (volume, source) in &spec.volumes {
            match source {
                Source::ConfigMap(name) => want(KindId::CONFIG_MAP, name, None),
                Source::Secret(name) => want(KindId::SECRET, name, None),
                Source::Claim(name) if own.claims.iter().all(|(mine, _)| mine != volume) => {
                    want(KindId::PERSISTENT_VOLUME_CLAIM, name, None);
                }
                Source::Claim(_) => {}
            }
        }
        for one in spec.containers.iter().flat_map(|container| &container.env) {
            let kind = if one.secret { KindId::SECRET } else { KindId::CONFIG_MAP };
            want(kind, &one.name, one.entry.as_ref());
        }
        found
    }

    /// The class that a claim names.
    pub(crate) fn class(api: &Api, claim: &Object) -> Option<Self> {
        let Spec::Claim(spec) = &claim.spec else { return None };
        let name = spec.class.as_ref().filter(|name| !name.is_empty())?;
        let there = api.get(ObjectRef::new(KindId::STORAGE_CLASS, "", name)).is_some();
        let (namespace, name) = (Text::default(), name.clone());
        (!there).then_some(Self {
            kind: KindId::STORAGE_CLASS,
            namespace,
            name,
            entries: Vec::new(),
            exists: false,
        })
    }

    /// Kind, API version and plural.
    fn kind(&self) -> (&'static str, &'static str, &'static str) {
        match self.kind {
            KindId::SECRET => ("Secret", "v1", "secrets"),
            KindId::PERSISTENT_VOLUME_CLAIM => ("PersistentVolumeClaim", "v1", "persistentvolumeclaims"),
            KindId::STORAGE_CLASS => ("StorageClass", "storage.k8s.io/v1", "storageclasses"),
            _ => ("ConfigMap", "v1", "configmaps"),
        }
    }

    /// The effect of the call, in words.
    pub fn title(&self) -> String {
        let (kind, ..) = self.kind();
        let entries = self.entries.join(", ");
        match (self.kind, entries.is_empty()) {
            _ if self.exists => format!("Add to the {kind} {}, empty: {entries}", self.name),
            (KindId::SECRET | KindId::CONFIG_MAP, true) => format!("Create the {kind} {}, empty", self.name),
            (_, false) => format!("Create the {kind} {} with empty entries: {entries}", self.name),
            (KindId::PERSISTENT_VOLUME_CLAIM, true) => {
                format!("Create the {kind} {} with {CLAIM_SIZE}", self.name)
            }
            (_, true) => format!("Create the {kind} {}", self.name),
        }
    }

    /// The call that makes the object, or adds the entries.
    pub fn call(&self) -> HttpCall {
        let (kind, version, plural) = self.kind();
        let root = if version == "v1" { "/kube/api/v1".to_owned() } else { format!("/kube/apis/{version}") };
        let space =
            if self.namespace.is_empty() { String::new() } else { format!("/namespaces/{}", self.namespace) };
        let collection = format!("{root}{space}/{plural}");
        let data: Map<String, Value> =
            self.entries.iter().map(|entry| (entry.to_string(), Value::from(""))).collect();
        if self.exists {
            return HttpCall {
                method: "PATCH".to_owned(),
                path: format!("{collection}/{}", self.name),
                body: json!({ "data": (Value::Object(data)) }),
                content_type: Some("application/merge-patch+json".to_owned()),
            };
        }
        let mut body = json!({ "apiVersion": version, "kind": kind, "metadata": { "name": (self.name) } });
        let (field, value) = match self.kind {
            KindId::PERSISTENT_VOLUME_CLAIM => (
                "spec",
                json!({ "accessModes": ["ReadWriteOnce"], "resources": { "requests": { "storage": CLAIM_SIZE } } }),
            ),
            KindId::STORAGE_CLASS => ("provisioner", PROVISIONER.into()),
            _ if !data.is_empty() => ("data", Value::Object(data)),
            _ => ("", Value::Null),
        };
        if let Some(body) = body.as_object_mut()
            && !field.is_empty()
        {
            body.insert(field.to_owned(), value);
        }
        HttpCall {
            method: "POST".to_owned(),
            path: collection,
            body,
            content_type: Some("application/json".to_owned()),
        }
    }
}
