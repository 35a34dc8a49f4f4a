//! Changing objects.

use super::{
    Api, Draft,
    admission::{Charge, quota_status},
    create::invalid,
    validate,
};
use crate::{
    error::{ApiError, FieldCause, Reason},
    kinds::KindId,
    object::{Object, ObjectRef},
    request::Written,
    spec::Spec,
    status::{KeptStatus, Status},
    tree::{Tree, as_object, object_at},
};
use planarium_kernel::SimTime;
use serde_json::{Map, Value};
use std::sync::Arc;

impl Api {
    /// Replaces an object; with `metadata.resourceVersion`, only if that is still its version. Keeps its status if that
    /// is a subresource. *Errors*: 404, 409, 422, denied by a webhook.
    pub(crate) fn update(&mut self, value: Value) -> Written {
        let kind = self.kind_of(&value)?;
        let draft = self.draft(kind, value)?;
        let old = self.present(&draft)?;
        self.change(&old, draft)
    }

    /// Replaces the status of an object and leaves the rest. Of a pod that is the phase, the message and the conditions, until its
    /// kubelet speaks; other statuses that the cluster keeps are not changed by anybody else. *Errors*: as [`Api::update`].
    pub(crate) fn update_status(&mut self, now: SimTime, mut value: Value) -> Written {
        let kind = self.kind_of(&value)?;
        let status = value.get_mut("status").map(Value::take);
        let mut draft = self.draft(kind, value)?;
        draft.status = status.filter(|status| !status.is_null());
        let old = self.present(&draft)?;
        self.change_status(now, &old, &mut draft)
    }

    /// Replaces the status of a custom object, if it still has the given version, by one that its controller keeps.
    /// *Errors*: as [`Api::update`].
    pub(crate) fn keep_status(
        &mut self,
        object: ObjectRef<'_>,
        resource_version: u64,
        status: Arc<dyn KeptStatus>,
    ) -> Written {
        let old = self.read(object)?.clone();
        if !old.info.custom || !old.info.has_status {
            return Err(ApiError::new(Reason::NotFound, "the server could not find the requested resource"));
        }
        if old.resource_version != resource_version {
            return Err(conflict(&old));
        }
        let same = match &old.status {
            Status::Kept(kept) => kept.is_same(&*status),
            Status::Plain(before) => **before == status.to_value(),
            Status::None => false,
            _ => true,
        };
        if same {
            return Ok(old);
        }
        Ok(self.put_status(&old, Status::Kept(status)))
    }

    /// Replaces a kept status by one with new check times only; the version stays, and watchers are not notified. Does nothing if the
    /// object has another version by now.
    pub(crate) fn refresh_status(
        &mut self,
        object: ObjectRef<'_>,
        resource_version: u64,
        status: Arc<dyn KeptStatus>,
    ) {
        let old = self.get(object).filter(|old| old.resource_version == resource_version).cloned();
        if let Some(old) = old.filter(|old| matches!(old.status, Status::Kept(_))) {
            self.store.refresh(Object { status: Status::Kept(status), ..Object::clone(&old) });
        }
    }

    /// The object that a draft is about. *Errors*: there is none.
    fn present(&self, draft: &Draft) -> Written {
        let namespace = match (&draft.meta.namespace, draft.info.namespaced) {
            (_, false) => "",
            (Some(namespace), true) => namespace,
            (None, true) => "default",
        };
        self.read(ObjectRef::new(draft.kind, namespace, draft.name())).cloned()
    }

    fn check_preconditions(old: &Object, draft: &Draft) -> Result<(), ApiError> {
        let meta = &draft.meta;
        let (plural, name) = (old.info.qualified_plural(), &old.name);
        if let Some(uid) = &meta.uid
            && *uid != old.uid
        {
            let message = format!(
                "Operation cannot be fulfilled on {plural} {name:?}: Precondition failed: UID in precondition: {uid}, UID in object \
                 meta: {}",
                old.uid
            );
            return Err(ApiError::new(Reason::Conflict, message).about(
                &old.info.group,
                &old.info.plural,
                name,
            ));
        }
        if let Some(version) = &meta.resource_version
            && **version != *"0"
            && **version != *old.resource_version.to_string()
        {
            return Err(conflict(old));
        }
        Ok(())
    }

