//! The browser's functions. Every call may be refused and then does nothing.
//!
//! *Knows*: window, storage, address bar, clipboard. *Must not know*: the state.

use gloo::events::EventListener;
use gloo::render::{AnimationFrame, request_animation_frame};
use js_sys::{Array, Promise};
use std::cell::RefCell;
use std::rc::Rc;
use wasm_bindgen::prelude::*;
use web_sys::{DataTransfer, FileList, HtmlElement};

#[wasm_bindgen(module = "/js/page.js")]
extern "C" {
    /// Loads the rich editor; resolves to its module.
    #[wasm_bindgen(js_name = loadEditor)]
    pub(crate) fn load_editor() -> Promise;

    /// Reads dropped files and folders; resolves to pairs of path and text.
    #[wasm_bindgen(js_name = readDrop)]
    pub(crate) fn read_drop(transfer: &DataTransfer) -> Promise;

    /// Reads chosen files; resolves to pairs of path and text.
    #[wasm_bindgen(js_name = readChosen)]
    pub(crate) fn read_chosen(files: &FileList) -> Promise;

    /// Reads a text or an archive from an address; resolves to pairs of path and text.
    #[wasm_bindgen(js_name = readAddress)]
    pub(crate) fn read_address(address: &str) -> Promise;

    /// Stops reading from an address.
    #[wasm_bindgen(js_name = leaveAddress)]
    pub(crate) fn leave_address();

    /// Scrolls an element into view; a document around the page stays where it is.
    #[wasm_bindgen(js_name = bringIntoView)]
    pub(crate) fn bring_into_view(element: &web_sys::Element);

    /// Sends a text to the engine beside the page.
    #[wasm_bindgen(js_name = postToEngine)]
    pub(crate) fn post_to_engine(text: &str);

    /// Hands each text of the engine on.
    #[wasm_bindgen(js_name = hearEngine)]
    pub(crate) fn hear_engine(take: &Closure<dyn FnMut(String)>);

    /// Ends the engine and starts another one.
    #[wasm_bindgen(js_name = restartEngine)]
    pub(crate) fn restart_engine();

    /// Returns whether the engine is busy with the question of another frame.
    #[wasm_bindgen(js_name = engineIsElsewhere)]
    pub(crate) fn engine_is_elsewhere() -> bool;

    /// The server whose world is shown; empty where the page has an engine of its own.
    #[wasm_bindgen(js_name = servedAddress)]
    fn served_address() -> String;

    /// Offers text as a file to save.
    #[wasm_bindgen(js_name = saveText)]
    pub(crate) fn save_text(name: &str, text: &str);
}

#[wasm_bindgen(module = "/js/frame.js")]
extern "C" {
    /// Listens to the document around a frame: `on_call` takes the number, the name and the arguments (JSON) of a call.
    #[wasm_bindgen(js_name = listenToParent)]
    pub(crate) fn listen_to_parent(on_call: &Closure<dyn FnMut(f64, String, String)>);

    /// Answers a call, with a value or with an error as JSON.
    #[wasm_bindgen(js_name = answerParent)]
    pub(crate) fn answer_parent(number: f64, done: bool, json: &str);

    /// Tells the document around a frame of an event; its detail is JSON.
    #[wasm_bindgen(js_name = tellParent)]
    pub(crate) fn tell_parent(event: &str, detail: &str);
}

#[wasm_bindgen(module = "/js/lanes.js")]
extern "C" {
    /// Gives a canvas so many rows of lanes; what they show is given next.
    #[wasm_bindgen(js_name = setLanes)]
    pub(crate) fn set_lanes(canvas: &web_sys::Element, rows: u32);

    /// Draws a row: five numbers for each stretch.
    #[wasm_bindgen(js_name = drawLane)]
    pub(crate) fn draw_lane(canvas: &web_sys::Element, row: u32, stretches: &[i32]);
}

/// The window; `None` without a browser, as in native tests.
pub(crate) fn window() -> Option<web_sys::Window> {
    if cfg!(target_arch = "wasm32") { web_sys::window() } else { None }
}

/// The server whose world is shown, where the page has no engine of its own.
pub(crate) fn server() -> Option<String> {
    window()?;
    Some(served_address()).filter(|address| !address.is_empty())
}

/// Dispatches an event on the window, for the scripts that started the page.
pub(crate) fn say(name: &str) {
    let Some(window) = window() else { return };
    if let Ok(event) = web_sys::Event::new(name) {
        let _ = window.dispatch_event(&event);
    }
}

