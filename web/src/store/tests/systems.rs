//! The page's picture of each system: failures that it offers, the order of its plans, the card at the end of a run.

use super::{page, play_for, play_to_rest, toasts};
use crate::store::Hub;
use crate::store::action::Action;
use crate::store::ptr::Ptr;
use crate::store::selectors::{faults, status, tree};
use crate::store::state::ToastKind;
use crate::systems;
use planarium_kernel::SortedSet;
use planarium_messages::facts::{Finish, Reply};
use planarium_messages::questions::Ask;
use planarium_protocol::Input;
use planarium_protocol::input::{Fault, FaultKind, Target};
use planarium_protocol::view::{StatusClass, TaskView};
use std::cell::RefCell;
use std::rc::Rc;
use yew::Callback;

/// The first example of a system alone.
fn example_of(dialect: &str) -> &'static str {
    let alone =
        |example: &&planarium_gallery::Example| example.dialect == dialect && example.beside.is_empty();
    planarium_gallery::examples().iter().find(alone).expect("an example").id
}

fn finish(hub: &Hub) -> Option<Finish> {
    let told: Rc<RefCell<Option<Finish>>> = Rc::default();
    let into = Rc::clone(&told);
    hub.ask(
        Ask::Finish,
        Callback::from(move |reply| {
            if let Reply::Finish(finish) = reply {
                *into.borrow_mut() = finish;
            }
        }),
    );
    told.take()
}

fn do_fault(hub: &Hub, kind: FaultKind, target: Target) {
    let offer = faults::offer(kind, faults::Strikes::All, false, "", "");
    let fault = Fault { target, ..faults::fault(&offer, "", None) };
    hub.send(Action::Do(Box::new(Input::Fault(fault))));
}

#[test]
fn every_offered_fault_is_accepted_by_its_systems_world() {
    for dialect in planarium_world::dialects() {
        let desk = systems::desk(dialect.word).expect("a desk");
        let mut taken = 0;
        for offer in desk.faults {
            let hub = page("", Some(example_of(dialect.word)));
            play_for(&hub, 20_000);
            let view = hub.state().world.view.clone();
            let all = faults::targets(&view, offer.strikes);
            if offer.strikes != faults::Strikes::All && all.is_empty() {
                // The dialog says that there is no target.
                continue;
            }
            let target =
                faults::preferred(&view, offer.strikes, &all, faults::Near::default()).unwrap_or_default();
            let before = hub.state().world.clock.head_seq;
            hub.send(Action::Do(Box::new(Input::Fault(faults::fault(offer, &target, None)))));
            let state = hub.state();
            let refused = state.ui.toasts.iter().any(|toast| toast.kind == ToastKind::Alert);
            assert!(!refused, "{}, {}: {:?}", dialect.title, offer.title, toasts(&state));
            assert!(state.world.clock.head_seq > before, "{}, {}", dialect.title, offer.title);
            taken += 1;
        }
        assert!(taken * 2 > desk.faults.len(), "{}: {taken} of {}", dialect.title, desk.faults.len());
    }
}

#[test]
fn a_fault_targets_something_that_runs_first() {
    for example in ["hello-world", "kudo-first-operator", "marathon-three-at-seventy-percent"] {
        let hub = page("", Some(example));
        play_to_rest(&hub);
        let view = hub.state().world.view.clone();
        for strikes in [faults::Strikes::Task, faults::Strikes::Machine] {
            let all = faults::targets(&view, strikes);
            let first = faults::preferred(&view, strikes, &all, faults::Near::default()).expect("a target");
            let runs = faults::tasks(&view).any(|(machine, task)| {
                let up = status::class_of("", &task.state) == StatusClass::Running;
                up && (*machine.hostname == *first || *task.name == *first)
            });
            assert!(runs, "{example}, {strikes:?}: nothing runs at {first}");
        }
    }
}

