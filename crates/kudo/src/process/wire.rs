//! The Kubernetes API as clients reach it below `/kube`.
//!
//! *Knows*: paths, verbs and media types. *Must not know*: what objects mean.
//!
//! Lists, single objects and writes of every kind that the cluster serves. Watches and tables are not here.

use planarium_kube::{
    ApiError, DeleteOptions, KindId, Kube, ObjectRef, Part, Patch, Propagation, Reason, Selector,
};
use planarium_protocol::input::HttpCall;
use planarium_protocol::json;
use planarium_protocol::refusal::RefusalCode;
use planarium_protocol::{Refusal, Text};
use planarium_system::{Cluster, Cx, Request, Response, Wire, outcome};
use serde_json::Value;

/// Paths of the API begin with this.
const ROOT: &str = "kube";

/// Whether a path is one of the API's.
pub(super) fn owns(parts: &[&str]) -> bool {
    parts.first() == Some(&ROOT)
}

/// There is no Kubernetes cluster yet.
pub(super) fn nobody(_: &Request, _: &[&str]) -> Response {
    let error = ApiError::new(Reason::NotFound, "the server could not find the requested resource");
    Response::json(404, &error.status())
}

/// Where a path leads.
struct Address<'p> {
    kind: KindId,
    namespace: &'p str,
    /// Empty for all of the kind.
    name: &'p str,
    part: Part,
}

