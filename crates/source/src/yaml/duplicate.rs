//! Repeated keys. The tree keeps them; the dialect decides whether they matter.

use planarium_kernel::SortedMap;
use std::borrow::Cow;

use crate::codes;
use crate::diagnostic::{Diagnostic, Diagnostics, Severity};
use crate::yaml::node::{Kind, Node};

/// Reports every repeated key of one mapping: `Duplicate field 'x'` at the later one, with a label on
/// the first. Keys that a merge key brought in do not count.
pub fn report_duplicates(
    mapping: &Node,
    severity: Severity,
    code: Option<Cow<'static, str>>,
    found: &mut Diagnostics,
) {
    let code = code.unwrap_or(Cow::Borrowed(codes::DUPLICATE_KEY));
    let mut first: SortedMap<&str, &Node> = SortedMap::new();
    for entry in mapping.as_mapping().unwrap_or_default().iter().filter(|entry| !entry.merged) {
        let Some(name) = entry.key.as_str() else { continue };
        match first.get(name) {
            None => {
                first.insert(name, &entry.key);
            }
            Some(earlier) => found.push(
                Diagnostic::new(severity, code.clone(), entry.key.span, format!("Duplicate field '{name}'"))
                    .with_label(earlier.span, "first written here")
                    .with_help("keep one of the two"),
            ),
        }
    }
}

/// Reports the repeated keys of every mapping in a tree.
pub fn report_duplicates_everywhere(
    root: &Node,
    severity: Severity,
    code: Option<Cow<'static, str>>,
    found: &mut Diagnostics,
) {
    match &root.kind {
        Kind::Scalar(_) => {}
        Kind::Sequence(items) => {
            for item in items.iter() {
                report_duplicates_everywhere(item, severity, code.clone(), found);
            }
        }
        Kind::Mapping(entries) => {
            report_duplicates(root, severity, code.clone(), found);
            for entry in entries.iter() {
                report_duplicates_everywhere(&entry.value, severity, code.clone(), found);
            }
        }
    }
}
