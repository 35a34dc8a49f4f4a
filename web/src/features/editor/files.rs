//! The files of the definition as tabs.

use super::file_tree::FileTree;
use crate::store::ptr::Ptr;
use crate::store::selectors::files::TABS;
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

/// Purposes of the path's field.
#[derive(Clone, Copy, PartialEq)]
enum Naming {
    New,
    Current,
}

/// The tabs, and adding, renaming and removing a file.
#[component]
pub(super) fn FileTabs(props: &FileTabsProps) -> Html {
    let hub = use_hub();
    let naming = use_state_eq(|| None::<Naming>);
    let field = use_node_ref();
    use_effect_with((*naming, field.clone()), |(naming, field)| {
        if naming.is_some()
            && let Some(field) = field.cast::<HtmlInputElement>()
        {
            let _ = field.focus();
            field.select();
        }
    });
    let paths: Vec<String> = props.files.keys().cloned().collect();
    let current = paths.iter().position(|path| *path == props.current).unwrap_or(0);
    let items = paths.iter().map(|path| TabItem::new(path)).collect::<Vec<_>>();
    let onpick = {
        let paths = paths.clone();
        hub.on(move |at: usize| Action::PickFile(paths.get(at).cloned().unwrap_or_default()))
    };
    let open = |what: Naming| {
        let naming = naming.clone();
        Callback::from(move |_| naming.set(Some(what)))
    };
    let onkeydown = {
        let (hub, naming, current) = (hub.clone(), naming.clone(), props.current.to_string());
        Callback::from(move |event: KeyboardEvent| match event.key().as_str() {
            "Enter" => {
                let name = event
                    .target_dyn_into::<HtmlInputElement>()
                    .map(|field| field.value())
                    .unwrap_or_default();
                let (what, name) = (*naming, name.trim().to_owned());
                naming.set(None);
                hub.send(match what {
                    Some(Naming::Current) => Action::RenameFile(current.clone(), name),
                    _ => Action::AddFile(name),
                });
            }
            "Escape" => naming.set(None),
            _ => {}
        })
    };
    let onblur = {
        let naming = naming.clone();
        Callback::from(move |_| naming.set(None))
    };
    let (label, written) = match *naming {
        Some(Naming::Current) => ("New name of the file", props.current.clone()),
        _ => ("Name of the new file", AttrValue::default()),
    };
    html! {
        <div class="file-tabs" data-many={(paths.len() > 1).then_some("true")}>
            if paths.len() > TABS {
                <FileTree files={props.files.clone()} current={props.current.clone()} />
            } else if !items.is_empty() {
                <Tabs label="Files" id="file" controls="file-text" {items} {current} {onpick} />
            }
            if naming.is_some() {
                <input ref={field} class="file-name" aria-label={label} placeholder="name.yml, Enter" value={written} {onkeydown} {onblur} />
            } else {
                <IconButton icon="plus" label="Add a file" onclick={open(Naming::New)} />
                if !paths.is_empty() {
                    <IconButton icon="edit" label={format!("Rename {}", props.current)} onclick={open(Naming::Current)} />
                }
            }
            if paths.len() > 1 {
                <IconButton icon="trash" label={format!("Remove {}", props.current)}
                    onclick={hub.act(Action::DropFile(props.current.to_string()))} />
            }
        </div>
    }
}
