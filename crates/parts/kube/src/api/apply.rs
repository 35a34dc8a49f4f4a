//! Applies objects: three-way by a client that records what it applied, and by field managers on the server.

use super::{Api, merge::three_way};
use std::fmt::Write as _;

use crate::{
    error::{ApiError, FieldCause, Reason},
    object::{Managed, Object, ObjectRef},
    request::{Applied, Outcome, Written},
    schema::{Shape, shape_of},
    tree::{Tree, as_object, object_at},
};
use planarium_kernel::SimTime;
use planarium_protocol::{
    Text,
    json::{self, Value},
};
use std::sync::Arc;

impl Api {
    /// Creates the object or merges it three ways: last applied (kept in `annotation`), live, and this one. Removes
    /// fields that were applied before and are now missing; keeps fields that others set. Built-in kinds merge lists by
    /// key (strategic), custom ones replace them. Rewrites the annotation.
    ///
    /// *Cost*: very small if the same `Arc` is applied again to an object whose spec has not changed. *Errors*: as
    /// [`Api::create`] and [`Api::patch`].
    pub(crate) fn apply(
        &mut self,
        now: SimTime,
        value: &Arc<Value>,
        annotation: &str,
    ) -> Result<Applied, ApiError> {
        let kind = self.kind_of(value)?;
        let metadata = value.key("metadata");
        let namespaced = self.kind_info(kind).is_some_and(|info| info.namespaced);
        let namespace = match metadata.text("namespace") {
            _ if !namespaced => "",
            "" => "default",
            namespace => namespace,
        };
        let live = self.get(ObjectRef::new(kind, namespace, metadata.text("name"))).cloned();
        let Some(live) = live else {
            let mut new = Value::clone(value);
            note(&mut new, annotation, value);
            let object = self.create(now, new)?;
            let object = self.keep_applied(object, value);
            return Ok(Applied { object, outcome: Outcome::Created });
        };
        if live.pristine
            && live.applied.as_ref().is_some_and(|last| Arc::ptr_eq(last, value) || last == value)
        {
            return Ok(Applied { object: live, outcome: Outcome::Unchanged });
        }
        let last = match &live.applied {
            Some(last) => last.clone(),
            None => Arc::new(
                live.annotations
                    .get(annotation)
                    .and_then(|text| json::value(text.as_bytes()).ok())
                    .unwrap_or_default(),
            ),
        };
        let shape = shape_of(kind);
        let mut merged = live.open_value_as(value.text("apiVersion"));
        let status = merged.get("status").cloned();
        three_way(&shape, &last, value, &mut merged);
        if live.info.has_status
            && let Some(fields) = as_object(&mut merged)
        {
            fields.shift_remove("status");
            status.map(|status| fields.insert("status".to_owned(), status));
        }
        note(&mut merged, annotation, value);
        let draft = self.draft(kind, merged)?;
        let object = self.change(&live, draft)?;
        let outcome = if object.resource_version == live.resource_version {
            Outcome::Unchanged
        } else {
            Outcome::Configured
        };
        let object = self.keep_applied(object, value);
        Ok(Applied { object, outcome })
    }

    /// Records the applied object, without a new version.
    fn keep_applied(&mut self, object: Arc<Object>, value: &Arc<Value>) -> Arc<Object> {
        let kept =
            Arc::new(Object { applied: Some(value.clone()), pristine: true, ..Object::clone(&object) });
        self.store.keep(&object, kept.clone());
        kept
    }

    /// Server-side apply by a field manager: its fields are set, those that it applied before and does not any more go.
    ///
    /// *Errors*: another manager applied one of the fields with another value (409), unless `force`.
    pub(crate) fn server_apply(
        &mut self,
        now: SimTime,
        object: ObjectRef<'_>,
        value: &Value,
        manager: &Text,
        force: bool,
    ) -> Written {
        if !value.is_object() {
            return Err(ApiError::new(Reason::BadRequest, "error decoding YAML: the patch is not an object"));
        }
        let mut wanted = value.clone();
        if let Some(fields) = as_object(&mut wanted) {
            fields.shift_remove("status");
            if let Some(metadata) = object_at(fields, "metadata") {
                json::put(metadata, "name", object.name.into());
                if !object.namespace.is_empty() {
                    json::put(metadata, "namespace", object.namespace.into());
                }
            }
        }
        let Some(live) = self.get(object).cloned() else {
            let new = self.create(now, wanted.clone())?;
            return Ok(self.keep_managed(now, new, manager, wanted, &[]));
        };
        let shape = shape_of(live.kind);
        let managed: Vec<Managed> = live.managed.as_deref().cloned().unwrap_or_default();
        let mut conflicts = Vec::new();
        for other in managed.iter().filter(|other| other.manager != *manager || !other.applied) {
            clashes(&shape, &other.value, &wanted, &mut String::new(), &mut |path| {
                if !matches!(path, ".apiVersion" | ".kind" | ".metadata.name" | ".metadata.namespace") {
                    conflicts.push((other.manager.clone(), path.to_owned()));
                }
            });
        }
        if !force && !conflicts.is_empty() {
            return Err(apply_conflict(&live, &conflicts));
        }
        let empty = Value::Null;
        let last = managed
            .iter()
            .find(|own| own.manager == *manager && own.applied)
            .map_or(&empty, |own| &*own.value);
        let mut merged = live.value_as(value.text("apiVersion"));
        three_way(&shape, last, &wanted, &mut merged);
        let draft = self.draft(live.kind, merged)?;
        let new = self.change(&live, draft)?;
        let taken: Vec<String> = conflicts.into_iter().map(|(_, path)| path).collect();
        Ok(self.keep_managed(now, new, manager, wanted, &taken))
    }

