//! The plan tree: a treegrid over plans, phases and steps.
//!
//! *Knows*: rows from the selectors, the keyboard model of a treegrid. *Must not know*: the meaning of a status.

mod keyboard;
mod row;

use super::waiting::use_arrivals;
use crate::store::ptr::Ptr;
use crate::store::selectors::levels::{Level, to_level};
use crate::store::selectors::stuck;
use crate::store::selectors::tree::{self, Shape};
use crate::store::ways_out::WaysOut;
use crate::store::{Action, use_hub};
use crate::systems::{self, Selected};
use crate::ui::spacer::Spacer;
use crate::ui::virtual_list::use_slice;
use crate::ui::{Button, IconButton, icon};
use planarium_kernel::SortedSet;
use planarium_protocol::event::ElementPath;
use planarium_protocol::view::ServiceView;
use planarium_protocol::{View, Why};
use row::TreeRow;
use std::sync::Arc;
use web_sys::{HtmlInputElement, HtmlSelectElement};
use yew::prelude::*;

#[derive(Properties, PartialEq)]
pub(crate) struct TreePaneProps {
    /// The view.
    pub(crate) view: Ptr<View>,
    /// Plans as they would be, while nothing runs.
    pub(crate) preview: Option<Arc<ServiceView>>,
    /// Selected element.
    pub(crate) selected: Option<ElementPath>,
    /// Element the caret is in.
    pub(crate) linked: Option<ElementPath>,
    /// Element whose menu is open.
    pub(crate) menu: Option<ElementPath>,
    /// Rows not in their default state.
    pub(crate) toggled: Ptr<SortedSet<ElementPath>>,
    /// Text that steps must contain.
    pub(crate) filter: AttrValue,
    /// Virtual time in seconds.
    pub(crate) now_s: u64,
    /// Errors in the definition.
    pub(crate) errors: usize,
    /// Variables without a value.
    pub(crate) missing: usize,
    /// Something has happened in the world shown.
    pub(crate) touched: bool,
    /// Rows or drawings; `None` if not chosen.
    pub(crate) as_rows: Option<bool>,
    /// Stuck elements, and ways out.
    pub(crate) help: Ptr<WaysOut>,
    /// Why the selected element is not moving.
    pub(crate) why: Option<Ptr<Why>>,
}

