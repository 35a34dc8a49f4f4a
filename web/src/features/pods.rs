//! Pod instances with their tasks as the service sees them.

use super::waiting::use_arrivals;
use crate::store::ptr::Ptr;
use crate::store::selectors::status::entry;
use crate::store::selectors::tree::{service_key, service_path};
use crate::store::state::MenuTarget;
use crate::store::{Action, Hub, use_hub};
use crate::systems;
use crate::ui::{Badge, attr, icon};
use planarium_protocol::View;
use planarium_protocol::view::{PodView, ServiceView};
use web_sys::Element;
use yew::prelude::*;

#[derive(Properties, PartialEq)]
pub(crate) struct PodsPaneProps {
    /// The view.
    pub(crate) view: Ptr<View>,
    /// Selected task.
    pub(crate) task: Option<AttrValue>,
}

/// The list.
#[component]
pub(crate) fn PodsPane(props: &PodsPaneProps) -> Html {
    let hub = use_hub();
    use_arrivals();
    let panels: Vec<Html> =
        props.view.services.iter().filter_map(|service| systems::panel(service)).collect();
    let none = props.view.services.iter().all(|service| service.pods.is_empty());
    if none && panels.is_empty() {
        return html! {
            <div class="empty">{ icon("pod") }<p>{ "No pod exists at this moment." }</p></div>
        };
    }
    html! {
        <div class="pods">
            { for panels }
            { for props.view.services.iter().flat_map(|service| service.pods.iter().map(|pod| pod_card(&hub, service, pod, props.task.as_deref()))) }
        </div>
    }
}

fn pod_card(hub: &Hub, service: &ServiceView, pod: &PodView, chosen: Option<&str>) -> Html {
    let path = service_path(service);
    let key = format!("{}/{}", service_key(&path), pod.name);
    let target = MenuTarget::Pod(path, attr(&pod.name));
    html! {
        <section class="pod" {key}>
            <header>
                { icon("pod") }
                <h3>{ &*pod.name }</h3>
                <span class="grow"></span>
                { menu_button(hub, target, &format!("Commands for {}", pod.name)) }
            </header>
            <ul>
                { for pod.tasks.iter().map(|task| html! {
                    <li class="pod-task" data-selected={(chosen == Some(&*task.name)).to_string()}>
                        <button type="button" class="link" onclick={hub.act(Action::SelectTask(attr(&task.name)))}>{ &*task.name }</button>
                        if let Some(status) = &task.status { <Badge status={attr(status)} word={entry(service.statuses, status)} /> } else { <span class="muted">{ "never launched" }</span> }
                        <span class="muted">{ task.agent.as_deref().unwrap_or("") }</span>
                    </li>
                }) }
            </ul>
        </section>
    }
}

/// The button that opens a menu below itself.
pub(crate) fn menu_button(hub: &Hub, target: MenuTarget, label: &str) -> Html {
    let hub = hub.clone();
    let onclick = Callback::from(move |event: MouseEvent| {
        event.stop_propagation();
        let Some(button) = event.target_dyn_into::<Element>() else { return };
        let button = button.closest("button").ok().flatten().unwrap_or(button);
        let place = button.get_bounding_client_rect();
        #[expect(clippy::cast_possible_truncation, reason = "pixels on a screen")]
        hub.send(Action::OpenMenu(target.clone(), place.left() as i32, place.bottom() as i32));
    });
    html! {
        <button type="button" class="icon-button" aria-label={attr(label)} aria-haspopup="menu" title={attr(label)} {onclick}>
            { icon("dots") }
        </button>
    }
}
