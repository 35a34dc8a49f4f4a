//! Many files of a definition by folder, below a button with the one shown.

use crate::store::ptr::Ptr;
use crate::store::selectors::files::{Folder, by_folder};
use crate::store::{Action, use_hub};
use crate::ui::icon;
use std::collections::BTreeMap;
use web_sys::HtmlInputElement;
use yew::prelude::*;

#[derive(Properties, PartialEq)]
pub(super) struct FileTreeProps {
    /// Path to text.
    pub(super) files: Ptr<BTreeMap<String, String>>,
    /// The one shown.
    pub(super) current: AttrValue,
}

/// The button, and the folders while it is pressed.
#[component]
pub(super) fn FileTree(props: &FileTreeProps) -> Html {
    let hub = use_hub();
    let open = use_state_eq(|| false);
    let filter = use_state_eq(String::new);
    let field = use_node_ref();
    use_effect_with((*open, field.clone()), |(open, field)| {
        if let Some(field) = field.cast::<HtmlInputElement>().filter(|_| *open) {
            let _ = field.focus();
        }
    });
    let flip = {
        let open = open.clone();
        Callback::from(move |_: MouseEvent| open.set(!*open))
    };
    let onkeydown = {
        let open = open.clone();
        Callback::from(move |event: KeyboardEvent| {
            if event.key() == "Escape" && *open {
                event.stop_propagation();
                open.set(false);
            }
        })
    };
    let oninput = {
        let filter = filter.clone();
        Callback::from(move |event: InputEvent| {
            filter.set(
                event.target_dyn_into::<HtmlInputElement>().map(|field| field.value()).unwrap_or_default(),
            );
        })
    };
    let onpick = {
        let (hub, open) = (hub.clone(), open.clone());
        Callback::from(move |path: String| {
            hub.send(Action::PickFile(path));
            open.set(false);
        })
    };
    let root = by_folder(props.files.keys(), &filter);
    html! {
        <div class="file-tree" {onkeydown}>
            <button type="button" class="file-tree-button" aria-expanded={open.to_string()} aria-label={format!("Files: {}", props.current)} onclick={flip}>
                { icon("folder") }
                <span class="file-tree-path">{ props.current.clone() }</span>
                <span class="muted">{ format!("{} files", props.files.len()) }</span>
                { icon("chevron-down") }
            </button>
            if *open {
                <div class="file-tree-list" role="group" aria-label="Files by folder">
                    <label class="search">
                        { icon("search") }
                        <span class="visually-hidden">{ "Filter files" }</span>
                        <input ref={field} type="search" placeholder="Filter files" value={(*filter).clone()} {oninput} />
                    </label>
                    { folder(&root, &props.current, !filter.is_empty(), &onpick) }
                    if root.count() == 0 { <p class="empty-line">{ "No file matches." }</p> }
                </div>
            }
        </div>
    }
}

fn folder(own: &Folder, current: &str, all: bool, onpick: &Callback<String>) -> Html {
    html! {
        <ul>
            { for own.folders.iter().map(|(name, below)| html! {
                <li key={format!("{name}/")}>
                    <details open={all || below.holds(current)}>
                        <summary>{ format!("{name} ({})", below.count()) }</summary>
                        { folder(below, current, all, onpick) }
                    </details>
                </li>
            }) }
            { for own.files.iter().map(|(name, path)| {
                let (onpick, chosen) = (onpick.clone(), path.clone());
                html! {
                    <li key={name.clone()}>
                        <button type="button" class="link" aria-current={(path == current).then_some("true")} title={path.clone()}
                            onclick={Callback::from(move |_| onpick.emit(chosen.clone()))}>{ name.clone() }</button>
                    </li>
                }
            }) }
        </ul>
    }
}
