//! Tabs: arrow keys move, one is in the tab order.

use super::icon::icon;
use web_sys::HtmlElement;
use yew::prelude::*;

/// A tab.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct TabItem {
    /// Words.
    pub(crate) label: AttrValue,
    /// Icon.
    pub(crate) icon: Option<&'static str>,
    /// Number beside the words.
    pub(crate) count: Option<usize>,
    /// Status family of the number, or empty.
    pub(crate) tone: &'static str,
}

impl TabItem {
    /// A tab of words.
    pub(crate) fn new(label: &str) -> Self {
        Self { label: super::attr(label), icon: None, count: None, tone: "" }
    }

    /// With an icon.
    pub(crate) fn icon(self, icon: &'static str) -> Self {
        Self { icon: Some(icon), ..self }
    }

    /// With a number, when there is one.
    pub(crate) fn count(self, count: usize, tone: &'static str) -> Self {
        Self { count: (count > 0).then_some(count), tone, ..self }
    }
}

#[derive(Properties, PartialEq)]
pub(crate) struct TabsProps {
    /// Accessible name of the row of tabs.
    pub(crate) label: AttrValue,
    /// Prefix of element ids.
    pub(crate) id: AttrValue,
    /// The tabs.
    pub(crate) items: Vec<TabItem>,
    /// Position of the one shown.
    pub(crate) current: usize,
    /// Callback of a choice.
    pub(crate) onpick: Callback<usize>,
    /// Id of the controlled element, if it is not `{id}-panel`.
    #[prop_or_default]
    pub(crate) controls: Option<AttrValue>,
    /// Further classes.
    #[prop_or_default]
    pub(crate) class: Classes,
}

/// A row of tabs; the panel has the id `{id}-panel`.
#[component]
pub(crate) fn Tabs(props: &TabsProps) -> Html {
    let list = use_node_ref();
    use_effect_with((list.clone(), props.current, props.items.len()), |(list, current, _)| {
        let tabs = tabs_of(list);
        let Some(tab) = tabs.get(*current) else { return };
        // Not `scroll_into_view`: browsers let Tab continue from an element that it shows.
        let Some(list) = list.cast::<HtmlElement>() else { return };
        let (seen, own) = (list.get_bounding_client_rect(), tab.get_bounding_client_rect());
        let before = own.left() - seen.left();
        let beyond = own.right() - seen.right();
        if before < 0.0 || beyond > 0.0 {
            list.scroll_by_with_x_and_y(if before < 0.0 { before } else { beyond.min(before) }, 0.0);
        }
    });
    let onkeydown = {
        let (list, onpick, drawn) = (list.clone(), props.onpick.clone(), props.current);
        Callback::from(move |event: KeyboardEvent| {
            // The focus moves immediately, the content follows: the next key continues from the focus.
            let tabs = tabs_of(&list);
            let focused = crate::browser::focused();
            let current = tabs.iter().position(|tab| Some(tab) == focused.as_ref()).unwrap_or(drawn);
            let last = tabs.len().saturating_sub(1);
            let to = match event.key().as_str() {
                "ArrowRight" | "ArrowDown" => {
                    if current >= last {
                        0
                    } else {
                        current + 1
                    }
                }
                "ArrowLeft" | "ArrowUp" => {
                    if current == 0 {
                        last
                    } else {
                        current - 1
                    }
                }
                "Home" => 0,
                "End" => last,
                _ => return,
            };
            event.prevent_default();
            event.stop_propagation();
            onpick.emit(to);
            if let Some(tab) = tabs.get(to) {
                let _ = tab.focus();
            }
        })
    };
    let panel = props.controls.clone().unwrap_or_else(|| format!("{}-panel", props.id).into());
    let tabs = props.items.iter().enumerate().map(|(at, item)| {
        let on = at == props.current;
        let onpick = props.onpick.clone();
        html! {
            <button
                key={at}
                type="button"
                role="tab"
                class="tab"
                id={format!("{}-{at}", props.id)}
                aria-selected={on.to_string()}
                aria-controls={panel.clone()}
                tabindex={if on { "0" } else { "-1" }}
                onclick={Callback::from(move |_| onpick.emit(at))}
            >
                if let Some(name) = item.icon { { icon(name) } }
                <span class="tab-label">{ &item.label }</span>
                if let Some(count) = item.count {
                    <span class="count" data-family={item.tone}>{ count }</span>
                }
            </button>
        }
    });
    html! {
        <div ref={list} class={classes!("tabs", props.class.clone())} role="tablist" aria-label={&props.label} {onkeydown}>
            { for tabs }
        </div>
    }
}

fn tabs_of(list: &NodeRef) -> Vec<HtmlElement> {
    use wasm_bindgen::JsCast;
    let Some(list) = list.cast::<HtmlElement>() else { return Vec::new() };
    let tabs = list.children();
    (0..tabs.length()).filter_map(|at| tabs.item(at)?.dyn_into().ok()).collect()
}
