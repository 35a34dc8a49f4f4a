//! Deeds of a learner beside commands: answers, hints, going back, the solution.

use crate::host::Host;
use planarium_messages::clock::clock;
use planarium_messages::facts::{Fact, Reply};
use planarium_messages::lessons::LessonAsk;
use planarium_scenario::lesson::{Account, Attempt, Verdict, candidates};
use planarium_world::Engine;

impl Host {
    /// Answers a question about lessons.
    pub(crate) fn lesson_ask(&mut self, ask: LessonAsk) -> Vec<Fact> {
        match ask {
            LessonAsk::Open(id) => self.open_lesson(&id),
            LessonAsk::Answer(question, option) => {
                if let Some(teaching) = &mut self.shown.lesson {
                    teaching.answer(question, option);
                }
                Vec::new()
            }
            LessonAsk::Hint => {
                if let Some(teaching) = &mut self.shown.lesson {
                    teaching.hints = (teaching.hints + 1).min(teaching.texts.hints.len());
                }
                Vec::new()
            }
            LessonAsk::Give(title) => self.give(&title),
            LessonAsk::GoBack => self.go_back(),
            LessonAsk::Solution => {
                if let Some(teaching) = &mut self.shown.lesson {
                    teaching.gave_up |= !teaching.is_open();
                }
                Vec::new()
            }
            LessonAsk::Leave => self.leave_lesson(),
            LessonAsk::Suggest => vec![Fact::Reply(Reply::Material(Box::new(self.material())))],
            LessonAsk::Make(draft) => vec![Fact::Reply(Reply::Made(self.make_lesson(&draft)))],
            LessonAsk::HandIn(name) => vec![Fact::Reply(Reply::HandIn(self.hand_in(&name)))],
            LessonAsk::Results(text) => vec![Fact::Reply(Reply::Results(self.results(&text)))],
        }
    }

    fn give(&mut self, title: &str) -> Vec<Fact> {
        let Some(teaching) = &self.shown.lesson else { return Vec::new() };
        let moves = candidates(&teaching.lesson, &self.shown.engine.view());
        match moves.into_iter().find(|(known, _)| known == title) {
            Some((_, input)) => self.put_in(&input),
            None => vec![Fact::Refused(format!("`{title}` cannot be done at this moment.").into())],
        }
    }

    /// Goes to before the step that lost, on a branch of its own.
    fn go_back(&mut self) -> Vec<Fact> {
        let Some(back) = self.lost_account().map(|account| account.back) else { return Vec::new() };
        let (before, by_hand) = (self.stand(), self.shown.by_hand);
        let engine = &mut self.shown.engine;
        engine.seek_ms(back.at_ms);
        while engine.inputs() >= back.input && engine.step_back() {}
        let here = engine.place();
        engine.branch_from(here);
        let at_ms = engine.now_ms();
        let moved = self.moved();
        self.follow_run();
        // Between the last event and the step the clock may have gone on.
        if at_ms < back.at_ms {
            self.play_to(back.at_ms);
        }
        vec![moved, self.moved(), self.did(format!("Went back to {}", clock(back.at_ms)), before, by_hand)]
    }

    /// The account of the check that was lost first.
    fn lost_account(&self) -> Option<Account> {
        let attempt = &self.shown.lesson.as_ref()?.attempt;
        let Verdict::Lost { check, .. } = attempt.verdict() else { return None };
        let progress = attempt.progress();
        progress.checks.into_iter().find(|shown| shown.id == *check)?.account
    }

    /// The world of the lesson becomes a sandbox.
    fn leave_lesson(&mut self) -> Vec<Fact> {
        if self.shown.lesson.take().is_none() {
            return Vec::new();
        }
        self.shown.by_hand = true;
        vec![self.push_address()]
    }

    /// The solution, for a comparison with the run shown. None while it may not be seen.
    pub(crate) fn solution_engine(&self) -> Option<Engine> {
        let teaching = self.shown.lesson.as_ref().filter(|teaching| teaching.is_open())?;
        teaching.solved().map(Attempt::into_engine)
    }

    /// An earlier try, for a comparison with the run shown.
    pub(crate) fn earlier_engine(&self, number: usize) -> Option<Engine> {
        let ended = &self.shown.lesson.as_ref()?.ended;
        Engine::from_journal(&ended.get(number.checked_sub(1)?)?.journal).ok()
    }
}
