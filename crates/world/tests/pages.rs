//! The bad example on each page of this crate's diagnostics shows the finding; the good one does not.

#![expect(clippy::expect_used, clippy::panic, reason = "helpers of tests")]

#[expect(dead_code, reason = "every test binary uses its own part of this")]
mod common;

use common::{HELLO, load};
use planarium_protocol::Input;
use planarium_world::check;

/// The text of the first code block of a kind.
fn block<'a>(page: &'a str, kind: &str) -> &'a str {
    let start = format!("```yaml {kind}\n");
    page.split_once(&start).and_then(|(_, rest)| rest.split_once("```")).map(|(text, _)| text).expect(kind)
}

/// Findings about a definition loaded under the scenario's dialect.
fn codes(scenario: &str) -> Vec<String> {
    let Input::LoadService(mut request) = load(HELLO) else { panic!("a load") };
    let dialect =
        scenario.lines().find_map(|line| line.trim().strip_prefix("- dialect: ")).expect("a dialect");
    dialect.clone_into(&mut request.dialect);
    check(&request)
        .diagnostics
        .iter()
        .filter(|found| found.is_error())
        .map(|found| found.code.to_string())
        .collect()
}

#[test]
fn examples_show_their_finding() {
    let page = include_str!("../../../docs/diagnostics/WORLD001.md");
    assert_eq!(codes(block(page, "bad")), ["WORLD001"]);
    assert_eq!(codes(block(page, "good")), [] as [&str; 0]);
}

#[test]
fn an_ambiguous_dialect_is_reported() {
    let page = include_str!("../../../docs/diagnostics/WORLD002.md");
    let found = |kind: &str| -> Vec<String> {
        let files = [("app.json".to_owned(), block(page, kind).to_owned())].into();
        let request = planarium_protocol::input::LoadService { files, ..Default::default() };
        let report = check(&request);
        assert_eq!(report.dialect, "marathon", "{kind}");
        report
            .diagnostics
            .iter()
            .map(|found| found.code.to_string())
            .filter(|code| code == "WORLD002")
            .collect()
    };
    assert_eq!(found("bad"), ["WORLD002"]);
    assert_eq!(found("good"), [] as [String; 0]);
}

#[test]
fn files_that_resemble_nothing_are_said_to_be_read_as_the_first_dialect() {
    let found = |text: &str| -> Vec<String> {
        let files = [("api.yaml".to_owned(), text.to_owned())].into();
        let request = planarium_protocol::input::LoadService { files, ..Default::default() };
        let found = check(&request).diagnostics;
        found.iter().filter(|one| one.code == "WORLD002").map(|one| one.message.clone()).collect()
    };
    let said = found("openapi: 3.0.0\ninfo: {}\npaths: {}\ncomponents: {}\n");
    assert_eq!(said, ["Nothing shows what this is: it is read as a DC/OS SDK service"]);
    assert_eq!(found("name: x\n"), [] as [String; 0]);
    assert_eq!(found(""), [] as [String; 0]);
}

#[test]
fn first_start_refusals_point_at_their_line() {
    let page = include_str!("../../../docs/diagnostics/SDK206.md");
    let text = block(page, "good");
    let Input::LoadService(mut request) = load(text) else { panic!("a load") };
    let report = check(&request);
    let credential =
        ("DCOS_SERVICE_ACCOUNT_CREDENTIAL".to_owned(), "secrets/service-account.json".to_owned());
    request.env.extend([credential]);
    assert!(!check(&request).has_errors());
    let places: Vec<(String, bool)> = report
        .diagnostics
        .iter()
        .filter(|found| found.is_error())
        .map(|found| (found.code.to_string(), found.span.start > 0))
        .collect();
    assert_eq!(places, [("SDK206".to_owned(), true)]);
    assert!(report.preview.is_none());
}
