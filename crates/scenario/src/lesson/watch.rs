//! Watches a run for a lesson: evaluates every check after each event.
//!
//! Knows: when a check is met or lost. Must not know: who moves the clock, how a loss is reported.
//!
//! *Order*: a caller stops at every instant with events or named by [`Watch::due_ms`], and calls [`Watch::look`]
//! there. *Invariant*: a met or lost check never changes.

use super::account::Account;
use super::check::Check;
use super::losses::{Best, Losses, Shortage, sentence};
use super::model::Lesson;
use super::observed::Observed;
use super::progress::{CheckProgress, Progress, Score, State, Verdict};
use super::states::{States, Term};
use planarium_world::Engine;
use std::sync::Arc;

/// The checks of a lesson, evaluated over a run.
#[derive(Clone, Debug)]
pub struct Watch {
    lesson: Arc<Lesson>,
    facts: Observed,
    checks: Vec<Tracker>,
    verdict: Verdict,
    /// The score at the moment of passing.
    passed_with: Option<Score>,
    /// Numbers of the learner's inputs.
    learner: Vec<u64>,
    /// Number of the last set-up input.
    set_up: u64,
}

/// Progress of one check.
#[derive(Clone, Debug, Default)]
struct Tracker {
    state: State,
    at_ms: Option<u64>,
    /// Instant from which the check is evaluated.
    armed_ms: Option<u64>,
    account: Option<Account>,
    /// The shortage that lost the check, while it continues.
    shortage: Option<Shortage>,
    /// The maximum number of instances available at once.
    best: Option<Best>,
}

impl Watch {
    /// Creates a watch over a world that was just set up.
    pub fn new(lesson: Arc<Lesson>) -> Self {
        let mut facts = Observed::default();
        for serving in &lesson.serving {
            facts.measure(&serving.of, serving.needed);
        }
        for check in &lesson.checks {
            let parts = [Some(&check.check.states), check.check.after.as_ref(), check.check.until.as_ref()];
            for term in parts.into_iter().flatten().flat_map(|states| &states.0) {
                if let Term::Below { of, needed, .. } = term {
                    facts.measure(of, *needed);
                }
            }
        }
        let checks = lesson.checks.iter().map(|_| Tracker::default()).collect();
        let set_up = lesson.scenario.set_up().len() as u64;
        Self { lesson, facts, checks, verdict: Verdict::Open, passed_with: None, learner: Vec::new(), set_up }
    }

    /// Records that an input was the learner's.
    pub fn command(&mut self, number: u64, refused: bool) {
        self.learner.push(number);
        self.facts.commands += u64::from(!refused);
    }

    /// Returns the next instant at which a check may change without an event. *Units*: milliseconds since genesis.
    pub fn due_ms(&self) -> Option<u64> {
        let now = self.facts.now_ms;
        let open =
            self.checks.iter().zip(&self.lesson.checks).filter(|(tracker, _)| tracker.state == State::NotYet);
        let due = open.flat_map(|(tracker, named)| {
            let check = &named.check;
            let parts = [Some(&check.states), check.after.as_ref(), check.until.as_ref()];
            let states = parts.into_iter().flatten().filter_map(|states| self.facts.due_ms(states)).min();
            [check.by_ms, check.at_ms, tracker.deadline(check), states]
        });
        due.flatten().filter(|ms| *ms > now).min()
    }

    /// Evaluates the checks at the engine's current instant.
    pub fn look(&mut self, engine: &Engine) {
        let news = self.facts.look(engine);
        let due = !news && self.due_now();
        if !news && !due && self.verdict != Verdict::Open {
            return;
        }
        for index in 0..self.checks.len() {
            self.judge(index, engine);
        }
        self.decide();
    }

    /// Returns whether an instant without events needs evaluation; most do not.
    fn due_now(&self) -> bool {
        self.checks.iter().any(|tracker| tracker.state == State::NotYet || tracker.shortage.is_some())
    }

    /// Ends the lesson: checks that are not met are lost.
    pub fn end(&mut self, engine: &Engine) {
        for index in 0..self.checks.len() {
            let is_open = self.checks.get(index).is_some_and(|tracker| tracker.state == State::NotYet);
            let Some(named) = self.lesson.checks.get(index).cloned() else { continue };
            let at_ms = self.facts.now_ms;
            if is_open && named.check.never {
                if let Some(tracker) = self.checks.get_mut(index) {
                    tracker.settle(State::Met, at_ms);
                }
            } else if is_open {
                let account = self.missed(&named.check, index, at_ms, engine);
                self.lose(index, at_ms, account);
            }
        }
        self.decide();
    }

    /// The verdict so far.
    pub fn verdict(&self) -> &Verdict {
        &self.verdict
    }

    /// The learner's inputs by number.
    pub fn learner(&self) -> &[u64] {
        &self.learner
    }

    /// Everything as plain data.
    pub fn progress(&self) -> Progress {
        let checks = self.checks.iter().zip(&self.lesson.checks).map(|(tracker, named)| CheckProgress {
            id: named.id.clone(),
            role: named.role,
            check: named.check.text.clone(),
            state: tracker.state,
            at_ms: tracker.at_ms,
            account: tracker.account.clone(),
        });
        Progress {
            now_ms: self.facts.now_ms,
            verdict: self.verdict.clone(),
            checks: checks.collect(),
            score: self.score(),
        }
    }

