//! A short soak for every build: cases that once failed, and some new ones.
//!
//! Debug builds are slow, so times are not checked here: `cargo xtask soak` finds slow answers.

use planarium_tests::soak::{Case, Changed, Found, Supply, play};
use std::path::Path;

/// A stopped clock: no answer takes too long.
fn played(case: &Case) -> Option<Found> {
    play(case, &|| 0)
}

#[test]
fn cases_that_once_failed_pass() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("data/soak");
    let mut files: Vec<_> =
        std::fs::read_dir(folder).expect("the folder").map(|one| one.expect("a file").path()).collect();
    files.sort();
    for file in files.iter().filter(|file| file.extension().is_some_and(|end| end == "json")) {
        let text = std::fs::read_to_string(file).expect("a text");
        let case: Case = serde_json::from_str(&text).expect("a case");
        assert_eq!(played(&case), None, "{}", file.display());
    }
}

#[test]
fn fresh_cases_pass() {
    let supply = Supply::of_the_gallery();
    for seed in 0..60 {
        assert_eq!(played(&supply.case(seed).0), None, "seed {seed}");
    }
}

#[test]
fn a_seed_is_one_case_and_cases_differ() {
    let supply = Supply::of_the_gallery();
    assert_eq!(supply.case(7), supply.case(7));
    assert_ne!(supply.case(7).0.steps, supply.case(8).0.steps);
}

#[test]
fn cases_have_changed_definitions_of_each_system_and_changed_inputs() {
    let supply = Supply::of_the_gallery();
    let mut changed = Changed::default();
    for seed in 0..1_000 {
        changed.add(&supply.case(seed).1);
    }
    let systems: Vec<&str> = changed.by_system.keys().map(String::as_str).collect();
    for system in ["kubernetes", "kudo", "marathon", "sdk", "skopos"] {
        assert!(systems.contains(&system), "{system}: {systems:?}");
        assert!(changed.by_system[system] > 50, "{changed:?}");
    }
    assert!(changed.inputs > 300, "{changed:?}");
    assert!(changed.definitions() > changed.inputs * 2, "{changed:?}");
}
