//! Opens a lesson: from the course, from a link, or from a tab's stored state.

use super::{Answer, Teaching, score};
use crate::host::{Host, Shown};
use crate::story::Narration;
use planarium_messages::facts::{Fact, ToastUndo};
use planarium_scenario::lesson::{Attempt, Lesson, OwnLesson, Texts, parse_texts};
use planarium_scenario::{Player, Scenario};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// Label of the way back to the world shown before.
const OPENED: &str = "Opened a lesson";
/// Language of the texts.
const LANGUAGE: &str = "en";

/// A lesson as a tab keeps it.
#[derive(Serialize, Deserialize, Clone)]
pub(crate) struct Kept {
    id: String,
    own: Option<OwnLesson>,
    hints: usize,
    answers: Vec<Option<usize>>,
    gave_up: bool,
}

/// A lesson of the course with its texts.
pub(crate) fn of_course(id: &str) -> Option<(Arc<Lesson>, Texts)> {
    let found = planarium_gallery::lesson(id)?;
    let texts = found.texts.iter().find(|(language, _)| *language == LANGUAGE).or(found.texts.first())?;
    read(found.text, texts.1).ok()
}

/// A lesson with its texts.
///
/// *Errors*: the first finding.
fn read(lesson: &str, texts: &str) -> Result<(Arc<Lesson>, Texts), String> {
    let parsed = planarium_scenario::parse(lesson, "the lesson", &|_| None);
    if let Some(error) = parsed.diagnostics.iter().find(|one| one.is_error()) {
        let at = parsed.sources.position(error.span);
        return Err(format!("line {}: {}", at.line, error.message));
    }
    let lesson = parsed.lesson.ok_or_else(|| "there is no `lesson:` in it".to_owned())?;
    let read = parse_texts(texts, "the texts");
    let error = read.diagnostics.iter().find(|one| one.is_error()).map(|one| one.message.clone());
    let texts = read.texts.ok_or_else(|| error.unwrap_or_default())?;
    Ok((Arc::new(*lesson), texts))
}

/// Returns the lesson that a link names after `#`; `None` if it names no lesson.
pub(crate) fn open_lesson_link(host: &mut Host, hash: &str) -> Option<Vec<Fact>> {
    let inner = hash.rsplit('#').next().unwrap_or(hash).trim();
    if let Some(id) = inner.strip_prefix("lesson=") {
        return Some(open_lesson(host, id));
    }
    if !inner.starts_with(planarium_scenario::lesson::LESSON_PREFIX) {
        return None;
    }
    let refused =
        |reason: &str| vec![Fact::Refused(format!("This lesson cannot be opened: {reason}.").into())];
    let Some(own) = OwnLesson::read(inner) else {
        return Some(nothing_yet(host, refused("the link is damaged or cut off")));
    };
    Some(match read(&own.lesson, &own.texts) {
        Ok((lesson, texts)) => open(host, lesson, texts, Some(own)),
        Err(reason) => nothing_yet(host, refused(&reason)),
    })
}

/// A lesson of the course.
pub(crate) fn open_lesson(host: &mut Host, id: &str) -> Vec<Fact> {
    match of_course(id) {
        Some((lesson, texts)) => open(host, lesson, texts, None),
        None => {
            let id: String = id.chars().take(60).collect();
            nothing_yet(host, vec![Fact::Refused(format!("There is no lesson named {id}.").into())])
        }
    }
}

/// Shows the first example if nothing is shown yet.
fn nothing_yet(host: &mut Host, refused: Vec<Fact>) -> Vec<Fact> {
    let empty = host.shown.engine.entries().is_empty();
    let first = planarium_gallery::examples().first().filter(|_| empty).map(|example| example.id);
    let mut facts = first.map(|id| host.open_example(id)).unwrap_or_default();
    facts.extend(refused);
    facts
}

fn open(host: &mut Host, lesson: Arc<Lesson>, texts: Texts, own: Option<OwnLesson>) -> Vec<Fact> {
    let drafts = crate::open::drafts_of(&lesson.scenario);
    let teaching = begin_lesson(host, lesson, texts, own);
    let shown = at_start(teaching);
    host.leave_for(shown, OPENED);
    host.opened(drafts, None)
}

fn begin_lesson(host: &mut Host, lesson: Arc<Lesson>, texts: Texts, own: Option<OwnLesson>) -> Teaching {
    host.lesson_told.opened += 1;
    let attempt = Attempt::start(&lesson, None);
    let mut teaching = Teaching {
        number: host.lesson_told.opened,
        answers: vec![None; lesson.predict.len()],
        lesson,
        texts,
        own,
        attempt,
        off_track: false,
        hints: 0,
        par: None,
        gave_up: false,
        solution: None,
        ended: Vec::new(),
        moves: (None, Vec::new()),
    };
    teaching.par = teaching.solved().map(|solved| score(solved.score()));
    teaching
}

