//! Pods: containers, probes, restarts, images, volumes, ends.

#![expect(clippy::expect_used, reason = "helpers of tests")]

use crate::support::{Yard, documents};
use planarium_kube::{DeleteOptions, KindId, ObjectRef, Propagation, WhyKind};
use planarium_protocol::input::{Behaviour, FaultKind, Target};
use serde_json::json;

fn pod(spec: &str) -> String {
    format!(
        "apiVersion: v1\nkind: Pod\nmetadata: {{name: one, labels: {{app: one}}}}\nspec:\n  {}\n",
        spec.replace('\n', "\n  ")
    )
}

fn shown(yard: &Yard) -> String {
    yard.get(KindId::POD, "one")
        .map_or_else(|| "gone".to_owned(), |pod| pod.pod().expect("a pod").shown.to_string())
}

#[test]
fn final_view() {
    for (spec, seconds, expected) in [
        ("containers: [{name: a, image: nginx}]", 20, "Running"),
        ("restartPolicy: Never\ncontainers: [{name: a, image: x, command: ['true']}]", 20, "Completed"),
        ("restartPolicy: Never\ncontainers: [{name: a, image: x, command: [sh, -c, 'exit 2']}]", 20, "Error"),
        (
            "restartPolicy: OnFailure\ncontainers: [{name: a, image: x, command: [sh, -c, 'exit 2']}]",
            30,
            "CrashLoopBackOff",
        ),
        ("containers: [{name: a, image: x, command: ['true']}]", 40, "CrashLoopBackOff"),
        ("restartPolicy: Never\ncontainers: [{name: a, image: nginx}]", 20, "Running"),
        ("restartPolicy: Never\ncontainers: [{name: a, image: x, command: [sleep, '5']}]", 11, "Completed"),
        ("restartPolicy: Never\ncontainers: [{name: a, image: x, command: [sleep, '500']}]", 60, "Running"),
        (
            "initContainers: [{name: i, image: x, command: [sh, -c, 'exit 1']}]\ncontainers: [{name: a, image: nginx}]",
            20,
            "Init:CrashLoopBackOff",
        ),
        (
            "restartPolicy: Never\ninitContainers: [{name: i, image: x, command: ['false']}]\ncontainers: [{name: a, image: nginx}]",
            20,
            "Init:Error",
        ),
        (
            "initContainers: [{name: i, image: x, command: [sleep, '60']}]\ncontainers: [{name: a, image: nginx}]",
            20,
            "Init:0/1",
        ),
        ("initContainers: [{name: i, image: x}]\ncontainers: [{name: a, image: nginx}]", 40, "Running"),
        ("containers: [{name: a, image: bad-image}]", 20, "ImagePullBackOff"),
        ("containers: [{name: a, image: 'Not An Image'}]", 20, "InvalidImageName"),
        ("containers: [{name: a, image: 'x:1', imagePullPolicy: Never}]", 20, "ErrImageNeverPull"),
        (
            "containers: [{name: a, image: nginx, env: [{name: X, valueFrom: {configMapKeyRef: {name: nope, key: k}}}]}]",
            20,
            "CreateContainerConfigError",
        ),
        (
            "containers: [{name: a, image: nginx}]\nvolumes: [{name: v, configMap: {name: nope}}]",
            20,
            "ContainerCreating",
        ),
        (
            "containers: [{name: a, image: nginx}]\nvolumes: [{name: v, persistentVolumeClaim: {claimName: nope}}]",
            20,
            "Pending",
        ),
        ("activeDeadlineSeconds: 15\ncontainers: [{name: a, image: nginx}]", 40, "DeadlineExceeded"),
        ("containers: [{name: a, image: nginx, resources: {requests: {cpu: 64}}}]", 5, "Pending"),
        (
            "nodeName: node-1\ncontainers: [{name: a, image: nginx, resources: {requests: {cpu: 64}}}]",
            5,
            "OutOfcpu",
        ),
        ("schedulerName: other\ncontainers: [{name: a, image: nginx}]", 5, "Pending"),
    ] {
        let mut yard = Yard::new(1);
        yard.create(&pod(spec));
        yard.run(seconds);
        assert_eq!(shown(&yard), expected, "{spec}\n{}", yard.story());
        let finished = matches!(expected, "Running" | "Completed");
        let whys = yard.why(KindId::POD, "one");
        assert_eq!(whys.is_empty(), finished, "{spec}: {whys:?}");
    }
}

