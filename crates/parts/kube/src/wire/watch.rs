//! Watches: changes as they come.

use super::{Request, fields::Fields, list::Wanted, path::Target, table};
use crate::{
    error::ApiError,
    kube::Kube,
    object::Object,
    request::{Change, ChangeKind},
    selector::Selector,
    tree::Tree,
};
use planarium_kernel::SimTime;
use planarium_protocol::json::Value;
use std::sync::Arc;

/// A client that waits for changes of a collection. It holds nothing but what the client asked for and the version that the
/// client has seen, so it can be written down and taken up again.
#[derive(Clone, Debug)]
pub struct Watch {
    group: String,
    version: String,
    plural: String,
    namespace: Option<String>,
    labels: String,
    fields: String,
    /// The version that the client has seen; nothing while it has seen none, and is told what is there first.
    since: Option<u64>,
    table: Option<table::Wish>,
}

impl Watch {
    /// *Errors*: 400 for selectors that are none.
    pub(super) fn begin(request: &Request<'_>, target: &Target) -> Result<Self, ApiError> {
        Wanted::read(request, target)?;
        let (group, version) = target.api_version.rsplit_once('/').unwrap_or(("", &target.api_version));
        let mut fields = request.param("fieldSelector").unwrap_or_default();
        if let Some(name) = &target.name {
            fields = format!("metadata.name={name},{fields}");
        }
        let since = request
            .param("resourceVersion")
            .and_then(|version| version.parse().ok())
            .filter(|version| *version > 0);
        Ok(Self {
            group: group.to_owned(),
            version: version.to_owned(),
            plural: target.info.plural.to_string(),
            namespace: target.namespace.clone(),
            labels: request.param("labelSelector").unwrap_or_default(),
            fields,
            since,
            table: table::Wish::of(request),
        })
    }

    /// As plain data.
    pub fn to_value(&self) -> Value {
        planarium_protocol::json!({
            "group": self.group, "version": self.version, "plural": self.plural, "namespace": self.namespace,
            "labels": self.labels, "fields": self.fields, "since": self.since,
            "table": self.table.as_ref().map(table::Wish::to_value),
        })
    }

    /// From [`Watch::to_value`].
    pub fn of_value(value: &Value) -> Self {
        let text = |key: &str| value.text(key).to_owned();
        Self {
            group: text("group"),
            version: text("version"),
            plural: text("plural"),
            namespace: value.key("namespace").as_str().map(str::to_owned),
            labels: text("labels"),
            fields: text("fields"),
            since: value.key("since").as_u64(),
            table: table::Wish::of_value(value.key("table")),
        }
    }

    /// Returns what has come since it was asked last: events to send, one a line; an event of type `ERROR` is the last one.
    pub fn poll(&mut self, kube: &Kube, now: SimTime) -> Vec<Value> {
        let rest = [self.plural.clone()];
        let Ok(target) = super::path::target(kube, &self.group, &self.version, &rest) else {
            return Vec::new();
        };
        let target = Target { namespace: self.namespace.clone(), ..target };
        let wanted = Wanted {
            labels: Selector::parse(&self.labels).unwrap_or_default(),
            fields: Fields::parse(&self.fields, target.kind, &target.info).unwrap_or_default(),
        };
        let mut events = Vec::new();
        let Some(since) = self.since else {
            self.since = Some(kube.resource_version());
            for object in super::list::objects(kube, &target, &wanted) {
                events.push(self.event(kube, now, &target, "ADDED", &object));
            }
            return events;
        };
        match kube.api().store.changes_since(since) {
            Ok(changes) => {
                for change in changes {
                    if let Some(word) = word(change, &target, &wanted) {
                        events.push(self.event(kube, now, &target, word, &change.object));
                    }
                }
                self.since = Some(kube.resource_version());
            }
            Err(error) => {
                events.push(planarium_protocol::json!({ "type": "ERROR", "object": error.status() }));
            }
        }
        events
    }

    fn event(
        &mut self,
        kube: &Kube,
        now: SimTime,
        target: &Target,
        word: &str,
        object: &Arc<Object>,
    ) -> Value {
        let value = match &mut self.table {
            None => object.value_as(&target.api_version),
            Some(wish) => {
                let metadata =
                    planarium_protocol::json!({ "resourceVersion": object.resource_version.to_string() });
                let table = table::objects(kube, now, target, std::slice::from_ref(object), metadata, wish);
                wish.columns = false;
                table
            }
        };
        planarium_protocol::json!({ "type": word, "object": value })
    }
}

/// The kind of a change for those who see only what they asked for.
fn word(change: &Change, target: &Target, wanted: &Wanted) -> Option<&'static str> {
    let object = &change.object;
    let here =
        object.kind == target.kind && target.namespace.as_deref().is_none_or(|one| *object.namespace == *one);
    if !here {
        return None;
    }
    let is = wanted.matches(object);
    let was = change.before.as_ref().is_some_and(|before| wanted.matches(before));
    match (change.kind, was, is) {
        (ChangeKind::Deleted, true, _) | (ChangeKind::Modified, true, false) => Some("DELETED"),
        (ChangeKind::Added | ChangeKind::Modified, false, true) => Some("ADDED"),
        (ChangeKind::Modified, true, true) => Some("MODIFIED"),
        _ => None,
    }
}
