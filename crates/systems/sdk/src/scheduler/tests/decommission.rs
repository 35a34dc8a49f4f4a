//! Pods that the target no longer has.

use super::bench::Bench;
use crate::wire::SdkQuery;
use planarium_mesos::api::TaskState;
use planarium_protocol::input::PlanOp;
use std::fmt::Write as _;

fn yaml(pods: &[(&str, u32)]) -> String {
    let mut text = "name: shrink\npods:\n".to_owned();
    for (name, count) in pods {
        let _ = write!(
            text,
            "  {name}:\n    count: {count}\n    allow-decommission: true\n    tasks:\n      \
             main: {{goal: RUNNING, cmd: x, cpus: 0.1, memory: 32, volume: {{path: d, type: ROOT, size: 10}}}}\n      \
             side: {{goal: RUNNING, cmd: x, cpus: 0.1, memory: 32}}\n"
        );
    }
    text
}

fn deployed(pods: &[(&str, u32)]) -> Bench {
    let mut bench = Bench::new(&yaml(pods));
    bench.machine("a1", 16, 16_384);
    bench.deploy();
    bench
}

fn restart(bench: &mut Bench, pods: &[(&str, u32)]) {
    bench.restart(&yaml(pods));
    bench.all_run();
    bench.calls.clear();
}

fn status(bench: &Bench, pod: &str) -> String {
    let query = SdkQuery::PodStatus { pod: pod.to_owned() };
    let Ok((_, body)) = bench.scheduler.query(&query, 0) else { return "absent".to_owned() };
    let tasks = body["tasks"].as_array().expect("tasks");
    tasks.iter().map(|task| task["status"].as_str().unwrap_or("none")).collect::<Vec<_>>().join(" ")
}

/// Phase and step names, reservations as `unreserve`.
fn outline(bench: &Bench) -> Vec<String> {
    let view = bench.scheduler.view();
    let plan = view.plans.iter().find(|plan| &*plan.name == "decommission").expect("listed");
    let mut lines = Vec::new();
    for phase in &plan.phases {
        let steps = phase.steps.iter().map(|step| {
            let name = &*step.name;
            if name.starts_with("unreserve-") { "unreserve" } else { name }
        });
        lines.push(format!("{} {}: {}", phase.name, phase.strategy, steps.collect::<Vec<_>>().join(" ")));
    }
    lines
}

#[test]
fn order_and_names() {
    let mut bench = deployed(&[("first", 1), ("zed", 1), ("second", 3), ("gone", 2)]);
    restart(&mut bench, &[("first", 0), ("second", 1)]);
    let names: Vec<String> =
        outline(&bench).iter().map(|line| line.split(' ').next().unwrap_or_default().to_owned()).collect();
    assert_eq!(names, ["gone-1", "gone-0", "zed-0", "second-2", "second-1", "first-0"]);
    assert_eq!(
        outline(&bench)[0],
        "gone-1 serial: kill-gone-1-main kill-gone-1-side unreserve unreserve unreserve unreserve unreserve \
         unreserve unreserve unreserve erase-gone-1-main erase-gone-1-side"
    );
    let listed: Vec<String> = bench.scheduler.plans.iter().map(|plan| plan.name().to_string()).collect();
    assert_eq!(listed, ["deploy", "recovery", "decommission"]);
    assert_eq!(bench.scheduler.plans.iter().nth(2).expect("a plan").strategy(), "serial");
    assert_eq!(status(&bench, "gone-1"), "DECOMMISSIONING DECOMMISSIONING");
    assert_eq!(status(&bench, "second-0"), "RUNNING RUNNING");
}

