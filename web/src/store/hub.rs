//! The single entry: actions come in, reducers make the next state, the host is asked, its facts make the following
//! state, and the page is notified.

use super::action::{Action, Fact};
use super::link::Link;
use super::pending::Pending;
use super::state::{Dialog, State, Tab};
use super::{effects, persist, reduce, served, view_state};
use crate::browser;
use planarium_messages::draft::Editor;
use planarium_messages::facts::{Address, Keep, Reply};
use planarium_messages::questions::{Ask, EditorChange, Question};
use planarium_protocol::Input;
use planarium_protocol::Text;
use planarium_protocol::event::ElementPath;
use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, VecDeque};
use std::rc::{Rc, Weak};
use yew::prelude::*;

/// The reason when the engine ended while it opened something.
const STOPPED: &str = "The engine stopped while it was opened.";

/// Handle that components send actions through. Cheap to clone; equal only to itself.
#[derive(Clone)]
pub(crate) struct Hub(Rc<Inner>);

/// A handle that does not keep the hub alive.
pub(crate) struct WeakHub(Weak<Inner>);

impl WeakHub {
    /// The hub, while it is there.
    pub(crate) fn upgrade(&self) -> Option<Hub> {
        self.0.upgrade().map(Hub)
    }
}

/// Something that happened and waits for its turn.
enum Turn {
    Action(Action),
    Answer(u32, Vec<Fact>),
}

/// Callback that hears how a question ended.
enum Try {
    /// An input: whether it was accepted.
    Input(Callback<bool>),
    /// A text or files: the reason why nothing was opened.
    Open(Callback<Result<(), Text>>),
}

struct Inner {
    link: RefCell<Option<Rc<dyn Link>>>,
    state: RefCell<Rc<State>>,
    queue: RefCell<VecDeque<Turn>>,
    busy: Cell<bool>,
    listener: RefCell<Option<Callback<Rc<State>>>>,
    sent: RefCell<Sent>,
    /// Questions without an answer.
    pending: RefCell<Pending>,
    /// Actions that wait for the answer to a question that changes the editor.
    held: RefCell<Vec<Action>>,
    waiting: RefCell<BTreeMap<u32, Callback<Reply>>>,
    /// Callbacks for whether a question did what it asks for.
    trying: RefCell<BTreeMap<u32, Try>>,
    /// Callback for when all questions are answered.
    settled: RefCell<Option<Callback<()>>>,
    /// The frame that is under way.
    frame: Cell<Option<u32>>,
    /// The page's root says that an answer is outstanding.
    waits: Cell<bool>,
    /// Duration of the host's last frame.
    took_ms: Cell<Option<f64>>,
    /// Counts states that showed another moment.
    drawn: Cell<u64>,
    tab: RefCell<KeptTab>,
}

/// The last question that the host heard.
#[derive(Default)]
struct Sent {
    number: u32,
    editor: Editor,
    selected: Option<ElementPath>,
    completed: Option<Completed>,
}

/// Inputs of a line's completions: the line, the service, the number of elements.
type Completed = (String, Option<String>, (u32, u32), usize);

/// State kept for a page that is loaded again.
#[derive(Default)]
struct KeptTab {
    text: String,
    /// The address that was written over last, and when. A page that is loaded again at that moment may still come back
    /// there.
    left: (String, f64),
}

/// Time within which a reloaded page may use the address before the last written one. *Units*: milliseconds.
const LEFT_MS: f64 = 2_000.0;

impl PartialEq for Hub {
    fn eq(&self, other: &Self) -> bool {
        Rc::ptr_eq(&self.0, &other.0)
    }
}

impl Hub {
    /// A hub without a host.
    pub(crate) fn new(state: State) -> Self {
        Self(Rc::new(Inner {
            link: RefCell::default(),
            state: RefCell::new(Rc::new(state)),
            queue: RefCell::default(),
            busy: Cell::new(false),
            listener: RefCell::default(),
            sent: RefCell::default(),
            pending: RefCell::default(),
            held: RefCell::default(),
            waiting: RefCell::default(),
            trying: RefCell::default(),
            settled: RefCell::default(),
            frame: Cell::new(None),
            waits: Cell::new(false),
            took_ms: Cell::new(None),
            drawn: Cell::new(0),
            tab: RefCell::default(),
        }))
    }

