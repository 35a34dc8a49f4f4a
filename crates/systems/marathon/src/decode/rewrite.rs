//! Rewrites the text of a definition after calls have changed it: scaled, given another command, rolled back, deleted, added.
//!
//! *Knows*: positions of fields, apps and groups in the text. *Must not know*: the calls. Fields missing in the text stay missing,
//! unless they have changed. Apps, pods and groups that no longer exist are taken out. An app that a call has added to a group, or beside a
//! list of apps, is written with the fields in which it differs from an app that says nothing else.

use super::files::Piece;
use super::{Loaded, What};
use crate::definition::RunSpec;
use crate::definition::peek::Peek;
use crate::definition::posted::PostedSpec;
use crate::definition::write::{Dates, spec};
use crate::groups::Root;
use crate::id::PathId;
use crate::settings::Settings;
use planarium_kernel::{SortedMap, SortedSet};
use planarium_part::Definition as _;
use planarium_protocol::input::LoadService;
use planarium_protocol::json;
use planarium_source::yaml::{Node, apply_changes, changes, items_changed, list_added};
use planarium_source::{FileId, SourceFile, Span};
use serde_json::{Map, Value};
use std::sync::Arc;

/// Fields that every call changes.
const ALWAYS: [&str; 2] = ["version", "versionInfo"];

/// Edits by file.
type Edits = SortedMap<FileId, Vec<(Span, String)>>;

/// The part of what runs now that a definition covers.
pub(crate) struct Now<'a> {
    /// All groups, apps and pods.
    pub(crate) root: &'a Root,
    /// The flags, with which fields that nobody wrote are filled in.
    pub(crate) settings: &'a Settings,
    /// Formats of instants.
    pub(crate) dates: &'a dyn Dates,
    /// Returns whether an app or group belongs to another definition.
    pub(crate) elsewhere: &'a dyn Fn(&PathId) -> bool,
    /// True if no other definition runs, so that every app belongs to this one.
    pub(crate) alone: bool,
}

/// The request as it would be written now; none where nothing has changed, or nothing of it exists. `before` are the apps and pods
/// that it made.
pub(crate) fn rewritten(
    loaded: &Loaded,
    load: &LoadService,
    before: &[Arc<RunSpec>],
    now: &Now<'_>,
) -> Option<LoadService> {
    if before.is_empty() {
        // It was refused.
        return None;
    }
    let pieces = &loaded.0.pieces;
    let group = loaded.body().is_some_and(|body| body.what == What::Group);
    let mut edits = Edits::new();
    let mut empty: Vec<FileId> = Vec::new();
    if group {
        let id = loaded.id();
        now.root.group(&id)?;
        let changed = |piece: &&Piece| has_gone(&piece.json, &id, now.root) || now.has_more(&piece.json, &id);
        if let Some(piece) = pieces.first().filter(changed) {
            now.follow(piece.node(), &id, text_of(loaded, piece.node()), &mut edits);
        }
    } else {
        empty = now.follow_lists(loaded, &mut edits)?;
    }
    for old in before {
        let Some(new) = now.root.spec(&old.id) else { continue };
        if Arc::ptr_eq(old, new) {
            continue;
        }
        let id = &old.id;
        let (old, new) = (comparable(old, now.dates), comparable(new, now.dates));
        if old == new {
            continue;
        }
        let Some(node) = pieces.iter().find_map(|piece| find(piece.node(), &PathId::root(), id)) else {
            continue;
        };
        let own = changes(node, text_of(loaded, node), &old, &new, &|_| true);
        edits.entry(node.span.file).or_default().extend(own);
    }
    let mut files = load.files.clone();
    for (file, edits) in edits {
        let text = files.get_mut(loaded.sources().get(file)?.name())?;
        *text = apply_changes(text, edits);
    }
    for file in empty {
        files.remove(loaded.sources().get(file)?.name());
    }
    (files != load.files).then(|| LoadService { files, ..load.clone() })
}

/// An app or pod without the fields that every call changes.
fn comparable(of: &RunSpec, dates: &dyn Dates) -> Value {
    let mut value = spec(of, dates);
    if let Some(fields) = value.as_object_mut() {
        fields.retain(|key, _| !ALWAYS.contains(&key.as_str()));
    }
    value
}

fn text_of<'l>(loaded: &'l Loaded, node: &Node) -> &'l str {
    loaded.sources().get(node.span.file).map_or("", SourceFile::text)
}

/// Returns the id of an app or pod that is not written inside a group.
fn id_of(piece: &Piece) -> PathId {
    PathId::absolute(piece.json.word("id"))
}

