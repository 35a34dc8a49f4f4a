//! Rolling restarts: numbers of old and new instances, as new ones become healthy one by one.

use super::*;

const SOURCE: &str = "marathon/core/deployment/impl/TaskReplaceActorTest.scala";

/// `minimumHealthCapacity` and `maximumOverCapacity`.
#[derive(Clone, Copy)]
struct Strategy {
    least: f64,
    over: f64,
}

/// A restart, and the numbers of old and new instances after its start and after each new healthy one.
struct Restart {
    test: &'static str,
    /// Instances that run before.
    old: u32,
    /// Wanted number of instances.
    instances: u32,
    strategy: Strategy,
    counts: &'static [(usize, usize)],
}

const ROWS: &[Restart] = &[
    Restart {
        test: "replace old tasks with health checks",
        old: 2,
        instances: 5,
        strategy: Strategy { least: 0.0, over: 1.0 },
        counts: &[(0, 5), (0, 5)],
    },
    Restart {
        test: "replace and scale down from more than new minCapacity",
        old: 3,
        instances: 2,
        strategy: Strategy { least: 1.0, over: 1.0 },
        counts: &[(2, 2), (1, 2), (0, 2)],
    },
    Restart {
        test: "replace tasks with minimum running number of tasks",
        old: 3,
        instances: 3,
        strategy: Strategy { least: 0.5, over: 1.0 },
        counts: &[(2, 3), (1, 3), (0, 3), (0, 3)],
    },
    Restart {
        test: "respect upgrade strategy",
        old: 2,
        instances: 2,
        strategy: Strategy { least: 0.5, over: 0.0 },
        counts: &[(1, 1), (0, 2)],
    },
    Restart {
        test: "replace tasks during rolling upgrade *without* over-capacity",
        old: 3,
        instances: 3,
        strategy: Strategy { least: 0.5, over: 0.0 },
        counts: &[(2, 1), (1, 2), (0, 3), (0, 3)],
    },
    Restart {
        test: "replace tasks during rolling upgrade *with* minimal over-capacity",
        old: 3,
        instances: 3,
        strategy: Strategy { least: 1.0, over: 0.0 },
        counts: &[(3, 1), (2, 2), (1, 3), (0, 3)],
    },
    Restart {
        test: "replace tasks during rolling upgrade with 2/3 over-capacity",
        old: 3,
        instances: 3,
        strategy: Strategy { least: 1.0, over: 0.7 },
        counts: &[(3, 2), (2, 3), (1, 3), (0, 3)],
    },
    Restart {
        test: "downscale tasks during rolling upgrade with 1 over-capacity",
        old: 4,
        instances: 3,
        strategy: Strategy { least: 1.0, over: 0.3 },
        counts: &[(3, 1), (2, 2), (1, 3), (0, 3)],
    },
];

/// Assertions of these cases by source: counts, the end of the deployment with the last of them, and those of the cases
/// below.
pub(super) fn assertions() -> Vec<(&'static str, usize)> {
    vec![(SOURCE, ROWS.iter().map(|row| row.counts.len() + 1).sum::<usize>() + 6)]
}

/// An app with a health check that is made once, soon after the app's version began.
fn checked(cmd: &str, instances: u32, strategy: Strategy) -> Value {
    json!({"id": "/my-app", "cmd": cmd, "cpus": 0.05, "mem": 16, "instances": instances,
        "healthChecks": [{"protocol": "HTTP", "intervalSeconds": 3600, "gracePeriodSeconds": 3600, "maxConsecutiveFailures": 0}],
        "portDefinitions": [{"port": 0, "name": "http-api"}],
        "upgradeStrategy": {"minimumHealthCapacity": strategy.least, "maximumOverCapacity": strategy.over}})
}

/// Tasks of the app: those of its old version, then those of its new one. `old` are the ids of the old ones.
fn tasks(client: &mut Client, old: &[String]) -> (Vec<String>, Vec<String>) {
    ids(client).into_iter().partition(|id| old.contains(id))
}

fn ids(client: &mut Client) -> Vec<String> {
    let said = client.get("/v2/apps/my-app/tasks").status(200).json();
    let tasks = said.get("tasks").and_then(Value::as_array).into_iter().flatten();
    tasks.filter_map(|task| task.get("id")?.as_str()).map(str::to_owned).collect()
}

