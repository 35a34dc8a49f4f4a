//! Guarantees of the timeline: time, journals and branches, on a cluster with faults.

#[expect(dead_code, reason = "every test binary uses its own part of this")]
mod common;

use common::{Stand, accept, assert_same, engine, input, stand, with_cluster};
use planarium_kernel::Stretch;
use planarium_protocol::EventBody;
use planarium_protocol::refusal::RefusalCode;
use planarium_world::{Difference, Engine, Journal, ReplayError, SEMANTICS};

/// A cluster with occasional events.
fn eventful() -> Engine {
    let mut engine = with_cluster("3");
    engine.advance_to(1_500);
    accept(
        &mut engine,
        input(r#"{"kind":"fault","fault":"agent-lost","target":{"agent":"agent-1"},"for_ms":200000}"#),
    );
    engine.advance_to(20_000);
    accept(&mut engine, input(r#"{"kind":"add-agent","hostname":"late"}"#));
    engine.apply(input(r#"{"kind":"remove-agent","agent":"nobody"}"#));
    accept(
        &mut engine,
        input(r#"{"kind":"fault","fault":"agent-partitioned","target":{"agent":"agent-2"},"for_ms":30000}"#),
    );
    engine.advance_to(400_000);
    engine
}

#[test]
fn the_same_inputs_give_the_same_digest() {
    let (a, b) = (eventful(), eventful());
    assert_same(&stand(&a), &stand(&b), "twice");
    assert!(a.seq() > 10, "{}", a.seq());
    assert_eq!(a.digest().len(), 16);
    let mut other = Engine::new(planarium_world::Genesis { seed: 2, ..Default::default() });
    other.advance_to(1);
    assert_ne!(other.digest(), engine().digest(), "the seed is part of the digest");
}

#[test]
fn a_journal_replays_to_the_same_state() {
    let live = eventful();
    let text = serde_json::to_string(&live.journal()).expect("plain data");
    let journal: Journal = serde_json::from_str(&text).expect("own output");
    assert_eq!(journal, live.journal());
    let replayed = Engine::from_journal(&journal).expect("same digests");
    assert_same(&stand(&live), &stand(&replayed), "replay");
    assert!(replayed.at_head());
}

#[test]
fn replay_names_the_first_difference() {
    let mut journal = eventful().journal();
    let entry = journal.entries.get_mut(2).expect("three inputs");
    entry.digest = entry.digest.map(|digest| digest ^ 1);
    let seq = entry.seq;
    let Err(ReplayError::Differs(difference)) = Engine::from_journal(&journal) else {
        panic!("a forged digest is no difference")
    };
    assert!(matches!(&difference, Difference::Digest { input, .. } if *input == seq), "{difference:?}");
    let words = difference.to_string();
    assert!(words.contains(&format!("first at input {seq} (")), "{words}");
    // It still opens, and the run continues from there.
    let (mut opened, told) = Engine::open(&journal).expect("it opens");
    assert_eq!(told, Some(difference));
    assert_same(&stand(&eventful()), &stand(&opened), "all inputs were put in");
    opened.advance_for(1000);
    assert!(Engine::from_journal(&opened.journal()).is_ok(), "what it records now is of today");
}

#[test]
fn a_journal_with_digests_of_another_version_opens_and_says_so() {
    let mut journal = eventful().journal();
    let text = serde_json::to_string(&journal).expect("plain data");
    journal =
        serde_json::from_str(&text.replace(&format!(r#""semantics":{SEMANTICS},"#), "")).expect("older");
    assert_eq!(journal.semantics, 1);
    let (opened, difference) = Engine::open(&journal).expect("it opens");
    assert_eq!(difference, Some(Difference::Semantics { recorded: 1, found: SEMANTICS }));
    assert_same(&stand(&eventful()), &stand(&opened), "the inputs are the same");
    // Without recorded digests, nothing differs.
    journal.entries.iter_mut().for_each(|entry| entry.digest = None);
    assert!(matches!(Engine::open(&journal), Ok((_, None))));
}

#[test]
fn a_replay_reaches_the_same_state() {
    let mut engine = eventful();
    assert_eq!(engine.compare_with_replay(), Ok(()));
    engine.seek_ms(engine.head_ms() / 2);
    assert_eq!(engine.compare_with_replay(), Ok(()), "in the past, too");
}

#[test]
fn bad_journals_are_refused_with_a_reason() {
    let good = eventful().journal();
    let spoil = |change: &dyn Fn(&mut Journal)| {
        let mut journal = good.clone();
        change(&mut journal);
        Engine::from_journal(&journal).expect_err("spoilt")
    };
    assert_eq!(spoil(&|j| j.version = 9), ReplayError::Version { found: 9 });
    assert_eq!(spoil(&|j| j.entries[1].seq = 7), ReplayError::OutOfOrder { seq: 7 });
    assert_eq!(spoil(&|j| j.entries[2].at_ms = 0), ReplayError::OutOfOrder { seq: 3 });
    assert!(matches!(spoil(&|j| j.end_ms = u64::MAX), ReplayError::LimitReached { .. }));
    assert!(spoil(&|j| j.version = 9).to_string().contains("version 9"));
}

#[test]
fn splitting_an_advance_changes_nothing() {
    let whole = eventful();
    for pieces in [1, 7, 333, 1_000, 4_999] {
        let mut engine = engine();
        for entry in whole.journal().entries {
            while engine.now_ms() < entry.at_ms {
                engine.advance_to((engine.now_ms() + pieces).min(entry.at_ms));
            }
            engine.apply(entry.input);
        }
        while engine.now_ms() < whole.now_ms() {
            match pieces {
                333 if engine.next_event_ms().is_some_and(|at| at <= whole.now_ms()) => {
                    engine.advance_to(engine.next_event_ms().expect("just seen"));
                }
                _ => {
                    engine.advance_to((engine.now_ms() + pieces).min(whole.now_ms()));
                }
            }
        }
        assert_same(&stand(&whole), &stand(&engine), &format!("pieces of {pieces} ms"));
    }
}

#[test]
fn seeking_shows_the_state_of_that_instant() {
    let mut engine = eventful();
    let journal = engine.journal();
    let (head, head_seq) = (engine.head_ms(), engine.head_seq());
    for at_ms in [0, 1_499, 1_500, 1_501, 20_000, 60_000, 230_000, head, head + 5, 3, 399_999] {
        engine.seek_ms(at_ms);
        assert_eq!(engine.now_ms(), at_ms.min(head));
        let mut cut = journal.clone();
        cut.entries.retain(|entry| entry.at_ms <= at_ms);
        cut.end_ms = at_ms.min(head);
        let fresh = Engine::from_journal(&cut).expect("a prefix");
        assert_same(&stand(&fresh), &stand(&engine), &format!("at {at_ms} ms"));
        assert_eq!((engine.head_ms(), engine.head_seq()), (head, head_seq), "the head stays");
        assert_eq!(engine.at_head(), at_ms >= head);
    }
    for seq in (0..=head_seq).rev().chain([0, head_seq, head_seq + 9]) {
        engine.seek_seq(seq);
        // The step may have produced further events.
        assert!(engine.seq() >= seq.min(head_seq), "{} for {seq}", engine.seq());
        let last = engine.events().last().cloned();
        engine.seek_seq(engine.seq());
        assert_eq!(last, engine.events().last().cloned());
        assert_eq!(engine.all_events().len() as u64, head_seq);
    }
    engine.seek_seq(0);
    assert_eq!((engine.now_ms(), engine.seq(), engine.inputs()), (0, 0, 0));
}

#[test]
fn advancing_from_the_past_replays_the_recorded_inputs() {
    let mut engine = eventful();
    let end = stand(&engine);
    engine.seek_ms(0);
    engine.seek_seq(1);
    assert!(!engine.at_head() && !engine.idle());
    engine.advance_to(end.now_ms);
    assert!(engine.at_head());
    assert_same(&end, &stand(&engine), "at the head again");
    engine.seek_ms(10_000);
    engine.advance_to(end.now_ms + 60_000);
    assert_eq!(engine.now_ms(), end.now_ms + 60_000);
    assert!(engine.at_head());
    assert_eq!(engine.branches().len(), 1);
}

#[test]
fn an_input_in_the_past_opens_a_branch_and_loses_nothing() {
    let mut engine = eventful();
    let original = stand(&engine);
    let journal = engine.journal();
    engine.seek_ms(15_000);
    let at_fork = stand(&engine);
    accept(&mut engine, input(r#"{"kind":"add-agent","hostname":"other"}"#));
    engine.advance_to(90_000);
    let other = stand(&engine);
    let branches = engine.branches();
    assert_eq!(branches.len(), 2);
    assert_eq!(
        (branches[1].forked_at_ms, branches[1].parent, branches[1].current),
        (Some(15_000), Some(1), true)
    );
    assert_eq!(branches[0].head_ms, original.now_ms);
    assert_ne!(original.digest, other.digest);

    // Back on the parent: first at the instant of the fork, with the old future still ahead.
    assert!(engine.switch_branch(1));
    assert_same(&at_fork, &stand(&engine), "fork undone");
    engine.seek_ms(u64::MAX);
    assert_same(&original, &stand(&engine), "the original");
    assert_eq!(engine.journal(), journal);
    assert!(engine.switch_branch(2));
    assert_same(&other, &stand(&engine), "the other");
    let replayed = Engine::from_journal(&engine.journal()).expect("a journal of its own");
    assert_same(&other, &stand(&replayed), "the other, replayed");
    assert!(!engine.switch_branch(9));
}

#[test]
fn branches_of_branches_keep_their_events() {
    let mut engine = eventful();
    let mut ends = vec![(1, stand(&engine))];
    for (id, at_ms) in [(2, 100_000), (3, 50_000), (4, 1_600), (5, 1_600)] {
        engine.seek_ms(at_ms);
        accept(&mut engine, input(r#"{"kind":"add-agent"}"#));
        engine.advance_for(30_000 * id);
        ends.push((u32::try_from(id).expect("small"), stand(&engine)));
        // Every second branch forks from the first one.
        if id % 2 == 0 {
            assert!(engine.switch_branch(1));
        }
    }
    for round in 0..3 {
        for (id, end) in
            if round % 2 == 0 { ends.iter().rev().collect::<Vec<_>>() } else { ends.iter().collect() }
        {
            assert!(engine.switch_branch(*id));
            engine.seek_ms(u64::MAX);
            assert_same(end, &stand(&engine), &format!("branch {id}"));
            engine.seek_ms(end.now_ms / 2);
        }
    }
}

#[test]
fn a_branch_that_forks_before_its_own_fork_belongs_to_the_parent() {
    let mut engine = eventful();
    let first = stand(&engine);
    engine.seek_ms(50_000);
    accept(&mut engine, input(r#"{"kind":"add-agent"}"#));
    engine.advance_for(50_000);
    let second = stand(&engine);
    engine.seek_seq(0);
    accept(&mut engine, input(r#"{"kind":"add-agent","hostname":"first-of-all"}"#));
    engine.advance_for(5_000);
    let third = stand(&engine);
    assert_eq!(engine.branches()[2].parent, Some(1));
    for (id, end) in [(1, &first), (2, &second), (3, &third), (2, &second), (1, &first)] {
        assert!(engine.switch_branch(id));
        engine.seek_ms(u64::MAX);
        assert_same(end, &stand(&engine), &format!("branch {id}"));
    }
}

#[test]
fn refused_inputs_change_nothing_and_replay() {
    let mut engine = with_cluster("1");
    let before = engine.view();
    for (json, code) in [
        (r#"{"kind":"remove-agent","agent":"nobody"}"#, RefusalCode::NotFound),
        (r#"{"kind":"add-agent","count":10000000}"#, RefusalCode::LimitReached),
        (r#"{"kind":"add-agent","count":100000}"#, RefusalCode::LimitReached),
        (r#"{"kind":"clear-fault","id":"nothing"}"#, RefusalCode::NotFound),
        (r#"{"kind":"plan","service":"s","plan":"deploy","op":"continue"}"#, RefusalCode::NotFound),
        (r#"{"kind":"pod","service":"s","pod":"hello-0","op":"restart"}"#, RefusalCode::NotFound),
        (r#"{"kind":"remove-service","name":"s","force":true}"#, RefusalCode::NotFound),
        (r#"{"kind":"task-status","task":"t","state":"TASK_RUNNING"}"#, RefusalCode::NotFound),
        (r#"{"kind":"maintenance","op":"drain"}"#, RefusalCode::BadRequest),
        (r#"{"kind":"framework","op":"call","name":"f"}"#, RefusalCode::NotFound),
        (r#"{"kind":"call","method":"POST","path":"/v1/plan/continue"}"#, RefusalCode::NotFound),
        (r#"{"kind":"call","method":"POST","path":"/elsewhere"}"#, RefusalCode::Unsupported),
        (r#"{"kind":"load-service","dialect":"cobol","files":{"a":"b"}}"#, RefusalCode::BadRequest),
        (
            r#"{"kind":"load-service","dialect":"kudo","files":{"operator.yaml":""}}"#,
            RefusalCode::InvalidDefinition,
        ),
        (
            r#"{"kind":"load-service","dialect":"auto","files":{"a.json":"{\"id\":\"a\",\"cmd\":\"b\"}"}}"#,
            RefusalCode::InvalidDefinition,
        ),
        (
            r#"{"kind":"load-service","dialect":"sdk","files":{"svc.yml":"pods: ["}}"#,
            RefusalCode::InvalidDefinition,
        ),
        (r#"{"kind":"load-service","dialect":"sdk"}"#, RefusalCode::InvalidDefinition),
    ] {
        let applied = engine.apply(input(json));
        let refusal = applied.outcome.expect_err(json);
        assert_eq!(refusal.code, code, "{json}: {}", refusal.message);
        let last = engine.events().last().expect("an event");
        assert!(
            matches!(&last.body, EventBody::Rejected { input, .. } if *input == applied.input),
            "{last:?}"
        );
        let view = engine.view();
        assert_eq!(view.services, before.services, "{json}");
        assert_eq!(view.cluster, before.cluster, "{json}");
        assert_eq!(view.faults, before.faults, "{json}");
    }
    let replayed = Engine::from_journal(&engine.journal()).expect("refusals replay");
    assert_same(&stand(&engine), &stand(&replayed), "replay");
}

#[test]
fn oversized_spans_of_time_stop_at_a_bound() {
    let mut engine = with_cluster("3");
    let advanced = engine.run_until(&planarium_world::Condition::Idle, u64::MAX);
    assert!(advanced.idle && advanced.met && !advanced.limit_reached, "{advanced:?}");
    engine.seek_ms(u64::MAX);
    let mut empty = common::engine();
    let advanced = empty.advance_to(1_000_000_000_000_000_000);
    assert!(advanced.limit_reached && !advanced.met, "{advanced:?}");
    assert!(empty.now_ms() <= planarium_world::limits::TIME_MS);
}

#[test]
fn an_instant_can_be_split() {
    let mut whole = eventful();
    let head_seq = whole.head_seq();
    for seq in 1..=head_seq {
        whole.seek_seq(seq);
        let journal = {
            // Apply a command within an instant, then continue.
            accept(&mut whole, input(r#"{"kind":"add-agent","hostname":"half-way"}"#));
            whole.advance_for(90_000);
            whole.journal()
        };
        let replayed = Engine::from_journal(&journal).expect("replays");
        assert_same(&stand(&whole), &stand(&replayed), &format!("branch after event {seq}"));
        assert!(whole.switch_branch(1));
    }
    // Also replay a journal that ends within an instant.
    let mut engine = with_cluster("3");
    engine.advance_events(1);
    let replayed = Engine::from_journal(&engine.journal()).expect("replays");
    assert_same(&stand(&engine), &stand(&replayed), "ends half way");
}

#[test]
fn all_branches_are_restored_with_the_cursor() {
    let mut engine = eventful();
    engine.seek_ms(20_000);
    let place = engine.place();
    accept(&mut engine, input(r#"{"kind":"add-agent","hostname":"other"}"#));
    engine.advance_to(90_000);
    assert!(engine.branch_from(place), "the place is there");
    accept(&mut engine, input(r#"{"kind":"add-agent","hostname":"third"}"#));
    engine.advance_to(50_000);
    engine.seek_ms(30_000);
    assert_eq!(engine.branches().len(), 3);
    let tree = engine.tree();
    assert_eq!(engine.place(), tree.cursor, "to write it down moves nothing");
    let text = serde_json::to_string(&tree).expect("plain data");
    let read: planarium_world::Tree = serde_json::from_str(&text).expect("own output");
    let mut again = Engine::of_tree(&read).expect("it replays");
    assert_same(&stand(&engine), &stand(&again), "the cursor");
    assert_eq!(engine.branches(), again.branches());
    for branch in engine.branches() {
        assert_eq!(read.whole(branch.id).map(|journal| journal.entries.len()), {
            again.switch_branch(branch.id);
            Some(again.journal().entries.len())
        });
        engine.switch_branch(branch.id);
        assert_eq!(engine.journal(), again.journal(), "{branch:?}");
    }
    let mut nowhere = serde_json::to_value(place).expect("plain data");
    nowhere["branch"] = 9.into();
    let nowhere = serde_json::from_value(nowhere).expect("a place");
    assert!(!engine.go_to_place(nowhere) && !engine.branch_from(nowhere));
}

#[test]
fn a_branch_from_before_an_input_continues_without_it() {
    let mut engine = with_cluster("3");
    engine.advance_to(5_000);
    let (place, before) = (engine.place(), engine.digest());
    accept(&mut engine, input(r#"{"kind":"add-agent","hostname":"late"}"#));
    assert!(engine.branch_from(place));
    assert_eq!((engine.digest(), engine.at_head()), (before, true));
}

#[test]
fn forgotten_events_return_by_replay() {
    let mut whole = eventful();
    let mut short = eventful();
    short.forget_events(5);
    let (all, forgotten) = (whole.all_events().to_vec(), short.forgotten());
    assert!(forgotten > 5 && forgotten + 5 == short.head_seq(), "{forgotten} of {}", short.head_seq());
    assert_eq!(short.all_events(), Stretch::from(&all[all.len() - 5..]));
    let head = short.head_seq();
    for seq in 0..=head {
        short.seek_seq(seq);
        whole.seek_seq(seq);
        let shown = |engine: &Engine| Stand { events: Vec::new(), ..stand(engine) };
        assert_same(&shown(&whole), &shown(&short), &format!("at {seq}"));
        for (after, to) in
            [(0, head), (seq, head), (seq.saturating_sub(3), seq), (seq, seq + 1), (head, head)]
        {
            let here = (short.now_ms(), short.seq(), short.digest());
            let end = usize::try_from(to.min(head)).expect("few");
            let start = usize::try_from(after).expect("few");
            assert_eq!(short.recall(after, to), all[start..end], "{after} to {to} from {seq}");
            assert_eq!(here, (short.now_ms(), short.seq(), short.digest()), "the cursor stays");
        }
    }
    // A search for a status change also finds it among forgotten events.
    short.seek_ms(0);
    whole.seek_ms(0);
    for _ in 0..20 {
        assert_eq!(short.advance_status_change(), whole.advance_status_change());
        assert_eq!(short.digest(), whole.digest());
    }
    // Fork where events are forgotten, and return.
    short.seek_seq(4);
    accept(&mut short, input(r#"{"kind":"add-agent","hostname":"apart"}"#));
    short.advance_for(1000);
    let apart = short.recall(0, u64::MAX);
    assert_eq!(apart[..4], all[..4]);
    assert!(apart.iter().zip(1..).all(|(event, seq)| event.seq == seq) && apart.len() > 4);
    assert!(short.switch_branch(1));
    assert_eq!(short.recall(0, u64::MAX), all);
    assert!(short.switch_branch(2));
    assert_eq!(short.recall(0, u64::MAX), apart);
    assert_eq!(Engine::from_journal(&short.journal()).expect("it replays").digest(), short.digest());
}
