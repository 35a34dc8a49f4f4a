//! After a try: the lesson in hindsight, the next one, the sandbox with its dares, other runs to compare with, handing in.

use super::acting;
use crate::browser;
use crate::features::dialogs::value_of;
use crate::store::lessons::{Card, LessonAsk, Try, Verdict};
use crate::store::ptr::Ptr;
use crate::store::selectors::lesson::{instant, stars};
use crate::store::state::{Against, Dialog, Tab};
use crate::store::{Action, Hub, use_hub};
use crate::ui::{Button, attr, icon};
use planarium_messages::facts::{Dare, Reply};
use planarium_messages::questions::Ask;
use planarium_protocol::Input;
use yew::prelude::*;

#[derive(Properties, PartialEq)]
pub(super) struct AfterProps {
    /// The lesson.
    pub(super) card: Ptr<Card>,
    /// The try.
    pub(super) attempt: Ptr<Try>,
    /// The browser keeps progress.
    pub(super) keeps: bool,
}

/// The card of a lesson that is passed.
#[component]
pub(super) fn After(props: &AfterProps) -> Html {
    let hub = use_hub();
    let (card, attempt) = (&props.card, &props.attempt);
    if !matches!(attempt.verdict, Verdict::Passed { .. }) {
        return Html::default();
    }
    html! {
        <section class="lesson-done" data-family="complete" aria-labelledby="lesson-done">
            <h3 id="lesson-done">{ icon("flag") }{ "Passed" }{ attempt.stars.map(|count| format!(", {}", stars(count))).unwrap_or_default() }</h3>
            <p>{ &*card.done }</p>
            if !props.keeps {
                <p class="lesson-note" data-family="waiting">{ icon("warning") }<span>{ "This browser keeps nothing, so the progress is gone when the page is closed. All lessons has a link to take it along." }</span></p>
            }
            <div class="button-row">
                if let Some(next) = &card.next {
                    <Button icon="chevron-right" look="primary" label={format!("Next: {}", next.title)}
                        onclick={acting(&hub, LessonAsk::Open(next.id.clone()))} />
                } else {
                    <Button icon="flag" look="primary" label="All lessons" onclick={hub.act(Action::OpenDialog(Dialog::Lessons))} />
                }
            </div>
            if !attempt.dares.is_empty() {
                <p>{ "Or go on in the sandbox, where everything is allowed:" }</p>
                <div class="button-row" role="group" aria-label="Dares in the sandbox">
                    { for attempt.dares.iter().map(|dare| html! {
                        <Button icon="lightning" label={attr(&dare.title)} title={dare.text.clone()} onclick={dared(&hub, dare)} />
                    }) }
                </div>
            }
        </section>
    }
}

/// Leaves the lesson, goes to the moment, injects the failure and plays on.
fn dared(hub: &Hub, dare: &Dare) -> Callback<MouseEvent> {
    let (hub, dare) = (hub.clone(), dare.clone());
    Callback::from(move |_| {
        hub.send(Action::Lesson(LessonAsk::Leave));
        hub.send(Action::SeekMs(dare.at_ms));
        hub.send(Action::Do(Box::new(Input::Fault(dare.fault.clone()))));
        if !hub.state().play.playing {
            hub.send(Action::TogglePlay);
        }
    })
}

/// Runs of the same luck beside this one: the solution, earlier tries.
pub(super) fn compare(hub: &Hub, attempt: &Try, keeps: bool) -> Html {
    let against = |hub: &Hub, against: Against| {
        let hub = hub.clone();
        Callback::from(move |_: MouseEvent| {
            hub.send(Action::Compare(Some(against.clone())));
            hub.send(Action::ShowTab(Tab::Compare));
        })
    };
    html! {
        <details class="lesson-more">
            <summary>{ "Compare" }</summary>
            if let Some(solution) = &attempt.solution {
                <p>{ "The solution, with the same luck:" }</p>
                <ol class="lesson-chain">
                    { for solution.iter().map(|line| html! { <li><span class="time">{ instant(line.at_ms) }</span>{ " " }<code>{ &*line.text }</code></li> }) }
                </ol>
                <div class="button-row">
                    <Button icon="compare" label="Compare with the solution" onclick={against(hub, Against::Solution)} />
                </div>
            } else {
                <p class="muted">{ "The solution is shown once the lesson is passed. Looking at it before is noted in your result." }</p>
                <div class="button-row">
                    <Button label="Show the solution now" onclick={hub.act(Action::Lesson(LessonAsk::Solution))} />
                </div>
            }
            if !attempt.earlier.is_empty() {
                <p>{ "Earlier tries:" }</p>
                <ul class="lesson-moves">
                    { for attempt.earlier.iter().map(|earlier| html! {
                        <li key={earlier.number}>
                            <p class="muted">{ format!("Try {}: {}", earlier.number, earlier.text) }</p>
                            <Button icon="compare" label={format!("Compare with try {}", earlier.number)} onclick={against(hub, Against::Earlier(earlier.number))} />
                        </li>
                    }) }
                </ul>
                <p class="muted">{ if keeps { "This browser keeps the last six tries of a lesson." } else { "This browser keeps nothing: the tries are gone when the page is closed." } }</p>
            }
        </details>
    }
}

/// A link that hands in the try, for a teacher.
#[component]
pub(super) fn HandIn() -> Html {
    let hub = use_hub();
    let name = use_state_eq(String::new);
    let oninput = {
        let name = name.clone();
        Callback::from(move |event: InputEvent| name.set(value_of(&event)))
    };
    let onclick = {
        let (hub, name) = (hub.clone(), name.clone());
        Callback::from(move |_: MouseEvent| {
            let sender = hub.clone();
            let answer = move |reply| {
                if let Reply::HandIn(Some(link)) = reply {
                    copy(&sender, &format!("{}#{link}", browser::page_url()));
                }
            };
            hub.ask(Ask::Lesson(LessonAsk::HandIn((*name).clone())), Callback::from(answer));
        })
    };
    html! {
        <details class="lesson-more">
            <summary>{ "Hand in" }</summary>
            <p class="muted">{ "A link with your name and this try. Whoever gets it has it played again; no server is asked." }</p>
            <label class="field"><span>{ "Your name" }</span><input type="text" maxlength="60" value={(*name).clone()} {oninput} /></label>
            <div class="button-row"><Button icon="link" label="Copy the link to hand in" {onclick} /></div>
        </details>
    }
}

/// Copies a text and says whether that worked.
pub(crate) fn copy(hub: &Hub, text: &str) {
    let hub = hub.clone();
    browser::copy(text, move |done| {
        hub.send(Action::Say(if done { "Copied." } else { "The browser refused to copy." }.into()));
    });
}