#[test]
fn init_containers_run_one_after_the_other() {
    let mut yard = Yard::new(1);
    yard.create(&pod("initContainers: [{name: first, image: x, command: [sleep, '3']}, {name: second, image: x, command: [sleep, '3']}]\ncontainers: [{name: main, image: nginx}, {name: side, image: nginx}]"));
    yard.run(40);
    let started = yard.told(0, &["Started"]);
    let names: Vec<&str> = started.iter().filter_map(|line| line.rsplit(' ').next()).collect();
    assert_eq!((&names[..2], names.len()), (&["first", "second"][..], 4), "{names:?}");
    assert_eq!(shown(&yard), "Running");
    let conditions = yard.get(KindId::POD, "one").expect("there").pod().expect("a pod").conditions;
    assert!(conditions.iter().all(|cond| cond.status == "True"), "{conditions:?}");
}

#[test]
fn probes_decide() {
    let probe = |kind: &str, command: &str, rest: &str| {
        pod(&format!(
            "containers: [{{name: a, image: nginx, {kind}: {{exec: {{command: [sh, -c, '{command}']}}, {rest}}}}}]"
        ))
    };
    // Readiness that passes later, by a behaviour rule.
    let mut yard = Yard::new(1);
    let behaviour = Behaviour { readiness: vec![1, 1, 0, 0, 1, 1, 1, 0], ..Behaviour::default() };
    yard.behave(Target { pod: Some("one".to_owned()), ..Target::default() }, behaviour);
    yard.create(&probe("readinessProbe", "check", "periodSeconds: 5, successThreshold: 2"));
    let ready = |yard: &Yard| yard.ready("app=one") == 1;
    yard.run_until(20, |yard| shown(yard) == "Running");
    let after = yard.run_until(60, ready);
    assert!((12..=20).contains(&after), "the fourth check, after 15 s: {after}");
    let after = yard.run_until(60, |yard| !ready(yard));
    assert!((11..=16).contains(&after), "three failures more: {after}");
    assert!(!yard.told(0, &["Unhealthy"]).is_empty());

    // Liveness that fails ends the container, which is started again.
    let mut yard = Yard::new(1);
    yard.create(&probe(
        "livenessProbe",
        "exit 1",
        "initialDelaySeconds: 5, periodSeconds: 5, failureThreshold: 2",
    ));
    yard.run(40);
    let facts = yard.get(KindId::POD, "one").expect("there").pod().expect("a pod");
    assert!(facts.restarts >= 1, "{facts:?}");
    assert!(yard.told(0, &["Killing"])[0].ends_with("Container a failed liveness probe, will be restarted"));

    // A startup probe that never passes keeps it from being ready.
    let mut yard = Yard::new(1);
    yard.create(&probe("startupProbe", "false", "periodSeconds: 5, failureThreshold: 3"));
    yard.run(15);
    assert!(!ready(&yard));
    assert!(yard.told(0, &["Unhealthy"]).iter().any(|line| line.contains("Startup probe failed")));
}

#[test]
fn the_first_restart_is_immediate_and_later_ones_are_delayed() {
    let mut yard = Yard::new(1);
    yard.create(&pod("containers: [{name: a, image: 'x:1', command: [sh, -c, 'exit 1']}]"));
    yard.run(900);
    let backs: Vec<u64> = yard
        .events
        .iter()
        .filter(|event| matches!(&event.body, planarium_protocol::EventBody::Happened { what, .. } if &**what == "Started"))
        .map(|event| event.at.ms() / 1000)
        .collect();
    let gaps: Vec<u64> = backs.windows(2).map(|pair| pair[1] - pair[0]).collect();
    for (gap, delay) in gaps.iter().zip([0, 10, 20, 40, 80, 160, 300]) {
        assert!((delay..delay + 10).contains(gap), "{gaps:?}");
    }
    let status = yard.value(KindId::POD, "one");
    let waiting = &status["status"]["containerStatuses"][0]["state"]["waiting"];
    assert_eq!(waiting["reason"], "CrashLoopBackOff");
    assert!(
        waiting["message"]
            .as_str()
            .expect("text")
            .starts_with("back-off 5m0s restarting failed container=a pod=one_default(")
    );
    assert_eq!(status["status"]["containerStatuses"][0]["lastState"]["terminated"]["exitCode"], 1);
}

