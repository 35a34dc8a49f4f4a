//! Marathon beside another system: random apps, groups and pods, every kind of call, faults, maintenance, steps back.

use crate::checks::{Revisions, assert_same, config, cut_alike, read, shown, wrong};
use crate::cluster::{add_agent, agent, maintenance};
use crate::deeds::load;
use crate::definitions::variant;
use planarium_protocol::Input;
use planarium_protocol::input::LoadService;
use planarium_tests::same::difference;
use planarium_world::{Engine, Genesis, Journal};
use proptest::prelude::*;
use proptest::sample::select;
use serde_json::{Value, json};

const IDS: &[&str] = &["/web", "/shop/db", "/shop/app", "/shop/in/deep", "/pod"];

fn id() -> impl Strategy<Value = &'static str> {
    select(IDS)
}

/// An app without its id.
fn app() -> impl Strategy<Value = Value> {
    let strategy = select(vec![
        json!(null),
        json!({ "minimumHealthCapacity": 1, "maximumOverCapacity": 0 }),
        json!({ "minimumHealthCapacity": 0.5, "maximumOverCapacity": 0 }),
        json!({ "minimumHealthCapacity": 0, "maximumOverCapacity": 0.3 }),
        json!({ "minimumHealthCapacity": 0.7, "maximumOverCapacity": 0.2 }),
    ]);
    let more = select(vec![
        json!({}),
        json!({}),
        json!({ "healthChecks": [{ "protocol": "HTTP", "gracePeriodSeconds": 10, "intervalSeconds": 5, "maxConsecutiveFailures": 1 }] }),
        json!({ "healthChecks": [{ "protocol": "COMMAND", "command": { "value": "true" }, "intervalSeconds": 5 }] }),
        json!({ "portDefinitions": [{ "port": 0, "name": "http-api" }],
                "readinessChecks": [{ "name": "r", "intervalSeconds": 5, "timeoutSeconds": 2 }] }),
        json!({ "constraints": [["hostname", "UNIQUE"]] }),
        json!({ "constraints": [["hostname", "GROUP_BY", "2"]], "killSelection": "OLDEST_FIRST" }),
        json!({ "unreachableStrategy": "disabled" }),
        json!({ "unreachableStrategy": { "inactiveAfterSeconds": 20, "expungeAfterSeconds": 60 } }),
        json!({ "dependencies": ["/shop/db"] }),
        json!({ "requirePorts": true, "portDefinitions": [{ "port": 1030 }] }),
        json!({ "role": "keeper", "upgradeStrategy": { "minimumHealthCapacity": 0.5, "maximumOverCapacity": 0 },
                "unreachableStrategy": "disabled",
                "container": { "type": "MESOS", "volumes": [
                    { "containerPath": "data", "mode": "RW", "persistent": { "size": 50 } }] } }),
        json!({ "gpus": 1 }),
        json!({ "cpus": 50 }),
        json!({ "backoffSeconds": 5, "backoffFactor": 2, "maxLaunchDelaySeconds": 20 }),
        json!({ "nonsense": 1 }),
    ]);
    let cmd = select(vec!["./serve", "./serve --fast", "exit 1", "sleep 30"]);
    (0_u8..5, cmd, strategy, more).prop_map(|(instances, cmd, strategy, more)| {
        let mut app = json!({ "cmd": cmd, "cpus": 0.2, "mem": 32, "instances": instances });
        if !strategy.is_null() {
            app["upgradeStrategy"] = strategy;
        }
        for (key, value) in more.as_object().into_iter().flatten() {
            app[key] = value.clone();
        }
        app
    })
}

fn pod() -> impl Strategy<Value = Value> {
    (0_u8..3, any::<bool>()).prop_map(|(instances, fast)| {
        let command = if fast { "./a --fast" } else { "./a" };
        json!({ "id": "/pod", "scaling": { "kind": "fixed", "instances": instances }, "containers": [
            { "name": "a", "exec": { "command": { "shell": command } }, "resources": { "cpus": 0.1, "mem": 32 } },
            { "name": "b", "exec": { "command": { "shell": "./b" } }, "resources": { "cpus": 0.1, "mem": 32 } }] })
    })
}

