//! Random sequences of inputs, advances, seeks and branches: nothing panics or hangs, and every state equals the
//! replay of its journal.

#![expect(clippy::indexing_slicing, reason = "helpers of tests")]

#[expect(dead_code, reason = "every test binary uses its own part of this")]
mod common;

use common::{HELLO, assert_same, engine, input, load, stand};
use planarium_protocol::Input;
use planarium_world::{Condition, Engine};
use proptest::prelude::*;

/// Operations of a random user.
#[derive(Clone, Debug)]
enum Deed {
    Put(usize),
    For(u64),
    Events(u64),
    StatusChange,
    UntilIdle(u64),
    SeekMs(u64),
    SeekSeq(u64),
    Back(u64),
    Switch(u32),
}

/// Valid and invalid inputs to choose from.
fn inputs() -> Vec<Input> {
    let mut all: Vec<Input> = [
        r#"{"kind":"add-agent","count":2,"resources":{"cpus":4,"mem":8192,"disk":20000}}"#,
        r#"{"kind":"add-agent","hostname":"agent-1"}"#,
        r#"{"kind":"add-agent","count":0}"#,
        r#"{"kind":"add-agent","resources":{"ports":"[7-3]"}}"#,
        r#"{"kind":"add-agent","hostname":"h{n}","count":2,"attributes":{"rack":"r1"},"roles":{"x":{"cpus":1}}}"#,
        r#"{"kind":"add-agent","count":4000000000}"#,
        r#"{"kind":"remove-agent","agent":"agent-1"}"#,
        r#"{"kind":"remove-agent","agent":""}"#,
        r#"{"kind":"fault","fault":"agent-lost","target":{"agent":"agent-2"},"for_ms":40000}"#,
        r#"{"kind":"fault","fault":"agent-lost","target":{"agent":"*"}}"#,
        r#"{"kind":"fault","fault":"agent-partitioned","target":{"agent":"agent-*"},"for_ms":90000}"#,
        r#"{"kind":"fault","fault":"agent-restart","target":{"agent":"agent-1"},"for_ms":3000}"#,
        r#"{"kind":"fault","fault":"agent-full","target":{"agent":"agent-2"},"for_ms":20000}"#,
        r#"{"kind":"fault","fault":"task-fail","target":{"task":"*"}}"#,
        r#"{"kind":"fault","fault":"task-kill","target":{"pod":"world"},"count":1}"#,
        r#"{"kind":"fault","fault":"task-oom","target":{"task":"hello-0-server"}}"#,
        r#"{"kind":"fault","fault":"crash-loop","id":"loop","target":{"pod":"hello-0"},"for_ms":60000}"#,
        r#"{"kind":"fault","fault":"slow-start","delay_ms":60000,"probability":0.5}"#,
        r#"{"kind":"fault","fault":"hang","target":{"task":"world-1-server"}}"#,
        r#"{"kind":"fault","fault":"readiness-fail","target":{"pod":"world"},"for_ms":30000}"#,
        r#"{"kind":"fault","fault":"health-fail","target":{"pod":"*"},"for_ms":30000}"#,
        r#"{"kind":"fault","fault":"image-missing","target":{"service":"hello-world"},"count":2}"#,
        r#"{"kind":"fault","fault":"plugin-fail"}"#,
        r#"{"kind":"fault","fault":"offers-withheld","id":"hold","for_ms":15000}"#,
        r#"{"kind":"fault","fault":"status-dropped","for_ms":10000}"#,
        r#"{"kind":"fault","fault":"scheduler-restart"}"#,
        r#"{"kind":"fault","fault":"master-failover"}"#,
        r#"{"kind":"clear-fault","id":"loop"}"#,
        r#"{"kind":"clear-fault","id":"fault-1"}"#,
        r#"{"kind":"process-behaviour","behaviour":{"manual":true}}"#,
        r#"{"kind":"process-behaviour","target":{"pod":"hello"},"behaviour":{"start_ms":0,"exit_after_ms":10}}"#,
        r#"{"kind":"process-behaviour","target":{"pod":"world"},"behaviour":{"readiness":[1,1,0]}}"#,
        r#"{"kind":"task-status","task":"hello-0-server","state":"TASK_RUNNING"}"#,
        r#"{"kind":"task-status","task":"hello-0-server","state":"TASK_FAILED"}"#,
        r#"{"kind":"task-status","task":"world-0-server","state":"TASK_RUNNING","readiness_exit":0}"#,
        r#"{"kind":"task-status","task":"world-0-server","state":"TASK_NONSENSE"}"#,
        r#"{"kind":"offer-round"}"#,
        r#"{"kind":"offer-round","agents":["agent-2","agent-2","nobody"]}"#,
        r#"{"kind":"plan","service":"hello-world","plan":"deploy","op":"interrupt"}"#,
        r#"{"kind":"plan","service":"hello-world","plan":"deploy","op":"continue"}"#,
        r#"{"kind":"plan","service":"hello-world","plan":"deploy","op":"restart"}"#,
        r#"{"kind":"plan","service":"hello-world","plan":"deploy","op":"force-complete","phase":"world"}"#,
        r#"{"kind":"plan","service":"hello-world","plan":"deploy","op":"restart","phase":"hello","step":"hello-0:[server]"}"#,
        r#"{"kind":"plan","service":"hello-world","plan":"recovery","op":"interrupt"}"#,
        r#"{"kind":"plan","service":"hello-world","plan":"deploy","op":"stop"}"#,
        r#"{"kind":"plan","service":"hello-world","plan":"nothing","op":"start"}"#,
        r#"{"kind":"pod","service":"hello-world","pod":"hello-0","op":"restart"}"#,
        r#"{"kind":"pod","service":"hello-world","pod":"world-1","op":"replace"}"#,
        r#"{"kind":"pod","service":"hello-world","pod":"hello-0","op":"pause"}"#,
        r#"{"kind":"remove-service","name":"hello-world","force":true}"#,
        r#"{"kind":"remove-service","name":"hello-world"}"#,
        r#"{"kind":"call","method":"GET","path":"/"}"#,
        r#"{"kind":"maintenance","op":"drain"}"#,
        r#"{"kind":"maintenance","op":"schedule-add","body":{"windows":[{"machine_ids":[{"hostname":"agent-1","ip":"10.0.0.1"},{"hostname":"agent-2","ip":"10.0.0.2"}],"unavailability":{"start":{"in_ms":5000}}}]}}"#,
        r#"{"kind":"maintenance","op":"down","body":[{"hostname":"agent-1","ip":"10.0.0.1"}]}"#,
        r#"{"kind":"maintenance","op":"up","body":[{"hostname":"agent-1","ip":"10.0.0.1"}]}"#,
        r#"{"kind":"maintenance","op":"schedule","body":{}}"#,
        r#"{"kind":"maintenance","op":"drain","body":{"agent_id":{"value":"agent-2"}}}"#,
        r#"{"kind":"maintenance","op":"reactivate","body":{"agent_id":{"value":"agent-2"}}}"#,
        r#"{"kind":"maintenance","op":"gone","body":{"agent_id":{"value":"agent-3"}}}"#,
        r#"{"kind":"framework","op":"add","name":"stubborn","roles":["stubborn"],"policy":"decline"}"#,
    ]
    .iter()
    .map(|json| input(json))
    .collect();
    let hello = load(HELLO);
    for _ in 0..6 {
        all.push(hello.clone());
    }
    all.push(load(&HELLO.replace("world", "planet")));
    all.push(load("pods: 7"));
    for text in [
        HELLO.replace("cpus: 0.5", "cpus: 0.7"),
        HELLO.replace("count: 2", "count: 3"),
        HELLO.replace("count: 2", "count: 1\n    allow-decommission: true"),
    ] {
        if let Input::LoadService(update) = load(&text) {
            all.push(Input::UpdateService(update));
        }
    }
    all
}

