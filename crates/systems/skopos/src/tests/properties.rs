//! Properties of every plan under any operations.

use super::random::{Deed, Dice, deeds, plan, surroundings};
use super::support::{Bench, findings, request};
use crate::commands::Command;
use crate::definition::load;
use crate::run::Mode;
use planarium_protocol::event::ElementPath;
use planarium_protocol::input::Input;
use planarium_protocol::view::ServiceView;
use proptest::prelude::*;

fn cases(many: u32) -> ProptestConfig {
    ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(many) }
}

/// A plan in random surroundings, with its gates.
pub(crate) fn bench(seed: u64, machines: u32) -> (Bench, Vec<String>) {
    let (text, gates) = plan(seed);
    let loaded = load(&request(&text));
    assert!(loaded.definition.is_some(), "{:#?}\n{text}", findings(&loaded));
    (Bench::with_machines(&text, machines), gates)
}

pub(crate) fn carry_out(bench: &mut Bench, deed: &Deed) {
    match deed {
        Deed::Command(command) => {
            let _ = bench.command(command);
        }
        Deed::Advance(ms) => bench.advance_to(bench.cx.now().ms() + ms),
        Deed::Fault(fault) => {
            let _ = bench.try_to_inject(fault);
        }
        Deed::Mend => bench.mend(),
    }
    bench.check();
}

/// Runs until the plan is over: passes gates, resumes holds.
///
/// Panics if the plan is not over and nothing would ever happen again.
pub(crate) fn to_the_end(bench: &mut Bench) {
    bench.mend();
    for _ in 0..3_000 {
        let refused = match bench.app.run.mode {
            Mode::Ready => bench.command(&Command::Start { paused: false, interactive: None }),
            Mode::Paused | Mode::ErrorWait => bench.command(&Command::Resume),
            Mode::GateWait => bench.command(&Command::Gate { step: None, passed: true }),
            Mode::Running => {
                let due = bench.next_due().expect("something is waited for");
                bench.advance_to(due.ms());
                None
            }
            Mode::NotReady | Mode::Completed | Mode::Failed => return,
        };
        assert_eq!(refused, None, "{:?}", bench.app.run.mode);
    }
    // A plan that goes in circles between gates and delays takes its time until the guard ends it.
    assert_eq!(bench.command(&Command::Abandon), None);
}

/// Paths of all elements.
fn elements(view: &ServiceView) -> Vec<ElementPath> {
    let plan = view.plans.first().expect("a plan");
    let mut all = vec![view.path(&plan.name)];
    for phase in &plan.phases {
        let path = ElementPath { phase: Some(phase.name.clone()), ..view.path(&plan.name) };
        all.push(path.clone());
        all.extend(
            phase.steps.iter().map(|step| ElementPath { step: Some(step.key().clone()), ..path.clone() }),
        );
    }
    all
}

/// Returns whether an input would be accepted, tried on a copy.
fn is_accepted(bench: &Bench, gates: &[String], input: &Input) -> bool {
    if let Input::ClearFault(clear) = input {
        return bench.fleet().faults().iter().any(|fault| *fault.id == *clear.id);
    }
    let verdicts = gates
        .iter()
        .flat_map(|gate| [true, false].map(|passed| Command::Gate { step: Some(gate.clone()), passed }));
    let mut commands = vec![
        Command::Start { paused: false, interactive: None },
        Command::Pause,
        Command::Resume,
        Command::Step,
        Command::Abandon,
        Command::Reset,
    ];
    commands.extend(verdicts);
    let command = commands.iter().find(|command| crate::views::input(&bench.app.run, command) == *input);
    let command = command.unwrap_or_else(|| panic!("an input that no command has: {input:?}"));
    bench.clone().command(command).is_none()
}

/// Asserts that views kept equal views built, that explanations are there, and that actions do as they promise.
fn look(bench: &Bench, gates: &[String]) {
    let app = &bench.app;
    let view = crate::views::view(app, &|machine| app.hosts.get(machine));
    let mut anew = app.clone();
    anew.cache = crate::views::ViewCache::default();
    let fresh = crate::views::view(&anew, &|machine| app.hosts.get(machine));
    assert_eq!(bare(&view), bare(&fresh), "a view that was kept");
    for path in elements(&view) {
        let why = crate::views::why(app, &path, bench.fleet(), bench.cx.now())
            .unwrap_or_else(|| panic!("no why for {path:?}"));
        assert!(!why.reasons.is_empty() && !why.sentence.is_empty(), "{path:?}: {why:?}");
        assert!(why.reasons.iter().all(|reason| !reason.text.is_empty()), "{path:?}: {why:?}");
        for remedy in &why.unblock {
            let input = remedy.input.as_ref().unwrap_or_else(|| panic!("{remedy:?}"));
            assert!(is_accepted(bench, gates, input), "{path:?} {:?}: {remedy:?}", app.run.mode);
        }
    }
    let plan = view.plans.first().expect("a plan");
    assert!(plan.progress.done <= plan.progress.total);
    let offered = plan
        .actions
        .iter()
        .chain(plan.phases.iter().flat_map(|phase| &phase.steps).flat_map(|step| step.actions.iter()));
    for action in offered {
        assert_eq!(
            is_accepted(bench, gates, &action.input),
            action.refused.is_none(),
            "{:?}: {action:?}",
            app.run.mode
        );
    }
}

