//! From files to documents: YAML and JSON, several documents in a file, lists of objects.
//!
//! *Knows*: which files `kubectl apply -f FOLDER` reads. *Must not know*: kinds.

use planarium_part::Files;
use planarium_source::yaml::{Node, Reader, report_duplicates_everywhere};
use planarium_source::{Diagnostic, Diagnostics, Severity, SourceMap, Span};

use crate::codes;

/// Endings of files that a client takes from a folder.
const ENDINGS: [&str; 3] = [".yaml", ".yml", ".json"];

/// Returns whether a client takes a file from a folder.
pub(crate) fn is_manifest(path: &str) -> bool {
    ENDINGS.iter().any(|ending| path.ends_with(ending))
}

/// Returns the objects of all files as written, in the order of application.
pub(super) fn read(files: &Files, sources: &mut SourceMap, found: &mut Diagnostics) -> Vec<Node> {
    let mut nodes = Vec::new();
    let mut first = None;
    for (path, text) in files {
        if !is_manifest(path) && files.len() > 1 {
            continue;
        }
        let file = sources.add(path.as_str(), text.as_str());
        first.get_or_insert(file);
        let mut own = Diagnostics::new();
        let documents = Reader::new(text, file).all(&mut own);
        let roots: Vec<Node> =
            documents.into_iter().filter_map(|parsed| parsed.root).filter(|root| !root.is_null()).collect();
        if let Some(finding) = unbuilt(path, text, &roots, own.has_errors(), Span::at(file, 0)) {
            found.push(finding);
            continue;
        }
        found.extend(own);
        for root in roots {
            report_duplicates_everywhere(&root, Severity::Error, None, found);
            take(root, &mut nodes, found);
        }
    }
    if nodes.is_empty() && !found.has_errors() {
        let span = first.map_or_else(Span::default, |file| Span::at(file, 0));
        let finding = Diagnostic::error(codes::NOTHING, span, "no objects passed to apply")
            .with_help("write at least one object with 'apiVersion', 'kind' and 'metadata'");
        found.push(finding);
    }
    nodes
}

/// Reports a file that another tool must turn into objects. Texts in ConfigMaps may be templates of their own; charts are
/// recognised by file names.
fn unbuilt(path: &str, text: &str, roots: &[Node], is_broken: bool, span: Span) -> Option<Diagnostic> {
    let name = path.rsplit('/').next().unwrap_or(path);
    let by_kind = |root: &Node| root.get("kind").and_then(Node::as_str) == Some("Kustomization");
    if matches!(name, "kustomization.yaml" | "kustomization.yml") || roots.iter().any(by_kind) {
        let help = "run 'kustomize build' (or 'kubectl kustomize') on the folder and load what it prints";
        let text = "A kustomization is no object: it says how objects are made";
        return Some(Diagnostic::error(codes::NOT_BUILT, span, text).with_help(help));
    }
    let in_name = |root: &Node| {
        root.at(&["metadata", "name"])
            .is_some_and(|name| name.as_str().is_none_or(|name| name.contains("{{")))
    };
    if name == "Chart.yaml" || text.contains("{{") && (is_broken || roots.iter().any(in_name)) {
        let help = "run 'helm template' on the chart and load what it prints";
        let text = "This is a part of a Helm chart, which has to be rendered";
        return Some(Diagnostic::error(codes::NOT_BUILT, span, text).with_help(help));
    }
    None
}

/// Takes an object, or those of a list.
fn take(root: Node, nodes: &mut Vec<Node>, found: &mut Diagnostics) {
    let kind = root.get("kind").and_then(Node::as_str).unwrap_or_default();
    let items = root.get("items").and_then(Node::as_sequence).filter(|_| kind.ends_with("List"));
    match items {
        Some(items) => {
            for item in items {
                take(item.clone(), nodes, found);
            }
        }
        None if root.as_mapping().is_none() => {
            let text = format!("An object is a mapping; this is {}", root.describe());
            let help = "begin it with 'apiVersion' and 'kind'";
            found.push(Diagnostic::error(codes::NO_OBJECT, root.span, text).with_help(help));
        }
        None if nodes.len() >= super::MOST => {
            if nodes.len() == super::MOST {
                let text = format!("More than {} objects are not read", super::MOST);
                let help = "load them as several services";
                found.push(Diagnostic::error(codes::TOO_MANY, root.span, text).with_help(help));
            }
        }
        None => nodes.push(root),
    }
}
