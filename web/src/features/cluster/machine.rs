//! A machine as a card: its resources and its tasks.

use crate::features::pods::menu_button;
use crate::store::ptr::Ptr;
use crate::store::selectors::cluster::{amount, spoken};
use crate::store::selectors::maintenance::away_words;
use crate::store::selectors::status::{state, word};
use crate::store::state::MenuTarget;
use crate::store::{Action, use_hub};
use crate::ui::bar::{Part, bar, share};
use crate::ui::{attr, icon, status_icon};
use planarium_protocol::Text;
use planarium_protocol::view::{MachineView, ResourceView, StatusClass, TaskView};
use yew::prelude::*;

#[derive(Properties, PartialEq)]
pub(super) struct MachineCardProps {
    /// The machine.
    pub(super) machine: Ptr<MachineView>,
    /// Tasks to mark.
    pub(super) marked: Vec<Text>,
    /// There are many.
    pub(super) dense: bool,
    /// Calendar time of the start of the run.
    pub(super) epoch_ms: u64,
    /// The count-down of a silent machine.
    #[prop_or_default]
    pub(super) count_down: Option<AttrValue>,
}

/// The card.
#[component]
pub(super) fn MachineCard(props: &MachineCardProps) -> Html {
    let hub = use_hub();
    let machine = &props.machine;
    let look = state(&machine.state);
    let up = look.class == StatusClass::Running.as_str();
    let attributes = machine.attributes.iter().map(|(name, value)| format!("{name}: {value}"));
    let about: Vec<_> =
        [machine.ip.to_string()].into_iter().chain(attributes).filter(|s| !s.is_empty()).collect();
    let hub_for_menu = hub.clone();
    let host = attr(&machine.hostname);
    let oncontextmenu = Callback::from(move |event: MouseEvent| {
        event.prevent_default();
        hub_for_menu.send(Action::OpenMenu(
            MenuTarget::Machine(host.clone()),
            event.client_x(),
            event.client_y(),
        ));
    });
    html! {
        <article class="machine" data-state={machine.state.to_string()} data-up={up.to_string()} aria-label={attr(&machine.hostname)} {oncontextmenu}>
            <header>
                <span data-family={look.family} data-class={look.class} class="machine-state" title={machine.state.to_string()}>{ icon(look.icon) }</span>
                <h4 title={about.join(", ")}>{ &*machine.hostname }</h4>
                if !up { <span class="chip" data-family={look.family}>{ &*machine.state }</span> }
                if machine.promised_twice {
                    <span class="chip" title="Systems that do not know of each other together hold more than this machine has">{ "promised twice" }</span>
                }
                if machine.without_size > 0 {
                    <span class="chip" title="The size of these processes is not known, so they take nothing from the machine">
                        { format!("{} without a size", machine.without_size) }
                    </span>
                }
                <span class="grow"></span>
                { menu_button(&hub, MenuTarget::Machine(attr(&machine.hostname)), &format!("Actions for {}", machine.hostname)) }
            </header>
            if !props.dense && !about.is_empty() { <p class="machine-about">{ about.join(" · ") }</p> }
            if let Some(text) = &props.count_down {
                <p class="machine-away">{ icon("delayed") }<span>{ text.clone() }</span></p>
            }
            if let Some(away) = &machine.unavailability {
                <p class="machine-away">
                    { icon("spanner") }
                    <span>{ format!("Expected away {}", away_words(away, props.epoch_ms)) }</span>
                </p>
            }
            <ul class="resources">
                { for machine.resources.iter().filter(|r| r.total > 0).map(resource) }
            </ul>
            <ul class="tasks">
                { for machine.tasks.iter().map(|task| task_block(&hub, task, props.marked.contains(&task.name))) }
            </ul>
        </article>
    }
}

fn resource(resource: &ResourceView) -> Html {
    let parts = [
        Part { share: share(resource.used, resource.total), kind: "used" },
        Part { share: share(resource.reserved, resource.total), kind: "reserved" },
    ];
    html! {
        <li title={spoken(resource)}>
            <span class="resource-name">{ &*resource.name }</span>
            { bar(&parts) }
            <span class="figure">{ amount(&resource.name, resource.total - resource.used - resource.reserved) }{ " free" }</span>
            <span class="visually-hidden">{ format!(". {}", spoken(resource)) }</span>
        </li>
    }
}

fn task_block(hub: &crate::store::Hub, task: &TaskView, marked: bool) -> Html {
    let look = state(&task.state);
    let mut title = format!("{} is {}", task.name, word(&task.state));
    match task.healthy {
        Some(true) => title += ", healthy",
        Some(false) => title += ", unhealthy",
        None => {}
    }
    match task.ready {
        Some(true) => title += ", ready",
        Some(false) => title += ", not ready",
        None => {}
    }
    let (menu_hub, id) = (hub.clone(), attr(&task.id));
    let oncontextmenu = Callback::from(move |event: MouseEvent| {
        event.prevent_default();
        event.stop_propagation();
        menu_hub.send(Action::OpenMenu(MenuTarget::Task(id.clone()), event.client_x(), event.client_y()));
    });
    html! {
        <li class="task" key={task.id.to_string()} data-family={look.family} data-class={look.class} data-marked={marked.to_string()} {oncontextmenu}>
            <button type="button" class="task-name" title={title.clone()} onclick={hub.act(Action::SelectTask(attr(&task.name)))}>
                { status_icon(look) }
                <span>{ &*task.name }</span>
                <span class="visually-hidden">{ title }</span>
                if task.ready == Some(false) { <span class="task-flag">{ "not ready" }</span> }
                if task.healthy == Some(false) { <span class="task-flag">{ "unhealthy" }</span> }
            </button>
            { menu_button(hub, MenuTarget::Task(attr(&task.id)), &format!("Actions for {}", task.name)) }
        </li>
    }
}
