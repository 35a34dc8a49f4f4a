//! What components ask for, and what effects report.

use super::console::{Answer, ConsoleAct};
use super::draft::Draft;
use super::events::EventLog;
use super::gantt::Gantt;
use super::help::Help;
use super::moment::Running;
use super::ptr::Ptr;
use super::state::{
    Against, BranchTab, BrokenLink, Checked, Clock, Compared, Dialog, Differing, EditTab, Fix, Link,
    LogFilter, MenuTarget, Pane, Story, Tab, Theme, ToastUndo, Verbosity, Ways,
};
use planarium_protocol::event::ElementPath;
use planarium_protocol::input::LoadService;
use planarium_protocol::view::View;
use planarium_protocol::{Input, Why};
use yew::AttrValue;

/// Back or forward.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Toward {
    /// To the past.
    Back,
    /// To the future.
    Ahead,
}

/// What a run can be saved as.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Format {
    /// Everything, to be opened again.
    Journal,
    /// All events as a table.
    Csv,
    /// What happened as text.
    Transcript,
    /// The plans as text, at the cursor.
    Tree,
    /// The timeline as a Mermaid diagram.
    Mermaid,
}

/// A pane border that can be dragged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Border {
    /// Right of the editor; thousandths of the width.
    Editor,
    /// Left of the inspector; thousandths of the width.
    Inspector,
    /// Above the timeline; pixels.
    Dock,
}

/// What a component asks for.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Action {
    // ---- time
    /// Play or pause.
    TogglePlay,
    /// Pause.
    Pause,
    /// An animation frame took this long, in milliseconds.
    Frame(f64),
    /// The same, and the page shows it later: in time with another one.
    Ahead(f64),
    /// Faster or slower.
    Nudge(bool),
    /// This fast.
    SetSpeed(u8),
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
    /// To another branch.
    Branch(u32),
    /// Undo what was done last.
    Undo,
    /// Do again what was undone last.
    Redo,
    /// Kept edits back into the editor.
    RestoreDraft,

    /// Begin or end a comparison.
    Compare(Option<Against>),

    // ---- the world
    /// Put something in.
    Do(Box<Input>),
    /// Something in the console.
    Console(ConsoleAct),

    // ---- the definition
    /// A text changed in the editor.
    Edit(String, String),
    /// The same, of the service at this place: another one may be edited by now.
    EditAt(usize, String, String),
    /// Show a file.
    PickFile(String),
    /// Add an empty file.
    AddFile(String),
    /// Remove a file.
    DropFile(String),
    /// Gives a file of the definition another path.
    RenameFile(String, String),
    /// Set or remove an environment value.
    SetEnv(String, Option<String>),
    /// Usual values for variables that have none by now.
    FillEnv,
    /// Read the draft.
    Check,
    /// A new world with the drafts.
    Apply,
    /// Give the draft to the running service at the moment shown, or install it there.
    RollOut,
    /// Edit another service.
    PickService(usize),
    /// What runs at the moment shown into the editor; a draft is kept.
    ShowRunning,
    /// The kept draft into the editor.
    ShowDraft,
    /// Take a service out of the world.
    DropService(usize),
    /// Look for machines on which the service gets further.
    SeekMachines,
    /// Try the next thing that may get what is stuck moving.
    TryHelp,
    /// Use a mend, as long as the text is the one it was made for.
    Mend(Box<Fix>),
    /// The caret moved to a line.
    Caret(u32),
    /// Show a place in the editor.
    Reveal(AttrValue, u32, u32),
    /// Another set of machines.
    SetPreset(AttrValue),

    // ---- opening
    /// An example.
    OpenExample(AttrValue),
    /// Files.
    OpenFiles(Vec<(String, String)>),
    /// A text of some kind: definition, scenario, link, journal.
    OpenText(String),
    /// The address bar changed.
    OpenHash(String),
    /// Back or forward in the browser: the example of the address, and its hash.
    OpenPlace(Option<String>, String),
    /// What is opened from now on comes beside what is there, or in its place.
    Beside(bool),

    // ---- looks
    /// Select an element.
    Select(ElementPath),
    /// Select a task and its step.
    SelectTask(AttrValue),
    /// Open or shut a row.
    Toggle(ElementPath),
    /// Open or shut several rows.
    ToggleMany(Vec<ElementPath>),
    /// Filter the rows.
    FilterRows(AttrValue),
    /// Small screen pane.
    ShowPane(Pane),
    /// Inspector tab (and pane).
    ShowTab(Tab),
    /// Tab under the editor.
    ShowEditTab(EditTab),
    /// Open or shut the editor drawer.
    ToggleEditor,
    /// Open or shut the lanes on a small screen.
    ToggleLanes,
    /// More or less of the run on the timeline, around an instant.
    ZoomAt(bool, u64),
    /// As much of the run as is seen, around this instant.
    ZoomTo(u64),
    /// All of the run on the timeline.
    ZoomAll,
    /// Later or earlier parts of the run on the timeline.
    Pan(bool),
    /// Lanes for machines or for steps.
    ToggleByMachine,
    /// Idle stretches short or in full.
    ToggleIdle,
    /// Tree and timeline only.
    ToggleFocusMode,
    /// Machines as a table or cards.
    ToggleMachineTable,
    /// Filter the log.
    Filter(LogFilter),
    /// Open a dialog.
    OpenDialog(Dialog),
    /// Shut it.
    CloseDialog,
    /// An entry of the palette was used.
    Used(AttrValue),
    /// Open a context menu.
    OpenMenu(MenuTarget, i32, i32),
    /// Shut it.
    CloseMenu,
    /// Shut a message.
    CloseToast(u32),
    /// Say something.
    Say(AttrValue),
    /// Move a border.
    Resize(Border, u32),
    /// Put a border back.
    ResetSize(Border),
    /// Colours.
    SetTheme(Theme),
    /// Single-key shortcuts on or off.
    ToggleKeys,
    /// How much is spoken.
    SetVerbosity(Verbosity),
    /// The hint was read.
    DismissHint,
    /// Write the address bar.
    WriteAddress,
    /// The page is left, perhaps to be loaded again.
    Leave,
    /// Offer the run as a file.
    SaveAs(Format),
    /// Leave the broken-link screen.
    LeaveBroken,
    /// It was read that the run differs from what was recorded.
    LeaveDiffering,
}

