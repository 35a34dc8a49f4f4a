//! Instances over their lives: parameters, triggers, upgrades, deletion, and what admission refuses.

#![expect(clippy::format_collect, clippy::type_complexity, reason = "helpers of tests")]

use super::script::Play;

/// A package with plans of Dummy tasks: `done` ends at once, `never` never does.
fn package(plans: &[(&str, &str)], params: &str) -> String {
    let plans: String = plans
        .iter()
        .map(|(name, task)| {
            format!(
                "  {name}:\n    strategy: serial\n    phases:\n      - name: main\n        strategy: serial\n        steps:\n\
                 \x20         - {{ name: work, tasks: [{task}] }}\n"
            )
        })
        .collect();
    format!(
        "# file: operator.yaml\nname: shop\noperatorVersion: \"1.0.0\"\nkubernetesVersion: 1.16.0\ntasks:\n\
         \x20 - {{ name: done, kind: Dummy, spec: {{ done: true }} }}\n  - {{ name: never, kind: Dummy, spec: {{ done: false }} }}\n\
         \x20 - {{ name: fatal, kind: Dummy, spec: {{ wantErr: true, fatal: true }} }}\nplans:\n{plans}\
         # file: params.yaml\nparameters:\n{params}"
    )
}

const ONE: &str = "  - name: A\n    default: \"1\"\n";

#[test]
fn parameters_start_the_plan_they_name_else_update_else_deploy() {
    // Plans, parameters, the change, the plan that runs.
    let cases: &[(&[(&str, &str)], &str, &str, &str)] = &[
        (&[("deploy", "done")], ONE, "A=2", "deploy"),
        (&[("deploy", "done"), ("update", "done")], ONE, "A=2", "update"),
        (
            &[("deploy", "done"), ("update", "done"), ("scale", "done")],
            "  - name: A\n    default: \"1\"\n    trigger: scale\n",
            "A=2",
            "scale",
        ),
    ];
    for (plans, params, set, ran) in cases {
        let mut play = Play::new(&package(plans, params));
        play.play("load\n until deploy COMPLETE\n run 5");
        let before = play.stage.instance("shop").unwrap();
        let uid = |value: &serde_json::Value| {
            value["status"]["planStatus"][ran]["uid"].as_str().unwrap_or("").to_owned()
        };
        play.play(&format!("set {set}\n run 2\n is {ran} COMPLETE"));
        let after = play.stage.instance("shop").unwrap();
        assert_ne!(uid(&before), uid(&after), "{ran} has run");
        for (plan, _) in plans.iter().filter(|(plan, _)| plan != ran) {
            let uid = |value: &serde_json::Value| value["status"]["planStatus"][plan]["uid"].clone();
            assert_eq!(uid(&before), uid(&after), "{plan} has not");
        }
        // Setting the same value again is not a change.
        play.play(&format!("set {set}\n run 2"));
        assert_eq!(uid(&after), uid(&play.stage.instance("shop").unwrap()));
    }
}

const BUSY: &[(&str, &str)] =
    &[("deploy", "done"), ("update", "done"), ("long", "never"), ("cleanup", "done")];

