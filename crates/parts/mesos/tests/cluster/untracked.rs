//! Agents that do not receive their shutdown order.

use crate::harness::*;
use planarium_mesos::{
    api::*,
    maintenance::{MachineId, Schedule, Window, decode::OperatorCall},
};
use planarium_protocol::input::{FaultKind, Target};

fn machine_1() -> MachineId {
    MachineId::of_agent("agent-1", "10.0.0.1")
}

fn schedule(c: &mut Cluster) {
    let unavailability = Unavailability { start_ns: 0, duration_ns: None };
    let windows = vec![Window { machine_ids: vec![machine_1()], unavailability }];
    c.maintain(OperatorCall::UpdateSchedule(Schedule { windows })).expect("a good schedule");
}

/// A task of each kind of framework, cut off at 10 s, the machine DOWN at 20 s.
fn down_while_away(kind: FaultKind) -> (Cluster, FrameworkId, Text) {
    let mut c = Cluster::new(1);
    c.behave(Target::default(), start_after(1_000));
    c.agents(1, "cpus:4;mem:1024");
    let f = c.framework("f", |_| {});
    let cpus = reserved("f", "cpus", 1_000, "id-1");
    let group = vec![task("a", "cpus:0.5"), task("b", "cpus:0.5")];
    let executor = ExecutorInfo { id: "e".into(), resources: res("cpus:0.1;mem:32") };
    c.accept_with(
        f,
        &c.outstanding(f),
        vec![
            Operation::Reserve(vec![cpus.clone()]),
            launch(vec![TaskInfo { resources: [cpus].into_iter().collect(), ..task("t", "cpus:1") }]),
            Operation::LaunchGroup { executor, tasks: group },
        ],
        Some(0),
    );
    let old = c.framework("old", |info| info.capabilities = vec![Capability::MultiRole]);
    c.advance_to(5_000);
    c.accept_with(old, &c.outstanding(old), vec![launch(vec![task("o", "cpus:1")])], Some(0));
    c.advance_to(10_000);
    c.call(f, Call::Suppress { roles: Vec::new() });
    c.call(old, Call::Suppress { roles: Vec::new() });
    c.fault(kind, on_agent("agent-1"), |fault| fault.id = Some("away".to_owned()));
    c.advance_to(20_000);
    schedule(&mut c);
    c.heard();
    c.maintain(OperatorCall::Start(vec![machine_1()])).expect("it is DRAINING");
    let told: Vec<String> = c.heard().into_iter().filter(|line| line.contains("TASK_")).collect();
    assert_eq!(
        told,
        ["f t", "f a", "f b", "old o"].map(|task| format!("20000 {task} TASK_LOST REASON_AGENT_REMOVED"))
    );
    let id = c.master.machines(&c.fleet)[0].agent_id.clone();
    (c, f, id)
}

type Text = planarium_protocol::Text;

fn told(c: &mut Cluster) -> Vec<String> {
    c.heard().into_iter().filter(|line| !line.contains("OFFERS") && !line.contains("RESCIND")).collect()
}

#[test]
fn it_keeps_its_id_when_the_machine_is_up() {
    for kind in [FaultKind::AgentPartitioned, FaultKind::AgentRestart] {
        let (mut c, f, id) = down_while_away(kind);
        // Meanwhile one task of the group fails, which ends the other.
        c.fault(FaultKind::TaskFail, on_task("a"), |fault| fault.count = Some(1));
        c.advance_to(60_000);
        c.maintain(OperatorCall::Stop(vec![machine_1()])).expect("it is DOWN");
        c.advance_to(70_000);
        assert_eq!(told(&mut c), [""; 0], "{kind:?}");
        c.clear("away");
        assert_eq!(
            told(&mut c),
            [
                "70000 f t TASK_RUNNING REASON_AGENT_REREGISTERED",
                "70000 f a TASK_FAILED REASON_AGENT_REREGISTERED",
                "70000 f b TASK_KILLED REASON_AGENT_REREGISTERED",
                "70000 old o TASK_RUNNING REASON_AGENT_REREGISTERED",
            ],
            "{kind:?}"
        );
        let machine = &c.master.machines(&c.fleet)[0];
        assert_eq!((&machine.agent_id, &*machine.state), (&id, "up"));
        let completed: Vec<(String, TaskState)> =
            c.master.completed_tasks(f).map(|(info, state)| (info.task_id.to_string(), state)).collect();
        let ended = [("a", TaskState::Failed), ("b", TaskState::Killed)];
        assert_eq!(completed, ended.map(|(id, state)| (id.to_owned(), state)), "what runs has not ended");
        // It is an ordinary task again.
        c.call(f, Call::Kill { task_id: "t".into(), agent_id: Some(id), grace_ms: None });
        c.advance_to(80_000);
        assert_eq!(told(&mut c), ["72000 f t TASK_KILLED"], "{kind:?}");
    }
}

