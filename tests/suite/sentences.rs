//! Sentences may be put into other words at any time: no digest covers them and nothing goes by them.

#![expect(clippy::panic, reason = "helper of tests")]

use planarium_protocol::Event;
use planarium_protocol::event::{EventBody, reword};
use planarium_scenario::run;
use planarium_tests::journals::scenario;
use planarium_tests::links::FOLDER;
use planarium_tests::{files, links::Kept};
use planarium_world::Engine;
use serde_json::Value;

/// Plays every example and every kept run.
fn play(visit: &mut dyn FnMut(&str, Engine)) {
    for example in planarium_gallery::examples() {
        let scenario = scenario(example.id).unwrap_or_else(|| panic!("{} has findings", example.id));
        visit(example.id, run(scenario, None).engine);
    }
    for (name, path) in files::below(&files::root().join(FOLDER), &[".json"]) {
        let kept: Kept =
            serde_json::from_str(&files::text(&path)).unwrap_or_else(|error| panic!("{name}: {error}"));
        let journal = kept.read().unwrap_or_else(|error| panic!("{name}: {error}"));
        match Engine::open(&journal) {
            Ok((engine, _)) => visit(&name, engine),
            Err(error) => panic!("{name}: {error}"),
        }
    }
}

#[test]
fn other_words_change_no_digest() {
    let mut before = Vec::new();
    play(&mut |_, engine| before.push((engine.digest(), engine.seq(), engine.now_ms(), words(&engine))));
    reword(true);
    let (mut before, mut reworded, mut wrong) = (before.into_iter(), 0, Vec::new());
    play(&mut |name, engine| {
        let Some((digest, seq, now_ms, said)) = before.next() else { return };
        reworded += usize::from(said != words(&engine));
        if (engine.digest(), engine.seq(), engine.now_ms()) != (digest, seq, now_ms) {
            wrong.push(name.to_owned());
        }
    });
    reword(false);
    assert!(wrong.is_empty(), "{wrong:?}");
    assert!(before.next().is_none() && reworded > 80, "{reworded} runs were put into other words");
}

fn words(engine: &Engine) -> Vec<String> {
    engine.all_events().iter().map(|event| event.body.sentence()).collect()
}

/// A fact is a name, a word or a value. What reads like a sentence has to be prose.
#[test]
fn no_fact_is_a_sentence() {
    reword(true);
    let mut wrong = Vec::new();
    play(&mut |name, engine| {
        for event in engine.all_events() {
            wrong.extend(sentence_among_facts(event).map(|found| format!("{name}: {found}")));
        }
    });
    reword(false);
    wrong.sort();
    wrong.dedup();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

fn sentence_among_facts(event: &Event) -> Option<String> {
    // A message of the real wire is unchanged; its sentences are under a separate key.
    if matches!(event.body, EventBody::FrameworkEvent { .. }) {
        return None;
    }
    let value = serde_json::to_value(event).unwrap_or_default();
    let found = find(&value)?;
    Some(format!("{}: {found}", event.body.word()))
}

fn find(value: &Value) -> Option<&str> {
    match value {
        Value::String(text) if text.starts_with("other words (") => None,
        Value::String(text) => (text.split_whitespace().count() > 2).then_some(text),
        Value::Array(items) => items.iter().find_map(find),
        Value::Object(fields) => fields.values().find_map(find),
        _ => None,
    }
}
