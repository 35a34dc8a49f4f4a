//! Statuses that a framework acknowledges by calls, and what waits for it.

use crate::harness::*;
use planarium_mesos::{
    api::*,
    maintenance::{DrainConfig, decode::OperatorCall},
    wire::{Calendar, MesosQuery},
};
use planarium_protocol::input::FaultKind;

/// One agent; a framework that acknowledges by calls, with a task under manual control.
fn one() -> (Cluster, FrameworkId) {
    let mut c = Cluster::manual();
    c.agents(1, "cpus:4;mem:1024");
    let f = c.outsider("f", |_| {});
    c.accept_with(f, &c.outstanding(f), vec![launch(vec![task("t", "cpus:3")])], Some(0));
    c.heard();
    (c, f)
}

/// States of the tasks on the only machine.
fn listed(c: &Cluster) -> Vec<String> {
    c.master.machines(&c.fleet)[0].tasks.iter().map(|task| task.state.to_string()).collect()
}

fn completed(c: &Cluster, f: FrameworkId) -> Vec<TaskState> {
    c.master.completed_tasks(f).map(|(_, state)| state).collect()
}

fn acknowledgements(c: &Cluster) -> (u64, u64) {
    let calendar = Calendar { epoch_ms: 0, now: c.cx.now() };
    let metrics = c.master.read(calendar, &MesosQuery::Metrics).expect("metrics");
    let of = |key: &str| {
        metrics[format!("master/{key}_status_update_acknowledgements")].as_u64().expect("a count")
    };
    (of("valid"), of("invalid"))
}

#[test]
fn the_next_status_waits_and_the_last_is_repeated() {
    let (mut c, f) = one();
    c.status("t", "STARTING");
    c.advance_to(1_000);
    c.status("t", "RUNNING");
    c.advance_to(700_000);
    // After 10 s, then 20, 40, 80, 160, 320 s.
    assert_eq!(
        c.heard_of_tasks(),
        [0, 10, 30, 70, 150, 310, 630].map(|s| format!("{} t TASK_STARTING", s * 1000))
    );
    assert_eq!(listed(&c), ["TASK_RUNNING"], "the master knows more than the framework");
    let ids: Vec<Option<u32>> = c.statuses.iter().map(|(_, status)| status.number).collect();
    assert!(ids.iter().all(|id| *id == ids[0] && id.is_some()), "it is the same status: {ids:?}");
    assert!(c.statuses.iter().all(|(_, status)| status.timestamp_ms == 0), "made once");
    let first = c.last_status(f).expect("told");
    c.acknowledge(f, &first);
    assert_eq!(c.heard_of_tasks(), ["700000 t TASK_RUNNING"], "the next one comes at once");
    assert_eq!(c.last_status(f).map(|status| status.timestamp_ms), Some(1_000));
    // A repeated acknowledgement has no effect; then send the right one.
    c.acknowledge(f, &first);
    c.acknowledge_last(f);
    c.advance_to(2_000_000);
    assert_eq!(c.heard_of_tasks(), ["710000 t TASK_RUNNING"; 0]);
    assert_eq!(acknowledgements(&c), (3, 0));
}

#[test]
fn the_retry_interval_is_limited_to_ten_minutes() {
    let (mut c, _) = one();
    c.status("t", "STARTING");
    assert_eq!(c.master.one_shots(), 0, "nothing comes of it without somebody outside");
    c.advance_to(4_000_000);
    let told: Vec<u64> = c.statuses.len().try_into().into_iter().collect();
    assert_eq!(told, [12], "0, 10, 30, 70, 150, 310, 630, then every 600 s");
}

#[test]
fn an_ended_task_frees_its_resources_and_is_listed_until_acknowledged() {
    let (mut c, f) = one();
    c.status("t", "RUNNING");
    c.acknowledge_last(f);
    c.advance_to(5_000);
    c.status("t", "FINISHED");
    c.advance_to(6_000);
    assert_eq!(
        c.heard(),
        ["0 t TASK_RUNNING", "1000 OFFERS agent-1", "5000 t TASK_FINISHED", "6000 OFFERS agent-1"]
    );
    assert_eq!((listed(&c), completed(&c, f)), (vec!["TASK_FINISHED".to_owned()], vec![]));
    // Its id is in use, it is known to reconciliation, and killing it does nothing.
    let again = launch(vec![task("t", "cpus:1")]);
    c.accept(f, vec![again.clone()]);
    c.call(f, Call::Reconcile { tasks: Vec::new() });
    c.call(f, Call::Kill { task_id: "t".into(), agent_id: None, grace_ms: None });
    assert_eq!(
        c.heard_of_tasks(),
        ["6000 t TASK_ERROR REASON_TASK_INVALID", "6000 t TASK_FINISHED REASON_RECONCILIATION"]
    );
    c.acknowledge_last(f);
    assert_eq!((listed(&c), completed(&c, f)), (vec![], vec![TaskState::Finished]));
    c.call(f, Call::Reconcile { tasks: Vec::new() });
    c.accept(f, vec![again]);
    assert_eq!(c.heard_of_tasks(), Vec::<String>::new());
    assert_eq!(listed(&c), ["TASK_STAGING"]);
}

