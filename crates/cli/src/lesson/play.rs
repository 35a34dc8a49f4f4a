//! `planarium lesson play`: a lesson in the terminal. Lines come from standard input, so that it can be scripted.

use super::{Loaded, find, update};
use crate::End;
use crate::args::LessonPlayArgs;
use crate::out::counted;
use anyhow::Result;
use planarium_protocol::Input;
use planarium_rest::{console, handle_engine};
use planarium_scenario::clock::clock;
use planarium_scenario::lesson::{
    Attempt, Prediction, PredictionOption, Progress, QuestionText, Score, State, Texts, Verdict, candidates,
};
use planarium_scenario::{describe, find_element, text};
use planarium_world::parse_duration_ms;
use std::io::{BufRead as _, Write as _, stdin, stdout};
use std::sync::Arc;

const HELP: &str = "\
  wait [TIME]   move on by a time, or to the next change of a status
  moves         list commands that can be given now; a number gives one
  show [machines]   plans, or machines
  why ELEMENT   why an element is not finished
  definition    print the definition of the service
  set NAME=VALUE ...   update the service with other values
  edit OLD => NEW      update the service with a text in its definition replaced
  checks        checks and score
  hint          the next hint
  undo          take the last command back
  back          go back to before the step that lost
  reset         begin again
  solution      the solution of a lesson that is passed
  a, b, ...     answer the question that the lesson begins with
  quit
Everything else is a command of the service's own command line";

/// Names of the answers to a question.
const LETTERS: [&str; 6] = ["a", "b", "c", "d", "e", "f"];

/// Plays a lesson.
pub(crate) fn run(args: &LessonPlayArgs) -> Result<End> {
    let loaded = find(&args.lesson)?;
    let texts = loaded.texts(&args.lang);
    let mut game = Game {
        attempt: Attempt::start(&loaded.lesson, args.seed),
        par: par(&loaded, args.seed),
        told: Verdict::Open,
        hints: 0,
        seen: 0,
        answers: Vec::new(),
        are_answers_told: false,
        texts,
        loaded,
        seed: args.seed,
    };
    game.open();
    let mut lines = stdin().lock().lines();
    loop {
        print!("[{}] > ", clock(game.attempt.engine().now_ms()));
        stdout().flush()?;
        let Some(line) = lines.next().transpose()? else {
            println!("");
            break;
        };
        let line = line.trim();
        if matches!(line, "quit" | "exit" | "q") {
            break;
        }
        game.line(line);
    }
    game.tell_answers();
    Ok(match game.attempt.verdict() {
        Verdict::Passed { .. } => End::Good,
        _ => End::Failed,
    })
}

/// The score of the solution, with the same luck.
fn par(loaded: &Loaded, seed: Option<u64>) -> Option<Score> {
    let mut attempt = Attempt::start(&loaded.lesson, seed);
    attempt.play(&loaded.lesson.solution).ok()?;
    matches!(attempt.verdict(), Verdict::Passed { .. }).then(|| attempt.score())
}

struct Game {
    attempt: Attempt,
    par: Option<Score>,
    /// The verdict that was printed.
    told: Verdict,
    hints: usize,
    /// The last event that was printed.
    seen: u64,
    /// Places of the answers given, by question.
    answers: Vec<usize>,
    are_answers_told: bool,
    texts: Texts,
    loaded: Loaded,
    seed: Option<u64>,
}

impl Game {
    fn open(&mut self) {
        println!("{}\n\n{}\n", self.texts.title, self.texts.story);
        self.ask();
        self.checks();
        println!("allowed: {}; `help` lists what else can be typed", self.loaded.lesson.allowed.join(", "));
        self.seen = self.attempt.engine().seq();
    }

    /// Returns the first question without an answer.
    fn question(&self) -> Option<(&Prediction, &QuestionText)> {
        let question = self.loaded.lesson.predict.get(self.answers.len())?;
        Some((question, self.texts.predict.get(&question.id)?))
    }

    fn ask(&self) {
        let Some((question, text)) = self.question() else { return };
        println!("Before you begin: {}", text.ask);
        for (letter, option) in LETTERS.iter().zip(&question.options) {
            println!("  {letter}) {}", text.options.get(&option.id).map_or("", |option| &*option.text));
        }
        println!("Type the letter of your answer. Whether it is right is told at the end.\n");
    }

    /// Takes a line as an answer; returns false if no question has this answer.
    fn answer(&mut self, line: &str) -> bool {
        let Some(place) = LETTERS.iter().position(|letter| *letter == line) else { return false };
        let Some((question, _)) = self.question() else { return false };
        if place >= question.options.len() {
            return false;
        }
        self.answers.push(place);
        println!("your answer is {line}");
        self.ask();
        true
    }

