//! Several services, frameworks from outside and every kind of input at once, with steps back, seeks and branches in between.

use crate::checks::{Revisions, assert_same, config, cut_alike, read, shown, wrong};
use crate::deeds::{Deed, deeds, input, load};
use crate::definitions::variant;
use planarium_protocol::{Event, EventBody};
use planarium_tests::same::difference;
use planarium_world::{Condition, Engine, Genesis, Journal};
use proptest::prelude::*;
use serde_json::{Value, json};

/// Machines in two zones, with disks, GPUs and a reserved part; two services on one framework and a separate one.
fn engine(seed: u64) -> Engine {
    let mut engine = Engine::new(Genesis { seed, ..Genesis::default() });
    let machines = |zone: &str, more: Value| {
        let mut input = json!({ "kind": "add-agent", "count": 2, "hostname": "m-{n}", "region": "r1", "zone": zone, "resources": more });
        for (key, value) in
            [("cpus", json!(2)), ("mem", json!(1024)), ("disk", json!(5000)), ("ports", json!("[1025-1040]"))]
        {
            input["resources"][key] = value;
        }
        input
    };
    let mut public = machines("z2", json!({ "gpus": 1 }));
    public["roles"] = json!({ "slave_public": { "cpus": 1, "mem": 256, "ports": "[80-81]", "disk": 100 } });
    let disks = json!([{ "type": "MOUNT", "path": "/m0", "size": 200 }, { "type": "MOUNT", "path": "/m1", "size": 200, "profile": "xfs" }]);
    let inputs = [
        machines("z1", json!({ "disks": disks })),
        public,
        load("load-service", "solo", "", &variant(0)),
        load("load-service", "/shop/cart", "shop", &variant(0)),
        load("load-service", "/shop/search", "shop", &variant(1 << 8)),
    ];
    for input in inputs {
        engine.apply(read(&input)).outcome.expect("the set-up");
    }
    engine
}

fn carry_out(engine: &mut Engine, deed: &Deed) -> Result<(), TestCaseError> {
    match deed {
        Deed::Put(input) => {
            let before = shown(engine);
            if engine.apply(read(input)).outcome.is_err() {
                prop_assert_eq!(
                    difference(&shown(engine), &before),
                    None,
                    "{} was refused and changed something",
                    input
                );
            }
        }
        Deed::For(ms) => {
            let to = engine.now_ms() + ms;
            prop_assert_eq!(engine.advance_for(*ms).now_ms, to);
        }
        Deed::Events(n) => {
            let to = engine.seq() + n;
            let advanced = engine.advance_events(*n);
            prop_assert!(!advanced.met || engine.seq() >= to);
        }
        Deed::StatusChange => {
            // What frameworks from outside do has no status: they may keep a world busy for a day without a change.
            let from_outside = |event: &Event| matches!(event.body, EventBody::FrameworkEvent { .. });
            if !engine.events().iter().any(from_outside) {
                engine.advance_status_change();
            }
        }
        Deed::UntilIdle(ms) => {
            let advanced = engine.advance_until_idle(*ms);
            prop_assert!(advanced.met == advanced.idle, "{:?}", advanced);
        }
        Deed::Until(text, ms) => {
            let end = engine.now_ms() + ms;
            engine.run_until(&Condition::parse(text).expect("a condition"), *ms);
            prop_assert!(engine.now_ms() <= end);
        }
        Deed::SeekMs(share) => {
            let ms = engine.head_ms() * u64::from(*share) / 255;
            engine.seek_ms(ms);
            prop_assert_eq!(engine.now_ms(), ms);
        }
        Deed::SeekSeq(share) => {
            let seq = engine.head_seq() * u64::from(*share) / u64::from(u16::MAX);
            engine.seek_seq(seq);
            prop_assert!(engine.seq() >= seq);
        }
        Deed::Back(steps) => {
            for _ in 0..*steps {
                let here = (engine.now_ms(), engine.seq());
                let went = engine.step_back();
                let there = (engine.now_ms(), engine.seq());
                prop_assert!((went && there <= here) || there == here);
            }
        }
        Deed::Switch(id) => {
            let known = engine.branches().iter().any(|branch| branch.id == *id);
            prop_assert_eq!(engine.switch_branch(*id), known);
        }
        Deed::Head => engine.seek_ms(u64::MAX),
    }
    Ok(())
}

