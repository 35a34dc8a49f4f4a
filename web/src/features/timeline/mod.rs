//! The timeline: a slider over the whole past, and one lane per step.
//!
//! *Knows*: stretches and marks by instants. *Must not know*: the meaning of a status.

mod bands;
mod lanes;
mod lines;
mod minimap;
mod row;
mod scrub;
mod sheet;

use crate::store::events::EventLog;
use crate::store::gantt::{Gantt, LONG_MS};
use crate::store::ghost::Ghost;
use crate::store::ptr::Ptr;
use crate::store::selectors::announce::progress;
use crate::store::selectors::axis::{Axis, Folds, ghost_reach, lanes_end, plan};
use crate::store::selectors::maintenance::{reach, windows};
use crate::store::selectors::status::class_of;
use crate::store::selectors::time::{horizon, spoken};
use crate::store::state::Clock;
use crate::store::{Action, Hub, use_hub};
use gloo::events::{EventListener, EventListenerOptions};
use lanes::{Lanes, Legend};
use planarium_protocol::View;
use planarium_protocol::event::ElementPath;
use scrub::Scrub;
use yew::prelude::*;

#[derive(Properties, PartialEq)]
pub(crate) struct TimelineProps {
    /// The clock.
    pub(crate) clock: Clock,
    /// Lanes and marks.
    pub(crate) gantt: Ptr<Gantt>,
    /// The run that the branch shown parted from.
    pub(crate) ghost: Option<Ptr<Ghost>>,
    /// The selected event, and the log that it is in.
    pub(crate) event: Option<(EventLog, u64)>,
    /// The view.
    pub(crate) view: Ptr<View>,
    /// Selected element.
    pub(crate) selected: Option<ElementPath>,
    /// The part of the run that is seen.
    pub(crate) zoom: Option<(u64, u64)>,
    /// Lanes are tasks by machine rather than steps.
    pub(crate) by_machine: bool,
    /// Text that lanes must contain.
    pub(crate) filter: AttrValue,
    /// Idle stretches are drawn short.
    pub(crate) short_idle: bool,
}

/// Slider and lanes on one axis.
#[component]
pub(crate) fn Timeline(props: &TimelineProps) -> Html {
    let clock = props.clock;
    let epoch_ms = props.view.clock.epoch_ms;
    let windows = {
        let view = props.view.clone();
        use_memo(props.view.cluster.windows.clone(), move |_| Ptr::new(windows(&view.cluster)))
    };
    let windows = (*windows).clone();
    let ghost_ms = ghost_reach(props.ghost.as_deref(), clock.head_ms);
    let least_ms = reach(clock.head_ms, &windows, epoch_ms).max(ghost_ms);
    let short_idle = props.short_idle;
    let idle_from_ms = {
        let gantt = props.gantt.clone();
        // More may still change in the instant of the last change.
        let within = if clock.head_ms == gantt.busy_ms { clock.head_seq } else { 0 };
        *use_memo((gantt.busy_ms, gantt.count(), within), move |_| gantt.idle_from_ms(class_of))
    };
    let (breaks, span_ms) = if short_idle {
        plan(clock.head_ms, least_ms, &props.gantt.quiet, idle_from_ms)
    } else {
        (Vec::new(), horizon(clock.head_ms).max(least_ms))
    };
    let node = use_node_ref();
    let since_ms = clock.head_ms.saturating_sub(idle_from_ms);
    let folds = Folds {
        track_px: use_track_px(&node),
        seen: props.zoom,
        // Counts in quarters of a second while the last stretch folds: the axis is not computed again with every frame.
        idle_ms: if since_ms > LONG_MS { (since_ms / 250 * 250).min(3 * LONG_MS) } else { 0 },
    };
    let whole = (*use_memo((span_ms, breaks.clone(), folds), |(span_ms, breaks, folds)| {
        Axis::new(*span_ms, breaks, *folds)
    }))
    .clone();
    // The strip stays unchanged while the part is dragged along it.
    let full = use_memo((span_ms, breaks, Folds { seen: None, ..folds }), |(span_ms, breaks, folds)| {
        Axis::new(*span_ms, breaks, *folds)
    });
    let axis = match props.zoom {
        Some((from_ms, to_ms)) => whole.part(from_ms, to_ms),
        None => whole,
    };
    use_wheel(&node, &axis);
    use_following(clock.now_ms, props.zoom);
    let said = format!("{}{}", spoken(clock.now_ms), progress(&props.view, props.selected.as_ref()));
    let (now, head) = (axis.x(clock.now_ms), axis.x(clock.head_ms));
    let ghost = props.ghost.clone();
    let end_ms = if ghost.is_some() { lanes_end(clock.head_ms, span_ms) } else { span_ms };
    html! {
        <div ref={node} class="timeline" data-part={axis.is_part().to_string()}>
            <Scrub now_ms={clock.now_ms} head_ms={clock.head_ms} {span_ms} axis={axis.clone()} {short_idle} by_machine={props.by_machine} {said} gantt={props.gantt.clone()} windows={windows.clone()} {epoch_ms} />
            if let Some(part) = props.zoom {
                <minimap::Minimap whole={(*full).clone()} {span_ms} {part} now_ms={clock.now_ms} />
            }
            <div class="lanes-area">
                <Lanes gantt={props.gantt.clone()} ghost={ghost.clone()} event={props.event.clone()} view={props.view.clone()} span_ms={end_ms} axis={axis.clone()} by_machine={props.by_machine} selected={props.selected.clone()} filter={props.filter.clone()} />
                <svg class="lanes-over" aria-hidden="true" focusable="false">
                    { for axis.shortened().map(|(from_ms, to_ms)| html! {
                        <rect class="break-lanes" x={axis.x(from_ms)} width={axis.width(from_ms, to_ms, 0)} height="100%" />
                    }) }
                    if ghost.is_none() {
                        <svg x={head} overflow="visible"><rect class="not-yet" width="100%" height="100%" /></svg>
                    }
                    if clock.now_ms < clock.head_ms {
                        <rect class="ahead" x={now.clone()} width={axis.width(clock.now_ms, clock.head_ms, 0)} height="100%" />
                    }
                    if axis.sees(clock.now_ms) { <line class="playhead" x1={now.clone()} x2={now} y1="0" y2="100%" /> }
                </svg>
                <bands::Bands {windows} {epoch_ms} {span_ms} {axis} />
            </div>
            <Legend ghost={ghost.is_some()} />
        </div>
    }
}

