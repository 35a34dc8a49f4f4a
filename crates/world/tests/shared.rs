//! Frameworks shared by several services, under random faults: nothing breaks, and once the faults end all of them
//! reach their goal.

#![expect(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "a test and its helpers")]

use planarium_kernel::draw;
use planarium_protocol::Input;
use planarium_protocol::view::Applied;
use planarium_world::{Condition, Engine, Genesis};
use serde_json::{Value, json};

const NAMES: [&str; 3] = ["/team/a", "b", "c"];
const SVC: &str = "name: {{NAME}}\npods:\n  node:\n    count: {{COUNT}}\n    allow-decommission: true\n    tasks:\n      server: \
    {goal: RUNNING, cmd: ./node, cpus: 0.5, memory: 128, volume: {path: d, type: ROOT, size: 16}}\n";

struct Run {
    engine: Engine,
    seed: u64,
    drawn: u64,
}

impl Run {
    fn new(seed: u64) -> Self {
        Self { engine: Engine::new(Genesis { seed, ..Genesis::default() }), seed, drawn: 0 }
    }

    fn below(&mut self, limit: u64) -> usize {
        self.drawn += 1;
        usize::try_from(draw::between(self.seed, 0, 1, self.drawn, 0, limit - 1)).unwrap()
    }

    fn put(&mut self, input: Value) -> Applied {
        let text = input.to_string();
        let input: Input = serde_json::from_value(input).unwrap_or_else(|error| panic!("{text}: {error}"));
        self.engine.apply(input)
    }

    fn load(&mut self, kind: &str, name: &str, limit: u64) -> Applied {
        let count = 1 + self.below(3);
        let mut env = json!({ "NAME": name, "COUNT": count.to_string() });
        if limit > 0 {
            env["RESERVE_DISCIPLINE"] = json!(limit.to_string());
        }
        self.put(json!({
            "kind": kind, "dialect": "sdk", "name": name, "framework": "fw", "files": { "svc.yml": SVC }, "env": env,
        }))
    }

    /// Applies one random input; refusals are fine.
    fn act(&mut self) {
        let name = NAMES[self.below(3)];
        let agent = format!("agent-{}", 1 + self.below(4));
        let task = format!("node-{}-server", self.below(3));
        match self.below(12) {
            0 => _ = self.load("load-service", name, 0),
            1 | 2 => _ = self.load("update-service", name, 0),
            3 => _ = self.put(json!({ "kind": "remove-service", "name": name, "force": self.seed == 0 })),
            4 => {
                _ = self.put(
                    json!({ "kind": "fault", "fault": "scheduler-restart", "target": { "service": name } }),
                );
            }
            5 | 6 => {
                _ = self.put(
                    json!({ "kind": "fault", "fault": "task-fail", "target": { "service": name, "task": task } }),
                );
            }
            7 => {
                let fault = ["agent-lost", "agent-partitioned", "agent-restart"][self.below(3)];
                _ = self.put(
                    json!({ "kind": "fault", "fault": fault, "for_ms": 120_000, "target": { "agent": agent } }),
                );
            }
            8 => _ = self.put(json!({ "kind": "fault", "fault": "offers-withheld", "for_ms": 30_000 })),
            9 => {
                let op = ["restart", "replace", "pause", "resume"][self.below(4)];
                _ = self.put(json!({ "kind": "pod", "service": name, "pod": "node-0", "op": op }));
            }
            10 => _ = self.put(json!({ "kind": "offer-round", "agents": [agent] })),
            _ => {
                let op = ["restart", "interrupt", "continue"][self.below(3)];
                _ = self.put(json!({ "kind": "plan", "service": name, "plan": "deploy", "op": op }));
            }
        }
        let ms = self.below(20_000);
        self.engine.advance_for(ms as u64);
    }

    /// Every reservation on every machine belongs to an existing service, and every task to exactly one.
    fn check_owners(&self) {
        let view = self.engine.view();
        let names: Vec<String> = view.services.iter().map(|service| service.name.to_string()).collect();
        for task in view.cluster.machines.iter().flat_map(|machine| &machine.tasks) {
            assert!(
                names.contains(&task.service.to_string()),
                "{} of {} at the end",
                task.name,
                task.service
            );
        }
    }
}

#[test]
fn shared_frameworks_survive_faults() {
    for seed in 0..8 {
        let mut run = Run::new(seed);
        run.put(json!({ "kind": "add-agent", "count": 4 }));
        for name in NAMES {
            assert!(run.load("load-service", name, seed % 3).outcome.is_ok());
        }
        for _ in 0..30 {
            run.act();
        }
        // End all faults, holds and pauses; missing machines come back.
        let faults: Vec<String> = run.engine.view().faults.iter().map(|fault| fault.id.to_string()).collect();
        for id in faults {
            run.put(json!({ "kind": "clear-fault", "id": id }));
        }
        run.engine.advance_for(650_000);
        for name in NAMES {
            if run.load("load-service", name, 0).outcome.is_err() {
                for index in 0..3 {
                    run.put(json!({ "kind": "pod", "service": name, "pod": format!("node-{index}"), "op": "resume" }));
                }
                run.put(json!({ "kind": "plan", "service": name, "plan": "deploy", "op": "continue" }));
            }
        }
        for name in NAMES {
            let condition = format!("{}/deploy=COMPLETE", name.trim_start_matches('/'));
            let reached = run.engine.run_until(&Condition::parse(&condition).unwrap(), 3_600_000);
            assert!(reached.met, "seed {seed}: {condition}\n{:#?}", run.engine.view().services);
        }
        run.check_owners();
        // Nothing goes round in circles.
        assert!(run.engine.seq() < 5_000, "seed {seed}: {} events", run.engine.seq());
        let journal = run.engine.journal();
        let again = Engine::from_journal(&journal).expect("it replays");
        assert_eq!(again.digest(), run.engine.digest(), "seed {seed}");
    }
}
