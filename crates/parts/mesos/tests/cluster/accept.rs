//! ACCEPT: validation, conversions, what comes back when.

use crate::harness::*;
use planarium_kernel::Milli;
use planarium_mesos::api::*;
use planarium_protocol::{
    Amount,
    input::{AddAgent, Disk},
};
use std::sync::Arc;

fn one() -> (Cluster, FrameworkId) {
    let mut c = Cluster::manual();
    c.agents(1, "cpus:4;mem:1024;disk:1000;ports:[1000-1010]");
    let f = c.framework("f", |_| {});
    c.heard();
    (c, f)
}

/// Trace A of the reference sheet, as far as it needs no maintenance.
#[test]
fn a_partial_accept_filters_the_rest_for_five_seconds() {
    let (mut c, f) = one();
    c.advance_to(200);
    c.accept(f, vec![launch(vec![task("t", "cpus:1")])]);
    c.advance_to(300);
    c.status("t", "TASK_RUNNING");
    assert_eq!(c.heard(), ["300 t TASK_RUNNING"]);
    c.advance_to(5_999);
    assert_eq!(c.heard(), Vec::<String>::new());
    c.advance_to(6_000);
    assert_eq!(c.heard(), ["6000 OFFERS agent-1"]);
    assert_eq!(c.offered(f), ["agent-1 f-role cpus:3;mem:1024;disk:1000;ports:[1000-1010]"]);
}

#[test]
fn unused_converted_resources_return_in_the_next_batch() {
    let (mut c, f) = one();
    c.advance_to(200);
    let cpus = reserved("f", "cpus", 1_000, "id-1");
    c.accept_with(f, &c.outstanding(f), vec![Operation::Reserve(vec![cpus])], Some(3_600_000));
    c.advance_to(1_000);
    assert_eq!(c.offered(f), ["agent-1 f-role cpus(f-role):1;cpus:3;mem:1024;disk:1000;ports:[1000-1010]"]);
    // A reservation that a launch uses up does not come back, and the refused rest stays refused.
    let (mut c, f) = one();
    let cpus = reserved("f", "cpus", 1_000, "id-1");
    let user = TaskInfo { resources: [cpus.clone()].into_iter().collect(), ..task("t", "cpus:1") };
    c.accept_with(
        f,
        &c.outstanding(f),
        vec![Operation::Reserve(vec![cpus]), launch(vec![user])],
        Some(3_600_000),
    );
    c.advance_to(60_000);
    assert_eq!(c.offered(f), Vec::<String>::new());
    c.status("t", "TASK_KILLED");
    c.advance_to(61_000);
    assert_eq!(c.offered(f), ["agent-1 f-role cpus:3;mem:1024;disk:1000;ports:[1000-1010];cpus(f-role):1"]);
}

#[test]
fn reservations_with_equal_labels_merge_and_others_stay_apart() {
    let (mut c, f) = one();
    let ids = ["same", "same", "other"];
    let all: Vec<Resource> = ids.iter().map(|id| reserved("f", "cpus", 500, id)).collect();
    c.accept_with(f, &c.outstanding(f), vec![Operation::Reserve(all)], Some(0));
    c.advance(1_000);
    let by_id = |c: &Cluster, id: &str| with_id(&c.offers[0].resources, id).map(Resource::amount);
    assert_eq!((by_id(&c, "same"), by_id(&c, "other")), (Some(Milli(1_000)), Some(Milli(500))));
    // Half of the merged one is given up again.
    c.accept_with(
        f,
        &c.outstanding(f),
        vec![Operation::Unreserve(vec![reserved("f", "cpus", 400, "same")])],
        Some(0),
    );
    c.advance(1_000);
    assert_eq!((by_id(&c, "same"), by_id(&c, "other")), (Some(Milli(600)), Some(Milli(500))));
    assert_eq!(c.offers[0].resources.unreserved().scalar("cpus"), Milli(2_900));
}

