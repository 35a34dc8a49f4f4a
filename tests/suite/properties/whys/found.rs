//! Worlds in which an explanation was once wrong.

use super::*;

/// Explains an element of an example at an instant, and tries the proposals.
fn asked(id: &str, at_ms: u64, parts: [&str; 4]) -> (Why, Vec<(String, Helps)>) {
    let engine = world_of(id, 0, at_ms);
    let [service, plan, phase, step] = parts;
    let part = |text: &str| (!text.is_empty()).then(|| text.into());
    let path = ElementPath {
        dialect: "".into(),
        service: service.into(),
        plan: plan.into(),
        phase: part(phase),
        step: part(step),
    };
    let why = engine.why(&path).expect("an element");
    let ways = ways(&engine, &why).into_iter().map(|way| (way.unblock.title, way.helps)).collect();
    (why, ways)
}

#[test]
fn a_step_before_its_first_evaluation_does_not_mention_declined_offers() {
    let parts = ["hello-world", "deploy", "world", "world-1:[server, sidecar]"];
    let (why, ways) = asked("hello-world", 24_000, parts);
    assert!(!said(&why).contains("declined"), "{}", said(&why));
    assert!(matches!(why.reasons[0].kind, ReasonKind::NextCycle { at_ms: 27_200 }), "{}", said(&why));
    assert_eq!(ways, []);
    // A second before it is looked at, nothing is offered either.
    assert_eq!(asked("hello-world", 26_200, parts).1, []);
}

#[test]
fn a_plan_with_error_for_a_delay_is_not_called_impossible() {
    let service = world_of("backoff", 0, 0).view().services[0].name.clone();
    let (why, _) = asked("backoff", 30_000, [&service, "deploy", "", ""]);
    assert_eq!(&*why.status, "ERROR");
    assert!(said(&why).contains("a DELAYED step below it"), "{}", said(&why));
    assert!(!said(&why).contains("does not permit"), "{}", said(&why));
}

#[test]
fn a_check_that_passed_without_a_report_is_not_called_failing() {
    let dropped = json!({ "kind": "fault", "fault": "status-dropped", "target": {} });
    let definition = "name: ready
pods:
  db:
    count: 1
    tasks:
      node:
        goal: RUNNING
        cmd: ./db
        cpus: 0.5
        memory: 64
        readiness-check: {cmd: ./ready, interval: 30, timeout: 5}
";
    let mut engine = Engine::new(planarium_world::Genesis::default());
    let machines = json!({ "kind": "add-agent", "count": 1 });
    let load = json!({ "kind": "load-service", "dialect": "sdk", "files": { "svc.yml": definition } });
    let behaviour =
        json!({ "kind": "process-behaviour", "target": {}, "behaviour": { "readiness": [1, 0] } });
    for input in [machines, behaviour, load] {
        engine.apply(read(&input)).outcome.expect("accepted");
    }
    let path = ElementPath {
        dialect: "sdk".into(),
        service: "ready".into(),
        plan: "deploy".into(),
        phase: Some("db".into()),
        step: Some("db-0:[node]".into()),
    };
    let until = planarium_world::Condition::parse("deploy/db/db-0:[node]=STARTED").expect("a condition");
    assert!(engine.run_until(&until, 60_000).met, "{:?}", engine.why(&path));
    engine.apply(read(&dropped)).outcome.expect("accepted");
    engine.advance_for(60_000);
    let why = engine.why(&path).expect("a step");
    assert!(
        why.sentence.contains("its readiness check has passed, but no status has told"),
        "{}",
        said(&why)
    );
}

#[test]
fn a_failed_plan_names_the_check_and_not_the_cleanup() {
    let service = world_of("cleanup-is-failure", 0, 0).view().services[0].name.clone();
    let (why, _) = asked("cleanup-is-failure", 60_000, [&service, "deploy", "", ""]);
    assert!(why.sentence.contains("front-20 failed: warm_up exited with code 1"), "{}", said(&why));
    let (phase, _) = asked("cleanup-is-failure", 60_000, [&service, "deploy", "front", ""]);
    assert!(phase.sentence.contains("warm_up exited with code 1"), "{}", said(&phase));
}

