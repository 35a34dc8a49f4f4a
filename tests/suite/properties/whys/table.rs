//! Least numbers of what is compared for each system, and the document that has them.
//!
//! *Knows*: counts. *Must not know*: explanations. `PLANARIUM_BLESS=1` writes the document from the least numbers here and the counts of
//! this run.

use std::collections::BTreeMap;
use std::fmt::Write as _;

/// The counted thing, in words.
const KINDS: [(&str, &str); 7] = [
    ("changed definitions", "Worlds with a changed definition"),
    ("explanations", "Explanations"),
    ("proposals", "Inputs that explanations propose"),
    ("ways out", "Ways out that were taken"),
    ("turns", "Elements that moved after what they wait for"),
    ("instants", "Instants that were named"),
    ("ends", "Ends that were named"),
];

/// Least numbers in the order of [`KINDS`]; a run has several times as many. Zero where a system names no such thing.
const LEAST: [(&str, [u32; 7]); 5] = [
    ("sdk", [5, 32, 20, 5, 1, 1, 0]),
    ("marathon", [5, 50, 50, 10, 0, 1, 0]),
    ("kudo", [5, 32, 15, 3, 0, 0, 0]),
    ("skopos", [5, 50, 10, 2, 1, 5, 2]),
    ("kubernetes", [5, 32, 5, 3, 0, 0, 0]),
];

const FILE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/reference/explanations.md");

/// Checks the counts of a run against the least numbers, and these against the document.
pub(super) fn check(counts: &BTreeMap<String, BTreeMap<&'static str, u32>>) {
    let counted = |system: &str, what: &str| {
        counts.get(system).and_then(|counts| counts.get(what)).copied().unwrap_or_default()
    };
    let mut few = Vec::new();
    for dialect in planarium_world::dialects() {
        let (system, least) =
            LEAST.iter().find(|(system, _)| *system == dialect.word).expect("least numbers");
        for ((what, _), least) in KINDS.iter().zip(least) {
            let found = counted(system, what);
            if found < *least {
                few.push(format!("{system}: {found} {what}, at least {least}"));
            }
        }
    }
    assert!(few.is_empty(), "{}", few.join("\n"));
    if std::env::var_os("PLANARIUM_BLESS").is_some() {
        std::fs::write(FILE, document(&counted)).expect("the document is written");
    }
    let written = std::fs::read_to_string(FILE).expect("the document");
    for (system, least) in LEAST {
        for ((_, words), least) in KINDS.iter().zip(least) {
            let row = |line: &&str| line.starts_with(&format!("| {system} | {words} | {least} |"));
            assert!(written.lines().any(|line| row(&line)), "{system}, {words}: run with PLANARIUM_BLESS=1");
        }
    }
}

fn document(counted: &dyn Fn(&str, &str) -> u32) -> String {
    let mut text = "# Explanations that are compared with what happens

A test takes examples of each system, as they are and with one amount of their definition changed, to some instant, disturbs them, and compares
every explanation with the minute that follows: what is said to come first comes first, an instant that is named is kept, a proposal is accepted,
a way out works. It fails where it has compared less than these numbers. The last column is one run; `PLANARIUM_BLESS=1 cargo test -p
planarium-tests --all-features --test properties whys` writes this page.

| System | What | At least | In one run |
|---|---|---|---|
"
    .to_owned();
    for (system, least) in LEAST {
        for ((what, words), least) in KINDS.iter().zip(least) {
            let _ = writeln!(text, "| {system} | {words} | {least} | {} |", counted(system, what));
        }
    }
    text
}
