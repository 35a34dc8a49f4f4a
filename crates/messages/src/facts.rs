//! Facts that the host reports, and what it asks to be kept.

use crate::checked::Checked;
use crate::clock::{BranchTab, Clock};
use crate::compared::Compared;
use crate::draft::{Draft, Running};
use crate::event_log::EventLog;
use crate::gantt::Gantt;
use crate::ghost::Ghost;
use crate::help::Help;
use crate::lessons::{Card, MadeLesson, Material, ResultRow, Try};
use crate::links::{BrokenLink, Differing, Link};
use crate::ptr::Ptr;
use crate::story::Story;
use planarium_protocol::input::{Fault, LoadService};
use planarium_protocol::{Text, View, Why};
use serde::{Deserialize, Serialize};

/// Actions of a toast's button.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum ToastUndo {
    /// Undoes what was done last.
    Last,
    /// Does again what was undone last.
    Undone,
    /// The kept edits back into the editor.
    Draft,
}

/// Next steps of undo and redo.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Ways {
    /// Next step of undo.
    pub undo: Option<Text>,
    /// Next step of redo.
    pub redo: Option<Text>,
}

/// A command and what came of it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Answer {
    /// Number.
    pub id: u32,
    /// When, in virtual time.
    pub at_ms: u64,
    /// The line.
    pub line: Text,
    /// Standard output.
    pub stdout: Text,
    /// Standard error.
    pub stderr: Text,
    /// The line that was meant, where this one is not understood.
    pub meant: Option<Text>,
    /// Exit code: 0 done, 1 turned down, 2 not understood.
    pub code: u8,
}

/// State of the engine after an effect.
#[derive(Clone, Debug, PartialEq)]
pub struct Snapshot {
    /// New view, when it changed.
    pub view: Option<Ptr<View>>,
    /// The clock.
    pub clock: Clock,
    /// New events, when there are any.
    pub log: Option<EventLog>,
    /// The definitions that run, when they changed.
    pub running: Option<Ptr<Vec<Running>>>,
    /// New lanes, when they changed.
    pub gantt: Option<Ptr<Gantt>>,
    /// Branches, when they changed.
    pub branches: Option<Ptr<Vec<BranchTab>>>,
    /// Set if anything but setting up has happened.
    pub touched: bool,
    /// There is a run before this one.
    pub before: bool,
}

/// Facts that the host reports.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Fact {
    /// The engine moved. Travels as what changed.
    #[serde(skip)]
    Moved(Box<Snapshot>),
    /// Another world is shown.
    Opened {
        /// Drafts in the editor, service by service.
        drafts: Vec<Draft>,
        /// Its origin.
        story: Ptr<Story>,
        /// Which machines.
        preset: Option<Text>,
    },
    /// Kept edits are back in the editor; what runs stays.
    Drafted(Vec<Draft>),
    /// The editor holds exactly this.
    Drafts(Vec<Draft>),
    /// Another service in the editor, which is shown.
    Beside(Box<Draft>),
    /// The world was built anew with these services.
    Rebuilt(Vec<LoadService>),
    /// The text in the editor is running now.
    RolledOut,
    /// On these machines the service would get further.
    Better(Option<Text>),
    /// The script went on.
    Story(Ptr<Story>),
    /// The machines are these.
    Preset(Option<Text>),
    /// The draft was read.
    Checked(Ptr<Checked>),
    /// Why the selected element is not moving.
    #[serde(with = "crate::wire::why::some")]
    Why(Option<Ptr<Why>>),
    /// Stuck elements, and ways out.
    Help(Ptr<Help>),
    /// The run that the branch shown parted from, when another branch is shown.
    Ghost(Option<Ptr<Ghost>>),
    /// The other run on the same clock. Travels as what changed.
    #[serde(skip)]
    Compared(Option<Ptr<Compared>>),
    /// The page looked like this before it was loaded again.
    Looks(Box<serde_json::Value>),
    /// Next steps of undo and redo.
    Ways(Ways),
    /// A file of the definition at a place has this text again, or is gone again.
    File(usize, String, Option<String>),
    /// The clock stopped by itself.
    Stopped,
    /// Something to tell.
    Told(Text, Option<ToastUndo>),
    /// Something to tell that holds at this instant only.
    Rested(Text),
    /// Something was refused.
    Refused(Text),
    /// A typed command was carried out.
    Answered(Box<Answer>),
    /// The link.
    Link(Box<Link>),
    /// A link could not be read.
    Broken(BrokenLink),
    /// A run is open that may have come out differently than recorded; after [`Fact::Opened`].
    Differing(Differing),
    /// Words that the line of the console may go on with.
    Completion(Completion),
    /// The address of what is shown.
    Address(Address),
    /// A run as a file to be saved.
    Saved(SavedFile),
    /// The answer to a question that asks for one.
    Reply(Reply),
    /// The lesson that is open, when it is another one.
    Lesson(Option<Ptr<Card>>),
    /// The try of it, when anything in it changed.
    Try(Ptr<Try>),
    /// The world is served to others, too.
    Served(Served),
}

