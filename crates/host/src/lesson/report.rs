//! Reports the lesson and its try when they have changed.

use super::{Teaching, score};
use crate::finish;
use crate::host::Host;
use planarium_messages::facts::{Fact, Keep};
use planarium_messages::lessons::{
    Account, Answered, Card, CauseLine, CheckCard, CheckLine, CheckState, Earlier, NextLesson, Outcome,
    QuestionCard, Role, Try, Verdict,
};
use planarium_messages::ptr::Ptr;
use planarium_protocol::Text;
use planarium_scenario::lesson::{self, State, candidates};
use std::sync::Arc;

/// Commands that are listed at most.
const MOST_MOVES: usize = 60;

/// Advances the try to the branch shown, and continues the script there.
pub(crate) fn follow_run(host: &mut Host) {
    let branch = host.seen.branch;
    let engine = &host.shown.engine;
    let Some(teaching) = &mut host.shown.lesson else { return };
    let in_the_middle = engine.journal_without_inputs().end_seq.is_some();
    let end_ms = engine.head_ms().saturating_sub(u64::from(in_the_middle));
    teaching.off_track = !teaching.attempt.follow(engine.entries(), end_ms);
    let elsewhere = host.shown.player.as_ref().is_none_or(|(_, on)| *on != branch);
    if elsewhere && !teaching.off_track {
        let mut player = teaching.attempt.player().clone();
        player.take_notes();
        host.shown.player = (!player.done()).then_some((player, branch));
    }
}

/// Returns whether the try has a verdict that was not reported yet.
pub(crate) fn verdict_waits(host: &Host) -> bool {
    let told = host.lesson_told.shown.as_ref().map(|shown| shown.verdict);
    host.shown.lesson.as_ref().is_some_and(|teaching| {
        told == Some(Verdict::Open) && *teaching.attempt.verdict() != lesson::Verdict::Open
    })
}

/// Reports the changed parts of the lesson and its try.
pub(crate) fn lesson_report(host: &mut Host) -> Vec<Fact> {
    follow_run(host);
    let mut facts = Vec::new();
    let number = host.shown.lesson.as_ref().map(|teaching| teaching.number);
    let fresh = number != host.lesson_told.lesson;
    if fresh {
        host.lesson_told.lesson = number;
        host.lesson_told.shown = None;
        let shown = host.shown.lesson.as_ref();
        facts.push(Fact::Lesson(shown.map(|teaching| Ptr::new(card(teaching, &host.language)))));
    }
    let engine = &host.shown.engine;
    let place = (host.seen.branch, engine.seq(), engine.inputs());
    let Some(teaching) = &mut host.shown.lesson else { return facts };
    let was_open = host.lesson_told.shown.as_ref().is_none_or(|shown| shown.verdict == Verdict::Open);
    if was_open && *teaching.attempt.verdict() != lesson::Verdict::Open && !teaching.off_track {
        facts.push(Fact::Stopped);
        if let Some(link) = teaching.has_ended() {
            let lesson = teaching.lesson.id.clone();
            (host.keeper)(Keep::Try { lesson, link });
        }
    }
    teaching.reveal();
    if teaching.moves.0 != Some(place) {
        let moves = candidates(&teaching.lesson, &engine.view());
        let titles = moves.into_iter().take(MOST_MOVES).map(|(title, _)| Text::from(title));
        teaching.moves = (Some(place), titles.collect());
    }
    let mut shown = shown(teaching);
    if matches!(shown.verdict, Verdict::Passed { .. }) {
        let now = engine.now_ms();
        shown.dares = finish::dares(&engine.view(), now / 2, 0, now);
    }
    if host.lesson_told.shown.as_deref() != Some(&shown) {
        let shown = Arc::new(shown);
        host.lesson_told.shown = Some(Arc::clone(&shown));
        facts.push(Fact::Try(Ptr(shown)));
    }
    facts
}

