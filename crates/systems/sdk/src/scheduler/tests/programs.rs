//! Programs of packages at work: lost pods that come back their own way, and changes that are refused.

use super::bench::{Bench, loaded};
use crate::programs::tests::{CASSANDRA, HDFS};
use crate::scheduler::{Cx, Scheduler};
use planarium_mesos::api::TaskState;
use planarium_protocol::input::PodOp;

/// The program of a definition's first line, and the definition.
fn parts(text: &str) -> (&str, &str) {
    let (first, rest) = text.split_once('\n').expect("several lines");
    (first.rsplit_once('=').expect("an environment").1, rest)
}

fn deployed(text: &str, machines: usize) -> Bench {
    let (program, yaml) = parts(text);
    let mut bench = Bench::with_env(yaml, &[("PLANARIUM_PROGRAM", program)]);
    for n in 1..=machines {
        bench.machine(&format!("a{n}"), 8, 8192);
    }
    bench.deploy();
    bench
}

/// The recovery plan's phases as `name status [step status, …]`.
fn recovery(bench: &Bench) -> Vec<String> {
    let view = bench.scheduler.view();
    let plan = view.plans.iter().find(|plan| &*plan.name == "recovery").expect("always there");
    let phase = |phase: &planarium_protocol::view::PhaseView| {
        let steps: Vec<String> =
            phase.steps.iter().map(|step| format!("{} {}", step.name, step.status)).collect();
        format!("{} {} [{}]", phase.name, phase.strategy, steps.join(", "))
    };
    plan.phases.iter().map(|view| phase(view)).collect()
}

/// A pod is replaced: its tasks are asked to end, and do.
fn replaced(bench: &mut Bench, pod: &str, tasks: &[&str]) {
    bench.pod(PodOp::Replace, pod, &[]).expect("replaced");
    for task in tasks {
        bench.status(task, TaskState::Killed);
    }
    bench.advance(5_000);
}

fn launched(bench: &mut Bench) -> Vec<String> {
    let calls = std::mem::take(&mut bench.calls);
    let launch = |call: String| Some(call.strip_prefix("launch ")?.split(' ').next()?.to_owned());
    calls.into_iter().filter_map(launch).collect()
}

fn command(bench: &Bench, task: &str) -> String {
    bench.scheduler.state.tasks.named(task).expect("stored").command.to_string()
}

#[test]
fn a_lost_seed_keeps_its_old_address_and_the_others_are_launched_again() {
    let mut bench = deployed(CASSANDRA, 2);
    replaced(&mut bench, "node-1", &["node-1-server"]);
    let phase = |statuses: [&str; 3]| {
        let [one, zero, two] = statuses;
        format!(
            "permanent-node-failure-recovery serial [node-1:[server] {one}, node-0:[server] {zero}, \
             node-2:[server] {two}]"
        )
    };
    assert_eq!(recovery(&bench), [phase(["PREPARED", "PENDING", "PENDING"])]);
    bench.round();
    assert_eq!(launched(&mut bench), ["node-1-server"]);
    let own = "run -Dcassandra.replace_address=10.0.0.1 -Dcassandra.consistent.rangemovement=false\n";
    assert_eq!(command(&bench, "node-1-server"), own);
    assert_eq!(recovery(&bench), [phase(["STARTING", "PENDING", "PENDING"])]);
    bench.status("node-1-server", TaskState::Running);
    bench.advance(5_000);
    assert_eq!(recovery(&bench), [phase(["COMPLETE", "PREPARED", "PENDING"])]);
    assert!(bench.taken().contains("kill node-0-server"), "a running node is launched again in its place");
    let home = bench.host("node-0-server");
    bench.status("node-0-server", TaskState::Killed);
    bench.advance(5_000);
    assert_eq!(
        recovery(&bench),
        [phase(["COMPLETE", "PREPARED", "PENDING"])],
        "it is being recovered already"
    );
    bench.round();
    assert_eq!(launched(&mut bench), ["node-0-server"]);
    assert_eq!(bench.host("node-0-server"), home);
    assert_eq!(command(&bench, "node-0-server"), "  run \n");
    bench.status("node-0-server", TaskState::Running);
    bench.advance(5_000);
    bench.status("node-2-server", TaskState::Killed);
    bench.round();
    bench.all_run();
    assert_eq!(recovery(&bench), [phase(["COMPLETE", "COMPLETE", "COMPLETE"])]);

    bench.taken();
    // When it fails now, it is launched by the definition's command again.
    bench.status("node-1-server", TaskState::Failed);
    bench.advance(5_000);
    bench.round();
    assert_eq!(launched(&mut bench), ["node-1-server"]);
    assert_eq!(command(&bench, "node-1-server"), "  run \n");
    assert_eq!(
        recovery(&bench),
        ["node-1:[server] parallel [node-1:[server] STARTING]"],
        "in place of the other"
    );
}

