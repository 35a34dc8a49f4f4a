//! Outside its own crate a system is named only where it is registered. The world names its parts only in its lists.
//!
//! Comments, tests, examples and documents may name any system.

#![expect(
    clippy::case_sensitive_file_extension_comparisons,
    reason = "names of files are spelled as the repository has them"
)]

use super::{Repository, Source};

/// Words that name a system, as they stand in code. The word of Kubernetes is the API's own, too; its crate's name tells.
const WORDS: [&str; 9] = [
    "\"sdk\"",
    "\"marathon\"",
    "\"kudo\"",
    "\"skopos\"",
    "planarium_sdk",
    "planarium_marathon",
    "planarium_kudo",
    "planarium_skopos",
    "planarium_kubernetes",
];

/// Crates of the systems: each may name itself.
const OWN: [&str; 5] = [
    "crates/systems/sdk/",
    "crates/systems/marathon/",
    "crates/systems/kudo/",
    "crates/systems/skopos/",
    "crates/systems/kubernetes/",
];

/// Files in which systems are registered.
const REGISTRATIONS: [&str; 6] = [
    "crates/world/src/systems.rs",
    "crates/world/src/detect.rs",
    "web/src/systems/",
    "xtask/src/size.rs",
    "xtask/src/tidy/layers.rs",
    "xtask/src/tidy/systems.rs",
];

/// The folder of the world, which works with lists of parts.
const WORLD: &str = "crates/world/src";

/// Files of the world that list parts, or test how a build's systems are distinguished.
const LISTS: [&str; 3] =
    ["crates/world/src/layers.rs", "crates/world/src/systems.rs", "crates/world/src/detect.rs"];

/// Words by which code of the world would tell one part from the others.
const PARTS: [&str; 3] = ["feature =", "planarium_mesos", "planarium_kube"];

/// The feature that concerns all parts alike.
const IN_PIECES: &str = "feature = \"split\"";

/// Lines of code that name a system elsewhere, or a part in the world's own code.
pub(crate) fn check(repository: &Repository) -> Vec<String> {
    let folders = ["crates", "web/src", "xtask/src"];
    let sources = folders.into_iter().flat_map(|folder| repository.below(folder));
    let mut findings: Vec<String> =
        sources.filter(|source| is_production(&source.path)).flat_map(named).collect();
    findings.extend(repository.below(WORLD).flat_map(parts_named));
    findings
}

/// Reports lines of the world's files that name a part outside of a list.
fn parts_named(source: &Source) -> Vec<String> {
    if LISTS.contains(&source.path.as_str()) {
        return Vec::new();
    }
    let lines = source.text.lines().enumerate().filter(|(_, line)| !line.trim_start().starts_with("//"));
    lines
        .filter_map(|(at, line)| {
            let word = PARTS.iter().find(|word| line.replace(IN_PIECES, "").contains(*word))?;
            let at = at + 1;
            Some(format!("{}:{at}: `{word}` singles a part out; only {LISTS:?} may", source.path))
        })
        .collect()
}

fn is_production(path: &str) -> bool {
    path.ends_with(".rs")
        && !path.contains("/tests/")
        && !path.ends_with("/tests.rs")
        && !path.starts_with("xtask/src/bench/")
        && !OWN.iter().chain(&REGISTRATIONS).any(|own| path.starts_with(own))
}

fn named(source: &Source) -> Vec<String> {
    let code = source.text.split("#[cfg(test)]").next().unwrap_or_default();
    let lines = code.lines().enumerate().filter(|(_, line)| !line.trim_start().starts_with("//"));
    lines
        .filter_map(|(at, line)| {
            let word = WORDS.iter().find(|word| line.contains(*word))?;
            Some(format!(
                "{}:{}: {word} stands outside its crate; register it in one of {REGISTRATIONS:?}",
                source.path,
                at + 1
            ))
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(path: &str, text: &str) -> usize {
        let source = Source { path: path.to_owned(), text: text.to_owned() };
        if is_production(&source.path) { named(&source).len() } else { 0 }
    }

    #[test]
    fn a_system_is_named_in_its_crate_and_where_it_is_registered() {
        for (path, text, findings) in [
            ("crates/rest/src/lib.rs", "let word = \"sdk\";", 1),
            ("web/src/app/mod.rs", "use planarium_kudo::x;\nlet a = 1;\nlet b = \"skopos\";", 2),
            ("crates/rest/src/lib.rs", "// as \"sdk\" does", 0),
            ("crates/rest/src/lib.rs", "fn a() {}\n#[cfg(test)]\nmod tests { const A: &str = \"sdk\"; }", 0),
            ("crates/rest/tests/a.rs", "let word = \"sdk\";", 0),
            ("crates/systems/sdk/src/lib.rs", "let word = \"sdk\";", 0),
            ("crates/world/src/systems.rs", "let word = \"sdk\";", 0),
            ("web/src/systems/mod.rs", "let word = \"sdk\";", 0),
        ] {
            assert_eq!(found(path, text), findings, "{path}: {text}");
        }
    }

    #[test]
    fn the_world_names_its_parts_only_in_its_lists() {
        let code = "// planarium_mesos\n#[cfg(feature = \"mesos\")]\nuse planarium_kube::Cluster;\n";
        for (path, findings) in [
            ("crates/world/src/step.rs", 2),
            ("crates/world/src/input/mod.rs", 2),
            ("crates/world/src/layers.rs", 0),
            ("crates/world/src/systems.rs", 0),
            ("crates/rest/src/lib.rs", 0),
        ] {
            let found = check(&super::super::fixture(&[(path, code)]));
            assert_eq!(found.len(), findings, "{path}: {found:?}");
        }
        let pieces = "#[cfg(feature = \"split\")]\n#[cfg(all(feature = \"split\", feature = \"kube\"))]\n";
        assert_eq!(check(&super::super::fixture(&[("crates/world/src/pieces.rs", pieces)])).len(), 1);
    }
}
