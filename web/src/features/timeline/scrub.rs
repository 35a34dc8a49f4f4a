//! The slider over time, with marks of user actions.

use super::bands::ScrubBands;
use crate::browser;
use crate::store::gantt::{Gantt, Mark, MarkKind};
use crate::store::ptr::Ptr;
use crate::store::selectors::axis::Axis;
use crate::store::selectors::maintenance::Window;
use crate::store::selectors::time::{clock, short, tick_label};
use crate::store::{Action, Hub, use_hub};
use crate::ui::IconButton;
use web_sys::HtmlElement;
use yew::prelude::*;

/// Marks drawn at most; more would hide the axis.
const MARKS: usize = 120;
/// The namespace of words within a drawing.
const HTML: &str = "http://www.w3.org/1999/xhtml";
/// Time that an arrow key moves by.
const ARROW_MS: u64 = 5000;

#[derive(Properties, PartialEq)]
pub(super) struct ScrubProps {
    /// The cursor.
    pub(super) now_ms: u64,
    /// The head.
    pub(super) head_ms: u64,
    /// Length of the run as drawn.
    pub(super) span_ms: u64,
    /// The time axis.
    pub(super) axis: Axis,
    /// Idle stretches are drawn short.
    pub(super) short_idle: bool,
    /// Lanes are tasks by machine rather than steps.
    pub(super) by_machine: bool,
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
        let (hub, track, axis) = (hub.clone(), track.clone(), props.axis.clone());
        move |event: &PointerEvent| {
            if let Some(track) = track.cast::<HtmlElement>() {
                hub.send(Action::SeekMs(instant(&track, event.client_x(), &axis).min(head_ms)));
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
    let onkeydown = keyboard(&hub);
    let axis = &props.axis;
    html! {
        <div class="scrub-row">
            <Zoom {now_ms} part={axis.is_part()} short_idle={props.short_idle} by_machine={props.by_machine} />
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
                    <rect class="track-ahead" y="28%" width={axis.x(head_ms)} height="16%" rx="3" />
                    <rect class="track-past" y="28%" width={axis.x(now_ms)} height="16%" rx="3" />
                </svg>
                <ScrubBands windows={props.windows.clone()} epoch_ms={props.epoch_ms} {span_ms} axis={axis.clone()} />
                <Marks gantt={props.gantt.clone()} axis={axis.clone()} />
                <Ticks axis={axis.clone()} />
                if axis.sees(now_ms) {
                    <svg class="scrub-track" aria-hidden="true" focusable="false">
                        <circle class="thumb" cx={axis.x(now_ms)} cy="36%" r="7" />
                    </svg>
                }
            </div>
        </div>
    }
}

fn keyboard(hub: &Hub) -> Callback<KeyboardEvent> {
    let hub = hub.clone();
    Callback::from(move |event: KeyboardEvent| {
        // Where the last key led may not be reached yet.
        let (now_ms, head_ms) = (hub.aim_ms(), hub.state().world.clock.head_ms);
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

/// The instant under a place on the page.
pub(super) fn instant(track: &HtmlElement, client_x: i32, axis: &Axis) -> u64 {
    let place = track.get_bounding_client_rect();
    axis.instant((f64::from(client_x) - place.left()) / place.width().max(1.0))
}

#[derive(Properties, PartialEq)]
struct ZoomProps {
    now_ms: u64,
    part: bool,
    short_idle: bool,
    by_machine: bool,
}

/// Controls of the visible part of the run.
#[component]
fn Zoom(props: &ZoomProps) -> Html {
    let hub = use_hub();
    let whole = (!props.part).then(|| AttrValue::from("all of the run is shown"));
    let at = props.now_ms;
    html! {
        <div class="zoom" role="group" aria-label="Timeline">
            <IconButton icon="zoom-in" label="Zoom in" onclick={hub.act(Action::ZoomAt(true, at))} />
            <IconButton icon="zoom-out" label="Zoom out" refused={whole.clone()} onclick={hub.act(Action::ZoomAt(false, at))} />
            <IconButton icon="zoom-all" label="Show all of the run" refused={whole} onclick={hub.act(Action::ZoomAll)} />
            <IconButton icon="idle" label="Short idle stretches" pressed={props.short_idle} onclick={hub.act(Action::ToggleIdle)} />
            <IconButton icon="machine" label="Lanes by machine" pressed={props.by_machine} onclick={hub.act(Action::ToggleByMachine)} />
        </div>
    }
}

#[derive(Properties, PartialEq)]
struct TicksProps {
    axis: Axis,
}

/// The labels of the axis, and its breaks.
#[component]
fn Ticks(props: &TicksProps) -> Html {
    let axis = &props.axis;
    html! {
        <svg class="scrub-track" aria-hidden="true" focusable="false">
            { for axis.ticks().into_iter().map(|(at_ms, words)| {
                let x = axis.x(at_ms);
                html! {
                    <>
                        <line class="tick" x1={x.clone()} x2={x.clone()} y1="54%" y2="64%" />
                        if words {
                            <text class="tick-word" {x} y="100%" dy="-2" text-anchor="middle">{ tick_label(at_ms) }</text>
                        }
                    </>
                }
            }) }
            { for axis.shortened().map(|(from_ms, to_ms)| html! {
                <svg class="break" x={axis.x(from_ms)} width={axis.width(from_ms, to_ms, 0)} overflow="visible">
                    <title>{ format!("{} in which nothing changed", short(to_ms - from_ms)) }</title>
                    <rect class="break-gap" y="24%" width="100%" height="24%" />
                    <text class="tick-word" x="50%" y="100%" dy="-2" text-anchor="middle">{ "⋯" }</text>
                </svg>
            }) }
        </svg>
    }
}

#[derive(Properties, PartialEq)]
struct MarksProps {
    gantt: Ptr<Gantt>,
    axis: Axis,
}

/// Marks of operations.
#[component]
fn Marks(props: &MarksProps) -> Html {
    let marks = &props.gantt.marks;
    let shown = marks.iter().filter(|mark| mark.at_ms > 0 && props.axis.sees(mark.at_ms)).rev().take(MARKS);
    // Words need room up to the next mark, or to the end.
    let ends = std::iter::once(10_000).chain(shown.clone().map(|mark| props.axis.seen(mark.at_ms)));
    let letter =
        LETTERS.iter().find(|(page, _)| browser::matches(page)).map_or(LETTER, |(_, letter)| *letter);
    // The last one's words may stand before it.
    let before =
        shown.clone().nth(1).map_or(0, |mark| props.axis.seen(mark.at_ms) + (length(mark) + 3) * letter);
    html! {
        <svg class="scrub-track marks" aria-hidden="true" focusable="false">
            { for shown.zip(ends).enumerate().map(|(nth, (mark, end))| {
                let at = props.axis.seen(mark.at_ms);
                let turned = nth == 0 && turns(length(mark) * letter, at - before, end - at - 2 * letter);
                mark_view(mark, &props.axis, end - at, letter, turned)
            }) }
        </svg>
    }
}

/// Room for a letter. *Units*: hundredths of a percent of the axis.
const LETTER: i64 = 106;
/// The same on pages on which a letter takes more or less of the axis.
const LETTERS: [(&str, i64); 2] = [("(width < 768px)", 167), ("(width >= 1200px)", 60)];
/// Most letters of a mark.
const LONGEST: i64 = 72;

/// Number of letters of a mark.
fn length(mark: &Mark) -> i64 {
    i64::try_from(mark.text.chars().count()).unwrap_or(0)
}

/// Returns whether words go before their mark: they fit there, and not after it.
fn turns(words: i64, before: i64, after: i64) -> bool {
    words > after && words <= before
}

fn mark_view(mark: &Mark, axis: &Axis, room: i64, letter: i64, turned: bool) -> Html {
    // The place of the words: up to the next mark, or back to the one before.
    let wide = if turned { length(mark).min(LONGEST) * letter + 4 * letter } else { room };
    let width = format!("{}.{:02}%", wide / 100, wide % 100);
    let (name, family) = match mark.kind {
        MarkKind::Command => ("flag", "active"),
        MarkKind::Refused => ("cross", "error"),
        MarkKind::Fault => ("lightning", "forced"),
        MarkKind::Note => ("book", "neutral"),
    };
    html! {
        <svg key={mark.seq} class="mark" data-family={family} x={axis.x(mark.at_ms)} overflow="visible">
            <title>{ format!("{} {}", clock(mark.at_ms), mark.text) }</title>
            <use href={format!("#i-{name}")} x="-6" y="0" width="12" height="12" />
            if turned {
                // Its width is a share of the axis, which ends at the mark.
                <svg x={format!("-{width}")} {width} overflow="visible">
                    <foreignObject x="-9" width="100%" height="13">
                        <div xmlns={HTML} class="mark-room" data-turned="true"><span class="mark-word">{ &*mark.text }</span></div>
                    </foreignObject>
                </svg>
            } else if room / letter > 6 {
                <foreignObject x="8" {width} height="13">
                    <div xmlns={HTML} class="mark-room"><span class="mark-word">{ &*mark.text }</span></div>
                </foreignObject>
            }
        </svg>
    }
}
