#![expect(clippy::string_slice, reason = "tests: a bad range is a failure")]

use super::*;
use crate::diagnostic::Diagnostics;
use crate::span::{FileId, Span};
use crate::template::Value;

const FILE: FileId = FileId(7);

fn context() -> Value {
    let json = serde_json::json!({
        "A": "a", "B": "<b>", "EMPTY": "", "NO": false, "YES": true, "ZERO": 0, "SIZE": 2.75, "NULL": null,
        "LIST": ["x", "y"], "NONE": [], "PAIRS": [["hostname", "UNIQUE"]],
        "service": {"name": "hello", "deep": {"er": "end"}}, "dotted.name": "whole",
        "PEOPLE": [{"N": "1", "A": "inner"}, {"N": "2"}], "QUOTE": "say \"hi\"\n", "KV": "k=v"
    });
    Value::from(&json)
}

/// Renders with the standard context; the text and the codes of all findings.
fn check_render(template: &str, options: impl Into<Options>) -> (String, Vec<String>) {
    let rendered = render(template, FILE, &context(), options);
    let codes =
        rendered.diagnostics.into_sorted().iter().map(|found| found.code.clone().into_owned()).collect();
    (rendered.text, codes)
}

#[test]
fn tags_become_types() {
    let cases = [
        ("{{A}}-{{ A }}-{{{A}}}-{{& A}}", "a-a-a-a"),
        ("{{B}} {{{B}}} {{&B}}", "&lt;b&gt; <b> <b>"),
        ("{{KV}}", "k&#61;v"),
        ("{{QUOTE}}", "say &quot;hi&quot;&#10;"),
        ("{{service.name}}{{service.deep.er}}", "helloend"),
        ("{{dotted.name}}", "whole"),
        ("[{{MISSING}}][{{service.no}}][{{service.name.x}}][{{NULL}}]", "[][][][]"),
        ("{{YES}}{{NO}}{{ZERO}}{{SIZE}}", "truefalse02.75"),
        ("{{#A}}1{{/A}}{{#EMPTY}}2{{/EMPTY}}{{#NO}}3{{/NO}}{{#NOPE}}4{{/NOPE}}{{#NULL}}5{{/NULL}}", "1"),
        ("{{^A}}1{{/A}}{{^EMPTY}}2{{/EMPTY}}{{^NO}}3{{/NO}}{{^NOPE}}4{{/NOPE}}{{^NONE}}5{{/NONE}}", "2345"),
        ("{{#ZERO}}z{{/ZERO}}", "z"),
        ("{{#LIST}}<{{.}}>{{/LIST}}", "<x><y>"),
        ("{{#PEOPLE}}{{N}}{{A}} {{/PEOPLE}}", "1inner 2a "),
        ("{{#service}}{{name}}{{/service}}", "hello"),
        ("{{#service.deep}}{{er}}{{A}}{{/service.deep}}", "enda"),
        ("a\n{{#A}}\nb\n{{/A}}\nc\n", "a\nb\nc\n"),
        ("a\n  {{#NO}}\nb\n\t{{/NO}}  \nc", "a\nc"),
        ("a\r\n{{#A}}\r\nb\r\n{{/A}}\r\nc", "a\r\nb\r\nc"),
        ("{{#A}}\nx\n{{/A}}", "x\n"),
        ("a {{#A}}\nb{{/A}}\n", "a \nb\n"),
        ("a\n{{! note }}\nb {{! note }} c\n{{! two\nlines }}\nd", "a\nb  c\nd"),
        ("{{=<% %>=}}\n<%A%> {{A}} <%{B}%><%={{ }}=%>{{A}}", "a {{A}} <b>a"),
        ("{a: {{A}}}", "{a: a}"),
        ("{{PAIRS}}", "[[&quot;hostname&quot;,&quot;UNIQUE&quot;]]"),
        ("no tags { } }}", "no tags { } }}"),
        ("", ""),
    ];
    for (template, want) in cases {
        assert_eq!(check_render(template, Policy::Html), (want.to_owned(), Vec::new()), "{template:?}");
    }
    let (text, _) = check_render("{{KV}} {{{KV}}} {{B}} {{QUOTE}}", Policy::GoHtml);
    assert_eq!(text, "k=v k=v &lt;b&gt; say &#34;hi&#34;\n", "Go escapes less");
}