/// The width of the axis in pixels; 0 before it is laid out.
#[hook]
fn use_track_px(node: &NodeRef) -> u64 {
    let width = use_state_eq(|| 0_u64);
    let setter = width.setter();
    use_effect_with(node.clone(), move |node| {
        let node = node.clone();
        let measure = move || {
            let track = node.cast::<web_sys::Element>();
            let track = track.and_then(|track| track.query_selector(".scrub").ok().flatten());
            setter.set(track.map_or(0, |track| u64::try_from(track.client_width()).unwrap_or(0)));
        };
        measure();
        let listener =
            crate::browser::window().map(|window| EventListener::new(&window, "resize", move |_| measure()));
        move || drop(listener)
    });
    *width
}

/// Ctrl and the wheel zoom around the pointer; Shift and the wheel, or a sideways wheel, move along.
#[hook]
fn use_wheel(node: &NodeRef, axis: &Axis) {
    let hub = use_hub();
    use_effect_with((node.clone(), axis.clone()), move |(node, axis)| {
        let axis = axis.clone();
        let listener = node.cast::<web_sys::HtmlElement>().map(|element| {
            // The browser's default would scale the whole page.
            let options = EventListenerOptions::enable_prevent_default();
            EventListener::new_with_options(&element, "wheel", options, move |event| {
                wheel(&hub, &axis, event);
            })
        });
        move || drop(listener)
    });
}

fn wheel(hub: &Hub, axis: &Axis, event: &web_sys::Event) {
    use wasm_bindgen::JsCast;
    let Some(event) = event.dyn_ref::<web_sys::WheelEvent>() else { return };
    let (along, across) = (event.delta_x(), event.delta_y());
    let target = event.target().and_then(|target| target.dyn_into::<web_sys::Element>().ok());
    let timeline = target.and_then(|target| target.closest(".timeline").ok().flatten());
    let track = timeline.and_then(|timeline| timeline.query_selector(".scrub").ok().flatten());
    let Some(track) = track.and_then(|track| track.dyn_into::<web_sys::HtmlElement>().ok()) else { return };
    if event.ctrl_key() || event.meta_key() {
        event.prevent_default();
        hub.send(Action::ZoomAt(across < 0.0, scrub::instant(&track, event.client_x(), axis)));
    } else if axis.is_part() && (event.shift_key() || along.abs() > across.abs()) {
        event.prevent_default();
        let by = if along == 0.0 { across } else { along };
        hub.send(Action::Pan(by > 0.0));
    }
}

/// Keeps the cursor in sight while it moves.
#[hook]
fn use_following(now_ms: u64, zoom: Option<(u64, u64)>) {
    let hub = use_hub();
    use_effect_with(now_ms, move |now_ms| {
        if zoom.is_some_and(|(from, to)| *now_ms < from || *now_ms > to) {
            hub.send(Action::ZoomTo(*now_ms));
        }
    });
}
