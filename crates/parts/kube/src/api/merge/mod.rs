//! Patches: what one object becomes by another.
//!
//! *Knows*: plain data and how lists of built-in kinds merge. *Must not know*: which object it is, and whether the result
//! makes sense.

mod json_patch;
mod strategic;
mod three_way;

pub(crate) use json_patch::json_patch;
pub(crate) use strategic::strategic;
pub(crate) use three_way::three_way;

use crate::tree::{Tree, as_object};
use serde_json::Value;

/// Levels that a patch may go down.
const LEVELS: usize = 100;

/// `application/merge-patch+json`: keys are set, `null` removes, everything else is replaced.
///
/// **Source**: RFC 7386, match.
pub(crate) fn merge_patch(target: &mut Value, patch: &Value) {
    merge_levels(target, patch, LEVELS);
}

fn merge_levels(target: &mut Value, patch: &Value, levels: usize) {
    let (Value::Object(patch), Some(levels)) = (patch, levels.checked_sub(1)) else {
        *target = patch.clone();
        return;
    };
    let Some(fields) = as_object(target) else { return };
    for (key, value) in patch {
        if value.is_null() {
            fields.shift_remove(key);
        } else {
            merge_levels(fields.entry(key.clone()).or_insert(Value::Null), value, levels);
        }
    }
}

/// Finds the item with this key in a list.
fn find(items: &[Value], key: &str, wanted: &Value) -> Option<usize> {
    let wanted = wanted.key(key);
    items.iter().position(|item| item.key(key) == wanted)
}

/// Sorts a list by an order of keys. Unnamed items stay in front of the first named one that followed them.
fn reorder(items: &mut Vec<Value>, key: &str, order: &[&Value]) {
    let place = |item: &Value| order.iter().position(|wanted| *wanted == item.key(key));
    let mut named: Vec<(usize, Value)> = Vec::new();
    let mut others: Vec<(usize, Value)> = Vec::new();
    for (at, item) in std::mem::take(items).into_iter().enumerate() {
        match place(&item) {
            Some(place) => named.push((place, item)),
            None => others.push((at, item)),
        }
    }
    planarium_kernel::sorted::sort_by(&mut named, |(one, _), (other, _)| one.cmp(other));
    let mut others = others.into_iter().peekable();
    for (at, (_, item)) in named.into_iter().enumerate() {
        while let Some((_, other)) = others.next_if(|(place, _)| *place <= at) {
            items.push(other);
        }
        items.push(item);
    }
    items.extend(others.map(|(_, item)| item));
}
