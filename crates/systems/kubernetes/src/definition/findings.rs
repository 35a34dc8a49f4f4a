//! Reads objects from documents, with the findings of the API server and of a reader.
//!
//! *Knows*: one text. *Must not know*: a cluster.

use std::sync::Arc;

use planarium_kernel::{SortedMap, SortedSet};
use planarium_kube::{KindInfo, Reviewer, references};
use planarium_protocol::Text;
use planarium_protocol::view::SourceRef;
use planarium_source::yaml::Node;
use planarium_source::{Diagnostic, Diagnostics, Fix, SourceMap, Span, suggest};
use serde_json::{Map, Value};

use super::{Identity, Item, Loaded, place, versions};
use crate::{codes, plans};

/// Objects, and fields without an effect.
#[derive(Default)]
pub(super) struct Read {
    pub(super) items: Vec<Item>,
    pub(super) kept: Vec<(String, &'static str)>,
}

/// Kinds without a controller here, with the reason.
const KEPT: &[(&str, &str)] = &[
    ("Ingress", "no traffic is simulated"),
    ("IngressClass", "no traffic is simulated"),
    ("NetworkPolicy", "no traffic is simulated"),
    ("Role", "everybody may do everything"),
    ("RoleBinding", "everybody may do everything"),
    ("ClusterRole", "everybody may do everything"),
    ("ClusterRoleBinding", "everybody may do everything"),
    ("Lease", "nobody elects a leader"),
    ("MutatingWebhookConfiguration", "webhooks from outside are not called"),
    ("ValidatingWebhookConfiguration", "webhooks from outside are not called"),
    ("ReplicationController", "it has no controller here; write a Deployment"),
];

/// Makes objects of documents.
pub(super) fn items(
    nodes: Vec<Node>,
    namespace: Option<&str>,
    sources: &SourceMap,
    found: &mut Diagnostics,
) -> Read {
    let mut reader = Reader { reviewer: Reviewer::default(), namespace, sources, read: Read::default() };
    for node in &nodes {
        let is_definition = word(node, "kind") == "CustomResourceDefinition";
        if is_definition {
            reader.reviewer.serve(&node.to_go_json());
        }
    }
    for node in nodes {
        reader.object(node, found);
    }
    let read = reader.read;
    twice(&read.items, found);
    around(&read.items, namespace, found);
    read
}

fn word<'n>(node: &'n Node, key: &str) -> &'n str {
    node.get(key).and_then(Node::as_str).unwrap_or_default()
}

/// An object that is not applied.
struct LeftOut;

struct Reader<'r> {
    reviewer: Reviewer,
    namespace: Option<&'r str>,
    sources: &'r SourceMap,
    read: Read,
}