fn with_id(id: &str, mut app: Value) -> Value {
    app["id"] = json!(id);
    app
}

fn group() -> impl Strategy<Value = Value> {
    let children = prop::collection::vec((select(vec!["db", "app"]), app()), 0..3);
    let inner = prop::option::of(app());
    (children, inner, any::<bool>()).prop_map(|(children, inner, needs)| {
        let mut seen = Vec::new();
        let apps: Vec<Value> = children
            .into_iter()
            .filter(|(name, _)| !seen.contains(name) && { seen.push(name); true })
            .map(|(name, app)| with_id(name, app))
            .collect();
        let groups: Vec<Value> = inner
            .map(|app| json!({ "id": "in", "apps": [with_id("deep", app)], "dependencies": if needs { json!(["/shop/in2"]) } else { json!([]) } }))
            .into_iter()
            .collect();
        json!({ "id": "/shop", "apps": apps, "groups": groups })
    })
}

/// A call of the API.
fn call() -> impl Strategy<Value = Value> {
    let query = || {
        select(vec![
            "",
            "",
            "?force=true",
            "?force=True",
            "?partialUpdate=false",
            "?scale=true",
            "?wipe=true",
            "?force=%zz",
        ])
    };
    let create = (id(), app(), query())
        .prop_map(|(id, app, query)| ("POST", format!("/v2/apps{query}"), with_id(id, app)));
    let update =
        (id(), app(), query()).prop_map(|(id, app, query)| ("PUT", format!("/v2/apps{id}{query}"), app));
    let scale = (id(), 0_u8..7, query())
        .prop_map(|(id, n, query)| ("PUT", format!("/v2/apps{id}{query}"), json!({ "instances": n })));
    let put_group = (group(), query()).prop_map(|(group, query)| {
        ("PUT", format!("/marathon/v2/groups/shop{query}"), {
            let mut group = group;
            group.as_object_mut().map(|group| group.remove("id"));
            group
        })
    });
    let post_group =
        (group(), query()).prop_map(|(group, query)| ("POST", format!("/v2/groups{query}"), group));
    let scale_group = (select(vec![json!(0), json!(0.5), json!(2), json!(-1), json!("x")]), query())
        .prop_map(|(by, query)| ("PUT", format!("/v2/groups/shop{query}"), json!({ "scaleBy": by })));
    let put_pod = (
        pod(),
        select(vec![("POST", "/v2/pods"), ("PUT", "/v2/pods/pod"), ("PUT", "/v2/pods/pod?force=true")]),
    )
        .prop_map(|(pod, (method, path))| (method, path.to_owned(), pod));
    let plain = (
        select(vec![
            ("POST", "restart"),
            ("POST", "restart?force=true"),
            ("DELETE", ""),
            ("DELETE", "?force=false"),
            ("DELETE", "tasks"),
            ("DELETE", "tasks?scale=true&force=true"),
            ("DELETE", "tasks?wipe=true"),
            ("DELETE", "tasks?host=m-1"),
        ]),
        id(),
    )
        .prop_map(|((method, rest), id)| {
            let slash = if rest.is_empty() || rest.starts_with('?') { "" } else { "/" };
            (method, format!("/v2/apps{id}{slash}{rest}"), Value::Null)
        });
    let rest = select(vec![
        ("DELETE", "/v2/groups/shop", Value::Null),
        ("DELETE", "/v2/groups/shop?force=true", Value::Null),
        ("DELETE", "/v2/groups?force=true", Value::Null),
        ("DELETE", "/v2/pods/pod?force=true", Value::Null),
        ("DELETE", "/v2/pods/pod::instances", json!([])),
        ("DELETE", "/v2/queue/web/delay", Value::Null),
        ("DELETE", "/v2/leader", Value::Null),
        ("DELETE", "/v2/deployments/none", Value::Null),
        ("POST", "/v2/tasks/delete", json!({ "ids": ["x"] })),
        ("POST", "/v2/tasks/delete?scale=true", json!({ "ids": ["web.instance-00000000-0000-0000-0000-000000000000._app.1"] })),
        ("PUT", "/v2/apps", json!([])),
        ("PUT", "/v2/apps", json!([{ "id": "/web", "cmd": "./x2", "instances": 2, "cpus": 0.1, "mem": 32 }, { "id": "/shop/db", "instances": 1 }])),
        ("PATCH", "/v2/apps", json!([{ "id": "/web", "cmd": "./x2" }])),
        ("PUT", "/v2/apps/web", json!("{")),
        ("PUT", "/v2/apps/web", json!({ "version": "2015-10-03T00:00:00.001Z" })),
        ("PUT", "/v2/groups/shop", json!({ "version": "2015-10-03T00:00:00.001Z" })),
        ("PUT", "/v2/apps/web", json!({ "app": { "id": "/web" } })),
        ("GET", "/v2/apps", Value::Null),
        ("POST", "/v2/nothing", Value::Null),
    ])
    .prop_map(|(method, path, body)| (method, path.to_owned(), body));
    let all = prop_oneof![
        3 => create, 5 => update, 4 => scale, 3 => put_group, 2 => post_group, 1 => scale_group, 2 => put_pod,
        4 => plain, 3 => rest,
    ];
    all.prop_map(
        |(method, path, body)| json!({ "kind": "call", "method": method, "path": path, "body": body }),
    )
}

