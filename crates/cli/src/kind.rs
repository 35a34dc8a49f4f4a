//! Recognises a file by its content.
//!
//! Knows: the outermost keys of scenarios and of service definitions. Must not know: how either is read.

/// Kinds of text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// A scenario.
    Scenario,
    /// Anything else: the reader of definitions reports its faults.
    Definition,
}

/// Determines the kind from a text, or from its name if the text does not show it.
pub(crate) fn of(name: &str, text: &str) -> Kind {
    let keys = outermost(text);
    let has = |wanted: &str| keys.iter().any(|(key, _)| key == wanted);
    // Other tools have files with services, too: they are mappings there.
    let services = keys.iter().any(|(key, list)| key == "services" && *list);
    let called = name.ends_with(".planarium.yaml") || name.ends_with(".planarium.json");
    let holds = services || has("script") || (has("cluster") && has("version"));
    if called || holds && !has("pods") { Kind::Scenario } else { Kind::Definition }
}

/// The keys of the outermost mapping, each with whether a list follows.
fn outermost(text: &str) -> Vec<(String, bool)> {
    let start = text.trim_start();
    if start.starts_with('{') && !start.starts_with("{{") {
        // JSON on one or many lines: with braces, indentation shows nothing.
        let read = serde_yaml::from_str::<serde_json::Map<String, serde_json::Value>>(text);
        return read
            .map(|map| map.into_iter().map(|(key, value)| (key, value.is_array())).collect())
            .unwrap_or_default();
    }
    let mut keys = Vec::new();
    let mut lines = text.lines().filter(|line| !is_comment(line)).peekable();
    while let Some(line) = lines.next() {
        let Some((key, value)) = line.split_once(':').filter(|(key, _)| is_key(key)) else { continue };
        let value = value.split(" #").next().unwrap_or_default().trim();
        let below = lines.peek().map(|next| next.trim_start()).unwrap_or_default();
        let list = value.starts_with('[') || (value.is_empty() && (below == "-" || below.starts_with("- ")));
        keys.push((key.trim().trim_matches(['"', '\'']).to_owned(), list));
    }
    keys
}

fn is_comment(line: &str) -> bool {
    let line = line.trim_start();
    line.is_empty() || line.starts_with('#')
}

/// Outermost keys are not indented.
fn is_key(text: &str) -> bool {
    !text.is_empty() && !text.starts_with([' ', '\t', '-', '{'])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_recognised_by_their_content() {
        let scenario = "version: 1\ntitle: Big\n# machines\ncluster: 3\nservices:\n  - files: [svc.yml]\n";
        for (name, text, want) in [
            ("big.yaml", scenario, Kind::Scenario),
            ("-", scenario, Kind::Scenario),
            ("a.yml", "services: [{files: [svc.yml]}]\n", Kind::Scenario),
            ("a.json", r#"{"version": 1, "services": [{"files": ["svc.yml"]}]}"#, Kind::Scenario),
            ("a.json", "{\n  \"script\": []\n}", Kind::Scenario),
            ("a.yml", "\"cluster\": 3\nversion: 1\n", Kind::Scenario),
            ("svc.yml", "name: x\npods:\n  a: {}\n", Kind::Definition),
            ("svc.planarium.yaml", "name: x\npods:\n  a: {}\n", Kind::Scenario),
            ("empty.planarium.yaml", "", Kind::Scenario),
            ("svc.yml", "{{#A}}\nname: x\n{{/A}}\nservices: 3\n", Kind::Definition),
            ("docker-compose.yml", "services:\n  web:\n    image: x\n", Kind::Definition),
            ("app.json", r#"{"id": "/a", "cmd": "x"}"#, Kind::Definition),
            ("svc.yml", "name: x\nscheduler:\n  services: [a]\n", Kind::Definition),
            ("x.yml", "", Kind::Definition),
        ] {
            assert_eq!(of(name, text), want, "{name}: {text}");
        }
    }
}
