//! History of an element: the chain of causes back to an input, and the times of a step by status.

use crate::store::events::EventLog;
use crate::store::selectors::log::{self, Link};
use crate::store::selectors::status::{look_at, word};
use crate::store::selectors::time::{clock, short};
use crate::store::selectors::words;
use crate::store::{Action, Hub};
use crate::ui::bar::{Part, bar, share};
use crate::ui::{icon, status_icon};
use planarium_protocol::Text;
use planarium_protocol::event::ElementPath;
use yew::prelude::*;

/// The chain of causes of an event, folded away.
pub(crate) fn causes(hub: &Hub, events: &EventLog, seq: u64, title: String) -> Html {
    let links = log::shortened(log::chain(events, seq));
    if links.len() < 2 {
        return Html::default();
    }
    html! {
        <details class="log-chain">
            <summary>{ title }</summary>
            <ol>
                { for links.into_iter().map(|link| match link {
                    Link::Left(count) => html! { <li class="muted">{ format!("{count} more between") }</li> },
                    Link::Event(event) => {
                        let (name, family) = words::icon(event);
                        html! {
                            <li key={event.seq}>
                                <button type="button" class="time" title="Go to this moment" onclick={hub.act(Action::SeekSeq(event.seq))}>
                                    { clock(event.at_ms) }
                                </button>
                                <span class="log-icon" data-family={family}>{ icon(name) }</span>
                                <span>{ event.body.sentence() }</span>
                            </li>
                        }
                    }
                }) }
            </ol>
        </details>
    }
}

/// Shows the times of a step, status by status.
pub(super) fn spent(path: &ElementPath, parts: &[(Text, u64)]) -> Html {
    let whole: u64 = parts.iter().map(|(_, ms)| ms).sum();
    if parts.len() < 2 || whole == 0 {
        return Html::default();
    }
    let figure = |ms: u64| i64::try_from(ms).unwrap_or(i64::MAX);
    html! {
        <section class="spent">
            <h3>{ format!("Where its {} went", short(whole)) }</h3>
            <ul class="stages">
                { for parts.iter().map(|(status, ms)| {
                    let part = Part { share: share(figure(*ms), figure(whole)), kind: "used" };
                    html! {
                        <li>
                            <span class="stage-name">{ status_icon(look_at(path, status)) }{ word(status).to_owned() }</span>
                            { bar(&[part]) }
                            <span class="figure">{ short(*ms) }</span>
                        </li>
                    }
                }) }
            </ul>
        </section>
    }
}
