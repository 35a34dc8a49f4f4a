//! A real definition on a simulated cluster, end to end.

#![expect(clippy::expect_used, reason = "helpers of tests")]

mod common;

use common::{
    HELLO, accept, assert_same, difference, input, load, outline, shown, stand, walk, with_cluster,
    with_service,
};
use planarium_protocol::event::ElementPath;
use planarium_protocol::refusal::RefusalCode;
use planarium_protocol::{EventBody, Input};
use planarium_world::{Condition, Engine, check, element_status};
use std::sync::{Arc, Weak};

const MINUTES: u64 = 60_000;

fn deployed() -> Engine {
    let mut engine = with_service(HELLO);
    let advanced = engine.run_until(&Condition::parse("deploy=COMPLETE").expect("a condition"), 30 * MINUTES);
    assert!(advanced.met, "{advanced:?}\n{:#?}", outline(engine.events()));
    engine
}

fn status(engine: &Engine, element: &str) -> String {
    let view = engine.view();
    element_status(&view.services, element).map_or_else(|| "absent".to_owned(), ToString::to_string)
}

#[test]
fn a_definition_rolls_out() {
    let mut engine = with_service(HELLO);
    // The plan exists at once, and nothing has run.
    assert_eq!(status(&engine, "deploy"), "PENDING");
    let view = engine.view();
    let service = view.services.first().expect("installed");
    assert_eq!((&*service.name, &*service.dialect), ("hello-world", "sdk"));
    assert!(!engine.idle());

    let advanced =
        engine.run_until(&Condition::parse("hello-world/deploy=COMPLETE").expect("parses"), 30 * MINUTES);
    assert!(advanced.met && !advanced.limit_reached, "{advanced:?}\n{:#?}", outline(engine.events()));
    assert_eq!(status(&engine, "deploy/world"), "COMPLETE");
    let first = walk(&engine, "deploy", Some("hello"), Some("hello-0:[server]"));
    assert_eq!(first.last().map(String::as_str), Some("COMPLETE"), "{first:?}");
    assert_eq!(first.first().map(String::as_str), Some("STARTING"), "{first:?}");

    let advanced = engine.advance_until_idle(60 * MINUTES);
    assert!(advanced.idle && advanced.met, "{advanced:?}\n{:#?}", outline(engine.events()));
    // Tasks run on machines, and their resources are counted.
    let view = engine.view();
    let running: usize = view.cluster.machines.iter().map(|machine| machine.tasks.len()).sum();
    assert_eq!(running, 3, "{:#?}", view.cluster);
    // Idle means that hours pass without a change.
    let (services, seq) = (shown(&view.services), engine.seq());
    engine.advance_for(5 * 60 * MINUTES);
    let changed = difference(&shown(&engine.view().services), &services);
    assert_eq!(changed, None, "{:#?}", outline(engine.events_since(seq)));
}

#[test]
fn every_event_has_an_earlier_cause() {
    let engine = deployed();
    for event in engine.all_events() {
        match event.cause {
            planarium_kernel::Cause::Genesis => panic!("{event:?} has no cause"),
            planarium_kernel::Cause::Input(input) => assert!(input <= engine.inputs(), "{event:?}"),
            planarium_kernel::Cause::Event(seq) => assert!(seq < event.seq, "{event:?}"),
        }
    }
}

