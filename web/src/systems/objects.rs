//! Objects of the Kubernetes API: a list of all by kind and namespace; one with its conditions, its events and its text.
//!
//! *Knows*: rows and descriptions as the host sends them. *Must not know*: which objects a system has made.

use super::Second;
use crate::store::ptr::Ptr;
use crate::store::state::{Dialog, Tab};
use crate::store::{Action, use_hub};
use crate::ui::{Button, attr, icon};
use planarium_messages::facts::Reply;
use planarium_messages::questions::Ask;
use planarium_protocol::Text;
use planarium_protocol::objects::{ObjectCondition, ObjectEvent, ObjectLine, ObjectRow, ObjectView, Origin};
use serde_json::Value;
use std::rc::Rc;
use web_sys::HtmlInputElement;
use yew::prelude::*;

/// Maximum of rows of a kind that are drawn.
const MOST: usize = 100;

/// Kinds whose rows are shown at first.
const OPEN: &[&str] = &[
    "Deployment",
    "StatefulSet",
    "DaemonSet",
    "Job",
    "CronJob",
    "ReplicaSet",
    "Pod",
    "Service",
    "HorizontalPodAutoscaler",
    "PodDisruptionBudget",
    "PersistentVolumeClaim",
];

#[derive(Properties, PartialEq)]
pub(super) struct ObjectListProps {
    /// Changes with the objects.
    pub(super) more: Ptr<Value>,
    /// Key of the object that is selected on the page.
    pub(super) selected: Option<AttrValue>,
}

/// All objects, by kind. The selected one is open.
#[component]
pub(super) fn ObjectList(props: &ObjectListProps) -> Html {
    let rows = use_answer(&props.more, "", |reply| match reply {
        Reply::Objects(rows) => Some(rows),
        _ => None,
    });
    let open = use_state_eq(|| props.selected.clone());
    let search = use_state_eq(String::new);
    {
        let open = open.clone();
        use_effect_with(props.selected.clone(), move |selected| {
            if selected.is_some() {
                open.set(selected.clone());
            }
        });
    }
    let oninput = {
        let search = search.clone();
        Callback::from(move |event: InputEvent| {
            search.set(
                event.target_dyn_into::<HtmlInputElement>().map(|field| field.value()).unwrap_or_default(),
            );
        })
    };
    let onpick = {
        let open = open.clone();
        Callback::from(move |key: AttrValue| {
            let shut = open.as_ref() == Some(&key);
            open.set((!shut).then_some(key));
        })
    };
    let Some(rows) = &rows else { return html! { <p class="empty-line">{ "Reading the objects …" }</p> } };
    let groups = groups(rows, &search);
    html! {
        <>
            <input class="objects-search" type="search" aria-label="Find an object" placeholder="Find an object" autocomplete="off"
                value={(*search).clone()} {oninput} />
            if groups.is_empty() { <p class="empty-line">{ "No object is called so at this moment." }</p> }
            { for groups.into_iter().map(|group| {
                let holds = |key: &AttrValue| group.rows.iter().any(|row| *row.key == **key);
                let shown = !search.is_empty() || OPEN.iter().any(|kind| **kind == **group.kind) || open.as_ref().is_some_and(holds);
                html! {
                    <details key={format!("{}/{}", group.kind, group.namespace)} class="objects-kind" open={shown}>
                        <summary>
                            <strong>{ group.kind.to_string() }</strong>
                            if !group.namespace.is_empty() { <span class="muted">{ group.namespace.to_string() }</span> }
                            <span class="muted">{ group.rows.len() }</span>
                        </summary>
                        <ul>
                            { for group.rows.iter().take(MOST).map(|row| object_row(row, open.as_ref(), &props.more, &onpick)) }
                        </ul>
                        if group.rows.len() > MOST {
                            <p class="muted">{ format!("and {} more: find one by its name", group.rows.len() - MOST) }</p>
                        }
                    </details>
                }
            }) }
        </>
    }
}