#[test]
fn sections_on_blank_texts() {
    let context = Value::from_texts([("BLANK", "  ")]);
    let template = "{{#BLANK}}y{{/BLANK}}{{^BLANK}}n{{/BLANK}}<{{BLANK}}>";
    for (policy, want) in [(Policy::Html, "y<  >"), (Policy::GoHtml, "n<  >")] {
        assert_eq!(render(template, FileId(0), &context, policy).text, want, "{policy:?}");
    }
}

#[test]
fn policies() {
    let cases = [
        ("\"{{QUOTE}}\" \"{{{QUOTE}}}\"", Policy::Json, "\"say \\\"hi\\\"\\n\" \"say \\\"hi\\\"\\n\""),
        ("{{PAIRS}} {{ZERO}} {{B}}", Policy::Json, "[[\"hostname\",\"UNIQUE\"]] 0 <b>"),
        ("{{QUOTE}}{{B}}", Policy::None, "say \"hi\"\n<b>"),
    ];
    for (template, policy, want) in cases {
        assert_eq!(check_render(template, policy).0, want, "{template}");
    }
    let strict = Options { zero_is_false: true, ..Options::default() };
    assert_eq!(check_render("{{#ZERO}}z{{/ZERO}}{{^ZERO}}n{{/ZERO}}", strict).0, "n");
    assert_eq!(check_render("{{#SIZE}}z{{/SIZE}}", strict).0, "z");
}

#[test]
fn broken_templates() {
    let deep = "{{#A}}".repeat(70);
    let cases: &[(&str, &str, &[&str])] = &[
        ("a: {{A\nb: {{A}}\n", "a: {{A\nb: a\n", &["TPL001"]),
        ("{{A {{A}}", "{{A a", &["TPL001"]),
        ("{{{A}}", "{{{A}}", &["TPL001"]),
        ("{{! never", "{{! never", &["TPL001"]),
        ("{{#A}}x", "x", &["TPL002"]),
        ("x{{/A}}y", "xy", &["TPL003"]),
        ("{{#A}}{{#YES}}x{{/A}}{{/YES}}y", "xy", &["TPL003", "TPL003"]),
        ("{{#A}}x{{/B}}y{{/A}}", "xy", &["TPL003"]),
        ("a{{> other}}b", "ab", &["TPL004"]),
        ("a{{}}b{{#}}c", "abc", &["TPL005", "TPL005"]),
        (&deep, "", &["TPL006"]),
        ("{{=x=}}{{A}}", "a", &["TPL008"]),
        ("{{=a b c=}}{{A}}", "a", &["TPL008"]),
    ];
    for (template, want, codes) in cases {
        let (text, got) = check_render(template, Policy::Html);
        assert_eq!(
            (text.as_str(), got.as_slice()),
            (*want, codes.iter().map(ToString::to_string).collect::<Vec<_>>().as_slice()),
            "{template:?}"
        );
    }
}

#[test]
fn output_and_work_are_bounded() {
    let long = Value::from_texts([("X", "x".repeat(1 << 20))]);
    let rendered = render(&"{{X}}".repeat(100), FILE, &long, Policy::Html);
    assert!(!rendered.complete && rendered.text.len() <= 8 << 20);
    assert_eq!(rendered.diagnostics.into_sorted()[0].code, "TPL007");

    let list: Value = [("L".to_owned(), Value::List(vec![Value::Bool(true); 500]))].into_iter().collect();
    let silent = format!("{}{}", "{{#L}}".repeat(10), "{{/L}}".repeat(10));
    let rendered = render(&silent, FILE, &list, Policy::Html);
    assert_eq!(rendered.diagnostics.into_sorted()[0].code, "TPL007");

    let huge = "{{".repeat(1 << 19);
    let rendered = render(&huge, FILE, &Value::map(), Policy::Html);
    assert_eq!(rendered.text.len(), huge.len());
    let comments = "{{! ".repeat(1 << 18);
    assert_eq!(render(&comments, FILE, &Value::map(), Policy::Html).text.len(), comments.len());
    let over = "x".repeat(3 << 20);
    assert_eq!(render(&over, FILE, &Value::map(), Policy::Html).diagnostics.into_sorted()[0].code, "TPL007");
}

