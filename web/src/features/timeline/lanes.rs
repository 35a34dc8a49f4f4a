//! One lane per step: its statuses over time.
//!
//! A lane's last stretch extends to the end of the axis; a cover hides what is not simulated yet. So a lane is
//! redrawn only when its step changes, not with every frame.

use crate::store::events::EventLog;
use crate::store::gantt::Gantt;
use crate::store::ghost::{Ghost, GhostLane};
use crate::store::lane::{Lane, Segment, together};
use crate::store::ptr::Ptr;
use crate::store::selectors::arrange::{Arranged, arrange};
use crate::store::selectors::arrows::{Arrow, arrows};
use crate::store::selectors::axis::Axis;
use crate::store::selectors::log;
use crate::store::selectors::status::{entry, look_at};
use crate::store::selectors::text::contains;
use crate::store::selectors::time::clock;
use crate::store::selectors::tree;
use crate::store::{Action, use_hub};
use crate::ui::spacer::Spacer;
use crate::ui::virtual_list::use_slice_of;
use crate::ui::{attr, icon};
use planarium_messages::paths::main_plan;
use planarium_protocol::event::ElementPath;
use planarium_protocol::view::{PlanView, ServiceView, StatusClass, StepView};
use planarium_protocol::{Text, View};
use std::collections::BTreeSet;
use std::sync::Arc;
use yew::prelude::*;

/// Least width of a stretch in hundredths of a percent, so that the shortest can be seen.
const LEAST: i64 = 17;
/// Stretches of a lane that are drawn at most. Each is two nodes of the page: fewer than a lane has pixels.
const PIECES: i64 = 120;
/// Maximum number of lines drawn without checking which of them are visible.
const LINES: usize = 40;
/// Steps of a phase that is folded unless asked for.
const FOLDED: usize = 100;

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

/// A line of the timeline.
#[derive(Clone, PartialEq)]
enum Line {
    /// A plan's name.
    Plan(ElementPath),
    /// A phase with the number of its steps, folded or not.
    Phase(ElementPath, usize, bool),
    /// A step.
    Step(ElementPath),
    /// A machine's name.
    Machine(Text),
    /// A task on a machine.
    Task(ElementPath),
}

