//! Ways out for stuck elements, as reported to the page.

use super::play_for as play;
use crate::store::Hub;
use crate::store::action::Action;
use crate::store::ptr::Ptr;
use crate::store::selectors::faults::{self, Dare};
use crate::store::selectors::{status, stuck, tree};
use crate::store::ways_out::WaysOut;
use planarium_kernel::SortedSet;
use planarium_protocol::Input;
use planarium_protocol::why::{Helps, ReasonKind};

fn page(example: &str) -> Hub {
    super::opened("", Some(example))
}

fn tried(hub: &Hub) -> Ptr<WaysOut> {
    for _ in 0..200 {
        if !hub.state().help.trying() {
            break;
        }
        hub.send(Action::TryHelp);
    }
    assert!(!hub.state().help.trying(), "trials end");
    hub.state().help.clone()
}

#[test]
fn at_five_seconds_of_the_first_example_ending_the_fault_is_offered_and_a_machine_is_not() {
    let hub = page("hello-world");
    play(&hub, 4_000);
    assert!(hub.state().world.clock.now_ms < 8_000);
    let help = tried(&hub);
    let held = help.selected().expect("the plan is held up");
    assert!(held.why.path.step.is_some(), "by a step: {:?}", held.why.path);
    let titles: Vec<&str> = held.ways.iter().map(|way| way.unblock.title.as_str()).collect();
    let best = held.best().expect("a way out");
    assert!(matches!(best.unblock.input, Some(Input::ClearFault(_))), "{titles:?}");
    assert!(!titles.iter().any(|title| title.contains("Add a machine")), "{titles:?}");
    // It has the offered effect.
    hub.send(Action::Do(Box::new(best.unblock.input.clone().expect("an input"))));
    play(&hub, 2_500);
    let state = hub.state();
    assert!(state.world.clock.now_ms < 8_000, "before the fault ends by itself");
    let status = tree::status_of(&state.world.view, &held.why.path).expect("the step");
    assert!(&*status != "PENDING" && &*status != "PREPARED", "{status}");
}

#[test]
fn after_a_lost_machine_its_return_and_a_replacement_are_offered() {
    let hub = page("lost-machine");
    play(&hub, 120_000);
    let state = hub.state();
    let open = |path: &planarium_protocol::event::ElementPath| &*path.plan == "recovery";
    let (path, _) = tree::steps(&state.world.view).find(|(path, _)| open(path)).expect("a recovery step");
    hub.send(Action::Select(path));
    let help = tried(&hub);
    let held = help.selected().expect("it waits");
    let moving = held.ways.iter().filter(|way| way.helps == Helps::Moves);
    let titles: Vec<&str> = moving.map(|way| way.unblock.title.as_str()).collect();
    assert!(titles.iter().any(|title| title.contains("power-cut")), "{titles:?}");
    assert!(
        !titles.iter().any(|title| title.contains("Add a machine")),
        "its volume is elsewhere: {titles:?}"
    );
}

#[test]
fn the_line_of_the_tree_and_the_explanation_agree() {
    for example in
        ["hello-world", "lost-machine", "crash-recovery", "no-room", "agent-gone", "quota-holds-a-place"]
    {
        let hub = page(example);
        for _ in 0..30 {
            play(&hub, 4_000);
            let state = hub.state();
            for (path, step) in tree::steps(&state.world.view) {
                if status::is_done(status::words(&path.dialect), &step.status) || step.reason.is_empty() {
                    continue;
                }
                hub.send(Action::Select(path.clone()));
                let why = hub.state().why.clone().expect("an answer");
                let kinds: Vec<&ReasonKind> = why.reasons.iter().map(|reason| &reason.kind).collect();
                let line = &*step.reason;
                let agrees = match () {
                    () if line.contains(" to end") => {
                        matches!(kinds.first(), Some(ReasonKind::Killing { .. }))
                    }
                    () if line.starts_with("no offer fits") => {
                        kinds.iter().any(|kind| matches!(kind, ReasonKind::NoMatchingOffer { .. }))
                    }
                    () if line == "waits for offers" => kinds.iter().any(|kind| {
                        matches!(
                            kind,
                            ReasonKind::NoOffers { .. }
                                | ReasonKind::Maintenance { .. }
                                | ReasonKind::NextCycle { .. }
                        )
                    }),
                    () => true,
                };
                assert!(
                    agrees,
                    "{example} at {}: {path:?} says {line:?}, why {kinds:?}",
                    state.world.clock.now_ms
                );
            }
        }
    }
}

