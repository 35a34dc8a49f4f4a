//! Questions of the page to the host.

use crate::compared::Against;
use crate::draft::{Draft, Editor};
use crate::lessons::LessonAsk;
use crate::ptr::Ptr;
use planarium_protocol::event::ElementPath;
use planarium_protocol::json::Read;
use planarium_protocol::{Input, Text};
use serde::Serialize;
use serde_json::Value;

/// Back or forward.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Read)]
pub enum Toward {
    /// To the past.
    Back,
    /// To the future.
    Ahead,
}

/// File formats of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Read)]
pub enum Format {
    /// Everything, to be opened again.
    Journal,
    /// All events as a table.
    Csv,
    /// The events as text.
    Transcript,
    /// The plans as text, at the cursor.
    Tree,
    /// The timeline as a Mermaid diagram.
    Mermaid,
}

/// A numbered question, with the changes of the page's state since the previous one.
#[derive(Clone, Debug, PartialEq, Serialize, Read)]
pub struct Question {
    /// Number; answers name it.
    pub number: u32,
    /// The element that is selected.
    pub selected: Option<ElementPath>,
    /// The editor, if it changed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub editor: Option<EditorChange>,
    /// The question.
    pub ask: Ask,
}

/// Changed parts of the editor.
#[derive(Clone, Debug, PartialEq, Serialize, Read)]
pub struct EditorChange {
    /// The definition being edited.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub draft: Option<Box<Draft>>,
    /// The definitions of all services.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub drafts: Option<Ptr<Vec<Draft>>>,
    /// Index of the definition that is being edited.
    pub at: usize,
}

impl EditorChange {
    /// The parts that differ, if any.
    pub fn between(old: &Editor, new: &Editor) -> Option<Self> {
        (old != new).then(|| Self {
            draft: (old.draft != new.draft).then(|| Box::new(new.draft.clone())),
            drafts: (old.drafts != new.drafts).then(|| new.drafts.clone()),
            at: new.at,
        })
    }

    /// Takes the parts over.
    pub fn apply(self, editor: &mut Editor) {
        if let Some(draft) = self.draft {
            editor.draft = *draft;
        }
        if let Some(drafts) = self.drafts {
            editor.drafts = drafts;
        }
        editor.at = self.at;
    }
}

/// Usual file names of a dialect's definitions.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Read)]
pub struct FileNames {
    /// The word of the dialect.
    pub dialect: String,
    /// The usual name first.
    pub main: Vec<String>,
    /// Its name if the text is JSON.
    pub json: String,
}

/// The first message of a page.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Read)]
pub struct Begin {
    /// The part of the address from `#` on.
    pub hash: String,
    /// The example named in the address.
    pub example: Option<String>,
    /// The lesson named in the query of the address.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lesson: Option<String>,
    /// Language of the texts of lessons, named in the query of the address.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub language: Option<String>,
    /// The state stored by [`Keep::Tab`](crate::facts::Keep::Tab) before the page was reloaded at this address.
    pub tab: Option<String>,
    /// View state of the page before a reload; restored together with the tab.
    pub looks: Value,
    /// The moment shown before the reload, if known: instant and last event.
    #[serde(default)]
    pub at: Option<(u64, u64)>,
    /// An earlier visit left unapplied edits.
    pub edits: bool,
    /// A run stored in parts before its page or host ended: the journal without inputs, and the inputs.
    pub recover: Option<(String, Vec<String>)>,
    /// Files of each dialect.
    pub names: Vec<FileNames>,
    /// Settings of worlds that are opened in a frame.
    #[serde(default, skip_serializing_if = "Wishes::is_empty")]
    pub wishes: Wishes,
}

/// Settings that a document gives the examples and definitions opened in its frame. Runs and lessons have their own.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Read)]
pub struct Wishes {
    /// The word of the dialect that definitions are read in; recognised without one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dialect: Option<String>,
    /// The seed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seed: Option<u64>,
    /// The preset of machines.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cluster: Option<String>,
    /// The number of machines; each is like the first one of the world.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub nodes: Option<u32>,
}

