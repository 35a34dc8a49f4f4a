//! Changes of single fields that are worth trying, written into the files.
//!
//! *Knows*: fields of workloads that decide how a rollout goes, and useful other values. *Must not know*: what they bring about,
//! which two worlds show.

use planarium_protocol::Text;
use planarium_protocol::changes::Recipe;
use planarium_protocol::input::LoadService;
use planarium_protocol::json::bare;
use planarium_source::SourceFile;
use planarium_source::yaml::{apply_changes, changes};
use serde_json::{Map, Value};

use super::{Item, Loaded};
use crate::daemon::keys;

/// Workloads with recipes at most.
const WORKLOADS: usize = 6;

/// A field: kinds that have it, its path as a JSON pointer, its other value, and what it does.
struct Field {
    kinds: &'static [&'static str],
    pointer: &'static str,
    other: fn(&Item, Option<&Value>) -> Option<Value>,
    about: &'static str,
}

const ROLLING: &[&str] = &["Deployment", "StatefulSet", "DaemonSet"];

/// *Order*: of the list.
const FIELDS: &[Field] = &[
    Field {
        kinds: ROLLING,
        pointer: "/spec/template/spec/containers/0/image",
        other: |_, old| old.and_then(Value::as_str).map(next_image),
        about: "A new image is a new template: every pod is replaced.",
    },
    Field {
        kinds: &["Deployment", "StatefulSet"],
        pointer: "/spec/replicas",
        other: |_, old| Some(Value::from(old.and_then(Value::as_u64).unwrap_or(1).saturating_add(2))),
        about: "The number of pods; the template stays, so no pod is replaced.",
    },
    Field {
        kinds: &["Deployment"],
        pointer: "/spec/strategy/rollingUpdate/maxSurge",
        other: |_, old| Some(flip(old, "100%", "25%")),
        about: "Pods above replicas during a rollout: more of them make it faster and take room.",
    },
    Field {
        kinds: &["Deployment"],
        pointer: "/spec/strategy/rollingUpdate/maxUnavailable",
        other: |_, old| Some(flip(old, "50%", "25%")),
        about: "Pods below replicas during a rollout: old pods go before new ones are available.",
    },
    Field {
        kinds: &["DaemonSet"],
        pointer: "/spec/updateStrategy/rollingUpdate/maxUnavailable",
        other: |_, old| Some(flip(old, "100%", "1")),
        about: "Nodes without an available pod during a rollout.",
    },
    Field {
        kinds: &["StatefulSet"],
        pointer: "/spec/podManagementPolicy",
        other: |_, old| Some(flip(old, "Parallel", "OrderedReady")),
        about: "Pods start one after the other, or all at once; an update goes by ordinals in both.",
    },
    Field {
        kinds: &["StatefulSet"],
        pointer: "/spec/updateStrategy/rollingUpdate/partition",
        other: |item, old| {
            let replicas = item.full.pointer("/spec/replicas").and_then(Value::as_u64).unwrap_or(1);
            let zero = old.and_then(Value::as_u64).unwrap_or(0) == 0;
            Some(Value::from(if zero { replicas.saturating_sub(1) } else { 0 }))
        },
        about: "Only ordinals from here on are updated: a canary.",
    },
    Field {
        kinds: ROLLING,
        pointer: "/spec/minReadySeconds",
        other: |_, old| Some(Value::from(if old.and_then(Value::as_u64).unwrap_or(0) == 0 { 10 } else { 0 })),
        about: "A ready pod counts as available only after these seconds; the rollout waits for that.",
    },
    Field {
        kinds: ROLLING,
        pointer: "/spec/template/spec/containers/0/readinessProbe/initialDelaySeconds",
        other: |item, old| {
            item.full.pointer("/spec/template/spec/containers/0/readinessProbe")?;
            Some(Value::from(old.and_then(Value::as_u64).unwrap_or(0).saturating_add(15)))
        },
        about: "The first readiness probe comes later, so each pod takes longer to be available.",
    },
    Field {
        kinds: ROLLING,
        pointer: "/spec/template/spec/containers/0/resources/requests/cpu",
        other: |_, old| {
            Some(if old.map(bare).as_deref() == Some("6") { Value::from("250m") } else { Value::from("6") })
        },
        about: "The scheduler needs this much free on a node; a pod above that stays Pending.",
    },
    Field {
        kinds: ROLLING,
        pointer: "/spec/template/spec/terminationGracePeriodSeconds",
        other: |_, old| Some(Value::from(if old.and_then(Value::as_u64) == Some(5) { 60 } else { 5 })),
        about: "Time that a pod has to stop by itself; it matters for containers that do not stop at once.",
    },
    Field {
        kinds: &["Deployment"],
        pointer: "/spec/progressDeadlineSeconds",
        other: |_, old| Some(Value::from(if old.and_then(Value::as_u64) == Some(20) { 600 } else { 20 })),
        about: "A rollout without progress is reported after these seconds; nothing is rolled back.",
    },
    Field {
        kinds: &["Job"],
        pointer: "/spec/parallelism",
        other: |_, old| Some(Value::from(old.and_then(Value::as_u64).unwrap_or(1).saturating_mul(2).max(2))),
        about: "Pods that work at once.",
    },
    Field {
        kinds: &["Job"],
        pointer: "/spec/backoffLimit",
        other: |_, old| Some(Value::from(if old.and_then(Value::as_u64) == Some(0) { 6 } else { 0 })),
        about: "Failed pods before the Job is given up.",
    },
];

