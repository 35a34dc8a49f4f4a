//! The right-hand pane: why, cluster, pods, log, console.

use super::cluster::ClusterPane;
use super::compare::ComparePane;
use super::console::ConsolePane;
use super::event_log::LogPane;
use super::pods::PodsPane;
use super::waiting::{Waiting, use_arrivals};
use super::why::WhyPane;
use crate::pieces::{self, Piece};
use crate::store::console::Console;
use crate::store::events::EventLog;
use crate::store::ptr::Ptr;
use crate::store::state::{BranchTab, Compared, LogFilter, Story, Tab};
use crate::store::ways_out::WaysOut;
use crate::store::{Action, use_hub};
use crate::systems::{self, Selected};
use crate::ui::tabs::{TabItem, Tabs};
use planarium_protocol::event::ElementPath;
use planarium_protocol::{View, Why};
use yew::prelude::*;

/// Draws the tabs that are opened later.
pub(crate) struct Code {
    console: fn(&InspectorProps) -> Html,
    compare: fn(&InspectorProps) -> Html,
}

/// The code of these tabs.
pub(crate) static CODE: Code = Code {
    console: |props| html! { <ConsolePane view={props.view.clone()} console={props.console.clone()} /> },
    compare: |props| {
        html! {
            <ComparePane compared={props.compared.clone()} view={props.view.clone()} branches={props.branches.clone()}
                before={props.before} edited={props.edited} now_ms={props.now_ms} />
        }
    },
};

#[derive(Properties, PartialEq)]
pub(crate) struct InspectorProps {
    /// Which tab.
    pub(crate) tab: Tab,
    /// The tabs shown in a frame; `None` for all of them.
    pub(crate) only: Option<Vec<Tab>>,
    /// The view.
    pub(crate) view: Ptr<View>,
    /// Why the selected element is not moving.
    pub(crate) why: Option<Ptr<Why>>,
    /// Root causes of its wait, and ways out.
    pub(crate) help: Ptr<WaysOut>,
    /// Selected element.
    pub(crate) selected: Option<ElementPath>,
    /// Selected task.
    pub(crate) task: Option<AttrValue>,
    /// Machines as a table.
    pub(crate) machine_table: bool,
    /// Events.
    pub(crate) log: EventLog,
    /// Last event at the cursor.
    pub(crate) seq: u64,
    /// Which events.
    pub(crate) filter: LogFilter,
    /// The story.
    pub(crate) story: Ptr<Story>,
    /// The service's command line.
    pub(crate) console: Ptr<Console>,
    /// Another run on the same clock.
    pub(crate) compared: Option<Ptr<Compared>>,
    /// Branches.
    pub(crate) branches: Ptr<Vec<BranchTab>>,
    /// There is a run before this one.
    pub(crate) before: bool,
    /// The definition was edited and can be used.
    pub(crate) edited: bool,
    /// The cursor, while it matters.
    pub(crate) now_ms: u64,
}

const TABS: [Tab; 6] = [Tab::Why, Tab::Cluster, Tab::Pods, Tab::Log, Tab::Console, Tab::Compare];

/// The pane.
#[component]
pub(crate) fn Inspector(props: &InspectorProps) -> Html {
    let hub = use_hub();
    use_arrivals();
    let faults = props.view.faults.len();
    // It takes a second run.
    let comparable = props.branches.len() > 1 || props.before || props.edited || props.compared.is_some();
    let is_shown = |tab: &Tab| match &props.only {
        Some(only) => only.contains(tab),
        None => *tab != Tab::Compare || comparable || props.tab == Tab::Compare,
    };
    let tabs: Vec<Tab> = TABS.into_iter().filter(is_shown).collect();
    let items: Vec<TabItem> = tabs
        .iter()
        .map(|tab| {
            let label = if *tab == Tab::Pods { systems::pods(&props.view) } else { name(*tab) };
            let item = TabItem::new(label).icon(icon_of(*tab));
            if *tab == Tab::Cluster { item.count(faults, "forced") } else { item }
        })
        .collect();
    let current = tabs.iter().position(|tab| *tab == props.tab).unwrap_or(0);
    let onpick = hub.on(move |at: usize| Action::ShowTab(tabs.get(at).copied().unwrap_or_default()));
    html! {
        <div class="inspector">
            <div class="inspector-head">
                <Tabs label="Inspector" id="inspector" {items} {current} {onpick} />
            </div>
            <div class="inspector-panel" id="inspector-panel" role="tabpanel" tabindex="0"
                aria-labelledby={format!("inspector-{current}")}>
                <h2 class="visually-hidden">{ name(props.tab) }</h2>
                { match props.tab {
                    Tab::Why => html! {
                        <WhyPane view={props.view.clone()} why={props.why.clone()} selected={props.selected.clone()}
                            help={props.help.clone()} log={props.log.clone()} seq={props.seq} story={props.story.clone()} />
                    },
                    Tab::Cluster => html! {
                        <>
                            <h3 class="visually-hidden">{ "Machines" }</h3>
                            <ClusterPane view={props.view.clone()} selected={props.selected.clone()}
                                task={props.task.clone()} table={props.machine_table} now_ms={props.now_ms} />
                        </>
                    },
                    Tab::Pods => html! {
                        <ContextProvider<Selected> context={Selected(props.selected.clone())}>
                            <PodsPane view={props.view.clone()} task={props.task.clone()} />
                        </ContextProvider<Selected>>
                    },
                    Tab::Log => html! {
                        <LogPane log={props.log.clone()} seq={props.seq} filter={props.filter.clone()} />
                    },
                    Tab::Compare => later(|code| (code.compare)(props)),
                    Tab::Console => later(|code| (code.console)(props)),
                } }
            </div>
        </div>
    }
}

/// A tab whose code comes later.
fn later(draw: impl FnOnce(&Code) -> Html) -> Html {
    pieces::tabs().map_or_else(|| html! { <Waiting piece={Piece::Tabs} /> }, draw)
}

/// Returns the label of a tab.
fn name(tab: Tab) -> &'static str {
    match tab {
        Tab::Why => "Why",
        Tab::Cluster => "Cluster",
        Tab::Log => "Log",
        Tab::Pods => "Pods",
        Tab::Console => "Console",
        Tab::Compare => "Compare",
    }
}

fn icon_of(tab: Tab) -> &'static str {
    match tab {
        Tab::Why => "question",
        Tab::Cluster => "machine",
        Tab::Log => "list",
        Tab::Pods => "pod",
        Tab::Console => "console",
        Tab::Compare => "compare",
    }
}
