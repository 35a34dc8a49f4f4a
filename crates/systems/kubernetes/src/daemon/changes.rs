//! An update before it is carried out: three-way apply on a copy of the cluster, and its effect on pods.
//!
//! *Knows*: which changes of a workload replace its pods. *Must not know*: how the API merges and refuses.
//!
//! **Source**: `kubernetes/kubernetes: staging/src/k8s.io/kubectl/pkg/cmd/diff/diff.go`: `kubectl diff` asks the server for a dry run
//! and compares. Match, field by field in place of lines.

use std::fmt::Write as _;

use planarium_kernel::SimTime;
use planarium_kube::{Kube, Object, ObjectRef, Outcome as Applied};
use planarium_protocol::changes::{Changes, FieldChange, ObjectChange, Outcome};
use planarium_protocol::{Text, json};
use serde_json::{Map, Value};

use super::{Daemon, Service, keys};
use crate::LAST_APPLIED;
use crate::definition::{Item, Loaded};
use crate::plans::{Member, ordinal, template_of};

/// Maximum of fields shown of an object.
const FIELDS: usize = 60;

impl Daemon {
    /// Returns what applying a definition now would change.
    pub(super) fn changes_of(&self, kube: &Kube, now: SimTime, definition: &Loaded) -> Changes {
        let service = self.find(definition.name()).map(|(_, service)| &**service);
        let items = definition.items();
        let values: Vec<_> = items.iter().map(|item| &item.value).collect();
        let tried = kube.try_apply(now, &values, LAST_APPLIED);
        let mut objects: Vec<ObjectChange> = Vec::new();
        for ((item, tried), key) in items.iter().zip(tried).zip(keys(definition)) {
            let member = service.and_then(|service| service.members.get(service.keys.get(&key)?));
            let mut change = ObjectChange {
                object: item.path().into(),
                namespace: item.namespace.clone(),
                ..ObjectChange::default()
            };
            match tried {
                Err(error) => {
                    change.outcome = Outcome::Refused;
                    change.effect = error.message.into();
                }
                Ok((before, applied)) => {
                    change.outcome = match applied.outcome {
                        Applied::Created => Outcome::Created,
                        Applied::Configured => Outcome::Configured,
                        Applied::Unchanged => Outcome::Unchanged,
                    };
                    let after = fields_of(&applied.object.to_value());
                    match before {
                        None => change.effect = made(item, &after),
                        Some(before) if change.outcome == Outcome::Configured => {
                            let before = fields_of(&before.to_value());
                            (change.fields, change.more) = differences(&before, &after);
                            let effect = Effect {
                                item,
                                member: member.map(|member| &**member),
                                before: &before,
                                after: &after,
                            };
                            (change.replaced, change.effect) = effect.on_pods();
                        }
                        Some(_) => {}
                    }
                }
            }
            objects.push(change);
        }
        objects.extend(service.into_iter().flat_map(|service| left(service, items, kube)));
        Changes { service: definition.name().clone(), objects }
    }
}

/// Objects of earlier files that are missing in these and still there.
fn left<'s>(
    service: &'s Service,
    items: &'s [Item],
    kube: &'s Kube,
) -> impl Iterator<Item = ObjectChange> + 's {
    let is_left = move |member: &&std::sync::Arc<Member>| {
        let there =
            member.kind.and_then(|kind| kube.get(ObjectRef::new(kind, &member.namespace, &member.name)));
        there.is_some() && !items.iter().any(|item| member.is(item))
    };
    service.members.values().filter(is_left).map(|member| ObjectChange {
        object: member.path().into(),
        namespace: member.namespace.clone(),
        outcome: Outcome::Left,
        effect: format!("apply does not prune: 'kubectl delete {}' deletes it", member.path()).into(),
        ..ObjectChange::default()
    })
}