#[test]
fn a_step_that_fits_nowhere_has_ways_out() {
    let parts = ["marathon", "deployment-2", "step-1", "RestartApplication /shop/web"];
    let (why, ways) = asked("marathon-stuck-deployment", 40_000, parts);
    let helps =
        |wanted: &str| ways.iter().find(|(title, _)| title.contains(wanted)).map(|(_, helps)| helps.clone());
    assert_eq!(helps("Add 2 machines with room for one each"), Some(Helps::Moves), "{ways:?}");
    // The deployment is given up, and nothing waits after it: the first button does not add machines.
    assert_eq!(helps("Roll deployment-2 back"), Some(Helps::Settles), "{ways:?}");
    assert_eq!(ways.first().map(|(_, helps)| helps), Some(&Helps::Settles), "{ways:?}");
    assert_eq!(helps("Stop deployment-2 where it is"), Some(Helps::Ends), "{ways:?}");
    assert!(said(&why).contains("agent-2 is nearest: needs 6 cpus, 4 offered"), "{}", said(&why));
    // What an operator tries first comes first.
    let titles: Vec<&str> = why.unblock.iter().map(|unblock| unblock.title.as_str()).collect();
    let by_force = "Ask for 3.5 cpus instead of 6 in /shop/web, by force; deployment-2 is given up for it";
    let order = [
        by_force,
        "Roll deployment-2 back",
        "Add 2 machines with room for one each",
        "Stop deployment-2 where it is",
    ];
    assert_eq!(titles, order);
    assert_eq!(helps(by_force), Some(Helps::Settles), "{ways:?}");
    // With force the apps themselves continue: the one that does not fit and the one that waits for it.
    let (_, ways) = asked("marathon-stuck-deployment", 40_000, ["marathon", "apps", "shop", "web"]);
    assert!(ways.contains(&(by_force.to_owned(), Helps::Moves)), "{ways:?}");
    let (_, ways) = asked("marathon-stuck-deployment", 40_000, ["marathon", "apps", "shop", "front"]);
    let restart = "Restart /shop/front by force; deployment-2 is given up for it";
    assert!(ways.contains(&(restart.to_owned(), Helps::Moves)), "{ways:?}");
}

#[test]
fn a_held_plan_is_resumed_whatever_reason_comes_first() {
    let service = world_of("pause-and-delay", 0, 0).view().services[0].name.clone();
    let (why, ways) = asked("pause-and-delay", 90_000, [&service, "deploy", "window", "third"]);
    assert!(said(&why).contains("The plan is held"), "{}", said(&why));
    assert!(
        ways.iter().any(|(title, helps)| title.starts_with("Resume") && *helps == Helps::Moves),
        "{ways:?}"
    );
}

/// A package whose pod needs a key of a missing Secret, and this much of a machine.
fn package(cpu: &str) -> Value {
    let operator = "apiVersion: kudo.dev/v1beta1
name: door
operatorVersion: 0.1.0
kubernetesVersion: 1.17.0
tasks:
- name: app
  kind: Apply
  spec: {resources: [app.yaml]}
plans:
  deploy:
    strategy: serial
    phases:
    - name: main
      strategy: serial
      steps:
      - name: app
        tasks: [app]
";
    let app = format!(
        "apiVersion: apps/v1
kind: Deployment
metadata: {{name: web}}
spec:
  replicas: 2
  selector: {{matchLabels: {{app: web}}}}
  template:
    metadata: {{labels: {{app: web}}}}
    spec:
      volumes: [{{name: key, secret: {{secretName: house}}}}]
      containers:
      - name: web
        image: nginx
        resources: {{requests: {{cpu: {cpu}}}}}
        volumeMounts: [{{name: key, mountPath: /key}}]
"
    );
    let params = "apiVersion: kudo.dev/v1beta1\nparameters: []\n";
    json!({ "kind": "load-service", "dialect": "kudo", "name": "door", "files":
        { "operator.yaml": operator, "params.yaml": params, "templates/app.yaml": app } })
}