#[test]
fn volumes_outlive_tasks() {
    let (mut c, f) = one();
    let disk = reserved("f", "disk", 100_000, "disk-1");
    let data = volume(&disk, "f", "data-1");
    let user = TaskInfo {
        resources: [data.clone(), Resource::scalar("cpus", Milli(1_000))].into_iter().collect(),
        ..task("t", "cpus:1")
    };
    let steps = vec![
        Operation::Reserve(vec![disk.clone()]),
        Operation::Create(vec![data.clone()]),
        launch(vec![user]),
    ];
    c.accept_with(f, &c.outstanding(f), steps, Some(0));
    c.advance(1_000);
    assert!(with_id(&c.offers[0].resources, "disk-1").is_none(), "in use");
    c.status("t", "TASK_FAILED");
    c.advance(1_000);
    let offered: Vec<Resource> = c
        .offers
        .iter()
        .flat_map(|o| o.resources.unallocated())
        .filter(|r| r.persistence().is_some())
        .collect();
    assert_eq!(offered, std::slice::from_ref(&data));
    // Neither can its id be used twice, nor its disk be given up while it is there.
    c.accept_with(
        f,
        &c.outstanding(f),
        vec![
            Operation::Unreserve(vec![data.clone()]),
            Operation::Unreserve(vec![disk.clone()]),
            Operation::Destroy(vec![data.clone()]),
            Operation::Unreserve(vec![disk]),
        ],
        Some(0),
    );
    let dropped = dropped(&mut c);
    assert_eq!(dropped.len(), 2, "{dropped:?}");
    c.advance(1_000);
    assert_eq!(c.offered(f).len(), 1);
    assert_eq!(c.offers[0].resources.unreserved().scalar("disk"), Milli(1_000_000));
}

/// Operations that were dropped since the last time, `OPERATION: reason`.
fn dropped(c: &mut Cluster) -> Vec<String> {
    let events = c.cx.drain();
    events
        .into_iter()
        .filter_map(|event| match event.body {
            planarium_protocol::EventBody::OperationDropped { operation, reason, .. } => {
                Some(format!("{operation}: {reason}"))
            }
            _ => None,
        })
        .collect()
}

#[test]
fn dropped_operations_do_not_stop_later_ones() {
    let reserve = |resource: Resource| vec![Operation::Reserve(vec![resource])];
    let cpus = reserved("f", "cpus", 1_000, "x");
    let other_role = Resource::scalar("cpus", Milli(1_000))
        .pushed(Reservation::dynamic("g-role", Some("f-principal".into())));
    let other_principal =
        Resource::scalar("cpus", Milli(1_000)).pushed(Reservation::dynamic("f-role", Some("p".into())));
    let unrefined = cpus.pushed(Reservation::dynamic("f-role", Some("f-principal".into())));
    let fixed = Resource::scalar("cpus", Milli(1_000)).pushed(Reservation::fixed("f-role"));
    let disk = Resource::scalar("disk", Milli(1_000));
    let reserved_disk = reserved("f", "disk", 1_000, "d");
    let cases: Vec<(&str, Vec<Operation>, &str)> = vec![
        ("more than there is", reserve(reserved("f", "cpus", 4_001, "x")), "is not in what is left"),
        ("another role", reserve(other_role), "reserved for g-role"),
        ("another principal", reserve(other_principal), "principal"),
        ("not reserved", reserve(Resource::scalar("cpus", Milli(1_000))), "not dynamically reserved"),
        ("static", reserve(fixed), "not dynamically reserved"),
        ("no strict sub-role", reserve(unrefined), "does not refine"),
        ("negative", reserve(reserved("f", "cpus", -1, "x")), "is negative"),
        ("not reserved by anyone", vec![Operation::Unreserve(vec![cpus.clone()])], "is not in what is left"),
        (
            "volume on unreserved disk",
            vec![Operation::Create(vec![volume(&disk, "f", "v")])],
            "needs reserved disk",
        ),
        ("volume of cpus", vec![Operation::Create(vec![volume(&cpus, "f", "v")])], "not a persistent volume"),
        (
            "volume without disk",
            vec![Operation::Create(vec![volume(&reserved_disk, "f", "v")])],
            "is not in what is left",
        ),
        ("volume of another", vec![Operation::Create(vec![volume(&reserved_disk, "g", "v")])], "principal"),
        (
            "unknown volume",
            vec![Operation::Destroy(vec![volume(&reserved_disk, "f", "v")])],
            "is not in what is left",
        ),
        (
            "two volumes of one id",
            vec![
                Operation::Reserve(vec![reserved("f", "disk", 5_000, "d")]),
                Operation::Create(vec![volume(&reserved_disk, "f", "v"), volume(&reserved_disk, "f", "v")]),
            ],
            "in use",
        ),
    ];
    for (name, mut operations, expected) in cases {
        let (mut c, f) = one();
        operations.push(launch(vec![task("t", "cpus:1")]));
        c.accept_with(f, &c.outstanding(f), operations, None);
        let dropped = dropped(&mut c);
        assert_eq!(dropped.len(), 1, "{name}: {dropped:?}");
        assert!(dropped[0].contains(expected), "{name}: {dropped:?}");
        c.status("t", "TASK_RUNNING");
        assert_eq!(c.heard(), ["0 t TASK_RUNNING"], "{name}");
    }
}

