//! A service after its first deployment, end to end: changes, decommission, uninstall.

#![expect(clippy::expect_used, reason = "helpers of tests")]

#[expect(dead_code, reason = "every test binary uses its own part of this")]
mod common;

use common::{accept, assert_same, input, outline, stand, with_cluster};
use planarium_protocol::event::ElementPath;
use planarium_protocol::input::LoadService;
use planarium_protocol::refusal::RefusalCode;
use planarium_protocol::{EventBody, Input};
use planarium_world::{Condition, Engine, element_status};

const MINUTES: u64 = 60_000;

const YAML: &str = "\
name: team/app
pods:
  web:
    count: 3
    allow-decommission: true
    placement: '[[\"hostname\", \"UNIQUE\"]]'
    tasks:
      server:
        goal: RUNNING
        cmd: sleep 1000
        cpus: 1
        memory: 64
        volume: {path: data, type: ROOT, size: 100}
  db:
    count: 1
    tasks:
      node: {goal: RUNNING, cmd: sleep 1000, cpus: 0.5, memory: 64}
";

fn service(text: &str) -> LoadService {
    let mut load = LoadService { dialect: "sdk".to_owned(), ..LoadService::default() };
    load.files.insert("svc.yml".to_owned(), text.to_owned());
    load
}

fn update(text: &str) -> Input {
    Input::UpdateService(service(text))
}

fn met(engine: &mut Engine, condition: &str) {
    let advanced = engine.run_until(&Condition::parse(condition).expect("a condition"), 30 * MINUTES);
    assert!(advanced.met, "{condition}: {advanced:?}\n{:#?}", outline(engine.events()));
}

fn deployed() -> Engine {
    let mut engine = with_cluster("3");
    accept(&mut engine, Input::LoadService(service(YAML)));
    met(&mut engine, "deploy=COMPLETE");
    engine.advance_for(10_000);
    engine
}

fn status(engine: &Engine, element: &str) -> String {
    let view = engine.view();
    element_status(&view.services, element).map_or_else(|| "absent".to_owned(), ToString::to_string)
}

/// Conditions look up statuses without a view: every element of the view must be found with the status it shows.
fn assert_conditions_agree(engine: &mut Engine) {
    let view = engine.view();
    let mut shown = Vec::new();
    for plan in view.services.iter().flat_map(|service| &service.plans) {
        shown.push((plan.name.to_string(), plan.status.clone()));
        for phase in &plan.phases {
            shown.push((format!("{}/{}", plan.name, phase.name), phase.status.clone()));
            shown.push((format!("team/app/{}/{}", plan.name, phase.id), phase.status.clone()));
            for step in &phase.steps {
                shown.push((format!("{}/{}/{}", plan.name, phase.name, step.name), step.status.clone()));
                shown.push((format!("{}/{}/{}", plan.name, phase.id, step.id), step.status.clone()));
            }
        }
    }
    assert!(shown.len() > 10);
    for (element, status) in shown {
        assert_eq!(element_status(&view.services, &element), Some(&status), "{element}");
        let condition = Condition::Status { element: element.as_str().into(), status };
        assert!(engine.run_until(&condition, 0).met, "{element}");
    }
    for absent in ["absent", "deploy/absent", "absent/deploy"] {
        assert_eq!(status(engine, absent), "absent");
        let condition = Condition::Status { element: absent.into(), status: "absent".into() };
        assert!(!engine.run_until(&condition, 0).met, "{absent}");
    }
}

#[test]
fn conditions_agree_with_views() {
    let mut engine = with_cluster("3");
    accept(&mut engine, Input::LoadService(service(YAML)));
    for _ in 0..12 {
        assert_conditions_agree(&mut engine);
        engine.advance_events(7);
    }
    met(&mut engine, "deploy=COMPLETE");
    assert_conditions_agree(&mut engine);
}

fn tasks(engine: &Engine) -> usize {
    engine.view().cluster.machines.iter().map(|machine| machine.tasks.len()).sum()
}

