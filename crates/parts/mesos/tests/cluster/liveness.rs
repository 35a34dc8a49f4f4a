//! Agents that are lost, cut off, restarted, and come back.

use crate::harness::*;
use planarium_mesos::api::*;
use planarium_protocol::Text;
use planarium_protocol::input::{FaultKind, Target};

/// Two agents; a framework that is partition-aware (f) and one that is not (old, without checkpoints either), each
/// with a task on agent-1 that runs from 4 s on, and no outstanding offers.
fn two() -> (Cluster, FrameworkId, FrameworkId) {
    let mut c = Cluster::new(1);
    c.behave(Target::default(), start_after(4_000));
    c.agents(1, "cpus:4;mem:1024");
    let f = c.framework("f", |_| {});
    let cpus = reserved("f", "cpus", 1_000, "id-1");
    let user = TaskInfo { resources: [cpus.clone()].into_iter().collect(), ..task("t", "cpus:1") };
    c.accept_with(
        f,
        &c.outstanding(f),
        vec![Operation::Reserve(vec![cpus]), launch(vec![user])],
        Some(3_600_000),
    );
    let old = c.framework("old", |info| {
        info.capabilities = vec![Capability::MultiRole];
        info.checkpoint = false;
    });
    c.accept_with(old, &c.outstanding(old), vec![launch(vec![task("o", "cpus:1")])], Some(3_600_000));
    c.advance_to(40_000);
    c.heard();
    (c, f, old)
}

/// Fault, duration, messages within five minutes.
#[test]
fn absences() {
    let rows: Vec<(&str, FaultKind, Option<u64>, &[&str])> = vec![
        (
            "lost for good: the socket breaks, pings decide",
            FaultKind::AgentLost,
            None,
            &[
                "40000 old o TASK_LOST REASON_AGENT_DISCONNECTED",
                "120000 f t TASK_UNREACHABLE REASON_AGENT_REMOVED",
                "120000 f FAILURE",
                "120000 old FAILURE",
            ],
        ),
        (
            "lost and back before it was given up: a new agent at the same address",
            FaultKind::AgentLost,
            Some(60_000),
            &[
                "40000 old o TASK_LOST REASON_AGENT_DISCONNECTED",
                "100000 f t TASK_LOST REASON_AGENT_REMOVED",
                "100000 f FAILURE",
                "100000 old FAILURE",
                "100000 f OFFERS agent-1",
            ],
        ),
        (
            "lost and back after that: its tasks stay unreachable",
            FaultKind::AgentLost,
            Some(100_000),
            &[
                "40000 old o TASK_LOST REASON_AGENT_DISCONNECTED",
                "120000 f t TASK_UNREACHABLE REASON_AGENT_REMOVED",
                "120000 f FAILURE",
                "120000 old FAILURE",
                "140000 f OFFERS agent-1",
            ],
        ),
        ("cut off for a moment: nobody notices", FaultKind::AgentPartitioned, Some(79_000), &[]),
        (
            "cut off for longer: announced again on return, for everyone",
            FaultKind::AgentPartitioned,
            Some(100_000),
            &[
                "120000 f t TASK_UNREACHABLE REASON_AGENT_REMOVED",
                "120000 old o TASK_LOST REASON_AGENT_REMOVED",
                "120000 f FAILURE",
                "120000 old FAILURE",
                "140000 f t TASK_RUNNING REASON_AGENT_REREGISTERED",
                "140000 old o TASK_RUNNING REASON_AGENT_REREGISTERED",
                "140000 f OFFERS agent-1",
            ],
        ),
        (
            "restarted: only those without checkpoints suffer",
            FaultKind::AgentRestart,
            Some(30_000),
            // The same agent returns: what f refused before stays refused.
            &["40000 old o TASK_LOST REASON_AGENT_DISCONNECTED"],
        ),
        (
            "restarted for too long: like a partition",
            FaultKind::AgentRestart,
            Some(100_000),
            &[
                "40000 old o TASK_LOST REASON_AGENT_DISCONNECTED",
                "120000 f t TASK_UNREACHABLE REASON_AGENT_REMOVED",
                "120000 f FAILURE",
                "120000 old FAILURE",
                "140000 f t TASK_RUNNING REASON_AGENT_REREGISTERED",
                "140000 f OFFERS agent-1",
            ],
        ),
    ];
    for (name, kind, for_ms, expected) in rows {
        let (mut c, f, old) = two();
        // Only f receives offers afterwards, so that fairness does not affect the messages.
        c.call(old, Call::Suppress { roles: Vec::new() });
        c.fault(kind, on_agent("agent-1"), |fault| fault.for_ms = for_ms);
        c.advance_to(300_000);
        assert_eq!(c.heard(), expected, "{name}");
        if !c.offers.is_empty() && kind == FaultKind::AgentLost {
            let offer = &c.offers[0];
            assert!(with_id(&offer.resources, "id-1").is_some(), "{name}: the reservation survives a reboot");
            assert!(offer.agent_id.ends_with("-S1"), "{name}: under a new id");
            assert_eq!(offer.framework, f);
        }
    }
}

