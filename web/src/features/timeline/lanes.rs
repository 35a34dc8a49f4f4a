//! A lane per step: which status when.
//!
//! A lane's last stretch reaches to the end of the axis; what is not simulated yet is covered from above. So a
//! lane is drawn anew only when its step changes, not with every frame.

use crate::store::gantt::{Gantt, Lane, same_service};
use crate::store::ptr::Ptr;
use crate::store::selectors::axis::Axis;
use crate::store::selectors::status::{entry, look_at};
use crate::store::selectors::time::clock;
use crate::store::selectors::tree;
use crate::store::{Action, use_hub};
use crate::ui::attr;
use crate::ui::spacer::Spacer;
use crate::ui::virtual_list::use_slice;
use planarium_kernel::SortedSet;
use planarium_protocol::event::ElementPath;
use planarium_protocol::view::StatusClass;
use planarium_protocol::{Text, View};
use std::sync::Arc;
use yew::prelude::*;

/// Least width of a stretch in hundredths of a percent, so that the shortest can be seen.
const LEAST: i64 = 17;

#[derive(Properties, PartialEq)]
pub(super) struct LanesProps {
    /// Lanes.
    pub(super) gantt: Ptr<Gantt>,
    /// The view.
    pub(super) view: Ptr<View>,
    /// Length of the run as drawn.
    pub(super) span_ms: u64,
    /// Where instants are.
    pub(super) axis: Axis,
    /// Tasks by machine rather than steps.
    pub(super) by_machine: bool,
    /// Selected element.
    pub(super) selected: Option<ElementPath>,
}

/// A line of the timeline.
#[derive(Clone, PartialEq)]
enum Line {
    /// A plan's name.
    Plan(ElementPath),
    /// A step.
    Step(ElementPath),
    /// A machine's name.
    Machine(Text),
    /// A task on a machine.
    Task(ElementPath),
}

/// What decides which lines there are: plans with their sizes, and how many lanes history has.
type Form = (Vec<(usize, usize, bool)>, usize, usize, Option<usize>);

/// All lanes.
#[component]
pub(super) fn Lanes(props: &LanesProps) -> Html {
    let by_machine = props.by_machine;
    let form = form(&props.view, &props.gantt, by_machine);
    let lines = {
        let (view, gantt) = (props.view.clone(), props.gantt.clone());
        use_memo(form, move |_| if by_machine { machine_lines(&view, &gantt) } else { lines(&view, &gantt) })
    };
    let several = props.view.services.len() > 1;
    let scroller = use_node_ref();
    let total = lines.len();
    let (slice, onscroll) = use_slice(&scroller, total, 20);
    html! {
        <div ref={scroller} class="lanes" {onscroll} aria-label={if by_machine { "Tasks of machines over time" } else { "Statuses of steps over time" }} role="group" tabindex="0">
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
                Line::Task(path) => html! {
                    <LaneRow
                        key={key(path)}
                        {at}
                        path={path.clone()}
                        lane={props.gantt.machines.lane(path)}
                        born_ms={props.span_ms}
                        span_ms={props.span_ms}
                        axis={props.axis.clone()}
                        selected=false
                    />
                },
                Line::Step(path) => {
                    let step = tree::find_step(&props.view, path);
                    html! {
                        <LaneRow
                            key={key(path)}
                            {at}
                            path={path.clone()}
                            name={step.map(|step| tree::step_name(step))}
                            lane={props.gantt.lane(path)}
                            born_ms={props.gantt.born(path)}
                            status={step.map(|step| attr(&step.status)).unwrap_or_default()}
                            span_ms={props.span_ms}
                            axis={props.axis.clone()}
                            selected={props.selected.as_ref() == Some(path)}
                        />
                    }
                }
            }).collect::<Html>() }
            if slice.below(total) > 0 { <Spacer px={slice.below(total)} /> }
        </div>
    }
}

fn key(path: &ElementPath) -> String {
    let part = |part: &Option<planarium_protocol::Text>| part.as_deref().unwrap_or("").to_owned();
    format!("{}/{}/{}/{}", tree::service_key(path), path.plan, part(&path.phase), part(&path.step))
}

fn form(view: &View, gantt: &Gantt, by_machine: bool) -> Form {
    let machines = by_machine.then(|| gantt.machines.count() + view.cluster.machines.len());
    let plans = view.services.iter().flat_map(|service| {
        service.plans.iter().map(|plan| {
            let steps = plan.phases.iter().map(|phase| phase.steps.len()).sum();
            (plan.phases.len(), steps, asleep(entry(service.statuses, &plan.status).class))
        })
    });
    (plans.collect(), gantt.lanes().count(), view.services.len(), machines)
}

/// Waits for a person, or was never asked for.
fn asleep(class: StatusClass) -> bool {
    matches!(class, StatusClass::Held | StatusClass::Unused)
}