/// Generates faults of tasks and machines.
fn fault() -> impl Strategy<Value = Value> {
    let fault = select(vec![
        "task-fail",
        "task-kill",
        "task-oom",
        "crash-loop",
        "slow-start",
        "hang",
        "readiness-fail",
        "health-fail",
        "agent-lost",
        "agent-partitioned",
        "agent-restart",
        "offers-withheld",
        "status-dropped",
        "scheduler-restart",
        "master-failover",
    ]);
    let target = prop_oneof![
        2 => select(vec!["web", "db", "app", "deep", "*"]).prop_map(|task| json!({ "task": task })),
        2 => agent().prop_map(|agent| json!({ "agent": agent })),
        1 => select(vec!["marathon", "solo"]).prop_map(|service| json!({ "service": service })),
    ];
    (fault, target, select(vec![json!(null), json!(5_000), json!(100_000), json!(700_000)])).prop_map(
        |(fault, target, for_ms)| {
            let mut input = json!({ "kind": "fault", "fault": fault, "target": target });
            if !for_ms.is_null() {
                input["for_ms"] = for_ms;
            }
            input
        },
    )
}

/// A definition that is loaded, replaced or taken away by name.
fn definition() -> impl Strategy<Value = Value> {
    let text = prop_oneof![
        (id(), app()).prop_map(|(id, app)| (id.to_owned(), with_id(id, app))),
        group().prop_map(|group| ("/shop".to_owned(), group)),
        pod().prop_map(|pod| ("/pod".to_owned(), pod)),
    ];
    let kind = select(vec!["load-service", "update-service", "update-service"]);
    let loads = (kind, text, any::<bool>()).prop_map(|(kind, (name, definition), force)| {
        json!({ "kind": kind, "dialect": "marathon", "name": name, "files": { "app.json": definition.to_string() },
                "options": { "force": force } })
    });
    let removes = (id(), any::<bool>())
        .prop_map(|(name, force)| json!({ "kind": "remove-service", "name": name, "force": force }));
    prop_oneof![5 => loads, 1 => removes]
}

