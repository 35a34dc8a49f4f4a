//! Offers against needs: footprints, ports, volumes, placement, updates.

use super::bench::Bench;
use planarium_kernel::Milli;
use planarium_mesos::api::{DiskInfo, DiskSource, Resource, TaskState};
use planarium_protocol::why::ReasonKind;
use std::sync::Arc;

fn one(task: &str, pod: &str) -> String {
    format!(
        "name: ev\npods:\n  p:\n    count: 1\n{pod}    tasks:\n      t: {{goal: RUNNING, cmd: x, {task}}}\n"
    )
}

fn launched(bench: &mut Bench) -> bool {
    bench.round();
    !bench.tasks.is_empty()
}

#[test]
fn the_executor_and_every_scalar_must_fit() {
    for (cpus, mem, disk, task, fits) in [
        (1, 288, 256, "cpus: 0.9, memory: 256", true),
        (1, 288, 256, "cpus: 0.91, memory: 256", false),
        (1, 287, 256, "cpus: 0.9, memory: 256", false),
        (1, 288, 255, "cpus: 0.9, memory: 256", false),
        (1, 4096, 355, "cpus: 0.5, memory: 32, volume: {path: d, type: ROOT, size: 100}", false),
        (1, 4096, 356, "cpus: 0.5, memory: 32, volume: {path: d, type: ROOT, size: 100}", true),
    ] {
        let mut bench = Bench::new(&one(task, ""));
        let machine = bench.machine("a1", cpus, mem);
        machine.free.subtract(&Resource::scalar("disk", Milli::from_int(100_000 - disk)));
        assert_eq!(launched(&mut bench), fits, "{cpus} cpus, {mem} MiB, {disk} MiB disk for {task}");
    }
}

#[test]
fn ports_fixed_dynamic_and_kept() {
    let ports = "cpus: 0.1, memory: 32, ports: {dyn: {port: 0, env-key: DYN}, fix: {port: 1025, env-key: FIX, advertise: true, vip: {port: 80}}, far: {port: 0, ranges: [{begin: 31500}]}}";
    let mut bench = Bench::new(&one(ports, ""));
    bench.machine("a1", 4, 4096);
    assert!(launched(&mut bench));
    let env = bench.env("p-0-t");
    assert_eq!(env.get("FIX").map(|v| &**v), Some("1025"));
    assert_eq!(env.get("DYN").map(|v| &**v), Some("1026"), "the first that is free and nobody's");
    bench.all_run();
    bench.status("p-0-t", TaskState::Failed);
    bench.advance(5_000);
    bench.round();
    let again = bench.env("p-0-t");
    assert_eq!(again, env, "a relaunch keeps its ports");
    let endpoint =
        bench.scheduler.query(&crate::SdkQuery::Endpoint { name: "fix".into() }, 0).expect("advertised").1;
    assert_eq!(
        endpoint,
        serde_json::json!({
            "dns": ["p-0-t.ev.autoip.dcos.thisdcos.directory:1025"],
            "address": ["10.0.0.1:1025"],
            "vip": "fix.ev.l4lb.thisdcos.directory:80"
        })
    );
    let mut bench = Bench::new(&one("cpus: 0.1, memory: 32, ports: {fix: {port: 80}}", ""));
    bench.machine("a1", 4, 4096);
    assert!(!launched(&mut bench), "port 80 is not offered");
    assert!(bench.scheduler.view().plans[0].phases[0].steps[0].reason.contains("port 80"));
}

#[test]
fn mount_disks_are_taken_whole_and_profiles_match() {
    for (disk_profile, wanted, fits) in [
        (None, "", true),
        (None, ", profiles: [fast]", false),
        (Some("fast"), ", profiles: [slow, fast]", true),
        (Some("fast"), "", false),
    ] {
        let task = format!("cpus: 0.1, memory: 32, volume: {{path: d, type: MOUNT, size: 100{wanted}}}");
        let mut bench = Bench::new(&one(&task, ""));
        let mut disk = Resource::scalar("disk", Milli::from_int(500));
        let source = DiskSource::Mount { root: "/m".into(), profile: disk_profile.map(Into::into) };
        disk.disk = Some(Arc::new(DiskInfo { source: Some(source), persistence: None }));
        bench.machine("a1", 4, 4096).free.add(disk);
        assert_eq!(launched(&mut bench), fits, "{disk_profile:?} {wanted}");
        if fits {
            let task = bench.tasks.values().next().expect("runs");
            let volume = task.info.resources.iter().find(|r| r.persistence().is_some()).expect("a volume");
            assert_eq!(volume.amount(), Milli::from_int(500), "the whole disk");
        }
    }
}

#[test]
fn pod_volumes_and_sets_of_later_steps_are_reserved_by_the_first_launch() {
    let yaml = "\
name: ev
pods:
  p:
    count: 1
    volume: {path: shared, type: ROOT, size: 100}
    tasks:
      a: {goal: ONCE, cmd: x, cpus: 0.5, memory: 32}
      b: {goal: RUNNING, cmd: x, cpus: 1, memory: 64}
plans:
  deploy: {phases: {p: {pod: p, steps: [{default: [[a], [b]]}]}}}
";
    let mut bench = Bench::new(yaml);
    bench.machine("a1", 4, 4096);
    bench.round();
    assert_eq!(bench.taken(), "reserve 8; launch p-0-a on a1; revive");
    let status =
        bench.scheduler.query(&crate::SdkQuery::PodStatus { pod: "p-0".into() }, 0).expect("stored").1;
    assert_eq!(status["tasks"][1], serde_json::json!({"id": "", "name": "p-0-b"}), "a stub without a status");
    bench.status("p-0-a", TaskState::Running);
    bench.status("p-0-a", TaskState::Finished);
    bench.advance(5_000);
    bench.taken();
    bench.round();
    assert_eq!(bench.taken(), "launch p-0-b on a1", "its resources wait for it");
    bench.all_run();
    assert!(bench.show("deploy").starts_with("COMPLETE"));
}

