//! Random walks: every unfinished element always has an explanation, remedies are accepted, and duplicated data
//! agrees.

use super::bench::Bench;
use crate::scheduler::UNINSTALL_FLAG;
use planarium_kernel::draw::between;
use planarium_mesos::api::TaskState;
use planarium_plan::{Element, PlanId};
use planarium_protocol::input::{Input, PlanOp, PodOp};
use planarium_protocol::{EventBody, Text};
use std::collections::BTreeMap;

const YAML: &str = "\
name: swarm
pods:
  a:
    count: 3
    allow-decommission: true
    placement: '[[\"hostname\", \"MAX_PER\", \"2\"]]'
    tasks:
      main: {goal: RUNNING, cmd: x, cpus: 0.5, memory: 64, ports: {p: {port: 0, env-key: P}}}
      side: {goal: RUNNING, essential: false, cmd: x, cpus: 0.2, memory: 32}
  b:
    count: 2
    volume: {path: d, type: ROOT, size: 10}
    tasks:
      init: {goal: ONCE, cmd: x, cpus: 0.1, memory: 32}
      node: {goal: RUNNING, cmd: x, cpus: 0.5, memory: 64,
        readiness-check: {cmd: x, interval: 5, delay: 0, timeout: 10}}
plans:
  deploy:
    phases:
      a: {pod: a, strategy: canary}
      b: {pod: b, strategy: parallel, steps: [{default: [[init], [node]]}]}
  again:
    strategy: parallel
    phases:
      a: {pod: a, strategy: parallel, steps: [{default: [[side]]}]}
      b: {pod: b}
";

struct Walk {
    bench: Bench,
    seed: u64,
    n: u64,
    /// It is being uninstalled.
    leaving: bool,
}

impl Walk {
    fn pick(&mut self, count: u64) -> u64 {
        self.n += 1;
        between(self.seed, 1, 1, self.n, 0, count.saturating_sub(1))
    }

    fn target(&mut self) -> String {
        let targets = [
            "deploy",
            "deploy/a",
            "deploy/b",
            "deploy/a/a-0:[main, side]",
            "deploy/b/b-1:[node]",
            "again",
            "again/a",
            "again/b",
            "recovery",
        ];
        let at = usize::try_from(self.pick(targets.len() as u64)).expect("small");
        targets[at].to_owned()
    }

    fn step(&mut self) {
        match self.pick(12) {
            0..=2 => {
                let ms = self.pick(9_000);
                self.bench.advance(ms);
            }
            3 | 4 => self.bench.round(),
            5..=7 => {
                let ids: Vec<Text> = self.bench.tasks.keys().cloned().collect();
                let Some(id) = ids.get(usize::try_from(self.pick(ids.len() as u64)).expect("small")) else {
                    return;
                };
                let states = [
                    TaskState::Running,
                    TaskState::Running,
                    TaskState::Running,
                    TaskState::Failed,
                    TaskState::Killed,
                    TaskState::Finished,
                    TaskState::Lost,
                    TaskState::Unreachable,
                ];
                let state = states[usize::try_from(self.pick(8)).expect("small")];
                let exit = [None, Some(0), Some(1)][usize::try_from(self.pick(3)).expect("small")];
                let id = id.clone();
                self.bench.status_of(&id, state, exit);
            }
            8 | 9 => {
                let ops = [
                    PlanOp::Start,
                    PlanOp::Stop,
                    PlanOp::Interrupt,
                    PlanOp::Continue,
                    PlanOp::Continue,
                    PlanOp::Restart,
                    PlanOp::ForceComplete,
                ];
                let op = ops[usize::try_from(self.pick(7)).expect("small")];
                let target = self.target();
                let _ = self.bench.plan(op, &target);
            }
            10 => {
                let ops = [PodOp::Restart, PodOp::Replace, PodOp::Pause, PodOp::Resume];
                let op = ops[usize::try_from(self.pick(4)).expect("small")];
                let pod = ["a-0", "a-2", "b-1"][usize::try_from(self.pick(3)).expect("small")];
                let _ = self.bench.pod(op, pod, &[]);
            }
            _ => {
                if self.pick(4) == 0 {
                    self.restart();
                }
            }
        }
    }