fn remove(force: bool) -> Input {
    input(&format!(r#"{{"kind":"remove-service","name":"/team/app","force":{force}}}"#))
}

#[test]
fn uninstall_runs_until_nothing_is_left() {
    let mut engine = deployed();
    let asked = engine.now_ms();
    accept(&mut engine, remove(false));
    let again = engine.apply(remove(false));
    assert_eq!(again.outcome.expect_err("asked for already").code, RefusalCode::Conflict);
    let back = engine.apply(update(YAML));
    let refusal = back.outcome.expect_err("no way back");
    assert!(refusal.message.contains("code 11"), "{}", refusal.message);
    met(&mut engine, "deploy=COMPLETE");
    assert_eq!(tasks(&engine), 0);
    let complete = engine.now_ms();
    assert_eq!(engine.view().services.len(), 1, "the package manager has not looked yet");
    engine.advance_until_idle(5 * MINUTES);
    assert!(engine.view().services.is_empty());
    let gone =
        engine.events().iter().rev().find(|event| {
            serde_json::to_value(&event.body).expect("plain data")["kind"] == "service-removed"
        });
    let gone = gone.expect("told").at_ms;
    assert!(
        gone > complete && gone - complete <= 10_000 && (gone - asked).is_multiple_of(10_000),
        "{asked} {gone}"
    );
    for machine in &engine.view().cluster.machines {
        let shown = serde_json::to_string(&**machine).expect("plain data");
        assert!(!shown.contains("app-role"), "{shown}");
    }
    // The name is free again, and the new installation reuses no name of the old one.
    accept(&mut engine, Input::LoadService(service(YAML)));
    met(&mut engine, "deploy=COMPLETE");
    let ids: Vec<&str> = engine
        .events()
        .iter()
        .filter_map(|event| match &event.body {
            EventBody::Launched { task_id, .. } => Some(&**task_id),
            _ => None,
        })
        .collect();
    let distinct: std::collections::BTreeSet<&&str> = ids.iter().collect();
    assert_eq!((ids.len(), distinct.len()), (8, 8));
    let replayed = Engine::from_journal(&engine.journal()).expect("replays");
    assert_same(&stand(&engine), &stand(&replayed), "replay");
}

#[test]
fn uninstall_is_stuck_on_a_dead_machine_until_forced() {
    let mut engine = deployed();
    accept(&mut engine, input(r#"{"kind":"fault","fault":"agent-lost","target":{"pod":"web-1"}}"#));
    engine.advance_for(1_000);
    accept(&mut engine, remove(false));
    engine.advance_until_idle(60 * MINUTES);
    assert_eq!(status(&engine, "deploy/deregister-service"), "PENDING");
    let view = engine.view();
    let phases = &view.services[0].plans[0].phases;
    let stuck: Vec<&str> =
        phases.iter().filter(|phase| &*phase.status == "IN_PROGRESS").map(|phase| &*phase.name).collect();
    assert_eq!(stuck.len(), 1, "{phases:#?}");
    let path = ElementPath {
        dialect: "".into(),
        service: view.services[0].name.clone(),
        plan: "deploy".into(),
        phase: Some(stuck[0].into()),
        step: Some(
            phases.iter().find(|phase| &*phase.name == stuck[0]).expect("there").steps[0].name.clone(),
        ),
    };
    let why = engine.why(&path).expect("an answer");
    assert!(why.sentence.contains("is lost") || why.sentence.contains("unreachable"), "{}", why.sentence);
    let force = why.unblock.iter().find_map(|remedy| remedy.input.clone()).expect("a way out");
    accept(&mut engine, force);
    let force = format!(
        r#"{{"kind":"plan","service":"team/app","plan":"deploy","op":"force-complete","phase":"{}"}}"#,
        stuck[0]
    );
    accept(&mut engine, input(&force));
    engine.advance_until_idle(5 * MINUTES);
    assert!(engine.view().services.is_empty(), "{:#?}", engine.view().services);
}

#[test]
fn a_scheduler_restart_during_uninstall_continues_it() {
    let mut engine = deployed();
    accept(&mut engine, remove(false));
    engine.advance_for(4_000);
    accept(&mut engine, input(r#"{"kind":"fault","fault":"scheduler-restart"}"#));
    engine.advance_until_idle(30 * MINUTES);
    assert!(engine.view().services.is_empty(), "{:#?}", outline(engine.events()));
}

#[test]
fn scaling_down_removes_pods_one_by_one() {
    let mut engine = deployed();
    accept(&mut engine, update(&YAML.replace("count: 3", "count: 1")));
    assert_eq!(status(&engine, "deploy"), "COMPLETE");
    assert_eq!(status(&engine, "decommission"), "PENDING");
    met(&mut engine, "decommission/web-2=COMPLETE");
    assert_eq!(status(&engine, "decommission/web-1"), "PENDING");
    assert_eq!(tasks(&engine), 3);
    met(&mut engine, "decommission=COMPLETE");
    assert_eq!((tasks(&engine), status(&engine, "recovery").as_str()), (2, "COMPLETE"));
    let request = planarium_part::Request::new("GET", "/v1/pod", "");
    let Some((_, planarium_part::Wire::Answer(answer))) = engine.world().wire(&request, &["v1", "pod"])
    else {
        panic!("names are answered at once")
    };
    let pods: serde_json::Value = serde_json::from_slice(&answer.body).expect("names");
    assert_eq!(pods, serde_json::json!(["db-0", "web-0"]));
    engine.advance_until_idle(30 * MINUTES);
    accept(&mut engine, input(r#"{"kind":"fault","fault":"scheduler-restart"}"#));
    engine.advance_for(10_000);
    assert_eq!(status(&engine, "decommission"), "absent");
    let replayed = Engine::from_journal(&engine.journal()).expect("replays");
    assert_same(&stand(&engine), &stand(&replayed), "replay");
}

#[test]
fn a_refused_definition_returns_its_errors() {
    let mut engine = deployed();
    let applied = accept(&mut engine, update(&YAML.replace("count: 1", "count: 0")));
    let answer = applied.outcome.expect("accepted");
    let text = answer["errors"][0].as_str().unwrap_or_default();
    assert!(text.starts_with("Field: 'PodSpec[name:db]'; Transition: '1' => '0'"), "{answer}");
    assert_eq!(status(&engine, "deploy"), "ERROR");
    engine.advance_until_idle(30 * MINUTES);
    assert_eq!(tasks(&engine), 4);
    // A restart checks the same definition again.
    accept(&mut engine, input(r#"{"kind":"fault","fault":"scheduler-restart"}"#));
    engine.advance_for(10_000);
    assert_eq!(status(&engine, "deploy"), "ERROR");
    // A definition with an error is refused as a whole.
    let fatal = engine.apply(update(&format!("{YAML}scheduler: {{user: other}}\n")));
    assert_eq!(fatal.outcome.expect_err("fatal").code, RefusalCode::InvalidDefinition);
    assert_eq!(status(&engine, "deploy"), "ERROR");
    accept(&mut engine, update(YAML));
    assert_eq!(status(&engine, "deploy"), "COMPLETE");
}

#[test]
fn the_uninstall_flag_in_an_update_uninstalls() {
    let mut engine = deployed();
    let mut load = service(YAML);
    load.env.insert("SDK_UNINSTALL".to_owned(), String::new());
    accept(&mut engine, Input::UpdateService(load));
    assert_eq!(status(&engine, "deploy/kill-tasks"), "PENDING");
    engine.advance_until_idle(30 * MINUTES);
    assert!(engine.view().services.is_empty());
}

#[test]
fn a_full_offer_queue_does_not_stop_the_scheduler() {
    let mut engine = common::engine();
    accept(&mut engine, input(r#"{"kind":"add-agent","count":230}"#));
    let many = YAML.replace("count: 3", "count: 230");
    let many = format!("{many}plans:\n  deploy: {{phases: {{web: {{pod: web, strategy: parallel}}}}}}\n");
    accept(&mut engine, Input::LoadService(service(&many)));
    met(&mut engine, "deploy=COMPLETE");
    engine.advance_for(60_000);
    accept(&mut engine, remove(false));
    // A queue of a hundred offers overflows; the rest is declined for five seconds and offered again.
    engine.advance_until_idle(60 * MINUTES);
    assert!(engine.view().services.is_empty(), "{} tasks left", tasks(&engine));
}

#[test]
fn a_change_of_one_pod_type_restarts_it_in_place() {
    let mut engine = deployed();
    let before = engine.view();
    let homes = |view: &planarium_protocol::View| -> Vec<String> {
        let pods = view.services[0].pods.iter().flat_map(|pod| &pod.tasks);
        pods.map(|task| format!("{} {}", task.name, task.agent.as_deref().unwrap_or(""))).collect()
    };
    accept(&mut engine, update(&YAML.replace("cpus: 1\n", "cpus: 2\n")));
    assert_eq!(status(&engine, "deploy/db"), "COMPLETE");
    met(&mut engine, "deploy=COMPLETE");
    let after = engine.view();
    assert_eq!(homes(&before), homes(&after), "every pod where it was");
    let id = |view: &planarium_protocol::View, pod: usize| view.services[0].pods[pod].tasks[0].id.clone();
    assert_eq!(id(&before, 0), id(&after, 0), "db-0 did not change");
    assert_ne!(id(&before, 1), id(&after, 1));
}
