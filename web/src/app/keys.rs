//! Keys that work with any focus except in a text field.

use crate::browser;
use crate::pieces;
use crate::store::action::Toward;
use crate::store::selectors::offers;
use crate::store::state::{Dialog, State, Tab, Theme, ToastUndo};
use crate::store::{Action, Hub, reduce};
use gloo::events::{EventListener, EventListenerOptions};
use std::cell::Cell;
use std::rc::Rc;
use wasm_bindgen::JsCast;
use web_sys::{Element, KeyboardEvent};
use yew::prelude::*;

/// Screens on which the editor is a drawer.
const DRAWER: &str = "(768px <= width < 1200px)";

/// Listens on the window.
#[hook]
pub(super) fn use_global_keys(hub: &Hub) {
    let hub = hub.clone();
    use_effect_with((), move |()| {
        let listener = browser::window().map(|window| {
            let going = Rc::new(Cell::new(false));
            let options = EventListenerOptions::enable_prevent_default();
            EventListener::new_with_options(&window, "keydown", options, move |event| {
                if let Some(event) = event.dyn_ref::<KeyboardEvent>() {
                    on_key(&hub, event, &going);
                }
            })
        });
        browser::say("planarium:listening");
        move || drop(listener)
    });
}

fn on_key(hub: &Hub, event: &KeyboardEvent, going: &Cell<bool>) {
    let state = hub.state();
    let key = event.key();
    let with_command = event.ctrl_key() || event.meta_key();
    if with_command && key == "Enter" && !reduce::is_modal(&state) {
        event.prevent_default();
        // An unedited text would give the same world, without the user's inputs.
        let same = !state.dirty() && state.checked.errors() == 0;
        let said = "Nothing was edited. Start over runs it from the beginning.";
        hub.send(if same { Action::Say(said.into()) } else { Action::Apply });
        return;
    }
    if with_command && !event.shift_key() && !event.alt_key() && key.eq_ignore_ascii_case("k") {
        let open = state.ui.dialog == Some(Dialog::Palette);
        if open || !reduce::is_modal(&state) {
            event.prevent_default();
            hub.send(if open { Action::CloseDialog } else { Action::OpenDialog(Dialog::Palette) });
        }
        return;
    }
    let undoing = key.eq_ignore_ascii_case("z") || key.eq_ignore_ascii_case("y");
    if with_command && undoing && !event.alt_key() && !reduce::is_modal(&state) {
        let again = event.shift_key() || key.eq_ignore_ascii_case("y");
        let typing = event.target().and_then(|target| target.dyn_into::<Element>().ok());
        if !typing.as_ref().is_some_and(takes_text)
            && let Some(action) = if again { redo(&state) } else { undo(&state) }
        {
            event.prevent_default();
            hub.send(action);
        }
        return;
    }
    // A dialog that is on its way hears no key by now.
    if key == "Escape" && state.ui.dialog.is_some() && pieces::dialogs().is_none() {
        event.prevent_default();
        hub.send(Action::CloseDialog);
        return;
    }
    if event.default_prevented() || with_command || event.alt_key() || reduce::is_modal(&state) {
        return;
    }
    let target = event.target().and_then(|target| target.dyn_into::<Element>().ok());
    if target.as_ref().is_some_and(takes_text) {
        return;
    }
    if state.prefs.keys_off && key != "?" {
        return;
    }
    let in_drawer = || target.as_ref().is_some_and(|target| is_inside(target, ".pane-editor"));
    if key == "Escape" && !state.ui.editor_shut && in_drawer() && browser::matches(DRAWER) {
        hub.send(Action::ToggleEditor);
        return;
    }
    let pressed_button = matches!(key.as_str(), " " | "Enter")
        && target
            .as_ref()
            .is_some_and(|target| is_inside(target, "button, a, summary, select, [role=tab], input"));
    if pressed_button {
        return;
    }
    if going.replace(false) {
        if let Some(action) = go_to(&key) {
            event.prevent_default();
            hub.send(action);
        }
        return;
    }
    if key == "g" {
        going.set(true);
        return;
    }
    let action = time_key(&key, event.shift_key()).or_else(|| pressed(&key, &state));
    if let Some(action) = action {
        event.prevent_default();
        hub.send(action);
    }
}

