//! Deployments on a real cluster.

use super::lab::Lab;
use crate::definition::Refused;
use crate::deployments::Stage;
use crate::instances::instance::{Condition, Goal};
use planarium_protocol::input::FaultKind;
use planarium_protocol::json;
use serde_json::Value;

fn app(id: &str, instances: u32, more: Value) -> Value {
    let mut app = json!({"id": id, "cmd": "sleep 100", "cpus": 0.1, "instances": instances});
    if let (Some(all), Some(more)) = (app.as_object_mut(), more.as_object()) {
        all.extend(more.clone());
    }
    app
}

fn up(lab: &mut Lab, apps: &[Value]) {
    lab.put(apps, false).expect("accepted");
    lab.settle(600_000);
}

/// The most instances that were live at once, and the fewest of those that count as healthy, while a deployment ran.
fn extremes(lab: &mut Lab, id: &str) -> (usize, usize) {
    let (mut most, mut least) = (0, usize::MAX);
    let busy = |lab: &Lab| lab.marathon.deployments.running().next().is_some();
    while busy(lab) {
        let live =
            lab.instances(id).iter().filter(|one| one.condition.is_active() || one.is_scheduled()).count();
        most = most.max(live);
        least = least.min(lab.running(id));
        let now = lab.marathon.records.statuses.revision;
        assert!(
            lab.until(3_600_000, |lab| lab.marathon.records.statuses.revision != now || !busy(lab)),
            "{}",
            lab.log.join("\n")
        );
    }
    (most, least)
}

#[test]
fn an_app_is_created_scaled_and_removed() {
    let mut lab = Lab::new(3);
    up(&mut lab, &[app("/a", 3, json!({}))]);
    assert_eq!(lab.running("/a"), 3);
    up(&mut lab, &[app("/a", 5, json!({}))]);
    assert_eq!(lab.running("/a"), 5);
    assert_eq!(lab.lines("kill").len(), 0);
    up(&mut lab, &[app("/a", 2, json!({}))]);
    assert_eq!((lab.running("/a"), lab.instances("/a").len()), (2, 2));
    lab.remove("/a", false).expect("accepted");
    lab.settle(60_000);
    assert_eq!(lab.instances("/a").len(), 0);
    let statuses = lab.lines("/a ").iter().filter(|line| line.contains("->")).count();
    assert!(
        statuses > 0 && lab.log.iter().rev().take(8).any(|line| line.ends_with("a Deploying -> Unscheduled")),
        "{:?}",
        lab.log
    );
}

#[test]
fn the_youngest_are_killed_first_unless_the_strategy_says_oldest() {
    for (selection, first) in [("YOUNGEST_FIRST", 0), ("OLDEST_FIRST", 2)] {
        let mut lab = Lab::new(3);
        for count in 1..=3 {
            up(&mut lab, &[app("/a", count, json!({"killSelection": selection}))]);
        }
        let before: Vec<_> = lab.instances("/a").iter().map(|one| one.no).collect();
        up(&mut lab, &[app("/a", 1, json!({"killSelection": selection}))]);
        let left: Vec<_> = lab.instances("/a").iter().map(|one| one.no).collect();
        assert_eq!(left, [before[first]], "{selection}");
    }
}

#[test]
fn a_rolling_restart_stays_within_its_capacity() {
    // instances, shares; the most there may be, the fewest that run
    for (count, min, over, most, least) in [
        (4, 1.0, 1.0, 8, 4),
        (6, 1.0, 0.5, 9, 6),
        (6, 0.5, 0.0, 6, 3),
        (6, 1.0, 0.0, 7, 6),
        (3, 0.7, 1.0, 6, 3),
        (10, 0.6, 0.2, 12, 6),
        (1, 1.0, 0.0, 2, 1),
    ] {
        let strategy = json!({"minimumHealthCapacity": min, "maximumOverCapacity": over});
        let mut lab = Lab::new(4);
        up(&mut lab, &[app("/a", count, json!({"upgradeStrategy": strategy}))]);
        lab.put(&[app("/a", count, json!({"upgradeStrategy": strategy, "cmd": "sleep 200"}))], false)
            .expect("accepted");
        let found = extremes(&mut lab, "/a");
        assert_eq!(found, (most, least), "{count} with {min} and {over}\n{}", lab.log.join("\n"));
        assert_eq!(lab.running("/a"), count as usize);
        let version = lab.marathon.records.definitions.root.version;
        assert!(lab.instances("/a").iter().all(|one| one.version() == version));
    }
}