#[test]
fn a_lost_node_that_is_not_a_seed_recovers_alone() {
    let mut bench = deployed(CASSANDRA, 2);
    replaced(&mut bench, "node-2", &["node-2-server"]);
    assert_eq!(recovery(&bench), ["permanent-node-failure-recovery serial [node-2:[server] PREPARED]"]);
    bench.round();
    assert_eq!(launched(&mut bench), ["node-2-server"]);
    bench.all_run();
    // A failure in place is recovered as by every scheduler.
    bench.status("node-0-server", TaskState::Failed);
    bench.advance(5_000);
    let phases = recovery(&bench);
    assert_eq!(
        phases.last().map(String::as_str),
        Some("node-0:[server] parallel [node-0:[server] PREPARED]")
    );
    assert_eq!(phases.len(), 2);
}

#[test]
fn two_seeds_lost_at_once_have_separate_phases() {
    let mut bench = deployed(CASSANDRA, 2);
    bench.pod(PodOp::Replace, "node-0", &[]).expect("replaced");
    bench.pod(PodOp::Replace, "node-1", &[]).expect("replaced");
    bench.status("node-0-server", TaskState::Killed);
    bench.status("node-1-server", TaskState::Killed);
    bench.status("node-2-server", TaskState::Failed);
    bench.advance(5_000);
    let names: Vec<String> =
        recovery(&bench).iter().map(|phase| phase.split(',').next().unwrap_or_default().to_owned()).collect();
    assert_eq!(
        names,
        [
            "permanent-node-failure-recovery serial [node-0:[server] PREPARED",
            "permanent-node-failure-recovery serial [node-1:[server] PREPARED",
            "node-2:[server] parallel [node-2:[server] PREPARED]",
        ],
        "the program's own phases first"
    );
}

#[test]
fn a_lost_journal_node_gets_its_data_back_first() {
    let mut bench = deployed(HDFS, 7);
    let of = |pods: &[&str]| pods.iter().map(|pod| bench.host(&format!("{pod}-node"))).collect::<Vec<_>>();
    let mut apart = of(&["journal-0", "journal-1", "journal-2", "name-0", "name-1"]);
    apart.sort();
    apart.dedup();
    assert_eq!(apart.len(), 5, "journal and name nodes are on machines of their own");
    replaced(&mut bench, "journal-2", &["journal-2-node"]);
    let phase = |bootstrap: &str, node: &str| {
        format!(
            "permanent-journal-failure-recovery serial [journal-2:[bootstrap] {bootstrap}, journal-2:[node] {node}]"
        )
    };
    assert_eq!(recovery(&bench), [phase("PREPARED", "PENDING")]);
    bench.round();
    assert_eq!(launched(&mut bench), ["journal-2-bootstrap"]);
    bench.status("journal-2-bootstrap", TaskState::Running);
    bench.status("journal-2-bootstrap", TaskState::Finished);
    bench.advance(5_000);
    assert_eq!(recovery(&bench), [phase("COMPLETE", "PREPARED")]);
    bench.round();
    assert_eq!(launched(&mut bench), ["journal-2-node"]);
    bench.all_run();
    assert_eq!(recovery(&bench), [phase("COMPLETE", "COMPLETE")]);

    // A data node comes back as with every scheduler.
    replaced(&mut bench, "data-0", &["data-0-node"]);
    assert_eq!(
        recovery(&bench).last().map(String::as_str),
        Some("data-0:[node] parallel [data-0:[node] PREPARED]")
    );
}

