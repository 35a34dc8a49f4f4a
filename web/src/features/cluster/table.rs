//! The machines as a table: the same facts as the cards.

use crate::features::pods::menu_button;
use crate::store::ptr::Ptr;
use crate::store::selectors::cluster::{amount, count_down};
use crate::store::selectors::status::word;
use crate::store::state::MenuTarget;
use crate::store::use_hub;
use crate::ui::attr;
use planarium_protocol::view::ClusterView;
use yew::prelude::*;

#[derive(Properties, PartialEq)]
pub(super) struct MachineTableProps {
    /// The machines.
    pub(super) cluster: Ptr<ClusterView>,
    /// The cursor, while a machine is silent.
    pub(super) now_ms: u64,
}

const RESOURCES: [&str; 4] = ["cpus", "mem", "disk", "gpus"];

/// The table.
#[component]
pub(super) fn MachineTable(props: &MachineTableProps) -> Html {
    let hub = use_hub();
    let machines = &props.cluster.machines;
    let shown: Vec<_> = RESOURCES
        .into_iter()
        .filter(|name| machines.iter().any(|m| m.resources.iter().any(|r| &*r.name == *name && r.total > 0)))
        .collect();
    html! {
        <div class="table-scroll">
            <table class="machine-table">
                <thead>
                    <tr>
                        <th scope="col">{ "Machine" }</th>
                        <th scope="col">{ "State" }</th>
                        { for shown.iter().map(|name| html! { <th scope="col">{ format!("{name} used / reserved / total") }</th> }) }
                        <th scope="col">{ "Tasks" }</th>
                        <th scope="col"><span class="visually-hidden">{ "Actions" }</span></th>
                    </tr>
                </thead>
                <tbody>
                    { for machines.iter().map(|machine| html! {
                        <tr key={machine.hostname.to_string()}>
                            <th scope="row">{ &*machine.hostname }</th>
                            <td>
                                { &*machine.state }
                                { count_down(machine, props.now_ms).map(|text| format!(". {text}")).unwrap_or_default() }
                            </td>
                            { for shown.iter().map(|name| {
                                let found = machine.resources.iter().find(|r| &*r.name == *name);
                                let text = found.map_or_else(|| "–".to_owned(), |r| {
                                    format!("{} / {} / {}", amount(name, r.used), amount(name, r.reserved), amount(name, r.total))
                                });
                                html! { <td class="figure">{ text }</td> }
                            }) }
                            <td>
                                { machine.tasks.iter().map(|task| format!("{} ({})", task.name, word(&task.state))).collect::<Vec<_>>().join(", ") }
                            </td>
                            <td>{ menu_button(&hub, MenuTarget::Machine(attr(&machine.hostname)), &format!("Actions for {}", machine.hostname)) }</td>
                        </tr>
                    }) }
                </tbody>
            </table>
        </div>
    }
}
