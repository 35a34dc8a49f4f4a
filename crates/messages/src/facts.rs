//! Facts that the host reports, and data that it asks the page to store.

use crate::checked::Checked;
use crate::clock::{BranchTab, Clock};
use crate::compared::Compared;
use crate::draft::{Draft, Running};
use crate::event_log::EventLog;
use crate::gantt::Gantt;
use crate::ghost::Ghost;
use crate::lessons::{Card, MadeLesson, Material, ResultRow, Try};
use crate::links::{BrokenLink, Differing, Link};
use crate::ptr::Ptr;
use crate::story::Story;
use crate::ways_out::WaysOut;
use planarium_protocol::changes::{Changes, Recipe, Trial};
use planarium_protocol::input::{Fault, LoadService};
use planarium_protocol::json::Read;
use planarium_protocol::objects::{ObjectRow, ObjectView};
use planarium_protocol::{Text, View, Why};
use serde::Serialize;

/// Actions of a toast's button.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Read)]
pub enum ToastUndo {
    /// Undoes the last operation.
    Last,
    /// Redoes the operation that was undone last.
    Undone,
    /// Restores the stored edits in the editor.
    Draft,
}

/// Next steps of undo and redo.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Read)]
pub struct Ways {
    /// Next step of undo.
    pub undo: Option<Text>,
    /// Next step of redo.
    pub redo: Option<Text>,
}

/// A command and its result.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Read)]
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
    /// A suggested correction of a line that is not understood.
    pub meant: Option<Text>,
    /// Exit code: 0 done, 1 refused, 2 not understood.
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
    /// The running definitions, if they changed.
    pub running: Option<Ptr<Vec<Running>>>,
    /// New lanes, when they changed.
    pub gantt: Option<Ptr<Gantt>>,
    /// Branches, when they changed.
    pub branches: Option<Ptr<Vec<BranchTab>>>,
    /// Set once an input other than setting up was applied.
    pub touched: bool,
    /// There is a run before this one.
    pub before: bool,
}

/// Facts that the host reports.
#[derive(Clone, Debug, PartialEq, Serialize, Read)]
pub enum Fact {
    /// The engine moved. Only changes are sent.
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
    /// The stored edits are in the editor again; the running definitions stay.
    Drafted(Vec<Draft>),
    /// The editor holds exactly this.
    Drafts(Vec<Draft>),
    /// Another service was added to the editor, and is shown.
    Beside(Box<Draft>),
    /// The world was rebuilt with these services.
    Rebuilt(Vec<LoadService>),
    /// The text in the editor is running now.
    RolledOut,
    /// A set of machines on which the service would get further.
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
    Help(Ptr<WaysOut>),
    /// The original run of the branch shown, after a change of branch.
    Ghost(Option<Ptr<Ghost>>),
    /// The compared run. Only changes are sent.
    #[serde(skip)]
    Compared(Option<Ptr<Compared>>),
    /// The page's view state before a reload.
    Looks(Box<serde_json::Value>),
    /// Next steps of undo and redo.
    Ways(Ways),
    /// A file of a definition has this text again, or was removed again.
    File(usize, String, Option<String>),
    /// The clock stopped without an input.
    Stopped,
    /// Something to tell.
    Told(Text, Option<ToastUndo>),
    /// A message that is valid at this instant only.
    Rested(Text),
    /// Something was refused.
    Refused(Text),
    /// A typed command was carried out.
    Answered(Box<Answer>),
    /// The link.
    Link(Box<Link>),
    /// A link could not be read.
    Broken(BrokenLink),
    /// The open run may differ from its recording; sent after [`Fact::Opened`].
    Differing(Differing),
    /// Words that can follow in the console line.
    Completion(Completion),
    /// The address of what is shown.
    Address(Address),
    /// A run as a file to be saved.
    Saved(SavedFile),
    /// The answer to a question that expects one.
    Reply(Reply),
    /// The open lesson, when another one is opened.
    Lesson(Option<Ptr<Card>>),
    /// The try of the lesson, if it changed.
    Try(Ptr<Try>),
    /// The world is served to others, too.
    Served(Served),
}

/// A world that others act on, too.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Read)]
pub struct Served {
    /// Its clock moves with the wall clock.
    pub runs: bool,
}

/// Words that can follow in a console line.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Read)]
pub struct Completion {
    /// The line that it is about.
    pub line: String,
    /// The key of the line's service.
    pub service: String,
    /// Words that fit at the end of the line, in the order of the real command line, limited in number.
    pub words: Vec<String>,
    /// The line completed with each of these words.
    pub lines: Vec<String>,
    /// Further words that fit.
    pub more: usize,
    /// The line completed as far as all words agree, if that is longer than the typed line.
    pub agreed: Option<String>,
}

