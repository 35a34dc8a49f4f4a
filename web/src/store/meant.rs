//! The actions after which Play is meant for the world that comes.
//!
//! *Knows*: which actions ask for a world. *Must not know*: when it comes.

use super::action::Action;

/// Returns whether an action asks for another world, or for this one from its start.
pub(super) fn replaces_world(action: &Action) -> bool {
    matches!(
        action,
        Action::Apply
            | Action::DropService(_)
            | Action::TryHelp
            | Action::SetPreset(_)
            | Action::SetSeed(_)
            | Action::Reset
            | Action::Undo
            | Action::Redo
            | Action::OpenExample(_)
            | Action::OpenFiles(_)
            | Action::OpenText(_)
            | Action::OpenHash(_)
            | Action::OpenPlace(..)
            | Action::Lesson(_)
    )
}

#[cfg(test)]
mod tests {
    use super::super::action::Fact;
    use super::super::reduce::{action, fact};
    use super::super::state::State;
    use super::*;

    #[test]
    fn play_pressed_after_another_world_was_asked_for_is_meant_for_that_one() {
        let rebuilt = || Fact::Rebuilt(Vec::new());
        for (before, after, playing) in [(false, true, true), (true, false, false), (false, false, false)] {
            let mut state = State::default();
            if before {
                action(&mut state, &Action::TogglePlay);
            }
            action(&mut state, &Action::SetPreset("100".into()));
            if after {
                action(&mut state, &Action::TogglePlay);
            }
            fact(&mut state, rebuilt());
            assert_eq!(state.play.playing, playing, "{before} {after}");
        }
    }
}