#[test]
fn dependencies_are_deployed_first() {
    let mut lab = Lab::new(3);
    up(
        &mut lab,
        &[
            app("/db", 2, json!({})),
            app("/app", 2, json!({"dependencies": ["/db"]})),
            app("/web", 1, json!({"dependencies": ["/app"]})),
        ],
    );
    let at =
        |text: &str| lab.log.iter().position(|line| line.contains(text)).unwrap_or_else(|| panic!("{text}"));
    assert!(at("step 2 of 4: ScaleApplication /db") < at("launched db."));
    assert!(at("launched db.") < at("step 3 of 4: ScaleApplication /app"));
    assert!(
        at("step 3 of 4") < at("launched app.")
            && at("launched app.") < at("step 4 of 4: ScaleApplication /web")
    );
}

#[test]
fn a_crash_loop_is_delayed_longer_each_time_and_never_ends() {
    let mut lab = Lab::new(2);
    lab.behave("/a", json!({"health": [1]}));
    let check = json!([{"protocol": "TCP"}]);
    let more = json!({"cmd": "exit 1", "backoffSeconds": 2, "backoffFactor": 2.0, "healthChecks": check});
    lab.put(&[app("/a", 1, more)], false).expect("accepted");
    lab.run(200_000);
    let delays: Vec<&str> =
        lab.lines("delay ").iter().map(|line| line.rsplit(' ').nth(1).expect("a number")).collect();
    assert!(
        delays.starts_with(&["2000", "4000", "8000", "16000", "32000"]),
        "{delays:?}\n{}",
        lab.log.join("\n")
    );
    assert_eq!(lab.marathon.deployments.running().count(), 1);
    // The same instance all the time, another task each time.
    assert_eq!(lab.instances("/a").len(), 1);
    assert!(lab.instances("/a")[0].tasks[0].attempt >= 5);
    // Another command makes good.
    lab.put(&[app("/a", 1, json!({}))], true).expect("accepted");
    lab.settle(600_000);
    assert_eq!(lab.running("/a"), 1);
}

#[test]
fn deployments_conflict_on_locked_apps() {
    let mut lab = Lab::new(2);
    up(&mut lab, &[app("/a", 2, json!({})), app("/b", 1, json!({}))]);
    let first = lab.put(&[app("/a", 2, json!({"cpus": 100}))], false).expect("accepted");
    lab.run(30_000);
    let refused = lab.put(&[app("/a", 3, json!({}))], false).expect_err("locked");
    assert_eq!(refused, Refused::Locked(vec![first.id.clone()]));
    // Other apps are not locked.
    lab.put(&[app("/b", 2, json!({}))], false).expect("accepted");
    lab.run(30_000);
    assert_eq!(lab.running("/b"), 2);
    // With force: the first deployment is cancelled, its queued instances stay until they are replaced.
    lab.put(&[app("/a", 3, json!({}))], true).expect("accepted");
    let stage = lab.marathon.deployments.iter().find(|one| one.plan.id == first.id).map(|one| one.stage);
    assert_eq!(stage, Some(Stage::Canceled));
    lab.settle(600_000);
    assert_eq!(lab.running("/a"), 3, "{}", lab.log.join("\n"));
}

#[test]
fn marathon_health_checks_make_deployments_wait_and_kill() {
    let check = json!([{"protocol": "HTTP", "path": "/health", "gracePeriodSeconds": 20, "intervalSeconds": 10,
        "maxConsecutiveFailures": 2}]);
    let mut lab = Lab::new(2);
    lab.behave("/a", json!({"health": [500, 500, 0]}));
    lab.put(&[app("/a", 1, json!({"healthChecks": check}))], false).expect("accepted");
    lab.run(15_000);
    assert_eq!(lab.marathon.deployments.running().count(), 1);
    lab.settle(60_000);
    assert!(lab.lines("health-changed").len() == 1, "{}", lab.log.join("\n"));
    // Failure number three kills.
    lab.fault(FaultKind::HealthFail, json!({"pod": "/a"}));
    lab.run(35_000);
    assert!(!lab.lines("instance-unhealthy").is_empty(), "{}", lab.log.join("\n"));
    lab.clear_fault();
    lab.run(60_000);
    assert_eq!(lab.running("/a"), 1, "{}", lab.log.join("\n"));
    assert_eq!(lab.instances("/a")[0].tasks[0].attempt, 2);
}

