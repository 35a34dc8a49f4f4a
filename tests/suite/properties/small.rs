//! A small service with a few commands and faults, drawn often enough to meet one another.

use crate::checks::{Revisions, config, cut_alike, read, shown, wrong};
use planarium_tests::same::difference;
use planarium_world::{Engine, Genesis, Journal};
use proptest::prelude::*;
use serde_json::{Value, json};

const SERVICE: &str = "name: small
pods:
  app:
    count: 2
    tasks:
      server:
        goal: RUNNING
        cmd: ./app
        cpus: 0.5
        memory: 64
        ports: {http: {port: 0}}
        readiness-check: {cmd: ./ready, interval: 2, timeout: 1}
      helper: {goal: RUNNING, essential: false, cmd: ./helper, cpus: 0.1, memory: 32}
  job:
    count: 1
    tasks:
      once: {goal: ONCE, cmd: ./once, cpus: 0.2, memory: 32}
      node:
        goal: RUNNING
        cmd: ./node
        cpus: 0.2
        memory: 32
        volume: {path: data, type: ROOT, size: 100}
plans:
  deploy:
    strategy: parallel
    phases:
      app: {strategy: canary, pod: app}
      job:
        strategy: serial
        pod: job
        steps:
          - default: [[once], [node]]
  again:
    strategy: serial
    phases:
      again:
        strategy: parallel
        pod: job
        steps:
          - default: [[once]]
";

/// The same after an edit: more instances, another command.
fn edited() -> String {
    SERVICE.replacen("count: 2", "count: 3", 1).replacen("./node", "./node --fast", 1)
}

/// One thing done to an engine.
#[derive(Clone, Debug)]
pub(crate) enum Op {
    Put(Value),
    Advance(u64),
    Events(u64),
    Seek(u8),
    Head,
}

fn plan_command() -> impl Strategy<Value = Value> {
    let op = prop::sample::select(vec![
        "start",
        "stop",
        "interrupt",
        "continue",
        "continue",
        "restart",
        "force-complete",
    ]);
    let place = prop::sample::select(vec![
        ("deploy", None, None),
        ("deploy", Some("app"), None),
        ("deploy", Some("job"), None),
        ("deploy", Some("app"), Some("app-0:[server, helper]")),
        ("deploy", Some("job"), Some("job-0:[node]")),
        ("again", None, None),
        ("again", Some("again"), Some("job-0:[once]")),
        ("recovery", None, None),
        ("recovery", Some("app-1:[server, helper]"), None),
        ("nothing", None, None),
    ]);
    (op, place).prop_map(|(op, (plan, phase, step))| {
        let mut input = json!({ "kind": "plan", "service": "small", "plan": plan, "op": op });
        for (key, value) in [("phase", phase), ("step", step)] {
            if let Some(value) = value {
                input[key] = json!(value);
            }
        }
        input
    })
}

