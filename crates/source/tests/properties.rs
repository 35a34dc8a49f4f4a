//! Properties of any text: no panic, places inside the text, maps that do not run backwards.

use planarium_source::render::{json, text};
use planarium_source::template::Value;
use planarium_source::template::mustache::{Options, Policy, render};
use planarium_source::yaml::{Kind, Limits, Node, Reader};
use planarium_source::{Diagnostic, Diagnostics, FileId, SourceMap, Span};
use proptest::prelude::*;
use std::fmt::Write as _;

/// Text in which the structure characters of YAML, JSON and mustache are frequent.
fn structured() -> impl Strategy<Value = String> {
    let pieces = prop_oneof![
        Just("{{"),
        Just("}}"),
        Just("{{#A}}"),
        Just("{{/A}}"),
        Just("{{^B}}"),
        Just("{{/B}}"),
        Just("{{A}}"),
        Just("{{{L}}}"),
        Just("{{#L}}"),
        Just("{{/L}}"),
        Just("{{.}}"),
        Just("{{! c }}"),
        Just("{{=<% %>=}}"),
        Just("<%A%>"),
        Just("\n"),
        Just("\r\n"),
        Just("\r"),
        Just("  "),
        Just(" "),
        Just("\t"),
        Just("- "),
        Just("-"),
        Just(": "),
        Just(":"),
        Just("? "),
        Just("["),
        Just("]"),
        Just("{"),
        Just("}"),
        Just(","),
        Just("&x "),
        Just("*x "),
        Just("<<: *x"),
        Just("|"),
        Just(">"),
        Just("|2-"),
        Just("'"),
        Just("\""),
        Just("\\"),
        Just("#"),
        Just(" # c"),
        Just("!"),
        Just("!!str "),
        Just("!<a> "),
        Just("%"),
        Just("%YAML 1.2\n"),
        Just("%TAG ! a\n"),
        Just("---"),
        Just("..."),
        Just("\u{feff}"),
        Just("\u{0}"),
        Just("\u{85}"),
        Just("\u{2028}"),
        Just("\u{4f60}"),
        Just("\u{1f600}"),
        Just("e\u{301}"),
        Just("a"),
        Just("key"),
        Just("1"),
        Just("0x"),
        Just("~"),
        Just("null"),
        Just("\\u00e9"),
        Just("\\x"),
        Just("@"),
        Just("`"),
    ];
    prop::collection::vec(pieces, 0..40).prop_map(|pieces| pieces.concat())
}

fn any_text() -> impl Strategy<Value = String> {
    prop_oneof![4 => structured(), 1 => ".{0,80}"]
}

fn spans_of(node: &Node, out: &mut Vec<Span>) {
    out.push(node.span);
    match &node.kind {
        Kind::Scalar(_) => {}
        Kind::Sequence(items) => items.iter().for_each(|item| spans_of(item, out)),
        Kind::Mapping(entries) => entries.iter().for_each(|entry| {
            spans_of(&entry.key, out);
            spans_of(&entry.value, out);
        }),
    }
}

fn check_spans(source: &str, file: FileId, nodes: &[Span], found: &[Diagnostic]) {
    let places = found.iter().flat_map(|one| {
        let fix = one.fix.iter().map(|fix| fix.span);
        one.labels.iter().map(|label| label.span).chain(fix).chain([one.span])
    });
    for span in nodes.iter().copied().chain(places) {
        assert_eq!(span.file, file);
        assert!(span.start <= span.end, "{span:?}");
        assert!(source.get(span.range()).is_some(), "{span:?} in {} bytes", source.len());
    }
}

/// Reads, renders the findings in both forms and checks every place.
fn check_reading(source: &str) {
    let mut files = SourceMap::new();
    files.add("other", "x\n");
    let file = files.add("f.yml", source);
    for several in [false, true] {
        let mut found = Diagnostics::new();
        let reader =
            Reader::new(source, file).with_limits(Limits { alias_nodes: 50, depth: 12, ..Limits::default() });
        let all = if several { reader.all(&mut found) } else { vec![reader.one(&mut found)] };
        let mut spans = vec![reader.end()];
        for root in all.iter().filter_map(|parsed| parsed.root.as_ref()) {
            spans_of(root, &mut spans);
            let _ = root.to_json();
        }
        assert!(all.iter().all(|parsed| parsed.complete) || found.has_errors());
        let found = found.into_sorted();
        check_spans(source, file, &spans, &found);
        let shown = text::render(&found, &files);
        assert!(!shown.contains(['\u{0}', '\r', '\u{1b}']));
        assert!(serde_json::from_str::<serde_json::Value>(&json::render(&found, &files)).is_ok());
    }
}

/// Reads around errors and checks every place.
fn check_reading_around(source: &str) {
    let file = FileId(0);
    let (mut plain, mut around) = (Diagnostics::new(), Diagnostics::new());
    let reader = Reader::new(source, file);
    let (one, other) = (reader.one(&mut plain), reader.one_around_errors(&mut around));
    let (plain, around) = (plain.into_sorted(), around.into_sorted());
    assert_eq!(one.complete, other.complete);
    if one.complete {
        assert_eq!((one, plain), (other, around));
    } else {
        assert!(!around.is_empty());
        let mut spans = Vec::new();
        if let Some(root) = &other.root {
            spans_of(root, &mut spans);
        }
        check_spans(source, file, &spans, &around);
    }
}

#[test]
fn spans_of_a_broken_text_lie_on_character_boundaries() {
    check_reading_around(": {{%YAML 1.2\n|2- # c%YAML 1.2\n\u{feff}\0");
}