/// Objects of one kind in one namespace.
struct Group<'r> {
    kind: &'r Text,
    namespace: &'r Text,
    rows: Vec<&'r ObjectRow>,
}

/// Rows that contain a text, in groups. *Order*: of the rows.
fn groups<'r>(rows: &'r [ObjectRow], search: &str) -> Vec<Group<'r>> {
    let search = search.trim().to_lowercase();
    let matches = |row: &&ObjectRow| row.key.to_lowercase().contains(&search);
    let mut out: Vec<Group<'r>> = Vec::new();
    for row in rows.iter().filter(matches) {
        match out.iter_mut().find(|group| *group.kind == row.kind && *group.namespace == row.namespace) {
            Some(group) => group.rows.push(row),
            None => out.push(Group { kind: &row.kind, namespace: &row.namespace, rows: vec![row] }),
        }
    }
    out
}

fn object_row(
    row: &ObjectRow,
    open: Option<&AttrValue>,
    more: &Ptr<Value>,
    onpick: &Callback<AttrValue>,
) -> Html {
    let key = attr(&row.key);
    let expanded = open == Some(&key);
    let onclick = {
        let (key, onpick) = (key.clone(), onpick.clone());
        Callback::from(move |_: MouseEvent| onpick.emit(key.clone()))
    };
    html! {
        <li key={key.to_string()} class="objects-row" data-warns={row.warns.to_string()}>
            <button type="button" class="objects-name" aria-expanded={expanded.to_string()} {onclick}>
                { icon(if expanded { "chevron-down" } else { "chevron-right" }) }
                <span>{ row.name.to_string() }</span>
                <span class="objects-state">
                    if row.warns { { icon("warning") } }
                    { row.state.to_string() }
                    if row.warns { <span class="visually-hidden">{ ", a condition warns" }</span> }
                </span>
            </button>
            if expanded { <ObjectDetail more={more.clone()} object={key} onpick={onpick.clone()} /> }
        </li>
    }
}

#[derive(Properties, PartialEq)]
pub(super) struct ObjectDetailProps {
    /// Changes with the objects.
    pub(super) more: Ptr<Value>,
    /// Key of the object.
    pub(super) object: AttrValue,
    /// Shows another object.
    pub(super) onpick: Callback<AttrValue>,
}

/// An object with all that its API says about it.
#[component]
pub(super) fn ObjectDetail(props: &ObjectDetailProps) -> Html {
    let found = use_answer(&props.more, &props.object, |reply| match reply {
        Reply::Object(found) => Some(found),
        _ => None,
    });
    let defaults = use_state_eq(|| true);
    let Some(found) = &found else { return Html::default() };
    let Some(object) = &**found else {
        return html! { <p class="empty-line">{ "It does not exist at this moment." }</p> };
    };
    let name = format!("{} {}", object.row.kind, object.row.name);
    html! {
        <section class="object" aria-label={name}>
            { about(object, &props.onpick) }
            if !object.conditions.is_empty() { { conditions(&object.conditions) } }
            { events(object) }
            { text(object, &defaults) }
        </section>
    }
}

fn about(object: &ObjectView, onpick: &Callback<AttrValue>) -> Html {
    let owner = &object.row.owner;
    let onclick = {
        let (owner, onpick) = (attr(owner), onpick.clone());
        Callback::from(move |_: MouseEvent| onpick.emit(owner.clone()))
    };
    html! {
        <p class="muted object-about">
            { format!("Age {}", object.age) }
            if !owner.is_empty() {
                { ", controlled by " }
                <button type="button" class="link" {onclick}>{ shown_key(owner) }</button>
            }
            if !object.applied && owner.is_empty() { { ", not applied from the files" } }
        </p>
    }
}

/// A key as commands write it: without the namespace.
fn shown_key(key: &str) -> String {
    let mut parts = key.splitn(3, '/');
    let (word, _, name) = (parts.next().unwrap_or_default(), parts.next(), parts.next());
    name.map_or_else(|| word.to_owned(), |name| format!("{word}/{name}"))
}