/// The tree with its head.
#[component]
pub(crate) fn TreePane(props: &TreePaneProps) -> Html {
    let hub = use_hub();
    use_arrivals();
    let services = shown(props.preview.as_ref(), &props.view);
    let shape = Shape { toggled: props.toggled.clone(), filter: props.filter.to_string() };
    let scroller = use_node_ref();
    let total = tree::window(&services, &shape, 0, 0).total;
    let (slice, onscroll) = use_slice(&scroller, total, 34);
    let window = tree::window(&services, &shape, slice.start, slice.take);
    let cell = use_state_eq(|| None::<usize>);
    keyboard::use_focus(&scroller, &props.selected, *cell, slice.row_px, &services, &shape);
    let onkeydown = keyboard::handler(&hub, &cell);

    let activity = services.first().map_or_else(|| "".into(), |service| Arc::clone(&service.activity));
    let name = services.first().map_or_else(|| "".into(), |service| Arc::clone(&service.name));
    let oninput = hub.on(|event: InputEvent| {
        let text = event.target_dyn_into::<HtmlInputElement>().map(|input| input.value()).unwrap_or_default();
        Action::FilterRows(text.into())
    });
    let selected_name: AttrValue = props
        .selected
        .as_ref()
        .and_then(|path| {
            tree::summary(&props.view, path).map(|found| found.name).or(Some(tree::leaf(path).clone()))
        })
        .map(|name| name.to_string().into())
        .unwrap_or_default();
    let onlevel = {
        let (hub, services, shape) = (hub.clone(), services.clone(), shape.clone());
        Callback::from(move |event: Event| {
            let Some(select) = event.target_dyn_into::<HtmlSelectElement>() else { return };
            if let Some((level, _)) = Level::ALL.iter().find(|(_, word)| *word == select.value()) {
                hub.send(Action::ToggleMany(to_level(&services, &shape, *level)));
            }
            // It is a menu: the same level can be asked for again.
            select.set_value("");
        })
    };
    let active = active_row(&window.rows, props.selected.as_ref());
    let drawings = systems::drawings(&services);
    let has_drawing = drawings.is_some();
    // Where every service has a drawing, that is the picture of its plan; rows are a click away.
    let drawn = drawings.filter(|(_, whole)| !props.as_rows.unwrap_or(!whole)).map(|(drawings, _)| drawings);
    let heading = match &services[..] {
        [service] => {
            html! { <><span class="heading-lead">{ systems::heading(service) }</span>{ name.clone() }</> }
        }
        _ => html! { "Plans" },
    };
    // Where rows come and go with scrolling, columns keep their places.
    let room = if window.rows.len() == total { row::room(&window.rows) } else { None };
    let status_room = row::status_room(&window.rows);
    html! {
        <div class="tree-pane" data-names={room} data-statuses={status_room}>
            <div class="pane-head">
                <h2>{ heading }</h2>
                if !activity.is_empty() { <span class="activity" title={activity.to_string()}>{ &*activity }</span> }
                <span class="grow"></span>
                if drawn.is_none() {
                    <label class="search">
                        { icon("search") }
                        <span class="visually-hidden">{ "Filter steps" }</span>
                        <input id="row-filter" type="search" placeholder="Filter" value={hub.state().ui.row_filter.clone()} {oninput} />
                    </label>
                    <label class="levels">
                        <span class="visually-hidden">{ "Show rows down to" }</span>
                        <select onchange={onlevel}>
                            <option value="" selected=true>{ "Levels" }</option>
                            { for Level::ALL.iter().map(|(_, word)| html! { <option value={*word}>{ *word }</option> }) }
                        </select>
                    </label>
                }
                if has_drawing {
                    <div class="looks" role="group" aria-label="Show the plan as">
                        { for [("Drawing", "branch", false), ("Rows", "tree", true)].into_iter().map(|(label, icon, rows)| html! {
                            <IconButton {icon} {label} pressed={rows == drawn.is_none()} onclick={hub.act(Action::ShowRows(rows))} />
                        }) }
                    </div>
                }
                <IconButton icon="copy" label="Copy the tree as text" onclick={copy_tree(&hub, &services)} />
            </div>
            if services.is_empty() {
                <Empty errors={props.errors} missing={props.missing} touched={props.touched} />
            } else if let Some(drawn) = drawn {
                <div class="drawings" id="plan-tree">
                    <ContextProvider<Selected> context={Selected(props.selected.clone())}>{ drawn }</ContextProvider<Selected>>
                </div>
            } else {
                <div class="tree-head" aria-hidden="true">
                    <span>{ "Name" }</span><span>{ "Status" }</span><span title="Steps done">{ "Done" }</span><span>{ "Reason" }</span>
                </div>
                <div
                    ref={scroller}
                    id="plan-tree"
                    class="tree"
                    role="treegrid"
                    aria-label="Plans, phases and steps"
                    aria-rowcount={total.to_string()}
                    {onscroll}
                    {onkeydown}
                >
                    if slice.start > 0 { <Spacer px={slice.above()} /> }
                    { window.rows.iter().enumerate().map(|(at, row)| {
                        let selected = props.selected.as_ref() == Some(&row.path);
                        html! {
                            <TreeRow
                                key={row.key.clone()}
                                row={row.clone()}
                                index={slice.start + at}
                                {selected}
                                linked={props.linked.as_ref() == Some(&row.path)}
                                menu={props.menu.as_ref() == Some(&row.path)}
                                tabbable={active == Some(at)}
                                cell={if selected { *cell } else { None }}
                                stuck={stuck::chip(&props.help, row)}
                                elapsed={row::elapsed(row, props.now_s)}
                            />
                        }
                    }).collect::<Html>() }
                    if slice.below(total) > 0 { <Spacer px={slice.below(total)} /> }
                    if total == 0 { <p class="empty-line">{ "No step matches the filter." }</p> }
                </div>
            }
            if let Some(below) = systems::below(&services, props.selected.as_ref()) {
                <div class="tree-below" tabindex="0" role="group" aria-label="In brief">{ below }</div>
            }
            { systems::fetching(&services).unwrap_or_default() }
            <SelectedBar why={props.why.clone()} selected={props.selected.clone()} name={selected_name} />
        </div>
    }
}

