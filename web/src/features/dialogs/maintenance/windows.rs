//! The windows of the schedule, and what each one means for the services.

use crate::store::ptr::Ptr;
use crate::store::selectors::maintenance::{Window, impacts};
use crate::ui::{Button, icon};
use planarium_protocol::View;
use yew::prelude::*;

#[derive(Properties, PartialEq)]
pub(super) struct WindowListProps {
    /// The view.
    pub(super) view: Ptr<View>,
    /// The windows.
    pub(super) windows: Vec<Window>,
    /// Edit the one at this place.
    pub(super) onedit: Callback<usize>,
    /// Take the one at this place out.
    pub(super) oncancel: Callback<usize>,
}

/// The list.
#[component]
pub(super) fn WindowList(props: &WindowListProps) -> Html {
    if props.windows.is_empty() {
        return html! { <p class="muted">{ "Nothing is scheduled." }</p> };
    }
    html! {
        <ol class="windows" aria-label="Windows">
            { for props.windows.iter().enumerate().map(|(at, window)| row(props, at, window)) }
        </ol>
    }
}

fn row(props: &WindowListProps, at: usize, window: &Window) -> Html {
    let modes = props.view.cluster.windows.get(at).map(|view| view.machines.as_slice()).unwrap_or_default();
    let (edit, cancel) = (props.onedit.clone(), props.oncancel.clone());
    let who = window.who();
    html! {
        <li class="window" key={at}>
            <p class="window-when">{ window.words(props.view.clock.epoch_ms) }</p>
            <ul class="window-machines" aria-label="Its machines">
                { for window.machines.iter().zip(modes).map(|(name, scheduled)| {
                    let down = &*scheduled.mode == "DOWN";
                    html! {
                        <li class="chip" data-family="waiting">
                            { icon(if down { "lock" } else { "spanner" }) }
                            { format!("{} {}", name.words(), scheduled.mode) }
                        </li>
                    }
                }) }
            </ul>
            <ul class="window-impacts">
                { for modes.iter().filter_map(|scheduled| {
                    let text = scheduled.unmatched.as_ref()?;
                    let name = scheduled.hostname.as_ref().or(scheduled.ip.as_ref())?;
                    Some(html! {
                        <li data-family="error">{ icon("error") }<span>{ format!("{name}: {text}") }</span></li>
                    })
                }) }
                { for impacts(&props.view, &window.machines).iter().map(|impact| html! {
                    <li data-family={if impact.breaks() { "error" } else { "neutral" }}>
                        { icon(if impact.breaks() { "error" } else { "info" }) }
                        <span>{ impact.words() }</span>
                    </li>
                }) }
            </ul>
            <div class="button-row">
                <Button label="Edit" icon="edit" title={format!("Edit the window of {who}")}
                    onclick={Callback::from(move |_| edit.emit(at))} />
                <Button label="Cancel the window" icon="trash" title={format!("Post the schedule without {who}")}
                    onclick={Callback::from(move |_| cancel.emit(at))} />
            </div>
        </li>
    }
}