#[test]
fn a_rollout_replays_seeks_and_branches() {
    let mut engine = deployed();
    let end = stand(&engine);
    let replayed = Engine::from_journal(&engine.journal()).expect("same digests");
    assert_same(&end, &stand(&replayed), "replay");

    let step = engine.head_ms() / 17 + 1;
    let mut seen = Vec::new();
    let mut at_ms = 0;
    while at_ms < engine.head_ms() {
        engine.seek_ms(at_ms);
        seen.push(stand(&engine));
        at_ms += step;
    }
    for before in seen.iter().rev() {
        engine.seek_ms(before.now_ms);
        assert_same(before, &stand(&engine), "seen before");
    }
    for seq in [1, 5, end.events.len() as u64 / 2, end.events.len() as u64] {
        engine.seek_seq(seq);
        let there = stand(&engine);
        engine.seek_ms(u64::MAX);
        engine.seek_seq(seq);
        assert_same(&there, &stand(&engine), "after an event");
    }
    engine.seek_ms(end.now_ms / 2);
    accept(&mut engine, input(r#"{"kind":"plan","service":"hello-world","plan":"deploy","op":"interrupt"}"#));
    engine.advance_for(10 * MINUTES);
    assert_ne!(status(&engine, "deploy"), "COMPLETE");
    assert!(engine.switch_branch(1));
    engine.seek_ms(u64::MAX);
    assert_same(&end, &stand(&engine), "the original");
}

#[test]
fn splitting_an_advance_changes_nothing_for_services() {
    let whole = deployed();
    let mut engine = with_service(HELLO);
    let mut piece = 1;
    while engine.now_ms() < whole.now_ms() {
        piece = piece * 7 % 1_013 + 1;
        engine.advance_to((engine.now_ms() + piece).min(whole.now_ms()));
    }
    let mut whole = whole;
    whole.advance_for(0);
    assert_same(&stand(&whole), &stand(&engine), "pieces");
}

#[test]
fn a_definition_with_errors_is_refused_and_the_last_valid_one_stays() {
    let mut engine = deployed();
    let before = engine.view();
    let broken = HELLO.replace("count: 2", "count: -2");
    let Input::LoadService(mut update) = load(&broken) else { panic!("a load") };
    update.name = "hello-world".to_owned();
    let applied = engine.apply(Input::UpdateService(update));
    assert_eq!(applied.outcome.expect_err("an error").code, RefusalCode::InvalidDefinition);
    assert!(!applied.diagnostics.is_empty());
    assert_eq!(applied.diagnostics[0]["file"], "svc.yml", "{:?}", applied.diagnostics);
    assert_eq!(engine.view().services, before.services);
    assert_eq!(engine.view().cluster, before.cluster);

    let twice = engine.apply(load(HELLO));
    assert_eq!(twice.outcome.expect_err("there is one").code, RefusalCode::Conflict);
}

#[test]
fn commands_reach_their_service() {
    let mut engine = with_service(HELLO);
    accept(&mut engine, input(r#"{"kind":"plan","service":"hello-world","plan":"deploy","op":"interrupt"}"#));
    engine.advance_for(5 * MINUTES);
    assert_eq!(status(&engine, "deploy"), "WAITING");
    let why = engine
        .why(&ElementPath {
            dialect: "".into(),
            service: "hello-world".into(),
            plan: "deploy".into(),
            phase: None,
            step: None,
        })
        .expect("an element");
    assert!(!why.reasons.is_empty(), "{why:?}");
    let again =
        engine.apply(input(r#"{"kind":"plan","service":"hello-world","plan":"deploy","op":"interrupt"}"#));
    assert_eq!(again.outcome.expect_err("held already").code, RefusalCode::AlreadyDone);
    accept(&mut engine, input(r#"{"kind":"plan","service":"/hello-world","plan":"deploy","op":"continue"}"#));
    let done = engine.run_until(&Condition::parse("deploy=COMPLETE").expect("parses"), 30 * MINUTES);
    assert!(done.met, "{:#?}", outline(engine.events()));

    let ask = |path: &str| {
        let request = planarium_part::Request::new("GET", path, "");
        let segments = request.segments();
        let parts: Vec<&str> = segments.iter().map(String::as_str).collect();
        match engine.world().wire(&request, &parts) {
            Some((_, planarium_part::Wire::Answer(answer))) => answer,
            _ => panic!("{path} is answered at once"),
        }
    };
    let answer = ask("/v1/plans");
    let body: serde_json::Value = serde_json::from_slice(&answer.body).expect("JSON");
    assert_eq!(answer.status, 200);
    assert!(body.as_array().is_some_and(|names| names.iter().any(|name| name == "deploy")), "{body}");
    assert_eq!(ask("/service/other/v1/plans").status, 404);
}

#[test]
fn a_failed_task_is_recovered() {
    let mut engine = deployed();
    engine.advance_until_idle(60 * MINUTES);
    accept(&mut engine, input(r#"{"kind":"fault","fault":"task-fail","target":{"task":"hello-0-server"}}"#));
    let advanced = engine.advance_until_idle(60 * MINUTES);
    assert!(advanced.idle, "{:#?}", outline(engine.events()));
    let launches = engine
        .events()
        .iter()
        .filter(
            |event| matches!(&event.body, EventBody::Launched { task, .. } if &**task == "hello-0-server"),
        )
        .count();
    assert_eq!(launches, 2, "{:#?}", outline(engine.events()));
    assert_eq!(status(&engine, "deploy"), "COMPLETE");
    assert_eq!(status(&engine, "recovery"), "COMPLETE");
}

#[test]
fn a_scheduler_restart_keeps_running_tasks() {
    let mut engine = deployed();
    engine.advance_until_idle(60 * MINUTES);
    let tasks = |engine: &Engine| -> Vec<String> {
        let view = engine.view();
        view.cluster.machines.iter().flat_map(|m| m.tasks.iter().map(|task| task.id.to_string())).collect()
    };
    let before = tasks(&engine);
    accept(
        &mut engine,
        input(r#"{"kind":"fault","fault":"scheduler-restart","target":{"service":"hello-world"}}"#),
    );
    let advanced = engine.advance_until_idle(60 * MINUTES);
    assert!(advanced.idle, "{advanced:?}");
    assert_eq!(tasks(&engine), before);
    assert_eq!(status(&engine, "deploy"), "COMPLETE");
    let starts =
        engine.events().iter().filter(|e| matches!(e.body, EventBody::SchedulerStarted { .. })).count();
    assert_eq!(starts, 2, "{:#?}", outline(engine.events()));
}

/// Another master takes over: schedulers restart, agents register again, and tasks keep running.
#[test]
fn a_master_failover_keeps_running_tasks() {
    let mut engine = deployed();
    engine.advance_until_idle(60 * MINUTES);
    let tasks = |engine: &Engine| -> Vec<String> {
        let view = engine.view();
        view.cluster.machines.iter().flat_map(|m| m.tasks.iter().map(|task| task.id.to_string())).collect()
    };
    let before = tasks(&engine);
    assert!(!before.is_empty());
    let count = |engine: &Engine, what: &dyn Fn(&EventBody) -> bool| {
        engine.events().iter().filter(|event| what(&event.body)).count()
    };
    let launches = |engine: &Engine| count(engine, &|body| matches!(body, EventBody::Launched { .. }));
    let launched = launches(&engine);
    accept(&mut engine, input(r#"{"kind":"fault","fault":"master-failover"}"#));
    assert_eq!(tasks(&engine), [""; 0], "nobody knows them yet");
    let advanced = engine.advance_until_idle(60 * MINUTES);
    assert!(advanced.idle, "{advanced:?}");
    assert_eq!(tasks(&engine), before);
    for plan in ["deploy", "recovery"] {
        assert_eq!(status(&engine, plan), "COMPLETE", "{:#?}", outline(engine.events()));
    }
    let machines = engine.view().cluster.machines.len();
    assert_eq!(count(&engine, &|body| matches!(body, EventBody::SchedulerStarted { .. })), 2);
    assert_eq!(count(&engine, &|body| matches!(body, EventBody::AgentReregistered { .. })), machines);
    assert_eq!(launches(&engine), launched);
    // It can do its work as before.
    accept(&mut engine, input(r#"{"kind":"fault","fault":"task-fail","target":{"task":"hello-0-server"}}"#));
    assert!(engine.advance_until_idle(60 * MINUTES).idle);
    assert_eq!((tasks(&engine).len(), status(&engine, "recovery").as_str()), (before.len(), "COMPLETE"));
    let replayed = Engine::from_journal(&engine.journal()).expect("replays");
    assert_same(&stand(&engine), &stand(&replayed), "replay");
    for refused in [r#","for_ms":5"#, r#","count":1"#, r#","target":{"agent":"agent-1"}"#] {
        let fault = input(&format!(r#"{{"kind":"fault","fault":"master-failover"{refused}}}"#));
        assert!(engine.apply(fault).outcome.is_err(), "{refused}");
    }
}

#[test]
fn an_update_rolls_out_the_changed_pods() {
    let mut engine = deployed();
    let Input::LoadService(update) = load(&HELLO.replace("echo world", "echo earth")) else {
        panic!("a load")
    };
    accept(&mut engine, Input::UpdateService(update));
    assert_ne!(status(&engine, "deploy"), "COMPLETE");
    let done = engine.run_until(&Condition::parse("deploy=COMPLETE").expect("parses"), 60 * MINUTES);
    assert!(done.met, "{:#?}", outline(engine.events()));
    let launches = |name: &str| {
        engine
            .events()
            .iter()
            .filter(|event| matches!(&event.body, EventBody::Launched { task, .. } if &**task == name))
            .count()
    };
    assert_eq!(
        (launches("hello-0-server"), launches("world-0-server"), launches("world-1-server")),
        (1, 2, 2)
    );
    let replayed = Engine::from_journal(&engine.journal()).expect("replays");
    assert_same(&stand(&engine), &stand(&replayed), "replay");
}

#[test]
fn a_dropped_service_leaves_no_tasks() {
    let mut engine = deployed();
    accept(&mut engine, input(r#"{"kind":"remove-service","name":"hello-world","force":true}"#));
    engine.advance_until_idle(10 * MINUTES);
    assert!(engine.view().services.is_empty());
    assert!(engine.view().cluster.machines.iter().all(|machine| machine.tasks.is_empty()));
    accept(&mut engine, load(HELLO));
    assert!(engine.run_until(&Condition::parse("deploy=COMPLETE").expect("parses"), 30 * MINUTES).met);
}

#[test]
fn offers_and_statuses_by_hand() {
    let mut engine = with_cluster("3");
    accept(&mut engine, input(r#"{"kind":"fault","fault":"offers-withheld","id":"by-hand"}"#));
    accept(&mut engine, input(r#"{"kind":"process-behaviour","behaviour":{"manual":true}}"#));
    accept(&mut engine, load(HELLO));
    engine.advance_for(10 * MINUTES);
    let step = "hello-world/deploy/hello/hello-0:[server]";
    assert_ne!(status(&engine, step), "STARTING", "{:#?}", outline(engine.events()));
    accept(&mut engine, input(r#"{"kind":"offer-round","agents":["agent-2"]}"#));
    assert_eq!(status(&engine, step), "STARTING", "{:#?}", outline(engine.events()));
    engine.advance_for(10 * MINUTES);
    assert_eq!(status(&engine, step), "STARTING");
    accept(&mut engine, input(r#"{"kind":"task-status","task":"hello-0-server","state":"TASK_RUNNING"}"#));
    assert_eq!(status(&engine, step), "COMPLETE", "{:#?}", outline(engine.events()));
}

#[test]
fn without_room_the_plan_stays_pending_and_explains_why() {
    let mut engine = with_cluster("3");
    accept(&mut engine, load(&HELLO.replace("cpus: 0.5", "cpus: 64")));
    let advanced = engine.advance_until_idle(60 * MINUTES);
    assert!(advanced.idle, "{advanced:?}\n{:#?}", outline(engine.events()));
    let path = ElementPath {
        dialect: "".into(),
        service: "hello-world".into(),
        plan: "deploy".into(),
        phase: Some("hello".into()),
        step: Some("hello-0:[server]".into()),
    };
    let why = engine.why(&path).expect("an element");
    assert!(why.sentence.contains("cpus") || why.reasons.iter().any(|r| r.text.contains("cpus")), "{why:#?}");
}

#[test]
fn checking_shows_the_plans_without_a_cluster() {
    let Input::LoadService(good) = load(HELLO) else { panic!("a load") };
    let report = check(&good);
    assert!(!report.has_errors(), "{:?}", report.diagnostics);
    assert_eq!((report.dialect, &*report.name), ("sdk", "hello-world"));
    let preview = report.preview.expect("it can run");
    assert_eq!(element_status(&[preview], "deploy").map(|s| &**s), Some("PENDING"));

    let Input::LoadService(broken) = load(&HELLO.replace("count: 2", "count: {{COUNT}}")) else {
        panic!("a load")
    };
    let report = check(&broken);
    assert!(report.missing.iter().any(|name| name == "COUNT"), "{:?}", report.missing);

    let Input::LoadService(mut other) = load("id: /app\ncmd: sleep 1\n") else { panic!("a load") };
    other.dialect = "auto".to_owned();
    let report = check(&other);
    assert_eq!(report.dialect, "marathon");
    assert!(!report.has_errors(), "{:?}", report.diagnostics);
    let preview = report.preview.expect("it can run");
    assert_eq!(&*preview.dialect, "marathon");
    other.dialect = "nomad".to_owned();
    let report = check(&other);
    assert!(report.has_errors() && report.preview.is_none());
    assert!(report.diagnostics[0].message.contains("nomad"), "{:?}", report.diagnostics);
}

#[test]
fn two_services_share_the_cluster() {
    let mut engine = with_service(HELLO);
    let Input::LoadService(mut second) = load(HELLO) else { panic!("a load") };
    second.name = "team/second".to_owned();
    accept(&mut engine, Input::LoadService(second));
    let done = engine.run_until(
        &Condition::parse("hello-world/deploy=COMPLETE && team/second/deploy=COMPLETE").expect("parses"),
        60 * MINUTES,
    );
    assert!(done.met, "{:#?}", outline(engine.events()));
    let names: Vec<_> = engine.view().services.iter().map(|service| service.name.to_string()).collect();
    assert_eq!(names, ["hello-world", "team/second"]);
    let owners = |owner: &str| {
        let view = engine.view();
        view.cluster.machines.iter().flat_map(|m| &m.tasks).filter(|task| &*task.service == owner).count()
    };
    assert_eq!((owners("hello-world"), owners("team/second")), (3, 3));
    assert_eq!(engine.definition("", "/team/second").map(|load| load.name.as_str()), Some("team/second"));
}

#[test]
fn steps_by_event_and_by_status_change() {
    let mut engine = with_service(HELLO);
    let mut changes = 0;
    loop {
        let from = engine.seq();
        let advanced = engine.advance_status_change();
        if !advanced.met {
            assert!(advanced.idle, "{advanced:?}");
            break;
        }
        changes += 1;
        let news = engine.events_since(from);
        let is_change =
            |event: &&planarium_protocol::Event| matches!(event.body, EventBody::ElementStatus { .. });
        assert!(news.iter().any(|event| is_change(&event)));
        // One step of the engine may change several elements, but all at one instant.
        let at: Vec<u64> = news.iter().filter(is_change).map(|event| event.at_ms).collect();
        assert!(at.iter().all(|at_ms| *at_ms == engine.now_ms()), "{at:?}");
        assert!(changes < 100);
    }
    assert!(changes > 8, "{changes}");

    // Step all the way back, and find the same positions on the way forward.
    engine.seek_ms(u64::MAX);
    let mut places = Vec::new();
    while engine.step_back() {
        places.push((engine.seq(), engine.now_ms(), engine.digest()));
        assert!(places.len() < 1_000);
    }
    assert_eq!((engine.seq(), engine.now_ms()), (0, 0));
    places.pop();
    while let Some(place) = places.pop() {
        assert!(engine.advance_events(1).met);
        assert_eq!((engine.seq(), engine.now_ms(), engine.digest()), place);
    }

    engine.seek_ms(0);
    let from = engine.seq();
    let advanced = engine.advance_events(1);
    assert!(advanced.met && engine.seq() > from, "{advanced:?}");
    assert!(engine.events_since(from).iter().all(|event| event.at_ms == engine.now_ms()));
}

#[test]
fn a_view_is_built_once_and_shares_unchanged_parts() {
    let mut engine = deployed();
    engine.advance_until_idle(10 * MINUTES);
    let first = engine.view();
    assert!(std::sync::Arc::ptr_eq(&first, &engine.view()));
    engine.advance_for(1);
    let second = engine.view();
    assert_eq!(second.clock.now_ms, first.clock.now_ms + 1);
    assert!(std::sync::Arc::ptr_eq(&first.cluster, &second.cluster));
    for (a, b) in first.services.iter().zip(&second.services) {
        assert!(std::sync::Arc::ptr_eq(a, b));
    }
}

#[test]
fn a_seek_in_a_long_run_equals_a_replay_from_zero() {
    let mut engine = with_service(&HELLO.replace("count: 2", "count: 40"));
    accept(
        &mut engine,
        input(
            r#"{"kind":"fault","fault":"task-fail","target":{"pod":"world"},"count":30,"probability":0.5}"#,
        ),
    );
    engine.advance_to(20 * MINUTES);
    let (journal, head_ms, head_seq) = (engine.journal(), engine.head_ms(), engine.head_seq());
    assert!(head_seq > 1_000, "long enough for checkpoints: {head_seq}");
    for nth in [1, 9, 3, 7, 5, 8, 2] {
        let at_ms = head_ms / 10 * nth;
        engine.seek_ms(at_ms);
        let mut cut = journal.clone();
        cut.entries.retain(|entry| entry.at_ms <= at_ms);
        cut.end_ms = at_ms;
        let fresh = Engine::from_journal(&cut).expect("a prefix");
        assert_same(&stand(&fresh), &stand(&engine), &format!("at {at_ms} ms"));
    }
}

#[test]
fn an_api_call_does_the_same_as_its_command() {
    // Path with query, body, the equivalent command as an input.
    let plan = |rest: &str| format!(r#"{{"kind":"plan","service":"hello-world","plan":"deploy",{rest}}}"#);
    let pod = |rest: &str| format!(r#"{{"kind":"pod","service":"hello-world","pod":"hello-0",{rest}}}"#);
    let step = r#""op":"force-complete","phase":"world","step":"world-0:[server]""#;
    for (path, body, command) in [
        ("v1/plans/deploy/interrupt", "null", plan(r#""op":"interrupt""#)),
        ("v1/plans/deploy/continue", "null", plan(r#""op":"continue""#)),
        ("v1/plan/interrupt?phase=hello", "null", plan(r#""op":"interrupt","phase":"hello""#)),
        ("v1/plan/interrupt?phase=", "null", plan(r#""op":"interrupt","phase":"""#)),
        ("v1/plans/deploy/restart?phase=&step=", "{}", plan(r#""op":"restart""#)),
        ("v1/plans/deploy/forceComplete?phase=world&step=world-0%3A%5Bserver%5D", "null", plan(step)),
        ("v1/plans/deploy/forceComplete?step=x", "null", plan(r#""op":"force-complete","step":"x""#)),
        ("v1/plans/deploy/start", r#"{"A":"1","B":2}"#, plan(r#""op":"start","params":{"A":"1","B":"2"}"#)),
        ("v1/plans/deploy/start", r#""{\"A\":null}""#, plan(r#""op":"start","params":{"A":""}"#)),
        (
            "v1/plans/deploy/start",
            r#"{"not-a-name":"1"}"#,
            plan(r#""op":"start","params":{"not-a-name":"1"}"#),
        ),
        ("v1/pod/hello-0/restart", "null", pod(r#""op":"restart""#)),
        ("v1/pod/hello-0/replace", r#""any""#, pod(r#""op":"replace""#)),
        ("v1/pod/hello-0/pause", r#"["server"]"#, pod(r#""op":"pause","tasks":["server"]"#)),
        ("v1/pod/hello-0/pause", r#"["other"]"#, pod(r#""op":"pause","tasks":["other"]"#)),
        ("v1/pod/hello-0/resume", "null", pod(r#""op":"resume""#)),
        ("v1/service/hello-world/pod/hello-0/restart", "null", pod(r#""op":"restart""#)),
    ] {
        let engine = deployed();
        let mut by_call = Engine::from_journal(&engine.journal()).expect("a replay");
        let mut by_command = engine;
        let call = format!(
            r#"{{"kind":"call","method":"POST","path":"/service/hello-world/{path}","body":{body}}}"#
        );
        let called = by_call.apply(input(&call));
        let commanded = by_command.apply(input(&command));
        assert_eq!(called.outcome, commanded.outcome, "{path}");
        by_call.advance_for(MINUTES);
        by_command.advance_for(MINUTES);
        let (ours, theirs) = (by_call.view(), by_command.view());
        assert!(shown(&ours.services) == shown(&theirs.services), "{path}");
        assert!(shown(&ours.cluster) == shown(&theirs.cluster), "{path}");
        let again = Engine::from_journal(&by_call.journal()).expect("a replay");
        assert_eq!(again.digest(), by_call.digest(), "{path}");
    }
}

#[test]
fn calls_that_are_not_commands_are_refused_and_change_nothing() {
    let mut engine = deployed();
    for (method, path, body, status) in [
        ("POST", "/service/hello-world/v1/plans/none/continue", "null", 404),
        ("POST", "/service/none/v1/plans/deploy/continue", "null", 404),
        ("POST", "/service/hello-world/v1/plans/deploy/continue", "null", 208),
        ("POST", "/service/hello-world/v1/plans/deploy/start", "null", 500),
        ("POST", "/service/hello-world/v1/plans/deploy/start", "[1]", 400),
        ("POST", "/service/hello-world/v1/plans/deploy/dance", "null", 404),
        ("POST", "/service/hello-world/v1/pod/hello-0/pause", "{}", 400),
        ("POST", "/service/hello-world/v1/pod/none-7/replace", "null", 404),
        ("GET", "/service/hello-world/v1/plans/deploy/continue", "null", 405),
        ("GET", "/service/hello-world/v1/plans/deploy", "null", 400),
        ("POST", "/service/hello-world/v1", "null", 404),
        ("POST", "/service/%ff/v1/%zz/%", "null", 404),
        ("PUT", "/service/hello-world/v1/state/files/f", "null", 400),
        ("POST", "/service/hello-world", "null", 404),
    ] {
        let before = shown(&engine.view().services);
        let call = format!(r#"{{"kind":"call","method":"{method}","path":"{path}","body":{body}}}"#);
        let refusal = engine.apply(input(&call)).outcome.expect_err(path);
        assert_eq!(refusal.status, status, "{method} {path}: {}", refusal.message);
        assert!(shown(&engine.view().services) == before, "{path}");
    }
}

#[test]
fn hours_of_crashes_do_not_make_a_world_larger() {
    const CROWD: &str = "name: crowd\npods:\n  crash:\n    count: 5\n    tasks: {server: {goal: RUNNING, cmd: ./crash, cpus: 0.1, memory: 32}}\n";
    let mut engine = with_service(CROWD);
    accept(&mut engine, input(r#"{"kind":"fault","fault":"crash-loop","target":{"task":"crash-*"}}"#));
    let mut weights = Vec::new();
    for _ in 0..3 {
        engine.advance_for(10 * MINUTES);
        engine.forget_events(500);
        assert!(engine.all_events().len() <= 1000 && engine.forgotten() > 3000, "{}", engine.forgotten());
        weights.push(engine.weight());
    }
    assert!(weights[2] < weights[0] + weights[0] / 10, "{weights:?}");
}

/// Views that the past keeps would weigh more than the past itself.
#[test]
fn the_past_keeps_no_views() {
    const CROWD: &str = "name: crowd\npods:\n  crash:\n    count: 5\n    tasks: {server: {goal: RUNNING, cmd: ./crash, cpus: 0.1, memory: 32}}\n";
    let mut engine = with_service(CROWD);
    accept(&mut engine, input(r#"{"kind":"fault","fault":"crash-loop","target":{"task":"crash-*"}}"#));
    let (mut services, mut machines) = (Vec::new(), Vec::new());
    for _ in 0..600 {
        engine.advance_for(1000);
        let view = engine.view();
        services.extend(view.services.iter().map(Arc::downgrade));
        machines.extend(view.cluster.machines.iter().map(Arc::downgrade));
    }
    assert!(engine.checkpoint_bytes() > 0 && engine.head_seq() > 1000, "there is a past");
    let (view, digest) = (engine.view(), engine.digest());
    services.sort_by_key(Weak::as_ptr);
    services.dedup_by_key(|view| view.as_ptr());
    machines.sort_by_key(Weak::as_ptr);
    machines.dedup_by_key(|view| view.as_ptr());
    let alive = |views: usize| format!("{views} views are left");
    let left = services.iter().filter(|view| view.strong_count() > 0).count();
    assert!(left <= 2, "{} of a service", alive(left));
    let left = machines.iter().filter(|view| view.strong_count() > 0).count();
    assert!(left <= 2 * view.cluster.machines.len(), "{} of machines", alive(left));
    // A place in the past shows the same as it did.
    engine.seek_ms(engine.head_ms() / 2);
    let past = shown(&*engine.view());
    engine.seek_ms(0);
    engine.seek_ms(engine.head_ms() / 2);
    assert!(shown(&*engine.view()) == past);
    engine.seek_ms(engine.head_ms());
    assert_eq!(engine.digest(), digest);
    assert!(shown(&engine.view().services) == shown(&view.services));
}