#[test]
fn a_mount_disk_is_taken_whole() {
    let mut c = Cluster::manual();
    let disk = Disk { kind: "MOUNT".into(), path: "/mnt/a".into(), size: Amount::whole(500), profile: None };
    let mut add = AddAgent { resources: machine("cpus:4;mem:1024;disk:1000"), ..AddAgent::default() };
    add.resources.disks.push(disk);
    c.add(&add);
    let f = c.framework("f", |_| {});
    let source = DiskInfo {
        source: Some(DiskSource::Mount { root: "/mnt/a".into(), profile: None }),
        persistence: None,
    };
    let part = |mib: i64| Resource {
        disk: Some(Arc::new(source.clone())),
        ..reserved("f", "disk", mib * 1_000, "m")
    };
    c.accept_with(f, &c.outstanding(f), vec![Operation::Reserve(vec![part(100)])], Some(0));
    assert_eq!(dropped(&mut c).len(), 1, "a part of it cannot be reserved");
    c.advance(1_000);
    let whole = part(500);
    let steps =
        vec![Operation::Reserve(vec![whole.clone()]), Operation::Create(vec![volume(&whole, "f", "v")])];
    c.accept_with(f, &c.outstanding(f), steps, Some(0));
    assert_eq!(dropped(&mut c), Vec::<String>::new());
    c.advance(1_000);
    assert_eq!(
        c.offered(f),
        ["agent-1 f-role disk(f-role)[MOUNT:/mnt/a][volume:data]:500;cpus:4;mem:1024;disk:1000"]
    );
}

#[test]
fn refinement_stacks_on_a_static_reservation() {
    let mut c = Cluster::manual();
    let mut add = AddAgent { resources: machine("cpus:1;mem:1024"), ..AddAgent::default() };
    let amounts = planarium_protocol::input::Resources { cpus: Some(Amount::whole(2)), ..Default::default() };
    add.roles.insert("pre".into(), amounts);
    c.add(&add);
    let f = c.framework("f", |info| info.roles = vec!["pre/f-role".into()]);
    let refined = Resource::scalar("cpus", Milli(1_500)).pushed(Reservation::fixed("pre")).pushed(
        Reservation::dynamic("pre/f-role", Some("f-principal".into())).with_label("resource_id", "r"),
    );
    c.accept_with(f, &c.outstanding(f), vec![Operation::Reserve(vec![refined.clone()])], Some(0));
    c.advance(1_000);
    assert_eq!(c.offered(f), ["agent-1 pre/f-role cpus(pre/f-role):1.5;cpus:1;mem:1024;cpus(pre):0.5"]);
    c.accept_with(f, &c.outstanding(f), vec![Operation::Unreserve(vec![refined])], Some(0));
    c.advance(1_000);
    assert_eq!(
        c.offers[0].resources.filter(|resource| resource.role() == "pre").scalar("cpus"),
        Milli(2_000),
        "the top layer is gone"
    );
}

