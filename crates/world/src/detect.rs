//! Which dialect some files are written in.
//!
//! Knows: the telling file names and top-level keys of each dialect.
//! Must not know: how any dialect is read; nothing is parsed here, lines are looked at.

use std::collections::BTreeMap;

/// Looks at file names and top-level keys: `sdk`, `marathon`, `kudo` or `skopos`. What looks like none
/// of them is called `sdk`, whose findings then say what is missing.
pub fn detect_dialect(files: &BTreeMap<String, String>) -> &'static str {
    if files.keys().any(|path| is_named(path, "operator.yaml") || is_named(path, "operator.yml")) {
        return "kudo";
    }
    // A package folder holds JSON of its own, so a file with `pods:` decides before any JSON does.
    if files.values().any(|text| is_sdk(text)) {
        return "sdk";
    }
    if files.values().any(|text| is_skopos(text)) {
        return "skopos";
    }
    let is_package_part =
        |path: &str| ["config.json", "package.json", "resource.json"].iter().any(|n| is_named(path, n));
    if files
        .iter()
        .any(|(path, text)| !path.ends_with(".mustache") && !is_package_part(path) && is_marathon(text))
    {
        return "marathon";
    }
    "sdk"
}

fn is_named(path: &str, name: &str) -> bool {
    path.strip_suffix(name).is_some_and(|folder| folder.is_empty() || folder.ends_with('/'))
}

fn is_sdk(text: &str) -> bool {
    has_key(text, "pods")
}

fn is_skopos(text: &str) -> bool {
    top_keys(text).any(|(key, value)| key == "doctype" && value.contains("deploy-plan"))
}

fn is_marathon(text: &str) -> bool {
    if !has_key(text, "id") {
        return false;
    }
    ["apps", "groups", "cmd", "args", "container", "instances", "pods", "dependencies"]
        .iter()
        .any(|key| has_key(text, key))
}

fn has_key(text: &str, wanted: &str) -> bool {
    top_keys(text).any(|(key, _)| key == wanted)
}

/// Keys at the outermost level with what follows on their line: of YAML by indentation, of JSON by the
/// depth of brackets outside texts.
fn top_keys(text: &str) -> Box<dyn Iterator<Item = (&str, &str)> + '_> {
    let start = text.trim_start();
    if start.starts_with('{') || start.starts_with('[') {
        Box::new(JsonKeys { rest: text, depth: 0 })
    } else {
        Box::new(text.lines().filter_map(|line| {
            let (key, value) = line.split_once(':')?;
            let plain = !key.is_empty() && !key.starts_with([' ', '\t', '#', '-']);
            plain.then(|| (key.trim().trim_matches(['"', '\'']), value))
        }))
    }
}

/// Keys of the outermost object, or of the objects in an outermost list.
struct JsonKeys<'a> {
    rest: &'a str,
    depth: u32,
}

impl<'a> Iterator for JsonKeys<'a> {
    type Item = (&'a str, &'a str);

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            let at = self.rest.find(['{', '}', '"'])?;
            let (mark, rest) = self.rest.split_at_checked(at)?.1.split_at_checked(1)?;
            self.rest = rest;
            match mark {
                "{" => self.depth = self.depth.saturating_add(1),
                "}" => self.depth = self.depth.saturating_sub(1),
                _ => {
                    let (string, rest) = end_of_string(self.rest)?;
                    self.rest = rest;
                    if self.depth == 1
                        && let Some(value) = rest.trim_start().strip_prefix(':')
                    {
                        return Some((string, value.lines().next().unwrap_or_default()));
                    }
                }
            }
        }
    }
}

/// Splits at the quotation mark that ends a JSON text.
fn end_of_string(text: &str) -> Option<(&str, &str)> {
    let mut escaped = false;
    for (at, char) in text.char_indices() {
        match char {
            '"' if !escaped => return Some((text.get(..at)?, text.get(at + 1..)?)),
            '\\' => escaped = !escaped,
            _ => escaped = false,
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tells_dialects_apart() {
        let cases: &[(&str, &[(&str, &str)])] = &[
            ("sdk", &[("svc.yml", "name: x\npods:\n  hello: {}\n")]),
            ("sdk", &[("svc.yml", "name: x\r\n\"pods\":\r\n  hello: {}\r\n")]),
            ("sdk", &[("config.json", r#"{"id": 1, "instances": 2}"#), ("svc.yml", "pods:\n")]),
            ("sdk", &[("marathon.json.mustache", r#"{"id": "{{x}}", "cmd": "y"}"#), ("svc.yml", "name: x")]),
            ("sdk", &[]),
            ("sdk", &[("x", "")]),
            ("sdk", &[("x.json", "{\"id\": \"a")]),
            ("marathon", &[("app.json", r#"{"id": "/a", "cmd": "sleep 1"}"#)]),
            ("marathon", &[("group.json", r#"{ "id": "/", "groups": [ {"id": "x"} ] }"#)]),
            ("marathon", &[("list.json", r#"[{"env": {"k\"": "}"}, "id": "/a", "args": ["x"]}]"#)]),
            ("marathon", &[("app.yaml", "id: /a\ncmd: sleep 1\n")]),
            ("sdk", &[("app.json", r#"{"x": {"id": "/a", "cmd": "sleep 1"}}"#)]),
            ("kudo", &[("my/operator.yaml", "name: x\n"), ("my/params.yaml", "")]),
            ("sdk", &[("my-operator.yaml", "pods:\n")]),
            ("skopos", &[("plan.yaml", "doctype: deploy-plan\nplan: []\n")]),
            ("skopos", &[("plan.yaml", "# c\ndoctype: \"deploy-plan\"\n")]),
        ];
        for (dialect, files) in cases {
            let files = files.iter().map(|(p, t)| ((*p).to_owned(), (*t).to_owned())).collect();
            assert_eq!(detect_dialect(&files), *dialect, "{files:?}");
        }
    }
}