#[test]
fn waits_end_when_the_object_appears() {
    let mut yard = Yard::new(1);
    yard.create(&pod("containers: [{name: a, image: nginx, envFrom: [{secretRef: {name: s}}]}]\nvolumes: [{name: v, configMap: {name: c}}, {name: d, persistentVolumeClaim: {claimName: p}}]"));
    yard.run(3);
    assert_eq!(shown(&yard), "Pending");
    assert_eq!(
        yard.told(0, &["FailedScheduling"])[0],
        "pod/one: 0/1 nodes are available: persistentvolumeclaim \"p\" not found. preemption: 0/1 nodes are available: 1 Preemption is not helpful for scheduling."
    );
    yard.create("{apiVersion: v1, kind: PersistentVolumeClaim, metadata: {name: p}, spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}}");
    yard.run(8);
    assert_eq!(shown(&yard), "ContainerCreating");
    assert_eq!(yard.why(KindId::POD, "one")[0].0, WhyKind::MissingVolume);
    assert_eq!(
        yard.told(0, &["FailedMount"]),
        ["pod/one: MountVolume.SetUp failed for volume \"v\" : configmap \"c\" not found"]
    );
    yard.create("{apiVersion: v1, kind: ConfigMap, metadata: {name: c}, data: {}}");
    yard.run(8);
    assert_eq!(shown(&yard), "CreateContainerConfigError");
    yard.create("{apiVersion: v1, kind: Secret, metadata: {name: s}, stringData: {a: b}}");
    yard.run(12);
    assert_eq!(shown(&yard), "Running");
}

#[test]
fn a_container_may_use_its_whole_grace_period() {
    for (container, most_ms, least_ms) in [
        ("{name: a, image: nginx}", 2_100, 200),
        // A shell that runs a script does not pass the signal on.
        ("{name: a, image: x, command: [sh, -c, 'while true; do sleep 1; done']}", 30_100, 30_000),
        (
            "{name: a, image: x, command: [sh, -c, 'trap exit TERM; while true; do sleep 1; done']}",
            2_100,
            200,
        ),
        ("{name: a, image: nginx, lifecycle: {preStop: {exec: {command: [sleep, '10']}}}}", 12_100, 10_200),
    ] {
        let mut yard = Yard::new(1);
        yard.create(&pod(&format!("containers: [{container}]")));
        yard.run(20);
        let from = yard.now();
        yard.delete(KindId::POD, "one", Propagation::Background);
        assert_eq!(shown(&yard), "Terminating");
        while yard.get(KindId::POD, "one").is_some() {
            yard.until(yard.now() + 100);
        }
        let took = yard.now() - from;
        assert!((least_ms..=most_ms).contains(&took), "{container}: {took}");
    }
}

#[test]
fn by_force() {
    let mut yard = Yard::new(1);
    yard.create(&pod(
        "terminationGracePeriodSeconds: 600\ncontainers: [{name: a, image: x, command: [sleep, infinity]}]",
    ));
    yard.run(20);
    let one = ObjectRef::new(KindId::POD, "default", "one");
    yard.kube.delete(&mut yard.cx, one, &DeleteOptions::default()).expect("there");
    yard.run(60);
    assert_eq!(shown(&yard), "Terminating");
    // A shorter grace period counts from now.
    yard.kube
        .delete(&mut yard.cx, one, &DeleteOptions { grace_s: Some(5), ..DeleteOptions::default() })
        .expect("there");
    yard.run(6);
    assert_eq!(shown(&yard), "gone");
    yard.create(&pod("containers: [{name: a, image: nginx}]"));
    yard.run(20);
    yard.kube
        .delete(&mut yard.cx, one, &DeleteOptions { grace_s: Some(0), ..DeleteOptions::default() })
        .expect("there");
    assert_eq!(shown(&yard), "gone");
    yard.run(1);
    assert_eq!(yard.fleet.process_ids().count(), 0);
}