#[test]
fn offers_of_a_disconnected_agent_are_rescinded() {
    for (kind, at) in [
        (FaultKind::AgentLost, 5_000),
        (FaultKind::AgentRestart, 5_000),
        (FaultKind::AgentPartitioned, 90_000),
    ] {
        let mut c = Cluster::new(1);
        c.agents(2, "cpus:4;mem:1024");
        let f = c.framework("f", |_| {});
        c.advance_to(5_000);
        c.heard();
        c.fault(kind, on_agent("agent-2"), |_| {});
        c.advance_to(300_000);
        let heard = c.heard();
        assert_eq!(heard[0], format!("{at} RESCIND"), "{kind:?}");
        assert_eq!(heard.last().map(String::as_str), Some("90000 FAILURE"), "{kind:?}");
        assert_eq!(c.offered(f).len(), 1, "{kind:?}");
    }
}

#[test]
fn missed_events_arrive_on_resubscription() {
    // Cut off at 40 s; the task fails at 50 s. Back before or after the agent was given up.
    for (back_after_ms, expected) in [
        (30_000, vec!["70000 f t TASK_FAILED"]),
        (
            100_000,
            vec![
                "120000 f t TASK_UNREACHABLE REASON_AGENT_REMOVED",
                "120000 f FAILURE",
                "140000 f t TASK_FAILED REASON_AGENT_REREGISTERED",
            ],
        ),
    ] {
        let (mut c, _, old) = two();
        c.fault(FaultKind::AgentPartitioned, on_agent("agent-1"), |fault| fault.for_ms = Some(back_after_ms));
        c.advance_to(50_000);
        c.fault(FaultKind::TaskFail, on_task("t"), |_| {});
        c.call(old, Call::Teardown);
        c.advance_to(139_999);
        c.advance_to(140_000);
        let heard: Vec<String> =
            c.heard_of_tasks().into_iter().filter(|line| !line.contains(" old ")).collect();
        assert_eq!(heard, expected, "back after {back_after_ms}");
    }
}

#[test]
fn kills_and_launches_wait_for_an_unresponsive_agent() {
    let mut c = Cluster::new(1);
    c.behave(Target::default(), start_after(4_000));
    c.agents(1, "cpus:4;mem:1024");
    let f = c.framework("f", |_| {});
    c.accept_with(f, &c.outstanding(f), vec![launch(vec![task("t", "cpus:1")])], Some(0));
    c.advance_to(10_000);
    c.heard();
    c.fault(FaultKind::AgentPartitioned, on_agent("agent-1"), |fault| fault.for_ms = Some(20_000));
    c.call(f, Call::Kill { task_id: "t".into(), agent_id: None, grace_ms: None });
    c.accept_with(f, &c.outstanding(f), vec![launch(vec![task("u", "cpus:1")])], Some(3_600_000));
    c.advance_to(60_000);
    assert_eq!(
        c.heard_of_tasks(),
        ["31000 u TASK_STARTING", "32000 t TASK_KILLED", "34000 u TASK_RUNNING"],
        "both arrive at 30 s"
    );
}