/// Returns the replay of a journal, through JSON.
fn replayed(journal: &Journal) -> Result<Engine, TestCaseError> {
    let text = serde_json::to_string(journal).expect("JSON");
    let journal: Journal = serde_json::from_str(&text).expect("a journal");
    Engine::from_journal(&journal).map_err(|error| TestCaseError::fail(error.to_string()))
}

proptest! {
    #![proptest_config(config(10))]

    #[test]
    fn a_crowd_stays_consistent_after_any_inputs(seed in 0_u64..1000, deeds in deeds()) {
        let mut engine = engine(seed);
        let mut revisions = Revisions::default();
        for deed in &deeds {
            carry_out(&mut engine, deed)?;
            prop_assert_eq!(wrong(&engine), None, "after {:?}", deed);
            if matches!(deed, Deed::Put(input) if input["kind"] == "remove-service") {
                revisions = Revisions::default();
            }
            prop_assert_eq!(revisions.note(&engine), None, "after {:?}", deed);
        }
        // Its position equals that of a fresh run.
        let mut part = engine.journal();
        let inputs = engine.inputs();
        part.entries.retain(|entry| entry.seq <= inputs);
        let at_head = (engine.now_ms(), engine.seq()) == (engine.head_ms(), engine.head_seq());
        if !at_head {
            part.end_ms = engine.now_ms();
            part.end_seq = Some(engine.seq());
            part.end_quiet = 0;
            let fresh = replayed(&part)?;
            prop_assert_eq!((fresh.now_ms(), fresh.seq(), fresh.digest()), (engine.now_ms(), engine.seq(), engine.digest()));
        }
        // Every branch is the replay of its journal.
        for branch in engine.branches() {
            prop_assert!(engine.switch_branch(branch.id));
            engine.seek_ms(u64::MAX);
            let again = replayed(&engine.journal())?;
            assert_same(&again, &engine)?;
            prop_assert_eq!(again.journal(), engine.journal());
            prop_assert_eq!(again.clock().next_event_ms, engine.clock().next_event_ms);
            prop_assert_eq!(again.clock().idle, engine.clock().idle);
        }
    }

    #[test]
    fn splitting_an_advance_does_not_change_a_crowd(
        seed in 0_u64..1000,
        inputs in prop::collection::vec((0_u64..60_000, input()), 1..12),
        cuts in prop::collection::vec(1_u64..9_000, 1..40),
    ) {
        cut_alike([engine(seed), engine(seed)], &inputs, &cuts)?;
    }

    #[test]
    fn a_position_is_the_same_from_anywhere(
        seed in 0_u64..1000,
        deeds in deeds(),
        places in prop::collection::vec((any::<u16>(), any::<bool>()), 2..5),
    ) {
        let mut engine = engine(seed);
        for deed in &deeds {
            carry_out(&mut engine, deed)?;
        }
        engine.seek_ms(u64::MAX);
        let (head, journal) = (engine.digest(), engine.journal());
        for (place, by_seq) in places {
            let mut fresh = replayed(&journal)?;
            for engine in [&mut fresh, &mut engine] {
                if by_seq {
                    engine.seek_seq(engine.head_seq() * u64::from(place) / u64::from(u16::MAX));
                } else {
                    engine.seek_ms(engine.head_ms() * u64::from(place) / u64::from(u16::MAX));
                }
            }
            if by_seq {
                assert_same(&fresh, &engine)?;
            }
            prop_assert_eq!(wrong(&engine), None);
        }
        engine.seek_ms(u64::MAX);
        prop_assert_eq!(engine.digest(), head);
        prop_assert_eq!(engine.journal(), journal);
    }
}