    /// Tells once for each answer if it was right, and why.
    fn tell_answers(&mut self) {
        if std::mem::replace(&mut self.are_answers_told, true) {
            return;
        }
        for (question, place) in self.loaded.lesson.predict.iter().zip(&self.answers) {
            let Some(text) = self.texts.predict.get(&question.id) else { continue };
            let words = |option: &PredictionOption| text.options.get(&option.id).cloned().unwrap_or_default();
            let Some(given) = question.options.get(*place) else { continue };
            println!("\n{}", text.ask);
            let verdict = if given.right { "right" } else { "wrong" };
            println!("  You said: {}. That is {verdict}. {}", words(given).text, words(given).because);
            if let Some(right) = question.options.iter().find(|option| option.right && !given.right) {
                println!("  Right is: {}. {}", words(right).text, words(right).because);
            }
        }
    }

    /// Returns the list of lines with an example of the service's system.
    fn help(&self) -> String {
        let view = self.attempt.engine().view();
        let word = view.services.first().map(|service| &*service.dialect);
        let dialect = planarium_world::dialects().iter().find(|own| Some(own.word) == word);
        let such_as = dialect.map(|dialect| format!(", such as `{}`", dialect.example));
        format!("{HELP}{}, or an input in JSON.", such_as.unwrap_or_default())
    }

    fn line(&mut self, line: &str) {
        if self.answer(line) {
            return;
        }
        let (word, rest) = line.split_once(' ').map_or((line, ""), |(word, rest)| (word, rest.trim()));
        match word {
            "" => {}
            "help" => println!("{}", self.help()),
            "wait" | "w" => self.wait(rest),
            "moves" => self.moves(),
            "show" => self.show(rest),
            "why" => self.why(rest),
            "definition" => print!("{}", update::shown(&self.attempt)),
            "set" => self.update(update::set(&self.attempt, rest)),
            "edit" => self.update(update::edit(&self.attempt, rest)),
            "checks" => self.checks(),
            "hint" => self.hint(),
            "undo" => self.replace(self.attempt.undo()),
            "back" => self.back(),
            "reset" => self.replace(Attempt::start(&Arc::clone(&self.loaded.lesson), self.seed)),
            "solution" => self.solution(),
            _ if line.starts_with('{') => match planarium_protocol::json::read::<Input>(line.as_bytes()) {
                Ok(input) => self.give(input),
                Err(error) => println!("this is not an input: {error}"),
            },
            _ => match word.parse::<usize>() {
                Ok(number) => self.number(number),
                Err(_) => self.console(line),
            },
        }
        self.news();
    }

    fn wait(&mut self, time: &str) {
        if time.is_empty() {
            return self.attempt.advance_to_change();
        }
        match parse_duration_ms(time) {
            Some(ms) => self.attempt.advance_to(self.attempt.engine().now_ms().saturating_add(ms)),
            None => println!("`{time}` is not a time; write 10s or 1m"),
        }
    }

    fn moves(&self) {
        for (index, (title, _)) in
            candidates(&self.loaded.lesson, &self.attempt.engine().view()).iter().enumerate()
        {
            println!("  {}. {title}", index + 1);
        }
    }

    fn number(&mut self, number: usize) {
        let moves = candidates(&self.loaded.lesson, &self.attempt.engine().view());
        match number.checked_sub(1).and_then(|index| moves.into_iter().nth(index)) {
            Some((_, input)) => self.give(input),
            None => println!("there is no move {number}; `moves` lists them"),
        }
    }

    fn give(&mut self, input: Input) {
        match self.attempt.command(input) {
            Err(error) => println!("{error}"),
            Ok(applied) => {
                if let Err(refusal) = applied.outcome {
                    println!("refused ({}): {}", refusal.status, refusal.message);
                }
            }
        }
    }

    fn update(&mut self, input: Result<Input, String>) {
        match input {
            Ok(input) => self.give(input),
            Err(error) => println!("{error}"),
        }
    }

    /// A line of the service's own command line. It is tried on a copy first: what it would put in has to be allowed.
    fn console(&mut self, line: &str) {
        let view = self.attempt.engine().view();
        let service = view.services.first();
        let service = service
            .map(|service| (service.dialect.to_string(), service.name.to_string()))
            .unwrap_or_default();
        let (output, inputs) = self.attempt.inputs_of(|engine| {
            console::line(line, (&service.0, &service.1), &mut |request| handle_engine(engine, request))
        });
        if let Some(error) = inputs.iter().find_map(|input| self.attempt.check_allowed(input).err()) {
            println!("{error}");
            return;
        }
        print!("{}{}", output.stdout, output.stderr);
        for input in inputs {
            self.give(input);
        }
    }

