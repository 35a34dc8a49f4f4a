//! Scenarios and the findings about them.

use super::*;

fn found(text: &str) -> Vec<String> {
    let files = |path: &str| (path == "svc.yml").then(|| "name: x".to_owned());
    let parsed = parse(text, "s.planarium.yaml", &files);
    parsed
        .diagnostics
        .iter()
        .map(|finding| {
            let at = parsed.sources.position(finding.span);
            format!("{}:{} {} {}", at.line, at.column, finding.code, finding.message)
        })
        .collect()
}

#[test]
fn findings_have_places() {
    for (text, want) in [
        ("version: 1\nservices: [{files: [svc.yml]}]", vec![]),
        ("version: 2\nservices: []", vec!["1:10 SCN004 this reader knows version 1 of scenario files"]),
        ("sedd: 3", vec!["1:1 SCN002 a scenario has no key `sedd`"]),
        (
            "services: [{files: [other.yml]}]",
            vec!["1:21 SCN005 there is no file `other.yml` beside the scenario"],
        ),
        ("script: [{say: hi}]", vec!["1:10 SCN008 a script entry needs exactly one of `at`, `when`, `then`"]),
        ("script: [{at: soon}]", vec!["1:15 SCN003 this is not a time"]),
        ("cluster: hugee", vec!["1:10 SCN003 there is no cluster preset `hugee`"]),
        ("sharing: apart", vec![]),
        ("sharing: alone", vec!["1:10 SCN003 `sharing` must be `together` or `apart`, but this is a text"]),
        ("master: {offer_timeout: 30s}", vec![]),
        (
            "master: {offer_timeout: 0}",
            vec!["1:25 SCN003 `offer_timeout` must be above zero, but this is a number"],
        ),
        ("master: {agent_removal_rate_limit: 2/10mins}", vec![]),
        (
            "master: {agent_removal_rate_limit: 10m}",
            vec![
                "1:36 SCN003 `agent_removal_rate_limit` must be agents in a time, such as `1/10m`, but this is a text",
            ],
        ),
        ("master: {offer_time: 30s}", vec!["1:10 SCN002 a master has no key `offer_time`"]),
        ("epoch: yesterday", vec!["1:8 SCN003 this is not an instant"]),
        ("- 1", vec!["1:1 SCN001 a scenario must be a mapping, but this is a list"]),
        ("", vec!["1:1 SCN001 the scenario is empty"]),
    ] {
        assert_eq!(found(text), want, "{text}");
    }
}

#[test]
fn inputs_with_unknown_keys_are_refused() {
    let findings = found("script: [{at: 1s, do: {kind: fault, fault: task-fail, taget: {}}}]");
    assert_eq!(findings.len(), 1);
    assert!(findings[0].starts_with("1:23 SCN007"), "{findings:?}");
    assert!(findings[0].contains("taget"), "{findings:?}");
}

#[test]
fn an_entry_may_expect_a_refusal_of_its_inputs() {
    let text = |status: &str| {
        format!(
            "version: 1\ncluster: 1\nscript: [{{at: 1s, do: {{kind: remove-agent, agent: nobody}}, refused: {status}}}]\nuntil: t=2s"
        )
    };
    for (status, passes) in [("404", true), ("409", false)] {
        let parsed = parse(&text(status), "s.planarium.yaml", &|_| None);
        let outcome = crate::run(parsed.scenario.expect("a scenario"), None);
        assert_eq!(outcome.passed, passes, "{status}:\n{}", outcome.transcript);
    }
    let taken = "version: 1\nscript: [{at: 1s, do: {kind: offer-round}, refused: 404}]\nuntil: t=2s";
    let parsed = parse(taken, "s.planarium.yaml", &|_| None);
    let outcome = crate::run(parsed.scenario.expect("a scenario"), None);
    assert!(!outcome.passed && outcome.transcript.contains("FAILED refused (404)"), "{}", outcome.transcript);
}

#[test]
fn calendar() {
    for (text, want) in [
        ("1970-01-01", Some(0)),
        ("2015-10-03T00:00:00Z", Some(1_443_830_400_000)),
        ("2016-02-29 12:30:15", Some(1_456_749_015_000)),
        ("2015-02-29", None),
        ("2015-13-01", None),
        ("tomorrow", None),
    ] {
        assert_eq!(calendar_ms(text), want, "{text}");
    }
}

/// The bad example on every page of this crate's codes yields exactly that code, the good one none.
#[test]
fn examples_of_the_codes_show_their_finding() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/diagnostics/");
    for (code, title) in crate::CODES {
        let page = std::fs::read_to_string(format!("{folder}{code}.md")).expect("a page per code");
        assert!(page.starts_with(&format!("# {code}: {title}\n")), "{code}: title");
        let block = |kind: &str| {
            page.split(&format!("```yaml {kind}\n"))
                .nth(1)
                .and_then(|rest| rest.split("```").next())
                .expect(kind)
                .to_owned()
        };
        let codes: Vec<String> = found(&block("bad"))
            .iter()
            .filter_map(|line| line.split(' ').nth(1).map(ToOwned::to_owned))
            .collect();
        assert_eq!(codes, [*code], "the bad example of {code}");
        assert!(found(&block("good")).is_empty(), "the good example of {code}: {:?}", found(&block("good")));
    }
}
