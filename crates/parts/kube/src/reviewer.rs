//! The API server's validation of written objects, without a cluster.
//!
//! *Knows*: kinds, shapes, defaults, validation. *Must not know*: the content of a cluster: taken names, quotas, accounts.

use crate::{
    api::{Api, Draft, invalid, validate},
    calendar::Epoch,
    error::{ApiError, FieldCause},
    kinds::{KindId, KindInfo, crd},
    schema::{Mismatch, Unknown, conform, shape_of, unknown_fields},
    tree::Tree,
};
use planarium_kernel::SimTime;
use planarium_protocol::Text;
use serde_json::{Map, Value};
use std::sync::Arc;

/// Reads objects as the API server would.
#[derive(Clone, Debug)]
pub struct Reviewer {
    api: Api,
}

impl Default for Reviewer {
    fn default() -> Self {
        Self { api: Api::new(0, 0) }
    }
}

impl Reviewer {
    /// The kind of this `apiVersion` and `kind`, if it is served.
    pub fn find_kind(&self, api_version: &str, kind: &str) -> Option<KindId> {
        self.api.find_kind(api_version, kind)
    }

    /// The names of a kind.
    pub fn kind_info(&self, kind: KindId) -> Option<&Arc<KindInfo>> {
        self.api.kind_info(kind)
    }

    /// Every kind that is served. *Order*: built-in kinds first.
    pub fn kinds(&self) -> impl Iterator<Item = &Arc<KindInfo>> {
        self.api.kinds.served().map(|(_, info)| info)
    }

    /// Serves the kind of a CustomResourceDefinition from now on.
    pub fn serve(&mut self, definition: &Value) {
        Arc::make_mut(&mut self.api.kinds).serve(crd::info_of(definition));
    }

    /// The object with defaults, as the server would keep it. *Errors*: as of a creation, as far as the object alone decides.
    pub fn review(&self, value: &Value) -> Result<Value, ApiError> {
        let kind = self.api.kind_of(value)?;
        let draft = self.api.draft(kind, value.clone())?;
        let causes = validate::object(&draft);
        if causes.is_empty() { Ok(shown(value, draft)) } else { Err(invalid(&draft, causes)) }
    }

    /// Fields of `after` that may not differ from those of `before`.
    pub fn review_change(&self, before: &Value, after: &Value) -> Vec<FieldCause> {
        let read = |value: &Value| {
            let kind = self.api.kind_of(value).ok()?;
            self.api.draft(kind, value.clone()).ok()
        };
        let (Some(before), Some(after)) = (read(before), read(after)) else { return Vec::new() };
        if before.kind != after.kind {
            return Vec::new();
        }
        validate::changed(after.kind, &before.content, &after.content, true)
    }

    /// The same of objects as [`Self::review`] returned them.
    pub fn review_change_of_reviewed(&self, before: &Value, after: &Value) -> Vec<FieldCause> {
        let (Ok(kind), Ok(now)) = (self.api.kind_of(before), self.api.kind_of(after)) else {
            return Vec::new();
        };
        if kind == now { validate::changed(kind, before, after, true) } else { Vec::new() }
    }

    /// The first field whose value has a type that the kind cannot take.
    pub fn mismatch(&self, value: &Value) -> Option<Mismatch> {
        let kind = self.api.kind_of(value).ok()?;
        conform(&shape_of(kind), &mut value.clone()).err()
    }

    /// Fields that the kind does not have, which the server drops.
    pub fn unknown_fields(&self, value: &Value) -> Vec<Unknown> {
        let Ok(kind) = self.api.kind_of(value) else { return Vec::new() };
        unknown_fields(&shape_of(kind), value)
    }
}

/// The draft of an object as plain data: names as they were written, the rest with defaults.
fn shown(value: &Value, draft: Draft) -> Value {
    let mut fields = Map::new();
    for key in ["apiVersion", "kind", "metadata"] {
        fields.insert(key.to_owned(), value.key(key).clone());
    }
    if let Value::Object(content) = draft.content {
        fields.extend(content);
    }
    Value::Object(fields)
}

/// An instant as the API writes it: `2021-04-09T12:30:00Z`. *Units*: milliseconds since 1970.
pub fn time_text(ms: u64) -> String {
    Epoch(ms).text(SimTime(0))
}

/// Objects of its namespace that a pod template names: kind and name. Optional ones are left out.
pub fn references(template: &Value) -> Vec<(&'static str, Text)> {
    let spec = template.key("spec");
    let mut found: Vec<(&'static str, Text)> = Vec::new();
    let mut add = |kind: &'static str, of: &Value, key: &str| {
        let name = of.text(key);
        if !name.is_empty() && !of.flag("optional") && !found.iter().any(|(k, n)| *k == kind && **n == *name)
        {
            found.push((kind, name.into()));
        }
    };
    for volume in spec.items("volumes") {
        add("ConfigMap", volume.key("configMap"), "name");
        add("Secret", volume.key("secret"), "secretName");
        add("PersistentVolumeClaim", volume.key("persistentVolumeClaim"), "claimName");
    }
    for container in spec.items("initContainers").iter().chain(spec.items("containers")) {
        for from in container.items("envFrom") {
            add("ConfigMap", from.key("configMapRef"), "name");
            add("Secret", from.key("secretRef"), "name");
        }
        for env in container.items("env") {
            add("ConfigMap", env.at(&["valueFrom", "configMapKeyRef"]), "name");
            add("Secret", env.at(&["valueFrom", "secretKeyRef"]), "name");
        }
    }
    add("ServiceAccount", spec, "serviceAccountName");
    found
}
