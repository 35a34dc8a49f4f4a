//! The card at the end of a run: its summary, and what to try next.

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

/// The card, until it is closed. It stays closed while the run goes on as it is: what ends by itself and is started again does not open it.
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
    let of = |told: &Told| (props.run.0, told.inputs, told.failed);
    let Some(told) = told.as_ref().filter(|told| *closed != Some(of(told))) else {
        return Html::default();
    };
    let close = {
        let (closed, end) = (closed.setter(), of(told));
        Callback::from(move |_| closed.set(Some(end)))
    };
    html! {
        <section class="finish" data-hollow={is_hollow(told).to_string()} aria-label="The run has ended" aria-live="polite">
            <header>
                { icon("flag") }
                <h2>{ heading(told) }</h2>
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

/// Returns whether there is nothing to be glad of.
fn is_hollow(told: &Told) -> bool {
    told.forced || told.running == 0
}

fn heading(told: &Told) -> String {
    let length = short(told.total_ms);
    match (told.forced, told.running) {
        (true, _) => format!("Marked complete by hand after {length}"),
        (false, 0) => format!("Done in {length}; nothing runs now"),
        _ => format!("Done in {length}"),
    }
}

fn least(told: &Told) -> String {
    let Told { unit, running, peak, short: missing, .. } = told;
    let run = |count: u32| if count == 1 { format!("1 {unit} runs") } else { format!("{count} {unit}s run") };
    match (*peak, *missing) {
        (_, _) if told.forced => format!("No step did its work; {}.", run(*running)),
        (0, _) => format!("{}.", run(*running)),
        (1, 0) => format!("Least available: the only {unit}, once it ran."),
        (2, 0) => format!("Least available: both {unit}s, once they ran."),
        (peak, 0) => format!("Least available: all {peak} {unit}s, once they ran."),
        (peak, missing) => {
            let left = peak.saturating_sub(missing);
            format!(
                "Least available: {left} of {peak} {unit}s; {} of {unit} time were missing.",
                short(told.short_ms)
            )
        }
    }
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

#[cfg(test)]
mod tests {
    use super::*;

    fn told(forced: bool, running: u32, peak: u32, missing: u32) -> Told {
        let (waits, dares) = (Vec::new(), Vec::new());
        Told {
            inputs: 1,
            failed: 0,
            total_ms: 61_000,
            forced,
            unit: "task".into(),
            running,
            peak,
            short: missing,
            short_ms: 4_000,
            waits,
            dares,
        }
    }

    #[test]
    fn the_card_summarises_the_run() {
        for (told, hollow, heading, least) in [
            (told(false, 3, 3, 0), false, "Done in 1 m 1 s", "Least available: all 3 tasks, once they ran."),
            (told(false, 2, 2, 0), false, "Done in 1 m 1 s", "Least available: both tasks, once they ran."),
            (
                told(false, 3, 3, 1),
                false,
                "Done in 1 m 1 s",
                "Least available: 2 of 3 tasks; 4 s of task time were missing.",
            ),
            (told(false, 2, 0, 0), false, "Done in 1 m 1 s", "2 tasks run."),
            (Told { unit: "pod".into(), ..told(false, 2, 0, 0) }, false, "Done in 1 m 1 s", "2 pods run."),
            (
                Told { unit: "container".into(), ..told(false, 3, 3, 0) },
                false,
                "Done in 1 m 1 s",
                "Least available: all 3 containers, once they ran.",
            ),
            (told(false, 0, 0, 0), true, "Done in 1 m 1 s; nothing runs now", "0 tasks run."),
            (
                told(true, 0, 0, 0),
                true,
                "Marked complete by hand after 1 m 1 s",
                "No step did its work; 0 tasks run.",
            ),
        ] {
            assert_eq!(is_hollow(&told), hollow);
            assert_eq!((super::heading(&told).as_str(), super::least(&told).as_str()), (heading, least));
        }
    }
}
