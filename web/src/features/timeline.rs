//! The timeline: a slider over the whole past, and a lane per step.
//!
//! *Knows*: stretches and marks by instants. *Must not know*: what a status means.

mod bands;
mod lanes;
mod scrub;

use crate::store::gantt::Gantt;
use crate::store::ptr::Ptr;
use crate::store::selectors::announce::progress;
use crate::store::selectors::maintenance::{reach, windows};
use crate::store::selectors::time::{percent, spoken};
use crate::store::state::Clock;
use lanes::Lanes;
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
    /// The view.
    pub(crate) view: Ptr<View>,
    /// Selected element.
    pub(crate) selected: Option<ElementPath>,
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
    let span_ms = reach(clock.head_ms, &windows, epoch_ms);
    let said = format!("{}{}", spoken(clock.now_ms), progress(&props.view, props.selected.as_ref()));
    let (now, head) = (percent(clock.now_ms, span_ms), percent(clock.head_ms, span_ms));
    html! {
        <div class="timeline">
            <Scrub now_ms={clock.now_ms} head_ms={clock.head_ms} {span_ms} {said} gantt={props.gantt.clone()} windows={windows.clone()} {epoch_ms} />
            <div class="lanes-area">
                <Lanes gantt={props.gantt.clone()} view={props.view.clone()} {span_ms} selected={props.selected.clone()} />
                <svg class="lanes-over" aria-hidden="true" focusable="false">
                    <svg x={head.clone()} overflow="visible"><rect class="not-yet" width="100%" height="100%" /></svg>
                    if clock.now_ms < clock.head_ms {
                        <rect class="ahead" x={now.clone()} width={percent(clock.head_ms - clock.now_ms, span_ms)} height="100%" />
                    }
                    <line class="playhead" x1={now.clone()} x2={now} y1="0" y2="100%" />
                </svg>
                <bands::Bands {windows} {epoch_ms} {span_ms} />
            </div>
        </div>
    }
}
