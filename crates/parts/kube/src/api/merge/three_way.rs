//! The three-way merge of the last applied, the live, and the newly applied object.
//!
//! Source: `kubernetes/apimachinery: pkg/util/strategicpatch/patch.go` (`CreateThreeWayMergePatch`),
//! `pkg/util/jsonmergepatch`; match in outcome, without building the patch.

use super::{find, reorder};
use crate::{
    schema::Shape,
    tree::{Tree, as_object},
};
use serde_json::Value;

/// Applies `now` after `last` to `live`: removes fields of `last` that are missing in `now`, sets fields of `now`, keeps all
/// others.
pub(crate) fn three_way(shape: &Shape, last: &Value, now: &Value, live: &mut Value) {
    let Value::Object(fields) = now else {
        if live != now {
            *live = now.clone();
        }
        return;
    };
    let Some(target) = as_object(live) else { return };
    if let Value::Object(before) = last {
        for (key, _) in before.iter().filter(|(key, value)| !value.is_null() && !fields.contains_key(*key)) {
            target.shift_remove(key);
        }
    }
    if matches!(shape, Shape::Retain(_) | Shape::KeyedRetain(..)) {
        target.retain(|key, _| fields.contains_key(key));
    }
    for (key, value) in fields {
        if value.is_null() {
            target.shift_remove(key);
            continue;
        }
        let inner = shape.field(key);
        let slot = target.entry(key.clone()).or_insert(Value::Null);
        match (&inner, value) {
            (Shape::Keyed(_, merge_key) | Shape::KeyedRetain(_, merge_key), Value::Array(items)) => {
                keyed(&inner, last.key(key), items, slot, merge_key);
            }
            (Shape::Set, Value::Array(items)) => set(last.items(key), items, slot),
            _ => three_way(&inner, last.key(key), value, slot),
        }
    }
}

fn keyed(shape: &Shape, last: &Value, now: &[Value], slot: &mut Value, key: &str) {
    let before = last.as_array().map_or(&[][..], Vec::as_slice);
    let mut list = match slot.take() {
        Value::Array(items) => items,
        _ => Vec::new(),
    };
    let gone = |item: &Value| find(before, key, item).is_some() && find(now, key, item).is_none();
    list.retain(|item| !gone(item));
    for item in now {
        let old = find(before, key, item).and_then(|at| before.get(at)).unwrap_or(&Value::Null);
        match find(&list, key, item).and_then(|at| list.get_mut(at)) {
            Some(live) => three_way(shape, old, item, live),
            None => {
                let mut new = Value::Null;
                three_way(shape, &Value::Null, item, &mut new);
                list.push(new);
            }
        }
    }
    let order: Vec<&Value> = now.iter().map(|item| item.key(key)).collect();
    reorder(&mut list, key, &order);
    *slot = Value::Array(list);
}

