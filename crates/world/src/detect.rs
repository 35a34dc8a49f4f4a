//! Which dialect some files are written in.
//!
//! *Knows*: that the surest dialect wins. *Must not know*: how any dialect is told; nothing is parsed here.

use crate::systems::DIALECTS;
use planarium_part::Files;

/// The word of the dialect that the files look like, by their names and outermost keys. What looks like none is given to
/// the first dialect, whose findings then say what is missing.
pub fn detect_dialect(files: &Files) -> &'static str {
    let mut best = (DIALECTS.first().map_or("", |dialect| dialect.word), 0);
    for dialect in DIALECTS {
        let sure = (dialect.detect)(files);
        if sure > best.1 {
            best = (dialect.word, sure);
        }
    }
    best.0
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
            #[cfg(feature = "marathon")]
            ("marathon", &[("app.json", r#"{"id": "/a", "cmd": "sleep 1"}"#)]),
            #[cfg(feature = "marathon")]
            ("marathon", &[("group.json", r#"{ "id": "/", "groups": [ {"id": "x"} ] }"#)]),
            #[cfg(feature = "marathon")]
            ("marathon", &[("list.json", r#"[{"env": {"k\"": "}"}, "id": "/a", "args": ["x"]}]"#)]),
            #[cfg(feature = "marathon")]
            ("marathon", &[("app.yaml", "id: /a\ncmd: sleep 1\n")]),
            ("sdk", &[("app.json", r#"{"x": {"id": "/a", "cmd": "sleep 1"}}"#)]),
            ("kudo", &[("my/operator.yaml", "name: x\n"), ("my/params.yaml", "")]),
            ("sdk", &[("my-operator.yaml", "pods:\n")]),
            #[cfg(feature = "skopos")]
            ("skopos", &[("plan.yaml", "doctype: deploy-plan\nplan: []\n")]),
            #[cfg(feature = "skopos")]
            ("skopos", &[("plan.yaml", "core_plgin: docker\nvars: {}\n")]),
            #[cfg(feature = "skopos")]
            ("skopos", &[("deployment.yml", "doctpye: com.datagridsys.doctype/skopos/deploy-plan\n")]),
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
