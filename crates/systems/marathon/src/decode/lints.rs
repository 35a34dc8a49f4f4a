//! Warnings about things that Marathon takes without a word.
//!
//! *Knows*: fields without an effect, dependencies without one. *Must not know*: rules that refuse.

use super::files::Piece;
use super::{Body, What, place};
use crate::codes;
use crate::definition::RunSpec;
use crate::definition::peek::Peek;
use crate::definition::posted::PostedSpec;
use crate::groups::change::Posted;
use crate::id::PathId;
use crate::schema::{self, Shape, app, group, pod};
use planarium_source::yaml::Node;
use planarium_source::{Diagnostic, Diagnostics, suggest};
use serde_json::Value;
use std::sync::Arc;

/// Reports unknown fields. `group` is the parsed group, if it is one. Not by [`planarium_source::read::MapReader`]: the schema that
/// Marathon reads JSON with finds them, by path.
pub(super) fn unknown_fields(
    pieces: &[Piece],
    group: Option<&Posted>,
    specs: &[Arc<PostedSpec>],
    found: &mut Diagnostics,
) {
    for (at, piece) in pieces.iter().enumerate() {
        let shape: &Shape = match piece.what {
            What::App | What::Apps => &app::APP,
            What::Pod => &pod::POD,
            What::Group => &group::GROUP,
        };
        let unknown = match (group, specs.get(at)) {
            (Some(group), _) => group.unknown().to_vec(),
            (None, Some(spec)) if spec.is_app() == (piece.what != What::Pod) => spec.unknown().to_vec(),
            (None, _) => schema::read(shape, &piece.json, piece.what == What::Group).unknown,
        };
        for path in unknown {
            tell(piece, shape, &path, found);
        }
    }
}

fn tell(piece: &Piece, shape: &Shape, path: &str, found: &mut Diagnostics) {
    let (within, name) = path.rsplit_once('/').unwrap_or(("", path));
    let span = key_span(piece.node(), within, name);
    let output = app::OUTPUT_ONLY.contains(&name) || group::OUTPUT_ONLY.contains(&name);
    if output {
        let text = format!("'{name}' stands in answers only and is ignored");
        found.push(Diagnostic::info(codes::OUTPUT_FIELD, span, text).with_help("leave it out"));
        return;
    }
    let known = if within.is_empty() { Some(shape) } else { inner(shape, within) };
    let near = known.and_then(|shape| suggest(name, shape.fields.iter().map(|field| field.name)));
    let is_command = name == "command" || suggest(name, ["command"]).is_some();
    let near = near.or_else(|| (within.is_empty() && is_command).then_some("cmd"));
    let help = match near {
        None if within.is_empty() && name == "run" => {
            "a job of Metronome is written so, and jobs are not simulated; an app has its 'cmd' beside its 'id'".to_owned()
        }
        Some(near) => format!("did you mean '{near}'? Marathon ignores fields that it does not know"),
        None => "Marathon ignores fields that it does not know".to_owned(),
    };
    let text = format!("There is no field '{name}' here");
    found.push(Diagnostic::warning(codes::UNKNOWN_FIELD, span, text).with_help(help));
}

/// The key that a path ends with.
fn key_span(root: &Node, within: &str, name: &str) -> planarium_source::Span {
    let mut node = root;
    for part in within.split('/').filter(|part| !part.is_empty()) {
        let key = part.split('(').next().unwrap_or(part);
        let Some(next) = node.get(key) else { return place::find(root, within) };
        node = next;
        let mut indices = part.get(key.len()..).unwrap_or_default();
        while let Some((at, rest)) = place::index(indices) {
            let Some(item) = node.as_sequence().and_then(|items| items.get(at)) else {
                return place::find(root, within);
            };
            (node, indices) = (item, rest);
        }
    }
    node.entry(name).map_or_else(|| place::find(root, within), |entry| entry.key.span)
}

/// The shape that a path leads to.
fn inner(shape: &Shape, within: &str) -> Option<&'static Shape> {
    let mut found: Option<&'static Shape> = None;
    for part in within.split('/').filter(|part| !part.is_empty()) {
        let name = part.split('(').next().unwrap_or(part);
        let fields = found.map_or(shape.fields, |shape| shape.fields);
        let mut kind = &fields.iter().find(|field| field.name == name)?.kind;
        if let schema::Kind::List { of, .. } = kind {
            kind = of;
        }
        found = match kind {
            schema::Kind::Object(shape) => Some(shape),
            _ => return None,
        };
    }
    found
}

