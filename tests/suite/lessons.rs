//! Every lesson of the course, proved: routes, predictions, texts, and random players who use only what is allowed.
//! `PLANARIUM_PLAYERS=100` takes a hundred players of each lesson, as `planarium lesson check` does.

#![expect(clippy::expect_used, reason = "helpers of tests")]

use planarium_scenario::lesson::{Lesson, Other, Texts, parse_texts, prove};
use planarium_scenario::parse;
use planarium_source::render::text::render;
use planarium_tests::files;
use std::collections::BTreeSet;
use std::sync::Arc;

/// Random players of each lesson, unless the environment says how many.
const PLAYERS: u64 = 20;
/// Most bytes of a lesson with its texts in one language. Deflate takes more than brotli, which the budget speaks of.
const MOST_BYTES: usize = 4096;
/// Lessons of the course.
const LESSONS: usize = 26;

/// A lesson with its texts by language.
type Read = (Arc<Lesson>, Vec<(String, Texts)>);

fn lessons() -> Vec<Read> {
    planarium_gallery::lessons().iter().map(read).collect()
}

fn read(embedded: &planarium_gallery::Lesson) -> Read {
    let id = embedded.id;
    let parsed = parse(embedded.text, id, &|_| None);
    assert!(parsed.diagnostics.is_empty(), "{id}: {}", render(&parsed.diagnostics, &parsed.sources));
    let lesson = Arc::new(*parsed.lesson.expect(id));
    let texts = embedded.texts.iter().map(|(language, text)| {
        let parsed = parse_texts(text, &format!("{id}.{language}.yaml"));
        assert!(parsed.diagnostics.is_empty(), "{}", render(&parsed.diagnostics, &parsed.sources));
        ((*language).to_owned(), parsed.texts.expect("texts"))
    });
    (lesson, texts.collect())
}

#[test]
fn the_course_is_complete() {
    let lessons = lessons();
    assert_eq!(lessons.len(), LESSONS);
    let mut before = BTreeSet::new();
    let mut order = 0;
    for (lesson, texts) in &lessons {
        let id = &lesson.id;
        assert!(lesson.order > order, "{id}: lessons have places of their own");
        order = lesson.order;
        for needed in &lesson.needs {
            assert!(before.contains(needed), "{id} needs {needed}, which does not come before it");
        }
        assert!(before.insert(id.clone()), "{id} is there twice");
        assert!(lesson.also.len() + 1 >= 3, "{id}: a solution and two other routes pass");
        assert!(!lesson.predict.is_empty(), "{id}: nothing is asked before it begins");
        assert!(texts.iter().any(|(language, _)| language == "en"), "{id}: no English texts");
        assert!(lesson.scenario.limit_ms <= 600_000, "{id}: a lesson is a few minutes");
    }
    let dialects: BTreeSet<String> = lessons
        .iter()
        .flat_map(|(lesson, _)| &lesson.scenario.services)
        .map(|service| service.dialect.clone())
        .collect();
    assert!(
        ["sdk", "marathon", "kudo", "skopos", "kubernetes"].iter().all(|word| dialects.contains(*word)),
        "{dialects:?}"
    );
    let several = lessons.iter().filter(|(lesson, _)| lesson.scenario.services.len() > 1).count();
    assert!(several >= 2, "two lessons are over several systems");
}

#[test]
fn files_are_named_after_their_lessons_and_all_are_embedded() {
    let entries = std::fs::read_dir(files::root().join("lessons")).expect("the folder of lessons");
    let mut on_disk: Vec<String> = entries
        .filter_map(|entry| entry.ok()?.file_name().to_str().map(ToOwned::to_owned))
        .filter_map(|name| name.strip_suffix(".planarium.yaml").map(ToOwned::to_owned))
        .collect();
    on_disk.sort();
    let mut embedded: Vec<String> = lessons().iter().map(|(lesson, _)| lesson.id.clone()).collect();
    embedded.sort();
    assert_eq!(embedded, on_disk);
}

#[test]
fn a_lesson_is_small() {
    for embedded in planarium_gallery::lessons() {
        for (language, texts) in embedded.texts {
            let whole = format!("{}{texts}", embedded.text);
            let packed = miniz_oxide::deflate::compress_to_vec(whole.as_bytes(), 9).len();
            assert!(packed <= MOST_BYTES, "{} in {language}: {packed} bytes", embedded.id);
        }
    }
}

/// Random players of each lesson.
fn players() -> u64 {
    match std::env::var("PLANARIUM_PLAYERS") {
        Ok(text) => text.parse().expect("PLANARIUM_PLAYERS is a number"),
        Err(_) => PLAYERS,
    }
}

/// Proves a share of the lessons, so that the shares run side by side. Every random player has to end with a pass, or with a loss
/// that is told with its causes and the place to go back to.
fn prove_share(share: usize) {
    let lessons = lessons();
    let others: Vec<Other> = lessons
        .iter()
        .map(|(lesson, _)| Other {
            id: lesson.id.clone(),
            teaches: lesson.teaches.clone(),
            needs: lesson.needs.clone(),
        })
        .collect();
    let players = players();
    let (mut wrong, mut passed, mut lost, mut played) = (Vec::new(), 0, 0, 0);
    for (lesson, texts) in lessons.iter().skip(share).step_by(4) {
        let proof = prove(lesson, &others, texts, players);
        let (by_luck, told) = (u64::from(proof.players_passed), u64::from(proof.players_lost));
        if by_luck + told != players {
            wrong.push(format!("{}: {} players without a verdict", lesson.id, players - by_luck - told));
        }
        (passed, lost, played) = (passed + by_luck, lost + told, played + players);
        wrong.extend(proof.findings.iter().map(|finding| format!("{}: {finding}", lesson.id)));
    }
    assert!(
        wrong.is_empty(),
        "{passed} of {played} random players passed, {lost} lost and were told\n{}",
        wrong.join("\n")
    );
    assert!(lost > 0 && played > 0 || players == 0, "players who never lose show nothing");
}

#[test]
fn lessons_hold_first_share() {
    prove_share(0);
}

#[test]
fn lessons_hold_second_share() {
    prove_share(1);
}

#[test]
fn lessons_hold_third_share() {
    prove_share(2);
}

#[test]
fn lessons_hold_fourth_share() {
    prove_share(3);
}