fn set(last: &[Value], now: &[Value], slot: &mut Value) {
    let mut list = match slot.take() {
        Value::Array(items) => items,
        _ => Vec::new(),
    };
    list.retain(|item| !last.contains(item) || now.contains(item));
    let new: Vec<Value> = now.iter().filter(|item| !list.contains(item)).cloned().collect();
    list.extend(new);
    *slot = Value::Array(list);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        api::merge::{json_patch, merge_patch, strategic},
        kinds::KindId,
        schema::shape_of,
    };
    use serde_json::json;

    #[test]
    fn fields_no_longer_applied_are_removed() {
        let shape = shape_of(KindId::DEPLOYMENT);
        let spec = |containers: Value| json!({"spec": {"template": {"spec": {"containers": containers}}}});
        for (last, now, live, expected) in [
            (
                json!({"metadata": {"labels": {"a": "1", "b": "2"}}}),
                json!({"metadata": {"labels": {"a": "3"}}}),
                json!({"metadata": {"labels": {"a": "1", "b": "2", "c": "4"}}}),
                json!({"metadata": {"labels": {"a": "3", "c": "4"}}}),
            ),
            (
                spec(json!([{"name": "x"}, {"name": "y"}])),
                spec(json!([{"name": "y", "image": "i"}])),
                spec(json!([{"name": "x", "image": "d"}, {"name": "y", "pull": "p"}, {"name": "side"}])),
                spec(json!([{"name": "y", "pull": "p", "image": "i"}, {"name": "side"}])),
            ),
            (
                Value::Null,
                json!({"spec": {"strategy": {"type": "Recreate"}}}),
                json!({"spec": {"strategy": {"type": "RollingUpdate", "rollingUpdate": {"maxSurge": 1}}, "replicas": 3}}),
                json!({"spec": {"strategy": {"type": "Recreate"}, "replicas": 3}}),
            ),
            (
                spec(json!([{"name": "x", "args": ["1", "2"]}])),
                spec(json!([{"name": "x", "args": ["3"]}])),
                spec(json!([{"name": "x", "args": ["1", "2"]}])),
                spec(json!([{"name": "x", "args": ["3"]}])),
            ),
            (
                Value::Null,
                spec(json!([{"name": "b"}, {"name": "a"}])),
                spec(json!([{"name": "a"}, {"name": "s"}, {"name": "b"}])),
                spec(json!([{"name": "b"}, {"name": "s"}, {"name": "a"}])),
            ),
            (
                Value::Null,
                json!({"metadata": {"creationTimestamp": null}}),
                json!({"metadata": {"creationTimestamp": "t", "uid": "u"}}),
                json!({"metadata": {"uid": "u"}}),
            ),
            (
                json!({"metadata": {"finalizers": ["a", "b"]}}),
                json!({"metadata": {"finalizers": ["b", "c"]}}),
                json!({"metadata": {"finalizers": ["a", "b", "own"]}}),
                json!({"metadata": {"finalizers": ["b", "own", "c"]}}),
            ),
        ] {
            let mut result = live.clone();
            three_way(&shape, &last, &now, &mut result);
            assert_eq!(result, expected, "{last} {now} {live}");
        }
    }

    #[test]
    fn strategic_patches() {
        let shape = shape_of(KindId::POD);
        let live = json!({"spec": {"containers": [{"name": "a", "image": "1", "args": ["x"]}, {"name": "b"}], "volumes": [{"name": "v", "emptyDir": {}}]}});
        for (patch, expected) in [
            (
                json!({"spec": {"containers": [{"name": "a", "image": "2"}]}}),
                json!({"spec": {"containers": [{"name": "a", "image": "2", "args": ["x"]}, {"name": "b"}], "volumes": [{"name": "v", "emptyDir": {}}]}}),
            ),
            (
                json!({"spec": {"containers": [{"name": "a", "$patch": "delete"}, {"name": "c"}], "volumes": null}}),
                json!({"spec": {"containers": [{"name": "b"}, {"name": "c"}]}}),
            ),
            (
                json!({"spec": {"$setElementOrder/containers": [{"name": "b"}, {"name": "a"}], "volumes": [{"name": "v", "$retainKeys": ["name", "secret"], "secret": {}}]}}),
                json!({"spec": {"containers": [{"name": "b"}, {"name": "a", "image": "1", "args": ["x"]}], "volumes": [{"name": "v", "secret": {}}]}}),
            ),
            (
                json!({"spec": {"containers": [{"$patch": "replace"}, {"name": "z"}], "$patch": "replace"}}),
                json!({"spec": {"containers": [{"$patch": "replace"}, {"name": "z"}]}}),
            ),
        ] {
            let mut result = live.clone();
            strategic(&shape, &mut result, &patch).expect("a patch");
            assert_eq!(result, expected, "{patch}");
        }
        assert!(strategic(&shape, &mut json!({}), &json!({"$patch": "other"})).is_err());
    }

    #[test]
    fn plain_patches() {
        let mut value = json!({"a": {"b": [1, 2]}, "c": 1});
        merge_patch(&mut value, &json!({"a": {"b": [3], "d": {"e": null, "f": 1}}, "c": null}));
        assert_eq!(value, json!({"a": {"b": [3], "d": {"f": 1}}}));
        for (patch, expected) in [
            (json!([{"op": "add", "path": "/a/b/-", "value": 4}]), Ok(json!({"a": {"b": [3, 4]}}))),
            (
                json!([{"op": "test", "path": "/a/b/0", "value": 3}, {"op": "remove", "path": "/a/b/0"}]),
                Ok(json!({"a": {"b": []}})),
            ),
            (json!([{"op": "move", "from": "/a/b", "path": "/x~1y"}]), Ok(json!({"a": {}, "x/y": [3]}))),
            (
                json!([{"op": "copy", "from": "/a", "path": "/c"}]),
                Ok(json!({"a": {"b": [3]}, "c": {"b": [3]}})),
            ),
            (
                json!([{"op": "replace", "path": "/no", "value": 1}]),
                Err("replace operation does not apply: doc is missing path: /no"),
            ),
            (json!([{"op": "test", "path": "/a", "value": 3}]), Err("testing path /a failed")),
            (
                json!([{"op": "add", "path": "/a/b/9", "value": 3}]),
                Err("add operation does not apply: index out of bounds: /a/b/9"),
            ),
            (json!([{"op": "shake", "path": "/a"}]), Err("unexpected kind: shake")),
            (json!({}), Err("json: cannot unmarshal object into Go value of type jsonpatch.Patch")),
        ] {
            let mut value = json!({"a": {"b": [3]}});
            let done = json_patch(&mut value, &patch).map(|()| value);
            assert_eq!(done, expected.map_err(str::to_owned), "{patch}");
        }
    }
}
