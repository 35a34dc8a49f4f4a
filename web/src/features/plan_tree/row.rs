//! One row of the plan tree.

use crate::store::selectors::status::system;
use crate::store::selectors::stuck::Chip;
use crate::store::selectors::time::short;
use crate::store::selectors::tree::{Node, Rail, Row, name, step_name};
use crate::store::state::MenuTarget;
use crate::store::{Action, Hub, use_hub};
use crate::ui::bar::{Part, bar, share};
use crate::ui::{Badge, attr, icon};
use planarium_protocol::view::{Progress, StatusClass};
use web_sys::{Element, HtmlElement};
use yew::prelude::*;

#[derive(Properties, PartialEq)]
pub(super) struct TreeRowProps {
    /// The row.
    pub(super) row: Row,
    /// Position among all rows from 0.
    pub(super) index: usize,
    /// Selected.
    pub(super) selected: bool,
    /// The caret of the editor is in its part of the definition.
    pub(super) linked: bool,
    /// Its menu is open.
    pub(super) menu: bool,
    /// Has the tree's tab stop.
    pub(super) tabbable: bool,
    /// Cell that has the focus.
    pub(super) cell: Option<usize>,
    /// It never moves without an input.
    pub(super) stuck: Option<Chip>,
    /// Time in a moving status.
    pub(super) elapsed: Option<u64>,
}

/// Returns a step's time in its status in seconds, for statuses that end without an input.
pub(super) fn elapsed(row: &Row, now_s: u64) -> Option<u64> {
    match &row.node {
        Node::Step(step) if row.word.is_some_and(|word| word.class.is_active()) => {
            Some(now_s.saturating_sub(step.since_ms / 1000))
        }
        _ => None,
    }
}

/// The row: name, status, progress, reason, and the way to its commands.
#[component]
pub(super) fn TreeRow(props: &TreeRowProps) -> Html {
    let hub = use_hub();
    let row = &props.row;
    let path = &row.path;
    let toggle = {
        let (hub, path) = (hub.clone(), path.clone());
        Callback::from(move |event: MouseEvent| {
            event.stop_propagation();
            hub.send(Action::Toggle(path.clone()));
        })
    };
    let onclick = {
        let (hub, path) = (hub.clone(), path.clone());
        Callback::from(move |event: MouseEvent| {
            focus_row(&event);
            hub.send(Action::Select(path.clone()));
        })
    };
    let menu_at = {
        let (hub, path) = (hub.clone(), path.clone());
        move |x, y| {
            hub.send(Action::Select(path.clone()));
            hub.send(Action::OpenMenu(MenuTarget::Element(path.clone()), x, y));
        }
    };
    let oncontextmenu = {
        let menu_at = menu_at.clone();
        Callback::from(move |event: MouseEvent| {
            event.prevent_default();
            menu_at(event.client_x(), event.client_y());
        })
    };
    let onmenu = Callback::from(move |event: MouseEvent| {
        event.stop_propagation();
        let Some(button) = event.target_dyn_into::<Element>() else { return };
        let button = button.closest("button").ok().flatten().unwrap_or(button);
        let place = button.get_bounding_client_rect();
        #[expect(clippy::cast_possible_truncation, reason = "pixels on a screen")]
        menu_at(place.left() as i32, place.bottom() as i32);
    });
    let facts = Facts::of(row);
    let cell = |at: usize| (props.cell == Some(at)).then_some("true");
    html! {
        <div
            class="row"
            role="row"
            data-row={props.index.to_string()}
            data-kind={facts.kind}
            data-linked={props.linked.to_string()}
            data-status={facts.status.clone()}
            data-class={row.word.map(|word| word.class.as_str())}
            aria-level={row.level.to_string()}
            aria-posinset={row.pos.to_string()}
            aria-setsize={row.set.to_string()}
            aria-rowindex={(props.index + 1).to_string()}
            aria-expanded={row.open.map(|open| open.to_string())}
            aria-selected={props.selected.to_string()}
            tabindex={if props.tabbable && props.cell.is_none() { "0" } else { "-1" }}
            {onclick}
            {oncontextmenu}
        >
            <span class="cell cell-name" role="gridcell" tabindex="-1" data-focus={cell(0)}>
                { indent(row) }
                if let Some(open) = row.open {
                    <span class="disclosure" data-open={open.to_string()} onclick={toggle} aria-hidden="true">{ icon("chevron-right") }</span>
                } else {
                    <span class="leaf" data-level={row.level.to_string()}></span>
                }
                if row.gate {
                    <span class="gate" title="A canary gate: continue lets work go on">{ icon("gate") }<span class="visually-hidden">{ "canary gate before" }</span></span>
                }
                { shown_name(name(row), &facts.title) }
                <span class="chips">
                    if !facts.strategy.is_empty() { { chip(&facts.strategy, None) } }
                    if facts.gates > 0 {
                        <span class="chip" data-family="waiting" title={format!("{} to continue", facts.gates)}>
                            { icon("gate") }<span class="chip-text">{ format!("{} to continue", facts.gates) }</span>
                        </span>
                    }
                    if facts.held { { chip("held", Some("waiting")) } }
                </span>
            </span>
            <span class="cell cell-status" role="gridcell" tabindex="-1" data-focus={cell(1)}>
                if let Some(word) = row.word { <Badge status={facts.status.clone()} {word} forced={facts.forced} /> }
            </span>
            <span class="cell cell-progress" role="gridcell" tabindex="-1" data-focus={cell(2)}>
                { progress(facts.progress) }
            </span>
            <span class="cell cell-reason" role="gridcell" tabindex="-1" data-focus={cell(3)} title={facts.reason.clone()}>
                if let Some(chip) = &props.stuck { { stuck(&hub, chip) } }
                { facts.reason.clone() }
                if let Some(seconds) = props.elapsed.filter(|seconds| *seconds > 0) {
                    <span class="since" title="In this status for so long, in virtual time">
                        { format!("{}{}", if facts.reason.is_empty() { "for " } else { ", for " }, short(seconds * 1000)) }
                    </span>
                }
            </span>
            <span class="cell cell-actions" role="gridcell" tabindex="-1" data-focus={cell(4)}>
                if facts.commands {
                    <button
                        type="button"
                        class="icon-button row-menu"
                        tabindex="-1"
                        aria-label={format!("Commands for {}", name(row))}
                        aria-haspopup="menu"
                        aria-expanded={props.menu.to_string()}
                        title="Commands (Shift-F10)"
                        onclick={onmenu}
                    >
                        { icon("dots") }
                    </button>
                }
            </span>
        </div>
    }
}

