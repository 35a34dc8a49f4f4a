//! The host of a world in a worker of the browser: texts in, texts out.
//!
//! *Knows*: the order of work, the worker's clock, how a panic is reported. *Must not know*: the meaning of questions,
//! the page, where files are.
//!
//! `web/worker.js` loads it, makes an [`Engine`] for each page that it serves, passes it that page's messages, and calls
//! [`Engine::work`] of each in turn, with a yield in between.

mod desk;

use desk::Desk;
use js_sys::Function;
use planarium_messages::wire::{self, Told, VERSION};
use std::cell::RefCell;
use std::panic::PanicHookInfo;
use std::rc::Rc;
use wasm_bindgen::prelude::*;

#[wasm_bindgen]
extern "C" {
    #[wasm_bindgen(js_namespace = performance, js_name = now)]
    fn now_ms() -> f64;

    #[wasm_bindgen(js_name = setTimeout)]
    fn set_timeout(then: &Function, ms: i32) -> JsValue;
}

thread_local! {
    /// Sends a text to the page whose engine works now, or worked last; the panic hook reports to it.
    static AT_WORK: RefCell<Option<Function>> = const { RefCell::new(None) };
}

/// Wait before code that did not come is fetched again for the first world. *Units*: milliseconds.
const AGAIN_MS: i32 = 2_000;

/// A host with the questions that wait for it.
#[wasm_bindgen]
#[derive(Debug)]
pub struct Engine {
    desk: Desk,
    post: Function,
    /// Called when work can go on that waited.
    wake: Function,
    /// The outcome of fetching, until the next work.
    fetched: Rc<RefCell<Option<Result<(), String>>>>,
}

#[wasm_bindgen]
impl Engine {
    /// A host over an empty world. `post` is called with each text for the page, `wake` when there is work that waited for code.
    #[wasm_bindgen(constructor)]
    pub fn new(post: Function, wake: Function) -> Engine {
        AT_WORK.set(Some(post.clone()));
        std::panic::set_hook(Box::new(panicked));
        send(&post, &Told::Hello(VERSION));
        let own = post.clone();
        let desk = Desk::new(Rc::new(move |told| send(&own, told)), now_us);
        Engine { desk, post, wake, fetched: Rc::default() }
    }

    /// Takes a text of the page. A ping is answered at once, a question waits for [`Engine::work`]. Returns whether somebody waits for the
    /// answer, as for all but the frames of a run that plays.
    pub fn take(&mut self, text: &str) -> bool {
        AT_WORK.set(Some(self.post.clone()));
        self.desk.take(text)
    }

    /// Works for one slice of time, which is shared with this number of other engines. Returns whether there is more to do.
    ///
    /// # Panics
    /// Code was needed that had not been fetched, so the answer may be wrong. The page then starts another engine with all code.
    pub fn work(&mut self, others: u32) -> bool {
        AT_WORK.set(Some(self.post.clone()));
        if let Some(outcome) = self.fetched.take() {
            self.desk.fetched(outcome);
        }
        let more = self.desk.work(others);
        assert!(!planarium_host::code_was_absent(), "code was needed before it was fetched");
        if let Some(words) = self.desk.absent() {
            self.fetch(words);
        }
        more
    }

    /// Fetches code, and wakes this engine afterwards.
    fn fetch(&self, words: Vec<&'static str>) {
        let (wake, fetched, insists) = (self.wake.clone(), Rc::clone(&self.fetched), self.desk.insists());
        wasm_bindgen_futures::spawn_local(async move {
            let outcome = planarium_host::fetch(&words).await;
            let wait_ms = if outcome.is_err() && insists { AGAIN_MS } else { 0 };
            fetched.replace(Some(outcome));
            set_timeout(&wake, wait_ms);
        });
    }
}

/// Panics with a text. Nothing in the page or in its worker calls it: tests serve a script of their own that does.
///
/// # Panics
/// Always.
#[wasm_bindgen]
#[expect(clippy::panic, reason = "a panic is what is asked for")]
pub fn fail(text: &str) {
    panic!("{text}");
}

fn panicked(info: &PanicHookInfo<'_>) {
    AT_WORK.with_borrow(|post| {
        if let Some(post) = post {
            send(post, &Told::Panicked(info.to_string()));
        }
    });
}

fn send(post: &Function, told: &Told) {
    let _ = post.call1(&JsValue::NULL, &wire::text(told).into());
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a clock that starts at zero")]
fn now_us() -> u64 {
    (now_ms() * 1000.0) as u64
}
