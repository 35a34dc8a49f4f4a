//! Configuration updates: mixed versions, recovery meanwhile, refused changes, roll back.

use super::bench::{Bench, loaded};
use super::walkthrough::SEED;
use crate::scheduler::Scheduler;
use crate::wire::SdkQuery;
use planarium_mesos::api::TaskState;
use planarium_protocol::input::PodOp;
use planarium_protocol::refusal::RefusalCode;

const PODS: &str = "\
name: mixed
pods:
  hello: {count: 1, tasks: {server: {goal: RUNNING, cmd: sleep 1000, cpus: 0.5, memory: 64}}}
  world: {count: 2, tasks: {server: {goal: RUNNING, cmd: sleep 1000, cpus: 1.0, memory: 64}}}
";

fn cpus(amount: &str, hellos: u32) -> String {
    PODS.replace("cpus: 1.0", &format!("cpus: {amount}")).replacen("count: 1", &format!("count: {hellos}"), 1)
}

fn deployed(yaml: &str) -> Bench {
    let mut bench = Bench::new(yaml);
    for host in ["a1", "a2", "a3"] {
        bench.machine(host, 8, 8192);
    }
    bench.deploy();
    bench
}

/// Restarts, and lets the first statuses come in.
fn update(bench: &mut Bench, yaml: &str) {
    bench.restart(yaml);
    bench.all_run();
    bench.advance(5_000);
}

/// One round: old tasks end, offers come, launched tasks run.
fn round(bench: &mut Bench, dying: &[&str]) {
    for task in dying {
        bench.status(task, TaskState::Killed);
    }
    bench.advance(5_000);
    bench.round();
    bench.all_run();
    bench.advance(5_000);
}

fn config(bench: &Bench, task: &str) -> String {
    bench.scheduler.state.tasks.named(task).expect(task).config.to_string()
}

#[test]
fn a_second_change_during_a_rollout() {
    let mut bench = deployed(&cpus("1.0", 1));
    let first = bench.scheduler.configs.target.id.to_string();
    update(&mut bench, &cpus("2.0", 2));
    let second = bench.scheduler.configs.target.id.to_string();
    assert_eq!(
        bench.show("deploy"),
        "IN_PROGRESS | IN_PROGRESS [COMPLETE, PREPARED] | PENDING [PENDING, PENDING]"
    );
    round(&mut bench, &[]);
    round(&mut bench, &["world-0-server"]);
    assert_eq!(
        bench.show("deploy"),
        "IN_PROGRESS | COMPLETE [COMPLETE, COMPLETE] | IN_PROGRESS [COMPLETE, PREPARED]"
    );
    assert_eq!((config(&bench, "world-0-server"), config(&bench, "world-1-server")), (second, first));
    // Two versions run; a third becomes the target, and every world pod has to move to it.
    update(&mut bench, &cpus("1.5", 2));
    assert_eq!(bench.scheduler.configs.versions.len(), 3);
    assert_eq!(
        bench.show("deploy"),
        "IN_PROGRESS | COMPLETE [COMPLETE, COMPLETE] | IN_PROGRESS [PREPARED, PENDING]"
    );
    let home = bench.host("world-0-server");
    bench.calls.clear();
    round(&mut bench, &["world-0-server"]);
    assert!(bench.taken().starts_with("unreserve 1"), "2.0 cpus shrink to 1.5");
    assert_eq!(bench.host("world-0-server"), home);
    round(&mut bench, &["world-1-server"]);
    assert!(bench.show("deploy").starts_with("COMPLETE"), "{}", bench.show("deploy"));
    // Ids that nothing refers to are forgotten with the next start.
    update(&mut bench, &cpus("1.5", 2));
    assert_eq!(bench.scheduler.configs.versions.len(), 1);
}

