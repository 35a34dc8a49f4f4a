//! KUDO's panel of an instance next to its plans: objects of its steps, and the form of its parameters.
//!
//! *Knows*: the view's data. *Must not know*: rules of KUDO.

use super::form::{ParameterForm, differing};
use super::objects::Objects;
use super::{flag, list, text};
use crate::store::ptr::Ptr;
use crate::store::state::Tab;
use crate::store::{Action, use_hub};
use crate::ui::{Button, icon};
use planarium_protocol::Text;
use planarium_protocol::event::ElementPath;
use planarium_protocol::view::ServiceView;
use serde_json::Value;
use yew::prelude::*;

/// The pane of an instance; none where its view has nothing for one.
pub(super) fn panel(service: &ServiceView) -> Option<Html> {
    service.more.get("kudo")?;
    let (more, path) = (Ptr::from(&service.more), service.path(&Text::default()));
    Some(html! { <InstancePane key={service.name.to_string()} {more} {path} /> })
}

/// Summarises objects: the number of healthy ones, and the first unhealthy one with its reason.
fn health(own: &Value) -> Option<(usize, usize, Option<&Value>)> {
    let objects = || list(own, "work").iter().flat_map(|task| list(task, "objects"));
    let is = |health: &'static str| objects().filter(move |object| text(object, "health") == health);
    let all = objects().count();
    (all > 0).then(|| (is("healthy").count(), all, is("unhealthy").next()))
}

/// The objects of the last plan in one line, with links to all objects and the parameters.
pub(super) fn below(service: &ServiceView, _: Option<&ElementPath>) -> Option<Html> {
    let own = service.more.get("kudo")?;
    let (healthy, all, waits) = health(own)?;
    let waits = waits.map(|object| (text(object, "object").to_owned(), text(object, "why").to_owned()));
    Some(html! { <Health key={service.name.to_string()} {healthy} {all} {waits} /> })
}

#[derive(Properties, PartialEq)]
struct HealthProps {
    healthy: usize,
    all: usize,
    /// An object that is not healthy, and why.
    waits: Option<(String, String)>,
}

#[component]
fn Health(props: &HealthProps) -> Html {
    let hub = use_hub();
    let HealthProps { healthy, all, waits } = props;
    html! {
        <div class="kudo-health">
            { icon(if waits.is_some() { "waiting" } else { "complete" }) }
            <p>
                <strong>{ format!("{healthy} of {all} objects healthy") }</strong>
                if let Some((object, why)) = waits { { format!("; {object}: {why}") } }
            </p>
            <Button label="Objects and parameters" onclick={hub.act(Action::ShowTab(Tab::Pods))} />
        </div>
    }
}

/// The objects of a step.
pub(super) fn about(service: &ServiceView, path: &ElementPath) -> Option<Html> {
    let own = service.more.get("kudo")?;
    path.step.as_ref()?;
    // Objects are those of the plan that is scheduled or ran last.
    let plan = text(own, "plan");
    if !plan.is_empty() && *path.plan != *plan {
        return None;
    }
    let (more, service) = (Ptr::from(&service.more), service.path(&Text::default()));
    let only = (path.phase.as_deref()?.to_owned(), path.step.as_deref()?.to_owned());
    Some(html! { <Objects {more} path={service} only={Some(only)} /> })
}

#[derive(Properties, PartialEq)]
struct InstancePaneProps {
    more: Ptr<Value>,
    /// Of the service.
    path: ElementPath,
}

#[component]
fn InstancePane(props: &InstancePaneProps) -> Html {
    let Some(own) = props.more.get("kudo") else { return Html::default() };
    let (form, work) = (own.get("form").unwrap_or(&Value::Null), list(own, "work"));
    let parameters = list(form, "parameters");
    let plan = text(own, "plan");
    let state = match (flag(own, "deleting"), plan) {
        (true, "") => "being deleted".to_owned(),
        (true, plan) => format!("being deleted, plan {plan} is scheduled"),
        (false, "") => "no plan is scheduled".to_owned(),
        (false, plan) => format!("plan {plan} is scheduled"),
    };
    html! {
        <section class="kudo" aria-label={format!("Instance {}", props.path.service)}>
            <header>
                { icon("folder") }
                <h3>{ props.path.service.to_string() }</h3>
                <span class="muted">{ text(own, "operatorVersion").to_owned() }</span>
                <span class="muted" aria-live="polite">{ state }</span>
            </header>
            <details open=true>
                <summary>{ format!("Objects of {} tasks", work.len()) }</summary>
                <Objects more={props.more.clone()} path={props.path.clone()} />
            </details>
            if !parameters.is_empty() {
                <details open=true>
                    <summary>{ format!("{} parameters, {} with a value of their own", parameters.len(), differing(parameters)) }</summary>
                    <ParameterForm more={props.more.clone()} path={props.path.clone()} />
                </details>
            }
        </section>
    }
}
