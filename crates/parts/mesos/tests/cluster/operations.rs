//! Operations with ids, volumes of another size, disks of providers.

use crate::harness::*;
use planarium_kernel::Milli;
use planarium_mesos::{
    api::*,
    maintenance::{DrainConfig, decode::OperatorCall},
};
use planarium_protocol::input::FaultKind;

fn named(id: &str, operation: Operation) -> Operation {
    Operation::Named { id: id.into(), operation: Box::new(operation) }
}

fn cluster() -> (Cluster, FrameworkId) {
    let mut c = Cluster::manual();
    c.agents(1, "cpus:4;mem:1024;disk:1000");
    let f = c.outsider("f", |_| {});
    c.heard();
    (c, f)
}

fn disk(amount: i64) -> Resource {
    reserved("f", "disk", amount * 1_000, "d")
}

fn sized(amount: i64) -> Resource {
    volume(&disk(amount), "f", "v")
}

/// Returns the offered disk resources, with volumes.
fn disks(c: &Cluster) -> Vec<String> {
    let all = c.offers.iter().flat_map(|offer| &offer.resources);
    let mut lines: Vec<String> = all
        .filter(|resource| &*resource.name == "disk")
        .map(|r| {
            let kind = match (r.persistence(), r.reservations.is_empty()) {
                (Some(_), _) => "volume",
                (None, false) => "reserved",
                (None, true) => "free",
            };
            format!("{kind} {}", r.amount().0 / 1_000)
        })
        .collect();
    lines.sort_unstable();
    lines
}

#[test]
fn operation_statuses_repeat_until_acknowledged() {
    let (mut c, f) = cluster();
    let cpus = reserved("f", "cpus", 1_000, "c");
    let twice = reserved("f", "cpus", 9_000, "c");
    c.accept(
        f,
        vec![
            named("r", Operation::Reserve(vec![cpus.clone()])),
            named("too-much", Operation::Reserve(vec![twice])),
            Operation::Reserve(vec![disk(100)]),
            Operation::Destroy(vec![sized(5)]),
        ],
    );
    assert_eq!(
        c.heard(),
        ["0 r OPERATION_FINISHED", "0 too-much OPERATION_ERROR"],
        "without an id nothing is told, of success or of failure"
    );
    let (done, refused) = (c.operations[0].1.clone(), c.operations[1].1.clone());
    assert_eq!(done.converted, [cpus.unallocated()].into_iter().collect::<Resources>());
    assert!(done.agent_id.is_some() && done.number.is_some() && refused.number.is_none());
    assert!(refused.agent_id.is_none() && refused.message.contains("not in what is left"), "{refused:?}");
    c.advance_to(80_000);
    let told: Vec<String> = c.heard().into_iter().filter(|line| !line.contains("OFFERS")).collect();
    assert_eq!(told, [10, 30, 70].map(|s| format!("{} r OPERATION_FINISHED", s * 1_000)));
    let ask = |ids: &[&str], c: &mut Cluster| {
        let one = |id: &&str| ReconcileOperation { operation_id: (*id).into(), agent_id: None };
        c.call(f, Call::ReconcileOperations { operations: ids.iter().map(one).collect() });
        c.heard()
    };
    assert_eq!(ask(&[], &mut c), ["80000 r OPERATION_FINISHED"]);
    assert_eq!(
        ask(&["r", "too-much"], &mut c),
        ["80000 r OPERATION_FINISHED", "80000 too-much OPERATION_UNKNOWN"]
    );
    assert!(c.operations.last().is_some_and(|(_, status)| status.number.is_none()));
    c.acknowledge_operation(f, &done);
    c.advance_to(1_000_000);
    assert_eq!(c.heard(), [""; 0]);
    assert_eq!(ask(&[], &mut c), [""; 0]);
    assert_eq!(ask(&["r"], &mut c), ["1000000 r OPERATION_UNKNOWN"]);
}

#[test]
fn a_refused_accept_drops_its_operations() {
    let (mut c, f) = cluster();
    let reserve = || Operation::Reserve(vec![reserved("f", "cpus", 1_000, "c")]);
    let operations = vec![named("a", reserve()), reserve(), launch(vec![task("t", "cpus:1")])];
    c.accept_with(f, &[OfferId(77)], operations, None);
    assert_eq!(c.heard(), ["0 t TASK_DROPPED REASON_INVALID_OFFERS", "0 a OPERATION_ERROR"]);
}