#[test]
fn a_fault_targets_the_service_in_view_and_of_it_what_is_rolled_out() {
    // Three systems share the machines: each has its own targets while it is in view.
    let hub = page("", Some("three-systems-one-loss"));
    play_for(&hub, 60_000);
    let view = hub.state().world.view.clone();
    for service in view.services.iter().filter(|service| !service.plans.is_empty()) {
        let path = service.path(&service.plans[0].name);
        let near = faults::Near {
            selected: Some(&path),
            service: faults::in_view(&view, Some(&path), ""),
            ..faults::Near::default()
        };
        let target = |strikes| faults::preferred(&view, strikes, &faults::targets(&view, strikes), near);
        let runs = |task: &TaskView| {
            task.service == service.name && status::class_of("", &task.state) == StatusClass::Running
        };
        assert!(faults::tasks(&view).any(|(_, task)| runs(task)), "{}: nothing runs", service.name);
        let task = target(faults::Strikes::Task).expect("a task");
        let pod = target(faults::Strikes::Pod).expect("a pod");
        let machine = target(faults::Strikes::Machine).expect("a machine");
        assert_eq!(target(faults::Strikes::Service).as_deref(), Some(&*service.name));
        for (strikes, is) in [
            ("task", faults::tasks(&view).any(|(_, it)| runs(it) && *it.name == *task)),
            ("pod", faults::tasks(&view).any(|(_, it)| runs(it) && *it.pod == *pod)),
            ("machine", faults::tasks(&view).any(|(at, it)| runs(it) && *at.hostname == *machine)),
        ] {
            assert!(is, "{}: {strikes} of another one: {task}, {pod}, {machine}", service.name);
        }
    }
    // An operator is upgraded: the newest of its pods comes first.
    let hub = page("", Some("kudo-upgrade"));
    play_for(&hub, 18_000);
    let view = hub.state().world.view.clone();
    let near = faults::Near { service: faults::in_view(&view, None, ""), ..faults::Near::default() };
    let all = faults::targets(&view, faults::Strikes::Task);
    let target = faults::preferred(&view, faults::Strikes::Task, &all, near).expect("a task");
    let running: Vec<(u64, String)> = faults::tasks(&view)
        .filter(|(_, task)| status::class_of("", &task.state) == StatusClass::Running)
        .map(|(_, task)| (task.since_ms, task.name.to_string()))
        .collect();
    let last = running.iter().map(|(since, _)| *since).max().expect("one that runs");
    assert!(running.iter().any(|(since, _)| *since < last), "{running:?}");
    assert!(running.contains(&(last, target)), "{running:?}");
}

#[test]
fn finished_deployments_are_folded_and_the_running_one_comes_first() {
    let hub = page("", Some("marathon-three-at-seventy-percent"));
    let names = |hub: &Hub, toggled: SortedSet<_>| {
        let shape = tree::Shape { toggled: Ptr::new(toggled), filter: String::new() };
        let rows = tree::window(&hub.state().world.view.services, &shape, 0, 1000).rows;
        let tops = rows.iter().filter(|row| row.level == 1);
        tops.map(|row| (tree::name(row).to_string(), row.path.clone())).collect::<Vec<_>>()
    };
    let words = |all: &[(String, _)]| all.iter().map(|(name, _)| name.clone()).collect::<Vec<String>>();
    play_for(&hub, 1_000);
    assert_eq!(words(&names(&hub, SortedSet::new())), ["deployment-1", "apps"]);
    play_to_rest(&hub);
    let folded = names(&hub, SortedSet::new());
    assert_eq!(words(&folded), ["apps", "Finished deployments"]);
    // The row opens like any other, and its content is one level below.
    let opened = SortedSet::from_iter([folded[1].1.clone()]);
    let shape = tree::Shape { toggled: Ptr::new(opened), filter: String::new() };
    let rows = tree::window(&hub.state().world.view.services, &shape, 0, 1000).rows;
    let inside: Vec<_> = rows
        .iter()
        .filter(|row| row.level == 2 && row.path.plan.starts_with("deployment"))
        .map(tree::name)
        .collect();
    let newest_first = ["deployment-4", "deployment-3", "deployment-2", "deployment-1"];
    assert_eq!(inside.iter().map(|name| &***name).collect::<Vec<_>>(), newest_first);
}

