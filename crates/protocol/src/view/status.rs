//! Statuses in a system's own words, with their meanings.
//!
//! *Knows*: classes and the shape of a table of words. *Must not know*: any system's words.

use crate::interned::{self, Word};
use crate::json::Read;
use serde::{Deserialize, Serialize};

/// Classes of status, which mean the same to a reader in every system.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, Read)]
#[cfg_attr(feature = "ts", derive(tsify::Tsify))]
#[serde(rename_all = "kebab-case")]
pub enum StatusClass {
    /// Nothing has been done yet.
    Pending,
    /// It is getting ready: resources are being found or held.
    Preparing,
    /// It is starting.
    Starting,
    /// It is being worked on.
    Working,
    /// It runs, but is not done.
    Started,
    /// It is up and meant to stay so.
    Running,
    /// It is stopping.
    Stopping,
    /// It was ended on purpose.
    Stopped,
    /// It waits for a person.
    Held,
    /// It waits for time to pass after a failure.
    Delayed,
    /// It is done.
    Done,
    /// It failed.
    Failed,
    /// It was never asked for, or was left out.
    Unused,
}

impl StatusClass {
    /// Every class.
    pub const ALL: [Self; 13] = [
        Self::Pending,
        Self::Preparing,
        Self::Starting,
        Self::Working,
        Self::Started,
        Self::Running,
        Self::Stopping,
        Self::Stopped,
        Self::Held,
        Self::Delayed,
        Self::Done,
        Self::Failed,
        Self::Unused,
    ];

    /// The word that JSON and style sheets use.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Pending => "pending",
            Self::Preparing => "preparing",
            Self::Starting => "starting",
            Self::Working => "working",
            Self::Started => "started",
            Self::Running => "running",
            Self::Stopping => "stopping",
            Self::Stopped => "stopped",
            Self::Held => "held",
            Self::Delayed => "delayed",
            Self::Done => "done",
            Self::Failed => "failed",
            Self::Unused => "unused",
        }
    }

    /// Returns whether work has begun and continues without an input, including delays.
    pub fn is_active(self) -> bool {
        matches!(self, Self::Preparing | Self::Starting | Self::Working | Self::Started | Self::Delayed)
    }

    /// Returns whether nothing has begun, or nothing will without an operator.
    pub fn is_asleep(self) -> bool {
        matches!(self, Self::Pending | Self::Held | Self::Unused)
    }
}

/// A status word of a system.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, Read)]
#[cfg_attr(feature = "ts", derive(tsify::Tsify))]
pub struct StatusWord {
    /// As the real system writes it.
    #[serde(deserialize_with = "interned::read_word")]
    pub word: Word,
    /// Its class.
    pub class: StatusClass,
    /// Name of the icon that a front end draws.
    #[serde(deserialize_with = "interned::read_word")]
    pub icon: Word,
    /// One character for it in texts.
    #[serde(deserialize_with = "interned::read_word")]
    pub glyph: Word,
    /// One sentence on its meaning in this system.
    #[serde(deserialize_with = "interned::read_word")]
    pub meaning: Word,
}

/// The entry of a word in a system's table.
pub const fn status_word(
    word: &'static str,
    class: StatusClass,
    icon: &'static str,
    glyph: &'static str,
    meaning: &'static str,
) -> StatusWord {
    StatusWord { word, class, icon, glyph, meaning }
}

impl StatusWord {
    /// The entry of a word.
    pub fn find(words: &'static [Self], word: &str) -> Option<&'static Self> {
        words.iter().find(|entry| entry.word == word)
    }
}
