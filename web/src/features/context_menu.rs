//! The menu of what can be done to an element, a machine, a task or a pod. What is not allowed stays, with the reason.

use super::why::start_dialog;
use crate::store::ptr::Ptr;
use crate::store::selectors::palette::{op_words, plan_command};
use crate::store::selectors::{cluster, tree};
use crate::store::state::{Dialog, Menu, MenuTarget, Tab};
use crate::store::{Action, Hub, use_hub};
use crate::ui::attr;
use crate::ui::menu::{MenuItem, Popup};
use planarium_protocol::View;
use planarium_protocol::event::ElementPath;
use planarium_protocol::input::{Input, PlanOp, PodCommand, PodOp};
use planarium_protocol::view::ActionView;
use std::collections::BTreeMap;
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
            let machine = cluster::machine(&props.view, hostname);
            let mut items = machine.map(|machine| action_items(&hub, &machine.actions)).unwrap_or_default();
            if machine.is_some() {
                items.push(MenuItem {
                    label: "Maintenance …".into(),
                    icon: "spanner",
                    refused: None,
                    keys: None,
                    onpick: hub.act(Action::OpenDialog(Dialog::Maintenance(Some(hostname.clone())))),
                });
            }
            (hostname.to_string(), items)
        }
        MenuTarget::Task(id) => {
            let task = cluster::task(&props.view, id).map(|(_, task)| task);
            let name = task.map(|task| task.name.to_string()).unwrap_or_default();
            (name, task.map(|task| action_items(&hub, &task.actions)).unwrap_or_default())
        }
        MenuTarget::Pod(service, pod) => (pod.to_string(), pod_items(&hub, service, pod)),
    };
    let once = |item: MenuItem| {
        let (hub, menu, onpick) = (hub.clone(), menu.clone(), item.onpick);
        let onpick = Callback::from(move |()| {
            // Of two clicks the second may come before the menu is gone from the page.
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
    let mut items = command_items(hub, view, path);
    items.push(MenuItem {
        label: "Why?".into(),
        icon: "question",
        refused: None,
        keys: Some("Enter"),
        onpick: hub.act(Action::ShowTab(Tab::Why)),
    });
    if let Some(step) = tree::find_step(view, path) {
        for (task, action) in cluster::task_actions(view, &step.tasks) {
            items.push(MenuItem {
                label: format!("{}: {}", task.name, action.title).into(),
                icon: "lightning",
                refused: action.refused.as_ref().map(|reason| attr(reason)),
                keys: None,
                onpick: hub.act(Action::Do(Box::new(action.input.clone()))),
            });
        }
    }
    (tree::title(path), items)
}

/// The plan commands of an element.
pub(crate) fn command_items(hub: &Hub, view: &View, path: &ElementPath) -> Vec<MenuItem> {
    let Some(summary) = tree::summary(view, path) else { return Vec::new() };
    summary
        .commands
        .iter()
        .map(|command| {
            let action = if command.op == PlanOp::Start {
                start_dialog(path)
            } else {
                Action::Do(Box::new(plan_command(path, command.op, BTreeMap::new())))
            };
            let (label, icon, keys) = op_words(command.op);
            MenuItem {
                label: label.into(),
                icon,
                refused: command.refused.as_ref().map(|reason| attr(reason)),
                keys,
                onpick: hub.act(action),
            }
        })
        .collect()
}

/// Actions as menu entries.
pub(crate) fn action_items(hub: &Hub, actions: &[ActionView]) -> Vec<MenuItem> {
    let item = |action: &ActionView| MenuItem {
        label: attr(&action.title),
        icon: if matches!(action.input, Input::Maintenance(_)) { "spanner" } else { "lightning" },
        refused: action.refused.as_ref().map(|reason| attr(reason)),
        keys: None,
        onpick: hub.act(Action::Do(Box::new(action.input.clone()))),
    };
    actions.iter().map(item).collect()
}

fn pod_items(hub: &Hub, service: &AttrValue, pod: &AttrValue) -> Vec<MenuItem> {
    let ops = [
        (PodOp::Restart, "Restart in place", "restart"),
        (PodOp::Replace, "Replace: launch anywhere", "machine"),
        (PodOp::Pause, "Pause", "waiting"),
        (PodOp::Resume, "Resume", "play"),
    ];
    let item = |(op, label, icon): (PodOp, &'static str, &'static str)| {
        let command = PodCommand {
            dialect: String::new(),
            service: service.to_string(),
            pod: pod.to_string(),
            op,
            tasks: Vec::new(),
        };
        MenuItem {
            label: label.into(),
            icon,
            refused: None,
            keys: None,
            onpick: hub.act(Action::Do(Box::new(Input::Pod(command)))),
        }
    };
    ops.into_iter().map(item).collect()
}
