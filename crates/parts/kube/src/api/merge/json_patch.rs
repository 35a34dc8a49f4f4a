//! `application/json-patch+json`: a list of operations.
//!
//! Source: RFC 6902, `evanphx/json-patch`; match, with the latter's words where it refuses.

use crate::tree::Tree;
use serde_json::Value;

/// Applies the operations one after the other. *Errors*: the first that cannot be applied, in words.
pub(crate) fn json_patch(target: &mut Value, patch: &Value) -> Result<(), String> {
    let Some(operations) = patch.as_array() else {
        return Err("json: cannot unmarshal object into Go value of type jsonpatch.Patch".to_owned());
    };
    // Copies could double a document with each operation.
    if operations.len() > 10_000 {
        return Err("The allowed maximum operations in a JSON patch is 10000".to_owned());
    }
    operations.iter().try_for_each(|operation| apply(target, operation))
}

fn apply(target: &mut Value, operation: &Value) -> Result<(), String> {
    let path = parts(operation.text("path"))?;
    let value = || operation.get("value").cloned().ok_or_else(|| "missing value in operation".to_owned());
    match operation.text("op") {
        "add" => add(target, &path, value()?),
        "remove" => remove(target, &path).map(|_| ()),
        "replace" => {
            let value = value()?;
            let slot = at_mut(target, &path).ok_or_else(|| missing("replace", operation.text("path")))?;
            *slot = value;
            Ok(())
        }
        "test" => {
            let found = at(target, &path);
            let wanted = operation.key("value");
            let holds = found.map_or(wanted.is_null(), |found| found == wanted);
            if holds { Ok(()) } else { Err(format!("testing path {} failed", operation.text("path"))) }
        }
        "move" => {
            let from = parts(operation.text("from"))?;
            if path.starts_with(&from) && path.len() > from.len() {
                return Err("unable to move a value into itself".to_owned());
            }
            let value = remove(target, &from)?;
            add(target, &path, value)
        }
        "copy" => {
            let from = parts(operation.text("from"))?;
            let value = at(target, &from).cloned().ok_or_else(|| missing("copy", operation.text("from")))?;
            add(target, &path, value)
        }
        other => Err(format!("unexpected kind: {other}")),
    }
}

fn missing(op: &str, path: &str) -> String {
    format!("{op} operation does not apply: doc is missing path: {path}")
}

fn parts(path: &str) -> Result<Vec<String>, String> {
    match path.strip_prefix('/') {
        Some(rest) => Ok(rest.split('/').map(|part| part.replace("~1", "/").replace("~0", "~")).collect()),
        None if path.is_empty() => Ok(Vec::new()),
        None => Err(format!("path {path:?} does not begin with a slash")),
    }
}

fn at<'a>(value: &'a Value, path: &[String]) -> Option<&'a Value> {
    path.iter().try_fold(value, |value, part| match value {
        Value::Object(fields) => fields.get(part),
        Value::Array(items) => items.get(part.parse::<usize>().ok()?),
        _ => None,
    })
}

fn at_mut<'a>(value: &'a mut Value, path: &[String]) -> Option<&'a mut Value> {
    path.iter().try_fold(value, |value, part| match value {
        Value::Object(fields) => fields.get_mut(part),
        Value::Array(items) => items.get_mut(part.parse::<usize>().ok()?),
        _ => None,
    })
}

fn add(target: &mut Value, path: &[String], value: Value) -> Result<(), String> {
    let Some((last, parent)) = path.split_last() else {
        *target = value;
        return Ok(());
    };
    let text = || format!("/{}", path.join("/"));
    match at_mut(target, parent) {
        Some(Value::Object(fields)) => {
            fields.insert(last.clone(), value);
            Ok(())
        }
        Some(Value::Array(items)) => {
            let place = if last == "-" { Some(items.len()) } else { last.parse().ok() };
            match place.filter(|place| *place <= items.len()) {
                Some(place) => {
                    items.insert(place, value);
                    Ok(())
                }
                None => Err(format!("add operation does not apply: index out of bounds: {}", text())),
            }
        }
        _ => Err(missing("add", &text())),
    }
}

fn remove(target: &mut Value, path: &[String]) -> Result<Value, String> {
    let text = || format!("/{}", path.join("/"));
    let Some((last, parent)) = path.split_last() else {
        return Err("unable to remove the document".to_owned());
    };
    let removed = match at_mut(target, parent) {
        Some(Value::Object(fields)) => fields.shift_remove(last),
        Some(Value::Array(items)) => {
            let place = last.parse::<usize>().ok().filter(|place| *place < items.len());
            place.map(|place| items.remove(place))
        }
        _ => None,
    };
    removed.ok_or_else(|| missing("remove", &text()))
}
