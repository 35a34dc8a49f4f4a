//! A served world as the page shows it: where it is, and what a page on it leaves to its server.
//!
//! *Knows*: actions. *Must not know*: how the server is reached (`web/served.js`).

use super::action::Action;
use super::state::{Against, Dialog, State};
use planarium_messages::facts::Fact;
use planarium_messages::lessons::LessonAsk;
use planarium_messages::questions::Ask;
use planarium_protocol::Text;

/// A world that is served to others, too.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Served {
    /// The server: name and port.
    pub(crate) address: Text,
    /// Its clock moves with the wall clock.
    pub(crate) runs: bool,
    /// Why the connection is lost, while it is.
    pub(crate) lost: Option<Text>,
}

/// Why the page does not replace a served world.
pub(crate) const WORLD_STAYS: &str = "this world is served to others, too";
const NO_UNDO: &str = "undo would take back what others did since; go back in time instead";
/// Why Play does nothing where the server's clock runs.
pub(crate) const CLOCK_RUNS: &str = "the server's clock runs by itself";

/// Why an action is not carried out on a served world. `None` where it is, and on a world of the page's own.
pub(crate) fn refuses(state: &State, action: &Action) -> Option<&'static str> {
    let served = state.served.as_ref()?;
    match action {
        Action::Apply
        | Action::Reset
        | Action::Compare(Some(Against::Recipe(_)))
        | Action::SetSeed(_)
        | Action::SetPreset(_)
        | Action::DropService(_)
        | Action::OpenExample(_)
        | Action::OpenHash(_)
        | Action::OpenPlace(..)
        | Action::Lesson(LessonAsk::Open(_))
        | Action::OpenDialog(Dialog::Gallery | Dialog::Lessons) => Some(WORLD_STAYS),
        Action::Undo | Action::Redo => Some(NO_UNDO),
        Action::TogglePlay if served.runs => Some(CLOCK_RUNS),
        _ => None,
    }
}

/// Facts of a question that was asked while the connection is lost.
pub(crate) fn unreached(ask: &Ask) -> Vec<Fact> {
    let quiet = matches!(
        ask,
        Ask::Look | Ask::Check | Ask::Complete { .. } | Ask::WriteAddress | Ask::SeekMachines | Ask::TryHelp
    );
    match ask {
        Ask::Frame(_) | Ask::Ahead(_) => vec![Fact::Stopped],
        _ if quiet => Vec::new(),
        _ => vec![Fact::Refused("Not done: the connection to the served world is lost.".into())],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn state(runs: bool) -> State {
        State { served: Some(Served { runs, ..Served::default() }), ..State::default() }
    }

    #[test]
    fn only_a_world_of_the_pages_own_is_replaced_or_undone() {
        for action in [Action::Apply, Action::Undo, Action::OpenExample("x".into())] {
            assert!(refuses(&state(false), &action).is_some(), "{action:?}");
            assert_eq!(refuses(&State::default(), &action), None, "{action:?}");
        }
        assert_eq!(refuses(&state(true), &Action::TogglePlay), Some(CLOCK_RUNS));
        assert_eq!(refuses(&state(false), &Action::TogglePlay), None);
        assert_eq!(refuses(&state(true), &Action::RollOut), None);
    }

    #[test]
    fn a_command_without_a_connection_is_refused_in_words() {
        assert!(matches!(unreached(&Ask::RollOut)[..], [Fact::Refused(_)]));
        assert_eq!(unreached(&Ask::Frame(16)), [Fact::Stopped]);
        assert_eq!(unreached(&Ask::Look), []);
    }
}
