//! Texts with what Go makes of them: `yaml.YAMLToJSON` of `sigs.k8s.io/yaml` v1.2.0 over `gopkg.in/yaml.v2` v2.3.0. None where it fails.

use super::Reader;
use crate::diagnostic::{Diagnostics, Severity};
use crate::span::FileId;
use serde_json::Value;

#[rustfmt::skip]
const CASES: &[(&str, Option<&str>)] = &[
    ("a:\tb", Some("{\"a\":\"b\"}")),
    ("a: b\tc", Some("{\"a\":\"b\\tc\"}")),
    ("a:\n\t- b", None),
    ("a:\t\n  b: c", Some("{\"a\":{\"b\":\"c\"}}")),
    ("- a\n-\tb", None),
    ("a: one\ntwo", None),
    ("a: 'one\ntwo'", Some("{\"a\":\"one two\"}")),
    ("a: one\nb two\nc: d", None),
    ("a: !!binary aGVsbG8=", Some("{\"a\":\"hello\"}")),
    ("a: !!int '3'", Some("{\"a\":3}")),
    ("a: !!int x", None),
    ("a: !!int \"0x10\"", Some("{\"a\":16}")),
    ("a: !!float 3", Some("{\"a\":3}")),
    ("a: !!float '3'", Some("{\"a\":3}")),
    ("a: !!bool 'yes'", Some("{\"a\":true}")),
    ("a: !!str 3", Some("{\"a\":\"3\"}")),
    ("a: !!null ''", Some("{\"a\":null}")),
    ("a: .nan", None),
    ("a: .inf", None),
    ("? ~\n: a", None),
    ("null: a", None),
    ("~: a", None),
    ("? [a]\n: b", None),
    ("? {a: b}\n: c", None),
    ("a: !foo bar", Some("{\"a\":\"bar\"}")),
    ("a: !!set {x}", Some("{\"a\":{\"x\":null}}")),
    ("a: !!timestamp 2001-01-01", Some("{\"a\":\"2001-01-01\"}")),
    ("a: 2001-01-01", Some("{\"a\":\"2001-01-01\"}")),
    ("a: y", Some("{\"a\":true}")),
    ("n: 1", Some("{\"false\":1}")),
    ("y: 1", Some("{\"true\":1}")),
    ("on: 1", Some("{\"true\":1}")),
    ("1: a", Some("{\"1\":\"a\"}")),
    ("1.5: a", Some("{\"1.5\":\"a\"}")),
    ("true: b", Some("{\"true\":\"b\"}")),
    ("[a]", Some("[\"a\"]")),
    ("a: |\n b\n", Some("{\"a\":\"b\\n\"}")),
    ("\ta: b", None),
    ("a: b\n\tc: d", None),
    ("a:\t\tb\nc:   \td", Some("{\"a\":\"b\",\"c\":\"d\"}")),
    ("a: {b:\tc}", Some("{\"a\":{\"b\":\"c\"}}")),
    ("a: [\tb,\tc ]", Some("{\"a\":[\"b\",\"c\"]}")),
    ("a: 0o10", Some("{\"a\":8}")),
    ("a: 010", Some("{\"a\":8}")),
    ("a: 0x1f", Some("{\"a\":31}")),
    ("a: 1_000", Some("{\"a\":1000}")),
    ("a: +1", Some("{\"a\":1}")),
    ("a: 1e3", Some("{\"a\":1000}")),
    ("a: 0b11", Some("{\"a\":3}")),
    ("a: 1:30", Some("{\"a\":\"1:30\"}")),
    ("a: =", Some("{\"a\":\"=\"}")),
    ("a: <<", Some("{\"a\":\"<<\"}")),
    ("a: -.inf", None),
    ("a: 18446744073709551615", Some("{\"a\":18446744073709551615}")),
    ("a: 18446744073709551616", Some("{\"a\":18446744073709552000}")),
    ("a: -9223372036854775808", Some("{\"a\":-9223372036854775808}")),
    ("a: -9223372036854775809", Some("{\"a\":-9223372036854776000}")),
    ("a: 1e400", Some("{\"a\":\"1e400\"}")),
    ("a: b: c", None),
    ("a: b #c", Some("{\"a\":\"b\"}")),
    ("a: b#c", Some("{\"a\":\"b#c\"}")),
    ("a: 'x\n  y'", Some("{\"a\":\"x y\"}")),
    ("a: \"x\ny\"", Some("{\"a\":\"x y\"}")),
    ("a:\n- b\n- c", Some("{\"a\":[\"b\",\"c\"]}")),
    ("a: [b\n]", Some("{\"a\":[\"b\"]}")),
    ("a: {b: c\n}", Some("{\"a\":{\"b\":\"c\"}}")),
    ("a: [b,\nc]", Some("{\"a\":[\"b\",\"c\"]}")),
    ("x: {a: 1,\nb: 2}", Some("{\"x\":{\"a\":1,\"b\":2}}")),
    ("'a': b\n\"c\": d", Some("{\"a\":\"b\",\"c\":\"d\"}")),
    ("a: @b", None),
    ("a: `b", None),
    ("a: %b", None),
    ("%YAML 1.1\n---\na: b", Some("{\"a\":\"b\"}")),
    ("%YAML 1.2\n---\na: b", None),
    ("%YAML 1.2\n---\na: yes", None),
    ("a: *x", None),
    ("a: &x b\nc: *x", Some("{\"a\":\"b\",\"c\":\"b\"}")),
    ("a: b\n---\nc: d", Some("{\"a\":\"b\"}")),
    ("--- a", Some("\"a\"")),
    ("...", None),
    ("", Some("null")),
    ("# c", Some("null")),
    ("a: !!binary '!!'", None),
    ("a: !!int 3.5", None),
    ("a: !!int 1e3", None),
    ("a: !!float x", None),
    ("!!map {a: b}", Some("{\"a\":\"b\"}")),
    ("!!seq [a]", Some("[\"a\"]")),
    ("!!str {a: b}", Some("{\"a\":\"b\"}")),
    ("a: !!str [b]", Some("{\"a\":[\"b\"]}")),
    ("a: !!binary [b]", Some("{\"a\":[\"b\"]}")),
    ("a: b\na: c", Some("{\"a\":\"c\"}")),
    ("a: \"\\q\"", None),
    ("a: \"\\/\"", None),
    ("a: 'b' c", None),
    ("- - a\n  - b", Some("[[\"a\",\"b\"]]")),
    ("-\ta", None),
    ("?\ta\n:\tb", None),
    ("a:\n  b\n  c", Some("{\"a\":\"b c\"}")),
    ("a: >\n\tb", None),
    ("a: |\n\tb", None),
    ("a: |\n  b\n\tc", None),
    ("{a:b}", Some("{\"a:b\":null}")),
    ("{a: b, c}", Some("{\"a\":\"b\",\"c\":null}")),
    ("[a: b]", Some("[{\"a\":\"b\"}]")),
    ("{a, b: c}", Some("{\"a\":null,\"b\":\"c\"}")),
    ("a:b", Some("\"a:b\"")),
    ("a :b", Some("\"a :b\"")),
    ("a: ,b", None),
    ("a: b,c", Some("{\"a\":\"b,c\"}")),
    ("[a,,b]", None),
    ("[,]", None),
    ("{,}", None),
    ("a: ?b", Some("{\"a\":\"?b\"}")),
    ("a: -b", Some("{\"a\":\"-b\"}")),
    ("a: - b", None),
    ("- ", Some("[null]")),
    ("-", Some("[null]")),
    ("a: ''''", Some("{\"a\":\"'\"}")),
    ("a: \"\\x41\\u0041\\U00000041\"", Some("{\"a\":\"AAA\"}")),
    ("a: \t", Some("{\"a\":null}")),
    ("a: b \t#c", Some("{\"a\":\"b\"}")),
    ("a:\n  - b\n c: d", None),
    ("a: ~", Some("{\"a\":null}")),
    ("a: Null", Some("{\"a\":null}")),
    ("a: nULL", Some("{\"a\":\"nULL\"}")),
    ("a: NaN", Some("{\"a\":\"NaN\"}")),
    ("a: inf", Some("{\"a\":\"inf\"}")),
    ("a: .NAN", None),
    ("a: .Nan", Some("{\"a\":\".Nan\"}")),
    ("a: 0.", Some("{\"a\":0}")),
    ("a: .5", Some("{\"a\":0.5}")),
    ("a: 5.", Some("{\"a\":5}")),
    ("a: 1__0", Some("{\"a\":10}")),
    ("a: _1", Some("{\"a\":\"_1\"}")),
    ("a: 0x", Some("{\"a\":\"0x\"}")),
    ("a: 0b2", Some("{\"a\":\"0b2\"}")),
    ("a: 08", Some("{\"a\":8}")),
    ("a: 00", Some("{\"a\":0}")),
    ("a: -0", Some("{\"a\":0}")),
    ("a: +0x1", Some("{\"a\":1}")),
    ("a: -010", Some("{\"a\":-8}")),
    ("a: 0o8", Some("{\"a\":\"0o8\"}")),
    ("a: 1e+3", Some("{\"a\":1000}")),
    ("a: 1E3", Some("{\"a\":1000}")),
    ("a: 1.e3", Some("{\"a\":1000}")),
    ("a: 12e03", Some("{\"a\":12000}")),
    ("a: 0.1_2", Some("{\"a\":0.12}")),
    ("a: 1_.5", Some("{\"a\":1.5}")),
    ("a: \"x\\\n   y\"", Some("{\"a\":\"xy\"}")),
    ("a: \"x  \\\n  y\"", Some("{\"a\":\"x  y\"}")),
    ("a: 'x\n\n\ny'\nb: c", Some("{\"a\":\"x\\n\\ny\",\"b\":\"c\"}")),
    ("a: \"x\n\n y\\n\"", Some("{\"a\":\"x\\ny\\n\"}")),
    ("a: [b,\n# no\n c # d\n]", Some("{\"a\":[\"b\",\"c\"]}")),
    ("a: [b\nc]", Some("{\"a\":[\"b c\"]}")),
    ("x:\n  y: {a: 1,\n b: [c,\nd]}\n  z: e", Some("{\"x\":{\"true\":{\"a\":1,\"b\":[\"c\",\"d\"]},\"z\":\"e\"}}")),
    ("a: 'it''s\nso'", Some("{\"a\":\"it's so\"}")),
    ("a: |\n  x: 'y\n  z\nb: c\td", Some("{\"a\":\"x: 'y\\nz\\n\",\"b\":\"c\\td\"}")),
    ("a:\t|\n  x\n\ty", None),
    ("a:\t|\n  x\nb:\tc", Some("{\"a\":\"x\\n\",\"b\":\"c\"}")),
    ("k:\n- a:\t1\n  b:\t\"x\"\t# y", Some("{\"k\":[{\"a\":1,\"b\":\"x\"}]}")),
    ("on: 1\noff: 2\nyes: 3\nno: 4", Some("{\"false\":4,\"true\":3}")),
    ("a: Yes\nb: oN", Some("{\"a\":true,\"b\":\"oN\"}")),
    ("a: !!float 18446744073709551615", None),
    ("a: !!timestamp x", None),
    ("a: !!null x", None),
    ("a: !!bool x", None),
    ("a: !!str y", Some("{\"a\":\"y\"}")),
    ("a: ! 3", Some("{\"a\":\"3\"}")),
    ("a: !x 3", Some("{\"a\":\"3\"}")),
    ("a: !!binary x y", None),
    ("a: !!binary |\n  aGVs\n  bG8=\n", Some("{\"a\":\"hello\"}")),
    (".nan: 1", Some("{\".nan\":1}")),
    (".inf: 1", Some("{\".inf\":1}")),
    ("-.Inf: 1", Some("{\"-.inf\":1}")),
    ("18446744073709551615: 1", None),
    ("1.1: a\n0.1: b\n1.23456789: c", Some("{\"0.1\":\"b\",\"1.1\":\"a\",\"1.2345679\":\"c\"}")),
    ("a: {n: y}", Some("{\"a\":{\"false\":true}}")),
    ("- n\n- 'y'", Some("[false,\"y\"]")),
    ("a: \"\\L\\P\\N\\_\\e\\0\"", Some("{\"a\":\"\u{2028}\u{2029}\u{85}\u{a0}\\u001b\\u0000\"}")),
    ("{'a':'b',\"c\":\"d\"}", Some("{\"a\":\"b\",\"c\":\"d\"}")),
    ("a: &b\n  c: d\ne:\n  <<: *b", Some("{\"a\":{\"c\":\"d\"},\"e\":{\"c\":\"d\"}}")),
    ("a: [1,\n2]\nb:\t[3]", Some("{\"a\":[1,2],\"b\":[3]}")),
    ("a: 'b\n c'\n", Some("{\"a\":\"b c\"}")),
    ("- 'a\nb'\n- c", Some("[\"a b\",\"c\"]")),
    ("a: 'é\n#x'\nb: [ü, # ö\n ä]", Some("{\"a\":\"é #x\",\"b\":[\"ü\",\"ä\"]}")),
];

