//! Remedies: every remedy in an explanation of any system has its promised effect.
//!
//! Worlds are the examples of all systems, stopped at some moment and disturbed, and services of KUDO and Kubernetes that lack objects
//! or room.

use crate::checks::{config, read, shown};
use crate::lacking::{names, object_of, poor, unmade};
use planarium_protocol::event::ElementPath;
use planarium_protocol::view::StatusClass;
use planarium_protocol::why::{ReasonKind, Unblock, Why};
use planarium_protocol::{EventBody, Input, Text};
use planarium_scenario::{Player, parse};
use planarium_world::Engine;
use proptest::prelude::*;
use proptest::sample::select;
use serde_json::{Value, json};

/// Time after which a remedy without an effect at once has to show one. *Units*: milliseconds.
const SETTLE_MS: u64 = 30_000;
/// Time within which a waiting element is told of a status set by hand. *Units*: milliseconds.
const HEARD_MS: u64 = 100;
/// Time within which the reason disappears after its object was created: the kubelet tries volumes again after two minutes. *Units*:
/// milliseconds.
const MADE_MS: u64 = 200_000;
/// Remedies tried in a world.
const TRIED: usize = 12;
/// Rounds in which everything that helps is done.
const ROUNDS: usize = 8;

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

/// Disturbs a world: the machine of a fault is an existing one, and "again" loads a definition again.
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

/// Returns the explanation of an element; empty if it no longer exists.
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

/// Steps, then phases, then plans, so that a remedy is tried closest to its cause.
fn elements(engine: &Engine) -> Vec<ElementPath> {
    let view = engine.view();
    let (mut steps, mut phases, mut plans) = (Vec::new(), Vec::new(), Vec::new());
    for service in &view.services {
        for plan in &service.plans {
            let whole = ElementPath {
                dialect: service.dialect.clone(),
                service: service.name.clone(),
                plan: plan.name.clone(),
                phase: None,
                step: None,
            };
            for phase in &plan.phases {
                let part = ElementPath { phase: Some(phase.name.clone()), ..whole.clone() };
                let of_step = |key: &Text| ElementPath { step: Some(key.clone()), ..part.clone() };
                steps.extend(phase.steps.iter().map(|step| of_step(step.key())));
                phases.push(part);
            }
            plans.push(whole);
        }
    }
    [steps, phases, plans].concat()
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
    for path in elements(engine) {
        let Some(why) = engine.why(&path) else { continue };
        add(Place::Element(path), texts(&why), why.unblock);
    }
    let view = engine.view();
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

/// Returns the reason that still misses an object some time after it was created: an earlier one that names it, or one that does not find it.
fn still_said(engine: &mut Engine, place: &Place, before: &[String], name: &str) -> Option<String> {
    let misses = |text: &String| {
        let absent = text.contains("not found") || text.contains("couldn't find");
        names(text, name) && (absent || before.contains(text))
    };
    let until = engine.now_ms() + MADE_MS;
    loop {
        let left = said(engine, place).into_iter().find(misses)?;
        if engine.now_ms() >= until {
            return Some(format!("it still says: {left}"));
        }
        engine.advance_for(10_000);
    }
}

/// Returns the reason that still says some time after machines were added that pods do not fit, unless others wait for room there as well.
fn no_room(engine: &mut Engine, place: &Place) -> Option<String> {
    let short =
        |engine: &Engine| said(engine, place).into_iter().find(|text| text.contains(" Insufficient "));
    short(engine)?;
    engine.advance_for(SETTLE_MS);
    short(engine).filter(|_| engine.view().services.len() == 1)
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
            if machines(engine).iter().all(|machine| known.contains(machine)) {
                return Some("there is no other machine".to_owned());
            }
            no_room(engine, place)
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
        Input::Call(call) if object_of(call).is_some() => {
            unmade(engine, call).or_else(|| still_said(engine, place, before, object_of(call)?))
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

/// Every explanation of a world, for messages.
fn whys(engine: &Engine) -> Vec<Vec<String>> {
    elements(engine).into_iter().map(|path| said(engine, &Place::Element(path))).collect()
}

/// Tries the remedies of a world one by one; the first failure, in words.
fn tried(engine: &mut Engine, first: usize) -> Option<String> {
    let place = engine.place();
    let offered = offered(engine);
    engine.advance_for(SETTLE_MS);
    let without = shown(engine);
    let from = first.checked_rem(offered.len()).unwrap_or_default();
    for one in offered.iter().cycle().skip(from).take(offered.len().min(TRIED)) {
        assert!(engine.go_to_place(place), "the world can go back");
        if let Some(failed) = unkept(engine, one, &without) {
            let Offer { place, said, remedy } = one;
            return Some(format!(
                "{failed}: {} ({:?}, of {place:?}, which said {said:#?})",
                remedy.title, remedy.input
            ));
        }
    }
    None
}

proptest! {
    #![proptest_config(config(24))]

    #[test]
    fn every_remedy_has_its_promised_effect(
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
        let failed = tried(&mut engine, usize::try_from(seed).unwrap_or_default());
        prop_assert!(failed.is_none(), "{}", failed.unwrap_or_default());
    }

    #[test]
    fn every_remedy_of_a_service_that_lacks_something_has_its_promised_effect(poor in poor()) {
        let mut engine = poor.world();
        let failed = tried(&mut engine, 0);
        prop_assert!(failed.is_none(), "{}", failed.unwrap_or_default());
    }

    #[test]
    fn all_remedies_together_complete_a_service_that_lacks_something(poor in poor()) {
        prop_assume!(poor.can_be_helped());
        let mut engine = poor.world();
        let mut done = Vec::new();
        for _ in 0..ROUNDS {
            for offer in offered(&engine) {
                let helps = match &offer.remedy.input {
                    Some(Input::Call(call)) => object_of(call).is_some() || call.method == "DELETE",
                    Some(Input::AddAgent(_)) => true,
                    _ => false,
                };
                if let Some(input) = offer.remedy.input.filter(|_| helps && !done.contains(&offer.remedy.title)) {
                    prop_assert!(engine.apply(input).outcome.is_ok(), "{} is refused", offer.remedy.title);
                    done.push(offer.remedy.title);
                }
            }
            engine.advance_for(MADE_MS);
        }
        prop_assert!(!done.is_empty(), "nothing is offered: {:?}", whys(&engine));
        let view = engine.view();
        for service in &view.services {
            for plan in &service.plans {
                let class = service.class(&plan.status);
                prop_assert_eq!(class, StatusClass::Done, "{} is {} after {:?}: {:#?}", plan.name, plan.status, done, whys(&engine));
            }
        }
    }
}
