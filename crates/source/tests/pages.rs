//! Every code of this crate owns a page whose bad example gives it and whose good example gives nothing.

use std::path::PathBuf;

use planarium_source::template::Value;
use planarium_source::template::mustache::{Options, render};
use planarium_source::yaml::{Limits, Reader, report_duplicates_everywhere};
use planarium_source::{CODES, Diagnostic, Diagnostics, FileId, Severity};

/// The examples of a page under fences such as `yaml bad`.
fn examples(page: &str, tag: &str) -> Vec<String> {
    let mut out = Vec::new();
    let mut lines = page.lines();
    while let Some(line) = lines.next() {
        let words: Vec<_> = line.trim_start_matches('`').split(' ').collect();
        if line.starts_with("```") && words.get(1) == Some(&tag) {
            let inside: Vec<_> = lines.by_ref().take_while(|line| *line != "```").collect();
            out.push(inside.join("\n") + "\n");
        }
    }
    out
}

/// Reads an example as a dialect would, with the small limits the page names.
fn check_example(code: &str, text: &str) -> Vec<Diagnostic> {
    let usual = Limits::default();
    let limits = match code {
        "YAML002" => Limits { bytes: 40, ..usual },
        "YAML003" => Limits { depth: 4, ..usual },
        "YAML004" => Limits { alias_nodes: 20, ..usual },
        "YAML007" => Limits { nodes: 12, ..usual },
        _ => usual,
    };
    let max_output = if code == "TPL007" { 64 } else { Options::default().max_output };
    let mut found = Diagnostics::with_limit(if code == "SRC001" { 2 } else { 500 });
    let file = FileId(0);
    if code == "JSON001" {
        planarium_source::json::parse_strict(text, file, &limits, &mut found);
        return found.into_sorted();
    }
    let long = "x".repeat(100);
    let context = Value::from_texts([("LONG", long.as_str()), ("SHORT", "short")]);
    let rendered = render(text, file, &context, Options { max_output, ..Options::default() });
    let readable = rendered.complete && rendered.diagnostics.is_empty();
    found.extend(rendered.diagnostics);
    if readable {
        let reader = Reader::new(&rendered.text, file).with_map(&rendered.map).with_limits(limits);
        let reader = match code {
            "YAML008" => reader.with_aliases_as_text(),
            "YAML009" | "YAML010" => reader.with_go_rules(),
            _ => reader,
        };
        if let Some(root) = reader.one(&mut found).root {
            report_duplicates_everywhere(&root, Severity::Error, None, &mut found);
        }
    }
    found.into_sorted()
}

#[test]
fn every_code_has_a_page_whose_examples_hold() {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../docs/diagnostics");
    for (code, title) in CODES {
        let page = std::fs::read_to_string(folder.join(format!("{code}.md"))).unwrap_or_default();
        assert!(page.starts_with(&format!("# {code}: {title}\n")), "{code}: the page is missing or misnamed");
        for part in ["## What it means", "## Why it matters", "## Example", "## How to fix it"] {
            assert!(page.contains(part), "{code}: no {part}");
        }
        let (bad, good) = (examples(&page, "bad"), examples(&page, "good"));
        assert!(!bad.is_empty() && !good.is_empty(), "{code}: examples");
        for text in bad {
            let found = check_example(code, &text);
            assert!(found.iter().any(|one| one.code == *code), "{code}: {text:?} gives {found:?}");
        }
        for text in good {
            let found = check_example(code, &text);
            assert!(found.is_empty(), "{code}: {text:?} gives {found:?}");
        }
    }
}

#[test]
fn codes_are_listed_once() {
    let mut codes: Vec<_> = CODES.iter().map(|(code, _)| *code).collect();
    codes.sort_unstable();
    let before = codes.len();
    codes.dedup();
    assert_eq!(codes.len(), before);
}
