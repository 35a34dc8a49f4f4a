//! `POST`, `PUT`, `PATCH`, `DELETE`.

use super::{
    Answer, Request,
    list::{self, Wanted},
    not_allowed, not_simulated, nothing_there,
    path::{self, Meaning, ROUTES, Target},
    reviews,
    strict::{check_fields, check_patch},
};
use crate::{
    api::scale_of,
    error::{ApiError, Reason},
    kinds::KindId,
    kube::Kube,
    object::{Object, ObjectRef},
    request::{DeleteOptions, Part, Patch, Propagation},
    scheduler::bound,
    spec::Spec,
    tree::{Tree, as_object, object_at, put_new},
};
use planarium_ground::Cx;
use planarium_part::routes::find;
use planarium_protocol::{
    Text,
    json::{self, Value},
};
use planarium_source::{Diagnostics, FileId, yaml};
use std::sync::Arc;

/// Carries a change out and answers it. With `dryRun=All` the answer is the same and nothing changes.
pub fn write(kube: &mut Kube, cx: &mut Cx, request: &Request<'_>) -> Answer {
    if request.param("dryRun").is_some_and(|value| value == "All") {
        let mut aside = kube.clone();
        let mut heard = Cx::new(cx.seed());
        heard.set_now(cx.now());
        return answer(&mut aside, &mut heard, request).into();
    }
    answer(kube, cx, request).into()
}

fn answer(kube: &mut Kube, cx: &mut Cx, request: &Request<'_>) -> Result<Answer, ApiError> {
    let parts = request.segments();
    let words: Vec<&str> = parts.iter().map(String::as_str).collect();
    if request.method == "POST"
        && let Some(answer) = reviews::answer(request, &words)
    {
        return answer;
    }
    let path = find(ROUTES, &words).filter(|path| matches!(path.meaning(), Meaning::Objects));
    let at = path.ok_or_else(nothing_there)?.captures;
    let target = path::target(kube, at.one("group"), at.one("version"), at.rest())?;
    if target.kind == KindId::EVENT {
        return Err(not_allowed());
    }
    match (request.method, &target.name) {
        ("POST", None) => {
            let value = body(request, &target, None)?;
            let kind = of_kind(kube, &value, &target)?;
            let warnings = check_fields(request, &target, &value)?;
            let sent = value.clone();
            let draft = kube.api().draft(kind, value)?;
            let who = (manager_of(request), target.api_version.as_str());
            let made = kube.cluster.write(cx, |api, now| {
                let made = api.create_draft(now, draft)?;
                Ok::<_, ApiError>(api.note_update(now, None, &made, &who.0, who.1, &sent))
            })?;
            Ok(Answer { warnings, ..Answer::json(201, made.value_as(&target.api_version)) })
        }
        ("POST", Some(name)) => post_to(kube, cx, request, &target, name),
        ("PUT", Some(name)) => put(kube, cx, request, &target, name),
        ("PATCH", Some(name)) => patch(kube, cx, request, &target, name),
        ("DELETE", Some(name)) => {
            let options = delete_options(request, target.kind)?;
            let object = ObjectRef::new(target.kind, namespace(&target), name);
            let gone = kube.delete(cx, object, &options)?;
            Ok(Answer::json(200, deleted(kube, &target, &gone)))
        }
        ("DELETE", None) => {
            let options = delete_options(request, target.kind)?;
            let all = list::objects(kube, &target, &Wanted::read(request, &target)?);
            let listed = list::list(kube, cx.now(), &Request { accept: "", ..*request }, &target)?;
            for object in all {
                if kube.object(object.no).is_some() {
                    kube.delete(cx, object.reference(), &options)?;
                }
            }
            Ok(Answer::json(200, listed))
        }
        _ => Err(not_allowed()),
    }
}

fn namespace(target: &Target) -> &str {
    target.namespace.as_deref().unwrap_or_default()
}

