//! Config templates next to the definitions that name them.
//!
//! Knows: how a definition names a template, before it is rendered. Must not know: the rendered text.
//!
//! Templates have any extension (`.xml`, `.properties`, none at all), so folders are not searched for them: a file is
//! read if a definition next to it names it. A name with variables in it (`jvm_{{GC}}.options`) matches all that fit.

use crate::files::read;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Component, Path};

/// Most templates that are read for one definition.
const MAX_TEMPLATES: usize = 200;

/// Adds the templates that the definitions among the files name. Names of files are relative to `root`.
pub(crate) fn add(files: &mut BTreeMap<String, String>, root: &Path) {
    let mut found = BTreeMap::new();
    for (definition, text) in files.iter().filter(|(name, _)| is_yaml(name)) {
        let folder = Path::new(definition).parent().unwrap_or(Path::new(""));
        for name in named(text).into_iter().take(MAX_TEMPLATES) {
            for name in fitting(&root.join(folder), &name) {
                let path = folder.join(&name);
                if let Ok(text) = read(&root.join(&path)) {
                    found.insert(path.display().to_string(), text);
                }
            }
        }
    }
    for (name, text) in found {
        files.entry(name).or_insert(text);
    }
}

fn is_yaml(name: &str) -> bool {
    matches!(name.rsplit_once('.'), Some((_, "yml" | "yaml")))
}

/// Returns the templates named in a definition, as written.
fn named(text: &str) -> Vec<String> {
    let mut names: Vec<String> =
        text.split("template:").skip(1).map(value).filter(|name| is_plain(name)).collect();
    names.sort();
    names.dedup();
    names
}

/// The scalar that begins a text; braces of variables belong to it, those of a mapping do not.
fn value(text: &str) -> String {
    let line = text.lines().next().unwrap_or_default();
    let mut end = 0;
    while let Some(rest) = line.get(end..).filter(|rest| !rest.is_empty()) {
        if let Some(close) = rest.strip_prefix("{{").and_then(|inside| inside.find("}}")) {
            end = end.saturating_add(close).saturating_add(4);
        } else if rest.starts_with([',', '}', '#']) {
            break;
        } else {
            end = end.saturating_add(rest.chars().next().map_or(1, char::len_utf8));
        }
    }
    line.get(..end).unwrap_or_default().trim().trim_matches(['"', '\'']).trim_start_matches("./").to_owned()
}

/// A relative path that leads nowhere but down.
fn is_plain(name: &str) -> bool {
    !name.is_empty() && Path::new(name).components().all(|part| matches!(part, Component::Normal(_)))
}

/// Returns the name itself, or the names of files in a folder that match a name with variables.
fn fitting(folder: &Path, name: &str) -> Vec<String> {
    if !name.contains("{{") {
        return vec![name.to_owned()];
    }
    let Ok(entries) = fs::read_dir(folder) else { return Vec::new() };
    let names = entries.filter_map(|entry| entry.ok()?.file_name().into_string().ok());
    let mut names: Vec<String> = names.filter(|file| fits(name, file)).take(MAX_TEMPLATES).collect();
    names.sort();
    names
}

/// Returns whether a file name matches a name with variables. A variable matches any text.
fn fits(pattern: &str, name: &str) -> bool {
    let mut parts = pattern.split("{{");
    let Some(mut rest) = name.strip_prefix(parts.next().unwrap_or_default()) else { return false };
    let literals: Vec<&str> = parts
        .map(|part| part.split_once("}}").map_or("", |(_, after)| after.trim_start_matches('}')))
        .collect();
    let Some((last, between)) = literals.split_last() else { return rest.is_empty() };
    for literal in between {
        let Some((_, after)) = rest.split_once(literal) else { return false };
        rest = after;
    }
    rest.ends_with(last)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_found_in_any_style() {
        let text = "configs:\n  a: {template: 'a.xml', dest: b}\n  b:\n    template: ./sub/b.conf # c\n  c:\n    \
                    template: jvm_{{GC}}.options\n  d: {template: {{X}}.y}\n  e:\n    template: ../../etc/passwd\n  f:\n    \
                    template: /etc/passwd\n  g:\n    template:\n";
        assert_eq!(named(text), ["a.xml", "jvm_{{GC}}.options", "sub/b.conf", "{{X}}.y"]);
    }

    #[test]
    fn variables_match_anything() {
        for (pattern, name, want) in [
            ("jvm_{{GC}}.options", "jvm_CMS.options", true),
            ("jvm_{{{GC}}}.options", "jvm_.options", true),
            ("jvm_{{GC}}.options", "jvm_CMS.option", false),
            ("{{A}}-{{B}}.x", "1-2.x", true),
            ("{{A}}-{{B}}.x", "12.x", false),
            ("{{A", "anything", true),
        ] {
            assert_eq!(fits(pattern, name), want, "{pattern} {name}");
        }
    }
}