#[test]
fn placement_spreads_pods_and_counts_tasks() {
    let yaml = "\
name: ev
pods:
  p: {count: 2, placement: '[[\"hostname\", \"UNIQUE\"]]', tasks: {t: {goal: RUNNING, cmd: x, cpus: 0.1, memory: 32}}}
";
    let mut bench = Bench::new(yaml);
    bench.machine("a1", 4, 4096);
    bench.round();
    bench.all_run();
    bench.advance(5_000);
    bench.round();
    assert_eq!(bench.show("deploy"), "IN_PROGRESS | IN_PROGRESS [COMPLETE, PREPARED]");
    let why = bench.scheduler.why(&bench.path("deploy/p/p-1:[t]")).expect("exists");
    let Some(ReasonKind::NoMatchingOffer { funnel }) = why.reasons.first().map(|r| &r.kind) else {
        panic!("{why:?}")
    };
    let placement = funnel.stages.iter().find(|stage| &*stage.requirement == "placement").expect("a stage");
    assert_eq!((placement.passed, placement.failed), (0, 1));
    assert!(funnel.nearest.is_some() && why.sentence.contains("a1"), "{why:?}");
    bench.machine("a2", 4, 4096);
    bench.round();
    bench.all_run();
    assert_eq!(bench.host("p-1-t"), "a2");
}

#[test]
fn a_pod_that_fits_nowhere_stays_prepared_and_explains_why() {
    let mut bench = Bench::new(&one("cpus: 64, memory: 32", ""));
    bench.machine("a1", 4, 4096);
    bench.machine("a2", 8, 4096);
    bench.round();
    assert_eq!(bench.show("deploy"), "IN_PROGRESS | IN_PROGRESS [PREPARED]");
    assert_eq!(bench.taken(), "decline a1,a2 3600s; revive");
    let why = bench.scheduler.why(&bench.path("deploy/p/p-0:[t]")).expect("exists");
    assert!(why.sentence.contains("a2 is nearest: short by 56.1 cpus"), "{}", why.sentence);
    let add = why.unblock.iter().find_map(|remedy| match &remedy.input {
        Some(planarium_protocol::Input::AddAgent(agent)) => agent.resources.cpus,
        _ => None,
    });
    assert_eq!(add.map(planarium_protocol::Amount::thousandths), Some(65_000));
    bench.advance(60_000);
    assert_eq!(bench.scheduler.one_shots(), 0, "nothing will change by itself");
    assert!(!bench.scheduler.restless());
}

#[test]
fn equal_needs_share_one_evaluation() {
    let yaml = "\
name: ev
pods:
  p: {count: 500, tasks: {t: {goal: RUNNING, cmd: x, cpus: 64, memory: 32}}}
plans:
  deploy: {phases: {p: {pod: p, strategy: parallel}}}
";
    let mut bench = Bench::new(yaml);
    for n in 0..20 {
        bench.machine(&format!("a{n}"), 4, 4096);
    }
    bench.round();
    assert_eq!(bench.scheduler.offers.history.rejected, 20, "one look per machine, not per step and machine");
    assert_eq!(bench.why("deploy/p/p-499:[t]"), ["no-matching-offer"]);
}

#[test]
fn an_offer_without_the_pods_role_is_useless() {
    let mut bench = Bench::new(&one("cpus: 0.1, memory: 32", "    pre-reserved-role: slave_public\n"));
    let info = bench.scheduler.framework_info();
    let roles: Vec<&str> = info.roles.iter().map(|role| &**role).collect();
    assert_eq!(roles, ["ev-role", "slave_public/ev-role"]);
    bench.machine("a1", 4, 4096);
    assert!(!launched(&mut bench));
    let why = bench.scheduler.why(&bench.path("deploy/p/p-0:[t]")).expect("exists");
    assert!(why.sentence.contains("slave_public/ev-role"), "{}", why.sentence);
}

#[test]
fn placement_counts_tasks_stored_before_the_cycle() {
    let yaml = "\
name: racks
pods:
  p:
    count: 3
    placement: '[[\"rack\", \"MAX_PER\", \"1\"]]'
    tasks: {t: {goal: RUNNING, cmd: sleep, cpus: 0.5, memory: 32}}
plans:
  deploy: {phases: {p: {pod: p, strategy: parallel}}}
";
    let mut bench = Bench::new(yaml);
    for host in ["a1", "a2"] {
        bench.machine(host, 4, 4096).attributes = vec![("rack".into(), "r1".into())];
    }
    bench.round();
    assert_eq!(bench.show("deploy"), "IN_PROGRESS | IN_PROGRESS [STARTING, STARTING, PREPARED]");
    bench.all_run();
    bench.machine("a3", 4, 4096).attributes = vec![("rack".into(), "r1".into())];
    bench.advance(5_000);
    bench.round();
    assert_eq!(bench.show("deploy"), "IN_PROGRESS | IN_PROGRESS [COMPLETE, COMPLETE, PREPARED]");
}