fn fault() -> impl Strategy<Value = Value> {
    let kind = prop::sample::select(vec![
        "task-fail",
        "task-kill",
        "task-oom",
        "crash-loop",
        "slow-start",
        "hang",
        "readiness-fail",
        "health-fail",
        "image-missing",
        "agent-lost",
        "agent-partitioned",
        "agent-restart",
        "agent-full",
        "offers-withheld",
        "status-dropped",
        "scheduler-restart",
        "master-failover",
    ]);
    let target = prop::sample::select(vec![
        json!({ "pod": "app" }),
        json!({ "task": "app-0-server" }),
        json!({ "pod": "job-0" }),
        json!({ "task": "*" }),
        json!({ "agent": "agent-1" }),
        json!({ "service": "small" }),
        json!({}),
    ]);
    (kind, target, prop::option::of(1_000_u64..90_000), prop::option::of(1_u32..3)).prop_map(
        |(fault, target, for_ms, count)| {
            if fault == "master-failover" {
                return json!({ "kind": "fault", "fault": fault });
            }
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

fn status() -> impl Strategy<Value = Value> {
    let task = prop::sample::select(vec![
        "app-0-server",
        "app-1-server",
        "app-0-helper",
        "job-0-once",
        "job-0-node",
    ]);
    let state = prop::sample::select(vec![
        "TASK_STARTING",
        "TASK_RUNNING",
        "TASK_FINISHED",
        "TASK_FAILED",
        "TASK_KILLED",
        "TASK_LOST",
        "TASK_GONE_BY_OPERATOR",
        "TASK_NONSENSE",
    ]);
    (task, state, prop::option::of(0_i32..2)).prop_map(|(task, state, exit)| {
        let mut input = json!({ "kind": "task-status", "task": task, "state": state });
        if let Some(exit) = exit {
            input["readiness_exit"] = json!(exit);
        }
        input
    })
}

fn input() -> impl Strategy<Value = Value> {
    let pods = prop::sample::select(vec!["app-0", "app-1", "job-0", "none-0"]);
    let pod_ops = prop::sample::select(vec!["restart", "replace"]);
    let behaviours = prop::sample::select(vec![
        json!({ "manual": true }),
        json!({ "start_ms": 1 }),
        json!({ "readiness": [1, 1, 0] }),
        json!({ "exit_code": 1, "exit_after_ms": 5000 }),
        json!({}),
    ]);
    let service = |kind: &str, text: &str| json!({ "kind": kind, "dialect": "sdk", "name": "small", "files": { "svc.yml": text } });
    prop_oneof![
        6 => plan_command(),
        4 => fault(),
        3 => status(),
        3 => (pods, pod_ops).prop_map(|(pod, op)| json!({ "kind": "pod", "service": "small", "pod": pod, "op": op })),
        1 => behaviours.prop_map(|behaviour| json!({ "kind": "process-behaviour", "target": {}, "behaviour": behaviour })),
        1 => Just(json!({ "kind": "offer-round" })),
        1 => Just(json!({ "kind": "offer-round", "agents": ["agent-2"] })),
        1 => (1_u32..3).prop_map(|count| json!({ "kind": "add-agent", "count": count, "resources": { "cpus": 1, "mem": 512, "disk": 2000, "ports": "[1025-1030]" } })),
        1 => Just(json!({ "kind": "remove-agent", "agent": "agent-1" })),
        2 => (1_u32..5).prop_map(|n| json!({ "kind": "clear-fault", "id": format!("fault-{n}") })),
        1 => Just(service("update-service", &edited())),
        1 => Just(service("update-service", SERVICE)),
        1 => Just(service("update-service", "pods: [")),
        1 => Just(service("load-service", SERVICE)),
        1 => Just(json!({ "kind": "remove-service", "name": "small", "force": true })),
    ]
}

fn ops() -> impl Strategy<Value = Vec<Op>> {
    let op = prop_oneof![
        6 => input().prop_map(Op::Put),
        4 => (1_u64..20_000).prop_map(Op::Advance),
        1 => (20_000_u64..400_000).prop_map(Op::Advance),
        2 => (1_u64..20).prop_map(Op::Events),
        1 => any::<u8>().prop_map(Op::Seek),
        1 => Just(Op::Head),
    ];
    prop::collection::vec(op, 1..24)
}

fn engine(seed: u64) -> Engine {
    let mut engine = Engine::new(Genesis { seed, ..Genesis::default() });
    let machines = json!({ "kind": "add-agent", "count": 2, "resources": { "cpus": 2, "mem": 1024, "disk": 5000, "ports": "[1025-1040]" } });
    let load = json!({ "kind": "load-service", "dialect": "sdk", "files": { "svc.yml": SERVICE } });
    for input in [machines, load] {
        engine.apply(read(&input)).outcome.expect("the set-up");
    }
    engine
}

/// Carries out one operation; a refused one changes nothing.
pub(crate) fn apply(engine: &mut Engine, op: &Op) -> Result<(), TestCaseError> {
    match op {
        Op::Put(input) => {
            let before = shown(engine);
            let applied = engine.apply(read(input));
            if applied.outcome.is_err() {
                prop_assert_eq!(
                    difference(&shown(engine), &before),
                    None,
                    "{} was refused and changed something",
                    input
                );
            }
        }
        Op::Advance(ms) => {
            engine.advance_for(*ms);
        }
        Op::Events(n) => {
            engine.advance_events(*n);
        }
        Op::Seek(share) => engine.seek_ms(engine.head_ms() * u64::from(*share) / 255),
        Op::Head => engine.seek_ms(engine.head_ms()),
    }
    Ok(())
}

#[test]
fn an_input_after_a_step_without_events_is_replayed_after_it() {
    let mut engine = engine(0);
    let lost = json!({ "kind": "fault", "fault": "agent-lost", "target": {} });
    let start = json!({ "kind": "plan", "service": "small", "plan": "deploy", "op": "start" });
    let machine = json!({ "kind": "add-agent", "count": 1, "resources": { "cpus": 1, "mem": 512, "disk": 2000, "ports": "[1025-1030]" } });
    for (ms, input) in [(0, start), (8_793, lost)] {
        engine.advance_to(ms);
        engine.apply(read(&input)).outcome.expect("carried out");
    }
    // Both machines are gone: it stops when nothing more would happen, with work of the instant left over.
    assert!(engine.advance_events(12).idle);
    engine.apply(read(&machine)).outcome.expect("carried out");
    let quiet = engine.journal().entries.last().map(|entry| entry.after_quiet);
    assert_eq!(quiet, Some(1), "{:?}", engine.clock());
    // A journal may end there, too.
    for ms in [0, 1] {
        engine.advance_for(ms);
        let again = Engine::from_journal(&engine.journal()).expect("its own journal");
        assert_eq!((again.clock(), difference(&shown(&again), &shown(&engine))), (engine.clock(), None));
    }
}

#[test]
fn a_reinstalled_service_continues_its_revisions() {
    let mut engine = engine(0);
    engine.advance_to(60_000);
    // Views without an event raise revisions beyond the number of events.
    for _ in 0..200 {
        let round = read(&json!({ "kind": "offer-round" }));
        engine.apply(round).outcome.expect("carried out");
    }
    let newest = |engine: &Engine| engine.view().services.first().map(|service| service.revision);
    let before = newest(&engine);
    let remove = json!({ "kind": "remove-service", "name": "small", "force": true });
    let load = json!({ "kind": "load-service", "dialect": "sdk", "files": { "svc.yml": SERVICE } });
    for input in [remove, load] {
        engine.apply(read(&input)).outcome.expect("carried out");
    }
    let after = newest(&engine);
    assert!(after > before, "{before:?} {after:?}");
    let plan = engine.view().services.first().and_then(|service| Some(service.plans.first()?.revision));
    assert!(plan > before, "{before:?} {plan:?}");
}

proptest! {
    #![proptest_config(config(128))]

    #[test]
    fn the_world_stays_consistent_after_any_inputs(seed in 0_u64..1000, ops in ops()) {
        let mut engine = engine(seed);
        let mut revisions = Revisions::default();
        for op in &ops {
            apply(&mut engine, op)?;
            prop_assert_eq!(wrong(&engine), None, "after {:?}", op);
            prop_assert_eq!(revisions.note(&engine), None, "after {:?}", op);
        }
        // The journal, through JSON, leads to the same place.
        let head = engine.head_ms();
        engine.seek_ms(head);
        let text = serde_json::to_string(&engine.journal()).expect("JSON");
        let journal: Journal = serde_json::from_str(&text).expect("a journal");
        let again = Engine::from_journal(&journal).map_err(|error| TestCaseError::fail(error.to_string()))?;
        prop_assert_eq!(again.digest(), engine.digest());
        prop_assert_eq!(again.seq(), engine.seq());
        prop_assert_eq!(difference(&shown(&again), &shown(&engine)), None);
    }
}

proptest! {
    #![proptest_config(config(64))]

    #[test]
    fn splitting_an_advance_changes_nothing(
        seed in 0_u64..1000,
        inputs in prop::collection::vec((1_u64..60_000, input()), 1..8),
        cuts in prop::collection::vec(1_u64..9_000, 1..40),
    ) {
        cut_alike([engine(seed), engine(seed)], &inputs, &cuts)?;
    }

    #[test]
    fn seeking_back_and_forth_changes_nothing(
        seed in 0_u64..1000,
        inputs in prop::collection::vec((2_u64..30_000, input()), 1..6),
        places in prop::collection::vec(any::<u16>(), 1..8),
    ) {
        let mut engine = engine(seed);
        let mut marks = Vec::new();
        for (gap, input) in &inputs {
            engine.apply(read(input));
            // The mark lies between two inputs: what an instant shows includes the inputs put in at it.
            engine.advance_for(gap / 2);
            marks.push((engine.now_ms(), engine.digest(), shown(&engine)));
            engine.advance_for(gap - gap / 2);
        }
        let (head, digest, journal) = (engine.head_ms(), engine.digest(), engine.journal());
        for place in places {
            engine.seek_seq(engine.head_seq() * u64::from(place) / u64::from(u16::MAX));
            let mark = &marks[usize::from(place) % marks.len()];
            engine.seek_ms(mark.0);
            prop_assert_eq!(&engine.digest(), &mark.1, "at {} ms", mark.0);
            prop_assert_eq!(difference(&shown(&engine), &mark.2), None, "at {} ms", mark.0);
            prop_assert_eq!(wrong(&engine), None);
        }
        engine.seek_ms(head);
        prop_assert_eq!(engine.digest(), digest);
        prop_assert_eq!(engine.journal(), journal);
        prop_assert_eq!(engine.branches().len(), 1, "looking opens no branch");
    }
}