/// The way back: what was done last, or what the last message offers. On a served world the key tells why there is none.
fn undo(state: &State) -> Option<Action> {
    if state.ways.undo.is_some() || state.served.is_some() {
        return Some(Action::Undo);
    }
    let toast = state.ui.toasts.iter().rev().find(|toast| toast.undo == Some(ToastUndo::Draft))?;
    toast.undo.map(crate::store::toast::action_of)
}

fn redo(state: &State) -> Option<Action> {
    (state.ways.redo.is_some() || state.served.is_some()).then_some(Action::Redo)
}

fn is_inside(target: &Element, selector: &str) -> bool {
    target.closest(selector).ok().flatten().is_some()
}

fn takes_text(target: &Element) -> bool {
    is_inside(
        target,
        "input:not([type=checkbox]):not([type=radio]), textarea, select, [contenteditable=true], .cm-editor",
    )
}

fn time_key(key: &str, shift: bool) -> Option<Action> {
    Some(match key {
        " " => Action::TogglePlay,
        "," if !shift => Action::StepEvent(Toward::Back),
        "." if !shift => Action::StepEvent(Toward::Ahead),
        "," | "<" | ";" => Action::StepStatus(Toward::Back),
        "." | ">" | ":" => Action::StepStatus(Toward::Ahead),
        "[" => Action::StepMark(Toward::Back),
        "]" => Action::StepMark(Toward::Ahead),
        "-" => Action::Nudge(false),
        "+" | "=" => Action::Nudge(true),
        digit if digit.len() == 1 => Action::SeekTenth(digit.parse().ok()?),
        _ => return None,
    })
}

/// Actions on the selected element by the keys of their operations, where they are allowed.
fn command_key(key: &str, state: &State) -> Option<Action> {
    let path = state.ui.selected.as_ref().filter(|path| !path.plan.is_empty())?;
    Some(match offers::by_key(&state.world.view, path, key)? {
        Ok(offer) => offer.action,
        Err(reason) => Action::Say(reason.into()),
    })
}

/// Returns the action of a key on the selected element or on the page, as if it had been pressed there.
pub(super) fn pressed(key: &str, state: &State) -> Option<Action> {
    command_key(key, state).or_else(|| page_key(key, state))
}

fn page_key(key: &str, state: &State) -> Option<Action> {
    Some(match key {
        "?" => Action::OpenDialog(Dialog::Keys),
        "i" => Action::OpenDialog(Dialog::Fault),
        "m" => Action::OpenDialog(Dialog::Maintenance(None)),
        "s" => Action::OpenDialog(Dialog::Share),
        "e" => Action::OpenDialog(Dialog::Embed),
        "x" => Action::OpenDialog(Dialog::Gallery),
        "o" => Action::OpenDialog(Dialog::Open),
        "l" => Action::OpenDialog(Dialog::Lessons),
        "z" => Action::ToggleFocusMode,
        "w" => {
            browser::focus_soon("#inspector-panel");
            Action::ShowTab(Tab::Why)
        }
        "d" => Action::SetTheme(other_theme(state.prefs.theme)),
        "/" => {
            browser::focus_soon(if state.ui.tab == Tab::Log { "#log-filter" } else { "#row-filter" });
            return Some(Action::CloseMenu);
        }
        _ => return None,
    })
}

fn go_to(key: &str) -> Option<Action> {
    Some(match key {
        "e" => {
            browser::focus_soon(".cm-content, .editor-plain");
            Action::ShowPane(crate::store::state::Pane::Edit)
        }
        "t" => {
            browser::focus_soon("[role=treegrid] [tabindex='0']");
            Action::ShowPane(crate::store::state::Pane::Plan)
        }
        "l" => {
            browser::focus_soon("#inspector-panel");
            Action::ShowTab(Tab::Log)
        }
        "m" => {
            browser::focus_soon("#inspector-panel");
            Action::ShowTab(Tab::Cluster)
        }
        "o" => {
            browser::focus_soon("#inspector-panel");
            Action::ShowTab(Tab::Compare)
        }
        "c" => {
            browser::focus_soon("#console-line");
            Action::ShowTab(Tab::Console)
        }
        _ => return None,
    })
}

fn other_theme(theme: Theme) -> Theme {
    match theme {
        Theme::Dark => Theme::Light,
        Theme::Auto if browser::system_is_dark() => Theme::Light,
        Theme::Auto | Theme::Light => Theme::Dark,
    }
}
