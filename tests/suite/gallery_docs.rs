//! The gallery's READMEs, and its definitions as readers see them.

use planarium_gallery::front_matter;
use planarium_tests::{files, golden};
use planarium_world::check;
use std::collections::BTreeMap;

#[test]
fn readmes_carry_their_front_matter() {
    let mut orders = Vec::new();
    for example in planarium_gallery::examples() {
        let readme = files::text(&files::root().join("examples").join(example.id).join("README.md"));
        let header: BTreeMap<&str, &str> = front_matter(&readme).0.into_iter().collect();
        for key in ["title", "dialect", "teaches", "difficulty", "since", "order"] {
            assert!(header.get(key).is_some_and(|value| !value.is_empty()), "{}: no {key}", example.id);
        }
        assert_eq!(header.get("title"), Some(&example.title), "{}", example.id);
        assert!(example.readme.split_whitespace().count() >= 20, "{}: says too little", example.id);
        orders.push(header.get("order").and_then(|order| order.parse::<u32>().ok()));
    }
    assert!(orders.windows(2).all(|pair| pair[0] < pair[1]), "menu order: {orders:?}");
}

#[test]
fn definitions_have_the_findings_that_their_readme_names() {
    for example in planarium_gallery::examples() {
        let readme = files::text(&files::root().join("examples").join(example.id).join("README.md"));
        let header = front_matter(&readme).0;
        let named = header.iter().find(|(key, _)| *key == "findings").map_or("", |(_, codes)| codes);
        let named: Vec<&str> = named.split_whitespace().collect();
        let file = |path: &str| {
            example.files.iter().find(|(name, _)| *name == path).map(|(_, text)| (*text).to_owned())
        };
        let parsed = planarium_scenario::parse(example.scenario, example.id, &file);
        let scenario = parsed.scenario.expect("a scenario");
        // An example of the cluster alone brings no definition.
        assert_eq!(scenario.services.is_empty(), example.files.is_empty(), "{}", example.id);
        let mut dialects = Vec::new();
        for service in &scenario.services {
            let report = check(service);
            let mut said: Vec<&str> = report.diagnostics.iter().map(|finding| &*finding.code).collect();
            said.sort_unstable();
            assert_eq!(said, named, "{}: {:?}", example.id, report.diagnostics);
            dialects.push(report.dialect);
            assert!(
                report.preview.is_some_and(|service| !service.plans.is_empty()),
                "{}: no preview",
                example.id
            );
        }
        // An example may contain several systems; its own one is among them.
        assert!(dialects.is_empty() || dialects.contains(&example.dialect), "{}", example.id);
    }
}

#[test]
fn examples_are_small() {
    for example in planarium_gallery::examples() {
        let bytes: usize =
            example.files.iter().map(|(_, text)| text.len()).sum::<usize>() + example.scenario.len();
        assert!(bytes <= 12 * 1024, "{}: {bytes} bytes", example.id);
    }
}

/// Examples whose moving pictures the README shows.
const PICTURES: [&str; 5] = [
    "canary",
    "marathon-three-at-seventy-percent",
    "kudo-first-operator",
    "quality-gate",
    "kubernetes-bad-image",
];

#[test]
fn pictures_in_the_readme_match_the_engine() {
    let readme = files::text(&files::root().join("README.md"));
    for id in PICTURES {
        let example = planarium_gallery::find(id).expect("an example");
        let file = |path: &str| {
            example.files.iter().find(|(name, _)| *name == path).map(|(_, text)| (*text).to_owned())
        };
        let parsed = planarium_scenario::parse(example.scenario, example.id, &file);
        let scenario = parsed.scenario.expect("a scenario");
        let title = scenario.title.clone();
        let (mut engine, mut player) = planarium_scenario::Player::start(scenario);
        player.run_to_end(&mut engine);
        let notes = player.take_notes();
        let recording =
            planarium_embed::record(&mut engine, &notes, &title, &planarium_embed::Selection::default());
        let path = format!("docs/pictures/{id}.svg");
        assert!(readme.contains(&format!("({path})")), "the README does not show {path}");
        if let Err(difference) = golden::compare(&path, &planarium_embed::animated(&recording)) {
            panic!("{difference}");
        }
    }
}
