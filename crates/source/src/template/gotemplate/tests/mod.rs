//! Templates against what the real engine made of them: `tests/cases.json` holds templates with the output or the error
//! text that a program in Go gave for [`context`].

use std::rc::Rc;

use super::{Dict, Environment, ErrorKind, Template, Value};

const CASES: &str = include_str!("cases.json");

fn context() -> Value {
    let params = serde_json::json!({
        "A": "alpha", "EMPTY": "", "FALSE": "false", "FLAG": "true", "NUM": "3", "S": "text", "a-b": "dash",
        "L": ["x", "y", 80], "EMPTYL": [],
        "M": {"x": {"y": "deep"}, "nul": null, "n": 1_000_000, "b": true, "l": [1, 2]},
        "BIG": 1_000_000, "F": 1.5,
    });
    let text = |text: &str| Value::str(text);
    Value::Map(Dict::of_values([
        (Rc::from("Name"), text("inst")),
        (Rc::from("Namespace"), text("ns")),
        (Rc::from("OperatorName"), text("op")),
        (Rc::from("Pipes"), Value::Map(Dict::of_texts([("key", "inst.deploy.key")]))),
        (Rc::from("Params"), Value::from_json(&params)),
    ]))
}

/// The output, or the error text with `parse: ` before it where reading failed.
fn render(template: &str) -> Result<String, String> {
    let template =
        Template::parse("f.yaml", template).map_err(|error| format!("parse: {}", error.message))?;
    let output = template.execute(context(), &Environment::default()).map_err(|error| error.message)?;
    Ok(output.text)
}

#[test]
fn templates_give_what_the_real_engine_gives() {
    let cases: Vec<serde_json::Value> = serde_json::from_str(CASES).unwrap();
    let mut wrong = Vec::new();
    for case in &cases {
        let template = case["template"].as_str().unwrap();
        let want = match case.get("out") {
            Some(out) => Ok(out.as_str().unwrap().to_owned()),
            None => Err(case["error"].as_str().unwrap().to_owned()),
        };
        let got = render(template);
        if got != want {
            wrong.push(format!("{template:?}\n  want {want:?}\n  got  {got:?}"));
        }
    }
    assert!(wrong.is_empty(), "{} of {} differ:\n{}", wrong.len(), cases.len(), wrong.join("\n"));
}

#[test]
fn errors_point_at_what_they_are_about() {
    let cases = [
        ("a: {{ nope .Name }}", ErrorKind::UnknownFunction, "nope", "function \"nope\" not defined"),
        (
            "{{ .Params.MISSING }}",
            ErrorKind::Execution,
            ".Params.MISSING",
            "map has no entry for key \"MISSING\"",
        ),
        (
            "é {{ index .Params.L 9 }}",
            ErrorKind::Execution,
            "index .Params.L 9",
            "error calling index: index out of range: 9",
        ),
        (
            "{{ $.Params.A.b }}",
            ErrorKind::Execution,
            "$.Params.A.b",
            "can't evaluate field b in type interface {}",
        ),
        ("{{ if }}", ErrorKind::Parse, "}}", "missing value for if"),
    ];
    for (text, kind, at, reason) in cases {
        let outcome = Template::parse("f.yaml", text);
        let error = match outcome {
            Err(error) => error,
            Ok(template) => template.execute(context(), &Environment::default()).unwrap_err(),
        };
        let range = usize::try_from(error.start).unwrap()..usize::try_from(error.end).unwrap();
        assert!(text.get(range).is_some_and(|there| there.starts_with(at)), "{text}: {error:?}");
        assert_eq!((error.kind, error.reason.as_str()), (kind, reason), "{text}");
    }
}

#[test]
fn bounds_end_what_does_not_end() {
    let cases = [
        "{{ range until 5000 }}{{ range until 5000 }}x{{ end }}{{ end }}",
        "{{ until 2000000000 }}",
        "{{ repeat 2000000000 \"x\" }}",
        "{{ define \"r\" }}{{ template \"r\" . }}{{ end }}{{ template \"r\" . }}",
        "{{ $x := \"ab\" }}{{ range until 40 }}{{ $x = replace \"a\" \"aaaaaaaaaa\" $x }}{{ end }}",
        "{{ $l := list 1 }}{{ range until 60 }}{{ $l = list $l $l }}{{ end }}{{ print $l }}{{ print $l }}",
        "{{ indent 2000000000 \"x\" }}",
    ];
    for text in cases {
        let template = Template::parse("f.yaml", text).unwrap();
        let error = template.execute(context(), &Environment::default()).unwrap_err();
        assert_eq!(error.kind, ErrorKind::Limit, "{text}: {error}");
    }
    let deep = format!("{}1{}", "{{ if true }}".repeat(500), "{{ end }}".repeat(500));
    assert_eq!(Template::parse("f.yaml", deep).unwrap_err().kind, ErrorKind::Limit);
    let deep = format!("{{{{ {}1{} }}}}", "(".repeat(5000), ")".repeat(5000));
    assert_eq!(Template::parse("f.yaml", deep).unwrap_err().kind, ErrorKind::Limit);
    // A map that holds itself.
    let text = "{{ $d := dict }}{{ $_ := set $d \"d\" $d }}{{ len $d }}{{ print $d | len | lt 5 }}{{ toJson $d | len | lt 5 }}";
    assert_eq!(render(text), Ok("1truetrue".to_owned()));
}

#[test]
fn draws_are_the_same_for_the_same_owner() {
    let template =
        Template::parse("f.yaml", "{{ randAlphaNum 12 }} {{ uuidv4 }} {{ randNumeric 4 }}").unwrap();
    let drawn = |seed, entity| {
        let environment = Environment { seed, entity, ..Environment::default() };
        template.execute(context(), &environment).unwrap().text
    };
    assert_eq!(drawn(1, "a"), drawn(1, "a"));
    assert_ne!(drawn(1, "a"), drawn(1, "b"));
    assert_ne!(drawn(1, "a"), drawn(2, "a"));
    assert_eq!(drawn(1, "a").len(), 12 + 1 + 36 + 1 + 4);
}

#[test]
fn rendered_places_lead_back_to_the_template() {
    let text = "name: {{ .Name }}\nitems:\n{{ range .Params.L }}- {{ . }}\n{{ end }}end: here\n";
    let template = Template::parse("f.yaml", text).unwrap();
    let output = template.execute(context(), &Environment::default()).unwrap();
    assert_eq!(output.text, "name: inst\nitems:\n- x\n- y\n- 80\nend: here\n");
    for (rendered, written) in
        [("name: ", "name: "), ("inst", "{{ .Name }}"), ("80", "{{ . }}"), ("here", "here")]
    {
        let start = u32::try_from(output.text.find(rendered).unwrap()).unwrap();
        let mapped = output.map.map(start, start + u32::try_from(rendered.len()).unwrap());
        assert_eq!(text.get(mapped.span.range()), Some(written));
    }
}

#[test]
fn mentions_are_those_that_the_verifier_sees() {
    let text = "{{ .Params.A }}{{ if .Params.B }}{{ $.Params.C }}{{ end }}{{ range $v := .Params.D }}{{ $v.E }}{{ .F }}\
                {{ else }}{{ .Params.G }}{{ end }}{{ print .Name .Params.H }}{{ print (.Params.I | quote) .Params.J }}";
    let template = Template::parse("f.yaml", text).unwrap();
    let found: Vec<_> = template.mentions().iter().map(|mention| mention.path.join(".")).collect();
    assert_eq!(found, ["Params.A", "Params.C", "Params.B", "F", "Params.D", "Name", "Params.I", "Params.J"]);
}
