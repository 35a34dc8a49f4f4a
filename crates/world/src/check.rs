//! Reading a definition without running it.
//!
//! Knows: what the author of a definition needs to see. Must not know: any dialect's rules.

use crate::definition::Definition;
use crate::systems::DIALECTS;
use crate::{detect_dialect, resemblance};
use planarium_protocol::Text;
use planarium_protocol::input::LoadService;
use planarium_protocol::view::ServiceView;
use planarium_source::{Diagnostic, SourceMap, Span};
use std::sync::Arc;

/// Result of reading a definition.
#[derive(Clone, Debug)]
pub struct CheckReport {
    /// The dialect it was read as.
    pub dialect: &'static str,
    /// The service's name; empty if it has none.
    pub name: Text,
    /// Findings.
    pub diagnostics: Vec<Diagnostic>,
    /// The texts that findings point into.
    pub sources: SourceMap,
    /// The plan tree before it runs; `None` if the definition cannot be used.
    pub preview: Option<Arc<ServiceView>>,
    /// Template variables without a value.
    pub missing: Vec<String>,
    /// Fields that are read and checked but change nothing in the simulator: path and reason.
    pub kept: Vec<(String, &'static str)>,
    /// Names of missing files that usually lie next to it; a name that ends with a slash means all files of a folder.
    pub beside: Vec<&'static str>,
    /// The definition has no name of its own: use the name of its folder.
    pub nameless: bool,
    /// Missing folders and archives that it refers to: paths from the top of its files.
    pub folders: Vec<String>,
    /// Codes of findings about values that an installation provides later; the text is valid without them.
    pub value_codes: &'static [&'static str],
}

impl CheckReport {
    /// Returns whether the definition has errors that prevent its use.
    pub fn has_errors(&self) -> bool {
        self.diagnostics.iter().any(Diagnostic::is_error)
    }
}

/// Code of the finding that a dialect is not simulated, or that the real system would not start.
const CANNOT_RUN: &str = "WORLD001";

/// Code of the finding that the files may belong to another dialect than the one used.
const RESEMBLES: &str = "WORLD002";

/// Reports the chosen dialect if it is ambiguous.
fn taken_for(load: &LoadService, span: Span) -> Option<Diagnostic> {
    if !matches!(load.dialect.as_str(), "" | "auto") {
        return None;
    }
    let seen = resemblance(&load.files);
    let is_default = seen.by_default && load.files.values().any(|text| !text.trim().is_empty());
    if !seen.by_keys && seen.others.is_empty() && !is_default {
        return None;
    }
    let noun = |word: &str| {
        DIALECTS
            .iter()
            .find(|dialect| dialect.word == word)
            .map_or_else(String::new, |dialect| dialect.noun.to_owned())
    };
    let others: Vec<String> =
        seen.others.iter().map(|word| format!("{} (dialect: {word})", noun(word))).collect();
    let text = if is_default {
        format!("Nothing shows what this is: it is read as a {}", noun(seen.dialect))
    } else {
        format!("This resembles a {} most, and is read as such", noun(seen.dialect))
    };
    let help = if others.is_empty() {
        let rest = DIALECTS.iter().filter(|dialect| dialect.word != seen.dialect);
        let rest: Vec<&str> = rest.map(|dialect| dialect.word).collect();
        format!("name another dialect if it is none: {}", rest.join(", "))
    } else {
        format!("it could also be meant as: {}", others.join(", "))
    };
    Some(Diagnostic::info(RESEMBLES, span, text).with_help(help))
}

/// Reads a definition and shows its plans, without any cluster.
pub fn check(load: &LoadService) -> CheckReport {
    match Definition::read(load) {
        Ok(definition) => {
            let mut diagnostics = definition.diagnostics();
            diagnostics.extend(taken_for(load, definition.span()));
            let preview = match definition.preview() {
                None => None,
                Some(Ok(view)) => Some(view),
                Some(Err(refusal)) => {
                    // Report the dialect's findings at their spans.
                    let found = definition.findings_against(None);
                    if found.is_empty() && !diagnostics.iter().any(Diagnostic::is_error) {
                        diagnostics.push(Diagnostic::error(CANNOT_RUN, definition.span(), refusal.message));
                    }
                    diagnostics.extend(found);
                    None
                }
            };
            CheckReport {
                dialect: definition.dialect().word,
                name: definition.name().clone(),
                diagnostics,
                sources: definition.sources().clone(),
                preview,
                missing: definition.missing(),
                kept: definition.kept(),
                beside: definition.beside(),
                nameless: definition.is_nameless(),
                folders: definition.folders(),
                value_codes: definition.value_codes(),
            }
        }
        Err(refusal) => {
            let mut sources = SourceMap::new();
            let first = load.files.iter().map(|(path, text)| sources.add(path.as_str(), text.as_str())).min();
            let span = first.map_or(Span::default(), |file| Span::at(file, 0));
            let nouns: Vec<&str> = DIALECTS.iter().map(|dialect| dialect.noun).collect();
            CheckReport {
                dialect: detect_dialect(&load.files),
                name: load.name.as_str().into(),
                diagnostics: vec![
                    Diagnostic::error(CANNOT_RUN, span, refusal.message)
                        .with_help(format!("This can be run: {}", nouns.join(", "))),
                ],
                sources,
                preview: None,
                missing: Vec::new(),
                kept: Vec::new(),
                beside: Vec::new(),
                nameless: false,
                folders: Vec::new(),
                value_codes: &[],
            }
        }
    }
}