impl Line {
    /// The path of its lane, if it has one.
    fn lane(&self) -> Option<&ElementPath> {
        match self {
            Self::Step(path) | Self::Task(path) | Self::Phase(path, _, true) => Some(path),
            Self::Plan(_) | Self::Phase(..) | Self::Machine(_) => None,
        }
    }
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

/// Input of the list of lines: plans in order with their sizes, and the number of lanes with history.
type Form = (Vec<(Text, usize, usize, bool)>, usize, usize, Option<usize>);

/// All lanes.
#[component]
pub(super) fn Lanes(props: &LanesProps) -> Html {
    let by_machine = props.by_machine;
    let form = form(&props.view, &props.gantt, by_machine);
    // Phases toggled from their default.
    let folds = use_state_eq(BTreeSet::<ElementPath>::new);
    let lines = {
        let (view, gantt, folds) = (props.view.clone(), props.gantt.clone(), folds.clone());
        let wanted = (props.filter.clone(), if props.filter.is_empty() { 0 } else { view.revision });
        use_memo((form, (*folds).clone(), wanted), move |(_, _, (filter, _))| {
            if by_machine {
                machine_lines(&view, &gantt, filter)
            } else {
                lines(&view, &gantt, &folds, filter)
            }
        })
    };
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
    let lane = |path: &ElementPath, tasks: bool| {
        if tasks { props.gantt.machines.lane(path) } else { props.gantt.lane(path) }
    };
    let drawn = props.event.as_ref().map_or_else(Vec::new, |(events, seq)| {
        let rows: Vec<_> = lines.iter().map(Line::lane).collect();
        arrows(&log::chain(events, *seq), &rows, |task| lane_of(task, &props.view, &props.gantt, by_machine))
    });
    let losses = if by_machine { Vec::new() } else { props.gantt.machines.losses() };
    let ghost = |path: &ElementPath| props.ghost.as_ref().and_then(|ghost| ghost.lane(path)).cloned();
    html! {
        <div ref={scroller} class="lanes" {onscroll} aria-label={if by_machine { "Tasks of machines over time" } else { "Statuses of steps over time" }} role="group" tabindex="0">
            <div class="lanes-all">
            if slice.start > 0 { <Spacer px={slice.above()} /> }
            { lines.iter().enumerate().skip(slice.start).take(slice.take).map(|(at, line)| match line {
                Line::Plan(path) => html! {
                    <div class="lane lane-plan" data-row={at.to_string()} key={format!("p{at}{}/{}", tree::service_key(path), path.plan)}>
                        <span class="lane-label">
                            if several { { format!("{}: ", path.service) } }
                            { &*path.plan }
                        </span>
                    </div>
                },
                Line::Machine(name) => html! {
                    <div class="lane lane-plan" data-row={at.to_string()} key={format!("m{name}")}>
                        <span class="lane-label">{ &**name }</span>
                    </div>
                },
                Line::Phase(path, count, folded) => html! {
                    <LaneRow
                        key={key(path)}
                        {at}
                        path={path.clone()}
                        lane={lane(path, false).filter(|_| *folded)}
                        folded={*folded}
                        fold={fold.clone()}
                        name={if *folded { format!("{} ({count})", tree::leaf(path)) } else { tree::leaf(path).to_string() }}
                        span_ms={props.span_ms}
                        axis={props.axis.clone()}
                        selected={props.selected.as_ref() == Some(path)}
                    />
                },
                Line::Task(path) => {
                    let lane = lane(path, true);
                    html! {
                        <LaneRow
                            key={key(path)}
                            {at}
                            path={path.clone()}
                            detail={lane.as_ref().and_then(|lane| props.gantt.detail(lane))}
                            {lane}
                            ghost={ghost(path)}
                            span_ms={props.span_ms}
                            axis={props.axis.clone()}
                            selected=false
                        />
                    }
                }
                Line::Step(path) => {
                    let step = tree::find_step(&props.view, path);
                    let lane = lane(path, false);
                    html! {
                        <LaneRow
                            key={key(path)}
                            {at}
                            path={path.clone()}
                            name={step.map(|step| tree::step_name(step))}
                            detail={lane.as_ref().and_then(|lane| props.gantt.detail(lane))}
                            {lane}
                            ghost={ghost(path)}
                            losses={step.map(|step| of_step(&losses, step)).unwrap_or_default()}
                            born={step.map(|step| (props.gantt.born(path), attr(&step.status)))}
                            span_ms={props.span_ms}
                            axis={props.axis.clone()}
                            selected={props.selected.as_ref() == Some(path)}
                        />
                    }
                }
            }).collect::<Html>() }
            if slice.below(total) > 0 { <Spacer px={slice.below(total)} /> }
            if total == 0 && !props.filter.is_empty() { <p class="empty-line">{ "No lane matches the filter of the steps." }</p> }
            if !drawn.is_empty() { { overlay(&drawn, total, &props.axis) } }
            </div>
        </div>
    }
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
        ("many", "many changes"),
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

fn form(view: &View, gantt: &Gantt, by_machine: bool) -> Form {
    let machines = by_machine.then(|| gantt.machines.count() + view.cluster.machines.len());
    let plans = view.services.iter().flat_map(|service| {
        in_order(service).map(|plan| {
            let steps = plan.phases.iter().map(|phase| phase.steps.len()).sum();
            (plan.name.clone(), plan.phases.len(), steps, asleep(entry(service.statuses, &plan.status).class))
        })
    });
    (plans.collect(), gantt.count(), view.services.len(), machines)
}

/// The plans of a service in the order of the tree: those that came and are over are last.
fn in_order(service: &ServiceView) -> impl Iterator<Item = &Arc<PlanView>> {
    let Arranged { shown, over, .. } = arrange(service, service.statuses);
    shown.into_iter().chain(over).map(|place| place.plan)
}

/// Waits for a person, or was never asked for.
fn asleep(class: StatusClass) -> bool {
    matches!(class, StatusClass::Held | StatusClass::Unused)
}

/// The steps of a plan by phase.
type Phases = Vec<(Option<Text>, Vec<ElementPath>)>;

/// Plans that have begun, with all their steps; then removed steps.
fn lines(view: &View, gantt: &Gantt, folds: &BTreeSet<ElementPath>, filter: &str) -> Vec<Line> {
    let mut plans: Vec<(ElementPath, bool, Phases)> = Vec::new();
    let mut here: BTreeSet<ElementPath> = BTreeSet::new();
    for service in &view.services {
        let main = service.plans.get(main_plan(service));
        for plan in in_order(service) {
            let path = tree::plan_path(service, plan);
            let is_main = main.is_some_and(|main| Arc::ptr_eq(main, plan));
            let (mut phases, mut begun): (Phases, bool) = (Vec::new(), is_main);
            for phase in &plan.phases {
                let name = Some(Arc::clone(&phase.name));
                let path = |step: &StepView| ElementPath {
                    phase: name.clone(),
                    step: Some(Arc::clone(step.key())),
                    ..path.clone()
                };
                let mut steps = Vec::new();
                for step in &phase.steps {
                    let path = path(step);
                    begun |= gantt.lane(&path).is_some();
                    if here.insert(path.clone()) && tree::wants(filter, step) {
                        steps.push(path);
                    }
                }
                phases.push((name.clone(), steps));
            }
            plans.push((path, begun, phases));
        }
    }
    // Removed steps, plans and services have a past, too.
    let gone = |lane: &&Arc<Lane>| !here.contains(&lane.path) && contains(tree::leaf(&lane.path), filter);
    for lane in gantt.lanes().filter(gone) {
        let plan = ElementPath { phase: None, step: None, ..lane.path.clone() };
        let at = plans.iter().position(|(path, ..)| *path == plan).unwrap_or_else(|| {
            plans.push((plan, true, Vec::new()));
            plans.len() - 1
        });
        let Some((_, begun, phases)) = plans.get_mut(at) else { continue };
        *begun = true;
        match phases.iter_mut().find(|(name, _)| *name == lane.path.phase) {
            Some((_, steps)) => steps.push(lane.path.clone()),
            None => phases.push((lane.path.phase.clone(), vec![lane.path.clone()])),
        }
    }
    let mut out = Vec::new();
    let hit = |phases: &Phases| filter.is_empty() || phases.iter().any(|(_, steps)| !steps.is_empty());
    for (plan, _, phases) in plans.into_iter().filter(|(_, begun, phases)| *begun && hit(phases)) {
        out.push(Line::Plan(plan.clone()));
        for (phase, steps) in phases.into_iter().filter(|(_, steps)| !steps.is_empty()) {
            let path = ElementPath { phase, ..plan.clone() };
            let folded = filter.is_empty() && (steps.len() > FOLDED) != folds.contains(&path);
            out.push(Line::Phase(path, steps.len(), folded));
            if !folded {
                out.extend(steps.into_iter().map(Line::Step));
            }
        }
    }
    out
}

/// Machines in the order of the view, removed ones after them, with the tasks that ever ran there.
fn machine_lines(view: &View, gantt: &Gantt, filter: &str) -> Vec<Line> {
    let here: Vec<&Text> = view.cluster.machines.iter().map(|machine| &machine.hostname).collect();
    let mut names = here.clone();
    for path in gantt.machines.paths() {
        if names.last() != Some(&&path.service) && !here.contains(&&path.service) {
            names.push(&path.service);
        }
    }
    let mut out = Vec::new();
    for name in names {
        let all = contains(name, filter);
        let tasks = gantt.machines.paths().filter(|path| path.service == *name);
        let tasks = tasks.filter(|path| all || contains(tree::leaf(path), filter));
        let before = out.len();
        out.push(Line::Machine(name.clone()));
        out.extend(tasks.cloned().map(Line::Task));
        if out.len() == before + 1 {
            out.truncate(before);
        }
    }
    out
}

#[derive(Properties, PartialEq)]
struct LaneRowProps {
    at: usize,
    path: ElementPath,
    /// Display name, where the path has an id.
    #[prop_or_default]
    name: Option<String>,
    lane: Option<Ptr<Lane>>,
    /// Details of a stretch long ago.
    #[prop_or_default]
    detail: Option<(u64, u64, Ptr<Lane>)>,
    /// The same lane of the run that the branch parted from.
    #[prop_or_default]
    ghost: Option<GhostLane>,
    /// When tasks of the step were lost.
    #[prop_or_default]
    losses: Vec<u64>,
    /// Since when which status, where nothing has changed yet.
    #[prop_or_default]
    born: Option<(u64, AttrValue)>,
    /// It can be folded, and is or is not.
    #[prop_or_default]
    folded: Option<bool>,
    #[prop_or_default]
    fold: Callback<ElementPath>,
    span_ms: u64,
    axis: Axis,
    selected: bool,
}

#[component]
fn LaneRow(props: &LaneRowProps) -> Html {
    let hub = use_hub();
    let (span_ms, axis) = (props.span_ms, &props.axis);
    let segments = match (&props.lane, &props.born) {
        (Some(lane), _) => with_detail(lane.segments(span_ms), props.detail.as_ref()),
        (None, Some((from_ms, status))) => {
            vec![Segment { from_ms: *from_ms, to_ms: span_ms, status: status.as_str().into(), count: 1 }]
        }
        (None, None) => Vec::new(),
    };
    let leaf = tree::leaf(&props.path);
    let name = props.name.as_deref().unwrap_or(leaf);
    let on_machine = props.path.plan.is_empty();
    let title =
        if on_machine { format!("{name} on {}", props.path.service) } else { tree::title(&props.path) };
    let onclick = match props.folded {
        Some(_) => props.fold.reform(|(path, _): (ElementPath, MouseEvent)| path).reform({
            let path = props.path.clone();
            move |event| (path.clone(), event)
        }),
        None if on_machine => hub.act(Action::SelectTask(attr(leaf))),
        None => hub.act(Action::Select(props.path.clone())),
    };
    html! {
        <div class={classes!("lane", props.folded.map(|_| "lane-phase"))} data-row={props.at.to_string()} data-selected={props.selected.to_string()}>
            <button type="button" class="lane-label" tabindex={if props.folded.is_some() { "0" } else { "-1" }} title={title}
                aria-expanded={props.folded.map(|folded| (!folded).to_string())} {onclick}>
                if let Some(folded) = props.folded { { icon(if folded { "chevron-right" } else { "chevron-down" }) } }
                { name.to_owned() }
            </button>
            if props.folded != Some(false) {
                <svg class="lane-bar" role="img" aria-label={spoken(name, &segments, props)} focusable="false">
                    { bar(props, &segments, if props.ghost.is_some() { "6%" } else { "15%" }, if props.ghost.is_some() { "54%" } else { "70%" }) }
                    if let Some(ghost) = &props.ghost {
                        <g class="ghost">{ bar(props, ghost, "66%", "26%") }</g>
                    }
                    { for props.losses.iter().filter(|at_ms| axis.sees(**at_ms)).map(|at_ms| html! {
                        <svg class="loss" x={axis.x(*at_ms)} overflow="visible" aria-hidden="true">
                            <title>{ format!("lost at {}", clock(*at_ms)) }</title>
                            <use href="#i-lost" x="-6" y="4" width="12" height="12" />
                        </svg>
                    }) }
                </svg>
            }
        </div>
    }
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

/// Stretches as a bar at a height.
fn bar(props: &LaneRowProps, segments: &[Segment], y: &'static str, height: &'static str) -> Html {
    let axis = &props.axis;
    let draw = |segment: Segment| {
        let look = look_at(&props.path, &segment.status);
        let many = segment.count > 1;
        html! {
            <rect class="segment" data-family={if many { "many" } else { look.family }} data-class={look.class} data-status={segment.status.to_string()}
                x={axis.x(segment.from_ms)} width={axis.width(segment.from_ms, segment.to_ms, LEAST)} {y} {height}>
                <title>{ told(&segment) }</title>
            </rect>
        }
    };
    pieces(segments, axis).into_iter().map(draw).collect()
}

/// Words a stretch.
fn told(segment: &Segment) -> String {
    let from = clock(segment.from_ms);
    if segment.count > 1 {
        return format!(
            "{} changes from {from} to {}, mostly {}",
            segment.count,
            clock(segment.to_ms),
            segment.status
        );
    }
    format!("{} from {from}", segment.status)
}

/// Adds the detailed stretches of an old part.
fn with_detail(mut segments: Vec<Segment>, detail: Option<&(u64, u64, Ptr<Lane>)>) -> Vec<Segment> {
    let Some((from_ms, to_ms, lane)) = detail else { return segments };
    let (mut before, after): (Vec<_>, Vec<_>) = segments
        .drain(..)
        .filter(|it| it.to_ms <= *from_ms || it.from_ms >= *to_ms || it.count == 1)
        .partition(|it| it.from_ms < *from_ms);
    let known = lane.segments(*to_ms).into_iter().filter(|it| it.to_ms > *from_ms);
    before.extend(known.map(|it| Segment { from_ms: it.from_ms.max(*from_ms), ..it }));
    before.extend(after);
    before
}

/// Returns the drawn pieces of these stretches: at most [`PIECES`], and only visible ones.
fn pieces(segments: &[Segment], axis: &Axis) -> Vec<Segment> {
    let in_sight = |segment: &&Segment| axis.sees_any(segment.from_ms, segment.to_ms);
    let seen: Vec<&Segment> = segments.iter().filter(in_sight).collect();
    if seen.len() <= usize::try_from(PIECES).unwrap_or_default() {
        return seen.into_iter().cloned().collect();
    }
    // Each goes to the column in which it begins. A column has at most two pieces: what ends in it, and one that continues.
    let column = |segment: &Segment| axis.seen(segment.from_ms).max(0) * PIECES / 10_000;
    let mut out = Vec::new();
    for group in seen.chunk_by(|a, b| column(a) == column(b)) {
        let group: Vec<Segment> = group.iter().map(|segment| (*segment).clone()).collect();
        out.extend(together(&group));
    }
    out
}

/// Describes the last stretches of a lane, its last loss, and how it ended in the run before the branch.
fn spoken(name: &str, segments: &[Segment], props: &LaneRowProps) -> String {
    let all: Vec<_> = segments.iter().filter(|segment| !segment.status.is_empty()).collect();
    let last = all.get(all.len().saturating_sub(4)..).unwrap_or_default();
    let parts: Vec<_> = last.iter().map(|segment| told(segment)).collect();
    let lost = props.losses.last().map(|at_ms| format!("; lost at {}", clock(*at_ms)));
    let before = props.ghost.as_ref().and_then(|ghost| ghost.last());
    let before = before.map(|last| format!("; before the branch: {}", told(last)));
    format!("{name}: {}{}{}", parts.join(", "), lost.unwrap_or_default(), before.unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::selectors::axis::Folds;
    use crate::store::selectors::status::class_of;
    use crate::store::selectors::tree::tests::{phase, plan, service, step};
    use planarium_kernel::cause::Cause;
    use planarium_protocol::Event;
    use planarium_protocol::event::EventBody;

    #[test]
    fn shows_begun_plans_and_removed_steps() {
        let services = vec![service(
            "s",
            vec![
                plan("deploy", "COMPLETE", vec![phase("p", "serial", vec![step("a", "COMPLETE")])]),
                plan("recovery", "COMPLETE", vec![]),
                plan("other", "WAITING", vec![phase("q", "serial", vec![step("b", "WAITING")])]),
            ],
        )];
        let view = View { services, ..(*crate::store::state::World::default().view.0).clone() };
        let mut gantt = Gantt::default();
        let gone = ElementPath {
            plan: "recovery".into(),
            phase: Some("a-0".into()),
            step: Some("a-0:[x]".into()),
            ..tree::service_path(&view.services[0])
        };
        let body = EventBody::ElementStatus { path: gone, from: "PENDING".into(), to: "COMPLETE".into() };
        gantt.extend(&[Event { seq: 1, at_ms: 5, cause: Cause::Genesis, body }], class_of);
        let named = |lines: Vec<Line>| -> Vec<String> {
            lines
                .iter()
                .map(|line| match line {
                    Line::Plan(path) => path.plan.to_string(),
                    Line::Phase(path, count, _) => format!("{} {count}", tree::leaf(path)),
                    Line::Step(path) | Line::Task(path) => tree::leaf(path).to_string(),
                    Line::Machine(name) => name.to_string(),
                })
                .collect()
        };
        let shown = |filter| named(lines(&view, &gantt, &BTreeSet::new(), filter));
        assert_eq!(shown(""), ["deploy", "p 1", "a", "recovery", "a-0 1", "a-0:[x]"]);
        // The rows' filter applies to the lanes: by name or status, and by name for removed ones.
        assert_eq!(shown("[X]"), ["recovery", "a-0 1", "a-0:[x]"]);
        assert_eq!(shown("complete"), ["deploy", "p 1", "a"]);
        assert!(shown("nothing like it").is_empty());
        let empty = View { services: Vec::new(), ..view.clone() };
        let all = lines(&empty, &gantt, &BTreeSet::new(), "");
        assert_eq!(all.len(), 3, "a service that is gone keeps its past");
        let Line::Phase(phase, ..) = &all[1] else { panic!("a phase") };
        let folds = BTreeSet::from([phase.clone()]);
        assert_eq!(lines(&empty, &gantt, &folds, "").len(), 2, "folded");
        assert_eq!(lines(&empty, &gantt, &folds, "x").len(), 3, "a hit is not folded away");
    }

    #[test]
    fn lanes_are_in_the_order_of_the_tree() {
        let one =
            |name: &str, status| plan(name, status, vec![phase(name, "serial", vec![step(name, status)])]);
        // Deployments of Marathon come and go beside its apps.
        let plans =
            vec![one("apps", "Running"), one("deployment-1", "Finished"), one("deployment-2", "Deploying")];
        let known = planarium_world::dialects();
        let system = known.iter().find(|known| known.word == "marathon").expect("Marathon");
        let own = ServiceView {
            dialect: system.word.into(),
            statuses: system.statuses,
            ..(*service("s", plans)).clone()
        };
        let services = vec![Arc::new(own)];
        let mut gantt = Gantt::default();
        for (seq, plan) in (1..).zip(&services[0].plans) {
            let path = ElementPath {
                phase: Some(plan.name.clone()),
                step: Some(plan.name.clone()),
                ..tree::plan_path(&services[0], plan)
            };
            let body = EventBody::ElementStatus { path, from: "".into(), to: plan.status.clone() };
            gantt.extend(&[Event { seq, at_ms: 5, cause: Cause::Genesis, body }], class_of);
        }
        let view =
            View { services: services.clone(), ..(*crate::store::state::World::default().view.0).clone() };
        let drawn: Vec<_> = lines(&view, &gantt, &BTreeSet::new(), "")
            .into_iter()
            .filter_map(|line| if let Line::Plan(path) = line { Some(path.plan.to_string()) } else { None })
            .collect();
        let Arranged { shown, over, .. } = arrange(&services[0], services[0].statuses);
        let in_tree: Vec<_> = shown.iter().chain(&over).map(|place| place.plan.name.to_string()).collect();
        assert_eq!(drawn, in_tree);
        assert_ne!(drawn.first().map(String::as_str), Some("apps"), "what is under way comes first");
    }

    #[test]
    fn a_lane_has_no_more_pieces_than_visible() {
        let even = || Axis::new(100_000, &[], Folds { track_px: 0, seen: None, idle_ms: 0 });
        let stretch = |n: u64| Segment { from_ms: n * 10, to_ms: n * 10 + 10, status: "A".into(), count: 1 };
        let all: Vec<_> = (0..10_000).map(stretch).collect();
        for (axis, least) in [(even(), 10_000), (even().part(0, 1_000), 100)] {
            let drawn = pieces(&all, &axis);
            assert!(drawn.len() <= 121, "{}", drawn.len());
            assert!(drawn.iter().map(|it| it.count).sum::<u32>() >= least);
        }
        let few = pieces(&all[..50], &even());
        assert!(few.len() == 50 && few.iter().all(|it| it.count == 1));
    }
}
