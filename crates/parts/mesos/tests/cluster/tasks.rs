//! Task states, kills, reconciliation, groups, probes: the messages that a framework gets about its tasks.

use crate::harness::*;
use planarium_ground::{CheckSpec, HealthSpec, Program};
use planarium_mesos::api::*;
use planarium_protocol::Text;
use planarium_protocol::input::{Behaviour, FaultKind, Target};

/// One agent, one framework, one task that starts after four seconds.
fn one(change: impl FnOnce(&mut TaskInfo)) -> (Cluster, FrameworkId) {
    let mut c = Cluster::new(1);
    c.behave(Target::default(), start_after(4_000));
    c.agents(1, "cpus:4;mem:1024");
    let f = c.framework("f", |_| {});
    let mut info = task("t", "cpus:1");
    change(&mut info);
    c.accept_with(f, &c.outstanding(f), vec![launch(vec![info])], Some(3_600_000));
    c.heard();
    (c, f)
}

fn check(command: &str) -> CheckSpec {
    CheckSpec { command: command.into(), delay_ms: 2_000, interval_ms: 5_000, timeout_ms: 10_000 }
}

fn health(max_failures: u32, grace_ms: u64) -> HealthSpec {
    HealthSpec { check: check("true"), grace_ms, max_failures }
}

/// One row: how the task is made, how its process behaves, the messages within a minute.
/// A task beyond its time limit is ended by its executor, with or without listeners.
#[test]
fn a_task_may_run_for_a_limited_time() {
    let limited = |id: &str, ms| TaskInfo { max_completion_ms: Some(ms), ..task(id, "cpus:1") };
    let mut c = Cluster::new(1);
    c.behave(Target::default(), start_after(1_000));
    c.agents(1, "cpus:4;mem:1024");
    let f = c.framework("f", |_| {});
    let tasks = vec![limited("t", 10_000), limited("u", 60_000), task("v", "cpus:1")];
    c.accept(f, vec![launch(tasks)]);
    c.advance_to(5_000);
    c.call(f, Call::Kill { task_id: "u".into(), agent_id: None, grace_ms: None });
    c.advance_to(200_000);
    let ends: Vec<String> = c.heard_of_tasks().into_iter().filter(|line| !line.ends_with("ING")).collect();
    assert_eq!(ends.len(), 2, "{ends:?}");
    assert!(ends[0].ends_with("u TASK_KILLED"), "{ends:?}");
    let (at, what) = ends[1].split_once(' ').expect("an instant");
    assert_eq!(what, "t TASK_FAILED REASON_MAX_COMPLETION_TIME_REACHED");
    assert!((11_000..13_000).contains(&at.parse::<u64>().expect("a number")), "{at}");
}

