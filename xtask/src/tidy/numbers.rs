//! State has no floats and no `usize`: values that differ between targets, or are rounded, cannot be compared by
//! digest.
//!
//! Checks the fields of every type in the engine's crates. Types that are not state have `usize` where a number is a place in
//! memory; [`PLACES`] names each of these fields.

use super::{Repository, Source};

/// Types that state does not have.
const KINDS: [(&str, &[&str]); 2] = [("floats", &["f32", "f64"]), ("usize", &["usize"])];

/// The crates that hold state. `source` is none: it reads texts, and a place in a text is a number of bytes in memory.
const CRATES: [&str; 13] = [
    "crates/kernel",
    "crates/protocol",
    "crates/plan",
    "crates/ground",
    "crates/part",
    "crates/parts/mesos",
    "crates/parts/kube",
    "crates/systems/sdk",
    "crates/systems/marathon",
    "crates/systems/kudo",
    "crates/systems/skopos",
    "crates/systems/kubernetes",
    "crates/world",
];

/// Fields with `usize` that are no state: file, field, and its meaning.
const PLACES: [(&str, &str, &str); 38] = [
    ("kernel/src/cow/by_id.rs", "first: usize", "place of the first chunk in memory"),
    ("kernel/src/cow/map.rs", "left: usize", "entries that an iterator has left"),
    ("kernel/src/rope.rs", "skipped: usize", "entries of the first chunk that are removed"),
    ("kernel/src/sorted/map.rs", "at: Result<usize, usize>", "place of a key during a look-up"),
    ("protocol/src/json/place.rs", "At(usize)", "place in a list of a text"),
    ("protocol/src/json/place.rs", "at: usize", "place in a text"),
    ("plan/src/bits.rs", "at: usize", "place of an iterator"),
    ("plan/src/check.rs", "candidates: Vec<usize>", "positions, computed anew for a check"),
    ("plan/src/strategy/serial.rs", "pub(crate) closed: Option<usize>", "result of a call: a position"),
    ("plan/src/strategy/serial.rs", "pub(crate) opened: Option<usize>", "result of a call: a position"),
    ("part/src/console/split.rs", "pub from: usize", "place in a line"),
    ("parts/mesos/src/maintenance/decode/reader.rs", "row: Option<usize>", "place in a request's text"),
    ("parts/mesos/src/wire/query.rs", "pub limit: Option<usize>", "number in a request"),
    ("parts/mesos/src/wire/query.rs", "pub offset: Option<usize>", "number in a request"),
    ("systems/sdk/src/programs/mod.rs", "pub(crate) phase: usize", "result of a call: a position"),
    ("systems/sdk/src/programs/mod.rs", "pub(crate) step: usize", "result of a call: a position"),
    (
        "systems/sdk/src/scheduler/candidates/evaluator.rs",
        "pub(super) at: usize",
        "position among offers of a round",
    ),
    (
        "systems/sdk/src/scheduler/offers/evaluate/footprint.rs",
        "Of(usize)",
        "position among tasks of a launch",
    ),
    ("systems/sdk/src/scheduler/statuses.rs", "task: usize", "position of a task, during a call"),
    ("systems/marathon/src/decode/files.rs", "item: Option<usize>", "place in a list of a text"),
    (
        "systems/marathon/src/groups/difference.rs",
        "pub(crate) removed: Vec<(usize, &'a Arc<RunSpec>)>",
        "positions, during a call",
    ),
    ("systems/marathon/src/groups/difference.rs", "pub(crate) place: usize", "position, during a call"),
    (
        "systems/marathon/src/offers/matching/constraints.rs",
        "groups: Vec<Vec<usize>>",
        "positions, during a match",
    ),
    (
        "systems/marathon/src/offers/matching/mod.rs",
        "pub(crate) volumes: Vec<(usize, Resource)>",
        "positions of volumes in a definition, during a match",
    ),
    ("systems/marathon/src/offers/matching/ports.rs", "at: usize", "position, during a match"),
    (
        "systems/marathon/src/schema/mod.rs",
        "Text { min: usize, max: usize, fits: Option<fn(&str) -> bool> }",
        "lengths of texts",
    ),
    (
        "systems/marathon/src/schema/mod.rs",
        "List { of: &'static Kind, min: usize, max: usize }",
        "lengths of lists",
    ),
    ("systems/marathon/src/view/lookup.rs", "Step(&'m Arc<Deployment>, usize)", "position, for one view"),
    (
        "systems/marathon/src/view/lookup.rs",
        "Action(&'m Arc<Deployment>, usize, usize)",
        "positions, for one view",
    ),
    ("systems/kudo/src/console/table.rs", "pub(super) widest: Option<usize>", "letters of a column"),
    ("systems/kudo/src/definition.rs", "dependencies: Vec<usize>", "positions in a package that was read"),
    ("systems/kudo/src/package/resolve.rs", "pub package: usize", "position in what was read"),
    ("systems/kudo/src/package/resolve.rs", "pub task: usize", "position in what was read"),
    (
        "systems/skopos/src/definition/generate/component.rs",
        "forward: usize",
        "number in the name of a step, during writing",
    ),
    (
        "systems/skopos/src/definition/generate/component.rs",
        "cleanups: usize",
        "number in the name of a step, during writing",
    ),
    ("systems/skopos/src/definition/substitute.rs", "end: usize", "place in a text"),
    ("world/src/ways_out.rs", "next: usize", "position among proposals, during trials"),
    ("world/src/ways_out.rs", "pairs: usize", "pairs of proposals tried"),
];