#[test]
fn a_disconnected_agent_reports_its_operations_later() {
    let reserve = || named("r", Operation::Reserve(vec![reserved("f", "cpus", 1_000, "c")]));
    let ask = |c: &mut Cluster, f| {
        let agent_id = Some(c.master.machines(&c.fleet)[0].agent_id.clone());
        let asked = ReconcileOperation { operation_id: "r".into(), agent_id };
        c.call(f, Call::ReconcileOperations { operations: vec![asked] });
        c.heard().pop().expect("an answer")
    };
    // Disconnected before it receives the operation.
    let (mut c, f) = cluster();
    c.fault(FaultKind::AgentPartitioned, on_agent("agent-1"), |fault| fault.for_ms = Some(20_000));
    c.accept(f, vec![reserve()]);
    assert_eq!(ask(&mut c, f), "0 r OPERATION_PENDING");
    c.advance_to(25_000);
    assert!(c.heard().contains(&"20000 r OPERATION_FINISHED".to_owned()));
    // Given up, and back.
    c.fault(FaultKind::AgentPartitioned, on_agent("agent-1"), |fault| fault.for_ms = Some(200_000));
    c.advance_to(150_000);
    let told: Vec<String> = c.heard().into_iter().filter(|line| line.contains("OPERATION")).collect();
    assert_eq!(told, ["105000 r OPERATION_UNREACHABLE"]);
    assert_eq!(ask(&mut c, f), "150000 r OPERATION_UNREACHABLE");
    c.advance_to(225_000);
    let told: Vec<String> = c.heard().into_iter().filter(|line| line.contains("OPERATION")).collect();
    assert_eq!(told, ["225000 r OPERATION_FINISHED"]);
    // Marked gone.
    let agent_id = c.master.machines(&c.fleet)[0].agent_id.clone();
    c.maintain(OperatorCall::MarkGone(agent_id)).expect("registered");
    assert_eq!(c.heard(), ["225000 r OPERATION_GONE_BY_OPERATOR", "225000 RESCIND", "225000 FAILURE"]);
    assert_eq!(ask(&mut c, f), "225000 r OPERATION_GONE_BY_OPERATOR");
}

#[test]
fn an_agent_is_drained_when_its_operations_are_acknowledged() {
    let (mut c, f) = cluster();
    c.accept(f, vec![named("r", Operation::Reserve(vec![reserved("f", "cpus", 1_000, "c")]))]);
    let agent_id = c.master.machines(&c.fleet)[0].agent_id.clone();
    let config = DrainConfig { max_grace_ns: None, mark_gone: false };
    c.maintain(OperatorCall::Drain { agent_id, config }).expect("may be drained");
    assert_eq!(&*c.master.machines(&c.fleet)[0].state, "draining");
    let done = c.operations[0].1.clone();
    c.acknowledge_operation(f, &OperationStatus { number: Some(99), ..done.clone() });
    assert_eq!(&*c.master.machines(&c.fleet)[0].state, "draining");
    c.acknowledge_operation(f, &done);
    assert_eq!(&*c.master.machines(&c.fleet)[0].state, "drained");
}

#[test]
fn volumes_grow_and_shrink() {
    let (mut c, f) = cluster();
    c.accept(f, vec![Operation::Reserve(vec![disk(300)]), Operation::Create(vec![sized(100)])]);
    c.advance_to(1_000);
    assert_eq!(disks(&c), ["free 700", "reserved 200", "volume 100"]);
    c.heard();
    let user = TaskInfo {
        resources: [sized(150), reserved("f", "disk", 1, "d")].into_iter().collect(),
        ..task("t", "cpus:1")
    };
    c.accept_with(
        f,
        &c.outstanding(f),
        vec![
            named("grow", Operation::Grow { volume: sized(100), addition: disk(50) }),
            // The volume of the new size comes with the next offers.
            launch(vec![user]),
        ],
        Some(0),
    );
    assert_eq!(c.heard(), ["1000 grow OPERATION_FINISHED", "1000 t TASK_ERROR REASON_TASK_INVALID"]);
    let converted = c.operations.last().map(|(_, status)| status.converted.clone());
    assert_eq!(converted, Some([sized(150).unallocated()].into_iter().collect()));
    c.advance_to(2_000);
    assert_eq!(disks(&c), ["free 700", "reserved 150", "volume 150"]);
    c.heard();
    c.accept_with(
        f,
        &c.outstanding(f),
        vec![named("shrink", Operation::Shrink { volume: sized(150), by: Milli(120_000) })],
        Some(0),
    );
    c.advance_to(3_000);
    assert_eq!(c.heard(), ["2000 shrink OPERATION_FINISHED", "3000 OFFERS agent-1"]);
    assert_eq!(disks(&c), ["free 700", "reserved 270", "volume 30"]);
    let told = c.cx.drain().into_iter().filter_map(|event| match event.body {
        planarium_protocol::EventBody::VolumeResized { from, to, .. } => Some(format!("{from} to {to}")),
        _ => None,
    });
    assert_eq!(told.collect::<Vec<_>>(), ["100 to 150", "150 to 30"]);
}