#[test]
fn a_plan_that_was_never_started_is_neither_chosen_nor_unfinished() {
    for example in ["kudo-cleanup", "kudo-triggers", "kudo-upgrade"] {
        let hub = page("", Some(example));
        let first = tree::first_plan(&hub.state().world.view).expect("a plan");
        assert_eq!(&*first.plan, "deploy", "{example}");
    }
}

#[test]
fn the_end_of_a_run_is_reported_in_every_system() {
    let examples = [
        ("sdk", "hello-world", "task"),
        ("marathon", "marathon-three-at-seventy-percent", "task"),
        ("kudo", "kudo-first-operator", "pod"),
        ("kubernetes", "kubernetes-first-rollout", "pod"),
        ("skopos", "layered-environments", "container"),
    ];
    for dialect in planarium_world::dialects() {
        let found = examples.iter().find(|(word, ..)| *word == dialect.word);
        let (_, example, unit) = *found.unwrap_or_else(|| panic!("an example of {}", dialect.title));
        let hub = page("", Some(example));
        play_to_rest(&hub);
        let told = finish(&hub).unwrap_or_else(|| panic!("{example} has ended"));
        assert!(told.running > 0 && !told.forced, "{example}: {told:?}");
        assert!(told.peak >= told.running, "{example}: {told:?}");
        assert_eq!(&*told.unit, unit, "{example}: {told:?}");
        assert!(!told.waits.is_empty(), "{example}: where the time went");
    }
}

#[test]
fn a_second_run_is_reported_with_its_own_time() {
    let hub = page("", Some("marathon-three-at-seventy-percent"));
    play_to_rest(&hub);
    let told = finish(&hub).expect("the restart has ended");
    let state = hub.state();
    let began = state.world.log.kept().len();
    assert!(
        began > 0 && told.total_ms < state.world.clock.now_ms,
        "{told:?} of {}",
        state.world.clock.now_ms
    );
}

#[test]
fn the_card_disappears_when_something_breaks_again() {
    let hub = page("", Some("hello-world"));
    play_to_rest(&hub);
    assert!(finish(&hub).is_some());
    for machine in hub.state().world.view.cluster.machines.clone() {
        do_fault(
            &hub,
            FaultKind::AgentLost,
            Target { agent: Some(machine.hostname.to_string()), ..Target::default() },
        );
    }
    play_for(&hub, 120_000);
    assert_eq!(finish(&hub), None);
}

/// An app whose command ends by itself after a quarter of an hour.
const SLEEPER: &str =
    r#"{"id": "/web", "cmd": "sleep 900", "cpus": 0.1, "mem": 32, "instances": 3, "backoffSeconds": 1}"#;

#[test]
fn the_card_does_not_wait_for_a_command_that_ends_later_by_itself() {
    let hub = page("", Some("marathon-three-at-seventy-percent"));
    hub.send(Action::OpenText(SLEEPER.into()));
    hub.send(Action::Check);
    assert!(!tree::has_ended(&hub.state()), "nothing has run");
    play_for(&hub, 60_000);
    let state = hub.state();
    assert!(!state.world.clock.idle, "the commands are still to end");
    assert!(tree::has_ended(&state), "its deployment is done");
    let told = finish(&hub).expect("a summary");
    assert_eq!((told.running, told.peak, told.short, told.failed), (3, 3, 0, 0), "{told:?}");

    // It goes when something breaks, and comes back with true numbers.
    let task = state.world.view.cluster.machines.iter().flat_map(|machine| &machine.tasks).next();
    let target = Target { task: Some(task.expect("a task").name.to_string()), ..Target::default() };
    do_fault(&hub, FaultKind::TaskFail, target);
    play_for(&hub, 100);
    assert_eq!(finish(&hub), None, "they are missing");
    play_for(&hub, 120_000);
    let again = finish(&hub).expect("it runs again");
    assert!(tree::has_ended(&hub.state()));
    assert_eq!((again.running, again.failed, again.short), (3, 3, 3), "{again:?}");
    assert!(again.inputs > told.inputs, "a card that was closed comes back");

    // What ends by itself and is started again is the same end of the run: a card that was closed stays closed.
    play_for(&hub, 1_000_000);
    let later = finish(&hub).expect("they were started again");
    assert_eq!((later.running, later.failed, later.inputs), (3, 3, again.inputs), "{later:?}");
    assert!(later.total_ms < 60_000, "{later:?}");
}