#[test]
fn one_pod_from_kill_to_erased() {
    let mut bench = deployed(&[("p", 2)]);
    restart(&mut bench, &[("p", 1)]);
    let steps = |from: &str, done: usize, rest: usize| {
        let all: Vec<&str> =
            std::iter::repeat_n("COMPLETE", done).chain(std::iter::repeat_n("PENDING", rest)).collect();
        format!("{from} | {from} [{}]", all.join(", "))
    };
    assert_eq!(bench.show("decommission"), steps("PENDING", 0, 12));
    bench.advance(5_000);
    assert!(bench.taken().contains("kill p-1-main"));
    assert_eq!(bench.show("decommission"), steps("IN_PROGRESS", 1, 11));
    bench.advance(5_000);
    assert!(bench.taken().contains("kill p-1-side"));
    bench.advance(5_000);
    // The first reservation waits for an offer; nothing else may run.
    assert_eq!(bench.show("decommission").matches("PREPARED").count(), 1, "{}", bench.show("decommission"));
    let step = bench.scheduler.view().plans[2].phases[0].steps[2].clone();
    assert_eq!(&*step.reason, "waits for a1 to offer this reservation of p-1");
    let path = format!("decommission/p-1/{}", step.name);
    assert_eq!(bench.why(&path), ["killing", "no-offers"]);
    let why = bench.scheduler.why(&bench.path(&path)).expect("an answer");
    assert_eq!(
        why.unblock.iter().map(|remedy| remedy.title.as_str()).collect::<Vec<_>>(),
        ["Send one offer of a1".to_owned(), format!("Force-complete {}", step.name)]
    );
    bench.status("p-1-main", TaskState::Killed);
    bench.status("p-1-side", TaskState::Killed);
    assert_eq!(bench.show("recovery"), "COMPLETE", "nobody brings it back");
    bench.calls.clear();
    bench.round();
    assert_eq!(bench.taken(), "destroy 1; unreserve 8", "one offer held everything");
    assert_eq!(bench.show("decommission"), steps("IN_PROGRESS", 10, 2));
    bench.advance(5_000);
    assert_eq!(status(&bench, "p-1"), "DECOMMISSIONING", "one task is erased already");
    bench.advance(5_000);
    assert_eq!(status(&bench, "p-1"), "absent");
    assert!(bench.show("decommission").starts_with("COMPLETE | COMPLETE"));
    bench.advance(5_000);
    assert!(bench.taken().ends_with("suppress"));
    // Listed until the next start.
    restart(&mut bench, &[("p", 1)]);
    assert_eq!(bench.show("decommission"), "absent");
    assert_eq!(bench.show("deploy"), "COMPLETE | COMPLETE [COMPLETE]");
}

#[test]
fn a_pod_that_is_wanted_again_before_its_end() {
    let mut bench = deployed(&[("p", 3)]);
    restart(&mut bench, &[("p", 1)]);
    assert_eq!(status(&bench, "p-2"), "DECOMMISSIONING DECOMMISSIONING");
    bench.advance(10_000);
    restart(&mut bench, &[("p", 2)]);
    assert_eq!(status(&bench, "p-1"), "RUNNING RUNNING", "its mark is gone");
    assert_eq!(status(&bench, "p-2"), "DECOMMISSIONING DECOMMISSIONING");
    assert_eq!(outline(&bench).len(), 1);
    assert_eq!(bench.show("deploy"), "COMPLETE | COMPLETE [COMPLETE, COMPLETE]");
}

#[test]
fn a_restart_in_the_middle_continues_with_the_rest() {
    let mut bench = deployed(&[("p", 2)]);
    restart(&mut bench, &[("p", 1)]);
    bench.advance(10_000);
    bench.status("p-1-main", TaskState::Killed);
    bench.status("p-1-side", TaskState::Killed);
    bench.advance(5_000);
    bench.round();
    restart(&mut bench, &[("p", 1)]);
    assert_eq!(
        outline(&bench),
        ["p-1 serial: kill-p-1-main kill-p-1-side erase-p-1-main erase-p-1-side"],
        "what was given back is not waited for again"
    );
    bench.advance(25_000);
    assert_eq!(status(&bench, "p-1"), "absent");
}

#[test]
fn a_lost_machine_is_given_up_step_by_step() {
    let mut bench = deployed(&[("p", 2)]);
    restart(&mut bench, &[("p", 1)]);
    bench.advance(10_000);
    bench.status("p-1-main", TaskState::Lost);
    bench.status("p-1-side", TaskState::Lost);
    bench.machines.get_mut("a1").expect("there").away = true;
    bench.advance(60_000);
    assert_eq!(bench.show("decommission").matches("PREPARED").count(), 1);
    let names: Vec<String> = bench.scheduler.view().plans[2].phases[0].steps[2..10]
        .iter()
        .map(|step| format!("decommission/p-1/{}", step.name))
        .collect();
    for name in names {
        bench.plan(PlanOp::ForceComplete, &name).expect("forced");
    }
    bench.advance(15_000);
    assert!(bench.show("decommission").starts_with("COMPLETE"), "{}", bench.show("decommission"));
    assert_eq!(status(&bench, "p-1"), "absent");
}
