//! Environment values for templates. Variables without a value have a row, too, with their finding.

use crate::store::ptr::Ptr;
use crate::store::selectors::guess::guess;
use crate::store::state::{Checked, Finding, Severity};
use crate::store::{Action, Hub, use_hub};
use crate::ui::{Button, IconButton, attr, icon};
use planarium_kernel::SortedSet;
use std::collections::BTreeMap;
use web_sys::HtmlInputElement;
use yew::prelude::*;

#[derive(Properties, PartialEq)]
pub(super) struct EnvTableProps {
    /// Name to value, as last drawn.
    pub(super) env: Ptr<BTreeMap<String, String>>,
    /// Result of reading the definition: names without a value, and findings about them.
    pub(super) checked: Ptr<Checked>,
}

/// The table.
#[component]
pub(super) fn EnvTable(props: &EnvTableProps) -> Html {
    let hub = use_hub();
    // A value of an earlier draw would undo what is being typed.
    let env = hub.state().draft.env.clone();
    let missing: SortedSet<&str> = props.checked.missing.iter().map(|name| &**name).collect();
    let names: SortedSet<&str> = env.keys().map(String::as_str).chain(missing.iter().copied()).collect();
    html! {
        <div class="env">
            if !missing.is_empty() {
                <div class="env-missing">
                    <p>{ format!("{} without a value.", counted(missing.len())) }</p>
                    if missing.iter().any(|name| guess(name).is_some()) {
                        <Button icon="wand" label="Fill in usual values" onclick={hub.act(Action::FillEnv)}
                            title="Guesses by name, such as 1 for a count; change them as you like" />
                    }
                </div>
            }
            <table class="env-table">
                <thead><tr>
                    <th scope="col">{ "Name" }</th><th scope="col">{ "Value" }</th>
                    <th scope="col"><span class="visually-hidden">{ "Remove" }</span></th>
                </tr></thead>
                <tbody>
                    { for names.into_iter().map(|name| {
                        let about = if missing.contains(name) { about(&props.checked, name) } else { None };
                        row(&hub, name, env.get(name), about)
                    }) }
                    <NewRow />
                </tbody>
            </table>
        </div>
    }
}

fn counted(count: usize) -> String {
    if count == 1 { "1 variable is".to_owned() } else { format!("{count} variables are") }
}

/// The finding about a variable, the worst first.
fn about<'c>(checked: &'c Checked, name: &str) -> Option<&'c Finding> {
    let quoted = format!("'{name}'");
    checked.findings.iter().find(|finding| finding.message.contains(&quoted))
}

fn row(hub: &Hub, name: &str, value: Option<&String>, about: Option<&Finding>) -> Html {
    let note = about.map(|_| format!("env-{name}"));
    html! {
        <tr key={name}>
            <th scope="row">{ for name.split_inclusive('_').map(|part| html! { <>{ part.to_owned() }<wbr /></> }) }</th>
            <td>
                <input aria-label={format!("Value of {name}")} aria-describedby={note.clone()} value={value.cloned().unwrap_or_default()}
                    oninput={set(hub, name)} autocomplete="off" />
                if let Some(finding) = about {
                    <button type="button" class="env-finding" id={note} data-family={family(finding)} title={attr(&finding.message)}
                        onclick={hub.act(Action::Reveal(attr(&finding.file), finding.line, finding.column))}>
                        { icon(finding.severity.word()) }
                        { format!("{}, line {}", if finding.severity == Severity::Error { "needed" } else { "left empty" }, finding.line) }
                    </button>
                }
            </td>
            <td>
                if value.is_some() {
                    <IconButton icon="trash" label={format!("Remove {name}")} onclick={hub.act(Action::SetEnv(name.to_owned(), None))} />
                }
            </td>
        </tr>
    }
}

fn family(finding: &Finding) -> &'static str {
    match finding.severity {
        Severity::Error => "error",
        Severity::Warning => "waiting",
        Severity::Info => "neutral",
    }
}

fn set(hub: &Hub, name: &str) -> Callback<InputEvent> {
    let name = name.to_owned();
    hub.on(move |event: InputEvent| {
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
        <tr key="new variable">
            <td><input ref={name} aria-label="Name of a new variable" placeholder="NAME" autocomplete="off" onkeydown={onkeydown.clone()} /></td>
            <td><input ref={value} aria-label="Value of the new variable" placeholder="value" autocomplete="off" {onkeydown} /></td>
            <td><IconButton icon="plus" label="Add the variable" onclick={Callback::from(move |_| add())} /></td>
        </tr>
    }
}
