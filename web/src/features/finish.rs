//! The card at the end of a run: how it went, and what one may dare next.

use crate::store::selectors::time::short;
use crate::store::{Action, Hub, use_hub};
use crate::ui::{Button, IconButton, attr, icon};
use planarium_messages::facts::{Dare, Finish as Told, Reply};
use planarium_messages::questions::Ask;
use planarium_protocol::Input;
use yew::prelude::*;

#[derive(Properties, PartialEq)]
pub(crate) struct FinishProps {
    /// Which world and branch, and its last event.
    pub(crate) run: ((u32, u32), u64),
}

/// The card, until it is closed.
#[component]
pub(crate) fn Finish(props: &FinishProps) -> Html {
    let hub = use_hub();
    let closed = use_state_eq(|| None);
    let told = use_state_eq(|| None);
    {
        let (hub, told) = (hub.clone(), told.setter());
        use_effect_with(props.run, move |_| {
            let answer = move |reply| {
                if let Reply::Finish(finish) = reply {
                    told.set(finish);
                }
            };
            hub.ask(Ask::Finish, Callback::from(answer));
        });
    }
    let Some(told) = told.as_ref().filter(|_| *closed != Some(props.run)) else {
        return Html::default();
    };
    let close = {
        let (closed, run) = (closed.setter(), props.run);
        Callback::from(move |_| closed.set(Some(run)))
    };
    html! {
        <section class="finish" aria-label="The run has ended" aria-live="polite">
            <header>
                { icon("flag") }
                <h2>{ format!("Done in {}", short(told.total_ms)) }</h2>
                <span class="grow"></span>
                <IconButton icon="close" label="Close the card" onclick={close} />
            </header>
            <p>{ least(told) }</p>
            if !told.waits.is_empty() {
                <p>
                    { "Steps waited " }
                    { for told.waits.iter().take(3).enumerate().map(|(at, (what, ms, share))| html! {
                        <>{ if at == 0 { "" } else { ", " } }<strong>{ format!("{share} %") }</strong>{ format!(" {what} ({})", short(*ms)) }</>
                    }) }
                    { "." }
                </p>
            }
            if !told.dares.is_empty() {
                <div class="button-row" role="group" aria-label="What if">
                    { for told.dares.iter().map(|dare| html! {
                        <Button icon="lightning" label={attr(&dare.title)} title={dare.text.clone()} onclick={go(&hub, dare)} />
                    }) }
                </div>
            }
        </section>
    }
}

fn least(told: &Told) -> String {
    let Told { peak, short: missing, .. } = told;
    if *missing == 0 {
        return format!("Least available: all {peak} tasks, once they ran.");
    }
    let left = peak.saturating_sub(*missing);
    format!("Least available: {left} of {peak} tasks; {} of task time were missing.", short(told.short_ms))
}

/// Goes to the moment, injects the failure and plays on.
fn go(hub: &Hub, dare: &Dare) -> Callback<MouseEvent> {
    let (hub, dare) = (hub.clone(), dare.clone());
    Callback::from(move |_| {
        hub.send(Action::SeekMs(dare.at_ms));
        hub.send(Action::Do(Box::new(Input::Fault(dare.fault.clone()))));
        if !hub.state().play.playing {
            hub.send(Action::TogglePlay);
        }
    })
}
