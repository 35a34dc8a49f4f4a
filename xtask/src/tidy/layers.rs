//! A crate uses only layers below its own; the table is that of the design. The page is compiled without the engine.

use std::collections::BTreeSet;

use serde_json::Value;

use super::Repository;

/// Every package with its layer.
const LAYERS: [(&str, u8); 30] = [
    ("planarium-derive", 0),
    ("planarium-kernel", 0),
    ("planarium-protocol", 0),
    ("planarium-source", 0),
    ("planarium-messages", 1),
    ("planarium-plan", 1),
    ("planarium-ground", 1),
    ("planarium-mesos", 3),
    ("planarium-kube", 3),
    ("planarium-part", 2),
    ("planarium-sdk", 4),
    ("planarium-marathon", 4),
    ("planarium-kudo", 4),
    ("planarium-skopos", 4),
    ("planarium-kubernetes", 4),
    ("planarium-world", 5),
    ("planarium-scenario", 6),
    ("planarium-rest", 6),
    ("planarium-gallery", 6),
    ("planarium-embed", 7),
    ("planarium-host", 8),
    ("planarium-wasm", 9),
    ("planarium-worker", 9),
    ("planarium-cli", 9),
    ("planarium-mdbook", 9),
    ("planarium-web", 9),
    ("planarium-tests", 9),
    ("planarium-bindgen", 9),
    ("planarium-workloads", 8),
    ("xtask", 9),
];

/// Neighbours in one layer that may meet all the same.
const EXCEPTIONS: [(&str, &str); 6] = [
    ("planarium-kernel", "planarium-derive"),
    ("planarium-protocol", "planarium-kernel"),
    ("planarium-source", "planarium-kernel"),
    ("planarium-rest", "planarium-scenario"),
    ("planarium-tests", "planarium-cli"),
    ("planarium-tests", "planarium-wasm"),
];

/// Cluster managers, which a build has only if one of its systems needs them.
const MANAGERS: [&str; 2] = ["planarium-mesos", "planarium-kube"];

/// The systems with the cluster managers that they need.
const NEEDS: [(&str, &[&str]); 5] = [
    ("planarium-sdk", &["planarium-mesos"]),
    ("planarium-marathon", &["planarium-mesos"]),
    ("planarium-kudo", &["planarium-kube"]),
    ("planarium-skopos", &[]),
    ("planarium-kubernetes", &["planarium-kube"]),
];

/// The page, and all of ours that it may be compiled with: the engine runs in a worker beside it.
const PAGE: (&str, [&str; 5]) = (
    "planarium-web",
    ["planarium-web", "planarium-messages", "planarium-protocol", "planarium-kernel", "planarium-derive"],
);

/// Returns whether a package may use a cluster manager: a system that needs it, or as a dependency that a feature turns on.
fn may_use(package: &str, manager: &str, dependency: &Value) -> bool {
    if dependency.get("kind").is_some_and(|kind| kind == "dev") {
        return true;
    }
    match NEEDS.iter().find(|(system, _)| *system == package) {
        Some((_, needed)) => needed.contains(&manager),
        None => dependency.get("optional").is_some_and(|optional| optional == true),
    }
}

/// Arrows that do not point down, and packages without a layer.
pub(crate) fn check(repository: &Repository) -> Vec<String> {
    let (page, may_hold) = PAGE;
    let held = compiled_with(&repository.metadata, page);
    let mut findings: Vec<String> = held
        .into_iter()
        .filter(|held| !may_hold.contains(held))
        .map(|held| format!("{page} is compiled with {held}; the page holds nothing of the engine"))
        .collect();
    for package in array(&repository.metadata, "packages") {
        let name = text(package, "name");
        let Some(own) = layer(name) else {
            findings.push(format!("{name} has no layer; give it one in xtask/src/tidy/layers.rs"));
            continue;
        };
        for dependency in array(package, "dependencies") {
            let used = text(dependency, "name");
            let is_ours = dependency.get("path").is_some_and(Value::is_string);
            if MANAGERS.contains(&used) && !may_use(name, used, dependency) {
                findings.push(format!(
                    "{name} uses {used} in every build; a build of systems that do not need it must not compile it"
                ));
            }
            match layer(used) {
                Some(below) if below < own || EXCEPTIONS.contains(&(name, used)) => {}
                Some(other) => findings.push(format!(
                    "{name} (layer {own}) uses {used} (layer {other}); a crate may use only layers below its own"
                )),
                None if is_ours => findings.push(format!("{name} uses {used}, which has no layer")),
                None => {}
            }
        }
    }
    findings
}

/// The packages of ours that a package is compiled with by its ordinary features, itself among them.
fn compiled_with<'a>(metadata: &'a Value, name: &str) -> BTreeSet<&'a str> {
    let packages = array(metadata, "packages");
    let mut found = BTreeSet::new();
    let mut open: Vec<&Value> = packages.iter().filter(|package| text(package, "name") == name).collect();
    while let Some(package) = open.pop() {
        if !found.insert(text(package, "name")) {
            continue;
        }
        let turned_on = turned_on(package);
        for dependency in array(package, "dependencies") {
            let used = text(dependency, "name");
            let for_tests = dependency.get("kind").is_some_and(|kind| kind == "dev");
            let is_left_out = dependency.get("optional").is_some_and(|optional| optional == true)
                && !turned_on.contains(used);
            if !for_tests && !is_left_out {
                open.extend(packages.iter().filter(|package| text(package, "name") == used));
            }
        }
    }
    found
}