#[test]
fn element_history_leads_back_to_an_input() {
    use crate::store::selectors::log;
    use planarium_kernel::cause::Cause;
    use planarium_protocol::EventBody;
    for example in [
        "hello-world",
        "lost-machine",
        "crash-recovery",
        "kudo-first-operator",
        "marathon-backoff",
        "quality-gate",
    ] {
        let hub = page(example);
        play(&hub, 60_000);
        let state = hub.state();
        let events = &state.world.log;
        for event in events.from(0).filter(|event| matches!(event.body, EventBody::ElementStatus { .. })) {
            let chain = log::chain(events, event.seq);
            let first = chain.last().expect("the event itself");
            assert!(
                matches!(first.cause, Cause::Input(_)),
                "{example}: event {} goes back to {first:?}",
                event.seq
            );
            assert!(log::shortened(chain).len() <= 13);
        }
    }
}

#[test]
fn stuck_elements_of_other_systems_get_a_way_out_too() {
    let hub = page("kudo-stuck-deploy");
    play(&hub, 60_000);
    // A command in the past opens a branch, on which no script continues.
    hub.send(Action::SeekMs(20_000));
    let small = br#"{"kind": "add-agent", "resources": {"cpus": 1, "mem": 1024, "disk": 10000}}"#;
    let small: Input = planarium_protocol::json::read(small).expect("an input");
    hub.send(Action::Do(Box::new(small)));
    assert!(hub.state().help.stuck().is_none(), "nobody knows yet");
    play(&hub, 60_000);
    let help = tried(&hub);
    let held = help.stuck().expect("the deployment is stuck");
    let best = held.best().expect("a way out");
    let titles: Vec<&str> = held.ways.iter().map(|way| way.unblock.title.as_str()).collect();
    assert!(best.unblock.title.contains("machine"), "{titles:?}");
}

#[test]
fn elements_that_will_move_on_their_own_are_not_stuck() {
    // The lost machine is not detected yet: that takes some time, and then the run continues on its own.
    let hub = page("lost-machine");
    play(&hub, 20_000);
    for _ in 0..12 {
        play(&hub, 10_000);
        let state = hub.state();
        let quiet = state.world.clock.now_ms - state.world.gantt.busy_ms;
        assert!(state.help.stuck().is_none() || quiet >= 30_000, "at {}", state.world.clock.now_ms);
    }
}