/// Returns the body as an object of the path's kind. *Errors*: 400 if it is not one, or names something else.
fn body(request: &Request<'_>, target: &Target, name: Option<&str>) -> Result<Value, ApiError> {
    let bad = |text: String| ApiError::new(Reason::BadRequest, text);
    let mut value = plain(request)?;
    let given = value.at(&["metadata"]).clone();
    let Some(fields) = value.as_object_mut() else { return Err(bad("the body is not an object".to_owned())) };
    put_new(fields, "apiVersion", target.api_version.as_str().into());
    put_new(fields, "kind", target.info.kind.as_ref().into());
    let metadata = object_at(fields, "metadata");
    if let Some(metadata) = metadata {
        match (&target.namespace, given.text("namespace")) {
            (Some(namespace), other) if !other.is_empty() && other != namespace => {
                let text = format!(
                    "the namespace of the provided object does not match the namespace sent on the request: {other:?} {namespace:?}"
                );
                return Err(bad(text));
            }
            (Some(namespace), _) => json::put(metadata, "namespace", namespace.as_str().into()),
            (None, _) => {}
        }
        match (name, given.text("name")) {
            (Some(name), other) if !other.is_empty() && other != name => {
                let text =
                    format!("the name of the object ({other}) does not match the name on the URL ({name})");
                return Err(bad(text));
            }
            (Some(name), _) => json::put(metadata, "name", name.into()),
            (None, _) => {}
        }
    }
    Ok(value)
}

/// Returns the body as plain data: JSON, otherwise YAML. *Errors*: 400, and 415 for bodies that are not text.
pub(super) fn plain(request: &Request<'_>) -> Result<Value, ApiError> {
    if request.content_type.contains("protobuf") || request.content_type.contains("cbor") {
        let text = "the body of the request was in an unknown format - accepted media types include: application/json, \
                    application/yaml";
        return Err(ApiError::new(Reason::UnsupportedMediaType, text));
    }
    match request.body {
        None | Some(Value::Null) => {
            Err(ApiError::new(Reason::BadRequest, "the body of the request is empty"))
        }
        Some(Value::String(text)) => {
            // JSON with duplicate fields is kept as written.
            if let Ok(value) = json::value(text.as_bytes()) {
                return Ok(value);
            }
            let mut found = Diagnostics::default();
            let read = yaml::Reader::new(text, FileId::default()).with_go_rules().one(&mut found);
            let value = read.root.map(|root| root.to_go_json()).filter(|_| !found.has_errors());
            value.ok_or_else(|| {
                ApiError::new(Reason::BadRequest, "error decoding the body: it is neither JSON nor YAML")
            })
        }
        Some(value) => Ok(value.clone()),
    }
}

/// The kind that a body says it is. *Errors*: 400 when the path says another.
fn of_kind(kube: &Kube, value: &Value, target: &Target) -> Result<KindId, ApiError> {
    let kind = kube.api().kind_of(value)?;
    if kind != target.kind || value.text("apiVersion") != target.api_version {
        let text = format!(
            "the API version in the data ({}) does not match the expected API version ({})",
            value.text("apiVersion"),
            target.api_version
        );
        return Err(ApiError::new(Reason::BadRequest, text));
    }
    Ok(kind)
}

/// `POST` to a subresource.
fn post_to(
    kube: &mut Kube,
    cx: &mut Cx,
    request: &Request<'_>,
    target: &Target,
    name: &str,
) -> Result<Answer, ApiError> {
    match (target.kind, target.sub.as_str()) {
        (KindId::POD, "eviction") => {
            let value = request.body.cloned().unwrap_or_default();
            let options = options_of(value.key("deleteOptions"), target.kind);
            kube.evict(cx, namespace(target), name, &options)?;
            Ok(Answer::json(201, success()))
        }
        (KindId::POD, "binding") => {
            let value = request.body.cloned().unwrap_or_default();
            let node: Text = value.key("target").text("name").into();
            let pod = kube.read(ObjectRef::new(KindId::POD, namespace(target), name))?.clone();
            let is_bound = matches!(&pod.spec, Spec::Pod(_, own) if own.is_bound());
            if is_bound {
                let text = format!(
                    "Operation cannot be fulfilled on pods/binding {name:?}: pod {name} is already assigned to node"
                );
                return Err(ApiError::new(Reason::Conflict, text));
            }
            let bound = bound(cx.now(), &pod, &node);
            kube.cluster.put(cx, bound);
            Ok(Answer::json(201, success()))
        }
        (KindId::SERVICE_ACCOUNT, "token") => {
            reviews::token(kube, cx.now(), request, namespace(target), name)
        }
        (KindId::POD, sub) => Err(not_simulated(sub).unwrap_or_else(nothing_there)),
        _ => Err(nothing_there()),
    }
}

