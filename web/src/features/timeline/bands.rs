//! Maintenance windows as bands across all lanes. A band can be moved and resized by pointer and by keys; the result is
//! posted as a new schedule at the instant shown.
//!
//! *Knows*: windows and the axis. *Must not know*: which schedule the master accepts.

use crate::store::ptr::Ptr;
use crate::store::selectors::axis::Axis;
use crate::store::selectors::maintenance::{Part, Window, instead, is_beyond, rows, unsigned};
use crate::store::state::Dialog;
use crate::store::{Action, Hub, use_hub};
use crate::ui::icon;
use planarium_protocol::Input;
use wasm_bindgen::JsCast;
use web_sys::{Element, HtmlElement};
use yew::prelude::*;

/// Time that an arrow key moves by.
const ARROW_MS: i64 = 5000;

#[derive(Properties, PartialEq)]
pub(super) struct BandsProps {
    /// The windows of the schedule.
    pub(super) windows: Ptr<Vec<Window>>,
    /// Calendar time of the start of the run.
    pub(super) epoch_ms: u64,
    /// Length of the axis.
    pub(super) span_ms: u64,
    /// The time axis.
    pub(super) axis: Axis,
}

/// All bands.
#[component]
pub(super) fn Bands(props: &BandsProps) -> Html {
    let hub = use_hub();
    let (span_ms, epoch_ms) = (props.span_ms, props.epoch_ms);
    if props.windows.is_empty() {
        return Html::default();
    }
    let rows = rows(&props.windows, span_ms / 20, epoch_ms);
    let beyond: Vec<String> = props
        .windows
        .iter()
        .filter(|window| is_beyond(window, span_ms, epoch_ms))
        .map(|window| format!("{}: {}", window.who(), window.words(epoch_ms)))
        .collect();
    html! {
        <div class="bands" role="group" aria-label="Maintenance windows">
            { for props.windows.iter().zip(rows).enumerate()
                .filter(|(_, (window, _))| !is_beyond(window, span_ms, epoch_ms) && in_sight(window, &props.axis, epoch_ms))
                .map(|(at, (_, row))| html! {
                    <Band key={at} windows={props.windows.clone()} {at} {row} {epoch_ms} {span_ms} axis={props.axis.clone()} />
                }) }
            if !beyond.is_empty() {
                <button type="button" class="band-beyond" title={beyond.join("\n")}
                    onclick={hub.act(Action::OpenDialog(Dialog::Maintenance(None)))}>
                    { icon("spanner") }
                    { if beyond.len() == 1 { "1 window later".to_owned() } else { format!("{} windows later", beyond.len()) } }
                    { icon("chevron-right") }
                </button>
            }
        </div>
    }
}

#[derive(Properties, PartialEq)]
struct BandProps {
    windows: Ptr<Vec<Window>>,
    at: usize,
    row: usize,
    epoch_ms: u64,
    span_ms: u64,
    axis: Axis,
}

/// Returns whether anything of a window can be seen.
fn in_sight(window: &Window, axis: &Axis, epoch_ms: u64) -> bool {
    let start = unsigned(window.start_ms(epoch_ms));
    axis.sees_any(start, window.end_ms(epoch_ms).map_or(u64::MAX, unsigned))
}