#[test]
fn readiness_is_checked_during_deployments_only() {
    let more = json!({"portDefinitions": [{"port": 0, "name": "http-api"}],
        "readinessChecks": [{"portName": "http-api", "intervalSeconds": 5, "timeoutSeconds": 3, "preserveLastResponse": true}]});
    let mut lab = Lab::new(2);
    lab.behave("/a", json!({"readiness": [503, 503, 0]}));
    lab.put(&[app("/a", 1, more)], false).expect("accepted");
    let told = lab.until(60_000, |lab| {
        lab.marathon
            .deployments
            .running()
            .any(|one| one.readiness.values().any(|result| result.status == 503))
    });
    assert!(told, "{}", lab.log.join("\n"));
    lab.settle(60_000);
    assert_eq!(lab.running("/a"), 1);
}

#[test]
fn an_unreachable_agent_is_replaced_and_returning_instances_are_surplus() {
    for (strategy, returns) in
        [(json!({"inactiveAfterSeconds": 0, "expungeAfterSeconds": 0}), false), (json!("disabled"), true)]
    {
        let mut lab = Lab::new(2);
        up(&mut lab, &[app("/a", 1, json!({"unreachableStrategy": strategy}))]);
        let agent = lab.instances("/a")[0].agent.as_ref().map(|agent| agent.hostname.to_string());
        lab.fault(FaultKind::AgentPartitioned, json!({"agent": agent}));
        lab.run(200_000);
        if returns {
            assert_eq!(lab.instances("/a")[0].condition, Condition::Unreachable);
            assert_eq!(lab.instances("/a").len(), 1);
        } else {
            assert_eq!(lab.running("/a"), 1, "{}", lab.log.join("\n"));
        }
        lab.clear_fault();
        lab.run(700_000);
        assert_eq!((lab.running("/a"), lab.instances("/a").len()), (1, 1), "{}", lab.log.join("\n"));
    }
}

#[test]
fn a_forgotten_old_instance_makes_room_for_a_new_one() {
    let more = json!({
        "cmd": "sleep 100000",
        "constraints": [["hostname", "UNIQUE"]],
        "upgradeStrategy": {"minimumHealthCapacity": 1, "maximumOverCapacity": 0},
        "healthChecks": [{"protocol": "HTTP", "intervalSeconds": 10, "maxConsecutiveFailures": 0}],
    });
    let mut lab = Lab::new(4);
    up(&mut lab, &[app("/a", 3, more.clone())]);
    let agent = lab.instances("/a")[0].agent.as_ref().map(|agent| agent.hostname.to_string());
    // The first new instance is not healthy before an old one is given up, 75 seconds after its agent went silent.
    lab.behave("/a", json!({"health": [500, 500, 500, 500, 500, 500, 500, 500, 500, 500, 500, 500, 0]}));
    let mut newer = app("/a", 3, more);
    newer["cmd"] = "sleep 200000".into();
    lab.put(&[newer], false).expect("accepted");
    lab.run(5_000);
    lab.fault(FaultKind::AgentPartitioned, json!({"agent": agent}));
    lab.run(100_000);
    let new = |lab: &Lab| {
        lab.instances("/a").iter().filter(|one| one.spec.def.json["cmd"] == "sleep 200000").count()
    };
    assert_eq!((lab.instances("/a").len(), new(&lab)), (4, 2), "{}", lab.log.join("\n"));
    lab.settle(900_000);
    assert_eq!((lab.instances("/a").len(), new(&lab)), (3, 3), "{}", lab.log.join("\n"));
}

#[test]
fn a_returning_task_is_checked_for_readiness_again() {
    let more = json!({"cmd": "sleep 100000", "portDefinitions": [{"port": 0, "name": "http-api"}],
        "unreachableStrategy": {"inactiveAfterSeconds": 300, "expungeAfterSeconds": 600},
        "readinessChecks": [{"portName": "http-api", "intervalSeconds": 5, "timeoutSeconds": 3}]});
    let mut lab = Lab::new(1);
    lab.behave("/a", json!({"readiness": [503, 503, 503, 503, 0]}));
    lab.put(&[app("/a", 1, more)], false).expect("accepted");
    assert!(lab.until(60_000, |lab| lab.running("/a") == 1));
    let agent = lab.instances("/a")[0].agent.as_ref().map(|agent| agent.hostname.to_string());
    lab.fault(FaultKind::AgentPartitioned, json!({"agent": agent}));
    lab.run(100_000);
    assert_eq!(lab.instances("/a")[0].condition, Condition::Unreachable);
    assert_eq!(lab.marathon.deployments.running().count(), 1);
    lab.clear_fault();
    lab.settle(120_000);
    assert_eq!(lab.instances("/a")[0].tasks[0].attempt, 1, "{}", lab.log.join("\n"));
}

