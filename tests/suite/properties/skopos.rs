//! Skopos applications next to a service of another system: after any inputs and any changes of their files, the world stays
//! consistent, and every element explains why it is not finished.

use crate::checks::{Revisions, config, cut_alike, read, wrong};
use crate::small::{Op, apply};
use crate::texts::{change, changed, misplaced};
use planarium_protocol::Input;
use planarium_protocol::input::LoadService;
use planarium_tests::same::difference;
use planarium_world::{Engine, Genesis, Journal, check};
use proptest::prelude::*;
use proptest::sample::select;
use serde_json::{Value, json};
use std::collections::BTreeMap;

const PLAN: &str = "doctype: com.datagridsys.doctype/skopos/deploy-plan
version: alpha/1
steps:
- id: before
  class: group
  on_fail: fail
  steps:
  - { id: look, class: action, plugin: docker, action: image_check, arguments: { arg: 'acme/back:2.0' }, on_fail: fail }
  - { id: ask, class: manual-gate, message: 'Go on?', on_pass: 'next, warn', on_fail: 'fail, pause' }
- id: back
  class: component
  on_fail: 'next, info'
  steps:
  - id: fresh
    class: instance-loop
    selector: target
    on_fail: undo
    steps:
    - { id: make, class: action, plugin: docker, action: inst_create, arguments: { selector: new }, on_fail: fail }
    - { id: measure, class: action, exec: 'perf {{.id}} {{.vars.limit}}', selector: new, on_fail: fail }
  - { id: settle, class: delay, duration: 20, on_pass: 'next, pause' }
  - id: stale
    class: instance-loop
    selector: old
    on_pass: pass
    on_fail: fail
    steps:
    - { id: drop, class: action, plugin: docker, action: inst_destroy, arguments: { selector: old } }
  - id: undo
    class: instance-loop
    selector: new
    cleanup: true
    steps:
    - { id: away, class: action, plugin: docker, action: inst_destroy, arguments: { selector: new } }
- id: poll
  class: group
  steps:
  - { id: probe, class: action, exec: flaky, on_pass: pass, on_fail: again }
  - { id: again, class: delay, duration: 3, on_pass: probe }
";

const MODEL: &str = "doctype: com.datagridsys.doctype/skopos/model
version: 1
components:
  back: { image: 'acme/back:${TAG:-2.0}', replicas: 2 }
  db: { image: acme/db:9, singleton: true, uses: { back: {} } }
gateways:
  web: { type: load_balancer, target: [ back ] }
";

const ENV: &str = "core_plugin: docker
load_balancer_plugin: elb
vars: { limit: 250 }
simulation:
  instances:
    back: { image: acme/back:1.0, count: 2 }
    db: [ { image: acme/db:8 } ]
  scripts: { perf: { exit: 0, duration: 4 }, flaky: { exit: [1, 1, 0, 1] } }
  faults: [ { step: measure, attempt: 3, message: slow } ]
";

const STORE: &str = "name: store
pods:
  node:
    count: 2
    tasks:
      server: {goal: RUNNING, cmd: ./node, cpus: 0.5, memory: 64}
";

/// The application with or without its own plan, in this version.
fn load(kind: &str, plan: bool, tag: &str, options: &Value) -> Value {
    let mut files = json!({ "model.yaml": MODEL, "env.yaml": ENV });
    if plan {
        files["plan.yaml"] = PLAN.into();
    }
    json!({ "kind": kind, "dialect": "skopos", "name": "shop", "files": files, "env": { "TAG": tag }, "options": options })
}

fn definition() -> impl Strategy<Value = Value> {
    let options = select(vec![
        json!({}),
        json!({ "run": true }),
        json!({ "interactive": true, "run": true }),
        json!({ "replace_all": true }),
        json!({ "mode": "teardown", "run": true }),
        json!({ "mode": "none" }),
    ]);
    let kind = select(vec!["update-service", "update-service", "load-service"]);
    (kind, any::<bool>(), select(vec!["1.0", "2.0", "3.0"]), options)
        .prop_map(|(kind, plan, tag, options)| load(kind, plan, tag, &options))
}

