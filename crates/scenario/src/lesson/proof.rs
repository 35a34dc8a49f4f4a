//! Proves a lesson: its routes pass and fail as declared, its predictions come true, and every loss of a random player has an
//! account.
//!
//! Knows: the requirements of every lesson. Must not know: files, or how findings are printed.

use super::attempt::Attempt;
use super::candidates::{candidates, inputs, inputs_of};
use super::commands::covers;
use super::model::{Lesson, Route};
use super::progress::{Score, State, Verdict};
use super::texts::Texts;
use planarium_protocol::EventBody;
use serde::Serialize;
use std::sync::Arc;

/// Seeds used for a lesson without its own seed.
const SEEDS: [u64; 5] = [1, 2, 3, 5, 8];
/// Maximum number of commands of a random player.
const COMMANDS: u64 = 8;

/// The part of another lesson that a proof needs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Other {
    /// Its id.
    pub id: String,
    /// Words that it introduces.
    pub teaches: Vec<String>,
    /// Lessons that come before it.
    pub needs: Vec<String>,
}

/// Outcome of a proof.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Proof {
    /// Score of the solution with the lesson's own seed, or the first of the five.
    pub par: Option<Score>,
    /// Runs that were made.
    pub runs: u32,
    /// All violations, in order.
    pub findings: Vec<String>,
}

/// Proves a lesson. `others` are the lessons it may require, `texts` those of one language, `players` the number of random
/// players.
pub fn prove(lesson: &Arc<Lesson>, others: &[Other], texts: &[(String, Texts)], players: u64) -> Proof {
    let mut proof = Proof::default();
    proof.texts(lesson, texts);
    proof.commands(lesson, others);
    let own = [lesson.scenario.genesis.seed];
    let seeds: &[u64] = if lesson.pinned { &own } else { &SEEDS };
    for seed in seeds {
        proof.routes(lesson, *seed);
    }
    for question in &lesson.predict {
        for seed in seeds {
            proof.prediction(lesson, question, *seed);
        }
    }
    for (player, seed) in (0..players).zip(seeds.iter().cycle()) {
        proof.player(lesson, *seed, player);
    }
    proof
}

impl Proof {
    fn find(&mut self, finding: String) {
        if !self.findings.contains(&finding) {
            self.findings.push(finding);
        }
    }

    /// Checks that every name has a text and every text a name.
    fn texts(&mut self, lesson: &Lesson, texts: &[(String, Texts)]) {
        if texts.is_empty() {
            self.find(format!("there are no texts; write {}.en.yaml beside the lesson", lesson.id));
        }
        for (key, empty) in [("also", lesson.also.is_empty()), ("naive", lesson.naive.is_empty())] {
            if empty {
                self.find(format!("there is no route in `{key}`"));
            }
        }
        if lesson.hints == 0 {
            self.find("there are no hints".to_owned());
        }
        for (language, texts) in texts {
            for finding in texts.findings(lesson) {
                self.find(format!("{language}: {finding}"));
            }
        }
    }

    /// Checks that routes use commands taught here or in an earlier lesson, and that taught commands are allowed.
    fn commands(&mut self, lesson: &Lesson, others: &[Other]) {
        let mut taught: Vec<&str> = lesson.teaches.iter().map(String::as_str).collect();
        let mut open: Vec<&str> = lesson.needs.iter().map(String::as_str).collect();
        let mut seen: Vec<&str> = Vec::new();
        while let Some(id) = open.pop() {
            if seen.contains(&id) {
                continue;
            }
            seen.push(id);
            let Some(other) = others.iter().find(|other| other.id == id) else {
                self.find(format!("it needs a lesson `{id}`, which is not there"));
                continue;
            };
            taught.extend(other.teaches.iter().map(String::as_str));
            open.extend(other.needs.iter().map(String::as_str));
        }
        if seen.contains(&lesson.id.as_str()) {
            self.find("it needs itself".to_owned());
        }
        let solving = std::iter::once(&lesson.solution).chain(&lesson.also);
        for input in solving.flat_map(inputs_of) {
            if !taught.iter().any(|word| covers(word, input)) {
                let word = super::commands::word(input);
                self.find(format!(
                    "a solution uses `{word}`, which neither this lesson nor one that it needs teaches"
                ));
            }
        }
        for input in inputs(lesson) {
            if !lesson.allowed.iter().any(|word| covers(word, input)) {
                let word = super::commands::word(input);
                self.find(format!("a route uses `{word}`, which is not allowed"));
            }
        }
    }

    fn routes(&mut self, lesson: &Arc<Lesson>, seed: u64) {
        if let Some(score) = self.passes(lesson, seed, "the solution", &lesson.solution) {
            self.par.get_or_insert(score);
        }
        for (index, route) in lesson.also.iter().enumerate() {
            self.passes(lesson, seed, &format!("route {} of `also`", index + 1), route);
        }
        for (index, naive) in lesson.naive.iter().enumerate() {
            let name = format!("route {} of `naive`", index + 1);
            let Some(attempt) = self.run(lesson, seed, &name, &naive.play) else { continue };
            match attempt.verdict() {
                Verdict::Lost { check, .. } if *check == naive.fails => self.told(&attempt, &name, seed),
                other => self.find(format!(
                    "seed {seed}: {name} should lose `{}` first: {}",
                    naive.fails,
                    shown(other, &attempt)
                )),
            }
        }
        if let Some(attempt) = self.run(lesson, seed, "doing nothing", &Vec::new()) {
            match attempt.verdict() {
                Verdict::Lost { .. } => self.told(&attempt, "doing nothing", seed),
                other => self
                    .find(format!("seed {seed}: doing nothing should not pass: {}", shown(other, &attempt))),
            }
        }
    }

