//! The slider over time, with marks where somebody did something.

use super::bands::ScrubBands;
use crate::store::gantt::{Gantt, Mark, MarkKind};
use crate::store::ptr::Ptr;
use crate::store::selectors::maintenance::Window;
use crate::store::selectors::time::{clock, percent, tick, tick_label};
use crate::store::{Action, Hub, use_hub};
use web_sys::HtmlElement;
use yew::prelude::*;

/// Marks drawn at most; more would hide the axis.
const MARKS: usize = 120;
/// What an arrow key moves by.
const ARROW_MS: u64 = 5000;

#[derive(Properties, PartialEq)]
pub(super) struct ScrubProps {
    /// The cursor.
    pub(super) now_ms: u64,
    /// The head.
    pub(super) head_ms: u64,
    /// Length of the axis.
    pub(super) span_ms: u64,
    /// The position in words.
    pub(super) said: AttrValue,
    /// Marks.
    pub(super) gantt: Ptr<Gantt>,
    /// Maintenance windows.
    pub(super) windows: Ptr<Vec<Window>>,
    /// Calendar time of the start of the run.
    pub(super) epoch_ms: u64,
}

/// The slider.
#[component]
pub(super) fn Scrub(props: &ScrubProps) -> Html {
    let hub = use_hub();
    let track = use_node_ref();
    let dragging = use_mut_ref(|| false);
    let (now_ms, head_ms, span_ms) = (props.now_ms, props.head_ms, props.span_ms);
    let seek = {
        let (hub, track) = (hub.clone(), track.clone());
        move |event: &PointerEvent| {
            if let Some(track) = track.cast::<HtmlElement>() {
                hub.send(Action::SeekMs(instant(&track, event.client_x(), span_ms).min(head_ms)));
            }
        }
    };
    let onpointerdown = {
        let (hub, seek, dragging, track) = (hub.clone(), seek.clone(), dragging.clone(), track.clone());
        Callback::from(move |event: PointerEvent| {
            if event.button() != 0 {
                return;
            }
            event.prevent_default();
            if let Some(track) = track.cast::<HtmlElement>() {
                let _ = track.set_pointer_capture(event.pointer_id());
                let _ = track.focus();
            }
            hub.send(Action::Pause);
            *dragging.borrow_mut() = true;
            seek(&event);
        })
    };
    let onpointermove = {
        let dragging = dragging.clone();
        Callback::from(move |event: PointerEvent| {
            let held = *dragging.borrow();
            if held {
                seek(&event);
            }
        })
    };
    let end = Callback::from(move |_: PointerEvent| *dragging.borrow_mut() = false);
    let onkeydown = keyboard(&hub, now_ms, head_ms);
    let step = tick(span_ms);
    html! {
        <div class="scrub-row">
            <span class="lane-label muted" aria-hidden="true">{ "Time" }</span>
            <div
                ref={track}
                class="scrub"
                role="slider"
                tabindex="0"
                aria-label="Time"
                aria-valuemin="0"
                aria-valuemax={head_ms.to_string()}
                aria-valuenow={now_ms.to_string()}
                aria-valuetext={&props.said}
                {onpointerdown}
                {onpointermove}
                onpointerup={end.clone()}
                onpointercancel={end}
                {onkeydown}
            >
                <svg class="scrub-track" aria-hidden="true" focusable="false">
                    <rect class="track" y="28%" width="100%" height="16%" rx="3" />
                    <rect class="track-ahead" y="28%" width={percent(head_ms, span_ms)} height="16%" rx="3" />
                    <rect class="track-past" y="28%" width={percent(now_ms, span_ms)} height="16%" rx="3" />
                    { for (1..=span_ms / step).map(|n| html! {
                        <line class="tick" x1={percent(n * step, span_ms)} x2={percent(n * step, span_ms)} y1="54%" y2="64%" />
                    }) }
                </svg>
                <ScrubBands windows={props.windows.clone()} epoch_ms={props.epoch_ms} {span_ms} />
                <Marks gantt={props.gantt.clone()} {span_ms} />
                <Ticks {span_ms} />
                <svg class="scrub-track" aria-hidden="true" focusable="false">
                    <circle class="thumb" cx={percent(now_ms, span_ms)} cy="36%" r="7" />
                </svg>
            </div>
        </div>
    }
}

fn keyboard(hub: &Hub, now_ms: u64, head_ms: u64) -> Callback<KeyboardEvent> {
    let hub = hub.clone();
    Callback::from(move |event: KeyboardEvent| {
        let by = if event.shift_key() { (head_ms / 10).max(1) } else { ARROW_MS };
        let to = match event.key().as_str() {
            "ArrowLeft" | "ArrowDown" => now_ms.saturating_sub(by),
            // Beyond the head the world is run on.
            "ArrowRight" | "ArrowUp" => now_ms.saturating_add(by),
            "PageDown" => now_ms.saturating_sub((head_ms / 10).max(1)),
            "PageUp" => now_ms.saturating_add((head_ms / 10).max(1)).min(head_ms),
            "Home" => 0,
            "End" => head_ms,
            _ => return,
        };
        event.prevent_default();
        event.stop_propagation();
        hub.send(Action::Pause);
        hub.send(Action::SeekMs(to));
    })
}

fn instant(track: &HtmlElement, client_x: i32, span_ms: u64) -> u64 {
    let place = track.get_bounding_client_rect();
    let share = ((f64::from(client_x) - place.left()) / place.width().max(1.0)).clamp(0.0, 1.0);
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        clippy::cast_precision_loss,
        reason = "a place on an axis, clamped to it"
    )]
    let ms = (share * span_ms as f64) as u64;
    ms
}

#[derive(Properties, PartialEq)]
struct TicksProps {
    span_ms: u64,
}

/// Words under the axis.
#[component]
fn Ticks(props: &TicksProps) -> Html {
    let step = tick(props.span_ms);
    html! {
        <svg class="scrub-track" aria-hidden="true" focusable="false">
            { for (1..props.span_ms / step).map(|n| html! {
                <text class="tick-word" x={percent(n * step, props.span_ms)} y="100%" dy="-2" text-anchor="middle">
                    { tick_label(n * step) }
                </text>
            }) }
        </svg>
    }
}

#[derive(Properties, PartialEq)]
struct MarksProps {
    gantt: Ptr<Gantt>,
    span_ms: u64,
}

/// Where somebody did something.
#[component]
fn Marks(props: &MarksProps) -> Html {
    let marks = &props.gantt.marks;
    let shown = marks.iter().filter(|mark| mark.at_ms > 0).rev().take(MARKS);
    html! {
        <svg class="scrub-track marks" aria-hidden="true" focusable="false">
            { for shown.map(|mark| mark_view(mark, props.span_ms)) }
        </svg>
    }
}

fn mark_view(mark: &Mark, span_ms: u64) -> Html {
    let (name, family) = match mark.kind {
        MarkKind::Command => ("flag", "active"),
        MarkKind::Refused => ("cross", "error"),
        MarkKind::Fault => ("lightning", "forced"),
        MarkKind::Note => ("book", "neutral"),
    };
    html! {
        <svg key={mark.seq} class="mark" data-family={family} x={percent(mark.at_ms, span_ms)} overflow="visible">
            <title>{ format!("{} {}", clock(mark.at_ms), mark.text) }</title>
            <use href={format!("#i-{name}")} x="-6" y="0" width="12" height="12" />
        </svg>
    }
}
