//! Rules of a world with a lesson: refused questions, when inputs are applied, where the clock stops.

use super::report::follow_run;
use crate::host::Host;
use planarium_messages::compared::Against;
use planarium_messages::facts::Fact;
use planarium_messages::questions::{Ask, Toward};
use planarium_protocol::Input;
use planarium_rest::{console, handle_engine};
use planarium_scenario::lesson::{Place, Verdict};

const WORLD_STAYS: &str = "The world of a lesson stays as it is. Open the sandbox to change it.";
const ANSWER_FIRST: &str = "Answer the question of the lesson first: what will happen?";

/// Answers a question that the lesson refuses; `None` if it allows it.
pub(crate) fn lesson_refuses(host: &Host, ask: &Ask) -> Option<Vec<Fact>> {
    let teaching = host.shown.lesson.as_ref()?;
    let moves = match ask {
        Ask::Apply
        | Ask::Compare(Some(Against::Recipe(_)))
        | Ask::SetSeed(_)
        | Ask::SetPreset(_)
        | Ask::DropService(_)
        | Ask::OpenFiles(_, true)
        | Ask::OpenText(_, true) => return Some(vec![Fact::Refused(WORLD_STAYS.into())]),
        Ask::SeekMachines => return Some(Vec::new()),
        Ask::Play
        | Ask::Frame(_)
        | Ask::Ahead(_)
        | Ask::StepEvent(Toward::Ahead)
        | Ask::StepStatus(Toward::Ahead)
        | Ask::StepMark(Toward::Ahead) => host.shown.engine.at_head(),
        Ask::SeekMs(ms) => *ms > host.shown.engine.head_ms(),
        _ => false,
    };
    (moves && teaching.asks()).then(|| vec![Fact::Stopped, Fact::Refused(ANSWER_FIRST.into())])
}

/// Refuses an input that the lesson does not allow.
pub(crate) fn not_allowed(host: &Host, input: &Input) -> Option<Fact> {
    let error = host.shown.lesson.as_ref()?.attempt.check_allowed(input).err()?;
    Some(Fact::Refused(sentence(&error.to_string()).into()))
}

/// Refuses a console line whose inputs the lesson does not allow.
pub(crate) fn line_not_allowed(host: &Host, line: &str, to: (&str, &str)) -> Option<String> {
    let attempt = &host.shown.lesson.as_ref()?.attempt;
    let error =
        inputs_of_line(host, line, to)?.iter().find_map(|input| attempt.check_allowed(input).err())?;
    Some(sentence(&error.to_string()))
}

/// Returns whether a console line would apply an input.
pub(crate) fn line_puts_in(host: &Host, line: &str, to: (&str, &str)) -> bool {
    inputs_of_line(host, line, to).is_some_and(|inputs| !inputs.is_empty())
}

/// Returns the inputs of a console line in a lesson, found by trying it on a copy.
fn inputs_of_line(host: &Host, line: &str, to: (&str, &str)) -> Option<Vec<Input>> {
    let teaching = host.shown.lesson.as_ref()?;
    let engine = &host.shown.engine;
    let here = Place { input: engine.inputs().saturating_add(1), at_ms: engine.now_ms() };
    let files = &host.editor.draft.files;
    let (_, inputs) = teaching.attempt.back_to(here).inputs_of(|engine| {
        console::line_with_files(line, to, &mut |request| handle_engine(engine, request), files)
    });
    Some(inputs)
}

/// Prepares a lesson's world for an input: opens a branch if the cursor is in the past, and finishes the work of the instant.
pub(crate) fn whole_instant(host: &mut Host) -> Vec<Fact> {
    let mut facts = Vec::new();
    if host.shown.lesson.is_none() {
        return facts;
    }
    if !host.shown.engine.at_head() {
        let here = host.shown.engine.place();
        host.shown.engine.branch_from(here);
        facts.push(host.moved());
        follow_run(host);
    }
    rest_of_instant(host);
    facts
}

/// Finishes the work and the script of the current instant.
pub(crate) fn rest_of_instant(host: &mut Host) {
    if host.shown.lesson.is_some() {
        let now = host.shown.engine.now_ms();
        host.play_to(now);
    }
}

/// Returns whether a lesson has no verdict yet; time alone may bring one.
pub(crate) fn is_open(host: &Host) -> bool {
    let teaching = host.shown.lesson.as_ref();
    teaching.is_some_and(|teaching| !teaching.off_track && *teaching.attempt.verdict() == Verdict::Open)
}

/// Returns the instant at which a move forward stops: the verdict of the lesson or `target`.
pub(crate) fn until_verdict(host: &mut Host, target: u64) -> u64 {
    let (now, at_head) = (host.shown.engine.now_ms(), host.shown.engine.at_head());
    let Some(teaching) = &mut host.shown.lesson else { return target };
    let attempt = &mut teaching.attempt;
    let together = at_head && !teaching.off_track && attempt.engine().now_ms() == now;
    if !together || *attempt.verdict() != Verdict::Open {
        return target;
    }
    if attempt.advance_to_verdict(target) { attempt.engine().now_ms().clamp(now, target) } else { target }
}

fn sentence(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().into_iter().flat_map(char::to_uppercase).chain(letters).chain(['.']).collect()
}
