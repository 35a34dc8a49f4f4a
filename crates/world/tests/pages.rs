//! The pages of this crate's findings: the bad example shows the finding, the good one shows none.

#![expect(clippy::expect_used, clippy::panic, reason = "helpers of tests")]

#[expect(dead_code, reason = "every test binary uses its own part of this")]
mod common;

use common::load;
use planarium_protocol::Input;
use planarium_world::check;

/// The text of the first code block of a kind.
fn block<'a>(page: &'a str, kind: &str) -> &'a str {
    let start = format!("```yaml {kind}\n");
    page.split_once(&start).and_then(|(_, rest)| rest.split_once("```")).map(|(text, _)| text).expect(kind)
}

fn codes(text: &str) -> Vec<String> {
    let Input::LoadService(mut request) = load(text) else { panic!("a load") };
    request.dialect.clear();
    check(&request)
        .diagnostics
        .iter()
        .filter(|found| found.is_error())
        .map(|found| found.code.to_string())
        .collect()
}

#[test]
fn examples_show_what_they_say() {
    let page = include_str!("../../../docs/diagnostics/WORLD001.md");
    assert_eq!(codes(block(page, "bad")), ["WORLD001"]);
    assert_eq!(codes(block(page, "good")), [] as [&str; 0]);
}