    /// Changes an object to its draft. *Errors*: preconditions, immutable fields, validation, admission.
    pub(crate) fn change(&mut self, old: &Arc<Object>, mut draft: Draft) -> Written {
        Self::check_preconditions(old, &draft)?;
        draft.meta.name = Some(old.name.clone());
        draft.meta.namespace = (!old.namespace.is_empty()).then(|| old.namespace.clone());
        if !draft.info.has_status && draft.status.is_some() {
            draft.status = None;
        }
        keep_allocated(old, &mut draft);
        self.admit_built_in(&mut draft, Some(old))?;
        self.review(&mut draft, Some(old))?;
        let added = draft.meta.finalizers.iter().find(|one| !old.finalizers.contains(one));
        if let (true, Some(added)) = (old.is_being_deleted(), added) {
            let detail = format!(
                "no new finalizers can be added if the object is being deleted, found new finalizers []string{{{added:?}}}"
            );
            return Err(invalid(&draft, vec![FieldCause::forbidden("metadata.finalizers", &detail)]));
        }
        let before = old.full_content();
        let same_content = *before == draft.content;
        if !same_content {
            let mut causes = validate::object(&draft);
            let bound = !before.key("spec").text("volumeName").is_empty();
            causes.extend(validate::changed(old.kind, &before, &draft.content, bound));
            if !causes.is_empty() {
                return Err(invalid(&draft, causes));
            }
            self.charge(&Charge {
                kind: old.kind,
                info: &old.info,
                namespace: &old.namespace,
                name: &old.name,
                content: &draft.content,
                before: Some(&before),
            })?;
            self.take_addresses(&mut draft)?;
        } else if !draft.meta.labels.is_same(&old.labels) || !draft.meta.annotations.is_same(&old.annotations)
        {
            let causes = validate::object(&draft);
            if !causes.is_empty() {
                return Err(invalid(&draft, causes));
            }
        }
        let same_meta = draft.meta.labels.is_same(&old.labels)
            && draft.meta.annotations.is_same(&old.annotations)
            && draft.meta.owners == *old.owners
            && draft.meta.finalizers == *old.finalizers;
        if same_content && same_meta {
            return Ok(old.clone());
        }
        let mut new = Object::clone(old);
        new.pristine = false;
        if !new.annotations.is_same(&draft.meta.annotations) {
            new.applied = None;
            new.annotations = draft.meta.annotations.clone();
        }
        if !new.labels.is_same(&draft.meta.labels) {
            new.labels = draft.meta.labels.clone();
        }
        if *new.owners != draft.meta.owners {
            new.owners = Arc::new(draft.meta.owners.clone());
        }
        if *new.finalizers != draft.meta.finalizers {
            new.finalizers = Arc::new(draft.meta.finalizers.clone());
        }
        if !same_content {
            put_content(&mut new, draft);
            if new.kind == KindId::RESOURCE_QUOTA {
                let status = quota_status(self, new.content.key("spec"), &new.namespace);
                new.status = Status::Plain(Arc::new(status));
            }
            if new.info.has_generation {
                new.generation += 1;
            }
        }
        let new = self.put(new);
        self.finish_deletion(&new);
        Ok(new)
    }

    /// Gives an object the status of a draft.
    pub(crate) fn change_status(&mut self, now: SimTime, old: &Arc<Object>, draft: &mut Draft) -> Written {
        if !old.info.has_status {
            return Err(ApiError::new(Reason::NotFound, "the server could not find the requested resource"));
        }
        Self::check_preconditions(old, draft)?;
        let wanted = draft.status.take();
        if let (Status::Pod(status), Some(wanted)) = (&old.status, &wanted) {
            let new = status.posted(wanted, now);
            if new == **status {
                return Ok(old.clone());
            }
            return Ok(self.put_status(old, Status::Pod(Arc::new(new))));
        }
        match &old.status {
            Status::Plain(status) if Some(&**status) != wanted.as_ref() => {}
            Status::Kept(kept) if Some(&kept.to_value()) != wanted.as_ref() => {}
            Status::None if wanted.is_some() => {}
            _ => return Ok(old.clone()),
        }
        let status = wanted.map_or(Status::None, |status| Status::Plain(Arc::new(status)));
        Ok(self.put_status(old, status))
    }
}

pub(crate) fn conflict(old: &Object) -> ApiError {
    let message = format!(
        "Operation cannot be fulfilled on {} {:?}: the object has been modified; please apply your changes to the latest version and \
         try again",
        old.info.qualified_plural(),
        old.name
    );
    ApiError::new(Reason::Conflict, message).about(&old.info.group, &old.info.plural, &old.name)
}

