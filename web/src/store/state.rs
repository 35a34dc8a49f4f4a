//! Everything the page shows, as one value.
//!
//! *Knows*: what is on screen. *Must not know*: how it came about, which `reduce` and `effects` decide.

use super::catalogue;
use super::console::Console;
use super::draft::{Draft, Editor, Running};
use super::events::EventLog;
use super::frame::Frame;
use super::gantt::Gantt;
use super::ghost::Ghost;
use super::lessons::{Card, Try};
use super::progress::Progress;
use super::ptr::Ptr;
use super::served::Served;
use super::stopped::Stopped;
pub(crate) use super::toast::{Place, Toast, ToastKind};
use super::ways_out::WaysOut;
use planarium_kernel::SortedSet;
pub(crate) use planarium_messages::checked::{Checked, Finding, Fix, Severity};
pub(crate) use planarium_messages::clock::{BranchTab, Clock};
pub(crate) use planarium_messages::compared::{Against, Compared};
pub(crate) use planarium_messages::facts::{ToastUndo, Ways};
pub(crate) use planarium_messages::links::{BrokenLink, Differing, Link};
pub(crate) use planarium_messages::story::Story;
use planarium_protocol::event::{ElementPath, Importance};
use planarium_protocol::view::{ClockView, ClusterView, ServiceView, View};
use planarium_protocol::{Text, Why};
use std::sync::Arc;
use yew::AttrValue;

/// Shown state of the engine.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct World {
    /// The view at the cursor.
    pub(crate) view: Ptr<View>,
    /// The clock at the cursor.
    pub(crate) clock: Clock,
    /// Events up to the head.
    pub(crate) log: EventLog,
    /// Lanes and marks up to the head.
    pub(crate) gantt: Ptr<Gantt>,
    /// The run that the branch shown parted from.
    pub(crate) ghost: Option<Ptr<Ghost>>,
    /// Branches.
    pub(crate) branches: Ptr<Vec<BranchTab>>,
    /// Counts worlds opened on this page.
    pub(crate) generation: u32,
    /// Set if anything but setting up has happened.
    pub(crate) touched: bool,
    /// There is a run before this one.
    pub(crate) before: bool,
}

impl Default for World {
    fn default() -> Self {
        Self {
            view: Ptr::new(empty_view()),
            clock: Clock::default(),
            log: EventLog::default(),
            gantt: Ptr::default(),
            ghost: None,
            branches: Ptr::default(),
            generation: 0,
            touched: false,
            before: false,
        }
    }
}

fn empty_view() -> View {
    View {
        revision: 0,
        clock: ClockView {
            now_ms: 0,
            epoch_ms: 0,
            seed: 1,
            seq: 0,
            idle: true,
            next_event_ms: None,
            digest: String::new(),
        },
        services: Vec::new(),
        cluster: Arc::new(ClusterView {
            revision: 0,
            machines: Vec::new(),
            statuses: catalogue::states(),
            windows: Vec::new(),
        }),
        faults: Vec::new(),
    }
}

/// Play speeds: 0.25 to 64 by doubling.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Speed(u8);

impl Default for Speed {
    fn default() -> Self {
        Self(4)
    }
}

impl Speed {
    /// The fastest.
    pub(crate) const MAX: u8 = 8;

    /// By position, 0 to 8.
    pub(crate) fn at(index: u8) -> Self {
        Self(index.min(Self::MAX))
    }

    /// Its position.
    pub(crate) fn index(self) -> u8 {
        self.0
    }

    /// Virtual seconds per second.
    pub(crate) fn factor(self) -> f64 {
        f64::from(1_u32 << self.0) / 4.0
    }

    /// One step faster or slower.
    pub(crate) fn nudged(self, faster: bool) -> Self {
        Self::at(if faster { self.0.saturating_add(1) } else { self.0.saturating_sub(1) })
    }

    /// As shown.
    pub(crate) fn label(self) -> &'static str {
        match self.0 {
            0 => "0.25×",
            1 => "0.5×",
            2 => "1×",
            3 => "2×",
            4 => "4×",
            5 => "8×",
            6 => "16×",
            7 => "32×",
            _ => "64×",
        }
    }

    /// Too fast to speak about every change.
    pub(crate) fn muted(self) -> bool {
        self.0 > 5
    }
}

/// Playing or not.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Play {
    /// The clock runs.
    pub(crate) playing: bool,
    /// Play speed.
    pub(crate) speed: Speed,
    /// Part of a millisecond not yet played.
    pub(crate) rest_ms: f64,
    /// Play was pressed after the last action that asks for another world, so it is meant for that one.
    pub(crate) meant: bool,
}

