//! Pods of an instance, as instance and machines show them, and the actions on them.

use super::script::Play;
use super::stage::Stage;
use planarium_protocol::input::{PodCommand, PodOp, ProcessBehaviour, TaskStatusInput};
use planarium_protocol::refusal::RefusalCode;
use planarium_protocol::view::{MachineView, ServiceView, TaskView};
use planarium_protocol::{Input, Refusal};
use std::sync::Arc;

const PACKAGE: &str = "# file: operator.yaml\napiVersion: kudo.dev/v1beta1\nname: shop\noperatorVersion: \"1.0.0\"\n\
    kubernetesVersion: 1.16.0\ntasks:\n  - { name: web, kind: Apply, spec: { resources: [web.yaml] } }\nplans:\n  deploy:\n\
    \x20   strategy: serial\n    phases:\n      - name: main\n        strategy: serial\n        steps:\n\
    \x20         - { name: web, tasks: [web] }\n\
    # file: params.yaml\napiVersion: kudo.dev/v1beta1\nparameters: []\n\
    # file: templates/web.yaml\napiVersion: apps/v1\nkind: StatefulSet\nmetadata:\n  name: web\nspec:\n  replicas: 2\n\
    \x20 serviceName: web\n  selector:\n    matchLabels: { app: web }\n  template:\n    metadata:\n      labels: { app: web }\n\
    \x20   spec:\n      containers:\n        - name: server\n          image: web:1\n          readinessProbe:\n\
    \x20           httpGet: { path: /, port: 80 }\n        - name: side\n          image: side:1\n";

/// Pods with the words of their containers.
fn words(view: &ServiceView) -> Vec<String> {
    let pods = view.pods.iter().map(|pod| {
        let tasks: Vec<&str> = pod.tasks.iter().map(|task| task.status.as_deref().unwrap_or("-")).collect();
        format!("{} {}", pod.name, tasks.join(" "))
    });
    pods.collect()
}

/// Machines with their pods, and the revision of that.
fn machines(play: &Play) -> (Vec<Arc<MachineView>>, u64) {
    play.stage.alone.clone().machines(play.stage.cx.now())
}

fn tasks(play: &Play) -> Vec<TaskView> {
    machines(play).0.iter().flat_map(|machine| machine.tasks.clone()).collect()
}

#[test]
fn pods_show_their_containers_and_machines_run_them() {
    let mut play = Play::new(PACKAGE);
    play.play("load");
    play.stage.run_until(60_000, "a pod", |stage| !stage.view("shop").pods.is_empty());
    assert_eq!(words(&play.stage.view("shop")), ["web-0 Pending Pending"], "it has no node yet");
    play.play("until deploy COMPLETE");
    let view = play.stage.view("shop");
    assert_eq!(words(&view), ["web-0 Running Running", "web-1 Running Running"]);
    let running = tasks(&play);
    assert_eq!(running.len(), 4);
    for task in view.pods.iter().flat_map(|pod| &pod.tasks) {
        let same = running.iter().find(|it| it.id == task.id).expect("a machine runs it");
        assert_eq!((&same.name, &*same.service, &*same.state), (&task.name, "shop", "TASK_RUNNING"));
        let machines = machines(&play).0;
        let host = machines.iter().find(|machine| machine.tasks.iter().any(|it| it.id == task.id));
        assert_eq!(host.map(|machine| &machine.hostname), task.agent.as_ref());
    }
    let ready: Vec<_> = running.iter().map(|task| task.ready).collect();
    assert_eq!(ready.iter().filter(|ready| **ready == Some(true)).count(), 2, "{ready:?}");
    // What shows the same has the same revision, and what changes another one.
    let before = machines(&play);
    play.play("delete pod/web-1");
    let after = machines(&play);
    for (before, after) in before.0.iter().zip(&after.0) {
        assert_eq!(before.revision == after.revision, before == after, "{}", before.hostname);
    }
    assert_ne!(before.1, after.1);
}

#[test]
fn a_pod_can_be_deleted_by_its_name() {
    let mut play = Play::new(PACKAGE);
    play.play("load\nuntil deploy COMPLETE");
    let pod = play.stage.view("shop").pods[0].clone();
    assert_eq!(pod.actions.iter().map(|action| &*action.title).collect::<Vec<_>>(), ["Delete"]);
    let Input::Pod(command) = pod.actions[0].on_pod("kudo", "shop", &pod.name) else {
        panic!("a pod command")
    };
    let stage = &mut play.stage;
    stage.command(&command).expect("deleted");
    let pod = stage.view("shop").pods[0].clone();
    assert_eq!(words(&stage.view("shop"))[0], "web-0 Terminating Terminating");
    assert_eq!(pod.actions[0].refused.as_deref(), Some("it is being deleted already"));
    stage.run_until(120_000, "both run again", |stage| {
        words(&stage.view("shop")) == ["web-0 Running Running", "web-1 Running Running"]
    });
    let other = PodCommand { pod: "nobody-0".into(), ..command };
    let refused = stage.command(&other).expect_err("unknown");
    assert_eq!(
        (refused.code, refused.message.as_str()),
        (RefusalCode::NotFound, "pods \"nobody-0\" not found")
    );
    let paused = PodCommand { pod: "web-0".into(), op: PodOp::Pause, ..other };
    let refused = stage.command(&paused).expect_err("no such thing");
    assert_eq!(refused.code, RefusalCode::Unsupported);
}

/// The user says how a container is.
#[expect(clippy::expect_used, reason = "helpers of tests may panic like tests")]
fn say(stage: &mut Stage, said: TaskStatusInput) -> Result<serde_json::Value, Refusal> {
    stage.alone.perform(&mut stage.cx, &Input::TaskStatus(said)).expect("a container has it")
}

#[test]
fn a_container_status_can_be_set_by_hand() {
    let mut play = Play::new(PACKAGE);
    let manual: ProcessBehaviour =
        serde_json::from_str(r#"{"target": {"task": "*-server"}, "behaviour": {"manual": true}}"#)
            .expect("a behaviour");
    let stage = &mut play.stage;
    stage.alone.with_fleet(&mut stage.cx, |fleet, cx| fleet.set_behaviour(cx, &manual));
    play.play("load\nrun 30");
    assert_eq!(play.stage.status("shop/deploy/main/web"), "IN_PROGRESS");
    let said = |state: &str, readiness_exit| TaskStatusInput {
        task: "web-0-server".into(),
        state: state.into(),
        service: Some("shop".into()),
        readiness_exit,
        healthy: None,
        reason: None,
        message: None,
    };
    let stage = &mut play.stage;
    say(stage, said("TASK_RUNNING", None)).expect("heard");
    stage.run_for(2_000);
    assert_eq!(words(&stage.view("shop")), ["web-0 NotReady Running"]);
    say(stage, said("TASK_RUNNING", Some(0))).expect("heard");
    stage.run_for(2_000);
    assert_eq!(words(&stage.view("shop"))[0], "web-0 Running Running");
    let refused = say(stage, said("TASK_ODD", None)).expect_err("no state");
    assert_eq!(refused.message, "`TASK_ODD` is not a state of a container");
    let nobody = TaskStatusInput { task: "nobody".into(), ..said("TASK_RUNNING", None) };
    let input = Input::TaskStatus(nobody);
    assert_eq!(stage.alone.perform(&mut stage.cx, &input), None, "nobody has it");
}