/// A world that others act on, too.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Served {
    /// Its clock moves with the wall clock.
    pub runs: bool,
}

/// Words that a line of the console may go on with.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Completion {
    /// The line that it is about.
    pub line: String,
    /// The key of the service that the line is for.
    pub service: String,
    /// Words that fit where the line ends, in the order of the real command line; the first ones of very many.
    pub words: Vec<String>,
    /// The line with each of these words.
    pub lines: Vec<String>,
    /// Further words that fit.
    pub more: usize,
    /// The line with as much of the word as is clear, where that is more than was typed.
    pub agreed: Option<String>,
}

/// The address of what is shown.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Address {
    /// Query and hash.
    pub text: String,
    /// It has a place of its own in the history of the browser.
    pub push: bool,
}

/// A run as a file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SavedFile {
    /// Name.
    pub name: String,
    /// Content.
    pub text: String,
}

/// Answers to single questions.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Reply {
    /// The data of a service right after an input that is not carried out, or why the input would be refused.
    Outcome(Result<serde_json::Value, String>),
    /// The end of the run in numbers.
    Finish(Option<Finish>),
    /// A file that was rendered for a task.
    Rendered(Option<String>),
    /// Material for a lesson.
    Material(Box<Material>),
    /// A lesson, or what keeps it from being one.
    Made(Result<Box<MadeLesson>, Vec<String>>),
    /// The part of a link after `#` that hands a try in.
    HandIn(Option<String>),
    /// Tries that were handed in.
    Results(Vec<ResultRow>),
    /// The value of a call.
    Called(Result<serde_json::Value, CallError>),
    /// The run as something to put into a document.
    Demo(Result<DemoTexts, String>),
}

/// A call that was not carried out.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CallError {
    /// A word for programs: `refused`, `not-found` or `bad-request`.
    pub code: String,
    /// A sentence for people.
    pub reason: String,
}

/// A run as texts to put into a document.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct DemoTexts {
    /// The element: picture, recording and source.
    pub element: String,
    /// The fence that hosts of Markdown draw when the document is built.
    pub fence: String,
    /// The picture as an image.
    pub svg: String,
    /// The image that moves.
    pub moving: String,
    /// The run as the hash of an address.
    pub hash: String,
}

/// A run that has ended, and failures that one may dare next.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Finish {
    /// Length of the run: from when the main plan began it to when that was complete.
    pub total_ms: u64,
    /// Every step was marked complete by hand.
    pub forced: bool,
    /// What is counted: `task`, `pod` or `container`.
    pub unit: Text,
    /// Tasks, pods or containers that run now.
    pub running: u32,
    /// Most of them that ran at once.
    pub peak: u32,
    /// Most of them that were missing at once.
    pub short: u32,
    /// Total time for which tasks were missing.
    pub short_ms: u64,
    /// Causes for which steps waited, how long all of them together, and the share in hundredths; most first.
    pub waits: Vec<(Text, u64, u64)>,
    /// Failures that one may dare.
    pub dares: Vec<Dare>,
}

/// A failure at a moment of this run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Dare {
    /// In few words.
    pub title: Text,
    /// In a sentence.
    pub text: String,
    /// When.
    pub at_ms: u64,
    /// The fault.
    pub fault: Fault,
}

/// Data that the page keeps for the host, at once.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Keep {
    /// An input of the run at its place, packed by itself.
    Input(usize, String),
    /// The run beside its inputs as it is before an input, and that input in words.
    Rest {
        /// The number of inputs, and the journal without them.
        rest: String,
        /// The input.
        pending: String,
    },
    /// The run as a share string, with nothing pending.
    Run(String),
    /// Edits that are not applied; an empty text forgets them.
    Draft(String),
    /// All branches of the world shown, for a page that is loaded again.
    Tab(String),
    /// A try of a lesson that came to its verdict, for a comparison with later ones.
    Try {
        /// Id of the lesson.
        lesson: String,
        /// The try as the end of a link.
        link: String,
    },
}
