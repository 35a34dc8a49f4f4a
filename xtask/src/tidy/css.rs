//! Every class in the style sheets is used by the page.

use std::collections::BTreeMap;

use super::Repository;

/// Classes that a library makes.
const FOREIGN: [&str; 1] = ["cm-"];

/// Classes that nothing mentions.
pub(crate) fn check(repository: &Repository) -> Vec<String> {
    let mut classes: BTreeMap<String, String> = BTreeMap::new();
    for sheet in repository.below("web/styles").filter(|source| source.is(&["css"])) {
        for class in classes_in(&sheet.text) {
            classes.entry(class).or_insert_with(|| sheet.path.clone());
        }
    }
    let users: Vec<&str> = repository
        .sources
        .iter()
        .filter(|source| source.path == "index.html" || source.path.starts_with("web/"))
        .filter(|source| source.is(&["rs", "js", "mjs", "html", "svg"]))
        .map(|source| source.text.as_str())
        .collect();
    classes
        .into_iter()
        .filter(|(class, _)| !FOREIGN.iter().any(|start| class.starts_with(start)))
        .filter(|(class, _)| !users.iter().any(|text| mentions(text, class)))
        .map(|(class, path)| format!("{path}: nothing in web/ has the class `{class}`"))
        .collect()
}

/// Classes in the selectors of a style sheet.
fn classes_in(text: &str) -> Vec<String> {
    let mut classes = Vec::new();
    let mut prelude = String::new();
    for c in without_comments(text).chars() {
        match c {
            '{' => {
                let selector = prelude.trim_start();
                if !selector.starts_with('@') || selector.starts_with("@scope") {
                    classes.extend(classes_of(selector));
                }
                prelude.clear();
            }
            '}' | ';' => prelude.clear(),
            _ => prelude.push(c),
        }
    }
    classes
}

fn classes_of(selector: &str) -> Vec<String> {
    let is_part = |c: char| c.is_alphanumeric() || c == '_' || c == '-';
    selector
        .split('.')
        .skip(1)
        .map(|rest| rest.chars().take_while(|c| is_part(*c)).collect::<String>())
        .filter(|class| class.starts_with(|c: char| c.is_alphabetic() || c == '_' || c == '-'))
        .collect()
}

fn without_comments(text: &str) -> String {
    let mut rest = text;
    let mut kept = String::with_capacity(text.len());
    while let Some((before, after)) = rest.split_once("/*") {
        kept.push_str(before);
        rest = after.split_once("*/").map_or("", |(_, after)| after);
    }
    kept.push_str(rest);
    kept
}

fn mentions(text: &str, class: &str) -> bool {
    let is_part = |c: char| c.is_alphanumeric() || c == '_' || c == '-';
    text.split(|c: char| !is_part(c)).any(|word| word == class)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tidy::fixture;

    #[test]
    fn classes_are_read_from_selectors_only() {
        let sheet = "@layer ui.parts { .row:hover > .cell-2, a.b { margin: .5em 1.25em; background: url(x.png) } }\n\
                     /* .gone {} */ @media (min-width: 1.5em) { .wide { & .inner { color: red; } } }";
        assert_eq!(classes_in(sheet), ["row", "cell-2", "b", "wide", "inner"]);
    }

    #[test]
    fn dead_classes_are_found() {
        let found = check(&fixture(&[
            ("web/styles/a.css", ".row { } .row-dead { } .cm-line { } .boot { }"),
            ("web/src/row.rs", "html! { <div class=\"row tall\"/> }"),
            ("index.html", "<p class=\"boot\">"),
        ]));
        assert_eq!(found, ["web/styles/a.css: nothing in web/ has the class `row-dead`"]);
    }
}
