//! `GET`.

use super::{
    Answer, Body, Request, Watch, discovery, list, logs, metrics, not_simulated, nothing_there, openapi,
    path::{Meaning, ROUTES, Target, target},
    slices, table,
};
use crate::{api::scale_of, error::ApiError, kinds::KindId, kube::Kube, object::ObjectRef};
use planarium_ground::Fleet;
use planarium_kernel::SimTime;
use planarium_part::routes::find;

/// Answers a question; nothing changes. `now` is for the ages in tables.
pub fn read(kube: &Kube, now: SimTime, request: &Request<'_>) -> Answer {
    answer(kube, None, now, request).into()
}

/// Answers a question, also about what containers use: that is asked of the machines.
pub fn read_on(kube: &Kube, fleet: &Fleet, now: SimTime, request: &Request<'_>) -> Answer {
    answer(kube, Some(fleet), now, request).into()
}

fn answer(
    kube: &Kube,
    fleet: Option<&Fleet>,
    now: SimTime,
    request: &Request<'_>,
) -> Result<Answer, ApiError> {
    let parts = request.segments();
    let words: Vec<&str> = parts.iter().map(String::as_str).collect();
    let path = find(ROUTES, &words).ok_or_else(nothing_there)?;
    let (group, version, rest) =
        (path.captures.one("group"), path.captures.one("version"), path.captures.rest());
    let found = match path.meaning() {
        Meaning::Paths => Some(discovery::paths(kube)),
        Meaning::Version => Some(discovery::version()),
        Meaning::Core => Some(discovery::core()),
        Meaning::Groups => Some(discovery::group_list(kube)),
        Meaning::Group => discovery::group(kube, group),
        Meaning::MetricsResources => Some(metrics::resources()),
        Meaning::Metrics => {
            let fleet = fleet.ok_or_else(nothing_there)?;
            return Ok(Answer::json(200, metrics::answer(kube, fleet, now, request, rest)?));
        }
        Meaning::Documents => Some(openapi::index(kube)),
        Meaning::Document => openapi::document(kube, group, version),
        Meaning::Resources => discovery::resources(kube, group, version),
        Meaning::Health => return Ok(Answer::new(200, Body::Text("ok".to_owned()))),
        Meaning::OldDocument => {
            if request.accept.contains("proto-openapi") && !request.accept.starts_with("application/json") {
                // As newer servers call it: clients of today cannot read the older name.
                let kind = "application/com.github.proto-openapi.spec.v2.v1.0+protobuf";
                return Ok(Answer::new(200, Body::Bytes(kind, discovery::openapi_protobuf())));
            }
            Some(discovery::openapi())
        }
        Meaning::Objects => return resource(kube, now, request, &target(kube, group, version, rest)?),
    };
    found.map(|value| Answer::json(200, value)).ok_or_else(nothing_there)
}

fn resource(kube: &Kube, now: SimTime, request: &Request<'_>, target: &Target) -> Result<Answer, ApiError> {
    if request.flag("watch") {
        return Ok(Answer::new(200, Body::Watch(Box::new(Watch::begin(kube, request, target)?))));
    }
    let Some(name) = &target.name else {
        return Ok(Answer::json(200, list::list(kube, now, request, target)?));
    };
    if target.kind == KindId::EVENT {
        let event = list::event(kube, name).ok_or_else(|| kube.api().not_found(KindId::EVENT, name))?;
        return Ok(Answer::json(200, event));
    }
    let namespace = target.namespace.as_deref().unwrap_or_default();
    let made;
    let object = match kube.get(ObjectRef::new(target.kind, namespace, name)) {
        Some(object) => object,
        None if target.kind == KindId::ENDPOINT_SLICE => {
            let all = slices::all(kube, target.namespace.as_deref());
            made = all.into_iter().find(|slice| *slice.name == **name);
            made.as_ref().ok_or_else(|| kube.api().not_found(target.kind, name))?
        }
        None => return Err(kube.api().not_found(target.kind, name)),
    };
    match target.sub.as_str() {
        "" => {}
        "status" if target.info.has_status => {}
        "scale" => return Ok(Answer::json(200, scale_of(object)?)),
        "log" if target.kind == KindId::POD => {
            let container = request.param("container").filter(|name| !name.is_empty());
            let text = logs::log(kube, object, container.as_deref(), request.flag("previous"))?;
            return Ok(Answer::new(200, Body::Text(text)));
        }
        sub if target.kind == KindId::POD => {
            return Err(not_simulated(sub).unwrap_or_else(nothing_there));
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
