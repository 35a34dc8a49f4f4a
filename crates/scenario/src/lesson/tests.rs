//! Tests of the lesson reader, checks over runs, accounts, and tries.

use super::*;
use crate::parse;
use crate::parse::script;
use planarium_protocol::Input;
use planarium_source::Position;
use std::sync::Arc;

const WORLD: &str = r#"
cluster: 3
services:
  - dialect: sdk
    files:
      svc.yml: |
        name: web
        pods:
          web: {count: 3, placement: '[["hostname", "UNIQUE"]]', tasks: {server: {goal: RUNNING, cmd: ./serve, cpus: 0.5, memory: 256}}}
processes:
  - behaviour: {start_ms: 5000}
limit: 4m
"#;

const BLOCK: &str = r"
lesson:
  id: test
  teaches: [plan restart]
  allowed: [plan restart, pod restart, plan interrupt, fault agent-lost, clear-fault]
  goal: [GOAL]
  never: [NEVER]
  serving: [{of: web, needed: 3}]
  hints: 1
  solution: []
  naive: []
";

/// A lesson over the world above with these checks and additional scenario lines.
fn lesson(goal: &str, never: &str, more: &str) -> Arc<Lesson> {
    let named = |id: &str, check: &str| match check {
        "" => String::new(),
        check => format!("{{id: {id}, check: \"{check}\"}}"),
    };
    let block = BLOCK.replace("GOAL", &named("goal", goal)).replace("NEVER", &named("never", never));
    let parsed = parse(&format!("seed: 5\n{WORLD}{more}{block}"), "l.planarium.yaml", &|_| None);
    let found = planarium_source::render::text::render(&parsed.diagnostics, &parsed.sources);
    Arc::new(*parsed.lesson.unwrap_or_else(|| panic!("{found}")))
}

fn input(json: &str) -> Input {
    planarium_protocol::json::read(json.as_bytes()).expect("an input")
}