/// The fields of an object that an apply may set: labels, annotations, and all but status and the rest of the metadata.
fn fields_of(value: &Value) -> Value {
    let mut out = Map::new();
    let metadata = value.get("metadata");
    let mut own = Map::new();
    for key in ["labels", "annotations"] {
        if let Some(Value::Object(pairs)) = metadata.and_then(|metadata| metadata.get(key)) {
            let kept = pairs.iter().filter(|(key, _)| *key != LAST_APPLIED);
            own.insert(
                key.to_owned(),
                Value::Object(kept.map(|(key, value)| (key.clone(), value.clone())).collect()),
            );
        }
    }
    out.insert("metadata".to_owned(), Value::Object(own));
    let rest = value.as_object().into_iter().flatten();
    let rest = rest.filter(|(key, _)| !matches!(key.as_str(), "apiVersion" | "kind" | "metadata" | "status"));
    out.extend(rest.map(|(key, value)| (key.clone(), value.clone())));
    Value::Object(out)
}

/// Fields that differ, at most 60, and the number of the others.
fn differences(before: &Value, after: &Value) -> (Vec<FieldChange>, u32) {
    let mut all = Vec::new();
    compare(&mut String::new(), Some(before), Some(after), &mut all);
    let more = all.len().saturating_sub(FIELDS);
    all.truncate(FIELDS);
    (all, u32::try_from(more).unwrap_or(u32::MAX))
}

fn compare(path: &mut String, old: Option<&Value>, new: Option<&Value>, out: &mut Vec<FieldChange>) {
    let length = path.len();
    match (old, new) {
        (old, new) if old == new => {}
        (Some(Value::Object(old)), Some(Value::Object(new))) => {
            let keys = old.keys().chain(new.keys().filter(|key| !old.contains_key(*key)));
            for key in keys {
                add_key(path, key);
                compare(path, old.get(key), new.get(key), out);
                path.truncate(length);
            }
        }
        (Some(Value::Array(old)), Some(Value::Array(new))) if named(old) && named(new) => {
            let name = |item: &Value| item.get("name").and_then(Value::as_str).unwrap_or_default().to_owned();
            let find = |all: &[Value], wanted: &str| all.iter().find(|item| name(item) == wanted).cloned();
            let mut names: Vec<String> = old.iter().map(name).collect();
            names.extend(new.iter().map(name).filter(|one| !old.iter().any(|item| name(item) == *one)));
            for one in names {
                let _ = write!(path, "[{one}]");
                compare(path, find(old, &one).as_ref(), find(new, &one).as_ref(), out);
                path.truncate(length);
            }
        }
        (Some(Value::Array(old)), Some(Value::Array(new))) if old.len() == new.len() => {
            for (at, (old, new)) in old.iter().zip(new).enumerate() {
                let _ = write!(path, "[{at}]");
                compare(path, Some(old), Some(new), out);
                path.truncate(length);
            }
        }
        (old, new) => {
            out.push(FieldChange { path: path.as_str().into(), old: old.map(shown), new: new.map(shown) });
        }
    }
}

/// Adds a key to a path; keys with dots stand in brackets.
fn add_key(path: &mut String, key: &str) {
    if key.contains(['.', '/']) {
        let _ = write!(path, "[{key}]");
    } else {
        if !path.is_empty() {
            path.push('.');
        }
        path.push_str(key);
    }
}

/// Returns whether every item of a list has its own name.
fn named(items: &[Value]) -> bool {
    items.iter().all(|item| item.get("name").is_some_and(Value::is_string))
}

fn shown(value: &Value) -> Text {
    json::bare(value).into()
}

/// Effect of a change on the pods of a workload.
struct Effect<'e> {
    item: &'e Item,
    member: Option<&'e Member>,
    before: &'e Value,
    after: &'e Value,
}

fn count(value: &Value, pointer: &str) -> Option<u32> {
    value.pointer(pointer).and_then(Value::as_u64).and_then(|count| u32::try_from(count).ok())
}

fn word<'v>(value: &'v Value, pointer: &str) -> &'v str {
    value.pointer(pointer).and_then(Value::as_str).unwrap_or_default()
}

/// `1 pod`, `3 pods`.
fn pods(count: u32) -> String {
    if count == 1 { "1 pod".to_owned() } else { format!("{count} pods") }
}

/// The sentence of an object that is made.
fn made(item: &Item, after: &Value) -> Text {
    match &*item.kind {
        "Deployment" | "StatefulSet" | "ReplicaSet" => {
            format!("starts {}", pods(count(after, "/spec/replicas").unwrap_or(1))).into()
        }
        "DaemonSet" => "starts a pod on each matching node".into(),
        _ => Text::default(),
    }
}

