//! The corpus of stored links and journals: the content and the expected result of each, and how further ones are
//! recorded.
//!
//! `tests/data/links/NAME.json` is written once, by the version that recorded the run: every later version must open the unchanged link or journal.
//! Its result changes only with intended changes of behaviour. A recipe here describes how a file was made; `cargo xtask bless every_recipe` records
//! recipes without a file.

use crate::journals::{DICE, scenario};
use planarium_protocol::{Event, EventBody};
use planarium_scenario::{Player, share};
use planarium_world::{Engine, Genesis, Journal};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// The folder, from the top of the repository.
pub const FOLDER: &str = "tests/data/links";

/// One kept run.
#[derive(Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Kept {
    /// Description in a few words.
    pub about: String,
    /// The run as a share link.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub link: Option<String>,
    /// The run as a journal, as written: not parsed here, so that its parsing is part of the test.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub journal: Option<Value>,
    /// Expected state after opening.
    pub opens: Opens,
}

impl Kept {
    /// Reads its journal with the present version.
    ///
    /// # Errors
    /// It cannot be read.
    pub fn read(&self) -> Result<Journal, String> {
        match (&self.link, &self.journal) {
            (Some(link), None) => share::decode(link).map_err(|error| error.to_string()),
            (None, Some(journal)) => {
                planarium_protocol::json::from(journal.clone()).map_err(|error| error.to_string())
            }
            _ => Err("it holds either a link or a journal".to_owned()),
        }
    }
}

/// State of an open run.
#[derive(Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Opens {
    /// Its end. *Units*: milliseconds since genesis.
    pub head_ms: u64,
    /// The cursor: a link may name a moment. *Units*: milliseconds since genesis.
    pub now_ms: u64,
    /// Inputs up to the end.
    pub inputs: usize,
    /// The numbers of refused inputs.
    pub refused: Vec<u64>,
    /// Hostnames.
    pub machines: Vec<String>,
    /// Services as `dialect/name`, each with its plans and their statuses.
    pub services: BTreeMap<String, BTreeMap<String, String>>,
    /// Faults in force.
    pub faults: Vec<String>,
}

impl Opens {
    /// Returns the state of an engine.
    pub fn of(engine: &Engine) -> Self {
        let view = engine.view();
        let statuses = |service: &planarium_protocol::view::ServiceView| {
            service.plans.iter().map(|plan| (plan.name.to_string(), plan.status.to_string())).collect()
        };
        let name = |service: &planarium_protocol::view::ServiceView| {
            format!("{}/{}", service.dialect, service.name.trim_matches('/'))
        };
        let refused = |event: &Event| match event.body {
            EventBody::Rejected { input, .. } => Some(input),
            _ => None,
        };
        Self {
            head_ms: engine.head_ms(),
            now_ms: engine.now_ms(),
            inputs: engine.entries().len(),
            refused: engine.all_events().iter().filter_map(refused).collect(),
            machines: view.cluster.machines.iter().map(|machine| machine.hostname.to_string()).collect(),
            services: view.services.iter().map(|service| (name(service), statuses(service))).collect(),
            faults: view.faults.iter().map(|fault| fault.id.to_string()).collect(),
        }
    }
}

/// Recipe of a kept run.
pub struct Recipe {
    /// Name of its file, without the ending.
    pub name: String,
    about: String,
    how: How,
}