    fn passes(&mut self, lesson: &Arc<Lesson>, seed: u64, name: &str, route: &Route) -> Option<Score> {
        let attempt = self.run(lesson, seed, name, route)?;
        if let Verdict::Passed { .. } = attempt.verdict() {
            return Some(attempt.score());
        }
        self.find(format!("seed {seed}: {name} should pass: {}", shown(attempt.verdict(), &attempt)));
        None
    }

    fn run(&mut self, lesson: &Arc<Lesson>, seed: u64, name: &str, route: &Route) -> Option<Attempt> {
        self.runs += 1;
        let mut attempt = Attempt::start(lesson, Some(seed));
        if let Err(error) = attempt.play(route) {
            self.find(format!("seed {seed}: {name}: {error}"));
            return None;
        }
        Some(attempt)
    }

    /// Checks that exactly the right option comes true.
    fn prediction(&mut self, lesson: &Arc<Lesson>, question: &super::Prediction, seed: u64) {
        let checks = question.options.iter().map(|option| super::NamedCheck {
            id: option.id.clone(),
            role: super::Role::Goal,
            check: option.when.clone(),
        });
        let asked = Arc::new(Lesson { checks: checks.collect(), ..Lesson::clone(lesson) });
        self.runs += 1;
        let mut attempt = Attempt::start(&asked, Some(seed));
        let played = attempt.play_on(&question.play);
        if let Err(error) = played {
            self.find(format!("seed {seed}: prediction `{}`: {error}", question.id));
            return;
        }
        let progress = attempt.progress();
        for (option, shown) in question.options.iter().zip(progress.checks) {
            let came = shown.state == State::Met;
            if came != option.right {
                let marked = if option.right { "right" } else { "wrong" };
                let did = if came { "comes true" } else { "does not come true" };
                self.find(format!(
                    "seed {seed}: prediction `{}`: `{}` is marked as {marked} and {did}",
                    question.id, option.id
                ));
            }
        }
    }

    /// Plays random allowed commands: every run must pass, or be lost with an account.
    fn player(&mut self, lesson: &Arc<Lesson>, seed: u64, player: u64) {
        self.runs += 1;
        let mut luck = Luck(player.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ seed);
        let mut attempt = Attempt::start(lesson, Some(seed));
        for _ in 0..luck.below(COMMANDS + 1) {
            let pause = luck.below(lesson.scenario.limit_ms / 4);
            let until = attempt.engine().now_ms().saturating_add(pause);
            if attempt.advance_to_verdict(until) {
                break;
            }
            let moves = candidates(lesson, &attempt.engine().view());
            let pick = luck.below(moves.len() as u64);
            if let Some((_, (_, input))) = (0..).zip(moves).find(|(number, _)| *number == pick) {
                // The view offers allowed commands only; a refusal is fine, too.
                let _ = attempt.command(input);
            }
        }
        attempt.advance_to_verdict(attempt.limit_ms());
        self.told(&attempt, &format!("random player {player}"), seed);
    }

    /// Checks that a try ends passed, or lost with an account that has an instant, an element and a position to go
    /// back to.
    fn told(&mut self, attempt: &Attempt, name: &str, seed: u64) {
        let broken = |body: &EventBody| match body {
            EventBody::InvariantBroken { text } | EventBody::LimitReached { text, .. } => {
                Some(text.to_string())
            }
            _ => None,
        };
        if let Some(text) = attempt.engine().events().iter().find_map(|event| broken(&event.body)) {
            self.find(format!("seed {seed}: {name}: the simulator: {text}"));
        }
        match attempt.verdict() {
            Verdict::Passed { .. } => {}
            Verdict::Open => self.find(format!("seed {seed}: {name} ends without a verdict")),
            Verdict::Lost { check, at_ms } => {
                let progress = attempt.progress();
                let account = progress.checks.iter().find(|shown| shown.id == *check);
                let account = account.and_then(|shown| shown.account.as_ref());
                let told = account.is_some_and(|account| {
                    let said = !account.element.is_empty() && !account.nearest.is_empty();
                    said && !account.chain.is_empty() && account.back.at_ms <= *at_ms
                });
                if !told {
                    self.find(format!("seed {seed}: {name} loses `{check}` without an account"));
                }
            }
        }
    }
}

fn shown(verdict: &Verdict, attempt: &Attempt) -> String {
    match verdict {
        Verdict::Open => "it is open".to_owned(),
        Verdict::Passed { .. } => "it passes".to_owned(),
        Verdict::Lost { check, .. } => {
            let progress = attempt.progress();
            let account = progress.checks.iter().find(|shown| shown.id == *check);
            let sentence =
                account.and_then(|shown| shown.account.as_ref()).map(|account| account.sentence.as_str());
            format!("`{check}` is lost. {}", sentence.unwrap_or_default())
        }
    }
}

/// Random numbers for random players.
struct Luck(u64);

impl Luck {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (mixed ^ (mixed >> 31)).checked_rem(limit).unwrap_or(0)
    }
}
