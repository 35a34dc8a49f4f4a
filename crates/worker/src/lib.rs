//! The host of a world in a worker of the browser: texts in, texts out.
//!
//! *Knows*: the order of work, the worker's clock, how a panic is reported. *Must not know*: the meaning of questions,
//! the page, where files are.
//!
//! `web/worker.js` loads it, makes an [`Engine`] for each page that it serves, passes it that page's messages, and calls
//! [`Engine::work`] of each in turn, with a yield in between.

mod desk;

use desk::Desk;
use js_sys::{Function, Promise};
use planarium_host::{Absent, Fetched, TextFile, Texts};
use planarium_messages::wire::{self, Told, VERSION};
use std::cell::RefCell;
use std::panic::PanicHookInfo;
use std::rc::Rc;
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::JsFuture;

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

/// Wait before something that did not come is fetched again for the first world. *Units*: milliseconds.
const AGAIN_MS: i32 = 2_000;

/// A host with the questions that wait for it.
#[wasm_bindgen]
#[derive(Debug)]
pub struct Engine {
    desk: Desk,
    post: Function,
    /// Called when work can go on that waited.
    wake: Function,
    /// Fetches a file of texts by its name: gives a promise of its content.
    fetch_text: Function,
    texts: Rc<Fetched>,
    /// The outcome of fetching, until the next work.
    fetched: Rc<RefCell<Option<Result<(), String>>>>,
}

#[wasm_bindgen]
impl Engine {
    /// A host over an empty world. `post` is called with each text for the page, `wake` when there is work that waited for something to
    /// come, and `fetch_text` with the name of a file of texts, see [`TextFile`]; it gives a promise of the file's content.
    #[wasm_bindgen(constructor)]
    pub fn new(post: Function, wake: Function, fetch_text: Function) -> Engine {
        AT_WORK.set(Some(post.clone()));
        std::panic::set_hook(Box::new(panicked));
        send(&post, &Told::Hello(VERSION));
        let own = post.clone();
        let texts = Rc::new(Fetched::default());
        let shelf: Rc<dyn Texts> = Rc::<Fetched>::clone(&texts);
        let desk = Desk::new(shelf, Rc::new(move |told| send(&own, told)), now_us);
        Engine { desk, post, wake, fetch_text, texts, fetched: Rc::default() }
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
    /// Code or texts were needed that had not been fetched, so the answer may be wrong. The page then starts another engine with all of
    /// both.
    pub fn work(&mut self, others: u32) -> bool {
        AT_WORK.set(Some(self.post.clone()));
        if let Some(outcome) = self.fetched.take() {
            self.desk.fetched(outcome);
        }
        let more = self.desk.work(others);
        assert!(!self.desk.was_absent(), "something was needed before it was fetched");
        if let Some(absent) = self.desk.absent() {
            self.fetch(absent);
        }
        more
    }

    /// Fetches code and texts, and wakes this engine afterwards.
    fn fetch(&self, absent: Absent) {
        let (wake, fetched, insists) = (self.wake.clone(), Rc::clone(&self.fetched), self.desk.insists());
        let (fetch_text, texts) = (self.fetch_text.clone(), Rc::clone(&self.texts));
        wasm_bindgen_futures::spawn_local(async move {
            // All of it is on its way before the first is waited for.
            let files: Vec<_> =
                absent.texts.iter().map(|file| (*file, promised(&fetch_text, *file))).collect();
            let mut outcome = planarium_host::fetch(&absent.code).await;
            for (file, promise) in files {
                if !came(&texts, file, promise).await {
                    outcome = outcome.and_then(|()| Err(planarium_host::not_loaded(file)));
                }
            }
            let wait_ms = if outcome.is_err() && insists { AGAIN_MS } else { 0 };
            fetched.replace(Some(outcome));
            set_timeout(&wake, wait_ms);
        });
    }
}

/// Asks for a file of texts.
fn promised(fetch_text: &Function, file: TextFile<'_>) -> Option<Promise> {
    fetch_text.call1(&JsValue::NULL, &file.to_string().into()).ok()?.dyn_into().ok()
}

/// Takes a file of texts when it comes. Returns whether it came in one piece.
async fn came(texts: &Fetched, file: TextFile<'_>, promise: Option<Promise>) -> bool {
    let Some(promise) = promise else { return false };
    let text = JsFuture::from(promise).await.ok().and_then(|text| text.as_string());
    text.is_some_and(|text| texts.take(file, &text).is_ok())
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
