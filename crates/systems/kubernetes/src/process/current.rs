//! Writes the files of a service as they are now: calls may have scaled, patched or rolled back its objects since.
//!
//! *Knows*: the objects as applied and as they are now. *Must not know*: the calls.

use planarium_kernel::SortedMap;
use planarium_kube::{Kube, ObjectRef};
use planarium_protocol::input::LoadService;
use planarium_source::yaml::{apply_changes, changes};
use planarium_source::{FileId, Span};
use serde_json::{Map, Value};

use super::{Process, Service, keys};
use crate::definition::Item;
use crate::plans::{self, Member};

/// A restart is an annotation of the template that does not belong in a file.
const RESTARTED: &str = "kubectl.kubernetes.io/restartedAt";

impl Process {
    /// Returns the request as it would be written now; `None` if it still describes what runs.
    pub(super) fn current_request(&self, name: &str, kube: &Kube) -> Option<LoadService> {
        let (_, service) = self.find(name)?;
        let mut edits: SortedMap<FileId, Vec<(Span, String)>> = SortedMap::new();
        for (item, key) in service.definition.items().iter().zip(keys(&service.definition)) {
            let member = service.keys.get(&key).and_then(|at| service.members.get(at));
            let Some(member) = member.filter(|member| member.is(item)) else { continue };
            let own = service.edits(item, member, kube);
            if !own.is_empty() {
                edits.entry(item.node.span.file).or_default().extend(own);
            }
        }
        if edits.is_empty() {
            return None;
        }
        let mut load = LoadService::clone(&service.load);
        for (file, edits) in edits {
            let name = service.definition.sources().get(file)?.name();
            let text = load.files.get_mut(name)?;
            *text = apply_changes(text, edits);
        }
        (load.files != service.load.files).then_some(load)
    }
}

impl Service {
    /// Returns the edits that update an item's text to its object.
    fn edits(&self, item: &Item, member: &Member, kube: &Kube) -> Vec<(Span, String)> {
        // A change made by a call at this instant was not processed yet.
        let live =
            member.kind.and_then(|kind| kube.get(ObjectRef::new(kind, &member.namespace, &member.name)));
        let object = live.filter(|object| *object.info().preferred() == *item.api_version);
        let Some(object) = object.filter(|object| object.deletion.is_none()) else { return Vec::new() };
        let is_workload = plans::is_workload(&item.kind) && &*item.kind != "Job";
        let live = object.to_value();
        let (mut before, mut now) = (Map::new(), Map::new());
        for key in ["spec", "data"] {
            if let (Some(old), Some(new)) = (item.full.get(key), live.get(key)) {
                if old == new {
                    continue;
                }
                before.insert(key.to_owned(), old.clone());
                now.insert(key.to_owned(), new.clone());
            }
        }
        if before.is_empty() {
            return Vec::new();
        }
        let (before, mut now) = (Value::Object(before), Value::Object(now));
        forget_restart(&before, &mut now);
        if self.is_autoscaled(member) {
            keep(&before, &mut now, "replicas");
        }
        let text = self.definition.sources().get(item.node.span.file).map(planarium_source::SourceFile::text);
        let may_add = |path: &[&str]| match path.first().copied() {
            Some("spec") => is_workload,
            Some("data") => path.len() == 2 && &*item.kind == "ConfigMap",
            _ => false,
        };
        text.map(|text| changes(&item.node, text, &before, &now, &may_add)).unwrap_or_default()
    }

    /// Returns whether an autoscaler of the service sets the replicas of an object.
    fn is_autoscaled(&self, target: &Member) -> bool {
        self.members.values().filter(|member| &*member.kind_name == "HorizontalPodAutoscaler").any(|member| {
            let spec =
                member.object.as_ref().and_then(|object| object.content().get("spec")?.get("scaleTargetRef"));
            let is = |key: &str, text: &str| spec.and_then(|spec| spec.get(key)?.as_str()) == Some(text);
            member.namespace == target.namespace && is("kind", &target.kind_name) && is("name", &target.name)
        })
    }
}

/// Keeps a field of `spec` unchanged.
fn keep(before: &Value, now: &mut Value, field: &str) {
    let old = before.get("spec").and_then(|spec| spec.get(field)).cloned();
    let Some(spec) = now.get_mut("spec").and_then(Value::as_object_mut) else { return };
    match old {
        Some(old) => spec.insert(field.to_owned(), old),
        None => spec.remove(field),
    };
}

/// Leaves the annotation of a restart out, unless it was written.
fn forget_restart(before: &Value, now: &mut Value) {
    let annotations = "/spec/template/metadata/annotations";
    if before.pointer(annotations).is_some_and(|all| all.get(RESTARTED).is_some()) {
        return;
    }
    let Some(all) = now.pointer_mut(annotations).and_then(Value::as_object_mut) else { return };
    all.remove(RESTARTED);
    if all.is_empty()
        && before.pointer(annotations).is_none()
        && let Some(metadata) = now.pointer_mut("/spec/template/metadata").and_then(Value::as_object_mut)
    {
        metadata.remove("annotations");
    }
}