#[test]
fn a_rollback_does_not_touch_unchanged_pods() {
    let mut bench = deployed(&cpus("1.0", 1));
    update(&mut bench, &cpus("2.0", 1));
    let id = bench.id("world-1-server");
    round(&mut bench, &["world-0-server"]);
    assert_eq!(bench.show("deploy"), "IN_PROGRESS | COMPLETE [COMPLETE] | IN_PROGRESS [COMPLETE, PREPARED]");
    update(&mut bench, &cpus("1.0", 1));
    // The end of world-1 was requested before the rollback; its process is alive and wanted again.
    assert_eq!(bench.show("deploy"), "IN_PROGRESS | COMPLETE [COMPLETE] | IN_PROGRESS [PREPARED, COMPLETE]");
    round(&mut bench, &["world-0-server"]);
    assert!(bench.show("deploy").starts_with("COMPLETE"), "{}", bench.show("deploy"));
    assert_eq!(bench.id("world-1-server"), id);
}

#[test]
fn a_pod_that_fails_before_its_turn_restarts_in_its_old_version() {
    let mut bench = deployed(&cpus("1.0", 1));
    let old = bench.scheduler.configs.target.id.to_string();
    update(&mut bench, &cpus("2.0", 1));
    bench.status("world-1-server", TaskState::Failed);
    bench.advance(5_000);
    assert_eq!(bench.show("recovery"), "IN_PROGRESS | IN_PROGRESS [PREPARED]");
    bench.round();
    bench.all_run();
    assert_eq!(bench.show("recovery"), "COMPLETE | COMPLETE [COMPLETE]");
    assert_eq!(config(&bench, "world-1-server"), old);
    // The pod that deploy is working on is deploy's alone.
    bench.status("world-0-server", TaskState::Failed);
    bench.advance(5_000);
    assert_eq!(bench.show("recovery"), "COMPLETE | COMPLETE [COMPLETE]");
    round(&mut bench, &[]);
    assert_ne!(config(&bench, "world-0-server"), old);
}

#[test]
fn permanently_lost_tasks_count_as_updated() {
    let mut bench = deployed(&cpus("1.0", 1));
    bench.pod(planarium_protocol::input::PodOp::Replace, "world-1", &[]).expect("replaced");
    update(&mut bench, &cpus("2.0", 1));
    assert_eq!(config(&bench, "world-1-server"), bench.scheduler.configs.target.id.to_string());
    assert_ne!(config(&bench, "world-0-server"), bench.scheduler.configs.target.id.to_string());
    assert!(bench.show("deploy").ends_with("[PREPARED, COMPLETE]"), "{}", bench.show("deploy"));
}

#[test]
fn a_refused_change_keeps_the_old_target_working() {
    let mut bench = deployed(&cpus("1.0", 2));
    let target = bench.scheduler.configs.target.id.clone();
    let bad = cpus("2.0", 1);
    update(&mut bench, &bad);
    assert_eq!(bench.scheduler.configs.target.id, target);
    assert_eq!(bench.show("deploy"), "ERROR | COMPLETE [COMPLETE, COMPLETE] | COMPLETE [COMPLETE, COMPLETE]");
    let (code, body) = bench.scheduler.query(&SdkQuery::Plan { name: "deploy".into() }, 0).expect("a plan");
    let text = "Field: 'PodSpec[name:hello]'; Transition: '2' => '1'; Message: 'PodSpec named 'hello' has 1 tasks, \
                expected >=2 tasks'; Fatal: false";
    assert_eq!((code, body["status"].as_str(), body["errors"][0].as_str()), (417, Some("ERROR"), Some(text)));
    let (health, _) = bench.scheduler.query(&SdkQuery::Health { verbose: false }, 0).expect("a code");
    assert_eq!(health, 500);
    assert_eq!(bench.why("deploy"), ["errored"]);
    // Recovery continues, with the old version.
    bench.status("world-1-server", TaskState::Failed);
    round(&mut bench, &[]);
    assert_eq!(bench.show("recovery"), "COMPLETE | COMPLETE [COMPLETE]");
    assert_eq!(config(&bench, "world-1-server"), target.to_string());
    // The same again is refused again; a good one clears the errors.
    update(&mut bench, &bad);
    assert!(bench.show("deploy").starts_with("ERROR"));
    update(&mut bench, &cpus("1.0", 2));
    assert!(bench.show("deploy").starts_with("COMPLETE"));
    assert_eq!(bench.scheduler.configs.target.id, target);
}

