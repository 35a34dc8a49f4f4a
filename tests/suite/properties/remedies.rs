//! Remedies: whatever an explanation of any system offers changes what it promises.
//!
//! Worlds are the examples of all systems, stopped somewhere on their way and disturbed.

use crate::checks::{config, read, shown};
use planarium_protocol::event::ElementPath;
use planarium_protocol::why::{ReasonKind, Unblock, Why};
use planarium_protocol::{EventBody, Input};
use planarium_scenario::{Player, parse};
use planarium_world::Engine;
use proptest::prelude::*;
use proptest::sample::select;
use serde_json::{Value, json};

/// Time after which a remedy without an effect at once has to show one. *Units*: milliseconds.
const SETTLE_MS: u64 = 30_000;
/// Time within which who waits has heard of what was said. *Units*: milliseconds.
const HEARD_MS: u64 = 100;
/// Remedies tried in a world.
const TRIED: usize = 12;

/// An example of the gallery, played for a part of its run.
fn world(example: usize, seed: u64, permille: u64) -> Engine {
    let all = planarium_gallery::examples();
    let example = &all[example % all.len()];
    let file = |path: &str| {
        let found = example.files.iter().find(|(own, _)| *own == path);
        found.map(|(_, text)| (*text).to_owned())
    };
    let name = format!("{}.planarium.yaml", example.id);
    let mut scenario = parse(example.scenario, &name, &file).scenario.expect("a scenario");
    scenario.genesis.seed = seed;
    let (mut engine, mut player) = Player::start(scenario);
    player.advance_to(&mut engine, 200_000 * permille / 1000);
    engine
}

fn disturbance() -> impl Strategy<Value = Value> {
    let fault = select(vec![
        "task-fail",
        "task-kill",
        "crash-loop",
        "slow-start",
        "hang",
        "readiness-fail",
        "health-fail",
        "image-missing",
        "offers-withheld",
        "scheduler-restart",
        "master-failover",
    ]);
    let machine = select(vec!["agent-lost", "agent-partitioned", "agent-restart", "agent-full"]);
    let rule = select(vec![
        json!({ "manual": true }),
        json!({ "manual": true }),
        json!({ "manual": false }),
        json!({ "start_ms": 60_000 }),
        json!({ "readiness": [1], "health": [1] }),
        json!({ "exit_code": 1, "exit_after_ms": 3_000 }),
    ]);
    prop_oneof![
        3 => rule.prop_map(|behaviour| json!({
            "kind": "process-behaviour", "target": { "task": "*" }, "behaviour": behaviour })),
        3 => fault.prop_map(|fault| json!({ "kind": "fault", "fault": fault, "target": {} })),
        2 => (machine, 0_usize..4).prop_map(|(fault, at)| json!({ "kind": "fault", "fault": fault, "at": at })),
        2 => Just(json!({ "again": true })),
    ]
}

/// Disturbs a world: the machine of a fault is one that is there, and "again" loads a definition anew.
fn disturb(engine: &mut Engine, deed: &Value) {
    let view = engine.view();
    let mut deed = deed.clone();
    if let Some(at) = deed["at"].as_u64() {
        let machines = &view.cluster.machines;
        let Some(machine) = machines.get(usize::try_from(at).unwrap_or_default()) else { return };
        deed = json!({ "kind": "fault", "fault": deed["fault"], "target": { "agent": machine.hostname } });
    }
    if deed["again"] == true {
        let restarts =
            view.services.iter().flat_map(|service| &service.plans).flat_map(|plan| plan.actions.iter());
        let free: Vec<Input> =
            restarts.filter(|action| action.refused.is_none()).map(|action| action.input.clone()).collect();
        if let Some(input) = free.into_iter().next() {
            engine.apply(input);
        }
        return;
    }
    engine.apply(read(&deed));
}

/// The element or machine explained.
#[derive(Clone, Debug)]
enum Place {
    Element(ElementPath),
    Machine(String),
}

/// A remedy with the place whose explanation offers it, and what that says.
#[derive(Clone, Debug)]
struct Offer {
    place: Place,
    said: Vec<String>,
    remedy: Unblock,
}

/// Returns the explanation of a place; nothing where there is no such place any more.
fn said(engine: &Engine, place: &Place) -> Vec<String> {
    match place {
        Place::Element(path) => engine.why(path).map_or_else(Vec::new, |why| texts(&why)),
        Place::Machine(name) => engine
            .world()
            .why_machine(name)
            .map_or_else(Vec::new, |why| [vec![why.state.to_string(), why.sentence], why.reasons].concat()),
    }
}

fn texts(why: &Why) -> Vec<String> {
    std::iter::once(why.status.to_string())
        .chain(why.reasons.iter().map(|reason| reason.text.clone()))
        .collect()
}

