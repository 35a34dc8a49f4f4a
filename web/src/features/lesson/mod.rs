//! The open lesson: its task, question, checks, score, hints and what comes after. It replaces the definition, which is a button
//! away.

mod after;
mod checks;
mod question;

use crate::store::lessons::{Card, LessonAsk, Try, Verdict};
use crate::store::ptr::Ptr;
use crate::store::selectors::lesson::{headline, instant, paragraphs};
use crate::store::{Action, Hub, use_hub};
use crate::ui::{Button, attr, icon};
use after::After;
pub(crate) use after::copy;
use yew::prelude::*;

/// Draws the pane.
pub(crate) struct Code {
    /// Draws it.
    pub(crate) pane: fn(LessonPaneProps) -> Html,
}

/// The code of the pane, which comes later.
pub(crate) static CODE: Code = Code { pane: |props| html! { <LessonPane ..props /> } };

#[derive(Properties, PartialEq)]
pub(crate) struct LessonPaneProps {
    /// The lesson.
    pub(crate) card: Ptr<Card>,
    /// Its try.
    pub(crate) attempt: Ptr<Try>,
    /// Next step of undo.
    pub(crate) undo: Option<AttrValue>,
    /// Something has happened in the world shown.
    pub(crate) touched: bool,
    /// The browser keeps progress.
    pub(crate) keeps: bool,
}

/// The pane.
#[component]
fn LessonPane(props: &LessonPaneProps) -> Html {
    let hub = use_hub();
    let (card, attempt) = (&props.card, &props.attempt);
    let passed = matches!(attempt.verdict, Verdict::Passed { .. });
    let place = card.place.map(|(at, of)| format!("Lesson {at} of {of}"));
    html! {
        <div class="lesson">
            <div class="pane-head">
                <h2>{ &*card.title }</h2>
                <span class="grow"></span>
                <Button label="Definition" icon="edit" look="quiet" title="Show the definition of the service" onclick={hub.act(Action::ShowDefinition(true))} />
            </div>
            <div class="lesson-body" id="lesson" tabindex="0" role="region" aria-label="Task and checks">
                <p class="muted">{ place.unwrap_or_else(|| "A lesson from a link".to_owned()) }{ format!(", until {}", instant(card.limit_ms)) }</p>
                { for paragraphs(&card.story).into_iter().map(|text| html! { <p>{ text }</p> }) }
                if !props.keeps && !passed {
                    <p class="lesson-note" data-family="waiting">{ icon("warning") }<span>{ "This browser keeps nothing here: progress and tries are gone when the page is closed." }</span></p>
                }
                if attempt.off_track {
                    <p class="lesson-note" data-family="error" role="alert">{ icon("error") }<span>{ "The checks cannot follow this run. Start the lesson again." }</span></p>
                }
                { question::questions(&hub, card, attempt) }
                <section aria-labelledby="lesson-checks">
                    <h3 id="lesson-checks">{ "Checks" }</h3>
                    <p role="status" class="lesson-state">{ headline(card, attempt) }</p>
                    { checks::checks(&hub, card, attempt) }
                </section>
                <After card={card.clone()} attempt={attempt.clone()} keeps={props.keeps} />
                { checks::score(card, attempt) }
                { hints(&hub, card, attempt) }
                { commands(&hub, card, attempt) }
                { after::compare(&hub, attempt, props.keeps) }
                <after::HandIn key={card.id.to_string()} />
                <div class="button-row">
                    <Button icon="flag" label="All lessons" onclick={hub.act(Action::OpenDialog(crate::store::state::Dialog::Lessons))} />
                    <Button icon="unblock" label="Leave for the sandbox" title="The world stays, the rules of the lesson go" onclick={hub.act(Action::Lesson(LessonAsk::Leave))} />
                </div>
            </div>
            <div class="button-row lesson-back" role="group" aria-label="Take back">
                <Button icon="reset" label={props.undo.as_ref().map_or_else(|| "Undo".to_owned(), |what| format!("Undo: {what}"))}
                    refused={props.undo.is_none().then_some(AttrValue::from("nothing was done yet"))} onclick={hub.act(Action::Undo)} />
                <Button icon="restart" label="Start again" refused={(!props.touched).then_some(AttrValue::from("this is the beginning"))}
                    onclick={hub.act(Action::Reset)} />
            </div>
        </div>
    }
}

/// Does something by which the button goes away; the focus stays in the lesson.
fn acting(hub: &Hub, ask: LessonAsk) -> Callback<MouseEvent> {
    let hub = hub.clone();
    Callback::from(move |_| {
        crate::browser::focus_soon("#lesson");
        hub.send(Action::Lesson(ask.clone()));
    })
}

fn hints(hub: &Hub, card: &Card, attempt: &Try) -> Html {
    let (shown, all) = (attempt.hints.len(), card.hints);
    if all == 0 {
        return Html::default();
    }
    let refused = (shown >= all).then_some(AttrValue::from("there are no more"));
    html! {
        <section aria-labelledby="lesson-hints">
            <h3 id="lesson-hints">{ "Hints" }</h3>
            <ol class="lesson-hints" aria-live="polite">
                { for attempt.hints.iter().map(|hint| html! { <li>{ &**hint }</li> }) }
            </ol>
            <Button icon="question" label={format!("Show a hint ({shown} of {all} shown)")} {refused} onclick={hub.act(Action::Lesson(LessonAsk::Hint))} />
        </section>
    }
}

/// Commands that can be given now, and the words of the allowed ones.
fn commands(hub: &Hub, card: &Card, attempt: &Try) -> Html {
    html! {
        <details class="lesson-more">
            <summary>{ format!("Commands at this moment ({})", attempt.moves.len()) }</summary>
            <p class="muted">{ "Allowed in this lesson: " }{ for card.allowed.iter().enumerate().map(|(at, word)| html! { <>{ if at > 0 { ", " } else { "" } }<code>{ &**word }</code></> }) }{ ". Menus and the console take them, too." }</p>
            <ul class="lesson-moves">
                { for attempt.moves.iter().map(|title| html! {
                    <li key={title.to_string()}><Button label={attr(title)} onclick={hub.act(Action::Lesson(LessonAsk::Give(title.clone())))} /></li>
                }) }
            </ul>
            if attempt.moves.is_empty() { <p class="muted">{ "None at this moment." }</p> }
        </details>
    }
}