    /// The score so far, or at the moment of passing.
    pub fn score(&self) -> Score {
        if let Some(score) = self.passed_with {
            return score;
        }
        let time_ms = self.facts.now_ms;
        let below = self.lesson.serving.iter().map(|one| self.facts.below_ms(&one.of, one.needed));
        Score { commands: self.facts.commands, time_ms, unavailable_ms: below.sum() }
    }

    /// Returns whether states hold at the last evaluated instant.
    pub fn holds(&self, states: &States) -> bool {
        self.facts.hold(states)
    }

    fn judge(&mut self, index: usize, engine: &Engine) {
        let lesson = Arc::clone(&self.lesson);
        let Some(named) = lesson.checks.get(index) else { return };
        let check = &named.check;
        let Some(tracker) = self.checks.get_mut(index) else { return };
        if tracker.state != State::NotYet {
            tracker.go_on(&self.facts);
            return;
        }
        let now = self.facts.now_ms;
        if tracker.armed_ms.is_none() && check.after.as_ref().is_none_or(|after| self.facts.hold(after)) {
            tracker.armed_ms = Some(now);
        }
        let armed = tracker.armed_ms.is_some();
        tracker.keep_best(check, &self.facts);
        let holds = armed && self.facts.hold(&check.states);
        if check.never {
            let over = check.until.as_ref().is_some_and(|until| armed && self.facts.hold(until));
            if over {
                tracker.settle(State::Met, now);
            } else if holds {
                let (account, shortage) = self.losses(engine).broken(check);
                self.lose(index, now, account);
                if let Some(tracker) = self.checks.get_mut(index) {
                    tracker.shortage = shortage;
                }
            }
            return;
        }
        let deadline = [check.by_ms, check.at_ms, tracker.deadline(check)].into_iter().flatten().min();
        let is_time = check.at_ms.is_none_or(|at| now >= at);
        if holds && is_time && deadline.is_none_or(|deadline| now <= deadline) {
            tracker.settle(State::Met, now);
        } else if let Some(deadline) = deadline.filter(|deadline| now >= *deadline) {
            let account = self.missed(check, index, deadline, engine);
            self.lose(index, deadline, account);
        }
    }

    fn losses<'w>(&'w self, engine: &'w Engine) -> Losses<'w> {
        Losses {
            facts: &self.facts,
            engine,
            learner: &self.learner,
            set_up: self.set_up,
            serving: &self.lesson.serving,
        }
    }

    fn missed(&self, check: &Check, index: usize, at_ms: u64, engine: &Engine) -> Account {
        let tracker = self.checks.get(index);
        let armed = tracker.is_some_and(|tracker| tracker.armed_ms.is_some());
        let best = tracker.and_then(|tracker| tracker.best.as_ref());
        self.losses(engine).missed(check, armed, best, at_ms)
    }

    fn lose(&mut self, index: usize, at_ms: u64, account: Account) {
        if let Some(tracker) = self.checks.get_mut(index) {
            tracker.settle(State::Lost, at_ms);
            tracker.account = Some(account);
        }
    }

    fn decide(&mut self) {
        if self.verdict != Verdict::Open {
            return;
        }
        let pairs = || self.checks.iter().zip(&self.lesson.checks);
        let lost = pairs().filter(|(tracker, _)| tracker.state == State::Lost);
        if let Some((tracker, named)) = lost.min_by_key(|(tracker, _)| tracker.at_ms) {
            let at_ms = tracker.at_ms.unwrap_or(self.facts.now_ms);
            self.verdict = Verdict::Lost { at_ms, check: named.id.clone() };
            return;
        }
        let wanted = pairs().filter(|(_, named)| !named.check.never);
        let open = wanted.filter(|(tracker, _)| tracker.state != State::Met).count();
        if open == 0 {
            let at_ms = self.facts.now_ms;
            self.passed_with = Some(self.score());
            self.verdict = Verdict::Passed { at_ms };
            for tracker in self.checks.iter_mut().filter(|tracker| tracker.state == State::NotYet) {
                tracker.settle(State::Met, at_ms);
            }
        }
    }
}

impl Tracker {
    fn settle(&mut self, state: State, at_ms: u64) {
        self.state = state;
        self.at_ms = Some(at_ms);
    }

    fn deadline(&self, check: &Check) -> Option<u64> {
        Some(self.armed_ms?.saturating_add(check.within_ms?))
    }

    /// Records the maximum number of available instances, for a check that requires a number.
    fn keep_best(&mut self, check: &Check, facts: &Observed) {
        let wanted = check.states.0.iter().find_map(|term| match term {
            Term::Available { of, bound } if bound.least > 0 => Some(of),
            _ => None,
        });
        let Some(of) = wanted.filter(|_| !check.never) else { return };
        let count = facts.available(of);
        match &mut self.best {
            Some(best) if count < best.count => {
                best.until_ms.get_or_insert(facts.now_ms);
            }
            Some(best) if count == best.count => {}
            _ => self.best = Some(Best { count, since_ms: facts.now_ms, until_ms: None }),
        }
    }

    /// Updates the duration and depth of the shortage that lost the check.
    fn go_on(&mut self, facts: &Observed) {
        let Some(shortage) = &mut self.shortage else { return };
        let count = facts.available(&shortage.of);
        let over = !shortage.bound.holds(count);
        if !over && shortage.bound.least == 0 {
            shortage.count = shortage.count.min(count);
        }
        let nearest = shortage.words(facts.now_ms);
        if over {
            self.shortage = None;
        }
        if let Some(account) = &mut self.account {
            account.sentence = sentence(account.at_ms, &nearest, &account.because);
            account.nearest = nearest;
        }
    }
}
