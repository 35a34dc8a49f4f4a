//! Every folder of the gallery is complete: definition, scenario, golden transcript, a short README with its header.

use std::collections::BTreeMap;

use super::{Repository, Source};

#[path = "../../../crates/gallery/src/front_matter.rs"]
#[expect(unreachable_pub, reason = "shared with the library, which hands it out")]
pub(crate) mod front_matter;

use front_matter::front_matter;

/// The keys of a README's header.
const KEYS: [&str; 4] = ["title", "dialect", "teaches", "since"];

/// Maximum lines of a README's text below its header, so that it is read before the example is played.
const LONGEST: usize = 12;

/// Lists the missing parts of examples, and READMEs that are too long.
pub(crate) fn check(repository: &Repository) -> Vec<String> {
    let mut folders: BTreeMap<&str, Vec<(&str, &Source)>> = BTreeMap::new();
    for source in repository.below("examples") {
        if let Some((folder, file)) =
            source.path.strip_prefix("examples/").and_then(|rest| rest.split_once('/'))
        {
            folders.entry(folder).or_default().push((file, source));
        }
    }
    folders.iter().flat_map(|(folder, files)| missing(folder, files)).collect()
}

fn missing(folder: &str, files: &[(&str, &Source)]) -> Vec<String> {
    let mut findings = Vec::new();
    let has = |test: fn(&str) -> bool| files.iter().any(|(name, _)| test(name));
    if !has(is_scenario) {
        findings.push(format!("examples/{folder}: no scenario (*.planarium.yaml)"));
    }
    // An example of the cluster alone has nothing to define.
    let readme = files.iter().find(|(name, _)| *name == "README.md");
    let cluster_alone = readme.is_some_and(|(_, readme)| {
        front_matter(&readme.text).0.iter().any(|(key, value)| *key == "dialect" && *value == "mesos")
    });
    if !has(is_definition) && !cluster_alone {
        findings.push(format!(
            "examples/{folder}: no definition (a .yml, .yaml or .json file beside the scenario)"
        ));
    }
    if !has(is_transcript) {
        findings.push(format!("examples/{folder}: no golden transcript; cargo xtask bless writes it"));
    }
    match readme {
        None => findings.push(format!("examples/{folder}: no README.md")),
        Some((_, readme)) => {
            let (keys, text) = front_matter(&readme.text);
            for key in KEYS {
                if !keys.iter().any(|(found, value)| *found == key && !value.is_empty()) {
                    findings.push(format!("examples/{folder}/README.md: its header has no `{key}`"));
                }
            }
            let lines = text.trim().lines().count();
            if lines > LONGEST {
                findings.push(format!(
                    "examples/{folder}/README.md: {lines} lines below its header, {LONGEST} at most"
                ));
            }
        }
    }
    findings
}

fn is_scenario(name: &str) -> bool {
    name.ends_with(".planarium.yaml")
}

fn is_definition(name: &str) -> bool {
    !is_scenario(name) && [".yml", ".yaml", ".json", ".mustache"].iter().any(|end| name.ends_with(end))
}

fn is_transcript(name: &str) -> bool {
    name.contains("transcript")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tidy::fixture;

    const README: &str = "---\ntitle: Hello\ndialect: sdk\nteaches: serial\nsince: 0.1.0\n---\nText.\n";

    #[test]
    fn a_complete_example_is_fine() {
        let found = check(&fixture(&[
            ("examples/hello/svc.yml", ""),
            ("examples/hello/hello.planarium.yaml", ""),
            ("examples/hello/transcript.txt", ""),
            ("examples/hello/README.md", README),
            ("examples/README.md", ""),
        ]));
        assert_eq!(found, Vec::<String>::new());
    }

    #[test]
    fn a_readme_has_twelve_lines_at_most() {
        let found = |lines: usize| {
            let readme = format!("{}\n{}", README.trim_end_matches("Text.\n"), "Text.\n".repeat(lines));
            let found = check(&fixture(&[
                ("examples/hello/svc.yml", ""),
                ("examples/hello/hello.planarium.yaml", ""),
                ("examples/hello/transcript.txt", ""),
                ("examples/hello/README.md", &readme),
            ]));
            found.join("\n")
        };
        assert_eq!(found(12), "");
        assert_eq!(found(13), "examples/hello/README.md: 13 lines below its header, 12 at most");
    }

    #[test]
    fn each_missing_part_is_named() {
        let found = check(&fixture(&[("examples/hello/README.md", "---\ntitle: Hello\nsince:\n---\n")]));
        for part in
            ["no scenario", "no definition", "no golden transcript", "`dialect`", "`teaches`", "`since`"]
        {
            assert!(found.iter().any(|finding| finding.contains(part)), "{part} in {found:?}");
        }
        assert!(!found.iter().any(|finding| finding.contains("`title`")));
        assert_eq!(check(&fixture(&[("examples/x/svc.yml", "")])).len(), 3);
    }
}