/// Returns the remedies that explanations offer in a world.
fn offered(engine: &Engine) -> Vec<Offer> {
    let mut all: Vec<Offer> = Vec::new();
    let mut add = |place: Place, said: Vec<String>, unblock: Vec<Unblock>| {
        for remedy in unblock.into_iter().filter(|remedy| remedy.input.is_some()) {
            if all.iter().all(|known| known.remedy != remedy) {
                all.push(Offer { place: place.clone(), said: said.clone(), remedy });
            }
        }
    };
    let view = engine.view();
    for service in &view.services {
        for plan in &service.plans {
            for phase in &plan.phases {
                for step in &phase.steps {
                    let path = ElementPath {
                        dialect: service.dialect.clone(),
                        service: service.name.clone(),
                        plan: plan.name.clone(),
                        phase: Some(phase.name.clone()),
                        step: Some(step.key().clone()),
                    };
                    let Some(why) = engine.why(&path) else { continue };
                    add(Place::Element(path), texts(&why), why.unblock);
                }
            }
        }
    }
    for machine in &view.cluster.machines {
        let place = Place::Machine(machine.hostname.to_string());
        if let Some(why) = engine.world().why_machine(&machine.hostname) {
            add(place.clone(), said(engine, &place), why.unblock);
        }
    }
    all
}

/// Machines: their host names, with the ids of their agents where the world has a Mesos master.
fn machines(engine: &Engine) -> Vec<(String, String)> {
    let view = engine.view();
    let all = view.cluster.machines.iter();
    all.map(|machine| (machine.hostname.to_string(), machine.agent_id.to_string())).collect()
}

/// The state of a task as the cluster shows it.
fn state_of(engine: &Engine, task: &str) -> Option<String> {
    let view = engine.view();
    let mut all = view.cluster.machines.iter().flat_map(|machine| &machine.tasks);
    all.find(|one| *one.id == *task).map(|one| one.state.to_string())
}

/// A reason says that a task's readiness is waited for.
fn waits_for_readiness(why: &Why, task: &str) -> bool {
    why.reasons
        .iter()
        .any(|reason| matches!(&reason.kind, ReasonKind::Readiness { task: own, .. } if **own == *task))
}

/// A reason says that a task is not healthy.
fn waits_for_health(why: &Why, task: &str) -> bool {
    let text = format!("{task} runs and is not healthy yet");
    why.reasons.iter().any(|reason| reason.text.starts_with(&text))
}

/// Returns the promise that a remedy did not keep. `without` is the world after the same time without it.
fn unkept(engine: &mut Engine, offer: &Offer, without: &Value) -> Option<String> {
    let Offer { place, said: before, remedy } = offer;
    let input = remedy.input.clone()?;
    let (seq, known) = (engine.seq(), machines(engine));
    if let Err(refusal) = engine.apply(input.clone()).outcome {
        return Some(format!("it is refused: {refusal:?}"));
    }
    match &input {
        Input::ClearFault(clear) => {
            let left = engine.view().faults.iter().any(|fault| *fault.id == *clear.id);
            left.then(|| "the fault is still in force".to_owned())
        }
        Input::AddAgent(_) => {
            let is_new = machines(engine).iter().any(|machine| !known.contains(machine));
            (!is_new).then(|| "there is no other machine".to_owned())
        }
        Input::OfferRound(_) => {
            let offers = |body: &EventBody| matches!(body, EventBody::Offered { .. });
            let came = engine.events_since(seq).iter().any(|event| offers(&event.body));
            (!came).then(|| "nobody is offered anything".to_owned())
        }
        Input::TaskStatus(status) => {
            if let Some(state) = state_of(engine, &status.task).filter(|state| *state != status.state) {
                return Some(format!("the task is {state}"));
            }
            engine.advance_for(HEARD_MS);
            let Place::Element(path) = place else { return None };
            let now = engine.why(path)?;
            if status.readiness_exit == Some(0) && waits_for_readiness(&now, &status.task) {
                return Some("its readiness is still waited for".to_owned());
            }
            if status.healthy == Some(true) && waits_for_health(&now, &status.task) {
                return Some("its health is still waited for".to_owned());
            }
            None
        }
        _ => {
            if said(engine, place) != *before {
                return None;
            }
            engine.advance_for(SETTLE_MS);
            (shown(engine) == *without).then(|| "everything is as it would be without it".to_owned())
        }
    }
}

proptest! {
    #![proptest_config(config(24))]

    #[test]
    fn every_remedy_changes_what_it_promises(
        example in any::<usize>(),
        seed in 0_u64..1000,
        permille in 0_u64..1000,
        deeds in prop::collection::vec((disturbance(), 0_u64..40_000), 0..4),
    ) {
        let mut engine = world(example, seed, permille);
        for (deed, ms) in &deeds {
            disturb(&mut engine, deed);
            engine.advance_for(*ms);
        }
        let place = engine.place();
        let offered = offered(&engine);
        if !offered.is_empty() {
            engine.advance_for(SETTLE_MS);
            let without = shown(&engine);
            for one in offered.iter().take(TRIED) {
                prop_assert!(engine.go_to_place(place));
                let failed = unkept(&mut engine, one, &without);
                prop_assert!(failed.is_none(), "{}: {} ({:?}, of {:?})", failed.unwrap_or_default(), one.remedy.title, one.remedy.input, one.place);
            }
        }
    }
}