/// Dependencies that order nothing.
pub(super) fn dependencies(pieces: &[Piece], body: &Body, specs: &[Arc<RunSpec>], found: &mut Diagnostics) {
    let sorted = |specs: &mut dyn Iterator<Item = &Arc<RunSpec>>| {
        let mut ids: Vec<PathId> = specs.map(|spec| spec.id.clone()).collect();
        planarium_kernel::sorted::sort(&mut ids);
        ids
    };
    let all = sorted(&mut specs.iter());
    let apps = sorted(&mut specs.iter().filter(|spec| spec.is_app()));
    let is_app = |id: &PathId| apps.binary_search(id).is_ok();
    // Members of a group follow its id.
    let is_group =
        |id: &PathId| all.get(all.partition_point(|one| one <= id)).is_some_and(|next| next.is_within(id));
    let wrong = |group: bool, needed: &PathId| {
        if group { is_app(needed) && !is_group(needed) } else { !is_app(needed) && !is_group(needed) }
    };
    for piece in pieces {
        let top = PathId::absolute(piece.json.word("id"));
        let look = |node: &Node, visit: &mut Visit<'_>| match body.what {
            What::Group => walk(&piece.json, node, &top, visit),
            What::App | What::Apps | What::Pod => each(&piece.json, node, &top.parent(), false, visit),
        };
        // Places are looked for where there is something to point at.
        let mut any = false;
        let nowhere = Node::null(planarium_source::Span::default());
        look(&nowhere, &mut |_, group, needed, _| any = any || wrong(group, needed));
        if any {
            look(piece.node(), &mut |node, group, needed, text| {
                if wrong(group, needed) {
                    no_effect(node, group, text, found);
                }
            });
        }
    }
}

type Visit<'v> = dyn FnMut(&Node, bool, &PathId, &str) + 'v;

fn each(json: &Value, node: &Node, base: &PathId, group: bool, visit: &mut Visit<'_>) {
    let nodes = node.get("dependencies").and_then(Node::as_sequence).unwrap_or_default();
    for (at, text) in json.texts("dependencies").into_iter().enumerate() {
        visit(nodes.get(at).unwrap_or(node), group, &PathId::resolve(text, base), text);
    }
}

/// Every dependency in a group; `id` is the group's.
fn walk(json: &Value, node: &Node, id: &PathId, visit: &mut Visit<'_>) {
    each(json, node, id, true, visit);
    let items = |key: &str| node.get(key).and_then(Node::as_sequence).unwrap_or_default();
    for (at, app) in json.items("apps").iter().enumerate() {
        each(app, items("apps").get(at).unwrap_or(node), id, false, visit);
    }
    for (at, group) in json.items("groups").iter().enumerate() {
        let inner = PathId::resolve(group.word("id"), id);
        walk(group, items("groups").get(at).unwrap_or(node), &inner, visit);
    }
}

fn no_effect(node: &Node, group: bool, text: &str, found: &mut Diagnostics) {
    let finding = if group {
        let message =
            format!("'{text}' is an app: a group can only depend on groups, and this has no effect");
        Diagnostic::warning(codes::NO_SUCH_DEPENDENCY, node.span, message)
            .with_help("depend on the group that the app stands in, or let the apps depend on it themselves")
    } else {
        let message = format!("Nothing here is called '{text}'");
        Diagnostic::info(codes::NO_SUCH_DEPENDENCY, node.span, message)
            .with_help("if nothing else is called so either, the dependency has no effect")
    };
    found.push(finding);
}

/// Fields that are read and checked and make no difference here.
const KEPT: [(&str, &str); 7] = [
    ("fetch", "nothing is downloaded"),
    ("uris", "nothing is downloaded"),
    ("user", "simulated processes have no user"),
    ("tty", "simulated processes have no terminal"),
    ("secrets", "secrets have no values here"),
    ("resourceLimits", "simulated processes stay within what they ask for"),
    ("executorResources", "only executors of one's own need them"),
];

/// Returns the fields present among those without an effect.
pub(super) fn kept(body: &Value) -> Vec<(String, &'static str)> {
    let mut found: Vec<(String, &'static str)> = Vec::new();
    gather(body, &mut found);
    found
}

fn gather(json: &Value, found: &mut Vec<(String, &'static str)>) {
    for (name, why) in KEPT {
        if json.holds(name) && !found.iter().any(|(own, _)| own == name) {
            found.push((name.to_owned(), why));
        }
    }
    for inner in
        json.items("apps").iter().chain(json.items("groups")).chain(json.as_array().into_iter().flatten())
    {
        gather(inner, found);
    }
}