/// Colours.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Theme {
    /// As the system says.
    #[default]
    Auto,
    /// Light.
    Light,
    /// Dark.
    Dark,
}

impl Theme {
    /// The word kept in the browser.
    pub(crate) fn word(self) -> &'static str {
        match self {
            Self::Auto => "auto",
            Self::Light => "light",
            Self::Dark => "dark",
        }
    }
}

/// Verbosity of the live region.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Verbosity {
    /// Every change, summarised.
    #[default]
    All,
    /// Plans only.
    Milestones,
    /// Nothing.
    Off,
}

/// Sizes of panes that people can drag.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Sizes {
    /// Editor width in thousandths of the page.
    pub(crate) editor: u32,
    /// Inspector width in thousandths of the page.
    pub(crate) inspector: u32,
    /// Timeline height in pixels.
    pub(crate) dock: u32,
}

impl Default for Sizes {
    fn default() -> Self {
        Self { editor: 290, inspector: 270, dock: 176 }
    }
}

/// Settings that the browser remembers.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Prefs {
    /// Colours.
    pub(crate) theme: Theme,
    /// Single-key shortcuts are off.
    pub(crate) keys_off: bool,
    /// Verbosity of the live region.
    pub(crate) verbosity: Verbosity,
    /// The first-visit hint was dismissed.
    pub(crate) hint_seen: bool,
    /// Idle stretches of the timeline are drawn in full.
    pub(crate) full_idle: bool,
    /// Pane sizes.
    pub(crate) sizes: Sizes,
}

/// Panes, as the small screen switches between them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Pane {
    /// Editor.
    Edit,
    /// Plan tree.
    #[default]
    Plan,
    /// Inspector.
    Inspect,
}

/// Tabs of the inspector.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Tab {
    /// Why is it not moving?
    #[default]
    Why,
    /// Machines.
    Cluster,
    /// Events.
    Log,
    /// Pods.
    Pods,
    /// The service's command line.
    Console,
    /// This run beside another one.
    Compare,
}

/// Tabs under the editor.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum EditTab {
    /// Findings.
    #[default]
    Problems,
    /// Environment values.
    Env,
    /// Cluster preset and seed.
    World,
}

/// Dialogs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Dialog {
    /// Examples.
    Gallery,
    /// Open or paste.
    Open,
    /// Link.
    Share,
    /// The run as something to put into a document.
    Embed,
    /// Keyboard and settings.
    Keys,
    /// Everything that can be done, by name.
    Palette,
    /// Changes of an update, before it is carried out.
    Changes,
    /// Changes of one field, each tried in two worlds.
    Recipes,
    /// Add a machine.
    AddMachine,
    /// Inject a failure.
    Fault,
    /// Maintenance of machines, with this one chosen for a window.
    Maintenance(Option<AttrValue>),
    /// Parameters for the action of this title at an element.
    Parameters(ElementPath, AttrValue),
    /// The lessons.
    Lessons,
    /// A lesson from the run shown.
    MakeLesson,
    /// Results of a class, with these initial links.
    Results(AttrValue),
    /// Asks whether to load the file at this address.
    Source(AttrValue),
}

/// Subjects of a context menu.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum MenuTarget {
    /// An element of a plan.
    Element(ElementPath),
    /// A machine by hostname.
    Machine(AttrValue),
    /// A task by id.
    Task(AttrValue),
    /// A pod of a service, which the path leads to.
    Pod(ElementPath, AttrValue),
}

/// An open context menu.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Menu {
    /// The part it is about.
    pub(crate) target: MenuTarget,
    /// Left edge in pixels.
    pub(crate) x: i32,
    /// Top edge in pixels.
    pub(crate) y: i32,
}

/// Which events the log shows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct LogFilter {
    /// At least this important.
    pub(crate) level: Importance,
    /// Containing this text, any case.
    pub(crate) text: AttrValue,
}

impl Default for LogFilter {
    fn default() -> Self {
        Self { level: Importance::Normal, text: AttrValue::default() }
    }
}

/// A card of the gallery.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct ExampleCard {
    /// Id.
    pub(crate) id: AttrValue,
    /// Title.
    pub(crate) title: AttrValue,
    /// Dialect.
    pub(crate) dialect: AttrValue,
    /// Its lesson.
    pub(crate) teaches: AttrValue,
    /// Its difficulty.
    pub(crate) difficulty: AttrValue,
    /// Its plans at a telling moment: a letter for each step, phases apart by spaces.
    pub(crate) picture: AttrValue,
}