/// The services whose plans are shown.
fn shown(preview: Option<&Arc<ServiceView>>, view: &View) -> Vec<Arc<ServiceView>> {
    match preview {
        Some(preview) => vec![Arc::clone(preview)],
        None => view.services.clone(),
    }
}

/// The row that has the tab stop: the selected one, or the first one shown.
fn active_row(rows: &[tree::Row], selected: Option<&ElementPath>) -> Option<usize> {
    let chosen = selected.and_then(|path| rows.iter().position(|row| row.path == *path));
    chosen.or((!rows.is_empty()).then_some(0))
}

/// The plans of services as aligned text.
fn tree_text(services: &[Arc<ServiceView>]) -> String {
    let plans = services.iter().flat_map(|service| &service.plans);
    plans.map(|plan| planarium_protocol::view::plan_tree(plan)).collect::<Vec<_>>().join("\n")
}

fn copy_tree(hub: &crate::store::Hub, services: &[Arc<ServiceView>]) -> Callback<MouseEvent> {
    let (hub, services) = (hub.clone(), services.to_vec());
    Callback::from(move |_| {
        let hub = hub.clone();
        crate::browser::copy(&tree_text(&services), move |done| {
            hub.send(Action::Say(
                if done { "Copied the tree as text." } else { "The browser refused to copy." }.into(),
            ));
        });
    })
}

#[derive(Properties, PartialEq)]
struct EmptyProps {
    errors: usize,
    missing: usize,
    touched: bool,
}

/// There is nothing to show.
#[component]
fn Empty(props: &EmptyProps) -> Html {
    use crate::store::state::{Dialog, EditTab, Pane};
    let hub = use_hub();
    let unset = props.errors > 0 && props.missing > 0;
    let text = if unset {
        "The definition is a template: variables of it have no value yet, and some of them are needed."
    } else if props.errors > 0 {
        "The definition cannot be used yet. The list under the editor says what is wrong and where."
    } else if props.touched {
        "No service is installed at this moment. Move the clock to see what was, or open a definition."
    } else {
        "No service is loaded. Open an example, drop a file or a package folder anywhere on the page, or paste a definition."
    };
    html! {
        <div class="empty" id="plan-tree">
            { icon("tree") }
            <p>{ text }</p>
            <div class="button-row">
                if unset {
                    <Button label="Give them values" icon="edit" look="primary" onclick={
                        let hub = hub.clone();
                        Callback::from(move |_| {
                            hub.send(Action::ShowPane(Pane::Edit));
                            hub.send(Action::ShowEditTab(EditTab::Env));
                            crate::browser::focus_soon(".env-table input");
                        })
                    } />
                }
                <Button label="Examples" look={if unset { "" } else { "primary" }} onclick={hub.act(Action::OpenDialog(Dialog::Gallery))} />
                <Button label="Open or paste" onclick={hub.act(Action::OpenDialog(Dialog::Open))} />
            </div>
        </div>
    }
}

#[derive(Properties, PartialEq)]
struct SelectedBarProps {
    why: Option<Ptr<Why>>,
    selected: Option<ElementPath>,
    name: AttrValue,
}

/// On a small screen: the selected element, and the way to its explanation.
#[component]
fn SelectedBar(props: &SelectedBarProps) -> Html {
    use crate::store::state::Tab;
    let hub = use_hub();
    if props.selected.as_ref().is_none_or(|path| path.plan.is_empty()) {
        return Html::default();
    }
    html! {
        <div class="selected-bar">
            <p>
                <strong>{ props.name.clone() }</strong>
                if let Some(why) = &props.why { <span>{ &why.sentence }</span> }
            </p>
            <Button label="Why?" look="primary" onclick={hub.act(Action::ShowTab(Tab::Why))} />
        </div>
    }
}