    /// A handle that does not keep it alive.
    pub(crate) fn downgrade(&self) -> WeakHub {
        WeakHub(Rc::downgrade(&self.0))
    }

    /// Connects to a host; `first` is its first message.
    pub(crate) fn connect(&self, link: Rc<dyn Link>, first: Ask) {
        *self.0.link.borrow_mut() = Some(link);
        let number = self.0.sent.borrow().number;
        *self.0.sent.borrow_mut() = Sent { number, ..Sent::default() };
        self.post(first);
        self.work();
    }

    /// The latest state.
    pub(crate) fn state(&self) -> Rc<State> {
        Rc::clone(&self.0.state.borrow())
    }

    /// Sets the listener for each new state.
    pub(crate) fn listen(&self, listener: Callback<Rc<State>>) {
        *self.0.listener.borrow_mut() = Some(listener);
    }

    /// Carries out an action; one sent from within another waits for its turn.
    pub(crate) fn send(&self, action: Action) {
        self.0.queue.borrow_mut().push_back(Turn::Action(action));
        self.work();
    }

    /// Takes what came of a question, and how long the host took for it.
    pub(crate) fn told(&self, number: u32, took_ms: f64, facts: Vec<Fact>) {
        if self.0.frame.get() == Some(number) {
            self.0.frame.set(None);
            self.0.took_ms.set(Some(took_ms));
        }
        // Before later requests.
        self.0.queue.borrow_mut().push_front(Turn::Answer(number, facts));
        self.work();
    }

    /// Stores data for the host.
    pub(crate) fn kept(&self, keep: Keep) {
        let framed = self.state().frame.is_some();
        match keep {
            Keep::Tab(text) => {
                self.0.tab.borrow_mut().text = text;
                self.save_tab();
            }
            // A lesson in a frame is learned as well as on the page.
            Keep::Try { lesson, link } => persist::save_try(&lesson, &link),
            // Frames of one document share their storage with each other and with the page.
            _ if framed => {}
            Keep::Input(place, packed) => persist::save_input(place, &packed),
            Keep::Rest { rest, pending } => persist::save_rest(&rest, &pending),
            Keep::Run(share) => persist::save_run(&share),
            Keep::Draft(text) => persist::save_draft(&text),
        }
    }

    /// Calls back once, as soon as every question has its answer.
    pub(crate) fn when_settled(&self, call: Callback<()>) {
        *self.0.settled.borrow_mut() = Some(call);
        self.work();
    }

    /// Returns the instant shown, or the requested one that is not shown yet.
    pub(crate) fn aim_ms(&self) -> u64 {
        self.0.pending.borrow().aim_ms().unwrap_or(self.state().world.clock.now_ms)
    }

    /// The question that the host is at.
    pub(crate) fn oldest(&self) -> Option<Question> {
        self.0.pending.borrow().oldest().cloned()
    }

    /// The host has ended. Returns the questions that it did not answer, in their order.
    pub(crate) fn ended(&self) -> Vec<Question> {
        self.0.frame.set(None);
        self.0.pending.borrow_mut().take()
    }

    /// Drops a question whose answer is no longer needed.
    pub(crate) fn give_up(&self, number: u32) {
        self.0.waiting.borrow_mut().remove(&number);
        let tried = self.0.trying.borrow_mut().remove(&number);
        match tried {
            Some(Try::Input(then)) => then.emit(false),
            Some(Try::Open(then)) => then.emit(Err(STOPPED.into())),
            None => {}
        }
    }

    /// Takes over with another host: sends `first`, and then asks the unanswered questions. Returns the number of the
    /// first question.
    pub(crate) fn go_on(&self, first: Ask, rest: Vec<Question>) -> u32 {
        let number = self.0.sent.borrow().number;
        *self.0.sent.borrow_mut() = Sent { number, ..Sent::default() };
        self.post(first);
        let number = self.0.sent.borrow().number;
        let Some(link) = self.0.link.borrow().clone() else { return number };
        for question in rest {
            let again = self.next_number();
            self.renumber(question.number, again);
            // The host already has the present editor.
            let question = Question { number: again, editor: None, ..question };
            self.0.pending.borrow_mut().add(question.clone(), &self.state());
            link.post(self, &question);
        }
        number
    }