fn command() -> impl Strategy<Value = Value> {
    let op = select(vec!["start", "stop", "interrupt", "continue", "restart", "force-complete"]);
    let place = select(vec![
        ("apps", Some("(no group)"), Some("web")),
        ("apps", Some("shop"), Some("db")),
        ("apps", Some("shop"), None),
        ("deployment-1", None, None),
        ("deployment-2", None, None),
        ("deployment-3", Some("step-1"), None),
        ("none", None, None),
    ]);
    (op, place).prop_map(|(op, (plan, phase, step))| {
        let mut input = json!({ "kind": "plan", "service": "marathon", "plan": plan, "op": op });
        for (key, value) in [("phase", phase), ("step", step)] {
            if let Some(value) = value {
                input[key] = json!(value);
            }
        }
        input
    })
}

fn status() -> impl Strategy<Value = Value> {
    let behaviour = select(vec![
        json!({ "start_ms": 20_000 }),
        json!({ "readiness": [1, 1, 0], "health": [0, 0, 1] }),
        json!({ "exit_code": 1, "exit_after_ms": 5_000 }),
        json!({ "manual": true }),
        json!({}),
    ]);
    (select(vec!["web", "db", "*"]), behaviour).prop_map(|(task, behaviour)| {
        json!({ "kind": "process-behaviour", "target": { "task": task }, "behaviour": behaviour })
    })
}

fn input() -> impl Strategy<Value = Value> {
    prop_oneof![
        14 => call(),
        4 => fault(),
        4 => definition(),
        3 => maintenance(),
        2 => command(),
        2 => status(),
        1 => add_agent(),
        1 => select(vec!["fault-1", "fault-2"]).prop_map(|id| json!({ "kind": "clear-fault", "id": id })),
        1 => agent().prop_map(|agent| json!({ "kind": "remove-agent", "agent": agent })),
    ]
}

/// Generates operations, and the time that passes after each.
fn deeds() -> impl Strategy<Value = Vec<(Value, u64)>> {
    let gap = prop_oneof![3 => 0_u64..100, 4 => 100_u64..20_000, 1 => 20_000_u64..400_000];
    prop::collection::vec((input(), gap), 1..25)
}

fn engine(seed: u64) -> Engine {
    let mut engine = Engine::new(Genesis { seed, ..Genesis::default() });
    let machines = json!({ "kind": "add-agent", "count": 4, "hostname": "m-{n}",
        "resources": { "cpus": 2, "mem": 1024, "disk": 5000, "ports": "[1025-1040]" } });
    let first = json!({ "id": "/shop", "apps": [
        { "id": "db", "cmd": "./db", "cpus": 0.1, "mem": 32, "instances": 2 },
        { "id": "app", "cmd": "./app", "cpus": 0.1, "mem": 32, "instances": 2, "dependencies": ["db"] }] });
    let marathon = json!({ "kind": "load-service", "dialect": "marathon", "name": "", "files": { "group.json": first.to_string() } });
    for input in [machines, load("load-service", "solo", "", &variant(0)), marathon] {
        engine.apply(read(&input)).outcome.expect("the set-up");
    }
    engine
}

/// Carries out all of it, and checks the world after each operation.
fn carry_out(engine: &mut Engine, deeds: &[(Value, u64)]) -> Result<(), TestCaseError> {
    let mut revisions = Revisions::default();
    for (input, gap) in deeds {
        let before = shown(engine);
        if engine.apply(read(input)).outcome.is_err() {
            prop_assert_eq!(
                difference(&shown(engine), &before),
                None,
                "{} was refused and changed something",
                input
            );
        }
        prop_assert_eq!(wrong(engine), None, "after {}", input);
        engine.advance_for(*gap);
        prop_assert_eq!(wrong(engine), None, "{} ms after {}", gap, input);
        prop_assert_eq!(revisions.note(engine), None, "after {}", input);
    }
    Ok(())
}