fn card(teaching: &Teaching, language: &str) -> Card {
    let (lesson, texts) = (&teaching.lesson, &teaching.texts);
    let course = planarium_gallery::lesson_heads();
    let at = course.iter().position(|one| one.id == lesson.id).filter(|_| teaching.own.is_none());
    let next = at.and_then(|at| course.get(at + 1)).and_then(|next| {
        let (_, title) = next.title_in(language)?;
        Some(NextLesson { id: next.id.into(), title: title.into() })
    });
    let check = |check: &lesson::NamedCheck| CheckCard {
        id: check.id.clone().into(),
        role: match check.role {
            lesson::Role::Goal => Role::Goal,
            lesson::Role::Never => Role::Never,
        },
        text: texts.checks.get(&check.id).unwrap_or(&check.check.text).clone().into(),
    };
    let question = |question: &lesson::Prediction| {
        let words = texts.predict.get(&question.id);
        let option = |option: &lesson::PredictionOption| {
            let text = words.and_then(|words| words.options.get(&option.id)).map(|option| &option.text);
            Text::from(text.unwrap_or(&option.id).clone())
        };
        QuestionCard {
            ask: words.map_or(&question.id, |words| &words.ask).clone().into(),
            options: question.options.iter().map(option).collect(),
        }
    };
    Card {
        id: lesson.id.clone().into(),
        title: texts.title.clone().into(),
        story: texts.story.clone().into(),
        allowed: lesson.allowed.iter().map(|word| Text::from(word.clone())).collect(),
        checks: lesson.checks.iter().map(check).collect(),
        questions: lesson.predict.iter().map(question).collect(),
        hints: texts.hints.len(),
        par: teaching.par,
        limit_ms: lesson.scenario.limit_ms,
        done: texts.done.clone().into(),
        next,
        place: at.map(|at| (at + 1, course.len())),
        link: teaching.link().into(),
    }
}

fn shown(teaching: &Teaching) -> Try {
    let progress = teaching.attempt.progress();
    let mut now = score(progress.score);
    let verdict = match &progress.verdict {
        lesson::Verdict::Open => Verdict::Open,
        lesson::Verdict::Passed { at_ms } => Verdict::Passed { at_ms: *at_ms },
        lesson::Verdict::Lost { at_ms, check } => {
            let check = progress.checks.iter().position(|one| one.id == *check).unwrap_or_default();
            Verdict::Lost { at_ms: *at_ms, check }
        }
    };
    if verdict == Verdict::Open {
        now.time_ms -= now.time_ms % 1000;
        now.unavailable_ms -= now.unavailable_ms % 1000;
    }
    let passed = matches!(verdict, Verdict::Passed { .. });
    let earlier = teaching.ended.iter().enumerate().map(|(at, ended)| Earlier {
        number: at + 1,
        passed: ended.passed,
        text: Arc::clone(&ended.text),
        score: ended.score,
    });
    Try {
        verdict,
        checks: progress.checks.iter().map(check_line).collect(),
        stars: teaching.par.filter(|_| passed).map(|par| now.stars(&par)),
        score: now,
        answers: answers(teaching, verdict != Verdict::Open),
        hints: teaching
            .texts
            .hints
            .iter()
            .take(teaching.hints)
            .map(|hint| Text::from(hint.clone()))
            .collect(),
        moves: teaching.moves.1.clone(),
        solution: teaching.solution.clone(),
        gave_up: teaching.gave_up,
        earlier: earlier.collect(),
        off_track: teaching.off_track,
        dares: Vec::new(),
    }
}

fn check_line(check: &lesson::CheckProgress) -> CheckLine {
    let account = check.account.as_ref().map(|account| Account {
        sentence: account.sentence.clone().into(),
        chain: account.chain.iter().rev().map(cause).collect(),
        back_ms: account.back.at_ms,
    });
    let state = match check.state {
        State::Met => CheckState::Met,
        State::NotYet => CheckState::NotYet,
        State::Lost => CheckState::Lost,
    };
    CheckLine { state, at_ms: check.at_ms, account }
}

fn cause(link: &lesson::Link) -> CauseLine {
    CauseLine { at_ms: link.at_ms, event: link.event, text: link.text.clone().into() }
}

/// Returns the answers, with the right ones that the run has already revealed.
fn answers(teaching: &Teaching, over: bool) -> Vec<Option<Answered>> {
    let now_ms = teaching.attempt.engine().now_ms();
    let pairs = teaching.lesson.predict.iter().zip(&teaching.answers);
    let answered = pairs.map(|(question, answer)| {
        let answer = (*answer)?;
        let words = teaching.texts.predict.get(&question.id);
        let because = |at: usize| {
            let option = words?.options.get(&question.options.get(at)?.id)?;
            Some(Text::from(option.because.clone()))
        };
        let outcome = (over || now_ms >= answer.at_ms).then(|| Outcome {
            right: answer.right,
            because: because(answer.right).unwrap_or_default(),
            not: (answer.option != answer.right).then(|| because(answer.option)).flatten(),
        });
        Some(Answered { option: answer.option, outcome })
    });
    answered.collect()
}