/// Everything that the ordinary features of a package turn on: features, and dependencies by their names.
fn turned_on(package: &Value) -> BTreeSet<&str> {
    let mut on = BTreeSet::new();
    let mut open = vec!["default"];
    while let Some(feature) = open.pop() {
        // `name?/feature` turns on a feature of an existing dependency.
        let name = feature.strip_prefix("dep:").unwrap_or(feature);
        let name = name.split_once('/').map_or(name, |(name, _)| name);
        if !name.ends_with('?') && on.insert(name) {
            let more = package.get("features").map_or(&[][..], |features| array(features, name));
            open.extend(more.iter().filter_map(Value::as_str));
        }
    }
    on
}

fn layer(name: &str) -> Option<u8> {
    LAYERS.iter().find(|(known, _)| *known == name).map(|(_, layer)| *layer)
}

fn array<'a>(value: &'a Value, key: &str) -> &'a [Value] {
    value.get(key).and_then(Value::as_array).map_or(&[], Vec::as_slice)
}

fn text<'a>(value: &'a Value, key: &str) -> &'a str {
    value.get(key).and_then(Value::as_str).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tidy::fixture;

    fn found(package: &str, dependency: &str) -> Vec<String> {
        let mut repository = fixture(&[]);
        repository.metadata = serde_json::json!({"packages": [
            {"name": package, "dependencies": [{"name": dependency, "path": "somewhere"}]},
        ]});
        check(&repository)
    }

    #[test]
    fn a_build_has_the_cluster_managers_that_its_systems_need() {
        for (package, dependency, optional, fine) in [
            ("planarium-sdk", "planarium-mesos", false, true),
            ("planarium-kudo", "planarium-mesos", false, false),
            ("planarium-kudo", "planarium-kube", false, true),
            ("planarium-skopos", "planarium-kube", true, false),
            ("planarium-world", "planarium-mesos", true, true),
            ("planarium-world", "planarium-mesos", false, false),
        ] {
            let mut repository = fixture(&[]);
            repository.metadata = serde_json::json!({"packages": [
                {"name": package, "dependencies": [{"name": dependency, "path": "x", "optional": optional}]},
            ]});
            assert_eq!(check(&repository).is_empty(), fine, "{package} uses {dependency}");
        }
    }

    #[test]
    fn the_page_is_compiled_without_the_engine() {
        let page = |dependency: Value, features: Value| {
            let mut repository = fixture(&[]);
            repository.metadata = serde_json::json!({"packages": [
                {"name": "planarium-web", "features": features, "dependencies": [
                    {"name": "planarium-messages", "path": "x"}, dependency,
                ]},
                {"name": "planarium-messages", "dependencies": [{"name": "planarium-protocol", "path": "x"}]},
                {"name": "planarium-protocol", "dependencies": []},
                {"name": "planarium-host", "dependencies": [{"name": "planarium-world", "path": "x"}]},
                {"name": "planarium-world", "dependencies": []},
            ]});
            let found = check(&repository);
            found.iter().filter(|finding| finding.contains("nothing of the engine")).count()
        };
        let host = |more: &[(&str, Value)]| {
            let mut host = serde_json::json!({"name": "planarium-host", "path": "x"});
            for (key, value) in more {
                host[key] = value.clone();
            }
            host
        };
        let none = serde_json::json!({});
        let optional = host(&[("optional", true.into())]);
        assert_eq!(page(host(&[]), none.clone()), 2, "the host, and the world below it");
        assert_eq!(page(host(&[("kind", "dev".into())]), none.clone()), 0);
        assert_eq!(page(optional.clone(), none), 0);
        let other = serde_json::json!({"default": ["all"], "all": ["planarium-host?/all"], "picture": ["dep:planarium-host"]});
        assert_eq!(page(optional.clone(), other), 0);
        for turns_on in ["dep:planarium-host", "planarium-host", "planarium-host/all"] {
            let features = serde_json::json!({"default": ["all"], "all": [turns_on]});
            assert_eq!(page(optional.clone(), features), 2, "{turns_on}");
        }
    }

    #[test]
    fn arrows_point_down() {
        for (package, dependency, fine) in [
            ("planarium-sdk", "planarium-plan", true),
            ("planarium-protocol", "planarium-kernel", true),
            ("planarium-rest", "planarium-scenario", true),
            ("planarium-kernel", "planarium-protocol", false),
            ("planarium-sdk", "planarium-marathon", false),
            ("planarium-plan", "planarium-ground", false),
            ("planarium-plan", "planarium-world", false),
            ("planarium-source", "planarium-kernel", true),
            ("planarium-kernel", "planarium-source", false),
            ("planarium-gallery", "planarium-scenario", false),
            ("planarium-unheard-of", "planarium-kernel", false),
            ("planarium-world", "planarium-unheard-of", false),
        ] {
            assert_eq!(found(package, dependency).is_empty(), fine, "{package} uses {dependency}");
        }
    }
}