proptest! {
    #![proptest_config(config(6))]

    #[test]
    fn marathon_stays_consistent_after_any_inputs(seed in 0_u64..1000, deeds in deeds()) {
        let mut engine = engine(seed);
        carry_out(&mut engine, &deeds)?;
        let text = serde_json::to_string(&engine.journal()).expect("JSON");
        let journal: Journal = serde_json::from_str(&text).expect("a journal");
        let again = Engine::from_journal(&journal).map_err(|error| TestCaseError::fail(error.to_string()))?;
        assert_same(&again, &engine)?;
    }

    #[test]
    fn splitting_an_advance_does_not_change_marathon(
        seed in 0_u64..1000,
        inputs in prop::collection::vec((0_u64..60_000, input()), 1..10),
        cuts in prop::collection::vec(1_u64..9_000, 1..40),
    ) {
        cut_alike([engine(seed), engine(seed)], &inputs, &cuts)?;
    }

    #[test]
    fn offered_remedies_are_accepted(seed in 0_u64..1000, deeds in deeds()) {
        let mut engine = engine(seed);
        for (input, gap) in &deeds {
            engine.apply(read(input));
            engine.advance_for(*gap);
        }
        let mut remedies: Vec<Input> = Vec::new();
        let view = engine.view();
        for service in view.services.iter().filter(|service| &*service.dialect == "marathon") {
            for plan in &service.plans {
                remedies.extend(plan.actions.iter().filter(|action| action.refused.is_none()).map(|action| action.input.clone()));
                for phase in &plan.phases {
                    for step in &phase.steps {
                        let path = planarium_protocol::event::ElementPath {
                            dialect: "".into(), service: service.name.clone(), plan: plan.name.clone(),
                            phase: Some(phase.name.clone()), step: Some(step.name.clone()),
                        };
                        let why = engine.why(&path).expect("an answer");
                        remedies.extend(why.unblock.into_iter().filter_map(|one| one.input));
                        remedies.extend(step.actions.iter().filter(|action| action.refused.is_none()).map(|action| action.input.clone()));
                    }
                }
            }
            for pod in &service.pods {
                remedies.extend(pod.actions.iter().filter(|action| action.refused.is_none()).map(|action| action.input.clone()));
            }
        }
        remedies.dedup();
        for remedy in remedies.into_iter().take(60) {
            let place = engine.seq();
            let applied = engine.apply(remedy.clone());
            prop_assert!(applied.outcome.is_ok(), "{:?}: {:?}", remedy, applied.outcome);
            engine.seek_seq(place);
        }
    }

    #[test]
    fn a_nearly_valid_app_is_run_or_refused_with_a_position(
        app in app(),
        cut in any::<u16>(),
        piece in select(vec!["", "\"", "{", "}", "[", "]", ":", ",", "\u{0}", "\u{1F980}", "null", "-1", "1e400", "99999999999999999999", "true", "\\", "\n", "//", "{\"a\":"]),
        drop in 0_usize..6,
    ) {
        let text = with_id("/web", app).to_string();
        let mut at = text.len() * usize::from(cut) / (usize::from(u16::MAX) + 1);
        while !text.is_char_boundary(at) { at -= 1; }
        let (left, right) = text.split_at(at);
        let right: String = right.chars().skip(drop).collect();
        let text = format!("{left}{piece}{right}");
        let load = LoadService {
            dialect: "marathon".to_owned(),
            files: [("app.json".to_owned(), text)].into(),
            ..LoadService::default()
        };
        let report = planarium_world::check(&load);
        prop_assert_eq!(report.preview.is_none(), report.has_errors(), "{:?}", report.diagnostics);
        let mut engine = engine(1);
        let before = shown(&engine);
        let applied = engine.apply(Input::LoadService(load));
        match &applied.outcome {
            Ok(_) => prop_assert!(!report.has_errors(), "accepted, but {:?}", report.diagnostics),
            Err(refusal) => {
                prop_assert!(report.has_errors(), "{:?}, but a check has nothing against it", refusal);
                prop_assert_eq!(difference(&shown(&engine), &before), None, "refused, and something changed");
            }
        }
        engine.advance_for(100_000);
        prop_assert_eq!(wrong(&engine), None);
    }
}
