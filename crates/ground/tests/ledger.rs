//! The ledger of machines: allocations, free amounts per owner, notifications.

use planarium_ground::{
    Amounts, Cx, Fleet, FleetEventKind, Holder, Holding, HoldingId, MachineId, MachineSpec, Owner, Ports,
    Scalar, Sharing,
};
use planarium_kernel::{Milli, Recorder, Weight};
use planarium_protocol::{Amount, input::Resources};

const MESOS: Owner = Owner(0);
const KUBE: Owner = Owner(1);

const fn id(owner: Owner, number: u64) -> HoldingId {
    HoldingId { owner, number }
}

fn fleet() -> (Fleet, Cx, MachineId) {
    let (mut fleet, mut cx) = (Fleet::new(1), Recorder::new(1));
    let resources = Resources {
        cpus: Some(Amount::whole(8)),
        mem: Some(Amount::whole(16_384)),
        disk: Some(Amount::whole(1_000)),
        ..Resources::default()
    };
    let reserved = Resources { mem: Some(Amount::whole(16)), ..Resources::default() };
    let spec = MachineSpec {
        hostname: "m1".into(),
        resources,
        roles: [("web".to_owned(), reserved)].into(),
        ..MachineSpec::default()
    };
    let machine = fleet.add_machine(&mut cx, spec);
    (fleet, cx, machine)
}

fn holding(kind: &'static str, name: &str, amounts: Amounts) -> Holding {
    let holder = Holder { owner: "Mesos", kind, name: name.into(), service: "".into() };
    Holding { holder, amounts, ports: [].into() }
}

fn mib(cpus: i64, mem: i64) -> Amounts {
    Amounts::in_mib(Milli::from_int(cpus), Milli::from_int(mem), Milli::ZERO, Milli::ZERO)
}

fn told(fleet: &mut Fleet) -> Vec<Owner> {
    let all = std::iter::from_fn(|| fleet.next_event());
    all.filter_map(|event| match event.kind {
        FleetEventKind::HoldingsChanged { by, .. } => Some(by),
        _ => None,
    })
    .collect()
}

#[test]
fn holdings_reduce_the_free_amounts_of_others() {
    let (mut fleet, cx, m) = fleet();
    assert_eq!(fleet.ledger().has(m).mem_mib(), Milli::from_int(16_400), "what is set apart is there, too");
    fleet.hold(&cx, m, id(MESOS, 7), holding("task", "web-0", mib(2, 4_096)));
    fleet.hold(&cx, m, id(KUBE, 7), holding("pod", "a", Amounts::in_bytes(500, 1_000_001, 0, 0)));
    let ledger = fleet.ledger();
    assert_eq!(ledger.held_by_others(m, KUBE), mib(2, 4_096));
    assert_eq!(ledger.held_by(m, KUBE).mem, Milli::from_int(1_000_001));
    assert_eq!(ledger.free_for(m, KUBE), ledger.free_for(m, MESOS));
    assert_eq!(ledger.free_for(m, KUBE).cpus, Milli::from_thousandths(5_500));
    let others = ledger.others_by_size(m, KUBE, Scalar::Mem);
    assert_eq!(
        others.iter().map(|one| one.named(Scalar::Mem).in_words()).collect::<Vec<_>>(),
        ["Mesos task web-0"]
    );
    assert!(ledger.others_by_size(m, KUBE, Scalar::Disk).is_empty());
    assert_eq!(fleet.check(), Vec::<String>::new());
    fleet.release(&cx, m, id(MESOS, 7));
    fleet.release(&cx, m, id(MESOS, 8));
    assert_eq!(fleet.ledger().held_by_others(m, KUBE), Amounts::NONE);
    assert_eq!(fleet.check(), Vec::<String>::new());
}

#[test]
fn the_largest_holdings_come_first() {
    let (mut fleet, cx, m) = fleet();
    for (key, mem) in [(1, 100), (2, 300), (3, 200), (4, 300)] {
        fleet.hold(&cx, m, id(KUBE, key), holding("pod", &format!("p{key}"), mib(0, mem)));
    }
    let names = |fleet: &Fleet| {
        let all = fleet.ledger().others_by_size(m, MESOS, Scalar::Mem);
        all.iter().map(|one| one.holder.name.to_string()).collect::<Vec<_>>()
    };
    assert_eq!(names(&fleet), ["p2", "p4", "p3", "p1"]);
    fleet.hold(&cx, m, id(KUBE, 1), holding("pod", "p1", mib(0, 900)));
    assert_eq!(names(&fleet), ["p1", "p2", "p4", "p3"]);
    assert_eq!(fleet.ledger().held(m), mib(0, 1_700));
}