fn plan_command() -> impl Strategy<Value = Value> {
    let op = select(vec![
        "start",
        "start",
        "interrupt",
        "continue",
        "continue",
        "stop",
        "restart",
        "force-complete",
    ]);
    let place = select(vec![
        ("deploy", None, None),
        ("deploy", None, None),
        ("deploy", None, None),
        ("deploy", Some("before"), Some("ask")),
        ("deploy", Some("back"), Some("settle")),
        ("deploy", Some("back"), None),
        ("other", None, None),
    ]);
    (op, place).prop_map(|(op, (plan, phase, step))| {
        let mut input =
            json!({ "kind": "plan", "dialect": "skopos", "service": "shop", "plan": plan, "op": op });
        for (key, value) in [("phase", phase), ("step", step)] {
            if let Some(value) = value {
                input[key] = json!(value);
            }
        }
        input
    })
}

fn call() -> impl Strategy<Value = Value> {
    let what = select(vec![
        ("start", json!({ "paused": true })),
        ("start", json!({ "interactive": true })),
        ("pause", Value::Null),
        ("resume", Value::Null),
        ("step", Value::Null),
        ("abandon", Value::Null),
        ("reset", Value::Null),
        ("gate-pass", Value::Null),
        ("gate-fail", json!({ "step": "ask" })),
        ("gates/ask", json!({ "result": "pass" })),
        ("gates/ask", json!({ "result": "pass" })),
        ("gates/make", json!({ "result": "fail" })),
        ("gates/%zz", json!([])),
        ("nothing", json!(7)),
    ]);
    (select(vec!["shop", "shop", "shop", "nobody"]), what).prop_map(|(name, (path, body))| {
        json!({ "kind": "call", "method": "POST", "path": format!("/skopos/v1/{name}/{path}"), "body": body })
    })
}

fn fault() -> impl Strategy<Value = Value> {
    let what = select(vec![
        ("plugin-fail", json!({ "action": "inst_create" })),
        ("plugin-fail", json!({ "plugin": "docker", "service": "shop" })),
        ("plugin-fail", json!({ "step": "measure" })),
        ("agent-lost", json!({ "agent": "m-1" })),
        ("agent-partitioned", json!({ "agent": "m-2" })),
        ("agent-restart", json!({ "agent": "m-1" })),
        ("agent-full", json!({})),
        ("task-fail", json!({ "service": "shop" })),
        ("task-kill", json!({ "pod": "back-n0" })),
        ("task-oom", json!({ "task": "*" })),
        ("crash-loop", json!({ "pod": "back" })),
        ("slow-start", json!({ "service": "shop" })),
        ("hang", json!({ "pod": "back" })),
        ("readiness-fail", json!({ "service": "shop" })),
        ("image-missing", json!({})),
        ("scheduler-restart", json!({ "service": "shop" })),
    ]);
    (what, prop::option::of(1_000_u64..60_000), prop::option::of(1_u32..3)).prop_map(
        |((fault, target), for_ms, count)| {
            let mut input = json!({ "kind": "fault", "fault": fault, "target": target });
            if let Some(ms) = for_ms {
                input["for_ms"] = json!(ms);
            }
            if let Some(count) = count {
                input["count"] = json!(count);
            }
            input
        },
    )
}

