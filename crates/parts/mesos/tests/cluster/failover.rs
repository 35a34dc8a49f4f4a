//! Another master takes over.

use crate::harness::*;
use planarium_mesos::{
    api::*,
    maintenance::{DrainConfig, MachineId, Response, Schedule, Window, decode::OperatorCall},
    wire::{Calendar, MesosQuery},
};
use planarium_protocol::input::{FaultKind, Target};
use serde_json::{Value, json};

/// Three machines; a framework with a task on the first, one ended task, and an outstanding offer.
fn three() -> (Cluster, FrameworkId) {
    let mut c = Cluster::new(1);
    c.behave(Target::default(), start_after(1_000));
    c.agents(3, "cpus:4;mem:1024");
    let f = c.framework("f", |_| {});
    let first = first_offer(&c, "agent-1");
    let cpus = reserved("f", "cpus", 2_000, "id-1");
    let tasks = vec![
        TaskInfo { resources: [cpus.clone()].into_iter().collect(), ..task("t", "cpus:1") },
        task("done", "cpus:1"),
    ];
    c.accept_with(f, &[first], vec![Operation::Reserve(vec![cpus]), launch(tasks)], Some(3_600_000));
    c.advance_to(5_000);
    c.call(f, Call::Kill { task_id: "done".into(), agent_id: None, grace_ms: None });
    c.advance_to(10_000);
    c.heard();
    (c, f)
}

fn first_offer(c: &Cluster, hostname: &str) -> OfferId {
    c.offers.iter().find(|offer| &*offer.hostname == hostname).expect("offered").id
}

fn state(c: &Cluster) -> Value {
    c.master.read(Calendar { epoch_ms: 0, now: c.cx.now() }, &MesosQuery::State).expect("state")
}

fn machine(n: u32) -> MachineId {
    MachineId::of_agent(format!("agent-{n}"), format!("10.0.0.{n}"))
}

fn schedule(c: &mut Cluster, machines: &[u32]) {
    let unavailability = Unavailability { start_ns: 0, duration_ns: None };
    let machine_ids = machines.iter().map(|n| machine(*n)).collect();
    let windows = vec![Window { machine_ids, unavailability }];
    c.maintain(OperatorCall::UpdateSchedule(Schedule { windows })).expect("a good schedule");
}

fn len(value: &Value) -> usize {
    value.as_array().map_or(0, Vec::len)
}

#[test]
fn agents_and_frameworks_return_and_nothing_is_announced() {
    let (mut c, f) = three();
    let before = state(&c);
    assert_eq!(
        (len(&before["frameworks"][0]["tasks"]), len(&before["frameworks"][0]["completed_tasks"])),
        (1, 1)
    );
    c.fail_over();
    assert_eq!(c.heard(), ["10000 SUBSCRIBED"], "offers are gone without a word");
    let lost = state(&c);
    assert_eq!((len(&lost["slaves"]), len(&lost["recovered_slaves"])), (0, 3));
    assert_eq!(lost["recovered_slaves"][0]["id"], before["slaves"][0]["id"]);
    assert_eq!(
        (len(&lost["frameworks"][0]["tasks"]), len(&lost["frameworks"][0]["completed_tasks"])),
        (0, 0)
    );
    // A reconciliation now gets no answer: an agent may still report.
    let agent_id: Text = before["slaves"][0]["id"].as_str().expect("an id").into();
    let ask = |agent_id: Option<&Text>| Call::Reconcile {
        tasks: vec![ReconcileTask { task_id: "t".into(), agent_id: agent_id.cloned() }],
    };
    c.call(f, ask(Some(&agent_id)));
    c.call(f, ask(None));
    c.call(f, Call::Kill { task_id: "t".into(), agent_id: None, grace_ms: None });
    assert_eq!(c.heard(), [""; 0]);
    c.advance_to(11_000);
    let heard = c.heard();
    assert!(heard.iter().all(|line| line.contains("OFFERS")) && heard.len() >= 3, "{heard:?}");
    assert_eq!(c.offered(f).len(), 3, "what was filtered is offered again");
    c.call(f, ask(Some(&agent_id)));
    assert_eq!(c.heard(), ["11000 t TASK_RUNNING REASON_RECONCILIATION"]);
    let after = state(&c);
    for key in ["id", "hostname", "resources", "used_resources", "reserved_resources"] {
        assert_eq!(after["slaves"][0][key], before["slaves"][0][key], "{key}");
    }
    assert_eq!(after["frameworks"][0]["tasks"], before["frameworks"][0]["tasks"]);
    assert_eq!(len(&after["frameworks"][0]["completed_tasks"]), 0, "what had ended is forgotten");
    c.call(f, Call::Kill { task_id: "t".into(), agent_id: None, grace_ms: None });
    c.advance_to(20_000);
    assert_eq!(c.heard_of_tasks(), ["13000 t TASK_KILLED"]);
}

