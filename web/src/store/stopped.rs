//! An engine that ended, and what it was doing then.
//!
//! *Knows*: descriptions of questions. *Must not know*: how an engine is started.

use planarium_messages::clock::clock;
use planarium_messages::questions::{Ask, Call, Question};
use planarium_protocol::{Input, Text, json};

/// An engine that ended and was started again without the question that it was at.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Stopped {
    /// The question in words.
    pub(crate) during: Text,
    /// The moment shown then. *Units*: milliseconds.
    pub(crate) at_ms: u64,
    /// The question that was set aside, if it can be asked again.
    pub(crate) again: Option<Ask>,
    /// Text for a report.
    pub(crate) report: Text,
}

impl Stopped {
    /// Describes the end of an engine that was at a question, or at none.
    pub(crate) fn of(question: Option<&Question>, at_ms: u64, reason: &str) -> Self {
        let ask = question.map(|question| &question.ask);
        let during = ask.map_or_else(|| "nothing in particular".to_owned(), words);
        let asked =
            question.map(|question| planarium_messages::wire::text(&question.ask)).unwrap_or_default();
        let report = format!(
            "Planarium {}\nThe engine stopped at {}, at: {during}\n{reason}\n{asked}\n",
            env!("CARGO_PKG_VERSION"),
            clock(at_ms)
        );
        let again = ask.filter(|ask| !matches!(ask, Ask::Begin(_) | Ask::Resume(_))).cloned();
        Self { during: during.into(), at_ms, again, report: report.into() }
    }

    /// Returns whether the clock was running.
    pub(crate) fn played(&self) -> bool {
        matches!(self.again, Some(Ask::Frame(_) | Ask::Ahead(_)))
    }
}

/// A question in a few words.
fn words(ask: &Ask) -> String {
    match ask {
        Ask::Frame(_) | Ask::Ahead(_) | Ask::Play | Ask::Call(Call::RunUntil(..)) => "playing on".to_owned(),
        Ask::Do(input) | Ask::Call(Call::Input(input)) => input_words(input),
        Ask::Run { line, .. } => line.clone(),
        Ask::Begin(_) | Ask::OpenHash(_) | Ask::OpenPlace(..) => "opening the link".to_owned(),
        Ask::OpenExample(id) => format!("opening the example {id}"),
        Ask::OpenFiles(..) | Ask::OpenText(..) => "opening a definition".to_owned(),
        Ask::Check => "reading the definition".to_owned(),
        Ask::Apply | Ask::Reset | Ask::SetSeed(_) | Ask::SetPreset(_) => "starting over".to_owned(),
        Ask::RollOut => "rolling the definition out".to_owned(),
        Ask::DropService(_) => "removing a service".to_owned(),
        Ask::StepEvent(_) | Ask::StepStatus(_) | Ask::StepMark(_) => "stepping".to_owned(),
        Ask::SeekMs(_) | Ask::SeekSeq(_) | Ask::SeekTenth(_) => "going to a moment".to_owned(),
        Ask::Undo => "undoing".to_owned(),
        Ask::Redo => "doing again".to_owned(),
        Ask::Branch(_) | Ask::Call(Call::Fork) => "showing a branch".to_owned(),
        Ask::Compare(_) | Ask::TryRecipe(_) => "comparing".to_owned(),
        Ask::SeekMachines | Ask::TryHelp => "looking for ways out".to_owned(),
        Ask::Lesson(_) => "the lesson".to_owned(),
        Ask::Call(Call::Command { op, element }) => format!("{op} {element}"),
        Ask::Link(_) | Ask::Demo(_) | Ask::WriteAddress | Ask::SaveAs(_) | Ask::Call(Call::Export(_)) => {
            "writing the run down".to_owned()
        }
        Ask::Resume(_) => "bringing the run back".to_owned(),
        Ask::Call(Call::Why(_) | Call::Snapshot | Call::Share(_))
        | Ask::Look
        | Ask::Removed { .. }
        | Ask::Outcome(..)
        | Ask::Finish
        | Ask::Rendered { .. }
        | Ask::Changes
        | Ask::Recipes
        | Ask::Objects
        | Ask::Object(_) => "looking at the run".to_owned(),
        Ask::Complete { .. } => "completing a line".to_owned(),
    }
}

/// An input as its operation and the element that it is about.
fn input_words(input: &Input) -> String {
    let input = json::of(input);
    let text = |key: &str| input.get(key).and_then(serde_json::Value::as_str).filter(|text| !text.is_empty());
    let what = text("op").or(text("fault")).or(text("kind")).unwrap_or("input");
    let about = ["step", "phase", "plan", "pod", "task", "agent", "service", "name", "path"];
    match about.into_iter().find_map(text) {
        Some(about) => format!("{what} {about}"),
        None => what.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use planarium_protocol::input::{AddAgent, PlanCommand, PlanOp};

    #[test]
    fn a_command_is_named_by_operation_and_element() {
        let command = PlanCommand {
            dialect: String::new(),
            service: "hello-world".into(),
            plan: "deploy".into(),
            op: PlanOp::ForceComplete,
            phase: Some("hello".into()),
            step: None,
            params: std::collections::BTreeMap::new(),
        };
        assert_eq!(input_words(&Input::Plan(command)), "force-complete hello");
        assert_eq!(input_words(&Input::AddAgent(AddAgent::default())), "add-agent");
    }

    #[test]
    fn a_link_that_ends_the_engine_is_not_opened_again() {
        let question = |ask| Question { number: 1, selected: None, editor: None, ask };
        let begin = Stopped::of(Some(&question(Ask::Begin(Box::default()))), 0, "why");
        assert_eq!(begin.again, None);
        let frame = Stopped::of(Some(&question(Ask::Frame(16))), 192_000, "unreachable");
        assert!(frame.played() && frame.report.contains("unreachable"));
        assert!(frame.report.contains(&clock(192_000)), "{}", frame.report);
    }
}