/// A lesson of the course.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct LessonCard {
    /// Id.
    pub(crate) id: AttrValue,
    /// Title.
    pub(crate) title: AttrValue,
    /// Part of the course, by its number.
    pub(crate) part: u32,
    /// Words of its systems.
    pub(crate) systems: Vec<AttrValue>,
}

/// A choice of machines.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct PresetCard {
    /// Name.
    pub(crate) name: AttrValue,
    /// In words.
    pub(crate) text: AttrValue,
}

/// View state that is not stored.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Ui {
    /// Pane of the small screen.
    pub(crate) pane: Pane,
    /// Inspector tab.
    pub(crate) tab: Tab,
    /// Tab under the editor.
    pub(crate) edit_tab: EditTab,
    /// The editor is shut (tablet).
    pub(crate) editor_shut: bool,
    /// Timeline lanes shown on the small screen.
    pub(crate) lanes_open: bool,
    /// Lanes of the timeline are tasks by machine rather than steps.
    pub(crate) by_machine: bool,
    /// The part of the run that the timeline shows.
    pub(crate) zoom: Option<(u64, u64)>,
    /// Tree and timeline only.
    pub(crate) focus_mode: bool,
    /// Dialog.
    pub(crate) dialog: Option<Dialog>,
    /// Context menu.
    pub(crate) menu: Option<Menu>,
    /// Selected element.
    pub(crate) selected: Option<ElementPath>,
    /// Selected task by name.
    pub(crate) task: Option<AttrValue>,
    /// Rows toggled from their default.
    pub(crate) toggled: Ptr<SortedSet<ElementPath>>,
    /// Plans are shown as rows or as drawings; `None` if not chosen.
    pub(crate) as_rows: Option<bool>,
    /// Text that rows must contain.
    pub(crate) row_filter: AttrValue,
    /// Machines as a table.
    pub(crate) machine_table: bool,
    /// Log filter.
    pub(crate) filter: LogFilter,
    /// Messages.
    pub(crate) toasts: Ptr<Vec<Toast>>,
    /// Number of the next message.
    pub(crate) next_toast: u32,
    /// Place the editor should show: file, line, column; the number makes it new.
    pub(crate) reveal: Option<(AttrValue, u32, u32, u32)>,
    /// Line of the caret.
    pub(crate) caret: u32,
    /// Entries of the palette used on this page, the last first.
    pub(crate) lately: Ptr<Vec<AttrValue>>,
    /// Set if the next definitions are opened beside the present ones.
    pub(crate) beside: bool,
    /// The share link, once made.
    pub(crate) link: Option<Link>,
    /// The definition is shown in place of the lesson.
    pub(crate) definition: bool,
    /// Working towards idle in the background.
    pub(crate) stuck_seen: bool,
}

/// Everything.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct State {
    /// Shown state of the engine.
    pub(crate) world: World,
    /// Playing or not.
    pub(crate) play: Play,
    /// The definition being edited.
    pub(crate) draft: Draft,
    /// The definitions of all services; the place of the one being edited may be out of date.
    pub(crate) drafts: Ptr<Vec<Draft>>,
    /// Index of the edited definition.
    pub(crate) at: usize,
    /// The definitions that run at the moment shown.
    pub(crate) running: Ptr<Vec<Running>>,
    /// Machines on which the service gets further than on those in use.
    pub(crate) better: Option<AttrValue>,
    /// Result of reading it.
    pub(crate) checked: Ptr<Checked>,
    /// Why the selected element is not moving.
    pub(crate) why: Option<Ptr<Why>>,
    /// Stuck elements, and ways out.
    pub(crate) help: Ptr<WaysOut>,
    /// Another run on the same clock.
    pub(crate) compare: Option<Ptr<Compared>>,
    /// Next steps of undo and redo.
    pub(crate) ways: Ways,
    /// The file that was removed last: place of its service, path, text.
    pub(crate) removed: Option<(usize, String, AttrValue)>,
    /// The service's command line.
    pub(crate) console: Ptr<Console>,
    /// View state.
    pub(crate) ui: Ui,
    /// Settings that the browser remembers.
    pub(crate) prefs: Prefs,
    /// The system prefers dark colours.
    pub(crate) system_dark: bool,
    /// The document around the page, if it is shown in one.
    pub(crate) frame: Option<Frame>,
    /// Gallery.
    pub(crate) examples: Ptr<Vec<ExampleCard>>,
    /// Cluster presets.
    pub(crate) presets: Ptr<Vec<PresetCard>>,
    /// Preset in use, when known.
    pub(crate) preset: Option<AttrValue>,
    /// Origin of the content.
    pub(crate) story: Ptr<Story>,
    /// The link could not be read.
    pub(crate) broken: Option<BrokenLink>,
    /// The run is open, and is or may be another one than was recorded.
    pub(crate) differing: Option<Differing>,
    /// The engine ended and was started again.
    pub(crate) stopped: Option<Ptr<Stopped>>,
    /// The world is served, and this page is one of its clients.
    pub(crate) served: Option<Served>,
    /// The course.
    pub(crate) lessons: Ptr<Vec<LessonCard>>,
    /// The lesson that is open.
    pub(crate) lesson: Option<Ptr<Card>>,
    /// Its try.
    pub(crate) attempt: Ptr<Try>,
    /// Lessons that were passed.
    pub(crate) progress: Ptr<Progress>,
    /// The browser stores data.
    pub(crate) keeps: bool,
    /// Number of pieces of the page's code that have arrived.
    pub(crate) arrivals: u32,
}

