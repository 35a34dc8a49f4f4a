//! KUDO's panel of an instance beside its plans: objects of its steps, and the form of its parameters.
//!
//! *Knows*: what the view says. *Must not know*: rules of KUDO.

use super::form::{ParameterForm, differing};
use super::objects::Objects;
use super::{flag, list, text};
use crate::store::ptr::Ptr;
use crate::ui::icon;
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
                <details>
                    <summary>{ format!("{} parameters, {} with a value of their own", parameters.len(), differing(parameters)) }</summary>
                    <ParameterForm more={props.more.clone()} path={props.path.clone()} />
                </details>
            }
        </section>
    }
}
