//! Which dialect some files are written in.
//!
//! *Knows*: that the surest dialect wins. *Must not know*: how any dialect is told; nothing is parsed here.

use crate::systems::{ABSENT, DIALECTS};
use planarium_source::detect::{has_key, is_named};
use planarium_system::Files;

/// The word of the dialect that the files look like, by their names and outermost keys. What looks like none is given to
/// the first dialect, whose findings then say what is missing.
pub fn detect_dialect(files: &Files) -> &'static str {
    let known = DIALECTS.iter().map(|dialect| (dialect.word, dialect.detect));
    let absent = ABSENT.iter().map(|absent| (absent.word, absent.detect));
    let mut best = (DIALECTS.first().map_or("", |dialect| dialect.word), 0);
    for (word, detect) in known.chain(absent) {
        let sure = detect(files);
        if sure > best.1 {
            best = (word, sure);
        }
    }
    best.0
}

/// A package folder holds JSON of its own, which does not count.
pub(crate) fn marathon(files: &Files) -> u8 {
    let is_package_part =
        |path: &str| ["config.json", "package.json", "resource.json"].iter().any(|n| is_named(path, n));
    let is_app = |text: &str| {
        let keys = ["apps", "groups", "cmd", "args", "container", "instances", "pods", "dependencies"];
        has_key(text, "id") && keys.iter().any(|key| has_key(text, key))
    };
    let counts = |path: &str| !path.ends_with(".mustache") && !is_package_part(path);
    u8::from(files.iter().any(|(path, text)| counts(path) && is_app(text)))
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
            #[cfg(feature = "skopos")]
            ("skopos", &[("plan.yaml", "doctype: deploy-plan\nplan: []\n")]),
            #[cfg(feature = "skopos")]
            ("skopos", &[("plan.yaml", "# c\ndoctype: \"deploy-plan\"\n")]),
            #[cfg(feature = "skopos")]
            (
                "skopos",
                &[
                    ("x/model.yaml", "doctype: com.datagridsys.doctype/skopos/model\n"),
                    ("x/env.yaml", "vars: {}\n"),
                ],
            ),
        ];
        for (dialect, files) in cases {
            let files = files.iter().map(|(p, t)| ((*p).to_owned(), (*t).to_owned())).collect();
            assert_eq!(detect_dialect(&files), *dialect, "{files:?}");
        }
    }
}