fn success() -> Value {
    planarium_protocol::json!({ "kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Success", "code": 201 })
}

fn part(target: &Target) -> Result<Part, ApiError> {
    match target.sub.as_str() {
        "" => Ok(Part::Whole),
        "status" => Ok(Part::Status),
        "scale" => Ok(Part::Scale),
        _ => Err(nothing_there()),
    }
}

fn put(
    kube: &mut Kube,
    cx: &mut Cx,
    request: &Request<'_>,
    target: &Target,
    name: &str,
) -> Result<Answer, ApiError> {
    if target.kind == KindId::NAMESPACE && target.sub == "finalize" {
        let object = kube.read(ObjectRef::new(target.kind, "", name))?;
        return Ok(Answer::json(200, object.value_as(&target.api_version)));
    }
    let mut warnings = Vec::new();
    let written = match part(target)? {
        Part::Whole => {
            let value = body(request, target, Some(name))?;
            of_kind(kube, &value, target)?;
            warnings = check_fields(request, target, &value)?;
            let old = kube.read(ObjectRef::new(target.kind, namespace(target), name))?.clone();
            let who = manager_of(request);
            kube.cluster.write(cx, |api, now| {
                let new = api.update(value)?;
                Ok::<_, ApiError>(api.note_update(
                    now,
                    Some(&old),
                    &new,
                    &who,
                    &target.api_version,
                    &Value::Null,
                ))
            })?
        }
        Part::Status => {
            let value = body(request, target, Some(name))?;
            of_kind(kube, &value, target)?;
            kube.update_status(cx, value)?
        }
        Part::Scale => {
            let old = kube.read(ObjectRef::new(target.kind, namespace(target), name))?.clone();
            scale_of(&old)?;
            let scale = plain(request)?;
            let scaled = kube.cluster.write(cx, |api, _| api.rescale(&old, &scale))?;
            return Ok(Answer::json(200, scale_of(&scaled)?));
        }
    };
    Ok(Answer { warnings, ..Answer::json(200, written.value_as(&target.api_version)) })
}

