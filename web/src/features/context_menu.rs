//! The menu of actions on an element, a machine, a task or a pod. Forbidden actions stay, with the reason.

use crate::store::ptr::Ptr;
use crate::store::selectors::offers::{self, Offer};
use crate::store::selectors::tree;
use crate::store::state::{Dialog, Menu, MenuTarget, Tab};
use crate::store::{Action, Hub, use_hub};
use crate::systems;
use crate::ui::menu::{MenuItem, Popup};
use planarium_protocol::View;
use planarium_protocol::event::ElementPath;
use yew::prelude::*;

#[derive(Properties, PartialEq)]
pub(crate) struct ContextMenuProps {
    /// The menu, if one is open.
    pub(crate) menu: Option<Menu>,
    /// The view.
    pub(crate) view: Ptr<View>,
}

/// The open menu.
#[component]
pub(crate) fn ContextMenu(props: &ContextMenuProps) -> Html {
    let hub = use_hub();
    let Some(menu) = &props.menu else { return Html::default() };
    let (label, items) = match &menu.target {
        MenuTarget::Element(path) => element_menu(&hub, &props.view, path),
        MenuTarget::Machine(hostname) => {
            let mut items = Vec::new();
            if let Some(offers) = offers::of_machine(&props.view, hostname) {
                items = self::items(&hub, offers);
                items.push(MenuItem {
                    label: "Maintenance …".into(),
                    icon: "spanner",
                    note: None,
                    refused: None,
                    keys: None,
                    onpick: hub.act(Action::OpenDialog(Dialog::Maintenance(Some(hostname.clone())))),
                });
            }
            (hostname.to_string(), items)
        }
        MenuTarget::Task(id) => {
            let (name, offers) = offers::of_task(&props.view, id).unwrap_or_default();
            let mut items = items(&hub, offers);
            let step = tree::step_of_task(&props.view, &name);
            if step.is_some_and(|path| systems::object_of(&props.view, &path).is_some()) {
                let (hub, name) = (hub.clone(), name.clone());
                items.push(object_item(Callback::from(move |()| {
                    hub.send(Action::SelectTask(name.clone()));
                    hub.send(Action::ShowTab(Tab::Pods));
                })));
            }
            (name.to_string(), items)
        }
        MenuTarget::Pod(service, pod) => {
            (pod.to_string(), items(&hub, offers::of_pod(&props.view, service, pod)))
        }
    };
    let once = |item: MenuItem| {
        let (hub, menu, onpick) = (hub.clone(), menu.clone(), item.onpick);
        let onpick = Callback::from(move |()| {
            // The second of two clicks may come before the menu has left the page.
            if hub.state().ui.menu.as_ref() == Some(&menu) {
                onpick.emit(());
            }
        });
        MenuItem { onpick, ..item }
    };
    let items: Vec<_> = items.into_iter().map(once).collect();
    html! {
        <Popup {label} x={menu.x} y={menu.y} {items} onclose={hub.act(Action::CloseMenu)} />
    }
}

fn element_menu(hub: &Hub, view: &View, path: &ElementPath) -> (String, Vec<MenuItem>) {
    let mut items = items(hub, offers::of_element(view, path));
    items.push(MenuItem {
        label: "Why?".into(),
        icon: "question",
        note: None,
        refused: None,
        keys: Some("Enter"),
        onpick: hub.act(Action::ShowTab(Tab::Why)),
    });
    if systems::object_of(view, path).is_some() {
        items.push(object_item(hub.act(Action::ShowTab(Tab::Pods))));
    }
    items.extend(self::items(hub, offers::of_tasks(view, path)));
    (tree::called(view, path), items)
}

/// The entry that leads to the object of an element or a task.
fn object_item(onpick: Callback<()>) -> MenuItem {
    MenuItem {
        label: "Conditions, events and YAML".into(),
        icon: "list",
        note: None,
        refused: None,
        keys: None,
        onpick,
    }
}

/// Offers as menu entries.
fn items(hub: &Hub, offers: Vec<Offer>) -> Vec<MenuItem> {
    let item = |offer: Offer| MenuItem {
        label: offer.label,
        icon: offer.icon,
        note: offer.consequence,
        refused: offer.refused,
        keys: offer.keys,
        onpick: hub.act(offer.action),
    };
    offers.into_iter().map(item).collect()
}