#[test]
fn a_package_that_lacks_a_secret_or_room_has_ways_out() {
    let found = |cpu: &str| {
        let mut engine = Engine::new(planarium_world::Genesis::default());
        let machines =
            json!({ "kind": "add-agent", "count": 2, "resources": { "cpus": 4, "mem": 4096, "disk": 9000 } });
        for input in [machines, package(cpu)] {
            engine.apply(read(&input)).outcome.expect("accepted");
        }
        engine.advance_for(30_000);
        let path = ElementPath {
            dialect: "kudo".into(),
            service: "door".into(),
            plan: "deploy".into(),
            phase: Some("main".into()),
            step: Some("app".into()),
        };
        let why = engine.why(&path).expect("a step");
        (said(&why), ways(&engine, &why).into_iter().map(|way| way.unblock.title).collect::<Vec<_>>())
    };
    let (text, ways) = found("100m");
    assert!(ways.contains(&"Create the Secret house, empty".to_owned()), "{ways:?} {text}");
    let (text, ways) = found("6");
    assert!(
        ways.contains(&"Lower what the pod requests, in the template or by its parameter".to_owned()),
        "{ways:?} {text}"
    );
}

#[test]
fn a_request_set_by_one_parameter_is_lowered_by_that_parameter() {
    let (why, ways) = asked("kudo-stuck-deploy", 30_000, ["shop", "deploy", "web", "servers"]);
    let title = "Set the parameter CPUS to 4 instead of 6, for which there is room";
    assert!(ways.contains(&(title.to_owned(), Helps::Moves)), "{ways:?} {}", said(&why));
    assert!(!why.unblock.iter().any(|unblock| unblock.title.starts_with("Lower what")), "{}", said(&why));
}

/// The explanation of an element of an example's world, after something was done to it.
fn after(id: &str, seed: u64, at_ms: u64, (deed, later): (&Value, u64), parts: [&str; 4]) -> Why {
    let mut engine = world_of(id, seed, at_ms);
    if !deed.is_null() {
        engine.apply(read(deed)).outcome.expect("accepted");
    }
    engine.advance_for(later);
    let part = |text: &str| (!text.is_empty()).then(|| text.into());
    let [service, plan, phase, step] = parts;
    let path = ElementPath {
        dialect: "".into(),
        service: service.into(),
        plan: plan.into(),
        phase: part(phase),
        step: part(step),
    };
    engine.why(&path).expect("an element")
}

#[test]
fn a_relaunched_app_does_not_wait_for_the_deployment_that_locks_it() {
    let deed = json!({ "kind": "fault", "fault": "crash-loop", "target": {}, "for_ms": 17_681 });
    let parts = ["marathon", "apps", "shop", "db"];
    let why = after("marathon-app-on-db", 11, 4_905, (&deed, 1_294), parts);
    let is_turn = |reason: &Reason| matches!(reason.kind, ReasonKind::NotItsTurn { .. });
    assert!(
        why.reasons.iter().any(|reason| matches!(reason.kind, ReasonKind::Backoff { .. })),
        "{}",
        said(&why)
    );
    assert!(why.reasons.iter().any(|reason| reason.text.contains("has it locked")), "{}", said(&why));
    assert!(!why.reasons.iter().any(is_turn), "{}", said(&why));
}

#[test]
fn the_next_health_check_is_not_the_end_of_the_wait() {
    let why =
        after("marathon-rollback", 18, 68_868, (&Value::Null, 7_954), ["marathon", "apps", "shop", "web"]);
    let next = why.reasons.iter().find(|reason| reason.text.contains("the next look is at"));
    let next = next.unwrap_or_else(|| panic!("{}", said(&why)));
    assert_eq!(promised(&next.kind), None, "{}", said(&why));
}

