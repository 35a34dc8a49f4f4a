//! Detects the dialect of files.
//!
//! *Knows*: that the best match wins. *Must not know*: how a dialect is recognised; nothing is parsed here.

use crate::systems::DIALECTS;
use planarium_part::Files;
use planarium_source::detect::familiar_keys;

/// The likely dialects of some files.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Resemblance {
    /// The best match.
    pub dialect: &'static str,
    /// Other possible dialects.
    pub others: Vec<&'static str>,
    /// The files have no clear sign of the dialect, only keys that are typical of it.
    pub by_keys: bool,
    /// Neither a sign nor a key of any dialect decides, and the files have no key of the dialect that they are given to.
    pub by_default: bool,
}

/// Returns the dialect that the files resemble by names and outermost keys. Files that resemble none get the first
/// dialect, whose findings then say what is missing.
pub fn detect_dialect(files: &Files) -> &'static str {
    resemblance(files).dialect
}

/// Returns the dialects that the files resemble, by names and outermost keys.
pub fn resemblance(files: &Files) -> Resemblance {
    let sure: Vec<(&'static str, usize)> =
        DIALECTS.iter().map(|dialect| (dialect.word, usize::from((dialect.detect)(files)))).collect();
    if sure.iter().any(|(_, sure)| *sure > 0) {
        return ranked(&sure, 1, false);
    }
    // Templates are skipped: they are rendered elsewhere.
    let texts = || files.iter().filter(|(path, _)| !path.ends_with(".mustache")).map(|(_, text)| text);
    let keys = |known: &[&str]| texts().map(|text| familiar_keys(text, known).0).max();
    let familiar: Vec<(&'static str, usize)> =
        DIALECTS.iter().map(|dialect| (dialect.word, keys(dialect.keys).unwrap_or_default())).collect();
    ranked(&familiar, FAMILIAR, true)
}

/// Minimum number of a dialect's outermost keys; fewer are a coincidence.
const FAMILIAR: usize = 2;

/// The first dialect with the most points, and all others with at least `least` points.
fn ranked(points: &[(&'static str, usize)], least: usize, by_keys: bool) -> Resemblance {
    let mut best = (points.first().map_or("", |(word, _)| word), 0);
    for (word, own) in points.iter().copied().filter(|(_, own)| *own >= least) {
        if own > best.1 {
            best = (word, own);
        }
    }
    let others = points.iter().filter(|(word, own)| *own >= least && *word != best.0);
    let first = points.first().map_or(0, |(_, own)| *own);
    Resemblance {
        dialect: best.0,
        others: others.map(|(word, _)| *word).collect(),
        by_keys: by_keys && best.1 > 0,
        by_default: by_keys && best.1 == 0 && first == 0,
    }
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
            #[cfg(feature = "marathon")]
            (
                "marathon",
                &[(
                    "groups.json",
                    r#"{"id": "/", "apps": [], "pods": [], "groups": [], "dependencies": [], "enforceRole": false}"#,
                )],
            ),
            #[cfg(feature = "marathon")]
            ("marathon", &[("job.json", r#"{"id": "nightly", "dependencies": [{"id": "other"}]}"#)]),
            #[cfg(feature = "marathon")]
            ("marathon", &[("app.json", r#"{"id": "/x", "comand": "sleep 1"}"#)]),
            #[cfg(feature = "marathon")]
            ("marathon", &[("app.json", r#"{"id": "/x", "cdm": "sleep 1", "instanses": 2}"#)]),
            ("sdk", &[("svc.yml", "nmae: x\nscheduler: {}\nplans: {}\npods: {}\n")]),
            ("sdk", &[("svc.yml", "nmae: x\nshceduler: {}\npod: {}\n")]),
            ("sdk", &[("svc.yml", "name: x\npods: {}\n"), ("app.json", r#"{"id": "/a", "cmd": "y"}"#)]),
            ("sdk", &[("app.json", r#"{"x": {"id": "/a", "cmd": "sleep 1"}}"#)]),
            ("kudo", &[("my/operator.yaml", "name: x\n"), ("my/params.yaml", "")]),
            ("sdk", &[("my-operator.yaml", "pods:\n")]),
            #[cfg(feature = "kubernetes")]
            (
                "kubernetes",
                &[("web.yaml", "# c\n---\napiVersion: apps/v1\nkind: Deployment\n---\nkind: Service\n")],
            ),
            #[cfg(feature = "kubernetes")]
            (
                "kubernetes",
                &[
                    ("a.json", r#"{"kind": "List", "apiVersion": "v1", "items": []}"#),
                    ("README.md", "a: b\n"),
                ],
            ),
            #[cfg(feature = "kubernetes")]
            ("kubernetes", &[("web.yaml", "apiVersion: apps/v1\nknd: Deployment\nmetadata: {}\n")]),
            (
                "kudo",
                &[
                    ("operator.yaml", "apiVersion: kudo.dev/v1beta1\nname: x\n"),
                    ("templates/web.yaml", "apiVersion: apps/v1\nkind: Deployment\n"),
                ],
            ),
            #[cfg(feature = "skopos")]
            ("skopos", &[("plan.yaml", "doctype: deploy-plan\nplan: []\n")]),
            #[cfg(feature = "skopos")]
            ("skopos", &[("plan.yaml", "core_plgin: docker\nvars: {}\n")]),
            #[cfg(feature = "skopos")]
            ("skopos", &[("app.yaml", "components:\n  web:\n    image: acme/web:1\n")]),
            ("sdk", &[("api.yaml", "openapi: 3.0.0\ncomponents:\n  schemas:\n    image: {}\n")]),
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

    #[test]
    #[cfg(all(feature = "sdk", feature = "marathon"))]
    fn names_the_others_that_files_may_be_meant_as() {
        let of = |text: &str| resemblance(&[("x.json".to_owned(), text.to_owned())].into());
        let groups = of(r#"{"id": "/", "apps": [], "pods": [], "groups": []}"#);
        assert_eq!((groups.dialect, groups.others, groups.by_keys), ("marathon", vec!["sdk"], false));
        let misspelt = of(r#"{"id": "/x", "comand": "sleep 1"}"#);
        assert_eq!((misspelt.dialect, misspelt.others, misspelt.by_keys), ("marathon", Vec::new(), true));
        let nothing = of(r#"{"a": 1}"#);
        assert_eq!((nothing.dialect, nothing.others, nothing.by_keys), ("sdk", Vec::new(), false));
    }
}