impl Reader<'_> {
    fn object(&mut self, node: Node, found: &mut Diagnostics) {
        let start = Span::at(node.span.file, node.span.start);
        let (api_version, kind) = (word(&node, "apiVersion").to_owned(), word(&node, "kind").to_owned());
        for (key, value) in [("apiVersion", &api_version), ("kind", &kind)] {
            if value.is_empty() {
                let text = format!("Object '{key}' is missing");
                let help = "every object begins with 'apiVersion' and 'kind'";
                found.push(Diagnostic::error(codes::NO_OBJECT, start, text).with_help(help));
                return;
            }
        }
        let Ok(info) = self.kind(&node, &api_version, &kind, found) else { return };
        let mut value = node.to_go_json();
        let Some(name) = name_of(&node, &kind, found) else { return };
        let own = node.at(&["metadata", "namespace"]).and_then(Node::as_str).unwrap_or_default();
        let namespaced = info.as_ref().is_none_or(|info| info.namespaced);
        let given = match (self.namespace, own) {
            _ if !namespaced => "",
            (Some(asked), own) if !own.is_empty() && own != asked => {
                let text = format!(
                    "the namespace from the provided object {own:?} does not match the namespace {asked:?}. You must pass \
                     '--namespace={own}' to perform this operation."
                );
                let span = place::of_field(&node, "metadata.namespace");
                let help = "leave the namespace out of the object, or out of the request";
                found.push(Diagnostic::error(codes::OTHER_NAMESPACE, span, text).with_help(help));
                return;
            }
            (Some(asked), _) => asked,
            (None, "") => "default",
            (None, own) => own,
        };
        put_namespace(&mut value, given);
        let known = info.is_some();
        let full = if known { self.review(&node, &value, found) } else { None };
        if let Some(info) = &info
            && let Some((_, why)) = KEPT.iter().find(|(kind, _)| **kind == *info.kind)
        {
            self.read.kept.push((format!("{}/{name}", info.singular), why));
        }
        let group = api_version.rsplit_once('/').map_or("", |(group, _)| group);
        let qualified = match &info {
            Some(info) if info.group.is_empty() => info.singular.to_string(),
            Some(info) => format!("{}.{}", info.singular, info.group),
            None => format!("{}.{group}", kind.to_lowercase()),
        };
        let value = Arc::new(value);
        self.read.items.push(Item {
            full: full.map_or_else(|| Arc::clone(&value), Arc::new),
            value,
            api_version: api_version.into(),
            kind: kind.into(),
            word: qualified.into(),
            namespace: given.into(),
            name: name.into(),
            source: self.source(start),
            node,
        });
    }

    fn source(&self, at: Span) -> Option<SourceRef> {
        let file = self.sources.get(at.file)?;
        let place = file.position(at.start);
        Some(SourceRef { file: file.name().into(), line: place.line, column: place.column })
    }

    /// Returns the kind of an object; `None` for a custom kind not defined here. *Errors*: it cannot be applied.
    fn kind(
        &self,
        node: &Node,
        api_version: &str,
        kind: &str,
        found: &mut Diagnostics,
    ) -> Result<Option<Arc<KindInfo>>, LeftOut> {
        let removed = versions::removed(api_version, kind);
        let served =
            self.reviewer.find_kind(api_version, kind).and_then(|kind| self.reviewer.kind_info(kind));
        let version_at = place::of_field(node, "apiVersion");
        if let Some(removed) = removed {
            let text = format!("{kind} in {api_version} was removed in Kubernetes {}", removed.release);
            let help = match removed.successor {
                "" => "there is no successor: leave it out".to_owned(),
                successor => {
                    format!("write 'apiVersion: {successor}', and look at the fields that changed with it")
                }
            };
            // Versions that the cluster still reads are accepted.
            let finding = match served {
                Some(_) => Diagnostic::warning(codes::REMOVED, version_at, text),
                None => Diagnostic::error(codes::REMOVED, version_at, text),
            };
            let finding = match removed.successor {
                "" => finding,
                successor => finding.with_fix(format!("Write {successor}"), version_at, successor),
            };
            found.push(finding.with_help(help));
            return served.map(|info| Some(Arc::clone(info))).ok_or(LeftOut);
        }
        if let Some(info) = served {
            return Ok(Some(Arc::clone(info)));
        }
        let group = api_version.rsplit_once('/').map_or("", |(group, _)| group);
        let same: Vec<&Arc<KindInfo>> = self.reviewer.kinds().filter(|info| *info.kind == *kind).collect();
        if versions::is_upstream(group, kind) {
            let text = format!("{kind} ({api_version}) is not simulated; it is left out");
            let help = "nothing here depends on it; a real cluster takes it";
            found.push(
                Diagnostic::warning(codes::NOT_SIMULATED, place::of_field(node, "kind"), text)
                    .with_help(help),
            );
            return Err(LeftOut);
        }
        let text = format!("no matches for kind {kind:?} in version {api_version:?}");
        if let Some(info) = same.first().filter(|_| versions::is_own_group(group)) {
            let meant = info.preferred();
            let help = format!("{kind} is a kind of {meant}");
            let finding = Diagnostic::error(codes::WRONG_VERSION, version_at, text).with_help(help);
            found.push(finding.with_fix(format!("Write {meant}"), version_at, meant.to_string()));
            return Err(LeftOut);
        }
        if versions::is_own_group(group) {
            let kind_at = place::of_field(node, "kind");
            let known = self.reviewer.kinds().map(|info| &*info.kind);
            let finding = Diagnostic::error(codes::UNKNOWN_KIND, kind_at, text);
            found.push(finding.with_meant(
                suggest(kind, known),
                |meant| Some(Fix::new(format!("Write {meant}"), kind_at, meant)),
                || "see 'kubectl api-resources' for the kinds that there are",
            ));
            return Err(LeftOut);
        }
        let text = format!("{text}: its CustomResourceDefinition is not among these objects");
        let help = format!(
            "ensure CRDs are installed first: load the definition of {kind} in {group} before, else the object is refused"
        );
        found.push(
            Diagnostic::warning(codes::NO_DEFINITION, place::of_field(node, "kind"), text).with_help(help),
        );
        Ok(None)
    }

    /// Returns the object with defaults; `None` if it is refused. The API's schema finds unknown fields, not a
    /// [`planarium_source::read::MapReader`].
    fn review(&self, node: &Node, value: &Value, found: &mut Diagnostics) -> Option<Value> {
        for unknown in self.reviewer.unknown_fields(value) {
            let span = key_of(node, &unknown.within, &unknown.name);
            let text = format!("unknown field {:?}", unknown.path());
            let finding = Diagnostic::warning(codes::UNKNOWN_FIELD, span, text);
            found.push(finding.with_meant(
                suggest(&unknown.name, unknown.known.iter().copied()),
                |meant| Some(Fix::new(format!("Write {meant}"), span, meant)),
                || "the server drops it, and kubectl refuses it when it validates",
            ));
        }
        if let Some(mismatch) = self.reviewer.mismatch(value) {
            let path = mismatch.field.split_once('.').map_or("", |(_, path)| path);
            let span = place::of_mismatch(node, path, mismatch.got);
            let text = format!("{path} has to be of type {}, and is a {}", mismatch.wanted, mismatch.got);
            let finding = Diagnostic::error(codes::WRONG_TYPE, span, text);
            found.push(finding.with_help(match (mismatch.wanted, mismatch.got) {
                ("string", _) => "write it in quotes",
                ("int32" | "int64", "string") => "write the number without quotes",
                _ => "see the API's description of the field",
            }));
            return None;
        }
        match self.reviewer.review(value) {
            Ok(full) => Some(full),
            Err(error) if error.causes.is_empty() => {
                let span = place::of_field(node, "kind");
                found.push(Diagnostic::error(codes::INVALID, span, error.message));
                None
            }
            Err(error) => {
                for cause in error.causes {
                    let span = place::of_field(node, &cause.field);
                    let text = format!("{}: {}", cause.field, cause.message);
                    let help = match cause.reason {
                        "FieldValueRequired" => "the field has to be there",
                        "FieldValueForbidden" => "leave the field out",
                        "FieldValueDuplicate" => "write it once",
                        _ => "give it another value; the API server refuses this one",
                    };
                    found.push(Diagnostic::error(codes::INVALID, span, text).with_help(help));
                }
                None
            }
        }
    }
}