#[test]
fn faults_strike_containers() {
    for (fault, seconds, expected, restarts) in [
        (FaultKind::TaskFail, 20, "Running", 1),
        (FaultKind::TaskOom, 20, "Running", 1),
        (FaultKind::TaskKill, 20, "Running", 1),
        (FaultKind::CrashLoop, 60, "CrashLoopBackOff", 3),
    ] {
        let mut yard = Yard::new(1);
        yard.create(&pod("containers: [{name: a, image: nginx}]"));
        yard.run(20);
        yard.fault(
            fault,
            Target { task: Some("a".to_owned()), pod: Some("one".to_owned()), ..Target::default() },
            None,
        );
        yard.run(seconds);
        let facts = yard.get(KindId::POD, "one").expect("there").pod().expect("a pod");
        assert_eq!((&*facts.shown, facts.restarts >= restarts), (expected, true), "{fault:?} {facts:?}");
    }
    let mut yard = Yard::new(1);
    yard.create(&pod("containers: [{name: a, image: nginx}]"));
    yard.run(20);
    yard.fault(FaultKind::TaskOom, Target { pod: Some("one".to_owned()), ..Target::default() }, None);
    yard.run(20);
    assert_eq!(
        yard.value(KindId::POD, "one")["status"]["containerStatuses"][0]["lastState"]["terminated"]["reason"],
        "OOMKilled"
    );
}

#[test]
fn an_image_that_is_temporarily_unavailable() {
    let mut yard = Yard::new(1);
    let fault = yard.fault(FaultKind::ImageMissing, Target::default(), None);
    yard.create(&pod("containers: [{name: a, image: nginx}]"));
    yard.run(20);
    assert_eq!(shown(&yard), "ImagePullBackOff");
    yard.clear(&fault);
    yard.run(40);
    assert_eq!(shown(&yard), "Running");
}

#[test]
fn a_held_command_continues_when_released() {
    let mut yard = Yard::new(1);
    yard.create(&pod("restartPolicy: Never\ncontainers: [{name: a, image: x, command: [sleep, '10']}]"));
    yard.run_until(20, |yard| shown(yard) == "Running");
    let fault = yard.fault(FaultKind::Hang, Target::default(), None);
    yard.run(60);
    assert_eq!((shown(&yard).as_str(), yard.kube.one_shots() > 0), ("Running", true));
    yard.clear(&fault);
    yard.run(5);
    assert_eq!(shown(&yard), "Completed");
}

#[test]
fn statuses_set_by_hand() {
    let mut yard = Yard::new(1);
    yard.behave(Target::default(), Behaviour { manual: Some(true), ..Behaviour::default() });
    yard.create(&pod("containers: [{name: a, image: nginx, readinessProbe: {exec: {command: [check]}}}]"));
    yard.run(60);
    assert_eq!(
        (shown(&yard).as_str(), yard.why(KindId::POD, "one")[0].0),
        ("ContainerCreating", WhyKind::Held)
    );
    let mut say = |state: &str, exit: Option<i32>| {
        let said = serde_json::from_value(json!({"task": "one-a", "state": state, "readiness_exit": exit}))
            .expect("a status");
        yard.kube.task_status(&mut yard.cx, &mut yard.fleet, &said).expect("said");
        yard.run(1);
        (shown(&yard), yard.ready("app=one"))
    };
    assert_eq!(say("TASK_RUNNING", None), ("Running".to_owned(), 0));
    assert_eq!(say("TASK_RUNNING", Some(0)), ("Running".to_owned(), 1));
    assert_eq!(say("TASK_FAILED", None).1, 0);
}

#[test]
fn a_new_image_restarts_the_container() {
    let mut yard = Yard::new(1);
    yard.create(&pod("containers: [{name: a, image: 'nginx:1'}, {name: b, image: 'redis:1'}]"));
    yard.run(20);
    let one = ObjectRef::new(KindId::POD, "default", "one");
    let patch = planarium_kube::Patch::Strategic(
        json!({"spec": {"containers": [{"name": "a", "image": "nginx:2"}]}}),
    );
    yard.kube.patch(&mut yard.cx, one, planarium_kube::Part::Whole, &patch).expect("images may change");
    yard.run(20);
    let value = yard.value(KindId::POD, "one");
    let restarts = |at: usize| value["status"]["containerStatuses"][at]["restartCount"].clone();
    assert_eq!((restarts(0), restarts(1)), (json!(1), json!(0)), "{}", yard.story());
    assert_eq!(value["status"]["containerStatuses"][0]["image"], "nginx:2");
    let refused = yard.patch(KindId::POD, "one", json!({"spec": {"hostname": "x"}})).expect_err("fixed");
    assert!(refused.contains("pod updates may not change fields other than"), "{refused}");
    let _ = documents("");
}