    /// Restarts the scheduler process, possibly with another definition or uninstalling.
    fn restart(&mut self) {
        let yaml = match self.pick(6) {
            0 => YAML.replace("count: 3", "count: 1"),
            1 => YAML.replace(
                "node: {goal: RUNNING, cmd: x, cpus: 0.5",
                "node: {goal: RUNNING, cmd: y, cpus: 0.4",
            ),
            // Refused: this pod must not shrink.
            2 => YAML.replace("count: 2", "count: 1"),
            3 => YAML.replace("count: 2", "count: 3").replace("memory: 64, ports", "memory: 48, ports"),
            _ => YAML.to_owned(),
        };
        self.leaving |= self.pick(12) == 0;
        if self.bench.scheduler.is_torn_down() {
            return;
        }
        let env: &[(&str, &str)] = if self.leaving {
            &[("ENABLE_BACKOFF", "true"), (UNINSTALL_FLAG, "")]
        } else {
            &[("ENABLE_BACKOFF", "true")]
        };
        self.bench.restart_with(&yaml, env);
    }

    /// Drops the statuses of elements that no longer exist.
    fn prune(&self, shown: &mut BTreeMap<String, String>) {
        let scheduler = &self.bench.scheduler;
        let mut known = std::collections::BTreeSet::new();
        for (at, plan) in scheduler.plans.iter().enumerate() {
            let phases = plan.tree.phases().map(Element::Phase);
            let all = phases.chain(plan.tree.all_steps().map(Element::Step)).chain([Element::Plan]);
            known.extend(all.map(|element| format!("{:?}", scheduler.path(PlanId::at(at), element))));
        }
        shown.retain(|key, _| known.contains(key));
    }

    /// Checks that every unfinished element has an explanation, and that its proposals are accepted.
    fn explain(&mut self) {
        let scheduler = &self.bench.scheduler;
        let mut remedies = Vec::new();
        for (at, plan) in scheduler.plans.iter().enumerate() {
            let mut elements = vec![Element::Plan];
            for phase in plan.tree.phases() {
                elements.push(phase.into());
                elements.extend(plan.tree.steps(phase).map(Element::Step));
            }
            for element in elements {
                let path = scheduler.path(PlanId::at(at), element);
                let why = scheduler.why(&path).expect("exists");
                assert!(!why.reasons.is_empty(), "{path:?}");
                assert!(why.reasons.iter().all(|reason| !reason.text.is_empty()));
                remedies.extend(why.unblock.into_iter().filter_map(|remedy| remedy.input));
            }
        }
        for remedy in remedies {
            let mut copy = self.bench.clone();
            match remedy {
                Input::Plan(command) => {
                    copy.scheduler
                        .plan_command(&mut copy.cx, &command)
                        .unwrap_or_else(|r| panic!("{command:?}: {r:?}"));
                }
                Input::Pod(command) => {
                    copy.scheduler
                        .pod_command(&mut copy.cx, &command)
                        .unwrap_or_else(|r| panic!("{command:?}: {r:?}"));
                }
                Input::TaskStatus(status) => {
                    assert!(copy.scheduler.state.tasks.by_id(&status.task).is_some());
                }
                _ => {}
            }
        }
    }