/// The name of an object. Finds that it has none, or a generated one.
fn name_of(node: &Node, kind: &str, found: &mut Diagnostics) -> Option<String> {
    let text = |key: &str| {
        let value = node.at(&["metadata", key])?;
        value.as_str().map(str::to_owned).filter(|text| !text.is_empty())
    };
    if let Some(name) = text("name") {
        return Some(name);
    }
    let start = place::of_field(node, "metadata.name");
    if text("generateName").is_some() {
        let span = place::of_field(node, "metadata.generateName");
        let message = format!("{kind}: cannot use generate name with apply");
        let help = "give it a name; with generateName it can only be created, and each time anew";
        found.push(Diagnostic::error(codes::GENERATED_NAME, span, message).with_help(help));
    } else {
        let message = format!("{kind}: resource name may not be empty");
        let help = "write 'metadata: {name: ...}'";
        found.push(Diagnostic::error(codes::NO_OBJECT, start, message).with_help(help));
    }
    None
}

/// The key of a field inside another one.
fn key_of(node: &Node, within: &str, name: &str) -> Span {
    let path = if within.is_empty() { name.to_owned() } else { format!("{within}.{name}") };
    let outer = place::node_at(node, within).and_then(|outer| outer.entry(name)).map(|entry| entry.key.span);
    outer.unwrap_or_else(|| place::of_field(node, &path))
}

fn put_namespace(value: &mut Value, namespace: &str) {
    let Some(fields) = value.as_object_mut() else { return };
    let metadata = fields.entry("metadata").or_insert_with(|| Value::Object(Map::new()));
    let Some(metadata) = metadata.as_object_mut() else { return };
    if namespace.is_empty() {
        metadata.shift_remove("namespace");
    } else {
        metadata.insert("namespace".to_owned(), namespace.into());
    }
}

