//! `GET`.

use super::{
    Answer, Body, Request, Watch, discovery, list, logs, nothing_there,
    path::{self, Target},
    table,
};
use crate::{api::scale_of, error::ApiError, kinds::KindId, kube::Kube, object::ObjectRef};
use planarium_kernel::SimTime;

/// Answers a question; nothing changes. `now` is for the ages in tables.
pub fn read(kube: &Kube, now: SimTime, request: &Request<'_>) -> Answer {
    answer(kube, now, request).into()
}

fn answer(kube: &Kube, now: SimTime, request: &Request<'_>) -> Result<Answer, ApiError> {
    let parts = request.segments();
    let words: Vec<&str> = parts.iter().map(String::as_str).collect();
    let found = match words.as_slice() {
        [] => Some(discovery::paths(kube)),
        ["version"] => Some(discovery::version()),
        ["api"] => Some(discovery::core()),
        ["apis"] => Some(discovery::group_list(kube)),
        ["apis", group] => discovery::group(kube, group),
        ["api", version] => discovery::resources(kube, "", version),
        ["apis", group, version] => discovery::resources(kube, group, version),
        ["healthz" | "livez" | "readyz", ..] => {
            return Ok(Answer { status: 200, body: Body::Text("ok".to_owned()) });
        }
        ["openapi", "v2"] => {
            if request.accept.contains("proto-openapi") && !request.accept.starts_with("application/json") {
                // As newer servers call it: clients of today cannot read the older name.
                let kind = "application/com.github.proto-openapi.spec.v2.v1.0+protobuf";
                return Ok(Answer { status: 200, body: Body::Bytes(kind, discovery::openapi_protobuf()) });
            }
            Some(discovery::openapi())
        }
        ["api", version, ..] => {
            let rest = parts.get(2..).unwrap_or_default();
            return resource(kube, now, request, &path::target(kube, "", version, rest)?);
        }
        ["apis", group, version, ..] => {
            let rest = parts.get(3..).unwrap_or_default();
            return resource(kube, now, request, &path::target(kube, group, version, rest)?);
        }
        _ => None,
    };
    found.map(|value| Answer::json(200, value)).ok_or_else(nothing_there)
}

fn resource(kube: &Kube, now: SimTime, request: &Request<'_>, target: &Target) -> Result<Answer, ApiError> {
    if request.flag("watch") {
        return Ok(Answer { status: 200, body: Body::Watch(Box::new(Watch::begin(kube, request, target)?)) });
    }
    let Some(name) = &target.name else {
        return Ok(Answer::json(200, list::list(kube, now, request, target)?));
    };
    if target.kind == KindId::EVENT {
        let event = list::event(kube, name).ok_or_else(|| kube.api().not_found(KindId::EVENT, name))?;
        return Ok(Answer::json(200, event));
    }
    let object =
        kube.read(ObjectRef::new(target.kind, target.namespace.as_deref().unwrap_or_default(), name))?;
    match target.sub.as_str() {
        "" => {}
        "status" if target.info.has_status => {}
        "scale" => return Ok(Answer::json(200, scale_of(object)?)),
        "log" if target.kind == KindId::POD => {
            let container = request.param("container").filter(|name| !name.is_empty());
            let text = logs::log(kube, object, container.as_deref(), request.flag("previous"))?;
            return Ok(Answer { status: 200, body: Body::Text(text) });
        }
        _ => return Err(nothing_there()),
    }
    if let Some(wish) = table::Wish::of(request) {
        let metadata = planarium_protocol::json!({ "resourceVersion": object.resource_version.to_string() });
        let one = std::slice::from_ref(object);
        return Ok(Answer::json(200, table::objects(kube, now, target, one, metadata, &wish)));
    }
    Ok(Answer::json(200, object.value_as(&target.api_version)))
}
