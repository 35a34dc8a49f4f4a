//! Watches a run for a lesson: looks at every check whenever something happened.
//!
//! Knows: when a check is met or lost, and how its account is put together. Must not know: who moves the clock.
//!
//! *Order*: a caller stops at every instant at which something happens or that [`Watch::due_ms`] names, and calls
//! [`Watch::look`] there. *Invariant*: a check that is met or lost stays so.

use super::account::{Account, Chain, Place, because, input, instant, span};
use super::check::Check;
use super::facts::{Facts, is_at};
use super::model::{Lesson, NamedCheck};
use super::progress::{CheckProgress, Progress, Score, State, Verdict};
use super::states::{Bound, States, Term};
use planarium_protocol::event::EventBody;
use planarium_world::{Condition, Engine};
use std::sync::Arc;

/// Most causes that a sentence names.
const CAUSES: usize = 3;

/// The checks of a lesson over a run.
#[derive(Clone, Debug)]
pub struct Watch {
    lesson: Arc<Lesson>,
    facts: Facts,
    checks: Vec<Tracker>,
    verdict: Verdict,
    /// The score at the moment of passing.
    passed_with: Option<Score>,
    /// Numbers of the learner's inputs.
    learner: Vec<u64>,
    /// Number of the last input that set the world up.
    set_up: u64,
}

/// How far one check is.
#[derive(Clone, Debug, Default)]
struct Tracker {
    state: State,
    at_ms: Option<u64>,
    /// Since when the check looks.
    armed_ms: Option<u64>,
    account: Option<Account>,
    /// The shortage that lost the check, while it lasts.
    shortage: Option<Shortage>,
    /// The most instances that were available at once.
    best: Option<Best>,
}

/// Too few or too many instances since an instant.
#[derive(Clone, Debug)]
struct Shortage {
    of: String,
    bound: Bound,
    count: u64,
    since_ms: u64,
}

#[derive(Clone, Debug)]
struct Best {
    count: u64,
    since_ms: u64,
    /// End of the span, once it is over.
    until_ms: Option<u64>,
}

