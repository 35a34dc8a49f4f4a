//! Writes the files of a service as they are now: calls may have scaled, patched, rolled back or deleted its objects since.
//!
//! *Knows*: the objects as applied and as they are now. *Must not know*: the calls. Deleted objects are taken out, unless nothing
//! would be left: no text without objects can be applied.

use planarium_kernel::SortedMap;
use planarium_kube::{KindId, Kube, ObjectRef};
use planarium_protocol::input::LoadService;
use planarium_source::yaml::{
    DocumentRemoval, Node, Reader, apply_changes, changes, documents_removed, items_removed,
};
use planarium_source::{Diagnostics, FileId, SourceFile, Span};
use serde_json::{Map, Value};

use super::{Daemon, Service, keys};
use crate::definition::Item;
use crate::plans::{self, Member};

/// A restart is an annotation of the template that does not belong in a file.
const RESTARTED: &str = "kubectl.kubernetes.io/restartedAt";

/// Field of Jobs that the cluster deletes some time after their end.
const ENDS_ITSELF: &str = "ttlSecondsAfterFinished";

impl Daemon {
    /// Returns the request as it would be written now; `None` if it still describes what runs.
    pub(super) fn current_request(&self, name: &str, kube: &Kube) -> Option<LoadService> {
        let (_, service) = self.find(name)?;
        let mut edits: SortedMap<FileId, Vec<(Span, String)>> = SortedMap::new();
        let mut gone: SortedMap<FileId, Vec<Span>> = SortedMap::new();
        for (item, key) in service.definition.items().iter().zip(keys(&service.definition)) {
            let member = service.keys.get(&key).and_then(|at| service.members.get(at));
            let Some(member) = member.filter(|member| member.is(item)) else { continue };
            if service.is_deleted(item, member, kube) {
                gone.entry(item.node.span.file).or_default().push(item.node.span);
                continue;
            }
            let own = service.edits(item, member, kube);
            if !own.is_empty() {
                edits.entry(item.node.span.file).or_default().extend(own);
            }
        }
        let mut load = LoadService::clone(&service.load);
        let left = service.definition.items().len().saturating_sub(gone.values().map(Vec::len).sum());
        let gone = if left == 0 { SortedMap::new() } else { gone };
        for (file, spans) in gone {
            let source = service.definition.sources().get(file)?;
            match objects_removed(source, file, &spans) {
                DocumentRemoval::Edits(own) => edits.entry(file).or_default().extend(own),
                DocumentRemoval::Everything => {
                    edits.remove(&file);
                    load.files.remove(source.name());
                }
            }
        }
        for (file, edits) in edits {
            let name = service.definition.sources().get(file)?.name();
            let text = load.files.get_mut(name)?;
            *text = apply_changes(text, edits);
        }
        (load.files != service.load.files).then_some(load)
    }
}

impl Service {
    /// Returns whether an object was there and was deleted. Pods, and Jobs that delete themselves after their end, stay: the cluster
    /// deletes them without a call, such as those of a lost machine.
    fn is_deleted(&self, item: &Item, member: &Member, kube: &Kube) -> bool {
        let Some(kind) = member.kind.filter(|_| !self.leaving && member.refused.is_none()) else {
            return false;
        };
        let live = kube.get(ObjectRef::new(kind, &member.namespace, &member.name));
        let by_itself =
            kind == KindId::POD || item.full.get("spec").is_some_and(|spec| spec.get(ENDS_ITSELF).is_some());
        !by_itself && live.is_none_or(|object| object.deletion.is_some())
    }

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

/// Returns the edits that take the objects at these places out of a file: documents, or items of lists.
fn objects_removed(source: &SourceFile, file: FileId, gone: &[Span]) -> DocumentRemoval {
    let text = source.text();
    let roots: Vec<Node> = Reader::new(text, file)
        .all(&mut Diagnostics::new())
        .into_iter()
        .filter_map(|parsed| parsed.root)
        .filter(|root| !root.is_null())
        .collect();
    let mut edits = Vec::new();
    let mut whole = Vec::new();
    for (at, root) in roots.iter().enumerate() {
        if take_out(root, text, gone, &mut edits) {
            whole.push(at);
        }
    }
    match documents_removed(file, text, &roots, &whole) {
        DocumentRemoval::Edits(own) => {
            edits.extend(own);
            DocumentRemoval::Edits(edits)
        }
        DocumentRemoval::Everything => DocumentRemoval::Everything,
    }
}

/// Returns whether an object, or every object of a list, goes. Otherwise adds the edits that take some out of the list.
fn take_out(node: &Node, text: &str, gone: &[Span], edits: &mut Vec<(Span, String)>) -> bool {
    let is_list = node.get("kind").and_then(Node::as_str).is_some_and(|kind| kind.ends_with("List"));
    let list = node.entry("items").filter(|entry| is_list && entry.value.as_sequence().is_some());
    let Some(entry) = list else { return gone.contains(&node.span) };
    let items = entry.value.as_sequence().unwrap_or_default();
    let (mut own, mut out) = (Vec::new(), Vec::new());
    for (at, item) in items.iter().enumerate() {
        if take_out(item, text, gone, &mut own) {
            out.push(at);
        }
    }
    if out.len() == items.len() {
        return true;
    }
    edits.extend(own);
    edits.extend(items_removed(&entry.value, Some(&entry.key), text, &out));
    false
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
