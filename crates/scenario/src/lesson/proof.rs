//! Proves a lesson: its routes pass and fail as declared, its predictions come true, and every loss of a random player has an
//! account.
//!
//! Knows: the requirements of every lesson. Must not know: files, or how findings are printed.

use super::attempt::Attempt;
use super::candidates::candidates;
use super::commands::covers;
use super::model::{Lesson, Route};
use super::progress::{Score, State, Verdict};
use super::texts::Texts;
use crate::model::Action;
use planarium_protocol::{EventBody, Input};
use planarium_source::Position;
use serde::Serialize;
use std::fmt;
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
    /// Random players among them that passed.
    pub players_passed: u32,
    /// Random players that lost and were told why.
    pub players_lost: u32,
    /// Everything that does not hold, in order.
    pub findings: Vec<Finding>,
}

/// Something that does not hold, at its place.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Finding {
    /// Language of the file of texts that it is in; none for the lesson's own file.
    pub language: Option<String>,
    /// Line, from 1.
    pub line: u32,
    /// Column, from 1.
    pub column: u32,
    /// What does not hold.
    pub text: String,
}

impl Finding {
    /// A finding in the lesson's own file.
    pub fn new(at: Position, text: String) -> Self {
        Self { language: None, line: at.line, column: at.column, text }
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

/// A run of a proof: where it is written, its name in findings, its luck.
struct Run<'r> {
    at: Position,
    name: &'r str,
    seed: u64,
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
    fn find(&mut self, at: Position, text: String) {
        self.add(Finding::new(at, text));
    }

    fn add(&mut self, finding: Finding) {
        if !self.findings.contains(&finding) {
            self.findings.push(finding);
        }
    }

    /// Checks that every name has a text and every text a name.
    fn texts(&mut self, lesson: &Lesson, texts: &[(String, Texts)]) {
        if texts.is_empty() {
            let text = format!("there are no texts; write {}.en.yaml beside the lesson", lesson.id);
            self.find(lesson.places.of("id"), text);
        }
        for (key, empty) in [("also", lesson.also.is_empty()), ("naive", lesson.naive.is_empty())] {
            if empty {
                self.find(lesson.places.of(key), format!("there is no route in `{key}`"));
            }
        }
        if lesson.hints == 0 {
            self.find(lesson.places.of("hints"), "there are no hints".to_owned());
        }
        for (language, texts) in texts {
            for (at, text) in texts.findings(lesson) {
                self.add(Finding { language: Some(language.clone()), ..Finding::new(at, text) });
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
                let at = lesson.places.of(&format!("needs/{id}"));
                self.find(at, format!("it needs a lesson `{id}`, which is not there"));
                continue;
            };
            taught.extend(other.teaches.iter().map(String::as_str));
            open.extend(other.needs.iter().map(String::as_str));
        }
        if seen.contains(&lesson.id.as_str()) {
            self.find(lesson.places.of("needs"), "it needs itself".to_owned());
        }
        let solving = std::iter::once(&lesson.solution).chain(&lesson.also);
        for (at, input) in solving.flat_map(placed) {
            if !taught.iter().any(|word| covers(word, input)) {
                let word = super::commands::word(input);
                let text = format!(
                    "a solution uses `{word}`, which neither this lesson nor one that it needs teaches"
                );
                self.find(at, text);
            }
        }
        for (at, input) in lesson.routes().flat_map(placed) {
            if !lesson.allowed.iter().any(|word| covers(word, input)) {
                let word = super::commands::word(input);
                self.find(at, format!("a route uses `{word}`, which is not allowed"));
            }
        }
    }

    fn routes(&mut self, lesson: &Arc<Lesson>, seed: u64) {
        let at = lesson.places.of("solution");
        if let Some(score) = self.passes(lesson, &Run { at, name: "the solution", seed }, &lesson.solution) {
            self.par.get_or_insert(score);
        }
        for (index, route) in lesson.also.iter().enumerate() {
            let (at, name) =
                (lesson.places.of(&format!("also/{index}")), format!("route {} of `also`", index + 1));
            self.passes(lesson, &Run { at, name: &name, seed }, route);
        }
        for (index, naive) in lesson.naive.iter().enumerate() {
            let (at, name) =
                (lesson.places.of(&format!("naive/{index}")), format!("route {} of `naive`", index + 1));
            let run = Run { at, name: &name, seed };
            let Some(attempt) = self.run(lesson, &run, &naive.play) else { continue };
            match attempt.verdict() {
                Verdict::Lost { check, .. } if *check == naive.fails => self.told(&attempt, &run),
                other => {
                    let (fails, came) = (&naive.fails, shown(other, &attempt));
                    self.find(at, format!("seed {seed}: {name} should lose `{fails}` first: {came}"));
                }
            }
        }
        let run = Run { at: lesson.places.of("goal"), name: "doing nothing", seed };
        if let Some(attempt) = self.run(lesson, &run, &Vec::new()) {
            match attempt.verdict() {
                Verdict::Lost { .. } => self.told(&attempt, &run),
                other => {
                    let came = shown(other, &attempt);
                    self.find(run.at, format!("seed {seed}: doing nothing should not pass: {came}"));
                }
            }
        }
    }

    fn passes(&mut self, lesson: &Arc<Lesson>, run: &Run<'_>, route: &Route) -> Option<Score> {
        let attempt = self.run(lesson, run, route)?;
        if let Verdict::Passed { .. } = attempt.verdict() {
            return Some(attempt.score());
        }
        let (name, seed, came) = (run.name, run.seed, shown(attempt.verdict(), &attempt));
        self.find(run.at, format!("seed {seed}: {name} should pass: {came}"));
        None
    }

    fn run(&mut self, lesson: &Arc<Lesson>, run: &Run<'_>, route: &Route) -> Option<Attempt> {
        self.runs += 1;
        let mut attempt = Attempt::start(lesson, Some(run.seed));
        if let Err(error) = attempt.play(route) {
            let at = Position { line: error.line, column: error.column };
            self.find(at, format!("seed {}: {}: {error}", run.seed, run.name));
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
            let at = Position { line: error.line, column: error.column };
            self.find(at, format!("seed {seed}: prediction `{}`: {error}", question.id));
            return;
        }
        let progress = attempt.progress();
        for (option, shown) in question.options.iter().zip(progress.checks) {
            let came = shown.state == State::Met;
            if came != option.right {
                let marked = if option.right { "right" } else { "wrong" };
                let did = if came { "comes true" } else { "does not come true" };
                let (id, option) = (&question.id, &option.id);
                let at = lesson.places.of(&format!("predict/{id}/{option}"));
                self.find(
                    at,
                    format!("seed {seed}: prediction `{id}`: `{option}` is marked as {marked} and {did}"),
                );
            }
        }
    }

    /// Plays random allowed commands: every run must pass, or be lost with an account.
    fn player(&mut self, lesson: &Arc<Lesson>, seed: u64, player: u64) {
        self.runs += 1;
        let name = format!("random player {player}");
        let run = Run { at: lesson.places.of("allowed"), name: &name, seed };
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
            if let Some((_, (_, input))) = (0..).zip(moves).find(|(number, _)| *number == pick)
                && let Err(error) = attempt.command(input)
            {
                self.find(run.at, format!("seed {seed}: {name} was offered a command, and {error}"));
            }
        }
        attempt.advance_to_verdict(attempt.limit_ms());
        match attempt.verdict() {
            Verdict::Passed { .. } => self.players_passed += 1,
            Verdict::Lost { .. } => self.players_lost += 1,
            Verdict::Open => {}
        }
        self.told(&attempt, &run);
    }