/// The master learns of the end with the next retry of the unacknowledged status, and the framework only in order.
#[test]
fn resources_of_an_ended_task_are_freed_before_the_status_update() {
    let (mut c, f) = one();
    c.advance_to(500);
    c.status("t", "STARTING");
    c.status("t", "RUNNING");
    c.status("t", "FAILED");
    c.advance_to(5_000);
    assert_eq!(listed(&c), ["TASK_STARTING"], "nothing but the first was sent");
    c.advance_to(11_000);
    assert_eq!(
        c.heard(),
        ["500 t TASK_STARTING", "1000 OFFERS agent-1", "10500 t TASK_STARTING", "11000 OFFERS agent-1"]
    );
    assert_eq!(listed(&c), ["TASK_FAILED"]);
    c.call(f, Call::Reconcile { tasks: Vec::new() });
    for _ in 0..3 {
        c.acknowledge_last(f);
    }
    assert_eq!(
        c.heard(),
        ["11000 t TASK_STARTING REASON_RECONCILIATION", "11000 t TASK_RUNNING", "11000 t TASK_FAILED",]
    );
    assert_eq!((listed(&c), completed(&c, f)), (vec![], vec![TaskState::Failed]));
}

#[test]
fn acknowledgements_of_anything_else_have_no_effect() {
    let (mut c, f) = one();
    c.status("t", "STARTING");
    c.status("t", "RUNNING");
    let status = c.last_status(f).expect("told");
    let agent = status.agent_id.clone().expect("known");
    let g = c.outsider("g", |_| {});
    c.heard();
    for (framework, agent_id, task_id, uuid) in [
        (f, &*agent, "t", vec![7; 16]),
        (f, &*agent, "u", vec![7; 16]),
        (f, "nobody", "t", vec![7; 16]),
        (f, "", "", vec![]),
        (g, &*agent, "t", vec![7; 16]),
    ] {
        c.master.acknowledge(&mut c.cx, &mut c.fleet, framework, agent_id, task_id, &uuid);
        c.settle();
    }
    assert_eq!((c.heard(), acknowledgements(&c)), (vec![], (3, 2)));
    // An agent that is away cannot receive it.
    let fault = c.fault(FaultKind::AgentRestart, on_agent("agent-1"), |_| {});
    c.acknowledge(f, &status);
    assert_eq!(acknowledgements(&c), (3, 3));
    c.clear(&fault);
    assert_eq!(
        c.heard_of_tasks(),
        ["0 g RESCIND", "0 f t TASK_STARTING"],
        "told again as soon as it is back"
    );
    c.acknowledge(f, &status);
    assert_eq!(c.heard_of_tasks(), ["0 f t TASK_RUNNING"]);
}

#[test]
fn a_returning_framework_is_notified_with_the_next_retry() {
    let (mut c, f) = one();
    c.status("t", "RUNNING");
    c.acknowledge_last(f);
    c.heard();
    c.master.disconnect_framework(&mut c.cx, f);
    c.offers.clear();
    c.advance_to(2_000);
    c.status("t", "FINISHED");
    c.advance_to(5_000);
    assert_eq!((c.heard(), listed(&c)), (vec![], vec!["TASK_FINISHED".to_owned()]));
    let info = FrameworkInfo {
        name: "f".into(),
        roles: vec!["f-role".into()],
        failover_ms: 60_000,
        ..FrameworkInfo::default()
    };
    assert!(c.master.resubscribe(&mut c.cx, &c.fleet, f, info));
    c.settle();
    c.advance_to(12_000);
    assert_eq!(c.heard_of_tasks(), ["12000 t TASK_FINISHED"]);
    c.acknowledge_last(f);
    assert_eq!(completed(&c, f), [TaskState::Finished]);
}