#[test]
fn two_stuck_plans_of_two_systems_have_a_chip_and_a_way_out_each() {
    let hub = page("hello-world");
    hub.send(Action::OpenFiles(vec![
        (
            "two.planarium.yaml".into(),
            "title: Two\nseed: 1\nservices:\n  - files: [big.yml]\n  - files: [wide.json]\n".into(),
        ),
        ("big.yml".into(), super::TYPED.replace("typed", "big").replace("cpus: 0.5", "cpus: 24")),
        (
            "wide.json".into(),
            r#"{"id": "/wide", "cmd": "./wide", "cpus": 48, "mem": 64, "instances": 1}"#.into(),
        ),
    ]));
    play(&hub, 240_000);
    let help = tried(&hub);
    let systems: Vec<&str> = help.all_stuck().map(|held| &*held.why.path.dialect).collect();
    assert_eq!(systems, ["sdk", "marathon"]);
    assert_eq!(help.stuck().map(|held| &held.why.path), help.all_stuck().next().map(|held| &held.why.path));
    let shape = |toggled| tree::Shape { toggled: Ptr::new(toggled), filter: String::new() };
    let chips = |toggled: SortedSet<_>| {
        let rows = tree::window(&hub.state().world.view.services, &shape(toggled), 0, 1000).rows;
        let chips = rows.into_iter().filter_map(|row| Some((stuck::chip(&help, &row)?, row.path)));
        chips.collect::<Vec<_>>()
    };
    let open = chips(SortedSet::new());
    assert_eq!(open.len(), 2, "{open:?}");
    for (chip, path) in &open {
        assert!(chip.way.is_some() && !chip.cause.is_empty(), "{path:?}: {chip:?}");
    }
    // The chip of an element in a closed row is at that row.
    let services = hub.state().world.view.services.iter().map(|it| tree::service_path(it)).collect();
    let shut = chips(services);
    assert_eq!(
        shut.iter().map(|(chip, _)| chip).collect::<Vec<_>>(),
        open.iter().map(|(chip, _)| chip).collect::<Vec<_>>()
    );
    assert!(shut.iter().all(|(_, path)| path.plan.is_empty()), "{shut:?}");
    // The way out of the second gets the second going.
    let (second, path) = &open[1];
    let (_, input) = second.way.clone().expect("a way out");
    hub.send(Action::Do(Box::new(input)));
    play(&hub, 60_000);
    let all: Vec<_> = hub.state().help.all_stuck().map(|held| held.why.path.clone()).collect();
    assert!(!all.contains(path), "{all:?}");
}

#[test]
fn a_gate_that_waits_and_a_failed_plan_of_skopos_are_stuck() {
    let hub = page("ask-first");
    play(&hub, 60_000);
    let step = |hub: &Hub| {
        tried(hub).stuck().and_then(|held| held.why.path.step.clone()).map(|step| step.to_string())
    };
    assert_eq!(step(&hub).as_deref(), Some("ask"), "the script answers after five minutes only");
    play(&hub, 600_000);
    let state = hub.state();
    let plan = tree::unfinished(&state.world.view).expect("a failed plan is not finished");
    assert_eq!(tree::status_of(&state.world.view, &plan).as_deref(), Some("failed"));
    assert!(tried(&hub).stuck().is_some());
}

#[test]
fn a_cancelled_deployment_of_marathon_is_not_stuck() {
    let hub = page("marathon-rollback");
    play(&hub, 1_200_000);
    let state = hub.state();
    let has = |word: &str| {
        let mut plans = state.world.view.services.iter().flat_map(|service| &service.plans);
        plans.any(|plan| *plan.status == *word)
    };
    assert!(has("Canceled") && has("Running"));
    assert_eq!(tree::unfinished(&state.world.view), None);
    assert!(tried(&hub).stuck().is_none());
}

#[test]
fn a_dare_is_announced_before_it_can_be_taken_and_says_when_it_is_noticed() {
    let hub = page("web-shop");
    assert_eq!(faults::dare(&hub.state().world.view), Some(Dare::Later));
    play(&hub, 3_000);
    let Some(Dare::Now(machine, fault)) = faults::dare(&hub.state().world.view) else {
        panic!("something runs")
    };
    hub.send(Action::Do(Box::new(Input::Fault(*fault))));
    let state = hub.state();
    let Some(Dare::Lost(lost, _, at_ms)) = faults::dare(&state.world.view) else { panic!("it is lost") };
    assert_eq!(*lost, *machine);
    // At the speed that a dare brings, it is noticed within a quarter of a minute.
    let wait_ms = at_ms - state.world.clock.now_ms;
    assert!(wait_ms > 0 && wait_ms <= 15_000 * 8, "{wait_ms}");
    hub.send(Action::SeekMs(at_ms));
    assert_eq!(faults::dare(&hub.state().world.view), None);
}
