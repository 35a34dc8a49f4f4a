//! Fixes for what keeps volumes under the role `*`: a role of its own, a group that enforces its role, a group of its own.
//!
//! *Knows*: places of ids, roles and groups in the text. *Must not know*: which roles are valid. A fix is tried before it is offered: the
//! text that it makes must have fewer findings and no new one.

use super::files::Piece;
use super::mends::{Mend, whole};
use super::{What, codes, read};
use crate::id::PathId;
use planarium_protocol::input::LoadService;
use planarium_source::yaml::{Node, changes};
use planarium_source::{Diagnostic, Fix};
use serde_json::{Map, Value};

/// Maximum number of findings that are given a fix in this way: each fix is tried by reading the text again.
const MOST: usize = 8;

/// An app or pod in the text.
struct Place<'p> {
    piece: &'p Piece,
    node: &'p Node,
    id: PathId,
    /// The top-level group around it, if the text contains that.
    top: Option<(&'p Node, PathId)>,
    /// It is a body of its own.
    alone: bool,
}

/// Adds fixes to findings about roles of what keeps volumes.
pub(super) fn mend(found: &mut [Diagnostic], pieces: &[Piece], what: What, request: &LoadService) {
    let open = |finding: &Diagnostic| [codes::RESIDENT_ROLE, codes::ROLE].contains(&&*finding.code);
    if !found.iter().any(open) {
        return;
    }
    let mut places = Vec::new();
    for piece in pieces {
        collect(piece, piece.node(), &PathId::root(), what != What::Group, None, &mut places);
    }
    let before: Vec<(String, String)> = found.iter().map(words).collect();
    for finding in found.iter_mut().filter(|finding| open(finding)).take(MOST) {
        let is_it = |place: &&Place<'_>| {
            let at = |key: &str| place.node.get(key).map(|value| value.span);
            at("id") == Some(finding.span) || at("role") == Some(finding.span)
        };
        let Some(place) = places.iter().find(is_it).filter(|place| keeps_volumes(place.node)) else {
            continue;
        };
        let fits = |mend: &Mend| helps(request, place.piece, mend, &before);
        if let Some((title, span, text)) = candidates(place).into_iter().find(fits) {
            finding.fix = Some(Fix { title, span, replacement: text });
        }
    }
}

/// Returns whether an app or pod has a persistent volume.
fn keeps_volumes(node: &Node) -> bool {
    let all = node.get("volumes").or_else(|| node.at(&["container", "volumes"])).and_then(Node::as_sequence);
    all.unwrap_or_default().iter().any(|volume| volume.get("persistent").is_some())
}

fn words(finding: &Diagnostic) -> (String, String) {
    (finding.code.to_string(), finding.message.clone())
}

/// Collects the apps and pods of a definition.
fn collect<'p>(
    piece: &'p Piece,
    node: &'p Node,
    base: &PathId,
    alone: bool,
    top: Option<&(&'p Node, PathId)>,
    places: &mut Vec<Place<'p>>,
) {
    let written = node.get("id").and_then(Node::as_scalar).map_or("", |id| &*id.text);
    let id = PathId::resolve(written, base);
    if alone || node.get("apps").is_none() && node.get("groups").is_none() {
        places.push(Place { piece, node, id, top: top.cloned(), alone });
        return;
    }
    let own = id.is_top_level().then(|| (node, id.clone()));
    let top = own.as_ref().or(top);
    for key in ["apps", "groups"] {
        for item in node.get(key).and_then(Node::as_sequence).unwrap_or_default() {
            collect(piece, item, &id, false, top, places);
        }
    }
}

/// The fixes worth trying, the smallest first.
fn candidates(place: &Place<'_>) -> Vec<Mend> {
    let text = place.piece.text();
    let edited = |node: &Node, title: String, fields: &[(&str, Value)]| {
        let Value::Object(before) = node.to_json() else { return None };
        let mut now: Map<String, Value> = before.clone();
        now.extend(fields.iter().map(|(key, value)| ((*key).to_owned(), value.clone())));
        let edits = changes(node, text, &Value::Object(before), &Value::Object(now), &|_| true);
        whole(title, text, edits)
    };
    let mut all = Vec::new();
    if !place.id.is_top_level() {
        let role = place.id.top();
        all.extend(edited(place.node, format!("Give it the role '{role}'"), &[("role", role.into())]));
    }
    if let Some((group, id)) = &place.top {
        let title = format!("Let the group {} enforce its role", id.as_str());
        all.extend(edited(group, title, &[("enforceRole", true.into())]));
    }
    if place.alone && place.id.is_top_level() {
        let name = place.id.name();
        // A role that somebody wrote is the name of the group.
        let written = place.node.get("role").and_then(Node::as_scalar).map(|role| &*role.text);
        let role = written.filter(|role| *role != "*").unwrap_or(name);
        let id = format!("/{role}/{name}");
        let title = format!("Move it into a group of its own: {id} with the role '{role}'");
        all.extend(edited(place.node, title, &[("id", id.into()), ("role", role.into())]));
    }
    all
}

/// Returns whether the text with the fix has fewer findings than before, and none that is new.
fn helps(request: &LoadService, piece: &Piece, mend: &Mend, before: &[(String, String)]) -> bool {
    let (_, span, text) = mend;
    let mut request = request.clone();
    let Some(file) = request.files.get_mut(&*piece.path) else { return false };
    let (from, to) = (usize::try_from(span.start), usize::try_from(span.end));
    let (Ok(from), Ok(to)) = (from, to) else { return false };
    if file.get(from..to).is_none() {
        return false;
    }
    file.replace_range(from..to, text);
    let after = read(&request).0.diagnostics.clone();
    after.len() < before.len() && after.iter().map(words).all(|words| before.contains(&words))
}