/// What the engine shows after an effect.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Snapshot {
    /// New view, when it changed.
    pub(crate) view: Option<Ptr<View>>,
    /// The clock.
    pub(crate) clock: Clock,
    /// New events, when there are any.
    pub(crate) log: Option<EventLog>,
    /// The definitions that run, when they changed.
    pub(crate) running: Option<Ptr<Vec<Running>>>,
    /// New lanes, when they changed.
    pub(crate) gantt: Option<Ptr<Gantt>>,
    /// Branches, when they changed.
    pub(crate) branches: Option<Ptr<Vec<BranchTab>>>,
    /// Whether anything but setting up has happened.
    pub(crate) touched: bool,
    /// There is a run before this one.
    pub(crate) before: bool,
}

/// What an effect reports.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Fact {
    /// The engine moved.
    Moved(Box<Snapshot>),
    /// Another world is shown.
    Opened {
        /// What the editor holds, service by service.
        drafts: Vec<Draft>,
        /// Where it came from.
        story: Ptr<Story>,
        /// Which machines.
        preset: Option<AttrValue>,
    },
    /// Kept edits are back in the editor; what runs stays.
    Drafted(Vec<Draft>),
    /// The editor holds exactly this.
    Drafts(Vec<Draft>),
    /// Another service in the editor, which is shown.
    Beside(Box<Draft>),
    /// The world was built anew with these services.
    Rebuilt(Vec<LoadService>),
    /// What is in the editor is what runs now.
    RolledOut,
    /// On these machines the service would get further.
    Better(Option<AttrValue>),
    /// The script went on.
    Story(Ptr<Story>),
    /// The machines are these.
    Preset(Option<AttrValue>),
    /// The draft was read.
    Checked(Ptr<Checked>),
    /// Why the selected element is not moving.
    Why(Option<Ptr<Why>>),
    /// What is stuck, and what helps.
    Help(Ptr<Help>),
    /// The other run on the same clock.
    Compared(Option<Ptr<Compared>>),
    /// The page looked like this before it was loaded again.
    Looks(Box<serde_json::Value>),
    /// What undo and redo would do.
    Ways(Ways),
    /// A file of the definition at a place has this text again, or is gone again.
    File(usize, String, Option<String>),
    /// The clock stopped by itself.
    Stopped,
    /// Something to tell.
    Told(AttrValue, Option<ToastUndo>),
    /// Something to tell that holds at this instant only.
    Rested(AttrValue),
    /// Something was refused.
    Refused(AttrValue),
    /// A typed command was carried out.
    Answered(Box<Answer>),
    /// The link.
    Link(Box<Link>),
    /// A link could not be read.
    Broken(BrokenLink),
    /// A run is open that may have come out differently than recorded; after [`Fact::Opened`].
    Differing(Differing),
}
