//! Watches: changes as they come.

use super::{Request, fields::Fields, list::Wanted, path::Target, slices, table};
use crate::{
    error::{ApiError, Reason},
    kinds::KindId,
    kube::Kube,
    object::Object,
    request::{Change, ChangeKind},
    selector::Selector,
    tree::Tree,
};
use planarium_kernel::SimTime;
use planarium_protocol::json::Value;
use std::sync::Arc;

/// A client that waits for changes of a collection. It contains only the client's request and the last version seen by the
/// client, so it can be stored and resumed.
#[derive(Clone, Debug)]
pub struct Watch {
    group: String,
    version: String,
    plural: String,
    namespace: Option<String>,
    labels: String,
    fields: String,
    /// The last version seen by the client; `None` if the client must first get the existing objects.
    since: Option<u64>,
    table: Option<table::Wish>,
    /// True if the client takes bookmarks.
    bookmarks: bool,
    kind: KindId,
}

impl Watch {
    /// *Errors*: 400 for selectors that are none, 410 for a version that has not been reached.
    pub(super) fn begin(kube: &Kube, request: &Request<'_>, target: &Target) -> Result<Self, ApiError> {
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
        if since.is_some_and(|since| since > kube.resource_version()) {
            // Time was turned back since the client has listed.
            let text = format!("too large resource version, current: {}", kube.resource_version());
            return Err(ApiError::new(Reason::Expired, text));
        }
        Ok(Self {
            group: group.to_owned(),
            version: version.to_owned(),
            plural: target.info.plural.to_string(),
            namespace: target.namespace.clone(),
            labels: request.param("labelSelector").unwrap_or_default(),
            fields,
            since,
            table: table::Wish::of(request),
            bookmarks: request.flag("allowWatchBookmarks"),
            kind: target.kind,
        })
    }

    /// As plain data.
    pub fn to_value(&self) -> Value {
        planarium_protocol::json!({
            "group": self.group, "version": self.version, "plural": self.plural, "namespace": self.namespace,
            "labels": self.labels, "fields": self.fields, "since": self.since,
            "table": self.table.as_ref().map(table::Wish::to_value), "bookmarks": self.bookmarks, "kind": self.kind.0,
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
            bookmarks: value.flag("bookmarks"),
            kind: KindId(value.count("kind").and_then(|kind| u16::try_from(kind).ok()).unwrap_or_default()),
        }
    }

    /// Returns what has come since it was asked last: events to send, one a line; an event of type `ERROR` is the last one.
    pub fn poll(&mut self, kube: &Kube, now: SimTime) -> Vec<Value> {
        // Changes of the objects are sent even if the kind is no longer served.
        let Some(info) = kube.kind_info(self.kind).cloned() else { return Vec::new() };
        let target = Target {
            kind: self.kind,
            info,
            api_version: self.api_version(),
            namespace: self.namespace.clone(),
            name: None,
            sub: String::new(),
        };
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
                    let made;
                    let change = match slice_change(kube, &target, change) {
                        Some(change) => {
                            made = change;
                            &made
                        }
                        None => change,
                    };
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

    fn api_version(&self) -> String {
        if self.group.is_empty() { self.version.clone() } else { format!("{}/{}", self.group, self.version) }
    }

    /// Returns whether the watch has ended: the kind, or this version of it, is no longer served.
    pub fn is_over(&self, kube: &Kube) -> bool {
        super::path::target(kube, &self.group, &self.version, &[&self.plural]).is_err()
    }

    /// Returns the last event of an expired watch: the version up to which the client has all events; `None` for clients that do not
    /// request it.
    pub fn bookmark(&self, kube: &Kube) -> Option<Value> {
        let (info, since) = (kube.kind_info(self.kind)?, self.since?);
        let object = planarium_protocol::json!({
            "kind": info.kind, "apiVersion": self.api_version(),
            "metadata": { "resourceVersion": since.to_string(), "creationTimestamp": null },
        });
        self.bookmarks.then(|| planarium_protocol::json!({ "type": "BOOKMARK", "object": object }))
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

/// A change of Endpoints as one of the slice that is read off them.
fn slice_change(kube: &Kube, target: &Target, change: &Change) -> Option<Change> {
    if target.kind != KindId::ENDPOINT_SLICE || change.object.kind != KindId::ENDPOINTS {
        return None;
    }
    let object = slices::slice_of(kube, &change.object)?;
    let before = change.before.as_ref().and_then(|before| slices::slice_of(kube, before));
    Some(Change { object, before, ..change.clone() })
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