/// A view without revisions.
fn bare(view: &ServiceView) -> serde_json::Value {
    fn strip(value: &mut serde_json::Value) {
        match value {
            serde_json::Value::Object(map) => {
                map.remove("revision");
                map.values_mut().for_each(strip);
            }
            serde_json::Value::Array(all) => all.iter_mut().for_each(strip),
            _ => {}
        }
    }
    let mut value = serde_json::to_value(view).expect("JSON");
    strip(&mut value);
    value
}

proptest! {
    #![proptest_config(cases(60))]

    #[test]
    fn any_run_can_be_viewed_and_brought_to_an_end(seed in any::<u64>(), machines in 0_u32..4) {
        let (mut bench, gates) = bench(seed, machines);
        let mut dice = Dice::new(seed ^ 0xABCD);
        for deed in deeds(&mut dice, &gates, u64::from(machines), 25) {
            carry_out(&mut bench, &deed);
            look(&bench, &gates);
        }
        to_the_end(&mut bench);
        look(&bench, &gates);
    }

    #[test]
    fn the_same_inputs_have_the_same_outcome(seed in any::<u64>(), machines in 0_u32..4) {
        let (mut first, gates) = bench(seed, machines);
        let all = deeds(&mut Dice::new(seed ^ 0x1234), &gates, u64::from(machines), 30);
        let mut second = None;
        for (at, deed) in all.iter().enumerate() {
            // A copy behaves like the original, and does not affect it.
            if at == 10 {
                second = Some(first.clone());
            }
            carry_out(&mut first, deed);
        }
        let mut second = second.expect("a copy");
        for deed in all.iter().skip(10) {
            carry_out(&mut second, deed);
        }
        let mut third = bench(seed, machines).0;
        for deed in &all {
            carry_out(&mut third, deed);
        }
        for other in [&second, &third] {
            prop_assert_eq!(first.log_from(0), other.log_from(0));
            prop_assert_eq!((first.trace(), first.steps(), first.instances()), (other.trace(), other.steps(), other.instances()));
            prop_assert!(first.cx.pending() == other.cx.pending(), "the same events");
        }
    }
}

proptest! {
    #![proptest_config(cases(150))]

    #[test]
    fn generated_plans_lead_to_the_model(seed in any::<u64>(), machines in 0_u32..4) {
        let mut dice = Dice::new(seed);
        let text = surroundings(&mut dice);
        let loaded = load(&request(&text));
        prop_assert!(!findings(&loaded).iter().any(|line| line.contains(" error")), "{:#?}\n{}", findings(&loaded), text);
        let mut bench = Bench::with_machines(&text, machines);
        if bench.app.run.mode == Mode::Ready {
            // A generated plan can be loaded as a file and does the same.
            let brought = format!("{}\n{text}", bench.app.prepared.text);
            let mut other = Bench::with_machines(&brought, machines);
            other.start();
            bench.start();
            other.finish();
            bench.finish();
            // What does not run keeps its place in a plan that is brought.
            if !text.contains("stopped") {
                prop_assert_eq!(bench.trace(), other.trace(), "{}", brought);
            }
            prop_assert_eq!(bench.app.run.mode, Mode::Completed, "{}\n{:#?}", brought, bench.log_from(0));
        }
        let model = bench.app.blueprint.definition.model.clone().expect("a model");
        for component in &model.components {
            let id = bench.app.blueprint.component_id(&component.name).expect("a component");
            let runs = |one: &crate::instances::Instance| one.state == crate::instances::InstanceState::Running;
            let all: Vec<_> =
                bench.app.instances.iter().filter(|(slot, one)| slot.component == id && runs(one)).collect();
            prop_assert_eq!(all.len() as u64, component.replicas, "{}\n{}", text, bench.instances());
            prop_assert!(all.iter().all(|(_, one)| Some(&one.image) == component.image.as_ref()), "{}\n{}", text, bench.instances());
        }
        // Having arrived, there is nothing to be done.
        prop_assert_eq!(bench.command(&Command::Reset), None);
        prop_assert_eq!(bench.app.run.mode, Mode::NotReady, "{}\n{}", text, bench.instances());
    }
}