fn storage() -> Option<web_sys::Storage> {
    window()?.local_storage().ok().flatten()
}

/// The time of day. *Units*: milliseconds; 0 without a browser.
pub(crate) fn now_ms() -> f64 {
    if cfg!(target_arch = "wasm32") { js_sys::Date::now() } else { 0.0 }
}

/// Remembers a text.
pub(crate) fn store(key: &str, value: &str) {
    if let Some(storage) = storage() {
        let _ = storage.set_item(key, value);
    }
}

/// A remembered text.
pub(crate) fn stored(key: &str) -> Option<String> {
    storage()?.get_item(key).ok().flatten()
}

/// Returns whether the browser stores data.
pub(crate) fn can_store() -> bool {
    const KEY: &str = "planarium.try";
    let Some(storage) = storage() else { return false };
    let kept = storage.set_item(KEY, KEY).is_ok();
    let _ = storage.remove_item(KEY);
    kept
}

fn storage_here() -> Option<web_sys::Storage> {
    window()?.session_storage().ok().flatten()
}

/// Stores a text for this tab, while it is open.
pub(crate) fn store_here(key: &str, value: &str) {
    if let Some(storage) = storage_here() {
        // If there is no room, the previous text is useless, too.
        if storage.set_item(key, value).is_err() {
            let _ = storage.remove_item(key);
        }
    }
}

/// A text remembered for this tab.
pub(crate) fn stored_here(key: &str) -> Option<String> {
    storage_here()?.get_item(key).ok().flatten()
}

/// A name that hardly anything else has.
pub(crate) fn any_name() -> String {
    if window().is_none() {
        return String::new();
    }
    String::from(js_sys::Number::from(js_sys::Math::random()).to_string_with_radix(36).unwrap_or_default())
}

/// The address bar's query and hash.
pub(crate) fn address() -> String {
    let location = window().map(|window| window.location());
    let search = location.as_ref().and_then(|location| location.search().ok()).unwrap_or_default();
    format!("{search}{}", hash())
}

/// The page's address without query and hash.
pub(crate) fn page_url() -> String {
    let location = window().map(|window| window.location());
    let href = location.and_then(|location| location.href().ok()).unwrap_or_default();
    href.split(['#', '?']).next().unwrap_or_default().to_owned()
}

/// Says on the page's root (`data-waiting`) whether the engine still has to answer something.
pub(crate) fn say_waiting(waits: bool) {
    if let Some(root) = root() {
        let _ = if waits {
            root.set_attribute("data-waiting", "")
        } else {
            root.remove_attribute("data-waiting")
        };
    }
}

/// Returns whether the page was opened as a frame of another document.
pub(crate) fn framed() -> bool {
    root().is_some_and(|root| root.has_attribute("data-frame"))
}

/// Returns the address of the whole page, which lies beside that of the frame.
pub(crate) fn whole_page_url() -> String {
    let own = page_url();
    own.rsplit_once('/').map_or(own.clone(), |(folder, _)| format!("{folder}/"))
}

/// Opens an address in a new tab.
pub(crate) fn open_apart(url: &str) {
    if let Some(window) = window() {
        let _ = window.open_with_url_and_target_and_features(url, "_blank", "noopener");
    }
}

/// The address bar's hash, with `#`.
pub(crate) fn hash() -> String {
    window().and_then(|window| window.location().hash().ok()).unwrap_or_default()
}

/// A value of the address bar's query.
pub(crate) fn query(name: &str) -> Option<String> {
    let search = window()?.location().search().ok()?;
    web_sys::UrlSearchParams::new_with_str(&search).ok()?.get(name)
}

/// Returns the parts of an absolute address.
pub(crate) fn parts_of(address: &str) -> Option<AddressParts> {
    window()?;
    let url = web_sys::Url::new(address).ok()?;
    Some(AddressParts {
        href: url.href(),
        origin: url.origin(),
        scheme: url.protocol(),
        user: !(url.username().is_empty() && url.password().is_empty()),
    })
}

/// Parts of an absolute address.
pub(crate) struct AddressParts {
    /// All of it, as the browser would ask for it.
    pub(crate) href: String,
    /// Scheme, host and port.
    pub(crate) origin: String,
    /// The scheme, with its colon.
    pub(crate) scheme: String,
    /// Set if it has a name or password before the host.
    pub(crate) user: bool,
}