#[test]
fn changes_during_an_agent_restart_are_reported_on_return() {
    let (mut c, _) = three();
    let cut = c.fault(FaultKind::AgentPartitioned, on_agent("agent-1"), |_| {});
    c.fail_over();
    c.fault(FaultKind::TaskFail, on_task("t"), |_| {});
    c.advance_to(60_000);
    assert_eq!(c.heard_of_tasks(), ["10000 SUBSCRIBED"; 0]);
    c.clear(&cut);
    assert_eq!(c.heard_of_tasks(), ["60000 t TASK_FAILED"]);
}

#[test]
fn an_agent_that_does_not_return_is_unreachable_after_ten_minutes() {
    let (mut c, f) = three();
    let agent_id = Some(c.master.machines(&c.fleet)[0].agent_id.clone());
    let cut = c.fault(FaultKind::AgentPartitioned, on_agent("agent-1"), |_| {});
    c.fail_over();
    c.advance_to(609_999);
    assert_eq!(&*c.master.machines(&c.fleet)[0].state, "recovered");
    c.heard();
    c.advance_to(610_000);
    assert_eq!(c.heard(), ["610000 FAILURE"], "nobody knows what it runs");
    c.call(f, Call::Reconcile { tasks: vec![ReconcileTask { task_id: "t".into(), agent_id }] });
    assert_eq!(c.heard(), ["610000 t TASK_UNREACHABLE REASON_RECONCILIATION"]);
    c.advance_to(700_000);
    c.clear(&cut);
    assert_eq!(c.heard_of_tasks(), ["700000 t TASK_RUNNING REASON_AGENT_REREGISTERED"]);
}

/// A rebooted machine has a new agent; the old one never returns.
#[test]
fn a_machine_that_reboots_meanwhile_has_a_new_agent() {
    let (mut c, _) = three();
    let old = c.master.machines(&c.fleet)[0].agent_id.clone();
    c.fail_over();
    let lost = c.fault(FaultKind::AgentLost, on_agent("agent-1"), |_| {});
    c.clear(&lost);
    c.advance_to(20_000);
    let shown = state(&c);
    assert_eq!((len(&shown["slaves"]), len(&shown["recovered_slaves"])), (3, 1));
    assert_eq!(shown["recovered_slaves"][0]["id"], *old);
    assert_ne!(c.master.machines(&c.fleet)[0].agent_id, old);
    c.heard();
    c.advance_to(610_000);
    assert_eq!(c.heard().last().map(String::as_str), Some("610000 FAILURE"));
}

#[test]
fn an_agent_that_was_unreachable_stays_so() {
    let (mut c, f) = three();
    let cut = c.fault(FaultKind::AgentPartitioned, on_agent("agent-1"), |_| {});
    c.advance_to(200_000);
    c.fail_over();
    c.advance_to(202_000);
    c.heard();
    assert_eq!(len(&state(&c)["frameworks"][0]["unreachable_tasks"]), 0);
    let agent_id = Some(c.master.machines(&c.fleet)[0].agent_id.clone());
    c.call(f, Call::Reconcile { tasks: vec![ReconcileTask { task_id: "t".into(), agent_id }] });
    c.clear(&cut);
    assert_eq!(
        c.heard_of_tasks(),
        [
            "202000 t TASK_UNREACHABLE REASON_RECONCILIATION",
            "202000 t TASK_RUNNING REASON_AGENT_REREGISTERED"
        ]
    );
}

#[test]
fn the_schedule_survives_and_answers_do_not() {
    let (mut c, f) = three();
    schedule(&mut c, &[1, 2]);
    let answers = |c: &Cluster| {
        let calendar = Calendar { epoch_ms: 0, now: c.cx.now() };
        let status = c.master.read(calendar, &MesosQuery::MaintenanceStatus).expect("status");
        (
            len(&status["draining_machines"]),
            len(&status["down_machines"]),
            status["draining_machines"][0]["statuses"].clone(),
        )
    };
    let offer_ids = c.inverse.iter().map(|offer| offer.id).collect();
    c.call(
        f,
        Call::AnswerInverseOffers { offer_ids, response: Response::Accept, refuse_ms: Some(3_600_000) },
    );
    c.maintain(OperatorCall::Start(vec![machine(2)])).expect("it is DRAINING");
    assert_eq!(answers(&c).2[0]["status"], "ACCEPT");
    c.heard();
    c.fail_over();
    assert_eq!(answers(&c), (1, 1, Value::Null));
    c.advance_to(20_000);
    let heard = c.heard();
    assert!(heard.iter().any(|line| line.ends_with("INVERSE_OFFERS agent-1")), "asked again: {heard:?}");
    assert!(c.offers.iter().all(|offer| &*offer.hostname != "agent-2"), "DOWN is DOWN");
    // A machine that goes DOWN before its agent is back: the agent is turned away.
    let cut = c.fault(FaultKind::AgentPartitioned, on_agent("agent-1"), |_| {});
    c.fail_over();
    c.maintain(OperatorCall::Start(vec![machine(1)])).expect("it is DRAINING");
    c.clear(&cut);
    c.advance_to(40_000);
    assert_eq!((&*c.master.machines(&c.fleet)[0].state, c.fleet.process_ids().count()), ("down", 0));
    c.maintain(OperatorCall::Stop(vec![machine(1)])).expect("it is DOWN");
    c.advance_to(50_000);
    assert_eq!(&*c.master.machines(&c.fleet)[0].state, "up");
}