/// A target that the real scheduler's validators refuse is read, judged and not taken over; only the first start fails.
#[test]
fn validator_refusals_keep_the_old_target() {
    let good = cpus("1.0", 1);
    let base = deployed(&good);
    for (from, to, text) in [
        ("count: 1,", "count: 1, placement: 'hostname:UNIK',", "Field: 'PlacementRule'"),
        ("count: 1,", "count: 1, placement: '[[\"hostname\", \"MAX_PER\"]]',", "MAX_PER"),
        ("cpus: 1.0", "resource-limits: {cpus: '0.5'}, cpus: 1.0", "Field: 'ResourceLimits'"),
    ] {
        let bad = good.replacen(from, to, 1);
        assert_ne!(bad, good, "{from}");
        let mut bench = base.clone();
        let target = bench.scheduler.configs.target.id.clone();
        update(&mut bench, &bad);
        assert_eq!(bench.scheduler.configs.target.id, target, "{to}");
        let (code, body) =
            bench.scheduler.query(&SdkQuery::Plan { name: "deploy".into() }, 0).expect("a plan");
        let error = body["errors"][0].as_str().unwrap_or_default();
        assert!(code == 417 && error.contains(text) && error.contains("Fatal: false"), "{to}: {code} {body}");
        assert_eq!(crate::Scheduler::findings_against(&loaded(&bad, &[]), Some(&base.scheduler)), [], "{to}");
        let refusal =
            Scheduler::start(&mut base.cx.clone(), &loaded(&bad, &[]), None).expect_err("none before");
        assert!(refusal.message.starts_with("The definition has an error"), "{}", refusal.message);
    }
}

#[test]
fn a_refused_change_lets_unfinished_steps_continue() {
    let mut bench = Bench::new(&cpus("1.0", 2));
    bench.machine("a1", 8, 8192);
    bench.round();
    bench.all_run();
    update(&mut bench, &cpus("1.0", 1));
    assert!(bench.show("deploy").starts_with("ERROR"), "{}", bench.show("deploy"));
    for _ in 0..6 {
        round(&mut bench, &[]);
    }
    assert_eq!(bench.show("deploy"), "ERROR | COMPLETE [COMPLETE, COMPLETE] | COMPLETE [COMPLETE, COMPLETE]");
    assert!(!bench.scheduler.state.completed_once, "a plan in ERROR is not seen complete");
}

#[test]
fn fatal_errors_and_a_bad_first_definition_stop_the_start() {
    let bench = deployed(&cpus("1.0", 1));
    let other_user = format!("{}scheduler: {{user: nobody}}\n", cpus("1.0", 1));
    let mut cx = bench.cx.clone();
    let refusal =
        Scheduler::start(&mut cx, &loaded(&other_user, &[]), Some(&bench.scheduler)).expect_err("fatal");
    assert_eq!(refusal.code, RefusalCode::InvalidDefinition);
    assert!(
        refusal.message.contains("exit code 1") && refusal.message.contains("Transition: 'root' => 'nobody'"),
        "{}",
        refusal.message
    );
}

#[test]
fn tasks_without_a_plan_are_killed_at_registration() {
    let with = "\
name: side
pods:
  p:
    count: 1
    tasks:
      main: {goal: RUNNING, cmd: x, cpus: 0.1, memory: 32}
      side: {goal: RUNNING, cmd: x, cpus: 0.1, memory: 32}
plans:
  deploy: {phases: {p: {pod: p, steps: [{default: [[main, side]]}]}}}
";
    let mut bench = deployed(with);
    let without = with.replace("[[main, side]]", "[[main]]");
    bench.restart(&without);
    assert_eq!(bench.taken(), "kill p-0-side; reconcile 2; reconcile 0");
    bench.status("p-0-side", TaskState::Killed);
    bench.all_run();
    bench.advance(10_000);
    assert_eq!(bench.show("recovery"), "COMPLETE", "nobody brings it back");
    assert!(bench.scheduler.state.tasks.named("p-0-side").is_some(), "what is known of it is kept");
}

