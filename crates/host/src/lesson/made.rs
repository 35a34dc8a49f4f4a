//! Lessons made from the run shown, and tries that learners hand in.

use super::open::of_course;
use super::score;
use crate::host::Host;
use planarium_messages::lessons::{
    DraftCheck, JudgedTry, LessonDraft, MadeLesson, Material, ResultRow, Role, SolutionLine,
};
use planarium_protocol::Input;
use planarium_scenario::lesson::{self, Attempt, HandIn, Lesson, Outline, OwnLesson, Recording, Verdict};
use planarium_scenario::{Action, Entry, Scenario, Trigger};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// Lines of results that are read.
const MOST_LINES: usize = 400;
/// Longest name of a learner. *Units*: characters.
const NAME: usize = 60;
/// Hints of a lesson at most.
const MOST_HINTS: usize = 12;

/// The run shown up to its end, as a recording: script inputs unchanged, all others marked as done by hand.
fn recording(host: &Host) -> Recording {
    let engine = &host.shown.engine;
    let shown = &host.shown.scenario;
    let set_up = shown.set_up().len();
    let mut scripted =
        shown.script.iter().flat_map(|entry| &entry.actions).filter_map(|action| match action {
            Action::Do(input) => Some(&**input),
            _ => None,
        });
    let mut next = scripted.next();
    let (mut script, mut moves): (Vec<Entry>, Vec<(u64, Input)>) = (Vec::new(), Vec::new());
    for entry in engine.entries().iter().skip(set_up) {
        let input = entry.input.input().clone();
        if next == Some(&input) {
            next = scripted.next();
            let actions = vec![Action::Do(Box::new(input))];
            script.push(Entry {
                trigger: Trigger::At(entry.at_ms),
                actions,
                refused: None,
                line: 0,
                column: 0,
            });
        } else {
            moves.push((entry.at_ms, input));
        }
    }
    let scenario = Scenario {
        genesis: engine.genesis(),
        script,
        until: None,
        goal: None,
        hint: String::new(),
        solution: Vec::new(),
        ..shown.clone()
    };
    Recording::new(scenario, moves, engine.head_ms())
}

/// Material for a lesson.
pub(crate) fn material(host: &Host) -> Material {
    let recording = recording(host);
    let line = |(at_ms, text): (u64, String)| SolutionLine { at_ms, text: text.into() };
    let check = |one: lesson::Suggested| DraftCheck {
        id: one.id,
        role: match one.role {
            lesson::Role::Goal => Role::Goal,
            lesson::Role::Never => Role::Never,
        },
        check: one.check,
        text: one.text,
        takes_a_command: one.takes_a_command,
    };
    let checks = if recording.words().is_empty() { Vec::new() } else { recording.suggest() };
    Material {
        moves: recording.moves().into_iter().map(line).collect(),
        words: recording.words(),
        limit_ms: recording.limit_ms(),
        checks: checks.into_iter().map(check).collect(),
    }
}

/// Writes a lesson and checks that it can be solved.
///
/// *Errors*: all reasons why the draft is not a valid lesson.
pub(crate) fn make_lesson(host: &Host, draft: &LessonDraft) -> Result<Box<MadeLesson>, Vec<String>> {
    let role = |role: Role| match role {
        Role::Goal => lesson::Role::Goal,
        Role::Never => lesson::Role::Never,
    };
    let check =
        |check: &DraftCheck| (check.id.clone(), role(check.role), check.check.clone(), check.text.clone());
    let outline = Outline {
        id: draft.id.clone(),
        title: draft.title.clone(),
        story: draft.story.clone(),
        done: draft.done.clone(),
        hints: draft.hints.iter().take(MOST_HINTS).cloned().collect(),
        allowed: draft.allowed.clone(),
        checks: draft.checks.iter().map(check).collect(),
    };
    let made = lesson::make(&recording(host), &outline)?;
    if !made.proof.findings.is_empty() {
        return Err(made.proof.findings.into_iter().map(|finding| finding.text).collect());
    }
    let link = OwnLesson { lesson: made.lesson.clone(), texts: made.texts.clone() }.link();
    let files = vec![
        (format!("{}.planarium.yaml", outline.id), made.lesson),
        (format!("{}.en.yaml", outline.id), made.texts),
    ];
    Ok(Box::new(MadeLesson { files, link, runs: made.proof.runs }))
}

/// Returns the part of a link after `#` that hands in the try of the branch shown.
pub(crate) fn hand_in(host: &Host, name: &str) -> Option<String> {
    let teaching = host.shown.lesson.as_ref()?;
    let name = name.trim().chars().take(NAME).collect();
    Some(HandIn::of(&teaching.attempt, name, teaching.hints as u64, teaching.gave_up).link())
}

/// Returns the ids of the lessons that tries were handed in for, each once.
pub(crate) fn handed_in(text: &str) -> BTreeSet<String> {
    lines(text).filter_map(|(line, _)| HandIn::read(line)).map(|hand_in| hand_in.lesson).collect()
}

/// Lines that hold something, with their numbers.
fn lines(text: &str) -> impl Iterator<Item = (&str, usize)> {
    text.lines().zip(1..).filter(|(line, _)| !line.trim().is_empty()).take(MOST_LINES)
}

/// Replays tries that were handed in, one link per line.
pub(crate) fn results(host: &Host, text: &str) -> Vec<ResultRow> {
    let mut known: BTreeMap<String, Option<(Arc<Lesson>, String)>> = BTreeMap::new();
    if let Some(teaching) = &host.shown.lesson {
        let open = (Arc::clone(&teaching.lesson), teaching.texts.title.clone());
        known.insert(teaching.lesson.id.clone(), Some(open));
    }
    let row = |(text, line): (&str, usize)| {
        let Some(hand_in) = HandIn::read(text) else {
            let result = Err("this is no link that hands a result in".to_owned());
            return ResultRow { line, name: String::new(), lesson: String::new(), result };
        };
        let found = known.entry(hand_in.lesson.clone()).or_insert_with(|| {
            of_course(&host.library, &hand_in.lesson, &host.language)
                .map(|(lesson, texts)| (lesson, texts.title))
        });
        let name: String = hand_in.name.chars().take(NAME).collect();
        let lesson: String = hand_in.lesson.chars().take(NAME).collect();
        let Some((found, title)) = found else {
            let result = Err("this lesson is not known here: open it by its link first".to_owned());
            return ResultRow { line, name, lesson, result };
        };
        ResultRow { line, name, lesson: title.clone(), result: judged(found, &hand_in) }
    };
    lines(text).map(row).collect()
}

fn judged(lesson: &Arc<Lesson>, hand_in: &HandIn) -> Result<JudgedTry, String> {
    let own = lesson.scenario.genesis.seed;
    if hand_in.seed != own {
        return Err(format!("it was played with seed {}, the lesson has {own}", hand_in.seed));
    }
    let (verdict, reached) = hand_in.judge(lesson)?;
    let passed = matches!(verdict, Verdict::Passed { .. });
    let mut solution = Attempt::start(lesson, None);
    let par = solution.play(&lesson.solution).ok().map(|()| score(solution.score()));
    let reached = score(reached);
    Ok(JudgedTry {
        passed,
        stars: par.filter(|_| passed).map(|par| reached.stars(&par)),
        score: reached,
        hints: hand_in.hints,
        gave_up: hand_in.solution,
    })
}
