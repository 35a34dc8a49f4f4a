//! State has no floats and no `usize`: values that differ between targets, or are rounded, cannot be compared by
//! digest.
//!
//! Checks the fields of every type in the engine's crates. A field that is not state (a length in memory, a position in a text
//! being read) is counted with the others of its crate.

use super::{Repository, Source};

/// Types that state does not have: the kind, and its words.
const KINDS: [(&str, &[&str]); 2] = [("floats", &["f32", "f64"]), ("usize", &["usize"])];

/// Fields that a crate has of each kind. None may get more; where there are fewer, the entry is lowered.
struct Known {
    folder: &'static str,
    counts: [usize; 2],
}

/// The crates that hold state. `source` is none: it reads texts, and a place in a text is a number of bytes in memory.
const CRATES: [Known; 13] = [
    // Places in tables in memory.
    Known { folder: "crates/kernel", counts: [0, 3] },
    // A place in a text that is read.
    Known { folder: "crates/protocol", counts: [0, 2] },
    Known { folder: "crates/plan", counts: [0, 4] },
    Known { folder: "crates/ground", counts: [0, 0] },
    Known { folder: "crates/part", counts: [0, 1] },
    Known { folder: "crates/parts/mesos", counts: [0, 3] },
    Known { folder: "crates/parts/kube", counts: [0, 0] },
    Known { folder: "crates/systems/sdk", counts: [0, 5] },
    Known { folder: "crates/systems/marathon", counts: [0, 10] },
    Known { folder: "crates/systems/kudo", counts: [0, 4] },
    Known { folder: "crates/systems/skopos", counts: [0, 3] },
    Known { folder: "crates/systems/kubernetes", counts: [0, 0] },
    Known { folder: "crates/world", counts: [0, 2] },
];

/// Crates with more such fields than they are known for, or with fewer.
pub(crate) fn check(repository: &Repository) -> Vec<String> {
    CRATES.iter().flat_map(|known| compared(&found(repository, known.folder), known)).collect()
}

/// The fields of a crate, each with its file.
fn found(repository: &Repository, folder: &str) -> Vec<String> {
    let sources = repository.below(folder).filter(|source| is_code(source));
    sources.flat_map(|source| fields(&source.text).map(|field| format!("{}: {field}", source.path))).collect()
}

fn compared(found: &[String], known: &Known) -> Vec<String> {
    let mut findings = Vec::new();
    for ((kind, words), allowed) in KINDS.iter().zip(known.counts) {
        let of_kind: Vec<&str> =
            found.iter().map(String::as_str).filter(|field| holds(field, words)).collect();
        let (folder, count) = (known.folder, of_kind.len());
        if count > allowed {
            let list = of_kind.join("\n  ");
            findings.push(format!(
                "{folder} has {count} fields with {kind}, {allowed} are known; state takes u32, u64 or Milli:\n  {list}"
            ));
        } else if count < allowed {
            findings.push(format!(
                "{folder} has {count} fields with {kind} only: lower the entry in tidy/numbers.rs from {allowed}"
            ));
        }
    }
    findings
}

fn is_code(source: &Source) -> bool {
    let is_test = |part: &str| part == "tests" || part == "tests.rs" || part == "benches";
    source.is(&["rs"]) && !source.path.split('/').any(is_test)
}

/// Fields of types whose type holds one of the words.
fn fields(text: &str) -> impl Iterator<Item = String> {
    let holds = |line: &str| KINDS.iter().any(|(_, words)| holds(line, words));
    let mut found = Vec::new();
    let mut ends: Option<String> = None;
    for line in text.split("#[cfg(test)]\nmod ").next().unwrap_or_default().lines() {
        let code = line.split("//").next().unwrap_or_default();
        if let Some(end) = &ends {
            if code == end {
                ends = None;
            } else if holds(code) {
                found.push(code.trim().trim_end_matches(',').to_owned());
            }
        } else if let Some(indent) = declaration(code) {
            if code.trim_end().ends_with('{') {
                ends = Some(format!("{indent}}}"));
            } else if code.contains('(') && holds(code) {
                found.push(code.trim().to_owned());
            }
        }
    }
    found.into_iter()
}

/// The indent of a line that begins a struct or an enum.
fn declaration(line: &str) -> Option<&str> {
    let start = line.trim_start();
    let rest = start.strip_prefix("pub").map_or(start, |rest| {
        let scope = rest.strip_prefix('(').and_then(|rest| rest.split_once(')'));
        scope.map_or(rest, |(_, rest)| rest).trim_start()
    });
    let is_type = rest.starts_with("struct ") || rest.starts_with("enum ");
    is_type.then(|| line.get(..line.len() - start.len()).unwrap_or_default())
}

/// Returns whether one of the words occurs in a line.
fn holds(line: &str, words: &[&str]) -> bool {
    line.split(|c: char| !c.is_alphanumeric() && c != '_').any(|word| words.contains(&word))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tidy::fixture;

    #[test]
    fn only_fields_of_types_are_found() {
        let text = "pub(crate) struct A {\n    /// usize\n    pub len: usize,\n    name: Text,\n    rows: BTreeMap<u32, f64>,\n}\n\n\
                    struct B(usize);\nenum C {\n    D(f32),\n    E { at: u32 },\n}\nimpl A {\n    fn len(&self) -> usize {\n        self.len\n    }\n}\n\
                    #[cfg(test)]\nmod tests {\n    struct F {\n        at: usize,\n    }\n}\n";
        let files = [
            ("crates/world/src/a.rs", text),
            ("crates/plan/src/b.rs", text),
            ("crates/world/tests/a.rs", text),
        ];
        let fields = ["pub len: usize", "rows: BTreeMap<u32, f64>", "struct B(usize);", "D(f32)"];
        let want = fields.map(|field| format!("crates/world/src/a.rs: {field}"));
        assert_eq!(found(&fixture(&files), "crates/world"), want);
    }

    #[test]
    fn known_fields_may_only_become_fewer() {
        let fields = ["a.rs: a: usize".to_owned(), "a.rs: b: f64".to_owned(), "a.rs: c: usize".to_owned()];
        for (counts, part) in [
            ([1, 2], None),
            (
                [0, 2],
                Some("1 fields with floats, 0 are known; state takes u32, u64 or Milli:\n  a.rs: b: f64"),
            ),
            ([1, 1], Some("2 fields with usize, 1 are known")),
            ([1, 3], Some("2 fields with usize only: lower the entry in tidy/numbers.rs from 3")),
        ] {
            let findings = compared(&fields, &Known { folder: "crates/a", counts });
            match part {
                Some(part) => assert!(findings.len() == 1 && findings[0].contains(part), "{findings:?}"),
                None => assert_eq!(findings, Vec::<String>::new()),
            }
        }
    }
}