#[test]
fn a_seed_definition_updates_only_changed_pods() {
    let mut bench = deployed(SEED);
    // Placement, count and permission to decommission make a new target and move nothing.
    let changed = SEED.replacen("count: 1", "count: 1\n    allow-decommission: true", 1);
    let (target, id) = (bench.scheduler.configs.target.id.clone(), bench.id("hello-0-server"));
    update(&mut bench, &changed);
    assert_ne!(bench.scheduler.configs.target.id, target);
    assert!(bench.show("deploy").starts_with("COMPLETE"));
    assert_eq!(bench.id("hello-0-server"), id);
    assert_eq!(bench.scheduler.configs.versions.len(), 1, "all tasks stand for the new target");
}

#[test]
fn certificates_need_a_service_account() {
    let tls = cpus("1.0", 1).replacen(
        "cpus: 0.5",
        "cpus: 0.5, transport-encryption: [{name: server, type: TLS}]",
        1,
    );
    let start = |yaml: &str, credential: Option<&str>| {
        let mut cx = Bench::new(&cpus("1.0", 1)).cx.clone();
        let env: Vec<_> = credential.iter().map(|path| ("DCOS_SERVICE_ACCOUNT_CREDENTIAL", *path)).collect();
        let loaded = loaded(yaml, &env);
        let found: Vec<String> = Scheduler::findings_against(&loaded, None)
            .iter()
            .map(|finding| finding.code.to_string())
            .collect();
        let started = Scheduler::start(&mut cx, &loaded, None).map(drop).map_err(|refusal| refusal.message);
        (started, found)
    };
    let text = "Field: 'transport-encryption'; Value: ''; Message: 'Scheduler is missing a service account";
    for none in [None, Some("")] {
        let (refused, found) = start(&tls, none);
        assert!(refused.as_ref().is_err_and(|message| message.contains(text)), "{refused:?}");
        assert_eq!(found, ["SDK206"]);
    }
    let missing = loaded(&tls, &[]).missing;
    assert_eq!(&*missing[0].name, "DCOS_SERVICE_ACCOUNT_CREDENTIAL", "the Environment tab asks for it");
    for (yaml, credential) in
        [(&tls, Some("secrets/service-account.json")), (&cpus("1.0", 1), None), (&cpus("1.0", 1), Some(""))]
    {
        assert_eq!(start(yaml, credential), (Ok(()), vec![]), "{credential:?}");
    }
}

#[test]
fn a_task_that_changes_its_resource_set_is_ended_first() {
    let own = "name: s\npods:\n  p: {count: 1, tasks: {t: {goal: RUNNING, cmd: x, cpus: 0.5, memory: 64}}}\n";
    let set = "name: s\npods:\n  p:\n    count: 1\n    resource-sets: {main: {cpus: 0.5, memory: 64}}\n    \
               tasks: {t: {goal: RUNNING, cmd: x, resource-set: main}}\n";
    let mut bench = deployed(own);
    bench.restart(set);
    bench.all_run();
    bench.calls.clear();
    bench.advance(5_000);
    assert_eq!(bench.taken(), "kill p-0-t; revive");
    round(&mut bench, &["p-0-t"]);
    assert_eq!(bench.show("deploy"), "COMPLETE | COMPLETE [COMPLETE]");
    assert_eq!(bench.tasks.len(), 1);
}

