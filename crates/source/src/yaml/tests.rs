#![expect(clippy::string_slice, reason = "tests: a bad range is a failure")]

use super::*;
use crate::codes;
use crate::diagnostic::{Diagnostics, Severity};
use crate::span::FileId;

const FILE: FileId = FileId(0);

fn parse(text: &str) -> (Parsed, Vec<crate::Diagnostic>) {
    parse_with(text, Limits::default())
}

fn parse_with(text: &str, limits: Limits) -> (Parsed, Vec<crate::Diagnostic>) {
    let mut found = Diagnostics::new();
    let parsed = Reader::new(text, FILE).with_limits(limits).one(&mut found);
    (parsed, found.into_sorted())
}

fn root(text: &str) -> Node {
    let (parsed, found) = parse(text);
    assert!(found.is_empty() && parsed.complete, "{text:?}: {found:?}");
    parsed.root.unwrap()
}

#[test]
fn trees_as_data() {
    let cases = [
        ("a: 1\nb: [x, 'y', \"z\", 1.5, true, ~, null]\n", r#"{"a":1,"b":["x","y","z",1.5,true,null,null]}"#),
        ("a:\n  - b: c\n    d:\n  -\n  - {e: f}\n", r#"{"a":[{"b":"c","d":null},null,{"e":"f"}]}"#),
        ("a:\n- 1\n- 2\nb: 3\n", r#"{"a":[1,2],"b":3}"#),
        ("a: |\n  x\n  y\nb: >-\n  x\n  y\n", "{\"a\":\"x\\ny\\n\",\"b\":\"x y\"}"),
        ("a: '1'\nb: !!str 1\nc: \"\"\n", r#"{"a":"1","b":"1","c":""}"#),
        (
            "a: 1_000\nb: 0x1f\nc: -7\nd: 007\ne: 1e3\nf: 1.2.3\ng: inf\n",
            r#"{"a":1000,"b":31,"c":-7,"d":7,"e":1000.0,"f":"1.2.3","g":"inf"}"#,
        ),
        ("a: 18446744073709551615\n", r#"{"a":18446744073709551615}"#),
        ("yes: no\n? [k]\n: v\n", r#"{"yes":"no","[\"k\"]":"v"}"#),
        ("{\"a\": [1, {\"b\": \"c\\n\"}],\n\t\"d\": null}", r#"{"a":[1,{"b":"c\n"}],"d":null}"#),
        ("a: &x {b: 1}\nc: *x\n", r#"{"a":{"b":1},"c":{"b":1}}"#),
        ("\u{feff}a: 1\r\nb: 2\r\n", r#"{"a":1,"b":2}"#),
        ("base: &b {x: 1, y: 2}\nit:\n  <<: *b\n  y: 3\n", r#"{"base":{"x":1,"y":2},"it":{"x":1,"y":3}}"#),
        ("it:\n  <<: [{x: 1}, {x: 2, y: 2}]\n  z: 3\n", r#"{"it":{"x":1,"y":2,"z":3}}"#),
        ("it:\n  <<: 5\n", r#"{"it":{"<<":5}}"#),
        ("a: 1\na: 2\n", r#"{"a":2}"#),
        ("--- a\n", r#""a""#),
    ];
    for (text, want) in cases {
        assert_eq!(root(text).to_json().to_string(), want, "{text:?}");
    }
    for nothing in ["", "\n\n# only a comment\n", "\u{feff}"] {
        assert_eq!(parse(nothing), (Parsed::new(None, true), Vec::new()));
    }
}

#[test]
fn spans_are_the_written_text() {
    // The text of every node in document order, containers before their content.
    fn walk(node: &Node, text: &str, out: &mut Vec<String>) {
        out.push(text[node.span.range()].to_owned());
        match &node.kind {
            Kind::Scalar(_) => {}
            Kind::Sequence(items) => items.iter().for_each(|item| walk(item, text, out)),
            Kind::Mapping(entries) => entries.iter().for_each(|entry| {
                walk(&entry.key, text, out);
                walk(&entry.value, text, out);
            }),
        }
    }
    let cases: &[(&str, &[&str])] = &[
        ("a: b  # c\n\n", &["a: b", "a", "b"]),
        ("\u{feff}\u{e9}: \u{4f60}\n", &["\u{e9}: \u{4f60}", "\u{e9}", "\u{4f60}"]),
        ("a: 'b'\r\nc:\r\n", &["a: 'b'\r\nc:", "a", "'b'", "c", ""]),
        ("- x\n- y z \n", &["- x\n- y z", "x", "y z"]),
        ("k:\n- x\n- y\nl: m\n", &["k:\n- x\n- y\nl: m", "k", "- x\n- y", "x", "y", "l", "m"]),
        (
            "k:\n  - a: 1\n    b: 2\n",
            &["k:\n  - a: 1\n    b: 2", "k", "- a: 1\n    b: 2", "a: 1\n    b: 2", "a", "1", "b", "2"],
        ),
        ("k: [ a, {b: c} ] # x\n", &["k: [ a, {b: c} ]", "k", "[ a, {b: c} ]", "a", "{b: c}", "b", "c"]),
        ("k: |\n  one\n  two\n\nl: 1\n", &["k: |\n  one\n  two\n\nl: 1", "k", "one\n  two", "l", "1"]),
        ("k: &a x\nl: *a\n", &["k: &a x\nl: *a", "k", "&a x", "l", "*a"]),
        (
            "- [ # x\n  a, # y\n  b ] # z\n- &q [ c ]\n",
            &[
                "- [ # x\n  a, # y\n  b ] # z\n- &q [ c ]",
                "[ # x\n  a, # y\n  b ]",
                "a",
                "b",
                "&q [ c ]",
                "c",
            ],
        ),
        ("[a]: b\n", &["[a]: b", "[a]", "a", "b"]),
        ("{a, b: }", &["{a, b: }", "a", "", "b", ""]),
        ("-\n- a\n", &["-\n- a", "", "a"]),
    ];
    for (text, want) in cases {
        let mut got = Vec::new();
        walk(&root(text), text, &mut got);
        assert_eq!(got, *want, "{text:?}");
    }
    let empty = root("a: 1\nbc:   \nd: 2\n");
    assert_eq!(empty.get("bc").unwrap().span.start, 8, "right after the colon");
}

#[test]
fn syntax_errors_have_a_place_and_keep_what_was_read() {
    // text, message fragment, line of the place, what was understood
    let cases = [
        ("a: 1\nb: [1, 2\nc: 3\n", "opened above is not closed", 3, r#"{"a":1,"b":[1]}"#),
        ("a: 1\n\tb: 2\n", "tab", 2, r#"{"a":null}"#),
        ("a:\n\tb: 2\n", "tab", 2, r#"{"a":null}"#),
        ("  a: 1\nb: 2\n", "does not belong", 2, r#"{"a":1}"#),
        ("a: 1\n b: 2\n", "does not fit the line above", 2, r#"{"a":"1 b"}"#),
        ("name:hello\npods: 1\n", "does not fit the line above", 2, r#""name:hello pods""#),
        ("cmd: echo \"a: b\"\n", "':' is not allowed", 1, r#"{"cmd":"echo \"a"}"#),
        ("a: b\u{0}c\n", "does not allow", 1, r#"{"a":"b"}"#),
        ("a: {b: [1,\n\n", "never closed", 1, r#"{"a":{"b":[1]}}"#),
        ("a: b: c\n", "':' is not allowed", 1, r#"{"a":"b"}"#),
        ("a: 'x\nb: 1\n", "not closed", 1, r#"{"a":null}"#),
        ("a: 1\nb\nc: 2\n", "has no ':'", 3, r#"{"a":1}"#),
        ("a:\n  b: 1\n c: 2\n", "indentation", 3, r#"{"a":{"b":1}}"#),
        ("a: *nope\n", "anchor that does not exist", 1, r#"{"a":null}"#),
        ("a: @x\n", "cannot start", 1, r#"{"a":null}"#),
        ("a: \"\\q\"\n", "escape", 1, r#"{"a":null}"#),
        ("a: }\n", "without an opening", 1, r#"{"a":null}"#),
        ("%foo\na: 1\n", "does not belong", 2, "null"),
    ];
    for (text, fragment, line, understood) in cases {
        let (parsed, found) = parse(text);
        assert!(!parsed.complete, "{text:?}");
        assert_eq!(found.len(), 1, "{text:?}: {found:?}");
        let one = &found[0];
        assert_eq!(one.code, codes::YAML_SYNTAX);
        assert!(one.message.contains(fragment), "{text:?}: {}", one.message);
        assert!(one.help.is_some());
        let at = crate::SourceFile::new("f", text).position(one.span.start);
        assert_eq!(at.line, line, "{text:?}: {} at {at:?}", one.message);
        let got = parsed.root.map_or("null".to_owned(), |root| root.to_json().to_string());
        assert_eq!(got, understood, "{text:?}");
    }
    let (_, found) = parse("a: [ # list\n 1, 2\nc: 3\n");
    assert_eq!(found[0].labels.len(), 1, "the open bracket is shown");
}

#[test]
fn limits() {
    let bomb = {
        let mut text = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n".to_owned();
        for level in 1..12 {
            let inner = vec![format!("*a{}", level - 1); 10].join(", ");
            let line = format!("a{level}: &a{level} [{inner}]\n");
            text.push_str(&line);
        }
        text
    };
    let cases = [
        ("x".repeat(5_000_000), codes::TOO_LARGE),
        ("[".repeat(10_000), codes::TOO_DEEP),
        ("- ".repeat(10_000), codes::TOO_DEEP),
        ("{a: ".repeat(10_000), codes::TOO_DEEP),
        ("[\n".repeat(10_000), codes::TOO_DEEP),
        ("? ".repeat(10_000), codes::TOO_DEEP),
        ((0..1000).map(|level| " ".repeat(level) + "a:\n").collect(), codes::TOO_DEEP),
        (format!("[{}]", "a,".repeat(500_000)), codes::TOO_MANY_NODES),
        ("---\n".repeat(500_000), codes::SEVERAL_DOCUMENTS),
        (bomb, codes::ALIAS_EXPANSION),
        ("a: &a [*a]\n".to_owned(), codes::ALIAS_EXPANSION),
    ];
    for (text, code) in cases {
        let (_, found) = parse(&text);
        let shown: String = text.chars().take(30).collect();
        assert_eq!(found.len(), 1, "{shown:?}: {found:?}");
        assert_eq!(found[0].code, code, "{shown:?}");
        assert!(crate::span::wide(found[0].span.end) <= text.len());
    }
    let mut found = Diagnostics::new();
    let all = Reader::new(&"---\n".repeat(500_000), FILE).all(&mut found);
    assert_eq!(found.into_sorted()[0].code, codes::TOO_MANY_NODES);
    assert!(all.len() <= 400_001);
    let deep = Limits { depth: 1_000_000, ..Limits::default() };
    assert_eq!(parse_with(&"- ".repeat(10_000), deep).1[0].code, codes::TOO_DEEP, "no limit may exceed 256");
    let exact = Limits { depth: 3, ..Limits::default() };
    assert!(parse_with("[[[x]]]", exact).1.is_empty());
    assert_eq!(parse_with("[[[[x]]]]", exact).1[0].code, codes::TOO_DEEP);
    assert!(parse_with("[&a [[x]], *a]", exact).1.is_empty());
    assert_eq!(
        parse_with("[&a [[x]], [*a]]", exact).1[0].code,
        codes::TOO_DEEP,
        "aliases count where they stand"
    );
}

#[test]
fn several_documents() {
    let text = "a: 1\n---\nb: 2\n";
    let (parsed, found) = parse(text);
    assert_eq!(parsed.root.unwrap().to_json().to_string(), r#"{"a":1}"#);
    assert!(parsed.complete);
    assert_eq!(
        (found[0].code.as_ref(), found[0].severity, found[0].span.start),
        ("YAML005", Severity::Warning, 5)
    );
    let mut found = Diagnostics::new();
    let all = Reader::new("a: 1\n---\nb: [\n", FILE).all(&mut found);
    let complete: Vec<_> = all.iter().map(|one| one.complete).collect();
    assert_eq!(complete, [true, false]);
    assert!(parse("--- \na: 1\n...\n").1.is_empty(), "one document may be marked");
}

#[test]
fn repeated_keys_are_kept_and_reported() {
    let node = root("a: 1\nb: {c: 1, c: 2}\na: 2\na: 3\n");
    assert_eq!(node.as_mapping().unwrap().len(), 4);
    assert_eq!(node.get("a").unwrap().as_i64(), Some(3));
    let mut found = Diagnostics::new();
    report_duplicates(&node, Severity::Error, Some("SDK009".into()), &mut found);
    let all = found.into_sorted();
    assert_eq!(all.len(), 2);
    assert_eq!((all[0].code.as_ref(), all[0].message.as_str()), ("SDK009", "Duplicate field 'a'"));
    assert_eq!((all[0].span.start, all[0].labels[0].span.start), (21, 0));
    let mut found = Diagnostics::new();
    report_duplicates_everywhere(&node, Severity::Warning, None, &mut found);
    let all = found.into_sorted();
    assert_eq!(all.len(), 3);
    assert!(all.iter().all(|one| one.code == codes::DUPLICATE_KEY && !one.is_error()));
    let mut found = Diagnostics::new();
    let merged = root("b: &b {x: 1}\nit: {<<: *b, x: 2}\n");
    report_duplicates_everywhere(&merged, Severity::Error, None, &mut found);
    assert!(found.is_empty());
}

#[test]
fn aliases_may_be_texts() {
    let text = "a: &x {y: 1}\nb: *x\nc: {<<: *x, z: [*x ]}\n";
    let mut found = Diagnostics::new();
    let root = Reader::new(text, FileId(0)).with_aliases_as_text().one(&mut found).root.unwrap();
    let word = |path: &[&str]| root.at(path).and_then(Node::as_str).unwrap_or_default();
    assert_eq!((word(&["b"]), word(&["c", "<<"])), ("x", "x"));
    assert_eq!(root.at(&["c", "z"]).unwrap().as_sequence().unwrap()[0].as_str(), Some("x"));
    let found = found.into_sorted();
    let places: Vec<&str> = found.iter().map(|one| &text[one.span.range()]).collect();
    assert_eq!(places, ["*x", "*x", "*x"]);
    assert!(found.iter().all(|one| one.code == codes::ALIAS_AS_TEXT && !one.is_error()));
}

#[test]
fn coercions() {
    // scalar, int, boolean, thousandths, null
    let int = |value: i64| Coerced::Value(value);
    let cases = [
        ("5", int(5), Coerced::Value(true), int(5000), false),
        ("0", int(0), Coerced::Value(false), int(0), false),
        ("'5'", int(5), Coerced::Wrong, int(5000), false),
        ("\" 5 \"", int(5), Coerced::Wrong, int(5000), false),
        ("-3", int(-3), Coerced::Value(true), int(-3000), false),
        ("+3", int(3), Coerced::Value(true), int(3000), false),
        ("2.9", int(2), Coerced::Wrong, int(2900), false),
        ("'2.9'", Coerced::Wrong, Coerced::Wrong, int(2900), false),
        ("0123", int(123), Coerced::Value(true), int(123_000), false),
        ("1_0", int(10), Coerced::Value(true), Coerced::Wrong, false),
        ("true", Coerced::Wrong, Coerced::Value(true), Coerced::Wrong, false),
        ("'False'", Coerced::Wrong, Coerced::Value(false), Coerced::Wrong, false),
        ("yes", Coerced::Wrong, Coerced::Value(true), Coerced::Wrong, false),
        ("Off", Coerced::Wrong, Coerced::Value(false), Coerced::Wrong, false),
        ("'yes'", Coerced::Wrong, Coerced::Wrong, Coerced::Wrong, false),
        ("", Coerced::Null, Coerced::Null, Coerced::Null, true),
        ("~", Coerced::Null, Coerced::Null, Coerced::Null, true),
        ("null", Coerced::Null, Coerced::Null, Coerced::Null, true),
        ("''", Coerced::Null, Coerced::Null, Coerced::Null, false),
        ("'null'", Coerced::Wrong, Coerced::Wrong, Coerced::Wrong, false),
        ("[]", Coerced::Wrong, Coerced::Wrong, Coerced::Wrong, false),
        ("99999999999999999999", Coerced::Wrong, Coerced::Wrong, Coerced::Wrong, false),
    ];
    for (text, int, boolean, thousandths, null) in cases {
        let tree = root(&format!("k: {text}\n"));
        let node = tree.get("k").unwrap();
        assert_eq!(
            (node.int(), node.boolean(), node.thousandths(), node.is_null()),
            (int, boolean, thousandths, null),
            "{text}"
        );
    }
}

#[test]
fn decimals() {
    let cases = [
        ("0.1", Some(100)),
        (".5", Some(500)),
        ("5.", Some(5000)),
        ("-0.0005", Some(-1)),
        ("0.0004", Some(0)),
        ("1e-3", Some(1)),
        ("1.5E2", Some(150_000)),
        ("1e-999999999", Some(0)),
        ("0e999999999", Some(0)),
        ("1e99", None),
        ("0.10000000000000000555111512312578270211815834045", Some(100)),
        ("9223372036854775.807", Some(i64::MAX)),
        ("9223372036854775.808", None),
        ("", None),
        (".", None),
        ("1.2.3", None),
        ("1e", None),
        ("0x1", None),
        ("nan", None),
        ("--1", None),
    ];
    for (text, want) in cases {
        assert_eq!(decimal_to_thousandths(text), want, "{text}");
    }
    assert_eq!(decimal_to_thousandths(&"9".repeat(100_000)), None);
    assert_eq!(decimal_to_thousandths(&format!("0.{}", "3".repeat(100_000))), Some(333));
}

#[test]
fn every_complaint_of_the_parser_is_explained_once() {
    // A fragment that an earlier one swallows would never be shown.
    let seen = message::explain("while parsing node, found unknown anchor", "", 0, None).message;
    assert!(seen.contains("anchor that does not exist"), "{seen}");
    let unknown = message::explain("something new", "", 0, None);
    assert!(unknown.message.contains("something new"));
}

/// Lines of the findings, and what is left to read, of a broken text.
fn around(text: &str) -> (Vec<u32>, Option<String>) {
    let mut found = Diagnostics::new();
    let parsed = Reader::new(text, FILE).one_around_errors(&mut found);
    assert!(!parsed.complete, "{text}");
    let line = |at: u32| u32::try_from(text[..at as usize].matches('\n').count()).unwrap() + 1;
    let lines = found.into_sorted().iter().map(|finding| line(finding.span.start)).collect();
    (lines, parsed.root.filter(|_| parsed.holes).map(|root| keys(&root)))
}

fn keys(node: &Node) -> String {
    let Some(entries) = node.as_mapping() else { return String::new() };
    let keys: Vec<String> = entries
        .iter()
        .map(|entry| {
            let inner = keys(&entry.value);
            let key = entry.key.as_str().unwrap_or("?");
            if inner.is_empty() { key.to_owned() } else { format!("{key}({inner})") }
        })
        .collect();
    keys.join(" ")
}

#[test]
fn errors_do_not_hide_what_is_sound() {
    let cases: &[(&str, &[u32], Option<&str>)] = &[
        ("a: 1\nb: \"x\nc: 2\nd: [1\ne: 3\n", &[2, 4], Some("a c e")),
        ("a:\n  b: \"x\n  c: {d: 1\n  e: 2\nf: 1\n", &[2, 3], Some("a(e) f")),
        // A quote that is missed only much later.
        ("a: \"x\nb: 1\nc: \"y\"\n", &[1], Some("b c")),
        // Lists, indented and not.
        ("a:\n- b: 1\n- c: [\n- d: 2\ne: 1\n", &[3], Some("a e")),
        ("a:\n  b:\n    - c: \"\n    - d: 1\n  e: 1\n", &[3], Some("a(b e)")),
        // Tabs belong to the piece above.
        ("a:\n  b: 1\n\tc: 2\nd: 1\n", &[3], Some("a d")),
        // An anchor in a broken piece: what uses it is not to blame, and cannot be read.
        ("a: &x [1\nb: *x\n", &[2], None),
        ("a: &x 1\nb: *x\nc: \"\n", &[3], Some("a b")),
        // No cut where it would be a guess.
        ("a: {b: 1,\n  c: [2,\n  d: 3}\n", &[2], None),
        ("{a: 1, b: [\n", &[1], None),
        ("a: \"\n---\nb: 1\n", &[1], None),
        ("a:\n  b: 1\n c: 2\nd: 1\n", &[3], Some("d")),
        ("a: |\n  x: \"\n  y: [\nb: \"\nc: 1\n", &[4], Some("a c")),
    ];
    for (text, lines, rest) in cases {
        let (got, left) = around(text);
        assert_eq!((got.as_slice(), left.as_deref()), (*lines, *rest), "{text}");
    }
}

#[test]
fn a_flood_of_errors_ends() {
    for text in ["a: \"\n".repeat(100_000), "a:\n  - \"\n".repeat(20_000), "a: [\n  ".repeat(50_000)] {
        let mut found = Diagnostics::new();
        let _ = Reader::new(&text, FILE).one_around_errors(&mut found);
        assert!(found.has_errors());
    }
}

#[test]
fn a_list_item_that_was_not_written_stands_behind_its_dash() {
    let text = "a:\n  - \n  -\n  - x\nb:\n-   \n- y\n";
    let (parsed, _) = parse(text);
    let root = parsed.root.unwrap();
    let places: Vec<u32> = ["a", "b"]
        .iter()
        .flat_map(|key| root.get(key).unwrap().as_sequence().unwrap())
        .filter(|item| item.is_null())
        .map(|item| item.span.start)
        .collect();
    assert_eq!(places, [6, 11, 22]);
}

#[test]
fn an_open_list_is_shown_even_behind_a_field_in_it() {
    for text in ["a: [b: 1\n", "a: [b: 1, c\n", "a:\n  - [b: {c: 1}\n"] {
        let (_, found) = parse(text);
        assert_eq!(found[0].message, "This bracket is never closed", "{text}");
        assert_eq!(&text[found[0].span.range()], "[", "{text}");
    }
}