#[test]
fn a_longer_timeout_spares_instances_that_have_started_meanwhile() {
    let mut lab = Lab::new(1);
    lab.put(&[app("/a", 1, json!({"cmd": "sleep 100000"}))], false).expect("accepted");
    assert!(lab.until(60_000, |lab| lab.lines("TASK_STARTING").len() == 1));
    let mut settings = (*lab.marathon.records.setup.settings).clone();
    settings.launch_ms *= 2;
    settings.confirm_ms *= 2;
    lab.marathon.set_settings(settings);
    lab.run(900_000);
    assert_eq!(lab.running("/a"), 1);
    assert_eq!(lab.lines("kill"), Vec::<&str>::new());
}

#[test]
fn delayed_replacement_waits_for_its_time() {
    let mut lab = Lab::new(2);
    let strategy = json!({"inactiveAfterSeconds": 60, "expungeAfterSeconds": 1000});
    up(&mut lab, &[app("/a", 1, json!({"unreachableStrategy": strategy}))]);
    let agent = lab.instances("/a")[0].agent.as_ref().map(|agent| agent.hostname.to_string());
    lab.fault(FaultKind::AgentPartitioned, json!({"agent": agent}));
    lab.run(1_400_000);
    assert_eq!(lab.running("/a"), 1, "{}", lab.log.join("\n"));
    let forgotten = lab.lines("instance-expunged").len();
    assert_eq!((forgotten, lab.instances("/a").len()), (1, 1), "{}", lab.log.join("\n"));
}

fn resident(count: u32, cmd: &str) -> Value {
    app(
        "/data/db",
        count,
        json!({"cmd": cmd, "role": "data", "cpus": 0.5, "mem": 32,
        "container": {"type": "MESOS", "volumes": [{"containerPath": "data", "mode": "RW",
            "persistent": {"size": 100}}]},
        "upgradeStrategy": {"minimumHealthCapacity": 0.5, "maximumOverCapacity": 0},
        "unreachableStrategy": "disabled"}),
    )
}

#[test]
fn resident_instances_return_to_their_volumes() {
    let mut lab = Lab::new(3);
    up(&mut lab, &[resident(2, "sleep 1")]);
    assert_eq!(
        (lab.running("/data/db"), lab.lines("volume data true").len()),
        (2, 2),
        "{}",
        lab.log.join("\n")
    );
    let ids: Vec<_> = lab.instances("/data/db").iter().map(|one| one.id.clone()).collect();
    lab.put(&[resident(2, "sleep 2")], false).expect("accepted");
    lab.settle(600_000);
    let again: Vec<_> = lab.instances("/data/db").iter().map(|one| one.id.clone()).collect();
    assert_eq!(ids, again, "the same instances on the same volumes");
    assert_eq!(lab.lines("volume data true").len(), 2);
    up(&mut lab, &[resident(1, "sleep 2")]);
    assert_eq!(lab.instances("/data/db").iter().filter(|one| one.goal == Goal::Stopped).count(), 1);
    up(&mut lab, &[resident(2, "sleep 2")]);
    assert_eq!(lab.lines("volume data true").len(), 2, "{}", lab.log.join("\n"));
    lab.remove("/data/db", false).expect("accepted");
    lab.settle(600_000);
    lab.run(200_000);
    assert_eq!(
        (lab.instances("/data/db").len(), lab.lines("volume data false").len()),
        (0, 2),
        "{}",
        lab.log.join("\n")
    );
}

#[test]
fn the_process_continues_after_a_restart() {
    let mut lab = Lab::new(3);
    up(&mut lab, &[app("/a", 3, json!({}))]);
    lab.put(&[app("/a", 3, json!({"cmd": "./server --level 7"}))], false).expect("accepted");
    lab.run(9_000);
    lab.fault(FaultKind::SchedulerRestart, json!({}));
    lab.settle(600_000);
    assert_eq!(lab.running("/a"), 3, "{}", lab.log.join("\n"));
    let version = lab.marathon.records.definitions.root.version;
    assert!(lab.instances("/a").iter().all(|one| one.version() == version));
    lab.run(60_000);
    assert_eq!(lab.instances("/a").len(), 3);
}

