//! Limits the size of types: methods per type in a crate, and cycles of files that call each other's methods on one
//! type.
//!
//! Both are counted over `impl` blocks without a trait. A file calls another if `self.method()` in it is defined there and in no
//! third file; files that reach each other that way form a cycle, which cannot be read one file at a time.

use std::collections::{BTreeMap, BTreeSet};

use super::{Repository, Source};

/// Most methods that a type may have.
const METHODS: usize = 120;
/// Most files that may be one circle.
const CIRCLE: usize = 4;

/// A type above a limit, with the counts that it may have until it is mended.
struct Known {
    folder: &'static str,
    name: &'static str,
    methods: usize,
    circle: usize,
}

/// Types that exceed a limit. No count may grow; a count that shrinks is lowered here, a type within the limits is
/// removed.
const KNOWN: &[Known] = &[];

/// Types above a limit, entries that are too high, and entries that no type needs.
pub(crate) fn check(repository: &Repository) -> Vec<String> {
    compared(&counted(repository), KNOWN)
}

/// The counts of one type.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Counted {
    folder: String,
    name: String,
    methods: usize,
    circle: usize,
}

impl Counted {
    fn is_within(&self) -> bool {
        self.methods <= METHODS && self.circle <= CIRCLE
    }
}

fn compared(types: &[Counted], known: &[Known]) -> Vec<String> {
    let mut findings = Vec::new();
    for found in types {
        let at = format!("{} {}", found.folder, found.name);
        let entry = known.iter().find(|entry| entry.folder == found.folder && entry.name == found.name);
        for (count, limit, allowed, words) in [
            (found.methods, METHODS, entry.map(|entry| entry.methods), "methods"),
            (found.circle, CIRCLE, entry.map(|entry| entry.circle), "files in one circle"),
        ] {
            match allowed {
                _ if count > allowed.unwrap_or(limit).max(limit) => findings.push(format!(
                    "{at} has {count} {words}, at most {} are allowed: split it into records and decisions about them",
                    allowed.unwrap_or(limit).max(limit)
                )),
                Some(allowed) if allowed > limit && count < allowed && !found.is_within() => {
                    findings.push(format!("{at} has {count} {words} only: lower the entry in tidy/types.rs from {allowed}"));
                }
                _ => {}
            }
        }
    }
    for entry in known {
        let within = types.iter().find(|found| found.folder == entry.folder && found.name == entry.name);
        if within.is_none_or(Counted::is_within) {
            findings.push(format!(
                "{} {} is within the limits: take its entry out of tidy/types.rs",
                entry.folder, entry.name
            ));
        }
    }
    findings
}

/// The methods of one type in one file.
#[derive(Default)]
struct Part {
    defined: BTreeSet<String>,
    methods: usize,
    called: BTreeSet<String>,
}

/// Counts every type that has methods.
fn counted(repository: &Repository) -> Vec<Counted> {
    let manifests: BTreeSet<&str> =
        repository.sources.iter().filter_map(|source| source.path.strip_suffix("/Cargo.toml")).collect();
    let mut types: BTreeMap<(String, String), BTreeMap<&str, Part>> = BTreeMap::new();
    for source in ["crates", "web"].iter().flat_map(|folder| repository.below(folder)).filter(|s| is_code(s))
    {
        let folder = folder_of(&source.path, &manifests);
        for (name, body) in blocks(without_tests(&source.text)) {
            let files = types.entry((folder.to_owned(), name.to_owned())).or_default();
            let part = files.entry(source.path.as_str()).or_default();
            for method in body.lines().filter_map(method) {
                part.methods += 1;
                part.defined.insert(method.to_owned());
            }
            part.called.extend(body.split("self.").skip(1).filter_map(called).map(str::to_owned));
        }
    }
    types
        .into_iter()
        .map(|((folder, name), files)| Counted {
            folder,
            name,
            methods: files.values().map(|part| part.methods).sum(),
            circle: largest_circle(&files),
        })
        .collect()
}

fn is_code(source: &Source) -> bool {
    source.is(&["rs"])
        && !source.path.split('/').any(|part| part == "tests" || part == "tests.rs" || part == "target")
}