#[test]
fn the_card_waits_for_what_is_planned() {
    for example in ["marathon-three-at-seventy-percent", "rolling-maintenance", "kubernetes-bad-image"] {
        let hub = page("", Some(example));
        hub.send(Action::SetSpeed(8));
        hub.send(Action::TogglePlay);
        for _ in 0..20_000 {
            let clock = hub.state().world.clock;
            hub.send(Action::Frame(16.0));
            let state = hub.state();
            if tree::has_ended(&state) {
                let left: Vec<_> = state.story.lines.iter().filter(|line| !line.done).collect();
                assert!(left.is_empty(), "{example} at {}: {left:?}", state.world.clock.now_ms);
                break;
            }
            if state.world.clock == clock {
                break;
            }
        }
    }
}

/// A template with the variables that packages of databases have: several ports of one pod, kinds of disks, counts by other names.
const TEMPLATE: &str = "name: {{FRAMEWORK_NAME}}
scheduler:
  principal: {{SERVICE_PRINCIPAL}}
  user: {{TASK_USER}}
pods:
  node:
    count: {{NODES}}
    placement: '{{{PLACEMENT_CONSTRAINT}}}'
    rlimits:
      RLIMIT_NOFILE: {soft: {{RLIMIT_NOFILE_SOFT}}, hard: {{RLIMIT_NOFILE_HARD}}}
    resource-sets:
      data:
        cpus: {{DATA_CPUS}}
        memory: {{DATA_MEMORY_MB}}
        volume: {path: data, type: {{DATA_DISK_TYPE}}, size: {{DATA_DISK_MB}}}
        ports:
          rpc: {port: {{TASKCFG_ALL_RPC_PORT}}}
          http: {port: {{TASKCFG_ALL_HTTP_PORT}}}
          jmx: {port: {{TASKCFG_ALL_JMX_PORT}}}
    tasks:
      server:
        goal: RUNNING
        cmd: ./server
        resource-set: data
        readiness-check:
          cmd: ./check
          interval: {{CHECK_INTERVAL}}
          delay: {{CHECK_DELAY}}
          timeout: {{CHECK_TIMEOUT}}
";

#[test]
fn usual_values_are_values_that_work() {
    let hub = page("", Some("hello-world"));
    hub.send(Action::OpenText(TEMPLATE.to_owned()));
    hub.send(Action::Check);
    assert!(hub.state().checked.errors() > 0, "it needs values");
    hub.send(Action::FillEnv);
    hub.send(Action::Check);
    let state = hub.state();
    assert_eq!(state.checked.errors(), 0, "{:?}", state.checked.findings);
    hub.send(Action::Apply);
    play_to_rest(&hub);
    let view = hub.state().world.view.clone();
    let plan = tree::first_plan(&view).expect("a plan");
    assert_eq!(tree::status_of(&view, &plan).as_deref(), Some("COMPLETE"), "{:?}", toasts(&hub.state()));
}

