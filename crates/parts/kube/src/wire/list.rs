//! Lists, in pages where a client wants them.

use super::{Request, fields::Fields, path::Target, slices, table};
use crate::{
    error::{ApiError, Reason},
    kinds::KindId,
    kube::Kube,
    object::{Object, ObjectNo},
    records::reports::occurrence_value,
    selector::Selector,
    tree::Tree,
};
use planarium_kernel::base64::Base64;
use planarium_kernel::{SimTime, SortedMap};
use planarium_protocol::json::{self, Map, Value};
use std::sync::Arc;

/// Objects of one answer.
const MOST: usize = 40_000;

/// Bytes of the items of one answer. A longer answer would be refused as a whole, so no more items are written than that.
const MOST_BYTES: usize = 16 * 1024 * 1024;

/// Which objects of a collection a request means.
pub(super) struct Wanted {
    pub(super) labels: Selector,
    pub(super) fields: Fields,
}

impl Wanted {
    /// *Errors*: 400 for selectors that are none.
    pub(super) fn read(request: &Request<'_>, target: &Target) -> Result<Self, ApiError> {
        let labels = request.param("labelSelector").unwrap_or_default();
        let labels = Selector::parse(&labels).map_err(|text| ApiError::new(Reason::BadRequest, text))?;
        let fields = request.param("fieldSelector").unwrap_or_default();
        Ok(Self { labels, fields: Fields::parse(&fields, target.kind, &target.info)? })
    }

    pub(super) fn matches(&self, object: &Object) -> bool {
        self.labels.matches(&object.labels) && self.fields.matches(object)
    }
}

/// All objects that a request means. *Order*: namespace, name.
pub(super) fn objects(kube: &Kube, target: &Target, wanted: &Wanted) -> Vec<Arc<Object>> {
    if let (Some(name), Some(namespace)) = (wanted.fields.name(), target.namespace.as_deref()) {
        let one = kube.get(crate::object::ObjectRef::new(target.kind, namespace, name));
        return one.filter(|object| wanted.matches(object)).cloned().into_iter().collect();
    }
    let all = kube.api().store.of_kind(target.kind, target.namespace.as_deref());
    let mut found: Vec<Arc<Object>> = all.filter(|object| wanted.matches(object)).cloned().collect();
    if target.kind == KindId::ENDPOINT_SLICE {
        let made = slices::all(kube, target.namespace.as_deref());
        found.extend(made.into_iter().filter(|object| wanted.matches(object)));
        sort(&mut found);
    }
    found
}

fn sort(objects: &mut Vec<Arc<Object>>) {
    planarium_kernel::sorted::sort_by(objects, |one, other| {
        (&one.namespace, &one.name).cmp(&(&other.namespace, &other.name))
    });
}

/// All objects that a request means, as they were at a version. *Errors*: 410 when that is too long ago.
fn objects_at(
    kube: &Kube,
    target: &Target,
    wanted: &Wanted,
    version: u64,
) -> Result<Vec<Arc<Object>>, ApiError> {
    if version == kube.resource_version() || target.kind == KindId::ENDPOINT_SLICE {
        return Ok(objects(kube, target, wanted));
    }
    let here = |object: &Object| {
        object.kind == target.kind && target.namespace.as_deref().is_none_or(|one| *object.namespace == *one)
    };
    // Each change since then is taken back, the latest first.
    let mut then: SortedMap<ObjectNo, Arc<Object>> = kube
        .api()
        .store
        .of_kind(target.kind, target.namespace.as_deref())
        .map(|one| (one.no, one.clone()))
        .collect();
    let changes: Vec<_> = kube.api().store.changes_since(version).map_err(|_| too_old())?.collect();
    for change in changes.into_iter().rev().filter(|change| here(&change.object)) {
        match &change.before {
            Some(before) => _ = then.insert(change.object.no, before.clone()),
            None => _ = then.remove(&change.object.no),
        }
    }
    let mut all: Vec<Arc<Object>> = then.into_values().filter(|object| wanted.matches(object)).collect();
    sort(&mut all);
    Ok(all)
}

fn too_old() -> ApiError {
    let text = "The provided continue parameter is too old to display a consistent list result. You can start a new list without the \
                continue parameter.";
    ApiError::new(Reason::Expired, text)
}

/// Reads the version and the last object of a page before this one. *Errors*: 400.
fn read_token(token: &str) -> Result<(u64, String, String), ApiError> {
    let bad = |text: &str| ApiError::new(Reason::BadRequest, format!("continue key is not valid: {text}"));
    let bytes = Base64::Url.decode(token.as_bytes()).ok_or_else(|| bad("illegal base64 data"))?;
    let value = json::value(&bytes).map_err(|_| bad("it is no JSON"))?;
    if value.text("v") != "meta.k8s.io/v1" {
        return Err(bad(&format!("server does not recognize this encoded version {:?}", value.text("v"))));
    }
    let version = value.key("rv").as_u64().ok_or_else(|| bad("incorrect encoded start resourceVersion"))?;
    let start = value.text("start").trim_end_matches('\0');
    let (namespace, name) = start.split_once('/').ok_or_else(|| bad("encoded start key empty"))?;
    Ok((version, namespace.to_owned(), name.to_owned()))
}