#[test]
fn invalid_offers_make_the_whole_accept_void() {
    // f holds the offers of agent-1 and agent-2, g that of agent-3.
    type Pick = fn(own: &[OfferId], others: &[OfferId]) -> Vec<OfferId>;
    let cases: [(&str, Pick, &[&str]); 5] = [
        ("none at all", |_, _| vec![], &[]),
        ("twice the same", |own, _| vec![own[0], own[0]], &["1000 f OFFERS agent-1"]),
        ("unknown", |own, _| vec![own[0], OfferId(999)], &["1000 f OFFERS agent-1"]),
        ("another framework's", |own, others| vec![own[0], others[0]], &["1000 f OFFERS agent-1"]),
        ("two agents", |own, _| own.to_vec(), &["1000 f OFFERS agent-1 agent-2"]),
    ];
    for (name, pick, again) in cases {
        let mut c = Cluster::manual();
        let f = c.framework("f", |_| {});
        c.agents(1, "cpus:4;mem:1024");
        c.agents(1, "cpus:4;mem:1024");
        let g = c.framework("g", |_| {});
        c.agents(1, "cpus:4;mem:1024");
        assert_eq!((c.outstanding(f).len(), c.outstanding(g).len()), (2, 1), "{name}");
        // g wants no more, so that discarded resources can only go back to f.
        c.call(g, Call::Suppress { roles: Vec::new() });
        c.heard();
        let offer_ids = pick(&c.outstanding(f), &c.outstanding(g));
        c.call(
            f,
            Call::Accept { offer_ids, operations: vec![launch(vec![task("t", "cpus:1")])], refuse_ms: None },
        );
        assert_eq!(c.heard(), ["0 f t TASK_DROPPED REASON_INVALID_OFFERS"], "{name}");
        c.advance(5_000);
        assert_eq!(c.heard(), again, "{name}: what was discarded comes again without a filter");
    }
}

#[test]
fn frameworks_without_partition_awareness_get_lost_instead_of_dropped() {
    let mut c = Cluster::manual();
    let f = c.framework("f", |info| info.capabilities.clear());
    c.heard();
    c.call(
        f,
        Call::Accept {
            offer_ids: vec![OfferId(7)],
            operations: vec![launch(vec![task("t", "cpus:1")])],
            refuse_ms: None,
        },
    );
    assert_eq!(c.heard(), ["0 t TASK_LOST REASON_INVALID_OFFERS"]);
}

#[test]
fn offers_of_one_agent_combine() {
    let (mut c, f) = one();
    c.accept_with(f, &c.outstanding(f), vec![launch(vec![task("t", "cpus:2;mem:512")])], Some(0));
    c.advance(1_000);
    c.status("t", "TASK_FINISHED");
    c.advance(1_000);
    assert_eq!(c.outstanding(f).len(), 2);
    c.accept_with(f, &c.outstanding(f), vec![launch(vec![task("u", "cpus:4")])], Some(0));
    c.status("u", "TASK_RUNNING");
    c.advance(1_000);
    assert_eq!(c.offered(f), ["agent-1 f-role mem:1024;disk:1000;ports:[1000-1010]"]);
}

