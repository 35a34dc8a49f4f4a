//! Objects as a reader looks at them: a list of all; one with its conditions, its events and its text.
//!
//! *Knows*: what was applied of an object, and what the API server filled in. *Must not know*: who reads it.
//!
//! **Source**: `kubernetes/kubernetes: staging/src/k8s.io/kubectl/pkg/describe/describe.go` (`DescribeEvents`: ages and counts). Match.

use crate::{
    calendar,
    kinds::KindId,
    kube::Kube,
    object::{Object, ObjectRef},
    tree::Tree,
    view::Occurrence,
    wire,
};
use planarium_kernel::{SimTime, sorted};
use planarium_protocol::Text;
use planarium_protocol::json::bare;
use planarium_protocol::objects::{ObjectCondition, ObjectEvent, ObjectLine, ObjectRow, ObjectView, Origin};
use planarium_source::yaml::to_go_yaml;
use serde_json::{Map, Value};

/// Maximum of rows.
const ROWS: usize = 2_000;

/// Maximum of events of an object.
const EVENTS: usize = 40;

/// Maximum of lines of a text.
const LINES: usize = 1_500;

/// Returns whether a client keeps in an annotation what it applied: `kubectl.kubernetes.io/last-applied-configuration`.
fn is_kept(annotation: &str) -> bool {
    annotation.rsplit('/').next().is_some_and(|name| name.starts_with("last-applied"))
}

/// Kinds that come first in the list.
const FIRST: &[KindId] = &[
    KindId::DEPLOYMENT,
    KindId::STATEFUL_SET,
    KindId::DAEMON_SET,
    KindId::JOB,
    KindId::CRON_JOB,
    KindId::REPLICA_SET,
    KindId::POD,
    KindId::SERVICE,
    KindId::CONFIG_MAP,
    KindId::SECRET,
];

/// Conditions whose `True` says that something is wrong.
const BAD: &[&str] = &[
    "ReplicaFailure",
    "Failed",
    "FailureTarget",
    "DisruptionTarget",
    "MemoryPressure",
    "DiskPressure",
    "PIDPressure",
    "NetworkUnavailable",
    "ScalingLimited",
];

/// Conditions that say nothing about health.
const NEUTRAL: &[&str] = &["Suspended", "SuccessCriteriaMet", "Complete"];

impl Kube {
    /// Lists objects, at most 2000, without the API's events. *Order*: kind, workloads first; namespace; name.
    pub fn describe_all(&self, now: SimTime) -> Vec<ObjectRow> {
        let mut kinds: Vec<KindId> =
            self.api().kinds.served().map(|(kind, _)| kind).filter(|kind| *kind != KindId::EVENT).collect();
        sorted::sort_by_key(&mut kinds, |kind| {
            (FIRST.iter().position(|first| first == kind).unwrap_or(FIRST.len()), *kind)
        });
        let all = kinds.into_iter().flat_map(|kind| self.api().store.of_kind(kind, None));
        all.take(ROWS).map(|object| self.row(object, now)).collect()
    }

    /// Describes the object of a row's key, as it is now; a key may name its kind as the object does: `Deployment/default/web`.
    pub fn describe(&self, key: &str, now: SimTime) -> Option<ObjectView> {
        let mut parts = key.splitn(3, '/');
        let (word, namespace, name) = (parts.next()?, parts.next()?, parts.next()?);
        let (singular, group) = word.split_once('.').unwrap_or((word, ""));
        let by_kind =
            || self.api().kinds.served().find(|(_, info)| *info.kind == *word).map(|(kind, _)| kind);
        let kind = self.find_plural(group, singular).or_else(by_kind)?;
        let namespaced = self.kind_info(kind).is_some_and(|info| info.namespaced);
        let namespace = if namespaced { namespace } else { "" };
        let object = self.get(ObjectRef::new(kind, namespace, name))?;
        let value = object.to_value();
        let events = self.occurrences(object.reference());
        let left_out = events.len().saturating_sub(EVENTS);
        let applied = applied(object);
        Some(ObjectView {
            row: self.row(object, now),
            age: calendar::age(now.since(object.created)).into(),
            applied: applied.is_some(),
            conditions: conditions(object, &value, now),
            events: events.iter().skip(left_out).map(|row| event(row, now)).collect(),
            more_events: u32::try_from(left_out).unwrap_or(u32::MAX),
            lines: lines(value, applied.as_ref()),
        })
    }