#[test]
fn a_launch_that_never_arrived_is_gone_when_the_agent_returns() {
    let mut c = Cluster::new(1);
    c.agents(1, "cpus:4;mem:1024");
    let f = c.framework("f", |_| {});
    c.fault(FaultKind::AgentPartitioned, on_agent("agent-1"), |fault| fault.for_ms = Some(100_000));
    c.accept_with(f, &c.outstanding(f), vec![launch(vec![task("t", "cpus:1")])], Some(0));
    let agent_id = Some(c.master.machines(&c.fleet)[0].agent_id.clone());
    c.advance_to(150_000);
    c.heard();
    c.call(f, Call::Reconcile { tasks: vec![ReconcileTask { task_id: "t".into(), agent_id }] });
    assert_eq!(c.heard(), ["150000 t TASK_GONE REASON_RECONCILIATION"]);
}

#[test]
fn the_task_of_an_unreachable_agent_is_known_to_reconciliation_only() {
    let (mut c, f, old) = two();
    let agent_id = Some(c.master.machines(&c.fleet)[0].agent_id.clone());
    c.fault(FaultKind::AgentPartitioned, on_agent("agent-1"), |_| {});
    c.advance_to(200_000);
    c.heard();
    for id in [f, old] {
        c.call(id, Call::Reconcile { tasks: Vec::new() });
    }
    assert_eq!(c.heard(), Vec::<String>::new(), "implicit: live tasks only");
    let ask = |id: &str| ReconcileTask { task_id: id.into(), agent_id: agent_id.clone() };
    c.call(f, Call::Reconcile { tasks: vec![ask("t"), ask("never-seen")] });
    c.call(old, Call::Reconcile { tasks: vec![ask("o")] });
    c.call(f, Call::Kill { task_id: "t".into(), agent_id: None, grace_ms: None });
    assert_eq!(
        c.heard(),
        [
            "200000 f t TASK_UNREACHABLE REASON_RECONCILIATION",
            "200000 f never-seen TASK_UNREACHABLE REASON_RECONCILIATION",
            "200000 old o TASK_LOST REASON_RECONCILIATION",
            "200000 f t TASK_UNKNOWN REASON_RECONCILIATION",
        ],
        "whoever does not say on which agent is told that nobody knows"
    );
    let since: Vec<Option<u64>> =
        c.statuses.iter().rev().take(4).map(|(_, s)| s.unreachable_since_ms).collect();
    assert_eq!(since, [None, Some(120_000), Some(120_000), Some(120_000)]);
}

#[test]
fn removing_an_agent_loses_its_tasks_for_everyone() {
    let (mut c, f, _) = two();
    c.master.remove_agent(&mut c.cx, &mut c.fleet, "agent-1").expect("known");
    c.settle();
    assert_eq!(
        c.heard(),
        [
            "40000 f t TASK_LOST REASON_AGENT_REMOVED",
            "40000 old o TASK_LOST REASON_AGENT_REMOVED",
            "40000 f FAILURE",
            "40000 old FAILURE",
        ]
    );
    assert!(c.master.remove_agent(&mut c.cx, &mut c.fleet, "agent-1").is_err());
    assert!(c.master.machines(&c.fleet).is_empty());
    let ended: Vec<TaskState> = c.master.completed_tasks(f).map(|(_, state)| state).collect();
    assert_eq!(ended, [TaskState::Lost]);
    // The name is free again, the id is not.
    c.agents(1, "cpus:4;mem:1024");
    assert!(c.master.machines(&c.fleet)[0].agent_id.ends_with("-S1"));
}

