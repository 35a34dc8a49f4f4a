//! The link to the engine in its worker, which is started again whenever it ends, or to the server of a world.
//!
//! *Knows*: texts, pings, and the first message of a new engine. *Must not know*: the meaning of questions, how a worker is
//! loaded (`web/engine.js`).
//!
//! *Order*: an engine that panicked or does not answer is ended; the next one is told the world as it was kept last and the moment
//! shown; the question that the old one was at is set aside; those behind it are asked again. A server that is lost keeps its world: the
//! page shows the last state, asks nothing, and goes on when the server is there again.

use super::action::{Action, Fact};
use super::hub::{Hub, WeakHub};
use super::link::Link;
use super::served::unreached;
use super::stopped::Stopped;
use super::watch::{BEAT_MS, Beat, Watch};
use super::{effects, persist};
use crate::browser;
use gloo::render::{AnimationFrame, request_animation_frame};
use gloo::timers::callback::{Interval, Timeout};
use planarium_messages::facts::Keep;
use planarium_messages::questions::{Ask, Begin, Question, Resume};
use planarium_messages::wire::{Asked, Decoder, Told, UNASKED, VERSION, text, told};
use std::cell::{Cell, RefCell};
use std::rc::Rc;
use wasm_bindgen::prelude::*;

/// The link.
#[derive(Clone)]
pub(crate) struct Engine(Rc<Inner>);

struct Inner {
    hub: WeakHub,
    decoder: RefCell<Decoder>,
    watch: RefCell<Watch>,
    /// The last stored world before an answer.
    tab: RefCell<String>,
    /// The same, as the question that the engine is at has left it.
    coming: RefCell<Option<String>>,
    /// Number of consecutive engines that ended before they answered their first message.
    falls: Cell<u32>,
    /// The first answers, which are shown in a task of their own.
    arrived: RefCell<Vec<(u32, f64, Vec<Fact>)>>,
    /// That task.
    turn: RefCell<Option<Timeout>>,
    /// The first answers have been shown; later ones are shown as they come.
    shown: Cell<bool>,
    /// Number of the first question to the engine that took over, until it is answered.
    first: Cell<Option<u32>>,
    /// Says that no engine can be started any more.
    give_up: fn(&str),
    /// The world is served to others, too.
    served: bool,
    /// The connection to the server is lost.
    lost: Cell<bool>,
    /// The server may send what others did, or will be told so in the next frame.
    ready: RefCell<Option<AnimationFrame>>,
    /// What is called by the browser; it lives as long as the link.
    calls: RefCell<Option<Calls>>,
}

/// Calls of the browser: texts of the engine, and a beat each second.
struct Calls {
    _hear: Closure<dyn FnMut(String)>,
    _beat: Interval,
}

impl Engine {
    /// A link to the engine that the page's first script has started. `give_up` is called when no engine stays any more.
    pub(crate) fn new(hub: &Hub, give_up: fn(&str)) -> Self {
        let engine = Self(Rc::new(Inner {
            hub: hub.downgrade(),
            decoder: RefCell::default(),
            watch: RefCell::default(),
            tab: RefCell::default(),
            coming: RefCell::default(),
            falls: Cell::new(0),
            arrived: RefCell::default(),
            turn: RefCell::default(),
            shown: Cell::new(false),
            first: Cell::new(None),
            give_up,
            served: hub.state().served.is_some(),
            lost: Cell::new(false),
            ready: RefCell::default(),
            calls: RefCell::default(),
        }));
        let weak = Rc::downgrade(&engine.0);
        let with = move |call: &dyn Fn(&Engine)| {
            if let Some(inner) = weak.upgrade() {
                call(&Engine(inner));
            }
        };
        let hears = with.clone();
        let hear = Closure::new(move |text: String| hears(&|engine| engine.hear(&text)));
        let beat = Interval::new(BEAT_MS, move || with(&Engine::beat));
        browser::hear_engine(&hear);
        if engine.0.served {
            browser::post_to_engine(&text(&Asked::Hello(VERSION)));
        }
        *engine.0.calls.borrow_mut() = Some(Calls { _hear: hear, _beat: beat });
        engine
    }

