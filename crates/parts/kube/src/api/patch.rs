//! Patching objects.

use super::{
    Api,
    merge::{json_patch, merge_patch, strategic},
};
use crate::{
    error::{ApiError, Reason},
    kinds::KindId,
    object::{Object, ObjectRef},
    request::{Part, Patch, Written},
    schema::shape_of,
    tree::Tree,
};
use planarium_kernel::SimTime;
use planarium_protocol::json;
use serde_json::Value;
use std::sync::Arc;

impl Api {
    /// Patches an object or a subresource. *Errors*: as [`Api::update`], and 400/415 for the patch itself.
    pub(crate) fn patch(
        &mut self,
        now: SimTime,
        object: ObjectRef<'_>,
        part: Part,
        patch: &Patch,
    ) -> Written {
        self.patch_as(now, object, part, patch, None)
    }

    /// Patches an object as one of its API versions shows it.
    pub(crate) fn patch_as(
        &mut self,
        now: SimTime,
        object: ObjectRef<'_>,
        part: Part,
        patch: &Patch,
        api_version: Option<&str>,
    ) -> Written {
        if let Patch::Apply { value, manager, force } = patch {
            return self.server_apply(now, object, value, manager, *force);
        }
        let old = self.read(object)?.clone();
        let version = api_version.map_or_else(|| old.info.preferred(), Into::into);
        let mut value = if part == Part::Scale { scale_of(&old)? } else { old.value_as(&version) };
        let bad = |text: String| ApiError::new(Reason::BadRequest, text);
        match patch {
            Patch::Json(patch) => json_patch(&mut value, patch).map_err(|text| {
                let error = ApiError::new(
                    Reason::Invalid,
                    format!("the server rejected our request due to an error in our request: {text}"),
                );
                error.about(&old.info.group, &old.info.plural, &old.name)
            })?,
            Patch::Merge(patch) => {
                if !patch.is_object() {
                    return Err(bad(
                        "json: cannot unmarshal array into Go value of type map[string]interface {}"
                            .to_owned(),
                    ));
                }
                merge_patch(&mut value, patch);
            }
            Patch::Strategic(patch) => {
                if old.info.custom || part == Part::Scale && !patch.is_object() {
                    let message = "the body of the request was in an unknown format - accepted media types include: \
                                   application/json-patch+json, application/merge-patch+json, application/apply-patch+yaml";
                    return Err(ApiError::new(Reason::UnsupportedMediaType, message));
                }
                strategic(&shape_of(old.kind), &mut value, patch).map_err(bad)?;
            }
            Patch::Apply { .. } => {}
        }
        match part {
            Part::Whole => {
                let draft = self.draft(old.kind, value)?;
                self.change(&old, draft)
            }
            Part::Status => {
                let status = value.get_mut("status").map(Value::take);
                let mut draft = self.draft(old.kind, value)?;
                draft.status = status.filter(|status| !status.is_null());
                self.change_status(now, &old, &mut draft)
            }
            Part::Scale => self.rescale(&old, &value),
        }
    }

    /// Gives a workload the size that a `Scale` says. *Errors*: as [`Api::update`].
    pub(crate) fn rescale(&mut self, old: &Arc<Object>, scale: &Value) -> Written {
        let mut scale = scale.clone();
        crate::schema::conform(&crate::schema::SCALE_SHAPE, &mut scale)
            .map_err(|mismatch| ApiError::new(Reason::BadRequest, mismatch.text()))?;
        let mut value = old.to_value();
        if let Some(spec) = value.get_mut("spec").and_then(Value::as_object_mut) {
            json::put(spec, "replicas", scale.at(&["spec", "replicas"]).as_i64().unwrap_or(0).into());
        }
        if let Some(metadata) = value.get_mut("metadata").and_then(Value::as_object_mut) {
            metadata.shift_remove("resourceVersion");
            if let Some(version) = scale.at(&["metadata", "resourceVersion"]).as_str() {
                json::put(metadata, "resourceVersion", version.into());
            }
        }
        let draft = self.draft(old.kind, value)?;
        self.change(old, draft)
    }
}

/// The subresource `scale` of an object. *Errors*: its kind has none.
pub(crate) fn scale_of(object: &Object) -> Result<Value, ApiError> {
    if !object.info.has_scale || object.info.custom {
        return Err(ApiError::new(Reason::NotFound, "the server could not find the requested resource"));
    }
    let selector = crate::selector::Selector::of_value(object.content.at(&["spec", "selector"]));
    let selector = match object.kind {
        KindId::REPLICATION_CONTROLLER => {
            crate::selector::Selector::of_map(object.content.at(&["spec", "selector"]))
        }
        _ => selector,
    };
    let replicas = object.status().map_or(0, |status| status.int("replicas").unwrap_or(0));
    Ok(json!({
        "kind": "Scale", "apiVersion": "autoscaling/v1",
        "metadata": {
            "name": object.name, "namespace": object.namespace, "uid": object.uid,
            "resourceVersion": object.resource_version.to_string(), "creationTimestamp": object.epoch.text(object.created),
        },
        "spec": { "replicas": object.replicas },
        "status": { "replicas": replicas, "selector": selector.text() },
    }))
}