/// Starts the lesson over. `None` in a sandbox.
pub(crate) fn restart_lesson(host: &mut Host) -> Option<Vec<Fact>> {
    let teaching = host.shown.lesson.as_ref()?;
    let services = teaching.lesson.scenario.services.clone();
    if !host.touched {
        return Some(vec![Fact::Rebuilt(services)]);
    }
    let shown = at_start(teaching.anew());
    host.leave_for(shown, "Started over");
    let mut facts = vec![host.moved(), Fact::Story(host.shown.narration.told())];
    host.shown.narration.tell_again();
    facts.push(Fact::Rebuilt(services));
    facts.push(Fact::Told("Started over.".into(), Some(ToastUndo::Last)));
    Some(facts)
}

/// The part of a link to the lesson after `#`; `None` in a sandbox.
pub(crate) fn lesson_link(host: &Host) -> Option<String> {
    host.shown.lesson.as_ref().map(|teaching| teaching.link())
}

/// The lesson as a tab keeps it.
pub(crate) fn kept_lesson(host: &Host) -> Option<Kept> {
    let teaching = host.shown.lesson.as_ref()?;
    Some(Kept {
        id: teaching.lesson.id.clone(),
        own: teaching.own.clone(),
        hints: teaching.hints,
        answers: teaching.answers.iter().map(|answer| answer.map(|answer| answer.option)).collect(),
        gave_up: teaching.gave_up,
    })
}

/// Restores a lesson from a tab's stored state.
pub(crate) fn kept_teaching(host: &mut Host, kept: Kept) -> Option<Teaching> {
    let found = match &kept.own {
        Some(own) => read(&own.lesson, &own.texts).ok(),
        None => of_course(&kept.id),
    };
    let (lesson, texts) = found?;
    let mut teaching = begin_lesson(host, lesson, texts, kept.own);
    teaching.hints = kept.hints.min(teaching.texts.hints.len());
    teaching.gave_up = kept.gave_up;
    for (question, option) in kept.answers.into_iter().enumerate() {
        if let Some(option) = option {
            teaching.answer(question, option);
        }
    }
    Some(teaching)
}

impl Teaching {
    /// Records an answer to an unanswered question, and plays a run that reveals the right one.
    pub(super) fn answer(&mut self, question: usize, option: usize) {
        let Some(asked) = self.lesson.predict.get(question) else { return };
        let Some(place) = self.answers.get_mut(question).filter(|answer| answer.is_none()) else { return };
        let right = asked.options.iter().position(|option| option.right);
        if let Some(right) = right.filter(|_| option < asked.options.len()) {
            let at_ms = answered_at(&self.lesson, question, right, self.attempt.seed());
            *place = Some(Answer { option, right, at_ms });
        }
    }

    /// The scenario of the lesson's world.
    pub(crate) fn scenario(&self) -> &Scenario {
        &self.lesson.scenario
    }

    /// The story of the world without its script, which the task describes.
    pub(crate) fn narration(&self) -> Narration {
        let scenario = Scenario { script: Vec::new(), ..self.lesson.scenario.clone() };
        Narration::of(&scenario, None, "")
    }
}

/// Returns the instant at which a run without the learner reveals the right answer, at the latest the lesson's end.
fn answered_at(lesson: &Arc<Lesson>, question: usize, right: usize, seed: u64) -> u64 {
    let limit_ms = lesson.scenario.limit_ms;
    let Some(asked) = lesson.predict.get(question) else { return limit_ms };
    let checks = asked.options.iter().map(|option| planarium_scenario::lesson::NamedCheck {
        id: option.id.clone(),
        role: planarium_scenario::lesson::Role::Goal,
        check: option.when.clone(),
    });
    let alone = Arc::new(Lesson { checks: checks.collect(), ..Lesson::clone(lesson) });
    let mut attempt = Attempt::start(&alone, Some(seed));
    if attempt.play_on(&asked.play).is_err() {
        return limit_ms;
    }
    let progress = attempt.progress();
    progress.checks.get(right).and_then(|check| check.at_ms).unwrap_or(limit_ms)
}

/// The world of a lesson at its beginning.
fn at_start(teaching: Teaching) -> Shown {
    let scenario = teaching.lesson.scenario.clone();
    let (engine, player) = Player::start(Scenario {
        genesis: planarium_world::Genesis { seed: teaching.attempt.seed(), ..scenario.genesis },
        ..scenario.clone()
    });
    let branch = engine.branches().iter().find(|branch| branch.current).map_or(0, |branch| branch.id);
    let player = (!player.done()).then_some((player, branch));
    let narration = teaching.narration();
    let mut shown = Shown::new(engine, player, scenario, narration);
    shown.lesson = Some(Box::new(teaching));
    shown
}