/// Writes query and hash into the address bar without a new history entry.
pub(crate) fn replace_address(address: &str) {
    let url = format!("{}{address}", page_url());
    if let Some(history) = window().and_then(|window| window.history().ok()) {
        let _ = history.replace_state_with_url(&JsValue::NULL, "", Some(&url));
    }
}

/// Writes query and hash into the address bar as a new history entry.
pub(crate) fn push_address(address: &str) {
    let url = format!("{}{address}", page_url());
    if let Some(history) = window().and_then(|window| window.history().ok()) {
        let _ = history.push_state_with_url(&JsValue::NULL, "", Some(&url));
    }
}

/// Copies a text; calls `done` with the result.
pub(crate) fn copy(text: &str, done: impl FnOnce(bool) + 'static) {
    let Some(window) = window() else { return done(false) };
    let promise = window.navigator().clipboard().write_text(text);
    wasm_bindgen_futures::spawn_local(async move {
        done(wasm_bindgen_futures::JsFuture::from(promise).await.is_ok());
    });
}

/// Waits for pairs of path and text.
pub(crate) fn files(promise: Promise, done: impl FnOnce(Result<Vec<(String, String)>, String>) + 'static) {
    wasm_bindgen_futures::spawn_local(async move {
        let read = wasm_bindgen_futures::JsFuture::from(promise).await;
        done(read.map(|list| pairs(&list)).map_err(|error| error_text(&error)));
    });
}

fn pairs(list: &JsValue) -> Vec<(String, String)> {
    Array::from(list)
        .iter()
        .filter_map(|pair| {
            let pair = Array::from(&pair);
            Some((pair.get(0).as_string()?, pair.get(1).as_string()?))
        })
        .collect()
}

/// An error of the browser in words.
pub(crate) fn error_text(error: &JsValue) -> String {
    error
        .dyn_ref::<js_sys::Error>()
        .map_or_else(|| "it could not be read".to_owned(), |error| String::from(error.message()))
}

/// Returns whether the system prefers dark colours.
pub(crate) fn system_is_dark() -> bool {
    matches("(prefers-color-scheme: dark)")
}

/// Calls back when the system's preferred colours change.
pub(crate) fn on_system_theme(changed: impl Fn(bool) + 'static) -> Option<EventListener> {
    let list = window()?.match_media("(prefers-color-scheme: dark)").ok().flatten()?;
    Some(EventListener::new(&list, "change", move |_| changed(system_is_dark())))
}

/// Returns whether a media query holds.
pub(crate) fn matches(query: &str) -> bool {
    let list = window().and_then(|window| window.match_media(query).ok().flatten());
    list.is_some_and(|list| list.matches())
}

/// The `html` element.
pub(crate) fn root() -> Option<HtmlElement> {
    window()?.document()?.document_element()?.dyn_into().ok()
}

/// Returns the focused element.
pub(crate) fn focused() -> Option<HtmlElement> {
    window()?.document()?.active_element()?.dyn_into().ok()
}

/// Puts the focus on the first element that a selector finds; says whether it is there.
pub(crate) fn focus(selector: &str) -> bool {
    let found = window()
        .and_then(|window| window.document())
        .and_then(|document| document.query_selector(selector).ok().flatten())
        .and_then(|element| element.dyn_into::<HtmlElement>().ok());
    let Some(element) = found else { return false };
    let _ = element.focus();
    focused().as_ref() == Some(&element)
}

/// The next attempt of [`focus_soon`], and what watches for user input meanwhile.
struct Seeking {
    _look: AnimationFrame,
    _press: Rc<EventListener>,
}

thread_local! {
    static SEEKING: RefCell<Option<Seeking>> = const { RefCell::new(None) };
}

/// Longest wait for an element.
const PATIENCE_MS: f64 = 2000.0;

/// Sets the focus as soon as the element exists and is focusable: a slow machine may take time to draw it. Another
/// call replaces this one, and user input elsewhere cancels it.
pub(crate) fn focus_soon(selector: &'static str) {
    let Some(window) = window() else { return };
    let press = EventListener::new(&window, "pointerdown", |_| SEEKING.set(None));
    look(selector, None, Rc::new(press));
}

fn look(selector: &'static str, since: Option<f64>, press: Rc<EventListener>) {
    let watch = Rc::clone(&press);
    let frame = request_animation_frame(move |now| {
        let since = since.unwrap_or(now);
        if !focus(selector) && now - since < PATIENCE_MS {
            look(selector, Some(since), watch);
        } else {
            SEEKING.set(None);
        }
    });
    SEEKING.set(Some(Seeking { _look: frame, _press: press }));
}