/// The nearest folder above that has a manifest.
fn folder_of<'a>(path: &'a str, manifests: &BTreeSet<&str>) -> &'a str {
    let mut folder = path;
    while let Some((above, _)) = folder.rsplit_once('/') {
        if manifests.contains(above) {
            return above;
        }
        folder = above;
    }
    folder
}

/// A file's text up to its module of tests.
fn without_tests(text: &str) -> &str {
    let found = text.match_indices("#[cfg(test)]\nmod ").find(|(at, _)| {
        let rest = text.get(*at..).unwrap_or_default();
        rest.lines().nth(1).is_some_and(|line| line.ends_with('{'))
    });
    found.and_then(|(at, _)| text.get(..at)).unwrap_or(text)
}

/// Type and body of every `impl` block without a trait.
fn blocks(text: &str) -> Vec<(&str, &str)> {
    let mut found = Vec::new();
    let starts = text.match_indices("impl").filter(|(at, _)| {
        let alone = *at == 0 || text.get(..*at).is_some_and(|before| before.ends_with('\n'));
        alone && text.get(at + 4..).is_some_and(|rest| rest.starts_with([' ', '<']))
    });
    for (at, word) in starts {
        let Some(rest) = text.get(at + word.len()..) else { continue };
        let Some((head, body)) = rest.split_once('{') else { continue };
        let Some(name) = owner(head) else { continue };
        // The formatter ends a block with a brace that starts its line.
        found.push((name, body.split_once("\n}").map_or("", |(body, _)| body)));
    }
    found
}

/// The type in the head of an `impl` block; none in that of a trait.
fn owner(head: &str) -> Option<&str> {
    let head =
        head.split_once("\nwhere").or_else(|| head.split_once(" where ")).map_or(head, |(head, _)| head);
    let head = after_parameters(head).trim();
    if head.contains(" for ") {
        return None;
    }
    let path = head.split('<').next().unwrap_or_default().trim();
    let name = path.rsplit("::").next().unwrap_or_default();
    (!name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || c == '_')).then_some(name)
}

/// Returns the text after the parameters of an `impl`.
fn after_parameters(head: &str) -> &str {
    let mut depth = 0_u32;
    if !head.starts_with('<') {
        return head;
    }
    for (at, c) in head.char_indices() {
        match c {
            '<' => depth += 1,
            '>' if head.get(..at).is_some_and(|before| before.ends_with('-')) => {}
            '>' => depth = depth.saturating_sub(1),
            _ => {}
        }
        if depth == 0 {
            return head.get(at + 1..).unwrap_or_default();
        }
    }
    ""
}

/// The name of the method that a line begins.
fn method(line: &str) -> Option<&str> {
    let mut rest = line.strip_prefix("    ").filter(|rest| !rest.starts_with(' '))?;
    if let Some(public) = rest.strip_prefix("pub") {
        let scope = public.strip_prefix('(').and_then(|inner| inner.split_once(')'));
        rest = scope.map_or(public, |(_, after)| after).trim_start();
    }
    for word in ["const ", "async "] {
        rest = rest.strip_prefix(word).unwrap_or(rest);
    }
    let name = identifier(rest.strip_prefix("fn ")?);
    (!name.is_empty()).then_some(name)
}

/// The name in `name(`, as it follows `self.`.
fn called(rest: &str) -> Option<&str> {
    let name = identifier(rest);
    (!name.is_empty() && rest.get(name.len()..).is_some_and(|rest| rest.starts_with('('))).then_some(name)
}

fn identifier(text: &str) -> &str {
    let end = text.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(text.len());
    text.get(..end).unwrap_or_default()
}

/// The size of the largest circle among a type's files.
fn largest_circle(files: &BTreeMap<&str, Part>) -> usize {
    let mut owners: BTreeMap<&str, Option<&str>> = BTreeMap::new();
    for (file, part) in files {
        for name in &part.defined {
            owners.entry(name).and_modify(|owner| *owner = None).or_insert(Some(file));
        }
    }
    let calls: BTreeMap<&str, BTreeSet<&str>> = files
        .iter()
        .map(|(file, part)| {
            let others = part.called.iter().filter_map(|name| *owners.get(name.as_str())?);
            (*file, others.filter(|owner| owner != file).collect())
        })
        .collect();
    let reached: BTreeMap<&str, BTreeSet<&str>> =
        files.keys().map(|file| (*file, reachable(file, &calls))).collect();
    let reaches = |from: &str, to: &str| reached.get(from).is_some_and(|found| found.contains(to));
    let circle =
        |file: &str| files.keys().filter(|other| reaches(file, other) && reaches(other, file)).count();
    files.keys().map(|file| circle(file)).max().unwrap_or(0).max(1)
}