fn input() -> impl Strategy<Value = Value> {
    let status = (
        select(vec!["back-n0", "back-n1", "back-o0", "db-o0"]),
        select(vec!["TASK_RUNNING", "TASK_FAILED", "TASK_FINISHED", "TASK_LOST", "TASK_NONSENSE"]),
    );
    let behaviours = select(vec![
        json!({ "manual": true }),
        json!({ "start_ms": 9_000 }),
        json!({ "readiness": [1, 1, 0] }),
        json!({ "exit_code": 1, "exit_after_ms": 5_000 }),
        json!({}),
    ]);
    let machines = |op: &str| json!({ "kind": "maintenance", "op": op, "body": [{ "hostname": "m-2", "ip": "10.0.0.2" }] });
    let window = json!({ "kind": "maintenance", "op": "schedule", "body": { "windows": [
        { "machine_ids": [{ "hostname": "m-2", "ip": "10.0.0.2" }], "unavailability": { "start": { "in_ms": 30_000 } } } ] } });
    prop_oneof![
        8 => plan_command(),
        8 => call(),
        6 => fault(),
        3 => definition(),
        2 => status.prop_map(|(task, state)| json!({ "kind": "task-status", "task": task, "state": state })),
        1 => behaviours.prop_map(|behaviour| json!({ "kind": "process-behaviour", "target": { "service": "shop" }, "behaviour": behaviour })),
        1 => select(vec![machines("down"), machines("up"), window]),
        2 => (1_u32..5).prop_map(|n| json!({ "kind": "clear-fault", "id": format!("fault-{n}") })),
        1 => Just(json!({ "kind": "remove-agent", "agent": "m-1" })),
        1 => Just(json!({ "kind": "add-agent", "count": 1, "hostname": "m-{n}", "resources": { "cpus": 1, "mem": 512, "disk": 2000, "ports": "[1025-1030]" } })),
        1 => any::<bool>().prop_map(|force| json!({ "kind": "remove-service", "name": "shop", "force": force })),
        1 => Just(json!({ "kind": "pod", "service": "shop", "pod": "back-n0", "op": "restart" })),
    ]
}

fn ops() -> impl Strategy<Value = Vec<Op>> {
    let op = prop_oneof![
        6 => input().prop_map(Op::Put),
        4 => (1_u64..15_000).prop_map(Op::Advance),
        1 => (20_000_u64..400_000).prop_map(Op::Advance),
        2 => (1_u64..20).prop_map(Op::Events),
        1 => any::<u8>().prop_map(Op::Seek),
        1 => Just(Op::Head),
    ];
    prop::collection::vec(op, 1..24)
}

/// Machines with a service of another system and the application, whose plan runs.
fn engine(seed: u64) -> Engine {
    let mut engine = Engine::new(Genesis { seed, ..Genesis::default() });
    let machines = json!({ "kind": "add-agent", "count": 2, "hostname": "m-{n}", "ip": "10.0.0.{n}",
        "resources": { "cpus": 2, "mem": 1024, "disk": 5000, "ports": "[1025-1040]" } });
    let store = json!({ "kind": "load-service", "dialect": "sdk", "files": { "svc.yml": STORE } });
    for input in [machines, store, load("load-service", true, "2.0", &json!({ "run": true }))] {
        engine.apply(read(&input)).outcome.expect("the set-up");
    }
    engine
}

proptest! {
    #![proptest_config(config(64))]

    #[test]
    fn an_application_stays_consistent_after_any_inputs(seed in 0_u64..1000, ops in ops()) {
        let mut engine = engine(seed);
        let mut revisions = Revisions::default();
        for op in &ops {
            apply(&mut engine, op)?;
            prop_assert_eq!(wrong(&engine), None, "after {:?}", op);
            if matches!(op, Op::Put(input) if input["kind"] == "remove-service" || input["kind"] == "load-service") {
                revisions = Revisions::default();
            }
            prop_assert_eq!(revisions.note(&engine), None, "after {:?}", op);
        }
        engine.seek_ms(engine.head_ms());
        let text = serde_json::to_string(&engine.journal()).expect("JSON");
        let journal: Journal = serde_json::from_str(&text).expect("a journal");
        let again = Engine::from_journal(&journal).map_err(|error| TestCaseError::fail(error.to_string()))?;
        prop_assert_eq!(again.digest(), engine.digest());
        prop_assert_eq!(difference(&crate::checks::shown(&again), &crate::checks::shown(&engine)), None);
    }

    #[test]
    fn splitting_an_advance_does_not_change_an_application(
        seed in 0_u64..1000,
        inputs in prop::collection::vec((1_u64..40_000, input()), 1..8),
        cuts in prop::collection::vec(1_u64..9_000, 1..40),
    ) {
        cut_alike([engine(seed), engine(seed)], &inputs, &cuts)?;
    }
}

