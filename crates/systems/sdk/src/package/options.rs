//! The user's options with their positions.
//!
//! *Knows*: the options file, or its text. *Must not know*: how a package uses an option.

use crate::codes;
use planarium_kernel::SortedMap;
use planarium_protocol::input::LoadService;
use planarium_source::yaml::{Node, Reader};
use planarium_source::{Diagnostic, Diagnostics, FileId, SourceMap, Span};
use serde_json::Value;

/// Files of a package, which never hold the options.
const PACKAGE_FILES: &[&str] = &["config.json", "resource.json", "package.json"];

/// The options of a request.
pub(crate) struct Options<'r> {
    pub(super) value: &'r Value,
    pub(super) node: Option<Node>,
    /// File and text of the options.
    pub(super) file: Option<(FileId, String)>,
}

impl<'r> Options<'r> {
    /// The options of a request: in the file of the request that says the same, as a command line gives it, or else
    /// in a text of our own that is shown as `options.json`.
    pub(super) fn new(
        request: &'r LoadService,
        files: &SortedMap<&str, FileId>,
        sources: &mut SourceMap,
    ) -> Self {
        let value = &request.options;
        if value.is_null() {
            return Self { value, node: None, file: None };
        }
        let (file, text) = match given(request).and_then(|path| Some((*files.get(path)?, path))) {
            Some((file, path)) => (file, request.files.get(path).cloned().unwrap_or_default()),
            None => {
                let text = serde_json::to_string_pretty(value).unwrap_or_default();
                (sources.add("options.json", text.as_str()), text)
            }
        };
        // The text has been read as JSON before, so there is nothing to find.
        let node = Reader::new(&text, file).one(&mut Diagnostics::new()).root;
        Self { value, node, file: Some((file, text)) }
    }

    pub(super) fn at(&self, path: &[&str]) -> Option<&Node> {
        self.node.as_ref()?.at(path)
    }

    pub(super) fn span_of(&self, path: &[&str]) -> Option<Span> {
        self.at(path).map(|node| node.span)
    }

    /// Returns the options without some of them.
    pub(super) fn without(&self, paths: &[Vec<String>]) -> Value {
        let mut value = self.value.clone();
        for path in paths {
            let Some((last, parents)) = path.split_last() else { return Value::Null };
            let parent = parents.iter().try_fold(&mut value, |value, name| value.get_mut(name));
            if let Some(parent) = parent.and_then(Value::as_object_mut) {
                parent.remove(last);
            }
        }
        value
    }

    pub(super) fn report_useless(&self, found: &mut Diagnostics) {
        let empty = self.value.as_object().is_none_or(serde_json::Map::is_empty);
        if let (Some(node), false) = (&self.node, empty) {
            found.push(
                Diagnostic::warning(
                    codes::OPTIONS_WITHOUT_PACKAGE,
                    Span::at(node.span.file, node.span.start),
                    "The options have no effect: there is no package among the files",
                )
                .with_help("add config.json and marathon.json.mustache, or give environment values instead"),
            );
        }
    }
}

/// The file of a request that holds its options.
fn given(request: &LoadService) -> Option<&str> {
    let is_json = |path: &str| path.rsplit_once('.').is_some_and(|(_, ending)| ending == "json");
    let may_be = |path: &str| is_json(path) && !PACKAGE_FILES.contains(&super::file_name(path));
    let same = |text: &str| serde_json::from_str::<Value>(text).is_ok_and(|value| value == request.options);
    let mut files = request.files.iter().filter(|(path, _)| may_be(path));
    files.find(|(_, text)| same(text)).map(|(path, _)| path.as_str())
}