enum How {
    /// An example of the gallery as a link, at its end or at a moment.
    Example(&'static str, Option<u64>),
    /// Inputs by hand with their instants, and the end. *Units*: milliseconds since genesis.
    Inputs { seed: u64, rows: Vec<(u64, Value)>, end_ms: u64 },
    /// The same, as a journal that was never played: without digests.
    Bare { rows: Vec<(u64, Value)>, end_ms: u64 },
    /// The same, but the last input is applied after this many more events, within an instant.
    Within { rows: Vec<(u64, Value)>, events: u64, last: Value },
}

impl Recipe {
    /// Records the run.
    ///
    /// # Panics
    /// When the recipe is wrong.
    #[expect(clippy::expect_used, reason = "helper of tests")]
    pub fn record(&self) -> Kept {
        let engine = match &self.how {
            How::Example(id, moment) => {
                let (mut engine, mut player) = Player::start(scenario(id).expect("an example"));
                player.run_to_end(&mut engine);
                if let Some(ms) = moment {
                    engine.seek_ms(*ms);
                }
                let moment = share::moment_of(&mut engine);
                let link = format!("#{}", share::encode_at(&engine.journal(), moment));
                let opens = Opens::of(&engine);
                return Kept { about: self.about.clone(), link: Some(link), journal: None, opens };
            }
            How::Inputs { seed, rows, end_ms } => {
                let mut engine = played(*seed, rows);
                engine.advance_to(*end_ms);
                engine
            }
            How::Bare { rows, end_ms } => {
                let mut engine = played(1, rows);
                engine.advance_to(*end_ms);
                let mut journal = engine.journal();
                journal.entries.iter_mut().for_each(|entry| entry.digest = None);
                return self.kept(&engine, &journal);
            }
            How::Within { rows, events, last } => {
                let mut engine = played(1, rows);
                engine.advance_events(*events);
                put_in(&mut engine, last);
                engine
            }
        };
        let journal = engine.journal();
        self.kept(&engine, &journal)
    }

