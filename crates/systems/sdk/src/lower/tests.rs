use super::{LoweredPlan, at_start, conflicts, plans, step_count};
use crate::tests::{request, spec};
use std::fmt::Write as _;

const PODS: &str = "\
name: hello
pods:
  hello:
    count: 2
    tasks:
      first: {goal: RUNNING, cmd: sleep 1000, cpus: 0.1, memory: 32}
      second: {goal: ONCE, cmd: echo, cpus: 0.1, memory: 32}
  world:
    count: 1
    tasks:
      server: {goal: RUNNING, cmd: sleep 1000, cpus: 0.1, memory: 32}
";

fn tree(plans: &[LoweredPlan]) -> String {
    let mut out = String::new();
    for plan in plans {
        let _ = writeln!(out, "{} ({})", plan.name, plan.strategy.as_str());
        for phase in &plan.phases {
            let _ = writeln!(out, " {} ({})", phase.name, phase.strategy_name());
            for step in &phase.steps {
                let after: Vec<&str> = step.after.clone().map(|at| &*phase.steps[at as usize].name).collect();
                let after =
                    if after.is_empty() { String::new() } else { format!(" after {}", after.join(" ")) };
                let error = step.error.as_deref().map(|why| format!(" ERROR {why}")).unwrap_or_default();
                let _ = writeln!(out, "  {}{after}{error}", step.name);
            }
        }
    }
    out
}

fn with_phase(phase: &str) -> String {
    format!("{PODS}plans:\n  deploy:\n    phases:\n      go: {phase}\n")
}

#[test]
fn without_plans_a_plan_is_generated() {
    let spec = spec(PODS);
    let plans = plans(&spec);
    assert!(plans[0].generated);
    assert_eq!(
        tree(&plans),
        "deploy (serial)\n hello (serial)\n  hello-0:[first, second]\n  hello-1:[first, second]\n \
         world (serial)\n  world-0:[server]\n"
    );
    assert_eq!(plans[0].phases[1].steps[0].at.source().line, 8);
    assert_eq!(step_count(&spec), 3);
}

#[test]
fn phases_and_custom_steps() {
    let cases = [
        ("{pod: world}", "go (serial)\n  world-0:[server]\n"),
        (
            "{pod: hello, strategy: parallel}",
            "go (parallel)\n  hello-0:[first, second]\n  hello-1:[first, second]\n",
        ),
        ("{pod: world, strategy: canary}", "go (serial-canary)\n  world-0:[server]\n"),
        ("{pod: world, strategy: parallel-canary}", "go (parallel-canary)\n  world-0:[server]\n"),
        ("{pod: world, steps: []}", "go (serial)\n  world-0:[server]\n"),
        (
            "{pod: hello, steps: [default: [[first], [second]]]}",
            "go (serial)\n  hello-0:[first]\n  hello-0:[second]\n  hello-1:[first]\n  hello-1:[second]\n",
        ),
        (
            "{pod: hello, strategy: parallel, steps: [default: [[second, first], [first], [second]], 1: [[first]]]}",
            "go (dependency)\n  hello-0:[second, first]\n  hello-0:[first] after hello-0:[second, first]\n  \
             hello-0:[second] after hello-0:[second, first] hello-0:[first]\n  hello-1:[first]\n",
        ),
        (
            "{pod: hello, strategy: parallel-canary, steps: [0: [[first]], 1: [[second], []]]}",
            "go (dependency-canary)\n  hello-0:[first]\n  hello-1:[second]\n  hello-1:[] after hello-1:[second]\n",
        ),
        ("{pod: hello, steps: [1: [[second]], default: []]}", "go (serial)\n  hello-1:[second]\n"),
    ];
    for (phase, want) in cases {
        let spec = spec(&with_phase(phase));
        let plans = plans(&spec);
        assert_eq!(tree(&plans), format!("deploy (serial)\n {want}"), "{phase}");
        let steps: usize = plans.iter().flat_map(|plan| &plan.phases).map(|phase| phase.steps.len()).sum();
        assert_eq!(step_count(&spec), steps as u64, "{phase}");
    }
}

#[test]
fn update_replaces_deploy_once_deployed() {
    let text = format!(
        "{PODS}plans:\n  other: {{phases: {{}}}}\n  deploy: {{phases: {{d: {{pod: world}}}}}}\n  update: \
         {{strategy: parallel, phases: {{u: {{pod: world}}}}}}\n"
    );
    let spec = spec(&text);
    let names = |deployed| {
        let plans = at_start(&spec, deployed);
        plans.iter().map(|plan| format!("{}/{}", plan.name, plan.phases.len())).collect::<Vec<_>>().join(" ")
    };
    assert_eq!(names(false), "other/0 deploy/1");
    assert_eq!(names(true), "other/0 deploy/1");
    assert_eq!(&*at_start(&spec, false)[1].phases[0].name, "d");
    let deployed = at_start(&spec, true);
    assert_eq!((&*deployed[1].phases[0].name, deployed[1].strategy.as_str()), ("u", "parallel"));
    assert_eq!(plans(&spec).len(), 3);
}

#[test]
fn steps_that_cannot_be_built() {
    let shared = "\
name: hello
pods:
  hello:
    count: 2
    resource-sets: {set: {cpus: 1, memory: 32}}
    tasks:
      a: {goal: RUNNING, cmd: x, resource-set: set}
      b: {goal: RUNNING, cmd: x, resource-set: set}
      c: {goal: RUNNING, cmd: x, cpus: 1, discovery: {prefix: p}}
      d: {goal: RUNNING, cmd: x, cpus: 1, discovery: {prefix: p}}
";
    let cases = [
        ("[default: [[a], [b], [c]]]", "", 0),
        ("[default: [[a, b], [c]]]", "  hello-0 ERROR tasks 'a' and 'b' use the same resource set 'set'", 1),
        ("[default: [[a]], 1: [[c, d]]]", "  hello-1 ERROR tasks 'c' and 'd' use the same DNS prefix 'p'", 1),
        ("[default: [[a, a]]]", "tasks 'a' and 'a' use the same resource set", 1),
    ];
    for (steps, want, count) in cases {
        let text = format!("{shared}plans:\n  deploy: {{phases: {{go: {{pod: hello, steps: {steps}}}}}}}\n");
        let loaded = crate::load(&request(&text));
        let spec = loaded.spec.expect("only warnings");
        assert!(tree(&plans(&spec)).contains(want), "{steps}: {}", tree(&plans(&spec)));
        assert_eq!(conflicts(&spec).len(), count, "{steps}");
    }
    let generated = crate::load(&request(shared)).spec.expect("only warnings");
    assert_eq!(conflicts(&generated).len(), 1);
    assert!(plans(&generated)[0].phases[0].steps.iter().all(|step| step.error.is_some()));
}