/// Names longer than this are cut in the middle if there is no room. *Units*: characters.
const LONG: usize = 28;
/// Characters at the end of a long name that are always shown.
const TAIL: usize = 9;

/// The name of a row. Its end is kept, since it contains an index or a task's name.
fn shown_name(name: &str, title: &AttrValue) -> Html {
    let chars = name.chars().count();
    let cut = name.char_indices().nth(chars.saturating_sub(TAIL)).map(|(at, _)| at);
    let Some((head, tail)) = cut.filter(|_| chars > LONG).and_then(|at| name.split_at_checked(at)) else {
        return html! { <span class="name" title={title.clone()}>{ name.to_owned() }</span> };
    };
    html! {
        <span class="name" data-long="true" title={title.clone()}>
            <span class="name-head">{ head.to_owned() }</span><span class="name-tail">{ tail.to_owned() }</span>
        </span>
    }
}

fn chip(text: &str, family: Option<&'static str>) -> Html {
    html! {
        <span class="chip" data-family={family} title={text.to_owned()}><span class="chip-text">{ text.to_owned() }</span></span>
    }
}

/// The chip of an element that never moves without an input, with the way out of a single click.
fn stuck(hub: &Hub, chip: &Chip) -> Html {
    html! {
        <span class="stuck-row">
            <span class="chip" data-family="waiting" title={chip.cause.clone()}>
                { "stuck" }<span class="visually-hidden">{ format!(" because: {}", chip.cause) }</span>
            </span>
            if let Some((title, input)) = chip.way.clone() {
                <button type="button" class="stuck-way" tabindex="-1" title={title.clone()} onclick={
                    let hub = hub.clone();
                    Callback::from(move |event: MouseEvent| {
                        event.stop_propagation();
                        hub.send(Action::Do(Box::new(input.clone())));
                    })
                }>{ icon("unblock") }<span>{ title }</span></button>
            }
        </span>
    }
}

/// A click lands on the row, not on the cell under the pointer.
fn focus_row(event: &MouseEvent) {
    use wasm_bindgen::JsCast;
    let target = event.target_dyn_into::<Element>();
    let row = target.and_then(|target| target.closest("[role=row]").ok().flatten());
    if let Some(row) = row.and_then(|row| row.dyn_into::<HtmlElement>().ok()) {
        let _ = row.focus();
    }
}

fn rail_word(rail: Rail) -> &'static str {
    match rail {
        Rail::None => "none",
        Rail::Serial => "serial",
        Rail::Parallel => "parallel",
    }
}

