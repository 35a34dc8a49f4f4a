//! The text itself: a plain text field at once, the rich editor in its place once it is loaded.
//!
//! Small screens keep the plain field: selection handles and on-screen keyboards work best there.

use crate::browser;
use crate::store::ptr::Ptr;
use crate::store::selectors::text::{extension, utf16_of};
use crate::store::state::{Checked, Finding, Severity};
use crate::store::{Action, Hub, use_hub};
use js_sys::{Array, Function, Object, Reflect};
use std::cell::RefCell;
use std::rc::Rc;
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::{JsFuture, spawn_local};
use web_sys::{HtmlElement, HtmlTextAreaElement};
use yew::prelude::*;

#[derive(Properties, PartialEq)]
pub(super) struct TextPaneProps {
    /// Place of its service.
    pub(super) at: usize,
    /// The file shown.
    pub(super) file: AttrValue,
    /// Its text.
    pub(super) text: AttrValue,
    /// Counts texts from elsewhere than the keyboard.
    pub(super) loaded: u32,
    /// Findings.
    pub(super) checked: Ptr<Checked>,
    /// Place to show.
    pub(super) reveal: Option<(AttrValue, u32, u32, u32)>,
    /// Dark colours.
    pub(super) dark: bool,
}

/// A rich editor with the callbacks it holds on to.
struct Rich {
    editor: JsValue,
    _onchange: Closure<dyn Fn(JsValue)>,
    _oncursor: Closure<dyn Fn(JsValue, JsValue, JsValue)>,
}

impl Rich {
    fn call(&self, method: &str, arguments: &[JsValue]) {
        let function =
            Reflect::get(&self.editor, &method.into()).ok().and_then(|f| f.dyn_into::<Function>().ok());
        if let Some(function) = function {
            let arguments: Array = arguments.iter().cloned().collect();
            let _ = function.apply(&self.editor, &arguments);
        }
    }
}

impl Drop for Rich {
    fn drop(&mut self) {
        self.call("destroy", &[]);
    }
}

type Slot = Rc<RefCell<Option<Rich>>>;
/// Place of the service drawn last, and its file.
type Shown = Rc<RefCell<(usize, String)>>;

/// The text.
#[component]
pub(super) fn TextPane(props: &TextPaneProps) -> Html {
    let hub = use_hub();
    let host = use_node_ref();
    let slot: Slot = use_mut_ref(|| None);
    let plain = use_node_ref();
    let ready = use_state_eq(|| false);
    let file: Shown = use_mut_ref(|| (0, String::new()));
    *file.borrow_mut() = (props.at, props.file.to_string());
    {
        let (hub, host, slot, ready) = (hub.clone(), host.clone(), Rc::clone(&slot), ready.clone());
        let (file, plain, text, dark) = (Rc::clone(&file), plain.clone(), props.text.clone(), props.dark);
        use_effect_with((), move |()| {
            let alive = Rc::new(());
            if super::wants_rich() {
                let watch = Rc::downgrade(&alive);
                let slot = Rc::clone(&slot);
                spawn_local(async move {
                    let Ok(module) = JsFuture::from(browser::load_editor()).await else { return };
                    let (Some(_), Some(parent)) = (watch.upgrade(), host.cast::<HtmlElement>()) else {
                        return;
                    };
                    // Text typed into the plain field meanwhile counts.
                    let text =
                        hub.state().draft.files.get(&file.borrow().1).cloned().unwrap_or(text.to_string());
                    *slot.borrow_mut() = create(&module, &parent, &text, dark, &hub, &file);
                    if let Some(rich) = &*slot.borrow() {
                        take_over(rich, &parent, &plain);
                        ready.set(true);
                    }
                });
            }
            move || {
                drop(alive);
                slot.borrow_mut().take();
            }
        });
    }
    {
        let (hub, slot) = (hub.clone(), Rc::clone(&slot));
        let text = props.text.clone();
        use_effect_with((props.loaded, props.file.clone(), *ready), move |(_, file, _)| {
            if let Some(rich) = &*slot.borrow() {
                // Text typed since the draw counts.
                let state = hub.state();
                let text = state.draft.files.get(file.as_str()).map_or(text.as_str(), String::as_str);
                rich.call("setDoc", &[JsValue::from_str(text)]);
                rich.call("setLanguage", &[language(file).into()]);
            }
        });
    }
    {
        let (hub, slot) = (hub.clone(), Rc::clone(&slot));
        use_effect_with((props.checked.clone(), props.file.clone(), *ready), move |(checked, file, _)| {
            // Positions in a text that has changed are useless; the next findings are on their way.
            if checked.revision != hub.state().draft.revision {
                return;
            }
            if let Some(rich) = &*slot.borrow() {
                let own = checked.findings.iter().filter(|finding| *finding.file == **file);
                let list: Array = own.map(to_js).collect();
                rich.call("setDiagnostics", &[list.into()]);
            }
        });
    }
    {
        let slot = Rc::clone(&slot);
        use_effect_with((props.dark, *ready), move |(dark, _)| {
            if let Some(rich) = &*slot.borrow() {
                rich.call("setTheme", &[(*dark).into()]);
            }
        });
    }
    {
        let (slot, plain, text) = (Rc::clone(&slot), plain.clone(), props.text.clone());
        let place = props.reveal.clone().filter(|(file, ..)| *file == props.file);
        use_effect_with((place, *ready), move |(place, _)| {
            let Some((_, line, column, _)) = place else { return };
            let (from, to) = (utf16_of(&text, *line, *column), utf16_of(&text, *line, u32::MAX));
            match &*slot.borrow() {
                Some(rich) => rich.call("reveal", &[from.into(), to.into()]),
                None => {
                    if let Some(field) = plain.cast::<HtmlTextAreaElement>() {
                        let _ = field.set_selection_range(from, to);
                    }
                }
            }
        });
    }
    let oninput = {
        let (at, file) = (props.at, props.file.clone());
        hub.on(move |event: InputEvent| {
            let text =
                event.target_dyn_into::<HtmlTextAreaElement>().map(|field| field.value()).unwrap_or_default();
            Action::EditAt(at, file.to_string(), text)
        })
    };
    html! {
        <div class="editor-text" id="file-text" data-rich={ready.to_string()}>
            <div ref={host} class="editor-host"></div>
            if !*ready {
                <textarea
                    ref={plain}
                    class="editor-plain"
                    aria-label={format!("Text of {}", props.file)}
                    spellcheck="false"
                    autocapitalize="off"
                    autocomplete="off"
                    wrap="off"
                    value={by_now(&hub, props)}
                    {oninput}
                />
            }
        </div>
    }
}

