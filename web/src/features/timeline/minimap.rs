//! The whole run as a thin strip, with the part that is shown as a window that can be moved and resized.
//!
//! *Knows*: the axis of the whole run. *Must not know*: what happens when.

use crate::store::selectors::axis::Axis;
use crate::store::selectors::brush::{Grip, brushed, by_key};
use crate::store::selectors::time::clock;
use crate::store::{Action, use_hub};
use web_sys::HtmlElement;
use yew::prelude::*;

#[derive(Properties, PartialEq)]
pub(super) struct MinimapProps {
    /// The axis of the whole run.
    pub(super) whole: Axis,
    /// Length of the run as drawn.
    pub(super) span_ms: u64,
    /// The part that is shown.
    pub(super) part: (u64, u64),
    /// The cursor.
    pub(super) now_ms: u64,
}

/// The strip.
#[component]
pub(super) fn Minimap(props: &MinimapProps) -> Html {
    let hub = use_hub();
    let strip = use_node_ref();
    // The dragged grip, where it was taken, and the part at that time.
    let held = use_mut_ref(|| None::<(Grip, u64, (u64, u64))>);
    let (whole, span_ms) = (&props.whole, props.span_ms);
    let at = {
        let (strip, whole) = (strip.clone(), whole.clone());
        move |event: &PointerEvent| {
            let strip = strip.cast::<HtmlElement>()?;
            Some(super::scrub::instant(&strip, event.client_x(), &whole))
        }
    };
    let onpointerdown = {
        let (hub, held, strip, at) = (hub.clone(), held.clone(), strip.clone(), at.clone());
        Callback::from(move |event: PointerEvent| {
            let (Some(at_ms), Some(strip), 0) = (at(&event), strip.cast::<HtmlElement>(), event.button())
            else {
                return;
            };
            event.prevent_default();
            let _ = strip.set_pointer_capture(event.pointer_id());
            let _ = strip.focus();
            let Some(part) = hub.state().ui.zoom else { return };
            hub.send(Action::Pause);
            // Outside of the window: it moves to the pointer, and is dragged from there.
            let edge_ms = (span_ms / 100).max(1);
            let (grip, part) = Grip::at(at_ms, part, edge_ms, span_ms);
            hub.send(Action::ZoomPart(part));
            *held.borrow_mut() = Some((grip, at_ms, part));
        })
    };
    let onpointermove = {
        let (hub, held) = (hub.clone(), held.clone());
        Callback::from(move |event: PointerEvent| {
            let taken = *held.borrow();
            if let (Some((grip, from_ms, part)), Some(at_ms)) = (taken, at(&event)) {
                hub.send(Action::ZoomPart(brushed(part, grip, (from_ms, at_ms), span_ms)));
            }
        })
    };
    let end = Callback::from(move |_: PointerEvent| *held.borrow_mut() = None);
    let onkeydown = Callback::from(move |event: KeyboardEvent| {
        // Keys may come faster than the strip is drawn: each continues from the previous one's result.
        let Some(part) = hub.state().ui.zoom else { return };
        if let Some(part) = by_key(part, &event.key(), event.shift_key(), span_ms) {
            hub.send(Action::Pause);
            hub.send(Action::ZoomPart(part));
            event.prevent_default();
            event.stop_propagation();
        }
    });
    let (from_ms, to_ms) = props.part;
    html! {
        <div class="minimap-row">
            <div ref={strip} class="minimap" role="slider" tabindex="0" aria-label="Part of the run that is shown"
                aria-valuemin="0" aria-valuemax={span_ms.to_string()} aria-valuenow={from_ms.to_string()}
                aria-valuetext={format!("{} to {}", clock(from_ms), clock(to_ms))}
                title="Drag the window or its ends; arrow keys move it, with Shift they resize it"
                {onpointerdown} {onpointermove} onpointerup={end.clone()} onpointercancel={end} {onkeydown}>
                <svg class="scrub-track" aria-hidden="true" focusable="false">
                    <rect class="track" y="30%" width="100%" height="40%" rx="2" />
                    <rect class="minimap-part" x={whole.x(from_ms)} width={whole.width(from_ms, to_ms, 40)} y="5%" height="90%" rx="3" />
                    <line class="playhead" x1={whole.x(props.now_ms)} x2={whole.x(props.now_ms)} y1="0" y2="100%" />
                </svg>
            </div>
        </div>
    }
}
