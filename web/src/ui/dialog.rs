//! A dialog: the browser's own, so that focus stays inside, `Esc` shuts it and focus returns.

use super::IconButton;
use web_sys::HtmlDialogElement;
use yew::prelude::*;

#[derive(Properties, PartialEq)]
pub(crate) struct DialogProps {
    /// Heading.
    pub(crate) title: AttrValue,
    /// Callback of closing.
    pub(crate) onclose: Callback<()>,
    /// `wide` or nothing.
    #[prop_or_default]
    pub(crate) size: AttrValue,
    /// Content.
    pub(crate) children: Html,
}

/// A dialog over the page; open while it is mounted.
#[component]
pub(crate) fn Dialog(props: &DialogProps) -> Html {
    let node = use_node_ref();
    let before = use_mut_ref(crate::browser::focused);
    use_effect_with(node.clone(), move |node| {
        let dialog = node.cast::<HtmlDialogElement>();
        if let Some(dialog) = &dialog
            && !dialog.open()
        {
            let _ = dialog.show_modal();
            focus_first(dialog);
        }
        move || {
            if let Some(dialog) = dialog {
                dialog.close();
            }
            if let Some(element) = before.borrow_mut().take() {
                let _ = element.focus();
            }
        }
    });
    let oncancel = {
        let onclose = props.onclose.clone();
        Callback::from(move |event: Event| {
            event.prevent_default();
            onclose.emit(());
        })
    };
    // A click on the backdrop hits the dialog element itself.
    let onclick = {
        let (node, onclose) = (node.clone(), props.onclose.clone());
        Callback::from(move |event: MouseEvent| {
            let target = event.target_dyn_into::<web_sys::HtmlElement>();
            if target.is_some() && target == node.cast::<web_sys::HtmlElement>() {
                onclose.emit(());
            }
        })
    };
    html! {
        <dialog ref={node} class="dialog" data-size={&props.size} aria-labelledby="dialog-title" {oncancel} {onclick}>
            <div class="dialog-frame">
                <header class="dialog-head">
                    <h2 id="dialog-title">{ &props.title }</h2>
                    <IconButton icon="close" label="Close" onclick={props.onclose.reform(|_| ())} />
                </header>
                <div class="dialog-body">{ props.children.clone() }</div>
            </div>
        </dialog>
    }
}

/// The first control of the content, rather than the button that shuts the dialog.
fn focus_first(dialog: &HtmlDialogElement) {
    use wasm_bindgen::JsCast;
    let control = ".dialog-body :is(input, select, textarea, button, a[href])";
    let first = dialog.query_selector(control).ok().flatten();
    if let Some(element) = first.and_then(|element| element.dyn_into::<web_sys::HtmlElement>().ok()) {
        let _ = element.focus();
    }
}