#[test]
fn admission_refuses_with_the_real_words() {
    let two = "  - name: A\n    default: \"1\"\n    trigger: long\n  - name: B\n    default: \"1\"\n    trigger: deploy\n\
               \x20 - name: C\n    default: \"1\"\n    immutable: true\n  - name: N\n    type: integer\n    default: 1\n\
               \x20 - name: E\n    default: x\n    enum: [x, y]\n  - name: R\n    required: true\n    trigger: nowhere\n";
    // The first change, the refused one, and the reason.
    let cases = [
        ("", "start nothing", "plan nothing does not exist"),
        (
            "",
            "start cleanup",
            "failed to update Instance default/shop: only the controller schedules the 'cleanup' plan when the instance is deleted",
        ),
        (
            "",
            "set X=1",
            "failed to update Instance default/shop: failed to find parameter \"X\" in the OperatorVersion",
        ),
        (
            "",
            "set C=2",
            "failed to check immutable parameters for Instance default/shop: parameter 'C' is immutable but was changed from '1' to '2'",
        ),
        (
            "",
            "set A=2 B=2",
            "failed to update Instance default/shop: triggering multiple plans: [[long deploy]] at once is not allowed",
        ),
        (
            "",
            "set R=2",
            "failed to update Instance default/shop: param R defined trigger plan nowhere, but plan not defined in operatorversion",
        ),
        (
            "start long",
            "set B=2",
            "failed to update Instance default/shop: plan 'long' is scheduled (or running) and an update would trigger a different plan 'deploy'",
        ),
        (
            "start long",
            "start deploy",
            "failed to update Instance default/shop: overriding currently scheduled (or running) plan 'long' with 'deploy' is not supported",
        ),
        (
            "start long",
            "patch instance/shop {\"spec\":{\"planExecution\":{\"planName\":\"\"}}}",
            "failed to update Instance default/shop: cancelling currently scheduled (or running) plan 'long' is not supported",
        ),
        (
            "start long",
            "upgrade \"1.0.0\" -> \"1.1.0\"",
            "failed to update Instance default/shop: upgrade to new OperatorVersion {  shop-1.1.0    } while a plan 'long' is scheduled (or running) is not allowed",
        ),
        (
            "",
            "upgrade \"1.0.0\" -> \"0.9.0\"",
            "upgraded version 0.9.0 is the same or smaller as current version 1.0.0 -> not upgrading",
        ),
        (
            "remove",
            "set B=2",
            "failed to update Instance default/shop: parameter update and/or upgrade is not allowed when an instance is being deleted",
        ),
        (
            "remove",
            "start deploy",
            "failed to update Instance default/shop: only 'cleanup' plan can be scheduled when an instance is being deleted",
        ),
    ];
    let text = package(BUSY, two);
    let mut base = Play::new(&text);
    base.play("load R=1\n until deploy COMPLETE\n run 2");
    for (first, line, reason) in cases {
        let mut play = Play::new(&text);
        play.stage = base.stage.clone();
        play.play(&format!("{first}\n {line}\n refused {reason}"));
        // The refused change left nothing.
        play.play("run 3");
    }
}

#[test]
fn invalid_instances_are_refused_at_creation() {
    let params = "  - name: N\n    type: integer\n    default: 1\n  - name: E\n    default: x\n    enum: [x, y]\n  - name: R\n";
    let mut play = Play::new(&package(&[("deploy", "done")], params));
    play.play("load R=1\n until deploy COMPLETE");
    let cases = [
        ("N", "abc", "parameters are not valid: "),
        ("E", "z", "parameters are not valid: "),
        ("R", "", "parameters are not valid: "),
    ];
    for (key, value, reason) in cases {
        let body = serde_json::json!({
            "apiVersion": "kudo.dev/v1beta1", "kind": "Instance", "metadata": { "name": "other" },
            "spec": { "operatorVersion": { "name": "shop-1.0.0" }, "parameters": { key: value } },
        });
        let path = "/kube/apis/kudo.dev/v1beta1/namespaces/default/instances";
        let response = play.stage.send(&planarium_part::Request::new("POST", path, body.to_string()));
        let text = String::from_utf8_lossy(&response.body).into_owned();
        assert_eq!(response.status, 403, "{text}");
        assert!(text.contains("admission webhook \\\"instance-admission.kudo.dev\\\" denied the request: failed to create an Instance default/other: "), "{text}");
        assert!(text.contains(reason), "{text}");
    }
    let body = r#"{"apiVersion": "kudo.dev/v1beta1", "kind": "Instance", "metadata": {"name": "other"}, "spec": {"operatorVersion": {"name": "nope"}}}"#;
    let path = "/kube/apis/kudo.dev/v1beta1/namespaces/default/instances";
    let response = play.stage.send(&planarium_part::Request::new("POST", path, body));
    assert_eq!(response.status, 500);
}

#[test]
fn a_running_plan_can_be_restarted() {
    let mut play = Play::new(&package(BUSY, ONE));
    play.play("load\n until deploy COMPLETE\n start long\n run 2\n is long/main/work IN_PROGRESS");
    let uid = |play: &Play| play.stage.instance("shop").unwrap()["spec"]["planExecution"]["uid"].clone();
    let before = uid(&play);
    play.play("restart long\n run 2\n is long/main/work IN_PROGRESS");
    assert_ne!(before, uid(&play));
    play.play("start long\n refused plan long is scheduled (or running) already");
    play.play("restart deploy\n refused plan deploy does not run; start it");
}