/// What a path means; the real server's 404 when nothing is there.
fn address<'p>(kube: &Kube, parts: &'p [&'p str]) -> Result<Address<'p>, ApiError> {
    let nothing = || ApiError::new(Reason::NotFound, "the server could not find the requested resource");
    let (group, rest) = match parts {
        [_, "api", "v1", rest @ ..] => ("", rest),
        [_, "apis", group, _, rest @ ..] => (*group, rest),
        _ => return Err(nothing()),
    };
    let (namespace, rest) = match rest {
        ["namespaces", namespace, rest @ ..] if !rest.is_empty() && *rest != ["status"] => (*namespace, rest),
        rest => ("", rest),
    };
    let (plural, name, part) = match rest {
        [plural] => (*plural, "", Part::Whole),
        [plural, name] => (*plural, *name, Part::Whole),
        [plural, name, "status"] => (*plural, *name, Part::Status),
        [plural, name, "scale"] => (*plural, *name, Part::Scale),
        _ => return Err(nothing()),
    };
    let kind = kube.find_plural(group, plural).ok_or_else(nothing)?;
    Ok(Address { kind, namespace, name, part })
}

fn failed(error: &ApiError) -> Response {
    Response::json(error.code, &error.status())
}

/// Answers a question, or makes an input of a change.
pub(super) fn answer(cluster: &Cluster, request: &Request, parts: &[&str]) -> Wire {
    if !owns(parts) {
        return Wire::NotMine;
    }
    let Some(kube) = cluster.kube() else { return Wire::Answer(nobody(request, parts)) };
    match request.method.as_str() {
        "GET" => Wire::Answer(read(kube, request, parts).unwrap_or_else(|error| failed(&error))),
        "POST" | "PUT" | "PATCH" | "DELETE" => Wire::call(request),
        _ => Wire::Answer(Response::wrong_method("GET, POST, PUT, PATCH, DELETE")),
    }
}

fn read(kube: &Kube, request: &Request, parts: &[&str]) -> Result<Response, ApiError> {
    let Address { kind, namespace, name, .. } = address(kube, parts)?;
    if !name.is_empty() {
        return Ok(Response::json(200, &kube.read(ObjectRef::new(kind, namespace, name))?.to_value()));
    }
    let selector = request.param("labelSelector").unwrap_or_default();
    let selector =
        Selector::parse(&selector).map_err(|problem| ApiError::new(Reason::BadRequest, problem))?;
    let found = kube.list(kind, (!namespace.is_empty()).then_some(namespace), &selector);
    let items: Vec<Value> = found
        .iter()
        .map(|object| {
            let mut value = object.to_value();
            if let Some(fields) = value.as_object_mut() {
                fields.remove("apiVersion");
                fields.remove("kind");
            }
            value
        })
        .collect();
    let info = kube.kind_info(kind);
    let list = format!("{}List", info.map_or("", |info| &*info.kind));
    let version = match parts {
        [_, "apis", group, version, ..] => format!("{group}/{version}"),
        _ => "v1".to_owned(),
    };
    let resource_version = kube.resource_version().to_string();
    Ok(Response::json(
        200,
        &json!({
            "apiVersion": version, "kind": list, "metadata": { "resourceVersion": resource_version }, "items": items,
        }),
    ))
}

/// Carries a change out; none when the path is no path of the API.
pub(super) fn change(
    cx: &mut Cx,
    cluster: &mut Cluster,
    call: &HttpCall,
    parts: &[&str],
) -> Option<Result<Value, Refusal>> {
    if !owns(parts) {
        return None;
    }
    let done = cluster.with_kube(cx, |kube, _, cx| write(cx, kube, call, parts));
    Some(match done {
        Ok((status, body)) => Ok(outcome(status, &[], body)),
        Err(error) => {
            let code = match error.code {
                404 => RefusalCode::NotFound,
                400 | 415 | 422 => RefusalCode::BadRequest,
                _ => RefusalCode::Conflict,
            };
            let body = error.status();
            Err(Refusal::with_body(code, error.code, error.message, body))
        }
    })
}

fn write(cx: &mut Cx, kube: &mut Kube, call: &HttpCall, parts: &[&str]) -> Result<(u16, Value), ApiError> {
    let Address { kind, namespace, name, part } = address(kube, parts)?;
    let object = || ObjectRef::new(kind, namespace, name);
    match call.method.as_str() {
        "POST" if name.is_empty() => {
            let mut value = call.body.clone();
            place(&mut value, kube, kind, namespace, "")?;
            Ok((201, kube.create(cx, value)?.to_value()))
        }
        "PUT" if !name.is_empty() => {
            let mut value = call.body.clone();
            place(&mut value, kube, kind, namespace, name)?;
            let written = match part {
                Part::Status => kube.update_status(cx, value)?,
                Part::Whole | Part::Scale => kube.update(cx, value)?,
            };
            Ok((200, written.to_value()))
        }
        "PATCH" if !name.is_empty() => {
            let body = call.body.clone();
            let patch = match call.content_type.as_deref() {
                Some("application/json-patch+json") => Patch::Json(body),
                Some("application/merge-patch+json") => Patch::Merge(body),
                Some("application/strategic-merge-patch+json") => Patch::Strategic(body),
                other => {
                    let message = format!(
                        "the body of the request was in an unknown format - accepted media types include: \
                         application/json-patch+json, application/merge-patch+json, \
                         application/strategic-merge-patch+json{}",
                        if other.is_none() { "" } else { ", application/apply-patch+yaml" }
                    );
                    return Err(ApiError::new(Reason::UnsupportedMediaType, message));
                }
            };
            Ok((200, kube.patch(cx, object(), part, &patch)?.to_value()))
        }
        "DELETE" if !name.is_empty() => {
            let options = DeleteOptions {
                propagation: match call.body.get("propagationPolicy").and_then(Value::as_str) {
                    Some("Foreground") => Propagation::Foreground,
                    Some("Orphan") => Propagation::Orphan,
                    _ => Propagation::Background,
                },
                grace_s: call
                    .body
                    .get("gracePeriodSeconds")
                    .and_then(Value::as_u64)
                    .and_then(|seconds| u32::try_from(seconds).ok()),
                uid: call.body.pointer("/preconditions/uid").and_then(Value::as_str).map(Text::from),
                resource_version: None,
            };
            Ok((200, kube.delete(cx, object(), &options)?.to_value()))
        }
        _ => Err(ApiError::new(
            Reason::MethodNotAllowed,
            "the server does not allow this method on the requested resource",
        )),
    }
}

/// Puts an object where the path says.
///
/// *Errors*: it says itself that it belongs elsewhere.
fn place(value: &mut Value, kube: &Kube, kind: KindId, namespace: &str, name: &str) -> Result<(), ApiError> {
    let wrong = |message: &str| ApiError::new(Reason::BadRequest, message);
    let info = kube.kind_info(kind).cloned();
    let Some(fields) = value.as_object_mut() else {
        return Err(wrong("the object provided is unrecognized"));
    };
    if let Some(info) = info {
        let given = fields.get("kind").and_then(Value::as_str).unwrap_or_default();
        if given.is_empty() {
            fields.insert("kind".to_owned(), Value::from(&*info.kind));
        } else if given != &*info.kind {
            return Err(wrong("the object provided is not of the kind that the path names"));
        }
    }
    let metadata = fields.entry("metadata").or_insert_with(|| json!({}));
    let Some(metadata) = metadata.as_object_mut() else { return Err(wrong("metadata is no object")) };
    for (key, own, message) in [
        (
            "namespace",
            namespace,
            "the namespace of the provided object does not match the namespace sent on the request",
        ),
        ("name", name, "the name of the object does not match the name on the URL"),
    ] {
        if own.is_empty() {
            continue;
        }
        match metadata.get(key).and_then(Value::as_str) {
            None | Some("") => {
                metadata.insert(key.to_owned(), own.into());
            }
            Some(given) if given == own => {}
            Some(_) => return Err(wrong(message)),
        }
    }
    Ok(())
}