    fn row(&self, object: &Object, now: SimTime) -> ObjectRow {
        let owner = object.controller().and_then(|owner| self.owner(owner));
        let warns =
            !object.is_over() && conditions(object, &status_of(object), now).iter().any(|one| one.warns);
        ObjectRow {
            key: key(object),
            kind: object.info().kind.clone(),
            namespace: object.namespace.clone(),
            name: object.name.clone(),
            owner: owner.map(|owner| key(owner)).unwrap_or_default(),
            state: wire::state(self, object, now).into(),
            warns,
        }
    }
}

/// The key of an object's row.
fn key(object: &Object) -> Text {
    let info = object.info();
    let dot = if info.group.is_empty() { "" } else { "." };
    format!("{}{dot}{}/{}/{}", info.singular, info.group, object.namespace, object.name).into()
}

/// The object as it was applied last, by whoever applied it last.
fn applied(object: &Object) -> Option<Value> {
    if let Some(applied) = &object.applied {
        return Some(Value::clone(applied));
    }
    let managed = object.managed.as_deref().into_iter().flatten().rev().find(|one| one.applied);
    managed.map(|one| Value::clone(&one.value)).or_else(|| {
        let (_, text) = object.annotations.iter().find(|(key, _)| is_kept(key))?;
        planarium_protocol::json::value(text.as_bytes()).ok()
    })
}

/// An object with its status only.
fn status_of(object: &Object) -> Value {
    planarium_protocol::json!({ "status": (object.status().unwrap_or_default()) })
}

fn conditions(object: &Object, value: &Value, now: SimTime) -> Vec<ObjectCondition> {
    let age =
        |text: &str| object.epoch.parse(text).map(|at| calendar::age(now.since(at))).unwrap_or_default();
    let condition = |one: &Value| {
        let (kind, status) = (one.text("type"), one.text("status"));
        let warns = match () {
            () if NEUTRAL.contains(&kind) => false,
            () if BAD.contains(&kind) => status == "True",
            () => status != "True",
        };
        ObjectCondition {
            kind: kind.into(),
            status: status.into(),
            reason: one.text("reason").into(),
            message: one.text("message").into(),
            since: age(one.text("lastTransitionTime")).into(),
            warns: warns && !object.is_over(),
        }
    };
    value.key("status").items("conditions").iter().map(condition).collect()
}

fn event(row: &Occurrence, now: SimTime) -> ObjectEvent {
    ObjectEvent {
        kind: if row.warning { "Warning" } else { "Normal" }.into(),
        reason: row.reason.clone(),
        age: calendar::age(now.since(row.last)).into(),
        first: calendar::age(now.since(row.first)).into(),
        count: row.count,
        from: row.source.clone(),
        message: row.message.clone(),
    }
}

/// Counterpart of a value in what was applied.
#[derive(Clone, Copy)]
enum Basis<'v> {
    /// Nobody applied the object.
    Nobody,
    /// This was applied in its place.
    Applied(&'v Value),
    /// Nothing was applied in its place.
    Server,
}