/// Returns the present text: an earlier one would undo what is being typed.
fn by_now(hub: &Hub, props: &TextPaneProps) -> AttrValue {
    let text = hub.state().draft.files.get(props.file.as_str()).cloned();
    text.map_or_else(|| props.text.clone(), AttrValue::from)
}

/// Moves a user who is typing in the plain field to the rich editor, at the same position.
fn take_over(rich: &Rich, host: &HtmlElement, plain: &NodeRef) {
    let Some(field) = plain.cast::<HtmlTextAreaElement>() else { return };
    if browser::focused().is_none_or(|focused| *focused != **field) {
        return;
    }
    // A hidden element cannot have the focus, and the draw that shows it removes the focused field.
    if let Some(around) = host.parent_element() {
        let _ = around.set_attribute("data-rich", "true");
    }
    let caret = field.selection_start().ok().flatten().unwrap_or(0);
    rich.call("reveal", &[caret.into()]);
    rich.call("focus", &[]);
}

fn language(file: &str) -> &'static str {
    // A template is of the language that it renders.
    let file = file.strip_suffix(".mustache").unwrap_or(file);
    match extension(file).as_str() {
        "json" => "json",
        "yml" | "yaml" => "yaml",
        _ => "text",
    }
}

fn create(
    module: &JsValue,
    parent: &HtmlElement,
    text: &str,
    dark: bool,
    hub: &Hub,
    file: &Shown,
) -> Option<Rich> {
    let make: Function = Reflect::get(module, &"createEditor".into()).ok()?.dyn_into().ok()?;
    let onchange = {
        let (hub, file) = (hub.clone(), Rc::clone(file));
        Closure::<dyn Fn(JsValue)>::new(move |text: JsValue| {
            let (at, file) = file.borrow().clone();
            hub.send(Action::EditAt(at, file, text.as_string().unwrap_or_default()));
        })
    };
    let oncursor = {
        let hub = hub.clone();
        Closure::<dyn Fn(JsValue, JsValue, JsValue)>::new(move |_: JsValue, line: JsValue, _: JsValue| {
            #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a line number")]
            let line = line.as_f64().unwrap_or(0.0) as u32;
            hub.send(Action::Caret(line));
        })
    };
    let options = Object::new();
    let name = file.borrow().1.clone();
    let given: [(&str, JsValue); 7] = [
        ("parent", parent.into()),
        ("doc", text.into()),
        ("language", language(&name).into()),
        ("dark", dark.into()),
        ("label", "Definition".into()),
        ("onChange", onchange.as_ref().clone()),
        ("onCursor", oncursor.as_ref().clone()),
    ];
    for (key, value) in given {
        Reflect::set(&options, &key.into(), &value).ok()?;
    }
    let editor = make.call1(&JsValue::UNDEFINED, &options).ok()?;
    Some(Rich { editor, _onchange: onchange, _oncursor: oncursor })
}

fn to_js(finding: &Finding) -> JsValue {
    let object = Object::new();
    let set = |key: &str, value: JsValue| {
        let _ = Reflect::set(&object, &key.into(), &value);
    };
    set("from", finding.from.into());
    set("to", finding.to.into());
    let severity = match finding.severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Info => "info",
    };
    set("severity", severity.into());
    set("code", (&*finding.code).into());
    set("message", (&*finding.message).into());
    if let Some(help) = &finding.help {
        set("help", (&**help).into());
    }
    if let Some(fix) = &finding.fix {
        let mend = Object::new();
        for (key, value) in [
            ("title", JsValue::from_str(&fix.title)),
            ("from", fix.from.into()),
            ("to", fix.to.into()),
            ("insert", JsValue::from_str(&fix.text)),
        ] {
            let _ = Reflect::set(&mend, &key.into(), &value);
        }
        set("fix", mend.into());
    }
    object.into()
}