/// Fields of state with such a type, and entries of [`PLACES`] whose field is gone.
pub(crate) fn check(repository: &Repository) -> Vec<String> {
    let all: Vec<(String, String)> = CRATES.iter().flat_map(|folder| found(repository, folder)).collect();
    compared(&all, &PLACES)
}

/// The fields of a crate, each with its file.
fn found(repository: &Repository, folder: &str) -> Vec<(String, String)> {
    let sources = repository.below(folder).filter(|source| is_code(source));
    sources.flat_map(|source| fields(&source.text).map(|field| (source.path.clone(), field))).collect()
}

fn compared(all: &[(String, String)], places: &[(&str, &str, &str)]) -> Vec<String> {
    let is = |(path, field): &(String, String), place: &(&str, &str, &str)| {
        path.strip_prefix("crates/") == Some(place.0) && field == place.1
    };
    let named = |field: &&(String, String)| {
        let count = |list: &mut dyn Iterator<Item = bool>| list.filter(|is_it| *is_it).count();
        let known = count(&mut places.iter().map(|place| is(field, place)));
        known < count(&mut all.iter().map(|other| other == *field))
    };
    let new = all.iter().filter(named).map(|(path, field)| {
        let kinds = KINDS.iter().filter(|(_, words)| holds(field, words)).map(|(kind, _)| *kind);
        let kinds = kinds.collect::<Vec<_>>().join(" and ");
        format!("{path}: `{field}` has {kinds}; state takes u32, u64 or Milli, and tidy/numbers.rs names what is no state")
    });
    let gone = places.iter().filter(|place| !all.iter().any(|field| is(field, place)));
    new.chain(gone.map(|(path, field, _)| {
        format!("crates/{path} has no field `{field}` any more: take its entry out of tidy/numbers.rs")
    }))
    .collect()
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
        let want = fields.map(|field| ("crates/world/src/a.rs".to_owned(), field.to_owned()));
        assert_eq!(found(&fixture(&files), "crates/world"), want);
    }

    #[test]
    fn a_field_is_named_or_a_finding() {
        let field = |text: &str| ("crates/a/src/b.rs".to_owned(), text.to_owned());
        let place = |text| ("a/src/b.rs", text, "place in a text");
        assert_eq!(compared(&[field("at: usize")], &[place("at: usize")]), Vec::<String>::new());
        for (all, places, part) in [
            (vec![field("at: usize")], vec![], "crates/a/src/b.rs: `at: usize` has usize;"),
            (vec![field("rate: f64")], vec![place("at: usize")], "`rate: f64` has floats;"),
            (vec![field("at: usize"); 2], vec![place("at: usize")], "`at: usize` has usize;"),
            (vec![], vec![place("at: usize")], "crates/a/src/b.rs has no field `at: usize` any more"),
        ] {
            let findings = compared(&all, &places);
            assert!(findings.iter().any(|finding| finding.contains(part)), "{part}: {findings:?}");
        }
    }
}