#[test]
fn invalid_tasks() {
    let (too_much, plain) = (task("t", "cpus:5"), task("t", "cpus:1"));
    let executor = |id: &str, cpus: &str| Some(ExecutorInfo { id: id.into(), resources: res(cpus) });
    let cases: Vec<(&str, TaskInfo)> = vec![
        ("too much", too_much),
        ("another agent", TaskInfo { agent_id: Some("nowhere".into()), ..plain.clone() }),
        ("no resources", TaskInfo { resources: Resources::new(), ..plain.clone() }),
        ("an id that is none", TaskInfo { task_id: "a/b".into(), ..plain.clone() }),
        ("an executor without an id", TaskInfo { executor: executor("", "cpus:1"), ..plain.clone() }),
        ("an executor that is too big", TaskInfo { executor: executor("e", "cpus:3.5"), ..plain.clone() }),
        ("reserved for others", TaskInfo { resources: res("cpus(g):1"), ..plain.clone() }),
    ];
    for (name, bad) in cases {
        let (mut c, f) = one();
        let id = bad.task_id.clone();
        c.accept_with(f, &c.outstanding(f), vec![launch(vec![bad, task("good", "cpus:1")])], None);
        assert_eq!(c.heard(), [format!("0 {id} TASK_ERROR REASON_TASK_INVALID")], "{name}");
        c.status("good", "TASK_RUNNING");
        assert_eq!(c.heard(), ["0 good TASK_RUNNING"], "{name}: the others are not concerned");
    }
    let (mut c, f) = one();
    c.accept_with(f, &c.outstanding(f), vec![launch(vec![plain.clone(), plain])], None);
    assert_eq!(c.heard(), ["0 t TASK_ERROR REASON_TASK_INVALID"], "an id in use");
}

#[test]
fn an_executor_takes_its_resources_once() {
    let (mut c, f) = one();
    let executor = ExecutorInfo { id: "e".into(), resources: res("cpus:0.1;mem:32") };
    let group = |tasks: Vec<TaskInfo>| Operation::LaunchGroup { executor: executor.clone(), tasks };
    c.accept_with(
        f,
        &c.outstanding(f),
        vec![group(vec![task("a", "cpus:1")]), group(vec![task("b", "cpus:1")])],
        Some(0),
    );
    c.advance(1_000);
    assert_eq!(c.offered(f), ["agent-1 f-role cpus:1.9;mem:992;disk:1000;ports:[1000-1010]"]);
    assert_eq!(*c.offers[0].executor_ids, ["e".into()]);
    let other = ExecutorInfo { id: "e".into(), resources: res("cpus:0.2") };
    c.heard();
    c.accept_with(
        f,
        &c.outstanding(f),
        vec![Operation::LaunchGroup { executor: other, tasks: vec![task("c", "cpus:1")] }],
        Some(0),
    );
    assert_eq!(c.heard(), ["1000 c TASK_ERROR REASON_TASK_GROUP_INVALID"]);
    c.status("a", "TASK_FINISHED");
    c.advance(1_000);
    assert_eq!(*c.offers[0].executor_ids, ["e".into()], "b still runs in it");
    c.status("b", "TASK_FINISHED");
    c.decline(f, Some(0));
    c.advance(1_000);
    assert_eq!(c.offered(f), ["agent-1 f-role cpus:4;mem:1024;disk:1000;ports:[1000-1010]"]);
}

#[test]
fn a_group_is_launched_whole_or_not_at_all() {
    let (mut c, f) = one();
    let executor = ExecutorInfo { id: "e".into(), resources: res("cpus:0.1") };
    let tasks = vec![task("a", "cpus:2"), task("b", "cpus:2")];
    c.accept_with(f, &c.outstanding(f), vec![Operation::LaunchGroup { executor, tasks }], Some(0));
    assert_eq!(
        c.heard(),
        ["0 a TASK_ERROR REASON_TASK_GROUP_INVALID", "0 b TASK_ERROR REASON_TASK_GROUP_INVALID"]
    );
    c.advance(1_000);
    assert_eq!(c.offers[0].resources.scalar("cpus"), Milli(4_000));
}

#[test]
fn ports_split_and_merge() {
    let (mut c, f) = one();
    let port = |port: u64| Resource::ranges("ports", Ranges::one(port));
    let web = TaskInfo {
        resources: [port(1_005), Resource::scalar("cpus", Milli(100))].into_iter().collect(),
        ..task("t", "cpus:1")
    };
    c.accept_with(f, &c.outstanding(f), vec![launch(vec![web])], Some(0));
    c.advance(1_000);
    assert_eq!(c.offered(f), ["agent-1 f-role cpus:3.9;mem:1024;disk:1000;ports:[1000-1004, 1006-1010]"]);
}