#[test]
fn lives() {
    type Make = fn(&mut TaskInfo);
    let quick =
        |code: i32| Behaviour { exit_code: Some(code), exit_after_ms: Some(1_000), ..Behaviour::default() };
    let rows: Vec<(&str, Make, Behaviour, &[&str])> = vec![
        ("runs on", |_| {}, Behaviour::default(), &["1000 t TASK_STARTING", "4000 t TASK_RUNNING"]),
        (
            "ends by itself",
            |t| t.program.lives = false,
            quick(0),
            &["1000 t TASK_STARTING", "4000 t TASK_RUNNING", "5000 t TASK_FINISHED"],
        ),
        (
            "fails",
            |t| t.program.lives = false,
            quick(3),
            &["1000 t TASK_STARTING", "4000 t TASK_RUNNING", "5000 t TASK_FAILED"],
        ),
        (
            "a goal of running that ends",
            |_| {},
            quick(0),
            &["1000 t TASK_STARTING", "4000 t TASK_RUNNING", "5000 t TASK_FINISHED"],
        ),
        (
            "ready at the first check",
            |t| t.program.readiness = Some(check("stat file")),
            Behaviour::default(),
            &[
                "1000 t TASK_STARTING",
                "4000 t TASK_RUNNING check=?",
                "6000 t TASK_RUNNING REASON_TASK_CHECK_STATUS_UPDATED check=0",
            ],
        ),
        (
            "a failing check is told once",
            |t| t.program.readiness = Some(check("exit 1")),
            Behaviour::default(),
            &[
                "1000 t TASK_STARTING",
                "4000 t TASK_RUNNING check=?",
                "6000 t TASK_RUNNING REASON_TASK_CHECK_STATUS_UPDATED check=1",
            ],
        ),
        (
            "ready at the third check, then not any more",
            |t| t.program.readiness = Some(check("stat file")),
            Behaviour { readiness: vec![1, 1, 0, 0, 2], ..Behaviour::default() },
            &[
                "1000 t TASK_STARTING",
                "4000 t TASK_RUNNING check=?",
                "6000 t TASK_RUNNING REASON_TASK_CHECK_STATUS_UPDATED check=1",
                "16000 t TASK_RUNNING REASON_TASK_CHECK_STATUS_UPDATED check=0",
                "26000 t TASK_RUNNING REASON_TASK_CHECK_STATUS_UPDATED check=2",
            ],
        ),
        (
            "ready after a while",
            |t| t.program.readiness = Some(check("stat file")),
            Behaviour { ready_after_ms: Some(10_000), ..Behaviour::default() },
            &[
                "1000 t TASK_STARTING",
                "4000 t TASK_RUNNING check=?",
                "6000 t TASK_RUNNING REASON_TASK_CHECK_STATUS_UPDATED check=1",
                "16000 t TASK_RUNNING REASON_TASK_CHECK_STATUS_UPDATED check=0",
            ],
        ),
        (
            "healthy",
            |t| t.program.health = Some(health(3, 0)),
            Behaviour::default(),
            &[
                "1000 t TASK_STARTING",
                "4000 t TASK_RUNNING",
                "6000 t TASK_RUNNING REASON_TASK_HEALTH_CHECK_STATUS_UPDATED healthy=true",
            ],
        ),
        (
            "unhealthy too often: killed after its grace period",
            |t| t.program.health = Some(health(2, 0)),
            Behaviour { health: vec![0, 1], ..Behaviour::default() },
            &[
                "1000 t TASK_STARTING",
                "4000 t TASK_RUNNING",
                "6000 t TASK_RUNNING REASON_TASK_HEALTH_CHECK_STATUS_UPDATED healthy=true",
                "11000 t TASK_RUNNING REASON_TASK_HEALTH_CHECK_STATUS_UPDATED healthy=false",
                "16000 t TASK_RUNNING REASON_TASK_HEALTH_CHECK_STATUS_UPDATED healthy=false",
                "18000 t TASK_KILLED healthy=false",
            ],
        ),
        (
            "failures in the grace period do not count, success resets the count",
            |t| t.program.health = Some(health(2, 10_000)),
            Behaviour { health: vec![1, 1, 1, 0, 1, 0], ..Behaviour::default() },
            &[
                "1000 t TASK_STARTING",
                "4000 t TASK_RUNNING",
                // 6 s and 11 s lie within the grace period, 16 s does not.
                "16000 t TASK_RUNNING REASON_TASK_HEALTH_CHECK_STATUS_UPDATED healthy=false",
                "21000 t TASK_RUNNING REASON_TASK_HEALTH_CHECK_STATUS_UPDATED healthy=true",
                "26000 t TASK_RUNNING REASON_TASK_HEALTH_CHECK_STATUS_UPDATED healthy=false",
                "31000 t TASK_RUNNING REASON_TASK_HEALTH_CHECK_STATUS_UPDATED healthy=true",
            ],
        ),
    ];
    for (name, make, behaviour, expected) in rows {
        let mut c = Cluster::new(1);
        c.behave(Target::default(), start_after(4_000));
        c.behave(Target::default(), behaviour);
        c.agents(1, "cpus:4;mem:1024");
        let f = c.framework("f", |_| {});
        let mut info = task("t", "cpus:1");
        make(&mut info);
        c.accept_with(f, &c.outstanding(f), vec![launch(vec![info])], Some(3_600_000));
        c.advance(60_000);
        assert_eq!(c.heard_of_tasks(), expected, "{name}");
        assert_eq!(c.fleet.one_shots(), 0, "{name}: nothing is under way any more");
    }
}

