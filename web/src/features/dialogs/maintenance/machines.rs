//! Each machine's mode, and the operator's actions on it. Refused actions stay, with the master's own reason.

use crate::store::ptr::Ptr;
use crate::store::selectors::maintenance::{action, away_words};
use crate::store::selectors::status::state;
use crate::store::{Action, Hub, use_hub};
use crate::ui::{attr, icon};
use planarium_protocol::view::{ActionView, ClusterView, MachineView, StatusClass};
use yew::prelude::*;

/// Rows at most; above that only machines that are not simply up.
const ROWS: usize = 40;

#[derive(Properties, PartialEq)]
pub(super) struct MachineModesProps {
    /// The machines.
    pub(super) cluster: Ptr<ClusterView>,
    /// Calendar time of the start of the run.
    pub(super) epoch_ms: u64,
}

const OPS: [(&str, &str); 5] = [
    ("down", "Start"),
    ("up", "Stop"),
    ("drain", "Drain"),
    ("deactivate", "Deactivate"),
    ("reactivate", "Reactivate"),
];

/// The table.
#[component]
pub(super) fn MachineModes(props: &MachineModesProps) -> Html {
    let hub = use_hub();
    let machines = &props.cluster.machines;
    let many = machines.len() > ROWS;
    let shown = machines
        .iter()
        .filter(|machine| !many || state(&machine.state).class != StatusClass::Running.as_str())
        .take(ROWS);
    html! {
        <section aria-labelledby="maintenance-machines">
            <h3 id="maintenance-machines">{ "Machines" }</h3>
            <p class="muted">
                { "Start begins the maintenance of a scheduled machine: the machine goes DOWN with everything that runs on it. Stop brings it back. Draining and deactivating act on the machine's agent." }
                if many { { format!(" {} machines: those that are not simply up are listed, {ROWS} at most.", machines.len()) } }
            </p>
            <div class="table-scroll" tabindex="0" role="group" aria-label="Machines and what can be done">
                <table class="machine-table maintenance-table">
                    <thead>
                        <tr>
                            <th scope="col">{ "Machine" }</th>
                            <th scope="col">{ "State" }</th>
                            <th scope="col">{ "Maintenance" }</th>
                            <th scope="col">{ "Its agent" }</th>
                        </tr>
                    </thead>
                    <tbody>{ for shown.map(|machine| row(&hub, machine, props.epoch_ms)) }</tbody>
                </table>
            </div>
        </section>
    }
}

fn row(hub: &Hub, machine: &MachineView, epoch_ms: u64) -> Html {
    let look = state(&machine.state);
    let (for_machine, for_agent) = OPS.split_at(2);
    let buttons = |ops: &'static [(&'static str, &'static str)]| {
        let found = ops.iter().filter_map(|(op, label)| Some((*label, action(machine, op)?)));
        found.map(|(label, action)| button(hub, label, &machine.hostname, action)).collect::<Html>()
    };
    html! {
        <tr key={machine.agent_id.to_string()}>
            <th scope="row">{ &*machine.hostname }</th>
            <td>
                <span class="chip" data-family={look.family}>{ icon(look.icon) }{ &*machine.state }</span>
                if let Some(away) = &machine.unavailability {
                    <span class="maintenance-away">{ away_words(away, epoch_ms) }</span>
                }
            </td>
            <td><div class="button-row">{ buttons(for_machine) }</div></td>
            <td><div class="button-row">{ buttons(for_agent) }</div></td>
        </tr>
    }
}

/// A refused one can be pressed all the same: the call is then made, and refused with the real message.
fn button(hub: &Hub, label: &str, host: &str, action: &ActionView) -> Html {
    let refused = action.refused.as_ref();
    let title = match refused {
        Some(reason) => format!("{}: {reason}", action.title),
        None => action.title.to_string(),
    };
    let name = match refused {
        Some(reason) => format!("{label} {host}: {reason}"),
        None => format!("{label} {host}"),
    };
    html! {
        <button type="button" class="button" aria-label={name} {title} data-refused={refused.is_some().to_string()}
            onclick={hub.act(Action::Do(Box::new(action.input.clone())))}>
            { attr(label) }
        </button>
    }
}
