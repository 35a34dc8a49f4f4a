//! Appearance of a status: a colour family and an icon, by the status's class in its system.
//!
//! *Knows*: the colours of each class, and where a system's words are. *Must not know*: any system's words.

use crate::store::catalogue;
pub(crate) use crate::store::catalogue::words;
use planarium_messages::statuses;
pub(crate) use planarium_messages::statuses::{Words, word};
use planarium_protocol::event::ElementPath;
use planarium_protocol::view::{StatusClass, StatusWord};

/// Appearance of a status.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Look {
    /// Colour family: `neutral`, `active`, `complete`, `waiting`, `error`, `forced`.
    pub(crate) family: &'static str,
    /// Icon name.
    pub(crate) icon: &'static str,
    /// The word of its class.
    pub(crate) class: &'static str,
}

/// Marked complete by an operator.
pub(crate) const FORCED: Look = Look { family: "forced", icon: "forced", class: "done" };

/// The name of a system as people write it; the word itself for a system that is not there.
pub(crate) fn system(dialect: &str) -> &str {
    catalogue::dialects().iter().find(|known| &*known.word == dialect).map_or(dialect, |known| &known.title)
}

/// Returns the entry of a status word in a system; else among tasks and machines, where a system shows their states;
/// else in whichever system knows it.
pub(crate) fn entry(own: Words, status: &str) -> &'static StatusWord {
    let others = catalogue::dialects().iter().map(|known| catalogue::words(&known.word));
    statuses::entry(own, catalogue::states(), others, status)
}

/// The class of a status word in a dialect; of a state of a task where the dialect is empty.
pub(crate) fn class_of(dialect: &str, status: &str) -> StatusClass {
    entry(catalogue::words(dialect), status).class
}

/// Returns the appearance of a system's status word.
pub(crate) fn look(own: Words, status: &str) -> Look {
    of_word(entry(own, status))
}

/// Returns the appearance of an element's status.
pub(crate) fn look_at(path: &ElementPath, status: &str) -> Look {
    look(words(&path.dialect), status)
}

/// Returns the appearance of a task's or a machine's state.
pub(crate) fn state(state: &str) -> Look {
    look(catalogue::states(), state)
}

/// Returns the appearance of a word.
pub(crate) fn of_word(word: &StatusWord) -> Look {
    Look { family: family(word.class), icon: word.icon, class: word.class.as_str() }
}

/// The colours of a class.
pub(crate) fn family(class: StatusClass) -> &'static str {
    match class {
        StatusClass::Pending | StatusClass::Stopped | StatusClass::Unused => "neutral",
        StatusClass::Preparing | StatusClass::Starting | StatusClass::Working | StatusClass::Started => {
            "active"
        }
        StatusClass::Running | StatusClass::Done => "complete",
        StatusClass::Held | StatusClass::Delayed | StatusClass::Stopping => "waiting",
        StatusClass::Failed => "error",
    }
}

/// Returns whether an element with this status is at rest and well.
pub(crate) fn is_done(own: Words, status: &str) -> bool {
    entry(own, status).class == StatusClass::Done
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_word_of_every_system_has_an_icon_of_the_page_and_an_explanation() {
        let icons = include_str!("../../../icons.svg");
        let all = catalogue::dialects().iter().flat_map(catalogue::Dialect::statuses);
        for word in all.chain(catalogue::states()) {
            assert!(icons.contains(&format!("id=\"i-{}\"", word.icon)), "{}: icon {}", word.word, word.icon);
            assert!(!word.glyph.is_empty() && !word.meaning.is_empty(), "{}", word.word);
        }
        for look in [FORCED, look(&[], "unknown to all")] {
            assert!(icons.contains(&format!("id=\"i-{}\"", look.icon)), "{look:?}");
        }
    }

    #[test]
    fn every_class_has_an_appearance() {
        let css = include_str!("../../../styles/base.css");
        for class in StatusClass::ALL {
            let family = family(class);
            assert!(css.contains(&format!("[data-family=\"{family}\"]")), "{class:?}: {family}");
            let json = planarium_protocol::json::of(&class).to_string();
            assert_eq!(json, format!("\"{}\"", class.as_str()), "JSON and style sheets say the same");
        }
    }

    #[test]
    fn statuses_of_a_system_differ_by_word_or_class() {
        for dialect in catalogue::dialects() {
            let mut words: Vec<_> = dialect.statuses().iter().map(|word| word.word).collect();
            words.sort_unstable();
            let count = words.len();
            words.dedup();
            assert_eq!(words.len(), count, "{}: a word stands there twice", dialect.title);
        }
    }

    #[test]
    fn maintenance_states_are_not_failures_and_differ_by_icon() {
        let states = ["draining", "drained", "deactivated", "down"];
        let mut icons: Vec<_> = states.iter().map(|it| state(it).icon).collect();
        assert!(states.iter().all(|it| state(it).family == "waiting"));
        icons.sort_unstable();
        icons.dedup();
        assert_eq!(icons.len(), states.len());
        assert_eq!(state("gone").family, "error");
    }

    #[test]
    fn task_states_are_found_with_and_without_prefix_and_unknown_words_are_neutral() {
        for (status, family) in [
            ("TASK_RUNNING", "complete"),
            ("RUNNING", "complete"),
            ("TASK_FAILED", "error"),
            ("TASK_STAGING", "active"),
            ("KILLED", "neutral"),
            ("SOMETHING_NEW", "neutral"),
            ("", "neutral"),
        ] {
            assert_eq!(look(&[], status).family, family, "{status}");
        }
        assert_eq!(word("TASK_LOST"), "LOST");
    }

    #[test]
    fn the_word_of_a_system_comes_before_that_of_another() {
        static OWN: &[StatusWord] = &[StatusWord {
            word: "COMPLETE",
            class: StatusClass::Held,
            icon: "waiting",
            glyph: "‖",
            meaning: "It is complete, and waits.",
        }];
        assert_eq!(look(OWN, "COMPLETE").family, "waiting");
        assert!(!is_done(OWN, "COMPLETE"));
    }
}