#[test]
fn drained_and_deactivated_agents_stay_so() {
    let (mut c, _) = three();
    let id = |c: &Cluster, n: usize| c.master.machines(&c.fleet)[n].agent_id.clone();
    let config = DrainConfig { max_grace_ns: None, mark_gone: false };
    c.maintain(OperatorCall::Drain { agent_id: id(&c, 1), config }).expect("may be drained");
    c.maintain(OperatorCall::Deactivate(id(&c, 2))).expect("may be deactivated");
    let cut = c.fault(FaultKind::AgentPartitioned, on_agent("agent-1"), |_| {});
    c.fail_over();
    // Drained while it is away: the order waits.
    c.maintain(OperatorCall::Drain { agent_id: id(&c, 0), config }).expect("it is recovered");
    c.advance_to(20_000);
    c.heard();
    c.clear(&cut);
    c.advance_to(30_000);
    let states: Vec<String> =
        c.master.machines(&c.fleet).iter().map(|machine| machine.state.to_string()).collect();
    assert_eq!(states, ["drained", "drained", "deactivated"]);
    assert_eq!(c.heard_of_tasks(), ["22000 t TASK_KILLED REASON_AGENT_DRAINING"]);
    assert!(c.offers.is_empty());
}

#[test]
fn a_framework_has_ten_minutes_to_return() {
    let (mut c, f) = three();
    c.lose_master();
    c.advance_to(300_000);
    let shown = state(&c);
    assert_eq!(
        (&shown["frameworks"][0]["recovered"], &shown["frameworks"][0]["connected"]),
        (&json!(true), &json!(false))
    );
    assert_eq!(len(&shown["frameworks"][0]["tasks"]), 1, "it runs on");
    assert!(c.offers.is_empty());
    c.advance_to(609_999);
    assert_eq!(len(&state(&c)["frameworks"]), 1);
    c.advance_to(610_000);
    assert_eq!((len(&state(&c)["frameworks"]), len(&state(&c)["completed_frameworks"])), (0, 1));
    let ended: Vec<TaskState> = c.master.completed_tasks(f).map(|(_, state)| state).collect();
    assert_eq!(ended, [TaskState::Killed]);
    // After another failover the task is unknown.
    c.lose_master();
    assert_eq!(len(&state(&c)["completed_frameworks"]), 0);
}

#[test]
fn unacknowledged_statuses_are_resent() {
    let mut c = Cluster::manual();
    c.agents(1, "cpus:4;mem:1024");
    let f = c.outsider("f", |_| {});
    let reserve = Operation::Reserve(vec![reserved("f", "cpus", 1_000, "c")]);
    let named = Operation::Named { id: "r".into(), operation: Box::new(reserve) };
    c.accept(f, vec![named, launch(vec![task("t", "cpus:1")])]);
    c.status("t", "FINISHED");
    c.heard();
    c.fail_over();
    let agent_id = Some(c.master.machines(&c.fleet)[0].agent_id.clone());
    let asked = ReconcileOperation { operation_id: "r".into(), agent_id };
    c.call(f, Call::ReconcileOperations { operations: vec![asked] });
    assert_eq!(c.heard(), ["0 SUBSCRIBED", "0 r OPERATION_RECOVERING"]);
    c.advance_to(2_000);
    let told: Vec<String> =
        c.heard().iter().filter_map(|line| Some(line.split_once(' ')?.1.to_owned())).collect();
    assert_eq!(told, ["t TASK_FINISHED", "r OPERATION_FINISHED", "OFFERS agent-1"]);
    c.acknowledge_last(f);
    let ended: Vec<TaskState> = c.master.completed_tasks(f).map(|(_, state)| state).collect();
    assert_eq!(ended, [TaskState::Finished]);
}

type Text = planarium_protocol::Text;