    fn hear(&self, message: &str) {
        let Some(hub) = self.0.hub.upgrade() else { return };
        match told(message) {
            Ok(Told::Hello(VERSION)) => {
                self.0.watch.borrow_mut().is_up();
                if self.0.lost.replace(false) {
                    self.come_back(&hub);
                }
            }
            Ok(Told::Hello(other)) => {
                self.fall(&format!("the engine speaks version {other}, the page {VERSION}"));
            }
            Ok(Told::Keep(keep)) => {
                if let Keep::Tab(tab) = &keep {
                    *self.0.coming.borrow_mut() = Some(tab.clone());
                }
                hub.kept(keep);
            }
            Ok(Told::Facts(batch)) => {
                if let Some(tab) = self.0.coming.take() {
                    *self.0.tab.borrow_mut() = tab;
                }
                let number = batch.number;
                #[expect(clippy::cast_precision_loss, reason = "far below 2^53")]
                let took_ms = batch.took_us as f64 / 1000.0;
                let facts = self.0.decoder.borrow_mut().facts(batch);
                if self.0.first.get().is_none_or(|first| first == number) {
                    self.0.first.set(None);
                    self.0.falls.set(0);
                }
                if self.0.shown.get() {
                    self.show(&hub, number, took_ms, facts);
                } else {
                    self.0.arrived.borrow_mut().push((number, took_ms, facts));
                    self.show_in_turn();
                }
            }
            Ok(Told::Pong(ping)) => self.0.watch.borrow_mut().heard(ping),
            Ok(Told::Panicked(reason)) => self.fall(&reason),
            Ok(Told::Lost(reason)) => self.lose(&hub, &reason),
            Ok(Told::Gone) => self.move_on(&hub),
            Err(reason) => self.fall(&format!("the engine said what the page does not understand: {reason}")),
        }
    }

    fn show(&self, hub: &Hub, number: u32, took_ms: f64, facts: Vec<Fact>) {
        hub.told(number, took_ms, facts);
        self.ask_for_news(number);
    }

    /// Shows what has arrived in a task of its own. The browser compiles a function when it is first called, so reading the first
    /// answer and showing it take long enough without each other.
    fn show_in_turn(&self) {
        let weak = Rc::downgrade(&self.0);
        let turn = Timeout::new(0, move || {
            let Some(engine) = weak.upgrade().map(Engine) else { return };
            let Some(hub) = engine.0.hub.upgrade() else { return };
            engine.0.shown.set(true);
            for (number, took_ms, facts) in engine.0.arrived.take() {
                engine.show(&hub, number, took_ms, facts);
            }
        });
        *self.0.turn.borrow_mut() = Some(turn);
    }

    fn beat(&self) {
        let Some(hub) = self.0.hub.upgrade() else { return };
        let at = hub.oldest();
        let beat = self.0.watch.borrow_mut().beat(browser::now_ms(), at.as_ref().map(|at| &at.ask));
        match beat {
            Beat::Rest => {}
            Beat::Ping(ping) => browser::post_to_engine(&text(&Asked::Ping(ping))),
            Beat::Silent if browser::engine_is_elsewhere() => self.0.watch.borrow_mut().waits(),
            Beat::Silent => self.fall("the engine did not answer any more"),
        }
    }

    /// The engine has ended: the next one takes over.
    fn fall(&self, reason: &str) {
        let Some(hub) = self.0.hub.upgrade() else { return };
        if self.0.served {
            self.lose(&hub, reason);
            browser::restart_engine();
            return;
        }
        gloo::console::error!(format!("The engine stopped: {reason}"));
        let falls = self.0.falls.get();
        self.0.falls.set(falls + 1);
        let fatal = hub.oldest();
        let clock = hub.state().world.clock;
        // An engine that ends before its first answer ends for the reason of the one before, which a card still tells unless it was closed.
        if falls == 0 || hub.state().stopped.is_none() {
            let stopped = Stopped::of(fatal.as_ref(), clock.now_ms, reason);
            hub.send(Action::Stopped(Box::new(stopped)));
        }
        let mut rest = hub.ended();
        if let Some(fatal) = fatal {
            rest.retain(|question| question.number != fatal.number);
            hub.give_up(fatal.number);
        }
        self.forget_engine();
        let Some(first) = self.first_of_next(&hub, falls) else {
            (self.0.give_up)(reason);
            return;
        };
        rest.retain(|question| !is_passing(&question.ask));
        browser::restart_engine();
        self.0.first.set(Some(hub.go_on(first, rest)));
    }