#[test]
fn the_editor_follows_the_changes_of_a_call() {
    use planarium_protocol::input::HttpCall;
    let hub = page("", Some("marathon-conflict-and-force"));
    let text = hub.state().draft.text().to_owned();
    play_for(&hub, 1_000);
    assert_eq!(hub.state().draft.text(), text, "nothing has changed yet");
    let view = hub.state().world.view.clone();
    let apps = view.services[0].more["apps"].as_object().expect("apps");
    let id = apps.keys().next().expect("an app").clone();
    let call = |instances: u32| {
        Action::Do(Box::new(Input::Call(HttpCall {
            method: "PUT".to_owned(),
            path: format!("/v2/apps{id}?force=true"),
            body: planarium_protocol::json!({"instances": instances}),
            content_type: None,
        })))
    };
    hub.send(call(7));
    let scaled = hub.state().draft.text().to_owned();
    assert!(scaled.contains('7') && scaled != text, "{:?}: {scaled}", toasts(&hub.state()));
    assert!(!hub.state().draft.dirty(), "it is what runs, not a draft");
    // Typed text stays a draft, and can be discarded for what runs.
    hub.send(Action::Edit(hub.state().draft.file.clone(), text.clone()));
    hub.send(Action::SeekMs(0));
    hub.send(Action::ShowRunning);
    assert_eq!(hub.state().draft.text(), text, "at the start the definition was as it was loaded");
}

/// Sends a call of an API, as a client does.
fn call(hub: &Hub, method: &str, path: &str, body: serde_json::Value, content_type: &str) {
    use planarium_protocol::input::HttpCall;
    let content_type = (!content_type.is_empty()).then(|| content_type.to_owned());
    let call = HttpCall { method: method.to_owned(), path: path.to_owned(), body, content_type };
    hub.send(Action::Do(Box::new(Input::Call(call))));
}

const MERGE: &str = "application/merge-patch+json";

#[test]
fn the_editor_follows_a_calls_changes_of_an_instance() {
    let hub = page("", Some("kudo-first-operator"));
    play_to_rest(&hub);
    let files = hub.state().draft.files.clone();
    let values = |hub: &Hub| hub.state().draft.load().0.params;
    let before = values(&hub);
    let instance = hub.state().world.view.services[0].name.to_string();
    let path = format!("/kube/apis/kudo.dev/v1beta1/namespaces/default/instances/{instance}");
    let patch = planarium_protocol::json!({"spec": {"parameters": {"REPLICAS": "4"}}});
    call(&hub, "PATCH", &path, patch, MERGE);
    assert_ne!(values(&hub), before, "{:?}", toasts(&hub.state()));
    assert_eq!(values(&hub).get("REPLICAS"), Some(&serde_json::Value::from("4")));
    assert!(!hub.state().draft.dirty(), "it is what runs, not a draft");
    // Typed and rolled-out text keeps the value set by the call.
    play_to_rest(&hub);
    let text = hub.state().draft.text().to_owned();
    hub.send(Action::Edit(hub.state().draft.file.clone(), format!("{text}# another line\n")));
    hub.send(Action::RollOut);
    play_to_rest(&hub);
    assert_eq!(values(&hub).get("REPLICAS"), Some(&serde_json::Value::from("4")));
    hub.send(Action::SeekMs(0));
    assert_eq!(values(&hub), before, "at the start the definition was as it was loaded");
    hub.send(Action::ShowRunning);
    assert_eq!(*hub.state().draft.files, *files);
}

#[test]
fn the_editor_follows_an_instance_to_another_version() {
    let hub = page("", Some("kudo-first-operator"));
    play_to_rest(&hub);
    let instance = hub.state().world.view.services[0].name.to_string();
    let api = "/kube/apis/kudo.dev/v1beta1/namespaces/default";
    // A client uploads the version, and points the instance at it.
    let phases = planarium_protocol::json!([{"name": "main", "strategy": "serial", "steps": [{"name": "one", "tasks": ["none"]}]}]);
    let version = planarium_protocol::json!({
        "apiVersion": "kudo.dev/v1beta1", "kind": "OperatorVersion", "metadata": {"name": "web-9.9.9"},
        "spec": {
            "operator": {"kind": "Operator", "name": "web"}, "version": "9.9.9",
            "tasks": [{"name": "none", "kind": "Dummy", "spec": {"done": true}}],
            "parameters": [{"name": "REPLICAS", "default": "3", "required": false}],
            "plans": {"deploy": {"strategy": "serial", "phases": phases}},
        },
    });
    call(&hub, "POST", &format!("{api}/operatorversions"), version, "");
    let patch = planarium_protocol::json!({"spec": {"operatorVersion": {"name": "web-9.9.9"}}});
    call(&hub, "PATCH", &format!("{api}/instances/{instance}"), patch, MERGE);
    let text = hub.state().draft.files.get("operator.yaml").cloned().unwrap_or_default();
    assert!(
        text.contains("operatorVersion: 9.9.9") && text.contains("Dummy"),
        "{:?}: {text}",
        toasts(&hub.state())
    );
    assert!(!hub.state().draft.dirty(), "it is what runs, not a draft");
    hub.send(Action::Check);
    assert_eq!(hub.state().checked.errors(), 0, "{:?}", hub.state().checked.findings);
}