/// The address of what is shown.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Read)]
pub struct Address {
    /// Query and hash.
    pub text: String,
    /// It gets its own entry in the browser's history.
    pub push: bool,
}

/// A run as a file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Read)]
pub struct SavedFile {
    /// Name.
    pub name: String,
    /// Content.
    pub text: String,
}

/// Answers to single questions.
#[derive(Clone, Debug, PartialEq, Serialize, Read)]
pub enum Reply {
    /// The data of a service right after an input that is not carried out, or why the input would be refused.
    Outcome(Result<serde_json::Value, String>),
    /// The end of the run in numbers.
    Finish(Option<Finish>),
    /// A file rendered for a task.
    Rendered(Option<String>),
    /// Changes that an update would make, or why the draft cannot be used; `None` where its system does not tell.
    Changes(Result<Option<Box<Changes>>, String>),
    /// Changes of single fields that are worth trying.
    Recipes(Vec<Recipe>),
    /// A change in two worlds, or the reason why it was not tried.
    Trial(Result<Box<Trial>, Text>),
    /// The objects of the API.
    Objects(Vec<ObjectRow>),
    /// An object; `None` if it does not exist at this moment.
    Object(Option<Box<ObjectView>>),
    /// Material for a lesson.
    Material(Box<Material>),
    /// A lesson, or the reasons why it is invalid.
    Made(Result<Box<MadeLesson>, Vec<String>>),
    /// The part of a link after `#` that hands in a try.
    HandIn(Option<String>),
    /// Tries that were handed in.
    Results(Vec<ResultRow>),
    /// The value of a call.
    Called(Result<serde_json::Value, CallError>),
    /// The run as texts for a document.
    Demo(Result<DemoTexts, String>),
}

/// A call that was not carried out.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Read)]
pub struct CallError {
    /// A machine-readable code: `refused`, `not-found` or `bad-request`.
    pub code: String,
    /// A sentence for people.
    pub reason: String,
}

/// A run as texts for a document.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Read)]
pub struct DemoTexts {
    /// The element: picture, recording and source.
    pub element: String,
    /// The Markdown fence, drawn when the document is built.
    pub fence: String,
    /// The picture as an image.
    pub svg: String,
    /// The image that moves.
    pub moving: String,
    /// The run as the hash of an address.
    pub hash: String,
}

/// The summary of an ended run, and failures to try next.
#[derive(Clone, Debug, PartialEq, Serialize, Read)]
pub struct Finish {
    /// Number of inputs so far: whoever changes the run waits for another end of it.
    pub inputs: u64,
    /// Tasks, pods or containers that failed or were lost since the beginning of the world.
    pub failed: u32,
    /// Duration of the run: from the main plan's begin to its completion.
    pub total_ms: u64,
    /// Every step was marked complete by hand.
    pub forced: bool,
    /// Unit of the counts: `task`, `pod` or `container`.
    pub unit: Text,
    /// Tasks, pods or containers that run now.
    pub running: u32,
    /// Maximum that ran at once.
    pub peak: u32,
    /// Maximum missing at once.
    pub short: u32,
    /// Total time in which tasks were missing.
    pub short_ms: u64,
    /// Causes for which steps waited, the total wait of each, and its share in hundredths; longest first.
    pub waits: Vec<(Text, u64, u64)>,
    /// Failures that one may dare.
    pub dares: Vec<Dare>,
}

/// A failure at a moment of this run.
#[derive(Clone, Debug, PartialEq, Serialize, Read)]
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

/// Data that the page stores for the host immediately.
#[derive(Clone, Debug, PartialEq, Serialize, Read)]
pub enum Keep {
    /// An input of the run at its position, packed on its own.
    Input(usize, String),
    /// The run without its inputs before an input is applied, and a description of that input.
    Rest {
        /// The number of inputs, and the journal without them.
        rest: String,
        /// The input.
        pending: String,
    },
    /// The run as a share string, with nothing pending.
    Run(String),
    /// Unapplied edits; an empty text clears them.
    Draft(String),
    /// All branches of the world shown, for a reload of the page.
    Tab(String),
    /// A try of a lesson that came to its verdict, for a comparison with later ones.
    Try {
        /// Id of the lesson.
        lesson: String,
        /// The try as the end of a link.
        link: String,
    },
}