#[test]
fn it_receives_the_order_when_it_returns_to_a_down_machine() {
    let (mut c, _, id) = down_while_away(FaultKind::AgentPartitioned);
    c.advance_to(60_000);
    c.clear("away");
    c.advance_to(70_000);
    assert_eq!(&*c.master.machines(&c.fleet)[0].state, "down");
    assert_eq!(c.fleet.process_ids().count(), 0, "everything has ended");
    c.maintain(OperatorCall::Stop(vec![machine_1()])).expect("it is DOWN");
    c.advance_to(80_000);
    assert_eq!(told(&mut c), [""; 0]);
    assert_ne!(c.master.machines(&c.fleet)[0].agent_id, id, "a new agent");
}

/// An agent that receives the order waits up to five seconds for unresponsive processes, and is then started again.
#[test]
fn executors_have_five_seconds_to_end() {
    for (hangs, up_at, registers_at) in
        [(false, 12_000, 13_000), (true, 12_000, 16_000), (true, 15_500, 16_000), (true, 18_000, 19_000)]
    {
        let mut c = Cluster::new(1);
        c.behave(Target::default(), start_after(1_000));
        c.agents(1, "cpus:4;mem:1024");
        let f = c.framework("f", |_| {});
        c.accept(f, vec![launch(vec![task("t", "cpus:1")])]);
        schedule(&mut c);
        c.advance_to(10_000);
        if hangs {
            c.fault(FaultKind::Hang, on_task("t"), |_| {});
        }
        c.maintain(OperatorCall::Start(vec![machine_1()])).expect("it is DRAINING");
        c.heard();
        let alive = |c: &Cluster| c.fleet.process_ids().count();
        assert_eq!(alive(&c), usize::from(hangs));
        c.advance_to(up_at.min(14_999));
        assert_eq!(alive(&c), usize::from(hangs));
        c.advance_to(up_at);
        c.maintain(OperatorCall::Stop(vec![machine_1()])).expect("it is DOWN");
        c.advance_to(30_000);
        assert_eq!(
            (alive(&c), c.heard()),
            (0, vec![format!("{registers_at} OFFERS agent-1")]),
            "UP at {up_at}"
        );
    }
    // After a framework leaves, no one is told about its tasks.
    let mut c = Cluster::manual();
    c.agents(1, "cpus:4;mem:1024");
    let f = c.framework("f", |_| {});
    c.accept(f, vec![launch(vec![task("t", "cpus:1")])]);
    c.call(f, Call::Teardown);
    c.heard();
    c.advance_to(4_999);
    assert_eq!(c.fleet.process_ids().count(), 1);
    c.advance_to(5_000);
    assert_eq!((c.fleet.process_ids().count(), c.heard()), (0, vec![]));
}

#[test]
fn tasks_end_with_their_framework_machine_or_executor() {
    // The framework is gone when the agent returns.
    let (mut c, f, _) = down_while_away(FaultKind::AgentPartitioned);
    c.call(f, Call::Teardown);
    c.maintain(OperatorCall::Stop(vec![machine_1()])).expect("it is DOWN");
    c.clear("away");
    let running = |c: &Cluster| {
        c.master.machines(&c.fleet)[0].tasks.iter().map(|t| t.id.to_string()).collect::<Vec<_>>()
    };
    c.advance(5_000);
    assert_eq!((running(&c), c.fleet.process_ids().count()), (vec!["o".to_owned()], 1));
    // The machine is taken out of the cluster.
    let (mut c, ..) = down_while_away(FaultKind::AgentPartitioned);
    c.master.remove_agent(&mut c.cx, &mut c.fleet, "agent-1").expect("known");
    c.settle();
    assert_eq!(c.fleet.process_ids().count(), 0);
    // It reboots.
    let (mut c, _, id) = down_while_away(FaultKind::AgentPartitioned);
    let lost = c.fault(FaultKind::AgentLost, on_agent("agent-1"), |_| {});
    c.maintain(OperatorCall::Stop(vec![machine_1()])).expect("it is DOWN");
    c.clear("away");
    c.clear(&lost);
    assert_ne!(c.master.machines(&c.fleet)[0].agent_id, id);
    assert_eq!((running(&c).len(), c.fleet.process_ids().count()), (0, 0));
    // A task of the same id runs elsewhere by now.
    let (mut c, f, _) = down_while_away(FaultKind::AgentPartitioned);
    c.agents(1, "cpus:4;mem:1024");
    c.call(f, Call::Revive { roles: Vec::new() });
    c.accept(f, vec![launch(vec![task("t", "cpus:1")])]);
    c.maintain(OperatorCall::Stop(vec![machine_1()])).expect("it is DOWN");
    c.clear("away");
    assert_eq!(running(&c), ["a", "b", "o"]);
}