fn context() -> Value {
    let list = ["x", "\u{4f60}: y", ""].map(Value::from).to_vec();
    [("A".to_owned(), Value::from("v\u{e9}\n- \"")), ("L".to_owned(), Value::List(list))]
        .into_iter()
        .collect()
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn yaml_reading_never_fails(source in any_text()) {
        check_reading(&source);
    }

    #[test]
    fn reading_around_errors_is_reading_where_there_are_none(source in any_text()) {
        check_reading_around(&source);
    }

    #[test]
    fn every_broken_block_is_found_and_no_other(broken in prop::collection::vec(prop::option::of(0..5_usize), 1..8)) {
        // Blocks under one head, some with a line that breaks them; what follows a break may close it by chance.
        let breaks = ["x: \"a", "x: [a, b", "x: {a: b", "x: 'it", "\tx: 1"];
        let mut source = String::from("all:\n");
        for (n, broken) in broken.iter().enumerate() {
            let _ = write!(source, "  b{n}:\n    y: 1\n");
            if let Some(line) = broken.and_then(|which| breaks.get(which)) {
                let _ = write!(source, "    z: 'ok'\n    {line}\n");
            }
            source += "    w: [1, {v: \"2\"}]\n";
        }
        let mut found = Diagnostics::new();
        let parsed = Reader::new(&source, FileId(0)).one_around_errors(&mut found);
        let wrong = broken.iter().filter(|broken| broken.is_some()).count();
        assert_eq!(found.len(), wrong, "{source}\n{:?}", found.into_sorted());
        assert_eq!((parsed.complete, parsed.holes), (wrong == 0, wrong > 0), "{source}");
        let all = parsed.root.as_ref().and_then(|root| root.get("all")).unwrap();
        for n in 0..broken.len() {
            let block = all.get(&format!("b{n}")).unwrap();
            assert_eq!(block.get("y").and_then(Node::as_i64), Some(1), "{source}");
        }
    }

    #[test]
    fn json_reading_never_fails(source in any_text()) {
        let mut found = Diagnostics::new();
        let value = planarium_source::json::parse_strict(&source, FileId(0), &Limits::default(), &mut found);
        assert_eq!(value.is_none(), found.has_errors());
        check_spans(&source, FileId(0), &[], &found.into_sorted());
    }

    #[test]
    fn templates_never_fail_and_lead_back(source in any_text(), policy in 0..3) {
        let policy = [Policy::Html, Policy::Json, Policy::None][usize::try_from(policy).unwrap()];
        let file = FileId(0);
        let rendered = render(&source, file, &context(), Options::from(policy));
        let end = u32::try_from(rendered.text.len()).unwrap();
        let mut spans: Vec<_> = rendered.missing.iter().flat_map(|one| one.spans.clone()).collect();
        for at in 0..end {
            let mapped = rendered.map.map(at, at + 1);
            spans.push(mapped.span);
            spans.push(rendered.map.map(at, at).span);
            if mapped.literal {
                let at = usize::try_from(at).unwrap();
                assert_eq!(source.as_bytes()[mapped.span.range()], rendered.text.as_bytes()[at..=at]);
            }
        }
        let whole: Vec<_> = spans.iter().map(|span| (span.start, span.end)).collect();
        assert!(whole.iter().all(|(start, end)| start <= end && *end <= u32::try_from(source.len()).unwrap()));
        check_spans(&source, file, &[], &rendered.diagnostics.into_sorted());

        let mut found = Diagnostics::new();
        let parsed = Reader::new(&rendered.text, file).with_map(&rendered.map).one(&mut found);
        let mut spans = Vec::new();
        if let Some(root) = &parsed.root {
            spans_of(root, &mut spans);
        }
        check_spans(&source, file, &spans, &found.into_sorted());
    }

    #[test]
    fn without_lists_the_map_never_runs_backwards(source in any_text()) {
        let context = Value::from_texts([("A", "v\u{e9}: "), ("L", "one")]);
        let rendered = render(&source, FileId(0), &context, Policy::Html);
        let mut last = Span::default();
        for (at, _) in rendered.text.char_indices() {
            let at = u32::try_from(at).unwrap();
            let span = rendered.map.map(at, at + 1).span;
            assert!(last.start <= span.start && last.end <= span.end, "{last:?} then {span:?}");
            last = span;
        }
    }

    #[test]
    fn text_without_tags_is_unchanged(source in "[a-z{}: \n\r#-]{0,60}") {
        let source = source.replace("{{", "{ ");
        let rendered = render(&source, FileId(0), &Value::map(), Policy::Html);
        assert_eq!(rendered.text, source);
    }

    #[test]
    fn what_json_writes_yaml_reads(
        entries in prop::collection::vec(("[a-z]{1,6}", "[ -~\u{e9}\u{4f60}\n\t]{0,20}", any::<i64>(), any::<bool>()), 0..6),
    ) {
        let mut map = serde_json::Map::new();
        for (key, text, number, flag) in entries {
            let inner = serde_json::json!({"text": text, "list": [number, flag, null]});
            map.insert(key, inner);
        }
        let value = serde_json::Value::Object(map);
        for source in [value.to_string(), serde_json::to_string_pretty(&value).unwrap()] {
            let mut found = Diagnostics::new();
            let root = Reader::new(&source, FileId(0)).one(&mut found).root.unwrap();
            assert!(found.is_empty(), "{source}: {found:?}");
            assert_eq!(root.to_json(), value);
        }
    }
}