impl Effect<'_> {
    /// The number of pods that are replaced, and the effect in a sentence.
    fn on_pods(&self) -> (u32, Text) {
        let (replaced, rollout) = self.rollout();
        let mut said: Vec<String> = self.scaling().into_iter().collect();
        said.extend(rollout);
        if said.is_empty() {
            said.push("restarts nothing".to_owned());
        }
        (replaced, said.join("; ").into())
    }

    fn scaling(&self) -> Option<String> {
        let of = |value: &Value| count(value, "/spec/replicas");
        let (old, new) = (of(self.before)?, of(self.after)?);
        match new.cmp(&old) {
            std::cmp::Ordering::Equal => None,
            std::cmp::Ordering::Greater => Some(match new - old {
                1 => "starts 1 more pod".to_owned(),
                more => format!("starts {more} more pods"),
            }),
            std::cmp::Ordering::Less => Some(format!("deletes {}", pods(old - new))),
        }
    }

    /// Pods that run now and would stay after a smaller number was asked for.
    fn present(&self) -> Vec<&Object> {
        let mut all: Vec<&Object> =
            self.member.into_iter().flat_map(Member::pods).map(|part| &*part.object).collect();
        all.retain(|pod| !pod.is_being_deleted());
        if let Some(wanted) = count(self.after, "/spec/replicas") {
            all.truncate(usize::try_from(wanted).unwrap_or(usize::MAX));
        }
        all
    }

    fn rollout(&self) -> (u32, Option<String>) {
        let of = |value| template_of(&self.item.kind, value).map(|(template, _)| template);
        if of(self.before) == of(self.after) {
            return (0, None);
        }
        let present = self.present();
        let number = |all: usize| u32::try_from(all).unwrap_or(u32::MAX);
        let all = number(present.len());
        match &*self.item.kind {
            "Deployment" if self.after.pointer("/spec/paused") == Some(&Value::Bool(true)) => {
                (0, Some("restarts nothing while the rollout is paused".to_owned()))
            }
            "Deployment" if word(self.after, "/spec/strategy/type") == "Recreate" => {
                (all, Some(format!("replaces {}: all are deleted first (Recreate)", pods(all))))
            }
            "Deployment" => {
                let share = |key: &str| {
                    let value = self.after.pointer(&format!("/spec/strategy/rollingUpdate/{key}"));
                    value.map(|value| shown(value).to_string()).unwrap_or_default()
                };
                let (surge, missing) = (share("maxSurge"), share("maxUnavailable"));
                let text = format!("replaces {}, with at most {surge} more (maxSurge) and {missing} fewer (maxUnavailable) at a time", pods(all));
                (all, Some(text))
            }
            "StatefulSet" | "DaemonSet" if word(self.after, "/spec/updateStrategy/type") == "OnDelete" => {
                (0, Some("restarts nothing by itself (OnDelete): a pod that is deleted comes back with the new template".to_owned()))
            }
            "StatefulSet" => {
                let from = count(self.after, "/spec/updateStrategy/rollingUpdate/partition").unwrap_or(0);
                let above = present.iter().filter(|pod| ordinal(&pod.name).is_some_and(|own| own >= from));
                let some = number(above.count());
                let kept = if from > 0 { format!("; those below partition {from} stay") } else { String::new() };
                (some, Some(format!("replaces {}, the highest ordinal first{kept}", pods(some))))
            }
            "DaemonSet" => {
                let missing = self.after.pointer("/spec/updateStrategy/rollingUpdate/maxUnavailable");
                let missing = missing.map(|value| shown(value).to_string()).unwrap_or_default();
                (all, Some(format!("replaces {}, {missing} at a time (maxUnavailable)", pods(all))))
            }
            "CronJob" => (0, Some("restarts nothing: the next run takes it".to_owned())),
            "ReplicaSet" => (0, Some("restarts nothing: only new pods take it".to_owned())),
            "Pod" => (0, Some("restarts the containers whose image changes".to_owned())),
            _ => (0, None),
        }
    }
}
