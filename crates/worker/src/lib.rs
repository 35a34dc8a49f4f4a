//! The host of a world in a worker of the browser: texts in, texts out.
//!
//! *Knows*: the order of work, the worker's clock, how a panic is reported. *Must not know*: the meaning of questions,
//! the page.
//!
//! `web/worker.js` loads it, passes it the page's messages, and calls [`Engine::work`] repeatedly with a yield in between.

mod desk;

use desk::Desk;
use js_sys::Function;
use planarium_messages::wire::{self, Told, VERSION};
use std::cell::RefCell;
use std::panic::PanicHookInfo;
use wasm_bindgen::prelude::*;

#[wasm_bindgen]
extern "C" {
    #[wasm_bindgen(js_namespace = performance, js_name = now)]
    fn now_ms() -> f64;
}

thread_local! {
    /// Sends a text to the page; the panic hook has no other way to do so.
    static POST: RefCell<Option<Function>> = const { RefCell::new(None) };
}

/// A host with the questions that wait for it.
#[wasm_bindgen]
#[derive(Debug)]
pub struct Engine {
    desk: Desk,
}

#[wasm_bindgen]
impl Engine {
    /// A host over an empty world. `post` is called with each text for the page.
    #[wasm_bindgen(constructor)]
    pub fn new(post: Function) -> Engine {
        POST.set(Some(post));
        std::panic::set_hook(Box::new(panicked));
        send(&Told::Hello(VERSION));
        Engine { desk: Desk::new(send, now_us) }
    }

    /// Takes a text of the page. A ping is answered at once, a question waits for [`Engine::work`].
    pub fn take(&mut self, text: &str) {
        self.desk.take(text);
    }

    /// Works for one slice of time. Returns whether there is more to do.
    pub fn work(&mut self) -> bool {
        self.desk.work()
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
    send(&Told::Panicked(info.to_string()));
}

fn send(told: &Told) {
    POST.with_borrow(|post| {
        if let Some(post) = post {
            let _ = post.call1(&JsValue::NULL, &wire::text(told).into());
        }
    });
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a clock that starts at zero")]
fn now_us() -> u64 {
    (now_ms() * 1000.0) as u64
}