/// Returns whether an app or a group in a group no longer exists. Pods in the body of a group are ignored by Marathon.
fn has_gone(group: &Value, id: &PathId, now: &Root) -> bool {
    let own = |item: &Value| PathId::resolve(item.word("id"), id);
    let spec = |item: &Value| now.spec(&own(item)).is_none();
    let inner = |item: &Value| now.group(&own(item)).is_none() || has_gone(item, &own(item), now);
    group.items("apps").iter().any(spec) || group.items("groups").iter().any(inner)
}

impl Now<'_> {
    /// Returns whether apps, or empty groups, of a group are not in a body.
    fn has_more(&self, body: &Value, id: &PathId) -> bool {
        let mut listed = SortedSet::new();
        list(body, id, &mut listed);
        let is_new = |id: &PathId| !listed.contains(id) && !(self.elsewhere)(id);
        self.root.specs_within(id).any(|spec| spec.is_app() && spec.id != *id && is_new(&spec.id))
            || self.root.groups_within(id).any(|(id, _)| is_new(id) && self.root.is_empty_group(id))
    }

    /// Takes apps and groups that no longer exist out of the text of a group, and adds those that are not in it.
    fn follow(&self, group: &Node, id: &PathId, text: &str, edits: &mut Edits) {
        let mut inner = Vec::new();
        for key in ["apps", "groups"] {
            let is_group = key == "groups";
            let entry = group.entry(key);
            if entry.is_some_and(|entry| entry.merged) {
                continue;
            }
            let items = entry.and_then(|entry| entry.value.as_sequence()).unwrap_or_default();
            let (mut gone, mut listed) = (Vec::new(), SortedSet::new());
            for (at, node) in items.iter().enumerate() {
                let written = node.get("id").and_then(Node::as_scalar).map_or("", |id| &*id.text);
                let own = PathId::resolve(written, id);
                let exists =
                    if is_group { self.root.group(&own).is_some() } else { self.root.spec(&own).is_some() };
                if !exists {
                    gone.push(at);
                } else if is_group {
                    inner.push((node, own.clone()));
                }
                listed.insert(own);
            }
            let added = if is_group { self.groups_of(id, &listed) } else { self.apps_of(id, &listed) };
            let own = match entry {
                Some(_) if gone.is_empty() && added.is_empty() => continue,
                Some(entry) => items_changed(&entry.value, Some(&entry.key), text, &gone, &added, "id"),
                None if added.is_empty() => continue,
                None => list_added(group, key, text, &added, "id"),
            };
            edits.entry(group.span.file).or_default().extend(own);
        }
        // *Order*: of edits at one place the later one comes first in the text, and a group's own lines before what follows it.
        for (node, own) in inner {
            self.follow(node, &own, text, edits);
        }
    }

    /// Takes apps and pods that no longer exist out of files with lists, and adds the apps that are in none to the first list that
    /// keeps an item. Returns the files that lose all of their items; `None` if nothing is left.
    fn follow_lists(&self, loaded: &Loaded, edits: &mut Edits) -> Option<Vec<FileId>> {
        let pieces = &loaded.0.pieces;
        let is_gone = |piece: &Piece| self.root.spec(&id_of(piece)).is_none();
        let mut added = self.beside(pieces);
        let mut empty = Vec::new();
        let mut from = 0;
        while let Some(first) = pieces.get(from) {
            let file = first.file();
            let own = pieces.iter().skip(from).take_while(|piece| piece.file() == file);
            let own: Vec<&Piece> = own.collect();
            from += own.len().max(1);
            let gone: Vec<usize> =
                own.iter().filter(|piece| is_gone(piece)).filter_map(|piece| piece.item()).collect();
            if own.iter().all(|piece| is_gone(piece)) {
                empty.push(file);
            } else if let Some((list, key)) = first.list() {
                let added = std::mem::take(&mut added);
                if gone.is_empty() && added.is_empty() {
                    continue;
                }
                let all = items_changed(list, key, text_of(loaded, list), &gone, &added, "id");
                edits.entry(file).or_default().extend(all);
            }
        }
        pieces.iter().any(|piece| !empty.contains(&piece.file())).then_some(empty)
    }

    /// The apps that no piece is about, under their whole ids; none while another definition runs.
    fn beside(&self, pieces: &[Piece]) -> Vec<Value> {
        if !self.alone {
            return Vec::new();
        }
        let listed: SortedSet<PathId> = pieces.iter().map(id_of).collect();
        let is_new = |spec: &&Arc<RunSpec>| spec.is_app() && !listed.contains(&spec.id);
        let root = PathId::root();
        let all = self.root.specs_within(&root).filter(is_new);
        all.map(|spec| {
            let mut app = self.written(spec);
            if let Some(fields) = app.as_object_mut() {
                fields.insert("id".to_owned(), spec.id.as_str().into());
            }
            app
        })
        .collect()
    }

    /// The apps right in a group that are not listed.
    fn apps_of(&self, group: &PathId, listed: &SortedSet<PathId>) -> Vec<Value> {
        let is_new = |spec: &&Arc<RunSpec>| {
            spec.is_app()
                && spec.id != *group
                && spec.id.is_right_in(group)
                && !listed.contains(&spec.id)
                && !(self.elsewhere)(&spec.id)
        };
        self.root.specs_within(group).filter(is_new).map(|spec| self.written(spec)).collect()
    }

    /// The groups right in a group that are not listed, with their apps. A group of pods alone cannot be written.
    fn groups_of(&self, group: &PathId, listed: &SortedSet<PathId>) -> Vec<Value> {
        let is_new = |id: &PathId| !listed.contains(id) && !(self.elsewhere)(id);
        let all = self.root.subgroups(group).filter(|(id, _)| is_new(id));
        all.filter_map(|(id, group)| {
            let none = SortedSet::new();
            let (apps, groups) = (self.apps_of(id, &none), self.groups_of(id, &none));
            if apps.is_empty() && groups.is_empty() && !self.root.is_empty_group(id) {
                return None;
            }
            let mut all: Map<String, Value> =
                [("id".to_owned(), Value::from(id.name()))].into_iter().collect();
            if group.enforce {
                all.insert("enforceRole".to_owned(), true.into());
            }
            let needs: Vec<Value> = group.dependencies.iter().map(|id| Value::from(id.as_str())).collect();
            for (key, items) in [("dependencies", needs), ("apps", apps), ("groups", groups)] {
                // Only a list of apps tells an empty group from an app.
                if !items.is_empty() || key == "apps" {
                    all.insert(key.to_owned(), items.into());
                }
            }
            Some(Value::Object(all))
        })
        .collect()
    }

    /// An app as somebody would write it: without fields that say what is filled in anyway.
    fn written(&self, app: &RunSpec) -> Value {
        let whole = comparable(app, self.dates);
        let mut short = whole.clone();
        let usual =
            self.read(&json!({"id": (app.id.as_str()), "cmd": "true"})).map(|usual| plain(usual, self.dates));
        if let (Some(fields), Some(usual)) = (short.as_object_mut(), usual) {
            let now = without_ports(whole.clone());
            fields.retain(|key, _| key == "id" || now.get(key) != usual.get(key));
        }
        let again = self.read(&short).map(|again| plain(again, self.dates));
        let mut written = if again == Some(without_ports(whole.clone())) { short } else { whole };
        if let Some(fields) = written.as_object_mut() {
            fields.insert("id".to_owned(), app.id.name().into());
        }
        written
    }

    /// Reads an app as a call would; `None` if it is refused.
    fn read(&self, app: &Value) -> Option<RunSpec> {
        let posted = PostedSpec::app(Arc::new(app.clone()));
        let roles = self.root.roles_for(posted.id(), self.settings, false);
        posted.spec(self.settings, &roles).ok()
    }
}

