//! The lanes: one per step, or per task of a machine, with its statuses over time.
//!
//! A lane's last stretch extends to the end of the axis; a cover hides what is not simulated yet. So a lane is
//! drawn again only when its step changes, not with every frame.

use super::lines::{Line, Listing};
use super::row::LaneRow;
use super::sheet::{MANY, Sheet, Strip};
use crate::store::events::EventLog;
use crate::store::gantt::Gantt;
use crate::store::ghost::Ghost;
use crate::store::ptr::Ptr;
use crate::store::selectors::arrows::{Arrow, arrows};
use crate::store::selectors::axis::Axis;
use crate::store::selectors::log;
use crate::store::selectors::tree;
use crate::ui::attr;
use crate::ui::spacer::Spacer;
use crate::ui::virtual_list::use_slice_of;
use planarium_protocol::event::ElementPath;
use planarium_protocol::view::StepView;
use planarium_protocol::{Text, View};
use std::collections::BTreeSet;
use std::rc::Rc;
use web_sys::Element;
use yew::prelude::*;

/// Maximum number of lines drawn without checking which of them are visible.
const LINES: usize = 40;

#[derive(Properties, PartialEq)]
pub(super) struct LanesProps {
    /// Lanes.
    pub(super) gantt: Ptr<Gantt>,
    /// The run that the branch shown parted from.
    pub(super) ghost: Option<Ptr<Ghost>>,
    /// The selected event, and the log that it is in.
    pub(super) event: Option<(EventLog, u64)>,
    /// The view.
    pub(super) view: Ptr<View>,
    /// Where lanes end.
    pub(super) span_ms: u64,
    /// The time axis.
    pub(super) axis: Axis,
    /// Tasks by machine rather than steps.
    pub(super) by_machine: bool,
    /// Selected element.
    pub(super) selected: Option<ElementPath>,
    /// Text that lanes must contain.
    pub(super) filter: AttrValue,
}

/// Arrows of cause over the lanes. Why and the log say the same in words.
fn overlay(drawn: &[Arrow], total: usize, axis: &Axis) -> Html {
    let y = |row: usize| {
        let tenths = (2 * row + 1) * 50_000 / (100 * total.max(1));
        format!("{}.{}%", tenths / 10, tenths % 10)
    };
    let seen = drawn.iter().filter(|arrow| axis.sees_any(arrow.from.1, arrow.to.1));
    html! {
        <svg class="lanes-arrows" aria-hidden="true" focusable="false">
            { for seen.map(|Arrow { from, to }| html! {
                <line class="arrow" x1={axis.x(from.1)} y1={y(from.0)} x2={axis.x(to.1)} y2={y(to.0)} marker-end="url(#p-arrow)" />
            }) }
        </svg>
    }
}

/// All lanes.
#[component]
pub(super) fn Lanes(props: &LanesProps) -> Html {
    let by_machine = props.by_machine;
    // Phases toggled from their default.
    let folds = use_state_eq(BTreeSet::<ElementPath>::new);
    let listing = use_mut_ref(Listing::default);
    let lines = listing.borrow_mut().follow(&props.view, &props.gantt, by_machine, &folds, &props.filter);
    let fold = {
        let folds = folds.clone();
        Callback::from(move |path: ElementPath| {
            let mut next = (*folds).clone();
            if !next.remove(&path) {
                next.insert(path);
            }
            folds.set(next);
        })
    };
    let several = props.view.services.len() > 1;
    let scroller = use_node_ref();
    let total = lines.len();
    let (slice, onscroll) = use_slice_of(&scroller, total, 20, LINES);
    let drawn = props.event.as_ref().map_or_else(Vec::new, |(events, seq)| {
        let rows: Vec<_> = lines.iter().map(Line::lane).collect();
        arrows(&log::chain(events, *seq), &rows, |task| lane_of(task, &props.view, &props.gantt, by_machine))
    });
    let losses = if by_machine { Vec::new() } else { props.gantt.machines.losses() };
    let rows: Vec<Row<'_>> = lines
        .iter()
        .enumerate()
        .skip(slice.start)
        .take(slice.take)
        .map(|(at, line)| Row::of(at, line, props))
        .collect();
    let strips: Vec<_> = rows.iter().map(|row| row.strip.clone()).collect();
    let canvas = use_drawing(strips.clone(), props);
    let onpointermove = tooltip(slice.start, strips, props);
    html! {
        <div ref={scroller} class="lanes" {onscroll} aria-label={if by_machine { "Tasks of machines over time" } else { "Statuses of steps over time" }} role="group" tabindex="0">
            <div class="lanes-all">
            if slice.start > 0 { <Spacer px={slice.above()} /> }
            if total > 0 {
                <div class="lanes-block" {onpointermove}>
                    <canvas ref={canvas} class="lanes-sheet" aria-hidden="true"></canvas>
                    { rows.into_iter().map(|row| row.view(several, &fold, &losses, props)).collect::<Html>() }
                </div>
            }
            if slice.below(total) > 0 { <Spacer px={slice.below(total)} /> }
            if total == 0 && !props.filter.is_empty() { <p class="empty-line">{ "No lane matches the filter of the steps." }</p> }
            if !drawn.is_empty() { { overlay(&drawn, total, &props.axis) } }
            </div>
        </div>
    }
}

