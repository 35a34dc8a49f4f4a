//! Very many machines at once: one cell for each, darker with more load, and the card of the selected one.

use super::machine::MachineCard;
use crate::store::ptr::Ptr;
use crate::store::selectors::cluster::{Group, count_down, fullness};
use crate::store::selectors::status::state;
use crate::ui::IconButton;
use planarium_protocol::Text;
use planarium_protocol::view::{MachineView, StatusClass};
use yew::prelude::*;

#[derive(Properties, PartialEq)]
pub(super) struct HeatProps {
    /// The machines.
    pub(super) groups: Vec<Group>,
    /// Tasks whose machines are marked.
    pub(super) marked: Vec<Text>,
    /// Calendar time of the start of the run.
    pub(super) epoch_ms: u64,
    /// The cursor, while a machine is silent.
    pub(super) now_ms: u64,
}

/// The grid.
#[component]
pub(super) fn Heat(props: &HeatProps) -> Html {
    let chosen = use_state_eq(|| None::<Text>);
    let wide = use_state_eq(|| false);
    let all: Vec<&Ptr<MachineView>> = props.groups.iter().flat_map(|group| &group.machines).collect();
    let at = all.iter().position(|machine| Some(&machine.hostname) == (*chosen).as_ref());
    let names: Vec<Text> = all.iter().map(|machine| machine.hostname.clone()).collect();
    let onkeydown = {
        let (names, chosen) = (names.clone(), chosen.clone());
        Callback::from(move |event: KeyboardEvent| {
            let next = match event.key().as_str() {
                "ArrowRight" | "ArrowDown" => at.map_or(0, |at| at + 1),
                "ArrowLeft" | "ArrowUp" => at.unwrap_or(0).saturating_sub(1),
                "Home" => 0,
                "End" => names.len().saturating_sub(1),
                _ => return,
            };
            event.prevent_default();
            event.stop_propagation();
            if let Some(name) = names.get(next) {
                chosen.set(Some(name.clone()));
            }
        })
    };
    let size = match all.len() {
        0..=100 => "large",
        101..=250 => "middle",
        _ => "small",
    };
    let toggle = {
        let wide = wide.clone();
        Callback::from(move |_| wide.set(!*wide))
    };
    let card = at.and_then(|at| all.get(at)).map(|machine| (*machine).clone());
    html! {
        <div class="heat" data-wide={wide.to_string()} data-size={size}>
            <header>
                <p class="legend">
                    { format!("{} machines, by how much is used of their scarcest resource:", all.len()) }
                    { for (0..=4).map(|level: u32| html! { <span class="heat-cell" data-heat={level.to_string()}></span> }) }
                    { "none to all" }
                    <span class="heat-cell" data-up="false"></span>{ "not up" }
                </p>
                <IconButton icon={if *wide { "close" } else { "zoom-all" }} label="Full width" pressed={*wide} onclick={toggle} />
            </header>
            <div class="heat-cells" role="listbox" aria-label="Machines" tabindex="0" {onkeydown}
                aria-activedescendant={at.map(|at| format!("cell-{at}"))}>
                { for props.groups.iter().scan(0, |first, group| {
                    let from = *first;
                    *first += group.machines.len();
                    Some((from, group))
                }).map(|(from, group)| html! {
                    <div class="heat-group" role="group" aria-label={group.title()} key={group.title()}>
                        if !group.zone.is_empty() { <span class="heat-title" aria-hidden="true">{ group.title() }</span> }
                        { for group.machines.iter().zip(from..).map(|(machine, place)| {
                            let marked = machine.tasks.iter().any(|task| props.marked.contains(&task.name));
                            cell(machine, place, at == Some(place), marked, &chosen)
                        }) }
                    </div>
                }) }
            </div>
            if let Some(machine) = card {
                <MachineCard count_down={count_down(&machine, props.now_ms).map(AttrValue::from)} {machine} marked={props.marked.clone()} dense=false epoch_ms={props.epoch_ms} />
            }
        </div>
    }
}

fn cell(
    machine: &Ptr<MachineView>,
    place: usize,
    chosen: bool,
    marked: bool,
    set: &UseStateHandle<Option<Text>>,
) -> Html {
    let full = fullness(machine);
    let up = state(&machine.state).class == StatusClass::Running.as_str();
    let heat = if full == 0 { 0 } else { 1 + (full - 1).min(99) / 34 + u32::from(full >= 95) };
    let onclick = {
        let (set, name) = (set.setter(), machine.hostname.clone());
        Callback::from(move |_: MouseEvent| set.set(Some(name.clone())))
    };
    let text =
        format!("{}: {full} % used, {} tasks, {}", machine.hostname, machine.tasks.len(), machine.state);
    html! {
        <div id={format!("cell-{place}")} class="heat-cell" role="option" aria-selected={chosen.to_string()} aria-label={text.clone()} title={text}
            data-heat={heat.to_string()} data-up={up.to_string()} data-marked={marked.to_string()} {onclick}></div>
    }
}