    #[expect(clippy::expect_used, reason = "helper of tests")]
    fn kept(&self, engine: &Engine, journal: &Journal) -> Kept {
        let journal = serde_json::to_value(journal).expect("a journal is JSON");
        Kept { about: self.about.clone(), link: None, journal: Some(journal), opens: Opens::of(engine) }
    }
}

fn played(seed: u64, rows: &[(u64, Value)]) -> Engine {
    let mut engine = Engine::new(Genesis { seed, ..Genesis::default() });
    for (at_ms, input) in rows {
        engine.advance_to(*at_ms);
        put_in(&mut engine, input);
    }
    engine
}

#[expect(clippy::expect_used, reason = "helper of tests")]
fn put_in(engine: &mut Engine, input: &Value) {
    engine.apply(planarium_protocol::json::from(input.clone()).expect("an input"));
}

/// All recipes: every example as a link, and journals in which every kind of input and of fault occurs.
pub fn recipes() -> Vec<Recipe> {
    let mut all = Vec::new();
    let mut examples: Vec<&'static str> = planarium_gallery::examples().iter().map(|e| e.id).collect();
    examples.sort_unstable();
    for id in examples {
        let (name, about) = (format!("example-{id}"), format!("the example {id} at its end"));
        all.push(Recipe { name, about, how: How::Example(id, None) });
    }
    for (id, ms) in [("canary", 12_000), ("lost-machine", 40_000), ("rolling-maintenance", 60_000)] {
        let (name, about) = (format!("moment-{id}"), format!("the example {id} at a moment within"));
        all.push(Recipe { name, about, how: How::Example(id, Some(ms)) });
    }
    for (kind, more) in faults() {
        let mut fault = json!({ "kind": "fault", "fault": kind });
        if let (Some(to), Value::Object(more)) = (fault.as_object_mut(), more) {
            to.extend(more);
        }
        all.push(Recipe {
            name: format!("fault-{kind}"),
            about: format!("a rollout hit by the fault {kind}"),
            how: How::Inputs { seed: 7, rows: with_dice(vec![(9_000, fault)]), end_ms: 120_000 },
        });
    }
    for (name, about, rows) in by_hand() {
        let how = How::Inputs { seed: 1, rows, end_ms: 180_000 };
        all.push(Recipe { name: name.to_owned(), about: about.to_owned(), how });
    }
    all.push(Recipe {
        name: "without-digests".to_owned(),
        about: "a journal without digests".to_owned(),
        how: How::Bare { rows: with_dice(vec![(30_000, pod("restart", "roll-1"))]), end_ms: 90_000 },
    });
    all.push(Recipe {
        name: "within-an-instant".to_owned(),
        about: "a command in the middle of an instant, at which the run ends".to_owned(),
        how: How::Within { rows: with_dice(Vec::new()), events: 9, last: plan("interrupt") },
    });
    all
}

fn machines() -> Value {
    json!({ "kind": "add-agent", "count": 3, "hostname": "m{n}", "zone": "z1", "region": "r1", "attributes": { "rack": "a" },
            "resources": { "cpus": 2, "mem": 2048, "disk": 10000, "ports": "[1025-2000]" } })
}

fn load() -> Value {
    json!({ "kind": "load-service", "dialect": "sdk", "files": { "svc.yml": DICE } })
}

fn plan(op: &str) -> Value {
    json!({ "kind": "plan", "service": "dice", "plan": "deploy", "op": op })
}

fn pod(op: &str, pod: &str) -> Value {
    json!({ "kind": "pod", "service": "dice", "pod": pod, "op": op })
}

fn maintenance(op: &str, body: Value) -> Value {
    json!({ "kind": "maintenance", "op": op, "body": body })
}

fn call(method: &str, path: &str, body: Value) -> Value {
    json!({ "kind": "call", "method": method, "path": path, "body": body })
}

/// Three machines, the service, and the given inputs.
fn with_dice(rows: Vec<(u64, Value)>) -> Vec<(u64, Value)> {
    [(0, machines()), (0, load())].into_iter().chain(rows).collect()
}

/// Every kind of fault, with its parameters.
fn faults() -> Vec<(&'static str, Value)> {
    vec![
        (
            "task-fail",
            json!({ "target": { "task": "roll-0-server" }, "exit_code": 3, "message": "out of luck" }),
        ),
        ("task-kill", json!({ "target": { "task": "roll-0-server" } })),
        ("task-oom", json!({ "target": { "pod": "roll-0" } })),
        ("crash-loop", json!({ "target": { "task": "roll-1-*" }, "count": 2, "id": "loop" })),
        ("slow-start", json!({ "target": { "pod": "roll" }, "delay_ms": 5000 })),
        ("hang", json!({ "target": { "pod": "roll-2" }, "for_ms": 30_000 })),
        ("readiness-fail", json!({ "target": { "pod": "roll-1" }, "exit_code": 4, "for_ms": 30_000 })),
        ("health-fail", json!({ "target": { "pod": "roll-0" }, "probability": 0.5, "for_ms": 60_000 })),
        ("image-missing", json!({ "target": { "pod": "roll-1" }, "for_ms": 20_000 })),
        ("plugin-fail", json!({ "target": { "plugin": "any", "action": "start" } })),
        ("agent-lost", json!({ "target": { "agent": "m1" }, "for_ms": 40_000 })),
        ("agent-partitioned", json!({ "target": { "agent": "m2" }, "for_ms": 90_000 })),
        ("agent-restart", json!({ "target": { "agent": "m1" }, "for_ms": 10_000 })),
        ("agent-full", json!({ "target": { "agent": "m1" }, "for_ms": 20_000 })),
        ("offers-withheld", json!({ "target": { "agent": "m3" }, "for_ms": 30_000 })),
        ("status-dropped", json!({ "target": { "task": "roll-1-server" }, "count": 2 })),
        ("scheduler-restart", json!({ "target": { "service": "dice" } })),
        ("master-failover", json!({})),
    ]
}

/// A name, its purpose, the inputs with their instants. *Units*: milliseconds since genesis.
type ByHand = (&'static str, &'static str, Vec<(u64, Value)>);

/// Returns runs of operations that no example has.
fn by_hand() -> Vec<ByHand> {
    let update = json!({ "kind": "update-service", "dialect": "sdk", "files": { "svc.yml": DICE.replace("count: 3", "count: 4") },
                         "env": { "COLOUR": "red" } });
    let manual = json!({ "kind": "process-behaviour", "target": { "pod": "roll-0" }, "behaviour": { "manual": true } });
    let quick = json!({ "kind": "process-behaviour", "target": { "pod": "roll" },
                        "behaviour": { "start_ms": 500, "readiness": [1, 0], "health": [0], "exit_after_ms": 1500, "exit_code": 0 } });
    let status = |task: &str, state: &str| json!({ "kind": "task-status", "task": task, "state": state });
    let guest = |op: &str, more: Value| {
        let mut input = json!({ "kind": "framework", "op": op, "name": "guest" });
        if let (Some(to), Value::Object(more)) = (input.as_object_mut(), more) {
            to.extend(more);
        }
        input
    };
    vec![
        ("nothing", "an empty world", Vec::new()),
        ("machines-only", "machines without a service", vec![(0, machines()), (5_000, machines())]),
        (
            "remove-agent",
            "a machine is taken away for good",
            with_dice(vec![
                (30_000, json!({ "kind": "remove-agent", "agent": "m1" })),
                (60_000, json!({ "kind": "remove-agent", "agent": "nowhere" })),
            ]),
        ),
        ("update-service", "a service grows by a pod", with_dice(vec![(40_000, update)])),
        (
            "remove-service",
            "a service is uninstalled",
            with_dice(vec![(40_000, json!({ "kind": "remove-service", "name": "dice" }))]),
        ),
        (
            "remove-service-at-once",
            "a service is dropped",
            with_dice(vec![(12_000, json!({ "kind": "remove-service", "name": "dice", "force": true }))]),
        ),
        (
            "plan-commands",
            "every command on a plan",
            with_dice(vec![
                (1_000, plan("interrupt")),
                (20_000, plan("continue")),
                (60_000, plan("restart")),
                (62_000, plan("force-complete")),
                (90_000, plan("stop")),
                (120_000, plan("start")),
            ]),
        ),
        (
            "pod-commands",
            "every command on a pod",
            with_dice(vec![
                (40_000, pod("restart", "roll-0")),
                (60_000, pod("replace", "roll-1")),
                (90_000, pod("pause", "roll-2")),
                (120_000, pod("resume", "roll-2")),
            ]),
        ),
        (
            "maintenance-windows",
            "a schedule, machines down and up again",
            with_dice(vec![
                (
                    40_000,
                    maintenance(
                        "schedule",
                        json!({ "windows": [{ "machine_ids": [{ "hostname": "m1" }],
                                               "unavailability": { "start": { "in_ms": 10_000 }, "duration": { "nanoseconds": 60_000_000_000_u64 } } }] }),
                    ),
                ),
                (60_000, maintenance("down", json!([{ "hostname": "m1" }]))),
                (120_000, maintenance("up", json!([{ "hostname": "m1" }]))),
            ]),
        ),
        (
            "agents-drained",
            "agents drained, deactivated and brought back",
            with_dice(vec![
                (
                    40_000,
                    maintenance(
                        "drain",
                        json!({ "agent_id": { "value": "m1" }, "max_grace_period": { "nanoseconds": 5_000_000_000_u64 } }),
                    ),
                ),
                (70_000, maintenance("reactivate", json!({ "agent_id": { "value": "m1" } }))),
                (80_000, maintenance("deactivate", json!({ "agent_id": { "value": "m2" } }))),
                (100_000, maintenance("gone", json!({ "agent_id": { "value": "m3" } }))),
            ]),
        ),
        (
            "clear-fault",
            "a fault that the operator ends",
            with_dice(vec![
                (
                    2_000,
                    json!({ "kind": "fault", "fault": "readiness-fail", "id": "slow", "target": { "pod": "roll" } }),
                ),
                (50_000, json!({ "kind": "clear-fault", "id": "slow" })),
                (51_000, json!({ "kind": "clear-fault", "id": "slow" })),
            ]),
        ),
        (
            "behaviour",
            "processes that behave as they are told",
            [(0, quick)].into_iter().chain(with_dice(Vec::new())).collect(),
        ),
        (
            "task-status",
            "the user plays the cluster",
            [(0, manual)]
                .into_iter()
                .chain(with_dice(vec![
                    (20_000, status("roll-0-once", "TASK_RUNNING")),
                    (21_000, status("roll-0-once", "TASK_FINISHED")),
                    (22_000, status("roll-0-server", "TASK_RUNNING")),
                    (23_000, status("nobody", "TASK_RUNNING")),
                ]))
                .collect(),
        ),
        (
            "offer-rounds",
            "offers are held back and given round by round",
            [(0, json!({ "kind": "fault", "fault": "offers-withheld", "id": "by-hand" }))]
                .into_iter()
                .chain(with_dice(vec![
                    (10_000, json!({ "kind": "offer-round", "agents": ["m2"] })),
                    (20_000, json!({ "kind": "offer-round", "agents": ["m2", "m1"] })),
                    (30_000, json!({ "kind": "offer-round" })),
                ]))
                .collect(),
        ),
        (
            "guest-framework",
            "a framework from outside comes, asks and goes",
            with_dice(vec![
                (10_000, guest("add", json!({ "roles": ["guest"], "policy": "decline" }))),
                (40_000, guest("call", json!({ "call": { "type": "SUPPRESS" } }))),
                (60_000, guest("call", json!({ "call": { "type": "REVIVE" } }))),
                (80_000, guest("disconnect", json!({}))),
                (100_000, guest("remove", json!({}))),
            ]),
        ),
        (
            "guest-accepts",
            "a framework from outside that takes what it is offered",
            vec![
                (0, machines()),
                (1_000, guest("add", json!({ "roles": ["guest"], "policy": "accept" }))),
                (30_000, load()),
            ],
        ),
        (
            "calls-of-the-scheduler",
            "the SDK's own API as inputs",
            with_dice(vec![
                (5_000, call("POST", "/service/dice/v1/plans/deploy/interrupt", Value::Null)),
                (20_000, call("POST", "/v1/plans/deploy/continue", Value::Null)),
                (60_000, call("POST", "/service/dice/v1/pod/roll-0/restart", Value::Null)),
                (70_000, call("GET", "/service/dice/v1/plans", Value::Null)),
                (71_000, call("POST", "/service/nobody/v1/pod/roll-0/restart", Value::Null)),
            ]),
        ),
        (
            "calls-of-the-master",
            "the master's own API as inputs",
            with_dice(vec![
                (
                    30_000,
                    call(
                        "POST",
                        "/api/v1",
                        json!({ "type": "DEACTIVATE_AGENT", "deactivate_agent": { "agent_id": { "value": "m1" } } }),
                    ),
                ),
                (40_000, call("PUT", "/master/weights", json!([{ "role": "dice-role", "weight": 2.0 }]))),
                (
                    50_000,
                    call(
                        "POST",
                        "/master/quota",
                        json!({ "role": "other", "guarantee": [{ "name": "cpus", "type": "SCALAR", "scalar": { "value": 1 } }] }),
                    ),
                ),
                (60_000, call("DELETE", "/master/quota/other", Value::Null)),
            ]),
        ),
        (
            "turned-down",
            "inputs that are turned down",
            vec![
                (0, plan("continue")),
                (0, pod("restart", "roll-0")),
                (
                    1_000,
                    json!({ "kind": "load-service", "dialect": "sdk", "files": { "svc.yml": "name: x\npods: 3\n" } }),
                ),
                (1_000, json!({ "kind": "load-service", "dialect": "none", "files": {} })),
                (2_000, maintenance("sideways", Value::Null)),
                (2_000, json!({ "kind": "framework", "op": "remove", "name": "nobody" })),
                (3_000, json!({ "kind": "update-service", "dialect": "sdk", "name": "x", "files": {} })),
                (3_000, call("POST", "/nowhere", json!({ "a": [1, 2.5, null, true] }))),
            ],
        ),
        (
            "two-services",
            "two services beside each other, one of them on a shared framework",
            with_dice(vec![
                (
                    5_000,
                    json!({ "kind": "load-service", "dialect": "sdk", "name": "second", "files": { "svc.yml": DICE.replace("dice", "second") } }),
                ),
                (
                    20_000,
                    json!({ "kind": "load-service", "dialect": "sdk", "name": "third", "framework": "crowd",
                            "files": { "svc.yml": DICE.replace("dice", "third").replace("count: 3", "count: 1") } }),
                ),
            ]),
        ),
    ]
}
