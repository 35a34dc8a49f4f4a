//! The engine stopped and was restarted: its last question, and possible actions.

use crate::browser;
use crate::store::action::Format;
use crate::store::ptr::Ptr;
use crate::store::selectors::time::clock;
use crate::store::stopped::Stopped;
use crate::store::{Action, use_hub};
use crate::ui::{Button, IconButton, icon};
use yew::prelude::*;

#[derive(Properties, PartialEq)]
pub(crate) struct StoppedCardProps {
    /// The end of the engine.
    pub(crate) stopped: Ptr<Stopped>,
}

/// The card, until it is closed.
#[component]
pub(crate) fn StoppedCard(props: &StoppedCardProps) -> Html {
    let hub = use_hub();
    let stopped = &props.stopped;
    let copy = {
        let (hub, report) = (hub.clone(), stopped.report.clone());
        Callback::from(move |_: MouseEvent| {
            let hub = hub.clone();
            browser::copy(&report, move |done| {
                hub.send(Action::Say(if done { "Copied." } else { "The browser refused to copy." }.into()));
            });
        })
    };
    html! {
        <section class="stopped" role="alert" aria-label="The engine stopped">
            <header>
                { icon("error") }
                <h2>{ "The engine stopped" }</h2>
                <span class="grow"></span>
                <IconButton icon="close" label="Close the card" onclick={hub.act(Action::LeaveStopped)} />
            </header>
            <p>
                { format!("At {}, on ", clock(stopped.at_ms)) }<strong>{ &*stopped.during }</strong>
                { ". It runs again, at the moment before that; everything that was done and written is here. This is a \
                   defect of Planarium, not of your definition." }
            </p>
            <div class="button-row">
                if stopped.again.is_some() {
                    <Button label="Try again" icon="play" onclick={hub.act(Action::Retry)} />
                }
                <Button label="Save the journal" icon="save" onclick={hub.act(Action::SaveAs(Format::Journal))} />
                <Button label="Copy a report" icon="copy" onclick={copy} />
            </div>
        </section>
    }
}