fn restart(pod: &str) -> Input {
    input(&format!(r#"{{"kind": "pod", "service": "web", "pod": "{pod}", "op": "restart"}}"#))
}

fn account(attempt: &Attempt, id: &str) -> Account {
    let progress = attempt.progress();
    let shown = progress.checks.into_iter().find(|shown| shown.id == id).expect("the check");
    assert_eq!(shown.state, State::Lost, "{id}");
    shown.account.expect("an account")
}

fn state(attempt: &Attempt, id: &str) -> State {
    attempt.progress().checks.into_iter().find(|shown| shown.id == id).expect("the check").state
}

#[test]
fn checks_are_read() {
    for text in [
        "deploy=COMPLETE by 2m",
        "deploy=COMPLETE && at least 2 available of web/web-* at 30s",
        "never fewer than 2 available of web after deploy=COMPLETE until t=2m",
        "idle",
        "no tasks on agent-1 by 1m30s",
        "machine agent-1=draining within 5s after t=10s",
        "deploy/step-1/RestartApplication /web=Finished",
        "never more than 20s below 2 available of web",
        "at most 3 commands",
    ] {
        let check = Check::parse(text).unwrap_or_else(|error| panic!("{text}: {error}"));
        assert_eq!(check.text, text);
    }
    for (text, wrong) in [
        ("", "is not a condition"),
        ("done", "is not a condition"),
        ("deploy=COMPLETE by 2m at 3m", "one of `by`, `at` and `within`"),
        ("deploy=COMPLETE by 2m by 3m", "`by` is there twice"),
        ("deploy=COMPLETE within 5s", "counts from the moment of `after`"),
        ("deploy=COMPLETE until t=2m", "bounds a check with `never`"),
        ("never idle by 5s", "looks at every moment"),
        ("at least two available of web", "`two` is not a number"),
        ("at least 2 servers", "counts nothing known"),
        ("deploy=COMPLETE by 2x", "not a time"),
        ("deploy=COMPLETE by noon", "`COMPLETE by noon` is not a status"),
    ] {
        let error = Check::parse(text).expect_err(text);
        assert!(error.contains(wrong), "{text}: {error}");
    }
}

#[test]
fn inputs_have_words() {
    for (json, allowed, covered) in [
        (
            r#"{"kind": "plan", "service": "a", "plan": "b", "op": "force-complete"}"#,
            "plan force-complete",
            true,
        ),
        (r#"{"kind": "plan", "service": "a", "plan": "b", "op": "force-complete"}"#, "plan", true),
        (r#"{"kind": "plan", "service": "a", "plan": "b", "op": "force-complete"}"#, "plan force", false),
        (r#"{"kind": "pod", "service": "a", "pod": "b", "op": "replace"}"#, "pod replace", true),
        (r#"{"kind": "fault", "fault": "agent-lost"}"#, "fault agent-lost", true),
        (
            r#"{"kind": "call", "method": "PUT", "path": "/v2/apps/web?force=true"}"#,
            "call PUT /v2/apps/web",
            true,
        ),
        (r#"{"kind": "call", "method": "PUT", "path": "/v2/apps/web"}"#, "call PUT /v2/apps", true),
        (r#"{"kind": "call", "method": "PUT", "path": "/v2/apps"}"#, "call PUT /v2/app", false),
        (r#"{"kind": "call", "method": "DELETE", "path": "/v2/apps"}"#, "call PUT", false),
    ] {
        assert_eq!(covers(allowed, &input(json)), covered, "{allowed}: {json}");
    }
}

#[test]
fn goals_are_met_when_they_hold_and_lost_at_their_deadline() {
    for (goal, verdict) in [
        // Without commands the rollout ends between 20 and 25 seconds.
        ("deploy=COMPLETE by 1m", None),
        ("deploy=COMPLETE at 1m", None),
        ("deploy/web/web-0:[server]=STARTING by 1m", None),
        ("deploy=COMPLETE within 1m after t=10s", None),
        ("at least 3 available of web by 1m", None),
        ("at least 3 available of web/web-* by 1m", None),
        ("at least 1 available of web-1-server by 1m", None),
        ("deploy=COMPLETE by 10s", Some(10_000)),
        ("deploy=COMPLETE at 10s", Some(10_000)),
        ("deploy=PENDING at 1m", Some(60_000)),
        ("deploy=COMPLETE within 2s after t=10s", Some(12_000)),
        ("deploy=ERROR", Some(240_000)),
        ("at least 4 available of web by 1m", Some(60_000)),
        ("deploy=COMPLETE after deploy=ERROR by 1m", Some(60_000)),
        ("machine agent-1=draining by 30s", Some(30_000)),
        ("at least 9 tasks on agent-1 by 30s", Some(30_000)),
    ] {
        let mut attempt = Attempt::start(&lesson(goal, "", ""), None);
        assert!(attempt.advance_to_verdict(u64::MAX), "{goal}: open");
        match (attempt.verdict(), verdict) {
            (Verdict::Passed { .. }, None) => {}
            (Verdict::Lost { at_ms, check }, Some(wanted)) => {
                assert_eq!((*at_ms, check.as_str()), (wanted, "goal"), "{goal}");
                let account = account(&attempt, "goal");
                assert!(!account.element.is_empty() && !account.nearest.is_empty(), "{goal}: {account:?}");
            }
            (other, _) => panic!("{goal}: {other:?}"),
        }
    }
}

#[test]
fn a_missed_goal_names_the_nearest_miss_and_the_cause() {
    let mut attempt = Attempt::start(&lesson("at least 4 available of web by 1m", "", ""), None);
    attempt.advance_to(120_000);
    let account = account(&attempt, "goal");
    assert_eq!(account.element, "web");
    assert_eq!(account.nearest, "at least 4 needed of web, 3 available");

    let mut attempt = Attempt::start(&lesson("deploy=COMPLETE by 10s", "", ""), None);
    attempt.advance_to(120_000);
    let account = self::account(&attempt, "goal");
    assert!(account.nearest.starts_with("deploy=COMPLETE was due, deploy shows"), "{}", account.nearest);
    assert_eq!(account.because.len(), 1, "{:?}", account.because);
    assert!(account.chain.last().is_some_and(|link| link.input.is_some()), "{:?}", account.chain);
}

#[test]
fn a_lost_check_reports_shortage_causes_and_the_position_before_the_command() {
    let never = "fewer than 2 available of web after deploy=COMPLETE";
    let goal = "deploy=COMPLETE at 3m";
    let script = "script: [{at: 60s, do: {kind: fault, fault: agent-lost, id: cut, target: {pod: web-1}, for_ms: 30000}}]\n";
    let mut attempt = Attempt::start(&lesson(goal, never, script), None);
    attempt.advance_to(62_000);
    attempt.command(restart("web-0")).expect("allowed").outcome.expect("taken");
    attempt.advance_to(66_000);
    let number = attempt.moves().first().expect("one command").number;
    let first = account(&attempt, "never");
    assert_eq!(first.element, "web");
    let during = first.nearest.clone();
    assert!(during.starts_with("2 needed of web, 1 available for "), "{during}");
    assert!(first.sentence.contains("was restarted by command while agent-"), "{}", first.sentence);
    assert!(first.sentence.contains(" went down"), "{}", first.sentence);
    assert_eq!(
        first.chain.last().and_then(|link| link.input),
        Some(number),
        "the command is at the beginning"
    );
    assert_eq!((first.back.input, first.back.at_ms), (number, 62_000));

    // The shortage continues, and its duration grows, until it ends.
    attempt.advance_to(180_000);
    let later = account(&attempt, "never").nearest;
    assert_ne!(during, later);
    attempt.advance_to(200_000);
    assert_eq!(account(&attempt, "never").nearest, later, "it is over");

    // From the position before the command nothing is lost.
    let mut again = attempt.back_to(first.back);
    assert_eq!((again.moves().len(), again.engine().now_ms()), (0, 62_000));
    assert!(again.advance_to_verdict(u64::MAX));
    assert!(matches!(again.verdict(), Verdict::Passed { .. }), "{:?}", again.progress());
}

#[test]
fn a_loss_caused_by_the_lesson_leads_back_to_before_it() {
    let never = "fewer than 3 available of web after deploy=COMPLETE";
    let script = "script: [{at: 60s, do: {kind: fault, fault: agent-lost, id: cut, target: {pod: web-1}}}]\n";
    let mut attempt = Attempt::start(&lesson("deploy=COMPLETE at 3m", never, script), None);
    assert!(attempt.advance_to_verdict(u64::MAX));
    let account = account(&attempt, "never");
    assert_eq!((account.at_ms, account.back.at_ms), (60_000, 59_999));
    assert_eq!(attempt.back_to(account.back).engine().now_ms(), 59_999);
    assert_eq!(state(&attempt.back_to(account.back), "never"), State::NotYet);
}

#[test]
fn commands_and_unavailable_time_are_counted() {
    let never = "more than 1 commands";
    let mut attempt = Attempt::start(&lesson("deploy=COMPLETE at 3m", never, ""), None);
    attempt.advance_to(40_000);
    let unknown = input(r#"{"kind": "pod", "service": "web", "pod": "nobody", "op": "restart"}"#);
    assert!(attempt.command(unknown).expect("allowed").outcome.is_err(), "there is no such pod");
    attempt.command(restart("web-0")).expect("allowed").outcome.expect("taken");
    assert_eq!(
        (attempt.score().commands, attempt.verdict()),
        (1, &Verdict::Open),
        "a refusal does not count"
    );
    attempt.advance_to(80_000);
    let gone = attempt.score().unavailable_ms;
    assert!((5_000..15_000).contains(&gone), "one of three was away for a start of 5 s: {gone}");
    attempt.command(restart("web-1")).expect("allowed").outcome.expect("taken");
    let account = account(&attempt, "never");
    assert_eq!(account.nearest, "1 command allowed, this was number 2");

    let never = "more than 12s below 3 available of web";
    let mut attempt = Attempt::start(&lesson("deploy=COMPLETE at 3m", never, ""), None);
    attempt.advance_to(40_000);
    attempt.command(restart("web-0")).expect("allowed").outcome.expect("taken");
    attempt.advance_to(80_000);
    assert_eq!(state(&attempt, "never"), State::NotYet);
    attempt.command(restart("web-1")).expect("allowed").outcome.expect("taken");
    attempt.advance_to(120_000);
    let account = self::account(&attempt, "never");
    assert!(
        account.nearest.starts_with("3 needed of web, fewer for 12.001 s in all, 12 s allowed"),
        "{}",
        account.nearest
    );
}

#[test]
fn an_undone_try_equals_the_same_run() {
    let lesson = lesson("deploy=COMPLETE at 3m", "", "");
    let mut attempt = Attempt::start(&lesson, None);
    attempt.advance_to(41_234);
    attempt.command(restart("web-0")).expect("allowed").outcome.expect("taken");
    attempt.advance_to(60_000);
    attempt.command(restart("web-1")).expect("allowed").outcome.expect("taken");
    attempt.advance_to(70_000);
    assert_eq!(attempt.copy().engine().digest(), attempt.engine().digest());
    let undone = attempt.undo();
    assert_eq!((undone.moves().len(), undone.engine().now_ms()), (1, 60_000));
    let refused =
        attempt.command(input(r#"{"kind": "pod", "service": "web", "pod": "web-0", "op": "replace"}"#));
    let refused = refused.expect_err("not allowed");
    assert_eq!(refused.word, "pod replace");
    assert_eq!(attempt.moves().len(), 2, "nothing was put in");
}

#[test]
fn stopping_the_clock_changes_nothing() {
    let never = "fewer than 3 available of web after deploy=COMPLETE";
    let script = "script: [{when: deploy=COMPLETE}, {then: 20s, do: {kind: fault, fault: task-fail, target: {pod: web-1}}}]\n";
    let lesson = lesson("deploy=COMPLETE at 3m", never, script);
    let run = |step: u64| {
        let mut attempt = Attempt::start(&lesson, None);
        while attempt.engine().now_ms() < 200_000 {
            attempt.advance_to(attempt.engine().now_ms() + step);
        }
        (attempt.engine().digest(), account(&attempt, "never"))
    };
    assert_eq!(run(200_000), run(1_000));
    assert_eq!(run(200_000), run(40_000));
}

#[test]
fn a_proof_finds_violations() {
    let text = format!(
        "seed: 5\n{WORLD}{}",
        r#"
lesson:
  id: test
  teaches: [plan restart]
  needs: [missing]
  allowed: [plan restart]
  predict:
    - id: q
      options:
        - {id: a, when: "deploy=COMPLETE at 1m"}
        - {id: b, when: "deploy=ERROR at 1m", right: true}
  goal: [{id: done, check: "deploy=COMPLETE by 1m"}]
  hints: 0
  solution:
    - {at: 5s, do: {kind: pod, service: web, pod: web-0, op: restart}}
  also:
    - - {at: 5s, do: {kind: plan, service: web, plan: deploy, op: stop}}
  naive:
    - {fails: done, play: []}
"#
    );
    let parsed = parse(&text, "l.planarium.yaml", &|_| None);
    let lesson = Arc::new(*parsed.lesson.expect("a lesson"));
    let proof = prove(&lesson, &[], &[], 0);
    for wanted in [
        "there are no texts",
        "there are no hints",
        "it needs a lesson `missing`",
        "a solution uses `pod restart`, which neither",
        "a route uses `pod restart`, which is not allowed",
        "seed 5: the solution: this lesson does not allow `pod restart`",
        "seed 5: route 1 of `also`: this lesson does not allow `plan stop`",
        "seed 5: route 1 of `naive` should lose `done` first: it passes",
        "seed 5: doing nothing should not pass: it passes",
        "prediction `q`: `a` is marked as wrong and comes true",
        "prediction `q`: `b` is marked as right and does not come true",
    ] {
        assert!(
            proof.findings.iter().any(|found| found.text.contains(wanted)),
            "{wanted}: {:#?}",
            proof.findings
        );
    }
    // Each finding is at the part that it is about.
    let lines: Vec<&str> = text.lines().collect();
    for (wanted, line, column) in [
        ("it needs a lesson", "  needs: [missing]", 11),
        ("a route uses", "    - {at: 5s, do: {kind: pod", 7),
        ("route 1 of `also`", "    - - {at: 5s", 9),
        ("route 1 of `naive`", "    - {fails", 7),
        ("doing nothing", "  goal:", 9),
        ("`a` is marked", "        - {id: a", 11),
    ] {
        let found = proof.findings.iter().find(|found| found.text.contains(wanted)).expect(wanted);
        let at = lines[found.line as usize - 1];
        assert!(at.starts_with(line) && found.column == column, "{wanted}: {found:?}: {at}");
    }
}

#[test]
fn texts_are_compared_with_the_names_of_the_lesson() {
    let lesson = lesson("deploy=COMPLETE by 1m", "", "");
    let read = |text: &str| parse_texts(text, "test.en.yaml");
    let whole = "title: T\nstory: S\nchecks: {goal: G}\nhints: [H]\ndone: D\n";
    assert_eq!(read(whole).texts.expect("texts").findings(&lesson), Vec::new());
    let found = |text: &str| read(text).texts.expect("texts").findings(&lesson);
    let other = "title: T\nchecks: {gaol: G}\nhints: []\ndone: D\npredict: {q: {ask: A}}\n";
    assert_eq!(
        found(other),
        [
            (1, 1, "there is no `story`"),
            (2, 9, "there is no text for check `goal`"),
            (2, 10, "there is no check `gaol`"),
            (5, 11, "there is no prediction `q`"),
            (3, 8, "0 hints, the lesson has 1"),
        ]
        .map(|(line, column, text)| (Position { line, column }, text.to_owned()))
    );
    for wrong in ["", "- 1", "titel: T", "title: [T]", "hints: H", "checks: [a]"] {
        let parsed = read(wrong);
        assert!(parsed.texts.is_none() && !parsed.diagnostics.is_empty(), "{wrong}");
    }
}

#[test]
fn the_schema_and_the_reader_have_the_same_keys() {
    let schema: serde_json::Value = serde_json::from_str(SCHEMA).expect("JSON");
    let keys = |at: &str| {
        let of = schema.pointer(&format!("{at}/properties")).and_then(|keys| keys.as_object());
        let mut keys: Vec<String> = of.unwrap_or_else(|| panic!("{at}")).keys().cloned().collect();
        keys.sort();
        keys
    };
    let known = |keys: &[&str]| {
        let mut keys: Vec<String> = keys.iter().map(|key| (*key).to_owned()).collect();
        keys.sort();
        keys
    };
    for (at, wanted) in [
        ("/$defs/lesson", read::KEYS),
        ("/$defs/lesson/properties/naive/items", read::NAIVE_KEYS),
        ("/$defs/lesson/properties/serving/items", read::SERVING_KEYS),
        ("/$defs/prediction", read::QUESTION_KEYS),
        ("/$defs/prediction/properties/options/items", read::OPTION_KEYS),
        ("/$defs/namedCheck", read::CHECK_KEYS),
        ("/$defs/route/items", script::KEYS),
        ("/$defs/texts", texts::KEYS),
        ("/$defs/texts/properties/predict/additionalProperties", texts::QUESTION_KEYS),
    ] {
        assert_eq!(keys(at), known(wanted), "{at}");
    }
}

#[test]
fn causes_are_named_once_and_a_wait_by_its_target() {
    let never = "fewer than 3 available of web after deploy=COMPLETE";
    let mut attempt = Attempt::start(&lesson("deploy=COMPLETE at 3m", never, ""), None);
    attempt.advance_to(40_000);
    let all = input(r#"{"kind": "plan", "service": "web", "plan": "deploy", "op": "restart"}"#);
    attempt.command(all).expect("allowed").outcome.expect("taken");
    attempt.advance_to(80_000);
    let lost = account(&attempt, "never");
    assert_eq!(lost.because, ["web-0-server was stopped by `plan restart web/deploy`"], "the plan is serial");

    // A stuck rollout is reported by its step.
    let script = "script: [{at: 1s, do: {kind: plan, service: web, plan: deploy, op: interrupt}}]\n";
    let mut attempt = Attempt::start(&lesson("at least 3 available of web by 1m", "", script), None);
    attempt.advance_to(80_000);
    let lost = account(&attempt, "goal");
    let [because] = lost.because.as_slice() else { panic!("{:?}", lost.because) };
    assert!(
        because.starts_with("web-") && because.contains("an operator interrupted plan deploy"),
        "{because}"
    );
    assert_eq!(lost.back.at_ms, 999, "before the input that the lesson gave by itself");

    // The way back from a missed deadline leads to the learner's last input, which is later.
    let mut attempt = Attempt::start(&lesson("at least 3 available of web by 1m", "", script), None);
    attempt.advance_to(30_000);
    attempt.command(restart("web-0")).expect("allowed").outcome.expect("taken");
    attempt.advance_to(80_000);
    assert_eq!(account(&attempt, "goal").back.at_ms, 30_000);
}

#[test]
fn running_instances_that_are_not_ready_are_named() {
    let text = WORLD
        .replace("memory: 256}", "memory: 256, readiness-check: {cmd: ./ping, interval: 5, timeout: 5}}");
    let text = text.replace("start_ms: 5000", "start_ms: 1000, readiness: [1]");
    let text = format!(
        "seed: 5\n{text}{}",
        BLOCK
            .replace("GOAL", "{id: goal, check: \"at least 1 available of web by 1m\"}")
            .replace("NEVER", "")
    );
    let parsed = parse(&text, "l.planarium.yaml", &|_| None);
    let mut attempt = Attempt::start(&Arc::new(*parsed.lesson.expect("a lesson")), None);
    attempt.advance_to(80_000);
    let lost = account(&attempt, "goal");
    assert_eq!(lost.nearest, "at least 1 needed of web, 0 available");
    assert_eq!(lost.because, ["web-0-server is not ready"]);
    assert!(lost.chain.first().is_some_and(|link| link.text.contains("web-0-server")), "{:?}", lost.chain);
}
