//! Services on their way out.

use super::bench::{Bench, loaded};
use crate::scheduler::{POLL_MS, Scheduler, UNINSTALL_FLAG};
use crate::wire::SdkQuery;
use planarium_mesos::api::TaskState;
use planarium_protocol::input::{PlanOp, PodOp};
use planarium_protocol::refusal::RefusalCode;

const YAML: &str = "\
name: leaving
pods:
  p:
    count: 2
    placement: '[[\"hostname\", \"UNIQUE\"]]'
    tasks:
      main: {goal: RUNNING, cmd: x, cpus: 0.1, memory: 32}
";

fn deployed(yaml: &str) -> Bench {
    let mut bench = Bench::with_env(yaml, &[("DCOS_SERVICE_ACCOUNT_CREDENTIAL", "account.json")]);
    bench.machine("a1", 4, 4096);
    bench.machine("a2", 4, 4096);
    bench.deploy();
    bench
}

fn uninstall(bench: &mut Bench, yaml: &str) {
    bench.restart_with(yaml, &[(UNINSTALL_FLAG, "")]);
    bench.all_run();
    bench.calls.clear();
}

/// Phases with strategy and step names; ids of reservations and tasks left out.
fn outline(bench: &Bench) -> Vec<String> {
    let view = bench.scheduler.view();
    let phases = view.plans[0].phases.iter().map(|phase| {
        let steps = phase.steps.iter().map(|step| {
            let name = step.name.to_string();
            name.split_once("__").map_or_else(
                || if name.starts_with("unreserve-") { "unreserve".to_owned() } else { name.clone() },
                |(head, tail)| format!("{head}__{}", tail.split("__").next().unwrap_or_default()),
            )
        });
        format!("{} {}: {}", phase.name, phase.strategy, steps.collect::<Vec<_>>().join(" "))
    });
    phases.collect()
}

fn code(bench: &Bench, query: &SdkQuery) -> u16 {
    bench.scheduler.query(query, 0).map_or_else(|refusal| refusal.status, |(code, _)| code)
}

#[test]
fn uninstall_from_the_flag_to_the_end() {
    let mut bench = deployed(YAML);
    let hosts = [bench.host("p-0-main"), bench.host("p-1-main")];
    assert_ne!(hosts[0], hosts[1]);
    uninstall(&mut bench, YAML);
    let listed: Vec<String> = bench.scheduler.plans.iter().map(|plan| plan.name().to_string()).collect();
    assert_eq!(listed, ["deploy"]);
    assert_eq!(bench.scheduler.plans.iter().next().expect("a plan").strategy(), "dependency");
    assert_eq!(
        outline(&bench),
        [
            "kill-tasks parallel: kill-task-leaving__p-0-main kill-task-leaving__p-1-main",
            "unreserve-resources-a1 parallel: unreserve unreserve unreserve unreserve unreserve",
            "unreserve-resources-a2 parallel: unreserve unreserve unreserve unreserve unreserve",
            "deregister-service serial: deregister",
        ]
    );
    // One cycle: kills said, reservations awaited.
    bench.advance(5_000);
    assert!(bench.taken().contains("kill p-0-main; kill p-1-main"));
    let five = ["PREPARED"; 5].join(", ");
    assert_eq!(
        bench.show("deploy"),
        format!(
            "IN_PROGRESS | COMPLETE [COMPLETE, COMPLETE] | IN_PROGRESS [{five}] | IN_PROGRESS [{five}] | PENDING \
             [PENDING]"
        )
    );
    assert_eq!(code(&bench, &SdkQuery::Health { verbose: false }), 204);
    for query in [SdkQuery::Pods, SdkQuery::Target, SdkQuery::Properties, SdkQuery::Endpoints] {
        assert_eq!(code(&bench, &query), 404, "{query:?}");
    }
    assert_eq!(bench.pod(PodOp::Restart, "p-0", &[]).expect_err("not served").status, 404);
    assert_eq!(code(&bench, &SdkQuery::Plans), 200);
    bench.status("p-0-main", TaskState::Killed);
    bench.round();
    assert_eq!(bench.show("deploy").matches("PREPARED").count(), 5, "{}", bench.show("deploy"));
    bench.status("p-1-main", TaskState::Killed);
    bench.round();
    assert!(bench.show("deploy").ends_with("PENDING [PENDING]"), "{}", bench.show("deploy"));
    bench.advance(5_000);
    assert!(bench.show("deploy").ends_with("IN_PROGRESS [PREPARED]"), "{}", bench.show("deploy"));
    bench.calls.clear();
    bench.advance(5_000);
    assert_eq!(bench.taken(), "teardown");
    assert!(bench.show("deploy").starts_with("COMPLETE"), "{}", bench.show("deploy"));
    assert!(bench.scheduler.state.tasks.is_empty() && bench.scheduler.is_torn_down());
    assert_eq!(code(&bench, &SdkQuery::Health { verbose: false }), 200);
    // The package manager polls every ten seconds.
    assert_eq!(bench.scheduler.gone(), None);
    bench.advance(POLL_MS);
    assert!(bench.scheduler.gone().is_some());
    assert_eq!(bench.taken(), "", "a framework that is over says nothing more");
    for machine in bench.machines.values() {
        assert!(machine.free.iter().all(|resource| !resource.is_dynamically_reserved()), "{}", machine.free);
    }
}

