//! `application/strategic-merge-patch+json`: lists of built-in kinds merge by their keys.
//!
//! Source: `kubernetes/apimachinery: pkg/util/strategicpatch/patch.go`; match for the directives `$patch`, `$retainKeys`,
//! `$setElementOrder/...` and `$deleteFromPrimitiveList/...`.

use super::{LEVELS, find, reorder};
use crate::{
    schema::Shape,
    tree::{Tree, as_object},
};
use serde_json::{Map, Value};

/// Applies a patch to a value of a shape. *Errors*: a directive that does not exist, in words.
pub(crate) fn strategic(shape: &Shape, target: &mut Value, patch: &Value) -> Result<(), String> {
    merge(shape, target, patch, LEVELS)
}

fn merge(shape: &Shape, target: &mut Value, patch: &Value, levels: usize) -> Result<(), String> {
    let (Value::Object(patch), Some(levels)) = (patch, levels.checked_sub(1)) else {
        *target = patch.clone();
        return Ok(());
    };
    match patch.get("$patch").map(|directive| directive.as_str().unwrap_or_default()) {
        None | Some("merge") => {}
        Some("replace") => {
            *target = Value::Object(without_directives(patch));
            return Ok(());
        }
        Some("delete") => {
            *target = Value::Object(Map::new());
            return Ok(());
        }
        Some(other) => return Err(format!("Unknown patch type: {other}")),
    }
    let Some(fields) = as_object(target) else { return Ok(()) };
    if let Some(retained) = patch.get("$retainKeys").and_then(Value::as_array) {
        fields.retain(|key, _| retained.iter().any(|one| one.as_str() == Some(key)));
    }
    for (key, value) in patch {
        if key.starts_with('$') {
            continue;
        }
        if value.is_null() {
            fields.shift_remove(key);
            continue;
        }
        let slot = fields.entry(key.clone()).or_insert(Value::Null);
        let inner = shape.field(key);
        match (&inner, value) {
            (Shape::Keyed(_, merge_key) | Shape::KeyedRetain(_, merge_key), Value::Array(items)) => {
                merge_list(&inner, slot, items, merge_key, levels)?;
            }
            (Shape::Set, Value::Array(items)) => {
                let list = as_list(slot);
                for item in items.iter().filter(|item| !list.contains(item)).cloned().collect::<Vec<_>>() {
                    list.push(item);
                }
            }
            _ => merge(&inner, slot, value, levels)?,
        }
    }
    for (directive, value) in patch {
        if let Some(key) = directive.strip_prefix("$deleteFromPrimitiveList/") {
            let gone = value.as_array().map_or(&[][..], Vec::as_slice);
            if let Some(Value::Array(items)) = fields.get_mut(key) {
                items.retain(|item| !gone.contains(item));
            }
        }
        if let Some(key) = directive.strip_prefix("$setElementOrder/")
            && let Shape::Keyed(_, merge_key) | Shape::KeyedRetain(_, merge_key) = shape.field(key)
            && let (Some(Value::Array(items)), Some(order)) = (fields.get_mut(key), value.as_array())
        {
            let order: Vec<&Value> = order.iter().map(|one| one.key(merge_key)).collect();
            reorder(items, merge_key, &order);
        }
    }
    Ok(())
}

fn as_list(value: &mut Value) -> &mut Vec<Value> {
    if !value.is_array() {
        *value = Value::Array(Vec::new());
    }
    match value {
        Value::Array(items) => items,
        // Not reached: it has just been made a list.
        _ => Box::leak(Box::default()),
    }
}

fn merge_list(
    shape: &Shape,
    slot: &mut Value,
    patch: &[Value],
    key: &str,
    levels: usize,
) -> Result<(), String> {
    let list = as_list(slot);
    if patch.iter().any(|item| item.text("$patch") == "replace") {
        let kept = patch.iter().filter(|item| item.text("$patch") != "replace");
        *list = kept
            .map(|item| {
                item.as_object().map_or_else(|| item.clone(), |one| Value::Object(without_directives(one)))
            })
            .collect();
        return Ok(());
    }
    for item in patch {
        let place = find(list, key, item);
        if item.text("$patch") == "delete" {
            list.retain(|other| other.key(key) != item.key(key));
            continue;
        }
        match place.and_then(|place| list.get_mut(place)) {
            Some(old) => merge(shape, old, item, levels)?,
            None => {
                let mut new = Value::Null;
                merge(shape, &mut new, item, levels)?;
                list.push(new);
            }
        }
    }
    Ok(())
}

fn without_directives(fields: &Map<String, Value>) -> Map<String, Value> {
    fields
        .iter()
        .filter(|(key, _)| !key.starts_with('$'))
        .map(|(key, value)| (key.clone(), value.clone()))
        .collect()
}