#[test]
fn after_a_replace_the_old_reservation_is_not_a_reason() {
    let mut bench = Bench::new(&cpus("1.0", 1));
    for host in ["a1", "a2"] {
        bench.machine(host, 4, 4096);
    }
    bench.deploy();
    let home = bench.host("world-0-server");
    update(&mut bench, &cpus("6.0", 1));
    round(&mut bench, &["world-0-server"]);
    let step = "deploy/world/world-0:[server]";
    let sentence = |bench: &Bench| bench.scheduler.why(&bench.path(step)).expect("exists").sentence;
    assert!(sentence(&bench).contains(&format!("its reservations are on {home}")), "{}", sentence(&bench));
    bench.machine("a3", 8, 8192);
    bench.offer(&["a3"]);
    assert!(bench.taken().ends_with("decline a3 3600s"), "the pod is tied to its machine");
    bench.pod(PodOp::Replace, "world-0", &[]).expect("replaced");
    bench.advance(60_000);
    assert!(!bench.taken().contains("revive"), "the step is no new work, so nobody asks for offers again");
    let why = bench.scheduler.why(&bench.path(step)).expect("exists");
    let texts: Vec<&str> = why.reasons.iter().map(|reason| reason.text.as_str()).collect();
    assert!(!texts.concat().contains("reservations"), "{texts:?}");
    let named = texts.iter().find(|text| text.contains("declined until")).expect("the machines are named");
    assert!(named.contains("a3") && named.contains(" min ") && named.contains("no new work"), "{named}");
    assert_eq!(why.unblock.iter().filter(|remedy| remedy.title.starts_with("Send one round")).count(), 1);
    bench.round();
    assert_eq!(bench.host("world-0-server"), "a3");
}

#[test]
fn recovery_ignores_a_task_that_waits_for_its_first_launch_elsewhere() {
    let yaml = "\
name: two
pods:
  p:
    count: 1
    tasks:
      a: {goal: RUNNING, cmd: x, cpus: 0.1, memory: 32}
      b: {goal: RUNNING, cmd: x, cpus: 0.1, memory: 32, essential: false}
plans:
  deploy: {phases: {p: {pod: p, steps: [{default: [[a], [b]]}]}}}
";
    let mut bench = deployed(yaml);
    update(
        &mut bench,
        &yaml.replace("cmd: x, cpus: 0.1, memory: 32, essential", "cmd: y, cpus: 0.1, memory: 32, essential"),
    );
    bench.pod(PodOp::Replace, "p-0", &[]).expect("accepted");
    bench.status("p-0-a", TaskState::Killed);
    bench.status("p-0-b", TaskState::Killed);
    bench.advance(5_000);
    bench.round();
    assert_eq!(bench.show("deploy"), "STARTING | STARTING [STARTING, PENDING]");
    bench.advance(10_000);
    assert_eq!(bench.show("recovery"), "COMPLETE", "b is the deploy plan's");
    bench.all_run();
    bench.advance(5_000);
    bench.round();
    bench.all_run();
    assert_eq!(bench.show("deploy"), "COMPLETE | COMPLETE [COMPLETE, COMPLETE]");
    bench.advance(5_000);
    assert_eq!(bench.show("recovery"), "COMPLETE");
}

#[test]
fn a_pod_with_only_new_tasks_is_placed_anew() {
    let yaml =
        "name: s\npods:\n  p: {count: 1, tasks: {old: {goal: RUNNING, cmd: x, cpus: 0.5, memory: 64}}}\n";
    let mut bench = deployed(yaml);
    let home = bench.host("p-0-old");
    bench.restart(&yaml.replace("old", "new"));
    assert!(bench.taken().contains("kill p-0-old"), "no plan mentions it");
    bench.status("p-0-old", TaskState::Killed);
    bench.machines.get_mut(&*home).expect("there").away = true;
    bench.advance(10_000);
    bench.round();
    bench.all_run();
    assert_eq!(bench.show("deploy"), "COMPLETE | COMPLETE [COMPLETE]");
    assert_ne!(bench.host("p-0-new"), home);
    assert_eq!(bench.host("p-0-old"), home, "what is known of it is kept, with its reservations");
}