/// One band; while it is dragged it shows its new place.
#[component]
fn Band(props: &BandProps) -> Html {
    let hub = use_hub();
    let node = use_node_ref();
    let moved = use_state_eq(|| (Part::Whole, 0_i64));
    let drag = use_mut_ref(|| None::<(Part, i32)>);
    let (epoch_ms, span_ms) = (props.epoch_ms, props.span_ms);
    let window = props.windows.get(props.at).cloned();
    {
        // Another schedule, or another instant: nothing is held any more.
        let moved = moved.setter();
        use_effect_with(window.clone(), move |_| moved.set((Part::Whole, 0)));
    }
    let shown = window.as_ref().map(|window| window.moved(moved.0, moved.1, epoch_ms));
    let place = shown.as_ref().map(|window| {
        let start = unsigned(window.start_ms(epoch_ms)).min(span_ms);
        let end = window.end_ms(epoch_ms).map_or(span_ms, unsigned).min(span_ms);
        (props.axis.x(start), props.axis.width(start, end, 0), props.row)
    });
    use_effect_with((node.clone(), place), |(node, place)| {
        if let (Some(element), Some((left, width, row))) = (node.cast::<HtmlElement>(), place) {
            let style = element.style();
            let _ = style.set_property("left", left);
            let _ = style.set_property("width", width);
            let _ = style.set_property("--band-row", &row.to_string());
        }
    });
    let (Some(window), Some(shown)) = (window, shown) else { return Html::default() };
    let held = moved.1 != 0 && shown != window;
    // Posts the moved window, and returns whether it was moved. Keys may come faster than the band is drawn, and the
    // schedule may have changed since.
    let finish = {
        let (hub, at, window, moved) = (hub.clone(), props.at, window.clone(), moved.clone());
        move || {
            let shown = window.moved(moved.0, moved.1, epoch_ms);
            moved.set((Part::Whole, 0));
            if shown == window {
                return false;
            }
            put(&hub, instead(&hub.state().world.view.cluster, at, &window, Some(shown)));
            true
        }
    };
    let onpointermove = {
        let (drag, moved) = (drag.clone(), moved.clone());
        let scale_ms = props.axis.scale_ms(unsigned(window.start_ms(epoch_ms)));
        Callback::from(move |event: PointerEvent| {
            let held = *drag.borrow();
            if let (Some((part, from)), Some(width)) = (held, axis_width(&event)) {
                moved.set((part, seconds(event.client_x() - from, width, scale_ms)));
            }
        })
    };
    let onpointerup = {
        let (drag, finish) = (drag.clone(), finish.clone());
        Callback::from(move |_: PointerEvent| {
            if drag.borrow_mut().take().is_some() {
                finish();
            }
        })
    };
    let let_go = {
        let (drag, moved) = (drag.clone(), moved.clone());
        move || {
            *drag.borrow_mut() = None;
            moved.set((Part::Whole, 0));
        }
    };
    let who = window.who();
    let said = format!(
        "{}{}",
        shown.words(epoch_ms),
        if held { "; not posted yet: Enter posts it, Escape puts it back" } else { "" }
    );
    let slider = |part: Part, label: String, now_ms: i64, class: &'static str, content: Html| {
        let onpointerdown = {
            let (hub, drag) = (hub.clone(), drag.clone());
            Callback::from(move |event: PointerEvent| {
                if event.button() != 0 {
                    return;
                }
                event.prevent_default();
                if let Some(element) = event.target_dyn_into::<HtmlElement>() {
                    let _ = element.set_pointer_capture(event.pointer_id());
                    let _ = element.focus();
                }
                hub.send(Action::Pause);
                *drag.borrow_mut() = Some((part, event.client_x()));
            })
        };
        let onkeydown = {
            let (hub, finish, let_go, moved) = (hub.clone(), finish.clone(), let_go.clone(), moved.clone());
            let (window, at) = (window.clone(), props.at);
            Callback::from(move |event: KeyboardEvent| {
                let so_far = if moved.0 == part { moved.1 } else { 0 };
                match asked(&event, span_ms) {
                    Some(Key::By(by)) => {
                        hub.send(Action::Pause);
                        moved.set((part, so_far.saturating_add(by)));
                    }
                    Some(Key::Enter) => {
                        if !finish() {
                            hub.send(Action::OpenDialog(Dialog::Maintenance(None)));
                        }
                    }
                    Some(Key::Escape) => let_go(),
                    Some(Key::Delete) => {
                        put(&hub, instead(&hub.state().world.view.cluster, at, &window, None));
                        // The band goes, the focus stays nearby.
                        crate::browser::focus(".scrub");
                    }
                    None => return,
                }
                event.prevent_default();
                event.stop_propagation();
            })
        };
        let onblur = {
            let let_go = let_go.clone();
            Callback::from(move |_: FocusEvent| let_go())
        };
        let onpointercancel = {
            let let_go = let_go.clone();
            Callback::from(move |_: PointerEvent| let_go())
        };
        html! {
            <div {class} role="slider" tabindex="0" aria-label={label} aria-valuemin="0" aria-valuemax={span_ms.to_string()}
                aria-valuenow={unsigned(now_ms).to_string()} aria-valuetext={said.clone()}
                title="Drag, or use the arrow keys and Enter; Delete cancels the window"
                {onpointerdown} onpointermove={onpointermove.clone()} onpointerup={onpointerup.clone()} {onpointercancel}
                {onkeydown} {onblur}>
                { content }
            </div>
        }
    };
    let (start, end) = (shown.start_ms(epoch_ms), shown.end_ms(epoch_ms));
    let label = html! { <>{ icon("spanner") }<span>{ if held { shown.words(epoch_ms) } else { who.clone() } }</span></> };
    html! {
        <div ref={node} class="band" data-held={held.to_string()} data-open={end.is_none().to_string()}>
            <div class="band-body" aria-hidden="true"></div>
            { slider(Part::Whole, format!("Window of {who}"), start, "band-grip", label) }
            { slider(Part::Start, format!("Begin of the window of {who}"), start, "band-edge band-start", Html::default()) }
            if let Some(end) = end {
                { slider(Part::End, format!("End of the window of {who}"), end, "band-edge band-end", Html::default()) }
            }
        </div>
    }
}