impl State {
    /// The page before anything is open.
    pub(crate) fn first() -> Self {
        Self {
            examples: Ptr::new(catalogue::examples()),
            presets: Ptr::new(catalogue::presets()),
            lessons: Ptr::new(catalogue::lessons()),
            progress: Ptr::new(super::persist::load_progress()),
            keeps: crate::browser::can_store(),
            prefs: super::persist::load_prefs(),
            system_dark: crate::browser::system_is_dark(),
            served: crate::browser::server()
                .map(|address| Served { address: address.into(), ..Served::default() }),
            ..Self::default()
        }
    }

    /// The page in a frame of another document before anything is open.
    pub(crate) fn framed(frame: Frame) -> Self {
        let mut state = Self {
            examples: Ptr::new(catalogue::examples()),
            presets: Ptr::new(catalogue::presets()),
            lessons: Ptr::new(catalogue::lessons()),
            // A lesson in a frame is learned as well as on the page.
            progress: Ptr::new(super::persist::load_progress()),
            keeps: crate::browser::can_store(),
            prefs: frame.prefs(),
            system_dark: crate::browser::system_is_dark(),
            ..Self::default()
        };
        state.play.speed = frame.speed;
        state.ui.tab = frame.tabs().first().copied().unwrap_or_default();
        state.frame = Some(frame);
        state
    }

    /// Returns the editor's state for the host.
    pub(crate) fn editor(&self) -> Editor {
        Editor { draft: self.draft.clone(), drafts: self.drafts.clone(), at: self.at }
    }

    /// Returns the definitions of all services, up to date.
    pub(crate) fn all_drafts(&self) -> Vec<Draft> {
        self.editor().all()
    }

    /// Returns whether any definition differs from what runs.
    pub(crate) fn dirty(&self) -> bool {
        self.draft.dirty() || self.drafts.iter().enumerate().any(|(at, draft)| at != self.at && draft.dirty())
    }

    /// Plans as they would be, while nothing runs.
    pub(crate) fn preview(&self) -> Option<&Arc<ServiceView>> {
        let nothing = self.world.view.services.is_empty() && !self.world.touched;
        self.checked.preview.as_ref().filter(|_| nothing)
    }

    /// The place by now of the definition that was seen at a place among definitions of these dialects and names.
    pub(crate) fn place_by_now(&self, seen: &[(String, AttrValue)], at: usize) -> Option<usize> {
        if self.drafts.len() == seen.len() {
            return Some(at);
        }
        let (dialect, name) = seen.get(at).filter(|(_, name)| !name.is_empty())?;
        self.all_drafts().iter().position(|draft| draft.is_of(dialect, name))
    }

    /// The place of a service among the definitions.
    pub(crate) fn place_of(&self, dialect: &str, service: &str) -> Option<usize> {
        self.editor().place_of(dialect, service)
    }

    /// The place of the definition that speaks of an element in a file: the service's own, or one of those that were
    /// loaded into it.
    pub(crate) fn place_of_element(&self, path: &ElementPath, file: &str) -> Option<usize> {
        if let Some(own) = self.place_of(&path.dialect, &path.service) {
            return Some(own);
        }
        let service = self.world.view.services.iter().find(|service| service.holds(path))?;
        let all = self.all_drafts();
        let fits = |name: &Text| {
            all.iter().position(|draft| draft.is_of(&service.dialect, name) && draft.files.contains_key(file))
        };
        let of_step = path.step.iter().chain(&path.phase).find_map(|name| {
            service.definitions.iter().find(|definition| *definition == name).and_then(fits)
        });
        of_step.or_else(|| service.definitions.iter().find_map(fits))
    }
}
