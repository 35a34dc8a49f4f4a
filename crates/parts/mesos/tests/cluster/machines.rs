//! Machines and their agents: names, removal, re-registration.

use crate::harness::*;
use planarium_mesos::{
    api::*,
    maintenance::{MachineId, Schedule, Window, decode::OperatorCall},
};
use planarium_protocol::input::AddAgent;

fn one(hostname: &str) -> AddAgent {
    AddAgent {
        hostname: Some(hostname.to_owned()),
        resources: machine("cpus:4;mem:1024"),
        ..AddAgent::default()
    }
}

fn at(hostname: &str, ip: &str) -> AddAgent {
    AddAgent { ip: Some(ip.to_owned()), ..one(hostname) }
}

fn add(c: &mut Cluster, add: &AddAgent) -> Result<usize, u16> {
    let done = c.master.add_agent(&mut c.cx, &mut c.fleet, add);
    c.settle();
    done.map(|ids| ids.len()).map_err(|refusal| refusal.status)
}

fn remove(c: &mut Cluster, which: &str) -> Result<(), u16> {
    let done = c.master.remove_agent(&mut c.cx, &mut c.fleet, which);
    c.settle();
    done.map_err(|refusal| refusal.status)
}

fn states(c: &Cluster) -> Vec<String> {
    let machines = c.master.machines(&c.fleet);
    machines
        .iter()
        .map(|view| format!("{}@{}:{} {}", view.hostname, view.ip, view.port.unwrap_or(5051), view.state))
        .collect()
}

#[test]
fn a_machine_is_removed_with_all_its_agents() {
    let mut c = Cluster::manual();
    let second = AddAgent { port: Some(5052), ..one("h") };
    assert_eq!(
        (add(&mut c, &one("h")), add(&mut c, &second), add(&mut c, &one("other"))),
        (Ok(1), Ok(1), Ok(1))
    );
    assert_eq!(remove(&mut c, "h"), Ok(()));
    assert_eq!(states(&c), ["other@10.0.0.3:5051 up"]);
    assert_eq!(remove(&mut c, "h"), Err(404));
    // By its id, one agent alone.
    add(&mut c, &one("h")).expect("it was taken out");
    add(&mut c, &second).expect("another port");
    let id = c.master.machines(&c.fleet)[1].agent_id.to_string();
    assert_eq!(remove(&mut c, &id), Ok(()));
    assert_eq!(states(&c).len(), 2);
}

#[test]
fn machines_with_one_name_are_distinguished_by_address() {
    let mut c = Cluster::manual();
    assert_eq!(add(&mut c, &at("h", "10.0.0.1")), Ok(1));
    assert_eq!(add(&mut c, &one("h")), Err(409), "no address of its own");
    assert_eq!(add(&mut c, &at("h", "10.0.0.1")), Err(409), "the same machine");
    assert_eq!(add(&mut c, &at("h", "10.0.0.2")), Ok(1));
    assert_eq!(states(&c), ["h@10.0.0.1:5051 up", "h@10.0.0.2:5051 up"]);
    let machine_ids = vec![MachineId::of_agent("h", "10.0.0.2")];
    let unavailability = Unavailability { start_ns: 0, duration_ns: None };
    let windows = vec![Window { machine_ids: machine_ids.clone(), unavailability }];
    c.maintain(OperatorCall::UpdateSchedule(Schedule { windows })).expect("a good schedule");
    c.maintain(OperatorCall::Start(machine_ids)).expect("it is DRAINING");
    assert_eq!(states(&c), ["h@10.0.0.1:5051 up", "h@10.0.0.2:5051 down"]);
    assert_eq!(c.master.agent_id_on("h"), None, "which of them?");
    assert_eq!(remove(&mut c, "h"), Err(400), "which of them?");
    assert_eq!(remove(&mut c, "h@10.0.0.1"), Ok(()));
    assert_eq!(states(&c), ["h@10.0.0.2:5051 down"]);
}

#[test]
fn a_machine_whose_agent_is_gone_gets_a_fresh_one() {
    let mut c = Cluster::manual();
    c.add(&AddAgent {
        hostname: Some("h".to_owned()),
        resources: machine("cpus:4;mem:1024;disk:100"),
        ..AddAgent::default()
    });
    let f = c.framework("f", |_| {});
    let cpus = reserved("f", "cpus", 1_000, "id-1");
    c.accept_with(f, &c.outstanding(f), vec![Operation::Reserve(vec![cpus])], Some(0));
    let id = c.master.machines(&c.fleet)[0].agent_id.clone();
    c.maintain(OperatorCall::MarkGone(id.clone())).expect("it is registered");
    c.advance(10_000);
    assert_eq!(states(&c), ["h@10.0.0.1:5051 gone"]);
    let fresh = c.master.machines(&c.fleet)[0]
        .actions
        .iter()
        .find(|action| action.title.contains("fresh agent"))
        .map(|action| action.input.clone());
    let Some(planarium_protocol::Input::AddAgent(fresh)) = fresh else { panic!("an action that adds it") };
    assert_eq!(add(&mut c, &fresh), Ok(1));
    let view = c.master.machines(&c.fleet)[0].clone();
    assert_eq!((states(&c), view.agent_id != id), (vec!["h@10.0.0.1:5051 up".to_owned()], true));
    assert_eq!(c.offered(f), ["h f-role cpus:4;mem:1024;disk:100"], "nothing of the old one is left");
    assert_eq!(add(&mut c, &fresh), Err(409), "it is there");
}
