//! Questions before time runs: a choice, then the answer that the run gives.

use super::acting;
use crate::store::Hub;
use crate::store::lessons::{Answered, Card, LessonAsk, QuestionCard, Try};
use crate::ui::icon;
use yew::prelude::*;

/// All questions of a lesson.
pub(super) fn questions(hub: &Hub, card: &Card, attempt: &Try) -> Html {
    let pairs = card.questions.iter().zip(&attempt.answers).enumerate();
    html! { { for pairs.map(|(at, (question, answer))| match answer {
        None => asked(hub, at, question),
        Some(answer) => answered(question, answer),
    }) } }
}

/// A choice is the answer: a click or the Enter key gives it.
fn asked(hub: &Hub, at: usize, question: &QuestionCard) -> Html {
    html! {
        <section class="lesson-question" aria-label="Question before you begin">
            <p><strong>{ "Before you begin: " }</strong>{ &*question.ask }</p>
            <div class="lesson-options" role="group" aria-label={question.ask.to_string()}>
                { for question.options.iter().enumerate().map(|(option, text)| html! {
                    <button type="button" class="button" onclick={acting(hub, LessonAsk::Answer(at, option))}>
                        <span class="button-label">{ &**text }</span>
                    </button>
                }) }
            </div>
        </section>
    }
}

fn answered(question: &QuestionCard, answer: &Answered) -> Html {
    let text = |at: usize| question.options.get(at).cloned().unwrap_or_default();
    let family = answer
        .outcome
        .as_ref()
        .map(|outcome| if outcome.right == answer.option { "complete" } else { "waiting" });
    html! {
        <section class="lesson-question" data-family={family} aria-label="Your prediction">
            <p>{ &*question.ask }</p>
            <p role="status">
                { "You said: " }<strong>{ &*text(answer.option) }</strong>{ ". " }
                { match &answer.outcome {
                    None => html! { "The run will tell." },
                    Some(outcome) if outcome.right == answer.option => html! { <>{ icon("check") }{ " Right. " }{ &*outcome.because }</> },
                    Some(outcome) => html! {
                        <>{ "The run says: " }<strong>{ &*text(outcome.right) }</strong>{ ". " }{ &*outcome.because }
                            if let Some(not) = &outcome.not { { " " }{ &**not } }</>
                    },
                } }
            </p>
        </section>
    }
}
