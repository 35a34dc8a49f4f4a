//! The cluster: zones, machines, tasks, problems, and actions on them.

mod heat;
mod machine;
mod table;

use crate::store::ptr::Ptr;
use crate::store::selectors::cluster::{DENSE_ABOVE, count_down, groups};
use crate::store::selectors::offers::whole;
use crate::store::selectors::status::state;
use crate::store::selectors::time::clock;
use crate::store::selectors::tree;
use crate::store::state::Dialog;
use crate::store::{Action, use_hub};
use crate::ui::{Button, IconButton, icon, status_icon};
use machine::MachineCard;
use planarium_protocol::event::ElementPath;
use planarium_protocol::{Text, View};
use yew::prelude::*;

#[derive(Properties, PartialEq)]
pub(crate) struct ClusterPaneProps {
    /// The view.
    pub(crate) view: Ptr<View>,
    /// Selected element; its tasks are marked.
    pub(crate) selected: Option<ElementPath>,
    /// Selected task.
    pub(crate) task: Option<AttrValue>,
    /// As a table.
    pub(crate) table: bool,
    /// The cursor, while a machine is silent.
    pub(crate) now_ms: u64,
}

/// The pane.
#[component]
pub(crate) fn ClusterPane(props: &ClusterPaneProps) -> Html {
    let hub = use_hub();
    let cluster = &props.view.cluster;
    let dense = cluster.machines.len() > DENSE_ABOVE;
    let marked: Vec<Text> = match (&props.task, &props.selected) {
        (Some(task), _) => vec![task.as_str().into()],
        (None, Some(path)) => {
            tree::find_step(&props.view, path).map(|step| step.tasks.clone()).unwrap_or_default()
        }
        (None, None) => Vec::new(),
    };
    let groups = groups(cluster);
    let epoch_ms = props.view.clock.epoch_ms;
    html! {
        <div class="cluster" data-dense={dense.to_string()}>
            <div class="cluster-tools">
                <Button icon="plus" label="Add machines" onclick={hub.act(Action::OpenDialog(Dialog::AddMachine))} />
                <Button icon="lightning" label="Inject a failure" onclick={hub.act(Action::OpenDialog(Dialog::Fault))} />
                <Button icon="spanner" label="Maintenance" onclick={hub.act(Action::OpenDialog(Dialog::Maintenance(None)))} />
                <span class="grow"></span>
                <IconButton icon="table" label="Show as a table" pressed={props.table}
                    onclick={hub.act(Action::ToggleMachineTable)} />
            </div>
            if !props.view.faults.is_empty() {
                <section class="faults" aria-label="Failures in force">
                    { for props.view.faults.iter().map(|fault| html! {
                        <div class="fault" key={fault.id.to_string()}>
                            <span data-family="forced">{ icon("lightning") }</span>
                            <p>
                                { &*fault.text }
                                <span class="muted">
                                    { format!(" since {}", clock(fault.since_ms)) }
                                    { fault.until_ms.map(|until| format!(", until {}", clock(until))).unwrap_or_default() }
                                </span>
                            </p>
                            { for fault.actions.iter().map(whole).map(|offer| html! {
                                <Button label={offer.label} refused={offer.refused} onclick={hub.act(offer.action)} />
                            }) }
                        </div>
                    }) }
                </section>
            }
            if cluster.machines.is_empty() {
                <div class="empty">{ icon("machine") }<p>{ "There is no machine. Nothing can be launched." }</p></div>
            } else if props.table {
                <table::MachineTable cluster={Ptr::from(&props.view.cluster)} now_ms={props.now_ms} />
            } else {
                if dense {
                    <heat::Heat groups={groups.clone()} marked={marked.clone()} {epoch_ms} now_ms={props.now_ms} />
                }
                { groups.into_iter().filter(|_| !dense).map(|group| html! {
                    <section class="zone" key={group.zone.to_string()}>
                        if !group.zone.is_empty() { <h3>{ group.title() }</h3> }
                        <div class="machines">
                            { for group.machines.into_iter().map(|machine| {
                                let marked: Vec<Text> = machine.tasks.iter().map(|task| task.name.clone())
                                    .filter(|name| marked.contains(name)).collect();
                                let count_down = count_down(&machine, props.now_ms).map(AttrValue::from);
                                html! { <MachineCard key={machine.hostname.to_string()} machine={machine.clone()} {marked} dense=false {epoch_ms} {count_down} /> }
                            }) }
                        </div>
                    </section>
                }).collect::<Html>() }
                if !dense { <Legend /> }
            }
        </div>
    }
}

/// Legend of the bars' colours.
#[component]
fn Legend() -> Html {
    html! {
        <p class="legend">
            <span class="swatch" data-kind="used"></span>{ "used" }
            <span class="swatch" data-kind="reserved"></span>{ "reserved" }
            <span class="swatch"></span>{ "free" }
            <span class="legend-gap"></span>
            { status_icon(state("TASK_RUNNING")) }{ "running" }
            { status_icon(state("TASK_LOST")) }{ "lost" }
        </p>
    }
}