#[test]
fn upgrades_run_upgrade_else_update_else_deploy() {
    for (extra, ran) in [("upgrade", "upgrade"), ("update", "update"), ("other", "deploy")] {
        let mut play = Play::new(&package(&[("deploy", "done"), (extra, "done")], ONE));
        play.play("load\n until deploy COMPLETE\n run 2");
        let uid =
            |play: &Play| play.stage.instance("shop").unwrap()["status"]["planStatus"][ran]["uid"].clone();
        let before = uid(&play);
        play.play(&format!(
            "upgrade \"1.0.0\" -> \"1.1.0\"; name: A -> name: B\n run 2\n is {ran} COMPLETE\n \
             has instance/shop /spec/operatorVersion/name shop-1.1.0\n there operatorversion/shop-1.0.0\n there operatorversion/shop-1.1.0"
        ));
        assert_ne!(before, uid(&play));
    }
    let mut play = Play::new(&package(&[("deploy", "done")], ONE));
    play.play("load A=5\n until deploy COMPLETE\n run 2");
    play.play("upgrade \"1.0.0\" -> \"1.1.0\"; name: A -> name: A\\n    immutable: true");
    let mut play = Play::new(&package(&[("deploy", "done")], ONE));
    play.play(
        "load
        until deploy COMPLETE
        run 2
        upgrade \"1.0.0\" -> \"1.1.0\"; name: A -> name: A\\n    immutable: true
        refused parameter 'A' was changed to immutable in operator version shop-1.1.0 but no value was provided",
    );
    play.play("gone operatorversion/shop-1.1.0");
}

#[test]
fn cleanup_runs_before_the_instance_is_deleted() {
    let mut play = Play::new(&package(&[("deploy", "done"), ("cleanup", "done")], ONE));
    play.play(
        "
        load
        until deploy COMPLETE
        has instance/shop /metadata/finalizers/0 kudo.dev.instance.cleanup
        remove
        there instance/shop
        run 3
        gone instance/shop
        ",
    );
    // It replaces the running plan, even one that never ends.
    let mut play = Play::new(&package(&[("deploy", "never"), ("cleanup", "done")], ONE));
    play.play("load\n run 2\n is deploy IN_PROGRESS\n remove\n run 3\n gone instance/shop");
    // A failed cleanup holds the instance until the finalizer is removed by hand.
    let mut play = Play::new(&package(&[("deploy", "done"), ("cleanup", "fatal")], ONE));
    play.play(
        "
        load
        until deploy COMPLETE
        remove
        run 60
        is cleanup FATAL_ERROR
        there instance/shop
        because cleanup: The finalizer kudo.dev.instance.cleanup holds the instance
        patch instance/shop {\"metadata\":{\"finalizers\":null}}
        run 1
        gone instance/shop
        ",
    );
    let mut play = Play::new(&package(&[("deploy", "done"), ("cleanup", "never")], ONE));
    play.play("load\n until deploy COMPLETE\n remove\n run 60\n is cleanup IN_PROGRESS\n there instance/shop\n force\n run 1\n gone instance/shop");
    let mut play = Play::new(&package(&[("deploy", "done")], ONE));
    play.play(
        "load\n until deploy COMPLETE\n remove\n run 1\n gone instance/shop\n load\n until deploy COMPLETE",
    );
}

#[test]
fn every_unfinished_element_has_an_explanation() {
    let play = |script: &str| {
        let mut play = Play::new(&package(BUSY, ONE));
        play.play(script);
        play
    };
    for script in [
        "load",
        "load\n run 1",
        "load\n run 1\n start long\n run 5",
        "load\n run 1\n start long\n run 5\n remove",
        "load\n run 1\n start long\n run 5\n remove\n run 0",
        "load\n run 1\n delete operatorversion/shop-1.0.0\n run 4",
    ] {
        let play = play(script);
        for (_, view) in planarium_part::System::views(&play.stage.daemon) {
            for plan in &view.plans {
                let mut elements = vec![(format!("{}/{}", view.name, plan.name), plan.status.clone())];
                for phase in &plan.phases {
                    elements
                        .push((format!("{}/{}/{}", view.name, plan.name, phase.name), phase.status.clone()));
                    for step in &phase.steps {
                        let path = format!("{}/{}/{}/{}", view.name, plan.name, phase.name, step.name);
                        elements.push((path, step.status.clone()));
                    }
                }
                for (element, status) in elements {
                    assert_eq!(play.stage.status(&element), &*status, "{element}");
                    let why = play.stage.why(&element);
                    assert!(
                        !why.reasons.is_empty() && !why.sentence.is_empty(),
                        "{script}: {element} {why:?}"
                    );
                    if &*status != "COMPLETE" {
                        let more = why.reasons.iter().any(|it| !it.text.is_empty());
                        assert!(more, "{script}: {element}: {why:?}");
                    }
                }
            }
        }
    }
}