    /// Records what a manager applied; it now owns the fields that it took over.
    fn keep_managed(
        &mut self,
        now: SimTime,
        object: Arc<Object>,
        manager: &Text,
        value: Value,
        taken: &[String],
    ) -> Arc<Object> {
        let mut managed: Vec<Managed> = object.managed.as_deref().cloned().unwrap_or_default();
        managed.retain(|one| one.manager != *manager || !one.applied);
        for other in &mut managed {
            for path in taken {
                let mut value = Value::clone(&other.value);
                remove_at(&mut value, path.trim_start_matches('.'));
                other.value = Arc::new(value);
            }
        }
        let api_version = value.text("apiVersion").into();
        managed.push(Managed {
            manager: manager.clone(),
            value: Arc::new(value),
            applied: true,
            api_version,
            at: now,
        });
        let kept = Arc::new(Object { managed: Some(Arc::new(managed)), ..Object::clone(&object) });
        self.store.keep(&object, kept.clone());
        kept
    }
}

/// Writes the applied object into its annotation.
fn note(target: &mut Value, annotation: &str, value: &Value) {
    let text = value.to_string();
    let metadata = as_object(target).and_then(|fields| object_at(fields, "metadata"));
    if let Some(annotations) = metadata.and_then(|metadata| object_at(metadata, "annotations")) {
        json::put(annotations, annotation, text.into());
    }
}

/// Calls `found` with the path of each field that both set to different values.
fn clashes(shape: &Shape, one: &Value, other: &Value, path: &mut String, found: &mut dyn FnMut(&str)) {
    match (shape, one, other) {
        (_, Value::Object(one), Value::Object(other)) => {
            let length = path.len();
            for (key, value) in other {
                if let Some(mine) = one.get(key) {
                    path.push('.');
                    path.push_str(key);
                    clashes(&shape.field(key), mine, value, path, found);
                    path.truncate(length);
                }
            }
        }
        (Shape::Keyed(of, key) | Shape::KeyedRetain(of, key), Value::Array(one), Value::Array(other)) => {
            let length = path.len();
            for item in other {
                if let Some(mine) = one.iter().find(|mine| mine.key(key) == item.key(key)) {
                    let _ = write!(path, "[{key}={}]", item.key(key));
                    clashes(&Shape::Of(of), mine, item, path, found);
                    path.truncate(length);
                }
            }
        }
        (Shape::Set, _, _) => {}
        _ if one != other => found(path),
        _ => {}
    }
}

/// Removes the field at a path of [`clashes`], as far as it leads through objects.
fn remove_at(value: &mut Value, path: &str) {
    let Some(fields) = value.as_object_mut() else { return };
    match path.split_once('.') {
        None => _ = fields.shift_remove(path),
        Some((key, rest)) => {
            if let Some(inner) = fields.get_mut(key) {
                remove_at(inner, rest);
            }
        }
    }
}

fn apply_conflict(live: &Object, conflicts: &[(Text, String)]) -> ApiError {
    let plural = if conflicts.len() == 1 { "" } else { "s" };
    let mut message = format!("Apply failed with {} conflict{plural}: ", conflicts.len());
    let mut by: Vec<(Text, Vec<&str>)> = Vec::new();
    for (manager, path) in conflicts {
        match by.iter_mut().find(|(other, _)| other == manager) {
            Some((_, paths)) => paths.push(path),
            None => by.push((manager.clone(), vec![path])),
        }
    }
    if let ([(manager, paths)], 1) = (by.as_slice(), conflicts.len()) {
        let path = paths.first().copied().unwrap_or_default();
        let _ = write!(message, "conflict with {manager:?} using {}: {path}", live.info.preferred());
    } else {
        message.push_str("conflicts");
        for (manager, paths) in &by {
            let _ = write!(message, " with {manager:?} using {}:", live.info.preferred());
            for path in paths {
                let _ = write!(message, "\n- {path}");
            }
        }
    }
    let mut error = ApiError::new(Reason::Conflict, message);
    error.causes = conflicts
        .iter()
        .map(|(manager, path)| FieldCause {
            reason: "FieldManagerConflict",
            message: format!("conflict with {manager:?} using {}", live.info.preferred()),
            field: path.clone(),
        })
        .collect();
    error
}