/// Plans that have begun, with all their steps; then steps that are gone.
fn lines(view: &View, gantt: &Gantt) -> Vec<Line> {
    let mut out = Vec::new();
    let mut seen: SortedSet<ElementPath> = SortedSet::new();
    for service in &view.services {
        for (at, plan) in service.plans.iter().enumerate() {
            let path = tree::plan_path(service, plan);
            let mut steps: Vec<ElementPath> = Vec::new();
            for phase in &plan.phases {
                for step in &phase.steps {
                    steps.push(ElementPath {
                        phase: Some(Arc::clone(&phase.name)),
                        step: Some(Arc::clone(step.key())),
                        ..path.clone()
                    });
                }
            }
            let begun = at == 0 || steps.iter().any(|step| gantt.lane(step).is_some());
            let gone = |lane: &&Arc<Lane>| {
                same_service(&lane.path, &path) && lane.path.plan == path.plan && !steps.contains(&lane.path)
            };
            let past: Vec<_> = gantt.lanes().filter(gone).map(|lane| lane.path.clone()).collect();
            if !begun && past.is_empty() {
                continue;
            }
            out.push(Line::Plan(path));
            for step in steps.into_iter().chain(past) {
                if seen.insert(step.clone()) {
                    out.push(Line::Step(step));
                }
            }
        }
    }
    // Services that are gone have a past, too.
    let mut last = None;
    for lane in gantt.lanes().filter(|lane| view.services.iter().all(|service| !service.holds(&lane.path))) {
        let plan = ElementPath { phase: None, step: None, ..lane.path.clone() };
        if last.as_ref() != Some(&plan) {
            out.push(Line::Plan(plan.clone()));
            last = Some(plan);
        }
        out.push(Line::Step(lane.path.clone()));
    }
    out
}

/// Machines in the order of the view, those that are gone after them, with the tasks that ever ran there.
fn machine_lines(view: &View, gantt: &Gantt) -> Vec<Line> {
    let here: Vec<&Text> = view.cluster.machines.iter().map(|machine| &machine.hostname).collect();
    let mut names = here.clone();
    for path in gantt.machines.paths() {
        if names.last() != Some(&&path.service) && !here.contains(&&path.service) {
            names.push(&path.service);
        }
    }
    let mut out = Vec::new();
    for name in names {
        let tasks = gantt.machines.paths().filter(|path| path.service == *name);
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
    /// What people call it, where the path says an id.
    #[prop_or_default]
    name: Option<String>,
    lane: Option<Ptr<Lane>>,
    born_ms: u64,
    #[prop_or_default]
    status: AttrValue,
    span_ms: u64,
    axis: Axis,
    selected: bool,
}

#[component]
fn LaneRow(props: &LaneRowProps) -> Html {
    let hub = use_hub();
    let (span_ms, axis) = (props.span_ms, &props.axis);
    let segments = match &props.lane {
        Some(lane) => lane.segments(span_ms),
        None => vec![crate::store::gantt::Segment {
            from_ms: props.born_ms,
            to_ms: span_ms,
            status: props.status.as_str().into(),
        }],
    };
    let leaf = tree::leaf(&props.path);
    let name = props.name.as_deref().unwrap_or(leaf);
    let on_machine = props.path.plan.is_empty();
    let title =
        if on_machine { format!("{name} on {}", props.path.service) } else { tree::title(&props.path) };
    let onclick = if on_machine {
        hub.act(Action::SelectTask(attr(leaf)))
    } else {
        hub.act(Action::Select(props.path.clone()))
    };
    html! {
        <div class="lane" data-row={props.at.to_string()} data-selected={props.selected.to_string()}>
            <button type="button" class="lane-label" tabindex="-1" title={title}
                {onclick}>{ name.to_owned() }</button>
            <svg class="lane-bar" role="img" aria-label={spoken(name, &segments)} focusable="false">
                { for segments.iter().filter(|segment| !segment.status.is_empty() && axis.sees_any(segment.from_ms, segment.to_ms)).map(|segment| {
                    let look = look_at(&props.path, &segment.status);
                    let (x, width) = (axis.x(segment.from_ms), axis.width(segment.from_ms, segment.to_ms, LEAST));
                    html! {
                        <g class="segment" data-family={look.family} data-class={look.class} data-status={segment.status.to_string()}>
                            <title>{ format!("{} from {}", segment.status, clock(segment.from_ms)) }</title>
                            <rect class="segment-fill" x={x.clone()} width={width.clone()} y="15%" height="70%" />
                            if let Some(pattern) = pattern(look.family) {
                                <rect fill={pattern} {x} {width} y="15%" height="70%" />
                            }
                        </g>
                    }
                }) }
            </svg>
        </div>
    }
}

/// Hatching, so that statuses differ without colour, too.
fn pattern(family: &str) -> Option<&'static str> {
    match family {
        "waiting" => Some("url(#p-hatch)"),
        "error" => Some("url(#p-cross)"),
        _ => None,
    }
}

fn spoken(name: &str, segments: &[crate::store::gantt::Segment]) -> String {
    let all: Vec<_> = segments.iter().filter(|segment| !segment.status.is_empty()).collect();
    let last = all.get(all.len().saturating_sub(4)..).unwrap_or_default();
    let parts: Vec<_> =
        last.iter().map(|segment| format!("{} from {}", segment.status, clock(segment.from_ms))).collect();
    format!("{name}: {}", parts.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::selectors::tree::tests::{phase, plan, service, step};
    use planarium_kernel::cause::Cause;
    use planarium_protocol::Event;
    use planarium_protocol::event::EventBody;

    #[test]
    fn shows_plans_that_began_and_steps_that_are_gone() {
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
        gantt.extend(&[Event { seq: 1, at_ms: 5, cause: Cause::Genesis, body }]);
        let shown: Vec<_> = lines(&view, &gantt)
            .iter()
            .map(|line| match line {
                Line::Plan(path) => path.plan.to_string(),
                Line::Step(path) | Line::Task(path) => tree::leaf(path).to_string(),
                Line::Machine(name) => name.to_string(),
            })
            .collect();
        assert_eq!(shown, ["deploy", "a", "recovery", "a-0:[x]"]);
        let empty = View { services: Vec::new(), ..view };
        assert_eq!(lines(&empty, &gantt).len(), 2, "a service that is gone keeps its past");
    }
}