/// The files that a file reaches by calls.
fn reachable<'a>(from: &'a str, calls: &BTreeMap<&'a str, BTreeSet<&'a str>>) -> BTreeSet<&'a str> {
    let mut found = BTreeSet::new();
    let mut open = vec![from];
    while let Some(next) = open.pop() {
        for file in calls.get(next).into_iter().flatten() {
            if found.insert(*file) {
                open.push(file);
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tidy::fixture;

    fn counts(files: &[(&str, &str)]) -> Vec<(String, usize, usize)> {
        let mut all = vec![("crates/a/Cargo.toml", "")];
        all.extend(files);
        let found = counted(&fixture(&all));
        found.into_iter().map(|found| (found.name, found.methods, found.circle)).collect()
    }

    #[test]
    fn methods_are_counted_over_all_files_of_a_crate() {
        let one = "pub struct A;\n\nimpl<'a, T: Fn() -> u32> A<'a, T>\nwhere\n    T: Copy,\n{\n    pub(crate) fn one(&self) {}\n\n    \
                   const fn two() {\n        fn inner() {}\n    }\n}\n\nimpl Drop for A {\n    fn drop(&mut self) {}\n}\n";
        let two = "impl super::A {\n    pub fn three(&self) {}\n}\n\n#[cfg(test)]\nmod tests {\n}\nimpl A {\n    fn four() {}\n}\n";
        let tests = "impl A {\n    fn five() {}\n}\n";
        let files =
            [("crates/a/src/one.rs", one), ("crates/a/src/two.rs", two), ("crates/a/src/tests.rs", tests)];
        assert_eq!(counts(&files), [("A".to_owned(), 3, 1)]);
    }

    #[test]
    fn files_that_call_each_other_form_a_cycle() {
        let file = |own: &str, calls: &str| {
            format!("impl A {{\n    fn {own}(&self) {{\n        self.{calls}();\n    }}\n}}\n")
        };
        for (calls, want) in
            [(["b", "c", "a"], 3), (["b", "a", "a"], 2), (["b", "c", "c"], 1), (["x", "a", "b"], 1)]
        {
            let texts = [file("a", calls[0]), file("b", calls[1]), file("c", calls[2])];
            let files = [
                ("crates/a/src/a.rs", &*texts[0]),
                ("crates/a/src/b.rs", &*texts[1]),
                ("crates/a/src/c.rs", &*texts[2]),
            ];
            assert_eq!(counts(&files), [("A".to_owned(), 3, want)], "{calls:?}");
        }
    }

    #[test]
    fn a_known_type_may_not_grow_and_its_entry_shrinks_with_it() {
        let known = [Known { folder: "crates/a", name: "A", methods: 200, circle: 9 }];
        for (methods, circle, part) in [
            (200, 9, None),
            (201, 9, Some("201 methods, at most 200")),
            (200, 10, Some("10 files in one circle, at most 9")),
            (199, 9, Some("lower the entry in tidy/types.rs from 200")),
            (100, 8, Some("lower the entry")),
            (120, 4, Some("take its entry out")),
        ] {
            let types = [Counted { folder: "crates/a".into(), name: "A".into(), methods, circle }];
            let findings = compared(&types, &known);
            match part {
                Some(part) => assert!(findings.iter().any(|finding| finding.contains(part)), "{findings:?}"),
                None => assert_eq!(findings, Vec::<String>::new()),
            }
        }
        let other = [Counted { folder: "crates/a".into(), name: "B".into(), methods: 121, circle: 5 }];
        assert_eq!(compared(&other, &[]).len(), 2);
        assert_eq!(compared(&[], &known).len(), 1);
    }
}