/// A reason and its message below it.
fn reason(reason: &Text, message: &Text) -> Html {
    html! {
        <>
            { reason.to_string() }
            if !message.is_empty() { <span class="object-message">{ message.to_string() }</span> }
        </>
    }
}

fn conditions(all: &[ObjectCondition]) -> Html {
    html! {
        <>
            <h3>{ "Conditions" }</h3>
            <table class="object-table">
                <thead><tr>
                    <th scope="col">{ "Type" }</th><th scope="col">{ "Status" }</th>
                    <th scope="col">{ "Reason and message" }</th><th scope="col">{ "Since" }</th>
                </tr></thead>
                <tbody>
                    { for all.iter().map(|one| html! {
                        <tr key={one.kind.to_string()} data-warns={one.warns.to_string()}>
                            <th scope="row">{ one.kind.to_string() }</th>
                            <td class="object-short">{ icon(if one.warns { "waiting" } else { "check" }) }{ one.status.to_string() }</td>
                            <td class="object-said">{ reason(&one.reason, &one.message) }</td>
                            <td class="object-short">{ one.since.to_string() }</td>
                        </tr>
                    }) }
                </tbody>
            </table>
        </>
    }
}

/// The age of an event as `kubectl describe` shows it.
fn age(event: &ObjectEvent) -> String {
    match event.count {
        0 | 1 => event.age.to_string(),
        count => format!("{} (x{count} over {})", event.age, event.first),
    }
}

fn events(object: &ObjectView) -> Html {
    if object.events.is_empty() {
        return html! { <><h3>{ "Events" }</h3><p class="empty-line">{ "<none>" }</p></> };
    }
    html! {
        <>
            <h3>{ "Events" }</h3>
            if object.more_events > 0 { <p class="muted">{ format!("{} older ones are left out", object.more_events) }</p> }
            <table class="object-table">
                <thead><tr>
                    <th scope="col">{ "Type" }</th><th scope="col">{ "Reason and message" }</th>
                    <th scope="col">{ "Age" }</th><th scope="col">{ "From" }</th>
                </tr></thead>
                <tbody>
                    { for object.events.iter().map(|event| html! {
                        <tr data-warns={(&*event.kind == "Warning").to_string()}>
                            <td>{ event.kind.to_string() }</td>
                            <td class="object-said">{ reason(&event.reason, &event.message) }</td>
                            <td>{ age(event) }</td>
                            <td>{ event.from.to_string() }</td>
                        </tr>
                    }) }
                </tbody>
            </table>
        </>
    }
}

fn text(object: &ObjectView, defaults: &UseStateHandle<bool>) -> Html {
    let filled = object.applied && object.lines.iter().any(|line| line.origin == Origin::Default);
    let all = **defaults || !filled;
    let onchange = {
        let defaults = defaults.clone();
        Callback::from(move |_: Event| defaults.set(!*defaults))
    };
    html! {
        <>
            <div class="object-head">
                <h3>{ "YAML" }</h3>
                if filled {
                    <label class="check">
                        <input type="checkbox" checked={all} {onchange} />
                        <span>{ "With defaults" }</span>
                    </label>
                }
            </div>
            <pre class="object-text mono" tabindex="0" aria-label={format!("YAML of {} {}", object.row.kind, object.row.name)}>
                { for object.lines.iter().filter(|line| all || line.origin != Origin::Default).map(self::line) }
            </pre>
        </>
    }
}

fn line(line: &ObjectLine) -> Html {
    let (word, note) = match &line.origin {
        Origin::Applied => ("applied", String::new()),
        Origin::Default => ("default", "  # default".to_owned()),
        Origin::Changed(was) => ("changed", format!("  # applied: {was}")),
    };
    html! {
        <span class="object-line" data-origin={word}>
            { line.text.to_string() }
            if !note.is_empty() { <i>{ note }</i> }
            { "\n" }
        </span>
    }
}