/// Sets the outcome of all checks from now on.
fn checks_fail(client: &mut Client) {
    let behaviour = json!({"kind": "process-behaviour", "target": {"task": "*"}, "behaviour": {"health": [1], "readiness": [1]}});
    client.input(&behaviour);
}

fn say(client: &mut Client, task: &str, more: Value) {
    let mut status = json!({"kind": "task-status", "task": task, "state": "TASK_RUNNING"});
    if let (Some(status), Value::Object(more)) = (status.as_object_mut(), more) {
        status.extend(more);
    }
    client.input(&status);
    pass(client, 30);
}

fn is_deploying(client: &mut Client) -> bool {
    client.get("/v2/deployments").status(200).json() != json!([])
}

#[test]
fn restarts_have_upstreams_counts() {
    let mut wrong = Vec::new();
    for row in ROWS {
        let mut client = client();
        let c = &mut client;
        call(c, "POST", "/v2/apps", &checked("sleep 100000", row.old, row.strategy)).status(201);
        pass(c, 60);
        assert!(!is_deploying(c), "'{}'", row.test);
        let old = ids(c);
        checks_fail(c);
        call(c, "PUT", "/v2/apps/my-app", &checked("sleep 200000", row.instances, row.strategy)).status(200);
        pass(c, 60);
        let mut healthy: Vec<String> = Vec::new();
        for (at, expected) in row.counts.iter().enumerate() {
            let (stay, new) = tasks(c, &old);
            let found = (stay.len(), new.len());
            if found != *expected {
                wrong.push(format!(
                    "{SOURCE} '{}': with {at} healthy {expected:?} expected, found {found:?}",
                    row.test
                ));
            }
            let Some(next) = new.iter().find(|id| !healthy.contains(id)).cloned() else { break };
            say(c, &next, json!({"healthy": true}));
            healthy.push(next);
        }
        // The rest turn healthy, too.
        while let Some(next) = tasks(c, &old).1.into_iter().find(|id| !healthy.contains(id)) {
            say(c, &next, json!({"healthy": true}));
            healthy.push(next);
        }
        if is_deploying(c) {
            wrong.push(format!("{SOURCE} '{}': is not done with {} healthy", row.test, healthy.len()));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// "wait for health and readiness checks for new tasks".
#[test]
fn an_old_instance_stays_until_the_new_one_is_healthy_and_ready() {
    let mut client = client();
    let c = &mut client;
    let both = |cmd: &str| {
        let mut app = checked(cmd, 1, Strategy { least: 1.0, over: 1.0 });
        if let Some(app) = app.as_object_mut() {
            app.insert("readinessChecks".to_owned(), json!([{}]));
        }
        app
    };
    call(c, "POST", "/v2/apps", &both("sleep 100000")).status(201);
    pass(c, 60);
    let old = ids(c);
    checks_fail(c);
    call(c, "PUT", "/v2/apps/my-app", &both("sleep 200000")).status(200);
    pass(c, 60);
    let counts = |c: &mut Client| {
        let (stay, new) = tasks(c, &old);
        (stay.len(), new.len())
    };
    let new = tasks(c, &old).1.pop().unwrap_or_default();
    assert_eq!(counts(c), (1, 1), "neither healthy nor ready");
    say(c, &new, json!({"healthy": false}));
    assert_eq!(counts(c), (1, 1), "unhealthy");
    say(c, &new, json!({"healthy": true}));
    assert_eq!(counts(c), (1, 1), "healthy and not ready");
    say(c, &new, json!({"readiness_exit": 0}));
    assert_eq!(counts(c), (0, 1), "healthy and ready");
    assert!(!is_deploying(c));
}

/// "replace old tasks without health checks".
#[test]
fn without_checks_running_is_enough() {
    let mut client = client();
    let c = &mut client;
    let plain = |cmd: &str, instances: u32| {
        json!({"id": "/my-app", "cmd": cmd, "cpus": 0.05, "mem": 16, "instances": instances,
            "upgradeStrategy": {"minimumHealthCapacity": 0, "maximumOverCapacity": 1}})
    };
    call(c, "POST", "/v2/apps", &plain("sleep 100000", 2)).status(201);
    pass(c, 60);
    let old = ids(c);
    call(c, "PUT", "/v2/apps/my-app", &plain("sleep 200000", 5)).status(200);
    pass(c, 60);
    let (stay, new) = tasks(c, &old);
    assert_eq!((stay.len(), new.len(), is_deploying(c)), (0, 5, false));
}