fn deed() -> impl Strategy<Value = Deed> {
    prop_oneof![
        10 => (0..inputs().len()).prop_map(Deed::Put),
        3 => (0..20_000_u64).prop_map(Deed::For),
        1 => Just(Deed::For(200_000)),
        1 => (0..20_u64).prop_map(Deed::Events),
        1 => Just(Deed::StatusChange),
        1 => (0..300_000_u64).prop_map(Deed::UntilIdle),
        1 => (0..400_000_u64).prop_map(Deed::SeekMs),
        1 => (0..600_u64).prop_map(Deed::SeekSeq),
        1 => (1..6_u64).prop_map(Deed::Back),
        1 => (1..6_u32).prop_map(Deed::Switch),
    ]
}

fn carry_out(engine: &mut Engine, all: &[Input], deed: &Deed) {
    match deed {
        Deed::Put(nth) => {
            engine.apply(all[*nth].clone());
        }
        Deed::For(ms) => {
            let to = engine.now_ms() + ms;
            assert_eq!(engine.advance_for(*ms).now_ms, to);
        }
        Deed::Events(n) => {
            engine.advance_events(*n);
        }
        Deed::StatusChange => {
            engine.advance_status_change();
        }
        Deed::UntilIdle(limit_ms) => {
            let advanced = engine.run_until(&Condition::Idle, *limit_ms);
            assert!(advanced.met == advanced.idle, "{advanced:?}");
        }
        Deed::SeekMs(ms) => {
            engine.seek_ms(*ms);
            assert_eq!(engine.now_ms(), (*ms).min(engine.head_ms()));
        }
        Deed::SeekSeq(seq) => {
            engine.seek_seq(*seq);
            assert!(engine.seq() >= (*seq).min(engine.head_seq()));
        }
        Deed::Back(steps) => {
            for _ in 0..*steps {
                let (seq, now_ms) = (engine.seq(), engine.now_ms());
                let went = engine.step_back();
                assert!(engine.seq() <= seq && engine.now_ms() <= now_ms);
                assert!(went || (engine.seq(), engine.now_ms()) == (seq, now_ms), "it stays where it is");
            }
        }
        Deed::Switch(id) => {
            let known = engine.branches().iter().any(|branch| branch.id == *id);
            assert_eq!(engine.switch_branch(*id), known);
        }
    }
    let seq = engine.seq();
    assert_eq!(engine.events().len() as u64, seq);
    assert!(engine.events().last().is_none_or(|last| last.seq == seq && last.at_ms <= engine.now_ms()));
    assert!(engine.now_ms() <= engine.head_ms());
}

