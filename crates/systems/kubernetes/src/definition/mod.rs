//! The files of one `kubectl apply` as a service's definition: their objects, and all findings.
//!
//! *Knows*: files and the namespace of the request. *Must not know*: a running cluster.
//!
//! It can be used if the API server would accept each object on its own. Refusals that depend on the state of the cluster are
//! reported when it is applied, object by object.

mod documents;
mod findings;
mod place;
mod recipes;
mod versions;

pub(crate) use documents::is_manifest;

use std::sync::Arc;

use planarium_protocol::Text;
use planarium_protocol::input::LoadService;
use planarium_protocol::view::SourceRef;
use planarium_source::yaml::Node;
use planarium_source::{Diagnostic, Diagnostics, SourceMap, Span};
use serde_json::Value;

use crate::plans;

/// Maximum of objects that are read.
pub const MOST: usize = 10_000;

/// Kind, namespace and name of an object.
pub(crate) type Identity<'i> = (&'i str, &'i str, &'i str);

/// An object as written.
#[derive(Clone, Debug)]
pub struct Item {
    /// The object that is applied: as written, in its namespace.
    pub value: Arc<Value>,
    /// The object with the server's defaults; the written one where the kind is a custom one.
    pub full: Arc<Value>,
    /// `apps/v1`.
    pub api_version: Text,
    /// `Deployment`.
    pub kind: Text,
    /// `deployment.apps`, as clients write it before a name.
    pub word: Text,
    /// Its namespace; empty for kinds that have none.
    pub namespace: Text,
    /// Its name.
    pub name: Text,
    /// Its position.
    pub source: Option<SourceRef>,
    /// Its parsed text.
    pub(crate) node: Node,
}

impl Item {
    /// `deployment.apps/web`.
    pub fn path(&self) -> String {
        format!("{}/{}", self.word, self.name)
    }

    /// Returns the kind, namespace and name of its object: equal for items about one object, in any version.
    pub(crate) fn identity(&self) -> Identity<'_> {
        (&self.word, &self.namespace, &self.name)
    }

    /// The object with the server's defaults; `None` where the server would refuse it, or does not know its kind.
    fn reviewed(&self) -> Option<&Value> {
        (!Arc::ptr_eq(&self.full, &self.value)).then_some(&*self.full)
    }

    /// Returns whether another item is about the same object, in any version.
    pub fn is_same(&self, other: &Self) -> bool {
        self.identity() == other.identity()
    }
}

/// Result of reading the files. Cloning is cheap.
#[derive(Clone, Debug)]
pub struct Loaded(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    name: Text,
    nameless: bool,
    namespace: Text,
    items: Vec<Item>,
    kept: Vec<(String, &'static str)>,
    sources: SourceMap,
    diagnostics: Vec<Diagnostic>,
    usable: bool,
    path: Option<Text>,
}

impl Loaded {
    /// Reads a request.
    pub fn read(load: &LoadService) -> Self {
        let mut sources = SourceMap::new();
        let mut found = Diagnostics::new();
        let namespace = load.options.get("namespace").and_then(Value::as_str).filter(|word| !word.is_empty());
        let documents = documents::read(&load.files, &mut sources, &mut found);
        let read = findings::items(documents, namespace, &sources, &mut found);
        let name = match &*load.name {
            "" => given_name(&read.items),
            name => name.into(),
        };
        let path = read.items.first().and_then(|item| item.source.as_ref()).map(|source| source.file.clone());
        let path = path.or_else(|| sources.iter().next().map(|(_, file)| Text::from(file.name())));
        Self(Arc::new(Inner {
            name,
            nameless: load.name.is_empty(),
            namespace: namespace.unwrap_or("default").into(),
            usable: !found.has_errors() && !read.items.is_empty(),
            items: read.items,
            kept: read.kept,
            sources,
            diagnostics: found.into_sorted(),
            path,
        }))
    }

    /// Returns the service's name: from the request, otherwise the name of the first workload.
    pub fn name(&self) -> &Text {
        &self.0.name
    }

    /// The namespace of objects that name none.
    pub fn namespace(&self) -> &Text {
        &self.0.namespace
    }

    /// The objects in the order in which they are applied: of the text, files by their names.
    pub fn items(&self) -> &[Item] {
        &self.0.items
    }

    /// Returns whether it can be applied.
    pub fn is_usable(&self) -> bool {
        self.0.usable
    }

    /// Findings in the order of the text.
    pub fn diagnostics(&self) -> &[Diagnostic] {
        &self.0.diagnostics
    }

    /// The texts that findings point into.
    pub fn sources(&self) -> &SourceMap {
        &self.0.sources
    }

    /// Path of the first file with an object.
    pub fn path(&self) -> Option<&Text> {
        self.0.path.as_ref()
    }

    /// Returns whether the request has no name.
    pub fn is_nameless(&self) -> bool {
        self.0.nameless
    }

    /// Kinds that are kept without an effect.
    pub fn kept(&self) -> &[(String, &'static str)] {
        &self.0.kept
    }

    /// Returns the objections to an update from `before` to this definition: immutable fields, objects that are left
    /// behind.
    pub fn findings_against(&self, before: &Self) -> Vec<Diagnostic> {
        findings::of_change(before, self)
    }

    /// The beginning of the text.
    pub(crate) fn start(&self) -> Span {
        self.0
            .items
            .first()
            .map_or_else(Span::default, |item| Span::at(item.node.span.file, item.node.span.start))
    }
}

impl planarium_part::Definition for Loaded {
    fn name(&self) -> &Text {
        Loaded::name(self)
    }

    fn is_usable(&self) -> bool {
        Loaded::is_usable(self)
    }

    fn diagnostics(&self) -> Vec<Diagnostic> {
        Loaded::diagnostics(self).to_vec()
    }

    fn sources(&self) -> &SourceMap {
        Loaded::sources(self)
    }

    fn path(&self) -> Option<&Text> {
        Loaded::path(self)
    }

    fn kept(&self) -> Vec<(String, &'static str)> {
        Loaded::kept(self).to_vec()
    }

    fn is_nameless(&self) -> bool {
        Loaded::is_nameless(self)
    }
}

/// Returns a name for a service without one.
fn given_name(items: &[Item]) -> Text {
    let first = items.iter().find(|item| plans::is_workload(&item.kind)).or(items.first());
    first.map(|item| item.name.clone()).unwrap_or_default()
}