/// A line in sight, with its step and its lane.
struct Row<'a> {
    at: usize,
    line: &'a Line,
    step: Option<&'a StepView>,
    strip: Option<Strip>,
}

impl<'a> Row<'a> {
    fn of(at: usize, line: &'a Line, props: &'a LanesProps) -> Self {
        let step = match line {
            Line::Step(path) => tree::find_step(&props.view, path).map(|step| &**step),
            _ => None,
        };
        let strip = line.lane().map(|path| {
            let gantt = &props.gantt;
            let lane =
                if matches!(line, Line::Task(_)) { gantt.machines.lane(path) } else { gantt.lane(path) };
            let folded = matches!(line, Line::Phase(..));
            Strip {
                path: path.clone(),
                detail: lane.as_ref().filter(|_| !folded).and_then(|lane| gantt.detail(lane)),
                lane,
                ghost: props.ghost.as_ref().filter(|_| !folded).and_then(|ghost| ghost.lane(path)).cloned(),
                born: step.map(|step| (gantt.born(path), attr(&step.status))),
            }
        });
        Self { at, line, step, strip }
    }

    fn view(
        self,
        several: bool,
        fold: &Callback<ElementPath>,
        losses: &[(Text, u64)],
        props: &LanesProps,
    ) -> Html {
        let Self { at, line, step, strip } = self;
        let heading = |key: String, text: String| {
            html! {
                <div class="lane lane-plan" data-row={at.to_string()} {key}><span class="lane-label">{ text }</span></div>
            }
        };
        match line {
            Line::Plan(path) => {
                let key = format!("p{at}{}/{}", tree::service_key(path), path.plan);
                let service = if several { format!("{}: ", path.service) } else { String::new() };
                heading(key, format!("{service}{}", path.plan))
            }
            Line::Machine(name) => heading(format!("m{name}"), name.to_string()),
            Line::Phase(path, count, folded) => {
                let leaf = tree::leaf(path);
                let name = if *folded { format!("{leaf} ({count})") } else { leaf.to_string() };
                let selected = props.selected.as_ref() == Some(path);
                html! {
                    <LaneRow key={key(path)} {at} path={path.clone()} {name} {strip} folded={*folded} fold={fold.clone()} {selected} />
                }
            }
            Line::Task(path) => html! {
                <LaneRow key={key(path)} {at} path={path.clone()} {strip} selected=false />
            },
            Line::Step(path) => {
                let lost = step.map(|step| of_step(losses, step)).filter(|lost| !lost.is_empty());
                let losses = lost.map(|lost| (lost, props.axis.clone()));
                let name = step.map(tree::step_name);
                let selected = props.selected.as_ref() == Some(path);
                html! {
                    <LaneRow key={key(path)} {at} path={path.clone()} {name} {strip} {losses} {selected} />
                }
            }
        }
    }
}

