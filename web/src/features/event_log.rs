//! The event log: events, their causes, and the way to their moment.

use super::why::past::causes;
use crate::store::events::EventLog;
use crate::store::selectors::log::LogIndex;
use crate::store::selectors::time::clock;
use crate::store::selectors::words::{because, icon as event_icon};
use crate::store::state::LogFilter;
use crate::store::{Action, Hub, use_hub};
use crate::ui::icon;
use crate::ui::spacer::Spacer;
use crate::ui::virtual_list::use_slice;
use planarium_protocol::Event;
use planarium_protocol::event::Importance;
use web_sys::{HtmlElement, HtmlInputElement, HtmlSelectElement};
use yew::prelude::*;

#[derive(Properties, PartialEq)]
pub(crate) struct LogPaneProps {
    /// The events up to the head.
    pub(crate) log: EventLog,
    /// Last event at the cursor.
    pub(crate) seq: u64,
    /// The filter of shown events.
    pub(crate) filter: LogFilter,
}

const LEVELS: [(Importance, &str, &str); 3] = [
    (Importance::Low, "low", "Everything"),
    (Importance::Normal, "normal", "The story"),
    (Importance::High, "high", "Failures and commands"),
];

/// The log.
#[component]
pub(crate) fn LogPane(props: &LogPaneProps) -> Html {
    let hub = use_hub();
    let index = use_mut_ref(LogIndex::default);
    index.borrow_mut().update(&props.log, &props.filter);
    let index = index.borrow();
    let scroller = use_node_ref();
    let total = index.shown.len();
    let (slice, onscroll) = use_slice(&scroller, total, 28);
    let passed = index.shown_to(props.log.count_to(props.seq));
    {
        let scroller = scroller.clone();
        let opened = use_mut_ref(|| false);
        use_effect_with(passed, move |passed| follow(&scroller, *passed, !opened.replace(true)));
    }
    let kept = props.log.kept();

    // One half of the filter may have changed since it was drawn beside the other.
    let onlevel = {
        let hub = hub.clone();
        Callback::from(move |event: Event_| {
            let value =
                event.target_dyn_into::<HtmlSelectElement>().map(|select| select.value()).unwrap_or_default();
            let level = LEVELS
                .iter()
                .find(|(_, id, _)| *id == value)
                .map_or(Importance::Normal, |(level, ..)| *level);
            hub.send(Action::Filter(LogFilter { level, ..hub.state().ui.filter.clone() }));
        })
    };
    let ontext = {
        let hub = hub.clone();
        Callback::from(move |event: InputEvent| {
            let text =
                event.target_dyn_into::<HtmlInputElement>().map(|input| input.value()).unwrap_or_default();
            hub.send(Action::Filter(LogFilter { text: text.into(), ..hub.state().ui.filter.clone() }));
        })
    };
    let rows = index.shown.iter().enumerate().skip(slice.start).take(slice.take);
    html! {
        <div class="log">
            <div class="log-tools">
                <label>
                    <span class="visually-hidden">{ "Which events" }</span>
                    <select onchange={onlevel}>
                        { for LEVELS.iter().map(|(level, id, label)| html! {
                            <option value={*id} selected={*level == props.filter.level}>{ *label }</option>
                        }) }
                    </select>
                </label>
                <label class="search">
                    { icon("search") }
                    <span class="visually-hidden">{ "Filter events by text" }</span>
                    <input id="log-filter" type="search" placeholder="Filter" value={hub.state().ui.filter.text.clone()} oninput={ontext} />
                </label>
                <span class="muted figure">{ format!("{passed} of {total}") }</span>
            </div>
            <div ref={scroller.clone()} class="log-rows" role="log" aria-live="off" aria-label="Events" tabindex="0" {onscroll}>
                if kept.start > 0 {
                    <button type="button" class="link log-more" onclick={hub.act(Action::SeekSeq(kept.start as u64))}>
                        { format!("{} events before these: go there", kept.start) }
                    </button>
                }
                if slice.start > 0 { <Spacer px={slice.above()} /> }
                { rows.filter_map(|(at, position)| {
                    let event = props.log.get(*position)?;
                    Some(log_row(&hub, &props.log, event, (at, at >= passed, at + 1 == passed)))
                }).collect::<Html>() }
                if slice.below(total) > 0 { <Spacer px={slice.below(total)} /> }
                if kept.end < props.log.len() {
                    <button type="button" class="link log-more" onclick={hub.act(Action::SeekSeq(kept.end as u64 + 1))}>
                        { format!("{} events after these: go there", props.log.len() - kept.end) }
                    </button>
                }
                if total == 0 { <p class="empty-line">{ "No event matches." }</p> }
            </div>
            { causes(&hub, &props.log, props.seq, format!("How it came to event {}", props.seq)) }
        </div>
    }
}

/// The browser's event, beside the engine's of the same name.
type Event_ = yew::Event;

fn log_row(hub: &Hub, log: &EventLog, event: &Event, (at, ahead, now): (usize, bool, bool)) -> Html {
    let text = event.body.sentence();
    let (name, family) = event_icon(event);
    html! {
        <div class="log-row" key={event.seq} data-row={at.to_string()} data-ahead={ahead.to_string()} data-now={now.to_string()}>
            <button type="button" class="time" title="Go to this moment" onclick={hub.act(Action::SeekSeq(event.seq))}>
                { clock(event.at_ms) }
            </button>
            <span class="log-icon" data-family={family}>{ icon(name) }</span>
            <span class="log-text" title={format!("{}, event {} ({}): {text}", event.body.speaker(), event.seq, event.body.word())}>{ &text }</span>
            if let Some(cause) = because(event) {
                <button type="button" class="link because" title={log.by_seq(cause).map(|cause| format!("Because: {}", cause.body.sentence()))}
                    onclick={hub.act(Action::SeekSeq(cause))}><span class="visually-hidden">{ "because of event " }</span>{ format!("← {cause}") }</button>
            }
        </div>
    }
}

/// Keeps the row at the cursor in sight as long as the reader has not scrolled away from it, and when the log is opened.
fn follow(scroller: &NodeRef, passed: usize, opened: bool) {
    let Some(element) = scroller.cast::<HtmlElement>() else { return };
    let row =
        element.query_selector("[data-row]").ok().flatten().map_or(28, |row| row.client_height().max(1));
    let place = i32::try_from(passed).unwrap_or(i32::MAX).saturating_mul(row);
    let (top, height) = (element.scroll_top(), element.client_height());
    let near = opened || place > top - height && place < top + 2 * height;
    if near && (place > top + height - row || place < top) {
        element.set_scroll_top(place - height / 2);
    }
}
