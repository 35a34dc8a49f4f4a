//! Actions of the view do in the scheduler as they promise.

#![expect(clippy::type_complexity, reason = "helpers of tests")]

use super::bench::Bench;
use super::walkthrough::SEED;
use planarium_mesos::api::TaskState;
use planarium_protocol::Input;
use planarium_protocol::input::{PlanOp, PodOp};
use planarium_protocol::view::{ActionView, PlanView};

const YAML: &str = "name: s
pods:
  p: {count: 2, tasks: {t: {goal: RUNNING, cmd: sleep 1, cpus: 0.1, memory: 32}}}
  q: {count: 3, tasks: {t: {goal: RUNNING, cmd: sleep 1, cpus: 0.1, memory: 32}}}
plans:
  deploy:
    phases:
      one: {pod: p, strategy: serial}
      two: {pod: q, strategy: canary}
  side:
    phases:
      again: {pod: p, strategy: parallel}
";

fn fresh() -> Bench {
    let mut bench = Bench::new(YAML);
    bench.machine("a1", 8, 8192);
    bench
}

fn gate_of(mut bench: Bench) -> Bench {
    for _ in 0..6 {
        bench.advance(5_000);
        bench.round();
        bench.all_run();
    }
    bench
}

/// Services at moments at which the same command does different things.
const MOMENTS: [(&str, fn() -> Bench); 8] = [
    ("nothing has begun", fresh),
    ("the plan is held", || {
        let mut bench = fresh();
        bench.plan(PlanOp::Interrupt, "deploy").expect("held");
        bench
    }),
    ("a step is under way", || {
        let mut bench = fresh();
        bench.round();
        bench
    }),
    ("a phase under way is held", || {
        let mut bench = fresh();
        bench.round();
        bench.plan(PlanOp::Interrupt, "deploy/one").expect("held");
        bench
    }),
    ("it waits at a gate", || gate_of(fresh())),
    ("one gate is open", || {
        let mut bench = gate_of(fresh());
        bench.plan(PlanOp::Continue, "deploy/two").expect("opened");
        gate_of(bench)
    }),
    ("it is complete", || {
        let mut bench = fresh();
        bench.plan(PlanOp::ForceComplete, "deploy").expect("complete");
        bench
    }),
    ("the plan on the side has been started", || {
        let mut bench = gate_of(fresh());
        bench.plan(PlanOp::Start, "side").expect("started");
        bench
    }),
];

/// Everything that a command may change at once, element by element.
fn shown(bench: &Bench) -> String {
    let view = bench.scheduler.view();
    let plan = |plan: &PlanView| {
        let phases: Vec<_> = plan
            .phases
            .iter()
            .map(|phase| {
                let steps: Vec<_> = phase.steps.iter().map(|step| (&*step.status, step.forced)).collect();
                format!("{} {} {} {steps:?}", phase.status, phase.interrupted, phase.gates_left)
            })
            .collect();
        format!("{} {} {} {phases:?}", plan.name, plan.status, plan.interrupted)
    };
    view.plans.iter().map(|it| plan(it)).collect::<Vec<_>>().join("\n")
}

/// Every action of every element with the input that it is.
fn offered(bench: &Bench) -> Vec<(String, ActionView, Input)> {
    let view = bench.scheduler.view();
    let mut out = Vec::new();
    for plan in view.plans.iter().filter(|plan| !plan.phases.is_empty()) {
        let mut add = |target: String, actions: &[ActionView]| {
            let path = bench.path(&target);
            out.extend(actions.iter().map(|action| (target.clone(), action.clone(), action.at(&path))));
        };
        add(plan.name.to_string(), &plan.actions);
        for phase in &plan.phases {
            add(format!("{}/{}", plan.name, phase.name), &phase.actions);
            for step in &phase.steps {
                add(format!("{}/{}/{}", plan.name, phase.name, step.name), &step.actions);
            }
        }
    }
    out
}

#[test]
fn every_command_acts_as_the_view_says() {
    let mut nothing = 0;
    for (moment, bench) in MOMENTS {
        let before = shown(&bench());
        for (target, action, input) in offered(&bench()) {
            let Input::Plan(command) = input else { panic!("a plan command") };
            let what = format!("{moment}: {} {target}", action.title);
            let mut trial = bench();
            let outcome = trial.scheduler.plan_command(&mut trial.cx, &command);
            assert_eq!(
                action.refused.is_some(),
                outcome.is_err(),
                "{what}: {:?} {outcome:?}",
                action.refused
            );
            if outcome.is_err() {
                continue;
            }
            let said = action.consequence.as_deref().unwrap_or_default();
            let promised = said.starts_with("Changes nothing") || said.starts_with("Starts nothing");
            nothing += usize::from(promised);
            assert_eq!(promised, shown(&trial) == before, "{what}: {said}\n{}", shown(&trial));
        }
    }
    assert!(nothing > 10, "commands that change nothing are among them: {nothing}");
}

#[test]
fn elements_with_equal_actions_share_one_list() {
    let bench = fresh();
    let view = bench.scheduler.view();
    let steps = &view.plans[0].phases[1].steps;
    assert!(std::sync::Arc::ptr_eq(&steps[0].actions, &steps[1].actions));
    let Input::Plan(command) = &steps[0].actions[0].input else { panic!("a plan command") };
    assert!(command.plan.is_empty(), "the element is left out");
    let json = planarium_protocol::json::of(&*steps[0]);
    assert_eq!(json["commands"][0]["op"], "restart");
    assert!(json["commands"][0].get("input").is_none(), "what cannot be sent is not handed out: {json}");
}

#[test]
fn pods_describe_the_present_effect_of_each_command() {
    let said = |bench: &Bench, pod: &str, op: PodOp| {
        let view = bench.scheduler.view();
        let pod = view.pods.iter().find(|known| *known.name == *pod).expect("a pod").clone();
        let is = |action: &&ActionView| matches!(&action.input, Input::Pod(command) if command.op == op);
        let action = pod.actions.iter().find(is).expect("an action");
        (action.refused.is_some(), action.consequence.as_deref().unwrap_or_default().to_owned())
    };
    let mut bench = Bench::new(SEED);
    bench.machine("a1", 8, 8192);
    bench.deploy();
    let (refused, text) = said(&bench, "hello-0", PodOp::Resume);
    assert!(!refused && text.starts_with("It is not paused"), "{text}");
    let id = bench.id("hello-0-server");
    bench.pod(PodOp::Resume, "hello-0", &[]).expect("accepted all the same");
    bench.status_of(&id, TaskState::Killed, None);
    bench.advance(5_000);
    bench.round();
    assert_ne!(bench.id("hello-0-server"), id, "it was launched once more, as said");
    bench.pod(PodOp::Pause, "hello-0", &[]).expect("paused");
    let (_, text) = said(&bench, "hello-0", PodOp::Resume);
    assert!(text.contains("own command"), "{text}");
}