/// Sequences per run; `PROPTEST_CASES` asks for more.
fn cases() -> u32 {
    std::env::var("PROPTEST_CASES").ok().and_then(|text| text.parse().ok()).unwrap_or(48)
}

proptest! {
    #![proptest_config(ProptestConfig { max_shrink_iters: 200, ..ProptestConfig::with_cases(cases()) })]

    #[test]
    fn every_state_equals_the_replay_of_its_journal(deeds in prop::collection::vec(deed(), 1..40)) {
        let all = inputs();
        let mut live = engine();
        for deed in &deeds {
            carry_out(&mut live, &all, deed);
            live.view();
        }
        // Compare the cursor's state with a replay from a checkpoint and from zero.
        let here = stand(&live);
        live.seek_ms(live.head_ms() / 2);
        live.seek_ms(u64::MAX);
        let head = stand(&live);
        let replayed = Engine::from_journal(&live.journal()).expect("own journal");
        assert_same(&head, &stand(&replayed), "from zero");
        let mut replayed = replayed;
        let seq = here.events.len() as u64;
        replayed.seek_seq(seq);
        replayed.seek_ms(replayed.now_ms().max(here.now_ms));
        live.seek_ms(here.now_ms);
        live.seek_ms(replayed.now_ms());
        assert_same(&stand(&live), &stand(&replayed), "cursor");
        // Every branch is one, too.
        for branch in live.branches() {
            prop_assert!(live.switch_branch(branch.id));
            live.seek_ms(u64::MAX);
            let replayed = Engine::from_journal(&live.journal()).expect("own journal");
            assert_same(&stand(&live), &stand(&replayed), "branch");
        }
    }

    #[test]
    fn seeking_any_event_equals_a_fresh_run(
        deeds in prop::collection::vec(deed(), 5..40),
        wanted in prop::collection::vec((0..u64::MAX, 0..4_u64), 1..8),
    ) {
        let all = inputs();
        let mut live = engine();
        for deed in &deeds {
            carry_out(&mut live, &all, deed);
        }
        for branch in live.branches() {
            prop_assert!(live.switch_branch(branch.id));
            let whole = live.journal();
            for (seq, back) in &wanted {
                live.seek_seq(seq % (live.head_seq() + 1));
                // Also compare after some steps back.
                for _ in 0..*back {
                    live.step_back();
                }
                let inputs = live.inputs();
                let mut cut = whole.clone();
                cut.entries.retain(|entry| entry.seq <= inputs);
                cut.end_ms = live.now_ms();
                cut.end_seq = Some(live.seq());
                let fresh = Engine::from_journal(&cut).expect("a part of its own journal");
                assert_same(&stand(&live), &stand(&fresh), "a place");
            }
        }
    }
}
