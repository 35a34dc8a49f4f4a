//! Origin of the world shown, and its script.

use crate::clock::Clock;
use planarium_protocol::Text;
use planarium_protocol::json::Read;
use serde::Serialize;

/// A scripted moment of an example.
#[derive(Clone, Debug, PartialEq, Serialize, Read)]
pub struct StoryLine {
    /// When or after what.
    pub when: Text,
    /// Description of the moment.
    pub what: Text,
    /// Already happened.
    pub done: bool,
}

/// A narrated moment.
#[derive(Clone, Debug, PartialEq, Serialize, Read)]
pub struct Said {
    /// When.
    pub at_ms: u64,
    /// After which event.
    pub seq: u64,
    /// The words.
    pub text: Text,
}

/// Origin of the page's content, and its script.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Read)]
pub struct Story {
    /// Gallery id, for a gallery example.
    pub example: Option<Text>,
    /// Title.
    pub title: Text,
    /// The part it is about.
    pub about: Text,
    /// The script.
    pub lines: Vec<StoryLine>,
    /// Narration so far.
    pub said: Vec<Said>,
}

impl Story {
    /// Returns the last narration at a moment, with its number.
    pub fn at(&self, clock: &Clock) -> Option<(usize, &Said)> {
        let said = self.said.partition_point(|said| said.at_ms <= clock.now_ms && said.seq <= clock.seq);
        said.checked_sub(1).and_then(|last| self.said.get(last).map(|said| (last, said)))
    }
}
