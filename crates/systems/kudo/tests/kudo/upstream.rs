//! Cases of KUDO's own suite, rewritten as scripted cases.
//!
//! The first line of each block is `# source: kudobuilder/kudo test/SUITE/CASE`. The table in `docs/fidelity/kudo-cases.md` lists every case of
//! both suites, those not covered with the reason.

#![expect(clippy::panic, reason = "helpers of tests")]

use super::rules::{blocks, play_all};
use std::collections::BTreeSet;

const PLAYS: [&str; 3] = [
    include_str!("plays/upstream-packages.txt"),
    include_str!("plays/upstream-objects.txt"),
    include_str!("plays/upstream-end-to-end.txt"),
];

const TABLE: &str = include_str!("../../../../../docs/fidelity/kudo-cases.md");

/// Returns the source cases of a text's blocks. *Errors*: the title of a block that does not begin with its source.
fn sources(text: &str) -> Result<BTreeSet<&str>, String> {
    let source = |(title, body): (&str, _)| {
        let first = str::lines(body).next().unwrap_or_default();
        let case = first.strip_prefix("# source: kudobuilder/kudo ").filter(|case| case.starts_with("test/"));
        case.map(str::trim).ok_or_else(|| title.to_owned())
    };
    blocks(text).map(source).collect()
}

fn play(text: &str) {
    sources(text).unwrap_or_else(|title| panic!("{title}: no source"));
    play_all(text);
}

#[test]
fn packages() {
    play(PLAYS[0]);
}

#[test]
fn objects() {
    play(PLAYS[1]);
}

#[test]
fn end_to_end() {
    play(PLAYS[2]);
}

#[test]
fn a_block_needs_a_source_in_its_first_line() {
    let found = sources("\n=== a\n# source: kudobuilder/kudo test/e2e/a\n# play\nload\n");
    assert_eq!(found, Ok(BTreeSet::from(["test/e2e/a"])));
    for body in ["# play\nload", "# play\n# source: kudobuilder/kudo test/e2e/b", "# source: elsewhere", ""] {
        let text = format!("\n=== a\n# source: kudobuilder/kudo test/e2e/a\n# play\n\n=== b\n{body}");
        assert_eq!(sources(&text), Err("b".to_owned()), "{text}");
    }
}

#[test]
fn the_table_lists_each_case_once_and_marks_covered_ones() {
    let mut with_play = BTreeSet::new();
    let mut all = BTreeSet::new();
    for row in TABLE.lines().filter_map(|line| line.strip_prefix("| `test/")) {
        let mut cells = row.split(" | ");
        let case = cells.next().expect("a case").trim_end_matches('`');
        assert!(all.insert(case), "{case} is there twice");
        if cells.next().expect("a play").contains("upstream-") {
            with_play.insert(format!("test/{case}"));
        }
    }
    let of_suite = |suite: &str| all.iter().filter(|case| case.starts_with(suite)).count();
    assert_eq!((of_suite("integration/"), of_suite("e2e/")), (27, 11));
    let played: BTreeSet<&str> = PLAYS.iter().flat_map(|text| sources(text).expect("sources")).collect();
    assert!(played.iter().copied().eq(with_play.iter().map(String::as_str)), "{played:#?}\n{with_play:#?}");
}