    fn show(&self, of: &str) {
        let view = self.attempt.engine().view();
        match of {
            "" => println!("{}", text::world_trees(&view)),
            "machines" => println!("{}", text::cluster(&view.cluster, self.attempt.engine().events())),
            _ => println!("`show` or `show machines`"),
        }
    }

    fn why(&self, element: &str) {
        let engine = self.attempt.engine();
        match find_element(&engine.view(), element).and_then(|path| engine.why(&path)) {
            Some(why) => println!("{}", text::why(&why)),
            None => println!("there is no element `{element}`"),
        }
    }

    fn hint(&mut self) {
        match self.texts.hints.get(self.hints) {
            Some(hint) => {
                self.hints += 1;
                println!("hint {} of {}: {hint}", self.hints, self.texts.hints.len());
            }
            None => println!("there are no more hints"),
        }
    }

    fn back(&mut self) {
        let progress = self.attempt.progress();
        let account = lost(&progress).and_then(|shown| shown.account.clone());
        match account {
            Some(account) => self.replace(self.attempt.back_to(account.back)),
            None => println!("nothing is lost"),
        }
    }

    fn replace(&mut self, attempt: Attempt) {
        self.attempt = attempt;
        self.told = Verdict::Open;
        self.seen = self.attempt.engine().seq();
        println!("[{}] here again", clock(self.attempt.engine().now_ms()));
    }

    fn solution(&self) {
        if !matches!(self.attempt.verdict(), Verdict::Passed { .. }) {
            println!("the solution is shown once the lesson is passed");
            return;
        }
        let mut other = Attempt::start(&self.loaded.lesson, self.seed);
        if other.play(&self.loaded.lesson.solution).is_ok() {
            for made in other.moves() {
                println!("  [{}] {}", clock(made.at_ms), describe::input(&made.input));
            }
        }
    }

    fn checks(&self) {
        let progress = self.attempt.progress();
        for shown in &progress.checks {
            let words = self.texts.checks.get(&shown.id).map_or(shown.check.as_str(), String::as_str);
            let state = match shown.state {
                State::Met => "met    ",
                State::NotYet => "not yet",
                State::Lost => "LOST   ",
            };
            println!("  {state}  {words}");
            if let Some(account) = &shown.account {
                println!("           {}", account.sentence);
            }
        }
        self.score(&progress.score);
    }

    fn score(&self, score: &Score) {
        let words = |score: &Score| {
            let (time, gone) = (clock(score.time_ms), clock(score.unavailable_ms));
            format!("{}, {time}, unavailable for {gone}", counted(score.commands, "command"))
        };
        let par = self.par.as_ref().map(|par| format!("; par: {}", words(par))).unwrap_or_default();
        println!("  {}{par}", words(score));
    }

    /// Prints what happened since the last line, and the verdict when there is a new one.
    fn news(&mut self) {
        let engine = self.attempt.engine();
        for event in engine.events_since(self.seen) {
            if event.body.importance() != planarium_protocol::event::Importance::Low {
                println!("[{}] {}", clock(event.at_ms), event.body.sentence());
            }
        }
        self.seen = engine.seq();
        if *self.attempt.verdict() == self.told {
            return;
        }
        self.told = self.attempt.verdict().clone();
        match &self.told {
            Verdict::Open => {}
            Verdict::Passed { .. } => {
                println!("\nPassed.");
                let score = self.attempt.score();
                self.score(&score);
                if let Some(par) = &self.par {
                    println!("  {} of 3 stars", score.stars(par));
                }
                println!("\n{}", self.texts.done);
                self.tell_answers();
            }
            Verdict::Lost { .. } => {
                let progress = self.attempt.progress();
                if let Some(account) = lost(&progress).and_then(|shown| shown.account.as_ref()) {
                    println!("\n{}", account.sentence);
                    for link in account.chain.iter().rev() {
                        println!("  [{}] {}", clock(link.at_ms), link.text);
                    }
                    println!("`back` goes to {}, before that was decided.", clock(account.back.at_ms));
                }
            }
        }
    }
}

/// The check that was lost first.
fn lost(progress: &Progress) -> Option<&planarium_scenario::lesson::CheckProgress> {
    match &progress.verdict {
        Verdict::Lost { check, .. } => progress.checks.iter().find(|shown| shown.id == *check),
        _ => None,
    }
}