fn patch(
    kube: &mut Kube,
    cx: &mut Cx,
    request: &Request<'_>,
    target: &Target,
    name: &str,
) -> Result<Answer, ApiError> {
    let value = plain(request)?;
    let kind = request.content_type.split(';').next().unwrap_or_default().trim();
    let patch = match kind {
        "application/json-patch+json" => Patch::Json(value),
        "application/strategic-merge-patch+json" => Patch::Strategic(value),
        "application/apply-patch+yaml" => {
            let manager = request.param("fieldManager").filter(|manager| !manager.is_empty());
            let Some(manager) = manager else {
                let text = "PatchOptions.meta.k8s.io \"\" is invalid: fieldManager: Required value: is required for apply patch";
                return Err(ApiError::new(Reason::Invalid, text));
            };
            Patch::Apply { value, manager: manager.into(), force: request.flag("force") }
        }
        "application/merge-patch+json" => Patch::Merge(value),
        _ => {
            let strategic = if target.info.custom { "" } else { "application/strategic-merge-patch+json, " };
            let text = format!(
                "the body of the request was in an unknown format - accepted media types include: \
                 application/json-patch+json, application/merge-patch+json, {strategic}application/apply-patch+yaml"
            );
            return Err(ApiError::new(Reason::UnsupportedMediaType, text));
        }
    };
    let warnings = match &patch {
        Patch::Merge(value) | Patch::Strategic(value) | Patch::Apply { value, .. }
            if target.sub.is_empty() =>
        {
            check_patch(request, target, value)?
        }
        _ => Vec::new(),
    };
    let part = part(target)?;
    let object = ObjectRef::new(target.kind, namespace(target), name);
    let is_new = matches!(patch, Patch::Apply { .. }) && kube.get(object).is_none();
    let old = kube.get(object).cloned();
    let noted = part == Part::Whole && !matches!(patch, Patch::Apply { .. });
    let who = manager_of(request);
    let patched = kube.cluster.write(cx, |api, now| {
        let new = api.patch_as(now, object, part, &patch, Some(&target.api_version))?;
        Ok::<_, ApiError>(match old.filter(|_| noted) {
            Some(old) => api.note_update(now, Some(&old), &new, &who, &target.api_version, &Value::Null),
            None => new,
        })
    })?;
    let value = if part == Part::Scale { scale_of(&patched)? } else { patched.value_as(&target.api_version) };
    Ok(Answer { warnings, ..Answer::json(if is_new { 201 } else { 200 }, value) })
}

/// The manager that a request names.
fn manager_of(request: &Request<'_>) -> Text {
    let named = request.param("fieldManager").filter(|manager| !manager.is_empty());
    named.map_or_else(|| "unknown".into(), Text::from)
}

/// Reads the options of a deletion: by its body, or by its query. *Errors*: 400 for a word that is none.
fn delete_options(request: &Request<'_>, kind: KindId) -> Result<DeleteOptions, ApiError> {
    let mut value = request.body.cloned().unwrap_or_default();
    if let Some(fields) = as_object(&mut value) {
        if let Some(policy) = request.param("propagationPolicy") {
            put_new(fields, "propagationPolicy", policy.into());
        }
        if let Some(seconds) = request.param("gracePeriodSeconds").and_then(|text| text.parse::<u64>().ok()) {
            put_new(fields, "gracePeriodSeconds", seconds.into());
        }
    }
    let word = value.text("propagationPolicy");
    if !matches!(word, "" | "Background" | "Foreground" | "Orphan") {
        let text = format!(
            "DeleteOptions.meta.k8s.io \"\" is invalid: propagationPolicy: Unsupported value: {word:?}: supported values: \"Foreground\", \
             \"Background\", \"Orphan\", \"nil\""
        );
        return Err(ApiError::new(Reason::Invalid, text));
    }
    Ok(options_of(&value, kind))
}

fn options_of(value: &Value, kind: KindId) -> DeleteOptions {
    let propagation = match value.text("propagationPolicy") {
        "Foreground" => Propagation::Foreground,
        "Orphan" => Propagation::Orphan,
        "Background" => Propagation::Background,
        // What `batch/v1` has always done.
        _ if kind == KindId::JOB || value.flag("orphanDependents") => Propagation::Orphan,
        _ => Propagation::Background,
    };
    let preconditions = value.key("preconditions");
    DeleteOptions {
        propagation,
        grace_s: value.count("gracePeriodSeconds"),
        uid: crate::tree::word(preconditions, "uid"),
        resource_version: preconditions.text("resourceVersion").parse().ok(),
    }
}

/// The answer to a deletion: the object while it is still there, a success otherwise.
fn deleted(kube: &Kube, target: &Target, gone: &Arc<Object>) -> Value {
    if let Some(there) = kube.object(gone.no) {
        return there.value_as(&target.api_version);
    }
    if target.kind == KindId::POD || target.kind == KindId::SERVICE {
        return gone.value_as(&target.api_version);
    }
    planarium_protocol::json!({
        "kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Success",
        "details": { "name": gone.name, "group": target.info.group, "kind": target.info.plural, "uid": gone.uid },
    })
}