/// The beginning of the next page, as the real server encodes it: the version of the list, and the last object of this page.
fn token(object: &Object, version: u64) -> String {
    let start = format!("{}/{}\0", object.namespace, object.name);
    let value = planarium_protocol::json!({ "v": "meta.k8s.io/v1", "rv": version, "start": start });
    Base64::Url.encode(&json::text(&value))
}

/// A list. *Errors*: 400 for selectors and tokens that are none; 413 for a list that is too long, by items or by bytes.
pub(super) fn list(
    kube: &Kube,
    now: SimTime,
    request: &Request<'_>,
    target: &Target,
) -> Result<Value, ApiError> {
    let wanted = Wanted::read(request, target)?;
    if target.kind == KindId::EVENT {
        return Ok(events(kube, now, request, target, &wanted));
    }
    let mut version = kube.resource_version();
    let mut all = Vec::new();
    match request.param("continue").filter(|token| !token.is_empty()) {
        None => all = objects(kube, target, &wanted),
        Some(after) => {
            let (then, namespace, name) = read_token(&after)?;
            if then > version {
                return Err(too_old());
            }
            version = then;
            all.extend(objects_at(kube, target, &wanted, version)?);
            all.retain(|object| (&*object.namespace, &*object.name) > (namespace.as_str(), name.as_str()));
        }
    }
    let mut metadata = Map::new();
    json::put(&mut metadata, "resourceVersion", version.to_string().into());
    let limit =
        request.param("limit").and_then(|limit| limit.parse::<usize>().ok()).filter(|limit| *limit > 0);
    if let Some(limit) = limit.filter(|limit| *limit < all.len()) {
        let remaining = all.len() - limit;
        all.truncate(limit);
        json::put(
            &mut metadata,
            "continue",
            all.last().map(|last| token(last, version)).unwrap_or_default().into(),
        );
        json::put(&mut metadata, "remainingItemCount", remaining.into());
    }
    if all.len() > MOST {
        return Err(too_long(all.len(), &format!("more than the {MOST} of one answer")));
    }
    if let Some(wish) = table::Wish::of(request) {
        return Ok(table::objects(kube, now, target, &all, Value::Object(metadata), &wish));
    }
    let item = |object: &Arc<Object>| {
        let mut value = object.value_as(&target.api_version);
        // Clients know the kinds of built-in items by the list.
        if !target.info.custom
            && let Some(fields) = value.as_object_mut()
        {
            fields.shift_remove("apiVersion");
            fields.shift_remove("kind");
        }
        value
    };
    let mut bytes = 0;
    let mut items = Vec::with_capacity(all.len());
    for object in &all {
        let value = item(object);
        bytes += value.to_string().len();
        if bytes > MOST_BYTES {
            return Err(too_long(all.len(), "which are longer than the 16 MiB of one answer"));
        }
        items.push(value);
    }
    Ok(envelope(target, Value::Object(metadata), items))
}

fn too_long(items: usize, why: &str) -> ApiError {
    let text = format!("the list has {items} items, {why}: ask for pages with the parameter limit");
    ApiError::new(Reason::RequestEntityTooLarge, text)
}

fn envelope(target: &Target, metadata: Value, items: Vec<Value>) -> Value {
    let mut fields = Map::new();
    json::put(&mut fields, "kind", format!("{}List", target.info.kind).into());
    json::put(&mut fields, "apiVersion", target.api_version.as_str().into());
    json::put(&mut fields, "metadata", metadata);
    json::put(&mut fields, "items", Value::Array(items));
    Value::Object(fields)
}

/// Reports about objects, as Events.
fn events(kube: &Kube, now: SimTime, request: &Request<'_>, target: &Target, wanted: &Wanted) -> Value {
    let mut items: Vec<Value> = Vec::new();
    for (number, row) in kube.cluster.reports.iter() {
        let namespace = if row.about.1.is_empty() { "default" } else { &row.about.1 };
        if target.namespace.as_deref().is_some_and(|wanted| wanted != namespace) {
            continue;
        }
        let value = occurrence_value(kube.api().epoch, number, row);
        if wanted.fields.matches_value(&value) {
            items.push(value);
        }
    }
    let metadata = planarium_protocol::json!({ "resourceVersion": kube.resource_version().to_string() });
    if let Some(wish) = table::Wish::of(request) {
        return table::events(kube, now, &items, metadata, &wish);
    }
    envelope(target, metadata, items)
}

/// One Event by name.
pub(super) fn event(kube: &Kube, name: &str) -> Option<Value> {
    let all =
        kube.cluster.reports.iter().map(|(number, row)| occurrence_value(kube.api().epoch, number, row));
    all.into_iter().find(|value| value.key("metadata").text("name") == name)
}
