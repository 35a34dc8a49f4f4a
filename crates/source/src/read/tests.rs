use super::*;
use crate::diagnostic::{Diagnostics, Severity};
use crate::render::text::headline;
use crate::yaml::Reader;
use crate::{SourceMap, Span};

const CODES: ReadCodes = ReadCodes { unknown: "D001", missing: "D002", wrong_type: "D003" };

/// Reads `text` as a pod-like mapping and returns the headlines of all findings.
fn check_reading(text: &str) -> Vec<String> {
    let mut files = SourceMap::new();
    let file = files.add("f", text);
    let mut found = Diagnostics::new();
    let root = Reader::new(text, file).one(&mut found).root.unwrap();
    if let Some(mut pod) = MapReader::new(&root, "pod 'hello'", CODES, &mut found) {
        pod.required_int("count");
        pod.required_text("goal");
        pod.thousandths("cpus");
        pod.boolean("essential");
        pod.sequence("uris");
        pod.mapping("tasks");
        pod.also_known(&["placement"]);
        pod.finish();
    }
    found.into_sorted().iter().map(|found| headline(found, &files)).collect()
}

#[test]
fn findings_of_a_mapping() {
    let cases: &[(&str, &[&str])] = &[
        ("count: '2'\ngoal: RUNNING\ncpus: 0.1\nessential: True\nplacement: x\nuris: []\ntasks: {}", &[]),
        ("count: 1\ngoal: x\nuris:\ntasks: ~\ncpus: ''", &[]),
        (
            "cuont: 1\ngoal: x",
            &[
                "f:1:1: error[D001]: Unknown field 'cuont' in pod 'hello'",
                "f:1:1: error[D002]: Missing required 'count' in pod 'hello'",
            ],
        ),
        ("count: 1\ngoal:", &["f:2:1: error[D002]: Missing required 'goal' in pod 'hello'"]),
        (
            "count: ''\ngoal: ''",
            &[
                "f:1:8: error[D002]: Missing required 'count' in pod 'hello'",
                "f:2:7: error[D002]: Missing required 'goal' in pod 'hello'",
            ],
        ),
        (
            "count: many\ngoal: [a]\ntasks: 3",
            &[
                "f:1:8: error[D003]: 'count' must be a whole number, but is 'many'",
                "f:2:7: error[D003]: 'goal' must be a text, but is a list",
                "f:3:8: error[D003]: 'tasks' must be a mapping, but is '3'",
            ],
        ),
        ("- 1", &["f:1:1: error[D003]: pod 'hello' must be a mapping, but is a list"]),
        (
            "count: 1\ngoal: x\n[1]: 2",
            &["f:3:1: error[D001]: A field's name in pod 'hello' must be a text, but is a list"],
        ),
    ];
    for (text, want) in cases {
        assert_eq!(check_reading(text), *want, "{text}");
    }
}

#[test]
fn an_unknown_field_gets_a_fix_only_where_the_text_stands() {
    let text = "cuont: 1\nxyz: 2\n";
    let mut found = Diagnostics::new();
    let file = crate::FileId(0);
    let root = Reader::new(text, file).one(&mut found).root.unwrap();
    let mut reader = MapReader::new(&root, "it", CODES, &mut found).unwrap();
    reader.optional("count");
    reader.finish_with(Severity::Warning);
    let all = found.into_sorted();
    let fix = all[0].fix.as_ref().unwrap();
    assert_eq!((fix.span, fix.replacement.as_str()), (Span::new(file, 0, 5), "count"));
    assert_eq!(all[0].help.as_deref(), Some("did you mean 'count'?"));
    assert_eq!(all[1].help.as_deref(), Some("fields here are: count"));
    assert!(all.iter().all(|found| found.severity == Severity::Warning));

    let template = "{{K}}: 1\n";
    let context = crate::template::Value::from_texts([("K", "cuont")]);
    let rendered =
        crate::template::mustache::render(template, file, &context, crate::template::mustache::Policy::Html);
    let mut found = Diagnostics::new();
    let root = Reader::new(&rendered.text, file).with_map(&rendered.map).one(&mut found).root.unwrap();
    let mut reader = MapReader::new(&root, "it", CODES, &mut found).unwrap();
    reader.optional("count");
    reader.finish();
    let all = found.into_sorted();
    assert_eq!((all[0].span, &all[0].fix), (Span::new(file, 0, 5), &None));
}

#[test]
fn an_unrendered_template_is_recognised() {
    let text = "count: {{N}}\ngoal: x";
    let mut found = Diagnostics::new();
    let root = Reader::new(text, crate::FileId(0)).one(&mut found).root.unwrap();
    let mut reader = MapReader::new(&root, "it", CODES, &mut found).unwrap();
    reader.required_int("count");
    let all = found.into_sorted();
    assert_eq!(
        all[0].help.as_deref(),
        Some("this looks like a template variable; render the file with its values")
    );
}