/// One column per level: the row's own line with its elbow, and its parents' lines where they continue.
fn indent(row: &Row) -> Html {
    html! {
        <>
            { for (1..row.level).map(|level| {
                let own = level + 1 == row.level;
                let rail = match () {
                    () if own => row.rail,
                    () if level + 2 == row.level => row.through,
                    () => Rail::None,
                };
                html! {
                    <span
                        class="rail"
                        data-rail={rail_word(rail)}
                        data-own={own.to_string()}
                        data-last={(own && row.pos == row.set).to_string()}
                        aria-hidden="true"
                    />
                }
            }) }
        </>
    }
}

fn progress(progress: Option<Progress>) -> Html {
    let Some(Progress { done, total }) = progress else { return Html::default() };
    if total == 0 {
        return html! { <span class="muted">{ "no steps" }</span> };
    }
    let part = Part { share: share(i64::from(done), i64::from(total)), kind: "done" };
    html! { <><span class="figure">{ format!("{done}/{total}") }</span>{ bar(&[part]) }</> }
}

/// Room for names, with their lines and chips, in steps: what they leave is for reasons. None where they need what there is. *Units*: pixels.
pub(super) fn room(rows: &[Row]) -> Option<&'static str> {
    let widest = rows.iter().map(name_px).max()?;
    match widest {
        0..=120 => Some("120"),
        121..=170 => Some("170"),
        171..=215 => Some("215"),
        _ => None,
    }
}

/// Room for status words, in steps; `None` if the usual column has enough. *Units*: pixels.
pub(super) fn status_room(rows: &[Row]) -> Option<&'static str> {
    let longest = rows.iter().map(|row| Facts::of(row).status.chars().count()).max()?;
    match longest {
        0..=14 => None,
        15..=18 => Some("156"),
        _ => Some("212"),
    }
}

/// About how wide a name is with the lines before it and the chips after it. *Units*: pixels.
fn name_px(row: &Row) -> usize {
    let letters = |text: &str| text.chars().count();
    let facts = Facts::of(row);
    let letter = if matches!(facts.kind, "plan" | "service") { 9 } else { 7 };
    let chip = |text: &str| if text.is_empty() { 0 } else { 7 * letters(text) + 24 };
    let lines = usize::try_from(6 + 12 * row.level).unwrap_or(0);
    let marks = if facts.gates > 0 { 120 } else { chip(if facts.held { "held" } else { "" }) };
    lines + letter * letters(name(row)) + chip(&facts.strategy) + marks
}

/// Facts shown in a row.
struct Facts {
    title: AttrValue,
    kind: &'static str,
    status: AttrValue,
    strategy: AttrValue,
    reason: AttrValue,
    progress: Option<Progress>,
    gates: u32,
    held: bool,
    forced: bool,
    commands: bool,
}

impl Facts {
    fn of(row: &Row) -> Self {
        let none = Self {
            title: attr(name(row)),
            kind: "service",
            status: AttrValue::default(),
            strategy: AttrValue::default(),
            reason: AttrValue::default(),
            progress: None,
            gates: 0,
            held: false,
            forced: false,
            commands: false,
        };
        let done = row.word.is_some_and(|word| word.class == StatusClass::Done);
        match &row.node {
            Node::Service(service) => Self {
                title: format!("{} ({})", service.name, system(&service.dialect)).into(),
                reason: attr(&service.activity),
                ..none
            },
            Node::Fold(_, count) => Self { kind: "fold", strategy: count.to_string().into(), ..none },
            Node::Plan(plan) => Self {
                kind: "plan",
                status: attr(&plan.status),
                strategy: attr(&plan.strategy),
                reason: plan.errors.first().map(|text| attr(text)).unwrap_or_default(),
                progress: Some(plan.progress),
                held: plan.interrupted,
                commands: !plan.actions.is_empty(),
                ..none
            },
            Node::Phase(phase) => Self {
                kind: "phase",
                status: attr(&phase.status),
                strategy: attr(&phase.strategy),
                progress: Some(phase.progress),
                gates: phase.gates_left,
                held: phase.interrupted && phase.gates_left == 0,
                commands: true,
                ..none
            },
            Node::Step(step) => Self {
                title: step_name(step).into(),
                kind: "step",
                status: attr(&step.status),
                reason: if done { AttrValue::default() } else { attr(&step.reason) },
                progress: step.progress,
                forced: step.forced,
                commands: true,
                ..none
            },
        }
    }
}

/// The row element of a position, if it is rendered.
pub(super) fn element(scroller: &HtmlElement, index: usize) -> Option<HtmlElement> {
    use wasm_bindgen::JsCast;
    scroller.query_selector(&format!("[data-row='{index}']")).ok().flatten()?.dyn_into().ok()
}