    /// Who waits for the answer to a question waits for that to another one.
    fn renumber(&self, from: u32, to: u32) {
        let mut waiting = self.0.waiting.borrow_mut();
        if let Some(call) = waiting.remove(&from) {
            waiting.insert(to, call);
        }
        let mut trying = self.0.trying.borrow_mut();
        if let Some(call) = trying.remove(&from) {
            trying.insert(to, call);
        }
    }

    /// Returns whether a frame is under way.
    pub(crate) fn plays(&self) -> bool {
        self.0.frame.get().is_some()
    }

    /// Returns the host's duration for the frame that ended since the last call. *Units*: milliseconds.
    pub(crate) fn took_ms(&self) -> Option<f64> {
        self.0.took_ms.take()
    }

    /// Counts states that showed another moment.
    pub(crate) fn drawn(&self) -> u64 {
        self.0.drawn.get()
    }

    /// A callback that sends what `make` says.
    pub(crate) fn on<E: 'static>(&self, make: impl Fn(E) -> Action + 'static) -> Callback<E> {
        let hub = self.clone();
        Callback::from(move |event| hub.send(make(event)))
    }

    /// A callback that sends the same action each time.
    pub(crate) fn act<E: 'static>(&self, action: Action) -> Callback<E> {
        self.on(move |_| action.clone())
    }

    /// Closes a dialog and carries out its action. A dialog that is closed already does nothing: the second of two
    /// clicks may come before it has left the page.
    pub(crate) fn finish(&self, dialog: &Dialog, action: Action) {
        if self.state().ui.dialog.as_ref() == Some(dialog) {
            self.send(Action::CloseDialog);
            self.send(action);
        }
    }

    /// Closes a dialog unless another one took its place.
    pub(crate) fn close(&self, dialog: &Dialog) {
        if self.state().ui.dialog.as_ref() == Some(dialog) {
            self.send(Action::CloseDialog);
        }
    }

    /// Asks a question that has its own answer.
    pub(crate) fn ask(&self, ask: Ask, answer: Callback<Reply>) {
        let number = self.next_number();
        self.0.waiting.borrow_mut().insert(number, answer);
        self.post_numbered(number, ask);
        self.work();
    }

    /// Applies an input; calls `then` with whether it was accepted.
    pub(crate) fn try_input(&self, input: Input, then: Callback<bool>) {
        let refused = self.state().frame.as_ref().and_then(|frame| frame.refuses_input(&input));
        if let Some(reason) = refused {
            self.send(Action::Say(format!("Not done: {reason}.").into()));
            then.emit(false);
            return;
        }
        let number = self.next_number();
        self.0.trying.borrow_mut().insert(number, Try::Input(then));
        self.post_numbered(number, Ask::Do(Box::new(input)));
        self.work();
    }

    /// Opens a text or files; calls `then` when they are shown, or with the reason why nothing was opened. The reason is
    /// shown by the caller and nowhere else.
    pub(crate) fn try_open(&self, action: &Action, then: Callback<Result<(), Text>>) {
        let state = self.state();
        if let Some(reason) = served::refuses(&state, action) {
            then.emit(Err(reason.into()));
            return;
        }
        let Some(ask) = effects::ask(&state, &state, action) else { return };
        let number = self.next_number();
        self.0.trying.borrow_mut().insert(number, Try::Open(then));
        self.post_numbered(number, ask);
        self.work();
    }

    /// Talks to another host from now on.
    #[cfg(test)]
    pub(super) fn relink(&self, link: Rc<dyn Link>) {
        *self.0.link.borrow_mut() = Some(link);
    }

    /// Returns the state that this tab has kept.
    #[cfg(test)]
    pub(super) fn kept_tab(&self) -> String {
        self.0.tab.borrow().text.clone()
    }

    fn work(&self) {
        if self.0.busy.replace(true) {
            return;
        }
        let old = self.state();
        loop {
            let next = self.0.queue.borrow_mut().pop_front();
            match next {
                Some(Turn::Action(action)) => self.carry_out(&action),
                Some(Turn::Answer(number, facts)) => self.take(number, facts),
                None => break,
            }
        }
        self.0.busy.set(false);
        let state = self.state();
        if *state != *old {
            persist::save_changes(&old, &state);
            let listener = self.0.listener.borrow().clone();
            if let Some(listener) = listener {
                listener.emit(state);
            }
        }
        // Frames are always under way while the clock runs.
        let waits = self.0.pending.borrow().any(|ask| !matches!(ask, Ask::Frame(_) | Ask::Ahead(_)));
        if self.0.waits.replace(waits) != waits {
            browser::say_waiting(waits);
        }
        let settled = if self.0.pending.borrow().is_empty() { self.0.settled.take() } else { None };
        if let Some(settled) = settled {
            settled.emit(());
        }
    }

    /// Returns whether an action is postponed or ignored because of unanswered questions. An action that reads the editor waits
    /// for a question that changes it; the second of two clicks on one button is ignored.
    fn must_wait(&self, action: &Action) -> bool {
        let pending = self.0.pending.borrow();
        match action {
            Action::DropService(_) if pending.any(|ask| matches!(ask, Ask::DropService(_))) => true,
            Action::Check | Action::Apply | Action::RollOut | Action::DropService(_)
                if pending.any(changes_editor) =>
            {
                let mut held = self.0.held.borrow_mut();
                if !held.contains(action) {
                    held.push(action.clone());
                }
                true
            }
            _ => false,
        }
    }

    fn carry_out(&self, action: &Action) {
        if self.must_wait(action) {
            return;
        }
        let old = self.state();
        let said;
        let refused = served::refuses(&old, action).map(str::to_owned);
        let action = match refused.or_else(|| old.frame.as_ref()?.refuses(action)) {
            Some(reason) => {
                said = Action::Say(format!("Not done: {reason}.").into());
                &said
            }
            None => action,
        };
        let mut state = Rc::clone(&old);
        let next = Rc::make_mut(&mut state);
        reduce::action(next, action);
        for fact in effects::facts(action) {
            reduce::fact(next, fact);
        }
        *self.0.state.borrow_mut() = Rc::clone(&state);
        if matches!(action, Action::Leave) {
            self.save_tab();
        }
        if let Some(ask) = effects::ask(&old, &state, action) {
            self.post(ask);
        }
        self.look();
    }

    fn take(&self, number: u32, facts: Vec<Fact>) {
        let asked = self.0.pending.borrow_mut().answered(number);
        let mut state = self.state();
        let (mut opened, mut moved) = (false, false);
        let accepted = !facts.iter().any(|fact| matches!(fact, Fact::Refused(_)));
        let tried = self.0.trying.borrow_mut().remove(&number);
        let reason = matches!(tried, Some(Try::Open(_))).then(|| only_refusal(&facts)).flatten();
        for fact in facts {
            match fact {
                // The caller shows it.
                Fact::Refused(_) if reason.is_some() => {}
                Fact::Address(address) => self.write(&address),
                Fact::Saved(file) => browser::save_text(&file.name, &file.text),
                Fact::Reply(reply) => {
                    let waiting = self.0.waiting.borrow_mut().remove(&number);
                    if let Some(waiting) = waiting {
                        waiting.emit(reply);
                    }
                }
                // It is about another definition than the one shown now.
                Fact::Checked(_) if asked.as_ref().is_some_and(|asked| asked.at != state.at) => {}
                Fact::RolledOut if asked.as_ref().is_some_and(|asked| asked.rolls_out) => {
                    if let Some(asked) = &asked {
                        reduce::rolled_out(Rc::make_mut(&mut state), asked.at, asked.revision);
                    }
                }
                fact => {
                    opened |= matches!(fact, Fact::Opened { .. });
                    moved |= matches!(fact, Fact::Moved(_));
                    reduce::fact(Rc::make_mut(&mut state), fact);
                }
            }
        }
        if moved {
            self.0.drawn.set(self.0.drawn.get() + 1);
        }
        *self.0.state.borrow_mut() = state;
        if opened {
            self.save_tab();
        }
        match tried {
            Some(Try::Input(then)) => then.emit(accepted),
            Some(Try::Open(then)) => then.emit(reason.map_or(Ok(()), Err)),
            None => {}
        }
        self.look();
        if !self.0.pending.borrow().any(changes_editor) {
            let held = self.0.held.take();
            self.0.queue.borrow_mut().extend(held.into_iter().map(Turn::Action));
        }
    }

    /// Tells the host when the page's view changes.
    fn look(&self) {
        let state = self.state();
        let selected = state.ui.selected != self.0.sent.borrow().selected;
        if selected {
            self.post(Ask::Look);
        }
        if state.ui.tab == Tab::Console && self.0.sent.borrow().completed != Some(completed(&state)) {
            self.post(effects::complete(&state));
        }
    }

    fn next_number(&self) -> u32 {
        let mut sent = self.0.sent.borrow_mut();
        sent.number = sent.number.wrapping_add(1);
        sent.number
    }

    fn post(&self, ask: Ask) {
        let number = self.next_number();
        if matches!(ask, Ask::Frame(_) | Ask::Ahead(_)) {
            self.0.frame.set(Some(number));
        }
        self.post_numbered(number, ask);
    }

    fn post_numbered(&self, number: u32, ask: Ask) {
        let Some(link) = self.0.link.borrow().clone() else { return };
        let state = self.state();
        let question = {
            let mut sent = self.0.sent.borrow_mut();
            let now = state.editor();
            let editor = EditorChange::between(&sent.editor, &now);
            sent.editor = now;
            sent.selected.clone_from(&state.ui.selected);
            if matches!(ask, Ask::Complete { .. }) {
                sent.completed = Some(completed(&state));
            }
            Question { number, selected: state.ui.selected.clone(), editor, ask }
        };
        self.0.pending.borrow_mut().add(question.clone(), &state);
        link.post(self, &question);
    }

    /// Writes an address into the address bar.
    fn write(&self, address: &Address) {
        if self.state().frame.is_some() {
            return;
        }
        if address.push {
            browser::push_address(&address.text);
            return;
        }
        let before = browser::address();
        browser::replace_address(&address.text);
        if browser::address() != before {
            self.0.tab.borrow_mut().left = (before, browser::now_ms());
        }
        self.save_tab();
    }

    /// Keeps everything for a page that is loaded again: at this address, and for a moment at the one before.
    fn save_tab(&self) {
        let kept = self.0.tab.borrow();
        if kept.text.is_empty() || self.state().frame.is_some() {
            return;
        }
        let now = browser::address();
        let (left, at_ms) = &kept.left;
        let before = if browser::now_ms() - at_ms < LEFT_MS { left } else { &now };
        let state = self.state();
        let at = (state.world.clock.now_ms, state.world.clock.seq);
        persist::save_tab([before, &now], &kept.text, &view_state::of(&state), at);
    }
}