/// An app without what every call changes, and without the ports that it is given.
fn plain(app: RunSpec, dates: &dyn Dates) -> Value {
    without_ports(comparable(&app, dates))
}

/// Leaves the numbers of service ports out: those of an app that asks for none are the next ones that are free.
fn without_ports(mut app: Value) -> Value {
    if let Some(Value::Array(ports)) = app.get_mut("portDefinitions") {
        for port in ports.iter_mut().filter_map(Value::as_object_mut) {
            port.insert("port".to_owned(), 0.into());
        }
    }
    app
}

/// Lists the apps and groups of a body.
fn list(body: &Value, id: &PathId, listed: &mut SortedSet<PathId>) {
    listed.insert(id.clone());
    listed.extend(body.items("apps").iter().map(|app| PathId::resolve(app.word("id"), id)));
    for group in body.items("groups") {
        list(group, &PathId::resolve(group.word("id"), id), listed);
    }
}

/// The node of an app or pod, by its whole id.
pub(super) fn find<'n>(node: &'n Node, base: &PathId, wanted: &PathId) -> Option<&'n Node> {
    let written = node.get("id").and_then(Node::as_scalar).map_or("", |id| &*id.text);
    let own = PathId::resolve(written, base);
    let holds = |key: &str| node.get(key).and_then(Node::as_sequence).unwrap_or_default();
    let inside = ["apps", "pods", "groups"].into_iter().flat_map(holds);
    let is_group = node.get("apps").is_some() || node.get("groups").is_some() || node.get("pods").is_some();
    if !is_group && own == *wanted {
        return Some(node);
    }
    inside.into_iter().find_map(|node| find(node, &own, wanted))
}
