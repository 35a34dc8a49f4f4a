//! A crate uses only layers below its own; the table is that of the design.

use serde_json::Value;

use super::Repository;

/// Every package with its layer.
const LAYERS: [(&str, u8); 21] = [
    ("planarium-kernel", 0),
    ("planarium-protocol", 0),
    ("planarium-source", 0),
    ("planarium-plan", 1),
    ("planarium-ground", 1),
    ("planarium-mesos", 3),
    ("planarium-kube", 3),
    ("planarium-part", 2),
    ("planarium-sdk", 4),
    ("planarium-marathon", 4),
    ("planarium-kudo", 4),
    ("planarium-skopos", 4),
    ("planarium-world", 5),
    ("planarium-scenario", 6),
    ("planarium-rest", 6),
    ("planarium-gallery", 6),
    ("planarium-wasm", 7),
    ("planarium-cli", 7),
    ("planarium-web", 7),
    ("planarium-tests", 7),
    ("xtask", 7),
];

/// Neighbours in one layer that may meet all the same.
const EXCEPTIONS: [(&str, &str); 5] = [
    ("planarium-protocol", "planarium-kernel"),
    ("planarium-source", "planarium-kernel"),
    ("planarium-rest", "planarium-scenario"),
    ("planarium-tests", "planarium-cli"),
    ("planarium-tests", "planarium-wasm"),
];

/// Arrows that do not point down, and packages without a layer.
pub(crate) fn check(repository: &Repository) -> Vec<String> {
    let mut findings = Vec::new();
    for package in array(&repository.metadata, "packages") {
        let name = text(package, "name");
        let Some(own) = layer(name) else {
            findings.push(format!("{name} has no layer; give it one in xtask/src/tidy/layers.rs"));
            continue;
        };
        for dependency in array(package, "dependencies") {
            let used = text(dependency, "name");
            let is_ours = dependency.get("path").is_some_and(Value::is_string);
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