/// A manual task on a disconnected agent: statuses set by hand arrive when the partition heals.
#[test]
fn manual_statuses_arrive_after_a_partition_heals() {
    let statuses = |c: &mut Cluster| -> Vec<String> {
        c.heard().into_iter().filter(|line| line.contains("TASK_")).collect()
    };
    for (explicit, heals_at, healed) in [
        (false, 30_000, &["30000 t TASK_RUNNING", "30000 t TASK_FINISHED"][..]),
        (true, 30_000, &["30000 t TASK_RUNNING"]),
        // Unreachable meanwhile: the agent announces its tasks when it returns.
        (false, 200_000, &["200000 t TASK_FINISHED REASON_AGENT_REREGISTERED"]),
    ] {
        let mut c = Cluster::manual();
        c.agents(1, "cpus:4;mem:1024");
        let f = c.framework("f", |info| info.capabilities.push(Capability::PartitionAware));
        if explicit {
            c.master.acknowledges_by_calls(f);
        }
        c.accept(f, vec![launch(vec![task("t", "cpus:1")])]);
        c.fault(FaultKind::AgentPartitioned, on_agent("agent-1"), |fault| fault.id = Some("cut".to_owned()));
        statuses(&mut c);
        c.advance_to(10_000);
        c.status("t", "TASK_RUNNING");
        c.advance_to(20_000);
        c.status("t", "TASK_FINISHED");
        assert_eq!(statuses(&mut c), [""; 0], "nothing crosses it");
        c.advance_to(heals_at);
        let lost: Vec<String> = statuses(&mut c);
        assert!(lost.iter().all(|line| line.contains("UNREACHABLE")), "{lost:?}");
        c.clear("cut");
        assert_eq!(statuses(&mut c), healed, "{explicit} {heals_at}");
    }
    // The master has closed its records of the task, and the agent does not know.
    let mut c = Cluster::manual();
    c.agents(1, "cpus:4;mem:1024");
    let f = c.framework("f", |_| {});
    c.accept(f, vec![launch(vec![task("t", "cpus:1")])]);
    c.fault(FaultKind::AgentPartitioned, on_agent("agent-1"), |fault| fault.id = Some("cut".to_owned()));
    schedule(&mut c);
    c.maintain(OperatorCall::Start(vec![machine_1()])).expect("it is DRAINING");
    statuses(&mut c);
    c.status("t", "TASK_FAILED");
    assert_eq!(statuses(&mut c), [""; 0]);
    c.maintain(OperatorCall::Stop(vec![machine_1()])).expect("it is DOWN");
    c.clear("cut");
    assert_eq!(statuses(&mut c), [format!("{} t TASK_FAILED REASON_AGENT_REREGISTERED", c.now())]);
}

/// The master's own statuses need no reachable agent; a lost machine reports nothing.
#[test]
fn manual_statuses_of_the_master_and_of_lost_machines() {
    let mut c = Cluster::manual();
    c.agents(1, "cpus:4;mem:1024");
    let f = c.framework("f", |_| {});
    c.accept(f, vec![launch(vec![task("t", "cpus:1")])]);
    c.fault(FaultKind::AgentPartitioned, on_agent("agent-1"), |fault| fault.id = Some("cut".to_owned()));
    c.heard();
    c.say(&planarium_protocol::input::TaskStatusInput {
        reason: Some("REASON_AGENT_REMOVED".to_owned()),
        ..said("t", "TASK_LOST")
    });
    assert_eq!(c.heard(), ["0 t TASK_LOST REASON_AGENT_REMOVED"]);

    let mut c = Cluster::manual();
    c.agents(1, "cpus:4;mem:1024");
    let f = c.framework("f", |_| {});
    c.accept(f, vec![launch(vec![task("t", "cpus:1")])]);
    c.fault(FaultKind::AgentLost, on_agent("agent-1"), |_| {});
    c.heard();
    let refused = c.master.task_status(&mut c.cx, &mut c.fleet, &said("t", "TASK_RUNNING"));
    assert_eq!(refused.map_err(|refusal| refusal.status), Err(409));
    assert_eq!(c.heard(), [""; 0]);
}
