//! Fences in documents: the conformance set, one fence at a time, and the forms in which they are printed.

use crate::{PROGRAM, file, folder, piped, planarium, root, said};
use serde_json::Value;
use std::fmt::Write as _;
use std::fs;
use std::path::PathBuf;
use std::process::{Command, Stdio};

const SET: &str = "tests/data/fences";

fn documents() -> Vec<PathBuf> {
    let mut all: Vec<PathBuf> = fs::read_dir(root().join(SET))
        .expect("the set")
        .map(|entry| entry.expect("a file").path())
        .filter(|path| path.extension().is_some_and(|ending| ending == "md") && !path.ends_with("README.md"))
        .collect();
    all.sort();
    all
}

fn list<'v>(value: &'v Value, key: &str) -> &'v [Value] {
    value.get(key).and_then(Value::as_array).expect("a list")
}

fn words<'v>(value: &'v Value, key: &str) -> &'v str {
    value.get(key).and_then(Value::as_str).expect("a text")
}

fn text_at(value: &Value, at: usize) -> &str {
    value.get(at).and_then(Value::as_str).expect("a text")
}

fn number(value: &Value, key: &str) -> u64 {
    value.get(key).and_then(Value::as_u64).expect("a number")
}

/// Returns the command's output for a document, as the set keeps it.
fn outcome(name: &str) -> String {
    let path = format!("{SET}/{name}.md");
    let said = planarium(&["embed", "--markdown", &path, "--root", ".", "--format", "json"]);
    let all: Value =
        serde_json::from_str(&said.out).unwrap_or_else(|error| panic!("{name}: {error}: {}", said.err));
    assert_eq!(all.get("ok"), Some(&Value::from(said.status == 0)), "{name}");
    let mut out = format!("exit {}\n", said.status);
    for fence in list(&all, "fences") {
        let _ = writeln!(out, "\n== lines {} to {}", number(fence, "line"), number(fence, "end_line"));
        for finding in list(fence, "findings") {
            let column = finding
                .get("column")
                .and_then(Value::as_u64)
                .map_or_else(String::new, |column| format!(":{column}"));
            let (line, kind) = (number(finding, "line"), words(finding, "kind"));
            let _ = writeln!(out, "{line}{column}: {kind}: {}", words(finding, "message"));
            assert_eq!(words(finding, "file"), path, "{name}");
        }
        let html = words(fence, "html");
        if let Some(tag) = html.lines().next() {
            let _ = writeln!(out, "-- element\n{tag}");
            assert!(
                html.lines().all(|line| !line.trim().is_empty()),
                "{name}: an empty line ends raw HTML in Markdown"
            );
        }
        for source in list(fence, "sources") {
            let _ = write!(out, "-- {}\n{}", text_at(source, 0), text_at(source, 1));
        }
        let text = words(fence, "text");
        if !text.is_empty() {
            let _ = write!(out, "-- plans\n{text}");
        }
    }
    out
}

#[test]
fn fences_are_read_as_in_the_conformance_set() {
    let bless = std::env::var_os("PLANARIUM_BLESS").is_some_and(|value| !value.is_empty() && value != "0");
    let mut wrong = Vec::new();
    for document in documents() {
        let name = document.file_stem().expect("a name").to_string_lossy().into_owned();
        let got = outcome(&name);
        let golden = document.with_extension("expected.txt");
        if bless {
            fs::write(&golden, &got).expect("a file");
        }
        let want = fs::read_to_string(&golden).unwrap_or_default();
        if want != got {
            wrong.push(format!("{name}\n--- expected\n{want}\n--- got\n{got}"));
        }
    }
    assert!(documents().len() > 15, "the set is there");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn one_fence_is_read_from_standard_input() {
    let body = "name: a\npods:\n  a:\n    count: 1\n    tasks:\n      s: {goal: RUNNING, cmd: x, cpus: 0.1, memory: 32}\n";
    let claim = "# @expect deploy ERROR by 90s\n";
    let info = "planarium until=\"complete\"";
    let good = piped(&["embed", "--fence", "--info", info], body).ends(0);
    assert!(good.out.starts_with("<planarium-embed ") && good.out.contains("COMPLETE"), "{}", good.out);
    let whole = piped(&["embed", "--fence"], &format!("```{info}\n{body}```\n")).ends(0);
    assert_eq!(whole.out, good.out);
    let text = piped(&["embed", "--fence", "--info", info, "--format", "text"], body).ends(0);
    assert!(text.out.starts_with("deploy") && !text.out.contains('<'), "{}", text.out);
    let words = ["embed", "--fence", "--info", info, "--file", "guide.md", "--line", "40"];
    let bad = piped(&words, &format!("{body}{claim}")).ends(1);
    assert_eq!(bad.out, "");
    assert!(bad.err.starts_with("guide.md:47: error: `deploy` is never ERROR"), "{}", bad.err);
    piped(&["embed", "--fence", "--info", "yaml"], body).ends(2);
    piped(&["embed", "--fence"], "text without a fence\n").ends(2);
    piped(&["embed"], "").ends(2);
}

#[test]
fn documents_are_written_as_html_or_as_text() {
    let here = folder("fences");
    let page =
        file(&here, "page.md", "# Title\n\n```planarium src=\"canary.yaml\" plan=\"deploy\"\n```\n\nafter\n");
    fs::copy(root().join("examples/canary/canary.planarium.yaml"), here.join("canary.yaml")).expect("a copy");
    fs::copy(root().join("examples/canary/svc.yml"), here.join("svc.yml")).expect("a copy");
    let html = planarium(&["embed", "--markdown", &page]).ends(0).out;
    assert!(
        html.starts_with("# Title\n\n\n<planarium-embed ")
            && html.ends_with("</planarium-embed>\n\n\nafter\n"),
        "{html}"
    );
    let text = planarium(&["embed", "--markdown", &page, "--format", "text"]).ends(0).out;
    assert!(text.contains("```yaml\n") && text.contains("```text\ndeploy") && !text.contains('<'), "{text}");
    // Paths in a fence begin at the document's folder, wherever the command runs.
    let elsewhere = Command::new(PROGRAM)
        .current_dir(&here)
        .args(["embed", "--markdown", "page.md"])
        .stdin(Stdio::null())
        .output()
        .expect("it runs");
    assert_eq!(said(&["embed"], elsewhere).ends(0).out, html);
    let untouched = file(&here, "plain.md", "no fence\r\n");
    assert_eq!(planarium(&["embed", "--markdown", &untouched]).ends(0).out, "no fence\r\n");
}
