//! Checks with their state, the account of a loss with its way back, and the score.

use super::acting;
use crate::store::lessons::{Account, Card, CheckCard, CheckLine, LessonAsk, Try, Verdict};
use crate::store::selectors::lesson::{check_look, instant, score_rows};
use crate::store::{Action, Hub};
use crate::ui::{Button, icon};
use yew::prelude::*;

/// The list of checks. Each lost one has its account; the first that was lost has the way back.
pub(super) fn checks(hub: &Hub, card: &Card, attempt: &Try) -> Html {
    let first = match attempt.verdict {
        Verdict::Lost { check, .. } => Some(check),
        _ => None,
    };
    html! {
        <ul class="lesson-checks">
            { for card.checks.iter().zip(&attempt.checks).enumerate().map(|(at, (card, line))| check(hub, card, line, first == Some(at))) }
        </ul>
    }
}

fn check(hub: &Hub, card: &CheckCard, line: &CheckLine, first: bool) -> Html {
    let look = check_look(card.role, line.state);
    html! {
        <li key={card.id.to_string()} data-family={look.family}>
            { icon(look.icon) }
            <div>
                <p><span class="lesson-word">{ look.word }</span>{ ": " }{ &*card.text }
                    if let Some(at_ms) = line.at_ms { <span class="muted">{ format!(" ({})", instant(at_ms)) }</span> }</p>
                if let Some(account) = &line.account { { lost(hub, account, first) } }
            </div>
        </li>
    }
}

fn lost(hub: &Hub, account: &Account, first: bool) -> Html {
    html! {
        <>
            <p class="lesson-account">{ &*account.sentence }</p>
            if first {
                <Button icon="branch" look="primary" label={format!("Go back to {}", instant(account.back_ms))}
                    title="Go to just before this check was lost, on a new branch; this run is kept" onclick={acting(hub, LessonAsk::GoBack)} />
            }
            <details class="lesson-more">
                <summary>{ "How it came about" }</summary>
                <ol class="lesson-chain">
                    { for account.chain.iter().map(|link| html! {
                        <li>
                            <span class="time">{ instant(link.at_ms) }</span>{ " " }
                            if let Some(event) = link.event {
                                <button type="button" class="link" title="Go to this event" onclick={hub.act(Action::SeekSeq(event))}>{ &*link.text }</button>
                            } else {
                                { &*link.text }
                            }
                        </li>
                    }) }
                </ol>
            </details>
        </>
    }
}

/// The score against the par.
pub(super) fn score(card: &Card, attempt: &Try) -> Html {
    let rows = score_rows(&attempt.score, card.par.as_ref());
    html! {
        <section aria-labelledby="lesson-score">
            <h3 id="lesson-score">{ "Score" }</h3>
            <table class="compare-table">
                <caption class="visually-hidden">{ "This try against the par, the score of the solution with the same seed" }</caption>
                <thead><tr><th scope="col"><span class="visually-hidden">{ "Measure" }</span></th><th scope="col">{ "This try" }</th><th scope="col">{ "Par" }</th></tr></thead>
                <tbody>
                    { for rows.into_iter().map(|row| html! {
                        <tr key={row.name}>
                            <th scope="row">{ row.name }</th>
                            <td data-better={row.within.to_string()}>{ row.own }
                                if row.within { { icon("check") }<span class="visually-hidden">{ "within the par" }</span> }</td>
                            <td>{ row.par.unwrap_or_else(|| "none".to_owned()) }</td>
                        </tr>
                    }) }
                </tbody>
            </table>
        </section>
    }
}