#[test]
fn a_step_of_the_recovery_is_not_called_active() {
    let service = world_of("cleanup-is-failure", 0, 0).view().services[0].name.clone();
    let parts = [&*service, "deploy", "front", "front-900"];
    let why = after("cleanup-is-failure", 40, 3_825, (&Value::Null, 544), parts);
    assert!(said(&why).contains("It belongs to the recovery"), "{}", said(&why));
    assert!(why.reasons.iter().all(|reason| promised(&reason.kind).is_none()), "{}", said(&why));
    // A later step names the active one.
    let engine = world_of("cleanup-is-failure", 0, 3_825);
    let later = elements(&engine.view()).into_iter().filter_map(|(path, ..)| engine.why(&path));
    let waits =
        later.filter(|why| why.reasons.iter().any(|reason| reason.text.contains("waits for its turn")));
    let mut seen = 0;
    for why in waits {
        seen += 1;
        assert!(!why.reasons.iter().any(|reason| reason.text.starts_with("It is ")), "{}", said(&why));
    }
    assert!(seen > 0, "some step waits for its turn");
}

#[test]
fn an_instance_whose_check_has_not_passed_gets_no_promised_instant() {
    let deed = json!({ "kind": "process-behaviour", "target": {}, "behaviour": { "manual": true } });
    let why = after("skopos-beside-sdk", 0, 4_000, (&deed, 1_000), ["shop", "deploy", "", ""]);
    let earliest = "front-n0 is in service at 9.000s at the earliest, once its readiness check has passed";
    assert!(why.reasons.iter().any(|reason| reason.text == earliest), "{}", said(&why));
}

#[test]
fn a_reason_common_to_several_pods_is_given_once() {
    for (id, parts) in [
        ("kubernetes-first-rollout", ["shop", "deployment.web", "", ""]),
        ("kudo-first-operator", ["shop", "deploy", "web", "servers"]),
    ] {
        let (why, _) = asked(id, 1_000, parts);
        let fetched = why.reasons.iter().filter(|reason| reason.text.ends_with("is being fetched")).count();
        assert_eq!(fetched, 1, "{}", said(&why));
        assert_eq!(said_twice(&why), None);
    }
}

#[test]
fn a_step_that_has_finished_with_a_pod_does_not_block_it() {
    let parts = ["contention", "repair", "repair", "db-0:[node, backup]"];
    let why = after("two-plans-one-pod", 5, 28_904, (&Value::Null, 3_071), parts);
    assert!(
        why.reasons.iter().any(|reason| matches!(reason.kind, ReasonKind::NextCycle { .. })),
        "{}",
        said(&why)
    );
    assert!(!said(&why).contains("is being worked on"), "{}", said(&why));
}

#[test]
fn an_instance_without_its_reservation_can_be_wiped() {
    let mut engine = world_of("marathon-resident", 22, 4_577);
    engine.apply(read(&json!({ "kind": "remove-agent", "agent": "agent-2" }))).outcome.expect("accepted");
    engine.advance_for(16_424);
    let path = ElementPath {
        dialect: "".into(),
        service: "marathon".into(),
        plan: "apps".into(),
        phase: Some("(no group)".into()),
        step: Some("db".into()),
    };
    let why = engine.why(&path).expect("an app");
    let found = ways(&engine, &why);
    assert!(found.iter().any(|way| way.unblock.title.starts_with("Wipe db.")), "{found:?} {}", said(&why));
    assert!(!why.unblock.iter().any(|way| way.title.starts_with("Add ")), "{}", said(&why));
}

#[test]
fn checks_that_fail_from_now_on_are_shown_on_their_machine() {
    let mut engine = world_of("marathon-backoff", 31, 26_284);
    let unready = json!({ "kind": "process-behaviour", "target": {}, "behaviour": { "readiness": [1] } });
    let _ = engine.apply(read(&unready));
    engine.advance_for(14_716);
    assert_eq!(wrong(&mut engine, false), None);
}
