//! The files of the definition as tabs.

use crate::store::ptr::Ptr;
use crate::store::{Action, use_hub};
use crate::ui::IconButton;
use crate::ui::tabs::{TabItem, Tabs};
use std::collections::BTreeMap;
use web_sys::HtmlInputElement;
use yew::prelude::*;

#[derive(Properties, PartialEq)]
pub(super) struct FileTabsProps {
    /// Path to text.
    pub(super) files: Ptr<BTreeMap<String, String>>,
    /// The one shown.
    pub(super) current: AttrValue,
}

/// The tabs, and adding and removing a file.
#[component]
pub(super) fn FileTabs(props: &FileTabsProps) -> Html {
    let hub = use_hub();
    let naming = use_state_eq(|| false);
    let field = use_node_ref();
    use_effect_with((*naming, field.clone()), |(naming, field)| {
        if *naming && let Some(field) = field.cast::<HtmlInputElement>() {
            let _ = field.focus();
        }
    });
    let paths: Vec<String> = props.files.keys().cloned().collect();
    let current = paths.iter().position(|path| *path == props.current).unwrap_or(0);
    let items = paths.iter().map(|path| TabItem::new(path)).collect::<Vec<_>>();
    let onpick = {
        let paths = paths.clone();
        hub.on(move |at: usize| Action::PickFile(paths.get(at).cloned().unwrap_or_default()))
    };
    let open = {
        let naming = naming.clone();
        Callback::from(move |_| naming.set(true))
    };
    let onkeydown = {
        let (hub, naming) = (hub.clone(), naming.clone());
        Callback::from(move |event: KeyboardEvent| match event.key().as_str() {
            "Enter" => {
                let name = event
                    .target_dyn_into::<HtmlInputElement>()
                    .map(|field| field.value())
                    .unwrap_or_default();
                naming.set(false);
                hub.send(Action::AddFile(name.trim().to_owned()));
            }
            "Escape" => naming.set(false),
            _ => {}
        })
    };
    let onblur = {
        let naming = naming.clone();
        Callback::from(move |_| naming.set(false))
    };
    html! {
        <div class="file-tabs">
            if !items.is_empty() {
                <Tabs label="Files" id="file" controls="file-text" {items} {current} {onpick} />
            }
            if *naming {
                <input ref={field} class="file-name" aria-label="Name of the new file" placeholder="name.yml, Enter" {onkeydown} {onblur} />
            } else {
                <IconButton icon="plus" label="Add a file" onclick={open} />
            }
            if paths.len() > 1 {
                <IconButton icon="trash" label={format!("Remove {}", props.current)}
                    onclick={hub.act(Action::DropFile(props.current.to_string()))} />
            }
        </div>
    }
}
