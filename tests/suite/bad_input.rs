//! Bad input: each case gets a diagnostic with file, line, column, code and help; the running world does not change.

use planarium_protocol::Input;
use planarium_protocol::input::{AddAgent, LoadService};
use planarium_protocol::refusal::RefusalCode;
use planarium_source::render::json::flat;
use planarium_tests::hostile;
use planarium_tests::same::difference;
use planarium_world::{Engine, Genesis, check, presets};
use std::collections::BTreeMap;

/// A definition that is fine, with `{}` where a case puts its own plans.
const GOOD: &str = "name: hello
pods:
  hello:
    count: 1
    tasks:
      server:
        goal: RUNNING
        cmd: ./hello
        cpus: 0.1
        memory: 32
";

fn with_plans(plans: &str) -> String {
    format!("{GOOD}plans:\n  deploy:\n{plans}")
}

/// Expected findings of a case.
struct Case {
    what: &'static str,
    text: String,
    code: &'static str,
    /// Line and column; zero is any (from 1 on).
    at: (u32, u32),
    /// A part of the message.
    says: &'static str,
    /// A part of the help.
    help: &'static str,
}

fn cases() -> Vec<Case> {
    let case =
        |what, text: &str, code, at, says, help| Case { what, text: text.to_owned(), code, at, says, help };
    vec![
        case("broken YAML", "name: hello\npods:\n  hello: [1, 2\n  world: 3\n", "YAML001", (0, 0), "", ""),
        case("a tab", "name: hello\npods:\n\thello: 1\n", "YAML001", (3, 0), "", ""),
        case("nothing at all", "", "SDK006", (1, 1), "", ""),
        case("a list", "- 1\n- 2\n", "", (1, 0), "", ""),
        case("an unclosed tag", "name: {{FRAMEWORK_NAME\npods: {}\n", "TPL001", (1, 7), "", ""),
        case("no pods", "name: hello\n", "", (0, 0), "pods", ""),
        case(
            "an unknown pod",
            &with_plans("    phases:\n      hello: {pod: helo}\n"),
            "SDK142",
            (14, 20),
            "helo",
            "did you mean 'hello'?",
        ),
        case(
            "an unknown task",
            &with_plans(
                "    phases:\n      hello:\n        pod: hello\n        steps:\n          - default: [[servr]]\n",
            ),
            "SDK146",
            (17, 0),
            "servr",
            "did you mean 'server'?",
        ),
        case(
            "an unknown phase strategy",
            &with_plans("    phases:\n      hello: {pod: hello, strategy: serail}\n"),
            "SDK141",
            (14, 0),
            "serail",
            "did you mean 'serial'?",
        ),
        case(
            "an unknown plan strategy",
            &with_plans("    strategy: canary\n    phases:\n      hello: {pod: hello}\n"),
            "SDK140",
            (13, 15),
            "canary",
            "serial",
        ),
        case("a negative count", &GOOD.replace("count: 1", "count: -1"), "SDK050", (4, 12), "-1", ""),
        case(
            "an unknown goal",
            &GOOD.replace("RUNNING", "RUNING"),
            "SDK080",
            (7, 15),
            "RUNING",
            "did you mean 'RUNNING'?",
        ),
        case(
            "an unknown field",
            &GOOD.replace("memory", "memroy"),
            "SDK030",
            (10, 9),
            "memroy",
            "did you mean 'memory'?",
        ),
        case(
            "a field twice",
            &GOOD.replace("cmd: ./hello", "cmd: ./hello\n        cmd: ./twice"),
            "YAML006",
            (9, 9),
            "cmd",
            "",
        ),
        case("no amount at all", &GOOD.replace("0.1", "0"), "SDK081", (9, 15), "cpus", ""),
        case("five megabytes", &hostile::five_megabytes(), "TPL007", (1, 1), "", ""),
        case("an alias bomb", &hostile::alias_bomb(), "SDK033", (12, 7), "a9", ""),
        case("ten thousand levels in one line", &hostile::nested_flow(10_000), "YAML003", (2, 0), "", ""),
        case("two thousand levels in lines", &hostile::nested_block(1_900), "YAML003", (0, 0), "", ""),
        case("ten thousand template sections", &hostile::nested_sections(10_000), "TPL006", (2, 0), "", ""),
    ]
}

fn load(text: &str) -> LoadService {
    LoadService {
        dialect: "sdk".to_owned(),
        files: BTreeMap::from([("svc.yml".to_owned(), text.to_owned())]),
        ..LoadService::default()
    }
}

#[test]
fn each_case_has_a_finding_with_its_position_and_its_help() {
    for case in cases() {
        let report = check(&load(&case.text));
        assert!(report.has_errors(), "{}: accepted", case.what);
        assert!(report.preview.is_none(), "{}: a preview of what cannot run", case.what);
        let found: Vec<_> =
            report.diagnostics.iter().filter(|d| d.is_error()).map(|d| flat(d, &report.sources)).collect();
        let wanted = found.iter().find(|one| case.code.is_empty() || one.code == case.code);
        let Some(one) = wanted else { panic!("{}: no {} among {found:?}", case.what, case.code) };
        assert_eq!(one.span.file, "svc.yml", "{}: {one:?}", case.what);
        let (line, column) = (one.span.line, one.span.column);
        assert!(line >= 1 && column >= 1, "{}: {one:?}", case.what);
        assert!(case.at.0 == 0 || case.at.0 == line, "{}: line {line}: {one:?}", case.what);
        assert!(case.at.1 == 0 || case.at.1 == column, "{}: column {column}: {one:?}", case.what);
        assert!(!one.code.is_empty() && one.message.contains(case.says), "{}: {one:?}", case.what);
        let help = one.help.as_deref().unwrap_or_default();
        assert!(!help.is_empty() && help.contains(case.help), "{}: help {:?}: {one:?}", case.what, one.help);
        assert!(found.len() <= 500, "{}: {} findings", case.what, found.len());
        // The place is inside the text.
        assert!(one.span.end_offset as usize <= case.text.len(), "{}: {one:?}", case.what);
    }
}