#[test]
fn absences_that_overlap() {
    // Cut off, then lost while cut off: the worst counts, and both faults must end.
    let (mut c, ..) = two();
    let cut = c.fault(FaultKind::AgentPartitioned, on_agent("agent-1"), |_| {});
    c.advance_to(50_000);
    let lost = c.fault(FaultKind::AgentLost, on_agent("agent-1"), |_| {});
    c.clear(&lost);
    assert_eq!(&*c.master.machines(&c.fleet)[0].state, "lost");
    c.clear(&cut);
    assert_eq!(&*c.master.machines(&c.fleet)[0].state, "up");
    assert_eq!(
        c.heard_of_tasks(),
        [
            "50000 old o TASK_LOST REASON_AGENT_DISCONNECTED",
            "50000 f t TASK_LOST REASON_AGENT_REMOVED",
            "50000 f FAILURE",
            "50000 old FAILURE",
        ]
    );
}

/// With a removal limit, silent agents are given up one after the other; agents that answer in time
/// stays. Machines that go DOWN do not wait.
#[test]
fn agents_are_removed_at_a_limited_rate() {
    use planarium_mesos::maintenance::{MachineId, Schedule, Window, decode::OperatorCall};
    let mut c = Cluster::new(1);
    c.master.set_agent_removal_interval(Some(600_000));
    c.agents(5, "cpus:4;mem:1024");
    let f = c.framework("f", |_| {});
    for offer in c.offers.clone() {
        let id = offer.hostname.replace("agent-", "t");
        c.accept_with(f, &[offer.id], vec![launch(vec![task(&id, "cpus:4;mem:1024")])], None);
    }
    c.advance_to(40_000);
    c.heard();
    let faults: Vec<Text> = (1..=5)
        .map(|n| c.fault(FaultKind::AgentPartitioned, on_agent(&format!("agent-{n}")), |_| {}))
        .collect();
    c.advance_to(200_000);
    assert_eq!(c.heard(), ["120000 t1 TASK_UNREACHABLE REASON_AGENT_REMOVED", "120000 FAILURE"]);
    let states = |c: &Cluster| -> Vec<String> {
        c.master.machines(&c.fleet).iter().map(|machine| machine.state.to_string()).collect()
    };
    assert_eq!(states(&c), ["unreachable", "partitioned", "partitioned", "partitioned", "partitioned"]);
    // The second one answers again, the third goes DOWN.
    c.clear(&faults[1]);
    let three = || MachineId::of_agent("agent-3", "10.0.0.3");
    let unavailability = Unavailability { start_ns: 0, duration_ns: None };
    let windows = vec![Window { machine_ids: vec![three()], unavailability }];
    c.maintain(OperatorCall::UpdateSchedule(Schedule { windows })).expect("a good schedule");
    c.maintain(OperatorCall::Start(vec![three()])).expect("it is DRAINING");
    assert_eq!(c.heard_of_tasks()[0], "200000 t3 TASK_LOST REASON_AGENT_REMOVED");
    c.advance_to(719_999);
    assert_eq!(c.heard(), [""; 0]);
    c.advance_to(2_000_000);
    assert_eq!(
        c.heard(),
        [
            "720000 t4 TASK_UNREACHABLE REASON_AGENT_REMOVED",
            "720000 FAILURE",
            "1320000 t5 TASK_UNREACHABLE REASON_AGENT_REMOVED",
            "1320000 FAILURE"
        ]
    );
    assert_eq!(states(&c), ["unreachable", "up", "down", "unreachable", "unreachable"]);
    let calendar = planarium_mesos::wire::Calendar { epoch_ms: 0, now: c.cx.now() };
    let metrics = c.master.read(calendar, &planarium_mesos::wire::MesosQuery::Metrics).expect("metrics");
    let of = |key: &str| metrics[format!("master/slave_unreachable_{key}")].as_u64();
    assert_eq!((of("scheduled"), of("completed"), of("canceled")), (Some(5), Some(3), Some(2)));
}

