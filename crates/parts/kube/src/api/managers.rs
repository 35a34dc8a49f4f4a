//! Field managers: the owners of fields, as shown in `metadata.managedFields`.
//!
//! *Knows*: a client's request and the fields that it changed. *Must not know*: the client. Only requests over the wire are recorded:
//! the cluster's own controllers leave no entry.
//!
//! **Source**: `kubernetes/apimachinery: pkg/util/managedfields`, `kubernetes-sigs/structured-merge-diff: merge/update.go`; match for
//! field ownership and conflicts; fields that the server adds have no owner.

use super::Api;
use crate::{
    calendar::Epoch,
    object::{Managed, Object},
    schema::{Shape, shape_of},
    tree::Tree,
};
use planarium_kernel::SimTime;
use planarium_protocol::{
    Text, json,
    json::{Map, Value},
};
use std::sync::Arc;

/// Metadata fields without owners.
const NOBODYS: [&str; 10] = [
    "name",
    "namespace",
    "uid",
    "resourceVersion",
    "generation",
    "creationTimestamp",
    "deletionTimestamp",
    "deletionGracePeriodSeconds",
    "managedFields",
    "selfLink",
];

impl Api {
    /// Records the creator of an object, or the new owner of changed fields. Returns the object with the entry.
    pub(crate) fn note_update(
        &mut self,
        now: SimTime,
        old: Option<&Object>,
        new: &Arc<Object>,
        manager: &Text,
        api_version: &str,
        sent: &Value,
    ) -> Arc<Object> {
        let shape = shape_of(new.kind);
        let written = match old {
            None => owned(sent),
            Some(old) => {
                let (before, after) = (owned(&old.value_as(api_version)), owned(&new.value_as(api_version)));
                changed(&shape, &before, &after)
            }
        };
        if written.as_object().is_none_or(Map::is_empty) {
            return new.clone();
        }
        let mut all: Vec<Managed> = new.managed.as_deref().cloned().unwrap_or_default();
        for other in all.iter_mut().filter(|other| other.manager != *manager || other.applied) {
            let mut value = Value::clone(&other.value);
            take_away(&shape, &mut value, &written);
            other.value = Arc::new(value);
        }
        all.retain(|one| one.value.as_object().is_some_and(|fields| !fields.is_empty()));
        let mut mine = all
            .iter()
            .find(|own| own.manager == *manager && !own.applied)
            .map(|own| Value::clone(&own.value))
            .unwrap_or_default();
        add(&shape, &mut mine, &written);
        all.retain(|own| own.manager != *manager || own.applied);
        all.push(Managed {
            manager: manager.clone(),
            value: Arc::new(mine),
            applied: false,
            api_version: api_version.into(),
            at: now,
        });
        let kept = Arc::new(Object { managed: Some(Arc::new(all)), ..Object::clone(new) });
        self.store.keep(new, kept.clone());
        kept
    }
}

/// Returns the fields of an object that can have an owner.
pub(crate) fn owned(value: &Value) -> Value {
    let mut value = value.clone();
    if let Some(fields) = value.as_object_mut() {
        for key in ["apiVersion", "kind", "status"] {
            fields.shift_remove(key);
        }
        if let Some(metadata) = fields.get_mut("metadata").and_then(Value::as_object_mut) {
            metadata.retain(|key, value| !NOBODYS.contains(&key.as_str()) && !value.is_null());
        }
        fields.retain(|_, value| value.as_object().is_none_or(|inner| !inner.is_empty()));
    }
    value
}

/// The part of a value that differs from another one.
fn changed(shape: &Shape, before: &Value, after: &Value) -> Value {
    match (shape, before, after) {
        (_, Value::Object(before), Value::Object(after)) => {
            let mut fields = Map::new();
            for (key, value) in after {
                let old = before.get(key).unwrap_or(&Value::Null);
                if old != value {
                    json::put(&mut fields, key, changed(&shape.field(key), old, value));
                }
            }
            Value::Object(fields)
        }
        (Shape::Keyed(of, key) | Shape::KeyedRetain(of, key), Value::Array(before), Value::Array(after)) => {
            let mut items = Vec::new();
            for item in after {
                let old = before.iter().find(|old| old.key(key) == item.key(key));
                if old == Some(item) {
                    continue;
                }
                let mut part = old.map_or_else(|| item.clone(), |old| changed(&Shape::Of(of), old, item));
                if let Some(fields) = part.as_object_mut() {
                    json::put(fields, key, item.key(key).clone());
                }
                items.push(part);
            }
            Value::Array(items)
        }
        _ => after.clone(),
    }
}

/// Adds the fields of one value to another.
fn add(shape: &Shape, to: &mut Value, value: &Value) {
    match (shape, &mut *to, value) {
        (_, Value::Object(fields), Value::Object(more)) => {
            for (key, value) in more {
                add(&shape.field(key), fields.entry(key.clone()).or_insert(Value::Null), value);
            }
        }
        (Shape::Keyed(of, key) | Shape::KeyedRetain(of, key), Value::Array(items), Value::Array(more)) => {
            for item in more {
                match items.iter_mut().find(|own| own.key(key) == item.key(key)) {
                    Some(own) => add(&Shape::Of(of), own, item),
                    None => items.push(item.clone()),
                }
            }
        }
        _ => *to = value.clone(),
    }
}