/// Objects that are written more than once: the last one is what remains.
fn twice(items: &[Item], found: &mut Diagnostics) {
    let mut seen: SortedMap<(Text, Text, Text), &Item> = SortedMap::new();
    for item in items {
        let key = (item.word.clone(), item.namespace.clone(), item.name.clone());
        if let Some(first) = seen.get(&key) {
            let span = Span::at(item.node.span.file, item.node.span.start);
            let text = format!("{} is written twice; the second one replaces the first", item.path());
            let finding = Diagnostic::warning(codes::TWICE, span, text)
                .with_label(Span::at(first.node.span.file, first.node.span.start), "first written here")
                .with_help("keep one of the two, or give one another name or namespace");
            found.push(finding);
        } else {
            seen.insert(key, item);
        }
    }
}

/// Things that objects need and that the text does not make.
fn around(items: &[Item], asked: Option<&str>, found: &mut Diagnostics) {
    let all: SortedSet<(&str, &str, &str)> =
        items.iter().map(|item| (&*item.kind, &*item.namespace, &*item.name)).collect();
    let has = |kind: &str, namespace: &str, name: &str| all.contains(&(kind, namespace, name));
    let mut told: Vec<&Text> = Vec::new();
    for item in items {
        let namespace = &item.namespace;
        let is_there = namespace.is_empty()
            || matches!(&**namespace, "default" | "kube-system" | "kube-public" | "kube-node-lease")
            || has("Namespace", "", namespace)
            || asked == Some(&**namespace);
        if !is_there && !told.contains(&namespace) {
            told.push(namespace);
            let span = place::of_field(&item.node, "metadata.namespace");
            let text = format!("Namespace {namespace} is not among these objects");
            let help = format!(
                "add a Namespace {namespace} before it, unless the cluster has it: else the object is refused as not found"
            );
            found.push(Diagnostic::info(codes::NO_NAMESPACE, span, text).with_help(help));
        }
        let Some((template, at)) = plans::template_of(&item.kind, &item.full) else { continue };
        for (kind, name) in references(template) {
            let is_given = kind == "ServiceAccount" && *name == *"default"
                || kind == "ConfigMap" && *name == *"kube-root-ca.crt";
            if !is_given && !has(kind, namespace, &name) {
                let span = place::of_field(&item.node, at);
                let text =
                    format!("{} needs the {kind} {name}, which is not among these objects", item.path());
                let help = format!(
                    "add it, unless the cluster has it: its pods wait until there is a {kind} {name}"
                );
                found.push(Diagnostic::info(codes::NO_REFERENCE, span, text).with_help(help));
            }
        }
    }
}

/// Items by what they are about; the first one where several are about one object.
fn by_name(loaded: &Loaded) -> SortedMap<Identity<'_>, &Item> {
    // Of equal keys, the map keeps the last.
    loaded.items().iter().rev().map(|item| (item.identity(), item)).collect()
}

/// Objections to `after` where `before` runs.
pub(super) fn of_change(before: &Loaded, after: &Loaded) -> Vec<Diagnostic> {
    let reviewer = Reviewer::default();
    let mut found = Diagnostics::new();
    let (old_items, new_items) = (by_name(before), by_name(after));
    for item in after.items() {
        let Some(old) = old_items.get(&item.identity()).filter(|old| old.value != item.value) else {
            continue;
        };
        let causes = match (old.reviewed(), item.reviewed()) {
            (Some(old), Some(new)) => reviewer.review_change_of_reviewed(old, new),
            _ => reviewer.review_change(&old.value, &item.value),
        };
        for cause in causes {
            let span = place::of_field(&item.node, &cause.field);
            let text = format!("{}: {}: {}", item.path(), cause.field, cause.message);
            let help = "write it as it was, or delete the object and apply it anew";
            found.push(Diagnostic::error(codes::IMMUTABLE, span, text).with_help(help));
        }
    }
    for old in before.items() {
        if !new_items.contains_key(&old.identity()) {
            let text = format!("{} is no longer in the files, and stays in the cluster", old.path());
            let help = format!("apply does not prune: delete it with 'kubectl delete {}'", old.path());
            found.push(Diagnostic::info(codes::LEFT_BEHIND, after.start(), text).with_help(help));
        }
    }
    found.into_sorted()
}