#[test]
fn missing_used_and_escaped_names() {
    let template =
        "{{X}} {{#S}}{{IN}}{{/S}} {{X}} {{^Y}}{{Z.z}}{{/Y}} {{KV}} {{{KV}}} {{#LIST}}{{Q}}{{/LIST}}";
    let rendered = render(template, FILE, &context(), Policy::Html);
    let missing: Vec<_> = rendered.missing.iter().map(|one| (one.name.as_str(), one.spans.len())).collect();
    assert_eq!(missing, [("Q", 1), ("X", 2), ("Z.z", 1)], "sections ask, they do not insert");
    let used: Vec<_> = rendered.used.iter().map(String::as_str).collect();
    assert_eq!(used, ["IN", "KV", "LIST", "Q", "S", "X", "Y", "Z.z"]);
    assert_eq!(rendered.escaped.len(), 1);
    let span = rendered.escaped[0].span;
    assert_eq!(&template[span.range()], "{{KV}}");
}

#[test]
fn the_map_leads_back() {
    let template = "a: {{A}}\n{{#YES}}\nb: {{{B}}} c\n{{/YES}}\nd: {{NOPE}}\ne: f\n";
    let rendered = render(template, FILE, &context(), Policy::Html);
    assert_eq!(rendered.text, "a: a\nb: <b> c\nd: \ne: f\n");
    let back = |what: &str, shrink: u32| {
        let start = u32::try_from(rendered.text.find(what).unwrap()).unwrap();
        let end = start + u32::try_from(what.len()).unwrap() - shrink;
        let mapped = rendered.map.map(start, end);
        (&template[mapped.span.range()], mapped.literal)
    };
    assert_eq!(back("a: ", 0), ("a: ", true));
    assert_eq!(back("a\nb", 2), ("{{A}}", false));
    assert_eq!(back("<b>", 1), ("{{{B}}}", false));
    assert_eq!(back("<b> c", 0), ("{{{B}}} c", false));
    assert_eq!(back("b: <b>", 0), ("b: {{{B}}}", false));
    assert_eq!(back("e: f", 0), ("e: f", true));
    let gap = u32::try_from(rendered.text.find("d: ").unwrap()).unwrap() + 2;
    let tag = rendered.map.empty_tag(gap, gap + 1).unwrap();
    assert_eq!(&template[tag.range()], "{{NOPE}}");
    assert_eq!(rendered.map.empty_tag(0, 1), None);
    let past = rendered.map.map(9999, 10_000).span;
    assert!(past.end <= u32::try_from(template.len()).unwrap());
    assert_eq!(crate::template::OffsetMap::default().map(3, 9).span, Span::default());
}

#[test]
fn values_end_to_end_in_yaml() {
    let template = "count: {{N}}\nname: {{MISSING}}\ntext: pre-{{A}}\n";
    let mut context = context();
    context.insert("N", Value::from("x: y: z"));
    let rendered = render(template, FILE, &context, Policy::Html);
    let mut found = Diagnostics::new();
    let parsed = crate::yaml::Reader::new(&rendered.text, FILE).with_map(&rendered.map).one(&mut found);
    assert!(!parsed.complete);
    let one = found.into_sorted().remove(0);
    assert_eq!((one.code.as_ref(), &template[one.span.range()]), ("YAML001", "{{N}}"));
    assert_eq!(one.notes.len(), 1);

    let image = "image: web:{{MISSING}}\nname: x\n";
    let rendered = render(image, FILE, &context, Policy::Html);
    let mut found = Diagnostics::new();
    crate::yaml::Reader::new(&rendered.text, FILE).with_map(&rendered.map).one(&mut found);
    let one = found.into_sorted().remove(0);
    assert_eq!(&image[one.labels[0].span.range()], "{{MISSING}}", "the cause of the broken line is shown");

    context.insert("N", Value::from("2"));
    let rendered = render(template, FILE, &context, Policy::Html);
    let mut found = Diagnostics::new();
    let root =
        crate::yaml::Reader::new(&rendered.text, FILE).with_map(&rendered.map).one(&mut found).root.unwrap();
    let shown = |key: &str| &template[root.get(key).unwrap().span.range()];
    assert_eq!((shown("count"), shown("name"), shown("text")), ("{{N}}", "{{MISSING}}", "pre-{{A}}"));
    assert!(root.get("name").unwrap().is_null());
}