#[test]
fn only_other_owners_are_notified_of_a_change() {
    let (mut fleet, cx, m) = fleet();
    fleet.hold(&cx, m, id(KUBE, 1), holding("pod", "a", mib(1, 1)));
    assert_eq!(told(&mut fleet), [], "nobody listens");
    fleet.hear_holdings(KUBE);
    fleet.hold(&cx, m, id(KUBE, 2), holding("pod", "b", mib(1, 1)));
    assert_eq!(told(&mut fleet), [], "nobody else listens");
    fleet.hear_holdings(MESOS);
    let before = fleet.ledger().changed(m);
    fleet.hold(&cx, m, id(KUBE, 3), holding("pod", "c", mib(1, 1)));
    fleet.hold(&cx, m, id(KUBE, 3), holding("pod", "c", mib(1, 1)));
    fleet.release(&cx, m, id(KUBE, 1));
    assert_eq!(told(&mut fleet), [KUBE], "one report for all that happens at once");
    assert_eq!(fleet.ledger().changed(m), before + 2, "the same again is no change");
    fleet.hold(&cx, m, id(KUBE, 4), holding("pod", "d", Amounts::NONE));
    assert_eq!(told(&mut fleet), [], "it holds nothing");
}

#[test]
fn separate_clusters_may_overcommit_a_machine() {
    let (mut fleet, cx, m) = fleet();
    fleet.set_sharing(Sharing::Apart);
    fleet.hear_holdings(MESOS);
    fleet.hold(&cx, m, id(MESOS, 1), holding("task", "web-0", mib(6, 1)));
    assert_eq!(
        (fleet.ledger().is_promised_twice(m), fleet.ledger().held_by_others(m, KUBE)),
        (false, Amounts::NONE)
    );
    fleet.hold(&cx, m, id(KUBE, 1), holding("pod", "a", mib(6, 1)));
    assert!(fleet.ledger().is_promised_twice(m));
    assert_eq!((told(&mut fleet), fleet.check()), (vec![], Vec::new()));
    fleet.set_sharing(Sharing::Together);
    assert_eq!(fleet.check(), ["machine m1: 12 cpu held, it has 8: Mesos task web-0, pod a"]);
    assert_eq!(fleet.ledger().free_for(m, KUBE).cpus, Milli::ZERO, "never below nothing");
}

#[test]
fn ports_are_allocated_too() {
    let (mut fleet, cx, m) = fleet();
    let ports =
        |first, last| Holding { ports: [Ports { first, last }].into(), ..holding("pod", "a", Amounts::NONE) };
    fleet.hear_holdings(MESOS);
    fleet.hold(&cx, m, id(KUBE, 1), ports(80, 80));
    assert_eq!(told(&mut fleet), [KUBE]);
    assert_eq!(fleet.ledger().ports_of_others(m, MESOS).collect::<Vec<_>>(), [Ports { first: 80, last: 80 }]);
    assert_eq!(fleet.ledger().ports_of_others(m, KUBE).count(), 0);
    fleet.hold(&cx, m, id(KUBE, 2), ports(80, 80));
    assert_eq!(fleet.check(), Vec::<String>::new(), "of one number and two protocols");
    fleet.hold(&cx, m, id(MESOS, 1), ports(70, 90));
    assert_eq!(
        fleet.check(),
        ["machine m1: port 70 is held by two owners", "machine m1: port 80 is held by two owners"][..1]
            .to_vec()
            .into_iter()
            .map(str::to_owned)
            .collect::<Vec<_>>()
    );
}

#[test]
fn copies_share_unchanged_parts() {
    let (mut fleet, cx, m) = fleet();
    for key in 0..200 {
        fleet.hold(&cx, m, id(KUBE, key), holding("pod", "a", mib(0, 1)));
    }
    let before = fleet.clone();
    fleet.release(&cx, m, id(KUBE, 9));
    assert!(fleet.beyond(Some(&before)) * 4 < fleet.beyond(None));
    assert_eq!(before.ledger().held(m), mib(0, 200));
    fleet.remove_machine(&mut Recorder::new(1), m);
    assert_eq!((fleet.ledger().has(m), fleet.check()), (Amounts::NONE, Vec::new()));
    fleet.hold(&cx, m, id(KUBE, 1), holding("pod", "a", mib(0, 1)));
    assert_eq!(fleet.ledger().holdings(m).count(), 0);
}