#[test]
fn a_lost_status_is_sent_again() {
    let (mut c, f) = one();
    c.fault(FaultKind::StatusDropped, on_task("t"), |fault| fault.count = Some(2));
    c.status("t", "RUNNING");
    assert_eq!(c.master.one_shots(), 1);
    c.advance_to(40_000);
    assert_eq!(c.heard_of_tasks(), ["30000 t TASK_RUNNING"]);
    c.acknowledge_last(f);
    c.advance_to(100_000);
    assert_eq!(c.heard_of_tasks(), Vec::<String>::new());
}

#[test]
fn an_agent_is_drained_when_the_last_status_is_acknowledged() {
    for mark_gone in [false, true] {
        let (mut c, f) = one();
        c.status("t", "RUNNING");
        c.acknowledge_last(f);
        c.heard();
        let agent_id = c.master.machines(&c.fleet)[0].agent_id.clone();
        let config = DrainConfig { max_grace_ns: Some(0), mark_gone };
        c.maintain(OperatorCall::Drain { agent_id, config }).expect("may be drained");
        c.advance_to(1_000);
        c.status("t", "KILLED");
        c.advance_to(5_000);
        let told = if mark_gone { "GONE_BY_OPERATOR" } else { "KILLED" };
        assert_eq!(c.heard(), [format!("1000 t TASK_{told} REASON_AGENT_DRAINING")]);
        assert_eq!(&*c.master.machines(&c.fleet)[0].state, "draining", "it waits for the framework");
        c.acknowledge_last(f);
        let after = if mark_gone { ("gone", vec!["5000 FAILURE".to_owned()]) } else { ("drained", vec![]) };
        assert_eq!((&*c.master.machines(&c.fleet)[0].state, c.heard()), after);
    }
}

/// An ended, unacknowledged task keeps its state, whatever its framework is told.
#[test]
fn an_agent_leaves_with_an_ended_task() {
    // Unreachable: listed there, and its last status comes again when the agent returns.
    let (mut c, f) = one();
    c.status("t", "FINISHED");
    c.heard();
    c.fault(FaultKind::AgentPartitioned, on_agent("agent-1"), |fault| fault.for_ms = Some(100_000));
    c.advance_to(99_999);
    assert_eq!(
        c.heard(),
        [
            "1000 OFFERS agent-1",
            "90000 t TASK_UNREACHABLE REASON_AGENT_REMOVED",
            "90000 RESCIND",
            "90000 FAILURE"
        ]
    );
    let calendar = Calendar { epoch_ms: 0, now: c.cx.now() };
    let state = c.master.read(calendar, &MesosQuery::State).expect("state");
    assert_eq!(state["frameworks"][0]["unreachable_tasks"][0]["state"], "TASK_FINISHED");
    c.advance_to(100_000);
    assert_eq!(
        c.heard_of_tasks(),
        ["100000 t TASK_FINISHED REASON_AGENT_REREGISTERED", "100000 t TASK_FINISHED"]
    );
    c.acknowledge_last(f);
    assert_eq!((listed(&c), completed(&c, f)), (vec![], vec![TaskState::Finished]));

    // Removed: completed, with its state.
    let (mut c, f) = one();
    c.status("t", "FINISHED");
    c.master.remove_agent(&mut c.cx, &mut c.fleet, "agent-1").expect("known");
    c.settle();
    assert_eq!(c.heard_of_tasks(), ["0 t TASK_FINISHED", "0 t TASK_LOST REASON_AGENT_REMOVED", "0 FAILURE"]);
    assert_eq!(completed(&c, f), [TaskState::Finished]);

    // The framework leaves.
    let (mut c, f) = one();
    c.status("t", "FINISHED");
    c.call(f, Call::Teardown);
    assert_eq!(completed(&c, f), [TaskState::Finished]);
}

#[test]
fn tasks_of_a_returning_agent_are_announced_before_their_statuses() {
    let (mut c, f) = one();
    c.status("t", "STARTING");
    c.fault(FaultKind::AgentPartitioned, on_agent("agent-1"), |fault| fault.for_ms = Some(100_000));
    c.advance_to(50_000);
    c.status("t", "RUNNING");
    c.advance_to(100_000);
    assert_eq!(
        c.heard_of_tasks(),
        [
            "0 t TASK_STARTING",
            "90000 t TASK_UNREACHABLE REASON_AGENT_REMOVED",
            "90000 RESCIND",
            "90000 FAILURE",
            "100000 t TASK_RUNNING REASON_AGENT_REREGISTERED",
            "100000 t TASK_STARTING",
        ]
    );
    c.acknowledge_last(f);
    assert_eq!(c.heard_of_tasks(), ["100000 t TASK_RUNNING"]);
    assert_eq!(listed(&c), ["TASK_RUNNING"]);
}
