//! A border between panes that can be dragged or moved by keys.

use web_sys::HtmlElement;
use yew::prelude::*;

#[derive(Properties, PartialEq)]
pub(crate) struct SplitterProps {
    /// Its label, e.g. `Editor width`.
    pub(crate) label: AttrValue,
    /// Id of the pane it resizes.
    pub(crate) controls: AttrValue,
    /// Vertical, moved sideways.
    #[prop_or_default]
    pub(crate) upright: bool,
    /// Moving to the right or downwards makes the pane smaller.
    #[prop_or_default]
    pub(crate) reversed: bool,
    /// Measure in thousandths of the page rather than pixels.
    #[prop_or_default]
    pub(crate) relative: bool,
    /// Size now.
    pub(crate) value: u32,
    /// Smallest size.
    pub(crate) min: u32,
    /// Largest size.
    pub(crate) max: u32,
    /// A new size.
    pub(crate) onmove: Callback<u32>,
    /// Back to the first size.
    pub(crate) onreset: Callback<()>,
}

/// The border.
#[component]
pub(crate) fn Splitter(props: &SplitterProps) -> Html {
    let drag = use_mut_ref(|| None::<(i32, u32)>);
    // Keys may come faster than the border is drawn: each continues from the previous one's size.
    let size = use_mut_ref(|| props.value);
    *size.borrow_mut() = props.value;
    let moved = {
        let (upright, reversed, relative) = (props.upright, props.reversed, props.relative);
        let (min, max, onmove, size) = (props.min, props.max, props.onmove.clone(), size.clone());
        move |from: u32, by_px: i32| {
            let by_px = if reversed { -by_px } else { by_px };
            let by = if relative { by_px.saturating_mul(1000) / page_size(upright) } else { by_px };
            let to = i64::from(from) + i64::from(by);
            let to = u32::try_from(to.max(0)).unwrap_or(min).clamp(min, max);
            *size.borrow_mut() = to;
            onmove.emit(to);
        }
    };
    let place = {
        let upright = props.upright;
        move |event: &PointerEvent| if upright { event.client_x() } else { event.client_y() }
    };
    let onpointerdown = {
        let (drag, size) = (drag.clone(), size.clone());
        Callback::from(move |event: PointerEvent| {
            event.prevent_default();
            if let Some(element) = event.target_dyn_into::<HtmlElement>() {
                let _ = element.set_pointer_capture(event.pointer_id());
                let _ = element.focus();
            }
            *drag.borrow_mut() = Some((place(&event), *size.borrow()));
        })
    };
    let onpointermove = {
        let (drag, moved) = (drag.clone(), moved.clone());
        Callback::from(move |event: PointerEvent| {
            let held = *drag.borrow();
            if let Some((start, size)) = held {
                moved(size, place(&event) - start);
            }
        })
    };
    let end = Callback::from(move |_: PointerEvent| *drag.borrow_mut() = None);
    let onkeydown = {
        let (min, max, onmove, onreset) = (props.min, props.max, props.onmove.clone(), props.onreset.clone());
        Callback::from(move |event: KeyboardEvent| {
            let value = *size.borrow();
            match event.key().as_str() {
                "ArrowLeft" | "ArrowUp" => moved(value, -16),
                "ArrowRight" | "ArrowDown" => moved(value, 16),
                "Home" => onmove.emit(min),
                "End" => onmove.emit(max),
                "Enter" => onreset.emit(()),
                _ => return,
            }
            event.prevent_default();
            event.stop_propagation();
        })
    };
    let ondblclick = props.onreset.reform(|_| ());
    html! {
        <div
            class="splitter"
            data-upright={props.upright.to_string()}
            role="separator"
            tabindex="0"
            aria-label={&props.label}
            aria-controls={&props.controls}
            aria-orientation={if props.upright { "vertical" } else { "horizontal" }}
            aria-valuenow={props.value.to_string()}
            aria-valuemin={props.min.to_string()}
            aria-valuemax={props.max.to_string()}
            title="Drag, or use the arrow keys; double-click to reset"
            {onpointerdown}
            {onpointermove}
            onpointerup={end.clone()}
            onpointercancel={end}
            {onkeydown}
            {ondblclick}
        />
    }
}

fn page_size(upright: bool) -> i32 {
    let root = crate::browser::root();
    root.map_or(1000, |root| if upright { root.client_width() } else { root.client_height() }).max(1)
}
