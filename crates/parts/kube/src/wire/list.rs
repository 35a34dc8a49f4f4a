//! Lists, in pages where a client wants them.

use super::{Request, fields::Fields, path::Target, table};
use crate::{
    error::{ApiError, Reason},
    kinds::KindId,
    kube::Kube,
    object::Object,
    records::reports::occurrence_value,
    selector::Selector,
    tree::Tree,
};
use planarium_kernel::SimTime;
use planarium_protocol::json::{self, Map, Value};
use std::sync::Arc;

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
    all.filter(|object| wanted.matches(object)).cloned().collect()
}

/// The beginning of the next page: `NAMESPACE/NAME` of the last object of this one, so that it means nothing to clients.
fn token(object: &Object) -> String {
    format!("{}/{}", object.namespace, object.name)
}

/// A list. *Errors*: 400 for selectors and tokens that are none.
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
    let mut all = objects(kube, target, &wanted);
    if let Some(after) = request.param("continue").filter(|token| !token.is_empty()) {
        let Some((namespace, name)) = after.split_once('/') else {
            return Err(ApiError::new(
                Reason::BadRequest,
                "continue key is not valid: encoded start key empty",
            ));
        };
        all.retain(|object| (&*object.namespace, &*object.name) > (namespace, name));
    }
    let mut metadata = Map::new();
    json::put(&mut metadata, "resourceVersion", kube.resource_version().to_string().into());
    let limit =
        request.param("limit").and_then(|limit| limit.parse::<usize>().ok()).filter(|limit| *limit > 0);
    if let Some(limit) = limit.filter(|limit| *limit < all.len()) {
        let remaining = all.len() - limit;
        all.truncate(limit);
        json::put(&mut metadata, "continue", all.last().map(|last| token(last)).unwrap_or_default().into());
        json::put(&mut metadata, "remainingItemCount", remaining.into());
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
    let items = all.iter().map(item).collect();
    Ok(envelope(target, Value::Object(metadata), items))
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
