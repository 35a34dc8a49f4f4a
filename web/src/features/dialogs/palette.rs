//! The command palette: everything that can be done, found by typing.

use crate::store::selectors::palette::{Entry, entries, meant};
use crate::store::state::State;
use crate::store::{Action, state, use_hub};
use crate::ui::{Dialog, icon};
use std::rc::Rc;
use web_sys::{HtmlElement, HtmlInputElement};
use yew::prelude::*;

/// Entries shown at most.
const MOST: usize = 60;

/// Text of the field, and the chosen entry of its list.
#[derive(Default)]
struct Typed {
    text: String,
    at: usize,
}

impl Typed {
    /// Returns the index of the selected entry in a list of `shown` entries.
    fn place(&self, shown: usize) -> usize {
        self.at.min(shown.saturating_sub(1))
    }
}

#[derive(Properties)]
pub(super) struct PaletteProps {
    /// The state when it was opened.
    pub(super) state: Rc<State>,
}

impl PartialEq for PaletteProps {
    fn eq(&self, other: &Self) -> bool {
        // What can be done depends on the view; the clock alone changes nothing worth a new list.
        self.state.world.view == other.state.world.view && self.state.play.playing == other.state.play.playing
    }
}

/// The dialog.
#[component]
pub(super) fn Palette(props: &PaletteProps) -> Html {
    let hub = use_hub();
    // Keys may come faster than the list is drawn: the typed text is kept where every handler sees it at once.
    let typed = use_mut_ref(Typed::default);
    let redraw = use_force_update();
    let list = use_node_ref();
    let all = {
        let state = Rc::clone(&props.state);
        use_memo((state.world.view.clone(), state.play.playing), move |_| entries(&state))
    };
    let shown = meant(&all, &typed.borrow().text, &props.state.ui.lately, MOST);
    let current = typed.borrow().place(shown.len());
    use_effect_with((list.clone(), current), |(list, current)| {
        if let Some(item) = item_at(list, *current) {
            crate::browser::bring_into_view(&item);
        }
    });
    let pick = {
        let hub = hub.clone();
        move |entry: &Entry| {
            // The second of two presses may come before the palette has left the page.
            if entry.refused.is_some() || hub.state().ui.dialog != Some(state::Dialog::Palette) {
                return;
            }
            hub.send(Action::CloseDialog);
            hub.send(Action::Used(entry.label.clone()));
            for action in &entry.actions {
                hub.send(action.clone());
            }
            if !entry.focus.is_empty() {
                crate::browser::focus_soon(entry.focus);
            }
        }
    };
    let oninput = {
        let (typed, redraw) = (Rc::clone(&typed), redraw.clone());
        Callback::from(move |event: InputEvent| {
            let field = event.target_dyn_into::<HtmlInputElement>();
            let text = field.map(|field| field.value()).unwrap_or_default();
            *typed.borrow_mut() = Typed { text, at: 0 };
            redraw.force_update();
        })
    };
    let onkeydown = {
        let (all, state, pick) = (Rc::clone(&all), Rc::clone(&props.state), pick.clone());
        Callback::from(move |event: KeyboardEvent| {
            let mut typed = typed.borrow_mut();
            let shown = meant(&all, &typed.text, &state.ui.lately, MOST);
            let last = shown.len().saturating_sub(1);
            let current = typed.place(shown.len());
            typed.at = match event.key().as_str() {
                "ArrowDown" if current >= last => 0,
                "ArrowDown" => current + 1,
                "ArrowUp" if current == 0 => last,
                "ArrowUp" => current - 1,
                "PageDown" => (current + 8).min(last),
                "PageUp" => current.saturating_sub(8),
                "Enter" => {
                    event.prevent_default();
                    drop(typed);
                    if let Some(entry) = shown.get(current).and_then(|place| all.get(*place)) {
                        pick(entry);
                    }
                    return;
                }
                _ => return,
            };
            event.prevent_default();
            redraw.force_update();
        })
    };
    html! {
        <Dialog title="Commands" size="palette" onclose={hub.act(Action::CloseDialog)}>
            <label class="search palette-search">
                { icon("search") }
                <input type="text" role="combobox" aria-label="Find a command, an element or an example" aria-expanded="true"
                    aria-controls="palette-list" aria-autocomplete="list" autocomplete="off" spellcheck="false"
                    aria-activedescendant={(!shown.is_empty()).then(|| format!("palette-{current}"))}
                    placeholder="Find a command, an element or an example" {oninput} {onkeydown} />
            </label>
            <ul ref={list} class="palette" id="palette-list" role="listbox" aria-label="Commands" tabindex="-1">
                { for shown.iter().enumerate().filter_map(|(place, entry)| all.get(*entry).map(|entry| (place, entry))).map(|(place, entry)| {
                    let onclick = {
                        let (pick, entry) = (pick.clone(), entry.clone());
                        Callback::from(move |_: MouseEvent| pick(&entry))
                    };
                    html! {
                        <li key={format!("{}/{}", entry.group, entry.label)} id={format!("palette-{place}")} class="palette-item" role="option"
                            aria-selected={(place == current).to_string()} aria-disabled={entry.refused.is_some().then_some("true")}
                            title={entry.note.clone()} {onclick}>
                            { icon(entry.icon) }
                            <span class="menu-text">
                                <span>{ &entry.label }</span>
                                if let Some(reason) = &entry.refused { <span class="menu-reason">{ reason }</span> }
                            </span>
                            <span class="palette-group">{ entry.group }</span>
                            if let Some(keys) = entry.keys { <kbd>{ keys }</kbd> }
                        </li>
                    }
                }) }
            </ul>
            if shown.is_empty() { <p class="empty-line" role="status">{ "Nothing of that name." }</p> }
        </Dialog>
    }
}

fn item_at(list: &NodeRef, at: usize) -> Option<HtmlElement> {
    use wasm_bindgen::JsCast;
    list.cast::<HtmlElement>()?.children().item(u32::try_from(at).ok()?)?.dyn_into().ok()
}
