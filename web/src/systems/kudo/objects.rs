//! The objects of each step, whether they are healthy and why not, and templates beside what they were rendered to.

use super::{list, text};
use crate::store::ptr::Ptr;
use crate::store::{Hub, use_hub};
use crate::systems::objects::ObjectDetail;
use crate::ui::icon;
use planarium_messages::facts::Reply;
use planarium_messages::questions::Ask;
use planarium_protocol::event::ElementPath;
use serde_json::Value;
use yew::prelude::*;

#[derive(Properties, PartialEq)]
pub(super) struct ObjectsProps {
    /// The view's additional data of the instance.
    pub(super) more: Ptr<Value>,
    /// Of the service.
    pub(super) path: ElementPath,
    /// Phase and step whose objects are shown; none for all.
    #[prop_or_default]
    pub(super) only: Option<(String, String)>,
}

/// A row of an object, and the key of the object that is described below it.
type Shown = (String, AttrValue);

/// A task's place, and one of its templates.
type Chosen = (String, String);

/// Objects by the tasks that made them.
#[component]
pub(super) fn Objects(props: &ObjectsProps) -> Html {
    let chosen = use_state(|| None::<Chosen>);
    let shown = use_state_eq(|| None::<Shown>);
    let work = props.more.get("kudo").map_or(&[][..], |own| list(own, "work"));
    let wanted = |task: &&Value| {
        props
            .only
            .as_ref()
            .is_none_or(|(phase, step)| text(task, "phase") == phase && text(task, "step") == step)
    };
    let work: Vec<&Value> = work.iter().filter(wanted).collect();
    if work.is_empty() && props.only.is_some() {
        return Html::default();
    }
    if work.is_empty() {
        return html! { <p class="empty-line">{ "Nothing has been rendered by the plan that ran last." }</p> };
    }
    html! {
        <ul class="kudo-work">
            { for work.into_iter().map(|task| task_row(task, &chosen, &shown, props)) }
        </ul>
    }
}

fn task_row(
    task: &Value,
    chosen: &UseStateHandle<Option<Chosen>>,
    shown: &UseStateHandle<Option<Shown>>,
    props: &ObjectsProps,
) -> Html {
    let place = format!("{}/{}/{}", text(task, "phase"), text(task, "step"), text(task, "task"));
    let templates = list(task, "templates").iter().filter_map(Value::as_str);
    let open = chosen.as_ref().filter(|(own, _)| *own == place);
    html! {
        <li key={place.clone()}>
            <div class="kudo-task">
                <strong>{ format!("{} / {}", text(task, "phase"), text(task, "step")) }</strong>
                <span class="muted">{ text(task, "task").to_owned() }</span>
                { for templates.map(|name| template_button(&place, name, chosen)) }
            </div>
            <ul>
                { for list(task, "objects").iter().map(|object| object_row(&place, object, shown, &props.more)) }
            </ul>
            if let Some((place, file)) = open {
                <Template path={props.path.clone()} place={place.clone()} file={file.clone()} />
            }
        </li>
    }
}

/// An object, which shows its conditions, events and text below it.
fn object_row(place: &str, object: &Value, shown: &UseStateHandle<Option<Shown>>, more: &Ptr<Value>) -> Html {
    let health = text(object, "health");
    let (name, word) = match health {
        "healthy" => ("complete", "healthy"),
        "unhealthy" => ("waiting", "not healthy"),
        _ => ("pending", "not looked at yet"),
    };
    let path = text(object, "object");
    let key = path.split_once('/').map(|(kind, name)| format!("{kind}/{}/{name}", text(object, "namespace")));
    let key = AttrValue::from(key.unwrap_or_default());
    let row = format!("{place}:{path}");
    let open = shown.as_ref().filter(|(own, _)| *own == row).map(|(_, key)| key.clone());
    let pick = |row: String| {
        let shown = shown.clone();
        Callback::from(move |key: AttrValue| shown.set(Some((row.clone(), key))))
    };
    let onclick = {
        let (shown, now) = (shown.clone(), open.is_none().then(|| (row.clone(), key)));
        Callback::from(move |_: MouseEvent| shown.set(now.clone()))
    };
    html! {
        <li>
            <div class="kudo-object" data-health={health.to_owned()}>
                { icon(name) }
                <button type="button" class="link" aria-expanded={open.is_some().to_string()} {onclick}>{ path.to_owned() }</button>
                <span class="muted">{ word }</span>
                if !text(object, "why").is_empty() { <span class="kudo-why">{ text(object, "why").to_owned() }</span> }
            </div>
            if let Some(object) = open {
                <ObjectDetail more={more.clone()} {object} onpick={pick(row)} />
            }
        </li>
    }
}

fn template_button(place: &str, name: &str, chosen: &UseStateHandle<Option<Chosen>>) -> Html {
    let own = (place.to_owned(), name.to_owned());
    let pressed = chosen.as_ref() == Some(&own);
    let chosen = chosen.clone();
    let onclick = Callback::from(move |_: MouseEvent| chosen.set((!pressed).then(|| own.clone())));
    html! {
        <button type="button" class="link" aria-pressed={pressed.to_string()} {onclick}>{ name.to_owned() }</button>
    }
}

#[derive(Properties, PartialEq)]
struct TemplateProps {
    path: ElementPath,
    place: String,
    file: String,
}

/// A template, and its rendered text.
#[component]
fn Template(props: &TemplateProps) -> Html {
    let hub = use_hub();
    let rendered = use_rendered(&hub, props, props.place.clone());
    let source = use_rendered(&hub, props, String::new());
    html! {
        <div class="kudo-template">
            <figure>
                <figcaption>{ format!("templates/{}", props.file) }</figcaption>
                <pre tabindex="0">{ source.unwrap_or_else(|| "It could not be read.".to_owned()) }</pre>
            </figure>
            <figure>
                <figcaption>{ "Rendered" }</figcaption>
                <pre tabindex="0">{ rendered.unwrap_or_default() }</pre>
            </figure>
        </div>
    }
}

/// Returns a file rendered for a task; without a task, the template. Empty until the answer comes.
#[hook]
fn use_rendered(hub: &Hub, props: &TemplateProps, task: String) -> Option<String> {
    let found = use_state_eq(|| Some(String::new()));
    let (hub, into) = (hub.clone(), found.setter());
    use_effect_with((props.path.clone(), task, props.file.clone()), move |(path, task, file)| {
        let answer = move |reply| {
            if let Reply::Rendered(text) = reply {
                into.set(text);
            }
        };
        let (path, task, file) = (path.clone(), task.clone(), file.clone());
        hub.ask(Ask::Rendered { path, task, file }, Callback::from(answer));
    });
    (*found).clone()
}
