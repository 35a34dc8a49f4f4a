//! Learner actions beside commands: answers, hints, going back, the solution.

use super::made::{hand_in, make_lesson, material, results};
use super::open::open_lesson;
use super::report::follow_run;
use crate::host::Host;
use planarium_messages::clock::clock;
use planarium_messages::facts::{Fact, Reply};
use planarium_messages::lessons::LessonAsk;
use planarium_scenario::lesson::{Account, Attempt, Verdict, candidates};
use planarium_world::Engine;

/// Answers a question about lessons.
pub(crate) fn lesson_ask(host: &mut Host, ask: LessonAsk) -> Vec<Fact> {
    match ask {
        LessonAsk::Open(id) => open_lesson(host, &id),
        LessonAsk::Answer(question, option) => {
            if let Some(teaching) = &mut host.shown.lesson {
                teaching.answer(question, option);
            }
            Vec::new()
        }
        LessonAsk::Hint => {
            if let Some(teaching) = &mut host.shown.lesson {
                teaching.hints = (teaching.hints + 1).min(teaching.texts.hints.len());
            }
            Vec::new()
        }
        LessonAsk::Give(title) => give(host, &title),
        LessonAsk::GoBack => go_back(host),
        LessonAsk::Solution => {
            if let Some(teaching) = &mut host.shown.lesson {
                teaching.gave_up |= !teaching.is_open();
            }
            Vec::new()
        }
        LessonAsk::Earlier(links) => {
            if let Some(teaching) = &mut host.shown.lesson {
                teaching.remember(&links);
            }
            Vec::new()
        }
        LessonAsk::Leave => leave_lesson(host),
        LessonAsk::Suggest => vec![Fact::Reply(Reply::Material(Box::new(material(host))))],
        LessonAsk::Make(draft) => vec![Fact::Reply(Reply::Made(make_lesson(host, &draft)))],
        LessonAsk::HandIn(name) => vec![Fact::Reply(Reply::HandIn(hand_in(host, &name)))],
        LessonAsk::Results(text) => vec![Fact::Reply(Reply::Results(results(host, &text)))],
    }
}

fn give(host: &mut Host, title: &str) -> Vec<Fact> {
    let Some(teaching) = &host.shown.lesson else { return Vec::new() };
    let moves = candidates(&teaching.lesson, &host.shown.engine.view());
    match moves.into_iter().find(|(known, _)| known == title) {
        Some((_, input)) => host.put_in(&input),
        None => vec![Fact::Refused(format!("`{title}` cannot be done at this moment.").into())],
    }
}

/// Goes back to the moment before the step that lost, on a new branch.
fn go_back(host: &mut Host) -> Vec<Fact> {
    let Some(back) = lost_account(host).map(|account| account.back) else { return Vec::new() };
    let (before, by_hand) = (host.stand(), host.shown.by_hand);
    let engine = &mut host.shown.engine;
    engine.seek_ms(back.at_ms);
    while engine.inputs() >= back.input && engine.step_back() {}
    let here = engine.place();
    engine.branch_from(here);
    let at_ms = engine.now_ms();
    let moved = host.moved();
    follow_run(host);
    // Time may have passed between the last event and that step.
    if at_ms < back.at_ms {
        host.play_to(back.at_ms);
    }
    vec![moved, host.moved(), host.did(format!("Went back to {}", clock(back.at_ms)), before, by_hand)]
}

/// The explanation of the check that was lost first.
fn lost_account(host: &Host) -> Option<Account> {
    let attempt = &host.shown.lesson.as_ref()?.attempt;
    let Verdict::Lost { check, .. } = attempt.verdict() else { return None };
    let progress = attempt.progress();
    progress.checks.into_iter().find(|shown| shown.id == *check)?.account
}

/// Turns the lesson's world into a sandbox.
fn leave_lesson(host: &mut Host) -> Vec<Fact> {
    if host.shown.lesson.take().is_none() {
        return Vec::new();
    }
    host.shown.by_hand = true;
    vec![host.push_address()]
}

/// The solution, for a comparison with the run shown; `None` while it is still hidden.
pub(crate) fn solution_engine(host: &Host) -> Option<Engine> {
    let teaching = host.shown.lesson.as_ref().filter(|teaching| teaching.is_open())?;
    teaching.solved().map(Attempt::into_engine)
}

/// An earlier try, for a comparison with the run shown.
pub(crate) fn earlier_engine(host: &Host, number: usize) -> Option<Engine> {
    let ended = &host.shown.lesson.as_ref()?.ended;
    Engine::from_journal(&ended.get(number.checked_sub(1)?)?.journal).ok()
}