    /// The engine ended, but not because of this page, and the next one is started: it is told the world as it was kept last, or what the
    /// page began with, and all that was not answered is asked again.
    fn move_on(&self, hub: &Hub) {
        let mut rest = hub.ended();
        self.forget_engine();
        let began = rest.iter().find(|question| matches!(question.ask, Ask::Begin(_)));
        let began = began.filter(|_| self.0.tab.borrow().is_empty()).map(|question| question.ask.clone());
        let Some(first) = began.or_else(|| self.first_of_next(hub, self.0.falls.get().saturating_sub(1)))
        else {
            return;
        };
        rest.retain(|question| !is_passing(&question.ask));
        self.0.first.set(Some(hub.go_on(first, rest)));
    }

    fn forget_engine(&self) {
        self.0.coming.take();
        self.0.arrived.take();
        *self.0.decoder.borrow_mut() = Decoder::default();
        *self.0.watch.borrow_mut() = Watch::default();
    }

    /// Lets the server send what others did, once the page has drawn what came last. A hidden page draws nothing, so it hears nothing.
    fn ask_for_news(&self, number: u32) {
        let asks = self.0.served && (number == UNASKED || self.0.ready.borrow().is_none());
        if asks {
            let say = |_| browser::post_to_engine(&text(&Asked::Ready));
            *self.0.ready.borrow_mut() = Some(request_animation_frame(say));
        }
    }

    /// The server is gone: nothing that was asked will be answered.
    fn lose(&self, hub: &Hub, reason: &str) {
        self.0.lost.set(true);
        self.0.ready.take();
        self.0.arrived.take();
        *self.0.watch.borrow_mut() = Watch::default();
        for question in hub.ended() {
            hub.give_up(question.number);
        }
        hub.send(Action::Lost(reason.into()));
    }

    /// The server is there again, with a host that knows nothing of this page.
    fn come_back(&self, hub: &Hub) {
        *self.0.decoder.borrow_mut() = Decoder::default();
        browser::post_to_engine(&text(&Asked::Hello(VERSION)));
        let lineage = hub.state().world.log.lineage;
        let names = crate::systems::file_names();
        hub.go_on(Ask::Resume(Box::new(Resume { lineage, names, ..Resume::default() })), Vec::new());
    }

    /// Chooses what the next engine is told first: the world as it was; if that ends it twice, the run as its inputs tell it; then
    /// an empty page. `None` after that.
    fn first_of_next(&self, hub: &Hub, falls: u32) -> Option<Ask> {
        let tab = self.0.tab.borrow().clone();
        let state = hub.state();
        let clock = state.world.clock;
        let (hash, names) = (browser::hash(), crate::systems::file_names());
        let wishes = state.frame.as_ref().map(|frame| frame.wishes.clone()).unwrap_or_default();
        match falls {
            // The engine may have ended at another message while this one waited, so it is tried twice.
            0 | 1 if !tab.is_empty() => Some(Ask::Resume(Box::new(Resume {
                tab,
                again: falls > 0,
                at: (clock.now_ms, clock.seq),
                lineage: state.world.log.lineage,
                hash,
                names,
                wishes,
            }))),
            2 if !tab.is_empty() => {
                let begin = effects::begin(&persist::saved_run().unwrap_or_default(), None);
                let recover = persist::saved_parts();
                Some(Ask::Begin(Box::new(Begin { tab: None, recover, ..begin })))
            }
            0..=3 => Some(Ask::Begin(Box::new(Begin { names, ..Begin::default() }))),
            _ => None,
        }
    }
}

impl Link for Engine {
    fn post(&self, hub: &Hub, question: &Question) {
        if self.0.lost.get() {
            hub.give_up(question.number);
            hub.told(question.number, 0.0, unreached(&question.ask));
            return;
        }
        browser::post_to_engine(&text(&Asked::Question(Box::new(question.clone()))));
    }
}

/// Returns whether the answer to a question of an earlier engine is no longer needed.
fn is_passing(ask: &Ask) -> bool {
    matches!(ask, Ask::Frame(_) | Ask::Ahead(_) | Ask::Look | Ask::Begin(_) | Ask::Resume(_))
}
