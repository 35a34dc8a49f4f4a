//! Questions of the page to the host.

use crate::compared::Against;
use crate::draft::{Draft, Editor};
use crate::lessons::LessonAsk;
use crate::ptr::Ptr;
use planarium_protocol::event::ElementPath;
use planarium_protocol::{Input, Text};
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// Back or forward.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Toward {
    /// To the past.
    Back,
    /// To the future.
    Ahead,
}

/// File formats of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
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

/// A numbered question. What the page holds comes with it as far as it is another than before.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Question {
    /// Number; answers name it.
    pub number: u32,
    /// The element that is selected.
    pub selected: Option<ElementPath>,
    /// The editor, where it changed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub editor: Option<EditorChange>,
    /// The question.
    pub ask: Ask,
}

/// Parts of the editor that changed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct EditorChange {
    /// The definition being edited.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub draft: Option<Box<Draft>>,
    /// The definitions of all services.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub drafts: Option<Ptr<Vec<Draft>>>,
    /// Which of them is being edited.
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

/// Names of files that definitions of a dialect are mainly in.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileNames {
    /// The word of the dialect.
    pub dialect: String,
    /// The usual name first.
    pub main: Vec<String>,
    /// Its name where it is JSON.
    pub json: String,
}

/// The first thing that a page says.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Begin {
    /// The part of the address after `#`, with it.
    pub hash: String,
    /// The example that the address names.
    pub example: Option<String>,
    /// The lesson that the query of the address names.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lesson: Option<String>,
    /// Kept by [`Keep::Tab`](crate::facts::Keep::Tab) before the page was loaded again at this address.
    pub tab: Option<String>,
    /// Looks of the page before it was loaded again; they come back with the tab.
    pub looks: Value,
    /// The moment that was shown then, where it is known: instant and last event.
    #[serde(default)]
    pub at: Option<(u64, u64)>,
    /// There are edits of an earlier visit that were never applied.
    pub edits: bool,
    /// A run that was kept in parts before its page or its host ended: what it is beside its inputs, and its inputs.
    pub recover: Option<(String, Vec<String>)>,
    /// Files of each dialect.
    pub names: Vec<FileNames>,
}

/// A call from the document that the page is embedded in. An element is named `PLAN/PHASE/STEP`, with the service in front
/// where several have it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Call {
    /// Explains why an element is not moving.
    Why(String),
    /// Gives a plan operation to an element.
    Command {
        /// The word of the operation.
        op: String,
        /// The element.
        element: String,
    },
    /// Puts an input in.
    Input(Box<Input>),
    /// Lists the plans with the statuses of the moment shown.
    Snapshot,
    /// Makes a link to the moment shown; this address stands before it.
    Share(String),
}

/// The picture of a run that a document is to show.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Demo {
    /// The plan; all plans that do something where it is empty.
    pub plan: String,
    /// The instant that is shown before anybody plays. *Units*: milliseconds; none for the end of the run.
    pub at_ms: Option<u64>,
    /// Attributes of the element.
    pub attributes: Vec<(String, String)>,
    /// Address of the frame that takes over when a reader commands or breaks something; none for a recording alone.
    pub engine: Option<String>,
    /// Address of the playground that the run is opened in.
    pub playground: String,
}

/// State of a world whose host ended, for the host that takes its place.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Resume {
    /// Kept last by [`Keep::Tab`](crate::facts::Keep::Tab).
    pub tab: String,
    /// The moment shown: instant and last event.
    pub at: (u64, u64),
    /// World and branch shown.
    pub lineage: (u32, u32),
    /// The part of the address after `#`, with it.
    pub hash: String,
    /// Files of each dialect.
    pub names: Vec<FileNames>,
}

/// A question.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Ask {
    /// Show something first.
    Begin(Box<Begin>),
    /// Go on where another host ended. The page keeps its editor and its looks.
    Resume(Box<Resume>),
    /// Nothing but what the page looks at now.
    Look,
    /// Play on by this much virtual time, and show it.
    Frame(u64),
    /// Play on by this much virtual time; it is shown later, in time with another frame.
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
    /// To a share of the whole, in tenths.
    SeekTenth(u64),
    /// From the start again, without what was done.
    Reset,
    /// With another seed.
    SetSeed(u64),
    /// With another set of machines.
    SetPreset(Text),
    /// To another branch.
    Branch(u32),
    /// Undo what was done last.
    Undo,
    /// Do again what was undone last.
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
    /// Give the draft to the running service at the moment shown, or install it there.
    RollOut,
    /// Take a service out of the world.
    DropService(usize),
    /// A file of the definition at a place was removed.
    Removed {
        /// The place.
        at: usize,
        /// The path.
        path: String,
        /// Its text.
        text: String,
    },
    /// Look for machines on which the service gets further.
    SeekMachines,
    /// Try the next thing that may get what is stuck moving.
    TryHelp,
    /// Open an example.
    OpenExample(Text),
    /// Open files, beside what is there or in its place.
    OpenFiles(Vec<(String, String)>, bool),
    /// Open a text of some kind, beside what is there or in its place.
    OpenText(String, bool),
    /// The address bar changed.
    OpenHash(String),
    /// Back or forward in the browser: the example of the address, and its hash.
    OpenPlace(Option<String>, String),
    /// A link to the moment shown. The page's own address stands before it.
    Link(String),
    /// Write the address, and keep all branches.
    WriteAddress,
    /// The run as a file.
    SaveAs(Format),
    /// A call from the document that the page is embedded in.
    Call(Call),
    /// The run as something to put into a document.
    Demo(Box<Demo>),
    /// The data of a service right after an input, which is not carried out.
    Outcome(Box<Input>, ElementPath),
    /// The end of the run in numbers.
    Finish,
    /// A file that was rendered for a task of a service; without a task, the template itself.
    Rendered {
        /// The service.
        path: ElementPath,
        /// The task.
        task: String,
        /// The file.
        file: String,
    },
    /// Something about lessons.
    Lesson(LessonAsk),
}
