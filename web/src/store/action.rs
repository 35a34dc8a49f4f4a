//! Actions of components.

use super::console::ConsoleAct;
use super::state::{Against, Dialog, EditTab, Fix, LogFilter, MenuTarget, Pane, Tab, Theme, Verbosity};
use super::stopped::Stopped;
pub(crate) use planarium_messages::facts::{Fact, Snapshot};
use planarium_messages::lessons::LessonAsk;
pub(crate) use planarium_messages::questions::{Format, Toward};
use planarium_protocol::Input;
use planarium_protocol::event::ElementPath;
use yew::AttrValue;

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

/// Actions of components.
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
    /// Start over, without the user's inputs.
    Reset,
    /// With another seed.
    SetSeed(u64),
    /// To another branch.
    Branch(u32),
    /// Undo the last operation.
    Undo,
    /// Redo the operation that was undone last.
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
    /// Loads the running definition of the moment shown into the editor; a draft is kept.
    ShowRunning,
    /// The kept draft into the editor.
    ShowDraft,
    /// Take a service out of the world.
    DropService(usize),
    /// Find machines on which the service gets further.
    SeekMachines,
    /// Try the next possible way out for stuck elements.
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
    /// Opens the next definitions beside the present ones, or in their place.
    Beside(bool),

    // ---- lessons
    /// Something in the lesson.
    Lesson(LessonAsk),
    /// The definition in place of the lesson, or the lesson again.
    ShowDefinition(bool),
    /// Progress from a link or a file.
    TakeProgress(String),

    // ---- view state
    /// Select an element.
    Select(ElementPath),
    /// Select a task and its step.
    SelectTask(AttrValue),
    /// Open or shut a row.
    Toggle(ElementPath),
    /// Open or shut several rows.
    ToggleMany(Vec<ElementPath>),
    /// Plans as rows, or as drawings where there are any.
    ShowRows(bool),
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
    /// Show this part of the run.
    ZoomPart((u64, u64)),
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
    /// Further code of the page is there.
    Arrived,
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
    /// The system's preference for dark colours changed.
    SystemTheme(bool),
    /// Single-key shortcuts on or off.
    ToggleKeys,
    /// Verbosity of the live region.
    SetVerbosity(Verbosity),
    /// The hint was read.
    DismissHint,
    /// Write the address bar.
    WriteAddress,
    /// The page is left, perhaps for a reload.
    Leave,
    /// Offer the run as a file.
    SaveAs(Format),
    /// Leave the broken-link screen.
    LeaveBroken,
    /// The user has seen that the run differs from the recording.
    LeaveDiffering,
    /// The engine ended, and another one takes over.
    Stopped(Box<Stopped>),
    /// Ask again what ended the engine.
    Retry,
    /// The connection to the served world is lost, for this reason.
    Lost(planarium_protocol::Text),
    /// It was read that the engine stopped.
    LeaveStopped,
}