#[test]
fn the_last_valid_world_is_kept() {
    let mut engine = Engine::new(Genesis::default());
    for agent in presets::cluster("3").expect("the preset") {
        engine.apply(Input::AddAgent(agent)).outcome.expect("machines");
    }
    engine.apply(Input::LoadService(load(GOOD))).outcome.expect("a good definition");
    engine.advance_for(20_000);
    let kept = |engine: &Engine| {
        let view = engine.view();
        serde_json::to_value((&view.services, &view.cluster)).expect("JSON")
    };
    let before = kept(&engine);
    for case in cases() {
        for input in [
            Input::LoadService(load(&case.text)),
            Input::UpdateService(LoadService { name: "hello".to_owned(), ..load(&case.text) }),
        ] {
            let applied = engine.apply(input);
            let refusal = applied.outcome.expect_err(case.what);
            let fits = matches!(refusal.code, RefusalCode::InvalidDefinition | RefusalCode::LimitReached);
            assert!(fits, "{}: {refusal:?}", case.what);
            assert!(
                refusal.code == RefusalCode::LimitReached || !applied.diagnostics.is_empty(),
                "{}: refused without a finding",
                case.what
            );
            assert_eq!(difference(&kept(&engine), &before), None, "{}", case.what);
        }
    }
    // It runs on.
    let done = engine
        .run_until(&planarium_world::Condition::parse("deploy=COMPLETE").expect("a condition"), 600_000);
    assert!(done.met);
}

#[test]
fn a_variable_without_a_value_is_named() {
    let report = check(&load(
        &GOOD
            .replace("count: 1", "count: {{HELLO_COUNT}}")
            .replace("name: hello", "name: {{FRAMEWORK_NAME}}"),
    ));
    assert_eq!(report.missing, ["FRAMEWORK_NAME", "HELLO_COUNT"]);
    let places: Vec<_> = report
        .diagnostics
        .iter()
        .filter(|d| d.code == "SDK004")
        .map(|d| flat(d, &report.sources))
        .map(|one| (one.span.line, one.span.column, one.help.is_some()))
        .collect();
    assert_eq!(places, [(1, 7, true), (4, 12, true)], "{:?}", report.diagnostics);

    // With values it is fine, and the remaining findings point at the template's line, not at the rendered one.
    let mut with = load(
        "name: {{FRAMEWORK_NAME}}\n{{#LONG}}\n# one\n# two\n{{/LONG}}\npods:\n  hello:\n    count: {{HELLO_COUNT}}\n    tasks: 7\n",
    );
    with.env = BTreeMap::from([
        ("FRAMEWORK_NAME".to_owned(), "x".to_owned()),
        ("HELLO_COUNT".to_owned(), "1".to_owned()),
    ]);
    let report = check(&with);
    assert_eq!(report.missing, Vec::<String>::new());
    let found = report
        .diagnostics
        .iter()
        .filter(|d| d.is_error())
        .map(|d| flat(d, &report.sources))
        .next()
        .expect("a finding");
    assert_eq!((found.span.line, found.span.column), (9, 12), "{found:?}");
}

#[test]
fn a_pod_that_fits_nowhere_stays_pending_and_explains_why() {
    let mut engine = Engine::new(Genesis::default());
    let machine = r#"{"count":2,"hostname":"small-{n}","resources":{"cpus":4,"mem":1000,"disk":10000,"ports":"[1025-2000]"}}"#;
    let agent: AddAgent = serde_json::from_str(machine).expect("a machine");
    engine.apply(Input::AddAgent(agent)).outcome.expect("machines");
    engine.apply(Input::LoadService(load(&GOOD.replace("0.1", "64")))).outcome.expect("a good definition");
    let done = engine
        .run_until(&planarium_world::Condition::parse("deploy=COMPLETE").expect("a condition"), 3_600_000);
    assert!(!done.met);
    let view = engine.view();
    let plan = &view.services[0].plans[0];
    assert_eq!((&*plan.status, &*plan.phases[0].steps[0].status), ("IN_PROGRESS", "PREPARED"));
    assert!(plan.phases[0].steps[0].reason.contains("cpus"), "{}", plan.phases[0].steps[0].reason);
    let path = planarium_scenario::find_element(&view, "deploy/hello/hello-0:[server]").expect("the step");
    let why = serde_json::to_value(engine.why(&path).expect("an explanation")).expect("JSON");
    assert_eq!(why["reasons"][0]["reason"], "no-matching-offer", "{why}");
    let funnel = &why["reasons"][0]["funnel"];
    assert_eq!(funnel["agents"].as_array().map(Vec::len), Some(2), "{why}");
    let failed: Vec<&str> = funnel["stages"]
        .as_array()
        .into_iter()
        .flatten()
        .filter(|stage| stage["failed"] == 2)
        .filter_map(|stage| stage["requirement"].as_str())
        .collect();
    assert!(failed.contains(&"cpus") && !failed.contains(&"mem"), "{why}");
    assert!(funnel["nearest"].as_str().is_some_and(|text| text.contains("cpus")), "{why}");
}
