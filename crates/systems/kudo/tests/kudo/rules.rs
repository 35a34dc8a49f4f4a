//! Individual rules of KUDO: packages with many plans, and the result of each.
//!
//! The cases are texts in `plays/`. A line `=== TITLE` begins one; `# file: PATH` lines contain its package, and the lines
//! after `# play` are those of `script`. Without a `# file:` line the previous package is used.

#![expect(clippy::expect_used, clippy::panic, reason = "helpers of tests")]

use super::script::Play;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Titles of a text with what follows them.
pub(crate) fn blocks(text: &str) -> impl Iterator<Item = (&str, &str)> {
    let parts = text.split("\n=== ").filter(|part| !part.trim().is_empty());
    parts.map(|part| part.split_once('\n').expect("a title"))
}

/// Plays everything of a text; tells of all that went otherwise.
pub(crate) fn play_all(text: &str) {
    let mut package = String::new();
    let mut failed = Vec::new();
    for (title, body) in blocks(text) {
        let (files, script) = body.split_once("# play\n").unwrap_or_else(|| panic!("{title}: no play"));
        if files.contains("# file: ") {
            files.clone_into(&mut package);
        }
        let played = catch_unwind(AssertUnwindSafe(|| Play::new(&package).play(script)));
        if let Err(problem) = played {
            let words = problem.downcast_ref::<String>().map_or("a panic", String::as_str);
            failed.push(format!("=== {title}\n{words}"));
        }
    }
    assert!(failed.is_empty(), "{}", failed.join("\n\n"));
}

#[test]
fn tasks() {
    play_all(include_str!("plays/tasks.txt"));
}

#[test]
fn workloads() {
    play_all(include_str!("plays/workloads.txt"));
}

#[test]
fn lives() {
    play_all(include_str!("plays/lives.txt"));
}

#[test]
fn files() {
    play_all(include_str!("plays/files.txt"));
}

#[test]
fn admission() {
    play_all(include_str!("plays/admission.txt"));
}