/// Texts that Go's reader refuses and this one takes, with the value read: tabs where a line begins or behind a dash, `\\/`, another
/// version, an end without a text. The ledger (`docs/fidelity/kudo.md`) has a row for each.
const TAKEN: &[(&str, &str)] = &[
    ("- a\n-\tb", "[\"a\",\"b\"]"),
    ("-\ta", "[\"a\"]"),
    ("\ta: b", "{\"a\":\"b\"}"),
    ("a: \"\\/\"", "{\"a\":\"/\"}"),
    ("%YAML 1.2\n---\na: b", "{\"a\":\"b\"}"),
    ("%YAML 1.2\n---\na: yes", "{\"a\":true}"),
    ("...", "null"),
];

/// Reads a text; none where that fails. Warnings come with it.
fn read(text: &str) -> (Option<Value>, Vec<String>) {
    let mut found = Diagnostics::new();
    let parsed = Reader::new(text, FileId(0)).with_go_rules().one(&mut found);
    let failed = found.has_errors() || !parsed.complete;
    let value = parsed.root.map_or(Value::Null, |root| root.to_go_json());
    let warnings = found.into_sorted().into_iter().filter(|one| one.severity == Severity::Warning);
    ((!failed).then_some(value), warnings.map(|one| one.message).collect())
}