#[test]
fn refused_resizing() {
    let mount = |id: &str| Resource {
        disk: Some(
            DiskInfo {
                source: Some(DiskSource::Mount { root: "/m".into(), profile: None }),
                persistence: None,
            }
            .into(),
        ),
        ..reserved("f", "disk", 100_000, id)
    };
    for (name, operation, says) in [
        ("no volume", Operation::Grow { volume: disk(50), addition: disk(50) }, "not a persistent volume"),
        (
            "other disk",
            Operation::Grow { volume: sized(100), addition: reserved("f", "disk", 1_000, "x") },
            "not of the kind",
        ),
        (
            "unreserved",
            Operation::Grow { volume: sized(100), addition: Resource::scalar("disk", Milli(1_000)) },
            "not of the kind",
        ),
        ("a volume on top", Operation::Grow { volume: sized(100), addition: sized(100) }, "not of the kind"),
        ("too much", Operation::Grow { volume: sized(100), addition: disk(201) }, "not in what is left"),
        ("another size", Operation::Grow { volume: sized(99), addition: disk(1) }, "not in what is left"),
        ("nothing", Operation::Grow { volume: sized(100), addition: disk(0) }, "nothing"),
        ("by nothing", Operation::Shrink { volume: sized(100), by: Milli(0) }, "less than"),
        ("to nothing", Operation::Shrink { volume: sized(100), by: Milli(100_000) }, "less than"),
        ("below nothing", Operation::Shrink { volume: sized(100), by: Milli(-1) }, "less than"),
        (
            "no such volume",
            Operation::Shrink { volume: volume(&disk(100), "f", "w"), by: Milli(1) },
            "not in what is left",
        ),
        ("a mount", Operation::Shrink { volume: volume(&mount("d"), "f", "v"), by: Milli(1_000) }, "MOUNT"),
        (
            "a provider's disk",
            Operation::Impossible { kind: "CREATE_DISK", flaw: "no provider" },
            "no provider",
        ),
    ] {
        let (mut c, f) = cluster();
        c.accept(f, vec![Operation::Reserve(vec![disk(300)]), Operation::Create(vec![sized(100)])]);
        c.advance_to(1_000);
        let before = disks(&c);
        c.heard();
        c.accept_with(f, &c.outstanding(f), vec![operation.clone(), named("o", operation)], Some(0));
        assert_eq!(c.heard(), ["1000 o OPERATION_ERROR"], "{name}");
        let message = c.operations.last().map(|(_, status)| status.message.to_string()).unwrap_or_default();
        assert!(message.contains(says), "{name}: {message}");
        c.advance_to(2_000);
        assert_eq!(disks(&c), before, "{name}");
    }
}

#[test]
fn a_leaving_framework_drops_its_operations() {
    let (mut c, f) = cluster();
    c.accept(f, vec![named("r", Operation::Reserve(vec![reserved("f", "cpus", 1_000, "c")]))]);
    c.call(f, Call::Teardown);
    c.heard();
    c.advance_to(100_000);
    assert_eq!(c.heard(), [""; 0]);
    // A framework that does not acknowledge by calls is told once.
    let g = c.framework("g", |_| {});
    c.accept(g, vec![named("r", Operation::Reserve(vec![reserved("g", "cpus", 1_000, "c")]))]);
    c.advance_to(200_000);
    let told: Vec<String> = c.heard().into_iter().filter(|line| line.contains("OPERATION")).collect();
    assert_eq!(told, ["100000 g r OPERATION_FINISHED"]);
}