/// Returns the reason of an answer that refuses and shows nothing new.
fn only_refusal(facts: &[Fact]) -> Option<Text> {
    let shown = |fact: &Fact| {
        matches!(fact, Fact::Opened { .. } | Fact::Beside(_) | Fact::Broken(_) | Fact::Lesson(_))
    };
    let reason = |fact: &Fact| if let Fact::Refused(reason) = fact { Some(reason.clone()) } else { None };
    (!facts.iter().any(shown)).then(|| facts.iter().find_map(reason)).flatten()
}

/// Returns whether the answer to a question may change the editor.
fn changes_editor(ask: &Ask) -> bool {
    matches!(
        ask,
        Ask::Begin(_)
            | Ask::Undo
            | Ask::Redo
            | Ask::RollOut
            | Ask::DropService(_)
            | Ask::OpenExample(_)
            | Ask::OpenFiles(..)
            | Ask::OpenText(..)
            | Ask::OpenHash(_)
            | Ask::OpenPlace(..)
    )
}

fn completed(state: &State) -> Completed {
    let plans =
        |service: &planarium_protocol::view::ServiceView| 1 + service.plans.len() + service.pods.len();
    let elements = state.world.view.services.iter().map(|service| plans(service)).sum();
    (state.console.line.clone(), state.console.picked(), state.world.log.lineage, elements)
}

/// The hub of the page.
///
/// # Panics
/// Outside the provider that the application mounts around everything.
#[hook]
#[expect(clippy::expect_used, reason = "the application's root provides it; there is no page without it")]
pub(crate) fn use_hub() -> Hub {
    use_context::<Hub>().expect("a hub around every component")
}