    /// The end of a try is passed, or lost with an account that says when, of what and where to go back to.
    fn told(&mut self, attempt: &Attempt, run: &Run<'_>) {
        let Run { at, name, seed } = *run;
        let broken = |body: &EventBody| match body {
            EventBody::InvariantBroken { text } | EventBody::LimitReached { text, .. } => {
                Some(text.to_string())
            }
            _ => None,
        };
        if let Some(text) = attempt.engine().events().iter().find_map(|event| broken(&event.body)) {
            self.find(at, format!("seed {seed}: {name}: the simulator: {text}"));
        }
        match attempt.verdict() {
            Verdict::Passed { .. } => {}
            Verdict::Open => self.find(at, format!("seed {seed}: {name} ends without a verdict")),
            Verdict::Lost { check, at_ms } => {
                let progress = attempt.progress();
                let account = progress.checks.iter().find(|shown| shown.id == *check);
                let account = account.and_then(|shown| shown.account.as_ref());
                let told = account.is_some_and(|account| {
                    let said = !account.element.is_empty() && !account.nearest.is_empty();
                    said && !account.chain.is_empty() && account.back.at_ms <= *at_ms
                });
                if !told {
                    self.find(at, format!("seed {seed}: {name} loses `{check}` without an account"));
                }
            }
        }
    }
}

/// Inputs of a route, each with the place of its entry.
fn placed(route: &Route) -> impl Iterator<Item = (Position, &Input)> {
    route.iter().flat_map(|entry| {
        let at = Position { line: entry.line, column: entry.column };
        entry.actions.iter().filter_map(move |action| match action {
            Action::Do(input) => Some((at, &**input)),
            _ => None,
        })
    })
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