impl Basis<'_> {
    fn of_key(self, key: &str) -> Self {
        match self {
            Self::Applied(value) => value.get(key).map_or(Self::Server, Self::Applied),
            other => other,
        }
    }

    /// The item that was applied in the place of one of a list: of the same name, else at the same index.
    fn of_item(self, item: &Value, at: usize) -> Self {
        let Self::Applied(list) = self else { return self };
        let Some(items) = list.as_array() else { return Self::Server };
        for key in ["name", "mountPath", "containerPort", "ip"] {
            let own = item.key(key);
            if !own.is_null() {
                let found = items.iter().find(|one| one.key(key) == own);
                return found.map_or(Self::Server, Self::Applied);
            }
        }
        items.get(at).map_or(Self::Server, Self::Applied)
    }

    fn origin(self, value: &Value) -> Origin {
        match self {
            Self::Server => Origin::Default,
            Self::Applied(was) if !is_container(value) && bare(was) != bare(value) => {
                Origin::Changed(bare(was).into())
            }
            Self::Applied(_) | Self::Nobody => Origin::Applied,
        }
    }
}

fn is_container(value: &Value) -> bool {
    matches!(value, Value::Object(_) | Value::Array(_))
}

/// The text of an object without its status and the notes of clients and managers.
fn lines(mut value: Value, applied: Option<&Value>) -> Vec<ObjectLine> {
    if let Some(fields) = value.as_object_mut() {
        fields.shift_remove("status");
        if let Some(metadata) = fields.get_mut("metadata").and_then(Value::as_object_mut) {
            metadata.shift_remove("managedFields");
            if let Some(annotations) = metadata.get_mut("annotations").and_then(Value::as_object_mut) {
                annotations.retain(|key, _| !is_kept(key));
                if annotations.is_empty() {
                    metadata.shift_remove("annotations");
                }
            }
        }
    }
    let mut out = Vec::new();
    if let Some(fields) = value.as_object() {
        map(&mut out, fields, applied.map_or(Basis::Nobody, Basis::Applied), 0, "");
    }
    if out.len() > LINES {
        let left_out = out.len() - LINES;
        out.truncate(LINES);
        out.push(ObjectLine { text: format!("# {left_out} more lines").into(), origin: Origin::Applied });
    }
    out
}

/// Writes fields; `lead` stands before the first one, in the indentation.
fn map(out: &mut Vec<ObjectLine>, fields: &Map<String, Value>, from: Basis<'_>, indent: usize, lead: &str) {
    for (at, (key, value)) in fields.iter().enumerate() {
        let blank = indent.saturating_sub(lead.len());
        let before = if at == 0 { format!("{}{lead}", " ".repeat(blank)) } else { " ".repeat(indent) };
        let own = from.of_key(key);
        let mut push = |text: String| out.push(ObjectLine { text: text.into(), origin: own.origin(value) });
        let mut one = Map::new();
        match value {
            Value::Object(inner) if !inner.is_empty() => {
                one.insert(key.clone(), Value::Object(Map::new()));
                push(format!("{before}{}", head(one)));
                map(out, inner, own, indent.saturating_add(2), "");
            }
            Value::Array(items) if !items.is_empty() => {
                one.insert(key.clone(), Value::Object(Map::new()));
                push(format!("{before}{}", head(one)));
                list(out, items, own, indent);
            }
            plain => {
                one.insert(key.clone(), plain.clone());
                for (line, text) in to_go_yaml(&Value::Object(one)).lines().enumerate() {
                    let before = if line == 0 { before.clone() } else { " ".repeat(indent) };
                    push(format!("{before}{text}"));
                }
            }
        }
    }
}

/// A key with its colon.
fn head(one: Map<String, Value>) -> String {
    to_go_yaml(&Value::Object(one)).trim_end().trim_end_matches(" {}").to_owned()
}

fn list(out: &mut Vec<ObjectLine>, items: &[Value], from: Basis<'_>, indent: usize) {
    for (at, item) in items.iter().enumerate() {
        let own = from.of_item(item, at);
        match item {
            Value::Object(fields) if !fields.is_empty() => {
                map(out, fields, own, indent.saturating_add(2), "- ");
            }
            item => {
                for (line, text) in to_go_yaml(item).lines().enumerate() {
                    let before = format!("{}{}", " ".repeat(indent), if line == 0 { "- " } else { "  " });
                    out.push(ObjectLine { text: format!("{before}{text}").into(), origin: own.origin(item) });
                }
            }
        }
    }
}
