//! A menu of commands at a place on the page.

use super::icon::icon;
use web_sys::HtmlElement;
use yew::prelude::*;

/// An entry.
#[derive(Clone, PartialEq)]
pub(crate) struct MenuItem {
    /// Words.
    pub(crate) label: AttrValue,
    /// Icon.
    pub(crate) icon: &'static str,
    /// Its consequence.
    pub(crate) note: Option<AttrValue>,
    /// Why it does nothing now.
    pub(crate) refused: Option<AttrValue>,
    /// Key that does the same.
    pub(crate) keys: Option<&'static str>,
    /// Its effect.
    pub(crate) onpick: Callback<()>,
}

#[derive(Properties, PartialEq)]
pub(crate) struct PopupProps {
    /// Accessible name.
    pub(crate) label: AttrValue,
    /// Left edge in pixels.
    pub(crate) x: i32,
    /// Top edge in pixels.
    pub(crate) y: i32,
    /// Entries.
    pub(crate) items: Vec<MenuItem>,
    /// Callback of closing.
    pub(crate) onclose: Callback<()>,
}

/// The menu; takes the focus and gives it back.
#[component]
pub(crate) fn Popup(props: &PopupProps) -> Html {
    let node = use_node_ref();
    let before = use_mut_ref(crate::browser::focused);
    use_effect_with((node.clone(), props.x, props.y), move |(node, x, y)| {
        if let Some(element) = node.cast::<HtmlElement>() {
            place(&element, *x, *y);
            focus_item(&element, 0);
        }
        move || {
            if let Some(element) = before.borrow_mut().take() {
                let _ = element.focus();
            }
        }
    });
    let onkeydown = {
        let (node, onclose, count) = (node.clone(), props.onclose.clone(), props.items.len());
        Callback::from(move |event: KeyboardEvent| {
            let Some(element) = node.cast::<HtmlElement>() else { return };
            let at = focused_item(&element);
            let last = count.saturating_sub(1);
            match event.key().as_str() {
                "ArrowDown" => focus_item(&element, if at >= last { 0 } else { at + 1 }),
                "ArrowUp" => focus_item(&element, if at == 0 { last } else { at - 1 }),
                "Home" => focus_item(&element, 0),
                "End" => focus_item(&element, last),
                "Escape" | "Tab" => onclose.emit(()),
                _ => {
                    event.stop_propagation();
                    return;
                }
            }
            event.prevent_default();
            event.stop_propagation();
        })
    };
    let current = use_state_eq(|| 0_usize);
    let noted = props.items.iter().any(|item| item.note.is_some());
    let note = props.items.get(*current).and_then(|item| item.note.clone());
    let items = props.items.iter().enumerate().map(|(at, item)| {
        let show = {
            let current = current.clone();
            move || current.set(at)
        };
        let onfocus = {
            let show = show.clone();
            Callback::from(move |_: FocusEvent| show())
        };
        let onpointerenter = Callback::from(move |_: PointerEvent| show());
        let onclick = {
            let (onpick, onclose, refused) =
                (item.onpick.clone(), props.onclose.clone(), item.refused.is_some());
            Callback::from(move |_: MouseEvent| {
                if !refused {
                    onpick.emit(());
                    onclose.emit(());
                }
            })
        };
        html! {
            <button
                key={at}
                type="button"
                role="menuitem"
                class="menu-item"
                tabindex="-1"
                aria-disabled={item.refused.is_some().then_some("true")}
                aria-describedby={item.note.is_some().then_some("menu-note")}
                {onclick}
                {onfocus}
                {onpointerenter}
            >
                { icon(item.icon) }
                <span class="menu-text">
                    <span>{ &item.label }</span>
                    if let Some(reason) = &item.refused { <span class="menu-reason">{ reason }</span> }
                </span>
                if let Some(keys) = item.keys { <kbd>{ keys }</kbd> }
            </button>
        }
    });
    html! {
        <>
            <div class="menu-backdrop" onpointerdown={props.onclose.reform(|_| ())}></div>
            <div ref={node} class="menu" role="menu" aria-label={&props.label} tabindex="-1" {onkeydown}>
                { for items }
                if noted { <p class="menu-note" id="menu-note" role="none">{ note }</p> }
                if props.items.is_empty() { <p class="menu-empty">{ "Nothing can be done here." }</p> }
            </div>
        </>
    }
}

fn place(element: &HtmlElement, x: i32, y: i32) {
    let (wide, high) = crate::browser::root().map_or((1000, 1000), |r| (r.client_width(), r.client_height()));
    let x = x.min(wide - element.offset_width() - 8).max(8);
    let y = y.min(high - element.offset_height() - 8).max(8);
    let _ = element.style().set_property("left", &format!("{x}px"));
    let _ = element.style().set_property("top", &format!("{y}px"));
}

fn items(element: &HtmlElement) -> Vec<HtmlElement> {
    use wasm_bindgen::JsCast;
    let Ok(list) = element.query_selector_all("[role=menuitem]") else { return Vec::new() };
    (0..list.length()).filter_map(|at| list.get(at)?.dyn_into().ok()).collect()
}

fn focus_item(element: &HtmlElement, at: usize) {
    match items(element).get(at) {
        Some(item) => drop(item.focus()),
        None => drop(element.focus()),
    }
}

fn focused_item(element: &HtmlElement) -> usize {
    let focused = crate::browser::focused();
    items(element).iter().position(|item| Some(item) == focused.as_ref()).unwrap_or(0)
}