impl Wishes {
    /// Returns whether nothing is wished.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

/// A call from the document that the page is embedded in. Elements are named `PLAN/PHASE/STEP`, with the service in front
/// if the name is ambiguous.
#[derive(Clone, Debug, PartialEq, Serialize, Read)]
pub enum Call {
    /// Explains why an element is not moving.
    Why(String),
    /// Applies a plan operation to an element.
    Command {
        /// The word of the operation.
        op: String,
        /// The element.
        element: String,
    },
    /// Puts an input in.
    Input(Box<Input>),
    /// Lists the plans with their statuses at the moment shown.
    Snapshot,
    /// Makes a link to the moment shown, starting with this address.
    Share(String),
    /// Advances until a condition holds, at most this many milliseconds.
    RunUntil(String, u64),
    /// Opens a branch at the moment shown.
    Fork,
    /// Writes the run in a file format.
    Export(Format),
}

/// The picture of a run for a document.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Read)]
pub struct Demo {
    /// The plan; if empty, all plans that do something.
    pub plan: String,
    /// The instant shown at first. *Units*: milliseconds; `None` for the end of the run.
    pub at_ms: Option<u64>,
    /// Attributes of the element.
    pub attributes: Vec<(String, String)>,
    /// Address of the frame that takes over when a reader gives a command; `None` for a recording only.
    pub engine: Option<String>,
    /// Address of the playground that opens the run.
    pub playground: String,
}

/// State of a world whose host ended, for the next host.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Read)]
pub struct Resume {
    /// The last state stored by [`Keep::Tab`](crate::facts::Keep::Tab).
    pub tab: String,
    /// The moment shown: instant and last event.
    pub at: (u64, u64),
    /// World and branch shown.
    pub lineage: (u32, u32),
    /// An engine has ended at this already: all code is fetched first, in case some was missing.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub again: bool,
    /// The part of the address from `#` on.
    pub hash: String,
    /// Files of each dialect.
    pub names: Vec<FileNames>,
    /// Settings of worlds that are opened in a frame.
    #[serde(default, skip_serializing_if = "Wishes::is_empty")]
    pub wishes: Wishes,
}

/// A question.
#[derive(Clone, Debug, PartialEq, Serialize, Read)]
pub enum Ask {
    /// Show something first.
    Begin(Box<Begin>),
    /// Take over from a host that ended. The page keeps its editor and its view state.
    Resume(Box<Resume>),
    /// Report the state for the page's current view, without a change.
    Look,
    /// Play this much virtual time and show the result.
    Frame(u64),
    /// Play this much virtual time; the result is shown with another frame.
    Ahead(u64),
    /// The clock was started.
    Play,
    /// One event.
    StepEvent(Toward),
    /// One status change.
    StepStatus(Toward),
    /// To the next marked moment.
    StepMark(Toward),
    /// To a time.
    SeekMs(u64),
    /// To an event.
    SeekSeq(u64),
    /// Go to a share of the whole run, in tenths.
    SeekTenth(u64),
    /// Start over, without the user's inputs.
    Reset,
    /// With another seed.
    SetSeed(u64),
    /// With another set of machines.
    SetPreset(Text),
    /// To another branch.
    Branch(u32),
    /// Undo the last operation.
    Undo,
    /// Redo the operation that was undone last.
    Redo,
    /// Begin or end a comparison.
    Compare(Option<Against>),
    /// Put something in.
    Do(Box<Input>),
    /// Carry out a line of the console.
    Run {
        /// The line.
        line: String,
        /// The key of the service picked.
        service: Option<String>,
    },
    /// Complete a line of the console.
    Complete {
        /// The line.
        line: String,
        /// The key of the service picked.
        service: Option<String>,
    },
    /// Read the draft.
    Check,
    /// A new world with the drafts.
    Apply,
    /// Update the running service to the draft at the moment shown, or install it there.
    RollOut,
    /// Take a service out of the world.
    DropService(usize),
    /// A file of a definition was removed.
    Removed {
        /// The place.
        at: usize,
        /// The path.
        path: String,
        /// Its text.
        text: String,
    },
    /// Find machines on which the service gets further.
    SeekMachines,
    /// Try the next possible way out for stuck elements.
    TryHelp,
    /// Open an example.
    OpenExample(Text),
    /// Open files, beside the present services or replacing them.
    OpenFiles(Vec<(String, String)>, bool),
    /// Open a text of any kind, beside the present services or replacing them.
    OpenText(String, bool),
    /// The address bar changed.
    OpenHash(String),
    /// Back or forward in the browser: the example and the hash of the address.
    OpenPlace(Option<String>, String),
    /// Make a link to the moment shown, starting with the page's own address.
    Link(String),
    /// Write the address and store all branches.
    WriteAddress,
    /// The run as a file.
    SaveAs(Format),
    /// A call from the document that the page is embedded in.
    Call(Call),
    /// Make texts of the run for a document.
    Demo(Box<Demo>),
    /// Show the data of a service after an input, without carrying it out.
    Outcome(Box<Input>, ElementPath),
    /// The end of the run in numbers.
    Finish,
    /// Return a file rendered for a task of a service; without a task, the template.
    Rendered {
        /// The service.
        path: ElementPath,
        /// The task.
        task: String,
        /// The file.
        file: String,
    },
    /// Tell what updating the running service to the draft would change.
    Changes,
    /// List changes of single fields of the draft that are worth trying.
    Recipes,
    /// Try the change of this number in two worlds.
    TryRecipe(usize),
    /// List the objects of the API.
    Objects,
    /// Describe the object of a row's key.
    Object(String),
    /// Something about lessons.
    Lesson(LessonAsk),
}