#[test]
fn an_uninstall_cannot_be_cancelled() {
    let mut bench = deployed(YAML);
    uninstall(&mut bench, YAML);
    let mut cx = bench.cx.clone();
    let refusal =
        Scheduler::start(&mut cx, &loaded(YAML, &[]), Some(&bench.scheduler)).expect_err("too late");
    assert_eq!(refusal.code, RefusalCode::Conflict);
    assert!(refusal.message.contains("exits with code 11"), "{}", refusal.message);
    // With the flag it starts again, and continues with the rest.
    bench.advance(5_000);
    bench.status("p-0-main", TaskState::Killed);
    bench.status("p-1-main", TaskState::Killed);
    bench.offer(&["a1"]);
    uninstall(&mut bench, YAML);
    assert_eq!(outline(&bench).len(), 3, "{:#?}", outline(&bench));
    bench.advance(5_000);
    bench.round();
    bench.advance(10_000);
    assert!(bench.scheduler.is_torn_down());
}

#[test]
fn a_dead_machine_blocks_uninstall_until_it_is_given_up() {
    let mut bench = deployed(YAML);
    let dead = bench.host("p-1-main");
    uninstall(&mut bench, YAML);
    bench.advance(5_000);
    bench.status("p-0-main", TaskState::Killed);
    bench.status("p-1-main", TaskState::Unreachable);
    bench.machines.get_mut(&*dead).expect("there").away = true;
    bench.round();
    bench.advance(600_000);
    assert!(!bench.scheduler.is_torn_down());
    let phase = format!("deploy/unreserve-resources-{dead}");
    assert_eq!(bench.why(&phase), ["child"; 5]);
    assert_eq!(bench.why("deploy/deregister-service/deregister"), ["not-its-turn"]);
    bench.plan(PlanOp::ForceComplete, &phase).expect("forced");
    bench.advance(30_000);
    assert!(bench.scheduler.is_torn_down() && bench.scheduler.gone().is_some());
}

#[test]
fn certificates_are_removed_and_missing_ones_are_not_awaited() {
    let tls = YAML.replace("cpus: 0.1", "cpus: 0.1, transport-encryption: [{name: x, type: TLS}]");
    let mut bench = deployed(&tls);
    bench.pod(PodOp::Replace, "p-1", &[]).expect("replaced");
    bench.status("p-1-main", TaskState::Error);
    uninstall(&mut bench, &tls);
    let names: Vec<String> =
        outline(&bench).iter().map(|line| line.split(' ').next().unwrap_or_default().to_owned()).collect();
    let first = format!("unreserve-resources-{}", bench.host("p-0-main"));
    assert_eq!(names, ["kill-tasks", &*first, "tls-cleanup", "deregister-service"]);
    bench.advance(5_000);
    assert!(
        bench.show("deploy").contains("| COMPLETE [COMPLETE] | PENDING [PENDING]"),
        "{}",
        bench.show("deploy")
    );
}

#[test]
fn a_plan_completed_by_hand_ends_without_a_teardown() {
    let mut bench = deployed(YAML);
    uninstall(&mut bench, YAML);
    bench.plan(PlanOp::ForceComplete, "deploy").expect("forced");
    bench.advance(POLL_MS);
    assert!(bench.scheduler.gone().is_some() && !bench.scheduler.is_torn_down());
}