/// One of two values: the first, unless it is there already.
fn flip(old: Option<&Value>, first: &str, second: &str) -> Value {
    let text = if old.map(bare).as_deref() == Some(first) { second } else { first };
    text.parse::<u64>().map_or_else(|_| Value::from(text), Value::from)
}

/// The image with the next tag: `web:1` becomes `web:2`.
fn next_image(image: &str) -> Value {
    let name = image.rsplit('/').next().unwrap_or(image);
    let tag = name.split_once(':').map_or("", |(_, tag)| tag);
    let stem = image.strip_suffix(tag).unwrap_or(image);
    let start = tag.rfind(|letter: char| !letter.is_ascii_digit()).map_or(0, |at| at.saturating_add(1));
    let next = match tag.split_at_checked(start) {
        Some((before, digits)) => {
            digits.parse::<u64>().ok().map(|number| format!("{before}{}", number.saturating_add(1)))
        }
        None => None,
    };
    match next {
        Some(next) => Value::from(format!("{stem}{next}")),
        None if tag.is_empty() => Value::from(format!("{image}:2")),
        None => Value::from(format!("{image}-2")),
    }
}

/// Puts a value at a pointer, through objects that are made where they are missing. `None` where a list is too short.
fn put(whole: &mut Value, pointer: &str, value: Value) -> Option<()> {
    let mut here = whole;
    for key in pointer.split('/').skip(1) {
        here = match here {
            Value::Array(items) => items.get_mut(key.parse::<usize>().ok()?)?,
            Value::Object(fields) => fields.entry(key).or_insert_with(|| Value::Object(Map::new())),
            _ => return None,
        };
    }
    *here = value;
    Some(())
}

impl Loaded {
    /// Changes of single fields of its workloads that leave a valid definition. *Order*: workloads, then fields.
    pub(crate) fn recipes(&self, load: &LoadService) -> Vec<Recipe> {
        let items = self.items().iter().zip(keys(self));
        let with_fields =
            items.filter(|(item, _)| FIELDS.iter().any(|field| field.kinds.contains(&&*item.kind)));
        let mut all = Vec::new();
        for (item, plan) in with_fields.take(WORKLOADS) {
            let fields = FIELDS.iter().filter(|field| field.kinds.contains(&&*item.kind));
            all.extend(fields.filter_map(|field| self.recipe(load, item, &plan, field)));
        }
        all
    }

    fn recipe(&self, load: &LoadService, item: &Item, plan: &Text, field: &Field) -> Option<Recipe> {
        let old = item.full.pointer(field.pointer);
        let new = (field.other)(item, old)?;
        let mut full = Value::clone(&item.full);
        put(&mut full, field.pointer, new.clone())?;
        let file = self.sources().get(item.node.span.file)?;
        let (name, text) = (SourceFile::name(file), SourceFile::text(file));
        let edits = changes(&item.node, text, &item.full, &full, &|path| path.first() == Some(&"spec"));
        let mut files = load.files.clone();
        let place = files.get_mut(name)?;
        *place = apply_changes(text, edits);
        let changed = Self::read(&LoadService { files: files.clone(), ..load.clone() });
        // What cannot be written in its place (an alias, a merged key) is left out.
        let now = changed.items().iter().find(|one| one.is_same(item))?;
        let is_there = now.full.pointer(field.pointer).map(bare) == Some(bare(&new));
        (changed.is_usable() && is_there).then(|| Recipe {
            plan: plan.clone(),
            object: item.path().into(),
            field: field.pointer.rsplit('/').next().unwrap_or_default().into(),
            old: old.map_or_else(|| "not set".to_owned(), bare).into(),
            new: bare(&new).into(),
            about: field.about.into(),
            files,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_next_tag_counts_on() {
        for (image, next) in [
            ("web:1", "web:2"),
            ("shop/web:v9", "shop/web:v10"),
            ("web", "web:2"),
            ("host:5000/web", "host:5000/web:2"),
            ("web:latest", "web:latest-2"),
        ] {
            assert_eq!(next_image(image), Value::from(next), "{image}");
        }
    }
}