/// Definitions that are changed: those of the gallery, and the one above.
fn bases() -> Vec<BTreeMap<String, String>> {
    let own = [("plan.yaml", PLAN), ("model.yaml", MODEL), ("env.yaml", ENV)];
    let mut all = vec![own.map(|(path, text)| (path.to_owned(), text.to_owned())).into()];
    for example in planarium_gallery::examples().iter().filter(|example| example.dialect == "skopos") {
        let files = example.files.iter().filter(|(path, _)| path.strip_suffix(".yaml").is_some());
        all.push(files.map(|(path, text)| ((*path).to_owned(), (*text).to_owned())).collect());
    }
    all
}

/// Replacements for words in a plan, a model or an environment.
const WORDS: &[(&str, &str)] = &[
    ("selector: new", "selector: \"{{.vars.which}}\""),
    ("selector: target", "target_num: 4000000000"),
    ("on_fail", "onfail"),
    ("on_fail: fail", "on_fail: fail, pause"),
    ("class: group", "class: instance-loop"),
    ("class: delay", "class: action"),
    ("plugin: docker", "plugin: dcoker"),
    ("doctype: com.datagridsys.doctype/skopos/deploy-plan", "doctype: com.datagridsys.doctype/skopos/model"),
    ("version: alpha/1", "version: 1"),
    ("replicas: 2", "replicas: ${COUNT}"),
    ("replicas: 2", "replicas: -1"),
    ("exec:", "exec: [\"\", {{.x}}] #"),
    ("arguments:", "arguments: &a [*a] #"),
    ("cleanup: true", "cleanup: \"true\""),
    ("duration: 20", "duration: 1e9"),
    ("- { id", "-\t{ id"),
];

proptest! {
    #![proptest_config(config(48))]

    #[test]
    fn a_nearly_valid_application_is_run_or_refused_with_a_position(
        base in any::<prop::sample::Index>(),
        file in any::<prop::sample::Index>(),
        changes in prop::collection::vec(change(), 0..4),
        word in prop::option::of(select(WORDS)),
        run in any::<bool>(),
    ) {
        let mut files = base.get(&bases()).clone();
        let names: Vec<String> = files.keys().cloned().collect();
        if let Some(text) = files.get_mut(file.get(&names)) {
            if let Some((from, to)) = word {
                *text = text.replacen(from, to, 1);
            }
            for change in &changes {
                *text = changed(text, change);
            }
        }
        let load = LoadService {
            dialect: "skopos".to_owned(),
            name: "shop".to_owned(),
            files,
            env: BTreeMap::from([("TAG".to_owned(), "2.0".to_owned())]),
            options: json!({ "run": run }),
            ..LoadService::default()
        };
        let report = check(&load);
        prop_assert_eq!(misplaced(&report, &load), None);
        prop_assert_eq!(report.preview.is_none(), report.has_errors(), "{:?}", report.diagnostics);
        let mut engine = Engine::new(Genesis::default());
        engine.apply(read(&json!({ "kind": "add-agent", "count": 2, "resources": { "cpus": 2, "mem": 1024, "disk": 5000, "ports": "[1025-1040]" } })))
            .outcome.expect("machines");
        let accepted = engine.apply(Input::LoadService(load)).outcome.is_ok();
        prop_assert_eq!(accepted, !report.has_errors(), "{:?}", report.diagnostics);
        prop_assert_eq!(wrong(&engine), None);
        engine.advance_for(600_000);
        prop_assert_eq!(engine.now_ms(), 600_000);
        prop_assert_eq!(wrong(&engine), None);
    }
}