/// Numbers are compared by value: JSON makes no difference between 1 and 1.0.
fn same(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Number(a), Value::Number(b)) => a == b || a.as_f64() == b.as_f64(),
        (Value::Array(a), Value::Array(b)) => a.len() == b.len() && a.iter().zip(b).all(|(a, b)| same(a, b)),
        (Value::Object(a), Value::Object(b)) => {
            a.len() == b.len() && a.iter().all(|(key, a)| b.get(key).is_some_and(|b| same(a, b)))
        }
        (a, b) => a == b,
    }
}

#[test]
fn texts_are_read_as_go_reads_them() {
    let mut wrong = Vec::new();
    for (text, want) in CASES {
        let (got, _) = read(text);
        let taken = TAKEN.iter().find(|(own, _)| own == text).map(|(_, value)| *value);
        assert!(want.is_none() || taken.is_none(), "{text:?} is both");
        let want = want.or(taken).map(|want| serde_json::from_str::<Value>(want).unwrap());
        let agrees = match (&got, &want) {
            (Some(got), Some(want)) => same(got, want),
            (None, None) => true,
            (Some(_), None) | (None, Some(_)) => false,
        };
        if !agrees {
            wrong.push(format!("{text:?}\n  want {want:?}\n  got  {got:?}"));
        }
    }
    assert!(wrong.is_empty(), "{} differ\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn words_that_become_truth_values_are_warned_about() {
    for (text, count) in [
        ("a: n", 1),
        ("a: [y, N, Y, 'n', \"y\", !!str n]", 3),
        ("n: 1\non: 2\nYes: 3\n'off': 4\ntrue: 5", 3),
        ("a: yes\nb: off\nc: true", 0),
        ("a: no more\nb: y-axis", 0),
    ] {
        let (_, warnings) = read(text);
        assert_eq!(warnings.len(), count, "{text}: {warnings:?}");
    }
}

#[test]
fn cut_and_mixed_texts_come_to_an_end() {
    for (text, _) in CASES {
        for (at, _) in text.char_indices() {
            read(text.get(..at).unwrap());
            read(text.get(at..).unwrap());
        }
        for (other, _) in CASES.iter().step_by(17) {
            read(&format!("{text}\n{other}"));
        }
    }
}