#[test]
fn the_editor_follows_a_calls_changes_of_an_object() {
    let hub = page("", Some("kubernetes-first-rollout"));
    let text = hub.state().draft.text().to_owned();
    play_for(&hub, 1_000);
    assert_eq!(hub.state().draft.text(), text, "nothing has changed yet");
    let of = |hub: &Hub| hub.state().draft.text().to_owned();
    let path = "/kube/apis/apps/v1/namespaces/default/deployments/web";
    call(
        &hub,
        "PATCH",
        &format!("{path}/scale"),
        planarium_protocol::json!({"spec": {"replicas": 5}}),
        MERGE,
    );
    let scaled = of(&hub);
    assert_eq!(scaled, text.replace("replicas: 3", "replicas: 5"), "{:?}", toasts(&hub.state()));
    let strategic = "application/strategic-merge-patch+json";
    let container = planarium_protocol::json!([{"name": "web", "image": "shop/web:9", "env": [{"name": "A", "value": "1"}]}]);
    let patch = planarium_protocol::json!({"spec": {"template": {"spec": {"containers": container}}}});
    call(&hub, "PATCH", path, patch, strategic);
    assert!(of(&hub).contains("image: shop/web:9"), "{}", of(&hub));
    assert!(of(&hub).contains("env:\n          - name: A\n"), "{}", of(&hub));
    hub.send(Action::Check);
    assert_eq!(hub.state().checked.errors(), 0, "{:?}", hub.state().checked.findings);
    // A rollback restores the text, and a restart does not change it.
    let undo = planarium_protocol::input::PlanCommand {
        dialect: "kubernetes".to_owned(),
        service: "shop".to_owned(),
        plan: "deployment.web".to_owned(),
        op: planarium_protocol::input::PlanOp::Stop,
        phase: None,
        step: None,
        params: std::collections::BTreeMap::new(),
    };
    play_for(&hub, 2_000);
    hub.send(Action::Do(Box::new(Input::Plan(undo))));
    assert_eq!(of(&hub), scaled, "{:?}", toasts(&hub.state()));
    let restart = planarium_protocol::json!({"kubectl.kubernetes.io/restartedAt": "2026-01-01T00:00:00Z"});
    let patch = planarium_protocol::json!({"spec": {"template": {"metadata": {"annotations": restart}}}});
    call(&hub, "PATCH", path, patch, strategic);
    assert_eq!(of(&hub), scaled);
    assert!(!hub.state().draft.dirty(), "it is what runs, not a draft");
    hub.send(Action::SeekMs(0));
    assert_eq!(of(&hub), text, "at the start the definition was as it was loaded");
}

#[test]
fn a_definition_without_changes_by_calls_is_shown_as_written() {
    for example in planarium_gallery::examples() {
        if !matches!(example.dialect, "kubernetes" | "kudo") || !example.beside.is_empty() {
            continue;
        }
        let hub = page("", Some(example.id));
        let files = hub.state().draft.files.clone();
        play_for(&hub, 6_000);
        for machine in hub.state().world.view.cluster.machines.clone().iter().take(1) {
            let target = Target { agent: Some(machine.hostname.to_string()), ..Target::default() };
            do_fault(&hub, FaultKind::AgentPartitioned, target);
        }
        assert_eq!(*hub.state().draft.files, *files, "{}", example.id);
    }
}