impl Watch {
    /// A watch over a world that was just set up.
    pub fn new(lesson: Arc<Lesson>) -> Self {
        let mut facts = Facts::default();
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

    /// Takes note that an input was the learner's.
    pub fn command(&mut self, number: u64, refused: bool) {
        self.learner.push(number);
        self.facts.commands += u64::from(!refused);
    }

    /// The next instant at which a check may change although nothing happens. *Units*: milliseconds since genesis.
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

    /// Looks at the run where the engine stands.
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

    /// Whether there is anything to judge at an instant without news: most are passed over.
    fn due_now(&self) -> bool {
        self.checks.iter().any(|tracker| tracker.state == State::NotYet || tracker.shortage.is_some())
    }

    /// The time is up: what is not met is lost.
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
                let account = self.missed(&named, index, at_ms, engine);
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

    /// Whether states hold where the run was last looked at.
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
                let account = self.broken(named, index, engine);
                self.lose(index, now, account);
            }
            return;
        }
        let deadline = [check.by_ms, check.at_ms, tracker.deadline(check)].into_iter().flatten().min();
        let is_time = check.at_ms.is_none_or(|at| now >= at);
        if holds && is_time && deadline.is_none_or(|deadline| now <= deadline) {
            tracker.settle(State::Met, now);
        } else if let Some(deadline) = deadline.filter(|deadline| now >= *deadline) {
            let account = self.missed(named, index, deadline, engine);
            self.lose(index, deadline, account);
        }
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

    /// The account of a state that came although it must not.
    fn broken(&mut self, named: &NamedCheck, index: usize, engine: &Engine) -> Account {
        let now = self.facts.now_ms;
        let telling =
            |term: &&Term| !matches!(term, Term::Condition(Condition::Time { .. } | Condition::Idle, _));
        let terms = &named.check.states.0;
        let counted = |term: &&Term| telling(term) && !matches!(term, Term::Condition(..));
        let Some(term) =
            terms.iter().find(counted).or_else(|| terms.iter().find(telling)).or_else(|| terms.first())
        else {
            return self.account(now, String::new(), String::new(), Vec::new(), Chain::default(), engine);
        };
        match term {
            Term::Available { of, bound } => {
                let shortage = Shortage {
                    of: of.clone(),
                    bound: *bound,
                    count: self.facts.available(of),
                    since_ms: now,
                };
                let (words, chain) = because(engine, &self.facts.missing(of), &self.learner);
                let nearest = shortage.words(now);
                if let Some(tracker) = self.checks.get_mut(index) {
                    tracker.shortage = Some(shortage);
                }
                self.account(now, of.clone(), nearest, words, chain, engine)
            }
            Term::Below { of, needed, bound } => {
                let (words, chain) = because(engine, &self.facts.missing(of), &self.learner);
                let below = span(self.facts.below_ms(of, *needed));
                let most = span(bound.least.saturating_sub(1));
                let nearest = format!("{needed} needed of {of}, fewer for {below} in all, {most} allowed");
                self.account(now, of.clone(), nearest, words, chain, engine)
            }
            Term::Commands { bound } => {
                let allowed = bound.least.saturating_sub(1);
                let nearest = format!("{allowed} commands allowed, this was number {}", self.facts.commands);
                let root = self.learner.last().copied();
                let links = root
                    .and_then(|number| input(engine, number))
                    .map(|(at_ms, text)| super::account::Link { at_ms, event: None, input: root, text });
                let words = links.iter().map(|link| format!("of `{}`", link.text)).collect();
                let chain = Chain { links: links.into_iter().collect(), root, ..Chain::default() };
                self.account(now, "commands".to_owned(), nearest, words, chain, engine)
            }
            Term::TasksOn { host, .. } => {
                let nearest = format!("{} tasks on {host}", self.facts.tasks_on(host));
                let chain = Chain::of(engine, engine.seq());
                self.account(now, host.clone(), nearest, Vec::new(), chain, engine)
            }
            Term::Machine { host, state } => {
                let chain = Chain::of(engine, last_of_machine(engine, host));
                self.account(now, host.clone(), format!("{host} was {state}"), Vec::new(), chain, engine)
            }
            Term::Condition(condition, text) => {
                let element = element_of(condition).unwrap_or_else(|| text.clone());
                let seq = last_status(engine, &element).map_or(engine.seq(), |(seq, _)| seq);
                let chain = Chain::of(engine, seq);
                let words = chain.root_words(self.set_up);
                self.account(now, element, format!("{text} came true"), words, chain, engine)
            }
        }
    }

    /// The account of a state that did not come in time.
    fn missed(&self, named: &NamedCheck, index: usize, at_ms: u64, engine: &Engine) -> Account {
        let check = &named.check;
        let armed = self.checks.get(index).is_some_and(|tracker| tracker.armed_ms.is_some());
        let states = if armed { &check.states } else { check.after.as_ref().unwrap_or(&check.states) };
        let open = states.0.iter().find(|term| !self.facts.holds(term)).or_else(|| states.0.first());
        let best = self.checks.get(index).and_then(|tracker| tracker.best.as_ref());
        match open {
            Some(Term::Available { of, bound }) => {
                let count = self.facts.available(of);
                let mut nearest = format!("{} needed of {of}, {count} available", bound.words());
                if let Some(best) = best.filter(|best| best.count > count) {
                    let lasted = span(best.until_ms.unwrap_or(at_ms).saturating_sub(best.since_ms));
                    nearest = format!(
                        "{nearest}; {} at most, for {lasted} from {}",
                        best.count,
                        instant(best.since_ms)
                    );
                }
                let (words, chain) = because(engine, &self.facts.missing(of), &self.learner);
                self.account(at_ms, of.clone(), nearest, words, chain, engine)
            }
            Some(Term::Condition(condition @ Condition::Status { element, .. }, text)) => {
                let element = element_of(condition).unwrap_or_else(|| element.to_string());
                let shown = self.facts.status(&element).unwrap_or("nothing, since it is not there");
                let last = last_status(engine, &element);
                let since = last.map(|(_, ms)| format!(" since {}", instant(ms))).unwrap_or_default();
                let nearest = format!("{text} was due, {element} shows {shown}{since}");
                let path = crate::find_element(&engine.view(), &element);
                let why = path.and_then(|path| engine.why(&path)).map(|why| why.sentence);
                let words = why.map(|why| why.trim_end_matches('.').to_owned()).into_iter().collect();
                let chain = last.map(|(seq, _)| Chain::of(engine, seq)).unwrap_or_default();
                self.account(at_ms, element, nearest, words, chain, engine)
            }
            Some(Term::TasksOn { host, bound }) => {
                let count = self.facts.tasks_on(host);
                let nearest = format!("{} tasks on {host} wanted, {count} there", bound.words());
                self.account(at_ms, host.clone(), nearest, Vec::new(), Chain::default(), engine)
            }
            Some(Term::Machine { host, state }) => {
                let shown = self.facts.machine(host).map_or("not there", |machine| &machine.state);
                let nearest = format!("{host} was to be {state}, it is {shown}");
                let chain = Chain::of(engine, last_of_machine(engine, host));
                self.account(at_ms, host.clone(), nearest, Vec::new(), chain, engine)
            }
            _ => {
                let nearest = format!("{} did not come true", check.text);
                self.account(at_ms, check.text.clone(), nearest, Vec::new(), Chain::default(), engine)
            }
        }
    }

    fn account(
        &self,
        at_ms: u64,
        element: String,
        nearest: String,
        because: Vec<String>,
        chain: Chain,
        engine: &Engine,
    ) -> Account {
        let sentence = sentence(at_ms, &nearest, &because);
        let back = self.back(at_ms, chain.root, engine);
        Account { at_ms, element, sentence, nearest, because, chain: chain.links, back }
    }

    /// The place to go back to: before the input that began the chain; where that is part of the set-up, before the learner's
    /// last input, or the beginning.
    fn back(&self, at_ms: u64, root: Option<u64>, engine: &Engine) -> Place {
        let learnt = self.learner.last().copied();
        let number = root.filter(|root| *root > self.set_up).or(learnt);
        let placed = number.and_then(|number| {
            let at_ms = engine.entries().iter().find(|entry| entry.seq == number)?.at_ms;
            // The learner acts before what the lesson does by itself, so the place is a little earlier.
            let early = u64::from(!self.learner.contains(&number));
            Some(Place { input: number, at_ms: at_ms.saturating_sub(early) })
        });
        placed.filter(|place| place.at_ms <= at_ms).unwrap_or(Place { input: self.set_up + 1, at_ms: 0 })
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

    /// Keeps the most instances that were available at once, for a check that needs a number of them.
    fn keep_best(&mut self, check: &Check, facts: &Facts) {
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

    /// Follows the shortage that lost the check, for how long it lasted and how deep it was.
    fn go_on(&mut self, facts: &Facts) {
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

impl Shortage {
    fn words(&self, now_ms: u64) -> String {
        let Self { of, bound, count, since_ms } = self;
        let lasted = now_ms.saturating_sub(*since_ms);
        let lasted = if lasted > 0 { format!("for {} ", span(lasted)) } else { String::new() };
        let from = instant(*since_ms);
        if bound.least == 0 {
            let needed = bound.most.saturating_add(1);
            format!("{needed} needed of {of}, {count} available {lasted}from {from}")
        } else {
            format!(
                "{} allowed of {of}, {count} available {lasted}from {from}",
                bound.least.saturating_sub(1)
            )
        }
    }
}

impl Chain {
    /// The input at the beginning in words, unless it is part of the set-up.
    fn root_words(&self, set_up: u64) -> Vec<String> {
        let link = self.links.last().filter(|link| link.input.is_some_and(|number| number > set_up));
        link.map(|link| format!("of `{}`", link.text)).into_iter().collect()
    }
}

/// `Lost at 1:12: 2 needed, 1 for 14 s from 1:12, because agent-3 went down while world-1 was restarting.`
fn sentence(at_ms: u64, nearest: &str, because: &[String]) -> String {
    let mut text = format!("Lost at {}: {nearest}", instant(at_ms));
    for (index, words) in because.iter().take(CAUSES).enumerate() {
        text.push_str(if index == 0 { ", because " } else { " while " });
        text.push_str(words);
    }
    text.push('.');
    text
}

fn element_of(condition: &Condition) -> Option<String> {
    match condition {
        Condition::Status { element, .. } => Some(element.to_string()),
        _ => None,
    }
}

/// Number and instant of the last change of an element's status.
fn last_status(engine: &Engine, element: &str) -> Option<(u64, u64)> {
    let changes = engine.events().iter().rev();
    changes
        .filter(|event| matches!(&event.body, EventBody::ElementStatus { path, .. } if is_at(path, element)))
        .map(|event| (event.seq, event.at_ms))
        .next()
}

/// Number of the last event that changed a machine's state.
fn last_of_machine(engine: &Engine, host: &str) -> u64 {
    let about = |body: &EventBody| match body {
        EventBody::MachineLost { agent, .. }
        | EventBody::MachineReturned { agent }
        | EventBody::AgentUnreachable { agent }
        | EventBody::AgentRemoved { agent, .. } => **agent == *host,
        EventBody::Maintenance { agents, .. } => agents.iter().any(|agent| **agent == *host),
        _ => false,
    };
    engine.events().iter().rev().find(|event| about(&event.body)).map_or(0, |event| event.seq)
}