/// Takes the fields of one value away from another.
fn take_away(shape: &Shape, from: &mut Value, value: &Value) {
    match (shape, from, value) {
        (_, Value::Object(fields), Value::Object(gone)) => {
            for (key, value) in gone {
                let inner = shape.field(key);
                let Some(own) = fields.get_mut(key) else { continue };
                if is_branch(&inner, own, value) {
                    take_away(&inner, own, value);
                } else {
                    fields.shift_remove(key);
                }
            }
            fields.retain(|_, value| match value {
                Value::Object(inner) => !inner.is_empty(),
                Value::Array(items) => !items.is_empty(),
                _ => true,
            });
        }
        (Shape::Keyed(of, key) | Shape::KeyedRetain(of, key), Value::Array(items), Value::Array(gone)) => {
            for item in items.iter_mut() {
                let Some(value) = gone.iter().find(|one| one.key(key) == item.key(key)) else { continue };
                let name = item.key(key).clone();
                take_away(&Shape::Of(of), item, value);
                if let Some(fields) = item.as_object_mut() {
                    json::put(fields, key, name);
                }
            }
        }
        _ => {}
    }
}

/// True if both values are taken apart further, rather than as a whole.
fn is_branch(shape: &Shape, one: &Value, other: &Value) -> bool {
    match (one, other) {
        (Value::Object(_), Value::Object(_)) => true,
        (Value::Array(_), Value::Array(_)) => matches!(shape, Shape::Keyed(..) | Shape::KeyedRetain(..)),
        _ => false,
    }
}

/// `metadata.managedFields` of an object.
pub(crate) fn shown(object: &Object, epoch: Epoch) -> Option<Value> {
    let all = object.managed.as_ref()?;
    let shape = shape_of(object.kind);
    let one = |entry: &Managed| {
        json!({
            "manager": entry.manager, "operation": (if entry.applied { "Apply" } else { "Update" }),
            "apiVersion": entry.api_version, "time": (epoch.text(entry.at)), "fieldsType": "FieldsV1",
            "fieldsV1": (fields(&shape, &owned(&entry.value))),
        })
    };
    Some(Value::Array(all.iter().map(one).collect()))
}

/// Fields as `FieldsV1` writes them.
fn fields(shape: &Shape, value: &Value) -> Value {
    let mut all = Map::new();
    match (shape, value) {
        (_, Value::Object(own)) => {
            for (key, value) in own {
                json::put(&mut all, &format!("f:{key}"), fields(&shape.field(key), value));
            }
        }
        (Shape::Keyed(of, key) | Shape::KeyedRetain(of, key), Value::Array(items)) => {
            for item in items {
                let mut inner = fields(&Shape::Of(of), item);
                if let Some(inner) = inner.as_object_mut() {
                    json::put(inner, ".", Value::Object(Map::new()));
                }
                let mut name = Map::new();
                json::put(&mut name, key, item.key(key).clone());
                json::put(&mut all, &format!("k:{}", Value::Object(name)), inner);
            }
        }
        (Shape::Set, Value::Array(items)) => {
            for item in items {
                json::put(&mut all, &format!("v:{item}"), Value::Object(Map::new()));
            }
        }
        _ => {}
    }
    Value::Object(all)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kinds::KindId;

    #[test]
    fn a_manager_takes_over_the_fields_it_writes() {
        let shape = shape_of(KindId::DEPLOYMENT);
        let spec = |value: Value| json!({ "spec": value });
        let before = spec(
            json!({ "replicas": 1, "template": { "spec": { "containers": [{ "name": "a", "image": "1" }] } } }),
        );
        let after = spec(json!({
            "replicas": 2,
            "template": { "spec": { "containers": [{ "name": "a", "image": "1" }, { "name": "b", "image": "2" }] } },
        }));
        let written = changed(&shape, &before, &after);
        let new = json!({ "replicas": 2, "template": { "spec": { "containers": [{ "name": "b", "image": "2" }] } } });
        assert_eq!(written, spec(new));
        let mut theirs = before.clone();
        take_away(&shape, &mut theirs, &written);
        let left = json!({ "template": { "spec": { "containers": [{ "name": "a", "image": "1" }] } } });
        assert_eq!(theirs, spec(left));
        assert_eq!(
            fields(&shape, &theirs).to_string(),
            r#"{"f:spec":{"f:template":{"f:spec":{"f:containers":{"k:{\"name\":\"a\"}":{"f:name":{},"f:image":{},".":{}}}}}}}"#
        );
        let mut sum = before;
        add(&shape, &mut sum, &written);
        assert_eq!(sum, after);
    }
}