/// Asks the host for the list (an empty key) or an object, again whenever objects have changed or a second has passed. `None`
/// until the first answer.
///
/// *Cost*: one question at a time, so that a run that is played quickly is not held up.
#[hook]
fn use_answer<T: 'static>(more: &Ptr<Value>, key: &str, read: fn(Reply) -> Option<T>) -> Option<Rc<T>> {
    let hub = use_hub();
    let second = use_context::<Second>().unwrap_or_default();
    let answer = use_state(|| None::<(String, Rc<T>)>);
    // A question is on its way; something has changed since.
    let way = use_mut_ref(|| (false, false));
    let again = use_state(|| 0_u32);
    {
        let (answer, again) = (answer.clone(), again.clone());
        use_effect_with((more.clone(), second, key.to_owned(), *again), move |(_, _, key, _)| {
            if way.borrow().0 {
                way.borrow_mut().1 = true;
                return;
            }
            *way.borrow_mut() = (true, false);
            let own = key.clone();
            let told = move |reply| {
                let (_, stale) = way.replace((false, false));
                if let Some(found) = read(reply) {
                    answer.set(Some((own.clone(), Rc::new(found))));
                }
                if stale {
                    again.set(*again + 1);
                }
            };
            let ask = if key.is_empty() { Ask::Objects } else { Ask::Object(key.clone()) };
            hub.ask(ask, Callback::from(told));
        });
    }
    (*answer).as_ref().filter(|(own, _)| own == key).map(|(_, found)| Rc::clone(found))
}

#[derive(Properties, PartialEq)]
pub(super) struct ToObjectProps {
    /// Fields of the workload can be tried.
    pub(super) recipes: bool,
}

/// Leads from an element to its object, and to what its fields do.
#[component]
pub(super) fn ToObject(props: &ToObjectProps) -> Html {
    let hub = use_hub();
    html! {
        <div class="button-row">
            <Button icon="list" label="Conditions, events and YAML" onclick={hub.act(Action::ShowTab(Tab::Pods))} />
            if props.recipes {
                <Button icon="compare" label="Change a field …" title="What happens when a field is changed, in two worlds with the same luck"
                    onclick={hub.act(Action::OpenDialog(Dialog::Recipes))} />
            }
        </div>
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(kind: &str, namespace: &str, name: &str) -> ObjectRow {
        let key = format!("{}/{namespace}/{name}", kind.to_lowercase());
        ObjectRow {
            key: key.into(),
            kind: kind.into(),
            namespace: namespace.into(),
            name: name.into(),
            ..Default::default()
        }
    }

    #[test]
    fn rows_are_grouped_by_kind_and_namespace_and_found_by_name() {
        let rows = [
            row("Pod", "a", "web-1"),
            row("Pod", "b", "db-1"),
            row("Pod", "a", "web-2"),
            row("Node", "", "n"),
        ];
        let of = |search: &str| -> Vec<(String, usize)> {
            groups(&rows, search)
                .iter()
                .map(|group| (format!("{}/{}", group.kind, group.namespace), group.rows.len()))
                .collect()
        };
        assert_eq!(of(""), [("Pod/a".to_owned(), 2), ("Pod/b".to_owned(), 1), ("Node/".to_owned(), 1)]);
        assert_eq!(of(" WEB "), [("Pod/a".to_owned(), 2)]);
        assert!(of("none").is_empty());
    }

    #[test]
    fn repeated_events_show_their_count_and_span() {
        let event = |count| ObjectEvent { age: "5s".into(), first: "2m".into(), count, ..Default::default() };
        assert_eq!((age(&event(1)), age(&event(3))), ("5s".to_owned(), "5s (x3 over 2m)".to_owned()));
        assert_eq!(shown_key("replicaset.apps/default/web-1"), "replicaset.apps/web-1");
    }
}