/// Draws the lanes after they changed. Returns the place of the canvas.
#[hook]
fn use_drawing(strips: Vec<Option<Strip>>, props: &LanesProps) -> NodeRef {
    let canvas = use_node_ref();
    let sheet = use_mut_ref(Sheet::default);
    let (node, axis, end_ms) = (canvas.clone(), props.axis.clone(), props.span_ms);
    use_effect(move || {
        if let Some(canvas) = node.cast::<Element>() {
            sheet.borrow_mut().draw(canvas, &axis, end_ms, strips);
        }
    });
    canvas
}

/// Shows what is under the pointer as the title of its lane.
fn tooltip(first: usize, strips: Vec<Option<Strip>>, props: &LanesProps) -> Callback<PointerEvent> {
    let (strips, axis, end_ms) = (Rc::new(strips), props.axis.clone(), props.span_ms);
    Callback::from(move |event: PointerEvent| {
        let target = event.target_dyn_into::<Element>();
        let Some(bar) = target.and_then(|target| target.closest(".lane-bar").ok().flatten()) else { return };
        let row = bar.parent_element().and_then(|row| row.get_attribute("data-row")?.parse::<usize>().ok());
        let strip = row.and_then(|row| strips.get(row.checked_sub(first)?)?.as_ref());
        let place = bar.get_bounding_client_rect();
        let along = (f64::from(event.client_x()) - place.left()) / place.width().max(1.0);
        let down = (f64::from(event.client_y()) - place.top()) / place.height().max(1.0);
        #[expect(clippy::cast_possible_truncation, reason = "a share of an axis")]
        let at = (along * 10_000.0) as i64;
        let told = strip.and_then(|strip| strip.under(&axis, end_ms, at, down > 0.64));
        let _ = match told {
            Some(told) if bar.get_attribute("title").as_ref() == Some(&told) => Ok(()),
            Some(told) => bar.set_attribute("title", &told),
            None => bar.remove_attribute("title"),
        };
    })
}

/// The lane of a task: that of its step, or its own on the one machine that it ever ran on.
fn lane_of(task: &Text, view: &View, gantt: &Gantt, by_machine: bool) -> Option<ElementPath> {
    if !by_machine {
        return tree::step_of_task(view, task);
    }
    let mut own = gantt.machines.paths().filter(|path| path.step.as_ref() == Some(task));
    own.next().filter(|_| own.next().is_none()).cloned()
}

/// When the tasks of a step were lost.
fn of_step(losses: &[(Text, u64)], step: &StepView) -> Vec<u64> {
    losses.iter().filter(|(task, _)| step.tasks.contains(task)).map(|(_, at_ms)| *at_ms).collect()
}

#[derive(Properties, PartialEq)]
pub(super) struct LegendProps {
    /// Lanes have the run before the branch behind them.
    pub(super) ghost: bool,
}

/// Legend of the lanes.
#[component]
pub(super) fn Legend(props: &LegendProps) -> Html {
    const LOOKS: [(&str, &str); 6] = [
        ("neutral", "to come"),
        ("active", "at work"),
        ("complete", "running or done"),
        ("waiting", "held or late"),
        ("error", "failed"),
        (MANY, "many changes"),
    ];
    html! {
        <ul class="lanes-legend" aria-label="What the lanes show">
            { for LOOKS.iter().map(|(family, text)| html! {
                <li>
                    <svg width="18" height="10" aria-hidden="true" focusable="false">
                        <rect class="segment" data-family={*family} width="18" height="10" />
                    </svg>
                    { *text }
                </li>
            }) }
            if props.ghost {
                <li>
                    <svg class="ghost" width="18" height="10" aria-hidden="true" focusable="false">
                        <rect class="segment" data-family="complete" width="18" y="3" height="4" />
                    </svg>
                    { "before the branch" }
                </li>
            }
        </ul>
    }
}

fn key(path: &ElementPath) -> String {
    let part = |part: &Option<planarium_protocol::Text>| part.as_deref().unwrap_or("").to_owned();
    format!("{}/{}/{}/{}", tree::service_key(path), path.plan, part(&path.phase), part(&path.step))
}
