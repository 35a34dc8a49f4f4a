//! The one way in: actions go in, effects run, reducers make the next state, the page is told.

use super::action::{Action, Fact};
use super::effects::Session;
use super::reduce;
use super::state::{Dialog, State};
use planarium_protocol::Input;
use planarium_protocol::event::ElementPath;
use planarium_protocol::view::ServiceView;
use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::rc::Rc;
use std::sync::Arc;
use yew::prelude::*;

/// Handle that components send actions through. Cheap to clone; equal only to itself.
#[derive(Clone)]
pub(crate) struct Hub(Rc<Inner>);

struct Inner {
    session: RefCell<Session>,
    state: RefCell<Rc<State>>,
    queue: RefCell<VecDeque<Action>>,
    busy: Cell<bool>,
    listener: RefCell<Option<Callback<Rc<State>>>>,
}

impl PartialEq for Hub {
    fn eq(&self, other: &Self) -> bool {
        Rc::ptr_eq(&self.0, &other.0)
    }
}

impl Hub {
    /// A hub over a session; `facts` is what opening it gave.
    pub(crate) fn new(session: Session, mut state: State, facts: Vec<Fact>) -> Self {
        for fact in facts {
            reduce::fact(&mut state, fact);
        }
        Self(Rc::new(Inner {
            session: RefCell::new(session),
            state: RefCell::new(Rc::new(state)),
            queue: RefCell::default(),
            busy: Cell::new(false),
            listener: RefCell::default(),
        }))
    }

    /// The latest state.
    pub(crate) fn state(&self) -> Rc<State> {
        Rc::clone(&self.0.state.borrow())
    }

    /// Who is told of each new state.
    pub(crate) fn listen(&self, listener: Callback<Rc<State>>) {
        *self.0.listener.borrow_mut() = Some(listener);
    }

    /// Carries out an action; one sent from within another waits for its turn.
    pub(crate) fn send(&self, action: Action) {
        self.0.queue.borrow_mut().push_back(action);
        if self.0.busy.replace(true) {
            return;
        }
        loop {
            let next = self.0.queue.borrow_mut().pop_front();
            let Some(action) = next else { break };
            self.carry_out(action);
        }
        self.0.busy.set(false);
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

    /// Shuts a dialog and carries out what it was for. One that is shut by now asks for nothing more: of two clicks the
    /// second may come before it is gone from the page.
    pub(crate) fn finish(&self, dialog: &Dialog, action: Action) {
        if self.state().ui.dialog.as_ref() == Some(dialog) {
            self.send(Action::CloseDialog);
            self.send(action);
        }
    }

    /// The view of a service as it would be right after an input, which is not carried out.
    ///
    /// *Errors*: why the input would be refused.
    pub(crate) fn outcome_of(
        &self,
        input: &Input,
        path: &ElementPath,
    ) -> Result<Option<Arc<ServiceView>>, String> {
        self.0.session.borrow().outcome_of(input, path)
    }

    /// What is told of a run that has ended.
    pub(crate) fn finish_of_run(&self) -> Option<super::selectors::finish::Finish> {
        self.0.session.borrow().finish_of_run()
    }

    /// A file that was rendered for a task of a service; without a task, the template itself.
    pub(crate) fn rendered_file(&self, path: &ElementPath, task: &str, file: &str) -> Option<String> {
        self.0.session.borrow().rendered_file(path, task, file)
    }

    fn carry_out(&self, action: Action) {
        let old = self.state();
        let mut state = Rc::clone(&old);
        reduce::action(Rc::make_mut(&mut state), &action);
        let facts = self.0.session.borrow_mut().run(&state, &action);
        if matches!(action, Action::Ahead(_)) && facts.is_empty() {
            *self.0.state.borrow_mut() = state;
            return;
        }
        for fact in facts {
            reduce::fact(Rc::make_mut(&mut state), fact);
        }
        if let Some(why) = self.0.session.borrow_mut().why(&state) {
            reduce::fact(Rc::make_mut(&mut state), why);
        }
        if let Some(help) = self.0.session.borrow_mut().help(&state) {
            reduce::fact(Rc::make_mut(&mut state), help);
        }
        let compared = self.0.session.borrow_mut().compared(&state);
        if let Some(compared) = compared {
            reduce::fact(Rc::make_mut(&mut state), compared);
        }
        if *state == *old {
            return;
        }
        super::persist::save_changes(&old, &state);
        *self.0.state.borrow_mut() = Rc::clone(&state);
        let listener = self.0.listener.borrow().clone();
        if let Some(listener) = listener {
            listener.emit(state);
        }
    }
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