fn put(hub: &Hub, input: Option<Input>) {
    if let Some(input) = input {
        hub.send(Action::Do(Box::new(input)));
    }
}

/// Meanings of a key.
enum Key {
    By(i64),
    Enter,
    Escape,
    Delete,
}

fn asked(event: &KeyboardEvent, span_ms: u64) -> Option<Key> {
    let by = if event.shift_key() { ARROW_MS * 6 } else { ARROW_MS };
    let page = i64::try_from(span_ms / 10_000).unwrap_or(0).max(1) * 1000;
    Some(match event.key().as_str() {
        "ArrowLeft" | "ArrowDown" => Key::By(-by),
        "ArrowRight" | "ArrowUp" => Key::By(by),
        "PageDown" => Key::By(-page),
        "PageUp" => Key::By(page),
        "Enter" => Key::Enter,
        "Escape" => Key::Escape,
        "Delete" | "Backspace" => Key::Delete,
        _ => return None,
    })
}

/// Width of the axis that a band is on.
fn axis_width(event: &PointerEvent) -> Option<f64> {
    let target = event.target()?.dyn_into::<Element>().ok()?;
    let axis = target.closest(".bands").ok()??;
    Some(axis.get_bounding_client_rect().width().max(1.0))
}

/// A distance in pixels as time, in whole seconds.
fn seconds(px: i32, width: f64, span_ms: u64) -> i64 {
    #[expect(clippy::cast_possible_truncation, clippy::cast_precision_loss, reason = "a distance on an axis")]
    let seconds = (f64::from(px) / width * span_ms as f64 / 1000.0).round() as i64;
    seconds.saturating_mul(1000)
}

#[derive(Properties, PartialEq)]
pub(super) struct ScrubBandsProps {
    /// The windows of the schedule.
    pub(super) windows: Ptr<Vec<Window>>,
    /// Calendar time of the start of the run.
    pub(super) epoch_ms: u64,
    /// Length of the axis.
    pub(super) span_ms: u64,
    /// The time axis.
    pub(super) axis: Axis,
}

/// The windows as stripes on the slider over time, where lanes may be hidden.
#[component]
pub(super) fn ScrubBands(props: &ScrubBandsProps) -> Html {
    let span_ms = props.span_ms;
    html! {
        <svg class="scrub-track" aria-hidden="true" focusable="false">
            { for props.windows.iter().map(|window| {
                let start = unsigned(window.start_ms(props.epoch_ms)).min(span_ms);
                let end = window.end_ms(props.epoch_ms).map_or(span_ms, unsigned).min(span_ms);
                let (x, width) = (props.axis.x(start), props.axis.width(start, end, 0));
                html! {
                    <rect class="scrub-band" {x} {width} y="12%" height="12%" />
                }
            }) }
        </svg>
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distances_are_whole_seconds_of_the_axis() {
        for (px, want) in [(0, 0), (100, 12_000), (-100, -12_000), (1, 0), (5, 1_000)] {
            assert_eq!(seconds(px, 1000.0, 120_000), want, "{px}");
        }
    }
}