/// After two weeks an unreachable agent is forgotten until it comes back; one that was away before and returned is
/// not.
#[test]
fn unreachable_agents_are_forgotten_after_two_weeks() {
    use planarium_mesos::wire::{Calendar, MesosQuery};
    const FORTNIGHT_MS: u64 = 14 * 86_400_000;
    let mut c = Cluster::new(1);
    c.pass = true;
    c.agents(2, "cpus:4;mem:1024");
    let f = c.framework("f", |_| {});
    for offer in c.offers.clone() {
        let id = offer.hostname.replace("agent-", "t");
        c.accept_with(f, &[offer.id], vec![launch(vec![task(&id, "cpus:4;mem:1024")])], None);
    }
    c.advance_to(10_000);
    let agents: Vec<Option<Text>> =
        c.master.machines(&c.fleet).iter().map(|machine| Some(machine.agent_id.clone())).collect();
    let fault = c.fault(FaultKind::AgentPartitioned, on_agent("agent-1"), |_| {});
    let brief = c.fault(FaultKind::AgentPartitioned, on_agent("agent-2"), |_| {});
    c.advance_to(200_000);
    c.clear(&brief);
    let unreachable = |c: &Cluster| {
        let calendar = Calendar { epoch_ms: 0, now: c.cx.now() };
        let state = c.master.read(calendar, &MesosQuery::State).expect("a state");
        state["unreachable_slaves"].as_u64()
    };
    let reconciled = |c: &mut Cluster| {
        c.heard();
        let ids = ["t1", "t2"].into_iter().zip(&agents);
        let tasks = ids.map(|(id, agent)| ReconcileTask { task_id: id.into(), agent_id: agent.clone() });
        let tasks = tasks.collect();
        c.call(f, Call::Reconcile { tasks });
        c.heard_of_tasks()
    };
    // The lists are checked every fifteen minutes.
    c.advance_to(FORTNIGHT_MS + 899_999);
    assert_eq!(unreachable(&c), Some(1));
    assert!(reconciled(&mut c)[0].contains("t1 TASK_UNREACHABLE REASON_RECONCILIATION"));
    c.advance_to(FORTNIGHT_MS + 900_000);
    assert_eq!(unreachable(&c), Some(0));
    let told = reconciled(&mut c);
    assert!(told[0].contains("t1 TASK_UNKNOWN REASON_RECONCILIATION"), "{told:?}");
    assert!(told[1].contains("t2 TASK_RUNNING"), "{told:?}");
    c.clear(&fault);
    c.advance_to(FORTNIGHT_MS + 910_000);
    assert!(reconciled(&mut c)[0].contains("t1 TASK_RUNNING"));
}

/// Of many unreachable tasks those are listed that became so last; all are back with their agents.
#[test]
fn a_thousand_unreachable_tasks_are_listed() {
    use planarium_mesos::wire::{Calendar, MesosQuery};
    let mut c = Cluster::new(1);
    c.agents(2, "cpus:700;mem:700000");
    let f = c.framework("f", |_| {});
    for offer in c.offers.clone() {
        let tasks = (0..600).map(|n| task(&format!("{}-{n}", offer.hostname), "cpus:1;mem:32")).collect();
        c.accept_with(f, &[offer.id], vec![launch(tasks)], None);
    }
    c.advance_to(10_000);
    let first = c.fault(FaultKind::AgentPartitioned, on_agent("agent-1"), |_| {});
    c.advance_to(40_000);
    c.fault(FaultKind::AgentPartitioned, on_agent("agent-2"), |_| {});
    c.advance_to(200_000);
    let listed = |c: &Cluster| {
        let calendar = Calendar { epoch_ms: 0, now: c.cx.now() };
        let state = c.master.read(calendar, &MesosQuery::State).expect("a state");
        let framework = &state["frameworks"][0];
        let unreachable = framework["unreachable_tasks"].as_array().expect("a list").clone();
        let of = |host: &str| {
            unreachable.iter().filter(|t| t["id"].as_str().is_some_and(|id| id.starts_with(host))).count()
        };
        (of("agent-1"), of("agent-2"), framework["tasks"].as_array().map(Vec::len))
    };
    assert_eq!(listed(&c), (400, 600, Some(0)));
    c.clear(&first);
    c.advance_to(220_000);
    assert_eq!(listed(&c), (0, 600, Some(600)));
}