#[test]
fn kills() {
    // Killed at, with which grace; second kill at, with which; ended at, how.
    type Row = (u64, Option<u64>, Option<(u64, u64)>, u64, &'static str);
    let rows: [Row; 8] = [
        (500, None, None, 500, "TASK_KILLED REASON_TASK_KILLED_DURING_LAUNCH"),
        (10_000, None, None, 12_000, "TASK_KILLED"),
        (10_000, Some(5_000), None, 15_000, "TASK_KILLED"),
        (2_000, Some(5_000), None, 7_000, "TASK_KILLED"),
        (10_000, Some(8_000), Some((11_000, 3_000)), 13_000, "TASK_KILLED"),
        (10_000, Some(8_000), Some((14_000, 3_000)), 14_000, "TASK_KILLED"),
        (10_000, Some(2_000), Some((11_000, 9_000)), 12_000, "TASK_KILLED"),
        (10_000, Some(2_000), Some((11_000, 2_000)), 12_000, "TASK_KILLED"),
    ];
    for (at, grace_ms, again, ended, how) in rows {
        let (mut c, f) = one(|_| {});
        let kill = |c: &mut Cluster, grace_ms| {
            c.call(f, Call::Kill { task_id: "t".into(), agent_id: None, grace_ms });
        };
        c.advance_to(at);
        c.heard();
        kill(&mut c, grace_ms);
        if let Some((at, grace_ms)) = again {
            c.advance_to(at);
            kill(&mut c, Some(grace_ms));
        }
        c.advance_to(30_000);
        assert_eq!(
            c.heard_of_tasks(),
            [format!("{ended} t {how}")],
            "kill at {at} {grace_ms:?}, again {again:?}"
        );
    }
}

#[test]
fn a_kill_without_grace_ends_soon() {
    let (mut c, f) = one(|t| t.kill_grace_ms = Some(0));
    c.advance_to(10_000);
    c.heard();
    c.call(f, Call::Kill { task_id: "t".into(), agent_id: None, grace_ms: None });
    assert_eq!(c.heard(), Vec::<String>::new());
    c.advance(250);
    assert_eq!(c.statuses.last().map(|(_, s)| s.state), Some(TaskState::Killed));
}

#[test]
fn killing_is_reported_to_frameworks_that_support_it() {
    let mut c = Cluster::new(1);
    c.behave(Target::default(), start_after(4_000));
    c.agents(1, "cpus:4;mem:1024");
    let f = c.framework("f", |info| info.capabilities.push(Capability::TaskKillingState));
    c.accept(f, vec![launch(vec![task("t", "cpus:1")])]);
    c.advance_to(10_000);
    c.heard();
    c.call(f, Call::Kill { task_id: "t".into(), agent_id: Some("elsewhere".into()), grace_ms: None });
    c.advance_to(20_000);
    assert_eq!(c.heard_of_tasks(), Vec::<String>::new(), "wrong agent: ignored");
    c.call(f, Call::Kill { task_id: "t".into(), agent_id: None, grace_ms: None });
    c.advance_to(30_000);
    assert_eq!(c.heard_of_tasks(), ["20000 t TASK_KILLING", "22000 t TASK_KILLED"]);
}

#[test]
fn a_group_ends_together() {
    type End = fn(&mut Cluster, FrameworkId);
    let rows: [(&str, End, &[&str]); 3] = [
        (
            "one is killed",
            |c, f| c.call(f, Call::Kill { task_id: "a".into(), agent_id: None, grace_ms: Some(1_000) }),
            &["11000 a TASK_KILLED", "12000 b TASK_KILLED"],
        ),
        (
            "one fails",
            |c, _| {
                c.fault(FaultKind::TaskFail, on_task("a"), |_| {});
            },
            &["10000 a TASK_FAILED", "12000 b TASK_KILLED"],
        ),
        ("one finishes", |c, _| c.status("a", "TASK_FINISHED"), &["10000 a TASK_FINISHED"]),
    ];
    for (name, end, expected) in rows {
        let mut c = Cluster::new(1);
        c.behave(Target::default(), start_after(4_000));
        c.agents(1, "cpus:4;mem:1024");
        let f = c.framework("f", |_| {});
        let executor = ExecutorInfo { id: "e".into(), resources: res("cpus:0.1") };
        let tasks = vec![task("a", "cpus:1"), task("b", "cpus:1")];
        c.accept_with(
            f,
            &c.outstanding(f),
            vec![Operation::LaunchGroup { executor, tasks }],
            Some(3_600_000),
        );
        c.advance_to(10_000);
        c.heard();
        end(&mut c, f);
        c.advance_to(30_000);
        assert_eq!(c.heard_of_tasks(), expected, "{name}");
    }
}

#[test]
fn reconciliation() {
    let mut c = Cluster::manual();
    c.agents(2, "cpus:4;mem:1024");
    let f = c.framework("f", |_| {});
    let old = c.framework("old", |info| info.capabilities.clear());
    let agent = c.offers[0].agent_id.clone();
    c.accept(
        f,
        vec![launch(vec![TaskInfo {
            program: Program { readiness: Some(check("x")), ..Program::default() },
            ..task("t", "cpus:1")
        }])],
    );
    c.say(&planarium_protocol::input::TaskStatusInput {
        readiness_exit: Some(0),
        ..said("t", "TASK_RUNNING")
    });
    c.heard();
    let ask = |id: &str, agent: Option<&Text>| ReconcileTask { task_id: id.into(), agent_id: agent.cloned() };
    c.call(f, Call::Reconcile { tasks: Vec::new() });
    assert_eq!(c.heard(), ["0 f t TASK_RUNNING REASON_RECONCILIATION check=0"]);
    let asked =
        vec![ask("t", None), ask("x", Some(&agent)), ask("x", None), ask("x", Some(&"nowhere".into()))];
    c.call(f, Call::Reconcile { tasks: asked.clone() });
    assert_eq!(
        c.heard(),
        [
            "0 f t TASK_RUNNING REASON_RECONCILIATION check=0",
            "0 f x TASK_GONE REASON_RECONCILIATION",
            "0 f x TASK_UNKNOWN REASON_RECONCILIATION",
            "0 f x TASK_UNKNOWN REASON_RECONCILIATION",
        ]
    );
    c.call(old, Call::Reconcile { tasks: asked });
    assert_eq!(
        c.heard(),
        ["0 old t TASK_LOST REASON_RECONCILIATION"; 1]
            .into_iter()
            .chain(["0 old x TASK_LOST REASON_RECONCILIATION"; 3])
            .collect::<Vec<_>>()
    );
    c.call(f, Call::Kill { task_id: "x".into(), agent_id: Some(agent), grace_ms: None });
    assert_eq!(c.heard(), ["0 f x TASK_GONE REASON_RECONCILIATION"], "killing what is unknown asks about it");
}

#[test]
fn teardown_ends_everything_without_messages() {
    let (mut c, f) = one(|_| {});
    c.advance_to(10_000);
    c.heard();
    c.call(f, Call::Teardown);
    c.advance(10_000);
    assert_eq!(c.heard(), Vec::<String>::new());
    assert_eq!(c.fleet.one_shots(), 0);
    let machines = c.master.machines(&c.fleet);
    assert!(machines[0].tasks.is_empty() && machines[0].resources.iter().all(|resource| resource.used == 0));
    let ended: Vec<TaskState> = c.master.completed_tasks(f).map(|(_, state)| state).collect();
    assert_eq!(ended, [TaskState::Killed]);
}

#[test]
fn statuses_set_by_hand() {
    let mut c = Cluster::manual();
    c.agents(1, "cpus:4;mem:1024");
    let f = c.framework("f", |_| {});
    let checked = Program { readiness: Some(check("x")), ..Program::default() };
    c.accept(f, vec![launch(vec![TaskInfo { program: checked, ..task("t__1", "cpus:1") }])]);
    c.advance(60_000);
    c.heard();
    let ready =
        planarium_protocol::input::TaskStatusInput { readiness_exit: Some(0), ..said("t__1", "RUNNING") };
    let reason = planarium_protocol::input::TaskStatusInput {
        reason: Some("REASON_CONTAINER_LIMITATION_MEMORY".into()),
        message: Some("too big".into()),
        ..said("t", "TASK_FAILED")
    };
    c.say(&said("t", "TASK_STARTING"));
    c.say(&said("t", "TASK_RUNNING"));
    c.say(&ready);
    c.call(f, Call::Kill { task_id: "t__1".into(), agent_id: None, grace_ms: Some(0) });
    c.advance(60_000);
    c.say(&reason);
    // A word about a task that has ended is passed on.
    c.say(&said("t", "TASK_LOST"));
    assert_eq!(
        c.heard_of_tasks(),
        [
            "60000 t__1 TASK_STARTING",
            "60000 t__1 TASK_RUNNING check=?",
            "60000 t__1 TASK_RUNNING check=0",
            "120000 t__1 TASK_FAILED REASON_CONTAINER_LIMITATION_MEMORY check=0",
            "120000 t__1 TASK_LOST",
        ]
    );
    for (wrong, status) in [(said("nobody", "TASK_RUNNING"), 404), (said("t", "TASK_NONSENSE"), 400)] {
        let refusal = c.master.task_status(&mut c.cx, &mut c.fleet, &wrong).expect_err("refused");
        assert_eq!(refusal.status, status, "{wrong:?}");
    }
}