#[test]
fn failed_tasks_are_launched_again() {
    let mut lab = Lab::new(2);
    up(&mut lab, &[app("/a", 2, json!({}))]);
    lab.fault(FaultKind::TaskKill, json!({"pod": "/a"}));
    lab.run(60_000);
    assert_eq!(lab.running("/a"), 2, "{}", lab.log.join("\n"));
    assert_eq!(lab.lines("delay ").len(), 0, "killed is not failed");
    assert!(lab.instances("/a").iter().any(|one| one.tasks[0].attempt == 2));
}

#[test]
fn slow_launches_are_killed_and_retried() {
    // Each flag, and how long a task may take that never runs: until the next check, every 5 seconds.
    for (env, from, until) in [
        (&[][..], 300_000, 306_000),
        // The master would report it when asked.
        (
            &[
                ("MARATHON_TASK_LAUNCH_CONFIRM_TIMEOUT", "60000"),
                ("MARATHON_RECONCILIATION_INITIAL_DELAY", "600000"),
            ][..],
            60_000,
            66_000,
        ),
    ] {
        let mut lab = Lab::with(1, env);
        lab.behave("/a", json!({"start_ms": 100_000_000}));
        lab.put(&[app("/a", 1, json!({}))], false).expect("accepted");
        assert!(lab.until(60_000, |lab| !lab.lines("launched a.").is_empty()));
        let launched = lab.cx.now();
        assert!(
            lab.until(600_000, |lab| !lab.lines("instance-overdue").is_empty()),
            "{}",
            lab.log.join("\n")
        );
        let waited = lab.cx.now().since(launched);
        assert!((from..=until).contains(&waited), "{waited} ms with {env:?}: {}", lab.log.join("\n"));
        // The same instance with another task; nothing failed, so there is no delay.
        assert!(lab.until(30_000, |lab| lab.lines("launched a.").len() == 2), "{}", lab.log.join("\n"));
        assert_eq!((lab.lines("._app.2").is_empty(), lab.lines("delay").len()), (false, 0));
        assert_eq!(lab.instances("/a").len(), 1);
        assert!(lab.marathon.deployments.running().next().is_some(), "it still waits");
    }
}

#[test]
fn checks_continue_without_the_master() {
    let more = |cmd: &str| {
        json!({"cmd": cmd, "portDefinitions": [{"port": 0, "name": "http-api"}],
            "healthChecks": [{"protocol": "HTTP", "gracePeriodSeconds": 20, "intervalSeconds": 10, "maxConsecutiveFailures": 2}],
            "readinessChecks": [{"portName": "http-api", "intervalSeconds": 5, "timeoutSeconds": 3}]})
    };
    let mut lab = Lab::new(2);
    up(&mut lab, &[app("/a", 2, more("./a 1"))]);
    // In the middle of a rolling restart: new instances run and have not answered yet.
    lab.behave("/a", json!({"health": [500, 0], "readiness": [503, 503, 0]}));
    lab.put(&[app("/a", 2, more("./a 2"))], false).expect("accepted");
    assert!(lab.until(60_000, |lab| lab.running("/a") == 4), "{}", lab.log.join("\n"));
    lab.fault(FaultKind::MasterFailover, json!({}));
    lab.settle(120_000);
    assert_eq!((lab.instances("/a").len(), lab.running("/a")), (2, 2));
    // A second failover, with nothing under way: a failing check is still seen.
    lab.fault(FaultKind::MasterFailover, json!({}));
    lab.run(20_000);
    lab.fault(FaultKind::HealthFail, json!({"pod": "/a"}));
    lab.run(60_000);
    assert!(!lab.lines("instance-unhealthy").is_empty(), "{}", lab.log.join("\n"));
}

#[test]
fn the_master_reports_tasks_that_were_never_reported() {
    let mut lab = Lab::with(1, &[("MARATHON_RECONCILIATION_INTERVAL", "20000")]);
    lab.behave("/a", json!({"start_ms": 200_000}));
    lab.fault(FaultKind::StatusDropped, json!({"pod": "/a"}));
    lab.put(&[app("/a", 1, json!({"cmd": "sleep 100000"}))], false).expect("accepted");
    assert!(lab.until(60_000, |lab| !lab.lines("launched a.").is_empty()));
    assert_eq!(lab.instances("/a")[0].condition, Condition::Provisioned);
    lab.run(60_000);
    let condition = lab.instances("/a")[0].condition;
    assert!(
        matches!(condition, Condition::Staging | Condition::Starting),
        "{condition:?}: {}",
        lab.log.join("\n")
    );
}