/// Keeps values allocated by the server if the client does not set them.
fn keep_allocated(old: &Object, draft: &mut Draft) {
    let before = old.content.key("spec");
    match old.kind {
        KindId::PERSISTENT_VOLUME_CLAIM => {
            let volume = before.key("volumeName").clone();
            let class = before.key("storageClassName").clone();
            if let Some(spec) = as_object(&mut draft.content).and_then(|content| object_at(content, "spec")) {
                for (key, value) in [("volumeName", volume), ("storageClassName", class)] {
                    if !value.is_null() {
                        crate::tree::put_new(spec, key, value);
                    }
                }
            }
        }
        KindId::SERVICE => {
            // A change of type takes an address, or gives it back.
            let (was, is) = (
                before.text("type") == "ExternalName",
                draft.content.at(&["spec", "type"]) == "ExternalName",
            );
            if is
                && !was
                && let Some(spec) =
                    as_object(&mut draft.content).and_then(|content| object_at(content, "spec"))
            {
                spec.shift_remove("clusterIP");
            }
            keep_service(before, &mut draft.content);
        }
        _ => {}
    }
}

/// A Service keeps its address and node ports where an update leaves them out, and loses them where its type has none.
///
/// **Source**: `pkg/registry/core/service/strategy.go` (`patchAllocatedValues`, `dropTypeDependentFields`), match for one address.
fn keep_service(before: &Value, content: &mut Value) {
    let Some(spec) = as_object(content).and_then(|content| object_at(content, "spec")) else { return };
    let kind = spec.get("type").and_then(Value::as_str).unwrap_or("ClusterIP").to_owned();
    let was = before.text("type");
    if kind != "ExternalName" && was != "ExternalName" && !before.text("clusterIP").is_empty() {
        let empty = spec.get("clusterIP").is_none_or(|address| address.as_str() == Some(""));
        if empty {
            spec.insert("clusterIP".to_owned(), before.key("clusterIP").clone());
        }
    }
    let has_ports = |kind: &str| matches!(kind, "NodePort" | "LoadBalancer");
    for port in spec.get_mut("ports").and_then(Value::as_array_mut).into_iter().flatten() {
        let same =
            |old: &&Value| old.key("port") == port.key("port") && old.key("protocol") == port.key("protocol");
        let Some(old) = before.items("ports").iter().find(same) else { continue };
        let number = old.key("nodePort").clone();
        let Some(fields) = port.as_object_mut() else { continue };
        if has_ports(&kind) && !number.is_null() {
            if fields.get("nodePort").is_none_or(|own| own.as_i64() == Some(0)) {
                fields.insert("nodePort".to_owned(), number);
            }
        } else if !has_ports(&kind) && has_ports(was) && fields.get("nodePort") == Some(&number) {
            fields.shift_remove("nodePort");
        }
    }
}

/// Puts a draft's content into an object. If only the size of a workload changed, everything else stays shared.
fn put_content(new: &mut Object, mut draft: Draft) {
    let replicas = draft.replicas();
    if new.info.has_scale && is_only_resized(&new.content, &draft.content, replicas) {
        new.replicas = replicas;
        return;
    }
    let mut spec = draft.read_spec();
    if let Spec::Pod(_, own) = &mut spec {
        if let Spec::Pod(_, before) = &new.spec {
            let pinned = before.pinned.clone();
            Arc::make_mut(own).pinned = pinned;
        }
        if let Some(fields) = as_object(&mut draft.content).and_then(|content| object_at(content, "spec")) {
            fields.shift_remove("nodeName");
        }
    }
    new.replicas = replicas;
    new.spec = spec;
    new.content = Arc::new(draft.content);
}

/// True if a content equals another one but for its size, which is written down there.
fn is_only_resized(before: &Value, after: &Value, replicas: u32) -> bool {
    let (Value::Object(before), Value::Object(after)) = (before, after) else { return before == after };
    let same_spec = |before: &Map<String, Value>, after: &Map<String, Value>| {
        let kept = before.keys().filter(|key| *key != "replicas").count();
        after.get("replicas") == Some(&replicas.into())
            && after.len() == kept + 1
            && before.iter().all(|(key, value)| key == "replicas" || after.get(key) == Some(value))
    };
    before.len() == after.len()
        && before.iter().all(|(key, before)| match (before, after.get(key)) {
            (Value::Object(before), Some(Value::Object(after))) if key == "spec" => same_spec(before, after),
            (before, after) => after == Some(before),
        })
}
