//! Views of the cluster.

use crate::harness::*;
use planarium_mesos::api::*;
use planarium_protocol::{
    Input,
    input::{AddAgent, FaultKind, Target},
};
use std::sync::Arc;

#[test]
fn machines_and_tasks() {
    let mut c = Cluster::new(1);
    c.behave(Target::default(), start_after(4_000));
    c.agents(2, "cpus:4;mem:1024");
    let f = c.framework("f", |_| {});
    let first: Vec<OfferId> = c.offers.iter().filter(|o| &*o.hostname == "agent-1").map(|o| o.id).collect();
    let cpus = reserved("f", "cpus", 1_500, "r");
    let user = TaskInfo {
        resources: [cpus.with_scalar(planarium_kernel::Milli(1_000))].into_iter().collect(),
        ..task("t__1", "cpus:1")
    };
    c.accept_with(
        f,
        &first,
        vec![Operation::Reserve(vec![cpus]), launch(vec![user, task("u", "cpus:1")])],
        None,
    );
    c.advance_to(10_000);
    let views = c.master.machines(&c.fleet);
    let machine = &views[0];
    let cpus = machine.resources.iter().find(|resource| &*resource.name == "cpus").expect("cpus");
    assert_eq!((cpus.total, cpus.used, cpus.reserved), (4_000, 2_000, 500));
    let shown: Vec<(&str, &str, &str, &str)> =
        machine.tasks.iter().map(|t| (&*t.name, &*t.id, &*t.service, &*t.state)).collect();
    assert_eq!(shown, [("t", "t__1", "f", "TASK_RUNNING"), ("u", "u", "f", "TASK_RUNNING")]);
    assert_eq!((&*machine.hostname, &*machine.ip, &*machine.state), ("agent-1", "10.0.0.1", "up"));
    assert_eq!(&*views[1].ip, "10.0.0.2");
}

/// Each allowed action has its promised effect.
#[test]
fn actions_work() {
    let build = || {
        let mut c = Cluster::new(1);
        c.behave(Target::default(), start_after(1_000));
        c.agents(1, "cpus:4;mem:1024");
        let f = c.framework("f", |_| {});
        c.accept(f, vec![launch(vec![task("t", "cpus:1")])]);
        c.advance_to(5_000);
        c.heard();
        c
    };
    let act = |c: &mut Cluster, title: &str| {
        let machine = c.master.machines(&c.fleet)[0].clone();
        let all = machine.actions.iter().chain(machine.tasks.iter().flat_map(|task| &task.actions));
        let action =
            all.into_iter().find(|action| &*action.title == title && action.refused.is_none()).expect(title);
        match &action.input {
            Input::Fault(fault) => {
                c.fleet.inject(&mut c.cx, fault).expect("allowed");
            }
            Input::ClearFault(clear) => c.clear(&clear.id),
            other => panic!("unexpected {other:?}"),
        }
        c.settle();
    };
    for (title, expected) in [
        ("Fail this task", "5000 t TASK_FAILED"),
        ("Kill this task", "5000 t TASK_KILLED"),
        ("Run it out of memory", "5000 t TASK_FAILED REASON_CONTAINER_LIMITATION_MEMORY"),
    ] {
        let mut c = build();
        act(&mut c, title);
        assert_eq!(c.heard_of_tasks(), [expected], "{title}");
    }
    for (title, state) in [
        ("Lose this machine", "lost"),
        ("Cut it off the network", "partitioned"),
        ("Restart its agent (30 s)", "restarting"),
    ] {
        let mut c = build();
        act(&mut c, title);
        assert_eq!(&*c.master.machines(&c.fleet)[0].state, state);
        let refused =
            c.master.machines(&c.fleet)[0].actions.iter().filter(|action| action.refused.is_some()).count();
        assert!(refused > 0, "{title}: hurting it the same way again is refused");
        act(&mut c, "Bring it back");
        assert_eq!(&*c.master.machines(&c.fleet)[0].state, "up", "{title}");
    }
}

#[test]
fn only_changed_views_are_rebuilt() {
    let mut c = Cluster::new(1);
    c.behave(Target::default(), start_after(4_000));
    c.agents(3, "cpus:4;mem:1024");
    let f = c.framework("f", |_| {});
    let before = c.master.machines(&c.fleet);
    let host = c.offers[0].hostname.clone();
    c.accept(f, vec![launch(vec![task("t", "cpus:1")])]);
    c.advance_to(10_000);
    let after = c.master.machines(&c.fleet);
    for (old, new) in before.iter().zip(&after) {
        assert_eq!(Arc::ptr_eq(old, new), old.hostname != host, "{}", old.hostname);
        assert_eq!(old.revision == new.revision, old.hostname != host);
    }
    let fault = c.fault(FaultKind::AgentPartitioned, on_agent("agent-1"), |_| {});
    c.clear(&fault);
    c.advance_to(10_500);
    assert_eq!(&*c.master.machines(&c.fleet)[0].state, "up");
}

#[test]
fn machines_that_are_refused() {
    let rows: Vec<(&str, AddAgent, u16)> = vec![
        ("twice the same", AddAgent { hostname: Some("agent-1".into()), ..AddAgent::default() }, 409),
        ("no pattern", AddAgent { hostname: Some("x".into()), count: Some(2), ..AddAgent::default() }, 400),
        ("no word", AddAgent { hostname: Some("a b".into()), ..AddAgent::default() }, 400),
        ("too many", AddAgent { count: Some(u32::MAX), ..AddAgent::default() }, 413),
        (
            "negative",
            {
                let mut a = AddAgent::default();
                a.resources.cpus = Some(planarium_protocol::Amount(-1));
                a
            },
            400,
        ),
        (
            "half a GPU",
            {
                let mut a = AddAgent::default();
                a.resources.gpus = Some(planarium_protocol::Amount(500));
                a
            },
            400,
        ),
        (
            "ports",
            {
                let mut a = AddAgent::default();
                a.resources.ports = Some("many".into());
                a
            },
            400,
        ),
        (
            "ports reversed",
            {
                let mut a = AddAgent::default();
                a.resources.ports = Some("[9-1]".into());
                a
            },
            400,
        ),
        (
            "role",
            {
                let mut a = AddAgent::default();
                a.roles.insert("*".into(), machine("cpus:1"));
                a
            },
            400,
        ),
    ];
    let mut c = Cluster::new(1);
    c.agents(1, "cpus:1");
    let before = c.cx.next_seq();
    for (name, add, status) in rows {
        let refusal = c.master.add_agent(&mut c.cx, &mut c.fleet, &add).expect_err(name);
        assert_eq!(refusal.status, status, "{name}: {}", refusal.message);
    }
    assert_eq!((c.cx.next_seq(), c.master.machines(&c.fleet).len()), (before, 1));
    let gpu = AddAgent { hostname: Some("gpu-{n}".into()), count: Some(2), ..AddAgent::default() };
    c.add(&gpu);
    c.agents(2, "cpus:1");
    c.add(&gpu);
    let names: Vec<String> = c.master.machines(&c.fleet).iter().map(|m| m.hostname.to_string()).collect();
    assert_eq!(names, ["agent-1", "gpu-1", "gpu-2", "agent-2", "agent-3", "gpu-3", "gpu-4"]);
    let defaults = &c.master.machines(&c.fleet)[1];
    let totals: Vec<(&str, i64)> = defaults.resources.iter().map(|r| (&*r.name, r.total)).collect();
    assert_eq!(totals, [("cpus", 8_000), ("mem", 32_768_000), ("disk", 204_800_000)]);
}