    /// A view built step by step reads as one built from nothing.
    fn views_agree(&self) {
        let kept = self.bench.shown.view(&self.bench.scheduler);
        let fresh = self.bench.scheduler.view();
        let said = |actions: &[planarium_protocol::view::ActionView]| -> Vec<_> {
            actions.iter().map(|action| (action.refused.clone(), action.consequence.clone())).collect()
        };
        let text = |view: &planarium_protocol::view::ServiceView| -> Vec<String> {
            let steps = view.plans.iter().flat_map(|plan| plan.phases.iter().flat_map(|phase| &phase.steps));
            steps
                .map(|step| {
                    let actions = said(&step.actions);
                    format!("{} {} {} {} {actions:?}", step.name, step.status, step.reason, step.forced)
                })
                .collect()
        };
        assert_eq!(text(&kept), text(&fresh));
        let shape = |view: &planarium_protocol::view::ServiceView| -> Vec<String> {
            let phases = view.plans.iter().flat_map(|plan| &plan.phases);
            phases
                .map(|p| {
                    format!(
                        "{} {} {} {:?} {:?}",
                        p.name,
                        p.status,
                        p.gates_left,
                        p.progress,
                        said(&p.actions)
                    )
                })
                .collect()
        };
        assert_eq!(shape(&kept), shape(&fresh));
    }

    /// Checks that the reported changes are consecutive and lead to the present statuses.
    fn follow(&mut self, shown: &mut BTreeMap<String, String>) {
        self.follow_events(shown);
        let scheduler = &self.bench.scheduler;
        for (at, plan) in scheduler.plans.iter().enumerate() {
            for step in plan.tree.all_steps() {
                let path = scheduler.path(PlanId::at(at), step.into());
                if let Some(last) = shown.get(&format!("{path:?}")) {
                    assert_eq!(**last, *scheduler.display_status(PlanId::at(at), step.into()), "{path:?}");
                }
            }
        }
    }

    fn follow_events(&mut self, shown: &mut BTreeMap<String, String>) {
        for event in self.bench.cx.drain() {
            match event.body {
                EventBody::ElementStatus { path, from, to } => {
                    // Tasks that were never launched have no id, and their steps one name.
                    if path.step.as_deref() == Some("kill-task-") {
                        continue;
                    }
                    let key = format!("{path:?}");
                    if let Some(before) = shown.insert(key.clone(), to.to_string()) {
                        assert_eq!(before, *from, "{key}");
                    }
                }
                EventBody::PhaseChanged { path, .. } => {
                    let name = format!("phase: {:?}", path.phase);
                    shown.retain(|key, _| !key.contains(&name));
                }
                _ => {}
            }
        }
    }
}

#[test]
fn random_walks_keep_all_invariants() {
    for seed in 0..40 {
        let mut bench = Bench::with_env(YAML, &[("ENABLE_BACKOFF", "true")]);
        bench.machine("m1", 2, 512);
        bench.machine("m2", 2, 512);
        bench.machine("m3", 1, 256);
        let mut walk = Walk { bench, seed, n: 0, leaving: false };
        let mut shown = BTreeMap::new();
        for turn in 0..150 {
            walk.step();
            walk.follow_events(&mut shown);
            walk.prune(&mut shown);
            walk.follow(&mut shown);
            walk.views_agree();
            let broken = walk.bench.scheduler.check();
            assert!(broken.is_empty(), "seed {seed}, turn {turn}: {broken:?}");
            if turn % 10 == 0 {
                walk.explain();
            }
        }
    }
}

#[test]
fn a_clone_behaves_like_the_original() {
    for seed in 100..105 {
        let bench = Bench::with_env(YAML, &[("ENABLE_BACKOFF", "true")]);
        let mut walk = Walk { bench, seed, n: 0, leaving: false };
        walk.bench.machine("m1", 4, 1024);
        for _ in 0..60 {
            walk.step();
        }
        let mut other = Walk { bench: walk.bench.clone(), seed, n: walk.n, leaving: walk.leaving };
        for _ in 0..60 {
            walk.step();
            other.step();
        }
        let digest = |walk: &Walk| {
            let mut digest = planarium_kernel::Digest::new();
            digest.write(&walk.bench.scheduler);
            digest.finish()
        };
        assert_eq!(digest(&walk), digest(&other));
        assert_eq!(walk.bench.scheduler.view(), other.bench.scheduler.view());
    }
}
