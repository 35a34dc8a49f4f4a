//! Environment values that templates read.

use crate::store::ptr::Ptr;
use crate::store::{Action, Hub, use_hub};
use crate::ui::{Button, IconButton};
use std::collections::BTreeMap;
use web_sys::HtmlInputElement;
use yew::prelude::*;

#[derive(Properties, PartialEq)]
pub(super) struct EnvTableProps {
    /// Name to value.
    pub(super) env: Ptr<BTreeMap<String, String>>,
    /// Names that the definition asks for and that have no value.
    pub(super) missing: Vec<AttrValue>,
}

/// The table.
#[component]
pub(super) fn EnvTable(props: &EnvTableProps) -> Html {
    let hub = use_hub();
    let missing: Vec<_> =
        props.missing.iter().filter(|name| !props.env.contains_key(name.as_str())).collect();
    html! {
        <div class="env">
            if !missing.is_empty() {
                <p class="muted">{ "The definition asks for these and finds no value:" }</p>
                <div class="button-row">
                    { for missing.into_iter().map(|name| html! {
                        <Button icon="plus" label={name.clone()} onclick={hub.act(Action::SetEnv(name.to_string(), Some(String::new())))} />
                    }) }
                </div>
            }
            <table class="env-table">
                <thead><tr>
                    <th scope="col">{ "Name" }</th><th scope="col">{ "Value" }</th>
                    <th scope="col"><span class="visually-hidden">{ "Remove" }</span></th>
                </tr></thead>
                <tbody>
                    { props.env.iter().map(|(name, value)| html! {
                        <tr key={name.clone()}>
                            <th scope="row">{ name }</th>
                            <td><input aria-label={format!("Value of {name}")} value={value.clone()} onchange={set(&hub, name)} autocomplete="off" /></td>
                            <td><IconButton icon="trash" label={format!("Remove {name}")} onclick={hub.act(Action::SetEnv(name.clone(), None))} /></td>
                        </tr>
                    }).collect::<Html>() }
                    <NewRow />
                </tbody>
            </table>
        </div>
    }
}

fn set(hub: &Hub, name: &str) -> Callback<Event> {
    let name = name.to_owned();
    hub.on(move |event: Event| {
        let value =
            event.target_dyn_into::<HtmlInputElement>().map(|field| field.value()).unwrap_or_default();
        Action::SetEnv(name.clone(), Some(value))
    })
}

/// A row for another variable.
#[component]
fn NewRow() -> Html {
    let hub = use_hub();
    let (name, value) = (use_node_ref(), use_node_ref());
    let add = {
        let (hub, name, value) = (hub.clone(), name.clone(), value.clone());
        move || {
            let (Some(name), Some(value)) =
                (name.cast::<HtmlInputElement>(), value.cast::<HtmlInputElement>())
            else {
                return;
            };
            let key = name.value().trim().to_owned();
            if key.is_empty() {
                let _ = name.focus();
                return;
            }
            hub.send(Action::SetEnv(key, Some(value.value())));
            name.set_value("");
            value.set_value("");
            let _ = name.focus();
        }
    };
    let onkeydown = {
        let add = add.clone();
        Callback::from(move |event: KeyboardEvent| {
            if event.key() == "Enter" {
                add();
            }
        })
    };
    html! {
        <tr>
            <td><input ref={name} aria-label="Name of a new variable" placeholder="NAME" autocomplete="off" onkeydown={onkeydown.clone()} /></td>
            <td><input ref={value} aria-label="Value of the new variable" placeholder="value" autocomplete="off" {onkeydown} /></td>
            <td><IconButton icon="plus" label="Add the variable" onclick={Callback::from(move |_| add())} /></td>
        </tr>
    }
}