#[test]
fn a_name_node_lost_during_in_place_recovery_is_replaced() {
    let mut bench = deployed(HDFS, 7);
    bench.status("name-0-node", TaskState::Failed);
    bench.status("name-0-zkfc", TaskState::Killed);
    bench.advance(5_000);
    assert_eq!(recovery(&bench), ["name-0:[node, zkfc] parallel [name-0:[node, zkfc] PREPARED]"]);
    bench.pod(PodOp::Replace, "name-0", &[]).expect("replaced");
    bench.advance(5_000);
    assert_eq!(
        recovery(&bench),
        ["permanent-name-failure-recovery serial [name-0:[bootstrap] PREPARED, name-0:[node, zkfc] PENDING]"]
    );
}

#[test]
fn programs_have_their_own_refusals_of_changes() {
    // definition, environment before, replaced, by, environment after, part of the error or nothing
    let cases = [
        (CASSANDRA, "", "    count: 3", "    count: 4", "", ""),
        (
            CASSANDRA,
            "",
            "    count: 3",
            "    count: 3\n    placement: '@zone:GROUP_BY:2'",
            "",
            "Field: 'node.PlacementRule'; Transition: 'Optional[IsLocalRegionRule]' => 'Optional[AndRule{rules=\
             [IsLocalRegionRule, RoundRobinByZoneRule{zone-count=Optional[2], task-filter=RegexMatcher{pattern=\
             'node-.*'}}]}]'; Message: 'PlacementRule cannot change from ",
        ),
        (CASSANDRA, "", "", "", "TASKCFG_ALL_CASSANDRA_LOCATION_RACK=a", ""),
        (
            CASSANDRA,
            "TASKCFG_ALL_CASSANDRA_LOCATION_RACK=a",
            "",
            "",
            "TASKCFG_ALL_CASSANDRA_LOCATION_RACK=a",
            "",
        ),
        (
            CASSANDRA,
            "TASKCFG_ALL_CASSANDRA_LOCATION_RACK=a",
            "",
            "",
            "TASKCFG_ALL_CASSANDRA_LOCATION_RACK=b",
            "Field: 'node.server.env.CASSANDRA_LOCATION_RACK'; Transition: 'a' => 'b'; Message: 'Env value \
             CASSANDRA_LOCATION_RACK cannot change'; Fatal: false",
        ),
        (
            CASSANDRA,
            "TASKCFG_ALL_CASSANDRA_LOCATION_DATA_CENTER=a",
            "",
            "",
            "",
            "Transition: 'a' => 'null'; Message: 'Env value CASSANDRA_LOCATION_DATA_CENTER cannot be unset",
        ),
        (
            HDFS,
            "",
            "    placement: 'hostname:LIKE:a.*'",
            "    placement: '@zone:GROUP_BY:2'",
            "",
            "name.PlacementRule",
        ),
        (HDFS, "", "    placement: 'hostname:LIKE:a.*'\n", "", "", ""),
    ];
    for (text, before, from, to, after, want) in cases {
        let (program, yaml) = parts(text);
        let with = |env: &str, yaml: &str| {
            let program = ("PLANARIUM_PROGRAM", program);
            let more = env.split_once('=');
            loaded(yaml, &std::iter::once(program).chain(more).collect::<Vec<_>>())
        };
        let mut cx = Cx::new(1);
        let (first, _) = Scheduler::start(&mut cx, &with(before, yaml), None).expect("starts");
        let changed = if from.is_empty() { yaml.to_owned() } else { yaml.replacen(from, to, 1) };
        let (next, _) = Scheduler::start(&mut cx, &with(after, &changed), Some(&first)).expect("starts");
        let errors = next.refused().join("\n");
        assert_eq!(errors.is_empty(), want.is_empty(), "{to} {after}: {errors}");
        assert!(errors.contains(want), "{to} {after}: {errors}");
    }
}
